//! Statements: transitions to edges.

use homing_ir::Span;
use homing_ir::network::{
    Action, Atomic, Binary as Op, Branch, Edge, Expr, ExprKind as Kind, Guard, LocationId, Pattern,
    Place, Statement, StatementKind as Do, Target, Unary as Op1,
};

use super::super::flow::Hold;
use super::super::flow::{NodeId, Transition, What};
use super::super::syntax::{self, ExprKind, StatementKind};
use super::expression::{binary, unary};
use super::{Context, Lowering, int, truth};

/// What a statement does, apart from where it leads.
struct Deed {
    guard: Expr,
    action: Option<Action>,
    effect: Vec<Statement>,
}

impl Deed {
    fn when(guard: Expr) -> Deed {
        Deed { guard, action: None, effect: Vec::new() }
    }
}

impl Lowering<'_> {
    /// The edges of a process.
    pub(super) fn body(&mut self, at: usize) {
        let instance = self.instances[at].clone();
        let states = self.types[instance.ty].flow.states.clone();
        for (number, state) in &states {
            let from = LocationId(self.types[instance.ty].locations[number]);
            // Edges that must not count for `else` come behind the others.
            let mut behind = Vec::new();
            let mut edges = Vec::new();
            for transition in &state.transitions {
                self.transition(at, transition, from, &mut edges, &mut behind);
            }
            edges.extend(behind);
            self.network.processes[instance.process.index()].edges.extend(edges);
        }
    }

    fn transition(
        &mut self,
        at: usize,
        transition: &Transition,
        from: LocationId,
        edges: &mut Vec<Edge>,
        behind: &mut Vec<Edge>,
    ) {
        let ty = self.instances[at].ty;
        let node = self.types[ty].flow.nodes[transition.node].clone();
        let cx = Context {
            instance: Some(at),
            scope: node.scope,
            order: node.order,
            timeout: Some(false),
        };
        let provided = self.types[ty].ast.provided.clone();
        let provided = match &provided {
            Some(condition) => self.expr(condition, self.outside_of(at)),
            None => int(1, node.span),
        };
        let instead = transition.instead_of.iter().fold(provided, |all, other| {
            let possible = self.executable(*other, at);
            binary(Op::And, all, unary(Op1::Not, possible, node.span), node.span)
        });
        let Some(mut deed) = self.deed(&node.what, node.span, at, cx) else { return };
        deed.guard = binary(Op::And, instead.clone(), deed.guard, node.span);
        let target = match transition.to {
            Some(number) => match self.types[ty].locations.get(&number) {
                Some(location) => Target::Location(LocationId(*location)),
                None => return,
            },
            None => Target::End,
        };
        if let Some(last) = self.last {
            let pid = int(i64::from(self.instances[at].pid), node.span);
            let place = Place { variable: last, path: Vec::new(), span: node.span };
            deed.effect.push(Statement { kind: Do::Assign(place, pid), span: node.span });
        }
        let atomic = match transition.hold {
            Hold::No => Atomic::No,
            Hold::Atomic => Atomic::Atomic,
            Hold::Deterministic => Atomic::Deterministic,
        };
        let edge = |guard: Guard, action: Option<Action>, effect: Vec<Statement>| Edge {
            span: node.span,
            from,
            guard,
            action,
            rate: None,
            cost: None,
            atomic,
            priority: 0,
            code: transition.id,
            piece: node.piece,
            branches: vec![Branch { weight: None, effect, target }],
        };
        // An assertion that fails: a step of its own that leads nowhere.
        if let What::Plain(StatementKind::Assert(condition)) = &node.what {
            let condition = self.expr(condition, cx);
            if truth(&condition) != Some(true) {
                let fails = unary(Op1::Not, condition.clone(), condition.span);
                let fails = binary(Op::And, instead, fails, node.span);
                let effect = vec![Statement { kind: Do::Assert(condition), span: node.span }];
                let failing = edge(Guard::When(fails), None, effect);
                behind.push(failing);
            }
        }
        // Where the condition depends on `timeout`, once more with it.
        if mentions_timeout(&node.what)
            && let Some(late) =
                self.deed(&node.what, node.span, at, Context { timeout: Some(true), ..cx })
        {
            let guard = Guard::Timeout(late.guard);
            behind.push(edge(guard, late.action, deed.effect.clone()));
        }
        let lost = self.lost(&deed, &node);
        let guard = match (transition.after, truth(&deed.guard)) {
            (0, Some(true)) => Guard::Always,
            (0, _) => Guard::When(deed.guard),
            (before, _) => Guard::Otherwise { before, when: deed.guard },
        };
        if let Some(full) = lost {
            behind.push(edge(Guard::When(full), None, Vec::new()));
        }
        edges.push(edge(guard, deed.action, deed.effect));
    }

    /// Where messages to a full channel are lost: when that happens.
    fn lost(&mut self, deed: &Deed, node: &super::super::flow::Node) -> Option<Expr> {
        match &deed.action {
            Some(Action::Send { channel, .. }) if self.wishes.lossy => {
                let full = self.full(&channel.clone(), node.span);
                let length = Expr::new(Kind::Length(Box::new(channel.clone())), node.span);
                // A rendezvous channel has no messages to lose.
                let buffered = binary(Op::Gt, length, int(0, node.span), node.span);
                let full = binary(Op::And, buffered, full, node.span);
                Some(binary(Op::And, deed.guard.clone(), full, node.span))
            }
            _ => None,
        }
    }

    /// The context of a process's `provided` clause.
    fn outside_of(&self, at: usize) -> Context {
        let scope = self.types[self.instances[at].ty].flow.scope;
        Context { instance: Some(at), scope, order: u32::MAX, timeout: Some(false) }
    }

    fn deed(&mut self, what: &What, span: Span, at: usize, cx: Context) -> Option<Deed> {
        let always = int(1, span);
        let What::Plain(kind) = what else {
            return Some(match what {
                What::End => self.end(at, span),
                _ => Deed::when(always),
            });
        };
        Some(match kind {
            StatementKind::Expression(condition) => {
                let runs = runs_in(condition);
                let guard = self.expr(condition, cx);
                let mut deed = Deed::when(guard);
                self.started(&runs, cx, span, Vec::new(), &mut deed);
                deed
            }
            StatementKind::Assign(to, value) => {
                let runs = runs_in(value);
                let place = self.target(to, cx)?;
                let value = self.expr(value, cx);
                let assign = Statement { kind: Do::Assign(place, value), span };
                let mut deed = Deed::when(always);
                self.started(&runs, cx, span, vec![assign], &mut deed);
                deed
            }
            StatementKind::Send { channel, message, sorted } => {
                let action = self.send(channel, message, *sorted, cx)?;
                Deed { action: Some(action), ..Deed::when(always) }
            }
            StatementKind::Receive { channel, message, any, keep } => {
                let action = self.receive(channel, message, *any, *keep, cx)?;
                Deed { action: Some(action), ..Deed::when(always) }
            }
            StatementKind::Print(format, values) => {
                let values = values.iter().map(|value| self.expr(value, cx)).collect();
                let effect = vec![Statement { kind: Do::Print(format.clone(), values), span }];
                Deed { effect, ..Deed::when(always) }
            }
            StatementKind::PrintSymbol(value) => {
                let value = self.expr(value, cx);
                let effect = vec![Statement { kind: Do::Print("%e".into(), vec![value]), span }];
                Deed { effect, ..Deed::when(always) }
            }
            StatementKind::SetPriority(..) => {
                self.fail("priorities of processes are not supported", span);
                return None;
            }
            // `else` is said by the order; a failing assertion has its own edge.
            _ => Deed::when(always),
        })
    }

    /// Adds the processes that a statement starts; `then` uses the number that
    /// `run` answers.
    fn started(
        &mut self,
        runs: &[syntax::Expr],
        cx: Context,
        span: Span,
        then: Vec<Statement>,
        deed: &mut Deed,
    ) {
        let [run, more @ ..] = runs else {
            deed.effect.extend(then);
            return;
        };
        if let Some(second) = more.first() {
            self.fail("only one `run` in a statement", second.span);
        }
        let starts = self.run(run, cx);
        deed.effect.extend(starts);
        deed.effect.extend(then);
        let counted = self.counted(1, span);
        deed.effect.extend(counted);
    }

    /// The end of a process: the last one started goes first.
    fn end(&mut self, at: usize, span: Span) -> Deed {
        let pid = i64::from(self.instances[at].pid);
        let last = binary(Op::Eq, self.running(span), int(pid + 1, span), span);
        let clears = self.instances[at].channels.clone().into_iter();
        let mut effect: Vec<Statement> =
            clears.map(|channel| Statement { kind: Do::Clear(channel), span }).collect();
        effect.extend(self.counted(-1, span));
        Deed { guard: last, action: None, effect }
    }

    /// When a statement can be executed, as an expression. Rendezvous do not
    /// count.
    fn executable(&mut self, node: NodeId, at: usize) -> Expr {
        let node = self.types[self.instances[at].ty].flow.nodes[node].clone();
        let cx = Context {
            instance: Some(at),
            scope: node.scope,
            order: node.order,
            timeout: Some(false),
        };
        let span = node.span;
        let Some(deed) = self.deed(&node.what, span, at, cx) else { return int(0, span) };
        let possible = match deed.action {
            None => int(1, span),
            Some(Action::Send { channel, .. }) => {
                let full = self.full(&channel, span);
                unary(Op1::Not, full, span)
            }
            Some(Action::Receive { channel, message, order, .. }) => {
                let wanted = message.into_iter().map(|pattern| match pattern {
                    Pattern::Match(value) => Some(value),
                    Pattern::Store(_) | Pattern::Ignore => None,
                });
                let message = wanted.collect();
                Expr::new(Kind::Poll { channel: Box::new(channel), message, order }, span)
            }
            Some(Action::Label(_)) => int(0, span),
        };
        binary(Op::And, deed.guard, possible, span)
    }
}

