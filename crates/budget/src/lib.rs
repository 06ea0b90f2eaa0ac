//! The budget of a run: when it has to end, how much memory it may take, and whether
//! somebody has asked it to stop. One for the whole run, from the first byte read to the
//! last line printed.
//!
//! There are two ways to end early. A *search* has something to tell when it is cut: it
//! asks [`Budget::check`] now and then, ends with `?` and reports what it has seen. All
//! else (reading, flattening, tables, compilation) is worth nothing unfinished: such code
//! calls [`checkpoint`] wherever it may take long, and a budget that is spent ends it by
//! unwinding to the [`Budget::during`] that began it, as incremental compilers end what
//! nobody waits for any more. So the code in between needs neither a parameter nor a
//! result, and stays what it was.
//!
//! What was found deserves to be told even if it was found at the last moment: replaying,
//! explaining and the like are [`finishing`], which lends a little beyond the limits. What
//! a result can do without is an [`attempt`]; what is worth only so much is done [`within`]
//! a bound of its own, counted in checkpoints.
//!
//! Memory is what the allocator ([`Counting`]) and those who map memory themselves have
//! counted ([`heap`]).

mod allocator;
pub mod heap;

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use allocator::Counting;

/// Why a run ends before it is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Its time is over.
    Time,
    /// Its memory is used up.
    Memory,
    /// Somebody asked for it.
    Cancelled,
}

/// Where a run ended, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped {
    /// Why.
    pub why: Stop,
    /// What it was doing: `reading the model`.
    pub phase: &'static str,
}

/// A time that never comes, in nanoseconds.
const NEVER: u64 = u64::MAX;

/// Calls of [`checkpoint`] between two looks at the clock.
const PATIENCE: u64 = 64;

/// A budget. Its clones are the same one.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    start: Instant,
    /// The time it gives, when that is over and when it was cancelled, in nanoseconds since
    /// the start.
    time: AtomicU64,
    deadline: AtomicU64,
    cancelled: AtomicU64,
    /// Bytes.
    memory: AtomicUsize,
    phase: Mutex<&'static str>,
    /// Whether it is not looked at, by [`Budget::hold`].
    held: AtomicBool,
    /// What it is a part of.
    whole: Option<Budget>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget::new(None, None)
    }
}

impl Budget {
    /// A budget of this much time, from now on, and this much memory.
    pub fn new(time: Option<Duration>, memory: Option<usize>) -> Budget {
        Budget::of(time, memory, None)
    }

    /// One of so many parts of the time that is left; what ends the whole ends it too. It can
    /// be cancelled alone.
    pub fn part(&self, of: u32) -> Budget {
        Budget::of(self.left().map(|left| left / of), self.memory(), Some(self.clone()))
    }

    fn of(time: Option<Duration>, memory: Option<usize>, whole: Option<Budget>) -> Budget {
        Budget(Arc::new(Inner {
            start: Instant::now(),
            time: AtomicU64::new(time.map_or(NEVER, nanoseconds)),
            deadline: AtomicU64::new(time.map_or(NEVER, nanoseconds)),
            memory: AtomicUsize::new(memory.unwrap_or(usize::MAX)),
            cancelled: AtomicU64::new(NEVER),
            phase: Mutex::new("starting"),
            held: AtomicBool::new(false),
            whole,
        }))
    }

    /// Sets limits where there are none, on time from now on.
    pub fn limit(&self, time: Option<Duration>, memory: Option<usize>) {
        if let (Some(time), None) = (time, self.time()) {
            self.0.time.store(nanoseconds(time), Ordering::Relaxed);
            self.restart();
        }
        if let (Some(memory), None) = (memory, self.memory()) {
            self.0.memory.store(memory, Ordering::Relaxed);
        }
    }

    /// Gives the whole time again, from now on: for runs made one after the other.
    pub fn restart(&self) {
        if let Some(time) = self.time() {
            self.0.deadline.store(nanoseconds(self.elapsed() + time), Ordering::Relaxed);
        }
    }

