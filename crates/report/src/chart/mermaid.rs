//! Charts as Mermaid's `sequenceDiagram`, which many sites show as pictures.

use std::io::{self, Write};

use super::{Chart, Event};

/// Writes a chart.
pub fn mermaid(out: &mut dyn Write, chart: &Chart) -> io::Result<()> {
    writeln!(out, "sequenceDiagram")?;
    for (column, name) in chart.columns.iter().enumerate() {
        writeln!(out, "    participant p{column} as {}", escaped(name))?;
    }
    for (index, row) in chart.rows.iter().enumerate() {
        if chart.repeats == Some(index) {
            writeln!(out, "    loop for ever")?;
        }
        event(out, chart, &row.event)?;
    }
    if chart.repeats.is_some() {
        writeln!(out, "    end")?;
    }
    match (&chart.end, chart.columns.len()) {
        (Some(end), 1..) => {
            let last = chart.columns.len() - 1;
            let over = if last == 0 { "p0".into() } else { format!("p0,p{last}") };
            writeln!(out, "    Note over {over}: {}", escaped(end))
        }
        _ => Ok(()),
    }
}

fn event(out: &mut dyn Write, chart: &Chart, event: &Event) -> io::Result<()> {
    match event {
        Event::Passes { from, to, label } => {
            to.iter().try_for_each(|to| writeln!(out, "    p{from}->>p{to}: {}", escaped(label)))
        }
        Event::Sends { who, label, message } => {
            writeln!(out, "    Note over p{who}: {} ({message})", escaped(label))
        }
        // There are no slanted arrows: the message is drawn where it arrives.
        Event::Receives { who, label, message, sent } => {
            let from = match chart.rows.get(*sent).map(|row| &row.event) {
                Some(Event::Sends { who, .. }) => *who,
                _ => *who,
            };
            writeln!(out, "    p{from}-)p{who}: {} ({message})", escaped(label))
        }
        Event::Prints { who, text } => writeln!(out, "    Note over p{who}: {}", escaped(text)),
    }
}

/// Signs that end a statement or begin a code are written as codes.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | ';' | ':' | '<' | '>' | '"' => safe.push_str(&format!("#{};", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}
