//! Otherwise and timeout guards, end locations and control that is held, in the
//! compiled space and in the interpreter: random networks are given these at
//! random, and both are explored in lock step.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};

use homing_core::{Batch, Random, Space, Word};
use homing_ir::Network;
use homing_ir::automaton::{Automaton, Cube, Transition};
use homing_ir::flatten::Wanted;
use homing_ir::interp::{Interpreter, ReplayProblem, State};
use homing_ir::network::{
    Action, Atomic, ChannelKind, Composition, EdgeRef, Expr, ExprKind, Guard, ProcessId, Role,
    Urgency,
};
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks};
use homing_ir::system::FaultKind;
use homing_ir::trace::Step;
use homing_ir::wellformed::Feature;
use homing_space::{CompiledSpace, Fairness, Product};
use proptest::prelude::*;

/// Pairs explored before a network is given up as too large.
const LIMIT: usize = 600;

/// Gives a network guards and control at random.
fn with_control(mut network: Network, seed: u64) -> Network {
    let mut random = Random::new(seed);
    let interleaved = network.composition == Composition::Interleaved;
    let kinds: Vec<ChannelKind> = network.channels.iter().map(|channel| channel.kind).collect();
    let deterministic = random.below(3) == 0;
    let resting = [2, 9][random.below(2) as usize];
    for process in network.processes.iter_mut().filter(|process| process.role == Role::System) {
        for location in &mut process.locations {
            if random.below(4) > 0 {
                location.urgency = Urgency::None;
            }
            location.end = random.below(10) < resting;
        }
        for number in 0..process.edges.len() {
            let from = process.edges[number].from;
            let earlier = process.edges[..number].iter().filter(|edge| edge.from == from).count();
            let edge = &mut process.edges[number];
            let when = match &edge.guard {
                Guard::When(expr) => expr.clone(),
                _ => Expr::int(1, edge.span),
            };
            match random.below(8) {
                0 | 1 if earlier > 0 => {
                    let before = 1 + random.below(earlier as u64) as u32;
                    edge.guard = Guard::Otherwise { before, when };
                }
                2 => edge.guard = Guard::Timeout(when),
                _ => {}
            }
            let may_hold = interleaved
                && match &edge.action {
                    None => true,
                    Some(Action::Label(_)) => false,
                    Some(Action::Send { channel, .. } | Action::Receive { channel, .. }) => {
                        match channel.kind {
                            ExprKind::Channel(id) => kinds[id.index()] != ChannelKind::Broadcast,
                            _ => !kinds.contains(&ChannelKind::Broadcast),
                        }
                    }
                };
            if may_hold {
                edge.atomic = match random.below(4) {
                    0 if deterministic => Atomic::Deterministic,
                    0 | 1 => Atomic::Atomic,
                    _ => Atomic::No,
                };
            }
        }
    }
    network
}

fn knobs(faults: bool) -> Knobs {
    let mut features = vec![
        Feature::Broadcast,
        Feature::Vectors,
        Feature::Startable,
        Feature::ProcessValues,
        Feature::Choices,
        Feature::SortedSends,
        Feature::SelectiveReceives,
        Feature::Peeks,
        Feature::Scratch,
        Feature::Synchronous,
    ];
    if !faults {
        features.push(Feature::ChannelValues);
    }
    Knobs { faults, ..Knobs::with(&features) }
}

fn samples() -> impl Strategy<Value = Network> {
    (any::<bool>(), any::<u64>())
        .prop_flat_map(|(faults, seed)| (networks(knobs(faults)), Just(seed)))
        .prop_map(|(network, seed)| with_control(network, seed))
}

