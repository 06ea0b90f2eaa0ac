//! The successors of a state with a zone.
//!
//! ```text
//! expand(s, Z):
//!   for each discrete successor t of s, with the parts that move and refrain:
//!     nothing refrains, no priorities:  pieces := Z ∧ guards
//!     else                              pieces := enabled within Z, minus what
//!                                         is enabled of steps of more priority
//!     for each piece: arrive(t, piece)
//!   stuck := Z − ∪ over all steps of (enabled within Inv(s))↓
//!                                       no ↓ where time does not pass in s
//! ```
//! `stuck` are the values without a step now or later (David et al. 2006, see
//! [`crate::zones::federation`]): deadlocks, and *time-locks* where the
//! invariant will forbid to wait.
//!
//! Pieces of one step have edges of their own: the number of the piece is in
//! the upper bits of the choice.

use homing_core::{Batch, Edge, Expander, Word};
use homing_ir::evaluate::evaluate;
use homing_ir::system::PartId;
use homing_ir::timing::Case;
use homing_ir::trace::Step;

use crate::Participants;
use crate::compiled::CompiledExpander;
use crate::zones::dbm::Dbm;
use crate::zones::extrapolation::{self, Constants, Extrapolation};
use crate::zones::federation::Federation;
use crate::zones::steps::Scratch;
use crate::zones::within::Keeper;
use crate::zones::{PIECES, ZoneSpace, diagonals};

/// Generates the successors of a [`ZoneSpace`].
pub(crate) struct ZoneExpander<'a> {
    pub space: &'a ZoneSpace<'a>,
    pub inner: CompiledExpander<'a>,
    /// The discrete successors of one state, and who takes part in them.
    batch: Batch,
    who: Participants,
    pub arrival: Arrival<'a>,
    pub source: Dbm,
    pub zone: Dbm,
    spare: Dbm,
    /// By discrete successor and failure, from where it is possible; only with
    /// priorities.
    enabled: Vec<Federation>,
    pieces: Federation,
    /// What [`ZoneExpander::find_stuck`] found.
    pub stuck: Federation,
}

/// What happens at the end of a step. Owns its scratch memory.
pub(crate) struct Arrival<'a> {
    space: &'a ZoneSpace<'a>,
    pub urgency: Urgency<'a>,
    /// What is not left, if anything.
    pub keeper: Option<Keeper<'a>>,
    /// The number of the next piece of a step.
    piece: u32,
    pub scratch: Scratch,
    constants: Constants,
    state: Vec<Word>,
    pieces: Federation,
    work: Federation,
    half: Dbm,
}

/// Whether time may pass in a state, invariants aside.
pub(crate) struct Urgency<'a> {
    /// Finds the steps that do not wait, where a system has such.
    inner: Option<Box<CompiledExpander<'a>>>,
    batch: Batch,
    /// The last state it was asked about, and the answer.
    asked: Vec<Word>,
    waits: bool,
}

