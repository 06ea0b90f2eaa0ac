//! What `homing compare` found: one run a strategy, as plain data and as a
//! table for people, for pages and for spreadsheets.

use std::io::{self, Write};

use anstyle::Style;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::format::Format;
use crate::outcome::{Statistics, Verdict};
use crate::style::{Palette, bytes, seconds};
use crate::text::Layout;
use homing_witness::outcome::one_line;

/// What `homing compare` found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompareOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the runs.
    pub command: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The runs, in the order they were made.
    pub runs: Vec<ComparedRun>,
    /// Whether every run asked for was made; if not, one did not fit its
    /// property or its store, or was interrupted.
    pub complete: bool,
    /// What homing cannot stand by: runs that contradict each other, or
    /// that failed for reasons of its own.
    pub internal_errors: Vec<String>,
}

/// One run: a strategy, a store, a property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRun {
    /// The property's name, or the text of a goal.
    pub property: String,
    /// The strategy expression.
    pub strategy: String,
    /// The store expression.
    pub store: String,
    /// Whether the property holds; none where the run could not be made.
    pub verdict: Option<Verdict>,
    /// Why that is the verdict, or why the run could not be made.
    pub reason: String,
    /// The number of steps of the trace.
    pub length: Option<u64>,
    /// Whether the trace is proven to be a shortest one.
    pub optimal: bool,
    /// Proven: no trace is shorter than this.
    pub at_least: Option<u64>,
    /// What the run took.
    pub statistics: Statistics,
    /// Seconds from the model's text to compiled code, before the search.
    pub compile_seconds: f64,
    /// What the user should know of it.
    pub notices: Vec<String>,
}

/// A column of the tables for people.
struct Column {
    name: &'static str,
    /// Numbers stand to the right.
    right: bool,
    /// Whether it is code, to be set off in Markdown.
    code: bool,
    cell: fn(&ComparedRun) -> String,
}

const NOTHING: &str = "-";

const fn words(name: &'static str, cell: fn(&ComparedRun) -> String) -> Column {
    Column { name, right: false, code: false, cell }
}

const fn numbers(name: &'static str, cell: fn(&ComparedRun) -> String) -> Column {
    Column { name, right: true, code: false, cell }
}

const fn code(name: &'static str, cell: fn(&ComparedRun) -> String) -> Column {
    Column { name, right: false, code: true, cell }
}

const PROPERTY: Column = code("property", |run| one_line(&run.property));
const STRATEGY: Column = code("strategy", |run| run.strategy.clone());
const STORE: Column = code("store", |run| run.store.clone());
const VERDICT: Column = words("verdict", |run| match run.verdict {
    Some(verdict) => verdict.to_string(),
    None => "not run".into(),
});
const REMARK: Column = words("remark", |run| match run.verdict {
    Some(Verdict::Holds | Verdict::Violated) => String::new(),
    Some(_) | None => one_line(&run.reason),
});
const MEASURED: [Column; 6] = [
    numbers("expanded", |run| if_run(run, run.statistics.expanded.to_string())),
    numbers("stored", |run| if_run(run, run.statistics.stored.to_string())),
    numbers("time", |run| if_run(run, seconds(run.statistics.seconds))),
    numbers("memory", |run| if_run(run, bytes(run.statistics.peak_bytes))),
    numbers("length", |run| run.length.map_or(NOTHING.into(), |length| length.to_string())),
    words("shortest", |run| match (run.length, run.optimal, run.at_least) {
        (None, _, _) => NOTHING.into(),
        (Some(_), true, _) => "yes".into(),
        // That a trace has a step at all says nothing.
        (Some(_), false, Some(least)) if least > 1 => format!("at least {least}"),
        (Some(_), false, _) => "not proven".into(),
    }),
];

/// A run that was not made has no figures.
fn if_run(run: &ComparedRun, figure: String) -> String {
    if run.verdict.is_some() { figure } else { NOTHING.into() }
}

impl CompareOutcome {
    /// The columns that say something: what all runs have in common is left
    /// out.
    fn columns(&self) -> Vec<Column> {
        let differ = |key: fn(&ComparedRun) -> &str| {
            self.runs.windows(2).any(|pair| key(&pair[0]) != key(&pair[1]))
        };
        let mut columns = Vec::new();
        columns.extend(differ(|run| &run.property).then_some(PROPERTY));
        columns.push(STRATEGY);
        columns.extend(differ(|run| &run.store).then_some(STORE));
        columns.push(VERDICT);
        columns.extend(MEASURED);
        let remarks = self.runs.iter().any(|run| !(REMARK.cell)(run).is_empty());
        columns.extend(remarks.then_some(REMARK));
        columns
    }
}

