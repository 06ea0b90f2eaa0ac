//! The reference interpreter: plain, slow, obviously right.
//!
//! It executes a [`Network`] as the section "What a network means" of
//! [`crate::network`] says, and shares no code with what is compiled from a
//! [`System`](crate::System). Every counterexample is replayed by it before it
//! is shown, and every engine is compared with it on random networks.
//!
//! # The order of moves
//!
//! A step is a move or, where a process holds control after it, a sequence of
//! moves. Of an interleaved network: process by process, edge by edge in the order of
//! declaration, the steps that an edge alone or as sender starts; then vector
//! by vector. A sender meets receivers process by process, edge by edge. Where
//! several participants have several edges or branches to choose from, the
//! choice of the last participant varies fastest. Of a synchronous network:
//! all combinations of one edge and branch a process, the last process
//! varying fastest.
//!
//! # What is evaluated, and in which order
//!
//! The first failure makes the step a fault: it is listed among the steps, in
//! its place, leads to no state, and what would be evaluated after it is not.
//! A fault before the branches are known names branch 0 of its edges. A fault
//! counts as a step: a state with a fault is not a deadlock. Neither is one where
//! every process that is running is at an end location.
//!
//! Always first: the locations, then commitment. While any process of the
//! system is at a committed location, edges of processes that are not do not
//! exist, neither alone nor in synchronisations
//! ([`Commitment::All`](crate::network::Commitment)); or they exist, but of the
//! participants of a step one must be at such a location (`Any`). Then a process
//! that is not moves neither alone nor on buffers, meets in a rendezvous only
//! those who are, and nothing is evaluated of a broadcast or vector unless one of
//! those who may take part is.
//! - *Alone*: the guard.
//! - *Buffered send*: the guard, the channel, whether there is room, the parts
//!   of the message from left to right, each fitted to its type.
//! - *Buffered receive*: the guard, the channel, then for the first message
//!   (or one message after the other) the values to match from left to right
//!   up to the first that differs, then the indices of the places stored in.
//! - *Rendezvous*: the sender's guard; it fails once, as a fault of the sender
//!   and the first receiver that may share its channel. Then for each
//!   receiver: its guard, its channel, the message, the values to match from
//!   left to right up to the first that differs, the indices of places.
//! - *Broadcast*: the sender's guard and the message, a fault of the sender
//!   alone; then for each edge that may receive what a rendezvous evaluates
//!   for a receiver; the first that fails makes the whole broadcast one fault
//!   of the sender and that receiver.
//! - *Vector*: nothing unless every participant that is not optional has an edge
//!   with its label at its location; then guard by guard, participant by
//!   participant, up to the first participant without an enabled edge that is not
//!   optional. An optional one without stays where it is; if nobody moves, there is
//!   no step. The first guard that fails makes the whole vector one fault of that
//!   edge.
//! - *Synchronous step*: as a vector of all processes that are running.
//! - Where a *sender's channel is not a constant*, its guard and channel are
//!   evaluated before any receiver is looked at, and fail for it alone.
//! - *Misuse of a channel* ([`crate::network`] says what that is) is a fault of the
//!   edge alone, at the place where its channel is evaluated; for messages of another
//!   number of parts, where it is known that there is room or that one matches. Only
//!   a receiver in a rendezvous or broadcast for whom the message is too long or too
//!   short fails together with the sender.
//!
//! Execution then changes the buffer, stores what was received (receivers in
//! process order, parts from left to right), and runs the effects participant
//! by participant; each participant changes its location after its own
//! effects. An assignment evaluates the value, then the indices of its place,
//! then fits the value. A start evaluates the arguments, looks for a free
//! slot, gives the variables of the process their initial values, stores the
//! arguments, and then stores the process. The variables of a process that
//! ends return to their initial values.
//!
//! Last, the invariants of the locations of the state reached are evaluated, in
//! process order: where one does not hold, the move does not exist, neither for
//! `timeout` guards nor for priorities; where its evaluation fails first, the move
//! is a fault. A state in which an invariant does not hold, which only the initial
//! one can be, has no moves.
//!
//! # Time
//!
//! A step is a delay and then what is said above. Clocks are exact: they hold
//! multiples of one part of a unit of time, of which a state says how many there
//! are ([`State::unit`]). `time.rs` says when time may pass, `deadlock.rs` what a
//! deadlock is where it may. [`Interpreter::steps`] lists the steps without a
//! delay, [`Interpreter::delay`] lets time pass.
//!
//! # Else, timeout, priorities
//!
//! An *otherwise* guard evaluates its condition; where that holds, it looks at
//! the edges that count, from the first to the last, and holds if none of them
//! can be taken alone. Of such an edge the guard is evaluated (a `timeout` does
//! not hold), then the channel, then whether there is room, or whether a
//! message waits that matches; neither the parts of a message sent, nor their
//! number, nor the indices of places are. A rendezvous, a broadcast or a label is never taken
//! alone. Where a failure is met before an edge that can be taken, the
//! otherwise guard fails too.
//!
//! `timeout` guards hold where their condition does and there is no move
//! without them, faults included. Last, only the moves of greatest priority
//! remain: the greatest priority among its edges, then among its processes.
//!
//! # Control
//!
//! After a move of one process alone its edge says whether the process holds
//! control, after a rendezvous the receiver's edge whether the receiver does; a
//! process that has ended does not. It then moves alone (buffers included) or
//! as the sender of a rendezvous, whatever priorities and commitment say and
//! never by a `timeout`, until it gives up control or cannot move. All that is
//! one step; `sequence.rs` has the order of the outcomes. Scratch variables are
//! initialised for every move.
//!
//! A process that holds control by an edge that is
//! [`Deterministic`](crate::network::Atomic::Deterministic) makes the first of
//! its moves only, and if it has none, that is a fault.

