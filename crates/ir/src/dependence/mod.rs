//! Which steps depend on each other, and what makes a step possible: the tables
//! that partial-order reduction goes by.
//!
//! Laarman, Pater, van de Pol, Hansen, "Guard-based partial-order reduction"
//! (STTT 2016), in their terms:
//!
//! - two labels *accord* if, wherever both are possible, neither makes the other
//!   impossible, and both orders lead to the same states;
//! - a *necessary enabling set* of a label that is not possible in a state: every
//!   run to a state where it is possible has a step of this set. Each of its
//!   conditions that is false gives one: the labels that may make it true.
//!
//! Both are decided by what the steps that begin with a label read and write
//! (`reach`), finer than by mere overlap:
//!
//! - conditions (location, conjuncts of the guard, what is sent is what is
//!   expected, nobody else is committed) only matter to those who may make them
//!   false, or true: `condition`;
//! - labels whose conditions exclude each other are never possible together, and
//!   accord;
//! - a send to a buffer and a receive from it commute wherever both are possible;
//! - so do writes of the same number.
//!
//! Deviations: disabling sets are not used for enabling ones. Labels are whole
//! steps: what is done within an atomic block belongs to the first move, and all
//! outcomes of a label are taken together or not at all.
//!
//! Not covered, and refused: clocks and priorities, parts that wait for all others
//! (`timeout`), synchronous systems. What Promela's `provided` and `_last` say are
//! guards and variables as others are.

mod condition;
mod labels;
mod reach;

use std::collections::BTreeMap;

use self::condition::Condition;
pub use self::labels::LabelSet;
use self::reach::{Reach, Reaches};
use crate::footprint::SlotSet;
use crate::moves::Moves;
use crate::network::Binary;
use crate::system::{ComponentId, SlotId, System, Term};

/// The most labels for which there are tables: their size is quadratic.
const MOST_LABELS: usize = 5_000;

/// What depends on what, by label.
pub struct Dependence {
    labels: Vec<Reach>,
    conditions: Vec<Condition>,
    /// For every label those that it does not accord with.
    disturbing: Vec<LabelSet>,
    /// For every condition the labels that may make it true.
    enabling: Vec<LabelSet>,
    /// For labels with more to them than conditions, those that may write what
    /// they read.
    touching: BTreeMap<u32, LabelSet>,
}

impl Dependence {
    /// The tables of a system, or a sentence that says why there are none.
    pub fn of(system: &System, moves: &Moves) -> Result<Dependence, String> {
        refuse(system, moves)?;
        let Reaches { labels, conditions } = Reaches::of(system, moves);
        let users = Users::of(system, &labels, &conditions);
        let disturbing = disturbing(&labels, &conditions, &users);
        let enabling = conditions.iter().map(|condition| users.may_make(true, condition, &labels));
        let enabling = enabling.collect();
        let vague = (0..labels.len() as u32).filter(|label| labels[*label as usize].vague);
        let touching =
            vague.map(|label| (label, users.touching(&labels[label as usize], &conditions)));
        let touching = touching.collect();
        Ok(Dependence { labels, conditions, disturbing, enabling, touching })
    }

    /// The number of labels.
    pub fn labels(&self) -> usize {
        self.labels.len()
    }

    /// The labels that `label` does not accord with; it may be among them.
    #[inline]
    pub fn disturbing(&self, label: u32) -> &LabelSet {
        &self.disturbing[label as usize]
    }

    /// Numbers of conditions, each necessary for `label` to be possible.
    #[inline]
    pub fn conditions(&self, label: u32) -> &[u32] {
        &self.labels[label as usize].conditions
    }

    /// What a condition says.
    #[inline]
    pub fn term(&self, condition: u32) -> &Term {
        &self.conditions[condition as usize].term
    }

    /// The number of conditions.
    pub fn condition_count(&self) -> usize {
        self.conditions.len()
    }

    /// The labels that may make a condition true.
    #[inline]
    pub fn enabling(&self, condition: u32) -> &LabelSet {
        &self.enabling[condition as usize]
    }

