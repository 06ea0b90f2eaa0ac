//! `xr` and `xs`: claims that one process alone receives from a channel, or sends to it.
//!
//! SPIN takes them for granted in its partial-order reduction, and reports an error where
//! it sees two processes use the channel. Nothing here relies on them: who uses which
//! channel is known from the edges. So a claim that does not hold is a warning.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{Action, ChannelId, ChannelKind, ExprKind, ProcessId};
use homing_ir::{Diagnostic, Span};

use super::{Context, Lowering};

/// A channel, and whether it is about receiving from it.
type Claim = (ChannelId, bool);

impl Lowering<'_> {
    /// Compares what is claimed with what processes do.
    pub(super) fn exclusive(&mut self) {
        let (claims, mut users) = self.claims_of_channels();
        if claims.is_empty() {
            return;
        }
        for instance in &self.instances {
            for edge in &self.network.processes[instance.process.index()].edges {
                let (channel, receive) = match &edge.action {
                    Some(Action::Send { channel, .. }) => (channel, false),
                    Some(Action::Receive { channel, .. }) => (channel, true),
                    Some(Action::Label(_)) | None => continue,
                };
                if let ExprKind::Channel(id) = channel.kind {
                    users.entry((id, receive)).or_default().insert(instance.process);
                }
            }
        }
        for (claim, span) in claims {
            self.judge(claim, span, &users[&claim]);
        }
    }

    /// The claims, and who makes them.
    fn claims_of_channels(
        &mut self,
    ) -> (BTreeMap<Claim, Span>, BTreeMap<Claim, BTreeSet<ProcessId>>) {
        let (mut claims, mut users) = (BTreeMap::new(), BTreeMap::new());
        for at in 0..self.instances.len() {
            let process = self.instances[at].process;
            for claim in self.types[self.instances[at].ty].flow.exclusive.clone() {
                let (scope, order) = (claim.scope, claim.order);
                let cx = Context { instance: Some(at), scope, order, timeout: None };
                let Some((channel, _)) = self.channel_of(&claim.channel, cx) else { continue };
                if let ExprKind::Channel(id) = channel.kind {
                    let key = (id, claim.receive);
                    claims.entry(key).or_insert(claim.channel.span);
                    users.entry(key).or_insert_with(BTreeSet::new).insert(process);
                }
            }
        }
        (claims, users)
    }

    fn judge(&mut self, (id, receive): Claim, span: Span, users: &BTreeSet<ProcessId>) {
        let channel = &self.network.channels[id.index()];
        let (word, does) = match receive {
            true => ("xr", "receive from it"),
            false => ("xs", "send to it"),
        };
        let name = |process: &ProcessId| &self.network.processes[process.index()].name;
        let mut users = users.iter();
        let message = match (users.next(), users.next()) {
            _ if channel.kind == ChannelKind::Rendezvous => {
                format!("`{word}` says nothing of the rendezvous channel `{}`", channel.name)
            }
            (Some(one), Some(other)) => {
                let (one, other) = (name(one), name(other));
                format!("`{word} {}`, but {one} and {other} {does}", channel.name)
            }
            _ => return,
        };
        let help = "SPIN's reduction relies on this and reports an error; homing's does not";
        self.reports.add(Diagnostic::warning(message, span).help(help));
    }
}
