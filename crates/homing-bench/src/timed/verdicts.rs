//! Which files of the corpus are read, and whether known outcomes are met.
//!
//! ```text
//! outcome known by            of
//! the file's name             E<> Node0.Done of `…_sat`, `…_unsat`
//! UPPAAL's own answer         queries with a <result> in the XML
//! a comment of the query      "is not satisfied" and the like
//! TChecker                    labels of models in its language
//! ```

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::Options;
use super::explained;
use super::models::{File, goal, labels};
use super::tchecker::TChecker;
use crate::homing::{Check, Homing};
use crate::measure::Limits;
use crate::table::Report;

pub const TABLE: &str = "timed-verdicts.tsv";

const COLUMNS: &[&str] =
    &["file", "result", "holds", "violated", "unknown", "known", "met", "seconds", "note"];

/// Compares; returns the number of unexplained differences.
pub fn run(options: &Options) -> Result<usize> {
    let judge = Judge {
        homing: options.common.setting.homing()?,
        tchecker: options.tchecker(),
        seconds: options.seconds,
    };
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut wrong = 0;
    for file in options.models()? {
        let row = judge.row(&file).with_context(|| file.name.clone())?;
        wrong += usize::from(row.result == "different");
        if row.result != "read" {
            println!("{}: {}: {}", row.result, file.name, row.note);
        }
        report.row(&row.cells(&file.name))?;
    }
    println!("{wrong} known outcomes not met");
    Ok(wrong)
}

struct Judge {
    homing: Homing,
    tchecker: TChecker,
    seconds: u64,
}

/// A file's row.
#[derive(Default)]
struct Judged {
    /// `read`, `different`, `explained`, or why there are no verdicts.
    result: &'static str,
    /// Queries by verdict.
    verdicts: [usize; 3],
    /// Outcomes known, and how many of those with a verdict are met.
    known: usize,
    met: usize,
    seconds: f64,
    note: String,
}

impl Judged {
    fn cells(&self, file: &str) -> Vec<String> {
        let note = if self.note.is_empty() { "-" } else { &self.note };
        let [holds, violated, unknown] = self.verdicts.map(|count| count.to_string());
        vec![
            file.to_owned(),
            self.result.to_owned(),
            holds,
            violated,
            unknown,
            self.known.to_string(),
            self.met.to_string(),
            format!("{:.2}", self.seconds),
            note.replace(['\t', '\n'], " "),
        ]
    }
}

const VERDICTS: [&str; 3] = ["holds", "violated", "unknown"];

impl Judge {
    fn row(&self, file: &File) -> Result<Judged> {
        let text = file.text()?;
        if file.name.ends_with(".xml") && !text.contains("<nta") {
            return Ok(Judged { result: "no model", ..Judged::default() });
        }
        // Some models of TChecker are named as if they were UPPAAL's.
        let foreign = text.lines().any(|line| line.trim_start().starts_with("system:"));
        let path = &file.path;
        let time = format!("{}s", self.seconds);
        let mut options = vec!["--time", &time, "--memory", "2G"];
        let labels = if foreign { labels(&text) } else { Vec::new() };
        let goal = goal(&labels);
        if !labels.is_empty() {
            options.extend(["--goal", &goal]);
        }
        let queries = queries(file).map(|path| path.display().to_string());
        if let Some(queries) = &queries {
            options.extend(["--queries", queries]);
        }
        let limits = Limits { memory: Some(8 << 30), seconds: Some(self.seconds + 5) };
        let checked = match self.homing.try_check(path, &options, limits)? {
            Ok((check, measured)) => (check, measured.cpu_seconds),
            Err(note) => {
                let (result, note) = match (refusal(&note), explained::no_model(&file.name)) {
                    ("refused", Some(reason)) => ("no model", format!("{note} ({reason})")),
                    (result, _) => (result, note),
                };
                return Ok(Judged { result, note, ..Judged::default() });
            }
        };
        let mut outcomes = known(&file.name, &text);
        if !labels.is_empty() {
            let limits = Limits { memory: Some(4 << 30), seconds: Some(self.seconds) };
            let told = self.tchecker.search(path, "covreach", "bfs", &labels, limits);
            if let Ok(Some((told, _))) = told {
                let by = "TChecker".to_owned();
                outcomes.push(Outcome { property: goal, holds: !told.reachable, by });
            }
        }
        Ok(compare(&file.name, &checked.0, checked.1, &outcomes))
    }
}

/// An outcome that is known.
#[derive(Debug, PartialEq)]
struct Outcome {
    property: String,
    holds: bool,
    by: String,
}

