//! `homing-bench prism`: states of the models in PRISM's language, beside published counts.
//!
//! A row for every row of the table of the Quantitative Verification Benchmark Set whose
//! model is kept in PRISM's language, too: what is given to its constants, how many states
//! were published, how many homing counts, or why it does not. The run fails where the two
//! differ.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::Setting;
use crate::corpus::File;
use crate::table::{Report, Row, Table};

/// Arguments of `homing-bench prism`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Leave out models with more states than this
    #[arg(long, default_value_t = 2_000_000)]
    most: u64,
    /// Seconds a model
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// The table to write
    #[arg(long, default_value = "bench/results/prism-states.tsv")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &["model", "constants", "published", "states", "transitions", "remark"];

/// A model, and what is known of it.
struct Counted {
    name: String,
    path: PathBuf,
    constants: String,
    states: u64,
}

/// Counts the states of every model; exit code 1 where they are not as many as published.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = options.setting.homing()?;
    let folder = options.setting.corpus()?.root().join("prob/qvbs");
    let known = Table::read(&folder.join("GROUND-TRUTH-index.tsv"))?;
    let mut report = Report::create(&options.out, COLUMNS)?;
    let time = format!("{}s", options.seconds);
    let (mut models, mut same, mut wrong) = (0, 0, 0);
    for row in known.rows() {
        let Some(model) = counted(&row, &folder)?.filter(|model| model.states <= options.most)
        else {
            continue;
        };
        let mut arguments = vec!["--time", &time, "--memory", "3G", "--threads", "1"];
        if !model.constants.is_empty() {
            arguments.extend(["--const", &model.constants]);
        }
        models += 1;
        let [states, transitions, remark] = match homing.glance(&model.path, &arguments) {
            Ok((stats, _)) if !stats.complete => ["-".into(), "-".into(), "cut off".into()],
            Ok((stats, _)) => {
                same += usize::from(stats.states == model.states);
                wrong += usize::from(stats.states != model.states);
                let remark = if stats.states == model.states { "-" } else { "DIFFERENT" };
                [stats.states.to_string(), stats.transitions.to_string(), remark.into()]
            }
            Err(error) => {
                let sentence = format!("{error:#}").replace(['\t', '\n'], " ");
                ["-".into(), "-".into(), sentence]
            }
        };
        let Counted { name, constants, states: published, .. } = model;
        report.told(&[name, constants, published.to_string(), states, transitions, remark])?;
    }
    let summary = format!("of {models} models {same} have the published states, {wrong} others");
    println!("{summary}");
    report.remark(&summary)?;
    Ok(ExitCode::from(u8::from(wrong > 0)))
}

/// The model of a row, where it is kept in PRISM's language and is no timed automaton.
fn counted(row: &Row, folder: &Path) -> Result<Option<Counted>> {
    let [Some(kind), Some(model), Some(file), Some(states)] =
        ["type", "model", "file", "states"].map(|column| row.text(column))
    else {
        return Ok(None);
    };
    // Where two tools were asked, both counts are given.
    let states = states.split(';').next().and_then(|count| count.parse().ok());
    let place = Path::new(kind).join(model).join(file);
    let named = ["prism", "pm", "nm", "sm"].map(|ending| place.with_extension(ending));
    let found = named.into_iter().find(|name| folder.join(name).is_file());
    let (Some(states), Some(name), true) = (states, found, kind != "pta") else {
        return Ok(None);
    };
    let (name, path) = (name.display().to_string(), folder.join(name));
    let text = File { name: name.clone(), path: path.clone() }.text()?;
    // Some constants are of the file of properties.
    let open = |given: &&str| {
        let name = given.split('=').next().unwrap_or_default();
        !name.is_empty() && text.contains(&format!(" {name};"))
    };
    let given = row.text("params").unwrap_or_default();
    let constants: Vec<&str> = given.split(',').filter(open).collect();
    let constants = constants.join(",").replace("=True", "=true").replace("=False", "=false");
    Ok(Some(Counted { name, path, constants, states }))
}
