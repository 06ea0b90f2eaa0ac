//! Whether reduced searches come to the verdicts of whole ones.
//!
//! Small models only: those that a search of everything finishes within so many states.
//! A row a model, question and reduction. Under `searches` stand the strategies, each
//! with the states that its reduced search stored; or with
//!
//! | sign | |
//! |---|---|
//! | `!VERDICT` | its verdict, where that is another: a mistake |
//! | `?` | nothing, where it did not come to one within ten times as many states |
//! | `-` | nothing, where homing does not search so |
//!
//! Every strategy has its own way to see to it that no step is ignored for ever, so each
//! is asked. Deadlocks are asked for alone as well: they need no proviso.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Options;
use crate::corpus::Corpus;
use crate::homing::{Check, Homing};
use crate::liveness::formulas;
use crate::measure::Limits;
use crate::promela::models;
use crate::table::{Report, cell};

pub const TABLE: &str = "reduction-verdicts.tsv";

const COLUMNS: &[&str] =
    &["model", "kind", "question", "reduction", "verdict", "states", "searches", "note"];

/// What a search may take, should it not end itself.
const LIMITS: Limits = Limits { memory: Some(4 << 30), seconds: Some(10) };

/// How many times more states than the whole search a reduced one in another order may
/// store.
const MORE: u64 = 10;

/// A kind of question, and the searches that answer it.
struct Kind {
    name: &'static str,
    /// The search of everything.
    whole: &'static str,
    strategies: &'static [&'static str],
    reductions: &'static [&'static str],
}

const ALL: &[&str] = &["static", "stubborn", "goal"];

const DEADLOCK: Kind = Kind {
    name: "deadlock",
    whole: "breadth",
    strategies: &["breadth", "depth", "dijkstra", "greedy(active)", "astar(active)"],
    reductions: ALL,
};

const FAILURES: Kind = Kind {
    name: "deadlock, assertions, errors",
    whole: "breadth",
    strategies: &["breadth", "depth", "dijkstra"],
    reductions: ALL,
};

const GOAL: Kind = Kind {
    name: "goal",
    whole: "breadth",
    strategies: &[
        "breadth",
        "depth",
        "greedy(hamming)",
        "astar(hamming)",
        "k-best(hamming)",
        "idastar",
    ],
    reductions: ALL,
};

const FORMULA: Kind = Kind {
    name: "formula",
    whole: "couvreur",
    strategies: &["couvreur", "nested", "ndfs", "tarjan", "owcty", "directed-nested"],
    reductions: &["static", "stubborn"],
};

/// A question about a model.
struct Question {
    model: String,
    path: PathBuf,
    kind: &'static Kind,
    /// What is asked, for the table.
    asked: String,
    /// The same, for the command line.
    options: Vec<String>,
}

impl Question {
    fn new(model: &str, path: &Path, kind: &'static Kind, asked: &str, options: &[&str]) -> Self {
        Question {
            model: model.to_owned(),
            path: path.to_owned(),
            kind,
            asked: asked.replace(['\t', '\n'], " "),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        }
    }

    /// Whether all states must be seen to answer it.
    fn needs_all(&self) -> bool {
        self.kind.name == FAILURES.name || self.kind.name == DEADLOCK.name
    }

    /// The questions that every model can be asked.
    fn general(model: &str, path: &Path) -> [Question; 2] {
        let failures =
            ["--property", "deadlock", "--property", "assertions", "--property", "errors"];
        [
            Question::new(model, path, &FAILURES, "-", &failures),
            Question::new(model, path, &DEADLOCK, "-", &failures[..2]),
        ]
    }
}

/// What a search came to.
struct Answer {
    verdicts: Vec<String>,
    stored: u64,
}

impl Answer {
    fn of(check: &Check) -> Answer {
        let stored = check.results.iter().map(|one| one.statistics.stored).max().unwrap_or(0);
        Answer { verdicts: check.results.iter().map(|one| one.verdict.clone()).collect(), stored }
    }

    fn is_decided(&self) -> bool {
        self.verdicts.iter().all(|verdict| verdict != "unknown")
    }

    /// Whether no verdict of the other is another; what one does not know, it does not say.
    fn agrees(&self, other: &Answer) -> bool {
        let differ = |(a, b): (&String, &String)| a != b && b != "unknown";
        !self.verdicts.iter().zip(&other.verdicts).any(differ)
    }
}

