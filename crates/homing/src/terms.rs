//! Expressions put together from others.

use homing_ir::network::{Binary, Expr, ExprKind, Unary};

pub(crate) fn negation(expr: Expr) -> Expr {
    let span = expr.span;
    Expr::new(ExprKind::Unary(Unary::Not, Box::new(expr)), span)
}

/// Two expressions, joined by an operator.
pub(crate) fn join(op: Binary, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

/// Whether some part of an expression, indices and parts of messages apart, is one.
pub(crate) fn contains(expr: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> bool {
    let mut left = vec![expr];
    while let Some(expr) = left.pop() {
        if wanted(expr) {
            return true;
        }
        match &expr.kind {
            ExprKind::Binary(_, a, b) => left.extend([&**a, &**b]),
            ExprKind::Unary(_, a) => left.push(a),
            ExprKind::Choose(a, b, c) => left.extend([&**a, &**b, &**c]),
            _ => {}
        }
    }
    false
}

/// Whether an expression asks whether there is a step.
pub(crate) fn asks_for_deadlock(expr: &Expr) -> bool {
    contains(expr, &|expr| matches!(expr.kind, ExprKind::Deadlock))
}
