//! How many states satisfy an expression.

use std::sync::Arc;

use homing_core::catalogue::{Parameter, Row};
use homing_ir::Network;
use homing_ir::flatten::Wanted;
use homing_ir::network::Expr;
use homing_report::Verdict;
use homing_report::outcome::{PropertyOutcome, ValueOutcome};

use super::read::{parsed, text_of};
use super::{Build, Need, Question, row};
use crate::check::{Answer, Check, Counted};
use crate::run::UsageError;

pub(super) const ROW: Row<Build> = row(
    "count",
    "how many reachable states satisfy an expression",
    &[Parameter { name: "of", about: "an expression in the model's own language", default: "" }],
    |model, call| {
        if model.network.is_timed() {
            let sentence = "with clocks there is no number of states to count";
            return Err(UsageError::Sentence(sentence.into()));
        }
        let (expr, _) = parsed(model, &text_of(call)?, "<count>")?;
        Ok(Arc::new(Count { name: call.to_string(), expr }))
    },
);

#[derive(Debug)]
struct Count {
    name: String,
    expr: Expr,
}

impl Question for Count {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::Others
    }

    fn compose(&self, check: &mut Check) -> Result<Answer, UsageError> {
        let wanted = Wanted::goal(self.expr.clone());
        let Counted { states, stopped, statistics } = check.count(wanted)?;
        let exact = ValueOutcome::exact(&self.name, states as i64, "states");
        let (verdict, reason, value) = match stopped {
            None => (Verdict::Holds, format!("{states} of all reachable states"), exact),
            Some(why) => {
                let reason = format!("at least {states} states: {why}");
                let most = None;
                let value = ValueOutcome { most, attained: false, ..exact };
                (Verdict::Unknown, reason, value)
            }
        };
        let outcome = PropertyOutcome::new(&self.name, verdict, reason, statistics);
        Ok(Answer { outcome: PropertyOutcome { values: vec![value], ..outcome }, trace: None })
    }
}
