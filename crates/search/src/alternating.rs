//! Several searches over one visited set: a blind one that misses nothing, and others
//! that may be lucky.
//!
//! ```text
//! search breadth-first for `probe` expansions            (tiny spaces end here)
//! while anything waits:
//!   make a guide, if four times as much was done as before the last
//!   slice := an eighth of what was done so far
//!   for every guide, while there is something left of their share:
//!     directed: take the state of least estimate, estimate its successors, for a
//!               slice; or for several, if its least estimate fell last time
//!   dive:  take the newest state, for half a slice
//!   blind: take states first in, first out, for half a slice
//!   in a long search: the others for a sixteenth of that, the blind one for a whole slice
//! ```
//! A directed search begins at the initial states and keeps an order of its own, as if it
//! were alone: a state that another search reached before is *met*, estimated, and waits
//! in its list too; a state that another search expanded is expanded again for it, if it
//! comes first there. Otherwise the others would cut off its way. What nobody expanded yet
//! is expanded for all: the blind search, which is the proof in the end, passes over it.
//!
//! So what a space without the goal costs above a blind search is the making of guides,
//! estimates, and what is expanded again. The first is why each guide waits until enough
//! was done. The others are what `share` is about: they may take `head` units of work, and
//! `share` percent of the successors so far on top. When that is spent, guides that are looked up
//! in tables go on, and leave out what others expanded; those that compute wait. Work by
//! which the least estimate falls is not counted: a guide that leads somewhere may go on,
//! and an estimate cannot fall for ever. A guide whose estimate falls has twice as many
//! slices in its next turn, one whose estimate does not half as many.
//!
//! A guide that takes all initial states for dead ends, of the only thing that is sought,
//! has proven that it is out of reach: the search is over.
//!
//! Alternation between open lists is from planning (Röger, Helmert, "The More, the
//! Merrier", ICAPS 2010), where a list is boosted as its estimate falls (Richter, Westphal,
//! "The LAMA Planner", JAIR 2010); there all lists hold all states, here each holds what
//! its own search met.
//!
//! Shares are counted in work ([`Heuristic::work`](homing_core::Heuristic::work)),
//! not in time, so that all runs do the same.
//!
//! The two parts are two searches in types: the first is a breadth-first search and
//! promises what one does; `Explored::shared` ends it and hands over what it stored,
//! found and proved. Each other search has its guide and its open list, and stands
//! beside the blind one's queue ([`Beside`]), in which everything waits.
//!
//! Up to the end of the first part levels are those of breadth-first search:
//! what is found there is shortest, and what is found later is at least as
//! long as the levels searched.

use std::mem::replace;

use homing_core::{Cost, Open, StopReason, Store, Watch};

use crate::best_first::{Explored, Lead, Manner, Rank};
use crate::costs::Steps;
use crate::guide::{Guide, Guiding};
use crate::open::{Beside, Buckets, Fifo, Levels, Lifo};
use crate::task::{Outcome, Task};
use crate::turns::{Log, Who};

/// How searches share the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Expansions before anything is estimated.
    pub probe: u64,
    /// What estimates may take of all the work, in percent.
    pub share: u64,
    /// What they may take before that, in units of work.
    pub head: u64,
    /// The work of a search before another has its turn, at least and at most.
    pub slice: (u64, u64),
    /// How many of the states that wait are estimated where a guide has none left.
    pub sample: usize,
    /// The work before there is a second guide. From one to the next it is four times as
    /// much.
    pub room: u64,
}

impl Shares {
    /// What a search may do before another has its turn, after so many successors.
    pub(crate) fn slice(&self, generated: u64) -> u64 {
        let (least, most) = self.slice;
        (generated / 8).clamp(least, most.max(least))
    }
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

/// A guide, and what it leads to.
#[derive(Clone, Copy)]
pub struct Aimed<'g> {
    /// The guide.
    pub guide: &'g Guide<'g>,
    /// What it leads to. It is dismissed when that is found.
    pub at: Sought,
    /// What kind of guide it is: of a kind only the newest stays.
    pub kind: usize,
}

