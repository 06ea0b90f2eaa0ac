//! What terms mean: the reference for everybody else.
//!
//! Words are computed bit by bit, as one learns it at school: slow, and easy to believe.

use std::cmp::Ordering;
use std::collections::HashMap;

use homing_budget::checkpoint;

use super::{Array, Binary, Bits, Constant, Relation, Term, TermId, Terms, Unary, Value};
use crate::source::Span;

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What is wrong.
    pub kind: FailureKind,
    /// Where it is written.
    pub span: Span,
}

/// What may be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// A number is divided by zero.
    Division,
    /// A number does not fit into 64 bits.
    Overflow,
    /// A symbol stands where a number is needed.
    Symbol,
    /// A word of more than 63 bits is made a number.
    Width,
    /// A choice stands where a value is needed.
    Choice,
}

impl FailureKind {
    /// One sentence.
    pub fn message(self) -> &'static str {
        match self {
            FailureKind::Division => "division by zero",
            FailureKind::Overflow => "the number does not fit into 64 bits",
            FailureKind::Symbol => "a symbol is no number",
            FailureKind::Width => "the word is too large to be a number",
            FailureKind::Choice => "a choice is no value",
        }
    }
}

/// Evaluates terms at one moment, or between two.
pub struct Evaluation<'v> {
    relation: &'v Relation,
    current: &'v [Value],
    next: &'v [Value],
    known: HashMap<TermId, Result<Value, Failure>>,
}

/// What is needed before a term can be computed.
enum Need {
    Nothing,
    One(TermId),
    Two(TermId, TermId),
    Three(TermId, TermId, TermId),
}

impl<'v> Evaluation<'v> {
    /// Variables have the values `current` at this moment, and `next` at the next; that may
    /// be empty where nobody asks.
    pub fn new(relation: &'v Relation, current: &'v [Value], next: &'v [Value]) -> Self {
        Evaluation { relation, current, next, known: HashMap::new() }
    }

    /// The value of a term.
    pub fn value(&mut self, root: TermId) -> Result<Value, Failure> {
        let mut left = vec![root];
        while let Some(&id) = left.last() {
            let before = left.len();
            if !self.known.contains_key(&id) {
                match self.need(id) {
                    Need::Nothing => {}
                    Need::One(a) => self.ask(&[a], &mut left),
                    Need::Two(a, b) => self.ask(&[a, b], &mut left),
                    Need::Three(a, b, c) => self.ask(&[a, b, c], &mut left),
                }
            }
            if left.len() == before {
                left.pop();
                if !self.known.contains_key(&id) {
                    checkpoint();
                    let value = self.compute(id);
                    self.known.insert(id, value);
                }
            }
        }
        self.get(root)
    }

    /// Whether a boolean term is true.
    pub fn holds(&mut self, root: TermId) -> Result<bool, Failure> {
        Ok(self.value(root)? == Value::Bool(true))
    }

