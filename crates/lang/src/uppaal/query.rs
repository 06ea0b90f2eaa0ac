//! Queries, of `.q` files and of the XML.
//!
//! In a file a query ends with its line, unless that ends in a backslash or
//! inside of parentheses, or the next one begins with an operator. What asks
//! for statistics or strategies is named and not read further: it is a property that
//! is not checked.

use homing_ir::{Severity, Span};

use super::parse::{Known, Parser};
use super::syntax::{Query, QueryKind};
use super::text::Piece;
use super::token::{Lexeme, Token, words};
use crate::reading::Parse;
use crate::reports::Reports;
use crate::walking::Walking;

/// The queries of a file.
pub fn file(piece: &Piece<'_>, known: &mut Known, reports: &mut Reports, list: &mut Vec<Query>) {
    let words = words(piece, reports);
    for range in lines(&words) {
        let query_words = words[range].to_vec();
        let Some(last) = query_words.last() else { continue };
        let end = Span { start: last.span.end, ..last.span };
        query(Parser::of_words(query_words, end, known, reports).of_query(), list);
    }
}

/// The query of an XML element. UPPAAL's editor keeps whatever was typed, some
/// use queries as headings, so one that cannot be read is no error of the model: it is
/// kept, as one that is not checked.
pub fn element(piece: &Piece<'_>, known: &mut Known, reports: &mut Reports, list: &mut Vec<Query>) {
    let mut own = Reports::default();
    let before = list.len();
    query(Parser::new(piece, known, &mut own).of_query(), list);
    for said in own.finish() {
        if said.severity != Severity::Error {
            reports.add(said);
        } else if list.len() == before {
            let text = piece.text.trim().to_string();
            let kind = QueryKind::Unsupported(format!("it cannot be read: {}", said.message));
            list.push(Query { kind, text, span: said.span });
        }
    }
}

/// One query, which may be two: `bounds` asks for both ends.
pub fn query(mut parser: Parser<'_>, list: &mut Vec<Query>) {
    if parser.is_empty() {
        return;
    }
    let (text, span) = (parser.written(), parser.whole());
    let Ok(kind) = parser.query_kind() else { return };
    let mut push = |kind: QueryKind, text: String| {
        list.push(Query { kind, text, span });
    };
    match (kind, text.strip_prefix("bounds")) {
        (QueryKind::Extreme { when, of, .. }, Some(rest)) => {
            let (least, greatest) = (format!("inf{rest}"), format!("sup{rest}"));
            push(QueryKind::Extreme { greatest: false, when: when.clone(), of: of.clone() }, least);
            push(QueryKind::Extreme { greatest: true, when, of }, greatest);
        }
        (kind, _) => push(kind, text),
    }
}

/// The words of each query.
fn lines(words: &[Lexeme<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut depth) = (0, 0i32);
    for (at, word) in words.iter().enumerate() {
        let goes_on = depth > 0 || joins(word.token) || at > 0 && joins(words[at - 1].token);
        if word.newline && !goes_on && at > start {
            ranges.push(start..at);
            start = at;
        }
        match word.token {
            Token::LeftParenthesis | Token::LeftBracket | Token::LeftBrace => depth += 1,
            Token::RightParenthesis | Token::RightBracket | Token::RightBrace => {
                depth = (depth - 1).max(0);
            }
            _ => {}
        }
    }
    ranges.push(start..words.len());
    ranges
}

/// Whether a query goes on before and behind this word.
fn joins(token: Token) -> bool {
    use Token::*;
    matches!(token, And | Or | Imply | Equal | NotEqual | Plus | LessEqual | GreaterEqual | Comma)
}

/// Operators before a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Path {
    Possibly,
    Invariantly,
    PotentiallyAlways,
    Eventually,
}

