//! What the steps that begin with a label read and write.
//!
//! A step is more than its first move where control stays with a component: it
//! then reaches as far as control may. How far it goes depends on all that might
//! be done on the way, so all that is read.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::{Condition, Writing};
use crate::footprint::{Footprint, Footprints, SlotSet, term_reads};
use crate::moves::{Move, Moves};
use crate::network::Atomic;
use crate::system::{Command, ComponentId, FaultKind, PartId, PartRole, SlotId, System, Term};

/// What a label needs, reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// What must hold for the first move, as far as it is known: the places
    /// among all conditions.
    pub conditions: Vec<u32>,
    /// What decides about the effect, or about more than `conditions` say.
    pub strict: SlotSet,
    /// What may be written, and how.
    pub writes: BTreeMap<SlotId, Writing>,
    /// The same slots.
    pub written: SlotSet,
    /// Who takes part in the first move.
    pub components: Vec<ComponentId>,
    /// Who may hold control on the way.
    pub holders: BTreeSet<ComponentId>,
    /// The slots of a buffer that it only sends to (false) or receives from.
    pub end: Option<(SlotId, u32, bool)>,
    /// Whether there is more to being possible than `conditions`.
    pub vague: bool,
    /// Whether a process may be missing to be started.
    pub starts: bool,
}

/// The reaches of all labels, and their conditions.
pub(super) struct Reaches {
    pub labels: Vec<Reach>,
    pub conditions: Vec<Condition>,
}

impl Reaches {
    pub fn of(system: &System, moves: &Moves) -> Reaches {
        let mut making = Making {
            system,
            moves,
            footprints: Footprints::of(system),
            conditions: Vec::new(),
            numbers: BTreeMap::new(),
            uncommitted: uncommitted(system),
        };
        let labels = (0..moves.list.len() as u32).map(|label| making.reach(label)).collect();
        Reaches { labels, conditions: making.conditions }
    }
}

struct Making<'a> {
    system: &'a System,
    moves: &'a Moves,
    footprints: Footprints,
    conditions: Vec<Condition>,
    /// The places of conditions by what they say.
    numbers: BTreeMap<String, u32>,
    /// For every component that may be committed, that it is not.
    uncommitted: Vec<Term>,
}

fn uncommitted(system: &System) -> Vec<Term> {
    let committing = system.components.iter().filter(|c| c.committed.contains(&true));
    let elsewhere = committing.map(|component| {
        let places = (0i64..).zip(&component.committed).filter(|(_, committed)| **committed);
        let not = |value: i64| {
            Term::Unary(crate::network::Unary::Not, Box::new(Term::is(component.location, value)))
        };
        places.fold(Term::Const(1), |all, (value, _)| Term::and(all, not(value)))
    });
    elsewhere.collect()
}

