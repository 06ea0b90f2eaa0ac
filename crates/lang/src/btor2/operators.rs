//! Operators.

use homing_ir::Span;
use homing_ir::relation::{Binary, Bits, Sort, SortError, TermId, Terms, Unary};

use super::nodes::{Nodes, made};
use super::words::{Read, Words};
use crate::names::nearest;

type Made = Result<TermId, SortError>;

const NAMES: &[&str] = &[
    "add",
    "and",
    "bad",
    "concat",
    "const",
    "constd",
    "consth",
    "constraint",
    "dec",
    "eq",
    "fair",
    "iff",
    "implies",
    "inc",
    "init",
    "input",
    "ite",
    "justice",
    "mul",
    "nand",
    "neg",
    "neq",
    "next",
    "nor",
    "not",
    "one",
    "ones",
    "or",
    "output",
    "read",
    "redand",
    "redor",
    "redxor",
    "rol",
    "ror",
    "saddo",
    "sdiv",
    "sdivo",
    "sext",
    "sgt",
    "sgte",
    "slice",
    "sll",
    "slt",
    "slte",
    "smod",
    "smulo",
    "sort",
    "sra",
    "srem",
    "srl",
    "ssubo",
    "state",
    "sub",
    "uaddo",
    "udiv",
    "uext",
    "ugt",
    "ugte",
    "ult",
    "ulte",
    "umulo",
    "urem",
    "usubo",
    "write",
    "xnor",
    "xor",
    "zero",
];

impl Nodes {
    /// A node that is an operator with arguments.
    pub(super) fn operator(&mut self, tag: &str, at: Span, words: &mut Words) -> Read<TermId> {
        let Some(arity) = arity(tag) else {
            return words.wrong(match nearest(tag, NAMES.iter().copied()) {
                Some(near) => format!("`{tag}` is no kind of node; is it `{near}`?"),
                None => format!("`{tag}` is no kind of node"),
            });
        };
        let sort = self.sort(words)?;
        let mut arguments = [TermId(0); 3];
        for argument in &mut arguments[..arity] {
            *argument = self.argument(words)?;
        }
        let [a, b, c] = arguments;
        let mut numbers = [0; 2];
        let count = match tag {
            "slice" => 2,
            "uext" | "sext" => 1,
            _ => 0,
        };
        for number in &mut numbers[..count] {
            *number = words.number("a number of bits")?;
        }
        let terms = &mut self.relation.terms;
        let term = match (arity, tag) {
            (_, "slice") => terms.extract(a, numbers[0], numbers[1], at),
            (_, "uext" | "sext") => terms.extend(a, numbers[0], tag == "sext", at),
            (1, _) => unary(terms, tag, a, at),
            (2, _) => binary(terms, tag, a, b, at),
            (_, "write") => terms.write(a, b, c, at),
            _ => {
                let condition = terms.unary(Unary::ToBool, a, at);
                condition.and_then(|condition| terms.choose(condition, b, c, at))
            }
        };
        let term = made(term, at)?;
        let found = self.relation.terms.sort(term);
        match found == sort {
            true => Ok(term),
            false => {
                let wrong = Err(SortError(format!("the result is {found}, not {sort}")));
                made(wrong, at)
            }
        }
    }
}

fn arity(tag: &str) -> Option<usize> {
    Some(match tag {
        "slice" | "uext" | "sext" | "not" | "inc" | "dec" | "neg" | "redand" | "redor"
        | "redxor" => 1,
        "ite" | "write" => 3,
        "iff" | "implies" | "eq" | "neq" | "sgt" | "ugt" | "sgte" | "ugte" | "slt" | "ult"
        | "slte" | "ulte" | "and" | "nand" | "nor" | "or" | "xnor" | "xor" | "rol" | "ror"
        | "sll" | "sra" | "srl" | "add" | "mul" | "sdiv" | "udiv" | "smod" | "srem" | "urem"
        | "sub" | "saddo" | "uaddo" | "sdivo" | "smulo" | "umulo" | "ssubo" | "usubo"
        | "concat" | "read" => 2,
        _ => return None,
    })
}

fn constant(terms: &mut Terms, like: TermId, number: u64, span: Span) -> TermId {
    let width = width(terms, like);
    terms.constant_word(Bits::of(number, width), span)
}

fn width(terms: &Terms, term: TermId) -> u32 {
    match terms.sort(term) {
        Sort::Word(width) => width,
        _ => 1,
    }
}

fn unary(terms: &mut Terms, tag: &str, a: TermId, span: Span) -> Made {
    match tag {
        "not" => terms.unary(Unary::Complement, a, span),
        "neg" => terms.unary(Unary::Negate, a, span),
        "inc" | "dec" => {
            let one = constant(terms, a, 1, span);
            let op = if tag == "inc" { Binary::Add } else { Binary::Subtract };
            terms.binary(op, a, one, span)
        }
        "redxor" => {
            let odd = terms.unary(Unary::Parity, a, span)?;
            terms.unary(Unary::ToWord, odd, span)
        }
        _ => {
            let zero = constant(terms, a, 0, span);
            let all = terms.unary(Unary::Complement, zero, span)?;
            let none =
                terms.binary(Binary::Equal, a, if tag == "redand" { all } else { zero }, span)?;
            let value = if tag == "redand" { none } else { terms.unary(Unary::Not, none, span)? };
            terms.unary(Unary::ToWord, value, span)
        }
    }
}

