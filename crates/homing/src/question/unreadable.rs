//! What is written in the model and cannot be asked: a result all the same.

use homing_ir::Network;
use homing_report::Verdict;

use super::{Need, Question};

/// A property that nobody can check, and why.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub name: String,
    pub why: String,
}

impl Question for Unreadable {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::Nothing
    }

    fn unsearched(&self, _: Option<&str>) -> (Verdict, String) {
        (Verdict::Unknown, self.why.clone())
    }
}
