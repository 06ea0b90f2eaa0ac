//! What to check: goals, properties of the model, and what every model should
//! do.

use std::path::Path;
use std::sync::Arc;

use homing_core::catalogue::nearest;
use homing_ir::flatten::{Wanted, asserts};
use homing_ir::network::{
    Binary, Expr, ExprKind, LocationId, ProcessId, Property as Written, PropertyKind, Unary,
};
use homing_ir::source::Span;
use homing_ir::temporal::Formula;
use homing_ir::{Network, SourceId, Sources};
use homing_report::infinite::Fairness;
use homing_report::replay::{Claim, Meaning};

use crate::load::Model;
use crate::options::Options;
use crate::run::UsageError;
use crate::temporal::{Temporal, antecedent, asks_channels, state_formula};

/// A property to check.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Its name, or the text of a goal.
    pub name: String,
    pub kind: Kind,
    /// What must hold in some state for the property to say anything.
    pub antecedent: Option<Expr>,
    /// What it means that a state which is looked for is reached.
    pub meaning: Meaning,
}

impl Property {
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Property {
        Property { name: name.into(), kind, antecedent: None, meaning: Meaning::Goal }
    }

    /// What a run that violates it shows at its end.
    pub(crate) fn claim(&self) -> Claim<'_> {
        match &self.kind {
            Kind::Goal(expr, sources) | Kind::Reachable(expr, sources) => {
                Claim::Goal(expr, sources, self.meaning)
            }
            Kind::Deadlock => Claim::Deadlock,
            Kind::Errors => Claim::Error,
            Kind::Assertions => Claim::Assertion,
            Kind::Temporal(temporal) => temporal.claim(Fairness::None),
            Kind::Query(_) | Kind::Unreadable(_) => Claim::Deadlock,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A state that must not be reached, and the texts it is written in.
    Goal(Expr, Sources),
    /// No assertion is ever false.
    Assertions,
    /// No state is without a step.
    Deadlock,
    /// No step fails.
    Errors,
    /// A state that is to be reached, and the texts it is written in.
    Reachable(Expr, Sources),
    /// A property of whole runs.
    Temporal(Arc<Temporal>),
    /// A property of whole runs for which there is no automaton, and why.
    Unreadable(String),
    /// A question of another kind.
    Query(PropertyKind),
}

/// The languages whose models come with queries: where there are some, they are
/// what is asked.
const WITH_QUERIES: [&str; 2] = ["uppaal", "tck"];

/// The properties every model is checked for.
const GENERAL: [(&str, Kind); 3] =
    [("assertions", Kind::Assertions), ("deadlock", Kind::Deadlock), ("errors", Kind::Errors)];

/// The properties that the options ask for.
pub(crate) fn wanted(model: &Model, options: &Options) -> Result<Vec<Property>, UsageError> {
    let mut properties = Vec::new();
    for goal in &options.goals {
        properties.push(parse_goal(model, goal)?);
    }
    for formula in &options.formulas {
        properties.push(parse_formula(model, formula)?);
    }
    for path in &options.automata {
        properties.push(read_automaton(model, path)?);
    }
    for name in &options.properties {
        properties.push(by_name(model, name)?);
    }
    if properties.is_empty() {
        properties = of_model(&model.network);
        let written = !model.network.properties.is_empty();
        properties.retain(|property| match (&property.kind, asks(model)) {
            (Kind::Assertions, true) => false,
            (Kind::Deadlock, true) => !written,
            _ => true,
        });
        properties.retain(|property| !options.without.contains(&property.name));
    }
    Ok(properties)
}

/// Whether the model's language has queries, and nothing else is asked.
fn asks(model: &Model) -> bool {
    WITH_QUERIES.contains(&model.language.name)
}

/// All properties of a model, the general ones first.
fn of_model(network: &Network) -> Vec<Property> {
    let general = GENERAL.map(|(name, kind)| Property::new(name, kind));
    let sources = &network.sources;
    let written = network.properties.iter().map(|property| {
        let kind = match &property.kind {
            PropertyKind::Never(expr) => {
                let kind = Kind::Goal(expr.clone(), sources.clone());
                let meaning = Meaning::Invariant(property.span);
                return Property { meaning, ..Property::new(property.name.clone(), kind) };
            }
            PropertyKind::Observer(process) => temporal(Temporal::of_observer(network, *process)),
            PropertyKind::Reachable(expr) => Kind::Reachable(expr.clone(), sources.clone()),
            PropertyKind::Temporal(formula) => {
                return of_formula(property.name.clone(), formula, sources, property.span);
            }
            PropertyKind::Unchecked(why) => {
                Kind::Unreadable(format!("not checked: {why} ({})", place(network, property)))
            }
            query => Kind::Query(query.clone()),
        };
        Property::new(property.name.clone(), kind)
    });
    general.into_iter().chain(written).collect()
}

/// Where a property is written, for people.
fn place(network: &Network, property: &Written) -> String {
    let at = network.sources.position(property.span);
    let file = &network.sources.get(property.span.source).name;
    format!("{}:{}", file.rsplit('/').next().unwrap_or(file), at.line)
}

fn temporal(made: Result<Temporal, String>) -> Kind {
    match made {
        Ok(temporal) => Kind::Temporal(Arc::new(temporal)),
        Err(why) => Kind::Unreadable(why),
    }
}

/// A formula that says the same of every state forbids the others: they are goals, and
/// everything that there is for goals can be used.
fn of_formula(name: String, formula: &Formula<Expr>, sources: &Sources, written: Span) -> Property {
    let always = match formula {
        // What cannot be evaluated is neither a goal nor none.
        Formula::Globally(always) => state_formula(always).filter(|expr| !asks_channels(expr)),
        _ => None,
    };
    let kind = match always {
        Some(expr) => Kind::Goal(negation(expr), sources.clone()),
        None => temporal(Temporal::of_formula(formula, sources)),
    };
    let meaning = Meaning::Invariant(written);
    Property { name, kind, antecedent: antecedent(formula), meaning }
}

/// Properties of cycles that every model may be asked about, by name.
fn of_cycles(network: &Network, name: &str) -> Option<Property> {
    let made = match name {
        "progress" => Temporal::progress(network),
        "acceptance" => Temporal::acceptance(network),
        _ => return None,
    };
    Some(Property::new(name, Kind::Temporal(Arc::new(made))))
}

/// A formula of the user's own. Its name says that it is one, so that a trace file
/// does.
fn parse_formula(model: &Model, text: &str) -> Result<Property, UsageError> {
    let mut network = model.network.clone();
    let formula = homing_lang::formula(model.language, &mut network, text, "<formula>");
    let formula = formula.map_err(|diagnostics| UsageError::Diagnostics {
        sources: network.sources.clone(),
        diagnostics,
    })?;
    // Its text comes before those of its parts.
    let source = SourceId(model.network.sources.count() as u16);
    let written = Span { source, start: 0, end: text.len() as u32 };
    let name = format!("{LTL} {{ {} }}", text.trim());
    let property = of_formula(name, &formula, &network.sources, written);
    match property.kind {
        Kind::Unreadable(why) => Err(UsageError::Sentence(why)),
        _ => Ok(property),
    }
}

/// An automaton in a file.
fn read_automaton(model: &Model, path: &Path) -> Result<Property, UsageError> {
    let shown = path.display();
    let wrong = |error: String| UsageError::Sentence(format!("`{shown}`: {error}"));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let read = homing_omega::hoa::read(&text).map_err(|error| wrong(error.to_string()))?;
    let mut atoms = Vec::new();
    for atom in &read.atoms {
        let mut network = model.network.clone();
        let parsed = (model.language.expression)(&mut network, atom, &shown.to_string());
        atoms.push(parsed.map_err(|diagnostics| UsageError::Diagnostics {
            sources: network.sources,
            diagnostics,
        })?);
    }
    let temporal = Temporal::of_automaton(read.automaton, atoms);
    Ok(Property::new(format!("{HOA} {shown}"), Kind::Temporal(Arc::new(temporal))))
}

/// How the names of formulas and of files with automata begin.
const LTL: &str = "ltl";
const HOA: &str = "hoa";

/// A formula or an automaton of the command line, by the name it was given.
fn of_command_line(model: &Model, name: &str) -> Option<Result<Property, UsageError>> {
    let (word, rest) = name.trim().split_once(' ')?;
    let formula = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match (word, formula) {
        (LTL, Some(formula)) => Some(parse_formula(model, formula)),
        (HOA, _) => Some(read_automaton(model, Path::new(rest.trim()))),
        _ => None,
    }
}

pub(crate) fn parse_goal(model: &Model, text: &str) -> Result<Property, UsageError> {
    let mut network = model.network.clone();
    match (model.language.expression)(&mut network, text, "<goal>") {
        Ok(expr) => Ok(Property::new(text.trim(), Kind::Goal(expr, network.sources))),
        Err(diagnostics) => Err(UsageError::Diagnostics { sources: network.sources, diagnostics }),
    }
}

/// Expressions of the user's own, as conditions that have their values.
pub(crate) fn own_expressions(model: &Model, texts: &[String]) -> Result<Vec<Wanted>, UsageError> {
    let parse = |text: &String| {
        let mut network = model.network.clone();
        let parsed = (model.language.expression)(&mut network, text, "<estimate>");
        parsed.map(Wanted::goal).map_err(|diagnostics| UsageError::Diagnostics {
            sources: network.sources,
            diagnostics,
        })
    };
    texts.iter().map(parse).collect()
}

/// A property by its name or, where no property has it, a goal by its text.
pub(crate) fn named(model: &Model, name: &str) -> Result<Property, UsageError> {
    if let Some(found) = of_command_line(model, name) {
        return found;
    }
    by_name(model, name).or_else(|unknown| match parse_goal(model, name) {
        Ok(goal) => Ok(goal),
        // A name is no goal, and a goal with an error is no name.
        Err(_) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => Err(unknown),
        Err(wrong) => Err(wrong),
    })
}

fn by_name(model: &Model, name: &str) -> Result<Property, UsageError> {
    let all = of_model(&model.network);
    let names: Vec<String> = all.iter().map(|property| property.name.clone()).collect();
    let found = all.into_iter().find(|property| property.name == name);
    found.or_else(|| of_cycles(&model.network, name)).ok_or_else(|| {
        let hint = match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has: {}", names.join(", ")),
        };
        UsageError::Sentence(format!("the model has no property `{name}`; {hint}"))
    })
}

