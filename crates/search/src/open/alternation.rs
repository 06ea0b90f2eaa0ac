//! Alternation: several open lists that take turns, each ordered by another estimate,
//! and those of preferred states ahead of their turn while the search makes progress.
//!
//! Helmert, "The Fast Downward Planning System" (JAIR 2006), section 5.1; Röger, Helmert,
//! "The More, the Merrier: Combining Heuristic Estimators for Satisficing Planning" (ICAPS
//! 2010); boosting is from Richter, Westphal, "The LAMA Planner" (JAIR 2010).
//!
//! ```text
//! push s:  for every estimate h:
//!            insert s into the list of h, by h(s)
//!            if s was reached by a preferred step: insert it into the preferred list of h
//!          if h(s) is below all seen before, for some h:
//!            priority(l) := priority(l) − boost, for every preferred list l
//! pop:     l := a list that is not empty, of least priority
//!          priority(l) := priority(l) + 1
//!          take a state of least estimate from l
//! ```
//! Every state waits in the list of each estimate, so that nothing is lost; where it was
//! expanded from one list in the meantime the search skips it, and the turn is spent.
//!
//! With a list of types ([`Types`]) that one has its turns, too.

use homing_core::{Cost, Known, Open};

use super::{Buckets, Types};

/// Lists that take turns. Equal estimates leave a list first in, first out; of lists of
/// equal priority the first has its turn: all before preferred ones, in the order of the
/// estimates.
#[derive(Debug, Default)]
pub struct Alternation {
    /// For every estimate one of all states.
    all: Vec<Turns<Buckets>>,
    /// For every estimate one of preferred states.
    preferred: Vec<Turns<Buckets>>,
    types: Option<Turns<Types>>,
    /// The least value of each estimate.
    least: Vec<Cost>,
    /// By how much the preferred lists are put ahead when an estimate falls.
    boost: i64,
    /// How many states are in the lists, each as often as it waits.
    length: usize,
}

#[derive(Debug, Default)]
struct Turns<O> {
    open: O,
    /// The turns it had, less what it was put ahead.
    priority: i64,
}

impl<O: Open> Turns<O> {
    /// Its turn, should it come: the least first.
    fn turn(&self) -> Option<i64> {
        (!self.open.is_empty()).then_some(self.priority)
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        self.priority += 1;
        self.open.pop()
    }
}

impl Alternation {
    /// Lists that put preferred states ahead by so many turns when an estimate falls.
    pub fn boosting(boost: u64) -> Alternation {
        let boost = i64::try_from(boost).unwrap_or(i64::MAX);
        Alternation { boost, ..Alternation::default() }
    }

    /// The same, and a list of types.
    pub fn and(self, types: Types) -> Alternation {
        Alternation { types: Some(Turns { open: types, priority: 0 }), ..self }
    }

    /// Notes the least values. Says whether one fell.
    fn falls(&mut self, estimates: &[Cost]) -> bool {
        self.least.resize(self.least.len().max(estimates.len()), Cost::MAX);
        let mut falls = false;
        for (least, estimate) in self.least.iter_mut().zip(estimates) {
            falls |= estimate < least;
            *least = (*least).min(*estimate);
        }
        falls
    }

    /// As many lists as there are estimates.
    fn make(&mut self, estimates: usize) {
        if self.all.len() < estimates {
            self.all.resize_with(estimates, Turns::default);
            self.preferred.resize_with(estimates, Turns::default);
        }
    }

    fn push_into(lists: &mut [Turns<Buckets>], entry: u32, estimates: &[Cost]) {
        for (list, estimate) in lists.iter_mut().zip(estimates) {
            list.open.push(entry, u64::from(*estimate));
        }
    }

    fn lists(&mut self) -> impl Iterator<Item = &mut Turns<Buckets>> {
        self.all.iter_mut().chain(&mut self.preferred)
    }
}

impl Open for Alternation {
    fn is_several(&self) -> bool {
        true
    }

    /// By its key alone.
    fn push(&mut self, entry: u32, key: u64) {
        let estimates = &[Cost::try_from(key).unwrap_or(Cost::MAX)];
        self.push_known(entry, key, &Known { path: 0, estimates, preferred: false });
    }

    fn push_known(&mut self, entry: u32, key: u64, known: &Known) {
        self.make(known.estimates.len());
        Alternation::push_into(&mut self.all, entry, known.estimates);
        self.length += known.estimates.len();
        if known.preferred {
            Alternation::push_into(&mut self.preferred, entry, known.estimates);
            self.length += known.estimates.len();
        }
        if let Some(types) = &mut self.types {
            types.open.push_known(entry, key, known);
            self.length += 1;
        }
        if self.falls(known.estimates) {
            let boost = self.boost;
            let ahead = |list: &mut Turns<_>| list.priority = list.priority.saturating_sub(boost);
            self.preferred.iter_mut().for_each(ahead);
        }
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        let types = self.types.as_ref().and_then(Turns::turn);
        let next = self.lists().filter(|list| list.turn().is_some());
        let next = next.min_by_key(|list| list.priority);
        let before =
            next.as_ref().is_some_and(|list| types.is_none_or(|turn| list.priority <= turn));
        let popped = match next.filter(|_| before) {
            Some(list) => list.pop(),
            None => self.types.as_mut().and_then(Turns::pop),
        };
        self.length -= usize::from(popped.is_some());
        popped
    }

    fn least(&mut self) -> Option<u64> {
        let least = self.lists().filter_map(|list| list.open.least()).min();
        least.or_else(|| self.types.as_mut().and_then(|types| types.open.least()))
    }

    fn clear(&mut self) {
        self.lists().for_each(|list| list.open.clear());
        self.types.iter_mut().for_each(|types| types.open.clear());
        self.length = 0;
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        let lists = self.all.iter().chain(&self.preferred).map(|list| list.open.bytes());
        lists.sum::<usize>() + self.types.as_ref().map_or(0, |types| types.open.bytes())
    }
}
