//! The tables of dependence against what happens in the states of random networks:
//! steps that are said to accord do so, and what is said to be necessary is.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use homing_core::{Batch, Expander, Space, Word};
use homing_ir::Network;
use homing_ir::dependence::Dependence;
use homing_ir::evaluate::evaluate;
use homing_ir::flatten::SUPPORTED;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks};
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// States looked at in one network.
const LIMIT: usize = 60;

type States = BTreeSet<Vec<Word>>;

/// What each label leads to; a label that fails leads nowhere.
fn expand(expander: &mut dyn Expander, state: &[Word], width: usize) -> BTreeMap<u32, States> {
    let mut batch = Batch::new(width);
    expander.expand(state, &mut batch);
    let mut by_label: BTreeMap<u32, States> = BTreeMap::new();
    for i in 0..batch.len() {
        by_label.entry(batch.edge(i).label).or_default().insert(batch.state(i).to_vec());
    }
    for fault in batch.faults() {
        by_label.entry(fault.edge.label).or_default();
    }
    by_label
}

/// How many pairs of steps were seen to commute.
fn check(network: &Network, passes: Passes) -> Result<usize, TestCaseError> {
    let space = CompiledSpace::new(network, &[], passes).expect("a supported network");
    let (system, width) = (space.system(), space.width());
    let Ok(dependence) = Dependence::of(system, space.moves()) else { return Ok(0) };
    let atomic = system.has_atomic_parts();
    let fields = &space.layout().fields;
    let holds = |condition: u32, state: &[Word]| {
        evaluate(dependence.term(condition), fields, state) != Some(0)
    };
    let mut expander = space.expander();
    let mut batch = Batch::new(width);
    expander.initial(&mut batch);
    let mut states = vec![batch.state(0).to_vec()];
    let mut seen: States = states.iter().cloned().collect();
    let mut commuted = 0;
    let mut next = 0;
    while next < states.len() && next < LIMIT {
        let state = states[next].clone();
        next += 1;
        let steps = expand(&mut *expander, &state, width);
        let behind: BTreeMap<&Vec<Word>, BTreeMap<u32, States>> =
            steps.values().flatten().map(|to| (to, expand(&mut *expander, to, width))).collect();
        for label in 0..dependence.labels() as u32 {
            let conditions = dependence.conditions(label);
            let possible = steps.contains_key(&label);
            let all = conditions.iter().all(|condition| holds(*condition, &state));
            prop_assert!(!possible || all, "label {label} moves without its conditions");
            prop_assert!(
                possible || !all || dependence.touching(label).is_some(),
                "label {label} does not move"
            );
        }
        for (a, to) in &steps {
            for condition in 0..dependence.condition_count() as u32 {
                let made = |to: &Vec<Word>| !holds(condition, &state) && holds(condition, to);
                prop_assert!(
                    dependence.enabling(condition).contains(*a) || !to.iter().any(made),
                    "label {a} makes {:?} true",
                    dependence.term(condition)
                );
            }
            for (b, others) in steps.range(a + 1..) {
                if dependence.disturbing(*a).contains(*b) {
                    prop_assert!(dependence.disturbing(*b).contains(*a));
                    continue;
                }
                commuted += 1;
                let after = |first: &States, second: u32| -> Result<States, TestCaseError> {
                    let mut reached = States::new();
                    for middle in first {
                        let then = behind[middle].get(&second);
                        prop_assert!(then.is_some(), "labels {a} and {b}: {second} is gone");
                        reached.extend(then.unwrap().iter().cloned());
                    }
                    Ok(reached)
                };
                prop_assert_eq!(after(to, *b)?, after(others, *a)?, "labels {} and {}", a, b);
                let blocked = to.is_empty() || others.is_empty();
                prop_assert!(!blocked || after(to, *b)?.is_empty());
            }
            // What is not possible though its conditions hold, stays so.
            for label in (0..dependence.labels() as u32).filter(|_| !atomic) {
                let Some(touching) = dependence.touching(label) else { continue };
                let stays = !steps.contains_key(&label) && !touching.contains(*a);
                let all = dependence.conditions(label).iter().all(|one| holds(*one, &state));
                let gone = |to: &Vec<Word>| !behind[to].contains_key(&label);
                prop_assert!(!stays || !all || to.iter().all(gone), "label {label} after {a}");
            }
        }
        for to in steps.into_values().flatten() {
            if seen.insert(to.clone()) {
                states.push(to);
            }
        }
    }
    Ok(commuted)
}

fn knobs() -> Knobs {
    let refused = [Feature::Timeout, Feature::Synchronous];
    let features = SUPPORTED.iter().copied().filter(|feature| !refused.contains(feature));
    Knobs { polls: true, ..Knobs::with(&features.collect::<Vec<_>>()) }
}

fn run(cases: u32, knobs: Knobs, passes: Passes) -> usize {
    let mut commuted = 0;
    let result = TestRunner::new(config(cases)).run(&networks(knobs), |network| {
        // The runner takes a closure that may not change what it has.
        let count = check(&network, passes)?;
        COMMUTED.with(|all| all.set(all.get() + count));
        Ok(())
    });
    COMMUTED.with(|all| commuted += all.take());
    result.unwrap_or_else(|error| panic!("{error}"));
    commuted
}

thread_local! {
    static COMMUTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[test]
fn plain_networks_do_what_the_tables_say() {
    let commuted = run(400, Knobs::default(), Passes::ALL);
    assert!(commuted > 1000, "only {commuted} pairs of steps commuted");
}

#[test]
fn networks_with_everything_do_what_the_tables_say() {
    let commuted = run(800, knobs(), Passes::NONE);
    assert!(commuted > 1000, "only {commuted} pairs of steps commuted");
}

#[test]
fn networks_after_all_passes_do_what_the_tables_say() {
    let commuted = run(400, knobs(), Passes::ALL);
    assert!(commuted > 1000, "only {commuted} pairs of steps commuted");
}

/// Buffers are what sends and receives commute on.
#[test]
fn buffers_do_what_the_tables_say() {
    let features = [Feature::Peeks, Feature::SortedSends, Feature::SelectiveReceives];
    let plain = Knobs { channels: 3, faults: false, variables: 2, ..Knobs::with(&features) };
    let commuted = run(400, plain, Passes::NONE);
    assert!(commuted > 1000, "only {commuted} pairs of steps commuted");
}
