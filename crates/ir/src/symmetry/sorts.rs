//! Which values may be names.
//!
//! Every slot, every temporary, every position of a message and the index of
//! every array, of clocks too, has a *sort*, the same for those between which values are copied
//! or compared for equality. A sort whose values are counted with, ordered, asked
//! for their truth or bounded in a way that tells them apart is one of numbers;
//! the values of any other may be renamed, everywhere at once. Classes are found
//! by union and find, in one pass over the system.

use std::collections::BTreeMap;

use super::matching::element;
use crate::network::{Binary, ChannelId};
use crate::system::{Command, Part, PartRole, SlotId, System, TempId, Term};
use crate::timing::{ClockTerm, Timing};

/// The sorts of a system.
pub(super) struct Sorts {
    /// By node; the slots come first.
    parent: Vec<u32>,
    /// By root.
    number: Vec<bool>,
    others: BTreeMap<Other, u32>,
}

/// What has a sort besides slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Other {
    Temp(TempId),
    Index(SlotId, u32),
    Message(ChannelId, usize),
    /// The index of an array of clocks, by the first of these.
    Clock(u32, u32),
}

/// What is known of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sort {
    /// A constant.
    Any,
    Number,
    Node(u32),
}

impl Sorts {
    /// The sorts of a system.
    pub(super) fn of(system: &System) -> Sorts {
        let slots = system.slots.len();
        let mut sorts = Sorts {
            parent: (0..slots as u32).collect(),
            number: vec![false; slots],
            others: BTreeMap::new(),
        };
        let locations = system.components.iter().map(|component| component.location);
        locations.chain(system.trap).for_each(|slot| sorts.count(Sort::Node(slot.0)));
        system.conditions.iter().for_each(|condition| sorts.number(&condition.term));
        system.parts.iter().for_each(|part| sorts.part(part));
        if let Some(timing) = &system.timing {
            sorts.timing(timing);
        }
        sorts
    }

    /// Values that clocks are compared with or set to are numbers.
    fn timing(&mut self, timing: &Timing) {
        timing.pending_slots().for_each(|(slot, _)| self.count(Sort::Node(slot.0)));
        let cases = timing.conditions.iter().flat_map(|condition| &condition.cases);
        cases.for_each(|case| self.number(&case.term));
        let guards = timing.parts.iter().flat_map(|part| &part.guard);
        let invariants = timing.invariants.iter().flatten().flatten();
        let sites = timing.sites.iter().flatten();
        let all = guards.chain(invariants).chain(sites).chain(timing.condition_constraints());
        for constraint in all {
            self.number(&constraint.when);
            self.number(&constraint.bound);
            for clock in [&constraint.left, &constraint.right] {
                if let ClockTerm::Element { first, count, index } = clock {
                    let node = self.node(Other::Clock(*first, *count));
                    self.equal(node, index);
                }
            }
        }
    }

    /// The sort of a slot's values, if these may be names.
    pub(super) fn of_slot(&self, slot: SlotId) -> Option<u32> {
        self.named(Sort::Node(slot.0))
    }

    /// The sort of an array's index, if it may be a name.
    pub(super) fn of_index(&self, first: SlotId, count: u32) -> Option<u32> {
        self.named(self.known(Other::Index(first, count)))
    }

    /// The sort of a part of a message.
    pub(super) fn of_message(&self, channel: ChannelId, position: usize) -> Option<u32> {
        self.named(self.known(Other::Message(channel, position)))
    }

    /// The sort of a temporary.
    pub(super) fn of_temp(&self, temp: TempId) -> Option<u32> {
        self.named(self.known(Other::Temp(temp)))
    }

    /// The common sort of terms that are compared.
    pub(super) fn of_both(&self, left: &Term, right: &Term) -> Option<u32> {
        match self.read(left) {
            Sort::Any => self.named(self.read(right)),
            sort => self.named(sort),
        }
    }

