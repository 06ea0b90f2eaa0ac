//! Guards as text.

use std::collections::BTreeMap;

use homing_ir::automaton::{Cube, Transition};

/// How a language writes conditions.
pub(crate) struct Signs {
    pub and: &'static str,
    pub or: &'static str,
    pub always: &'static str,
}

/// The transitions of a state by target and marks, with their guards.
pub(crate) fn grouped(leaving: &[Transition]) -> BTreeMap<(u32, u64), Vec<Cube>> {
    let mut groups: BTreeMap<(u32, u64), Vec<Cube>> = BTreeMap::new();
    for one in leaving {
        groups.entry((one.target, one.marks)).or_default().push(one.guard);
    }
    groups
}

/// The letters of some cubes; `atom` writes atoms.
pub(crate) fn written(cubes: &[Cube], signs: &Signs, atom: &dyn Fn(u32) -> String) -> String {
    let cube = |cube: &Cube| {
        let asked = (0..64).filter(|bit| (cube.all_of | cube.none_of) >> bit & 1 == 1);
        let literal = |bit: u32| match cube.all_of >> bit & 1 {
            1 => atom(bit),
            _ => format!("!{}", atom(bit)),
        };
        let literals: Vec<String> = asked.map(literal).collect();
        if literals.is_empty() { signs.always.to_string() } else { literals.join(signs.and) }
    };
    let all: Vec<String> = cubes.iter().map(cube).collect();
    all.join(signs.or)
}

/// The sets of some marks.
pub(crate) fn sets(marks: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |bit| marks >> bit & 1 == 1)
}

/// A text in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
