//! Checks of random relations against a search that enumerates states by the reference
//! interpreter.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::rc::Rc;

use homing_gates::{Circuit, Literal, Node};
use homing_ir::random::config;
use homing_ir::relation::{
    Evaluation, Failure, Goal, Interpreter, Relation, Run, TermId, Value, random,
};
use homing_sat::{
    Bmc, Bounded, Corresponding, Effort, Induction, Interrupted, Pdr, Problem, Proof, Reached,
    Trace, Unproven,
};
use proptest::prelude::*;

/// All valuations there are.
fn valuations(relation: &Relation) -> Vec<Vec<Value>> {
    relation.variables.iter().fold(vec![Vec::new()], |all, one| {
        let size = one.domain.size().expect("small");
        let values: Vec<Value> = (0..size).map(|n| one.domain.value(n)).collect();
        let longer = all.iter().flat_map(|begun: &Vec<Value>| {
            values.iter().map(move |value| begun.iter().chain([value]).cloned().collect())
        });
        longer.collect()
    })
}

/// The number of steps of a shortest run that ends where the goal is false, by the
/// definition of a run alone; none if there is no such run.
fn distance(relation: &Relation, term: TermId) -> Result<Option<usize>, Failure> {
    let mut left = Vec::new();
    for one in valuations(relation) {
        if relation.admits(&one)? {
            left.push(one);
        }
    }
    let initial: Result<Vec<bool>, Failure> =
        left.iter().map(|one| relation.is_initial(one)).collect();
    let initial = initial?;
    let mut parts: (Vec<_>, Vec<_>) = left.into_iter().zip(initial).partition(|(_, yes)| *yes);
    let mut layer: Vec<Vec<Value>> = parts.0.drain(..).map(|(one, _)| one).collect();
    let mut left: Vec<Vec<Value>> = parts.1.drain(..).map(|(one, _)| one).collect();
    let (mut steps, mut found) = (0, None);
    while !layer.is_empty() {
        let mut next = Vec::new();
        for moment in &layer {
            if !Evaluation::new(relation, moment, &[]).holds(term)? {
                found = found.or(Some(steps));
            }
            let mut others = Vec::new();
            for one in left.drain(..) {
                match relation.is_step(moment, &one)? {
                    true => next.push(one),
                    false => others.push(one),
                }
            }
            left = others;
        }
        layer = next;
        steps += 1;
    }
    Ok(found)
}

/// A trace as a run, confirmed.
fn confirm(relation: &Relation, circuit: &Circuit, trace: &Trace) {
    let moments = trace.moments(circuit);
    let moments = moments.iter().map(|nodes| circuit.valuation(relation, nodes)).collect();
    let run = Run { moments, back: None };
    relation.confirm_violation(&run, &relation.specifications[0].goal).expect("a violation");
}

/// Runs a check in small shares until it is through.
fn through<T>(effort: &Effort, mut run: impl FnMut() -> Result<T, Unproven>) -> T {
    let mut share = 3;
    loop {
        effort.allow(share);
        match run() {
            Ok(answer) => return answer,
            Err(Unproven::Interrupted(Interrupted::Share)) => share += share / 2,
            Err(other) => panic!("{other:?}"),
        }
    }
}

fn compare(relation: &Relation) -> Result<(), TestCaseError> {
    let goal = &relation.specifications[0].goal;
    let Goal::Invariant(term) = goal else { panic!("an invariant") };
    let sizes = relation.variables.iter().map(|one| one.domain.size().expect("small"));
    prop_assume!(sizes.product::<u64>() <= 300 && Interpreter::new(relation).is_ok());
    // Where a term has no value the interpreter does not say what else there is.
    let Ok(expected) = distance(relation, *term) else { return Ok(()) };
    let mut circuit = Circuit::new(relation, &[*term]).expect("small");
    let bad = circuit.asked[0].is_false(&mut circuit.graph);
    let problem = Problem { circuit: &circuit, bad };
    checks_agree(relation, &circuit, problem, expected)?;
    // Random relations seldom have latches that are equal: here each has a twin.
    let (twins, bad) = with_twins(&circuit, bad);
    let problem = Problem { circuit: &twins, bad };
    let merged = Corresponding::new(problem, &Rc::new(Effort::default())).expect("no limit");
    let roots = [bad, twins.admitted.holds, twins.step.holds, twins.beyond_resets];
    // All twins are found where all latches matter, and each has one.
    let all_matter = twins.influence(roots).iter().all(|matters| *matters);
    let have_twins = circuit.latches.iter().all(|one| one.reset.is_some());
    prop_assert!(merged.is_some() || !(all_matter && have_twins) || circuit.latches.is_empty());
    if let Some(merged) = merged {
        checks_agree(relation, &circuit, merged.problem(), expected)?;
    }
    Ok(())
}

/// The circuit with a twin for each latch whose beginning is known, which always is its
/// complement; and what is bad where it is by the latches and by their twins.
fn with_twins(circuit: &Circuit, bad: Literal) -> (Circuit, Literal) {
    let mut twins = circuit.clone();
    let mut copies: Vec<Literal> = (0..circuit.graph.len()).map(Literal::of).collect();
    let mut pairs = Vec::new();
    for (number, latch) in circuit.latches.iter().enumerate() {
        if let Some(reset) = latch.reset {
            pairs.push((number, twins.latches.len()));
            copies[latch.current.node()] = !twins.add_latch(Some(!reset));
        }
    }
    let of =
        |copies: &[Literal], one: Literal| copies[one.node()].complemented_if(one.is_complement());
    for node in 0..circuit.graph.len() {
        if let Node::And(a, b) = circuit.graph.node(node) {
            copies[node] = twins.graph.and(of(&copies, a), of(&copies, b));
        }
    }
    for (latch, twin) in pairs {
        twins.latches[twin].next = !of(&copies, circuit.latches[latch].next);
    }
    let bad = twins.graph.and(bad, of(&copies, bad));
    (twins, bad)
}

/// Every check says what is expected; what it finds is a run of the relation.
fn checks_agree(
    relation: &Relation,
    circuit: &Circuit,
    problem: Problem,
    expected: Option<usize>,
) -> Result<(), TestCaseError> {
    let effort = Rc::new(Effort::default());
    let mut bmc = Bmc::new(problem, &effort);
    match through(&effort, || bmc.run(300)) {
        Bounded::Found(trace) => {
            prop_assert_eq!(Some(trace.inputs.len() - 1), expected);
            prop_assert!(problem.is_shown_by(&trace));
            confirm(relation, circuit, &trace);
        }
        Bounded::Nothing | Bounded::NoLongerRun => prop_assert_eq!(expected, None),
    }
    let mut induction = Induction::new(problem, &effort);
    match through(&effort, || induction.run()) {
        Proof::Found(trace) => {
            prop_assert_eq!(Some(trace.inputs.len() - 1), expected);
            confirm(relation, circuit, &trace);
        }
        Proof::Inductive(_) | Proof::NoLongerRun(_) => prop_assert_eq!(expected, None),
    }
    let mut pdr = Pdr::new(problem, &effort);
    match through(&effort, || pdr.run()) {
        Reached::Found(trace) => {
            prop_assert!(expected.is_some_and(|steps| steps < trace.inputs.len()));
            prop_assert!(problem.is_shown_by(&trace));
            confirm(relation, circuit, &trace);
        }
        Reached::Invariant(_) => prop_assert_eq!(expected, None),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn oracle_checks(relation in random::relation()) {
        compare(&relation)?;
    }
}
