//! Runs the `homing` command and reads its JSON.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use homing_report::Queues;
use homing_report::accuracy::AccuracyOutcome;
use homing_report::compare::CompareOutcome;
use serde::Deserialize;

use crate::measure::{Limits, Measured, measure};

/// The planner without its search for shorter traces behind the first: what is compared
/// until the first error makes none either.
pub const FINDING: &str = "auto(improve=0)";

/// The `homing` command.
pub struct Homing {
    program: PathBuf,
}

/// What `homing stats --json` prints, as far as it is used here.
#[derive(Debug, Deserialize)]
pub struct Stats {
    /// Reachable states.
    pub states: u64,
    /// Generated transitions.
    pub transitions: u64,
    /// States without a successor.
    pub deadlocks: u64,
    /// Depth of the breadth-first search.
    pub levels: u64,
    /// Memory of the store divided by its states.
    pub bytes_per_state: f64,
    /// Wall-clock seconds of the search.
    pub seconds: f64,
    /// Largest memory homing accounted for.
    pub peak_bytes: u64,
    /// Seconds spent on making successor functions.
    pub compile_seconds: f64,
    /// Whether everything was explored.
    pub complete: bool,
    /// How it was searched.
    #[serde(default)]
    pub plan: Planned,
}

/// How a search was put together, as far as it is used here.
#[derive(Debug, Default, Deserialize)]
pub struct Planned {
    /// What was done, in words.
    #[serde(default)]
    pub phases: Vec<String>,
}

/// What `homing check --json` prints, as far as it is used here.
#[derive(Debug, Deserialize)]
pub struct Check {
    /// A result a property, in the order asked.
    pub results: Vec<Verdict>,
    /// Seconds spent on making successor functions.
    #[serde(default)]
    pub compile_seconds: f64,
    /// What all searches took together.
    #[serde(default)]
    pub statistics: Took,
    /// How it was searched.
    #[serde(default)]
    pub plan: Planned,
}

/// The result of one property.
#[derive(Debug, Deserialize)]
pub struct Verdict {
    /// The property's name.
    #[serde(default)]
    pub property: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// Why that is the verdict.
    #[serde(default)]
    pub reason: String,
    /// Whether the path is said to be a shortest one.
    pub optimal: bool,
    /// How short a path may be at best.
    #[serde(default)]
    pub at_least: Option<u64>,
    /// The path to the violation.
    pub trace: Option<Trace>,
    /// What finding out took.
    pub statistics: Took,
}

impl Verdict {
    /// What is wrong with an answer, by what is known of the goal.
    pub fn mistake(&self, reachable: bool, shortest: Option<u64>) -> Option<String> {
        match self.verdict.as_str() {
            "holds" if reachable => return Some("said not to be reachable".into()),
            "violated" if !reachable => return Some("said to be reachable".into()),
            _ => {}
        }
        let (length, shortest) = (self.trace.as_ref()?.length, shortest?);
        if length < shortest {
            return Some(format!("{length} steps, shorter than the shortest {shortest}"));
        }
        if self.at_least.is_some_and(|least| least > shortest) {
            return Some(format!("said to take more than {shortest} steps"));
        }
        let optimal = self.optimal && length != shortest;
        optimal.then(|| format!("{length} steps said to be shortest, {shortest} are"))
    }
}

/// What a search took.
#[derive(Debug, Default, Deserialize)]
pub struct Took {
    /// States stored.
    pub stored: u64,
    /// States expanded.
    pub expanded: u64,
    /// Seconds of searching.
    pub seconds: f64,
    /// How often each open queue was used.
    #[serde(default)]
    pub queues: Option<Queues>,
}

/// The counterexample, of which only the length matters here.
#[derive(Debug, Deserialize)]
pub struct Trace {
    /// Steps.
    pub length: u64,
}

/// How a search for one goal came out.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one a search")]
pub enum Searched {
    /// With a verdict.
    Answered {
        /// The verdict.
        verdict: Verdict,
        /// Seconds from the model's text to the error: compilation, tables
        /// and search, but not the confirmation and printing of the trace.
        seconds: f64,
        /// Processor seconds of the whole command.
        command: f64,
    },
    /// It was ended from outside.
    Ended,
    /// homing does not search so, for this reason.
    Refused(String),
}

