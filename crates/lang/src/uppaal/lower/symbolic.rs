//! Functions computed as expressions, for guards, invariants and queries.
//!
//! A call is executed with its variables holding expressions over the state. Where a
//! condition is not known, both ways are executed, and what differs afterwards is
//! joined by a choice (King, Symbolic execution and program testing, CACM 1976, with
//! states merged behind every branch):
//!
//! ```text
//! if (c) A else B      run A and B from the same state; x := c ? x_A : x_B
//! while (c) A          while c is known, run A; else if (c) { A; while (c) A }
//! return e             result := e, returned := true; what follows runs as if it
//!                      were false, and counts only where it is
//! ```
//!
//! Loops end because what is known of the types decides their conditions sooner or
//! later: `i < n` is false for `i = 5` where `n` is at most 5. Those that do not, and
//! expressions that grow too large, are refused. Ranges of the function's own
//! variables are not checked.

use homing_ir::Span;
use homing_ir::network::Expr;

use super::Lowering;
use super::fold;
use super::scope::{ScopeId, Symbol};
use super::types::Ty;
use super::value::{Thing, Value};
use crate::uppaal::syntax::{
    Block, Declaration, DeclarationKind, Function, Initial, Statement, StatementKind as Kind,
};

/// How often a loop may go round while its condition is not known.
const MOST_UNKNOWN_ROUNDS: u32 = 130;
/// How often a loop may go round at all.
const MOST_ROUNDS: u32 = 100_000;
/// How many nodes the value of a variable may have.
const MOST_NODES: usize = 8_000;

/// The variables of the functions that are being computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub locals: Vec<Local>,
    /// Counts assignments.
    pub changes: u64,
    returned: Option<Expr>,
    broken: Option<Expr>,
    continued: Option<Expr>,
    result: Option<(Value, u64)>,
}

#[derive(Clone, Debug)]
pub(super) struct Local {
    pub value: Value,
    /// When it was assigned last.
    version: u64,
}

impl Frame {
    fn add(&mut self, value: Value) -> usize {
        self.changes += 1;
        self.locals.push(Local { value, version: self.changes });
        self.locals.len() - 1
    }

    pub(super) fn set(&mut self, slot: usize, value: Value) {
        self.changes += 1;
        let local = &mut self.locals[slot];
        (local.value, local.version) = (value, self.changes);
    }

    /// Whether one of the first variables was assigned since.
    pub(super) fn touched(&self, locals: usize, since: u64) -> bool {
        self.locals.iter().take(locals).any(|local| local.version > since)
    }

    /// Whether the rest of a block is skipped.
    fn stopped(&self, span: Span) -> Expr {
        let flags = [&self.returned, &self.broken, &self.continued];
        let none = Expr::int(0, span);
        flags.into_iter().flatten().fold(none, |any, flag| fold::or(any, flag.clone()))
    }
}

impl<'a> Lowering<'a> {
    /// The value of a call. The scope holds what parameters are bound to.
    pub(super) fn computed(
        &mut self,
        function: &'a Function,
        ty: &Ty,
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let depth = self.frame.locals.len();
        let frame = &mut self.frame;
        let outer = (
            frame.returned.take(),
            frame.broken.take(),
            frame.continued.take(),
            frame.result.take(),
        );
        let done = self.run_block(&function.body, scope);
        let frame = &mut self.frame;
        let (returned, result) = (frame.returned.take(), frame.result.take());
        (frame.returned, frame.broken, frame.continued, frame.result) = outer;
        frame.locals.truncate(depth);
        done?;
        match ty {
            Ty::Void => return Some(Value::Nothing),
            Ty::Unchecked(why) => return self.looked_at(*why, span),
            _ => {}
        }
        let always = returned.and_then(|flag| fold::decided(&self.network, &flag));
        match result {
            Some((value, _)) if always != Some(false) => self.converted(value, ty, span),
            _ => {
                let name = &function.name.text;
                self.fail(format!("`{name}` may end without returning a value"), span)
            }
        }
    }

    /// A variable of a function that is being computed.
    pub(super) fn local(&mut self, value: Value, ty: Ty) -> Thing {
        let slot = self.frame.add(value);
        Thing::Local(slot, Vec::new(), ty)
    }

