//! Terms as numbers whose bits are functions of the state, and where they fail.
//!
//! What a term comes to where it fails, or where it is not evaluated for `&&` has been
//! decided before, does not matter: whoever asks looks only where it has a value.

use homing_budget::checkpoint;
use homing_ir::network::{Binary, Unary};
use homing_ir::system::{Interval, SlotId, TempId, Term};

use super::{Encoded, Encoding, Trouble};
use crate::bits::Bits;
use crate::diagram::{Made, Set};

/// What a term comes to.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub bits: Bits,
    /// Where it cannot be evaluated.
    pub fails: Set,
}

/// Where terms are evaluated: in the state as it is, but for what was written or computed
/// since.
#[derive(Clone, Default, Debug)]
pub(super) struct Frame {
    /// In the order of slots.
    pub written: Vec<(SlotId, Bits)>,
    pub computed: Vec<(TempId, Bits)>,
}

impl Frame {
    /// Notes what a slot holds from now on.
    pub(super) fn write(&mut self, slot: SlotId, bits: Bits) {
        match self.written.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => self.written[at].1 = bits,
            Err(at) => self.written.insert(at, (slot, bits)),
        }
    }
}

impl Encoding<'_> {
    /// What a slot holds.
    pub(super) fn read<'b>(&'b self, frame: &'b Frame, slot: SlotId) -> &'b Bits {
        match frame.written.binary_search_by_key(&slot, |(slot, _)| *slot) {
            Ok(at) => &frame.written[at].1,
            Err(_) => &self.fields[slot.index()].now,
        }
    }

    /// A term in the state as it is.
    pub(super) fn evaluate(&self, term: &Term) -> Encoded<Value> {
        self.value(term, &Frame::default())
    }

    fn sure(&self, bits: Bits) -> Value {
        Value { bits, fails: self.diagrams.constant(false) }
    }

    /// The recursion is as deep as the term.
    pub(super) fn value(&self, term: &Term, frame: &Frame) -> Encoded<Value> {
        checkpoint();
        let n = self.arithmetic();
        Ok(match term {
            Term::Const(value) => self.sure(n.constant(*value)),
            Term::Slot(slot) => self.sure(self.read(frame, *slot).clone()),
            Term::Temp(temp) => {
                let found = frame.computed.iter().rev().find(|(other, _)| other == temp);
                let Some((_, bits)) = found else {
                    return Err(Trouble::Refused(
                        "a value is used before it is computed".into(),
                        None,
                    ));
                };
                self.sure(bits.clone())
            }
            Term::Element { first, count, index } => {
                let index = self.value(index, frame)?;
                let bits = self.element(*first, *count, &index.bits, frame)?;
                Value { bits, ..index }
            }
            Term::Unary(op, operand) => {
                let Value { bits, fails } = self.value(operand, frame)?;
                let bits = match op {
                    Unary::Neg => n.negate(&bits)?,
                    Unary::BitNot => n.complement(&bits),
                    Unary::Not => n.truth(self.diagrams.not(&n.is_true(&bits)?)),
                };
                Value { bits, fails }
            }
            Term::Binary(op, left, right) => {
                let left = self.value(left, frame)?;
                self.binary(*op, left, self.value(right, frame)?)?
            }
            Term::Choose(condition, then, otherwise) => {
                let condition = self.value(condition, frame)?;
                let holds = n.is_true(&condition.bits)?;
                let (then, otherwise) = (self.value(then, frame)?, self.value(otherwise, frame)?);
                let fails = self.diagrams.ite(&holds, &then.fails, &otherwise.fails)?;
                let fails = self.diagrams.or(&condition.fails, &fails)?;
                Value { bits: n.choose(&holds, &then.bits, &otherwise.bits)?, fails }
            }
            Term::Wrap(Interval { lo, hi }, term) => {
                let Value { bits, fails } = self.value(term, frame)?;
                Value { bits: n.wrap(&bits, *lo, *hi)?, fails }
            }
            Term::Check(Interval { lo, hi }, term, _) => {
                let value = self.value(term, frame)?;
                let within = n.within(&value.bits, *lo, *hi)?;
                self.unless(value, &within)?
            }
            Term::NonZero(term, _) => {
                let value = self.value(term, frame)?;
                let holds = n.is_true(&value.bits)?;
                self.unless(value, &holds)?
            }
        })
    }

    /// A value that fails besides where something does not hold.
    fn unless(&self, Value { bits, fails }: Value, holds: &Set) -> Made<Value> {
        Ok(Value { bits, fails: self.diagrams.or(&fails, &self.diagrams.not(holds))? })
    }

    fn element(&self, first: SlotId, count: u32, index: &Bits, frame: &Frame) -> Made<Bits> {
        let n = self.arithmetic();
        let mut found = self.read(frame, first).clone();
        for place in 1..count {
            checkpoint();
            let here = n.equal(index, &n.constant(i64::from(place)))?;
            let element = self.read(frame, SlotId(first.0 + place));
            found = n.choose(&here, element, &found)?;
        }
        Ok(found)
    }

    fn binary(&self, op: Binary, left: Value, right: Value) -> Made<Value> {
        let (n, d) = (self.arithmetic(), &self.diagrams);
        let (a, b) = (&left.bits, &right.bits);
        if matches!(op, Binary::And | Binary::Or | Binary::Imply) {
            let (one, other) = (n.is_true(a)?, n.is_true(b)?);
            // The right one is looked at only where the left one has not decided.
            let open = if op == Binary::Or { d.not(&one) } else { one.clone() };
            let fails = d.or(&left.fails, &d.and(&open, &right.fails)?)?;
            let holds = match op {
                Binary::And => d.and(&one, &other)?,
                Binary::Or => d.or(&one, &other)?,
                _ => d.or(&d.not(&one), &other)?,
            };
            return Ok(Value { bits: n.truth(holds), fails });
        }
        let bits = match op {
            Binary::Add => n.add(a, b)?,
            Binary::Sub => n.subtract(a, b)?,
            Binary::Mul => n.multiply(a, b)?,
            Binary::Div => n.divide(a, b)?.0,
            Binary::Rem => n.divide(a, b)?.1,
            Binary::Shl => n.shift(a, b, true)?,
            Binary::Shr => n.shift(a, b, false)?,
            Binary::BitAnd => n.bitwise(a, b, |d, a, b| d.and(a, b))?,
            Binary::BitOr => n.bitwise(a, b, |d, a, b| d.or(a, b))?,
            Binary::BitXor => n.bitwise(a, b, |d, a, b| d.xor(a, b))?,
            Binary::Eq => n.truth(n.equal(a, b)?),
            Binary::Ne => n.truth(d.not(&n.equal(a, b)?)),
            Binary::Lt => n.truth(n.less(a, b)?),
            Binary::Ge => n.truth(d.not(&n.less(a, b)?)),
            Binary::Gt => n.truth(n.less(b, a)?),
            Binary::Le | Binary::And | Binary::Or | Binary::Imply => n.truth(d.not(&n.less(b, a)?)),
        };
        Ok(Value { bits, fails: d.or(&left.fails, &right.fails)? })
    }
}
