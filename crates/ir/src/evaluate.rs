//! The values of terms in packed states, one by one: for those who look at terms
//! that compiled code only knows as parts of a whole (estimates), or not at all
//! (what a system says of clocks), and where there is no compiled code.
//!
//! This is of the road from [`System`](crate::System) on; the reference
//! interpreter, which executes networks, has nothing to do with it.

use crate::interval::{Env, truth};
use crate::layout::Field;
use crate::network::{Binary, Unary};
use crate::system::{Interval, SiteId, SlotId, TempId, Term};

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// It fails here.
    Fails(SiteId),
    /// What it is made of has none: a bad index, a division by zero, a value that was not
    /// computed. In its place within a system no term comes to that.
    Undefined,
}

/// The values computed within a step so far; what is computed again comes later.
pub type Computed = Vec<(TempId, i64)>;

/// The value of a term over slots, or `None` where it cannot be evaluated: a
/// bad index, a division by zero, a value that fails its check.
///
/// A term taken out of its condition may meet what the condition protects it
/// from, so nothing is taken for granted here.
pub fn evaluate(term: &Term, fields: &[Field], state: &[u64]) -> Option<i64> {
    value(term, fields, state, &[]).ok()
}

/// The same of a term within a step, and why it has none.
pub fn value(
    term: &Term,
    fields: &[Field],
    state: &[u64],
    computed: &[(TempId, i64)],
) -> Result<i64, NoValue> {
    let of = |term: &Term| value(term, fields, state, computed);
    Ok(match term {
        Term::Const(value) => *value,
        Term::Slot(slot) => fields[slot.index()].get(state),
        Term::Temp(temp) => {
            let found = computed.iter().rev().find(|(other, _)| other == temp);
            found.ok_or(NoValue::Undefined)?.1
        }
        Term::Element { first, count, index } => {
            fields[element(*first, *count, of(index)?)?].get(state)
        }
        Term::Unary(op, operand) => {
            let operand = of(operand)?;
            match op {
                Unary::Neg => operand.wrapping_neg(),
                Unary::BitNot => !operand,
                Unary::Not => i64::from(operand == 0),
            }
        }
        Term::Binary(op, left, right) => {
            let left = of(left)?;
            match (op, left != 0) {
                (Binary::And, false) => 0,
                (Binary::Or, true) | (Binary::Imply, false) => 1,
                _ => binary(*op, left, of(right)?).ok_or(NoValue::Undefined)?,
            }
        }
        Term::Choose(condition, then, otherwise) => {
            of(if of(condition)? != 0 { then } else { otherwise })?
        }
        Term::Wrap(range, term) => wrap(*range, of(term)?),
        Term::Check(range, term, site) => {
            Some(of(term)?).filter(|value| range.contains(*value)).ok_or(NoValue::Fails(*site))?
        }
        Term::NonZero(term, site) => {
            Some(of(term)?).filter(|value| *value != 0).ok_or(NoValue::Fails(*site))?
        }
    })
}

/// The slot of an element of `count` slots.
pub fn element(first: SlotId, count: u32, index: i64) -> Result<usize, NoValue> {
    let index = u32::try_from(index).ok().filter(|index| *index < count);
    index.map(|index| first.index() + index as usize).ok_or(NoValue::Undefined)
}

fn binary(op: Binary, left: i64, right: i64) -> Option<i64> {
    Some(match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div => left.checked_div(right)?,
        Binary::Rem => left.checked_rem(right)?,
        Binary::Shl => left.wrapping_shl(right as u32),
        Binary::Shr => left.wrapping_shr(right as u32),
        Binary::BitAnd => left & right,
        Binary::BitOr => left | right,
        Binary::BitXor => left ^ right,
        Binary::Eq => i64::from(left == right),
        Binary::Ne => i64::from(left != right),
        Binary::Lt => i64::from(left < right),
        Binary::Le => i64::from(left <= right),
        Binary::Gt => i64::from(left > right),
        Binary::Ge => i64::from(left >= right),
        // The left operands of these have decided nothing.
        Binary::And | Binary::Or | Binary::Imply => i64::from(right != 0),
    })
}

fn wrap(range: Interval, value: i64) -> i64 {
    let (lo, size) = (i128::from(range.lo), i128::from(range.hi) - i128::from(range.lo) + 1);
    (lo + (i128::from(value) - lo).rem_euclid(size)) as i64
}

/// Whether [`evaluate`] may answer `None`, or wrap around at 64 bits, for slots
/// within the ranges that `env` knows.
pub fn may_fail(term: &Term, env: &Env) -> bool {
    let mut fails = false;
    term.walk(&mut |term| {
        fails |= match term {
            Term::Temp(_) => true,
            Term::Element { count, index, .. } => {
                !Interval::new(0, i64::from(*count) - 1).includes(env.eval(index))
            }
            Term::Binary(Binary::Div | Binary::Rem, _, divisor) => {
                truth(env.eval(divisor)) != Some(true)
            }
            Term::Check(range, term, _) => !range.includes(env.eval(term)),
            Term::NonZero(term, _) => truth(env.eval(term)) != Some(true),
            _ => false,
        };
        let Interval { lo, hi } = env.eval(term);
        fails |= lo == i64::MIN || hi == i64::MAX;
    });
    fails
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(term: &Term, slot: i64) -> Option<i64> {
        let field = Field { word: 0, shift: 0, bits: 8, lo: -8 };
        let mut state = [0];
        field.set(&mut state, slot);
        evaluate(term, &[field], &state)
    }

    #[test]
    fn failures_are_answers() {
        let x = || Term::Slot(SlotId(0));
        let divided = Term::binary(Binary::Div, Term::Const(6), x());
        assert_eq!((of(&divided, 3), of(&divided, 0)), (Some(2), None));
        let element = Term::Element { first: SlotId(0), count: 1, index: Box::new(x()) };
        assert_eq!((of(&element, 0), of(&element, 1), of(&element, -1)), (Some(0), None, None));
        let checked = Term::Check(Interval::new(0, 4), Box::new(x()), SiteId(0));
        assert_eq!((of(&checked, 4), of(&checked, 5)), (Some(4), None));
        let guarded = Term::binary(Binary::And, x(), divided);
        assert_eq!((of(&guarded, 0), of(&guarded, 3)), (Some(0), Some(1)));
    }

    #[test]
    fn values_wrap_into_their_interval() {
        let wrapped: Vec<i64> = [-3, -2, 4, 5, 12].map(|v| wrap(Interval::new(-2, 4), v)).into();
        assert_eq!(wrapped, [4, -2, 4, -2, -2]);
    }
}
