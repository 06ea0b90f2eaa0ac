//! Synchronous models: what the languages of hardware become.
//!
//! A [`Relation`] has variables over finite domains. A *valuation* gives each of them a
//! value. Variables are of three kinds: *state* variables, *frozen* ones, which keep the
//! value they begin with, and *inputs*, which are chosen anew at every moment.
//!
//! ```text
//! a run is a sequence of valuations v₀ v₁ v₂ … such that
//!   v₀      every `initially` and every `init` constraint holds in v₀
//!   vₖ      every `always` definition and every `invariants` constraint holds in vₖ
//!   vₖ vₖ₊₁  every `next` definition and every `transitions` constraint holds of the two,
//!           and frozen variables do not change
//! ```
//! A definition `x := e` holds where the value of x is one that e may have: `e` may be a
//! choice ([`Term::Union`], [`Term::Range`], in the branches of [`Term::Choose`]). In
//! `next`, x is read in vₖ₊₁ and e, unless it says otherwise ([`Term::Next`]), in vₖ.
//! A variable's value is always one of its domain.
//!
//! A *state* is a valuation of the state and frozen variables, and of those inputs of which
//! anything is said that holds at the beginning: a run goes on from its first moment with the
//! inputs it began with ([`Relation::remembered`]). It is reachable if a finite
//! run ends in it that can be given inputs; whether the run goes on does not matter. So what
//! constraints say of inputs restricts the last moment of a run as well. Bad states are
//! those with inputs under which the invariant is false ([`Goal::Invariant`]). Properties
//! of runs without an end speak of fair runs only: those on which every condition of
//! `justice` holds again and again, and of every pair of `compassion` the second condition
//! does if the first does.
//!
//! Terms live in an arena ([`Terms`]); equal terms are one, and the parts of a term have
//! smaller numbers than it. Sorts are checked when a term is made.
//!
//! # Modules
//!
//! - `term`: the arena. `bits`: words of any width. `order`: in which order definitions can
//!   be computed. `interpret`: the reference interpreter, on `value` and `evaluate`. `run`:
//!   runs, and whether they are any. `written`: values as their language writes them.
//! - `random`: relations for tests.

mod bits;
mod evaluate;
mod interpret;
mod order;
#[cfg(any(test, feature = "random"))]
pub mod random;
mod run;
mod term;
#[cfg(test)]
mod tests;
mod value;
mod written;

pub use bits::Bits;
pub use evaluate::{Evaluation, Failure, FailureKind};
pub use interpret::Interpreter;
pub use order::{Circular, ordered};
pub use run::{Run, Unconfirmed};
pub use term::{Binary, MAX_WIDTH, Sort, SortError, Support, Term, TermId, Terms, Unary};
pub use value::{Array, Constant, Value};

use std::collections::BTreeSet;

use crate::source::Span;
use crate::temporal::Formula;

/// The number of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// The number of a symbol, a value of enumerations that is equal to itself only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// A synchronous model.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The names of symbols.
    pub symbols: Vec<String>,
    /// All terms.
    pub terms: Terms,
    /// What variables are at the beginning.
    pub initially: Vec<Definition>,
    /// What variables are next.
    pub next: Vec<Definition>,
    /// What variables always are.
    pub always: Vec<Definition>,
    /// What holds at the beginning.
    pub init: Vec<TermId>,
    /// What holds at every moment.
    pub invariants: Vec<TermId>,
    /// What holds of every two consecutive moments.
    pub transitions: Vec<TermId>,
    /// What holds again and again.
    pub justice: Vec<TermId>,
    /// What holds again and again if something else does: first that, then this.
    pub compassion: Vec<(TermId, TermId)>,
    /// What the file specifies.
    pub specifications: Vec<Specification>,
    /// Named terms that are worth showing beside the variables: outputs, macros.
    pub named: Vec<(String, TermId)>,
    /// Which language's words and witnesses belong to it.
    pub dialect: Dialect,
}

/// Where a relation comes from, for what is written about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// SMV.
    #[default]
    Smv,
    /// AIGER.
    Aiger,
    /// BTOR2.
    Btor2,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, with those of the modules it is in.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// Its values.
    pub domain: Domain,
    /// Its declaration.
    pub span: Span,
    /// By what number the file's witnesses call it: the position among inputs or states.
    pub number: u32,
    /// Whether it is not the user's: added by the front end.
    pub hidden: bool,
    /// Whether the file calls it a state, whatever its kind here.
    pub is_latch: bool,
}

/// Kinds of variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Part of the state.
    State,
    /// Part of the state that never changes.
    Frozen,
    /// Chosen anew at every moment, not part of the state.
    Input,
}

/// The values of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// False and true.
    Bool,
    /// The numbers from the first to the last.
    Range(i64, i64),
    /// These, each once.
    Enumeration(Vec<Constant>),
    /// Words.
    Word {
        /// The bits.
        width: u32,
        /// Whether they are shown as signed numbers. Operators do not care.
        signed: bool,
    },
    /// Arrays of words, indexed by words.
    Array {
        /// The bits of an index.
        index: u32,
        /// The bits of an element.
        element: u32,
    },
}

impl Domain {
    /// The sort of a term that reads a variable of this domain.
    pub fn sort(&self) -> Sort {
        match self {
            Domain::Bool => Sort::Bool,
            Domain::Range(..) | Domain::Enumeration(_) => Sort::Scalar,
            Domain::Word { width, .. } => Sort::Word(*width),
            Domain::Array { index, element } => Sort::Array { index: *index, element: *element },
        }
    }

