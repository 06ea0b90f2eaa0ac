//! Range inference: the least intervals that hold every value a slot takes in
//! any run, as far as intervals can tell.
//!
//! ```text
//! ranges := initial values
//! repeat: for every part, assume its guard, run its effect on intervals,
//!         join what it assigns into ranges
//! until nothing grows
//! ```
//! Intervals that keep growing are widened to the next constant that occurs in
//! the model, and at last to the type (Cousot and Cousot, POPL 1977): a model of
//! thousands of constants must not be walked over thousands of times.

use super::flow::{self, Visitor, Writers};
use crate::interval::Env;
use crate::system::{Command, Interval, SlotId, System, Term};

/// Rounds before growing intervals are widened.
const PATIENCE: usize = 4;

/// Rounds before they are widened to their types.
const MOST_ROUNDS: usize = 32;

/// Narrows the range of every slot.
pub(super) fn narrow(system: &mut System) {
    let declared: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let mut ranges: Vec<Interval> =
        system.slots.iter().map(|slot| Interval::point(slot.initial)).collect();
    let (thresholds, writers) = (thresholds(system), Writers::of(system));
    for round in 0.. {
        let mut growth = Growth { ranges: ranges.clone(), declared: &declared };
        flow::walk(system, &ranges, &writers, &mut growth);
        if growth.ranges == ranges {
            break;
        }
        for ((range, grown), declared) in ranges.iter_mut().zip(growth.ranges).zip(&declared) {
            let next = match round {
                ..PATIENCE => grown,
                PATIENCE..MOST_ROUNDS => widen(*range, grown, &thresholds),
                _ => widen(*range, grown, &[]),
            };
            *range = next.meet(*declared).unwrap_or(grown);
        }
    }
    for (slot, range) in system.slots.iter_mut().zip(ranges) {
        slot.range = range;
    }
}

fn widen(old: Interval, grown: Interval, thresholds: &[i64]) -> Interval {
    let below = || thresholds.iter().rev().find(|t| **t <= grown.lo).copied().unwrap_or(i64::MIN);
    let above = || thresholds.iter().find(|t| **t >= grown.hi).copied().unwrap_or(i64::MAX);
    Interval {
        lo: if grown.lo < old.lo { below() } else { grown.lo },
        hi: if grown.hi > old.hi { above() } else { grown.hi },
    }
}

/// The constants of the model and their neighbours, in order.
fn thresholds(system: &System) -> Vec<i64> {
    let mut found = Vec::new();
    let mut note = |term: &Term| {
        term.walk(&mut |term| {
            if let Term::Const(value) = term {
                found.extend([value.saturating_sub(1), *value, value.saturating_add(1)]);
            }
        });
    };
    for part in &system.parts {
        part.source_terms().into_iter().for_each(&mut note);
        for command in part.commands() {
            command.walk(&mut |command: &Command| command.terms().into_iter().for_each(&mut note));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

struct Growth<'a> {
    ranges: Vec<Interval>,
    declared: &'a [Interval],
}

impl Visitor for Growth<'_> {
    fn term(&mut self, _: &mut Term, _: &Env) {}

    fn assign(&mut self, slot: SlotId, value: Interval) -> Interval {
        let declared = self.declared[slot.index()];
        let value = value.meet(declared).unwrap_or(declared);
        let range = &mut self.ranges[slot.index()];
        *range = range.hull(value);
        value
    }

    fn impossible(&mut self, _: usize) {}
}
