//! A system as functions of the bits of its states.
//!
//! A slot becomes as many bits as its range needs, a bit a pair of variables: its value now
//! and its value next, side by side. Above all of them lie [`COST_PAIRS`] pairs that states
//! do not have: searches write costs there.
//!
//! | module | holds |
//! |---|---|
//! | `terms` | terms as numbers whose bits are functions, and where they fail |
//! | `effects` | commands, executed with such numbers |
//! | `moves` | parts alone and pairs: where they can move, where they fail, what they lead to |
//! | `joints` | the same of steps of many parts, choice by choice |
//! | `rules` | who may move when: commitment, timeouts, what is over; deadlocks |
//!
//! What has no such form is refused ([`Trouble::Refused`]), with its place.

mod effects;
mod joints;
mod moves;
mod rules;
mod terms;

use std::collections::BTreeSet;

use homing_budget::{Budget, Stop, checkpoint};
use homing_ir::footprint::footprint;
use homing_ir::moves::{Move, Moves};
use homing_ir::network::EdgeRef;
use homing_ir::system::{Interval, PartId, SlotId, Term};
use homing_ir::{Prepared, System};

use crate::bits::{Arithmetic, Bits};
use crate::diagram::{Diagrams, Made, Set};
use crate::order::{Order, order};

pub use self::moves::Transition;
pub use self::rules::Rules;

/// Why there is no encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The budget was spent on the way.
    Stopped(Stop),
    /// This has no such form: why, and the edge it is about, if it is about one.
    Refused(String, Option<EdgeRef>),
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        Trouble::Stopped(stop)
    }
}

type Encoded<T> = Result<T, Trouble>;

/// The pairs of variables above those of states.
pub const COST_PAIRS: u32 = 64;

/// The most bits of a state: operations on diagrams are as deep as there are bits.
pub const MOST_BITS: usize = 4_000;

/// Where the bits of a slot are.
#[derive(Clone, Debug)]
struct Field {
    /// The levels of its bits now, the least significant first; each next is one below.
    levels: Vec<u32>,
    /// What the number zero means.
    base: i64,
    now: Bits,
}

/// A system in bits.
pub struct Encoding<'s> {
    system: &'s System,
    moves: &'s Moves,
    diagrams: Diagrams,
    fields: Vec<Field>,
    /// The levels of all bits now, in order.
    levels: Vec<u32>,
    /// What each of them is.
    places: Vec<(SlotId, u32, i64)>,
    /// States that hold only what their slots may.
    valid: Set,
    initial: Set,
}