    /// The time that is left.
    pub fn left(&self) -> Option<Duration> {
        let deadline = self.0.deadline.load(Ordering::Relaxed);
        (deadline != NEVER).then(|| Duration::from_nanos(deadline).saturating_sub(self.elapsed()))
    }

    /// Takes all limits away: what was found is being told.
    pub fn lift(&self) {
        self.0.deadline.store(NEVER, Ordering::Relaxed);
        self.0.memory.store(usize::MAX, Ordering::Relaxed);
        self.resume();
    }

    /// Asks whoever spends it to stop. Answers whether that was asked before.
    pub fn cancel(&self) -> bool {
        self.0.cancelled.swap(nanoseconds(self.elapsed()), Ordering::Relaxed) != NEVER
    }

    /// Takes [`Budget::cancel`] back.
    pub fn resume(&self) {
        self.0.cancelled.store(NEVER, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) != NEVER
    }

    /// Does work that must not be cut off, as writing a file from which to go on: meanwhile
    /// the budget is not spent, and if it is afterwards, then since this moment only.
    pub fn hold<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.held.store(true, Ordering::Relaxed);
        let done = work();
        let now = nanoseconds(self.elapsed());
        for moment in [&self.0.deadline, &self.0.cancelled] {
            moment.fetch_max(now, Ordering::Relaxed);
        }
        self.0.held.store(false, Ordering::Relaxed);
        done
    }

    /// The time since it was made.
    pub fn elapsed(&self) -> Duration {
        self.0.start.elapsed()
    }

    /// The limit on memory, in bytes.
    pub fn memory(&self) -> Option<usize> {
        Some(self.0.memory.load(Ordering::Relaxed)).filter(|bytes| *bytes != usize::MAX)
    }

    /// The time it gives.
    pub fn time(&self) -> Option<Duration> {
        let time = self.0.time.load(Ordering::Relaxed);
        (time != NEVER).then(|| Duration::from_nanos(time))
    }

    /// Whether to go on.
    pub fn check(&self) -> Result<(), Stop> {
        self.check_with(Reserve::default())
    }

    /// Whether to go on where somewhat more than the budget may be spent.
    pub fn check_with(&self, reserve: Reserve) -> Result<(), Stop> {
        if let Some(whole) = &self.0.whole {
            whole.check_with(reserve)?;
        }
        if self.0.held.load(Ordering::Relaxed) {
            return Ok(());
        }
        let now = nanoseconds(self.elapsed());
        let late = |since: u64, by: Duration| now >= since.saturating_add(nanoseconds(by));
        let used = heap::in_use();
        let most = |memory: usize| memory.saturating_add(reserve.memory);
        if late(self.0.cancelled.load(Ordering::Relaxed), reserve.patience) {
            Err(Stop::Cancelled)
        } else if late(self.0.deadline.load(Ordering::Relaxed), reserve.time) {
            Err(Stop::Time)
        } else if self.memory().is_some_and(|memory| used > most(memory)) {
            Err(Stop::Memory)
        } else {
            Ok(())
        }
    }

    /// What is being done.
    pub fn phase(&self) -> &'static str {
        *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: &'static str) -> &'static str {
        std::mem::replace(&mut *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner), phase)
    }

    /// Runs `work`; every [`checkpoint`] in it ends it when the budget is spent.
    pub fn during<T>(&self, phase: &'static str, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let outer = CURRENT.replace(Some(self.clone()));
        let before = self.enter(phase);
        let done = panic::catch_unwind(AssertUnwindSafe(work));
        self.enter(before);
        CURRENT.set(outer);
        done.map_err(|payload| match payload.downcast::<Stopped>() {
            Ok(stopped) => *stopped,
            Err(panic) => panic::resume_unwind(panic),
        })
    }

    /// What [`finishing`] lends.
    fn reserve(&self) -> Reserve {
        Reserve {
            time: Duration::from_millis(200) + self.time().unwrap_or_default() / 50,
            memory: self.memory().map_or(0, |memory| (memory / 20).max(32 << 20)),
            patience: Duration::from_millis(120),
        }
    }
}

