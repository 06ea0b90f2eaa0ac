//! Expressions of networks, with what is known of their values.
//!
//! Networks compute in whole numbers of 32 bits. So of every expression the least and the
//! greatest value it may have is kept, and one that may need more is refused rather than
//! reduced; and what is a fraction in PRISM is two whole numbers, one above the other.

use homing_ir::network::{Binary, Expr, ExprKind, Place, Unary, VariableId};
use homing_ir::{Diagnostic, Span};

use super::number::{Number, Real};
use super::scope::{Known, Scope};
use super::syntax::Comparison;
use crate::reading::Parse;

/// How deep an expression of a network may become.
const MOST_DEPTH: u32 = 600;

/// How many parts it may have.
const MOST_PARTS: u32 = 200_000;

/// What an expression is worth.
#[derive(Clone, Debug)]
pub enum Value {
    /// Known before the model runs.
    Known(Number),
    /// A whole number or a truth value that depends on the state.
    Whole(Whole),
    /// A number that need not be whole: what is above, and what is below, which is positive.
    Fraction(Whole, Whole),
}

/// A whole number or a truth value of a state.
#[derive(Clone, Debug)]
pub struct Whole {
    pub expr: Expr,
    pub bool: bool,
    pub low: i64,
    pub high: i64,
    depth: u32,
    parts: u32,
}

impl Whole {
    pub fn number(value: i64, span: Span) -> Whole {
        let expr = Expr::int(value, span);
        Whole { expr, bool: false, low: value, high: value, depth: 1, parts: 1 }
    }

    pub fn truth(kind: ExprKind, span: Span) -> Whole {
        Whole { expr: Expr::new(kind, span), bool: true, low: 0, high: 1, depth: 1, parts: 1 }
    }

    /// The value of a variable.
    pub fn read(variable: VariableId, known: Known, span: Span) -> Whole {
        let expr = Expr::new(ExprKind::Read(Place { variable, path: Vec::new(), span }), span);
        let Known { bool, low, high } = known;
        Whole { expr, bool, low, high, depth: 1, parts: 1 }
    }

    /// The same as a truth value.
    pub fn truthful(self) -> Whole {
        Whole { bool: true, ..self }
    }

    /// The same, known to lie between these bounds.
    pub fn within(self, low: i64, high: i64) -> Whole {
        Whole { low, high, ..self }
    }

    /// The value, if it can only be one.
    pub fn single(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    fn made(kind: ExprKind, span: Span, of: [(u32, u32); 3]) -> Whole {
        let depth = of.iter().map(|(depth, _)| *depth).max().unwrap_or(0) + 1;
        let parts = of.iter().fold(1u32, |sum, (_, parts)| sum.saturating_add(*parts));
        Whole { depth, parts, ..Whole::truth(kind, span) }
    }

    fn size(&self) -> (u32, u32) {
        (self.depth, self.parts)
    }

    /// An operator that has a truth value.
    pub fn test(op: Binary, left: Whole, right: Whole, span: Span) -> Whole {
        let of = [left.size(), right.size(), (0, 0)];
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Whole::made(kind, span, of)
    }

    pub fn equal(left: Whole, right: Whole, span: Span) -> Whole {
        Whole::test(Binary::Eq, left, right, span)
    }

    pub fn both(left: Whole, right: Whole, span: Span) -> Whole {
        Whole::test(Binary::And, left, right, span)
    }

    pub fn negation(self) -> Whole {
        let (span, of) = (self.expr.span, [self.size(), (0, 0), (0, 0)]);
        Whole::made(ExprKind::Unary(Unary::Not, Box::new(self.expr)), span, of)
    }

    /// Whether it is not zero.
    pub fn nonzero(self) -> Whole {
        let span = self.expr.span;
        Whole::test(Binary::Ne, self, Whole::number(0, span), span)
    }
}

/// The values that an operator has of operands between these bounds.
fn bounds(op: Binary, a: &Whole, b: &Whole) -> (i128, i128) {
    let [al, ah, bl, bh] = [a.low, a.high, b.low, b.high].map(i128::from);
    match op {
        Binary::Add => (al + bl, ah + bh),
        Binary::Sub => (al - bh, ah - bl),
        _ => {
            let all = [al * bl, al * bh, ah * bl, ah * bh];
            let least = all.iter().copied().min().unwrap_or(0);
            (least, all.into_iter().max().unwrap_or(0))
        }
    }
}

impl<'m, 't> Scope<'m, 't> {
    /// A whole number between these bounds, if networks can compute it.
    pub fn whole(&mut self, made: Whole, low: i128, high: i128) -> Parse<Whole> {
        let span = made.expr.span;
        let (Ok(least), Ok(most)) = (i32::try_from(low), i32::try_from(high)) else {
            let error = Diagnostic::error("this may need more than 32 bits", span)
                .label(format!("between {low} and {high}, as far as bounds of variables tell"));
            let help = "expressions over the state are computed in whole numbers of 32 bits; \
                        give variables narrower bounds, or fractions fewer digits";
            return self.fail(error.help(help));
        };
        let whole = Whole { bool: false, low: i64::from(least), high: i64::from(most), ..made };
        self.fits(whole)
    }

