//! What reduction leaves, and what it costs.
//!
//! On the Promela models that SPIN explores, beside `pan` with its own reduction
//! (`-DSAFETY`, SPIN's hands off the model otherwise: `-o1 -o2 -o3`); on BEEM, beside
//! the whole state space. Ours must keep deadlocks, failed assertions and run-time
//! errors, and explores breadth first under the proviso for any order; `pan`, depth
//! first, may use the stack.

use std::path::Path;

use anyhow::Result;

use super::Options;
use crate::homing::Homing;
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan};
use crate::table::{Report, Table, cell};

pub const PROMELA: &str = "reduction-promela.tsv";
pub const BEEM: &str = "reduction-beem.tsv";

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

/// Measures both sets.
pub fn run(options: &Options) -> Result<()> {
    promela(options)?;
    beem(options)
}

fn promela(options: &Options) -> Result<()> {
    let (homing, corpus) = (options.common.setting.homing()?, options.common.setting.corpus()?);
    let folder = corpus.promela_folder();
    let known = Table::read(&folder.join("spin-results.tsv"))?;
    let mut report = Report::create(&options.common.out.join(PROMELA), COLUMNS)?;
    for row in known.rows().filter(|row| row.text("spin") == Some("ok")) {
        let Some(name) = row.text("file").filter(|name| options.counts(name, row.number("states")))
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
    let (homing, corpus) = (options.common.setting.homing()?, options.common.setting.corpus()?);
    let mut report = Report::create(&options.common.out.join(BEEM), COLUMNS)?;
    for instance in corpus.beem()? {
        if options.counts(&instance.name, instance.states) {
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

/// States, and the least processor seconds of the whole program: what others do on the
/// machine only adds to them.
fn explore(homing: &Homing, model: &Path, way: &[&str], runs: usize) -> Result<(u64, f64)> {
    let options = [way, &["--time", "60s"]].concat();
    let mut seconds = f64::INFINITY;
    let mut states = 0;
    for _ in 0..runs.max(1) {
        let (stats, measured) = homing.stats(model, &options)?;
        states = stats.states;
        seconds = seconds.min(measured.cpu_seconds);
    }
    Ok((states, seconds))
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
