//! What a run found, as plain data: the objects `--json` prints.
//!
//! The field names are a published interface (`homing schema`). Text that
//! repeats from step to step (names, edges) is shared, so that a trace of a
//! million steps costs little more than its changes.

use std::fmt;
use std::sync::Arc;

use homing_ir::{Sources, Span};
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
    /// The run that shows a violation; of a state that is to be reached, the run
    /// that reaches it.
    pub trace: Option<TraceOutcome>,
    /// Other runs that do, where they were asked for.
    pub different: Option<DifferentOutcome>,
    /// What finding out took.
    pub statistics: Statistics,
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
    /// Seconds of searching.
    pub seconds: f64,
    /// Bytes of memory at the highest point.
    pub peak_bytes: u64,
    /// How often each open queue was used, of a search that prefers steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<Queues>,
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

/// A run, step by step, as the reference interpreter executed it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TraceOutcome {
    /// The number of steps.
    pub length: usize,
    /// What it costs, where that is something else than its length: the cost
    /// that is minimised first comes first.
    #[serde(default)]
    pub cost: Vec<CostOutcome>,
    /// The initial state.
    pub initial: Vec<Binding>,
    /// The steps.
    pub steps: Vec<StepOutcome>,
    /// What is wrong at the end.
    pub cause: Option<CauseOutcome>,
    /// Why it is; not told of runs too long to be read.
    pub why: Option<WhyOutcome>,
    /// When it ends, in models with clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeOutcome>,
    /// Of a run that goes on for ever, the steps before those that it repeats;
    /// nothing where it rests at its end.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub repeats: Option<usize>,
}

/// When something happens, in models with clocks. Rational numbers are written
/// as `3/2`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TimeOutcome {
    /// The time that passes before it, behind the step before.
    pub delay: Box<str>,
    /// The time since the start.
    pub at: Box<str>,
}

/// Why a run ends in a violation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WhyOutcome {
    /// What is true and makes the violation: at the end, the conjuncts of a goal
    /// or of the negation of an assertion; of a run without an end, what its
    /// formula is false by.
    pub holds: Vec<HoldsOutcome>,
    /// Of a deadlock, what every process waits for.
    pub blocked: Vec<BlockedOutcome>,
    /// How many of the steps matter: taken alone, in their order, they end in
    /// a violation, too.
    pub needed: usize,
}

/// A condition that is true at the end of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HoldsOutcome {
    /// The condition.
    pub condition: String,
    /// The step that made it true for the last time; 0 where it was true all
    /// the time.
    pub since: usize,
    /// Whether it belongs to one of several cases of which each would do.
    pub alternative: bool,
    /// When it is true, seen from that step.
    #[serde(default, skip_serializing_if = "When::lasts")]
    pub when: When,
    /// Where it is written.
    pub place: Location,
}

/// When a condition is true, seen from a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// From the step on, up to the end of the run.
    #[default]
    Lasts,
    /// In the state that the step leads to.
    Then,
    /// Never from the step on, however long the run goes on.
    Never,
    /// Always from the step on, however long the run goes on.
    Always,
    /// Again and again, however long the run goes on.
    Again,
}

impl When {
    fn lasts(&self) -> bool {
        *self == When::Lasts
    }
}

/// A process that cannot move.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BlockedOutcome {
    /// The process.
    pub process: String,
    /// Where it is.
    pub location: String,
    /// Why it cannot take any of its edges there.
    pub waits: Vec<String>,
    /// Where the location is declared.
    pub place: Location,
}

/// One cost of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CostOutcome {
    /// Its name: `sum`, `switches` and so on.
    pub name: String,
    /// All of it, as on the command line.
    pub text: String,
    /// What the trace costs.
    pub value: Value,
}

/// A name and its value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Binding {
    /// The variable, channel or process.
    pub name: Arc<str>,
    /// Its value.
    pub value: Value,
}

/// The value of a variable, the content of a channel, the place of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(i64),
    /// Anything else, as the model's language would write it.
    Text(Arc<str>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
        }
    }
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepOutcome {
    /// Its number, counted from one.
    pub step: usize,
    /// When it is taken, in models with clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeOutcome>,
    /// The move it consists of, or the first of them.
    #[serde(flatten)]
    pub first: MoveOutcome,
    /// The moves that follow while control stays with a process.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<MoveOutcome>,
    /// Whether the violation needs it; also where that is not known.
    pub matters: bool,
}

impl StepOutcome {
    /// Its moves, in order.
    pub fn all(&self) -> impl Iterator<Item = &MoveOutcome> {
        std::iter::once(&self.first).chain(&self.then)
    }
}

/// Edges taken together, and what that did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct MoveOutcome {
    /// Who moved; more than one process where they synchronised.
    pub moves: Vec<Arc<Move>>,
    /// What it changed.
    pub changes: Vec<Change>,
    /// The message that was sent or received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<MessageOutcome>>,
    /// What the model printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<Box<str>>,
}

