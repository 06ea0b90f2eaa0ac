//! In which order definitions can be computed.

use std::collections::HashMap;

use super::{Definition, Relation, VariableId};

/// A variable is defined by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circular(pub VariableId);

/// Definitions of one moment, so that each comes after those of the variables it reads at
/// that moment: of `next` definitions, what they read at the next moment counts. Those of
/// equal rank keep their order.
pub fn ordered(
    relation: &Relation,
    definitions: &[Definition],
    of_next: impl Fn(usize) -> bool,
) -> Result<Vec<usize>, Circular> {
    let places: HashMap<VariableId, usize> =
        definitions.iter().enumerate().map(|(i, one)| (one.variable, i)).collect();
    let parts = |i: usize| -> Vec<usize> {
        let support = relation.terms.support([definitions[i].value]);
        let read = if of_next(i) { support.next } else { support.current };
        read.iter().filter_map(|variable| places.get(variable).copied()).collect()
    };
    let mut order = Vec::with_capacity(definitions.len());
    let mut state = vec![State::New; definitions.len()];
    for first in 0..definitions.len() {
        if state[first] != State::New {
            continue;
        }
        state[first] = State::Open;
        let mut path = vec![(first, parts(first), 0)];
        while let Some((at, needs, next)) = path.last_mut() {
            let Some(part) = needs.get(*next).copied() else {
                state[*at] = State::Done;
                order.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            match state[part] {
                State::Done => {}
                State::Open => return Err(Circular(definitions[part].variable)),
                State::New => {
                    state[part] = State::Open;
                    path.push((part, parts(part), 0));
                }
            }
        }
    }
    Ok(order)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}
