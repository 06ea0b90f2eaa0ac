//! Random relations, small enough to be enumerated.

use proptest::prelude::*;

use super::{
    Binary, Bits, Constant, Definition, Domain, Goal, Kind, Relation, Sort, Specification, TermId,
    Unary,
};
use crate::source::Span;

/// What a relation is drawn from: a list of numbers, read as they are needed.
struct Dice<'d> {
    numbers: &'d [u32],
    next: usize,
}

impl Dice<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        let number = self.numbers.get(self.next % self.numbers.len().max(1)).copied();
        self.next += 1;
        (number.unwrap_or(0) as usize).wrapping_add(self.next * 7) % sides
    }
}

/// Random relations: a few variables of every kind, definitions with and without choices,
/// constraints, one invariant.
pub fn relation() -> impl Strategy<Value = Relation> {
    prop::collection::vec(any::<u32>(), 60..200).prop_map(|numbers| drawn(&numbers))
}

/// The relation that a list of numbers stands for.
pub fn drawn(numbers: &[u32]) -> Relation {
    let mut dice = Dice { numbers, next: 0 };
    let symbols = vec!["red".into(), "green".into()];
    let mut relation = Relation { symbols, ..Relation::default() };
    let span = Span::default();
    for i in 0..2 + dice.roll(3) {
        let kind = [Kind::State, Kind::State, Kind::Input, Kind::State, Kind::Frozen];
        let kind = if i == 0 { Kind::State } else { kind[dice.roll(5)] };
        let domain = match dice.roll(6) {
            0 | 1 => Domain::Bool,
            2 => Domain::Range(-1, 1 + dice.roll(2) as i64),
            3 => Domain::Enumeration(vec![
                Constant::Symbol(super::SymbolId(0)),
                Constant::Int(2),
                Constant::Symbol(super::SymbolId(1)),
            ]),
            4 => Domain::Array { index: 1, element: 1 },
            _ => Domain::Word { width: 1 + dice.roll(3) as u32, signed: dice.roll(2) == 0 },
        };
        relation.declare(format!("v{i}"), kind, domain, span);
    }
    constrain(&mut relation, &mut dice);
    let bad = term(&mut relation, &mut dice, Sort::Bool, false, 3);
    let goal = Goal::Invariant(bad);
    relation.specifications.push(Specification { name: "safe".into(), goal, span });
    relation
}

fn constrain(relation: &mut Relation, dice: &mut Dice) {
    let span = Span::default();
    let ids: Vec<_> = relation.numbered().map(|(id, one)| (id, one.kind)).collect();
    for (variable, kind) in ids {
        let sort = relation.variable(variable).domain.sort();
        if kind != Kind::Input && dice.roll(3) > 0 {
            let value = constant(relation, dice, sort);
            relation.initially.push(Definition { variable, value, span });
        }
        if kind == Kind::State && dice.roll(4) > 0 {
            let mut value = term(relation, dice, sort, false, 3);
            if dice.roll(3) == 0 {
                let other = term(relation, dice, sort, false, 2);
                value = relation.terms.union(value, other, span).unwrap_or(value);
            }
            relation.next.push(Definition { variable, value, span });
        }
    }
    if dice.roll(3) == 0 {
        let one = term(relation, dice, Sort::Bool, true, 2);
        relation.transitions.push(one);
    }
    if dice.roll(3) == 0 {
        let one = term(relation, dice, Sort::Bool, false, 2);
        relation.invariants.push(one);
    }
    if dice.roll(4) == 0 {
        let one = term(relation, dice, Sort::Bool, false, 2);
        relation.init.push(one);
    }
}

fn constant(relation: &mut Relation, dice: &mut Dice, sort: Sort) -> TermId {
    let span = Span::default();
    match sort {
        Sort::Bool => relation.terms.bool(dice.roll(2) == 0, span),
        Sort::Scalar => match dice.roll(5) {
            0 => relation.terms.scalar(Constant::Symbol(super::SymbolId(0)), span),
            n => relation.terms.scalar(Constant::Int(n as i64 - 2), span),
        },
        Sort::Word(width) => {
            relation.terms.constant_word(Bits::of(dice.roll(16) as u64, width), span)
        }
        Sort::Array { index, element } => {
            let one = constant(relation, dice, Sort::Word(element));
            relation.terms.everywhere(one, index, span).unwrap_or(one)
        }
    }
}

