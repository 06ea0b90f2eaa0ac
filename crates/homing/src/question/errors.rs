//! No step fails.

use std::sync::Arc;

use homing_core::catalogue::Row;
use homing_ir::Network;
use homing_witness::Claim;

use super::{Build, Event, Need, Question, Sought, row};

pub(super) const ROW: Row<Build> =
    row("errors", "no step fails by a run-time error", &[], |_, _| Ok(Arc::new(Errors)));

#[derive(Debug)]
struct Errors;

impl Question for Errors {
    fn name(&self) -> &str {
        ROW.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::State(Sought::of(Event::Fault))
    }

    fn claim(&self) -> Option<Claim<'_>> {
        Some(Claim::Error)
    }

    fn undirected(&self) -> String {
        "run-time errors are steps that fail, not states that an estimate could lead to; \
         give a `--goal`, or another strategy"
            .into()
    }
}