impl<'s> Encoding<'s> {
    /// The bits of a system in this order, in diagrams of at most so many bytes.
    pub fn new(
        prepared: &'s Prepared,
        sorted: Order,
        budget: Budget,
        bytes: usize,
    ) -> Encoded<Encoding<'s>> {
        let (system, moves) = (prepared.system(), prepared.moves());
        if system.timing.is_some() {
            return Err(Trouble::Refused(
                "it knows no clocks, and no priorities of steps".into(),
                None,
            ));
        }
        let widths: Vec<u32> = system.slots.iter().map(|slot| bits_for(slot.range)).collect();
        let bits: usize = widths.iter().map(|width| *width as usize).sum();
        if bits > MOST_BITS {
            let why = format!(
                "a state has {bits} bits, and decision diagrams are made of at most {MOST_BITS}"
            );
            return Err(Trouble::Refused(why, None));
        }
        let slots = order(sorted, widths.len(), &together(system, moves));
        let diagrams = Diagrams::new(budget, bytes);
        let mut made = Encoding {
            system,
            moves,
            fields: Vec::new(),
            levels: Vec::new(),
            places: Vec::new(),
            valid: diagrams.constant(true),
            initial: diagrams.constant(true),
            diagrams,
        };
        made.place(&slots, &widths)?;
        made.limit()?;
        Ok(made)
    }

    /// Gives every slot its bits.
    fn place(&mut self, order: &[usize], widths: &[u32]) -> Made<()> {
        let mut levels = vec![Vec::new(); widths.len()];
        let mut next = 2 * COST_PAIRS;
        for slot in order {
            // The most significant bit first.
            let own: Vec<u32> = (0..widths[*slot]).map(|bit| next + 2 * bit).rev().collect();
            next += 2 * widths[*slot];
            levels[*slot] = own;
        }
        self.levels =
            (0..(next - 2 * COST_PAIRS) / 2).map(|bit| 2 * COST_PAIRS + 2 * bit).collect();
        self.places = vec![(SlotId(0), 0, 0); self.levels.len()];
        let arithmetic = Arithmetic(&self.diagrams);
        for (number, (slot, levels)) in (0..).zip(self.system.slots.iter().zip(levels)) {
            checkpoint();
            let base = base_of(slot.range);
            for (bit, level) in (0..).zip(&levels) {
                self.places[(level / 2 - COST_PAIRS) as usize] = (SlotId(number), bit, base);
            }
            let bits = levels.iter().map(|level| self.diagrams.variable(*level));
            let offset = arithmetic.unsigned(bits.collect::<Made<_>>()?);
            let now = arithmetic.add(&offset, &arithmetic.constant(base))?;
            self.fields.push(Field { levels, base, now });
        }
        Ok(())
    }

    /// Finds out which states there may be, and the initial one.
    fn limit(&mut self) -> Made<()> {
        let d = &self.diagrams;
        // From below, so that every conjunction is a small one.
        let mut fields: Vec<usize> = (0..self.fields.len()).collect();
        fields.sort_by_key(|slot| std::cmp::Reverse(self.fields[*slot].levels.last().copied()));
        let (mut valid, mut initial) = (d.constant(true), d.constant(true));
        for slot in fields {
            checkpoint();
            let Interval { lo, hi } = self.system.slots[slot].range;
            let within = Arithmetic(d).within(&self.fields[slot].now, lo, hi)?;
            valid = d.and(&valid, &within)?;
            let value = self.is(SlotId(slot as u32), self.system.slots[slot].initial)?;
            initial = d.and(&initial, &value)?;
        }
        (self.valid, self.initial) = (valid, initial);
        Ok(())
    }

    /// What computes with numbers here.
    fn arithmetic(&self) -> Arithmetic<'_> {
        Arithmetic(&self.diagrams)
    }

    /// Where a slot has a value.
    fn is(&self, slot: SlotId, value: i64) -> Made<Set> {
        let arithmetic = self.arithmetic();
        arithmetic.equal(&self.fields[slot.index()].now, &arithmetic.constant(value))
    }

    /// For every component with several locations, in order: where it is at the one that it
    /// begins at.
    pub(crate) fn beginnings(&self) -> Made<Vec<Set>> {
        let locations = self.system.components.iter().map(|component| component.location);
        let slots = &self.system.slots;
        let several =
            locations.filter(|slot| slots[slot.index()].range.lo < slots[slot.index()].range.hi);
        several.map(|slot| self.is(slot, slots[slot.index()].initial)).collect()
    }

    /// The diagrams that all of it is made of.
    pub fn diagrams(&self) -> &Diagrams {
        &self.diagrams
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// Its numbered moves.
    pub fn moves(&self) -> &'s Moves {
        self.moves
    }

    /// The initial state.
    pub fn initial(&self) -> &Set {
        &self.initial
    }

    /// The states whose slots hold what they may.
    pub fn valid(&self) -> &Set {
        &self.valid
    }

    /// The levels of the bits of a state, in order.
    pub fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// The slots of which some of these bits are: the levels of all their bits.
    pub(crate) fn slots_with(&self, bits: &BTreeSet<u32>) -> Vec<Vec<u32>> {
        let concerned = |field: &&Field| field.levels.iter().any(|level| bits.contains(level));
        self.fields.iter().filter(concerned).map(|field| field.levels.clone()).collect()
    }

    /// What a bit, given by its level, is: of which slot, which one of it, and what the slot's
    /// zero means.
    pub(crate) fn bit(&self, level: u32) -> (SlotId, u32, i64) {
        let place = (level / 2 - COST_PAIRS) as usize;
        self.places[place]
    }

    /// How many states are in a set.
    pub fn count(&self, set: &Set) -> u128 {
        self.diagrams.count(set, &self.levels)
    }

    /// Whether the state with these values of slots is in a set.
    pub fn contains(&self, set: &Set, value: impl Fn(SlotId) -> i64) -> bool {
        let mut bits = vec![false; self.levels.len()];
        for (slot, field) in self.fields.iter().enumerate() {
            let offset = value(SlotId(slot as u32)).wrapping_sub(field.base);
            for (bit, level) in field.levels.iter().enumerate() {
                bits[(level / 2 - COST_PAIRS) as usize] = offset >> bit & 1 == 1;
            }
        }
        self.diagrams.contains(set, |level| bits[(level / 2 - COST_PAIRS) as usize])
    }

    /// The state with these values of slots.
    pub fn state(&self, values: &[i64]) -> Made<Set> {
        let mut fields: Vec<usize> = (0..self.fields.len()).collect();
        fields.sort_by_key(|slot| std::cmp::Reverse(self.fields[*slot].levels.last().copied()));
        fields.into_iter().try_fold(self.diagrams.constant(true), |state, slot| {
            self.diagrams.and(&state, &self.is(SlotId(slot as u32), values[slot])?)
        })
    }

    /// A state of a set that is not empty: the values of its slots.
    pub fn pick(&self, set: &Set) -> Vec<i64> {
        let decided = self.diagrams.pick(set);
        let is_set = |level: u32| {
            let found = decided.binary_search_by_key(&level, |(level, _)| *level);
            found.is_ok_and(|at| decided[at].1)
        };
        let value = |field: &Field| {
            let bits = field.levels.iter().enumerate();
            let sum = bits.map(|(bit, level)| i64::from(is_set(*level)) << bit);
            field.base + sum.sum::<i64>()
        };
        self.fields.iter().map(value).collect()
    }

    /// Where a condition of the system holds, and where it cannot be evaluated and does not
    /// count as holding.
    pub fn condition(&self, number: usize) -> Encoded<(Set, Set)> {
        let condition = &self.system.conditions[number];
        self.satisfying(&condition.term, condition.holds_on_failure)
    }

    /// The same of any term.
    pub fn satisfying(&self, term: &Term, holds_on_failure: bool) -> Encoded<(Set, Set)> {
        let value = self.evaluate(term)?;
        let d = &self.diagrams;
        let holds = d.minus(&self.arithmetic().is_true(&value.bits)?, &value.fails)?;
        Ok(match holds_on_failure {
            true => (d.or(&holds, &value.fails)?, d.constant(false)),
            false => (holds, value.fails),
        })
    }
}

