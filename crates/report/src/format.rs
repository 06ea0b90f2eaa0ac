//! Output formats: a row each, in the file that writes it.
//!
//! A table of rows is what a command offers; its help, its list of names and its choice all
//! come from the table. To add a format: a function that writes, a row beside it, and the
//! row in its table.

use std::io::{self, Write};

use homing_ir::{Network, Trace};
use homing_witness::outcome::TraceOutcome;

use crate::style::Palette;
use crate::{chart, timeline, uppaal_trace};

/// A way to write something: `W` is the function that does.
#[derive(Debug)]
pub struct Format<W> {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Writes.
    pub write: W,
}

/// A run that was executed, in all its forms.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The model.
    pub network: &'a Network,
    /// What is told of the run.
    pub outcome: &'a TraceOutcome,
    /// Its steps.
    pub trace: &'a Trace,
}

/// Draws a run.
pub type Draw = fn(&mut dyn Write, &Shown, &Palette) -> io::Result<()>;

/// The ways to draw a run.
pub const RUNS: &[Format<Draw>] =
    &[chart::TEXT, chart::MERMAID, chart::SVG, timeline::TEXT, timeline::SVG, uppaal_trace::TEXT];

/// The format of a name; or which there are.
pub fn named<W>(all: &'static [Format<W>], name: &str) -> Result<&'static Format<W>, String> {
    let names = || all.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
    all.iter().find(|one| one.name == name).ok_or_else(|| format!("there are: {}", names()))
}

/// The formats and what they are, for a help text.
pub fn listed<W>(all: &[Format<W>]) -> String {
    let one = |format: &Format<W>| format!("{} ({})", format.name, format.about);
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_by_name() {
        assert_eq!(named(RUNS, "mermaid").unwrap().name, "mermaid");
        let wrong = named(RUNS, "png").unwrap_err();
        assert!(wrong.starts_with("there are: text, "), "{wrong}");
        let names = RUNS.iter().map(|one| one.name);
        assert_eq!(names.collect::<std::collections::BTreeSet<_>>().len(), RUNS.len());
        assert!(listed(RUNS).contains("mermaid ("));
    }
}
