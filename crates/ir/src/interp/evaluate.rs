//! The values of expressions, and where places are.
//!
//! The recursion over expressions is bounded by
//! [`MAX_DEPTH`](crate::wellformed::MAX_DEPTH).

use super::arithmetic::{self, fit, truth};
use super::{Interpreter, RuntimeError, RuntimeErrorKind, State};
use crate::network::{
    Access, Binary, ChannelId, ChannelKind, Expr, ExprKind, IntType, Place, ReceiveOrder, Storage,
    Type,
};
use crate::source::Span;

/// What expressions are evaluated in: a state, and the scratch variables of
/// the step under way.
#[derive(Clone, Copy)]
pub(super) struct View<'s> {
    pub state: &'s State,
    pub scratch: &'s [i64],
}

/// A scalar: in which memory, where, and of which type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub storage: Storage,
    pub index: usize,
    pub ty: IntType,
}

impl<'a> Interpreter<'a> {
    /// A state before any step: scratch variables hold their initial values.
    pub(super) fn view<'s>(&'s self, state: &'s State) -> View<'s> {
        View { state, scratch: &self.scratch }
    }

    pub(super) fn evaluate(&self, view: View, expr: &Expr) -> Result<i64, RuntimeError> {
        homing_budget::checkpoint();
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Ratio(..) => Err(RuntimeErrorKind::Fraction.at(expr.span)),
            ExprKind::Read(place) => self.read(view, place),
            ExprKind::At(process, location) => {
                Ok(truth(view.state.location(*process) == Some(*location)))
            }
            ExprKind::Running(process) => Ok(truth(view.state.location(*process).is_some())),
            ExprKind::Channel(id) => Ok(id.value()),
            ExprKind::Length(channel) => {
                let channel = self.existing_channel(view, channel)?;
                Ok(view.state.buffer(channel).len() as i64)
            }
            ExprKind::Poll { channel, message, order } => {
                let id = self.existing_channel(view, channel)?;
                self.buffered(id, channel.span)?;
                let buffer = view.state.buffer(id);
                let reach = if *order == ReceiveOrder::First { 1 } else { buffer.len() };
                for waiting in buffer.iter().take(reach) {
                    if self.fits(view, waiting, message, expr.span)? {
                        return Ok(1);
                    }
                }
                Ok(0)
            }
            ExprKind::Deadlock => Ok(truth(self.is_deadlock(view.state))),
            ExprKind::Fail(failure) => Err(RuntimeErrorKind::NoValue(*failure).at(expr.span)),
            ExprKind::Unary(op, operand) => {
                let value = self.evaluate(view, operand)?;
                let result = arithmetic::unary(self.network.arithmetic, *op, value);
                result.map_err(|kind| kind.at(expr.span))
            }
            ExprKind::Binary(op, left, right) => self.binary(view, *op, left, right, expr.span),
            ExprKind::Choose(condition, yes, no) => {
                let chosen = if self.evaluate(view, condition)? != 0 { yes } else { no };
                self.evaluate(view, chosen)
            }
        }
    }

    /// Whether a message has these values, compared from left to right up to
    /// the first that differs.
    fn fits(
        &self,
        view: View,
        waiting: &[i64],
        wanted: &[Option<Expr>],
        span: Span,
    ) -> Result<bool, RuntimeError> {
        for (value, wanted) in waiting.iter().zip(wanted) {
            if let Some(wanted) = wanted
                && self.evaluate(view, wanted)? != *value
            {
                return Ok(false);
            }
        }
        // Values for parts that no message of the channel has.
        if wanted.iter().skip(waiting.len()).any(Option::is_some) {
            return Err(message_length(wanted.len(), waiting.len()).at(span));
        }
        Ok(true)
    }

    fn binary(
        &self,
        view: View,
        op: Binary,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<i64, RuntimeError> {
        if self.joins_clocks(op, left, right) {
            return self.join_times(view, op, left, right, span);
        }
        let a = self.evaluate(view, left)?;
        match (op, a != 0) {
            (Binary::And, false) => return Ok(0),
            (Binary::Or, true) | (Binary::Imply, false) => return Ok(1),
            _ => {}
        }
        let b = self.evaluate(view, right)?;
        arithmetic::binary(self.network.arithmetic, op, a, b).map_err(|kind| kind.at(span))
    }

    /// The channel that an expression denotes, if it denotes one.
    pub(super) fn channel(
        &self,
        view: View,
        expr: &Expr,
    ) -> Result<Option<ChannelId>, RuntimeError> {
        if let ExprKind::Channel(id) = expr.kind {
            return Ok(Some(id));
        }
        let id = ChannelId::of_value(self.evaluate(view, expr)?);
        Ok(id.filter(|id| {
            let declared = self.network.channels.get(id.index());
            declared.is_some_and(|channel| {
                channel.owner.is_none_or(|owner| view.state.location(owner).is_some())
            })
        }))
    }

    /// The channel that an expression denotes; it must denote one.
    pub(super) fn existing_channel(
        &self,
        view: View,
        expr: &Expr,
    ) -> Result<ChannelId, RuntimeError> {
        match self.channel(view, expr)? {
            Some(id) => Ok(id),
            None => {
                let value = self.evaluate(view, expr)?;
                Err(RuntimeErrorKind::NoChannel { value }.at(expr.span))
            }
        }
    }

    /// Fails unless messages wait in a channel.
    pub(super) fn buffered(&self, channel: ChannelId, span: Span) -> Result<(), RuntimeError> {
        match self.network.channels[channel.index()].kind {
            ChannelKind::Buffered(_) => Ok(()),
            ChannelKind::Rendezvous | ChannelKind::Broadcast => {
                Err(RuntimeErrorKind::NoBuffer.at(span))
            }
        }
    }

    /// The parts of a message, fitted to the types of the channel.
    pub(super) fn message(
        &self,
        view: View,
        channel: ChannelId,
        parts: &[Expr],
    ) -> Result<Vec<i64>, RuntimeError> {
        let types = &self.network.channels[channel.index()].message;
        let fitted = parts.iter().zip(types).map(|(part, ty)| {
            let value = self.evaluate(view, part)?;
            match self.network.scalar(ty) {
                Some(ty) => fit(value, ty).map_err(|kind| kind.at(part.span)),
                None => Ok(value),
            }
        });
        fitted.collect()
    }

    pub(super) fn read(&self, view: View, place: &Place) -> Result<i64, RuntimeError> {
        let cell = self.locate(view, place)?;
        Ok(match cell.storage {
            Storage::State => view.state.values[cell.index],
            Storage::Constant => self.constants[cell.index],
            Storage::Scratch => view.scratch[cell.index],
        })
    }

    /// The scalar at a place; its indices are evaluated in `view`.
    pub(super) fn locate(&self, view: View, place: &Place) -> Result<Cell, RuntimeError> {
        let region = self.regions[place.variable.index()];
        let mut ty = &self.network.variables[place.variable.index()].ty;
        let mut index = region.start;
        for access in &place.path {
            let within;
            (ty, within) = self.enter(view, ty, access)?;
            index += within;
        }
        let range = self.network.scalar(ty);
        // Well-formed places lead to scalars.
        let ty =
            range.unwrap_or(IntType { lo: 0, hi: 0, overflow: crate::network::Overflow::Error });
        Ok(Cell { storage: region.storage, index, ty })
    }

    /// The type of a part of a value of type `ty`, and how many scalars come
    /// before it.
    fn enter<'t>(
        &self,
        view: View,
        ty: &'t Type,
        access: &Access,
    ) -> Result<(&'t Type, usize), RuntimeError>
    where
        'a: 't,
    {
        match (ty, access) {
            (Type::Array(element, length), Access::Index(expr)) => {
                let index = self.evaluate(view, expr)?;
                if index < 0 || index >= i64::from(*length) {
                    let kind = RuntimeErrorKind::IndexOutOfBounds { index, length: *length };
                    return Err(kind.at(expr.span));
                }
                Ok((element, index as usize * self.network.scalars(element)))
            }
            (Type::Record(id), Access::Field(field)) => {
                let fields = &self.network.records[id.index()].fields;
                let before = fields[..*field as usize].iter();
                let within = before.map(|(_, earlier)| self.network.scalars(earlier)).sum();
                Ok((&fields[*field as usize].1, within))
            }
            // Well-formed places index arrays and take fields of records.
            _ => Ok((ty, 0)),
        }
    }
}

/// The failure of a message with another number of parts than its channel's have.
pub(super) fn message_length(given: usize, wanted: usize) -> RuntimeErrorKind {
    RuntimeErrorKind::MessageLength { given: given as u32, wanted: wanted as u32 }
}
