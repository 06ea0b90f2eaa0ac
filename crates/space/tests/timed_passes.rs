//! Passes keep what is true of timed networks: compared with regions, on random
//! networks, pass by pass.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::zones_support;

use std::collections::BTreeSet;

use homing_core::{Batch, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;
use homing_space::zones::{ZoneOptions, ZoneSpace};
use zones_support::{Kinds, Sample, Truth, sample, truth};

/// Zones explored before a network is given up as too large.
const LIMIT: usize = 3000;

/// The least steps to some of the goals, to a deadlock and to a failure, in the
/// zones of the network after some passes.
fn found(sample: &Sample, goals: &[usize], passes: Passes) -> Option<Truth> {
    let wanted = goals.iter().map(|goal| Wanted::goal(sample.goals[*goal].clone()));
    let wanted: Vec<Wanted> = wanted.collect();
    let discrete = CompiledSpace::new(&sample.network, &wanted, passes).expect("supported");
    let options = ZoneOptions { deadlocks: !passes.slice, ..ZoneOptions::default() };
    // What zones cannot decide they refuse.
    let space = ZoneSpace::new(&discrete, options).ok()?;
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut level: Vec<Vec<Word>> = vec![batch.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<Word>> = level.iter().cloned().collect();
    let mut truth = Truth { goals: vec![None; goals.len()], ..Truth::default() };
    for steps in 0.. {
        for state in std::mem::take(&mut level) {
            let bits = expander.violated(&state);
            let holding = (0..goals.len()).filter(|goal| bits >> goal & 1 == 1);
            holding.for_each(|goal| truth.note(goal, steps));
            batch.clear();
            expander.expand(&state, &mut batch);
            if batch.deadlock() {
                truth.deadlock.get_or_insert(steps);
            }
            if !batch.faults().is_empty() {
                truth.fault.get_or_insert(steps);
            }
            for i in 0..batch.len() {
                if seen.insert(batch.state(i).to_vec()) {
                    level.push(batch.state(i).to_vec());
                }
            }
        }
        if level.is_empty() {
            return Some(truth);
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    None
}

/// How many comparisons were made.
fn compare(seed: u64, kinds: Kinds) -> usize {
    let sample = sample(seed, kinds);
    let Some(expected) = truth(&sample, 4000) else { return 0 };
    let mut compared = 0;
    let all: Vec<usize> = (0..sample.goals.len()).collect();
    for passes in [
        Passes { ranges: true, ..Passes::NONE },
        Passes { constants: true, ..Passes::NONE },
        Passes { dead: true, ..Passes::NONE },
        Passes { dead: true, ..Passes::COUNTING },
    ] {
        let Some(found) = found(&sample, &all, passes) else { continue };
        assert_eq!(found, expected, "seed {seed}, {kinds:?}, {passes:?}");
        compared += 1;
    }
    for goal in all {
        for passes in [Passes { slice: true, ..Passes::NONE }, Passes::ALL] {
            let Some(found) = found(&sample, &[goal], passes) else { continue };
            let (found, expected) = (found.goals[0], expected.goals[goal]);
            assert_eq!(found, expected, "seed {seed}, {kinds:?}, goal {goal}, {passes:?}");
            compared += 1;
        }
    }
    compared
}

fn many(count: u64, kinds: Kinds) {
    let compared: usize = (0..count).map(|seed| compare(1000 + seed, kinds)).sum();
    assert!(compared > count as usize, "only {compared} comparisons");
}

#[test]
fn plain() {
    many(80, Kinds { clocks: 2, ..Kinds::default() });
}

#[test]
fn urgent_and_committed() {
    many(80, Kinds { clocks: 2, urgency: true, ..Kinds::default() });
}

#[test]
fn copies() {
    many(80, Kinds { clocks: 2, copies: true, ..Kinds::default() });
}

#[test]
fn broadcasts() {
    many(80, Kinds { clocks: 2, broadcast: true, ..Kinds::default() });
}

#[test]
fn priorities() {
    many(60, Kinds { clocks: 2, priorities: true, ..Kinds::default() });
}

#[test]
fn all_together() {
    let kinds = Kinds {
        clocks: 2,
        diagonals: true,
        copies: true,
        priorities: true,
        broadcast: true,
        urgency: true,
        scale: 0,
    };
    many(60, kinds);
}
