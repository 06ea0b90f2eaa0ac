//! Every stage by itself: simplified formulas, reduced automata, what is said of
//! formulas, all on random words that repeat.

use homing_omega::classify::{Strength, kind, strength};
use homing_omega::degeneralise::{degeneralise, state_based};
use homing_omega::reduce::reduce;
use homing_omega::word::accepts;
use homing_omega::{Automaton, Connective, Cube, Formula, Transition, hoa, translate};

use crate::draw::{Draw, holds};

type Word = (Vec<u64>, usize);

#[test]
fn simplified_formulas_mean_the_same() {
    let mut draw = Draw(3);
    for _ in 0..8000 {
        let size = 1 + draw.below(12);
        let formula = draw.formula(size, 3);
        let made = translate(&formula).expect("the formula is small");
        for _ in 0..20 {
            let (letters, back) = draw.lasso(3);
            // The atoms of the simplified formula have numbers of their own.
            let simplified = made.formula.holds_on(letters.len(), back, &mut |atom, i| {
                letters[i] >> made.atoms[*atom as usize] & 1 == 1
            });
            let word = (letters, back);
            assert_eq!(simplified, holds(&formula, &word), "{formula:?} {word:?}");
        }
    }
}

/// A random automaton, not made of a formula.
fn automaton(draw: &mut Draw, atoms: u64) -> Automaton {
    let states = 1 + draw.below(6);
    let sets = draw.below(4);
    let leaving = |draw: &mut Draw| {
        let transition = |draw: &mut Draw| {
            let all_of = draw.below(1 << atoms) & draw.below(1 << atoms);
            let none_of = draw.below(1 << atoms) & draw.below(1 << atoms) & !all_of;
            let marks = draw.below(1 << sets);
            let target = draw.below(states) as u32;
            Transition { guard: Cube { all_of, none_of }, marks, target }
        };
        (0..draw.below(5)).map(|_| transition(draw)).collect()
    };
    Automaton {
        atoms: atoms as u32,
        sets: sets as u32,
        initial: (0..1 + draw.below(2)).map(|_| draw.below(states) as u32).collect(),
        states: (0..states).map(|_| leaving(draw)).collect(),
    }
}

#[test]
fn reduced_automata_accept_the_same() {
    let mut draw = Draw(5);
    let (mut before, mut after, mut accepted) = (0, 0, 0);
    for round in 0..4_000 {
        let atoms = 1 + draw.below(2);
        let random = automaton(&mut draw, atoms);
        let reduced = reduce(&random);
        let all = [degeneralise(&random), state_based(&random), state_based(&reduced)];
        before += random.states.len();
        after += reduced.states.len();
        for _ in 0..20 {
            let word = draw.lasso(atoms);
            let expected = accepts(&random, &word.0, word.1);
            accepted += u32::from(expected);
            for other in all.iter().chain([&reduced]) {
                let found = accepts(other, &word.0, word.1);
                assert_eq!(found, expected, "{round}: {random:?} {other:?} {word:?}");
            }
        }
    }
    assert!(after * 2 < before && accepted > 4_000, "{before} {after} {accepted}");
}

#[test]
fn written_automata_are_read_again() {
    let mut draw = Draw(9);
    for _ in 0..2000 {
        let random = reduce(&automaton(&mut draw, 2));
        let atoms = ["a".to_string(), "b".to_string()];
        let text = hoa::write(&random, &atoms, "random");
        let again = hoa::read(&text).expect("it was written by us").automaton;
        assert_eq!(again.states.len(), random.states.len(), "{text}");
        for _ in 0..10 {
            let word = draw.lasso(2);
            let expected = accepts(&random, &word.0, word.1);
            assert_eq!(accepts(&again, &word.0, word.1), expected, "{text}");
        }
    }
}

/// The first letters of a word, then another word.
fn followed((letters, back): &Word, length: usize, rest: &Word) -> Word {
    let mut all = Vec::new();
    let mut at = 0;
    while all.len() < length {
        all.push(letters[at]);
        at = if at + 1 < letters.len() { at + 1 } else { *back };
    }
    all.extend(&rest.0);
    (all, length + rest.1)
}

