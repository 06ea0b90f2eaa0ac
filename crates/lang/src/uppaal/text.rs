//! A piece of text and where it stands in its file.
//!
//! The text of an XML element is written with entities (`&lt;`), so a place in
//! the decoded text is not a place in the file. A [`Piece`] keeps both: words
//! are made of the decoded text, and their spans are bytes of the file.

use std::borrow::Cow;

use homing_ir::{SourceId, Span};

/// A text to be cut into words.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// The text, decoded.
    pub text: Cow<'a, str>,
    source: SourceId,
    /// What the text was put together from, in its order.
    parts: Vec<Part>,
}

/// A stretch of a piece.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Where it begins in the decoded text.
    decoded: u32,
    /// Where it begins and ends in the file.
    start: u32,
    end: u32,
    /// Whether it stands in the file as it is; an entity does not.
    plain: bool,
}

impl<'a> Piece<'a> {
    /// A whole file.
    pub fn whole(source: SourceId, text: &'a str) -> Piece<'a> {
        let part = Part { decoded: 0, start: 0, end: text.len() as u32, plain: true };
        Piece { text: Cow::Borrowed(text), source, parts: vec![part] }
    }

    /// The text directly within an XML element that stands at `start..end` of
    /// `file`: entities are decoded, comments and elements left out. Fails with
    /// the place and the name of an entity that means nothing.
    pub fn element(
        source: SourceId,
        file: &'a str,
        start: usize,
        end: usize,
    ) -> Result<Piece<'a>, (Span, String)> {
        let mut piece = Piece { text: Cow::Owned(String::new()), source, parts: Vec::new() };
        let mut scanner = Scanner { file, at: start, end };
        scanner.pass_tag();
        let mut depth = 0usize;
        while scanner.at < end {
            match scanner.next() {
                Found::Opened => depth += 1,
                Found::Closed if depth == 0 => break,
                Found::Closed => depth -= 1,
                Found::Nothing => {}
                // Text of elements within is none of this one.
                _ if depth > 0 => {}
                Found::Text(start, end) => piece.push(&file[start..end], start, end, true),
                Found::Entity(start, end) => match entity(&file[start..end]) {
                    Some(letter) => {
                        piece.push(letter.encode_utf8(&mut [0; 4]), start, end, false);
                    }
                    None => {
                        let span = Span { source, start: start as u32, end: end as u32 };
                        return Err((span, file[start..end].to_string()));
                    }
                },
            }
        }
        if piece.parts.is_empty() {
            // So that what is missing can be placed.
            let at = scanner.at.min(end);
            piece.push("", at, at, true);
        }
        Ok(piece)
    }

    fn push(&mut self, text: &str, start: usize, end: usize, plain: bool) {
        let decoded = self.text.len() as u32;
        self.text.to_mut().push_str(text);
        self.parts.push(Part { decoded, start: start as u32, end: end as u32, plain });
    }

    /// Where the bytes `start..end` of the decoded text stand in the file.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let (start, end) = (start as u32, end as u32);
        let first = self.place(start, true);
        let last = if end > start { self.place(end - 1, false) } else { first };
        Span { source: self.source, start: first, end: last.max(first) }
    }

    /// The place of a decoded byte in the file: where it begins, or where it
    /// ends.
    fn place(&self, byte: u32, begin: bool) -> u32 {
        let index = self.parts.partition_point(|part| part.decoded <= byte);
        let Some(part) = self.parts.get(index.saturating_sub(1)) else { return 0 };
        match (part.plain, begin) {
            (true, true) => (part.start + (byte - part.decoded)).min(part.end),
            (true, false) => (part.start + (byte - part.decoded) + 1).min(part.end),
            // Behind the last part, too, if that is an entity.
            (false, true) if byte > part.decoded && index == self.parts.len() => part.end,
            (false, true) => part.start,
            (false, false) => part.end,
        }
    }

    /// Where it ends.
    pub fn end(&self) -> Span {
        let end = self.text.len();
        self.span(end, end)
    }

    /// All of it but white space around.
    pub fn trimmed(&self) -> (&str, Span) {
        let text = self.text.trim();
        let start = self.text.len() - self.text.trim_start().len();
        (text, self.span(start, start + text.len()))
    }
}

