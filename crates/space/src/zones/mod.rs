//! The space of a timed system: discrete states, each with a zone.
//!
//! Bengtsson, Yi, "Timed Automata: Semantics, Algorithms and Tools" (2004),
//! section 4. A state stands for many: all values of clocks in its zone. It is
//! the words of the discrete state ([`CompiledSpace`]), then the packed zone
//! ([`packed`]). Zones hold what is reached by a step and by the time that may
//! pass behind it ("elapsed"):
//!
//! ```text
//! initial:  D := the clocks' first values; enter(initial state, D)
//! step:     D := zone ∧ clock guards of the parts that move
//!           D := D after the clocks are set
//!           enter(target, D)
//! enter(s, D):
//!           D := D ∧ Inv(s); if empty, there is no such step
//!           unless a location of s is urgent or committed, or a step on an
//!             urgent channel is possible in s:  D := D↑ ∧ Inv(s)
//!           D := D extrapolated by the constants of s     ([`extrapolation`])
//! ```
//! Zones may also hold what is reached before time passes; then it passes at the
//! beginning of each step ([`ZoneOptions::elapsed`]).
//!
//! Where clocks stand still at times, D↑ is the smallest zone around what is reached
//! (Cassez, Larsen, "The impressive power of stopwatches", CONCUR 2000): too much may
//! be found, never too little. Extrapolating and comparing zones stay sound: the relations
//! they rest on hold clock by clock, of values that grow by the same amount or not at
//! all. What is found must be confirmed, and a state without steps among zones need not
//! be one, nor need a run that never ends there be one.
//!
//! | topic | module |
//! |---|---|
//! | matrices | [`dbm`], [`federation`], [`packed`] |
//! | finitely many zones | [`extrapolation`], `bounds`, `copies`, `diagonals` |
//! | small numbers | `unit` |
//! | fewer zones | [`subsumption`] |
//! | many receivers | `cutting` |
//! | successors | `expander`, `steps` |
//! | runs that never leave a condition | `within` |
//!
//! Where the values of clocks decide what is *not* possible (deadlocks,
//! priorities, broadcasts whose receivers have clock guards), zones are taken
//! from each other, and lower and upper bounds are not told apart: what
//! simulates more may also do more.

pub(crate) mod bounds;
pub(crate) mod constraints;
pub(crate) mod copies;
mod cutting;
pub mod dbm;
pub(crate) mod diagonals;
pub(crate) mod expander;
pub mod extrapolation;
pub mod federation;
pub mod packed;
pub(crate) mod steps;
pub mod subsumption;
pub(crate) mod unit;
pub mod within;

use std::borrow::Cow;
use std::ops::Range;

use homing_core::{Cover, Edge, Expander, Space, Word};
use homing_ir::System;
use homing_ir::layout::Field;
use homing_ir::system::{Member, PartId};
use homing_ir::timing::{Constraint, Timing};
use homing_ir::trace::Step;

use crate::CompiledSpace;
use crate::joints::Cut;
use bounds::Bounds;
use constraints::{Atom, Conjunctions};
use cutting::Cutting;
use expander::ZoneExpander;
pub use extrapolation::Extrapolation;
use packed::Packing;
pub use subsumption::Subsumption;

/// How zones are made and compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ZoneOptions {
    /// How zones are extrapolated.
    pub extrapolation: Extrapolation,
    /// Whether the constants are those of the locations of a state, else the
    /// same for all states.
    pub local: bool,
    /// When a zone makes another one superfluous.
    pub subsumption: Subsumption,
    /// The same as `local`, for the constants that zones are compared by.
    pub compare_local: bool,
    /// Whether zones hold the time that passes behind a step, else only what the
    /// step itself leads to. That makes more and smaller zones.
    pub elapsed: bool,
    /// Whether [`homing_core::Batch::deadlock`] is to tell of any value of the
    /// zone without a step. Else it does only where no value has one.
    pub deadlocks: bool,
    /// The most combinations of those who receive a broadcast that are all looked at, where
    /// clocks decide who does.
    pub most_combinations: usize,
}