/// A variable of the sort, if there is one, else a constant.
fn leaf(relation: &mut Relation, dice: &mut Dice, sort: Sort, next: bool) -> TermId {
    let fitting: Vec<_> = relation
        .numbered()
        .filter(|(_, one)| one.domain.sort() == sort)
        .map(|(id, one)| (id, one.kind))
        .collect();
    if fitting.is_empty() || dice.roll(4) == 0 {
        return constant(relation, dice, sort);
    }
    let (id, kind) = fitting[dice.roll(fitting.len())];
    match next && kind != Kind::Input && dice.roll(2) == 0 {
        true => relation.read_next(id, Span::default()),
        false => relation.read(id, Span::default()),
    }
}

fn term(relation: &mut Relation, dice: &mut Dice, sort: Sort, next: bool, depth: u32) -> TermId {
    let span = Span::default();
    if depth == 0 || dice.roll(5) == 0 {
        return leaf(relation, dice, sort, next);
    }
    let depth = depth - 1;
    let part =
        |relation: &mut Relation, dice: &mut Dice, sort| term(relation, dice, sort, next, depth);
    let made = match (sort, dice.roll(5)) {
        (_, 0) => {
            let c = part(relation, dice, Sort::Bool);
            let (a, b) = (part(relation, dice, sort), part(relation, dice, sort));
            relation.terms.choose(c, a, b, span)
        }
        (Sort::Bool, 1) => {
            let sorts = [Sort::Bool, Sort::Scalar, Sort::Word(2), Sort::Word(3)];
            let of = sorts[dice.roll(4)];
            let (a, b) = (part(relation, dice, of), part(relation, dice, of));
            relation.terms.binary(Binary::Equal, a, b, span)
        }
        (Sort::Bool, 2) => {
            let (a, b) = (part(relation, dice, Sort::Word(2)), part(relation, dice, Sort::Word(2)));
            let op = [Binary::Less, Binary::SignedLess][dice.roll(2)];
            relation.terms.binary(op, a, b, span)
        }
        (Sort::Bool, 3) => {
            let a = part(relation, dice, Sort::Bool);
            relation.terms.unary(Unary::Not, a, span)
        }
        (Sort::Bool, _) => {
            let op = [Binary::And, Binary::Or, Binary::Xor][dice.roll(3)];
            let (a, b) = (part(relation, dice, sort), part(relation, dice, sort));
            relation.terms.binary(op, a, b, span)
        }
        (Sort::Word(width), 1) if width > 1 => {
            let a = part(relation, dice, Sort::Word(width - 1));
            relation.terms.extend(a, 1, dice.roll(2) == 0, span)
        }
        (Sort::Word(width), 2) => {
            let a = part(relation, dice, Sort::Word(width + 1));
            relation.terms.extract(a, width, 1, span)
        }
        (Sort::Word(1), 3) => {
            let array = Sort::Array { index: 1, element: 1 };
            let (a, i) = (part(relation, dice, array), part(relation, dice, Sort::Word(1)));
            relation.terms.binary(Binary::Read, a, i, span)
        }
        (Sort::Word(_), _) => {
            let ops = [
                Binary::Add,
                Binary::Subtract,
                Binary::Multiply,
                Binary::Divide,
                Binary::Remainder,
                Binary::SignedDivide,
                Binary::SignedRemainder,
                Binary::SignedModulo,
                Binary::ShiftLeft,
                Binary::ShiftRight,
                Binary::ShiftRightSigned,
                Binary::RotateLeft,
                Binary::RotateRight,
                Binary::And,
            ];
            let (a, b) = (part(relation, dice, sort), part(relation, dice, sort));
            relation.terms.binary(ops[dice.roll(ops.len())], a, b, span)
        }
        (Sort::Array { index, element }, _) => {
            let a = part(relation, dice, sort);
            let (i, e) = (Sort::Word(index), Sort::Word(element));
            let (i, e) = (part(relation, dice, i), part(relation, dice, e));
            relation.terms.write(a, i, e, span)
        }
        (Sort::Scalar, 1) => {
            let a = part(relation, dice, Sort::Bool);
            relation.terms.unary(Unary::Count, a, span)
        }
        (Sort::Scalar, 2) => {
            let a = part(relation, dice, Sort::Word(2));
            relation.terms.unary(Unary::Signed, a, span)
        }
        (Sort::Scalar, _) => Ok(leaf(relation, dice, sort, next)),
    };
    made.unwrap_or_else(|_| constant(relation, dice, sort))
}
