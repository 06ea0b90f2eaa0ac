//! The general best-first search.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (MoChArt 2008), section 3; A* is Hart, Nilsson, Raphael
//! (1968).
//!
//! ```text
//! open := {initial}, closed := ∅
//! while open is not empty:
//!   take s of least rank from open
//!   for every successor t of s:
//!     if t is new, or was reached at greater cost before (re-opening):
//!       g(t) := g(s) × c(s, t), parent(t) := s
//!       insert t into open with rank(g(t), h(t)), unless g(t) × h(t) is above the bound
//! ```
//!
//! | search | rank | open list | goal test |
//! |---|---|---|---|
//! | breadth-first | g | FIFO | at generation: the first state of a level is as near as any |
//! | newest first | – | LIFO | at generation: any way will do |
//! | greedy | h | buckets | at generation: any way will do |
//! | A* | g × h, ties on h | bucket matrix | at expansion: a cheaper way may still be found while it waits |
//! | Dijkstra | g | heap | at expansion, as in A* |
//! | weighted A* | αg + (1 − α)h | bucket matrix | at expansion, as in A* |
//!
//! *k-best-first* search takes the k best states at a time and expands them
//! together; *k-beam* search then forgets all others that wait (survey,
//! section 4).
//!
//! A [`Preference`](homing_core::Preference) puts a queue in front of the rank: any of these searches
//! then has several open lists, and takes states from the first that is not
//! empty (Wehrle, Kupferschmid, "Context-Enhanced Directed Model Checking",
//! 2010, Fig. 2). It judges the step by which a state is first reached; some
//! preferences prune steps, and open a state again that is reached by a step
//! with other consequences.
//!
//! A *lazy* estimate is asked only when a state is expanded; until then the
//! state waits with what its parent's estimate implies for it (Richter,
//! Helmert, "Preferred Operators and Deferred Evaluation in Satisficing
//! Planning", 2009).
//!
//! Where the rank is g, states are taken a *window* at a time: several states
//! of one level are expanded into one batch, their successors' places in the
//! store prefetched, and only then visited, in order. A window never mixes
//! levels, so results are those of the search without it.
//!
//! Where the space says that some successors are an ample set, the others are visited
//! only where the proviso for any order asks for it: `crate::proviso`.
//!
//! What there is to decide lies in a policy of its own, which says why it may:
//!
//! | policy | decides |
//! |---|---|
//! | `closing` | what is kept of a state, and whether a cheaper way opens it again |
//! | `bound` | what is left out because it lies beyond a limit |
//! | `promise` | what may be said of the cost of what is found |
//! | `crate::proviso` | which successors are an ample set |
//! | `lead` | the order: rank, open list, estimate, preference |
//!
//! A `Lead` belongs to one search; `Explored` is what searches over one visited set
//! share. A search is one of each; `crate::alternating` lets several leads take turns.
//!
//! Deviation: with an estimate that is admissible but not consistent, closed
//! states are re-opened, as the survey's algorithm does. So they are in any
//! search under a bound, where a state reached too late would hide what lies
//! behind it (the survey's pitfall).

mod bound;
mod closing;
mod expand;
mod explored;
mod handing;
mod keeping;
mod lead;
mod leaving;
mod promise;
mod visit;
mod window;

use homing_core::{Open, Store, Watch};

use crate::costs::{Costs, Priced, Steps};
use crate::guide::Guiding;
use crate::kept::Keep;
use crate::keys::Weights;
use crate::task::{Outcome, Task};

pub(crate) use bound::Bound;
pub(crate) use closing::{Closing, Covering};
pub(crate) use explored::Explored;
pub(crate) use handing::Helpers;
pub(crate) use lead::{FIRST, Lead};
pub(crate) use leaving::Stored;
pub(crate) use promise::Promise;

/// How states are ranked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rank {
    /// By their depth: the least first.
    Depth,
    /// By their age: the newest first, whatever their depth.
    Newest,
    /// By the estimate alone.
    Estimate,
    /// By the cost of the path and the estimate together.
    Sum(Weights),
}

impl Rank {
    pub(crate) fn is_sum(self) -> bool {
        matches!(self, Rank::Sum(_))
    }
}

/// How a best-first search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// How states are ranked.
    pub rank: Rank,
    /// How many states are expanded together, whatever their ranks.
    pub jointly: usize,
    /// Whether what waits behind them is forgotten.
    pub beam: bool,
}

impl Manner {
    /// One state after the other, none forgotten.
    pub fn by(rank: Rank) -> Manner {
        Manner { rank, jointly: 1, beam: false }
    }
}

/// Runs a best-first search for `task` over an empty open list. With a preference, it
/// must be [`Levels`](crate::open::Levels).
pub fn best_first<S, O>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    open: O,
    guide: &mut Guiding<'_>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    with_helpers(task, manner, store, open, guide, None, watch)
}

/// The same, in which others help once it turns out long.
pub(crate) fn with_helpers<S, O>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    open: O,
    guide: &mut Guiding<'_>,
    helpers: Option<Helpers<'_, '_>>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    let lead = Lead::new(manner, open, guide);
    match task.pricing {
        None => search(task, store, lead, (helpers, watch), &|| Steps),
        Some(pricing) => search(task, store, lead, (helpers, watch), &|| Priced::new(pricing)),
    }
}

/// The same, kept in a file.
pub(crate) fn kept<S: Store + ?Sized, O: Open + Default>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    guide: &mut Guiding<'_>,
    keep: &mut Keep<'_>,
    watch: &mut Watch,
) -> Outcome {
    let lead = Lead::new(manner, O::default(), guide);
    match task.pricing {
        None => search_kept(task, store, lead, keep, watch, Steps),
        Some(pricing) => search_kept(task, store, lead, keep, watch, Priced::new(pricing)),
    }
}

fn search_kept<S: Store + ?Sized, O: Open + Default, C: Costs>(
    task: &Task,
    store: &mut S,
    mut lead: Lead<'_, '_, O>,
    keep: &mut Keep<'_>,
    watch: &mut Watch,
    costs: C,
) -> Outcome {
    let mut explored = Explored::new(task, store, &lead, watch.limits(), costs);
    let stopped = explored.run_kept(&mut lead, keep, watch);
    explored.outcome(&lead, stopped.err())
}

fn search<S: Store + ?Sized, O: Open, C: Costs>(
    task: &Task,
    store: &mut S,
    mut lead: Lead<'_, '_, O>,
    (helpers, watch): (Option<Helpers<'_, '_>>, &mut Watch),
    costs: &(dyn Fn() -> C + Sync),
) -> Outcome {
    let mut explored = Explored::new(task, store, &lead, watch.limits(), costs());
    let stopped = match helpers.filter(|_| explored.can_share(&lead, watch.limits())) {
        Some(helpers) => explored.run_with(&mut lead, helpers, watch, costs),
        None => explored.run(&mut lead, watch),
    };
    explored.outcome(&lead, stopped.err())
}
