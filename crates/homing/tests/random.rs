//! Random networks through the whole façade, against the interpreter: verdicts,
//! shortest lengths, traces, and that every run repeats.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::cell::Cell;
use std::collections::HashMap;

use homing::catalogue::{Capability, Kind};
use homing::ir::interp::{Exploration, Interpreter, State};
use homing::ir::network::Expr;
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{AccuracyOptions, Checked, Options, PassSelection};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value;
use support::networks::{Expected, expected, over_networks, shown};
use support::{Combination, check, combinations, deadlock_combinations, expect_sane, holds};

fn compare_result(
    expected: &Expected,
    result: &PropertyOutcome,
    with: &Combination,
) -> Result<(), TestCaseError> {
    let about = format!("{} with {with:?}", expected.name);
    expect_sane(result, with);
    let Some(shortest) = expected.length else {
        if expected.cut && (with.complete || result.verdict != Verdict::Holds) {
            return compare_cut(expected, result, with);
        }
        if expected.unevaluated {
            prop_assert_eq!(result.verdict, Verdict::Unknown, "{}", about);
            return Ok(());
        }
        // An estimate does not know whether a goal can be evaluated in its dead ends.
        if with.directed && result.reason.contains("a search without an estimate can tell") {
            return Ok(());
        }
        // A lossy search that lost nothing may know.
        if with.complete || result.verdict != Verdict::Holds {
            prop_assert_eq!(result.verdict, with.on_what_holds(), "{}", about);
        }
        return Ok(());
    };
    if !with.complete && result.verdict == Verdict::Unknown {
        return Ok(());
    }
    prop_assert_eq!(result.verdict, Verdict::Violated, "{}", &about);
    prop_assert!(result.optimal || !(with.shortest && with.exact), "{}", &about);
    let length = result.trace.as_ref().unwrap().length as u32;
    if result.optimal {
        prop_assert_eq!(length, shortest, "{}", about);
    } else {
        prop_assert!(length >= shortest, "{}: {} steps", about, length);
    }
    Ok(())
}

/// Where steps fail, nothing holds, but what slicing or a proof tells from the rest, and
/// that a model without assertions violates none.
fn compare_cut(
    expected: &Expected,
    result: &PropertyOutcome,
    with: &Combination,
) -> Result<(), TestCaseError> {
    let tells = expected.goal.is_some() || with.directed || expected.name == "assertions";
    let known = result.verdict == Verdict::Holds && tells;
    prop_assert!(known || result.verdict == Verdict::Unknown, "{} with {:?}", expected.name, with);
    Ok(())
}

fn compare(
    interpreter: &Interpreter,
    expected: &[&Expected],
    checked: &Checked,
    with: &Combination,
) -> Result<(), TestCaseError> {
    for (expected, result) in expected.iter().zip(&checked.outcome.results) {
        prop_assert_eq!(&expected.name, &result.property);
        compare_result(expected, result, with)?;
    }
    for (name, trace) in &checked.traces {
        let expected = expected.iter().find(|expected| expected.name == *name).unwrap();
        prop_assert!(shown(interpreter, expected, trace), "{} with {:?}", name, with);
    }
    Ok(())
}

/// An outcome without what the clock decides.
fn timeless(checked: &Checked) -> Value {
    let mut json = serde_json::to_value(&checked.outcome).unwrap();
    forget_seconds(&mut json);
    json
}

fn forget_seconds(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "seconds" && name != "compile_seconds");
            fields.values_mut().for_each(forget_seconds);
        }
        Value::Array(values) => values.iter_mut().for_each(forget_seconds),
        _ => {}
    }
}

/// All properties with one combination. Directed strategies take goals only.
fn options(expected: &[&Expected], with: &Combination) -> Options {
    let properties = expected.iter().map(|expected| expected.name.clone()).collect();
    Options { properties, seed: 5, ..with.options() }
}

#[test]
fn oracle_every_combination() {
    let turn = Turn::default();
    over_networks(300, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        for with in turn.next(combinations()) {
            let asked: Vec<&Expected> =
                all.iter().filter(|one| one.goal.is_some() || !with.directed).collect();
            let checked = check(model, &options(&asked, &with));
            compare(interpreter, &asked, &checked, &with)?;
        }
        let deadlock: Vec<&Expected> = all.iter().filter(|one| one.name == "deadlock").collect();
        for with in turn.next(deadlock_combinations()) {
            let checked = check(model, &options(&deadlock, &with));
            compare(interpreter, &deadlock, &checked, &with)?;
        }
        Ok(())
    });
}

/// Gives every network a few of many combinations, the next network the next
/// few, so that all have their turn.
#[derive(Default)]
struct Turn(Cell<usize>);

impl Turn {
    const FEW: usize = 10;

    fn next(&self, all: Vec<Combination>) -> Vec<Combination> {
        let turn = self.0.get();
        self.0.set(turn + 1);
        let few = all.len().min(Turn::FEW);
        let start = turn * few;
        (0..few).map(|i| all[(start + i) % all.len()].clone()).collect()
    }
}

