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
//! A [`Preference`] puts a queue in front of the rank: any of these searches
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
//! Where the space says that some successors are enough, the others are visited
//! only where the proviso for any order asks for it: `crate::proviso`.
//!
//! Deviation: with an estimate that is admissible but not consistent, closed
//! states are re-opened, as the survey's algorithm does. So they are in any
//! search under a bound, where a state reached too late would hide what lies
//! behind it (the survey's pitfall).

mod expand;
mod visit;

use std::ops::Range;

use homing_core::{
    Batch, Column, Cost, DEAD_END, Distance, Heuristic, Id, Open, Preference, Price, StopReason,
    Store, Watch, Word,
};

use crate::costs::{Costs, Priced, Steps};
use crate::keys::Weights;
use crate::nodes::{Nodes, Origin};
use crate::proviso::Proviso;
use crate::recent::Recent;
use crate::task::{Finding, Findings, Outcome, Statistics, Task};

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
    fn is_sum(self) -> bool {
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

/// What directs a search.
#[derive(Default)]
pub struct Guide<'a> {
    /// How far a state is from the goal.
    pub heuristic: Option<Box<dyn Heuristic + 'a>>,
    /// Which steps to follow first.
    pub preference: Option<Box<dyn Preference + 'a>>,
    /// How far two states are from each other, for searches that ask for it
    /// ([`Algorithm::distance`](crate::strategy::Algorithm::distance)).
    pub distance: Option<Box<dyn Distance + 'a>>,
}

/// Successors looked up together.
const WINDOW: usize = 128;

/// Runs a best-first search for `task`. With a preference, `open` must be
/// [`Levels`](crate::open::Levels).
pub fn best_first<S, O>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    open: &mut O,
    guide: &mut Guide<'_>,
    watch: &mut Watch,
) -> Outcome
where
    S: Store + ?Sized,
    O: Open,
{
    match task.pricing {
        None => search(task, manner, store, open, guide, watch, Steps),
        Some(pricing) => search(task, manner, store, open, guide, watch, Priced::new(pricing)),
    }
}

fn search<S: Store + ?Sized, O: Open, C: Costs>(
    task: &Task,
    manner: Manner,
    store: &mut S,
    open: &mut O,
    guide: &mut Guide<'_>,
    watch: &mut Watch,
    costs: C,
) -> Outcome {
    let mut search = Search::new(task, manner, store, open, guide, watch, costs);
    let stopped = search.run(watch).err();
    search.outcome(stopped)
}

/// The state that is being expanded; of a window, the last of its states with
/// the mark of each in turn (estimates, and preferences that look at the state
/// itself, come with searches that have no windows).
#[derive(Default)]
struct Source {
    state: Vec<Word>,
    mark: u32,
    /// Its estimate, where estimates are lazy.
    estimate: Cost,
}

/// A state of a window.
#[derive(Clone)]
struct Expanded<V> {
    /// Where it comes from.
    origin: Origin,
    /// The cost of its path.
    path: V,
    /// Where its successors end in `pending`.
    end: usize,
    /// What the preference remembers of it.
    mark: u32,
    /// Its other successors in the batch, where those in `pending` may be enough.
    rest: Range<usize>,
    /// The places in `further` of the ends of larger sets that may be enough.
    further: Range<usize>,
}

pub(crate) struct Search<'a, 'g, S: ?Sized, O, C: Costs> {
    task: &'a Task<'a>,
    manner: Manner,
    costs: C,
    pub(crate) store: &'a mut S,
    pub(crate) open: &'a mut O,
    guide: &'a mut Guide<'g>,
    pub(crate) expander: Box<dyn homing_core::Expander + 'a>,
    nodes: Nodes,
    /// The least cost known of each state; only where ranks need it.
    paths: Option<Column<C::Value>>,
    /// Whether each state was expanded since it was reached at that cost; only
    /// where states reached more cheaply are opened again.
    settled: Option<Column<bool>>,
    /// Whether they are.
    reopens: bool,
    /// Whether it matters what the way to a state costs: where it is told that it
    /// is shortest, and where what lies beyond a limit is left out.
    frugal: bool,
    /// Whether states wait that the estimate gives up.
    dead_ends: bool,
    /// Whether the estimate is admissible, or there is none.
    admissible: bool,
    /// Whether the levels of a search by depth are those of the space.
    levels: bool,
    /// What paths may cost.
    bound: Option<Price>,
    /// What the preference remembers of each state.
    marks: Option<Column<u32>>,
    /// The state being expanded, for those who look at where a step starts.
    source: Source,
    batch: Batch,
    recent: Option<Recent>,
    /// The successors to visit, by their places in the batch, and their hashes.
    pending: Vec<usize>,
    hashes: Vec<u64>,
    window: Vec<Expanded<C::Value>>,
    /// Of all its states, see [`Batch::further`].
    further: Vec<usize>,
    /// Where the space says that some successors are enough: which states were
    /// expanded, and how.
    proviso: Option<Proviso>,
    /// The states themselves, where several are expanded jointly and somebody
    /// wants to look at them again.
    sources: Vec<Word>,
    pub(crate) findings: Findings,
    pub(crate) statistics: Statistics,
    /// No path that is still to be found costs less.
    at_least: Price,
    /// What paths behind the limit of steps cost at least, if there are any.
    behind: Price,
    beyond: Option<StopReason>,
    /// Whether the cost of a path that was followed did not fit.
    saturated: bool,
}

