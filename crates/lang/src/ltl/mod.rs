//! Formulas of linear temporal logic, as users write them.
//!
//! | operator | also written |
//! |---|---|
//! | `!f` | `~f`, `not f` |
//! | `[] f` | `G f`, `always f` |
//! | `<> f` | `F f`, `eventually f` |
//! | `X f` | `next f` |
//! | `f U g` | `until`, `stronguntil` |
//! | `f W g` | `weakuntil` |
//! | `f R g` | `V`, `release` |
//! | `f && g` | `&`, `and`, `/\` |
//! | `f \|\| g` | `\|`, `or`, `\/` |
//! | `f -> g` | `implies`, `imply` |
//! | `f <-> g` | `<=>`, `equivalent` |
//!
//! ```text
//! equivalence  :=  implication (<-> implication)*
//! implication  :=  disjunction (-> implication)?
//! disjunction  :=  conjunction (|| conjunction)*
//! conjunction  :=  binding (&& binding)*
//! binding      :=  unary ((U | W | R) binding)?
//! unary        :=  (! | [] | <> | X) unary  |  ( equivalence )  |  atom
//! ```
//! `U`, `W` and `R` are right-associative, as in most tools; SPIN reads them from
//! the left, so the formulas of `ltl` blocks are read by the parser of Promela.
//!
//! An atom is the longest stretch of text without an operator of this table:
//! `x + 1 == y`. A group in parentheses is part of one where an operator of
//! expressions stands before or behind it: `(x + 1) % 2 == y`. So `!a == b`
//! means `!(a == b)`. Single letters are operators as whole words only, and not
//! before an operator of expressions: in `X == 1` the letter is a name.

use std::ops::Range;

use homing_ir::temporal::{Connective, Formula};

use crate::climbing::joined;

mod token;

use token::{Token, Word, words};

/// How deep formulas may be nested.
const MOST_NESTING: usize = 500;
/// Longer runs of one associative operator become balanced trees.
const MOST_IN_A_ROW: usize = 50;

/// What is wrong with a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// One sentence, without a full stop.
    pub message: String,
    /// Where, in bytes.
    pub range: Range<usize>,
}

/// Reads a formula; its atoms are stretches of the text.
pub fn parse(text: &str) -> Result<Formula<Range<usize>>, Problem> {
    parse_with(text, &|_| false)
}

/// Reads a formula in which `P->x` is a variable of the process `P` where
/// `foreign` says so, and an implication elsewhere.
pub fn parse_with(
    text: &str,
    foreign: &dyn Fn(&str) -> bool,
) -> Result<Formula<Range<usize>>, Problem> {
    let problem =
        |(at, message): (usize, &str)| Problem { message: message.to_string(), range: at..at + 1 };
    let words = words(text, foreign).map_err(problem)?;
    let partners = partners(&words).map_err(problem)?;
    let mut parser = Parser { text, words, partners, at: 0, depth: 0 };
    let formula = parser.equivalence()?;
    match parser.token() {
        Token::End => Ok(formula.formula),
        _ => parser.fail("an operator is missing before this"),
    }
}

/// By word, the word that closes the parenthesis it opens.
fn partners(words: &[Word]) -> Result<Vec<usize>, (usize, &'static str)> {
    let mut partners = vec![0; words.len()];
    let mut open = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.token {
            Token::Open => open.push(at),
            Token::Close => match open.pop() {
                Some(start) => partners[start] = at,
                None => return Err((word.range.start, "no parenthesis is open here")),
            },
            _ => {}
        }
    }
    match open.last() {
        Some(start) => Err((words[*start].range.start, "this parenthesis is not closed")),
        None => Ok(partners),
    }
}

/// A formula whose atoms are stretches of its text.
type Tree = Formula<Range<usize>>;

/// A formula and how deep its tree is.
struct Deep {
    formula: Tree,
    depth: usize,
}

impl Deep {
    fn leaf(formula: Tree) -> Deep {
        Deep { formula, depth: 1 }
    }

    fn binary(op: Connective, f: Deep, g: Deep) -> Deep {
        let depth = f.depth.max(g.depth) + 1;
        Deep { formula: Formula::binary(op, f.formula, g.formula), depth }
    }
}

struct Parser<'a> {
    text: &'a str,
    words: Vec<Word>,
    partners: Vec<usize>,
    at: usize,
    depth: usize,
}

type Parse<T> = Result<T, Problem>;

