//! Whole texts: what becomes of them, and what is said about them.

use homing_ir::{Diagnostic, Severity, Sources};

use super::syntax::Document;
use crate::Settings;
use crate::reports::Reports;

mod corpus;
mod fuzz;
mod hostile;
mod print;
mod trees;

/// A text with nearly everything the language has, as one file.
pub const EVERYTHING: &str = include_str!("everything.xta");

/// The same in XML, with what only XML has.
pub const EVERYTHING_XML: &str = include_str!("everything.xml");

/// What became of a text.
pub struct Outcome {
    pub sources: Sources,
    pub document: Option<Document>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a text.
pub fn outcome(name: &str, text: &str) -> Outcome {
    outcome_with(name, text, None)
}

/// Reads a text and a file of queries.
pub fn outcome_with(name: &str, text: &str, queries: Option<(&str, &str)>) -> Outcome {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let settings = Settings { queries, ..Settings::default() };
    let document = super::document(name, text, &settings, &mut sources, &mut reports);
    Outcome { sources, document, diagnostics: reports.finish() }
}

impl Outcome {
    /// The errors.
    pub fn errors(&self) -> Vec<&Diagnostic> {
        self.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect()
    }

    /// One line about a diagnostic: where, what, and what is said beside it.
    pub fn show(&self, diagnostic: &Diagnostic) -> String {
        let at = self.sources.position(diagnostic.span);
        let related: Vec<&str> = diagnostic.related.iter().map(|(_, what)| &**what).collect();
        let related = related.join("; ");
        let written = self.sources.text(diagnostic.span);
        let mut line = format!("{}:{}: {} at `{written}`", at.line, at.column, diagnostic.message);
        if !related.is_empty() {
            line += &format!(" ({related})");
        }
        line
    }

    /// All that was said, a line each.
    pub fn said(&self) -> Vec<String> {
        self.diagnostics.iter().map(|found| self.show(found)).collect()
    }

    /// The tree of a text in which nothing is wrong.
    pub fn right(&self) -> &Document {
        assert!(self.diagnostics.is_empty(), "{:?}", self.said());
        self.document.as_ref().unwrap()
    }
}
