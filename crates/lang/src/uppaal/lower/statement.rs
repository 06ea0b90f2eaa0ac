//! Functions as statements, within updates.
//!
//! Their variables live within one step only. A `return` in the middle skips what
//! follows: by structure where one branch of an `if` always returns, else by a flag.
//! Short loops over constants are written out, so that indices become constants.

use homing_ir::Span;
use homing_ir::network::{
    Binary as Op, Expr, ExprKind, Place, Statement as Done, StatementKind as Made, Storage,
    Variable, VariableId,
};

use super::functions::{assigns, some};
use super::scope::{ScopeId, Symbol};
use super::symbolic::first_value;
use super::types::Ty;
use super::value::{Thing, Value};
use super::{Lowering, fold};
use crate::uppaal::syntax::{
    self, Block, Declaration, DeclarationKind, ExprKind as Kind, Function, Name, Statement,
    StatementKind,
};

/// How many statements a loop may become.
const MOST_WRITTEN_OUT: i64 = 100;

/// Whether a statement skips what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    Never,
    Perhaps,
    Always,
}

/// What surrounds a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Flags {
    /// Where the result goes.
    result: Option<Thing>,
    /// Set by `return`, `break` and `continue`, where somebody looks.
    returned: Option<Place>,
    broken: Option<Place>,
    continued: Option<Place>,
}

