//! What is asked of a model of hardware, and what cannot be.

use homing_core::catalogue::nearest;
use homing_ir::relation::Relation;
use homing_search::Plan;
use homing_space::Execution;
use homing_witness::Fairness;

use crate::load::Model;
use crate::options::{Options, UseEngine, UseSymmetry};
use crate::run::{Configuration, UsageError};
use crate::searched::Zones;

/// The question whether there is a state without successor.
pub(super) const DEADLOCK: &str = "deadlock";

/// What is asked: one of the file's specifications, or for a state without successor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// By its number.
    Specified(usize),
    /// For a state without successor.
    Deadlock,
}

/// Refuses what is asked for and made for processes, or not made for relations yet: nothing
/// is ignored in silence.
pub(super) fn refuse(options: &Options) -> Result<(), UsageError> {
    let Options { passes, zones, engine, .. } = options;
    let asked = [
        (!options.goals.is_empty(), "goals"),
        (!options.formulas.is_empty(), "formulas on the command line"),
        (!options.automata.is_empty(), "automata"),
        (options.minimise.is_some(), "costs"),
        (options.estimate.is_some(), "estimates"),
        (options.different > 1, "several counterexamples"),
        (options.disk.is_some(), "searches on disk"),
        (options.checkpoint.is_some(), "checkpoints"),
        (options.fairness != Fairness::None, "fair schedulers of processes"),
        (options.reduction.asked().is_some(), "reductions of interleavings"),
        (options.symmetry == UseSymmetry::Always, "symmetries of processes"),
        (*zones != Zones::default(), "zones"),
        (
            *engine == UseEngine::Explicit(Execution::Interpreted),
            "other ways to compute successors",
        ),
        (!passes.on.is_empty() || !passes.off.is_empty(), "passes"),
    ];
    match asked.iter().find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, what)) => {
            Err(UsageError::Sentence(format!("{what} are not available for models of hardware")))
        }
    }
}

/// What the options ask for; all that the file specifies, if nothing.
pub(super) fn asked(relation: &Relation, options: &Options) -> Result<Vec<Asked>, UsageError> {
    refuse(options)?;
    let all = &relation.specifications;
    if options.properties.is_empty() {
        let wanted = |number: &usize| !options.without.contains(&all[*number].name);
        return Ok((0..all.len()).filter(wanted).map(Asked::Specified).collect());
    }
    let mut asked = Vec::new();
    for name in &options.properties {
        let named = all.iter().position(|one| one.name == *name);
        match named {
            Some(number) => asked.push(Asked::Specified(number)),
            None if name == DEADLOCK => asked.push(Asked::Deadlock),
            None => {
                let names = all.iter().map(|one| &*one.name).chain([DEADLOCK]);
                let hint = match nearest(name, names.clone()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", names.collect::<Vec<_>>().join(", ")),
                };
                let message = format!("the file specifies no `{name}`; {hint}");
                return Err(UsageError::Sentence(message));
            }
        }
    }
    Ok(asked)
}

/// The strategy that looks for runs without an end.
pub(super) const LASSOS: &str = "couvreur";

/// The parts of an explicit search, `default` where no strategy is named.
pub(super) fn chosen(
    model: &Model,
    options: &Options,
    default: &str,
) -> Result<Configuration, UsageError> {
    let options = match options.strategy.as_deref() {
        Some("auto") => Options { strategy: None, ..options.clone() },
        _ => options.clone(),
    };
    let parts = Configuration::choose(model, &options, default)?;
    let planned = !matches!(parts.strategy.plan, Plan::Once);
    if parts.strategy.is_directed() || planned {
        return Err(UsageError::Sentence(
            "estimates and preferences are made from processes; give a blind strategy".into(),
        ));
    }
    Ok(parts)
}
