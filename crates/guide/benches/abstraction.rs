//! How long an estimate takes to build, and one lookup of it.
//!
//! ```text
//! cargo bench -p homing-guide --bench abstraction -- MODEL GOAL ESTIMATE…
//! ```
//!
//! The lookups are those of a greedy search without a goal: every expansion
//! announces its state, every successor is estimated by its edge.

#![allow(clippy::expect_used)]

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use homing_core::expression::{Expression, parse};
use homing_core::{Batch, DEAD_END, Heuristic, Space, Word};
use homing_guide::{Goal, build};
use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;

/// States expanded for the measurement.
const EXPANDED: usize = 20_000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let [model, goal, estimates @ ..] = &arguments[..] else {
        println!("name a model, a goal and estimates");
        return;
    };
    let space = load(model, goal);
    let notices = RefCell::new(vec![]);
    for text in estimates {
        let Ok(Expression::Call(call)) = parse(text) else { panic!("{text} is no estimate") };
        let start = Instant::now();
        let factory = build(&Goal::condition(space.prepared(), &space, 0, &notices), &call)
            .expect("an estimate that applies");
        let built = start.elapsed();
        let mut estimate = factory.instance();
        let states = states(&space, EXPANDED);
        let initial = estimate.estimate(&states[0], None);
        let (lookups, incremental) = measure(&space, &states, &mut *estimate, true);
        let (_, whole) = measure(&space, &states, &mut *estimate, false);
        println!(
            "{text}: initial {initial}, built in {:.3} s, {} kB; {lookups} lookups, {incremental:.0} \
             ns each, {whole:.0} ns without the edge",
            built.as_secs_f64(),
            estimate.bytes() / 1000,
        );
    }
    notices.borrow().iter().for_each(|notice| println!("{notice}"));
}

fn load(model: &str, goal: &str) -> CompiledSpace {
    let text = std::fs::read_to_string(model).expect("a model");
    let language = homing_lang::dve::LANGUAGE;
    let mut network = (language.parse)(model, &text, &homing_lang::Settings::default()).network;
    let goal = (language.expression)(&mut network, goal, "goal").expect("a goal");
    CompiledSpace::new(&network, &[Wanted::goal(goal)], Passes::ALL).expect("a supported model")
}

/// The first states of a breadth-first exploration.
fn states(space: &CompiledSpace, most: usize) -> Vec<Vec<Word>> {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    expander.initial(&mut batch);
    let mut found = vec![batch.state(0).to_vec()];
    let mut known: std::collections::BTreeSet<Vec<Word>> = found.iter().cloned().collect();
    let mut next = 0;
    while next < found.len() && found.len() < most {
        batch.clear();
        expander.expand(&found[next].clone(), &mut batch);
        next += 1;
        for i in 0..batch.len() {
            if known.insert(batch.state(i).to_vec()) {
                found.push(batch.state(i).to_vec());
            }
        }
    }
    found
}

/// The number of lookups and the nanoseconds of one, expansion apart: the
/// median over the expansions, so that what else the machine does matters
/// little.
fn measure(
    space: &CompiledSpace,
    states: &[Vec<Word>],
    estimate: &mut dyn Heuristic,
    by_edge: bool,
) -> (usize, f64) {
    let mut expander = space.expander();
    let mut batch = Batch::new(space.width());
    let mut lookups = 0;
    let mut nanoseconds = vec![];
    let mut least = DEAD_END;
    for state in states {
        batch.clear();
        expander.expand(state, &mut batch);
        let start = Instant::now();
        if by_edge {
            estimate.expanding(state);
        }
        for i in 0..batch.len() {
            let edge = by_edge.then_some(batch.edge(i));
            least = least.min(estimate.estimate(batch.state(i), edge));
        }
        let elapsed = start.elapsed().as_nanos() as f64;
        nanoseconds.push(elapsed / batch.len().max(1) as f64);
        lookups += batch.len();
    }
    black_box(least);
    nanoseconds.sort_by(f64::total_cmp);
    (lookups, nanoseconds[nanoseconds.len() / 2])
}