impl<'a> ZoneExpander<'a> {
    pub fn new(space: &'a ZoneSpace<'a>) -> ZoneExpander<'a> {
        let clocks = space.timing.clocks.len();
        let mut inner = space.discrete.compiled_expander();
        *inner.cut() = space.cut();
        ZoneExpander {
            space,
            inner,
            batch: Batch::new(space.own()),
            who: Participants::default(),
            arrival: Arrival::new(space),
            source: Dbm::zero(clocks),
            zone: Dbm::zero(clocks),
            spare: Dbm::zero(clocks),
            enabled: Vec::new(),
            pieces: Federation::new(),
            stuck: Federation::new(),
        }
    }

    /// Whether the invariants hold in the initial state.
    pub fn starts(&mut self) -> bool {
        let mut out = Batch::new(homing_core::Space::width(self.space));
        self.first(&mut out)
    }

    /// Adds the initial state. Answers whether its invariants hold; if not, its
    /// zone is the point the clocks start at.
    pub fn first(&mut self, out: &mut Batch) -> bool {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        let initial = self.batch.state(0);
        for (index, clock) in self.space.timing.clocks.iter().enumerate() {
            self.zone.reset(index + 1, self.space.within(clock.initial));
        }
        self.source.copy_from(&self.zone);
        self.arrival.begin(initial, &mut self.zone, &mut self.source, out)
    }

    /// The edges of the network taken from `state` by `edge`, its piece left out.
    pub fn step(mut self, state: &[Word], edge: Edge) -> Step {
        self.enter(state);
        let discrete = &state[..self.space.own()];
        let mut cut = self.inner.cut().take();
        if let Some(cut) = &mut cut {
            cut.begin(discrete, &self.source);
        }
        self.space.discrete.step_within(discrete, edge, cut)
    }

    /// The zone of a state.
    fn enter(&mut self, state: &[Word]) {
        let (discrete, zone) = state.split_at(self.space.own());
        self.space.packing.unpack(&zone[..self.space.packing.words()], &mut self.source);
        if !self.space.options.elapsed && !self.space.blocked {
            self.arrival.elapse(discrete, &mut self.source);
        }
    }

    /// The discrete successors of a state, and its zone.
    fn open(&mut self, state: &[Word]) {
        self.enter(state);
        let discrete = &state[..self.space.own()];
        self.batch.clear();
        if let Some(cut) = self.inner.cut() {
            cut.begin(discrete, &self.source);
        }
        self.inner.expand_with(discrete, &mut self.batch, &mut self.who);
    }

    /// Takes all steps of a state, unless nothing happens at all.
    pub fn steps(&mut self, state: &[Word], out: &mut Batch) {
        self.open(state);
        match self.space.timing.priorities.is_empty() {
            _ if self.space.blocked => {}
            true => self.take(state, out),
            false => self.take_by_priority(state, out),
        }
    }

    /// Takes all steps from what they are possible in.
    fn take(&mut self, state: &[Word], out: &mut Batch) {
        let space = self.space;
        for index in 0..self.batch.len() {
            let moving = self.who.moving(space.discrete, &self.batch, index);
            let refraining = self.who.refraining(index);
            self.zone.copy_from(&self.source);
            if !space.guard(moving, state, &mut self.zone) {
                continue;
            }
            let (target, edge) = (self.batch.state(index), self.batch.edge(index));
            self.arrival.piece = 0;
            if refraining.is_empty() {
                self.arrival.arrive(moving, target, &mut self.zone, edge, out);
                continue;
            }
            self.pieces.clear();
            self.pieces.push(&self.zone);
            space.refrain(refraining, state, &mut self.pieces, &mut self.arrival.scratch);
            for piece in self.pieces.zones() {
                self.zone.copy_from(piece);
                self.arrival.arrive(moving, target, &mut self.zone, edge, out);
            }
        }
        for index in 0..self.batch.faults().len() {
            self.zone.copy_from(&self.source);
            if self.fails(index, state) {
                out.fail(self.batch.faults()[index]);
            }
        }
    }

    /// Keeps the values of `self.zone` from which the failing step `index` gets
    /// to where it fails. Answers whether there are any.
    fn fails(&mut self, index: usize, state: &[Word]) -> bool {
        let (space, fault) = (self.space, self.batch.faults()[index]);
        let parts = self.who.failing(space.discrete, &self.batch, index);
        space.guard(parts, state, &mut self.zone)
            && space.guard_of_site(fault.site, state, &mut self.zone)
    }

    /// Takes all steps, each where none of more priority is possible.
    fn take_by_priority(&mut self, state: &[Word], out: &mut Batch) {
        let space = self.space;
        let all = self.batch.len() + self.batch.faults().len();
        self.enabled.resize_with(all.max(self.enabled.len()), Federation::new);
        self.zone.copy_from(&self.source);
        (0..all).for_each(|index| self.find_enabled(index, state));
        let mut pieces = std::mem::take(&mut self.pieces);
        for index in 0..all {
            let priority = self.priority(index);
            pieces.clear();
            self.enabled[index].zones().iter().for_each(|zone| pieces.push(zone));
            for other in 0..all {
                if self.priority(other) > priority {
                    let zones = self.enabled[other].zones().iter();
                    zones.for_each(|zone| self.arrival.scratch.subtract(zone, &mut pieces));
                }
            }
            if index >= self.batch.len() {
                if !pieces.is_empty() {
                    out.fail(self.batch.faults()[index - self.batch.len()]);
                }
                continue;
            }
            let moving = self.who.moving(space.discrete, &self.batch, index);
            let (target, edge) = (self.batch.state(index), self.batch.edge(index));
            self.arrival.piece = 0;
            for piece in pieces.zones() {
                self.zone.copy_from(piece);
                self.arrival.arrive(moving, target, &mut self.zone, edge, out);
            }
        }
        self.pieces = pieces;
    }

    /// Finds from which values of `self.zone` a step is possible, or fails:
    /// steps first, then failures.
    fn find_enabled(&mut self, index: usize, state: &[Word]) {
        let space = self.space;
        let mut enabled = std::mem::take(&mut self.enabled[index]);
        match index.checked_sub(self.batch.len()) {
            None => {
                let moving = self.who.moving(space.discrete, &self.batch, index);
                let step = (moving, self.who.refraining(index));
                let states = (state, self.batch.state(index));
                let scratch = &mut self.arrival.scratch;
                space.enabled(step, states, &self.zone, &mut enabled, scratch);
            }
            Some(fault) => {
                self.spare.copy_from(&self.zone);
                enabled.clear();
                if self.fails(fault, state) {
                    enabled.push(&self.zone);
                }
                std::mem::swap(&mut self.zone, &mut self.spare);
            }
        }
        self.enabled[index] = enabled;
    }

    /// The priority of a step or failure, in the same order: the greatest of its
    /// edges', then the greatest of its processes'.
    fn priority(&self, index: usize) -> (i32, i32) {
        let discrete = self.space.discrete;
        let parts: &[PartId] = match index.checked_sub(self.batch.len()) {
            None => self.who.moving(discrete, &self.batch, index),
            Some(fault) => self.who.failing(discrete, &self.batch, fault),
        };
        let priorities = &self.space.timing.priorities;
        let of_parts = parts.iter().map(|part| priorities[part.index()]);
        let greatest = |a: (i32, i32), b: (i32, i32)| (a.0.max(b.0), a.1.max(b.1));
        of_parts.reduce(greatest).unwrap_or_default()
    }

    /// Finds the values of `self.source` without a step, now or later.
    pub fn find_stuck(&mut self, state: &[Word]) {
        let space = self.space;
        self.stuck.clear();
        self.stuck.push(&self.source);
        let all = self.batch.len() + self.batch.faults().len();
        self.enabled.resize_with(all.max(self.enabled.len()), Federation::new);
        self.zone.make_universe();
        let upper = &mut self.arrival.scratch.upper;
        if space.blocked || !space.invariant(state, &mut self.zone, upper) {
            return;
        }
        let waits = self.arrival.urgency.waits(space, &state[..space.own()]);
        for index in 0..all {
            self.find_enabled(index, state);
            let mut before = std::mem::take(&mut self.enabled[index]);
            for zone in before.zones_mut() {
                if waits {
                    zone.down();
                }
                self.arrival.scratch.subtract(zone, &mut self.stuck);
            }
            self.enabled[index] = before;
            if self.stuck.is_empty() {
                return;
            }
        }
    }

    /// Whether some component is where it may not rest for ever.
    fn is_unfinished(&self, state: &[Word]) -> bool {
        let (system, fields) = (self.space.discrete.system(), &self.space.discrete.layout().fields);
        let trapped = system.trap.is_some_and(|trap| fields[trap.index()].get(state) != 0);
        let mut components = system.components.iter();
        !trapped && components.any(|c| !c.end[fields[c.location.index()].get(state) as usize])
    }

    /// Whether a case holds for some value of `self.source`; `self.stuck` is
    /// known where it asks for it.
    fn holds(&mut self, state: &[Word], case: &Case, number: usize, condition: usize) -> bool {
        let (space, fields) = (self.space, &self.space.discrete.layout().fields);
        if !is_possible(space, condition, case, state) {
            return false;
        }
        let Some(deadlock) = case.deadlock else {
            self.zone.copy_from(&self.source);
            return space.case_clocks.apply(number, fields, state, &mut self.zone);
        };
        self.pieces.clear();
        if deadlock {
            self.stuck.zones().iter().for_each(|zone| self.pieces.push(zone));
        } else {
            self.pieces.push(&self.source);
            for zone in self.stuck.zones() {
                self.arrival.scratch.subtract(zone, &mut self.pieces);
            }
        }
        self.pieces
            .zones_mut()
            .iter_mut()
            .any(|zone| space.case_clocks.apply(number, fields, state, zone))
    }
}

