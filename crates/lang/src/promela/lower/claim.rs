//! `never` claims: automata that watch the system.
//!
//! | Promela | network |
//! |---|---|
//! | a state of the claim | a location, or one for all values of the claim's variables; `accept…` makes it accepting, `end…` an end |
//! | a condition | an edge with this guard |
//! | `else` | none of the conditions before it |
//! | `atomic` | all its conditions at once: the system does not move in between |
//! | `assert(e)` | an edge without condition, and where `e` is false one to the end, with the assertion as its effect |
//! | the closing brace | the end: who gets there has matched the claim |
//!
//! The values of a claim's own variables are part of where it is: a location is a state
//! and a value of each (`valuation`).
//!
//! A claim that does more than look (messages, assignments to variables of the system,
//! `d_step`, `run`) is not checked, and the reader is told why.

use std::collections::BTreeMap;
use std::mem;

use homing_ir::network::{
    Atomic, Binary as Op, Branch, Edge, Expr, Guard, Lifetime, Location, LocationId, Process,
    ProcessId, Property, PropertyKind, Role, Statement, StatementKind as Do, Target, Unary as Op1,
};
use homing_ir::{Diagnostic, Severity, Span};

use super::super::flow::{Flow, Hold, NodeId, Transition, What};
use super::super::scope::Local;
use super::super::syntax::{self, ExprKind, StatementKind};
use super::expression::{binary, unary};
use super::valuation::{Values, Variables, View};
use super::visit::walk;
use super::{Context, Lowering, int, truth};
use crate::reports::Reports;

/// Statements in an atomic sequence of a claim; one with more is a loop.
const MOST_AT_ONCE: usize = 100;

/// A claim that waits for the processes it watches.
pub(super) struct Claimed<'a> {
    pub ast: &'a syntax::Claim,
    pub flow: Flow,
    /// What was wrong so far.
    pub reports: Reports,
    /// Its variables.
    pub locals: Vec<Local>,
}

impl Claimed<'_> {
    fn name(&self) -> &str {
        self.ast.name.as_ref().map_or("never", |name| &name.text)
    }
}

/// Places of a claim: more are not looked at.
const MOST_PLACES: usize = 1 << 14;

/// Where a claim is: a state by its number, and the values of its variables.
type Place = (u32, Values);

/// Conditions that hold together, and where they lead.
struct Way {
    guard: Expr,
    /// The end where there is none.
    to: Option<Place>,
    /// The assertion that is false.
    fails: Option<Expr>,
    span: Span,
}

/// Why a claim is not checked.
pub(super) type Refusal = String;

