//! Passes over systems, each switchable, each proven harmless by a
//! differential test against the interpreter.
//!
//! | pass | effect | state counts |
//! |---|---|---|
//! | `ranges` | narrows what slots may hold, which sizes the packed layout | kept |
//! | `constants` | folds terms whose value is known, drops parts that never move | kept |
//! | `slice` | drops what cannot influence the condition searched for | fewer |
//! | `dead` | resets variables whose value cannot be read any more | fewer |
//!
//! `slice` keeps exactly the reachability of the conditions it is given; it is
//! of no use, and must be off, for deadlocks and run-time errors. `dead` keeps
//! deadlocks, errors and conditions alike: the system it makes is bisimilar.

pub(crate) mod constants;
mod dead;
mod flow;
mod infeasible;
mod ranges;
mod slice;

pub use self::slice::{Kept, kept};
use crate::system::System;

/// Which passes to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passes {
    /// Narrow ranges.
    pub ranges: bool,
    /// Fold constants.
    pub constants: bool,
    /// Drop what cannot influence the conditions.
    pub slice: bool,
    /// Reset dead variables.
    pub dead: bool,
}

impl Passes {
    /// The names of all passes, as users write them.
    pub const NAMES: [&'static str; 4] = ["ranges", "constants", "slice", "dead"];

    /// All passes.
    pub const ALL: Passes = Passes { ranges: true, constants: true, slice: true, dead: true };

    /// Those that keep the number of states.
    pub const COUNTING: Passes = Passes { slice: false, dead: false, ..Passes::ALL };

    /// None.
    pub const NONE: Passes = Passes { ranges: false, constants: false, slice: false, dead: false };

    /// Switches the pass `name`; answers whether there is one.
    pub fn switch(&mut self, name: &str, on: bool) -> bool {
        let pass = match name {
            "ranges" => &mut self.ranges,
            "constants" => &mut self.constants,
            "slice" => &mut self.slice,
            "dead" => &mut self.dead,
            _ => return false,
        };
        *pass = on;
        true
    }

    /// The names of the passes that are on.
    pub fn names(self) -> Vec<&'static str> {
        let on = [self.ranges, self.constants, self.slice, self.dead];
        Passes::NAMES.into_iter().zip(on).filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}

/// Runs passes over a system.
pub fn run(system: &mut System, passes: Passes) {
    let _phase = homing_budget::phase("simplifying the model");
    if passes.slice {
        slice::slice(system);
    }
    if passes.dead {
        dead::reset_dead(system);
    }
    if passes.ranges {
        ranges::narrow(system);
    }
    if passes.constants {
        constants::fold(system);
    }
}
