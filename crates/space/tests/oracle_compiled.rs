//! The compiled space, its code compiled and interpreted, against the reference interpreter,
//! on random networks.
//!
//! In lock step: both are explored breadth first from the initial state; in
//! every pair of states the same steps must be enabled or fail, and lead to
//! pairs again, one packed state for one interpreter's state.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};

use homing_core::{Batch, Space, Word};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::interp::{Interpreter, ReplayProblem, RuntimeError, State};
use homing_ir::network::{Atomic, Commitment, EdgeRef, Expr};
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::trace::Step;
use homing_ir::wellformed::Feature;
use homing_space::{CompiledSpace, Execution};
use proptest::prelude::*;

/// Pairs explored before a network is given up as too large.
const LIMIT: usize = 1500;

fn lock_step(network: &Network, goal: &Expr, passes: Passes) -> Result<(), TestCaseError> {
    lock_step_up_to(LIMIT, network, goal, passes)
}

fn lock_step_up_to(
    limit: usize,
    network: &Network,
    goal: &Expr,
    passes: Passes,
) -> Result<(), TestCaseError> {
    executed(limit, network, goal, passes, Execution::Compiled)?;
    executed(limit, network, goal, passes, Execution::Interpreted)
}

fn executed(
    limit: usize,
    network: &Network,
    goal: &Expr,
    passes: Passes,
    execution: Execution,
) -> Result<(), TestCaseError> {
    let wanted = Wanted::goal(goal.clone());
    let space = CompiledSpace::executed(network, &[wanted], passes, execution);
    let space = space.expect("a supported network");
    let interpreter = Interpreter::new(network).expect("a supported network");
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut pairs = vec![(interpreter.initial(), batch.state(0).to_vec())];
    let mut packed: HashMap<State, Vec<Word>> = pairs.iter().cloned().collect();
    let mut unpacked: HashMap<Vec<Word>, State> = HashMap::new();
    unpacked.insert(pairs[0].1.clone(), pairs[0].0.clone());
    let mut next = 0;
    while next < pairs.len() && next < limit {
        let (state, words) = pairs[next].clone();
        next += 1;
        let holds = matches!(interpreter.eval(&state, goal), Ok(value) if value != 0);
        prop_assert_eq!(expander.violated(&words) == 1, holds, "the goal in {:?}", &state);
        batch.clear();
        expander.expand(&words, &mut batch);
        // A step is named by its first move: of several ways to a state within
        // it, engines need not choose the same, nor only one.
        let mut found: BTreeSet<(Vec<EdgeRef>, State)> = BTreeSet::new();
        for i in 0..batch.len() {
            let step = space.step(&words, batch.edge(i));
            let taken = interpreter.take(&state, &step);
            prop_assert!(taken.is_ok(), "{:?} from {:?}: {:?}", step, &state, taken);
            let to = taken.unwrap();
            let words = batch.state(i).to_vec();
            match (packed.get(&to), unpacked.get(&words)) {
                (Some(known), _) => prop_assert_eq!(known, &words, "{:?} leads elsewhere", step),
                (None, Some(known)) => prop_assert_eq!(known, &to, "{:?} leads elsewhere", step),
                (None, None) => {
                    packed.insert(to.clone(), words.clone());
                    unpacked.insert(words.clone(), to.clone());
                    pairs.push((to.clone(), words));
                }
            }
            found.insert((step.edges, to));
        }
        let steps = interpreter.steps(&state);
        prop_assert_eq!(
            batch.deadlock(),
            interpreter.is_deadlock(&state),
            "deadlock in {:?}",
            &state
        );
        same_faults((&interpreter, &state), &space, &words, &batch, &steps)?;
        let holds = |edge: &EdgeRef| network.edge(*edge).atomic != Atomic::No;
        let single = steps.iter().filter(|(step, _)| !step.edges.iter().any(holds));
        let single: BTreeSet<(Vec<EdgeRef>, State)> = single
            .filter_map(|(step, result)| Some((step.edges.clone(), result.clone().ok()?)))
            .collect();
        let expected: BTreeSet<(Vec<EdgeRef>, State)> = steps
            .into_iter()
            .filter_map(|(step, result)| result.ok().map(|state| (step.edges, state)))
            .collect();
        prop_assert!(single.is_subset(&found), "steps from {:?}", &state);
        let states = |steps: &BTreeSet<(Vec<EdgeRef>, State)>| -> BTreeSet<State> {
            steps.iter().map(|(_, state)| state.clone()).collect()
        };
        prop_assert_eq!(states(&found), states(&expected), "successors of {:?}", &state);
    }
    Ok(())
}