    /// How many values there are, if that is at most `u64::MAX`.
    pub fn size(&self) -> Option<u64> {
        match self {
            Domain::Bool => Some(2),
            Domain::Range(low, high) => {
                u64::try_from(i128::from(*high) - i128::from(*low) + 1).ok()
            }
            Domain::Enumeration(values) => Some(values.len() as u64),
            Domain::Word { width, .. } => 1u64.checked_shl(*width),
            Domain::Array { index, element } => {
                let bits = 1u64.checked_shl(*index)?.checked_mul(u64::from(*element))?;
                1u64.checked_shl(u32::try_from(bits).ok()?)
            }
        }
    }

    /// The value with a number less than [`Domain::size`].
    pub fn value(&self, number: u64) -> Value {
        match self {
            Domain::Bool => Value::Bool(number == 1),
            Domain::Range(low, _) => Value::Scalar(Constant::Int(low.wrapping_add(number as i64))),
            Domain::Enumeration(values) => Value::Scalar(values[number as usize]),
            Domain::Word { width, .. } => Value::Word(Bits::of(number, *width)),
            Domain::Array { index, element } => {
                let mut array = Array::of(*index, Bits::of(0, *element));
                for at in 0..1u64 << index {
                    let shifted = number.checked_shr(at as u32 * element).unwrap_or(0);
                    array.set(&Bits::of(at, *index), Bits::of(shifted, *element));
                }
                Value::Array(array)
            }
        }
    }

    /// Whether a value is one of these.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Domain::Bool, Value::Bool(_)) => true,
            (Domain::Range(low, high), Value::Scalar(Constant::Int(n))) => {
                (low..=high).contains(&n)
            }
            (Domain::Enumeration(values), Value::Scalar(one)) => values.contains(one),
            (Domain::Word { width, .. }, Value::Word(bits)) => bits.width() == *width,
            (Domain::Array { index, element }, Value::Array(array)) => {
                array.sorts() == (*index, *element)
            }
            _ => false,
        }
    }
}

/// What a variable is.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// The variable.
    pub variable: VariableId,
    /// Its value, or one of its values.
    pub value: TermId,
    /// Where it is written.
    pub span: Span,
}

/// What a file specifies.
#[derive(Clone, Debug)]
pub struct Specification {
    /// The name users know it by.
    pub name: String,
    /// What it asks.
    pub goal: Goal,
    /// Where it is written.
    pub span: Span,
}

/// What can be specified.
#[derive(Clone, Debug)]
pub enum Goal {
    /// It holds in every reachable state, whatever the inputs.
    Invariant(TermId),
    /// Every fair run satisfies the formula.
    Ltl(Formula<TermId>),
    /// No fair run satisfies all of these again and again.
    Justice(Vec<TermId>),
    /// Every initial state from which a fair run begins satisfies the formula.
    Ctl(Ctl),
    /// How many steps the shortest or the longest way takes from a state where the first
    /// holds to one where the second does.
    Distance {
        /// Whether the shortest is asked for.
        shortest: bool,
        /// Where ways begin.
        from: TermId,
        /// Where they end.
        to: TermId,
    },
    /// It cannot be answered, for this reason.
    Unsupported(String),
}

/// A formula of computation tree logic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ctl {
    /// What holds in a state.
    Atom(TermId),
    /// `!f`.
    Not(Box<Ctl>),
    /// `f & g`.
    And(Box<Ctl>, Box<Ctl>),
    /// `f | g`.
    Or(Box<Ctl>, Box<Ctl>),
    /// `EX f`.
    ExistsNext(Box<Ctl>),
    /// `E [f U g]`.
    ExistsUntil(Box<Ctl>, Box<Ctl>),
    /// `EG f`.
    ExistsAlways(Box<Ctl>),
    /// `AX f`.
    AllNext(Box<Ctl>),
    /// `A [f U g]`.
    AllUntil(Box<Ctl>, Box<Ctl>),
    /// `AG f`.
    AllAlways(Box<Ctl>),
}

impl Relation {
    /// A variable.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// All variables with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (VariableId, &Variable)> {
        self.variables.iter().enumerate().map(|(i, one)| (VariableId(i as u32), one))
    }

    /// Adds a variable.
    pub fn declare(
        &mut self,
        name: impl Into<String>,
        kind: Kind,
        domain: Domain,
        span: Span,
    ) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let number = id.0;
        let name = name.into();
        self.variables.push(Variable {
            name,
            kind,
            domain,
            span,
            number,
            hidden: false,
            is_latch: kind != Kind::Input,
        });
        id
    }

    /// The term that reads a variable.
    pub fn read(&mut self, variable: VariableId, span: Span) -> TermId {
        let sort = self.variable(variable).domain.sort();
        self.terms.variable(variable, sort, span)
    }

    /// The term that reads the value a variable has at the next moment.
    pub fn read_next(&mut self, variable: VariableId, span: Span) -> TermId {
        let sort = self.variable(variable).domain.sort();
        self.terms.next(variable, sort, span)
    }

    /// What states are made of: all variables but the inputs of which nothing is said that
    /// holds at the beginning.
    pub fn remembered(&self) -> BTreeSet<VariableId> {
        let said = self.initially.iter().map(|one| one.value).chain(self.init.iter().copied());
        let read = self.terms.support(said).current;
        let defined = self.initially.iter().map(|one| one.variable);
        let own = self.numbered().filter(|(_, one)| one.kind != Kind::Input).map(|(id, _)| id);
        own.chain(read).chain(defined).collect()
    }

    /// Whether the state alone decides what a term is: it reads no inputs and nothing of the
    /// next moment.
    pub fn is_of_state(&self, term: TermId) -> bool {
        let support = self.terms.support([term]);
        support.next.is_empty()
            && support.current.iter().all(|one| self.variable(*one).kind != Kind::Input)
    }
}
