//! Runs that differ only in the order of independent steps.
//!
//! Mazurkiewicz, "Concurrent program schemes and their interpretations"
//! (1977): two runs are the same *trace* if one becomes the other by swapping
//! neighbours that are independent. Every trace has one Foata normal form
//! (Cartier, Foata, "Problèmes combinatoires de commutation et
//! réarrangements", 1969), a sequence of sets of pairwise independent steps:
//!
//! ```text
//! for every step, in the order of the run:
//!   put it into the set behind the last one with a step it depends on
//! ```
//! Two runs are the same trace if and only if these sequences are equal.
//!
//! Steps depend on each other if a process moves in both, or if one may write
//! what the other may read or write. Steps that do not, commute in every state:
//! neither enables or disables the other, and both orders lead to one state.
//! This is decided by the footprints of the parts, in no state in particular,
//! so some steps that always commute count as dependent.
//!
//! Where time passes, steps that have to do with it all depend on each other:
//! those that bound or reset a clock, that leave or enter a location with an
//! invariant, an urgent or a committed one, that meet on an urgent channel, or
//! that change what invariants and steps on urgent channels depend on. Of two
//! neighbours, one of which has nothing to do with time, that one can be taken at
//! the time of the other. Delays do not tell runs apart.

use std::collections::BTreeMap;

use crate::footprint::{Footprints, SlotSet, footprint};
use crate::network::{Atomic, EdgeRef};
use crate::system::{Command, PartId, System, Term};
use crate::trace::Step;

/// Which steps of a system are independent.
#[derive(Clone, Debug)]
pub struct Independence {
    edges: BTreeMap<EdgeRef, Reach>,
    /// In a synchronous system, all processes move in every step.
    synchronous: bool,
}

/// What an edge, or a step, may read and write.
#[derive(Clone, Debug, Default)]
struct Reach {
    reads: SlotSet,
    writes: SlotSet,
    /// Whether it may change who is at a committed location, which decides
    /// about the steps of all others, or waits for all others itself.
    commits: bool,
    /// Whether it has to do with time.
    timely: bool,
}

impl Reach {
    fn extend(&mut self, other: &Reach) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.commits |= other.commits;
        self.timely |= other.timely;
    }

    fn disturbs(&self, other: &Reach) -> bool {
        self.commits
            || self.timely && other.timely
            || self.writes.meets(&other.reads)
            || self.writes.meets(&other.writes)
    }
}

impl Independence {
    /// The independence of the steps of a system. It must be as flattening
    /// made it: passes drop assignments.
    pub fn of(system: &System) -> Independence {
        let mut edges: BTreeMap<EdgeRef, Reach> = BTreeMap::new();
        let time = system.timing.as_ref().map(|timing| timing.time_reads(system));
        for (index, part) in system.parts.iter().enumerate() {
            let mut reach = reach(system, PartId(index as u32));
            reach.timely = is_timely(system, PartId(index as u32), &reach, time.as_ref());
            edges.entry(part.edge).or_default().extend(&reach);
        }
        // How far a step goes while a process holds control depends on all that
        // it might do then, not just on what it does.
        let footprints = Footprints::of(system);
        for part in system.parts.iter().filter(|part| part.atomic != Atomic::No) {
            let known = edges.entry(part.edge).or_default();
            for (index, other) in system.parts.iter().enumerate() {
                if other.component == part.component {
                    known.reads.extend(&footprints.parts[index].source_reads);
                    known.reads.extend(&footprints.implicit[index]);
                }
            }
        }
        // Who receives a broadcast depends on all who may.
        for joint in &system.joints {
            let Some(leader) = joint.leader else { continue };
            let members = joint.members.iter().flat_map(|member| &member.parts);
            let known = edges.entry(system.part(leader).edge).or_default();
            for part in members {
                known.reads.extend(&footprint(system, *part).source_reads);
            }
        }
        Independence { edges, synchronous: system.synchronous }
    }

    /// Whether two steps surely commute wherever both can be taken.
    pub fn independent(&self, a: &Step, b: &Step) -> bool {
        let moved = |step: &Step, process| step.all().any(|edge| edge.process == process);
        if self.synchronous || a.all().any(|edge| moved(b, edge.process)) {
            return false;
        }
        let (a, b) = (self.reach(a), self.reach(b));
        !a.disturbs(&b) && !b.disturbs(&a)
    }

    fn reach(&self, step: &Step) -> Reach {
        let mut all = Reach::default();
        for edge in step.all() {
            match self.edges.get(edge) {
                Some(known) => all.extend(known),
                // Of an edge that is not of the system, nothing is known.
                None => all.commits = true,
            }
        }
        all
    }

    /// The Foata normal form of a run: equal for two runs if and only if they
    /// differ in the order of independent steps only.
    pub fn foata(&self, steps: &[Step]) -> Vec<Vec<Step>> {
        let timeless = |step: &Step| Step { delay: 0, ..step.clone() };
        let steps: Vec<Step> = steps.iter().map(timeless).collect();
        let mut numbers: BTreeMap<&Step, usize> = BTreeMap::new();
        let mut kinds: Vec<&Step> = Vec::new();
        for step in &steps {
            numbers.entry(step).or_insert_with(|| {
                kinds.push(step);
                kinds.len() - 1
            });
        }
        let depends: Vec<Vec<usize>> = (0..kinds.len())
            .map(|a| (0..kinds.len()).filter(|b| !self.independent(kinds[a], kinds[*b])).collect())
            .collect();
        // For every kind of step, the set its last one is in, counted from one.
        let mut last = vec![0; kinds.len()];
        let mut form: Vec<Vec<Step>> = Vec::new();
        for step in &steps {
            let kind = numbers[step];
            let before = depends[kind].iter().map(|other| last[*other]).max().unwrap_or(0);
            if form.len() == before {
                form.push(Vec::new());
            }
            form[before].push(step.clone());
            last[kind] = before + 1;
        }
        form.iter_mut().for_each(|set| set.sort());
        form
    }
}

/// Whether a part has to do with time.
fn is_timely(system: &System, id: PartId, reach: &Reach, time: Option<&SlotSet>) -> bool {
    let (Some(timing), Some(time)) = (&system.timing, time) else { return false };
    // Clocks are the variables behind the slots.
    let slots = system.slots.len();
    let clocks = |set: &SlotSet| set.iter().any(|variable| variable.index() >= slots);
    clocks(&reach.reads)
        || clocks(&reach.writes)
        || reach.writes.meets(time)
        || timing.is_urgent(system, id)
}

fn reach(system: &System, id: PartId) -> Reach {
    let part = system.part(id);
    let footprint = footprint(system, id);
    let component = system.component(part.component);
    let committed = |location: i64| {
        let known = usize::try_from(location).ok().and_then(|at| component.committed.get(at));
        known.copied().unwrap_or(false)
    };
    // A location is set to a number; whatever else sets one starts or ends a
    // process, and may do so within a block.
    let moves = |command: &Command| {
        matches!(command, Command::Set(slot, Term::Const(to))
            if *slot == component.location && committed(*to) != committed(part.from))
    };
    let locations = system.components.iter().map(|component| component.location);
    let mut others = locations.filter(|location| *location != component.location);
    let starts = others.any(|location| footprint.may_write.contains(location));
    let commits = system.has_commitment() && (starts || part.commands().any(moves));
    // A timeout transition depends on all others, whose absence it waits for.
    let commits = commits || part.timeout;
    Reach { reads: footprint.reads(), writes: footprint.may_write, commits, timely: false }
}
