//! What expressions are: terms with types, and what is not a term.

use std::rc::Rc;

use homing_ir::relation::{Ctl, TermId};
use homing_ir::temporal::Formula;

/// The type of a term. Types are as NuSMV's are: a boolean is no number, all ranges are one
/// type, and so are all enumerations of symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// False or true.
    Bool,
    /// A number.
    Int,
    /// A symbol.
    Symbol,
    /// A number or a symbol.
    Mixed,
    /// A word.
    Word {
        /// Its bits.
        width: u32,
        /// Whether it is a number in two's complement.
        signed: bool,
    },
    /// An array of unsigned words that is indexed by unsigned words.
    Memory {
        /// The bits of an index.
        index: u32,
        /// The bits of an element.
        element: u32,
    },
    /// One of several values: these are never words.
    Set(Element),
}

/// What a set has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    Bool,
    Int,
    Symbol,
    Mixed,
}

impl Type {
    /// The type of sets of these values.
    pub fn set(self) -> Option<Type> {
        Some(Type::Set(match self {
            Type::Bool => Element::Bool,
            Type::Int => Element::Int,
            Type::Symbol => Element::Symbol,
            Type::Mixed => Element::Mixed,
            Type::Set(element) => element,
            Type::Word { .. } | Type::Memory { .. } => return None,
        }))
    }

    /// The type of an element of a set; of anything else itself.
    pub fn single(self) -> Type {
        match self {
            Type::Set(Element::Bool) => Type::Bool,
            Type::Set(Element::Int) => Type::Int,
            Type::Set(Element::Symbol) => Type::Symbol,
            Type::Set(Element::Mixed) => Type::Mixed,
            other => other,
        }
    }

    /// Whether it is a set.
    pub fn is_set(self) -> bool {
        matches!(self, Type::Set(_))
    }

    /// Whether it is a word.
    pub fn is_word(self) -> bool {
        matches!(self, Type::Word { .. })
    }

    /// Whether values of another type are values of this one.
    pub fn takes(self, other: Type) -> bool {
        use Element as E;
        self == other
            || matches!(
                (self, other),
                (Type::Mixed, Type::Int | Type::Symbol)
                    | (Type::Set(E::Mixed), Type::Set(E::Int | E::Symbol))
            )
    }

    /// The one of two types that takes the other.
    pub fn greater(self, other: Type) -> Option<Type> {
        if self.takes(other) {
            Some(self)
        } else if other.takes(self) {
            Some(other)
        } else {
            None
        }
    }

    /// The least type that takes both.
    pub fn common(self, other: Type) -> Option<Type> {
        use Element as E;
        match (self, other) {
            (Type::Int, Type::Symbol) | (Type::Symbol, Type::Int) => Some(Type::Mixed),
            (Type::Set(E::Int), Type::Set(E::Symbol))
            | (Type::Set(E::Symbol), Type::Set(E::Int)) => Some(Type::Set(E::Mixed)),
            _ => self.greater(other),
        }
    }

    /// The type of a choice between values of two types: a set where one of them is.
    pub fn of_branches(self, other: Type) -> Option<Type> {
        match self.is_set() || other.is_set() {
            true => self.set()?.common(other.set()?),
            false => self.common(other),
        }
    }

    /// In words.
    pub fn describe(self) -> String {
        match self {
            Type::Bool => "a boolean".into(),
            Type::Int => "a number".into(),
            Type::Symbol => "a symbol".into(),
            Type::Mixed => "a number or symbol".into(),
            Type::Word { width, signed: false } => format!("an unsigned word of {width} bits"),
            Type::Word { width, signed: true } => format!("a signed word of {width} bits"),
            Type::Memory { index, element } => {
                format!("an array of {element}-bit words indexed by {index} bits")
            }
            Type::Set(Element::Bool) => "a set of booleans".into(),
            Type::Set(Element::Int) => "a set of numbers".into(),
            Type::Set(Element::Symbol) => "a set of symbols".into(),
            Type::Set(Element::Mixed) => "a set of numbers and symbols".into(),
        }
    }
}

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The term.
    pub term: TermId,
    /// Its type.
    pub ty: Type,
    /// A condition: whether it has no value, because no branch of a `case` is taken, an index
    /// is out of bounds, or a number is divided by zero. The term has some value even then.
    pub fails: TermId,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum Value {
    /// A term.
    Term(Typed),
    /// An array.
    Array(Rc<Array>),
    /// An instance of a module, by its number.
    Instance(usize),
    /// The beginning of a name with dots or brackets.
    Part(Rc<Part>),
    /// A formula of computation trees.
    Tree(Rc<Measured<Ctl>>),
    /// A formula of runs.
    Run(Rc<Measured<Formula<TermId>>>),
    /// A formula that nobody can check, and why.
    Unsupported(Rc<str>),
}

/// An array.
#[derive(Debug)]
pub struct Array {
    /// The index of the first element.
    pub low: i64,
    /// The elements; never none.
    pub elements: Vec<Value>,
}

/// The beginning of a name: in an instance, what was read so far.
#[derive(Debug)]
pub struct Part {
    /// The instance.
    pub instance: usize,
    /// What was read.
    pub text: String,
}

/// A formula, how deep it is and how many parts it has.
#[derive(Clone, Debug)]
pub struct Measured<F> {
    /// The formula.
    pub formula: F,
    /// How deep it is nested.
    pub depth: usize,
    /// How many operators and atoms it has.
    pub size: usize,
    /// A condition: whether one of its atoms has no value.
    pub fails: TermId,
}

impl Value {
    /// In words.
    pub fn describe(&self) -> String {
        match self {
            Value::Term(typed) => typed.ty.describe(),
            Value::Array(_) => "an array".into(),
            Value::Instance(_) => "an instance of a module".into(),
            Value::Part(part) => format!("`{}`, which is not declared", part.text),
            Value::Tree(_) => "a formula of computation trees".into(),
            Value::Run(_) => "a formula of runs".into(),
            Value::Unsupported(_) => "a temporal formula".into(),
        }
    }
}
