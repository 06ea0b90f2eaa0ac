//! Macros: what they are, and putting arguments into their bodies.

use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use super::scan::{Kind, Word, single};
use crate::reports::Reports;

/// The name of the last parameter of a macro that takes any number.
pub const REST: &str = "__VA_ARGS__";

/// What a macro stands for.
#[derive(Clone, Debug)]
pub struct Macro {
    pub name: Rc<str>,
    /// Where it is defined.
    pub span: Span,
    /// None for one that takes no parentheses.
    pub parameters: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all arguments that are left.
    pub variadic: bool,
    pub body: Vec<Word>,
    /// Made here rather than written.
    pub builtin: Option<Builtin>,
}

/// Macros that are not a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    Line,
    File,
}

impl Macro {
    /// Whether both stand for the same.
    pub fn same(&self, other: &Macro) -> bool {
        let spaced = |word: &Word| word.space;
        self.parameters == other.parameters
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self
                .body
                .iter()
                .zip(&other.body)
                .enumerate()
                .all(|(i, (a, b))| a.text == b.text && (i == 0 || spaced(a) == spaced(b)))
    }

    /// The number of the parameter `word` names.
    fn parameter(&self, word: &Word) -> Option<usize> {
        let parameters = self.parameters.as_ref().filter(|_| word.kind == Kind::Name)?;
        parameters.iter().position(|name| *name == word.text)
    }
}

/// One argument of a use of a macro: as written, and with its macros expanded.
#[derive(Clone, Debug, Default)]
pub struct Argument {
    pub written: Vec<Word>,
    pub expanded: Vec<Word>,
}

/// Where a macro is used.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub place: Span,
    pub line: u32,
    /// The number of the expansion.
    pub origin: u32,
}

/// The body of `definition` with `arguments` put in. All words of the body
/// stand where the macro is used.
pub fn substitute(
    definition: &Macro,
    arguments: &[Argument],
    at: At,
    reports: &mut Reports,
) -> Vec<Word> {
    let body = &definition.body;
    let At { place, line, origin } = at;
    let here = |word: &Word| Word { span: place, line, origin, ..word.clone() };
    let mut out: Vec<Word> = Vec::new();
    // Whether the last thing put out is an argument without words.
    let mut empty = false;
    let mut i = 0;
    while let Some(word) = body.get(i) {
        let next = body.get(i + 1);
        if word.is("#") && definition.parameters.is_some() {
            if let Some(index) = next.and_then(|next| definition.parameter(next)) {
                out.push(Word { space: word.space, ..stringise(&arguments[index], &here(word)) });
                (i, empty) = (i + 2, false);
                continue;
            }
        }
        if word.is("##") && i > 0 && next.is_some() {
            let right = &body[i + 1];
            let comma = definition.variadic
                && out.last().is_some_and(|last| last.is(","))
                && definition.parameter(right).is_some_and(|p| p + 1 == arguments.len());
            let pasted = match definition.parameter(right) {
                Some(index) => arguments[index].written.clone(),
                None => vec![here(right)],
            };
            if comma {
                // `, ## __VA_ARGS__`: the comma goes where nothing follows it.
                if pasted.is_empty() {
                    out.pop();
                } else if let Some(index) = definition.parameter(right) {
                    out.extend(arguments[index].expanded.iter().cloned());
                }
            } else {
                empty = paste(&mut out, pasted, empty, place, reports);
            }
            i += 2;
            continue;
        }
        match definition.parameter(word) {
            Some(index) => {
                let raw = next.is_some_and(|next| next.is("##")) && body.get(i + 2).is_some();
                let argument = &arguments[index];
                let words = if raw { &argument.written } else { &argument.expanded };
                let start = out.len();
                out.extend(words.iter().cloned());
                if let Some(first) = out.get_mut(start) {
                    first.space = word.space;
                }
                empty = words.is_empty();
            }
            None => {
                out.push(here(word));
                empty = false;
            }
        }
        i += 1;
    }
    out
}

/// Pastes the last word of `out` and the first of `right`; says whether both
/// were empty.
fn paste(
    out: &mut Vec<Word>,
    right: Vec<Word>,
    left_empty: bool,
    place: Span,
    reports: &mut Reports,
) -> bool {
    let mut right = right.into_iter();
    let Some(first) = right.next() else { return left_empty };
    match out.pop() {
        Some(left) if !left_empty => {
            let text = format!("{}{}", left.text, first.text);
            match single(&text) {
                Some((kind, text)) => out.push(Word { kind, text, painted: false, ..left }),
                None => {
                    let message =
                        format!("`##` makes no word of `{}` and `{}`", left.text, first.text);
                    reports.add(Diagnostic::error(message, place));
                    out.extend([left, first]);
                }
            }
        }
        left => {
            out.extend(left);
            out.push(first);
        }
    }
    out.extend(right);
    false
}

/// The string an argument makes behind `#`.
fn stringise(argument: &Argument, like: &Word) -> Word {
    let mut text = String::from("\"");
    for (i, word) in argument.written.iter().enumerate() {
        if i > 0 && word.space {
            text.push(' ');
        }
        let quoted = matches!(word.kind, Kind::String | Kind::Character);
        for letter in word.text.chars() {
            if quoted && matches!(letter, '"' | '\\') {
                text.push('\\');
            }
            text.push(letter);
        }
    }
    text.push('"');
    Word { kind: Kind::String, text: text.into(), ..like.clone() }
}
