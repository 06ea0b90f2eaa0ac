//! Depth-first search under a bound, in one pass or two.
//!
//! ```text
//! search, leaving out every state entered before
//! if something wanted was not found, something was cut,
//! and a state was left out that was reached at less cost than before:
//!   search again, with an empty store, opening such states again
//! ```

use homing_core::{Price, StopReason, Stores, Watch};

use super::memory::Cheapest;
use super::{Manner, Order, Search, counts_apart};
use crate::costs::{Costs, Priced, Steps};
use crate::guide::Guiding;
use crate::task::{Findings, Outcome, Statistics, Task};

/// Runs a depth-first search for `task`; with a seed, successors in random
/// order. Under a limit on steps or costs, states reached at less cost are
/// opened again.
pub fn depth_first(
    task: &Task,
    seed: Option<u64>,
    stores: &mut dyn Stores,
    guide: &mut Guiding<'_>,
    watch: &mut Watch,
) -> Outcome {
    let order = seed.map_or(Order::Given, Order::Random);
    let mut below = Below { manner: Manner { order, ..Manner::default() }, stores, guide, watch };
    let round = match below.watch.limits().bound {
        Some(_) => below.search(task, None),
        // Nobody asks what a path costs.
        None => below.search(&Task { pricing: None, ..*task }, None),
    };
    let complete = round.findings.complete(task);
    let stopped = round.stopped.or(round.beyond).filter(|_| !complete);
    let at_least = match stopped {
        // Of what was found it is not known whether it is best.
        _ if !round.findings.is_empty() || !round.exhaustive => 0,
        None => Price::MAX,
        Some(StopReason::Bound) => round.above.unwrap_or(0),
        Some(_) => 0,
    };
    let Round { findings, statistics, .. } = round;
    Outcome { findings, statistics, stopped, optimal: false, at_least, notices: Vec::new() }
}

/// What searches below a bound are made with.
pub(crate) struct Below<'a, 'g> {
    pub manner: Manner,
    pub stores: &'a mut dyn Stores,
    pub guide: &'a mut Guiding<'g>,
    pub watch: &'a mut Watch,
}

/// How a search below a bound ended.
pub(crate) struct Round {
    pub findings: Findings,
    pub statistics: Statistics,
    /// What the traces found cost, see [`Search::prices`].
    pub prices: Vec<Option<Price>>,
    /// The least sum above the threshold.
    pub cut: Option<Price>,
    /// The least above the user's bound.
    pub above: Option<Price>,
    /// Why it did not see everything, though it went to its end.
    pub beyond: Option<StopReason>,
    /// Why it did not go to its end.
    pub stopped: Option<StopReason>,
    /// Whether it saw all below the threshold that matters.
    pub exhaustive: bool,
    /// Whether opening states again would have shown more.
    unsettled: bool,
}

impl Below<'_, '_> {
    /// Searches below a threshold, and the user's bound.
    pub(crate) fn search(&mut self, task: &Task, threshold: Option<Price>) -> Round {
        let first = self.pass(task, threshold, false);
        self.watch.end_round(&first.statistics.progress);
        if !first.unsettled {
            return first;
        }
        let mut second = self.pass(task, threshold, true);
        self.watch.end_round(&second.statistics.progress);
        second.statistics.add(&first.statistics);
        second
    }

    fn pass(&mut self, task: &Task, threshold: Option<Price>, reopens: bool) -> Round {
        match task.pricing {
            None => self.pass_with(task, threshold, reopens, Steps),
            Some(pricing) => self.pass_with(task, threshold, reopens, Priced::new(pricing)),
        }
    }

    fn pass_with<C: Costs>(
        &mut self,
        task: &Task,
        threshold: Option<Price>,
        reopens: bool,
        costs: C,
    ) -> Round {
        let store = match self.stores.fresh() {
            Ok(store) => store,
            Err(reason) => return Round::stopped(reason),
        };
        let limits = self.watch.limits();
        let bounded = threshold.is_some() || limits.bound.is_some() || limits.depth.is_some();
        let worst = bounded.then_some(C::WORST);
        let memory = Cheapest::new(store, worst, counts_apart::<C>(self.watch), reopens);
        let mut search = Search::new(task, self.manner, memory, self.guide, self.watch, costs);
        search.threshold = threshold;
        let stopped = search.run(self.watch).err();
        let open = stopped.is_none() && !search.is_complete();
        Round {
            prices: search.prices().to_vec(),
            cut: search.cut,
            above: search.above(),
            beyond: search.beyond(),
            stopped,
            // Opening states again leaves none out, but where one that covers
            // another was reached after more steps.
            exhaustive: search.is_exhaustive() && !(reopens && search.is_blurred()),
            unsettled: open && search.is_blurred() && search.memory.may_reopen(),
            statistics: search.statistics(),
            findings: search.findings,
        }
    }
}

impl Round {
    fn stopped(reason: StopReason) -> Round {
        Round {
            findings: Findings::default(),
            statistics: Statistics::default(),
            prices: Vec::new(),
            cut: None,
            above: None,
            beyond: None,
            stopped: Some(reason),
            exhaustive: true,
            unsettled: false,
        }
    }
}
