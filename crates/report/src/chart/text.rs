//! Charts for a terminal.
//!
//! ```text
//!      P[0]       Q[1]
//!  1    |--- c!1 --->|
//!  2    o q!1 (1)    |
//!  3    |            * q?1 (1)
//! ```
//! `o` sends into a buffer, `*` receives from one; the number is the message's.

use std::io::{self, Write};

use super::{Chart, Event};
use crate::style::Palette;

/// Columns are not wider; longer texts are cut.
const WIDEST: usize = 36;

/// Writes a chart.
pub fn text(out: &mut dyn Write, chart: &Chart, palette: &Palette) -> io::Result<()> {
    let Palette { strong, faint, .. } = palette;
    if chart.columns.is_empty() {
        return writeln!(out, "{faint}no message is sent in this run{faint:#}");
    }
    let margin = chart.rows.last().map_or(1, |row| row.step.to_string().len());
    let grid = Grid { width: width(chart), columns: chart.columns.len() };
    let mut head = Vec::new();
    for (column, name) in chart.columns.iter().enumerate() {
        let start = grid.centre(column).saturating_sub(name.chars().count() / 2);
        let free = if column == 0 { 0 } else { head.len() + 1 };
        put(&mut head, start.max(free), name);
    }
    writeln!(out, "{:margin$}  {strong}{}{strong:#}", "", line(head))?;
    let mut last = 0;
    for (index, row) in chart.rows.iter().enumerate() {
        if chart.repeats == Some(index) {
            writeln!(out, "{faint}and then for ever:{faint:#}")?;
        }
        let number = if row.step == last { String::new() } else { row.step.to_string() };
        last = row.step;
        for drawn in grid.row(&row.event) {
            writeln!(out, "{faint}{number:>margin$}{faint:#}  {}", line(drawn))?;
        }
    }
    chart.end.iter().try_for_each(|end| writeln!(out, "{end}"))
}

fn line(cells: Vec<char>) -> String {
    let text: String = cells.into_iter().collect();
    text.trim_end().to_string()
}

/// The distance of columns: every text has room beside its lifeline.
fn width(chart: &Chart) -> usize {
    let names = chart.columns.iter().map(|name| name.chars().count() + 2);
    let texts = chart.rows.iter().map(|row| match &row.event {
        Event::Passes { label, .. } => label.chars().count() + 8,
        Event::Prints { text, .. } => text.chars().count().min(WIDEST / 2) + 5,
        event => beside(event).chars().count() + 4,
    });
    names.chain(texts).max().unwrap_or(0).clamp(10, WIDEST)
}

/// What stands beside the lifeline.
fn beside(event: &Event) -> String {
    match event {
        Event::Passes { label, .. } => label.clone(),
        Event::Sends { label, message, .. } | Event::Receives { label, message, .. } => {
            format!("{label} ({message})")
        }
        Event::Prints { text, .. } => format!("\"{text}\""),
    }
}

struct Grid {
    width: usize,
    columns: usize,
}

impl Grid {
    fn centre(&self, column: usize) -> usize {
        6 + column * self.width
    }

    /// The lines of an event: one, or one a receiver.
    fn row(&self, event: &Event) -> Vec<Vec<char>> {
        let mark = match event {
            Event::Passes { from, to, label } => {
                return to.iter().map(|to| self.arrow(*from, *to, label)).collect();
            }
            Event::Sends { who, .. } => ('o', *who),
            Event::Receives { who, .. } => ('*', *who),
            Event::Prints { who, .. } => ('|', *who),
        };
        let (sign, who) = mark;
        let mut cells = self.lifelines();
        let at = self.centre(who);
        cells[at] = sign;
        let room = if who + 1 == self.columns { usize::MAX } else { self.width - 3 };
        put(&mut cells, at + 2, &cut(&beside(event), room));
        vec![cells]
    }

    fn lifelines(&self) -> Vec<char> {
        let mut cells = vec![' '; self.centre(self.columns - 1) + 1];
        (0..self.columns).for_each(|column| cells[self.centre(column)] = '|');
        cells
    }

    fn arrow(&self, from: usize, to: usize, label: &str) -> Vec<char> {
        let mut cells = self.lifelines();
        let (left, right) = (self.centre(from.min(to)), self.centre(from.max(to)));
        if left == right {
            put(&mut cells, left + 2, label);
            return cells;
        }
        cells[left + 1..right].fill('-');
        if from < to {
            cells[right - 1] = '>';
        } else {
            cells[left + 1] = '<';
        }
        let label = cut(label, right - left - 7);
        let start = left + (right - left).saturating_sub(label.chars().count()) / 2;
        put(&mut cells, start, &format!(" {label} "));
        cells
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Writes over cells, and beyond their end.
fn put(cells: &mut Vec<char>, start: usize, text: &str) {
    for (at, c) in (start..).zip(text.chars()) {
        if cells.len() <= at {
            cells.resize(at + 1, ' ');
        }
        cells[at] = c;
    }
}
