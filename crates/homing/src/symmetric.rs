//! `--symmetry`: one state for all that differ only in which of some
//! interchangeable processes is where.
//!
//! The search runs through representatives; what it finds is turned into a run of
//! the model at once (`realise`), so that everything behind it (replay,
//! shortening, explanations) knows nothing of them.
//!
//! | asked for together with | answer |
//! |---|---|
//! | `--minimise` (but of time), `--different`, `prefer=` | refused |
//! | `--reduction` | ample sets of representatives |
//! | observers, properties of infinite runs | checked without it, with a notice |
//! | a goal about one process | the others are interchangeable still |

use std::sync::Arc;

use homing_core::{Batch, Claims, Cost, Edge, Fault, Heuristic, HeuristicFactory, Space, Word};
use homing_guide::Factory;
use homing_ir::Network;
use homing_ir::network::ProcessId;
use homing_ir::symmetry::Symmetry;
use homing_ir::system::{ComponentId, System};
use homing_search::{Finding, Findings, Path, Plan};
use homing_space::zones::ZoneSpace;
use homing_space::{CompiledSpace, Symmetric, beginning};

use crate::load::Model;
use crate::options::{Options, UseSymmetry};
use crate::question::Question;
use crate::run::{Configuration, UsageError};

/// Refuses what does not go with interchangeable processes.
pub(crate) fn refuse(options: &Options, parts: &Configuration) -> Result<(), UsageError> {
    if options.symmetry != UseSymmetry::Always {
        return Ok(());
    }
    let why = if options.minimise.is_some() {
        "`--minimise` tells processes apart"
    } else if options.different > 1 {
        "`--different` tells processes apart"
    } else if parts.strategy.prefers() {
        "a preference looks at who moved last, which is lost where processes are exchanged"
    } else {
        return Ok(());
    };
    Err(UsageError::Sentence(format!("`--symmetry` cannot be used here: {why}")))
}

/// What is checked without, and why.
pub(crate) fn not_used(
    model: &Model,
    options: &Options,
    questions: &[Arc<dyn Question>],
) -> Option<String> {
    let runs = questions.iter().filter(|one| one.need(&model.network).is_of_runs());
    let names: Vec<String> = runs.map(|question| format!("`{}`", question.name())).collect();
    (options.symmetry == UseSymmetry::Always && !names.is_empty()).then(|| {
        format!(
            "symmetry is not used for {}: it keeps which states are reached, but a loop through \
             representatives may close only because processes were exchanged on the way",
            names.join(", ")
        )
    })
}

/// The space of representatives, if there are interchangeable processes, and what
/// to say of it.
pub(crate) fn symmetric<'a>(
    space: &'a CompiledSpace,
    zones: Option<&Arc<ZoneSpace<'a>>>,
    network: &Network,
    parts: &Configuration,
) -> (Option<Symmetric<'a>>, Vec<String>) {
    let symmetry = found(space, zones.is_some(), parts);
    let mut told = vec![told(space.system(), &symmetry)];
    told.extend(not_found(space.system(), &symmetry, network));
    let symmetric = (!symmetry.is_empty()).then(|| match zones {
        Some(zones) => Symmetric::timed(Arc::clone(zones), &symmetry),
        None => Symmetric::new(space, space.layout(), &symmetry),
    });
    (symmetric, told)
}

fn found(space: &CompiledSpace, timed: bool, parts: &Configuration) -> Symmetry {
    // Estimates are made from the initial state on; a search without does not care.
    let blind = !parts.strategy.is_directed() && matches!(parts.strategy.plan, Plan::Once);
    let first = if timed { Vec::new() } else { beginning(space) };
    Symmetry::after(space.system(), !blind, &first)
}

/// Arrangements of processes from which on it is worth while to choose one of them.
const WORTH: u64 = 6;

/// Whether interchangeable processes have enough arrangements.
pub(crate) fn is_worth(space: &CompiledSpace, timed: bool, parts: &Configuration) -> bool {
    let groups = found(space, timed, parts).groups;
    let sizes = groups.iter().map(|group| group.members.len() as u64);
    let arrangements = |size: u64| (1..=size).fold(1, u64::saturating_mul);
    sizes.map(arrangements).fold(1, u64::saturating_mul) >= WORTH
}

/// Adds what was not said before: several searches find the same processes.
pub(crate) fn once_each(said: &mut Vec<String>, notices: &[String]) {
    for notice in notices {
        if !said.contains(notice) {
            said.push(notice.clone());
        }
    }
}

