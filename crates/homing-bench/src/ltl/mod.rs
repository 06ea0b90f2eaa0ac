//! `homing-bench ltl`: how large automata of formulas are, beside SPIN's and
//! ltl2ba's.
//!
//! Every program writes a never claim of the same formula: a Büchi automaton with
//! accepting states. States are the labels of the claim, transitions its options,
//! and `skip` is one. Formulas are published ones and random ones, in SPIN's
//! syntax. A program that needs more than the limit has no numbers; totals are
//! over the formulas that both of two programs translate.

mod published;
mod random;

use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;

use crate::homing::Homing;
use crate::measure::{Limits, measure};
use crate::page::save;
use crate::statistics::median;
use crate::table::{Report, cell, command_line};

/// Arguments of `homing-bench ltl`.
#[derive(Args)]
pub struct Options {
    /// The homing command [default: the one beside this program, else on the PATH]
    #[arg(long)]
    homing: Option<PathBuf>,
    /// The command ltl2ba
    #[arg(long, default_value = "ltl2ba")]
    ltl2ba: PathBuf,
    /// The command spin
    #[arg(long, default_value = "spin")]
    spin: PathBuf,
    /// Formulas in all, random ones behind the published ones
    #[arg(long, default_value_t = 500)]
    formulas: usize,
    /// Seconds of processor time for a formula
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// The page to write; the table beside it ends in `.tsv`
    #[arg(long, default_value = "bench/results/ltl.md")]
    out: PathBuf,
}

const COLUMNS: &[&str] = &[
    "set",
    "homing_states",
    "homing_transitions",
    "homing_ms",
    "ltl2ba_states",
    "ltl2ba_transitions",
    "ltl2ba_ms",
    "spin_states",
    "spin_transitions",
    "spin_ms",
    "formula",
];

/// A claim that a program wrote.
#[derive(Clone, Copy)]
struct Claim {
    states: usize,
    transitions: usize,
    milliseconds: f64,
}

/// What all programs made of a formula: homing, ltl2ba, SPIN.
struct Row {
    set: &'static str,
    claims: [Option<Claim>; 3],
}

/// Translates all formulas with all programs and writes table and page.
pub fn run(options: &Options) -> Result<ExitCode> {
    let homing = Homing::find(options.homing.as_deref())?;
    let limits = Limits { seconds: Some(options.seconds), memory: None };
    let mut table = Report::create(&options.out.with_extension("tsv"), COLUMNS)?;
    let mut rows = Vec::new();
    for (set, formula) in formulas(options.formulas) {
        let claims = [
            translated(homing.program(), &["automaton", "--format", "never", &formula], limits)?,
            translated(&options.ltl2ba, &["-f", &formula], limits)?,
            translated(&options.spin, &["-f", &formula], limits)?,
        ];
        ensure!(claims[0].is_some(), "homing has no automaton of {formula}");
        let mut cells = vec![set.to_string()];
        for claim in claims {
            cells.push(cell(claim.map(|claim| claim.states)));
            cells.push(cell(claim.map(|claim| claim.transitions)));
            cells.push(cell(claim.map(|claim| format!("{:.1}", claim.milliseconds))));
        }
        cells.push(formula);
        table.row(&cells)?;
        rows.push(Row { set, claims });
    }
    let page = page(&rows, options);
    save(&options.out, &page)?;
    Ok(ExitCode::SUCCESS)
}

fn formulas(count: usize) -> Vec<(&'static str, String)> {
    let sets = [
        ("Dwyer et al.", &published::DWYER[..]),
        ("Etessami and Holzmann", &published::ETESSAMI_HOLZMANN[..]),
        ("Somenzi and Bloem", &published::SOMENZI_BLOEM[..]),
    ];
    let known = sets.into_iter().flat_map(|(set, formulas)| {
        formulas.iter().map(move |formula| (set, (*formula).to_string()))
    });
    known.chain(random::formulas().map(|formula| ("random", formula))).take(count).collect()
}

/// What a program prints for a formula; nothing where it gave up.
fn translated(program: &Path, arguments: &[&str], limits: Limits) -> Result<Option<Claim>> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let measured = measure(program, &arguments, None, limits)?;
    if !measured.stdout.contains("never") || measured.code.is_none() {
        return Ok(None);
    }
    let (states, transitions) = counted(&measured.stdout);
    Ok(Some(Claim { states, transitions, milliseconds: measured.cpu_seconds * 1000.0 }))
}

