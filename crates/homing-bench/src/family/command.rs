//! `homing-bench family`: writes models of the papers' families.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use super::{Model, SEEDS, model, names};

/// Arguments of `homing-bench family`.
#[derive(Args)]
pub struct Options {
    /// The model, such as A4, H5 or R7 [default: all, into --out]
    name: Option<String>,
    /// Which of the random systems; all fifteen into --out where this is missing
    #[arg(long)]
    seed: Option<u64>,
    /// Write into this folder, with a table of the goals, instead of to the output
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Writes the models asked for.
pub fn run(options: &Options) -> Result<ExitCode> {
    match (&options.out, &options.name) {
        (Some(folder), name) => write_all(folder, name.as_deref(), options.seed)?,
        (None, Some(name)) => print!("{}", model(name, options.seed.unwrap_or(1))?.text),
        (None, None) => bail!("name a model, as in `homing-bench family H5`, or give --out"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file a model, and `goals.tsv`.
fn write_all(folder: &Path, name: Option<&str>, seed: Option<u64>) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let names = name.map_or_else(names, |name| vec![name.to_string()]);
    let mut goals = String::from("model\tgoal\n");
    for name in names {
        for (file, Model { text, goal }) in instances(&name, seed)? {
            let path = folder.join(format!("{file}.dve"));
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
            let _ = writeln!(goals, "{file}\t{goal}");
        }
    }
    let path = folder.join("goals.tsv");
    fs::write(&path, goals).with_context(|| format!("cannot write {}", path.display()))
}

/// The models called `name`, with the names of their files.
fn instances(name: &str, seed: Option<u64>) -> Result<Vec<(String, Model)>> {
    if !name.starts_with('R') {
        return Ok(vec![(name.to_string(), model(name, 1)?)]);
    }
    let seeds = seed.map_or(SEEDS, |seed| seed..=seed);
    seeds.map(|seed| Ok((format!("{name}-{seed:02}"), model(name, seed)?))).collect()
}
