//! Whether exchanges of neighbours generate all permutations, and nothing else.
//!
//! They do if they satisfy Moore's relations. A permutation of states moves slots
//! and clocks and renames values, so the relations are checked on pairs of a slot and a
//! value: all slots that are moved or renamed, all values that are names, and one
//! that is none; and on clocks.

use std::collections::BTreeSet;

use super::Exchange;
use super::sorts::Sorts;
use crate::system::{SlotId, System};

type Point = (SlotId, i64);

/// Whether `next` goes with the exchanges of a group, the last of which has a
/// member in common with it.
pub(super) fn hold(
    system: &System,
    sorts: &Sorts,
    exchanges: &[Exchange],
    next: &Exchange,
) -> bool {
    let mut numbered = exchanges.iter().enumerate();
    numbered.all(|(index, other)| match index + 1 == exchanges.len() {
        true => are_neighbours(system, sorts, other, next),
        false => commute(system, sorts, other, next),
    }) && points(system, sorts, &[next])
        .into_iter()
        .all(|point| act(sorts, next, act(sorts, next, point)) == point)
}

/// Whether it does not matter which of two exchanges comes first.
pub(super) fn commute(system: &System, sorts: &Sorts, one: &Exchange, other: &Exchange) -> bool {
    let (a, b) = (|x| act(sorts, one, x), |x| act(sorts, other, x));
    let (c, d) = (|clock| one.clock(clock), |clock| other.clock(clock));
    points(system, sorts, &[one, other]).into_iter().all(|x| a(b(x)) == b(a(x)))
        && clocks(system).all(|x| c(d(x)) == d(c(x)))
}

/// Whether two exchanges are related as those of neighbours are.
fn are_neighbours(system: &System, sorts: &Sorts, one: &Exchange, other: &Exchange) -> bool {
    let (a, b) = (|x| act(sorts, one, x), |x| act(sorts, other, x));
    let (c, d) = (|clock| one.clock(clock), |clock| other.clock(clock));
    points(system, sorts, &[one, other]).into_iter().all(|x| a(b(a(x))) == b(a(b(x))))
        && clocks(system).all(|x| c(d(c(x))) == d(c(d(x))))
}

fn act(sorts: &Sorts, exchange: &Exchange, (slot, value): Point) -> Point {
    (exchange.slot(slot), exchange.value(sorts.of_slot(slot), value))
}

fn clocks(system: &System) -> std::ops::RangeInclusive<u32> {
    1..=system.timing.as_ref().map_or(0, |timing| timing.clocks.len() as u32)
}

/// What some exchange moves or renames.
fn points(system: &System, sorts: &Sorts, exchanges: &[&Exchange]) -> BTreeSet<Point> {
    let mut values: BTreeSet<i64> = BTreeSet::new();
    for exchange in exchanges {
        values.extend(exchange.names.values().flat_map(|(a, b)| [*a, *b]));
    }
    let free = values.last().map_or(0, |last| last + 1);
    let slots = (0..system.slots.len() as u32).map(SlotId);
    let touched = slots.filter(|slot| {
        let sort = sorts.of_slot(*slot);
        exchanges.iter().any(|exchange| {
            exchange.slot(*slot) != *slot
                || sort.is_some_and(|sort| exchange.names.contains_key(&sort))
        })
    });
    touched.flat_map(|slot| values.iter().copied().chain([free]).map(move |v| (slot, v))).collect()
}
