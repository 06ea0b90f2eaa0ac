//! On a network small enough to see it.

use super::*;
use crate::claim::Meaning;
use homing_ir::counter::{counter, first_edges, goal_above};

#[test]
fn a_goal_is_true_since_the_step_that_made_it_so() {
    let network = counter(300);
    let interpreter = Interpreter::new(&network).unwrap();
    let goal = goal_above(1);
    let claim = Claim::Goal(&goal, &network.sources, Meaning::Goal);
    let outcome = explained(&interpreter, &first_edges(4), claim).unwrap();
    let why = outcome.why.unwrap();
    // True since step 2; but every step changes what the goal reads.
    assert_eq!((why.holds[0].since, why.needed), (2, 4));
    assert!(explained(&interpreter, &first_edges(1), claim).is_err());
}

#[test]
fn a_deadlock_tells_what_is_waited_for() {
    let network = counter(3);
    let interpreter = Interpreter::new(&network).unwrap();
    let outcome = explained(&interpreter, &first_edges(3), Claim::Deadlock).unwrap();
    let why = outcome.why.unwrap();
    assert_eq!((why.blocked[0].process.as_str(), why.blocked[0].waits.len()), ("Counter", 1));
    assert!(why.blocked[0].waits[0].ends_with("is false"), "{why:?}");
}

#[test]
fn long_runs_are_not_explained() {
    let network = counter(300);
    let interpreter = Interpreter::new(&network).unwrap();
    let goal = goal_above(0);
    let trace = first_edges(MOST_STEPS + 1);
    let outcome =
        explained(&interpreter, &trace, Claim::Goal(&goal, &network.sources, Meaning::Goal))
            .unwrap();
    assert!(outcome.why.is_none() && outcome.steps.iter().all(|step| step.matters));
}
