//! `homing-bench spin`: speed and memory beside SPIN.
//!
//! On every twin in the list `pan` and `homing stats` explore the whole state
//! space, alternating in one run so that whatever else the machine does hits both
//! alike. Speed is transitions a second of processor time, the whole program
//! counted; memory is the largest resident set a stored state. Medians over the
//! runs; ratios above one are in homing's favour. Runs of one program spread by
//! some 15 %, so differences below 20 % mean nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::Setting;
use crate::corpus::{Corpus, Instance};
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{Compression, Pan};
use crate::statistics::{geometric_mean, median};
use crate::table::Report;
use crate::twins::{LEFT_OUT, TWINS, Twin};

/// Arguments of `homing-bench spin`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Runs of each program, of which the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only these instances, for example `at.3`
    #[arg(long)]
    instance: Vec<String>,
    /// The table to write
    #[arg(long, default_value = "bench/results/spin.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "homing_states",
    "pan_states",
    "homing_transitions",
    "pan_transitions",
    "homing_cpu_seconds",
    "pan_cpu_seconds",
    "pan_collapse_cpu_seconds",
    "homing_transitions_per_second",
    "pan_transitions_per_second",
    "speed",
    "homing_bytes_per_state",
    "homing_tree_bytes_per_state",
    "pan_bytes_per_state",
    "pan_collapse_bytes_per_state",
    "memory",
    "memory_to_collapse",
    "homing_compile_seconds",
    "pan_make_seconds",
];

/// `pan` gets eight gigabytes and ten minutes a run.
const LIMITS: Limits = Limits { memory: Some(8 << 30), seconds: Some(600) };

