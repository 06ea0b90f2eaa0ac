//! Operators, and the fitting of values to types.

use super::RuntimeErrorKind;
use crate::network::{Arithmetic, Binary, IntType, Overflow, Unary};

/// The result of an operator on one operand.
pub(super) fn unary(arithmetic: Arithmetic, op: Unary, a: i64) -> Result<i64, RuntimeErrorKind> {
    match op {
        Unary::Not => Ok(truth(a == 0)),
        Unary::Neg => fit_result(arithmetic, -i128::from(a)),
        Unary::BitNot => fit_result(arithmetic, i128::from(!a)),
    }
}

/// The result of an operator on two operands, both evaluated.
pub(super) fn binary(
    arithmetic: Arithmetic,
    op: Binary,
    a: i64,
    b: i64,
) -> Result<i64, RuntimeErrorKind> {
    let (wide_a, wide_b) = (i128::from(a), i128::from(b));
    let exact = match op {
        Binary::Add => wide_a + wide_b,
        Binary::Sub => wide_a - wide_b,
        Binary::Mul => wide_a * wide_b,
        Binary::Div | Binary::Rem if b == 0 => return Err(RuntimeErrorKind::DivisionByZero),
        Binary::Div => wide_a / wide_b,
        Binary::Rem => wide_a % wide_b,
        Binary::Shl => wide_a << shift_amount(arithmetic, b)?,
        Binary::Shr => wide_a >> shift_amount(arithmetic, b)?,
        Binary::BitAnd => return Ok(a & b),
        Binary::BitOr => return Ok(a | b),
        Binary::BitXor => return Ok(a ^ b),
        Binary::Eq => return Ok(truth(a == b)),
        Binary::Ne => return Ok(truth(a != b)),
        Binary::Lt => return Ok(truth(a < b)),
        Binary::Le => return Ok(truth(a <= b)),
        Binary::Gt => return Ok(truth(a > b)),
        Binary::Ge => return Ok(truth(a >= b)),
        Binary::And => return Ok(truth(a != 0 && b != 0)),
        Binary::Or => return Ok(truth(a != 0 || b != 0)),
        Binary::Imply => return Ok(truth(a == 0 || b != 0)),
    };
    fit_result(arithmetic, exact)
}

/// A truth value as a number.
pub(super) fn truth(holds: bool) -> i64 {
    i64::from(holds)
}

/// The exact result of an operator, as the network's arithmetic has it.
fn fit_result(arithmetic: Arithmetic, exact: i128) -> Result<i64, RuntimeErrorKind> {
    match arithmetic {
        Arithmetic::Wrap32 => Ok(i64::from(exact as i32)),
        Arithmetic::Checked64 => i64::try_from(exact).map_err(|_| RuntimeErrorKind::Overflow),
    }
}

/// Where nothing is reduced, only shifts within the word are meaningful.
fn shift_amount(arithmetic: Arithmetic, b: i64) -> Result<u32, RuntimeErrorKind> {
    match arithmetic {
        Arithmetic::Wrap32 => Ok(b.rem_euclid(32) as u32),
        Arithmetic::Checked64 if (0..64).contains(&b) => Ok(b as u32),
        Arithmetic::Checked64 => Err(RuntimeErrorKind::Overflow),
    }
}

