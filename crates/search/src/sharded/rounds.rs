//! The loop: what one thread decides between rounds, and what all do in them.

use std::panic;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::thread::{self, Builder, ScopedJoinHandle};

use homing_core::{Crew, Limits, StopReason, Watch, Word, carried};

use super::post::{Owners, Post};
use super::team::{Broken, Team};
use super::worker::{Common, Found, Report, Wanted, What, Worker, add};
use super::{Bucket, Part, Place, Shard};
use crate::best_first::{Bound, Lead, Manner, Promise};
use crate::costs::Costs;
use crate::guide::Guide;
use crate::open::Fifo;
use crate::path::Path;
use crate::task::{Finding, Findings, Statistics, Task};

/// The most states of a round where their number matters.
const MOST: u64 = 4096;

/// The same for each worker where it does not: the fewer rounds, the fewer meetings.
const MOST_EACH: u64 = 16_384;

/// About the most words of successors in a round, for each worker.
const WORDS: u64 = 1 << 20;

/// A directed search takes so many of the states that were expanded so far in one round:
/// what another would not have taken is never more than a small part.
const PART: u64 = 32;

/// What a search over shards is made of, shared by all threads.
pub(crate) struct Rounds<'a> {
    pub common: Common<'a>,
    pub manner: Manner,
    pub guide: &'a Guide<'a>,
    pub owners: Owners,
    pub limits: Limits,
    /// Whether the estimate never exceeds the distance, and whether states are opened
    /// again.
    pub admissible: bool,
    pub reopens: bool,
    /// Whether states of a round may have different keys, so that its size matters.
    pub sized: bool,
    pub crew: Crew,
}

/// What is found and promised, and what was done: kept by the one who leads.
pub(crate) struct Tally<'t, 'a> {
    pub task: &'t Task<'a>,
    pub findings: Findings,
    pub statistics: Statistics,
    pub promise: Promise,
    pub bound: Bound,
    /// The way to a state that was stored before there were shards.
    pub before: &'t dyn Fn(u32) -> Vec<Vec<Word>>,
    /// The memory of that store, in bytes.
    pub bytes: usize,
    /// What estimates took, of all workers.
    pub estimated: u64,
}

/// What all threads see.
struct Shared<'r, 'a, S> {
    rounds: &'r Rounds<'a>,
    shards: Vec<Mutex<S>>,
    posts: Vec<RwLock<Post>>,
    orders: Mutex<Orders>,
    reports: Vec<Mutex<Report>>,
    team: Team,
    stop: AtomicBool,
}

/// What the leader says when a round begins.
#[derive(Clone, Copy)]
struct Orders {
    bucket: Bucket,
    wanted: Wanted,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches until everything is found or nothing waits. `costs` makes what computes
/// costs, one a thread.
pub(crate) fn search<S: Shard, C: Costs>(
    rounds: &Rounds<'_>,
    shards: Vec<S>,
    tally: &mut Tally<'_, '_>,
    watch: &mut Watch,
    costs: &(dyn Fn() -> C + Sync),
) -> Result<(), StopReason> {
    let (size, width) = (shards.len(), tally.task.space.width());
    let shared = Shared {
        rounds,
        shards: shards.into_iter().map(Mutex::new).collect(),
        posts: (0..size).map(|_| RwLock::new(Post::new(width, size))).collect(),
        orders: Mutex::new(Orders {
            bucket: Bucket { key: 0, path: 0, states: 0 },
            wanted: Wanted::default(),
        }),
        reports: (0..size).map(|_| Mutex::default()).collect(),
        team: Team::new(size),
        stop: AtomicBool::new(false),
    };
    let carried = carried();
    let mut guiding = rounds.guide.instance();
    let (ended, panicked) = thread::scope(|scope| {
        let mut crew: Vec<ScopedJoinHandle<'_, ()>> = Vec::new();
        let ended = {
            let _member = shared.team.member();
            let lead = Lead::new(rounds.manner, Fifo::default(), &mut guiding);
            let mut leader = worker(&shared, lead, costs());
            leader.watch = Some(watch);
            go_round(&shared, &mut leader, tally, || {
                let (shared, carried) = (&shared, &carried);
                let member = |me| move || carried.run(|| follow(shared, me, costs));
                let spawn = |me| Builder::new().spawn_scoped(scope, member(me)).ok();
                crew.extend((1..size).map_while(spawn));
                crew.len() + 1 == size
            })
        };
        let joined = crew.into_iter().filter_map(|thread| thread.join().err()).collect::<Vec<_>>();
        (ended, joined)
    });
    match panicked.into_iter().next() {
        Some(payload) => panic::resume_unwind(payload),
        None => ended,
    }
}

fn worker<'s, 'l, 'g, S, C: Costs>(
    shared: &'s Shared<'_, 's, S>,
    lead: Lead<'l, 'g, Fifo>,
    costs: C,
) -> Worker<'s, 'l, 'g, C> {
    let Rounds { common, manner, limits, admissible, reopens, .. } = shared.rounds;
    let bound = Bound::new(limits, manner.rank, *admissible, *reopens);
    Worker::new(*common, lead, costs, bound, (&shared.rounds.owners, &shared.stop))
}

