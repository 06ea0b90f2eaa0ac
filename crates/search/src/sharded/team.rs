//! Threads that meet between the phases of a round.

use std::sync::{Condvar, Mutex, PoisonError};

/// A number of threads.
pub(super) struct Team {
    size: usize,
    meeting: Mutex<Meeting>,
    over: Condvar,
}

struct Meeting {
    arrived: usize,
    /// How many meetings there were.
    number: u64,
    /// Whether somebody will never come again.
    broken: bool,
}

/// Somebody will never come again.
#[derive(Debug)]
pub(super) struct Broken;

impl Team {
    pub fn new(size: usize) -> Team {
        let meeting = Meeting { arrived: 0, number: 0, broken: false };
        Team { size, meeting: Mutex::new(meeting), over: Condvar::new() }
    }

    /// Waits until all are here.
    pub fn meet(&self) -> Result<(), Broken> {
        let mut meeting = self.meeting.lock().unwrap_or_else(PoisonError::into_inner);
        meeting.arrived += 1;
        if meeting.arrived == self.size {
            meeting.arrived = 0;
            meeting.number += 1;
            self.over.notify_all();
        } else {
            let number = meeting.number;
            while meeting.number == number && !meeting.broken {
                meeting = self.over.wait(meeting).unwrap_or_else(PoisonError::into_inner);
            }
        }
        if meeting.broken { Err(Broken) } else { Ok(()) }
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
        team.meeting.lock().unwrap_or_else(PoisonError::into_inner).broken = true;
        team.over.notify_all();
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
