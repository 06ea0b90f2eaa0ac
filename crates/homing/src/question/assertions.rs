//! No assertion is ever false.

use std::sync::Arc;

use homing_core::catalogue::Row;
use homing_ir::flatten::{Wanted, asserts};
use homing_ir::network::{Binary, Expr, ExprKind, LocationId, ProcessId};
use homing_ir::source::Span;
use homing_ir::{Network, balanced};
use homing_report::Verdict;
use homing_witness::Claim;

use super::{Build, Event, Need, Question, Sought, row};
use crate::terms::{join, negation};

pub(super) const ROW: Row<Build> =
    row("assertions", "no assertion is ever false", &[], |_, _| Ok(Arc::new(Assertions)));

#[derive(Debug)]
struct Assertions;

impl Question for Assertions {
    fn name(&self) -> &str {
        ROW.name
    }

    fn need<'q>(&'q self, network: &Network) -> Need<'q> {
        let event = failed_assertion(network).map_or(Event::Never, Event::Condition);
        Need::State(Sought { asserts: true, ..Sought::of(event) })
    }

    fn claim(&self) -> Option<Claim<'_>> {
        Some(Claim::Assertion)
    }

    /// A model that asserts nothing violates no assertion.
    fn unsearched(&self, why: Option<&str>) -> (Verdict, String) {
        match why {
            None => (Verdict::Holds, "the model asserts nothing".into()),
            Some(why) => (Verdict::Unknown, why.into()),
        }
    }
}

/// Some assertion is false: a process is at a location, and what must hold there does
/// not, or a step failed by an assertion in its effects. `None` where the model asserts
/// nothing.
pub(crate) fn failed_assertion(network: &Network) -> Option<Wanted> {
    let mut failures = Vec::new();
    for (id, process) in network.system_processes() {
        for (index, location) in process.locations.iter().enumerate() {
            for assertion in &location.assertions {
                failures.push(fails_at(id, LocationId(index as u32), assertion));
            }
        }
    }
    let either = |a: Expr, b: Expr| join(Binary::Or, a, b);
    let expr = balanced(failures, either);
    let assertions = asserts_in_effects(network);
    let nothing = assertions.then(|| Expr::int(0, Span::default()));
    expr.or(nothing).map(|expr| Wanted { expr, holds_on_failure: true, assertions })
}

/// A step failed by an assertion in its effects.
pub(crate) fn failed_step() -> Wanted {
    Wanted { assertions: true, ..Wanted::goal(Expr::int(0, Span::default())) }
}

/// Whether steps may fail by assertions.
pub(crate) fn asserts_in_effects(network: &Network) -> bool {
    let edges = network.system_processes().flat_map(|(_, process)| &process.edges);
    edges.flat_map(|edge| &edge.branches).any(|branch| asserts(&branch.effect))
}

fn fails_at(process: ProcessId, location: LocationId, assertion: &Expr) -> Expr {
    let span = assertion.span;
    let there = Expr::new(ExprKind::At(process, location), span);
    join(Binary::And, there, negation(assertion.clone()))
}