impl Making<'_> {
    fn reach(&mut self, label: u32) -> Reach {
        let one = self.moves.list[label as usize];
        let mut reach = Reach::default();
        let parts = one.parts(self.system);
        for part in &parts {
            let component = self.system.part(*part).component;
            if !reach.components.contains(&component) {
                reach.components.push(component);
            }
            self.effects(*part, &mut reach);
        }
        let fails = parts.iter().any(|part| self.fails_before(*part));
        match one {
            Move::Joint(joint) => {
                if let Some(leader) = self.system.joints[joint as usize].leader {
                    self.part_conditions(leader, fails, &mut reach);
                }
            }
            Move::Alone(part) => {
                self.part_conditions(part, fails, &mut reach);
                let part = self.system.part(part);
                if part.atomic == Atomic::No {
                    reach.end = part.end.map(|end| (end.first, end.count, end.receives));
                }
            }
            Move::Pair { sender, receiver } => {
                self.part_conditions(sender, fails, &mut reach);
                self.part_conditions(receiver, fails, &mut reach);
                if !fails {
                    self.matches(sender, receiver, &mut reach);
                }
            }
        }
        if !matches!(one, Move::Joint(_)) && !self.moves.is_committed(label) {
            for term in self.uncommitted.clone() {
                self.condition(&term, &mut reach);
            }
        }
        // Some moves only happen within the step of another.
        if self.moves.is_held_only(label) {
            self.condition(&Term::Const(0), &mut reach);
        }
        // A step may fail before all of its conditions are looked at, and which of
        // several moves is said to fail depends on all of them.
        if fails || matches!(one, Move::Joint(_)) {
            reach.vague = true;
            for part in &parts {
                reach.strict.extend(&self.footprints.parts[part.index()].source_reads);
                reach.strict.extend(&self.footprints.implicit[part.index()]);
            }
        }
        self.while_held(label, &mut reach);
        reach
    }

    /// Adds the location of a part and, unless something may fail, its guard.
    fn part_conditions(&mut self, id: PartId, fails: bool, reach: &mut Reach) {
        let part = self.system.part(id);
        let location = self.system.component(part.component).location;
        self.condition(&Term::is(location, part.from), reach);
        for conjunct in part.guard.conjuncts().into_iter().filter(|_| !fails) {
            if *conjunct != Term::Const(1) {
                self.condition(conjunct, reach);
            }
        }
    }

    /// Adds that what is sent is what is expected.
    fn matches(&mut self, sender: PartId, receiver: PartId, reach: &mut Reach) {
        let roles = (&self.system.part(sender).role, &self.system.part(receiver).role);
        let (PartRole::Send(_, message), PartRole::Receive(_, intakes)) = roles else { return };
        for (sent, intake) in message.iter().zip(intakes) {
            for (how, other) in intake.comparisons() {
                self.condition(&Term::binary(how, sent.clone(), other.clone()), reach);
            }
        }
    }

    fn condition(&mut self, term: &Term, reach: &mut Reach) {
        let next = self.conditions.len() as u32;
        let number = *self.numbers.entry(format!("{term:?}")).or_insert(next);
        if number == next {
            self.conditions.push(Condition::new(self.system, term));
        }
        if !reach.conditions.contains(&number) {
            reach.conditions.push(number);
        }
    }

    /// Whether a part may fail before it moves.
    fn fails_before(&self, id: PartId) -> bool {
        self.system.part(id).source_terms().into_iter().any(Term::may_fail)
    }

    /// Adds what a part reads besides its guard and location, and what it writes.
    fn effects(&self, id: PartId, reach: &mut Reach) {
        let part = self.system.part(id);
        let Footprint { effect_reads, may_write, .. } = &self.footprints.parts[id.index()];
        reach.strict.extend(effect_reads);
        reach.written.extend(may_write);
        let messages = part.source_terms().into_iter().skip(1);
        let sent = matches!(part.role, PartRole::Send(..) | PartRole::Alone | PartRole::Label(_));
        for term in messages {
            // What a receiver expects is a condition; what it prepares is not.
            let prepared = part.prepare.iter().any(|(_, prepared)| std::ptr::eq(prepared, term));
            if sent || prepared {
                reach.strict.extend(&term_reads(term));
            }
        }
        for command in part.commands() {
            command.walk(&mut |command| self.write(command, reach));
        }
    }

    fn write(&self, command: &Command, reach: &mut Reach) {
        match command {
            Command::Set(slot, term) => reach.writes.entry(*slot).or_default().add(*slot, term),
            Command::SetElement { first, count, .. } => {
                for slot in first.0..first.0 + count {
                    reach.writes.entry(SlotId(slot)).or_default().any = true;
                }
            }
            Command::Require(_, site) => {
                let kind = self.system.sites[site.index()].kind;
                reach.starts |= kind == FaultKind::NoFreeSlot;
            }
            _ => {}
        }
    }

    /// Adds what may happen while control is held after the first move.
    fn while_held(&self, label: u32, reach: &mut Reach) {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![label];
        while let Some(label) = waiting.pop() {
            homing_budget::checkpoint();
            let Some(holder) = self.moves.holder(label) else { continue };
            reach.vague = true;
            reach.holders.insert(holder.component);
            for at in self.held_at(label, holder.component) {
                for next in self.moves.at(holder.component, at as usize) {
                    if seen.insert(next) {
                        waiting.push(next);
                        self.inner(next, reach);
                    }
                }
            }
        }
        // Broadcasts and commitment within such a step are not looked into.
        if !reach.holders.is_empty()
            && (!self.system.joints.is_empty() || !self.uncommitted.is_empty())
        {
            for part in 0..self.system.parts.len() {
                homing_budget::checkpoint();
                reach.strict.extend(&self.footprints.parts[part].source_reads);
                reach.strict.extend(&self.footprints.parts[part].may_write);
            }
        }
    }

    /// The locations that a move leads its holder to.
    fn held_at(&self, label: u32, holder: ComponentId) -> Vec<i64> {
        let location = self.system.component(holder).location;
        let parts = self.moves.list[label as usize].parts(self.system);
        let own = parts.into_iter().map(|part| self.system.part(part));
        own.filter(|part| part.component == holder)
            .flat_map(|part| part.targets(location))
            .collect()
    }

    fn inner(&self, label: u32, reach: &mut Reach) {
        for part in self.moves.list[label as usize].parts(self.system) {
            self.effects(part, reach);
            let footprint = &self.footprints.parts[part.index()];
            reach.strict.extend(&footprint.source_reads);
        }
    }
}
