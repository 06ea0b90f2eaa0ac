//! XML files of UPPAAL 4 and 5: taken apart into pieces of text.
//!
//! Elements that say nothing about behaviour (positions of labels, comments,
//! test code, results of earlier checks) are passed over, and so is what a
//! newer version may add. The DTDs differ only in such elements.

use std::collections::BTreeMap;

use homing_ir::{Diagnostic, SourceId, Span};
use roxmltree::{Node, ParsingOptions, TextPos};

use super::parse::process::empty_edge;
use super::parse::{Known, Parser};
use super::query;
use super::syntax::*;
use super::text::Piece;
use crate::reading::{Parse, shortened};
use crate::reports::Reports;

/// Reads a file. Nothing where it is no model of UPPAAL's.
pub fn read(
    source: SourceId,
    text: &str,
    document: &mut Document,
    known: &mut Known,
    reports: &mut Reports,
) -> Option<()> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let tree = match roxmltree::Document::parse_with_options(text, options) {
        Ok(tree) => tree,
        Err(error) => {
            reports.add(broken(source, text, &error));
            return None;
        }
    };
    let mut reader = Reader { source, text, known, reports };
    let root = tree.root_element();
    if root.tag_name().name() != "nta" {
        let message = format!(
            "this is no model of UPPAAL: its root is `<{}>`, not `<nta>`",
            shortened(root.tag_name().name())
        );
        reader.reports.add(Diagnostic::error(message, reader.tag(root)));
        return None;
    }
    for element in root.children().filter(Node::is_element) {
        reader.part(element, document);
    }
    Some(())
}

/// What is wrong with the XML itself.
fn broken(source: SourceId, text: &str, error: &roxmltree::Error) -> Diagnostic {
    let TextPos { row, col } = error.pos();
    let line_start = match row {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(row as usize - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    let line = text[line_start..].split('\n').next().unwrap_or("");
    let letter = line.char_indices().nth(col.saturating_sub(1) as usize);
    let (at, length) = letter.map_or((line.len(), 0), |(at, letter)| (at, letter.len_utf8()));
    let start = (line_start + at) as u32;
    let mut message = error.to_string();
    if let Some(end) = message.rfind(" at ").filter(|_| row > 0) {
        message.truncate(end);
    }
    let span = Span { source, start, end: start + length as u32 };
    Diagnostic::error(format!("the XML is broken: {message}"), span)
}

/// What is said of a place on an edge or a location.
struct Place<'a> {
    /// `an edge from A to B of template T`.
    of: String,
    element: Node<'a, 'a>,
}

struct Reader<'r> {
    source: SourceId,
    text: &'r str,
    known: &'r mut Known,
    reports: &'r mut Reports,
}

impl<'r> Reader<'r> {
    fn part(&mut self, element: Node<'_, '_>, document: &mut Document) {
        match element.tag_name().name() {
            "declaration" => self.global(element, "the global declarations", document),
            "instantiation" => self.global(element, "the instantiations", document),
            "system" => self.global(element, "the system", document),
            "template" => {
                let template = self.template(element);
                document.templates.extend(template);
            }
            "lsc" => {
                let message = "live sequence charts are not supported";
                let error = Diagnostic::error(message, self.tag(element));
                self.reports.add(error);
            }
            "queries" => {
                for query in children(element, "query") {
                    self.query(query, document);
                }
            }
            _ => {}
        }
    }

