//! Which questions are asked: by the options, by the model, and of every model.

use std::sync::Arc;

use homing_core::catalogue::{self, Kind, nearest};
use homing_core::expression::{self, Call, Expression};
use homing_ir::flatten::Wanted;
use homing_ir::network::{Expr, Property as Written, PropertyKind};
use homing_ir::{Network, Sources};
use homing_report::Verdict;
use homing_witness::Meaning;

use super::extremes::Extremes;
use super::runs::{HOA, LTL, of_formula, of_observer, parse_formula, read_automaton};
use super::stays::Stays;
use super::unreadable::Unreadable;
use super::{Goal, QUESTIONS, Question, assertions, deadlock, errors};
use crate::load::Model;
use crate::options::Options;
use crate::run::UsageError;

/// The languages whose models come with queries: where there are some, they are
/// what is asked.
const WITH_QUERIES: [&str; 2] = ["uppaal", "tck"];

/// What is asked of every model.
const GENERAL: [&str; 3] = [assertions::ROW.name, deadlock::ROW.name, errors::ROW.name];

/// The questions that the options ask.
pub(crate) fn asked(
    model: &Model,
    options: &Options,
) -> Result<Vec<Arc<dyn Question>>, UsageError> {
    let mut questions: Vec<Arc<dyn Question>> = Vec::new();
    for goal in &options.goals {
        questions.push(Arc::new(parse_goal(model, goal)?));
    }
    for formula in &options.formulas {
        questions.push(parse_formula(model, formula)?);
    }
    for path in &options.automata {
        questions.push(read_automaton(model, path)?);
    }
    for name in &options.properties {
        questions.push(by_name(model, name)?);
    }
    if questions.is_empty() {
        questions = of_model(model)?;
        let written = !model.network.properties.is_empty();
        if WITH_QUERIES.contains(&model.language.name) {
            questions.retain(|one| one.name() != assertions::ROW.name);
            questions.retain(|one| !written || one.name() != deadlock::ROW.name);
        }
        questions.retain(|question| !options.without.iter().any(|name| name == question.name()));
    }
    Ok(questions)
}

/// The one question of a command that takes one; `none` where there is none, or why
/// several are too many.
pub(crate) fn one_of(
    model: &Model,
    goal: &Option<String>,
    property: &Option<String>,
) -> Result<Option<Arc<dyn Question>>, UsageError> {
    match (goal, property) {
        (None, None) => Ok(None),
        (Some(goal), None) => Ok(Some(Arc::new(parse_goal(model, goal)?))),
        (None, Some(name)) => by_name(model, name).map(Some),
        (Some(_), Some(_)) => {
            Err(UsageError::Sentence("give one `--goal` or one `--property`, not both".into()))
        }
    }
}

/// All questions of a model, the general ones first.
fn of_model(model: &Model) -> Result<Vec<Arc<dyn Question>>, UsageError> {
    let general = GENERAL.iter().map(|name| by_row(model, name));
    let mut all = general.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect::<Vec<_>>();
    all.extend(model.network.properties.iter().map(|written| of_property(&model.network, written)));
    Ok(all)
}

/// A property that is written in the model.
fn of_property(network: &Network, property: &Written) -> Arc<dyn Question> {
    let name = || property.name.clone();
    let sources = || network.sources.clone();
    match &property.kind {
        PropertyKind::Never(expr) => {
            let meaning = Meaning::Invariant(property.span);
            Arc::new(Goal { meaning, ..Goal::new(name(), expr.clone(), sources()) })
        }
        PropertyKind::Reachable(expr) => {
            let found = Verdict::Holds;
            Arc::new(Goal { found, ..Goal::new(name(), expr.clone(), sources()) })
        }
        PropertyKind::Observer(process) => of_observer(&property.name, network, *process),
        PropertyKind::Temporal(formula) => {
            of_formula(name(), formula, &network.sources, property.span)
        }
        PropertyKind::Persistent(p) => Arc::new(Stays::persistent(&property.name, p)),
        PropertyKind::Inevitable(p) => Arc::new(Stays::inevitable(&property.name, None, p)),
        PropertyKind::LeadsTo(p, q) => Arc::new(Stays::inevitable(&property.name, Some(p), q)),
        PropertyKind::Extreme { greatest, when, of } => {
            let (when, of) = (when.clone(), of.clone());
            Arc::new(Extremes { name: name(), greatest: *greatest, when, of, sources: sources() })
        }
        PropertyKind::Unchecked(why) => {
            let why = format!("not checked: {why} ({})", place(network, property));
            Arc::new(Unreadable { name: name(), why })
        }
    }
}

