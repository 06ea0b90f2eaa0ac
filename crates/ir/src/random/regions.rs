//! The region graph of a small timed network: what zones are compared with.
//!
//! Alur and Dill, A theory of timed automata, TCS 126, 1994: clock values that agree
//! on integer parts up to the greatest constant, and on the order of their
//! fractional parts, can do the same. A region is explored through one state in it,
//! which the interpreter executes:
//!
//! ```text
//! from the initial state, first by delays, then by steps (each counts one):
//!   later:  if a clock is whole, half of the least distance between fractional
//!           parts; else up to where the clock with the greatest one is whole
//!   step:   every step of the interpreter without a delay
//!   both lead to the representative of the region reached
//! ```
//!
//! Representative: fractional parts are spread evenly in their order; a clock beyond
//! the greatest constant is put right behind it. Where clocks are compared with each
//! other, that is not enough: clocks then stand in groups, sorted by value, with no
//! gap beyond the greatest constant within a group; the first group begins at zero.
//! Within a group differences are kept, between groups only that they are large.

use std::collections::{BTreeMap, VecDeque};

use crate::interp::{Interpreter, State};
use crate::network::{Binary, Expr, ExprKind, Guard, LocationId, Network, Type};
use crate::wellformed::mentions_clock;

/// The values and locations of a state, clocks aside.
pub type Discrete = (Vec<i64>, Vec<Option<LocationId>>);

/// The regions of a network.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// A state of each region, in the order they were found.
    pub states: Vec<State>,
    /// The least number of steps to each region; delays do not count.
    pub depths: Vec<u32>,
    /// The region that follows by a delay, if time may pass into another.
    pub later: Vec<Option<usize>>,
    /// Whether the region has a step without a delay, one that fails included.
    pub moves: Vec<bool>,
    /// The regions that follow by a step, each step's.
    pub next: Vec<Vec<usize>>,
    /// The regions with steps that fail.
    pub faults: Vec<usize>,
    /// Whether all were found.
    pub complete: bool,
}

impl Regions {
    /// The regions that can be reached; those found when there are more than
    /// `limit`. `goals` are conditions that will be asked of them.
    pub fn explore(interpreter: &Interpreter, goals: &[Expr], limit: usize) -> Regions {
        let constants = Constants::of(interpreter.network(), goals);
        let mut explorer = Explorer {
            interpreter,
            constants,
            found: Regions::default(),
            known: BTreeMap::new(),
            queue: VecDeque::new(),
        };
        explorer.run(limit);
        explorer.found
    }

    /// The least number of steps to a state that satisfies `goal`.
    pub fn distance(&self, interpreter: &Interpreter, goal: &Expr) -> Option<u32> {
        let states = self.states.iter().zip(&self.depths);
        let reached =
            states.filter(|(state, _)| interpreter.eval(state, goal).is_ok_and(|value| value != 0));
        reached.map(|(_, depth)| *depth).min()
    }

    /// What can be reached of all that is not a clock, and how soon.
    pub fn discrete(&self, interpreter: &Interpreter) -> BTreeMap<Discrete, u32> {
        let mut found = BTreeMap::new();
        for (state, depth) in self.states.iter().zip(&self.depths) {
            let least = found.entry(discrete(interpreter, state)).or_insert(*depth);
            *least = (*least).min(*depth);
        }
        found
    }

    /// Whether a region is a deadlock: it has no step, nor has any that follows by
    /// delays.
    pub fn is_deadlock(&self, region: usize) -> bool {
        let mut at = Some(region);
        while let Some(region) = at {
            if self.moves[region] {
                return false;
            }
            at = self.later[region];
        }
        true
    }

    /// By region, whether time passes for ever in it, or nothing happens any more.
    pub fn ends(&self, interpreter: &Interpreter) -> Vec<bool> {
        // More than any clock is compared with.
        let long = |state: &State| state.unit << 32;
        let ends = |region: usize| {
            let state = &self.states[region];
            self.later[region].is_none()
                && (!self.moves[region] || interpreter.delay(state, long(state)).is_ok())
        };
        (0..self.states.len()).map(ends).collect()
    }

    /// The regions from which a maximal run stays where `holds`: the greatest set
    /// of them of which each has a step or a delay into it, or where time passes
    /// for ever, or nothing happens any more.
    pub fn staying(&self, interpreter: &Interpreter, holds: impl Fn(&State) -> bool) -> Vec<bool> {
        let ends = self.ends(interpreter);
        let mut stays: Vec<bool> = self.states.iter().map(holds).collect();
        loop {
            let before = stays.clone();
            for region in 0..stays.len() {
                let mut follow = self.next[region].iter().chain(&self.later[region]);
                stays[region] &= ends[region] || follow.any(|next| stays[*next]);
            }
            if stays == before {
                return stays;
            }
        }
    }

