//! The tree of a model.

use homing_ir::Span;

/// A name, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Name<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// A model.
#[derive(Debug, Default)]
pub struct Model<'t> {
    pub kind: Option<(Kind, Span)>,
    pub constants: Vec<Constant<'t>>,
    pub formulas: Vec<Named<'t>>,
    pub labels: Vec<Named<'t>>,
    pub globals: Vec<Variable<'t>>,
    pub modules: Vec<Module<'t>>,
    pub initial: Option<Expr<'t>>,
    pub system: Option<System<'t>>,
    /// Algebras with a name, which `system` may refer to.
    pub subsystems: Vec<(Name<'t>, System<'t>)>,
    pub rewards: Vec<Reward<'t>>,
}

/// Kinds of models.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Dtmc,
    Ctmc,
    Mdp,
}

/// The type of a constant or variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Bool,
    Int,
    Double,
}

#[derive(Debug)]
pub struct Constant<'t> {
    pub name: Name<'t>,
    pub ty: Type,
    pub value: Option<Expr<'t>>,
}

/// A formula or a label.
#[derive(Debug)]
pub struct Named<'t> {
    pub name: Name<'t>,
    pub value: Expr<'t>,
}

#[derive(Debug)]
pub struct Variable<'t> {
    pub name: Name<'t>,
    /// The bounds of an integer; none where there are none, and of a truth value.
    pub bounds: Option<(Expr<'t>, Expr<'t>)>,
    pub bool: bool,
    pub initial: Option<Expr<'t>>,
}

#[derive(Debug)]
pub struct Module<'t> {
    pub name: Name<'t>,
    pub body: Body<'t>,
}

#[derive(Debug)]
pub enum Body<'t> {
    Own {
        variables: Vec<Variable<'t>>,
        commands: Vec<Command<'t>>,
    },
    /// Another module with other names.
    Renamed {
        of: Name<'t>,
        pairs: Vec<(Name<'t>, Name<'t>)>,
    },
}

#[derive(Debug)]
pub struct Command<'t> {
    pub span: Span,
    pub action: Option<Name<'t>>,
    pub guard: Expr<'t>,
    pub updates: Vec<Update<'t>>,
}

/// An outcome of a command.
#[derive(Debug)]
pub struct Update<'t> {
    pub span: Span,
    /// Its probability or rate; 1 where it is not written.
    pub quantity: Option<Expr<'t>>,
    pub assignments: Vec<(Name<'t>, Expr<'t>)>,
}

/// How modules are put together.
#[derive(Debug)]
pub enum System<'t> {
    Module(Name<'t>),
    Reference(Name<'t>),
    /// On all actions that both have.
    Parallel(Box<System<'t>>, Box<System<'t>>),
    /// On no actions.
    Interleaved(Box<System<'t>>, Box<System<'t>>),
    /// On these actions.
    On(Box<System<'t>>, Vec<Name<'t>>, Box<System<'t>>),
    Hiding(Box<System<'t>>, Vec<Name<'t>>),
    Renaming(Box<System<'t>>, Vec<(Name<'t>, Name<'t>)>),
}

/// An item of a reward structure.
#[derive(Debug)]
pub struct Reward<'t> {
    pub when: Expr<'t>,
    pub value: Expr<'t>,
}

#[derive(Debug)]
pub struct Expr<'t> {
    pub kind: ExprKind<'t>,
    pub span: Span,
    pub depth: usize,
}

#[derive(Debug)]
pub enum ExprKind<'t> {
    Int(i64),
    Real(&'t str),
    Bool(bool),
    Name(&'t str),
    Label(&'t str),
    Not(Box<Expr<'t>>),
    Neg(Box<Expr<'t>>),
    Binary(Op, Box<Expr<'t>>, Box<Expr<'t>>),
    Choose(Box<Expr<'t>>, Box<Expr<'t>>, Box<Expr<'t>>),
    Call(Function, Vec<Expr<'t>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Implies,
    Iff,
    Or,
    And,
    Compare(Comparison),
    Add,
    Sub,
    Mul,
    Div,
    Power,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Min,
    Max,
    Floor,
    Ceil,
    Round,
    Pow,
    Mod,
    Log,
}
