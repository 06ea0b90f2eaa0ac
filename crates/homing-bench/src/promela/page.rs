//! `promela.md`, made from the tables.

use std::path::Path;

use anyhow::Result;

use super::{counts, errors, quick, speed};
use crate::homing::FINDING;
use crate::page::{Section, add, by, cells, listed, numbers, outcomes};
use crate::statistics::geometric_mean;
use crate::table::{Row, Table};

/// Writes the page into the folder of the tables.
pub fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, Section); 4] = [
        (counts::TABLE, counted),
        (speed::TABLE, fast),
        (quick::TABLE, soon),
        (errors::TABLE, found),
    ];
    crate::page::write(folder, ("promela.md", HEAD), parts)
}

const HEAD: &str = "# Promela beside SPIN\n\n\
Made by `homing-bench promela` from the tables `promela*.tsv` beside this page. SPIN is 6.5.2; \
`pan` is made by `spin -a -o1 -o2 -o3` and `gcc -DSAFETY -DNOREDUCE -DNOCLAIM` and run with \
`-E -A -c0`, where nothing else is said.\n";

/// What a result of the counts means.
const RESULTS: &[(&str, &str)] = &[
    ("equal", "states and verdict equal"),
    ("different", "**states different, not explained**"),
    ("verdict", "**verdict different, not explained**"),
    ("explained", "different, with a reason"),
    ("error", "a run-time error in SPIN, which goes on behind it in its own way; verdict equal"),
    ("no figures", "homing finishes, SPIN refuses the model or does not finish"),
    ("large", "more than a million states"),
    ("limit", "neither finished nor a million states within the limits"),
    ("embedded C", "embedded C, which homing refuses"),
    ("refused", "**SPIN reads it, homing refuses it**"),
    ("no model", "neither reads it"),
];

fn counted(table: &Table, page: &mut String) {
    let by_result = by(table, "result");
    let count = |name: &str| by_result.get(name).map_or(0, Vec::len);
    let equal = count("equal");
    let both = equal + count("different") + count("verdict") + count("explained");
    add!(page, "\n## States and verdicts\n");
    let share = 100.0 * equal as f64 / both.max(1) as f64;
    add!(
        page,
        "Of {both} models that both finish within a million states without a run-time error, \
         {equal} have equal states and verdicts: {share:.1} %.\n"
    );
    outcomes("models", &by_result, RESULTS, page);
    add!(page, "\nAll that is not equal, nor too large:\n");
    add!(page, "| model | SPIN's states | ours | SPIN's first error | our verdict | why |");
    add!(page, "|---|---:|---:|---|---|---|");
    for (name, rows) in &by_result {
        if ["equal", "large", "no model"].contains(name) {
            continue;
        }
        for row in rows {
            let columns =
                ["file", "spin_states", "homing_states", "spin_error", "homing_verdict", "note"];
            cells(*row, &columns, page);
        }
    }
    reduced(table, page);
}

/// Our passes beside SPIN's defaults.
fn reduced(table: &Table, page: &mut String) {
    let ratios: Vec<f64> = table
        .rows()
        .filter(|row| row.text("result") == Some("equal"))
        .filter_map(|row| {
            let (ours, theirs) =
                (row.number("homing_reduced_states")?, row.number("spin_default_states")?);
            (ours > 0 && theirs > 0).then(|| ours as f64 / theirs as f64)
        })
        .collect();
    let more = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    add!(page, "\n## States with reductions\n");
    add!(
        page,
        "With our passes `ranges`, `constants` and `dead` on, against SPIN's defaults (`spin -a` without `-o`, so that it \
         resets dead variables and merges statements; partial-order reduction off in both): on {} \
         models {:.3} times SPIN's states in the geometric mean; more than SPIN's on {more}.",
        ratios.len(),
        geometric_mean(&ratios).unwrap_or(f64::NAN)
    );
}

/// Geometric mean and least of a column of ratios.
fn summary(table: &Table, column: &str) -> String {
    let values = numbers(table, column);
    format!("{}, over {} models", crate::page::summary(&values), values.len())
}

