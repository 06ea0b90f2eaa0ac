//! Processes of `.xta` files, and what stands on locations and edges of all.

use homing_ir::{Diagnostic, network};

use super::Parser;
use super::expression::conjunction;
use crate::reading::{Parse, Reported};
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;
use crate::walking::Walking;

impl Parser<'_> {
    /// `process P(…) { … }`
    pub fn process(&mut self) -> Parse<Template> {
        self.advance();
        let name = self.name("the name of a process")?;
        let mark = self.known.mark();
        let parameters = match self.token() {
            Token::LeftParenthesis => self.parameters()?,
            _ => Vec::new(),
        };
        self.expect(Token::LeftBrace)?;
        let mut template = Template {
            name,
            parameters,
            declarations: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        while !matches!(self.token(), Token::RightBrace | Token::End) {
            let before = self.at;
            if self.section(&mut template).is_err() {
                self.recover();
                if matches!(self.token(), Token::Process | Token::System) {
                    break;
                }
                if self.at == before {
                    self.advance();
                }
            }
        }
        self.known.leave(mark);
        self.expect(Token::RightBrace)?;
        Ok(template)
    }

    fn section(&mut self, template: &mut Template) -> Parse<()> {
        match self.token() {
            Token::State => {
                self.advance();
                let locations = self.list(Parser::location)?;
                template.locations.extend(locations);
            }
            Token::Commit => self.urgencies(template, Urgency::Committed)?,
            Token::Urgent if self.ahead(1) == Token::Name && self.at_list_item(2) => {
                self.urgencies(template, Urgency::Urgent)?;
            }
            Token::Init => {
                self.advance();
                template.initial = Some(self.name("the name of a location")?);
            }
            Token::Trans => return self.transitions(template),
            Token::Name if self.text() == "branchpoint" && self.at_list_item(2) => {
                self.advance();
                let names = self.list(|parser| parser.name("the name of a branch point"))?;
                template.branchpoints.extend(names);
            }
            _ => return self.declaration(&mut template.declarations),
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }

    /// Whether a `,` or `;` stands `ahead` words from here.
    fn at_list_item(&self, ahead: usize) -> bool {
        matches!(self.ahead(ahead), Token::Comma | Token::Semicolon)
    }

    /// `A { invariant ; rate }`
    fn location(&mut self) -> Parse<Location> {
        let name = self.name("the name of a location")?;
        let id = name.text.clone();
        let (mut invariant, mut rate) = (None, None);
        if self.take(Token::LeftBrace) {
            if !matches!(self.token(), Token::Semicolon | Token::RightBrace) {
                invariant = Some(self.constraint()?);
            }
            if self.take(Token::Semicolon) && self.token() != Token::RightBrace {
                rate = Some(self.rate()?);
            }
            self.expect(Token::RightBrace)?;
        }
        let urgency = Urgency::None;
        Ok(Location { name, id, invariant, rate, urgency })
    }

    /// `commit A, B`
    fn urgencies(&mut self, template: &mut Template, urgency: Urgency) -> Parse<()> {
        self.advance();
        let names = self.list(|parser| parser.name("the name of a location"))?;
        for name in names {
            match template.locations.iter_mut().find(|location| location.id == name.text) {
                // Committed is the stronger of both.
                Some(location) if location.urgency == Urgency::Committed => {}
                Some(location) => location.urgency = urgency,
                None => {
                    let message = format!("there is no location `{}`", name.text);
                    self.reports.add(Diagnostic::error(message, name.span));
                }
            }
        }
        Ok(())
    }

    /// Edges; where one is wrong, the next is read.
    fn transitions(&mut self, template: &mut Template) -> Parse<()> {
        self.advance();
        let mut source: Option<Name> = None;
        while self.token() != Token::Semicolon {
            match self.transition(&mut source) {
                Ok(edge) => template.edges.push(edge),
                Err(_) => self.recover_edge(),
            }
            if !self.take(Token::Comma) {
                break;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(())
    }

    /// Goes behind the next `;`, or before the end of an edge.
    fn recover_clause(&mut self) -> Parse<()> {
        loop {
            match self.token() {
                Token::End | Token::Process | Token::System => return Err(Reported),
                Token::RightBrace => return Ok(()),
                Token::Semicolon => {
                    self.advance();
                    return Ok(());
                }
                _ => self.advance(),
            }
        }
    }

    /// Goes to what ends an edge whose braces were not reached.
    fn recover_edge(&mut self) {
        loop {
            match self.token() {
                Token::Comma | Token::Semicolon | Token::RightBrace => return,
                Token::End | Token::Process | Token::System => return,
                Token::LeftBrace => {
                    if self.skip_braces().is_err() {
                        return;
                    }
                }
                _ => self.advance(),
            }
        }
    }

    /// `A -> B { … }`, or `-> B { … }` from where the edge before began.
    fn transition(&mut self, before: &mut Option<Name>) -> Parse<Edge> {
        let start = self.span();
        if self.token() == Token::Name {
            *before = Some(self.name("the name of a location")?);
        }
        let uncontrollable = self.token() == Token::DashedArrow;
        if !uncontrollable && self.token() != Token::Arrow {
            return self.fail_expecting("`->`");
        }
        let Some(source) = before.clone() else {
            return self.fail_expecting("the name of a location");
        };
        self.advance();
        let target = self.name("the name of a location")?;
        let mut edge = empty_edge(source, target);
        edge.uncontrollable = uncontrollable;
        edge.span = self.since(start);
        self.expect(Token::LeftBrace)?;
        while !self.take(Token::RightBrace) {
            let clause = self.clause(&mut edge);
            if clause.and_then(|()| self.expect(Token::Semicolon)).is_err() {
                self.recover_clause()?;
            }
        }
        Ok(edge)
    }

    fn clause(&mut self, edge: &mut Edge) -> Parse<()> {
        let token = self.token();
        let known = matches!(token, Token::Select | Token::Guard | Token::Sync | Token::Assign)
            || self.at_word("probability");
        if !known {
            return self.fail_expecting("`select`, `guard`, `sync`, `assign` or `}`");
        }
        self.advance();
        match token {
            Token::Select => edge.select.extend(self.selections()?),
            Token::Guard => edge.guard = Some(self.constraint()?),
            Token::Sync => edge.sync = Some(self.synchronisation()?),
            Token::Assign => edge.update.extend(self.updates()?),
            _ => edge.probability = Some(self.expression()?),
        }
        Ok(())
    }

    /// A guard or an invariant; in the old grammar commas mean `and`.
    pub fn constraint(&mut self) -> Parse<Expr> {
        let list = self.list(Parser::expression)?;
        match conjunction(list) {
            Some(expr) => Ok(expr),
            None => self.fail_expecting("an expression"),
        }
    }

    /// `c!`, `c?` or `c`.
    pub fn synchronisation(&mut self) -> Parse<Sync> {
        let start = self.span();
        let channel = self.place()?;
        let direction = match self.token() {
            Token::Exclamation => Direction::Send,
            Token::Question => Direction::Receive,
            _ => Direction::Both,
        };
        if direction != Direction::Both {
            self.advance();
        }
        Ok(Sync { channel, direction, span: self.since(start) })
    }

    /// `i : T, j : U`
    pub fn selections(&mut self) -> Parse<Vec<(Name, Type)>> {
        self.list(|parser| {
            let name = parser.name("a name")?;
            parser.expect(Token::Colon)?;
            Ok((name, parser.ty()?))
        })
    }

    /// Updates.
    pub fn updates(&mut self) -> Parse<Vec<Expr>> {
        self.list(Parser::expression)
    }

    /// An exponential rate, perhaps as a fraction `a : b`.
    pub fn rate(&mut self) -> Parse<Expr> {
        let above = self.expression()?;
        if !self.take(Token::Colon) {
            return Ok(above);
        }
        let below = self.expression()?;
        let span = above.span.to(below.span);
        Ok(Expr {
            kind: ExprKind::Binary(network::Binary::Div.into(), Box::new(above), Box::new(below)),
            span,
        })
    }
}

/// An edge with nothing on it.
pub fn empty_edge(source: Name, target: Name) -> Edge {
    let span = source.span;
    Edge {
        source,
        target,
        select: Vec::new(),
        guard: None,
        sync: None,
        update: Vec::new(),
        probability: None,
        uncontrollable: false,
        span,
    }
}
