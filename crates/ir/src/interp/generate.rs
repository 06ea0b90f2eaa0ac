//! The moves of a state, before they are executed.
//!
//! A move is put together from participants. Each has choices: an edge, one of
//! its branches, and what that edge stores of the message. Every combination
//! of choices is a move. What follows it within one step is found in
//! `sequence.rs`.

use super::execute::{Passed, Plan, Store, Way};
use super::sequence::Control;
use super::{Interpreter, RuntimeError, State};
use crate::network::{
    Action, ChannelId, ChannelKind, Commitment, Composition, Edge, EdgeRef, EffectOrder, Expr,
    ExprKind, Guard, ProcessId, SendOrder, SyncVector, Urgency,
};

/// The edges taken together and what they do, or why they fail.
pub(super) struct Move {
    pub edges: Vec<EdgeRef>,
    pub plan: Result<Plan, RuntimeError>,
    /// Who holds control afterwards.
    pub control: Option<Control>,
}

/// One way a participant may move.
#[derive(Clone)]
pub(super) struct Choice {
    edge: EdgeRef,
    stores: Vec<Store>,
}

/// How the edges of a move belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alone,
    /// The sender is listed first.
    Rendezvous,
    /// The sender is listed first.
    Broadcast,
    /// A vector, or a step of a synchronous network.
    Together,
}

impl<'a> Interpreter<'a> {
    /// The moves of a state where nobody holds control, faults included, in
    /// the documented order.
    pub(super) fn moves(&self, state: &State) -> Vec<Move> {
        let mut moves = self.lawful(state, self.generate(state, None, false));
        if moves.is_empty() && self.timeouts {
            moves = self.lawful(state, self.generate(state, None, true));
        }
        let greatest = moves.iter().map(|one| self.priority(&one.edges)).max();
        moves.retain(|one| Some(self.priority(&one.edges)) == greatest);
        moves
    }

    /// The moves of a state where a process holds control, in the same order.
    pub(super) fn held_moves(&self, state: &State, control: Control) -> Vec<Move> {
        let mut moves = self.lawful(state, self.generate(state, Some(control.process), false));
        if control.deterministic {
            moves.truncate(1);
        }
        moves
    }

    /// Of moves, only those of the greatest remain.
    pub(super) fn priority(&self, edges: &[EdgeRef]) -> (Option<i32>, Option<i32>) {
        let of_edges = edges.iter().map(|edge| self.network.edge(*edge).priority);
        let of_processes =
            edges.iter().map(|edge| self.network.processes[edge.process.index()].priority);
        (of_edges.max(), of_processes.max())
    }

    /// The moves of a state whatever invariants and priorities say, where `judge`
    /// says which guards hold.
    pub(super) fn judged(&self, state: &State, judge: &Judge) -> Vec<Move> {
        let mut generator = Generator::new(self, state);
        generator.judge = Some(judge);
        generator.all();
        generator.moves
    }

    /// Whether a process is at a committed location.
    pub(super) fn is_committed(&self, state: &State, process: ProcessId) -> bool {
        let locations = &self.network.processes[process.index()].locations;
        let here = state.location(process).map(|location| &locations[location.index()]);
        here.is_some_and(|location| location.urgency == Urgency::Committed)
    }

    /// Whether some moves come before others.
    pub(super) fn ranked(&self) -> bool {
        let mut processes = self.network.system_processes();
        processes.any(|(_, process)| {
            process.priority != 0 || process.edges.iter().any(|edge| edge.priority != 0)
        })
    }

    /// The moves of a state whatever invariants and priorities say.
    pub(super) fn candidates(&self, state: &State) -> Vec<Move> {
        self.generate(state, None, false)
    }

    fn generate(&self, state: &State, holder: Option<ProcessId>, timeout: bool) -> Vec<Move> {
        let mut generator = Generator::new(self, state);
        generator.timeout = timeout;
        match holder {
            Some(holder) => generator.held(holder),
            None => generator.all(),
        }
        generator.moves
    }
}

/// Says whether the guard of an edge holds.
pub(super) type Judge<'j> = dyn Fn(EdgeRef) -> Result<bool, RuntimeError> + 'j;