impl Default for ZoneOptions {
    fn default() -> ZoneOptions {
        ZoneOptions {
            extrapolation: Extrapolation::default(),
            local: true,
            subsumption: Subsumption::default(),
            compare_local: true,
            elapsed: true,
            deadlocks: false,
            most_combinations: MOST_COMBINATIONS,
        }
    }
}

/// The pieces of one step are told apart in the choice of its edge, from this
/// bit on.
const PIECES: u32 = 24;

/// What [`ZoneOptions::most_combinations`] is where nobody says.
const MOST_COMBINATIONS: usize = 256;

/// The clocks up to which a comparison of zones looks beyond inclusion: it has
/// no memory of its own but the stack.
const MOST_COMPARED: usize = 63;

/// Zones around a compiled space.
pub struct ZoneSpace<'a> {
    discrete: &'a CompiledSpace,
    /// In units of zones.
    timing: Cow<'a, Timing>,
    /// How many of the model's units of time one of the zones' is.
    unit: i64,
    options: ZoneOptions,
    packing: Packing,
    /// What zones are extrapolated by.
    bounds: Bounds,
    /// What they are compared by.
    simulation: Bounds,
    /// By part.
    guards: Conjunctions,
    /// By part.
    resets: Vec<Vec<(u32, i32)>>,
    /// By component and location: see `bounded`.
    invariants: Conjunctions,
    /// The components with invariants: where they are, and the number of the
    /// invariant of their first location.
    bounded: Vec<(Field, usize)>,
    /// By component and location, which clocks stand still: see `stopping`.
    stopped: Conjunctions,
    /// The components that stop clocks, as in `bounded`.
    stopping: Vec<(Field, usize)>,
    /// The components with locations in which no time passes.
    urgent: Vec<(Field, &'a [bool])>,
    /// The clocks that effects assign through slots.
    pending: Vec<(usize, Field, Field)>,
    /// By condition, the number of its first case.
    cases: Vec<usize>,
    /// By case.
    case_clocks: Conjunctions,
    /// By site, what must hold of clocks for a failure in a guard.
    sites: Conjunctions,
    /// Comparisons of clocks with each other.
    comparisons: Vec<Atom>,
    /// The greatest value a clock is set to; greater ones count as it.
    greatest: i32,
    /// Whether there may be very many combinations of those who receive a broadcast.
    crowded: bool,
    /// Whether the invariants fail in the initial state: nothing happens.
    blocked: bool,
}

