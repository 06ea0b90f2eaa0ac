//! The tree of an UPPAAL model, as written: nothing is resolved yet.
//!
//! `.xml`, `.xta` and `.ta` files all become a [`Document`]. Spans point into the
//! file itself, also where the text stands in an XML element with entities.

use homing_ir::network;
use homing_ir::source::Span;

/// A name, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Global declarations, also those that stand before the system line,
    /// instances of templates among them, in the order of the text.
    pub declarations: Vec<Declaration>,
    pub templates: Vec<Template>,
    /// What runs; empty where there is no system line.
    pub system: Vec<SystemMember>,
    /// The system line.
    pub system_span: Span,
    pub queries: Vec<Query>,
}

/// A process, or a template whose parameters are all bounded, on the system line.
#[derive(Clone, Debug)]
pub struct SystemMember {
    pub name: Name,
    /// How many `<` stand before it on the line: its priority.
    pub priority: u32,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub kind: DeclarationKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `T x[2] = e, y;`: one entry a variable.
    Variable {
        ty: Type,
        name: Name,
        sizes: Vec<Size>,
        initial: Option<Initial>,
    },
    /// `typedef T name;`
    Type {
        ty: Type,
        name: Name,
        sizes: Vec<Size>,
    },
    Function(Function),
    /// `P = T(a, b);` or `P(int x) = T(x, 2);`
    Instance {
        name: Name,
        parameters: Vec<Parameter>,
        template: Name,
        arguments: Vec<Expr>,
    },
    /// `chan priority a < b, c < default;`: levels from low to high.
    ChannelPriority(Vec<Vec<ChannelName>>),
    /// `before_update { … }`, `after_update { … }`.
    Hook {
        before: bool,
    },
    /// Something that is read and not supported: `dynamic`, `import`, gantt charts, I/O
    /// declarations. The text says what.
    Other(String),
    /// Which channels of a process are inputs and outputs, for tools that play games.
    Directions,
}

/// A channel in a list of priorities.
#[derive(Clone, Debug)]
pub enum ChannelName {
    /// `default`, what is listed nowhere; also what has no channel at all.
    Default,
    Channel(Expr),
}

/// A type, as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// `const`.
    pub constant: bool,
    /// `meta`.
    pub meta: bool,
    /// `urgent`, of channels.
    pub urgent: bool,
    /// `broadcast`, of channels.
    pub broadcast: bool,
    /// `hybrid`, of clocks.
    pub hybrid: bool,
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `int`, or `int[lo, hi]`.
    Int(Option<Box<(Expr, Expr)>>),
    Bool,
    /// `scalar[n]`.
    Scalar(Box<Expr>),
    Clock,
    Channel,
    /// `double`, `string`, and what else is not checked.
    Other(String),
    Void,
    /// A name of a type.
    Named(Name),
    Struct(Vec<Field>),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub ty: Type,
    pub name: Name,
    pub sizes: Vec<Size>,
}

/// The size of an array: a number, or a type whose values are the indices. A
/// name that is not known to be a type where it stands is a number.
#[derive(Clone, Debug)]
pub enum Size {
    Number(Expr),
    Type(Type),
}

#[derive(Clone, Debug)]
pub enum Initial {
    Value(Expr),
    /// `{ a, b }`, for structs perhaps with names of fields.
    List(Vec<(Option<Name>, Initial)>, Span),
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub ty: Type,
    /// `&`.
    pub reference: bool,
    pub name: Name,
    pub sizes: Vec<Size>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub result: Type,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Block,
}

#[derive(Clone, Debug, Default)]
pub struct Block {
    pub declarations: Vec<Declaration>,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Empty,
    Expression(Expr),
    Block(Block),
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    While(Expr, Box<Statement>),
    DoWhile(Box<Statement>, Expr),
    /// `for (a; b; c)`; a missing condition is true.
    For(Option<Expr>, Option<Expr>, Option<Expr>, Box<Statement>),
    /// `for (x : T)`.
    Each(Name, Type, Box<Statement>),
    Return(Option<Expr>),
    Assert(Expr),
    Break,
    Continue,
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub locations: Vec<Location>,
    /// Branch points, by id.
    pub branchpoints: Vec<Name>,
    /// The id of the initial location, which is its name in `.xta` files.
    pub initial: Option<Name>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// Its name; where it has none, its id, with `named` false.
    pub name: Name,
    /// How edges refer to it: its id in an XML file, its name in others.
    pub id: String,
    pub invariant: Option<Expr>,
    /// An exponential rate.
    pub rate: Option<Expr>,
    pub urgency: Urgency,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Urgency {
    None,
    Urgent,
    Committed,
}

#[derive(Clone, Debug)]
pub struct Edge {
    /// Ids of locations, or of branch points.
    pub source: Name,
    pub target: Name,
    pub select: Vec<(Name, Type)>,
    pub guard: Option<Expr>,
    pub sync: Option<Sync>,
    /// Updates, in order.
    pub update: Vec<Expr>,
    /// The weight of a branch behind a branch point.
    pub probability: Option<Expr>,
    /// `controllable="false"`, or a dashed edge `-u->`.
    pub uncontrollable: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Sync {
    pub channel: Expr,
    pub direction: Direction,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// `c!`.
    Send,
    /// `c?`.
    Receive,
    /// `c`, as in CSP: with another edge of the same kind.
    Both,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Bool(bool),
    /// A number with a point; refused where it matters.
    Real,
    Text,
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    Field(Box<Expr>, Name),
    Call(Box<Expr>, Vec<Expr>),
    /// `x'`: the rate of a clock.
    Rate(Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `=`, `:=`, `+=` and so on: the operator, where there is one.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++x`, `x--`: whether it adds, whether it stands before.
    Step {
        increment: bool,
        before: bool,
        place: Box<Expr>,
    },
    Quantified(Quantifier, Name, Box<Type>, Box<Expr>),
    /// `deadlock`, in queries.
    Deadlock,
    /// Something that is read and not supported: `spawn`, `exit`, `numof`, functions of
    /// real numbers. The text says what.
    Other(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Minus,
    Plus,
    /// `!`, `not`.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    /// One that the network has, too.
    Plain(network::Binary),
    /// `**`.
    Power,
    /// `<?`.
    Min,
    /// `>?`.
    Max,
}

impl From<network::Binary> for Binary {
    fn from(op: network::Binary) -> Binary {
        Binary::Plain(op)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
}

/// A query, of a `.q` file or of the XML.
#[derive(Clone, Debug)]
pub struct Query {
    pub kind: QueryKind,
    /// The query as written, on one line.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum QueryKind {
    /// `E<> p`.
    Possibly(Expr),
    /// `A[] p`.
    Invariantly(Expr),
    /// `E[] p`.
    PotentiallyAlways(Expr),
    /// `A<> p`.
    Eventually(Expr),
    /// `p --> q`.
    LeadsTo(Expr, Expr),
    /// `sup{p}: e, f`, `inf{p}: e`.
    Extreme { greatest: bool, when: Option<Expr>, of: Vec<Expr> },
    /// `Pr[…]`, `simulate`, `control:`, `strategy` and so on, or one that cannot be
    /// read: why it is not checked.
    Unsupported(String),
}
