//! What leads a search: its order, its open list, and those who guide it.
//!
//! Everything here belongs to one search alone; what several searches over one visited
//! set share is [`super::Explored`]. What a guide answers alike for all states is asked
//! once, when the search begins.

use homing_core::{
    Column, Cost, DEAD_END, Edge, Heuristic, Id, Known, Level, Merge, Open, Preference, Taken,
};

use super::window::Source;
use super::{Manner, Rank};
use crate::costs::Costs;
use crate::guide::Guiding;
use crate::open::KEY_BITS;

/// The level of a step that nobody judges.
pub(crate) const FIRST: Level = Level { queue: 0, tie: 0 };

/// What leads one search.
pub(crate) struct Lead<'a, 'g, O> {
    pub(crate) manner: Manner,
    /// What waits.
    pub(crate) open: O,
    pub(crate) estimate: Option<Estimate<'a, 'g>>,
    pub(super) preference: Option<Preferred<'g>>,
    /// Whether anybody breaks ties among equal estimates.
    ties: bool,
    /// Among searches that share states: the bit by which those are noted that this one
    /// met, and by which it expands again, for itself, what others expanded; 0 where it only
    /// takes what nobody expanded.
    pub(super) bit: u8,
}

/// An estimate at work.
pub(crate) struct Estimate<'a, 'g> {
    pub heuristic: &'a mut (dyn Heuristic + 'g),
    /// Whether states are estimated when they are expanded.
    pub lazy: bool,
    /// Whether it breaks ties.
    ties: bool,
}

/// A preference at work.
pub(super) struct Preferred<'g> {
    pub preference: &'g dyn Preference,
    /// What it remembers of each state; nothing where several searches share states, and
    /// then it only says where they wait: a step that it prunes would be lost to all, and
    /// a state that it opens again was expanded by another.
    marks: Option<Column<u32>>,
    /// Whether it prunes steps, and opens states again.
    prunes: bool,
    merges: bool,
}

impl<'a, 'g, O: Open> Lead<'a, 'g, O> {
    /// What leads a search that has its states for itself.
    pub(crate) fn new(manner: Manner, open: O, guide: &'a mut Guiding<'g>) -> Lead<'a, 'g, O> {
        Lead::with(manner, open, guide, true)
    }

    /// What leads one of several searches over the same states.
    pub(crate) fn sharing(manner: Manner, open: O, guide: &'a mut Guiding<'g>) -> Lead<'a, 'g, O> {
        Lead::with(manner, open, guide, false)
    }

    fn with(manner: Manner, open: O, guide: &'a mut Guiding<'g>, marks: bool) -> Self {
        let Guiding { heuristic, preference, .. } = guide;
        let estimate = heuristic.as_deref_mut().map(Estimate::new);
        let preference = preference.map(|preference| Preferred::new(preference, marks));
        let ties = estimate.as_ref().is_some_and(|estimate| estimate.ties)
            || preference.as_ref().is_some_and(|preferred| preferred.preference.has_ties());
        Lead { manner, open, estimate, preference, ties, bit: 0 }
    }

    /// The same, in an order of its own: what others met before is met again, and what
    /// others expanded is expanded again.
    pub(crate) fn with_bit(self, bit: u8) -> Self {
        Lead { bit, ..self }
    }

    /// Whether anybody is asked about successors.
    #[inline]
    pub(crate) fn is_guided(&self) -> bool {
        self.estimate.is_some() || self.preference.is_some()
    }

    /// Whether the estimate is never above the true distance, or there is none.
    pub(super) fn is_admissible(&self) -> bool {
        self.estimate.as_ref().is_none_or(|estimate| estimate.heuristic.claims().admissible)
    }

    /// Whether the preference prunes steps.
    pub(super) fn prunes(&self) -> bool {
        self.preference.as_ref().is_some_and(|preferred| preferred.prunes)
    }

    /// Whether it matters that a state is reached a second time by a way as long.
    pub(super) fn looks_again(&self) -> bool {
        self.preference.as_ref().is_some_and(|preferred| preferred.prunes || preferred.merges)
    }

    /// The work that estimates took.
    pub(crate) fn estimating(&self) -> u64 {
        self.estimate.as_ref().map_or(0, |estimate| estimate.heuristic.work())
    }

