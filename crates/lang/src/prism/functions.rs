//! What functions are worth.

use std::cmp::Ordering;

use homing_ir::network::Binary;
use homing_ir::{Diagnostic, Span};

use super::number::{Number, Real};
use super::operators::is_whole;
use super::scope::Scope;
use super::syntax::{Comparison, Expr, Function, Op};
use super::value::{Value, Whole};
use crate::reading::Parse;

/// Of an exponent that depends on the state, so many values are told apart.
const MOST_CASES: i64 = 64;

impl<'m, 't> Scope<'m, 't> {
    pub fn call(
        &mut self,
        function: Function,
        arguments: &'m [Expr<'t>],
        span: Span,
    ) -> Parse<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.numeric(argument)?);
        }
        let mut values = values.into_iter();
        let (Some(first), second) = (values.next(), values.next()) else {
            return self.fail(Diagnostic::error("a number is needed here", span));
        };
        match (function, second) {
            (Function::Min | Function::Max, Some(second)) => {
                let all: Vec<Value> = [first, second].into_iter().chain(values).collect();
                self.extreme(function, all, span)
            }
            (Function::Min | Function::Max, None) => Ok(first),
            (Function::Pow, Some(exponent)) => self.power(first, exponent, span),
            (Function::Mod, Some(by)) => self.modulo(first, by, span),
            (Function::Log, Some(base)) => self.logarithm(first, base, span),
            _ => self.rounded(function, first, span),
        }
    }

    /// The least or the greatest: an operand that none of those behind it beats, else what
    /// is left of the others.
    fn extreme(&mut self, function: Function, mut all: Vec<Value>, span: Span) -> Parse<Value> {
        let sign = if function == Function::Min {
            Comparison::LessEqual
        } else {
            Comparison::GreaterEqual
        };
        let Some(mut best) = all.pop() else {
            return self.fail(Diagnostic::error("a number is needed here", span));
        };
        let mut behind = vec![best.clone()];
        while let Some(next) = all.pop() {
            let mut ahead = Value::Known(Number::Bool(true));
            for other in &behind {
                let one = self.comparison(sign, next.clone(), other.clone(), span)?;
                ahead = self.logic(Op::And, ahead, one, span)?;
            }
            best = match ahead {
                Value::Known(Number::Bool(true)) => next.clone(),
                Value::Whole(ahead) => self.between(ahead, next.clone(), best, span)?,
                _ => best,
            };
            behind.push(next);
        }
        Ok(best)
    }

    fn rounded(&mut self, function: Function, value: Value, span: Span) -> Parse<Value> {
        let known = match &value {
            Value::Known(number) => number.real(),
            Value::Whole(_) => return Ok(value),
            Value::Fraction(..) => None,
        };
        if let Some(known) = known {
            let rounded = match function {
                Function::Floor => known.floor(),
                Function::Ceil => known.ceil(),
                _ => known.round(),
            };
            return self.int(rounded, span);
        }
        let zero = || Value::Known(Number::Int(0));
        let (value, up) = match function {
            Function::Floor => (value, false),
            Function::Ceil => (self.arithmetic(Op::Sub, zero(), value, span)?, true),
            _ => {
                let half = Value::Known(Number::Real(Real::Exact(1, 2)));
                (self.arithmetic(Op::Add, value, half, span)?, false)
            }
        };
        let [above, below] = self.fraction(value, span)?;
        let floor = self.floored(above, below, span)?;
        match up {
            true => self.arithmetic(Op::Sub, zero(), Value::Whole(floor), span),
            false => Ok(Value::Whole(floor)),
        }
    }

    /// The remainder that is not negative.
    fn modulo(&mut self, value: Value, by: Value, span: Span) -> Parse<Value> {
        if !is_whole(&value) || !is_whole(&by) {
            return self.fail(Diagnostic::error("`mod` takes whole numbers", span));
        }
        if let (Value::Known(Number::Int(value)), Value::Known(Number::Int(by))) = (&value, &by)
            && *by > 0
        {
            return self.int(Some(value.rem_euclid(*by)), span);
        }
        let ([above, _], [below, _]) = (self.fraction(value, span)?, self.fraction(by, span)?);
        if below.high <= 0 || below.low < 0 {
            let error = Diagnostic::error("`mod` by what may be negative or is zero", span);
            return self.fail(error.help("the second number must be positive"));
        }
        let below = self.below(below, span)?;
        if above.low >= 0 {
            let most = i128::from(below.high - 1);
            let rest = Whole::test(Binary::Rem, above, below, span);
            return self.whole(rest, 0, most).map(Value::Whole);
        }
        let floor = self.floored(above.clone(), below.clone(), span)?;
        let (even, high) =
            (self.computed(Binary::Mul, floor, below.clone(), span)?, below.high - 1);
        let rest = self.computed(Binary::Sub, above, even, span)?;
        Ok(Value::Whole(rest.within(0, high)))
    }

    fn logarithm(&mut self, value: Value, base: Value, span: Span) -> Parse<Value> {
        let (Value::Known(value), Value::Known(base)) = (value, base) else {
            return self.fail(Diagnostic::error(
                "a logarithm of what is not constant is not supported",
                span,
            ));
        };
        let near = |number: Number| number.real().map_or(f64::NAN, Real::near);
        let result = near(value).ln() / near(base).ln();
        if !result.is_finite() {
            return self.fail(Diagnostic::error("this logarithm does not exist", span));
        }
        // Powers have logarithms that are whole, which is not to be lost by rounding.
        let whole = Real::whole(result.round() as i64);
        let exact = match (base.real(), value.real()) {
            (Some(base), Some(value)) if result.abs() < 200.0 => base.power(whole) == value,
            _ => false,
        };
        Ok(Value::Known(Number::Real(if exact { whole } else { Real::Near(result) })))
    }

    pub fn power(&mut self, base: Value, exponent: Value, span: Span) -> Parse<Value> {
        match (base, exponent) {
            (Value::Known(base), Value::Known(exponent)) => self.known_power(base, exponent, span),
            (base, Value::Known(Number::Int(times @ 0..=16))) => {
                let mut result = Value::Known(Number::Int(1));
                for _ in 0..times {
                    result = self.arithmetic(Op::Mul, result, base.clone(), span)?;
                }
                Ok(result)
            }
            (Value::Known(base), Value::Whole(times)) if times.high - times.low < MOST_CASES => {
                let last = Number::Int(times.high);
                let mut result = self.known_power(base, last, span)?;
                for case in (times.low..times.high).rev() {
                    let here = self.known_power(base, Number::Int(case), span)?;
                    let number = Whole::number(case, span);
                    let reached = Whole::equal(times.clone(), number, span);
                    result = self.between(reached, here, result, span)?;
                }
                Ok(result)
            }
            _ => {
                let error = Diagnostic::error("this power is not supported", span);
                self.fail(error.help(
                    "the exponent is a constant from 0 to 16; or the base is \
                    constant, and the exponent is a whole number with few values",
                ))
            }
        }
    }

    fn known_power(&mut self, base: Number, exponent: Number, span: Span) -> Parse<Value> {
        let whole = matches!((base, exponent), (Number::Int(_), Number::Int(times)) if times >= 0);
        let zero = Real::whole(0);
        let (base, exponent) = (base.real().unwrap_or(zero), exponent.real().unwrap_or(zero));
        if base.sign() == Some(Ordering::Equal) && exponent.sign() == Some(Ordering::Less) {
            return self.fail(Diagnostic::error("division by zero", span));
        }
        let result = base.power(exponent);
        match result {
            Real::Exact(value, 1) if whole => self.int(i64::try_from(value).ok(), span),
            Real::Near(_) if whole => self.int(None, span),
            Real::Near(value) if !value.is_finite() => {
                self.fail(Diagnostic::error("this power does not exist", span))
            }
            _ => Ok(Value::Known(Number::Real(result))),
        }
    }
}
