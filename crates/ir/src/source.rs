//! Source texts and places in them.

use serde::{Deserialize, Serialize};

/// The number of a source in its [`Sources`].
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SourceId(pub u16);

/// A stretch of a source text, in bytes.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// The stretch from the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.start), ..self }
    }
}

/// A text and where it came from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file's name as the user gave it, or `<goal>` and the like.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// Line and column of a place, both counted from one; columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// All texts a model was made from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1)).collect();
        self.texts.push(Source { name: name.into(), text, line_starts });
        SourceId((self.texts.len() - 1) as u16)
    }

    /// How many texts there are.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// The text with this number.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.texts[usize::from(id.0)]
    }

    /// Line and column of the start of `span`.
    pub fn position(&self, span: Span) -> Position {
        let source = self.get(span.source);
        let line = source.line_starts.partition_point(|start| *start <= span.start) - 1;
        let start = source.line_starts[line] as usize;
        let before = source.text.get(start..span.start as usize).unwrap_or("");
        Position { line: line as u32 + 1, column: before.chars().count() as u32 + 1 }
    }

    /// The text of `span`; empty where there is none.
    pub fn text(&self, span: Span) -> &str {
        let source = self.texts.get(usize::from(span.source.0));
        let range = span.start as usize..span.end as usize;
        source.and_then(|source| source.text.get(range)).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut sources = Sources::default();
        let source = sources.add("a", "xy\nä z\n");
        let at = |start| sources.position(Span { source, start, end: start });
        assert_eq!(at(0), Position { line: 1, column: 1 });
        assert_eq!(at(3), Position { line: 2, column: 1 });
        assert_eq!(at(6), Position { line: 2, column: 3 });
        assert_eq!(at(8), Position { line: 3, column: 1 });
    }
}
