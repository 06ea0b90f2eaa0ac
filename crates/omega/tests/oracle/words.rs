//! Automata against the meaning of formulas, on random words that repeat.

use homing_omega::classify::disjoint;
use homing_omega::degeneralise::{degeneralise, state_based};
use homing_omega::word::accepts;
use homing_omega::{Automaton, Connective, Formula, translate};

use crate::draw::{Draw, holds};

/// The automaton of a formula over atoms that keep their numbers.
fn automaton(formula: &Formula<u32>, atoms: u32) -> Automaton {
    // All atoms are named in order first, so that numbers stay what they are.
    let all = (0..atoms).fold(Formula::Constant(true), |all, atom| {
        let excluded =
            Formula::binary(Connective::Or, Formula::Atom(atom), Formula::Atom(atom).negated());
        Formula::binary(Connective::And, all, excluded)
    });
    let named = Formula::binary(Connective::And, all, formula.clone());
    translate(&named).expect("the formula is small").automaton
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    let mut draw = Draw(7);
    for round in 0..6000 {
        let atoms = 1 + draw.below(3);
        let size = 1 + draw.below(10);
        let formula = draw.formula(size, atoms);
        let yes = automaton(&formula, atoms as u32);
        let no = automaton(&formula.clone().negated(), atoms as u32);
        assert_eq!(disjoint(&yes, &no), Some(true), "{round}: {formula:?}");
        for _ in 0..25 {
            let word = draw.lasso(atoms);
            let expected = holds(&formula, &word);
            assert_eq!(accepts(&yes, &word.0, word.1), expected, "{round}: {formula:?} {word:?}");
            assert_eq!(accepts(&no, &word.0, word.1), !expected, "{round}: !{formula:?} {word:?}");
        }
    }
}

#[test]
fn degeneralised_automata_accept_the_same() {
    let mut draw = Draw(11);
    let mut with_several = 0;
    for round in 0..6000 {
        let atoms = 1 + draw.below(3);
        let size = 1 + draw.below(10);
        let formula = again_and_again(&mut draw, size, atoms);
        let general = automaton(&formula, atoms as u32);
        with_several += u32::from(general.sets > 1);
        let one_set = degeneralise(&general);
        let states = state_based(&general);
        assert!(one_set.sets <= 1 && states.sets == 1);
        for leaving in &states.states {
            assert!(leaving.iter().all(|one| one.marks == leaving[0].marks), "{formula:?}");
        }
        for _ in 0..25 {
            let word = draw.lasso(atoms);
            let expected = holds(&formula, &word);
            for automaton in [&one_set, &states] {
                let accepted = accepts(automaton, &word.0, word.1);
                assert_eq!(accepted, expected, "{round}: {formula:?} {word:?}");
            }
        }
    }
    assert!(with_several > 300, "{with_several}");
}

/// A formula that asks for several things again and again, half of the time.
fn again_and_again(draw: &mut Draw, size: u64, atoms: u64) -> Formula<u32> {
    let mut formula = draw.formula(size, atoms);
    while draw.below(2) == 0 {
        let operators = draw.below(3);
        let again = Formula::Finally(Box::new(draw.formula(operators, atoms)));
        let again = Formula::Globally(Box::new(again));
        let op = match draw.below(4) {
            0 => Connective::Until,
            1 => Connective::Or,
            _ => Connective::And,
        };
        formula = Formula::binary(op, again, formula);
    }
    formula
}