impl<'a, 'g, S, O, C> Search<'a, 'g, S, O, C>
where
    S: Store + ?Sized,
    O: Open,
    C: Costs,
{
    pub(crate) fn new(
        task: &'a Task,
        manner: Manner,
        store: &'a mut S,
        open: &'a mut O,
        guide: &'a mut Guide<'g>,
        watch: &Watch,
        costs: C,
    ) -> Self {
        let rank = manner.rank;
        let limits = watch.limits();
        // Under a mere depth limit a stack would open states again and again,
        // and nothing is claimed then. Stores without numbers have no columns.
        let reopens = store.keeps_states()
            && match rank {
                Rank::Depth => false,
                Rank::Newest => limits.bound.is_some(),
                Rank::Estimate => limits.bound.is_some() || limits.depth.is_some(),
                Rank::Sum(_) => true,
            };
        let width = task.space.width();
        let prunes = guide.preference.as_ref().is_some_and(|p| p.may_prune());
        // A preference that prunes has reasons of its own for leaving out steps; what
        // lies within a bound is searched whole.
        let reduces = task.space.puts_off() && !prunes && limits.bound.is_none();
        let proviso = reduces.then(|| Proviso::new(store.keeps_states()));
        let merges = guide.preference.as_ref().is_some_and(|p| p.may_merge() || p.may_prune());
        let nodes = Nodes::new(&*store, width, task.wants_anything());
        Search {
            task,
            manner,
            bound: limits.bound,
            open,
            expander: task.space.expander(),
            nodes,
            paths: (reopens || rank == Rank::Estimate || C::steps(C::WORST).is_none())
                .then(|| Column::new(C::WORST)),
            settled: reopens.then(|| Column::new(false)),
            reopens,
            frugal: reopens
                || rank == Rank::Depth
                    && (task.wants_anything() || limits.bound.is_some() || limits.depth.is_some()),
            dead_ends: false,
            admissible: guide.heuristic.as_ref().is_none_or(|h| h.claims().admissible),
            levels: true,
            marks: guide.preference.as_ref().map(|_| Column::new(u32::MAX)),
            source: Source { state: vec![0; width], ..Source::default() },
            guide,
            batch: Batch::new(width),
            recent: (rank == Rank::Depth && width > 0 && !merges).then(|| Recent::new(width)),
            pending: Vec::new(),
            hashes: Vec::new(),
            window: Vec::new(),
            further: Vec::new(),
            proviso,
            sources: Vec::new(),
            findings: Findings::default(),
            statistics: Statistics::default(),
            at_least: 0,
            behind: Price::MAX,
            beyond: None,
            saturated: false,
            costs,
            store,
        }
    }

    fn run(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.start()?;
        self.look(watch)?;
        self.go(watch)
    }

    /// Goes on until everything is found or searched.
    fn go(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.go_while(watch, |_| true)?;
        self.look(watch).or(Ok(()))
    }

    /// Goes on as long as something is left, and `more` says so.
    pub(crate) fn go_while(
        &mut self,
        watch: &mut Watch,
        more: impl Fn(&Self) -> bool,
    ) -> Result<(), StopReason> {
        while !self.findings.complete(self.task) && more(self) && self.fill_window(watch) {
            self.visit_window()?;
            if watch.due() || watch.limits().expansions.is_some() {
                self.look(watch)?;
            }
        }
        Ok(())
    }

    /// Whether everything is found or searched.
    pub(crate) fn is_done(&self) -> bool {
        self.findings.complete(self.task) || self.open.is_empty()
    }

    /// Looks at the watch.
    pub(crate) fn look(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let progress = &mut self.statistics.progress;
        progress.stored = self.store.len() as u64;
        progress.frontier = self.open.len() as u64;
        let columns = self.nodes.bytes()
            + self.paths.as_ref().map_or(0, Column::bytes)
            + self.settled.as_ref().map_or(0, Column::bytes)
            + self.marks.as_ref().map_or(0, Column::bytes)
            + self.proviso.as_ref().map_or(0, Proviso::bytes);
        let tables = self.guide.heuristic.as_ref().map_or(0, |h| h.bytes())
            + self.guide.preference.as_ref().map_or(0, |p| p.bytes());
        let bytes = self.store.bytes() + self.open.bytes() + columns + tables;
        progress.bytes = progress.bytes.max(bytes);
        watch.check(progress)
    }

    pub(crate) fn start(&mut self) -> Result<(), StopReason> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        self.window.clear();
        self.hash_from(0..self.batch.len(), true);
        let (origin, path, end) = (Origin::NONE, self.costs.one(), self.pending.len());
        self.window.push(Expanded { origin, path, end, mark: 0, rest: 0..0, further: 0..0 });
        self.visit_window()
    }

    /// Tests a state at its expansion.
    pub(super) fn test(&mut self, origin: Origin) -> bool {
        let open = self.findings.open_conditions(self.task);
        let state = &self.source.state;
        let violated = if open == 0 { 0 } else { self.expander.violated(state) & open };
        if violated != 0 {
            self.found(violated, origin);
        }
        self.findings.complete(self.task)
    }

    pub(super) fn found(&mut self, conditions: u64, origin: Origin) {
        let finding = self.finding(origin, None);
        self.findings.found(conditions, &finding.path);
    }

    pub(super) fn finding(&mut self, origin: Origin, fault: Option<homing_core::Fault>) -> Finding {
        let width = self.batch.width();
        let mut expander = self.task.space.expander();
        let pricing = self.task.pricing;
        let path = self.nodes.path(&*self.store, origin, &mut *expander, width, pricing);
        // A way that cannot be found again is left empty; replaying it will
        // not confirm the finding.
        Finding { path: path.unwrap_or_default(), fault }
    }

    /// Changes what the search goes by; the open list must have what waits.
    /// With `dead_ends`, what the estimate gives up still waits, with the
    /// greatest key.
    pub(crate) fn switch(&mut self, rank: Rank, dead_ends: bool) {
        self.manner.rank = rank;
        self.levels = false;
        self.dead_ends = dead_ends;
        self.admissible = false;
        self.frugal = false;
        self.store.disregard_costs();
        self.settled.get_or_insert_with(|| Column::new(false));
    }

    /// The work that estimates took.
    pub(crate) fn estimating(&self) -> u64 {
        self.guide.heuristic.as_ref().map_or(0, |heuristic| heuristic.work())
    }

    /// What directs it.
    pub(crate) fn guide(&mut self) -> &mut Guide<'g> {
        self.guide
    }

    /// Estimates a state that waits; `None` where it is a dead end.
    pub(crate) fn estimate_waiting(&mut self, entry: u32) -> Option<Cost> {
        self.store.load(Id(entry), &mut self.source.state);
        let heuristic = self.guide.heuristic.as_mut()?;
        let estimate = heuristic.estimate(&self.source.state, None);
        (estimate != DEAD_END).then_some(estimate)
    }

    pub(crate) fn outcome(mut self, stopped: Option<StopReason>) -> Outcome {
        let complete = self.findings.complete(self.task);
        self.statistics.progress.stored = self.store.len() as u64;
        // Without opening states again, more than what is beyond was cut.
        let cut = self.beyond == Some(StopReason::Bound)
            && !self.reopens
            && self.manner.rank != Rank::Depth;
        let stopped = match stopped {
            _ if complete => None,
            None if cut => Some(StopReason::Pruned),
            None => self.beyond,
            other => other,
        };
        // Reachability is kept, not length.
        self.statistics.reduced = self.proviso.as_ref().map_or(0, |proviso| proviso.reduced);
        let exact = self.store.is_exact()
            && self.statistics.reduced == 0
            && self.guide.preference.is_none()
            && !self.saturated
            && self.beyond != Some(StopReason::Pruned);
        // What one path a state, and no path beyond the goal, is enough for.
        let settles = self.task.pricing.is_none_or(|pricing| {
            pricing.algebra().is_isotone() && pricing.algebra().is_monotone()
        });
        let one_by_one = self.manner.jointly == 1;
        let optimal = exact
            && match self.manner.rank {
                Rank::Depth => self.levels && self.task.pricing.is_none(),
                // α of at least one half only makes the estimate smaller.
                Rank::Sum(weights) => {
                    one_by_one && settles && self.admissible && weights.path >= weights.estimate
                }
                Rank::Newest | Rank::Estimate => false,
            };
        Outcome {
            statistics: Statistics { queues: self.open.accesses(), ..self.statistics },
            at_least: match stopped {
                _ if !exact => 0,
                None if optimal && !complete || self.findings.is_empty() => Price::MAX,
                _ => self.at_least.min(self.behind),
            },
            findings: self.findings,
            stopped,
            optimal,
            notices: Vec::new(),
        }
    }
}
