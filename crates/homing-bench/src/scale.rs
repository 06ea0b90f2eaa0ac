//! `homing-bench scale`: what several threads take and save.
//!
//! BEEM instances within bounds on their states are explored by one thread and by several,
//! in turn. Counts must be the same. Of each, the median of the runs counts; processor time
//! is user and system time of all threads.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::Setting;
use crate::corpus::Instance;
use crate::homing::{Homing, Stats};
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, cell};

/// Arguments of `homing-bench scale`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out instances with fewer states
    #[arg(long, default_value_t = 2_000_000)]
    min_states: u64,
    /// Leave out instances with more states
    #[arg(long, default_value_t = 10_000_000)]
    max_states: u64,
    /// How many threads are compared with one
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Runs of each instance, of which the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The table to write
    #[arg(long, default_value = "bench/results/scale.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "states",
    "one_cpu_seconds",
    "many_cpu_seconds",
    "cpu_ratio",
    "one_seconds",
    "many_seconds",
    "seconds_ratio",
    "one_peak_bytes",
    "many_peak_bytes",
];

/// What the runs of one instance by so many threads took.
#[derive(Default)]
struct Taken {
    cpu: Vec<f64>,
    wall: Vec<f64>,
    peak: Vec<f64>,
}

/// Explores every instance in turn and prints the ratios.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for instance in options.setting.corpus()?.beem()? {
        let states = instance.states.unwrap_or(0);
        if !(options.min_states..=options.max_states).contains(&states) {
            continue;
        }
        let [one, many] = compare(&homing, &instance, options)?;
        let ratio = |of: fn(&Taken) -> &Vec<f64>| {
            let [one, many] = [&one, &many].map(|taken| median(of(taken)).unwrap_or(0.0));
            (one, many, many / one)
        };
        let (cpu_one, cpu_many, cpu_ratio) = ratio(|taken| &taken.cpu);
        let (wall_one, wall_many, wall_ratio) = ratio(|taken| &taken.wall);
        let (peak_one, peak_many, _) = ratio(|taken| &taken.peak);
        println!(
            "{:24} {states:10} states, CPU {cpu_ratio:.2}, wall {wall_ratio:.2}",
            instance.name
        );
        let seconds = |seconds: f64| format!("{seconds:.3}");
        report.row(&[
            instance.name.clone(),
            cell(instance.states),
            seconds(cpu_one),
            seconds(cpu_many),
            format!("{cpu_ratio:.3}"),
            seconds(wall_one),
            seconds(wall_many),
            format!("{wall_ratio:.3}"),
            format!("{peak_one:.0}"),
            format!("{peak_many:.0}"),
        ])?;
        cpu.push(cpu_ratio);
        wall.push(wall_ratio);
    }
    let mean = |ratios: &[f64]| geometric_mean(ratios).unwrap_or(0.0);
    let most = cpu.iter().copied().fold(0.0, f64::max);
    let summary = format!(
        "{} instances, {} threads to one, geometric means: CPU {:.3} (most {most:.2}), wall {:.3}",
        cpu.len(),
        options.threads,
        mean(&cpu),
        mean(&wall)
    );
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::SUCCESS)
}

/// One thread and several in turn.
fn compare(homing: &Homing, instance: &Instance, options: &Options) -> Result<[Taken; 2]> {
    let mut taken = [Taken::default(), Taken::default()];
    let mut first = None;
    for _ in 0..options.runs.max(1) {
        for (threads, taken) in [1, options.threads].into_iter().zip(&mut taken) {
            let (stats, measured) =
                homing.stats(&instance.model, &["--threads", &threads.to_string()])?;
            let counted = counts(&stats);
            if *first.get_or_insert(counted) != counted {
                bail!("{}: {threads} threads count {counted:?}, not {first:?}", instance.name);
            }
            taken.cpu.push(measured.cpu_seconds);
            taken.wall.push(measured.seconds);
            taken.peak.push(measured.peak_bytes as f64);
        }
    }
    Ok(taken)
}

fn counts(stats: &Stats) -> [u64; 4] {
    [stats.states, stats.transitions, stats.deadlocks, stats.levels]
}
