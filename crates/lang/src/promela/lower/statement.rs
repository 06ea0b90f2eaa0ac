//! Statements: transitions to edges.

use homing_ir::Span;
use homing_ir::network::{
    Action, Atomic, Binary as Op, Branch, Edge, Expr, ExprKind as Kind, Guard, LocationId, Pattern,
    Place, Statement, StatementKind as Do, Target, Unary as Op1,
};

use super::super::flow::Hold;
use super::super::flow::{NodeId, State, What};
use super::super::syntax::{self, ExprKind, StatementKind};
use super::expression::{binary, unary};
use super::visit::walk;
use super::{Context, Lowering, int, truth};

/// What a statement does, apart from where it leads.
pub(super) struct Deed {
    pub guard: Expr,
    pub action: Option<Action>,
    effect: Vec<Statement>,
}

impl Deed {
    fn when(guard: Expr) -> Deed {
        Deed { guard, action: None, effect: Vec::new() }
    }
}

/// The edges of a location.
#[derive(Default)]
struct Edges {
    list: Vec<Edge>,
    /// How many there are before those of each transition.
    before: Vec<u32>,
    /// Those that must not count for `else` come behind the others.
    behind: Vec<Edge>,
}

impl Lowering<'_> {
    /// The edges of a process.
    pub(super) fn body(&mut self, at: usize) {
        let instance = self.instances[at].clone();
        let states = self.types[instance.ty].flow.states.clone();
        for (number, state) in &states {
            let from = LocationId(self.types[instance.ty].locations[number]);
            let mut edges = Edges::default();
            for index in 0..state.transitions.len() {
                homing_budget::checkpoint();
                edges.before.push(edges.list.len() as u32);
                self.transition(at, state, index, from, &mut edges);
            }
            let own = &mut self.network.processes[instance.process.index()].edges;
            own.extend(edges.list);
            own.extend(edges.behind);
        }
    }

    fn transition(
        &mut self,
        at: usize,
        state: &State,
        index: usize,
        from: LocationId,
        edges: &mut Edges,
    ) {
        let transition = &state.transitions[index];
        let ty = self.instances[at].ty;
        let node = self.types[ty].flow.nodes[transition.node].clone();
        let cx = self.context_of(at, transition.node);
        let Some(mut deed) = self.deed(&node.what, node.span, at, cx) else { return };
        let open = self.open(at, state, index, &deed, cx);
        deed.guard = binary(Op::And, open.clone(), deed.guard, node.span);
        let left_over = self.left_over(at, state, index, deed.action.as_ref());
        let target = match transition.to {
            Some(number) => match self.types[ty].locations.get(&number) {
                Some(location) => Target::Location(LocationId(*location)),
                None => return,
            },
            None => Target::End,
        };
        // What is within a `d_step` is not a step of its own.
        let within = transition.to.is_some_and(|to| self.is_inner(ty, to));
        if let Some(last) = self.last.filter(|_| !within) {
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
                let fails = binary(Op::And, open, fails, node.span);
                let effect = vec![Statement { kind: Do::Assert(condition), span: node.span }];
                let failing = edge(Guard::When(fails), None, effect);
                edges.behind.push(failing);
            }
        }
        // Where the condition depends on `timeout`, once more with it.
        let cx = Context { timeout: Some(true), ..cx };
        if mentions_timeout(&node.what)
            && let Some(late) = self.deed(&node.what, node.span, at, cx)
        {
            let open = self.open(at, state, index, &late, cx);
            let guard = Guard::Timeout(binary(Op::And, open, late.guard, node.span));
            edges.behind.push(edge(guard, late.action, deed.effect.clone()));
        }
        let lost = self.lost(&deed, &node);
        if let Some(full) = lost {
            edges.behind.push(edge(Guard::When(full), None, Vec::new()));
        }
        let before = edges.before.get(transition.after as usize).copied();
        let before = before.unwrap_or(edges.list.len() as u32);
        let guarded = |when: Expr| match (transition.after, truth(&when)) {
            (0, Some(true)) => Guard::Always,
            (0, _) => Guard::When(when),
            _ => Guard::Otherwise { before, when },
        };
        let plain = |when, action, effect| edge(guarded(when), action, effect);
        for case in left_over {
            let guard = binary(Op::And, deed.guard.clone(), case.when.clone(), node.span);
            let action = case.action(deed.action.as_ref());
            let deed = Deed { guard, action, effect: deed.effect.clone() };
            self.add(deed, node.span, edges, &plain);
        }
    }

    /// Adds the edges of what a statement does: one, or one for every place where an
    /// automaton goes that follows messages.
    fn add(
        &mut self,
        deed: Deed,
        span: Span,
        edges: &mut Edges,
        edge: &dyn Fn(Expr, Option<Action>, Vec<Statement>) -> Edge,
    ) {
        let Some(followed) = self.followed(deed.action.as_ref(), span) else {
            return edges.list.push(edge(deed.guard, deed.action, deed.effect));
        };
        let and = |when: Expr| binary(Op::And, deed.guard.clone(), when, span);
        let mut stays = int(1, span);
        for (when, put) in followed.goes {
            stays = binary(Op::And, stays, unary(Op1::Not, when.clone(), span), span);
            let effect = [&deed.effect[..], &[put]].concat();
            edges.list.push(edge(and(when), deed.action.clone(), effect));
        }
        if let Some((when, fails)) = followed.fails {
            edges.behind.push(edge(and(when), deed.action.clone(), vec![fails]));
        }
        edges.list.push(edge(and(stays), deed.action.clone(), deed.effect.clone()));
    }

    fn is_inner(&self, ty: usize, state: u32) -> bool {
        self.types[ty].flow.states.get(&state).is_some_and(|state| state.inner)
    }

    /// Where messages to a full channel are lost: when that happens.
    fn lost(&mut self, deed: &Deed, node: &super::super::flow::Node) -> Option<Expr> {
        match &deed.action {
            Some(Action::Send { channel, .. }) if self.wishes.lossy => {
                let full = self.full(channel, node.span);
                Some(binary(Op::And, deed.guard.clone(), full, node.span))
            }
            _ => None,
        }
    }

    /// What must hold for a transition besides what its statement says: the process's
    /// `provided`, that no process of greater priority can move, that nothing of the same
    /// `d_step` before it is possible, and no escape.
    fn open(&mut self, at: usize, state: &State, index: usize, deed: &Deed, cx: Context) -> Expr {
        let ty = self.instances[at].ty;
        let transition = &state.transitions[index];
        let span = self.types[ty].flow.nodes[transition.node].span;
        // A `d_step` that began goes on.
        let allowed = match state.inner {
            true => int(1, span),
            false => {
                let provided = self.provided(at, span);
                binary(Op::And, provided, self.foremost(at, cx.timeout, span), span)
            }
        };
        let open = transition.instead_of.iter().fold(allowed, |all, other| {
            let possible = self.executable(*other, at, cx.timeout);
            binary(Op::And, all, unary(Op1::Not, possible, span), span)
        });
        let escaped = self.escaped(at, state, index, deed.action.as_ref(), cx.timeout);
        binary(Op::And, open, unary(Op1::Not, escaped, span), span)
    }

    /// A process's `provided` clause.
    pub(super) fn provided(&mut self, at: usize, span: Span) -> Expr {
        match self.types[self.instances[at].ty].ast.provided.clone() {
            Some(condition) => self.expr(&condition, self.outside_of(at)),
            None => int(1, span),
        }
    }

    /// The context of a statement of a process, where `timeout` is false.
    pub(super) fn context_of(&self, at: usize, node: NodeId) -> Context {
        let node = &self.types[self.instances[at].ty].flow.nodes[node];
        let (scope, order) = (node.scope, node.order);
        Context { instance: Some(at), scope, order, timeout: Some(false) }
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
                let guard = match &action {
                    Action::Receive { channel, .. } if !keep => self.meets(channel, span),
                    _ => always,
                };
                Deed { action: Some(action), ..Deed::when(guard) }
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
            StatementKind::SetPriority(process, priority) => {
                let effect = self.set_priority((process, priority), span, cx)?;
                Deed { effect, ..Deed::when(always) }
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
        effect.extend(self.nobody_left(self.instances[at].pid, span));
        Deed { guard: last, action: None, effect }
    }

    /// When a statement can be executed by its process alone, as an expression.
    pub(super) fn executable(&mut self, node: NodeId, at: usize, timeout: Option<bool>) -> Expr {
        let span = self.types[self.instances[at].ty].flow.nodes[node].span;
        let Some(deed) = self.deed_of(node, at, timeout) else { return int(0, span) };
        let possible = match deed.action {
            None => int(1, span),
            Some(Action::Send { channel, .. }) => {
                unary(Op1::Not, self.has_no_room(&channel, span), span)
            }
            Some(Action::Receive { channel, message, order, .. }) => {
                let wanted = message.into_iter().map(|pattern| match pattern {
                    Pattern::Match(value) => Some(value),
                    _ => None,
                });
                let message = wanted.collect();
                // No message waits in a rendezvous channel.
                let buffered = self.capacity(&channel, span);
                let poll = Kind::Poll { channel: Box::new(channel), message, order };
                binary(Op::And, buffered, Expr::new(poll, span), span)
            }
            Some(Action::Label(_)) => int(0, span),
        };
        binary(Op::And, deed.guard, possible, span)
    }

    /// What a statement of a process does.
    pub(super) fn deed_of(
        &mut self,
        node: NodeId,
        at: usize,
        timeout: Option<bool>,
    ) -> Option<Deed> {
        let cx = Context { timeout, ..self.context_of(at, node) };
        let node = self.types[self.instances[at].ty].flow.nodes[node].clone();
        self.deed(&node.what, node.span, at, cx)
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
