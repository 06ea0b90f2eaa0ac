//! The invariants that engines rely on.
//!
//! [`check`] tells what is wrong with a network as data: numbers that lead
//! nowhere, values that do not fit, places that are not scalars. A front end
//! never produces such a network, whatever text it reads; everything behind
//! the front end takes these invariants for granted and may index by them.
//!
//! [`features`] tells which constructs beyond the plain core a network uses,
//! and [`refuse`] which of them an engine cannot execute.

mod clocks;
mod expressions;
mod features;
mod processes;
mod types;

pub use clocks::{CLOCK_BOUND, SETTING_BOUND};
pub(crate) use clocks::{is_clock, mentions_clock};
pub use features::{Feature, features, refuse};

use crate::diagnostic::Diagnostic;
use crate::network::{
    ChannelKind, Expr, Lifetime, Network, Participant, ProcessId, PropertyKind, Role, Storage,
    TemplateId, Variable, VariableId,
};
use crate::source::Span;
use clocks::{Shape, holds_clocks};

/// How deep expressions, statements and types may be nested. Engines recurse
/// over them, and the stack must hold.
pub const MAX_DEPTH: usize = 1000;

/// How many scalars all variables together may have.
pub const MAX_SCALARS: usize = 1 << 24;

/// What is wrong with the network; nothing, for a network that engines may
/// execute.
pub fn check(network: &Network) -> Vec<Diagnostic> {
    let mut checker = Checker::new(network);
    checker.types();
    // Whatever follows looks types up, which must not lead nowhere.
    if checker.found.is_empty() {
        checker.variables();
        checker.channels();
        checker.processes();
        checker.vectors();
        checker.composed_beside_clocks();
        checker.properties();
    }
    checker.found
}

/// What is wrong with an expression about the states of a well-formed
/// network, such as a goal.
pub fn check_expression(network: &Network, expr: &Expr) -> Vec<Diagnostic> {
    let mut checker = Checker::new(network);
    checker.goal(expr);
    checker.found
}

/// The initial values of all scalars of a variable of sound type, those that
/// are not given included: 0, or none for channels and processes.
pub fn initial_values(network: &Network, variable: &Variable) -> Vec<i64> {
    let scalars = Checker::new(network).scalar_types(&variable.ty);
    let missing = scalars.iter().skip(variable.initial.len()).map(|(_, default)| *default);
    variable.initial.iter().copied().chain(missing).take(scalars.len()).collect()
}

/// On whose behalf an expression is evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// The system, or a property of its states.
    System,
    /// An observer, which also sees what is its own.
    Observer(ProcessId),
}

struct Checker<'a> {
    network: &'a Network,
    /// Whether time passes in it.
    timed: bool,
    found: Vec<Diagnostic>,
    /// Whether what is looked at is a property.
    property: bool,
    /// Whether fractions may stand here.
    fractions: bool,
}

