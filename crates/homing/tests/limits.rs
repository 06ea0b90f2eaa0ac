//! Limits and interruption through the façade: what is cut short is `unknown`,
//! with the reason; what was found before is kept.
#![allow(clippy::unwrap_used)]

use crate::support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use homing::budget::Budget;
use homing::report::outcome::{PropertyOutcome, Verdict};
use homing::{Hooks, Limits, Model, Options};
use support::{Combination, combinations};

/// Four independent counters: 6,250,000 states, and a goal that is not among
/// them but cannot be seen to be absent without looking.
const COUNTERS: &str = "
    byte a, b, c, d;
    process A { state run; init run; trans run -> run { effect a = (a + 1) % 50; }; }
    process B { state run; init run; trans run -> run { effect b = (b + 1) % 50; }; }
    process C { state run; init run; trans run -> run { effect c = (c + 1) % 50; }; }
    process D { state run; init run; trans run -> run { effect d = (d + 1) % 50; }; }
    system async;";

/// Never true, and reads all counters.
const NEVER: &str = "a * 1000 + b == 49999 and c + d < 0";

/// The combinations that must search to know.
fn searching() -> Vec<Combination> {
    combinations().into_iter().filter(|with| with.counts && !with.proves).collect()
}

fn counters() -> Model {
    homing::parse("counters.dve", COUNTERS).unwrap()
}

fn stopped(options: Options, cancel: bool) -> PropertyOutcome {
    let hooks = Hooks::default();
    if cancel {
        hooks.budget.cancel();
    }
    let options = Options { goals: vec![NEVER.into()], ..options };
    let checked = homing::check(&counters(), &options, hooks).unwrap();
    let result = checked.outcome.results[0].clone();
    assert_eq!(result.verdict, Verdict::Unknown, "{options:?}");
    assert!(checked.traces.is_empty() && !result.optimal, "{options:?}");
    assert!(result.statistics.stored > 0, "{options:?}");
    result
}

/// Every combination ends with this reason.
fn expect_reason(limits: &Limits, cancel: bool, reason: &str) {
    for with in searching() {
        let options = Options { limits: limits.clone(), ..with.options() };
        let result = stopped(options, cancel);
        // A table of bits cannot tell what was reached too late to go on.
        let left_out = limits.depth.is_some() && !with.exact;
        let left_out = left_out && result.reason == "the strategy left states out";
        assert!(result.reason.contains(reason) || left_out, "{with:?}: {}", result.reason);
    }
}

#[test]
fn memory_is_limited() {
    let limits = Limits { memory: Some(2 << 20), ..Limits::default() };
    expect_reason(&limits, false, "memory limit");
}

/// However little memory there is, the answer is a sentence or `unknown`.
#[test]
fn hardly_any_memory_is_no_harm() {
    for with in searching() {
        for memory in [0, 1, 1000, 100_000] {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            let options = Options { goals: vec![NEVER.into()], limits, ..with.options() };
            match homing::check(&counters(), &options, Hooks::default()) {
                Ok(checked) => {
                    let result = &checked.outcome.results[0];
                    assert_eq!(result.verdict, Verdict::Unknown, "{with:?}");
                    assert!(result.reason.contains("memory limit"), "{}", result.reason);
                }
                Err(error) => assert!(error.to_string().contains("not enough memory"), "{error}"),
            }
        }
    }
}

#[test]
fn states_are_limited() {
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    expect_reason(&limits, false, "limit on states");
}

#[test]
fn expansions_are_limited() {
    let limits = Limits { expansions: Some(3_000), ..Limits::default() };
    expect_reason(&limits, false, "limit on expansions");
}

#[test]
fn depth_is_limited() {
    let limits = Limits { depth: Some(7), ..Limits::default() };
    expect_reason(&limits, false, "depth limit");
}

#[test]
fn time_is_limited() {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    expect_reason(&limits, false, "time limit");
}

#[test]
fn cancelling_is_an_interruption() {
    expect_reason(&Limits::default(), true, "interrupted");
}

