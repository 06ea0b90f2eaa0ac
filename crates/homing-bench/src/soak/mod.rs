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
mod ours;
mod reproducer;
mod shrink;
mod spin;
mod tally;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
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
    /// Configurations each program is searched with beside the plain one
    #[arg(long, default_value_t = 2)]
    configurations: usize,
    /// Folder for programs on which answers differ
    #[arg(long, default_value = "target/soak")]
    folder: PathBuf,
    /// Programs made smaller for each kind of difference; more are only counted
    #[arg(long, default_value_t = 5)]
    keep: u64,
}

/// Questions asked to make one program smaller.
const SHRINKING: usize = 250;

/// Runs the soak; exit code 1 where answers differ.
pub fn run(options: &Options) -> Result<ExitCode> {
    let chosen = chosen(&options.generators)?;
    let workshop = Workshop::open()?;
    let first = options.first.unwrap_or_else(from_clock);
    println!("first seed {first}");
    ours::keep_panics();
    let mut soak = Soak { options, workshop, tally: Tally::default() };
    let until = Instant::now() + Duration::from_secs(options.seconds);
    for number in 0..options.programs.unwrap_or(u64::MAX) {
        for generator in &chosen {
            if Instant::now() >= until {
                return soak.end();
            }
            soak.one(generator, first.wrapping_add(number))?;
        }
    }
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

struct Soak<'a> {
    options: &'a Options,
    workshop: Option<Workshop>,
    tally: Tally,
}

impl Soak<'_> {
    fn one(&mut self, generator: &Generator, seed: u64) -> Result<()> {
        let drawn = (generator.draw)(seed);
        reproducer::remember(&self.options.folder, generator, seed, &drawn.text)?;
        let comparison = Comparison {
            generator,
            goals: &drawn.goals,
            workshop: self.workshop.as_ref(),
            seed,
            configurations: self.options.configurations,
        };
        let compared = comparison.compare(&drawn.text)?;
        self.tally.count(generator.name, &compared);
        if let Compared::Different(difference) = &compared
            && self.tally.known(generator.name, &difference.kind) <= self.options.keep
        {
            let text = smaller(&comparison, &drawn.text, difference)?;
            let difference = again(&comparison, &text, difference)?;
            let reproducer = Reproducer { generator, seed, text, difference };
            reproducer.write(&self.options.folder, &drawn.goals)?;
        }
        self.tally.save(&self.options.folder)
    }

    fn end(&self) -> Result<ExitCode> {
        self.tally.print();
        reproducer::forget(&self.options.folder);
        Ok(if self.tally.differences() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
