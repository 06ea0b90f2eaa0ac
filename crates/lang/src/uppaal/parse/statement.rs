//! Bodies of functions.

use homing_ir::Diagnostic;

use super::Parser;
use crate::reading::Parse;
use crate::uppaal::syntax::*;
use crate::uppaal::token::Token;
use crate::walking::Walking;

impl Parser<'_> {
    /// `{ declarations statements }`
    pub fn block(&mut self) -> Parse<Block> {
        let mark = self.known.mark();
        let block = self.nested(Parser::open_block);
        self.known.leave(mark);
        block
    }

    fn open_block(&mut self) -> Parse<Block> {
        self.expect(Token::LeftBrace)?;
        let mut block = Block::default();
        while self.token() == Token::Typedef || self.at_type() {
            if self.declaration(&mut block.declarations).is_err() {
                self.recover();
            }
        }
        while !matches!(self.token(), Token::RightBrace | Token::End) {
            let before = self.at;
            match self.statement() {
                Ok(statement) => block.statements.push(statement),
                Err(_) => {
                    self.recover();
                    // Words that stop any recovery do not stop a body.
                    if self.at == before && self.token() != Token::RightBrace {
                        self.advance();
                    }
                }
            }
        }
        self.expect(Token::RightBrace)?;
        Ok(block)
    }

    fn statement(&mut self) -> Parse<Statement> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.statement_kind()?;
            Ok(Statement { kind, span: parser.since(start) })
        })
    }

    fn boxed_statement(&mut self) -> Parse<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        let span = self.span();
        match self.token() {
            Token::LeftBrace => return Ok(StatementKind::Block(self.block()?)),
            Token::If => return self.conditional(),
            Token::For => return self.for_loop(),
            Token::While => {
                self.advance();
                let condition = self.condition()?;
                return Ok(StatementKind::While(condition, self.boxed_statement()?));
            }
            Token::Name if self.text() == "switch" && self.ahead(1) == Token::LeftParenthesis => {
                return self.fail(Diagnostic::error("`switch` is not supported", span));
            }
            _ => {}
        }
        let kind = match self.token() {
            Token::Semicolon => StatementKind::Empty,
            Token::Do => self.do_while()?,
            Token::Return => self.returned()?,
            Token::Name if self.ahead(1) == Token::Semicolon && self.at_word("break") => {
                self.advance();
                StatementKind::Break
            }
            Token::Name if self.ahead(1) == Token::Semicolon && self.at_word("continue") => {
                self.advance();
                StatementKind::Continue
            }
            Token::Name if self.text() == "assert" && self.at_assertion() => {
                self.advance();
                StatementKind::Assert(self.expression()?)
            }
            _ if self.at_type() => {
                let error = Diagnostic::error("a declaration behind a statement", span);
                return self.fail(error.help("declarations stand at the start of a block"));
            }
            _ => StatementKind::Expression(self.expression()?),
        };
        self.expect(Token::Semicolon)?;
        Ok(kind)
    }

    /// `assert` is a name in older models.
    fn at_assertion(&self) -> bool {
        use Token::*;
        matches!(
            self.ahead(1),
            Name | Number
                | True
                | False
                | Not
                | Exclamation
                | Minus
                | Forall
                | Exists
                | LeftParenthesis
        )
    }

    fn condition(&mut self) -> Parse<Expr> {
        self.expect(Token::LeftParenthesis)?;
        let condition = self.expression()?;
        self.expect(Token::RightParenthesis)?;
        Ok(condition)
    }

    fn conditional(&mut self) -> Parse<StatementKind> {
        self.advance();
        let condition = self.condition()?;
        let yes = self.boxed_statement()?;
        let no = if self.take(Token::Else) { Some(self.boxed_statement()?) } else { None };
        Ok(StatementKind::If(condition, yes, no))
    }

    /// `do s while (e)`, without its `;`.
    fn do_while(&mut self) -> Parse<StatementKind> {
        self.advance();
        let body = self.boxed_statement()?;
        self.expect(Token::While)?;
        Ok(StatementKind::DoWhile(body, self.condition()?))
    }

    fn returned(&mut self) -> Parse<StatementKind> {
        self.advance();
        let value = match self.token() {
            Token::Semicolon => None,
            _ => Some(self.expression()?),
        };
        Ok(StatementKind::Return(value))
    }

    fn for_loop(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        if self.token() == Token::Name && self.ahead(1) == Token::Colon {
            let name = self.name("a name")?;
            self.advance();
            let ty = self.ty()?;
            self.expect(Token::RightParenthesis)?;
            return Ok(StatementKind::Each(name, ty, self.boxed_statement()?));
        }
        let first = self.expressions_before(Token::Semicolon)?;
        let condition = match self.token() {
            Token::Semicolon => None,
            _ => Some(self.expression()?),
        };
        self.expect(Token::Semicolon)?;
        let next = self.expressions_before(Token::RightParenthesis)?;
        let body = self.boxed_statement()?;
        Ok(self.loop_of(first, condition, next, body))
    }

    /// Expressions with commas between them, and `end`, which is passed.
    fn expressions_before(&mut self, end: Token) -> Parse<Vec<Expr>> {
        let none = self.token() == end;
        let list = if none { Vec::new() } else { self.list(Parser::expression)? };
        self.expect(end)?;
        Ok(list)
    }

    /// `for (a, b; c; d, e) s` is `{ a; for (b; c; e) { s d; } }`.
    fn loop_of(
        &mut self,
        mut first: Vec<Expr>,
        condition: Option<Expr>,
        mut next: Vec<Expr>,
        body: Box<Statement>,
    ) -> StatementKind {
        let (start, step) = (first.pop(), next.pop());
        let body = match next.is_empty() {
            true => body,
            false => Box::new(sequence(vec![*body], next)),
        };
        let kind = StatementKind::For(start, condition, step, body);
        if first.is_empty() {
            return kind;
        }
        let span = first.first().map_or(self.span(), |expr| expr.span);
        let mut statements: Vec<Statement> = first.into_iter().map(evaluated).collect();
        statements.push(Statement { kind, span });
        StatementKind::Block(Block { declarations: Vec::new(), statements })
    }
}

fn evaluated(expr: Expr) -> Statement {
    let span = expr.span;
    Statement { kind: StatementKind::Expression(expr), span }
}

/// The statements and then the expressions.
fn sequence(mut statements: Vec<Statement>, then: Vec<Expr>) -> Statement {
    let span = statements.first().map(|statement| statement.span).unwrap_or_default();
    statements.extend(then.into_iter().map(evaluated));
    let block = Block { declarations: Vec::new(), statements };
    Statement { kind: StatementKind::Block(block), span }
}
