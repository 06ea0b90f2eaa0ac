//! Expressions, places and names of processes: from syntax to the network.

use std::collections::BTreeMap;

use homing_ir::network::{
    Access, Binary, Expr, ExprKind, LocationId, Network, Place, ProcessId, Role, Storage, Type,
    Unary, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::channels::Usage;
use super::constant::{self, Reads};
use super::scope::{Names, Symbol};
use super::syntax::{self, Name, ProcessName};
use crate::reports::Reports;

/// A model while it is being made.
pub struct Builder {
    pub network: Network,
    pub names: Names,
    pub reports: Reports,
    /// Whether names may have been declared in what could not be read: then
    /// nothing is said of unknown names.
    pub lost_names: bool,
    /// The process whose text is being lowered.
    pub scope: Option<ProcessId>,
    /// Names that stand for a number for a while: variables of loops.
    pub bound: Vec<(String, i64)>,
    /// Global variables that are declared further on in the text.
    pub later: BTreeMap<String, Span>,
    /// How each channel is used.
    pub usage: Vec<Usage>,
}

impl Builder {
    /// A builder that goes on from what is in `network`.
    pub fn new(network: Network, names: Names, reports: Reports) -> Builder {
        Builder {
            network,
            names,
            reports,
            lost_names: false,
            scope: None,
            bound: Vec::new(),
            later: BTreeMap::new(),
            usage: Vec::new(),
        }
    }

    /// Reports an error and stands in for what is missing.
    pub fn fail<T>(&mut self, error: Diagnostic) -> Option<T> {
        self.reports.add(error);
        None
    }

    /// An expression; `None` where an error was reported.
    pub fn expression(&mut self, expr: &syntax::Expr) -> Option<Expr> {
        let kind = match &expr.kind {
            syntax::ExprKind::Number(value) => ExprKind::Int(*value),
            syntax::ExprKind::Variable(name, index) => {
                return self.read(self.scope, *name, index.as_deref(), expr.span);
            }
            syntax::ExprKind::Foreign(process, name, index) => {
                let process = self.process(process)?;
                return self.read(Some(process), *name, index.as_deref(), expr.span);
            }
            syntax::ExprKind::At(process, state) => {
                let id = self.process(process)?;
                ExprKind::At(id, self.state(id, *state)?)
            }
            syntax::ExprKind::Unary(operator, operand) => {
                ExprKind::Unary(*operator, Box::new(self.expression(operand)?))
            }
            syntax::ExprKind::Binary(operator, left, right) => {
                // Both are lowered before either is given up, so that the
                // errors of both are reported.
                let (left, right) = (self.expression(left), self.expression(right));
                ExprKind::Binary(*operator, Box::new(left?), Box::new(right?))
            }
        };
        Some(Expr::new(kind, expr.span))
    }

    /// An expression whose value is known now.
    pub fn constant(&mut self, expr: &syntax::Expr, reads: Reads) -> Option<i64> {
        let lowered = self.expression(expr)?;
        match constant::evaluate(&self.network, &lowered, reads) {
            Ok(value) => Some(value),
            Err(error) => self.fail(*error),
        }
    }

    /// The value of a variable. Constants are replaced by their value.
    fn read(
        &mut self,
        process: Option<ProcessId>,
        name: Name,
        index: Option<&syntax::Expr>,
        span: Span,
    ) -> Option<Expr> {
        let bound = self.bound.iter().rev().find(|(bound, _)| bound == name.text);
        if let (Some((_, value)), None) = (bound, index) {
            return Some(Expr::int(*value, span));
        }
        let place = self.place(process, name, index, span)?;
        let variable = &self.network.variables[place.variable.index()];
        if variable.storage == Storage::Constant && place.path.is_empty() {
            return Some(Expr::int(variable.initial.first().copied().unwrap_or(0), span));
        }
        Some(Expr::new(ExprKind::Read(place), span))
    }

    /// A variable or an element of an array, in the scope of `process`. A bare
    /// name of an array means its first element.
    pub fn place(
        &mut self,
        process: Option<ProcessId>,
        name: Name,
        index: Option<&syntax::Expr>,
        span: Span,
    ) -> Option<Place> {
        // The index is looked up even where the name is unknown, and in the
        // scope of who wrote it.
        let index = index.map(|index| self.expression(index));
        let variable = self.variable(process, name)?;
        let declared = &self.network.variables[variable.index()];
        let path = match (&declared.ty, index) {
            (Type::Array(_, length), Some(index)) => {
                let length = *length;
                let index = index?;
                self.check_index(&index, length, variable);
                vec![Access::Index(index)]
            }
            (Type::Array(..), None) => {
                let warning =
                    Diagnostic::warning(format!("`{}` is an array", name.text), name.span)
                        .label("means its first element")
                        .related(declared.span, "declared here")
                        .help(format!("write `{}[0]`", name.text));
                self.reports.add(warning);
                vec![Access::Index(Expr::int(0, name.span))]
            }
            (_, Some(_)) => {
                let error = Diagnostic::error(format!("`{}` is not an array", name.text), span)
                    .label("cannot be indexed")
                    .related(declared.span, "declared here");
                return self.fail(error);
            }
            (_, None) => Vec::new(),
        };
        Some(Place { variable, path, span })
    }

    fn check_index(&mut self, index: &Expr, length: u32, variable: VariableId) {
        let ExprKind::Int(value) = index.kind else { return };
        if value < 0 || value >= i64::from(length) {
            let declared = &self.network.variables[variable.index()];
            let message = format!("index {value} is out of bounds");
            let warning = Diagnostic::warning(message, index.span)
                .label(format!("`{}` has the elements 0 to {}", declared.name, length - 1))
                .related(declared.span, "declared here");
            self.reports.add(warning);
        }
    }

    fn variable(&mut self, process: Option<ProcessId>, name: Name) -> Option<VariableId> {
        match self.names.find(process, name.text) {
            Some(Symbol::Variable(id)) => Some(id),
            Some(other) => {
                let what = format!("`{}` is {}, not a variable", name.text, other.describe());
                self.fail(Diagnostic::error(what, name.span))
            }
            None => self.unknown_variable(process, name),
        }
    }

    fn unknown_variable<T>(&mut self, process: Option<ProcessId>, name: Name) -> Option<T> {
        let text = name.text;
        if let Some(later) = self.later.get(text) {
            let error = Diagnostic::error(format!("`{text}` has no value yet"), name.span)
                .related(*later, "declared only here");
            return self.fail(error);
        }
        let is_variable = |symbol| matches!(symbol, Symbol::Variable(_));
        let elsewhere = |id: ProcessId| self.network.processes[id.index()].name.as_str();
        let help = if let Some(owner) = self.names.owner_of_state(text) {
            Some(format!("`{text}` is a state: write `{}.{text}`", elsewhere(owner)))
        } else if let Some(owner) = self.names.owner_of_variable(text) {
            let owner = elsewhere(owner);
            Some(format!("process `{owner}` has a variable `{text}`: write `{owner}->{text}`"))
        } else {
            let near = self.names.nearest(process, text, is_variable);
            near.map(|near| format!("did you mean `{near}`?"))
        };
        self.unknown("variable", name, help)
    }

    /// Reports an unknown name.
    pub fn unknown<T>(&mut self, what: &str, name: Name, help: Option<String>) -> Option<T> {
        if self.lost_names {
            return None;
        }
        let error = Diagnostic::error(format!("unknown {what} `{}`", name.text), name.span);
        self.fail(Diagnostic { help, ..error.label("not declared") })
    }

    /// A process, by its name or by the arguments it was made with.
    pub fn process(&mut self, process: &ProcessName) -> Option<ProcessId> {
        let name = match &process.arguments {
            None => process.name.text.to_string(),
            Some(arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.constant(argument, Reads::Constants)?);
                }
                instance_name(process.name.text, &values)
            }
        };
        match self.names.find(None, &name) {
            Some(Symbol::Process(id)) => self.visible(id, process.span),
            Some(Symbol::Template) => {
                let error = Diagnostic::error(format!("`{name}` has parameters"), process.span)
                    .help(format!("name one of its instances, such as `{name}(0)`"));
                self.fail(error)
            }
            Some(other) => {
                let what = format!("`{name}` is {}, not a process", other.describe());
                self.fail(Diagnostic::error(what, process.span))
            }
            None => {
                let is_process = |symbol| matches!(symbol, Symbol::Process(_));
                let near = self.names.nearest(None, &name, is_process);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.unknown("process", Name { text: &name, span: process.span }, help)
            }
        }
    }

    /// A property watches the system; nothing of the system may depend on it.
    fn visible(&mut self, id: ProcessId, span: Span) -> Option<ProcessId> {
        let role = |id: ProcessId| self.network.processes[id.index()].role;
        if role(id) == Role::Observer && self.scope.map(role) != Some(Role::Observer) {
            let name = &self.network.processes[id.index()].name;
            let error = Diagnostic::error(format!("`{name}` is a property"), span)
                .label("not part of the system");
            return self.fail(error);
        }
        Some(id)
    }

    /// A state of a process.
    pub fn state(&mut self, process: ProcessId, state: Name) -> Option<LocationId> {
        if let Some(found) = self.names.state(process, state.text) {
            return Some(found);
        }
        if self.lost_names {
            return None;
        }
        let owner = &self.network.processes[process.index()];
        let message = format!("process `{}` has no state `{}`", owner.name, state.text);
        let error = Diagnostic::error(message, state.span).label("unknown state");
        let error = match self.names.find(Some(process), state.text) {
            Some(Symbol::Variable(_)) => {
                let help = format!("`{0}` is a variable: write `{1}->{0}`", state.text, owner.name);
                error.help(help)
            }
            _ => match self.names.nearest_state(process, state.text) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            },
        };
        self.fail(error)
    }
}

/// The name of an instance of a template.
pub fn instance_name(template: &str, keys: &[i64]) -> String {
    let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
    format!("{template}({})", keys.join(","))
}

/// Whether the value of an expression is 0 or 1 whatever the state.
pub fn is_truth_value(expr: &Expr) -> bool {
    use Binary::*;
    match &expr.kind {
        ExprKind::Int(value) => matches!(value, 0 | 1),
        ExprKind::At(..) => true,
        ExprKind::Unary(operator, _) => *operator == Unary::Not,
        ExprKind::Binary(operator, ..) => {
            matches!(operator, Eq | Ne | Lt | Le | Gt | Ge | And | Or | Imply)
        }
        _ => false,
    }
}

/// The truth value of an expression: what a `bool` is assigned.
pub fn truth_value(expr: Expr) -> Expr {
    if is_truth_value(&expr) {
        return expr;
    }
    let span = expr.span;
    let zero = Box::new(Expr::int(0, span));
    Expr::new(ExprKind::Binary(Binary::Ne, Box::new(expr), zero), span)
}