/// Reads a part of a statement.
type Read<'r, 'a, T> = dyn Fn(&mut Lowering<'a>) -> Option<T> + 'r;

impl<'a> Lowering<'a> {
    /// The body of a function, whose result is stored.
    pub(super) fn body(
        &mut self,
        function: &'a Function,
        result: Option<&Thing>,
        scope: ScopeId,
    ) -> Option<()> {
        let mut flags = Flags { result: result.cloned(), ..Flags::default() };
        if returns_early(&function.body) {
            flags.returned = Some(self.flag(function.name.span)?);
        }
        let outer = std::mem::replace(&mut self.flags, flags);
        let done = self.block(&function.body, scope);
        self.flags = outer;
        done.map(|_| ())
    }

    /// A variable of a function.
    pub(super) fn scratch(&mut self, function: &str, name: &Name, ty: Ty) -> Option<Thing> {
        if matches!(ty.base(), Ty::Clock | Ty::Channel { .. } | Ty::Void) {
            return self.fail("a function has no clocks or channels of its own", name.span);
        }
        let known = self.scratch.entry((self.owner, name.span)).or_default();
        let variable = match known.iter().find(|(of, _)| *of == ty) {
            Some((_, variable)) => *variable,
            None => {
                let variable = VariableId(self.network.variables.len() as u32);
                known.push((ty.clone(), variable));
                let mut initial = Vec::new();
                ty.defaults(&mut initial);
                self.network.variables.push(Variable {
                    name: match function {
                        "" => name.text.clone(),
                        _ if function == name.text => format!("{function}()"),
                        _ => format!("{function}().{}", name.text),
                    },
                    span: name.span,
                    owner: self.owner,
                    ty: ty.network(),
                    initial,
                    storage: Storage::Scratch,
                });
                variable
            }
        };
        Some(Thing::Variable(Place { variable, path: Vec::new(), span: name.span }, ty))
    }

    /// A flag, which is false.
    fn flag(&mut self, span: Span) -> Option<Place> {
        let flag = self.temporary(span);
        self.emit(Made::Assign(flag.clone(), Expr::int(0, span)), span)?;
        Some(flag)
    }

    fn raise(&mut self, flag: Option<Place>, span: Span) -> Option<()> {
        match flag {
            Some(flag) => self.emit(Made::Assign(flag, Expr::int(1, span)), span),
            None => Some(()),
        }
    }

    /// Whether nothing was skipped so far.
    fn going_on(&self, span: Span) -> Expr {
        let flags = [&self.flags.returned, &self.flags.broken, &self.flags.continued];
        let read = |flag: &Place| Expr::new(ExprKind::Read(flag.clone()), span);
        let up = flags.into_iter().flatten().map(read);
        let any = up.fold(Expr::int(0, span), fold::or);
        fold::not(any)
    }

    fn block(&mut self, block: &'a Block, scope: ScopeId) -> Option<Ends> {
        let inner = self.scopes.inside(scope);
        let ends = self.block_inside(block, inner);
        self.scopes.leave(inner);
        ends
    }

    fn block_inside(&mut self, block: &'a Block, scope: ScopeId) -> Option<Ends> {
        for declaration in &block.declarations {
            self.variable_of_block(declaration, scope)?;
        }
        self.sequence(&block.statements, scope)
    }

    fn variable_of_block(&mut self, declaration: &'a Declaration, scope: ScopeId) -> Option<()> {
        match &declaration.kind {
            DeclarationKind::Variable { ty, .. } if self.unchecked_type(ty, scope).is_some() => {
                self.declaration(declaration, scope);
            }
            DeclarationKind::Variable { ty, name, sizes, initial } if !ty.constant => {
                let ty = self.declared_type(ty, sizes, scope)?;
                let thing = self.scratch("", name, ty.clone())?;
                match initial {
                    Some(initial) => {
                        let value = self.initial_value(initial, &ty, scope)?;
                        self.store(&thing, value, declaration.span)?;
                    }
                    None => self.reset(&thing, declaration.span)?,
                }
                self.declare(scope, name, Symbol::Thing(thing));
            }
            DeclarationKind::Variable { ty, name, sizes, initial: Some(initial) } => {
                let ty = self.declared_type(ty, sizes, scope)?;
                let value = self.initial_value(initial, &ty, scope)?;
                let thing = match value.constant() {
                    Some(_) => Thing::Value(value),
                    None => {
                        let thing = self.scratch("", name, ty)?;
                        self.store(&thing, value, declaration.span)?;
                        thing
                    }
                };
                self.declare(scope, name, Symbol::Thing(thing));
            }
            _ => self.declaration(declaration, scope),
        }
        Some(())
    }

    fn sequence(&mut self, statements: &'a [Statement], scope: ScopeId) -> Option<Ends> {
        for (at, statement) in statements.iter().enumerate() {
            let rest = &statements[at + 1..];
            if let StatementKind::If(condition, yes, no) = &statement.kind {
                let no = no.as_deref();
                match self.branch((condition, yes, no), rest, statement.span, scope)? {
                    (Ends::Never, false) => continue,
                    (ends, true) => return Some(ends),
                    (Ends::Always, _) => return Some(Ends::Always),
                    (Ends::Perhaps, false) => return self.rest(rest, statement.span, scope),
                }
            }
            match self.statement(statement, scope)? {
                Ends::Never => {}
                Ends::Always => return Some(Ends::Always),
                Ends::Perhaps => return self.rest(rest, statement.span, scope),
            }
        }
        Some(Ends::Never)
    }

    /// What follows a statement that perhaps skips it.
    fn rest(&mut self, rest: &'a [Statement], span: Span, scope: ScopeId) -> Option<Ends> {
        if rest.is_empty() {
            return Some(Ends::Perhaps);
        }
        let (ends, made) = self.apart(|this| this.sequence(rest, scope))?;
        let condition = self.going_on(span);
        self.emit(Made::If(condition, made, Vec::new()), span)?;
        Some(if ends == Ends::Always { Ends::Always } else { Ends::Perhaps })
    }

    /// An `if`, with what follows it in the branch that goes on, where the other one
    /// does not; tells whether it is.
    fn branch(
        &mut self,
        (condition, yes, no): (&'a syntax::Expr, &'a Statement, Option<&'a Statement>),
        rest: &'a [Statement],
        span: Span,
        scope: ScopeId,
    ) -> Option<(Ends, bool)> {
        let value = self.expr(condition, scope)?;
        let condition = self.without_clocks(value, condition.span)?;
        match fold::constant(&condition) {
            Some(0) => {
                let ends = no.map_or(Some(Ends::Never), |no| self.statement(no, scope))?;
                return Some((ends, false));
            }
            Some(_) => return Some((self.statement(yes, scope)?, false)),
            None => {}
        }
        let (first, mut made) = self.apart(|this| this.statement(yes, scope))?;
        let (second, mut other) = match no {
            Some(no) => self.apart(|this| this.statement(no, scope))?,
            None => (Ends::Never, Vec::new()),
        };
        let (ends, taken) = match (first, second) {
            (Ends::Never, Ends::Never) => (Ends::Never, false),
            (Ends::Always, Ends::Always) => (Ends::Always, true),
            (Ends::Always, Ends::Never) => (self.appended(&mut other, rest, scope)?, true),
            (Ends::Never, Ends::Always) => (self.appended(&mut made, rest, scope)?, true),
            _ => (Ends::Perhaps, false),
        };
        self.emit(Made::If(condition, made, other), span)?;
        Some((ends, taken))
    }

    fn appended(
        &mut self,
        block: &mut Vec<Done>,
        rest: &'a [Statement],
        scope: ScopeId,
    ) -> Option<Ends> {
        let (ends, made) = self.apart(|this| this.sequence(rest, scope))?;
        block.extend(made);
        Some(if ends == Ends::Always { Ends::Always } else { Ends::Perhaps })
    }

    fn statement(&mut self, statement: &'a Statement, scope: ScopeId) -> Option<Ends> {
        let span = statement.span;
        self.spend(span)?;
        match &statement.kind {
            StatementKind::Empty => Some(Ends::Never),
            StatementKind::Expression(expr) => {
                self.perform(expr, scope)?;
                Some(Ends::Never)
            }
            StatementKind::Block(block) => self.block(block, scope),
            StatementKind::If(condition, yes, no) => {
                let parts = (condition, yes.as_ref(), no.as_deref());
                Some(self.branch(parts, &[], span, scope)?.0)
            }
            StatementKind::While(condition, body) => {
                let asked = |this: &mut Self| this.asked(Some(condition), span, scope);
                self.round(&asked, None, body, span, scope)
            }
            StatementKind::DoWhile(body, condition) => {
                let ends = self.statement(body, scope)?;
                if ends != Ends::Never {
                    return self.fail("`do` with a jump in it is not supported", span);
                }
                let asked = |this: &mut Self| this.asked(Some(condition), span, scope);
                self.round(&asked, None, body, span, scope)
            }
            StatementKind::For(first, condition, step, body) => {
                let condition = condition.as_ref();
                if self.written_out(first.as_ref(), condition, step.as_ref(), body, scope)? {
                    return Some(Ends::Never);
                }
                if let Some(first) = first {
                    self.perform(first, scope)?;
                }
                let asked = |this: &mut Self| this.asked(condition, span, scope);
                match step {
                    Some(step) => {
                        let step = |this: &mut Self| this.perform(step, scope);
                        self.round(&asked, Some(&step), body, span, scope)
                    }
                    None => self.round(&asked, None, body, span, scope),
                }
            }
            StatementKind::Each(name, ty, body) => self.each(name, ty, body, span, scope),
            StatementKind::Return(value) => {
                if let (Some(value), Some(result)) = (value, self.flags.result.clone()) {
                    let found = self.expr(value, scope)?;
                    self.store(&result, found, span)?;
                }
                self.raise(self.flags.returned.clone(), span)?;
                Some(Ends::Always)
            }
            StatementKind::Assert(condition) => {
                let value = self.expr(condition, scope)?;
                let condition = self.without_clocks(value, condition.span)?;
                self.emit(Made::Assert(condition), span)?;
                Some(Ends::Never)
            }
            StatementKind::Break => {
                self.raise(self.flags.broken.clone(), span)?;
                Some(Ends::Always)
            }
            StatementKind::Continue => {
                self.raise(self.flags.continued.clone(), span)?;
                Some(Ends::Always)
            }
        }
    }

    /// A loop. The condition and the step are read where they are needed.
    fn round(
        &mut self,
        condition: &Read<'_, 'a, Expr>,
        step: Option<&Read<'_, 'a, ()>>,
        body: &'a Statement,
        span: Span,
        scope: ScopeId,
    ) -> Option<Ends> {
        let jumps = |wanted: fn(&StatementKind) -> bool| within(body, wanted);
        let outer = (self.flags.broken.take(), self.flags.continued.take());
        if jumps(|kind| matches!(kind, StatementKind::Break)) {
            self.flags.broken = Some(self.flag(span)?);
        }
        if jumps(|kind| matches!(kind, StatementKind::Continue)) {
            self.flags.continued = Some(self.flag(span)?);
        }
        let found = self.rounds(condition, step, body, span, scope);
        (self.flags.broken, self.flags.continued) = outer;
        found?;
        let returns = jumps(|kind| matches!(kind, StatementKind::Return(_)));
        Some(if returns { Ends::Perhaps } else { Ends::Never })
    }

    fn rounds(
        &mut self,
        condition: &Read<'_, 'a, Expr>,
        step: Option<&Read<'_, 'a, ()>>,
        body: &'a Statement,
        span: Span,
        scope: ScopeId,
    ) -> Option<()> {
        let continued = self.flags.continued.take();
        let go_on = self.going_on(span);
        self.flags.continued.clone_from(&continued);
        let (condition, before) = self.apart(condition)?;
        let (_, mut made) = self.apart(|this| this.statement(body, scope))?;
        if let Some(flag) = continued {
            let lowered = Made::Assign(flag, Expr::int(0, span));
            made.push(Done { kind: lowered, span });
            self.flags.continued = None;
        }
        if let Some(step) = step {
            let (_, last) = self.apart(step)?;
            let skipped = self.flags.returned.is_some() || self.flags.broken.is_some();
            match skipped {
                true => {
                    let kind = Made::If(self.going_on(span), last, Vec::new());
                    made.push(Done { kind, span });
                }
                false => made.extend(last),
            }
        }
        if before.is_empty() {
            return self.emit(Made::While(fold::and(go_on, condition), made), span);
        }
        // Reading the condition changes things: it is read before every round.
        let held = self.temporary(span);
        let keep = Done { kind: Made::Assign(held.clone(), condition), span };
        for statement in before.iter().chain([&keep]) {
            self.emit(statement.kind.clone(), statement.span)?;
        }
        made.extend(before);
        made.push(keep);
        let held = Expr::new(ExprKind::Read(held), span);
        self.emit(Made::While(fold::and(go_on, held), made), span)
    }

    /// The condition of a loop.
    fn asked(
        &mut self,
        condition: Option<&'a syntax::Expr>,
        span: Span,
        scope: ScopeId,
    ) -> Option<Expr> {
        let Some(condition) = condition else { return Some(Expr::int(1, span)) };
        let value = self.expr(condition, scope)?;
        self.without_clocks(value, condition.span)
    }

    /// `for (x : T)`.
    fn each(
        &mut self,
        name: &'a Name,
        ty: &'a syntax::Type,
        body: &'a Statement,
        span: Span,
        scope: ScopeId,
    ) -> Option<Ends> {
        let (over, lo, hi) = self.values(ty, scope)?;
        if (hi - lo + 1) * length(body) <= MOST_WRITTEN_OUT && !within(body, jumps) {
            for value in lo..=hi {
                let inner = self.bound(name, value, &over, scope);
                let done = self.statement(body, inner);
                self.scopes.leave(inner);
                done?;
            }
            return Some(Ends::Never);
        }
        let thing = self.scratch("", name, Ty::Int { lo, hi: hi + 1 })?;
        self.store(&thing, Value::int(lo, span), span)?;
        let inner = self.scopes.inside(scope);
        let seen = match (&thing, &over) {
            (Thing::Variable(place, _), Ty::Scalar { .. }) => Thing::Variable(place.clone(), over),
            _ => thing.clone(),
        };
        self.declare(inner, name, Symbol::Thing(seen));
        let more = |this: &mut Self| {
            let counter = this.read(thing.clone(), span)?;
            let condition = this.apply(Op::Le.into(), counter, Value::int(hi, span), span)?;
            this.plain(condition, span)
        };
        let step = |this: &mut Self| {
            let counter = this.read(thing.clone(), span)?;
            let next = this.apply(Op::Add.into(), counter, Value::int(1, span), span)?;
            this.store(&thing, next, span)
        };
        let ends = self.round(&more, Some(&step), body, span, inner);
        self.scopes.leave(inner);
        ends
    }

    /// Writes a loop out whose counter runs over constants, if it is short.
    fn written_out(
        &mut self,
        first: Option<&'a syntax::Expr>,
        condition: Option<&'a syntax::Expr>,
        step: Option<&'a syntax::Expr>,
        body: &'a Statement,
        scope: ScopeId,
    ) -> Option<bool> {
        let (Some(first), Some(condition), Some(step)) = (first, condition, step) else {
            return Some(false);
        };
        let Kind::Assign(None, place, start) = &first.kind else { return Some(false) };
        let Kind::Name(counter) = &place.kind else { return Some(false) };
        let own = Block { declarations: Vec::new(), statements: vec![body.clone()] };
        if assigns(&own, counter) || within(body, jumps) {
            return Some(false);
        }
        let thing = match self.scopes.find(scope, counter) {
            Some(Symbol::Thing(thing @ Thing::Variable(place, ty)))
                if !ty.is_aggregate()
                    && self.network.variables[place.variable.index()].storage
                        == Storage::Scratch =>
            {
                thing.clone()
            }
            _ => return Some(false),
        };
        let name = Name { text: counter.clone(), span: place.span };
        let Some(mut value) = self.quietly(|this| this.number(start, scope)) else {
            return Some(false);
        };
        // The values that the counter takes, should they be known.
        let mut values = Vec::new();
        loop {
            let inner = self.bound(&name, value, &Ty::Int { lo: value, hi: value }, scope);
            let more = self.quietly(|this| this.number(condition, inner));
            self.scopes.leave(inner);
            match more {
                Some(0) => break,
                Some(_) => values.push(value),
                None => return Some(false),
            }
            if values.len() as i64 * length(body) > MOST_WRITTEN_OUT {
                return Some(false);
            }
            value = match &step.kind {
                Kind::Step { increment, place, .. } if is_name(place, counter) => {
                    value + if *increment { 1 } else { -1 }
                }
                _ => return Some(false),
            };
        }
        for value in values {
            let inner = self.bound(&name, value, &Ty::Int { lo: value, hi: value }, scope);
            let done = self.statement(body, inner);
            self.scopes.leave(inner);
            done?;
        }
        let last = first_value(&Ty::Int { lo: value, hi: value }, place.span);
        self.store(&thing, last, place.span)?;
        Some(true)
    }

    /// What `read` finds, if it does, without a word.
    pub(super) fn quietly<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let found = read(self);
        self.quiet = quiet;
        found
    }
}

fn is_name(place: &syntax::Expr, name: &str) -> bool {
    matches!(&place.kind, Kind::Name(found) if found == name)
}

fn jumps(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue)
}

/// Whether a statement, or one within it, is as described.
fn within(statement: &Statement, wanted: impl Fn(&StatementKind) -> bool) -> bool {
    let block = Block { declarations: Vec::new(), statements: vec![statement.clone()] };
    some(&block, wanted)
}

/// How many statements a statement has within it.
fn length(statement: &Statement) -> i64 {
    let count = std::cell::Cell::new(0);
    within(statement, |_| {
        count.set(count.get() + 1);
        false
    });
    count.get()
}

/// Whether a `return` stands elsewhere than at the end.
fn returns_early(body: &Block) -> bool {
    let Some((last, before)) = body.statements.split_last() else { return false };
    let is_return = |kind: &StatementKind| matches!(kind, StatementKind::Return(_));
    before.iter().any(|statement| within(statement, is_return))
        || (!is_return(&last.kind) && within(last, is_return))
}
