//! What is done with traces, on random networks: why they are violations, how
//! they are made shorter, which of them are the same but for the order of
//! independent steps.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use homing::ir::independence::Independence;
use homing::ir::interp::{Interpreter, Piece, Pieces, State};
use homing::ir::network::{EdgeRef, ProcessId};
use homing::ir::{Step, Trace};
use homing::{Hooks, Limits, Model, Options};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use support::check;
use support::networks::{Expected, expected, over_networks, shown};

/// What a state holds at a piece.
fn at(state: &State, piece: Piece) -> (Option<u32>, i64, &[Vec<i64>]) {
    match piece {
        Piece::Location(process) => (state.location(process).map(|l| l.0), 0, &[]),
        Piece::Scalar(index) => (None, state.values[index], &[]),
        Piece::Buffer(channel) => (None, 0, state.buffer(channel)),
    }
}

fn agree(a: &State, b: &State, pieces: &Pieces) -> bool {
    pieces.iter().all(|piece| at(a, *piece) == at(b, *piece))
}

/// A step that reads the same in two states can be taken in both, and sets the
/// same.
#[test]
fn oracle_influence() {
    let compared = Cell::new(0u64);
    over_networks(150, |model, _, interpreter, found| {
        let residual = model.network.composition == homing::ir::network::Composition::Synchronous;
        for (i, state) in found.states.iter().enumerate().take(60) {
            for (step, outcome) in interpreter.steps(state) {
                let Ok(next) = outcome else { continue };
                let influence = interpreter.influence(state, &step, true);
                let changed = state.differences(&next);
                for other in found.states.iter().skip(i + 1).step_by(7).take(40) {
                    if !agree(state, other, &influence.reads) {
                        continue;
                    }
                    // Whether all others can move, too, is not looked at.
                    let taken = match interpreter.take(other, &step) {
                        Err(_) if residual => continue,
                        taken => taken,
                    };
                    prop_assert!(taken.is_ok(), "{step:?}: {taken:?}");
                    let taken = taken.unwrap();
                    prop_assert!(agree(&next, &taken, &influence.sets), "{step:?}");
                    prop_assert!(agree(&next, &taken, &changed), "{step:?}");
                    compared.set(compared.get() + 1);
                }
            }
        }
        Ok(())
    });
    assert!(compared.get() > 10_000, "only {} comparisons", compared.get());
}

/// Independent steps neither enable nor disable each other, and commute.
#[test]
fn oracle_independence() {
    let commuted = Cell::new(0u64);
    over_networks(200, |model, _, interpreter, found| {
        let system = homing::ir::flatten(&model.network, &[]).unwrap();
        let independence = Independence::of(&system);
        for state in found.states.iter().take(150) {
            let enabled = interpreter.steps(state);
            let here: BTreeSet<_> = enabled.iter().map(|(step, _)| step.edges.clone()).collect();
            for (a, after_a) in &enabled {
                let Ok(after_a) = after_a else { continue };
                for (b, after_both) in interpreter.steps(after_a) {
                    if !independence.independent(a, &b) {
                        continue;
                    }
                    prop_assert!(here.contains(&b.edges), "{a:?} enables {b:?}");
                    let (Ok(after_b), Ok(both)) = (interpreter.take(state, &b), after_both) else {
                        continue;
                    };
                    prop_assert_eq!(interpreter.take(&after_b, a).ok(), Some(both));
                    commuted.set(commuted.get() + 1);
                }
                let then: BTreeSet<_> =
                    interpreter.steps(after_a).into_iter().map(|(step, _)| step.edges).collect();
                for (b, _) in &enabled {
                    let kept = !independence.independent(a, b) || then.contains(&b.edges);
                    prop_assert!(kept, "{a:?} disables {b:?}");
                }
            }
        }
        Ok(())
    });
    assert!(commuted.get() > 1_000, "only {} pairs commute", commuted.get());
}

