//! What a run is said to show.

use homing_ir::automaton::Automaton;
use homing_ir::network::{Expr, ProcessId};
use homing_ir::temporal::Formula;
use homing_ir::{Sources, Span};

/// What a run is said to show at its end.
#[derive(Clone, Copy, Debug)]
pub enum Claim<'a> {
    /// A state that satisfies the expression, which is written in one of the
    /// sources, and what that means.
    Goal(&'a Expr, &'a Sources, Meaning),
    /// An assertion that is false, or cannot be evaluated.
    Assertion,
    /// A step that fails.
    Error,
    /// A state without any step.
    Deadlock,
    /// An observer that comes to its end. It looks at the whole run:
    /// [`crate::observed`].
    Observer(ProcessId),
    /// A run that a property forbids: [`crate::infinite`].
    Run(Forbidden<'a>),
}

/// What it means that a state satisfies an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Meaning {
    /// It is what was looked for.
    #[default]
    Goal,
    /// An invariant, which is written there, is false in it.
    Invariant(Span),
    /// A greatest or least value is reached in it.
    Value,
}

/// Which runs without an end count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those on which no process could move all the time from some state on, and
    /// does not.
    Weak,
    /// Those on which no process could move again and again, and from some state on
    /// does not.
    Strong,
}

/// What no run may do.
#[derive(Clone, Copy, Debug)]
pub struct Forbidden<'a> {
    /// What every run satisfies instead, over the numbers of atoms; nothing where
    /// there is only the automaton.
    pub formula: Option<&'a Formula<usize>>,
    /// The atoms.
    pub atoms: &'a [Expr],
    /// The texts that the formula is written in.
    pub sources: &'a Sources,
    /// It accepts the runs that are forbidden.
    pub automaton: &'a Automaton,
    /// Whether a run that stutters in its last state counts.
    pub stutters: bool,
    /// Which runs count.
    pub fairness: Fairness,
    /// The observer that the automaton is made from, where it is one.
    pub observer: Option<ProcessId>,
}
