//! Messages: what is sent must be what is received.
//!
//! A channel that declares the types of its messages fixes how many values
//! they have. One that does not takes it from its first use; its values are
//! then numbers of 32 bits in a rendezvous, and `int` in a buffer.

use std::collections::BTreeSet;

use homing_ir::network::{
    Action, ChannelId, ChannelKind, Composition, Expr, ExprKind, Pattern, ProcessId, ReceiveOrder,
    SendOrder, Storage, Type,
};
use homing_ir::{Diagnostic, Span};

use super::lower::{Builder, truth_value};
use super::scope::Symbol;
use super::syntax::{self, ExprKind as Syntax, Sync};

/// How a channel is used.
#[derive(Debug)]
pub struct Usage {
    /// Whether its declaration says the types of its messages.
    typed: bool,
    /// How many values its first use has, and where that is.
    first: Option<(usize, Span)>,
    senders: BTreeSet<ProcessId>,
    receivers: BTreeSet<ProcessId>,
}

impl Usage {
    /// A channel that was not used yet.
    pub fn new(typed: bool) -> Usage {
        Usage { typed, first: None, senders: BTreeSet::new(), receivers: BTreeSet::new() }
    }
}

impl Builder {
    /// The action of process `id` that `sync` describes.
    pub fn action(&mut self, id: ProcessId, sync: &Sync) -> Option<Action> {
        let channel = self.channel(id, sync);
        let value = channel.map(|channel| Expr::new(ExprKind::Channel(channel), sync.channel.span));
        if let Some(channel) = channel {
            let usage = &mut self.usage[channel.index()];
            let users = if sync.send { &mut usage.senders } else { &mut usage.receivers };
            users.insert(id);
        }
        let shaped = channel.and_then(|channel| self.check_shape(channel, sync));
        if sync.send {
            let message = self.sent(channel, &sync.values)?;
            shaped?;
            Some(Action::Send { channel: value?, message, order: SendOrder::Last })
        } else {
            let message = self.received(channel, &sync.values)?;
            shaped?;
            let order = ReceiveOrder::First;
            Some(Action::Receive { channel: value?, message, order, keep: false })
        }
    }

    fn channel(&mut self, id: ProcessId, sync: &Sync) -> Option<ChannelId> {
        let scope = match &sync.owner {
            Some(owner) => self.process(owner)?,
            None => id,
        };
        let name = sync.channel;
        match self.names.find(Some(scope), name.text) {
            Some(Symbol::Channel(channel)) => Some(channel),
            Some(other) => {
                let what = format!("`{}` is {}, not a channel", name.text, other.describe());
                self.fail(Diagnostic::error(what, name.span))
            }
            None => {
                let is_channel = |symbol| matches!(symbol, Symbol::Channel(_));
                let near = self.names.nearest(Some(scope), name.text, is_channel);
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.unknown("channel", name, help)
            }
        }
    }

    /// Whether as many values pass as the declaration or the first use says.
    fn check_shape(&mut self, channel: ChannelId, sync: &Sync) -> Option<()> {
        let declared = &self.network.channels[channel.index()];
        let usage = &mut self.usage[channel.index()];
        let (expected, place, note) = match usage.first {
            _ if usage.typed => (declared.message.len(), declared.span, "declared here"),
            Some((count, span)) => (count, span, "first used here"),
            None => {
                usage.first = Some((sync.values.len(), sync.span));
                return Some(());
            }
        };
        let given = sync.values.len();
        if given == expected {
            return Some(());
        }
        let name = &declared.name;
        let verb = if sync.send { "sends" } else { "receives" };
        let message = format!("messages of channel `{name}` have {}", values(expected));
        let error = Diagnostic::error(message, sync.span)
            .label(format!("{verb} {}", values(given)))
            .related(place, note);
        self.fail(error)
    }

    fn part_type(&self, channel: Option<ChannelId>, part: usize) -> Option<&Type> {
        self.network.channels[channel?.index()].message.get(part)
    }

    fn sent(&mut self, channel: Option<ChannelId>, values: &[syntax::Expr]) -> Option<Vec<Expr>> {
        let lowered: Vec<Option<Expr>> =
            values.iter().map(|value| self.expression(value)).collect();
        let parts = lowered.into_iter().enumerate().map(|(part, value)| {
            let truth = self.part_type(channel, part) == Some(&Type::Bool);
            value.map(|value| if truth { truth_value(value) } else { value })
        });
        parts.collect()
    }