/// The labels of a claim, and its options.
fn counted(claim: &str) -> (usize, usize) {
    let mut states = 0;
    let mut transitions = 0;
    for line in claim.lines().map(str::trim) {
        let label = line.split_once(':').map(|(label, _)| label).unwrap_or("");
        let is_label = |c: char| c.is_alphanumeric() || c == '_';
        states += usize::from(!label.is_empty() && label.chars().all(is_label));
        transitions += usize::from(line.starts_with("::"));
        transitions += usize::from(line.contains("skip"));
    }
    (states, transitions)
}

/// States and transitions in all of the formulas that both translate.
#[derive(Default)]
struct Totals {
    formulas: usize,
    ours: (usize, usize),
    theirs: (usize, usize),
    /// Formulas for which ours, or theirs, has fewer states.
    smaller: (usize, usize),
}

fn totals<'a>(rows: impl Iterator<Item = &'a Row>, peer: usize) -> Totals {
    let mut totals = Totals::default();
    for row in rows {
        let (Some(ours), Some(theirs)) = (row.claims[0], row.claims[peer]) else { continue };
        totals.formulas += 1;
        totals.ours.0 += ours.states;
        totals.ours.1 += ours.transitions;
        totals.theirs.0 += theirs.states;
        totals.theirs.1 += theirs.transitions;
        totals.smaller.0 += usize::from(ours.states < theirs.states);
        totals.smaller.1 += usize::from(ours.states > theirs.states);
    }
    totals
}

const PEERS: [(usize, &str); 2] = [(1, "ltl2ba"), (2, "SPIN")];

fn page(rows: &[Row], options: &Options) -> String {
    let mut page = String::from("# Automata of formulas beside ltl2ba and SPIN\n\n");
    // Writing to a text cannot fail.
    let _ = writeln!(
        page,
        "Made by `{}`. Each program writes a never claim of every formula: a Büchi automaton \
         with accepting states. States are labels, transitions options. A program has {} s of \
         processor time for a formula; totals are over those that both translate (SPIN knows \
         `X` only where it is built with it). All formulas \
         are in the table `ltl.tsv` beside this page.\n",
        command_line(),
        options.seconds
    );
    let _ = writeln!(
        page,
        "| peer | formulas | set | peer's states | ours | peer's transitions | ours | fewer states: peer | ours |\n\
         |---|---:|---|---:|---:|---:|---:|---:|---:|"
    );
    let sets = ["Dwyer et al.", "Etessami and Holzmann", "Somenzi and Bloem", "random"];
    for (peer, name) in PEERS {
        for set in sets.into_iter().map(Some).chain([None]) {
            let of_set = rows.iter().filter(|row| set.is_none_or(|set| row.set == set));
            let Totals { formulas, ours, theirs, smaller } = totals(of_set, peer);
            let _ = writeln!(
                page,
                "| {name} | {formulas} | {} | {} | {} | {} | {} | {} | {} |",
                set.unwrap_or("**all**"),
                theirs.0,
                ours.0,
                theirs.1,
                ours.1,
                smaller.1,
                smaller.0
            );
        }
    }
    let all = totals(rows.iter(), 1);
    let met = all.formulas > 0 && all.ours.0 <= all.theirs.0 && all.ours.1 <= all.theirs.1;
    let met = if met { "met" } else { "**not met**" };
    let _ = writeln!(page, "\nNever larger than ltl2ba's in total: {met}.\n");
    let _ = writeln!(
        page,
        "Milliseconds of processor time a formula, the whole program counted:\n\n\
         | program | translated | median | largest |\n|---|---:|---:|---:|"
    );
    for (which, name) in [(0, "homing"), (1, "ltl2ba"), (2, "SPIN")] {
        let times: Vec<f64> =
            rows.iter().filter_map(|row| row.claims[which]).map(|c| c.milliseconds).collect();
        let largest = times.iter().copied().fold(0.0, f64::max);
        let middle = median(&times).unwrap_or(0.0);
        let _ = writeln!(page, "| {name} | {} | {middle:.1} | {largest:.1} |", times.len());
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_counted() {
        let claim = "never { /* <> p */\nT0_init:\n\tif\n\t:: (1) -> goto T0_init\n\
                     \t:: (p) -> goto accept_all\n\tfi;\naccept_all:\n\tskip\n}\n";
        assert_eq!(counted(claim), (2, 3));
    }

    #[test]
    fn formulas_are_as_many_as_asked_for() {
        let all = formulas(500);
        assert_eq!(all.len(), 500);
        assert_eq!(all.iter().filter(|(set, _)| *set != "random").count(), 94);
        assert_eq!(all, formulas(500));
    }
}