    /// Where a label may be impossible though its conditions hold: the labels
    /// that may change that.
    pub fn touching(&self, label: u32) -> Option<&LabelSet> {
        self.touching.get(&label)
    }

    /// The components that take part in the first move.
    pub fn components(&self, label: u32) -> &[ComponentId] {
        &self.labels[label as usize].components
    }

    /// Whether the label may fail for want of a process to start.
    pub fn starts(&self, label: u32) -> bool {
        self.labels[label as usize].starts
    }

    /// The labels that may make a condition on states true, or false. It may be
    /// made of others, each of which is looked at on its own.
    pub fn may_change(&self, system: &System, truth: bool, term: &Term) -> LabelSet {
        match term {
            Term::Binary(Binary::And | Binary::Or, left, right) if !term.may_fail() => {
                let mut both = self.may_change(system, truth, left);
                both.extend(&self.may_change(system, truth, right));
                both
            }
            _ => self.may_make(system, truth, term),
        }
    }

    fn may_make(&self, system: &System, truth: bool, term: &Term) -> LabelSet {
        let condition = Condition::new(system, term);
        let mut set = LabelSet::new(self.labels.len());
        for (label, reach) in (0..).zip(&self.labels) {
            homing_budget::checkpoint();
            if reach.may_make(truth, &condition, None) {
                set.insert(label);
            }
        }
        set
    }
}

fn refuse(system: &System, moves: &Moves) -> Result<(), String> {
    let why = if system.timing.is_some() {
        "the model has clocks or priorities"
    } else if system.has_timeout_parts() {
        "the model has a `timeout`, which waits for all processes"
    } else if system.synchronous {
        "all processes of the model move together"
    } else if moves.list.len() > MOST_LABELS {
        "the model has too many transitions for its tables"
    } else {
        return Ok(());
    };
    Err(format!("there is no partial-order reduction here: {why}"))
}

impl Reach {
    /// Whether a step may give a condition this truth, writes to the slots
    /// `but` left aside.
    fn may_make(&self, truth: bool, condition: &Condition, but: Option<&SlotSet>) -> bool {
        if !self.written.meets(&condition.reads) {
            return false;
        }
        self.writes.iter().any(|(slot, writing)| {
            condition.reads.contains(*slot)
                && !but.is_some_and(|but| but.contains(*slot))
                && condition.may_become(truth, *slot, writing)
        })
    }

    /// Whether the two are never possible together.
    fn excludes(&self, other: &Reach, conditions: &[Condition]) -> bool {
        self.conditions.iter().any(|a| {
            let a = &conditions[*a as usize];
            other.conditions.iter().any(|b| a.excludes(&conditions[*b as usize]))
        })
    }

    /// Whether what both write, `but` left aside, does not depend on the order.
    fn writes_alike(&self, other: &Reach, but: Option<&SlotSet>) -> bool {
        if !self.written.meets(&other.written) {
            return true;
        }
        self.writes.iter().all(|(slot, mine)| match other.writes.get(slot) {
            Some(theirs) if !but.is_some_and(|but| but.contains(*slot)) => {
                mine.constant().is_some() && mine.constant() == theirs.constant()
            }
            _ => true,
        })
    }

    /// The slots of the buffer that one sends to and the other receives from.
    fn opposite_end(&self, other: &Reach) -> Option<SlotSet> {
        let ((first, count, receives), (same, _, sends)) = (self.end?, other.end?);
        let opposite = first == same && receives != sends;
        opposite.then(|| (first.0..first.0 + count).map(SlotId).collect())
    }
}

/// Who reads and writes each slot, so that not all pairs are looked at.
struct Users {
    count: usize,
    writers: Vec<LabelSet>,
    readers: Vec<LabelSet>,
    holders: BTreeMap<ComponentId, LabelSet>,
}

