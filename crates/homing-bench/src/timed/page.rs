//! `timed.md`, made from the tables.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::{counts, errors, speed, verdicts};
use crate::page::{Section, add, by, cells, escaped, least, listed, numbers, outcomes, summary};
use crate::table::{Row, Table};

/// Writes the page into the folder of the tables.
pub fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, Section); 4] = [
        (counts::TABLE, counted),
        (speed::TABLE, fast),
        (verdicts::TABLE, judged),
        (errors::TABLE, found),
    ];
    crate::page::write(folder, ("timed.md", HEAD), parts)
}

const HEAD: &str = "# Timed automata beside TChecker\n\n\
Made by `homing-bench timed` from the tables `timed-*.tsv` beside this page. TChecker is built \
from its public repository (commit d711ace of December 2025), optimised; one core, processor time.\n";

fn percent(part: usize, whole: usize) -> String {
    format!("{part} of {whole} ({:.1} %)", 100.0 * part as f64 / whole.max(1) as f64)
}

/// `met` or `not met`.
fn met(yes: bool) -> &'static str {
    if yes { "met" } else { "**not met**" }
}

fn counted(table: &Table, page: &mut String) {
    let by_result = by(table, "result");
    let count = |name: &str| by_result.get(name).map_or(0, Vec::len);
    let (equal, stored, wrong) = (count("equal"), count("stored"), count("different"));
    let initial = count("initial");
    let compared = equal + initial + stored;
    let all = table.rows().count() - count("left out");
    add!(page, "\n## TChecker's own tests\n");
    add!(
        page,
        "Every row of `expected-stats.tsv` with a model given, for five extrapolations, bounds by \
         location or global, five subsumptions, zones with or without the time behind a step, \
         breadth- and depth-first. Reachability as expected on {} rows: {}. Zones stored are \
         compared where everything is explored breadth-first: equal on {}, and on {} more but for \
         the initial zone: the program these tests were written for never drops it when another \
         covers it (its node is *protected*), homing does, as does TChecker's present `tck-reach`. \
         With that zone counted {} are equal; 95 % asked for: {}, and {} to the letter.\n",
        percent(all - wrong - count("refused"), all),
        met(wrong + count("refused") == 0),
        percent(equal, compared),
        initial,
        percent(equal + initial, compared),
        met(20 * (equal + initial) >= 19 * compared),
        met(20 * equal >= 19 * compared)
    );
    let meanings = [
        ("equal", "breadth-first, everything explored: zones stored equal"),
        ("initial", "the same, but for the initial zone, which TChecker kept"),
        ("stored", "the same, another number of zones stored"),
        ("reachable", "the goal is reached, in both"),
        ("depth-first", "depth-first, everything explored: not reachable, in both"),
        ("different", "**reachability differs**"),
        (
            "refused",
            "**refused**: constants of clocks larger than homing handles (ad94_mid, ad94_Long)",
        ),
        ("left out", "no test: no labels in the model, and TChecker stopped at once"),
    ];
    outcomes("rows", &by_result, &meanings, page);
    let differing: Vec<&Row<'_>> =
        ["different", "stored"].iter().filter_map(|name| by_result.get(name)).flatten().collect();
    if !differing.is_empty() {
        add!(page, "\nRows that differ:\n");
        add!(
            page,
            "| model | subsumption | semantics | extrapolation | TChecker's zones | ours | why |"
        );
        add!(page, "|---|---|---|---|---:|---:|---|");
        for row in differing {
            let columns = [
                "model",
                "subsumption",
                "semantics",
                "extrapolation",
                "tchecker_stored",
                "homing_stored",
                "note",
            ];
            cells(*row, &columns, page);
        }
    }
}

fn fast(table: &Table, page: &mut String) {
    let (speed, memory) = (numbers(table, "speed"), numbers(table, "memory"));
    let more = table
        .rows()
        .filter(|row| row.number("homing_stored") > row.number("tchecker_stored"))
        .filter(|row| row.text("model").is_some_and(|model| model.ends_with(".tck")))
        .count();
    add!(page, "\n## Speed and memory\n");
    add!(
        page,
        "Everything explored breadth-first with LU+ by location, with inclusion (`covreach`) or \
         aLU subsumption (`aLU-covreach`). A row whose model is `.xml` sets our run on the UPPAAL \
         model of the same system beside TChecker's on its own. Visited zones a second of \
         processor time, whole programs, times TChecker's: {}; 3 asked for: {}. Bytes a stored \
         zone beyond what the program takes for a small model, TChecker's to ours: {}; 2 asked \
         for: {}. More zones stored than TChecker on {more} of its models.\n",
        summary(&speed),
        met(least(&speed) >= 3.0),
        summary(&memory),
        met(least(&memory) >= 2.0),
    );
    listed(
        table,
        &[
            ("model", "model"),
            ("subsumption", "subsumption"),
            ("tchecker_stored", "TChecker's zones"),
            ("homing_stored", "ours"),
            ("tchecker_visited", "visited"),
            ("homing_visited", "ours"),
            ("tchecker_cpu_seconds", "TChecker s"),
            ("homing_cpu_seconds", "our s"),
            ("tchecker_rate", "zones/s"),
            ("homing_rate", "ours"),
            ("speed", "speed"),
            ("tchecker_peak_mb", "TChecker MB"),
            ("homing_peak_mb", "our MB"),
            ("tchecker_bytes", "TChecker B/zone"),
            ("homing_bytes", "our B/zone"),
            ("memory", "memory"),
        ],
        page,
    );
}