fn compare(file: &str, check: &Check, seconds: f64, known: &[Outcome]) -> Judged {
    let count = |verdict: &&str| check.results.iter().filter(|r| r.verdict == *verdict).count();
    let mut judged = Judged {
        result: "read",
        verdicts: std::array::from_fn(|index| count(&VERDICTS[index])),
        known: known.len(),
        seconds,
        ..Judged::default()
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    for outcome in known {
        let wanted = squeezed(&outcome.property);
        let found = check.results.iter().find(|result| squeezed(&result.property) == wanted);
        match found.map(|result| result.verdict.as_str()) {
            Some("holds") if outcome.holds => judged.met += 1,
            Some("violated") if !outcome.holds => judged.met += 1,
            Some(verdict @ ("holds" | "violated")) => {
                judged.result = "different";
                judged.note = format!("{}: {verdict}, unlike {}", outcome.property, outcome.by);
            }
            _ => {}
        }
    }
    if judged.result == "different"
        && let Some(reason) = explained::verdict(file)
    {
        judged.result = "explained";
        judged.note = reason.to_owned();
    }
    judged
}

/// What kind of model is refused, by the sentence.
pub fn refusal(sentence: &str) -> &'static str {
    let says = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    if says(&["exit ", "a signal"]) {
        "ended"
    } else if says(&STATISTICAL) {
        "statistical"
    } else if says(&DYNAMIC) {
        "dynamic"
    } else if says(&EXTENSIONS) {
        "extension"
    } else {
        "refused"
    }
}

/// Words of refusals of what only statistical checking and hybrid systems have: real
/// numbers, and clocks at other rates than those of stopwatches.
const STATISTICAL: [&str; 9] = [
    "hybrid",
    "what is not checked",
    "double",
    "with a point",
    "real numbers",
    "other rates than 0 and 1",
    "probabilit",
    "statistic",
    "stochastic",
];

/// Words of refusals of processes that start and end.
const DYNAMIC: [&str; 2] = ["dynamic", "spawn"];

/// Words of refusals of other extensions of UPPAAL.
const EXTENSIONS: [&str; 5] =
    ["functions of a library", "external", "sequence charts", "after_update", "before_update"];

/// The queries that belong to a model: those beside it under its name, and those
/// of the circuits, which share theirs.
fn queries(file: &File) -> Option<PathBuf> {
    let shared = file.path.with_file_name("rt-sat.q");
    let circuit = file.name.ends_with("sat.xml") && shared.is_file();
    let own = file.path.with_extension("q");
    if circuit { Some(shared) } else { own.is_file().then_some(own) }
}

/// What the file itself tells of outcomes.
fn known(name: &str, text: &str) -> Vec<Outcome> {
    let mut known = Vec::new();
    if name.ends_with("sat.xml") && name.contains("ticktac") {
        let (property, by) = ("E<>Node0.Done".to_owned(), "its name".to_owned());
        known.push(Outcome { property, holds: !name.contains("unsat"), by });
    }
    for query in text.split("<query>").skip(1) {
        let query = query.split("</query>").next().unwrap_or_default();
        let Some(formula) = element(query, "formula") else { continue };
        let property = unescaped(formula.trim());
        let said = element(query, "comment").unwrap_or_default();
        let quality = query.contains("type=\"quality\"");
        if quality && query.contains("outcome=\"success\"") {
            known.push(Outcome { property, holds: true, by: "UPPAAL".into() });
        } else if quality && query.contains("outcome=\"failure\"") {
            known.push(Outcome { property, holds: false, by: "UPPAAL".into() });
        } else if said.contains("is not satisfied by this model") {
            known.push(Outcome { property, holds: false, by: "its comment".into() });
        } else if said.contains(": satisfied, i.e.") {
            known.push(Outcome { property, holds: true, by: "its comment".into() });
        }
    }
    known
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inner, _)| inner)
}

fn unescaped(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_found_in_names_and_queries() {
        let text = "<query><formula>E&lt;&gt; P.a</formula><comment/>\
                    <result outcome=\"failure\" type=\"quality\"/></query>\
                    <query><formula>A[] P.b</formula></query>";
        let outcome = |property: &str, holds, by: &str| Outcome {
            property: property.into(),
            holds,
            by: by.into(),
        };
        assert_eq!(known("a.xml", text), [outcome("E<> P.a", false, "UPPAAL")]);
        let named = [outcome("E<>Node0.Done", false, "its name")];
        assert_eq!(known("ticktac-generated/g1_unsat.xml", ""), named);
    }

    #[test]
    fn refusals_are_told_apart() {
        assert_eq!(refusal("`double` is not supported: only whole numbers"), "statistical");
        assert_eq!(refusal("clocks at other rates than 0 and 1 are not supported"), "statistical");
        assert_eq!(refusal("`fint` computes real numbers: not supported"), "statistical");
        assert_eq!(refusal("not supported: dynamic templates"), "dynamic");
        assert_eq!(refusal("live sequence charts are not supported"), "extension");
        assert_eq!(refusal("expected `)`, found `2`"), "refused");
        assert_eq!(refusal("a signal: nothing on standard error"), "ended");
    }
}
