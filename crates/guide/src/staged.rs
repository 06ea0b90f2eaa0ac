//! An estimate for the product of a space and an automaton, made of one for the space.
//!
//! Whoever is to bring the automaton from q to where it accepts must first leave q, and
//! for that come to a state in which a transition out of q is open:
//!
//! ```text
//! h(s, q) = d(s, some guard of a transition out of q holds)
//!           + transitions still to take behind that one
//! ```
//! d is any estimate of the distance to a condition. Where it is admissible, so is h: the
//! steps until q is left and those behind are different ones. The estimate may fall by
//! more than one where the automaton moves, so it is not consistent.
//!
//! Where a state is recorded that the run must come back to (`space::LivenessToSafety`), every
//! process whose location is another one has to move again. If no step moves more than m
//! of them, at least (different locations) / m steps are missing; and at least one, while
//! the goal is not reached. For searches that need no bound, the number of all slots
//! that differ says more: it is used where d is not admissible either.

use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::Prepared;
use homing_ir::layout::Field;
use homing_ir::moves::Move;

use crate::Factory;

/// The way of an automaton to where it accepts, state by state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stages {
    /// By state of the automaton, the condition of the space that a way out of it
    /// needs; nothing where it needs none, or where it need not be left.
    pub leaving: Vec<Option<usize>>,
    /// By state, the transitions to take behind the one that leaves it;
    /// [`DEAD_END`] where it accepts nothing.
    pub behind: Vec<Cost>,
    /// Whether states have a recorded one behind them.
    pub records: bool,
    /// The words before that of the automaton: those of the system come first.
    pub inner: usize,
}

/// The estimate.
pub struct Staged<'a> {
    stages: &'a Stages,
    /// By condition, the distance to it.
    distances: Vec<(usize, Factory<'a>)>,
    /// The words of the system.
    width: usize,
    fields: &'a [Field],
    locations: Vec<Field>,
    /// The most processes that move in one step; nothing where that is not known.
    movers: Option<usize>,
    claims: Claims,
}

impl<'a> Staged<'a> {
    /// Stages in a product of `space`; `distance` makes the estimate of the distance
    /// to a condition.
    pub fn new(
        stages: &'a Stages,
        space: &'a Prepared,
        mut distance: impl FnMut(usize) -> Result<Factory<'a>, String>,
    ) -> Result<Staged<'a>, String> {
        let mut distances = Vec::new();
        let mut conditions: Vec<usize> = stages.leaving.iter().flatten().copied().collect();
        conditions.sort_unstable();
        conditions.dedup();
        for condition in conditions {
            distances.push((condition, distance(condition)?));
        }
        let admissible = distances.iter().all(|(_, one)| one.instance().claims().admissible);
        let (system, fields) = (space.system(), &space.layout().fields[..]);
        let alone = |one: &Move| matches!(one, Move::Alone(_));
        let joint = |one: &Move| matches!(one, Move::Joint(_));
        let moves = &space.moves().list;
        let movers = match () {
            () if system.has_atomic_parts() || moves.iter().any(joint) => None,
            () if moves.iter().all(alone) => Some(1),
            () => Some(2),
        };
        Ok(Staged {
            stages,
            distances,
            width: space.layout().words,
            fields,
            locations: system.components.iter().map(|one| fields[one.location.index()]).collect(),
            movers,
            claims: Claims { admissible, consistent: false },
        })
    }

    /// The way back to the recorded state, which is at least one step.
    fn back(&self, here: &[Word], there: &[Word]) -> Cost {
        let different = |fields: &[Field]| {
            fields.iter().filter(|field| field.get(here) != field.get(there)).count()
        };
        let steps = match (self.claims.admissible, self.movers) {
            (false, _) => different(self.fields),
            (true, Some(movers)) => different(&self.locations).div_ceil(movers),
            (true, None) => 1,
        };
        (steps as Cost).max(1)
    }
}

impl HeuristicFactory for Staged<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        let distances = self.distances.iter().map(|(one, distance)| (*one, distance.instance()));
        Box::new(Staging { of: self, distances: distances.collect() })
    }
}

/// An instance of the estimate.
struct Staging<'a> {
    of: &'a Staged<'a>,
    distances: Vec<(usize, Box<dyn Heuristic + 'a>)>,
}

impl Heuristic for Staging<'_> {
    fn estimate(&mut self, state: &[Word], _: Option<Edge>) -> Cost {
        let Staged { stages, width, .. } = *self.of;
        let inner = stages.inner;
        let (system, at) = (&state[..width], state[inner] as u32 as usize);
        // Behind the product's words: whether something is recorded, and what.
        if stages.records && state[inner + 1] != 0 {
            let recorded = &state[inner + 2..];
            return match recorded[..=inner] == state[..=inner] {
                true => 0,
                false => self.of.back(system, recorded),
            };
        }
        let behind = stages.behind[at];
        let Some(condition) = stages.leaving[at].filter(|_| behind != DEAD_END) else {
            return behind;
        };
        let distance = self.distances.iter_mut().find(|(one, _)| *one == condition);
        match distance.map_or(0, |(_, distance)| distance.estimate(system, None)) {
            DEAD_END => DEAD_END,
            distance => distance.saturating_add(behind).min(DEAD_END - 1),
        }
    }

    fn claims(&self) -> Claims {
        self.of.claims
    }

    fn work(&self) -> u64 {
        self.distances.iter().map(|(_, one)| one.work()).sum()
    }

    fn bytes(&self) -> usize {
        self.distances.iter().map(|(_, one)| one.bytes()).sum()
    }
}
