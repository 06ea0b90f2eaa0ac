//! Combinations of receivers that are cut by zones against all combinations.
#![allow(clippy::unwrap_used)]

use crate::zones_support;

use std::collections::BTreeSet;

use homing_core::{Batch, Space, Word};
use homing_ir::builder::{Builder, and, at, channel, edge, eq, ge, int, read};
use homing_ir::flatten::Wanted;
use homing_ir::network::ChannelKind;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;
use homing_space::zones::{ZoneOptions, ZoneSpace};
use zones_support::{Kinds, sample};

/// States and steps to them, in order of their texts.
type Successors = Vec<(Vec<Word>, String)>;

/// The successors of a state with the steps to them, and whether it is a deadlock.
fn successors(space: &ZoneSpace, state: &[Word]) -> (Successors, bool, usize) {
    let mut batch = Batch::new(space.width());
    space.expander().expand(state, &mut batch);
    let step = |i: usize| format!("{:?}", space.step(state, batch.edge(i)));
    let mut all: Vec<_> = (0..batch.len()).map(|i| (batch.state(i).to_vec(), step(i))).collect();
    all.sort();
    (all, batch.deadlock(), batch.faults().len())
}

/// Compares both in the first states; answers how many states were compared.
fn compare(discrete: &CompiledSpace, deadlocks: bool, about: &str) -> usize {
    let options = ZoneOptions { deadlocks, ..ZoneOptions::default() };
    let Ok(plain) = ZoneSpace::new(discrete, options) else { return 0 };
    let cut = ZoneSpace::new(discrete, ZoneOptions { most_combinations: 0, ..options }).unwrap();
    let mut batch = Batch::new(plain.width());
    plain.expander().initial(&mut batch);
    let mut open = vec![batch.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<Word>> = open.iter().cloned().collect();
    let mut compared = 0;
    while let Some(state) = open.pop().filter(|_| compared < 60) {
        let expected = successors(&plain, &state);
        assert_eq!(successors(&cut, &state), expected, "{about}");
        compared += 1;
        let fresh = expected.0.into_iter().map(|(state, _)| state);
        open.extend(fresh.filter(|state| seen.insert(state.clone())));
    }
    compared
}

#[test]
fn differential_receivers_that_are_cut_by_zones() {
    let mut compared = 0;
    for seed in 0..500 {
        let kinds = Kinds {
            clocks: 3,
            broadcast: true,
            priorities: seed % 3 == 0,
            urgency: seed % 4 == 0,
            ..Kinds::default()
        };
        let sample = sample(seed, kinds);
        let discrete = CompiledSpace::new(&sample.network, &[], Passes::NONE).unwrap();
        compared += compare(&discrete, seed % 2 == 0, &format!("seed {seed}"));
    }
    assert!(compared > 700, "{compared}");
}

/// Forty tasks, each of which has a period of its own: all their combinations were put
/// together, more than fit any memory.
#[test]
fn regression_many_receivers_of_a_broadcast_whose_guards_speak_of_clocks() {
    let mut b = Builder::default();
    let x = b.clock("x");
    let all = b.channel("all", ChannelKind::Broadcast, &[]);
    let sender = b.process("S", &["s0"]);
    b.add(sender, edge(0, 0).send(channel(all), &[]));
    let mut last = None;
    for index in 0..40 {
        let task = b.process(&format!("T{index}"), &["t0", "t1"]);
        let guard = ge(read(x), int(index));
        b.add(task, edge(0, 1).when(guard).receive(channel(all), &[]));
        last = Some(task);
    }
    let goal = and(at(last.unwrap(), 1), eq(int(1), int(1)));
    let network = b.network;
    let discrete = CompiledSpace::new(&network, &[Wanted::goal(goal)], Passes::NONE).unwrap();
    let space = ZoneSpace::new(&discrete, ZoneOptions::default()).unwrap();
    let mut batch = Batch::new(space.width());
    let mut expander = space.expander();
    expander.initial(&mut batch);
    let initial = batch.state(0).to_vec();
    batch.clear();
    expander.expand(&initial, &mut batch);
    // The clock shows which of them have begun their period: those up to some number.
    assert_eq!(batch.len(), 40);
    let mut widths: Vec<usize> =
        (0..40).map(|i| space.step(&initial, batch.edge(i)).edges.len()).collect();
    widths.sort_unstable();
    assert_eq!(widths, (2..=41).collect::<Vec<_>>());
    let reached: Vec<u64> = (0..40).map(|i| expander.violated(batch.state(i))).collect();
    assert_eq!(reached.iter().filter(|bits| **bits == 1).count(), 1);
}
