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

use homing_report::Verdict;
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_witness::Claim;

use super::{Check, Questions};
use crate::question::{Event, Need, Question, Sought};
use crate::terms::asks_for_deadlock;

/// Why something that was found is no answer.
const SPURIOUS: &str = "a run was found among zones that has no delays: clocks stop in this \
     model, and zones over-approximate what they show";

const DEADLOCKS: &str = "clocks stop in this model, and zones, which over-approximate what they \
     show, cannot tell deadlocks";

const VALUES: &str = "clocks stop in this model, and zones, which over-approximate what they \
     show, cannot tell greatest and least values";

impl Check<'_> {
    /// Why a question is not decided, if it is not.
    pub(super) fn undecided(&self, question: &dyn Question) -> Option<&'static str> {
        let network = &self.model.network;
        if !network.has_stopwatches() {
            return None;
        }
        match (question.need(network), question.claim()) {
            (Need::State(Sought { event: Event::Deadlock, .. }), _) => Some(DEADLOCKS),
            (Need::State(_), Some(Claim::Goal(goal, ..))) => {
                asks_for_deadlock(goal).then_some(DEADLOCKS)
            }
            (Need::Others, _) => Some(VALUES),
            _ => None,
        }
    }

    /// Notes the questions that are not decided.
    pub(super) fn leave_undecided(&mut self, questions: Questions) {
        for (index, question) in questions.iter().enumerate() {
            let why = self.undecided(&**question).map(|why| (index, why.to_owned()));
            self.unsearched.extend(why);
        }
    }
}

/// What is said where something was found that has no delays.
pub(super) fn spurious(question: &dyn Question, statistics: Statistics) -> PropertyOutcome {
    PropertyOutcome::new(question.name(), Verdict::Unknown, SPURIOUS, statistics)
}
