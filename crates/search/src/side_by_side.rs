//! Several searches in turn, each over a visited set of its own: a blind one that misses
//! nothing, and others that may be lucky.
//!
//! ```text
//! begin another search by each guide that is made at once; if there is none,
//!   search breadth-first for `probe` expansions           (tiny spaces end here)
//! while anything waits for the blind search:
//!   begin another search: by the next guide, if what is left for making it is enough; or
//!     newest first, if there is none such yet
//!   slice := an eighth of what was done so far
//!   for every other search, while there is something left of their share:
//!     go on for a slice; or for several, if its least estimate fell last time
//!   blind: go on for half a slice
//! ```
//! Among zones the order of a search decides how many there are: a zone that covers others
//! should come before them, as it mostly does breadth-first. Over one visited set
//! ([`alternating`](crate::alternating)) a directed search would leave the blind one
//! many small zones to expand, so here they share nothing but what they found. What the others
//! do is lost to the proof, and bounded therefore: some times `head` for all of them, and
//! a `share` of the work so far on top, as there. Work by which an estimate falls is not
//! counted; and as there, a guide may prove that there is nothing to find.
//!
//! The blind search is an ordinary breadth-first search all the time: what it finds is
//! shortest, and what the others find is at least as long as the levels it searched.

use std::mem::{replace, swap, take};

use homing_core::{Cost, Open, Price, StopReason, Store, Watch};

use crate::alternating::{Aimed, Direct, Preparing, Shares, Sought, probe, share, sought};
use crate::best_first::{Explored, Lead, Manner, Rank};
use crate::costs::Steps;
use crate::guide::Guiding;
use crate::open::{Fifo, Lifo, Sorted};
use crate::task::{Outcome, Task};
use crate::turns::{Log, Who};

/// The searches beside the blind one, at most.
pub const MOST_SIDES: usize = 5;

/// The quanta of one turn, at most.
const MOST_QUANTA: u64 = 16;

/// The units of work that a successor takes: a step between zones takes about so many
/// times as long as one between plain states, which is what estimates count in.
pub const STEP: u64 = 8;

/// The successors before there is a dive.
const DIVES: u64 = 100_000;

/// How many times what estimates between plain states may take before they have a share.
const HEADS: u64 = 16;

/// Makes a store for a search beside the blind one; none where there is no memory for it.
pub type Fresh<'f, 's> = &'f dyn Fn() -> Option<Box<dyn Store + 's>>;

/// Searches blindly over `store`, and directed and newest first over others, in turn.
pub fn side_by_side<'s, 'g>(
    task: &Task,
    store: &mut (dyn Store + 's),
    fresh: Fresh<'_, 's>,
    shares: Shares,
    direct: Direct<'_, 'g>,
    log: &mut Log,
    watch: &mut Watch,
) -> Outcome {
    let mut none = Guiding::default();
    let mut blind = Lead::new(Manner::by(Rank::Depth), Fifo::default(), &mut none);
    let mut levels = Explored::new(task, store, &blind, watch.limits(), Steps);
    log.count_steps(STEP);
    log.begin(Who::Probe, &levels);
    let ready = Preparing::at_once(sought(&levels, task), &mut *direct);
    let before = if ready.is_empty() { shares.probe } else { 0 };
    if let Err(reason) = probe(&mut levels, &mut blind, before, watch) {
        log.end(&levels);
        return levels.outcome(&blind, Some(reason));
    }
    let (spent, foreign, largest) = (0, None, 0);
    let mut race = Race { task, levels, blind, shares, spent, foreign, largest, log };
    let stopped = race.run(fresh, ready, direct, watch).err();
    race.log.end(&race.levels);
    race.outcome(stopped)
}

/// The blind search, and what is known of all.
struct Race<'a, 'l, 'n, 's> {
    task: &'a Task<'a>,
    levels: Explored<'a, dyn Store + 's, Steps>,
    blind: Lead<'l, 'n, Fifo>,
    shares: Shares,
    /// What the others took, in units of work, but for that by which estimates fell.
    spent: u64,
    /// What the blind search had proven when one of the others found something: from then
    /// on it does not look for that.
    foreign: Option<Price>,
    /// The states of the largest store of the others.
    largest: u64,
    log: &'a mut Log,
}

/// A search beside the blind one.
struct Side<'a, 'g, 's> {
    who: Who,
    explored: Explored<'a, dyn Store + 's, Steps>,
    guide: Guiding<'g>,
    open: Queue,
    /// What it leads to.
    at: Sought,
    /// Its least estimate so far.
    least: Cost,
    /// The quanta of its next turn.
    quanta: u64,
    begun: bool,
    /// Whether the initial states are dead ends for it.
    refutes: bool,
}