/// Where a property is written, for people.
fn place(network: &Network, property: &Written) -> String {
    let at = network.sources.position(property.span);
    let file = &network.sources.get(property.span.source).name;
    format!("{}:{}", file.rsplit('/').next().unwrap_or(file), at.line)
}

/// A question by its name or, where none has it, a goal by its text.
pub(crate) fn named(model: &Model, name: &str) -> Result<Arc<dyn Question>, UsageError> {
    if let Some(found) = of_command_line(model, name) {
        return found;
    }
    by_name(model, name).or_else(|unknown| match parse_goal(model, name) {
        Ok(goal) => Ok(Arc::new(goal) as Arc<dyn Question>),
        // A name is no goal, and a goal with an error is no name.
        Err(_) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => Err(unknown),
        Err(wrong) => Err(wrong),
    })
}

/// A formula or an automaton of the command line, by the name it was given.
fn of_command_line(model: &Model, name: &str) -> Option<Result<Arc<dyn Question>, UsageError>> {
    let (word, rest) = name.trim().split_once(' ')?;
    let formula = rest.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match (word, formula) {
        (word, Some(formula)) if word == LTL.name => Some(parse_formula(model, formula)),
        (word, _) if word == HOA.name => Some(read_automaton(model, rest.trim().as_ref())),
        _ => None,
    }
}

/// A property of the model, or a question of the catalogue.
fn by_name(model: &Model, name: &str) -> Result<Arc<dyn Question>, UsageError> {
    let all = of_model(model)?;
    if let Some(found) = all.iter().find(|question| question.name() == name) {
        return Ok(Arc::clone(found));
    }
    if let Some(found) = by_row(model, name)? {
        return Ok(found);
    }
    let names: Vec<&str> = all.iter().map(|question| question.name()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has: {}", names.join(", ")),
    };
    Err(UsageError::Sentence(format!("the model has no property `{name}`; {hint}")))
}

/// A question of the catalogue, as an expression such as `deadlock` or `goal('x == 3')`.
fn by_row(model: &Model, text: &str) -> Result<Option<Arc<dyn Question>>, UsageError> {
    let call =
        expression::parse(text).ok().and_then(|expression| expression.as_call().cloned().ok());
    let Some(call) = call else { return Ok(None) };
    match catalogue::find(QUESTIONS, Kind::Question, &call.name) {
        Ok(row) => {
            let names: Vec<&str> = row.parameters.iter().map(|one| one.name).collect();
            call.allow(&names).map_err(UsageError::Sentence)?;
            (row.build)(model, &call).map(Some)
        }
        Err(_) => Ok(None),
    }
}

/// The text that a question is about: its one argument.
pub(super) fn text_of(call: &Call) -> Result<String, UsageError> {
    let given = call.named("of").or_else(|| call.unnamed().next());
    match given {
        Some(Expression::Text(text)) => Ok(text.clone()),
        _ => Err(UsageError::Sentence(format!(
            "the question `{}` is about a text, as in `{}('…')`",
            call.name, call.name
        ))),
    }
}

/// A state that must not be reached.
pub(crate) fn parse_goal(model: &Model, text: &str) -> Result<Goal, UsageError> {
    let (expr, sources) = parsed(model, text, "<goal>")?;
    Ok(Goal::new(text.trim(), expr, sources))
}

/// Expressions of the user's own, as conditions that have their values.
pub(crate) fn own_expressions(model: &Model, texts: &[String]) -> Result<Vec<Wanted>, UsageError> {
    let own = |text: &String| parsed(model, text, "<estimate>").map(|(expr, _)| Wanted::goal(expr));
    texts.iter().map(own).collect()
}

/// An expression in the model's own language, and the texts with it among them.
pub(super) fn parsed(
    model: &Model,
    text: &str,
    place: &str,
) -> Result<(Expr, Sources), UsageError> {
    let mut network = model.network.clone();
    let parsed = (model.language.expression)(&mut network, text, place);
    let sources = network.sources;
    match parsed {
        Ok(expr) => Ok((expr, sources)),
        Err(diagnostics) => Err(UsageError::Diagnostics { sources, diagnostics }),
    }
}
