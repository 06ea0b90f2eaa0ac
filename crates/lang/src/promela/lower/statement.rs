//! Statements: transitions to edges.

use homing_ir::Span;
use homing_ir::network::{
    Action, Atomic, Binary as Op, Branch, Edge, Expr, ExprKind as Kind, Guard, LocationId, Pattern,
    Place, Statement, StatementKind as Do, Target, Unary as Op1,
};

use super::super::flow::{Hold, Node, NodeId, State, What};
use super::super::syntax::{self, ExprKind, StatementKind};
use super::expression::{binary, unary};
use super::visit::{argument, walk};
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

/// A transition of a process, and where it stands.
#[derive(Clone, Copy)]
struct Way<'s> {
    at: usize,
    state: &'s State,
    index: usize,
    cx: Context,
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

    /// The edges of a transition. One that depends on `timeout` has more of them, which wait
    /// for everything else; there it is true.
    fn transition(
        &mut self,
        at: usize,
        state: &State,
        index: usize,
        from: LocationId,
        edges: &mut Edges,
    ) {
        let node = state.transitions[index].node;
        let way = Way { at, state, index, cx: self.context_of(at, node) };
        self.way(way, from, edges);
        if self.depends_on_timeout(way) {
            let cx = Context { timeout: Some(true), ..way.cx };
            let mut late = Edges { before: edges.before.clone(), ..Edges::default() };
            self.way(Way { cx, ..way }, from, &mut late);
            edges.behind.extend(late.list.into_iter().chain(late.behind));
        }
    }

    /// The edges of a transition where `timeout` has a value.
    fn way(&mut self, way: Way, from: LocationId, edges: &mut Edges) {
        let Way { at, state, index, cx } = way;
        let transition = &state.transitions[index];
        let ty = self.instances[at].ty;
        let node = self.types[ty].flow.nodes[transition.node].clone();
        let late = cx.timeout == Some(true);
        let Some(mut deed) = self.deed(&node, at, cx) else { return };
        let mut open = self.open(at, state, index, deed.action.as_ref(), cx);
        if let (true, Some(Action::Receive { channel, .. })) = (late, &deed.action) {
            // `timeout` is over when a rendezvous comes to who receives.
            let meets = self.is_rendezvous(channel, node.span);
            open = binary(Op::And, open, unary(Op1::Not, meets, node.span), node.span);
        }
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
        let when = |guard: Expr| if late { Guard::Timeout(guard) } else { Guard::When(guard) };
        // An assertion that fails: a step of its own that leads nowhere.
        if let What::Plain(StatementKind::Assert(condition)) = &node.what {
            let condition = self.expr(condition, cx);
            if truth(&condition) != Some(true) {
                let fails = unary(Op1::Not, condition.clone(), condition.span);
                let fails = binary(Op::And, open, fails, node.span);
                let effect = vec![Statement { kind: Do::Assert(condition), span: node.span }];
                edges.behind.push(edge(when(fails), None, effect));
            }
        }
        if let Some(full) = self.lost(&deed, &node) {
            edges.behind.push(edge(when(full), None, Vec::new()));
        }
        let after = transition.after;
        let before = edges.before.get(after as usize).copied();
        let before = before.unwrap_or(edges.list.len() as u32);
        let nothing_else = if late { self.nothing_before(way) } else { int(1, node.span) };
        let guarded = |guard: Expr| match truth(&guard) {
            _ if late => when(binary(Op::And, guard, nothing_else.clone(), node.span)),
            _ if after > 0 => Guard::Otherwise { before, when: guard },
            Some(true) => Guard::Always,
            _ => when(guard),
        };
        let plain = |when, action, effect| edge(guarded(when), action, effect);
        for case in left_over {
            let guard = binary(Op::And, deed.guard.clone(), case.when.clone(), node.span);
            let action = case.action(deed.action.as_ref());
            let deed = Deed { guard, action, effect: deed.effect.clone() };
            self.add(deed, node.span, edges, &plain);
        }
    }

    /// Whether a transition may be possible where `timeout` is true and not where it is false:
    /// it is mentioned in what its statement or the process waits for, or asked about by
    /// `enabled`.
    fn depends_on_timeout(&self, way: Way) -> bool {
        let ty = &self.types[self.instances[way.at].ty];
        let mut found = false;
        let mut look = |expr: &syntax::Expr| {
            found |= matches!(expr.kind, ExprKind::Timeout)
                || matches!(expr.kind, ExprKind::Enabled(_)) && self.uses_timeout;
        };
        if !way.state.inner {
            ty.ast.provided.iter().for_each(|provided| walk(provided, &mut look));
        }
        match &ty.flow.nodes[way.state.transitions[way.index].node].what {
            What::Plain(StatementKind::Expression(condition)) => walk(condition, &mut look),
            What::Plain(StatementKind::Receive { message, .. }) => {
                message.iter().for_each(|part| argument(part, &mut look));
            }
            _ => {}
        }
        found
    }

    /// For an `else`: that no transition before it is possible.
    fn nothing_before(&mut self, way: Way) -> Expr {
        let Way { at, state, index, cx } = way;
        let span = state.span;
        (0..state.transitions[index].after as usize).fold(int(1, span), |all, other| {
            let node = state.transitions[other].node;
            let action = self.deed_of(node, at, cx.timeout).and_then(|deed| deed.action);
            let open = self.open(at, state, other, action.as_ref(), cx);
            let possible = self.executable(node, at, cx.timeout);
            let possible = binary(Op::And, open, possible, span);
            binary(Op::And, all, unary(Op1::Not, possible, span), span)
        })
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
    fn lost(&mut self, deed: &Deed, node: &Node) -> Option<Expr> {
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
    fn open(
        &mut self,
        at: usize,
        state: &State,
        index: usize,
        action: Option<&Action>,
        cx: Context,
    ) -> Expr {
        let ty = self.instances[at].ty;
        let transition = &state.transitions[index];
        let span = self.types[ty].flow.nodes[transition.node].span;
        // A `d_step` that began goes on.
        let allowed = match state.inner {
            true => int(1, span),
            false => {
                let provided = self.provided(at, cx.timeout, span);
                binary(Op::And, provided, self.foremost(at, cx.timeout, span), span)
            }
        };
        let open = transition.instead_of.iter().fold(allowed, |all, other| {
            let possible = self.executable(*other, at, cx.timeout);
            binary(Op::And, all, unary(Op1::Not, possible, span), span)
        });
        let escaped = self.escaped(at, state, index, action, cx.timeout);
        binary(Op::And, open, unary(Op1::Not, escaped, span), span)
    }

    /// A process's `provided` clause.
    pub(super) fn provided(&mut self, at: usize, timeout: Option<bool>, span: Span) -> Expr {
        match self.types[self.instances[at].ty].ast.provided.clone() {
            Some(condition) => self.expr(&condition, self.outside_of(at, timeout)),
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
    fn outside_of(&self, at: usize, timeout: Option<bool>) -> Context {
        let scope = self.types[self.instances[at].ty].flow.scope;
        Context { instance: Some(at), scope, order: u32::MAX, timeout }
    }

    fn deed(&mut self, node: &Node, at: usize, cx: Context) -> Option<Deed> {
        let span = node.span;
        let always = int(1, span);
        let What::Plain(kind) = &node.what else {
            return Some(match node.what {
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
                    // What begins a `d_step` is looked at before it is tried.
                    Action::Receive { channel, .. } if !keep && !node.deterministic => {
                        self.meets(channel, span)
                    }
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
        self.deed(&node, at, cx)
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
