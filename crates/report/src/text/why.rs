//! Why a run is a violation, in words.

use std::io::{self, Write};

use crate::style::{Palette, counted};
use homing_witness::outcome::{BlockedOutcome, HoldsOutcome, TraceOutcome, When};

/// Of more processes in a deadlock, or more conditions, the rest is counted.
const MOST: usize = 20;

/// Of more stretches of steps, the rest is not named.
const MOST_STRETCHES: usize = 12;

/// Writes what is true at the end and since when, what each process waits for,
/// and which steps do not matter.
pub(super) fn why(out: &mut dyn Write, trace: &TraceOutcome, palette: &Palette) -> io::Result<()> {
    let Some(why) = &trace.why else { return Ok(()) };
    // Of a goal that is not put together, the last step alone made it true.
    let alone = matches!(&why.holds[..], [one] if one.since == trace.length
        && one.when == When::Lasts && !one.alternative);
    if !alone {
        conditions(out, &why.holds, palette)?;
    }
    some(out, &why.blocked, palette, |out, one| process(out, one, palette))?;
    let idle: Vec<usize> =
        trace.steps.iter().filter(|step| !step.matters).map(|step| step.step).collect();
    if idle.is_empty() {
        return Ok(());
    }
    let faint = palette.faint;
    let noun = if idle.len() == 1 { "step" } else { "steps" };
    let verb = if idle.len() == 1 { "does" } else { "do" };
    writeln!(
        out,
        "{faint}{} of {} matter; without {noun} {}, which {verb} not, it happens as well{faint:#}",
        why.needed,
        counted(trace.length as u64, "step"),
        stretches(&idle),
    )
}

fn conditions(out: &mut dyn Write, all: &[HoldsOutcome], palette: &Palette) -> io::Result<()> {
    some(out, all, palette, |out, one| writeln!(out, "  {}: {}", when(one), one.condition))
}

fn when(one: &HoldsOutcome) -> String {
    match (one.when, one.since) {
        (When::Lasts, 0) => "from the start".into(),
        (When::Lasts, step) => format!("since step {step}"),
        (When::Then, 0) => "at the start".into(),
        (When::Then, step) => format!("after step {step}"),
        (When::Never, 0) => "never".into(),
        (When::Never, step) => format!("never since step {step}"),
        (When::Always, 0) => "always".into(),
        (When::Always, step) => format!("always since step {step}"),
        (When::Again, _) => "again and again".into(),
    }
}

fn process(out: &mut dyn Write, one: &BlockedOutcome, palette: &Palette) -> io::Result<()> {
    let strong = palette.strong;
    let waits = one.waits.join("; ");
    let file = one.place.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let place = format!("{file}:{}", one.place.line);
    writeln!(out, "  {strong}{}{strong:#} at {} ({place}): {waits}", one.process, one.location)
}

/// Writes the first of many, and how many more there are.
fn some<T>(
    out: &mut dyn Write,
    all: &[T],
    palette: &Palette,
    mut write: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    all.iter().take(MOST).try_for_each(|one| write(out, one))?;
    let faint = palette.faint;
    match all.len().saturating_sub(MOST) {
        0 => Ok(()),
        more => writeln!(out, "  {faint}… and {more} more: `--json` gives them all{faint:#}"),
    }
}

/// Numbers in order, those next to each other as one: `2, 5-7`.
pub(super) fn stretches(numbers: &[usize]) -> String {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => all.push((*number, *number)),
        }
    }
    let written = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    let mut words: Vec<String> = all.iter().take(MOST_STRETCHES).map(written).collect();
    if all.len() > MOST_STRETCHES {
        words.push("…".into());
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_witness::outcome::{Location, StepOutcome, WhyOutcome};

    fn written(trace: &TraceOutcome) -> String {
        let mut buffer = Vec::new();
        why(&mut buffer, trace, &Palette::plain()).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    fn holds(condition: &str, since: usize) -> HoldsOutcome {
        let place = Location { file: "m".into(), line: 1, column: 1, text: condition.into() };
        HoldsOutcome {
            condition: condition.into(),
            since,
            alternative: false,
            when: When::Lasts,
            place,
        }
    }

    fn trace(matter: &[bool], all: Vec<HoldsOutcome>) -> TraceOutcome {
        let step = |(i, matters): (usize, &bool)| StepOutcome {
            step: i + 1,
            matters: *matters,
            ..StepOutcome::default()
        };
        let steps = matter.iter().enumerate().map(step).collect();
        let needed = matter.iter().filter(|matters| **matters).count();
        let why = WhyOutcome { holds: all, blocked: vec![], needed };
        TraceOutcome {
            time: None,
            length: matter.len(),
            cost: vec![],
            initial: vec![],
            steps,
            cause: None,
            why: Some(why),
            repeats: None,
        }
    }

    #[test]
    fn conditions_say_since_when() {
        let all = vec![holds("x == 3", 2), holds("P.cs", 0)];
        let text = written(&trace(&[true, true], all));
        assert_eq!(text, "  since step 2: x == 3\n  from the start: P.cs\n");
        assert_eq!(written(&trace(&[true, true], vec![holds("x == 3", 2)])), "");
    }

    #[test]
    fn steps_that_do_not_matter_are_named() {
        let text = written(&trace(&[false, true, false, false, true], vec![]));
        let expected =
            "2 of 5 steps matter; without steps 1, 3-4, which do not, it happens as well\n";
        assert_eq!(text, expected);
        let many: Vec<usize> = (0..100).map(|i| 2 * i).collect();
        assert!(stretches(&many).ends_with("22, …"), "{}", stretches(&many));
    }
}
