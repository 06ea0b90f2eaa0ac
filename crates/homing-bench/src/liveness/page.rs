//! `liveness.md`, made from the tables.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::{found, speed, spin, verdicts};
use crate::page::{Section, add, cells};
use crate::statistics::{geometric_mean, median};
use crate::table::{Row, Table};

/// Writes the page into the folder of the tables.
pub fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, Section); 4] = [
        (verdicts::TABLE, answered),
        (spin::TABLE, beside_spin),
        (speed::TABLE, fast),
        (found::TABLE, soon),
    ];
    crate::page::write(folder, ("liveness.md", HEAD), parts)
}

const HEAD: &str = "# Temporal formulas beside known answers and SPIN\n\n\
Made by `homing-bench liveness` from the tables `liveness*.tsv` beside this page; the first \
line of each is the command, which says the limits.\n";

/// How often each result occurs.
fn tally(table: &Table, page: &mut String) {
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    for row in table.rows() {
        *results.entry(row.text("result").unwrap_or("-")).or_default() += 1;
    }
    add!(page, "| formulas | result |\n|---:|---|");
    for (result, count) in results {
        add!(page, "| {count} | {result} |");
    }
}

fn answered(table: &Table, page: &mut String) {
    add!(page, "\n## Formulas for BEEM's models\n");
    add!(
        page,
        "`homing check MODEL --ltl FORMULA`, compared with the known answer. In some files a \
         formula and its negation are both said to hold: nothing is known of these.\n"
    );
    tally(table, page);
    let bad = |row: &Row<'_>| matches!(row.text("result"), Some("wrong" | "refused" | "explained"));
    if table.rows().any(|row| bad(&row)) {
        add!(page, "\n| formula | known | ours | why |\n|---|---|---|---|");
        for row in table.rows().filter(bad) {
            cells(row, &["formula", "known", "verdict", "note"], page);
        }
    }
}

fn beside_spin(table: &Table, page: &mut String) {
    add!(page, "\n## Formulas in Promela beside `pan -a`\n");
    tally(table, page);
    let odd = |row: &Row<'_>| row.text("result") != Some("equal");
    add!(page, "\n| model | formula | `pan` | ours | note |\n|---|---|---|---|---|");
    for row in table.rows().filter(odd) {
        cells(row, &["file", "formula", "pan", "homing", "note"], page);
    }
}

fn fast(table: &Table, page: &mut String) {
    add!(page, "\n## Large products beside `pan -a`\n");
    add!(
        page,
        "Formulas that hold, without reduction. Product states stored a processor second, ours \
         by `pan`'s, and `pan`'s processor seconds by ours: above one is in our favour. The rates \
         are what is compared. The products differ: `pan` has its own automaton, and keeps the \
         values of dead variables here (`-o2`), which homing resets; so the times say more of \
         that than of speed.\n"
    );
    let ratios = |row: &Row<'_>, strategy: &str| -> Option<(f64, f64)> {
        let [states, seconds] = ["states", "seconds"].map(|of| format!("{strategy}_{of}"));
        let times = row.real("pan_seconds")? / row.real(&seconds)?.max(0.01);
        Some((row.real(&states)? / row.real("pan_states")? * times, times))
    };
    // Short runs measure how long a program takes to start.
    let long = |row: &Row<'_>| {
        row.text("result") == Some("holds")
            && row.real("pan_seconds").is_some_and(|seconds| seconds >= 0.5)
    };
    add!(page, "| strategy | formulas | rates, geometric mean | least | times, geometric mean |");
    add!(page, "|---|---:|---:|---:|---:|");
    for strategy in speed::STRATEGIES {
        let all: Vec<_> =
            table.rows().filter(long).filter_map(|row| ratios(&row, strategy)).collect();
        let (rates, times): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        if let (Some(rate), Some(time)) = (geometric_mean(&rates), geometric_mean(&times)) {
            let count = rates.len();
            add!(page, "| `{strategy}` | {count} | {rate:.2} | {least:.2} | {time:.2} |");
        }
    }
    add!(page, "\n| model | formula | `pan` states | s | ours, `couvreur` | s | rates |");
    add!(page, "|---|---|---:|---:|---:|---:|---:|");
    for row in table.rows() {
        let cell = |column| row.text(column).unwrap_or("–").replace('|', "\\|");
        let rate =
            ratios(&row, "couvreur").map_or("–".to_owned(), |(rate, _)| format!("{rate:.2}"));
        add!(
            page,
            "| {} | `{}` | {} | {} | {} | {} | {rate} |",
            cell("file"),
            cell("formula"),
            cell("pan_states"),
            cell("pan_seconds"),
            cell("couvreur_states"),
            cell("couvreur_seconds"),
        );
    }
}

fn soon(table: &Table, page: &mut String) {
    let mut rows: BTreeMap<&str, BTreeMap<&str, Row<'_>>> = BTreeMap::new();
    for row in table.rows() {
        if let (Some(formula), Some(strategy)) = (row.text("formula"), row.text("strategy")) {
            rows.entry(formula).or_default().insert(strategy, row);
        }
    }
    add!(page, "\n## Violated formulas: how soon, how long a run\n");
    let [ours, plain] = found::STRATEGIES else { return };
    let both = |column: &str| -> Vec<f64> {
        let found = |row: &Row<'_>| row.text("verdict") == Some("violated");
        rows.values()
            .filter_map(|row| Some((row.get(ours)?, row.get(plain)?)))
            .filter(|(ours, plain)| found(ours) && found(plain))
            .filter_map(|(ours, plain)| {
                Some(ours.real(column)?.max(0.001) / plain.real(column)?.max(0.001))
            })
            .collect()
    };
    let count = |strategy: &str| {
        let of = rows.values().filter_map(|row| row.get(strategy));
        of.filter(|row| row.text("verdict") == Some("violated")).count()
    };
    add!(
        page,
        "Of {} violated formulas `{ours}` finds {}, `{plain}` {}. Where both do, `{ours}` by \
         `{plain}`:\n",
        rows.len(),
        count(ours),
        count(plain)
    );
    add!(page, "| | geometric mean | median |\n|---|---:|---:|");
    for (name, column) in [
        ("processor seconds", "seconds"),
        ("product states stored", "stored"),
        ("length of the run", "length"),
    ] {
        let ratios = both(column);
        if let (Some(mean), Some(middle)) = (geometric_mean(&ratios), median(&ratios)) {
            add!(page, "| {name} | {mean:.2} | {middle:.2} |");
        }
    }
}