/// The value that assigning `value` to a scalar of this type stores.
pub(super) fn fit(value: i64, ty: IntType) -> Result<i64, RuntimeErrorKind> {
    let (lo, hi) = (i128::from(ty.lo), i128::from(ty.hi));
    let wide = i128::from(value);
    if lo <= wide && wide <= hi {
        return Ok(value);
    }
    match ty.overflow {
        Overflow::Wrap => Ok((lo + (wide - lo).rem_euclid(hi - lo + 1)) as i64),
        Overflow::Error => Err(RuntimeErrorKind::OutOfRange { value, lo: ty.lo, hi: ty.hi }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Arithmetic::{Checked64, Wrap32};

    fn wrap(op: Binary, a: i64, b: i64) -> i64 {
        binary(Wrap32, op, a, b).unwrap()
    }

    const MIN: i64 = i32::MIN as i64;
    const MAX: i64 = i32::MAX as i64;

    #[test]
    fn wrap32_reduces_results() {
        assert_eq!(wrap(Binary::Add, MAX, 1), MIN);
        assert_eq!(wrap(Binary::Sub, MIN, 1), MAX);
        assert_eq!(wrap(Binary::Mul, 65536, 65536), 0);
        assert_eq!(wrap(Binary::Mul, MAX, MAX), 1);
        assert_eq!(wrap(Binary::Div, MIN, -1), MIN);
        assert_eq!(wrap(Binary::Rem, MIN, -1), 0);
        assert_eq!(unary(Wrap32, Unary::Neg, MIN), Ok(MIN));
        assert_eq!(unary(Wrap32, Unary::BitNot, 0), Ok(-1));
    }

    #[test]
    fn wrap32_takes_operands_as_they_are() {
        assert_eq!(wrap(Binary::Eq, MAX + 1, MIN), 0);
        assert_eq!(wrap(Binary::BitOr, 1 << 40, 1), (1 << 40) + 1);
        assert_eq!(wrap(Binary::Add, 1 << 40, 1), 1);
        assert_eq!(wrap(Binary::Div, 1 << 40, 1 << 39), 2);
    }

    #[test]
    fn division_rounds_towards_zero() {
        assert_eq!((wrap(Binary::Div, -7, 2), wrap(Binary::Rem, -7, 2)), (-3, -1));
        assert_eq!((wrap(Binary::Div, 7, -2), wrap(Binary::Rem, 7, -2)), (-3, 1));
        for op in [Binary::Div, Binary::Rem] {
            assert_eq!(binary(Wrap32, op, 1, 0), Err(RuntimeErrorKind::DivisionByZero));
        }
    }

    #[test]
    fn shift_amounts_are_modulo_32() {
        assert_eq!(wrap(Binary::Shl, 1, 33), 2);
        assert_eq!(wrap(Binary::Shl, 1, 31), MIN);
        assert_eq!(wrap(Binary::Shl, 1, -31), 2);
        assert_eq!(wrap(Binary::Shr, -8, 1), -4);
        assert_eq!(wrap(Binary::Shr, -8, 32), -8);
    }

    #[test]
    fn checked64_fails_where_results_do_not_fit() {
        for (op, a, b) in [
            (Binary::Add, i64::MAX, 1),
            (Binary::Sub, i64::MIN, 1),
            (Binary::Mul, i64::MAX, 2),
            (Binary::Div, i64::MIN, -1),
            (Binary::Shl, 1, 63),
            (Binary::Shl, 1, 64),
            (Binary::Shr, 1, -1),
        ] {
            assert_eq!(binary(Checked64, op, a, b), Err(RuntimeErrorKind::Overflow), "{op:?}");
        }
        assert_eq!(binary(Checked64, Binary::Shl, -1, 63), Ok(i64::MIN));
        assert_eq!(binary(Checked64, Binary::Rem, i64::MIN, -1), Ok(0));
        assert_eq!(binary(Checked64, Binary::Add, MAX, 1), Ok(MAX + 1));
        assert_eq!(unary(Checked64, Unary::Neg, i64::MIN), Err(RuntimeErrorKind::Overflow));
    }

    #[test]
    fn logic_takes_any_value_but_zero_for_true() {
        assert_eq!(wrap(Binary::And, 2, -3), 1);
        assert_eq!(wrap(Binary::Or, 0, 0), 0);
        assert_eq!((wrap(Binary::Imply, 5, 0), wrap(Binary::Imply, 0, 0)), (0, 1));
        assert_eq!((unary(Wrap32, Unary::Not, 7), unary(Wrap32, Unary::Not, 0)), (Ok(0), Ok(1)));
    }

    #[test]
    fn fitting_wraps_modulo_the_number_of_values() {
        let odd = IntType { lo: -2, hi: 4, overflow: Overflow::Wrap };
        let fitted: Vec<i64> =
            [4, 5, 6, -3, -10, 12].iter().map(|v| fit(*v, odd).unwrap()).collect();
        assert_eq!(fitted, [4, -2, -1, 4, 4, -2]);
        let whole = IntType { lo: i64::MIN, hi: i64::MAX, overflow: Overflow::Wrap };
        assert_eq!(fit(i64::MIN, whole), Ok(i64::MIN));
    }

    #[test]
    fn fitting_to_a_checked_type_fails_outside() {
        let checked = IntType { lo: 0, hi: 3, overflow: Overflow::Error };
        assert_eq!(fit(3, checked), Ok(3));
        assert_eq!(fit(4, checked), Err(RuntimeErrorKind::OutOfRange { value: 4, lo: 0, hi: 3 }));
    }
}
