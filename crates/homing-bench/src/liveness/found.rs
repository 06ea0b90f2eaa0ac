//! Time to a violation, and the length of its run.
//!
//! Violated formulas only, each searched by `auto` as a user types it, and by
//! plain nested depth-first search. Product states are counted, and processor
//! seconds of the whole command.

use anyhow::Result;

use super::Options;
use super::formulas::Known;
use crate::homing::{Homing, Searched};
use crate::table::{Report, cell};

pub const TABLE: &str = "liveness-found.tsv";

const COLUMNS: &[&str] = &["formula", "strategy", "verdict", "stored", "length", "seconds"];

/// The strategies that are compared: ours, and the plain one.
pub const STRATEGIES: &[&str] = &["auto", "nested"];

/// Measures every violated formula.
pub fn run(options: &Options) -> Result<()> {
    let homing = options.common.setting.homing()?;
    let mut report = Report::create(&options.common.out.join(TABLE), COLUMNS)?;
    let violated = options.formulas()?.into_iter().filter(|known| known.holds == Some(false));
    for known in violated {
        for strategy in STRATEGIES {
            report.row(&search(&homing, &known, strategy, options)?)?;
        }
    }
    Ok(())
}

fn search(
    homing: &Homing,
    known: &Known,
    strategy: &str,
    options: &Options,
) -> Result<Vec<String>> {
    let told = options.told();
    let asked = ["--ltl", &known.formula, "--strategy", strategy];
    let asked: Vec<&str> = asked.into_iter().chain(told.iter().map(String::as_str)).collect();
    let searched = homing.search(&known.model, &asked, options.seconds + 20)?;
    let (verdict, stored, length, seconds) = match searched {
        Searched::Answered { verdict, command, .. } => {
            let length = verdict.trace.as_ref().map(|trace| trace.length);
            (verdict.verdict, Some(verdict.statistics.stored), length, Some(command))
        }
        Searched::Ended => ("ended".to_owned(), None, None, None),
        Searched::Refused(sentence) => (sentence, None, None, None),
    };
    Ok(vec![
        known.name.clone(),
        strategy.to_owned(),
        verdict,
        cell(stored),
        cell(length),
        cell(seconds.map(|seconds| format!("{seconds:.3}"))),
    ])
}
