//! Terms, in an arena: a term is a number, its parts have smaller ones.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::{Bits, Constant, VariableId};
use crate::source::Span;

/// The number of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// What kind of value a term has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// False or true.
    Bool,
    /// A number or a symbol.
    Scalar,
    /// A word of so many bits, one at least.
    Word(u32),
    /// An array of words.
    Array {
        /// The bits of an index.
        index: u32,
        /// The bits of an element.
        element: u32,
    },
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "a boolean"),
            Sort::Scalar => write!(f, "a number or symbol"),
            Sort::Word(width) => write!(f, "a word of {width} bits"),
            Sort::Array { index, element } => {
                write!(f, "an array of {element}-bit words indexed by {index} bits")
            }
        }
    }
}

/// A term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant.
    Bool(bool),
    /// A constant.
    Scalar(Constant),
    /// A constant, by its number in the arena ([`Terms::word`]).
    Word(u32),
    /// A variable's value at this moment.
    Variable(VariableId),
    /// A variable's value at the next moment.
    Next(VariableId),
    /// An operator on one term.
    Unary(Unary, TermId),
    /// An operator on two terms.
    Binary(Binary, TermId, TermId),
    /// The second if the first is true, the third if not.
    Choose(TermId, TermId, TermId),
    /// Some bits of a word: the last and the first of them.
    Extract(TermId, u32, u32),
    /// A word with bits added before the greatest, up to a width: zeros, or copies of the
    /// sign where the flag says so.
    Extend(TermId, u32, bool),
    /// The array that is the first but for one element: array, index, element.
    Write(TermId, TermId, TermId),
    /// The array of so many index bits with one element everywhere.
    Everywhere(TermId, u32),
    /// Either. Stands at the top of definitions only, or in branches and unions there.
    Union(TermId, TermId),
    /// Any number from the first to the last. Stands where unions may.
    Range(i64, i64),
}

/// Operators on one term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Of a boolean.
    Not,
    /// Of every bit of a word.
    Complement,
    /// Of a number, or a word modulo its size.
    Negate,
    /// Whether an odd number of bits is set.
    Parity,
    /// A boolean as a word of one bit.
    ToWord,
    /// A word of one bit as a boolean.
    ToBool,
    /// A word as a number.
    Unsigned,
    /// A word in two's complement as a number.
    Signed,
    /// A boolean as the number 0 or 1.
    Count,
}

/// Operators on two terms. Both have the same sort but where something else is said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// Of booleans, or bit by bit. The second boolean is not looked at where the first is
    /// false.
    And,
    /// Of booleans, or bit by bit. The second boolean is not looked at where the first is true.
    Or,
    /// Of booleans, or bit by bit.
    Xor,
    /// Of any sort.
    Equal,
    /// Of numbers, or words as unsigned numbers.
    Less,
    /// Of words in two's complement.
    SignedLess,
    /// Of numbers, or words modulo their size.
    Add,
    /// Of numbers, or words modulo their size.
    Subtract,
    /// Of numbers, or words modulo their size.
    Multiply,
    /// Of numbers, towards zero, failing where the second is zero; or of words as unsigned
    /// numbers, all ones where the second is zero.
    Divide,
    /// What [`Binary::Divide`] leaves; of words the first where the second is zero.
    Remainder,
    /// Of words in two's complement, towards zero; by zero 1 for negative words, else -1.
    SignedDivide,
    /// What [`Binary::SignedDivide`] leaves, with the sign of the first.
    SignedRemainder,
    /// As [`Binary::SignedRemainder`], with the sign of the second.
    SignedModulo,
    /// A word shifted by another, which may have any width.
    ShiftLeft,
    /// The same to the right, zeros coming in.
    ShiftRight,
    /// The same to the right, copies of the sign coming in.
    ShiftRightSigned,
    /// The same, bits that leave coming in.
    RotateLeft,
    /// The same to the right.
    RotateRight,
    /// The first word before the second, of any widths: the second is the lower part.
    Concat,
    /// The element of an array at an index.
    Read,
}

