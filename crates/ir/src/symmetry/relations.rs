//! Whether exchanges of neighbours generate all permutations, and nothing else.
//!
//! They do if they satisfy Moore's relations. A permutation of states moves slots
//! and renames values, so the relations are checked on pairs of a slot and a
//! value: all slots that are moved or renamed, all values that are names, and one
//! that is none.

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
    let act = |exchange: &Exchange, (slot, value): Point| {
        (exchange.slot(slot), exchange.value(sorts.of_slot(slot), value))
    };
    let mut numbered = exchanges.iter().enumerate();
    numbered.all(|(index, other)| {
        let (a, b) = (|point| act(other, point), |point| act(next, point));
        let neighbours = index + 1 == exchanges.len();
        points(system, sorts, &[other, next]).into_iter().all(|point| match neighbours {
            true => a(b(a(point))) == b(a(b(point))),
            false => a(b(point)) == b(a(point)),
        })
    }) && points(system, sorts, &[next])
        .into_iter()
        .all(|point| act(next, act(next, point)) == point)
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
