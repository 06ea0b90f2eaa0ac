//! Without states and acceptance marks that make no difference.
//!
//! Somenzi and Bloem (2000), for acceptance on transitions as in Babiak, Badie,
//! Duret-Lutz, Křetínský and Strejček, "Compositional approach to suspension and
//! other improvements to LTL translation" (2013):
//!
//! ```text
//! a component is accepting if its inner transitions have all marks together
//! keep states that are reached and from which an accepting component is reached
//! marks of transitions between components, and in those not accepting: none
//! in an accepting component, set i is not needed if there is no cycle that has
//!     all other sets, but not i: the part without i-transitions has no
//!     component with all of them
//! number the needed sets anew in each component; it is in all others
//! ```

use homing_ir::automaton::{Automaton, Transition};

use crate::component::{self, Class, Components, Without};

/// What acceptance is written on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Acceptance {
    /// Transitions.
    Transitions,
    /// States: all transitions that leave a state have the same marks, of one
    /// set.
    States,
}

/// Prunes; the result has no state that is not useful.
pub(crate) fn prune(automaton: &Automaton, acceptance: Acceptance) -> Automaton {
    let useful = without_useless(automaton);
    let components = component::of_automaton(&useful);
    match acceptance {
        Acceptance::Transitions => remarked(useful, &components),
        Acceptance::States => accepting_states(useful, &components),
    }
}

/// Without states that no accepting run passes.
fn without_useless(automaton: &Automaton) -> Automaton {
    let components = component::of_automaton(automaton);
    let classes = component::classes(automaton, &components);
    let mut good: Vec<bool> = classes.iter().map(|class| *class != Class::NonAccepting).collect();
    // Transitions lead to components with smaller numbers: those are known first.
    let mut states: Vec<u32> =
        (0..automaton.states.len() as u32).filter(|state| components.reached(*state)).collect();
    states.sort_by_key(|state| components.of[*state as usize]);
    for state in &states {
        let leaving = &automaton.states[*state as usize];
        if leaving.iter().any(|one| good[components.of[one.target as usize] as usize]) {
            good[components.of[*state as usize] as usize] = true;
        }
    }
    keep(automaton, |state| {
        components.reached(state) && good[components.of[state as usize] as usize]
    })
}

/// The automaton with some of its states only.
pub(crate) fn keep(automaton: &Automaton, wanted: impl Fn(u32) -> bool) -> Automaton {
    let mut number = vec![None; automaton.states.len()];
    let kept: Vec<u32> =
        (0..automaton.states.len() as u32).filter(|state| wanted(*state)).collect();
    kept.iter().enumerate().for_each(|(new, old)| number[*old as usize] = Some(new as u32));
    let moved =
        |one: &Transition| number[one.target as usize].map(|target| Transition { target, ..*one });
    let leaving = |old: &u32| automaton.states[*old as usize].iter().filter_map(moved).collect();
    Automaton {
        initial: automaton.initial.iter().filter_map(|old| number[*old as usize]).collect(),
        states: kept.iter().map(leaving).collect(),
        ..*automaton
    }
}

/// The sets each component needs, and marks by them.
fn remarked(mut automaton: Automaton, components: &Components) -> Automaton {
    let classes = component::classes(&automaton, components);
    let needed = needed_sets(&automaton, components, &classes);
    // Runs that stay in a component that is not accepting must lack a mark.
    let stays = component::inner(&automaton, components)
        .any(|(from, ..)| classes[components.of[from as usize] as usize] == Class::NonAccepting);
    let sets = needed.iter().map(|sets| sets.len() as u32).max().unwrap_or(0).max(stays.into());
    let all = Automaton { sets, ..Automaton::default() }.all_sets();
    for (from, leaving) in automaton.states.iter_mut().enumerate() {
        let component = components.of[from];
        for one in leaving {
            let inside = components.of[one.target as usize] == component;
            let sets = &needed[component as usize];
            let lacks = sets.iter().enumerate().filter(|(_, old)| one.marks >> **old & 1 == 0);
            let accepting = inside && classes[component as usize] != Class::NonAccepting;
            one.marks = match accepting {
                true => all & !lacks.fold(0, |marks, (new, _)| marks | 1 << new),
                false => 0,
            };
        }
    }
    Automaton { sets, ..automaton }
}

/// By component, the sets that decide whether its cycles are accepting.
fn needed_sets(automaton: &Automaton, components: &Components, classes: &[Class]) -> Vec<Vec<u32>> {
    let all = |class: &Class| match class {
        Class::PartiallyAccepting => (0..automaton.sets).collect(),
        _ => Vec::new(),
    };
    let mut needed: Vec<Vec<u32>> = classes.iter().map(all).collect();
    for set in 0..automaton.sets {
        let graph = Without::new(automaton, components, 1 << set);
        let parts = graph.components();
        let mut seen = vec![None; parts.count as usize];
        for (from, part, marks) in graph.inside(&parts) {
            let component = components.of[from as usize];
            seen[part as usize].get_or_insert((component, 0)).1 |= marks;
        }
        let mut decides = vec![false; components.count as usize];
        for (component, marks) in seen.iter().flatten() {
            let others = needed[*component as usize].iter().filter(|one| **one != set);
            let others = others.fold(0, |others: u64, one| others | 1 << one);
            decides[*component as usize] |= marks & others == others;
        }
        let undecided = decides.iter().zip(&mut needed).filter(|(decides, _)| !**decides);
        undecided.for_each(|(_, needed)| needed.retain(|one| *one != set));
    }
    needed
}

/// Accepting states where it makes a difference: not in components that are not
/// accepting, all where every cycle is.
fn accepting_states(mut automaton: Automaton, components: &Components) -> Automaton {
    let classes = component::classes(&automaton, components);
    for (from, leaving) in automaton.states.iter_mut().enumerate() {
        match classes[components.of[from] as usize] {
            Class::NonAccepting => leaving.iter_mut().for_each(|one| one.marks = 0),
            Class::FullyAccepting => leaving.iter_mut().for_each(|one| one.marks = 1),
            Class::PartiallyAccepting => {}
        }
    }
    automaton
}
