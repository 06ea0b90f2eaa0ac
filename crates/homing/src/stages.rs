//! What an automaton waits for, state by state: what a search in a product is directed at.

use std::collections::VecDeque;

use homing_core::{Cost, DEAD_END};
use homing_guide::Stages;
use homing_ir::automaton::{Automaton, Cube};
use homing_ir::balanced;
use homing_ir::components::Components;
use homing_ir::flatten::Wanted;
use homing_ir::network::{Binary, Expr};
use homing_ir::source::Span;

use crate::temporal::Temporal;
use crate::terms::{join, negation};

/// The most estimates that are made for one property.
const MOST: usize = 8;

/// The stages of a property's automaton, and the conditions that the space must have
/// for them, the first of which is number `first`.
pub(crate) fn stages(
    temporal: &Temporal,
    first: usize,
    room: usize,
    records: bool,
) -> (Stages, Vec<Wanted>) {
    let automaton = &temporal.automaton;
    let distances = distances(automaton);
    let mut known: Vec<Vec<Cube>> = Vec::new();
    let leaving = (0..automaton.states.len()).map(|state| {
        let guards = guards(automaton, state, &distances)?;
        let number = known.iter().position(|one| *one == guards).unwrap_or_else(|| {
            known.push(guards);
            known.len() - 1
        });
        (number < MOST.min(room)).then_some(first + number)
    });
    let leaving = leaving.collect();
    // Where the system has come to its end, an observer of finite runs goes on alone.
    let behind = |distance: &Cost| match (*distance, temporal.finite) {
        (DEAD_END, _) => DEAD_END,
        (_, Some(_)) => 0,
        (distance, None) => distance.saturating_sub(1),
    };
    let behind = distances.iter().map(behind).collect();
    let stages = Stages { leaving, behind, records, inner: 0 };
    known.truncate(MOST.min(room));
    let any_of = |guards: &Vec<Cube>| {
        let cubes = guards.iter().map(|guard| of_cube(*guard, &temporal.atoms)).collect();
        let any = balanced(cubes, |a, b| join(Binary::Or, a, b));
        Wanted::goal(any.unwrap_or(Expr::int(0, Span::default())))
    };
    (stages, known.iter().map(any_of).collect())
}

/// By state, the least number of transitions to a component in which runs may be
/// accepted.
fn distances(automaton: &Automaton) -> Vec<Cost> {
    let components = Components::of(automaton);
    let states = 0..automaton.states.len() as u32;
    let mut distances = vec![DEAD_END; automaton.states.len()];
    let mut open: VecDeque<u32> = states.clone().filter(|q| components.is_accepting(*q)).collect();
    open.iter().for_each(|state| distances[*state as usize] = 0);
    while let Some(to) = open.pop_front() {
        for from in states.clone() {
            let leads = automaton.states[from as usize].iter().any(|one| one.target == to);
            if leads && distances[from as usize] == DEAD_END {
                distances[from as usize] = distances[to as usize] + 1;
                open.push_back(from);
            }
        }
    }
    distances
}

/// What the letter must be for the automaton to leave a state for where it may accept;
/// nothing where every letter will do, or where it need not.
fn guards(automaton: &Automaton, state: usize, distances: &[Cost]) -> Option<Vec<Cube>> {
    if distances[state] == 0 {
        return None;
    }
    let leaving = automaton.states[state]
        .iter()
        .filter(|one| one.target as usize != state && distances[one.target as usize] != DEAD_END);
    let mut guards: Vec<Cube> = leaving.map(|one| one.guard).collect();
    guards.sort_unstable();
    guards.dedup();
    (!guards.is_empty() && !guards.contains(&Cube::TRUE)).then_some(guards)
}

/// A set of letters as a condition.
fn of_cube(cube: Cube, atoms: &[Expr]) -> Expr {
    let literals = atoms.iter().enumerate().filter_map(|(i, atom)| match () {
        () if cube.all_of >> i & 1 == 1 => Some(atom.clone()),
        () if cube.none_of >> i & 1 == 1 => Some(negation(atom.clone())),
        () => None,
    });
    let all = balanced(literals.collect(), |a, b| join(Binary::And, a, b));
    all.unwrap_or(Expr::int(1, Span::default()))
}
