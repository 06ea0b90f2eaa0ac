mod timed;

use std::collections::BTreeSet;

use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::*;
use crate::interp::{Exploration, Interpreter, RuntimeErrorKind};
use crate::wellformed::{check, check_expression, features};

/// The same `count` networks in every run.
fn sample(knobs: Knobs, count: usize) -> Vec<Network> {
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), generator);
    let strategy = networks(knobs);
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

fn explorations(networks: &[Network], limit: usize) -> Vec<Exploration> {
    networks.iter().map(|network| Interpreter::new(network).unwrap().explore(limit)).collect()
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..config(256) })]

    #[test]
    fn networks_and_goals_are_well_formed((network, goals) in networks_with_goals(Knobs::everything(), 2)) {
        prop_assert_eq!(check(&network), []);
        for goal in &goals {
            prop_assert_eq!(check_expression(&network, goal), []);
        }
    }

    #[test]
    fn goals_of_a_network_are_well_formed(
        (network, goal) in networks(Knobs::default())
            .prop_flat_map(|network| (Just(network.clone()), goals(&network, Knobs::default())))
    ) {
        prop_assert_eq!(check_expression(&network, &goal), []);
    }

    #[test]
    fn only_the_features_asked_for_are_used(network in networks(Knobs::with(&[Feature::Vectors, Feature::Else]))) {
        let used: Vec<Feature> = features(&network).into_iter().map(|(feature, _)| feature).collect();
        prop_assert!(used.iter().all(|feature| [Feature::Vectors, Feature::Else].contains(feature)));
    }

    #[test]
    fn nothing_fails_without_faults(network in networks(Knobs { faults: false, ..Knobs::everything() })) {
        let found = Interpreter::new(&network).unwrap().explore(200);
        prop_assert_eq!(found.faults, []);
    }
}

#[test]
fn state_spaces_are_neither_trivial_nor_huge() {
    for knobs in [Knobs::default(), Knobs::everything()] {
        let found = explorations(&sample(knobs, 200), 3000);
        let count =
            |holds: &dyn Fn(&Exploration) -> bool| found.iter().filter(|one| holds(one)).count();
        assert!(count(&|one| one.complete) >= 180);
        let some = count(&|one| one.states.len() >= 4);
        assert!(some >= 100, "{some}");
        assert!(count(&|one| one.states.len() >= 100) >= 20);
        assert!(count(&|one| !one.faults.is_empty()) >= 40);
        assert!(count(&|one| !one.deadlocks.is_empty()) >= 20);
    }
}

#[test]
fn every_feature_is_used() {
    let networks = sample(Knobs::everything(), 200);
    let used: BTreeSet<Feature> =
        networks.iter().flat_map(features).map(|(feature, _)| feature).collect();
    let unused: Vec<_> =
        Interpreter::SUPPORTED.iter().filter(|feature| !used.contains(feature)).collect();
    // Costs and chances do not change what the steps are; what has clocks is made by `timed`.
    let expected = [
        Feature::Costs,
        Feature::Probabilities,
        Feature::Rates,
        Feature::Clocks,
        Feature::Invariants,
        Feature::Stopwatches,
        Feature::UrgentLocations,
        Feature::UrgentChannels,
    ];
    assert_eq!(unused, expected.iter().collect::<Vec<_>>());
}

#[test]
fn steps_of_all_kinds_happen_and_fail() {
    let found = explorations(&sample(Knobs::everything(), 300), 300);
    let steps = found.iter().flat_map(|one| one.parents.iter().flatten());
    let widths: BTreeSet<usize> = steps.map(|(_, step)| step.edges.len()).collect();
    assert!([1, 2, 3].iter().all(|width| widths.contains(width)), "{widths:?}");
    let waiting = |one: &Exploration| {
        one.states.iter().any(|state| state.buffers.iter().any(|b| b.len() > 1))
    };
    assert!(found.iter().any(waiting));
    let errors: Vec<RuntimeErrorKind> =
        found.iter().flat_map(|one| one.faults.iter().map(|fault| fault.error.kind)).collect();
    let seen = |wanted: fn(&RuntimeErrorKind) -> bool| assert!(errors.iter().any(wanted));
    seen(|kind| matches!(kind, RuntimeErrorKind::DivisionByZero));
    seen(|kind| matches!(kind, RuntimeErrorKind::NoValue(_)));
    seen(|kind| matches!(kind, RuntimeErrorKind::IndexOutOfBounds { .. }));
    seen(|kind| matches!(kind, RuntimeErrorKind::OutOfRange { .. }));
    seen(|kind| matches!(kind, RuntimeErrorKind::NoFreeSlot));
    seen(|kind| matches!(kind, RuntimeErrorKind::AssertionFailed));
    seen(|kind| matches!(kind, RuntimeErrorKind::Blocked));
    let sequences =
        |one: &Exploration| one.parents.iter().flatten().any(|(_, step)| !step.then.is_empty());
    assert!(found.iter().filter(|one| sequences(one)).count() >= 20);
}

#[test]
fn channels_are_misused_in_every_way() {
    let knobs = Knobs { misuse: true, ..Knobs::everything() };
    let found = explorations(&sample(knobs, 600), 300);
    let faults = || found.iter().flat_map(|one| &one.faults).map(|fault| &fault.error.kind);
    assert!(faults().any(|kind| matches!(kind, RuntimeErrorKind::NoChannel { .. })));
    assert!(faults().any(|kind| matches!(kind, RuntimeErrorKind::MessageLength { .. })));
    assert!(faults().any(|kind| matches!(kind, RuntimeErrorKind::NoBuffer)));
}

#[test]
fn shrinking_keeps_networks_well_formed_and_ends_small() {
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), generator);
    let mut tree = networks(Knobs::everything()).new_tree(&mut runner).unwrap();
    while tree.simplify() {
        assert_eq!(check(&tree.current()), []);
    }
    let least = tree.current();
    assert_eq!((least.processes.len(), features(&least).len()), (1, 0));
}
