//! Breadth-first search with sets of states, forward. (Backward: `bidirectional`.)
//!
//! ```text
//! reached, layer := initial
//! until layer is empty:
//!   look into layer for what is sought
//!   layer := next(layer) minus reached
//!   reached := reached or layer
//! ```
//! (Burch, Clarke, McMillan, Dill, Hwang, "Symbolic Model Checking: 10^20 States and
//! Beyond", 1992.) What is found in layer `n` is `n` steps away. The way to it is a
//! [`Corridor`]: in every layer the states from which it is as near as can be.

use homing_budget::Stop;

use crate::diagram::{Made, Set};
use crate::estimate::{Estimate, Make};
use crate::steps::Steps;

/// What a search looks for.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// Sets of states.
    pub states: Vec<Set>,
    /// A state without a step, in which somebody should go on.
    pub deadlock: bool,
    /// A step that fails.
    pub fault: bool,
    /// Whether all that can be reached must be seen before it may be said that something is
    /// out of reach: a step that fails, or a condition that cannot be evaluated, says that
    /// nothing is known of what is behind it. Then no dead end is left out.
    pub whole: bool,
}

impl Sought {
    /// How many there are.
    pub fn all(&self) -> usize {
        self.states.len() + usize::from(self.deadlock) + usize::from(self.fault)
    }
}

/// Something that a search looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// A state of the set with this number.
    State(usize),
    /// A deadlock.
    Deadlock,
    /// A step that fails.
    Fault,
}

/// Sets of states, one a step: from every state of one some step leads into the next, and
/// the initial state is in the first. In the last is what was found.
pub type Corridor = Vec<Set>;

/// How far a search is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// Images that were computed.
    pub iterations: u64,
    /// Steps from the initial state.
    pub depth: u32,
    /// Nodes there are.
    pub nodes: usize,
    /// Bytes of all nodes.
    pub bytes: usize,
    /// States that were reached.
    pub states: u128,
    /// States to be expanded next.
    pub frontier: u128,
}

/// Told of progress after every image; may end the search.
pub type Told<'t> = dyn FnMut(&Progress) -> Result<(), Stop> + 't;

/// What a search has come to.
#[derive(Debug)]
pub struct Outcome {
    /// What was found first of everything that was sought, with the way to it.
    pub found: Vec<(Which, Corridor)>,
    /// All states that were reached.
    pub reached: Set,
    /// Those of them that have a step that fails.
    pub failing: Set,
    /// The layers, or what the search expanded one after the other.
    pub layers: Vec<Set>,
    /// How far it came.
    pub progress: Progress,
    /// Why it ended before everything was reached or found.
    pub stopped: Option<Stop>,
}

/// A search under way.
pub(crate) struct Search<'r, 'e, 's> {
    pub(crate) steps: &'r Steps<'e, 's>,
    pub(crate) sought: &'r Sought,
    pub(crate) outcome: Outcome,
}

impl<'r, 'e, 's> Search<'r, 'e, 's> {
    pub(crate) fn new(steps: &'r Steps<'e, 's>, sought: &'r Sought) -> Self {
        let none = steps.encoding().diagrams().constant(false);
        let outcome = Outcome {
            found: Vec::new(),
            reached: none.clone(),
            failing: none,
            layers: Vec::new(),
            progress: Progress::default(),
            stopped: None,
        };
        Search { steps, sought, outcome }
    }

    /// Whether all that is sought was found, and anything was.
    pub(crate) fn is_done(&self) -> bool {
        let all = self.sought.all();
        all > 0 && self.outcome.found.len() == all
    }

    /// What is not found yet.
    pub(crate) fn open(&self) -> Vec<Which> {
        let Sought { states, deadlock, fault, .. } = self.sought;
        let states = (0..states.len()).map(Which::State);
        let deadlock = deadlock.then_some(Which::Deadlock);
        let all = states.chain(deadlock).chain(fault.then_some(Which::Fault));
        all.filter(|which| !self.outcome.found.iter().any(|(found, _)| found == which)).collect()
    }

