//! Whether a way of choosing steps pays.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Expansions after which a way that does not pay is given up. What pays then may leave
/// out fewer successors later, and still far fewer states are seen: it goes on.
const TRIAL: u64 = 10_000;

/// Expansions after which it is given up where it leaves out next to nothing.
const FIRST_LOOK: u64 = 1_000;

/// How much less than what pays is next to nothing.
const NEXT_TO_NOTHING: u64 = 16;

/// What came of a way of choosing so far.
pub(super) struct Trial {
    goes_on: AtomicBool,
    /// Of so many successors one must be left out for it to pay; `None` where it is
    /// not given up.
    pays: Option<u64>,
    tried: AtomicU64,
    /// Successors so far, and how many of them were not needed.
    successors: AtomicU64,
    left_out: AtomicU64,
}

impl Trial {
    pub fn new(tries: bool, pays: Option<u64>) -> Trial {
        let zero = || AtomicU64::new(0);
        let (tried, successors, left_out) = (zero(), zero(), zero());
        Trial { goes_on: AtomicBool::new(tries), pays, tried, successors, left_out }
    }

    /// Whether it is tried at all, and was not given up.
    #[inline]
    pub fn goes_on(&self) -> bool {
        self.goes_on.load(Ordering::Relaxed)
    }

    /// Counts an expansion with so many successors, of which so many were not needed.
    #[inline]
    pub fn count(&self, successors: usize, left_out: usize) {
        if !self.goes_on() {
            return;
        }
        let tried = add(&self.tried, 1);
        let successors = add(&self.successors, successors as u64);
        let left_out = add(&self.left_out, left_out as u64);
        let Some(pays) = self.pays else { return };
        let least = match tried {
            FIRST_LOOK => pays * NEXT_TO_NOTHING,
            TRIAL => pays,
            _ => return,
        };
        if left_out * least < successors {
            self.goes_on.store(false, Ordering::Relaxed);
        }
    }
}

/// Adds to a counter. Not in one step, which would take as long as all the rest of it: searches have one
/// expander at work, so that the numbers are the same in every run.
#[inline]
pub(super) fn add(counter: &AtomicU64, more: u64) -> u64 {
    let sum = counter.load(Ordering::Relaxed) + more;
    counter.store(sum, Ordering::Relaxed);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expansions(trial: &Trial, count: u64, left_out: usize) -> bool {
        (0..count).for_each(|_| trial.count(4, left_out));
        trial.goes_on()
    }

    #[test]
    fn what_leaves_out_nothing_is_given_up_soon() {
        let trial = Trial::new(true, Some(8));
        assert!(expansions(&trial, FIRST_LOOK - 1, 0));
        assert!(!expansions(&trial, 1, 0));
    }

    #[test]
    fn what_leaves_out_little_is_given_up_later() {
        let trial = Trial::new(true, Some(8));
        assert!(expansions(&trial, TRIAL / 3, 1));
        assert!(!expansions(&trial, TRIAL, 0));
        let trial = Trial::new(true, Some(8));
        assert!(expansions(&trial, TRIAL, 1) && expansions(&trial, TRIAL, 0));
    }

    #[test]
    fn some_are_never_given_up() {
        assert!(expansions(&Trial::new(true, None), 2 * TRIAL, 0));
        assert!(!Trial::new(false, None).goes_on());
    }
}