/// What the leader does: rounds, until it says why they end. `gather` is called before the
/// first round in which others take part, and says whether they came; if not all did, the
/// leader does without.
fn go_round<S: Shard, C: Costs>(
    shared: &Shared<'_, '_, S>,
    leader: &mut Worker<'_, '_, '_, C>,
    tally: &mut Tally<'_, '_>,
    mut gather: impl FnMut() -> bool,
) -> Result<(), StopReason> {
    let mut gathered = None;
    loop {
        tally.look(shared, leader)?;
        if tally.findings.complete(tally.task) {
            return Ok(());
        }
        let Some(bucket) = shared.least(tally.most(shared.rounds))? else { return Ok(()) };
        let wanted = tally.wanted();
        let small = bucket.states <= shared.rounds.crew.alone as u64;
        if small || !*gathered.get_or_insert_with(&mut gather) {
            leader.begin(wanted);
            shared.alone(bucket, leader);
        } else {
            *lock(&shared.orders) = Orders { bucket, wanted };
            // Whoever panicked is told of when joined.
            shared.round(0, leader).map_err(|Broken| StopReason::Cancelled)?;
        }
        tally.collect(shared, leader)?;
    }
}

/// What others do: their part of the rounds in which they take part.
fn follow<S: Shard, C: Costs>(
    shared: &Shared<'_, '_, S>,
    me: usize,
    costs: &(dyn Fn() -> C + Sync),
) {
    let _member = shared.team.member();
    let mut guiding = shared.rounds.guide.instance();
    let lead = Lead::new(shared.rounds.manner, Fifo::default(), &mut guiding);
    let mut worker = worker(shared, lead, costs());
    while shared.round(me, &mut worker).is_ok() {}
}

impl<S: Shard> Shared<'_, '_, S> {
    /// A round in which all take part.
    fn round<C: Costs>(&self, me: usize, worker: &mut Worker<'_, '_, '_, C>) -> Result<(), Broken> {
        self.team.meet()?;
        let Orders { bucket, wanted } = *lock(&self.orders);
        worker.begin(wanted);
        let part = Part { index: me, of: self.shards.len() };
        {
            let mut post = self.posts[me].write().unwrap_or_else(PoisonError::into_inner);
            post.clear();
            let taken = lock(&self.shards[me]).take(bucket, part, &mut post.taken);
            worker.stopped(taken);
            worker.expand(&mut post);
        }
        self.team.meet()?;
        {
            let posts: Vec<_> = self.posts.iter().map(read).collect();
            let inbox: Vec<_> = posts.iter().map(|post| post.to(me)).collect();
            let put = lock(&self.shards[me]).put(&inbox, worker);
            worker.stopped(put);
        }
        self.team.meet()?;
        let settled = lock(&self.shards[me]).settle(&read(&self.posts[me]), worker);
        worker.stopped(settled);
        self.report(me, worker);
        self.team.meet()
    }

    /// A round that the leader does alone.
    fn alone<C: Costs>(&self, bucket: Bucket, leader: &mut Worker<'_, '_, '_, C>) {
        {
            let mut post = self.posts[0].write().unwrap_or_else(PoisonError::into_inner);
            post.clear();
            for shard in &self.shards {
                let taken = lock(shard).take(bucket, Part::ALL, &mut post.taken);
                leader.stopped(taken);
            }
            leader.expand(&mut post);
        }
        self.deliver(leader);
    }

    /// Hands what the leader posted to all shards, while the others sleep.
    fn deliver<C: Costs>(&self, leader: &mut Worker<'_, '_, '_, C>) {
        let post = read(&self.posts[0]);
        for (to, shard) in self.shards.iter().enumerate() {
            let put = lock(shard).put(&[post.to(to)], leader);
            leader.stopped(put);
        }
        let settled = lock(&self.shards[0]).settle(&post, leader);
        leader.stopped(settled);
        self.report(0, leader);
    }

    /// Hands over what a worker did in this round.
    fn report<C: Costs>(&self, me: usize, worker: &mut Worker<'_, '_, '_, C>) {
        worker.report.estimated = worker.estimating();
        worker.report.bound = Some(worker.bound);
        *lock(&self.reports[me]) = std::mem::take(&mut worker.report);
    }

