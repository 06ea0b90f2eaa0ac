//! What holds of every network.

use proptest::prelude::*;

use super::*;
use crate::interp::ReplayProblem;
use crate::random::{Knobs, config, networks};
use crate::trace::{Step, Trace};

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
    (Trace { steps }, states)
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
}
