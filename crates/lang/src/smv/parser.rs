//! Modules and what they are made of.

use homing_ir::relation::Kind;
use homing_ir::{Diagnostic, Span};

use super::cursor::Cursor;
use super::expressions::expression;
use super::signs::{LOOSEST, SHIFT, TIGHTEST};
use super::syntax::{
    Asks, Assignment, Bounds, Constraint, Declaration, Define, Element, ElementValue, Expr, Module,
    Moment, Name, Specification, Text, Type, Values,
};
use super::token::Token;
use crate::reading::{Parse, shortened};
use crate::walking::Walking;

/// Reads a text. What is wrong is reported, and reading goes on with the next section.
pub fn parse<'t>(cursor: &mut Cursor<'t>) -> Text<'t> {
    let mut parser = Parser { cursor, text: Text::default() };
    loop {
        match parser.cursor.token() {
            Token::End => break,
            Token::Module => {
                if parser.module().is_err() {
                    parser.cursor.recover();
                }
            }
            token => {
                // Sections behind a module that could not be begun are not complained about.
                if parser.text.modules.is_empty() && !parser.cursor.reports.failed() {
                    let _ = parser.cursor.expect(Token::Module);
                }
                if token.begins_section() {
                    parser.cursor.advance();
                }
                parser.cursor.recover();
            }
        }
    }
    parser.text
}

struct Parser<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    text: Text<'t>,
}

