//! What `homing accuracy` found: estimates beside exact distances, as plain
//! data, as text for people and as pictures.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plot::{Line, Plot, Scale};
use crate::style::{Palette, bytes, counted, seconds};
use crate::text::Layout;
use homing_witness::outcome::one_line;

/// What `homing accuracy` found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AccuracyOutcome {
    /// The model's file.
    pub model: String,
    /// The command that repeats the run.
    pub command: String,
    /// The goal whose distance is estimated.
    pub goal: String,
    /// The passes that ran over the model.
    pub passes: Vec<String>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Reachable states.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// States by their exact distance to the goal, from distance 0 on.
    pub distances: Vec<u64>,
    /// States from which the goal cannot be reached.
    pub dead_ends: u64,
    /// The exact distance of the initial state.
    pub shortest: Option<u32>,
    /// What a breadth-first search for the goal expands.
    pub blind: Expanded,
    /// One entry an estimate, in the order they were asked for.
    pub estimates: Vec<EstimateOutcome>,
    /// Seconds of exploring and of computing distances.
    pub seconds: f64,
}

/// One estimate beside the exact distances.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EstimateOutcome {
    /// The estimate's expression.
    pub estimate: String,
    /// Whether it claims to be admissible: never above the distance.
    pub admissible: bool,
    /// Whether it claims to be consistent: never falling faster than the
    /// distance can.
    pub consistent: bool,
    /// The estimate of the initial state; none where it is called a dead end.
    pub initial: Option<u32>,
    /// For every exact distance, what is estimated.
    pub by_distance: Vec<AtDistance>,
    /// The mean of the errors relative to the distance, in percent, over the
    /// states at a finite distance other than zero.
    pub mean_error: Option<f64>,
    /// States whose estimate is their distance, dead ends included.
    pub exact: u64,
    /// States whose estimate is above their distance, those wrongly called
    /// dead ends included.
    pub above: u64,
    /// Steps along which the estimate falls by more than one.
    pub inconsistent_steps: u64,
    /// Dead ends it recognises.
    pub dead_ends: u64,
    /// States that it calls dead ends although the goal can be reached.
    pub wrong_dead_ends: u64,
    /// What greedy search with it expands before the goal is found.
    pub greedy: Expanded,
    /// Seconds of making its tables.
    pub build_seconds: f64,
    /// Seconds of estimating every state once.
    pub seconds: f64,
    /// Bytes of its tables.
    pub bytes: u64,
}

/// What is estimated of the states at one exact distance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AtDistance {
    /// The exact distance.
    pub distance: u32,
    /// The states at this distance.
    pub states: u64,
    /// The mean estimate of those not called dead ends.
    pub mean: Option<f64>,
    /// Their mean difference between estimate and distance, in percent of the
    /// distance; none at distance zero.
    pub error: Option<f64>,
    /// Those wrongly called dead ends.
    pub wrong_dead_ends: u64,
}

/// What a search expanded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Expanded {
    /// States expanded.
    pub states: u64,
    /// By their distance from the initial state, from 0 on.
    pub by_depth: Vec<u64>,
    /// The length of the trace found.
    pub length: Option<u64>,
}

/// Writes what was found.
pub fn text(out: &mut dyn Write, outcome: &AccuracyOutcome, layout: &Layout) -> io::Result<()> {
    let Palette { strong, faint, .. } = layout.palette;
    writeln!(
        out,
        "{}: {}, {}; {}",
        one_line(&outcome.goal),
        counted(outcome.states, "state"),
        counted(outcome.transitions, "step"),
        match outcome.shortest {
            Some(steps) => format!("the goal is {} away", counted(u64::from(steps), "step")),
            None => "the goal cannot be reached".into(),
        }
    )?;
    writeln!(out, "breadth-first search: {}", expanded(&outcome.blind))?;
    for estimate in &outcome.estimates {
        writeln!(out, "\n{strong}{}{strong:#}", estimate.estimate)?;
        summary(out, outcome, estimate)?;
        table(out, estimate)?;
    }
    for notice in &outcome.notices {
        writeln!(out, "\n{faint}notice: {notice}{faint:#}")?;
    }
    Ok(())
}

fn summary(
    out: &mut dyn Write,
    outcome: &AccuracyOutcome,
    estimate: &EstimateOutcome,
) -> io::Result<()> {
    let claims = match (estimate.admissible, estimate.consistent) {
        (true, true) => "admissible, consistent",
        (true, false) => "admissible",
        (false, true) => "consistent",
        (false, false) => "nothing",
    };
    let percent = |part: u64, of: u64| match of {
        0 => String::new(),
        of => format!(" ({:.1} %)", 100.0 * part as f64 / of as f64),
    };
    let mean = estimate.mean_error.map_or("-".into(), |error| format!("{error:.1} %"));
    let ends = percent(estimate.dead_ends, outcome.dead_ends);
    let rows = [
        ("claims", claims.to_string()),
        ("mean error", mean),
        ("exact", format!("{}{}", estimate.exact, percent(estimate.exact, outcome.states))),
        ("above", format!("{}{}", estimate.above, percent(estimate.above, outcome.states))),
        (
            "inconsistent",
            format!("along {} of {}", estimate.inconsistent_steps, outcome.transitions),
        ),
        ("dead ends", format!("{} of {}{ends}", estimate.dead_ends, outcome.dead_ends)),
        ("wrong ends", estimate.wrong_dead_ends.to_string()),
        ("greedy search", expanded(&estimate.greedy)),
        (
            "cost",
            format!(
                "{} and {} to build, {} to estimate all states",
                seconds(estimate.build_seconds),
                bytes(estimate.bytes),
                seconds(estimate.seconds)
            ),
        ),
    ];
    for (name, value) in rows {
        writeln!(out, "  {name:<14} {value}")?;
    }
    Ok(())
}

