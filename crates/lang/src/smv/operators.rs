//! Operators on terms, with the types NuSMV gives them.

use homing_ir::relation::{
    Binary, Bits, Constant, Evaluation, MAX_WIDTH, SortError, Term, TermId, Unary, Value,
};
use homing_ir::{Diagnostic, Span};

use super::instances::Model;
use super::syntax::{Function, Infix};
use super::values::{Type, Typed};
use crate::reading::Parse;

impl Model<'_> {
    /// What the arena made of a term; what it refuses is reported.
    pub fn sorted(&mut self, made: Result<TermId, SortError>, span: Span) -> Parse<TermId> {
        made.or_else(|SortError(message)| self.fail(Diagnostic::error(message, span)))
    }

    /// An operator on one term.
    pub fn unary(&mut self, op: Unary, a: TermId, span: Span) -> Parse<TermId> {
        let made = self.relation.terms.unary(op, a, span);
        self.sorted(made, span).map(|term| self.folded(term))
    }

    /// An operator on two terms.
    pub fn binary(&mut self, op: Binary, a: TermId, b: TermId, span: Span) -> Parse<TermId> {
        let made = self.relation.terms.binary(op, a, b, span);
        self.sorted(made, span).map(|term| self.folded(term))
    }

    fn not(&mut self, a: TermId, span: Span) -> Parse<TermId> {
        self.unary(Unary::Not, a, span)
    }

    /// Whether any of some conditions is true.
    pub fn any<const N: usize>(&mut self, all: [TermId; N], span: Span) -> Parse<TermId> {
        let mut any = self.never;
        for one in all {
            if any == one {
                continue;
            }
            any = self.binary(Binary::Or, any, one, span)?;
        }
        Ok(any)
    }

    /// A constant, where all parts of a term are constants.
    pub fn folded(&mut self, term: TermId) -> TermId {
        let terms = &self.relation.terms;
        let is_constant =
            |id| matches!(terms.term(id), Term::Bool(_) | Term::Scalar(_) | Term::Word(_));
        let choice = matches!(terms.term(term), Term::Union(..) | Term::Range(..));
        if choice || is_constant(term) || !terms.parts(term).all(is_constant) {
            return term;
        }
        let span = terms.span(term);
        if matches!(terms.term(term), Term::Variable(_) | Term::Next(_)) {
            return term;
        }
        match Evaluation::new(&self.relation, &[], &[]).value(term) {
            Ok(Value::Bool(value)) => self.relation.terms.bool(value, span),
            Ok(Value::Scalar(value)) => self.relation.terms.scalar(value, span),
            Ok(Value::Word(value)) => self.relation.terms.constant_word(value, span),
            _ => term,
        }
    }

    fn mismatch<T>(&mut self, operator: &str, a: Type, b: Type, span: Span) -> Parse<T> {
        let (a, b) = (a.describe(), b.describe());
        let message = format!("`{operator}` stands between {a} and {b}");
        self.fail(Diagnostic::error(message, span))
    }

    /// An operator between two terms.
    pub fn infix(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        match operator {
            Infix::And | Infix::Or | Infix::Xor | Infix::Xnor | Infix::Implies | Infix::Iff => {
                self.logical(operator, a, b, span)
            }
            Infix::Equal | Infix::NotEqual => self.equality(operator, a, b, span),
            Infix::Less | Infix::LessEqual | Infix::Greater | Infix::GreaterEqual => {
                self.order(operator, a, b, span)
            }
            Infix::In => self.member_of(a, b, span),
            Infix::Union => self.union(a, b, span),
            Infix::ShiftLeft | Infix::ShiftRight => self.shift(operator, a, b, span),
            Infix::Concat => self.concat(a, b, span),
            _ => self.arithmetic(operator, a, b, span),
        }
    }

    fn logical(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        if a.ty != b.ty || a.ty != Type::Bool && !a.ty.is_word() {
            return self.mismatch(operator.sign(), a.ty, b.ty, span);
        }
        let negation = if a.ty == Type::Bool { Unary::Not } else { Unary::Complement };
        let term = match operator {
            Infix::And => self.binary(Binary::And, a.term, b.term, span)?,
            Infix::Or => self.binary(Binary::Or, a.term, b.term, span)?,
            Infix::Xor => self.binary(Binary::Xor, a.term, b.term, span)?,
            Infix::Implies => {
                let not = self.unary(negation, a.term, span)?;
                self.binary(Binary::Or, not, b.term, span)?
            }
            Infix::Iff | Infix::Xnor if a.ty == Type::Bool => {
                self.binary(Binary::Equal, a.term, b.term, span)?
            }
            _ => {
                let xor = self.binary(Binary::Xor, a.term, b.term, span)?;
                self.unary(negation, xor, span)?
            }
        };
        let fails = self.logical_fails(operator, a, b, span)?;
        Ok(Typed { term, ty: a.ty, fails })
    }

    /// A conjunction has a value where one side is false, whatever the other.
    fn logical_fails(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<TermId> {
        let neither = a.fails == self.never && b.fails == self.never;
        let (negated, decided) = match operator {
            Infix::And => (false, true),
            Infix::Or => (true, true),
            Infix::Implies => (true, true),
            _ => (false, false),
        };
        if neither || !decided || a.ty != Type::Bool {
            return self.any([a.fails, b.fails], span);
        }
        // Where one side decides: a is false (for an implication, too), or true.
        let a_open = match operator {
            Infix::Or => self.not(a.term, span)?,
            _ => a.term,
        };
        let b_open = if negated { self.not(b.term, span)? } else { b.term };
        let b_matters = self.any([b.fails, b_open], span)?;
        let a_matters = self.any([a.fails, a_open], span)?;
        let left = self.binary(Binary::And, a.fails, b_matters, span)?;
        let right = self.binary(Binary::And, b.fails, a_matters, span)?;
        self.any([left, right], span)
    }

    fn equality(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let comparable = a.ty.greater(b.ty).is_some_and(|ty| !ty.is_set());
        if !comparable {
            if a.ty.is_set() || b.ty.is_set() {
                let message = format!("`{}` compares values, not sets", operator.sign());
                let error = Diagnostic::error(message, span);
                return self.fail(error.help("write `in` to ask whether a set has a value"));
            }
            return self.mismatch(operator.sign(), a.ty, b.ty, span);
        }
        let mut term = self.binary(Binary::Equal, a.term, b.term, span)?;
        if operator == Infix::NotEqual {
            term = self.not(term, span)?;
        }
        let fails = self.any([a.fails, b.fails], span)?;
        Ok(Typed { term, ty: Type::Bool, fails })
    }

    fn order(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let op = match (a.ty, b.ty) {
            (Type::Int, Type::Int) => Binary::Less,
            (Type::Word { signed, .. }, other) if a.ty == other => match signed {
                true => Binary::SignedLess,
                false => Binary::Less,
            },
            _ => return self.mismatch(operator.sign(), a.ty, b.ty, span),
        };
        let swapped = matches!(operator, Infix::Greater | Infix::LessEqual);
        let (left, right) = if swapped { (b.term, a.term) } else { (a.term, b.term) };
        let mut term = self.binary(op, left, right, span)?;
        if matches!(operator, Infix::LessEqual | Infix::GreaterEqual) {
            term = self.not(term, span)?;
        }
        let fails = self.any([a.fails, b.fails], span)?;
        Ok(Typed { term, ty: Type::Bool, fails })
    }

    fn arithmetic(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        if a.ty != b.ty || a.ty != Type::Int && !a.ty.is_word() {
            return self.mismatch(operator.sign(), a.ty, b.ty, span);
        }
        let signed = matches!(a.ty, Type::Word { signed: true, .. });
        let op = match operator {
            Infix::Plus => Binary::Add,
            Infix::Minus => Binary::Subtract,
            Infix::Times => Binary::Multiply,
            Infix::Divide if signed => Binary::SignedDivide,
            Infix::Divide => Binary::Divide,
            _ if signed => Binary::SignedRemainder,
            _ => Binary::Remainder,
        };
        let mut fails = self.any([a.fails, b.fails], span)?;
        if !matches!(operator, Infix::Divide | Infix::Mod) {
            let term = self.binary(op, a.term, b.term, span)?;
            return Ok(Typed { term, ty: a.ty, fails });
        }
        let zero = match a.ty {
            Type::Word { width, .. } => self.relation.terms.constant_word(Bits::zero(width), span),
            _ => self.relation.terms.scalar(Constant::Int(0), span),
        };
        let by_zero = self.binary(Binary::Equal, b.term, zero, span)?;
        if by_zero != self.never {
            self.reason(by_zero, "the divisor is zero", span);
            fails = self.any([fails, by_zero], span)?;
        }
        let quotient = self.binary(op, a.term, b.term, span)?;
        let made = self.relation.terms.choose(by_zero, zero, quotient, span);
        let term = self.sorted(made, span)?;
        Ok(Typed { term, ty: a.ty, fails })
    }

    fn concat(&mut self, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let (Type::Word { width: high, .. }, Type::Word { width: low, .. }) = (a.ty, b.ty) else {
            return self.mismatch("::", a.ty, b.ty, span);
        };
        let term = self.binary(Binary::Concat, a.term, b.term, span)?;
        let fails = self.any([a.fails, b.fails], span)?;
        Ok(Typed { term, ty: Type::Word { width: high + low, signed: false }, fails })
    }

    /// A word is shifted by a number of bits from none to all of them.
    fn shift(&mut self, operator: Infix, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let Type::Word { width, signed } = a.ty else {
            return self.mismatch(operator.sign(), a.ty, b.ty, span);
        };
        let op = match operator {
            Infix::ShiftLeft => Binary::ShiftLeft,
            _ if signed => Binary::ShiftRightSigned,
            _ => Binary::ShiftRight,
        };
        let term = match b.ty {
            Type::Word { signed: false, .. } => self.binary(op, a.term, b.term, span)?,
            Type::Int => match self.number(b.term) {
                Some(by) => self.shifted(op, a.term, by, width, span)?,
                None => {
                    let mut term = a.term;
                    for by in 1..=width {
                        homing_budget::checkpoint();
                        let by = i64::from(by);
                        let number = self.relation.terms.scalar(Constant::Int(by), span);
                        let here = self.binary(Binary::Equal, b.term, number, span)?;
                        let shifted = self.shifted(op, a.term, by, width, span)?;
                        let made = self.relation.terms.choose(here, shifted, term, span);
                        term = self.sorted(made, span)?;
                    }
                    term
                }
            },
            _ => return self.mismatch(operator.sign(), a.ty, b.ty, span),
        };
        let outside = self.outside_of_word(b, width, span)?;
        let fails = self.any([a.fails, b.fails, outside], span)?;
        Ok(Typed { term, ty: a.ty, fails })
    }

    fn shifted(&mut self, op: Binary, a: TermId, by: i64, width: u32, span: Span) -> Parse<TermId> {
        let bits = Bits::of(by.clamp(0, i64::from(width)) as u64, 32);
        let by = self.relation.terms.constant_word(bits, span);
        self.binary(op, a, by, span)
    }

    /// Whether a number of bits is less than none or more than all.
    fn outside_of_word(&mut self, by: Typed, width: u32, span: Span) -> Parse<TermId> {
        let outside = match by.ty {
            Type::Word { width: of, .. } => {
                if Bits::of(u64::from(width), of).to_u64() != Some(u64::from(width)) {
                    return Ok(self.never);
                }
                let most = Bits::of(u64::from(width), of);
                let most = self.relation.terms.constant_word(most, span);
                self.binary(Binary::Less, most, by.term, span)?
            }
            _ => {
                let most = self.relation.terms.scalar(Constant::Int(i64::from(width)), span);
                let zero = self.relation.terms.scalar(Constant::Int(0), span);
                let high = self.binary(Binary::Less, most, by.term, span)?;
                let low = self.binary(Binary::Less, by.term, zero, span)?;
                self.any([low, high], span)?
            }
        };
        if outside != self.never {
            self.reason(outside, "a word is shifted by more bits than it has", span);
        }
        Ok(outside)
    }

    /// A number, of a word where it is one.
    pub fn as_number(&mut self, typed: Typed, span: Span) -> Parse<Typed> {
        let op = match typed.ty {
            Type::Int => return Ok(typed),
            Type::Bool => Unary::Count,
            Type::Word { signed: true, .. } => Unary::Signed,
            Type::Word { width, signed: false } if width < 64 => Unary::Unsigned,
            other => {
                let message = format!("{} is made a number", other.describe());
                return self.fail(Diagnostic::error(message, span));
            }
        };
        let term = self.unary(op, typed.term, span)?;
        Ok(Typed { term, ty: Type::Int, ..typed })
    }

    /// What is written as a function is, `next` apart. There are as many arguments as it takes.
    pub fn applied(&mut self, function: Function, of: &[Typed], span: Span) -> Parse<Typed> {
        let first = of[0];
        match function {
            Function::Bool => self.as_bool(first, span),
            Function::Word1 if first.ty == Type::Bool => {
                let term = self.unary(Unary::ToWord, first.term, span)?;
                Ok(Typed { term, ty: Type::Word { width: 1, signed: false }, ..first })
            }
            Function::Signed | Function::Unsigned => self.cast(function, first, span),
            Function::Extend | Function::Resize => self.resized(function, first, of[1], span),
            Function::Sizeof => match first.ty {
                Type::Word { width, .. } => {
                    let number = Constant::Int(i64::from(width));
                    let term = self.relation.terms.scalar(number, span);
                    Ok(Typed { term, ty: Type::Int, ..first })
                }
                _ => self.misapplied(function, first.ty, span),
            },
            Function::Toint => self.as_number(first, span),
            Function::Count => self.count(of, span),
            Function::Uwconst | Function::Swconst => self.word(function, first, of[1], span),
            Function::Read | Function::Write | Function::ConstArray => {
                self.memory(function, of, span)
            }
            Function::Abs => {
                let zero = self.relation.terms.scalar(Constant::Int(0), span);
                let zero = Typed { term: zero, ty: Type::Int, fails: self.never };
                let negative = self.order(Infix::Less, first, zero, span)?;
                let term = self.unary(Unary::Negate, first.term, span)?;
                self.chosen(negative, Typed { term, ..first }, first, span)
            }
            Function::Min | Function::Max => {
                let less = self.order(Infix::Less, first, of[1], span)?;
                match function {
                    Function::Min => self.chosen(less, first, of[1], span),
                    _ => self.chosen(less, of[1], first, span),
                }
            }
            Function::Word1 | Function::Next => self.misapplied(function, first.ty, span),
        }
    }

    fn misapplied<T>(&mut self, function: Function, ty: Type, span: Span) -> Parse<T> {
        let message = format!("`{}` is given {}", function.name(), ty.describe());
        self.fail(Diagnostic::error(message, span))
    }

    fn as_bool(&mut self, of: Typed, span: Span) -> Parse<Typed> {
        let term = match of.ty {
            Type::Word { width: 1, .. } => self.unary(Unary::ToBool, of.term, span)?,
            Type::Bool => of.term,
            Type::Int => {
                let zero = self.relation.terms.scalar(Constant::Int(0), span);
                let none = self.binary(Binary::Equal, of.term, zero, span)?;
                self.not(none, span)?
            }
            other => return self.misapplied(Function::Bool, other, span),
        };
        Ok(Typed { term, ty: Type::Bool, ..of })
    }

    fn cast(&mut self, function: Function, of: Typed, span: Span) -> Parse<Typed> {
        match of.ty {
            Type::Word { width, signed } if signed == (function == Function::Unsigned) => {
                Ok(Typed { ty: Type::Word { width, signed: !signed }, ..of })
            }
            other => self.misapplied(function, other, span),
        }
    }

    /// More bits: zeros, or copies of the sign. Fewer: the lowest, under the sign if there is one.
    fn resized(&mut self, function: Function, of: Typed, by: Typed, span: Span) -> Parse<Typed> {
        let Type::Word { width, signed } = of.ty else {
            return self.misapplied(function, of.ty, span);
        };
        let to = match (self.number(by.term), function) {
            (Some(by), Function::Extend) if by >= 0 => Some(by.saturating_add(i64::from(width))),
            (Some(to), Function::Resize) if to > 0 => Some(to),
            _ => None,
        };
        let to = to.and_then(|to| u32::try_from(to).ok()).filter(|to| *to <= MAX_WIDTH);
        let Some(to) = to else {
            let message = format!("`{}` needs a constant number of bits", function.name());
            return self.fail(Diagnostic::error(message, span));
        };
        let terms = &mut self.relation.terms;
        let made = match to >= width {
            true => terms.extend(of.term, to - width, signed, span),
            false if !signed => terms.extract(of.term, to - 1, 0, span),
            false if to == 1 => terms.extract(of.term, width - 1, width - 1, span),
            false => {
                let sign = terms.extract(of.term, width - 1, width - 1, span);
                let rest = terms.extract(of.term, to - 2, 0, span);
                sign.and_then(|sign| terms.binary(Binary::Concat, sign, rest?, span))
            }
        };
        let term = self.sorted(made, span)?;
        let term = self.folded(term);
        Ok(Typed { term, ty: Type::Word { width: to, signed }, ..of })
    }

    fn count(&mut self, of: &[Typed], span: Span) -> Parse<Typed> {
        let mut term = self.relation.terms.scalar(Constant::Int(0), span);
        let mut fails = self.never;
        for one in of {
            if one.ty != Type::Bool {
                return self.misapplied(Function::Count, one.ty, span);
            }
            let each = self.unary(Unary::Count, one.term, span)?;
            term = self.binary(Binary::Add, term, each, span)?;
            fails = self.any([fails, one.fails], span)?;
        }
        Ok(Typed { term, ty: Type::Int, fails })
    }

    /// `uwconst(value, width)` and `swconst(value, width)`.
    fn word(&mut self, function: Function, value: Typed, width: Typed, span: Span) -> Parse<Typed> {
        let signed = function == Function::Swconst;
        let width = self.number(width.term).and_then(|width| u32::try_from(width).ok());
        let width = width.filter(|width| *width > 0 && *width <= MAX_WIDTH);
        let (Some(width), Some(number)) = (width, self.number(value.term)) else {
            let message = format!("`{}` needs a constant and a constant width", function.name());
            return self.fail(Diagnostic::error(message, span));
        };
        let bits = Bits::of_signed(number, width);
        let same = match signed {
            true => bits.to_i64() == Some(number),
            false => number >= 0 && bits.to_u64() == Some(number as u64),
        };
        if !same {
            let message = format!("{number} does not fit into {width} bits");
            return self.fail(Diagnostic::error(message, span));
        }
        let term = self.relation.terms.constant_word(bits, span);
        Ok(Typed { term, ty: Type::Word { width, signed }, fails: self.never })
    }

    fn memory(&mut self, function: Function, of: &[Typed], span: Span) -> Parse<Typed> {
        let Type::Memory { index, element } = of[0].ty else {
            return self.misapplied(function, of[0].ty, span);
        };
        let word = |width| Type::Word { width, signed: false };
        let wanted: &[Type] = match function {
            Function::Read => &[word(index)],
            Function::Write => &[word(index), word(element)],
            _ => &[word(element)],
        };
        for (given, wanted) in of[1..].iter().zip(wanted) {
            if given.ty != *wanted {
                return self.misapplied(function, given.ty, span);
            }
        }
        let terms = &mut self.relation.terms;
        let made = match function {
            Function::Read => terms.binary(Binary::Read, of[0].term, of[1].term, span),
            Function::Write => terms.write(of[0].term, of[1].term, of[2].term, span),
            _ => terms.everywhere(of[1].term, index, span),
        };
        let term = self.sorted(made, span)?;
        let ty = if function == Function::Read { word(element) } else { of[0].ty };
        let mut fails = self.never;
        for one in of {
            fails = self.any([fails, one.fails], span)?;
        }
        Ok(Typed { term, ty, fails })
    }
}