    /// Refuses what became too large.
    pub fn fits(&mut self, whole: Whole) -> Parse<Whole> {
        if whole.depth <= MOST_DEPTH && whole.parts <= MOST_PARTS {
            return Ok(whole);
        }
        let error = Diagnostic::error("the expression becomes too large", whole.expr.span);
        self.fail(error.help("formulas are put in the place of their names, again and again"))
    }

    /// `left op right`, for sums, differences and products.
    pub fn computed(&mut self, op: Binary, left: Whole, right: Whole, span: Span) -> Parse<Whole> {
        let neutral = |of: &Whole| match op {
            Binary::Mul => of.single() == Some(1),
            _ => of.single() == Some(0),
        };
        if neutral(&right) {
            return Ok(left);
        }
        if op != Binary::Sub && neutral(&left) {
            return Ok(right);
        }
        let (low, high) = bounds(op, &left, &right);
        if let (Some(_), Some(_), true) = (left.single(), right.single(), low == high)
            && let Ok(value) = i64::try_from(low)
        {
            return self.whole(Whole::number(value, span), low, high);
        }
        let made = Whole::test(op, left, right, span);
        self.whole(made, low, high)
    }

    /// `condition ? yes : no`, of two of a kind.
    pub fn chosen(&mut self, condition: Whole, yes: Whole, no: Whole, span: Span) -> Parse<Whole> {
        let (low, high, bool) = (yes.low.min(no.low), yes.high.max(no.high), yes.bool);
        let of = [condition.size(), yes.size(), no.size()];
        let all = [condition.expr, yes.expr, no.expr].map(Box::new);
        let [condition, yes, no] = all;
        let made = Whole::made(ExprKind::Choose(condition, yes, no), span, of);
        self.fits(Whole { low, high, bool, ..made })
    }

    /// The greatest whole number not above `above / below`.
    pub fn floored(&mut self, above: Whole, below: Whole, span: Span) -> Parse<Whole> {
        // Networks round towards zero: so the remainder goes first, as one that is positive.
        let rest = |this: &mut Self| {
            let limit = i128::from(below.high) - 1;
            let rem = Whole::test(Binary::Rem, above.clone(), below.clone(), span);
            let rem = this.whole(rem, -limit, limit)?;
            let up = this.computed(Binary::Add, rem, below.clone(), span)?;
            let rem = Whole::test(Binary::Rem, up, below.clone(), span);
            this.whole(rem, 0, limit)
        };
        let (low, high) = (i128::from(above.low), i128::from(above.high));
        let least = i128::from(below.low.max(1));
        if low >= 0 {
            let made = Whole::test(Binary::Div, above, below, span);
            return self.whole(made, 0, high / least);
        }
        let rest = rest(self)?;
        let even = self.computed(Binary::Sub, above, rest, span)?;
        let made = Whole::test(Binary::Div, even, below, span);
        self.whole(made, low.div_euclid(least), high.max(0) / least)
    }

