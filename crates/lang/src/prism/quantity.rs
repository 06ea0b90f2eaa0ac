//! Probabilities and rates: what they are, and in which states they are zero.
//!
//! What happens with probability zero does not happen. So that is worked out exactly: a
//! product is zero where a factor is, a sum of what is not negative where all of it is; for
//! anything else the number itself is computed, as a fraction of two whole numbers.

use homing_ir::network::{Binary, Expr as Built, ExprKind as Kind};
use homing_ir::{Diagnostic, Span};

use super::number::{Number, Real};
use super::scope::Scope;
use super::syntax::{Expr, ExprKind, Op};
use super::value::{Value, Whole};
use crate::reading::Parse;

/// Where a quantity is not zero.
#[derive(Clone, Debug)]
pub enum Possible {
    Never,
    Always,
    When(Whole),
}

/// A probability, a rate or a reward.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// As the network has it.
    pub expr: Built,
    pub possible: Possible,
    /// The number, where it is known.
    pub known: Option<Real>,
    /// Whether it is known to be negative nowhere.
    positive: bool,
}

impl Possible {
    fn of(whole: Whole) -> Possible {
        match (whole.low > 0 || whole.high < 0, whole.single()) {
            (true, _) => Possible::Always,
            (_, Some(0)) => Possible::Never,
            _ => Possible::When(whole.nonzero()),
        }
    }
}

impl Quantity {
    pub fn known(number: Real, span: Span) -> Quantity {
        let (above, below) = number.fraction();
        let kind = if below == 1 { Kind::Int(above) } else { Kind::Ratio(above, below) };
        let sign = number.sign();
        let zero = sign.is_some_and(std::cmp::Ordering::is_eq);
        Quantity {
            expr: Built::new(kind, span),
            possible: if zero { Possible::Never } else { Possible::Always },
            known: Some(number),
            positive: sign.is_some_and(std::cmp::Ordering::is_ge),
        }
    }

    fn combined(self, op: Binary, other: Quantity, possible: Possible, span: Span) -> Quantity {
        let kind = Kind::Binary(op, Box::new(self.expr), Box::new(other.expr));
        let positive = self.positive && other.positive;
        Quantity { expr: Built::new(kind, span), possible, known: None, positive }
    }
}

impl<'m, 't> Scope<'m, 't> {
    /// What a probability, a rate or a reward is.
    pub fn quantity(&mut self, expr: &'m Expr<'t>) -> Parse<Quantity> {
        self.deeper(expr.span, |this| {
            let exact = this.quietly(|this| {
                let value = this.numeric(expr)?;
                this.exact(value, expr.span)
            });
            match exact {
                Ok(quantity) => Ok(quantity),
                Err(_) => this.taken_apart(expr),
            }
        })
    }

    fn exact(&mut self, value: Value, span: Span) -> Parse<Quantity> {
        if let Value::Known(number) = value {
            let real = number.real().filter(|real| real.sign().is_some());
            return match real {
                Some(real) => Ok(Quantity::known(real, span)),
                None => self.fail(Diagnostic::error("this is no number", span)),
            };
        }
        let [above, below] = self.fraction(value, span)?;
        let positive = above.low >= 0;
        let possible = Possible::of(above.clone());
        let expr = match below.single() {
            Some(1) => above.expr,
            _ => {
                let kind = Kind::Binary(Binary::Div, Box::new(above.expr), Box::new(below.expr));
                Built::new(kind, span)
            }
        };
        Ok(Quantity { expr, possible, known: None, positive })
    }

    /// What cannot be computed as a whole is looked at part by part.
    fn taken_apart(&mut self, expr: &'m Expr<'t>) -> Parse<Quantity> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Name(name) => match self.definition(name) {
                Some(definition) => self.quantity(definition),
                None => self.last_word(expr),
            },
            ExprKind::Binary(Op::Mul, left, right) => {
                let (left, right) = (self.quantity(left)?, self.quantity(right)?);
                let possible = self.both(&left.possible, &right.possible, span)?;
                Ok(left.combined(Binary::Mul, right, possible, span))
            }
            ExprKind::Binary(Op::Div, left, right) => {
                let (left, right) = (self.quantity(left)?, self.quantity(right)?);
                if matches!(right.possible, Possible::Never) {
                    return self.fail(Diagnostic::error("division by zero", span));
                }
                let possible = left.possible.clone();
                Ok(left.combined(Binary::Div, right, possible, span))
            }
            ExprKind::Binary(Op::Add, left, right) => {
                let (left, right) = (self.quantity(left)?, self.quantity(right)?);
                if !(left.positive && right.positive) {
                    return self.last_word(expr);
                }
                let possible = self.either(&left.possible, &right.possible, span)?;
                Ok(left.combined(Binary::Add, right, possible, span))
            }
            ExprKind::Choose(condition, yes, no) => {
                let condition = match self.condition(condition)? {
                    Value::Whole(whole) | Value::Fraction(whole, _) => whole,
                    Value::Known(Number::Bool(true)) => return self.quantity(yes),
                    Value::Known(_) => return self.quantity(no),
                };
                let (yes, no) = (self.quantity(yes)?, self.quantity(no)?);
                self.quantity_chosen(condition, yes, no, span)
            }
            _ => self.last_word(expr),
        }
    }

    fn quantity_chosen(
        &mut self,
        condition: Whole,
        yes: Quantity,
        no: Quantity,
        span: Span,
    ) -> Parse<Quantity> {
        let as_whole = |possible: Possible| match possible {
            Possible::Never => Whole::number(0, span).truthful(),
            Possible::Always => Whole::number(1, span).truthful(),
            Possible::When(whole) => whole,
        };
        let (then, other) = (as_whole(yes.possible), as_whole(no.possible));
        let possible = match (then.single(), other.single()) {
            (Some(0), Some(0)) => Possible::Never,
            (Some(1), Some(1)) => Possible::Always,
            _ => Possible::When(self.chosen(condition.clone(), then, other, span)?),
        };
        let [condition, then, other] = [condition.expr, yes.expr, no.expr].map(Box::new);
        let expr = Built::new(Kind::Choose(condition, then, other), span);
        Ok(Quantity { expr, possible, known: None, positive: yes.positive && no.positive })
    }

    /// Says aloud what cannot be computed.
    fn last_word(&mut self, expr: &'m Expr<'t>) -> Parse<Quantity> {
        let value = self.numeric(expr)?;
        self.exact(value, expr.span)
    }

    fn both(&mut self, a: &Possible, b: &Possible, span: Span) -> Parse<Possible> {
        Ok(match (a, b) {
            (Possible::Never, _) | (_, Possible::Never) => Possible::Never,
            (Possible::Always, other) | (other, Possible::Always) => other.clone(),
            (Possible::When(a), Possible::When(b)) => {
                Possible::When(self.fits(Whole::both(a.clone(), b.clone(), span))?)
            }
        })
    }

    fn either(&mut self, a: &Possible, b: &Possible, span: Span) -> Parse<Possible> {
        Ok(match (a, b) {
            (Possible::Always, _) | (_, Possible::Always) => Possible::Always,
            (Possible::Never, other) | (other, Possible::Never) => other.clone(),
            (Possible::When(a), Possible::When(b)) => {
                let any = Whole::test(Binary::Or, a.clone(), b.clone(), span);
                Possible::When(self.fits(any)?)
            }
        })
    }
}
