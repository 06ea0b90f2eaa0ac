//! Randomised guided search: random walks that prefer small estimates.
//!
//! Section 4 of the survey names it among the local searches; the walk itself is
//! West's ("Protocol validation by random state exploration", 1986), the choice
//! by rank that of ranking selection in genetic algorithms.
//!
//! ```text
//! repeat `walks` times:
//!   s := an initial state
//!   repeat `length` times, while s has successors that are no dead ends:
//!     if s is a goal: done
//!     rank the successors by their estimates, equal ones alike: 0, 1, 2, …
//!     s := one of them, each with a probability in proportion to (1 − greed)^rank
//! ```
//!
//! Without greed all successors are equally likely; with all of it, only the
//! best are taken. Nothing is remembered but the walk, which may go through a
//! state many times: the trace leaves out what lies between two visits. The same
//! seed gives the same walks. Finding nothing means nothing.

mod monte_carlo;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{
    Batch, Cost, DEAD_END, Edge, Expander, Fault, Price, Random, StopReason, Watch, Word,
};

use self::monte_carlo::Jumping;
pub use self::monte_carlo::MONTE_CARLO;
use crate::costs::{Costs, Priced, Steps};
use crate::guide::Guiding;
use crate::path::Path;
use crate::strategy::{
    Algorithm, Context, ESTIMATE, SEED, Strategy, StrategyBuilder, directed, seeded,
};
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

const LENGTH: Parameter =
    Parameter { name: "length", about: "the most steps of a walk", default: "1000" };

const WALKS: Parameter =
    Parameter { name: "walks", about: "how many walks there are", default: "10000" };

const GREED: Parameter = Parameter {
    name: "greed",
    about: "by how many percent each rank is less likely than the one before: 0 for any successor, 100 for the best only",
    default: "80",
};

/// The row.
pub const GUIDED_WALK: Row<StrategyBuilder> = Row {
    name: "guided-walk",
    kind: Kind::Strategy,
    about: "randomised guided search: random walks from the start, the more likely to a state the smaller its estimate",
    cite: "West 1986",
    parameters: &[ESTIMATE, LENGTH, WALKS, GREED, SEED],
    needs: &[],
    gives: &[Capability::Directed, Capability::Lossy, Capability::MemoryBounded],
    uses: &[],
    build,
};

fn build(call: &Call, seed: u64) -> Result<Strategy, String> {
    let (call, seed) = seeded(call, seed)?;
    let walk = GuidedWalk {
        length: LENGTH.at_least(&call, 1)?,
        walks: WALKS.at_least(&call, 1)?,
        greed: GREED.number(&call)?,
        seed,
        jumping: None,
    };
    if walk.greed > 100 {
        return Err(format!("`greed` of `{}` is a percentage, {} is not", call.name, walk.greed));
    }
    directed(&call, &[LENGTH.name, WALKS.name, GREED.name, SEED.name], walk)
}

#[derive(Clone, Copy, Debug)]
struct GuidedWalk {
    length: u64,
    walks: u64,
    greed: u64,
    seed: u64,
    /// Whether walks are short and go on from the best end.
    jumping: Option<Jumping>,
}

impl Algorithm for GuidedWalk {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let Context { task, guide, watch, .. } = run;
        let guide = &mut guide.instance();
        match task.pricing {
            None => walk(*self, task, guide, watch, Steps),
            Some(pricing) => walk(*self, task, guide, watch, Priced::new(pricing)),
        }
    }
}

fn walk<C: Costs>(
    manner: GuidedWalk,
    task: &Task,
    guide: &mut Guiding<'_>,
    watch: &mut Watch,
    costs: C,
) -> Outcome {
    let mut search = Search::new(manner, task, guide, watch, costs);
    let stopped = match manner.jumping {
        None => search.run(watch).err(),
        Some(jumping) => search.jump(jumping, watch).err(),
    };
    search.outcome(stopped)
}

/// The weight of rank 0. The weights of a batch of successors must add up.
const WEIGHT: u64 = 1 << 32;

struct Search<'a, 'g, C: Costs> {
    manner: GuidedWalk,
    task: &'a Task<'a>,
    guide: &'a mut Guiding<'g>,
    costs: C,
    expander: Box<dyn Expander + 'a>,
    random: Random,
    batch: Batch,
    /// The walk: its states, the last one at the end, and the edges between.
    states: Vec<Word>,
    edges: Vec<Edge>,
    /// What the walk costs so far.
    path: C::Value,
    /// The successors that may be taken, with their estimates and costs.
    choices: Vec<(Cost, usize, C::Value)>,
    /// The best end of a walk so far, from where walks start: its estimate and cost, the
    /// states and edges to it.
    end: (Cost, C::Value),
    end_states: Vec<Word>,
    end_edges: Vec<Edge>,
    bound: Option<Price>,
    /// The most steps of all walks together, from the start.
    deepest: u64,
    findings: Findings,
    statistics: Statistics,
}

