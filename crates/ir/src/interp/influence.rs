//! What a step that is executed really looks at, and what it sets.
//!
//! [`crate::footprint`] says what a part may read and write in any state; here
//! one step is executed in one state, and every scalar, location and buffer
//! its outcome depends on is noted: of `a[i]` the one element, of a
//! conditional the branch taken, of a condition with several operands those
//! that decide it. Explanations of runs are made from this.

use std::collections::BTreeSet;

use super::evaluate::View;
use super::execute::{Plan, Run};
use super::sequence::Control;
use super::{Interpreter, RuntimeError, State};
use crate::network::{
    Access, Action, Binary, ChannelId, ChannelKind, Edge, EdgeRef, Expr, ExprKind, Guard, Lifetime,
    Place, Process, ProcessId, Statement, StatementKind, Storage, Target, TemplateId, Urgency,
};
use crate::trace::Step;

/// A piece of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Piece {
    /// The location of a process, or its absence.
    Location(ProcessId),
    /// A scalar, by its position in [`State::values`].
    Scalar(usize),
    /// The messages in a channel.
    Buffer(ChannelId),
}

/// A set of pieces.
pub type Pieces = BTreeSet<Piece>;

/// What one step, in one state, looked at and set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Influence {
    /// What of the source state the step and its outcome depend on.
    pub reads: Pieces,
    /// What it set, whatever it was before, and be it to the same value.
    pub sets: Pieces,
}

impl State {
    /// The pieces that differ between this state and another of the network.
    pub fn differences(&self, other: &State) -> Pieces {
        let locations = self.locations.iter().zip(&other.locations).enumerate();
        let locations = locations.filter(|(_, (a, b))| a != b);
        let values = self.values.iter().zip(&other.values).enumerate().filter(|(_, (a, b))| a != b);
        let buffers = self.buffers.iter().zip(&other.buffers).enumerate();
        let buffers = buffers.filter(|(_, (a, b))| a != b);
        locations
            .map(|(i, _)| Piece::Location(ProcessId(i as u32)))
            .chain(values.map(|(i, _)| Piece::Scalar(i)))
            .chain(buffers.map(|(i, _)| Piece::Buffer(ChannelId(i as u32))))
            .collect()
    }
}

impl Interpreter<'_> {
    /// What the value of an expression depends on in a state.
    pub fn reads(&self, state: &State, expr: &Expr) -> Pieces {
        let mut recorder = Recorder::new(self);
        recorder.expr(self.view(state), expr);
        recorder.influence.reads
    }

    /// What a step depends on and sets. The state must have the step; of one
    /// that fails, what it looked at until then. `implicit`: also what decides
    /// whether others let it move, and who else moves along: locations that
    /// may be committed, possible receivers of a broadcast, all that keeps
    /// others from moving where a `timeout` holds.
    pub fn influence(&self, state: &State, step: &Step, implicit: bool) -> Influence {
        let mut recorder = Recorder::new(self);
        let mut state = self.delay(state, step.delay).unwrap_or_else(|_| state.clone());
        let mut control = None;
        for (i, edges) in step.moves().enumerate() {
            if implicit && i == 0 {
                recorder.implicit(&state, edges);
            }
            let found = match control {
                None => self.moves(&state),
                Some(holder) => self.held_moves(&state, holder),
            };
            let found = found.into_iter().find(|one| one.edges == edges);
            // Which move is the first depends on those it comes before.
            if let Some(holder) = control.filter(|holder: &Control| holder.deterministic) {
                recorder.stuck(&state, holder.process);
            }
            control = found.as_ref().and_then(|one| one.control);
            match recorder.one_move(&state, edges, found.map(|one| one.plan)) {
                Some(next) => state = next,
                None => return recorder.influence,
            }
        }
        if let Some(holder) = control {
            recorder.stuck(&state, holder.process);
        }
        recorder.arrival(&state);
        recorder.influence
    }

    /// What keeps a process where it is, or does not: its location, and the
    /// guards and communications of the edges there.
    pub fn blocking_reads(&self, state: &State, process: ProcessId) -> Pieces {
        let mut recorder = Recorder::new(self);
        recorder.read(Piece::Location(process));
        for edge in self.edges_at(state, process) {
            recorder.enabled(state, process, edge);
        }
        recorder.influence.reads
    }

    /// The edges of a process at its location, commitment aside.
    pub fn edges_at<'s>(
        &'s self,
        state: &State,
        process: ProcessId,
    ) -> impl Iterator<Item = &'s Edge> {
        let here = state.location(process);
        let edges = self.network.processes[process.index()].edges.iter();
        edges.filter(move |edge| here == Some(edge.from))
    }
}