/// Writes a table.
pub type Tabulate = fn(&mut dyn Write, &CompareOutcome, &Layout) -> io::Result<()>;

/// What a table can be written as.
pub const FORMATS: &[Format<Tabulate>] = &[TEXT, MARKDOWN, CSV, JSON];

/// Aligned columns.
pub const TEXT: Format<Tabulate> = Format { name: "text", about: "aligned columns", write: text };

/// A table for a page.
pub const MARKDOWN: Format<Tabulate> = Format {
    name: "markdown",
    about: "for a page",
    write: |out, outcome, _| markdown(out, outcome),
};

/// Comma-separated values.
pub const CSV: Format<Tabulate> = Format {
    name: "csv",
    about: "for spreadsheets and programs",
    write: |out, outcome, _| csv(out, outcome),
};

/// One JSON object.
pub const JSON: Format<Tabulate> = Format {
    name: "json",
    about: "one object",
    write: |out, outcome, _| {
        serde_json::to_writer(&mut *out, outcome)?;
        writeln!(out)
    },
};

/// Writes the table for people.
pub fn text(out: &mut dyn Write, outcome: &CompareOutcome, layout: &Layout) -> io::Result<()> {
    let Palette { strong, faint, .. } = layout.palette;
    let columns = outcome.columns();
    let widths: Vec<usize> = columns.iter().map(|column| width(column, &outcome.runs)).collect();
    let line = |out: &mut dyn Write, cells: &mut dyn Iterator<Item = (String, Style)>| {
        // Blanks wait until something follows them.
        let mut blanks = 0;
        for (i, (cell, style)) in cells.enumerate().filter(|(_, (cell, _))| !cell.is_empty()) {
            let free = widths[i].saturating_sub(cell.chars().count());
            let (before, after) = if columns[i].right { (free, 0) } else { (0, free) };
            write!(out, "{:w$}{style}{cell}{style:#}", "", w = blanks + before)?;
            blanks = after + 2;
        }
        writeln!(out)
    };
    line(out, &mut columns.iter().map(|column| (column.name.to_string(), strong)))?;
    for run in &outcome.runs {
        let style = |column: &Column| match column.name == VERDICT.name {
            true => colour(run, &layout.palette),
            false => Style::new(),
        };
        line(out, &mut columns.iter().map(|column| ((column.cell)(run), style(column))))?;
    }
    for run in &outcome.runs {
        for notice in &run.notices {
            writeln!(out, "{faint}note: {}: {notice}{faint:#}", run.strategy)?;
        }
    }
    writeln!(out, "{faint}repeat with: {}{faint:#}", outcome.command)
}

fn width(column: &Column, runs: &[ComparedRun]) -> usize {
    let cells = runs.iter().map(|run| (column.cell)(run).chars().count());
    cells.fold(column.name.len(), usize::max)
}

fn colour(run: &ComparedRun, palette: &Palette) -> Style {
    match run.verdict {
        Some(Verdict::Holds) => palette.good,
        Some(Verdict::Violated) => palette.bad,
        _ => palette.unsure,
    }
}

/// Writes the table as Markdown.
pub fn markdown(out: &mut dyn Write, outcome: &CompareOutcome) -> io::Result<()> {
    let columns = outcome.columns();
    let row = |out: &mut dyn Write, cells: Vec<String>| writeln!(out, "| {} |", cells.join(" | "));
    row(out, columns.iter().map(|column| column.name.to_string()).collect())?;
    let rule = |column: &Column| if column.right { "--:" } else { "---" }.to_string();
    row(out, columns.iter().map(rule).collect())?;
    for run in &outcome.runs {
        let cell = |column: &Column| {
            // A bar would end the cell, even in code.
            let cell = (column.cell)(run).replace('|', r"\|");
            if column.code { format!("`{cell}`") } else { cell }
        };
        row(out, columns.iter().map(cell).collect())?;
    }
    Ok(())
}

