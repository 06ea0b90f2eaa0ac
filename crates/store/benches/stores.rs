//! Nanoseconds a visit, beside `hashbrown` over the same arena and the
//! standard set, in one run.
//!
//! Three visits in ten meet a new state, the others one chosen at random from
//! those stored, which is harder on the cache than a search: there, most
//! duplicates are recent. States are mixed-radix numbers, so that trees have
//! something to share.
//!
//! `cargo bench -p homing-store` runs everything, up to 10 million states (many
//! minutes and 3 GB); a filter such as `-- '1_million.*exact 2'` runs a part.

#![allow(clippy::unwrap_used)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use hashbrown::HashTable;
use homing_core::expression::{Call, parse};
use homing_core::hash::hash_words;
use homing_core::{Id, Store, Visit, Word};
use homing_store::{StoreConfig, build};
use std::collections::HashSet;
use std::fmt;

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
        if self.known == 0 || scale(self.random, 10) < 3 {
            self.known += 1;
            self.known - 1
        } else {
            scale(self.random.wrapping_mul(0x9e37_79b9_7f4a_7c15), self.known)
        }
    }

    fn window(&self) -> impl Iterator<Item = (&[Word], u64)> {
        self.words.chunks_exact(self.width).zip(self.hashes.iter().copied())
    }
}

/// A random number, scaled to be less than `end`.
fn scale(random: u64, end: u64) -> u64 {
    ((u128::from(random) * u128::from(end)) >> 64) as u64
}

fn call(name: &str) -> Call {
    parse(name).and_then(|parsed| parsed.as_call().cloned().map_err(|_| unreachable!())).unwrap()
}

/// How far ahead of a visit the store is told of it.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// Not at all.
    Single,
    /// A window ahead.
    Window,
    /// A window ahead, and again before the visits of the window.
    Twice,
}

#[derive(Debug)]
struct Case {
    name: &'static str,
    width: usize,
    way: Way,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} words {:?}", self.name, self.width, self.way)
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for name in ["exact", "tree", "hash-compact"] {
        for width in WIDTHS {
            for way in [Way::Single, Way::Window, Way::Twice] {
                cases.push(Case { name, width, way });
            }
        }
    }
    cases
}

fn run(case: &Case, states: u64) -> Box<dyn Store> {
    let config = StoreConfig { width: case.width, memory: None, states: None, cover: None };
    let mut store = black_box(build(&config, &call(case.name)).unwrap());
    let mut visits = Visits::new(case.width, states);
    while visits.next_window() {
        if case.way != Way::Single {
            store.prefetch(&visits.hashes);
        }
        if case.way == Way::Twice {
            store.prefetch_states(&visits.hashes);
        }
        for (state, hash) in visits.window() {
            assert_ne!(store.visit(state, hash, Id::NONE, 0), Visit::Full);
        }
    }
    store
}

fn count(width: usize, states: u64) -> ItemsCount {
    ItemsCount::new(Visits::new(width, states).total())
}

fn run_hashbrown(width: usize, states: u64) -> HashTable<u32> {
    let mut arena: Vec<Word> = Vec::new();
    let mut table: HashTable<u32> = HashTable::new();
    let mut visits = Visits::new(width, states);
    while visits.next_window() {
        for (state, hash) in visits.window() {
            let stored = |id: &u32| &arena[*id as usize * width..(*id as usize + 1) * width];
            if table.find(hash, |id| stored(id) == state).is_none() {
                let id = (arena.len() / width) as u32;
                arena.extend_from_slice(state);
                let stored = |id: &u32| &arena[*id as usize * width..(*id as usize + 1) * width];
                table.insert_unique(hash, id, |id| hash_words(stored(id)));
            }
        }
    }
    table
}

fn run_standard(width: usize, states: u64) -> HashSet<Box<[Word]>> {
    let mut set = HashSet::new();
    let mut visits = Visits::new(width, states);
    while visits.next_window() {
        for (state, _) in visits.window() {
            if !set.contains(state) {
                set.insert(state.into());
            }
        }
    }
    set
}

fn run_generating_alone(width: usize, states: u64) {
    let mut visits = Visits::new(width, states);
    while visits.next_window() {
        black_box(&visits.words);
    }
}

macro_rules! at_size {
    ($module:ident, $states:expr, $samples:expr) => {
        #[divan::bench_group(sample_count = $samples, sample_size = 1)]
        mod $module {
            use super::*;

            #[divan::bench(args = WIDTHS)]
            fn generating_alone(bencher: Bencher, width: usize) {
                let bencher = bencher.counter(count(width, $states));
                bencher.bench_local(|| run_generating_alone(width, $states));
            }

            #[divan::bench(args = WIDTHS)]
            fn hashbrown_over_arena(bencher: Bencher, width: usize) {
                let bencher = bencher.counter(count(width, $states));
                bencher.bench_local(|| run_hashbrown(width, $states));
            }

            #[divan::bench(args = WIDTHS)]
            fn standard_set(bencher: Bencher, width: usize) {
                let bencher = bencher.counter(count(width, $states));
                bencher.bench_local(|| run_standard(width, $states));
            }

            #[divan::bench(args = cases())]
            fn store(bencher: Bencher, case: &Case) {
                let bencher = bencher.counter(count(case.width, $states));
                bencher.bench_local(|| run(case, $states));
            }
        }
    };
}

at_size!(states_100_thousand, 100_000, 5);
at_size!(states_1_million, 1_000_000, 3);
at_size!(states_10_million, 10_000_000, 1);
