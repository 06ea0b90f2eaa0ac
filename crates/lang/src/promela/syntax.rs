//! The tree of a Promela text, as written.
//!
//! Macros and inlines are expanded before this tree is made: SPIN substitutes
//! both as text. Names are not looked up here; what a [`Reference`] means
//! depends on the scope it stands in.

use homing_ir::{Span, network};

/// A whole text.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// What it declares, in the order of the text (the order matters: names
    /// must be declared before they are used, and `active` processes get their
    /// numbers by it).
    pub units: Vec<Unit>,
}

/// One thing a text declares.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there are few")]
pub enum Unit {
    /// `proctype`, and `init`.
    Proctype(Proctype),
    /// `never`, `trace`, `notrace`.
    Claim(Claim),
    /// `ltl name { formula }`.
    Ltl(Ltl),
    /// Variables and channels.
    Declaration(Declaration),
    /// `typedef`.
    Record(RecordType),
    /// `mtype = { a, b }`.
    Symbols(Symbols),
}

/// A name and where it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`, as SPIN calls it.
    pub name: Name,
    /// How many there are from the start: `active [n]`; 1 for `init`.
    pub active: Option<Expr>,
    /// Whether it is `init`.
    pub init: bool,
    /// Whether it is a `D_proctype`: its author promises that it is deterministic.
    pub deterministic: bool,
    /// Its parameters.
    pub parameters: Vec<Declaration>,
    /// `priority n`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Sequence,
}

/// What kind of claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimKind {
    /// Behaviour that must not be, over states.
    Never,
    /// Communication that must be.
    Trace,
    /// Communication that must not be.
    NoTrace,
}

/// An automaton that watches the system.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which kind.
    pub kind: ClaimKind,
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The word that starts it.
    pub span: Span,
    /// What it does.
    pub body: Sequence,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Name>,
    /// The formula; the temporal operators are in [`Unary`] and [`Binary`].
    pub formula: Expr,
    /// From the word `ltl` to the closing brace.
    pub span: Span,
}

/// A record type.
#[derive(Clone, Debug)]
pub struct RecordType {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Declaration>,
}

/// Symbolic names.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// `mtype:subtype = …`.
    pub subtype: Option<Name>,
    /// The names, in the order written.
    pub names: Vec<Name>,
}

/// A type, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TypeName {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// The width stands with each variable.
    Unsigned,
    /// With its subtype.
    Mtype(Option<Name>),
    Chan,
    /// A `typedef`.
    Record(Name),
}

/// How a declaration is marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Visibility {
    #[default]
    Plain,
    Hidden,
    Show,
    Local,
}

/// Variables of one type.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// How it is marked.
    pub visibility: Visibility,
    /// The type.
    pub ty: TypeName,
    /// The variables.
    pub variables: Vec<Declarator>,
    /// From the first word to the last.
    pub span: Span,
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Name,
    /// `: n`, of `unsigned`.
    pub width: Option<Expr>,
    /// `[n]`.
    pub size: Option<Expr>,
    /// What it starts with.
    pub initial: Option<Initial>,
}

/// What a variable starts with.
#[derive(Clone, Debug)]
pub enum Initial {
    /// A value.
    Value(Expr),
    /// `{ a, b, c }`.
    List(Vec<Expr>, Span),
    /// `[capacity] of { types }`.
    Channel {
        /// How many messages fit.
        capacity: Expr,
        /// The types of a message's fields.
        message: Vec<(TypeName, Span)>,
        /// From `[` to `}`.
        span: Span,
    },
}

/// Statements one after the other. Declarations stand among them: one that
/// follows a statement is executed where it stands.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The statements.
    pub steps: Vec<Step>,
    /// From the opening brace, or the first statement, to the end.
    pub span: Span,
}

/// One thing in a sequence.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most are statements")]
pub enum Step {
    /// Variables.
    Declaration(Declaration),
    /// `xr c, d;` or `xs c, d;`: only this process receives, or sends.
    Exclusive {
        /// Whether it is `xr`.
        receive: bool,
        /// The channels.
        channels: Vec<Reference>,
        /// Where.
        span: Span,
    },
    /// A statement.
    Statement(Statement),
}

