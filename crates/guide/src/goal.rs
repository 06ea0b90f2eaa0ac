//! What a search is directed at.

use std::cell::RefCell;
use std::sync::Arc;

use homing_core::{Cost, Space, Word};
use homing_ir::Prepared;
use homing_ir::footprint::SlotSet;
use homing_ir::system::{SlotId, Term};

use crate::ground::Ground;

/// What an estimate or a preference is made for.
#[derive(Clone, Copy)]
pub struct Goal<'a> {
    /// The system that is searched.
    pub space: &'a Arc<Prepared>,
    /// Its steps, for estimates that ask for successors.
    pub successors: &'a dyn Space,
    /// What is looked for in it.
    pub target: Target<'a>,
    /// What every step costs, by its label; without, each costs one.
    pub costs: Option<&'a [Cost]>,
    /// Expressions of the user's own: their text, and which of the conditions
    /// of the system has their value.
    pub expressions: &'a [(String, usize)],
    /// The memory that tables may take, in bytes.
    pub memory: usize,
    /// What the user should know: tables made smaller, and why.
    pub notices: &'a RefCell<Vec<String>>,
    /// Ground forms, for whoever makes several estimates.
    pub grounds: Option<&'a Grounds>,
    /// Whether to be quick about it: ground forms may be coarser.
    pub hasty: bool,
}

/// Ground forms that were made, by their systems and goals.
#[derive(Default)]
pub struct Grounds(RefCell<Vec<Known>>);

struct Known {
    space: Arc<Prepared>,
    goal: Term,
    ground: Arc<Ground>,
}

impl Grounds {
    /// The ground form of a system with a goal, the finest there is; in haste a coarse one
    /// will do.
    pub(crate) fn find(&self, goal: &Goal, term: &Term) -> Option<Arc<Ground>> {
        let known = self.0.borrow();
        let fits = |one: &&Known| {
            Arc::ptr_eq(&one.space, goal.space)
                && one.goal == *term
                && (goal.hasty || !one.ground.coarse)
        };
        known.iter().rev().find(fits).map(|one| Arc::clone(&one.ground))
    }

    /// Keeps one that was made.
    pub(crate) fn keep(&self, goal: &Goal, term: Term, ground: &Arc<Ground>) {
        let (space, ground) = (Arc::clone(goal.space), Arc::clone(ground));
        self.0.borrow_mut().push(Known { space, goal: term, ground });
    }

    /// Whether one of a system is coarser than it need be.
    pub fn are_coarse(&self, space: &Arc<Prepared>) -> bool {
        let known = self.0.borrow();
        known.iter().any(|one| Arc::ptr_eq(&one.space, space) && one.ground.coarse)
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A state that satisfies this one of the system's conditions; of a timed
    /// one, estimates know what it says of the discrete part.
    Condition(usize),
    /// A state without any step.
    Deadlock,
    /// This very state; of a timed one, its discrete part.
    State(&'a [Word]),
}

impl<'a> Goal<'a> {
    /// Looks for a condition of the space; steps cost one, memory does not
    /// matter.
    pub fn condition(
        space: &'a Arc<Prepared>,
        successors: &'a dyn Space,
        condition: usize,
        notices: &'a RefCell<Vec<String>>,
    ) -> Goal<'a> {
        let (target, memory) = (Target::Condition(condition), usize::MAX);
        Goal {
            space,
            successors,
            target,
            costs: None,
            expressions: &[],
            memory,
            notices,
            grounds: None,
            hasty: false,
        }
    }

    /// The condition that goal states satisfy, for estimates that are made for
    /// goals; a sentence where the target is none.
    pub fn term(&self, estimate: &str) -> Result<Term, String> {
        match self.target {
            Target::Condition(condition) => {
                Ok(self.space.system().conditions[condition].term.clone())
            }
            Target::State(state) => {
                let (system, values) = (self.space.system(), self.space.layout().unpack(state));
                let timing = system.timing.as_ref();
                // What clocks are assigned through says nothing about a state.
                let pending: SlotSet =
                    timing.iter().flat_map(|timing| timing.pending_slots()).map(|p| p.0).collect();
                let is = |(slot, value): (usize, &i64)| Term::is(SlotId(slot as u32), *value);
                let all = values.iter().enumerate();
                let all = all.filter(|(slot, _)| !pending.contains(SlotId(*slot as u32))).map(is);
                Ok(all.reduce(Term::and).unwrap_or(Term::Const(1)))
            }
            Target::Deadlock => Err(format!(
                "`{estimate}` is made for goals; for deadlocks there are `active` and `blocked`"
            )),
        }
    }

    /// For estimates that are made for deadlocks; a sentence where the target
    /// is none.
    pub fn is_deadlock(&self, estimate: &str) -> Result<(), String> {
        match self.target {
            Target::Deadlock => Ok(()),
            Target::Condition(_) | Target::State(_) => Err(format!(
                "`{estimate}` is made for deadlocks; for goals there are `goal-count`, `formula` \
                 and others"
            )),
        }
    }

    /// Whether a state in which the condition cannot be evaluated is looked
    /// for, too.
    pub fn holds_on_failure(&self) -> bool {
        match self.target {
            Target::Condition(condition) => {
                self.space.system().conditions[condition].holds_on_failure
            }
            Target::Deadlock | Target::State(_) => false,
        }
    }

    /// What a move with this label adds at least to the cost of a run. Where
    /// control may be held, a step is several moves. All together cost one: the
    /// last pays, the others are free. Or they cost what the first one says:
    /// then those that may come later are free.
    pub fn cost(&self, label: u32) -> Cost {
        let moves = self.space.moves();
        match self.costs {
            None => Cost::from(moves.holder(label).is_none()),
            Some(_) if moves.is_inner(label) => 0,
            Some(costs) => costs[label as usize],
        }
    }

    /// The cost of a step whose first move has this label.
    pub fn step_cost(&self, label: u32) -> Cost {
        self.costs.map_or(1, |costs| costs[label as usize])
    }

    /// The least cost of a step: what an estimate in steps may be multiplied
    /// by.
    pub fn least_cost(&self) -> Cost {
        self.costs.map_or(1, |costs| costs.iter().copied().min().unwrap_or(1))
    }

    /// Whether every step is one move. Where not, estimates that count moves
    /// promise nothing.
    pub fn steps_are_moves(&self) -> bool {
        !self.space.system().has_atomic_parts()
    }
}