fn lock_step(network: &Network, passes: Passes) -> Result<(), TestCaseError> {
    let space = CompiledSpace::new(network, &[], passes).expect("a supported network");
    let interpreter = Interpreter::new(network).expect("a supported network");
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut pairs = vec![(interpreter.initial(), batch.state(0).to_vec())];
    let mut packed: HashMap<State, Vec<Word>> = pairs.iter().cloned().collect();
    let mut next = 0;
    while next < pairs.len() && next < LIMIT {
        let (state, words) = pairs[next].clone();
        next += 1;
        batch.clear();
        expander.expand(&words, &mut batch);
        let steps = interpreter.steps(&state);
        prop_assert_eq!(batch.deadlock(), interpreter.is_deadlock(&state), "deadlock");
        let faults: Vec<Step> =
            batch.faults().iter().map(|fault| space.step(&words, fault.edge)).collect();
        // Where a guard fails, its edge fails once for the interpreter, as branch
        // 0, but once a branch here.
        let bare = |step: &Step| -> Vec<EdgeRef> {
            step.edges.iter().map(|edge| EdgeRef { branch: 0, ..*edge }).collect()
        };
        let holds = |edge: &EdgeRef| network.edge(*edge).atomic != Atomic::No;
        let alone = |step: &&Step| step.then.is_empty() && !step.edges.iter().any(holds);
        let failing = steps.iter().filter(|(_, result)| result.is_err()).map(|(step, _)| step);
        let found: BTreeSet<_> = faults.iter().filter(alone).map(bare).collect();
        let expected: BTreeSet<_> = failing.filter(alone).map(bare).collect();
        prop_assert_eq!(found, expected, "failing moves from {:?}", &state);
        // Of several ways to a failure within a step, engines need not choose the
        // same, nor only one.
        let problems = faults.iter().map(|step| (step, interpreter.pass(&state, step).problem));
        let mut kinds = BTreeSet::new();
        for (step, problem) in problems {
            match problem {
                Some(ReplayProblem::Fault(error)) => drop(kinds.insert(error.kind)),
                _ => prop_assert!(
                    step.all().any(|edge| edge.branch > 0),
                    "{:?} does not fail: {:?}",
                    step,
                    problem
                ),
            }
        }
        let errors = steps.iter().filter_map(|(_, result)| result.as_ref().err());
        let expected: BTreeSet<_> = errors.map(|error| error.kind).collect();
        prop_assert_eq!(kinds, expected, "failures from {:?}", &state);
        let mut found: BTreeSet<(Vec<EdgeRef>, State)> = BTreeSet::new();
        let mut reached: BTreeSet<Vec<Word>> = BTreeSet::new();
        for i in 0..batch.len() {
            let step = space.step(&words, batch.edge(i));
            let taken = interpreter.take(&state, &step);
            prop_assert!(taken.is_ok(), "{:?} is no step: {:?}", step, taken);
            let (to, words) = (taken.expect("a step"), batch.state(i).to_vec());
            match packed.get(&to) {
                Some(known) => prop_assert_eq!(known, &words, "{:?} leads elsewhere", step),
                None => {
                    packed.insert(to.clone(), words.clone());
                    pairs.push((to.clone(), words.clone()));
                }
            }
            reached.insert(words);
            found.insert((step.edges, to));
        }
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
        prop_assert_eq!(states(&found).len(), reached.len(), "successors of {:?}", &state);
    }
    Ok(())
}

/// Fairness marks every step with those who take part in it, and every state with those
/// who could; weak fairness also with those who could not.
fn judged(network: &Network) -> Result<(), TestCaseError> {
    let space = CompiledSpace::new(network, &[], Passes::COUNTING).expect("a supported network");
    let on = Transition { guard: Cube::TRUE, marks: 0, target: 0 };
    let automaton = Automaton { atoms: 0, sets: 1, initial: vec![0], states: vec![vec![on]] };
    let [weak, strong] = [Fairness::weak, Fairness::strong].map(|new| new(network, &space, 63));
    let (weak, strong) = (weak.expect("few processes"), strong.expect("few processes"));
    let weak = Product::new(&space, &automaton).fair(&weak);
    let strong = Product::new(&space, &automaton).fair(&strong);
    let moving: Vec<ProcessId> = network
        .system_processes()
        .filter(|(_, process)| !process.edges.is_empty())
        .map(|(id, _)| id)
        .collect();
    let of = |step: &Step| {
        let bit = |edge: &EdgeRef| moving.iter().position(|id| *id == edge.process);
        step.all().filter_map(bit).fold(0_u64, |all, bit| all | 2 << bit)
    };
    let everyone = moving.iter().fold(0, |all, _| all << 1 | 2);
    let mut expanders = [weak.expander(), strong.expander()];
    let mut batches = [Batch::new(strong.width()), Batch::new(strong.width())];
    let mut inner = (space.expander(), Batch::new(space.width()));
    expanders[0].initial(&mut batches[0]);
    let mut states = vec![batches[0].state(0).to_vec()];
    let mut next = 0;
    while next < states.len() && next < LIMIT {
        let state = states[next].clone();
        next += 1;
        for (expander, batch) in expanders.iter_mut().zip(&mut batches) {
            batch.clear();
            expander.expand(&state, batch);
        }
        let words = &state[..space.width()];
        inner.1.clear();
        inner.0.expand(words, &mut inner.1);
        let steps = (0..inner.1.len()).map(|i| of(&space.step(words, inner.1.edge(i))));
        let steps: Vec<u64> = steps.collect();
        let faults = inner.1.faults().iter().map(|fault| of(&space.step(words, fault.edge)));
        let enabled = faults.chain(steps.iter().copied()).fold(0, |all, one| all | one);
        prop_assert_eq!(batches[0].requested(), 0);
        prop_assert_eq!(batches[1].requested(), enabled);
        for i in 0..batches[1].len() {
            // Where there is no step, nobody waits for one.
            let taking = steps.get(i).copied().unwrap_or(everyone);
            prop_assert_eq!(batches[1].marks(i), taking);
            prop_assert_eq!(batches[0].marks(i), taking | everyone & !enabled);
            if !states.iter().any(|known| known == batches[1].state(i)) {
                states.push(batches[1].state(i).to_vec());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..config(300) })]

    #[test]
    fn oracle_who_takes_part(network in samples()) {
        judged(&network)?;
    }

    #[test]
    fn oracle_control_without_passes(network in samples()) {
        lock_step(&network, Passes::NONE)?;
    }

    #[test]
    fn oracle_control_with_counting_passes(network in samples()) {
        lock_step(&network, Passes::COUNTING)?;
    }
}

