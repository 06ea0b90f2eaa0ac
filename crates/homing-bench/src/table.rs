//! Tables of tab-separated values: read from the corpus, written as results.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A table read from a file: rows of cells under named columns.
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row of a [`Table`].
#[derive(Clone, Copy)]
pub struct Row<'a> {
    columns: &'a [String],
    cells: &'a [String],
}

impl Table {
    /// Reads a table whose first line names the columns.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    /// Reads a table from its text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with("# ")).map(cells);
        let Some(columns) = lines.next() else {
            bail!("the table has no line of column names");
        };
        Ok(Self { columns, rows: lines.collect() })
    }

    /// All rows, in file order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }
}

fn cells(line: &str) -> Vec<String> {
    line.split('\t').map(|cell| cell.trim().to_owned()).collect()
}

impl<'a> Row<'a> {
    /// The text under `column`; nothing where the cell is missing, empty or `-`.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|name| name == column)?;
        let cell = self.cells.get(place)?.as_str();
        (!cell.is_empty() && cell != "-").then_some(cell)
    }

    /// The real number under `column`.
    pub fn real(&self, column: &str) -> Option<f64> {
        self.text(column)?.parse().ok()
    }

    /// The number under `column`; nothing where there is no plain number.
    pub fn number(&self, column: &str) -> Option<u64> {
        self.text(column)?.parse().ok()
    }
}

/// Writes a result row by row, so that an interrupted run keeps what it has.
pub struct Report {
    file: BufWriter<File>,
    width: usize,
}

impl Report {
    /// Creates `path` with its folders; the first line is the present command.
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self> {
        let mut report = Self::open(path, columns.len())?;
        report.remark(&command_line())?;
        report.line(&columns.join("\t"))?;
        Ok(report)
    }

    /// The same without the command, for what other commands will read.
    pub fn create_plain(path: &Path, columns: &[&str]) -> Result<Self> {
        let mut report = Self::open(path, columns.len())?;
        report.line(&columns.join("\t"))?;
        Ok(report)
    }

    /// Opens `path` for further rows under the columns it has; creates it where it is not
    /// there.
    pub fn extend(path: &Path, columns: &[&str]) -> Result<Self> {
        if !path.is_file() {
            return Self::create(path, columns);
        }
        let file = File::options().append(true).open(path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file: BufWriter::new(file), width: columns.len() })
    }

    fn open(path: &Path, width: usize) -> Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file: BufWriter::new(file), width })
    }

    /// Adds a row, in the order of the columns.
    pub fn row(&mut self, cells: &[String]) -> Result<()> {
        if cells.len() != self.width {
            bail!("a row of {} cells for {} columns", cells.len(), self.width);
        }
        self.line(&cells.join("\t"))
    }

    /// Adds the rows that were measured for `name`, and shows them; or says why there are
    /// none.
    pub fn measured(&mut self, name: &str, rows: Result<Vec<Vec<String>>>) -> Result<()> {
        match rows {
            Ok(rows) => rows.iter().try_for_each(|cells| self.told(cells)),
            Err(error) => self.left_out(name, &format!("{error:#}")),
        }
    }

    /// Adds a row, and shows it.
    pub fn told(&mut self, cells: &[String]) -> Result<()> {
        println!("{}", cells.join(" "));
        self.row(cells)
    }

    /// Says why there are no rows for `name`.
    pub fn left_out(&mut self, name: &str, why: &str) -> Result<()> {
        self.remark(&format!("left out: {name}: {why}").replace('\n', " "))
    }

    /// Adds a line that is not data.
    pub fn remark(&mut self, text: &str) -> Result<()> {
        self.line(&format!("# {text}"))
    }

    fn line(&mut self, text: &str) -> Result<()> {
        writeln!(self.file, "{text}")?;
        self.file.flush().context("cannot write the result")
    }
}

/// The command as typed, without the folder this program happens to lie in.
pub fn command_line() -> String {
    std::iter::once("homing-bench".to_owned())
        .chain(std::env::args().skip(1))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A cell for a value that may be unknown.
pub fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_cells_are_nothing() {
        let table = Table::parse("model\tstates\tlevels\nat.1\t12\nat.2\t-\t7\n").unwrap();
        let rows: Vec<_> = table.rows().collect();
        assert_eq!(rows[0].text("model"), Some("at.1"));
        assert_eq!(rows[0].number("states"), Some(12));
        assert_eq!(rows[0].number("levels"), None);
        assert_eq!(rows[1].number("states"), None);
        assert_eq!(rows[1].number("levels"), Some(7));
        assert_eq!(rows[1].number("no such column"), None);
    }

    #[test]
    fn a_table_needs_column_names() {
        assert!(Table::parse("").is_err());
    }
}
