//! What is asked about processes: `pc_value`, `enabled`; in claims `np_`, `timeout`, `_nr_pr`.

use homing_ir::network::{
    Binary as Op, ChannelKind, Expr, ExprKind as Kind, Failure, LocationId, Unary as Op1,
};
use homing_ir::{Diagnostic, Span};

use super::super::syntax;
use super::expression::{binary, choose, unary};
use super::{Context, Instance, Lowering, int, truth};

/// What is said of the process at a position.
type Answer<'a, 'l> = dyn FnMut(&mut Lowering<'l>, usize) -> Option<Expr> + 'a;

impl<'l> Lowering<'l> {
    /// `_nr_pr` in a claim: SPIN's claims are processes, and count.
    pub(super) fn running_beside(&mut self, span: Span) -> Expr {
        let message = "`_nr_pr` counts the claim itself here, as in SPIN";
        self.reports.add(Diagnostic::warning(message, span));
        let others = self.running(span);
        binary(Op::Add, others, int(1, span), span)
    }

    /// `pc_value(e)`: the state number of a process.
    pub(super) fn pc_value(&mut self, pid: &syntax::Expr, span: Span, cx: Context) -> Option<Expr> {
        self.of_process(pid, span, cx, &mut |lowering, at| {
            let instance = lowering.instances[at].clone();
            let locations = lowering.types[instance.ty].locations.iter();
            Some(locations.fold(int(0, span), |otherwise, (number, location)| {
                choose(
                    stays(&instance, *location, span),
                    int(i64::from(*number), span),
                    otherwise,
                    span,
                )
            }))
        })
    }

    /// `enabled(e)`: whether a process can do something, whatever `provided` and priorities
    /// say. A process that asks it of itself makes an error.
    pub(super) fn enabled(&mut self, pid: &syntax::Expr, span: Span, cx: Context) -> Option<Expr> {
        let rendezvous = |kind: &ChannelKind| matches!(kind, ChannelKind::Rendezvous);
        if self.network.channels.iter().any(|channel| rendezvous(&channel.kind)) {
            self.fail("`enabled` cannot be asked beside rendezvous channels", span);
            return None;
        }
        self.of_process(pid, span, cx, &mut |lowering, at| {
            if cx.instance == Some(at) {
                return Some(Expr::new(Kind::Fail(Failure::AsksOfItself), span));
            }
            let timeout = cx.timeout.or(Some(false));
            lowering.asked(span, |lowering| lowering.able(at, timeout, span))
        })
    }

    /// Finds out what a process can do, unless that is being found out already. SPIN's
    /// verifier goes wrong there: it executes what it should look at.
    pub(super) fn asked(
        &mut self,
        span: Span,
        ask: impl FnOnce(&mut Self) -> Expr,
    ) -> Option<Expr> {
        if self.asking {
            self.fail("`enabled` is asked of a process, or beside priorities, that uses it", span);
            return None;
        }
        self.asking = true;
        let answer = ask(self);
        self.asking = false;
        Some(answer)
    }

    /// Whether a process that is there can do something: it is nowhere where it cannot.
    pub(super) fn able(&mut self, at: usize, timeout: Option<bool>, span: Span) -> Expr {
        let instance = self.instances[at].clone();
        let states = self.types[instance.ty].flow.states.clone();
        let mut stuck = int(0, span);
        for (number, state) in states.iter().filter(|(_, state)| !state.inner) {
            homing_budget::checkpoint();
            let mut ways = Vec::new();
            for transition in &state.transitions {
                let alone = self.executable(transition.node, at, timeout);
                let together = self.meeting(transition.node, at, timeout, span);
                ways.push(binary(Op::Or, alone, together, span));
            }
            if ways.iter().any(|way| truth(way) == Some(true)) {
                continue;
            }
            let open = ways.into_iter().fold(int(0, span), |a, b| binary(Op::Or, a, b, span));
            let location = self.types[instance.ty].locations[number];
            let closed = unary(Op1::Not, open, span);
            let here = binary(Op::And, stays(&instance, location, span), closed, span);
            stuck = binary(Op::Or, stuck, here, span);
        }
        unary(Op1::Not, stuck, span)
    }

    /// `timeout` in a claim: no process can move but by `timeout`.
    pub(super) fn nobody_moves(&mut self, span: Span) -> Expr {
        let mut any = int(0, span);
        for at in 0..self.instances.len() {
            let moves = self.could_move(at, Some(false), span);
            any = binary(Op::Or, any, moves, span);
        }
        unary(Op1::Not, any, span)
    }

    /// `np_`: no process is at a progress label.
    pub(super) fn non_progress(&mut self, span: Span) -> Expr {
        let mut any = int(0, span);
        for instance in &self.instances {
            let ty = &self.types[instance.ty];
            for (number, _) in ty.flow.states.iter().filter(|(_, state)| state.progress) {
                any = binary(Op::Or, any, stays(instance, ty.locations[number], span), span);
            }
        }
        unary(Op1::Not, any, span)
    }

    /// What `answer` says of the process with a number; 0 where there is none.
    pub(super) fn of_process(
        &mut self,
        pid: &syntax::Expr,
        span: Span,
        cx: Context,
        answer: &mut Answer<'_, 'l>,
    ) -> Option<Expr> {
        let pid = self.try_expr(pid, cx)?;
        let mut value = int(0, span);
        for at in 0..self.instances.len() {
            let is = self.is_process(&pid, at, span);
            if truth(&is) != Some(false) {
                value = choose(is, answer(self, at)?, value, span);
            }
        }
        Some(value)
    }

    /// Whether a number is that of a process, and it is there.
    pub(super) fn is_process(&self, pid: &Expr, at: usize, span: Span) -> Expr {
        let (own, process) = (self.instances[at].pid, self.instances[at].process);
        let is = binary(Op::Eq, pid.clone(), int(i64::from(own), span), span);
        binary(Op::And, is, Expr::new(Kind::Running(process), span), span)
    }
}

fn stays(instance: &Instance, location: u32, span: Span) -> Expr {
    Expr::new(Kind::At(instance.process, LocationId(location)), span)
}