/// What zero means in the bits of a slot.
fn base_of(range: Interval) -> i64 {
    // Without an offset where that takes no more bits: terms are simpler then.
    let plain = range.lo >= 0 && bits_for(Interval::new(0, range.hi)) == bits_for(range);
    if plain { 0 } else { range.lo }
}

/// How many bits the values of an interval take.
fn bits_for(range: Interval) -> u32 {
    u64::BITS - range.hi.abs_diff(range.lo).leading_zeros()
}

/// For every move, the slots that it reads or writes.
fn together(system: &System, moves: &Moves) -> Vec<Vec<usize>> {
    let parts = (0..system.parts.len() as u32).map(|part| {
        checkpoint();
        let footprint = footprint(system, PartId(part));
        let mut slots = footprint.reads();
        slots.extend(&footprint.may_write);
        slots.iter().map(|slot| slot.index()).collect::<Vec<_>>()
    });
    let parts: Vec<Vec<usize>> = parts.collect();
    let of = |one: &Move| match *one {
        Move::Alone(part) => parts[part.index()].clone(),
        Move::Pair { sender, receiver } => {
            [&parts[sender.index()][..], &parts[receiver.index()]].concat()
        }
        Move::Joint(_) => {
            let all = one.parts(system).into_iter();
            all.flat_map(|part| parts[part.index()].iter().copied()).collect()
        }
    };
    let unique = |mut slots: Vec<usize>| {
        slots.sort_unstable();
        slots.dedup();
        slots
    };
    moves.list.iter().map(of).map(unique).collect()
}
