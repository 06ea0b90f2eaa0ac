//! A second search, without an estimate, where the planner's leaves a doubt.
//!
//! An estimate proves that a goal is not reached from a state. That the goal can be
//! evaluated in all states behind it, it does not prove; `check::cut` says why that
//! matters. Where a goal may fail to be evaluated, nothing was found and states were left
//! out as dead ends, all states are looked at once more, breadth first.

use homing_search::{Auto, Task};
use homing_space::CompiledSpace;

use super::{Aim, Before, Configuration, Ran, Runner, UsageError};
use crate::planner::made;

/// A search that leaves nothing out.
const BLIND: &str = "breadth";

impl Runner {
    /// The planner's search, and a blind one behind it where there is doubt.
    pub(super) fn planned(
        &self,
        auto: Auto,
        parts: &Configuration,
        space: &CompiledSpace,
        task: &Task,
        aim: &Aim,
    ) -> Result<Ran, UsageError> {
        let mut ran = self.auto(auto, parts, space, task, aim)?;
        let Some(blind) = made(BLIND, parts.seed()).filter(|_| ran.is_doubtful(space, task)) else {
            return Ok(ran);
        };
        let aim = Aim { target: None, ..aim.clone() };
        let again = self.round(&blind, parts.store(), space, task, &aim, None)?;
        let mut before = Before::default();
        if again.outcome.stopped.is_some() {
            // What was found counts; the rest stays open.
            before.add(&blind, &again);
            ran.outcome.stopped = again.outcome.stopped;
            return Ok(before.and(ran));
        }
        before.add(&blind, &ran);
        let mut phases = ran.phases;
        phases.push("breadth-first, since an estimate cannot tell where a goal fails".into());
        Ok(before.and(Ran { phases, first: ran.first, record: ran.record, ..again }))
    }
}

impl Ran {
    /// Whether states were left out in which something that was not found may fail to be
    /// evaluated.
    pub(super) fn is_doubtful(&self, space: &CompiledSpace, task: &Task) -> bool {
        let found = &self.outcome.findings.conditions;
        let open = |bit: usize| {
            task.conditions >> bit & 1 == 1 && !matches!(found.get(bit), Some(Some(_)))
        };
        self.outcome.stopped.is_none()
            && self.leaves_out()
            && (0..64).any(|bit| open(bit) && space.may_be_unevaluated(bit))
    }

    /// Whether states were left out as dead ends of an estimate.
    pub(crate) fn leaves_out(&self) -> bool {
        self.proved || self.outcome.statistics.dead_ends > 0
    }
}
