//! What expressions mean: numbers, conditions over clocks, parts of variables.

use std::cell::Cell;
use std::rc::Rc;

use homing_ir::Span;
use homing_ir::network::{Access, Expr, Place, ProcessId, VariableId};

use super::fold;
use super::scalars::Set;
use super::types::Ty;
use super::unchecked::Unchecked;

/// What an expression means.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number without clocks; whether it is a truth value.
    Number(Expr, bool),
    /// A value of a scalar set.
    Scalar(Expr, Set),
    /// A clock, the difference of two, with something added.
    Clocks(Linear),
    /// A condition over clocks.
    Condition(Expr, Shape),
    /// An array or a struct that is (part of) a variable.
    Place(Place, Ty),
    /// An array or a struct that is (part of) a constant.
    Fixed(Rc<Fixed>, Vec<Access>, Ty),
    /// An array or a struct that is only a value.
    Parts(Vec<Value>, Ty),
    /// A channel.
    Channel(Expr),
    /// A process of the system, in queries.
    Process(usize),
    /// What a function without result returns.
    Nothing,
    /// Something whose value is not known, and not looked at.
    Unchecked(Unchecked),
}

/// What something that is read or assigned is.
#[derive(Clone, Debug)]
pub enum Thing {
    /// (Part of) a variable.
    Variable(Place, Ty),
    /// (Part of) a constant, or of an array of channels.
    Fixed(Rc<Fixed>, Vec<Access>, Ty),
    /// (Part of) a variable of a function that is being computed.
    Local(usize, Vec<Access>, Ty),
    /// A value.
    Value(Value),
}

/// A constant, or an array of channels.
#[derive(Debug)]
pub struct Fixed {
    pub name: String,
    pub span: Span,
    pub ty: Ty,
    /// Whose it is.
    pub owner: Option<ProcessId>,
    /// Its scalars in order.
    pub values: Vec<i64>,
    /// The constant of the network, once somebody needs it because an index is not
    /// constant.
    pub variable: Cell<Option<VariableId>>,
}

/// What a condition over clocks may be used for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shape {
    /// A conjunction of bounds on clocks and differences of clocks, each perhaps
    /// under a condition without clocks: fit for guards and invariants.
    Constraint,
    /// Any other: for queries only.
    Formula,
}

/// `x − y + offset`.
#[derive(Clone, Debug)]
pub struct Linear {
    pub plus: Vec<Expr>,
    pub minus: Vec<Expr>,
    pub offset: Expr,
}

impl Linear {
    /// A number.
    pub fn number(offset: Expr) -> Linear {
        Linear { plus: Vec::new(), minus: Vec::new(), offset }
    }

    /// A clock.
    pub fn clock(clock: Expr) -> Linear {
        let span = clock.span;
        Linear { plus: vec![clock], minus: Vec::new(), offset: Expr::int(0, span) }
    }
}

impl Value {
    /// A number that is known.
    pub fn int(value: i64, span: Span) -> Value {
        Value::Number(Expr::int(value, span), false)
    }

    /// A truth value.
    pub fn truth(expr: Expr) -> Value {
        Value::Number(expr, true)
    }

    /// The number that it is.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Value::Number(expr, _) | Value::Scalar(expr, _) => fold::constant(expr),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub fn what(&self) -> &'static str {
        match self {
            Value::Number(..) => "a number",
            Value::Scalar(..) => "a value of a scalar set",
            Value::Clocks(_) => "a clock",
            Value::Condition(..) => "a condition over clocks",
            Value::Place(_, ty) | Value::Fixed(_, _, ty) | Value::Parts(_, ty) => match ty {
                Ty::Struct(_) => "a struct",
                _ => "an array",
            },
            Value::Channel(..) => "a channel",
            Value::Process(_) => "a process",
            Value::Nothing => "nothing",
            Value::Unchecked(_) => "something that is not checked",
        }
    }

    /// The type of an array or a struct.
    pub fn aggregate(&self) -> Option<&Ty> {
        match self {
            Value::Place(_, ty) | Value::Fixed(_, _, ty) | Value::Parts(_, ty) => Some(ty),
            _ => None,
        }
    }
}
