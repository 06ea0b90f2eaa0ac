//! Values that are known before anything runs: sizes, initial values,
//! arguments.
//!
//! DVE evaluates in 32 bits, and not what an operand decides alone.

use homing_ir::network::{Access, Expr, ExprKind, Network, Place, Storage, Variable};
use homing_ir::{Diagnostic, Span};

use crate::arithmetic;

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
        ExprKind::Unary(operator, operand) => Ok(arithmetic::unary(*operator, value(operand)?)),
        ExprKind::Binary(operator, left, right) => {
            let left = value(left)?;
            match arithmetic::decided(*operator, left) {
                Some(result) => Ok(result),
                None => arithmetic::binary(*operator, left, value(right)?)
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
