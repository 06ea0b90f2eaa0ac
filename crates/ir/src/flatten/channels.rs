//! Which channel a value denotes, and what fails where it is misused.
//!
//! An edge whose channel is a value has a part for every channel that may be meant, and
//! before them one that can do nothing but fail: where the value denotes no channel,
//! where the message has another number of parts than those of the channel, where a
//! message would be looked at that no buffer holds. So the parts that move are what they
//! would be without failures, and which step fails is known before any partner is
//! looked at.

use super::{Buffer, Flattener};
use crate::network::{
    Action, Binary, ChannelId, Edge, EdgeRef, Expr, ExprKind, Pattern, ProcessId, Storage, Unary,
};
use crate::source::Span;
use crate::system::{ComponentId, FaultKind, Intake, Interval, Part, PartRole, Term};

/// What an edge does with a channel.
struct Use<'n> {
    channel: &'n Expr,
    /// The parts of its message.
    parts: usize,
    sends: bool,
    /// Whether the message stays where it is.
    keeps: bool,
}

impl<'n> Use<'n> {
    fn of(edge: &'n Edge) -> Option<Use<'n>> {
        Some(match &edge.action {
            Some(Action::Send { channel, message, .. }) => {
                Use { channel, parts: message.len(), sends: true, keeps: false }
            }
            Some(Action::Receive { channel, message, keep, .. }) => {
                Use { channel, parts: message.len(), sends: false, keeps: *keep }
            }
            Some(Action::Label(_)) | None => return None,
        })
    }
}

impl Flattener<'_> {
    /// The channels that an expression may denote.
    pub(super) fn channels(&self, channel: &Expr) -> Vec<ChannelId> {
        if let ExprKind::Channel(channel) = channel.kind {
            return vec![channel];
        }
        let all = (0..self.network.channels.len() as u32).map(ChannelId);
        match self.held(channel) {
            Some(held) => all.filter(|id| held.contains(&id.value())).collect(),
            None => all.collect(),
        }
    }

    /// What an array of channels that never changes was made with.
    fn held(&self, channel: &Expr) -> Option<&[i64]> {
        let ExprKind::Read(place) = &channel.kind else { return None };
        let variable = &self.network.variables[place.variable.index()];
        (variable.storage == Storage::Constant).then_some(&variable.initial[..])
    }

    /// Whether a channel value denotes the channel `id`, one that it may denote.
    pub(super) fn denotes(&mut self, channel: &Expr, id: ChannelId) -> Term {
        let own = match self.term(channel) {
            Term::Const(_) => return Term::Const(1),
            value => Term::binary(Binary::Eq, value, Term::Const(id.value())),
        };
        match self.mortal_owner(id) {
            Some(owner) => Term::and(own, Term::Unary(Unary::Not, Box::new(self.absent(owner)))),
            None => own,
        }
    }

    /// Whose a channel is, if that process may be absent.
    fn mortal_owner(&self, id: ChannelId) -> Option<ProcessId> {
        let owner = self.network.channels[id.index()].owner?;
        let component = self.system.component(self.components[owner.index()]?);
        component.absent.map(|_| owner)
    }

    /// Whether an edge sends or receives messages with as many parts as those of a
    /// channel. Who only looks may look at the first ones.
    pub(super) fn is_whole(&self, edge: &Edge, id: ChannelId) -> bool {
        let wanted = self.network.channels[id.index()].message.len();
        Use::of(edge).is_none_or(|own| own.parts == wanted || own.keeps && own.parts < wanted)
    }

    /// A term that fails.
    pub(super) fn failure(&mut self, span: Span) -> Term {
        let site = self.site(FaultKind::Channel, span);
        Term::Check(Interval::new(1, 1), Box::new(Term::Const(0)), site)
    }

