//! The page `symbolic.md`, made from the tables.

use std::path::Path;

use anyhow::Result;

use crate::page::{self, add, by};
use crate::statistics::geometric_mean;
use crate::table::{Row, Table};

const HEAD: &str = "# Symbolic searches

Made by `homing-bench symbolic`. Nodes are the most decision diagrams had at once, those included
that nothing needed any more: nothing is collected below a million of them. Seconds are processor
seconds of the whole command, reading the model and confirming the trace included.
";

const TREE: &str = "
## Tree arbiters

The error of the tree arbiter without cross-gating (`homing-bench family T15`): our
reconstruction, see `crates/homing-bench/src/family/tree_arbiter.rs`. So iterations and nodes can
be compared in how they grow, not one by one. *Paper* is Table 4 of Reffel and Edelkamp (FM 1999),
by the model checker they used, on their computer.
";

const RING: &str = "
## Rings for mutual exclusion

The asynchronous ring with a broken gate (`homing-bench family D6`); gates and error are ours, see
`crates/homing-bench/src/family/dme_ring.rs`. *Paper* is Table 5.
";

/// Table 4: cells, search, iterations, most nodes, seconds.
const TABLE_4: &[[&str; 5]] = &[
    ["15", "breadth-first", "30", "991374", "46"],
    ["15", "depth 4", "104", "10472785", "483"],
    ["15", "depth 6", "127", "5715484", "288"],
    ["17", "breadth-first", "42", "18937458", "3912"],
    ["17", "depth 6", "157", "7954251", "476"],
    ["19", "breadth-first", "44", "22461024", "6047"],
    ["19", "depth 6", "157", "8789341", "540"],
    ["21", "breadth-first", "44", "26843514", "24626"],
    ["21", "depth 6", "157", "9097823", "530"],
    ["23", "breadth-first", ">40", "-", ">17000"],
    ["23", "depth 6", "157", "9548269", "516"],
    ["25", "depth 6", "169", "21561058", "1370"],
    ["27", "depth 6", "169", "25165795", "1818"],
    ["27", "depth 6, doubled", "593", "23798202", "1970"],
];

/// Table 5, the same of rings.
const TABLE_5: &[[&str; 5]] = &[
    ["6", "breadth-first", "23", "26843514", "5864"],
    ["6", "depth 6, with Visited", "35", "29036025", "2207"],
    ["6", "depth 6", "53", "25165795", "1009"],
    ["6", "depth 7", "53", "25159862", "813"],
];

/// Makes the page from all tables there are.
pub(super) fn write(folder: &Path) -> Result<()> {
    let parts: [(&str, page::Section); 3] = [
        ("symbolic-tree.tsv", |table, page| errors(table, TREE, TABLE_4, page)),
        ("symbolic-ring.tsv", |table, page| errors(table, RING, TABLE_5, page)),
        ("symbolic-beem.tsv", beem),
    ];
    page::write(folder, ("symbolic.md", HEAD), parts)
}

fn errors(table: &Table, head: &str, published: &[[&str; 5]], page: &mut String) {
    add!(page, "{head}");
    add!(page, "| model | search | found | steps | images | nodes | seconds | MB |");
    add!(page, "|---|---|---|---:|---:|---:|---:|---:|");
    for row in table.rows() {
        let found = match row.text("verdict") {
            Some("violated") => "yes",
            _ => row.text("reason").unwrap_or("no"),
        };
        let text = |column| row.text(column).unwrap_or("–").to_owned();
        let cells = [
            text("model"),
            format!("`{}`", text("search")),
            found.to_owned(),
            text("steps"),
            text("images"),
            text("nodes"),
            text("cpu_seconds"),
            row.number("peak_bytes").map_or("–".into(), |bytes| (bytes >> 20).to_string()),
        ];
        add!(page, "| {} |", cells.join(" | "));
    }
    beside_breadth(table, page);
    add!(page, "\nThe paper's figures:\n");
    add!(page, "| cells | search | iterations | most nodes | seconds |\n|---|---|---:|---:|---:|");
    published.iter().for_each(|cells| add!(page, "| {} |", cells.join(" | ")));
}

/// On which models A* needs fewer nodes than breadth-first search.
fn beside_breadth(table: &Table, page: &mut String) {
    let found = |row: &&Row| row.text("verdict") == Some("violated");
    add!(page, "\n`bdda-star(depth=6)` beside `breadth`:\n");
    let all = by(table, "model");
    let models: Vec<&str> = table.rows().filter_map(|row| row.text("model")).collect();
    let mut told = Vec::new();
    for model in models {
        let rows = &all[model];
        if told.contains(&model) {
            continue;
        }
        told.push(model);
        let nodes = |search: &str| {
            let row = rows.iter().filter(found).find(|row| row.text("search") == Some(search))?;
            row.number("nodes")
        };
        let sentence = match (nodes("bdda-star(depth=6)"), nodes("breadth")) {
            (Some(star), Some(breadth)) => {
                format!("{:.2} times the nodes", star as f64 / breadth as f64)
            }
            (Some(_), None) => "only A* finds the error".into(),
            (None, Some(_)) => "only breadth-first search finds the error".into(),
            (None, None) => "neither finds the error".into(),
        };
        add!(page, "- {model}: {sentence}");
    }
}

fn beem(table: &Table, page: &mut String) {
    let rows: Vec<Row> = table.rows().collect();
    let complete: Vec<&Row> =
        rows.iter().filter(|row| row.text("complete") == Some("yes")).collect();
    let right = complete.iter().filter(|row| row.text("states") == row.text("expected_states"));
    let ratio =
        |row: &&Row| Some(row.real("cpu_seconds")? / row.real("explicit_cpu_seconds")?.max(0.01));
    let ratios: Vec<f64> = complete.iter().filter_map(ratio).collect();
    add!(page, "\n## BEEM\n");
    add!(
        page,
        "{} instances counted by `stats --engine symbolic`: {} whole, of these {} with the states \
         that are known, and all with the states, deadlocks and levels that the explicit engine \
         counts. Processor time to that engine's, in the geometric mean of those: {:.1}.",
        rows.len(),
        complete.len(),
        right.count(),
        geometric_mean(&ratios).unwrap_or(0.0)
    );
}