impl Aimed<'_> {
    /// Whether a guide of this kind, to this, makes room for it.
    pub(crate) fn replaces(&self, kind: usize, at: Sought) -> bool {
        self.kind == kind && self.at == at
    }
}

/// Makes the next guide to something of what is sought; none where there is no other.
pub type Direct<'d, 'g> = &'d mut dyn FnMut(Sought) -> Option<Aimed<'g>>;

/// Searches blindly, directed and newest first in turn. The store must keep states, and
/// limits of depth and cost are not for it: once searches take turns, nobody knows depths.
pub fn alternate<'g, S: Store + ?Sized>(
    task: &Task,
    store: &mut S,
    shares: Shares,
    direct: Direct<'_, 'g>,
    log: &mut Log,
    watch: &mut Watch,
) -> Outcome {
    let mut none = Guiding::default();
    let mut blind = Lead::new(Manner::by(Rank::Depth), Fifo::default(), &mut none);
    let mut levels = Explored::new(task, store, &blind, watch.limits(), Steps);
    log.begin(Who::Probe, &levels);
    if let Err(reason) = probe(&mut levels, &mut blind, shares.probe, watch) {
        log.end(&levels);
        return levels.outcome(&blind, Some(reason));
    }
    if levels.is_done(&blind.open) || !task.wants_anything() {
        let stopped = levels.go_on(&mut blind, watch).err();
        log.end(&levels);
        return levels.outcome(&blind, stopped);
    }
    let explored = levels.shared(blind.open.front().unwrap_or_default());
    let (guides, room) = (Vec::new(), 0);
    let (dive, dived, spent) = (Lifo::default(), false, 0);
    let mut turns = Turns { explored, blind, guides, dive, dived, task, shares, spent, room, log };
    let stopped = loop {
        match turns.run(direct, watch) {
            Err(reason) if task.goes_on(reason, watch) => {}
            ended => break ended.err(),
        }
    };
    turns.log.end(&turns.explored);
    turns.explored.outcome(&turns.blind, stopped)
}

/// The first part: breadth-first search.
pub(crate) fn probe<S: Store + ?Sized>(
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
struct Turns<'a, 'l, 'n, 'g, S: ?Sized> {
    explored: Explored<'a, S, Steps>,
    blind: Lead<'l, 'n, Fifo>,
    guides: Vec<Directed<'g>>,
    /// What waits for the search that takes the newest.
    dive: Lifo,
    /// Whether that search began.
    dived: bool,
    task: &'a Task<'a>,
    shares: Shares,
    /// What estimates and states that were expanded again took, in units of work, but for
    /// those by which estimates fell.
    spent: u64,
    /// How much work is done before another guide is made.
    room: u64,
    log: &'a mut Log,
}

/// A directed search: who guides it, and what it has estimated.
struct Directed<'g> {
    number: usize,
    guide: Guiding<'g>,
    at: Sought,
    kind: usize,
    open: Levels<Buckets>,
    /// Its least estimate so far.
    least: Cost,
    /// The quanta of its next turn.
    quanta: u64,
    begun: bool,
}

/// The quanta of one turn, at most.
const MOST_QUANTA: u64 = 8;

/// The work after which the blind search has the larger share.
const LONG: u64 = 2_000_000;

/// Then the others have so many times less.
const LESS: u64 = 16;

/// How many times as much is done before the next guide is made.
const GROWTH: u64 = 4;

/// The directed searches, at most: each has a bit, and so has the dive.
const MOST_GUIDES: usize = 6;

/// The bit of the dive.
const DIVE: u8 = 1;

/// What an estimate may take, in units of work, for what can be asked at once.
const ESTIMATE: u64 = 100;

