//! `auto.md`, made from the tables.

use std::path::Path;

use anyhow::Result;

use super::{errors, holds, shortest};
use crate::homing::FINDING;
use crate::page::{Section, add, listed_rows};
use crate::statistics::{geometric_mean, median};
use crate::table::{Row, Table};

/// Writes the page into the folder of the tables.
pub fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, Section); 3] =
        [(errors::TABLE, found), (holds::TABLE, held), (shortest::TABLE, proven)];
    crate::page::write(folder, ("auto.md", HEAD), parts)
}

const HEAD: &str = "# The planner\n\n\
Made by `homing-bench auto` from the tables `auto*.tsv` beside this page, whose first lines are \
the commands that made them. Seconds are those of the processor, for the whole command.\n";

/// Below so many seconds, ratios of time say nothing.
const NOTEWORTHY: f64 = 0.05;

/// Rows shown of the worst.
const WORST: usize = 10;

/// Models of which it is asked that they be solved within so many seconds.
const ASKED: [(&str, f64); 4] = [("A5", 60.0), ("A6", 60.0), ("H10", 10.0), ("S9", 10.0)];

/// Searches that take at least so many seconds are long.
const LONG: f64 = 1.0;

fn found(table: &Table, page: &mut String) {
    add!(page, "\n## Until the first error\n");
    add!(
        page,
        "`{}` beside the best of all plain searches (`auto-plain.tsv`), each measure by itself: \
         who takes the least time, and who expands the fewest states, need not be the same \
         search. Time counts on models on which any search takes more than {} ms, the planner's \
         or a plain one; in brackets, on those on which the planner itself or the soonest does.\n",
        FINDING,
        NOTEWORTHY * 1e3,
    );
    add!(page, "| | the papers' families | BEEM's goals |\n|---|--:|--:|");
    let sources = ["families", "BEEM"].map(|source| of_source(table, source));
    for (question, answer) in QUESTIONS {
        let answers = sources.each_ref().map(|rows| answer(rows));
        add!(page, "| {question} | {} |", answers.join(" | "));
    }
    for (source, rows) in ["the papers' families", "BEEM's goals"].iter().zip(&sources) {
        worst(rows, ("time", "seconds_ratio", source), &noteworthy, page);
        worst(rows, ("states", "expanded_ratio", source), &|_| true, page);
    }
    asked(table, page);
    missed(table, page);
}

fn of_source<'a>(table: &'a Table, source: &str) -> Vec<Row<'a>> {
    table.rows().filter(|row| row.text("source") == Some(source)).collect()
}

/// Something asked of the models of one source.
type Question = (&'static str, fn(&[Row<'_>]) -> String);

const QUESTIONS: [Question; 9] = [
    ("models", |rows| rows.len().to_string()),
    ("found by the planner", |rows| count(rows, is_found)),
    ("found by any plain search", |rows| count(rows, |row| row.real("best_seconds").is_some())),
    ("models that time counts on", |rows| bracketed(rows, |rows| rows.len().to_string())),
    ("time to the soonest's: geometric mean", |rows| {
        bracketed(rows, |rows| shown(geometric_mean(&ratios(rows, "seconds_ratio"))))
    }),
    ("most", |rows| bracketed(rows, |rows| shown(most(&ratios(rows, "seconds_ratio"))))),
    ("more than 5 times", |rows| {
        bracketed(rows, |rows| count(rows, |row| row.real("seconds_ratio") > Some(5.0)))
    }),
    ("states to the fewest: geometric mean", |rows| {
        shown(geometric_mean(&ratios(rows, "expanded_ratio")))
    }),
    ("most", |rows| shown(most(&ratios(rows, "expanded_ratio")))),
];

fn is_found(row: &Row<'_>) -> bool {
    row.number("length").is_some()
}

fn count(rows: &[Row<'_>], of: fn(&Row<'_>) -> bool) -> String {
    rows.iter().filter(|row| of(row)).count().to_string()
}

