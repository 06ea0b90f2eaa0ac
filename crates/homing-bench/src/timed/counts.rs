//! What TChecker expects of its own tests, row by row.
//!
//! `expected-stats.tsv` names a test by all its settings:
//!
//! ```text
//! covreach-MODEL_COVER_zg_SEMANTICS_EXTRAPOLATION_ORDER_FORMAT
//! tck-reach-MODEL_ALGORITHM_ORDER         (extraLU+l, elapsed)
//! ```
//! Reachability is compared on every row. Zones stored are compared where
//! everything was explored breadth-first: then both have the same zones to keep,
//! up to the order of steps. Depth-first, zones depend on which successor is
//! last, which is each tool's own affair; they are shown and not counted.

use anyhow::{Context, Result, bail};

use super::Options;
use super::explained;
use super::models::{goal, labels};
use crate::homing::Homing;
use crate::measure::Limits;
use crate::table::{Report, Row, Table, cell};

pub const TABLE: &str = "timed-tchecker.tsv";

const COLUMNS: &[&str] = &[
    "suite",
    "model",
    "subsumption",
    "semantics",
    "extrapolation",
    "order",
    "result",
    "tchecker_reachable",
    "homing_reachable",
    "tchecker_stored",
    "homing_stored",
    "tchecker_visited",
    "homing_visited",
    "note",
];

/// A test: its model and the settings of its search.
#[derive(Debug, PartialEq)]
struct Test<'a> {
    model: &'a str,
    /// `inclusion`, `aMg`, … as TChecker names them; `none` keeps all zones.
    cover: &'a str,
    semantics: &'a str,
    extrapolation: &'a str,
    order: &'a str,
}

impl<'a> Test<'a> {
    /// Reads a test's name. Nothing for what is another algorithm, or the same
    /// test with another output.
    fn parse(suite: &str, name: &'a str) -> Option<Test<'a>> {
        match suite {
            "covreach" => {
                let rest = name.strip_prefix("covreach-")?.strip_suffix("_raw")?;
                let (rest, order) = rest.rsplit_once('_')?;
                let (rest, extrapolation) = rest.rsplit_once('_')?;
                let (rest, semantics) = rest.rsplit_once('_')?;
                let (model, cover) = rest.strip_suffix("_zg")?.rsplit_once('_')?;
                let known = !matches!(cover, "async");
                known.then_some(Test { model, cover, semantics, extrapolation, order })
            }
            "algos" => {
                let rest = name.strip_prefix("tck-reach-")?;
                let (rest, order) = rest.rsplit_once('_')?;
                let (model, algorithm) = rest.rsplit_once('_')?;
                let cover = match algorithm {
                    "covreach" => "inclusion",
                    "reach" => "none",
                    _ => return None,
                };
                let (semantics, extrapolation) = ("elapsed", "extraLU+l");
                Some(Test { model, cover, semantics, extrapolation, order })
            }
            _ => None,
        }
    }

    /// The same settings for homing.
    fn options(&self) -> Result<Vec<&'static str>> {
        let mut options = match self.extrapolation.strip_suffix(['g', 'l']) {
            Some("extraM") => vec!["--extrapolation", "m"],
            Some("extraM+") => vec!["--extrapolation", "m+"],
            Some("extraLU") => vec!["--extrapolation", "lu"],
            Some("extraLU+") => vec!["--extrapolation", "lu+"],
            None if self.extrapolation == "NOextra" => vec!["--extrapolation", "none"],
            _ => bail!("no extrapolation {}", self.extrapolation),
        };
        let whose = |name: &str| if name.ends_with('g') { "global" } else { "local" };
        options.extend(["--bounds", whose(self.extrapolation)]);
        options.extend(match self.cover {
            "none" => ["--store", "exact"],
            "inclusion" => ["--subsumption", "inclusion"],
            "aMg" | "aMl" => ["--subsumption", "am"],
            "aLUg" | "aLUl" => ["--subsumption", "alu"],
            other => bail!("no subsumption {other}"),
        });
        if self.cover.starts_with('a') {
            options.extend(["--subsumption-bounds", whose(self.cover)]);
        }
        if self.semantics == "non-elapsed" {
            options.push("--arriving");
        }
        Ok(options)
    }
}

/// What TChecker expects.
struct Expected {
    reachable: bool,
    stored: Option<u64>,
    visited: Option<u64>,
}

impl Expected {
    fn read(row: Row<'_>) -> Expected {
        let visited = row.number("VISITED_NODES").or(row.number("VISITED_STATES"));
        let stored = row.number("STORED_NODES").or(row.number("STORED_STATES"));
        // Without subsumption all that is visited is kept.
        Expected {
            reachable: row.text("REACHABLE") == Some("true"),
            stored: stored.or(visited),
            visited,
        }
    }
}

/// What homing says.
struct Ours {
    reachable: bool,
    stored: u64,
    visited: u64,
}