    /// What a variable holds is not too large.
    pub(super) fn bounded(&mut self, slot: usize, span: Span) -> Option<()> {
        let mut open = vec![&self.frame.locals[slot].value];
        let mut size = 0;
        while let Some(value) = open.pop() {
            match value {
                Value::Number(expr, _) | Value::Scalar(expr, _) => size += fold::measure(expr).0,
                Value::Parts(parts, _) => open.extend(parts),
                _ => size += 1,
            }
        }
        // Measuring is work, too.
        self.work = self.work.saturating_add(size as u32 / 8);
        match size {
            0..=MOST_NODES => Some(()),
            _ => self.fail("what this function computes is too large an expression", span),
        }
    }

    fn run_block(&mut self, block: &'a Block, scope: ScopeId) -> Option<()> {
        let inner = self.scopes.inside(scope);
        let done = self.run_inside(block, inner);
        self.scopes.leave(inner);
        done
    }

    fn run_inside(&mut self, block: &'a Block, scope: ScopeId) -> Option<()> {
        for declaration in &block.declarations {
            self.run_declaration(declaration, scope)?;
        }
        self.run_all(&block.statements, scope)
    }

    fn run_declaration(&mut self, declaration: &'a Declaration, scope: ScopeId) -> Option<()> {
        match &declaration.kind {
            DeclarationKind::Variable { ty, name, sizes, initial } => {
                let ty = self.declared_type(ty, sizes, scope)?;
                if let Ty::Unchecked(why) = ty {
                    let thing = Thing::Value(Value::Unchecked(why));
                    self.declare(scope, name, Symbol::Thing(thing));
                    return Some(());
                }
                if matches!(ty.base(), Ty::Clock | Ty::Channel { .. } | Ty::Void) {
                    return self.fail("a function has no clocks or channels", name.span);
                }
                let value = match initial {
                    Some(initial) => self.initial_value(initial, &ty, scope)?,
                    None => first_value(&ty, name.span),
                };
                let thing = self.local(value, ty);
                self.declare(scope, name, Symbol::Thing(thing));
                Some(())
            }
            _ => {
                self.declaration(declaration, scope);
                Some(())
            }
        }
    }

    /// The value of an initialiser, which need not be constant.
    pub(super) fn initial_value(
        &mut self,
        initial: &Initial,
        ty: &Ty,
        scope: ScopeId,
    ) -> Option<Value> {
        match initial {
            Initial::Value(expr) => {
                let value = self.expr(expr, scope)?;
                self.converted(value, ty, expr.span)
            }
            Initial::List(list, span) => {
                if list.len() != ty.parts() {
                    let message = format!("{} values where {} are needed", list.len(), ty.parts());
                    return self.fail(message, *span);
                }
                let mut parts = vec![Value::Nothing; list.len()];
                for (at, (name, initial)) in list.iter().enumerate() {
                    let at = self.place_in(ty, name.as_ref(), at)?;
                    let part = ty.part(at).cloned().unwrap_or(Ty::Void);
                    parts[at] = self.initial_value(initial, &part, scope)?;
                }
                Some(Value::Parts(parts, ty.clone()))
            }
        }
    }

    fn run_all(&mut self, statements: &'a [Statement], scope: ScopeId) -> Option<()> {
        for (at, statement) in statements.iter().enumerate() {
            let stopped = self.frame.stopped(statement.span);
            match fold::decided(&self.network, &stopped) {
                Some(true) => return Some(()),
                Some(false) => self.run(statement, scope)?,
                None => {
                    let rest = &statements[at..];
                    let go_on = fold::not(stopped);
                    return self.either(
                        &go_on,
                        statement.span,
                        |this| this.on().run_all(rest, scope),
                        |this| this.off(statement.span),
                    );
                }
            }
        }
        Some(())
    }

