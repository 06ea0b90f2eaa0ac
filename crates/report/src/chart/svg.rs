//! Charts as SVG. The same run always gives the same bytes.

use std::fmt::Write as _;

use super::{Chart, Event};
use crate::plot::escaped;

/// The least distance of two lifelines, and of the first from the border.
const COLUMN: usize = 170;
const ROW: usize = 28;
const LEFT: usize = 90;
const TOP: usize = 56;
/// The width of a letter, about, and of a bold one.
const LETTER: usize = 7;
const BOLD: usize = 8;
/// What is written below a chart begins here.
const END: usize = LEFT - 60;

/// A chart as a picture.
pub fn svg(chart: &Chart) -> String {
    let longest = chart.columns.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let column = COLUMN.max(longest * BOLD + 16);
    let left = LEFT.max(column / 2);
    let mut picture = Picture { out: String::new(), left, column, repeats: chart.repeats };
    let rows = chart.rows.len() + usize::from(chart.repeats.is_some());
    let bottom = TOP + (rows + 1) * ROW;
    let width = picture.width(chart);
    // Writing to a string does not fail.
    let _ = writeln!(
        picture.out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><marker id=\"head\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0 L10 5 L0 10 z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        bottom + ROW
    );
    for (column, name) in chart.columns.iter().enumerate() {
        let x = picture.x(column);
        picture.text((x, TOP - 24), "middle", "bold", name);
        picture.line((x, TOP - 12), (x, bottom), "#999999", "");
    }
    if let Some(row) = chart.repeats {
        let (level, dashed) = (picture.y(row) - 3 * ROW / 4, " stroke-dasharray=\"4 3\"");
        picture.line((8, level), (width - 8, level), "#999999", dashed);
        picture.text((width - 8, level - 4), "end", "normal", FOR_EVER);
    }
    let mut last = 0;
    for (row, one) in chart.rows.iter().enumerate() {
        if one.step != last {
            picture.text((28, picture.y(row) + 4), "end", "normal", &one.step.to_string());
            last = one.step;
        }
        picture.event(chart, row, &one.event);
    }
    if let Some(end) = &chart.end {
        picture.text((END, bottom + 16), "start", "bold", end);
    }
    picture.out.push_str("</svg>\n");
    picture.out
}

const FOR_EVER: &str = "and then for ever";

struct Picture {
    out: String,
    /// Where the first lifeline is.
    left: usize,
    /// The distance of two lifelines.
    column: usize,
    /// Above this row there is a line.
    repeats: Option<usize>,
}

/// What is written beside a lifeline, where an event has it.
fn beside(event: &Event) -> Option<(usize, String)> {
    match event {
        Event::Passes { .. } => None,
        Event::Sends { who, label, message } | Event::Receives { who, label, message, .. } => {
            Some((*who, format!("{label} ({message})")))
        }
        Event::Prints { who, text } => Some((*who, format!("\u{201c}{text}\u{201d}"))),
    }
}

impl Picture {
    fn x(&self, column: usize) -> usize {
        self.left + column * self.column
    }

    fn y(&self, row: usize) -> usize {
        let below = self.repeats.is_some_and(|repeats| repeats <= row);
        TOP + (row + usize::from(below)) * ROW + ROW / 2
    }

    /// Wide enough for all that is written.
    fn width(&self, chart: &Chart) -> usize {
        let columns = self.x(chart.columns.len().max(1) - 1) + self.column / 2;
        let end = chart.end.iter().map(|end| END + end.chars().count() * BOLD);
        let texts = chart.rows.iter().map(|row| match (&row.event, beside(&row.event)) {
            (_, Some((who, text))) => self.x(who) + 8 + text.chars().count() * LETTER,
            (Event::Passes { from, to, label }, _) => {
                let first = to.first().copied().unwrap_or(*from);
                let middle = usize::midpoint(self.x(*from), self.x(first));
                middle + label.chars().count() * LETTER / 2
            }
            _ => 0,
        });
        texts.chain(end).fold(columns, usize::max) + 16
    }

    fn event(&mut self, chart: &Chart, row: usize, event: &Event) {
        let arrow = " marker-end=\"url(#head)\"";
        let y = self.y(row);
        match event {
            Event::Passes { from, to, label } => {
                for to in to {
                    self.line((self.x(*from), y), (self.x(*to), y), "#000000", arrow);
                }
                // However many receive it, it is one message.
                let first = to.first().copied().unwrap_or(*from);
                let middle = usize::midpoint(self.x(*from), self.x(first));
                // It must not reach into the numbers of steps.
                let middle = middle.max(36 + label.chars().count() * LETTER / 2);
                self.text((middle, y - 5), "middle", "normal", label);
            }
            Event::Sends { who, .. } => self.dot((self.x(*who), y)),
            Event::Receives { who, sent, .. } => {
                if let Some(Event::Sends { who: from, .. }) =
                    chart.rows.get(*sent).map(|row| &row.event)
                {
                    let start = (self.x(*from), self.y(*sent));
                    self.line(start, (self.x(*who), y), "#0072b2", arrow);
                }
            }
            Event::Prints { .. } => {}
        }
        if let Some((who, text)) = beside(event) {
            self.text((self.x(who) + 8, y + 4), "start", "normal", &text);
        }
    }

    fn line(&mut self, from: (usize, usize), to: (usize, usize), colour: &str, more: &str) {
        let _ = writeln!(
            self.out,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{colour}\"{more}/>",
            from.0, from.1, to.0, to.1
        );
    }

    fn dot(&mut self, at: (usize, usize)) {
        let _ = writeln!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"#0072b2\"/>",
            at.0, at.1
        );
    }

    fn text(&mut self, at: (usize, usize), anchor: &str, weight: &str, text: &str) {
        let _ = writeln!(
            self.out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" font-weight=\"{weight}\">{}</text>",
            at.0,
            at.1,
            escaped(text)
        );
    }
}