/// Asks everything; answers how many verdicts differ.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let mut differences = 0;
    // A model that is too large for one question about all its states is so for others.
    let mut too_large = None;
    for question in questions(options)?.iter().step_by(options.every.max(1)) {
        if question.needs_all() && too_large == Some(&question.path) {
            continue;
        }
        let whole = search(&homing, question, question.kind.whole, None, options.states)?;
        let Some(whole) = whole.ok().filter(Answer::is_decided) else {
            too_large = question.needs_all().then_some(&question.path);
            continue;
        };
        for reduction in question.kind.reductions {
            let compared = compare(&homing, question, reduction, &whole, options.states)?;
            if compared.differences > 0 {
                println!(
                    "{}, {} {}: {} whole, {reduction}: {}",
                    question.model,
                    question.kind.name,
                    question.asked,
                    whole.verdicts.join(" "),
                    compared.searches
                );
            }
            differences += compared.differences;
            report.row(&cells(question, reduction, &whole, &compared))?;
        }
    }
    Ok(differences)
}

fn questions(options: &Options) -> Result<Vec<Question>> {
    let corpus = options.common.setting.corpus()?;
    let mut all = of_beem(&corpus, options.states)?;
    for file in models::all(&corpus.promela_folder())? {
        all.extend(Question::general(&file.name, &file.path));
    }
    for known in formulas::all(&corpus)? {
        let asked = ["--ltl", &known.formula];
        all.push(Question::new(&known.name, &known.model, &FORMULA, &known.formula, &asked));
    }
    all.retain(|question| options.common.names(&question.model));
    Ok(all)
}

fn of_beem(corpus: &Corpus, states: u64) -> Result<Vec<Question>> {
    let mut all = Vec::new();
    for instance in corpus.beem()? {
        // A goal may be found long before everything was seen.
        if instance.states.is_some_and(|known| known <= states) {
            all.extend(Question::general(&instance.name, &instance.model));
        }
        for goal in &instance.goals {
            let options = ["--goal", &goal.expression];
            let (name, model) = (&instance.name, &instance.model);
            all.push(Question::new(name, model, &GOAL, &goal.expression, &options));
        }
    }
    Ok(all)
}

/// The reduced searches of a question.
struct Compared {
    searches: String,
    differences: usize,
    note: String,
}

fn compare(
    homing: &Homing,
    question: &Question,
    reduction: &str,
    whole: &Answer,
    states: u64,
) -> Result<Compared> {
    let mut searches = Vec::new();
    let mut compared = Compared { searches: String::new(), differences: 0, note: String::new() };
    for strategy in question.kind.strategies {
        let found = match search(homing, question, strategy, Some(reduction), MORE * states)? {
            Err(why) => {
                compared.note = why.replace(['\t', '\n'], " ");
                "-".to_owned()
            }
            Ok(answer) if !whole.agrees(&answer) => {
                compared.differences += 1;
                format!("!{}", answer.verdicts.join(","))
            }
            Ok(answer) if !answer.is_decided() => "?".to_owned(),
            Ok(answer) => answer.stored.to_string(),
        };
        searches.push(format!("{strategy}={found}"));
        if compared.note.contains(NONE_HERE) {
            break;
        }
    }
    compared.searches = searches.join(" ");
    Ok(compared)
}

/// What homing says where a model cannot be reduced, whatever the strategy.
const NONE_HERE: &str = "no partial-order reduction here";

fn search(
    homing: &Homing,
    question: &Question,
    strategy: &str,
    reduction: Option<&str>,
    states: u64,
) -> Result<std::result::Result<Answer, String>> {
    let states = states.to_string();
    let mut options: Vec<&str> = question.options.iter().map(String::as_str).collect();
    options.extend(["--strategy", strategy, "--states", &states, "--time", "8s"]);
    options.extend(reduction.iter().flat_map(|reduction| ["--reduction", reduction]));
    let found = homing.try_check(&question.path, &options, LIMITS)?;
    Ok(found.map(|(check, _)| Answer::of(&check)))
}

fn cells(question: &Question, reduction: &str, whole: &Answer, compared: &Compared) -> Vec<String> {
    vec![
        question.model.clone(),
        question.kind.name.to_owned(),
        question.asked.clone(),
        reduction.to_owned(),
        whole.verdicts.join(" "),
        whole.stored.to_string(),
        compared.searches.clone(),
        cell(Some(&compared.note).filter(|note| !note.is_empty())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(verdicts: &[&str]) -> Answer {
        Answer { verdicts: verdicts.iter().map(|one| (*one).to_owned()).collect(), stored: 1 }
    }

    #[test]
    fn a_search_that_did_not_end_says_nothing() {
        let whole = answer(&["holds", "violated"]);
        assert!(whole.agrees(&answer(&["holds", "unknown"])));
        assert!(!whole.agrees(&answer(&["unknown", "holds"])));
        assert!(!answer(&["unknown"]).is_decided() && whole.is_decided());
    }
}