    /// A channel value, 0 for channels whose process is not running; nothing, if it
    /// always denotes a channel.
    fn denoted(&mut self, channel: &Expr) -> Option<Term> {
        let every = self.network.channels.len() as i64;
        let held = self.held(channel);
        if held.is_some_and(|held| held.iter().all(|value| (1..=every).contains(value))) {
            return None;
        }
        let value = match self.term(channel) {
            Term::Const(_) => return None,
            value => value,
        };
        let channels = self.channels(channel).into_iter();
        let owned: Vec<_> = channels.filter_map(|id| Some((id, self.mortal_owner(id)?))).collect();
        Some(owned.into_iter().fold(value.clone(), |known, (id, owner)| {
            let own = Term::binary(Binary::Eq, value.clone(), Term::Const(id.value()));
            let gone = Term::and(own, self.absent(owner));
            Term::Choose(Box::new(gone), Box::new(Term::Const(0)), Box::new(known))
        }))
    }

    /// A value computed from a channel value; a failure where that denotes no channel.
    pub(super) fn of_existing(&mut self, channel: &Expr, value: Term) -> Term {
        let Some(denoted) = self.denoted(channel) else { return value };
        let every = Interval::new(1, self.network.channels.len() as i64);
        let site = self.site(FaultKind::Channel, channel.span);
        let existing = Term::Check(every, Box::new(denoted), site);
        Term::Choose(Box::new(existing), Box::new(value), Box::new(Term::Const(0)))
    }

    /// Adds the part of an edge that fails, if its channel can be misused.
    pub(super) fn misuse(&mut self, reference: EdgeRef, component: ComponentId, edge: &Edge) {
        let Some(own) = Use::of(edge) else { return };
        let mut misused = match self.denoted(own.channel) {
            Some(denoted) => {
                let every = self.network.channels.len() as i64;
                let first = Term::binary(Binary::Ge, denoted.clone(), Term::Const(1));
                let last = Term::binary(Binary::Le, denoted, Term::Const(every));
                Term::Unary(Unary::Not, Box::new(Term::and(first, last)))
            }
            None => Term::Const(0),
        };
        for id in self.channels(own.channel) {
            let Some(fails) = self.misused(edge, &own, id) else { continue };
            let fails = Term::and(self.denotes(own.channel, id), fails);
            misused = match misused {
                Term::Const(0) => fails,
                others => Term::binary(Binary::Or, others, fails),
            };
        }
        if misused == Term::Const(0) {
            return;
        }
        let mut part = self.bare(reference, component, edge);
        part.guard = Term::and(part.guard, misused);
        let never = (self.temp(), self.failure(own.channel.span));
        part.prepare.push(never);
        self.system.parts.push(part);
    }

    /// Where an edge alone fails on one of its channels, if it may.
    fn misused(&mut self, edge: &Edge, own: &Use, id: ChannelId) -> Option<Term> {
        match self.buffers[id.index()].clone() {
            None if own.keeps => Some(Term::Const(1)),
            _ if self.is_whole(edge, id) => None,
            Some(buffer) => Some(self.possible_on(edge, &buffer)),
            None => own.sends.then_some(Term::Const(1)),
        }
    }

    /// Whether there is room for what an edge sends, or a message that it receives.
    pub(super) fn possible_on(&mut self, edge: &Edge, buffer: &Buffer) -> Term {
        match &edge.action {
            Some(Action::Receive { message, order, .. }) => {
                let matches = self.matching(buffer, message);
                buffer.waits_at(&matches, *order)
            }
            _ => buffer.has_room(),
        }
    }
    /// A message of `parts` parts arrives, which is not what `message` is for: where the
    /// parts that both have match, that is a failure.
    pub(super) fn failing_intake(
        &mut self,
        part: &mut Part,
        id: ChannelId,
        message: &[Pattern],
        parts: usize,
    ) {
        let intakes = (0..parts).map(|at| match message.get(at) {
            Some(pattern) => self.taken(pattern),
            None => Intake::Ignore,
        });
        part.role = PartRole::Receive(id, intakes.collect());
        let never = (self.temp(), self.failure(self.network.edge(part.edge).span));
        part.prepare.push(never);
    }
}
