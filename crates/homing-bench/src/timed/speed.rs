//! Zones a second and bytes a zone, beside TChecker.
//!
//! Everything is explored breadth-first, with the same extrapolation (LU+, by
//! location) and subsumption. A zone is *visited* when it is taken from the
//! queue. Programs run in turn, and the median of their processor time counts,
//! start-up and reading included. Bytes are the largest resident set beyond that
//! of the same program on a model of a few zones, divided by the zones stored.

use std::path::Path;

use anyhow::{Context, Result};

use super::Options;
use super::models::File;
use super::tchecker::TChecker;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::statistics::median;
use crate::table::Report;

pub const TABLE: &str = "timed-speed.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "subsumption",
    "tchecker_stored",
    "homing_stored",
    "tchecker_visited",
    "homing_visited",
    "tchecker_cpu_seconds",
    "homing_cpu_seconds",
    "tchecker_rate",
    "homing_rate",
    "speed",
    "tchecker_peak_mb",
    "homing_peak_mb",
    "tchecker_bytes",
    "homing_bytes",
    "memory",
];

/// Models of TChecker with 1,000 zones or more, and the UPPAAL model that is the
/// same system, where there is one. (`mutex_2_1_2.xml` has another delay than
/// `mutex_2.tck`.)
const MODELS: &[(&str, &str)] = &[
    ("tchecker-generated/leader-election_4.tck", ""),
    ("tchecker-generated/leader-election_5.tck", ""),
    ("tchecker-generated/critical-region_3.tck", ""),
    ("tchecker-generated/critical-region_4.tck", ""),
    ("ticktac-generated/tck/fischer_6.tck", "ticktac-generated/fischer_6_10_10.xml"),
    ("ticktac-generated/tck/fischer-TY_5.tck", "ticktac-generated/fischer-TY_5_10_10.xml"),
    ("ticktac-generated/tck/fischer-TY_6.tck", "ticktac-generated/fischer-TY_6_10_10.xml"),
    ("ticktac-generated/tck/mutex_2.tck", ""),
    ("ticktac-generated/tck/mutex_3.tck", ""),
    ("ticktac-generated/tck/arbiter_tree_3.tck", "ticktac-generated/arbiter_tree_3.xml"),
];

/// A model of a few zones.
const SMALL: &str = "tchecker-generated/fischer_2.tck";

const LIMITS: Limits = Limits { memory: Some(8 << 30), seconds: Some(120) };

/// Above so many seconds a program is run once.
const LONG: f64 = 5.0;

/// TChecker's algorithm and our subsumption.
const ALGORITHMS: &[(&str, &str)] = &[("covreach", "inclusion"), ("aLU-covreach", "alu")];

/// Measures every model of the list.
pub fn run(options: &Options) -> Result<()> {
    let bench = Bench {
        homing: options.common.setting.homing()?,
        tchecker: options.tchecker(),
        runs: options.runs.max(1),
    };
    let models = options.models()?;
    let small = options.folder()?.join(SMALL);
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    for (algorithm, subsumption) in ALGORITHMS {
        let start = bench.start(&small, algorithm, subsumption)?;
        for (name, twin) in MODELS {
            let Some(model) = models.iter().find(|model| model.name == *name) else { continue };
            let twin = models.iter().find(|model| model.name == *twin);
            let rows = bench.measure(model, twin, algorithm, subsumption, start);
            report.measured(name, rows)?;
        }
    }
    Ok(())
}

struct Bench {
    homing: Homing,
    tchecker: TChecker,
    runs: usize,
}

/// What one program took.
struct Run {
    stored: u64,
    visited: u64,
    seconds: f64,
    peak: u64,
}

impl Run {
    fn rate(&self) -> f64 {
        self.visited as f64 / self.seconds
    }

    fn bytes(&self, start: u64) -> f64 {
        self.peak.saturating_sub(start) as f64 / self.stored as f64
    }
}