impl<'a> ZoneSpace<'a> {
    /// The space of a system that has a timed part. Fails where its constants
    /// are too large, or comparisons of clocks too many.
    pub fn new(discrete: &'a CompiledSpace, options: ZoneOptions) -> Result<ZoneSpace<'a>, String> {
        let (system, layout) = (discrete.system(), discrete.layout());
        let Some(given) = system.timing.as_deref() else {
            return Err("the model has no clocks".to_owned());
        };
        let (divided, unit) = unit::in_units(system, given);
        let timing = &*divided;
        let clocks = timing.clocks.len();
        let comparisons = diagonals::comparisons(system, timing)?;
        let options = effective(options, system, timing, !comparisons.is_empty());
        if options.deadlocks && timing.has_stopwatches() {
            return Err("clocks stop in this model, so that zones cannot tell deadlocks".into());
        }
        let greatest = greatest(clocks);
        let least = match comparisons.is_empty() {
            true => extrapolation::NEVER,
            false => {
                let most = copies::copies(system, given).most;
                let most = i32::try_from((most + unit - 1) / unit).unwrap_or(i32::MAX);
                diagonals::greatest(&comparisons).saturating_add(most)
            }
        };
        let together = !options.extrapolation.tells_bounds_apart();
        let bounds = Bounds::new(system, timing, layout, options.local, together, least);
        let together = options.subsumption != Subsumption::Alu;
        let simulation =
            Bounds::new(system, timing, layout, options.compare_local, together, least);
        let packing = Packing::new(clocks, limit(&bounds, greatest, options)?);
        let mut space = ZoneSpace {
            discrete,
            timing: divided,
            unit,
            options,
            packing,
            bounds,
            simulation,
            guards: Conjunctions::new(greatest),
            resets: Vec::new(),
            invariants: Conjunctions::new(greatest),
            bounded: Vec::new(),
            stopped: Conjunctions::new(greatest),
            stopping: Vec::new(),
            urgent: Vec::new(),
            pending: Vec::new(),
            cases: Vec::new(),
            case_clocks: Conjunctions::new(greatest),
            sites: Conjunctions::new(greatest),
            comparisons,
            greatest,
            crowded: is_crowded(system, given, options),
            blocked: false,
        };
        space.prepare(system, given);
        let starts = ZoneExpander::new(&space).starts();
        space.blocked = !starts;
        Ok(space)
    }

    /// Puts what the system says of clocks where expanders find it fast.
    fn prepare(&mut self, system: &'a System, given: &'a Timing) {
        let fields = &self.discrete.layout().fields;
        let timing = std::mem::take(&mut self.timing);
        for part in &timing.parts {
            self.guards.push(&part.guard);
            let resets = part.resets.iter().map(|(clock, value)| (*clock, self.within(*value)));
            self.resets.push(resets.collect());
        }
        for (component, invariants) in system.components.iter().zip(&timing.invariants) {
            let location = fields[component.location.index()];
            let stops = |one: &Constraint| one.stopped().is_some();
            if invariants.iter().flatten().any(|one| !stops(one)) {
                self.bounded.push((location, self.invariants.len()));
                let bounds = invariants.iter().map(|one| one.iter().filter(|one| !stops(one)));
                bounds.for_each(|bounds| self.invariants.push(bounds));
            }
            if invariants.iter().flatten().any(stops) {
                self.stopping.push((location, self.stopped.len()));
                let stopped = invariants.iter().map(|one| one.iter().filter(|one| stops(one)));
                stopped.for_each(|stopped| self.stopped.push(stopped));
            }
        }
        for (component, urgent) in system.components.iter().zip(&given.urgent) {
            if urgent.contains(&true) {
                self.urgent.push((fields[component.location.index()], urgent));
            }
        }
        for (index, pending) in timing.pending.iter().enumerate() {
            if let Some(pending) = pending {
                let (base, offset) = (fields[pending.base.index()], fields[pending.offset.index()]);
                self.pending.push((index + 1, base, offset));
            }
        }
        for condition in &timing.conditions {
            self.cases.push(self.case_clocks.len());
            condition.cases.iter().for_each(|case| self.case_clocks.push(&case.clocks));
        }
        timing.sites.iter().for_each(|site| self.sites.push(site));
        self.timing = timing;
    }

    /// What a clock shows that is set to `value`, in units of zones: beyond all
    /// that clocks are compared with, one value is as good as another.
    fn within(&self, value: i64) -> i32 {
        value.clamp(0, i64::from(self.greatest)) as i32
    }

    /// The same, in the model's units.
    fn set_to(&self, value: i64) -> i32 {
        self.within(value / self.unit)
    }

    /// The edges of the network taken from `state` by `edge`. When, is not
    /// known: no delay.
    pub fn step(&self, state: &[Word], edge: Edge) -> Step {
        let choice = match self.timing.clocks.is_empty() {
            true => edge.choice,
            false => edge.choice & ((1 << PIECES) - 1),
        };
        let edge = Edge { choice, ..edge };
        match self.crowded {
            true => ZoneExpander::new(self).step(state, edge),
            false => self.discrete.step(state, edge),
        }
    }

    /// What leaves choices out, where there may be very many.
    fn cut(&self) -> Option<Box<dyn Cut + '_>> {
        self.crowded.then(|| Box::new(Cutting::new(self)) as Box<dyn Cut>)
    }

    /// Whether clocks stand still at times: more is found then than there is.
    pub fn has_stopwatches(&self) -> bool {
        !self.stopping.is_empty()
    }

    /// The discrete part.
    pub fn discrete(&self) -> &'a CompiledSpace {
        self.discrete
    }

    /// How zones are stored: behind the words of the discrete part.
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// How zones are really made and compared: what was asked for, or what is
    /// sound for the system.
    pub fn options(&self) -> ZoneOptions {
        self.options
    }

    /// The words of the discrete part of a state.
    fn own(&self) -> usize {
        self.discrete.layout().words
    }
}