impl<'a, 'g, C: Costs> Search<'a, 'g, C> {
    fn new(
        manner: GuidedWalk,
        task: &'a Task,
        guide: &'a mut Guiding<'g>,
        watch: &Watch,
        costs: C,
    ) -> Search<'a, 'g, C> {
        let deepest = watch.limits().depth.map_or(u64::MAX, u64::from);
        Search {
            manner: GuidedWalk { length: manner.length.min(deepest), ..manner },
            deepest,
            task,
            guide,
            path: costs.one(),
            costs,
            expander: task.space.expander(),
            random: Random::new(manner.seed),
            batch: Batch::new(task.space.width()),
            states: Vec::new(),
            edges: Vec::new(),
            choices: Vec::new(),
            end: (DEAD_END, C::WORST),
            end_states: Vec::new(),
            end_edges: Vec::new(),
            bound: watch.limits().bound,
            findings: Findings::default(),
            statistics: Statistics::default(),
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.look(watch)?;
        for _ in 0..self.manner.walks {
            if !self.start() {
                break;
            }
            self.test();
            while self.goes_on() && self.step() {
                self.test();
                if watch.due() || watch.limits().expansions.is_some() {
                    self.look(watch)?;
                }
            }
            if self.findings.complete(self.task) {
                break;
            }
            self.look(watch)?;
        }
        self.look(watch).or(Ok(()))
    }

    /// Whether the walk is not at its end yet.
    fn goes_on(&self) -> bool {
        !self.findings.complete(self.task) && (self.edges.len() as u64) < self.manner.length
    }

    /// Goes to an initial state. Answers whether there is one that may lead to
    /// the goal.
    fn start(&mut self) -> bool {
        self.states.clear();
        self.edges.clear();
        self.path = self.costs.one();
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        let Some((chosen, path)) = self.choose(true) else { return false };
        self.path = path;
        self.states.extend_from_slice(self.batch.state(chosen));
        true
    }

    /// Takes one step. Answers whether there was one to take.
    fn step(&mut self) -> bool {
        let width = self.batch.width();
        let state = &self.states[self.states.len() - width..];
        self.batch.clear();
        self.expander.expand(state, &mut self.batch);
        self.costs.leaving(state);
        if let Some(heuristic) = &mut self.guide.heuristic {
            heuristic.expanding(state);
        }
        self.statistics.progress.expanded += 1;
        self.statistics.progress.generated += self.batch.len() as u64;
        self.note_ends();
        if self.findings.complete(self.task) {
            return false;
        }
        let Some((chosen, path)) = self.choose(false) else { return false };
        self.path = path;
        self.states.extend_from_slice(self.batch.state(chosen));
        self.edges.push(self.batch.edge(chosen));
        let steps = self.edges.len();
        let statistics = &mut self.statistics;
        statistics.levels = statistics.levels.max(steps as u32);
        statistics.progress.depth = steps as u32;
        true
    }

    /// Chooses a state of the batch, with what the walk to it costs.
    fn choose(&mut self, initial: bool) -> Option<(usize, C::Value)> {
        self.choices.clear();
        for i in 0..self.batch.len() {
            let path = match initial {
                true => self.path,
                false => self.costs.after(self.path, self.batch.edge(i)),
            };
            if self.bound.is_some_and(|bound| self.costs.ahead(path, 0) > bound) {
                continue;
            }
            let estimate = self.estimate(i, initial);
            if estimate == DEAD_END {
                self.statistics.dead_ends += 1;
            } else {
                self.choices.push((estimate, i, path));
            }
        }
        self.choices.sort_unstable_by_key(|(estimate, i, _)| (*estimate, *i));
        let draw = draw(&self.choices, self.manner.greed, &mut self.random)?;
        let (_, chosen, path) = self.choices[draw];
        Some((chosen, path))
    }

    fn estimate(&mut self, successor: usize, initial: bool) -> Cost {
        // Only ends are estimated where walks jump.
        let heuristic =
            self.guide.heuristic.as_mut().filter(|_| initial || self.manner.jumping.is_none());
        let Some(heuristic) = heuristic else { return 0 };
        let via = (!initial).then(|| self.batch.edge(successor));
        let estimate = heuristic.estimate(self.batch.state(successor), via);
        if estimate != DEAD_END {
            let best = &mut self.statistics.progress.best;
            *best = Some(best.map_or(estimate, |best| best.min(estimate)));
        }
        estimate
    }

    /// Tests the state at the end of the walk.
    fn test(&mut self) {
        let walked = self.edges.len() as u64 + 1;
        let progress = &mut self.statistics.progress;
        progress.stored = progress.stored.max(walked);
        let open = self.findings.open_conditions(self.task);
        let state = &self.states[self.states.len() - self.batch.width()..];
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            let path = self.finding(None).path;
            self.findings.found(violated, &path);
        }
    }

