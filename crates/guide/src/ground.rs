//! The ground form: a system in the papers' own terms, `pre` and `eff` over
//! variables of finite domain.
//!
//! Wehrle, Kupferschmid, "Context-Enhanced Directed Model Checking" (2010),
//! definition 1: a transition is a conjunction of constraints on single
//! variables and a set of assignments. Guards that compare variables, effects
//! that compute, arrays and buffers are brought into this form by enumeration
//! of the values they read, within bounds. Where a bound is reached the form
//! *over-approximates*: a constraint is dropped, or an effect may give several
//! values. It never under-approximates:
//!
//! > For every step of the system from `s` to `t`, `s` reachable, with label
//! > `m` there is an
//! > operator of label `m` whose `pre` holds in `s`, such that for every
//! > variable: where the conditions of some of its effects hold in `s`, its
//! > value in `t` is one that these give it (or the old one, if all of these
//! > are `may`); else it is unchanged.
//!
//! So the distance to the goal in the ground form is never above the true
//! one, for any number of steps, and relaxations, abstractions and projections
//! of it inherit that. Commitment, priorities, clocks and `timeout` are
//! ignored (they only forbid steps), and so are run-time errors.
//!
//! Variables with large domains stand for *classes* of values: intervals
//! bounded by the constants they are compared with. That is a homomorphism,
//! too. Values that no reachable state can have, as far as one variable at a
//! time tells, are left out of variables and constraints: constraints and goals
//! mean something in reachable states only.

mod arithmetic;
mod build;
mod classes;
mod cover;
mod effects;
mod evaluate;
mod query;
pub mod sas;
mod split;
mod symbolic;

use homing_core::Word;
use homing_ir::layout::Field;
use homing_ir::system::SlotId;
use smallvec::SmallVec;

pub use query::holds_all;

/// A system in ground form, with its goal.
#[derive(Clone, Debug, Default)]
pub struct Ground {
    /// The variables: slots that differ between reachable states.
    pub variables: Vec<Variable>,
    /// The transitions. Several operators may have the same label.
    pub operators: Vec<Operator>,
    /// The goal as a disjunction of conjunctions of constraints. Holds at
    /// least where the goal does. Empty where the goal can never hold.
    pub goals: Vec<Vec<Constraint>>,
    /// Whether `goals` holds exactly where the goal does.
    pub goals_exact: bool,
    /// Whether it was made in haste, or was too large, so that more is possible in it than
    /// need be.
    pub coarse: bool,
}

/// The number of a variable.
pub type Var = u32;

/// The number of a value, or class of values, of a variable: `0..size`.
pub type Value = u32;

/// A variable of finite domain.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The slot it stands for.
    pub slot: SlotId,
    /// Where the slot lies in a packed state.
    pub field: Field,
    /// The least number of every class, ascending; the first is the least
    /// value of the slot. Classes are whole intervals.
    pub bounds: Vec<i64>,
    /// The greatest value of the last class.
    pub last: i64,
    /// Its value at first.
    pub initial: Value,
}

/// A set of values of one variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Values {
    /// A bit a value; most variables have few.
    words: SmallVec<[u64; 2]>,
}

/// Requires a variable to have one of some values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    /// The variable.
    pub var: Var,
    /// What it may be. Never empty, never all that it can be in reachable
    /// states.
    pub values: Values,
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operator {
    /// The label of the system's step it comes from.
    pub label: u32,
    /// When it can happen: all of these, at most one a variable, in order of
    /// the variables.
    pub pre: Vec<Constraint>,
    /// What it changes.
    pub effects: Vec<Effect>,
    /// Whether it is just one case of the step: `pre` holds exactly where the
    /// case applies (commitment apart), and the effects give exactly the new
    /// values.
    pub exact: bool,
}

/// A change of one variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Effect {
    /// Where it applies, beyond the operator's `pre`: values of the source
    /// state. At most one a variable.
    pub conditions: Vec<Constraint>,
    /// The variable.
    pub var: Var,
    /// What it may become.
    pub values: Values,
    /// Whether it may as well stay what it is.
    pub may: bool,
}

impl Variable {
    /// The number of its values.
    pub fn size(&self) -> u32 {
        self.bounds.len() as u32
    }

    /// The class that the slot's value `number` belongs to.
    pub fn class(&self, number: i64) -> Value {
        if self.is_plain() {
            return (number - self.bounds[0]) as Value;
        }
        (self.bounds.partition_point(|bound| *bound <= number) as Value).saturating_sub(1)
    }

    /// Whether every value is a class of its own.
    pub fn is_plain(&self) -> bool {
        self.last - self.bounds[0] == self.bounds.len() as i64 - 1
    }

    /// Its value in a packed state.
    #[inline]
    pub fn get(&self, state: &[Word]) -> Value {
        self.class(self.field.get(state))
    }
}

impl Values {
    /// No value.
    pub fn none() -> Values {
        Values::default()
    }

    /// All of `size` values.
    pub fn all(size: u32) -> Values {
        size.checked_sub(1).map_or_else(Values::none, |last| Values::range(0, last))
    }

    /// All from `first` to `last`.
    pub(crate) fn range(first: Value, last: Value) -> Values {
        let mut words = SmallVec::from_elem(u64::MAX, last as usize / 64 + 1);
        words[..first as usize / 64].fill(0);
        words[first as usize / 64] &= u64::MAX << (first % 64);
        words[last as usize / 64] &= u64::MAX >> (63 - last % 64);
        Values { words }.trimmed()
    }

    /// Just `value`.
    pub fn one(value: Value) -> Values {
        std::iter::once(value).collect()
    }

    /// Adds a value.
    pub fn insert(&mut self, value: Value) {
        let word = value as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (value % 64);
    }

    /// Whether `value` is among them.
    pub fn contains(&self, value: Value) -> bool {
        let word = self.words.get(value as usize / 64).copied().unwrap_or(0);
        word >> (value % 64) & 1 == 1
    }

    /// The number of values.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The least of them.
    pub(crate) fn first(&self) -> Option<Value> {
        let word = self.words.iter().position(|word| *word != 0)?;
        Some(word as Value * 64 + self.words[word].trailing_zeros())
    }

    /// The greatest of them.
    pub(crate) fn last(&self) -> Option<Value> {
        let last = self.words.last()?;
        Some((self.words.len() as Value - 1) * 64 + last.ilog2())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        let words = self.words.iter().enumerate();
        words.flat_map(|(word, bits)| {
            let (mut left, first) = (*bits, word as Value * 64);
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(first + bit)
            })
        })
    }

    /// What is in both.
    pub fn intersect(&self, other: &Values) -> Values {
        let both = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        Values { words: both.collect() }.trimmed()
    }

    /// What is in either.
    pub fn union(&self, other: &Values) -> Values {
        let (long, short) =
            if self.words.len() < other.words.len() { (other, self) } else { (self, other) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Values { words }
    }

    /// Without trailing words of nothing, so that equal sets are equal.
    fn trimmed(mut self) -> Values {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        self
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Values {
        let mut set = Values::none();
        values.into_iter().for_each(|value| set.insert(value));
        set
    }
}
