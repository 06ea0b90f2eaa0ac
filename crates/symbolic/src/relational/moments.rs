//! Images and preimages of sets of moments.
//!
//! ```text
//! post(set) = the moments of the states x' with  exists x, k, p:
//!               set(x, k) and admitted(x, k, p) and step(x, k, p) and x' = next(x, k, p)
//! pre(set)  = the moments (x, k) with  exists p, x':
//!               admitted(x, k, p) and step(x, k, p) and x' = next(x, k, p)
//!               and (exists k': set(x', k'))
//! ```
//! `x` are latches, `k` the inputs that are kept, `p` those that are not.

use std::collections::BTreeSet;

use super::Machine;
use super::schedule::Schedule;
use crate::diagram::{Diagrams, Made, Set};

/// A graph of moments: those of a relation, or of its product with an automaton.
pub struct Moments<'m> {
    machine: &'m Machine<'m>,
    /// The levels of the bits of states.
    pub(super) latches: BTreeSet<u32>,
    /// The levels of the inputs that are kept.
    pub(super) kept: BTreeSet<u32>,
    /// The same as a cube.
    inputs: Set,
    space: Set,
    initial: Set,
    forward: Schedule,
    backward: Schedule,
    /// Everything that holds of two consecutive moments.
    pub(super) parts: Vec<Set>,
}

impl<'m> Moments<'m> {
    /// The moments of a relation.
    pub fn new(machine: &'m Machine) -> Made<Moments<'m>> {
        let (d, passing) = (&machine.d, &machine.passing);
        let everything = d.constant(true);
        let admitted = Schedule::new(d, &machine.admitted, passing, passing)?;
        let space = admitted.product(d, &everything)?;
        let gone = machine.passing.union(&machine.idle).copied().collect();
        let both = [&machine.initial[..], &machine.admitted].concat();
        let initial = Schedule::new(d, &both, &gone, &gone)?.product(d, &everything)?;
        let latches = machine.latches.iter().map(|(_, level)| *level).collect();
        let reads_passing = |part: &&Set| !d.support(part).is_disjoint(passing);
        let admitted = machine.admitted.iter().filter(reads_passing);
        let parts = machine.next.iter().chain(&machine.step).chain(admitted).cloned().collect();
        Moments::of(machine, latches, machine.kept.clone(), (space, initial), parts)
    }

    /// With these latches, kept inputs, moments and first moments, and relations.
    pub(super) fn of(
        machine: &'m Machine,
        latches: BTreeSet<u32>,
        kept: BTreeSet<u32>,
        (space, initial): (Set, Set),
        parts: Vec<Set>,
    ) -> Made<Moments<'m>> {
        let (d, passing) = (&machine.d, &machine.passing);
        let now: BTreeSet<u32> =
            [&latches, &kept, passing].into_iter().flatten().copied().collect();
        let next = latches.iter().map(|level| level + 1);
        let then: BTreeSet<u32> = next.chain(passing.iter().copied()).collect();
        Ok(Moments {
            machine,
            inputs: d.cube(&kept.iter().copied().collect::<Vec<_>>())?,
            forward: Schedule::new(d, &parts, &now, passing)?,
            backward: Schedule::new(d, &parts, &then, passing)?,
            latches,
            kept,
            space,
            initial,
            parts,
        })
    }

    /// The relation in bits.
    pub fn machine(&self) -> &'m Machine<'m> {
        self.machine
    }

    /// The diagrams.
    pub fn diagrams(&self) -> &'m Diagrams {
        &self.machine.d
    }

    /// All moments that constraints allow.
    pub fn space(&self) -> &Set {
        &self.space
    }

    /// Those that runs may begin with.
    pub fn initial(&self) -> &Set {
        &self.initial
    }

    /// With no moments but some, which nothing leaves: those that can be reached.
    pub fn confined(mut self, to: &Set) -> Made<Moments<'m>> {
        self.space = self.diagrams().and(&self.space, to)?;
        Ok(self)
    }

    /// The moments of states from which no step leads on.
    pub fn ending(&self) -> Made<Set> {
        let d = self.diagrams();
        let going_on = self.states(&self.pre(&self.space)?)?;
        d.minus(&self.space, &going_on)
    }

    /// How many relations a product is made of.
    pub fn relations(&self) -> usize {
        self.forward.len()
    }

    /// How many states moments belong to, as far as bits matter.
    pub fn count(&self, set: &Set) -> Made<u128> {
        let levels: Vec<u32> = self.latches.iter().copied().collect();
        Ok(self.diagrams().count(&self.states(set)?, &levels))
    }

    /// The values that latches have in some moments.
    pub(super) fn states(&self, set: &Set) -> Made<Set> {
        self.diagrams().exists(set, &self.inputs)
    }

    /// The states after some moments, whether constraints allow them or not.
    pub(super) fn image(&self, set: &Set) -> Made<Set> {
        let d = self.diagrams();
        d.moved(&self.forward.product(d, set)?, false)
    }

    /// The moments after some moments.
    pub fn post(&self, set: &Set) -> Made<Set> {
        self.diagrams().and(&self.image(set)?, &self.space)
    }

    /// The moments before some moments.
    pub fn pre(&self, set: &Set) -> Made<Set> {
        let d = self.diagrams();
        let later = d.moved(&self.states(set)?, true)?;
        d.and(&self.backward.product(d, &later)?, &self.space)
    }

    /// Where a condition that was asked for is false, by its number, with all inputs.
    pub fn violation(&self, asked: usize) -> Set {
        self.diagrams().not(&self.machine.asked[asked].holds)
    }

    /// The moments in which it may be false.
    pub fn violating(&self, asked: usize) -> Made<Set> {
        let (d, machine) = (self.diagrams(), self.machine);
        let one = &machine.asked[asked];
        let mut parts = machine.admitted.clone();
        parts.extend([d.not(&one.holds), d.not(&one.fails)]);
        let product = Schedule::new(d, &parts, &machine.passing, &machine.passing)?;
        product.product(d, &d.constant(true))
    }

    /// `E [within U to]`: the moments from which a run leads through the first to the second.
    pub fn until(&self, within: &Set, to: &Set) -> Made<Set> {
        let d = self.diagrams();
        let mut reached = to.clone();
        let mut new = to.clone();
        while !new.is_empty() {
            let before = d.and(&self.pre(&new)?, within)?;
            new = d.minus(&before, &reached)?;
            reached = d.or(&reached, &new)?;
        }
        Ok(reached)
    }

    /// Those moments among some from which a run leads to others among them for ever.
    pub fn endless(&self, within: &Set) -> Made<Set> {
        let d = self.diagrams();
        let mut left = within.clone();
        loop {
            let fewer = d.and(&left, &self.pre(&left)?)?;
            if fewer == left {
                return Ok(left);
            }
            left = fewer;
        }
    }
}
