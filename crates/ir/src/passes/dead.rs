//! Reset of dead variables: where a component's own variable cannot be read
//! before it is written again, its value cannot matter, so it is set to its
//! initial value. States that differ only there become one.
//!
//! ```text
//! live(l) = ∪ over parts from l to m: reads ∪ (live(m) \ surely written)
//! ```
//! A variable is a component's own if no other component's part, no invariant and
//! no condition uses it. Liveness is the classical backward analysis over the
//! component's locations (Bozga, Fernandez, Ghirvu, "State Space Reduction
//! Based on Live Variables Analysis", SAS 1999).

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
    for index in 0..system.components.len() {
        let component = ComponentId(index as u32);
        let location = system.components[index].location;
        let own = (0..system.slots.len() as u32).map(SlotId).filter(|slot| {
            users[slot.index()] == Some(component) && !watched.contains(*slot) && *slot != location
        });
        let own: SlotSet = own.collect();
        reset_in(system, component, &own, &footprints);
    }
}

fn reset_in(system: &mut System, component: ComponentId, own: &SlotSet, all: &Footprints) {
    let location = system.component(component).location;
    let locations = system.component(component).committed.len();
    let moves: Vec<(usize, i64, Vec<i64>)> = system
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.component == component)
        .map(|(index, part)| (index, part.from, part.targets(location)))
        .collect();
    let mut ways = moves.clone();
    if let Some(absent) = system.component(component).absent {
        // Other components start it: what it reads then is live while it is absent.
        let others = system.parts.iter().enumerate();
        ways.extend(
            others
                .filter(|(_, part)| part.component != component)
                .map(|(index, part)| (index, absent, part.targets(location)))
                .filter(|(_, _, targets)| !targets.is_empty()),
        );
    }
    let live = liveness(&ways, &all.parts, own, locations);
    for (index, from, to) in moves {
        // A part with several targets keeps what is live at any of them.
        let mut live_after = SlotSet::default();
        to.iter().for_each(|target| {
            live_after.extend(&live[*target as usize]);
        });
        let mut stale = live[from as usize].clone();
        stale.extend(&all.parts[index].may_write.intersect(own));
        stale.subtract(&live_after);
        let resets = stale
            .iter()
            .map(|slot| Command::Set(slot, Term::Const(system.slots[slot.index()].initial)));
        let resets: Vec<Command> = resets.collect();
        system.parts[index].cleanup.extend(resets);
    }
}

fn liveness(
    moves: &[(usize, i64, Vec<i64>)],
    footprints: &[Footprint],
    own: &SlotSet,
    locations: usize,
) -> Vec<SlotSet> {
    let mut live = vec![SlotSet::default(); locations];
    loop {
        let mut grew = false;
        for (index, from, to) in moves {
            homing_budget::checkpoint();
            let footprint = &footprints[*index];
            let mut needed = SlotSet::default();
            to.iter().for_each(|target| {
                needed.extend(&live[*target as usize]);
            });
            needed.subtract(&footprint.must_write);
            needed.extend(&footprint.reads().intersect(own));
            grew |= live[*from as usize].extend(&needed);
        }
        if !grew {
            return live;
        }
    }
}