/// The same steps fail, and the first, which a search reports, fails for the
/// interpreter. What fails before the branches are known fails once for the
/// interpreter, as branch 0, but once a branch here: branches apart, they are the
/// same. Failures within longer steps: `oracle_control.rs`.
fn same_faults(
    (interpreter, state): (&Interpreter, &State),
    space: &CompiledSpace,
    words: &[Word],
    batch: &Batch,
    steps: &[(Step, Result<State, RuntimeError>)],
) -> Result<(), TestCaseError> {
    let faults = batch.faults().iter();
    let found: Vec<Step> = faults.map(|fault| space.step(words, fault.edge)).collect();
    let failing = steps.iter().filter(|(_, result)| result.is_err());
    let expected: Vec<Step> = failing.map(|(step, _)| step.clone()).collect();
    let about = format!("{found:?} fail, and not {expected:?}, in {words:?}");
    let fails = |step: &Step| {
        matches!(interpreter.pass(state, step).problem, Some(ReplayProblem::Fault(_)))
    };
    prop_assert!(found.first().is_none_or(fails), "{}", about);
    let network = interpreter.network();
    let holds = |edge: &EdgeRef| network.edge(*edge).atomic != Atomic::No;
    let alone = |step: &&Step| step.then.is_empty() && !step.edges.iter().any(holds);
    let bare = |step: &Step| -> Vec<EdgeRef> {
        step.edges.iter().map(|edge| EdgeRef { branch: 0, ..*edge }).collect()
    };
    let bare = |steps: &[Step]| steps.iter().filter(alone).map(bare).collect::<BTreeSet<_>>();
    let (mut failing, failed) = (bare(&found), bare(&expected));
    // Which of several channels a sender with a failing guard would have used is not
    // known: it fails by itself, and here with its partners too.
    failing.retain(|edges| edges.len() != 2 || !failed.contains(&edges[..1]));
    prop_assert_eq!(failing, failed, "{}", about);
    prop_assert!(expected.iter().filter(alone).all(|step| found.contains(step)), "{}", about);
    prop_assert_eq!(found.is_empty(), expected.is_empty(), "{}", about);
    Ok(())
}

/// Everything but loops (an endless one takes its million rounds in every
/// state), either with run-time errors or with channels as values.
fn knobs(faults: bool) -> Knobs {
    let left_out = if faults { Feature::ChannelValues } else { Feature::Loops };
    let features: Vec<Feature> = SUPPORTED
        .iter()
        .copied()
        .filter(|feature| *feature != Feature::Loops && *feature != left_out)
        .collect();
    Knobs { faults, ..Knobs::with(&features) }
}

fn samples() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    any::<bool>().prop_flat_map(|faults| networks_with_goals(knobs(faults), 1))
}

/// Channels as values that denote none, or others than what is sent to them is for.
fn misused_channels() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    let mut knobs = Knobs { misuse: true, ..knobs(true) };
    knobs.features.push(Feature::ChannelValues);
    networks_with_goals(knobs, 1)
}

/// Networks in which one committed participant of a step is enough, and in which
/// every other participant of a vector may stay away.
fn loose_samples() -> impl Strategy<Value = (Network, Vec<Expr>)> {
    let knobs = |faults| {
        let Knobs { features, .. } = knobs(faults);
        let features: Vec<Feature> =
            features.into_iter().filter(|feature| *feature != Feature::Timeout).collect();
        Knobs { faults, ..Knobs::with(&features) }
    };
    any::<bool>().prop_flat_map(move |faults| networks_with_goals(knobs(faults), 1)).prop_map(
        |(mut network, goals)| {
            network.commitment = Commitment::Any;
            for vector in &mut network.vectors {
                let others = vector.participants.iter_mut().skip(1).step_by(2);
                others.for_each(|participant| participant.optional = true);
            }
            (network, goals)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..config(300) })]

    #[test]
    fn oracle_where_one_committed_participant_is_enough((network, goals) in loose_samples()) {
        lock_step(&network, &goals[0], Passes::COUNTING)?;
    }

    #[test]
    fn oracle_without_passes((network, goals) in samples()) {
        lock_step(&network, &goals[0], Passes::NONE)?;
    }

    #[test]
    fn oracle_with_ranges((network, goals) in samples()) {
        lock_step(&network, &goals[0], Passes { ranges: true, ..Passes::NONE })?;
    }

    #[test]
    fn oracle_with_constants((network, goals) in samples()) {
        lock_step(&network, &goals[0], Passes { constants: true, ..Passes::NONE })?;
    }

    #[test]
    fn oracle_with_all_counting_passes((network, goals) in samples()) {
        lock_step(&network, &goals[0], Passes::COUNTING)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 500, ..config(100) })]

    #[test]
    fn oracle_with_misused_channels((network, goals) in misused_channels()) {
        lock_step(&network, &goals[0], Passes::NONE)?;
        lock_step(&network, &goals[0], Passes::COUNTING)?;
    }

    #[test]
    fn oracle_with_loops((network, goals) in networks_with_goals(Knobs::with(&[Feature::Loops]), 1)) {
        lock_step_up_to(4, &network, &goals[0], Passes::COUNTING)?;
    }
}

