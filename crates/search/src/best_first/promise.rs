//! What a search may say of the cost of what it finds: why it is a best one, and what
//! everything still to be found costs at least.
//!
//! Both are decided once, from what the search is made of, and each case has its
//! reason. What happens on the way may void them, all at once: [`Promise::kept`].

use homing_core::Price;

use super::{Manner, Rank};
use crate::costs::Costs;
use crate::keys::Weights;
use crate::task::Task;

/// Why what is found is a best one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Best {
    /// Breadth-first search: states are generated level by level, so that the first of
    /// a level that satisfies a condition is as near as any.
    Levels,
    /// A* and Dijkstra's algorithm: states are taken in the order of g × h, one by one,
    /// h is never above the rest, cheaper ways open states again, and the goal is tested
    /// when it is taken: whatever still waits leads to no cheaper goal. A greater weight
    /// of g only makes h smaller. One path a state, and none beyond the goal, is enough
    /// because the algebra is isotone and monotone.
    Cheapest,
    /// It need not be.
    Unknown,
}

/// What grows with the search: a cost that nothing still to be found is below.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Floor {
    /// The level: what it leads to was looked at, but for what is only seen when a state
    /// is expanded (`unseen` is 0 where such is looked for, else 1).
    Levels { unseen: Price },
    /// g × h of the state taken: it was the least of all that wait, h is never above
    /// the rest, and no path becomes cheaper by going on. Of several states taken
    /// together only the first was the least.
    Sums,
    /// Nothing is known.
    None,
}

/// What a search promises of costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Promise {
    best: Best,
    floor: Floor,
    /// No path that is still to be found costs less.
    at_least: Price,
    /// Whether something happened that makes all of it worthless.
    void: bool,
}

/// What the promise of a search depends on besides its manner.
#[derive(Clone, Copy)]
pub(crate) struct Grounds {
    /// Whether the store never takes two states for one.
    pub exact: bool,
    /// Whether there is a preference: by it states wait apart from their rank.
    pub preference: bool,
    /// Whether the estimate is never above the true distance, or there is none.
    pub admissible: bool,
}

impl Promise {
    /// What a search promises at its start.
    pub fn new(task: &Task, manner: Manner, grounds: Grounds) -> Promise {
        let algebra = task.pricing.map(|pricing| pricing.algebra());
        let isotone = algebra.is_none_or(|algebra| algebra.is_isotone());
        let monotone = algebra.is_none_or(|algebra| algebra.is_monotone());
        let Grounds { exact, preference, admissible } = grounds;
        let best = match manner.rank {
            Rank::Depth if task.pricing.is_none() => Best::Levels,
            Rank::Sum(Weights { path, estimate })
                if admissible && path >= estimate && manner.jointly == 1 && isotone && monotone =>
            {
                Best::Cheapest
            }
            _ => Best::Unknown,
        };
        let floor = match manner.rank {
            Rank::Depth if task.pricing.is_none() => {
                Floor::Levels { unseen: Price::from(!(task.deadlock || task.fault)) }
            }
            Rank::Sum(Weights::EQUAL) if admissible && monotone => Floor::Sums,
            _ => Floor::None,
        };
        Promise { best, floor, at_least: 0, void: !exact || preference }
    }

    /// What is left of it where other searches, in other orders, take part: what was
    /// proven so far.
    pub fn shared(self) -> Promise {
        Promise { best: Best::Unknown, floor: Floor::None, ..self }
    }

    /// What was proven so far, and whether something made it worthless: as it is kept in a
    /// file.
    pub fn known(&self) -> [u64; 2] {
        [self.at_least, self.void.into()]
    }

    /// Goes on from there.
    pub fn restore(&mut self, [at_least, void]: [u64; 2]) {
        (self.at_least, self.void) = (at_least, self.void || void != 0);
    }

    /// A path of this cost is followed.
    #[inline]
    pub fn following<C: Costs>(&mut self, costs: &C, path: C::Value) {
        // A cost that did not fit stands for a greater one.
        self.void |= costs.is_saturated(path);
    }

    /// A path was followed whose cost did not fit.
    pub fn is_void(&mut self) {
        self.void = true;
    }

