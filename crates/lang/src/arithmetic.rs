//! Operators on numbers that are known before a model runs.
//!
//! All languages that fold constants compute as their networks do
//! ([`Arithmetic::Wrap32`]): in 32 bits, with shifts by their amount modulo 32. What they do
//! with an expression that has no value (a division by zero) is their own affair: DVE and
//! Promela refuse it, UPPAAL leaves it for the run to fail at. That all of them agree with
//! the interpreter is tested in `tests/constants.rs`.
//!
//! The conditions of `#if` are not among them: C counts in 64 bits there, with and without
//! a sign (`promela::preprocess`).
//!
//! [`Arithmetic::Wrap32`]: homing_ir::network::Arithmetic::Wrap32

use homing_ir::network::{Binary, IntType, Unary};

/// The result of an operator on one operand.
pub fn unary(op: Unary, a: i64) -> i64 {
    match op {
        Unary::Neg => wrapped(a.wrapping_neg()),
        Unary::Not => i64::from(a == 0),
        Unary::BitNot => wrapped(!a),
    }
}

/// The result where the left operand decides it.
pub fn decided(op: Binary, left: i64) -> Option<i64> {
    match (op, left != 0) {
        (Binary::And, false) => Some(0),
        (Binary::Or, true) | (Binary::Imply, false) => Some(1),
        _ => None,
    }
}

/// The result of an operator on two operands; none for a division by zero.
pub fn binary(op: Binary, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        Binary::Add => wrapped(a.wrapping_add(b)),
        Binary::Sub => wrapped(a.wrapping_sub(b)),
        Binary::Mul => wrapped(a.wrapping_mul(b)),
        Binary::Div => wrapped(a.checked_div(b)?),
        Binary::Rem => wrapped(a.checked_rem(b)?),
        Binary::Shl => wrapped(a << (b & 31)),
        Binary::Shr => wrapped(a >> (b & 31)),
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::Eq => i64::from(a == b),
        Binary::Ne => i64::from(a != b),
        Binary::Lt => i64::from(a < b),
        Binary::Le => i64::from(a <= b),
        Binary::Gt => i64::from(a > b),
        Binary::Ge => i64::from(a >= b),
        Binary::And => i64::from(a != 0 && b != 0),
        Binary::Or => i64::from(a != 0 || b != 0),
        Binary::Imply => i64::from(a == 0 || b != 0),
    })
}

/// `base` to the power of `exponent`, which is not negative.
pub fn power(base: i64, exponent: i64) -> i64 {
    let (mut result, mut square, mut left) = (1, wrapped(base), exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = wrapped(result * square);
        }
        square = wrapped(square * square);
        left /= 2;
    }
    result
}

/// What a value becomes when a variable of this type takes it by wrapping around.
pub fn fit(ty: IntType, value: i64) -> i64 {
    (value - ty.lo).rem_euclid(ty.hi - ty.lo + 1) + ty.lo
}

fn wrapped(value: i64) -> i64 {
    i64::from(value as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::Network;
    use homing_ir::network::Type;

    #[test]
    fn values_are_fitted() {
        let network = Network::default();
        let check = |lo, hi, value, expected| {
            let ty = network.scalar(&Type::wrapping(lo, hi)).unwrap();
            assert_eq!(fit(ty, value), expected, "{value} in {lo}..{hi}");
        };
        check(0, 255, 300, 44);
        check(0, 255, -1, 255);
        check(-32768, 32767, 32768, -32768);
        check(-32768, 32767, -5, -5);
    }

    #[test]
    fn arithmetic_is_that_of_32_bits() {
        let (min, max) = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(binary(Binary::Add, max, 1), Some(min));
        assert_eq!(binary(Binary::Div, min, -1), Some(min));
        assert_eq!(binary(Binary::Rem, -7, 3), Some(-1));
        assert_eq!(binary(Binary::Div, 1, 0), None);
        assert_eq!(binary(Binary::Shl, 1, 31), Some(min));
        assert_eq!(binary(Binary::Shr, -8, 33), Some(-4));
        assert_eq!(unary(Unary::Neg, min), min);
    }

    #[test]
    fn powers_of_any_exponent() {
        for base in [-3, -1, 0, 1, 2, 3, 7] {
            let mut expected = 1;
            for exponent in 0..200 {
                assert_eq!(power(base, exponent), expected, "{base} ** {exponent}");
                expected = wrapped(expected * base);
            }
        }
    }
}
