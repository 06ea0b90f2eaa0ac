//! Which names are known where.
//!
//! Global variables, channels, processes and templates share one scope.
//! Each process has a scope of its own for variables and channels, which
//! hides global names, and one for its states.

use std::collections::BTreeMap;

use homing_ir::Span;
use homing_ir::network::{ChannelId, LocationId, Network, ProcessId, VariableId};

use crate::names::nearest;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    Variable(VariableId),
    Channel(ChannelId),
    Process(ProcessId),
    /// A process with parameters; its instances have names of their own.
    Template,
}

impl Symbol {
    /// What an error message calls it.
    pub fn describe(self) -> &'static str {
        match self {
            Symbol::Variable(_) => "a variable",
            Symbol::Channel(_) => "a channel",
            Symbol::Process(_) => "a process",
            Symbol::Template => "a process with parameters",
        }
    }
}

/// The names of one scope, each with where it was declared.
type Scope = BTreeMap<String, (Symbol, Span)>;

/// The names of a model.
#[derive(Debug, Default)]
pub struct Names {
    globals: Scope,
    locals: Vec<Scope>,
    states: Vec<BTreeMap<String, (LocationId, Span)>>,
}

impl Names {
    /// The names of a finished network.
    pub fn of(network: &Network) -> Names {
        let mut names = Names::default();
        for (i, process) in network.processes.iter().enumerate() {
            let id = ProcessId(i as u32);
            names.declare(None, &process.name, Symbol::Process(id), process.span);
            if let Some((template, _)) = process.name.split_once('(') {
                names.declare(None, template, Symbol::Template, process.span);
            }
            for (j, location) in process.locations.iter().enumerate() {
                names.declare_state(id, &location.name, LocationId(j as u32), location.span);
            }
        }
        for (i, variable) in network.variables.iter().enumerate() {
            let symbol = Symbol::Variable(VariableId(i as u32));
            names.declare(variable.owner, &variable.name, symbol, variable.span);
        }
        for (i, channel) in network.channels.iter().enumerate() {
            let symbol = Symbol::Channel(ChannelId(i as u32));
            names.declare(None, &channel.name, symbol, channel.span);
        }
        names
    }

    /// Adds a name, or says where it was declared before.
    pub fn declare(
        &mut self,
        owner: Option<ProcessId>,
        name: &str,
        symbol: Symbol,
        span: Span,
    ) -> Option<Span> {
        let scope = match owner {
            Some(process) => scope_of(&mut self.locals, process),
            None => &mut self.globals,
        };
        if let Some((_, before)) = scope.get(name) {
            return Some(*before);
        }
        scope.insert(name.to_string(), (symbol, span));
        None
    }

    /// Adds a state, or says where it was declared before.
    pub fn declare_state(
        &mut self,
        process: ProcessId,
        name: &str,
        state: LocationId,
        span: Span,
    ) -> Option<Span> {
        let scope = scope_of(&mut self.states, process);
        if let Some((_, before)) = scope.get(name) {
            return Some(*before);
        }
        scope.insert(name.to_string(), (state, span));
        None
    }

    /// What `name` stands for in a process, or outside all.
    pub fn find(&self, process: Option<ProcessId>, name: &str) -> Option<Symbol> {
        let local = process.and_then(|process| self.local(process, name));
        local.or_else(|| self.globals.get(name).map(|(symbol, _)| *symbol))
    }

    fn local(&self, process: ProcessId, name: &str) -> Option<Symbol> {
        self.locals.get(process.index())?.get(name).map(|(symbol, _)| *symbol)
    }

    /// The state `name` of a process.
    pub fn state(&self, process: ProcessId, name: &str) -> Option<LocationId> {
        self.states.get(process.index())?.get(name).map(|(state, _)| *state)
    }

    /// The known name nearest to `name` that `fits`.
    pub fn nearest(
        &self,
        process: Option<ProcessId>,
        name: &str,
        fits: impl Fn(Symbol) -> bool,
    ) -> Option<&str> {
        let local = process.and_then(|process| self.locals.get(process.index()));
        let all = local.into_iter().flatten().chain(&self.globals);
        nearest(name, all.filter(|(_, (symbol, _))| fits(*symbol)).map(|(name, _)| name.as_str()))
    }

    /// The state of `process` nearest to `name`.
    pub fn nearest_state(&self, process: ProcessId, name: &str) -> Option<&str> {
        let states = self.states.get(process.index())?;
        nearest(name, states.keys().map(String::as_str))
    }

    /// A process that has a local variable `name`.
    pub fn owner_of_variable(&self, name: &str) -> Option<ProcessId> {
        let has = |scope: &Scope| matches!(scope.get(name), Some((Symbol::Variable(_), _)));
        self.locals.iter().position(has).map(|i| ProcessId(i as u32))
    }

    /// A process that has a state `name`.
    pub fn owner_of_state(&self, name: &str) -> Option<ProcessId> {
        self.states.iter().position(|scope| scope.contains_key(name)).map(|i| ProcessId(i as u32))
    }
}

fn scope_of<T: Default>(scopes: &mut Vec<T>, process: ProcessId) -> &mut T {
    if scopes.len() <= process.index() {
        scopes.resize_with(process.index() + 1, T::default);
    }
    &mut scopes[process.index()]
}
