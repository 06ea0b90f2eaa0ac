//! Priorities of processes.
//!
//! A process takes a step only where no process of greater priority could take one. What
//! the others could do is an expression over their locations, guards and `provided`
//! clauses, and a part of every guard; so a priority counts within `atomic` too, where a
//! process that is outranked loses control, but not within a `d_step`. A process that waits
//! for `timeout` is asked with the value `timeout` has where the question is asked.
//!
//! `run` gives the priority that is written there, or 1: what its process type says holds
//! for processes that are there from the start. Where nothing assigns priorities and all
//! processes of a type are started with the same one, it is a number; elsewhere it is a
//! variable of the process, and of the state.
//!
//! SPIN has no priorities beside rendezvous channels.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::Span;
use homing_ir::network::{
    Binary as Op, ChannelKind, Expr, ExprKind as Kind, Lifetime, Place, Statement,
    StatementKind as Do, Storage as Keep, Type, Unary as Op1, Variable, VariableId,
};

use super::super::syntax::{self, Program};
use super::expression::{binary, unary};
use super::{Context, Lowering, int, truth, visit};

/// The name of a process's priority.
pub(super) const NAME: &str = "_priority";

/// The priority of a process that is given none.
const USUAL: i64 = 1;

/// What a process's priority is.
#[derive(Clone, Copy, Debug)]
enum Rank {
    Fixed(i64),
    Kept(VariableId),
}

/// The priorities of a program.
#[derive(Debug, Default)]
pub(super) struct Priorities {
    /// What every `run` says: a process type, and the priority if there is one.
    runs: Vec<(String, Option<syntax::Expr>)>,
    /// By the positions of instances; the usual one where there are none.
    ranks: Vec<Rank>,
    /// Where values are compared with what a priority may be.
    checked: Option<VariableId>,
    /// Whether a process is outranked, by the position of its instance and the value of
    /// `timeout`.
    known: BTreeMap<(usize, Option<bool>), Expr>,
}

impl Priorities {
    pub(super) fn of(program: &Program) -> Priorities {
        Priorities { runs: visit::runs(program), ..Priorities::default() }
    }
}

