//! What is asked of a model.
//!
//! A question says
//!
//! - what a search has to look for ([`Question::need`]), by which the engine is chosen
//!   that answers it (`engine`);
//! - what a run that was found shows when the interpreter executes it
//!   ([`Question::claim`]);
//! - what it means that something was found, or that there is nothing
//!   ([`Question::verdicts`]).
//!
//! What comes of it is an [`Answer`](crate::check::Answer): a verdict, perhaps values, a
//! witness, statistics. A question is one file and one row of [`QUESTIONS`]; `read` finds
//! out which are asked. To add one: docs/how-to/add-a-question.md.

mod assertions;
mod count;
mod deadlock;
mod errors;
mod extremes;
mod goal;
mod read;
mod runs;
mod stays;
mod unreadable;

use std::fmt::Debug;
use std::sync::Arc;

use homing_core::Space;
use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_guide::Target;
use homing_ir::Network;
use homing_ir::flatten::Wanted;
use homing_ir::interp::Staying;
use homing_ir::network::Expr;
use homing_report::Verdict;
use homing_search::{Finding, Findings, Task};
use homing_witness::Claim;

pub(crate) use assertions::{asserts_in_effects, failed_assertion, failed_step};
pub(crate) use goal::Goal;
pub(crate) use read::{asked, named, one_of, own_expressions, parse_goal};

use crate::check::{Answer, Check};
use crate::load::Model;
use crate::run::UsageError;
use crate::temporal::Temporal;

/// A question about a model.
pub(crate) trait Question: Debug {
    /// Its name, or its text: what users know it by.
    fn name(&self) -> &str;

    /// What a search has to look for.
    fn need<'q>(&'q self, network: &Network) -> Need<'q>;

    /// What a run that was found shows when it is executed; nothing where the need says it.
    fn claim(&self) -> Option<Claim<'_>> {
        None
    }

    /// The verdict where something was found, and where there is nothing to be found.
    fn verdicts(&self) -> (Verdict, Verdict) {
        (Verdict::Violated, Verdict::Holds)
    }

    /// What must hold in some state for the question to ask anything.
    fn antecedent(&self) -> Option<&Expr> {
        None
    }

    /// Why there is no estimate that leads to what is looked for.
    fn undirected(&self) -> String {
        format!("there are no states that violate `{}`, to which anything could lead", self.name())
    }

    /// The verdict where no search was made, and why.
    fn unsearched(&self, why: Option<&str>) -> (Verdict, String) {
        (Verdict::Unknown, why.unwrap_or("nothing was searched").into())
    }

    /// Asks other questions and makes an answer of theirs: only for [`Need::Others`].
    fn compose(&self, _: &mut Check) -> Result<Answer, UsageError> {
        Err(UsageError::Internal(format!("`{}` does not consist of other questions", self.name())))
    }
}

/// What a search has to look for.
#[derive(Clone, Debug)]
pub(crate) enum Need<'q> {
    /// A state, or a step that fails. Such questions share their searches.
    State(Sought),
    /// A run that an automaton accepts.
    Run(&'q Temporal),
    /// A maximal run that never leaves a condition, from the initial state or from any
    /// reachable one.
    Stay(Staying<'q>),
    /// What other questions need.
    Others,
    /// Nothing: it cannot be asked.
    Nothing,
}

impl Need<'_> {
    /// What it is, without the particulars.
    pub(crate) fn kind(&self) -> NeedKind {
        match self {
            Need::State(_) => NeedKind::State,
            Need::Run(_) => NeedKind::Run,
            Need::Stay(_) => NeedKind::Stay,
            Need::Others => NeedKind::Others,
            Need::Nothing => NeedKind::Nothing,
        }
    }

    /// The state that is looked for.
    pub(crate) fn into_sought(self) -> Option<Sought> {
        match self {
            Need::State(sought) => Some(sought),
            _ => None,
        }
    }

    /// Whether whole runs are judged.
    pub(crate) fn is_of_runs(&self) -> bool {
        matches!(self, Need::Run(_) | Need::Stay(_))
    }
}

/// What an engine must be able to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NeedKind {
    /// States, and steps that fail.
    State,
    /// Runs that an automaton accepts.
    Run,
    /// Maximal runs that never leave a condition.
    Stay,
    /// What other questions need.
    Others,
    /// Nothing.
    Nothing,
}

