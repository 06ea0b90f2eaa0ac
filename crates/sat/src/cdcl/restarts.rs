//! When a search begins anew from its assumptions.
//!
//! Audemard, Simon, "Refining restarts strategies for SAT and UNSAT" (CP 2012); Biere,
//! Fröhlich, "Evaluating CDCL variable scoring schemes" (SAT 2015): averages that forget.
//! Luby, Sinclair, Zuckerman, "Optimal speedup of Las Vegas algorithms" (1993).
//!
//! ```text
//! hasty     restart if the last clauses spanned a tenth more levels than clauses in general do
//! patient   restart after 1, 1, 2, 1, 1, 2, 4, … times so many conflicts
//! ```
//! The two take turns: haste is good where there is no model, patience where there is one.

const FAST: f64 = 1.0 / 32.0;
const SLOW: f64 = 1.0 / 4096.0;
const MARGIN: f64 = 1.1;
/// The least number of conflicts between two hasty restarts.
const LEAST: u64 = 4;
const PATIENCE: u64 = 512;
/// Conflicts of the first turn; the one of number n has n² times as many.
const TURN: u64 = 1000;

/// When to begin anew.
#[derive(Default)]
pub(super) struct Restarts {
    fast: f64,
    slow: f64,
    conflicts: u64,
    /// At which number of conflicts the last restart was.
    last: u64,
    patient: bool,
    turns: u64,
    turn_ends: u64,
    luby: u64,
}

impl Restarts {
    /// A conflict was met; what was learnt from it spans so many levels.
    pub(super) fn conflict(&mut self, levels: u32) {
        self.conflicts += 1;
        // Averages begin with what they see first.
        let fast = FAST.max(1.0 / self.conflicts as f64);
        let slow = SLOW.max(1.0 / self.conflicts as f64);
        self.fast += fast * (f64::from(levels) - self.fast);
        self.slow += slow * (f64::from(levels) - self.slow);
        if self.conflicts >= self.turn_ends {
            self.turns += 1;
            self.turn_ends = self.conflicts + TURN * self.turns.saturating_mul(self.turns);
            self.patient = self.turns.is_multiple_of(2);
        }
    }

    /// Whether to begin anew now; then that is noted.
    pub(super) fn is_due(&mut self) -> bool {
        let since = self.conflicts - self.last;
        let due = match self.patient {
            true => since >= PATIENCE * luby(self.luby),
            false => since >= LEAST && self.fast > MARGIN * self.slow,
        };
        if due {
            self.last = self.conflicts;
            self.luby += u64::from(self.patient);
        }
        due
    }
}

/// The number at a position of the sequence 1, 1, 2, 1, 1, 2, 4, …
fn luby(position: u64) -> u64 {
    let mut position = position + 1;
    loop {
        let bits = position.ilog2() + 1;
        if position == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        position -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn the_sequence_of_luby() {
        let first: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