fn told(system: &System, symmetry: &Symmetry) -> String {
    if symmetry.is_empty() {
        return "symmetry: no two processes were found to be interchangeable here".into();
    }
    let groups = symmetry.groups.iter().map(|group| {
        let members = group.members.iter();
        let names: Vec<&str> = members
            .map(|member| &*system.slots[system.component(*member).location.index()].name)
            .collect();
        let shown = match &names[..] {
            [first, .., last] if names.len() > 4 => format!("{first} … {last}"),
            names => names.join(", "),
        };
        format!("{} interchangeable processes ({shown})", names.len())
    });
    format!("symmetry: {}", groups.collect::<Vec<_>>().join("; "))
}

/// What was declared to be interchangeable and is not, as far as can be seen.
fn not_found(system: &System, symmetry: &Symmetry, network: &Network) -> Vec<String> {
    let group_of = |process: ProcessId| {
        let has = |member: &ComponentId| system.component(*member).process == process;
        symmetry.groups.iter().position(|group| group.members.iter().any(has))
    };
    let apart = network.interchangeable.iter().filter(|declared| {
        // What slicing leaves out has nothing to do with what is asked.
        let there = |process: &ProcessId| system.components.iter().any(|c| c.process == *process);
        let mut groups =
            declared.processes.iter().filter(|one| there(one)).map(|one| group_of(*one));
        let first = groups.next().flatten();
        first.is_none() || groups.any(|group| group != first)
    });
    let mut sets: Vec<&str> = apart.map(|declared| &*declared.set).collect();
    sets.dedup();
    let told = sets.into_iter().map(|set| {
        format!(
            "the values of the scalar set `{set}` are not all alike here: what is asked, or how \
             the model starts, tells its processes apart, or it was not seen that nothing does"
        )
    });
    told.collect()
}

/// An estimate for representatives. A step leads to a state that is like the
/// successor, not to it: what is known of the state before must not be made use of,
/// and an estimate that takes processes for different ones may fall by more than
/// the step costs. The distance of both is the same, so it stays admissible.
pub(crate) fn by_itself(inner: Factory<'_>) -> Factory<'_> {
    Box::new(ByItself(inner))
}

struct ByItself<P>(P);

impl HeuristicFactory for ByItself<Factory<'_>> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(ByItself(self.0.instance()))
    }
}

impl Heuristic for ByItself<Box<dyn Heuristic + '_>> {
    fn estimate(&mut self, state: &[Word], _: Option<Edge>) -> Cost {
        self.0.estimate(state, None)
    }

    fn has_ties(&self) -> bool {
        self.0.has_ties()
    }

    fn tie(&self) -> Cost {
        self.0.tie()
    }

    fn parts(&self) -> &[Cost] {
        self.0.parts()
    }

    fn claims(&self) -> Claims {
        Claims { consistent: false, ..self.0.claims() }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.0.without(state, label)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.0.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.0.is_lazy()
    }

    fn work(&self) -> u64 {
        self.0.work()
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// Turns paths through representatives into runs.
pub(crate) fn realise(
    space: &CompiledSpace,
    symmetric: &Symmetric,
    findings: &mut Findings,
) -> Result<(), UsageError> {
    let mut expander = symmetric.inner().expander();
    let mut batch = Batch::new(symmetric.width());
    for (bit, finding) in findings.conditions.iter_mut().enumerate() {
        let holds = |state: &[Word]| expander.violated(state) >> bit & 1 == 1;
        realise_one(symmetric, finding, holds)?;
    }
    realise_one(symmetric, &mut findings.deadlock, |state| {
        batch.clear();
        expander.expand(state, &mut batch);
        batch.deadlock()
    })?;
    let sites = &space.system().sites;
    let fault = findings.fault.as_ref().and_then(|finding| finding.fault);
    let kind = |fault: &Fault| sites[fault.site as usize].kind;
    let alike = |other: &Fault| fault.is_some_and(|fault| kind(&fault) == kind(other));
    let fails = |state: &[Word]| symmetric.failing(state, alike);
    realise_one(symmetric, &mut findings.fault, |state| fails(state).is_some())?;
    if let Some(finding) = &mut findings.fault {
        finding.fault = fails(finding.path.state(finding.path.len()));
    }
    Ok(())
}

fn realise_one(
    symmetric: &Symmetric,
    finding: &mut Option<Finding>,
    accepted: impl FnMut(&[Word]) -> bool,
) -> Result<(), UsageError> {
    let Some(Finding { path, .. }) = finding else { return Ok(()) };
    let states = (0..=path.len()).map(|step| path.state(step));
    let run = symmetric.realise(states, accepted);
    let Some(((_, first), rest)) = run.as_ref().and_then(|run| run.split_first()) else {
        return Err(UsageError::Internal("a path of representatives belongs to no run".into()));
    };
    let mut real = Path::starting_at(first);
    rest.iter().for_each(|(edge, state)| real.push(*edge, state));
    *path = real;
    Ok(())
}
