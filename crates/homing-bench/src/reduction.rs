//! `homing-bench reduction`: what partial-order reduction leaves, and what it costs.
//!
//! On the Promela models that SPIN explores, beside `pan` with its own reduction
//! (`-DSAFETY`, SPIN's hands off the model otherwise: `-o1 -o2 -o3`); on BEEM, beside
//! the whole state space. Ours must keep deadlocks, failed assertions and run-time
//! errors, and explores breadth first under the proviso for any order; `pan`, depth
//! first, may use the stack.
//!
//! Where nothing is left out, the time a state takes more is what the attempt costs.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::Setting;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan};
use crate::statistics::{geometric_mean, median};
use crate::table::{Report, Row, Table, cell};

/// Arguments of `homing-bench reduction`.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    setting: Setting,
    /// Only models whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// The least states a model has
    #[arg(long, default_value_t = 500)]
    least: u64,
    /// The most states a model has
    #[arg(long, default_value_t = 300_000)]
    most: u64,
    /// Runs of each model, of which the median time counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only make the page from the tables
    #[arg(long)]
    page: bool,
    /// Folder of the tables and the page
    #[arg(long, default_value = "bench/results")]
    out: PathBuf,
}

const PROMELA: &str = "reduction-promela.tsv";
const BEEM: &str = "reduction-beem.tsv";

const COLUMNS: &[&str] = &[
    "model",
    "states",
    "static_states",
    "stubborn_states",
    "spin_reduced_states",
    "seconds",
    "static_seconds",
    "stubborn_seconds",
    "note",
];

/// What SPIN may take.
const LIMITS: Limits = Limits { memory: Some(3 << 30), seconds: Some(30) };

/// Measures both sets and writes the page.
pub fn run(options: &Options) -> Result<ExitCode> {
    if !options.page {
        promela(options)?;
        beem(options)?;
    }
    page(&options.out)?;
    Ok(ExitCode::SUCCESS)
}

impl Options {
    fn wants(&self, name: &str, states: Option<u64>) -> bool {
        let fits = states.is_some_and(|states| (self.least..=self.most).contains(&states));
        fits && self.only.as_ref().is_none_or(|only| name.contains(only))
    }
}

fn promela(options: &Options) -> Result<()> {
    let (homing, corpus) = (options.setting.homing()?, options.setting.corpus()?);
    let folder = corpus.promela_folder();
    let known = Table::read(&folder.join("spin-results.tsv"))?;
    let mut report = Report::create(&options.out.join(PROMELA), COLUMNS)?;
    for row in known.rows().filter(|row| row.text("spin") == Some("ok")) {
        let Some(name) = row.text("file").filter(|name| options.wants(name, row.number("states")))
        else {
            continue;
        };
        let spin = spin_reduced(&folder.join(name));
        let measured = measure(&homing, &folder.join(name), options.runs);
        report.row(&measured.cells(name, spin))?;
        println!("{name}: {}", measured.cells(name, spin)[1..5].join(" "));
    }
    Ok(())
}

fn beem(options: &Options) -> Result<()> {
    let (homing, corpus) = (options.setting.homing()?, options.setting.corpus()?);
    let mut report = Report::create(&options.out.join(BEEM), COLUMNS)?;
    for instance in corpus.beem()? {
        if options.wants(&instance.name, instance.states) {
            let measured = measure(&homing, &instance.model, options.runs);
            report.row(&measured.cells(&instance.name, None))?;
            println!("{}: {}", instance.name, measured.cells("", None)[1..4].join(" "));
        }
    }
    Ok(())
}

/// The states that `pan` keeps with its own reduction.
fn spin_reduced(model: &Path) -> Option<u64> {
    let pan = Pan::make_with(model, PLAIN, &["-O0"], LIMITS).ok()?;
    let (told, _) = pan.search(&["-E", "-A", "-c0", "-m5000000"], LIMITS).ok()?;
    told.states.filter(|_| told.cut_short.is_none())
}

/// What homing says of a model: plain, by tables, by stubborn sets.
struct Measured {
    runs: [Option<(u64, f64)>; 3],
    note: String,
}

fn measure(homing: &Homing, model: &Path, runs: usize) -> Measured {
    let ways: [&[&str]; 3] = [&[], &["--reduction", "static"], &["--reduction", "stubborn"]];
    let mut note = String::new();
    let found = ways.map(|way| match explore(homing, model, way, runs) {
        Ok(found) => Some(found),
        Err(error) => {
            note = error.to_string().replace(['\n', '\t'], " ");
            None
        }
    });
    Measured { runs: found, note }
}

