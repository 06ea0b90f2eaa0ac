//! Nanoseconds an operation of each open list, in one run.
//!
//! A search pushes a few successors for every state it pops, their keys not far
//! from the one popped: as A* does, with f between it and it plus two, and h
//! wandering. `cargo bench -p homing-search` runs it.

#![allow(clippy::unwrap_used)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use homing_core::Open;
use homing_core::random::Random;
use homing_search::open::{Buckets, Fifo, Heap, Levels, Lifo, Matrix};

fn main() {
    divan::main();
}

/// Operations of one run, pushes and pops.
const OPERATIONS: u64 = 2_000_000;

/// Three pushes for two pops, then everything out. `key` makes the next key
/// from f and h.
fn work<O: Open + Default>(key: fn(u64, u64) -> u64) -> u64 {
    let mut open = O::default();
    let mut random = Random::new(7);
    let (mut operations, mut entry, mut f) = (0, 0u32, 40);
    open.push(entry, key(f, 30));
    while operations < OPERATIONS {
        for _ in 0..3 {
            entry += 1;
            let up = random.below(3);
            open.push(entry, key(f + up, random.below(40)));
        }
        for _ in 0..2 {
            black_box(open.pop());
        }
        operations += 5;
        f += u64::from(operations % 50_000 == 0);
    }
    while let Some(popped) = open.pop() {
        black_box(popped);
        operations += 1;
    }
    operations
}

fn sum(f: u64, h: u64) -> u64 {
    f << 24 | h << 8
}

fn run<O: Open + Default>(bencher: Bencher, key: fn(u64, u64) -> u64) {
    let operations = work::<O>(key);
    bencher.counter(ItemsCount::new(operations)).bench_local(|| work::<O>(key));
}

#[divan::bench]
fn matrix(bencher: Bencher) {
    run::<Matrix>(bencher, sum);
}

#[divan::bench]
fn heap_of_the_same_keys(bencher: Bencher) {
    run::<Heap>(bencher, sum);
}

#[divan::bench]
fn buckets(bencher: Bencher) {
    run::<Buckets>(bencher, |_, h| h);
}

#[divan::bench]
fn levels_of_buckets(bencher: Bencher) {
    run::<Levels<Buckets>>(bencher, |f, h| (f & 1) << 48 | h);
}

#[divan::bench]
fn fifo(bencher: Bencher) {
    run::<Fifo>(bencher, |f, _| f);
}

#[divan::bench]
fn lifo(bencher: Bencher) {
    run::<Lifo>(bencher, |f, _| f);
}
