//! What searches that take turns did: who had a turn, what it took, what came of it.
//!
//! Everything is counted in work, not in time, so that all runs tell the same. A log stays
//! small however long a search is: when there are [`MOST`] turns, neighbouring rounds
//! become one, all turns of a search in them being added up. Turns in which something was
//! found stand for themselves.

use homing_core::{Cost, Price, Store};

use crate::alternating::{Sought, sought};
use crate::best_first::Explored;
use crate::costs::Steps;

/// The turns that are told apart, at most; those that found something come on top.
pub const MOST: usize = 2048;

/// Who has a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Who {
    /// The breadth-first search before there are others.
    Probe,
    /// The blind search, which misses nothing.
    Blind,
    /// The search that takes the newest state.
    Dive,
    /// The directed search by the guide of this number, from 0 in the order they are made.
    Guide(usize),
}

/// One turn, or several of one search that were added up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Whose it was.
    pub who: Who,
    /// How many there are in it.
    pub turns: u64,
    /// The work of all searches before it.
    pub began_at: u64,
    /// Its work: its successors, and what its estimates took.
    pub took: u64,
    /// The states it expanded.
    pub expanded: u64,
    /// The least estimate of the search by its end; none where no new state was estimated.
    pub least: Option<Cost>,
    /// What it found.
    pub found: Sought,
    /// By its end it was proven that nothing is nearer than so many steps but what was
    /// found.
    pub at_least: Price,
}

/// What searches that take turns did.
#[derive(Clone, Debug)]
pub struct Log {
    turns: Vec<Turn>,
    guides: Vec<u64>,
    /// The turn at hand, with the expansions before it and what was sought then.
    now: Option<(Turn, u64, Sought)>,
    /// What all estimates took.
    estimated: u64,
    /// The work of a successor.
    step: u64,
    refuted: bool,
}

impl Default for Log {
    fn default() -> Log {
        Log {
            turns: Vec::new(),
            guides: Vec::new(),
            now: None,
            estimated: 0,
            step: 1,
            refuted: false,
        }
    }
}

impl Log {
    /// The turns, in the order in which they began.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Whether a guide proved, at the initial states, that nothing is to be found.
    pub fn refuted(&self) -> bool {
        self.refuted
    }

    /// A guide says that the initial states are dead ends for all that is sought.
    pub(crate) fn refute(&mut self) {
        self.refuted = true;
    }

    /// The work done when each guide was made.
    pub fn guides(&self) -> &[u64] {
        &self.guides
    }

    /// What all estimates took.
    pub fn estimating(&self) -> u64 {
        self.estimated
    }

    /// A successor takes so much work from now on; nothing has been done yet.
    pub(crate) fn count_steps(&mut self, step: u64) {
        self.step = step;
    }

