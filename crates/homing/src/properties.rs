//! What to check: goals, properties of the model, and what every model should
//! do.

use homing_core::catalogue::nearest;
use homing_ir::flatten::{Wanted, asserts};
use homing_ir::network::{Binary, Expr, ExprKind, LocationId, ProcessId, PropertyKind, Unary};
use homing_ir::source::Span;
use homing_ir::{Network, Sources};
use homing_report::replay::Claim;

use crate::load::Model;
use crate::run::{Options, UsageError};

/// A property to check.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Its name, or the text of a goal.
    pub name: String,
    pub kind: Kind,
}

impl Property {
    /// What a run that violates it shows at its end.
    pub(crate) fn claim(&self) -> Claim<'_> {
        match &self.kind {
            Kind::Goal(expr, sources) | Kind::Reachable(expr, sources) => {
                Claim::Goal(expr, sources)
            }
            Kind::Deadlock => Claim::Deadlock,
            Kind::Errors => Claim::Error,
            Kind::Assertions => Claim::Assertion,
            Kind::Observer(process) => Claim::Observer(*process),
            Kind::Query(_) => Claim::Deadlock,
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
    /// An automaton that must not accept.
    Observer(ProcessId),
    /// A state that is to be reached, and the texts it is written in.
    Reachable(Expr, Sources),
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
    let general = GENERAL.map(|(name, kind)| Property { name: name.into(), kind });
    let written = network.properties.iter().map(|property| Property {
        name: property.name.clone(),
        kind: match &property.kind {
            PropertyKind::Never(expr) => Kind::Goal(expr.clone(), network.sources.clone()),
            PropertyKind::Observer(process) => Kind::Observer(*process),
            PropertyKind::Reachable(expr) => Kind::Reachable(expr.clone(), network.sources.clone()),
            query => Kind::Query(query.clone()),
        },
    });
    general.into_iter().chain(written).collect()
}

pub(crate) fn parse_goal(model: &Model, text: &str) -> Result<Property, UsageError> {
    let mut network = model.network.clone();
    match (model.language.expression)(&mut network, text, "<goal>") {
        Ok(expr) => {
            Ok(Property { name: text.trim().into(), kind: Kind::Goal(expr, network.sources) })
        }
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
    all.into_iter().find(|property| property.name == name).ok_or_else(|| {
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

/// Whether steps may fail by assertions.
pub(crate) fn asserts_in_effects(network: &Network) -> bool {
    let edges = network.system_processes().flat_map(|(_, process)| &process.edges);
    edges.flat_map(|edge| &edge.branches).any(|branch| asserts(&branch.effect))
}

fn fails_at(process: ProcessId, location: LocationId, assertion: &Expr) -> Expr {
    let span = assertion.span;
    let there = Expr::new(ExprKind::At(process, location), span);
    let fails = Expr::new(ExprKind::Unary(Unary::Not, Box::new(assertion.clone())), span);
    join(Binary::And, there, fails)
}

/// Two expressions, joined by an operator.
pub(crate) fn join(op: Binary, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::Binary(op, Box::new(a), Box::new(b)), span)
}

/// Joins all pairwise, so that the depth grows with the logarithm only.
fn balanced(mut all: Vec<Expr>, join: impl Fn(Expr, Expr) -> Expr) -> Option<Expr> {
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
