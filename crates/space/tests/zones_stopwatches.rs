//! Clocks that stop, on random networks, against two oracles that share nothing with
//! zones: all sequences of few edges, each with exact delays or none, and what the
//! interpreter reaches in delays of a quarter of a unit.
//!
//! ```text
//! reached in quarters  ⊆  reached by edges with delays  ⊆  reached among zones
//! ```
//! and never in more steps. The other inclusions do not hold: delays may have to be
//! thirds, and zones over-approximate.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::zones_support;

use std::collections::BTreeMap;

use homing_core::random::Random;
use homing_core::{Batch, Space, Word};
use homing_ir::Trace;
use homing_ir::builder::{eq, int, read};
use homing_ir::flatten::Wanted;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{Place, Stopwatch, Type, VariableId};
use homing_ir::passes::Passes;
use homing_ir::source::Span;
use homing_space::CompiledSpace;
use homing_space::zones::{Extrapolation, Subsumption, ZoneOptions, ZoneSpace};
use zones_support::{GREATEST, Kinds, Sample, sample};

/// How many steps the oracles take.
const DEPTH: u32 = 4;

/// How many sequences of edges of one length are looked at.
const MOST_RUNS: usize = 400;

/// By goal, the steps to it.
type Reached = Vec<Option<u32>>;

/// A random network, some of whose locations stop clocks, with goals that do not ask
/// for deadlocks.
fn stopping(seed: u64, kinds: Kinds) -> Sample {
    let mut sample = sample(seed, kinds);
    sample.goals.truncate(sample.goals.len() - 3);
    let mut random = Random::new(seed ^ 0x5709);
    let variables = sample.network.variables.iter().enumerate();
    let (clocks, numbers): (Vec<_>, Vec<_>) = variables.partition(|(_, v)| v.ty == Type::Clock);
    let number = VariableId(numbers[0].0 as u32);
    let clocks: Vec<VariableId> = clocks.iter().map(|(at, _)| VariableId(*at as u32)).collect();
    let processes = sample.network.processes.iter_mut();
    for location in processes.flat_map(|process| &mut process.locations) {
        for clock in &clocks {
            let runs = match random.below(6) {
                0 | 1 => int(0),
                2 => eq(read(number), int(random.below(3) as i64)),
                _ => continue,
            };
            let clock = Place { variable: *clock, path: Vec::new(), span: Span::default() };
            location.stopwatches.push(Stopwatch { clock, runs });
        }
    }
    sample
}

/// What sequences of edges reach that have delays, and whether these are all.
fn by_edges(sample: &Sample, discrete: &CompiledSpace) -> (Reached, bool) {
    let interpreter = Interpreter::new(&sample.network).unwrap();
    let (mut reached, mut complete) = (vec![None; sample.goals.len()], true);
    let mut expander = discrete.expander();
    let mut batch = Batch::new(discrete.width());
    expander.initial(&mut batch);
    let mut runs = vec![(batch.state(0).to_vec(), Vec::new())];
    for depth in 0..=DEPTH {
        let mut next = Vec::new();
        for (state, steps) in runs {
            let trace = Trace::new(steps.clone());
            if interpreter.schedule(&trace, None, false).is_none() {
                continue;
            }
            for (goal, reached) in sample.goals.iter().zip(&mut reached) {
                if reached.is_none() && interpreter.schedule(&trace, Some(goal), false).is_some() {
                    *reached = Some(depth);
                }
            }
            batch.clear();
            expander.expand(&state, &mut batch);
            for i in 0..batch.len() {
                let step = discrete.step(&state, batch.edge(i));
                let longer: Vec<_> = steps.iter().cloned().chain([step]).collect();
                next.push((batch.state(i).to_vec(), longer));
            }
        }
        runs = next;
        complete &= runs.len() <= MOST_RUNS;
        runs.truncate(MOST_RUNS);
    }
    (reached, complete)
}

/// What is reached in delays of a quarter of a unit.
fn in_quarters(sample: &Sample) -> Reached {
    let interpreter = Interpreter::new(&sample.network).unwrap();
    let mut reached = vec![None; sample.goals.len()];
    let scale = sample.kinds.scale.max(1);
    let mut level = vec![interpreter.refined(&interpreter.initial(), 4).unwrap()];
    for depth in 0..=DEPTH {
        let mut seen: BTreeMap<State, ()> = BTreeMap::new();
        let mut next = Vec::new();
        while let Some(state) = level.pop() {
            if seen.len() > 3000 || seen.insert(state.clone(), ()).is_some() {
                continue;
            }
            for (goal, reached) in sample.goals.iter().zip(&mut reached) {
                if reached.is_none() && interpreter.eval(&state, goal).is_ok_and(|v| v != 0) {
                    *reached = Some(depth);
                }
            }
            // Beyond all constants nothing is compared any more.
            let far = scale * (4 * GREATEST + 8);
            let small = interpreter.clocks().iter().any(|clock| state.values[*clock] <= far);
            level.extend(interpreter.delay(&state, scale).ok().filter(|_| small));
            next.extend(interpreter.steps(&state).into_iter().filter_map(|(_, to)| to.ok()));
        }
        level = next;
    }
    reached
}

