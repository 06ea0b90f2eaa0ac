//! What stands outside of processes.

use std::rc::Rc;

use homing_ir::{Diagnostic, Span};

use super::Parser;
use super::declaration::Declared;
use crate::promela::syntax::*;
use crate::promela::token::Token;
use crate::reading::Parse;
use crate::walking::{Kind, Walking};

impl Parser<'_> {
    /// The whole text.
    pub fn units(&mut self, program: &mut Program) {
        loop {
            while self.token().separates() {
                self.advance();
            }
            if self.token() == Token::End {
                return;
            }
            let start = self.index();
            if self.unit(program).is_err() {
                self.in_body = false;
                self.formula = false;
                self.recover_unit(start);
            }
        }
    }

    /// Goes on behind the unit that began at `start`: to the brace that closes
    /// it, to `;` outside of braces, or to something that begins a unit.
    fn recover_unit(&mut self, start: usize) {
        let mut depth = 0usize;
        for word in self.words_since(start) {
            match word.token {
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if self.index() == start {
            self.advance();
        }
        loop {
            let first = self.words().get(self.index()).is_some_and(|word| word.newline);
            match self.token() {
                Token::End => return,
                token if first && token.begins_unit() => return,
                Token::Semicolon if depth == 0 => return,
                Token::LeftBrace => depth += 1,
                Token::RightBrace if depth <= 1 => {
                    self.advance();
                    return;
                }
                Token::RightBrace => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    fn unit(&mut self, program: &mut Program) -> Parse<()> {
        let unit = match self.token() {
            Token::Active | Token::Proctype | Token::DProctype => Unit::Proctype(self.proctype()?),
            Token::Init => Unit::Proctype(self.init()?),
            Token::Never | Token::Trace | Token::NoTrace => Unit::Claim(self.claim()?),
            Token::Ltl => Unit::Ltl(self.ltl()?),
            Token::Typedef => Unit::Record(self.record()?),
            Token::Inline => return self.inline(),
            Token::CCode | Token::CDecl | Token::CState | Token::CTrack => {
                self.embedded();
                return Ok(());
            }
            _ if self.at_declaration() => match self.declaration()? {
                Declared::Variables(declaration) => Unit::Declaration(declaration),
                Declared::Symbols(symbols) => Unit::Symbols(symbols),
            },
            _ => return self.fail_expecting("a declaration or a process"),
        };
        program.units.push(unit);
        self.unit_ends()
    }

    /// Behind a declaration stands `;`, or at least a new line; SPIN wants `;`
    /// but for the last one, and inserts it behind `}`.
    fn unit_ends(&mut self) -> Parse<()> {
        let token = self.token();
        let fine = token.separates()
            || token == Token::End
            || self.last() == Token::RightBrace
            || token.begins_unit();
        if fine || self.at_declaration() {
            return Ok(());
        }
        if matches!(token, Token::CCode | Token::CDecl | Token::CState | Token::CTrack) {
            return Ok(());
        }
        self.fail_expecting("`;`")
    }

    /// `active [2] proctype P(byte x; int y) priority 3 provided (e) { … }`.
    fn proctype(&mut self) -> Parse<Proctype> {
        let active = self.active()?;
        let deterministic = self.token() == Token::DProctype;
        if !deterministic && self.token() != Token::Proctype {
            return self.fail_expecting("`proctype`");
        }
        self.advance();
        let name = self.name("the name of the process type")?;
        self.expect(Token::LeftParenthesis)?;
        let parameters = self.parameters()?;
        self.expect(Token::RightParenthesis)?;
        let priority = self.priority()?;
        let provided = if self.take(Token::Provided) {
            self.expect(Token::LeftParenthesis)?;
            let condition = self.expression()?;
            self.expect(Token::RightParenthesis)?;
            Some(condition)
        } else {
            None
        };
        self.processes.insert(Rc::from(name.text.as_str()));
        let body = self.body("a process")?;
        let init = false;
        Ok(Proctype { name, active, init, deterministic, parameters, priority, provided, body })
    }

    fn active(&mut self) -> Parse<Option<Expr>> {
        let span = self.span();
        if !self.take(Token::Active) {
            return Ok(None);
        }
        if !self.take(Token::LeftBracket) {
            return Ok(Some(Expr { kind: ExprKind::Number(1), span }));
        }
        let number = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(Some(number))
    }

    fn priority(&mut self) -> Parse<Option<Expr>> {
        if self.take(Token::Priority) { Ok(Some(self.number_expression()?)) } else { Ok(None) }
    }

    /// Declarations with `;` between them.
    fn parameters(&mut self) -> Parse<Vec<Declaration>> {
        let mut list = Vec::new();
        while self.token() != Token::RightParenthesis {
            if self.at_declaration() {
                list.push(self.variables("a parameter")?);
            } else {
                return self.fail_expecting("the type of a parameter");
            }
            if !self.take(Token::Semicolon) {
                break;
            }
        }
        Ok(list)
    }

    /// Variables where a list of symbols makes no sense.
    fn variables(&mut self, what: &str) -> Parse<Declaration> {
        let start = self.span();
        match self.declaration()? {
            Declared::Variables(declaration) => Ok(declaration),
            Declared::Symbols(_) => {
                let message = format!("a list of symbols cannot be {what}");
                let span = self.since(start);
                self.fail(Diagnostic::error(message, span))
            }
        }
    }

    fn init(&mut self) -> Parse<Proctype> {
        let span = self.span();
        self.advance();
        let priority = self.priority()?;
        Ok(Proctype {
            name: Name { text: ":init:".to_string(), span },
            active: Some(Expr { kind: ExprKind::Number(1), span }),
            init: true,
            deterministic: false,
            parameters: Vec::new(),
            priority,
            provided: None,
            body: self.body("`init`")?,
        })
    }

    fn claim(&mut self) -> Parse<Claim> {
        let span = self.span();
        let kind = match self.token() {
            Token::Never => ClaimKind::Never,
            Token::Trace => ClaimKind::Trace,
            _ => ClaimKind::NoTrace,
        };
        self.advance();
        let named = kind == ClaimKind::Never && self.token() == Token::Name;
        let name = if named { Some(self.name("a name")?) } else { None };
        Ok(Claim { kind, name, span, body: self.body("a claim")? })
    }

    /// The body of a process: statements in braces.
    fn body(&mut self, what: &str) -> Parse<Sequence> {
        if self.token() != Token::LeftBrace {
            return self.fail_expecting(&format!("`{{` and the body of {what}"));
        }
        (self.in_body, self.loops, self.at_option) = (true, 0, false);
        let body = self.braces();
        self.in_body = false;
        self.pass_line_end();
        body
    }

    /// `ltl name { formula }`.
    fn ltl(&mut self) -> Parse<Ltl> {
        let start = self.span();
        self.advance();
        let name = if self.token() == Token::Name { Some(self.name("a name")?) } else { None };
        let open = self.expect(Token::LeftBrace)?;
        self.formula = true;
        let formula = self.expression();
        self.formula = false;
        let formula = formula?;
        while self.token().separates() {
            self.advance();
        }
        self.close(open, Token::RightBrace)?;
        Ok(Ltl { name, formula, span: self.since(start) })
    }

    /// `typedef R { byte x; int y[2] }`.
    fn record(&mut self) -> Parse<RecordType> {
        self.advance();
        let name = self.name("the name of the type")?;
        let open = self.expect(Token::LeftBrace)?;
        self.in_body = true;
        let fields = self.fields(open);
        self.in_body = false;
        self.pass_line_end();
        self.records.insert(Rc::from(name.text.as_str()));
        Ok(RecordType { name, fields: fields? })
    }

    fn fields(&mut self, open: Span) -> Parse<Vec<Declaration>> {
        let mut fields = Vec::new();
        loop {
            if !self.at_declaration() {
                return self.fail_expecting("the type of a field");
            }
            fields.push(self.variables("a field")?);
            let separated = self.token().separates();
            while self.token().separates() {
                self.advance();
            }
            if !separated || self.token() == Token::RightBrace {
                self.close(open, Token::RightBrace)?;
                return Ok(fields);
            }
        }
    }

    /// Passes what closes `open`.
    pub fn close(&mut self, open: Span, token: Token) -> Parse<()> {
        if self.take(token) {
            return Ok(());
        }
        if self.token() != Token::End {
            return self.expect(token).map(|_| ());
        }
        let what = token.describe();
        let error =
            Diagnostic::error(format!("expected {what}, found the end of the text"), self.span())
                .related(open, "opened here");
        self.fail(error)
    }
}