/// Two sorts that do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError(pub String);

/// The variables that terms read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Support {
    /// At this moment, in order.
    pub current: Vec<VariableId>,
    /// At the next, in order.
    pub next: Vec<VariableId>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    term: Term,
    sort: Sort,
    span: Span,
}

/// All terms of a relation. Equal terms are made once, and keep the place where they were
/// written first.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    words: Vec<Bits>,
    known: HashMap<Term, TermId>,
    known_words: HashMap<Bits, u32>,
}

/// The widest word. Beyond it a model is taken for a mistake.
pub const MAX_WIDTH: u32 = 1 << 20;

impl Terms {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A term.
    pub fn term(&self, id: TermId) -> Term {
        self.nodes[id.0 as usize].term
    }

    /// Its sort.
    pub fn sort(&self, id: TermId) -> Sort {
        self.nodes[id.0 as usize].sort
    }

    /// Where it was written first.
    pub fn span(&self, id: TermId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// A constant word ([`Term::Word`]).
    pub fn word(&self, number: u32) -> &Bits {
        &self.words[number as usize]
    }

    fn add(&mut self, term: Term, sort: Sort, span: Span) -> TermId {
        let next = TermId(self.nodes.len() as u32);
        let id = *self.known.entry(term).or_insert(next);
        if id == next {
            self.nodes.push(Node { term, sort, span });
        }
        id
    }

    /// A constant.
    pub fn bool(&mut self, value: bool, span: Span) -> TermId {
        self.add(Term::Bool(value), Sort::Bool, span)
    }

    /// A constant.
    pub fn scalar(&mut self, value: Constant, span: Span) -> TermId {
        self.add(Term::Scalar(value), Sort::Scalar, span)
    }

    /// A constant.
    pub fn constant_word(&mut self, value: Bits, span: Span) -> TermId {
        let sort = Sort::Word(value.width());
        let next = self.words.len() as u32;
        let number = *self.known_words.entry(value).or_insert_with_key(|value| {
            self.words.push(value.clone());
            next
        });
        self.add(Term::Word(number), sort, span)
    }

    pub(super) fn variable(&mut self, id: VariableId, sort: Sort, span: Span) -> TermId {
        self.add(Term::Variable(id), sort, span)
    }

    pub(super) fn next(&mut self, id: VariableId, sort: Sort, span: Span) -> TermId {
        self.add(Term::Next(id), sort, span)
    }

    /// Any of some numbers.
    pub fn range(&mut self, low: i64, high: i64, span: Span) -> TermId {
        self.add(Term::Range(low, high), Sort::Scalar, span)
    }

    /// An operator on one term.
    pub fn unary(&mut self, op: Unary, of: TermId, span: Span) -> Result<TermId, SortError> {
        let sort = match (op, self.sort(of)) {
            (Unary::Not, Sort::Bool) => Sort::Bool,
            (Unary::Complement, sort @ Sort::Word(_)) => sort,
            (Unary::Negate, sort @ (Sort::Word(_) | Sort::Scalar)) => sort,
            (Unary::Parity, Sort::Word(_)) => Sort::Bool,
            (Unary::ToWord, Sort::Bool) => Sort::Word(1),
            (Unary::ToBool, Sort::Word(1)) => Sort::Bool,
            (Unary::Unsigned | Unary::Signed, Sort::Word(_)) => Sort::Scalar,
            (Unary::Count, Sort::Bool) => Sort::Scalar,
            (_, sort) => return Err(SortError(format!("the operand is {sort}"))),
        };
        Ok(match (op, self.term(of)) {
            (Unary::Not, Term::Bool(value)) => self.bool(!value, span),
            (Unary::Not, Term::Unary(Unary::Not, inner))
            | (Unary::Complement, Term::Unary(Unary::Complement, inner))
            | (Unary::ToWord, Term::Unary(Unary::ToBool, inner))
            | (Unary::ToBool, Term::Unary(Unary::ToWord, inner)) => inner,
            _ => self.add(Term::Unary(op, of), sort, span),
        })
    }

    /// An operator on two terms.
    pub fn binary(
        &mut self,
        op: Binary,
        a: TermId,
        b: TermId,
        span: Span,
    ) -> Result<TermId, SortError> {
        use Sort::{Array, Bool, Scalar, Word};
        let (left, right) = (self.sort(a), self.sort(b));
        let alike = left == right;
        let sort = match (op, left, right) {
            (Binary::And | Binary::Or | Binary::Xor, Bool | Word(_), _) if alike => left,
            (Binary::Equal, _, _) if alike => Bool,
            (Binary::Less, Scalar | Word(_), _) if alike => Bool,
            (Binary::SignedLess, Word(_), _) if alike => Bool,
            (Binary::Add | Binary::Subtract | Binary::Multiply, Scalar | Word(_), _) if alike => {
                left
            }
            (Binary::Divide | Binary::Remainder, Scalar | Word(_), _) if alike => left,
            (Binary::SignedDivide | Binary::SignedRemainder | Binary::SignedModulo, Word(_), _)
                if alike =>
            {
                left
            }
            (
                Binary::ShiftLeft
                | Binary::ShiftRight
                | Binary::ShiftRightSigned
                | Binary::RotateLeft
                | Binary::RotateRight,
                Word(_),
                Word(_),
            ) => left,
            (Binary::Concat, Word(a), Word(b)) => Word(self.width(u64::from(a) + u64::from(b))?),
            (Binary::Read, Array { index, element }, Word(width)) if index == width => {
                Word(element)
            }
            _ => return Err(SortError(format!("the operands are {left} and {right}"))),
        };
        match (op, self.term(a), self.term(b)) {
            (Binary::And, Term::Bool(true), _) | (Binary::Or, Term::Bool(false), _) => Ok(b),
            (Binary::And, _, Term::Bool(true)) | (Binary::Or, _, Term::Bool(false)) => Ok(a),
            (Binary::And, Term::Bool(false), _) | (Binary::Or, Term::Bool(true), _) => Ok(a),
            _ => Ok(self.add(Term::Binary(op, a, b), sort, span)),
        }
    }

    /// The second if the first is true, else the third.
    pub fn choose(
        &mut self,
        condition: TermId,
        a: TermId,
        b: TermId,
        span: Span,
    ) -> Result<TermId, SortError> {
        let (sort, other) = (self.sort(a), self.sort(b));
        if self.sort(condition) != Sort::Bool {
            return Err(SortError(format!("the condition is {}", self.sort(condition))));
        }
        if sort != other {
            return Err(SortError(format!("the branches are {sort} and {other}")));
        }
        Ok(match self.term(condition) {
            Term::Bool(true) => a,
            Term::Bool(false) => b,
            _ if a == b && self.is_sure(condition) => a,
            _ => self.add(Term::Choose(condition, a, b), sort, span),
        })
    }

    /// Whether a term is a variable or a constant, which cannot fail.
    fn is_sure(&self, id: TermId) -> bool {
        matches!(self.term(id), Term::Variable(_) | Term::Next(_) | Term::Bool(_))
    }

    /// The bits of a word from `low` to `high`.
    pub fn extract(
        &mut self,
        of: TermId,
        high: u32,
        low: u32,
        span: Span,
    ) -> Result<TermId, SortError> {
        match self.sort(of) {
            Sort::Word(width) if low <= high && high < width => match width == high - low + 1 {
                true => Ok(of),
                false => {
                    let sort = Sort::Word(high - low + 1);
                    Ok(self.add(Term::Extract(of, high, low), sort, span))
                }
            },
            Sort::Word(width) => {
                Err(SortError(format!("there are no bits {high} to {low} in {width}")))
            }
            sort => Err(SortError(format!("the operand is {sort}"))),
        }
    }

    /// A word with so many bits more.
    pub fn extend(
        &mut self,
        of: TermId,
        by: u32,
        signed: bool,
        span: Span,
    ) -> Result<TermId, SortError> {
        match self.sort(of) {
            Sort::Word(_) if by == 0 => Ok(of),
            Sort::Word(width) => {
                let width = self.width(u64::from(width) + u64::from(by))?;
                Ok(self.add(Term::Extend(of, width, signed), Sort::Word(width), span))
            }
            sort => Err(SortError(format!("the operand is {sort}"))),
        }
    }

    /// An array with another element at an index.
    pub fn write(
        &mut self,
        array: TermId,
        at: TermId,
        value: TermId,
        span: Span,
    ) -> Result<TermId, SortError> {
        match (self.sort(array), self.sort(at), self.sort(value)) {
            (sort @ Sort::Array { index, element }, Sort::Word(i), Sort::Word(e))
                if index == i && element == e =>
            {
                Ok(self.add(Term::Write(array, at, value), sort, span))
            }
            (array, at, value) => {
                Err(SortError(format!("the operands are {array}, {at} and {value}")))
            }
        }
    }

    /// The array with one element everywhere.
    pub fn everywhere(
        &mut self,
        value: TermId,
        index: u32,
        span: Span,
    ) -> Result<TermId, SortError> {
        match self.sort(value) {
            Sort::Word(element) => {
                let sort = Sort::Array { index, element };
                Ok(self.add(Term::Everywhere(value, index), sort, span))
            }
            sort => Err(SortError(format!("the element is {sort}"))),
        }
    }

    /// Either of two.
    pub fn union(&mut self, a: TermId, b: TermId, span: Span) -> Result<TermId, SortError> {
        let (left, right) = (self.sort(a), self.sort(b));
        match left == right {
            true if a == b => Ok(a),
            true => Ok(self.add(Term::Union(a, b), left, span)),
            false => Err(SortError(format!("the elements are {left} and {right}"))),
        }
    }

    fn width(&self, width: u64) -> Result<u32, SortError> {
        let small = u32::try_from(width).ok().filter(|width| *width <= MAX_WIDTH);
        small.ok_or_else(|| SortError(format!("a word of {width} bits is too wide")))
    }

    /// The parts of a term.
    pub fn parts(&self, id: TermId) -> impl Iterator<Item = TermId> + use<> {
        let none = [None; 3];
        let parts = match self.term(id) {
            Term::Bool(_)
            | Term::Scalar(_)
            | Term::Word(_)
            | Term::Variable(_)
            | Term::Next(_)
            | Term::Range(..) => none,
            Term::Unary(_, a)
            | Term::Extract(a, ..)
            | Term::Extend(a, ..)
            | Term::Everywhere(a, _) => [Some(a), None, None],
            Term::Binary(_, a, b) | Term::Union(a, b) => [Some(a), Some(b), None],
            Term::Choose(a, b, c) | Term::Write(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        parts.into_iter().flatten()
    }

    /// Some terms and all that they are made of, parts first.
    pub fn cone(&self, roots: impl IntoIterator<Item = TermId>) -> Vec<TermId> {
        let mut seen = HashSet::new();
        let mut left: Vec<TermId> = Vec::new();
        let mut cone = Vec::new();
        let mut enter = |id: TermId, left: &mut Vec<TermId>| {
            if seen.insert(id) {
                left.push(id);
            }
        };
        roots.into_iter().for_each(|root| enter(root, &mut left));
        while let Some(id) = left.pop() {
            cone.push(id);
            self.parts(id).for_each(|part| enter(part, &mut left));
        }
        cone.sort_unstable();
        cone
    }

    /// The variables that terms read.
    pub fn support(&self, roots: impl IntoIterator<Item = TermId>) -> Support {
        let mut support = Support::default();
        for id in self.cone(roots) {
            match self.term(id) {
                Term::Variable(variable) => support.current.push(variable),
                Term::Next(variable) => support.next.push(variable),
                _ => {}
            }
        }
        support.current.sort_unstable();
        support.next.sort_unstable();
        support
    }
}
