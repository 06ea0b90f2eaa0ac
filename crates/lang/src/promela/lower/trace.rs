//! `trace` and `notrace`: automata that follow the messages of some channels.
//!
//! | Promela | network |
//! |---|---|
//! | the automaton | a process without edges, each of its states a location |
//! | an event in its scope | edges that send or receive also put that process where the event leads: one edge for each such place, and one where it stays |
//! | an event that `trace` cannot follow | an edge that fails, besides: SPIN goes on behind the error |
//! | an event that `notrace` cannot follow | it has come to its end: only the first try counts |
//! | an event that brings `notrace` to its end; two ways to follow an event | an edge that fails |
//! | the end of the run | an invalid end state, where some process is left and the automaton is at no `end` state |
//!
//! In scope are sends to the channels that the automaton names in sends, and receives from
//! those it names in receives. What is compared, as in SPIN: the message sent, and the first
//! message of the channel when one is received, whichever that is. A rendezvous is two
//! events; both belong to the edge that sends, which knows the message.

use std::collections::BTreeMap;
use std::mem;

use homing_ir::Span;
use homing_ir::alike::alike;
use homing_ir::network::{
    Action, Binary as Op, Expr, ExprKind as Kind, Lifetime, Location, LocationId, Process,
    ProcessId, ReceiveOrder, Role, Statement, StatementKind as Do, Unary as Op1,
};

use super::super::flow::{Flow, What};
use super::super::scope::ScopeId;
use super::super::syntax::{self, Argument, ExprKind, Reference, StatementKind};
use super::claim::{Refusal, is_brace};
use super::escape::same;
use super::expression::{binary, unary};
use super::{Context, Lowering, int, truth};
use crate::reports::Reports;

/// The text of an automaton, which waits for the channels it names.
pub(super) struct Tracing<'a> {
    pub ast: &'a syntax::Claim,
    pub flow: Flow,
    pub reports: Reports,
}

/// An automaton that follows messages.
pub(super) struct Trace {
    process: ProcessId,
    /// Whether its end must not be reached.
    negated: bool,
    span: Span,
    /// Channels it names, even where it never gets, and whether in a receive.
    scope: Vec<(Expr, bool)>,
    /// The events it follows, by its locations.
    states: Vec<Vec<Event>>,
    /// Its closing brace.
    end: u32,
    /// For each location, one that means the same where no process is left: there it may
    /// rest.
    left: Vec<u32>,
}

/// What an automaton follows, and where that leads.
struct Event {
    /// Nothing stands for any event in scope: a jump.
    message: Option<Message>,
    to: u32,
}

struct Message {
    receive: bool,
    channel: Expr,
    /// Anything where there is no number.
    parts: Vec<Option<i64>>,
}

/// A message on its way.
struct Happening<'h> {
    receive: bool,
    channel: &'h Expr,
    /// When it happens.
    when: Expr,
    seen: Seen<'h>,
}

/// Where the parts of a message are found.
enum Seen<'h> {
    Sent(&'h [Expr]),
    /// It is the first of a channel; how many parts are looked at.
    Waiting(usize),
}

/// Where an automaton goes when something happens, and when that is an error.
struct Moves {
    ways: Vec<(Expr, u32)>,
    fails: Expr,
}

/// What an edge does to an automaton.
pub(super) struct Followed {
    /// When it goes where; else it stays.
    pub goes: Vec<(Expr, Statement)>,
    /// When it fails, and how.
    pub fails: Option<(Expr, Statement)>,
}

