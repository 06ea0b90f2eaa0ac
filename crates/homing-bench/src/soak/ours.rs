//! homing's answers, in this process: no program starts, so that there are many
//! in a second. A panic is an answer too.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use homing::report::outcome::{CheckOutcome, StatsOutcome, Verdict};
use homing::{Hooks, Limits, LoadError, Model, Options, UsageError};

/// States beyond which a program is left out.
pub const MOST_STATES: u64 = 8_000;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The model is not read, or what it asks is not checked.
    Refused(String),
    /// homing cannot stand by its result.
    Internal(String),
    /// A panic, and where.
    Panic(String),
    /// A limit was met before there was an answer.
    Stopped,
}

/// One property's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    pub property: String,
    pub verdict: Verdict,
    pub reason: String,
    /// The length of the trace.
    pub length: Option<u64>,
    /// Whether it is said to be a shortest one.
    pub optimal: bool,
}

impl Judged {
    /// Whether a limit, a step that fails, or a run without delays where clocks stop kept
    /// the search from an answer: how far it came depends on the machine, or on the way
    /// it went.
    pub fn cut_short(&self) -> bool {
        self.limited()
            || ["was not searched", "has no delays"].iter().any(|sign| self.unknown_for(sign))
    }

    /// Whether a limit kept the search from an answer.
    pub fn limited(&self) -> bool {
        self.unknown_for("limit")
    }

    fn unknown_for(&self, sign: &str) -> bool {
        self.verdict == Verdict::Unknown && self.reason.contains(sign)
    }
}

/// Reads a model.
pub fn read(name: &str, text: &str) -> Result<Model, Trouble> {
    guarded(|| homing::parse(name, text).map_err(|error| Trouble::Refused(said(&error))))
}

fn said(error: &LoadError) -> String {
    error.to_string()
}

/// Limits that no program of a generator should meet but by its size.
pub fn limits() -> Limits {
    Limits {
        states: Some(4 * MOST_STATES),
        time: Some(Duration::from_secs(10)),
        memory: Some(512 << 20),
        ..Limits::default()
    }
}

/// Counts all states. The model is read again where it needs more processes.
pub fn stats(model: &mut Model, options: &Options) -> Result<StatsOutcome, Trouble> {
    settled(model, |model| homing::stats(model, options, Hooks::default()))
}

/// Checks what the options ask for.
pub fn check(model: &mut Model, options: &Options) -> Result<Vec<Judged>, Trouble> {
    let checked = settled(model, |model| homing::check(model, options, Hooks::default()))?;
    Ok(results(&checked.outcome))
}

fn results(outcome: &CheckOutcome) -> Vec<Judged> {
    let result = |result: &homing::report::outcome::PropertyOutcome| Judged {
        property: result.property.clone(),
        verdict: result.verdict,
        reason: result.reason.clone(),
        length: result.trace.as_ref().map(|trace| trace.length as u64),
        optimal: result.optimal,
    };
    outcome.results.iter().map(result).collect()
}

/// Asks about a model, which becomes the one that was enough.
fn settled<T>(
    model: &mut Model,
    ask: impl Fn(&Model) -> Result<T, UsageError>,
) -> Result<T, Trouble> {
    guarded(|| match homing::settled(model.clone(), ask) {
        Ok((enough, answer)) => {
            *model = enough;
            Ok(answer)
        }
        Err(UsageError::Internal(why)) => Err(Trouble::Internal(why)),
        Err(UsageError::Stopped(_)) => Err(Trouble::Stopped),
        Err(error) => Err(Trouble::Refused(error.to_string())),
    })
}

thread_local! {
    /// What the last panic of this thread said.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on panics are kept instead of printed.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string())));
}

/// Runs `work`; a panic in it is an answer.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Trouble::Panic(PANIC.take())))
}
