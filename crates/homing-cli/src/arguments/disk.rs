//! What is said of searches on disk.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Budget, Output};
use crate::quantity::{size, size_or_nothing};

pub(super) const RESUME_EXAMPLES: &str = "\
Examples:
  homing check large.dve --strategy breadth --disk /var/tmp/large --memory 1G
  homing resume /var/tmp/large
  homing resume /var/tmp/large --memory 4G --time 8h";

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

    /// Whether to go on with what is there: only `homing resume` says so
    #[arg(skip)]
    pub goes_on: bool,
}

/// Arguments of `homing resume`.
#[derive(Debug, Args)]
pub struct Resume {
    /// The folder that was given with --disk
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

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
