//! Which successors are enough is a function of the state alone.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;

use homing_core::{Batch, Edge, Space, Word};
use homing_ir::Network;
use homing_ir::flatten::Wanted;
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_space::CompiledSpace;
use homing_space::reduction::{Asked, Reduced, Reduction};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// States looked at in one network.
const LIMIT: usize = 200;

/// Expansions after which a search has a history.
const HISTORY: usize = 12_000;

/// A state's successors in order, and which of them are enough.
type Chosen = (Vec<(Edge, Vec<Word>)>, Option<usize>, Vec<usize>);

fn chosen(batch: &Batch) -> Chosen {
    let successors = (0..batch.len()).map(|i| (batch.edge(i), batch.state(i).to_vec()));
    (successors.collect(), batch.ample(), batch.further().to_vec())
}

/// Some states, breadth first.
fn states(space: &dyn Space) -> Vec<Vec<Word>> {
    let (mut expander, mut batch) = (space.expander(), Batch::new(space.width()));
    expander.initial(&mut batch);
    let (mut states, mut seen) = (Vec::new(), BTreeSet::new());
    let mut next = 0;
    loop {
        for state in (0..batch.len()).map(|i| batch.state(i).to_vec()) {
            if seen.insert(state.clone()) {
                states.push(state);
            }
        }
        if next == states.len() || states.len() > LIMIT {
            return states;
        }
        batch.clear();
        expander.expand(&states[next], &mut batch);
        next += 1;
    }
}

/// What an expander chooses in every state that was at work for so long before.
fn all_chosen(space: &Reduced, states: &[Vec<Word>], before: usize) -> Vec<Chosen> {
    let (mut expander, mut batch) = (space.expander(), Batch::new(space.width()));
    for state in states.iter().rev().cycle().take(before) {
        batch.clear();
        expander.expand(state, &mut batch);
    }
    let each = states.iter().map(|state| {
        batch.clear();
        expander.expand(state, &mut batch);
        chosen(&batch)
    });
    each.collect()
}

/// How many successors there were, and how many were not needed.
#[derive(Default)]
struct Seen {
    successors: usize,
    left_out: usize,
}

fn check(network: &Network, goals: &[Expr], kinds: &mut [usize; 2]) -> Result<(), TestCaseError> {
    let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
    let space = CompiledSpace::new(network, &wanted, Passes::ALL).expect("a supported network");
    let states = states(&space);
    let asked = Asked { conditions: 1, ..Asked::default() };
    for reduction in [Reduction::Static, Reduction::Stubborn, Reduction::Goal] {
        let Ok(reduced) = Reduced::new(&space, reduction, asked) else { return Ok(()) };
        for reduced in [Reduced::new(&space, reduction, asked).unwrap().tried(), reduced] {
            let (fresh, old) = std::thread::scope(|scope| {
                let fresh = scope.spawn(|| all_chosen(&reduced, &states, 0));
                let old = scope.spawn(|| all_chosen(&reduced, &states, HISTORY));
                (fresh.join().unwrap(), old.join().unwrap())
            });
            prop_assert_eq!(&fresh, &old, "{:?}", reduction);
            let mut seen = Seen::default();
            for (successors, ample, _) in &fresh {
                seen.successors += successors.len();
                seen.left_out += ample.map_or(0, |ample| successors.len() - ample);
            }
            kinds[0] += usize::from(seen.left_out > 0);
            kinds[1] += usize::from((1..seen.successors / 8).contains(&seen.left_out));
        }
    }
    Ok(())
}

/// Two expanders of one space choose alike, whatever they did before, also where so
/// little is left out that it does not pay.
#[test]
fn what_is_enough_does_not_depend_on_what_was_expanded() {
    let kinds = std::sync::Mutex::new([0; 2]);
    TestRunner::new(config(40))
        .run(&networks_with_goals(Knobs::default(), 1), |(network, goals)| {
            check(&network, &goals, &mut kinds.lock().unwrap())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let [some, little] = kinds.into_inner().unwrap();
    assert!(some > 0 && little > 0, "{some} {little}");
}
