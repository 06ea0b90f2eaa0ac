//! Expressions, by operator precedence, with a stack in place of recursion: generated texts
//! nest deeply.
//!
//! ```text
//! want an operand:  a leaf is one; what opens something is pushed, and an operand wanted again
//! have an operand:  an operator that binds at `b` first makes nodes of what was pushed since
//!                   the last opening and binds more tightly; what closes makes nodes of all of
//!                   it, and of what was opened
//! ```
//!
//! How tightly operators bind stands in `signs`.

use homing_ir::{Diagnostic, Span};

use super::cursor::Cursor;
use super::signs::{CHOICE, LOOSEST, PREFIX, RANGE, TEMPORAL, function, infix, temporal};
use super::syntax::{Expr, Function, Infix, Node, NodeId, Placed, Prefix, Temporal, Text};
use super::token::Token;
use crate::reading::Parse;
use crate::walking::Walking;

/// What waits for an operand.
enum Pending {
    Prefix(Prefix, Span),
    Temporal(Temporal, Span),
    Bounded(Temporal, u32, u32, Span),
    Infix(Infix, u8, NodeId),
    /// `low ..`.
    Range(NodeId),
    /// `a ? b :`.
    Else(NodeId, NodeId),
    Open(Opening),
}

/// What must be closed.
enum Opening {
    Group,
    /// Name, whether the argument stands in `typeof( )`, arguments so far.
    Call(Function, Span, Vec<NodeId>),
    /// `a[`, and what stood before a colon.
    Index(NodeId, Option<NodeId>),
    /// `a ?`.
    Then(NodeId),
    /// Branches so far, and the condition of the next.
    Case(Span, Vec<(NodeId, NodeId)>, Option<NodeId>),
    Set(Span, Option<NodeId>),
    List(Span, Vec<NodeId>),
    /// `A [`, and what stood before `U`.
    Until(bool, Span, Option<NodeId>, Option<(u32, u32)>),
}

/// Reads an expression of operators that bind at least at `lowest`.
pub fn expression<'t>(cursor: &mut Cursor<'t>, text: &mut Text<'t>, lowest: u8) -> Parse<Expr> {
    let first = text.nodes.len() as u32;
    let mut reading = Reading { cursor, text, stack: Vec::new(), lowest };
    let root = reading.whole()?;
    Ok(Expr { first, root })
}

struct Reading<'r, 't> {
    cursor: &'r mut Cursor<'t>,
    text: &'r mut Text<'t>,
    stack: Vec<Pending>,
    lowest: u8,
}

