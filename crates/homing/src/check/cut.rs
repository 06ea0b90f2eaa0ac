//! What a step that fails cuts off.
//!
//! A step that fails leads to no state, so what a program would do behind it was not
//! searched. Where such a step was met, nothing else is said to hold (or not to be
//! reachable): what was looked for may lie behind it.
//!
//! | what failed | where nothing was found |
//! |---|---|
//! | a step, by a run-time error | unknown |
//! | a step, by an assertion, in a language in which nothing lies behind it | unknown |
//! | an assertion of Promela, beside which the process goes on | as if nothing had failed |
//! | a step of a process that slicing has left out | as if nothing had failed: whatever it does, it does not bear on the goal |
//! | a step met by another search, where an estimate has proven some states to be dead ends | unknown |
//! | what is asked, in some state: an index, a division | unknown |
//! | the same, perhaps, in a dead end of an estimate, which knows nothing of that | unknown |

use homing_ir::Network;
use homing_ir::flatten::asserts;
use homing_ir::network::{Expr, Guard};
use homing_ir::source::Span;
use homing_report::outcome::{PropertyOutcome, Verdict};
use homing_space::CompiledSpace;

use super::Check;
use super::gather::Search;
use crate::load::Model;
use crate::question::asserts_in_effects;
use crate::run::Ran;

/// What is not known behind a step that fails.
const BY_ERROR: &str =
    "a step fails by a run-time error, and what would lie behind it was not searched";
const BY_ASSERTION: &str =
    "a step fails by an assertion, and what would lie behind it was not searched";

/// Why what was not found may still be there, where it cannot be asked everywhere.
const NOT_EVALUATED: &str =
    "what it asks cannot be evaluated in some state: that would be a run-time error";
const PERHAPS_NOT_EVALUATED: &str = "an estimate has proven some states to be dead ends, but not \
     that what is asked can be evaluated there; a search without an estimate can tell";

/// Why nothing is known of conditions that no state was found for: one of them cannot be
/// evaluated in a state that was met, or perhaps in one that an estimate has left out.
pub(super) fn unevaluated(
    space: &CompiledSpace,
    conditions: u64,
    ran: Option<&Ran>,
) -> Option<&'static str> {
    if space.unevaluated() & conditions != 0 {
        return Some(NOT_EVALUATED);
    }
    let left_out = ran.is_some_and(Ran::leaves_out);
    let mut asked = (0..64).filter(|bit| conditions >> bit & 1 == 1);
    let perhaps = left_out && asked.any(|bit| space.may_be_unevaluated(bit));
    perhaps.then_some(PERHAPS_NOT_EVALUATED)
}

/// The model without the steps that fail by an assertion, where something goes on beside
/// each: for searches that do not ask for assertions. Edges keep their numbers.
pub(super) fn without_assertions(model: &Model) -> Option<Network> {
    if !model.language.goes_on || !asserts_in_effects(&model.network) {
        return None;
    }
    let mut network = model.network.clone();
    let edges = network.processes.iter_mut().flat_map(|process| &mut process.edges);
    for edge in edges {
        if edge.branches.iter().any(|branch| asserts(&branch.effect)) {
            edge.guard = Guard::When(Expr::int(0, Span::default()));
        }
    }
    Some(network)
}

impl Check<'_> {
    /// The model, for searches that do not ask for assertions.
    pub(super) fn quiet(&self) -> &Network {
        self.without_assertions.as_ref().unwrap_or(&self.model.network)
    }

    /// Why what was not found may still be there, after a search that met steps that
    /// fail. Remembers that there are some.
    pub(super) fn cut_off(&mut self, faults: u64, by_assertion: bool) -> Option<&'static str> {
        self.failing |= faults > 0 || by_assertion;
        match (faults, by_assertion) {
            (0, false) => None,
            (0, true) => Some(BY_ASSERTION),
            _ => Some(BY_ERROR),
        }
    }

    /// The same of a search for several properties.
    pub(super) fn cut_off_by(&mut self, search: &Search, ran: &Ran) -> Option<&'static str> {
        let found = &ran.outcome.findings.conditions;
        let by_assertion = |bit: usize| found.get(bit).is_some_and(Option::is_some);
        self.cut_off(ran.outcome.statistics.faults, search.trap.is_some_and(by_assertion))
    }

    /// Takes back what rests on dead ends of an estimate, where some step fails: perhaps
    /// one behind them.
    pub(super) fn retract(&self, index: usize, outcome: &mut PropertyOutcome) {
        if self.failing && self.estimated.contains(&index) && outcome.trace.is_none() {
            outcome.verdict = Verdict::Unknown;
            outcome.reason = BY_ERROR.into();
        }
    }
}
