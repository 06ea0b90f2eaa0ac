//! What a run found, as plain data: the objects `--json` prints.
//!
//! The field names are a published interface (`homing schema`). Runs are data of
//! [`homing_witness`], which executed them.

use std::fmt;
use std::ops::AddAssign;

use homing_witness::outcome::TraceOutcome;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `homing check` found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// The seed of everything random.
    pub seed: u64,
    /// How the search was put together.
    pub plan: Plan,
    /// What the user should know of it.
    pub notices: Vec<String>,
    /// One entry a property, in the order they were asked for.
    pub results: Vec<PropertyOutcome>,
    /// What the whole run took.
    pub statistics: Statistics,
    /// Seconds from the model's text to compiled code, before the search.
    pub compile_seconds: f64,
}

/// How a search was put together, in the notation of the command line.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The strategy expression.
    pub strategy: String,
    /// The store expression.
    pub store: String,
    /// The passes that ran over the model.
    pub passes: Vec<String>,
    /// What the planner did, one after the other.
    #[serde(default)]
    pub phases: Vec<String>,
    /// Whether the states that are counted are zones: sets of states that differ
    /// in their clocks only.
    #[serde(default)]
    pub zones: bool,
}

impl Plan {
    /// What is counted.
    pub fn counted(&self) -> &'static str {
        if self.zones { "zone" } else { "state" }
    }
}

/// What was found about one property.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PropertyOutcome {
    /// The property's name, or the text of a goal.
    pub property: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Why that is the verdict.
    pub reason: String,
    /// Whether the trace is proven to be a shortest one, or to cost least.
    pub optimal: bool,
    /// Proven: no trace is shorter than this.
    #[serde(default)]
    pub at_least: Option<u64>,
    /// What was found before anything was made shorter, where the planner searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<First>,
    /// The run that shows a violation; of a state that is to be reached, the run
    /// that reaches it.
    pub trace: Option<TraceOutcome>,
    /// Other runs that do, where they were asked for.
    pub different: Option<DifferentOutcome>,
    /// The numbers that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueOutcome>,
    /// What finding out took.
    pub statistics: Statistics,
}

impl PropertyOutcome {
    /// A verdict and why; without a trace, values and proofs about them.
    pub fn new(
        property: &str,
        verdict: Verdict,
        reason: impl Into<String>,
        statistics: Statistics,
    ) -> PropertyOutcome {
        PropertyOutcome {
            property: property.into(),
            verdict,
            reason: reason.into(),
            optimal: false,
            at_least: None,
            first: None,
            trace: None,
            different: None,
            values: Vec::new(),
            statistics,
        }
    }
}

/// The first run that a search found, before it was made shorter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct First {
    /// The seconds since the check began.
    pub seconds: f64,
    /// The states that were expanded until then.
    pub expanded: u64,
    /// Its steps; of several that were found in one search, of the shortest.
    pub length: u64,
    /// What was proven by then: no run is shorter than this.
    pub at_least: u64,
}

/// A number that was asked for: what is proven of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ValueOutcome {
    /// What it is the value of.
    pub of: String,
    /// Proven: it is not below this.
    pub least: Option<i64>,
    /// Proven: it is not above this. Where both are the same, this is the value.
    pub most: Option<i64>,
    /// Whether the value itself is reached, not only what is as close to it as one likes.
    pub attained: bool,
    /// Whether it is proven to have no bound.
    pub unbounded: bool,
    /// What it is counted in; empty for plain numbers.
    pub unit: String,
}

impl ValueOutcome {
    /// A value of which nothing is known yet.
    pub fn unknown(of: impl Into<String>, unit: &str) -> ValueOutcome {
        let (least, most, attained, unbounded) = (None, None, false, false);
        ValueOutcome { of: of.into(), least, most, attained, unbounded, unit: unit.into() }
    }

    /// A value that is known.
    pub fn exact(of: impl Into<String>, value: i64, unit: &str) -> ValueOutcome {
        let unknown = ValueOutcome::unknown(of, unit);
        ValueOutcome { least: Some(value), most: Some(value), attained: true, ..unknown }
    }
}

/// Counterexamples that differ in more than the order of independent steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DifferentOutcome {
    /// Those beside the first.
    pub others: Vec<OtherOutcome>,
    /// The steps of the first that matter and that no other takes.
    pub only_first: Vec<usize>,
    /// Whether every violation takes all steps that matter in one of these.
    pub complete: bool,
    /// Why no more were looked for.
    pub reason: String,
}

