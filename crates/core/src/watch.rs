//! Limits, progress and cancellation: one `?` in an algorithm.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use homing_budget::{Budget, Stop, heap};

/// What may stop a search before it is done. `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes of memory.
    pub memory: Option<usize>,
    /// Time since the watch was made.
    pub time: Option<Duration>,
    /// Stored states.
    pub states: Option<u64>,
    /// Steps from the initial state: deeper states are not expanded.
    pub depth: Option<u32>,
    /// The cost of a path: what costs more is not followed. In the encoding of
    /// the cost algebra; the number of steps where none is given.
    pub bound: Option<u64>,
    /// Expanded states. Unlike time, it stops every run at the same place.
    pub expansions: Option<u64>,
}

/// Why a search ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// The memory limit, or the machine's memory.
    Memory,
    /// The time limit.
    Time,
    /// The limit on stored states.
    States,
    /// States at the depth limit were not expanded.
    Depth,
    /// Paths above the bound on their cost were not followed.
    Bound,
    /// The limit on expanded states.
    Expansions,
    /// The strategy left states out on purpose.
    Pruned,
    /// The store numbers no more states.
    StoreFull,
    /// The disk, or what of it may be used.
    Disk,
    /// Somebody asked for it.
    Cancelled,
}

/// What a search has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// States stored.
    pub stored: u64,
    /// States expanded.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// States waiting in the open list.
    pub frontier: u64,
    /// The depth of the state expanded last.
    pub depth: u32,
    /// The least estimate seen, where the search is directed.
    pub best: Option<u32>,
    /// Memory taken by store, open list and columns.
    pub bytes: usize,
}

/// Searches one after the other: work adds up, and of what is given back in between
/// (stored states, memory) the most counts. Where a search stands (frontier, depth, best)
/// is where the one that goes on stands.
impl AddAssign for Progress {
    fn add_assign(&mut self, before: Progress) {
        self.stored = self.stored.max(before.stored);
        self.expanded += before.expanded;
        self.generated += before.generated;
        self.bytes = self.bytes.max(before.bytes);
    }
}

impl Progress {
    /// The same of searches side by side: both hold what they stored.
    pub fn beside(mut self, other: Progress) -> Progress {
        let (stored, bytes) = (self.stored + other.stored, self.bytes + other.bytes);
        self += other;
        Progress { stored, bytes, ..self }
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::Time => StopReason::Time,
            Stop::Memory => StopReason::Memory,
            Stop::Cancelled => StopReason::Cancelled,
        }
    }
}

/// The most rounds between two looks.
const PATIENCE: u64 = 256;

/// A look is overdue after this long, and early before [`EARLY`].
const LATE: Duration = Duration::from_millis(8);
const EARLY: Duration = Duration::from_millis(2);

type Clock = Box<dyn Fn() -> Duration + Send>;
type Report = Box<dyn FnMut(&Progress, Duration) + Send>;

/// Who searches: how many threads, and from when on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crew {
    /// Threads; at least one.
    pub threads: usize,
    /// Expansions that one thread makes alone before others help. Short searches are the
    /// same whatever the number of threads, and as quick.
    pub after: u64,
    /// States that are expanded by one thread while the others wait: they are not worth
    /// being shared.
    pub alone: usize,
}

impl Crew {
    /// So many threads.
    pub fn of(threads: usize) -> Crew {
        Crew { threads: threads.max(1), ..Crew::default() }
    }
}

impl Default for Crew {
    fn default() -> Crew {
        Crew { threads: 1, after: 20_000, alone: 128 }
    }
}

/// Watches over a search: its algorithm asks every round whether a look is
/// [`Watch::due`], calls [`Watch::check`] then, and ends with what it has when that
/// fails.
pub struct Watch {
    limits: Limits,
    budget: Option<Budget>,
    cancel: Arc<AtomicBool>,
    clock: Clock,
    report: Option<Report>,
    crew: Crew,
    /// What the rounds before this one did.
    before: Progress,
    /// Rounds between two looks: fewer where a round takes long.
    patience: u64,
    /// Rounds until the next.
    wait: u64,
    /// When the last was.
    looked: Duration,
}

impl Watch {
    /// A watch over these limits, with the machine's clock.
    pub fn new(limits: Limits) -> Watch {
        let start = Instant::now();
        Watch {
            limits,
            budget: None,
            cancel: Arc::default(),
            clock: Box::new(move || start.elapsed()),
            report: None,
            crew: Crew::default(),
            before: Progress::default(),
            patience: 1,
            wait: 1,
            looked: Duration::ZERO,
        }
    }

    /// A watch without limits.
    pub fn unlimited() -> Watch {
        Watch::new(Limits::default())
    }

    /// Takes the time from `clock` instead of the machine.
    pub fn with_clock(mut self, clock: impl Fn() -> Duration + Send + 'static) -> Watch {
        self.clock = Box::new(clock);
        self
    }

    /// Stops when this budget is spent, too.
    pub fn with_budget(mut self, budget: Budget) -> Watch {
        self.budget = Some(budget);
        self
    }

