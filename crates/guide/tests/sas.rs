//! Planning tasks against the spaces they come from: plans are as long as paths
//! to the goal, h^max as large as the relaxed layers; and the text itself.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::{BTreeMap, VecDeque};

use homing_core::expression::Call;
use homing_core::{Batch, DEAD_END, Space, Word};
use homing_guide::Goal;
use homing_guide::ground::Value;
use homing_guide::ground::sas::{Blame, Fact, Names, NotSimple, Task};
use homing_ir::Network;
use homing_ir::flatten::{SUPPORTED, Wanted};
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, networks_with_goals};
use homing_ir::system::SlotId;
use homing_ir::wellformed::Feature;
use homing_space::CompiledSpace;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Larger spaces are left to others.
const LIMIT: usize = 3000;

fn task(space: &CompiledSpace) -> Result<Task, NotSimple> {
    let value = |_: SlotId, _: i64| None;
    let step = |label: u32| format!("step {label}");
    let goal = space.system().conditions[0].term.clone();
    Task::of(space.prepared(), &goal, &Names { value: &value, step: &step })
}

/// Breadth-first search: the steps to a goal, `None` without any, or an error
/// where the space is too large.
fn distance<S: Clone + Ord>(
    initial: S,
    is_goal: impl Fn(&S) -> bool,
    mut successors: impl FnMut(&S) -> Vec<S>,
) -> Result<Option<u32>, ()> {
    let mut depths = BTreeMap::from([(initial.clone(), 0)]);
    let mut open = VecDeque::from([initial]);
    while let Some(state) = open.pop_front() {
        let depth = depths[&state];
        if is_goal(&state) {
            return Ok(Some(depth));
        }
        if depths.len() > LIMIT {
            return Err(());
        }
        for next in successors(&state) {
            depths.entry(next.clone()).or_insert_with(|| {
                open.push_back(next);
                depth + 1
            });
        }
    }
    Ok(None)
}

fn distance_in_space(space: &CompiledSpace) -> Result<Option<u32>, ()> {
    let mut batch = Batch::new(space.width());
    let mut expander = space.expander();
    expander.initial(&mut batch);
    let initial = batch.state(0).to_vec();
    let is_goal = |state: &Vec<Word>| space.conditions(state) & 1 == 1;
    distance(initial, is_goal, |state| {
        batch.clear();
        expander.expand(state, &mut batch);
        (0..batch.len()).map(|i| batch.state(i).to_vec()).collect()
    })
}

fn distance_in_task(task: &Task) -> Result<Option<u32>, ()> {
    let initial: Vec<Value> = task.variables.iter().map(|variable| variable.initial).collect();
    let hold = |facts: &[Fact], state: &Vec<Value>| {
        facts.iter().all(|(var, value)| state[*var as usize] == *value)
    };
    distance(
        initial,
        |state| hold(&task.goal, state),
        |state| {
            let possible = task.operators.iter().filter(|operator| hold(&operator.pre, state));
            let apply = possible.map(|operator| {
                let mut next = state.clone();
                let active = operator.effects.iter().filter(|(when, _)| hold(when, state));
                active.for_each(|(_, (var, value))| next[*var as usize] = *value);
                next
            });
            apply.collect()
        },
    )
}

/// h^max of the initial state, by its definition. `None` for a dead end.
fn h_max(task: &Task) -> Option<u32> {
    let initial = task.variables.iter().enumerate().map(|(var, v)| ((var as u32, v.initial), 0));
    let mut costs: BTreeMap<Fact, u32> = initial.collect();
    let dearest = |facts: &[Fact], costs: &BTreeMap<Fact, u32>| {
        facts.iter().try_fold(0, |most: u32, fact| costs.get(fact).map(|cost| most.max(*cost)))
    };
    loop {
        let before = costs.clone();
        for operator in &task.operators {
            for (conditions, fact) in &operator.effects {
                let pre = dearest(&operator.pre, &costs).zip(dearest(conditions, &costs));
                if let Some((pre, conditions)) = pre {
                    let cost = costs.entry(*fact).or_insert(u32::MAX);
                    *cost = (*cost).min(pre.max(conditions) + 1);
                }
            }
        }
        if costs == before {
            return dearest(&task.goal, &costs);
        }
    }
}

fn relaxed_layers(space: &CompiledSpace) -> Option<u32> {
    let notices = Default::default();
    let goal = Goal::condition(space.prepared(), space, 0, &notices);
    let call = Call { name: "relaxed-layers".into(), arguments: Vec::new() };
    let layers = homing_guide::build(&goal, &call).expect("an estimate for goals");
    let initial = space.layout().pack(&space.system().initial());
    let estimate = layers.instance().estimate(&initial, None);
    (estimate != DEAD_END).then_some(estimate)
}

/// Endless loops take their million rounds in every state. A planner knows
/// neither steps of several moves nor moves that wait for all others.
const LEFT_OUT: &[Feature] = &[Feature::Loops, Feature::Atomic, Feature::Timeout];

