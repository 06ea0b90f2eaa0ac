//! Slicing: drops what cannot influence the conditions (the cone of
//! influence, over slots and components).
//!
//! ```text
//! relevant := slots the conditions read
//! repeat: a component that may write a relevant slot, that may have to move
//!         with a relevant component, or that may commit, is relevant (all
//!         are, where a part waits for all others): with it
//!         its location, all its guards and messages, whatever may fail in its
//!         effects, and what it assigns to relevant slots
//! until nothing grows
//! ```
//! Components that are not relevant lose their parts; they can neither enable
//! nor block the others. Relevant components lose the assignments to slots
//! that are not relevant. A run of the slice is a run of the whole.
//!
//! Where time passes, a component can hinder the others by stopping time: one
//! with an invariant, an urgent location or a step on an urgent channel is
//! relevant, and so is whoever resets a clock that something relevant bounds.
//! All others may rest where they are for as long as it takes. Where a condition
//! asks for deadlocks, or steps have priorities, all are relevant.

use std::ops::Range;

use super::constants::drop_parts;
use crate::footprint::{Footprints, SlotSet, term_reads};
use crate::system::{Command, Component, Part, SlotId, System};

/// Slices the system for its conditions.
pub(super) fn slice(system: &mut System) {
    let cone = Cone::of(system, &Footprints::of(system), 0..system.conditions.len());
    for part in &mut system.parts {
        for block in [&mut part.stores, &mut part.effect, &mut part.cleanup] {
            *block = keep(std::mem::take(block), &cone.slots);
        }
    }
    let dropped: Vec<bool> =
        system.parts.iter().map(|part| !cone.components[part.component.index()]).collect();
    drop_parts(system, &dropped);
}

/// How much of every part is left for a condition: nothing, or so many of its commands.
pub type Kept = Vec<Option<usize>>;

/// What slicing would leave for each condition by itself. Those for which as much is left may
/// share a search.
pub fn kept(system: &System) -> Vec<Kept> {
    let _phase = homing_budget::phase("simplifying the model");
    let footprints = Footprints::of(system);
    let cones = (0..system.conditions.len()).map(|one| Cone::of(system, &footprints, one..one + 1));
    cones.map(|cone| system.parts.iter().map(|part| cone.keeps(part)).collect()).collect()
}

struct Cone {
    slots: SlotSet,
    components: Vec<bool>,
}

impl Cone {
    /// What can influence some conditions.
    fn of(system: &System, footprints: &Footprints, conditions: Range<usize>) -> Cone {
        let mut cone = Cone::seed(system, conditions);
        while cone.grow(system, footprints) {}
        cone
    }

    fn keeps(&self, part: &Part) -> Option<usize> {
        let commands = part.commands().filter(|command| stays(command, &self.slots)).count();
        self.components[part.component.index()].then_some(commands)
    }

    fn seed(system: &System, conditions: Range<usize>) -> Cone {
        let mut slots = SlotSet::default();
        for condition in &system.conditions[conditions.clone()] {
            slots.extend(&term_reads(&condition.term));
        }
        // What waits for all others is influenced by all of them.
        let mut all = system.has_timeout_parts();
        if let Some(timing) = &system.timing {
            all |= !timing.priorities.is_empty();
            slots.extend(&timing.time_reads(system));
            for case in timing.conditions[conditions].iter().flat_map(|one| &one.cases) {
                all |= case.deadlock.is_some();
                slots.extend(&term_reads(&case.term));
                slots.extend(&timing.reads(system, &case.clocks));
            }
            // Which clock another is a copy of is known at run time only.
            let assigned = timing.pending_slots();
            assigned.for_each(|(slot, clock)| {
                slots.insert(slot);
                slots.insert(system.clock_variable(clock));
            });
        }
        let relevant = |c: &Component| all || c.committed.contains(&true);
        let components = system.components.iter().map(relevant).collect();
        Cone { slots, components }
    }