/// Another counterexample.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OtherOutcome {
    /// The run.
    pub trace: TraceOutcome,
    /// Its steps that matter and that none of the others takes, the first
    /// included.
    pub only_here: Vec<usize>,
    /// The steps of the first that matter there and that it does not take.
    pub without: Vec<usize>,
}

/// Whether a property holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does, and everything was looked at.
    Holds,
    /// It does not, and a trace shows it.
    Violated,
    /// Nothing was found, but not everything was looked at.
    Unknown,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Verdict::Holds => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown => "unknown",
        })
    }
}

/// What a search took.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// States stored; of several searches one after the other, by the largest.
    pub stored: u64,
    /// States expanded.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// Work, in successors of a blind search: those generated, and what estimates took. It
    /// is the same in every run.
    #[serde(default)]
    pub work: u64,
    /// Seconds of searching.
    pub seconds: f64,
    /// Bytes of memory at the highest point.
    pub peak_bytes: u64,
    /// How often each open queue was used, of a search that prefers steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<Queues>,
}

/// Searches one after the other: work adds up, and of memory, which is given back in
/// between, the most counts. So `stored` is the size of the largest store.
impl AddAssign for Statistics {
    fn add_assign(&mut self, more: Statistics) {
        self.stored = self.stored.max(more.stored);
        self.expanded += more.expanded;
        self.generated += more.generated;
        self.work += more.work;
        self.seconds += more.seconds;
        self.peak_bytes = self.peak_bytes.max(more.peak_bytes);
        self.queues = self.queues.or(more.queues);
    }
}

/// How often the open queues of a search were used: the first eight, the eighth
/// together with all after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// States put in, by queue.
    pub pushed: [u64; 8],
    /// States taken out, by queue.
    pub popped: [u64; 8],
    /// The last queue, from 0, that a state was taken out of.
    pub last: u64,
}

/// What `homing stats` found: the size of the whole state space.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatsOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// How the search was put together.
    pub plan: Plan,
    /// Reachable states.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Reachable states without any step.
    pub deadlocks: u64,
    /// The depth of the breadth-first search: the number of its last level,
    /// the initial state being level 0.
    pub levels: u64,
    /// Steps that fail with a run-time error.
    pub errors: u64,
    /// Reachable states that violate an assertion.
    pub violations: u64,
    /// Bits of a packed state.
    pub state_bits: u64,
    /// Machine words of a packed state.
    pub state_words: u64,
    /// Bytes of memory a stored state, all told.
    pub bytes_per_state: f64,
    /// Bytes of memory at the highest point.
    pub peak_bytes: u64,
    /// Seconds of searching.
    pub seconds: f64,
    /// Seconds from the model's text to compiled code, before the search.
    pub compile_seconds: f64,
    /// Whether everything was looked at; if not, all counts are lower bounds.
    pub complete: bool,
    /// Why the search ended.
    pub reason: String,
}

/// What `homing shorten` made of a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShortenOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// The property that the trace violates.
    pub property: String,
    /// The length of the trace given.
    pub before: u64,
    /// Whether the trace is proven to be a shortest one.
    pub optimal: bool,
    /// Proven: no violation is shorter than this.
    pub at_least: u64,
    /// Why nothing more was tried.
    pub reason: String,
    /// What made it shorter, in the order it did.
    pub gains: Vec<GainOutcome>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// The shorter trace, or the one given.
    pub trace: TraceOutcome,
    /// What that took.
    pub statistics: Statistics,
}

/// What any other command tells that a limit ended before it had a result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UnfinishedOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// Always unknown.
    pub verdict: Verdict,
    /// Which limit it was, and what it ended.
    pub reason: String,
}

/// Something that made a trace shorter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GainOutcome {
    /// What.
    pub by: String,
    /// The length after it.
    pub length: u64,
}

#[cfg(test)]
mod tests {
    use homing_witness::outcome::Value;

    use super::*;

    #[test]
    fn verdicts_and_values_are_plain_json() {
        let json = serde_json::json!([Verdict::Holds, Value::Number(-3), Value::Text("s".into())]);
        assert_eq!(json.to_string(), r#"["holds",-3,"s"]"#);
    }
}
