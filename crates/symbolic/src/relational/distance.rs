//! How many steps the shortest and the longest way take.
//!
//! Campos, Clarke, Marrero, Minea, "Computing Quantitative Characteristics of Finite-State
//! Real-Time Systems" (RTSS 1994), as NuSMV does it:
//!
//! ```text
//! shortest(from, to):  reached := from;  n := 0
//!   until reached meets to:  reached := reached or post(reached);  n := n + 1
//!   infinite where nothing is new
//! longest(from, to):   avoiding := not to;  n := 0
//!   until from does not meet avoiding:  avoiding := not to and pre(avoiding);  n := n + 1
//!   infinite where nothing changes: some run never comes to `to`
//! ```
//! Over fair reachable states. The longest way is the most steps that a run may take until it
//! comes to `to` for the first time.

use super::Moments;
use crate::diagram::{Made, Set};

/// A number of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// So many.
    Steps(u64),
    /// There is no way, or one without an end.
    Infinite,
    /// No state is one where ways begin or end.
    Undefined,
}

/// The shortest way between two sets of fair reachable moments, within them.
pub fn shortest(moments: &Moments, within: &Set, from: &Set, to: &Set) -> Made<Distance> {
    let d = moments.diagrams();
    let (from, to) = (d.and(from, within)?, d.and(to, within)?);
    if from.is_empty() || to.is_empty() {
        return Ok(Distance::Undefined);
    }
    let (mut reached, mut new, mut steps) = (from.clone(), from, 0);
    while !new.is_empty() {
        if !d.and(&new, &to)?.is_empty() {
            return Ok(Distance::Steps(steps));
        }
        new = d.minus(&d.and(&moments.post(&new)?, within)?, &reached)?;
        reached = d.or(&reached, &new)?;
        steps += 1;
    }
    Ok(Distance::Infinite)
}

/// The longest way from one set to another, within fair reachable moments.
pub fn longest(moments: &Moments, within: &Set, from: &Set, to: &Set) -> Made<Distance> {
    let d = moments.diagrams();
    let (from, to) = (d.and(from, within)?, d.and(to, within)?);
    if from.is_empty() || to.is_empty() {
        return Ok(Distance::Undefined);
    }
    let (mut avoiding, mut steps) = (d.minus(within, &to)?, 0);
    while !d.and(&from, &avoiding)?.is_empty() {
        let fewer = d.and(&avoiding, &moments.pre(&avoiding)?)?;
        if fewer == avoiding {
            return Ok(Distance::Infinite);
        }
        avoiding = fewer;
        steps += 1;
    }
    Ok(Distance::Steps(steps))
}
