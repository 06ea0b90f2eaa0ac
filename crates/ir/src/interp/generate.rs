//! The steps of a state, before they are executed.
//!
//! A step is put together from participants. Each has choices: an edge, one of
//! its branches, and what that edge stores of the message. Every combination
//! of choices is a step.

use super::execute::{Plan, QueueChange, Store};
use super::{Interpreter, RuntimeError, State};
use crate::network::{
    Action, ChannelId, ChannelKind, Composition, Edge, EdgeRef, EffectOrder, Expr, ExprKind, Guard,
    ProcessId, SendOrder, SyncVector, Urgency,
};
use crate::trace::Step;

/// A step and what it does, or why it fails.
pub(super) struct Move {
    pub step: Step,
    pub plan: Result<Plan, RuntimeError>,
}

/// One way a participant may move.
#[derive(Clone)]
pub(super) struct Choice {
    edge: EdgeRef,
    stores: Vec<Store>,
}

/// Whether `else` and `timeout` hold.
struct Residual {
    /// For every process whether it can move without them; `None` where no
    /// `else` holds.
    moved: Option<Vec<bool>>,
    timeout: bool,
}

/// In which order the effects of a step's edges run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsListed,
    /// As [`Network::effect_order`](crate::Network) says; the sender is listed first.
    SenderAndReceivers,
}

impl<'a> Interpreter<'a> {
    /// The steps of a state, faults included, in the documented order.
    pub(super) fn moves(&self, state: &State) -> Vec<Move> {
        let mut moves = self.generate(state, Residual { moved: None, timeout: false });
        if self.residual_guards {
            let moved = self.movers(&moves);
            moves = self.generate(state, Residual { moved: Some(moved.clone()), timeout: false });
            if moves.is_empty() {
                moves = self.generate(state, Residual { moved: Some(moved), timeout: true });
            }
        }
        let greatest = moves.iter().map(|one| self.priority(&one.step)).max();
        moves.retain(|one| Some(self.priority(&one.step)) == greatest);
        moves
    }

    fn movers(&self, moves: &[Move]) -> Vec<bool> {
        let mut moved = vec![false; self.network.processes.len()];
        for edge in moves.iter().flat_map(|one| &one.step.edges) {
            moved[edge.process.index()] = true;
        }
        moved
    }

    fn priority(&self, step: &Step) -> (Option<i32>, Option<i32>) {
        let edges = step.edges.iter().map(|edge| self.network.edge(*edge).priority);
        let processes =
            step.edges.iter().map(|edge| self.network.processes[edge.process.index()].priority);
        (edges.max(), processes.max())
    }

    fn generate(&self, state: &State, residual: Residual) -> Vec<Move> {
        let mut generator =
            Generator { interpreter: self, state, committed: false, residual, moves: Vec::new() };
        generator.committed =
            self.network.system_processes().any(|(id, _)| generator.is_committed(id));
        match self.network.composition {
            Composition::Interleaved => generator.interleaved(),
            Composition::Synchronous => generator.synchronous(),
        }
        generator.moves
    }
}

/// Collects the steps of one state.
pub(super) struct Generator<'g> {
    pub interpreter: &'g Interpreter<'g>,
    pub state: &'g State,
    /// Whether some process is at a committed location.
    committed: bool,
    residual: Residual,
    moves: Vec<Move>,
}

impl<'g> Generator<'g> {
    fn interleaved(&mut self) {
        let network = self.interpreter.network;
        for (process, _) in network.system_processes() {
            for (at, edge) in self.edges(process) {
                match &edge.action {
                    None => self.alone(at, edge),
                    Some(Action::Send { channel, .. }) => self.send(at, edge, channel),
                    Some(Action::Receive { .. }) => self.receive(at, edge),
                    Some(Action::Label(_)) => {}
                }
            }
        }
        for vector in &network.vectors {
            self.vector(vector);
        }
    }

    fn is_committed(&self, process: ProcessId) -> bool {
        let locations = &self.interpreter.network.processes[process.index()].locations;
        let here = self.state.location(process).map(|location| &locations[location.index()]);
        here.is_some_and(|location| location.urgency == Urgency::Committed)
    }