/// How long whoever makes a result may take to notice that the reserve is spent.
const MOMENT: Duration = Duration::from_millis(50);

/// What may be spent beyond a budget.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reserve {
    /// Beyond the time.
    pub time: Duration,
    /// Beyond the memory.
    pub memory: usize,
    /// After it was asked to stop.
    pub patience: Duration,
}

thread_local! {
    /// The budget that work on this thread spends.
    static CURRENT: RefCell<Option<Budget>> = const { RefCell::new(None) };
    /// Whether it may draw on the reserve.
    static FINISHING: Cell<bool> = const { Cell::new(false) };
    /// When it was first noticed that the reserve is spent.
    static NOTICED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Calls of [`checkpoint`], and when there were as many as [`within`] allows.
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Ends the work that [`Budget::during`] runs if its budget is spent; does nothing
/// elsewhere. Cheap: most calls only count. Not to be called below compiled code, which
/// cannot be unwound.
#[inline]
pub fn checkpoint() {
    let calls = CALLS.get().wrapping_add(1);
    CALLS.set(calls);
    if calls.is_multiple_of(PATIENCE) {
        look();
    }
}

/// As so many [`checkpoint`]s, for work that is done at a stretch.
#[inline]
pub fn checkpoints(count: u64) {
    let before = CALLS.get();
    CALLS.set(before.wrapping_add(count));
    if before / PATIENCE != CALLS.get() / PATIENCE {
        look();
    }
}

/// How often work on this thread came by a [`checkpoint`] so far: a measure of work that
/// says the same in every run.
pub fn passed() -> u64 {
    CALLS.get()
}

/// Runs work that may come by so many checkpoints; none where it would have come by more.
/// Unlike a limit on time this one ends the same work in every run.
pub fn within<T>(most: u64, work: impl FnOnce() -> T) -> Option<T> {
    let ends = passed().saturating_add(most).min(MOST.get());
    let outer = Bounded(MOST.replace(ends));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    drop(outer);
    match done {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<Spent>() && passed() < MOST.get() => None,
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// What ends work that came by more checkpoints than [`within`] allows.
struct Spent;

/// Gives the outer bound back when dropped.
struct Bounded(u64);

impl Drop for Bounded {
    fn drop(&mut self) {
        MOST.set(self.0);
    }
}

/// Whether it was noticed a moment ago already that the reserve is spent. Whoever makes a
/// result looks at the budget too, and ends with what it has; it may have been kept from
/// looking, by a table that grew, say.
fn is_noticed() -> bool {
    let now = Instant::now();
    let first = NOTICED.get().unwrap_or(now);
    NOTICED.set(Some(first));
    now - first >= MOMENT
}

#[cold]
fn look() {
    if std::thread::panicking() {
        return;
    }
    if passed() >= MOST.get() {
        panic::resume_unwind(Box::new(Spent));
    }
    let stopped = with_current(|budget| {
        let reserve = if FINISHING.get() { budget.reserve() } else { Reserve::default() };
        let why = budget.check_with(reserve).err()?;
        let at_once = why == Stop::Memory || !FINISHING.get();
        (at_once || is_noticed()).then(|| Stopped { why, phase: budget.phase() })
    });
    if let Some(stopped) = stopped.flatten() {
        panic::resume_unwind(Box::new(stopped));
    }
}

fn with_current<T>(ask: impl FnOnce(&Budget) -> T) -> Option<T> {
    CURRENT.with_borrow(|current| current.as_ref().map(ask))
}

/// Runs work that a result can do without: it ends alone when the budget is spent.
pub fn attempt<T>(phase: &'static str, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    match CURRENT.with_borrow(Clone::clone) {
        Some(budget) => budget.during(phase, work),
        None => Ok(work()),
    }
}

/// As [`attempt`], for one of so many parts of the time that is left, where time is limited.
pub fn attempt_part<T>(
    name: &'static str,
    of: u32,
    work: impl FnOnce() -> T,
) -> Result<T, Stopped> {
    let _phase = phase(name);
    match CURRENT.with_borrow(Clone::clone) {
        Some(budget) => budget.part(of).during(name, work),
        None => Ok(work()),
    }
}

/// Runs work that makes a result of what was found: it may take a little more than the
/// budget.
pub fn finishing<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    let _phase = phase(name);
    let _reserve = Lent(FINISHING.replace(true));
    NOTICED.set(None);
    work()
}

/// Gives the reserve back when dropped.
struct Lent(bool);

impl Drop for Lent {
    fn drop(&mut self) {
        FINISHING.set(self.0);
    }
}

/// What work on this thread spends, for threads that do a part of it.
#[derive(Clone, Debug)]
pub struct Carried {
    budget: Option<Budget>,
    finishing: bool,
}

/// What work on this thread spends. A bound counted in checkpoints ([`within`]) is not
/// carried: each thread counts its own.
pub fn carried() -> Carried {
    Carried { budget: CURRENT.with_borrow(Clone::clone), finishing: FINISHING.get() }
}

impl Carried {
    /// Runs work on another thread that spends the same. Where the budget is spent it ends
    /// by unwinding: whoever joins the thread has to go on with that
    /// ([`panic::resume_unwind`]).
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let _budget = Spending(CURRENT.replace(self.budget.clone()));
        let _reserve = Lent(FINISHING.replace(self.finishing));
        work()
    }
}

