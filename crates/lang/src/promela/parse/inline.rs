//! Inlines: what they are, and calling them.
//!
//! SPIN puts the text of an inline where it is called, with the texts of the
//! arguments for the names of the parameters, whatever these names stand for
//! there. So do we, word by word. What an argument brings is not looked at
//! for parameters again.

use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use super::{Call, Parser};
use crate::names::nearest;
use crate::promela::preprocess::Origin;
use crate::promela::syntax::*;
use crate::promela::token::{Lexeme, Token};
use crate::reading::Parse;
use crate::walking::Walking;

/// How deep calls may be nested.
const MOST_CALLS: usize = 32;
/// How many words all calls together may make.
const MOST_WORDS: usize = 4_000_000;

/// A named piece of text.
pub struct Inline {
    pub span: Span,
    pub parameters: Vec<Rc<str>>,
    /// Its words, the braces included.
    pub body: Rc<[Lexeme]>,
}

impl Parser<'_> {
    /// `inline name(a, b) { … }`.
    pub fn inline(&mut self) -> Parse<()> {
        self.advance();
        let name = self.name("the name of the inline")?;
        self.expect(Token::LeftParenthesis)?;
        let mut parameters: Vec<Rc<str>> = Vec::new();
        while self.token() != Token::RightParenthesis {
            let parameter = self.name("the name of a parameter")?;
            if parameters.iter().any(|known| **known == *parameter.text) {
                let message = format!("two parameters are called `{}`", parameter.text);
                self.report(Diagnostic::error(message, parameter.span));
            }
            parameters.push(parameter.text.into());
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightParenthesis)?;
        let open = self.span();
        if self.token() != Token::LeftBrace {
            return self.fail_expecting("`{`");
        }
        let start = self.index();
        self.skip_braces();
        let body: Rc<[Lexeme]> = self.words_since(start).into();
        if body.last().is_none_or(|last| last.token != Token::RightBrace) {
            let message = format!("the inline `{}` is not closed", name.text);
            return self.fail(Diagnostic::error(message, open).label("opened here"));
        }
        let key: Rc<str> = name.text.as_str().into();
        if let Some(first) = self.inlines.get(&key) {
            let message = format!("the inline `{}` is declared twice", name.text);
            let error = Diagnostic::error(message, name.span);
            let error = error.related(first.span, "first declared here");
            self.report(error);
        }
        self.inlines.insert(key, Rc::new(Inline { span: name.span, parameters, body }));
        Ok(())
    }

    /// `name(a, b)`, which was seen to come; its `return` assigns to `result`.
    pub fn inline_call(&mut self, result: Option<Reference>) -> Parse<StatementKind> {
        let (text, origin) = (Rc::clone(self.text()), self.current().origin);
        let name = self.name("the name of an inline")?;
        self.pass_line_end();
        let arguments = self.argument_words(&name)?;
        let place = self.since(name.span);
        let Some(inline) = self.inlines.get(&text).map(Rc::clone) else {
            return self.unknown_inline(&name);
        };
        self.check_call(&name, &inline, arguments.len(), place)?;
        let expansion = self.origins.len() as u32 + 1;
        let (definition, parent) = (inline.span, origin);
        self.origins.push(Origin { name: Rc::clone(&text), definition, parent });
        let words = put_in(&inline, &arguments, expansion);
        self.inlined += words.len();
        let end = words.last().map_or(place, |last| last.span);
        let left = self.enter(words, end);
        self.last_call += 1;
        let call = std::mem::replace(&mut self.call, self.last_call);
        self.calls.push(Call { name: text, result });
        let body = self.nested(|parser| {
            let body = parser.block("{ … }")?;
            parser.pass_line_end();
            if parser.token() != Token::End {
                return parser.fail_expecting("the end of the inline");
            }
            Ok(body)
        });
        self.calls.pop();
        self.call = call;
        self.leave(left, place);
        Ok(StatementKind::Inline { name, body: body? })
    }

    /// Texts with commas between them, in parentheses.
    fn argument_words(&mut self, name: &Name) -> Parse<Vec<Vec<Lexeme>>> {
        let open = self.expect(Token::LeftParenthesis)?;
        let mut list: Vec<Vec<Lexeme>> = Vec::new();
        let mut words = Vec::new();
        let mut depth = 0usize;
        loop {
            let word = self.current();
            match word.token {
                Token::RightParenthesis if depth == 0 => break,
                Token::Comma if depth == 0 => {
                    self.advance();
                    list.push(std::mem::take(&mut words));
                    continue;
                }
                Token::End | Token::LeftBrace | Token::RightBrace | Token::Semicolon => {
                    let message = format!("the arguments of `{}` are not closed", name.text);
                    return self.fail(Diagnostic::error(message, open).label("`)` is missing"));
                }
                Token::LeftParenthesis => depth += 1,
                Token::RightParenthesis => depth -= 1,
                _ => {}
            }
            words.push(word);
            self.advance();
        }
        self.advance();
        if !list.is_empty() || !words.is_empty() {
            list.push(words);
        }
        if list.iter().any(Vec::is_empty) {
            let message = format!("an argument of `{}` is missing", name.text);
            let error = Diagnostic::error(message, self.since(open));
            return self.fail(error);
        }
        Ok(list)
    }

    fn unknown_inline<T>(&mut self, name: &Name) -> Parse<T> {
        let message = format!("there is no inline `{}` above", name.text);
        let mut error = Diagnostic::error(message, name.span);
        if let Some(near) = nearest(&name.text, self.inlines.keys().map(|name| &**name)) {
            error = error.help(format!("did you mean `{near}`?"));
        } else if self.all_processes.contains(&*name.text) {
            error = error.help(format!("write `run {}(…)` to start a process", name.text));
        }
        self.fail(error)
    }

    fn check_call(&mut self, name: &Name, inline: &Inline, given: usize, place: Span) -> Parse<()> {
        let message = if inline.parameters.len() != given {
            let expected = inline.parameters.len();
            format!("the inline `{}` takes {expected} arguments, found {given}", name.text)
        } else if self.calls.iter().any(|call| *call.name == *name.text) {
            format!("the inline `{}` calls itself", name.text)
        } else if self.calls.len() == MOST_CALLS {
            format!("calls of inlines are nested more than {MOST_CALLS} deep")
        } else if self.inlined > MOST_WORDS {
            format!("calls of inlines make more than {MOST_WORDS} words of the text")
        } else {
            return Ok(());
        };
        self.fail(Diagnostic::error(message, place).related(inline.span, "declared here"))
    }

    /// `return e`.
    pub fn return_statement(&mut self) -> Parse<StatementKind> {
        let start = self.span();
        self.advance();
        let value = self.expression()?;
        let result = self.calls.last().map(|call| call.result.clone());
        match result {
            Some(Some(result)) => Ok(StatementKind::Assign(result, value)),
            None => self.fail(Diagnostic::error("`return` outside of an inline", start)),
            Some(None) => {
                let error = Diagnostic::error("the result of the inline is not used", start);
                self.fail(error.help("call it by `x = name(…)`"))
            }
        }
    }
}

/// The body with arguments for parameters. They stand where the parameter
/// stands: there SPIN says they are.
fn put_in(inline: &Inline, arguments: &[Vec<Lexeme>], expansion: u32) -> Vec<Lexeme> {
    let mut words = Vec::with_capacity(inline.body.len());
    for word in inline.body.iter() {
        homing_budget::checkpoint();
        let parameter = (word.token == Token::Name)
            .then(|| inline.parameters.iter().position(|name| *name == word.text))
            .flatten();
        let origin = if word.origin == 0 { expansion } else { word.origin };
        let Some(argument) = parameter.and_then(|index| arguments.get(index)) else {
            words.push(Lexeme { origin, ..word.clone() });
            continue;
        };
        for (i, piece) in argument.iter().enumerate() {
            let (newline, joined) = (word.newline && i == 0, piece.joined && i > 0);
            words.push(Lexeme { span: word.span, origin, newline, joined, ..piece.clone() });
        }
    }
    words
}
