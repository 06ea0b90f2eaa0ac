//! The perimeter against exact distances: where the ground form is exact, near
//! the goal so is the perimeter.

use std::cell::{Cell, RefCell};

use homing_core::expression::{Call, parse};
use homing_core::{Cost, DEAD_END};
use homing_guide::ground::Ground;
use homing_guide::{Goal, build};
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, networks_with_goals};
use homing_lang::by_extension;
use homing_space::CompiledSpace;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use crate::exact::Explored;

fn call(expression: &str) -> Call {
    parse(expression).unwrap().as_call().unwrap().clone()
}

/// Whether the ground form allows exactly the steps of the system.
fn is_exact(space: &CompiledSpace) -> bool {
    let ground = Ground::of(space.prepared(), &space.system().conditions[0].term).split(64);
    ground.goals_exact
        && ground.operators.iter().all(|operator| operator.exact)
        && !space.system().has_commitment()
}

#[test]
fn oracle_exact_ground_forms() {
    const DEPTH: Cost = 3;
    let (exact, proved) = (Cell::new(0), Cell::new(0));
    let knobs = Knobs { faults: false, ..Knobs::default() };
    let config = ProptestConfig { cases: 300, max_shrink_iters: 300, ..ProptestConfig::default() };
    let check = |space: &CompiledSpace| -> Result<(), TestCaseError> {
        let Some(explored) = Explored::of(space, 2000) else { return Ok(()) };
        let notices = RefCell::default();
        let goal = Goal::condition(space.prepared(), space, 0, &notices);
        let wanted: Vec<bool> =
            explored.conditions.iter().map(|holding| holding & 1 == 1).collect();
        let distances = explored.distances(&wanted, &|_| 1, None);
        let near = build(&goal, &call("perimeter(depth=3)")).unwrap();
        let all = build(&goal, &call("perimeter(depth=100000, most=20000)")).unwrap();
        let (mut near, mut all) = (near.instance(), all.instance());
        let cut = notices.borrow().iter().any(|notice| notice.contains("steps back instead of"));
        for (state, distance) in explored.states.iter().zip(distances) {
            let estimate = near.estimate(state, None);
            if estimate != DEAD_END && !cut {
                prop_assert_eq!(estimate, distance.unwrap_or(DEAD_END).min(DEPTH + 1));
            } else if estimate == DEAD_END {
                prop_assert_eq!(distance, None);
            }
            if !cut {
                prop_assert_eq!(all.estimate(state, None), distance.unwrap_or(DEAD_END));
                proved.set(proved.get() + usize::from(distance.is_none()));
            }
        }
        exact.set(exact.get() + 1);
        Ok(())
    };
    let result = TestRunner::new(config).run(&networks_with_goals(knobs, 1), |(network, goals)| {
        let wanted = [Wanted::goal(goals[0].clone())];
        let space = CompiledSpace::new(&network, &wanted, Passes::ALL).unwrap();
        if is_exact(&space) { check(&space) } else { Ok(()) }
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(exact.get() > 30, "only {} ground forms are exact", exact.get());
    assert!(proved.get() > 30, "only {} dead ends", proved.get());
}

/// Counters that go up and down; the goal is both at their ends.
const COUNTERS: &str = "
byte x; byte y;
process A { state s; init s; trans
  s -> s { guard x < 9; effect x = x + 1; },
  s -> s { guard x > 0; effect x = x - 1; };
}
process B { state s; init s; trans
  s -> s { guard y < 9; effect y = y + 1; },
  s -> s { guard y > 0; effect y = y - 1; };
}
system async;
";

fn counters(goal: &str) -> CompiledSpace {
    let language = by_extension("dve").unwrap();
    let mut network =
        (language.parse)("counters", COUNTERS, &homing_lang::Settings::default()).network;
    let expr = (language.expression)(&mut network, goal, "goal").unwrap();
    CompiledSpace::new(&network, &[Wanted::goal(expr)], Passes::ALL).unwrap()
}

#[test]
fn the_perimeter_is_where_it_should_be() {
    let space = counters("x == 9 && y == 9");
    let explored = Explored::of(&space, 1000).unwrap();
    let notices = RefCell::default();
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    for depth in [1, 4, 7] {
        let perimeter = build(&goal, &call(&format!("perimeter(depth={depth})"))).unwrap();
        let mut perimeter = perimeter.instance();
        let mut seen = vec![0; depth as usize + 2];
        for state in &explored.states {
            seen[perimeter.estimate(state, None) as usize] += 1;
        }
        let inside = (0..=depth as usize).map(|steps| steps + 1);
        let outside = 100 - inside.clone().sum::<usize>();
        assert_eq!(seen, inside.chain([outside]).collect::<Vec<_>>(), "{depth}");
    }
    assert_eq!(notices.borrow().len(), 0, "{:?}", notices.borrow());
}

#[test]
fn too_few_cubes_make_it_smaller() {
    let space = counters("x == 9 && y == 9");
    let notices = RefCell::default();
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    // 1 + 2 + 3 cubes are two steps; the next four are too many.
    let perimeter = build(&goal, &call("perimeter(depth=5, most=8)")).unwrap();
    let mut perimeter = perimeter.instance();
    let initial = space.layout().pack(&space.system().initial());
    assert_eq!(perimeter.estimate(&initial, None), 3);
    let text = notices.borrow().join("\n");
    assert!(text.contains("goes 2 steps back instead of 5"), "{text}");
}

#[test]
fn nonsense_is_refused() {
    let space = counters("x == 9 || y == 9");
    let notices = RefCell::default();
    let goal = Goal::condition(space.prepared(), &space, 0, &notices);
    for wrong in ["perimeter(depth=0)", "perimeter(most=0)", "perimeter(most=1)", "perimeter(3)"] {
        assert!(build(&goal, &call(wrong)).is_err(), "{wrong}");
    }
}

/// An expression that never holds: nothing leads to it.
#[test]
fn an_empty_goal_is_a_dead_end() {
    let space = counters("x == 9 && x == 3");
    let notices = RefCell::default();
    let perimeter =
        build(&Goal::condition(space.prepared(), &space, 0, &notices), &call("perimeter")).unwrap();
    let initial = space.layout().pack(&space.system().initial());
    assert_eq!(perimeter.instance().estimate(&initial, None), DEAD_END);
}