#[test]
fn oracle_every_pass_alone() {
    let with = combinations().into_iter().find(|with| with.shortest && with.exact).unwrap();
    over_networks(200, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        let asked: Vec<&Expected> = all.iter().collect();
        for name in homing::Passes::NAMES {
            let passes = PassSelection { on: vec![name.into()], off: vec!["all".into()] };
            for passes in [passes, PassSelection { off: vec![name.into()], on: vec![] }] {
                let checked = check(model, &Options { passes, ..options(&asked, &with) });
                compare(interpreter, &asked, &checked, &with)?;
            }
        }
        Ok(())
    });
}

#[test]
fn differential_stats() {
    over_networks(200, |model, _, _, found| {
        for with in combinations().iter().filter(|with| with.exact && with.counts && !with.directed)
        {
            let stats = homing::stats(model, &with.options(), Default::default()).unwrap();
            prop_assert!(stats.complete);
            prop_assert_eq!(stats.states, found.states.len() as u64);
            prop_assert_eq!(stats.deadlocks, found.deadlocks.len() as u64);
            prop_assert_eq!(stats.errors > 0, !found.faults.is_empty());
            if with.shortest {
                prop_assert_eq!(stats.levels, found.levels() as u64);
            }
        }
        Ok(())
    });
}

/// The number of states at each distance from a goal, and of those without a
/// way to it: by stepping back from the goal until nothing changes.
fn distances(interpreter: &Interpreter, found: &Exploration, goal: &Expr) -> (Vec<u64>, u64) {
    let numbers: HashMap<&State, usize> =
        found.states.iter().enumerate().map(|(i, state)| (state, i)).collect();
    let successors: Vec<Vec<usize>> = found
        .states
        .iter()
        .map(|state| {
            let steps = interpreter.steps(state).into_iter();
            steps.filter_map(|(_, next)| Some(numbers[&next.ok()?])).collect()
        })
        .collect();
    let at_goal = found.states.iter().map(|state| holds(interpreter, state, goal));
    let mut known: Vec<Option<u64>> = at_goal.map(|holds| holds.then_some(0)).collect();
    let mut by_distance = Vec::new();
    for distance in 0.. {
        match known.iter().filter(|one| **one == Some(distance)).count() {
            0 => break,
            count => by_distance.push(count as u64),
        }
        for (state, next) in successors.iter().enumerate() {
            if known[state].is_none() && next.iter().any(|one| known[*one] == Some(distance)) {
                known[state] = Some(distance + 1);
            }
        }
    }
    (by_distance, known.iter().filter(|one| one.is_none()).count() as u64)
}

/// Exact distances are exact, and no estimate breaks what it claims: that
/// would be an internal error.
#[test]
fn oracle_accuracy() {
    let estimates: Vec<String> = support::of_kind(Kind::Estimate)
        .filter(|row| !row.gives(Capability::Deadlock))
        .map(|row| support::example(row.name))
        .collect();
    over_networks(60, |model, goals, interpreter, found| {
        let options = AccuracyOptions {
            property: Some("p0".into()),
            estimates: estimates.clone(),
            ..AccuracyOptions::default()
        };
        let none = PassSelection { on: vec![], off: vec!["all".into()] };
        let plain = AccuracyOptions { passes: none, ..options.clone() };
        let outcome = homing::accuracy(model, &plain, Default::default()).unwrap();
        let (by_distance, dead_ends) = distances(interpreter, found, &goals[0]);
        prop_assert_eq!(outcome.states, found.states.len() as u64);
        prop_assert_eq!(&outcome.distances, &by_distance);
        prop_assert_eq!(outcome.dead_ends, dead_ends);
        let shortest = found.distance(|state| holds(interpreter, state, &goals[0]));
        prop_assert_eq!(outcome.shortest, shortest);
        prop_assert_eq!(outcome.blind.length, shortest.map(u64::from));
        for estimate in &outcome.estimates {
            let states = estimate.by_distance.iter().map(|row| row.states);
            prop_assert_eq!(states.sum::<u64>(), by_distance.iter().sum::<u64>());
            prop_assert_eq!(estimate.wrong_dead_ends, 0, "{}", estimate.estimate);
            prop_assert!(estimate.dead_ends <= dead_ends);
            prop_assert_eq!(estimate.greedy.length.is_some(), shortest.is_some());
            prop_assert!(estimate.greedy.states <= outcome.states);
        }
        let sliced = homing::accuracy(model, &options, Default::default()).unwrap();
        prop_assert_eq!(sliced.shortest, shortest);
        Ok(())
    });
}

/// The same model, options and seed give the same answer, byte for byte.
#[test]
fn runs_repeat() {
    let turn = Turn::default();
    over_networks(60, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        for with in turn.next(combinations()) {
            let asked: Vec<&Expected> =
                all.iter().filter(|one| one.goal.is_some() || !with.directed).collect();
            let options = options(&asked, &with);
            let (first, second) = (check(model, &options), check(model, &options));
            prop_assert_eq!(timeless(&first), timeless(&second), "{:?}", with);
        }
        Ok(())
    });
}
