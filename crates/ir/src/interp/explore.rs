//! Breadth-first exploration, for tests: what engines are compared with.

use std::collections::HashMap;

use super::{Interpreter, RuntimeError, State};
use crate::trace::{Step, Trace};

/// What an exploration found.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The states, in the order they were found.
    pub states: Vec<State>,
    /// The least number of steps to each state.
    pub depths: Vec<u32>,
    /// How each state was found: from which, by which step. `None` for the
    /// initial state.
    pub parents: Vec<Option<(usize, Step)>>,
    /// The number of steps that lead to a state, counted from every state.
    pub transitions: usize,
    /// The states that are deadlocks.
    pub deadlocks: Vec<usize>,
    /// The run-time errors.
    pub faults: Vec<Fault>,
    /// Whether all reachable states were found and expanded.
    pub complete: bool,
}

/// A run-time error met in an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The state, by its position in [`Exploration::states`].
    pub state: usize,
    /// The step that fails.
    pub step: Step,
    /// Why.
    pub error: RuntimeError,
}

impl Interpreter<'_> {
    /// Explores the reachable states breadth first. Ends with what it has
    /// when there are more than `limit`.
    pub fn explore(&self, limit: usize) -> Exploration {
        let mut found = Exploration::default();
        // A seeded map is no danger here: nothing depends on its order.
        let mut known: HashMap<State, usize> = HashMap::new();
        found.add(&mut known, self.initial(), 0, None);
        let mut next = 0;
        while next < found.states.len() {
            if found.states.len() > limit {
                return found;
            }
            self.expand(&mut found, &mut known, next);
            next += 1;
        }
        found.complete = true;
        found
    }

    fn expand(&self, found: &mut Exploration, known: &mut HashMap<State, usize>, at: usize) {
        let steps = self.steps(&found.states[at]);
        if steps.is_empty() && !self.may_rest(&found.states[at]) {
            found.deadlocks.push(at);
        }
        for (step, outcome) in steps {
            match outcome {
                Err(error) => found.faults.push(Fault { state: at, step, error }),
                Ok(state) => {
                    found.transitions += 1;
                    let depth = found.depths[at] + 1;
                    found.add(known, state, depth, Some((at, step)));
                }
            }
        }
    }
}

impl Exploration {
    fn add(
        &mut self,
        known: &mut HashMap<State, usize>,
        state: State,
        depth: u32,
        parent: Option<(usize, Step)>,
    ) {
        if !known.contains_key(&state) {
            known.insert(state.clone(), self.states.len());
            self.states.push(state);
            self.depths.push(depth);
            self.parents.push(parent);
        }
    }

    /// The number of breadth-first levels behind the initial state: the
    /// greatest depth, as the tables of BEEM count.
    pub fn levels(&self) -> usize {
        self.depths.last().map_or(0, |depth| *depth as usize)
    }

    /// The first state found that satisfies `goal`; one at least distance.
    pub fn find(&self, goal: impl Fn(&State) -> bool) -> Option<usize> {
        self.states.iter().position(goal)
    }

    /// The least number of steps to a state that satisfies `goal`.
    pub fn distance(&self, goal: impl Fn(&State) -> bool) -> Option<u32> {
        self.find(goal).map(|state| self.depths[state])
    }

    /// A shortest trace to a state, by its position in
    /// [`Exploration::states`].
    pub fn trace(&self, state: usize) -> Trace {
        let mut steps = Vec::new();
        let mut at = state;
        while let Some((parent, step)) = &self.parents[at] {
            steps.push(step.clone());
            at = *parent;
        }
        steps.reverse();
        Trace::new(steps)
    }
}