/// A limit on expansions, unlike one on time, cuts every run at the same place.
#[test]
fn limited_runs_repeat() {
    for with in searching() {
        let limits = Limits { expansions: Some(2_000), ..Limits::default() };
        let options = Options { limits, ..with.options() };
        let (first, second) = (stopped(options.clone(), false), stopped(options, false));
        let numbers = |result: &PropertyOutcome| {
            let statistics = result.statistics;
            (statistics.stored, statistics.expanded, statistics.generated, statistics.peak_bytes)
        };
        assert_eq!(numbers(&first), numbers(&second), "{with:?}");
    }
}

/// One goal found, the other not looked for to the end: each says so.
#[test]
fn what_was_found_before_the_limit_is_kept() {
    for with in combinations().iter().filter(|with| with.shortest && with.counts && !with.proves) {
        let options = Options {
            goals: vec!["a + b + c + d == 3".into(), NEVER.into()],
            limits: Limits { states: Some(5_000), ..Limits::default() },
            ..with.options()
        };
        let checked = support::check(&counters(), &options);
        let verdicts: Vec<Verdict> =
            checked.outcome.results.iter().map(|result| result.verdict).collect();
        assert_eq!(verdicts, [Verdict::Violated, Verdict::Unknown], "{with:?}");
        assert_eq!(checked.outcome.results[0].trace.as_ref().unwrap().length, 3);
    }
}

#[test]
fn limited_stats_are_lower_bounds() {
    for with in combinations().iter().filter(|with| with.counts && !with.directed) {
        let limits = Limits { states: Some(20_000), ..Limits::default() };
        let options = Options { limits, ..with.options() };
        let stats = homing::stats(&counters(), &options, Hooks::default()).unwrap();
        assert!(!stats.complete && stats.reason.contains("limit on states"), "{with:?}");
        assert!((20_000..6_250_000).contains(&stats.states), "{with:?}: {}", stats.states);
    }
}

/// Somebody who watches may stop the search.
#[test]
fn progress_is_told_and_may_cancel() {
    let budget = Budget::default();
    let told = Arc::new(AtomicU64::new(0));
    let last = Arc::new(Mutex::new(0));
    let (stop, count, stored) = (budget.clone(), Arc::clone(&told), Arc::clone(&last));
    let hooks = Hooks {
        budget,
        progress: Some(Box::new(move |progress, _| {
            *stored.lock().unwrap() = progress.stored;
            if count.fetch_add(1, Ordering::Relaxed) == 4 {
                stop.cancel();
            }
        })),
        ..Hooks::default()
    };
    let strategy = Some("breadth".into());
    let options = Options { goals: vec![NEVER.into()], strategy, ..Options::default() };
    let checked = homing::check(&counters(), &options, hooks).unwrap();
    let result = &checked.outcome.results[0];
    assert_eq!((result.verdict, result.reason.as_str()), (Verdict::Unknown, "interrupted"));
    assert!(result.statistics.stored >= *last.lock().unwrap() && *last.lock().unwrap() > 0);
    assert!(told.load(Ordering::Relaxed) >= 5);
}

/// Limits that are not met change nothing.
#[test]
fn limits_that_are_not_met_are_silent() {
    let small = COUNTERS.replace("% 50", "% 5");
    let model = homing::parse("small.dve", &small).unwrap();
    for with in searching().iter().filter(|with| with.exact) {
        let limits = Limits {
            memory: Some(1 << 30),
            time: Some(Duration::from_secs(3600)),
            states: Some(10_000),
            depth: Some(1_000),
            bound: None,
            expansions: Some(10_000),
        };
        let options = Options { goals: vec![NEVER.into()], limits, ..with.options() };
        let checked = support::check(&model, &options);
        assert_eq!(checked.outcome.results[0].verdict, Verdict::Holds, "{with:?}");
        // Context bounding tells states apart by the last step, too.
        let stored = checked.outcome.statistics.stored;
        let again = with.strategy.contains("bounding");
        assert!(stored == 625 || again && stored > 625, "{with:?}: {stored}");
    }
}