impl Parser<'_> {
    fn query_kind(&mut self) -> Parse<QueryKind> {
        if let Some(name) = self.unsupported() {
            return Ok(QueryKind::Unsupported(format!("{name} is not supported")));
        }
        let kind = match self.path() {
            Some(path) => self.path_query(path)?,
            None if self.at_extreme() => self.extreme()?,
            None => self.leads_to()?,
        };
        if self.at_word("under") {
            return Ok(QueryKind::Unsupported("`under` is not supported".to_string()));
        }
        self.finish()?;
        Ok(kind)
    }

    /// What a query is called that is not read.
    fn unsupported(&self) -> Option<&'static str> {
        let next = self.ahead(1);
        let bounded = next == Token::LeftBracket && self.ahead(2) != Token::RightBracket;
        if self.token() == Token::LeftBrace {
            return Some("`control`");
        }
        if self.token() != Token::Name {
            return None;
        }
        Some(match self.text() {
            "Pr" if matches!(next, Token::LeftBracket | Token::LeftParenthesis) => "`Pr`",
            "E" if bounded => "`E[…]`",
            "A" if bounded => "`A[… U …]`",
            "E" if next == Token::Diamond && self.at_control(2) => "`control`",
            "simulate" if next == Token::LeftBracket || next == Token::Number => "`simulate`",
            "control" if next == Token::Colon => "`control`",
            "control_t" if next == Token::Times => "`control_t`",
            "strategy" if next == Token::Name => "`strategy`",
            "saveStrategy" if next == Token::LeftParenthesis => "`saveStrategy`",
            "loadStrategy" if next != Token::Dot => "`loadStrategy`",
            "minE" if next == Token::LeftParenthesis => "`minE`",
            "maxE" if next == Token::LeftParenthesis => "`maxE`",
            "minPr" if next == Token::LeftBracket => "`minPr`",
            "maxPr" if next == Token::LeftBracket => "`maxPr`",
            "PMax" if next != Token::Dot => "`PMax`",
            "scenario" if next == Token::Colon => "`scenario`",
            _ => return None,
        })
    }

    /// The operator reached, which is passed.
    fn path(&mut self) -> Option<Path> {
        let all = self.at_word("A");
        if !all && !self.at_word("E") {
            return None;
        }
        let (path, words) = match (self.ahead(1), self.ahead(2)) {
            (Token::Diamond, _) if all => (Path::Eventually, 2),
            (Token::Diamond, _) => (Path::Possibly, 2),
            (Token::LeftBracket, Token::RightBracket) if all => (Path::Invariantly, 3),
            (Token::LeftBracket, Token::RightBracket) => (Path::PotentiallyAlways, 3),
            _ => return None,
        };
        (0..words).for_each(|_| self.advance());
        Some(path)
    }

    fn path_query(&mut self, path: Path) -> Parse<QueryKind> {
        let formula = self.expression()?;
        Ok(match path {
            Path::Possibly => QueryKind::Possibly(formula),
            Path::Invariantly => QueryKind::Invariantly(formula),
            Path::PotentiallyAlways => QueryKind::PotentiallyAlways(formula),
            Path::Eventually => QueryKind::Eventually(formula),
        })
    }

    fn at_extreme(&self) -> bool {
        self.token() == Token::Name
            && matches!(self.text(), "sup" | "inf" | "bounds")
            && matches!(self.ahead(1), Token::Colon | Token::LeftBrace)
    }

    /// `sup{p}: e, f`
    fn extreme(&mut self) -> Parse<QueryKind> {
        let greatest = self.text() != "inf";
        self.advance();
        let mut when = None;
        if self.take(Token::LeftBrace) {
            when = Some(self.expression()?);
            self.expect(Token::RightBrace)?;
        }
        self.expect(Token::Colon)?;
        let of = self.updates()?;
        Ok(QueryKind::Extreme { greatest, when, of })
    }

    /// `p --> q`
    fn leads_to(&mut self) -> Parse<QueryKind> {
        let when = self.expression()?;
        if !self.at_leads_to() {
            return self.fail_expecting("`-->`, or a query that begins with `E<>` or `A[]`");
        }
        self.advance();
        self.advance();
        Ok(QueryKind::LeadsTo(when, self.expression()?))
    }
}
