//! What operators are worth.

use homing_ir::network::Binary;
use homing_ir::{Diagnostic, Span};

use super::number::{Number, Real};
use super::scope::Scope;
use super::syntax::{Comparison, Expr, ExprKind, Name, Op};
use super::value::{Value, Whole};
use crate::reading::Parse;

fn truth(value: bool) -> Parse<Value> {
    Ok(Value::Known(Number::Bool(value)))
}

impl Comparison {
    /// The same of operands that changed places.
    fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
            same => same,
        }
    }

    fn operator(self) -> Binary {
        match self {
            Comparison::Equal => Binary::Eq,
            Comparison::NotEqual => Binary::Ne,
            Comparison::Less => Binary::Lt,
            Comparison::LessEqual => Binary::Le,
            Comparison::Greater => Binary::Gt,
            Comparison::GreaterEqual => Binary::Ge,
        }
    }
}

impl<'m, 't> Scope<'m, 't> {
    /// The value of an expression.
    pub fn value(&mut self, expr: &'m Expr<'t>) -> Parse<Value> {
        self.deeper(expr.span, |this| this.worth(expr))
    }

    /// The value of an expression that must be a truth value.
    pub fn condition(&mut self, expr: &'m Expr<'t>) -> Parse<Value> {
        let value = self.value(expr)?;
        self.truth_of(value, expr.span)
    }

    /// The value of an expression that must be a number.
    pub fn numeric(&mut self, expr: &'m Expr<'t>) -> Parse<Value> {
        let value = self.value(expr)?;
        self.number_of(value, expr.span)
    }

