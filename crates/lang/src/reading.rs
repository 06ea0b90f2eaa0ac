//! What the parsers of all languages share.

use homing_ir::network::Expr;
use homing_ir::{Diagnostic, Network, SourceId, Sources, Span};

use crate::reports::Reports;

/// An error that was reported already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reported;

/// What a parsing function returns.
pub type Parse<T> = Result<T, Reported>;

/// Whether a text can be read at all.
pub fn readable(text: &str) -> Result<(), String> {
    if u32::try_from(text.len()).is_err() {
        return Err(format!("the text is too long: {} bytes, at most {}", text.len(), u32::MAX));
    }
    if text.contains('\0') {
        return Err("this is not a text: it contains zero bytes".to_string());
    }
    Ok(())
}

/// Adds a text to `sources`, or says why it cannot be read: one that cannot be shown is not
/// worth keeping.
pub fn added(sources: &mut Sources, name: &str, text: &str) -> Result<SourceId, Diagnostic> {
    match readable(text) {
        Ok(()) => Ok(sources.add(name, text)),
        Err(message) => {
            let source = sources.add(name, "");
            Err(Diagnostic::error(message, Span { source, start: 0, end: 0 }))
        }
    }
}

/// The same, reported.
pub fn accepted(
    sources: &mut Sources,
    name: &str,
    text: &str,
    reports: &mut Reports,
) -> Option<SourceId> {
    added(sources, name, text).map_err(|error| reports.add(error)).ok()
}

/// What fits into a message.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// The last part of a path, without its ending.
pub fn model_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(name, _)| name).to_string()
}

/// Refuses a goal: what is read is a relation, in whose language none can be written.
pub fn no_goals(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let source = network.sources.add(name, text);
    let span = Span { source, start: 0, end: text.len() as u32 };
    Err(vec![Diagnostic::error("goals cannot be written over models of hardware yet", span)])
}
