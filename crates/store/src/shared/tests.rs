//! The shared store: model checked, stressed, and compared with the exact one.
#![allow(clippy::unwrap_used)]

use std::sync::Barrier;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::thread;

use homing_core::hash::hash_words;
use homing_core::{Random, Store};
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64 as Modelled;

use super::*;
use crate::arena::Any;
use crate::exact::Exact;
use crate::memory::PAGE;

fn config(width: usize) -> StoreConfig<'static> {
    StoreConfig { width, ..StoreConfig::default() }
}

/// Visits in all orders that two threads, or three, may have.
fn model(visits: &'static [&'static [(Word, u64)]], check: fn(&Shared<Modelled>, &[Visit])) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        // One line, so that a way is short, and records one at a time.
        let shared = Shared::<Modelled>::sized(&config(2), visits.len(), 8, 1).unwrap();
        let shared = Arc::new(shared);
        let visit = |me: usize, shared: &Shared<Modelled>| -> Vec<Visit> {
            let all = visits[me].iter();
            all.map(|(word, hash)| shared.find(me, &[*word, !*word], *hash)).collect()
        };
        let spawn = |me: usize| {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || visit(me, &shared))
        };
        let others: Vec<_> = (1..visits.len()).map(spawn).collect();
        let mut seen = visit(0, &shared);
        seen.extend(others.into_iter().flat_map(|other| other.join().unwrap()));
        check(&shared, &seen);
    });
}

fn new(seen: &[Visit]) -> Vec<Id> {
    let mut new: Vec<Id> = seen
        .iter()
        .filter_map(|visit| match visit {
            Visit::New(id) => Some(*id),
            _ => None,
        })
        .collect();
    new.sort_unstable();
    new
}

fn stored(shared: &Shared<Modelled>) -> usize {
    shared.owners.iter().map(Owner::stored).sum()
}

/// Hashes that differ in the part that a slot does not keep, and equal ones of different
/// states.
const FAR: u64 = 7 << 32;

#[test]
fn model_equal_states_are_stored_once() {
    model(&[&[(5, FAR)], &[(5, FAR)]], |shared, seen| {
        assert_eq!((new(seen).len(), stored(shared)), (1, 1));
        let known = Visit::Known(new(seen)[0]);
        assert!(seen.contains(&known), "{seen:?}");
    });
    model(&[&[(5, FAR)], &[(5, FAR)], &[(5, FAR)]], |shared, seen| {
        assert_eq!((new(seen).len(), stored(shared)), (1, 1));
    });
}

/// Who loses a slot to another state goes on behind it, and finds everything again.
#[test]
fn model_states_with_the_same_way_are_kept_apart() {
    model(&[&[(1, FAR), (2, FAR)], &[(2, FAR), (1, FAR)]], |shared, seen| {
        assert_eq!((new(seen).len(), stored(shared)), (2, 2));
        let mut read = [0; 2];
        let mut words: Vec<Word> = new(seen)
            .iter()
            .map(|id| {
                shared.records.load(id.0, &mut read);
                assert_eq!(read[1], !read[0]);
                read[0]
            })
            .collect();
        words.sort_unstable();
        assert_eq!(words, [1, 2]);
    });
}

/// Two workers that colour the same state both see what the other did, in some order.
#[test]
fn model_notes_are_never_lost() {
    loom::model(|| {
        let shared = Arc::new(Shared::<Modelled>::sized(&config(1), 2, 8, 1).unwrap());
        let colour = |me: usize, shared: &Shared<Modelled>| match shared.find(me, &[3], FAR) {
            Visit::New(id) | Visit::Known(id) => {
                shared.records.notes(id.0).fetch_or(1 << me, AcqRel)
            }
            other => panic!("{other:?}"),
        };
        let other = {
            let shared = Arc::clone(&shared);
            loom::thread::spawn(move || colour(1, &shared))
        };
        let mine = colour(0, &shared);
        let others = other.join().unwrap();
        assert_eq!((mine == 0) as u8 + (others == 0) as u8, 1, "one was first");
        let Visit::Known(id) = shared.find(0, &[3], FAR) else { panic!("it is stored") };
        assert_eq!(shared.records.notes(id.0).load(Relaxed), 3);
    });
}

