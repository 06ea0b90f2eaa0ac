//! Which of a component's moves are asked for.

use homing_ir::moves::Moves;

/// Which of the moves a function has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    /// Those that may happen at any time.
    Ordinary,
    /// Those that happen only where no others do.
    Timeout,
    /// Those of a component that holds control, whatever commitment says.
    Held,
    /// Those of which some participant leaves a committed location.
    Committed,
}

impl Which {
    /// Whether a move is among these.
    pub(crate) fn wants(self, moves: &Moves, label: u32) -> bool {
        let fits = moves.is_timeout(label) == (self == Which::Timeout);
        fits && self.allows(moves, label)
    }

    /// Whether commitment, in the end, lets the parts of a move meet.
    pub(crate) fn allows(self, moves: &Moves, label: u32) -> bool {
        match self {
            Which::Held => true,
            Which::Committed => moves.is_committed(label),
            Which::Ordinary | Which::Timeout => !moves.is_held_only(label),
        }
    }
}
