//! `ltl` blocks: properties of runs.
//!
//! What has no temporal operator inside is an expression of the model. It is taken
//! apart at `!`, `->` and `<->`, and at `&&` and `||` where the order of evaluation
//! cannot matter: `i < N && a[i] == 0` stays whole.
//!
//! Names are looked up behind the last declaration, as SPIN does. A formula that
//! asks what a network cannot answer is not checked, and the reader is told why.

use homing_ir::network::{Expr, Property, PropertyKind};
use homing_ir::temporal::{Connective, Formula};

use super::super::scope::ScopeId;
use super::super::syntax::{self, Binary, ExprKind, Ltl, Unary};
use super::claim::{Refusal, answerable};
use super::visit::walk;
use super::{Context, Lowering, truth};

impl Lowering<'_> {
    /// Makes properties of the formulas.
    pub(super) fn formulas(&mut self) {
        let mut unnamed = 0;
        for ltl in std::mem::take(&mut self.formulas) {
            let name = match &ltl.name {
                Some(name) => name.text.clone(),
                None => {
                    unnamed += 1;
                    format!("ltl_{}", unnamed - 1)
                }
            };
            // What is wrong with a formula leaves the model as it is.
            let system = std::mem::take(&mut self.reports);
            let made = self.formula(ltl);
            let own = std::mem::replace(&mut self.reports, system).finish();
            let wrong = self.first_error(own);
            let why = match (made, wrong) {
                (Ok(formula), None) => {
                    let kind = PropertyKind::Temporal(Box::new(formula));
                    self.network.properties.push(Property { name, span: ltl.span, kind });
                    continue;
                }
                (_, Some(error)) => error.message,
                (Err(why), None) => why,
            };
            self.unchecked(&name, ltl.span, why);
        }
    }

    fn formula(&mut self, ltl: &Ltl) -> Result<Formula<Expr>, Refusal> {
        answerable(&ltl.formula)?;
        let order = self.scopes.order();
        let cx = Context { instance: None, scope: ScopeId::GLOBAL, order, timeout: None };
        parts(&ltl.formula)
            .try_map(&mut |atom: &&syntax::Expr| Ok(self.expr(atom, cx)))
            .map(constants)
    }
}

/// Atoms that are known, as constants.
fn constants(formula: Formula<Expr>) -> Formula<Expr> {
    let inner = |f: Box<Formula<Expr>>| Box::new(constants(*f));
    match formula {
        Formula::Atom(atom) => match truth(&atom) {
            Some(value) => Formula::Constant(value),
            None => Formula::Atom(atom),
        },
        Formula::Constant(value) => Formula::Constant(value),
        Formula::Not(f) => Formula::Not(inner(f)),
        Formula::Next(f) => Formula::Next(inner(f)),
        Formula::Finally(f) => Formula::Finally(inner(f)),
        Formula::Globally(f) => Formula::Globally(inner(f)),
        Formula::Binary(op, f, g) => Formula::Binary(op, inner(f), inner(g)),
    }
}

/// The formula; its atoms are the expressions it is made of.
fn parts(expr: &syntax::Expr) -> Formula<&syntax::Expr> {
    match &expr.kind {
        ExprKind::Unary(Unary::Not, f) => parts(f).negated(),
        ExprKind::Unary(Unary::Always, f) => Formula::Globally(Box::new(parts(f))),
        ExprKind::Unary(Unary::Eventually, f) => Formula::Finally(Box::new(parts(f))),
        ExprKind::Unary(Unary::Next, f) => Formula::Next(Box::new(parts(f))),
        ExprKind::Binary(op, f, g) => match connective(*op) {
            Some(Connective::And | Connective::Or) if !temporal(expr) && fragile(expr) => {
                Formula::Atom(expr)
            }
            Some(op) => Formula::binary(op, parts(f), parts(g)),
            None => Formula::Atom(expr),
        },
        _ => Formula::Atom(expr),
    }
}

fn connective(op: Binary) -> Option<Connective> {
    Some(match op {
        Binary::And => Connective::And,
        Binary::Or => Connective::Or,
        Binary::Imply => Connective::Implies,
        Binary::Equivalent => Connective::Iff,
        Binary::Until => Connective::Until,
        Binary::WeakUntil => Connective::WeakUntil,
        Binary::Release => Connective::Release,
        _ => return None,
    })
}

/// Whether there is a temporal operator in it.
fn temporal(expr: &syntax::Expr) -> bool {
    let mut found = false;
    walk(expr, &mut |expr| {
        found |= match &expr.kind {
            ExprKind::Unary(op, _) => {
                matches!(op, Unary::Always | Unary::Eventually | Unary::Next)
            }
            ExprKind::Binary(op, ..) => {
                matches!(op, Binary::Until | Binary::WeakUntil | Binary::Release)
            }
            _ => false,
        };
    });
    found
}

/// Whether evaluating it may be an error: by an index that is not a number, by a
/// division.
fn fragile(expr: &syntax::Expr) -> bool {
    let computed = |reference: &syntax::Reference| {
        let indices = reference.parts.iter().filter_map(|part| part.index.as_ref());
        indices.into_iter().any(|index| !matches!(index.kind, ExprKind::Number(_)))
    };
    let mut found = false;
    walk(expr, &mut |expr| {
        found |= match &expr.kind {
            ExprKind::Binary(Binary::Div | Binary::Rem, ..) => true,
            ExprKind::Reference(reference) | ExprKind::Channel(_, reference) => computed(reference),
            ExprKind::RemoteVariable { .. } | ExprKind::Poll { .. } => true,
            _ => false,
        };
    });
    found
}
