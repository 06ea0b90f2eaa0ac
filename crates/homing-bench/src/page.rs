//! Pages made from tables: what all of them have in common.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::statistics::geometric_mean;
use crate::table::{Row, Table};

/// Writes a line onto a page, which cannot fail.
macro_rules! add {
    ($page:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        let _ = writeln!($page, $($text)*);
    }};
}
pub(crate) use add;

/// Writes what a table says onto the page.
pub type Section = fn(&Table, &mut String);

/// Writes the page `name` into the folder of its tables: the head, and a section for every
/// table that is there; parts not measured are left out.
pub fn write<const N: usize>(
    folder: &Path,
    (name, head): (&str, &str),
    parts: [(&str, Section); N],
) -> Result<()> {
    let mut page = String::from(head);
    for (table, section) in parts {
        if let Some(table) = table_in(folder, table)? {
            section(&table, &mut page);
        }
    }
    save(&folder.join(name), &page)
}

/// A table, where it is there.
pub fn table_in(folder: &Path, name: &str) -> Result<Option<Table>> {
    let path = folder.join(name);
    path.is_file().then(|| Table::read(&path)).transpose()
}

/// Writes a page to its file.
pub fn save(path: &Path, page: &str) -> Result<()> {
    fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes and prints a page; exit code 1 where the comparison failed.
pub fn finish(path: &Path, page: &str, failed: bool) -> Result<ExitCode> {
    save(path, page)?;
    println!("{page}");
    Ok(ExitCode::from(u8::from(failed)))
}

/// The wrong answers, where there are any.
pub fn wrong_answers(wrong: &[String], page: &mut String) {
    if !wrong.is_empty() {
        add!(page, "\nWrong answers:\n");
        wrong.iter().for_each(|error| add!(page, "- {error}"));
    }
}

/// Rows by the text of a column.
pub fn by<'a>(table: &'a Table, column: &str) -> BTreeMap<&'a str, Vec<Row<'a>>> {
    let mut by: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for row in table.rows() {
        by.entry(row.text(column).unwrap_or("-")).or_default().push(row);
    }
    by
}

/// How often each outcome occurs, and what it means, of those that do.
pub fn outcomes(
    what: &str,
    by_outcome: &BTreeMap<&str, Vec<Row<'_>>>,
    meanings: &[(&str, &str)],
    page: &mut String,
) {
    add!(page, "| {what} | outcome |\n|---:|---|");
    for (outcome, meaning) in meanings {
        if let Some(rows) = by_outcome.get(outcome) {
            add!(page, "| {} | {meaning} |", rows.len());
        }
    }
}

/// What a row says in some columns, as a row of the page.
pub fn cells(row: Row<'_>, columns: &[&str], page: &mut String) {
    let cells: Vec<String> = columns.iter().map(|column| escaped(row, column)).collect();
    add!(page, "| {} |", cells.join(" | "));
}

/// The text of a cell, as a cell of the page.
pub fn escaped(row: Row<'_>, column: &str) -> String {
    row.text(column).unwrap_or("–").replace('|', "\\|")
}

/// The named columns as a table of the page.
pub fn listed(table: &Table, columns: &[(&str, &str)], page: &mut String) {
    listed_rows(&table.rows().collect::<Vec<_>>(), columns, page);
}

/// The same of some rows.
pub fn listed_rows(rows: &[Row<'_>], columns: &[(&str, &str)], page: &mut String) {
    let heads: Vec<_> = columns.iter().map(|(_, head)| *head).collect();
    add!(page, "| {} |\n|---{}|", heads.join(" | "), "|---:".repeat(columns.len() - 1));
    for row in rows {
        let cells: Vec<_> =
            columns.iter().map(|(column, _)| row.text(column).unwrap_or("–")).collect();
        add!(page, "| {} |", cells.join(" | "));
    }
}

/// The numbers of a column.
pub fn numbers(table: &Table, column: &str) -> Vec<f64> {
    table.rows().filter_map(|row| row.real(column)).collect()
}

/// The least of some numbers.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Geometric mean and least of ratios.
pub fn summary(values: &[f64]) -> String {
    let mean = geometric_mean(values).unwrap_or(f64::NAN);
    format!("{mean:.2} in the geometric mean, {:.2} at least", least(values))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The pages that are committed are those that the committed tables make.
    #[test]
    fn pages_are_made_from_their_tables() {
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/results");
        let made: PathBuf =
            std::env::temp_dir().join(format!("homing-pages-{}", std::process::id()));
        fs::create_dir_all(&made).unwrap();
        for entry in fs::read_dir(&results).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "tsv") {
                fs::copy(&path, made.join(path.file_name().unwrap())).unwrap();
            }
        }
        for (name, write) in [
            ("auto.md", crate::auto::page::write as fn(&Path) -> Result<()>),
            ("lama.md", crate::lama::write),
            ("promela.md", crate::promela::page::write),
            ("timed.md", crate::timed::page::write),
            ("liveness.md", crate::liveness::page::write),
            ("reduction.md", crate::reduction::page::write),
        ] {
            write(&made).unwrap();
            let [made, committed] =
                [&made, &results].map(|folder| fs::read_to_string(folder.join(name)).unwrap());
            assert_eq!(made, committed, "{name}");
        }
        fs::remove_dir_all(&made).unwrap();
    }
}