/// What is sound for a system, of what was asked for.
fn effective(asked: ZoneOptions, system: &System, timing: &Timing, compared: bool) -> ZoneOptions {
    let mut options = asked;
    options.deadlocks |= timing.asks_for_deadlocks();
    let subtracts = options.deadlocks || !timing.priorities.is_empty() || refrains(system, timing);
    if subtracts || compared {
        options.extrapolation = match asked.extrapolation {
            Extrapolation::Lu => Extrapolation::M,
            Extrapolation::LuPlus => Extrapolation::MPlus,
            other => other,
        };
    }
    if subtracts && asked.subsumption == Subsumption::Alu {
        options.subsumption = Subsumption::Am;
    }
    if compared || timing.clocks.len() > MOST_COMPARED {
        options.subsumption = Subsumption::Inclusion;
    }
    options
}

/// Whether clocks decide who stays away from a step that others take.
fn refrains(system: &System, timing: &Timing) -> bool {
    let members = system.joints.iter().flat_map(|joint| &joint.members);
    let mut parts = members.filter(|member| member.optional).flat_map(|member| &member.parts);
    parts.any(|part| !timing.parts[part.index()].guard.is_empty())
}

/// Whether there may be too many combinations of those who stay away because of clocks.
fn is_crowded(system: &System, timing: &Timing, options: ZoneOptions) -> bool {
    let timed = |part: &PartId| !timing.parts[part.index()].guard.is_empty();
    let refrains = |member: &&Member| member.optional && member.parts.iter().any(timed);
    system.joints.iter().any(|joint| {
        let choices = joint.members.iter().map(|member| member.parts.len() + 1);
        joint.members.iter().any(|member| refrains(&member))
            && choices.fold(1, usize::saturating_mul) > options.most_combinations
    })
}

/// The greatest sum of constants with which no bound overflows. One of a stored
/// zone is at most that sum, and operations within a step add up fewer than
/// sixteen of them; where there are few clocks, even all that there are fit.
fn greatest(clocks: usize) -> i32 {
    ((1 << 28) / (clocks as i32 + 1)).max(1 << 25)
}

/// The greatest finite bound of a zone that is stored.
fn limit(bounds: &Bounds, greatest: i32, options: ZoneOptions) -> Result<dbm::Bound, String> {
    if options.extrapolation == Extrapolation::None {
        return Ok(2 * greatest);
    }
    // After extrapolation, a bound is at most a constant; after closing, a sum of
    // different ones.
    let sum: i64 = bounds.greatest().into_iter().map(i64::from).sum();
    if sum > i64::from(greatest) {
        return Err(format!(
            "the constants that clocks are compared with add up to {sum}; at most {greatest} \
             can be handled with so many clocks"
        ));
    }
    Ok(dbm::at_most(sum as i32))
}

impl Space for ZoneSpace<'_> {
    fn width(&self) -> usize {
        self.own() + self.packing.words()
    }

    fn labels(&self) -> u32 {
        self.discrete.labels()
    }

    fn cover(&self) -> Option<&dyn Cover> {
        (self.packing.words() > 0).then_some(self)
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(ZoneExpander::new(self))
    }
}

impl Cover for ZoneSpace<'_> {
    fn words(&self) -> Range<usize> {
        self.own()..self.width()
    }

    fn covers(&self, large: &[Word], small: &[Word]) -> bool {
        let (from, to) = (&large[self.words()], &small[self.words()]);
        if self.packing.includes(from, to) {
            return true;
        }
        if self.options.subsumption == Subsumption::Inclusion {
            return false;
        }
        let n = self.timing.clocks.len() + 1;
        let [mut lower, mut upper] = [[0; MOST_COMPARED + 1]; 2];
        let (lower, upper) = (&mut lower[..n], &mut upper[..n]);
        self.simulation.of(large, lower, upper);
        subsumption::simulates(&self.packing, from, to, lower, upper)
    }
}
