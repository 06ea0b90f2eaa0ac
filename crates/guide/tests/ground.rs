//! The ground form against the compiled space: no step, and no goal state, is
//! ever missing from it, and where it claims to be exact it has none too many.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use homing_core::{Batch, Space, Word};
use homing_guide::ground::{Ground, Operator, Value};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::moves::Move;
use homing_ir::network::{Expr, ExprKind, PropertyKind};
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::system::PartId;
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use proptest::prelude::*;

/// How many operators there are, how many are exact, and how often an exact
/// one was held against a state.
#[derive(Default, Debug)]
struct Tally {
    operators: usize,
    exact: usize,
    judged: usize,
}

fn space(network: &Network, goals: &[Wanted], passes: Passes) -> CompiledSpace {
    CompiledSpace::new(network, goals, passes).expect("a supported network")
}

/// Explores up to `limit` states and holds every one of them, and every edge,
/// against the ground form and against the form without conditional effects.
fn compare(space: &CompiledSpace, limit: usize) -> Result<Tally, TestCaseError> {
    let condition = &space.system().conditions[0];
    let ground = Ground::of(space.prepared(), &condition.term);
    let split = ground.split(8);
    let exact = ground.operators.iter().filter(|operator| operator.exact).count();
    let mut tally = Tally { operators: ground.operators.len(), exact, judged: 0 };
    prop_assert!(split.operators.iter().all(|o| o.effects.iter().all(|e| e.conditions.is_empty())));
    let forms = [(by_label(space, &ground), ground), (by_label(space, &split), split)];
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut seen: BTreeSet<Vec<Word>> = BTreeSet::from([batch.state(0).to_vec()]);
    let mut open: Vec<Vec<Word>> = seen.iter().cloned().collect();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    while let Some(state) = open.pop() {
        let goal = expander.violated(&state) & 1 == 1;
        batch.clear();
        expander.expand(&state, &mut batch);
        for (labels, ground) in &forms {
            ground.state(&state, &mut from);
            prop_assert!(!goal || ground.goal_holds(&from), "a goal is missing");
            if ground.goals_exact {
                prop_assert_eq!(goal, ground.goal_holds(&from), "the goal is not exact");
            }
            for i in 0..batch.len() {
                ground.state(batch.state(i), &mut to);
                let mut of_label = labels[batch.edge(i).label as usize].iter();
                let found = of_label.any(|at| ground.allows(&ground.operators[*at], &from, &to));
                prop_assert!(found, "no operator for {:?}: {:?} to {:?}", batch.edge(i), from, to);
            }
            if !space.system().has_commitment() {
                tally.judged += judge(space, ground, labels, &from, &batch)?;
            }
        }
        for i in 0..batch.len() {
            if seen.len() < limit && seen.insert(batch.state(i).to_vec()) {
                open.push(batch.state(i).to_vec());
            }
        }
    }
    Ok(tally)
}

/// The numbers of the operators of every label.
fn by_label(space: &CompiledSpace, ground: &Ground) -> Vec<Vec<usize>> {
    let mut labels = vec![Vec::new(); space.moves().list.len()];
    for (at, operator) in ground.operators.iter().enumerate() {
        labels[operator.label as usize].push(at);
    }
    labels
}

/// Who leads a step. A failing sender fails once, whoever would receive.
fn leader(space: &CompiledSpace, label: u32) -> (Option<PartId>, u32) {
    match space.moves().list[label as usize] {
        Move::Alone(part) | Move::Pair { sender: part, .. } => (Some(part), 0),
        Move::Joint(_) => (None, label),
    }
}