    /// The memory that the open list and those who guide take, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let tables = self.estimate.as_ref().map_or(0, |estimate| estimate.heuristic.bytes());
        self.open.bytes() + tables + self.preference.as_ref().map_or(0, Preferred::bytes)
    }

    /// The key of a state reached by a path, with this estimate and preference.
    #[inline]
    pub(crate) fn key<C: Costs>(
        &self,
        costs: &C,
        path: C::Value,
        estimate: Cost,
        level: Level,
    ) -> u64 {
        let key = match self.manner.rank {
            Rank::Depth | Rank::Newest => costs.ahead(path, 0),
            Rank::Estimate if self.ties => {
                u64::from(estimate.min(0xff_ffff)) << 24
                    | u64::from(self.tie()) << 8
                    | u64::from(level.tie)
            }
            Rank::Estimate => u64::from(estimate),
            Rank::Sum(weights) => {
                costs.key(weights, path, estimate, self.tie().max(level.tie.into()))
            }
        };
        u64::from(level.queue) << KEY_BITS | key
    }

    /// Lets a state wait, with all that an open list of several may want to know of it.
    #[inline]
    pub(super) fn push<C: Costs>(
        &mut self,
        entry: u32,
        costs: &C,
        path: C::Value,
        estimate: Cost,
        level: Level,
    ) {
        let key = self.key(costs, path, estimate, level);
        if !self.open.is_several() {
            return self.open.push(entry, key);
        }
        let (path, alone) = (costs.ahead(path, 0), [estimate]);
        let parts = self.estimate.as_ref().map_or(&[][..], |estimate| estimate.heuristic.parts());
        let estimates = if parts.is_empty() { &alone } else { parts };
        let preferred = self.preference.is_some() && level == FIRST;
        self.open.push_known(entry, key, &Known { path, estimates, preferred });
    }

    fn tie(&self) -> Cost {
        match &self.estimate {
            Some(estimate) if estimate.ties => estimate.heuristic.tie().min(0xffff),
            _ => 0,
        }
    }

    /// How much the preference likes a step; of an initial state there is none.
    #[inline]
    pub(super) fn level(&mut self, source: &Source, edge: Option<Edge>, estimate: Cost) -> Level {
        let (Some(preferred), Some(edge)) = (&self.preference, edge) else {
            return FIRST;
        };
        let taken = Taken { from: &source.state, mark: source.mark, edge, estimate };
        let heuristic = self.estimate.as_mut().map(|estimate| &mut *estimate.heuristic);
        preferred.preference.level(&taken, heuristic)
    }
}

impl<'a, 'g> Estimate<'a, 'g> {
    fn new(heuristic: &'a mut (dyn Heuristic + 'g)) -> Estimate<'a, 'g> {
        let (lazy, ties) = (heuristic.is_lazy(), heuristic.has_ties());
        Estimate { heuristic, lazy, ties }
    }

    /// The estimate of a state for itself; `None` where it is a dead end.
    pub fn of(&mut self, state: &[homing_core::Word]) -> Option<Cost> {
        let estimate = self.heuristic.estimate(state, None);
        (estimate != DEAD_END).then_some(estimate)
    }
}

impl<'g> Preferred<'g> {
    fn new(preference: &'g dyn Preference, marks: bool) -> Preferred<'g> {
        let (prunes, merges) = (preference.may_prune(), preference.may_merge());
        Preferred {
            prunes: marks && prunes,
            merges: marks && merges,
            marks: marks.then(|| Column::new(u32::MAX)),
            preference,
        }
    }

    /// Whether a step from a state of this mark is left out.
    #[inline]
    pub fn prunes(&self, mark: u32, edge: Edge) -> bool {
        self.prunes && self.preference.prunes(mark, edge)
    }

    /// The mark of a state that waits.
    #[inline]
    pub fn mark(&self, entry: u32) -> u32 {
        self.marks.as_ref().map_or(0, |marks| marks.get(Id(entry)))
    }

    /// The mark of what a step leads to from a state of the mark `from`; of an initial
    /// state there is none.
    fn after(&self, from: u32, edge: Option<Edge>) -> u32 {
        match edge {
            None => self.preference.initial(),
            Some(edge) => self.preference.mark(from, edge),
        }
    }

    /// Marks a new state.
    #[inline]
    pub fn mark_new(&mut self, entry: u32, from: u32, edge: Option<Edge>) {
        let mark = self.after(from, edge);
        if let Some(marks) = &mut self.marks {
            marks.set(Id(entry), mark);
        }
    }

    /// What becomes of a stored state that is reached again, if it must be opened again.
    #[inline]
    pub fn merge(&self, id: Id, from: u32, edge: Option<Edge>) -> Option<Merge> {
        let marks = self.marks.as_ref().filter(|_| self.merges && id != Id::NONE)?;
        self.preference.merge(marks.get(id), self.after(from, edge))
    }

    /// Marks a stored state that is opened again.
    pub fn remark(&mut self, id: Id, mark: u32) {
        if let Some(marks) = &mut self.marks {
            marks.set(id, mark);
        }
    }

    /// Whether a state waits elsewhere by now.
    #[inline]
    pub fn is_stale(&self, entry: u32, key: u64) -> bool {
        self.marks.as_ref().is_some_and(|marks| {
            self.preference.is_stale(marks.get(Id(entry)), (key >> KEY_BITS) as u16)
        })
    }

    fn bytes(&self) -> usize {
        self.preference.bytes() + self.marks.as_ref().map_or(0, Column::bytes)
    }
}