fn expanded(search: &Expanded) -> String {
    let states = format!("{} expanded", counted(search.states, "state"));
    match search.length {
        Some(length) => format!("{states}, trace of {}", counted(length, "step")),
        None => format!("{states}, nothing found"),
    }
}

fn table(out: &mut dyn Write, estimate: &EstimateOutcome) -> io::Result<()> {
    if estimate.by_distance.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {:>8} {:>10} {:>10} {:>8}", "distance", "states", "mean", "error")?;
    for row in &estimate.by_distance {
        let mean = row.mean.map_or("-".into(), |mean| format!("{mean:.2}"));
        let error = row.error.map_or("-".into(), |error| format!("{error:.1} %"));
        let wrong = match row.wrong_dead_ends {
            0 => String::new(),
            wrong => format!("  {} wrong", counted(wrong, "dead end")),
        };
        writeln!(out, "  {:>8} {:>10} {:>10} {:>8}{wrong}", row.distance, row.states, mean, error)?;
    }
    Ok(())
}

impl AccuracyOutcome {
    /// The picture of the mean estimate over the exact distance, with the
    /// diagonal on which a perfect estimate lies.
    pub fn estimates_plot(&self) -> Plot {
        let last = self.distances.len().saturating_sub(1) as f64;
        let diagonal = Line::new("exact distance", vec![(0.0, 0.0), (last, last)]).as_reference();
        let mut lines = vec![diagonal];
        lines.extend(self.lines(|row| row.mean));
        Plot {
            title: "Mean estimate by exact distance to the goal".into(),
            x: "exact distance".into(),
            y: "mean estimate".into(),
            lines,
            ..Plot::default()
        }
    }

    /// The picture of the mean relative error over the exact distance.
    pub fn errors_plot(&self) -> Plot {
        Plot {
            title: "Mean relative error by exact distance to the goal".into(),
            x: "exact distance".into(),
            y: "mean relative error (%)".into(),
            lines: self.lines(|row| row.error),
            ..Plot::default()
        }
    }

    fn lines(&self, height: fn(&AtDistance) -> Option<f64>) -> Vec<Line> {
        let line = |estimate: &EstimateOutcome| {
            let points = estimate.by_distance.iter();
            let points = points.filter_map(|row| Some((f64::from(row.distance), height(row)?)));
            Line::new(&estimate.estimate, points.collect())
        };
        self.estimates.iter().map(line).collect()
    }

    /// The picture of the states that searches expand, over their depth.
    pub fn expanded_plot(&self) -> Plot {
        let line = |name: String, search: &Expanded| {
            let by_depth = search.by_depth.iter().enumerate();
            Line::new(name, by_depth.map(|(d, count)| (d as f64, *count as f64)).collect())
        };
        let mut lines = vec![line("breadth".into(), &self.blind).as_reference()];
        lines.extend(
            self.estimates.iter().map(|one| line(format!("greedy({})", one.estimate), &one.greedy)),
        );
        Plot {
            title: "Expanded states by their depth".into(),
            x: "steps from the initial state".into(),
            y: "expanded states".into(),
            scale: Scale::Logarithmic,
            lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> AccuracyOutcome {
        let at = |distance, states, mean| AtDistance {
            distance,
            states,
            mean: Some(mean),
            error: (distance > 0).then_some(25.0),
            wrong_dead_ends: 0,
        };
        AccuracyOutcome {
            model: "m.dve".into(),
            command: String::new(),
            goal: "x == 3".into(),
            passes: Vec::new(),
            notices: vec!["the table was made smaller".into()],
            states: 6,
            transitions: 7,
            distances: vec![1, 0, 4],
            dead_ends: 1,
            shortest: Some(2),
            blind: Expanded { states: 5, by_depth: vec![1, 4], length: Some(2) },
            estimates: vec![EstimateOutcome {
                estimate: "hamming".into(),
                admissible: true,
                consistent: false,
                initial: Some(1),
                by_distance: vec![at(0, 1, 0.0), at(2, 4, 1.5)],
                mean_error: Some(25.0),
                exact: 3,
                above: 0,
                inconsistent_steps: 0,
                dead_ends: 1,
                wrong_dead_ends: 0,
                greedy: Expanded { states: 1, by_depth: vec![1], length: None },
                build_seconds: 0.0,
                seconds: 0.0,
                bytes: 0,
            }],
            seconds: 0.1,
        }
    }

    #[test]
    fn the_text_has_a_row_a_distance() {
        let mut out = Vec::new();
        text(&mut out, &outcome(), &Layout::plain()).unwrap();
        let text = String::from_utf8(out).unwrap();
        for line in [
            "x == 3: 6 states, 7 steps; the goal is 2 steps away",
            "breadth-first search: 5 states expanded, trace of 2 steps",
            "  claims         admissible",
            "  exact          3 (50.0 %)",
            "  dead ends      1 of 1 (100.0 %)",
            "         2          4       1.50   25.0 %",
            "notice: the table was made smaller",
        ] {
            assert!(text.lines().any(|one| one == line), "no `{line}` in\n{text}");
        }
    }

    #[test]
    fn pictures_have_a_line_an_estimate() {
        let outcome = outcome();
        assert_eq!(outcome.estimates_plot().lines.len(), 2);
        assert_eq!(outcome.estimates_plot().lines[0].points, [(0.0, 0.0), (2.0, 2.0)]);
        assert_eq!(outcome.errors_plot().lines[0].points, [(2.0, 25.0)]);
        assert_eq!(outcome.expanded_plot().lines[1].points, [(0.0, 1.0)]);
    }
}