/// A state, or a failing step, that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Sought {
    pub event: Event,
    /// Whether processes that have nothing to do with it may be left out.
    pub slice: bool,
    /// Whether it is about assertions, which other searches need not look at.
    pub asserts: bool,
}

/// What happens where a search is to stop.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A state satisfies this.
    Condition(Wanted),
    /// A state has no step.
    Deadlock,
    /// A step fails.
    Fault,
    /// Nothing ever does: there is nothing to look for.
    Never,
}

impl Sought {
    /// A state that satisfies an expression.
    pub(crate) fn state(expr: &Expr) -> Sought {
        let event = Event::Condition(Wanted::goal(expr.clone()));
        Sought { event, slice: true, asserts: false }
    }

    fn of(event: Event) -> Sought {
        Sought { event, slice: false, asserts: false }
    }

    /// The condition that a space must have.
    pub(crate) fn condition(&self) -> Option<&Wanted> {
        match &self.event {
            Event::Condition(wanted) => Some(wanted),
            Event::Deadlock | Event::Fault | Event::Never => None,
        }
    }

    /// How a search tells that it was found, where its condition has this bit.
    pub(crate) fn hit(&self, bit: usize) -> Hit {
        match &self.event {
            Event::Condition(_) => Hit::Condition(bit),
            Event::Deadlock => Hit::Deadlock,
            Event::Fault => Hit::Fault,
            Event::Never => Hit::Never,
        }
    }
}

/// How a search tells that something was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Hit {
    /// By the condition of this bit.
    Condition(usize),
    Deadlock,
    Fault,
    Never,
}

impl Hit {
    /// The bit of its condition.
    pub(crate) fn bit(self) -> Option<usize> {
        match self {
            Hit::Condition(bit) => Some(bit),
            _ => None,
        }
    }

    /// What an estimate leads to; nothing where there is no estimate for it.
    pub(crate) fn target(self) -> Option<Target<'static>> {
        match self {
            Hit::Condition(bit) => Some(Target::Condition(bit)),
            Hit::Deadlock => Some(Target::Deadlock),
            Hit::Fault | Hit::Never => None,
        }
    }

    /// A search for this alone.
    pub(crate) fn task(self, space: &dyn Space) -> Task<'_> {
        Task {
            conditions: self.bit().map_or(0, |bit| 1 << bit),
            deadlock: self == Hit::Deadlock,
            fault: self == Hit::Fault,
            ..Task::explore(space)
        }
    }

    /// What a search found of it.
    pub(crate) fn of(self, findings: &Findings) -> Option<&Finding> {
        match self {
            Hit::Condition(bit) => findings.conditions.get(bit).and_then(Option::as_ref),
            Hit::Deadlock => findings.deadlock.as_ref(),
            Hit::Fault => findings.fault.as_ref(),
            Hit::Never => None,
        }
    }
}

/// The verdict where something was found, and where there is nothing.
fn with_opposite(found: Verdict) -> (Verdict, Verdict) {
    match found {
        Verdict::Holds => (Verdict::Holds, Verdict::Violated),
        _ => (Verdict::Violated, Verdict::Holds),
    }
}

/// Makes a question from what users write.
pub(crate) type Build = fn(&Model, &Call) -> Result<Arc<dyn Question>, UsageError>;

/// The questions that users can ask by name. Those without a parameter are asked by their
/// name alone. Queries of a model come from its language: see [`read`].
pub(crate) const QUESTIONS: &[Row<Build>] = &[
    assertions::ROW,
    deadlock::ROW,
    errors::ROW,
    goal::GOAL,
    goal::REACH,
    runs::LTL,
    runs::HOA,
    runs::PROGRESS,
    runs::ACCEPTANCE,
    extremes::SUP,
    extremes::INF,
    count::ROW,
];

/// A row of the catalogue.
const fn row(
    name: &'static str,
    about: &'static str,
    parameters: &'static [Parameter],
    build: Build,
) -> Row<Build> {
    let (needs, gives): (&[Capability], &[Capability]) = (&[], &[]);
    let (kind, cite, uses) = (Kind::Question, "", &[]);
    Row { name, kind, about, cite, parameters, needs, gives, uses, build }
}
