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
//! Up to the end of the first part levels are those of breadth-first search:
//! what is found there is shortest, and what is found later is at least as
//! long as the levels searched.

use homing_core::{Open, StopReason, Store, Watch};

use crate::best_first::{Guide, Manner, Rank, Search};
use crate::costs::Steps;
use crate::open::Twin;
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

/// Searches blindly and directed in turn. The store must keep states.
pub fn alternate<'g, S: Store + ?Sized>(
    task: &Task,
    store: &mut S,
    shares: Shares,
    direct: Direct<'_, 'g>,
    watch: &mut Watch,
) -> Outcome {
    let mut none = Guide::default();
    let mut open = Twin::default();
    let manner = Manner::by(Rank::Depth);
    let mut search = Search::new(task, manner, store, &mut open, &mut none, watch, Steps);
    let stopped = run(&mut search, task, shares, direct, watch).err();
    search.outcome(stopped)
}

type Both<'a, 'g, S> = Search<'a, 'g, S, Twin, Steps>;

fn run<'g, S: Store + ?Sized>(
    search: &mut Both<'_, 'g, S>,
    task: &Task,
    shares: Shares,
    direct: Direct<'_, 'g>,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    search.start()?;
    search.look(watch)?;
    search.go_while(watch, |search| search.statistics.progress.expanded < shares.probe)?;
    let mut work = Work::default();
    while !search.is_done() {
        let sought = sought(search, task);
        let Some(Turn { mut guide, patience }) = direct(sought) else {
            return search.go_while(watch, |_| true);
        };
        work.blind = work.blind.max(search.statistics.progress.generated);
        let enough = work.directed.saturating_add(patience);
        let same = |search: &Both<'_, 'g, S>| self::sought(search, task) == sought;
        while same(search) && !search.is_done() && work.directed < enough {
            // The search has the guide only while it asks it.
            std::mem::swap(search.guide(), &mut guide);
            let ended = directed(search, shares, &mut work, sought.is_one(), watch);
            std::mem::swap(search.guide(), &mut guide);
            ended?;
            blind(search, shares, &mut work, watch)?;
        }
        search.open.forget();
    }
    search.look(watch).or(Ok(()))
}

/// The work of both searches so far.
#[derive(Default)]
struct Work {
    blind: u64,
    directed: u64,
}

/// What an estimate may take, in units of work, for what can be asked at once.
const ESTIMATE: u64 = 100;

/// The directed search's turn. `only` one thing is sought: its dead ends are
/// left out.
fn directed<S: Store + ?Sized>(
    search: &mut Both<'_, '_, S>,
    shares: Shares,
    work: &mut Work,
    only: bool,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    let allowed = work.blind / 100 * shares.share;
    let left = allowed.saturating_sub(work.directed);
    let start = done(search);
    search.switch(Rank::Estimate, !only);
    search.open.direct(true);
    if left > 0 && search.open.least().is_none() {
        for entry in search.open.sample(shares.sample.min((left / ESTIMATE) as usize)) {
            match search.estimate_waiting(entry) {
                Some(estimate) => search.open.also(entry, estimate.into()),
                None => search.statistics.dead_ends += u64::from(only),
            }
        }
    }
    let ended = search.go_while(watch, |search| done(search) - start < left);
    work.directed += done(search) - start;
    search.open.direct(false);
    ended
}

/// The blind search's turn.
fn blind<S: Store + ?Sized>(
    search: &mut Both<'_, '_, S>,
    shares: Shares,
    work: &mut Work,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    search.switch(Rank::Depth, false);
    let before = search.statistics.progress.generated;
    search
        .go_while(watch, |search| search.statistics.progress.generated - before < shares.slice)?;
    work.blind += search.statistics.progress.generated - before;
    Ok(())
}

/// The work of successors and estimates.
fn done<S: Store + ?Sized>(search: &Both<'_, '_, S>) -> u64 {
    search.statistics.progress.generated + search.estimating()
}

fn sought<S: Store + ?Sized>(search: &Both<'_, '_, S>, task: &Task) -> Sought {
    let findings = &search.findings;
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