/// Compares; returns the number of unexplained differences in reachability.
pub fn run(options: &Options) -> Result<usize> {
    let homing = options.common.setting.homing()?;
    let folder = options.folder()?.join("tchecker-tests");
    let expected = Table::read(&folder.join("expected-stats.tsv"))?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let (mut wrong, mut compared, mut equal, mut initial) = (0, 0, 0, 0);
    let wanted = |test: &Test<'_>| options.common.names(test.model);
    let tests = expected.rows().filter_map(|row| {
        let (suite, name) = (row.text("suite")?, row.text("test")?);
        Some((row, suite, Test::parse(suite, name).filter(wanted)?))
    });
    for (row, suite, test) in tests.step_by(options.every.max(1)) {
        let theirs = Expected::read(row);
        let (result, ours, note) = match explained::no_test(suite, test.model) {
            Some(reason) => ("left out", None, reason.to_owned()),
            None => {
                let prefix = if suite == "algos" { "tck-reach" } else { suite };
                let model = folder.join(format!("models/{suite}--{prefix}-{}.tck", test.model));
                let found = search(&homing, &model, &test, theirs.reachable);
                match found.with_context(|| format!("{suite} {test:?}"))? {
                    Ok(ours) => {
                        let (result, note) = judge(suite, &test, &theirs, &ours);
                        (result, Some(ours), note)
                    }
                    Err(sentence) => ("refused", None, sentence),
                }
            }
        };
        wrong += usize::from(result == "different");
        compared += usize::from(matches!(result, "equal" | "initial" | "stored"));
        equal += usize::from(result == "equal");
        initial += usize::from(result == "initial");
        if matches!(result, "different" | "stored") {
            println!("{result}: {suite} {test:?}: {note}");
        }
        report.row(&[
            suite.to_owned(),
            test.model.to_owned(),
            test.cover.to_owned(),
            test.semantics.to_owned(),
            test.extrapolation.to_owned(),
            test.order.to_owned(),
            result.to_owned(),
            theirs.reachable.to_string(),
            cell(ours.as_ref().map(|ours| ours.reachable)),
            cell(theirs.stored),
            cell(ours.as_ref().map(|ours| ours.stored)),
            cell(theirs.visited),
            cell(ours.as_ref().map(|ours| ours.visited)),
            if note.is_empty() { "-".into() } else { note },
        ])?;
    }
    println!(
        "reachability wrong on {wrong} rows; stored equal on {equal} of {compared}, and on \
         {initial} but for the initial zone"
    );
    Ok(wrong)
}

fn search(
    homing: &Homing,
    model: &std::path::Path,
    test: &Test<'_>,
    reachable: bool,
) -> Result<std::result::Result<Ours, String>> {
    let text = std::fs::read_to_string(model)
        .with_context(|| format!("cannot read {}", model.display()))?;
    let goal = goal(&labels(&text));
    let settings = test.options()?;
    let strategy = if test.order == "bfs" { "breadth" } else { "depth" };
    let mut options = vec!["--goal", &goal, "--strategy", strategy, "--time", "60s"];
    // TChecker has no passes that change what is stored.
    options.extend(["--no-pass", "slice", "--no-pass", "dead"]);
    options.extend(&settings);
    let limits = Limits { memory: None, seconds: Some(120) };
    let check = match homing.try_check(model, &options, limits)? {
        Ok((check, _)) => check,
        Err(sentence) => return Ok(Err(sentence)),
    };
    let verdict = check.results.first().context("no result")?;
    let found = match verdict.verdict.as_str() {
        "violated" => true,
        "holds" => false,
        _ => bail!("no verdict: {}", verdict.reason),
    };
    let mut stored = verdict.statistics.stored;
    // A check keeps covered zones for its trace; what is counted drops them.
    if strategy == "breadth" && !found && !reachable {
        stored = homing.stats(model, &settings)?.0.states;
    }
    Ok(Ok(Ours { reachable: found, stored, visited: verdict.statistics.expanded }))
}

fn judge(suite: &str, test: &Test<'_>, theirs: &Expected, ours: &Ours) -> (&'static str, String) {
    if theirs.reachable != ours.reachable {
        let note = format!("{} expected, {} found", theirs.reachable, ours.reachable);
        return ("different", note);
    }
    if theirs.reachable {
        return ("reachable", String::new());
    }
    if test.order != "bfs" {
        return ("depth-first", String::new());
    }
    match theirs.stored.map(|stored| stored.checked_sub(ours.stored)) {
        Some(Some(0)) => ("equal", String::new()),
        Some(Some(1)) if suite == "covreach" => ("initial", explained::INITIAL.to_owned()),
        _ => ("stored", String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tests_are_settings() {
        let name = "covreach-train_gate_3_aLUg_zg_non-elapsed_extraM+l_bfs_raw";
        let test = Test::parse("covreach", name).unwrap();
        assert_eq!((test.model, test.cover, test.order), ("train_gate_3", "aLUg", "bfs"));
        let options = "--extrapolation m+ --bounds local --subsumption alu \
                       --subsumption-bounds global --arriving";
        assert_eq!(test.options().unwrap().join(" "), options);
        let dot = "covreach-train_gate_3_aLUg_zg_elapsed_extraMl_bfs_dot";
        assert_eq!(Test::parse("covreach", dot), None);
        let name = "covreach-train_gate_3_inclusion_async_zg_elapsed_extraLU+l_bfs_raw";
        assert_eq!(Test::parse("covreach", name), None);
        let test = Test::parse("algos", "tck-reach-ad94_mid_reach_dfs").unwrap();
        assert_eq!((test.model, test.cover), ("ad94_mid", "none"));
        assert_eq!(Test::parse("algos", "tck-reach-ad94_mid_concur19_dfs"), None);
    }
}