/// Whether an expression may have no value in some state.
fn may_fail(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => place.path.iter().any(|part| matches!(part, Access::Index(_))),
        ExprKind::Length(_) | ExprKind::Poll { .. } => true,
        ExprKind::Unary(_, operand) => may_fail(operand),
        ExprKind::Binary(op, left, right) => {
            matches!(op, Binary::Div | Binary::Rem) || may_fail(left) || may_fail(right)
        }
        ExprKind::Choose(condition, yes, no) => [condition, yes, no].iter().any(|e| may_fail(e)),
        _ => false,
    }
}

struct Recorder<'a> {
    interpreter: &'a Interpreter<'a>,
    influence: Influence,
}

impl<'a> Recorder<'a> {
    fn new(interpreter: &'a Interpreter<'a>) -> Recorder<'a> {
        Recorder { interpreter, influence: Influence::default() }
    }

    /// Notes a piece that is read, unless the step itself has set it.
    fn read(&mut self, piece: Piece) {
        if !self.influence.sets.contains(&piece) {
            self.influence.reads.insert(piece);
        }
    }

    /// The state that a move leads to, what it looks at and sets noted.
    fn one_move(
        &mut self,
        state: &State,
        edges: &[EdgeRef],
        plan: Option<Result<Plan, RuntimeError>>,
    ) -> Option<State> {
        let interpreter = self.interpreter;
        for edge in edges {
            self.enabled(state, edge.process, interpreter.network.edge(*edge));
        }
        let plan = plan?.ok()?;
        for store in plan.stores.iter().filter(|store| store.cell.storage == Storage::State) {
            self.influence.sets.insert(Piece::Scalar(store.cell.index));
        }
        // What a failing move looked at is noted; there is no more to say.
        let mut run = Run::begin(interpreter, state, &plan).ok()?;
        plan.effects.iter().try_for_each(|edge| self.edge(&mut run, *edge)).ok()?;
        Some(run.state)
    }

    /// What keeps a process that holds control from going on, or does not.
    fn stuck(&mut self, state: &State, process: ProcessId) {
        let interpreter = self.interpreter;
        self.read(Piece::Location(process));
        for edge in interpreter.edges_at(state, process) {
            self.enabled(state, process, edge);
        }
        let sends = |edge: &Edge| matches!(edge.action, Some(Action::Send { .. }));
        if interpreter.edges_at(state, process).any(sends) {
            for (other, _) in interpreter.network.system_processes() {
                self.receivers(state, other);
            }
        }
    }

    /// What the invariants look at that must hold behind a step, and what says which
    /// clocks run.
    fn arrival(&mut self, state: &State) {
        let interpreter = self.interpreter;
        for (id, process) in interpreter.network.system_processes() {
            let here = state.location(id).map(|location| &process.locations[location.index()]);
            let runs = here.into_iter().flat_map(|here| &here.stopwatches).map(|one| &one.runs);
            for looked_at in here.and_then(|here| here.invariant.as_ref()).into_iter().chain(runs) {
                self.read(Piece::Location(id));
                self.expr(interpreter.view(state), looked_at);
            }
        }
    }

    /// What decides whether a process receives.
    fn receivers(&mut self, state: &State, process: ProcessId) {
        let interpreter = self.interpreter;
        let receives = |edge: &Edge| matches!(edge.action, Some(Action::Receive { .. }));
        if interpreter.network.processes[process.index()].edges.iter().any(receives) {
            self.read(Piece::Location(process));
            for edge in interpreter.edges_at(state, process).filter(|edge| receives(edge)) {
                self.enabled(state, process, edge);
            }
        }
    }

    /// What decides whether an edge can be taken.
    fn enabled(&mut self, state: &State, process: ProcessId, edge: &Edge) {
        self.read(Piece::Location(process));
        let interpreter = self.interpreter;
        if let Guard::Otherwise { before, when } = &edge.guard
            && interpreter.eval(state, when) != Ok(0)
        {
            // If one of these is such an edge itself, those it looks at are
            // before it.
            for earlier in interpreter.edges_at(state, process).take(*before as usize) {
                self.own(state, earlier);
            }
        }
        self.own(state, edge);
    }

    /// What the condition of an edge and its communication look at.
    fn own(&mut self, state: &State, edge: &Edge) {
        let interpreter = self.interpreter;
        let view = interpreter.view(state);
        let condition = match &edge.guard {
            Guard::Always => None,
            Guard::When(when) | Guard::Timeout(when) | Guard::Otherwise { when, .. } => Some(when),
        };
        if let Some(condition) = condition {
            self.expr(view, condition);
            // Behind a false guard, nothing is looked at.
            if interpreter.eval(state, condition) == Ok(0) {
                return;
            }
        }
        match &edge.action {
            None | Some(Action::Label(_)) => {}
            Some(Action::Send { channel, message, .. }) => {
                self.channel(view, channel);
                message.iter().for_each(|part| self.expr(view, part));
            }
            Some(Action::Receive { channel, message, .. }) => {
                self.channel(view, channel);
                for pattern in message {
                    pattern.place().into_iter().for_each(|place| self.indices(view, place));
                    let compared = pattern.comparisons().into_iter();
                    compared.for_each(|(_, other)| self.expr(view, other));
                }
            }
        }
    }

    /// A channel's expression and, where messages wait in it, its buffer.
    fn channel(&mut self, view: View, channel: &Expr) {
        self.expr(view, channel);
        self.owner(view, channel);
        if let Ok(Some(id)) = self.interpreter.channel(view, channel)
            && matches!(self.kind(id), ChannelKind::Buffered(_))
        {
            self.read(Piece::Buffer(id));
        }
    }

    /// Whether the owner of the channel with a number is running.
    fn owner(&mut self, view: View, channel: &Expr) {
        let value = self.interpreter.evaluate(view, channel).ok();
        let id = value.and_then(ChannelId::of_value);
        let declared = id.and_then(|id| self.interpreter.network.channels.get(id.index()));
        if let Some(owner) = declared.and_then(|channel| channel.owner) {
            self.read(Piece::Location(owner));
        }
    }

    fn kind(&self, channel: ChannelId) -> ChannelKind {
        self.interpreter.network.channels[channel.index()].kind
    }

    fn implicit(&mut self, state: &State, edges: &[EdgeRef]) {
        let interpreter = self.interpreter;
        let network = interpreter.network;
        let sends = edges.first().and_then(|first| match &network.edge(*first).action {
            Some(Action::Send { channel, .. }) => Some(channel),
            _ => None,
        });
        let channel =
            sends.and_then(|sent| interpreter.channel(interpreter.view(state), sent).ok());
        let broadcasts =
            channel.flatten().is_some_and(|id| self.kind(id) == ChannelKind::Broadcast);
        let waits = |edge: &EdgeRef| matches!(network.edge(*edge).guard, Guard::Timeout(_));
        let timeout = edges.iter().any(waits);
        for (id, process) in network.system_processes() {
            if may_be_committed(process) || timeout {
                self.read(Piece::Location(id));
            }
            if broadcasts {
                self.receivers(state, id);
            }
            if timeout {
                interpreter.edges_at(state, id).for_each(|edge| self.enabled(state, id, edge));
            }
        }
    }

    /// The recursion over expressions is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn expr(&mut self, view: View, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Ratio(..)
            | ExprKind::Channel(_)
            | ExprKind::Deadlock
            | ExprKind::Fail(_) => {}
            ExprKind::Read(place) => self.place(view, place),
            ExprKind::At(process, _) | ExprKind::Running(process) => {
                self.read(Piece::Location(*process));
            }
            ExprKind::Length(channel) => {
                self.expr(view, channel);
                self.owner(view, channel);
                if let Ok(Some(id)) = self.interpreter.channel(view, channel) {
                    self.read(Piece::Buffer(id));
                }
            }
            ExprKind::Poll { channel, message, .. } => {
                self.expr(view, channel);
                self.owner(view, channel);
                message.iter().flatten().for_each(|part| self.expr(view, part));
                if let Ok(Some(id)) = self.interpreter.channel(view, channel) {
                    self.read(Piece::Buffer(id));
                }
            }
            ExprKind::Unary(_, operand) => self.expr(view, operand),
            ExprKind::Binary(op, left, right) => self.binary(view, *op, left, right),
            ExprKind::Choose(condition, yes, no) => {
                self.expr(view, condition);
                match self.interpreter.evaluate(view, condition) {
                    Ok(0) => self.expr(view, no),
                    Ok(_) => self.expr(view, yes),
                    Err(_) => {}
                }
            }
        }
    }

    /// Where one operand decides, it alone is read.
    fn binary(&mut self, view: View, op: Binary, left: &Expr, right: &Expr) {
        let truth = |expr| self.interpreter.evaluate(view, expr).ok().map(|value| value != 0);
        // The values of the operands that decide by themselves.
        let (by_left, by_right) = match op {
            Binary::And => (Some(false), Some(false)),
            Binary::Or => (Some(true), Some(true)),
            Binary::Imply => (Some(false), Some(true)),
            _ => (None, None),
        };
        let first = by_left.and_then(|_| truth(left));
        if by_left.is_some() && first == by_left {
            return self.expr(view, left);
        }
        let second = by_right.and(first).and_then(|_| truth(right));
        if by_right.is_some() && second == by_right {
            // The left one is evaluated before: elsewhere it might fail.
            if may_fail(left) {
                self.expr(view, left);
            }
            return self.expr(view, right);
        }
        self.expr(view, left);
        // Where the left operand fails, the right one is not evaluated.
        if by_left.is_none() || first.is_some() {
            self.expr(view, right);
        }
    }

    fn place(&mut self, view: View, place: &Place) {
        self.indices(view, place);
        if let Ok(cell) = self.interpreter.locate(view, place)
            && cell.storage == Storage::State
        {
            self.read(Piece::Scalar(cell.index));
        }
    }

    fn indices(&mut self, view: View, place: &Place) {
        for access in &place.path {
            if let Access::Index(index) = access {
                self.expr(view, index);
            }
        }
    }

    /// Runs the effect of an edge, statement by statement.
    fn edge(&mut self, run: &mut Run, edge: EdgeRef) -> Result<(), RuntimeError> {
        let branch = &self.interpreter.network.edge(edge).branches[edge.branch as usize];
        self.block(run, &branch.effect)?;
        run.go(edge, branch.target);
        self.influence.sets.insert(Piece::Location(edge.process));
        if branch.target == Target::End {
            self.set_variables(edge.process);
        }
        Ok(())
    }

    /// The recursion over blocks is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn block(&mut self, run: &mut Run, block: &[Statement]) -> Result<(), RuntimeError> {
        block.iter().try_for_each(|statement| self.statement(run, statement))
    }

    fn statement(&mut self, run: &mut Run, statement: &Statement) -> Result<(), RuntimeError> {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                self.expr(run.view(), value);
                self.set(run, place, statement)
            }
            StatementKind::If(condition, yes, no) => {
                self.expr(run.view(), condition);
                let chosen = if run.evaluate(condition)? != 0 { yes } else { no };
                self.block(run, chosen)
            }
            StatementKind::While(condition, block) => {
                for _ in 0..super::LOOP_ROUNDS {
                    self.expr(run.view(), condition);
                    if run.evaluate(condition)? == 0 {
                        return Ok(());
                    }
                    self.block(run, block)?;
                }
                run.statement(statement)
            }
            StatementKind::Assert(condition) => {
                self.expr(run.view(), condition);
                run.statement(statement)
            }
            StatementKind::Clear(channel) => {
                self.influence.sets.insert(Piece::Buffer(*channel));
                run.statement(statement)
            }
            StatementKind::Put(process, _) => {
                self.influence.sets.insert(Piece::Location(*process));
                run.statement(statement)
            }
            StatementKind::Print(..) => Ok(()),
            StatementKind::Start { template, arguments, started } => {
                arguments.iter().for_each(|argument| self.expr(run.view(), argument));
                let slot = self.slot(&run.state, *template);
                match started {
                    Some(place) => self.set(run, place, statement)?,
                    None => run.statement(statement)?,
                }
                if let Some(slot) = slot {
                    self.influence.sets.insert(Piece::Location(slot));
                    self.set_variables(slot);
                }
                Ok(())
            }
        }
    }

    /// Runs a statement that ends by setting `place`.
    fn set(
        &mut self,
        run: &mut Run,
        place: &Place,
        statement: &Statement,
    ) -> Result<(), RuntimeError> {
        self.indices(run.view(), place);
        let cell = self.interpreter.locate(run.view(), place);
        run.statement(statement)?;
        if let Ok(cell) = cell
            && cell.storage == Storage::State
        {
            self.influence.sets.insert(Piece::Scalar(cell.index));
        }
        Ok(())
    }

    /// The slot that the next process of a template takes; which one depends
    /// on those before it.
    fn slot(&mut self, state: &State, template: TemplateId) -> Option<ProcessId> {
        let slots = self.interpreter.network.system_processes();
        let mut slots = slots.filter(|(_, p)| p.lifetime == Lifetime::Startable(template));
        slots.find_map(|(id, _)| {
            self.read(Piece::Location(id));
            state.location(id).is_none().then_some(id)
        })
    }

    /// Notes that all variables of a process are set.
    fn set_variables(&mut self, owner: ProcessId) {
        let Interpreter { network, regions, .. } = self.interpreter;
        for (variable, region) in network.variables.iter().zip(regions) {
            if variable.owner == Some(owner) && region.storage == Storage::State {
                let scalars = region.start..region.start + region.scalars;
                self.influence.sets.extend(scalars.map(Piece::Scalar));
            }
        }
    }
}

fn may_be_committed(process: &Process) -> bool {
    process.locations.iter().any(|location| location.urgency == Urgency::Committed)
}