    /// The edges of a process at its location, as far as commitment lets it
    /// move at all.
    fn edges(&self, process: ProcessId) -> Vec<(EdgeRef, &'g Edge)> {
        if self.committed && !self.is_committed(process) {
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
        match edge.guard {
            Guard::Otherwise { .. } => Ok(self.else_holds(at.process)),
            Guard::Timeout(_) => Ok(self.residual.timeout),
            Guard::Always | Guard::When(_) => self.ordinary(edge),
        }
    }

    /// Whether a guard holds that is neither `else` nor `timeout`.
    fn ordinary(&self, edge: &Edge) -> Result<bool, RuntimeError> {
        match &edge.guard {
            Guard::Always => Ok(true),
            Guard::When(condition) => Ok(self.value(condition)? != 0),
            Guard::Otherwise { .. } | Guard::Timeout(_) => Ok(false),
        }
    }

    fn else_holds(&self, process: ProcessId) -> bool {
        match self.interpreter.network.composition {
            Composition::Interleaved => {
                self.residual.moved.as_ref().is_some_and(|moved| !moved[process.index()])
            }
            Composition::Synchronous => {
                self.edges(process).iter().all(|(_, edge)| self.ordinary(edge) == Ok(false))
            }
        }
    }

    fn alone(&mut self, at: EdgeRef, edge: &Edge) {
        match self.holds(at, edge) {
            Err(error) => self.fault(&[at], error),
            Ok(false) => {}
            Ok(true) => self.combine(&[self.choices(at, Vec::new())], None, Order::AsListed),
        }
    }

    fn send(&mut self, at: EdgeRef, edge: &Edge, channel: &Expr) {
        match channel.kind {
            ExprKind::Channel(id) if self.kind(id) == ChannelKind::Rendezvous => {
                let receivers = self.receivers(at.process, id);
                match (receivers.first(), self.holds(at, edge)) {
                    (Some((first, _)), Err(error)) => self.fault(&[at, *first], error),
                    (Some(_), Ok(true)) => self.rendezvous(at, edge, id),
                    (None, _) | (_, Ok(false)) => {}
                }
            }
            _ => match self.open_channel(at, edge) {
                Err(error) => self.fault(&[at], error),
                Ok(None) => {}
                Ok(Some(id)) => match self.kind(id) {
                    ChannelKind::Rendezvous => self.rendezvous(at, edge, id),
                    ChannelKind::Broadcast => self.broadcast(at, edge, id),
                    ChannelKind::Buffered(capacity) => {
                        self.enqueue(at, edge, id, capacity as usize)
                    }
                },
            },
        }
    }

    pub(super) fn kind(&self, channel: ChannelId) -> ChannelKind {
        self.interpreter.network.channels[channel.index()].kind
    }

    /// The channel of an edge, if its guard holds and the channel has messages
    /// of the form that the edge sends or receives.
    pub(super) fn open_channel(
        &self,
        at: EdgeRef,
        edge: &Edge,
    ) -> Result<Option<ChannelId>, RuntimeError> {
        let (channel, parts) = match &edge.action {
            Some(Action::Send { channel, message, .. }) => (channel, message.len()),
            Some(Action::Receive { channel, message, .. }) => (channel, message.len()),
            Some(Action::Label(_)) | None => return Ok(None),
        };
        if !self.holds(at, edge)? {
            return Ok(None);
        }
        let id = self.interpreter.channel(self.interpreter.view(self.state), channel)?;
        let channels = &self.interpreter.network.channels;
        Ok(id.filter(|id| channels[id.index()].message.len() == parts))
    }

    /// The edges of other processes that receive from `channel`, or may do so
    /// because their channel is not a constant.
    fn receivers(&self, sender: ProcessId, channel: ChannelId) -> Vec<(EdgeRef, &'g Edge)> {
        let others = self.interpreter.network.system_processes().filter(|(id, _)| *id != sender);
        let edges = others.flat_map(|(id, _)| self.edges(id));
        edges
            .filter(|(_, edge)| match &edge.action {
                Some(Action::Receive { channel: from, .. }) => match from.kind {
                    ExprKind::Channel(id) => id == channel,
                    _ => true,
                },
                _ => false,
            })
            .collect()
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
        for (receiver, receiving) in self.receivers(at.process, channel) {
            let stores =
                self.reception(receiver, receiving, channel, &|| self.message_of(edge, channel));
            match stores {
                Err(error) => self.fault(&[at, receiver], error),
                Ok(None) => {}
                Ok(Some(stores)) => {
                    let participants =
                        [self.choices(at, Vec::new()), self.choices(receiver, stores)];
                    self.combine(&participants, None, Order::SenderAndReceivers);
                }
            }
        }
    }

    /// The sender's guard holds already.
    fn broadcast(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId) {
        let message = match self.message_of(edge, channel) {
            Ok(message) => message,
            Err(error) => return self.fault(&[at], error),
        };
        let mut participants = vec![self.choices(at, Vec::new())];
        let mut last = None;
        for (receiver, receiving) in self.receivers(at.process, channel) {
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
        self.combine(&participants, None, Order::SenderAndReceivers);
    }

    /// The sender's guard holds already.
    fn enqueue(&mut self, at: EdgeRef, edge: &Edge, channel: ChannelId, capacity: usize) {
        let buffer = self.state.buffer(channel);
        if buffer.len() >= capacity {
            return;
        }
        let message = match self.message_of(edge, channel) {
            Ok(message) => message,
            Err(error) => return self.fault(&[at], error),
        };
        let position = match &edge.action {
            Some(Action::Send { order: SendOrder::Sorted, .. }) => {
                buffer.iter().position(|other| *other > message).unwrap_or(buffer.len())
            }
            _ => buffer.len(),
        };
        let change = QueueChange::Insert { channel, position, message };
        self.combine(&[self.choices(at, Vec::new())], Some(change), Order::AsListed);
    }

    fn receive(&mut self, at: EdgeRef, edge: &Edge) {
        match self.buffered_reception(at, edge) {
            Err(error) => self.fault(&[at], error),
            Ok(None) => {}
            Ok(Some((change, stores))) => {
                self.combine(&[self.choices(at, stores)], change, Order::AsListed);
            }
        }
    }

    fn vector(&mut self, vector: &SyncVector) {
        let labelled =
            |edge: &Edge, wanted| matches!(edge.action, Some(Action::Label(l)) if l == wanted);
        let candidates = vector.participants.iter().map(|(process, label)| {
            let mut edges = self.edges(*process);
            edges.retain(|(_, edge)| labelled(edge, *label));
            edges
        });
        let candidates = candidates.collect();
        self.together(candidates);
    }

    fn synchronous(&mut self) {
        let processes = self.interpreter.network.system_processes();
        let running = processes.filter(|(id, _)| self.state.location(*id).is_some());
        let candidates = running.map(|(id, _)| self.edges(id)).collect();
        self.together(candidates);
    }

    /// Steps in which every participant takes one of its candidates.
    fn together(&mut self, candidates: Vec<Vec<(EdgeRef, &Edge)>>) {
        if candidates.is_empty() || candidates.iter().any(Vec::is_empty) {
            return;
        }
        let mut participants = Vec::new();
        for edges in candidates {
            let mut choices = Vec::new();
            for (at, edge) in edges {
                match self.holds(at, edge) {
                    Err(error) => return self.fault(&[at], error),
                    Ok(false) => {}
                    Ok(true) => choices.extend(self.choices(at, Vec::new())),
                }
            }
            if choices.is_empty() {
                return;
            }
            participants.push(choices);
        }
        self.combine(&participants, None, Order::AsListed);
    }

    /// One choice for every branch of an edge.
    fn choices(&self, at: EdgeRef, stores: Vec<Store>) -> Vec<Choice> {
        let branches = 0..self.interpreter.network.edge(at).branches.len() as u32;
        branches
            .map(|branch| Choice { edge: EdgeRef { branch, ..at }, stores: stores.clone() })
            .collect()
    }

    fn fault(&mut self, edges: &[EdgeRef], error: RuntimeError) {
        self.moves.push(Move { step: Step::new(edges.to_vec()), plan: Err(error) });
    }

    fn combine(&mut self, participants: &[Vec<Choice>], queue: Option<QueueChange>, order: Order) {
        for combination in combinations(participants) {
            let edges: Vec<EdgeRef> = combination.iter().map(|choice| choice.edge).collect();
            let stores =
                combination.iter().flat_map(|choice| choice.stores.iter().copied()).collect();
            let mut effects = edges.clone();
            let receiver_first =
                self.interpreter.network.effect_order == EffectOrder::ReceiverFirst;
            if order == Order::SenderAndReceivers && receiver_first {
                effects.rotate_left(1);
            }
            let plan = Plan { queue: queue.clone(), stores, effects };
            self.moves.push(Move { step: Step::new(edges), plan: Ok(plan) });
        }
    }
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
