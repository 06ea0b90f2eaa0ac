//! The timed part of a system: clocks, and what bounds and resets them.
//!
//! A [`System`](crate::System) keeps the discrete part of a timed network: what
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
//! Terms are evaluated in the source state of a step, those of invariants and
//! conditions in the state itself. They never fail: what may fail (an index of an
//! array of clocks) fails in the discrete guard or effect before.

use crate::system::{SlotId, Term};

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
    /// By clock, from 1 on, the slots that effects assign it through, where its
    /// assignments are not all constants at fixed places; see [`Pending`].
    pub pending: Vec<Option<Pending>>,
}

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
/// the discrete part.
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

impl Constraint {
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

    /// Whether it compares two clocks with each other.
    pub fn is_diagonal(&self) -> bool {
        let zero = ClockTerm::Clock(0);
        self.left != zero && self.right != zero
    }
}
