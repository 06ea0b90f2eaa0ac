//! The one way in which two components may be interchangeable.
//!
//! Their parts are laid side by side, the first of the one and the first of the
//! other and so on: where they mention different slots, these must be exchanged,
//! different channels likewise; where they mention different constants as values
//! that may be names, these are the names of the two. What is written in no
//! particular order (operands of `&&`, assignments that do not depend on each
//! other) is asked last, and only for what does not contradict the rest. Nothing is
//! decided here; a wrong match is no automorphism.

use super::Exchange;
use super::image::{assignments, chain, commutes};
use super::sorts::Sorts;
use crate::network::{Binary, ChannelId};
use crate::system::{Command, ComponentId, Part, PartId, PartRole, SlotId, System, Term};

/// The exchange of `a` and `b` that their parts call for, if any.
pub(super) fn matched(
    system: &System,
    sorts: &Sorts,
    a: ComponentId,
    b: ComponentId,
) -> Option<Exchange> {
    let ids = || (0..system.parts.len() as u32).map(PartId);
    let of = |component| ids().filter(move |part| system.part(*part).component == component);
    if of(a).count() != of(b).count() {
        return None;
    }
    let exchange = Exchange::of(a, b);
    let mut matching = Matching { system, sorts, exchange, ordered: true };
    matching.slot(system.component(a).location, system.component(b).location)?;
    for ordered in [true, false] {
        matching.ordered = ordered;
        of(a).zip(of(b)).try_for_each(|(a, b)| {
            matching.part(system.part(a), system.part(b))?;
            matching.timed_part(a, b)
        })?;
    }
    matching.invariants(a, b)?;
    matching.close()?;
    Some(matching.exchange)
}

/// The slot that a place with a constant index is.
pub(super) fn element(first: SlotId, index: &Term) -> Option<SlotId> {
    match index {
        Term::Const(index) => Some(SlotId(first.0 + *index as u32)),
        _ => None,
    }
}

pub(super) struct Matching<'a> {
    pub(super) system: &'a System,
    pub(super) sorts: &'a Sorts,
    pub(super) exchange: Exchange,
    /// Whether what comes in no particular order is left out.
    ordered: bool,
}

