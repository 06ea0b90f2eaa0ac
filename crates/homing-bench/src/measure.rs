//! Runs one program and tells what it used.
//!
//! The kernel reports the resources of finished children only summed over all
//! of them, so each measured program gets a parent of its own: `homing-bench`
//! starts itself as `homing-bench measure … -- PROGRAM …`, and that process has
//! exactly one child to be asked about. Processor time includes the child's own
//! children and threads; peak memory is the largest resident set.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::Args;
use nix::sys::resource::{Resource, Usage, UsageWho, getrusage, setrlimit};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};

/// Bounds on a measured program, enforced by the kernel.
#[derive(Args, Clone, Copy, Default)]
pub struct Limits {
    /// Bytes of address space
    #[arg(long)]
    pub memory: Option<u64>,
    /// Seconds of processor time
    #[arg(long)]
    pub seconds: Option<u64>,
}

/// Arguments of the hidden subcommand `measure`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    limits: Limits,
    /// Folder to run the program in
    #[arg(long)]
    folder: Option<PathBuf>,
    /// File the program reads as its standard input
    #[arg(long)]
    input: Option<PathBuf>,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

/// What a program printed and what it used.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Time on the wall in seconds.
    pub seconds: f64,
    /// User and system time in seconds.
    pub cpu_seconds: f64,
    /// Largest resident set in bytes.
    pub peak_bytes: u64,
    /// Exit code, absent when a signal ended the program.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Measured {
    /// The first line of what the program complained about.
    pub fn complaint(&self) -> String {
        let code = self.code.map_or("a signal".to_owned(), |code| format!("exit {code}"));
        let line = self.stderr.lines().find(|line| !line.trim().is_empty());
        format!("{code}: {}", line.unwrap_or("nothing on standard error"))
    }
}

/// Runs `program` in `folder` under `limits` and returns what it used.
pub fn measure(
    program: &Path,
    arguments: &[OsString],
    folder: Option<&Path>,
    limits: Limits,
) -> Result<Measured> {
    measure_reading(program, arguments, folder, None, limits)
}

/// The same for a program that reads the file `input`.
pub fn measure_reading(
    program: &Path,
    arguments: &[OsString],
    folder: Option<&Path>,
    input: Option<&Path>,
    limits: Limits,
) -> Result<Measured> {
    let myself = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(myself);
    command.arg("measure");
    if let Some(bytes) = limits.memory {
        command.arg(format!("--memory={bytes}"));
    }
    if let Some(seconds) = limits.seconds {
        command.arg(format!("--seconds={seconds}"));
    }
    if let Some(folder) = folder {
        command.arg("--folder").arg(folder);
    }
    if let Some(input) = input {
        command.arg("--input").arg(input);
    }
    let output = command
        .arg("--")
        .arg(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start the measuring process")?;
    if !output.status.success() {
        bail!("cannot run {}", program.display());
    }
    serde_json::from_slice(&output.stdout).context("the measuring process printed no figures")
}

/// The measuring process: runs its one child, prints a [`Measured`] as JSON.
pub fn serve(options: &Options) -> Result<ExitCode> {
    restrict(options.limits)?;
    let Some((program, arguments)) = options.program.split_first() else {
        bail!("no program given");
    };
    let mut command = Command::new(program);
    let input = match &options.input {
        Some(path) => File::open(path)
            .with_context(|| format!("cannot read {}", path.display()))
            .map(Stdio::from)?,
        None => Stdio::null(),
    };
    command.args(arguments).stdin(input);
    if let Some(folder) = &options.folder {
        command.current_dir(folder);
    }
    let started = Instant::now();
    let output = command.output().with_context(|| format!("cannot start {}", program.display()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let measured = Measured {
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: cpu_seconds(&usage),
        peak_bytes: u64::try_from(usage.max_rss())? * 1024,
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    println!("{}", serde_json::to_string(&measured)?);
    Ok(ExitCode::SUCCESS)
}

/// Limits are inherited, so the measuring process sets them on itself.
fn restrict(limits: Limits) -> Result<()> {
    if let Some(bytes) = limits.memory {
        setrlimit(Resource::RLIMIT_AS, bytes, bytes)?;
    }
    if let Some(seconds) = limits.seconds {
        setrlimit(Resource::RLIMIT_CPU, seconds, seconds)?;
    }
    Ok(())
}

fn cpu_seconds(usage: &Usage) -> f64 {
    seconds(usage.user_time()) + seconds(usage.system_time())
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
