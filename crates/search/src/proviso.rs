//! The proviso for searches in any order: no step is ignored for ever.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (MoChArt 2008), section 6, condition C2c; Bošnački, Leue,
//! Lluch Lafuente, "Partial-order reduction for general state exploring
//! algorithms" (2009):
//!
//! ```text
//! C2c:  r(s) has a step to a state that is not in Closed, or r(s) is all of
//!       enabled(s)
//! ```
//! Where a space says that some successors are an ample set ([`Batch::ample`]), those are
//! visited first; the others too, unless one of the first is not closed. Such a
//! state is expanded later, and what was ignored is there still. A state counts as
//! closed before its own test: a step back to itself ignores what it ignored.
//!
//! Several sets may be ample, each alone ([`Batch::further`]). Where all states behind
//! the first are closed, the second is visited too, and so on: together they are ample
//! as well, and one state that is not closed will do.
//!
//! A state that is opened again is expanded as it was the first time. Otherwise,
//! what the first expansion ignored may have been ignored in a state that is
//! closed, and the second finds the same.
//!
//! Depth-first search has a condition of its own, which reduces more: one of the
//! successors is not on the stack (`depth_first`).
//!
//! [`Batch::ample`]: homing_core::Batch::ample
//! [`Batch::further`]: homing_core::Batch::further

use homing_core::{Column, Id};

/// What is known of a state's expansion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    /// It was not expanded.
    Open,
    /// It was, and some successors were enough.
    Reduced,
    /// It was, with all successors.
    Whole,
}

/// Which states were expanded, and how.
pub(crate) struct Proviso {
    /// Whether states have numbers.
    numbered: bool,
    fates: Column<Fate>,
    /// Whether the successors being visited may turn out to be enough. Where all are
    /// taken anyway, nobody asks whether they are closed: that would be a look into
    /// main memory for every one.
    asks: bool,
    /// Whether one of the successors visited since the last expansion began is
    /// not closed.
    fresh: bool,
    /// States expanded so that some successors were enough.
    pub reduced: u64,
}

impl Proviso {
    /// Nothing was expanded yet. Where states have no numbers, all that were seen
    /// count as closed.
    pub fn new(numbered: bool) -> Proviso {
        Proviso { numbered, fates: Column::new(Fate::Open), asks: false, fresh: false, reduced: 0 }
    }

    /// Closes a state whose successors are visited next, and answers what was
    /// known of it. `asks` is whether they may be enough.
    pub fn begin(&mut self, id: Id, asks: bool) -> Fate {
        self.asks = asks;
        self.fresh = false;
        if !self.numbered || !id.is_some() {
            return Fate::Open;
        }
        let before = self.fates.get(id);
        if before == Fate::Open {
            self.fates.set(id, Fate::Whole);
        }
        before
    }

    /// A successor was visited that was stored before.
    pub fn known(&mut self, id: Id) {
        let unknown = self.asks && !self.fresh && self.numbered && id.is_some();
        self.fresh |= unknown && self.fates.get(id) == Fate::Open;
    }

    /// A successor was visited that is new.
    pub fn new_state(&mut self) {
        self.fresh = true;
    }

    /// Whether the proviso holds of the ample set, all of which was visited; `before` is
    /// what [`Proviso::begin`] answered.
    pub fn holds(&mut self, id: Id, before: Fate) -> bool {
        let holds = match before {
            Fate::Open => self.fresh,
            Fate::Reduced => true,
            Fate::Whole => false,
        };
        if holds && before == Fate::Open {
            self.reduced += 1;
            if self.numbered && id.is_some() {
                self.fates.set(id, Fate::Reduced);
            }
        }
        holds
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        self.fates.bytes()
    }
}