    /// From now on it is this one's turn.
    pub(crate) fn begin<S>(&mut self, who: Who, explored: &Explored<'_, S, Steps>)
    where
        S: Store + ?Sized,
    {
        self.end(explored);
        let turn = Turn {
            who,
            turns: 1,
            began_at: self.work(explored),
            took: 0,
            expanded: 0,
            least: None,
            found: Sought { conditions: 0, deadlock: false, fault: false },
            at_least: 0,
        };
        let expanded = explored.statistics.progress.expanded;
        self.now = Some((turn, expanded, sought(explored, explored.task())));
    }

    /// The turn at hand is over. One in which nothing was done is forgotten.
    pub(crate) fn end<S: Store + ?Sized>(&mut self, explored: &Explored<'_, S, Steps>) {
        let Some((turn, expanded, before)) = self.now.take() else { return };
        let left = sought(explored, explored.task());
        let turn = Turn {
            took: self.work(explored) - turn.began_at,
            expanded: explored.statistics.progress.expanded - expanded,
            found: Sought {
                conditions: before.conditions & !left.conditions,
                deadlock: before.deadlock && !left.deadlock,
                fault: before.fault && !left.fault,
            },
            at_least: explored.proven(),
            ..turn
        };
        if turn.took > 0 || turn.expanded > 0 || turn.found_something() {
            self.add(turn);
        }
    }

    /// A guide was made. Answers its number.
    pub(crate) fn guide<S>(&mut self, explored: &Explored<'_, S, Steps>) -> usize
    where
        S: Store + ?Sized,
    {
        self.guides.push(self.work(explored));
        self.guides.len() - 1
    }

    /// In the turn at hand estimates took so much work, and the least one of its search
    /// is now this.
    pub(crate) fn estimated(&mut self, work: u64, least: Cost) {
        self.estimated += work;
        if let Some((turn, ..)) = &mut self.now {
            turn.least = (least != Cost::MAX).then_some(least);
        }
    }

    fn work<S: Store + ?Sized>(&self, explored: &Explored<'_, S, Steps>) -> u64 {
        explored.statistics.progress.generated * self.step + self.estimated
    }

    fn add(&mut self, turn: Turn) {
        self.turns.push(turn);
        let told = self.turns.iter().filter(|turn| !turn.found_something()).count();
        if told >= MOST {
            self.turns = merged(&self.turns);
        }
    }
}

impl Turn {
    /// Whether it found something.
    pub fn found_something(&self) -> bool {
        self.found.conditions != 0 || self.found.deadlock || self.found.fault
    }

    /// Adds a later turn of the same search.
    fn add(&mut self, later: &Turn) {
        self.turns += later.turns;
        self.took += later.took;
        self.expanded += later.expanded;
        self.least = later.least.or(self.least);
        self.at_least = self.at_least.max(later.at_least);
    }
}

/// At most about half as many turns: of every stretch of twice as many as there are
/// searches, those of each search become one.
fn merged(turns: &[Turn]) -> Vec<Turn> {
    let mut searches: Vec<Who> = turns.iter().map(|turn| turn.who).collect();
    searches.sort_unstable();
    searches.dedup();
    let mut all: Vec<Turn> = Vec::new();
    for stretch in turns.chunks(2 * searches.len()) {
        let from = all.len();
        for turn in stretch {
            let same = |one: &&mut Turn| one.who == turn.who && !one.found_something();
            match all[from..].iter_mut().find(same) {
                Some(earlier) if !turn.found_something() => earlier.add(turn),
                _ => all.push(*turn),
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Sought = Sought { conditions: 0, deadlock: false, fault: false };

    fn turn(who: Who, began_at: u64, found: u64) -> Turn {
        let found = Sought { conditions: found, ..NOTHING };
        let (least, at_least) = (Some(9), 1);
        Turn { who, turns: 1, began_at, took: 2, expanded: 1, least, found, at_least }
    }

    /// However many turns there are, the log is small, and nothing of the sums is lost.
    #[test]
    fn a_log_stays_small() {
        let mut log = Log::default();
        let searches = [Who::Guide(0), Who::Guide(1), Who::Dive, Who::Blind];
        let count = 50_000;
        for n in 0..count {
            log.add(turn(searches[n as usize % 4], 2 * n, u64::from(n == 30_001)));
        }
        assert!(log.turns().len() <= MOST, "{}", log.turns().len());
        let sum = |of: fn(&Turn) -> u64| log.turns().iter().map(of).sum::<u64>();
        assert_eq!(sum(|turn| turn.turns), count);
        assert_eq!((sum(|turn| turn.took), sum(|turn| turn.expanded)), (2 * count, count));
        for who in searches {
            let own = log.turns().iter().filter(|turn| turn.who == who);
            assert_eq!(own.map(|turn| turn.turns).sum::<u64>(), count / 4, "{who:?}");
        }
        let found: Vec<&Turn> = log.turns().iter().filter(|turn| turn.found_something()).collect();
        assert_eq!(found, [&turn(Who::Guide(1), 60_002, 1)]);
        assert!(log.turns().is_sorted_by_key(|turn| turn.began_at));
    }
}
