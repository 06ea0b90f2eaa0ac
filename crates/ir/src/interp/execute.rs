//! The execution of a step that is enabled.

use super::arithmetic::fit;
use super::evaluate::{Cell, View};
use super::{Interpreter, LOOP_ROUNDS, Message, RuntimeError, RuntimeErrorKind, State};
use crate::network::{
    ChannelId, EdgeRef, Expr, Lifetime, Place, ProcessId, Statement, StatementKind, Storage,
    Target, TemplateId,
};
use crate::source::Span;

/// What a step does, as far as it was settled in the source state.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub queue: Option<QueueChange>,
    pub stores: Vec<Store>,
    /// The edges, in the order their effects run.
    pub effects: Vec<EdgeRef>,
}

/// How a step changes a buffer.
#[derive(Clone, Debug)]
pub(super) enum QueueChange {
    Insert { channel: ChannelId, position: usize, message: Message },
    Remove { channel: ChannelId, position: usize },
}

/// A received value, and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    pub cell: Cell,
    pub value: i64,
    pub span: Span,
}

impl Interpreter<'_> {
    /// The state that a step leads to.
    pub(super) fn execute(&self, source: &State, plan: &Plan) -> Result<State, RuntimeError> {
        let mut run = Run::begin(self, source, plan)?;
        for edge in &plan.effects {
            run.edge(*edge)?;
        }
        Ok(run.state)
    }
}

/// A step under way.
pub(super) struct Run<'r> {
    interpreter: &'r Interpreter<'r>,
    pub state: State,
    scratch: Vec<i64>,
}

impl<'r> Run<'r> {
    /// A step up to where its effects begin.
    pub(super) fn begin(
        interpreter: &'r Interpreter<'r>,
        source: &State,
        plan: &Plan,
    ) -> Result<Run<'r>, RuntimeError> {
        let scratch = interpreter.scratch.clone();
        let mut run = Run { interpreter, state: source.clone(), scratch };
        run.change_queue(plan.queue.as_ref());
        for store in &plan.stores {
            run.write(store.cell, store.value, store.span)?;
        }
        Ok(run)
    }

    pub(super) fn view(&self) -> View<'_> {
        View { state: &self.state, scratch: &self.scratch }
    }

    pub(super) fn evaluate(&self, expr: &Expr) -> Result<i64, RuntimeError> {
        self.interpreter.evaluate(self.view(), expr)
    }

    fn change_queue(&mut self, change: Option<&QueueChange>) {
        match change {
            Some(QueueChange::Insert { channel, position, message }) => {
                self.state.buffers[channel.index()].insert(*position, message.clone());
            }
            Some(QueueChange::Remove { channel, position }) => {
                self.state.buffers[channel.index()].remove(*position);
            }
            None => {}
        }
    }

    fn edge(&mut self, edge: EdgeRef) -> Result<(), RuntimeError> {
        let interpreter = self.interpreter;
        let branch = &interpreter.network.edge(edge).branches[edge.branch as usize];
        self.block(&branch.effect)?;
        self.go(edge, branch.target);
        Ok(())
    }

    /// Changes the location of the process that took `edge`.
    pub(super) fn go(&mut self, edge: EdgeRef, target: Target) {
        match target {
            Target::Location(location) => {
                self.state.locations[edge.process.index()] = Some(location);
            }
            Target::End => {
                self.state.locations[edge.process.index()] = None;
                self.initialise_variables(edge.process);
            }
        }
    }

    /// The recursion over blocks is bounded by
    /// [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).
    fn block(&mut self, block: &[Statement]) -> Result<(), RuntimeError> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Result<(), RuntimeError> {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                let value = self.evaluate(value)?;
                self.assign(place, value, statement.span)
            }
            StatementKind::If(condition, yes, no) => {
                let chosen = if self.evaluate(condition)? != 0 { yes } else { no };
                self.block(chosen)
            }
            StatementKind::While(condition, block) => self.repeat(condition, block, statement.span),
            StatementKind::Assert(condition) => match self.evaluate(condition)? {
                0 => Err(RuntimeErrorKind::AssertionFailed.at(condition.span)),
                _ => Ok(()),
            },
            StatementKind::Clear(channel) => {
                self.state.buffers[channel.index()].clear();
                Ok(())
            }
            StatementKind::Print(..) => Ok(()),
            StatementKind::Start { template, arguments, started } => {
                let process = self.start(*template, arguments, statement.span)?;
                match started {
                    Some(place) => self.assign(place, i64::from(process.0), statement.span),
                    None => Ok(()),
                }
            }
        }
    }

    fn repeat(
        &mut self,
        condition: &Expr,
        block: &[Statement],
        span: Span,
    ) -> Result<(), RuntimeError> {
        let mut rounds = 0;
        while self.evaluate(condition)? != 0 {
            if rounds == LOOP_ROUNDS {
                return Err(RuntimeErrorKind::EndlessLoop.at(span));
            }
            rounds += 1;
            self.block(block)?;
        }
        Ok(())
    }

    fn start(
        &mut self,
        template: TemplateId,
        arguments: &[Expr],
        span: Span,
    ) -> Result<ProcessId, RuntimeError> {
        let values: Result<Vec<i64>, _> =
            arguments.iter().map(|argument| self.evaluate(argument)).collect();
        let values = values?;
        let network = self.interpreter.network;
        let mut slots = network.system_processes();
        let free = slots.find(|(id, process)| {
            process.lifetime == Lifetime::Startable(template) && self.state.location(*id).is_none()
        });
        let (id, process) = free.ok_or(RuntimeErrorKind::NoFreeSlot.at(span))?;
        self.initialise_variables(id);
        for ((parameter, value), argument) in process.parameters.iter().zip(values).zip(arguments) {
            let place = Place { variable: *parameter, path: Vec::new(), span: argument.span };
            self.assign(&place, value, argument.span)?;
        }
        self.state.locations[id.index()] = Some(process.initial);
        Ok(id)
    }

    fn initialise_variables(&mut self, owner: ProcessId) {
        let interpreter = self.interpreter;
        for (variable, region) in interpreter.network.variables.iter().zip(&interpreter.regions) {
            if variable.owner == Some(owner) && region.storage == Storage::State {
                let scalars = region.start..region.start + region.scalars;
                let initial = &interpreter.initial.values[scalars.clone()];
                self.state.values[scalars].copy_from_slice(initial);
            }
        }
    }

    fn assign(&mut self, place: &Place, value: i64, span: Span) -> Result<(), RuntimeError> {
        let cell = self.interpreter.locate(self.view(), place)?;
        self.write(cell, value, span)
    }

    fn write(&mut self, cell: Cell, value: i64, span: Span) -> Result<(), RuntimeError> {
        let fitted = fit(value, cell.ty).map_err(|kind| kind.at(span))?;
        match cell.storage {
            Storage::State => self.state.values[cell.index] = fitted,
            Storage::Scratch => self.scratch[cell.index] = fitted,
            // Well-formed networks do not assign to constants.
            Storage::Constant => {}
        }
        Ok(())
    }
}
