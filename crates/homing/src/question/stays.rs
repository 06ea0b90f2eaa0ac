//! Queries about runs: `E[] p`, `A<> p` and `p --> q`.
//!
//! | query | is the same as |
//! |---|---|
//! | `E[] p` | some maximal run never leaves p |
//! | `A<> p` | none never leaves not p |
//! | `p --> q` | none that starts in a reachable state with p never leaves not q |

use homing_ir::Network;
use homing_ir::interp::Staying;
use homing_ir::network::Expr;
use homing_report::Verdict;

use super::{Need, Question, with_opposite};
use crate::terms::negation;

/// A run that never leaves a condition.
#[derive(Debug)]
pub(super) struct Stays {
    name: String,
    holds: Expr,
    /// Whether that counts as holding which cannot be evaluated.
    on_failure: bool,
    /// It starts with this, in any reachable state; else in the initial one.
    first: Option<Expr>,
    found: Verdict,
}

impl Stays {
    /// `E[] p`.
    pub(super) fn persistent(name: &str, p: &Expr) -> Stays {
        let (name, holds) = (name.into(), p.clone());
        Stays { name, holds, on_failure: false, first: None, found: Verdict::Holds }
    }

    /// `A<> p`, or `first --> p`.
    pub(super) fn inevitable(name: &str, first: Option<&Expr>, p: &Expr) -> Stays {
        let (name, holds) = (name.into(), negation(p.clone()));
        let first = first.cloned();
        Stays { name, holds, on_failure: true, first, found: Verdict::Violated }
    }
}

impl Question for Stays {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        let Stays { holds, on_failure, first, .. } = self;
        let (on_failure, first) = (*on_failure, first.as_ref());
        Need::Stay(Staying { holds, on_failure, from: 0, first, ends: false })
    }

    fn verdicts(&self) -> (Verdict, Verdict) {
        with_opposite(self.found)
    }
}