/// What waits in it.
enum Queue {
    /// By estimates.
    Directed(Sorted),
    /// The newest first: a dive.
    Newest(Lifo),
}

impl<'s> Race<'_, '_, '_, 's> {
    /// One after the other has its turn, until everything is found or searched.
    fn run<'g>(
        &mut self,
        fresh: Fresh<'_, 's>,
        ready: Vec<Aimed<'g>>,
        direct: Direct<'_, 'g>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        let aside = Task { count: 0, ..*self.task };
        let mut slots: [Option<Box<dyn Store + 's>>; MOST_SIDES] = Default::default();
        let mut slots = slots.iter_mut();
        let mut sides: Vec<Side> = Vec::new();
        let mut preparing = Preparing::by(self.shares, 1, !ready.is_empty());
        let mut ready = ready.into_iter();
        let mut dived = false;
        while !self.is_done() {
            if slots.len() > 0 {
                let work = self.generated() * STEP;
                let next = || preparing.guide(work, self.sought(), &mut *direct);
                let aimed = ready.next().or_else(next);
                let dives = aimed.is_none() && !dived && self.generated() >= DIVES;
                let who = match aimed {
                    Some(_) => Who::Guide(self.log.guide(&self.levels)),
                    None => Who::Dive,
                };
                let store = (dives || aimed.is_some()).then(fresh).flatten();
                if let Some(store) = store
                    && let Some(slot) = slots.next()
                {
                    let store = &mut **slot.insert(store);
                    sides.push(Side::new(who, &aside, store, aimed, self.sought(), watch));
                }
                dived |= dives;
            }
            let slice = self.shares.slice(self.generated());
            for side in &mut sides {
                self.resumed(watch, |race, watch| race.side(side, slice * STEP, watch))?;
            }
            let sought = self.sought();
            sides.retain(|side| side.quanta > 0 && side.at.meets(sought));
            self.levels.waiting = sides.iter().map(Side::bytes).sum();
            self.log.begin(Who::Blind, &self.levels);
            let before = self.generated();
            self.resumed(watch, |race, watch| {
                race.levels.go_while(&mut race.blind, watch, |search, _| {
                    search.statistics.progress.generated - before < slice.div_ceil(2)
                })
            })?;
        }
        self.log.begin(Who::Blind, &self.levels);
        self.levels.go_on(&mut self.blind, watch)
    }

    /// A turn, and the rest of it where the task says that it goes on.
    fn resumed(
        &mut self,
        watch: &mut Watch,
        mut turn: impl FnMut(&mut Self, &mut Watch) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        loop {
            match turn(self, watch) {
                Err(reason) if self.task.goes_on(reason, watch) => {}
                ended => return ended,
            }
        }
    }

    fn generated(&self) -> u64 {
        self.levels.statistics.progress.generated
    }

    fn sought(&self) -> Sought {
        sought(&self.levels, self.task)
    }

    fn is_done(&self) -> bool {
        self.levels.is_done(&self.blind.open)
    }

    /// The turn of a search beside the blind one: as many quanta as it has earned, while
    /// these searches have not had their share. One that has nothing left to do, or no
    /// memory, gets none from then on.
    fn side(&mut self, side: &mut Side, quantum: u64, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(side.who, &self.levels);
        for _ in 0..side.quanta {
            let Shares { head, share: times, .. } = self.shares;
            let most = head * HEADS + share(self.generated() * STEP, times);
            if self.is_done() || self.spent >= most || !side.at.meets(self.sought()) {
                break;
            }
            let (least, estimating) = (side.least, side.guide.work());
            // Counts are of all searches.
            swap(&mut self.levels.statistics, &mut side.explored.statistics);
            side.explored.waiting = self.levels.bytes();
            let ended = side.quantum(quantum, watch);
            self.largest = self.largest.max(side.explored.statistics.progress.stored);
            if side.refutes && self.sought().is_one() {
                self.blind.open.clear();
                self.log.refute();
            }
            swap(&mut self.levels.statistics, &mut side.explored.statistics);
            self.log.estimated(side.guide.work() - estimating, side.least);
            let proven = self.levels.proven();
            if self.levels.findings.join(&side.explored.findings) {
                self.foreign.get_or_insert(proven);
            }
            let took = match ended {
                Ok(took) => took,
                Err(StopReason::StoreFull) => {
                    side.quanta = 0;
                    break;
                }
                Err(reason) => return Err(reason),
            };
            match side.least < least {
                true => side.quanta = (side.quanta * 2).min(MOST_QUANTA),
                false => {
                    self.spent += took;
                    side.quanta = (side.quanta / 2).max(1) * u64::from(!side.is_empty());
                    break;
                }
            }
        }
        Ok(())
    }

    /// What came of it.
    fn outcome(self, stopped: Option<StopReason>) -> Outcome {
        let mut outcome = self.levels.outcome(&self.blind, stopped);
        if let Some(proven) = self.foreign {
            outcome.optimal = false;
            outcome.at_least = outcome.at_least.min(proven);
        }
        let stored = &mut outcome.statistics.progress.stored;
        *stored = self.largest.max(*stored);
        outcome
    }
}