impl<'g> Directed<'g> {
    fn new(aimed: Aimed<'g>, number: usize) -> Directed<'g> {
        let Aimed { guide, at, kind } = aimed;
        let (guide, open) = (guide.instance(), Levels::default());
        Directed { number, guide, at, kind, open, least: Cost::MAX, quanta: 4, begun: false }
    }

    /// The bit by which states are noted that it met.
    fn bit(&self) -> u8 {
        DIVE << (self.number + 1)
    }
}

impl<'g, S: Store + ?Sized> Turns<'_, '_, '_, 'g, S> {
    /// One after the other has its turn, until everything is found or searched.
    fn run(&mut self, direct: Direct<'_, 'g>, watch: &mut Watch) -> Result<(), StopReason> {
        while !self.is_done() {
            let sought = self.sought();
            self.guides.retain(|one| one.at.meets(sought));
            if self.work() >= self.room {
                self.guide(direct);
            }
            let slice = self.shares.slice(self.generated());
            // In a long search states of a level are several times cheaper than others.
            let long = self.work() > LONG;
            let (lucky, level) =
                if long { (slice / LESS, slice) } else { (slice, slice.div_ceil(2)) };
            for n in 0..self.guides.len() {
                self.directed(n, lucky, watch)?;
            }
            if self.log.refuted() {
                self.blind.open.clear();
                break;
            }
            self.dive(lucky.div_ceil(2), watch)?;
            self.blind(level, watch)?;
        }
        self.log.begin(Who::Blind, &self.explored);
        self.explored.go_on(&mut self.blind, watch)
    }

    /// Makes another guide, if there is one.
    fn guide(&mut self, direct: Direct<'_, 'g>) {
        if self.log.guides().len() < MOST_GUIDES
            && let Some(next) = direct(self.sought())
        {
            self.guides.retain(|one| !next.replaces(one.kind, one.at));
            self.guides.push(Directed::new(next, self.log.guide(&self.explored)));
        }
        self.room = self.room.saturating_mul(GROWTH).max(self.shares.room);
    }

    /// Whether there is something left for what is of no use to the blind search.
    fn may_spend(&self) -> bool {
        let Shares { head, share, .. } = self.shares;
        self.spent < head + self.generated() / 100 * share
    }

    /// The work of all, estimates included.
    fn work(&self) -> u64 {
        self.generated() + self.log.estimating()
    }

    fn generated(&self) -> u64 {
        self.explored.statistics.progress.generated
    }

    fn sought(&self) -> Sought {
        sought(&self.explored, self.task)
    }

    fn is_done(&self) -> bool {
        self.log.refuted() || self.explored.is_done(&self.blind.open)
    }

    /// A directed search's turn: as many quanta as it has earned. When the share is spent
    /// it goes on if its estimates take nothing, and expands nothing again.
    fn directed(&mut self, n: usize, quantum: u64, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(Who::Guide(self.guides[n].number), &self.explored);
        for _ in 0..self.guides[n].quanta {
            if self.is_done() || !self.may_spend() && self.guides[n].guide.work() > 0 {
                break;
            }
            let least = self.guides[n].least;
            let spent = self.quantum(n, quantum, watch)?;
            let Directed { least: now, quanta, .. } = &mut self.guides[n];
            match *now < least {
                true => *quanta = (*quanta * 2).min(MOST_QUANTA),
                false => {
                    self.spent += spent;
                    *quanta = (*quanta / 2).max(1);
                    break;
                }
            }
        }
        Ok(())
    }

