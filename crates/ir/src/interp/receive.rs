//! The receiving side of communication.

use super::execute::{Passed, Store, Way};
use super::generate::Generator;
use super::{Message, RuntimeError};
use crate::network::{
    Action, Binary, ChannelId, ChannelKind, Edge, EdgeRef, ExprKind, Pattern, ReceiveOrder,
};

/// The message received from a buffer, and what is stored where.
type Intake = (Passed, Vec<Store>);

impl Generator<'_> {
    /// What an edge stores of a message passed on `channel`, if it receives
    /// from it. The message is asked for when the edge's guard and channel
    /// agree.
    pub(super) fn reception(
        &self,
        at: EdgeRef,
        edge: &Edge,
        channel: ChannelId,
        message: &dyn Fn() -> Result<Message, RuntimeError>,
    ) -> Result<Option<Vec<Store>>, RuntimeError> {
        let Some(Action::Receive { message: patterns, .. }) = &edge.action else {
            return Ok(None);
        };
        // Who has no channel at all fails by itself.
        if !self.holds(at, edge)? || self.denoted(edge)? != Some(channel) {
            return Ok(None);
        }
        let message = message()?;
        if !self.matches(patterns, &message)? {
            return Ok(None);
        }
        self.whole(edge, channel)?;
        self.stores(patterns, &message).map(Some)
    }

    /// What an edge receives from a buffer, if it does.
    pub(super) fn buffered_reception(
        &self,
        at: EdgeRef,
        edge: &Edge,
    ) -> Result<Option<Intake>, RuntimeError> {
        let Some(Action::Receive { channel: from, message: patterns, order, keep }) = &edge.action
        else {
            return Ok(None);
        };
        // On a constant rendezvous or broadcast channel the sender asks.
        if let ExprKind::Channel(id) = from.kind
            && !keep
            && !matches!(self.kind(id), ChannelKind::Buffered(_))
        {
            return Ok(None);
        }
        let Some(channel) = self.open_channel(at, edge)? else {
            return Ok(None);
        };
        if *keep {
            self.interpreter.buffered(channel, from.span)?;
        }
        let Some(position) = self.waiting(channel, patterns, *order)? else {
            return Ok(None);
        };
        self.whole(edge, channel)?;
        let message = &self.state.buffer(channel)[position];
        let way = if *keep { Way::Kept(position) } else { Way::Removed(position) };
        let stores = self.stores(patterns, message)?;
        Ok(Some((Passed { channel, message: message.clone(), way }, stores)))
    }

    /// Where in a buffer the message waits that is received by these patterns.
    pub(super) fn waiting(
        &self,
        channel: ChannelId,
        patterns: &[Pattern],
        order: ReceiveOrder,
    ) -> Result<Option<usize>, RuntimeError> {
        let buffer = self.state.buffer(channel);
        let reach = match order {
            ReceiveOrder::First => 1,
            ReceiveOrder::Any => buffer.len(),
        };
        for (position, message) in buffer.iter().enumerate().take(reach) {
            if self.matches(patterns, message)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether a message has the values it must have.
    fn matches(&self, patterns: &[Pattern], message: &[i64]) -> Result<bool, RuntimeError> {
        for (pattern, value) in patterns.iter().zip(message) {
            for (how, other) in pattern.comparisons() {
                if (self.value(other)? == *value) != (how == Binary::Eq) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Where the parts of a message go; indices are evaluated in the source
    /// state.
    fn stores(&self, patterns: &[Pattern], message: &[i64]) -> Result<Vec<Store>, RuntimeError> {
        let mut stores = Vec::new();
        for (pattern, value) in patterns.iter().zip(message) {
            if let Some(place) = pattern.place() {
                let cell = self.interpreter.locate(self.interpreter.view(self.state), place)?;
                stores.push(Store { cell, value: *value, span: place.span });
            }
        }
        Ok(stores)
    }
}