impl Parser<'_> {
    fn token(&self) -> Token {
        self.words[self.at].token
    }

    /// Passes a word, but not the end.
    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.words.len() - 1);
    }

    fn take(&mut self, token: Token) -> bool {
        let there = self.token() == token;
        if there {
            self.advance();
        }
        there
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parse<T> {
        Err(Problem { message: message.into(), range: self.words[self.at].range.clone() })
    }

    fn checked(&self, deep: Deep) -> Parse<Deep> {
        if deep.depth > MOST_NESTING { self.too_deep() } else { Ok(deep) }
    }

    fn too_deep<T>(&self) -> Parse<T> {
        self.fail(format!(
            "the formula is nested too deeply, at most {MOST_NESTING} levels are read"
        ))
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parse<Deep>) -> Parse<Deep> {
        if self.depth >= MOST_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        self.checked(result?)
    }

    fn equivalence(&mut self) -> Parse<Deep> {
        let mut left = self.implication()?;
        while self.take(Token::Binary(Connective::Iff)) {
            let right = self.implication()?;
            left = self.checked(Deep::binary(Connective::Iff, left, right))?;
        }
        Ok(left)
    }

    fn implication(&mut self) -> Parse<Deep> {
        let left = self.run(Connective::Or)?;
        if !self.take(Token::Binary(Connective::Implies)) {
            return Ok(left);
        }
        let right = self.nested(Parser::implication)?;
        self.checked(Deep::binary(Connective::Implies, left, right))
    }

    /// A run of `||`, or of `&&`.
    fn run(&mut self, op: Connective) -> Parse<Deep> {
        let part = |parser: &mut Self| match op {
            Connective::Or => parser.run(Connective::And),
            _ => parser.binding(),
        };
        let mut parts = vec![part(self)?];
        while self.take(Token::Binary(op)) {
            parts.push(part(self)?);
        }
        match joined(parts, MOST_IN_A_ROW, |f, g| Deep::binary(op, f, g)) {
            Some(deep) => self.checked(deep),
            None => self.fail("a formula is missing here"),
        }
    }

    fn binding(&mut self) -> Parse<Deep> {
        let left = self.unary()?;
        let Token::Binary(op) = self.token() else { return Ok(left) };
        if !self.token().temporal() {
            return Ok(left);
        }
        self.advance();
        let right = self.nested(Parser::binding)?;
        self.checked(Deep::binary(op, left, right))
    }

    fn unary(&mut self) -> Parse<Deep> {
        let make: fn(Box<Tree>) -> Tree = match self.token() {
            Token::Not => Formula::Not,
            Token::Globally => Formula::Globally,
            Token::Finally => Formula::Finally,
            Token::Next => Formula::Next,
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.nested(Parser::unary)?;
        let formula = make(Box::new(operand.formula));
        self.checked(Deep { formula, depth: operand.depth + 1 })
    }

    fn primary(&mut self) -> Parse<Deep> {
        let behind = self.words.get(self.at + 1).map(|word| word.token);
        let alone = !matches!(behind, Some(Token::Operator | Token::Piece));
        match self.token() {
            Token::Open if !self.part_of_atom() => {
                self.advance();
                let inner = self.nested(Parser::equivalence)?;
                if !self.take(Token::Close) {
                    return self.fail("an operator is missing before this");
                }
                Ok(inner)
            }
            Token::True | Token::False if alone => {
                let value = self.token() == Token::True;
                self.advance();
                Ok(Deep::leaf(Formula::Constant(value)))
            }
            Token::Open
            | Token::True
            | Token::False
            | Token::Piece
            | Token::Operator
            | Token::Quantifier => self.atom(),
            Token::End => self.fail("the formula ends where an operand is expected"),
            _ => self.fail("an operand is missing before this"),
        }
    }

    /// Whether the parenthesis reached begins an expression: one that goes on
    /// behind it.
    fn part_of_atom(&self) -> bool {
        let close = self.partners[self.at];
        let goes_on = matches!(self.words[close + 1].token, Token::Operator | Token::Piece);
        goes_on && !self.words[self.at..close].iter().any(|word| word.token.temporal())
    }

    /// The longest stretch that is an expression.
    fn atom(&mut self) -> Parse<Deep> {
        let start = self.words[self.at].range.start;
        let mut end = start;
        // What follows a quantifier belongs to it as far as it goes.
        let mut quantified = false;
        // An operator of expressions wants something behind it.
        let mut wants = true;
        loop {
            let word = &self.words[self.at];
            match word.token {
                Token::Open => {
                    let close = self.partners[self.at];
                    let inner = &self.words[self.at..close];
                    if let Some(bad) = inner.iter().find(|word| word.token.temporal()) {
                        let sign = &self.text[bad.range.clone()];
                        let message =
                            format!("the temporal operator `{sign}` stands inside an expression");
                        return Err(Problem { message, range: bad.range.clone() });
                    }
                    self.at = close;
                    wants = false;
                }
                Token::Piece | Token::True | Token::False => wants = false,
                Token::Operator => wants = true,
                Token::Quantifier => (quantified, wants) = (true, true),
                Token::Not if wants || quantified => {}
                Token::Binary(_) if quantified && !word.token.temporal() => wants = true,
                _ => break,
            }
            end = self.words[self.at].range.end;
            self.advance();
        }
        match self.token() {
            Token::Not | Token::Next | Token::Globally | Token::Finally => {
                return self.fail("an operator is missing before this");
            }
            _ if wants => return self.fail("an operand is missing before this"),
            _ => {}
        }
        Ok(Deep::leaf(match self.text[start..end].trim() {
            "1" => Formula::Constant(true),
            "0" => Formula::Constant(false),
            _ => Formula::Atom(start..end),
        }))
    }
}

#[cfg(test)]
mod tests;
