//! The zone space against regions, on random networks: what is reachable and in
//! how many steps at least, deadlocks, failures, for all ways to extrapolate and to
//! compare zones.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::zones_support;

use std::collections::BTreeMap;

use homing_core::{Batch, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;
use homing_space::zones::{Extrapolation, Subsumption, ZoneOptions, ZoneSpace};
use zones_support::{Kinds, Sample, Truth, sample, truth};

/// The regions explored before a network is given up as too large.
const LIMIT: usize = 4000;

/// What the zone space says; none where it has too many states.
fn found(space: &ZoneSpace, goals: usize, covering: bool, limit: usize) -> Option<Truth> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let own = space.discrete().width();
    let mut levels = vec![batch.state(0).to_vec()];
    let mut stored: BTreeMap<Vec<Word>, Vec<Vec<Word>>> = BTreeMap::new();
    let mut truth = Truth { goals: vec![None; goals], ..Truth::default() };
    let (mut steps, mut count) = (0, 0);
    while !levels.is_empty() {
        let mut next = Vec::new();
        for state in &levels {
            let known = stored.entry(state[..own].to_vec()).or_default();
            let covers = |other: &Vec<Word>| match (covering, space.cover()) {
                (true, Some(cover)) => cover.covers(other, state),
                _ => other == state,
            };
            if known.iter().any(covers) {
                continue;
            }
            known.push(state.clone());
            count += 1;
            if count > limit {
                return None;
            }
            let bits = expander.violated(state);
            (0..goals).filter(|goal| bits >> goal & 1 == 1).for_each(|g| truth.note(g, steps));
            batch.clear();
            expander.expand(state, &mut batch);
            if batch.deadlock() {
                truth.deadlock.get_or_insert(steps);
            }
            if !batch.faults().is_empty() {
                truth.fault.get_or_insert(steps);
            }
            (0..batch.len()).for_each(|i| next.push(batch.state(i).to_vec()));
        }
        levels = next;
        steps += 1;
    }
    Some(truth)
}

/// Answers whether the network is small enough to be compared.
fn compare(seed: u64, kinds: Kinds) -> bool {
    let Some(expected) = truth(&sample(seed, Kinds { scale: 0, ..kinds }), LIMIT) else {
        return false;
    };
    let sample = sample(seed, kinds);
    let with_deadlocks = sample.goals.len();
    // Goals that ask for deadlocks are last; without them zones are coarser.
    for goals in [with_deadlocks, with_deadlocks - 3] {
        compare_goals(seed, &sample, &expected, goals, goals == with_deadlocks);
    }
    true
}

fn compare_goals(seed: u64, sample: &Sample, expected: &Truth, goals: usize, deadlocks: bool) {
    let wanted: Vec<Wanted> = sample.goals[..goals].iter().cloned().map(Wanted::goal).collect();
    let discrete =
        CompiledSpace::new(&sample.network, &wanted, Passes { dead: true, ..Passes::COUNTING });
    let discrete = match discrete {
        Ok(discrete) => discrete,
        Err(error) => panic!("{seed}: {error:?}"),
    };
    for extrapolation in [
        Extrapolation::M,
        Extrapolation::MPlus,
        Extrapolation::Lu,
        Extrapolation::LuPlus,
        Extrapolation::None,
    ] {
        for subsumption in [Subsumption::Inclusion, Subsumption::Am, Subsumption::Alu] {
            // Whose constants extrapolate and compare, whether time has passed, the store.
            for [local, compare_local, elapsed, covering] in [
                [true, true, true, true],
                [false, false, true, true],
                [false, true, false, true],
                [true, false, false, true],
                [true, true, true, false],
            ] {
                let options = ZoneOptions {
                    extrapolation,
                    local,
                    subsumption,
                    compare_local,
                    elapsed,
                    deadlocks,
                    ..ZoneOptions::default()
                };
                let space = ZoneSpace::new(&discrete, options).expect("a small model");
                let Some(mut found) = found(&space, goals, covering, 3000) else {
                    assert_eq!(extrapolation, Extrapolation::None, "{seed}: too many zones");
                    continue;
                };
                let mut expected = expected.clone();
                expected.goals.truncate(goals);
                if !deadlocks {
                    (found.deadlock, expected.deadlock) = (None, None);
                }
                assert_eq!(
                    found,
                    expected,
                    "seed {seed}, {:?}, {options:?}, covering {covering}\n{:?}",
                    sample.kinds,
                    space.options()
                );
            }
        }
    }
}

/// Compares `count` networks; more with `ZONES_ORACLE` as a factor.
fn many(count: u64, kinds: Kinds) {
    let factor = std::env::var("ZONES_ORACLE").ok().and_then(|factor| factor.parse().ok());
    let count = count * factor.unwrap_or(1);
    let compared = (0..count).filter(|seed| compare(*seed, kinds)).count() as u64;
    assert!(compared * 2 > count, "only {compared} of {count} networks are small enough");
}

#[test]
fn plain() {
    many(50, Kinds { clocks: 2, ..Kinds::default() });
}

#[test]
fn three_clocks() {
    many(20, Kinds { clocks: 3, ..Kinds::default() });
}

#[test]
fn urgent_and_committed() {
    many(50, Kinds { clocks: 2, urgency: true, ..Kinds::default() });
}

#[test]
fn copies() {
    many(50, Kinds { clocks: 2, copies: true, ..Kinds::default() });
}

#[test]
fn broadcasts() {
    many(50, Kinds { clocks: 2, broadcast: true, ..Kinds::default() });
}

#[test]
fn priorities() {
    many(50, Kinds { clocks: 2, priorities: true, ..Kinds::default() });
}

#[test]
fn diagonals() {
    many(50, Kinds { clocks: 2, diagonals: true, ..Kinds::default() });
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
    many(50, kinds);
}

/// Numbers beyond what zones hold, all of them multiples of the same one: the
/// regions are those without it.
#[test]
fn large_numbers() {
    let kinds = Kinds { clocks: 2, urgency: true, scale: 100_000_000, ..Kinds::default() };
    many(20, kinds);
    many(20, Kinds { copies: true, broadcast: true, ..kinds });
    many(20, Kinds { copies: true, diagonals: true, priorities: true, ..kinds });
}
