//! Declarations: one a line, its parts separated by colons.

use homing_ir::{Diagnostic, SourceId, Span};

use super::syntax::{
    Attribute, Clock, Edge, Integer, Location, Model, Name, Number, Participant, Synchronisation,
};
use crate::reading::{Parse, Reported, shortened};
use crate::reports::Reports;

/// Words that begin declarations, and are no names.
const WORDS: &[&str] = &["clock", "edge", "event", "int", "location", "process", "sync", "system"];

/// Reads the declarations of a text.
pub fn model<'a>(source: SourceId, text: &'a str, reports: &mut Reports) -> Model<'a> {
    let mut reader = Reader { source, text, at: 0, reports };
    let mut model = Model::default();
    let mut first = true;
    while reader.next_line() && !reader.reports.full() {
        let start = reader.at;
        if reader.declaration(&mut model, first).is_err() {
            reader.skip_line();
        }
        first = false;
        // Whatever was wrong, something is passed.
        reader.at = reader.at.max(start + 1).min(text.len());
    }
    if model.system.is_none() && !reader.reports.failed() {
        let error = Diagnostic::error("the text does not begin with `system`", reader.span(0));
        reader.reports.add(error.help("write `system:name` on its first line"));
    }
    model
}

struct Reader<'a, 'r> {
    source: SourceId,
    text: &'a str,
    at: usize,
    reports: &'r mut Reports,
}

