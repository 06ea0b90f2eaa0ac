//! The covering store against a list of all that was ever stored.

#![allow(clippy::unwrap_used)]

use homing_core::expression::{Call, parse};
use homing_core::hash::hash_words;
use homing_core::{Cover, Id, Price, Store, Visit, Word};
use homing_store::{StoreConfig, build};
use proptest::prelude::*;
use std::ops::Range;

/// States are a word, the two ends of an interval, and another word. Intervals
/// cover those within them.
struct Intervals;

impl Cover for Intervals {
    fn words(&self) -> Range<usize> {
        1..3
    }

    fn covers(&self, large: &[Word], small: &[Word]) -> bool {
        assert_eq!((large[0], large[3]), (small[0], small[3]), "they differ in words 1..3 only");
        large[1] <= small[1] && small[2] <= large[2]
    }
}

fn call(text: &str) -> Call {
    parse(text).unwrap().as_call().unwrap().clone()
}

fn store(memory: Option<usize>) -> Box<dyn Store> {
    let config = StoreConfig { width: 4, memory, states: None, cover: Some(&Intervals) };
    build(&config, &call("covering")).unwrap()
}

fn visit(store: &mut dyn Store, state: &[Word; 4], cost: Price) -> Visit {
    store.visit(state, hash_words(state), Id::NONE, cost)
}

/// What the store ought to hold: all states by number.
#[derive(Default)]
struct Listed {
    states: Vec<([Word; 4], Price, bool)>,
}

fn within(large: &[Word; 4], small: &[Word; 4]) -> bool {
    (large[0], large[3]) == (small[0], small[3]) && large[1] <= small[1] && small[2] <= large[2]
}

impl Listed {
    /// The answers that are right, and what becomes of the list.
    fn visit(&mut self, state: [Word; 4], cost: Price) -> Vec<Visit> {
        let live = |(_, (other, price, live)): &(usize, &([Word; 4], Price, bool))| {
            *live && *price <= cost && within(other, &state)
        };
        let number = |(id, (other, ..)): (usize, &([Word; 4], Price, bool))| match *other == state {
            true => Visit::Known(Id(id as u32)),
            false => Visit::Covered(Id(id as u32)),
        };
        let covering: Vec<Visit> =
            self.states.iter().enumerate().filter(live).map(number).collect();
        if !covering.is_empty() {
            return covering;
        }
        let same = self.states.iter().position(|(other, _, live)| *live && *other == state);
        for (id, (other, price, live)) in self.states.iter_mut().enumerate() {
            *live &= Some(id) == same || *price < cost || !within(&state, other);
        }
        match same {
            Some(id) => {
                self.states[id].1 = cost;
                vec![Visit::Known(Id(id as u32))]
            }
            None => {
                self.states.push((state, cost, true));
                vec![Visit::New(Id(self.states.len() as u32 - 1))]
            }
        }
    }
}

fn visits(costs: Price) -> impl Strategy<Value = Vec<([Word; 4], Price)>> {
    let state =
        (0u64..3, 0u64..12, 0u64..12, 0u64..2).prop_map(|(a, x, y, b)| [a, x.min(y), x.max(y), b]);
    prop::collection::vec((state, 0..=costs), 0..300)
}

/// Whether the store and the list say the same from the first visit to the last.
fn agrees(visits: &[([Word; 4], Price)]) {
    let mut store = store(None);
    let mut listed = Listed::default();
    for (state, cost) in visits {
        let right = listed.visit(*state, *cost);
        let answer = visit(&mut *store, state, *cost);
        assert!(right.contains(&answer), "{answer:?} is none of {right:?}");
        assert_eq!(store.len(), listed.states.iter().filter(|(.., live)| *live).count());
    }
    let mut loaded = [Word::MAX; 4];
    for (id, (state, _, live)) in listed.states.iter().enumerate() {
        assert!(store.load(Id(id as u32), &mut loaded));
        assert_eq!(loaded, *state, "tombstones can be loaded");
        assert_eq!(store.is_dropped(Id(id as u32)), !live);
    }
}

proptest! {
    #[test]
    fn differential_covering_without_costs(visits in visits(0)) {
        agrees(&visits);
    }

    #[test]
    fn differential_covering_with_costs(visits in visits(5)) {
        agrees(&visits);
    }

    /// With costs disregarded half way, what follows is as if nothing had cost
    /// anything.
    #[test]
    fn costs_that_are_disregarded_do_not_count(before in visits(5), after in visits(5)) {
        let mut store = store(None);
        let mut listed = Listed::default();
        for (state, cost) in &before {
            prop_assert!(listed.visit(*state, *cost).contains(&visit(&mut *store, state, *cost)));
        }
        store.disregard_costs();
        listed.states.iter_mut().for_each(|(_, cost, _)| *cost = 0);
        for (state, cost) in &after {
            prop_assert!(listed.visit(*state, 0).contains(&visit(&mut *store, state, *cost)));
        }
    }
}

/// As intervals grow, each drops the one before; the others stay.
#[test]
fn what_is_covered_goes() {
    let mut store = store(None);
    assert_eq!(visit(&mut *store, &[7, 5, 6, 0], 3), Visit::New(Id(0)));
    assert_eq!(visit(&mut *store, &[7, 4, 6, 0], 4), Visit::New(Id(1)), "it costs more");
    assert!(!store.is_dropped(Id(0)));
    assert_eq!(visit(&mut *store, &[7, 3, 6, 0], 3), Visit::New(Id(2)));
    assert!(store.is_dropped(Id(0)) && store.is_dropped(Id(1)));
    assert_eq!(visit(&mut *store, &[7, 5, 6, 0], 3), Visit::Covered(Id(2)));
    assert_eq!(visit(&mut *store, &[7, 5, 6, 1], 3), Visit::New(Id(3)), "another word differs");
    assert_eq!(store.len(), 2);
}

/// A store at its limit answers for what it covers, and drops nothing for what
/// it cannot store.
#[test]
fn a_full_store_loses_nothing() {
    for limit in [300_000, 5_000_000] {
        for cost in [0, 1] {
            let mut store = store(Some(limit));
            let wide = |n: Word| [n, 10, 20, n % 7];
            let held = (0..).take_while(|n| {
                let answer = visit(&mut *store, &wide(*n), cost);
                assert!(store.bytes() <= limit);
                answer != Visit::Full
            });
            let held = held.count() as Word;
            assert_eq!(store.len() as Word, held);
            assert!(store.bytes() > limit / 2, "{} of {limit}", store.bytes());
            for n in 0..held {
                assert_eq!(visit(&mut *store, &[n, 9, 20, n % 7], cost), Visit::Full);
                assert_eq!(visit(&mut *store, &wide(n), cost), Visit::Known(Id(n as u32)));
                assert_eq!(
                    visit(&mut *store, &[n, 12, 13, n % 7], cost),
                    Visit::Covered(Id(n as u32))
                );
            }
        }
    }
}

/// Zones of one key share its words; each takes its own and a link.
#[test]
fn zones_take_their_words_and_eight_bytes() {
    let mut store = store(None);
    for n in 0..1_000_000 {
        assert!(matches!(visit(&mut *store, &[n % 50_000, n, n, 0], 0), Visit::New(_)));
    }
    let bytes = store.bytes() as f64 / 1e6;
    // Two words of zone and the link; of the keys a twentieth, and the memory
    // that is committed ahead.
    assert!(bytes < 24.0 + 5.0 + 4.0, "{bytes} bytes a zone");
}
