//! Expressions, and the places they read.

use super::{ChannelId, LocationId, ProcessId, ReceiveOrder, VariableId};
use crate::source::Span;

/// An expression. Truth values are 0 and 1; any other value than 0 is true.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A whole number.
    Int(i64),
    /// A fraction, in weights, rates and costs.
    Ratio(i64, i64),
    /// The value of a variable.
    Read(Place),
    /// Whether a process is at a location.
    At(ProcessId, LocationId),
    /// Whether a process is running.
    Running(ProcessId),
    /// A channel, as a value.
    Channel(ChannelId),
    /// The number of messages waiting in the channel that the expression denotes.
    Length(Box<Expr>),
    /// Whether a message waits in a buffer: the first, or any, with these
    /// values. A failure where the channel is not buffered.
    Poll {
        /// The channel, as a value.
        channel: Box<Expr>,
        /// The values; `None` for anything.
        message: Vec<Option<Expr>>,
        /// Which messages are looked at.
        order: ReceiveOrder,
    },
    /// Whether the state is a deadlock: no step can be taken now or after any
    /// delay. In properties only.
    Deadlock,
    /// Has no value: to evaluate it is a run-time error.
    Fail(Failure),
    /// An operator applied to one operand.
    Unary(Unary, Box<Expr>),
    /// An operator applied to two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// The second operand where the first is true, else the third.
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Why an expression has no value, whatever the state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, thiserror::Error)]
pub enum Failure {
    /// A process asks whether it can move itself.
    #[error("a process asks whether it is enabled itself")]
    AsksOfItself,
}

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Minus.
    Neg,
    /// 1 for 0, and 0 for all else.
    Not,
    /// All bits turned over.
    BitNot,
}

/// Operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Division that rounds towards zero; by zero it is a run-time error.
    Div,
    /// The remainder of `Div`, with the sign of the dividend.
    Rem,
    Shl,
    /// Keeps the sign.
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Does not evaluate its right operand where the left one decides.
    And,
    /// Does not evaluate its right operand where the left one decides.
    Or,
    /// Does not evaluate its right operand where the left one decides.
    Imply,
}

/// A variable, or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub variable: VariableId,
    /// Which part: indices and fields, outermost first; down to a scalar.
    pub path: Vec<Access>,
    /// Where it is written.
    pub span: Span,
}

/// A step into a part of a variable.
#[derive(Clone, Debug)]
pub enum Access {
    /// The element with this index.
    Index(Expr),
    /// The field with this number.
    Field(u32),
}

impl Clone for Expr {
    /// Whoever writes out what a model says in short spends time and memory here.
    fn clone(&self) -> Expr {
        homing_budget::checkpoint();
        Expr { kind: self.kind.clone(), span: self.span }
    }
}

impl Expr {
    /// An expression at `span`.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        homing_budget::checkpoint();
        Expr { kind, span }
    }

    /// A number at `span`.
    pub fn int(value: i64, span: Span) -> Expr {
        Expr::new(ExprKind::Int(value), span)
    }
}
