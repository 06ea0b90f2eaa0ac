//! A DVE model as it is written: names not yet looked up, nothing evaluated.

use homing_ir::Span;
use homing_ir::network::{Binary, Unary};

/// A name and where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// A whole text.
#[derive(Debug, Default)]
pub struct Model<'a> {
    pub items: Vec<Item<'a>>,
    pub system: Option<SystemLine<'a>>,
}

/// What stands at the top of a text.
#[derive(Debug)]
pub enum Item<'a> {
    Declaration(Declaration<'a>),
    Process(Box<Process<'a>>),
    Instances(Box<Instances<'a>>),
}

/// `system async;`, `system sync property P;`
#[derive(Debug)]
pub struct SystemLine<'a> {
    pub span: Span,
    pub synchronous: bool,
    pub property: Option<Name<'a>>,
}

/// A declaration, global or local.
#[derive(Debug)]
pub enum Declaration<'a> {
    Variables { constant: bool, base: Base, declarators: Vec<Declarator<'a>> },
    Channels { types: Option<Vec<Base>>, declarators: Vec<ChannelDeclarator<'a>> },
}

/// The types there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    Byte,
    Int,
    Bool,
}

/// `x`, `x = 1`, `x[3] = {1, 2}`
#[derive(Debug)]
pub struct Declarator<'a> {
    pub name: Name<'a>,
    pub size: Option<Box<Expr<'a>>>,
    pub initial: Option<Box<Initial<'a>>>,
}

/// What a variable starts with.
#[derive(Debug)]
pub enum Initial<'a> {
    One(Expr<'a>),
    List(Vec<Expr<'a>>, Span),
}

/// `c`, `c[3]`
#[derive(Debug)]
pub struct ChannelDeclarator<'a> {
    pub name: Name<'a>,
    pub capacity: Option<Box<Expr<'a>>>,
}

/// A process, a property, or with parameters a template of processes.
#[derive(Debug)]
pub struct Process<'a> {
    pub name: Name<'a>,
    pub observer: bool,
    pub parameters: Option<Vec<Parameter<'a>>>,
    pub body: Body<'a>,
}

/// A parameter of a template.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    pub name: Name<'a>,
    /// Whether it tells instances apart.
    pub key: bool,
}

/// What stands between the braces of a process.
#[derive(Debug, Default)]
pub struct Body<'a> {
    pub declarations: Vec<Declaration<'a>>,
    pub states: Vec<Name<'a>>,
    pub initial: Vec<Name<'a>>,
    pub committed: Vec<Name<'a>>,
    pub accepting: Vec<Name<'a>>,
    pub assertions: Vec<(Name<'a>, Expr<'a>)>,
    pub transitions: Vec<Transition<'a>>,
}

/// `a -> b { guard g; sync c!x; effect y = 1; }`, `a => { b:1, c:2 }`
#[derive(Debug)]
pub struct Transition<'a> {
    pub span: Span,
    pub from: Name<'a>,
    /// Where it leads, with a weight where there is a choice by chance.
    pub targets: Vec<(Name<'a>, Option<i64>)>,
    pub guards: Vec<Expr<'a>>,
    pub sync: Option<Sync<'a>>,
    pub effects: Vec<Assignment<'a>>,
}

/// `c!e`, `c?x`, `P->c!{e, f}`
#[derive(Debug)]
pub struct Sync<'a> {
    pub span: Span,
    pub owner: Option<ProcessName<'a>>,
    pub channel: Name<'a>,
    pub send: bool,
    pub values: Vec<Expr<'a>>,
}

/// `x = e`, `x[i] = e`
#[derive(Debug)]
pub struct Assignment<'a> {
    pub span: Span,
    pub target: Expr<'a>,
    pub value: Expr<'a>,
}

/// `process P(1, 2);`, `for (i : 0 .. 3) { process P(i); }`
#[derive(Debug)]
pub enum Instances<'a> {
    One(ProcessName<'a>),
    For { variable: Name<'a>, first: Expr<'a>, last: Expr<'a>, each: Vec<Instances<'a>> },
}

/// `P`, or `P(1, 2)` where it is an instance of a template.
#[derive(Debug)]
pub struct ProcessName<'a> {
    pub name: Name<'a>,
    pub arguments: Option<Vec<Expr<'a>>>,
    pub span: Span,
}

/// An expression. Its depth is bounded, so that recursion over it is safe.
#[derive(Debug)]
pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
    pub depth: usize,
}

/// What an expression is.
#[derive(Debug)]
pub enum ExprKind<'a> {
    Number(i64),
    /// `x`, `x[i]`
    Variable(Name<'a>, Option<Box<Expr<'a>>>),
    /// `P->x`, `P->x[i]`
    Foreign(Box<ProcessName<'a>>, Name<'a>, Option<Box<Expr<'a>>>),
    /// `P.s`
    At(Box<ProcessName<'a>>, Name<'a>),
    Unary(Unary, Box<Expr<'a>>),
    Binary(Binary, Box<Expr<'a>>, Box<Expr<'a>>),
}
