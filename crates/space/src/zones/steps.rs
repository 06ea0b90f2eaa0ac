//! What one step asks and does of clocks.
//!
//! A step is the parts that move, those that refrain, and the target. The
//! values from which it is possible:
//!
//! ```text
//! enabled := guards of the parts that move
//!            ∧ what the assignments lead into Inv(target)
//!            − guard of each part that refrains
//! ```
//! Only deadlocks and priorities ask for it; otherwise a step is taken forward
//! and what is empty is left out.

use homing_core::Word;
use homing_ir::system::PartId;

use crate::zones::ZoneSpace;
use crate::zones::constraints::Atom;
use crate::zones::dbm::{Bound, Dbm};
use crate::zones::federation::{Federation, Subtraction};

/// The memory that steps are computed in.
pub(crate) struct Scratch {
    /// By clock and for 0, what a step assigns it: base and offset.
    values: Vec<(u32, i32)>,
    /// The upper bounds of the invariants of a state.
    pub upper: Vec<(u32, Bound)>,
    /// By clock and for 0, whether it stands still.
    stands: Vec<bool>,
    other: Dbm,
    arriving: Dbm,
    guard: Dbm,
    work: Federation,
    subtraction: Subtraction,
}

impl Scratch {
    pub fn new(clocks: usize) -> Scratch {
        Scratch {
            values: vec![(0, 0); clocks + 1],
            upper: Vec::new(),
            stands: vec![false; clocks + 1],
            other: Dbm::zero(clocks),
            arriving: Dbm::zero(clocks),
            guard: Dbm::zero(clocks),
            work: Federation::new(),
            subtraction: Subtraction::new(clocks),
        }
    }

    /// Takes a zone away from a union of others.
    pub fn subtract(&mut self, zone: &Dbm, from: &mut Federation) {
        from.subtract(zone, &mut self.work, &mut self.subtraction);
    }
}