    fn worth(&mut self, expr: &'m Expr<'t>) -> Parse<Value> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(value) => Ok(Value::Known(Number::Int(*value))),
            ExprKind::Real(text) => Ok(Value::Known(Number::Real(Real::parse(text)))),
            ExprKind::Bool(value) => truth(*value),
            ExprKind::Name(text) => self.named(Name { text, span }),
            ExprKind::Label(name) => self.label(name, span),
            ExprKind::Not(operand) => match self.condition(operand)? {
                Value::Known(Number::Bool(value)) => truth(!value),
                Value::Whole(whole) => self.fits(whole.negation()).map(Value::Whole),
                other => Ok(other),
            },
            ExprKind::Neg(operand) => {
                let operand = self.numeric(operand)?;
                self.arithmetic(Op::Sub, Value::Known(Number::Int(0)), operand, span)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ExprKind::Choose(condition, yes, no) => self.choice(condition, yes, no, span),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, span),
        }
    }

    fn binary(
        &mut self,
        op: Op,
        left: &'m Expr<'t>,
        right: &'m Expr<'t>,
        span: Span,
    ) -> Parse<Value> {
        match op {
            Op::Implies | Op::Iff | Op::Or | Op::And => {
                let (left, right) = (self.condition(left)?, self.condition(right)?);
                self.logic(op, left, right, span)
            }
            Op::Compare(sign) => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                self.comparison(sign, a, b, span)
            }
            Op::Power => {
                let (base, exponent) = (self.numeric(left)?, self.numeric(right)?);
                self.power(base, exponent, span)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div => {
                let (left, right) = (self.numeric(left)?, self.numeric(right)?);
                self.arithmetic(op, left, right, span)
            }
        }
    }

    pub fn logic(&mut self, op: Op, left: Value, right: Value, span: Span) -> Parse<Value> {
        let negated = |value: Value| match value {
            Value::Known(Number::Bool(value)) => Value::Known(Number::Bool(!value)),
            Value::Whole(whole) => Value::Whole(whole.negation()),
            other => other,
        };
        let (known, other) = match (left, right) {
            (Value::Whole(left), Value::Whole(right)) => {
                let op = match op {
                    Op::Implies => Binary::Imply,
                    Op::Iff => Binary::Eq,
                    Op::Or => Binary::Or,
                    _ => Binary::And,
                };
                return self.fits(Whole::test(op, left, right, span)).map(Value::Whole);
            }
            // What implies something: the two change places, negated.
            (Value::Known(Number::Bool(left)), right) => (left, right),
            (left, Value::Known(Number::Bool(right))) if op == Op::Implies => {
                (!right, negated(left))
            }
            (left, Value::Known(Number::Bool(right))) => (right, left),
            (left, _) => return Ok(left),
        };
        match (op, known) {
            (Op::And, false) => truth(false),
            (Op::Or, true) | (Op::Implies, false) => truth(true),
            (Op::Iff, false) => Ok(negated(other)),
            _ => Ok(other),
        }
    }

    pub fn comparison(&mut self, sign: Comparison, a: Value, b: Value, span: Span) -> Parse<Value> {
        let is_truth = |value: &Value| match value {
            Value::Known(number) => matches!(number, Number::Bool(_)),
            Value::Whole(whole) => whole.bool,
            Value::Fraction(..) => false,
        };
        let equality = matches!(sign, Comparison::Equal | Comparison::NotEqual);
        match (is_truth(&a), is_truth(&b)) {
            (true, true) if equality => {
                let same = self.logic(Op::Iff, a, b, span)?;
                let other = Value::Known(Number::Bool(sign == Comparison::Equal));
                return self.logic(Op::Iff, other, same, span);
            }
            (false, false) => {}
            _ => {
                let error =
                    Diagnostic::error("numbers and truth values cannot be compared so", span);
                return self
                    .fail(error.help("`=` and `!=` compare two truth values, or two numbers"));
            }
        }
        match (a, b) {
            (Value::Known(a), Value::Known(b)) => {
                let ordering = a.real().zip(b.real()).and_then(|(a, b)| a.compared(b));
                truth(
                    ordering.map_or(sign == Comparison::NotEqual, |ordering| sign.holds(ordering)),
                )
            }
            (Value::Whole(of), Value::Known(by)) => {
                let by = by.real().unwrap_or(Real::whole(0));
                Ok(self.bounded(of, sign, by, span))
            }
            (Value::Known(by), Value::Whole(of)) => {
                let by = by.real().unwrap_or(Real::whole(0));
                Ok(self.bounded(of, sign.turned(), by, span))
            }
            (a, b) => self.fractions_compared(sign, a, b, span),
        }
    }

    fn fractions_compared(
        &mut self,
        sign: Comparison,
        a: Value,
        b: Value,
        span: Span,
    ) -> Parse<Value> {
        let [a, a_below] = self.fraction(a, span)?;
        let [b, b_below] = self.fraction(b, span)?;
        let left = self.computed(Binary::Mul, a, b_below, span)?;
        let right = self.computed(Binary::Mul, b, a_below, span)?;
        self.fits(Whole::test(sign.operator(), left, right, span)).map(Value::Whole)
    }

    /// A sum, difference, product or quotient of two numbers.
    pub fn arithmetic(&mut self, op: Op, a: Value, b: Value, span: Span) -> Parse<Value> {
        match (a, b) {
            (Value::Known(a), Value::Known(b)) => self.folded(op, a, b, span),
            (a, b) if op != Op::Div && is_whole(&a) && is_whole(&b) => {
                let [a, _] = self.fraction(a, span)?;
                let [b, _] = self.fraction(b, span)?;
                let op = match op {
                    Op::Add => Binary::Add,
                    Op::Sub => Binary::Sub,
                    _ => Binary::Mul,
                };
                self.computed(op, a, b, span).map(Value::Whole)
            }
            (a, b) => {
                let (a, b) = (self.fraction(a, span)?, self.fraction(b, span)?);
                let [above, below] = self.fractional(op, a, b, span)?;
                Ok(Value::Fraction(above, below))
            }
        }
    }

    fn fractional(
        &mut self,
        op: Op,
        a: [Whole; 2],
        b: [Whole; 2],
        span: Span,
    ) -> Parse<[Whole; 2]> {
        let ([a, a_below], [b, b_below]) = (a, b);
        match op {
            Op::Mul => {
                let above = self.computed(Binary::Mul, a, b, span)?;
                Ok([above, self.computed(Binary::Mul, a_below, b_below, span)?])
            }
            Op::Div => {
                let above = self.computed(Binary::Mul, a, b_below, span)?;
                let (above, by) = match (b.low >= 0, b.high <= 0) {
                    (true, _) => (above, b),
                    (false, true) => {
                        let zero = Whole::number(0, span);
                        let above = self.computed(Binary::Sub, zero.clone(), above, span)?;
                        (above, self.computed(Binary::Sub, zero, b, span)?)
                    }
                    (false, false) => {
                        return self.fail(Diagnostic::error(
                            "dividing by what may be positive or negative is not supported",
                            span,
                        ));
                    }
                };
                let by = self.below(by, span)?;
                Ok([above, self.computed(Binary::Mul, a_below, by, span)?])
            }
            _ => {
                let op = if op == Op::Add { Binary::Add } else { Binary::Sub };
                let same = a_below.single().is_some() && a_below.single() == b_below.single();
                if same {
                    return Ok([self.computed(op, a, b, span)?, a_below]);
                }
                let a = self.computed(Binary::Mul, a, b_below.clone(), span)?;
                let b = self.computed(Binary::Mul, b, a_below.clone(), span)?;
                let above = self.computed(op, a, b, span)?;
                Ok([above, self.computed(Binary::Mul, a_below, b_below, span)?])
            }
        }
    }

    fn folded(&mut self, op: Op, a: Number, b: Number, span: Span) -> Parse<Value> {
        if let (Number::Int(a), Number::Int(b), true) = (a, b, op != Op::Div) {
            let result = match op {
                Op::Add => a.checked_add(b),
                Op::Sub => a.checked_sub(b),
                _ => a.checked_mul(b),
            };
            return self.int(result, span);
        }
        let zero = Real::whole(0);
        let (a, b) = (a.real().unwrap_or(zero), b.real().unwrap_or(zero));
        let result = match op {
            Op::Add => Some(a.plus(b)),
            Op::Sub => Some(a.plus(b.negated())),
            Op::Mul => Some(a.times(b)),
            _ => a.over(b),
        };
        match result {
            Some(result) => Ok(Value::Known(Number::Real(result))),
            None => self.fail(Diagnostic::error("division by zero", span)),
        }
    }

    /// A known whole number, which must fit 32 bits.
    pub fn int(&mut self, value: Option<i64>, span: Span) -> Parse<Value> {
        match value.filter(|value| i32::try_from(*value).is_ok()) {
            Some(value) => Ok(Value::Known(Number::Int(value))),
            None => {
                let error = Diagnostic::error("this number needs more than 32 bits", span);
                self.fail(error.help("whole numbers have 32 bits"))
            }
        }
    }

    fn choice(
        &mut self,
        condition: &'m Expr<'t>,
        yes: &'m Expr<'t>,
        no: &'m Expr<'t>,
        span: Span,
    ) -> Parse<Value> {
        let condition = match self.condition(condition)? {
            Value::Known(Number::Bool(true)) => return self.value(yes),
            Value::Known(_) => return self.value(no),
            Value::Whole(whole) | Value::Fraction(whole, _) => whole,
        };
        let truth = self.value(yes)?;
        let is_truth = matches!(&truth, Value::Known(Number::Bool(_)))
            || matches!(&truth, Value::Whole(whole) if whole.bool);
        let other = if is_truth { self.condition(no)? } else { self.numeric(no)? };
        if is_truth {
            let (yes, no) = (self.as_truth(truth, span)?, self.as_truth(other, span)?);
            return self.chosen(condition, yes, no, span).map(Value::Whole);
        }
        self.between(condition, truth, other, span)
    }

    fn as_truth(&mut self, value: Value, span: Span) -> Parse<Whole> {
        let [whole, _] = self.fraction(value, span)?;
        Ok(whole.truthful())
    }

    /// One of two numbers.
    pub fn between(&mut self, condition: Whole, yes: Value, no: Value, span: Span) -> Parse<Value> {
        let wholes = is_whole(&yes) && is_whole(&no);
        let [yes, yes_below] = self.fraction(yes, span)?;
        let [no, no_below] = self.fraction(no, span)?;
        let above = self.chosen(condition.clone(), yes, no, span)?;
        if wholes {
            return Ok(Value::Whole(above));
        }
        Ok(Value::Fraction(above, self.chosen(condition, yes_below, no_below, span)?))
    }
}

/// Whether a number is whole by its type.
pub fn is_whole(value: &Value) -> bool {
    match value {
        Value::Known(number) => matches!(number, Number::Int(_)),
        Value::Whole(_) => true,
        Value::Fraction(..) => false,
    }
}