    /// The least bucket of all shards.
    fn least(&self, most: usize) -> Result<Option<Bucket>, StopReason> {
        let mut least: Option<Bucket> = None;
        for shard in &self.shards {
            let Some(one) = lock(shard).least(most)? else { continue };
            least = Some(match least {
                Some(other) if other.key < one.key => other,
                Some(other) if other.key == one.key => {
                    Bucket { states: other.states + one.states, ..one }
                }
                _ => one,
            });
        }
        Ok(least)
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

impl Tally<'_, '_> {
    /// Looks at the watch, all having done their part of a round.
    fn look<S: Shard, C: Costs>(
        &mut self,
        shared: &Shared<'_, '_, S>,
        leader: &mut Worker<'_, '_, '_, C>,
    ) -> Result<(), StopReason> {
        let (mut stored, mut waiting, mut bytes) = (0, 0, self.bytes + leader.bytes());
        for shard in &shared.shards {
            let held = lock(shard).held();
            (stored, waiting, bytes) =
                (stored + held.stored, waiting + held.waiting, bytes + held.bytes);
        }
        bytes += shared.posts.iter().map(|post| read(post).bytes()).sum::<usize>();
        let progress = &mut self.statistics.progress;
        (progress.stored, progress.frontier) = (stored, waiting);
        progress.bytes = progress.bytes.max(bytes);
        leader.look(&self.statistics.progress)
    }

    /// How many states the next round may have.
    fn most(&self, rounds: &Rounds<'_>) -> usize {
        let progress = &self.statistics.progress;
        let workers = match rounds.sized {
            true => 1,
            false => rounds.crew.threads as u64,
        };
        let successors = progress.generated / progress.expanded.max(1) + 1;
        let fit = WORDS * workers / (successors * self.task.space.width().max(1) as u64);
        let wide = match rounds.sized {
            true => (progress.expanded / PART).min(MOST),
            false => MOST_EACH * workers,
        };
        let left = rounds
            .limits
            .expansions
            .map_or(u64::MAX, |most| most.saturating_sub(progress.expanded));
        wide.min(fit).min(left).max(1) as usize
    }

    /// What is still to be found.
    fn wanted(&self) -> Wanted {
        Wanted {
            conditions: self.findings.open_conditions(self.task),
            deadlock: self.task.deadlock && self.findings.deadlock.is_none(),
            fault: self.task.fault && self.findings.fault.is_none(),
        }
    }

    /// Adds up what was done in a round, and what was found, in the order of workers.
    fn collect<S: Shard, C: Costs>(
        &mut self,
        shared: &Shared<'_, '_, S>,
        leader: &Worker<'_, '_, '_, C>,
    ) -> Result<(), StopReason> {
        let mut stopped = None;
        let mut promised = false;
        self.estimated = 0;
        for report in &shared.reports {
            let mut report = lock(report);
            add(&mut self.statistics, &std::mem::take(&mut report.statistics));
            if std::mem::take(&mut report.saturated) {
                self.promise.is_void();
            }
            // As one thread, which would have ended with the last thing to find.
            if let Some(first) = report.first.take()
                && !std::mem::replace(&mut promised, true)
                && !self.findings.complete(self.task)
            {
                leader.promises(&mut self.promise, first);
            }
            self.estimated += report.estimated;
            if let Some(bound) = report.bound {
                self.bound.join(&bound);
            }
            for found in std::mem::take(&mut report.found) {
                self.found(found, shared)?;
            }
            stopped = stopped.or(report.stopped.take());
        }
        match stopped {
            Some(reason) if !self.findings.complete(self.task) => Err(reason),
            _ => Ok(()),
        }
    }

    fn found<S: Shard>(
        &mut self,
        found: Found,
        shared: &Shared<'_, '_, S>,
    ) -> Result<(), StopReason> {
        let wanted = self.wanted();
        match found.what {
            What::Conditions(bits) if bits & wanted.conditions != 0 => {
                let path = self.path(found.place, shared)?;
                self.findings.found(bits & wanted.conditions, &path);
            }
            What::Deadlock if wanted.deadlock => {
                let path = self.path(found.place, shared)?;
                self.findings.deadlock = Some(Finding { path, fault: None });
            }
            What::Fault(fault) if wanted.fault => {
                let path = self.path(found.place, shared)?;
                self.findings.fault = Some(Finding { path, fault: Some(fault) });
            }
            _ => {}
        }
        Ok(())
    }

    /// The way to a state. One that cannot be found again is left empty; replaying it will
    /// not confirm the finding.
    fn path<S: Shard>(&self, place: Place, shared: &Shared<'_, '_, S>) -> Result<Path, StopReason> {
        let space = self.task.space;
        let (mut states, mut at) = (Vec::new(), place);
        while at != Place::NONE && !at.is_before() {
            let mut state = vec![0; space.width()];
            at = lock(&shared.shards[at.shard()]).parent(at, &mut state)?;
            states.push(state);
        }
        if at.is_before() {
            // The state where the shards took over is in both.
            states.pop();
            states.extend((self.before)(at.number()).into_iter().rev());
        }
        states.reverse();
        let path = Path::along(&states, &mut *space.expander(), self.task.pricing);
        Ok(path.unwrap_or_default())
    }
}
