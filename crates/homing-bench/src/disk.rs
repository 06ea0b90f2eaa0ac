//! `homing-bench disk`: what states on disk take beside states in memory.
//!
//! BEEM instances within bounds on their states are explored by one thread in memory and
//! on disk, in turn. Counts must be the same. Of each, the median of the runs counts;
//! processor time is user and system time.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::Setting;
use crate::corpus::Instance;
use crate::homing::{Homing, Stats};
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, cell};

/// Arguments of `homing-bench disk`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out instances with fewer states
    #[arg(long, default_value_t = 1_000_000)]
    min_states: u64,
    /// Leave out instances with more states
    #[arg(long, default_value_t = 10_000_000)]
    max_states: u64,
    /// The memory limit of searches on disk, as `homing` takes it
    #[arg(long, default_value = "64M")]
    memory: String,
    /// The memory in which they begin, as `homing` takes it
    #[arg(long, default_value = "0")]
    after: String,
    /// Runs of each instance, of which the median counts
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Where the folder of a search is made
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    folder: PathBuf,
    /// The table to write
    #[arg(long, default_value = "bench/results/disk.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "instance",
    "states",
    "levels",
    "memory_cpu_seconds",
    "disk_cpu_seconds",
    "cpu_ratio",
    "memory_seconds",
    "disk_seconds",
    "disk_bytes_per_state",
    "memory_peak_bytes",
    "disk_peak_bytes",
];

/// What the runs of one instance took.
#[derive(Default)]
struct Taken {
    cpu: Vec<f64>,
    wall: Vec<f64>,
    peak: Vec<f64>,
    bytes_per_state: Vec<f64>,
}

/// Explores every instance in turn and prints the ratios.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let (mut ratios, mut bytes) = (Vec::new(), Vec::new());
    for instance in options.setting.corpus()?.beem()? {
        let states = instance.states.unwrap_or(0);
        if !(options.min_states..=options.max_states).contains(&states) {
            continue;
        }
        let (levels, [memory, disk]) = compare(&homing, &instance, options)?;
        let of = |numbers: &[f64]| median(numbers).unwrap_or(0.0);
        let (memory_cpu, disk_cpu) = (of(&memory.cpu), of(&disk.cpu));
        let (ratio, each) = (disk_cpu / memory_cpu, of(&disk.bytes_per_state));
        println!(
            "{:24} {states:10} states, CPU {ratio:.2}, {each:.1} bytes a state",
            instance.name
        );
        report.row(&[
            instance.name.clone(),
            cell(instance.states),
            levels.to_string(),
            format!("{memory_cpu:.3}"),
            format!("{disk_cpu:.3}"),
            format!("{ratio:.3}"),
            format!("{:.3}", of(&memory.wall)),
            format!("{:.3}", of(&disk.wall)),
            format!("{each:.2}"),
            format!("{:.0}", of(&memory.peak)),
            format!("{:.0}", of(&disk.peak)),
        ])?;
        ratios.push(ratio);
        bytes.push(each);
    }
    let mean = |numbers: &[f64]| geometric_mean(numbers).unwrap_or(0.0);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    let summary = format!(
        "{} instances on disk with {}, to memory, geometric means: CPU {:.3} (most {most:.2}), \
         {:.2} bytes a state",
        ratios.len(),
        options.memory,
        mean(&ratios),
        mean(&bytes)
    );
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::SUCCESS)
}

/// In memory and on disk in turn. Answers the levels, too.
fn compare(homing: &Homing, instance: &Instance, options: &Options) -> Result<(u64, [Taken; 2])> {
    let folder = options.folder.join(format!("homing-bench-disk-{}", std::process::id()));
    let folder = folder.to_string_lossy().into_owned();
    let (memory, after) = (options.memory.as_str(), options.after.as_str());
    let in_memory = ["--threads", "1"];
    let on_disk = ["--disk", &folder, "--memory", memory, "--disk-after", after];
    let mut taken = [Taken::default(), Taken::default()];
    let (mut first, mut levels) = (None, 0);
    for _ in 0..options.runs.max(1) {
        for (arguments, taken) in [&in_memory[..], &on_disk[..]].into_iter().zip(&mut taken) {
            let (stats, measured) = homing.stats(&instance.model, arguments)?;
            let counted = counts(&stats);
            if *first.get_or_insert(counted) != counted {
                bail!("{}: {arguments:?} counts {counted:?}, not {first:?}", instance.name);
            }
            levels = stats.levels;
            taken.cpu.push(measured.cpu_seconds);
            taken.wall.push(measured.seconds);
            taken.peak.push(measured.peak_bytes as f64);
            taken.bytes_per_state.push(stats.bytes_per_state);
        }
    }
    Ok((levels, taken))
}

fn counts(stats: &Stats) -> [u64; 4] {
    [stats.states, stats.transitions, stats.deadlocks, stats.levels]
}
