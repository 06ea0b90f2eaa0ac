//! The published JSON schemas.

use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

use crate::accuracy::AccuracyOutcome;
use crate::compare::CompareOutcome;
use crate::outcome::{CheckOutcome, ShortenOutcome, StatsOutcome, UnfinishedOutcome};
use crate::planned::PlanOutcome;
use crate::trace_file::TraceFile;
use crate::tuned::TuneOutcome;
use homing_witness::outcome::TraceOutcome;

/// Anything a command prints with `--json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Output {
    /// By `homing check`.
    Check(CheckOutcome),
    /// By `homing stats`.
    Stats(StatsOutcome),
    /// By `homing replay`.
    Replay(TraceOutcome),
    /// By `homing accuracy`.
    Accuracy(AccuracyOutcome),
    /// By `homing compare`.
    Compare(CompareOutcome),
    /// By `homing shorten`.
    Shorten(Box<ShortenOutcome>),
    /// By `homing tune`.
    Tune(TuneOutcome),
    /// By `homing explain-plan`.
    Plan(PlanOutcome),
    /// By any but the first two, where a limit ended it before it had a result.
    Unfinished(UnfinishedOutcome),
}

/// What a command prints that may be ended before it has a result.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Told<T> {
    /// Its result.
    Result(T),
    /// Why there is none.
    Unfinished(UnfinishedOutcome),
}

/// The schema of anything a command prints with `--json`.
pub fn output() -> Schema {
    schema_for!(Output)
}

/// The schema of what `homing check --json` prints.
pub fn check() -> Schema {
    schema_for!(CheckOutcome)
}

/// The schema of what `homing stats --json` prints.
pub fn stats() -> Schema {
    schema_for!(StatsOutcome)
}

/// The schema of what `homing replay --json` prints.
pub fn replay() -> Schema {
    schema_for!(Told<TraceOutcome>)
}

/// The schema of what `homing accuracy --json` prints.
pub fn accuracy() -> Schema {
    schema_for!(Told<AccuracyOutcome>)
}

/// The schema of what `homing compare --json` prints.
pub fn compare() -> Schema {
    schema_for!(Told<CompareOutcome>)
}

/// The schema of what `homing shorten --json` prints.
pub fn shorten() -> Schema {
    schema_for!(Told<ShortenOutcome>)
}

/// The schema of what `homing tune --json` prints.
pub fn tune() -> Schema {
    schema_for!(Told<TuneOutcome>)
}

/// The schema of what `homing explain-plan --json` prints.
pub fn plan() -> Schema {
    schema_for!(Told<PlanOutcome>)
}

/// The schema of the files `homing check --trace` writes.
pub fn trace_file() -> Schema {
    schema_for!(TraceFile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn required(schema: Schema, definition: Option<&str>) -> Vec<String> {
        let value = schema.to_value();
        let object = definition.map_or(&value, |name| &value["$defs"][name]);
        let names = object["required"].as_array().unwrap();
        names.iter().map(|name| name.as_str().unwrap().to_string()).collect()
    }

    #[test]
    fn the_promised_fields_are_there() {
        let results = required(check(), Some("PropertyOutcome"));
        for field in ["property", "verdict", "reason", "optimal", "statistics"] {
            assert!(results.contains(&field.to_string()), "{field} is missing from {results:?}");
        }
        let counts = required(stats(), None);
        for field in ["states", "transitions", "deadlocks", "levels", "bytes_per_state", "seconds"]
        {
            assert!(counts.contains(&field.to_string()), "{field} is missing from {counts:?}");
        }
        let statistics = required(check(), Some("Statistics"));
        assert_eq!(statistics, ["stored", "expanded", "generated", "seconds", "peak_bytes"]);
        let estimate = required(accuracy(), Some("EstimateOutcome"));
        for field in ["estimate", "admissible", "exact", "above", "by_distance", "greedy"] {
            assert!(estimate.contains(&field.to_string()), "{field} is missing from {estimate:?}");
        }
        let run = required(compare(), Some("ComparedRun"));
        for field in ["property", "strategy", "store", "reason", "optimal", "statistics"] {
            assert!(run.contains(&field.to_string()), "{field} is missing from {run:?}");
        }
        assert!(required(replay(), Some("TraceOutcome")).contains(&"length".to_string()));
        for schema in [replay(), accuracy(), compare(), shorten(), tune(), plan()] {
            let unfinished = required(schema, Some("UnfinishedOutcome"));
            assert_eq!(unfinished, ["model", "command", "verdict", "reason"]);
        }
        assert_eq!(required(check(), Some("CostOutcome")), ["name", "text", "value"]);
        assert!(required(trace_file(), None).contains(&"steps".to_string()));
    }

    #[test]
    fn verdicts_are_three_words() {
        let verdict = &check().to_value()["$defs"]["Verdict"];
        let words: Vec<_> =
            verdict["oneOf"].as_array().unwrap().iter().map(|one| &one["const"]).collect();
        assert_eq!(words, ["holds", "violated", "unknown"]);
    }

    #[test]
    fn one_schema_covers_every_command() {
        assert_eq!(output().to_value()["anyOf"].as_array().unwrap().len(), 9);
    }
}
