//! Who answers what: the engines that can, in turns with growing shares.
//!
//! ```text
//! share ← first turn
//! while something is open and some engine may find it out:
//!     for every engine, in the order of the table:
//!         it is given what is open and what it answers, for this share;
//!         the last one that is left, all that remains
//!     share ← 8 · share
//! ```
//! An engine that gives up (the model is too large for it, say) is not asked again.

use homing_ir::relation::Goal;
use homing_report::outcome::PropertyOutcome;

use super::{Answering, Checking, Count, kind};
use crate::check::{ENGINES, Engine};
use crate::options::{Options, UseEngine};
use crate::run::UsageError;

/// By what factor shares grow.
const GROWTH: u64 = 8;

/// How a question stands.
pub(super) enum Standing {
    /// Nobody found it out within a share; what was said last.
    Open(Option<PropertyOutcome>),
    /// The engine that was asked last will not find it out.
    GivenUp(PropertyOutcome),
    /// Settled.
    Answered(PropertyOutcome),
}

impl Standing {
    pub(super) fn outcome(self) -> Option<PropertyOutcome> {
        match self {
            Standing::Open(outcome) => outcome,
            Standing::GivenUp(outcome) | Standing::Answered(outcome) => Some(outcome),
        }
    }
}

/// An engine, and at which positions it may still find something out.
struct Able {
    answering: Answering,
    positions: Vec<usize>,
}

/// The engines that may be taken.
fn engines(options: &Options) -> impl Iterator<Item = (&'static Engine, Answering)> {
    let name = options.strategy.as_deref().map(|text| text.split('(').next().unwrap_or(text));
    let name = name.map(str::trim).filter(|name| *name != "auto");
    let named = options.engine != UseEngine::Auto;
    let fits = |engine: &&Engine| engine.may_be_taken(options.engine);
    let all = ENGINES.iter().filter(fits).filter_map(|engine| Some((engine, engine.relations?)));
    all.filter(move |(_, answering)| named || name.is_none_or(answering.takes))
}

/// Who counts states.
pub(super) fn counting(options: &Options) -> Result<Count, UsageError> {
    let mut counting = engines(options).filter_map(|(_, answering)| answering.stats);
    counting.next().ok_or_else(|| {
        UsageError::Sentence("the engine does not count states of models of hardware".into())
    })
}

impl Checking<'_> {
    /// Answers everything that can be answered.
    pub(super) fn turns(&mut self) -> Result<(), UsageError> {
        let mut able: Vec<Able> = engines(self.options)
            .map(|(_, answering)| Able { answering, positions: self.answered_by(answering) })
            .collect();
        self.refuse_what_nobody_answers(&able);
        let mut share = self.options.first_turn;
        while able.iter().any(|one| !one.positions.is_empty()) {
            for at in 0..able.len() {
                self.turn(&mut able, at, share)?;
            }
            share = share.saturating_mul(GROWTH);
        }
        Ok(())
    }

    fn answered_by(&self, answering: Answering) -> Vec<usize> {
        let all = 0..self.asked.len();
        all.filter(|index| (answering.answers)(self.relation, self.asked[*index])).collect()
    }

    /// One engine's turn. What others may find out as well is not given all that is left.
    fn turn(&mut self, able: &mut [Able], at: usize, share: u64) -> Result<(), UsageError> {
        let answering = able[at].answering;
        let positions = std::mem::take(&mut able[at].positions);
        let others = |index: &usize| {
            able.iter().enumerate().any(|(other, one)| other != at && one.positions.contains(index))
        };
        let (shared, own): (Vec<usize>, Vec<usize>) = positions.into_iter().partition(others);
        for (positions, share) in [(shared, Some(share)), (own, None)] {
            if positions.is_empty() {
                continue;
            }
            (answering.answer)(self, &positions, share)?;
            for index in positions {
                match (&self.standing[index], share) {
                    (Standing::Answered(_), _) => {
                        able.iter_mut().for_each(|one| one.positions.retain(|p| *p != index));
                    }
                    (Standing::Open(_), Some(_)) => able[at].positions.push(index),
                    (Standing::Open(_), None) | (Standing::GivenUp(_), _) => {}
                }
            }
        }
        Ok(())
    }

    fn refuse_what_nobody_answers(&mut self, able: &[Able]) {
        let names: Vec<&str> = engines(self.options).map(|(engine, _)| engine.name).collect();
        for index in 0..self.asked.len() {
            if able.iter().any(|one| one.positions.contains(&index)) {
                continue;
            }
            let goal = self.specification(index).map(|one| &one.goal);
            let own = match goal {
                Some(Goal::Unsupported(why)) => Some(why.clone()),
                Some(Goal::Justice(conditions)) if conditions.is_empty() => {
                    Some("it has no condition".to_string())
                }
                _ => None,
            };
            if let Some(why) = own {
                self.unknown(index, why, Default::default());
                continue;
            }
            let why = goal.map_or("deadlocks", kind);
            let why = match &names[..] {
                [] => "this engine answers nothing about models of hardware".to_string(),
                [one] => format!("the engine `{one}` does not answer {why}"),
                _ => format!("no engine answers {why}"),
            };
            self.unknown(index, why, Default::default());
        }
    }
}
