//! What is said where nothing was found, or nothing searched for.

use homing_report::outcome::{PropertyOutcome, Statistics, Verdict};
use homing_report::style::counted;

use crate::properties::{Kind, Property};
use crate::run::Ran;

/// Why a question is not answered that no search is made for.
const INFINITE: &str = "a property of infinite runs, which this version cannot check";

/// Why nothing found means that there is nothing.
pub(super) fn exhausted(ran: &Ran) -> String {
    match ran.outcome.statistics.dead_ends {
        _ if ran.reduced.is_some_and(|reduced| reduced > 0) => {
            "all states were searched that partial-order reduction leaves".into()
        }
        _ if ran.proved => "the estimate proves by abstraction that it cannot be reached".into(),
        0 => "all reachable states were searched".into(),
        ends => {
            let ends = counted(ends, "dead end");
            format!(
                "all reachable states were searched, but behind {ends} that the estimate proves"
            )
        }
    }
}

/// The verdict of a property that no search was made for: a model that asserts
/// nothing violates no assertion.
pub(super) fn not_searched(property: &Property, why: Option<&str>) -> PropertyOutcome {
    let (verdict, reason) = match &property.kind {
        Kind::Assertions if why.is_none() => (Verdict::Holds, "the model asserts nothing"),
        Kind::Unreadable(unreadable) => (Verdict::Unknown, &**unreadable),
        _ => (Verdict::Unknown, why.unwrap_or(INFINITE)),
    };
    PropertyOutcome {
        property: property.name.clone(),
        verdict,
        reason: reason.into(),
        optimal: false,
        at_least: None,
        trace: None,
        different: None,
        statistics: Statistics::default(),
    }
}
