//! The operations on zones that a step consists of, and whole expansions of
//! Fischer's protocol.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;

use divan::Bencher;
use divan::counter::ItemsCount;
use homing_core::{Batch, Space, Word};
use homing_ir::Network;
use homing_ir::builder::*;
use homing_ir::network::{IntType, Overflow, Type};
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;
use homing_space::zones::dbm::{Dbm, at_most, less_than};
use homing_space::zones::extrapolation::{Constants, extra_plus};
use homing_space::zones::packed::Packing;
use homing_space::zones::{ZoneOptions, ZoneSpace};

fn main() {
    divan::main();
}

const CLOCKS: [usize; 3] = [4, 8, 16];

/// A zone like those on the way: clocks reset one after the other.
fn zone(clocks: usize) -> Dbm {
    let mut zone = Dbm::zero(clocks);
    for clock in 1..=clocks {
        zone.up();
        zone.constrain(clock, 0, at_most(10));
        zone.constrain(0, clock, less_than(-1));
        zone.reset(clock, 0);
    }
    zone.up();
    zone
}

#[divan::bench(args = CLOCKS)]
fn constrain(bencher: Bencher, clocks: usize) {
    let zone = zone(clocks);
    bencher.with_inputs(|| zone.clone()).bench_values(|mut zone| {
        zone.constrain(1, 0, at_most(5));
        zone
    });
}

#[divan::bench(args = CLOCKS)]
fn close(bencher: Bencher, clocks: usize) {
    let zone = zone(clocks);
    bencher.with_inputs(|| zone.clone()).bench_values(|mut zone| {
        zone.close();
        zone
    });
}

#[divan::bench(args = CLOCKS)]
fn extrapolate(bencher: Bencher, clocks: usize) {
    let (zone, mut constants) = (zone(clocks), Constants::none(clocks));
    constants.lower[1..].fill(3);
    constants.upper[1..].fill(2);
    bencher.with_inputs(|| zone.clone()).bench_values(|mut zone| {
        extra_plus(&mut zone, &constants);
        zone
    });
}

#[divan::bench(args = CLOCKS)]
fn include(bencher: Bencher, clocks: usize) {
    let packing = Packing::new(clocks, at_most(100));
    let mut words = vec![0; packing.words()];
    packing.pack(&zone(clocks), &mut words);
    let other = words.clone();
    bencher.bench(|| packing.includes(divan::black_box(&words), divan::black_box(&other)));
}

/// Fischer's mutual exclusion: ask, write your number within 2, wait longer than
/// 2, and enter if it is still yours.
fn fischer(processes: i64) -> Network {
    let mut b = Builder::default();
    let range = IntType { lo: 0, hi: processes, overflow: Overflow::Error };
    let id = b.variable("id", Type::Int(range), &[0]);
    for number in 1..=processes {
        let x = b.clock(&format!("x{number}"));
        let p = b.process(&format!("P{number}"), &["idle", "ask", "wait", "critical"]);
        b.invariant(p, 1, le(read(x), int(2)));
        b.add(p, edge(0, 1).when(eq(read(id), int(0))).set(x, int(0)));
        let write = edge(1, 2).when(le(read(x), int(2)));
        b.add(p, write.set(x, int(0)).set(id, int(number)));
        b.add(p, edge(2, 0).when(eq(read(id), int(0))).set(x, int(0)));
        let mine = eq(read(id), int(number));
        b.add(p, edge(2, 3).when(and(gt(read(x), int(2)), mine)));
        b.add(p, edge(3, 0).set(id, int(0)));
    }
    b.network
}

#[divan::bench(args = [4, 6])]
fn expand(bencher: Bencher, processes: i64) {
    let network = fischer(processes);
    let discrete = CompiledSpace::new(&network, &[], Passes::NONE).unwrap();
    let space = ZoneSpace::new(&discrete, ZoneOptions::default()).unwrap();
    let states = some_states(&space, 2000);
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    bencher.counter(ItemsCount::new(states.len())).bench_local(|| {
        for state in &states {
            batch.clear();
            expander.expand(state, &mut batch);
        }
        batch.len()
    });
}

/// The first states, breadth first.
fn some_states(space: &ZoneSpace, count: usize) -> Vec<Vec<Word>> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut states = vec![batch.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<Word>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < count {
        batch.clear();
        expander.expand(&states[next], &mut batch);
        next += 1;
        for i in 0..batch.len() {
            if seen.insert(batch.state(i).to_vec()) {
                states.push(batch.state(i).to_vec());
            }
        }
    }
    states
}