/// A statement, its labels with it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Labels before it, outermost first.
    pub labels: Vec<Name>,
    /// What it does.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
    /// The number of the inline call it comes from, counted through the text;
    /// 0 outside of inlines. Labels within an inline belong to the call.
    pub call: u32,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `e`, executable where it is not zero. `skip` is `1`.
    Expression(Expr),
    /// `x = e`, and `x++`, `x--` written out.
    Assign(Reference, Expr),
    /// `c!e,f` and `c!!e,f`.
    Send {
        /// The channel.
        channel: Reference,
        /// The message.
        message: Vec<Expr>,
        /// `!!`.
        sorted: bool,
    },
    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`.
    Receive {
        /// The channel.
        channel: Reference,
        /// The message.
        message: Vec<Argument>,
        /// `??`.
        any: bool,
        /// `<…>`: the message stays.
        keep: bool,
    },
    /// `if … fi`.
    If(Vec<Sequence>),
    /// `do … od`.
    Do(Vec<Sequence>),
    /// `for (i : a .. b) { … }`.
    For {
        /// The variable that counts.
        index: Reference,
        /// Where it starts.
        from: Expr,
        /// Its last value.
        to: Expr,
        /// What is repeated.
        body: Sequence,
    },
    /// `for (i in a) { … }`.
    ForIn {
        /// The variable that counts, or that messages are received in.
        index: Reference,
        /// An array, or a channel.
        of: Reference,
        /// What is repeated.
        body: Sequence,
    },
    /// `select (i : a .. b)`.
    Select {
        /// The variable that is set.
        index: Reference,
        /// The least value.
        from: Expr,
        /// The greatest.
        to: Expr,
    },
    /// `break`.
    Break,
    /// `goto label`.
    Goto(Name),
    /// `else`.
    Else,
    /// `assert(e)`.
    Assert(Expr),
    /// `printf("…", e, f)`: the text between the quotes, as written.
    Print(String, Vec<Expr>),
    /// `printm(e)`.
    PrintSymbol(Expr),
    /// `set_priority(e, f)`.
    SetPriority(Expr, Expr),
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    Deterministic(Sequence),
    /// `{ … }`.
    Block(Sequence),
    /// An inline call: its body, arguments put in. In the body of
    /// `x = name(…)`, every `return e` is an assignment `x = e`.
    Inline {
        /// The inline's name.
        name: Name,
        /// Its body.
        body: Sequence,
    },
    /// `{ … } unless { … }`.
    Unless(Box<Statement>, Box<Statement>),
}

/// What stands in a receive for one field.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A variable, `_`, or a name of an `mtype`: which one the scope says.
    Reference(Reference),
    /// A constant, with its sign.
    Constant(i64, Span),
    /// `eval(e)`.
    Eval(Expr),
}

/// A name, indexed and with fields: `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The name and its fields, the name first; never empty.
    pub parts: Vec<Part>,
    /// All of it.
    pub span: Span,
}

/// One name of a [`Reference`].
#[derive(Clone, Debug)]
pub struct Part {
    /// The name.
    pub name: Name,
    /// The index in brackets.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; `true`, `false`, `skip` and characters are numbers.
    Number(i64),
    /// A variable, a symbolic name, `_pid`, `_nr_pr`, `_last`, `_`.
    Reference(Reference),
    /// An operator applied to one operand.
    Unary(Unary, Box<Expr>),
    /// An operator applied to two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(a -> b : c)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(…) priority n`.
    Run {
        /// The process type.
        name: Name,
        /// Its arguments.
        arguments: Vec<Expr>,
        /// Its priority.
        priority: Option<Box<Expr>>,
    },
    /// `len(c)` and its kin.
    Channel(ChannelQuestion, Reference),
    /// `c?[…]`, `c??[…]`.
    Poll {
        /// The channel.
        channel: Reference,
        /// The message.
        message: Vec<Argument>,
        /// `??`.
        any: bool,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(e)`.
    Enabled(Box<Expr>),
    /// `pc_value(e)`.
    PcValue(Box<Expr>),
    /// `get_priority(e)`.
    Priority(Box<Expr>),
    /// `P[e]@label` and `P@label`.
    RemoteLabel {
        /// The process type.
        process: Name,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Name,
    },
    /// `P[e]:x` and `P:x`.
    RemoteVariable {
        /// The process type.
        process: Name,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The variable.
        variable: Reference,
    },
}

/// What is asked of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ChannelQuestion {
    Length,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    /// One of expressions.
    Plain(network::Unary),
    /// `[]`, `always`.
    Always,
    /// `<>`, `eventually`.
    Eventually,
    /// `X`, `next`.
    Next,
}

/// Operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    /// One of expressions; `->` and `implies` in formulas only.
    Plain(network::Binary),
    /// `<->` and `equivalent`.
    Equivalent,
    /// `U`, `until`, `stronguntil`.
    Until,
    /// `W`, `weakuntil`.
    WeakUntil,
    /// `V`, `release`.
    Release,
}

impl Unary {
    /// The operator of the network; temporal ones have none.
    pub fn plain(self) -> Option<network::Unary> {
        if let Unary::Plain(op) = self { Some(op) } else { None }
    }
}

impl Binary {
    /// The operator of the network; temporal ones have none.
    pub fn plain(self) -> Option<network::Binary> {
        if let Binary::Plain(op) = self { Some(op) } else { None }
    }
}