    /// Notes what only shows when the end of the walk is expanded.
    fn note_ends(&mut self) {
        self.statistics.deadlocks += u64::from(self.batch.deadlock());
        self.statistics.faults += self.batch.faults().len() as u64;
        if self.batch.deadlock() && self.task.deadlock && self.findings.deadlock.is_none() {
            self.findings.deadlock = Some(self.finding(None));
        }
        if self.task.fault
            && self.findings.fault.is_none()
            && let Some(fault) = self.batch.faults().first().copied()
        {
            self.findings.fault = Some(self.finding(Some(fault)));
        }
    }

    fn finding(&self, fault: Option<Fault>) -> Finding {
        let width = self.batch.width();
        let mut path = Path::starting_at(&self.states[..width]);
        for (step, edge) in self.edges.iter().enumerate() {
            path.push(*edge, &self.states[(step + 1) * width..(step + 2) * width]);
        }
        Finding { path: path.without_loops(), fault }
    }

    fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.frontier = self.choices.len() as u64;
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes());
        let walk = (self.states.capacity() + self.edges.capacity()) * size_of::<Word>();
        progress.bytes = progress.bytes.max(walk + tables);
        watch.check(progress)
    }

    fn outcome(self, stopped: Option<StopReason>) -> Outcome {
        // Where even the initial states are dead ends, nothing was left out.
        let hopeless = self.statistics.progress.stored == 0 && self.statistics.dead_ends > 0;
        Outcome {
            stopped: match stopped {
                _ if self.findings.complete(self.task) => None,
                None if !hopeless => Some(StopReason::Pruned),
                other => other,
            },
            findings: self.findings,
            statistics: Statistics { estimated: self.guide.work(), ..self.statistics },
            optimal: false,
            at_least: 0,
            notices: Vec::new(),
        }
    }
}

/// Draws one of the choices, which are sorted by their estimates. `None` where
/// there are none.
fn draw<V>(choices: &[(Cost, usize, V)], greed: u64, random: &mut Random) -> Option<usize> {
    let mut sum = 0;
    each_weight(choices, greed, |_, weight| {
        sum += weight;
        true
    });
    let drawn = random.below(sum);
    let mut below = 0;
    let mut chosen = None;
    each_weight(choices, greed, |choice, weight| {
        below += weight;
        chosen = Some(choice);
        below <= drawn
    });
    chosen
}

/// Calls `each` with every choice and its weight, until it answers `false`.
fn each_weight<V>(
    choices: &[(Cost, usize, V)],
    greed: u64,
    mut each: impl FnMut(usize, u64) -> bool,
) {
    let mut weight = WEIGHT;
    for (choice, (estimate, ..)) in choices.iter().enumerate() {
        if choice > 0 && choices[choice - 1].0 != *estimate {
            weight = weight * (100 - greed) / 100;
        }
        if !each(choice, weight) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of four choices is drawn, two of them alike.
    fn drawn(greed: u64) -> [u32; 4] {
        let choices = [(3, 0, ()), (3, 1, ()), (5, 2, ()), (9, 3, ())];
        let mut random = Random::new(1);
        let mut count = [0; 4];
        for _ in 0..7000 {
            count[draw(&choices, greed, &mut random).unwrap()] += 1;
        }
        count
    }

    #[test]
    fn greed_decides_on_ranks() {
        let near = |count: [u32; 4], expected: [u32; 4]| {
            assert!(
                count.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= b / 10),
                "{count:?} instead of {expected:?}"
            );
        };
        near(drawn(0), [1750, 1750, 1750, 1750]);
        near(drawn(50), [2545, 2545, 1273, 636]);
        near(drawn(100), [3500, 3500, 0, 0]);
        assert_eq!(draw::<()>(&[], 50, &mut Random::new(1)), None);
    }
}