    fn grow(&mut self, system: &System, footprints: &Footprints) -> bool {
        let mut grew = false;
        for (part, footprint) in system.parts.iter().zip(&footprints.parts) {
            homing_budget::checkpoint();
            if footprint.may_write.meets(&self.slots) {
                grew |= !std::mem::replace(&mut self.components[part.component.index()], true);
            }
        }
        for (index, part) in system.parts.iter().enumerate() {
            homing_budget::checkpoint();
            if !self.components[part.component.index()] {
                continue;
            }
            for partner in &footprints.partners[index] {
                let partner = system.part(*partner).component;
                grew |= !std::mem::replace(&mut self.components[partner.index()], true);
            }
            grew |= self.slots.extend(&footprints.parts[index].source_reads);
            for command in part.commands() {
                grew |= self.needs(command);
            }
        }
        grew
    }

    /// Adds what a command needs, if it must stay.
    fn needs(&mut self, command: &Command) -> bool {
        if !stays(command, &self.slots) {
            return false;
        }
        let mut grew = false;
        command.terms().into_iter().for_each(|term| grew |= self.slots.extend(&term_reads(term)));
        match command {
            // What is written because it may fail is restored, too.
            Command::Set(slot, _) => grew |= self.slots.extend(&[*slot].into_iter().collect()),
            // Elements of an array are kept together.
            Command::SetElement { first, count, .. } => {
                grew |= self.slots.extend(&(first.0..first.0 + count).map(SlotId).collect());
            }
            Command::If(_, then, otherwise) => {
                then.iter().chain(otherwise).for_each(|command| grew |= self.needs(command));
            }
            Command::While(_, body, _) => {
                body.iter().for_each(|command| grew |= self.needs(command));
            }
            _ => {}
        }
        grew
    }
}

/// Whether a command writes a relevant slot, may fail, or holds one that does.
/// Temporaries always stay; they cost nothing.
fn stays(command: &Command, relevant: &SlotSet) -> bool {
    if command.terms().iter().any(|term| term.may_fail()) {
        return true;
    }
    match command {
        Command::Set(slot, _) => relevant.contains(*slot),
        Command::SetElement { first, count, .. } => {
            (first.0..first.0 + count).any(|slot| relevant.contains(SlotId(slot)))
        }
        Command::If(_, then, otherwise) => {
            then.iter().chain(otherwise).any(|command| stays(command, relevant))
        }
        Command::Let(..) | Command::While(..) | Command::Require(..) => true,
    }
}

fn keep(commands: Vec<Command>, relevant: &SlotSet) -> Vec<Command> {
    let mut kept = Vec::with_capacity(commands.len());
    for command in commands.into_iter().filter(|command| stays(command, relevant)) {
        kept.push(match command {
            Command::If(condition, then, otherwise) => {
                Command::If(condition, keep(then, relevant), keep(otherwise, relevant))
            }
            Command::While(condition, body, site) => {
                Command::While(condition, keep(body, relevant), site)
            }
            other => other,
        });
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flatten::{Wanted, flatten};
    use crate::network::{Expr, Network};
    use crate::random::{
        Knobs, TimedKnobs, config, networks_with_goals, timed_networks_with_goals,
    };

    /// What is left for each goal after slicing a system with no other.
    fn alone(network: &Network, goal: &Expr) -> Kept {
        let mut system = flatten(network, &[Wanted::goal(goal.clone())]).unwrap();
        let mut left = vec![None; system.parts.len()];
        let edges: Vec<_> = system.parts.iter().map(|part| (part.component, part.edge)).collect();
        slice(&mut system);
        let mut parts = system.parts.iter().peekable();
        for (left, edge) in left.iter_mut().zip(edges) {
            let same = parts.next_if(|part| (part.component, part.edge) == edge);
            *left = same.map(|part| part.commands().count());
        }
        assert!(parts.next().is_none());
        left
    }

    fn as_slicing_leaves_it(network: &Network, goals: &[Expr]) -> Result<(), TestCaseError> {
        let wanted: Vec<Wanted> = goals.iter().cloned().map(Wanted::goal).collect();
        let Ok(system) = flatten(network, &wanted) else { return Ok(()) };
        for (goal, kept) in goals.iter().zip(kept(&system)) {
            prop_assert_eq!(alone(network, goal), kept);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(config(300))]

        #[test]
        fn differential_kept((network, goals) in networks_with_goals(Knobs::everything(), 3)) {
            as_slicing_leaves_it(&network, &goals)?;
        }

        #[test]
        fn differential_kept_with_clocks(
            (network, goals) in timed_networks_with_goals(TimedKnobs::default(), 3)
        ) {
            as_slicing_leaves_it(&network, &goals)?;
        }
    }
}