impl Lowering<'_> {
    /// Gives every process its priority. Comes behind all other parameters of processes.
    pub(super) fn priorities(&mut self) {
        let first: Vec<i64> = (0..self.types.len()).map(|ty| self.declared(ty)).collect();
        let given = self.given();
        let change = self.assigned.contains(NAME);
        let usual = |given: &BTreeSet<i64>| given.iter().all(|priority| *priority == USUAL);
        let there = |at: usize| self.types[at].ast.active.is_some();
        let all_usual = (0..first.len()).all(|ty| first[ty] == USUAL || !there(ty))
            && given.values().all(usual);
        if all_usual && !change {
            return;
        }
        if let Some(channel) =
            self.network.channels.iter().find(|channel| channel.kind == ChannelKind::Rendezvous)
        {
            let span = channel.span;
            let message = "a rendezvous channel beside priorities of processes: SPIN has no \
                           such programs";
            return self.fail(message, span);
        }
        for at in 0..self.instances.len() {
            let (process, ty) = (self.instances[at].process, self.instances[at].ty);
            let permanent = self.network.processes[process.index()].lifetime == Lifetime::Permanent;
            let started = given.get(&ty);
            let only = started.filter(|given| given.len() == 1).and_then(|given| given.first());
            let rank = match (permanent, only) {
                (true, _) if !change => Rank::Fixed(first[ty]),
                (false, Some(only)) if !change => Rank::Fixed(*only),
                _ => Rank::Kept(self.kept(at, first[ty], permanent)),
            };
            self.priorities.ranks.push(rank);
        }
    }

    /// The priority that processes of a type have which are there from the start.
    fn declared(&mut self, ty: usize) -> i64 {
        match self.types[ty].ast.priority.clone() {
            Some(priority) => self.valid(&priority),
            None => USUAL,
        }
    }

    /// The priorities that processes are started with, by their types.
    fn given(&mut self) -> BTreeMap<usize, BTreeSet<i64>> {
        let mut given: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
        for (name, priority) in std::mem::take(&mut self.priorities.runs) {
            let Some(ty) = self.types.iter().position(|ty| ty.ast.name.text == name) else {
                continue;
            };
            let priority = priority.map_or(USUAL, |priority| self.valid(&priority));
            given.entry(ty).or_default().insert(priority);
        }
        given
    }

    fn valid(&mut self, priority: &syntax::Expr) -> i64 {
        match self.constant(priority) {
            Some(value @ 1..=255) => value,
            Some(value) => {
                self.fail(format!("a priority of {value}: 1 to 255 are possible"), priority.span);
                USUAL
            }
            None => USUAL,
        }
    }

    /// The variable that holds the priority of a process.
    fn kept(&mut self, at: usize, first: i64, permanent: bool) -> VariableId {
        let process = self.instances[at].process;
        let variable = VariableId(self.network.variables.len() as u32);
        self.network.variables.push(Variable {
            name: NAME.to_string(),
            span: self.network.processes[process.index()].span,
            owner: Some(process),
            ty: Type::wrapping(0, 255),
            initial: vec![if permanent { first } else { 0 }],
            storage: Keep::State,
        });
        if !permanent {
            self.network.processes[process.index()].parameters.push(variable);
        }
        variable
    }

    fn rank(&self, at: usize) -> Rank {
        self.priorities.ranks.get(at).copied().unwrap_or(Rank::Fixed(USUAL))
    }

    /// What `run` gives a process besides its arguments: its priority, where that is kept.
    pub(super) fn given_rank(&mut self, at: usize, run: &syntax::Expr) -> Option<Expr> {
        let syntax::ExprKind::Run { priority, .. } = &run.kind else { return None };
        let Rank::Kept(_) = self.rank(at) else { return None };
        let priority = priority.as_ref().map_or(USUAL, |priority| self.valid(priority));
        Some(int(priority, run.span))
    }

    /// The priority of a process.
    pub(super) fn priority(&self, at: usize, span: Span) -> Expr {
        match self.rank(at) {
            Rank::Fixed(value) => int(value, span),
            Rank::Kept(variable) => {
                Expr::new(Kind::Read(Place { variable, path: Vec::new(), span }), span)
            }
        }
    }

    /// `_priority`, where it is assigned to.
    pub(super) fn priority_place(
        &self,
        reference: &syntax::Reference,
        cx: Context,
    ) -> Option<Place> {
        let [part] = &reference.parts[..] else { return None };
        if part.name.text != NAME || part.index.is_some() {
            return None;
        }
        match (self.scopes.find(cx.scope, NAME, cx.order), self.rank(cx.instance?)) {
            (None, Rank::Kept(variable)) => {
                Some(Place { variable, path: Vec::new(), span: reference.span })
            }
            _ => None,
        }
    }

    /// `get_priority(e)`: 0 where there is no such process.
    pub(super) fn get_priority(
        &mut self,
        pid: &syntax::Expr,
        span: Span,
        cx: Context,
    ) -> Option<Expr> {
        self.of_process(pid, span, cx, &mut |lowering, at| Some(lowering.priority(at, span)))
    }

    /// `set_priority(e, f)`: nothing where there is no such process.
    pub(super) fn set_priority(
        &mut self,
        (pid, value): (&syntax::Expr, &syntax::Expr),
        span: Span,
        cx: Context,
    ) -> Option<Vec<Statement>> {
        let pid = self.try_expr(pid, cx)?;
        let value = self.try_expr(value, cx)?;
        let checked = self.checked();
        let assign = |variable: VariableId, value: Expr| {
            let place = Place { variable, path: Vec::new(), span };
            Statement { kind: Do::Assign(place, value), span }
        };
        let mut chain = Vec::new();
        for at in (0..self.instances.len()).rev() {
            let Rank::Kept(variable) = self.rank(at) else { continue };
            let is = self.is_process(&pid, at, span);
            let set = vec![assign(checked, value.clone()), assign(variable, value.clone())];
            chain = vec![Statement { kind: Do::If(is, set, chain), span }];
        }
        Some(chain)
    }

    /// The variable that takes nothing but priorities.
    fn checked(&mut self) -> VariableId {
        *self.priorities.checked.get_or_insert_with(|| {
            let variable = VariableId(self.network.variables.len() as u32);
            self.network.variables.push(Variable {
                name: "priority".to_string(),
                span: Span::default(),
                owner: None,
                ty: Type::checked(1, 255),
                initial: vec![USUAL],
                storage: Keep::Scratch,
            });
            variable
        })
    }

    /// Whether a process may not move because one of greater priority could.
    pub(super) fn outranked(&mut self, at: usize, timeout: Option<bool>, span: Span) -> Expr {
        if self.priorities.ranks.is_empty() {
            return int(0, span);
        }
        if let Some(known) = self.priorities.known.get(&(at, timeout)) {
            return known.clone();
        }
        let mut any = int(0, span);
        for other in (0..self.instances.len()).filter(|other| *other != at) {
            homing_budget::checkpoint();
            let greater = match (self.rank(other), self.rank(at)) {
                (Rank::Fixed(other), Rank::Fixed(own)) => int(i64::from(other > own), span),
                _ => binary(Op::Gt, self.priority(other, span), self.priority(at, span), span),
            };
            if truth(&greater) == Some(false) {
                continue;
            }
            let moves = self.could_move(other, timeout, span);
            any = binary(Op::Or, any, binary(Op::And, greater, moves, span), span);
        }
        self.priorities.known.insert((at, timeout), any.clone());
        any
    }

    /// Whether a process could move, were it not for priorities.
    pub(super) fn could_move(&mut self, at: usize, timeout: Option<bool>, span: Span) -> Expr {
        let provided = self.provided(at, timeout, span);
        let able = self.asked(span, |lowering| lowering.able(at, timeout, span));
        let able = able.unwrap_or_else(|| int(0, span));
        let running = Expr::new(Kind::Running(self.instances[at].process), span);
        binary(Op::And, running, binary(Op::And, provided, able, span), span)
    }

    /// That a process is not outranked.
    pub(super) fn foremost(&mut self, at: usize, timeout: Option<bool>, span: Span) -> Expr {
        let outranked = self.outranked(at, timeout, span);
        unary(Op1::Not, outranked, span)
    }
}