/// What stands next in XML text.
enum Found {
    Text(usize, usize),
    Entity(usize, usize),
    Opened,
    Closed,
    /// A comment, an instruction, an element without content.
    Nothing,
}

/// Walks over XML that is known to be well formed.
struct Scanner<'a> {
    file: &'a str,
    at: usize,
    end: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.file.get(self.at..self.end).unwrap_or("")
    }

    /// Passes what begins here and ends with `closing`.
    fn pass(&mut self, closing: &str) {
        self.at = self.rest().find(closing).map_or(self.end, |at| self.at + at + closing.len());
    }

    /// Passes a tag; whether it closes itself.
    fn pass_tag(&mut self) -> bool {
        let mut quote = None;
        let mut before = ' ';
        let mut length = self.end - self.at.min(self.end);
        for (at, letter) in self.rest().char_indices() {
            match quote {
                Some(open) if letter == open => quote = None,
                Some(_) => {}
                None if letter == '"' || letter == '\'' => quote = Some(letter),
                None if letter == '>' => {
                    length = at + 1;
                    break;
                }
                None => {}
            }
            before = letter;
        }
        self.at += length;
        before == '/'
    }

    fn next(&mut self) -> Found {
        const CDATA: &str = "<![CDATA[";
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with(CDATA) {
            self.pass("]]>");
            let end =
                if self.file[start..self.at].ends_with("]]>") { self.at - 3 } else { self.at };
            return Found::Text(start + CDATA.len(), end.max(start + CDATA.len()));
        }
        if rest.starts_with("<!--") {
            self.pass("-->");
            return Found::Nothing;
        }
        if rest.starts_with("<?") {
            self.pass("?>");
            return Found::Nothing;
        }
        if rest.starts_with('<') {
            let closes = rest.starts_with("</");
            let alone = self.pass_tag();
            return match (closes, alone) {
                (true, _) => Found::Closed,
                (false, true) => Found::Nothing,
                (false, false) => Found::Opened,
            };
        }
        if rest.starts_with('&') {
            self.pass(";");
            return Found::Entity(start, self.at);
        }
        self.at = rest.find(['<', '&']).map_or(self.end, |at| start + at);
        Found::Text(start, self.at)
    }
}

/// The letter an entity, as written, stands for.
fn entity(written: &str) -> Option<char> {
    let name = written.strip_prefix('&')?.strip_suffix(';')?;
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(number) => u32::from_str_radix(number, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(file: &str) -> Piece<'_> {
        Piece::element(SourceId(0), file, 0, file.len()).unwrap()
    }

    #[test]
    fn spans_are_places_of_the_file() {
        let file = "<label kind='a>b'>x &lt; 3 &amp;&#38; y</label>";
        let piece = element(file);
        assert_eq!(piece.text, "x < 3 && y");
        let written = |word: &str| {
            let at = piece.text.find(word).unwrap();
            let span = piece.span(at, at + word.len());
            &file[span.start as usize..span.end as usize]
        };
        assert_eq!(written("x"), "x");
        assert_eq!(written("<"), "&lt;");
        assert_eq!(written("&&"), "&amp;&#38;");
        assert_eq!(written("3 &"), "3 &amp;");
        assert_eq!(written("y"), "y");
        assert_eq!(piece.end().start as usize, file.find("</").unwrap());
    }

    #[test]
    fn comments_and_elements_within_are_left_out() {
        assert_eq!(element("<a>1<!-- > -->2<b>3<c/></b>4<![CDATA[<&]]>5</a>").text, "124<&5");
        assert_eq!(element("<a/>").text, "");
        assert_eq!(element("<a b='/'></a>").text, "");
        assert_eq!(element("<a>&#x41;&#10;</a>").text, "A\n");
        let unknown = Piece::element(SourceId(0), "<a>x &who; y</a>", 0, 16).unwrap_err();
        assert_eq!((unknown.0.start, unknown.1.as_str()), (5, "&who;"));
    }

    #[test]
    fn ends_behind_entities() {
        let file = "<a>x&gt;</a>";
        let piece = element(file);
        assert_eq!(piece.end().start, 8);
        assert_eq!(piece.trimmed(), ("x>", Span { source: SourceId(0), start: 3, end: 8 }));
    }
}
