//! The tree of a text: declarations, expressions, statements.

use homing_ir::Span;
use homing_ir::network::Binary;

/// A name as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// A number as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    pub value: i64,
    pub span: Span,
}

/// What a text declares, in its order.
#[derive(Clone, Debug, Default)]
pub struct Model<'a> {
    pub system: Option<Name<'a>>,
    pub processes: Vec<Name<'a>>,
    pub events: Vec<Name<'a>>,
    pub clocks: Vec<Clock<'a>>,
    pub integers: Vec<Integer<'a>>,
    pub locations: Vec<Location<'a>>,
    pub edges: Vec<Edge<'a>>,
    pub synchronisations: Vec<Synchronisation<'a>>,
}

/// `clock:size:name`.
#[derive(Clone, Debug)]
pub struct Clock<'a> {
    pub size: Number,
    pub name: Name<'a>,
}

/// `int:size:least:greatest:initial:name`.
#[derive(Clone, Debug)]
pub struct Integer<'a> {
    pub size: Number,
    pub least: Number,
    pub greatest: Number,
    pub initial: Number,
    pub name: Name<'a>,
}

/// `location:process:name{attributes}`.
#[derive(Clone, Debug)]
pub struct Location<'a> {
    pub process: Name<'a>,
    pub name: Name<'a>,
    pub attributes: Vec<Attribute<'a>>,
    pub span: Span,
}

/// `edge:process:from:to:event{attributes}`.
#[derive(Clone, Debug)]
pub struct Edge<'a> {
    pub process: Name<'a>,
    pub from: Name<'a>,
    pub to: Name<'a>,
    pub event: Name<'a>,
    pub attributes: Vec<Attribute<'a>>,
    pub span: Span,
}

/// `sync:process@event:process@event?`.
#[derive(Clone, Debug)]
pub struct Synchronisation<'a> {
    pub participants: Vec<Participant<'a>>,
    pub span: Span,
}

/// One of those who synchronise.
#[derive(Clone, Copy, Debug)]
pub struct Participant<'a> {
    pub process: Name<'a>,
    pub event: Name<'a>,
    pub weak: bool,
}

/// `key:value`, the value untouched.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    pub key: Name<'a>,
    pub value: Name<'a>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression<'a> {
    pub kind: Kind<'a>,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum Kind<'a> {
    Number(i64),
    Name(&'a str, Option<Box<Expression<'a>>>),
    Minus(Box<Expression<'a>>),
    Not(Box<Expression<'a>>),
    Binary(Binary, Box<Expression<'a>>, Box<Expression<'a>>),
    Choose(Box<[Expression<'a>; 3]>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement<'a> {
    Nothing,
    Assign { target: Name<'a>, index: Option<Expression<'a>>, value: Expression<'a>, span: Span },
    If { condition: Expression<'a>, yes: Vec<Statement<'a>>, no: Vec<Statement<'a>>, span: Span },
    While { condition: Expression<'a>, block: Vec<Statement<'a>>, span: Span },
    Local { name: Name<'a>, value: Option<Expression<'a>>, size: Option<Expression<'a>> },
}
