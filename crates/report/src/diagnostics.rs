//! Diagnostics in the look of rustc: the message, the place, the line of
//! source, what is wrong with it, and what might help.
//!
//! Models come from anywhere, so nothing is assumed about their text: only a
//! few lines around each place are handed to the renderer, long lines are cut
//! to a window around it, and places are moved onto characters that exist.

use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use homing_ir::{Diagnostic, Severity, Source, Sources, Span};

/// The most bytes of source shown in one piece.
const PIECE: usize = 4000;
/// The most bytes of a line shown; of longer ones, a window is.
const LINE: usize = 240;
/// The bytes shown before the place, in such a window.
const BEFORE: usize = 80;

/// Renders one diagnostic, with a line feed at the end; `styled` adds colours.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, styled: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(printable(&diagnostic.message));
    let pieces = pieces(sources, diagnostic);
    let corrections: Vec<Correction> = pieces.iter().filter_map(|p| p.header.clone()).collect();
    let mut group = title.elements(pieces.into_iter().map(|piece| piece.snippet));
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let text = renderer(styled).render(&[group]) + "\n";
    corrections.iter().fold(text, |text, header| text.replacen(&header.rendered, &header.right, 1))
}

/// Renders diagnostics one after the other: the first `most` of them, errors
/// before warnings, and a line that counts the rest.
pub fn render_all(
    sources: &Sources,
    diagnostics: &[Diagnostic],
    most: usize,
    styled: bool,
) -> String {
    let mut ordered: Vec<&Diagnostic> = diagnostics.iter().collect();
    ordered.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span));
    let mut text = String::new();
    for diagnostic in ordered.iter().take(most) {
        text.push_str(&render(sources, diagnostic, styled));
        text.push('\n');
    }
    if ordered.len() > most {
        let rest =
            Level::NOTE.primary_title(format!("{} more are not shown", ordered.len() - most));
        let _ = writeln!(text, "{}", renderer(styled).render(&[Group::with_title(rest)]));
    }
    text
}

fn renderer(styled: bool) -> Renderer {
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    renderer.decor_style(DecorStyle::Ascii)
}

/// A place with what to write beside it.
struct Mark<'a> {
    span: Span,
    label: &'a str,
    kind: AnnotationKind,
}

/// A piece of source with its marks.
struct Piece<'a> {
    snippet: Snippet<'a, Annotation<'a>>,
    header: Option<Correction>,
}

/// The renderer counts columns in the text it is given. Where that is a
/// window into a line, its `file:line:column` is put right afterwards.
#[derive(Clone)]
struct Correction {
    rendered: String,
    right: String,
}

/// The pieces of source to show: one where all places are near each other,
/// else one a place.
fn pieces<'a>(sources: &'a Sources, diagnostic: &'a Diagnostic) -> Vec<Piece<'a>> {
    let primary =
        Mark { span: diagnostic.span, label: &diagnostic.label, kind: AnnotationKind::Primary };
    let related = diagnostic.related.iter().map(|(span, label)| Mark {
        span: *span,
        label,
        kind: AnnotationKind::Context,
    });
    let marks: Vec<Mark> = std::iter::once(primary).chain(related).collect();
    if near(sources, &marks) {
        return vec![piece(sources, &marks)];
    }
    marks.chunks(1).map(|mark| piece(sources, mark)).collect()
}

/// Whether the marks lie in one text, close enough to be shown in one piece.
fn near(sources: &Sources, marks: &[Mark]) -> bool {
    let source = sources.get(marks[0].span.source);
    let whole = lines_around(source, &extent(source, marks));
    whole.len() <= PIECE
        && marks.iter().all(|mark| mark.span.source == marks[0].span.source)
        && source.text[whole].lines().all(|line| line.len() <= LINE)
}

