//! What holds of every network.

use proptest::prelude::*;

use super::*;
use crate::builder::{binary, int, unary};
use crate::interp::{Influence, ReplayProblem};
use crate::network::{Atomic, Binary, Guard, Process, Unary, Urgency};
use crate::random::{Knobs, config, networks};
use crate::trace::{Step, Trace};
use crate::wellformed::Feature;

/// A run of at most `length` steps that takes, of the steps that lead
/// somewhere, the one that each choice picks.
fn walk(interpreter: &Interpreter, choices: &[usize]) -> (Trace, Vec<State>) {
    let (mut steps, mut states) = (Vec::new(), vec![interpreter.initial()]);
    for choice in choices {
        let possible = interpreter.steps(&states[steps.len()]);
        let mut next: Vec<(Step, State)> =
            possible.into_iter().filter_map(|(step, after)| Some((step, after.ok()?))).collect();
        if next.is_empty() {
            break;
        }
        let (step, after) = next.swap_remove(choice % next.len());
        steps.push(step);
        states.push(after);
    }
    (Trace::new(steps), states)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..config(256) })]

    #[test]
    fn take_does_what_steps_say(network in networks(Knobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        for state in interpreter.explore(50).states {
            let steps = interpreter.steps(&state);
            for (step, outcome) in &steps {
                let taken = interpreter.take(&state, step);
                let expected = outcome.clone().map_err(ReplayProblem::Fault);
                prop_assert_eq!(taken.map_err(|error| error.problem), expected);
            }
            let other = Step::default();
            let refused = interpreter.take(&state, &other).map_err(|error| error.problem);
            prop_assert_eq!(refused, Err(ReplayProblem::NotEnabled));
        }
    }

    #[test]
    fn steps_that_lead_somewhere_are_named_apart(network in networks(Knobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        for state in interpreter.explore(50).states {
            let steps = interpreter.steps(&state);
            let named: std::collections::HashSet<&Step> =
                steps.iter().filter(|(_, after)| after.is_ok()).map(|(step, _)| step).collect();
            prop_assert_eq!(named.len(), steps.iter().filter(|(_, after)| after.is_ok()).count());
        }
    }

    #[test]
    fn random_walks_replay(
        network in networks(Knobs::everything()),
        choices in prop::collection::vec(any::<usize>(), 0..30),
    ) {
        let interpreter = Interpreter::new(&network).unwrap();
        let (trace, states) = walk(&interpreter, &choices);
        prop_assert_eq!(interpreter.replay(&trace), Ok(states));
    }

    #[test]
    fn shortest_traces_replay_to_their_state(network in networks(Knobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        let found = interpreter.explore(100);
        for (i, state) in found.states.iter().enumerate() {
            let states = interpreter.replay(&found.trace(i)).unwrap();
            prop_assert_eq!(states.len(), found.depths[i] as usize + 1);
            prop_assert_eq!(states.last(), Some(state));
        }
    }

    #[test]
    fn changes_are_empty_only_between_equal_states(network in networks(Knobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        let states = interpreter.explore(20).states;
        for (before, after) in states.iter().flat_map(|a| states.iter().map(move |b| (a, b))) {
            let changes = interpreter.changes(before, after);
            prop_assert_eq!(changes.is_empty(), before == after);
            prop_assert!(changes.iter().all(|change| change.from != change.to));
            let differing = interpreter
                .describe(before)
                .iter()
                .zip(interpreter.describe(after))
                .filter(|(a, b)| *a != b)
                .count();
            prop_assert_eq!(changes.len(), differing);
        }
    }

    #[test]
    fn values_stay_within_their_types(network in networks(Knobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        for state in interpreter.explore(100).states {
            for (id, variable) in network.variables.iter().enumerate() {
                let start = interpreter.offset(crate::network::VariableId(id as u32));
                if let (Some(at), Some(range)) = (start, network.scalar(&variable.ty)) {
                    prop_assert!((range.lo..=range.hi).contains(&state.values[at]));
                }
            }
        }
    }

    #[test]
    fn committed_processes_move_alone(network in networks(Knobs::default())) {
        let interpreter = Interpreter::new(&network).unwrap();
        for state in interpreter.explore(100).states {
            let committed = |process: usize| {
                let locations = &network.processes[process].locations;
                let here = state.locations[process].map(|location| locations[location.index()].urgency);
                here == Some(crate::network::Urgency::Committed)
            };
            if (0..network.processes.len()).any(committed) {
                let steps = interpreter.steps(&state);
                let mut movers = steps.iter().flat_map(|(step, _)| &step.edges);
                prop_assert!(movers.all(|edge| committed(edge.process.index())));
            }
        }
    }

    /// What a step reads decides whether it can be taken and what it sets; all
    /// it changes it has set or read.
    #[test]
    fn steps_depend_on_what_they_read(network in networks(plain_steps())) {
        let interpreter = Interpreter::new(&network).unwrap();
        let states = interpreter.explore(20).states;
        for state in &states {
            for (step, after) in interpreter.steps(state) {
                let Ok(after) = after else { continue };
                let Influence { reads, sets } = interpreter.influence(state, &step, true);
                for other in &states {
                    let differing = state.differences(other);
                    if !differing.is_disjoint(&reads) {
                        continue;
                    }
                    let taken = interpreter.take(other, &step);
                    prop_assert!(taken.is_ok(), "{:?} in {:?}, not in {:?}", step, state, other);
                    let taken = taken.unwrap();
                    prop_assert!(after.differences(&taken).is_disjoint(&sets));
                    prop_assert!(after.differences(&taken).is_disjoint(&reads));
                    let changed = other.differences(&taken);
                    prop_assert!(changed.iter().all(|piece| sets.contains(piece) || reads.contains(piece)));
                }
            }
        }
    }

    /// Where nobody communicates, an otherwise guard is an ordinary one that
    /// denies those before it.
    #[test]
    fn otherwise_denies_the_guards_before_it(network in networks(silent())) {
        let mut explicit = network.clone();
        for process in &mut explicit.processes {
            deny(process);
        }
        let expected = Interpreter::new(&explicit).unwrap().explore(200);
        let found = Interpreter::new(&network).unwrap().explore(200);
        prop_assert_eq!(found.states, expected.states);
        prop_assert_eq!(found.transitions, expected.transitions);
        prop_assert_eq!(found.deadlocks, expected.deadlocks);
    }

    /// A sequence ends where control does: its moves one by one are moves of
    /// the same network in which nobody holds control.
    #[test]
    fn sequences_are_made_of_moves(mut network in networks(unordered())) {
        let locations = network.processes.iter_mut().flat_map(|process| &mut process.locations);
        locations.for_each(|location| location.urgency = Urgency::None);
        let interpreter = Interpreter::new(&network).unwrap();
        let mut free = network.clone();
        let edges = free.processes.iter_mut().flat_map(|process| &mut process.edges);
        edges.for_each(|edge| edge.atomic = Atomic::No);
        let free = Interpreter::new(&free).unwrap();
        for state in interpreter.explore(50).states {
            for (step, _) in interpreter.steps(&state) {
                let mut at = state.clone();
                let passage = interpreter.pass(&state, &step);
                for (edges, after) in step.moves().zip(passage.states) {
                    let single = free.take(&at, &Step::new(edges.to_vec()));
                    prop_assert_eq!(single, Ok(after.clone()));
                    at = after;
                }
            }
        }
    }
}

/// Everything, but for failures and what is not counted among what is read.
fn plain_steps() -> Knobs {
    Knobs { faults: false, ..without(&[Feature::Priorities]) }
}

/// No communication: guards and effects only.
fn silent() -> Knobs {
    Knobs { faults: false, channels: 0, ..without(&[Feature::Vectors]) }
}

/// Where a move that is possible for the holder is possible for all, once
/// nobody is committed.
fn unordered() -> Knobs {
    without(&[Feature::Priorities, Feature::Timeout, Feature::Loops])
}

fn without(left_out: &[Feature]) -> Knobs {
    let everything = Knobs::everything();
    let features = everything.features.iter().filter(|feature| !left_out.contains(feature));
    Knobs { features: features.copied().collect(), ..everything }
}

/// Writes the `otherwise` guards of a process without such.
fn deny(process: &mut Process) {
    for number in 0..process.edges.len() {
        let Guard::Otherwise { before, when } = process.edges[number].guard.clone() else {
            continue;
        };
        let from = process.edges[number].from;
        let earlier = process.edges[..number].iter().filter(|edge| edge.from == from);
        let denied = earlier.take(before as usize).map(|edge| match &edge.guard {
            Guard::Always => int(0),
            // Those before are written without `otherwise` already.
            Guard::When(guard) => unary(Unary::Not, guard.clone()),
            Guard::Timeout(_) | Guard::Otherwise { .. } => int(1),
        });
        let all = denied.fold(when, |all, one| binary(Binary::And, all, one));
        process.edges[number].guard = Guard::When(all);
    }
}
