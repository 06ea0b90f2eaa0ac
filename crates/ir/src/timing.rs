//! The timed part of a system: clocks, and what bounds and resets them.
//!
//! A [`System`] keeps the discrete part of a timed network: what
//! its guards and effects say of clocks stands here, by the numbers of its parts,
//! components and conditions. Without clocks, a part could move in every state in
//! which it can move with them, so whoever looks at the discrete part alone (the
//! estimates, the preferences) sees at least the steps there are.
//!
//! Clocks are numbered from 1; 0 is the clock that is always zero. What a guard
//! says of clocks is a conjunction of [`Constraint`]s, each a bound on the
//! difference of two clocks:
//!
//! ```text
//! when ⇒ left − right ≺ bound      ≺ is < where strict, else ≤
//! ```
//!
//! An invariant may also say that a clock *stands still* where a term is not zero
//! ([`Constraint::stops`]): the bound `x − x ≤ 0`, which every value satisfies, so that
//! whoever does not let time pass need not know. No comparison is made into that bound.
//!
//! Terms are evaluated in the source state of a step, those of invariants and
//! conditions in the state itself. Those of guards do not fail: what may (an index
//! of an array of clocks, a bound) fails in the discrete guard before. An invariant
//! that cannot be evaluated does not hold. [`Constraint::at`] knows that.
//!
//! In sets of variables ([`crate::footprint`]) clocks are numbered behind the slots: who
//! bounds a clock reads it, who resets it writes it. Numbers assigned at fixed places are
//! [`TimedPart::resets`]; assignments under `if`, in loops, of elements and of values go
//! through two slots a clock ([`Timing::pending`]), which compiled code sets like any
//! others, and which the zone space applies and clears after the step.

use crate::evaluate::evaluate;
use crate::footprint::{SlotSet, term_reads};
use crate::layout::Field;
use crate::network::Unary;
use crate::system::{PartId, SlotId, System, Term};

/// The timed part of a system.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// The clocks, the first of which has the number 1.
    pub clocks: Vec<Clock>,
    /// By part, what it asks and does of clocks.
    pub parts: Vec<TimedPart>,
    /// By component and by value of its location slot, the invariant.
    pub invariants: Vec<Vec<Vec<Constraint>>>,
    /// By component and by value of its location slot, whether no time passes
    /// there: urgent and committed locations.
    pub urgent: Vec<Vec<bool>>,
    /// By channel, whether time does not pass while a step on it is possible.
    pub urgent_channels: Vec<bool>,
    /// By condition of the system.
    pub conditions: Vec<TimedCondition>,
    /// By part, its priority: steps of greater priority come first, the edge's
    /// before the process's; of a step, the greatest of its parts counts. Empty
    /// where all are equal.
    pub priorities: Vec<(i32, i32)>,
    /// By clock, as in `clocks` (that of number `k` at `k - 1`), the slots that
    /// effects assign it through, where its assignments are not all constants at
    /// fixed places; see [`Pending`].
    pub pending: Vec<Option<Pending>>,
    /// By site of the system, what must hold of clocks for a failure there, in a
    /// guard: what the guard says of clocks before it comes to that place.
    pub sites: Vec<Vec<Constraint>>,
}

/// The greatest number a clock is set to.
pub const MOST: i64 = crate::wellformed::SETTING_BOUND;

/// A clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Its name, for people.
    pub name: String,
    /// What it starts at.
    pub initial: i64,
}

/// The slots through which the effects of a step assign a clock. Both are zero
/// in every state that is not within a step: whoever applies the assignment
/// clears them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Zero: not assigned. `k + 1`: assigned clock `k` (0 for a number) plus
    /// what the other slot holds, both as they were before the step.
    pub base: SlotId,
    /// What is added.
    pub offset: SlotId,
}

/// What a part asks and does of clocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimedPart {
    /// When it may move, besides its guard.
    pub guard: Vec<Constraint>,
    /// Clocks it sets to numbers, in order. Those with [`Timing::pending`] slots
    /// are not among them.
    pub resets: Vec<(u32, i64)>,
}