    /// Notes which states of a set have a step that fails.
    pub(crate) fn note_failing(&mut self, set: &Set) -> Made<Set> {
        let failing = self.steps.failing(set)?;
        let d = self.steps.encoding().diagrams();
        self.outcome.failing = d.or(&self.outcome.failing, &failing)?;
        Ok(failing)
    }

    /// All states that are what is sought, reachable or not.
    pub(crate) fn goal(&self, which: Which) -> Made<Set> {
        let encoding = self.steps.encoding();
        let goal = match which {
            Which::State(number) => self.sought.states[number].clone(),
            Which::Deadlock => self.steps.stuck(encoding.valid())?,
            Which::Fault => self.steps.failing(encoding.valid())?,
        };
        encoding.diagrams().and(&goal, encoding.valid())
    }

    /// All states that are what is sought, and the estimate of the way to them.
    pub(crate) fn estimate(&self, which: Which, make: &Make) -> Made<(Set, Estimate)> {
        let goal = self.goal(which)?;
        let estimate = make(self.steps, &goal)?;
        let estimate = match self.sought.whole {
            true => estimate.whole(self.steps)?,
            false => estimate,
        };
        Ok((goal, estimate))
    }

    /// Looks for what is sought in a set; for everything found, where.
    pub(crate) fn hits(&mut self, set: &Set) -> Made<Vec<(Which, Set)>> {
        let d = self.steps.encoding().diagrams();
        let failing = self.note_failing(set)?;
        let mut hits = Vec::new();
        for which in self.open() {
            let hit = match which {
                Which::State(number) => d.and(set, &self.sought.states[number])?,
                Which::Deadlock => self.steps.stuck(set)?,
                Which::Fault => failing.clone(),
            };
            if !hit.is_empty() {
                hits.push((which, hit));
            }
        }
        Ok(hits)
    }

    /// Notes how far it is, and says so where it is to go on.
    pub(crate) fn tell(&mut self, frontier: &Set, told: &mut Told) -> Made<()> {
        let done = self.is_done();
        let encoding = self.steps.encoding();
        let d = encoding.diagrams();
        let progress = &mut self.outcome.progress;
        progress.iterations += 1;
        (progress.nodes, progress.bytes) = (d.nodes(), d.bytes());
        progress.states = encoding.count(&self.outcome.reached);
        progress.frontier = encoding.count(frontier);
        if done { Ok(()) } else { told(progress) }
    }
}

/// Searches breadth first until all that is sought was found or everything was reached.
pub fn breadth(steps: &Steps, sought: &Sought, told: &mut Told) -> Outcome {
    let mut search = Search::new(steps, sought);
    search.outcome.stopped = search.breadth(told).err();
    search.outcome
}

impl Search<'_, '_, '_> {
    fn breadth(&mut self, told: &mut Told) -> Made<()> {
        let encoding = self.steps.encoding();
        let d = encoding.diagrams();
        let mut layer = encoding.initial().clone();
        while !layer.is_empty() {
            self.outcome.reached = d.or(&self.outcome.reached, &layer)?;
            self.outcome.layers.push(layer.clone());
            for (which, hit) in self.hits(&layer)? {
                let corridor = backwards(self.steps, &self.outcome.layers, hit)?;
                self.outcome.found.push((which, corridor));
            }
            self.tell(&layer, told)?;
            if self.is_done() {
                break;
            }
            layer = d.minus(&self.steps.next(&layer)?, &self.outcome.reached)?;
            self.outcome.progress.depth += u32::from(!layer.is_empty());
        }
        Ok(())
    }
}

/// The way through layers, each of which holds all that the one before it leads to and no
/// layer before, into a set in the last.
fn backwards(steps: &Steps, layers: &[Set], hit: Set) -> Made<Corridor> {
    let d = steps.encoding().diagrams();
    let mut corridor = vec![hit];
    for layer in layers.iter().rev().skip(1) {
        let before = steps.previous(&corridor[corridor.len() - 1])?;
        corridor.push(d.and(layer, &before)?);
    }
    corridor.reverse();
    Ok(corridor)
}