fn binary(terms: &mut Terms, tag: &str, a: TermId, b: TermId, span: Span) -> Made {
    let simple = match tag {
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "rol" => Binary::RotateLeft,
        "ror" => Binary::RotateRight,
        "sll" => Binary::ShiftLeft,
        "srl" => Binary::ShiftRight,
        "sra" => Binary::ShiftRightSigned,
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "mul" => Binary::Multiply,
        "udiv" => Binary::Divide,
        "urem" => Binary::Remainder,
        "sdiv" => Binary::SignedDivide,
        "srem" => Binary::SignedRemainder,
        "smod" => Binary::SignedModulo,
        "concat" => Binary::Concat,
        "read" => Binary::Read,
        "nand" | "nor" | "xnor" => {
            let op = [("nand", Binary::And), ("nor", Binary::Or), ("xnor", Binary::Xor)];
            let op = op.iter().find(|(name, _)| *name == tag).map_or(Binary::Xor, |(_, op)| *op);
            let term = terms.binary(op, a, b, span)?;
            return terms.unary(Unary::Complement, term, span);
        }
        "implies" => {
            one_bit(terms, a)?;
            let not = terms.unary(Unary::Complement, a, span)?;
            return terms.binary(Binary::Or, not, b, span);
        }
        _ => {
            let truth = truth(terms, tag, a, b, span)?;
            return terms.unary(Unary::ToWord, truth, span);
        }
    };
    let (left, right) = (terms.sort(a), terms.sort(b));
    let wide = !matches!(simple, Binary::Concat | Binary::Read);
    if wide && left != right {
        return Err(SortError(format!("the operands are {left} and {right}")));
    }
    terms.binary(simple, a, b, span)
}

fn one_bit(terms: &Terms, a: TermId) -> Result<(), SortError> {
    match terms.sort(a) {
        Sort::Word(1) => Ok(()),
        sort => Err(SortError(format!("the operand is {sort}, not one bit"))),
    }
}

/// Operators that say whether something holds.
fn truth(terms: &mut Terms, tag: &str, a: TermId, b: TermId, span: Span) -> Made {
    let not = |terms: &mut Terms, term: Made| terms.unary(Unary::Not, term?, span);
    let less = |terms: &mut Terms, a, b| match tag.starts_with('s') {
        true => terms.binary(Binary::SignedLess, a, b, span),
        false => terms.binary(Binary::Less, a, b, span),
    };
    match tag {
        "eq" => terms.binary(Binary::Equal, a, b, span),
        "iff" => {
            one_bit(terms, a)?;
            terms.binary(Binary::Equal, a, b, span)
        }
        "neq" => {
            let equal = terms.binary(Binary::Equal, a, b, span);
            not(terms, equal)
        }
        "ult" | "slt" => less(terms, a, b),
        "ugt" | "sgt" => less(terms, b, a),
        "ulte" | "slte" => {
            let more = less(terms, b, a);
            not(terms, more)
        }
        "ugte" | "sgte" => {
            let fewer = less(terms, a, b);
            not(terms, fewer)
        }
        "sdivo" => quotient_overflows(terms, a, b, span),
        _ => overflows(terms, tag, a, b, span),
    }
}

/// Only the least number by minus one is too large a quotient.
fn quotient_overflows(terms: &mut Terms, a: TermId, b: TermId, span: Span) -> Made {
    let width = width(terms, a);
    let least = terms.constant_word(Bits::from_fn(width, |i| i + 1 == width), span);
    let minus = terms.constant_word(Bits::from_fn(width, |_| true), span);
    let (a, b) = (
        terms.binary(Binary::Equal, a, least, span)?,
        terms.binary(Binary::Equal, b, minus, span)?,
    );
    terms.binary(Binary::And, a, b, span)
}

/// The result in words wide enough differs from the one that is cut and widened again.
fn overflows(terms: &mut Terms, tag: &str, a: TermId, b: TermId, span: Span) -> Made {
    let signed = tag.starts_with('s');
    let width = width(terms, a);
    let (op, more) = match &tag[1..] {
        "addo" => (Binary::Add, 1),
        "subo" => (Binary::Subtract, 1),
        _ => (Binary::Multiply, width),
    };
    let (a, b) = (terms.extend(a, more, signed, span)?, terms.extend(b, more, signed, span)?);
    let exact = terms.binary(op, a, b, span)?;
    let cut = terms.extract(exact, width - 1, 0, span)?;
    let again = terms.extend(cut, more, signed, span)?;
    let same = terms.binary(Binary::Equal, exact, again, span)?;
    terms.unary(Unary::Not, same, span)
}
