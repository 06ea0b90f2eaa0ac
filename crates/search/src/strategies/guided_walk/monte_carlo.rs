//! Monte-Carlo random walks: many short ones, of which only the ends are estimated, and on
//! from the best end.
//!
//! Nakhost, Müller, "Monte-Carlo Exploration for Deterministic Planning" (IJCAI 2009);
//! their planner is Arvand.
//!
//! ```text
//! repeat `restarts` times:
//!   s := an initial state, h_min := h(s), failed := 0
//!   while failed < `jumps`:                                          (MAX_STEPS)
//!     s_min := none
//!     repeat `walks` times:                                          (NUM_WALK)
//!       s' := s; repeat `length` times:                              (LENGTH_WALK)
//!         s' := a successor of s', each as likely; if it is a goal: done
//!       if h(s') < h(s_min): s_min := s'
//!     s := s_min, unless every walk ends in a dead end
//!     if h(s) < h_min: h_min := h(s), failed := 0; otherwise failed := failed + 1
//! ```
//! Deviations: the paper restarts without end, here finding nothing ends. Its walks that
//! grow longer, and its biased ones (MHA, MDA), are left out.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::{Cost, DEAD_END, StopReason, Watch};

use super::{GuidedWalk, Search};
use crate::costs::Costs;
use crate::strategy::{ESTIMATE, SEED, StrategyBuilder, directed, seeded};

const LENGTH: Parameter =
    Parameter { name: "length", about: "the steps of a walk (LENGTH_WALK)", default: "10" };

const WALKS: Parameter = Parameter {
    name: "walks",
    about: "how many walks there are before the next jump (NUM_WALK)",
    default: "2000",
};

const JUMPS: Parameter = Parameter {
    name: "jumps",
    about: "jumps without progress before a restart (MAX_STEPS)",
    default: "7",
};

const RESTARTS: Parameter =
    Parameter { name: "restarts", about: "how often it starts", default: "10" };

/// Monte-Carlo random walks.
pub const MONTE_CARLO: Row<StrategyBuilder> = Row {
    name: "monte-carlo-walk",
    kind: Kind::Strategy,
    about: "Monte-Carlo random walks: many short ones, and on from the end of least estimate; from the start again where that does not fall",
    cite: "Nakhost, Müller 2009",
    parameters: &[ESTIMATE, LENGTH, WALKS, JUMPS, RESTARTS, SEED],
    needs: &[],
    gives: &[Capability::Directed, Capability::Lossy, Capability::MemoryBounded],
    uses: &[],
    build: |call, seed| {
        let (call, seed) = seeded(call, seed)?;
        let jumping =
            Jumping { jumps: JUMPS.at_least(&call, 1)?, restarts: RESTARTS.at_least(&call, 1)? };
        let walk = GuidedWalk {
            length: LENGTH.at_least(&call, 1)?,
            walks: WALKS.at_least(&call, 1)?,
            greed: 0,
            seed,
            jumping: Some(jumping),
        };
        directed(&call, &[LENGTH.name, WALKS.name, JUMPS.name, RESTARTS.name, SEED.name], walk)
    },
};

/// How walks go on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jumping {
    jumps: u64,
    restarts: u64,
}

impl<C: Costs> Search<'_, '_, C> {
    /// Monte-Carlo random walks.
    pub(super) fn jump(&mut self, jumping: Jumping, watch: &mut Watch) -> Result<(), StopReason> {
        self.look(watch)?;
        for _ in 0..jumping.restarts {
            if !self.start() {
                break;
            }
            self.test();
            let (mut least, mut failed) = (self.estimate_end(), 0);
            while failed < jumping.jumps && !self.findings.complete(self.task) {
                self.go_to_best_end(watch)?;
                let falls = self.end.0 < least;
                failed = if falls { 0 } else { failed + 1 };
                least = least.min(self.end.0);
            }
        }
        self.look(watch).or(Ok(()))
    }

    /// Walks from where the walk so far ends, and goes on to the best end.
    fn go_to_best_end(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let (states, edges, path) = (self.states.len(), self.edges.len(), self.path);
        self.end.0 = DEAD_END;
        for _ in 0..self.manner.walks {
            self.states.truncate(states);
            self.edges.truncate(edges);
            self.path = path;
            let most = self.deepest.min(edges as u64 + self.manner.length);
            while (self.edges.len() as u64) < most && self.step() {
                self.test();
                if self.findings.complete(self.task) {
                    return Ok(());
                }
                if watch.due() || watch.limits().expansions.is_some() {
                    self.look(watch)?;
                }
            }
            if self.findings.complete(self.task) {
                return Ok(());
            }
            let estimate = self.estimate_end();
            if estimate < self.end.0 {
                self.end = (estimate, self.path);
                self.end_states.clear();
                self.end_states.extend_from_slice(&self.states[states..]);
                self.end_edges.clear();
                self.end_edges.extend_from_slice(&self.edges[edges..]);
            }
        }
        self.states.truncate(states);
        self.edges.truncate(edges);
        self.path = path;
        if self.end.0 != DEAD_END {
            self.states.extend_from_slice(&self.end_states);
            self.edges.extend_from_slice(&self.end_edges);
            self.path = self.end.1;
        }
        self.look(watch)
    }

    /// The estimate of where the walk ends.
    fn estimate_end(&mut self) -> Cost {
        let state = &self.states[self.states.len() - self.batch.width()..];
        let estimate = self.guide.heuristic.as_mut().map_or(0, |h| h.estimate(state, None));
        if estimate == DEAD_END {
            self.statistics.dead_ends += 1;
        } else {
            let best = &mut self.statistics.progress.best;
            *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        }
        estimate
    }
}
