//! A search begins in memory, and goes on on disk where that ends.
//!
//! ```text
//! search as in memory, until a part of the memory is taken or the search is to stop
//! states that were expanded: sorted runs, with their depths and the marks of their parents
//! states that wait:          candidates
//! ```
//! What waits was counted when it was stored; on disk states are counted when their layer is
//! made. So they are taken off, and counted again.
//!
//! Until a search has left memory, nothing of it is on disk.

use homing_core::{Open, StopReason, Store, Stores};
use homing_external::{Candidates, Tag};

use super::{Ended, External, Order, Target, What};
use crate::best_first::{Explored, Lead, Manner, Rank, Stored};
use crate::costs::Steps;
use crate::guide::{Guide, Guiding};
use crate::keys::Weights;
use crate::open::{Fifo, Matrix};
use crate::task::Outcome;

/// Where a search has begun.
enum Begun {
    /// In memory, and that was enough.
    Done(Box<Outcome>),
    /// In memory, and everything is on disk now.
    OnDisk,
    /// It is still to begin.
    Nowhere,
}

impl External<'_, '_> {
    /// Begins with the initial states, in memory up to this limit if that is possible. Answers
    /// what came of it, if that was enough.
    pub(super) fn begin(
        &mut self,
        stores: &mut dyn Stores,
        guide: &Guide<'_>,
        memory: Option<usize>,
    ) -> Result<Option<Outcome>, Ended> {
        let mut begun = Begun::Nowhere;
        if let Some(memory) = memory {
            begun = self.begin_in_memory(stores.fresh()?, &mut guide.instance(), memory)?;
        }
        if let Begun::Done(outcome) = begun {
            return Ok(Some(*outcome));
        }
        // What the store took is needed from now on.
        stores.fresh()?;
        match begun {
            Begun::OnDisk => Ok(None),
            _ => self.start().map(|()| None),
        }
    }

    fn begin_in_memory(
        &mut self,
        store: &mut dyn Store,
        guiding: &mut Guiding<'_>,
        memory: usize,
    ) -> Result<Begun, Ended> {
        match self.order {
            Order::Breadth => {
                let lead = Lead::new(Manner::by(Rank::Depth), Fifo::default(), guiding);
                self.begin_by(store, lead, memory)
            }
            Order::AStar => {
                let manner = Manner::by(Rank::Sum(Weights::EQUAL));
                self.begin_by(store, Lead::new(manner, Matrix::default(), guiding), memory)
            }
        }
    }

    fn begin_by<O: Open>(
        &mut self,
        store: &mut dyn Store,
        mut lead: Lead<'_, '_, O>,
        memory: usize,
    ) -> Result<Begun, Ended> {
        let limits = self.watch.limits().clone();
        let mut explored = Explored::new(self.task, store, &lead, &limits, Steps);
        if !explored.can_share(&lead, &limits) {
            return Ok(Begun::Nowhere);
        }
        let most = limits.memory.map_or(memory, |limit| limit.min(memory));
        self.watch.limits_mut().memory = Some(most);
        let ended = explored
            .start(&mut lead)
            .and_then(|()| explored.look(&lead, self.watch))
            .and_then(|()| explored.go_on(&mut lead, self.watch));
        self.watch.limits_mut().memory = limits.memory;
        let stopped = match ended {
            Ok(()) => return Ok(Begun::Done(explored.outcome(&lead, None).into())),
            Err(_) if explored.findings.complete(self.task) => {
                return Ok(Begun::Done(explored.outcome(&lead, None).into()));
            }
            // Some successors were not stored.
            Err(StopReason::StoreFull) => return Ok(Begun::Nowhere),
            // On disk a path is found again by depths, which re-opening may have changed.
            Err(_) if self.order == Order::AStar && !explored.findings.is_empty() => {
                return Ok(Begun::Nowhere);
            }
            Err(reason) => reason,
        };
        self.take_over(explored, lead)?;
        match stopped {
            StopReason::Memory => Ok(Begun::OnDisk),
            other => Err(other.into()),
        }
    }

    /// Takes to disk what is in memory.
    fn take_over<O: Open>(
        &mut self,
        explored: Explored<'_, dyn Store + '_, Steps>,
        mut lead: Lead<'_, '_, O>,
    ) -> Result<(), Ended> {
        self.left_out = explored.left_out().map(|left_out| match left_out {
            StopReason::Depth => StopReason::Depth,
            _ => StopReason::Bound,
        });
        self.findings = explored.findings.clone();
        self.note_targets();
        let mut statistics = explored.statistics;
        statistics.estimated = lead.estimating();
        let mut closed = Candidates::new(self.directory.width(), self.candidates.most() / 2);
        explored.hand_out(&mut lead, |stored| -> Result<(), Ended> {
            let Stored { state, parent, depth, waits } = stored;
            // Whoever is asked for an estimate counts; that was done.
            let Some(estimate) = self.estimate(state, None) else { return Ok(()) };
            let tag = Tag::new(estimate, depth, parent.map_or(0, Tag::mark_of));
            if !waits {
                return match closed.push(state, tag) {
                    true => self.close(&mut closed),
                    false => Ok(()),
                };
            }
            statistics.progress.stored -= 1;
            if self.task.count != 0 && self.expander.violated(state) & self.task.count != 0 {
                statistics.counted -= 1;
            }
            match self.candidates.push(state, tag) {
                true => self.flush(),
                false => Ok(()),
            }
        })?;
        self.close(&mut closed)?;
        self.statistics = statistics;
        self.flush()?;
        self.save()
    }

    /// Writes expanded states to runs.
    fn close(&mut self, states: &mut Candidates) -> Result<(), Ended> {
        for run in states.flush_together(self.directory)? {
            self.closed.entry(run.partition).or_default().add(run);
        }
        Ok(())
    }

    /// Notes how what was found is found again, by whoever goes on.
    fn note_targets(&mut self) {
        let conditions = self.findings.conditions.iter().enumerate();
        let goals =
            conditions.filter_map(|(bit, finding)| Some((What::Goal(1 << bit), finding.as_ref()?)));
        let deadlock = self.findings.deadlock.as_ref().map(|finding| (What::Deadlock, finding));
        let fault = self.findings.fault.as_ref();
        let fault = fault.and_then(|finding| Some((What::Fault(finding.fault?), finding)));
        // A way that was not found again is empty.
        let width = self.directory.width();
        let all = goals.chain(deadlock).chain(fault);
        let whole = all.filter(|(_, finding)| finding.path.last().len() == width);
        let targets = whole.map(|(what, finding)| {
            let path = &finding.path;
            let before = path.len().checked_sub(1).map(|steps| path.state(steps));
            let tag = Tag::new(0, path.len() as u32, before.map_or(0, Tag::mark_of));
            Target { what, state: path.last().to_vec(), tag }
        });
        self.targets = targets.collect();
    }
}
