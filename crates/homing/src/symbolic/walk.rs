//! From sets of states to states: a walk of the compiled space through a corridor.

use homing_core::{Batch, Space, Word};
use homing_search::{Finding, Path};
use homing_space::CompiledSpace;
use homing_symbolic::reach::Corridor;
use homing_symbolic::{Encoding, Set};

/// The most failing states that are looked at one by one.
const LOOKS: usize = 1_000;

/// A path that has one state in every set of a corridor; `fault` asks for a step that
/// fails at its end. There is one, unless two engines see the model differently.
pub(super) fn walk(
    space: &CompiledSpace,
    encoding: &Encoding,
    corridor: &Corridor,
    fault: bool,
) -> Result<Finding, String> {
    let fields = &space.layout().fields;
    let within =
        |set: &Set, state: &[Word]| encoding.contains(set, |slot| fields[slot.index()].get(state));
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut state = batch.state(0).to_vec();
    if !corridor.first().is_some_and(|first| within(first, &state)) {
        return Err("the symbolic engine found something, but no way from the initial state".into());
    }
    let mut path = Path::starting_at(&state);
    for set in &corridor[1..] {
        batch.clear();
        expander.expand(&state, &mut batch);
        let Some(next) = (0..batch.len()).find(|next| within(set, batch.state(*next))) else {
            return Err(
                "the symbolic engine takes a step that the compiled space does not have".into()
            );
        };
        state = batch.state(next).to_vec();
        path.push(batch.edge(next), &state);
    }
    let mut failing = None;
    if fault {
        batch.clear();
        expander.expand(&state, &mut batch);
        failing = batch.faults().first().copied();
        if failing.is_none() {
            return Err("the symbolic engine lets a step fail that the compiled space makes".into());
        }
    }
    Ok(Finding { path, fault: failing })
}

/// Lets the space expand failing states until one cannot start a process, which it notes.
pub(super) fn look_for_unstarted(space: &CompiledSpace, encoding: &Encoding, failing: &Set) {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    let mut left = failing.clone();
    for _ in 0..LOOKS {
        if left.is_empty() || space.unstarted().is_some() {
            return;
        }
        let values = encoding.pick(&left);
        batch.clear();
        expander.expand(&space.layout().pack(&values), &mut batch);
        let rest = encoding.state(&values).and_then(|one| encoding.diagrams().minus(&left, &one));
        let Ok(rest) = rest else { return };
        left = rest;
    }
}
