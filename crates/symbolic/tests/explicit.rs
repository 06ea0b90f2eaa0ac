//! Sets of states against states one by one, on random networks: the same states in the
//! same layers, the same deadlocks, failing steps and goals, and steps backwards from every
//! state to just those it is a successor of.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;

use homing_budget::Budget;
use homing_ir::Network;
use homing_ir::flatten::Wanted;
use homing_ir::network::Expr;
use homing_ir::passes::Passes;
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_space::CompiledSpace;
use homing_symbolic::bidirectional::{Turns, bidirectional};
use homing_symbolic::chaining::chaining;
use homing_symbolic::density::density;
use homing_symbolic::hints::hints;
use homing_symbolic::reach::{Outcome, Sought, Which, breadth};
use homing_symbolic::splitting::splitting;
use homing_symbolic::{Encoding, Order, Set, Steps, Trouble};
use proptest::prelude::*;
use support::{Explored, explore, knobs, members};

fn compare(
    network: &Network,
    goal: &Expr,
    passes: Passes,
    order: Order,
) -> Result<(), TestCaseError> {
    let space = CompiledSpace::new(network, &[Wanted::goal(goal.clone())], passes);
    let space = space.expect("a supported network");
    let Some(all) = explore(&space) else { return Ok(()) };
    let encoding = Encoding::new(space.prepared(), order, Budget::default(), 1 << 28);
    let encoding = match encoding {
        Ok(encoding) => encoding,
        Err(Trouble::Refused(..)) => return Ok(()),
        Err(stopped) => panic!("{stopped:?}"),
    };
    let steps = match Steps::new(&encoding) {
        Ok(steps) => steps,
        Err(Trouble::Refused(..)) => return Ok(()),
        Err(stopped) => panic!("{stopped:?}"),
    };
    let (goals, unevaluated) = encoding.condition(0).unwrap();
    let explored = breadth(&steps, &Sought::default(), &mut |_| Ok(()));
    prop_assert_eq!(explored.stopped, None);
    let of = |set: &Set| members(&encoding, &space, &all, set);
    let which = |holds: &dyn Fn(&Explored) -> bool| -> BTreeSet<usize> {
        (0..all.len()).filter(|number| holds(&all[*number])).collect()
    };
    prop_assert_eq!(encoding.count(&explored.reached), all.len() as u128);
    for (depth, layer) in explored.layers.iter().enumerate() {
        prop_assert_eq!(of(layer), which(&|one| one.depth == depth), "layer {}", depth);
    }
    let everywhere = chaining(&steps, &Sought::default(), &mut |_| Ok(()));
    prop_assert!(everywhere.reached == explored.reached, "chaining");
    prop_assert_eq!(
        of(&steps.stuck(&explored.reached).unwrap()),
        which(&|one| one.deadlock),
        "deadlocks"
    );
    prop_assert_eq!(of(&explored.failing), which(&|one| one.fails), "failing");
    prop_assert!(everywhere.failing == explored.failing);
    prop_assert_eq!(of(&goals), which(&|one| one.goal), "goals");
    prop_assert!(encoding.diagrams().and(&goals, &unevaluated).unwrap().is_empty());
    backwards(&space, &all, &steps, &explored.reached)?;
    found(&all, &steps, &goals, &of)
}

/// From some states backwards.
fn backwards(
    space: &CompiledSpace,
    all: &[Explored],
    steps: &Steps,
    reached: &Set,
) -> Result<(), TestCaseError> {
    let (encoding, d) = (steps.encoding(), steps.encoding().diagrams());
    let fields = &space.layout().fields;
    for number in (0..all.len()).step_by(all.len().div_ceil(8)) {
        let mut left = reached.clone();
        // The one state, cut out of all by picking.
        let one = loop {
            let picked = encoding.pick(&left);
            let only = encoding.state(&picked).unwrap();
            let same = fields
                .iter()
                .zip(&picked)
                .all(|(field, value)| field.get(&all[number].words) == *value);
            if same {
                break only;
            }
            left = d.minus(&left, &only).unwrap();
        };
        let before = d.and(&steps.previous(&one).unwrap(), reached).unwrap();
        let expected: BTreeSet<usize> =
            (0..all.len()).filter(|other| all[*other].successors.contains(&number)).collect();
        prop_assert_eq!(members(encoding, space, all, &before), expected, "before {}", number);
    }
    Ok(())
}