impl Expander for ZoneExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.first(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let before = (out.len(), out.faults().len());
        self.steps(state, out);
        let nothing = (out.len(), out.faults().len()) == before;
        let stuck = nothing
            || self.space.options.deadlocks && {
                self.find_stuck(state);
                !self.stuck.is_empty()
            };
        out.set_deadlock(stuck && self.is_unfinished(state));
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let timing = &self.space.timing;
        let mut bits = self.inner.violated(state);
        let mut opened = false;
        for (index, condition) in timing.conditions.iter().enumerate() {
            if condition.cases.is_empty() || bits >> index & 1 == 0 {
                continue;
            }
            if !opened {
                self.open(state);
                let deadlocks = |case: &Case| case.deadlock.is_some();
                if timing.conditions.iter().any(|one| one.cases.iter().any(deadlocks)) {
                    self.find_stuck(state);
                    if !self.is_unfinished(state) {
                        self.stuck.clear();
                    }
                }
                opened = true;
            }
            let first = self.space.cases[index];
            let mut cases = condition.cases.iter().enumerate();
            if !cases.any(|(k, case)| self.holds(state, case, first + k, index)) {
                bits &= !(1 << index);
            }
        }
        bits
    }
}

/// Whether the discrete part of a case of a condition holds. Where it cannot be evaluated,
/// the condition says, or that is noted.
pub(super) fn is_possible(
    space: &ZoneSpace,
    condition: usize,
    case: &Case,
    state: &[Word],
) -> bool {
    let (discrete, fields) = (space.discrete, &space.discrete.layout().fields);
    let value = evaluate(&case.term, fields, state);
    let on_failure = discrete.system().conditions[condition].holds_on_failure;
    if value.is_none() && !on_failure {
        discrete.note_unevaluated(1 << condition);
    }
    value.map_or(on_failure, |value| value != 0)
}

