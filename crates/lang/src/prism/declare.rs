//! Entering what a model declares: modules, variables, where they begin.

use std::collections::BTreeMap;

use homing_ir::network::{
    Lifetime, Location, LocationId, Network, Process, ProcessId, Role, Storage, Type, Variable,
    VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::number::Number;
use super::scope::{Known, Meaning, Renaming, Scope};
use super::syntax::{self, Body, Command, Model, Module, Name};
use crate::names::nearest;
use crate::reading::Parse;

/// How far an integer without bounds may go: sums of two such still have 32 bits. One that
/// goes on growing is a run-time error in the end.
const UNBOUNDED: i64 = 1 << 29;

/// A module, once it is known whose text it has.
pub struct Instance<'m, 't> {
    pub name: Name<'t>,
    pub renaming: Renaming<'t>,
    pub variables: &'m [syntax::Variable<'t>],
    pub commands: &'m [Command<'t>],
}

/// The modules of a model; one that is not defined is left out.
pub fn instances<'m, 't>(scope: &mut Scope<'m, 't>, model: &'m Model<'t>) -> Vec<Instance<'m, 't>> {
    let mut known: BTreeMap<&str, &'m Module<'t>> = BTreeMap::new();
    for module in &model.modules {
        if let Some(before) = known.insert(module.name.text, module) {
            let message = format!("the module `{}` is declared twice", module.name.text);
            let error = Diagnostic::error(message, module.name.span);
            scope.report(error.related(before.name.span, "declared here before"));
        }
    }
    model.modules.iter().filter_map(|module| instance(scope, &known, module).ok()).collect()
}

fn instance<'m, 't>(
    scope: &mut Scope<'m, 't>,
    known: &BTreeMap<&str, &'m Module<'t>>,
    module: &'m Module<'t>,
) -> Parse<Instance<'m, 't>> {
    let mut renaming: Renaming<'t> = Vec::new();
    let mut at = module;
    loop {
        match &at.body {
            Body::Own { variables, commands } => {
                // The renaming nearest to the text comes first.
                renaming.reverse();
                return Ok(Instance { name: module.name, renaming, variables, commands });
            }
            Body::Renamed { of, pairs } => {
                renaming.push(pairs.iter().map(|(from, to)| (from.text, to.text)).collect());
                let Some(next) = known.get(of.text) else {
                    let error =
                        Diagnostic::error(format!("there is no module `{}`", of.text), of.span);
                    let near = nearest(of.text, known.keys().copied());
                    return scope.fail(match near {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    });
                };
                if renaming.len() > known.len() {
                    let message = format!("the module `{}` is made of itself", of.text);
                    return scope.fail(Diagnostic::error(message, of.span));
                }
                at = next;
            }
        }
    }
}

impl Instance<'_, '_> {
    /// The process that it becomes, so far without edges.
    pub fn process(&self) -> Process {
        let span = self.name.span;
        let location = Location { name: "on".to_string(), span, ..Location::default() };
        Process {
            name: self.name.text.to_string(),
            span,
            locations: vec![location],
            initial: LocationId(0),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::System,
            priority: 0,
            code: None,
        }
    }
}

/// Declares all variables, and says what they begin with.
pub fn variables<'m, 't>(
    scope: &mut Scope<'m, 't>,
    network: &mut Network,
    model: &'m Model<'t>,
    instances: &[Instance<'m, 't>],
) {
    let globals = model.globals.iter().map(|variable| (None, variable));
    let locals = instances.iter().enumerate().flat_map(|(number, instance)| {
        instance.variables.iter().map(move |variable| (Some(number), variable))
    });
    let all: Vec<(Option<usize>, &'m syntax::Variable<'t>)> = globals.chain(locals).collect();
    let renaming = |owner: Option<usize>| owner.map(|number| instances[number].renaming.clone());
    let mut names = Vec::new();
    for (number, (owner, variable)) in all.iter().enumerate() {
        scope.rename(renaming(*owner).unwrap_or_default());
        let name = Name { text: scope.renamed(variable.name.text), ..variable.name };
        scope.declare(name, Meaning::Variable(VariableId(number as u32)));
        names.push(name);
    }
    scope.variables = vec![None; all.len()];
    let mut known = Vec::new();
    for ((owner, variable), name) in all.iter().zip(names) {
        homing_budget::checkpoint();
        scope.rename(renaming(*owner).unwrap_or_default());
        let range =
            range(scope, variable).unwrap_or(Known { bool: variable.bool, low: 0, high: 1 });
        let initial = begins(scope, variable, range, model.initial.is_some());
        let owner = owner.map(|number| ProcessId(number as u32));
        network.variables.push(declared(name, range, initial.unwrap_or(range.low), owner));
        known.push(Some(range));
    }
    scope.rename(Renaming::new());
    scope.variables = known;
}

fn declared(name: Name<'_>, range: Known, initial: i64, owner: Option<ProcessId>) -> Variable {
    let ty = if range.bool { Type::Bool } else { Type::checked(range.low, range.high) };
    let (name, span) = (name.text.to_string(), name.span);
    Variable { name, span, owner, ty, initial: vec![initial], storage: Storage::State }
}

fn range<'m, 't>(scope: &mut Scope<'m, 't>, variable: &'m syntax::Variable<'t>) -> Parse<Known> {
    if variable.bool {
        return Ok(Known { bool: true, low: 0, high: 1 });
    }
    let Some((low, high)) = &variable.bounds else {
        return Ok(Known { bool: false, low: -UNBOUNDED, high: UNBOUNDED });
    };
    let span = low.span.to(high.span);
    let (low, high) = (scope.known_int(low)?, scope.known_int(high)?);
    if low > high {
        let message = format!("`{}` can have no value", variable.name.text);
        let error = Diagnostic::error(message, span);
        return scope.fail(error.label(format!("from {low} to {high}")));
    }
    Ok(Known { bool: false, low, high })
}

/// What a variable begins with.
fn begins<'m, 't>(
    scope: &mut Scope<'m, 't>,
    variable: &'m syntax::Variable<'t>,
    range: Known,
    elsewhere: bool,
) -> Parse<i64> {
    let unbounded = !range.bool && variable.bounds.is_none();
    let Some(expr) = &variable.initial else {
        return Ok(if unbounded { 0 } else { range.low });
    };
    if elsewhere {
        let error = Diagnostic::error("initial values are said twice", expr.span);
        return scope.fail(error.help("write either `init` here or `init … endinit`"));
    }
    match (scope.known(expr)?, range.bool) {
        (Number::Bool(value), true) => Ok(i64::from(value)),
        (Number::Int(value), false) if (range.low..=range.high).contains(&value) => Ok(value),
        (Number::Int(value), false) => {
            let message = format!("`{}` cannot begin with {value}", variable.name.text);
            let error = Diagnostic::error(message, expr.span);
            scope.fail(error.label(format!("it is {} to {}", range.low, range.high)))
        }
        (_, bool) => {
            let what = if bool { "a truth value" } else { "a whole number" };
            let message = format!("`{}` is {what}, and this is none", variable.name.text);
            scope.fail(Diagnostic::error(message, expr.span))
        }
    }
}

/// Begins in the one state that a condition allows.
pub fn begin_in(network: &mut Network, values: &[i64]) {
    for (variable, value) in network.variables.iter_mut().zip(values) {
        variable.initial = vec![*value];
    }
}

/// Where a model can be pointed at as a whole.
pub fn place(model: &Model<'_>) -> Option<Span> {
    let kind = model.kind.map(|(_, span)| span);
    kind.or_else(|| model.modules.first().map(|module| module.name.span))
}