/// An exact operator that applies leads to a successor, or fails.
fn judge(
    space: &CompiledSpace,
    ground: &Ground,
    labels: &[Vec<usize>],
    from: &[Value],
    batch: &Batch,
) -> Result<usize, TestCaseError> {
    let exact = |at: &&usize| {
        let operator: &Operator = &ground.operators[**at];
        operator.exact && operator.applies(from)
    };
    let mut to = Vec::new();
    let mut judged = 0;
    for (label, operators) in labels.iter().enumerate() {
        for at in operators.iter().filter(exact) {
            let operator = &ground.operators[*at];
            judged += 1;
            let leads = leader(space, label as u32);
            let mut faults = batch.faults().iter();
            let fails = faults.any(|fault| leader(space, fault.edge.label) == leads);
            let led = (0..batch.len()).any(|i| {
                ground.state(batch.state(i), &mut to);
                batch.edge(i).label as usize == label && ground.allows(operator, from, &to)
            });
            prop_assert!(led || fails, "{:?} leads nowhere from {:?}", operator, from);
        }
    }
    Ok(judged)
}

/// Everything, either with run-time errors or with channels as values. An
/// endless loop takes its million rounds in every state, so loops are apart.
fn knobs(faults: bool, loops: bool) -> Knobs {
    let refused = if faults { Feature::ChannelValues } else { Feature::Loops };
    let kept = |feature: &Feature| match feature {
        Feature::Loops => loops,
        // Operators are moves, and steps may be several.
        Feature::Atomic => false,
        // Who waits for all others in a joint step is not grounded; no language
        // has both.
        Feature::Timeout => faults,
        Feature::Broadcast | Feature::Vectors | Feature::Synchronous => !faults,
        feature => *feature != refused,
    };
    let features: Vec<Feature> = SUPPORTED.iter().copied().filter(kept).collect();
    Knobs { faults, ..Knobs::with(&features) }
}

fn samples(loops: bool) -> impl Strategy<Value = (Network, Vec<Expr>)> {
    any::<bool>().prop_flat_map(move |faults| networks_with_goals(knobs(faults, loops), 1))
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..config(400) })]

    #[test]
    fn differential_steps_with_passes((network, goals) in samples(false)) {
        compare(&space(&network, &[Wanted::goal(goals[0].clone())], Passes::ALL), 300)?;
    }

    #[test]
    fn differential_steps_without_passes((network, goals) in samples(false)) {
        compare(&space(&network, &[Wanted::goal(goals[0].clone())], Passes::NONE), 300)?;
    }

    #[test]
    fn differential_steps_with_loops((network, goals) in samples(true)) {
        compare(&space(&network, &[Wanted::goal(goals[0].clone())], Passes::ALL), 20)?;
    }
}

/// Most operators of random networks are exact, or the form says too little.
#[test]
fn most_operators_are_exact() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut operators, mut exact, mut judged) = (0, 0, 0);
    for _ in 0..200 {
        let (network, goals) = samples(false).new_tree(&mut runner).unwrap().current();
        let goal = Wanted::goal(goals[0].clone());
        let tally = compare(&space(&network, &[goal], Passes::COUNTING), 50).unwrap();
        operators += tally.operators;
        exact += tally.exact;
        judged += tally.judged;
    }
    println!("{exact} of {operators} operators are exact, judged {judged} times");
    assert!(exact * 2 > operators && judged > 1000, "{exact} of {operators}, {judged}");
}

#[test]
fn differential_model_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/dve");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "dve") {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let parsed =
            (homing_lang::dve::LANGUAGE.parse)("model", &text, &homing_lang::Settings::default());
        assert!(parsed.usable(), "{}", path.display());
        for passes in [Passes::COUNTING, Passes::NONE] {
            let goal = never(&parsed.network);
            let tally = compare(&space(&parsed.network, &[goal], passes), 2000)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            println!("{}: {tally:?}", path.file_name().unwrap().display());
        }
    }
    assert!(files > 10);
}

/// A property of the model, or what never holds.
fn never(network: &Network) -> Wanted {
    let mut never = network.properties.iter().filter_map(|property| match &property.kind {
        PropertyKind::Never(expr) => Some(expr.clone()),
        _ => None,
    });
    let nothing = || Expr::new(ExprKind::Int(0), Default::default());
    Wanted::goal(never.next().unwrap_or_else(nothing))
}
