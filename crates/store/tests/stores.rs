//! Every store of the catalogue against a map of the standard library.

#![allow(clippy::unwrap_used)]

use homing_core::catalogue::Capability;
use homing_core::expression::{Call, parse};
use homing_core::hash::hash_words;
use homing_core::{Id, Store, Visit, Word};
use homing_store::{STORES, StoreConfig, build};
use proptest::prelude::*;
use std::collections::HashMap;

fn call(text: &str) -> Call {
    parse(text).unwrap().as_call().unwrap().clone()
}

fn store(text: &str, width: usize, memory: Option<usize>) -> Box<dyn Store> {
    build(&StoreConfig { width, memory, states: None, cover: None }, &call(text)).unwrap()
}

fn visit(store: &mut dyn Store, state: &[Word], from: Id) -> Visit {
    let hash = hash_words(state);
    store.prefetch(&[hash]);
    store.prefetch_states(&[hash]);
    store.visit(state, hash, from, 0)
}

/// States of one width with many duplicates and many that differ in one bit,
/// each with a guess at where it came from.
fn sequences() -> impl Strategy<Value = (usize, Vec<(Vec<Word>, u32)>)> {
    (0usize..=12).prop_flat_map(|width| {
        let word = prop_oneof![Just(0), 0u64..3, (0u32..64).prop_map(|bit| 1 << bit), any::<u64>()];
        let state = prop::collection::vec(word, width);
        let from = prop_oneof![Just(u32::MAX), 0u32..50, any::<u32>()];
        (Just(width), prop::collection::vec((state, from), 0..400))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn differential_exact_stores_are_maps((width, visits) in sequences()) {
        for name in ["exact", "tree", "covering"] {
            let mut store = store(name, width, None);
            let mut model: HashMap<Vec<Word>, u32> = HashMap::new();
            for (state, from) in &visits {
                let next = model.len() as u32;
                let expected = match model.get(state) {
                    Some(id) => Visit::Known(Id(*id)),
                    None => Visit::New(Id(next)),
                };
                model.entry(state.clone()).or_insert(next);
                prop_assert_eq!(visit(&mut *store, state, Id(*from)), expected);
                prop_assert_eq!(store.len(), model.len());
            }
            let mut loaded = vec![Word::MAX; width];
            for (state, id) in &model {
                prop_assert!(store.load(Id(*id), &mut loaded));
                prop_assert_eq!(&loaded, state);
            }
        }
    }

    #[test]
    fn lossy_stores_never_take_a_known_state_for_new((width, visits) in sequences()) {
        for name in ["bitstate(bits=12)", "bitstate(bits=9,hashes=1)", "bitstate(bits=20,hashes=5)",
                     "hash-compact", "hash-compact(bits=16)", "hash-compact(bits=33)"] {
            let mut store = store(name, width, None);
            let mut seen = HashMap::new();
            for (state, from) in &visits {
                let answer = visit(&mut *store, state, Id(*from));
                prop_assert_ne!(answer, Visit::Full);
                if seen.insert(state.clone(), ()).is_some() {
                    prop_assert!(matches!(answer, Visit::Known(_)));
                }
                if let Visit::New(id) = answer {
                    prop_assert_eq!(id.index() + 1, store.len());
                }
            }
            prop_assert!(store.len() <= seen.len());
            prop_assert!(store.coverage() > 0.0 && store.coverage() <= 1.0);
        }
    }
}

/// State number `n` of a space in which words are often equal.
fn numbered(n: u64, width: usize) -> Vec<Word> {
    let digits = (0..width as u32).map(|at| (n >> (at % 8 * 4) & 0xf) * 0x0101_0000_0001);
    digits.enumerate().map(|(at, digit)| if at == 0 { digit << 32 | n } else { digit }).collect()
}

#[test]
fn a_million_states_through_many_growths() {
    for (name, width) in [
        ("covering", 3),
        ("exact", 1),
        ("exact", 3),
        ("exact", 5),
        ("tree", 1),
        ("tree", 2),
        ("tree", 5),
    ] {
        let mut store = store(name, width, None);
        let mut previous = Id::NONE;
        for n in 0..1_000_000 {
            let expected = Visit::New(Id(n as u32));
            assert_eq!(
                visit(&mut *store, &numbered(n, width), previous),
                expected,
                "{name} {width}"
            );
            previous = Id(n as u32);
        }
        let mut loaded = vec![0; width];
        for n in (0..1_000_000).step_by(7) {
            let expected = Visit::Known(Id(n as u32));
            assert_eq!(visit(&mut *store, &numbered(n, width), Id(0)), expected, "{name} {width}");
            assert!(store.load(Id(n as u32), &mut loaded));
            assert_eq!(loaded, numbered(n, width));
        }
    }
}

/// States whose hashes agree in their highest twelve bits share a bucket until
/// the index has 4,096 of them.
#[test]
fn states_that_share_a_bucket_overflow_into_the_next() {
    let crowded: Vec<[Word; 2]> =
        (0..1 << 20).map(|n| [n, !n]).filter(|state| hash_words(state) >> 52 == 0xfff).collect();
    assert!(crowded.len() > 200);
    for name in ["exact", "tree", "covering"] {
        let mut store = store(name, 2, None);
        for (n, state) in crowded.iter().enumerate() {
            assert_eq!(visit(&mut *store, state, Id::NONE), Visit::New(Id(n as u32)));
        }
        for (n, state) in crowded.iter().enumerate() {
            assert_eq!(visit(&mut *store, state, Id::NONE), Visit::Known(Id(n as u32)));
        }
    }
}

#[test]
fn a_store_at_its_memory_limit_is_full_and_whole() {
    for (name, width) in [
        ("covering", 2),
        ("exact", 2),
        ("exact", 12),
        ("tree", 1),
        ("tree", 2),
        ("tree", 6),
        ("hash-compact", 2),
    ] {
        for limit in [1_000_000, 5_000_000, 40_000_000] {
            let mut store = store(name, width, Some(limit));
            let held = (0..).take_while(|n| {
                let answer = visit(&mut *store, &numbered(*n, width), Id(*n as u32));
                assert!(store.bytes() <= limit, "{name} {width} takes {}", store.bytes());
                answer != Visit::Full
            });
            let held = held.count() as u64;
            assert_eq!(store.len() as u64, held);
            assert!(store.bytes() > limit / 2, "{name} {width}: {} of {limit}", store.bytes());
            let mut loaded = vec![0; width];
            for n in (0..held).step_by(3) {
                let known = Visit::Known(Id(n as u32));
                assert_eq!(visit(&mut *store, &numbered(n, width), Id::NONE), known);
                assert!(!store.keeps_states() || store.load(Id(n as u32), &mut loaded));
                assert!(!store.keeps_states() || loaded == numbered(n, width));
            }
        }
    }
}

#[test]
fn limits_too_small_to_begin_with_are_refused_in_words() {
    for row in STORES {
        let config = StoreConfig { width: 4, memory: Some(10), states: None, cover: None };
        let refused = build(&config, &call(row.name)).map(|_| ()).unwrap_err();
        assert!(refused.contains("memory"), "{refused}");
    }
}

#[test]
fn bitstate_takes_up_to_half_the_limit() {
    // Only what was touched counts.
    let full = |name: &str, memory| {
        let mut store = store(name, 2, memory);
        assert_eq!(store.bytes(), 0);
        for n in 0..200_000 {
            visit(&mut *store, &[n, 7], Id::NONE);
        }
        store.bytes()
    };
    assert_eq!(full("bitstate", Some(3 << 20)), 1 << 20);
    assert_eq!(full("bitstate(bits=16)", None), 1 << 13);
    assert!(
        build(
            &StoreConfig { width: 2, memory: Some(1 << 20), states: None, cover: None },
            &call("bitstate(bits=33)")
        )
        .is_err()
    );
}

/// The estimate against the truth, where hardly anything and where much is lost.
#[test]
fn coverage_is_what_was_seen() {
    for (name, total) in [
        ("bitstate(bits=22)", 100_000),
        ("bitstate(bits=20)", 400_000),
        ("bitstate(bits=20,hashes=1)", 300_000),
        ("bitstate(bits=18,hashes=8)", 100_000),
        ("hash-compact(bits=16)", 40_000),
        ("hash-compact(bits=24)", 1_000_000),
        ("hash-compact(bits=40)", 300_000),
    ] {
        let mut store = store(name, 2, None);
        for n in 0..total {
            visit(&mut *store, &[n, 7], Id::NONE);
            visit(&mut *store, &[n / 2, 7], Id::NONE);
        }
        let truth = store.len() as f64 / total as f64;
        let error = (store.coverage() - truth).abs();
        assert!(error < 0.01, "{name}: said {}, was {truth}", store.coverage());
    }
}

#[test]
fn rows_say_what_stores_do() {
    for row in STORES {
        let mut store = store(&format!("{}()", row.name), 2, Some(1 << 20));
        assert_eq!(row.gives(Capability::Exact), store.is_exact(), "{}", row.name);
        assert_eq!(row.gives(Capability::KeepsStates), store.keeps_states(), "{}", row.name);
        visit(&mut *store, &[1, 2], Id::NONE);
        let known = visit(&mut *store, &[1, 2], Id::NONE);
        let numbered = known == Visit::Known(Id(0));
        assert_eq!(row.gives(Capability::NumbersStates), numbered, "{}", row.name);
        assert_eq!(store.load(Id(0), &mut [0, 0]), store.keeps_states(), "{}", row.name);
    }
    assert_eq!(STORES[0].name, "exact", "the default comes first");
}

#[test]
fn wrong_calls_are_refused_in_words() {
    let config = StoreConfig { width: 1, memory: None, states: None, cover: None };
    for (text, word) in [
        ("exakt", "exact"),
        ("exact(bits=3)", "bits"),
        ("bitstate(bits=200)", "between"),
        ("bitstate(hashes=0)", "between"),
        ("hash-compact(bits=65)", "between"),
        ("hash-compact(bits=x)", "number"),
    ] {
        let refused = build(&config, &call(text)).map(|_| ()).unwrap_err();
        assert!(refused.contains(word), "{text}: {refused}");
    }
}