impl Lowering<'_> {
    /// Makes observers of the claims.
    pub(super) fn claims(&mut self) {
        for mut claimed in mem::take(&mut self.claims) {
            // What is wrong with a claim leaves the model as it is.
            let system = mem::replace(&mut self.reports, mem::take(&mut claimed.reports));
            let made = self.observer(&claimed);
            let own = mem::replace(&mut self.reports, system).finish();
            let wrong = self.first_error(own);
            let why = match (made, wrong) {
                (Ok(process), None) => {
                    self.add_claim(process);
                    continue;
                }
                (Err(why), None) => why,
                (_, Some(error)) => error.message,
            };
            self.unchecked(claimed.name(), claimed.ast.span, why);
        }
    }

    /// The first error of what was said of a claim or a formula; warnings are passed on.
    pub(super) fn first_error(&mut self, said: Vec<Diagnostic>) -> Option<Diagnostic> {
        let (errors, warnings): (Vec<_>, Vec<_>) =
            said.into_iter().partition(|one| one.severity == Severity::Error);
        if errors.is_empty() {
            warnings.into_iter().for_each(|warning| self.reports.add(warning));
        }
        errors.into_iter().next()
    }

    fn add_claim(&mut self, process: Process) {
        let id = ProcessId(self.network.processes.len() as u32);
        let (name, span) = (process.name.clone(), process.span);
        self.network.processes.push(process);
        self.network.properties.push(Property { name, span, kind: PropertyKind::Observer(id) });
    }

    fn observer(&mut self, claimed: &Claimed) -> Result<Process, Refusal> {
        let flow = &claimed.flow;
        let variables = self.variables_of_claim(&claimed.locals)?;
        let start = (flow.start, variables.initial.clone());
        let mut found: BTreeMap<Place, LocationId> = BTreeMap::new();
        let mut order = vec![start.clone()];
        found.insert(start, LocationId(0));
        let mut edges = Vec::new();
        let mut next = 0;
        while let Some(place) = order.get(next).cloned() {
            homing_budget::checkpoint();
            let from = LocationId(next as u32);
            next += 1;
            for mut way in self.ways(flow, &variables, place)? {
                let to = way.to.take().filter(|(to, _)| !is_brace(flow, *to));
                let target = match to {
                    Some(to) => Target::Location(*found.entry(to.clone()).or_insert_with(|| {
                        order.push(to);
                        LocationId(order.len() as u32 - 1)
                    })),
                    None => Target::End,
                };
                edges.push(edge(from, way, target));
            }
            if order.len() > MOST_PLACES {
                return Err("its variables have too many values".into());
            }
        }
        let named = |(number, values): &Place| {
            let mut labels = flow.labels.iter().filter(|(_, at)| **at == *number);
            let name = labels.next().map_or_else(|| format!("S{number}"), |(name, _)| name.clone());
            variables.written(name, values)
        };
        let locations = order.iter().map(|place| {
            let state = flow.states.get(&place.0).cloned().unwrap_or_default();
            Location {
                name: named(place),
                span: state.span,
                accepting: state.accepting,
                end: state.end,
                ..Location::default()
            }
        });
        Ok(Process {
            name: claimed.name().to_string(),
            span: claimed.ast.span,
            locations: locations.collect(),
            initial: LocationId(0),
            edges,
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::Observer,
            priority: 0,
            code: None,
        })
    }

    /// Where a claim may go from a place, atomic sequences to their ends.
    fn ways(
        &mut self,
        flow: &Flow,
        variables: &Variables,
        (from, values): Place,
    ) -> Result<Vec<Way>, Refusal> {
        let mut ways = Vec::new();
        // Depth first, to keep the order of the text.
        let mut stack =
            vec![Inner { at: (from, values), so_far: int(1, Span::default()), length: 0 }];
        while let Some(inner) = stack.pop() {
            homing_budget::checkpoint();
            if inner.length > MOST_AT_ONCE {
                return Err("an atomic sequence in it may have no end".into());
            }
            let Some(state) = flow.states.get(&inner.at.0) else { continue };
            if inner.length > 0 && state.end && !is_brace(flow, inner.at.0) {
                return Err("it has an `end` label in an atomic sequence".into());
            }
            let mut before: Vec<Expr> = Vec::new();
            let mut further = Vec::new();
            for (at, transition) in state.transitions.iter().enumerate() {
                let view = View { flow, variables, values: &inner.at.1 };
                let condition = self.condition(&view, transition)?;
                let escapes = state.escapes_before(at).into_iter().flatten();
                let first = (0..transition.after as usize).chain(escapes);
                let own = first.fold(condition.clone(), |all, other| {
                    let not = unary(Op1::Not, before[other].clone(), before[other].span);
                    binary(Op::And, all, not, condition.span)
                });
                before.push(own.clone());
                let span = own.span;
                let guard = binary(Op::And, inner.so_far.clone(), own, span);
                if truth(&guard) == Some(false) {
                    continue;
                }
                ways.extend(self.failing(&view, transition.node, &guard));
                for (when, values) in self.outcomes(&view, transition.node)? {
                    let guard = binary(Op::And, guard.clone(), when, span);
                    let to = transition.to.map(|to| (to, values));
                    match (transition.hold, to) {
                        (Hold::Atomic, Some(at)) => {
                            further.push(Inner { at, so_far: guard, length: inner.length + 1 });
                        }
                        (_, to) => ways.push(Way { guard, to, fails: None, span }),
                    }
                }
            }
            stack.extend(further.into_iter().rev());
        }
        Ok(ways)
    }

    /// The way on which an assertion of the claim is false.
    fn failing(&mut self, view: &View, node: NodeId, guard: &Expr) -> Option<Way> {
        let What::Plain(StatementKind::Assert(condition)) = &view.flow.nodes[node].what else {
            return None;
        };
        let asserted = self.value_in(view, node, condition);
        let span = guard.span;
        let not = unary(Op1::Not, asserted.clone(), span);
        let fails = binary(Op::And, guard.clone(), not, span);
        let way = Way { guard: fails, to: None, fails: Some(asserted), span };
        (truth(&way.guard) != Some(false)).then_some(way)
    }

    /// When a statement of a claim can be executed.
    fn condition(&mut self, view: &View, transition: &Transition) -> Result<Expr, Refusal> {
        if transition.hold == Hold::Deterministic || !transition.instead_of.is_empty() {
            return Err("it has a `d_step`".into());
        }
        let node = &view.flow.nodes[transition.node];
        let always = int(1, node.span);
        let What::Plain(kind) = &node.what else { return Ok(always) };
        match kind {
            StatementKind::Expression(condition) => {
                answerable(condition)?;
                Ok(self.value_in(view, transition.node, condition))
            }
            StatementKind::Assert(condition) | StatementKind::Assign(_, condition) => {
                answerable(condition)?;
                Ok(always)
            }
            StatementKind::Send { .. }
            | StatementKind::Receive { .. }
            | StatementKind::SetPriority(..) => Err("it does more than look".into()),
            _ => Ok(always),
        }
    }
}

/// Within an atomic sequence of a claim.
struct Inner {
    at: Place,
    /// The conditions on the way.
    so_far: Expr,
    length: usize,
}

pub(super) fn context(flow: &Flow, node: NodeId) -> Context {
    let node = &flow.nodes[node];
    Context { instance: None, scope: node.scope, order: node.order, timeout: None }
}

/// Whether a state stands before the closing brace.
pub(super) fn is_brace(flow: &Flow, number: u32) -> bool {
    let node = flow.nodes.get((number as usize).wrapping_sub(1));
    node.is_some_and(|node| matches!(node.what, What::End))
}

/// Refuses what a condition of a claim cannot ask.
pub(super) fn answerable(condition: &syntax::Expr) -> Result<(), Refusal> {
    let mut runs = false;
    walk(condition, &mut |expr| runs |= matches!(expr.kind, ExprKind::Run { .. }));
    if runs { Err("it uses `run`".into()) } else { Ok(()) }
}

fn edge(from: LocationId, way: Way, target: Target) -> Edge {
    let span = way.span;
    let effect = way.fails.map(|condition| Statement { kind: Do::Assert(condition), span });
    Edge {
        span,
        from,
        guard: match truth(&way.guard) {
            Some(true) => Guard::Always,
            _ => Guard::When(way.guard),
        },
        action: None,
        rate: None,
        cost: None,
        atomic: Atomic::No,
        priority: 0,
        code: None,
        piece: false,
        branches: vec![Branch { weight: None, effect: effect.into_iter().collect(), target }],
    }
}
