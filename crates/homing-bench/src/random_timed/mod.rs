//! Random timed automata, for TChecker's language and for UPPAAL's.
//!
//! Two or three processes with a few locations, two clocks that are compared with
//! numbers up to 3, and small integers: few enough regions for an oracle that
//! explores them one by one. What only one of the languages has is drawn by its
//! own module.

mod tchecker;
mod uppaal;

pub use tchecker::program as tchecker;
pub use uppaal::program as uppaal;

use crate::pen::Pen;

/// The greatest number that clocks are compared with.
const GREATEST: usize = 3;

impl Pen {
    /// A comparison of a clock with a number.
    fn clock_guard(&mut self) -> String {
        let (clock, sign) = (self.pick(&["x", "y"]), self.pick(&["<", "<=", "==", ">=", ">"]));
        // Nothing is below zero.
        let least = usize::from(sign == "<");
        format!("{clock} {sign} {}", least + self.below(GREATEST + 1 - least))
    }

    /// An upper bound on a clock, for invariants.
    fn invariant(&mut self) -> String {
        let clock = self.pick(&["x", "y"]);
        match self.one_in(3) {
            true => format!("{clock} < {}", 1 + self.below(GREATEST)),
            false => format!("{clock} <= {}", self.below(GREATEST + 1)),
        }
    }

    /// A comparison of clocks with each other.
    fn diagonal(&mut self) -> String {
        let sign = self.pick(&["<", "<=", "==", ">=", ">"]);
        format!("x - y {sign} {}", self.below(3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_construct_is_drawn() {
        let all: String = (0..600).map(|seed| uppaal(seed).0).collect();
        for text in [
            "broadcast chan",
            "urgent chan",
            "commit ",
            "urgent ",
            "select ",
            "priority",
            "x - y",
            "scalar",
            "void ",
            "clock x, y",
            "i++",
            "? ",
            "forall",
            "struct",
            "x' == f",
        ] {
            assert!(all.contains(text), "{text}");
        }
        let all: String = (0..600).map(|seed| tchecker(seed).0).collect();
        for text in [
            "committed:",
            "urgent:",
            "invariant:",
            "@b?",
            "provided:",
            "do:",
            "x - y",
            "y = x",
            "if ",
        ] {
            assert!(all.contains(text), "{text}");
        }
        assert_eq!(uppaal(5), uppaal(5));
    }
}