/// All runs that swapping independent neighbours makes of a run.
fn reorderings(independence: &Independence, steps: &[Step]) -> BTreeSet<Vec<Vec<u64>>> {
    let key = |steps: &[Step]| -> Vec<Vec<u64>> {
        let edge = |e: &homing::ir::network::EdgeRef| {
            u64::from(e.process.0) << 40 | u64::from(e.edge) << 20 | u64::from(e.branch)
        };
        let moves = |step: &Step| -> Vec<u64> {
            step.moves().flat_map(|taken| taken.iter().map(edge).chain([u64::MAX])).collect()
        };
        steps.iter().map(moves).collect()
    };
    let mut known = BTreeMap::from([(key(steps), steps.to_vec())]);
    let mut open = vec![steps.to_vec()];
    while let Some(run) = open.pop() {
        for i in 1..run.len() {
            if independence.independent(&run[i - 1], &run[i]) {
                let mut swapped = run.clone();
                swapped.swap(i - 1, i);
                if known.insert(key(&swapped), swapped.clone()).is_none() {
                    open.push(swapped);
                }
            }
        }
    }
    known.into_keys().collect()
}

/// Two runs have one Foata normal form if and only if swaps make one of the
/// other.
#[test]
fn oracle_foata() {
    let equal = Cell::new(0u64);
    over_networks(150, |model, _, _, found| {
        let system = homing::ir::flatten(&model.network, &[]).unwrap();
        let independence = Independence::of(&system);
        let ends = (0..found.states.len()).filter(|state| (2..=6).contains(&found.depths[*state]));
        let runs: Vec<Vec<Step>> = ends.take(12).map(|end| found.trace(end).steps).collect();
        // Their reversals are runs of nothing, but words all the same.
        let words: Vec<Vec<Step>> = runs
            .iter()
            .flat_map(|run| [run.clone(), run.iter().rev().cloned().collect()])
            .collect();
        let classes: Vec<_> = words.iter().map(|word| reorderings(&independence, word)).collect();
        let forms: Vec<_> = words.iter().map(|word| independence.foata(word)).collect();
        for a in 0..words.len() {
            for b in 0..a {
                let same = classes[a] == classes[b];
                prop_assert_eq!(forms[a] == forms[b], same);
                equal.set(equal.get() + u64::from(same));
            }
        }
        Ok(())
    });
    assert!(equal.get() > 20, "only {} pairs are equal", equal.get());
}

/// Long traces of everything that is violated.
fn long_traces(model: &Model, all: &[Expected], strategy: &str) -> Vec<(String, Trace)> {
    let violated = all.iter().filter(|one| one.length.is_some());
    let properties: Vec<String> = violated.map(|one| one.name.clone()).collect();
    if properties.is_empty() {
        return Vec::new();
    }
    let strategy = Some(strategy.into());
    check(model, &Options { properties, strategy, ..Options::default() }).traces
}

fn judge(
    interpreter: &Interpreter,
    expected: &Expected,
    given: &Trace,
    made: &homing::Shortened,
) -> Result<(), TestCaseError> {
    let name = &expected.name;
    prop_assert!(shown(interpreter, expected, &made.trace), "{name}: no violation");
    let (length, shortest) = (made.trace.steps.len(), expected.length.unwrap() as usize);
    prop_assert_eq!(made.outcome.trace.length, length);
    prop_assert!(length <= given.steps.len() && length >= shortest, "{name}: {length} steps");
    if made.outcome.optimal {
        prop_assert_eq!(length, shortest, "{}: not shortest", name);
    }
    let gains = made.outcome.gains.iter().map(|gain| gain.length as usize);
    let lengths: Vec<usize> = [given.steps.len()].into_iter().chain(gains).collect();
    prop_assert!(lengths.is_sorted_by(|a, b| a > b), "{:?}", lengths);
    prop_assert_eq!(lengths.last().copied(), Some(length));
    Ok(())
}

/// Shortened traces are violations, no longer than before, never shorter than
/// shortest; what is said to be shortest is. Few expansions, or a strategy that
/// proves nothing, change none of that.
#[test]
fn oracle_shorten() {
    let (proven, improved) = (Cell::new(0), Cell::new(0));
    over_networks(200, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        for (name, trace) in long_traces(model, &all, "depth") {
            let expected = all.iter().find(|one| one.name == name).unwrap();
            let shorten = |strategy: Option<&str>, expansions| {
                let limits = Limits { expansions, ..Limits::default() };
                let strategy = strategy.map(String::from);
                let options = Options { strategy, limits, ..Options::default() };
                homing::shorten(model, &options, &trace, &name, Hooks::default()).unwrap()
            };
            let made = shorten(None, None);
            judge(interpreter, expected, &trace, &made)?;
            prop_assert!(made.outcome.optimal, "{name}: {}", made.outcome.reason);
            proven.set(proven.get() + 1);
            improved.set(improved.get() + u32::from(made.trace.steps.len() < trace.steps.len()));
            for expansions in [0, 10, 300] {
                judge(interpreter, expected, &trace, &shorten(None, Some(expansions)))?;
            }
            let made = shorten(Some("depth"), Some(3_000));
            judge(interpreter, expected, &trace, &made)?;
            // What proves nothing claims only what needs no proof.
            prop_assert!(!made.outcome.optimal || made.trace.steps.len() <= 1);
        }
        Ok(())
    });
    assert!(proven.get() > 100 && improved.get() > 10, "{} {}", proven.get(), improved.get());
}

