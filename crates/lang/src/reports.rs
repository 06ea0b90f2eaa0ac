//! Collecting diagnostics, each once and not too many.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use homing_ir::{Diagnostic, Severity, SourceId, Span};

/// After this many errors a text is probably not a model at all.
const MOST_ERRORS: usize = 100;
const MOST_WARNINGS: usize = 100;

/// The diagnostics of one text.
#[derive(Debug, Default)]
pub struct Reports {
    list: Vec<Diagnostic>,
    /// Said at the end: that there was more.
    closing: Vec<Diagnostic>,
    seen: BTreeSet<(Span, String)>,
    errors: usize,
    warnings: usize,
    /// Where macros are used: their names and where they are defined.
    expansions: BTreeMap<(SourceId, u32), (Rc<str>, Span)>,
    /// Stretches of text that belong to something: by their start, their end,
    /// the place of what they belong to, and what to say there.
    contexts: BTreeMap<(SourceId, u32), (u32, Span, String)>,
}

impl Reports {
    /// Adds a diagnostic, unless the same was said of the same place before
    /// (as happens where a text is instantiated twice) or too many were.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        let (count, most) = match diagnostic.severity {
            Severity::Error => (&mut self.errors, MOST_ERRORS),
            Severity::Warning => (&mut self.warnings, MOST_WARNINGS),
        };
        if *count >= most || !self.seen.insert((diagnostic.span, diagnostic.message.clone())) {
            return;
        }
        *count += 1;
        if *count == most {
            self.closing.push(no_more(&diagnostic, most));
        }
        self.list.push(self.explained(diagnostic));
    }

    /// Notes that a macro is used at `place`: what is said of this place later
    /// is said of what the macro stands for.
    pub fn expanded(&mut self, place: Span, name: &Rc<str>, definition: Span) {
        let key = (place.source, place.start);
        self.expansions.entry(key).or_insert_with(|| (Rc::clone(name), definition));
    }

    /// Notes that `text` belongs to what stands at `place`: what is said of a
    /// place in it later names that, too. Such stretches do not overlap.
    pub fn within(&mut self, text: Span, place: Span, what: String) {
        self.contexts.insert((text.source, text.start), (text.end, place, what));
    }

    /// Names what a diagnostic is about: the macro, unless its places are
    /// given, and the element its text belongs to.
    fn explained(&self, diagnostic: Diagnostic) -> Diagnostic {
        let diagnostic = self.expanded_from(diagnostic);
        let Span { source, start, .. } = diagnostic.span;
        let before = self.contexts.range(..=(source, start)).next_back();
        match before {
            Some(((of, _), (end, place, what))) if *of == source && start < *end => {
                diagnostic.related(*place, what.clone())
            }
            _ => diagnostic,
        }
    }

    fn expanded_from(&self, diagnostic: Diagnostic) -> Diagnostic {
        let key = (diagnostic.span.source, diagnostic.span.start);
        match self.expansions.get(&key) {
            Some((name, definition)) if diagnostic.related.is_empty() => diagnostic
                .related(*definition, format!("in the expansion of `{name}`, defined here")),
            _ => diagnostic,
        }
    }

    /// Whether so many errors were added that reading on is of no use.
    pub fn full(&self) -> bool {
        self.errors >= MOST_ERRORS
    }

    /// Whether there is an error.
    pub fn failed(&self) -> bool {
        self.errors > 0
    }

    /// The diagnostics in the order of the text.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span);
        self.list.extend(self.closing);
        self.list
    }
}

fn no_more(last: &Diagnostic, most: usize) -> Diagnostic {
    let what = if last.severity == Severity::Error { "errors" } else { "warnings" };
    let message = format!("too many {what}: those after the first {most} are not shown");
    Diagnostic { severity: last.severity, ..Diagnostic::error(message, last.span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(start: u32, message: &str) -> Diagnostic {
        Diagnostic::error(message, Span { start, end: start, ..Span::default() })
    }

    #[test]
    fn the_same_is_said_once_and_in_order() {
        let mut reports = Reports::default();
        for (start, message) in [(9, "late"), (1, "early"), (9, "late")] {
            reports.add(error(start, message));
        }
        let messages: Vec<String> = reports.finish().into_iter().map(|d| d.message).collect();
        assert_eq!(messages, ["early", "late"]);
    }

    #[test]
    fn too_many_errors_end_with_a_note() {
        let mut reports = Reports::default();
        (0..1000).for_each(|start| reports.add(error(start, "bad")));
        assert!(reports.full());
        let list = reports.finish();
        assert_eq!(list.len(), MOST_ERRORS + 1);
        assert!(list[MOST_ERRORS].message.starts_with("too many errors"));
    }
}