    fn run(&mut self, statement: &'a Statement, scope: ScopeId) -> Option<()> {
        let span = statement.span;
        self.spend(span)?;
        match &statement.kind {
            Kind::Empty => Some(()),
            Kind::Expression(expr) => self.perform(expr, scope),
            Kind::Block(block) => self.run_block(block, scope),
            Kind::If(condition, yes, no) => {
                let value = self.expr(condition, scope)?;
                let condition = self.without_clocks(value, condition.span)?;
                match fold::decided(&self.network, &condition) {
                    Some(true) => self.run(yes, scope),
                    Some(false) => no.as_ref().map_or(Some(()), |no| self.run(no, scope)),
                    None => self.either(
                        &condition,
                        span,
                        |this| this.run(yes, scope),
                        |this| no.as_ref().map_or(Some(()), |no| this.run(no, scope)),
                    ),
                }
            }
            Kind::While(condition, body) => {
                let condition = Some(condition);
                self.run_loop(Round { condition, step: None, body, entered: false }, span, scope)
            }
            Kind::DoWhile(body, condition) => {
                let condition = Some(condition);
                self.run_loop(Round { condition, step: None, body, entered: true }, span, scope)
            }
            Kind::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.perform(first, scope)?;
                }
                let (condition, step) = (condition.as_ref(), step.as_ref());
                self.run_loop(Round { condition, step, body, entered: false }, span, scope)
            }
            Kind::Each(name, ty, body) => {
                let values = self.values(ty, scope)?;
                self.run_each(name, values, body, scope)
            }
            Kind::Return(value) => {
                if let Some(value) = value {
                    let found = self.expr(value, scope)?;
                    if matches!(found, Value::Clocks(_)) {
                        return self.fail("a function cannot return a clock", value.span);
                    }
                    self.frame.changes += 1;
                    self.frame.result = Some((found, self.frame.changes));
                }
                self.frame.returned = Some(Expr::int(1, span));
                Some(())
            }
            Kind::Assert(_) => self.fail("an assertion where nothing can be asserted", span),
            Kind::Break => {
                self.frame.broken = Some(Expr::int(1, span));
                Some(())
            }
            Kind::Continue => {
                self.frame.continued = Some(Expr::int(1, span));
                Some(())
            }
        }
    }

    fn run_each(
        &mut self,
        name: &'a crate::uppaal::syntax::Name,
        (ty, lo, hi): (Ty, i64, i64),
        body: &'a Statement,
        scope: ScopeId,
    ) -> Option<()> {
        for value in lo..=hi {
            self.frame.continued = None;
            let stopped = self.frame.stopped(body.span);
            let known = fold::decided(&self.network, &stopped);
            if known == Some(true) {
                break;
            }
            let inner = self.bound(name, value, &ty, scope);
            let done = match known {
                Some(_) => self.run(body, inner),
                None => {
                    let go_on = fold::not(stopped);
                    self.either(
                        &go_on,
                        body.span,
                        |this| this.on().run(body, inner),
                        |this| this.off(body.span),
                    )
                }
            };
            self.scopes.leave(inner);
            done?;
        }
        (self.frame.broken, self.frame.continued) = (None, None);
        Some(())
    }

    fn run_loop(&mut self, round: Round<'a>, span: Span, scope: ScopeId) -> Option<()> {
        self.run_rounds(round, span, scope, MOST_UNKNOWN_ROUNDS)?;
        (self.frame.broken, self.frame.continued) = (None, None);
        Some(())
    }

    /// Goes round as often as the loop does, at most so often without knowing.
    fn run_rounds(
        &mut self,
        round: Round<'a>,
        span: Span,
        scope: ScopeId,
        unknown: u32,
    ) -> Option<()> {
        let mut exits = Vec::new();
        let done = self.rounds_until(round, span, scope, unknown, &mut exits);
        for (returned, result) in exits.into_iter().rev() {
            self.exited(returned, result, span);
        }
        done
    }

    /// Goes round as if nothing had returned, and tells where something had.
    fn rounds_until(
        &mut self,
        round: Round<'a>,
        span: Span,
        scope: ScopeId,
        unknown: u32,
        exits: &mut Vec<(Expr, Option<(Value, u64)>)>,
    ) -> Option<()> {
        let again = |entered| Round { entered, ..round };
        for rounds in 0..MOST_ROUNDS {
            let go_on = match round.condition {
                Some(condition) if rounds > 0 || !round.entered => {
                    let value = self.expr(condition, scope)?;
                    self.without_clocks(value, condition.span)?
                }
                _ => Expr::int(1, span),
            };
            match fold::decided(&self.network, &go_on) {
                Some(false) => return Some(()),
                Some(true) => {}
                None if unknown == 0 => break,
                None => {
                    return self.either(
                        &go_on,
                        span,
                        |this| this.run_rounds(again(true), span, scope, unknown - 1),
                        |_| Some(()),
                    );
                }
            }
            self.run(round.body, scope)?;
            self.frame.continued = None;
            if let Some(returned) = self.frame.returned.take() {
                let always = fold::decided(&self.network, &returned) == Some(true);
                exits.push((returned, self.frame.result.clone()));
                if always {
                    return Some(());
                }
            }
            let broken = self.frame.broken.take();
            match broken.as_ref().map(|broken| fold::decided(&self.network, broken)) {
                Some(Some(true)) => return Some(()),
                Some(None) if unknown == 0 => break,
                Some(None) => {
                    return self.either(
                        &fold::not(broken?),
                        span,
                        |this| {
                            this.run_step(round, scope)?;
                            this.run_rounds(again(false), span, scope, unknown - 1)
                        },
                        |_| Some(()),
                    );
                }
                _ => self.run_step(round, scope)?,
            }
        }
        self.fail("how often this loop goes round is not known where the function is used", span)
    }

    fn run_step(&mut self, round: Round<'a>, scope: ScopeId) -> Option<()> {
        round.step.map_or(Some(()), |step| self.perform(step, scope))
    }

    /// Before all that has happened since, the function had returned where this is
    /// true.
    fn exited(&mut self, returned: Expr, result: Option<(Value, u64)>, span: Span) {
        self.frame.result = match (result, self.frame.result.take()) {
            (Some((a, x)), Some((b, y))) if x != y => {
                self.frame.changes += 1;
                let version = self.frame.changes;
                Some((self.merged(&returned, a, b, span), version))
            }
            (a, b) => a.or(b),
        };
        let since = self.frame.returned.take().unwrap_or(Expr::int(0, span));
        self.frame.returned = Some(fold::or(returned, since));
    }

    /// A condition that does not depend on clocks.
    pub(super) fn without_clocks(&mut self, value: Value, span: Span) -> Option<Expr> {
        match self.condition(value, span)? {
            (condition, None) => Some(condition),
            _ => self.fail("a function cannot look at clocks", span),
        }
    }

    /// Where a rest runs, nothing has stopped it.
    fn on(&mut self) -> &mut Self {
        let frame = &mut self.frame;
        (frame.returned, frame.broken, frame.continued) = (None, None, None);
        self
    }

    /// Where a rest is skipped because the function has returned, it has returned.
    fn off(&mut self, span: Span) -> Option<()> {
        let frame = &mut self.frame;
        if frame.broken.is_none() && frame.continued.is_none() {
            frame.returned = Some(Expr::int(1, span));
        }
        Some(())
    }

    /// Runs both ways from the same state, and joins what they lead to.
    fn either(
        &mut self,
        condition: &Expr,
        span: Span,
        yes: impl FnOnce(&mut Self) -> Option<()>,
        no: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        let start = self.frame.clone();
        yes(self)?;
        let mut other = Frame { changes: self.frame.changes, ..start };
        std::mem::swap(&mut self.frame, &mut other);
        no(self)?;
        // Now `other` is where `yes` led. Behind a `return` variables do not matter.
        let returned = |flag: &Option<Expr>| flag.as_ref().and_then(fold::constant) == Some(1);
        if returned(&self.frame.returned) {
            self.frame.locals.clone_from(&other.locals);
        }
        let same = returned(&other.returned) || returned(&self.frame.returned);
        for slot in 0..self.frame.locals.len().min(other.locals.len()) {
            if !same && self.frame.locals[slot].version != other.locals[slot].version {
                let yes = other.locals[slot].value.clone();
                let no = self.frame.locals[slot].value.clone();
                let joined = self.merged(condition, yes, no, span);
                self.frame.set(slot, joined);
                self.bounded(slot, span)?;
            }
        }
        self.frame.result = match (other.result, self.frame.result.take()) {
            (Some((a, x)), Some((b, y))) if x != y => {
                self.frame.changes += 1;
                let version = self.frame.changes;
                Some((self.merged(condition, a, b, span), version))
            }
            (a, b) => a.or(b),
        };
        let flag = |yes: Option<Expr>, no: Option<Expr>| match (yes, no) {
            (None, None) => None,
            (yes, no) => {
                let [yes, no] = [yes, no].map(|flag| flag.unwrap_or(Expr::int(0, span)));
                Some(fold::choose(condition.clone(), yes, no, span))
            }
        };
        let frame = &mut self.frame;
        frame.returned = flag(other.returned, frame.returned.take());
        frame.broken = flag(other.broken, frame.broken.take());
        frame.continued = flag(other.continued, frame.continued.take());
        Some(())
    }
}

/// What a loop repeats.
#[derive(Clone, Copy)]
struct Round<'a> {
    condition: Option<&'a crate::uppaal::syntax::Expr>,
    step: Option<&'a crate::uppaal::syntax::Expr>,
    body: &'a Statement,
    /// Whether its condition was found true already.
    entered: bool,
}

/// What a variable holds before it is assigned.
pub(super) fn first_value(ty: &Ty, span: Span) -> Value {
    if ty.is_aggregate() {
        let parts = (0..ty.parts()).filter_map(|at| ty.part(at));
        return Value::Parts(parts.map(|part| first_value(part, span)).collect(), ty.clone());
    }
    let mut first = Vec::new();
    ty.defaults(&mut first);
    let value = Expr::int(first.first().copied().unwrap_or(0), span);
    Value::of(value, ty)
}