    /// A denominator: a failure where it is zero.
    pub fn below(&mut self, whole: Whole, span: Span) -> Parse<Whole> {
        if whole.low >= 1 {
            return Ok(whole);
        }
        let condition = whole.clone().nonzero();
        let (one, zero) = (Whole::number(1, span), Whole::number(0, span));
        let failure = Whole::test(Binary::Div, one, zero, span);
        let failure = Whole { bool: false, low: 1, high: 1, ..failure };
        let high = whole.high.max(1);
        let whole = self.chosen(condition, Whole { low: 1, high, ..whole }, failure, span)?;
        Ok(whole)
    }

    /// A value as a fraction.
    pub fn fraction(&mut self, value: Value, span: Span) -> Parse<[Whole; 2]> {
        let one = Whole::number(1, span);
        match value {
            Value::Whole(whole) => Ok([whole, one]),
            Value::Fraction(above, below) => Ok([above, below]),
            Value::Known(Number::Int(value)) => Ok([Whole::number(value, span), one]),
            Value::Known(Number::Bool(value)) => Ok([Whole::number(value.into(), span), one]),
            Value::Known(Number::Real(Real::Exact(above, below))) => {
                let [above, below] = [above, below].map(|part| {
                    let value = i64::try_from(part).unwrap_or(i64::MAX);
                    self.whole(Whole::number(value, span), part, part)
                });
                Ok([above?, below?])
            }
            Value::Known(Number::Real(Real::Near(value))) => {
                let error = Diagnostic::error("this is no exact number", span)
                    .label(format!("about {value}"))
                    .help("what depends on the state is computed exactly, in whole numbers");
                self.fail(error)
            }
        }
    }

    /// A value that must be a truth value.
    pub fn truth_of(&mut self, value: Value, span: Span) -> Parse<Value> {
        match &value {
            Value::Known(Number::Bool(_)) => Ok(value),
            Value::Whole(whole) if whole.bool => Ok(value),
            _ => {
                let error = Diagnostic::error("a truth value is needed here", span);
                self.fail(error.label("a number"))
            }
        }
    }

    /// A value that must be a number.
    pub fn number_of(&mut self, value: Value, span: Span) -> Parse<Value> {
        let truth = match &value {
            Value::Known(Number::Bool(_)) => true,
            Value::Whole(whole) => whole.bool,
            _ => false,
        };
        match truth {
            true => {
                let error = Diagnostic::error("a number is needed here", span);
                self.fail(error.label("a truth value"))
            }
            false => Ok(value),
        }
    }

    /// Compares a whole number with one that is known and need not be whole.
    pub fn bounded(&mut self, of: Whole, sign: Comparison, by: Real, span: Span) -> Value {
        use Comparison::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let truth = |value| Value::Known(Number::Bool(value));
        let least = Real::whole(of.low);
        let most = Real::whole(of.high);
        let (Some(low), Some(high)) = (least.compared(by), most.compared(by)) else {
            return truth(sign == NotEqual);
        };
        if high.is_lt() || low.is_gt() {
            return truth(sign.holds(low));
        }
        // Now it lies between two numbers of 32 bits.
        let (floor, ceil) = (by.floor().unwrap_or(of.low), by.ceil().unwrap_or(of.high));
        let bound = match sign {
            Less | GreaterEqual => ceil,
            _ => floor,
        };
        if matches!(sign, Equal | NotEqual) && floor != ceil {
            return truth(sign == NotEqual);
        }
        let op = match sign {
            Equal => Binary::Eq,
            NotEqual => Binary::Ne,
            Less => Binary::Lt,
            LessEqual => Binary::Le,
            Greater => Binary::Gt,
            GreaterEqual => Binary::Ge,
        };
        Value::Whole(Whole::test(op, of, Whole::number(bound, span), span))
    }
}