    /// The arrays that are indexed, with the sorts of their indices.
    pub(super) fn arrays(&self) -> impl Iterator<Item = (SlotId, u32, Option<u32>)> + '_ {
        self.others.iter().filter_map(|(other, node)| match other {
            Other::Index(first, count) => Some((*first, *count, self.named(Sort::Node(*node)))),
            _ => None,
        })
    }

    /// The sort of the index of an array of clocks.
    pub(super) fn of_clock_index(&self, first: u32, count: u32) -> Option<u32> {
        self.named(self.known(Other::Clock(first, count)))
    }

    /// The same as [`Sorts::arrays`], of clocks.
    pub(super) fn clock_arrays(&self) -> impl Iterator<Item = (u32, u32, Option<u32>)> + '_ {
        self.others.iter().filter_map(|(other, node)| match other {
            Other::Clock(first, count) => Some((*first, *count, self.named(Sort::Node(*node)))),
            _ => None,
        })
    }

    fn named(&self, sort: Sort) -> Option<u32> {
        let Sort::Node(node) = sort else { return None };
        let root = self.root(node);
        (!self.number[root as usize]).then_some(root)
    }

    fn known(&self, other: Other) -> Sort {
        self.others.get(&other).map_or(Sort::Number, |node| Sort::Node(*node))
    }

    fn root(&self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            node = self.parent[node as usize];
        }
        node
    }

    /// The sort of a term, once all are known.
    fn read(&self, term: &Term) -> Sort {
        match term {
            Term::Const(_) => Sort::Any,
            Term::Slot(slot) => Sort::Node(slot.0),
            Term::Element { first, index, .. } => {
                Sort::Node(element(*first, index).unwrap_or(*first).0)
            }
            Term::Temp(temp) => self.known(Other::Temp(*temp)),
            Term::Choose(_, yes, no) => match self.read(yes) {
                Sort::Any => self.read(no),
                sort => sort,
            },
            Term::Wrap(_, term) | Term::Check(_, term, _) => self.read(term),
            Term::Unary(..) | Term::Binary(..) | Term::NonZero(..) => Sort::Number,
        }
    }

    fn node(&mut self, other: Other) -> Sort {
        let fresh = self.parent.len() as u32;
        let node = *self.others.entry(other).or_insert(fresh);
        if node == fresh {
            self.parent.push(fresh);
            self.number.push(false);
        }
        Sort::Node(node)
    }

    fn count(&mut self, sort: Sort) {
        if let Sort::Node(node) = sort {
            let root = self.root(node);
            self.number[root as usize] = true;
        }
    }

    fn same(&mut self, left: Sort, right: Sort) -> Sort {
        match (left, right) {
            (Sort::Any, other) | (other, Sort::Any) => other,
            (Sort::Number, other) | (other, Sort::Number) => {
                self.count(other);
                Sort::Number
            }
            (Sort::Node(left), Sort::Node(right)) => {
                let (left, right) = (self.root(left), self.root(right));
                let number = self.number[left as usize] || self.number[right as usize];
                self.parent[right as usize] = left;
                self.number[left as usize] = number;
                Sort::Node(left)
            }
        }
    }

    fn part(&mut self, part: &Part) {
        self.number(&part.guard);
        match &part.role {
            PartRole::Send(channel, message) => {
                for (position, term) in message.iter().enumerate() {
                    let node = self.node(Other::Message(*channel, position));
                    self.equal(node, term);
                }
            }
            PartRole::Receive(channel, message) => {
                for (position, intake) in message.iter().enumerate() {
                    let node = self.node(Other::Message(*channel, position));
                    if let Some(temp) = intake.bound() {
                        let temp = self.node(Other::Temp(temp));
                        self.same(node, temp);
                    }
                    for (_, term) in intake.comparisons() {
                        self.equal(node, term);
                    }
                }
            }
            PartRole::Alone | PartRole::Label(_) => {}
        }
        for (temp, term) in &part.prepare {
            let temp = self.node(Other::Temp(*temp));
            self.equal(temp, term);
        }
        for command in part.commands() {
            command.walk(&mut |command| self.command(command));
        }
    }

    /// A command itself, not those within.
    fn command(&mut self, command: &Command) {
        match command {
            Command::Set(slot, term) => self.equal(Sort::Node(slot.0), term),
            Command::SetElement { first, count, index, value } => {
                let element = self.element(*first, *count, index);
                self.equal(element, value);
            }
            Command::Let(temp, term) => {
                let temp = self.node(Other::Temp(*temp));
                self.equal(temp, term);
            }
            Command::If(term, ..) | Command::While(term, ..) | Command::Require(term, _) => {
                self.number(term);
            }
        }
    }

    fn equal(&mut self, sort: Sort, term: &Term) {
        let other = self.term(term);
        self.same(sort, other);
    }

    fn number(&mut self, term: &Term) {
        let sort = self.term(term);
        self.count(sort);
    }

    fn term(&mut self, term: &Term) -> Sort {
        match term {
            Term::Const(_) => Sort::Any,
            Term::Slot(slot) => Sort::Node(slot.0),
            Term::Temp(temp) => self.node(Other::Temp(*temp)),
            Term::Element { first, count, index } => self.element(*first, *count, index),
            Term::Binary(Binary::Eq | Binary::Ne, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                self.same(left, right);
                Sort::Number
            }
            Term::Binary(_, left, right) => {
                self.number(left);
                self.number(right);
                Sort::Number
            }
            Term::Choose(condition, yes, no) => {
                self.number(condition);
                let (yes, no) = (self.term(yes), self.term(no));
                self.same(yes, no)
            }
            Term::Wrap(_, term) | Term::Check(_, term, _) => self.term(term),
            Term::Unary(_, term) | Term::NonZero(term, _) => {
                self.number(term);
                Sort::Number
            }
        }
    }

    /// Any element may be meant, so that all have one sort; where the index is a
    /// constant, just that one.
    fn element(&mut self, first: SlotId, count: u32, index: &Term) -> Sort {
        if let Some(slot) = element(first, index) {
            return Sort::Node(slot.0);
        }
        let node = self.node(Other::Index(first, count));
        self.equal(node, index);
        let elements = (first.0..first.0 + count).map(Sort::Node);
        elements.fold(Sort::Node(first.0), |all, one| self.same(all, one))
    }
}
