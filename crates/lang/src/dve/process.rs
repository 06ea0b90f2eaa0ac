//! Parsing what is inside a process: its sections, and its transitions.

use homing_ir::Diagnostic;
use homing_ir::network::Binary;

use super::cursor::Cursor;
use super::syntax::*;
use super::token::Token;
use crate::reading::{Parse, Reported};
use crate::walking::Walking;

/// Words that begin a part of a process; the first four, a declaration.
pub const SECTIONS: &[Token] = &[
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

impl<'a> Cursor<'a> {
    /// What stands between the braces of a process.
    pub fn body(&mut self) -> Parse<Body<'a>> {
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
            while !matches!(self.token(), Token::RightParenthesis | Token::RightBrace | Token::End)
            {
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
            if let (ExprKind::Binary(Binary::Eq, ..), Token::Comma | Token::Semicolon) =
                (&target.kind, self.token())
            {
                let error = Diagnostic::error("this compares and changes nothing", target.span);
                return self.fail(error.help("write `=` to assign"));
            }
            self.expect(Token::Assign)?;
            let value = self.expression()?;
            list.push(Assignment { span: self.since(start), target, value });
            if !self.take(Token::Comma) {
                return Ok(());
            }
        }
    }
}
