//! Declarations: types, variables, channels.

use homing_ir::Diagnostic;

use super::Parser;
use crate::promela::syntax::*;
use crate::promela::token::Token;
use crate::reading::Parse;
use crate::walking::Walking;

/// What a declaration may turn out to be.
pub enum Declared {
    /// Variables.
    Variables(Declaration),
    /// `mtype = { … }`.
    Symbols(Symbols),
}

fn simple_type(token: Token) -> Option<TypeName> {
    Some(match token {
        Token::Bit => TypeName::Bit,
        Token::Bool => TypeName::Bool,
        Token::Byte => TypeName::Byte,
        Token::Pid => TypeName::Pid,
        Token::Short => TypeName::Short,
        Token::Int => TypeName::Int,
        Token::Unsigned => TypeName::Unsigned,
        Token::Mtype => TypeName::Mtype(None),
        Token::Chan => TypeName::Chan,
        _ => return None,
    })
}

impl Parser<'_> {
    /// Whether a declaration begins here. The name of a type that does not
    /// exist is taken for one where another name follows.
    pub fn at_declaration(&self) -> bool {
        match self.token() {
            Token::Hidden | Token::Show | Token::Local => true,
            Token::Name => {
                self.records.contains(self.text())
                    || self.ahead(1) == Token::Name && !self.line_ends_behind() && !self.is_inline()
            }
            token => simple_type(token).is_some(),
        }
    }

    /// Whether the next word stands in another line.
    fn line_ends_behind(&self) -> bool {
        self.words().get(self.index() + 1).is_some_and(|next| next.newline)
    }

    /// `hidden byte x = 1, a[3]`, `mtype = { a, b }`.
    pub fn declaration(&mut self) -> Parse<Declared> {
        let start = self.span();
        let visibility = match self.token() {
            Token::Hidden => Visibility::Hidden,
            Token::Show => Visibility::Show,
            Token::Local => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.advance();
        }
        let ty = self.type_name()?;
        let list = self.token() == Token::LeftBrace
            || self.token() == Token::Assign && self.ahead(1) == Token::LeftBrace;
        if let (TypeName::Mtype(subtype), true) = (&ty, list) {
            let subtype = subtype.clone();
            self.take(Token::Assign);
            if visibility != Visibility::Plain {
                let message = "the names of an `mtype` cannot be marked: ignored";
                self.report(Diagnostic::warning(message, start));
            }
            return Ok(Declared::Symbols(Symbols { subtype, names: self.symbols()? }));
        }
        let mut variables = vec![self.declarator()?];
        while self.take(Token::Comma) {
            variables.push(self.declarator()?);
        }
        Ok(Declared::Variables(Declaration { visibility, ty, variables, span: self.since(start) }))
    }

    /// A type; `mtype` with its subtype.
    fn type_name(&mut self) -> Parse<TypeName> {
        if self.token() == Token::Name {
            return Ok(TypeName::Record(self.name("a type")?));
        }
        let Some(ty) = simple_type(self.token()) else { return self.fail_expecting("a type") };
        self.advance();
        if ty != TypeName::Mtype(None) || !self.take(Token::Colon) {
            return Ok(ty);
        }
        Ok(TypeName::Mtype(Some(self.name("the name of a set of symbols")?)))
    }

    /// `{ a, b }`; commas may be missing.
    fn symbols(&mut self) -> Parse<Vec<Name>> {
        let open = self.expect(Token::LeftBrace)?;
        let mut names = Vec::new();
        loop {
            // Also a line may end between names.
            self.pass_line_end();
            match self.token() {
                Token::Name => names.push(self.name("a name")?),
                Token::Comma if !names.is_empty() => self.advance(),
                Token::RightBrace if !names.is_empty() => {
                    self.advance();
                    return Ok(names);
                }
                _ => {
                    let result = self.fail_expecting("a name or `}`");
                    self.close_braces(open);
                    return result;
                }
            }
        }
    }

    /// Goes behind the brace that closes what was opened: else it would seem
    /// to close what is around it.
    fn close_braces(&mut self, _open: homing_ir::Span) {
        let ends = [Token::Semicolon, Token::RightBrace, Token::End, Token::LeftBrace];
        while !ends.contains(&self.token()) {
            self.advance();
        }
        self.take(Token::RightBrace);
    }

    fn declarator(&mut self) -> Parse<Declarator> {
        let name = self.name("the name of a variable")?;
        let width = if self.take(Token::Colon) { Some(self.number_expression()?) } else { None };
        let mut size = None;
        if self.take(Token::LeftBracket) {
            size = Some(self.expression()?);
            self.expect(Token::RightBracket)?;
        }
        let initial = if self.take(Token::Assign) { Some(self.initial()?) } else { None };
        Ok(Declarator { name, width, size, initial })
    }

    fn initial(&mut self) -> Parse<Initial> {
        let start = self.span();
        match self.token() {
            Token::LeftBrace => {
                self.advance();
                let list = self.expressions();
                let list = list.and_then(|list| self.expect(Token::RightBrace).map(|_| list));
                if list.is_err() {
                    self.close_braces(start);
                }
                Ok(Initial::List(list?, self.since(start)))
            }
            Token::LeftBracket => self.channel(),
            _ => Ok(Initial::Value(self.expression()?)),
        }
    }

    /// `[n] of { byte, mtype:m, Record }`.
    fn channel(&mut self) -> Parse<Initial> {
        let start = self.expect(Token::LeftBracket)?;
        let capacity = self.expression()?;
        self.expect(Token::RightBracket)?;
        self.expect(Token::Of)?;
        let open = self.expect(Token::LeftBrace)?;
        let mut message = Vec::new();
        loop {
            let field = self.span();
            match self.field_type() {
                Ok(ty) => message.push((ty, self.since(field))),
                Err(reported) => {
                    self.close_braces(open);
                    return Err(reported);
                }
            }
            self.pass_line_end();
            if self.take(Token::Comma) {
                continue;
            }
            if self.token() == Token::RightBrace {
                self.advance();
                return Ok(Initial::Channel { capacity, message, span: self.since(start) });
            }
            let result = self.fail_expecting("`,` or `}`");
            self.close_braces(open);
            return result;
        }
    }

    fn field_type(&mut self) -> Parse<TypeName> {
        if self.token() == Token::Unsigned {
            let error =
                Diagnostic::error("messages have no fields of type `unsigned`", self.span());
            return self.fail(error.help("use `byte`, `short` or `int`"));
        }
        self.type_name()
    }
}
