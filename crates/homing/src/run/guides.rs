//! Estimates and preferences, made for a search.

use homing_budget::attempt;
use homing_core::Distance;
use homing_guide::{Goal, Staged, Target};
use homing_search::{Guide, Strategy};
use homing_space::CompiledSpace;

use super::{Aim, Runner, Shared, cut};
use crate::symmetric;

/// The share of the memory limit that an estimate's tables may take.
pub(crate) const TABLES: usize = 4;

impl Runner {
    /// Makes what directs a search, if the budget allows.
    pub(crate) fn guide<'a>(
        &'a self,
        strategy: &Strategy,
        space: &'a CompiledSpace,
        aim: &'a Aim,
        shared: &'a Shared,
    ) -> Result<Guide<'a>, String> {
        let made = || self.made_guide(strategy, space, aim, shared);
        attempt("building the tables of an estimate", made).map_err(cut)?
    }

    /// Whether more could be found out about a space than was, for guides made in haste.
    pub(crate) fn are_coarse(&self, space: &CompiledSpace) -> bool {
        self.grounds.are_coarse(space.prepared())
    }

    /// What an estimate or a preference is made for.
    pub(crate) fn goal<'a>(
        &'a self,
        space: &'a CompiledSpace,
        aim: &'a Aim,
        target: Target<'a>,
        shared: &'a Shared,
    ) -> Goal<'a> {
        Goal {
            space: space.prepared(),
            successors: space,
            target,
            costs: aim.costs.as_deref(),
            expressions: &aim.expressions,
            memory: self.limits.memory.map_or(usize::MAX, |memory| memory / TABLES),
            notices: &shared.notices,
            grounds: Some(&self.grounds),
            hasty: shared.hasty.get(),
        }
    }

    fn made_guide<'a>(
        &'a self,
        strategy: &Strategy,
        space: &'a CompiledSpace,
        aim: &'a Aim,
        shared: &'a Shared,
    ) -> Result<Guide<'a>, String> {
        let goal = |target| self.goal(space, aim, target, shared);
        let between = strategy.algorithm.distance();
        let distance = between.map(|name| homing_guide::distance(&goal(Target::Deadlock), name));
        let distance: Option<Box<dyn Distance + 'a>> = distance.transpose()?.map(|it| it as _);
        if let (Some(stages), Some(call)) = (&aim.stages, &strategy.estimate) {
            let estimate =
                |condition| homing_guide::build(&goal(Target::Condition(condition)), call);
            let staged = Staged::new(stages, space.prepared(), estimate)?;
            return Ok(Guide { heuristic: Some(Box::new(staged)), preference: None, distance });
        }
        let Some(target) = aim.target else {
            return Ok(Guide { distance, ..Guide::default() });
        };
        let goal = goal(target);
        let heuristic = strategy.estimate.as_ref().map(|call| homing_guide::build(&goal, call));
        let mut heuristic = heuristic.transpose()?;
        let preference = strategy.prefer.as_ref().map(|call| homing_guide::prefer(&goal, call));
        let preference = preference.transpose()?;
        if let (Some(heuristic), Some(prefer)) = (&heuristic, &strategy.prefer) {
            homing_guide::fits(prefer, &**heuristic, space.prepared())?;
        }
        if aim.representatives {
            heuristic = heuristic.map(symmetric::by_itself);
        }
        Ok(Guide { heuristic, preference, distance })
    }
}
