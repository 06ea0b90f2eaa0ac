//! Two searches over one visited set: a blind one that misses nothing, and a
//! directed one that may be lucky.
//!
//! ```text
//! search breadth-first for `probe` expansions            (small spaces end here)
//! while anything waits:
//!   make a guide; estimate a sample of what waits
//!   while this guide has done less than its `patience`:
//!     directed: take the state of least estimate, estimate its successors,
//!               up to `share` % of the blind search's work
//!     blind:    take states first in, first out, for `slice` successors
//! ```
//! Every state is expanded once, by whichever search comes to it first: what
//! the directed search did is handed over, its store and what it left open. A
//! space without the goal is therefore searched for the price of a blind search
//! and of the estimates made on the way. Alternation between open lists is
//! from planning (Röger, Helmert, "The More, the Merrier", ICAPS 2010).
//!
//! Shares are counted in work ([`Heuristic::work`](homing_core::Heuristic::work)),
//! not in time, so that all runs do the same.
//!
//! The two parts are two searches in types: the first is a breadth-first search and
//! promises what one does; `Explored::shared` ends it and hands over what it stored,
//! found and proved. Each directed search has its guide and its open list, and stands
//! beside the blind one's queue ([`Beside`]), in which everything waits; who adds a
//! second one adds a list, not a rule.
//!
//! Up to the end of the first part levels are those of breadth-first search:
//! what is found there is shortest, and what is found later is at least as
//! long as the levels searched.

use homing_core::{Open, StopReason, Store, Watch};

use crate::best_first::{Explored, Lead, Manner, Rank};
use crate::costs::Steps;
use crate::guide::{Guide, Guiding};
use crate::open::{Beside, Buckets, Fifo, Levels};
use crate::task::{Outcome, Task};

/// How two searches share the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Expansions before anything is estimated.
    pub probe: u64,
    /// Its share of the blind search's work, in percent.
    pub share: u64,
    /// The work of the blind search between two turns of the directed one.
    pub slice: u64,
    /// How many of the states that wait are estimated at first.
    pub sample: usize,
}

/// What is still to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sought {
    /// The conditions, as a bit set.
    pub conditions: u64,
    /// Whether a state without a step is sought.
    pub deadlock: bool,
    /// Whether a step that fails is sought.
    pub fault: bool,
}

/// A guide, and the work it may do before another has its turn.
pub struct Turn<'g> {
    /// The guide.
    pub guide: Guide<'g>,
    /// The work.
    pub patience: u64,
}

/// Makes the next guide to one of what is sought; none where there is none.
pub type Direct<'d, 'g> = &'d mut dyn FnMut(Sought) -> Option<Turn<'g>>;

/// Searches blindly and directed in turn. The store must keep states, and limits of
/// depth and cost are not for it: once searches take turns, nobody knows depths.
pub fn alternate<'g, S: Store + ?Sized>(
    task: &Task,
    store: &mut S,
    shares: Shares,
    direct: Direct<'_, 'g>,
    watch: &mut Watch,
) -> Outcome {
    let mut none = Guiding::default();
    let mut blind = Lead::new(Manner::by(Rank::Depth), Fifo::default(), &mut none);
    let mut levels = Explored::new(task, store, &blind, watch.limits(), Steps);
    if let Err(reason) = probe(&mut levels, &mut blind, shares.probe, watch) {
        return levels.outcome(&blind, Some(reason));
    }
    let first = match levels.is_done(&blind.open) {
        true => None,
        false => direct(sought(&levels, task)),
    };
    let Some(first) = first else {
        let stopped = levels.go_on(&mut blind, watch).err();
        return levels.outcome(&blind, stopped);
    };
    let mut turns = Turns { explored: levels.shared(), blind, task, shares, work: Work::default() };
    let stopped = turns.run(first, direct, watch).err();
    turns.explored.outcome(&turns.blind, stopped)
}

/// The first part: breadth-first search.
fn probe<S: Store + ?Sized>(
    levels: &mut Explored<'_, S, Steps>,
    blind: &mut Lead<'_, '_, Fifo>,
    expansions: u64,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    levels.start(blind)?;
    levels.look(blind, watch)?;
    levels.go_while(blind, watch, |levels, _| levels.statistics.progress.expanded < expansions)
}

