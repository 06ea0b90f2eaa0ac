//! Nanoseconds a visit, beside `hashbrown` over the same arena and the
//! standard set, in one run.
//!
//! Three visits in ten meet a new state, the others one chosen at random from
//! those stored, which is harder on the cache than a search: there, most
//! duplicates are recent. States are mixed-radix numbers, so that trees have
//! something to share.
//!
//! `cargo bench -p homing-store` runs everything up to 10 million states (some
//! minutes and 3 GB); a filter such as `-- 'tree.*1000000'` runs a part.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use hashbrown::HashTable;
use homing_core::expression::{Call, parse};
use homing_core::hash::hash_words;
use homing_core::{Id, Store, Visit, Word};
use homing_store::{StoreConfig, build};
use std::collections::HashSet;

fn main() {
    divan::main();
}

const WIDTHS: [usize; 4] = [1, 2, 4, 8];
const WINDOW: usize = 64;

/// The visits of one run: a window of states with their hashes at a time.
struct Visits {
    width: usize,
    /// States stored when the run ends.
    states: u64,
    known: u64,
    random: u64,
    words: Vec<Word>,
    hashes: Vec<u64>,
}

impl Visits {
    fn new(width: usize, states: u64) -> Visits {
        let (words, hashes) = (Vec::new(), Vec::new());
        Visits { width, states, known: 0, random: 1, words, hashes }
    }

    /// About how many visits there are in all.
    fn total(&self) -> u64 {
        self.states * 10 / 3
    }

    fn next_window(&mut self) -> bool {
        self.words.clear();
        self.hashes.clear();
        while self.hashes.len() < WINDOW && self.known < self.states {
            let number = self.next_number();
            let base = (self.states as f64).powf(1.0 / self.width as f64).ceil() as u64;
            let mut rest = number;
            for _ in 0..self.width {
                self.words.push((rest % base).wrapping_mul(0x0001_0040_1000_0401));
                rest /= base;
            }
            let first = self.words.len() - self.width;
            self.hashes.push(hash_words(&self.words[first..]));
        }
        !self.hashes.is_empty()
    }

    fn next_number(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let scaled = |of: u64| (u128::from(self.random) * u128::from(of) >> 64) as u64;
        if self.known == 0 || scaled(10) < 3 {
            self.known += 1;
            self.known - 1
        } else {
            (u128::from(self.random.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * u128::from(self.known)
                >> 64) as u64
        }
    }

    fn window(&self) -> impl Iterator<Item = (&[Word], u64)> {
        self.words.chunks_exact(self.width).zip(self.hashes.iter().copied())
    }
}

fn call(name: &str) -> Call {
    parse(name).and_then(|parsed| parsed.as_call().cloned().map_err(|_| unreachable!())).unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Single,
    Window,
}

fn run(name: &str, width: usize, states: u64, way: Way) -> Box<dyn Store> {
    let config = StoreConfig { width, memory: None };
    let mut store = black_box(build(&config, &call(name)).unwrap());
    let mut visits = Visits::new(width, states);
    while visits.next_window() {
        if way == Way::Window {
            visits.hashes.iter().for_each(|hash| store.prefetch(*hash));
        }
        for (state, hash) in visits.window() {
            assert_ne!(store.visit(state, hash, Id::NONE), Visit::Full);
        }
    }
    store
}

fn measure(bencher: Bencher, name: &str, width: usize, states: u64, way: Way) {
    bencher
        .counter(ItemsCount::new(Visits::new(width, states).total()))
        .bench_local(|| run(name, width, states, way));
    let store = run(name, width, states.min(1_000_000), way);
    black_box(store.bytes());
}

macro_rules! sizes {
    ($module:ident, $states:expr, $samples:expr) => {
        #[divan::bench_group(sample_count = $samples, sample_size = 1)]
        mod $module {
            use super::*;

            #[divan::bench(args = WIDTHS)]
            fn a_generating_alone(bencher: Bencher, width: usize) {
                bencher
                    .counter(ItemsCount::new(Visits::new(width, $states).total()))
                    .bench_local(|| {
                        let mut visits = Visits::new(width, $states);
                        while visits.next_window() {
                            visits.window().for_each(|visit| {
                                black_box(visit);
                            });
                        }
                    });
            }

            #[divan::bench(args = WIDTHS)]
            fn exact_window(bencher: Bencher, width: usize) {
                measure(bencher, "exact", width, $states, Way::Window);
            }

            #[divan::bench(args = WIDTHS)]
            fn exact_single(bencher: Bencher, width: usize) {
                measure(bencher, "exact", width, $states, Way::Single);
            }

            #[divan::bench(args = WIDTHS)]
            fn tree_window(bencher: Bencher, width: usize) {
                measure(bencher, "tree", width, $states, Way::Window);
            }

            #[divan::bench(args = WIDTHS)]
            fn tree_single(bencher: Bencher, width: usize) {
                measure(bencher, "tree", width, $states, Way::Single);
            }

            #[divan::bench(args = WIDTHS)]
            fn hashbrown_over_arena(bencher: Bencher, width: usize) {
                baseline_hashbrown(bencher, width, $states);
            }

            #[divan::bench(args = WIDTHS)]
            fn standard_set(bencher: Bencher, width: usize) {
                baseline_standard(bencher, width, $states);
            }
        }
    };
}
