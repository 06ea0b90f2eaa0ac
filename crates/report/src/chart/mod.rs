//! Message sequence charts: who sends what to whom in a run.
//!
//! Processes are columns, time runs downwards. A message that passes directly
//! is one row; one that goes through a buffer is a row where it is sent and
//! another where it is received. Buffers are followed by the positions that
//! the interpreter tells, so that every receive finds the send it belongs to,
//! whatever the order in the buffer. Steps without messages are left out; what
//! the model prints is kept.

mod mermaid;
mod svg;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use homing_witness::outcome::{MessageOutcome, MessageWay, MoveOutcome, TraceOutcome, one_line};

pub use mermaid::mermaid;
pub use svg::svg;
pub use text::text;

use crate::format::{Draw, Format};

/// The chart as text.
pub const TEXT: Format<Draw> = Format {
    name: "text",
    about: "messages, as text",
    write: |out, run, palette| text(out, &chart(run.outcome), palette),
};

/// The chart for Mermaid.
pub const MERMAID: Format<Draw> = Format {
    name: "mermaid",
    about: "messages, for Mermaid",
    write: |out, run, _| mermaid(out, &chart(run.outcome)),
};

/// The chart as a picture.
pub const SVG: Format<Draw> = Format {
    name: "svg",
    about: "messages, as a picture",
    write: |out, run, _| out.write_all(svg(&chart(run.outcome)).as_bytes()),
};

/// A message sequence chart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chart {
    /// The processes, from left to right.
    pub columns: Vec<Arc<str>>,
    /// What happens, from top to bottom.
    pub rows: Vec<Row>,
    /// The first row of those that repeat for ever.
    pub repeats: Option<usize>,
    /// What is wrong at the end.
    pub end: Option<String>,
}

/// One row of a chart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The step it belongs to, counted from one.
    pub step: usize,
    /// What happens.
    pub event: Event,
}

/// What happens in a row; processes are named by their columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A message goes from one process to others at once.
    Passes {
        /// The sender.
        from: usize,
        /// The receivers.
        to: Vec<usize>,
        /// The message.
        label: String,
    },
    /// A message is put into a buffer.
    Sends {
        /// The sender.
        who: usize,
        /// The message.
        label: String,
        /// The number of the message, from one.
        message: usize,
    },
    /// A message is received from a buffer.
    Receives {
        /// The receiver.
        who: usize,
        /// The message.
        label: String,
        /// The number of the message, from one.
        message: usize,
        /// The row in which it was sent.
        sent: usize,
    },
    /// A process prints something.
    Prints {
        /// The process.
        who: usize,
        /// What.
        text: String,
    },
}

/// The chart of a run.
pub fn chart(trace: &TraceOutcome) -> Chart {
    let mut drawing = Drawing { chart: Chart::default(), buffers: BTreeMap::new(), messages: 0 };
    drawing.chart.columns = columns(trace);
    for step in &trace.steps {
        for one in step.all() {
            drawing.add(step.step, one);
        }
    }
    drawing.chart.repeats = trace
        .repeats
        .and_then(|before| drawing.chart.rows.iter().position(|row| row.step > before));
    drawing.chart.end = trace.cause.as_ref().map(|cause| match &cause.place {
        Some(place) => format!("{} {}:{} {}", cause.message, place.file, place.line, place.text),
        None => cause.message.clone(),
    });
    drawing.chart
}

/// Those who take part, in the order of the model.
fn columns(trace: &TraceOutcome) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    let mut add = |name: &str| {
        if !found.iter().any(|known| **known == *name) {
            found.push(name.into());
        }
    };
    for one in trace.steps.iter().flat_map(|step| step.all()) {
        if let Some(message) = &one.message {
            message.sender.iter().chain(&message.receivers).for_each(|name| add(name));
        }
        if let (Some(_), Some(first)) = (&one.printed, one.moves.first()) {
            add(&first.process);
        }
    }
    let place = |name: &Arc<str>| trace.initial.iter().position(|binding| binding.name == *name);
    found.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    found
}

struct Drawing {
    chart: Chart,
    /// By channel, the number of every message and the row in which it was
    /// sent.
    buffers: BTreeMap<Arc<str>, Vec<(usize, usize)>>,
    messages: usize,
}

impl Drawing {
    fn column(&self, name: &str) -> usize {
        self.chart.columns.iter().position(|known| **known == *name).unwrap_or(0)
    }

    fn add(&mut self, step: usize, one: &MoveOutcome) {
        if let Some(message) = &one.message
            && let Some(event) = self.message(message)
        {
            self.chart.rows.push(Row { step, event });
        }
        if let (Some(printed), Some(first)) = (&one.printed, one.moves.first()) {
            let who = self.column(&first.process);
            for line in printed.lines() {
                let event = Event::Prints { who, text: one_line(line) };
                self.chart.rows.push(Row { step, event });
            }
        }
    }

    fn message(&mut self, message: &MessageOutcome) -> Option<Event> {
        let label = |sign: char| {
            let values: Vec<String> = message.values.iter().map(ToString::to_string).collect();
            format!("{}{sign}{}", message.channel, values.join(","))
        };
        let row = self.chart.rows.len();
        let buffer = self.buffers.entry(message.channel.clone()).or_default();
        let at = message.position.unwrap_or(0);
        match message.way {
            MessageWay::Direct => {
                let from = self.column(message.sender.as_ref()?);
                let to = message.receivers.iter().map(|name| self.column(name)).collect();
                Some(Event::Passes { from, to, label: label('!') })
            }
            MessageWay::Sent => {
                self.messages += 1;
                let number = self.messages;
                buffer.insert(at.min(buffer.len()), (number, row));
                let who = self.column(message.sender.as_ref()?);
                Some(Event::Sends { who, label: label('!'), message: number })
            }
            MessageWay::Received | MessageWay::Kept => {
                let (number, sent) = *buffer.get(at)?;
                if message.way == MessageWay::Received {
                    buffer.remove(at);
                }
                let who = self.column(message.receivers.first()?);
                Some(Event::Receives { who, label: label('?'), message: number, sent })
            }
        }
    }
}

#[cfg(test)]
mod tests;
