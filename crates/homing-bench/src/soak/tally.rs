//! Counts by generator: programs, compared, left out with the reason, different.
//!
//! The table has a line for each count, so that tables can be added up:
//!
//! ```text
//! generator  what       why                programs
//! dve        programs                      1000
//! dve        compared                      998
//! dve        skipped    too many states    2
//! ```
//!
//! `different` counts among those compared; so does `known`, the differences that are
//! known to be mended elsewhere.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::compare::Compared;
use crate::table::{Report, Table};

/// Generator, what was counted, and why.
type Key = (String, String, String);

const COLUMNS: [&str; 4] = ["generator", "what", "why", "programs"];

/// The counts of a soak.
pub struct Tally {
    counts: BTreeMap<Key, u64>,
    /// The table they are added to, and those that were added already.
    table: Option<(PathBuf, BTreeMap<Key, u64>)>,
    /// What is in kinds of differences that are known.
    known: Vec<String>,
    started: Instant,
    saved: Instant,
}

impl Tally {
    /// No counts yet; they will be added to those of `table`.
    pub fn new(table: Option<&Path>, known: &[String]) -> Tally {
        let (counts, now) = (BTreeMap::new(), Instant::now());
        let table = table.map(|path| (path.to_owned(), BTreeMap::new()));
        Tally { counts, table, known: known.to_vec(), started: now, saved: now }
    }

    /// Counts what became of a program. Answers how many differed in the same way; of
    /// known kinds too many to look at.
    pub fn count(&mut self, generator: &str, compared: &Compared) -> u64 {
        self.add(generator, "programs", "");
        match compared {
            Compared::Same => self.add(generator, "compared", ""),
            Compared::Skipped(why) => self.add(generator, "skipped", why),
            Compared::Different(difference) => {
                self.add(generator, "compared", "");
                let known = self.known.iter().any(|known| difference.kind.contains(known));
                let what = if known { "known" } else { "different" };
                let count = self.add(generator, what, &difference.kind);
                if known { u64::MAX } else { count }
            }
        }
    }

    fn add(&mut self, generator: &str, what: &str, why: &str) -> u64 {
        let why = why.replace(['\t', '\n'], " ").trim().to_owned();
        let count = self.counts.entry((generator.into(), what.into(), why)).or_default();
        *count += 1;
        *count
    }

    /// All differences that are not known.
    pub fn differences(&self) -> u64 {
        self.sum("different")
    }

    fn sum(&self, of: &str) -> u64 {
        let counts = self.counts.iter().filter(|((_, what, _), _)| what == of);
        counts.map(|(_, count)| count).sum()
    }

    /// Prints the counts.
    pub fn print(&self) {
        println!("{}", COLUMNS.join("\t"));
        for ((generator, what, why), count) in &self.counts {
            println!("{generator}\t{what}\t{why}\t{count}");
        }
        let (programs, seconds) = (self.sum("programs"), self.started.elapsed().as_secs_f64());
        let rate = programs as f64 / seconds.max(1e-9);
        println!("{programs} programs in {seconds:.0} s, {rate:.1} a second");
    }

    /// Writes the counts now and then, so that they outlive the run.
    pub fn save_now_and_then(&mut self, folder: &Path) -> Result<()> {
        if self.saved.elapsed() > Duration::from_secs(10) {
            self.saved = Instant::now();
            self.save(folder)?;
        }
        Ok(())
    }

    /// Writes the counts to a file of this run, and what is new to the table, which other
    /// runs may be adding to.
    pub fn save(&mut self, folder: &Path) -> Result<()> {
        write(&folder.join(format!("counts-{}.tsv", std::process::id())), &self.counts)?;
        let Some((path, added)) = &mut self.table else { return Ok(()) };
        let lock = File::create(path.with_extension("lock"))?;
        lock.lock()?;
        let mut all = read(path)?;
        for (key, count) in &self.counts {
            *all.entry(key.clone()).or_default() += count - added.get(key).unwrap_or(&0);
        }
        write(path, &all)?;
        added.clone_from(&self.counts);
        Ok(lock.unlock()?)
    }
}

/// The counts of a table; none where there is no table yet.
fn read(path: &Path) -> Result<BTreeMap<Key, u64>> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let table = Table::read(path)?;
    let count = |row: crate::table::Row| {
        let text = |column| row.text(column).unwrap_or_default().to_owned();
        Some(((text("generator"), text("what"), text("why")), row.number("programs")?))
    };
    Ok(table.rows().filter_map(count).collect())
}

fn write(path: &Path, counts: &BTreeMap<Key, u64>) -> Result<()> {
    // A table that is cut short by a crash would lose what was there before.
    let draft = path.with_extension("draft");
    let mut report = Report::create_plain(&draft, &COLUMNS)?;
    for ((generator, what, why), count) in counts {
        report.row(&[generator.clone(), what.clone(), why.clone(), count.to_string()])?;
    }
    drop(report);
    Ok(fs::rename(draft, path)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::compare::Difference;

    fn different(kind: &str) -> Compared {
        let (ours, theirs) = (String::new(), String::new());
        Compared::Different(Difference { kind: kind.into(), ours, theirs })
    }

    #[test]
    fn tables_add_up() {
        let folder = std::env::temp_dir().join(format!("homing-tally-{}", std::process::id()));
        let table = folder.join("soak.tsv");
        for _ in 0..2 {
            let mut tally = Tally::new(Some(&table), &["refused".into()]);
            tally.count("dve", &Compared::Same);
            tally.save(&folder).unwrap();
            tally.count("dve", &Compared::Skipped("a\tb".into()));
            assert_eq!(tally.count("dve", &different("holds")), 1);
            assert_eq!(tally.count("dve", &different("refused: x")), u64::MAX);
            tally.save(&folder).unwrap();
            assert_eq!(tally.differences(), 1);
        }
        let counts = read(&table).unwrap();
        let count = |what: &str, why: &str| counts[&("dve".into(), what.into(), why.into())];
        assert_eq!([count("programs", ""), count("compared", "")], [8, 6]);
        assert_eq!([count("skipped", "a b"), count("different", "holds")], [2, 2]);
        assert_eq!(count("known", "refused: x"), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
