//! Arithmetic on estimates: a dead end stays one, and nothing else becomes one.

use homing_core::{Cost, DEAD_END};

/// The greatest estimate that is not a dead end.
pub(crate) const GREATEST: Cost = DEAD_END - 1;

pub(crate) fn add(a: Cost, b: Cost) -> Cost {
    match (a, b) {
        (DEAD_END, _) | (_, DEAD_END) => DEAD_END,
        _ => a.saturating_add(b).min(GREATEST),
    }
}

pub(crate) fn times(estimate: Cost, factor: Cost) -> Cost {
    match estimate {
        DEAD_END => DEAD_END,
        _ => estimate.saturating_mul(factor).min(GREATEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_ends_stay_and_do_not_appear() {
        assert_eq!(add(GREATEST, 7), GREATEST);
        assert_eq!(add(3, DEAD_END), DEAD_END);
        assert_eq!((times(GREATEST, 2), times(DEAD_END, 0)), (GREATEST, DEAD_END));
    }
}