impl ZoneSpace<'_> {
    /// Keeps the values from which parts may move. Answers whether there are
    /// any.
    #[inline]
    pub(crate) fn guard(&self, parts: &[PartId], state: &[Word], zone: &mut Dbm) -> bool {
        let fields = &self.discrete.layout().fields;
        parts.iter().all(|part| self.guards.apply(part.index(), fields, state, zone))
    }

    /// Keeps the values from which a step that fails at `site` gets there.
    pub(crate) fn guard_of_site(&self, site: u32, state: &[Word], zone: &mut Dbm) -> bool {
        let fields = &self.discrete.layout().fields;
        let site = site as usize;
        site >= self.sites.len() || self.sites.apply(site, fields, state, zone)
    }

    /// Keeps the values that satisfy the invariants of `state`, and notes in
    /// `upper` those that end the passing of time. Answers whether there are
    /// any.
    #[inline]
    pub(crate) fn invariant(
        &self,
        state: &[Word],
        zone: &mut Dbm,
        upper: &mut Vec<(u32, Bound)>,
    ) -> bool {
        upper.clear();
        let fields = &self.discrete.layout().fields;
        self.bounded.iter().all(|(location, first)| {
            let number = first + location.get(state) as usize;
            self.invariants.each(number, fields, state, |Atom { left, right, bound }| {
                if right == 0 && left != 0 {
                    upper.push((left, bound));
                }
                zone.constrain(left as usize, right as usize, bound)
            })
        })
    }

    /// Lets the parts that move set clocks. Clears the slots of `target` that
    /// say so.
    #[inline]
    pub(crate) fn assign(
        &self,
        parts: &[PartId],
        target: &mut [Word],
        zone: &mut Dbm,
        scratch: &mut Scratch,
    ) {
        if self.pending.is_empty() {
            let resets = parts.iter().flat_map(|part| &self.resets[part.index()]);
            return resets.for_each(|(clock, value)| zone.reset(*clock as usize, *value));
        }
        self.assignment(parts, target, &mut scratch.values);
        for (_, base, offset) in &self.pending {
            base.set(target, 0);
            offset.set(target, 0);
        }
        scratch.other.assign(zone, &scratch.values);
        std::mem::swap(zone, &mut scratch.other);
    }

    /// What a step assigns to clocks, by clock and for 0.
    fn assignment(&self, parts: &[PartId], target: &[Word], values: &mut [(u32, i32)]) {
        for (clock, value) in values.iter_mut().enumerate() {
            *value = (clock as u32, 0);
        }
        for (clock, value) in parts.iter().flat_map(|part| &self.resets[part.index()]) {
            values[*clock as usize] = (0, *value);
        }
        for (clock, base, offset) in &self.pending {
            let base = base.get(target);
            if base != 0 {
                values[*clock] = (base as u32 - 1, self.set_to(offset.get(target)));
            }
        }
    }

    /// Whether no location of `state` forbids time to pass.
    #[inline]
    pub(crate) fn is_patient(&self, state: &[Word]) -> bool {
        !self.urgent.iter().any(|(location, urgent)| urgent[location.get(state) as usize])
    }

    /// Lets time pass within the upper bounds found by [`ZoneSpace::invariant`].
    #[inline]
    pub(crate) fn pass(zone: &mut Dbm, upper: &[(u32, Bound)]) {
        if upper.is_empty() { zone.up() } else { zone.up_within(upper) }
    }

    /// Enters `state`: invariants, and time where it may pass. Answers whether
    /// any values are left.
    #[inline]
    pub(crate) fn enter(
        &self,
        state: &[Word],
        waits: impl FnOnce() -> bool,
        zone: &mut Dbm,
        scratch: &mut Scratch,
    ) -> bool {
        if !self.invariant(state, zone, &mut scratch.upper) {
            return false;
        }
        if waits() {
            match self.stopping.is_empty() {
                true => Self::pass(zone, &scratch.upper),
                false => self.pass_stopping(state, zone, scratch),
            }
        }
        true
    }

    /// Lets time pass where some clocks may stand still. The invariants hold before,
    /// and what they say of differences may not hold behind.
    fn pass_stopping(&self, state: &[Word], zone: &mut Dbm, scratch: &mut Scratch) {
        let fields = &self.discrete.layout().fields;
        let Scratch { stands, upper, .. } = scratch;
        stands.fill(false);
        stands[0] = true;
        for (location, first) in &self.stopping {
            let number = first + location.get(state) as usize;
            self.stopped.each(number, fields, state, |atom| {
                stands[atom.left as usize] = true;
                true
            });
        }
        if !stands[1..].contains(&true) {
            return Self::pass(zone, upper);
        }
        zone.up_running(stands);
        self.invariant(state, zone, upper);
    }

    /// Puts the values within `zone` from which a step is possible into `out`.
    pub(crate) fn enabled(
        &self,
        (moving, refraining): (&[PartId], &[PartId]),
        (state, target): (&[Word], &[Word]),
        zone: &Dbm,
        out: &mut Federation,
        scratch: &mut Scratch,
    ) {
        let Scratch { values, upper, other: step, arriving, .. } = scratch;
        out.clear();
        self.assignment(moving, target, values);
        arriving.make_universe();
        if self.invariant(target, arriving, upper)
            && step.unassign(arriving, values)
            && step.intersect(zone)
            && self.guard(moving, state, step)
        {
            out.push(step);
            self.refrain(refraining, state, out, scratch);
        }
    }

    /// Takes away the values from which parts may move.
    pub(crate) fn refrain(
        &self,
        refraining: &[PartId],
        state: &[Word],
        out: &mut Federation,
        scratch: &mut Scratch,
    ) {
        let Scratch { guard, work, subtraction, .. } = scratch;
        for part in refraining {
            guard.make_universe();
            if self.guard(std::slice::from_ref(part), state, guard) {
                out.subtract(guard, work, subtraction);
            }
        }
    }
}