impl<'a> Checker<'a> {
    fn new(network: &'a Network) -> Checker<'a> {
        Checker {
            network,
            timed: network.is_timed(),
            found: Vec::new(),
            property: false,
            fractions: false,
        }
    }

    fn error(&mut self, message: impl Into<String>, span: Span) {
        self.found.push(Diagnostic::error(message, span));
    }

    fn require(&mut self, holds: bool, message: impl Into<String>, span: Span) {
        if !holds {
            self.error(message, span);
        }
    }

    fn variables(&mut self) {
        for variable in &self.network.variables {
            if variable.owner.is_some_and(|owner| owner.index() >= self.network.processes.len()) {
                self.error(format!("`{}` belongs to no process", variable.name), variable.span);
            }
            self.initial_values(variable);
            if holds_clocks(self.network, &variable.ty) {
                self.clock_variable(variable);
            }
        }
    }

    fn initial_values(&mut self, variable: &Variable) {
        let scalars = self.scalar_types(&variable.ty);
        if variable.initial.len() > scalars.len() {
            let message = format!("`{}` has more initial values than scalars", variable.name);
            self.error(message, variable.span);
        }
        let values = initial_values(self.network, variable);
        for ((ty, _), value) in scalars.iter().zip(values) {
            if value < ty.lo || value > ty.hi {
                let message =
                    format!("the initial value {value} of `{}` does not fit", variable.name);
                self.error(message, variable.span);
            }
        }
    }

    fn channels(&mut self) {
        for channel in &self.network.channels {
            let room = channel.kind != ChannelKind::Buffered(0);
            self.require(room, format!("`{}` has room for no message", channel.name), channel.span);
            let owned = channel.owner.is_none_or(|id| id.index() < self.network.processes.len());
            self.require(owned, "a process that does not exist", channel.span);
            for ty in &channel.message {
                let plain = self.network.scalar(ty).is_some() && *ty != crate::network::Type::Clock;
                let message = format!("a part of the messages of `{}` is no scalar", channel.name);
                self.require(plain, message, channel.span);
            }
        }
    }

    fn vectors(&mut self) {
        for vector in &self.network.vectors {
            self.require(
                !vector.participants.is_empty(),
                "a vector without participants",
                vector.span,
            );
            for (i, Participant { process, label, .. }) in vector.participants.iter().enumerate() {
                self.participant(*process, vector.span);
                let known = label.index() < self.network.labels.len();
                self.require(known, "a vector names a label that does not exist", vector.span);
                let twice = vector.participants[..i].iter().any(|other| other.process == *process);
                self.require(!twice, "a vector names a process twice", vector.span);
            }
        }
    }

    fn participant(&mut self, process: ProcessId, span: Span) {
        match self.network.processes.get(process.index()) {
            None => self.error("a vector names a process that does not exist", span),
            Some(found) if found.role == Role::Observer => {
                self.error(format!("a vector moves the observer `{}`", found.name), span);
            }
            Some(_) => {}
        }
    }

    fn properties(&mut self) {
        for property in &self.network.properties {
            match &property.kind {
                PropertyKind::Never(expr)
                | PropertyKind::Reachable(expr)
                | PropertyKind::Persistent(expr)
                | PropertyKind::Inevitable(expr) => self.goal(expr),
                PropertyKind::LeadsTo(first, then) => {
                    self.goal(first);
                    self.goal(then);
                }
                PropertyKind::Extreme { when, of, .. } => {
                    when.iter().for_each(|expr| self.goal(expr));
                    of.iter().for_each(|expr| self.measured(expr, Reader::System));
                }
                PropertyKind::Temporal(formula) => {
                    formula.atoms().into_iter().for_each(|atom| self.goal(atom));
                }
                PropertyKind::Observer(process) => {
                    let observer = self.network.processes.get(process.index());
                    let fits = observer.is_some_and(|found| found.role == Role::Observer);
                    let message = format!("the property `{}` names no observer", property.name);
                    self.require(fits, message, property.span);
                }
                PropertyKind::Unchecked(_) => {}
            }
        }
    }

    /// Checks a condition on the states of the network.
    fn goal(&mut self, expr: &Expr) {
        self.property = true;
        self.condition(expr, Reader::System, Shape::Free);
        self.property = false;
    }

    /// The observer that `variable` belongs to.
    fn observer_of(&self, variable: VariableId) -> Option<ProcessId> {
        let owner = self.network.variables[variable.index()].owner?;
        let process = self.network.processes.get(owner.index())?;
        (process.role == Role::Observer).then_some(owner)
    }

    /// The slots of a template.
    fn slots(&self, template: TemplateId) -> impl Iterator<Item = &'a crate::network::Process> {
        let is_slot = move |lifetime: Lifetime| lifetime == Lifetime::Startable(template);
        self.network.processes.iter().filter(move |process| is_slot(process.lifetime))
    }

    fn may_write(&mut self, variable: VariableId, writer: Reader, span: Span) {
        let Some(declared) = self.network.variables.get(variable.index()) else {
            return;
        };
        let name = &declared.name;
        let constant = declared.storage == Storage::Constant;
        self.require(!constant, format!("the constant `{name}` is assigned to"), span);
        if let Reader::Observer(process) = writer {
            let own = declared.owner == Some(process);
            self.require(own, format!("an observer changes `{name}`, which is not its own"), span);
        }
    }
}

#[cfg(test)]
mod tests;