/// A word with letters repeated.
fn stuttered(draw: &mut Draw, (letters, back): &Word) -> Word {
    let mut all = Vec::new();
    let mut start = 0;
    for (at, letter) in letters.iter().enumerate() {
        if at == *back {
            start = all.len();
        }
        (0..1 + draw.below(3)).for_each(|_| all.push(*letter));
    }
    (all, start)
}

#[test]
fn kinds_are_what_they_say() {
    let mut draw = Draw(13);
    let mut seen = [0; 4];
    for _ in 0..4000 {
        let size = 1 + draw.below(6);
        let formula = draw.formula(size, 2);
        let kind = kind(&formula).expect("the formula is small");
        let said = [kind.safety, kind.guarantee, kind.obligation, kind.stutter_invariant];
        said.iter().zip(&mut seen).for_each(|(said, seen)| *seen += u32::from(*said));
        assert!(kind.obligation || !kind.safety && !kind.guarantee);
        for _ in 0..20 {
            let word = draw.lasso(2);
            let rest = draw.lasso(2);
            let other = followed(&word, 60, &rest);
            let (first, then) = (holds(&formula, &word), holds(&formula, &other));
            // A long beginning of a run decides.
            assert!(!kind.safety || first || !then, "{formula:?} {word:?} {rest:?}");
            assert!(!kind.guarantee || !first || then, "{formula:?} {word:?} {rest:?}");
            let repeated = stuttered(&mut draw, &word);
            let same = holds(&formula, &repeated) == first;
            assert!(!kind.stutter_invariant || same, "{formula:?} {word:?} {repeated:?}");
        }
    }
    assert!(seen.iter().all(|count| (400..4000).contains(count)), "{seen:?}");
}

#[test]
fn strengths_are_named() {
    let (p, q) = (Formula::Atom(0), Formula::Atom(1));
    let again = |f: &Formula<u32>| Formula::Finally(Box::new(f.clone()));
    let always = |f: &Formula<u32>| Formula::Globally(Box::new(f.clone()));
    for (formula, expected) in [
        (again(&p), Strength::Terminal),
        (Formula::binary(Connective::Until, p.clone(), q), Strength::Terminal),
        (always(&p), Strength::Weak),
        (again(&always(&p)), Strength::Weak),
        (always(&again(&p)), Strength::General),
    ] {
        let made = translate(&formula).expect("the formula is small");
        assert_eq!(strength(&made.automaton), expected, "{formula:?}");
    }
}

/// Formulas that are too large end with an error, and soon.
#[test]
fn large_formulas_are_refused() {
    let atom = |i: u32| Formula::Atom(i);
    let all = |count: u32, part: &dyn Fn(u32) -> Formula<u32>| {
        (1..count).fold(part(0), |f, i| Formula::binary(Connective::And, f, part(i)))
    };
    let until = |i: u32| Formula::binary(Connective::Until, atom(2 * i), atom(2 * i + 1));
    let again = |i: u32| Formula::Globally(Box::new(Formula::Finally(Box::new(until(i)))));
    assert!(translate(&all(30, &until)).is_err());
    assert!(translate(&all(30, &again)).is_err());
    assert!(translate(&all(8, &again)).is_ok_and(|made| state_based(&made.automaton).sets == 1));
    assert!(translate(&all(65, &atom)).is_err());
    let nested = (1..60).fold(atom(0), |f, i| Formula::binary(Connective::Iff, f, until(i % 30)));
    assert!(translate(&nested).is_err());
    let later = (0..200).fold(atom(0), |f, _| Formula::Next(Box::new(f)));
    assert_eq!(translate(&later).map(|made| made.automaton.states.len()), Ok(202));
}

#[test]
fn obligations_are_no_recurrence() {
    let again = |f: Formula<u32>| Formula::Finally(Box::new(f));
    let always = |f: Formula<u32>| Formula::Globally(Box::new(f));
    let (p, q) = (|| Formula::Atom(0), || Formula::Atom(1));
    let obligation = |formula: &Formula<u32>| kind(formula).unwrap().obligation;
    for formula in [
        always(again(p())),
        again(always(p())),
        always(Formula::binary(Connective::Implies, p(), again(q()))),
        Formula::binary(Connective::Release, p(), again(q())),
        Formula::binary(Connective::Until, p(), always(q())),
    ] {
        assert!(!obligation(&formula), "{formula:?}");
    }
    let either = Formula::binary(Connective::Or, always(p()), again(q()));
    assert!(obligation(&either));
}
