//! Whether expressions are the same, wherever they are written.

use crate::network::{Access, Expr, ExprKind, Place};

/// Whether two expressions differ in their spans at most.
pub fn alike(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Ratio(a, b), ExprKind::Ratio(c, d)) => (a, b) == (c, d),
        (ExprKind::Read(a), ExprKind::Read(b)) => alike_places(a, b),
        (ExprKind::At(a, b), ExprKind::At(c, d)) => (a, b) == (c, d),
        (ExprKind::Running(a), ExprKind::Running(b)) => a == b,
        (ExprKind::Channel(a), ExprKind::Channel(b)) => a == b,
        (ExprKind::Length(a), ExprKind::Length(b)) => alike(a, b),
        (
            ExprKind::Poll { channel: a, message: sent, order },
            ExprKind::Poll { channel: b, message: other, order: other_order },
        ) => {
            let messages = sent.iter().zip(other).all(|pair| match pair {
                (Some(a), Some(b)) => alike(a, b),
                (a, b) => a.is_none() && b.is_none(),
            });
            order == other_order && alike(a, b) && sent.len() == other.len() && messages
        }
        (ExprKind::Deadlock, ExprKind::Deadlock) => true,
        (ExprKind::Fail(a), ExprKind::Fail(b)) => a == b,
        (ExprKind::Unary(op, a), ExprKind::Unary(other, b)) => op == other && alike(a, b),
        (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) => {
            op == other && alike(a, c) && alike(b, d)
        }
        (ExprKind::Choose(a, b, c), ExprKind::Choose(d, e, f)) => {
            alike(a, d) && alike(b, e) && alike(c, f)
        }
        _ => false,
    }
}

fn alike_places(a: &Place, b: &Place) -> bool {
    let steps = a.path.iter().zip(&b.path).all(|pair| match pair {
        (Access::Index(a), Access::Index(b)) => alike(a, b),
        (Access::Field(a), Access::Field(b)) => a == b,
        _ => false,
    });
    a.variable == b.variable && a.path.len() == b.path.len() && steps
}
