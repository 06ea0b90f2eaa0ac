//! `soak`: random programs of every language, for as long as wanted.
//!
//! Every program is drawn from a seed and goes through homing in several
//! configurations and through what it is compared with: SPIN, the reference
//! interpreter; timed models only by the configurations with each other. Where
//! answers differ, the program is made smaller and written to a folder with both
//! answers and the command that repeats it. At the end each generator's counts are printed.
//!
//! The same `--first` and `--programs` draw the same programs; only how many fit
//! into `--seconds` depends on the machine.

mod compare;
mod configurations;
mod generators;
mod interpreted;
mod ours;
mod reproducer;
mod shrink;
mod spin;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use clap::Args;

use compare::{Compared, Comparison, Difference};
use generators::{GENERATORS, Generator};
use reproducer::Reproducer;
use spin::Workshop;
use tally::Tally;

/// Options of `homing-bench soak`.
#[derive(Args)]
pub struct Options {
    /// The first seed [default: from the clock]
    #[arg(long)]
    first: Option<u64>,
    /// Seeds to draw, each once for every generator [default: as many as fit]
    #[arg(long)]
    programs: Option<u64>,
    /// Seconds after which no other program is drawn
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Generators to use, by name [default: all]
    #[arg(long, value_delimiter = ',')]
    generators: Vec<String>,
    /// Configurations each program is searched with, of each kind; they take their turns
    #[arg(long, default_value_t = 1)]
    configurations: usize,
    /// Folder for programs on which answers differ
    #[arg(long, default_value = "target/soak")]
    folder: PathBuf,
    /// Programs made smaller for each kind of difference; more are only counted
    #[arg(long, default_value_t = 2)]
    keep: u64,
    /// Programs compared at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Text in the kind of a difference that is known: it is counted apart, and neither made
    /// smaller nor a failure; can be given several times
    #[arg(long)]
    known: Vec<String>,
    /// Table that the counts are added to
    #[arg(long)]
    table: Option<PathBuf>,
}

/// Questions asked to make one program smaller.
const SHRINKING: usize = 250;

/// Runs the soak; exit code 1 where answers differ.
pub fn run(options: &Options) -> Result<ExitCode> {
    let generators = chosen(&options.generators)?;
    let first = options.first.unwrap_or_else(from_clock);
    println!("first seed {first}");
    ours::keep_panics();
    let soak = Soak {
        options,
        generators,
        first,
        until: Instant::now() + Duration::from_secs(options.seconds),
        drawn: AtomicU64::new(0),
        tally: Mutex::new(Tally::new(options.table.as_deref(), &options.known)),
    };
    thread::scope(|scope| {
        let soak = &soak;
        let jobs = (0..options.jobs.max(1)).map(|job| scope.spawn(move || soak.work(job)));
        let jobs: Vec<_> = jobs.collect();
        jobs.into_iter().try_for_each(|job| job.join().unwrap_or_else(|_| bail!("a job panics")))
    })?;
    soak.end()
}

fn chosen(names: &[String]) -> Result<Vec<&'static Generator>> {
    if names.is_empty() {
        return Ok(GENERATORS.iter().collect());
    }
    let find = |name: &String| GENERATORS.iter().find(|generator| generator.name == name);
    let Some(chosen) = names.iter().map(find).collect::<Option<Vec<_>>>() else {
        let known: Vec<&str> = GENERATORS.iter().map(|generator| generator.name).collect();
        bail!("there are the generators {}", known.join(", "));
    };
    Ok(chosen)
}

/// A seed that was not used yet, most likely, with room for many after it.
fn from_clock() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |since| since.as_secs() << 20)
}

/// What all jobs share.
struct Soak<'a> {
    options: &'a Options,
    generators: Vec<&'static Generator>,
    first: u64,
    until: Instant,
    /// Programs drawn so far: seed by seed, each once for every generator.
    drawn: AtomicU64,
    tally: Mutex<Tally>,
}

impl Soak<'_> {
    /// Compares programs until there are enough.
    fn work(&self, job: usize) -> Result<()> {
        let workshop = Workshop::open(job)?;
        let count = self.generators.len() as u64;
        while Instant::now() < self.until {
            let number = self.drawn.fetch_add(1, Ordering::Relaxed);
            if self.options.programs.is_some_and(|programs| number / count >= programs) {
                break;
            }
            let generator = self.generators[(number % count) as usize];
            self.one(generator, self.first.wrapping_add(number / count), job, workshop.as_ref())?;
        }
        reproducer::forget(&self.options.folder, job);
        Ok(())
    }

    fn one(
        &self,
        generator: &Generator,
        seed: u64,
        job: usize,
        workshop: Option<&Workshop>,
    ) -> Result<()> {
        let folder = &self.options.folder;
        let drawn = (generator.draw)(seed);
        reproducer::remember(folder, job, generator, seed, &drawn.text)?;
        let comparison = Comparison {
            generator,
            goals: &drawn.goals,
            workshop,
            seed,
            configurations: self.options.configurations,
        };
        let compared = comparison.compare(&drawn.text)?;
        let count = self.tally()?.count(generator.name, &compared);
        if let Compared::Different(difference) = &compared
            && count <= self.options.keep
        {
            let text = smaller(&comparison, &drawn.text, difference)?;
            let difference = again(&comparison, &text, difference)?;
            let reproducer = Reproducer { generator, seed, text, difference };
            reproducer.write(folder, &drawn.goals)?;
        }
        self.tally()?.save_now_and_then(folder)
    }

    fn tally(&self) -> Result<MutexGuard<'_, Tally>> {
        self.tally.lock().map_err(|_| anyhow!("another job panics"))
    }

    fn end(&self) -> Result<ExitCode> {
        let mut tally = self.tally()?;
        tally.print();
        tally.save(&self.options.folder)?;
        Ok(if tally.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The program made smaller, with the same kind of difference.
fn smaller(comparison: &Comparison, text: &str, difference: &Difference) -> Result<String> {
    let mut failed = None;
    let smaller = shrink::shrink(text, SHRINKING, &mut |text| match comparison.compare(text) {
        Ok(Compared::Different(now)) => now.kind == difference.kind,
        Ok(_) => false,
        Err(error) => {
            failed = Some(error);
            false
        }
    });
    failed.map_or(Ok(smaller), Err)
}

/// The difference of the smaller program.
fn again(comparison: &Comparison, text: &str, difference: &Difference) -> Result<Difference> {
    Ok(match comparison.compare(text)? {
        Compared::Different(now) => now,
        _ => difference.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What needs no other tool; Promela: `tests/promela_random.rs`.
    #[test]
    fn answers_about_some_programs_agree() {
        for name in ["dve", "tchecker", "uppaal"] {
            let generator = chosen(&[name.to_owned()]).unwrap()[0];
            let mut same = 0;
            for seed in 0..12 {
                let drawn = (generator.draw)(seed);
                let comparison = Comparison {
                    generator,
                    goals: &drawn.goals,
                    workshop: None,
                    seed,
                    configurations: 3,
                };
                match comparison.compare(&drawn.text).unwrap() {
                    Compared::Same => same += 1,
                    Compared::Skipped(_) => {}
                    Compared::Different(difference) => {
                        panic!("{name} {seed}: {difference:?}\n{}", drawn.text)
                    }
                }
            }
            assert!(same > 6, "{name}: only {same} programs were compared");
        }
    }

    #[test]
    fn generators_are_chosen_by_name() {
        assert_eq!(chosen(&[]).unwrap().len(), GENERATORS.len());
        assert!(chosen(&["pascal".into()]).is_err());
    }
}
