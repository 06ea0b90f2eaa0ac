//! Searches for runs without an end that are accepted.
//!
//! Steps of a space are in acceptance sets
//! ([`Space::acceptance_sets`](homing_core::Space::acceptance_sets)); a run is
//! accepted that takes steps of every set again and again. If there is one, there is
//! a *lasso*: a path to a state, the stem, and a round from there through all sets.
//!
//! | search | acceptance sets | bits a state | reports |
//! |---|---|---|---|
//! | `tarjan` | any | 2 | when a component is complete |
//! | `nested` | one | 2 | when an accepting state is left |
//! | `ndfs` | one | 2 | often as soon as the cycle is closed |
//! | `couvreur` | any | 2 | as soon as cycles through all sets are closed |
//! | `streett` | any, and pairs | 2 | as `couvreur`, or when a component is complete |
//! | `directed-nested` | one | 2 | as `ndfs`, along estimates |
//! | `cndfs` | one | a word | as `ndfs`, by several threads |
//! | `owcty` | any | a counter | after the whole space was seen |
//!
//! All but the last two are depth-first walks (`walk`) over one `base`: the store, what is
//! noted of its states, reduction and its proviso, conditions met on the way. Where
//! there are no acceptance sets, every cycle is accepted. Searches for one set get
//! spaces of more by a wrapper that counts them through. Where states request and steps
//! grant what must not be withheld for ever
//! ([`Space::streett_pairs`](homing_core::Space::streett_pairs)), only `streett` decides. What was found is
//! made shorter by the same search, not so deep (`shallow`), and by
//! [`improve`](mod@improve).

mod ball;
mod base;
mod cndfs;
mod couvreur;
mod directed;
pub mod improve;
mod ndfs;
mod nested;
mod owcty;
mod red;
mod rounds;
mod shallow;
mod streett;
mod tarjan;
mod walk;

use homing_core::{Distance, Progress, StopReason, Watch};

use crate::depth_first::depth_first;
use crate::guide::Guiding;
use crate::path::Lasso;
use crate::strategy::Context;
use crate::task::{Outcome, Statistics, Task};
use base::Base;
use cndfs::{WORKERS, cndfs};
use directed::Promising;
use improve::improve;
use walk::{Order, Walk};

/// A search for lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Search {
    Tarjan,
    Nested,
    Ndfs,
    Couvreur,
    Streett,
    DirectedNested,
    Cndfs,
    Owcty,
}

impl Search {
    /// How many acceptance sets it copes with.
    pub(crate) fn most_sets(self) -> u32 {
        match self {
            Search::Nested | Search::Ndfs | Search::DirectedNested | Search::Cndfs => 1,
            Search::Tarjan | Search::Couvreur | Search::Streett | Search::Owcty => u64::BITS,
        }
    }

    /// Searches within so many expansions, and makes a lasso that is found shorter by this
    /// effort, or by one in proportion to the search. Without a lasso to look for, this is
    /// a depth-first search.
    pub(crate) fn run(self, mut run: Context<'_, '_>, within: u64, effort: Option<u64>) -> Outcome {
        let task = run.task;
        if !task.lasso {
            return depth_first(task, None, run.stores, &mut run.guide.instance(), run.watch);
        }
        let (sets, pairs) = (task.space.acceptance_sets(), task.space.streett_pairs());
        let refused = match () {
            () if sets > self.most_sets() => {
                Some(format!("the search is for {} acceptance sets, not {sets}", self.most_sets()))
            }
            () if pairs > 0 && self != Search::Streett => {
                Some("the search does not decide whether what is requested is granted".into())
            }
            () => None,
        };
        if let Some(notice) = refused {
            return Outcome { notices: vec![notice], ..Outcome::stopped(StopReason::Pruned) };
        }
        let most = run.watch.limits().expansions;
        let fewest = most.map_or(within, |most| most.min(within));
        run.watch.limits_mut().expansions = (fewest < u64::MAX).then_some(fewest);
        let mut outcome = self.once(&mut run, task, Statistics::default());
        run.watch.limits_mut().expansions = most;
        if let Some(lasso) = outcome.findings.lasso.take() {
            let progress = &outcome.statistics.progress;
            let effort = effort.unwrap_or_else(|| proportionate(progress, &lasso));
            let rest = effort / 4;
            let statistics = &mut outcome.statistics;
            let lasso = shallow::again(self, &mut run, lasso, effort - rest, statistics);
            let improved = improve(task.space, lasso, rest, &mut statistics.progress, run.watch);
            outcome.findings.lasso = Some(improved.lasso);
            // What else was found need not be.
            let others = task.conditions != 0 || task.deadlock || task.fault;
            outcome.optimal = improved.shortest && !others;
        }
        outcome
    }

    /// One search, with an empty store, which goes on counting from `before`.
    fn once(self, run: &mut Context<'_, '_>, task: &Task<'_>, before: Statistics) -> Outcome {
        let Context { stores, guide, watch, .. } = run;
        if self == Search::Cndfs {
            let workers = watch.crew().threads.min(WORKERS);
            return match stores.shared(workers) {
                Ok(Some(store)) => cndfs(task, store, workers, before, watch),
                Ok(None) => {
                    Outcome { notices: vec![ALONE.into()], ..Outcome::stopped(StopReason::Pruned) }
                }
                Err(reason) => Outcome { statistics: before, ..Outcome::stopped(reason) },
            };
        }
        let store = match stores.fresh() {
            Ok(store) => store,
            Err(reason) => return Outcome { statistics: before, ..Outcome::stopped(reason) },
        };
        let mut base = Base::new(task, store, watch.limits());
        base.statistics = before;
        if self == Search::Owcty {
            let stopped = owcty::owcty(&mut base, watch).err();
            return base.outcome(stopped);
        }
        let Guiding { heuristic, distance, .. } = guide.instance();
        let order: Option<Box<dyn Order + '_>> = match self {
            Search::DirectedNested => {
                let classes = task.space.classes();
                Some(Box::new(Promising::new(classes, heuristic)))
            }
            _ => None,
        };
        let mut walk = Walk::new(base, order);
        let stopped = self.walk(&mut walk, distance, watch).err();
        walk.base.outcome(stopped)
    }

    fn walk(
        self,
        walk: &mut Walk<'_>,
        between: Option<&dyn Distance>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        walk.base.look_now(watch, 0, 0)?;
        match self {
            Search::Tarjan => tarjan::tarjan(walk, watch),
            Search::Nested => nested::nested(walk, watch),
            Search::Ndfs => ndfs::ndfs(walk, watch),
            Search::DirectedNested => directed::directed_nested(walk, between, watch),
            Search::Streett => streett::streett(walk, watch),
            Search::Couvreur | Search::Owcty | Search::Cndfs => couvreur::couvreur(walk, watch),
        }
    }
}

/// Why several threads do not search.
const ALONE: &str = "the search takes a visited set that several threads can fill";

/// How much is spent on making a lasso shorter where nothing is said: as much as on
/// finding it, and more the longer it is.
fn proportionate(progress: &Progress, lasso: &Lasso) -> u64 {
    let length = lasso.path.len() as u64;
    progress.expanded + (LEAST_EFFORT + EFFORT_A_STEP * length).min(MOST_EFFORT)
}

/// What is spent on a lasso however soon it was found: on each, for each of its steps,
/// and at most.
const LEAST_EFFORT: u64 = 1000;
const EFFORT_A_STEP: u64 = 200;
const MOST_EFFORT: u64 = 30_000;