/// A bound on the difference of two clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// Where this is zero, the constraint says nothing.
    pub when: Term,
    /// The greater clock.
    pub left: ClockTerm,
    /// The lesser clock.
    pub right: ClockTerm,
    /// What the difference is less than, or at most.
    pub bound: Term,
    /// Whether it must be less.
    pub strict: bool,
}

/// A clock, perhaps of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClockTerm {
    /// This one; 0 for the clock that is always zero.
    Clock(u32),
    /// The `index`-th of `count` clocks from `first` on; within bounds by
    /// construction.
    Element {
        /// The clock of index 0.
        first: u32,
        /// How many clocks there are.
        count: u32,
        /// Which one.
        index: Term,
    },
}

/// What a condition of the system says of clocks and deadlocks: it holds where
/// one of the cases does. The system's own condition says what is necessary of
/// the discrete part. A case whose term cannot be evaluated holds where the
/// condition says that failures count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TimedCondition {
    /// The cases; none where the condition is of the discrete part alone.
    pub cases: Vec<Case>,
}

/// A case of a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// What must hold of the discrete part.
    pub term: Term,
    /// What must hold of clocks.
    pub clocks: Vec<Constraint>,
    /// Whether the state must be a deadlock, or none.
    pub deadlock: Option<bool>,
}

/// A bound on the difference of two clocks, in some state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The greater clock.
    pub left: u32,
    /// The lesser clock.
    pub right: u32,
    /// What the difference is less than, or at most.
    pub bound: i64,
    /// Whether it must be less.
    pub strict: bool,
}

impl Difference {
    /// What no values of clocks satisfy.
    pub const NEVER: Difference = Difference { left: 0, right: 0, bound: -1, strict: false };
}

impl ClockTerm {
    /// Which clock it is in `state`, if any.
    pub fn at(&self, fields: &[Field], state: &[u64]) -> Option<u32> {
        match self {
            ClockTerm::Clock(clock) => Some(*clock),
            ClockTerm::Element { first, count, index } => {
                let index = u32::try_from(evaluate(index, fields, state)?).ok()?;
                (index < *count).then_some(first + index)
            }
        }
    }

    /// The clocks it may be.
    pub fn clocks(&self) -> std::ops::Range<u32> {
        match self {
            ClockTerm::Clock(clock) => *clock..clock + 1,
            ClockTerm::Element { first, count, .. } => *first..first + count,
        }
    }
}

impl Constraint {
    /// Whether it says the same in every state: all its terms are numbers.
    pub fn is_constant(&self) -> bool {
        self.terms().all(|term| matches!(term, Term::Const(_)))
    }

    /// What it says in `state`: nothing, or a bound. What cannot be evaluated
    /// does not hold.
    pub fn at(&self, fields: &[Field], state: &[u64]) -> Option<Difference> {
        if evaluate(&self.when, fields, state) == Some(0) {
            return None;
        }
        let said = || {
            let (left, right) = (self.left.at(fields, state)?, self.right.at(fields, state)?);
            let bound = evaluate(&self.bound, fields, state)?;
            Some(Difference { left, right, bound, strict: self.strict })
        };
        Some(said().unwrap_or(Difference::NEVER))
    }

