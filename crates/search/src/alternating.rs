//! Several searches over one visited set: a blind one that misses nothing, and others
//! that may be lucky.
//!
//! ```text
//! make the guides that are made at once; if there is none,
//!   search breadth-first for `probe` expansions          (tiny spaces end here)
//! while anything waits:
//!   make another guide, if what is left for that is enough
//!   slice := an eighth of the work so far, estimates aside
//!   for every guide, while there is something left for them:
//!     directed: take the state of least estimate, estimate its successors, for a
//!               slice; or for several, if its least estimate fell last time
//!   dive:  take the newest state, for half a slice, while there is something left for it
//!   blind: take states first in, first out, for half a slice
//! ```
//! A directed search begins at the initial states and keeps an order of its own, as if it
//! were alone: a state that another search reached before is *met*, estimated, and waits
//! in its list too; a state that another search expanded is expanded again for it, if it
//! comes first there. Otherwise the others would cut off its way. What nobody expanded yet
//! is expanded for all: the blind search, which is the proof in the end, passes over it.
//!
//! So what a space without the goal costs above a blind search is the making of guides,
//! estimates, states taken one by one instead of by the window, and what is expanded again.
//! All that is counted, in units of what a successor takes the blind search, and bounded by
//! what was done so far:
//!
//! | for | at most |
//! |---|---|
//! | a directed search | `head`, and its part of a `share` of the successors |
//! | making guides | a part of all that was done: `Preparing` |
//! | the dive | `head` and a `share` of the successors |
//!
//! Work before the least estimate of a guide falls is not counted once it fell: a guide that
//! leads somewhere may go on, and an estimate cannot fall for ever. A guide whose estimate
//! falls has twice as many slices in its next turn; one whose estimate does not has half as
//! many, and leaves turns to the others: one more each time, up to a few.
//!
//! A guide that takes all initial states for dead ends, of the only thing that is sought,
//! has proven that it is out of reach: the search is over.
//!
//! Alternation between open lists is from planning (Röger, Helmert, "The More, the
//! Merrier", ICAPS 2010), where a list is boosted as its estimate falls (Richter, Westphal,
//! "The LAMA Planner", JAIR 2010); there all lists hold all states, here each holds what
//! its own search met.
//!
//! Where threads may help, a search that turns out very long ends its turns: what is left
//! is blind search over shards ([`crate::sharded`]).
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

mod preparing;

use std::mem::replace;

use homing_core::{Cost, Open, StopReason, Store, Watch};

use crate::best_first::{Explored, Helpers, Lead, Manner, Rank};
use crate::costs::Steps;
use crate::guide::{Guide, Guiding};
use crate::open::{Beside, Fifo, Lifo, Sorted};
use crate::task::{Outcome, Task};
use crate::turns::{Log, Who};

pub(crate) use preparing::Preparing;

/// How searches share the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shares {
    /// Expansions before a guide is made, where none is made at once.
    pub probe: u64,
    /// The share of directed searches: so many times the power of three quarters of the
    /// successors.
    pub share: u64,
    /// What they may take before that, in units of work.
    pub head: u64,
    /// The work of a search before another has its turn, at least and at most.
    pub slice: (u64, u64),
    /// How many of the states that wait are estimated where a guide has none left.
    pub sample: usize,
    /// What the first guide may take, however little was done.
    pub first: u64,
}

impl Shares {
    /// What a search may do before another has its turn, after so much work.
    pub(crate) fn slice(&self, work: u64) -> u64 {
        let (least, most) = self.slice;
        (work / 8).clamp(least, most.max(least))
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
    /// Whether it takes, of states with equal estimates, the newest first.
    pub newest: bool,
}

impl Aimed<'_> {
    /// Whether a guide of this kind, to this, makes room for it.
    pub(crate) fn replaces(&self, kind: usize, at: Sought) -> bool {
        self.kind == kind && self.at == at
    }
}

/// Makes the next guide to something of what is sought, with so much work at most; where
/// there is none yet, one that is made at once.
pub type Direct<'d, 'g> = &'d mut dyn FnMut(Sought, u64) -> Offer<'g>;

