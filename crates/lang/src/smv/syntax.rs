//! The tree of a text.
//!
//! Expressions lie in one arena, parts before what they are part of. All that lies between
//! the first part of an expression and the expression itself belongs to it, so that a tree
//! is walked by going from one end of a stretch to the other, however deep it is.

use homing_ir::Span;

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(pub u32);

/// A whole expression: its first node, and its last, which is the expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expr {
    /// The first node.
    pub first: u32,
    /// The expression.
    pub root: NodeId,
}

/// A node and where it is written.
#[derive(Clone, Debug)]
pub struct Placed<'t> {
    /// The node.
    pub node: Node<'t>,
    /// Its place.
    pub span: Span,
}

/// A node.
#[derive(Clone, PartialEq, Debug)]
pub enum Node<'t> {
    Name(&'t str),
    SelfName,
    /// `a.b`, also `a.1`.
    Dot(NodeId, &'t str),
    Index(NodeId, NodeId),
    /// `a[high : low]`.
    Select(NodeId, NodeId, NodeId),
    Bool(bool),
    Number(i64),
    Word(&'t str),
    /// `1..3`.
    Range(i64, i64),
    Prefix(Prefix, NodeId),
    Infix(Infix, NodeId, NodeId),
    /// `a ? b : c`.
    Choose(NodeId, NodeId, NodeId),
    Case(Box<[(NodeId, NodeId)]>),
    Call(Function, Box<[NodeId]>),
    /// `[a, b, c]`.
    List(Box<[NodeId]>),
    /// A temporal operator of one operand.
    Temporal(Temporal, NodeId),
    /// The same, a number of steps away: from, to.
    Bounded(Temporal, u32, u32, NodeId),
    /// `A [f U g]` and `E [f U g]`, perhaps within numbers of steps.
    Until {
        all: bool,
        hold: NodeId,
        reach: NodeId,
        within: Option<(u32, u32)>,
    },
}

/// Operators before an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    Not,
    Minus,
}

/// Operators between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infix {
    Implies,
    Iff,
    Or,
    Xor,
    Xnor,
    And,
    Until,
    Releases,
    Since,
    Triggered,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    Union,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Times,
    Divide,
    Mod,
    Concat,
}

/// What is written as a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Next,
    Bool,
    Word1,
    Signed,
    Unsigned,
    Extend,
    Resize,
    Sizeof,
    Toint,
    Count,
    Uwconst,
    Swconst,
    Read,
    Write,
    ConstArray,
    Abs,
    Min,
    Max,
}

/// Temporal operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal {
    ExistsNext,
    AllNext,
    ExistsFinally,
    AllFinally,
    ExistsGlobally,
    AllGlobally,
    Next,
    Finally,
    Globally,
    Previous,
    WeakPrevious,
    Once,
    Historically,
}

impl Infix {
    /// Whether it speaks of runs.
    pub fn is_of_runs(self) -> bool {
        matches!(self, Infix::Until | Infix::Releases | Infix::Since | Infix::Triggered)
    }

    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Infix::Implies => "->",
            Infix::Iff => "<->",
            Infix::Or => "|",
            Infix::Xor => "xor",
            Infix::Xnor => "xnor",
            Infix::And => "&",
            Infix::Until => "U",
            Infix::Releases => "V",
            Infix::Since => "S",
            Infix::Triggered => "T",
            Infix::Equal => "=",
            Infix::NotEqual => "!=",
            Infix::Less => "<",
            Infix::LessEqual => "<=",
            Infix::Greater => ">",
            Infix::GreaterEqual => ">=",
            Infix::In => "in",
            Infix::Union => "union",
            Infix::ShiftLeft => "<<",
            Infix::ShiftRight => ">>",
            Infix::Plus => "+",
            Infix::Minus => "-",
            Infix::Times => "*",
            Infix::Divide => "/",
            Infix::Mod => "mod",
            Infix::Concat => "::",
        }
    }
}

impl Function {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Function::Next => "next",
            Function::Bool => "bool",
            Function::Word1 => "word1",
            Function::Signed => "signed",
            Function::Unsigned => "unsigned",
            Function::Extend => "extend",
            Function::Resize => "resize",
            Function::Sizeof => "sizeof",
            Function::Toint => "toint",
            Function::Count => "count",
            Function::Uwconst => "uwconst",
            Function::Swconst => "swconst",
            Function::Read => "READ",
            Function::Write => "WRITE",
            Function::ConstArray => "CONSTARRAY",
            Function::Abs => "abs",
            Function::Min => "min",
            Function::Max => "max",
        }
    }

    /// How many arguments it takes; none where any number from one on will do.
    pub fn arity(self) -> Option<usize> {
        match self {
            Function::Count => None,
            Function::Write => Some(3),
            Function::Extend
            | Function::Resize
            | Function::Uwconst
            | Function::Swconst
            | Function::Read
            | Function::ConstArray
            | Function::Min
            | Function::Max => Some(2),
            _ => Some(1),
        }
    }
}