impl Homing {
    /// Where the command is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Takes the command given, else the one beside this program, else the
    /// one on the `PATH`.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        if let Some(program) = given {
            let program = program
                .canonicalize()
                .with_context(|| format!("no command at {}", program.display()))?;
            return Ok(Self { program });
        }
        let beside = std::env::current_exe()?.with_file_name("homing");
        let program = if beside.is_file() { beside } else { PathBuf::from("homing") };
        Ok(Self { program })
    }

    /// Explores the whole model: figures as told and as measured.
    pub fn stats(&self, model: &Path, options: &[&str]) -> Result<(Stats, Measured)> {
        let (stats, measured) = self.glance(model, options)?;
        if !stats.complete {
            bail!("the exploration was cut short after {} states", stats.states);
        }
        Ok((stats, measured))
    }

    /// Explores the model as far as the options allow.
    pub fn glance(&self, model: &Path, options: &[&str]) -> Result<(Stats, Measured)> {
        let measured = self.run("stats", model, options)?;
        Ok((parse(&measured)?, measured))
    }

    /// Checks properties of the model.
    pub fn check(&self, model: &Path, options: &[&str]) -> Result<Check> {
        Ok(self.check_measured(model, options)?.0)
    }

    /// Looks for a goal with a strategy, within so much time and memory.
    pub fn look_for(
        &self,
        model: &Path,
        goal: &str,
        strategy: &str,
        seconds: u64,
        memory: &str,
    ) -> Result<Verdict> {
        let time = format!("{seconds}s");
        let options = ["--goal", goal, "--strategy", strategy, "--time", &time, "--memory", memory];
        let check = self.check(model, &options)?;
        check.results.into_iter().next().context("no result")
    }

    /// Checks properties of the model: verdicts as told, use as measured.
    pub fn check_measured(&self, model: &Path, options: &[&str]) -> Result<(Check, Measured)> {
        let measured = self.run("check", model, options)?;
        Ok((parse(&measured)?, measured))
    }

    /// Writes the search for a goal as a planning task.
    pub fn export(&self, model: &Path, goal: &str, task: &Path, limits: Limits) -> Result<()> {
        let mut arguments: Vec<OsString> = vec!["export".into(), "--sas".into(), model.into()];
        arguments.extend(["--goal".into(), goal.into(), "--out".into(), task.into()]);
        let measured = measure(&self.program, &arguments, None, limits)?;
        if measured.code != Some(0) {
            bail!("{}", measured.complaint());
        }
        Ok(())
    }

    /// Searches for one goal, ended by the kernel after `most` seconds of
    /// processor time.
    pub fn search(&self, model: &Path, options: &[&str], most: u64) -> Result<Searched> {
        let limits = Limits { seconds: Some(most), memory: None };
        let measured = self.run_within("check", model, options, limits)?;
        match measured.code {
            None => Ok(Searched::Ended),
            Some(2) => {
                let line = measured.stderr.lines().next().unwrap_or_default();
                let sentence = line.strip_prefix("error: ").unwrap_or(line);
                Ok(Searched::Refused(sentence.to_string()))
            }
            Some(_) => {
                let check: Check = parse(&measured)?;
                let verdict = check.results.into_iter().next().context("no result")?;
                let seconds = check.compile_seconds + verdict.statistics.seconds;
                Ok(Searched::Answered { verdict, seconds, command: measured.cpu_seconds })
            }
        }
    }

    /// Checks properties of a model, ended by the kernel at its limits. In place
    /// of verdicts the sentence with which homing refuses the model, or how it
    /// was ended.
    pub fn try_check(
        &self,
        model: &Path,
        options: &[&str],
        limits: Limits,
    ) -> Result<std::result::Result<(Check, Measured), String>> {
        let measured = self.run_within("check", model, options, limits)?;
        Ok(match measured.code {
            Some(0 | 1 | 3) => Ok((parse(&measured)?, measured)),
            Some(2) => {
                let line = measured.stderr.lines().find(|line| line.starts_with("error: "));
                Err(line.unwrap_or("error: without a sentence").replacen("error: ", "", 1))
            }
            _ => Err(measured.complaint()),
        })
    }

    /// Compares estimates with exact distances.
    pub fn accuracy(&self, model: &Path, options: &[&str]) -> Result<AccuracyOutcome> {
        parse(&self.run("accuracy", model, options)?)
    }

    /// Runs several strategies on the same property.
    pub fn compare(&self, model: &Path, options: &[&str]) -> Result<CompareOutcome> {
        parse(&self.run("compare", model, options)?)
    }

    fn run(&self, command: &str, model: &Path, options: &[&str]) -> Result<Measured> {
        self.run_within(command, model, options, Limits::default())
    }

    fn run_within(
        &self,
        command: &str,
        model: &Path,
        options: &[&str],
        limits: Limits,
    ) -> Result<Measured> {
        let mut arguments: Vec<OsString> = vec![command.into(), model.into(), "--json".into()];
        arguments.extend(options.iter().map(OsString::from));
        // One core beside one core, unless threads are what is measured.
        if ["check", "stats"].contains(&command) && !options.contains(&"--threads") {
            arguments.extend(["--threads", "1"].map(OsString::from));
        }
        // Tables compare searches: what the planner would leave out by itself, they say.
        if command == "check" {
            let unsaid = |option: &&str| !options.contains(option);
            let whole = ["--reduction", "--symmetry"].into_iter().filter(unsaid);
            arguments.extend(whole.flat_map(|option| [option, "none"]).map(OsString::from));
        }
        measure(&self.program, &arguments, None, limits)
    }
}

/// Exit codes 0, 1 and 3 are verdicts; with any other there is no object to read.
fn parse<'a, T: Deserialize<'a>>(measured: &'a Measured) -> Result<T> {
    if !matches!(measured.code, Some(0 | 1 | 3)) {
        bail!("{}", measured.complaint());
    }
    serde_json::from_str(&measured.stdout).context("homing printed no readable JSON")
}