fn fast(table: &Table, page: &mut String) {
    add!(page, "\n## Speed and memory\n");
    add!(
        page,
        "Transitions a second of processor time, whole programs, medians, both in one run; \
         `pan` with `-O2` and four hash slots a state. Times `pan`'s rate: {}.\n",
        summary(table, "speed")
    );
    add!(
        page,
        "Bytes a state are the largest resident set by states, `pan` with one slot a state and a \
         stack just large enough. `pan` to homing: {}. `-DCOLLAPSE` to `--store tree`: {}.\n",
        summary(table, "memory"),
        summary(table, "tree_memory")
    );
    listed(
        table,
        &[
            ("file", "model"),
            ("states", "states"),
            ("homing_transitions", "our transitions"),
            ("pan_transitions", "`pan`'s"),
            ("homing_cpu_seconds", "our s"),
            ("pan_cpu_seconds", "`pan` s"),
            ("speed", "speed"),
            ("homing_bytes", "our B"),
            ("pan_bytes", "`pan` B"),
            ("homing_tree_bytes", "tree B"),
            ("pan_collapse_bytes", "collapse B"),
        ],
        page,
    );
}

fn soon(table: &Table, page: &mut String) {
    add!(page, "\n## From file to verdict\n");
    add!(
        page,
        "Processor seconds of `homing check` against `spin -a`, `gcc -O2 -DSAFETY` and `pan`, on \
         every eighth equal model below 100,000 states. SPIN's time to ours: {}.",
        summary(table, "ratio")
    );
}

/// The columns of `pan`'s searches.
const THEIRS: [&str; 2] = ["dfs_states", "bfs_states"];

fn found(table: &Table, page: &mut String) {
    let pairs = |ours: &str, theirs: &str| {
        let rows = table.rows().filter_map(|row| Some((row.number(ours)?, row.number(theirs)?)));
        let pairs: Vec<_> = rows.collect();
        let good = pairs.iter().filter(|(ours, theirs)| ours <= theirs).count();
        format!("{good} of {}", pairs.len())
    };
    let models = table.rows().count();
    // Of a search of `pan` that finds nothing there is no figure, and it is behind.
    let ahead = |fewer: fn(u64, u64) -> bool| {
        let beats = |row: &Row<'_>| {
            let ours = row.number("homing_expanded");
            ours.is_some_and(|ours| {
                THEIRS.iter().all(|theirs| row.number(theirs).is_none_or(|all| fewer(ours, all)))
            })
        };
        let count = table.rows().filter(beats).count();
        format!("{count} of {models} models, {:.0} %", 100.0 * count as f64 / models.max(1) as f64)
    };
    add!(page, "\n## Finding errors\n");
    add!(
        page,
        "States expanded by `{FINDING}` until the first error of the kind SPIN finds first. \
         Fewer than `pan`'s depth-first and its breadth-first (`-DBFS`): {}; at most as many: {}. \
         At most depth-first's: {}; at most breadth-first's: {}. Traces: \
         `pan` counts elementary steps, those within atomic sequences too; ours counts a sequence \
         as one. At most breadth-first's: {}.\n",
        ahead(|ours, theirs| ours < theirs),
        ahead(|ours, theirs| ours <= theirs),
        pairs("homing_expanded", "dfs_states"),
        pairs("homing_expanded", "bfs_states"),
        pairs("homing_length", "bfs_length")
    );
    listed(
        table,
        &[
            ("file", "model"),
            ("homing_expanded", "our states"),
            ("dfs_states", "`pan`'s depth-first"),
            ("bfs_states", "breadth-first"),
            ("homing_length", "our trace"),
            ("dfs_length", "depth-first"),
            ("bfs_length", "breadth-first"),
        ],
        page,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_counts_where_both_searches_need_more() {
        let table = "\
file\thoming_expanded\thoming_length\tdfs_states\tdfs_length\tbfs_states\tbfs_length
a\t5\t3\t6\t4\t9\t3
b\t5\t3\t6\t4\t5\t2
c\t5\t3\t4\t4\t9\t3
d\t5\t3\t8\t4\t-\t-
e\t-\t-\t8\t4\t-\t-
";
        let mut page = String::new();
        found(&Table::parse(table).unwrap(), &mut page);
        let has = |line: &str| assert!(page.contains(line), "{line}\n{page}");
        has("(`-DBFS`): 2 of 5 models, 40 %; at most as many: 3 of 5 models, 60 %.");
        has("At most depth-first's: 3 of 4; at most breadth-first's: 3 of 3.");
        has("At most breadth-first's: 2 of 3.");
    }
}
