//! What several tests of front ends need.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

#[path = "../../../../tests/support/expectations.rs"]
pub mod expectations;

#[allow(unused_imports)]
pub use expectations::models;
use homing_ir::{Diagnostic, Severity, Sources, Span};

/// The folder of BEEM models, or a printed notice that there is none.
pub fn beem() -> Option<PathBuf> {
    corpus("dve/beem")
}

/// A folder of the corpus, or a printed notice that there is none.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let corpus = std::env::var_os("HOMING_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    let found = corpus.join(folder);
    if !found.is_dir() {
        println!("skipped: there is no corpus of models at {}", corpus.display());
        return None;
    }
    Some(found)
}

/// A diagnostic as text, all of it.
pub fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let at = |span: Span| {
        let position = sources.position(span);
        format!("{}:{}", position.line, position.column)
    };
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{} {severity}: {}\n", at(diagnostic.span), diagnostic.message);
    if !diagnostic.label.is_empty() {
        text += &format!("    label: {}\n", diagnostic.label);
    }
    for (span, label) in &diagnostic.related {
        text += &format!("    {} {label}\n", at(*span));
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("    help: {help}\n");
    }
    text
}

/// All diagnostics as text.
pub fn render_all(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(sources, diagnostic)).collect()
}
