//! `homing-bench family`: writes models of the papers' families.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::{Model, SEEDS, model, names, timed_names};

/// Arguments of `homing-bench family`.
#[derive(Args)]
pub struct Options {
    /// The model, such as A4, H5, R7 or M2 [default: all, into --out]
    name: Option<String>,
    /// Which of the random systems; all fifteen into --out where this is missing
    #[arg(long)]
    seed: Option<u64>,
    /// The timed model in TChecker's language instead of UPPAAL's
    #[arg(long)]
    tck: bool,
    /// Write into this folder, with a table of the goals, instead of to the output
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Writes the models asked for.
pub fn run(options: &Options) -> Result<ExitCode> {
    match (&options.out, &options.name) {
        (Some(folder), name) => write_all(folder, name.as_deref(), options.seed)?,
        (None, Some(name)) => print!("{}", printed(options, name)?),
        (None, None) => bail!("name a model, as in `homing-bench family H5`, or give --out"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of a model in the language asked for.
fn printed(options: &Options, name: &str) -> Result<String> {
    let model = model(name, options.seed.unwrap_or(1))?;
    match (options.tck, model.twin) {
        (true, Some(twin)) => Ok(twin.text),
        (true, None) => bail!("{name} has no clocks; only timed models are written for TChecker"),
        (false, _) => Ok(model.text),
    }
}

/// Writes a file a model and language, and `goals.tsv`.
fn write_all(folder: &Path, name: Option<&str>, seed: Option<u64>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let all = || names().into_iter().chain(timed_names()).collect();
    let names: Vec<String> = name.map_or_else(all, |name| vec![name.to_string()]);
    let mut goals = String::from("model\tgoal\n");
    for name in names {
        for (file, Model { text, extension, goal, twin }) in instances(&name, seed)? {
            write(&folder.join(format!("{file}.{extension}")), &text)?;
            if let Some(twin) = twin {
                write(&folder.join(format!("{file}.tck")), &twin.text)?;
            }
            let _ = writeln!(goals, "{file}\t{goal}");
        }
    }
    write(&folder.join("goals.tsv"), &goals)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The models called `name`, with the names of their files.
fn instances(name: &str, seed: Option<u64>) -> Result<Vec<(String, Model)>> {
    if !name.starts_with('R') {
        return Ok(vec![(name.to_string(), model(name, 1)?)]);
    }
    let seeds = seed.map_or(SEEDS, |seed| seed..=seed);
    seeds.map(|seed| Ok((format!("{name}-{seed:02}"), model(name, seed)?))).collect()
}