/// One piece of source with its marks, the first of which heads it.
fn piece<'a>(sources: &'a Sources, marks: &[Mark<'a>]) -> Piece<'a> {
    let source = sources.get(marks[0].span.source);
    let lines = lines_around(source, &extent(source, marks));
    let window = if near(sources, marks) { lines } else { cut(source, &marks[0], &lines) };
    let (text, shift) = shown(source, &window);
    let annotations = marks.iter().map(|mark| {
        let label = (!mark.label.is_empty()).then(|| printable(mark.label));
        mark.kind.span(within(&bytes(source, mark.span), &window, shift)).label(label)
    });
    let start = |at: usize| sources.position(Span { start: at as u32, ..marks[0].span });
    let name = printable(&source.name);
    let header = (shift > 0).then(|| {
        let at = bytes(source, marks[0].span).start;
        let column = source.text[window.start..at].chars().count() + 2;
        let (line, right) = (start(at).line, start(at).column);
        Correction {
            rendered: format!("{name}:{line}:{column}"),
            right: format!("{name}:{line}:{right}"),
        }
    });
    let first = start(window.start).line as usize;
    let snippet = Snippet::source(text).path(name).line_start(first).annotations(annotations);
    Piece { snippet, header }
}

/// The bytes of a span, moved onto characters that exist.
fn bytes(source: &Source, span: Span) -> Range<usize> {
    let start = source.text.floor_char_boundary(span.start as usize);
    let end = source.text.ceil_char_boundary(span.end as usize);
    start..end.max(start)
}

/// From the first byte of all marks to the last.
fn extent(source: &Source, marks: &[Mark]) -> Range<usize> {
    let all = || marks.iter().map(|mark| bytes(source, mark.span));
    let start = all().map(|range| range.start).min().unwrap_or(0);
    start..all().map(|range| range.end).max().unwrap_or(start)
}

/// The whole lines that `range` touches, without the last line feed.
fn lines_around(source: &Source, range: &Range<usize>) -> Range<usize> {
    let text = source.text.as_bytes();
    let start = text[..range.start].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let last = range.end.saturating_sub(1).max(range.start);
    let end = text[last..].iter().position(|b| *b == b'\n').map_or(text.len(), |i| last + i);
    let carriage_return = end > start && text[end - 1] == b'\r' && end > range.start;
    start..end - usize::from(carriage_return)
}

/// A window into the line on which `mark` starts, of those in `lines`.
fn cut(source: &Source, mark: &Mark, lines: &Range<usize>) -> Range<usize> {
    let text = &source.text;
    let at = bytes(source, mark.span).start;
    let line = lines_around(source, &(at..at));
    let start = line.start.max(text.ceil_char_boundary(at.saturating_sub(BEFORE)));
    let end = text.floor_char_boundary(line.end.min(lines.end).min(start + LINE));
    start..end
}

/// What is shown of a window, with marks where its line goes on, and by how
/// many bytes that shifts it.
fn shown(source: &Source, window: &Range<usize>) -> (String, usize) {
    let text = source.text.as_bytes();
    let cut_before = window.start > 0 && text[window.start - 1] != b'\n';
    let cut_behind = text.get(window.end).is_some_and(|b| !matches!(b, b'\n' | b'\r'));
    let before = if cut_before { "…" } else { "" };
    let behind = if cut_behind { "…" } else { "" };
    (format!("{before}{}{behind}", &source.text[window.clone()]), before.len())
}

/// The part of `range` in `window`, counted from what is shown of it.
fn within(range: &Range<usize>, window: &Range<usize>, shift: usize) -> Range<usize> {
    let place = |at: usize| at.clamp(window.start, window.end) - window.start + shift;
    place(range.start)..place(range.end)
}

/// `text` without characters that could upset a terminal.
fn printable(text: &str) -> String {
    let keep = |c: char| {
        if c.is_control() && c != '\n' { '\u{fffd}' } else { c }
    };
    text.chars().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: u32, end: u32) -> Span {
        Span { start, end, ..Span::default() }
    }

    fn plain(text: &str, diagnostic: &Diagnostic) -> String {
        let mut sources = Sources::default();
        sources.add("model.dve", text);
        render(&sources, diagnostic, false)
    }

    #[test]
    fn looks_like_rustc() {
        let text = "byte x;\nprocess P {\n  state q;\n  init r;\n}\n";
        let diagnostic = Diagnostic::error("there is no state `r`", at(38, 39))
            .label("not a state of `P`")
            .related(at(16, 17), "of this process")
            .help("there is a state `q`");
        assert_eq!(
            plain(text, &diagnostic),
            "\
error: there is no state `r`
 --> model.dve:4:8
  |
2 | process P {
  |         - of this process
3 |   state q;
4 |   init r;
  |        ^ not a state of `P`
  |
  = help: there is a state `q`
"
        );
    }

    #[test]
    fn places_far_apart_are_shown_apart() {
        let text = format!("byte x;\n{}byte x;\n", "\n".repeat(9000));
        let diagnostic = Diagnostic::error("`x` is declared twice", at(9013, 9014))
            .related(at(5, 6), "first declared here");
        assert_eq!(
            plain(&text, &diagnostic),
            "\
error: `x` is declared twice
    --> model.dve:9002:6
     |
9002 | byte x;
     |      ^
     |
    ::: model.dve:1:6
     |
   1 | byte x;
     |      - first declared here
"
        );
    }

    #[test]
    fn other_sources_are_named() {
        let mut sources = Sources::default();
        sources.add("model.dve", "byte x;");
        let source = sources.add("<goal>", "x > y");
        let goal = Span { source, start: 4, end: 5 };
        let diagnostic =
            Diagnostic::error("there is no variable `y`", goal).related(at(5, 6), "near");
        let text = render(&sources, &diagnostic, false);
        assert!(text.contains("--> <goal>:1:5") && text.contains("::: model.dve:1:6"), "{text}");
    }

    #[test]
    fn the_end_of_a_file_can_be_shown() {
        let end = |at_byte| Diagnostic::error("the file ends here", at(at_byte, at_byte));
        assert!(plain("", &end(0)).contains("--> model.dve:1:1"));
        assert!(plain("a\n", &end(2)).contains("--> model.dve:2:1"));
        assert!(plain("a\r\n", &end(3)).contains("--> model.dve:2:1"));
        assert!(plain("ab", &end(2)).contains("--> model.dve:1:3"));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}?{}", "ä".repeat(500_000), "b".repeat(500_000));
        let text = plain(&text, &Diagnostic::error("bad", at(1_000_000, 1_000_001)));
        assert!(text.contains("--> model.dve:1:500001"), "{text}");
        assert!(text.contains("ää?bb") && text.len() < 2000, "{text}");
    }

    #[test]
    fn long_spans_are_cut() {
        let text = "{\n".repeat(100_000);
        let text =
            plain(&text, &Diagnostic::error("never closed", at(0, 200_000)).label("opens here"));
        assert!(text.contains("opens here") && text.len() < 2000, "{text}");
    }

    #[test]
    fn tabs_and_carriage_returns_keep_the_marks_in_place() {
        let text = plain("\tx = y;\r\n", &Diagnostic::error("bad", at(5, 6)));
        assert_eq!(
            text,
            "\
error: bad
 --> model.dve:1:6
  |
1 |     x = y;
  |         ^
"
        );
    }

    #[test]
    fn any_span_of_any_text_can_be_rendered() {
        let texts =
            ["", "\n", "\r\n\r", "\0\x01\x1b[31m\u{202e}x\u{ad}", "ä\tö\nü", "\u{fffd}\u{fffd}\n"];
        let far = u32::MAX;
        for text in texts {
            let most = text.len() as u32 + 2;
            for start in (0..most).chain([far]) {
                for end in (0..most).chain([far]) {
                    let diagnostic = Diagnostic::warning("odd\x1b[0m", at(start, end))
                        .label("l\0")
                        .related(at(end, start), "r");
                    let rendered = plain(text, &diagnostic);
                    assert!(rendered.starts_with("warning"), "{rendered}");
                    assert!(!rendered.contains(['\x1b', '\0']), "{rendered:?}");
                }
            }
        }
    }

    #[test]
    fn errors_come_first_and_the_rest_is_counted() {
        let mut sources = Sources::default();
        sources.add("m", "abc");
        let all = [
            Diagnostic::warning("w", at(0, 1)),
            Diagnostic::error("second", at(2, 3)),
            Diagnostic::error("first", at(1, 2)),
        ];
        let text = render_all(&sources, &all, 2, false);
        let place = |word: &str| text.find(word);
        assert!(place("first") < place("second") && place("first").is_some(), "{text}");
        assert!(text.ends_with("note: 1 more are not shown\n"), "{text}");
    }
}
