//! `homing-bench tree`: what a state takes in the tree-compressed store.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::answers::states_explained;
use crate::statistics::geometric_mean;
use crate::table::Report;

/// Arguments of `homing-bench tree`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out instances with fewer states
    #[arg(long, default_value_t = 5_000_000)]
    min_states: u64,
    /// Leave out instances with more states
    #[arg(long, default_value_t = 15_000_000)]
    max_states: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/tree.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "expected_states",
    "states",
    "store_bytes_per_state",
    "accounted_bytes_per_state",
    "resident_bytes_per_state",
    "cpu_seconds",
];

/// Explores each instance with `--store tree` and prints the geometric means.
/// Fails where the states are not those of the instance: a store that saves
/// memory by mixing up states is worth nothing.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut bytes = [Vec::new(), Vec::new(), Vec::new()];
    let mut differences = 0;
    for instance in options.setting.corpus()?.beem()? {
        let range = options.min_states..=options.max_states;
        let Some(expected) = instance.states.filter(|states| range.contains(states)) else {
            continue;
        };
        let (stats, measured) = homing.stats(&instance.model, &["--store", "tree"])?;
        if !states_explained(&instance, stats.states) {
            println!("{}: {expected} states expected", instance.name);
            differences += 1;
        }
        let states = stats.states as f64;
        let figures = [
            stats.bytes_per_state,
            stats.peak_bytes as f64 / states,
            measured.peak_bytes as f64 / states,
        ];
        println!(
            "{:24} {:10} states, {:6.1} B in the store, {:6.1} B resident",
            instance.name, stats.states, figures[0], figures[2]
        );
        let mut row = vec![instance.name, expected.to_string(), stats.states.to_string()];
        row.extend(figures.iter().map(|figure| format!("{figure:.1}")));
        row.push(format!("{:.2}", measured.cpu_seconds));
        report.row(&row)?;
        for (column, figure) in bytes.iter_mut().zip(figures) {
            column.push(figure);
        }
    }
    let [store, accounted, resident] = bytes.map(|column| geometric_mean(&column).unwrap_or(0.0));
    let summary = format!(
        "geometric means a state: {store:.1} B in the store, \
         {accounted:.1} B accounted, {resident:.1} B resident; \
         {differences} unexplained differences in the number of states"
    );
    println!("{summary}");
    report.remark(&summary)?;
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
