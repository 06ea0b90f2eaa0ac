//! Random terms and effects over slots and arrays of all kinds, with everything that the
//! definition of a system allows and front ends rarely or never write: deep conditions,
//! failures in every place, choices within indices, loops.

use homing_ir::network::{Binary, Unary};
use homing_ir::random::config;
use homing_ir::system::{Command, Intake, Interval, SiteId, SlotId, TempId, Term};
use proptest::prelude::*;

use crate::comparison::Comparison;
use crate::small::{BOUNDARIES, FULL, TYPES, paired, system};

/// Stretches of slots with one range each: scalars, arrays within a word, arrays over
/// several.
const STRETCHES: [(u32, Interval); 9] = [
    (1, Interval::TRUTH),
    (1, Interval::new(-3, 3)),
    (5, Interval::new(1, 6)),
    (1, Interval::WORD32),
    (3, Interval::new(0, 255)),
    (1, FULL),
    (12, Interval::new(-100, 1000)),
    (4, Interval::WORD32),
    (1, Interval::new(5, 5)),
];

/// The first slot of a stretch; that of the location is slot 0.
fn first(stretch: usize) -> SlotId {
    SlotId(1 + STRETCHES[..stretch].iter().map(|(count, _)| count).sum::<u32>())
}

fn ranges() -> Vec<Interval> {
    let slots = |(count, range): &(u32, Interval)| vec![*range; *count as usize];
    STRETCHES.iter().flat_map(slots).collect()
}

/// A term reduced into a range. First to 32 bits: further out, remainders overflow.
fn within(range: Interval, term: Term) -> Term {
    Term::Wrap(range, Box::new(Term::Wrap(Interval::WORD32, Box::new(term))))
}

/// A term that is in a range, or fails.
fn fitted(range: Interval, term: Term, site: Option<u32>) -> Term {
    match site {
        Some(site) => Term::Check(range, Box::new(term), SiteId(site)),
        None => within(range, term),
    }
}

fn sites() -> impl Strategy<Value = Option<u32>> {
    prop_oneof![2 => Just(None), 1 => (0..1000u32).prop_map(Some)]
}

fn element(stretch: usize, index: Term, site: Option<u32>) -> Term {
    let count = STRETCHES[stretch].0;
    let index = fitted(Interval::new(0, i64::from(count) - 1), index, site);
    Term::Element { first: first(stretch), count, index: Box::new(index) }
}

fn binary(op: Binary, left: Term, right: Term, site: u32) -> Term {
    match op {
        Binary::Div | Binary::Rem => {
            let divisor = Term::NonZero(Box::new(right), SiteId(site));
            Term::binary(op, within(Interval::WORD32, left), divisor)
        }
        Binary::Shl | Binary::Shr => {
            Term::binary(op, left, Term::binary(Binary::BitAnd, right, Term::Const(31)))
        }
        _ => Term::binary(op, left, right),
    }
}

fn operators() -> impl Strategy<Value = Binary> {
    use Binary::{
        Add, And, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Imply, Le, Lt, Mul, Ne, Or, Rem, Shl,
        Shr, Sub,
    };
    prop::sample::select(vec![
        Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor, Eq, Ne, Lt, Le, Gt, Ge, And, Or,
        Imply, And, Or, Imply,
    ])
}

fn terms() -> impl Strategy<Value = Term> {
    let slots = ranges().len() as u32;
    let leaf = prop_oneof![
        prop::sample::select(BOUNDARIES.to_vec()).prop_map(Term::Const),
        (1..=slots).prop_map(|slot| Term::Slot(SlotId(slot))),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let types = prop::sample::select(TYPES.to_vec());
        let unary = prop::sample::select(vec![Unary::Neg, Unary::Not, Unary::BitNot]);
        prop_oneof![
            1 => (unary, boxed.clone()).prop_map(|(op, term)| Term::Unary(op, term)),
            6 => (operators(), inner.clone(), inner.clone(), 0..1000u32)
                .prop_map(|(op, left, right, site)| binary(op, left, right, site)),
            1 => (boxed.clone(), boxed.clone(), boxed)
                .prop_map(|(condition, then, otherwise)| Term::Choose(condition, then, otherwise)),
            1 => (types, inner.clone(), sites())
                .prop_map(|(range, term, site)| fitted(range, term, site)),
            2 => (0..STRETCHES.len(), inner, sites())
                .prop_map(|(stretch, index, site)| element(stretch, index, site)),
        ]
    })
}

