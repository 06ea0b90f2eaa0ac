//! Whether a way of choosing steps pays: tried on a sample of the space before a search
//! begins, and settled then. What is chosen in a state does not depend on what a search
//! did before, nor on which of several expanders is asked.
//!
//! ```text
//! breadth-first from the initial states, for TRIAL expansions at most:
//!   visit the ample set; the others too, unless one of these is
//!     not closed (as a search that keeps the proviso does)
//!   after FIRST_LOOK expansions: give up a way that left out next to nothing
//!   after TRIAL expansions, or TRIAL_WORK: give up a way that did not pay
//! ```
//! What pays there may leave out fewer successors later, and still far fewer states are
//! seen. A space that ends before the first look is small however it is searched, and
//! nothing is given up.

use std::collections::HashMap;

use homing_core::hash::hash_words;
use homing_core::{Batch, Expander, Word};

use super::{Reduced, ReducedExpander};

/// Expansions after which a way that does not pay is given up.
const TRIAL: u64 = 10_000;

/// The work of closures after which what was seen so far decides.
const TRIAL_WORK: u64 = 200_000;

/// Expansions after which it is given up where it leaves out next to nothing.
const FIRST_LOOK: u64 = 1_000;

/// How much less than what pays is next to nothing.
const NEXT_TO_NOTHING: u64 = 16;

/// Of so many successors one at least must be left out for closures to be made: looking
/// for a stubborn set takes longer than making a few states more.
const CLOSURES_PAY: u64 = 8;

/// The same of tables alone, which are quick to look at.
const TABLES_PAY: u64 = 256;

/// The ways of choosing that are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ways {
    /// By looking at tables.
    pub tables: bool,
    /// By making closures.
    pub closures: bool,
}

/// What chose the ample set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Tables,
    Closures,
}

/// What came of an expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    /// What chose; nothing where nothing was found.
    pub by: Option<Way>,
    /// All successors.
    pub successors: usize,
    /// Those that are not needed.
    pub left_out: usize,
}

impl Ways {
    /// None.
    pub fn is_none(self) -> bool {
        !self.tables && !self.closures
    }
}

/// Which of its ways pay in this space.
pub(super) fn tried(space: &Reduced) -> Ways {
    let mut expander = ReducedExpander::new(space);
    let mut sample = Sample::new(space.space.layout().words);
    let (mut tables, mut closures) = (Tally::new(TABLES_PAY), Tally::new(CLOSURES_PAY));
    let mut batch = Batch::new(sample.width);
    expander.initial(&mut batch);
    for i in 0..batch.len() {
        sample.visit(batch.state(i));
    }
    while sample.expanded < TRIAL && sample.next() && !expander.closure.ways.is_none() {
        if expander.work() >= TRIAL_WORK {
            let ways = &mut expander.closure.ways;
            ways.closures &= closures.has_paid();
            break;
        }
        homing_budget::checkpoint();
        batch.clear();
        let choice = expander.choose(&sample.state, &mut batch);
        let ways = &mut expander.closure.ways;
        let Choice { by, successors, left_out } = choice;
        // What closures find depends on what tables left out before, so that these count
        // for them as well.
        ways.closures &= closures.pays(successors, left_out);
        ways.tables &= tables.pays(successors, if by == Some(Way::Tables) { left_out } else { 0 });
        sample.follow(&batch);
    }
    expander.closure.ways
}

/// What a way left out so far.
struct Tally {
    /// Of so many successors one must be left out for it to pay.
    pays: u64,
    tried: u64,
    /// Successors so far, and how many of them were not needed.
    successors: u64,
    left_out: u64,
}

impl Tally {
    fn new(pays: u64) -> Tally {
        Tally { pays, tried: 0, successors: 0, left_out: 0 }
    }

    /// Counts an expansion with so many successors, of which so many were not needed.
    /// Answers whether the way goes on.
    fn pays(&mut self, successors: usize, left_out: usize) -> bool {
        self.tried += 1;
        self.successors += successors as u64;
        self.left_out += left_out as u64;
        match self.tried {
            FIRST_LOOK => self.left_out * self.pays * NEXT_TO_NOTHING >= self.successors,
            TRIAL => self.has_paid(),
            _ => true,
        }
    }

    /// Whether it paid so far.
    fn has_paid(&self) -> bool {
        self.left_out * self.pays >= self.successors
    }
}

/// The states of a trial, in the order in which they are expanded; no more than that.
struct Sample {
    width: usize,
    words: Vec<Word>,
    /// The number of each, by its hash: a sample may take two states for one.
    numbers: HashMap<u64, u64>,
    expanded: u64,
    /// The state at hand.
    state: Vec<Word>,
}

impl Sample {
    fn new(width: usize) -> Sample {
        let (words, state) = (Vec::new(), vec![0; width]);
        Sample { width, words, numbers: HashMap::new(), expanded: 0, state }
    }

    /// Takes the next state to be expanded; it is closed from now on.
    fn next(&mut self) -> bool {
        let more = self.expanded < self.numbers.len() as u64;
        if more {
            let start = self.expanded as usize * self.width;
            self.state.copy_from_slice(&self.words[start..start + self.width]);
            self.expanded += 1;
        }
        more
    }

    /// Visits a state. Answers whether it is not closed.
    fn visit(&mut self, state: &[Word]) -> bool {
        let number = self.numbers.len() as u64;
        let hash = hash_words(state);
        if let Some(known) = self.numbers.get(&hash) {
            return *known >= self.expanded;
        }
        if number < TRIAL {
            self.numbers.insert(hash, number);
            self.words.extend_from_slice(state);
        }
        true
    }

    /// Visits the ample set, set by set, until one of them is open.
    fn follow(&mut self, batch: &Batch) {
        let all = batch.len();
        let sets = batch.ample().into_iter().chain(batch.further().iter().copied());
        let mut visited = 0;
        for end in sets.chain([all]) {
            let mut fresh = false;
            (visited..end).for_each(|i| fresh |= self.visit(batch.state(i)));
            visited = end.max(visited);
            if fresh {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expansions(tally: &mut Tally, count: u64, left_out: usize) -> bool {
        (0..count).all(|_| tally.pays(4, left_out))
    }

    #[test]
    fn what_leaves_out_nothing_is_given_up_soon() {
        let mut tally = Tally::new(8);
        assert!(expansions(&mut tally, FIRST_LOOK - 1, 0));
        assert!(!expansions(&mut tally, 1, 0));
    }

    #[test]
    fn what_leaves_out_little_is_given_up_later() {
        let mut tally = Tally::new(8);
        assert!(expansions(&mut tally, TRIAL / 3, 1));
        assert!(!expansions(&mut tally, TRIAL, 0));
        let mut tally = Tally::new(8);
        assert!(expansions(&mut tally, TRIAL, 1) && expansions(&mut tally, TRIAL, 0));
    }
}
