//! Statements.

use homing_ir::network::Binary as Op;
use homing_ir::{Diagnostic, Span};

use super::Parser;
use super::declaration::Declared;
use crate::promela::syntax::*;
use crate::promela::token::Token;
use crate::reading::Parse;
use crate::walking::Walking;

impl Parser<'_> {
    /// `{ … }`.
    pub fn braces(&mut self) -> Parse<Sequence> {
        let open = self.expect(Token::LeftBrace)?;
        let mut sequence = self.sequence(open);
        self.close(open, Token::RightBrace)?;
        sequence.span = self.since(open);
        Ok(sequence)
    }

    /// `{ … }` within a process: SPIN allows no label at its start, unless it is that
    /// of a loop. `written` is how such a thing looks.
    pub fn block(&mut self, written: &str) -> Parse<Sequence> {
        let sequence = self.braces()?;
        if let Some(label) = first_label(&sequence).filter(|_| !begins_with_loop(&sequence)) {
            let error = Diagnostic::error(
                format!("the label `{}` cannot stand at the start of a block", label.text),
                label.span,
            );
            self.report(error.help(format!("write `{}: {written}`", label.text)));
        }
        Ok(sequence)
    }

    /// Statements up to something that closes them, which is not passed.
    fn sequence(&mut self, start: Span) -> Sequence {
        let mut sequence = Sequence { steps: Vec::new(), span: start };
        let mut failed = false;
        loop {
            homing_budget::checkpoint();
            while self.token().separates() {
                self.advance();
            }
            if self.closes() {
                break;
            }
            let result = self.nested(|parser| parser.step(&mut sequence));
            let result = result.and_then(|()| self.step_ends());
            self.at_option = false;
            if result.is_err() {
                failed = true;
                self.recover();
                if self.token().begins_unit() {
                    break;
                }
            }
        }
        if sequence.steps.is_empty() && !failed && !self.reports.full() {
            let error = Diagnostic::error("a sequence must have at least one statement", start);
            self.report(error.help("write `skip` where nothing is to be done"));
        }
        sequence.span = self.since(start);
        sequence
    }

    fn closes(&self) -> bool {
        matches!(
            self.token(),
            Token::RightBrace | Token::Fi | Token::Od | Token::Option | Token::End
        )
    }

    /// Separators may be missing behind `}` and `else`.
    fn step_ends(&mut self) -> Parse<()> {
        let fine = self.token().separates()
            || self.closes()
            || matches!(self.last(), Token::RightBrace | Token::Else);
        if fine { Ok(()) } else { self.fail_expecting("`;`") }
    }

    fn step(&mut self, sequence: &mut Sequence) -> Parse<()> {
        let step = match self.token() {
            Token::Xr | Token::Xs => self.exclusive()?,
            _ if self.at_declaration() && !self.at_label() => match self.declaration()? {
                Declared::Variables(declaration) => Step::Declaration(declaration),
                Declared::Symbols(symbols) => {
                    let span = symbols.names.first().map_or(sequence.span, |name| name.span);
                    let error =
                        Diagnostic::error("symbols are declared outside of processes", span);
                    return self.fail(error);
                }
            },
            _ => Step::Statement(self.statement_unless()?),
        };
        sequence.steps.push(step);
        Ok(())
    }

    /// `xr c, d`.
    fn exclusive(&mut self) -> Parse<Step> {
        let start = self.span();
        let receive = self.token() == Token::Xr;
        self.advance();
        let mut channels = vec![self.reference()?];
        while self.take(Token::Comma) {
            channels.push(self.reference()?);
        }
        Ok(Step::Exclusive { receive, channels, span: self.since(start) })
    }

    /// A statement, and the one it can be escaped by.
    fn statement_unless(&mut self) -> Parse<Statement> {
        let mut main = self.statement()?;
        let line_ends = self.token() == Token::LineEnd && self.ahead(0) == Token::Unless;
        if line_ends {
            self.pass_line_end();
        }
        if !self.take(Token::Unless) {
            return Ok(main);
        }
        let escape = self.statement()?;
        if let Some(label) = escape.labels.first() {
            let message =
                format!("the label `{}` cannot stand at the start of an escape", label.text);
            self.report(Diagnostic::error(message, label.span));
        }
        // SPIN lifts a label of a block, and refuses others.
        let labels = std::mem::take(&mut main.labels);
        if let Some(label) = labels.first().filter(|_| !is_block(&main.kind)) {
            let message = format!("the label `{}` cannot stand before `unless`", label.text);
            let help = format!("write `{}: {{ … unless … }}`", label.text);
            self.report(Diagnostic::error(message, label.span).help(help));
        }
        let (span, call) = (self.since(main.span), main.call);
        let kind = StatementKind::Unless(Box::new(main), Box::new(escape));
        Ok(Statement { labels, kind, span, call })
    }

    /// Whether a label comes.
    fn at_label(&self) -> bool {
        self.token() == Token::Name && self.ahead(1) == Token::Colon && !self.is_process()
    }

    /// A statement with its labels.
    fn statement(&mut self) -> Parse<Statement> {
        let start = self.span();
        let mut labels = Vec::new();
        while self.at_label() {
            labels.push(self.name("a label")?);
            self.advance();
        }
        let alone = self.closes() || self.token().separates() || self.token() == Token::Unless;
        if !labels.is_empty() {
            if alone {
                let kind =
                    StatementKind::Expression(Expr { kind: ExprKind::Number(1), span: start });
                return Ok(Statement { labels, kind, span: self.since(start), call: self.call });
            }
            if self.at_declaration() || matches!(self.token(), Token::Xr | Token::Xs) {
                let error = Diagnostic::error("a label cannot stand before a declaration", start);
                return self.fail(error.help("write the declaration before the label"));
            }
        }
        let begin = self.span();
        let call = self.call;
        let kind = self.statement_kind()?;
        let span = if call == self.call { self.since(begin) } else { begin };
        Ok(Statement { labels, kind, span, call })
    }

    fn statement_kind(&mut self) -> Parse<StatementKind> {
        let option = std::mem::replace(&mut self.at_option, false);
        let token = self.token();
        // What is first in a block is first in the option around it.
        self.at_option = option
            && matches!(token, Token::LeftBrace | Token::Atomic | Token::DStep | Token::Name);
        match token {
            Token::If => Ok(StatementKind::If(self.options(Token::Fi)?)),
            Token::Do => self.do_loop(),
            Token::For => self.for_loop(),
            Token::Select => self.select(),
            Token::Break => self.break_statement(),
            Token::Goto => {
                self.advance();
                Ok(StatementKind::Goto(self.name("the name of a label")?))
            }
            Token::Else => self.else_statement(option),
            Token::Assert => {
                self.advance();
                Ok(StatementKind::Assert(self.expression()?))
            }
            Token::Printf => self.print(),
            Token::Printm => {
                self.advance();
                self.expect(Token::LeftParenthesis)?;
                let value = self.expression()?;
                self.expect(Token::RightParenthesis)?;
                Ok(StatementKind::PrintSymbol(value))
            }
            Token::SetPriority => {
                self.advance();
                self.expect(Token::LeftParenthesis)?;
                let process = self.expression()?;
                self.expect(Token::Comma)?;
                let priority = self.expression()?;
                self.expect(Token::RightParenthesis)?;
                Ok(StatementKind::SetPriority(process, priority))
            }
            Token::Atomic => {
                self.advance();
                Ok(StatementKind::Atomic(self.block("atomic { … }")?))
            }
            Token::DStep => {
                self.advance();
                Ok(StatementKind::Deterministic(self.block("d_step { … }")?))
            }
            Token::LeftBrace => Ok(StatementKind::Block(self.block("{ … }")?)),
            Token::Return => self.return_statement(),
            Token::CCode | Token::CDecl | Token::CState | Token::CTrack => {
                let span = self.span();
                self.embedded();
                Ok(StatementKind::Expression(Expr { kind: ExprKind::Number(1), span }))
            }
            Token::Name => self.named_statement(),
            _ => Ok(StatementKind::Expression(self.expression()?)),
        }
    }

    /// What begins with a name: a call, an assignment, a message, a condition.
    fn named_statement(&mut self) -> Parse<StatementKind> {
        let process = self.is_process();
        let call = self.ahead(1) == Token::LeftParenthesis;
        if call && !process {
            return self.inline_call(None);
        }
        self.at_option = false;
        if process && matches!(self.ahead(1), Token::Colon | Token::At) {
            return Ok(StatementKind::Expression(self.expression()?));
        }
        let start = self.span();
        let first = self.named()?;
        let ExprKind::Reference(reference) = &first.expr.kind else {
            return Ok(StatementKind::Expression(self.expression_from(first)?));
        };
        let reference = reference.clone();
        match self.token() {
            Token::Assign => self.assignment(reference),
            Token::Increment | Token::Decrement => {
                let operator = if self.token() == Token::Increment { Op::Add } else { Op::Sub };
                self.advance();
                let span = self.since(start);
                let one = Expr { kind: ExprKind::Number(1), span };
                let kind =
                    ExprKind::Binary(Binary::Plain(operator), Box::new(first.expr), Box::new(one));
                Ok(StatementKind::Assign(reference, Expr { kind, span }))
            }
            Token::Send | Token::SortedSend => {
                let sorted = self.token() == Token::SortedSend;
                self.advance();
                let message = self.message()?;
                Ok(StatementKind::Send { channel: reference, message, sorted })
            }
            Token::Receive | Token::AnyReceive => self.receive(reference),
            _ => Ok(StatementKind::Expression(self.expression_from(first)?)),
        }
    }

    fn assignment(&mut self, target: Reference) -> Parse<StatementKind> {
        self.advance();
        if self.is_inline() && self.ahead(1) == Token::LeftParenthesis {
            return self.inline_call(Some(target));
        }
        Ok(StatementKind::Assign(target, self.expression()?))
    }

    /// What is sent: `a, b` or `a(b, c)`.
    fn message(&mut self) -> Parse<Vec<Expr>> {
        let mut list = self.expressions()?;
        if list.len() == 1 && self.take(Token::LeftParenthesis) {
            list.append(&mut self.expressions()?);
            self.expect(Token::RightParenthesis)?;
        }
        Ok(list)
    }

    fn receive(&mut self, channel: Reference) -> Parse<StatementKind> {
        let any = self.token() == Token::AnyReceive;
        self.advance();
        let keep = self.take(Token::Less);
        let message = self.patterns()?;
        if keep {
            self.expect(Token::Greater)?;
        }
        Ok(StatementKind::Receive { channel, message, any, keep })
    }

    /// Options up to `end`, which is passed.
    fn options(&mut self, end: Token) -> Parse<Vec<Sequence>> {
        let open = self.span();
        self.advance();
        let mut options: Vec<Sequence> = Vec::new();
        if self.token() != Token::Option {
            return self.fail_expecting("`::`");
        }
        while self.token() == Token::Option {
            let start = self.span();
            self.advance();
            self.at_option = true;
            let option = self.sequence(start);
            self.at_option = false;
            self.check_option(&option, &options);
            options.push(option);
        }
        self.close(open, end)?;
        Ok(options)
    }

    fn check_option(&mut self, option: &Sequence, before: &[Sequence]) {
        if let Some(label) = first_label(option) {
            let message = format!("the label `{}` stands at the start of an option", label.text);
            let help = "SPIN asks for it before `if` or `do`";
            self.report(Diagnostic::warning(message, label.span).help(help));
        }
        let Some(span) = first_else(option) else { return };
        if let Some(first) = before.iter().find_map(first_else) {
            let error = Diagnostic::error("there are two `else`", span);
            self.report(error.related(first, "the other is here"));
        }
    }

    fn do_loop(&mut self) -> Parse<StatementKind> {
        self.loops += 1;
        let options = self.options(Token::Od);
        self.loops -= 1;
        Ok(StatementKind::Do(options?))
    }

    /// `for (i : a .. b) { … }` and `for (i in a) { … }`.
    fn for_loop(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let index = self.reference()?;
        if self.at_word("in") {
            self.advance();
            let of = self.reference()?;
            self.expect(Token::RightParenthesis)?;
            let body = self.loop_body()?;
            return Ok(StatementKind::ForIn { index, of, body });
        }
        let (from, to) = self.range()?;
        let body = self.loop_body()?;
        Ok(StatementKind::For { index, from, to, body })
    }

    /// `: a .. b )`.
    fn range(&mut self) -> Parse<(Expr, Expr)> {
        self.expect(Token::Colon)?;
        let from = self.expression()?;
        self.expect(Token::Range)?;
        let to = self.expression()?;
        self.expect(Token::RightParenthesis)?;
        Ok((from, to))
    }

    fn loop_body(&mut self) -> Parse<Sequence> {
        if self.token().separates() {
            self.advance();
        }
        self.loops += 1;
        let body = self.braces();
        self.loops -= 1;
        body
    }

    fn select(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        let index = self.reference()?;
        // The tokens behind `:`, before they are expressions: `(3)` is no literal.
        let literal = |parser: &Self, at| parser.ahead(at) == Token::Number;
        let literals = literal(self, 1) && literal(self, 3);
        let (from, to) = self.range()?;
        Ok(match self.listed(&index, &from, &to).filter(|_| literals) {
            Some(options) => StatementKind::If(options),
            None => StatementKind::Select { index, from, to },
        })
    }

    /// The options that SPIN makes of a `select` with few values: its lexer
    /// does so, where it sees a plain name without underscores and two
    /// literals, outside of inlines.
    fn listed(&self, index: &Reference, from: &Expr, to: &Expr) -> Option<Vec<Sequence>> {
        const MOST: i64 = 32;
        let ([part], ExprKind::Number(from), ExprKind::Number(to)) =
            (&index.parts[..], &from.kind, &to.kind)
        else {
            return None;
        };
        let plain = part.index.is_none() && part.name.text.chars().all(char::is_alphanumeric);
        if !plain || !self.calls.is_empty() || from > to || to - from > MOST {
            return None;
        }
        let span = index.span;
        let option = |value: i64| {
            let value = Expr { kind: ExprKind::Number(value), span };
            let kind = StatementKind::Assign(index.clone(), value);
            let statement = Statement { labels: Vec::new(), kind, span, call: self.call };
            Sequence { steps: vec![Step::Statement(statement)], span }
        };
        Some((*from..=*to).map(option).collect())
    }

    fn break_statement(&mut self) -> Parse<StatementKind> {
        if self.loops == 0 {
            let error = Diagnostic::error("`break` outside of a loop", self.span());
            self.report(error);
        }
        self.advance();
        Ok(StatementKind::Break)
    }

    fn else_statement(&mut self, at_option: bool) -> Parse<StatementKind> {
        if !at_option {
            let message = "`else` is not the first statement of an option: it never waits here";
            let warning = Diagnostic::warning(message, self.span());
            self.report(warning);
        }
        self.advance();
        Ok(StatementKind::Else)
    }

    fn print(&mut self) -> Parse<StatementKind> {
        self.advance();
        self.expect(Token::LeftParenthesis)?;
        if self.token() != Token::Text {
            return self.fail_expecting("a text in quotes");
        }
        let text = self.text().trim_start_matches('"');
        let text = text.strip_suffix('"').unwrap_or(text).to_string();
        self.advance();
        let arguments = if self.take(Token::Comma) { self.expressions()? } else { Vec::new() };
        self.expect(Token::RightParenthesis)?;
        Ok(StatementKind::Print(text, arguments))
    }
}

fn is_block(kind: &StatementKind) -> bool {
    matches!(
        kind,
        StatementKind::Block(_) | StatementKind::Atomic(_) | StatementKind::Deterministic(_)
    )
}

/// The label of the first thing of a sequence.
fn first_label(sequence: &Sequence) -> Option<&Name> {
    match sequence.steps.first() {
        Some(Step::Statement(statement)) => statement.labels.first(),
        _ => None,
    }
}

fn begins_with_loop(sequence: &Sequence) -> bool {
    let Some(Step::Statement(first)) = sequence.steps.first() else { return false };
    matches!(
        first.kind,
        StatementKind::Do(_) | StatementKind::For { .. } | StatementKind::ForIn { .. }
    )
}

/// Where a sequence begins with `else`.
fn first_else(sequence: &Sequence) -> Option<Span> {
    match sequence.steps.first() {
        Some(Step::Statement(Statement { kind: StatementKind::Else, span, .. })) => Some(*span),
        _ => None,
    }
}
