//! How fast successors are generated: by compiled code, and beside it by interpreted code.

#![allow(clippy::expect_used)]

use divan::Bencher;
use divan::counter::ItemsCount;
use homing_core::{Batch, Space, Word};
use homing_ir::Network;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, networks};
use homing_space::{CompiledSpace, Execution};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

fn main() {
    divan::main();
}

/// The largest of a few random networks, always the same.
fn network() -> Network {
    let mut runner = TestRunner::deterministic();
    let knobs = Knobs { processes: 4, variables: 6, faults: false, ..Knobs::default() };
    let strategy = networks(knobs);
    let sample = |_| strategy.new_tree(&mut runner).expect("a network").current();
    let size = |network: &Network| states(&space(network), 3000).len();
    (0..60).map(sample).max_by_key(size).expect("some network")
}

fn space(network: &Network) -> CompiledSpace {
    CompiledSpace::new(network, &[], Passes::COUNTING).expect("a supported network")
}

/// The first states of a breadth-first exploration.
fn states(space: &dyn Space, most: usize) -> Vec<Vec<Word>> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut found = vec![batch.state(0).to_vec()];
    let mut next = 0;
    while next < found.len() && found.len() < most {
        batch.clear();
        expander.expand(&found[next], &mut batch);
        for i in 0..batch.len() {
            if !found.iter().any(|state| state == batch.state(i)) {
                found.push(batch.state(i).to_vec());
            }
        }
        next += 1;
    }
    found
}

fn expand_all(bencher: Bencher, space: &dyn Space, most: usize) {
    let states = states(space, most);
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for state in &states {
            batch.clear();
            expander.expand(divan::black_box(state), &mut batch);
        }
        batch.len()
    });
}

#[divan::bench]
fn compiled(bencher: Bencher) {
    expand_all(bencher, &space(&network()), 1000);
}

#[divan::bench]
fn interpreted(bencher: Bencher) {
    let network = network();
    let execution = Execution::Interpreted;
    let space = CompiledSpace::executed(&network, &[], Passes::COUNTING, execution);
    expand_all(bencher, &space.expect("a supported network"), 1000);
}

/// From a network to the first successors: flattening, passes, code.
#[divan::bench]
fn compile(bencher: Bencher) {
    let network = network();
    bencher.bench_local(|| states(&space(&network), 50).len());
}
