//! Scalar sets.
//!
//! The values of a type `scalar[n]` can be assigned, compared for equality, run over,
//! handed on and used as indices of arrays over the same set, and nothing else: no
//! model can tell which of them comes first. Every such type that is written down is a
//! set of its own; `typedef` gives it a name. In the network they are numbers from 0
//! on; whether exchanging them changes nothing is found out there
//! (`homing_ir::symmetry`), as for any numbers. What is kept is which processes differ
//! in such a value only, so that it can be said where that was not found.

use homing_ir::Span;
use homing_ir::network::{Binary as Op, Expr, Interchangeable, ProcessId};

use super::Lowering;
use super::fold;
use super::things::type_of;
use super::types::Ty;
use super::value::{Thing, Value};
use crate::uppaal::syntax::{self, Binary, TypeKind};

/// A scalar set: where it is written.
pub type Set = Span;

/// A parameter of a process that was left open: its type as written, and the values.
pub(super) struct Open<'a> {
    pub written: &'a syntax::Type,
    pub ty: Ty,
    pub range: (i64, i64),
}

impl Value {
    /// A value of a type that is neither array nor struct nor clock nor channel.
    pub fn of(expr: Expr, ty: &Ty) -> Value {
        match ty {
            Ty::Scalar { set, .. } => Value::Scalar(expr, *set),
            ty => Value::Number(expr, *ty == Ty::Bool),
        }
    }
}

impl<'a> Lowering<'a> {
    /// The index of an array, which is of the set that the array is over, if it is
    /// over one.
    pub(super) fn index_of(&mut self, array: &Thing, index: Value, span: Span) -> Option<Expr> {
        let over = match type_of(array) {
            Some(Ty::Array(_, indices)) => indices.set,
            _ => None,
        };
        match (over, index) {
            (Some(set), Value::Scalar(index, of)) if set == of => Some(index),
            (Some(_), Value::Scalar(..)) => {
                self.fail("this array is indexed by another scalar set", span)
            }
            (Some(_), Value::Number(..)) => {
                self.fail("this array is indexed by a scalar set, not by numbers", span)
            }
            (_, index) => self.plain(index, span),
        }
    }

    /// An operator applied to two values of which one is of a scalar set.
    pub(super) fn compared(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Option<Value> {
        let operator = match op {
            Binary::Plain(op @ (Op::Eq | Op::Ne)) => op,
            _ => {
                return self.fail(
                    "values of a scalar set can only be assigned, compared with `==` and `!=`, \
                     and used as indices",
                    span,
                );
            }
        };
        match (a, b) {
            (Value::Scalar(a, x), Value::Scalar(b, y)) if x == y => {
                Some(Value::truth(fold::binary(operator, a, b, span)))
            }
            (Value::Scalar(..), Value::Scalar(..)) => {
                self.fail("values of different scalar sets cannot be compared", span)
            }
            (Value::Scalar(..), other) | (other, _) => {
                let what = other.what();
                self.fail(format!("a value of a scalar set cannot be compared with {what}"), span)
            }
        }
    }

    /// Notes which processes of a family differ only in a value of a scalar set: the
    /// family begins with the process `first`, the last parameter running fastest.
    pub(super) fn note_interchangeable(&mut self, open: &[Open], first: usize) {
        let sizes: Vec<usize> =
            open.iter().map(|one| (one.range.1 - one.range.0 + 1) as usize).collect();
        for (at, one) in open.iter().enumerate() {
            if !matches!(one.ty, Ty::Scalar { .. }) || sizes[at] < 2 {
                continue;
            }
            let stride: usize = sizes[at + 1..].iter().product();
            let count: usize = sizes.iter().product();
            let starts = (0..count).filter(|i| (i / stride).is_multiple_of(sizes[at]));
            for start in starts {
                let processes = (0..sizes[at]).map(|value| first + start + value * stride);
                let processes = processes.map(|process| ProcessId(process as u32)).collect();
                let set = match &one.written.kind {
                    TypeKind::Named(name) => name.text.clone(),
                    _ => format!("scalar[{}]", sizes[at]),
                };
                self.network.interchangeable.push(Interchangeable { set, processes });
            }
        }
    }
}
