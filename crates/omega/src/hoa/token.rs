//! The words of HOA files.

use super::Problem;

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// `States:`
    Header(String),
    /// `Buchi`, `t`
    Name(String),
    /// `@a`
    Alias(String),
    Number(u32),
    Text(String),
    /// `--BODY--`, `--END--`, `--ABORT--`
    Mark(String),
    /// `( ) [ ] { } ! & |`
    Sign(char),
    End,
}

/// A word and where it begins, in bytes.
pub(super) type Word = (Token, usize);

/// A problem at a place of the text.
pub(super) fn problem(text: &str, at: usize, message: impl Into<String>) -> Problem {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Problem {
        message: message.into(),
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        at,
    }
}

/// The words of a text.
pub(super) fn words(text: &str) -> Result<Vec<Word>, Problem> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            '/' if rest.starts_with("/*") => comment(text, at)?,
            '"' => {
                let (content, length) = quoted(text, at)?;
                words.push((Token::Text(content), at));
                length
            }
            '(' | ')' | '[' | ']' | '{' | '}' | '!' | '&' | '|' => {
                words.push((Token::Sign(first), at));
                1
            }
            '-' => {
                let marks = ["--BODY--", "--END--", "--ABORT--"];
                let found = marks.into_iter().find(|mark| rest.starts_with(mark));
                let mark = found.ok_or_else(|| unexpected(text, at, first))?;
                words.push((Token::Mark(mark.to_string()), at));
                mark.len()
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let value = rest[..length].parse();
                let value = value.map_err(|_| problem(text, at, "the number is too large"))?;
                words.push((Token::Number(value), at));
                length
            }
            '@' => {
                let length = 1 + name_length(&rest[1..]);
                words.push((Token::Alias(rest[1..length].to_string()), at));
                length
            }
            _ if first.is_alphabetic() || first == '_' => {
                let length = name_length(rest);
                let name = rest[..length].to_string();
                if rest[length..].starts_with(':') {
                    words.push((Token::Header(name), at));
                    length + 1
                } else {
                    words.push((Token::Name(name), at));
                    length
                }
            }
            _ => return Err(unexpected(text, at, first)),
        };
        at += length;
    }
    words.push((Token::End, text.len()));
    Ok(words)
}

fn unexpected(text: &str, at: usize, found: char) -> Problem {
    problem(text, at, format!("`{found}` has no meaning here"))
}

fn name_length(text: &str) -> usize {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.find(|c| !inside(c)).unwrap_or(text.len())
}

/// How long a comment is, with those inside of it.
fn comment(text: &str, start: usize) -> Result<usize, Problem> {
    let (mut depth, mut at) = (0usize, start);
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += next.len_utf8();
        }
        if depth == 0 {
            return Ok(at - start);
        }
    }
    Err(problem(text, start, "this comment is not closed"))
}

/// What stands in quotes, and how long it is with them.
fn quoted(text: &str, start: usize) -> Result<(String, usize), Problem> {
    let mut content = String::new();
    let mut escaped = false;
    for (at, c) in text[start + 1..].char_indices() {
        match c {
            '"' if !escaped => return Ok((content, at + 2)),
            '\\' if !escaped => escaped = true,
            _ => {
                escaped = false;
                content.push(c);
            }
        }
    }
    Err(problem(text, start, "this quote is not closed"))
}
