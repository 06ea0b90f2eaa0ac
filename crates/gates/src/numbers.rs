//! Scalars as circuits: numbers of 64 bits that fail where they overflow, and symbols.
//!
//! A scalar is a word in two's complement, as wide as its values need, and whether it stands
//! for a symbol: then the word is the symbol's number.

use homing_ir::relation::{Binary, Constant, Unary};

use crate::graph::{Graph, Literal};
use crate::words::{constant, resized, sign};

/// The bits of a number.
const WIDTH: usize = 64;

/// A scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    /// Whether it is a symbol.
    pub symbol: Literal,
    /// In two's complement; one bit at least.
    pub word: Vec<Literal>,
}

impl Number {
    /// A number in two's complement.
    pub(crate) fn of(word: Vec<Literal>) -> Number {
        Number { symbol: Literal::FALSE, word }.trimmed()
    }

    /// A constant.
    pub(crate) fn constant(value: Constant) -> Number {
        let (symbol, number) = match value {
            Constant::Int(number) => (false, number),
            Constant::Symbol(id) => (true, i64::from(id.0)),
        };
        let word = constant(number.into(), WIDTH);
        Number { symbol: Literal::constant(symbol), word }.trimmed()
    }

    /// Without copies of the sign.
    fn trimmed(mut self) -> Number {
        while let [.., below, sign] = self.word[..]
            && below == sign
        {
            self.word.pop();
        }
        self
    }

    pub(crate) fn extended(&self, width: usize) -> Vec<Literal> {
        resized(&self.word, width, sign(&self.word))
    }
}

/// Operations on scalars. What may fail answers whether it does, beside.
impl Graph {
    pub(crate) fn choose_number(&mut self, condition: Literal, a: &Number, b: &Number) -> Number {
        let width = a.word.len().max(b.word.len());
        let word = self.choose_word(condition, &a.extended(width), &b.extended(width));
        Number { symbol: self.choose(condition, a.symbol, b.symbol), word }.trimmed()
    }

    pub(crate) fn equal_numbers(&mut self, a: &Number, b: &Number) -> Literal {
        let width = a.word.len().max(b.word.len());
        let same = self.equal(&a.extended(width), &b.extended(width));
        let alike = self.same(a.symbol, b.symbol);
        self.and(same, alike)
    }

    /// Whether the first number is less; where both are some.
    pub(crate) fn less_numbers(&mut self, a: &Number, b: &Number) -> Literal {
        let width = a.word.len().max(b.word.len());
        self.signed_less(&a.extended(width), &b.extended(width))
    }

    /// A number that is cut to 64 bits, and whether it does not fit.
    fn fitted(&mut self, word: &[Literal]) -> (Number, Literal) {
        if word.len() <= WIDTH {
            return (Number::of(word.to_vec()), Literal::FALSE);
        }
        let top = word[WIDTH - 1];
        let beyond: Vec<Literal> = word[WIDTH..].iter().map(|bit| self.xor(*bit, top)).collect();
        (Number::of(word[..WIDTH].to_vec()), self.any(beyond))
    }

    /// A word as a number, and whether it does not fit.
    pub(crate) fn number(&mut self, op: Unary, word: &[Literal]) -> (Number, Literal) {
        match op {
            Unary::Signed => self.fitted(word),
            _ => self.fitted(&[word, &[Literal::FALSE]].concat()),
        }
    }

    pub(crate) fn negate_number(&mut self, a: &Number) -> (Number, Literal) {
        let wide = self.negate(&a.extended(a.word.len() + 1));
        let (number, overflow) = self.fitted(&wide);
        (number, self.or(overflow, a.symbol))
    }

    /// An arithmetic operator, and whether it fails.
    pub(crate) fn arithmetic(&mut self, op: Binary, a: &Number, b: &Number) -> (Number, Literal) {
        let wide = 1 + match op {
            Binary::Multiply => a.word.len() + b.word.len(),
            _ => a.word.len().max(b.word.len()),
        };
        let (x, y) = (a.extended(wide), b.extended(wide));
        let result = match op {
            Binary::Add => self.add(&x, &y),
            Binary::Subtract => self.subtract(&x, &y),
            Binary::Multiply => self.multiply(&x, &y),
            Binary::Divide => self.signed_divide(&x, &y),
            _ => self.signed_remainder(&x, &y),
        };
        let (number, overflow) = self.fitted(&result);
        let mut fails = [overflow, a.symbol, b.symbol, Literal::FALSE];
        if let Binary::Divide | Binary::Remainder = op {
            fails[3] = self.is_zero(&b.word);
        }
        if op == Binary::Remainder && a.word.len() == WIDTH {
            // The quotient does not fit where the least number is divided by -1.
            let mut least = vec![Literal::FALSE; WIDTH];
            least[WIDTH - 1] = Literal::TRUE;
            let (is_least, is_minus) =
                (self.equal(&a.word, &least), self.all(b.word.iter().copied()));
            let both = self.and(is_least, is_minus);
            fails[3] = self.or(fails[3], both);
        }
        let fails = self.any(fails);
        (number, fails)
    }
}
