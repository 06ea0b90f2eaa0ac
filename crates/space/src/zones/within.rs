//! The zone space cut down to a condition, for runs that never leave it.
//!
//! `E[] ψ` asks for a maximal run on which ψ holds in every state. ψ must be a
//! conjunction of bounds on clocks in every discrete state; then it is one more
//! invariant, and the zones are those of [`crate::zones`] with
//!
//! ```text
//! Inv(s) ∧ ψ(s)   in place of   Inv(s)
//! ```
//! but for the end of a run: what ψ forbids, a run of the model may well do. In
//! this space [`Batch::deadlock`] says that a run may end in a state, or rest:
//!
//! ```text
//! rests(s, Z):
//!   time passes in s, and Inv(s) ∧ ψ(s) has no upper bounds:    yes, for ever
//!   stuck := Z − ∪ over all steps of the model of (enabled within Inv(s))↓
//!                             steps that leave ψ are steps: not stuck
//!   if time passes in s:
//!     for each upper bound b of ψ(s):  stuck := stuck − (Inv(s) ∧ ¬b)↓
//!                             waiting leads out of ψ, and must go on
//!   stuck is not empty
//! ```
//! Only upper bounds end by waiting: lower ones come true, and differences of
//! clocks stay as they are.
//!
//! Zones are extrapolated by maximal constants, and compared by inclusion: what only
//! simulates may have fewer or more runs that end. See
//! `homing_search::persistence` for why a zone that comes back proves a run.

use std::sync::atomic::{AtomicBool, Ordering};

use homing_core::{Batch, Cover, Expander, Space, Word};

use crate::compiled::CompiledExpander;
use crate::zones::constraints::Atom;
use crate::zones::dbm::{Bound, Dbm, negation};
use crate::zones::expander::{ZoneExpander, is_possible};
use crate::zones::steps::Scratch;
use crate::zones::{Extrapolation, MOST_COMBINATIONS, Subsumption, ZoneOptions, ZoneSpace};

/// A zone space without what lies outside a condition.
pub struct WithinSpace<'a> {
    zones: &'a ZoneSpace<'a>,
    /// None where nothing lies outside.
    condition: Option<usize>,
    refused: AtomicBool,
}

impl<'a> WithinSpace<'a> {
    /// How the zones around it must be made.
    pub const OPTIONS: ZoneOptions = ZoneOptions {
        extrapolation: Extrapolation::MPlus,
        local: true,
        subsumption: Subsumption::Inclusion,
        deadlocks: false,
        compare_local: true,
        elapsed: true,
        most_combinations: MOST_COMBINATIONS,
    };

    /// What of `zones` lies within a condition of its system, by number. Fails
    /// where the condition asks for deadlocks, or zones are made in a way that
    /// does not fit.
    pub fn new(zones: &'a ZoneSpace<'a>, condition: usize) -> Result<WithinSpace<'a>, String> {
        without_deadlocks(zones, condition)?;
        Ok(WithinSpace { condition: Some(condition), ..WithinSpace::everywhere(zones)? })
    }

    /// All of `zones`, with where a run may end or rest. Fails where zones are made in a
    /// way that does not fit.
    pub fn everywhere(zones: &'a ZoneSpace<'a>) -> Result<WithinSpace<'a>, String> {
        let ZoneOptions { extrapolation, subsumption, .. } = zones.options;
        if extrapolation.tells_bounds_apart() || subsumption != Subsumption::Inclusion {
            return Err("runs that never leave a condition need zones extrapolated by maximal \
                 constants and compared by inclusion"
                .into());
        }
        if zones.has_stopwatches() {
            return Err("clocks stop in this model: a run that goes on for ever among zones need \
                 not be one of the model"
                .into());
        }
        Ok(WithinSpace { zones, condition: None, refused: AtomicBool::new(false) })
    }

    /// Why what was found is not all there is, if it is not.
    pub fn refused(&self) -> Option<&'static str> {
        self.refused.load(Ordering::Relaxed).then_some(
            "what must hold for ever is a choice among bounds of clocks; only a conjunction can \
             be decided",
        )
    }

    /// What starts runs that a condition, by number, holds at the start of. It
    /// may not ask for deadlocks.
    pub fn starts(&self, condition: usize) -> Result<Starts<'_>, String> {
        without_deadlocks(self.zones, condition)?;
        let point = Dbm::zero(self.zones.timing.clocks.len());
        Ok(Starts { expander: self.zone_expander(), condition, point })
    }

    fn zone_expander(&self) -> ZoneExpander<'_> {
        let mut expander = ZoneExpander::new(self.zones);
        expander.arrival.keeper = Some(Keeper::new(self));
        expander
    }
}

