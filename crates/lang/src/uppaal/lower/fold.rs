//! Expressions of the network, folded as they are built.
//!
//! What is constant is computed at once, in 32 bits as the network computes. What
//! would fail (a division by zero) is left for the run to fail at.

use homing_ir::network::{Access, Binary, Expr, ExprKind, Network, Place, Type, Unary};
use homing_ir::{Span, balanced};

use crate::arithmetic;

/// The number that an expression is.
pub fn constant(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// An operator applied to two operands. Those of `And`, `Or` and `Imply` are truth
/// values ([`truth`]).
pub fn binary(op: Binary, left: Expr, right: Expr, span: Span) -> Expr {
    let known = (constant(&left), constant(&right));
    if let (Some(a), Some(b)) = known
        && let Some(value) = arithmetic::binary(op, a, b)
    {
        return Expr::int(value, span);
    }
    match (op, known) {
        (Binary::And, (Some(0), _)) => Expr::int(0, span),
        (Binary::And, (Some(_), _)) => right,
        (Binary::And, (_, Some(b))) if b != 0 => left,
        (Binary::Or, (Some(a), _)) if a != 0 => Expr::int(1, span),
        (Binary::Or, (Some(_), _)) => right,
        (Binary::Or, (_, Some(0))) => left,
        (Binary::Imply, (Some(0), _)) => Expr::int(1, span),
        (Binary::Imply, (Some(_), _)) => right,
        (Binary::Add, (Some(0), _)) => right,
        (Binary::Add | Binary::Sub, (_, Some(0))) => left,
        _ => Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span),
    }
}

/// An operator applied to one operand.
pub fn unary(op: Unary, operand: Expr, span: Span) -> Expr {
    match (op, operand.kind) {
        (_, ExprKind::Int(value)) => Expr::int(arithmetic::unary(op, value), span),
        (Unary::Not, ExprKind::Unary(Unary::Not, inner)) if is_truth(&inner) => *inner,
        (_, kind) => {
            let operand = Expr::new(kind, operand.span);
            Expr::new(ExprKind::Unary(op, Box::new(operand)), span)
        }
    }
}

/// `not expr`.
pub fn not(expr: Expr) -> Expr {
    let span = expr.span;
    unary(Unary::Not, expr, span)
}

/// `left and right`.
pub fn and(left: Expr, right: Expr) -> Expr {
    let span = left.span;
    binary(Binary::And, left, right, span)
}

/// `left or right`.
pub fn or(left: Expr, right: Expr) -> Expr {
    let span = left.span;
    binary(Binary::Or, left, right, span)
}

/// The second where the first is true, else the third.
pub fn choose(condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
    match (constant(&condition), constant(&yes), constant(&no)) {
        (Some(0), ..) => no,
        (Some(_), ..) => yes,
        (None, Some(a), Some(b)) if a == b => yes,
        (None, Some(1), Some(0)) if is_truth(&condition) => condition,
        (None, Some(0), Some(1)) => not(condition),
        _ => {
            // `c ? x + 1 : x` is `x + (c ? 1 : 0)`: counters must not double in size.
            if let Some(more) = above(&no, &yes) {
                let more = choose(condition, more, Expr::int(0, span), span);
                return binary(Binary::Add, no, more, span);
            }
            if let Some(more) = above(&yes, &no) {
                let more = choose(condition, Expr::int(0, span), more, span);
                return binary(Binary::Add, yes, more, span);
            }
            let [a, b, c] = [condition, yes, no].map(Box::new);
            Expr::new(ExprKind::Choose(a, b, c), span)
        }
    }
}

/// What was added to `base` to get `expr`, by its form. Nothing for constants, which
/// are short anyway.
fn above(base: &Expr, expr: &Expr) -> Option<Expr> {
    if constant(base).is_some() {
        return None;
    }
    let (mut at, mut added) = (expr, Vec::new());
    while let ExprKind::Binary(op @ (Binary::Add | Binary::Sub), left, right) = &at.kind {
        added.push(match op {
            Binary::Add => right.as_ref().clone(),
            _ => unary(Unary::Neg, right.as_ref().clone(), right.span),
        });
        if same(left, base) {
            added.reverse();
            return joined(Binary::Add, added, expr.span);
        }
        at = left;
    }
    None
}

/// Whether two expressions are written alike. The right operands, which differ first
/// in sums, are compared first.
fn same(a: &Expr, b: &Expr) -> bool {
    homing_budget::checkpoint();
    match (&a.kind, &b.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::At(p, l), ExprKind::At(q, m)) => (p, l) == (q, m),
        (ExprKind::Unary(o, a), ExprKind::Unary(p, b)) => o == p && same(a, b),
        (ExprKind::Binary(o, a, x), ExprKind::Binary(p, b, y)) => {
            o == p && same(x, y) && same(a, b)
        }
        (ExprKind::Choose(a, b, c), ExprKind::Choose(x, y, z)) => {
            same(a, x) && same(c, z) && same(b, y)
        }
        (ExprKind::Read(a), ExprKind::Read(b)) => {
            a.variable == b.variable
                && a.path.len() == b.path.len()
                && a.path.iter().zip(&b.path).all(|pair| match pair {
                    (Access::Field(a), Access::Field(b)) => a == b,
                    (Access::Index(a), Access::Index(b)) => same(a, b),
                    _ => false,
                })
        }
        _ => false,
    }
}

/// The list joined by an operator of which the order of brackets does not matter,
/// as a tree of little depth. `None` for an empty list.
pub fn joined(op: Binary, list: Vec<Expr>, span: Span) -> Option<Expr> {
    balanced(list, |left, right| binary(op, left, right, span))
}

