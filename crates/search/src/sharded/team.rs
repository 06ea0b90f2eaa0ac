//! Threads that meet between the phases of a round.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

/// How often somebody who waits looks whether the others have come before sleeping: for some
/// ten microseconds. To be woken takes longer than most phases differ.
const LOOKS: u32 = 1000;

/// A number of threads.
pub(super) struct Team {
    size: usize,
    /// How often to look before sleeping; never, where there are fewer cores than threads.
    looks: u32,
    arrived: AtomicUsize,
    /// How many meetings there were.
    number: AtomicU64,
    /// Whether somebody will never come again.
    broken: AtomicBool,
    /// How many sleep.
    sleeping: Mutex<usize>,
    over: Condvar,
}

/// Somebody will never come again.
#[derive(Debug)]
pub(super) struct Broken;

impl Team {
    pub fn new(size: usize) -> Team {
        let cores = available_parallelism().map_or(1, usize::from);
        Team {
            size,
            looks: if cores < size { 0 } else { LOOKS },
            arrived: AtomicUsize::new(0),
            number: AtomicU64::new(0),
            broken: AtomicBool::new(false),
            sleeping: Mutex::new(0),
            over: Condvar::new(),
        }
    }

    /// Waits until all are here.
    pub fn meet(&self) -> Result<(), Broken> {
        // Nobody can end this meeting before this thread has come.
        let number = self.number.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            self.arrived.store(0, Ordering::Relaxed);
            self.end(|| self.number.store(number + 1, Ordering::Release));
        } else if (0..self.looks).all(|_| self.lasts(number)) {
            self.sleep(number);
        }
        if self.broken.load(Ordering::Acquire) { Err(Broken) } else { Ok(()) }
    }

    /// Whether a meeting is not over yet.
    fn lasts(&self, number: u64) -> bool {
        spin_loop();
        self.number.load(Ordering::Acquire) == number && !self.broken.load(Ordering::Acquire)
    }

    fn sleep(&self, number: u64) {
        let mut sleeping = self.sleepers();
        *sleeping += 1;
        while self.lasts(number) {
            sleeping = self.over.wait(sleeping).unwrap_or_else(PoisonError::into_inner);
        }
        *sleeping -= 1;
    }

    /// Ends what others wait for, and wakes those who sleep. Whoever is about to sleep holds
    /// the lock while looking.
    fn end(&self, ends: impl FnOnce()) {
        let sleeping = self.sleepers();
        ends();
        if *sleeping > 0 {
            self.over.notify_all();
        }
    }

    fn sleepers(&self) -> MutexGuard<'_, usize> {
        self.sleeping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nobody wait for whoever holds this once it is dropped.
    pub fn member(&self) -> Member<'_> {
        Member(self)
    }
}

/// A member of a team, until dropped.
pub(super) struct Member<'t>(&'t Team);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        let team = self.0;
        team.end(|| team.broken.store(true, Ordering::Release));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Between two meetings all do the same round, whoever is late.
    #[test]
    fn nobody_runs_ahead() {
        let (team, rounds) = (Team::new(4), [const { AtomicUsize::new(0) }; 4]);
        std::thread::scope(|scope| {
            for me in 0..4 {
                let (team, rounds) = (&team, &rounds);
                scope.spawn(move || {
                    for round in 0..200 {
                        if (round + me) % 50 == 0 {
                            std::thread::sleep(std::time::Duration::from_millis(1));
                        }
                        rounds[me].store(round, Ordering::Relaxed);
                        team.meet().unwrap();
                        assert!(rounds.iter().all(|of| of.load(Ordering::Relaxed) == round));
                        team.meet().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn who_leaves_is_not_waited_for() {
        let team = Team::new(2);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| team.meet());
            drop(team.member());
            assert!(waiting.join().unwrap().is_err());
        });
        assert!(team.meet().is_err());
    }
}
