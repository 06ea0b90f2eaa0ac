//! Which channel an edge uses, and what fails where it is misused.

use super::RuntimeError;
use super::evaluate::message_length;
use super::generate::Generator;
use crate::network::{Action, ChannelId, Edge, EdgeRef, Expr};

impl Generator<'_> {
    /// The channel of an edge, if its guard holds.
    pub(super) fn open_channel(
        &self,
        at: EdgeRef,
        edge: &Edge,
    ) -> Result<Option<ChannelId>, RuntimeError> {
        match &edge.action {
            Some(Action::Send { channel, .. } | Action::Receive { channel, .. })
                if self.holds(at, edge)? =>
            {
                self.existing(channel).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The channel that an expression denotes; it must denote one.
    pub(super) fn existing(&self, channel: &Expr) -> Result<ChannelId, RuntimeError> {
        self.interpreter.existing_channel(self.interpreter.view(self.state), channel)
    }

    /// The channel of an edge, if it has one.
    pub(super) fn denoted(&self, edge: &Edge) -> Result<Option<ChannelId>, RuntimeError> {
        match &edge.action {
            Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) => {
                self.interpreter.channel(self.interpreter.view(self.state), channel)
            }
            _ => Ok(None),
        }
    }

    /// Fails where an edge sends or receives messages of another number of parts than
    /// the channel's. Who only looks may look at the first parts.
    pub(super) fn whole(&self, edge: &Edge, channel: ChannelId) -> Result<(), RuntimeError> {
        let (given, looks, from) = match &edge.action {
            Some(Action::Send { message, channel, .. }) => (message.len(), false, channel),
            Some(Action::Receive { message, keep, channel, .. }) => (message.len(), *keep, channel),
            Some(Action::Label(_)) | None => return Ok(()),
        };
        let wanted = self.interpreter.network.channels[channel.index()].message.len();
        if given == wanted || looks && given < wanted {
            return Ok(());
        }
        Err(message_length(given, wanted).at(from.span))
    }
}