/// What lies between two visits of a state goes, and what comes behind the
/// first violation.
#[test]
fn loops_and_what_comes_after_are_cut() {
    let text = "byte x;
        process P { state a; init a; trans
            a -> a { guard x < 4; effect x = x + 1; },
            a -> a { guard x > 0; effect x = x - 1; };
        }
        system async;";
    let model = homing::parse("m.dve", text).unwrap();
    let step = |edge| Step::new(vec![EdgeRef { process: ProcessId(0), edge, branch: 0 }]);
    let trace = Trace::new([0, 1, 0, 0, 1, 0, 0, 1, 0].map(step).to_vec());
    let limits = Limits { expansions: Some(0), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let made = homing::shorten(&model, &options, &trace, "x == 3", Hooks::default()).unwrap();
    let gains: Vec<(&str, u64)> =
        made.outcome.gains.iter().map(|gain| (gain.by.as_str(), gain.length)).collect();
    assert_eq!(gains, [("a first violation on the way", 7), ("cutting loops", 3)]);
    assert_eq!(made.trace.steps.len(), 3);
}

/// The steps said to matter are a violation by themselves; of a shortest trace
/// all do.
#[test]
fn oracle_why() {
    let (explained, idle) = (Cell::new(0), Cell::new(0));
    over_networks(250, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        for strategy in ["depth", "breadth"] {
            let violated = all.iter().filter(|one| one.length.is_some());
            let properties: Vec<String> = violated.map(|one| one.name.clone()).collect();
            if properties.is_empty() {
                continue;
            }
            let strategy = Some(strategy.into());
            let checked = check(model, &Options { properties, strategy, ..Options::default() });
            for (result, (name, trace)) in checked.outcome.results.iter().zip(&checked.traces) {
                let expected = all.iter().find(|one| one.name == *name).unwrap();
                let told = result.trace.as_ref().unwrap();
                let matter = trace.steps.iter().zip(&told.steps).filter(|(_, told)| told.matters);
                let steps: Vec<Step> = matter.map(|(step, _)| step.clone()).collect();
                let why = told.why.as_ref().unwrap();
                prop_assert_eq!(why.needed, steps.len());
                prop_assert!(!result.optimal || steps.len() == trace.steps.len(), "{name}");
                explained.set(explained.get() + 1);
                idle.set(idle.get() + trace.steps.len() - steps.len());
                prop_assert!(shown(interpreter, expected, &Trace::new(steps)), "{name}");
                since_when(interpreter, expected, trace, why)?;
            }
        }
        Ok(())
    });
    assert!(explained.get() > 200 && idle.get() > 30, "{} {}", explained.get(), idle.get());
}

/// What is true since a step is false before it, where it can be told apart,
/// and a goal's conditions are all there.
fn since_when(
    interpreter: &Interpreter,
    expected: &Expected,
    trace: &Trace,
    why: &homing::witness::outcome::WhyOutcome,
) -> Result<(), TestCaseError> {
    let Some(goal) = &expected.goal else { return Ok(()) };
    prop_assert!(!why.holds.is_empty());
    prop_assert!(why.holds.iter().all(|one| one.since <= trace.steps.len()));
    if why.holds.iter().any(|one| one.alternative) {
        return Ok(());
    }
    // The goal as a whole is true since its last conjunct is.
    let states = interpreter.replay(trace).unwrap();
    let last_false = states.iter().rposition(|state| !support::holds(interpreter, state, goal));
    let since = last_false.map_or(0, |at| at + 1);
    prop_assert_eq!(why.holds.iter().map(|one| one.since).max(), Some(since));
    Ok(())
}

/// The steps of a trace that matter.
fn mattering(trace: &Trace, told: &homing::witness::outcome::TraceOutcome) -> Vec<Step> {
    let matter = trace.steps.iter().zip(&told.steps).filter(|(_, told)| told.matters);
    matter.map(|(step, _)| step.clone()).collect()
}