    /// The start tag of an element.
    fn tag(&self, element: Node<'_, '_>) -> Span {
        let range = element.range();
        let written = self.text.get(range.clone()).unwrap_or("");
        let mut quote = None;
        let end = written.find(|letter: char| match quote {
            Some(open) => {
                if letter == open {
                    quote = None;
                }
                false
            }
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                false
            }
            None => letter == '>',
        });
        let end = range.start + end.map_or(written.len(), |end| end + 1);
        Span { source: self.source, start: range.start as u32, end: end as u32 }
    }

    /// The text of an element, where it can be decoded; what is said about it
    /// from now on names `what` it is.
    fn piece(&mut self, element: Node<'_, '_>, what: &str) -> Option<Piece<'r>> {
        let range = element.range();
        match Piece::element(self.source, self.text, range.start, range.end) {
            Ok(piece) => {
                let tag = self.tag(element);
                let whole = Span { start: tag.end, end: range.end as u32, ..tag };
                self.reports.within(whole, tag, format!("in {what}"));
                Some(piece)
            }
            Err((span, entity)) => {
                let message = format!("the entity `{}` is not known", shortened(&entity));
                self.reports.add(Diagnostic::error(message, span).related(self.tag(element), what));
                None
            }
        }
    }

    fn global(&mut self, element: Node<'_, '_>, what: &str, document: &mut Document) {
        let Some(piece) = self.piece(element, what) else { return };
        Parser::new(&piece, self.known, self.reports).document(document);
    }

    fn query(&mut self, element: Node<'_, '_>, document: &mut Document) {
        let Some(formula) = child(element, "formula") else { return };
        let Some(piece) = self.piece(formula, "a query") else { return };
        query::element(&piece, self.known, self.reports, &mut document.queries);
    }

    fn template(&mut self, element: Node<'_, '_>) -> Option<Template> {
        let named =
            child(element, "name").and_then(|name| self.name(name, "the name of a template"));
        let Some(name) = named else {
            let error = Diagnostic::error("a template without a name", self.tag(element));
            self.reports.add(error);
            return None;
        };
        let of = format!("template `{}`", shortened(&name.text));
        let mark = self.known.mark();
        let parameters = child(element, "parameter")
            .and_then(|inner| {
                self.parsed(inner, &format!("the parameters of {of}"), |parser| {
                    parser.parameter_list(super::token::Token::End)
                })
            })
            .unwrap_or_default();
        let declarations = child(element, "declaration")
            .and_then(|inner| {
                let what = format!("the declarations of {of}");
                self.parsed(inner, &what, |parser| Ok(parser.declarations()))
            })
            .unwrap_or_default();
        let mut template = Template {
            name,
            parameters,
            declarations,
            locations: Vec::new(),
            branchpoints: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        let mut shown = BTreeMap::new();
        for inner in children(element, "location") {
            if let Some(location) = self.location(inner, &of) {
                shown.insert(location.id.clone(), shortened(&location.name.text));
                template.locations.push(location);
            }
        }
        for inner in element.children().filter(Node::is_element) {
            self.part_of_template(inner, &of, &shown, &mut template);
        }
        self.known.leave(mark);
        Some(template)
    }

    fn part_of_template(
        &mut self,
        element: Node<'_, '_>,
        of: &str,
        shown: &BTreeMap<String, String>,
        template: &mut Template,
    ) {
        match element.tag_name().name() {
            "branchpoint" => template.branchpoints.extend(self.attribute(element, "id")),
            "init" => template.initial = self.attribute(element, "ref"),
            "transition" => {
                let edge = self.edge(element, of, shown);
                template.edges.extend(edge);
            }
            _ => {}
        }
    }

    fn location(&mut self, element: Node<'_, '_>, of: &str) -> Option<Location> {
        let id = self.attribute(element, "id")?;
        let name =
            child(element, "name").and_then(|name| self.name(name, "the name of a location"));
        let of = match &name {
            Some(name) => format!("location `{}` of {of}", shortened(&name.text)),
            None => format!("a location of {of}"),
        };
        let name = name.unwrap_or_else(|| id.clone());
        let mut location =
            Location { name, id: id.text, invariant: None, rate: None, urgency: Urgency::None };
        if child(element, "urgent").is_some() {
            location.urgency = Urgency::Urgent;
        }
        if child(element, "committed").is_some() {
            location.urgency = Urgency::Committed;
        }
        for element in children(element, "label") {
            let place = Place { of: of.clone(), element };
            match element.attribute("kind") {
                Some("invariant") => {
                    location.invariant = self.label(&place, "the invariant", |p| p.constraint());
                }
                Some("exponentialrate") => {
                    location.rate = self.label(&place, "the rate", |p| p.rate());
                }
                _ => {}
            }
        }
        Some(location)
    }

    /// `shown` are names of locations by their ids.
    fn edge(
        &mut self,
        element: Node<'_, '_>,
        of: &str,
        shown: &BTreeMap<String, String>,
    ) -> Option<Edge> {
        let source = self.end_of_edge(element, "source")?;
        let target = self.end_of_edge(element, "target")?;
        let shown = |end: &Name| shown.get(&end.text).cloned().unwrap_or_default();
        let of = format!("an edge from `{}` to `{}` of {of}", shown(&source), shown(&target));
        let mut edge = empty_edge(source, target);
        edge.span = self.tag(element);
        edge.uncontrollable = element.attribute("controllable") == Some("false");
        for element in children(element, "label") {
            self.label_of_edge(&Place { of: of.clone(), element }, &mut edge);
        }
        edge.span = telling(&edge);
        Some(edge)
    }

    fn end_of_edge(&mut self, element: Node<'_, '_>, which: &str) -> Option<Name> {
        match child(element, which) {
            Some(end) => self.attribute(end, "ref"),
            None => {
                let message = format!("an edge without a `<{which}>`");
                let error = Diagnostic::error(message, self.tag(element));
                self.reports.add(error);
                None
            }
        }
    }

    fn label_of_edge(&mut self, place: &Place<'_>, edge: &mut Edge) {
        match place.element.attribute("kind") {
            Some("select") => {
                let list = self.label(place, "the selection", |p| p.selections());
                edge.select.extend(list.unwrap_or_default());
            }
            Some("guard") => edge.guard = self.label(place, "the guard", |p| p.constraint()),
            Some("synchronisation") => {
                edge.sync = self.label(place, "the synchronisation", |p| p.synchronisation());
            }
            Some("assignment") => {
                let list = self.label(place, "the update", |p| p.updates());
                edge.update.extend(list.unwrap_or_default());
            }
            Some("probability") => {
                edge.probability = self.label(place, "the weight", |p| p.expression());
            }
            _ => {}
        }
    }

    fn label<T>(
        &mut self,
        place: &Place<'_>,
        what: &str,
        parse: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
    ) -> Option<T> {
        self.parsed(place.element, &format!("{what} of {}", place.of), parse)
    }

    /// What is made of an element's text, to its end; nothing where it is empty
    /// or wrong.
    fn parsed<T>(
        &mut self,
        element: Node<'_, '_>,
        what: &str,
        parse: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
    ) -> Option<T> {
        let piece = self.piece(element, what)?;
        let mut parser = Parser::new(&piece, self.known, self.reports);
        if parser.is_empty() {
            return None;
        }
        let result = parse(&mut parser).ok()?;
        parser.finish().ok()?;
        Some(result)
    }

    /// The text of an element that is a name; nothing where it is empty.
    fn name(&mut self, element: Node<'_, '_>, what: &str) -> Option<Name> {
        let piece = self.piece(element, what)?;
        let (text, span) = piece.trimmed();
        if text.is_empty() {
            return None;
        }
        let mut letters = text.chars();
        let starts = letters.next().is_some_and(|l| l.is_alphabetic() || l == '_');
        if !starts || !letters.all(|l| l.is_alphanumeric() || matches!(l, '_' | '$' | '#')) {
            let message = format!("`{}` is no name", shortened(text));
            let help = "names consist of letters, digits and `_`, and do not begin with a digit";
            self.reports.add(Diagnostic::error(message, span).help(help));
        }
        Some(Name { text: text.to_string(), span })
    }

    /// An attribute, which must be there.
    fn attribute(&mut self, element: Node<'_, '_>, name: &str) -> Option<Name> {
        let Some(attribute) = element.attribute_node(name) else {
            let message = format!("`<{}>` without `{name}`", element.tag_name().name());
            let error = Diagnostic::error(message, self.tag(element));
            self.reports.add(error);
            return None;
        };
        let range = attribute.range_value();
        let span = Span { source: self.source, start: range.start as u32, end: range.end as u32 };
        Some(Name { text: attribute.value().to_string(), span })
    }
}

fn children<'a, 'i: 'a>(element: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    element.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn child<'a, 'i: 'a>(element: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    children(element, name).next()
}

/// What people know an edge by in a trace: its synchronisation, or what else is
/// written on it; where there is nothing, its tag.
fn telling(edge: &Edge) -> Span {
    let sync = edge.sync.as_ref().map(|sync| sync.span);
    let guard = edge.guard.as_ref().map(|guard| guard.span);
    let (first, last) = (edge.update.first(), edge.update.last());
    let update = first.zip(last).map(|(first, last)| first.span.to(last.span));
    sync.or(guard).or(update).unwrap_or(edge.span)
}