    /// All values that a definition allows, each once, in the order they are written.
    pub fn choices(&mut self, root: TermId) -> Result<Vec<Value>, Failure> {
        let mut values = Vec::new();
        let mut left = vec![root];
        while let Some(id) = left.pop() {
            match self.relation.terms.term(id) {
                Term::Union(a, b) => left.extend([b, a]),
                Term::Range(low, high) => {
                    let all = (low..=high).map(|n| Value::Scalar(Constant::Int(n)));
                    values.extend(all.inspect(|_| checkpoint()));
                }
                Term::Choose(condition, a, b) => {
                    left.push(if self.holds(condition)? { a } else { b });
                }
                _ => values.push(self.value(id)?),
            }
        }
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert(value.clone()));
        Ok(values)
    }

    /// Whether a definition allows a value.
    pub fn allows(&mut self, root: TermId, value: &Value) -> Result<bool, Failure> {
        let mut left = vec![root];
        while let Some(id) = left.pop() {
            let found = match (self.relation.terms.term(id), value) {
                (Term::Union(a, b), _) => {
                    left.extend([b, a]);
                    false
                }
                (Term::Range(low, high), Value::Scalar(Constant::Int(n))) => {
                    (low..=high).contains(n)
                }
                (Term::Range(..), _) => false,
                (Term::Choose(condition, a, b), _) => {
                    left.push(if self.holds(condition)? { a } else { b });
                    false
                }
                _ => self.value(id)?.same(value),
            };
            if found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ask(&self, parts: &[TermId], left: &mut Vec<TermId>) {
        left.extend(parts.iter().filter(|part| !self.known.contains_key(part)));
    }

    /// A branch that is not taken is not looked at, and may fail.
    fn need(&self, id: TermId) -> Need {
        match self.relation.terms.term(id) {
            Term::Choose(condition, a, b) => match self.known.get(&condition) {
                None => Need::One(condition),
                Some(Ok(Value::Bool(true))) => Need::One(a),
                Some(Ok(_)) => Need::One(b),
                Some(Err(_)) => Need::Nothing,
            },
            Term::Binary(op @ (Binary::And | Binary::Or), a, b) => match self.known.get(&a) {
                None => Need::One(a),
                Some(Ok(Value::Bool(a))) if *a == (op == Binary::Or) => Need::Nothing,
                Some(Err(_)) => Need::Nothing,
                Some(Ok(_)) => Need::One(b),
            },
            Term::Binary(_, a, b) => Need::Two(a, b),
            Term::Write(a, b, c) => Need::Three(a, b, c),
            Term::Unary(_, a)
            | Term::Extract(a, ..)
            | Term::Extend(a, ..)
            | Term::Everywhere(a, _) => Need::One(a),
            _ => Need::Nothing,
        }
    }

    fn get(&self, id: TermId) -> Result<Value, Failure> {
        self.known[&id].clone()
    }

    fn compute(&self, id: TermId) -> Result<Value, Failure> {
        match self.relation.terms.term(id) {
            Term::Variable(variable) => Ok(self.current[variable.0 as usize].clone()),
            Term::Next(variable) => Ok(self.next[variable.0 as usize].clone()),
            _ => self.relation.terms.applied(id, &mut |part| self.get(part)),
        }
    }
}

impl Terms {
    /// The value of a term by those of its parts; a variable has none that they tell.
    pub fn applied(
        &self,
        id: TermId,
        part: &mut dyn FnMut(TermId) -> Result<Value, Failure>,
    ) -> Result<Value, Failure> {
        let fail = |kind| Failure { kind, span: self.span(id) };
        Ok(match self.term(id) {
            Term::Bool(value) => Value::Bool(value),
            Term::Scalar(value) => Value::Scalar(value),
            Term::Word(number) => Value::Word(self.word(number).clone()),
            Term::Unary(op, a) => unary(op, part(a)?).map_err(fail)?,
            Term::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                match (part(a)?, op == Binary::Or) {
                    (Value::Bool(a), or) if a == or => Value::Bool(a),
                    (a, _) => binary(op, a, part(b)?).map_err(fail)?,
                }
            }
            Term::Binary(op, a, b) => binary(op, part(a)?, part(b)?).map_err(fail)?,
            Term::Choose(condition, a, b) => match part(condition)? == Value::Bool(true) {
                true => part(a)?,
                false => part(b)?,
            },
            Term::Extract(a, high, low) => {
                let word = word(part(a)?);
                Value::Word(Bits::from_fn(high - low + 1, |i| word.bit(i + low)))
            }
            Term::Extend(a, width, signed) => {
                let word = word(part(a)?);
                let new = signed && word.sign();
                Value::Word(Bits::from_fn(width, |i| match i < word.width() {
                    true => word.bit(i),
                    false => new,
                }))
            }
            Term::Write(array, at, element) => match (part(array)?, part(at)?) {
                (Value::Array(mut array), Value::Word(at)) => {
                    array.set(&at, word(part(element)?));
                    Value::Array(array)
                }
                (other, _) => other,
            },
            Term::Everywhere(element, index) => {
                Value::Array(Array::of(index, word(part(element)?)))
            }
            Term::Variable(_) | Term::Next(_) | Term::Union(..) | Term::Range(..) => {
                return Err(fail(FailureKind::Choice));
            }
        })
    }
}

/// The word that a value of the sort is.
fn word(value: Value) -> Bits {
    match value {
        Value::Word(bits) => bits,
        _ => Bits::zero(0),
    }
}

fn number(value: Value) -> Result<i64, FailureKind> {
    match value {
        Value::Scalar(Constant::Int(number)) => Ok(number),
        _ => Err(FailureKind::Symbol),
    }
}