/// States, and the median of the processor seconds of the whole program.
fn explore(homing: &Homing, model: &Path, way: &[&str], runs: usize) -> Result<(u64, f64)> {
    let options = [way, &["--time", "60s"]].concat();
    let mut seconds = Vec::new();
    let mut states = 0;
    for _ in 0..runs.max(1) {
        let (stats, measured) = homing.stats(model, &options)?;
        states = stats.states;
        seconds.push(measured.cpu_seconds);
    }
    Ok((states, median(&seconds).unwrap_or(0.0)))
}

impl Measured {
    fn cells(&self, name: &str, spin: Option<u64>) -> Vec<String> {
        let states = self.runs.map(|run| cell(run.map(|(states, _)| states)));
        let seconds = self.runs.map(|run| cell(run.map(|(_, seconds)| format!("{seconds:.4}"))));
        let mut cells = vec![name.to_owned()];
        cells.extend(states);
        cells.push(cell(spin));
        cells.extend(seconds);
        cells.push(if self.note.is_empty() { "-".into() } else { self.note.clone() });
        cells
    }
}

const HEAD: &str = "# Partial-order reduction\n\n\
Made by `homing-bench reduction` from the tables `reduction-*.tsv` beside this page: \
`homing stats`, breadth first, whole, and with `--reduction static` and `--reduction stubborn`, \
which here keep deadlocks, failed assertions and run-time errors. SPIN is 6.5.2, \
`spin -a -o1 -o2 -o3`, `gcc -DSAFETY -DNOCLAIM` with its own reduction, `pan -E -A -c0`.\n";

/// Writing to a text cannot fail.
macro_rules! add {
    ($page:expr, $($text:tt)*) => { let _ = writeln!($page, $($text)*); };
}

fn page(folder: &Path) -> Result<()> {
    let mut page = String::from(HEAD);
    let mut all = Vec::new();
    for (name, title) in [(PROMELA, "Promela"), (BEEM, "BEEM")] {
        let path = folder.join(name);
        if path.is_file() {
            let table = Table::read(&path)?;
            section(&table, title, &mut page);
            all.push(table);
        }
    }
    overhead(&all, &mut page);
    let path = folder.join("reduction.md");
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

fn section(table: &Table, title: &str, page: &mut String) {
    add!(page, "\n## {title}\n");
    let ratio = |of: &str, to: &str| {
        let both = table.rows().filter_map(|row| ratio(row, of, to));
        let ratios: Vec<f64> = both.collect();
        (ratios.len(), geometric_mean(&ratios).unwrap_or(1.0))
    };
    add!(page, "| states | models | geometric mean of the ratio |\n|---|---|---|");
    for (what, of, to) in [
        ("SPIN reduced, to the whole", "spin_reduced_states", "states"),
        ("static, to the whole", "static_states", "states"),
        ("stubborn, to the whole", "stubborn_states", "states"),
        ("static, to SPIN reduced", "static_states", "spin_reduced_states"),
        ("stubborn, to SPIN reduced", "stubborn_states", "spin_reduced_states"),
    ] {
        let (models, mean) = ratio(of, to);
        if models > 0 {
            add!(page, "| {what} | {models} | {mean:.2} |");
        }
    }
    add!(page, "\n| model | states | static | stubborn | SPIN reduced |\n|---|---|---|---|---|");
    for row in table.rows() {
        let show = |column| row.text(column).unwrap_or("–");
        let [name, whole] = ["model", "states"].map(show);
        let reduced = ["static_states", "stubborn_states", "spin_reduced_states"].map(show);
        add!(page, "| {name} | {whole} | {} |", reduced.join(" | "));
    }
}

fn ratio(row: Row<'_>, of: &str, to: &str) -> Option<f64> {
    let number = |column: &str| row.text(column)?.parse::<f64>().ok().filter(|n| *n > 0.0);
    Some(number(of)? / number(to)?)
}

/// States from which on a time is long enough to be measured.
const TIMED: u64 = 50_000;

fn overhead(tables: &[Table], page: &mut String) {
    add!(page, "\n## Where nothing is left out\n");
    add!(
        page,
        "Models of {TIMED} states and more of which at least 99 % are left: processor time, of \
         the whole program, with the reduction to that without.\n"
    );
    add!(page, "| reduction | models | geometric mean | worst |\n|---|---|---|---|");
    for reduction in ["static", "stubborn"] {
        let states = format!("{reduction}_states");
        let seconds = format!("{reduction}_seconds");
        let rows = tables.iter().flat_map(Table::rows);
        let idle = rows.filter(|row| {
            row.number("states").is_some_and(|states| states >= TIMED)
                && ratio(*row, &states, "states").is_some_and(|left| left > 0.99)
        });
        let ratios: Vec<f64> = idle.filter_map(|row| ratio(row, &seconds, "seconds")).collect();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        let mean = geometric_mean(&ratios).unwrap_or(1.0);
        add!(page, "| {reduction} | {} | {mean:.2} | {worst:.2} |", ratios.len());
    }
}
