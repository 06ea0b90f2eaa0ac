//! UPPAAL: networks of timed automata.
//!
//! # The way through
//!
//! `xml` takes an XML file apart, into pieces of `text` that know where they
//! stand in the file; a `.xta` or `.ta` file is one piece. `token` makes words
//! of a piece, `parse` the tree of `syntax`, `query` its queries.

use homing_ir::Sources;

pub use self::language::LANGUAGE;

use self::parse::{Known, Parser};
use self::syntax::Document;
use self::text::Piece;
use crate::Settings;
use crate::reading::accepted;
use crate::reports::Reports;

mod language;
mod lower;
mod parse;
mod query;
mod syntax;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod xml;

/// Reads a model and the queries about it, and adds the texts to `sources`.
/// Nothing where it is no model at all; what is there is of use only where
/// nothing was reported.
pub(crate) fn document(
    name: &str,
    text: &str,
    settings: &Settings<'_>,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<Document> {
    let mut known = Known::default();
    let mut document = Document::default();
    let source = accepted(sources, name, text, reports)?;
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        xml::read(source, text, &mut document, &mut known, reports)?;
    } else {
        let piece = Piece::whole(source, text);
        Parser::new(&piece, &mut known, reports).document(&mut document);
    }
    if let Some((name, text)) = settings.queries {
        let piece = Piece::whole(accepted(sources, name, text, reports)?, text);
        query::file(&piece, &mut known, reports, &mut document.queries);
    }
    Some(document)
}

/// Reads an expression that a user typed, such as a goal.
pub(crate) fn goal(
    name: &str,
    text: &str,
    sources: &mut Sources,
    reports: &mut Reports,
) -> Option<syntax::Expr> {
    let piece = Piece::whole(accepted(sources, name, text, reports)?, text);
    let mut known = Known::default();
    let mut parser = Parser::new(&piece, &mut known, reports);
    let expr = parser.expression().ok()?;
    parser.finish().ok()?;
    Some(expr)
}
