//! The page that sets the papers' figures beside ours.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::published::{AUTO, Average, Column, Lengths, Printed, averages};
use super::runs::{Cell, Run};
use super::{Options, Results, beaten, queues};
use crate::statistics::median;
use crate::table::command_line;

/// A search that speed is asked of, and what came of it.
type Asked = (&'static str, &'static str, u64, Result<Run, String>);

/// The whole page.
pub fn page(
    options: &Options,
    all: &[Results],
    asked: &[Asked],
    wrong: &[String],
) -> Result<String> {
    let averages = averages()?;
    let mut page = format!("<!-- {} -->\n# The papers' experiments\n\n", command_line());
    page.push_str(&introduction(options));
    for results in all.iter().filter(|results| !results.rows.is_empty()) {
        let _ = writeln!(page, "\n## {}\n", results.experiment.title);
        page.push_str(&strategies(results.experiment.columns));
        page.push_str(&table(results, all));
        page.push_str(&refusals(results));
    }
    let averaged =
        |results: &&Results| averages.iter().any(|one| one.key == results.experiment.key);
    if all.iter().filter(averaged).any(|results| !results.rows.is_empty()) {
        let _ = writeln!(page, "\n## Interference contexts, Table 4: averages\n");
        page.push_str(&summary(all, &averages));
        let _ = writeln!(page, "\n## Interference contexts, Table 5: use of the queues\n");
        page.push_str(&queues::table(all));
    }
    if !asked.is_empty() {
        let _ = writeln!(page, "\n## Searches that speed is asked of\n");
        page.push_str(&speed(options, asked));
    }
    page.push_str(&pictures(options));
    if !wrong.is_empty() {
        let _ = writeln!(page, "\n## Wrong answers\n");
        wrong.iter().for_each(|error| {
            let _ = writeln!(page, "- {error}");
        });
    }
    Ok(page)
}

fn introduction(options: &Options) -> String {
    format!(
        "\
K. Dräger, B. Finkbeiner, A. Podelski, *Directed model checking with distance-preserving
abstractions*, STTT 11 (2009), and M. Wehrle, S. Kupferschmid, *Context-enhanced directed
model checking*, SPIN 2010: what they printed, and what homing does now.

- **Every model here is our reconstruction.** The papers describe the families in a few
  sentences; `homing-bench family` writes ours, and the headers of
  `crates/homing-bench/src/family` say what else was known, and which of the papers'
  figures they meet. Explored states can be compared in their order of magnitude only.
- F is Fischer's protocol, M and N mutual exclusion by polling, S (C in the first paper) the
  single-tracked line segment: timed automata. The others have no time. States of timed
  models are zones. The second paper's tool made its estimates without clocks, as homing does.
- Of each pair of columns the first is the paper's.
- Explored states are expanded ones. Seconds are those of compiling the model, making the
  estimate's tables and searching. Confirming and printing the trace comes on top, which is
  much where it has a million steps: `papers.tsv` has the processor time of the whole
  command too. The papers' seconds are from machines of their time.
- Lengths are steps. The first paper prints 2L + 1 for L steps, and L + 1 in the families M,
  N and C; here its lengths are converted to steps, `papers.tsv` has them as printed.
- `–` is not found within {} s and {} of memory, or left out because a smaller model of
  the family was not; `(k/n)` is found in k of n runs, the mean being over these; in the
  papers `*` is out of time, `**` out of memory, `***` either on some instances. The papers
  allowed 30 minutes and 4 GB.
- *Default* is `auto(improve=0)`, on the first line of a model, within {} s. *Best beaten* says
  whether it explores fewer states than the paper's best configuration did: `yes`, or which of our
  configurations in the table does, or `no`.
- A row R is the mean over {} random systems, rDF over three seeds.
- The first paper's FSM is the sum in greedy search and the maximum in A*, which needs an
  admissible estimate; it does not say which it took.
",
        options.seconds, options.memory, options.long_seconds, options.systems
    )
}

/// What we run for each of the paper's names.
fn strategies(columns: &[Column]) -> String {
    let named = |column: &Column| format!("{} is `{}`", column.name, column.strategy);
    format!("{}.\n\n", columns.iter().map(named).collect::<Vec<_>>().join("; "))
}

/// A line a model and configuration.
fn table(results: &Results, all: &[Results]) -> String {
    let experiment = results.experiment;
    let mut heads = vec!["", "", "explored", "ours", "seconds", "ours", "length", "ours"];
    // The default beside itself would say nothing.
    let with_default = experiment.key != AUTO.key;
    heads.extend(beaten::HEADS.into_iter().filter(|_| with_default));
    let mut lines = Vec::new();
    for (model, all_printed, cells) in &results.rows {
        for (i, (printed, cell)) in all_printed.iter().zip(cells).enumerate() {
            // A model's name stands on its first line only.
            let name = if i == 0 { *model } else { "" };
            let mut line = vec![name.to_string(), experiment.columns[i].name.to_string()];
            line.extend(pairs(experiment.lengths, model, printed, cell));
            let default = || beaten::default_on(all, model);
            line.extend(match i {
                _ if !with_default => Vec::new(),
                0 => beaten::cells(default(), experiment.columns, all_printed, cells).to_vec(),
                _ => vec![String::new(); beaten::HEADS.len()],
            });
            lines.push(line);
        }
    }
    aligned(&heads, &lines)
}

