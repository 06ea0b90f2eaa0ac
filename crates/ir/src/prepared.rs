//! A system made ready to be searched: numbered and laid out, once for all who look at it.
//!
//! Compiled code, spaces and estimates share one by `Arc`; none of them owns the system.

use std::sync::Arc;

use crate::flatten::{Wanted, flatten};
use crate::layout::Layout;
use crate::moves::Moves;
use crate::passes::{self, Passes};
use crate::{Diagnostic, Network, System};

/// A system, where its slots lie in packed states, and its numbered steps.
#[derive(Debug)]
pub struct Prepared {
    system: System,
    layout: Layout,
    moves: Moves,
}

impl Prepared {
    /// Makes a system ready.
    pub fn new(system: System) -> Arc<Prepared> {
        let (layout, moves) = (Layout::new(&system), Moves::of(&system));
        Arc::new(Prepared { system, layout, moves })
    }

    /// The system of a network, with conditions for a search to look for, after the passes;
    /// or what of it no system can express.
    pub fn of(
        network: &Network,
        conditions: &[Wanted],
        passes: Passes,
    ) -> Result<Arc<Prepared>, Vec<Diagnostic>> {
        let mut system = flatten(network, conditions)?;
        passes::run(&mut system, passes);
        Ok(Prepared::new(system))
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Where its slots lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its numbered steps.
    pub fn moves(&self) -> &Moves {
        &self.moves
    }
}