/// Runs the comparison and prints ratios a twin and their geometric means.
pub fn run(options: &Options) -> Result<ExitCode> {
    let corpus = options.setting.corpus()?;
    let homing = options.setting.homing()?;
    let instances = corpus.beem()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut rows = Vec::new();
    for twin in TWINS {
        let chosen = options.instance.iter().any(|only| only == twin.name);
        if !chosen && !options.instance.is_empty() {
            continue;
        }
        let instance = instances
            .iter()
            .find(|instance| instance.name == twin.name)
            .with_context(|| format!("{} is not in the corpus", twin.name))?;
        let row = compare(&corpus, &homing, instance, twin, options.runs.max(1))
            .with_context(|| twin.name.to_owned())?;
        println!("{}", row.told());
        report.row(&row.cells())?;
        rows.push(row);
    }
    for line in summary(&rows) {
        println!("{line}");
        report.remark(&line)?;
    }
    for (names, reason) in LEFT_OUT {
        report.remark(&format!("left out: {names}: {reason}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What one program did, medians over its runs.
#[derive(Default)]
struct Figures {
    states: f64,
    transitions: f64,
    cpu_seconds: f64,
    peak_bytes: f64,
}

impl Figures {
    fn rate(&self) -> f64 {
        self.transitions / self.cpu_seconds
    }

    fn bytes_per_state(&self) -> f64 {
        self.peak_bytes / self.states
    }
}

/// The runs of one program so far.
#[derive(Default)]
struct Runs {
    states: f64,
    transitions: f64,
    cpu_seconds: Vec<f64>,
    peak_bytes: Vec<f64>,
}

impl Runs {
    fn pan(&mut self, pan: &Pan, depth: u64, slots: u32) -> Result<()> {
        let (report, measured) = pan.run(depth, slots, LIMITS)?;
        self.add(report.states, report.transitions, &measured);
        Ok(())
    }

    /// Returns the seconds of compilation.
    fn homing(&mut self, homing: &Homing, instance: &Instance, store: &str) -> Result<f64> {
        let (stats, measured) = homing.stats(&instance.model, &["--store", store])?;
        self.add(stats.states as f64, stats.transitions as f64, &measured);
        Ok(stats.compile_seconds)
    }

    /// States and transitions are the same in every run of a complete search.
    fn add(&mut self, states: f64, transitions: f64, measured: &crate::measure::Measured) {
        self.states = states;
        self.transitions = transitions;
        self.cpu_seconds.push(measured.cpu_seconds);
        self.peak_bytes.push(measured.peak_bytes as f64);
    }

    fn figures(&self) -> Figures {
        Figures {
            states: self.states,
            transitions: self.transitions,
            cpu_seconds: median(&self.cpu_seconds).unwrap_or(f64::NAN),
            peak_bytes: median(&self.peak_bytes).unwrap_or(f64::NAN),
        }
    }
}

/// A twin's row of the table.
struct Comparison {
    name: &'static str,
    homing: Figures,
    homing_tree: Figures,
    pan: Figures,
    pan_collapse: Figures,
    compile_seconds: f64,
    make_seconds: f64,
}

fn compare(
    corpus: &Corpus,
    homing: &Homing,
    instance: &Instance,
    twin: &'static Twin,
    runs: usize,
) -> Result<Comparison> {
    let promela = corpus.promela(twin.name);
    let pan = Pan::make(&promela, Compression::None, LIMITS)?;
    let pan_collapse = Pan::make(&promela, Compression::Collapse, LIMITS)?;
    let slots = hash_slots(instance.states.unwrap_or(1));
    let mut all: [Runs; 5] = Default::default();
    let [of_homing, of_tree, of_pan, of_lean_pan, of_collapse] = &mut all;
    let mut compile_seconds = Vec::new();
    for _ in 0..runs {
        of_pan.pan(&pan, twin.depth, slots + ROOM)?;
        compile_seconds.push(of_homing.homing(homing, instance, "exact")?);
    }
    // What a complete search takes of memory is the same every time.
    of_lean_pan.pan(&pan, twin.depth, slots)?;
    of_collapse.pan(&pan_collapse, twin.depth, slots)?;
    of_tree.homing(homing, instance, "tree")?;
    let [homing, homing_tree, fast_pan, lean_pan, pan_collapse] = all.map(|runs| runs.figures());
    Ok(Comparison {
        name: twin.name,
        homing,
        homing_tree,
        pan: Figures { peak_bytes: lean_pan.peak_bytes, ..fast_pan },
        pan_collapse,
        compile_seconds: median(&compile_seconds).unwrap_or(f64::NAN),
        make_seconds: pan.make_seconds,
    })
}

/// `pan` is quickest with about four slots a state, by some 15 %, and smallest
/// with one: it is timed with the one table and weighed with the other.
const ROOM: u32 = 2;

/// The least power of two that holds all states.
fn hash_slots(states: u64) -> u32 {
    states.next_power_of_two().ilog2()
}

impl Comparison {
    fn speed(&self) -> f64 {
        self.homing.rate() / self.pan.rate()
    }

    fn memory(&self) -> f64 {
        self.pan.bytes_per_state() / self.homing.bytes_per_state()
    }

    fn memory_to_collapse(&self) -> f64 {
        self.pan_collapse.bytes_per_state() / self.homing.bytes_per_state()
    }

    fn told(&self) -> String {
        format!(
            "{:20} {:6.2} M transitions/s, pan {:5.2}: {:5.1} times; \
             {:5.1} B a state, pan {:5.1} ({:4.1} times), collapsed {:5.1} ({:4.1} times)",
            self.name,
            self.homing.rate() / 1e6,
            self.pan.rate() / 1e6,
            self.speed(),
            self.homing.bytes_per_state(),
            self.pan.bytes_per_state(),
            self.memory(),
            self.pan_collapse.bytes_per_state(),
            self.memory_to_collapse(),
        )
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.name.to_owned()];
        let mut add = |decimals: usize, values: &[f64]| {
            cells.extend(values.iter().map(|value| format!("{value:.decimals$}")));
        };
        let (homing, pan) = (&self.homing, &self.pan);
        add(0, &[homing.states, pan.states]);
        add(0, &[homing.transitions, pan.transitions]);
        add(2, &[homing.cpu_seconds, pan.cpu_seconds, self.pan_collapse.cpu_seconds]);
        add(0, &[homing.rate(), pan.rate()]);
        add(2, &[self.speed()]);
        add(1, &[homing.bytes_per_state(), self.homing_tree.bytes_per_state()]);
        add(1, &[pan.bytes_per_state(), self.pan_collapse.bytes_per_state()]);
        add(2, &[self.memory(), self.memory_to_collapse()]);
        add(3, &[self.compile_seconds, self.make_seconds]);
        cells
    }
}

/// Geometric mean and worst case of each ratio.
fn summary(rows: &[Comparison]) -> Vec<String> {
    let line = |about: &str, ratio: fn(&Comparison) -> f64| {
        let ratios: Vec<_> = rows.iter().map(ratio).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = geometric_mean(&ratios).unwrap_or(f64::NAN);
        format!("{about}: geometric mean {mean:.2}, least {least:.2}")
    };
    vec![
        line("speed, homing to pan", Comparison::speed),
        line("memory, pan to homing", Comparison::memory),
        line("memory, pan with -DCOLLAPSE to homing", Comparison::memory_to_collapse),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_hold_all_states() {
        assert_eq!(hash_slots(1), 0);
        assert_eq!(hash_slots(1 << 20), 20);
        assert_eq!(hash_slots((1 << 20) + 1), 21);
    }

    #[test]
    fn a_row_fills_every_column() {
        let figures =
            || Figures { states: 10.0, transitions: 40.0, cpu_seconds: 2.0, peak_bytes: 100.0 };
        let row = Comparison {
            name: "toy.1",
            homing: figures(),
            homing_tree: figures(),
            pan: figures(),
            pan_collapse: figures(),
            compile_seconds: 0.1,
            make_seconds: 1.0,
        };
        assert_eq!(row.cells().len(), COLUMNS.len());
        assert_eq!((row.speed(), row.memory()), (1.0, 1.0));
    }
}