    /// A quantum of a directed search. Answers what its estimates took, and what it
    /// expanded again.
    fn quantum(&mut self, n: usize, quantum: u64, watch: &mut Watch) -> Result<u64, StopReason> {
        let (only, follows) = (self.sought().is_one(), self.may_spend());
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        let Turns { explored, blind, guides, shares, dive, log, .. } = self;
        let bit = guides[n].bit();
        let Directed { guide, open, least, begun, .. } = &mut guides[n];
        explored.waiting = waiting - open.bytes() + dive.bytes();
        let open = Beside { own: open, blind: &mut blind.open, leaves: !only };
        let lead = Lead::sharing(Manner::by(Rank::Estimate), open, guide);
        let mut lead = lead.with_bit(bit, follows);
        let (generated, estimating) = (explored.statistics.progress.generated, lead.estimating());
        let repeated = explored.repeated;
        let shown = explored.statistics.progress.best.take();
        if !replace(begun, true) {
            let dead_ends = explored.statistics.dead_ends;
            explored.start(&mut lead)?;
            let dead_ends = explored.statistics.dead_ends > dead_ends;
            if only && dead_ends && lead.open.own.is_empty() {
                log.refute();
                return Ok(0);
            }
        }
        if lead.open.own.is_empty() {
            let most = shares.sample.min((quantum / ESTIMATE) as usize);
            for entry in lead.open.blind.sample(most) {
                let dead_end = explored.offer(&mut lead, entry);
                explored.statistics.dead_ends += u64::from(only && dead_end);
            }
        }
        let ended = explored.go_while(&mut lead, watch, |search, lead| {
            let successors = search.statistics.progress.generated - generated;
            successors + lead.estimating() - estimating < quantum
        });
        let best = &mut explored.statistics.progress.best;
        *least = (*least).min(best.unwrap_or(Cost::MAX));
        *best = [*best, shown].into_iter().flatten().min();
        let took = lead.estimating() - estimating;
        log.estimated(took, *least);
        ended.map(|()| took + explored.repeated - repeated)
    }

    /// The turn of the search that takes the newest: a depth-first dive. It estimates
    /// nothing, and what it expands the blind search need not.
    fn dive(&mut self, slice: u64, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(Who::Dive, &self.explored);
        let (before, follows) = (self.generated(), self.may_spend());
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        let Turns { explored, blind, dive, dived, shares, .. } = self;
        explored.waiting = waiting;
        let repeated = explored.repeated;
        let mut none = Guiding::default();
        let open = Beside { own: dive, blind: &mut blind.open, leaves: true };
        let lead = Lead::sharing(Manner::by(Rank::Newest), open, &mut none);
        let mut lead = lead.with_bit(DIVE, follows);
        if !replace(dived, true) {
            explored.start(&mut lead)?;
        }
        if lead.open.own.is_empty() {
            for entry in lead.open.blind.sample(shares.sample) {
                explored.offer(&mut lead, entry);
            }
        }
        explored.go_while(&mut lead, watch, |search, _| {
            search.statistics.progress.generated - before < slice
        })?;
        self.spent += explored.repeated - repeated;
        Ok(())
    }

    /// The blind search's turn, while the others wait.
    fn blind(&mut self, slice: u64, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(Who::Blind, &self.explored);
        let before = self.generated();
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        self.explored.waiting = waiting + self.dive.bytes();
        self.explored.go_while(&mut self.blind, watch, |search, _| {
            search.statistics.progress.generated - before < slice
        })
    }
}

/// What is still to be found.
pub(crate) fn sought<S: Store + ?Sized>(explored: &Explored<'_, S, Steps>, task: &Task) -> Sought {
    let findings = &explored.findings;
    Sought {
        conditions: findings.open_conditions(task),
        deadlock: task.deadlock && findings.deadlock.is_none(),
        fault: task.fault && findings.fault.is_none(),
    }
}

impl Sought {
    /// Whether it is only one thing, so that its dead ends are dead ends.
    pub(crate) fn is_one(self) -> bool {
        self.conditions.count_ones() + u32::from(self.deadlock) + u32::from(self.fault) == 1
    }

    /// Whether both seek something.
    pub fn meets(self, other: Sought) -> bool {
        self.conditions & other.conditions != 0
            || self.deadlock && other.deadlock
            || self.fault && other.fault
    }
}
