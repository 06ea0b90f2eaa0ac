//! What is said of searches that outlast their process: on disk, or kept in a file.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::shared::{Budget, Output};
use crate::quantity::{duration, size, size_or_nothing};

pub(super) const RESUME_EXAMPLES: &str = "\
Examples:
  homing check large.dve --strategy breadth --disk /var/tmp/large --memory 1G
  homing resume /var/tmp/large
  homing resume /var/tmp/large --memory 4G --time 8h
  homing check large.dve --strategy 'astar(fsm)' --checkpoint large.kept --every 1h
  homing resume large.kept";

/// Where states go that memory does not hold.
#[derive(Debug, Args)]
pub struct Disk {
    /// Go on in this folder where memory ends
    ///
    /// The strategy is `breadth`, or `astar` with an estimate. Memory stays within --memory,
    /// whatever the number of states. The folder is removed at the end. If the search is
    /// stopped or killed, `homing resume` goes on with it.
    #[arg(long, value_name = "DIR")]
    pub disk: Option<PathBuf>,

    /// Stop at this much on disk, as in 100G
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "disk")]
    pub disk_limit: Option<usize>,

    /// Go to disk when states take this much memory; 0: at once
    ///
    /// Without: three tenths of --memory, at most 1 GiB. What is in memory only is lost where
    /// the process is killed.
    #[arg(long, value_name = "SIZE", value_parser = size_or_nothing, requires = "disk")]
    pub disk_after: Option<usize>,

    /// Keep a search in memory in this file, to go on with
    ///
    /// It is written every ten minutes, or as --every says, and when the search is stopped, by
    /// a limit, Ctrl-C or SIGTERM; `homing resume` goes on from there, and comes to the same.
    /// The file is removed at the end. The strategy is `breadth`, `dijkstra`, `astar`, `greedy`,
    /// `weighted` or `k-best`; one thread searches.
    #[arg(long, value_name = "FILE", conflicts_with = "disk")]
    pub checkpoint: Option<PathBuf>,

    /// Write the checkpoint so often, as in 10min
    #[arg(long, value_name = "DURATION", value_parser = duration,
          requires = "checkpoint", default_value = "10min")]
    pub every: Duration,

    /// Whether to go on with what is there: only `homing resume` says so
    #[arg(skip)]
    pub goes_on: bool,

    /// Whether to help who searches there: only `homing work` says so
    #[arg(skip)]
    pub works: bool,
}

pub(super) const WORK_EXAMPLES: &str = "\
Examples:
  homing stats large.dve --disk /net/large
  homing work /net/large
  homing work /net/large --memory 2G --time 8h";

/// Arguments of `homing work`.
#[derive(Debug, Args)]
pub struct Work {
    /// The folder that was given with --disk
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// What it may use
    #[command(flatten)]
    pub budget: Budget,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,
}

/// Arguments of `homing resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// The folder that was given with --disk, or the file with --checkpoint
    #[arg(value_name = "DIR|FILE")]
    pub place: PathBuf,

    /// What it may use from now on, of memory and time
    #[command(flatten)]
    pub budget: Budget,

    /// Stop at this much on disk, as in 100G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub disk_limit: Option<usize>,

    /// How results are printed
    #[command(flatten)]
    pub output: Output,
}
