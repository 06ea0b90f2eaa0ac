//! No state is without a step.

use std::sync::Arc;

use homing_core::catalogue::Row;
use homing_ir::Network;
use homing_witness::Claim;

use super::{Build, Event, Need, Question, Sought, row};

pub(super) const ROW: Row<Build> =
    row("deadlock", "no state is without a step", &[], |_, _| Ok(Arc::new(Deadlock)));

#[derive(Debug)]
struct Deadlock;

impl Question for Deadlock {
    fn name(&self) -> &str {
        ROW.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::State(Sought::of(Event::Deadlock))
    }

    fn claim(&self) -> Option<Claim<'_>> {
        Some(Claim::Deadlock)
    }
}