/// Sets a slot or an element; one in a few by way of a temporary.
fn assignments() -> impl Strategy<Value = Vec<Command>> {
    (0..STRETCHES.len(), terms(), terms(), sites(), sites(), 0..8u32).prop_map(
        |(stretch, value, index, site, bound, temp)| {
            let (count, range) = STRETCHES[stretch];
            let value = if range == FULL { value } else { fitted(range, value, site) };
            let (before, value) = match temp {
                0 => (vec![Command::Let(TempId(0), value)], Term::Temp(TempId(0))),
                _ => (Vec::new(), value),
            };
            let set = match element(stretch, index, bound) {
                Term::Element { first, index, .. } if count > 1 => {
                    Command::SetElement { first, count, index: *index, value }
                }
                _ => Command::Set(first(stretch), value),
            };
            before.into_iter().chain([set]).collect()
        },
    )
}

/// Effects, whose loops go down from a few rounds, so that they end.
fn effects() -> impl Strategy<Value = Vec<Command>> {
    let required = (terms(), 0..1000u32)
        .prop_map(|(condition, site)| vec![Command::Require(condition, SiteId(site))]);
    let leaf = prop_oneof![5 => assignments(), 1 => required];
    let blocks = leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| [one, other].concat()),
            (terms(), inner.clone(), inner.clone())
                .prop_map(|(term, then, otherwise)| vec![Command::If(term, then, otherwise)]),
            (terms(), inner).prop_map(|(condition, body)| repeated(condition, body)),
        ]
    });
    prop::collection::vec(blocks, 0..3).prop_map(|blocks| blocks.concat())
}

/// The body while the condition holds and a scalar, which goes down, is not at its least.
fn repeated(condition: Term, mut body: Vec<Command>) -> Vec<Command> {
    let (slot, range) = (first(1), STRETCHES[1].1);
    let left = Term::binary(Binary::Gt, Term::Slot(slot), Term::Const(range.lo));
    let less = Term::binary(Binary::Sub, Term::Slot(slot), Term::Const(1));
    body.push(Command::Set(slot, Term::Check(range, Box::new(less), SiteId(1001))));
    vec![Command::While(Term::binary(Binary::And, left, condition), body, SiteId(1000))]
}

/// One value a slot, within its range.
fn states() -> impl Strategy<Value = Vec<i64>> {
    let value = |range: Interval| {
        let values = BOUNDARIES.into_iter().filter(|value| range.contains(*value));
        let ends = [range.lo, range.hi];
        prop::sample::select(values.chain(ends).collect::<Vec<i64>>())
    };
    let slots: Vec<_> = ranges().into_iter().map(value).collect();
    slots.prop_map(|values| std::iter::once(0).chain(values).collect())
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn random_effects(
        parts in prop::collection::vec((terms(), effects()), 1..5),
        states in prop::collection::vec(states(), 8),
    ) {
        let comparison = Comparison::new(system(&ranges(), parts));
        for state in &states {
            for next in comparison.state(state)? {
                comparison.state(&next)?;
            }
        }
    }
    #[test]
    fn random_pairs(
        parts in prop::collection::vec((terms(), effects()), 2),
        message in prop::collection::vec(terms(), 3),
        matched in terms(),
        excepted in prop::collection::vec(terms(), 2),
        sender_first in any::<bool>(),
        states in prop::collection::vec(states(), 8),
    ) {
        let bound = TempId(1);
        let mut system = system(&ranges(), parts);
        let except = |term: &Term, other| Intake::Except(term.clone(), Box::new(other));
        let intakes = vec![
            except(&excepted[0], Intake::Bind(bound)),
            except(&excepted[1], except(&excepted[0], Intake::Ignore)),
            Intake::Match(matched),
        ];
        system.parts[1].stores = vec![Command::Set(first(5), Term::Temp(bound))];
        system.parts[1].prepare = vec![(TempId(2), message[1].clone())];
        system.parts[1].cleanup = vec![Command::Set(first(5), Term::Temp(TempId(2)))];
        system.sender_first = sender_first;
        let comparison = Comparison::new(paired(system, message, intakes));
        for mut state in states {
            state.push(0);
            comparison.state(&state)?;
        }
    }
}
