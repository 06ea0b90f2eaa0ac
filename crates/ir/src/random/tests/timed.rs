//! Timed networks, their regions, and what the interpreter makes of them.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::interp::{Interpreter, State};
use crate::network::Network;
use crate::random::regions::Regions;
use crate::random::{TimedKnobs, config, timed_networks, timed_networks_with_goals};
use crate::trace::{Step, Trace};
use crate::wellformed::{check, check_expression};

const LIMIT: usize = 3000;

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..config(200) })]

    #[test]
    fn timed_networks_are_well_formed(
        (network, goals) in timed_networks_with_goals(TimedKnobs::everything(), 2)
    ) {
        prop_assert_eq!(check(&network), []);
        for goal in &goals {
            prop_assert_eq!(check_expression(&network, goal), []);
        }
    }

    /// What follows by delays from a region's state is what the interpreter finds
    /// by looking for critical delays.
    #[test]
    fn deadlocks_are_those_of_regions(network in timed_networks(TimedKnobs::everything())) {
        let interpreter = Interpreter::new(&network).unwrap();
        let regions = Regions::explore(&interpreter, &[], LIMIT);
        for (i, state) in regions.states.iter().enumerate().take(200) {
            if regions.complete {
                prop_assert_eq!(interpreter.is_deadlock(state), regions.is_deadlock(i), "{:?}", state);
            }
        }
    }

    /// A run with random delays can be executed with delays that are found for its
    /// edges, and takes no less time than the least.
    #[test]
    fn runs_are_scheduled(
        network in timed_networks(TimedKnobs::everything()),
        choices in prop::collection::vec((0..13i64, 0..9usize), 0..12),
        rest in 0..5i64,
    ) {
        let interpreter = Interpreter::new(&network).unwrap();
        let (trace, time) = wander(&interpreter, &choices, rest);
        let bare = Trace::new(trace.steps.iter().map(|step| Step::new(step.edges.clone())).collect());
        let found = interpreter.schedule(&bare, None, false);
        prop_assert!(found.is_some(), "{:?}", trace);
        let fastest = interpreter.fastest(&bare, None);
        prop_assert!(fastest.is_some(), "{:?}", trace);
        let fastest = fastest.unwrap();
        let (total, parts) = fastest.total;
        prop_assert!(total * UNIT <= time * parts);
        let takes: i64 = fastest.trace.steps.iter().map(|step| step.delay).sum::<i64>() + fastest.trace.rest;
        prop_assert_eq!(fastest.attained, takes * parts == total * fastest.trace.unit);
        prop_assert!(takes * parts >= total * fastest.trace.unit);
    }

    /// A goal that holds at the end of a run is met by what is found for its edges;
    /// one that cannot be met there is not.
    #[test]
    fn runs_are_scheduled_to_goals(
        (network, goals) in timed_networks_with_goals(TimedKnobs::everything(), 3),
        choices in prop::collection::vec((0..13i64, 0..9usize), 0..8),
        rest in 0..9i64,
    ) {
        let interpreter = Interpreter::new(&network).unwrap();
        let (trace, _) = wander(&interpreter, &choices, rest);
        let end = interpreter.replay(&trace).unwrap().pop().unwrap();
        let bare = Trace::new(trace.steps.iter().map(|step| Step::new(step.edges.clone())).collect());
        for goal in &goals {
            let found = interpreter.schedule(&bare, Some(goal), false);
            if interpreter.eval(&end, goal) == Ok(1) {
                prop_assert!(found.is_some(), "{:?} {:?}", trace, goal);
            }
            if let Some(found) = found {
                let end = interpreter.replay(&found).unwrap().pop().unwrap();
                prop_assert_eq!(interpreter.eval(&end, goal), Ok(1));
            }
        }
    }

}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..config(25) })]

    /// The shortest way to a goal over regions, its delays dropped, is scheduled:
    /// no run is missed that has delays.
    #[test]
    fn regions_and_steps_agree(
        (network, goals) in timed_networks_with_goals(TimedKnobs::everything(), 2)
    ) {
        let interpreter = Interpreter::new(&network).unwrap();
        let regions = Regions::explore(&interpreter, &goals, LIMIT);
        if !regions.complete {
            return Ok(());
        }
        for goal in &goals {
            let least = least_by_edges(&interpreter, goal, 3);
            let expected = regions.distance(&interpreter, goal).filter(|length| *length <= 3);
            prop_assert_eq!(least, expected, "{:?}", goal);
        }
    }
}

const UNIT: i64 = 4;