    /// The least number of steps to a deadlock.
    pub fn deadlock_distance(&self) -> Option<u32> {
        let deadlocks = (0..self.states.len()).filter(|region| self.is_deadlock(*region));
        deadlocks.map(|region| self.depths[region]).min()
    }
}

/// All of a state that is not a clock.
pub fn discrete(interpreter: &Interpreter, state: &State) -> Discrete {
    let values = state.values.iter().enumerate();
    let values = values.filter(|(i, _)| !interpreter.clocks().contains(i));
    (values.map(|(_, value)| *value).collect(), state.locations.clone())
}

/// What regions depend on.
struct Constants {
    /// The greatest number that clocks are compared with.
    greatest: i64,
    /// Whether clocks are compared with each other.
    diagonal: bool,
}

impl Constants {
    fn of(network: &Network, goals: &[Expr]) -> Constants {
        let mut constants = Constants { greatest: 0, diagonal: false };
        for process in &network.processes {
            let invariants = process.locations.iter().flat_map(|location| &location.invariant);
            invariants.for_each(|invariant| constants.see(network, invariant));
            for edge in &process.edges {
                if let Guard::When(guard) = &edge.guard {
                    constants.see(network, guard);
                }
            }
        }
        goals.iter().for_each(|goal| constants.see(network, goal));
        constants
    }

    /// Looks for comparisons of clocks.
    fn see(&mut self, network: &Network, expr: &Expr) {
        match &expr.kind {
            ExprKind::Unary(_, operand) => self.see(network, operand),
            ExprKind::Binary(Binary::And | Binary::Or | Binary::Imply, left, right) => {
                self.see(network, left);
                self.see(network, right);
            }
            ExprKind::Choose(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.see(network, part));
            }
            ExprKind::Binary(_, left, right) if mentions_clock(network, expr) => {
                let size = magnitude(network, left).saturating_add(magnitude(network, right));
                self.greatest = self.greatest.max(size);
                self.diagonal |= clocks(network, left) + clocks(network, right) > 1;
            }
            _ => {}
        }
    }
}

/// How many clocks a sum reads.
fn clocks(network: &Network, expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Binary(_, left, right) => clocks(network, left) + clocks(network, right),
        _ => usize::from(mentions_clock(network, expr)),
    }
}

/// No value of an expression, clocks aside, is farther from zero.
fn magnitude(network: &Network, expr: &Expr) -> i64 {
    match &expr.kind {
        ExprKind::Int(value) => value.saturating_abs(),
        ExprKind::Read(_) if mentions_clock(network, expr) => 0,
        ExprKind::Read(place) => {
            let mut ty = &network.variables[place.variable.index()].ty;
            while let Type::Array(element, _) = ty {
                ty = element;
            }
            let range = network.scalar(ty);
            range.map_or(0, |range| range.lo.saturating_abs().max(range.hi.saturating_abs()))
        }
        ExprKind::Unary(_, operand) => magnitude(network, operand).max(1),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (magnitude(network, left), magnitude(network, right));
            match op {
                Binary::Mul => left.saturating_mul(right),
                _ => left.saturating_add(right).max(1),
            }
        }
        ExprKind::Choose(_, yes, no) => magnitude(network, yes).max(magnitude(network, no)),
        _ => 1,
    }
}

struct Explorer<'a, 'n> {
    interpreter: &'a Interpreter<'n>,
    constants: Constants,
    found: Regions,
    known: BTreeMap<State, usize>,
    /// Regions to look at; those reached by a delay come first.
    queue: VecDeque<usize>,
}

impl Explorer<'_, '_> {
    fn run(&mut self, limit: usize) {
        // Even, so that half of a distance is a whole number of parts.
        let unit = 2 * (self.interpreter.clocks().len() as i64 + 1);
        let Some(initial) = self.interpreter.refined(&self.interpreter.initial(), unit) else {
            return;
        };
        self.reach(initial, 0, false);
        let mut expanded = std::collections::BTreeSet::new();
        while let Some(region) = self.queue.pop_front() {
            if self.found.states.len() > limit {
                return;
            }
            if expanded.insert(region) {
                self.expand(region);
            }
        }
        self.found.complete = true;
    }