    /// Stops when `cancel` becomes true.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Watch {
        self.cancel = cancel;
        self
    }

    /// Tells `report` about progress, as often as the algorithm checks.
    pub fn with_report(
        mut self,
        report: impl FnMut(&Progress, Duration) + Send + 'static,
    ) -> Watch {
        self.report = Some(Box::new(report));
        self
    }

    /// Lets searches use as many threads.
    pub fn with_crew(mut self, crew: Crew) -> Watch {
        self.crew = crew;
        self
    }

    /// Who searches.
    pub fn crew(&self) -> Crew {
        self.crew
    }

    /// Does work that must not be cut off: whoever watches over the budget waits until it is
    /// done.
    pub fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.budget {
            Some(budget) => budget.hold(work),
            None => work(),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The time since the watch was made.
    pub fn elapsed(&self) -> Duration {
        (self.clock)()
    }

    /// Changes the limits.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// Ends a round of a search that goes round: what it did counts against
    /// the limit on expansions from now on.
    pub fn end_round(&mut self, progress: &Progress) {
        self.before += *progress;
    }

    /// Whether it is time for [`Watch::check`]; to be asked once a round. Looks are some
    /// milliseconds apart, and where expansions are limited never later than that.
    #[inline]
    pub fn due(&mut self) -> bool {
        self.wait = self.wait.saturating_sub(1);
        self.wait == 0
    }

    /// Decides when the next look is due.
    fn wait(&mut self, elapsed: Duration, expanded: u64) {
        let since = elapsed.saturating_sub(self.looked);
        self.looked = elapsed;
        if since > LATE {
            self.patience = (self.patience / 4).max(1);
        } else if since < EARLY {
            self.patience = (self.patience * 2).min(PATIENCE);
        }
        let left = self.limits.expansions.map_or(u64::MAX, |most| most.saturating_sub(expanded));
        self.wait = self.patience.min(left).max(1);
    }

    /// Reports progress and says whether to go on.
    pub fn check(&mut self, progress: &Progress) -> Result<(), StopReason> {
        let elapsed = self.elapsed();
        self.wait(elapsed, self.before.expanded + progress.expanded);
        let progress = &Progress {
            expanded: self.before.expanded + progress.expanded,
            generated: self.before.generated + progress.generated,
            ..*progress
        };
        if let Some(report) = &mut self.report {
            report(progress, elapsed);
        }
        // Where all that is allocated is counted, the budget knows better.
        let bytes = if heap::is_metered() { heap::in_use() } else { progress.bytes };
        let spent = self.budget.as_ref().and_then(|budget| budget.check().err());
        if let Some(stop) = spent {
            Err(stop.into())
        } else if self.cancel.load(Ordering::Relaxed) {
            Err(StopReason::Cancelled)
        } else if self.limits.time.is_some_and(|most| elapsed >= most) {
            Err(StopReason::Time)
        } else if self.limits.memory.is_some_and(|most| bytes > most) {
            Err(StopReason::Memory)
        } else if self.limits.states.is_some_and(|most| progress.stored > most) {
            Err(StopReason::States)
        } else if self.limits.expansions.is_some_and(|most| progress.expanded >= most) {
            Err(StopReason::Expansions)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_injected_clock_decides_the_time_limit() {
        let limits = Limits { time: Some(Duration::from_secs(5)), ..Limits::default() };
        let mut early = Watch::new(limits.clone()).with_clock(|| Duration::from_secs(4));
        let mut late = Watch::new(limits).with_clock(|| Duration::from_secs(5));
        assert_eq!(early.check(&Progress::default()), Ok(()));
        assert_eq!(late.check(&Progress::default()), Err(StopReason::Time));
    }

    #[test]
    fn looks_are_rare_where_rounds_are_quick_and_frequent_where_they_are_not() {
        let looks = |round: Duration| {
            let now = Arc::new(std::sync::Mutex::new(Duration::ZERO));
            let clock = Arc::clone(&now);
            let mut watch = Watch::unlimited().with_clock(move || *clock.lock().unwrap());
            let mut looks = 0;
            for _ in 0..10_000 {
                *now.lock().unwrap() += round;
                if watch.due() {
                    looks += 1;
                    watch.check(&Progress::default()).unwrap();
                }
            }
            looks
        };
        assert!(looks(Duration::from_nanos(100)) < 100);
        assert_eq!(looks(Duration::from_millis(100)), 10_000);
    }

    #[test]
    fn a_limit_on_expansions_is_met_exactly() {
        let limits = Limits { expansions: Some(777), ..Limits::default() };
        let mut watch = Watch::new(limits);
        let stopped = (1..).find(|expanded| {
            let progress = Progress { expanded: *expanded, ..Progress::default() };
            watch.due() && watch.check(&progress).is_err()
        });
        assert_eq!(stopped, Some(777));
    }

    #[test]
    fn a_spent_budget_ends_the_search() {
        let mut watch = Watch::unlimited().with_budget(Budget::new(Some(Duration::ZERO), None));
        assert_eq!(watch.check(&Progress::default()), Err(StopReason::Time));
    }

    #[test]
    fn cancelling_comes_first() {
        let cancel = Arc::new(AtomicBool::new(true));
        let mut watch = Watch::unlimited().with_cancel(cancel);
        assert_eq!(watch.check(&Progress::default()), Err(StopReason::Cancelled));
    }
}
