//! Parsing a model: declarations, templates and their instances.
//!
//! Every function reports what is wrong and returns [`Reported`]; the loops
//! over items, and in `process` those over sections, transitions and clauses, recover from it, each to the
//! nearest place where reading on makes sense.

use homing_ir::Diagnostic;

use super::cursor::Cursor;
use super::process::SECTIONS;
use super::syntax::*;
use super::token::Token;
use crate::reading::Parse;
use crate::walking::Walking;

/// More declarations and processes are taken for an accident.
const MOST_ITEMS: usize = 1_000_000;
/// How deep `for` may be nested.
const MOST_LOOPS: usize = 20;

impl<'a> Cursor<'a> {
    /// The whole text.
    pub fn model(&mut self) -> Model<'a> {
        let mut model = Model::default();
        while self.token() != Token::End {
            if model.items.len() == MOST_ITEMS {
                let message = format!("more than {MOST_ITEMS} declarations");
                let error = Diagnostic::error(message, self.span());
                self.reports.add(error.label("not read from here on"));
                self.lost_names = true;
                return model;
            }
            if self.item(&mut model).is_err() {
                self.lost_names = true;
                self.recover(&SECTIONS[..4]);
                // A brace too many ends nothing here.
                self.take(Token::RightBrace);
            }
        }
        model
    }

    fn item(&mut self, model: &mut Model<'a>) -> Parse<()> {
        match self.token() {
            Token::Process => model.items.push(self.process_or_instance()?),
            Token::Property => {
                self.advance();
                let item = self.property()?;
                model.items.push(item);
            }
            Token::System => self.system(model)?,
            _ if self.at_declaration() => {
                let declaration = self.declaration()?;
                model.items.push(Item::Declaration(declaration));
            }
            _ if self.at_word("for") && self.next_token() == Token::LeftParenthesis => {
                let loops = self.instance_loop(0)?;
                model.items.push(Item::Instances(Box::new(loops)));
            }
            _ => return self.unknown_item(),
        }
        Ok(())
    }

    fn unknown_item(&mut self) -> Parse<()> {
        let extension = ["expression", "if"].into_iter().find(|word| self.at_word(word));
        let span = self.span();
        let result = match extension {
            Some(word) => {
                let message = format!("`{word}` of DiVinE 3 is not supported");
                self.fail(Diagnostic::error(message, span))
            }
            None => self.fail_expecting("a declaration, `process` or `system`"),
        };
        self.advance();
        result
    }

    fn system(&mut self, model: &mut Model<'a>) -> Parse<()> {
        let start = self.span();
        self.advance();
        let synchronous = self.take(Token::Sync);
        if !synchronous && !self.take(Token::Async) {
            return self.fail_expecting("`async` or `sync`");
        }
        let property = if self.take(Token::Property) {
            Some(self.name("the name of a process")?)
        } else {
            None
        };
        let line = SystemLine { span: self.since(start), synchronous, property };
        match &model.system {
            Some(first) => {
                let error = Diagnostic::error("`system` is said twice", line.span)
                    .related(first.span, "first said here");
                self.reports.add(error);
            }
            None => model.system = Some(line),
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }

    /// `property P { … }`
    fn property(&mut self) -> Parse<Item<'a>> {
        if self.at_word("ltl") && self.next_token() == Token::Name {
            let span = self.span();
            return self.fail(Diagnostic::error("`property ltl` is not supported", span));
        }
        let name = self.name("the name of the property")?;
        let body = self.body()?;
        Ok(Item::Process(Box::new(Process { name, observer: true, parameters: None, body })))
    }

    fn process_or_instance(&mut self) -> Parse<Item<'a>> {
        self.advance();
        let start = self.span();
        let name = self.name("the name of the process")?;
        let parameters = if self.take(Token::LeftParenthesis) {
            Some(self.parameters_or_arguments()?)
        } else {
            None
        };
        let arguments = match parameters {
            Some(list) if self.token() != Token::LeftBrace => Some(self.as_arguments(list)?),
            _ => {
                let parameters = parameters.map(|list| self.as_parameters(list)).transpose()?;
                let body = self.body()?;
                let process = Process { name, observer: false, parameters, body };
                return Ok(Item::Process(Box::new(process)));
            }
        };
        let span = self.since(start);
        self.expect(Token::Semicolon)?;
        let instance = Instances::One(ProcessName { name, arguments, span });
        Ok(Item::Instances(Box::new(instance)))
    }

    /// What is in the parentheses becomes clear only behind them.
    fn parameters_or_arguments(&mut self) -> Parse<Vec<(bool, Expr<'a>)>> {
        let mut list = Vec::new();
        while self.token() != Token::RightParenthesis {
            let key = self.at_word("key") && self.next_token() == Token::Name;
            if key {
                self.advance();
            }
            list.push((key, self.expression()?));
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightParenthesis)?;
        Ok(list)
    }

    fn as_parameters(&mut self, list: Vec<(bool, Expr<'a>)>) -> Parse<Vec<Parameter<'a>>> {
        let mut parameters = Vec::new();
        for (key, expr) in list {
            let ExprKind::Variable(name, None) = expr.kind else {
                let error = Diagnostic::error("a parameter must be a name", expr.span);
                return self.fail(error);
            };
            parameters.push(Parameter { name, key });
        }
        Ok(parameters)
    }

    fn as_arguments(&mut self, list: Vec<(bool, Expr<'a>)>) -> Parse<Vec<Expr<'a>>> {
        if let Some((_, expr)) = list.iter().find(|(key, _)| *key) {
            let error = Diagnostic::error("`key` marks parameters, not arguments", expr.span);
            return self.fail(error);
        }
        Ok(list.into_iter().map(|(_, expr)| expr).collect())
    }

    /// `for (i : 0 .. 3) { process P(i); }`
    fn instance_loop(&mut self, depth: usize) -> Parse<Instances<'a>> {
        if depth == MOST_LOOPS {
            let error = Diagnostic::error("`for` is nested too deeply", self.span());
            return self.fail(error);
        }
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let variable = self.name("a name")?;
        self.expect(Token::Colon)?;
        let first = self.expression()?;
        self.expect(Token::Range)?;
        let last = self.expression()?;
        self.expect(Token::RightParenthesis)?;
        self.expect(Token::LeftBrace)?;
        let mut each = Vec::new();
        while !self.take(Token::RightBrace) {
            each.push(self.loop_member(depth)?);
        }
        Ok(Instances::For { variable, first, last, each })
    }

    fn loop_member(&mut self, depth: usize) -> Parse<Instances<'a>> {
        if self.at_word("for") {
            return self.instance_loop(depth + 1);
        }
        if !self.take(Token::Process) {
            return self.fail_expecting("`process`, `for` or `}`");
        }
        let instance = self.process_name()?;
        self.expect(Token::Semicolon)?;
        Ok(Instances::One(instance))
    }

    /// Whether a declaration begins here. `bool` and `input` are names in
    /// older models, so they count only where a declaration can follow.
    pub fn at_declaration(&self) -> bool {
        let types = [Token::Byte, Token::Int, Token::Name];
        SECTIONS[..4].contains(&self.token())
            || self.at_word("bool") && self.next_token() == Token::Name
            || self.at_word("input") && types.contains(&self.next_token())
    }

    /// Variables or channels, global or local.
    pub fn declaration(&mut self) -> Parse<Declaration<'a>> {
        if self.take(Token::Channel) {
            return self.channels();
        }
        let constant = self.take(Token::Const) || self.at_word("input");
        if self.at_word("input") {
            self.advance();
        }
        let base = self.base()?;
        let mut declarators = vec![self.declarator()?];
        while self.take(Token::Comma) {
            declarators.push(self.declarator()?);
        }
        // What was declared so far is known, also where the rest is wrong.
        if self.expect(Token::Semicolon).is_err() {
            self.recover(SECTIONS);
            self.lost_names = true;
        }
        Ok(Declaration::Variables { constant, base, declarators })
    }

    fn base(&mut self) -> Parse<Base> {
        let base = match self.token() {
            Token::Byte => Base::Byte,
            Token::Int => Base::Int,
            _ if self.at_word("bool") => Base::Bool,
            _ => return self.fail_expecting("`byte`, `int` or `bool`"),
        };
        self.advance();
        Ok(base)
    }

    fn declarator(&mut self) -> Parse<Declarator<'a>> {
        let name = self.name("the name of a variable")?;
        let size = self.bracketed()?;
        let initial = if self.take(Token::Assign) { Some(Box::new(self.initial()?)) } else { None };
        Ok(Declarator { name, size, initial })
    }

    fn bracketed(&mut self) -> Parse<Option<Box<Expr<'a>>>> {
        if !self.take(Token::LeftBracket) {
            return Ok(None);
        }
        let size = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(Some(Box::new(size)))
    }

    fn initial(&mut self) -> Parse<Initial<'a>> {
        let start = self.span();
        if !self.take(Token::LeftBrace) {
            return Ok(Initial::One(self.expression()?));
        }
        let list = self.list_in_braces()?;
        Ok(Initial::List(list, self.since(start)))
    }

    /// Expressions up to `}`, which is passed also where something is wrong:
    /// else it would seem to end what is around it.
    pub fn list_in_braces(&mut self) -> Parse<Vec<Expr<'a>>> {
        let list = self.expressions();
        let list = list.and_then(|list| self.expect(Token::RightBrace).map(|_| list));
        if list.is_ok() {
            return list;
        }
        while !matches!(self.token(), Token::Semicolon | Token::RightBrace | Token::End) {
            self.advance();
        }
        self.take(Token::RightBrace);
        list
    }

    fn channels(&mut self) -> Parse<Declaration<'a>> {
        let types = if self.take(Token::LeftBrace) {
            let mut types = vec![self.base()?];
            while self.take(Token::Comma) {
                types.push(self.base()?);
            }
            self.expect(Token::RightBrace)?;
            Some(types)
        } else {
            None
        };
        let mut declarators = vec![self.channel()?];
        while self.take(Token::Comma) {
            declarators.push(self.channel()?);
        }
        if self.expect(Token::Semicolon).is_err() {
            self.recover(SECTIONS);
            self.lost_names = true;
        }
        Ok(Declaration::Channels { types, declarators })
    }

    fn channel(&mut self) -> Parse<ChannelDeclarator<'a>> {
        let name = self.name("the name of a channel")?;
        let capacity = self.bracketed()?;
        Ok(ChannelDeclarator { name, capacity })
    }
}
