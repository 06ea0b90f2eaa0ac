//! Zones of systems that compare clocks with each other.
//!
//! Extrapolating by constants alone is wrong there (Bouyer, "Untameable timed
//! automata!", STACS 2003): a extrapolated zone holds values that a comparison
//! xᵢ − xⱼ ≺ c tells apart from all that were there. Bengtsson and Yi (2004,
//! section 4.4) normalise with the comparisons at hand:
//!
//! ```text
//! norm(Z):  split Z into pieces on one side of each comparison g
//!           extrapolate each piece
//!           cut it back to its side of every g
//! ```
//! Values of a piece and of what it becomes agree on all comparisons, and are
//! the same or beyond the greatest constants in each clock. That is a
//! bisimulation if, for a comparison xᵢ − xⱼ ≺ c, these constants are at least
//! |c| plus what clocks are set to: where one of the two is set to v, the
//! comparison becomes one of the other with c ± v. Where clocks are copied the
//! comparisons of the copy count for the original too.

use homing_ir::System;
use homing_ir::interval::Env;
use homing_ir::system::{Interval, Term};
use homing_ir::timing::{Constraint, Timing};

use crate::zones::bounds::clocks;
use crate::zones::constraints::Atom;
use crate::zones::copies::{Copies, copies};
use crate::zones::dbm::{Bound, Dbm, at_most, constant, less_than, negation};
use crate::zones::federation::Federation;

/// The comparisons a system may have before splitting by them is hopeless.
const MOST: usize = 64;

/// The comparisons of two clocks in a system, each once, or why there are too
/// many.
pub(crate) fn comparisons(system: &System, timing: &Timing) -> Result<Vec<Atom>, String> {
    let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
    let env = Env::new(&ranges);
    let mut found = Vec::new();
    let guards = timing.parts.iter().flat_map(|part| &part.guard);
    let invariants = timing.invariants.iter().flatten().flatten();
    let conditions = timing.conditions.iter().flat_map(|one| &one.cases);
    let all = guards.chain(invariants).chain(conditions.flat_map(|case| &case.clocks));
    for constraint in all.filter(|one| one.is_diagonal() && one.when != Term::Const(0)) {
        expand(constraint, &env, &mut found)?;
    }
    if !found.is_empty() {
        copied(system, timing, &mut found)?;
    }
    Ok(found)
}

/// Adds what a constraint may say.
fn expand(constraint: &Constraint, env: &Env, found: &mut Vec<Atom>) -> Result<(), String> {
    let Interval { lo, hi } = env.eval(&constraint.bound);
    if hi.abs_diff(lo) >= MOST as u64 {
        return Err(format!(
            "the difference of two clocks is compared with a value between {lo} and {hi}; \
             at most {MOST} different values can be told apart"
        ));
    }
    let bound = |value: i64| {
        let limit = i64::from(i32::MAX / 4);
        let value = value.clamp(-limit, limit) as i32;
        if constraint.strict { less_than(value) } else { at_most(value) }
    };
    for left in clocks(&constraint.left, env) {
        for right in clocks(&constraint.right, env).filter(|right| *right != left) {
            for value in lo..=hi {
                homing_budget::checkpoint();
                add(Atom { left, right, bound: bound(value) }, found)?;
            }
        }
    }
    Ok(())
}

/// Adds a comparison, unless the same is there, or its negation.
fn add(atom: Atom, found: &mut Vec<Atom>) -> Result<(), String> {
    let same = |other: &Atom| {
        let negated = Atom { left: other.right, right: other.left, bound: negation(other.bound) };
        *other == atom || negated == atom
    };
    if atom.left != 0 && atom.right != 0 && !found.iter().any(same) {
        if found.len() == MOST {
            return Err(format!("more than {MOST} comparisons of two clocks with each other"));
        }
        found.push(atom);
    }
    Ok(())
}

/// Adds the comparisons of originals that their copies are compared in.
fn copied(system: &System, timing: &Timing, found: &mut Vec<Atom>) -> Result<(), String> {
    let Copies { pairs, shifted, .. } = copies(system, timing);
    if shifted && !pairs.is_empty() {
        return Err("clocks are compared with each other, and set to others plus a number: \
                    together this cannot be decided"
            .to_owned());
    }
    let mut at = 0;
    while at < found.len() {
        let atom = found[at];
        at += 1;
        for (copy, original) in &pairs {
            let replace =
                |clock: u32| if clock as usize == *copy { *original as u32 } else { clock };
            let other = Atom { left: replace(atom.left), right: replace(atom.right), ..atom };
            if other.left != other.right {
                add(other, found)?;
            }
            // Only one side may have been assigned.
            add(Atom { left: replace(atom.left), ..atom }, found)
                .and_then(|()| add(Atom { right: replace(atom.right), ..atom }, found))?;
        }
    }
    found.retain(|atom| atom.left != atom.right);
    Ok(())
}

/// The greatest |c| of comparisons xᵢ − xⱼ ≺ c.
pub(crate) fn greatest(comparisons: &[Atom]) -> i32 {
    comparisons.iter().map(|atom| constant(atom.bound).abs() + 1).max().unwrap_or(0)
}

/// Puts the pieces of a zone on one side of each comparison into `out`. `work`
/// and `half` are memory.
pub(crate) fn split(
    zone: &Dbm,
    comparisons: &[Atom],
    out: &mut Federation,
    work: &mut Federation,
    half: &mut Dbm,
) {
    out.clear();
    out.push(zone);
    for Atom { left, right, bound } in comparisons {
        let (i, j) = (*left as usize, *right as usize);
        std::mem::swap(out, work);
        out.clear();
        for piece in work.zones() {
            homing_budget::checkpoint();
            for (a, b, bound) in [(i, j, *bound), (j, i, negation(*bound))] {
                half.copy_from(piece);
                if half.constrain(a, b, bound) {
                    out.push(half);
                }
            }
        }
    }
}

/// Cuts what a piece was extrapolated to back to the piece's side of each
/// comparison.
pub(crate) fn cut_back(piece: &Dbm, wide: &mut Dbm, comparisons: &[Atom]) {
    for Atom { left, right, bound } in comparisons {
        let (i, j) = (*left as usize, *right as usize);
        let side: (usize, usize, Bound) =
            if piece.at(i, j) <= *bound { (i, j, *bound) } else { (j, i, negation(*bound)) };
        let holds = wide.constrain(side.0, side.1, side.2);
        debug_assert!(holds, "a extrapolated zone holds what it was made from");
    }
}