/// Gives the outer budget back when dropped.
struct Spending(Option<Budget>);

impl Drop for Spending {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// The budget of the work on this thread, without limits where there is none.
pub fn current() -> Budget {
    with_current(|budget| budget.clone()).unwrap_or_default()
}

/// The memory that work on this thread may still take.
pub fn room() -> usize {
    let most = with_current(|budget| {
        let reserve = if FINISHING.get() { budget.reserve().memory } else { 0 };
        Some(budget.memory()?.saturating_add(reserve))
    });
    most.flatten().map_or(usize::MAX, |most| most.saturating_sub(heap::in_use()))
}

/// Says what is being done from now on, until the answer is dropped.
#[must_use]
pub fn phase(name: &'static str) -> Phase {
    Phase(with_current(|budget| (budget.clone(), budget.enter(name))))
}

/// A phase of a run; ends when dropped.
#[derive(Debug)]
pub struct Phase(Option<(Budget, &'static str)>);

impl Drop for Phase {
    fn drop(&mut self) {
        if let Some((budget, before)) = &self.0 {
            budget.enter(before);
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(NEVER - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_ever() {
        loop {
            checkpoint();
        }
    }

    #[test]
    fn work_ends_after_so_many_checkpoints_whatever_the_time() {
        let passes = |count: u64| move || (0..count).for_each(|_| checkpoint());
        assert_eq!(within(1_000, passes(900)), Some(()));
        assert_eq!(within(1_000, passes(1_100)), None);
        // The inner bound ends only what is in it, the outer one all.
        let inner = || (within(200, passes(10_000)), within(10_000, passes(1_000)));
        assert_eq!(within(2_000, inner), Some((None, Some(()))));
        let outer = || {
            within(10_000, passes(5_000));
            panic!("the outer bound is spent");
        };
        assert_eq!(within(1_000, outer), None::<()>);
        let budget = Budget::default();
        assert_eq!(within(100, || budget.during("testing", for_ever)), None);
        assert_eq!(budget.during("testing", || within(100, for_ever)), Ok(None));
    }

    #[test]
    fn work_ends_when_time_is_over_and_says_where() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        let ended = budget.during("reading", || {
            let _phase = phase("counting");
            for_ever();
        });
        assert_eq!(ended, Err(Stopped { why: Stop::Time, phase: "counting" }));
        assert_eq!(budget.phase(), "starting");
    }

    /// A thread that helps spends the same budget, and its end reaches whoever joins it.
    #[test]
    fn threads_spend_the_budget_they_were_given() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        let ended = budget.during("searching", || {
            let carried = carried();
            std::thread::scope(|scope| {
                let joined = scope.spawn(|| carried.run(for_ever)).join();
                joined.unwrap_or_else(|payload| panic::resume_unwind(payload));
            });
        });
        assert_eq!(ended, Err(Stopped { why: Stop::Time, phase: "searching" }));
    }

    /// A part ends alone, and with the whole.
    #[test]
    fn a_part_has_its_share_of_the_time() {
        let work = || -> () {
            loop {
                checkpoint();
            }
        };
        let whole = Budget::new(Some(Duration::from_secs(100)), None);
        let ended = whole.during("all", || attempt_part("a part", 1000, work));
        assert_eq!(ended, Ok(Err(Stopped { why: Stop::Time, phase: "a part" })));
        assert_eq!(whole.check(), Ok(()));
        whole.cancel();
        let ended = whole.during("all", || attempt_part("a part", 2, work));
        assert_eq!(ended, Ok(Err(Stopped { why: Stop::Cancelled, phase: "a part" })));
    }

    #[test]
    fn the_innermost_ends_and_the_outer_goes_on() {
        let budget = Budget::default();
        budget.cancel();
        let outer = budget.during("outer", || attempt("inner", for_ever));
        assert_eq!(outer, Ok(Err(Stopped { why: Stop::Cancelled, phase: "inner" })));
        budget.resume();
        assert!(budget.check().is_ok());
    }

    #[test]
    fn limits_are_set_once() {
        let budget = Budget::default();
        assert_eq!((budget.left(), budget.memory()), (None, None));
        budget.limit(Some(Duration::from_secs(60)), Some(1 << 30));
        budget.limit(Some(Duration::ZERO), Some(0));
        assert_eq!(budget.memory(), Some(1 << 30));
        assert!(budget.left() > Some(Duration::from_secs(30)));
    }

    #[test]
    fn what_has_no_budget_is_not_ended() {
        (0..1000).for_each(|_| checkpoint());
        assert_eq!(room(), usize::MAX);
    }

    #[test]
    fn a_panic_stays_one() {
        let caught = panic::catch_unwind(|| Budget::default().during("x", || panic!("on purpose")));
        assert!(caught.is_err());
        assert!(with_current(|_| ()).is_none(), "no budget is left behind");
    }

    #[test]
    fn finishing_lends_time() {
        let budget = Budget::new(Some(Duration::ZERO), None);
        let spent = budget.during("x", || (0..1000).for_each(|_| checkpoint()));
        assert!(spent.is_err());
        let lent = Budget::new(Some(Duration::from_secs(3600)), None);
        lent.0.deadline.store(0, Ordering::Relaxed);
        let pause = || (0..1000).for_each(|_| checkpoint());
        assert_eq!(lent.during("x", || finishing("y", pause)), Ok(()));
        let ended = Stopped { why: Stop::Time, phase: "x" };
        assert_eq!(lent.during("x", pause), Err(ended), "the reserve was lent");
    }

    #[test]
    fn finishing_is_ended_a_moment_after_it_could_have_ended_itself() {
        let late = Budget::new(Some(Duration::from_secs(1)), None);
        let look = || (0..1000).for_each(|_| checkpoint());
        let noticed = Cell::new(false);
        let ended = late.during("x", || {
            finishing("y", || {
                std::thread::sleep(Duration::from_millis(1300));
                look();
                noticed.set(late.check().is_err());
                std::thread::sleep(MOMENT);
                look();
            });
        });
        assert!(noticed.get(), "the first look goes by");
        assert_eq!(ended, Err(Stopped { why: Stop::Time, phase: "y" }));
    }
}