impl Matching<'_> {
    pub(super) fn slot(&mut self, a: SlotId, b: SlotId) -> Option<()> {
        if a == b {
            return Some(());
        }
        let slots = &mut self.exchange.slots;
        let fits = *slots.entry(a).or_insert(b) == b && *slots.entry(b).or_insert(a) == a;
        fits.then_some(())
    }

    fn slots(&mut self, a: SlotId, b: SlotId, count: u32) -> Option<()> {
        (0..count).try_for_each(|i| self.slot(SlotId(a.0 + i), SlotId(b.0 + i)))
    }

    fn channel(&mut self, a: ChannelId, b: ChannelId) -> Option<()> {
        let channels = &mut self.exchange.channels;
        let fits = *channels.entry(a).or_insert(b) == b && *channels.entry(b).or_insert(a) == a;
        fits.then_some(())
    }

    pub(super) fn names(&mut self, sort: u32, a: i64, b: i64) -> Option<()> {
        let pair = (a.min(b), a.max(b));
        (*self.exchange.names.entry(sort).or_insert(pair) == pair).then_some(())
    }

    fn part(&mut self, a: &Part, b: &Part) -> Option<()> {
        match (&a.role, &b.role) {
            (PartRole::Send(one, left), PartRole::Send(other, right)) => {
                self.channel(*one, *other)?;
                for (position, (left, right)) in left.iter().zip(right).enumerate() {
                    self.term(left, right, self.sorts.of_message(*one, position))?;
                }
            }
            (PartRole::Receive(one, left), PartRole::Receive(other, right)) => {
                self.channel(*one, *other)?;
                for (position, (left, right)) in left.iter().zip(right).enumerate() {
                    let pairs = left.comparisons().into_iter().zip(right.comparisons());
                    for ((_, left), (_, right)) in pairs {
                        self.term(left, right, self.sorts.of_message(*one, position))?;
                    }
                }
            }
            _ => {}
        }
        self.term(&a.guard, &b.guard, None)?;
        for ((temp, left), (_, right)) in a.prepare.iter().zip(&b.prepare) {
            self.term(left, right, self.sorts.of_temp(*temp))?;
        }
        self.block(&a.stores, &b.stores)?;
        self.block(&a.effect, &b.effect)?;
        self.block(&a.cleanup, &b.cleanup)
    }

    /// Matches what comes in no particular order, as far as it can be.
    fn unordered<T>(
        &mut self,
        pairs: impl Iterator<Item = T>,
        one: impl Fn(&mut Self, T) -> Option<()>,
    ) {
        if self.ordered {
            return;
        }
        for pair in pairs {
            let before = self.exchange.clone();
            if one(self, pair).is_none() {
                self.exchange = before;
            }
        }
    }

    fn block(&mut self, mut a: &[Command], mut b: &[Command]) -> Option<()> {
        while !a.is_empty() && !b.is_empty() {
            homing_budget::checkpoint();
            let run = assignments(self.system, a).min(assignments(self.system, b));
            let ((left, after), (right, later)) = (a.split_at(run.max(1)), b.split_at(run.max(1)));
            match run {
                0 | 1 => self.command(&left[0], &right[0])?,
                _ => self.unordered(left.iter().zip(right), |this, (a, b)| this.command(a, b)),
            }
            (a, b) = (after, later);
        }
        Some(())
    }

    fn command(&mut self, a: &Command, b: &Command) -> Option<()> {
        match (a, b) {
            (Command::Set(slot, left), Command::Set(other, right)) => {
                self.slot(*slot, *other)?;
                self.term(left, right, self.sorts.of_slot(*slot))
            }
            (
                Command::SetElement { first, count, index, value },
                Command::SetElement { first: other, index: theirs, value: right, .. },
            ) => {
                self.place((*first, *count, index), (*other, theirs))?;
                let slot = element(*first, index).unwrap_or(*first);
                self.term(value, right, self.sorts.of_slot(slot))
            }
            (Command::Let(temp, left), Command::Let(_, right)) => {
                self.term(left, right, self.sorts.of_temp(*temp))
            }
            (Command::If(left, yes, no), Command::If(right, then, otherwise)) => {
                self.term(left, right, None)?;
                self.block(yes, then)?;
                self.block(no, otherwise)
            }
            (Command::While(left, one, _), Command::While(right, other, _)) => {
                self.term(left, right, None)?;
                self.block(one, other)
            }
            (Command::Require(left, _), Command::Require(right, _)) => self.term(left, right, None),
            _ => None,
        }
    }

    pub(super) fn term(&mut self, a: &Term, b: &Term, sort: Option<u32>) -> Option<()> {
        match (a, b) {
            (Term::Const(a), Term::Const(b)) if a == b => Some(()),
            (Term::Const(a), Term::Const(b)) => self.names(sort?, *a, *b),
            (Term::Slot(a), Term::Slot(b)) => self.slot(*a, *b),
            (Term::Temp(_), Term::Temp(_)) => Some(()),
            (
                Term::Element { first, count, index },
                Term::Element { first: other, index: theirs, .. },
            ) => self.place((*first, *count, index), (*other, theirs)),
            (Term::Unary(_, a), Term::Unary(_, b)) => self.term(a, b, None),
            (Term::Binary(op, ..), Term::Binary(same, ..))
                if op == same && commutes(self.system, *op, a) =>
            {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                chain(*op, a, &mut left);
                chain(*op, b, &mut right);
                let pairs = left.into_iter().zip(right);
                self.unordered(pairs, |this, (a, b)| this.term(a, b, None));
                Some(())
            }
            (Term::Binary(op, left, right), Term::Binary(_, one, other)) => {
                let compared = matches!(op, Binary::Eq | Binary::Ne);
                let sort = compared.then(|| self.sorts.of_both(left, right)).flatten();
                self.term(left, one, sort)?;
                self.term(right, other, sort)
            }
            (Term::Choose(a, b, c), Term::Choose(d, e, f)) => {
                self.term(a, d, None)?;
                self.term(b, e, sort)?;
                self.term(c, f, sort)
            }
            (Term::Wrap(_, a), Term::Wrap(_, b)) | (Term::Check(_, a, _), Term::Check(_, b, _)) => {
                self.term(a, b, sort)
            }
            (Term::NonZero(a, _), Term::NonZero(b, _)) => self.term(a, b, None),
            _ => None,
        }
    }

    fn place(&mut self, a: (SlotId, u32, &Term), b: (SlotId, &Term)) -> Option<()> {
        let ((first, count, index), (other, theirs)) = (a, b);
        match (element(first, index), element(other, theirs)) {
            (Some(a), Some(b)) => self.slot(a, b),
            (None, None) => {
                if first != other {
                    self.slots(first, other, count)?;
                }
                self.term(index, theirs, self.sorts.of_index(first, count))
            }
            _ => None,
        }
    }

    /// What follows: an array whose index is renamed is permuted with it and the
    /// other way round, and what is exchanged is renamed alike.
    fn close(&mut self) -> Option<()> {
        loop {
            homing_budget::checkpoint();
            let before = self.exchange.size();
            for (first, count, sort) in self.sorts.arrays() {
                let Some(sort) = sort else { continue };
                if let Some((a, b)) = self.exchange.names.get(&sort).copied() {
                    let within = |name: i64| (0..i64::from(count)).contains(&name);
                    if within(a) && within(b) {
                        self.slot(SlotId(first.0 + a as u32), SlotId(first.0 + b as u32))?;
                    }
                }
                for index in 0..count {
                    let to = self.exchange.slot(SlotId(first.0 + index)).0;
                    let inside = (first.0..first.0 + count).contains(&to);
                    if inside && to != first.0 + index {
                        self.names(sort, i64::from(index), i64::from(to - first.0))?;
                    }
                }
            }
            let slots: Vec<(SlotId, SlotId)> =
                self.exchange.slots.iter().map(|(from, to)| (*from, *to)).collect();
            for (from, to) in slots {
                let sorts = (self.sorts.of_slot(from), self.sorts.of_slot(to));
                let (Some(sort), Some(image)) = sorts else { continue };
                if let Some((a, b)) = self.exchange.names.get(&sort).copied() {
                    self.names(image, a, b)?;
                }
            }
            self.close_clocks()?;
            if self.exchange.size() == before {
                return Some(());
            }
        }
    }
}