    /// A state of this key and cost is expanded, the `first` of those taken together.
    #[inline]
    pub fn expanding<C: Costs>(&mut self, costs: &C, key: u64, path: C::Value, first: bool) {
        match self.floor {
            Floor::Levels { unseen } => self.at_least = costs.ahead(path, 0) + unseen,
            Floor::Sums if first => self.at_least = self.at_least.max(C::sum(key)),
            Floor::Sums | Floor::None => {}
        }
    }

    /// What is kept of it at the end. Voided where steps were ignored (a reduction keeps
    /// reachability, not length), or states were forgotten.
    pub fn kept(self, reduced: bool, forgot: bool) -> Option<Kept> {
        let Promise { best, at_least, void, .. } = self;
        (!void && !reduced && !forgot).then_some(Kept { optimal: best != Best::Unknown, at_least })
    }
}

/// What was proven of costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// Whether what was found is a best one.
    pub optimal: bool,
    /// No path that was not found costs less.
    pub at_least: Price,
}

#[cfg(test)]
mod tests {
    use homing_core::{Batch, Expander, Space};

    use super::*;
    use crate::costs::Steps;

    struct Nowhere;

    impl Space for Nowhere {
        fn width(&self) -> usize {
            0
        }

        fn expander(&self) -> Box<dyn Expander + '_> {
            Box::new(Nowhere)
        }
    }

    impl Expander for Nowhere {
        fn initial(&mut self, _: &mut Batch) {}

        fn expand(&mut self, _: &[u64], _: &mut Batch) {}

        fn violated(&mut self, _: &[u64]) -> u64 {
            0
        }
    }

    const GROUNDS: Grounds = Grounds { exact: true, preference: false, admissible: true };
    const ASTAR: Manner = Manner { rank: Rank::Sum(Weights::EQUAL), jointly: 1, beam: false };

    /// What is kept of a promise after a state at depth 3 was expanded, its key f = 7.
    fn kept(manner: Manner, grounds: Grounds) -> Option<(bool, Price)> {
        let task = Task { conditions: 1, ..Task::explore(&Nowhere) };
        let mut promise = Promise::new(&task, manner, grounds);
        promise.following(&Steps, 3);
        promise.expanding(&Steps, Weights::EQUAL.key(3, 4, 0), 3, true);
        promise.kept(false, false).map(|kept| (kept.optimal, kept.at_least))
    }

    #[test]
    fn each_search_promises_what_it_can_keep() {
        assert_eq!(kept(Manner::by(Rank::Depth), GROUNDS), Some((true, 4)));
        assert_eq!(kept(ASTAR, GROUNDS), Some((true, 7)));
        assert_eq!(kept(Manner { jointly: 2, ..ASTAR }, GROUNDS), Some((false, 7)));
        let weighted = |path, estimate| Manner::by(Rank::Sum(Weights { path, estimate }));
        assert_eq!(kept(weighted(2, 1), GROUNDS), Some((true, 0)));
        assert_eq!(kept(weighted(1, 2), GROUNDS), Some((false, 0)));
        assert_eq!(kept(ASTAR, Grounds { admissible: false, ..GROUNDS }), Some((false, 0)));
        for rank in [Rank::Estimate, Rank::Newest] {
            assert_eq!(kept(Manner::by(rank), GROUNDS), Some((false, 0)));
        }
    }

    #[test]
    fn nothing_is_kept_by_a_search_that_deviates() {
        assert_eq!(kept(ASTAR, Grounds { exact: false, ..GROUNDS }), None);
        assert_eq!(kept(ASTAR, Grounds { preference: true, ..GROUNDS }), None);
        let task = Task { conditions: 1, ..Task::explore(&Nowhere) };
        let mut promise = Promise::new(&task, ASTAR, GROUNDS);
        assert!(promise.kept(true, false).is_none() && promise.kept(false, true).is_none());
        promise.following(&Steps, u32::MAX);
        assert!(promise.kept(false, false).is_none());
    }

    /// Where others take part, what was proven stays, and nothing more is.
    #[test]
    fn what_was_proven_is_handed_over() {
        let task = Task { conditions: 1, ..Task::explore(&Nowhere) };
        let mut promise = Promise::new(&task, Manner::by(Rank::Depth), GROUNDS);
        promise.expanding(&Steps, 3, 3, true);
        let mut promise = promise.shared();
        promise.expanding(&Steps, 9, 9, true);
        let kept = promise.kept(false, false).map(|kept| (kept.optimal, kept.at_least));
        assert_eq!(kept, Some((false, 4)));
    }
}
