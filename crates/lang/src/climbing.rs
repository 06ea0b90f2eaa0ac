//! Reading expressions by precedence climbing (M. Richards; see T. Norvell, "Parsing
//! Expressions by Recursive Descent", 1999). The table of operators is the language's.
//!
//! ```text
//! expression(level):                  operators that bind at least at `level`
//!     left := operand
//!     while the next word is an operator that binds at l >= level:
//!         left := left operator expression(l + 1)
//! ```
//!
//! All operators are left-associative, so the right side binds more tightly.
//!
//! Two bounds keep hostile texts harmless: how deep a text may be nested, and how deep a
//! tree may be ([`MOST_DEPTH`]). A long run of one associative operator becomes a balanced
//! tree, so that it is not deep. Balancing changes nothing: operands are evaluated from left
//! to right either way, arithmetic modulo 2³² is associative, and so are `and` and `or`, also
//! in where they stop evaluating.

use homing_ir::network::Binary;
use homing_ir::{Span, balanced};

use crate::reading::Parse;
use crate::walking::Walking;

/// How deep the tree of an expression may be.
pub const MOST_DEPTH: usize = 500;

/// A tree of expressions, and how deep it is.
pub trait Tree: Sized {
    /// The operators of two operands.
    type Operator: Copy + PartialEq;

    /// How deep it is.
    fn depth(&self) -> usize;

    /// Where it is written.
    fn span(&self) -> Span;

    /// An operator applied to two operands.
    fn binary(operator: Self::Operator, left: Self, right: Self) -> Self;

    /// Whether a run of this operator may be put together in any order.
    fn associative(operator: Self::Operator) -> bool;
}

/// An operator that was reached.
pub struct Reached<O> {
    /// Which.
    pub operator: O,
    /// How tightly it binds, from one on.
    pub binds: u8,
    /// How many words it is.
    pub words: usize,
}

/// A parser of expressions.
pub trait Climbing: Walking + Sized {
    /// What it makes.
    type Tree: Tree;

    /// Runs of up to this many operands lean to the left, whatever the operator.
    const IN_A_ROW: usize;

    /// The operator reached, if any.
    fn reached(&self) -> Option<Reached<<Self::Tree as Tree>::Operator>>;

    /// What stands between operators of two operands.
    fn operand(&mut self) -> Parse<Self::Tree>;

    /// Called where an operator, written at `sign`, follows others: `before` is the last of
    /// these that binds as tightly.
    fn follows(
        &mut self,
        _before: Option<<Self::Tree as Tree>::Operator>,
        _operator: <Self::Tree as Tree>::Operator,
        _sign: Span,
    ) {
    }

    /// An expression of operators that bind at least at `level`.
    fn climbed(&mut self, level: u8) -> Parse<Self::Tree> {
        self.nested(|parser| {
            let first = parser.operand()?;
            parser.climb(first, level)
        })
    }

    /// The same, where the first operand was read already.
    fn climb(&mut self, first: Self::Tree, level: u8) -> Parse<Self::Tree> {
        let mut run = Run { operator: None, operands: vec![first] };
        while let Some(Reached { operator, binds, words }) =
            self.reached().filter(|reached| reached.binds >= level)
        {
            let sign = self.span();
            (0..words).for_each(|_| self.advance());
            let right = self.climbed(binds + 1)?;
            self.follows(run.operator, operator, sign);
            run.push(operator, right, Self::IN_A_ROW);
            // Not only at the end: dropping too deep a tree is fatal, too.
            if let Some(first) = run.operands.first().filter(|first| first.depth() > MOST_DEPTH) {
                let span = first.span();
                return self.too_deep(span);
            }
        }
        match run.joined(Self::IN_A_ROW) {
            Some(tree) => self.checked(tree),
            None => self.fail_expecting("an expression"),
        }
    }

    /// A tree, unless it is too deep.
    fn checked(&mut self, tree: Self::Tree) -> Parse<Self::Tree> {
        if tree.depth() > MOST_DEPTH { self.too_deep(tree.span()) } else { Ok(tree) }
    }
}

/// Operands with one operator between them; never empty.
struct Run<T: Tree> {
    operator: Option<T::Operator>,
    operands: Vec<T>,
}

impl<T: Tree> Run<T> {
    fn push(&mut self, operator: T::Operator, right: T, in_a_row: usize) {
        if self.operator != Some(operator) || !T::associative(operator) {
            let operands = std::mem::take(&mut self.operands);
            let left = Run { operator: self.operator, operands }.joined(in_a_row);
            self.operands.extend(left);
            self.operator = Some(operator);
        }
        self.operands.push(right);
    }

    fn joined(self, in_a_row: usize) -> Option<T> {
        match self.operator {
            Some(operator) => joined(self.operands, in_a_row, |a, b| T::binary(operator, a, b)),
            None => self.operands.into_iter().next(),
        }
    }
}

/// Joins operands from left to right or, where there are more than `in_a_row`, neighbours
/// until one is left.
pub fn joined<T>(all: Vec<T>, in_a_row: usize, join: impl FnMut(T, T) -> T) -> Option<T> {
    if all.len() <= in_a_row { all.into_iter().reduce(join) } else { balanced(all, join) }
}

/// Whether a run of an operator of networks may be put together in any order.
pub fn associative(operator: Binary) -> bool {
    use Binary::{Add, And, BitAnd, BitOr, BitXor, Mul, Or};
    matches!(operator, Add | Mul | BitAnd | BitOr | BitXor | And | Or)
}