impl Lowering<'_> {
    /// Makes a process of the automaton, if there is one.
    pub(super) fn traces(&mut self) {
        let Some(mut tracing) = self.tracing.take() else { return };
        // What is wrong with it leaves the model as it is.
        let system = mem::replace(&mut self.reports, mem::take(&mut tracing.reports));
        let processes = self.network.processes.len();
        let made = self.trace(&tracing);
        let own = mem::replace(&mut self.reports, system).finish();
        let wrong = self.first_error(own);
        let why = match (made, wrong) {
            (Ok(trace), None) => return self.trace = Some(trace),
            (Err(why), None) => why,
            (_, Some(error)) => error.message,
        };
        self.network.processes.truncate(processes);
        self.unchecked(word(tracing.ast), tracing.ast.span, why);
    }

    fn trace(&mut self, tracing: &Tracing) -> Result<Trace, Refusal> {
        let flow = &tracing.flow;
        self.comparable()?;
        let numbers: BTreeMap<u32, u32> = flow.states.keys().copied().zip(0..).collect();
        let brace = numbers.iter().find(|(number, _)| is_brace(flow, **number));
        let end = brace.map_or(numbers.len() as u32, |(_, location)| *location);
        let mut states: Vec<Vec<Event>> = Vec::new();
        for (number, state) in &flow.states {
            homing_budget::checkpoint();
            let events = if is_brace(flow, *number) { &[][..] } else { &state.transitions[..] };
            let events = events.iter().map(|transition| {
                let to = transition.to.and_then(|to| numbers.get(&to)).copied().unwrap_or(end);
                Ok(Event { message: self.message(flow, transition.node)?, to })
            });
            states.push(events.collect::<Result<_, Refusal>>()?);
        }
        let scope = self.scope(flow)?;
        states.resize_with(states.len().max(end as usize + 1), Vec::new);
        let (process, left) = self.follower(tracing, states.len());
        let negated = tracing.ast.kind == syntax::ClaimKind::NoTrace;
        let span = tracing.ast.span;
        Ok(Trace { process, negated, span, scope, states, end, left })
    }

    /// Refuses programs whose events cannot be told as SPIN tells them.
    fn comparable(&self) -> Result<(), Refusal> {
        let event = |what: &What| match what {
            What::Plain(StatementKind::Send { .. }) => true,
            What::Plain(StatementKind::Receive { keep, .. }) => !keep,
            _ => false,
        };
        for ty in &self.types {
            let flow = &ty.flow;
            let sorted =
                |what: &What| matches!(what, What::Plain(StatementKind::Send { sorted: true, .. }));
            if flow.nodes.iter().any(|node| sorted(&node.what)) {
                return Err("there are sorted sends (`!!`): SPIN takes the last message of the \
                            channel for the one that is sent"
                    .into());
            }
            // There the first edge that is possible is taken: none that fails besides.
            let mut inner = flow.states.values().filter(|state| state.inner);
            if inner
                .any(|state| state.transitions.iter().any(|way| event(&flow.nodes[way.node].what)))
            {
                return Err("a `d_step` sends or receives behind its first statement".into());
            }
        }
        Ok(())
    }

    /// The channels that an automaton names, each once.
    fn scope(&mut self, flow: &Flow) -> Result<Vec<(Expr, bool)>, Refusal> {
        let mut scope: Vec<(Expr, bool)> = Vec::new();
        for node in 0..flow.nodes.len() {
            let Some(Message { receive, channel, .. }) = self.message(flow, node)? else {
                continue;
            };
            if !scope.iter().any(|(known, of)| *of == receive && alike(known, &channel)) {
                scope.push((channel, receive));
            }
        }
        Ok(scope)
    }

    /// What an automaton says of a message; nothing, if its statement is a jump.
    fn message(&mut self, flow: &Flow, node: usize) -> Result<Option<Message>, Refusal> {
        let node = &flow.nodes[node];
        let (receive, channel, parts) = match &node.what {
            What::Plain(StatementKind::Send { channel, message, sorted: false }) => {
                let parts = message.iter().map(|part| self.constant_of(part));
                (false, channel, parts.collect::<Result<Vec<_>, _>>()?)
            }
            What::Plain(StatementKind::Receive { channel, message, any: false, keep: false }) => {
                let parts = message.iter().map(|part| match part {
                    Argument::Constant(value, _) => Ok(Some(*value)),
                    Argument::Reference(reference) => Ok(self.symbol(reference)),
                    Argument::Eval(_) => Err("it compares with `eval`".to_string()),
                });
                (true, channel, parts.collect::<Result<Vec<_>, _>>()?)
            }
            What::Plain(_) | What::Nothing => {
                return Err("it has more than sends and receives".into());
            }
            _ => return Ok(None),
        };
        let cx = Context { instance: None, scope: node.scope, order: node.order, timeout: None };
        let found = self.channel_of(channel, cx);
        let (channel, _) = found.ok_or("it names a channel that is not known here")?;
        Ok(Some(Message { receive, channel, parts }))
    }

    /// What a part of a message must be; anything where a variable is named.
    fn constant_of(&mut self, part: &syntax::Expr) -> Result<Option<i64>, Refusal> {
        match &part.kind {
            ExprKind::Number(value) => Ok(Some(*value)),
            ExprKind::Reference(reference) => Ok(self.symbol(reference)),
            _ => Err("it computes what is sent".into()),
        }
    }

    fn symbol(&self, reference: &Reference) -> Option<i64> {
        let (scope, order) = (ScopeId::GLOBAL, u32::MAX);
        self.symbolic(reference, Context { instance: None, scope, order, timeout: None })
    }

    /// The process that stands for an automaton with so many states.
    fn follower(&mut self, tracing: &Tracing, states: usize) -> (ProcessId, Vec<u32>) {
        let flow = &tracing.flow;
        let named = |number: &u32| {
            let mut labels = flow.labels.iter().filter(|(_, at)| *at == number);
            labels.next().map_or_else(|| format!("S{number}"), |(name, _)| name.clone())
        };
        let mut locations: Vec<Location> = flow
            .states
            .iter()
            .map(|(number, state)| Location {
                name: named(number),
                span: state.span,
                end: state.end,
                ..Location::default()
            })
            .collect();
        let brace = Location { name: "end".into(), end: true, ..Location::default() };
        locations.resize(states, brace);
        let mut left: Vec<u32> = (0..states as u32).collect();
        for at in (0..states).filter(|at| !locations[*at].end).collect::<Vec<_>>() {
            left[at] = locations.len() as u32;
            locations.push(Location { end: true, ..locations[at].clone() });
        }
        let process = ProcessId(self.network.processes.len() as u32);
        let first = flow.states.keys().position(|number| *number == flow.start);
        self.network.processes.push(Process {
            name: word(tracing.ast).to_string(),
            span: tracing.ast.span,
            locations,
            initial: LocationId(first.unwrap_or(0) as u32),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::System,
            priority: 0,
            code: None,
        });
        (process, left)
    }

    /// What the end of the last process does to the automaton: SPIN asks it nothing then.
    pub(super) fn nobody_left(&self, pid: u32, span: Span) -> Vec<Statement> {
        let Some(trace) = self.trace.as_ref().filter(|_| pid == 0) else { return Vec::new() };
        let twins = trace.left.iter().enumerate().filter(|(at, left)| *at as u32 != **left);
        twins.fold(Vec::new(), |otherwise, (at, left)| {
            let here = trace.at(at as u32, span);
            let put = vec![trace.put(*left, span)];
            vec![Statement { kind: Do::If(here, put, otherwise), span }]
        })
    }

    /// What a send or a receive does to the automaton; nothing where it is out of scope.
    pub(super) fn followed(&mut self, action: Option<&Action>, span: Span) -> Option<Followed> {
        let trace = self.trace.take()?;
        let happenings = match action {
            Some(Action::Send { channel, message, .. }) => {
                let capacity = self.capacity(channel, span);
                let meeting = unary(Op1::Not, capacity, span);
                let seen = || Seen::Sent(message);
                let sent = Happening { receive: false, channel, when: int(1, span), seen: seen() };
                vec![sent, Happening { receive: true, channel, when: meeting, seen: seen() }]
            }
            Some(Action::Receive { channel, message, keep: false, .. }) => {
                let when = self.capacity(channel, span);
                let seen = Seen::Waiting(message.len());
                vec![Happening { receive: true, channel, when, seen }]
            }
            _ => Vec::new(),
        };
        let followed = self.follow(&trace, &happenings, span);
        self.trace = Some(trace);
        followed
    }

    /// Where happenings one after the other lead, from wherever the automaton is.
    fn follow(&self, trace: &Trace, all: &[Happening], span: Span) -> Option<Followed> {
        let mut goes: BTreeMap<u32, Expr> = BTreeMap::new();
        let mut fails = int(0, span);
        let or = |a: &Expr, b: Expr| binary(Op::Or, a.clone(), b, span);
        for from in 0..trace.states.len() as u32 {
            homing_budget::checkpoint();
            let mut ways = vec![(trace.at(from, span), from)];
            for happening in all {
                let mut longer = Vec::new();
                for (so_far, at) in ways {
                    let next = self.moves(trace, at, happening, span);
                    fails = or(&fails, binary(Op::And, so_far.clone(), next.fails, span));
                    longer.extend(
                        next.ways
                            .into_iter()
                            .map(|(when, to)| (binary(Op::And, so_far.clone(), when, span), to)),
                    );
                }
                ways = longer;
            }
            for (when, to) in ways.into_iter().filter(|(_, to)| *to != from) {
                let so_far = goes.entry(to).or_insert_with(|| int(0, span));
                *so_far = or(so_far, when);
            }
        }
        let failing = Statement { kind: Do::Assert(int(0, trace.span)), span: trace.span };
        let fails = (truth(&fails) != Some(false)).then_some((fails, failing));
        let goes = goes.into_iter().filter(|(_, when)| truth(when) != Some(false));
        let goes: Vec<_> = goes.map(|(to, when)| (when, trace.put(to, span))).collect();
        (!goes.is_empty() || fails.is_some()).then_some(Followed { goes, fails })
    }

    /// Where the automaton goes from a location.
    fn moves(&self, trace: &Trace, from: u32, happening: &Happening, span: Span) -> Moves {
        let and = |a: &Expr, b: Expr| binary(Op::And, a.clone(), b, span);
        let or = |a: &Expr, b: Expr| binary(Op::Or, a.clone(), b, span);
        let not = |a: &Expr| unary(Op1::Not, a.clone(), span);
        let in_scope = self.in_scope(trace, happening, span);
        let (mut matched, mut fails) = (int(0, span), int(0, span));
        let mut ways = Vec::new();
        for event in &trace.states[from as usize] {
            let own = and(&in_scope, self.matches(event, happening, span));
            if truth(&own) == Some(false) {
                continue;
            }
            let first = and(&own, not(&matched));
            let ends = trace.negated && event.to == trace.end;
            fails = or(&fails, and(&matched, own.clone()));
            if ends {
                fails = or(&fails, first.clone());
            }
            ways.push((first, event.to));
            matched = or(&matched, own);
        }
        let missed = and(&in_scope, not(&matched));
        if trace.negated {
            ways.push((missed, trace.end));
            ways.push((not(&in_scope), from));
        } else {
            fails = or(&fails, missed);
            ways.push((not(&matched), from));
        }
        ways.retain(|(when, _)| truth(when) != Some(false));
        Moves { ways, fails }
    }

    fn in_scope(&self, trace: &Trace, happening: &Happening, span: Span) -> Expr {
        let own = trace.scope.iter().filter(|(_, receive)| *receive == happening.receive);
        let one = own.fold(int(0, span), |any, (channel, _)| {
            binary(Op::Or, any, same(happening.channel, channel, span), span)
        });
        binary(Op::And, happening.when.clone(), one, span)
    }

    fn matches(&self, event: &Event, happening: &Happening, span: Span) -> Expr {
        let Some(message) = &event.message else { return int(1, span) };
        if message.receive != happening.receive {
            return int(0, span);
        }
        let own = happening.channel;
        let same = same(own, &message.channel, span);
        if truth(&same) == Some(false) {
            return same;
        }
        let looks_alike = match happening.seen {
            Seen::Sent(values) => {
                let pairs = values.iter().zip(&message.parts).enumerate();
                pairs.fold(int(1, span), |all, (part, (value, wanted))| {
                    let Some(wanted) = wanted else { return all };
                    let value = self.arrived(value, &[own, &message.channel], part, span);
                    let equal = binary(Op::Eq, value, int(*wanted, span), span);
                    binary(Op::And, all, equal, span)
                })
            }
            Seen::Waiting(arity) => {
                let wanted = message.parts.iter().map(|part| part.map(|value| int(value, span)));
                let mut wanted: Vec<Option<Expr>> = wanted.collect();
                wanted.resize_with(arity, || None);
                if wanted.iter().all(Option::is_none) {
                    return same;
                }
                let (channel, order) = (Box::new(own.clone()), ReceiveOrder::First);
                Expr::new(Kind::Poll { channel, message: wanted, order }, span)
            }
        };
        binary(Op::And, same, looks_alike, span)
    }
}

impl Trace {
    fn at(&self, location: u32, span: Span) -> Expr {
        Expr::new(Kind::At(self.process, LocationId(location)), span)
    }

    fn put(&self, location: u32, span: Span) -> Statement {
        Statement { kind: Do::Put(self.process, LocationId(location)), span }
    }
}

fn word(ast: &syntax::Claim) -> &'static str {
    match ast.kind {
        syntax::ClaimKind::NoTrace => "notrace",
        _ => "trace",
    }
}