/// What is reached among zones.
fn among_zones(space: &ZoneSpace, goals: usize) -> Reached {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    // Comparisons of clocks split even the first zone, where one of them stands still.
    let first = (0..batch.len()).map(|i| batch.state(i).to_vec());
    let (mut level, mut reached) = (first.collect::<Vec<_>>(), vec![None; goals]);
    let mut stored: BTreeMap<Vec<Word>, Vec<Vec<Word>>> = BTreeMap::new();
    let own = space.discrete().width();
    for depth in 0.. {
        let mut next = Vec::new();
        for state in &level {
            let known = stored.entry(state[..own].to_vec()).or_default();
            let covers = |other: &Vec<Word>| space.cover().unwrap().covers(other, state);
            if known.iter().any(covers) {
                continue;
            }
            known.push(state.clone());
            let bits = expander.violated(state);
            for (goal, reached) in reached.iter_mut().enumerate() {
                if bits >> goal & 1 == 1 {
                    reached.get_or_insert(depth);
                }
            }
            batch.clear();
            expander.expand(state, &mut batch);
            (0..batch.len()).for_each(|i| next.push(batch.state(i).to_vec()));
        }
        if next.is_empty() {
            return reached;
        }
        level = next;
    }
    reached
}

/// Whether all that is reached by one is by the other, in no more steps.
fn within(small: &Reached, large: &Reached) -> bool {
    small.iter().zip(large).all(|(small, large)| match (small, large) {
        (Some(small), Some(large)) => large <= small,
        (small, _) => small.is_none(),
    })
}

/// Compares one network. Answers whether something happens in it.
fn compare(seed: u64, kinds: Kinds) -> bool {
    let sample = stopping(seed, kinds);
    let interpreter = Interpreter::new(&sample.network).unwrap();
    if interpreter.broken_invariant(&interpreter.initial()) != Ok(None) {
        // Nothing happens, and no run has delays.
        return false;
    }
    let wanted: Vec<Wanted> = sample.goals.iter().cloned().map(Wanted::goal).collect();
    let passes = Passes { dead: true, ..Passes::COUNTING };
    let discrete = CompiledSpace::new(&sample.network, &wanted, passes).unwrap();
    let (quarters, (edges, complete)) = (in_quarters(&sample), by_edges(&sample, &discrete));
    let told = || format!("seed {seed}, {kinds:?}: {quarters:?} but {edges:?}");
    assert!(!complete || within(&quarters, &edges), "{}", told());
    for (extrapolation, subsumption, local, elapsed) in [
        (Extrapolation::LuPlus, Subsumption::Alu, true, true),
        (Extrapolation::Lu, Subsumption::Alu, false, false),
        (Extrapolation::MPlus, Subsumption::Am, true, true),
        (Extrapolation::M, Subsumption::Inclusion, true, false),
    ] {
        let options = ZoneOptions {
            extrapolation,
            local,
            subsumption,
            compare_local: local,
            elapsed,
            deadlocks: false,
            ..ZoneOptions::default()
        };
        let space = ZoneSpace::new(&discrete, options).unwrap();
        let zones = among_zones(&space, sample.goals.len());
        let told = || format!("seed {seed}, {options:?}: {quarters:?}, {edges:?} but {zones:?}");
        assert!(within(&edges, &zones) && within(&quarters, &zones), "{}", told());
    }
    true
}

fn many(kinds: Kinds) {
    let factor = std::env::var("ZONES_ORACLE").ok().and_then(|factor| factor.parse().ok());
    let count = 60 * factor.unwrap_or(1);
    let compared = (0..count).filter(|seed| compare(*seed, kinds)).count() as u64;
    assert!(compared * 2 > count, "only {compared} of {count} networks do something");
}

#[test]
fn stopwatches_lose_nothing() {
    many(Kinds { clocks: 3, ..Kinds::default() });
}

#[test]
fn stopwatches_with_urgency_and_broadcasts_lose_nothing() {
    many(Kinds { clocks: 3, urgency: true, broadcast: true, ..Kinds::default() });
}

#[test]
fn stopwatches_that_are_copied_and_compared_lose_nothing() {
    many(Kinds { clocks: 2, copies: true, ..Kinds::default() });
    many(Kinds { clocks: 3, diagonals: true, ..Kinds::default() });
}

#[test]
fn stopwatches_with_priorities_lose_nothing() {
    many(Kinds { clocks: 2, priorities: true, broadcast: true, ..Kinds::default() });
}

#[test]
fn numbers_of_stopwatches_are_divided() {
    many(Kinds { clocks: 3, scale: 60, ..Kinds::default() });
}