/// The second part: searches over what they share, in turn.
struct Turns<'a, 'l, 'n, S: ?Sized> {
    explored: Explored<'a, S, Steps>,
    blind: Lead<'l, 'n, Fifo>,
    task: &'a Task<'a>,
    shares: Shares,
    work: Work,
}

/// The work of both searches so far.
#[derive(Default)]
struct Work {
    blind: u64,
    directed: u64,
}

/// A directed search: who guides it, and what it has estimated.
struct Directed<'g> {
    guide: Guiding<'g>,
    open: Levels<Buckets>,
    /// Whether it is directed at all that is sought: its dead ends are dead ends.
    only: bool,
}

/// What an estimate may take, in units of work, for what can be asked at once.
const ESTIMATE: u64 = 100;

impl<'g, S: Store + ?Sized> Turns<'_, '_, '_, S> {
    /// One guide after the other has its turn, until everything is found or searched.
    fn run(
        &mut self,
        first: Turn<'g>,
        direct: Direct<'_, 'g>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let mut next = Some(first);
        while let Some(Turn { guide, patience }) = next {
            let sought = self.sought();
            self.work.blind = self.work.blind.max(self.generated());
            let enough = self.work.directed.saturating_add(patience);
            let (guide, open) = (guide.instance(), Levels::default());
            let mut directed = Directed { guide, open, only: sought.is_one() };
            while self.sought() == sought && !self.is_done() && self.work.directed < enough {
                self.directed(&mut directed, watch)?;
                self.blind(watch)?;
            }
            next = match self.is_done() {
                true => None,
                false => direct(self.sought()),
            };
            self.explored.waiting = 0;
        }
        self.explored.go_on(&mut self.blind, watch)
    }

    fn generated(&self) -> u64 {
        self.explored.statistics.progress.generated
    }

    fn sought(&self) -> Sought {
        sought(&self.explored, self.task)
    }

    fn is_done(&self) -> bool {
        self.explored.is_done(&self.blind.open)
    }

    /// A directed search's turn.
    fn directed(
        &mut self,
        directed: &mut Directed<'_>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let Turns { explored, blind, shares, work, .. } = self;
        let left = (work.blind / 100 * shares.share).saturating_sub(work.directed);
        let Directed { guide, open, only } = directed;
        let open = Beside { own: open, blind: &mut blind.open, leaves: !*only };
        let mut lead = Lead::sharing(Manner::by(Rank::Estimate), open, guide);
        let start = done(explored, &lead);
        if left > 0 && lead.open.own.is_empty() {
            let most = shares.sample.min((left / ESTIMATE) as usize);
            for entry in lead.open.blind.sample(most) {
                match explored.estimate_waiting(&mut lead, entry) {
                    Some(estimate) => lead.open.own.push(entry, estimate.into()),
                    None => explored.statistics.dead_ends += u64::from(*only),
                }
            }
        }
        explored.waiting = 0;
        let ended =
            explored.go_while(&mut lead, watch, |search, lead| done(search, lead) - start < left);
        work.directed += done(explored, &lead) - start;
        explored.waiting = lead.bytes() - lead.open.blind.bytes();
        ended
    }

    /// The blind search's turn, while the directed one waits.
    fn blind(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        let (before, slice) = (self.generated(), self.shares.slice);
        self.explored.go_while(&mut self.blind, watch, |search, _| {
            search.statistics.progress.generated - before < slice
        })?;
        self.work.blind += self.generated() - before;
        Ok(())
    }
}

/// The work of successors and estimates.
fn done<S: Store + ?Sized, O: Open>(
    explored: &Explored<'_, S, Steps>,
    lead: &Lead<'_, '_, O>,
) -> u64 {
    explored.statistics.progress.generated + lead.estimating()
}

fn sought<S: Store + ?Sized>(explored: &Explored<'_, S, Steps>, task: &Task) -> Sought {
    let findings = &explored.findings;
    Sought {
        conditions: findings.open_conditions(task),
        deadlock: task.deadlock && findings.deadlock.is_none(),
        fault: task.fault && findings.fault.is_none(),
    }
}

impl Sought {
    /// Whether it is only one thing, so that its dead ends are dead ends.
    fn is_one(self) -> bool {
        self.conditions.count_ones() + u32::from(self.deadlock) + u32::from(self.fault) == 1
    }
}