/// What is found, as near as it is, by ways that exist.
fn found(
    all: &[Explored],
    steps: &Steps,
    goals: &Set,
    of: &dyn Fn(&Set) -> BTreeSet<usize>,
) -> Result<(), TestCaseError> {
    let sought = Sought { states: vec![goals.clone()], deadlock: true, fault: true, whole: false };
    let outcome = breadth(steps, &sought, &mut |_| Ok(()));
    type Holds = fn(&Explored) -> bool;
    let each: [(Which, Holds); 3] = [
        (Which::State(0), |one| one.goal),
        (Which::Deadlock, |one| one.deadlock),
        (Which::Fault, |one| one.fails),
    ];
    for (which, holds) in each {
        let nearest = all.iter().filter(|one| holds(one)).map(|one| one.depth).min();
        let corridor = outcome.found.iter().find(|(found, _)| *found == which);
        prop_assert_eq!(corridor.map(|(_, sets)| sets.len() - 1), nearest, "{:?}", which);
        let Some((_, corridor)) = corridor else { continue };
        walk(all, corridor, holds, of)?;
    }
    for turns in [Turns::Backward, Turns::Smaller, Turns::Enlarge(0), Turns::Enlarge(20)] {
        for whole in [false, true] {
            let sought = Sought { whole, ..sought.clone() };
            let met = bidirectional(steps, &sought, turns, &mut |_| Ok(()));
            for (which, holds) in each {
                let nearest = all.iter().filter(|one| holds(one)).map(|one| one.depth).min();
                let corridor = met.found.iter().find(|(found, _)| *found == which);
                let length = corridor.map(|(_, sets)| sets.len() - 1);
                prop_assert_eq!(length, nearest, "{:?} {:?}", which, turns);
                if let Some((_, corridor)) = corridor {
                    walk(all, corridor, holds, of)?;
                }
            }
        }
    }
    type Search<'s> = Box<dyn Fn(&Sought) -> Outcome + 's>;
    let partial: [Search; 5] = [
        Box::new(|sought| hints(steps, sought, &mut |_| Ok(()))),
        Box::new(|sought| chaining(steps, sought, &mut |_| Ok(()))),
        Box::new(|sought| density(steps, sought, 1, &mut |_| Ok(()))),
        Box::new(|sought| density(steps, sought, 12, &mut |_| Ok(()))),
        Box::new(|sought| splitting(steps, sought, 8, &mut |_| Ok(()))),
    ];
    for search in partial {
        let outcome = search(&sought);
        for (which, holds) in each {
            let corridor = outcome.found.iter().find(|(found, _)| *found == which);
            prop_assert_eq!(corridor.is_some(), all.iter().any(holds), "{:?}", which);
            if let Some((_, corridor)) = corridor {
                walk(all, corridor, holds, of)?;
            }
        }
        let everything = search(&Sought::default());
        prop_assert_eq!(of(&everything.reached).len(), all.len());
        prop_assert_eq!(steps.encoding().count(&everything.reached), all.len() as u128);
    }
    Ok(())
}

/// A way can be walked, whichever step into its next set is taken first.
fn walk(
    all: &[Explored],
    corridor: &[Set],
    holds: impl Fn(&Explored) -> bool,
    of: &dyn Fn(&Set) -> BTreeSet<usize>,
) -> Result<(), TestCaseError> {
    let mut at = 0;
    prop_assert!(of(&corridor[0]).contains(&0));
    for set in &corridor[1..] {
        let members = of(set);
        let next = all[at].successors.iter().find(|next| members.contains(next));
        prop_assert!(next.is_some(), "the way ends early");
        at = *next.unwrap();
    }
    prop_assert!(holds(&all[at]));
    Ok(())
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn everything_with_errors((network, goals) in networks_with_goals(knobs(true), 1)) {
        compare(&network, &goals[0], Passes::NONE, Order::Declared)?;
        compare(&network, &goals[0], Passes::COUNTING, Order::Force)?;
    }

    #[test]
    fn everything_without_errors((network, goals) in networks_with_goals(knobs(false), 1)) {
        compare(&network, &goals[0], Passes::NONE, Order::Force)?;
        compare(&network, &goals[0], Passes::ALL, Order::Declared)?;
    }

    #[test]
    fn the_plain_core((network, goals) in networks_with_goals(Knobs::default(), 1)) {
        compare(&network, &goals[0], Passes::ALL, Order::Force)?;
    }
}
