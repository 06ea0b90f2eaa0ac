//! Whole runs, judged by an automaton: formulas, automata in files, observers, cycles.

use std::path::Path;
use std::sync::Arc;

use homing_core::catalogue::{Parameter, Row};
use homing_ir::network::{Expr, ProcessId};
use homing_ir::source::Span;
use homing_ir::temporal::Formula;
use homing_ir::{Network, SourceId, Sources};
use homing_report::Verdict;
use homing_witness::Fairness;
use homing_witness::{Claim, Meaning};

use super::read::{parsed, text_of};
use super::unreadable::Unreadable;
use super::{Build, Goal, Need, Question, row};
use crate::load::Model;
use crate::run::UsageError;
use crate::temporal::{Temporal, antecedent, state_formula};
use crate::terms::negation;

pub(super) const LTL: Row<Build> = row(
    "ltl",
    "every run satisfies the formula of linear temporal logic",
    &[Parameter { name: "of", about: "the formula", default: "" }],
    |model, call| parse_formula(model, &text_of(call)?),
);

pub(super) const HOA: Row<Build> = row(
    "hoa",
    "no run is accepted by the automaton in the file",
    &[Parameter { name: "of", about: "a file in the Hanoi Omega-Automata format", default: "" }],
    |model, call| read_automaton(model, Path::new(&text_of(call)?)),
);

pub(super) const PROGRESS: Row<Build> =
    row("progress", "no cycle is without a progress location", &[], |model, _| {
        Ok(accepts_none("progress", Temporal::progress(&model.network)))
    });

pub(super) const ACCEPTANCE: Row<Build> =
    row("acceptance", "no cycle passes an accepting location", &[], |model, _| {
        Ok(accepts_none("acceptance", Temporal::acceptance(&model.network)))
    });

/// No run is accepted by an automaton.
#[derive(Debug)]
struct Runs {
    name: String,
    temporal: Temporal,
    antecedent: Option<Expr>,
}

/// No run is accepted by the automaton of a property of this name.
fn accepts_none(name: impl Into<String>, temporal: Temporal) -> Arc<dyn Question> {
    Arc::new(Runs { name: name.into(), temporal, antecedent: None })
}

impl Question for Runs {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::Run(&self.temporal)
    }

    /// Which runs count is for whoever searches to say.
    fn claim(&self) -> Option<Claim<'_>> {
        Some(self.temporal.claim(Fairness::None))
    }

    fn antecedent(&self) -> Option<&Expr> {
        self.antecedent.as_ref()
    }
}

/// The observer accepts no run.
pub(super) fn of_observer(name: &str, network: &Network, process: ProcessId) -> Arc<dyn Question> {
    match Temporal::of_observer(network, process) {
        Ok(temporal) => accepts_none(name, temporal),
        Err(why) => Arc::new(Unreadable { name: name.into(), why }),
    }
}

/// Every run satisfies the formula. One that says the same of every state forbids the
/// others: they are goals, and everything that there is for goals can be used.
pub(super) fn of_formula(
    name: String,
    formula: &Formula<Expr>,
    sources: &Sources,
    written: Span,
) -> Arc<dyn Question> {
    let always = match formula {
        Formula::Globally(always) => state_formula(always),
        _ => None,
    };
    let antecedent = antecedent(formula);
    if let Some(expr) = always {
        let goal = Goal::new(name, negation(expr), sources.clone());
        return Arc::new(Goal { meaning: Meaning::Invariant(written), antecedent, ..goal });
    }
    match Temporal::of_formula(formula, sources) {
        Ok(temporal) => Arc::new(Runs { name, temporal, antecedent }),
        Err(why) => Arc::new(Unreadable { name, why }),
    }
}

/// A formula of the user's own. Its name says that it is one, so that a trace file does.
pub(super) fn parse_formula(model: &Model, text: &str) -> Result<Arc<dyn Question>, UsageError> {
    let mut network = model.network.clone();
    let formula = homing_lang::formula(model.language, &mut network, text, "<formula>");
    let formula = formula.map_err(|diagnostics| UsageError::Diagnostics {
        sources: network.sources.clone(),
        diagnostics,
    })?;
    // Its text comes before those of its parts.
    let source = SourceId(model.network.sources.count() as u16);
    let written = Span { source, start: 0, end: text.len() as u32 };
    let name = format!("{} {{ {} }}", LTL.name, text.trim());
    let question = of_formula(name, &formula, &network.sources, written);
    match question.need(&model.network) {
        Need::Nothing => {
            let (_, why): (Verdict, String) = question.unsearched(None);
            Err(UsageError::Sentence(why))
        }
        _ => Ok(question),
    }
}

/// An automaton in a file.
pub(super) fn read_automaton(model: &Model, path: &Path) -> Result<Arc<dyn Question>, UsageError> {
    let shown = path.display();
    let wrong = |error: String| UsageError::Sentence(format!("`{shown}`: {error}"));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let read = homing_omega::hoa::read(&text).map_err(|error| wrong(error.to_string()))?;
    let place = shown.to_string();
    let atoms = read.atoms.iter().map(|atom| parsed(model, atom, &place).map(|(expr, _)| expr));
    let temporal = Temporal::of_automaton(read.automaton, atoms.collect::<Result<_, _>>()?);
    Ok(accepts_none(format!("{} {shown}", HOA.name), temporal))
}