/// An answer over the models that time counts on, and in brackets over those on which the
/// planner or the soonest search takes long.
fn bracketed(rows: &[Row<'_>], answer: impl Fn(&[Row<'_>]) -> String) -> String {
    let over = |wanted: fn(&Row<'_>) -> bool| -> Vec<Row<'_>> {
        rows.iter().copied().filter(wanted).collect()
    };
    format!("{} ({})", answer(&over(noteworthy)), answer(&over(lengthy)))
}

fn noteworthy(row: &Row<'_>) -> bool {
    row.real("most_seconds") > Some(NOTEWORTHY)
}

fn lengthy(row: &Row<'_>) -> bool {
    let seconds = ["cpu_seconds", "best_seconds"].map(|column| row.real(column));
    seconds.iter().any(|seconds| *seconds > Some(NOTEWORTHY))
}

fn ratios(rows: &[Row<'_>], column: &str) -> Vec<f64> {
    rows.iter().filter_map(|row| row.real(column)).collect()
}

fn most(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

fn shown(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.2}"))
}

/// The models of the greatest ratios, with who won.
fn worst(
    rows: &[Row<'_>],
    (what, column, source): (&str, &str, &str),
    wanted: &dyn Fn(&Row<'_>) -> bool,
    page: &mut String,
) {
    let mut rows: Vec<Row<'_>> = rows.iter().copied().filter(wanted).collect();
    rows.retain(|row| row.real(column).is_some());
    let ratio = |row: &Row<'_>| row.real(column).unwrap_or(0.0);
    rows.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
    rows.truncate(WORST);
    if rows.is_empty() {
        return;
    }
    let (theirs, ours, by) = match what {
        "time" => ("best_seconds", "cpu_seconds", "soonest"),
        _ => ("best_expanded", "expanded", "fewest"),
    };
    add!(page, "\nThe most {what}, {source}:\n");
    let heads = [
        ("model", "model"),
        (ours, "planner"),
        (theirs, "best"),
        (column, "ratio"),
        ("length", "trace"),
        (by, "by"),
    ];
    listed_rows(&rows, &heads, page);
}

/// What is asked of single models.
fn asked(table: &Table, page: &mut String) {
    let measured = |model: &str| table.rows().find(|row| row.text("model") == Some(model));
    for (place, (model, within)) in ASKED.into_iter().enumerate() {
        let Some(row) = measured(model) else { continue };
        if place == 0 {
            add!(page, "\nAsked of single models:\n");
        }
        let seconds = row.real("cpu_seconds").unwrap_or(f64::NAN);
        let mark = if is_found(&row) && seconds <= within { "yes" } else { "**no**" };
        let what = if is_found(&row) { "found" } else { "not found" };
        add!(page, "- {model} within {within} s: {mark}, {what} in {seconds:.2} s");
    }
}

/// Errors that the planner does not find.
fn missed(table: &Table, page: &mut String) {
    let missed: Vec<&str> =
        table.rows().filter(|row| !is_found(row)).filter_map(|row| row.text("model")).collect();
    if !missed.is_empty() {
        add!(page, "\nNot found by the planner: {}.", missed.join(", "));
    }
}

fn held(table: &Table, page: &mut String) {
    add!(page, "\n## Where there is no error\n");
    add!(
        page,
        "`auto` beside `breadth` on BEEM's goals out of reach and on models without deadlocks, in DVE \
         and (`.pm`) in Promela, \
         the least of several runs in turn, without reductions. *Long* are models that take \
         breadth-first search at least {LONG} s. Instructions are counted by valgrind.\n"
    );
    add!(page, "| | models | geometric mean | median | most |\n|---|--:|--:|--:|--:|");
    let all: Vec<Row<'_>> = table.rows().collect();
    let long: Vec<Row<'_>> =
        table.rows().filter(|row| row.real("breadth_seconds") >= Some(LONG)).collect();
    for (what, rows, column) in [
        ("time, long", &long, "seconds_ratio"),
        ("time, all", &all, "seconds_ratio"),
        ("instructions", &all, "instructions_ratio"),
    ] {
        let ratios = ratios(rows, column);
        add!(
            page,
            "| {what} | {} | {} | {} | {} |",
            ratios.len(),
            shown(geometric_mean(&ratios)),
            shown(median(&ratios)),
            shown(most(&ratios)),
        );
    }
    add!(page, "");
    let heads = [
        ("model", "model"),
        ("property", "goal"),
        ("states", "states"),
        ("breadth_seconds", "`breadth` s"),
        ("auto_seconds", "`auto` s"),
        ("seconds_ratio", "ratio"),
        ("instructions_ratio", "instructions"),
    ];
    listed_rows(&all, &heads, page);
}

fn proven(table: &Table, page: &mut String) {
    let rows: Vec<Row<'_>> = table.rows().collect();
    let blind: Vec<Row<'_>> =
        table.rows().filter(|row| row.number("breadth_length").is_some()).collect();
    let is_proven = |row: &Row<'_>| row.text("proven") == Some("yes");
    add!(page, "\n## Shortest traces\n");
    add!(
        page,
        "The default on BEEM's {} reachable goals. Found by `auto`: {}; by `breadth`: {}. Of \
         these, `auto`'s trace is proven shortest: {}.",
        rows.len(),
        count(&rows, |row| row.number("auto_length").is_some()),
        blind.len(),
        count(&blind, is_proven),
    );
    for (place, row) in blind.iter().filter(|row| !is_proven(row)).enumerate() {
        if place == 0 {
            add!(page, "");
        }
        add!(
            page,
            "- {}: {} steps, at least {}",
            row.text("model").unwrap_or("–"),
            row.text("auto_length").unwrap_or("–"),
            row.text("at_least").unwrap_or("0"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: &str = "\
model\tsource\tcpu_seconds\texpanded\tlength\tbest_seconds\tsoonest\tbest_expanded\tfewest\tmost_seconds\tseconds_ratio\texpanded_ratio
H10\tfamilies\t4.0\t1000\t9\t1.0\tdepth\t10\tbreadth\t60.0\t4.00\t100.00
A5\tfamilies\t60.0\t-\t-\t6.0\tdepth\t10\tdepth\t60.0\t10.00\t-
A6\tfamilies\t30.0\t7\t9\t-\t-\t-\t-\t60.0\t-\t-
S9\tfamilies\t0.02\t40\t9\t0.01\tdepth\t40\tdepth\t0.3\t2.00\t1.00
F5\tfamilies\t0.04\t5\t9\t0.004\tdepth\t5\tdepth\t0.05\t10.00\t1.00
at.2 1\tBEEM\t0.3\t8\t9\t0.1\tbreadth\t4\tbreadth\t0.3\t3.00\t2.00
";

    #[test]
    fn ratios_of_time_count_where_any_search_takes_long() {
        let mut page = String::new();
        found(&Table::parse(FOUND).unwrap(), &mut page);
        let has = |line: &str| assert!(page.contains(line), "{line}\n{page}");
        has("| models | 5 | 1 |");
        has("| found by the planner | 4 | 1 |");
        has("| found by any plain search | 4 | 1 |");
        has("| models that time counts on | 4 (3) | 1 (1) |");
        // Of 4, 10 and 2, and in brackets of 4 and 10: not of F5, where nothing takes long.
        has("| time to the soonest's: geometric mean | 4.31 (6.32) | 3.00 (3.00) |");
        has("| most | 10.00 (10.00) | 3.00 (3.00) |");
        has("| more than 5 times | 1 (1) | 0 (0) |");
        // Of 100, 1 and 1: where the error is not found nothing is known of states.
        has("| states to the fewest: geometric mean | 4.64 | 2.00 |");
        has("- A5 within 60 s: **no**, not found in 60.00 s");
        has("- A6 within 60 s: yes, found in 30.00 s");
        has("- H10 within 10 s: yes, found in 4.00 s");
        has("Not found by the planner: A5.");
        let worst = page.split("The most time, the papers' families:").nth(1).unwrap();
        let lines: Vec<&str> = worst.lines().skip(4).take(3).collect();
        assert!(lines[0].starts_with("| A5 | 60.0 | 6.0 | 10.00 | – | depth |"), "{lines:?}");
        assert!(lines[1].starts_with("| H10 |") && lines[2].starts_with("| S9 |"), "{lines:?}");
    }

    #[test]
    fn overhead_is_averaged_over_long_models_and_over_all() {
        let table = "\
model\tproperty\tstates\tbreadth_seconds\tauto_seconds\tseconds_ratio\tinstructions_ratio
at.4\t1\t6000000\t2.0\t2.2\t1.100\t-
at.1\t1\t200000\t0.1\t0.4\t4.000\t1.210
at.2\tdeadlock\t300000\t0.1\t0.1\t1.000\t1.000
";
        let mut page = String::new();
        held(&Table::parse(table).unwrap(), &mut page);
        let has = |line: &str| assert!(page.contains(line), "{line}\n{page}");
        has("| time, long | 1 | 1.10 | 1.10 | 1.10 |");
        has("| time, all | 3 | 1.64 | 1.10 | 4.00 |");
        has("| instructions | 2 | 1.10 | 1.10 | 1.21 |");
    }

    #[test]
    fn traces_that_are_not_proven_shortest_are_named() {
        let table = "\
model\tbreadth\tbreadth_length\tauto\tauto_length\tat_least\tproven
at.2 1\tviolated\t15\tviolated\t15\t15\tyes
at.3 1\tviolated\t16\tviolated\t20\t12\tno
at.4 1\tunknown\t-\tviolated\t20\t12\tno
";
        let mut page = String::new();
        proven(&Table::parse(table).unwrap(), &mut page);
        assert!(page.contains("Found by `auto`: 3; by `breadth`: 2."), "{page}");
        assert!(page.contains("proven shortest: 1."), "{page}");
        assert!(page.contains("- at.3 1: 20 steps, at least 12"), "{page}");
    }
}