/// The `run`s in an expression.
fn runs_in(expr: &syntax::Expr) -> Vec<syntax::Expr> {
    let mut found = Vec::new();
    walk(expr, &mut |expr| {
        if matches!(expr.kind, ExprKind::Run { .. }) {
            found.push(expr.clone());
        }
    });
    found
}

fn mentions_timeout(what: &What) -> bool {
    let mut found = false;
    let mut look = |expr: &syntax::Expr| {
        walk(expr, &mut |expr| found |= matches!(expr.kind, ExprKind::Timeout));
    };
    if let What::Plain(StatementKind::Expression(condition)) = what {
        look(condition);
    }
    found
}

/// Calls `visit` on an expression and those within.
pub(super) fn walk(expr: &syntax::Expr, visit: &mut dyn FnMut(&syntax::Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Unary(_, operand) => walk(operand, visit),
        ExprKind::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|expr| walk(expr, visit));
        }
        ExprKind::Reference(reference) => {
            let indices = reference.parts.iter().filter_map(|part| part.index.as_ref());
            indices.for_each(|index| walk(index, visit));
        }
        ExprKind::Enabled(inner) | ExprKind::PcValue(inner) | ExprKind::Priority(inner) => {
            walk(inner, visit);
        }
        _ => {}
    }
}
