//! Parsing a model: declarations, processes, transitions.
//!
//! Every function reports what is wrong and returns [`Reported`]; the loops
//! over items, sections, transitions and clauses recover from it, each to the
//! nearest place where reading on makes sense.

use homing_ir::Diagnostic;

use super::cursor::{Cursor, Parse, Reported};
use super::syntax::*;
use super::token::Token;

/// Words that begin a part of a process.
const SECTIONS: &[Token] = &[
    Token::Const,
    Token::Byte,
    Token::Int,
    Token::Channel,
    Token::State,
    Token::Init,
    Token::Commit,
    Token::Accept,
    Token::Assert,
    Token::Trans,
];
/// Words that begin a part of a transition.
const CLAUSES: &[Token] = &[Token::Guard, Token::Sync, Token::Effect];

/// How deep `for` may be nested.
const MOST_LOOPS: usize = 20;

impl<'a> Cursor<'a> {
    /// The whole text.
    pub fn model(&mut self) -> Model<'a> {
        let mut model = Model::default();
        while self.token() != Token::End {
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
                model.items.push(Item::Instances(loops));
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
        let property =
            if self.take(Token::Property) { Some(self.name("the name of a process")?) } else { None };
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
        Ok(Item::Process(Process { name, observer: true, parameters: None, body }))
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
                return Ok(Item::Process(Process { name, observer: false, parameters, body }));
            }
        };
        let span = self.since(start);
        self.expect(Token::Semicolon)?;
        Ok(Item::Instances(Instances::One(ProcessName { name, arguments, span })))
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
    fn at_declaration(&self) -> bool {
        let types = [Token::Byte, Token::Int, Token::Name];
        SECTIONS[..4].contains(&self.token())
            || self.at_word("bool") && self.next_token() == Token::Name
            || self.at_word("input") && types.contains(&self.next_token())
    }

    fn declaration(&mut self) -> Parse<Declaration<'a>> {
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
        let initial = if self.take(Token::Assign) { Some(self.initial()?) } else { None };
        Ok(Declarator { name, size, initial })
    }

    fn bracketed(&mut self) -> Parse<Option<Expr<'a>>> {
        if !self.take(Token::LeftBracket) {
            return Ok(None);
        }
        let size = self.expression()?;
        self.expect(Token::RightBracket)?;
        Ok(Some(size))
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
    fn list_in_braces(&mut self) -> Parse<Vec<Expr<'a>>> {
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

    fn body(&mut self) -> Parse<Body<'a>> {
        // Where only the brace is missing, what follows is still a body.
        if self.expect(Token::LeftBrace).is_err() && !SECTIONS.contains(&self.token()) {
            return Err(Reported);
        }
        let mut body = Body::default();
        loop {
            match self.token() {
                Token::RightBrace => {
                    self.advance();
                    return Ok(body);
                }
                // These begin no part of a process, so its end is missing.
                Token::End | Token::Process | Token::System => {
                    let _ = self.fail_expecting::<()>("`}`");
                    return Ok(body);
                }
                _ => {
                    if self.section(&mut body).is_err() {
                        self.recover(SECTIONS);
                    }
                }
            }
        }
    }

    fn section(&mut self, body: &mut Body<'a>) -> Parse<()> {
        if self.at_declaration() {
            let declaration = self.declaration().inspect_err(|_| self.lost_names = true)?;
            body.declarations.push(declaration);
            return Ok(());
        }
        let section = self.token();
        if !SECTIONS.contains(&section) {
            let result = self.fail_expecting("`state`, `init`, `trans` or `}`");
            self.lost_names = true;
            self.advance();
            return result;
        }
        self.advance();
        match section {
            Token::State => self.states(&mut body.states),
            Token::Init => self.names(&mut body.initial),
            Token::Commit => self.names(&mut body.committed),
            Token::Accept => self.accepting(&mut body.accepting),
            Token::Assert => self.assertions(&mut body.assertions),
            _ => self.transitions(&mut body.transitions),
        }
    }

    fn states(&mut self, list: &mut Vec<Name<'a>>) -> Parse<()> {
        self.names(list).inspect_err(|_| self.lost_names = true)
    }

    fn names(&mut self, list: &mut Vec<Name<'a>>) -> Parse<()> {
        list.push(self.name("the name of a state")?);
        while self.take(Token::Comma) {
            list.push(self.name("the name of a state")?);
        }
        self.expect(Token::Semicolon).map(|_| ())
    }

    /// `accept a, b;`, `accept buchi a, b;`
    fn accepting(&mut self, list: &mut Vec<Name<'a>>) -> Parse<()> {
        let sets = ["genbuchi", "muller", "rabin", "streett"];
        let behind = self.next_token();
        if sets.iter().any(|kind| self.at_word(kind)) && behind == Token::LeftParenthesis {
            let message = format!("acceptance of the kind `{}` is not supported", self.text());
            let span = self.span();
            while !matches!(self.token(), Token::RightParenthesis | Token::RightBrace | Token::End) {
                self.advance();
            }
            return self.fail(Diagnostic::error(message, span));
        }
        if self.at_word("buchi") && behind == Token::Name {
            self.advance();
        }
        self.names(list)
    }

    fn assertions(&mut self, list: &mut Vec<(Name<'a>, Expr<'a>)>) -> Parse<()> {
        loop {
            let state = self.name("the name of a state")?;
            self.expect(Token::Colon)?;
            list.push((state, self.expression()?));
            if !self.take(Token::Comma) {
                return self.expect(Token::Semicolon).map(|_| ());
            }
        }
    }

    /// Transitions end with `;`. DiVinE 3 lets all separators be left out.
    fn transitions(&mut self, list: &mut Vec<Transition<'a>>) -> Parse<()> {
        let mut source = list.last().map(|transition| transition.from);
        loop {
            let transition = self.transition(&mut source);
            let failed = transition.is_err();
            match transition {
                Ok(transition) => list.push(transition),
                Err(Reported) => self.skip_transition(),
            }
            let comma = self.take(Token::Comma);
            match self.token() {
                Token::Name | Token::Arrow => {}
                Token::Semicolon if !comma => {
                    self.advance();
                    return Ok(());
                }
                Token::RightBrace if !comma => return Ok(()),
                _ if failed => return Err(Reported),
                _ if comma => return self.fail_expecting("a transition"),
                _ => return self.fail_expecting("`,` or `;`"),
            }
        }
    }

    /// Goes on to the separator behind a transition.
    fn skip_transition(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.token() {
                Token::End | Token::Process | Token::System | Token::Trans => return,
                Token::Comma | Token::Semicolon | Token::RightBrace if depth == 0 => return,
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    fn transition(&mut self, source: &mut Option<Name<'a>>) -> Parse<Transition<'a>> {
        let start = self.span();
        if self.token() != Token::Arrow {
            *source = Some(self.name("the name of a state")?);
        }
        let Some(from) = *source else {
            let error = Diagnostic::error("the first transition must say where it begins", start)
                .help("write `state -> state { … }`");
            return self.fail(error);
        };
        let mut transition = Transition {
            span: start,
            from,
            targets: Vec::new(),
            guards: Vec::new(),
            sync: None,
            effects: Vec::new(),
        };
        if self.take(Token::WideArrow) {
            self.chances(&mut transition.targets)?;
        } else {
            self.expect(Token::Arrow)?;
            transition.targets.push((self.name("the name of a state")?, None));
            self.clauses(&mut transition)?;
        }
        transition.span = self.since(start);
        Ok(transition)
    }

    /// `{ a:1, b:2 }`
    fn chances(&mut self, targets: &mut Vec<(Name<'a>, Option<i64>)>) -> Parse<()> {
        self.expect(Token::LeftBrace)?;
        loop {
            let state = self.name("the name of a state")?;
            self.expect(Token::Colon)?;
            targets.push((state, Some(self.number()?)));
            if !self.take(Token::Comma) {
                return self.expect(Token::RightBrace).map(|_| ());
            }
        }
    }

    fn clauses(&mut self, transition: &mut Transition<'a>) -> Parse<()> {
        self.expect(Token::LeftBrace)?;
        while !self.take(Token::RightBrace) {
            if matches!(self.token(), Token::End | Token::Process | Token::System | Token::Trans) {
                return self.fail_expecting("`}`");
            }
            if self.clause(transition).is_err() {
                self.recover(CLAUSES);
            }
        }
        Ok(())
    }

    fn clause(&mut self, transition: &mut Transition<'a>) -> Parse<()> {
        let (clause, span) = (self.token(), self.span());
        if !CLAUSES.contains(&clause) {
            let result = self.fail_expecting("`guard`, `sync`, `effect` or `}`");
            self.advance();
            return result;
        }
        let again = match clause {
            Token::Guard => !transition.guards.is_empty(),
            Token::Sync => transition.sync.is_some(),
            _ => !transition.effects.is_empty(),
        };
        if again {
            let message = format!("a transition has only one `{}`", self.text());
            self.reports.add(Diagnostic::error(message, span));
        }
        self.advance();
        match clause {
            Token::Guard => transition.guards.extend(self.expressions()?),
            Token::Sync => transition.sync = Some(self.sync()?),
            _ => self.effects(&mut transition.effects)?,
        }
        self.expect(Token::Semicolon).map(|_| ())
    }

    fn sync(&mut self) -> Parse<Sync<'a>> {
        let start = self.span();
        let first = self.process_name()?;
        let (owner, channel) = if self.take(Token::Arrow) {
            (Some(first), self.name("the name of a channel")?)
        } else {
            (None, first.name)
        };
        let send = self.take(Token::Exclamation);
        if !send && !self.take(Token::Question) {
            return self.fail_expecting("`!` or `?`");
        }
        let values = self.message()?;
        Ok(Sync { span: self.since(start), owner, channel, send, values })
    }

    fn message(&mut self) -> Parse<Vec<Expr<'a>>> {
        if self.token() == Token::Semicolon {
            return Ok(Vec::new());
        }
        if !self.take(Token::LeftBrace) {
            return Ok(vec![self.expression()?]);
        }
        self.list_in_braces()
    }

    fn effects(&mut self, list: &mut Vec<Assignment<'a>>) -> Parse<()> {
        loop {
            let start = self.span();
            let target = self.expression()?;
            self.expect(Token::Assign)?;
            let value = self.expression()?;
            list.push(Assignment { span: self.since(start), target, value });
            if !self.take(Token::Comma) {
                return Ok(());
            }
        }
    }
}
