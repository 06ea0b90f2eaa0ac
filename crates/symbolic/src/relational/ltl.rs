//! Linear temporal logic: the product with an automaton, as sets.
//!
//! Clarke, Grumberg, Hamaguchi, "Another Look at LTL Model Checking" (CAV 1994), with an
//! automaton whose transitions accept instead of their tableau:
//!
//! ```text
//! a moment of the product: one of the relation, a state q of the automaton, and one of its
//!   transitions t, which leaves q and reads what holds at this moment
//! after it: the moments after the relation's, with the state that t leads to
//! fair:  the relation's conditions, and for each acceptance set that t is in it
//! ```
//! The transition is an input that is kept, and the state of the automaton a latch.

use std::collections::BTreeSet;

use homing_ir::automaton::{Automaton, Transition};

use super::fair::Fairness;
use super::{Machine, Moments};
use crate::diagram::{Diagrams, Made, Set};
use crate::encode::{COST_PAIRS, Trouble};

/// The product of a relation with an automaton whose atoms are conditions that were asked
/// for, under these numbers; and what its fair runs do.
pub fn product<'m>(
    machine: &'m Machine<'m>,
    automaton: &Automaton,
    atoms: &[usize],
) -> Result<(Moments<'m>, Fairness), Trouble> {
    let base = Moments::new(machine)?;
    let d = base.diagrams();
    let transitions: Vec<(usize, &Transition)> = automaton
        .states
        .iter()
        .enumerate()
        .flat_map(|(state, leaving)| leaving.iter().map(move |one| (state, one)))
        .collect();
    let states = width(automaton.states.len());
    let choices = width(transitions.len());
    if states + choices > COST_PAIRS {
        let why = format!("the automaton has {} transitions: too many", transitions.len());
        return Err(Trouble::Refused(why, None));
    }
    let state: Vec<u32> = (0..states).map(|bit| 2 * bit).collect();
    let choice: Vec<u32> = (states..states + choices).map(|bit| 2 * bit).collect();
    let later: Vec<u32> = state.iter().map(|level| level + 1).collect();
    let none = d.constant(false);
    let (mut space, mut next, mut initial) = (none.clone(), none.clone(), none.clone());
    let mut accepting = vec![none; automaton.sets as usize];
    for (number, (source, one)) in transitions.iter().enumerate() {
        let taken = is(d, &choice, number)?;
        let leaves = d.and(&is(d, &state, *source)?, &reads(machine, one, atoms)?)?;
        space = d.or(&space, &d.and(&taken, &leaves)?)?;
        let target = is(d, &later, one.target as usize)?;
        next = d.or(&next, &d.and(&taken, &target)?)?;
        for (set, marked) in accepting.iter_mut().enumerate() {
            if one.marks >> set & 1 == 1 {
                *marked = d.or(marked, &taken)?;
            }
        }
    }
    for number in &automaton.initial {
        initial = d.or(&initial, &is(d, &state, *number as usize)?)?;
    }
    let space = d.and(base.space(), &space)?;
    let initial = d.and(&d.and(base.initial(), &initial)?, &space)?;
    let latches: BTreeSet<u32> = base.latches.iter().chain(&state).copied().collect();
    let kept: BTreeSet<u32> = base.kept.iter().chain(&choice).copied().collect();
    let parts = [base.parts, vec![next]].concat();
    let moments = Moments::of(machine, latches, kept, (space, initial), parts)?;
    let mut fairness = Fairness::of(machine, &[]);
    fairness.justice.extend(accepting);
    Ok((moments, fairness))
}

/// Where a transition reads what holds.
fn reads(machine: &Machine, one: &Transition, atoms: &[usize]) -> Made<Set> {
    let d = machine.diagrams();
    let mut guard = d.constant(true);
    for (atom, number) in atoms.iter().enumerate() {
        if one.guard.all_of >> atom & 1 == 1 {
            guard = d.and(&guard, machine.holds(*number))?;
        }
        if one.guard.none_of >> atom & 1 == 1 {
            guard = d.minus(&guard, machine.holds(*number))?;
        }
    }
    Ok(guard)
}

/// The bits of so many numbers.
fn width(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Where the variables of some levels are a number, the least bit first.
fn is(d: &Diagrams, levels: &[u32], number: usize) -> Made<Set> {
    let bits = levels.iter().enumerate().rev();
    bits.map(|(bit, level)| (*level, number >> bit & 1 == 1)).try_fold(
        d.constant(true),
        |all, (level, value)| {
            let variable = d.variable(level)?;
            if value { d.and(&all, &variable) } else { d.minus(&all, &variable) }
        },
    )
}
