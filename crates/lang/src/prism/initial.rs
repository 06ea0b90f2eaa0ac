//! The initial state, where `init … endinit` describes it.
//!
//! Variable after variable is given every value it may have, and conditions are looked at as
//! soon as all they read is known. A network starts in one state, so there must be one.

use std::collections::BTreeSet;

use homing_ir::Diagnostic;
use homing_ir::network::{Expr as Built, ExprKind as Kind, VariableId};

use super::number::Number;
use super::scope::{Known, Scope};
use super::syntax::{Expr, ExprKind, Op};
use super::value::Value;
use crate::arithmetic;
use crate::reading::Parse;

/// So many values are tried.
const MOST_TRIALS: u64 = 5_000_000;

/// A condition, by the last of the variables that it reads.
struct Conjunct {
    expr: Built,
    last: usize,
}

struct Search<'a> {
    variables: &'a [Known],
    conjuncts: Vec<Conjunct>,
    values: Vec<i64>,
    found: Vec<Vec<i64>>,
    trials: u64,
}

impl<'m, 't> Scope<'m, 't> {
    /// The values that all variables begin with, of which there must be one choice.
    pub fn initial_state(&mut self, condition: &'m Expr<'t>) -> Parse<Vec<i64>> {
        let mut parts = Vec::new();
        conjuncts(condition, &mut parts);
        let mut conjuncts = Vec::new();
        for part in parts {
            match self.condition(part)? {
                Value::Known(Number::Bool(true)) => {}
                Value::Known(_) => return self.no_state(condition),
                Value::Whole(whole) | Value::Fraction(whole, _) => {
                    let mut read = BTreeSet::new();
                    reads(&whole.expr, &mut read);
                    let last = read.last().map_or(0, |last| last.index());
                    conjuncts.push(Conjunct { expr: whole.expr, last });
                }
            }
        }
        let variables: Vec<Known> = self.variables.iter().copied().flatten().collect();
        let mut search = Search {
            variables: &variables,
            conjuncts,
            values: Vec::new(),
            found: Vec::new(),
            trials: 0,
        };
        search.run();
        match (search.found.pop(), search.found.pop()) {
            _ if search.trials >= MOST_TRIALS => {
                let error =
                    Diagnostic::error("the initial states cannot be worked out", condition.span);
                self.fail(
                    error.help("say what each variable begins with: `init x=0 & y=0 endinit`"),
                )
            }
            (Some(only), None) => Ok(only),
            (Some(_), Some(_)) => {
                let error =
                    Diagnostic::error("several initial states are not supported", condition.span);
                self.fail(error.help("say what each variable begins with, so that there is one"))
            }
            (None, _) => self.no_state(condition),
        }
    }

    fn no_state<T>(&mut self, condition: &'m Expr<'t>) -> Parse<T> {
        self.fail(Diagnostic::error("no state is initial: this holds nowhere", condition.span))
    }
}

fn conjuncts<'m, 't>(expr: &'m Expr<'t>, out: &mut Vec<&'m Expr<'t>>) {
    match &expr.kind {
        ExprKind::Binary(Op::And, left, right) => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        _ => out.push(expr),
    }
}

impl Search<'_> {
    /// An odometer whose wheels turn back where a condition is false.
    fn run(&mut self) {
        let count = self.variables.len();
        if count == 0 {
            self.found.push(Vec::new());
            return;
        }
        let mut next = vec![self.variables[0].low];
        while let Some(value) = next.last_mut() {
            homing_budget::checkpoint();
            let at = self.values.len();
            if *value > self.variables[at].high {
                next.pop();
                self.values.pop();
                continue;
            }
            self.trials += 1;
            if self.trials >= MOST_TRIALS || self.found.len() == 2 {
                return;
            }
            self.values.push(*value);
            *value += 1;
            if !self.holds(at) {
                self.values.pop();
            } else if at + 1 == count {
                self.found.push(self.values.clone());
                self.values.pop();
            } else {
                next.push(self.variables[at + 1].low);
            }
        }
    }

    fn holds(&self, at: usize) -> bool {
        let mut here = self.conjuncts.iter().filter(|conjunct| conjunct.last == at);
        here.all(|conjunct| evaluate(&conjunct.expr, &self.values).is_some_and(|value| value != 0))
    }
}

/// The value of an expression where variables have these; none where it fails.
fn evaluate(expr: &Built, values: &[i64]) -> Option<i64> {
    let of = |operand| evaluate(operand, values);
    match &expr.kind {
        Kind::Int(value) => Some(*value),
        Kind::Read(place) => values.get(place.variable.index()).copied(),
        Kind::Unary(op, operand) => Some(arithmetic::unary(*op, of(operand)?)),
        Kind::Binary(op, left, right) => {
            let left = of(left)?;
            match arithmetic::decided(*op, left) {
                Some(value) => Some(value),
                None => arithmetic::binary(*op, left, of(right)?),
            }
        }
        Kind::Choose(condition, yes, no) => of(if of(condition)? != 0 { yes } else { no }),
        _ => None,
    }
}

/// The variables that an expression reads.
pub fn reads(expr: &Built, out: &mut BTreeSet<VariableId>) {
    match &expr.kind {
        Kind::Read(place) => {
            out.insert(place.variable);
        }
        Kind::Unary(_, operand) => reads(operand, out),
        Kind::Binary(_, left, right) => {
            reads(left, out);
            reads(right, out);
        }
        Kind::Choose(condition, yes, no) => {
            [condition, yes, no].into_iter().for_each(|part| reads(part, out));
        }
        _ => {}
    }
}