impl<'t> Parser<'_, 't> {
    fn module(&mut self) -> Parse<()> {
        self.cursor.expect(Token::Module)?;
        let name = self.name("the name of a module")?;
        let mut parameters = Vec::new();
        if self.cursor.take(Token::LeftParenthesis) && !self.cursor.take(Token::RightParenthesis) {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.cursor.take(Token::Comma) {
                    break;
                }
            }
            self.cursor.expect(Token::RightParenthesis)?;
        }
        let mut module = Module {
            name,
            parameters,
            taken_in: Vec::new(),
            variables: Vec::new(),
            constants: Vec::new(),
            defines: Vec::new(),
            assignments: Vec::new(),
            constraints: Vec::new(),
            compassion: Vec::new(),
            specifications: Vec::new(),
        };
        while !matches!(self.cursor.token(), Token::Module | Token::End) {
            homing_budget::checkpoint();
            if self.section(&mut module).is_err() {
                self.cursor.recover();
            }
        }
        self.text.modules.push(module);
        Ok(())
    }

    fn section(&mut self, module: &mut Module<'t>) -> Parse<()> {
        let (token, span) = (self.cursor.token(), self.cursor.span());
        if !token.begins_section() {
            return self.cursor.fail_expecting("a section, such as `VAR` or `ASSIGN`");
        }
        self.cursor.advance();
        match token {
            Token::Var => self.variables(Kind::State, module),
            Token::Ivar => self.variables(Kind::Input, module),
            Token::FrozenVar => self.variables(Kind::Frozen, module),
            Token::Define => self.defines(module),
            Token::Constants => self.constants(module),
            Token::Assign => self.assignments(module),
            Token::InitSection => self.constraint(Constraint::Init, module),
            Token::Invar => self.constraint(Constraint::Invar, module),
            Token::Trans => self.constraint(Constraint::Trans, module),
            Token::Justice => self.constraint(Constraint::Justice, module),
            Token::Compassion => self.compassion(module),
            Token::Isa => {
                let name = self.name("the name of a module")?;
                module.taken_in.push(name);
                Ok(())
            }
            Token::Fun => self.cursor.fail(Diagnostic::error("NuSMV has no functions", span)),
            _ => self.specification(token, span, module),
        }
    }

    fn name(&mut self, what: &str) -> Parse<Name<'t>> {
        let (text, span) = self.cursor.name(what)?;
        Ok(Name { text, span })
    }

    fn expression(&mut self) -> Parse<Expr> {
        expression(self.cursor, &mut self.text, LOOSEST)
    }

    /// The name of something declared, perhaps with dots and numbers in brackets.
    fn declared(&mut self, what: &str) -> Parse<(String, Span)> {
        let first = self.name(what)?;
        let mut name = first.text.to_string();
        loop {
            if self.cursor.take(Token::Dot) {
                name.push('.');
                name.push_str(self.cursor.text());
                match self.cursor.token() {
                    Token::Name | Token::Number => self.cursor.advance(),
                    _ => return self.cursor.fail_expecting("a name"),
                }
            } else if self.cursor.take(Token::LeftBracket) {
                let sign = if self.cursor.take(Token::Minus) { "-" } else { "" };
                name = format!("{name}[{sign}{}]", self.cursor.text());
                self.cursor.expect(Token::Number)?;
                self.cursor.expect(Token::RightBracket)?;
            } else {
                return Ok((name, self.cursor.since(first.span)));
            }
        }
    }

    fn variables(&mut self, kind: Kind, module: &mut Module<'t>) -> Parse<()> {
        while !self.cursor.token().begins_section() {
            let (name, span) = self.declared("the name of a variable")?;
            self.cursor.expect(Token::Colon)?;
            let ty = self.ty()?;
            if let (Type::Instance { module, .. }, true) = (&ty, kind != Kind::State) {
                let message = "an instance of a module is declared in `VAR`";
                return self.cursor.fail(Diagnostic::error(message, module.span));
            }
            self.cursor.expect(Token::Semicolon)?;
            module.variables.push(Declaration { kind, name, span, ty });
        }
        Ok(())
    }

    fn ty(&mut self) -> Parse<Type<'t>> {
        let process = self.cursor.take(Token::Process);
        let next = self.cursor.next_token();
        let named = self.cursor.token() == Token::Name;
        if process || named && matches!(next, Token::Semicolon | Token::LeftParenthesis) {
            return self.instance(process);
        }
        let mut bounds = Vec::new();
        while self.cursor.token() == Token::Array && next_is_bound(self.cursor.next_token()) {
            self.cursor.advance();
            let low = self.bound()?;
            self.cursor.expect(Token::Range)?;
            bounds.push(Bounds { low, high: self.bound()? });
            self.cursor.expect(Token::Of)?;
        }
        Ok(Type::Values(bounds, self.values()?))
    }

    fn instance(&mut self, process: bool) -> Parse<Type<'t>> {
        let module = self.name("the name of a module")?;
        let mut arguments = Vec::new();
        if self.cursor.take(Token::LeftParenthesis) && !self.cursor.take(Token::RightParenthesis) {
            loop {
                arguments.push(self.expression()?);
                if !self.cursor.take(Token::Comma) {
                    break;
                }
            }
            self.cursor.expect(Token::RightParenthesis)?;
        }
        Ok(Type::Instance { process, module, arguments })
    }

    fn bound(&mut self) -> Parse<Expr> {
        expression(self.cursor, &mut self.text, SHIFT)
    }

    fn width(&mut self) -> Parse<Expr> {
        self.cursor.expect(Token::LeftBracket)?;
        let width = self.expression()?;
        self.cursor.expect(Token::RightBracket)?;
        Ok(width)
    }

    fn values(&mut self) -> Parse<Values> {
        match self.cursor.token() {
            Token::Boolean => {
                self.cursor.advance();
                Ok(Values::Bool)
            }
            Token::WordType | Token::Unsigned | Token::Signed => {
                let signed = self.cursor.token() == Token::Signed;
                if self.cursor.token() != Token::WordType {
                    self.cursor.advance();
                }
                self.cursor.expect(Token::WordType)?;
                Ok(Values::Word { signed, width: self.width()? })
            }
            Token::LeftBrace => self.enumeration(),
            Token::Array => self.memory(),
            _ => {
                let low = self.bound()?;
                self.cursor.expect(Token::Range)?;
                Ok(Values::Range(low, self.bound()?))
            }
        }
    }

    fn memory(&mut self) -> Parse<Values> {
        self.cursor.advance();
        if self.cursor.token() == Token::Of {
            let message = "an array without bounds cannot be read: NuSMV's models are finite";
            let span = self.cursor.span();
            return self.cursor.fail(Diagnostic::error(message, span));
        }
        self.cursor.expect(Token::WordType)?;
        let index = self.width()?;
        self.cursor.expect(Token::Of)?;
        self.cursor.take(Token::Unsigned);
        self.cursor.expect(Token::WordType)?;
        Ok(Values::Memory { index, element: self.width()? })
    }

    fn enumeration(&mut self) -> Parse<Values> {
        self.cursor.expect(Token::LeftBrace)?;
        let mut elements = Vec::new();
        loop {
            let span = self.cursor.span();
            let minus = self.cursor.take(Token::Minus);
            let plus = !minus && self.cursor.take(Token::Plus);
            let value = match self.cursor.token() {
                Token::Number => ElementValue::Number(self.number(minus)?),
                Token::True | Token::False => {
                    let message = "`TRUE` and `FALSE` are values of booleans only";
                    return self.cursor.fail(Diagnostic::error(message, span));
                }
                _ if minus || plus => return self.cursor.fail_expecting("a number"),
                _ => ElementValue::Symbol(self.symbol()?),
            };
            elements.push(Element { value, span: self.cursor.since(span) });
            if !self.cursor.take(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::RightBrace)?;
        Ok(Values::Enumeration(elements))
    }

    fn number(&mut self, minus: bool) -> Parse<i64> {
        let (text, span) = (self.cursor.text(), self.cursor.span());
        self.cursor.expect(Token::Number)?;
        match text.parse::<i32>() {
            Ok(number) => Ok(if minus { -i64::from(number) } else { i64::from(number) }),
            Err(_) => {
                let message = format!("the number {} is too large", shortened(text));
                self.cursor.fail(Diagnostic::error(message, span))
            }
        }
    }

    /// The name of a symbol, perhaps with dots.
    fn symbol(&mut self) -> Parse<String> {
        let mut name = self.name("the name of a value")?.text.to_string();
        while self.cursor.take(Token::Dot) {
            name.push('.');
            name.push_str(self.name("the name of a value")?.text);
        }
        Ok(name)
    }

    fn defines(&mut self, module: &mut Module<'t>) -> Parse<()> {
        while !self.cursor.token().begins_section() {
            let (name, span) = self.declared("the name of a macro")?;
            self.cursor.expect(Token::Becomes)?;
            let value = self.expression()?;
            self.cursor.expect(Token::Semicolon)?;
            module.defines.push(Define { name, span, value });
        }
        Ok(())
    }

    fn constants(&mut self, module: &mut Module<'t>) -> Parse<()> {
        while self.cursor.token() != Token::Semicolon {
            let name = self.symbol()?;
            module.constants.push(name);
            if !self.cursor.take(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::Semicolon).map(|_| ())
    }

    fn assignments(&mut self, module: &mut Module<'t>) -> Parse<()> {
        while !self.cursor.token().begins_section() {
            let moment = match self.cursor.token() {
                Token::Init => Moment::Initial,
                Token::Next => Moment::Next,
                _ => Moment::Every,
            };
            let within = moment != Moment::Every;
            if within {
                self.cursor.advance();
                self.cursor.expect(Token::LeftParenthesis)?;
            }
            if !matches!(self.cursor.token(), Token::Name | Token::SelfName) {
                return self.cursor.fail_expecting("an assignment");
            }
            let variable = expression(self.cursor, &mut self.text, TIGHTEST)?;
            if within {
                self.cursor.expect(Token::RightParenthesis)?;
            }
            self.cursor.expect(Token::Becomes)?;
            let value = self.expression()?;
            self.cursor.expect(Token::Semicolon)?;
            module.assignments.push(Assignment { moment, variable, value });
        }
        Ok(())
    }

    fn constraint(&mut self, what: Constraint, module: &mut Module<'t>) -> Parse<()> {
        let condition = self.expression()?;
        self.cursor.take(Token::Semicolon);
        module.constraints.push((what, condition));
        Ok(())
    }

    fn compassion(&mut self, module: &mut Module<'t>) -> Parse<()> {
        self.cursor.expect(Token::LeftParenthesis)?;
        let asked = self.expression()?;
        self.cursor.expect(Token::Comma)?;
        let granted = self.expression()?;
        self.cursor.expect(Token::RightParenthesis)?;
        self.cursor.take(Token::Semicolon);
        module.compassion.push((asked, granted));
        Ok(())
    }

    fn specification(&mut self, token: Token, start: Span, module: &mut Module<'t>) -> Parse<()> {
        let mut name = None;
        if self.cursor.take(Token::NameOf) {
            name = Some(self.declared("the name of a specification")?.0);
            self.cursor.expect(Token::Becomes)?;
        }
        let asks = match token {
            Token::InvarSpec => Asks::Invariant(self.expression()?),
            Token::CtlSpec => Asks::Ctl(self.expression()?),
            Token::LtlSpec => Asks::Ltl(self.expression()?),
            Token::PslSpec => {
                self.skip_psl();
                Asks::Psl
            }
            _ => self.distance()?,
        };
        let context = match self.cursor.take(Token::In) {
            true => Some(expression(self.cursor, &mut self.text, TIGHTEST)?),
            false => None,
        };
        let span = self.cursor.since(start);
        self.cursor.take(Token::Semicolon);
        module.specifications.push(Specification { name, context, asks, span });
        Ok(())
    }

    fn distance(&mut self) -> Parse<Asks> {
        let shortest = self.cursor.token() == Token::Shortest;
        if !shortest && self.cursor.token() != Token::Longest {
            return self.cursor.fail_expecting("`MIN` or `MAX`");
        }
        self.cursor.advance();
        self.cursor.expect(Token::LeftBracket)?;
        let from = self.expression()?;
        self.cursor.expect(Token::Comma)?;
        let to = self.expression()?;
        self.cursor.expect(Token::RightBracket)?;
        Ok(Asks::Distance { shortest, from, to })
    }

    /// Goes behind a property in a language of its own: to a semicolon outside of brackets, or
    /// to the next section.
    fn skip_psl(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.cursor.token() {
                Token::Semicolon if depth == 0 => return,
                Token::LeftBrace | Token::LeftParenthesis | Token::LeftBracket => depth += 1,
                Token::RightBrace | Token::RightParenthesis | Token::RightBracket => {
                    depth = depth.saturating_sub(1);
                }
                token if token.begins_section() => return,
                _ => {}
            }
            self.cursor.advance();
        }
    }
}

/// Whether indices follow, rather than the width of an index.
fn next_is_bound(token: Token) -> bool {
    !matches!(token, Token::WordType | Token::Of)
}