mod arithmetic;
mod channels;
mod deadlock;
mod describe;
mod evaluate;
mod execute;
mod explore;
mod follow;
mod generate;
mod influence;
mod print;
mod receive;
mod schedule;
mod sequence;
mod state;
mod time;

pub use describe::{Change, ratio};
pub use execute::{Passed, Way};
pub use explore::{Exploration, Fault};
pub use follow::Possible;
pub use influence::{Influence, Piece, Pieces};
pub use schedule::{MOST_CASES, Schedule, Staying};
pub use sequence::{Passage, Told};
pub use state::{
    Message, ReplayError, ReplayProblem, RuntimeError, RuntimeErrorKind, State, Stop, Violation,
};

use crate::diagnostic::Diagnostic;
use crate::network::{Expr, Guard, Lifetime, Network, Role, Storage, VariableId};
use crate::trace::Trace;
use crate::wellformed::{self, Feature};
use state::Region;

/// The rounds after which a loop within one step counts as endless.
pub const LOOP_ROUNDS: u32 = 1_000_000;

/// Executes a network.
#[derive(Debug)]
pub struct Interpreter<'a> {
    network: &'a Network,
    /// Where each variable's scalars are.
    regions: Vec<Region>,
    initial: State,
    constants: Vec<i64>,
    /// What scratch variables hold when a step begins.
    scratch: Vec<i64>,
    /// Whether there are `timeout` guards.
    timeouts: bool,
    /// Whether there are clocks.
    timed: bool,
    /// Whether there are invariants.
    invariants: bool,
    /// Which scalars of the state are clocks.
    clocks: Vec<usize>,
    /// Whether some of them stand still at times.
    stopwatches: bool,
}

