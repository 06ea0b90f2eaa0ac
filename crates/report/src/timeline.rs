//! Timelines: where each process is, when.
//!
//! Of a run of a model with clocks the text is a table, a row a step: when it is
//! taken, and for those that moved where they are then. The picture has time from
//! left to right and a lane a process. In it steps at the same time stand side by
//! side, so that none hides another.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

use crate::format::{Draw, Format};
use crate::plot::escaped;
use crate::style::Palette;
use homing_witness::outcome::{StepOutcome, TraceOutcome};

/// Where each process is, when.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// The processes, in the order of the model.
    pub lanes: Vec<Lane>,
    /// When each step is taken, as it is written, and when the run ends.
    pub times: Vec<Box<str>>,
    /// What is wrong at the end.
    pub end: Option<String>,
}

/// Where one process is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// The process.
    pub process: Arc<str>,
    /// Where it starts.
    pub start: Arc<str>,
    /// The steps it takes part in, counted from one, and where each leads.
    pub moves: Vec<(usize, Arc<str>)>,
}

/// The timeline as text.
pub const TEXT: Format<Draw> = Format {
    name: "timeline",
    about: "when each process is where, as text",
    write: |out, run, palette| text(out, &timeline(run.outcome), palette),
};

/// The timeline as a picture.
pub const SVG: Format<Draw> = Format {
    name: "timeline-svg",
    about: "the same, as a picture",
    write: |out, run, _| out.write_all(svg(&timeline(run.outcome)).as_bytes()),
};

/// The timeline of a run. Without clocks, all happens at time 0.
pub fn timeline(trace: &TraceOutcome) -> Timeline {
    let mut lanes: Vec<Lane> = Vec::new();
    for step in &trace.steps {
        for taken in step.all().flat_map(|one| &one.moves) {
            let known = lanes.iter_mut().find(|lane| *lane.process == *taken.process);
            let to: Arc<str> = taken.to.as_str().into();
            match known {
                Some(lane) => lane.moves.push((step.step, to)),
                None => lanes.push(Lane {
                    process: taken.process.as_str().into(),
                    start: taken.from.as_str().into(),
                    moves: vec![(step.step, to)],
                }),
            }
        }
    }
    let place = |lane: &Lane| trace.initial.iter().position(|one| one.name == lane.process);
    lanes.sort_by_key(|lane| place(lane).unwrap_or(usize::MAX));
    let at = |step: &StepOutcome| step.time.as_ref().map_or("0".into(), |time| time.at.clone());
    let end = trace.time.as_ref().map_or("0".into(), |time| time.at.clone());
    Timeline {
        lanes,
        times: trace.steps.iter().map(at).chain([end]).collect(),
        end: trace.cause.as_ref().map(|cause| cause.message.clone()),
    }
}

/// Writes a timeline as a table.
pub fn text(out: &mut dyn Write, timeline: &Timeline, palette: &Palette) -> io::Result<()> {
    let Palette { strong, faint, fresh, .. } = palette;
    let width = |lane: &Lane| {
        let places = lane.moves.iter().map(|(_, to)| to).chain([&lane.start, &lane.process]);
        places.map(|place| place.chars().count()).max().unwrap_or(0) + 3
    };
    let time = timeline.times.iter().map(|time| time.len()).max().unwrap_or(1).max(4);
    let step = timeline.times.len().to_string().len().max(4);
    write!(out, "{faint}{:>time$}  {:>step$}{faint:#}", "time", "step")?;
    for lane in &timeline.lanes {
        write!(out, "  {strong}{:<w$}{strong:#}", lane.process, w = width(lane))?;
    }
    writeln!(out)?;
    write!(out, "{:>time$}  {:>step$}", "0", "")?;
    for lane in &timeline.lanes {
        write!(out, "  {:<w$}", lane.start, w = width(lane))?;
    }
    writeln!(out)?;
    let steps = timeline.times.len().saturating_sub(1);
    for (number, at) in (1..=steps).zip(&timeline.times) {
        write!(out, "{at:>time$}  {faint}{number:>step$}{faint:#}")?;
        for lane in &timeline.lanes {
            let to = lane.moves.iter().rfind(|(step, _)| *step == number).map(|(_, to)| to);
            let w = width(lane);
            match to {
                Some(to) => write!(out, "  {fresh}> {to:<w$}{fresh:#}", w = w - 2)?,
                None => write!(out, "  {faint}{:<w$}{faint:#}", "|")?,
            }
        }
        writeln!(out)?;
    }
    let end = timeline.end.as_deref().unwrap_or("");
    match timeline.times.last() {
        Some(at) => writeln!(out, "{at:>time$}  {:>step$}  {end}", ""),
        None => Ok(()),
    }
}

const LEFT: f64 = 120.0;
const TOP: f64 = 40.0;
const LANE: f64 = 44.0;
/// What a step takes besides its time.
const STEP: f64 = 46.0;
/// What the whole time takes besides the steps.
const TIME: f64 = 400.0;

