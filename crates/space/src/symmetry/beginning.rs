//! How every run begins.

use homing_core::{Batch, Space};

use crate::CompiledSpace;

/// The most states that are looked at.
const MOST: usize = 1000;

/// The values of all slots in the states at the beginning of every run: from the
/// initial one to the first that has not just one successor.
pub fn beginning(space: &CompiledSpace) -> Vec<Vec<i64>> {
    let fields = &space.layout().fields;
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut states = Vec::new();
    while batch.len() == 1 && batch.faults().is_empty() && states.len() < MOST {
        let state = batch.state(0).to_vec();
        states.push(fields.iter().map(|field| field.get(&state)).collect());
        batch.clear();
        expander.expand(&state, &mut batch);
    }
    states
}