impl Bench {
    /// The resident set of both programs on a small model.
    fn start(&self, model: &Path, algorithm: &str, subsumption: &str) -> Result<(u64, u64)> {
        Ok((self.theirs(model, algorithm)?.peak, self.ours(model, subsumption)?.peak))
    }

    fn theirs(&self, model: &Path, algorithm: &str) -> Result<Run> {
        let found = self.tchecker.search(model, algorithm, "bfs", &[], LIMITS)?;
        let (told, measured) = found.context("TChecker did not finish")?;
        Ok(Run {
            stored: told.stored,
            visited: told.visited,
            seconds: measured.cpu_seconds,
            peak: measured.peak_bytes,
        })
    }

    fn ours(&self, model: &Path, subsumption: &str) -> Result<Run> {
        let settings = ["--extrapolation", "lu+", "--subsumption", subsumption];
        let mut options = vec!["--property", "errors", "--strategy", "breadth"];
        options.extend(["--no-pass", "slice", "--no-pass", "dead"]);
        options.extend(settings);
        let checked = self.homing.try_check(model, &options, LIMITS)?;
        let (check, measured) = checked.map_err(anyhow::Error::msg)?;
        let result = check.results.first().context("no result")?;
        anyhow::ensure!(result.verdict == "holds", "homing: {}", result.reason);
        Ok(Run {
            // With those that were covered, and are kept for traces.
            stored: result.statistics.stored,
            visited: result.statistics.expanded,
            seconds: measured.cpu_seconds,
            peak: measured.peak_bytes,
        })
    }

    fn measure(
        &self,
        model: &File,
        twin: Option<&File>,
        algorithm: &str,
        subsumption: &str,
        start: (u64, u64),
    ) -> Result<Vec<Vec<String>>> {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..self.runs {
            theirs.push(self.theirs(&model.path, algorithm)?);
            ours.push(self.ours(&model.path, subsumption)?);
            if theirs.iter().any(|run| run.seconds > LONG) {
                break;
            }
        }
        let (theirs, ours) = (typical(theirs)?, typical(ours)?);
        let mut rows = vec![self.row(model, subsumption, &theirs, &ours, start)?];
        if let Some(twin) = twin {
            let runs: Result<Vec<Run>> =
                (0..self.runs).map(|_| self.ours(&twin.path, subsumption)).collect();
            rows.push(self.row(twin, subsumption, &theirs, &typical(runs?)?, start)?);
        }
        Ok(rows)
    }

    fn row(
        &self,
        model: &File,
        subsumption: &str,
        theirs: &Run,
        ours: &Run,
        start: (u64, u64),
    ) -> Result<Vec<String>> {
        let settings = ["--extrapolation", "lu+", "--subsumption", subsumption];
        let stored = self.homing.stats(&model.path, &settings)?.0.states;
        let ours = Run { stored, ..*ours };
        let (their_bytes, our_bytes) = (theirs.bytes(start.0), ours.bytes(start.1));
        let megabytes = |peak: u64| format!("{:.1}", peak as f64 / 1e6);
        Ok(vec![
            model.name.clone(),
            subsumption.to_owned(),
            theirs.stored.to_string(),
            ours.stored.to_string(),
            theirs.visited.to_string(),
            ours.visited.to_string(),
            format!("{:.3}", theirs.seconds),
            format!("{:.3}", ours.seconds),
            format!("{:.0}", theirs.rate()),
            format!("{:.0}", ours.rate()),
            format!("{:.2}", ours.rate() / theirs.rate()),
            megabytes(theirs.peak),
            megabytes(ours.peak),
            format!("{their_bytes:.0}"),
            format!("{our_bytes:.0}"),
            format!("{:.2}", their_bytes / our_bytes),
        ])
    }
}

/// The figures of several runs, with the median of their times.
fn typical(runs: Vec<Run>) -> Result<Run> {
    let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    let peak = runs.iter().map(|run| run.peak).min().unwrap_or(0);
    let seconds = median(&seconds).context("no run")?;
    let last = runs.into_iter().next_back().context("no run")?;
    Ok(Run { seconds, peak, ..last })
}
