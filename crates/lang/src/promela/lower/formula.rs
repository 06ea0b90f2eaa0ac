//! `ltl` blocks: properties of runs.
//!
//! What has no temporal operator inside is an expression of the model. It is taken
//! apart at `!` and `<->`, and at `&&`, `||` and `->` where the order of evaluation
//! cannot matter: `i < N && a[i] == 0` stays whole.
//!
//! Names are looked up behind the last declaration, as SPIN does. A formula that
//! asks what a network cannot answer is not checked, and the reader is told why.

use homing_ir::network::{Binary as Op, Expr, Property, PropertyKind, Unary as Op1};
use homing_ir::temporal::{Connective, Formula};

use super::super::scope::{ScopeId, Symbol};
use super::super::syntax::{self, Binary, ExprKind, Ltl, Unary};
use super::claim::{Refusal, answerable};
use super::visit::walk;
use super::{Context, Lowering, Storage, truth};

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
        let known = |name: &str| match self.scopes.find(ScopeId::GLOBAL, name, order) {
            Some(Symbol::Global(at)) => matches!(self.globals.get(at), Some(Storage::Channel(_))),
            _ => false,
        };
        parts(&ltl.formula, &known)
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

/// Whether a name always means the same channel.
type Known<'k> = dyn Fn(&str) -> bool + 'k;

/// The formula; its atoms are the expressions it is made of.
fn parts<'e>(expr: &'e syntax::Expr, known: &Known) -> Formula<&'e syntax::Expr> {
    let inner = |f: &'e syntax::Expr| Box::new(parts(f, known));
    match &expr.kind {
        ExprKind::Unary(Unary::Plain(Op1::Not), f) => parts(f, known).negated(),
        ExprKind::Unary(Unary::Always, f) => Formula::Globally(inner(f)),
        ExprKind::Unary(Unary::Eventually, f) => Formula::Finally(inner(f)),
        ExprKind::Unary(Unary::Next, f) => Formula::Next(inner(f)),
        ExprKind::Binary(op, f, g) => match connective(*op) {
            Some(Connective::And | Connective::Or | Connective::Implies)
                if !temporal(expr) && fragile(expr, known) =>
            {
                Formula::Atom(expr)
            }
            Some(op) => Formula::binary(op, parts(f, known), parts(g, known)),
            None => Formula::Atom(expr),
        },
        _ => Formula::Atom(expr),
    }
}

fn connective(op: Binary) -> Option<Connective> {
    Some(match op {
        Binary::Plain(Op::And) => Connective::And,
        Binary::Plain(Op::Or) => Connective::Or,
        Binary::Plain(Op::Imply) => Connective::Implies,
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
/// division, by a variable that may hold no channel.
fn fragile(expr: &syntax::Expr, known: &Known) -> bool {
    let computed = |reference: &syntax::Reference| {
        let indices = reference.parts.iter().filter_map(|part| part.index.as_ref());
        indices.into_iter().any(|index| !matches!(index.kind, ExprKind::Number(_)))
    };
    let mut found = false;
    walk(expr, &mut |expr| {
        found |= match &expr.kind {
            ExprKind::Binary(Binary::Plain(Op::Div | Op::Rem), ..) => true,
            ExprKind::Reference(reference) => computed(reference),
            ExprKind::Channel(_, channel) => {
                computed(channel) || !known(&channel.parts[0].name.text)
            }
            ExprKind::RemoteVariable { .. } | ExprKind::Poll { .. } => true,
            _ => false,
        };
    });
    found
}