/// What the slots of one way are full of goes on in the next table, as one thread sees it.
#[test]
fn differential_with_the_exact_store() {
    for (width, hash) in [
        (1, hash_words as fn(&[Word]) -> u64),
        (3, hash_words),
        // All in each other's way.
        (2, |state| state[0] % 64 * 0x0001_0000_0001),
    ] {
        let mut random = Random::new(width as u64);
        let mut exact = Exact::new(Any(width), &config(width)).unwrap();
        let shared = Shared::<AtomicU64>::sized(&config(width), 1, 8, 3).unwrap();
        let count = if width == 2 { 600 } else { 40_000 };
        for _ in 0..3 * count {
            let state: Vec<Word> = (0..width).map(|_| random.below(count) / 2).collect();
            let expected = exact.visit(&state, hash_words(&state), Id::NONE, 0);
            let seen = shared.find(0, &state, hash(&state));
            assert_eq!(seen, expected, "{state:?}");
        }
        assert_eq!(SharedStore::len(&shared), exact.len());
        let mut read = vec![0; width];
        let mut expected = vec![0; width];
        for id in 0..exact.len() as u32 {
            SharedStore::load(&shared, Id(id), &mut read);
            exact.load(Id(id), &mut expected);
            assert_eq!(read, expected);
            assert_eq!(shared.notes(Id(id)).load(Relaxed), 0);
        }
    }
}

/// Many threads store the same states in different orders, and rest at any moment: each is
/// new once, has one number, and can be read.
#[test]
fn stress_with_injected_delays() {
    const STATES: u64 = 20_000;
    for (seed, threads) in [(1, 2), (2, 4), (3, 8)] {
        let shared = Shared::<AtomicU64>::sized(&config(2), threads, 8, 5).unwrap();
        let start = Barrier::new(threads);
        let visit = |me: usize| {
            let mut random = Random::new(seed * 100 + me as u64);
            let mut order: Vec<u64> = (0..STATES).collect();
            random.shuffle(&mut order);
            start.wait();
            let mut new = Vec::new();
            let mut known = Vec::new();
            for word in order {
                let state = [word, word ^ 7];
                // The hash of few bits makes many meet.
                let hash = hash_words(&state) & 0x0000_ffff_0000_0fff;
                match shared.visit(me, &state, hash) {
                    Visit::New(id) => new.push((id, word)),
                    Visit::Known(id) => known.push((id, word)),
                    other => panic!("{other:?}"),
                }
                match random.below(300) {
                    0 => thread::yield_now(),
                    1 if random.below(50) == 0 => {
                        thread::sleep(std::time::Duration::from_micros(50))
                    }
                    _ => {}
                }
            }
            (new, known)
        };
        let all: Vec<_> = thread::scope(|scope| {
            let visit = &visit;
            let crew: Vec<_> = (0..threads).map(|me| scope.spawn(move || visit(me))).collect();
            crew.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let mut new: Vec<_> = all.iter().flat_map(|(new, _)| new).copied().collect();
        new.sort_unstable_by_key(|(_, word)| *word);
        assert!(new.iter().map(|(_, word)| *word).eq(0..STATES), "each is new once");
        for (id, word) in all.iter().flat_map(|(_, known)| known) {
            assert_eq!(new[*word as usize].0, *id);
        }
        let mut read = [0; 2];
        for (id, word) in new {
            shared.load(id, &mut read);
            assert_eq!(read, [word, word ^ 7]);
        }
        assert_eq!(shared.len(), STATES as usize);
    }
}

#[test]
fn memory_and_states_run_out_as_a_value() {
    let fill = |config: &StoreConfig| {
        let shared = Shared::new(config, 1).unwrap();
        let mut stored = 0;
        while let Visit::New(_) = shared.visit(0, &[stored], hash_words(&[stored])) {
            stored += 1;
        }
        assert_eq!(shared.visit(0, &[stored], hash_words(&[stored])), Visit::Full);
        assert!(matches!(shared.visit(0, &[0], hash_words(&[0])), Visit::Known(_)));
        assert_eq!(shared.len() as u64, stored);
        (stored, shared.bytes())
    };
    assert_eq!(fill(&StoreConfig { states: Some(1234), ..config(1) }).0, 1234);
    let memory = Some(256 * PAGE);
    let (stored, bytes) = fill(&StoreConfig { memory, ..config(1) });
    assert!(stored > 10_000 && bytes <= 256 * PAGE, "{stored} states in {bytes} bytes");
    assert!(Shared::new(&StoreConfig { memory: Some(PAGE), ..config(1) }, 1).is_err());
}
