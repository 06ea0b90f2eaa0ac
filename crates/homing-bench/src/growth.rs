//! `homing-bench growth`: whether the rate holds as the state space grows.
//!
//! Of each family that has both, the instance nearest to one million states and
//! the one nearest to ten million are explored in turn. Within a family the work
//! a state takes is about the same, so the ratio of their rates shows what size
//! alone costs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::corpus::{Instance, family};
use crate::homing::Homing;
use crate::statistics::{geometric_mean, median};
use crate::table::Report;

/// Arguments of `homing-bench growth`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Runs of each instance, of which the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The table to write
    #[arg(long, default_value = "bench/results/growth.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "small",
    "small_states",
    "small_states_per_second",
    "large",
    "large_states",
    "large_states_per_second",
    "large_to_small",
];

/// A family's instance of about one million states and that of about ten.
struct Pair {
    small: Instance,
    large: Instance,
}

/// Explores every pair in turn and prints the ratios.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let mut ratios = Vec::new();
    for pair in pairs(options.setting.corpus()?.beem()?) {
        let mut rates = [Vec::new(), Vec::new()];
        for _ in 0..options.runs.max(1) {
            rates[0].push(rate(&homing, &pair.small)?);
            rates[1].push(rate(&homing, &pair.large)?);
        }
        let [small, large] = rates.map(|rates| median(&rates).unwrap_or(0.0));
        println!(
            "{:20} {:9.0} states/s, {:20} {:9.0} states/s: {:.2}",
            pair.small.name,
            small,
            pair.large.name,
            large,
            large / small
        );
        report.row(&row(&pair, small, large))?;
        ratios.push(large / small);
    }
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = geometric_mean(&ratios).unwrap_or(0.0);
    let summary = format!("large to small: geometric mean {mean:.2}, least {least:.2}");
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::SUCCESS)
}

/// States a second of processor time, the whole program counted.
fn rate(homing: &Homing, instance: &Instance) -> Result<f64> {
    let (stats, measured) = homing.stats(&instance.model, &[])?;
    Ok(stats.states as f64 / measured.cpu_seconds)
}

fn row(pair: &Pair, small: f64, large: f64) -> Vec<String> {
    vec![
        pair.small.name.clone(),
        crate::table::cell(pair.small.states),
        format!("{small:.0}"),
        pair.large.name.clone(),
        crate::table::cell(pair.large.states),
        format!("{large:.0}"),
        format!("{:.2}", large / small),
    ]
}

fn pairs(instances: Vec<Instance>) -> Vec<Pair> {
    let mut families: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
    for instance in instances {
        let family = family(&instance.name).to_owned();
        families.entry(family).or_default().push(instance);
    }
    families
        .into_values()
        .filter_map(|members| {
            Some(Pair {
                small: nearest(&members, 1e6, 0.7e6, 2e6)?,
                large: nearest(&members, 1e7, 5e6, 2e7)?,
            })
        })
        .collect()
}

/// The member between `least` and `most` states whose logarithm is nearest to
/// that of `wanted`.
fn nearest(members: &[Instance], wanted: f64, least: f64, most: f64) -> Option<Instance> {
    let distance = |states: f64| (states / wanted).ln().abs();
    members
        .iter()
        .filter_map(|member| Some((member.states? as f64, member)))
        .filter(|(states, _)| (least..=most).contains(states))
        .min_by(|(a, _), (b, _)| distance(*a).total_cmp(&distance(*b)))
        .map(|(_, member)| member.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(name: &str, states: u64) -> Instance {
        Instance { name: name.to_owned(), states: Some(states), ..Instance::default() }
    }

    #[test]
    fn a_pair_needs_both_sizes_in_one_family() {
        let pairs = pairs(vec![
            instance("a.1", 900_000),
            instance("a.2", 1_900_000),
            instance("a.3", 9_000_000),
            instance("b.1", 1_000_000),
            instance("c.1", 10_000_000),
        ]);
        let names: Vec<_> =
            pairs.iter().map(|pair| (pair.small.name.as_str(), pair.large.name.as_str())).collect();
        assert_eq!(names, [("a.1", "a.3")]);
    }
}