impl Users {
    fn of(system: &System, labels: &[Reach], conditions: &[Condition]) -> Users {
        let count = labels.len();
        let mut users = Users {
            count,
            writers: vec![LabelSet::new(count); system.slots.len()],
            readers: vec![LabelSet::new(count); system.slots.len()],
            holders: BTreeMap::new(),
        };
        for (label, reach) in (0..).zip(labels) {
            for slot in reach.written.iter() {
                users.writers[slot.index()].insert(label);
            }
            let needed = reach.conditions.iter().map(|one| &conditions[*one as usize].reads);
            for slot in needed.chain([&reach.strict]).flat_map(SlotSet::iter) {
                users.readers[slot.index()].insert(label);
            }
            for holder in &reach.holders {
                users.holders.entry(*holder).or_insert_with(|| LabelSet::new(count)).insert(label);
            }
        }
        users
    }

    /// The labels that have to do with something this one has to do with.
    fn near(&self, reach: &Reach, conditions: &[Condition]) -> LabelSet {
        let mut near = self.touching(reach, conditions);
        for slot in reach.written.iter() {
            near.extend(&self.readers[slot.index()]);
            near.extend(&self.writers[slot.index()]);
        }
        reach.holders.iter().for_each(|holder| near.extend(&self.holders[holder]));
        near
    }

    /// The labels that may write what this one reads.
    fn touching(&self, reach: &Reach, conditions: &[Condition]) -> LabelSet {
        let mut touching = LabelSet::new(self.count);
        let needed = reach.conditions.iter().map(|one| &conditions[*one as usize].reads);
        for slot in needed.chain([&reach.strict]).flat_map(SlotSet::iter) {
            touching.extend(&self.writers[slot.index()]);
        }
        touching
    }

    fn may_make(&self, truth: bool, condition: &Condition, labels: &[Reach]) -> LabelSet {
        let mut set = LabelSet::new(self.count);
        for slot in condition.reads.iter() {
            for label in self.writers[slot.index()].iter() {
                if labels[label as usize].may_make(truth, condition, None) {
                    set.insert(label);
                }
            }
        }
        set
    }
}

/// What decides whether labels accord.
struct Accord<'a> {
    labels: &'a [Reach],
    conditions: &'a [Condition],
    /// For every condition the labels that may make it false.
    disabling: Vec<LabelSet>,
}

impl Accord<'_> {
    /// Whether the two accord.
    fn accords(&self, a: u32, b: u32) -> bool {
        let (one, other) = (&self.labels[a as usize], &self.labels[b as usize]);
        if one.excludes(other, self.conditions) {
            return true;
        }
        // Outcomes reached in two ways while control is held are told once.
        if !one.holders.is_disjoint(&other.holders) {
            return false;
        }
        let ends = one.opposite_end(other);
        let ends = ends.as_ref();
        self.is_calm(a, b, ends) && self.is_calm(b, a, ends) && one.writes_alike(other, ends)
    }

    /// Whether `a` neither makes `b` impossible nor changes what it does, the slots
    /// of `ends` left aside.
    fn is_calm(&self, a: u32, b: u32, ends: Option<&SlotSet>) -> bool {
        let (one, other) = (&self.labels[a as usize], &self.labels[b as usize]);
        let changes = match ends {
            None => one.written.meets(&other.strict),
            Some(ends) => {
                let mut written = one.written.clone();
                written.subtract(ends);
                written.meets(&other.strict)
            }
        };
        let disables = |condition: &u32| {
            let condition = *condition as usize;
            self.disabling[condition].contains(a)
                && (ends.is_none() || one.may_make(false, &self.conditions[condition], ends))
        };
        !changes && !other.conditions.iter().any(disables)
    }
}

fn disturbing(labels: &[Reach], conditions: &[Condition], users: &Users) -> Vec<LabelSet> {
    let disabling = conditions.iter().map(|one| users.may_make(false, one, labels)).collect();
    let accord = Accord { labels, conditions, disabling };
    let mut table = vec![LabelSet::new(labels.len()); labels.len()];
    for (a, reach) in (0u32..).zip(labels) {
        for b in users.near(reach, conditions).iter().filter(|b| *b > a) {
            homing_budget::checkpoint();
            if !accord.accords(a, b) {
                table[a as usize].insert(b);
                table[b as usize].insert(a);
            }
        }
    }
    table
}
