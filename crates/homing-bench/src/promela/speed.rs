//! Speed and memory on large models, all programs in one run.
//!
//! As `homing-bench spin`, but both read the same Promela text. Transitions
//! are each program's own: `pan` counts a step within an atomic sequence, homing
//! does not, so the rates of models with such sequences favour `pan`.

use anyhow::Result;

use super::Options;
use super::models::File;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{Compression, Pan};
use crate::statistics::median;
use crate::table::Report;

pub const TABLE: &str = "promela-speed.tsv";

const COLUMNS: &[&str] = &[
    "file",
    "states",
    "homing_transitions",
    "pan_transitions",
    "homing_cpu_seconds",
    "pan_cpu_seconds",
    "speed",
    "homing_bytes",
    "homing_tree_bytes",
    "pan_bytes",
    "pan_collapse_bytes",
    "memory",
    "tree_memory",
];

/// Models of more than 500,000 states, with a stack that is large enough for
/// `pan`: it is allocated at once and counts as memory.
const LARGE: &[(&str, u64)] = &[
    ("spins/case_studies/SystemC-TLM/chain_goto_assert0/chain13.spin", 100_000),
    ("beem/at/at.3.pm", 212_000),
    ("beem/bopdp/bopdp.3.pm", 1_000),
    ("beem/lamport/lamport.5.pm", 48_000),
    ("beem/szymanski/szymanski.3.pm", 51_000),
    ("beem/sorter/sorter.3.pm", 2_000),
    ("beem/schedule_world/schedule_world.2.pm", 22_000),
    ("beem/leader_filters/leader_filters.5.pm", 1_000),
    ("beem/szymanski/szymanski.4.pm", 76_000),
    ("beem/needham/needham.4.pm", 1_000),
    ("beem/iprotocol/iprotocol.3.pm", 1_000_000),
    ("beem/rether/rether.4.pm", 1_000_000),
    ("beem/public_subscribe/public_subscribe.2.pm", 1_000_000),
    ("beem/elevator2/elevator2.3.pm", 900_000),
    ("beem/at/at.4.pm", 870_000),
    ("beem/telephony/telephony.4.pm", 1_150_000),
    ("beem/phils/phils.5.pm", 2_000_000),
    ("beem/hanoi/hanoi.2.pm", 2_000_000),
];

const LIMITS: Limits = Limits { memory: Some(8 << 30), seconds: Some(300) };

/// Measures every model of the list.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let models = options.models()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    for (name, depth) in LARGE {
        let Some(model) = models.iter().find(|model| model.name == *name) else { continue };
        let cells = measure(&homing, model, *depth, options.runs.max(1));
        report.measured(name, cells.map(|cells| vec![cells]))?;
    }
    Ok(())
}

fn measure(homing: &Homing, model: &File, depth: u64, runs: usize) -> Result<Vec<String>> {
    let pan = Pan::make(&model.path, Compression::None, LIMITS)?;
    let collapse = Pan::make(&model.path, Compression::Collapse, LIMITS)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (stats, weighed) = homing.stats(&model.path, &[])?;
    // About four slots a state are quickest, one is smallest.
    let slots = stats.states.next_power_of_two().ilog2();
    for _ in 0..runs {
        theirs.push(pan.run(depth, slots + 2, LIMITS)?.1.cpu_seconds);
        ours.push(homing.stats(&model.path, &[])?.1.cpu_seconds);
    }
    let (told, lean) = pan.run(depth, slots, LIMITS)?;
    let (_, collapsed) = collapse.run(depth, slots, LIMITS)?;
    let (_, tree) = homing.stats(&model.path, &["--store", "tree"])?;
    let (ours, theirs) = (median(&ours).unwrap_or(f64::NAN), median(&theirs).unwrap_or(f64::NAN));
    let bytes = |peak: u64| peak as f64 / stats.states as f64;
    let speed = (stats.transitions as f64 / ours) / (told.transitions / theirs);
    Ok(vec![
        model.name.clone(),
        stats.states.to_string(),
        stats.transitions.to_string(),
        format!("{:.0}", told.transitions),
        format!("{ours:.2}"),
        format!("{theirs:.2}"),
        format!("{speed:.2}"),
        format!("{:.1}", bytes(weighed.peak_bytes)),
        format!("{:.1}", bytes(tree.peak_bytes)),
        format!("{:.1}", bytes(lean.peak_bytes)),
        format!("{:.1}", bytes(collapsed.peak_bytes)),
        format!("{:.2}", lean.peak_bytes as f64 / weighed.peak_bytes as f64),
        format!("{:.2}", collapsed.peak_bytes as f64 / tree.peak_bytes as f64),
    ])
}
