//! Outcomes as text for people: the verdicts first, one line each, then the
//! traces, a line a move: step, who moved, from where to where, the place in
//! the model, what changed; steps that do not matter are faint.

mod others;
mod steps;
mod why;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::Range;

use crate::outcome::{
    CheckOutcome, PropertyOutcome, ShortenOutcome, Statistics, StatsOutcome, Verdict,
};
use crate::style::{Palette, bytes, counted, seconds};
use homing_witness::outcome::{CauseKind, CauseOutcome, TraceOutcome, one_line};

pub(crate) use steps::Columns;

/// How to write.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The colours.
    pub palette: Palette,
    /// Of longer traces, the middle is left out.
    pub most_steps: usize,
}

impl Layout {
    /// Everything, without colours: for pipes and files.
    pub fn plain() -> Layout {
        Layout { palette: Palette::plain(), most_steps: usize::MAX }
    }
}

/// Writes what a check found.
pub fn check(out: &mut dyn Write, outcome: &CheckOutcome, layout: &Layout) -> io::Result<()> {
    for result in &outcome.results {
        verdict(out, result, outcome.plan.counted(), &layout.palette)?;
    }
    for result in &outcome.results {
        if let Some(found) = &result.trace {
            writeln!(out)?;
            if outcome.results.len() > 1 {
                let strong = layout.palette.strong;
                writeln!(out, "{strong}{}{strong:#}", one_line(&result.property))?;
            }
            trace(out, found, layout)?;
        }
        if let (Some(first), Some(different)) = (&result.trace, &result.different) {
            others::others(out, first, different, layout)?;
        }
    }
    writeln!(out)?;
    footer(out, outcome, &layout.palette)
}

/// Writes a property's verdict on one line.
fn verdict(
    out: &mut dyn Write,
    result: &PropertyOutcome,
    what: &str,
    palette: &Palette,
) -> io::Result<()> {
    let (style, rest) = match result.verdict {
        Verdict::Holds => (palette.good, holds(result, what)),
        Verdict::Violated => (palette.bad, violated(result)),
        Verdict::Unknown => (palette.unsure, unknown(result, what)),
    };
    writeln!(out, "{}: {style}{}{style:#}{rest}", one_line(&result.property), result.verdict)
}

fn holds(result: &PropertyOutcome, what: &str) -> String {
    if is_value(&result.reason) {
        let shown = result.trace.as_ref().map_or_else(String::new, |_| violated(result));
        return format!(": {}{}", result.reason, shown);
    }
    if let Some(forever) = forever(result) {
        return forever;
    }
    if result.trace.is_some() {
        return format!(": reached{}", violated(result));
    }
    let stored = counted(result.statistics.stored, what);
    match result.reason.as_str() {
        "" => format!(" ({stored})"),
        reason => format!(" ({stored}, {reason})"),
    }
}

/// Whether a greatest or least value was asked for, and this says which.
fn is_value(reason: &str) -> bool {
    reason.starts_with("sup ") || reason.starts_with("inf ")
}

fn violated(result: &PropertyOutcome) -> String {
    let Some(trace) = &result.trace else {
        return format!(": {}", result.reason);
    };
    if let Some(forever) = forever(result) {
        return forever;
    }
    match (trace.length, result.optimal) {
        (0, _) => " in the initial state".into(),
        (length, optimal) if !trace.cost.is_empty() => {
            let costs = trace.cost.iter().map(|cost| format!("{} ({})", cost.value, cost.name));
            let costs = costs.collect::<Vec<_>>().join(", ");
            let least = if optimal { ", proven best" } else { "" };
            format!(" after {}, cost {costs}{least}", counted(length as u64, "step"))
        }
        (length, true) => format!(" after {} (shortest)", counted(length as u64, "step")),
        (length, false) => {
            let least = result.at_least.filter(|least| *least > 1);
            let least = least.map_or(String::new(), |least| format!(" (at least {least})"));
            format!(" after {}{least}", counted(length as u64, "step"))
        }
    }
}

/// How a run that never leaves a condition goes on.
fn forever(result: &PropertyOutcome) -> Option<String> {
    let trace = result.trace.as_ref()?;
    trace.cause.as_ref().filter(|cause| cause.kind == CauseKind::Forever)?;
    let steps = |count: usize| counted(count as u64, "step");
    let shortest = if result.optimal { " (shortest)" } else { "" };
    let shape = match (trace.repeats, trace.length) {
        (Some(0), length) => format!(": {} for ever", steps(length)),
        (Some(before), length) => {
            format!(": {}, then {} for ever", steps(before), steps(length - before))
        }
        (None, 0) => ": for ever in the initial state".into(),
        (None, length) => format!(": {}, then for ever in one state", steps(length)),
    };
    Some(shape + shortest)
}