/// The least numbers of steps to the goal, to a deadlock and to a fault.
#[derive(Debug, PartialEq, Eq, Default)]
struct Distances {
    goal: Option<u32>,
    deadlock: Option<u32>,
    fault: Option<u32>,
    states: usize,
}

fn compiled_distances(network: &Network, goal: &Expr, passes: Passes) -> Option<Distances> {
    let wanted = Wanted::goal(goal.clone());
    let space = CompiledSpace::new(network, &[wanted], passes).expect("a supported network");
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut seen: BTreeSet<Vec<Word>> = BTreeSet::new();
    let mut level = vec![batch.state(0).to_vec()];
    seen.extend(level.iter().cloned());
    let mut result = Distances::default();
    for depth in 0.. {
        let mut next = Vec::new();
        for state in &level {
            if expander.violated(state) != 0 {
                result.goal.get_or_insert(depth);
            }
            batch.clear();
            expander.expand(state, &mut batch);
            if batch.deadlock() {
                result.deadlock.get_or_insert(depth);
            }
            if !batch.faults().is_empty() {
                result.fault.get_or_insert(depth + 1);
            }
            for i in 0..batch.len() {
                if seen.insert(batch.state(i).to_vec()) {
                    next.push(batch.state(i).to_vec());
                }
            }
        }
        if next.is_empty() {
            result.states = seen.len();
            return Some(result);
        }
        if seen.len() > 2 * LIMIT {
            return None;
        }
        level = next;
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..config(300) })]

    /// Resetting dead variables keeps goals, deadlocks and faults, at the same
    /// distances, and never makes more states.
    #[test]
    fn differential_dead((network, goals) in samples()) {
        let plain = compiled_distances(&network, &goals[0], Passes::COUNTING);
        let reset = compiled_distances(&network, &goals[0], Passes { dead: true, ..Passes::COUNTING });
        if let (Some(plain), Some(reset)) = (plain, reset) {
            prop_assert!(reset.states <= plain.states);
            prop_assert_eq!(Distances { states: 0, ..plain }, Distances { states: 0, ..reset });
        }
    }

    /// Slicing keeps the distance to the goal, and never makes more states.
    #[test]
    fn differential_slice((network, goals) in samples()) {
        let plain = compiled_distances(&network, &goals[0], Passes::COUNTING);
        let sliced = compiled_distances(&network, &goals[0], Passes { slice: true, ..Passes::COUNTING });
        if let (Some(plain), Some(sliced)) = (plain, sliced) {
            prop_assert!(sliced.states <= plain.states);
            prop_assert_eq!(plain.goal, sliced.goal);
        }
    }

    /// All passes together keep the distance to the goal.
    #[test]
    fn differential_all((network, goals) in samples()) {
        let plain = compiled_distances(&network, &goals[0], Passes::NONE);
        let all = compiled_distances(&network, &goals[0], Passes::ALL);
        if let (Some(plain), Some(all)) = (plain, all) {
            prop_assert_eq!(plain.goal, all.goal);
        }
    }
}

/// Expanders of one space share the code that is compiled on the way: threads
/// that race for it must all see the same successors.
#[test]
fn threads_share_compiled_code() {
    use homing_ir::random::networks;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let network = networks(knobs(false)).new_tree(&mut runner).unwrap().current();
        let space =
            CompiledSpace::new(&network, &[], Passes::COUNTING).expect("a supported network");
        let explore = || {
            let mut expander = space.expander();
            let mut batch = Batch::new(space.width());
            expander.initial(&mut batch);
            let mut seen: BTreeSet<Vec<Word>> = BTreeSet::from([batch.state(0).to_vec()]);
            let mut open: Vec<Vec<Word>> = seen.iter().cloned().collect();
            while let Some(state) = open.pop() {
                batch.clear();
                expander.expand(&state, &mut batch);
                let new = (0..batch.len()).map(|i| batch.state(i).to_vec());
                open.extend(new.filter(|state| seen.len() < LIMIT && seen.insert(state.clone())));
            }
            seen
        };
        let found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(explore)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