fn without_deadlocks(zones: &ZoneSpace, condition: usize) -> Result<(), String> {
    let cases = &zones.timing.conditions[condition].cases;
    match cases.iter().any(|case| case.deadlock.is_some()) {
        true => Err("`deadlock` can be asked for of states, not of runs: not in `E[]`, `A<>` \
             and `-->`"
            .into()),
        false => Ok(()),
    }
}

impl Space for WithinSpace<'_> {
    fn width(&self) -> usize {
        self.zones.width()
    }

    fn inside(&self) -> Option<&dyn Space> {
        Some(self.zones)
    }

    fn cover(&self) -> Option<&dyn Cover> {
        self.zones.cover()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(WithinExpander { zones: self.zone_expander() })
    }
}

/// The states of a cut-down space that lie in states of the whole one.
pub struct Starts<'a> {
    expander: ZoneExpander<'a>,
    condition: usize,
    /// The zone before time passes, in memory of its own.
    point: Dbm,
}

impl Starts<'_> {
    /// Adds what of `state` satisfies the conditions, and what time then leads
    /// to, to `out`.
    pub fn add(&mut self, state: &[Word], out: &mut Batch) {
        let space = self.expander.space;
        let zones = &mut self.expander;
        let (own, zone) = state.split_at(space.own());
        if zones.inner.violated(own) >> self.condition & 1 == 0 {
            return;
        }
        space.packing.unpack(&zone[..space.packing.words()], &mut zones.source);
        let cases = &space.timing.conditions[self.condition].cases;
        let fields = &space.discrete.layout().fields;
        let first = space.cases[self.condition];
        for number in 0..cases.len().max(1) {
            zones.zone.copy_from(&zones.source);
            let holds = cases.get(number).is_none_or(|case| {
                is_possible(space, self.condition, case, own)
                    && space.case_clocks.apply(first + number, fields, own, &mut zones.zone)
            });
            if holds {
                self.point.copy_from(&zones.zone);
                zones.arrival.begin(own, &mut zones.zone, &mut self.point, out);
            }
        }
    }
}

/// Keeps zones within a condition.
pub(crate) struct Keeper<'a> {
    space: &'a ZoneSpace<'a>,
    condition: Option<usize>,
    refused: &'a AtomicBool,
    inner: Box<CompiledExpander<'a>>,
    /// The state that was looked at last, if any, what it says of clocks, and
    /// whether the condition holds there for any values of clocks.
    asked: Vec<Word>,
    looked: bool,
    atoms: Vec<Atom>,
    holds: bool,
    zone: Dbm,
    widest: Dbm,
}