    /// Its terms.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let indices = [&self.left, &self.right].into_iter().filter_map(|clock| match clock {
            ClockTerm::Clock(_) => None,
            ClockTerm::Element { index, .. } => Some(index),
        });
        [&self.when, &self.bound].into_iter().chain(indices)
    }

    /// Replaces its terms.
    pub fn map_terms(&mut self, map: &mut dyn FnMut(Term) -> Term) {
        let mut replace = |term: &mut Term| *term = map(std::mem::replace(term, Term::Const(0)));
        replace(&mut self.when);
        replace(&mut self.bound);
        for clock in [&mut self.left, &mut self.right] {
            if let ClockTerm::Element { index, .. } = clock {
                replace(index);
            }
        }
    }

    /// A discrete condition, as a constraint: nothing satisfies it where the
    /// condition does not hold.
    pub fn discrete(condition: Term) -> Constraint {
        Constraint {
            when: Term::Unary(Unary::Not, Box::new(condition)),
            left: ClockTerm::Clock(0),
            right: ClockTerm::Clock(0),
            bound: Term::Const(-1),
            strict: false,
        }
    }

    /// Whether nothing ever satisfies it: no clock is less than zero.
    pub fn is_contradiction(&self) -> bool {
        let (Term::Const(when), Term::Const(bound)) = (&self.when, &self.bound) else {
            return false;
        };
        let nothing = *bound < 0 || *bound == 0 && self.strict;
        *when != 0 && nothing && (self.right == ClockTerm::Clock(0) || self.left == self.right)
    }

    /// Whether it compares two clocks with each other.
    pub fn is_diagonal(&self) -> bool {
        let zero = ClockTerm::Clock(0);
        self.left != zero && self.right != zero && self.stopped().is_none()
    }

    /// That a clock stands still where `when` is not zero.
    pub fn stops(clock: u32, when: Term) -> Constraint {
        let [left, right] = [ClockTerm::Clock(clock), ClockTerm::Clock(clock)];
        Constraint { when, left, right, bound: Term::Const(0), strict: false }
    }

    /// The clock that it says stands still, if it says so.
    pub fn stopped(&self) -> Option<u32> {
        match (&self.left, &self.right) {
            (ClockTerm::Clock(left), ClockTerm::Clock(right)) if left == right && *left != 0 => {
                Some(*left)
            }
            _ => None,
        }
    }
}

impl Timing {
    /// Whether the step of a part is one that time waits for.
    pub fn is_urgent(&self, system: &System, part: PartId) -> bool {
        let channel = system.part(part).channel();
        channel.is_some_and(|channel| self.urgent_channels[channel.index()])
    }

    /// The variables that constraints depend on: slots, and the clocks
    /// themselves by [`System::clock_variable`].
    pub fn reads<'c>(
        &self,
        system: &System,
        constraints: impl IntoIterator<Item = &'c Constraint>,
    ) -> SlotSet {
        let mut reads = SlotSet::default();
        for constraint in constraints {
            constraint.terms().for_each(|term| {
                reads.extend(&term_reads(term));
            });
            let clocks = [&constraint.left, &constraint.right].into_iter().flat_map(|c| c.clocks());
            clocks.filter(|clock| *clock != 0).for_each(|clock| {
                reads.insert(system.clock_variable(clock));
            });
        }
        reads
    }

    /// The variables that decide whether and how long time may pass: locations
    /// with invariants, urgent and committed ones, what invariants read, and what
    /// steps on urgent channels wait for.
    pub fn time_reads(&self, system: &System) -> SlotSet {
        let mut reads = SlotSet::default();
        for (index, component) in system.components.iter().enumerate() {
            let invariants = self.invariants[index].iter().flatten();
            let bounded = invariants.clone().next().is_some() || self.urgent[index].contains(&true);
            if bounded {
                reads.insert(component.location);
            }
            reads.extend(&self.reads(system, invariants));
        }
        for (index, part) in system.parts.iter().enumerate() {
            if self.is_urgent(system, PartId(index as u32)) {
                reads.insert(system.component(part.component).location);
                part.source_terms().into_iter().for_each(|term| {
                    reads.extend(&term_reads(term));
                });
            }
        }
        reads
    }

    /// Whether some clock stands still at times.
    pub fn has_stopwatches(&self) -> bool {
        let mut invariants = self.invariants.iter().flatten().flatten();
        invariants.any(|one| one.stopped().is_some() && one.when != Term::Const(0))
    }

    /// The constraints of all its conditions.
    pub fn condition_constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.conditions.iter().flat_map(|one| &one.cases).flat_map(|case| &case.clocks)
    }

    /// Whether a condition asks for deadlocks, or that there be none.
    pub fn asks_for_deadlocks(&self) -> bool {
        let mut cases = self.conditions.iter().flat_map(|condition| &condition.cases);
        cases.any(|case| case.deadlock.is_some())
    }

    /// The slots through which clocks are assigned, each with its clock.
    pub fn pending_slots(&self) -> impl Iterator<Item = (SlotId, u32)> + '_ {
        let clocks = self.pending.iter().enumerate();
        clocks
            .filter_map(|(index, pending)| Some((index as u32 + 1, (*pending)?)))
            .flat_map(|(clock, pending)| [(pending.base, clock), (pending.offset, clock)])
    }
}
