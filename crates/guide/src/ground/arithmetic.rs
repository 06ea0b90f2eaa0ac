//! Operators on values that are known exactly or only within bounds: interval
//! arithmetic, but precise on single values.

use homing_ir::interval::{self, ANY, truth};
use homing_ir::network::{Binary, Unary};
use homing_ir::system::Interval;

/// The value of an operator whose left operand decides it.
pub(super) fn short(op: Binary, left: Interval) -> Option<i64> {
    match (op, truth(left)) {
        (Binary::And, Some(false)) => Some(0),
        (Binary::Or, Some(true)) | (Binary::Imply, Some(false)) => Some(1),
        _ => None,
    }
}

/// The indices that lie in an array of `count` elements; a step with another
/// index fails.
pub(super) fn within(index: Interval, count: u32) -> Option<Interval> {
    index.meet(Interval::new(0, i64::from(count) - 1))
}

/// `op` of some values; exact where there is one.
pub(super) fn unary(op: Unary, value: Interval) -> Interval {
    if !value.is_point() {
        return interval::unary(op, value);
    }
    Interval::point(match op {
        Unary::Neg => value.lo.wrapping_neg(),
        Unary::Not => i64::from(value.lo == 0),
        Unary::BitNot => !value.lo,
    })
}

/// `op` of some values; exact where there is one on each side.
pub(super) fn binary(op: Binary, a: Interval, b: Interval) -> Interval {
    if !a.is_point() || !b.is_point() {
        return interval::binary(op, a, b);
    }
    let (x, y) = (a.lo, b.lo);
    Interval::point(match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        // A step that divides by zero fails, so any value will do.
        Binary::Div | Binary::Rem if y == 0 => return ANY,
        Binary::Div => x.wrapping_div(y),
        Binary::Rem => x.wrapping_rem(y),
        Binary::Shl => x.wrapping_shl(y as u32),
        Binary::Shr => x.wrapping_shr(y as u32),
        Binary::BitAnd => x & y,
        Binary::BitOr => x | y,
        Binary::BitXor => x ^ y,
        _ => return interval::binary(op, a, b),
    })
}

/// Values reduced to a range; exact where there is one.
pub(super) fn wrap(range: Interval, value: Interval) -> Interval {
    if range.includes(value) {
        return value;
    }
    if !value.is_point() {
        return range;
    }
    let size = i128::from(range.hi) - i128::from(range.lo) + 1;
    let offset = (i128::from(value.lo) - i128::from(range.lo)).rem_euclid(size);
    Interval::point((i128::from(range.lo) + offset) as i64)
}
