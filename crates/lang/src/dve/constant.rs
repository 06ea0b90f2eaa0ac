//! Values that are known before anything runs: sizes, initial values,
//! arguments.
//!
//! Arithmetic is that of [`Arithmetic::Wrap32`]: DVE evaluates in 32 bits.
//!
//! [`Arithmetic::Wrap32`]: homing_ir::network::Arithmetic::Wrap32

use homing_ir::network::{
    Access, Binary, Expr, ExprKind, IntType, Network, Place, Storage, Unary, Variable,
};
use homing_ir::{Diagnostic, Span};

/// Whether the value of a variable that is no constant may be used: in an
/// initial value it stands for the initial value of that variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    Constants,
    InitialValues,
}

/// The value of an expression, or why it has none.
pub fn evaluate(network: &Network, expr: &Expr, reads: Reads) -> Result<i64, Box<Diagnostic>> {
    let value = |operand| evaluate(network, operand, reads);
    match &expr.kind {
        ExprKind::Int(value) => Ok(*value),
        ExprKind::Read(place) => read(network, place, reads),
        ExprKind::Unary(operator, operand) => Ok(unary(*operator, value(operand)?)),
        ExprKind::Binary(operator, left, right) => {
            let left = value(left)?;
            match decided(*operator, left) {
                Some(result) => Ok(result),
                None => binary(*operator, left, value(right)?)
                    .ok_or_else(|| error("division by zero", expr.span)),
            }
        }
        _ => Err(error("this is not known before the model runs", expr.span)),
    }
}

fn error(message: &str, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(message, span))
}

fn read(network: &Network, place: &Place, reads: Reads) -> Result<i64, Box<Diagnostic>> {
    let variable = &network.variables[place.variable.index()];
    if variable.storage != Storage::Constant && reads == Reads::Constants {
        let what = format!("`{}` is not a constant", variable.name);
        return Err(Box::new(
            Diagnostic::error(what, place.span).related(variable.span, "declared here"),
        ));
    }
    let index = match place.path.first() {
        Some(Access::Index(index)) => evaluate(network, index, reads)?,
        _ => 0,
    };
    let length = network.scalars(&variable.ty);
    match usize::try_from(index) {
        Ok(index) if index < length => Ok(initial(variable, index)),
        _ => Err(error(
            &format!("index {index} of `{}` is out of bounds", variable.name),
            place.span,
        )),
    }
}

fn initial(variable: &Variable, index: usize) -> i64 {
    variable.initial.get(index).copied().unwrap_or(0)
}

/// What a value becomes when it is assigned to a variable of this type.
pub fn fit(ty: IntType, value: i64) -> i64 {
    (value - ty.lo).rem_euclid(ty.hi - ty.lo + 1) + ty.lo
}

fn wrap(value: i64) -> i64 {
    i64::from(value as i32)
}

fn unary(operator: Unary, value: i64) -> i64 {
    match operator {
        Unary::Neg => wrap(-value),
        Unary::Not => i64::from(value == 0),
        Unary::BitNot => !value,
    }
}

/// The result where the left operand decides it.
fn decided(operator: Binary, left: i64) -> Option<i64> {
    match (operator, left != 0) {
        (Binary::And, false) => Some(0),
        (Binary::Or, true) | (Binary::Imply, false) => Some(1),
        _ => None,
    }
}

fn binary(operator: Binary, a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        Binary::Add => wrap(a + b),
        Binary::Sub => wrap(a - b),
        Binary::Mul => wrap(a * b),
        Binary::Div => wrap(a.checked_div(b)?),
        Binary::Rem => a.checked_rem(b)?,
        Binary::Shl => wrap(a << (b & 31)),
        Binary::Shr => a >> (b & 31),
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::Eq => i64::from(a == b),
        Binary::Ne => i64::from(a != b),
        Binary::Lt => i64::from(a < b),
        Binary::Le => i64::from(a <= b),
        Binary::Gt => i64::from(a > b),
        Binary::Ge => i64::from(a >= b),
        // The left operand left the decision to the right one.
        Binary::And | Binary::Or | Binary::Imply => i64::from(b != 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let max = i64::from(i32::MAX);
        let min = i64::from(i32::MIN);
        assert_eq!(binary(Binary::Add, max, 1), Some(min));
        assert_eq!(binary(Binary::Div, min, -1), Some(min));
        assert_eq!(binary(Binary::Rem, -7, 3), Some(-1));
        assert_eq!(binary(Binary::Div, 1, 0), None);
        assert_eq!(binary(Binary::Shl, 1, 31), Some(min));
        assert_eq!(binary(Binary::Shr, -8, 33), Some(-4));
        assert_eq!(unary(Unary::Neg, min), min);
    }
}