impl<'a> Arrival<'a> {
    fn new(space: &'a ZoneSpace<'a>) -> Arrival<'a> {
        let clocks = space.timing.clocks.len();
        Arrival {
            space,
            urgency: Urgency::new(space),
            keeper: None,
            piece: 0,
            scratch: Scratch::new(clocks),
            constants: Constants::none(clocks),
            state: vec![0; homing_core::Space::width(space)],
            pieces: Federation::new(),
            work: Federation::new(),
            half: Dbm::zero(clocks),
        }
    }

    /// Ends a step from the values in `zone`.
    #[inline]
    fn arrive(
        &mut self,
        moving: &[PartId],
        target: &[Word],
        zone: &mut Dbm,
        edge: Edge,
        out: &mut Batch,
    ) {
        let own = target.len();
        self.state[..own].copy_from_slice(target);
        self.space.assign(moving, &mut self.state[..own], zone, &mut self.scratch);
        self.settle(zone, edge, out);
    }

    /// Enters `start` with a zone, if its invariants allow, and adds it to `out`;
    /// if not, with the other zone as it is. Answers whether they do.
    pub fn begin(
        &mut self,
        start: &[Word],
        zone: &mut Dbm,
        otherwise: &mut Dbm,
        out: &mut Batch,
    ) -> bool {
        self.state[..start.len()].copy_from_slice(start);
        self.piece = 0;
        if self.settle(zone, Edge::default(), out) {
            return true;
        }
        let blocked = self.space.blocked;
        let kept = |keeper: &mut Keeper| blocked && keeper.keeps(start, otherwise);
        if self.keeper.as_mut().is_none_or(kept) {
            self.store(otherwise, Edge::default(), out);
        }
        false
    }

    /// Enters the state in `self.state`.
    #[inline]
    fn settle(&mut self, zone: &mut Dbm, edge: Edge, out: &mut Batch) -> bool {
        let (space, urgency) = (self.space, &mut self.urgency);
        let state = &self.state[..space.own()];
        let waits = || space.options.elapsed && urgency.waits(space, state);
        let entered = match &mut self.keeper {
            None => space.enter(state, waits, zone, &mut self.scratch),
            Some(keeper) => keeper.enter(state, waits, zone, &mut self.scratch),
        };
        if entered {
            self.store(zone, edge, out);
        }
        entered
    }

    /// Lets time pass in `state`, where zones are stored without it.
    fn elapse(&mut self, state: &[Word], zone: &mut Dbm) {
        let (space, urgency) = (self.space, &mut self.urgency);
        space.enter(state, || urgency.waits(space, state), zone, &mut self.scratch);
    }

    /// Adds the state in `self.state` with a zone, extrapolated.
    #[inline]
    fn store(&mut self, zone: &mut Dbm, edge: Edge, out: &mut Batch) {
        if self.space.comparisons.is_empty() {
            self.extrapolate(zone);
            return self.push(zone, edge, out);
        }
        let space = self.space;
        let mut pieces = std::mem::take(&mut self.pieces);
        diagonals::split(zone, &space.comparisons, &mut pieces, &mut self.work, &mut self.half);
        for piece in pieces.zones() {
            zone.copy_from(piece);
            self.extrapolate(zone);
            diagonals::cut_back(piece, zone, &space.comparisons);
            self.push(zone, edge, out);
        }
        self.pieces = pieces;
    }

    #[inline]
    fn extrapolate(&mut self, zone: &mut Dbm) {
        let space = self.space;
        let Constants { lower, upper } = &mut self.constants;
        match space.options.extrapolation {
            Extrapolation::None => return extrapolation::within(zone, space.packing.limit()),
            _ => space.bounds.of(&self.state, lower, upper),
        }
        match space.options.extrapolation.has_plus() {
            true => extrapolation::extra_plus(zone, &self.constants),
            false => extrapolation::extra(zone, &self.constants),
        }
    }

    #[inline]
    fn push(&mut self, zone: &Dbm, edge: Edge, out: &mut Batch) {
        self.space.packing.pack(zone, &mut self.state[self.space.own()..]);
        // Behind the last number, pieces share one: they are the same step.
        let piece = self.piece.min((1 << (32 - PIECES)) - 1);
        self.piece += 1;
        out.push(&self.state, Edge { choice: edge.choice | piece << PIECES, ..edge });
    }
}

impl<'a> Urgency<'a> {
    fn new(space: &'a ZoneSpace<'a>) -> Urgency<'a> {
        let urgent = space.discrete.moves().has_urgent();
        Urgency {
            inner: urgent.then(|| Box::new(space.discrete.compiled_expander())),
            batch: Batch::new(space.own()),
            asked: Vec::new(),
            waits: true,
        }
    }

    /// Whether time may pass in a discrete state: no location is urgent, and no
    /// step on an urgent channel is possible. Invariants behind such a step do
    /// not matter, and its guards are not over clocks.
    #[inline]
    pub fn waits(&mut self, space: &ZoneSpace, state: &[Word]) -> bool {
        if !space.is_patient(state) {
            return false;
        }
        let Some(inner) = &mut self.inner else { return true };
        if self.asked != state {
            self.asked.clear();
            self.asked.extend_from_slice(state);
            self.batch.clear();
            inner.expand(state, &mut self.batch);
            let moves = space.discrete.moves();
            let faults = self.batch.faults().iter().map(|fault| fault.edge.label);
            let mut labels = (0..self.batch.len()).map(|i| self.batch.edge(i).label).chain(faults);
            self.waits = !labels.any(|label| moves.is_urgent(label));
        }
        self.waits
    }
}