/// Whether a step is known by its edges: no joints, which have one label for
/// many combinations.
fn plain(model: &Model) -> bool {
    let network = &model.network;
    let broadcast = |channel: &homing::ir::network::Channel| {
        channel.kind == homing::ir::network::ChannelKind::Broadcast
    };
    let alone = |edge: &homing::ir::network::Edge| {
        edge.atomic == homing::ir::network::Atomic::No
            && !matches!(edge.guard, homing::ir::network::Guard::Timeout(_))
    };
    network.vectors.is_empty()
        && network.processes.iter().flat_map(|process| &process.edges).all(alone)
        && !network.channels.iter().any(broadcast)
        && network.composition == homing::ir::network::Composition::Interleaved
}

/// Some runs that end in the violation, each the first violation on its way:
/// all of them up to a length, as far as they are few.
fn violating_runs(interpreter: &Interpreter, expected: &Expected) -> Vec<Trace> {
    let mut found = Vec::new();
    let mut open = vec![Trace::default()];
    let mut looked = 0;
    while let Some(trace) = open.pop() {
        looked += 1;
        if looked > 400 {
            break;
        }
        let Ok(states) = interpreter.replay(&trace) else {
            // It ends in a run-time error.
            found.extend(shown(interpreter, expected, &trace).then_some(trace));
            continue;
        };
        if shown(interpreter, expected, &trace) {
            found.push(trace);
            continue;
        }
        if trace.steps.len() < 6 {
            for (step, _) in interpreter.steps(states.last().unwrap()) {
                let mut longer = trace.clone();
                longer.steps.push(step);
                open.push(longer);
            }
        }
    }
    found
}

/// Different counterexamples are counterexamples, no swaps make one of the
/// other, and where all are said to be found, every run that violates takes all
/// steps that matter in one of them.
#[test]
fn oracle_different() {
    let (several, complete, runs) = (Cell::new(0), Cell::new(0), Cell::new(0));
    over_networks(200, |model, goals, interpreter, found| {
        let all = expected(interpreter, found, goals);
        let system = homing::ir::flatten(&model.network, &[]).unwrap();
        let independence = Independence::of(&system);
        let violated = all.iter().filter(|one| one.length.is_some());
        let properties: Vec<String> = violated.map(|one| one.name.clone()).collect();
        if properties.is_empty() {
            return Ok(());
        }
        let options = Options { properties, different: 4, ..Options::default() };
        let checked = check(model, &options);
        let mut traces = checked.traces.iter();
        for result in &checked.outcome.results {
            let expected = all.iter().find(|one| one.name == result.property).unwrap();
            let different = result.different.as_ref().unwrap();
            let told: Vec<_> = [result.trace.as_ref().unwrap()]
                .into_iter()
                .chain(different.others.iter().map(|other| &other.trace))
                .collect();
            prop_assert!(told.len() <= 4);
            let shown_here: Vec<&Trace> =
                traces.by_ref().take(told.len()).map(|(_, trace)| trace).collect();
            prop_assert_eq!(shown_here.len(), told.len());
            for trace in &shown_here {
                prop_assert!(shown(interpreter, expected, trace), "{}", expected.name);
            }
            let words: Vec<Vec<Step>> =
                shown_here.iter().zip(&told).map(|(trace, told)| mattering(trace, told)).collect();
            for a in 0..words.len() {
                for b in (0..a).filter(|b| words[a].len().max(words[*b].len()) <= 7) {
                    let classes = [a, b].map(|one| reorderings(&independence, &words[one]));
                    prop_assert!(classes[0] != classes[1], "{}: {a} {b}", expected.name);
                }
            }
            several.set(several.get() + u32::from(told.len() > 1));
            if different.complete && plain(model) {
                complete.set(complete.get() + 1);
                for run in violating_runs(interpreter, expected) {
                    let covers =
                        |word: &Vec<Step>| word.iter().all(|step| run.steps.contains(step));
                    prop_assert!(words.iter().any(covers), "{}: {run:?}", expected.name);
                    runs.set(runs.get() + 1);
                }
            }
        }
        prop_assert!(traces.next().is_none());
        Ok(())
    });
    let counts = (several.get(), complete.get(), runs.get());
    assert!(counts.0 > 30 && counts.1 > 10 && counts.2 > 100, "{counts:?}");
}
