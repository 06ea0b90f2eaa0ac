//! What is not decided where clocks stop.
//!
//! Zones then hold more than what is reached (`homing_space::zones`). What is not found
//! among them is not there, and what is found counts only once it has delays. Where the
//! answer rests on something that cannot happen, or on a value of a clock, zones that
//! are too large say nothing:
//!
//! | asked for | answer |
//! |---|---|
//! | states, run-time errors | holds or not, or unknown where what was found has no delays |
//! | deadlocks, also within a goal | unknown |
//! | `sup`, `inf` | unknown |
//! | runs that go on for ever | unknown (`zones::within`) |

use homing_ir::network::{Expr, ExprKind, PropertyKind};
use homing_report::outcome::{PropertyOutcome, Statistics};

use super::Check;
use super::verdicts::not_searched;
use crate::properties::{Kind, Property};

/// Why something that was found is no answer.
const SPURIOUS: &str = "a run was found among zones that has no delays: clocks stop in this \
     model, and zones over-approximate what they show";

const DEADLOCKS: &str = "clocks stop in this model, and zones, which over-approximate what they \
     show, cannot tell deadlocks";

const VALUES: &str = "clocks stop in this model, and zones, which over-approximate what they \
     show, cannot tell greatest and least values";

impl Check<'_> {
    /// Why a property is not decided, if it is not.
    pub(super) fn undecided(&self, property: &Property) -> Option<&'static str> {
        if !self.model.network.has_stopwatches() {
            return None;
        }
        match &property.kind {
            Kind::Deadlock => Some(DEADLOCKS),
            Kind::Goal(goal, _) | Kind::Reachable(goal, _) => {
                asks_for_deadlock(goal).then_some(DEADLOCKS)
            }
            Kind::Query(PropertyKind::Extreme { .. }) => Some(VALUES),
            _ => None,
        }
    }

    /// Notes the properties that are not decided.
    pub(super) fn leave_undecided(&mut self, properties: &[Property]) {
        for (index, property) in properties.iter().enumerate() {
            let why = self.undecided(property).map(|why| (index, why.to_owned()));
            self.unsearched.extend(why);
        }
    }
}

/// What is said where something was found that has no delays.
pub(super) fn spurious(property: &Property, statistics: Statistics) -> PropertyOutcome {
    PropertyOutcome { statistics, reason: SPURIOUS.into(), ..not_searched(property, None) }
}

fn asks_for_deadlock(expr: &Expr) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &expr.kind {
            ExprKind::Deadlock => return true,
            ExprKind::Unary(_, operand) => open.push(operand),
            ExprKind::Binary(_, left, right) => open.extend([left.as_ref(), right.as_ref()]),
            ExprKind::Choose(a, b, c) => open.extend([a.as_ref(), b.as_ref(), c.as_ref()]),
            _ => {}
        }
    }
    false
}