impl<'t> Reading<'_, 't> {
    fn whole(&mut self) -> Parse<NodeId> {
        loop {
            let Some(mut operand) = self.operand()? else { continue };
            loop {
                match self.behind(operand)? {
                    Behind::Operand(next) => operand = next,
                    Behind::Wanted => break,
                    Behind::End(root) => return Ok(root),
                }
            }
        }
    }

    fn add(&mut self, node: Node<'t>, span: Span) -> NodeId {
        let id = NodeId(self.text.nodes.len() as u32);
        self.text.nodes.push(Placed { node, span });
        id
    }

    fn span(&self, id: NodeId) -> Span {
        self.text.nodes[id.0 as usize].span
    }

    /// A leaf; or none, where something was opened and an operand is wanted.
    fn operand(&mut self) -> Parse<Option<NodeId>> {
        let (token, text, span) = (self.cursor.token(), self.cursor.text(), self.cursor.span());
        if let Some(operator) = temporal(token) {
            return self.temporal(operator).map(|()| None);
        }
        if let Some(function) = function(token) {
            self.cursor.advance();
            self.cursor.expect(Token::LeftParenthesis)?;
            if function == Function::ConstArray {
                self.cursor.expect(Token::Typeof)?;
                self.cursor.expect(Token::LeftParenthesis)?;
                let array = self.path()?;
                self.cursor.expect(Token::RightParenthesis)?;
                self.cursor.expect(Token::Comma)?;
                return self.open(Opening::Call(function, span, vec![array]));
            }
            return self.open(Opening::Call(function, span, Vec::new()));
        }
        let node = match token {
            Token::Name => Node::Name(text),
            Token::SelfName => Node::SelfName,
            Token::True => Node::Bool(true),
            Token::False => Node::Bool(false),
            Token::Number => Node::Number(self.number()?),
            Token::Word => Node::Word(text),
            _ => return self.opening(token, span),
        };
        if token != Token::Number {
            self.cursor.advance();
        }
        Ok(Some(self.add(node, span)))
    }

    fn opening(&mut self, token: Token, span: Span) -> Parse<Option<NodeId>> {
        let opening = match token {
            Token::LeftParenthesis => Opening::Group,
            Token::Case => Opening::Case(span, Vec::new(), None),
            Token::LeftBrace => Opening::Set(span, None),
            Token::LeftBracket => Opening::List(span, Vec::new()),
            Token::All | Token::Exists => {
                self.cursor.advance();
                if self.cursor.token() != Token::LeftBracket {
                    return self.cursor.fail_expecting("`[`");
                }
                Opening::Until(token == Token::All, span, None, None)
            }
            Token::Exclamation | Token::Minus | Token::Plus => {
                self.cursor.advance();
                match token {
                    Token::Exclamation => self.stack.push(Pending::Prefix(Prefix::Not, span)),
                    Token::Minus => self.stack.push(Pending::Prefix(Prefix::Minus, span)),
                    _ if self.cursor.token() == Token::Number => {}
                    _ => return self.cursor.fail_expecting("a number"),
                }
                return Ok(None);
            }
            Token::Real => {
                let message = "real numbers cannot be read: NuSMV's models are finite";
                return self.cursor.fail(Diagnostic::error(message, span));
            }
            _ => return self.cursor.fail_expecting("an expression"),
        };
        self.cursor.advance();
        self.open(opening)
    }

    fn open(&mut self, opening: Opening) -> Parse<Option<NodeId>> {
        self.stack.push(Pending::Open(opening));
        Ok(None)
    }

    /// A temporal operator of one operand, with its bounds.
    fn temporal(&mut self, operator: Temporal) -> Parse<()> {
        let (token, span) = (self.cursor.token(), self.cursor.span());
        self.cursor.advance();
        let of_trees = matches!(
            token,
            Token::ExistsBoundedFinally
                | Token::AllBoundedFinally
                | Token::ExistsBoundedGlobally
                | Token::AllBoundedGlobally
        );
        let bounds = if of_trees {
            Some(self.bounds(Token::Range)?)
        } else if !operator.is_of_trees() && self.cursor.take(Token::LeftBracket) {
            let bounds = self.bounds(Token::Comma)?;
            self.cursor.expect(Token::RightBracket)?;
            Some(bounds)
        } else {
            None
        };
        self.stack.push(match bounds {
            Some((from, to)) => Pending::Bounded(operator, from, to, span),
            None => Pending::Temporal(operator, span),
        });
        Ok(())
    }

    /// Two numbers of steps.
    fn bounds(&mut self, between: Token) -> Parse<(u32, u32)> {
        let span = self.cursor.span();
        let from = self.number()?;
        self.cursor.expect(between)?;
        let to = self.number()?;
        let span = self.cursor.since(span);
        match (u32::try_from(from), u32::try_from(to)) {
            (Ok(from), Ok(to)) if from <= to => Ok((from, to)),
            _ => {
                let message = format!("there is no number of steps from {from} to {to}");
                self.cursor.fail(Diagnostic::error(message, span))
            }
        }
    }

    fn number(&mut self) -> Parse<i64> {
        let (text, span) = (self.cursor.text(), self.cursor.span());
        self.cursor.expect(Token::Number)?;
        match text.parse::<i32>() {
            Ok(number) => Ok(i64::from(number)),
            Err(_) => {
                let message = format!("the number is too large: at most {}", i32::MAX);
                self.cursor.fail(Diagnostic::error(message, span))
            }
        }
    }

    /// A name, perhaps with dots.
    fn path(&mut self) -> Parse<NodeId> {
        let (text, span) = self.cursor.name("the name of an array")?;
        let mut path = self.add(Node::Name(text), span);
        while self.cursor.token() == Token::Dot {
            path = self.dotted(path)?;
        }
        Ok(path)
    }

    /// What follows an operand.
    fn behind(&mut self, operand: NodeId) -> Parse<Behind> {
        match self.cursor.token() {
            Token::Dot => return self.dotted(operand).map(Behind::Operand),
            Token::LeftBracket => {
                self.cursor.advance();
                self.open(Opening::Index(operand, None))?;
                return Ok(Behind::Wanted);
            }
            Token::Range if self.lowest <= RANGE => {
                let low = self.reduced(operand, RANGE, true);
                self.cursor.advance();
                self.stack.push(Pending::Range(low));
                return Ok(Behind::Wanted);
            }
            Token::Question if self.continues(CHOICE) => {
                let condition = self.reduced(operand, CHOICE, false);
                self.cursor.advance();
                self.open(Opening::Then(condition))?;
                return Ok(Behind::Wanted);
            }
            Token::Until | Token::BoundedUntil if self.within_until() => {
                return self.until(operand);
            }
            _ => {}
        }
        if let Some((operator, binds)) = infix(self.cursor.token())
            && self.continues(binds)
        {
            let left = self.reduced(operand, binds, binds > LOOSEST);
            self.cursor.advance();
            self.stack.push(Pending::Infix(operator, binds, left));
            return Ok(Behind::Wanted);
        }
        let operand = self.reduced(operand, 0, true);
        match self.stack.pop() {
            Some(Pending::Open(opening)) => self.close(opening, operand),
            _ => Ok(Behind::End(operand)),
        }
    }

    /// Whether an operator belongs to what is being read.
    fn continues(&self, binds: u8) -> bool {
        binds >= self.lowest || self.stack.iter().any(|one| matches!(one, Pending::Open(_)))
    }

    /// What stands behind a dot.
    fn dotted(&mut self, operand: NodeId) -> Parse<NodeId> {
        self.cursor.advance();
        let text = self.cursor.text();
        match self.cursor.token() {
            Token::Name | Token::Number => self.cursor.advance(),
            _ => return self.cursor.fail_expecting("a name"),
        }
        let span = self.cursor.since(self.span(operand));
        Ok(self.add(Node::Dot(operand, text), span))
    }

    /// Makes nodes of what waits and binds at least at `binds`, or more tightly.
    fn reduced(&mut self, mut operand: NodeId, binds: u8, as_tightly: bool) -> NodeId {
        while let Some(waiting) = self.stack.last() {
            let level = match waiting {
                Pending::Open(_) => break,
                Pending::Prefix(..) => PREFIX,
                Pending::Temporal(..) | Pending::Bounded(..) => TEMPORAL,
                Pending::Infix(_, level, _) => *level,
                Pending::Range(_) => RANGE,
                Pending::Else(..) => CHOICE,
            };
            if level < binds || level == binds && !as_tightly {
                break;
            }
            let Some(waiting) = self.stack.pop() else { break };
            operand = self.made(waiting, operand);
        }
        operand
    }

    fn made(&mut self, waiting: Pending, operand: NodeId) -> NodeId {
        let end = self.span(operand);
        let (node, start) = match waiting {
            Pending::Prefix(operator, span) => (Node::Prefix(operator, operand), span),
            Pending::Temporal(operator, span) => (Node::Temporal(operator, operand), span),
            Pending::Bounded(operator, from, to, span) => {
                (Node::Bounded(operator, from, to, operand), span)
            }
            Pending::Infix(operator, _, left) => {
                (Node::Infix(operator, left, operand), self.span(left))
            }
            Pending::Else(condition, then) => {
                (Node::Choose(condition, then, operand), self.span(condition))
            }
            Pending::Range(low) => {
                let span = self.span(low);
                match (self.text.literal(low), self.text.literal(operand)) {
                    (Some(low), Some(high)) => (Node::Range(low, high), span),
                    _ => {
                        let message = "a range within an expression stands between numbers";
                        self.cursor.reports.add(Diagnostic::error(message, span.to(end)));
                        (Node::Range(0, 0), span)
                    }
                }
            }
            Pending::Open(_) => return operand,
        };
        self.add(node, start.to(end))
    }

    /// Whether the innermost thing that is open is `A [` or `E [`, before its `U`.
    fn within_until(&self) -> bool {
        let open = self.stack.iter().rev().find_map(|one| match one {
            Pending::Open(opening) => Some(opening),
            _ => None,
        });
        matches!(open, Some(Opening::Until(_, _, None, _)))
    }

    /// `U` of `A [f U g]`.
    fn until(&mut self, operand: NodeId) -> Parse<Behind> {
        let hold = self.reduced(operand, 0, true);
        let bounded = self.cursor.token() == Token::BoundedUntil;
        self.cursor.advance();
        let within = if bounded { Some(self.bounds(Token::Range)?) } else { None };
        if let Some(Pending::Open(Opening::Until(_, _, first, bounds))) = self.stack.last_mut() {
            *first = Some(hold);
            *bounds = within;
        }
        Ok(Behind::Wanted)
    }

    /// Goes on where something is open and an operand of it was read.
    fn close(&mut self, opening: Opening, operand: NodeId) -> Parse<Behind> {
        let again = |reading: &mut Self, opening| {
            reading.cursor.advance();
            reading.stack.push(Pending::Open(opening));
            Ok(Behind::Wanted)
        };
        let token = self.cursor.token();
        match opening {
            Opening::Group => {
                self.cursor.expect(Token::RightParenthesis)?;
                Ok(Behind::Operand(operand))
            }
            Opening::Call(function, span, mut arguments) => {
                arguments.push(operand);
                match token {
                    Token::Comma => again(self, Opening::Call(function, span, arguments)),
                    _ => self.called(function, span, arguments),
                }
            }
            Opening::Index(base, None) if token == Token::Colon => {
                again(self, Opening::Index(base, Some(operand)))
            }
            Opening::Index(base, high) => {
                self.cursor.expect(Token::RightBracket)?;
                let span = self.cursor.since(self.span(base));
                let node = match high {
                    Some(high) => Node::Select(base, high, operand),
                    None => Node::Index(base, operand),
                };
                Ok(Behind::Operand(self.add(node, span)))
            }
            Opening::Then(condition) => {
                self.cursor.expect(Token::Colon)?;
                self.stack.push(Pending::Else(condition, operand));
                Ok(Behind::Wanted)
            }
            Opening::Case(span, branches, condition) => {
                self.branch(span, branches, condition, operand)
            }
            Opening::Set(span, before) => {
                let set = match before {
                    Some(before) => {
                        let place = self.span(before).to(self.span(operand));
                        self.add(Node::Infix(Infix::Union, before, operand), place)
                    }
                    None => operand,
                };
                if token == Token::Comma {
                    return again(self, Opening::Set(span, Some(set)));
                }
                self.cursor.expect(Token::RightBrace)?;
                Ok(Behind::Operand(set))
            }
            Opening::List(span, mut elements) => {
                elements.push(operand);
                if token == Token::Comma {
                    return again(self, Opening::List(span, elements));
                }
                self.cursor.expect(Token::RightBracket)?;
                let span = self.cursor.since(span);
                Ok(Behind::Operand(self.add(Node::List(elements.into()), span)))
            }
            Opening::Until(_, _, None, _) => self.cursor.fail_expecting("`U`"),
            Opening::Until(all, span, Some(hold), within) => {
                self.cursor.expect(Token::RightBracket)?;
                let span = self.cursor.since(span);
                let node = Node::Until { all, hold, reach: operand, within };
                Ok(Behind::Operand(self.add(node, span)))
            }
        }
    }

    fn called(&mut self, function: Function, span: Span, arguments: Vec<NodeId>) -> Parse<Behind> {
        self.cursor.expect(Token::RightParenthesis)?;
        let span = self.cursor.since(span);
        if let Some(arity) = function.arity().filter(|arity| *arity != arguments.len()) {
            let takes =
                if arity == 1 { "one argument".into() } else { format!("{arity} arguments") };
            let message = format!("`{}` takes {takes}", function.name());
            return self.cursor.fail(Diagnostic::error(message, span));
        }
        Ok(Behind::Operand(self.add(Node::Call(function, arguments.into()), span)))
    }

    /// A condition of `case`, or what stands behind one.
    fn branch(
        &mut self,
        span: Span,
        mut branches: Vec<(NodeId, NodeId)>,
        condition: Option<NodeId>,
        operand: NodeId,
    ) -> Parse<Behind> {
        let Some(condition) = condition else {
            self.cursor.expect(Token::Colon)?;
            self.stack.push(Pending::Open(Opening::Case(span, branches, Some(operand))));
            return Ok(Behind::Wanted);
        };
        self.cursor.expect(Token::Semicolon)?;
        branches.push((condition, operand));
        if self.cursor.take(Token::Esac) {
            let span = self.cursor.since(span);
            return Ok(Behind::Operand(self.add(Node::Case(branches.into()), span)));
        }
        self.stack.push(Pending::Open(Opening::Case(span, branches, None)));
        Ok(Behind::Wanted)
    }
}

/// What comes behind an operand.
enum Behind {
    /// It became a part of another, which is complete.
    Operand(NodeId),
    /// Another is wanted.
    Wanted,
    /// Nothing that belongs to the expression.
    End(NodeId),
}