/// Whether an expression is 0 or 1 by its form.
pub fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(value) => matches!(value, 0 | 1),
        ExprKind::At(..) | ExprKind::Running(_) | ExprKind::Deadlock => true,
        ExprKind::Unary(op, _) => *op == Unary::Not,
        ExprKind::Binary(op, ..) => is_relation(*op),
        ExprKind::Choose(_, yes, no) => is_truth(yes) && is_truth(no),
        _ => false,
    }
}

fn is_relation(op: Binary) -> bool {
    use Binary::{And, Eq, Ge, Gt, Imply, Le, Lt, Ne, Or};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | And | Or | Imply)
}

/// 1 where the expression is not zero.
pub fn truth(expr: Expr, boolean: bool) -> Expr {
    if boolean || is_truth(&expr) {
        return expr;
    }
    let span = expr.span;
    binary(Binary::Ne, expr, Expr::int(0, span), span)
}

/// How many nodes an expression has, and how deep it is.
pub fn measure(expr: &Expr) -> (usize, usize) {
    homing_budget::checkpoint();
    let over = |parts: &mut dyn Iterator<Item = &Expr>| {
        parts.map(measure).fold((1, 0), |(size, depth): (usize, usize), (more, deep)| {
            (size + more, depth.max(deep))
        })
    };
    let (size, depth) = match &expr.kind {
        ExprKind::Read(place) => over(&mut indices(place)),
        ExprKind::Unary(_, operand) => over(&mut [operand.as_ref()].into_iter()),
        ExprKind::Binary(_, a, b) => over(&mut [a.as_ref(), b.as_ref()].into_iter()),
        ExprKind::Choose(a, b, c) => over(&mut [a, b, c].into_iter().map(AsRef::as_ref)),
        _ => (1, 0),
    };
    (size, depth + 1)
}

/// The expressions that a place depends on.
pub fn indices(place: &Place) -> impl Iterator<Item = &Expr> {
    place.path.iter().filter_map(|access| match access {
        Access::Index(index) => Some(index),
        Access::Field(_) => None,
    })
}

/// The type of the scalar at a place, if it is one.
pub fn type_at<'n>(network: &'n Network, place: &Place) -> Option<&'n Type> {
    let declared = &network.variables.get(place.variable.index())?.ty;
    place.path.iter().try_fold(declared, |ty, access| match (ty, access) {
        (Type::Array(element, _), Access::Index(_)) => Some(element.as_ref()),
        (Type::Record(id), Access::Field(field)) => {
            network.records[id.index()].fields.get(*field as usize).map(|(_, ty)| ty)
        }
        _ => None,
    })
}

const WIDEST: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// Between which values the expression is, as far as the types tell.
pub fn range(network: &Network, expr: &Expr) -> (i64, i64) {
    homing_budget::checkpoint();
    let narrow = |lo: i64, hi: i64| {
        if lo < WIDEST.0 || hi > WIDEST.1 { WIDEST } else { (lo, hi) }
    };
    match &expr.kind {
        ExprKind::Int(value) => (*value, *value),
        ExprKind::Read(place) => {
            let ty = type_at(network, place).and_then(|ty| network.scalar(ty));
            ty.map_or(WIDEST, |ty| (ty.lo, ty.hi))
        }
        ExprKind::Choose(_, yes, no) => {
            let (a, b) = (range(network, yes), range(network, no));
            (a.0.min(b.0), a.1.max(b.1))
        }
        ExprKind::Unary(Unary::Neg, operand) => {
            let (lo, hi) = range(network, operand);
            narrow(-hi, -lo)
        }
        ExprKind::Unary(Unary::Not, operand) => match range(network, operand) {
            (0, 0) => (1, 1),
            (lo, hi) if lo > 0 || hi < 0 => (0, 0),
            _ => (0, 1),
        },
        ExprKind::Binary(op, left, right) => {
            let (a, b) = (range(network, left), range(network, right));
            match op {
                Binary::Add => narrow(a.0 + b.0, a.1 + b.1),
                Binary::Sub => narrow(a.0 - b.1, a.1 - b.0),
                _ if is_relation(*op) => relation_range(*op, a, b),
                _ => WIDEST,
            }
        }
        _ if is_truth(expr) => (0, 1),
        _ => WIDEST,
    }
}

fn relation_range(op: Binary, a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    let truth = |(lo, hi): (i64, i64)| match (lo, hi) {
        (0, 0) => Some(false),
        _ if lo > 0 || hi < 0 => Some(true),
        _ => None,
    };
    let less = |a: (i64, i64), b: (i64, i64)| match () {
        () if a.1 < b.0 => Some(true),
        () if a.0 >= b.1 => Some(false),
        () => None,
    };
    let equal = match () {
        () if a.0 == a.1 && a == b => Some(true),
        () if a.1 < b.0 || b.1 < a.0 => Some(false),
        () => None,
    };
    let known = match op {
        Binary::Lt => less(a, b),
        Binary::Gt => less(b, a),
        Binary::Le => less(b, a).map(|known| !known),
        Binary::Ge => less(a, b).map(|known| !known),
        Binary::Eq => equal,
        Binary::Ne => equal.map(|known| !known),
        Binary::And => match (truth(a), truth(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Binary::Or => match (truth(a), truth(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    };
    known.map_or((0, 1), |known| (i64::from(known), i64::from(known)))
}

/// Whether a condition is true or false in every state, as far as the types tell.
pub fn decided(network: &Network, condition: &Expr) -> Option<bool> {
    match range(network, condition) {
        (0, 0) => Some(false),
        (lo, hi) if lo > 0 || hi < 0 => Some(true),
        _ => None,
    }
}