/// What came of making a guide.
pub enum Offer<'g> {
    /// It is made.
    Made(Aimed<'g>),
    /// It takes more work than there was for it.
    TooLong,
    /// There is no other.
    None,
}

/// The share of the dive, see [`share`].
const DIVING: u64 = 3;

/// A share of so much work: `times` its power of three quarters. Little is lost in a short
/// search whoever had most of it, while of a long one a tenth is much: 16 % of a million
/// successors, 9 % of ten million and 5 % of a hundred million are five such shares.
pub(crate) fn share(work: u64, times: u64) -> u64 {
    times.saturating_mul(work / work.isqrt().isqrt().max(1))
}

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
    alternate_with(task, (store, Vec::new()), shares, direct, log, watch)
}

/// The same, with an empty shard for each thread that may help: where the search turns out
/// very long, the directed ones have had their chance, and the rest is blind search over
/// shards.
pub fn alternate_with<'g, 'h, S: Store + ?Sized>(
    task: &Task,
    (store, shards): (&mut S, Vec<&'h mut dyn Store>),
    shares: Shares,
    direct: Direct<'_, 'g>,
    log: &mut Log,
    watch: &mut Watch,
) -> Outcome {
    let mut none = Guiding::default();
    let mut blind = Lead::new(Manner::by(Rank::Depth), Fifo::default(), &mut none);
    let mut levels = Explored::new(task, store, &blind, watch.limits(), Steps);
    log.begin(Who::Probe, &levels);
    let ready = Preparing::at_once(sought(&levels, task), direct);
    let before = if ready.is_empty() { shares.probe } else { 0 };
    if let Err(reason) = probe(&mut levels, &mut blind, before, watch) {
        log.end(&levels);
        return levels.outcome(&blind, Some(reason));
    }
    if levels.is_done(&blind.open) || !task.wants_anything() {
        let stopped = levels.go_on(&mut blind, watch).err();
        log.end(&levels);
        return levels.outcome(&blind, stopped);
    }
    let explored = levels.shared(blind.open.front().unwrap_or_default());
    let (dive, preparing) = (Dive::default(), Preparing::by(shares, PART, !ready.is_empty()));
    let mut turns =
        Turns { explored, blind, guides: Vec::new(), dive, preparing, task, shares, shards, log };
    ready.into_iter().for_each(|aimed| turns.follow(aimed));
    let stopped = loop {
        match turns.run(direct, watch) {
            Err(reason) if !turns.explored.is_handed() && task.goes_on(reason, watch) => {}
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
struct Turns<'a, 'l, 'n, 'g, 'h, S: ?Sized> {
    explored: Explored<'a, S, Steps>,
    blind: Lead<'l, 'n, Fifo>,
    guides: Vec<Directed<'g>>,
    dive: Dive,
    preparing: Preparing,
    task: &'a Task<'a>,
    shares: Shares,
    /// Where the search goes on when it turns out very long.
    shards: Vec<&'h mut dyn Store>,
    log: &'a mut Log,
}

/// The search that takes the newest.
#[derive(Default)]
struct Dive {
    open: Lifo,
    begun: bool,
    /// What it took beyond what a blind search would have.
    spent: u64,
}

/// A directed search: who guides it, and what it has estimated.
struct Directed<'g> {
    number: usize,
    guide: Guiding<'g>,
    at: Sought,
    kind: usize,
    open: Sorted,
    /// Its least estimate so far.
    least: Cost,
    /// What it took since that fell, beyond what a blind search would have.
    stalled: u64,
    /// The quanta of its next turn.
    quanta: u64,
    /// The turns it leaves to others, by how often in a row it got nowhere, and how many of
    /// them are to come.
    rest: u64,
    resting: u64,
    begun: bool,
}

/// Times as many expansions as other searches make alone ([`homing_core::Crew::after`])
/// before the rest is shared among threads, where nothing guides the search; and how many
/// times as many where something does. Guides cannot see what shards store, so they end
/// there: they have had their chance by then, since what they may take grows more slowly
/// than the search.
const VERY_LONG: u64 = 50;
const GUIDED: u64 = 20;

/// The part of all work that another guide may take.
const PART: u64 = 4;

/// The quanta of one turn, at most.
const MOST_QUANTA: u64 = 8;

/// The turns that a search which gets nowhere leaves to others, at most.
const MOST_REST: u64 = 4;

/// The directed searches, at most: each has a bit, and so has the dive.
const MOST_GUIDES: usize = 6;

/// The bit of the dive.
const DIVE: u8 = 1;

/// What a successor takes, on top, in a search that does not go by windows: each access to
/// the store is a cache miss then, in a space that is not small.
const APART: u64 = 3;

/// What it takes on top of that to look up an estimate and to sort by it.
const SORTED: u64 = 1;

/// What an estimate may take, in units of work, for what can be asked at once.
const ESTIMATE: u64 = 100;

impl<'g> Directed<'g> {
    fn new(aimed: Aimed<'g>, number: usize) -> Directed<'g> {
        let Aimed { guide, at, kind, newest } = aimed;
        let (guide, open, least) = (guide.instance(), Sorted::new(newest), Cost::MAX);
        let (stalled, quanta, rest, resting, begun) = (0, 4, 0, 0, false);
        Directed { number, guide, at, kind, open, least, stalled, quanta, rest, resting, begun }
    }

    /// The bit by which states are noted that it met.
    fn bit(&self) -> u8 {
        DIVE << (self.number + 1)
    }
}

impl<'g, S: Store + ?Sized> Turns<'_, '_, '_, 'g, '_, S> {
    /// One after the other has its turn, until everything is found or searched.
    fn run(&mut self, direct: Direct<'_, 'g>, watch: &mut Watch) -> Result<(), StopReason> {
        while !self.is_done() {
            if self.is_very_long(watch) {
                return self.share(watch);
            }
            let sought = self.sought();
            self.guides.retain(|one| one.at.meets(sought));
            self.guide(direct);
            let slice = self.shares.slice(self.work());
            for n in 0..self.guides.len() {
                self.directed(n, slice, watch)?;
            }
            if self.log.refuted() {
                self.blind.open.clear();
                break;
            }
            self.dive(slice.div_ceil(2), watch)?;
            self.blind(slice.div_ceil(2), watch)?;
        }
        self.log.begin(Who::Blind, &self.explored);
        self.explored.go_on(&mut self.blind, watch)
    }

    /// Whether others are to help. Where expansions are limited, the search may have to go
    /// on from where it stands.
    fn is_very_long(&self, watch: &Watch) -> bool {
        let times = if self.guides.is_empty() { VERY_LONG } else { VERY_LONG * GUIDED };
        let after = watch.crew().after.saturating_mul(times);
        !self.shards.is_empty()
            && self.explored.statistics.progress.expanded >= after
            && watch.limits().expansions.is_none()
            && self.explored.can_share(&self.blind, watch.limits())
    }

    /// The rest is blind search, with helpers.
    fn share(&mut self, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(Who::Blind, &self.explored);
        self.guides.clear();
        self.dive = Dive::default();
        self.explored.waiting = 0;
        let (shards, guide) = (std::mem::take(&mut self.shards), &Guide::default());
        self.explored.hand_over(&mut self.blind, Helpers { shards, guide }, watch, &|| Steps)
    }

    /// Makes another guide, if it is time for it and there is one.
    fn guide(&mut self, direct: Direct<'_, 'g>) {
        if self.log.guides().len() < MOST_GUIDES
            && let Some(next) = self.preparing.guide(self.explored.work(), self.sought(), direct)
        {
            self.follow(next);
        }
    }

    /// Begins a directed search.
    fn follow(&mut self, aimed: Aimed<'g>) {
        self.guides.retain(|one| !aimed.replaces(one.kind, one.at));
        self.guides.push(Directed::new(aimed, self.log.guide(&self.explored)));
    }

    /// Whether there is something left for a directed search.
    fn may_spend(&self, n: usize) -> bool {
        let Shares { head, share: times, .. } = self.shares;
        let each = share(self.explored.work(), times) / self.guides.len() as u64;
        self.guides[n].stalled < head + each
    }

    fn work(&self) -> u64 {
        self.explored.work()
    }

    fn sought(&self) -> Sought {
        sought(&self.explored, self.task)
    }

    fn is_done(&self) -> bool {
        self.log.refuted() || self.explored.is_done(&self.blind.open)
    }

    /// A directed search's turn: as many quanta as it has earned.
    fn directed(&mut self, n: usize, quantum: u64, watch: &mut Watch) -> Result<(), StopReason> {
        if let Some(left) = self.guides[n].resting.checked_sub(1) {
            self.guides[n].resting = left;
            return Ok(());
        }
        self.log.begin(Who::Guide(self.guides[n].number), &self.explored);
        for _ in 0..self.guides[n].quanta {
            if self.is_done() || !self.may_spend(n) {
                break;
            }
            let least = self.guides[n].least;
            let took = self.quantum(n, quantum, watch)?;
            let one = &mut self.guides[n];
            if one.least < least {
                (one.stalled, one.rest) = (0, 0);
                one.quanta = (one.quanta * 2).min(MOST_QUANTA);
            } else {
                one.stalled += took;
                one.quanta = (one.quanta / 2).max(1);
                (one.rest, one.resting) = ((one.rest + 1).min(MOST_REST), one.rest);
                break;
            }
        }
        Ok(())
    }

    /// A quantum of a directed search. Answers what it took beyond what a blind search
    /// would have.
    fn quantum(&mut self, n: usize, quantum: u64, watch: &mut Watch) -> Result<u64, StopReason> {
        let only = self.sought().is_one();
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        let Turns { explored, blind, guides, shares, dive, log, .. } = self;
        let bit = guides[n].bit();
        let Directed { guide, open, least, begun, .. } = &mut guides[n];
        explored.waiting = waiting - open.bytes() + dive.open.bytes();
        let open = Beside { own: open, blind: &mut blind.open, leaves: !only };
        let lead = Lead::sharing(Manner::by(Rank::Estimate), open, guide);
        let mut lead = lead.with_bit(bit);
        let (work, estimating) = (explored.work(), lead.estimating());
        let generated = explored.statistics.progress.generated;
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
            search.work() - work + lead.estimating() - estimating < quantum
        });
        let best = &mut explored.statistics.progress.best;
        *least = (*least).min(best.unwrap_or(Cost::MAX));
        *best = [*best, shown].into_iter().flatten().min();
        let estimates = lead.estimating() - estimating;
        log.estimated(estimates, *least);
        let successors = explored.statistics.progress.generated - generated;
        ended.map(|()| estimates + successors * (APART + SORTED) + explored.repeated - repeated)
    }

    /// The turn of the search that takes the newest: a depth-first dive. It estimates
    /// nothing, and what it expands the blind search need not.
    fn dive(&mut self, slice: u64, watch: &mut Watch) -> Result<(), StopReason> {
        let (before, generated) = (self.work(), self.explored.statistics.progress.generated);
        if self.dive.spent > self.shares.head + share(self.explored.work(), DIVING) {
            return Ok(());
        }
        self.log.begin(Who::Dive, &self.explored);
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        let Turns { explored, blind, dive, shares, .. } = self;
        explored.waiting = waiting;
        let repeated = explored.repeated;
        let mut none = Guiding::default();
        let open = Beside { own: &mut dive.open, blind: &mut blind.open, leaves: true };
        let lead = Lead::sharing(Manner::by(Rank::Newest), open, &mut none);
        let mut lead = lead.with_bit(DIVE);
        if !replace(&mut dive.begun, true) {
            explored.start(&mut lead)?;
        }
        if lead.open.own.is_empty() {
            for entry in lead.open.blind.sample(shares.sample) {
                explored.offer(&mut lead, entry);
            }
        }
        let ended = explored.go_while(&mut lead, watch, |search, _| search.work() - before < slice);
        let successors = explored.statistics.progress.generated - generated;
        dive.spent += successors * APART + explored.repeated - repeated;
        ended
    }

    /// The blind search's turn, while the others wait.
    fn blind(&mut self, slice: u64, watch: &mut Watch) -> Result<(), StopReason> {
        self.log.begin(Who::Blind, &self.explored);
        let before = self.work();
        let waiting: usize = self.guides.iter().map(|one| one.open.bytes()).sum();
        self.explored.waiting = waiting + self.dive.open.bytes();
        self.explored.go_while(&mut self.blind, watch, |search, _| search.work() - before < slice)
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