/// A run that waits and moves as told, as far as that is possible, and the time it
/// takes in parts of [`UNIT`].
fn wander(interpreter: &Interpreter, choices: &[(i64, usize)], rest: i64) -> (Trace, i64) {
    let mut state = interpreter.refined(&interpreter.initial(), UNIT).unwrap();
    let (mut steps, mut time) = (Vec::new(), 0);
    for (delay, choice) in choices {
        // Less, where so much is not possible.
        let waited = (0..=*delay)
            .rev()
            .find_map(|delay| Some((delay, interpreter.delay(&state, delay).ok()?)));
        let Some((delay, later)) = waited else { break };
        let outcomes = interpreter.steps(&later).into_iter();
        let outcomes: Vec<(Step, State)> =
            outcomes.filter_map(|(step, outcome)| Some((step, outcome.ok()?))).collect();
        if outcomes.is_empty() {
            continue;
        }
        let (step, next) = &outcomes[choice % outcomes.len()];
        steps.push(Step { delay, ..step.clone() });
        time += delay;
        state = next.clone();
    }
    let rest = (0..=rest).rev().find(|rest| interpreter.delay(&state, *rest).is_ok()).unwrap_or(0);
    (Trace { unit: UNIT, rest, ..Trace::new(steps) }, time + rest)
}

/// The least number of steps to a goal, found by trying all sequences of edges.
fn least_by_edges(
    interpreter: &Interpreter,
    goal: &crate::network::Expr,
    most: u32,
) -> Option<u32> {
    let mut runs = vec![Trace::default()];
    for length in 0..=most {
        if runs.iter().any(|run| interpreter.schedule(run, Some(goal), false).is_some()) {
            return Some(length);
        }
        runs = runs.iter().flat_map(|run| extensions(interpreter, run)).collect();
    }
    None
}

/// The runs of one more step, by edges alone.
fn extensions(interpreter: &Interpreter, run: &Trace) -> Vec<Trace> {
    let network = interpreter.network();
    let edges = network.processes.iter().enumerate().flat_map(|(process, found)| {
        (0..found.edges.len()).map(move |edge| crate::network::EdgeRef {
            process: crate::network::ProcessId(process as u32),
            edge: edge as u32,
            branch: 0,
        })
    });
    let edges: Vec<_> = edges.collect();
    // All sets of edges of different processes, in all orders that steps have.
    let mut sets: Vec<Vec<crate::network::EdgeRef>> =
        edges.iter().map(|edge| vec![*edge]).collect();
    let mut from = 0;
    while from < sets.len() {
        let set = sets[from].clone();
        if set.len() < network.processes.len() {
            for edge in &edges {
                if set.iter().all(|other| other.process != edge.process) {
                    sets.push([&set[..], &[*edge]].concat());
                }
            }
        }
        from += 1;
    }
    let extended = sets.into_iter().map(|edges| {
        let mut steps = run.steps.clone();
        steps.push(Step::new(edges));
        Trace::new(steps)
    });
    extended.filter(|run| interpreter.schedule(run, None, false).is_some()).collect()
}

fn sample(knobs: TimedKnobs, count: usize) -> Vec<Network> {
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), generator);
    let strategy = timed_networks(knobs);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn regions_are_neither_trivial_nor_too_many() {
    for knobs in [TimedKnobs::plain(), TimedKnobs::default(), TimedKnobs::everything()] {
        let networks = sample(knobs.clone(), 150);
        let found: Vec<(Regions, usize)> = networks
            .iter()
            .map(|network| {
                let interpreter = Interpreter::new(network).unwrap();
                let regions = Regions::explore(&interpreter, &[], LIMIT);
                let discrete = regions.discrete(&interpreter).len();
                (regions, discrete)
            })
            .collect();
        let count = |holds: &dyn Fn(&(Regions, usize)) -> bool| {
            found.iter().filter(|one| holds(one)).count()
        };
        let counts = [
            count(&|(regions, _)| regions.complete),
            count(&|(_, discrete)| *discrete >= 3),
            count(&|(regions, _)| regions.states.len() >= 50),
            count(&|(regions, _)| regions.complete && regions.deadlock_distance().is_some()),
            count(&|(regions, _)| !regions.faults.is_empty()),
        ];
        assert!(counts[0] >= 100 && counts[1] >= 60 && counts[2] >= 30, "{knobs:?} {counts:?}");
        assert!(counts[3] >= 15 && counts[4] == 0, "{knobs:?} {counts:?}");
    }
}