/// Writes the table as comma-separated values (RFC 4180, but with the line
/// ends of this system): always all columns, figures without units.
pub fn csv(out: &mut dyn Write, outcome: &CompareOutcome) -> io::Result<()> {
    writeln!(
        out,
        "property,strategy,store,verdict,expanded,stored,generated,seconds,peak_bytes,length,\
         shortest,at_least,reason"
    )?;
    for run in &outcome.runs {
        let Statistics { stored, expanded, generated, seconds, peak_bytes, .. } = run.statistics;
        let figures = [
            expanded.to_string(),
            stored.to_string(),
            generated.to_string(),
            seconds.to_string(),
            peak_bytes.to_string(),
        ];
        let made = run.verdict.is_some();
        let mut cells = [&run.property, &run.strategy, &run.store].map(|text| field(text)).to_vec();
        cells.push((VERDICT.cell)(run));
        cells.extend(figures.map(|figure| if made { figure } else { String::new() }));
        cells.push(run.length.map_or(String::new(), |length| length.to_string()));
        cells.push(run.length.map_or(String::new(), |_| run.optimal.to_string()));
        cells.push(run.at_least.map_or(String::new(), |least| least.to_string()));
        cells.push(field(&run.reason));
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// A text as one field, quoted where it must be.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(strategy: &str, verdict: Option<Verdict>, reason: &str) -> ComparedRun {
        let found = verdict == Some(Verdict::Violated);
        ComparedRun {
            property: "a || b".into(),
            strategy: strategy.into(),
            store: "exact".into(),
            verdict,
            reason: reason.into(),
            length: found.then_some(37),
            optimal: strategy == "breadth",
            at_least: (strategy == "auto").then_some(31),
            statistics: Statistics {
                stored: 1200,
                expanded: 800,
                generated: 3000,
                work: 3000,
                seconds: 0.5,
                peak_bytes: 4096,
                queues: None,
            },
            compile_seconds: 0.0,
            notices: vec![],
        }
    }

    fn outcome() -> CompareOutcome {
        CompareOutcome {
            model: "m.dve".into(),
            command: "homing compare m.dve".into(),
            seed: 1,
            runs: vec![
                run("breadth", Some(Verdict::Violated), "found"),
                run("greedy(max([a, b]))", Some(Verdict::Violated), "found"),
                run("auto", Some(Verdict::Violated), "found"),
                run("depth", Some(Verdict::Unknown), "stopped by the time limit"),
                run("astar", None, "the store is not exact, \"so\""),
            ],
            complete: false,
            internal_errors: vec![],
        }
    }

    fn written(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut buffer = Vec::new();
        write(&mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn text_is_aligned() {
        let expected = r#"strategy             verdict   expanded  stored    time  memory  length  shortest     remark
breadth              violated       800    1200  0.50 s  4.1 kB      37  yes
greedy(max([a, b]))  violated       800    1200  0.50 s  4.1 kB      37  not proven
auto                 violated       800    1200  0.50 s  4.1 kB      37  at least 31
depth                unknown        800    1200  0.50 s  4.1 kB       -  -            stopped by the time limit
astar                not run          -       -       -       -       -  -            the store is not exact, "so"
repeat with: homing compare m.dve
"#;
        assert_eq!(written(|out| text(out, &outcome(), &Layout::plain())), expected);
    }

    #[test]
    fn columns_that_differ_are_shown() {
        let mut outcome = outcome();
        outcome.runs.truncate(2);
        let header = |outcome: &CompareOutcome| {
            let text = written(|out| text(out, outcome, &Layout::plain()));
            text.lines().next().unwrap().to_string()
        };
        assert!(!header(&outcome).contains("remark") && !header(&outcome).contains("store "));
        outcome.runs[1].store = "tree".into();
        outcome.runs[1].property = "deadlock".into();
        assert!(header(&outcome).starts_with("property  strategy "), "{}", header(&outcome));
        assert!(header(&outcome).contains("  store  "), "{}", header(&outcome));
    }

    #[test]
    fn markdown_has_as_many_cells_a_row() {
        let mut outcome = outcome();
        outcome.runs[1].property = "c".into();
        let table = written(|out| markdown(out, &outcome));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(
            lines[2],
            r"| `a \|\| b` | `breadth` | violated | 800 | 1200 | 0.50 s | 4.1 kB | 37 | yes |  |"
        );
        let cells = |line: &str| line.replace(r"\|", "").matches('|').count();
        assert!(lines.iter().all(|line| cells(line) == cells(lines[0])), "{table}");
    }

    #[test]
    fn csv_quotes_what_it_must() {
        let table = written(|out| csv(out, &outcome()));
        let lines: Vec<&str> = table.lines().collect();
        assert!(
            lines[1].starts_with("a || b,breadth,exact,violated,800,1200,3000,0.5,4096,37,true,")
        );
        assert!(lines[2].starts_with("a || b,\"greedy(max([a, b]))\",exact,"), "{}", lines[2]);
        assert_eq!(
            lines[5],
            "a || b,astar,exact,not run,,,,,,,,,\"the store is not exact, \"\"so\"\"\""
        );
    }
}