/// A message that was sent or received.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessageOutcome {
    /// The channel.
    pub channel: Arc<str>,
    /// Its parts.
    pub values: Vec<Value>,
    /// What becomes of it.
    pub way: MessageWay,
    /// Where in the buffer it is put or was, counted from zero at the message
    /// that is received next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// The process that sends it, if that happens now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Arc<str>>,
    /// The processes that receive it now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<Arc<str>>,
}

/// What becomes of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessageWay {
    /// It goes from the sender to those who receive it at the same time.
    Direct,
    /// It is put into a buffer.
    Sent,
    /// It is taken out of a buffer.
    Received,
    /// It is received and stays in the buffer.
    Kept,
}

/// A process that took an edge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// The process.
    pub process: String,
    /// The location it left.
    pub from: String,
    /// The location it reached.
    pub to: String,
    /// The file the edge is written in.
    pub file: String,
    /// The line, counted from one.
    pub line: u32,
    /// The column in characters, counted from one.
    pub column: u32,
    /// The edge's text, on one line, cut where it is long.
    pub text: String,
    /// Whether people know it by that text.
    #[serde(skip)]
    pub statement: bool,
}

/// A value that a step changed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The variable or channel.
    pub name: Arc<str>,
    /// The value before.
    pub from: Value,
    /// The value after.
    pub to: Value,
}

/// What is wrong at the end of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CauseOutcome {
    /// What kind of violation it is.
    pub kind: CauseKind,
    /// One sentence.
    pub message: String,
    /// The assertion, the expression that failed, the goal.
    pub place: Option<Location>,
}

/// Kinds of violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CauseKind {
    /// A state that was looked for, or must not be reached.
    Goal,
    /// A state in which an invariant is false.
    Invariant,
    /// An assertion that is false.
    Assertion,
    /// A run-time error.
    Error,
    /// No process can move.
    Deadlock,
    /// An observer has come to its end.
    Observer,
    /// The run goes on for ever in a way that it must not.
    Forever,
    /// However the run goes on, it is one that must not be.
    Formula,
}

/// A place in a source text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The line, counted from one.
    pub line: u32,
    /// The column in characters, counted from one.
    pub column: u32,
    /// The text, on one line, cut where it is long.
    pub text: String,
}

/// The most characters of source text repeated in an outcome.
const TEXT_LIMIT: usize = 160;

impl Location {
    /// The place of `span`.
    pub fn new(sources: &Sources, span: Span) -> Location {
        let position = sources.position(span);
        Location {
            file: sources.get(span.source).name.clone(),
            line: position.line,
            column: position.column,
            text: text_of(sources, span),
        }
    }
}

/// The text of a place, on one line. In XML, entities stand for letters.
pub(crate) fn text_of(sources: &Sources, span: Span) -> String {
    let line = one_line(sources.text(span));
    if !line.contains('&') || !sources.get(span.source).text.trim_start().starts_with('<') {
        return line;
    }
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(line, |line, (entity, sign)| line.replace(entity, sign))
}

impl CauseOutcome {
    /// A violation without a place of its own.
    pub fn new(kind: CauseKind, message: impl Into<String>) -> CauseOutcome {
        CauseOutcome { kind, message: message.into(), place: None }
    }

    /// Says where in the model it is written.
    pub fn at(mut self, sources: &Sources, span: Span) -> CauseOutcome {
        self.place = Some(Location::new(sources, span));
        self
    }
}

/// `text` with every stretch of white space as one blank, cut where it is
/// long, and without control characters, which could upset a terminal.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if line.len() > 4 * TEXT_LIMIT {
            break;
        }
        let blank = if line.is_empty() { "" } else { " " };
        line.push_str(blank);
        line.extend(word.chars().map(printable));
    }
    if let Some((cut, _)) = line.char_indices().nth(TEXT_LIMIT) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

fn printable(c: char) -> char {
    if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_folds_white_space() {
        assert_eq!(one_line("  a -> b {\n\tguard x;\r\n}  "), "a -> b { guard x; }");
        assert_eq!(one_line(""), "");
    }

    #[test]
    fn one_line_cuts_what_is_long() {
        let cut = one_line(&"ä".repeat(1_000_000));
        assert_eq!(cut.chars().count(), TEXT_LIMIT + 1);
        let words = one_line(&"word ".repeat(1000));
        assert!(words.ends_with('…') && words.chars().count() <= TEXT_LIMIT + 1);
    }

    #[test]
    fn verdicts_and_values_are_plain_json() {
        let json = serde_json::json!([Verdict::Holds, Value::Number(-3), Value::Text("s".into())]);
        assert_eq!(json.to_string(), r#"["holds",-3,"s"]"#);
    }
}
