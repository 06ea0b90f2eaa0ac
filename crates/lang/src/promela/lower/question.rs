//! What claims and formulas ask about processes: `pc_value`, `enabled`, `np_`, `_nr_pr`.

use homing_ir::network::{
    Binary as Op, ChannelKind, Expr, ExprKind as Kind, LocationId, Unary as Op1,
};
use homing_ir::{Diagnostic, Span};

use super::super::syntax;
use super::expression::{binary, choose, unary};
use super::{Context, Instance, Lowering, int};

impl Lowering<'_> {
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
            locations.fold(int(0, span), |otherwise, (number, location)| {
                choose(
                    stays(&instance, *location, span),
                    int(i64::from(*number), span),
                    otherwise,
                    span,
                )
            })
        })
    }

    /// `enabled(e)`: whether a process can do something, whatever `provided` says.
    pub(super) fn enabled(&mut self, pid: &syntax::Expr, span: Span, cx: Context) -> Option<Expr> {
        let rendezvous = |kind: &ChannelKind| matches!(kind, ChannelKind::Rendezvous);
        if self.network.channels.iter().any(|channel| rendezvous(&channel.kind)) {
            self.fail("`enabled` cannot be asked beside rendezvous channels", span);
            return None;
        }
        self.of_process(pid, span, cx, &mut |lowering, at| lowering.able(at, span))
    }

    fn able(&mut self, at: usize, span: Span) -> Expr {
        let instance = self.instances[at].clone();
        let states = self.types[instance.ty].flow.states.clone();
        let mut any = int(0, span);
        for (number, state) in states.iter().filter(|(_, state)| !state.inner) {
            let location = self.types[instance.ty].locations[number];
            let mut open = int(0, span);
            for transition in &state.transitions {
                let one = self.executable(transition.node, at, Some(false));
                open = binary(Op::Or, open, one, span);
            }
            let here = binary(Op::And, stays(&instance, location, span), open, span);
            any = binary(Op::Or, any, here, span);
        }
        any
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

    /// What `ask` says of the process with a number; 0 where there is none.
    fn of_process(
        &mut self,
        pid: &syntax::Expr,
        span: Span,
        cx: Context,
        ask: &mut dyn FnMut(&mut Self, usize) -> Expr,
    ) -> Option<Expr> {
        let pid = self.try_expr(pid, cx)?;
        let mut value = int(0, span);
        for at in 0..self.instances.len() {
            let (own, process) = (self.instances[at].pid, self.instances[at].process);
            let is = binary(Op::Eq, pid.clone(), int(i64::from(own), span), span);
            let running = Expr::new(Kind::Running(process), span);
            let answer = ask(self, at);
            value = choose(binary(Op::And, is, running, span), answer, value, span);
        }
        Some(value)
    }
}

fn stays(instance: &Instance, location: u32, span: Span) -> Expr {
    Expr::new(Kind::At(instance.process, LocationId(location)), span)
}