/// A timeline as a picture. The same run always gives the same bytes.
pub fn svg(timeline: &Timeline) -> String {
    let places = places(&timeline.times);
    let end = places.last().copied().unwrap_or(LEFT) + STEP;
    let bottom = TOP + LANE * timeline.lanes.len() as f64;
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        end + 20.0,
        bottom + 60.0
    );
    for (row, lane) in timeline.lanes.iter().enumerate() {
        draw_lane(&mut out, lane, TOP + LANE * row as f64, &places, end);
    }
    let steps = timeline.times.len().saturating_sub(1);
    for (i, (at, x)) in timeline.times.iter().zip(&places).enumerate() {
        let name = if i < steps { (i + 1).to_string() } else { String::new() };
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#0072b2\" \
             stroke-dasharray=\"2 2\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            TOP - 10.0,
            TOP - 16.0,
            bottom + 16.0,
            escaped(at)
        );
    }
    if let Some(end) = &timeline.end {
        let _ = writeln!(
            out,
            "<text x=\"{LEFT:.0}\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
            bottom + 40.0,
            escaped(end)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Where the steps, and the end, stand.
fn places(times: &[Box<str>]) -> Vec<f64> {
    let whole = times.last().map_or(0.0, |time| value(time)).max(1e-9);
    let place =
        |(i, time): (usize, f64)| LEFT + STEP * (i as f64 + 1.0) + TIME * (time / whole).min(1.0);
    times.iter().map(|time| value(time)).enumerate().map(place).collect()
}

/// The value of a fraction, as far as a picture needs it.
fn value(time: &str) -> f64 {
    let (above, below) = time.split_once('/').unwrap_or((time, "1"));
    above.parse::<f64>().unwrap_or(0.0) / below.parse::<f64>().unwrap_or(1.0)
}

fn draw_lane(out: &mut String, lane: &Lane, y: f64, places: &[f64], end: f64) {
    let _ = writeln!(
        out,
        "<text x=\"8\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
        y + LANE / 2.0,
        escaped(&lane.process)
    );
    let place = |step: usize| places.get(step - 1).copied().unwrap_or(end);
    let starts = std::iter::once((LEFT, &lane.start));
    let stays: Vec<(f64, &Arc<str>)> =
        starts.chain(lane.moves.iter().map(|(step, to)| (place(*step), to))).collect();
    for (i, (from, at)) in stays.iter().enumerate() {
        let to = stays.get(i + 1).map_or(end, |(next, _)| *next);
        let fill = if i % 2 == 0 { "#e6f0f7" } else { "#fdf0d5" };
        let _ = writeln!(
            out,
            "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\" \
             stroke=\"#999999\"/>\n<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            y + 6.0,
            to - from,
            LANE - 12.0,
            from + 4.0,
            y + LANE / 2.0 + 4.0,
            escaped(at)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_witness::outcome::{Move, MoveOutcome, TimeOutcome};

    fn step(number: usize, at: &str, process: &str, from: &str, to: &str) -> StepOutcome {
        let taken = Move {
            process: process.into(),
            from: from.into(),
            to: to.into(),
            file: String::new(),
            line: 1,
            column: 1,
            text: String::new(),
            statement: false,
        };
        let first = MoveOutcome { moves: vec![Arc::new(taken)], ..MoveOutcome::default() };
        let time = Some(TimeOutcome { delay: "0".into(), at: at.into() });
        StepOutcome { step: number, time, first, ..StepOutcome::default() }
    }

    fn example() -> Timeline {
        let steps = vec![
            step(1, "3/2", "P", "idle", "req"),
            step(2, "3/2", "Q", "a", "b & c"),
            step(3, "4", "P", "req", "cs"),
        ];
        let time = Some(TimeOutcome { delay: "1".into(), at: "5".into() });
        timeline(&TraceOutcome {
            repeats: None,
            length: 3,
            cost: vec![],
            initial: vec![],
            steps,
            cause: None,
            why: None,
            time,
        })
    }

    #[test]
    fn a_row_a_step() {
        let mut out = Vec::new();
        text(&mut out, &example(), &Palette::plain()).unwrap();
        let lines: Vec<String> =
            String::from_utf8(out).unwrap().lines().map(|line| line.trim_end().into()).collect();
        let expected = [
            "time  step  P        Q",
            "   0        idle     a",
            " 3/2     1  > req    |",
            " 3/2     2  |        > b & c",
            "   4     3  > cs     |",
            "   5",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn pictures_are_in_the_order_of_time() {
        let timeline = example();
        let places = places(&timeline.times);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
        let picture = svg(&timeline);
        assert!(picture.starts_with("<svg") && picture.contains("b &amp; c"), "{picture}");
        assert_eq!(picture.matches("<rect").count(), 1 + 3 + 2);
    }
}
