//! From a text to its tree.

use homing_ir::Sources;

use super::parse::{Text, goal, program};
use super::preprocess::{Preprocessed, preprocess, words_of};
use super::syntax::{Expr, Program};
use super::token::tokens;
use crate::Settings;
use crate::reading::accepted;
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
    let Some(source) = accepted(sources, name, text, reports) else {
        return Program::default();
    };
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
    let source = accepted(sources, name, text, reports)?;
    goal(words(words_of(source, text, reports)), reports)
}

fn words(mut preprocessed: Preprocessed) -> Text {
    let words = tokens(&mut preprocessed);
    Text { words, origins: preprocessed.origins, end: preprocessed.end }
}