impl<'a> Interpreter<'a> {
    /// What it executes beyond the plain core.
    pub const SUPPORTED: &'static [Feature] = &[
        Feature::Atomic,
        Feature::Else,
        Feature::Timeout,
        Feature::Priorities,
        Feature::Broadcast,
        Feature::Vectors,
        Feature::Startable,
        Feature::ChannelValues,
        Feature::ProcessValues,
        Feature::Loops,
        Feature::Choices,
        Feature::SortedSends,
        Feature::SelectiveReceives,
        Feature::Peeks,
        Feature::Scratch,
        Feature::Synchronous,
        Feature::CheckedArithmetic,
        Feature::EndLocations,
        // Costs do not change what the steps are, nor does how likely they are.
        Feature::Costs,
        Feature::Probabilities,
        Feature::Rates,
        Feature::Clocks,
        Feature::Invariants,
        Feature::Stopwatches,
        Feature::UrgentLocations,
        Feature::UrgentChannels,
    ];

    /// An interpreter of `network`, or why it cannot be executed.
    pub fn new(network: &'a Network) -> Result<Interpreter<'a>, Vec<Diagnostic>> {
        let mut problems = wellformed::check(network);
        if problems.is_empty() {
            problems = wellformed::refuse(network, Interpreter::SUPPORTED);
        }
        if problems.is_empty() { Ok(Interpreter::prepare(network)) } else { Err(problems) }
    }

    fn prepare(network: &'a Network) -> Interpreter<'a> {
        let (mut values, mut constants, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        let mut regions = Vec::new();
        for variable in &network.variables {
            let observer = |owner: crate::network::ProcessId| {
                network.processes[owner.index()].role == Role::Observer
            };
            // Observers are not part of the state; nothing in the system reads
            // what is theirs.
            let storage = match variable.owner {
                Some(owner) if observer(owner) => Storage::Constant,
                _ => variable.storage,
            };
            let memory = match storage {
                Storage::State => &mut values,
                Storage::Constant => &mut constants,
                Storage::Scratch => &mut scratch,
            };
            let scalars = network.scalars(&variable.ty);
            regions.push(Region { storage, start: memory.len(), scalars });
            memory.extend(wellformed::initial_values(network, variable));
        }
        let at_start = |process: &crate::network::Process| {
            let there = process.lifetime == Lifetime::Permanent && process.role == Role::System;
            there.then_some(process.initial)
        };
        let initial = State {
            values,
            locations: network.processes.iter().map(at_start).collect(),
            buffers: vec![Vec::new(); network.channels.len()],
            unit: 1,
        };
        let mut edges = network.system_processes().flat_map(|(_, process)| &process.edges);
        let timeouts = edges.any(|edge| matches!(edge.guard, Guard::Timeout(_)));
        let processes = network.system_processes();
        let mut locations = processes.flat_map(|(_, process)| &process.locations);
        let invariants = locations.any(|location| location.invariant.is_some());
        let mut interpreter = Interpreter {
            network,
            regions,
            initial,
            constants,
            scratch,
            timeouts,
            timed: network.is_timed(),
            invariants,
            clocks: Vec::new(),
            stopwatches: network.has_stopwatches(),
        };
        interpreter.clocks = interpreter.clock_scalars();
        interpreter
    }

    /// The network it executes.
    pub fn network(&self) -> &'a Network {
        self.network
    }

    /// The initial state, in whole units of time.
    pub fn initial(&self) -> State {
        self.initial.clone()
    }

    /// Which of [`State::values`] are clocks.
    pub fn clocks(&self) -> &[usize] {
        &self.clocks
    }

    /// Where in [`State::values`] the scalars of a variable begin; `None` for
    /// variables that are not part of the state.
    pub fn offset(&self, variable: VariableId) -> Option<usize> {
        let region = self.regions[variable.index()];
        (region.storage == Storage::State).then_some(region.start)
    }

    /// Whether every process that is running is at an end location.
    fn may_rest(&self, state: &State) -> bool {
        self.network.system_processes().all(|(id, process)| {
            state.location(id).is_none_or(|location| process.locations[location.index()].end)
        })
    }

    /// Executes a trace from the initial state. The states it passes, the
    /// initial one first, in the trace's unit of time. Each is the state right
    /// behind a step; the last one is the state after the trace's rest.
    pub fn replay(&self, trace: &Trace) -> Result<Vec<State>, ReplayError> {
        let unit = ReplayError { step: 0, problem: ReplayProblem::Time(Stop::Unit) };
        let mut states = vec![self.refined(&self.initial, trace.unit).ok_or(unit)?];
        for (i, step) in trace.steps.iter().enumerate() {
            let next = self.take(&states[i], step);
            states.push(next.map_err(|error| ReplayError { step: i, ..error })?);
        }
        if let Some(last) = states.last_mut() {
            let rested = self.delay(last, trace.rest);
            *last = rested.map_err(|problem| ReplayError { step: trace.steps.len(), problem })?;
        }
        Ok(states)
    }

    /// The value of an expression in a state. The expression must be well
    /// formed ([`wellformed::check_expression`]). That of a clock, or of a
    /// difference of clocks, is in parts of a unit of time ([`State::unit`]).
    pub fn eval(&self, state: &State, expr: &Expr) -> Result<i64, RuntimeError> {
        self.evaluate(self.view(state), expr)
    }

    /// The assertions of the current locations that do not hold, or whose
    /// evaluation fails.
    pub fn violated_assertions(&self, state: &State) -> Vec<Violation> {
        let mut violations = Vec::new();
        for (process, found) in self.network.system_processes() {
            let Some(location) = state.location(process) else {
                continue;
            };
            for assertion in &found.locations[location.index()].assertions {
                let error = match self.eval(state, assertion) {
                    Ok(0) => None,
                    Ok(_) => continue,
                    Err(error) => Some(error),
                };
                violations.push(Violation { process, location, span: assertion.span, error });
            }
        }
        violations
    }
}

#[cfg(test)]
mod tests;
