//! Expressions and places: that what they name exists and is a scalar.

use super::{Checker, MAX_DEPTH, Reader};
use crate::network::{Access, Expr, ExprKind, LocationId, Place, ProcessId, Role, Type};
use crate::source::Span;

impl<'a> Checker<'a> {
    /// Checks an expression that has a whole number as its value.
    pub(super) fn expression(&mut self, expr: &Expr, reader: Reader) {
        self.nested(expr, reader, 0);
    }

    /// Checks a weight, rate or cost, within which fractions may stand.
    pub(super) fn quantity(&mut self, expr: &Expr, reader: Reader) {
        let before = std::mem::replace(&mut self.fractions, true);
        self.expression(expr, reader);
        self.fractions = before;
    }

    /// Checks an expression that denotes a channel.
    pub(super) fn channel(&mut self, expr: &Expr, reader: Reader) {
        self.expression(expr, reader);
        self.require(self.denotes_channel(expr, 0), "an expression denotes no channel", expr.span);
    }

    fn denotes_channel(&self, expr: &Expr, depth: usize) -> bool {
        match &expr.kind {
            _ if depth > MAX_DEPTH => false,
            ExprKind::Channel(_) => true,
            ExprKind::Read(place) => self.type_of(place) == Some(&Type::Channel),
            ExprKind::Choose(_, yes, no) => {
                self.denotes_channel(yes, depth + 1) && self.denotes_channel(no, depth + 1)
            }
            _ => false,
        }
    }

    fn nested(&mut self, expr: &Expr, reader: Reader, depth: usize) {
        if depth > MAX_DEPTH {
            return self.error("an expression is nested too deeply", expr.span);
        }
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Fail(_) => {}
            ExprKind::Deadlock => {
                self.require(self.property, "`deadlock` outside a property", expr.span);
            }
            ExprKind::Ratio(_, denominator) => {
                let fits = self.fractions;
                self.require(fits, "a fraction where a whole number is needed", expr.span);
                self.require(*denominator > 0, "a fraction without a denominator", expr.span);
            }
            ExprKind::Read(place) => {
                self.place(place, reader, depth + 1);
                let number = self.type_of(place) != Some(&Type::Clock);
                self.require(number, "a clock where a whole number is needed", place.span);
            }
            ExprKind::At(process, location) => {
                self.position(*process, Some(*location), reader, expr.span)
            }
            ExprKind::Running(process) => self.position(*process, None, reader, expr.span),
            ExprKind::Channel(id) => {
                let known = id.index() < self.network.channels.len();
                self.require(known, "a channel that does not exist", expr.span);
            }
            ExprKind::Length(channel) => {
                self.nested(channel, reader, depth + 1);
                self.require(
                    self.denotes_channel(channel, 0),
                    "the length of no channel",
                    expr.span,
                );
            }
            ExprKind::Poll { channel, message, .. } => {
                self.nested(channel, reader, depth + 1);
                message.iter().flatten().for_each(|part| self.nested(part, reader, depth + 1));
                self.require(self.denotes_channel(channel, 0), "a look into no channel", expr.span);
            }
            ExprKind::Unary(_, operand) => self.nested(operand, reader, depth + 1),
            ExprKind::Binary(_, left, right) => {
                self.nested(left, reader, depth + 1);
                self.nested(right, reader, depth + 1);
            }
            ExprKind::Choose(condition, yes, no) => {
                for part in [condition, yes, no] {
                    self.nested(part, reader, depth + 1);
                }
            }
        }
    }

    fn position(
        &mut self,
        id: ProcessId,
        location: Option<LocationId>,
        reader: Reader,
        span: Span,
    ) {
        let Some(process) = self.network.processes.get(id.index()) else {
            return self.error("a process that does not exist", span);
        };
        let known = location.is_none_or(|location| location.index() < process.locations.len());
        self.require(known, format!("a location that `{}` does not have", process.name), span);
        let visible = process.role == Role::System || reader == Reader::Observer(id);
        self.require(visible, format!("the system reads the observer `{}`", process.name), span);
    }

    /// Checks a place that a whole number is stored in.
    pub(super) fn number_target(&mut self, place: &Place, writer: Reader) {
        self.target(place, writer);
        let number = self.type_of(place) != Some(&Type::Clock);
        self.require(number, "a clock where a number is stored", place.span);
    }

    /// Checks a place that a value is stored in.
    pub(super) fn target(&mut self, place: &Place, writer: Reader) {
        self.place(place, writer, 0);
        self.may_write(place.variable, writer, place.span);
    }

    pub(super) fn place(&mut self, place: &Place, reader: Reader, depth: usize) {
        if place.variable.index() >= self.network.variables.len() {
            return self.error("a variable that does not exist", place.span);
        }
        if self.observer_of(place.variable).is_some_and(|owner| reader != Reader::Observer(owner)) {
            self.error("the system uses a variable of an observer", place.span);
        }
        for access in &place.path {
            if let Access::Index(index) = access {
                self.nested(index, reader, depth + 1);
            }
        }
        let scalar = self.type_of(place).is_some_and(|ty| self.network.scalar(ty).is_some());
        self.require(scalar, "a place that is not a scalar", place.span);
    }

    /// The type of what is at `place`, if its path fits the variable's type.
    pub(super) fn type_of(&self, place: &Place) -> Option<&'a Type> {
        let variable = self.network.variables.get(place.variable.index())?;
        place.path.iter().try_fold(&variable.ty, |ty, access| match (ty, access) {
            (Type::Array(element, _), Access::Index(_)) => Some(element.as_ref()),
            (Type::Record(id), Access::Field(field)) => {
                Some(&self.network.records[id.index()].fields.get(*field as usize)?.1)
            }
            _ => None,
        })
    }
}
