//! The page, made from the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;

use super::{states, verdicts};
use crate::page::{add, save, table_in};
use crate::statistics::geometric_mean;
use crate::table::{Row, Table};

const HEAD: &str = "# Partial-order reduction\n\n\
Made by `homing-bench reduction` from the tables `reduction-*.tsv` beside this page: \
`homing stats`, breadth first, whole, and with `--reduction static` and `--reduction stubborn`, \
which here keep deadlocks, failed assertions and run-time errors. SPIN is 6.5.2, \
`spin -a -o1 -o2 -o3`, `gcc -DSAFETY -DNOCLAIM` with its own reduction, `pan -E -A -c0`.\n";

/// Makes the page from what tables there are.
pub fn write(folder: &Path) -> Result<()> {
    let mut page = String::from(HEAD);
    let mut all = Vec::new();
    for (name, title) in [(states::PROMELA, "Promela"), (states::BEEM, "BEEM")] {
        if let Some(table) = table_in(folder, name)? {
            section(&table, title, &mut page);
            all.push(table);
        }
    }
    overhead(&all, &mut page);
    if let Some(table) = table_in(folder, verdicts::TABLE)? {
        verdict_section(&table, &mut page);
    }
    save(&folder.join("reduction.md"), &page)
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
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in table.rows() {
        if let (Some(name), Some(note)) = (row.text("model"), row.text("note")) {
            reasons.entry(note).or_default().push(name);
        }
    }
    for (why, models) in reasons {
        add!(page, "\nNo number in the row of {}: {why}.", models.join(", "));
    }
}

fn ratio(row: Row<'_>, of: &str, to: &str) -> Option<f64> {
    let number = |column: &str| row.real(column).filter(|n| *n > 0.0);
    Some(number(of)? / number(to)?)
}

/// States from which on a time is long enough to be measured.
const TIMED: u64 = 50_000;

fn overhead(tables: &[Table], page: &mut String) {
    add!(page, "\n## Where nothing is left out\n");
    add!(
        page,
        "Models of {TIMED} states and more of which at least 99 % are left: processor time, of \
         the whole program (the least of several runs), with the reduction to that without.\n"
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

/// What came of one strategy under one reduction.
#[derive(Default)]
struct Comparisons {
    same: usize,
    different: usize,
    undecided: usize,
    /// Of questions with one answer that takes a search of everything: states left.
    left: Vec<f64>,
}

impl Comparisons {
    fn add(&mut self, found: &str, row: Row<'_>) {
        match found.parse::<f64>() {
            Ok(stored) => {
                self.same += 1;
                let all = row.number("states").filter(|_| row.text("verdict") == Some("holds"));
                self.left.extend(all.filter(|all| *all > 0).map(|all| stored / all as f64));
            }
            Err(_) if found.starts_with('!') => self.different += 1,
            Err(_) => self.undecided += usize::from(found == "?"),
        }
    }
}

fn verdict_section(table: &Table, page: &mut String) {
    let mut found: BTreeMap<(&str, &str, &str), Comparisons> = BTreeMap::new();
    let mut refusals: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut different = Vec::new();
    for row in table.rows() {
        let texts = ["model", "kind", "reduction", "searches"].map(|column| row.text(column));
        let [Some(model), Some(kind), Some(reduction), Some(searches)] = texts else { continue };
        for (strategy, outcome) in searches.split(' ').filter_map(|one| one.rsplit_once('=')) {
            found.entry((kind, strategy, reduction)).or_default().add(outcome, row);
            if outcome.starts_with('!') {
                different.push(format!("- {model}, {kind}, {strategy}, {reduction}: {outcome}"));
            }
        }
        if let Some(note) = row.text("note") {
            refusals.entry(note).or_default().insert(model);
        }
    }
    let same: usize = found.values().map(|one| one.same).sum();
    add!(
        page,
        "\n## Verdicts\n\n\
         Small models and formulas of the corpus, searched whole and reduced (which ones, and up \
         to how many states, say the first lines of `{}`): {same} reduced \
         searches came to the verdict of the whole one, {} to another. *Left* is the geometric \
         mean of the states stored to those of the whole search, where what is asked for holds.\n",
        verdicts::TABLE,
        different.len()
    );
    add!(page, "| question | strategy | reduction | same verdict | other | not decided | left |");
    add!(page, "|---|---|---|---|---|---|---|");
    for ((kind, strategy, reduction), one) in &found {
        let left = geometric_mean(&one.left).map_or("–".into(), |left| format!("{left:.2}"));
        let Comparisons { same, different, undecided, .. } = one;
        add!(
            page,
            "| {kind} | `{strategy}` | {reduction} | {same} | {different} | {undecided} | {left} |"
        );
    }
    different.iter().for_each(|line| add!(page, "{line}"));
    add!(page, "\n| not searched so, because | models and formulas |\n|---|---|");
    for (note, models) in &refusals {
        add!(page, "| {note} | {} |", models.len());
    }
}
