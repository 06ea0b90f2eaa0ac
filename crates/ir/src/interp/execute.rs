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
    pub passed: Option<Passed>,
    pub stores: Vec<Store>,
    /// The edges, in the order their effects run.
    pub effects: Vec<EdgeRef>,
}

/// A message that a move sent or received.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The channel.
    pub channel: ChannelId,
    /// Its parts.
    pub message: Message,
    /// What becomes of it.
    pub way: Way,
}

/// What becomes of a message; positions are counted from the message that is
/// received next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// It goes from the sender to those who receive at the same time.
    Direct,
    /// It is put into the buffer, at this position.
    Inserted(usize),
    /// It is taken out of the buffer, at this position.
    Removed(usize),
    /// It is received and stays in the buffer, at this position.
    Kept(usize),
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
        run.edges(&plan.effects)?;
        Ok(run.state)
    }

    /// As [`Interpreter::execute`], with what is printed on the way.
    pub(super) fn execute_printing(
        &self,
        source: &State,
        plan: &Plan,
    ) -> (Result<State, RuntimeError>, String) {
        let mut run = match Run::begin(self, source, plan) {
            Ok(run) => run,
            Err(error) => return (Err(error), String::new()),
        };
        run.printed = Some(String::new());
        let ended = run.edges(&plan.effects);
        let printed = run.printed.take().unwrap_or_default();
        (ended.map(|()| run.state), printed)
    }
}

/// A step under way.
pub(super) struct Run<'r> {
    interpreter: &'r Interpreter<'r>,
    pub state: State,
    scratch: Vec<i64>,
    /// What was printed; `None` where nobody wants to know.
    printed: Option<String>,
}

impl<'r> Run<'r> {
    /// A step up to where its effects begin.
    pub(super) fn begin(
        interpreter: &'r Interpreter<'r>,
        source: &State,
        plan: &Plan,
    ) -> Result<Run<'r>, RuntimeError> {
        let scratch = interpreter.scratch.clone();
        let mut run = Run { interpreter, state: source.clone(), scratch, printed: None };
        run.change_buffer(plan.passed.as_ref());
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

    fn change_buffer(&mut self, passed: Option<&Passed>) {
        let Some(Passed { channel, message, way }) = passed else {
            return;
        };
        let buffer = &mut self.state.buffers[channel.index()];
        match way {
            Way::Inserted(position) => buffer.insert(*position, message.clone()),
            Way::Removed(position) => drop(buffer.remove(*position)),
            Way::Direct | Way::Kept(_) => {}
        }
    }

    fn edges(&mut self, effects: &[EdgeRef]) -> Result<(), RuntimeError> {
        effects.iter().try_for_each(|edge| self.edge(*edge))
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
                if self.interpreter.is_clock(place) {
                    return self.set_clock(place, value, statement.span);
                }
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
            StatementKind::Put(process, location) => {
                self.state.locations[process.index()] = Some(*location);
                Ok(())
            }
            StatementKind::Print(format, values) => {
                if self.printed.is_some() {
                    let text = self.interpreter.formatted(self.view(), format, values);
                    self.printed.as_mut().into_iter().for_each(|all| all.push_str(&text));
                }
                Ok(())
            }
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
                self.state.values[scalars.clone()].copy_from_slice(initial);
                for clock in interpreter.clocks.iter().filter(|clock| scalars.contains(clock)) {
                    self.state.values[*clock] *= self.state.unit;
                }
            }
        }
    }

    /// Assigns a whole number, or another clock plus a whole number.
    fn set_clock(&mut self, place: &Place, value: &Expr, span: Span) -> Result<(), RuntimeError> {
        let value = self.interpreter.clock_value(self.view(), value, span)?;
        let cell = self.interpreter.locate(self.view(), place)?;
        self.state.values[cell.index] = value;
        Ok(())
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
