//! Reset of dead variables: where a component's own variable cannot be read
//! before it is written again, its value cannot matter, so it is set to its
//! initial value. States that differ only there become one.
//!
//! ```text
//! live(l) = ∪ over parts from l to m: reads ∪ (live(m) \ surely written)
//! ```
//! A variable is a component's own if no other component's part, no invariant and
//! no condition uses it, and it is no component's location. Liveness is the classical backward analysis over the
//! component's locations (Bozga, Fernandez, Ghirvu, "State Space Reduction
//! Based on Live Variables Analysis", SAS 1999).

use std::collections::BTreeMap;

use crate::footprint::{Footprint, Footprints, SlotSet, term_reads};
use crate::system::{Command, ComponentId, SlotId, System, Term};

/// Adds the resets.
pub(super) fn reset_dead(system: &mut System) {
    let footprints = Footprints::of(system);
    let users = footprints.exclusive_user(system);
    let mut watched = SlotSet::default();
    for condition in &system.conditions {
        watched.extend(&term_reads(&condition.term));
    }
    if let Some(timing) = &system.timing {
        watched.extend(&timing.time_reads(system));
        watched.extend(&timing.reads(system, timing.condition_constraints()));
        let cases = timing.conditions.iter().flat_map(|condition| &condition.cases);
        cases.for_each(|case| {
            watched.extend(&term_reads(&case.term));
        });
        watched.extend(&timing.pending_slots().map(|(slot, _)| slot).collect());
    }
    // Where a component is decides about deadlocks, even where only one other cares.
    watched.extend(&system.components.iter().map(|component| component.location).collect());
    let mut own = vec![SlotSet::default(); system.components.len()];
    for (slot, user) in users.iter().enumerate().take(system.slots.len()) {
        let slot = SlotId(slot as u32);
        if let Some(component) = user.filter(|_| !watched.contains(slot)) {
            own[component.index()].insert(slot);
        }
    }
    let ways = ways(system);
    for (component, own) in own.iter().enumerate() {
        reset_in(system, ComponentId(component as u32), &ways[component], own, &footprints);
    }
}

/// A part that brings a component from a location to others.
struct Way {
    part: usize,
    from: i64,
    targets: Vec<i64>,
}

/// The ways of every component, those by which others start it among them: what it
/// reads then is live while it is absent.
fn ways(system: &System) -> Vec<Vec<Way>> {
    let locations = system.components.iter().enumerate();
    let places: BTreeMap<SlotId, usize> = locations.map(|(at, c)| (c.location, at)).collect();
    let mut ways: Vec<Vec<Way>> = system.components.iter().map(|_| Vec::new()).collect();
    for (part, of) in system.parts.iter().enumerate() {
        let own = of.component.index();
        let mut targets: BTreeMap<usize, Vec<i64>> = BTreeMap::from([(own, Vec::new())]);
        for command in of.commands() {
            command.walk(&mut |command| {
                if let Command::Set(slot, Term::Const(target)) = command
                    && let Some(component) = places.get(slot)
                {
                    targets.entry(*component).or_default().push(*target);
                }
            });
        }
        for (component, targets) in targets {
            let from = match component == own {
                true => Some(of.from),
                false => system.components[component].absent,
            };
            ways[component].extend(from.map(|from| Way { part, from, targets }));
        }
    }
    ways
}

fn reset_in(
    system: &mut System,
    component: ComponentId,
    ways: &[Way],
    own: &SlotSet,
    all: &Footprints,
) {
    let locations = system.component(component).committed.len();
    let live = liveness(ways, &all.parts, own, locations);
    for Way { part, from, targets } in ways {
        if system.parts[*part].component != component {
            continue;
        }
        let mut stale = live[*from as usize].clone();
        stale.extend(&all.parts[*part].may_write.intersect(own));
        stale.subtract(&live_at(targets, &live));
        let resets = stale
            .iter()
            .map(|slot| Command::Set(slot, Term::Const(system.slots[slot.index()].initial)));
        let resets: Vec<Command> = resets.collect();
        system.parts[*part].cleanup.extend(resets);
    }
}

/// What is live behind a part: with several targets, what is live at any of them.
fn live_at(targets: &[i64], live: &[SlotSet]) -> SlotSet {
    let mut found = SlotSet::default();
    targets.iter().for_each(|target| {
        found.extend(&live[*target as usize]);
    });
    found
}

/// Backwards: only the ways to a location are looked at again when more is found to be
/// live there.
fn liveness(
    ways: &[Way],
    footprints: &[Footprint],
    own: &SlotSet,
    locations: usize,
) -> Vec<SlotSet> {
    let mut live = vec![SlotSet::default(); locations];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); locations];
    for (at, way) in ways.iter().enumerate() {
        way.targets.iter().for_each(|target| into[*target as usize].push(at));
    }
    let mut work: Vec<usize> = (0..ways.len()).collect();
    let mut waiting = vec![true; ways.len()];
    while let Some(at) = work.pop() {
        homing_budget::checkpoint();
        waiting[at] = false;
        let Way { part, from, targets } = &ways[at];
        let mut needed = live_at(targets, &live);
        needed.subtract(&footprints[*part].must_write);
        needed.extend(&footprints[*part].reads().intersect(own));
        if live[*from as usize].extend(&needed) {
            let again = into[*from as usize].iter().copied();
            work.extend(again.filter(|at| !std::mem::replace(&mut waiting[*at], true)));
        }
    }
    live
}
