//! From a text to its tree.

use homing_ir::{Diagnostic, Sources, Span};

use super::parse::{Text, goal, program};
use super::preprocess::{Preprocessed, preprocess, words_of};
use super::syntax::{Expr, Program};
use super::token::tokens;
use crate::Settings;
use crate::reading::readable;
use crate::reports::Reports;

/// Reads a model: preprocesses and parses `text`, and adds it and all files it
/// includes to `sources`.
pub(crate) fn read(
    name: &str,
    text: &str,
    settings: &Settings<'_>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Program {
    if !acceptable(name, text, sources, reports) {
        return Program::default();
    }
    let source = sources.add(name, text);
    let preprocessed = preprocess(source, settings, sources, reports);
    program(words(preprocessed), reports)
}

/// Reads an expression that a user typed, such as a goal. It is not
/// preprocessed.
pub(crate) fn read_expression(
    text: &str,
    name: &str,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<Expr> {
    if !acceptable(name, text, sources, reports) {
        return None;
    }
    let source = sources.add(name, text);
    goal(words(words_of(source, text, reports)), reports)
}

fn words(mut preprocessed: Preprocessed) -> Text {
    let words = tokens(&mut preprocessed);
    Text { words, origins: preprocessed.origins, end: preprocessed.end }
}

/// Reports a text that cannot be read at all.
fn acceptable(name: &str, text: &str, sources: &mut Sources, reports: &mut Reports) -> bool {
    let Err(message) = readable(text) else { return true };
    // A text that cannot be shown is not worth keeping.
    let source = sources.add(name, "");
    reports.add(Diagnostic::error(message, Span { source, start: 0, end: 0 }));
    false
}
