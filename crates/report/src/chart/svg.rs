//! Charts as SVG. The same run always gives the same bytes.

use std::fmt::Write as _;

use super::{Chart, Event};
use crate::plot::escaped;

const COLUMN: usize = 170;
const ROW: usize = 28;
const TOP: usize = 56;
const LEFT: usize = 90;
/// Room for texts beside the last lifeline.
const RIGHT: usize = 200;

/// A chart as a picture.
pub fn svg(chart: &Chart) -> String {
    let columns = chart.columns.len().max(1);
    let width = LEFT + (columns - 1) * COLUMN + RIGHT;
    let bottom = TOP + (chart.rows.len() + 1) * ROW;
    let mut picture = Picture { out: String::new() };
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
        picture.text((x(column), TOP - 24), "middle", "bold", name);
        picture.line((x(column), TOP - 12), (x(column), bottom), "#999999", "");
    }
    if let Some(row) = chart.repeats {
        let (level, dashed) = (y(row) - ROW / 2, " stroke-dasharray=\"4 3\"");
        picture.line((8, level), (width - 8, level), "#999999", dashed);
        picture.text((width - 8, level - 4), "end", "normal", "and then for ever");
    }
    let mut last = 0;
    for (row, one) in chart.rows.iter().enumerate() {
        if one.step != last {
            picture.text((28, y(row) + 4), "end", "normal", &one.step.to_string());
            last = one.step;
        }
        picture.event(chart, row, &one.event);
    }
    if let Some(end) = &chart.end {
        picture.text((LEFT - 60, bottom + 16), "start", "bold", end);
    }
    picture.out.push_str("</svg>\n");
    picture.out
}

fn x(column: usize) -> usize {
    LEFT + column * COLUMN
}

fn y(row: usize) -> usize {
    TOP + row * ROW + ROW / 2
}

struct Picture {
    out: String,
}

impl Picture {
    fn event(&mut self, chart: &Chart, row: usize, event: &Event) {
        let arrow = " marker-end=\"url(#head)\"";
        match event {
            Event::Passes { from, to, label } => {
                for to in to {
                    self.line((x(*from), y(row)), (x(*to), y(row)), "#000000", arrow);
                    let middle = usize::midpoint(x(*from), x(*to));
                    self.text((middle, y(row) - 5), "middle", "normal", label);
                }
            }
            Event::Sends { who, label, message } => {
                self.dot((x(*who), y(row)));
                let label = format!("{label} ({message})");
                self.text((x(*who) + 8, y(row) - 5), "start", "normal", &label);
            }
            Event::Receives { who, label, message, sent } => {
                if let Some(Event::Sends { who: from, .. }) =
                    chart.rows.get(*sent).map(|row| &row.event)
                {
                    self.line((x(*from), y(*sent)), (x(*who), y(row)), "#0072b2", arrow);
                }
                let label = format!("{label} ({message})");
                self.text((x(*who) + 8, y(row) + 12), "start", "normal", &label);
            }
            Event::Prints { who, text } => {
                let quoted = format!("\u{201c}{text}\u{201d}");
                self.text((x(*who) + 8, y(row) + 4), "start", "normal", &quoted);
            }
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
