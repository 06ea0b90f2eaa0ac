//! Counts by generator: programs, compared, left out with the reason, different.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::compare::Compared;

/// The counts of a soak.
pub struct Tally {
    counts: BTreeMap<&'static str, Counts>,
    started: Instant,
    saved: Instant,
}

#[derive(Default)]
struct Counts {
    programs: u64,
    compared: u64,
    skipped: BTreeMap<String, u64>,
    different: BTreeMap<String, u64>,
}

impl Default for Tally {
    fn default() -> Tally {
        let now = Instant::now();
        Tally { counts: BTreeMap::new(), started: now, saved: now }
    }
}

impl Tally {
    /// Counts what became of a program.
    pub fn count(&mut self, generator: &'static str, compared: &Compared) {
        let counts = self.counts.entry(generator).or_default();
        counts.programs += 1;
        match compared {
            Compared::Same => counts.compared += 1,
            Compared::Skipped(why) => *counts.skipped.entry(why.clone()).or_default() += 1,
            Compared::Different(difference) => {
                counts.compared += 1;
                *counts.different.entry(difference.kind.clone()).or_default() += 1;
            }
        }
    }

    /// How many differences of this kind there were.
    pub fn known(&self, generator: &str, kind: &str) -> u64 {
        let counts = self.counts.get(generator);
        counts.and_then(|counts| counts.different.get(kind).copied()).unwrap_or(0)
    }

    /// All differences.
    pub fn differences(&self) -> u64 {
        self.counts.values().flat_map(|counts| counts.different.values()).sum()
    }

    /// Prints the counts.
    pub fn print(&self) {
        print!("{}", self.page());
    }

    /// Writes the counts to a file now and then, so that they outlive the run.
    pub fn save(&mut self, folder: &Path) -> Result<()> {
        if self.saved.elapsed() > Duration::from_secs(10) {
            fs::write(folder.join(format!("counts-{}.txt", std::process::id())), self.page())?;
            self.saved = Instant::now();
        }
        Ok(())
    }

    fn page(&self) -> String {
        let mut page = String::from("generator\tprograms\tcompared\tskipped\tdifferent\n");
        for (name, counts) in &self.counts {
            let (skipped, different) = (sum(&counts.skipped), sum(&counts.different));
            // Writing to a text cannot fail.
            let _ = writeln!(
                page,
                "{name}\t{}\t{}\t{skipped}\t{different}",
                counts.programs, counts.compared
            );
        }
        for (name, counts) in &self.counts {
            for (word, reasons) in [("skipped", &counts.skipped), ("different", &counts.different)]
            {
                for (reason, count) in reasons {
                    let _ = writeln!(page, "{name}\t{word}\t{count}\t{reason}");
                }
            }
        }
        let programs: u64 = self.counts.values().map(|counts| counts.programs).sum();
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = programs as f64 / seconds.max(1e-9);
        let _ = writeln!(page, "{programs} programs in {seconds:.0} s, {rate:.1} a second");
        page
    }
}

fn sum(counts: &BTreeMap<String, u64>) -> u64 {
    counts.values().sum()
}