impl Temporal {
    /// How it is written, and where there is one, the bounded one of computation trees.
    pub fn sign(self) -> &'static str {
        match self {
            Temporal::ExistsNext => "EX",
            Temporal::AllNext => "AX",
            Temporal::ExistsFinally => "EF",
            Temporal::AllFinally => "AF",
            Temporal::ExistsGlobally => "EG",
            Temporal::AllGlobally => "AG",
            Temporal::Next => "X",
            Temporal::Finally => "F",
            Temporal::Globally => "G",
            Temporal::Previous => "Y",
            Temporal::WeakPrevious => "Z",
            Temporal::Once => "O",
            Temporal::Historically => "H",
        }
    }

    /// Whether it speaks of trees rather than of runs.
    pub fn is_of_trees(self) -> bool {
        use Temporal::*;
        matches!(
            self,
            ExistsNext | AllNext | ExistsFinally | AllFinally | ExistsGlobally | AllGlobally
        )
    }
}

/// A text.
#[derive(Debug, Default)]
pub struct Text<'t> {
    /// All nodes.
    pub nodes: Vec<Placed<'t>>,
    /// The modules, in order.
    pub modules: Vec<Module<'t>>,
}

impl Text<'_> {
    /// The number that a node is, if it is written as one.
    pub fn literal(&self, id: NodeId) -> Option<i64> {
        match self.nodes[id.0 as usize].node {
            Node::Number(number) => Some(number),
            Node::Prefix(Prefix::Minus, of) => match self.nodes[of.0 as usize].node {
                Node::Number(number) => Some(-number),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A name and where it is written.
#[derive(Clone, Copy, Debug)]
pub struct Name<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// A module.
#[derive(Debug)]
pub struct Module<'t> {
    pub name: Name<'t>,
    pub parameters: Vec<Name<'t>>,
    /// Modules whose sections are this one's too.
    pub taken_in: Vec<Name<'t>>,
    pub variables: Vec<Declaration<'t>>,
    /// Symbols.
    pub constants: Vec<String>,
    pub defines: Vec<Define>,
    pub assignments: Vec<Assignment>,
    pub constraints: Vec<(Constraint, Expr)>,
    pub compassion: Vec<(Expr, Expr)>,
    pub specifications: Vec<Specification>,
}

/// A variable, or an instance of a module.
#[derive(Debug)]
pub struct Declaration<'t> {
    /// In which section it stands.
    pub kind: homing_ir::relation::Kind,
    /// Its name, perhaps with dots and numbers in brackets.
    pub name: String,
    pub span: Span,
    pub ty: Type<'t>,
}

/// A macro.
#[derive(Debug)]
pub struct Define {
    pub name: String,
    pub span: Span,
    pub value: Expr,
}

/// Of which moment an assignment speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Moment {
    Initial,
    Next,
    Every,
}

/// An assignment.
#[derive(Debug)]
pub struct Assignment {
    pub moment: Moment,
    pub variable: Expr,
    pub value: Expr,
}

/// Kinds of constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constraint {
    Init,
    Invar,
    Trans,
    Justice,
}

/// What is specified.
#[derive(Debug)]
pub struct Specification {
    pub name: Option<String>,
    /// The instance it speaks of, where that is not the one it stands in.
    pub context: Option<Expr>,
    pub asks: Asks,
    pub span: Span,
}

/// Kinds of specifications.
#[derive(Clone, Copy, Debug)]
pub enum Asks {
    Invariant(Expr),
    Ctl(Expr),
    Ltl(Expr),
    /// A property specification language, which is not read.
    Psl,
    Distance {
        shortest: bool,
        from: Expr,
        to: Expr,
    },
}

/// A type as it is written.
#[derive(Debug)]
pub enum Type<'t> {
    /// Of a variable: indices of arrays from the outermost one, and what the elements are.
    Values(Vec<Bounds>, Values),
    /// An instance of a module.
    Instance { process: bool, module: Name<'t>, arguments: Vec<Expr> },
}

/// Indices of an array.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub low: Expr,
    pub high: Expr,
}

/// Values of a variable.
#[derive(Debug)]
pub enum Values {
    Bool,
    Word {
        signed: bool,
        width: Expr,
    },
    Range(Expr, Expr),
    Enumeration(Vec<Element>),
    /// An array of words that is indexed by words.
    Memory {
        index: Expr,
        element: Expr,
    },
}

/// An element of an enumeration.
#[derive(Debug)]
pub struct Element {
    pub value: ElementValue,
    pub span: Span,
}

/// What an element of an enumeration is.
#[derive(Debug)]
pub enum ElementValue {
    Number(i64),
    Symbol(String),
}
