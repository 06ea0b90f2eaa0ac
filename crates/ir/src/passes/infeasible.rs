//! Parts that no time is right for: what they ask of clocks contradicts the
//! invariant of the very location they leave.
//!
//! ```text
//! infeasible iff the bounds of guard and invariant that are the same in every
//!            state, and 0 − x ≤ 0 for every clock, have a negative cycle
//! ```
//! A bound `x − y ≺ c` is an edge from `y` to `x` of weight `(c, ≺)`. Bellman,
//! "On a routing problem" (1958); Dill, "Timing assumptions and verification of
//! finite-state concurrent systems" (1989) for bounds that may be strict.

use std::collections::BTreeMap;

use crate::system::{PartId, System, Term};
use crate::timing::{ClockTerm, Constraint};

/// The sum of bounds, and how many of them are strict, counted down: of two sums
/// the lesser says more.
type Weight = (i64, i64);

/// Whether a part can move at no time.
pub(super) fn is_infeasible(system: &System, id: PartId) -> bool {
    let Some(timing) = &system.timing else { return false };
    let part = system.part(id);
    let guard = &timing.parts[id.index()].guard;
    let invariant = &timing.invariants[part.component.index()][part.from as usize];
    // States satisfy their invariants; without a guard there is nothing to ask.
    !guard.is_empty() && !is_feasible(guard.iter().chain(invariant))
}

/// Whether some values of clocks satisfy all of these that are the same in every
/// state.
fn is_feasible<'c>(constraints: impl Iterator<Item = &'c Constraint>) -> bool {
    let mut edges: Vec<(u32, u32, Weight)> = constraints.filter_map(edge).collect();
    let mut least: BTreeMap<u32, Weight> = BTreeMap::new();
    for (from, to, _) in &edges {
        least.extend([(*from, (0, 0)), (*to, (0, 0))]);
    }
    edges.extend(least.keys().map(|clock| (*clock, 0, (0, 0))));
    least.entry(0).or_insert((0, 0));
    // Rounds in which something may still change; one more means a cycle.
    for _ in 0..=least.len() {
        let mut changed = false;
        for (from, to, weight) in &edges {
            homing_budget::checkpoint();
            let ((sum, strict), (bound, more)) = (least[from], *weight);
            let through = (sum.saturating_add(bound), strict + more);
            if through < least[to] {
                least.insert(*to, through);
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
    false
}

fn edge(constraint: &Constraint) -> Option<(u32, u32, Weight)> {
    match constraint {
        Constraint {
            when: Term::Const(1..),
            left: ClockTerm::Clock(left),
            right: ClockTerm::Clock(right),
            bound: Term::Const(bound),
            strict,
        } => Some((*right, *left, (*bound, -i64::from(*strict)))),
        _ => None,
    }
}
