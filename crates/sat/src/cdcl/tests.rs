//! The solver against all valuations, and on a problem of many conflicts.

#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use proptest::prelude::*;

use super::{Cdcl, Lit};
use crate::effort::Effort;

const VARIABLES: usize = 9;

type Clauses = Vec<Vec<(usize, bool)>>;

/// Clauses that stay from now on, clauses for one query, and what is assumed in it.
type Round = (Clauses, Clauses, Vec<(usize, bool)>);

fn clauses(most: usize) -> impl Strategy<Value = Clauses> {
    let clause = prop::collection::vec((0..VARIABLES, any::<bool>()), 1..4);
    prop::collection::vec(clause, 0..most)
}

fn is_true(model: usize, clause: &[(usize, bool)]) -> bool {
    clause.iter().any(|(variable, value)| (model >> variable & 1 == 1) == *value)
}

/// Whether some valuation makes all clauses true and these literals.
fn has_model(clauses: &[&[(usize, bool)]], assumed: &[(usize, bool)]) -> bool {
    (0..1 << VARIABLES).any(|model| {
        clauses.iter().all(|clause| is_true(model, clause))
            && assumed.iter().all(|one| is_true(model, &[*one]))
    })
}

fn lit((variable, value): (usize, bool)) -> Lit {
    Lit::new(variable, value)
}

/// Queries with clauses of their own, in between clauses that stay, against all valuations.
fn compare(rounds: &[Round]) -> Result<(), TestCaseError> {
    let mut solver = Cdcl::new(&Rc::new(Effort::default()));
    (0..VARIABLES).for_each(|_| _ = solver.fresh());
    let mut stay: Vec<&[(usize, bool)]> = Vec::new();
    for (more, own, assumed) in rounds {
        for clause in more {
            solver.add(&mut clause.iter().copied().map(lit).collect());
            stay.push(clause);
        }
        let mut all = stay.clone();
        for clause in own {
            solver.suppose(&mut clause.iter().copied().map(lit).collect());
            all.push(clause);
        }
        let assumptions: Vec<Lit> = assumed.iter().copied().map(lit).collect();
        let found = solver.solve(&assumptions, None).unwrap();
        prop_assert_eq!(found, has_model(&all, assumed));
        if found {
            for clause in all.iter().copied().chain(assumed.chunks(1)) {
                prop_assert!(clause.iter().any(|one| solver.holds(lit(*one))));
            }
        } else {
            let needed = assumed.iter().filter(|one| solver.was_needed(lit(**one)));
            let needed: Vec<(usize, bool)> = needed.copied().collect();
            prop_assert!(!has_model(&all, &needed));
        }
        // Clauses are moved now and then.
        solver.backtrack(0);
        if !solver.contradictory {
            solver.reduce();
        }
    }
    Ok(())
}

/// Pigeons and one hole less: conflicts enough for restarts and reductions.
#[test]
fn pigeons_have_no_place() {
    let (pigeons, holes) = (9, 8);
    let mut solver = Cdcl::new(&Rc::new(Effort::default()));
    let places: Vec<Lit> = (0..pigeons * holes).map(|_| solver.fresh()).collect();
    for pigeon in places.chunks(holes) {
        solver.add(&mut pigeon.to_vec());
    }
    for hole in 0..holes {
        for one in 0..pigeons {
            for other in 0..one {
                let both = [places[one * holes + hole], places[other * holes + hole]];
                solver.add(&mut both.iter().map(|lit| !*lit).collect());
            }
        }
    }
    let all_but_one: Vec<Lit> = places[..holes].iter().map(|lit| !*lit).collect();
    assert_eq!(solver.solve(&all_but_one[1..], None), Some(false));
    assert_eq!(solver.solve(&[], None), Some(false));
    assert!(solver.reduction.conflicts > 2000);
    assert!(solver.is_contradictory());
}

#[test]
fn effort_ends_a_search() {
    let effort = Rc::new(Effort::default());
    let mut solver = Cdcl::new(&effort);
    let all: Vec<Lit> = (0..100).map(|_| solver.fresh()).collect();
    solver.add(&mut all.clone());
    effort.allow(3);
    assert_eq!(solver.solve(&[], None), None);
    effort.allow(1000);
    assert_eq!(solver.solve(&[], None), Some(true));
}

proptest! {
    #![proptest_config(homing_ir::random::config(400))]

    #[test]
    fn queries_against_all_valuations(
        rounds in prop::collection::vec(
            (clauses(14), clauses(5), prop::collection::vec((0..VARIABLES, any::<bool>()), 0..5)),
            1..8,
        )
    ) {
        compare(&rounds)?;
    }
}