/// Collects the moves of one state.
pub(super) struct Generator<'g> {
    pub interpreter: &'g Interpreter<'g>,
    pub state: &'g State,
    /// Whether some process is at a committed location, and that matters.
    committed: bool,
    /// Whether one participant at a committed location is enough.
    any: bool,
    /// Whether a process holds control.
    held: bool,
    /// Whether no other move is possible.
    timeout: bool,
    /// Whether somebody else says which guards hold.
    judge: Option<&'g Judge<'g>>,
    moves: Vec<Move>,
}

impl<'g> Generator<'g> {
    fn new(interpreter: &'g Interpreter<'g>, state: &'g State) -> Generator<'g> {
        Generator {
            interpreter,
            state,
            committed: false,
            any: interpreter.network.commitment == Commitment::Any,
            held: false,
            timeout: false,
            judge: None,
            moves: Vec::new(),
        }
    }

    /// The moves where nobody holds control.
    fn all(&mut self) {
        let mut processes = self.interpreter.network.system_processes();
        self.committed = processes.any(|(id, _)| self.is_committed(id));
        match self.interpreter.network.composition {
            Composition::Interleaved => self.interleaved(),
            Composition::Synchronous => self.synchronous(),
        }
    }

    fn interleaved(&mut self) {
        let network = self.interpreter.network;
        for (process, _) in network.system_processes() {
            self.led_by(process);
        }
        for vector in &network.vectors {
            self.vector(vector);
        }
    }

    /// What a process that holds control does: all it does alone or as the
    /// sender of a rendezvous.
    fn held(&mut self, holder: ProcessId) {
        self.held = true;
        self.led_by(holder);
    }

    fn led_by(&mut self, process: ProcessId) {
        for (at, edge) in self.edges(process) {
            match &edge.action {
                Some(Action::Send { channel, .. }) => self.send(at, edge, channel),
                Some(Action::Label(_)) => {}
                None | Some(Action::Receive { .. }) if !self.leads(process) => {}
                None => self.alone(at, edge),
                Some(Action::Receive { .. }) => self.receive(at, edge),
            }
        }
    }

    fn is_committed(&self, process: ProcessId) -> bool {
        self.interpreter.is_committed(self.state, process)
    }

    /// Whether commitment lets a process move alone, and others with it.
    fn leads(&self, process: ProcessId) -> bool {
        !self.committed || self.is_committed(process)
    }

    /// The edges of a process at its location, as far as commitment lets it
    /// move at all.
    fn edges(&self, process: ProcessId) -> Vec<(EdgeRef, &'g Edge)> {
        if !self.any && !self.leads(process) {
            return Vec::new();
        }
        let edges = self.interpreter.network.processes[process.index()].edges.iter().enumerate();
        let here = self.state.location(process);
        edges
            .filter(|(_, edge)| here == Some(edge.from))
            .map(|(i, edge)| (EdgeRef { process, edge: i as u32, branch: 0 }, edge))
            .collect()
    }

    pub(super) fn value(&self, expr: &Expr) -> Result<i64, RuntimeError> {
        self.interpreter.eval(self.state, expr)
    }

    /// Whether the guard of an edge holds.
    pub(super) fn holds(&self, at: EdgeRef, edge: &Edge) -> Result<bool, RuntimeError> {
        if let Some(judge) = self.judge {
            return judge(at);
        }
        match &edge.guard {
            Guard::Always => Ok(true),
            Guard::When(condition) => Ok(self.value(condition)? != 0),
            Guard::Timeout(condition) => Ok(self.timeout && self.value(condition)? != 0),
            Guard::Otherwise { before, when } => Ok(self.value(when)? != 0
                && !any(&self.taken_alone(at.process, *before as usize), *before)?),
        }
    }

    /// For each of the first edges of a process at its location whether it can
    /// be taken alone. Each looks at results of earlier ones only.
    fn taken_alone(&self, process: ProcessId, first: usize) -> Vec<Result<bool, RuntimeError>> {
        let mut taken = Vec::with_capacity(first);
        for (at, edge) in self.edges(process).into_iter().take(first) {
            let guard = match &edge.guard {
                Guard::Timeout(_) => Ok(false),
                Guard::Otherwise { before, when } => match self.value(when) {
                    Ok(0) => Ok(false),
                    Ok(_) => any(&taken, *before).map(|found| !found),
                    Err(error) => Err(error),
                },
                Guard::Always | Guard::When(_) => self.holds(at, edge),
            };
            taken.push(match guard {
                Ok(true) => self.is_possible_alone(edge),
                no => no,
            });
        }
        taken
    }

    /// Whether what an edge does besides its guard is possible for its process
    /// alone. The parts of a message and the indices of places are not
    /// evaluated for this.
    fn is_possible_alone(&self, edge: &Edge) -> Result<bool, RuntimeError> {
        match &edge.action {
            None => Ok(true),
            Some(Action::Label(_)) => Ok(false),
            Some(Action::Send { channel, .. }) => Ok(match self.kind(self.existing(channel)?) {
                ChannelKind::Buffered(capacity) => {
                    self.state.buffer(self.existing(channel)?).len() < capacity as usize
                }
                ChannelKind::Rendezvous | ChannelKind::Broadcast => false,
            }),
            Some(Action::Receive { channel, message, order, keep }) => {
                let id = self.existing(channel)?;
                if *keep {
                    self.interpreter.buffered(id, channel.span)?;
                }
                Ok(self.waiting(id, message, *order)?.is_some())
            }
        }
    }

    fn alone(&mut self, at: EdgeRef, edge: &Edge) {
        match self.holds(at, edge) {
            Err(error) => self.fault(&[at], error),
            Ok(false) => {}
            Ok(true) => self.combine(&[self.choices(at, Vec::new())], None, Kind::Alone),
        }
    }

    fn send(&mut self, at: EdgeRef, edge: &Edge, channel: &Expr) {
        match channel.kind {
            ExprKind::Channel(id)
                if self.kind(id) == ChannelKind::Rendezvous && self.whole(edge, id).is_ok() =>
            {
                let receivers = self.partners(at.process, id);
                match (receivers.first(), self.holds(at, edge)) {
                    (Some((first, _)), Err(error)) => self.fault(&[at, *first], error),
                    (Some(_), Ok(true)) => self.rendezvous(at, edge, id),
                    (None, _) | (_, Ok(false)) => {}
                }
            }
            ExprKind::Channel(id) if self.kind(id) == ChannelKind::Broadcast && self.held => {}
            _ => match self.open_channel(at, edge) {
                Err(error) => self.fault_alone(at, error),
                Ok(None) => {}
                Ok(Some(id)) => self.send_on(at, edge, id),
            },
        }
    }

    /// The sender's guard holds already.
    fn send_on(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId) {
        let kind = self.kind(channel);
        match (kind, self.whole(edge, channel)) {
            (ChannelKind::Buffered(_), _) if !self.leads(at.process) => {}
            (ChannelKind::Buffered(capacity), _) => {
                self.enqueue(at, edge, channel, capacity as usize);
            }
            (_, Err(error)) => self.fault_alone(at, error),
            (ChannelKind::Rendezvous, Ok(())) => self.rendezvous(at, edge, channel),
            (ChannelKind::Broadcast, Ok(())) if self.held => {}
            (ChannelKind::Broadcast, Ok(())) => self.broadcast(at, edge, channel),
        }
    }

    /// A failure of a process by itself, which commitment may keep from moving.
    fn fault_alone(&mut self, at: EdgeRef, error: RuntimeError) {
        if self.leads(at.process) {
            self.fault(&[at], error);
        }
    }

    pub(super) fn kind(&self, channel: ChannelId) -> ChannelKind {
        self.interpreter.network.channels[channel.index()].kind
    }

    /// The edges of other processes that receive from `channel`, or may do so
    /// because their channel is not a constant.
    fn receivers(&self, sender: ProcessId, channel: ChannelId) -> Vec<(EdgeRef, &'g Edge)> {
        let others = self.interpreter.network.system_processes().filter(|(id, _)| *id != sender);
        let edges = others.flat_map(|(id, _)| self.edges(id));
        edges
            .filter(|(_, edge)| match &edge.action {
                Some(Action::Receive { channel: from, keep: false, .. }) => match from.kind {
                    ExprKind::Channel(id) => id == channel,
                    _ => true,
                },
                _ => false,
            })
            .collect()
    }

    /// Those of the receivers that a sender may meet alone.
    fn partners(&self, sender: ProcessId, channel: ChannelId) -> Vec<(EdgeRef, &'g Edge)> {
        let mut receivers = self.receivers(sender, channel);
        receivers.retain(|(at, _)| self.leads(sender) || self.leads(at.process));
        receivers
    }

    fn message_of(&self, edge: &Edge, channel: ChannelId) -> Result<Vec<i64>, RuntimeError> {
        match &edge.action {
            Some(Action::Send { message, .. }) => {
                let view = self.interpreter.view(self.state);
                self.interpreter.message(view, channel, message)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The sender's guard holds already.
    fn rendezvous(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId) {
        for (receiver, receiving) in self.partners(at.process, channel) {
            let stores =
                self.reception(receiver, receiving, channel, &|| self.message_of(edge, channel));
            match stores {
                Err(error) => self.fault(&[at, receiver], error),
                Ok(None) => {}
                Ok(Some(stores)) => {
                    let participants =
                        [self.choices(at, Vec::new()), self.choices(receiver, stores)];
                    // It was asked for already, and did not fail.
                    let message = self.message_of(edge, channel).unwrap_or_default();
                    let passed = Passed { channel, message, way: Way::Direct };
                    self.combine(&participants, Some(passed), Kind::Rendezvous);
                }
            }
        }
    }

    /// The sender's guard holds already.
    fn broadcast(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId) {
        let receivers = self.receivers(at.process, channel);
        if !self.leads(at.process) && !receivers.iter().any(|(at, _)| self.leads(at.process)) {
            return;
        }
        let message = match self.message_of(edge, channel) {
            Ok(message) => message,
            Err(error) => return self.fault(&[at], error),
        };
        let mut participants = vec![self.choices(at, Vec::new())];
        let mut last = None;
        for (receiver, receiving) in receivers {
            match self.reception(receiver, receiving, channel, &|| Ok(message.clone())) {
                Err(error) => return self.fault(&[at, receiver], error),
                Ok(None) => {}
                Ok(Some(stores)) => {
                    let choices = self.choices(receiver, stores);
                    match participants.last_mut() {
                        Some(others) if last == Some(receiver.process) => others.extend(choices),
                        _ => participants.push(choices),
                    }
                    last = Some(receiver.process);
                }
            }
        }
        let passed = Passed { channel, message, way: Way::Direct };
        if self.leads_one(&participants) {
            self.combine(&participants, Some(passed), Kind::Broadcast);
        }
    }

    /// Whether commitment lets these move together.
    fn leads_one(&self, participants: &[Vec<Choice>]) -> bool {
        let mut processes = participants.iter().flatten().map(|choice| choice.edge.process);
        processes.any(|process| self.leads(process))
    }

    /// The sender's guard holds already.
    fn enqueue(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId, capacity: usize) {
        let buffer = self.state.buffer(channel);
        if buffer.len() >= capacity {
            return;
        }
        let whole = self.whole(edge, channel);
        let message = match whole.and_then(|()| self.message_of(edge, channel)) {
            Ok(message) => message,
            Err(error) => return self.fault(&[at], error),
        };
        let position = match &edge.action {
            Some(Action::Send { order: SendOrder::Sorted, .. }) => {
                buffer.iter().position(|other| *other > message).unwrap_or(buffer.len())
            }
            _ => buffer.len(),
        };
        let passed = Passed { channel, message, way: Way::Inserted(position) };
        self.combine(&[self.choices(at, Vec::new())], Some(passed), Kind::Alone);
    }

    fn receive(&mut self, at: EdgeRef, edge: &Edge) {
        match self.buffered_reception(at, edge) {
            Err(error) => self.fault(&[at], error),
            Ok(None) => {}
            Ok(Some((passed, stores))) => {
                self.combine(&[self.choices(at, stores)], Some(passed), Kind::Alone);
            }
        }
    }

    fn vector(&mut self, vector: &SyncVector) {
        let labelled =
            |edge: &Edge, wanted| matches!(edge.action, Some(Action::Label(l)) if l == wanted);
        let candidates = vector.participants.iter().map(|participant| {
            let mut edges = self.edges(participant.process);
            edges.retain(|(_, edge)| labelled(edge, participant.label));
            (edges, participant.optional)
        });
        let candidates = candidates.collect();
        self.together(candidates);
    }

    fn synchronous(&mut self) {
        let processes = self.interpreter.network.system_processes();
        let running = processes.filter(|(id, _)| self.state.location(*id).is_some());
        let candidates = running.map(|(id, _)| (self.edges(id), false)).collect();
        self.together(candidates);
    }

    /// Steps in which every participant takes one of its candidates, an optional
    /// one if it can.
    fn together(&mut self, candidates: Vec<(Vec<(EdgeRef, &Edge)>, bool)>) {
        let all = candidates.iter().flat_map(|(edges, _)| edges);
        let led = all.map(|(at, _)| at.process).any(|process| self.leads(process));
        if !led || candidates.iter().any(|(edges, optional)| edges.is_empty() && !optional) {
            return;
        }
        let mut participants = Vec::new();
        for (edges, optional) in candidates {
            let mut choices = Vec::new();
            for (at, edge) in edges {
                match self.holds(at, edge) {
                    Err(error) => return self.fault(&[at], error),
                    Ok(false) => {}
                    Ok(true) => choices.extend(self.choices(at, Vec::new())),
                }
            }
            match (choices.is_empty(), optional) {
                (true, true) => {}
                (true, false) => return,
                (false, _) => participants.push(choices),
            }
        }
        if self.leads_one(&participants) {
            self.combine(&participants, None, Kind::Together);
        }
    }

    /// One choice for every branch of an edge.
    fn choices(&self, at: EdgeRef, stores: Vec<Store>) -> Vec<Choice> {
        let branches = 0..self.interpreter.network.edge(at).branches.len() as u32;
        branches
            .map(|branch| Choice { edge: EdgeRef { branch, ..at }, stores: stores.clone() })
            .collect()
    }

    fn fault(&mut self, edges: &[EdgeRef], error: RuntimeError) {
        self.moves.push(Move { edges: edges.to_vec(), plan: Err(error), control: None });
    }

    fn combine(&mut self, participants: &[Vec<Choice>], passed: Option<Passed>, kind: Kind) {
        for combination in combinations(participants) {
            let edges: Vec<EdgeRef> = combination.iter().map(|choice| choice.edge).collect();
            let stores =
                combination.iter().flat_map(|choice| choice.stores.iter().copied()).collect();
            let mut effects = edges.clone();
            let receiver_first =
                self.interpreter.network.effect_order == EffectOrder::ReceiverFirst;
            if matches!(kind, Kind::Rendezvous | Kind::Broadcast) && receiver_first {
                effects.rotate_left(1);
            }
            let plan = Plan { passed: passed.clone(), stores, effects };
            let control = match kind {
                Kind::Alone | Kind::Rendezvous => self.interpreter.control_after(&edges),
                Kind::Broadcast | Kind::Together => None,
            };
            self.moves.push(Move { edges, plan: Ok(plan), control });
        }
    }
}

/// Whether one of the first `before` is true; the first failure counts, if none
/// before it is.
fn any(taken: &[Result<bool, RuntimeError>], before: u32) -> Result<bool, RuntimeError> {
    let mut first = taken.iter().take(before as usize);
    first.find(|one| **one != Ok(false)).copied().unwrap_or(Ok(false))
}

/// All ways to take one choice of every participant, the last varying fastest.
fn combinations<'c>(participants: &'c [Vec<Choice>]) -> Vec<Vec<&'c Choice>> {
    participants.iter().fold(vec![Vec::new()], |prefixes: Vec<Vec<&'c Choice>>, choices| {
        let extended = prefixes.iter().flat_map(|prefix| {
            choices.iter().map(move |choice| prefix.iter().copied().chain([choice]).collect())
        });
        extended.collect()
    })
}