    fn expand(&mut self, region: usize) {
        let state = self.found.states[region].clone();
        let depth = self.found.depths[region];
        let passed =
            self.distance(&state).and_then(|passed| self.interpreter.delay(&state, passed).ok());
        if let Some(later) = passed {
            let next = self.reach(later, depth, true);
            self.found.later[region] = Some(next).filter(|next| *next != region);
        }
        for (_, outcome) in self.interpreter.steps(&state) {
            self.found.moves[region] = true;
            match outcome {
                Ok(next) => {
                    let next = self.reach(next, depth + 1, false);
                    self.found.next[region].push(next);
                }
                Err(_) => self.found.faults.push(region),
            }
        }
    }

    /// The region of a state, which is new or was reached by no more steps.
    fn reach(&mut self, mut state: State, depth: u32, delayed: bool) -> usize {
        self.represent(&mut state);
        let region = match self.known.get(&state) {
            Some(region) if self.found.depths[*region] <= depth => return *region,
            Some(region) => {
                self.found.depths[*region] = depth;
                *region
            }
            None => {
                let region = self.found.states.len();
                self.known.insert(state.clone(), region);
                self.found.states.push(state);
                self.found.depths.push(depth);
                self.found.later.push(None);
                self.found.moves.push(false);
                self.found.next.push(Vec::new());
                region
            }
        };
        if delayed {
            self.queue.push_front(region)
        } else {
            self.queue.push_back(region)
        }
        region
    }

    /// The clocks that are not beyond all constants: with their positions.
    fn small(&self, state: &State) -> Vec<(usize, i64)> {
        let mut clocks: Vec<(usize, i64)> =
            self.interpreter.clocks().iter().map(|clock| (*clock, state.values[*clock])).collect();
        clocks.sort_by_key(|(_, value)| *value);
        let most = self.constants.greatest * state.unit;
        let mut last = 0;
        let near = clocks.into_iter().take_while(|(_, value)| {
            let reference = if self.constants.diagonal { last } else { 0 };
            last = *value;
            value - reference <= most
        });
        near.collect()
    }

    /// How long until the next region, if there is one.
    fn distance(&self, state: &State) -> Option<i64> {
        let small = self.small(state);
        let fractions = small.iter().map(|(_, value)| value % state.unit);
        let greatest = fractions.clone().max()?;
        let whole = fractions.clone().any(|fraction| fraction == 0);
        // Representatives are even multiples; one part lies between them.
        Some(if whole { 1 } else { state.unit - greatest })
    }

    /// Replaces a state by the representative of its region.
    fn represent(&self, state: &mut State) {
        let small = self.small(state);
        let mut rest: Vec<(usize, i64)> = self
            .interpreter
            .clocks()
            .iter()
            .map(|clock| (*clock, state.values[*clock]))
            .filter(|(clock, _)| small.iter().all(|(other, _)| other != clock))
            .collect();
        rest.sort_by_key(|(_, value)| *value);
        let mut end = self.place(state, &small, 0, 0);
        let beyond = (self.constants.greatest + 1) * state.unit;
        if !self.constants.diagonal {
            rest.iter().for_each(|(clock, _)| state.values[*clock] = beyond);
            return;
        }
        let most = self.constants.greatest * state.unit;
        while let Some((_, base)) = rest.first().copied() {
            let mut last = base;
            let near = rest.iter().take_while(|(_, value)| {
                let gap = value - last;
                last = *value;
                gap <= most
            });
            let group: Vec<(usize, i64)> = near.copied().collect();
            rest.drain(..group.len());
            let start = (end + state.unit - 1) / state.unit * state.unit + beyond;
            end = self.place(state, &group, base, start);
        }
    }

    /// Puts clocks at the representative of their values, which are relative to
    /// `base`, from `start` on. The greatest value given.
    fn place(&self, state: &mut State, clocks: &[(usize, i64)], base: i64, start: i64) -> i64 {
        let unit = state.unit;
        let mut fractions: Vec<i64> = clocks.iter().map(|(_, v)| (v - base) % unit).collect();
        fractions.sort_unstable();
        fractions.dedup();
        fractions.retain(|fraction| *fraction != 0);
        let mut greatest = start;
        for (clock, value) in clocks {
            let (whole, fraction) = ((value - base) / unit, (value - base) % unit);
            let rank = fractions.iter().position(|other| *other == fraction).map_or(0, |i| i + 1);
            state.values[*clock] = start + whole * unit + 2 * rank as i64;
            greatest = greatest.max(state.values[*clock]);
        }
        greatest
    }
}