fn unknown(result: &PropertyOutcome, what: &str) -> String {
    let Statistics { stored, seconds: time, .. } = result.statistics;
    format!(": {} ({}, {})", result.reason, counted(stored, what), seconds(time))
}

/// What the run took, and how to repeat it where something is amiss.
fn footer(out: &mut dyn Write, outcome: &CheckOutcome, palette: &Palette) -> io::Result<()> {
    let faint = palette.faint;
    let all = &outcome.statistics;
    let (strategy, store) = (&outcome.plan.strategy, &outcome.plan.store);
    if !strategy.is_empty() {
        let parts = if store.is_empty() { strategy } else { &format!("{strategy}, {store}") };
        writeln!(
            out,
            "{faint}{} stored, {} expanded, {} generated in {}, {} of memory ({parts}){faint:#}",
            counted(all.stored, outcome.plan.counted()),
            all.expanded,
            all.generated,
            seconds(all.seconds),
            bytes(all.peak_bytes),
        )?;
    }
    // Several properties may be searched for in the same way.
    let mut told = BTreeSet::new();
    for phase in outcome.plan.phases.iter().filter(|phase| told.insert(*phase)) {
        writeln!(out, "{faint}plan: {phase}{faint:#}")?;
    }
    for notice in &outcome.notices {
        writeln!(out, "{faint}note: {notice}{faint:#}")?;
    }
    if outcome.results.iter().any(|result| result.verdict != Verdict::Holds) {
        writeln!(out, "{faint}repeat with: {}{faint:#}", outcome.command)?;
    }
    Ok(())
}

/// Writes a trace, and what is wrong at its end.
pub fn trace(out: &mut dyn Write, trace: &TraceOutcome, layout: &Layout) -> io::Result<()> {
    let (head, tail) = shown(trace.steps.len(), layout.most_steps);
    let columns = Columns::fit(trace.steps[head.clone()].iter().chain(&trace.steps[tail.clone()]));
    let show = |out: &mut dyn Write, range: Range<usize>| {
        range.into_iter().try_for_each(|i| {
            if trace.repeats == Some(i) {
                let faint = layout.palette.faint;
                writeln!(out, "{faint}and then for ever:{faint:#}")?;
            }
            columns.step(out, &trace.steps[i], &layout.palette)
        })
    };
    if trace.steps.first().is_none_or(steps::is_moment) && !trace.initial.is_empty() {
        columns.initial(out, &trace.initial, &layout.palette)?;
    }
    show(out, head.clone())?;
    if head.end < tail.start {
        let left_out = counted((tail.start - head.end) as u64, "step");
        let faint = layout.palette.faint;
        writeln!(
            out,
            "{faint}… {left_out} not shown: `--trace FILE`, `--json` or a pipe gives them all{faint:#}"
        )?;
    }
    show(out, tail)?;
    if let Some(time) = trace.time.as_ref().filter(|time| &*time.delay != "0") {
        let faint = layout.palette.faint;
        writeln!(out, "{faint}and {} later, at {}:{faint:#}", time.delay, time.at)?;
    }
    trace.cause.iter().try_for_each(|found| cause(out, found, &layout.palette))?;
    why::why(out, trace, &layout.palette)
}

/// The first and the last steps to show.
fn shown(length: usize, most: usize) -> (Range<usize>, Range<usize>) {
    if length <= most {
        return (0..length, length..length);
    }
    let head = most.div_ceil(2);
    (0..head, length - (most - head)..length)
}

/// Writes what is wrong, on one line.
pub fn cause(out: &mut dyn Write, cause: &CauseOutcome, palette: &Palette) -> io::Result<()> {
    let Palette { bad, place, .. } = palette;
    write!(out, "{bad}{}{bad:#}", cause.message)?;
    if let Some(at) = &cause.place {
        write!(out, "  {place}{}:{}:{}{place:#}  {}", at.file, at.line, at.column, at.text)?;
    }
    writeln!(out)
}

/// Writes what became of a trace that was to be made shorter.
pub fn shorten(out: &mut dyn Write, outcome: &ShortenOutcome, layout: &Layout) -> io::Result<()> {
    let Palette { good, unsure, faint, .. } = layout.palette;
    let after = outcome.trace.length as u64;
    let steps = match after < outcome.before {
        true => format!("from {} to {}", outcome.before, counted(after, "step")),
        false => format!("still {}", counted(after, "step")),
    };
    let property = one_line(&outcome.property);
    match outcome.optimal {
        true => writeln!(out, "{property}: {steps}, {good}shortest{good:#}")?,
        false => writeln!(
            out,
            "{property}: {steps}, {unsure}at least {}{unsure:#}: {}",
            outcome.at_least, outcome.reason
        )?,
    }
    for gain in &outcome.gains {
        writeln!(out, "{faint}  {}: {}{faint:#}", counted(gain.length, "step"), gain.by)?;
    }
    writeln!(out)?;
    trace(out, &outcome.trace, layout)?;
    let Statistics { expanded, seconds: time, .. } = outcome.statistics;
    writeln!(out, "\n{faint}{expanded} expanded in {}{faint:#}", seconds(time))?;
    outcome.notices.iter().try_for_each(|note| writeln!(out, "{faint}note: {note}{faint:#}"))
}

