//! Tests of the way from a text to its tree.

mod corpus;

use std::path::Path;
use std::{fs, io};

use homing_ir::{Diagnostic, Severity, Sources};

use super::read::read;
use super::syntax::Program;
use crate::Settings;
use crate::reports::Reports;

/// A text, its tree, and what is said of it.
struct Outcome {
    program: Program,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
}

fn from_disk(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// Reads a text with includes from the disk.
fn outcome(name: &str, text: &str) -> Outcome {
    let (mut sources, mut reports) = (Sources::default(), Reports::default());
    let settings = Settings { read: &from_disk, ..Settings::default() };
    let program = read(name, text, &settings, &mut sources, &mut reports);
    Outcome { program, sources, diagnostics: reports.finish() }
}

impl Outcome {
    fn errors(&self) -> Vec<&Diagnostic> {
        let errors = self.diagnostics.iter();
        errors.filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
    }

    /// `file:line: message` of a diagnostic.
    fn show(&self, diagnostic: &Diagnostic) -> String {
        let name = &self.sources.get(diagnostic.span.source).name;
        let position = self.sources.position(diagnostic.span);
        format!("{name}:{}:{}: {}", position.line, position.column, diagnostic.message)
    }
}