/// The paper's figures, each with ours behind it.
fn pairs(lengths: Lengths, model: &str, printed: &Printed, cell: &Cell) -> [String; 6] {
    let length = printed.length.map(|length| steps(lengths, model, length));
    let text = |printed: Option<&str>| printed.unwrap_or("").to_string();
    let share = match cell.counts() {
        (solved, runs) if solved > 0 && solved < runs => format!(" ({solved}/{runs})"),
        _ => String::new(),
    };
    let ours = |value: Option<f64>, shown: fn(f64) -> String| match (cell, value) {
        (Cell::Refused(_), _) => "refused".into(),
        (_, Some(value)) => shown(value),
        (_, None) => "–".into(),
    };
    [
        text(printed.explored),
        ours(cell.mean(|run| run.explored), count) + &share,
        text(printed.seconds),
        ours(cell.mean(|run| run.seconds), seconds),
        length.unwrap_or_default(),
        ours(cell.mean(|run| run.length.unwrap_or(0.0)), count),
    ]
}

/// Why configurations were refused, each reason once.
fn refusals(results: &Results) -> String {
    let mut reasons: BTreeMap<&str, &str> = BTreeMap::new();
    for (_, _, cells) in &results.rows {
        for (column, cell) in results.experiment.columns.iter().zip(cells) {
            if let Cell::Refused(sentence) = cell {
                reasons.insert(column.name, sentence);
            }
        }
    }
    let lines = reasons.iter().map(|(name, sentence)| format!("\n{name} is refused: {sentence}\n"));
    lines.collect()
}

/// A figure of a run, and how it is shown.
type Shown = (fn(&Run) -> f64, fn(f64) -> String);

/// Table 4: averages over what all configurations of a group solved.
fn summary(all: &[Results], averages: &[Average]) -> String {
    let text = String::from(
        "Averages are over the instances that every configuration of the group solved, which \
         are others for the paper than for us.\n\n",
    );
    let heads = [
        "",
        "",
        "explored, mean",
        "ours",
        "median",
        "ours",
        "seconds, mean",
        "ours",
        "median",
        "ours",
        "length, mean",
        "ours",
        "median",
        "ours",
        "solved of 27",
        "ours",
    ];
    let mut lines = Vec::new();
    let mut last = "";
    for line in averages {
        let Some(results) = all.iter().find(|results| results.experiment.key == line.key) else {
            continue;
        };
        let columns = results.experiment.columns;
        let Some(place) = columns.iter().position(|column| column.name == line.name) else {
            continue;
        };
        let mut cells = vec![
            if line.group == last { String::new() } else { line.group.to_string() },
            line.name.to_string(),
        ];
        let common = results.solved_by_all(place);
        let ours: [Shown; 3] = [
            (|run| run.explored, count),
            (|run| run.seconds, seconds),
            (|run| run.length.unwrap_or(0.0), count),
        ];
        for ([mean, middle], (of, how)) in line.averages.iter().zip(ours) {
            let values: Vec<f64> = common.iter().filter_map(|cell| cell.mean(of)).collect();
            let shown = |value: Option<f64>| value.map_or("–".into(), how);
            cells.extend([mean.to_string(), shown(average(&values))]);
            cells.extend([middle.to_string(), shown(median(&values))]);
        }
        let solved = results.rows.iter().filter(|(_, _, cells)| cells[place].solved()).count();
        cells.extend([line.solved.to_string(), format!("{solved} of {}", results.rows.len())]);
        lines.push(cells);
        last = line.group;
    }
    text + &aligned(&heads, &lines)
}

impl Results {
    /// The cells of one column, of those rows that every column solved that is not
    /// refused.
    fn solved_by_all(&self, place: usize) -> Vec<&Cell> {
        let refused = |place: &usize| {
            self.rows.iter().any(|(_, _, cells)| matches!(cells[*place], Cell::Refused(_)))
        };
        let used = (0..self.experiment.columns.len()).filter(|place| !refused(place));
        let used: Vec<usize> = used.collect();
        let rows = self.rows.iter();
        rows.filter(|(_, _, cells)| used.iter().all(|place| cells[*place].solved()))
            .map(|(_, _, cells)| &cells[place])
            .collect()
    }
}

