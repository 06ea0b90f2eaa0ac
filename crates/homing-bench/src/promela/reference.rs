//! What SPIN says of a model: known, or found out and remembered.
//!
//! The corpus has SPIN's figures for many models; the others are measured once
//! and kept in a table beside the results, since making and running `pan` on
//! hundreds of models takes long and always gives the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::models::File;
use crate::measure::Limits;
use crate::pan::{PLAIN, Pan, Told};
use crate::table::{Report, Row, Table, cell};

/// SPIN's figures of one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spin {
    /// `ok`, or why there are no figures.
    pub outcome: String,
    /// States without any reduction.
    pub states: Option<u64>,
    /// The first error of a depth-first search, where there is one.
    pub error: Option<String>,
    /// States with SPIN's own optimisations, partial-order reduction apart.
    pub default_states: Option<u64>,
}

impl Spin {
    fn read(row: Row<'_>) -> Spin {
        Spin {
            outcome: row.text("spin").unwrap_or("-").to_owned(),
            states: row.number("states"),
            error: row.text("error").map(str::to_owned),
            default_states: row.number("default_states"),
        }
    }
}

/// All figures known.
pub struct Reference {
    known: BTreeMap<String, Spin>,
    measured: BTreeMap<String, Spin>,
    cache: PathBuf,
}

/// What `pan` may take: it is compared up to a million states.
const LIMITS: Limits = Limits { memory: Some(3 << 30), seconds: Some(20) };

const COLUMNS: &[&str] = &["file", "spin", "states", "error", "default_states"];

impl Reference {
    /// Reads the corpus's figures and those measured before.
    pub fn open(corpus: &Path, cache: PathBuf) -> Result<Reference> {
        let read = |path: &Path| -> Result<BTreeMap<String, Spin>> {
            let table = Table::read(path)?;
            let rows = table
                .rows()
                .filter_map(|row| Some((row.text("file")?.to_owned(), Spin::read(row))));
            Ok(rows.collect())
        };
        let known = read(&corpus.join("spin-results.tsv"))?;
        let measured = if cache.is_file() { read(&cache)? } else { BTreeMap::new() };
        Ok(Reference { known, measured, cache })
    }

    /// SPIN's figures where they are known.
    pub fn known(&self, name: &str) -> Option<&Spin> {
        // A run that ended for lack of time is worth another one.
        let given = self.known.get(name).filter(|spin| spin.outcome != "time");
        self.measured.get(name).or(given)
    }

    /// SPIN's figures, measured where they are not known.
    pub fn ask(&mut self, model: &File) -> Result<Spin> {
        if let Some(spin) = self.known(&model.name) {
            return Ok(spin.clone());
        }
        let spin = measure(&model.path);
        self.measured.insert(model.name.clone(), spin.clone());
        self.keep()?;
        Ok(spin)
    }

    fn keep(&self) -> Result<()> {
        let fresh = self.cache.with_extension("tsv.new");
        let mut report = Report::create_plain(&fresh, COLUMNS)?;
        for (name, spin) in &self.measured {
            report.row(&[
                name.clone(),
                spin.outcome.clone(),
                cell(spin.states),
                cell(spin.error.as_ref()),
                cell(spin.default_states),
            ])?;
        }
        fs::rename(fresh, &self.cache)?;
        Ok(())
    }
}

fn measure(model: &Path) -> Spin {
    let plain = match Pan::make_with(model, PLAIN, &["-O0", "-DNOREDUCE"], LIMITS) {
        Ok(pan) => pan,
        Err(error) => {
            let error = error.to_string();
            let outcome = if error.starts_with("spin") { "rejects" } else { "no pan" };
            return Spin { outcome: outcome.into(), ..Spin::default() };
        }
    };
    let Ok((all, _)) = plain.search(&["-E", "-A", "-c0", "-m5000000"], LIMITS) else {
        return Spin { outcome: "no pan".into(), ..Spin::default() };
    };
    let first = plain.search(&["-m5000000"], LIMITS).ok().and_then(|(told, _)| told.error);
    let default_states = Pan::make_with(model, &[], &["-O0", "-DNOREDUCE"], LIMITS)
        .ok()
        .and_then(|pan| pan.search(&["-E", "-A", "-c0", "-m5000000"], LIMITS).ok())
        .and_then(|(told, _)| complete(&told));
    Spin {
        outcome: all.cut_short.map_or_else(|| ended(&all), str::to_owned),
        states: complete(&all),
        error: first,
        default_states,
    }
}

/// The states of a search that saw everything.
fn complete(told: &Told) -> Option<u64> {
    told.states.filter(|_| told.cut_short.is_none())
}

fn ended(told: &Told) -> String {
    if told.states.is_some() { "ok".into() } else { "time".into() }
}
