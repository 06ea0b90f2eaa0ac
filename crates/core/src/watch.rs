//! Limits, progress and cancellation: one `?` in an algorithm.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

type Clock = Box<dyn Fn() -> Duration + Send>;
type Report = Box<dyn FnMut(&Progress, Duration) + Send>;

/// Watches over a search: its algorithm calls [`Watch::check`] every few
/// hundred expansions and ends with what it has when that fails.
pub struct Watch {
    limits: Limits,
    cancel: Arc<AtomicBool>,
    clock: Clock,
    report: Option<Report>,
    /// What the rounds before this one did.
    before: Progress,
}

impl Watch {
    /// A watch over these limits, with the machine's clock.
    pub fn new(limits: Limits) -> Watch {
        let start = Instant::now();
        Watch {
            limits,
            cancel: Arc::default(),
            clock: Box::new(move || start.elapsed()),
            report: None,
            before: Progress::default(),
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
        self.before.expanded += progress.expanded;
        self.before.generated += progress.generated;
    }

    /// Reports progress and says whether to go on.
    pub fn check(&mut self, progress: &Progress) -> Result<(), StopReason> {
        let elapsed = self.elapsed();
        let progress = &Progress {
            expanded: self.before.expanded + progress.expanded,
            generated: self.before.generated + progress.generated,
            ..*progress
        };
        if let Some(report) = &mut self.report {
            report(progress, elapsed);
        }
        let over = |limit: Option<u64>, value: u64| limit.is_some_and(|most| value >= most);
        if self.cancel.load(Ordering::Relaxed) {
            Err(StopReason::Cancelled)
        } else if self.limits.time.is_some_and(|most| elapsed >= most) {
            Err(StopReason::Time)
        } else if self.limits.memory.is_some_and(|most| progress.bytes > most) {
            Err(StopReason::Memory)
        } else if over(self.limits.states, progress.stored) {
            Err(StopReason::States)
        } else if over(self.limits.expansions, progress.expanded) {
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
    fn cancelling_comes_first() {
        let cancel = Arc::new(AtomicBool::new(true));
        let mut watch = Watch::unlimited().with_cancel(cancel);
        assert_eq!(watch.check(&Progress::default()), Err(StopReason::Cancelled));
    }
}
