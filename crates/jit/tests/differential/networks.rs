//! Random networks, flattened: every function that is compiled for them.

use homing_ir::System;
use homing_ir::flatten::{SUPPORTED, Wanted, flatten};
use homing_ir::network::{Expr, Network};
use homing_ir::passes::{self, Passes};
use homing_ir::random::{Knobs, config, networks_with_goals};
use homing_ir::system::{Interval, SlotId};
use homing_ir::wellformed::Feature;
use proptest::prelude::*;

use crate::comparison::Comparison;

/// How slots are laid out.
#[derive(Clone, Copy, Debug)]
enum Layouts {
    /// By their ranges.
    Narrow,
    /// With some bits more each, so that fields and arrays begin elsewhere.
    Uneven,
    /// One a word, so that states are longer than registers go and every array takes
    /// several words.
    Wide,
}

#[test]
fn plain_networks() {
    compare(60, &Knobs::with(&[Feature::Broadcast, Feature::Vectors]));
}

#[test]
fn networks_with_everything() {
    compare(60, &Knobs { polls: true, misuse: true, ..Knobs::with(SUPPORTED) });
}

#[test]
fn networks_that_hold_control() {
    compare(60, &Knobs::with(&[Feature::Atomic, Feature::Else, Feature::Timeout]));
}

#[test]
fn networks_with_loops() {
    compare(30, &Knobs::with(&[Feature::Loops, Feature::Scratch, Feature::Startable]));
}

fn compare(cases: u32, knobs: &Knobs) {
    proptest!(config(cases), |((network, goals) in networks_with_goals(knobs.clone(), 3))| {
        for (passes, layouts) in [
            (Passes::NONE, Layouts::Narrow),
            (Passes::ALL, Layouts::Narrow),
            (Passes::NONE, Layouts::Uneven),
            (Passes::COUNTING, Layouts::Wide),
        ] {
            let system = system(&network, &goals, passes, layouts);
            let compared = Comparison::new(system).run();
            compared.map_err(|error| TestCaseError::fail(format!("{passes:?}, {layouts:?}: {error}")))?;
        }
    });
}

fn system(network: &Network, goals: &[Expr], passes: Passes, layouts: Layouts) -> System {
    let wanted = |(index, expr): (usize, &Expr)| Wanted {
        expr: expr.clone(),
        holds_on_failure: index == 1,
        assertions: index == 2,
    };
    let wanted: Vec<Wanted> = goals.iter().enumerate().map(wanted).collect();
    let mut system = flatten(network, &wanted).expect("a supported network");
    passes::run(&mut system, passes);
    match layouts {
        Layouts::Narrow => {}
        Layouts::Uneven => {
            // No pass has been led by these, so both ways can be had of every network.
            system.sender_first = !system.sender_first;
            system.any_committed = !system.any_committed;
            widen(&mut system, |slot| 1 << (slot * 7 % 30));
        }
        Layouts::Wide => widen(&mut system, |_| 1 << 40),
    }
    system
}

/// Gives every slot but the locations and those that never change more room than its
/// values need.
fn widen(system: &mut System, room: impl Fn(usize) -> i64) {
    let locations: Vec<SlotId> = system.components.iter().map(|one| one.location).collect();
    for (index, slot) in system.slots.iter_mut().enumerate() {
        if !locations.contains(&SlotId(index as u32)) && !slot.range.is_point() {
            slot.range = slot.range.hull(Interval::new(-room(index), room(index)));
        }
    }
}