impl<'a, 'g, 's> Side<'a, 'g, 's> {
    /// A directed search; a dive for all that is sought where there is no guide.
    fn new(
        who: Who,
        task: &'a Task<'a>,
        store: &'a mut (dyn Store + 's),
        aimed: Option<Aimed<'g>>,
        all: Sought,
        watch: &Watch,
    ) -> Side<'a, 'g, 's> {
        let (mut guide, open, at) = match aimed {
            Some(Aimed { guide, at, newest, .. }) => {
                (guide.instance(), Queue::Directed(Sorted::new(newest)), at)
            }
            None => (Guiding::default(), Queue::Newest(Lifo::default()), all),
        };
        let lead = Lead::sharing(Manner::by(open.rank()), Fifo::default(), &mut guide);
        let explored = Explored::new(task, store, &lead, watch.limits(), Steps);
        Side {
            who,
            explored,
            guide,
            open,
            at,
            least: Cost::MAX,
            quanta: 1,
            begun: false,
            refutes: false,
        }
    }

    /// A quantum of work. Answers what it took.
    fn quantum(&mut self, quantum: u64, watch: &mut Watch) -> Result<u64, StopReason> {
        let shown = self.explored.statistics.progress.best.take();
        let took = match &mut self.open {
            Queue::Directed(open) => {
                let waiting = take(open);
                let (took, waiting) = self.go(Rank::Estimate, waiting, quantum, watch);
                self.open = Queue::Directed(waiting);
                took
            }
            Queue::Newest(open) => {
                let waiting = take(open);
                let (took, waiting) = self.go(Rank::Newest, waiting, quantum, watch);
                self.open = Queue::Newest(waiting);
                took
            }
        };
        let best = &mut self.explored.statistics.progress.best;
        self.least = self.least.min(best.unwrap_or(Cost::MAX));
        *best = [*best, shown].into_iter().flatten().min();
        took
    }

    fn go<O: Open>(
        &mut self,
        rank: Rank,
        open: O,
        quantum: u64,
        watch: &mut Watch,
    ) -> (Result<u64, StopReason>, O) {
        let Side { explored, guide, at, begun, refutes, .. } = self;
        let (at, task) = (*at, explored.task());
        let mut lead = Lead::sharing(Manner::by(rank), open, guide);
        let (generated, estimating) = (explored.statistics.progress.generated, lead.estimating());
        let start = match replace(begun, true) {
            true => Ok(()),
            false => {
                let dead_ends = explored.statistics.dead_ends;
                let start = explored.start(&mut lead);
                let dead_ends = explored.statistics.dead_ends > dead_ends;
                *refutes = start.is_ok() && dead_ends && lead.open.is_empty();
                start
            }
        };
        let taken = |search: &Explored<'_, dyn Store + 's, Steps>, estimated: u64| {
            (search.statistics.progress.generated - generated) * STEP + estimated - estimating
        };
        let ended = start.and_then(|()| {
            explored.go_while(&mut lead, watch, |search, lead| {
                taken(search, lead.estimating()) < quantum && at.meets(sought(search, task))
            })
        });
        let took = taken(explored, lead.estimating());
        (ended.map(|()| took), lead.open)
    }

    fn is_empty(&self) -> bool {
        match &self.open {
            Queue::Directed(open) => open.is_empty(),
            Queue::Newest(open) => open.is_empty(),
        }
    }

    fn bytes(&self) -> usize {
        let waiting = match &self.open {
            Queue::Directed(open) => open.bytes(),
            Queue::Newest(open) => open.bytes(),
        };
        self.explored.bytes() + waiting
    }
}

impl Queue {
    fn rank(&self) -> Rank {
        match self {
            Queue::Directed(_) => Rank::Estimate,
            Queue::Newest(_) => Rank::Newest,
        }
    }
}