fn average(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn speed(options: &Options, asked: &[Asked]) -> String {
    let heads = ["", "strategy", "asked", "seconds", "whole command", "explored", "length"];
    let line = |(model, strategy, most, run): &Asked| {
        let found = run.as_ref().ok().and_then(|run| Some((run, run.length?)));
        let mut line = vec![model.to_string(), format!("`{strategy}`"), format!("{most} s")];
        line.extend(match (run, found) {
            (_, Some((run, length))) => [
                seconds(run.seconds),
                seconds(run.command),
                count(run.explored),
                length.to_string(),
            ],
            (Err(_), _) => ["refused".into(), String::new(), String::new(), String::new()],
            (Ok(_), None) => {
                [format!("> {}", options.long_seconds), String::new(), String::new(), String::new()]
            }
        });
        line
    };
    aligned(&heads, &asked.iter().map(line).collect::<Vec<_>>())
}

fn pictures(options: &Options) -> String {
    let all = [
        (
            "H3",
            "Fig. 6",
            "papers-fig6.svg",
            "The mean relative error of the abstraction when states near the error are told \
             apart first, and when those far from it are.",
        ),
        (
            "A2",
            "Fig. 7",
            "papers-fig7.svg",
            "The same for the two composition strategies: by ranking, and in the order of the \
             model.",
        ),
        (
            "R8",
            "Fig. 8",
            "papers-fig8.svg",
            "Running time by the bound N. The paper's system is not known. Ours is not a typical \
             one: it is that system of R8 whose explored states differ most between N = 10 and \
             N = 150. The paper's times fall until N is 60 to 80, then rise.",
        ),
    ];
    let wanted = all.into_iter().filter(|(model, ..)| options.wants(model) || options.keep);
    let text =
        |(_, title, file, about)| format!("\n### {title}\n\n{about}\n\n![{title}]({file})\n");
    let figures: String = wanted.map(text).collect();
    match figures.is_empty() {
        true => figures,
        false => format!("\n## Figures of the first paper\n{figures}"),
    }
}

/// A length in steps, where it is a number.
fn steps(lengths: Lengths, model: &str, length: &str) -> String {
    let Ok(number) = length.parse::<f64>() else {
        return length.to_string();
    };
    match lengths {
        Lengths::Steps => length.to_string(),
        Lengths::States if model.starts_with(['M', 'N', 'C']) => count(number - 1.0),
        Lengths::States => count((number - 1.0) / 2.0),
    }
}

/// A count as the papers print it: exactly while it is short.
pub fn count(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{value:.1e}"),
        value if (value - value.round()).abs() < 0.05 || value >= 1000.0 => format!("{value:.0}"),
        value => format!("{value:.1}"),
    }
}

/// Seconds, with as many digits as they deserve.
pub fn seconds(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { format!("{value:.1}") }
}

/// What is shown of a cell while the run goes on.
pub fn glance(cell: &Cell) -> String {
    match (cell, cell.mean(|run| run.explored), cell.mean(|run| run.seconds)) {
        (Cell::Refused(_), ..) => "refused".into(),
        (_, Some(explored), Some(time)) => format!("{} in {} s", count(explored), seconds(time)),
        _ => "–".into(),
    }
}

/// A table of Markdown whose columns are aligned in its source, too. All but
/// the first two columns are numbers.
pub fn aligned(heads: &[&str], lines: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.chain([heads[column].chars().count(), 3]).max().unwrap_or(3)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let row = |cells: Vec<&str>| {
        let mut row = String::from("|");
        for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let _ = match i < 2 {
                true => write!(row, " {cell:<width$} |"),
                false => write!(row, " {cell:>width$} |"),
            };
        }
        row + "\n"
    };
    let mut table = row(heads.to_vec());
    table.push('|');
    for (i, width) in widths.iter().enumerate() {
        let _ = match i < 2 {
            true => write!(table, " {} |", "-".repeat(*width)),
            false => write!(table, " {}: |", "-".repeat(width - 1)),
        };
    }
    table.push('\n');
    for line in lines {
        table.push_str(&row(line.iter().map(String::as_str).collect()));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let lines = [vec!["A2".to_string(), "FSM".into(), "54".into()]];
        let table = aligned(&["", "", "explored"], &lines);
        let expected = "|     |     | explored |\n| --- | --- | -------: |\n\
                        | A2  | FSM |       54 |\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn lengths_of_the_first_paper_become_steps() {
        let first = |model, length| steps(Lengths::States, model, length);
        assert_eq!(first("A2", "25"), "12");
        assert_eq!(first("A2", "46"), "22.5");
        assert_eq!(first("A5", "***"), "***");
        assert_eq!(first("H7", "2.0e5"), "100000");
        assert_eq!(first("N1", "50"), "49");
        assert_eq!(steps(Lengths::Steps, "N1", "49"), "49");
    }

    #[test]
    fn counts_are_short() {
        assert_eq!(count(448.0), "448");
        assert_eq!(count(12.34), "12.3");
        assert_eq!(count(377_394.4), "377394");
        assert_eq!(count(1.534e7), "1.5e7");
    }
}
