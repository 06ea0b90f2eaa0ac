//! What the planner did, for people: what became of every search, who took what, what
//! happened when, and the best estimate over work.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{GuideState, PlanOutcome, PlannedResult, PlannedSearch, PlannedTurn, Searcher, plot};
use crate::outcome::Verdict;
use crate::plot_text::chart;
use crate::style::{Palette, counted, seconds};
use crate::text::Layout;
use homing_witness::outcome::one_line;

/// Writes what the planner did.
pub fn text(out: &mut dyn Write, outcome: &PlanOutcome, layout: &Layout) -> io::Result<()> {
    let Palette { faint, .. } = layout.palette;
    for (number, search) in outcome.searches.iter().enumerate() {
        heading(out, number + 1, search, &layout.palette)?;
        guides(out, search)?;
        if !outcome.dry_run {
            shares(out, search)?;
            events(out, search, layout)?;
            let drawn = chart(&plot(search));
            if !drawn.is_empty() {
                write!(out, "\n{drawn}")?;
            }
        }
        writeln!(out)?;
    }
    outcome.results.iter().try_for_each(|result| self::result(out, result, &layout.palette))?;
    for phase in &outcome.phases {
        writeln!(out, "{faint}plan: {phase}{faint:#}")?;
    }
    for notice in &outcome.notices {
        writeln!(out, "{faint}note: {notice}{faint:#}")?;
    }
    writeln!(out, "{faint}repeat with: {}{faint:#}", outcome.command)
}

fn heading(
    out: &mut dyn Write,
    number: usize,
    search: &PlannedSearch,
    palette: &Palette,
) -> io::Result<()> {
    let Palette { strong, .. } = palette;
    let names: Vec<String> =
        search.properties.iter().map(|name| format!("`{}`", one_line(name))).collect();
    let how = if search.shared { "over one visited set" } else { "each over its own visited set" };
    writeln!(out, "{strong}Search {number} for {}{strong:#}, {how}", names.join(", "))?;
    match search.ended.is_empty() {
        true => Ok(()),
        false => {
            let anew = if search.anew { "; begun anew below" } else { "" };
            writeln!(out, "  ended: {}{anew}", search.ended)
        }
    }
}

/// A line a guide: what became of it, and why.
fn guides(out: &mut dyn Write, search: &PlannedSearch) -> io::Result<()> {
    for guide in &search.guides {
        let name = guide.number.map_or("guide".into(), |number| format!("guide {number}"));
        let goal = match search.properties.len() {
            0 | 1 => String::new(),
            _ => format!(" for `{}`", one_line(&guide.property)),
        };
        let why = if guide.why.is_empty() { String::new() } else { format!(": {}", guide.why) };
        let became = match (guide.state, guide.made_at) {
            (GuideState::Made, Some(at)) => {
                format!("made at work {at}, in {}{why}", seconds(guide.seconds))
            }
            (GuideState::Made, None) => format!("made{why}"),
            (GuideState::Refused, _) => format!("not made{why}"),
            (GuideState::Waiting, _) => format!("waits{why}"),
        };
        writeln!(out, "  {name}: {}{goal}, {became}", guide.strategy)?;
    }
    Ok(())
}

/// What all turns of one search came to.
#[derive(Default)]
struct Share {
    turns: u64,
    took: u64,
    expanded: u64,
    least: Option<u32>,
    found: usize,
}

/// A table: who took what.
fn shares(out: &mut dyn Write, search: &PlannedSearch) -> io::Result<()> {
    let mut shares: BTreeMap<(Searcher, Option<u64>), (String, Share)> = BTreeMap::new();
    for turn in &search.turns {
        let entry = shares.entry((turn.search, turn.guide));
        let (_, share) = entry.or_insert_with(|| (turn.name(), Share::default()));
        share.turns += turn.turns;
        share.took += turn.took;
        share.expanded += turn.expanded;
        share.least = turn.least.or(share.least);
        share.found += turn.found.len();
    }
    if shares.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n  {:<14} {:>6} {:>12} {:>12} {:>6} {:>6}",
        "search", "turns", "work", "expanded", "least", "found"
    )?;
    for (name, share) in shares.values() {
        let Share { turns, took, expanded, least, found } = share;
        let least = least.map_or("-".into(), |least| least.to_string());
        let found = if *found == 0 { "-".into() } else { found.to_string() };
        writeln!(out, "  {name:<14} {turns:>6} {took:>12} {expanded:>12} {least:>6} {found:>6}")?;
    }
    Ok(())
}

/// What happened, by the work at which it had.
fn events(out: &mut dyn Write, search: &PlannedSearch, layout: &Layout) -> io::Result<()> {
    let mut told = Vec::new();
    let mut least: BTreeMap<u64, u32> = BTreeMap::new();
    let mut proven = 0;
    for turn in &search.turns {
        if let (Some(guide), Some(now)) = (turn.guide, turn.least) {
            let before = least.insert(guide, now);
            if before.is_none_or(|before| now < before) {
                told.push((turn.ended_at(), format!("{}: least estimate {now}", turn.name())));
            }
        }
        told.extend(found(turn));
        if turn.at_least > proven {
            proven = turn.at_least;
            let steps = counted(proven, "step");
            told.push((turn.ended_at(), format!("proven: nothing else is nearer than {steps}")));
        }
    }
    if let Some(improved) = &search.improved {
        let at = search.turns.last().map_or(0, PlannedTurn::ended_at);
        let end = match improved.complete {
            true => "nothing shorter is left".into(),
            false => format!("at least {}", counted(improved.at_least, "step")),
        };
        let (below, expanded) = (counted(improved.below, "step"), improved.expanded);
        let text = format!("breadth-first below {below}, {expanded} expanded: {end}");
        told.push((at, text));
    }
    // Where somebody reads, the middle of a long story is left out.
    let most = layout.most_steps.max(2);
    let (head, tail) = match told.len() > most {
        true => (most / 2, told.len() - most / 2),
        false => (told.len(), told.len()),
    };
    let width = told.last().map_or(1, |(at, _)| at.to_string().len());
    writeln!(out)?;
    for (at, event) in &told[..head] {
        writeln!(out, "  {at:>width$}  {event}")?;
    }
    if tail > head {
        writeln!(out, "  {:>width$}  {} more", "…", tail - head)?;
    }
    told[tail..].iter().try_for_each(|(at, event)| writeln!(out, "  {at:>width$}  {event}"))
}

fn found(turn: &PlannedTurn) -> impl Iterator<Item = (u64, String)> {
    turn.found.iter().map(|finding| {
        let (property, steps) = (one_line(&finding.property), counted(finding.length, "step"));
        (turn.ended_at(), format!("{} finds `{property}`: {steps}", turn.name()))
    })
}

fn result(out: &mut dyn Write, result: &PlannedResult, palette: &Palette) -> io::Result<()> {
    let style = match result.verdict {
        Verdict::Holds => palette.good,
        Verdict::Violated => palette.bad,
        Verdict::Unknown => palette.unsure,
    };
    let length = result.length.map_or(String::new(), |length| {
        let proven = match (result.optimal, result.at_least) {
            (true, _) => " (shortest)".into(),
            (false, Some(least)) => format!(" (at least {least})"),
            (false, None) => String::new(),
        };
        format!(": {}{proven}", counted(length, "step"))
    });
    let (property, reason) = (one_line(&result.property), &result.reason);
    writeln!(out, "{property}: {style}{}{style:#}{length}, {reason}", result.verdict)
}