/// Writes the size of a state space.
pub fn stats(out: &mut dyn Write, outcome: &StatsOutcome, layout: &Layout) -> io::Result<()> {
    let rows = [
        ("states", outcome.states.to_string()),
        ("transitions", outcome.transitions.to_string()),
        ("deadlocks", outcome.deadlocks.to_string()),
        ("levels", outcome.levels.to_string()),
        ("errors", outcome.errors.to_string()),
        ("violations", outcome.violations.to_string()),
        (
            "state bits",
            format!("{} in {}", outcome.state_bits, counted(outcome.state_words, "word")),
        ),
        ("bytes a state", format!("{:.1}", outcome.bytes_per_state)),
        ("peak memory", bytes(outcome.peak_bytes)),
        ("compile time", seconds(outcome.compile_seconds)),
        ("search time", seconds(outcome.seconds)),
    ];
    for (name, value) in rows {
        writeln!(out, "{name:<14} {value}")?;
    }
    let Palette { unsure, faint, .. } = layout.palette;
    for phase in &outcome.plan.phases {
        writeln!(out, "{faint}plan: {phase}{faint:#}")?;
    }
    if !outcome.complete {
        writeln!(
            out,
            "{unsure}incomplete{unsure:#}: {}; all counts are lower bounds",
            outcome.reason
        )?;
        writeln!(out, "{faint}repeat with: {}{faint:#}", outcome.command)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::outcome::Plan;
    use homing_witness::outcome::{
        Change, CostOutcome, Location, Move, MoveOutcome, StepOutcome, Value,
    };

    fn taken(process: &str, from: &str, to: &str, line: u32) -> Arc<Move> {
        Arc::new(Move {
            process: process.into(),
            from: from.into(),
            to: to.into(),
            file: "models/m.dve".into(),
            line,
            column: 3,
            text: format!("{from} -> {to} {{}}"),
            statement: false,
        })
    }

    fn change(name: &str, from: i64, to: i64) -> Change {
        Change { name: name.into(), from: Value::Number(from), to: Value::Number(to) }
    }

    fn step(step: usize, moves: Vec<Arc<Move>>, changes: Vec<Change>) -> StepOutcome {
        let first = MoveOutcome { moves, changes, ..MoveOutcome::default() };
        StepOutcome { step, first, matters: true, ..StepOutcome::default() }
    }

    fn example() -> TraceOutcome {
        let steps = vec![
            step(
                1,
                vec![taken("Left", "idle", "busy", 9)],
                vec![change("x", 0, 1), change("y[2]", 7, -7)],
            ),
            StepOutcome {
                matters: false,
                ..step(
                    2,
                    vec![taken("Left", "busy", "sent", 10), taken("Receiver", "a", "b", 120)],
                    vec![],
                )
            },
        ];
        let place =
            Location { file: "m.dve".into(), line: 4, column: 8, text: "assert x < 1".into() };
        let cause = CauseOutcome {
            kind: CauseKind::Assertion,
            message: "the assertion is false".into(),
            place: Some(place),
        };
        let cause = Some(cause);
        TraceOutcome {
            length: 2,
            cost: vec![],
            initial: vec![],
            steps,
            cause,
            why: None,
            repeats: None,
            time: None,
        }
    }

    fn result(property: &str, verdict: Verdict, reason: &str) -> PropertyOutcome {
        let statistics = Statistics { stored: 1_711_620, seconds: 60.0, ..Statistics::default() };
        let violated = verdict == Verdict::Violated;
        PropertyOutcome {
            optimal: violated,
            trace: violated.then(example),
            ..PropertyOutcome::new(property, verdict, reason, statistics)
        }
    }

    fn outcome(results: Vec<PropertyOutcome>) -> CheckOutcome {
        CheckOutcome {
            model: "m.dve".into(),
            command: "homing check m.dve".into(),
            seed: 0,
            plan: Plan {
                strategy: "breadth".into(),
                store: "exact".into(),
                passes: vec![],
                phases: vec![],
                zones: false,
            },
            notices: vec![],
            results,
            statistics: Statistics {
                stored: 3,
                expanded: 2,
                generated: 5,
                work: 5,
                seconds: 0.5,
                peak_bytes: 4096,
                queues: None,
            },
            compile_seconds: 0.01,
        }
    }

    fn written(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut buffer = Vec::new();
        write(&mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn verdicts_come_first_then_aligned_differences() {
        let outcome = outcome(vec![
            result("assertions", Verdict::Violated, "an assertion is false"),
            result("deadlock", Verdict::Holds, "exhaustively"),
            result("x > 3\n && y", Verdict::Unknown, "stopped by the time limit"),
        ]);
        let expected = "\
assertions: violated after 2 steps (shortest)
deadlock: holds (1711620 states, exhaustively)
x > 3 && y: unknown: stopped by the time limit (1711620 states, 60.0 s)

assertions
1  Left      idle -> busy  m.dve:9    x: 0 -> 1, y[2]: 7 -> -7
2  Left      busy -> sent  m.dve:10
   Receiver  a -> b        m.dve:120
the assertion is false  m.dve:4:8  assert x < 1

3 states stored, 2 expanded, 5 generated in 0.50 s, 4.1 kB of memory (breadth, exact)
repeat with: homing check m.dve
";
        assert_eq!(written(|out| check(out, &outcome, &Layout::plain())), expected);
    }

    #[test]
    fn all_that_holds_needs_no_repeating() {
        let text = written(|out| {
            check(
                out,
                &outcome(vec![result("deadlock", Verdict::Holds, "exhaustively")]),
                &Layout::plain(),
            )
        });
        assert!(!text.contains("repeat"), "{text}");
    }

    #[test]
    fn the_initial_state_can_be_the_violation() {
        let mut found = result("goal", Verdict::Violated, "reached");
        let mut trace = example();
        (trace.length, trace.steps, trace.cause) = (0, vec![], None);
        found.trace = Some(trace);
        let text = written(|out| verdict(out, &found, "states", &Palette::plain()));
        assert_eq!(text, "goal: violated in the initial state\n");
    }

    #[test]
    fn costs_are_told_with_what_they_are() {
        let mut found = result("goal", Verdict::Violated, "reached");
        let cost = |name: &str, value| CostOutcome { name: name.into(), text: name.into(), value };
        let costs = vec![cost("sum", Value::Number(-3)), cost("fuzzy", Value::Text("3/9".into()))];
        found.trace = Some(TraceOutcome { cost: costs, ..example() });
        let text = written(|out| verdict(out, &found, "states", &Palette::plain()));
        let plain = "goal: violated after 2 steps, cost -3 (sum), 3/9 (fuzzy)";
        assert_eq!(text, format!("{plain}, proven best\n"));
        found.optimal = false;
        let text = written(|out| verdict(out, &found, "states", &Palette::plain()));
        assert_eq!(text, format!("{plain}\n"));
    }

    #[test]
    fn colours_are_the_only_difference_they_make() {
        let layout = Layout { palette: Palette::coloured(), most_steps: usize::MAX };
        let coloured = written(|out| trace(out, &example(), &layout));
        let plain = written(|out| trace(out, &example(), &Layout::plain()));
        let mut stripped = String::new();
        for (i, piece) in coloured.split('\x1b').enumerate() {
            stripped.push_str(if i == 0 { piece } else { piece.split_once('m').unwrap().1 });
        }
        assert_ne!(coloured, plain);
        assert_eq!(stripped, plain);
    }

    #[test]
    fn the_middle_of_long_traces_is_left_out() {
        let step = |number| step(number, vec![taken("P", "a", "b", 1)], vec![]);
        let long = TraceOutcome {
            time: None,
            length: 1000,
            cost: vec![],
            initial: vec![],
            steps: (1..=1000).map(step).collect(),
            cause: None,
            why: None,
            repeats: None,
        };
        let layout = Layout { most_steps: 5, ..Layout::plain() };
        let text = written(|out| trace(out, &long, &layout));
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.contains("… 995 steps not shown") && text.contains("1000  P"), "{text}");
        assert_eq!(written(|out| trace(out, &long, &Layout::plain())).lines().count(), 1000);
    }

    #[test]
    fn counts_that_are_bounds_say_so() {
        let mut outcome = StatsOutcome {
            model: "m.dve".into(),
            command: "homing stats m.dve".into(),
            plan: Plan::default(),
            states: 12,
            transitions: 30,
            deadlocks: 1,
            levels: 4,
            errors: 0,
            violations: 0,
            state_bits: 70,
            state_words: 2,
            bytes_per_state: 21.25,
            peak_bytes: 1_500_000,
            seconds: 0.25,
            compile_seconds: 0.005,
            complete: true,
            reason: "exhaustively".into(),
        };
        let text = |outcome: &StatsOutcome| written(|out| stats(out, outcome, &Layout::plain()));
        assert!(text(&outcome).contains("states         12\n"), "{}", text(&outcome));
        assert!(!text(&outcome).contains("lower bounds"));
        outcome.complete = false;
        outcome.reason = "stopped by the memory limit".into();
        assert!(text(&outcome).contains("incomplete: stopped by the memory limit; all counts are"));
    }
}
