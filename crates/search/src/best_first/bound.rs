//! What lies beyond a limit of cost or of steps, and is left out.

use homing_core::{Limits, Price, StopReason};

use super::Rank;
use crate::kept;

/// The limits of paths, and what they cut off.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// What paths may cost.
    pub cost: Option<Price>,
    /// How many steps they may have.
    depth: Option<u32>,
    /// Whether what the estimate says counts too: it is never above what is really still
    /// to pay, so that no path within the bound is lost.
    pub counts_estimate: bool,
    /// Whether everything within the bound is searched although something was cut off:
    /// in order of depth, or with states opened again by cheaper paths. Otherwise a
    /// state reached too late hides what lies behind it.
    exhausts: bool,
    /// Why something was left out, if anything was.
    beyond: Option<StopReason>,
    /// What paths behind the limit of steps cost at least, if there are any.
    behind: Price,
}

impl Bound {
    /// The limits of a search by this rank.
    pub fn new(limits: &Limits, rank: Rank, admissible: bool, reopens: bool) -> Bound {
        Bound {
            cost: limits.bound,
            depth: limits.depth,
            counts_estimate: limits.bound.is_some() && admissible,
            exhausts: reopens || rank == Rank::Depth,
            beyond: None,
            behind: Price::MAX,
        }
    }

    /// Whether a path that costs this much is left out.
    #[inline]
    pub fn cuts(&mut self, cost: Price) -> bool {
        let beyond = self.cost.is_some_and(|most| cost > most);
        if beyond {
            self.beyond.get_or_insert(StopReason::Bound);
        }
        beyond
    }

    /// Whether what follows after so many steps is left out; it costs at least
    /// `behind(most)`.
    #[inline]
    pub fn ends(&mut self, steps: Option<u32>, behind: impl Fn(u32) -> Price) -> bool {
        let (Some(most), Some(steps)) = (self.depth, steps) else { return false };
        if steps < most {
            return false;
        }
        self.beyond.get_or_insert(StopReason::Depth);
        self.behind = behind(most);
        true
    }

    /// Adds what another part of the same search left out.
    pub fn join(&mut self, other: &Bound) {
        self.beyond = self.beyond.or(other.beyond);
        self.behind = self.behind.min(other.behind);
    }

    /// States that waited were forgotten, whatever they cost.
    pub fn forget(&mut self) {
        self.beyond = Some(StopReason::Pruned);
    }

    /// Whether states that waited were forgotten.
    pub fn forgot(&self) -> bool {
        self.beyond == Some(StopReason::Pruned)
    }

    /// What was left out so far: as it is kept in a file.
    pub fn known(&self) -> [u64; 2] {
        [kept::of_reason(self.beyond), self.behind]
    }

    /// Goes on from there.
    pub fn restore(&mut self, [beyond, behind]: [u64; 2]) {
        (self.beyond, self.behind) = (kept::reason(beyond), behind);
    }

    /// What paths behind the limit of steps cost at least.
    pub fn behind(&self) -> Price {
        self.behind
    }

    /// Why a search that has nothing left to expand did not see everything.
    pub fn left_out(&self) -> Option<StopReason> {
        match self.beyond {
            Some(StopReason::Bound) if !self.exhausts => Some(StopReason::Pruned),
            other => other,
        }
    }
}