fn unary(op: Unary, value: Value) -> Result<Value, FailureKind> {
    let int = |number| Value::Scalar(Constant::Int(number));
    Ok(match (op, value) {
        (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
        (Unary::ToWord, Value::Bool(value)) => Value::Word(Bits::of(value.into(), 1)),
        (Unary::Count, Value::Bool(value)) => int(value.into()),
        (Unary::Complement, Value::Word(a)) => Value::Word(complement(&a)),
        (Unary::Negate, Value::Word(a)) => Value::Word(negate(&a)),
        (Unary::Parity, Value::Word(a)) => {
            Value::Bool((0..a.width()).filter(|i| a.bit(*i)).count() % 2 == 1)
        }
        (Unary::ToBool, Value::Word(a)) => Value::Bool(a.bit(0)),
        (Unary::Unsigned, Value::Word(a)) => {
            let small = a.to_u64().and_then(|number| i64::try_from(number).ok());
            int(small.ok_or(FailureKind::Width)?)
        }
        (Unary::Signed, Value::Word(a)) => int(a.to_i64().ok_or(FailureKind::Width)?),
        (Unary::Negate, value) => int(number(value)?.checked_neg().ok_or(FailureKind::Overflow)?),
        (_, other) => other,
    })
}

fn binary(op: Binary, a: Value, b: Value) -> Result<Value, FailureKind> {
    match (op, a, b) {
        (Binary::Equal, a, b) => Ok(Value::Bool(a.same(&b))),
        (op, Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(match op {
            Binary::And => a && b,
            Binary::Or => a || b,
            _ => a != b,
        })),
        (op, Value::Word(a), Value::Word(b)) => Ok(of_words(op, &a, &b)),
        (_, Value::Array(array), Value::Word(at)) => Ok(Value::Word(array.get(&at).clone())),
        (op, a, b) => of_numbers(op, number(a)?, number(b)?),
    }
}

fn of_numbers(op: Binary, a: i64, b: i64) -> Result<Value, FailureKind> {
    let result = match op {
        Binary::Less => return Ok(Value::Bool(a < b)),
        Binary::Divide | Binary::Remainder if b == 0 => return Err(FailureKind::Division),
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    result.map(|n| Value::Scalar(Constant::Int(n))).ok_or(FailureKind::Overflow)
}

fn of_words(op: Binary, a: &Bits, b: &Bits) -> Value {
    let bitwise = |f: fn(bool, bool) -> bool| Bits::from_fn(a.width(), |i| f(a.bit(i), b.bit(i)));
    Value::Word(match op {
        Binary::And => bitwise(|a, b| a && b),
        Binary::Or => bitwise(|a, b| a || b),
        Binary::Xor => bitwise(|a, b| a != b),
        Binary::Less => return Value::Bool(compare(a, b) == Ordering::Less),
        Binary::SignedLess => {
            return Value::Bool(match (a.sign(), b.sign()) {
                (true, false) => true,
                (false, true) => false,
                _ => compare(a, b) == Ordering::Less,
            });
        }
        Binary::Add => add(a, b),
        Binary::Subtract => add(a, &negate(b)),
        Binary::Multiply => multiply(a, b),
        Binary::Divide => divide(a, b).0,
        Binary::Remainder => divide(a, b).1,
        Binary::SignedDivide => {
            let quotient = divide(&absolute(a), &absolute(b)).0;
            if a.sign() != b.sign() { negate(&quotient) } else { quotient }
        }
        Binary::SignedRemainder => {
            let rest = divide(&absolute(a), &absolute(b)).1;
            if a.sign() { negate(&rest) } else { rest }
        }
        Binary::SignedModulo => modulo(a, b),
        Binary::Concat => Bits::from_fn(a.width() + b.width(), |i| match i < b.width() {
            true => b.bit(i),
            false => a.bit(i - b.width()),
        }),
        _ => shift(op, a, b),
    })
}

fn shift(op: Binary, a: &Bits, b: &Bits) -> Bits {
    let width = u64::from(a.width());
    let by = b.to_u64().filter(|by| *by < width);
    let at = |i: u64| a.bit(i as u32);
    if let Binary::RotateLeft | Binary::RotateRight = op {
        let by = remainder(b, width);
        let left = if op == Binary::RotateLeft { by } else { (width - by) % width };
        return Bits::from_fn(a.width(), |i| at((u64::from(i) + width - left) % width));
    }
    let filled = op == Binary::ShiftRightSigned && a.sign();
    let Some(by) = by else { return Bits::from_fn(a.width(), |_| filled) };
    Bits::from_fn(a.width(), |i| match op {
        Binary::ShiftLeft => u64::from(i) >= by && at(u64::from(i) - by),
        _ if u64::from(i) + by < width => at(u64::from(i) + by),
        _ => filled,
    })
}

/// What is left of a word divided by a small number.
fn remainder(a: &Bits, by: u64) -> u64 {
    (0..a.width()).rev().fold(0, |rest, i| (rest * 2 + u64::from(a.bit(i))) % by)
}

fn complement(a: &Bits) -> Bits {
    Bits::from_fn(a.width(), |i| !a.bit(i))
}

fn negate(a: &Bits) -> Bits {
    add(&complement(a), &Bits::of(1, a.width()))
}

fn absolute(a: &Bits) -> Bits {
    if a.sign() { negate(a) } else { a.clone() }
}

fn add(a: &Bits, b: &Bits) -> Bits {
    let mut carry = false;
    Bits::from_fn(a.width(), |i| {
        let (a, b, c) = (a.bit(i), b.bit(i), carry);
        carry = a && b || c && (a != b);
        a ^ b ^ c
    })
}

fn multiply(a: &Bits, b: &Bits) -> Bits {
    let mut sum = Bits::zero(a.width());
    let mut shifted = a.clone();
    for i in 0..a.width() {
        checkpoint();
        if b.bit(i) {
            sum = add(&sum, &shifted);
        }
        shifted = add(&shifted, &shifted);
    }
    sum
}

fn compare(a: &Bits, b: &Bits) -> Ordering {
    a.limbs().iter().rev().cmp(b.limbs().iter().rev())
}

/// Quotient and remainder: all ones and the first, where the second is zero.
fn divide(a: &Bits, b: &Bits) -> (Bits, Bits) {
    if b.is_zero() {
        return (complement(b), a.clone());
    }
    let width = a.width();
    // One bit more, so that doubling the rest loses nothing.
    let wide = |bits: &Bits| Bits::from_fn(width + 1, |i| bits.bit(i));
    let (b, mut rest) = (wide(b), Bits::zero(width + 1));
    let less = negate(&b);
    let mut quotient = vec![false; width as usize];
    for i in (0..width).rev() {
        checkpoint();
        rest = Bits::from_fn(width + 1, |j| if j == 0 { a.bit(i) } else { rest.bit(j - 1) });
        if compare(&rest, &b) != Ordering::Less {
            rest = add(&rest, &less);
            quotient[i as usize] = true;
        }
    }
    let quotient = Bits::from_fn(width, |i| quotient[i as usize]);
    (quotient, Bits::from_fn(width, |i| rest.bit(i)))
}

/// The remainder with the sign of the second.
fn modulo(a: &Bits, b: &Bits) -> Bits {
    let rest = divide(&absolute(a), &absolute(b)).1;
    match (a.sign(), b.sign()) {
        _ if rest.is_zero() => rest,
        (false, false) => rest,
        (true, false) => add(&negate(&rest), b),
        (false, true) => add(&rest, b),
        (true, true) => negate(&rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(op: Binary, a: i64, b: i64) -> i64 {
        match of_words(op, &Bits::of_signed(a, 4), &Bits::of_signed(b, 4)) {
            Value::Word(bits) => bits.to_i64().expect("small"),
            _ => panic!("no word"),
        }
    }

    #[test]
    fn words_of_four_bits_are_as_machine_numbers_are() {
        for a in 0..16u64 {
            for b in 0..16u64 {
                let of = |op| match of_words(op, &Bits::of(a, 4), &Bits::of(b, 4)) {
                    Value::Word(bits) => bits.to_u64().expect("small"),
                    Value::Bool(value) => value.into(),
                    _ => panic!("no word"),
                };
                assert_eq!(of(Binary::Add), (a + b) % 16);
                assert_eq!(of(Binary::Subtract), (16 + a - b) % 16);
                assert_eq!(of(Binary::Multiply), a * b % 16);
                assert_eq!(of(Binary::Divide), a.checked_div(b).unwrap_or(15));
                assert_eq!(of(Binary::Remainder), a.checked_rem(b).unwrap_or(a));
                assert_eq!(of(Binary::Less), u64::from(a < b));
                assert_eq!(of(Binary::ShiftLeft), (a << b) % 16);
                assert_eq!(of(Binary::ShiftRight), a >> b);
                let by = b % 4;
                assert_eq!(of(Binary::RotateLeft), (a << by | a >> (4 - by)) % 16, "{a} {b}");
                assert_eq!(of(Binary::Concat), a << 4 | b);
            }
        }
    }

    #[test]
    fn signed_words_of_four_bits_are_as_the_standard_says() {
        let wrap = |n: i64| (n + 8).rem_euclid(16) - 8;
        for a in -8..8i64 {
            for b in -8..8i64 {
                let quotient = if b == 0 { if a < 0 { 1 } else { -1 } } else { a / b };
                assert_eq!(signed(Binary::SignedDivide, a, b), wrap(quotient), "{a} / {b}");
                assert_eq!(signed(Binary::SignedRemainder, a, b), a.checked_rem(b).unwrap_or(a));
                let modulo = if b == 0 { a } else { a - b * (a as f64 / b as f64).floor() as i64 };
                assert_eq!(signed(Binary::SignedModulo, a, b), modulo, "{a} smod {b}");
                assert_eq!(
                    of_words(Binary::SignedLess, &Bits::of_signed(a, 4), &Bits::of_signed(b, 4)),
                    Value::Bool(a < b)
                );
            }
        }
        assert_eq!(signed(Binary::ShiftRightSigned, -8, 2), -2);
    }
}
