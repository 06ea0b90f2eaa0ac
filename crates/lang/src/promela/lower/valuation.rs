//! Variables of claims: their values are part of where a claim is.
//!
//! A claim is an automaton, and automata have no variables. So a statement of a claim is
//! read once for all values that its variables may have before it, with these put in.
//! What is assigned is known then, or it is a value of the system: then the claim goes
//! another way for each of a few possible values.

use homing_ir::network::{Binary as Op, Expr, Type};

use super::super::flow::{Flow, NodeId, What};
use super::super::scope::{Local, Symbol};
use super::super::syntax::{self, ExprKind, Initial, Reference, StatementKind};
use super::claim::{Refusal, context};
use super::expression::binary;
use super::processes::{number, replace};
use super::{Context, Lowering, int, truth};

/// The values of a claim's variables.
pub(super) type Values = Vec<i64>;

/// Values of the system that a claim may choose its way by in one statement.
const MOST_CHOICES: i64 = 16;

/// The variables of a claim.
pub(super) struct Variables {
    names: Vec<String>,
    types: Vec<Type>,
    pub initial: Values,
}

impl Variables {
    /// The name of a place, with the values of the variables there.
    pub(super) fn written(&self, name: String, values: &Values) -> String {
        if values.is_empty() {
            return name;
        }
        let pairs = self.names.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
        format!("{name} ({})", pairs.collect::<Vec<_>>().join(", "))
    }
}

/// A claim at a place.
pub(super) struct View<'c> {
    pub flow: &'c Flow,
    pub variables: &'c Variables,
    pub values: &'c Values,
}

impl Lowering<'_> {
    pub(super) fn variables_of_claim(&mut self, locals: &[Local]) -> Result<Variables, Refusal> {
        let mut variables =
            Variables { names: Vec::new(), types: Vec::new(), initial: Values::new() };
        for local in locals {
            let ty = self
                .variable_type(local)
                .filter(|ty| matches!(ty, Type::Int(_) | Type::Bool | Type::Enum(_)));
            let Some(ty) = ty else {
                return Err("it has variables of its own that are no numbers".into());
            };
            let value = match &local.initial {
                Some(Initial::Value(value)) if local.at_start => self.evaluate(value, true),
                _ => Some(0),
            };
            let Some(value) = value else {
                return Err("a variable of its own has an initial value that is not known".into());
            };
            variables.initial.push(self.fitted(value, &ty));
            variables.names.push(local.name.text.clone());
            variables.types.push(ty);
        }
        Ok(variables)
    }

    /// An expression of a claim, with the values of its variables put in.
    pub(super) fn value_in(&mut self, view: &View, node: NodeId, expr: &syntax::Expr) -> Expr {
        let cx = context(view.flow, node);
        if view.values.is_empty() {
            return self.expr(expr, cx);
        }
        let plain = replace(expr, &|name| {
            let at = self.own(name, cx)?;
            Some(number(*view.values.get(at)?, expr.span))
        });
        let plain = self.known(plain);
        self.expr(&plain, cx)
    }

    /// An expression with numbers for what is known: a condition that is false then must
    /// be seen to be, or the claim would go on where it cannot.
    fn known(&self, expr: syntax::Expr) -> syntax::Expr {
        if let Some(value) = self.evaluate(&expr, false) {
            return number(value, expr.span);
        }
        let inner = |expr: Box<syntax::Expr>| Box::new(self.known(*expr));
        let kind = match expr.kind {
            ExprKind::Unary(op, operand) => ExprKind::Unary(op, inner(operand)),
            ExprKind::Binary(op, left, right) => ExprKind::Binary(op, inner(left), inner(right)),
            ExprKind::Conditional(condition, yes, no) => {
                ExprKind::Conditional(inner(condition), inner(yes), inner(no))
            }
            other => other,
        };
        syntax::Expr { kind, span: expr.span }
    }

    /// Which of the claim's variables a name is.
    fn own(&self, name: &str, cx: Context) -> Option<usize> {
        match self.scopes.find(cx.scope, name, cx.order) {
            Some(Symbol::Local(at)) => Some(at),
            _ => None,
        }
    }

    /// The values that variables may have behind a statement, and when.
    pub(super) fn outcomes(
        &mut self,
        view: &View,
        node: NodeId,
    ) -> Result<Vec<(Expr, Values)>, Refusal> {
        let found = &view.flow.nodes[node];
        let always = int(1, found.span);
        let What::Plain(StatementKind::Assign(to, value)) = &found.what else {
            return Ok(vec![(always, view.values.clone())]);
        };
        let Some(at) = self.assigned_in_claim(to, context(view.flow, node)) else {
            return Err("it changes the system".into());
        };
        let ty = &view.variables.types[at];
        let value = self.value_in(view, node, value);
        let with = |value: i64| {
            let mut values = view.values.clone();
            values[at] = value;
            values
        };
        if let Some(value) = Self::number(&value) {
            return Ok(vec![(always, with(self.fitted(value, ty)))]);
        }
        let Some(range) = self.network.scalar(ty).filter(|ty| ty.hi - ty.lo < MOST_CHOICES) else {
            return Err("it keeps a value of the system in a variable".into());
        };
        let kept = self.cut(value, ty, found.span);
        let each = (range.lo..=range.hi).map(|value| {
            let is = binary(Op::Eq, kept.clone(), int(value, found.span), found.span);
            (is, with(value))
        });
        Ok(each.filter(|(when, _)| truth(when) != Some(false)).collect())
    }

    fn assigned_in_claim(&self, to: &Reference, cx: Context) -> Option<usize> {
        match &to.parts[..] {
            [part] if part.index.is_none() => self.own(&part.name.text, cx),
            _ => None,
        }
    }
}
