//! Who takes part in the steps of a state.
//!
//! Of a part that moves alone and of a pair the label says it, once and for all.
//! Of joints it depends on the state; the expansion notes it on the way.
//!
//! Where guards speak of clocks, whether an optional member of a joint (the
//! receiver of a broadcast) can move depends on their values, so there is a
//! successor with it and one without. The latter exists only where none of its
//! guards holds: these parts *refrain*.
//!
//! A step that fails does so on the way: whatever comes before must be possible.
//! A failure in the guard of a receiver needs the sender's guard to hold, not the
//! receiver's; [`Timing::sites`](homing_ir::timing::Timing::sites) says what the
//! guard itself must have got past.

use std::ops::Range;

use homing_core::{Batch, Fault};
use homing_ir::System;
use homing_ir::moves::{Move, Moves};
use homing_ir::system::{PartId, SiteId, Term};

use crate::CompiledSpace;

/// Who takes part in the successors and failures of one state.
#[derive(Clone, Debug, Default)]
pub struct Participants {
    /// The first successor and the first failure that are of joints.
    first: (usize, usize),
    parts: Vec<PartId>,
    /// For every successor of a joint where its parts start in `parts`, where
    /// those that refrain do, and where these end.
    steps: Vec<[usize; 3]>,
    /// For every failure of a joint, where its parts lie.
    faults: Vec<Range<usize>>,
}

impl Participants {
    /// The parts that move to the successor `index` of `out`, in the order of
    /// their effects.
    pub fn moving<'p>(
        &'p self,
        space: &'p CompiledSpace,
        out: &Batch,
        index: usize,
    ) -> &'p [PartId] {
        match self.joint(index) {
            Some([start, refraining, _]) => &self.parts[start..refraining],
            None => space.roster.moving(out.edge(index).label),
        }
    }

    /// The parts that could move to the successor `index`, but for clocks, and
    /// must not be able to.
    pub fn refraining(&self, index: usize) -> &[PartId] {
        self.joint(index).map_or(&[], |[_, start, end]| &self.parts[start..end])
    }

    fn joint(&self, index: usize) -> Option<[usize; 3]> {
        let index = index.checked_sub(self.first.0)?;
        self.steps.get(index).copied()
    }

    /// The parts whose guards must hold for the failure `index` of `out` to be
    /// one.
    pub fn failing<'p>(
        &'p self,
        space: &'p CompiledSpace,
        out: &Batch,
        index: usize,
    ) -> &'p [PartId] {
        let joint = index.checked_sub(self.first.1).and_then(|index| self.faults.get(index));
        match joint {
            Some(range) => &self.parts[range.clone()],
            None => space.roster.failing(space.moves(), out.faults()[index]),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.steps.clear();
        self.faults.clear();
    }

    /// From these numbers on, successors and failures are of joints.
    pub(crate) fn joints_from(&mut self, successors: usize, faults: usize) {
        self.first = (successors - self.steps.len(), faults - self.faults.len());
    }

    pub(crate) fn step(&mut self, moving: impl Iterator<Item = PartId>, refraining: &[PartId]) {
        let start = self.parts.len();
        self.parts.extend(moving);
        let middle = self.parts.len();
        self.parts.extend_from_slice(refraining);
        self.steps.push([start, middle, self.parts.len()]);
    }

    pub(crate) fn fault(&mut self, parts: &[PartId]) {
        let start = self.parts.len();
        self.parts.extend_from_slice(parts);
        self.faults.push(start..self.parts.len());
    }
}

/// Who takes part in moves that are no joints; kept for systems with timing only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    /// By label, from where to where in `parts`.
    ranges: Vec<Range<usize>>,
    parts: Vec<PartId>,
    /// By site, the part whose guard it is in.
    guards: Vec<Option<PartId>>,
}

impl Roster {
    pub(crate) fn of(system: &System, moves: &Moves) -> Roster {
        let mut roster = Roster { guards: vec![None; system.sites.len()], ..Roster::default() };
        for one in moves.list.iter().filter(|_| system.timing.is_some()) {
            let start = roster.parts.len();
            match *one {
                Move::Alone(part) => roster.parts.push(part),
                Move::Pair { sender, receiver } if system.sender_first => {
                    roster.parts.extend([sender, receiver]);
                }
                Move::Pair { sender, receiver } => roster.parts.extend([receiver, sender]),
                Move::Joint(_) => {}
            }
            roster.ranges.push(start..roster.parts.len());
        }
        for (index, part) in system.parts.iter().enumerate() {
            part.guard.walk(&mut |term| {
                if let Term::Check(_, _, SiteId(site)) | Term::NonZero(_, SiteId(site)) = term {
                    roster.guards[*site as usize] = Some(PartId(index as u32));
                }
            });
        }
        roster
    }

    /// The parts of a move, in the order of their effects; none of a joint.
    pub(crate) fn moving(&self, label: u32) -> &[PartId] {
        let range = self.ranges.get(label as usize);
        range.map_or(&[], |range| &self.parts[range.clone()])
    }

    /// Whether a site is in a guard.
    pub(crate) fn is_guard(&self, site: u32) -> bool {
        self.guards[site as usize].is_some()
    }

    /// The parts whose guards must hold for this to be a failure.
    fn failing(&self, moves: &Moves, fault: Fault) -> &[PartId] {
        let all = self.moving(fault.edge.label);
        let Some(failing) = self.guards[fault.site as usize] else { return all };
        let sender = match moves.list[fault.edge.label as usize] {
            Move::Pair { sender, .. } if sender != failing => sender,
            _ => return &[],
        };
        match all {
            [first, ..] if *first == sender => &all[..1],
            _ => &all[1..],
        }
    }
}