    fn received(
        &mut self,
        channel: Option<ChannelId>,
        values: &[syntax::Expr],
    ) -> Option<Vec<Pattern>> {
        let parts: Vec<Option<Pattern>> = values
            .iter()
            .enumerate()
            .map(|(part, value)| self.received_part(channel, part, value))
            .collect();
        parts.into_iter().collect()
    }

    fn received_part(
        &mut self,
        channel: Option<ChannelId>,
        part: usize,
        value: &syntax::Expr,
    ) -> Option<Pattern> {
        let place = self.assignable(value)?;
        let variable = &self.network.variables[place.variable.index()];
        let truth = matches!(&variable.ty, Type::Array(element, _) if **element == Type::Bool)
            || variable.ty == Type::Bool;
        if truth && channel.is_some() && self.part_type(channel, part) != Some(&Type::Bool) {
            let message = format!("`{}` is a `bool`, what it receives is a number", variable.name);
            let error = Diagnostic::error(message, value.span)
                .related(variable.span, "declared here")
                .help("declare the channel with messages of `bool`, as in `channel {bool} c[0];`");
            return self.fail(error);
        }
        Some(Pattern::Store(place))
    }

    /// A place that may be written to.
    pub fn assignable(&mut self, target: &syntax::Expr) -> Option<homing_ir::network::Place> {
        let place = match &target.kind {
            Syntax::Variable(name, index) => {
                self.place(self.scope, *name, index.as_deref(), target.span)?
            }
            Syntax::Foreign(..) => {
                let message = "a process writes to its own variables and to global ones only";
                return self.fail(Diagnostic::error(message, target.span));
            }
            _ => {
                let error = Diagnostic::error("this is not a variable", target.span);
                return self.fail(error.label("cannot be written to"));
            }
        };
        let variable = &self.network.variables[place.variable.index()];
        if variable.storage == Storage::Constant {
            let error =
                Diagnostic::error(format!("`{}` is a constant", variable.name), target.span)
                    .label("cannot be written to")
                    .related(variable.span, "declared here");
            return self.fail(error);
        }
        Some(place)
    }

    /// Settles the types of untyped channels, and warns of channels on which
    /// nothing can happen.
    pub fn finish_channels(&mut self) {
        for i in 0..self.network.channels.len() {
            let usage = &self.usage[i];
            let channel = &mut self.network.channels[i];
            if let (false, Some((count, _))) = (usage.typed, usage.first) {
                let part = match channel.kind {
                    ChannelKind::Buffered(_) => Type::wrapping(i16::MIN.into(), i16::MAX.into()),
                    _ => Type::wrapping(i32::MIN.into(), i32::MAX.into()),
                };
                channel.message = vec![part; count];
            }
            self.check_users(i);
        }
    }

    fn check_users(&mut self, i: usize) {
        let (channel, usage) = (&self.network.channels[i], &self.usage[i]);
        let used = !usage.senders.is_empty() || !usage.receivers.is_empty();
        if used && self.network.composition == Composition::Synchronous {
            let message = "channels cannot be used in a synchronous system";
            self.reports.add(Diagnostic::error(message, channel.span));
            return;
        }
        if self.lost_names || self.reports.failed() || !used {
            return;
        }
        let name = &channel.name;
        let alone = channel.kind == ChannelKind::Rendezvous
            && usage.senders.union(&usage.receivers).count() == 1;
        let complaint = if usage.receivers.is_empty() {
            format!("nothing is ever received from channel `{name}`")
        } else if usage.senders.is_empty() {
            format!("nothing is ever sent to channel `{name}`")
        } else if alone {
            format!("only one process uses channel `{name}`")
        } else {
            return;
        };
        let warning = Diagnostic::warning(complaint, channel.span);
        self.reports.add(match channel.kind {
            ChannelKind::Rendezvous => warning.label("no transition with it can be taken"),
            _ => warning,
        });
    }
}

fn values(count: usize) -> String {
    match count {
        0 => "no value".to_string(),
        1 => "1 value".to_string(),
        _ => format!("{count} values"),
    }
}
