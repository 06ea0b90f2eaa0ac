//! Conditions on states, and how writes change them.
//!
//! A condition over one slot of few values has a table of its truth. With it, a
//! write of a number, and one that only makes the slot greater or only smaller,
//! is known to make the condition true, or false, or neither.

use crate::evaluate::evaluate;
use crate::footprint::{SlotSet, term_reads};
use crate::network::{Binary, Unary};
use crate::system::{Interval, SlotId, System, Term};

/// The most values of a slot whose conditions have a table.
const MOST_VALUES: u64 = 1024;

/// A condition, with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub term: Term,
    pub reads: SlotSet,
    /// Of a condition over one slot: the slot, and its values with the truth of
    /// each.
    table: Option<Table>,
    /// The only slot read, where it is one.
    slot: Option<SlotId>,
}

#[derive(Clone, Debug)]
struct Table {
    lo: i64,
    truth: Vec<bool>,
    /// The same, as bits.
    bits: Vec<u64>,
}

/// What a label may write to a slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Writing {
    /// Numbers.
    pub values: Vec<i64>,
    /// More than it held.
    pub up: bool,
    /// Less than it held.
    pub down: bool,
    /// Anything.
    pub any: bool,
}

impl Writing {
    /// Notes that the slot is set to this term.
    pub fn add(&mut self, slot: SlotId, term: &Term) {
        match change(slot, term) {
            Some(0) => {}
            Some(change) if change > 0 => self.up = true,
            Some(_) => self.down = true,
            None => match term {
                Term::Const(value) if self.values.contains(value) => {}
                Term::Const(value) => self.values.push(*value),
                _ => self.any = true,
            },
        }
    }

    /// The one number that is all that is ever written.
    pub fn constant(&self) -> Option<i64> {
        match self.values[..] {
            [value] if !self.up && !self.down && !self.any => Some(value),
            _ => None,
        }
    }
}

/// By how much a term differs from the slot, where that is a number. A check
/// fails rather than wrap around.
fn change(slot: SlotId, term: &Term) -> Option<i64> {
    match term {
        Term::Slot(read) if *read == slot => Some(0),
        Term::Check(_, inner, _) => change(slot, inner),
        Term::Binary(Binary::Add, left, right) => match (&**left, &**right) {
            (Term::Slot(read), Term::Const(by)) | (Term::Const(by), Term::Slot(read))
                if *read == slot =>
            {
                Some(*by)
            }
            _ => None,
        },
        Term::Binary(Binary::Sub, left, right) => match (&**left, &**right) {
            (Term::Slot(read), Term::Const(by)) if *read == slot => by.checked_neg(),
            _ => None,
        },
        _ => None,
    }
}

impl Condition {
    pub fn new(system: &System, term: &Term) -> Condition {
        let reads = term_reads(term);
        let slots: Vec<SlotId> = reads.iter().take(2).collect();
        let slot = match slots[..] {
            [slot] if is_plain(term) => Some(slot),
            _ => None,
        };
        let table = slot.and_then(|slot| table(term, slot, system.slots[slot.index()].range));
        Condition { term: term.clone(), table, slot, reads }
    }

    /// Whether the two never hold together, as far as one slot decides it.
    pub fn excludes(&self, other: &Condition) -> bool {
        if self.slot.is_some()
            && self.slot == other.slot
            && let (Some(a), Some(b)) = (&self.table, &other.table)
        {
            return a.bits.iter().zip(&b.bits).all(|(a, b)| a & b == 0);
        }
        let negates = |not: &Term, term: &Term| matches!(not, Term::Unary(Unary::Not, inner) if **inner == *term);
        negates(&self.term, &other.term) || negates(&other.term, &self.term)
    }

    /// Whether it holds where its only slot has this value.
    fn truth_at(&self, slot: SlotId, value: i64) -> Option<bool> {
        let known = self.table.as_ref().and_then(|table| {
            let place = usize::try_from(value.checked_sub(table.lo)?).ok()?;
            table.truth.get(place).copied()
        });
        known.or_else(|| truth_of(&self.term, slot, value))
    }

    /// Whether a write to one of the slots it reads may give it this truth.
    pub fn may_become(&self, truth: bool, slot: SlotId, writing: &Writing) -> bool {
        if self.slot != Some(slot) || writing.any {
            return true;
        }
        let by_value = |value: &i64| match self.truth_at(slot, *value) {
            Some(becomes) => becomes == truth,
            None => true,
        };
        if writing.values.iter().any(by_value) {
            return true;
        }
        match &self.table {
            Some(table) => {
                writing.up && Table::may_become(truth, table.truth.iter())
                    || writing.down && Table::may_become(truth, table.truth.iter().rev())
            }
            None => writing.up || writing.down,
        }
    }
}

impl Table {
    /// Whether the condition has the truth `truth` behind a value where it has
    /// the other, in this order of the values.
    fn may_become<'a>(truth: bool, order: impl Iterator<Item = &'a bool>) -> bool {
        let mut other = false;
        for here in order {
            if *here == truth && other {
                return true;
            }
            other |= *here != truth;
        }
        false
    }
}

/// Whether it reads slots only by name, and cannot fail.
fn is_plain(term: &Term) -> bool {
    let mut plain = true;
    term.walk(&mut |term| {
        plain &= !matches!(
            term,
            Term::Temp(_) | Term::Element { .. } | Term::Check(..) | Term::NonZero(..)
        );
    });
    plain
}

fn truth_of(term: &Term, slot: SlotId, value: i64) -> Option<bool> {
    let at = term.clone().rewrite(&mut |inner| match inner {
        Term::Slot(read) if read == slot => Term::Const(value),
        other => other,
    });
    evaluate(&at, &[], &[]).map(|value| value != 0)
}

fn table(term: &Term, slot: SlotId, range: Interval) -> Option<Table> {
    if range.size() > MOST_VALUES {
        return None;
    }
    let truth = (range.lo..=range.hi).map(|value| truth_of(term, slot, value));
    let truth = truth.collect::<Option<Vec<bool>>>()?;
    let word =
        |values: &[bool]| values.iter().rev().fold(0, |word, holds| word << 1 | u64::from(*holds));
    let bits = truth.chunks(64).map(word).collect();
    Some(Table { lo: range.lo, truth, bits })
}