/// Some assertion is false: a process is at a location, and what must hold
/// there does not, or a step failed by an assertion in its effects. `None` where the model asserts nothing.
pub(crate) fn failed_assertion(network: &Network) -> Option<Wanted> {
    let mut failures = Vec::new();
    for (id, process) in network.system_processes() {
        for (index, location) in process.locations.iter().enumerate() {
            for assertion in &location.assertions {
                failures.push(fails_at(id, LocationId(index as u32), assertion));
            }
        }
    }
    let either = |a: Expr, b: Expr| join(Binary::Or, a, b);
    let expr = balanced(failures, either);
    let assertions = asserts_in_effects(network);
    let nothing = assertions.then(|| Expr::int(0, Span::default()));
    expr.or(nothing).map(|expr| Wanted { expr, holds_on_failure: true, assertions })
}

/// A step failed by an assertion in its effects.
pub(crate) fn failed_step() -> Wanted {
    Wanted { assertions: true, ..Wanted::goal(Expr::int(0, Span::default())) }
}

/// Whether steps may fail by assertions.
pub(crate) fn asserts_in_effects(network: &Network) -> bool {
    let edges = network.system_processes().flat_map(|(_, process)| &process.edges);
    edges.flat_map(|edge| &edge.branches).any(|branch| asserts(&branch.effect))
}

fn fails_at(process: ProcessId, location: LocationId, assertion: &Expr) -> Expr {
    let span = assertion.span;
    let there = Expr::new(ExprKind::At(process, location), span);
    join(Binary::And, there, negation(assertion.clone()))
}

pub(crate) fn negation(expr: Expr) -> Expr {
    let span = expr.span;
    Expr::new(ExprKind::Unary(Unary::Not, Box::new(expr)), span)
}

/// Two expressions, joined by an operator.
pub(crate) fn join(op: Binary, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

/// Joins all pairwise, so that the depth grows with the logarithm only.
pub(crate) fn balanced(mut all: Vec<Expr>, join: impl Fn(Expr, Expr) -> Expr) -> Option<Expr> {
    while all.len() > 1 {
        let mut joined = Vec::with_capacity(all.len().div_ceil(2));
        let mut rest = all.into_iter();
        while let Some(a) = rest.next() {
            joined.push(match rest.next() {
                Some(b) => join(a, b),
                None => a,
            });
        }
        all = joined;
    }
    all.pop()
}
