//! Formulas of the past: variables that remember.
//!
//! Lichtenstein, Pnueli, Zuck, "The glory of the past" (Logics of Programs 1985). What a
//! formula of the past says now follows from what it says of this moment and from what it
//! said at the moment before; that is what a hidden variable h remembers.
//!
//! ```text
//!              is               h at first   h next
//! Y f          h                false        f
//! Z f          h                true         f
//! O f          f | h            false        f | h
//! H f          f & h            true         f & h
//! f S g        g | f & h        false        the same
//! f T g        g & (f | h)      true         the same
//! O [a,b] f    Y … Y (f | Y (f | … Y f))     a times Y, then b - a alternatives; H: Z and &
//! ```
//! So formulas of the past are conditions like others. Those over formulas of the future are
//! not: they are not supported.

use std::rc::Rc;

use homing_ir::Span;
use homing_ir::relation::{Binary, Definition, Domain, Kind, TermId, Unary, VariableId};
use homing_ir::temporal::{Connective, Formula};

use super::instances::Model;
use super::syntax::{Infix, Temporal};
use super::values::{Measured, Value};
use crate::reading::Parse;

type Run = Measured<Formula<TermId>>;

impl Model<'_> {
    /// `Y f`, `Z f`, `O f` or `H f`.
    pub fn past(&mut self, operator: Temporal, of: &Run, span: Span) -> Parse<Value> {
        let Some(f) = self.present(&of.formula, span)? else { return Ok(mixed(operator.sign())) };
        let term = match operator {
            Temporal::Previous => self.before(f, false, span)?,
            Temporal::WeakPrevious => self.before(f, true, span)?,
            Temporal::Once => self.remembered(f, Binary::Or, None, span)?,
            _ => self.remembered(f, Binary::And, None, span)?,
        };
        Ok(condition(term, of.fails))
    }

    /// `O [from, to] f` or `H [from, to] f`.
    pub fn bounded_past(
        &mut self,
        operator: Temporal,
        (from, to): (u32, u32),
        of: &Run,
        span: Span,
    ) -> Parse<Value> {
        let Some(f) = self.present(&of.formula, span)? else { return Ok(mixed(operator.sign())) };
        let is_weak = operator == Temporal::Historically;
        let connective = if is_weak { Binary::And } else { Binary::Or };
        let mut term = f;
        for _ in from..to {
            let before = self.before(term, is_weak, span)?;
            term = self.binary(connective, f, before, span)?;
        }
        for _ in 0..from {
            term = self.before(term, is_weak, span)?;
        }
        Ok(condition(term, of.fails))
    }

    /// `f S g` or `f T g`.
    pub fn since(&mut self, operator: Infix, [f, g]: [&Run; 2], span: Span) -> Parse<Value> {
        let fails = self.any([f.fails, g.fails], span)?;
        let (f, g) = (self.present(&f.formula, span)?, self.present(&g.formula, span)?);
        let (Some(f), Some(g)) = (f, g) else { return Ok(mixed(operator.sign())) };
        let connective = if operator == Infix::Since { Binary::Or } else { Binary::And };
        Ok(condition(self.remembered(g, connective, Some(f), span)?, fails))
    }

    /// What a formula says that is a condition on this moment alone; recursion is as deep as
    /// formulas may be.
    fn present(&mut self, formula: &Formula<TermId>, span: Span) -> Parse<Option<TermId>> {
        Ok(Some(match formula {
            Formula::Constant(value) => self.relation.terms.bool(*value, span),
            Formula::Atom(term) => *term,
            Formula::Not(f) => match self.present(f, span)? {
                Some(f) => self.unary(Unary::Not, f, span)?,
                None => return Ok(None),
            },
            Formula::Binary(connective, f, g) => {
                let both = (self.present(f, span)?, self.present(g, span)?);
                let (Some(f), Some(g)) = both else { return Ok(None) };
                match connective {
                    Connective::And => self.binary(Binary::And, f, g, span)?,
                    Connective::Or => self.binary(Binary::Or, f, g, span)?,
                    Connective::Implies => {
                        let not = self.unary(Unary::Not, f, span)?;
                        self.binary(Binary::Or, not, g, span)?
                    }
                    Connective::Iff => self.binary(Binary::Equal, f, g, span)?,
                    Connective::Until | Connective::WeakUntil | Connective::Release => {
                        return Ok(None);
                    }
                }
            }
            Formula::Next(_) | Formula::Finally(_) | Formula::Globally(_) => return Ok(None),
        }))
    }

    /// Whether a condition held at the moment before; at the first moment, this.
    fn before(&mut self, condition: TermId, at_first: bool, span: Span) -> Parse<TermId> {
        let held = self.history(at_first, span);
        self.relation.next.push(Definition { variable: held, value: condition, span });
        Ok(self.relation.read(held, span))
    }

    /// What is `g | f & before` or `g & (f | before)`, where `before` is what it was at the
    /// moment before. Without f it is `g | before` or `g & before`.
    fn remembered(
        &mut self,
        g: TermId,
        connective: Binary,
        f: Option<TermId>,
        span: Span,
    ) -> Parse<TermId> {
        let is_weak = connective == Binary::And;
        let held = self.history(is_weak, span);
        let before = self.relation.read(held, span);
        let other = if is_weak { Binary::Or } else { Binary::And };
        let kept = match f {
            Some(f) => self.binary(other, f, before, span)?,
            None => before,
        };
        let now = self.binary(connective, g, kept, span)?;
        self.relation.next.push(Definition { variable: held, value: now, span });
        Ok(now)
    }

    /// A hidden variable that begins so.
    fn history(&mut self, at_first: bool, span: Span) -> VariableId {
        let name = format!("_past_{}_", self.relation.variables.len());
        let held = self.relation.declare(name, Kind::State, Domain::Bool, span);
        self.relation.variables[held.0 as usize].hidden = true;
        let value = self.relation.terms.bool(at_first, span);
        self.relation.initially.push(Definition { variable: held, value, span });
        held
    }
}

fn condition(term: TermId, fails: TermId) -> Value {
    Value::Run(Rc::new(Measured { formula: Formula::Atom(term), depth: 2, size: 2, fails }))
}

fn mixed(sign: &str) -> Value {
    let why = format!("the past operator `{sign}` over formulas of the future is not supported");
    Value::Unsupported(why.into())
}
