//! Different counterexamples, one after the other.

use std::io::{self, Write};

use super::why::stretches;
use super::{Layout, trace};
use crate::outcome::DifferentOutcome;
use crate::style::counted;
use homing_witness::outcome::TraceOutcome;

/// Of more steps, the rest is not told.
const MOST: usize = 4;

/// Writes what is only in the first, then the others, and why there are no
/// more.
pub(super) fn others(
    out: &mut dyn Write,
    first: &TraceOutcome,
    different: &DifferentOutcome,
    layout: &Layout,
) -> io::Result<()> {
    let strong = layout.palette.strong;
    steps(out, "only here:", first, &different.only_first, "", layout)?;
    for (i, other) in different.others.iter().enumerate() {
        let length = counted(other.trace.length as u64, "step");
        writeln!(
            out,
            "\n{strong}another way ({} of {}){strong:#}, {length}",
            i + 2,
            different.others.len() + 1
        )?;
        trace(out, &other.trace, layout)?;
        steps(out, "only here:", &other.trace, &other.only_here, "", layout)?;
        steps(out, "without", first, &other.without, " of the first", layout)?;
        if other.only_here.is_empty() && other.without.is_empty() {
            writeln!(out, "unlike the first, it takes steps in another order, or more often")?;
        }
    }
    let faint = layout.palette.faint;
    let found = counted(different.others.len() as u64 + 1, "counterexample");
    writeln!(out, "{faint}{found}: {}{faint:#}", different.reason)
}

/// Names steps of a run, by number and by what they are; nothing of none.
fn steps(
    out: &mut dyn Write,
    before: &str,
    run: &TraceOutcome,
    steps: &[usize],
    after: &str,
    layout: &Layout,
) -> io::Result<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let taken = run.steps.iter().filter(|step| steps.contains(&step.step));
    let moves = taken.flat_map(|step| step.all()).flat_map(|one| &one.moves);
    let mut told: Vec<String> =
        moves.map(|taken| format!("{} {} -> {}", taken.process, taken.from, taken.to)).collect();
    told.dedup();
    if told.len() > MOST {
        told.truncate(MOST);
        told.push("…".into());
    }
    let noun = if steps.len() == 1 { "step" } else { "steps" };
    let fresh = layout.palette.fresh;
    let (numbers, told) = (stretches(steps), told.join(", "));
    writeln!(out, "{before} {noun} {numbers}{after} ({fresh}{told}{fresh:#})")
}
