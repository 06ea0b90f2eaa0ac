//! What a search may take of the limits, where several have their turns.

use std::time::{Duration, Instant};

use homing_core::{StopReason, Watch};

use super::Runner;

/// What a search may take of the limits, where several have their turns.
#[derive(Clone, Copy, Default)]
pub(super) struct Turn {
    expansions: Option<u64>,
    until: Option<Instant>,
}

impl Runner {
    /// Searches take at most so many expansions, and of the time that is left one of so
    /// many parts, until the turn ends.
    pub(crate) fn take_turn(&self, expansions: Option<u64>, parts: u32) {
        self.end_turn();
        let until = self.time_left().map(|left| Instant::now() + left / parts.max(1));
        self.turn.set(Turn { expansions, until: until.filter(|_| parts > 1) });
    }

    /// From now on a search may take all that is left.
    pub(crate) fn end_turn(&self) {
        self.turn.set(Turn::default());
    }

    /// The same in the midst of a search that this turn has ended. Says whether it did.
    pub(crate) fn outlast_turn(&self, watch: &mut Watch) -> bool {
        let ends = self.turn_ends(StopReason::Expansions);
        if ends {
            self.end_turn();
            let time = self.time_left().map(|left| watch.elapsed() + left);
            let limits = watch.limits_mut();
            (limits.expansions, limits.time) = (self.most_expansions(), time);
        }
        ends
    }

    /// Whether a search that ended for this reason was ended by its turn alone.
    pub(crate) fn turn_ends(&self, stopped: StopReason) -> bool {
        let Turn { expansions, until } = self.turn.get();
        match stopped {
            StopReason::Expansions => expansions
                .is_some_and(|most| self.limits.expansions.is_none_or(|limit| most < limit)),
            StopReason::Time => {
                let up = self.limits.time.is_some_and(|time| self.start.elapsed() >= time);
                until.is_some() && !up
            }
            _ => false,
        }
    }

    /// The expansions that a search may take.
    pub(crate) fn most_expansions(&self) -> Option<u64> {
        self.limits.expansions.into_iter().chain(self.turn.get().expansions).min()
    }

    /// The time that is left, of the turn and of all.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let all = self.limits.time.map(|time| time.saturating_sub(self.start.elapsed()));
        let turn =
            self.turn.get().until.map(|until| until.saturating_duration_since(Instant::now()));
        all.into_iter().chain(turn).min()
    }

    /// Whether the budget is spent.
    pub(crate) fn is_spent(&self) -> bool {
        self.budget.check().is_err() || self.time_left().is_some_and(|left| left.is_zero())
    }
}
