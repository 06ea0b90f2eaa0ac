//! Keys of open lists that order by path and estimate together.

use homing_core::{Cost, Price};

/// How much the path and the estimate weigh: f = (path · g + estimate · h).
/// A* weighs them alike; Pohl, "Heuristic search viewed as path finding in a
/// graph" (1970), f = αg + (1 − α)h.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weights {
    /// The weight of g.
    pub path: u32,
    /// The weight of h.
    pub estimate: u32,
}

const SUM: u64 = (1 << 24) - 1;
const ESTIMATE: u64 = (1 << 16) - 1;

impl Weights {
    /// Those of A*.
    pub const EQUAL: Weights = Weights { path: 1, estimate: 1 };

    /// f above, then h, then what breaks ties. Sums and estimates too great to
    /// be told apart count as equally bad.
    pub(crate) fn key(self, path: u32, estimate: Cost, tie: Cost) -> u64 {
        let weigh = |value: u32, by: u32| u64::from(value) * u64::from(by);
        let sum = (weigh(path, self.path) + weigh(estimate, self.estimate)).min(SUM);
        sum << 24 | u64::from(estimate).min(ESTIMATE) << 8 | u64::from(tie).min(0xff)
    }

    /// f of a key.
    pub(crate) fn sum(key: u64) -> Price {
        key >> 24 & SUM
    }
}