impl<'a> Reader<'a, '_> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn span(&self, start: usize) -> Span {
        Span { source: self.source, start: start as u32, end: self.at.max(start) as u32 }
    }

    /// Goes to the next line that says something, if there is one.
    fn next_line(&mut self) -> bool {
        loop {
            self.blanks();
            match self.peek() {
                None => return false,
                Some('\n' | '\r') => self.at += 1,
                Some('#') => self.skip_line(),
                Some(_) => return true,
            }
        }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn declaration(&mut self, model: &mut Model<'a>, first: bool) -> Parse<()> {
        let start = self.at;
        let word = self.word("a declaration")?;
        if first != (word.text == "system") {
            let message = match first {
                true => "the text does not begin with `system`",
                false => "there is more than one `system`",
            };
            self.reports.add(Diagnostic::error(message, word.span));
        }
        match word.text {
            "system" => model.system = Some(self.name("a name for the system")?),
            "process" => model.processes.push(self.name("the name of a process")?),
            "event" => model.events.push(self.name("the name of an event")?),
            "clock" => {
                let (size, name) = (self.number("a size")?, self.name("the name of a clock")?);
                model.clocks.push(Clock { size, name });
            }
            "int" => {
                let (size, least) = (self.number("a size")?, self.number("the least value")?);
                let greatest = self.number("the greatest value")?;
                let initial = self.number("the initial value")?;
                let name = self.name("the name of a variable")?;
                model.integers.push(Integer { size, least, greatest, initial, name });
            }
            "location" => {
                let process = self.name("the name of a process")?;
                let name = self.name("the name of a location")?;
                let span = self.span(start);
                let attributes = self.attributes()?;
                model.locations.push(Location { process, name, attributes, span });
            }
            "edge" => {
                let process = self.name("the name of a process")?;
                let from = self.name("the name of a location")?;
                let to = self.name("the name of a location")?;
                let event = self.name("the name of an event")?;
                let span = self.span(start);
                let attributes = self.attributes()?;
                model.edges.push(Edge { process, from, to, event, attributes, span });
            }
            "sync" => {
                let participants = self.participants()?;
                let span = self.span(start);
                model.synchronisations.push(Synchronisation { participants, span });
            }
            other => {
                let message = format!("`{}` declares nothing", shortened(other));
                let help = "declarations begin with `process`, `event`, `clock`, `int`, \
                            `location`, `edge` or `sync`";
                self.reports.add(Diagnostic::error(message, word.span).help(help));
                return Err(Reported);
            }
        }
        self.attributes()?;
        self.end()
    }

    /// Nothing may follow on a line but a comment.
    fn end(&mut self) -> Parse<()> {
        self.blanks();
        match self.peek() {
            None | Some('\n' | '#') => Ok(()),
            Some(_) => self.fail("the end of the line"),
        }
    }

    fn fail<T>(&mut self, expected: &str) -> Parse<T> {
        let start = self.at;
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            Some('\n') => "the end of the line".to_owned(),
            Some(character) => {
                self.at += character.len_utf8();
                format!("`{character}`")
            }
        };
        let message = format!("expected {expected}, found {found}");
        self.reports.add(Diagnostic::error(message, self.span(start)));
        self.at = start;
        Err(Reported)
    }

    /// A word of letters, digits, `_` and `.`.
    fn word(&mut self, what: &str) -> Parse<Name<'a>> {
        self.blanks();
        let (start, rest) = (self.at, self.rest());
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return self.fail(what);
        }
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        Ok(Name { text: &rest[..length], span: self.span(start) })
    }

    fn colon(&mut self) -> Parse<()> {
        self.blanks();
        if self.peek() != Some(':') {
            return self.fail("`:`");
        }
        self.at += 1;
        Ok(())
    }

    /// `:` and a name.
    fn name(&mut self, what: &str) -> Parse<Name<'a>> {
        self.colon()?;
        self.plain_name(what)
    }

    fn plain_name(&mut self, what: &str) -> Parse<Name<'a>> {
        let name = self.word(what)?;
        if WORDS.contains(&name.text) {
            let message = format!("expected {what}, found `{}`", name.text);
            let help = format!("`{}` is a word of the language", name.text);
            self.reports.add(Diagnostic::error(message, name.span).help(help));
            return Err(Reported);
        }
        Ok(name)
    }

    /// `:` and a number.
    fn number(&mut self, what: &str) -> Parse<Number> {
        self.colon()?;
        self.blanks();
        let (start, rest) = (self.at, self.rest());
        let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let sign = rest.len() - digits.len();
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if length == 0 {
            return self.fail(what);
        }
        self.at += sign + length;
        let span = self.span(start);
        let value = rest[..sign + length].trim_start_matches('+').parse::<i32>();
        match value {
            Ok(value) => Ok(Number { value: i64::from(value), span }),
            Err(_) => {
                let message =
                    format!("the number `{}` is too large", shortened(&rest[..sign + length]));
                self.reports.add(Diagnostic::error(message, span));
                Ok(Number { value: 0, span })
            }
        }
    }

    fn participants(&mut self) -> Parse<Vec<Participant<'a>>> {
        let mut all = Vec::new();
        loop {
            self.colon()?;
            let process = self.plain_name("the name of a process")?;
            self.blanks();
            if self.peek() != Some('@') {
                return self.fail("`@`");
            }
            self.at += 1;
            let event = self.plain_name("the name of an event")?;
            self.blanks();
            let weak = self.peek() == Some('?');
            self.at += usize::from(weak);
            all.push(Participant { process, event, weak });
            self.blanks();
            if self.peek() != Some(':') {
                return Ok(all);
            }
        }
    }

    /// `{key:value:key:value}`, on as many lines as it takes; or nothing.
    fn attributes(&mut self) -> Parse<Vec<Attribute<'a>>> {
        let mut all = Vec::new();
        self.blanks();
        if self.peek() != Some('{') {
            return Ok(all);
        }
        self.at += 1;
        loop {
            self.space();
            if self.peek() == Some('}') && all.is_empty() {
                break;
            }
            let key = self.word("the name of an attribute")?;
            self.space();
            self.colon()?;
            let value = self.value();
            all.push(Attribute { key, value });
            match self.peek() {
                Some(':') => self.at += 1,
                Some('}') => break,
                _ => return self.fail("`:` or `}`"),
            }
        }
        self.at += 1;
        Ok(all)
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// What stands up to the next colon or brace, without the space around it.
    fn value(&mut self) -> Name<'a> {
        let rest = self.rest();
        let length = rest.find([':', '{', '}', '#']).unwrap_or(rest.len());
        let text = &rest[..length];
        let start = self.at + text.len() - text.trim_start().len();
        self.at += length;
        let trimmed = text.trim();
        let end = start + trimmed.len();
        let span = Span { source: self.source, start: start as u32, end: end.max(start) as u32 };
        Name { text: trimmed, span }
    }
}