fn judged(table: &Table, page: &mut String) {
    let by_result = by(table, "result");
    let count = |name: &str| by_result.get(name).map_or(0, Vec::len);
    let sum = |column: &str| table.rows().filter_map(|row| row.number(column)).sum::<u64>();
    let read = count("read") + count("different") + count("explained");
    let ended = count("ended");
    let usable = read + ended + count("refused");
    add!(page, "\n## Files read and verdicts\n");
    add!(
        page,
        "All files of the corpus named as timed models. Of those without statistical, hybrid or \
         dynamic features and extensions, {} are read and searched; 95 % asked for: {}. {ended} more were ended before any \
         verdict, most by the kernel while still being prepared: whether they are read to the end is \
         not known of all. If all of them are, it is {}. Queries answered within the time limit: {} \
         hold, {} are violated, {} not known. Outcomes known beforehand (UPPAAL's own answers in \
         the files, comments, names, TChecker): {}, of which {} are met, {} are not, and the \
         others had no answer in time.\n",
        percent(read, usable),
        met(20 * read >= 19 * usable),
        percent(read + ended, usable),
        sum("holds"),
        sum("violated"),
        sum("unknown"),
        sum("known"),
        sum("met"),
        count("different") + count("explained")
    );
    let meanings = [
        ("read", "read, known outcomes met"),
        ("explained", "read, a known outcome not met for a reason"),
        ("different", "**a known outcome is not met**"),
        ("ended", "**no verdict**: ended by the kernel at its limits, or by an error of homing"),
        ("statistical", "statistical or hybrid features, refused"),
        ("dynamic", "processes that start and end, refused"),
        ("extension", "another extension of UPPAAL, refused"),
        ("refused", "refused for another reason"),
        ("no model", "no model: refused by UPPAAL or TChecker too"),
    ];
    outcomes("files", &by_result, &meanings, page);
    reasons(&by_result, page);
    add!(page, "\n| file | outcome | why |\n|---|---|---|");
    for name in ["different", "explained", "ended", "refused", "no model"] {
        for row in by_result.get(name).into_iter().flatten() {
            add!(page, "| {} | {name} | {} |", escaped(*row, "file"), escaped(*row, "note"));
        }
    }
}

/// Why files with features of other kinds of checking are refused.
fn reasons(by_result: &BTreeMap<&str, Vec<Row<'_>>>, page: &mut String) {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let kinds = ["statistical", "dynamic", "extension"];
    for row in kinds.into_iter().filter_map(|kind| by_result.get(kind)).flatten() {
        *reasons.entry(row.text("note").unwrap_or("–")).or_default() += 1;
    }
    add!(
        page,
        "\nStatistical, hybrid and dynamic features, and extensions:\n\n| files | refused with |\n|---:|---|"
    );
    for (reason, count) in reasons {
        add!(page, "| {count} | {} |", reason.replace('|', "\\|"));
    }
}

fn found(table: &Table, page: &mut String) {
    let faster = numbers(table, "faster");
    let won = faster.iter().filter(|ratio| **ratio > 1.0).count();
    add!(page, "\n## Finding errors\n");
    add!(
        page,
        "`homing check --strategy auto(improve=0)` (trace confirmed and printed; no search for shorter ones, as TChecker makes none) beside each of TChecker's \
         searches, to the first state with the labels asked for; processor seconds of whole \
         programs, the least of the runs; with `>`, not ended by then. Sooner than TChecker in {} pairs; \
         times TChecker's speed: {}.\n",
        percent(won, faster.len()),
        summary(&faster)
    );
    listed(
        table,
        &[
            ("model", "model"),
            ("goal", "at"),
            ("homing_states", "our states"),
            ("homing_cpu_seconds", "our s"),
            ("homing_length", "steps"),
            ("homing_shortest", "shortest"),
            ("search", "TChecker's search"),
            ("tchecker_states", "its states"),
            ("tchecker_cpu_seconds", "its s"),
            ("faster", "ratio"),
        ],
        page,
    );
}
