//! Every operator and every integer type, before boundary values: of slots and of
//! constants, as a value and as a condition.

use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Command, Interval, SiteId, SlotId, Term};

use crate::comparison::Comparison;
use crate::small::{BOUNDARIES, FULL, TYPES, system};

const LEFT: Term = Term::Slot(SlotId(1));
const RIGHT: Term = Term::Slot(SlotId(2));
const RESULT: SlotId = SlotId(3);

/// A part that stores a term, and one that moves where it is not zero.
fn both_uses(term: &Term) -> [(Term, Vec<Command>); 2] {
    [
        (Term::Const(1), vec![Command::Set(RESULT, term.clone())]),
        (term.clone(), vec![Command::Set(RESULT, Term::Const(1))]),
    ]
}

/// Compares the code of all `terms` with every left and right operand.
fn compare(terms: &[Term], lefts: &[i64], rights: &[i64]) {
    let parts = terms.iter().flat_map(both_uses).collect();
    let comparison = Comparison::new(system(&[FULL, FULL, FULL], parts));
    for left in lefts {
        for right in rights {
            let compared = comparison.state(&vec![0, *left, *right, 0]);
            compared.unwrap_or_else(|error| panic!("{left}, {right}: {error}"));
        }
    }
}

/// `op` on slots, and on a slot and each constant.
fn applications(op: Binary, lefts: &[i64], rights: &[i64]) -> Vec<Term> {
    let with_right = rights.iter().map(|right| Term::binary(op, LEFT, Term::Const(*right)));
    let with_left = lefts.iter().map(|left| Term::binary(op, Term::Const(*left), RIGHT));
    std::iter::once(Term::binary(op, LEFT, RIGHT)).chain(with_right).chain(with_left).collect()
}

#[test]
fn arithmetic_and_comparisons() {
    use Binary::{Add, And, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Imply, Le, Lt, Mul, Ne, Or, Sub};
    for op in [Add, Sub, Mul, BitAnd, BitOr, BitXor, Eq, Ne, Lt, Le, Gt, Ge, And, Or, Imply] {
        compare(&applications(op, &BOUNDARIES, &BOUNDARIES), &BOUNDARIES, &BOUNDARIES);
    }
}

/// Divisors are not zero, and the least number is not divided by -1: no language's
/// arithmetic is as wide as that.
#[test]
fn division() {
    let rights: Vec<i64> = BOUNDARIES.into_iter().filter(|right| *right != 0).collect();
    for op in [Binary::Div, Binary::Rem] {
        compare(&applications(op, &BOUNDARIES[1..], &rights), &BOUNDARIES[1..], &rights);
    }
}

#[test]
fn shifts() {
    let amounts = [0, 1, 2, 15, 30, 31];
    for op in [Binary::Shl, Binary::Shr] {
        compare(&applications(op, &BOUNDARIES, &amounts), &BOUNDARIES, &amounts);
    }
}

#[test]
fn one_operand() {
    let unary = [Unary::Neg, Unary::Not, Unary::BitNot].map(|op| Term::Unary(op, Box::new(LEFT)));
    let negated = |op| Term::Unary(Unary::Not, Box::new(Term::binary(op, LEFT, RIGHT)));
    let negated = [Binary::And, Binary::Or, Binary::Imply, Binary::Lt, Binary::Sub].map(negated);
    compare(&[&unary[..], &negated[..]].concat(), &BOUNDARIES, &BOUNDARIES);
}

/// What fails does so at its own site, and the first that fails is told.
#[test]
fn failures() {
    let check = |range: Interval, site| Term::Check(range, Box::new(LEFT), SiteId(site));
    let mut terms: Vec<Term> = (0..).zip(TYPES).map(|(site, range)| check(range, site)).collect();
    terms.push(check(FULL, 100));
    let nonzero = Term::NonZero(Box::new(RIGHT), SiteId(101));
    let within = Term::Check(Interval::WORD32, Box::new(LEFT), SiteId(102));
    for op in [Binary::Div, Binary::Rem, Binary::And, Binary::Or, Binary::Imply] {
        terms.push(Term::binary(op, within.clone(), nonzero.clone()));
    }
    compare(&terms, &BOUNDARIES, &BOUNDARIES);
}

/// Values are reduced into their type, stored and read again, wherever the slot lies.
#[test]
fn every_type_wraps_around() {
    // Further out, what is added to come above the least value does not fit 64 bits.
    let values: Vec<i64> =
        BOUNDARIES.into_iter().filter(|value| value.unsigned_abs() < 1 << 62).collect();
    let slot = |index: usize| SlotId(index as u32 + 2);
    let store = |(index, range): (usize, &Interval)| {
        let value = Term::Wrap(*range, Box::new(LEFT));
        (Term::Const(1), vec![Command::Set(slot(index), value)])
    };
    let parts = TYPES.iter().enumerate().map(store).collect();
    let ranges: Vec<Interval> = std::iter::once(FULL).chain(TYPES).collect();
    let comparison = Comparison::new(system(&ranges, parts));
    let least = TYPES.iter().map(|range| range.lo);
    let greatest = TYPES.iter().map(|range| range.hi);
    for others in [least.collect::<Vec<i64>>(), greatest.collect()] {
        for value in &values {
            let state = [&[0, *value][..], &others].concat();
            comparison.state(&state).unwrap_or_else(|error| panic!("{value}: {error}"));
        }
    }
}

/// A slot of every type compared with constants within and without.
#[test]
fn every_type_is_compared() {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    for range in TYPES.into_iter().chain([FULL, Interval::new(-1, i64::MAX)]) {
        let compared = |op| BOUNDARIES.map(|value| Term::binary(op, LEFT, Term::Const(value)));
        let terms: Vec<Term> = [Eq, Ne, Lt, Le, Gt, Ge].into_iter().flat_map(compared).collect();
        for terms in terms.chunks(80) {
            let parts = terms.iter().map(|term| (term.clone(), Vec::new())).collect();
            let comparison = Comparison::new(system(&[range], parts));
            for value in BOUNDARIES.into_iter().filter(|value| range.contains(*value)) {
                let state = vec![0, value];
                comparison.state(&state).unwrap_or_else(|error| panic!("{value}: {error}"));
            }
        }
    }
}