impl<'a> Keeper<'a> {
    fn new(within: &'a WithinSpace<'a>) -> Keeper<'a> {
        let space = within.zones;
        let clocks = space.timing.clocks.len();
        Keeper {
            space,
            condition: within.condition,
            refused: &within.refused,
            inner: Box::new(space.discrete.compiled_expander()),
            asked: Vec::new(),
            looked: false,
            atoms: Vec::new(),
            holds: false,
            zone: Dbm::zero(clocks),
            widest: Dbm::zero(clocks),
        }
    }

    /// As [`ZoneSpace::enter`], within the condition.
    pub fn enter(
        &mut self,
        state: &[Word],
        waits: impl FnOnce() -> bool,
        zone: &mut Dbm,
        scratch: &mut Scratch,
    ) -> bool {
        if !self.space.invariant(state, zone, &mut scratch.upper) || !self.keeps(state, zone) {
            return false;
        }
        if waits() {
            scratch.upper.extend(self.upper());
            ZoneSpace::pass(zone, &scratch.upper);
        }
        true
    }

    /// Keeps the values that satisfy the condition. Answers whether there are
    /// any.
    pub fn keeps(&mut self, state: &[Word], zone: &mut Dbm) -> bool {
        self.look(state);
        let mut atoms = self.atoms.iter();
        self.holds && atoms.all(|a| zone.constrain(a.left as usize, a.right as usize, a.bound))
    }

    /// The bounds of the state looked at last that end the passing of time.
    fn upper(&self) -> impl Iterator<Item = (u32, Bound)> + '_ {
        let ends = |atom: &&Atom| atom.right == 0 && atom.left != 0;
        self.atoms.iter().filter(ends).map(|atom| (atom.left, atom.bound))
    }

    /// Finds what the condition says of clocks in a state.
    fn look(&mut self, state: &[Word]) {
        if self.looked && self.asked == state {
            return;
        }
        self.looked = true;
        self.asked.clear();
        self.asked.extend_from_slice(state);
        self.atoms.clear();
        self.holds = self.condition.is_none_or(|condition| {
            let possible = self.inner.violated(state) >> condition & 1 == 1;
            let timed = !self.space.timing.conditions[condition].cases.is_empty();
            possible && (!timed || self.choose(condition, state))
        });
    }

    /// Of the cases that hold in a state for some values of clocks, takes the one
    /// that all others lie in. Answers whether there is one.
    fn choose(&mut self, condition: usize, state: &[Word]) -> bool {
        let (space, fields) = (self.space, &self.space.discrete.layout().fields);
        let count = space.timing.conditions[condition].cases.len();
        let mut widest = None;
        for number in 0..count {
            let wider = self.case(condition, number, state)
                && (widest.is_none() || self.zone.includes(&self.widest));
            if wider {
                widest = Some(number);
                self.widest.copy_from(&self.zone);
            }
        }
        let Some(widest) = widest else { return false };
        if (0..count).any(|n| self.case(condition, n, state) && !self.widest.includes(&self.zone)) {
            self.refused.store(true, Ordering::Relaxed);
            return false;
        }
        let (number, atoms) = (space.cases[condition] + widest, &mut self.atoms);
        space.case_clocks.each(number, fields, state, |atom| {
            atoms.push(atom);
            true
        })
    }

    /// The values for which a case holds. Answers whether there are any.
    fn case(&mut self, condition: usize, number: usize, state: &[Word]) -> bool {
        let (space, fields) = (self.space, &self.space.discrete.layout().fields);
        let case = &space.timing.conditions[condition].cases[number];
        self.zone.make_universe();
        is_possible(space, condition, case, state) && {
            let number = space.cases[condition] + number;
            space.case_clocks.apply(number, fields, state, &mut self.zone)
        }
    }
}

/// Generates the successors of a [`WithinSpace`].
struct WithinExpander<'a> {
    zones: ZoneExpander<'a>,
}

impl WithinExpander<'_> {
    /// Whether a run may end in a state that was just expanded, or rest.
    fn rests(&mut self, state: &[Word]) -> bool {
        let ZoneExpander { space, arrival, zone, .. } = &mut self.zones;
        let (space, own) = (*space, &state[..space.own()]);
        let waits = arrival.urgency.waits(space, own);
        zone.make_universe();
        if space.blocked || !space.invariant(own, zone, &mut arrival.scratch.upper) {
            return true;
        }
        let bounded = !arrival.scratch.upper.is_empty();
        let leaves = arrival.keeper.as_mut().is_some_and(|keeper| {
            keeper.look(own);
            keeper.upper().next().is_some()
        });
        if waits && !bounded && !leaves {
            return true;
        }
        self.zones.find_stuck(state);
        if waits && leaves {
            self.wait(own);
        }
        !self.zones.stuck.is_empty()
    }

    /// Takes the values from which waiting leads out of the condition away from
    /// those that are stuck.
    fn wait(&mut self, own: &[Word]) {
        let ZoneExpander { space, arrival, zone, stuck, .. } = &mut self.zones;
        let Some(keeper) = &arrival.keeper else { return };
        for (clock, bound) in keeper.upper() {
            zone.make_universe();
            let outside = space.invariant(own, zone, &mut arrival.scratch.upper)
                && zone.constrain(0, clock as usize, negation(bound));
            if outside {
                zone.down();
                arrival.scratch.subtract(zone, stuck);
            }
        }
    }
}

impl Expander for WithinExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.zones.first(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.zones.steps(state, out);
        let rests = self.rests(state);
        out.set_deadlock(rests);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.zones.violated(state)
    }
}