/// Networks with their goals; those with few features are simple more often.
fn samples(simple: bool) -> impl Strategy<Value = (Network, Vec<Expr>)> {
    let features = SUPPORTED.iter().copied().filter(|feature| !LEFT_OUT.contains(feature));
    let features = if simple { Vec::new() } else { features.collect() };
    networks_with_goals(Knobs { faults: false, ..Knobs::with(&features) }, 4)
}

/// What random networks showed.
#[derive(Default, Debug)]
struct Tally {
    reached: u32,
    never: u32,
    one_more: u32,
    estimated: u32,
}

/// Holds a task against its space.
fn compare(space: &CompiledSpace, tally: &mut Tally) {
    let Ok(task) = task(space) else { return };
    let more = u32::from(task.goal_step);
    let layers = relaxed_layers(space);
    assert_eq!(h_max(&task), layers.map(|layers| layers + more), "{:?}\n{task}", space.system());
    let (Ok(steps), Ok(plan)) = (distance_in_space(space), distance_in_task(&task)) else { return };
    assert_eq!(plan, steps.map(|steps| steps + more), "{:?}\n{task}", space.system());
    tally.reached += u32::from(steps.is_some_and(|steps| steps > 0));
    tally.never += u32::from(steps.is_none());
    tally.estimated += u32::from(layers.is_some_and(|layers| layers > 1));
    tally.one_more += more;
}

#[test]
fn differential_distances_and_layers() {
    let mut runner = TestRunner::deterministic();
    let mut tally = Tally::default();
    for turn in 0..1800 {
        let (network, goals) = samples(turn % 3 > 0).new_tree(&mut runner).unwrap().current();
        for goal in goals {
            let goal = [Wanted::goal(goal)];
            compare(
                &CompiledSpace::new(&network, &goal, Passes::ALL).expect("supported"),
                &mut tally,
            );
        }
    }
    println!("{tally:?}");
    let Tally { reached, never, one_more, estimated } = tally;
    assert!(reached > 50 && never > 50 && one_more > 50 && estimated > 10, "{tally:?}");
}

fn space_of(text: &str, goal: &str, passes: Passes) -> CompiledSpace {
    let language = &homing_lang::dve::LANGUAGE;
    let parsed = (language.parse)("model", text, &homing_lang::Settings::default());
    assert!(parsed.usable());
    let mut network = parsed.network;
    let goal = (language.expression)(&mut network, goal, "goal").expect("a goal");
    CompiledSpace::new(&network, &[Wanted::goal(goal)], passes).expect("supported")
}

const SWITCH: &str = "
    byte x;
    process P { state off, on; init off;
        trans off -> on { guard x == 2; effect x = 0; }, off -> off { guard x < 2; effect x = x + 1; };
    }
    system async;";

#[test]
fn the_text_is_what_fast_downward_reads() {
    let space = space_of(SWITCH, "P.on", Passes::ALL);
    let text = task(&space).unwrap().to_string();
    let expected = "\
begin_version
3
end_version
begin_metric
0
end_metric
2
begin_variable
x
-1
3
Atom x(0)
Atom x(1)
Atom x(2)
end_variable
begin_variable
P
-1
2
Atom P(0)
Atom P(1)
end_variable
0
begin_state
0
0
end_state
begin_goal
1
1 1
end_goal
3
begin_operator
step 1
1
1 0
1
0 0 0 1
1
end_operator
begin_operator
step 1 #2
1
1 0
1
0 0 1 2
1
end_operator
begin_operator
step 0
0
2
0 1 0 1
0 0 2 0
1
end_operator
0
";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(String::from).collect();
        lines.sort();
        lines
    };
    // Neither the order of operators nor that of effects matters.
    assert_eq!(sorted(&text), sorted(expected), "{text}");
    let head = |text: &str| text.split("begin_operator").next().unwrap().to_string();
    assert_eq!(head(&text), head(expected));
}

#[test]
fn a_disjunction_is_one_more_step() {
    let task = task(&space_of(SWITCH, "P.on or x == 1", Passes::ALL)).unwrap();
    assert!(task.goal_step);
    assert_eq!(distance_in_task(&task), Ok(Some(2)));
}

#[test]
fn what_is_not_simple_is_refused() {
    let refused = |text: &str, goal: &str, blame: Blame, why: &str| {
        let not_simple = task(&space_of(text, goal, Passes::NONE)).unwrap_err();
        assert_eq!((not_simple.blame, not_simple.why), (blame, why), "{text}");
    };
    refused(
        "process P { state a, b; init a; commit b; trans a -> b {}; } system async;",
        "P.b",
        Blame::System,
        "committed locations forbid steps of others",
    );
    refused(
        "byte a[2]; byte i; process P { state s; init s; trans s -> s { effect a[i] = 1, i = i + 1; }; }
         system async;",
        "a[0] == 1",
        Blame::Step(0),
        "it may fail with a run-time error",
    );
    refused(
        "int x, y, z; process P { state s; init s; trans s -> s { effect x = x * y + z, y = y + z, z = z + 3; }; }
         system async;",
        "x == 77",
        Blame::Step(0),
        "it computes with too many values",
    );
}
