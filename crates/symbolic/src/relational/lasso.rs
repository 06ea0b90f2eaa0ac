//! One fair run, as a lasso.
//!
//! Kesten, Pnueli, Raviv, "Algorithmic Verification of Linear Temporal Logic Specifications"
//! (ICALP 1998), Fig. 3:
//!
//! ```text
//! s := a moment of the feasible set that is as near as can be
//! while some moment after s cannot reach s:  s := that moment
//! component := the moments after s
//! from s, one after the other, to each J, and to q of each (p, q) with p in the component,
//! and back to s
//! ```
//! What cannot reach `s` is further down in the order of components, so this ends.

use super::fair::Fairness;
use super::trace::{Point, single};
use super::{Moments, Trail};
use crate::diagram::{Made, Set};

/// A fair run: from initial moments along rings into a feasible set, in which it stays. None
/// where the rings do not come to it.
pub fn lasso(
    moments: &Moments,
    rings: &[Set],
    feasible: &Set,
    fairness: &Fairness,
) -> Made<Option<Trail>> {
    let d = moments.diagrams();
    let mut nearest = None;
    for (at, ring) in rings.iter().enumerate() {
        let here = d.and(ring, feasible)?;
        if !here.is_empty() {
            nearest = Some((at, here));
            break;
        }
    }
    let Some((at, here)) = nearest else { return Ok(None) };
    let mut points = moments.back(&rings[..=at], moments.pick(&here))?;
    let component = descend(moments, feasible, &mut points)?;
    let back = points.len() - 1;
    around(moments, &component, fairness, &mut points)?;
    Ok(Some(Trail { points, back: Some(back) }))
}

/// Goes on from the last of some points to a component of a set that nothing follows.
fn descend(moments: &Moments, within: &Set, points: &mut Vec<Point>) -> Made<Set> {
    let d = moments.diagrams();
    loop {
        let from = points[points.len() - 1].clone();
        let start = single(d, &from)?;
        let after = reachable(moments, &start, within)?;
        let coming_back = moments.until(&after, &start)?;
        let lost = d.minus(&after, &coming_back)?;
        if lost.is_empty() {
            return Ok(after);
        }
        match moments.forth(&from, &lost, &after, false)? {
            Some(way) => points.extend(way),
            None => return Ok(after),
        }
    }
}

fn reachable(moments: &Moments, from: &Set, within: &Set) -> Made<Set> {
    let d = moments.diagrams();
    let (mut reached, mut new) = (from.clone(), from.clone());
    while !new.is_empty() {
        new = d.minus(&d.and(&moments.post(&new)?, within)?, &reached)?;
        reached = d.or(&reached, &new)?;
    }
    Ok(reached)
}

/// Goes around a component from the last of some points, past all that must be met.
fn around(
    moments: &Moments,
    component: &Set,
    fairness: &Fairness,
    points: &mut Vec<Point>,
) -> Made<()> {
    let d = moments.diagrams();
    let start = points.len() - 1;
    let mut met = fairness.justice.clone();
    for (asked, granted) in &fairness.compassion {
        if !d.and(component, asked)?.is_empty() {
            met.push(granted.clone());
        }
    }
    for set in met {
        // What was passed on the way need not be met again.
        let mut passed = false;
        for point in &points[start..] {
            passed |= !d.and(&single(d, point)?, &set)?.is_empty();
        }
        let from = points[points.len() - 1].clone();
        if !passed
            && let Some(way) = moments.forth(&from, &d.and(&set, component)?, component, true)?
        {
            points.extend(way);
        }
    }
    let home = single(d, &points[start])?;
    let from = points[points.len() - 1].clone();
    if let Some(mut way) = moments.forth(&from, &home, component, false)? {
        way.pop();
        points.extend(way);
    }
    Ok(())
}
