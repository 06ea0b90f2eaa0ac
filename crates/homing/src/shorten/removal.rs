//! Leaving out steps that a violation does not need.
//!
//! Delta debugging (Zeller, Hildebrandt 2002) on a run: stretches of its steps
//! are left out, half of the run first, then a quarter and so on down to single
//! steps. What comes behind is followed as far as it goes; a step that cannot
//! be taken any more is left out, too. So one attempt may remove a step together
//! with all that only undid it.

use std::ops::Range;

use homing_core::Edge;
use homing_ir::Step;
use homing_ir::network::ProcessId;

use super::Improving;
use super::run::{Followed, Next};

/// Attempts to leave out stretches of a run; the shorter run.
pub(super) fn remove(improving: &mut Improving, _: usize) -> Followed {
    let end = improving.follower.expanded.saturating_add(improving.share() / 4);
    let before = improving.follower.expanded;
    let mut removal = Removal::new(improving, end);
    removal.processes();
    removal.stretches();
    let run = removal.run;
    let expanded = improving.follower.expanded - before;
    improving.account(&homing_core::Progress { expanded, ..Default::default() });
    run
}

struct Removal<'i, 'a> {
    improving: &'i mut Improving<'a>,
    run: Followed,
    steps: Vec<Step>,
    /// When to stop: a number of expansions.
    end: u64,
}

impl<'i, 'a> Removal<'i, 'a> {
    fn new(improving: &'i mut Improving<'a>, end: u64) -> Self {
        let run = improving.best.clone();
        let steps = improving.follower.steps(&run);
        Removal { improving, run, steps, end }
    }

    fn spent(&self) -> bool {
        self.improving.follower.expanded >= self.end || self.improving.stopped().is_some()
    }

    /// Every process in turn stays where it is.
    fn processes(&mut self) {
        let processes =
            self.steps.iter().flat_map(|step| step.moves().flatten()).map(|edge| edge.process);
        let mut processes: Vec<ProcessId> = processes.collect();
        processes.sort_unstable();
        processes.dedup();
        for process in processes {
            if self.spent() {
                return;
            }
            let moves = |step: &Step| step.moves().flatten().any(|edge| edge.process == process);
            let leave = self.steps.iter().map(moves).collect::<Vec<_>>();
            self.attempt(0, &|i| leave[i]);
        }
    }

    fn stretches(&mut self) {
        let mut size = self.steps.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at < self.steps.len() && !self.spent() {
                let stretch: Range<usize> = at..at + size;
                if !self.attempt(at, &|i| stretch.contains(&i)) {
                    at += size;
                }
            }
            size /= 2;
        }
    }

    /// Leaves steps out, the first of which is not before `at`. Answers whether
    /// the rest is a shorter run to a violation, which is taken then.
    fn attempt(&mut self, at: usize, leave: &dyn Fn(usize) -> bool) -> bool {
        let at = at.min(self.run.edges.len());
        let mut state = self.run.states[at].clone();
        let mut states = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        let mut rest = (at..self.steps.len()).filter(|i| !leave(*i)).peekable();
        loop {
            let follower = &mut self.improving.follower;
            let (found, fault) = follower.expand(&state);
            if found {
                let taken = at + edges.len() + usize::from(fault.is_some());
                let shorter = taken < self.run.len();
                if shorter {
                    self.take(at, states, edges, fault);
                }
                return shorter;
            }
            let next = rest.find_map(|i| match follower.take(&mut state, &self.steps[i]) {
                Next::State(edge) => Some(edge),
                Next::None => None,
            });
            let Some(edge) = next else { return false };
            edges.push(edge);
            states.push(state.clone());
        }
    }

    /// Makes another end of the run.
    fn take(
        &mut self,
        at: usize,
        states: Vec<Vec<homing_core::Word>>,
        edges: Vec<Edge>,
        fault: Option<Edge>,
    ) {
        self.run.states.truncate(at + 1);
        self.run.states.extend(states);
        self.run.edges.truncate(at);
        self.run.edges.extend(edges);
        self.run.fault = fault;
        self.steps = self.improving.follower.steps(&self.run);
    }
}