/// The least numbers of steps to what can be found, and the states.
#[derive(Debug, PartialEq, Eq, Default)]
struct Distances {
    assertion: Option<u32>,
    error: Option<u32>,
    deadlock: Option<u32>,
    states: usize,
}

/// Breadth-first search; `trapped` makes states of failed assertions.
fn distances(network: &Network, trapped: bool, passes: Passes) -> Option<Distances> {
    let nothing = Expr::int(0, Default::default());
    let wanted = Wanted { assertions: trapped, ..Wanted::goal(nothing) };
    let space = CompiledSpace::new(network, &[wanted], passes).expect("a supported network");
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut level = vec![batch.state(0).to_vec()];
    let mut seen: BTreeSet<Vec<Word>> = level.iter().cloned().collect();
    let mut traps = 0;
    let mut found = Distances::default();
    for depth in 0.. {
        let mut next = Vec::new();
        for state in &level {
            if expander.violated(state) != 0 {
                found.assertion.get_or_insert(depth);
                traps += 1;
            }
            batch.clear();
            expander.expand(state, &mut batch);
            if batch.deadlock() {
                found.deadlock.get_or_insert(depth);
            }
            for fault in batch.faults() {
                match space.system().sites[fault.site as usize].kind {
                    FaultKind::Assertion => found.assertion.get_or_insert(depth + 1),
                    _ => found.error.get_or_insert(depth + 1),
                };
            }
            let new = (0..batch.len()).map(|i| batch.state(i).to_vec());
            next.extend(new.filter(|state| seen.insert(state.clone())));
        }
        if seen.len() > 4 * LIMIT {
            return None;
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found.states = seen.len() - traps;
    Some(found)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..config(300) })]

    /// An assertion that fails within a step is found as a state or as a
    /// fault, at the same distance, and changes nothing else.
    #[test]
    fn differential_assertions(network in samples()) {
        let plain = distances(&network, false, Passes::COUNTING);
        let trapped = distances(&network, true, Passes::COUNTING);
        if let (Some(plain), Some(trapped)) = (plain, trapped) {
            prop_assert_eq!(plain, trapped);
        }
    }
}

/// What was drawn is not all trivial: of the networks, many have long steps,
/// late moves, states without steps that are no deadlocks, and failures.
#[test]
fn the_networks_have_what_is_compared() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut long, mut late, mut ended) = (0, 0, 0);
    for _ in 0..200 {
        let network = samples().new_tree(&mut runner).unwrap().current();
        let interpreter = Interpreter::new(&network).expect("a supported network");
        let found = interpreter.explore(300);
        let (mut is_long, mut is_timeout, mut is_ended) = (false, false, false);
        for state in &found.states {
            let steps = interpreter.steps(state);
            is_ended |= steps.is_empty() && !interpreter.is_deadlock(state);
            for (step, _) in steps {
                is_long |= step.then.len() > 1;
                let timeout =
                    |edge: &EdgeRef| matches!(network.edge(*edge).guard, Guard::Timeout(_));
                is_timeout |= step.edges.iter().any(timeout);
            }
        }
        long += usize::from(is_long);
        late += usize::from(is_timeout);
        ended += usize::from(is_ended);
    }
    assert!(long > 25 && late > 8 && ended > 5, "{long} long, {late} late, {ended} ended");
}
