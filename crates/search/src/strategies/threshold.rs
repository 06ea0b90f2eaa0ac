//! Threshold refinement: the bound is searched for, up by doubling and down by
//! halving.
//!
//! Wah, Shang, "A comparative study of IDA*-style searches" (ICTAI 1994), the
//! "refined threshold determination" of section 4 of the survey: between
//! iterative deepening, which raises U by as little as possible, and branch
//! and bound, which lowers it by as little as possible.
//!
//! ```text
//! U := 1
//! loop:                                          (up)
//!   search depth-first, without what has f = g × h above U
//!   if nothing was cut: what was not found cannot be reached
//!   low := the least f that was cut
//!   if everything was found: leave the loop
//!   U := max(2 U, low)
//! for each goal found, at cost high:             (down)
//!   while low < high:
//!     U := ⌊(low + high − 1) / 2⌋
//!     search depth-first for this goal, without what has f above U
//!     if found at cost g: high := g
//!     else low := the least f that was cut
//! ```
//! A round starts with an empty store and opens states again that it reaches
//! at less cost, so it finds whatever costs at most U: `low` is proven. There
//! are about log U rounds up and as many down, each an exhaustive search below
//! its U.
//!
//! An estimate that is not admissible only orders successors and cuts nothing,
//! so the answer is a best one with any estimate.

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::{Price, StopReason};

use crate::depth_first::bounded::{Below, Round};
use crate::depth_first::{DEADLOCK, FAULT, Manner, Order};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::{Findings, Outcome, Statistics, Task};

/// Threshold refinement.
pub const THRESHOLD: Row<StrategyBuilder> = Row {
    name: "threshold",
    kind: Kind::Strategy,
    about: "depth-first rounds under a bound on the cost: doubled until something is found, then halved until the cost is proven least",
    cite: "Wah, Shang 1994",
    parameters: &[ESTIMATE],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[
        Capability::Complete,
        Capability::Shortest,
        Capability::Directed,
        Capability::Optimal,
        Capability::Costs,
    ],
    uses: &[],
    build: |call, _| directed(call, &[], Refining),
};

#[derive(Debug)]
struct Refining;

impl Algorithm for Refining {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, stores, guide, watch } = run;
        let guide = &mut guide.instance();
        let manner = Manner { order: Order::Best, ..Manner::default() };
        let below = Below { manner, stores, guide, watch };
        let mut rounds = Rounds { below, statistics: Statistics::default(), exhaustive: true };
        let mut found = Found::default();
        let ended = found.go_up(task, &mut rounds).and_then(|()| found.go_down(task, &mut rounds));
        let complete = found.findings.complete(task);
        let stopped = ended.err().filter(|_| !complete);
        let proven = found.traces.iter().all(|trace| trace.low >= trace.high);
        Outcome {
            optimal: proven && rounds.exhaustive,
            at_least: if rounds.exhaustive { found.at_least(complete, stopped) } else { 0 },
            findings: found.findings,
            statistics: rounds.statistics,
            stopped,
            notices: Vec::new(),
        }
    }
}

/// What was found, and what of it is proven.
#[derive(Default)]
struct Found {
    findings: Findings,
    traces: Vec<Trace>,
    /// What is not found costs at least this much.
    low: Price,
    /// Why some of it may still be there, though the last round cut nothing.
    unseen: Option<StopReason>,
}

/// A trace found, by its place among the prices of a search: a best one costs
/// at least `low`, this one costs `high`.
struct Trace {
    place: usize,
    low: Price,
    high: Price,
}

impl Found {
    /// Doubles the bound until everything is found or nothing is cut.
    fn go_up(&mut self, task: &Task, rounds: &mut Rounds<'_, '_>) -> Result<(), StopReason> {
        let mut threshold: Price = 1;
        loop {
            let open = self.open(task);
            let round = rounds.search(&open, threshold);
            for (place, price) in round.prices.iter().enumerate() {
                if let Some(high) = *price {
                    self.keep(place, &round.findings);
                    self.traces.push(Trace { place, low: self.low, high });
                }
            }
            if let Some(reason) = round.stopped {
                return Err(reason);
            }
            if round.findings.complete(&open) {
                return Ok(());
            }
            let Some(cut) = round.cut else {
                self.unseen = round.beyond;
                return Ok(());
            };
            self.low = cut;
            threshold = threshold.saturating_mul(2).max(cut);
        }
    }

    /// Halves the interval of each trace until it is proven to be a best one.
    fn go_down(&mut self, task: &Task, rounds: &mut Rounds<'_, '_>) -> Result<(), StopReason> {
        for trace in 0..self.traces.len() {
            let Trace { place, .. } = self.traces[trace];
            let only = only(task, place);
            while self.traces[trace].low < self.traces[trace].high {
                let Trace { low, high, .. } = self.traces[trace];
                let threshold = low + (high - 1 - low) / 2;
                let round = rounds.search(&only, threshold);
                if let Some(price) = round.prices.get(place).copied().flatten() {
                    self.keep(place, &round.findings);
                    self.traces[trace].high = price;
                } else if let Some(reason) = round.stopped {
                    return Err(reason);
                } else {
                    // A limit on steps may cut before the threshold does.
                    self.traces[trace].low = round.cut.unwrap_or(high).min(high);
                }
            }
        }
        self.unseen.map_or(Ok(()), Err)
    }

    /// The task without what was found.
    fn open<'t>(&self, task: &Task<'t>) -> Task<'t> {
        Task {
            conditions: self.findings.open_conditions(task),
            deadlock: task.deadlock && self.findings.deadlock.is_none(),
            fault: task.fault && self.findings.fault.is_none(),
            ..*task
        }
    }

    fn keep(&mut self, place: usize, findings: &Findings) {
        match place {
            DEADLOCK => self.findings.deadlock.clone_from(&findings.deadlock),
            FAULT => self.findings.fault.clone_from(&findings.fault),
            bit => {
                if let Some(finding) = &findings.conditions[bit] {
                    self.findings.found(1 << bit, &finding.path);
                }
            }
        }
    }

    /// What all traces, and what was not found, cost at least.
    fn at_least(&self, complete: bool, stopped: Option<StopReason>) -> Price {
        let open = if complete || stopped.is_none() { Price::MAX } else { self.low };
        self.traces.iter().map(|trace| trace.low.min(trace.high)).fold(open, Price::min)
    }
}

/// The task of finding one thing.
fn only<'t>(task: &Task<'t>, place: usize) -> Task<'t> {
    Task {
        conditions: if place < DEADLOCK { 1 << place } else { 0 },
        deadlock: place == DEADLOCK,
        fault: place == FAULT,
        ..*task
    }
}

/// Rounds, and what they did so far.
struct Rounds<'a, 'g> {
    below: Below<'a, 'g>,
    statistics: Statistics,
    /// Whether each saw all below its threshold.
    exhaustive: bool,
}

impl Rounds<'_, '_> {
    /// Searches below a threshold.
    fn search(&mut self, task: &Task, threshold: Price) -> Round {
        let mut round = self.below.search(task, Some(threshold));
        round.statistics.add(&self.statistics);
        self.statistics = round.statistics;
        self.exhaustive &= round.exhaustive;
        round
    }
}
