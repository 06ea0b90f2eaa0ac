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

/// Joins all pairwise, so that the depth grows with the logarithm only.
pub(crate) fn balanced(mut all: Vec<Expr>, join: impl Fn(Expr, Expr) -> Expr) -> Option<Expr> {
    while all.len() > 1 {
        let mut joined = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(a) = rest.next() {
            joined.push(match rest.next() {
                Some(b) => join(a, b),
                None => a,
            });
        }
        all = joined;
    }
    all.pop()
}
