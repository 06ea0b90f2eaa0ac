//! Variables and their domains.

use std::rc::Rc;

use homing_ir::Diagnostic;
use homing_ir::relation::{Constant, Domain, MAX_WIDTH, Term};

use super::instances::Model;
use super::syntax::{Bounds, Element, ElementValue, Expr, Type as Written, Values};
use super::values::{Array, Type, Typed, Value};
use crate::reading::Parse;

/// How many elements an array may have, and how many values an enumeration.
const MOST: i64 = 1 << 20;
/// How deep arrays of arrays may be.
const MOST_DIMENSIONS: usize = 50;

impl Model<'_> {
    /// Declares a variable, or those an array consists of.
    pub fn declared(&mut self, number: usize) -> Parse<Value> {
        let variable = &self.variables[number];
        let (name, instance) = (variable.name.clone(), variable.instance);
        let declaration = variable.declaration;
        let Written::Values(bounds, values) = &declaration.ty else {
            return self.fail(Diagnostic::error("this is no variable", declaration.span));
        };
        if bounds.len() > MOST_DIMENSIONS {
            let message = format!("an array has at most {MOST_DIMENSIONS} dimensions");
            return self.fail(Diagnostic::error(message, declaration.span));
        }
        let domain = self.domain(values, instance)?;
        let mut ends = Vec::new();
        let mut total = 1i64;
        for one in bounds {
            let (low, high) = self.ends(*one, instance)?;
            total = total.saturating_mul(high - low + 1);
            if total > MOST {
                let message = format!("the array has more than {MOST} elements");
                return self.fail(Diagnostic::error(message, declaration.span));
            }
            ends.push((low, high));
        }
        Ok(self.elements(&name, &ends, &domain, number))
    }

    /// Recursion is as deep as the text has `array … of`.
    fn elements(
        &mut self,
        name: &str,
        bounds: &[(i64, i64)],
        domain: &Domain,
        number: usize,
    ) -> Value {
        let declaration = self.variables[number].declaration;
        let Some(((low, high), inner)) = bounds.split_first() else {
            let id =
                self.relation.declare(name, declaration.kind, domain.clone(), declaration.span);
            let term = self.relation.read(id, declaration.span);
            return Value::Term(Typed { term, ty: self.type_of(domain), fails: self.never });
        };
        let elements = (*low..=*high).map(|at| {
            homing_budget::checkpoint();
            self.elements(&format!("{name}[{at}]"), inner, domain, number)
        });
        let elements = elements.collect();
        Value::Array(Rc::new(Array { low: *low, elements }))
    }

    fn type_of(&self, domain: &Domain) -> Type {
        match domain {
            Domain::Bool => Type::Bool,
            Domain::Range(..) => Type::Int,
            Domain::Enumeration(values) => {
                let numbers = values.iter().filter(|one| matches!(one, Constant::Int(_))).count();
                match numbers {
                    0 => Type::Symbol,
                    all if all == values.len() => Type::Int,
                    _ => Type::Mixed,
                }
            }
            Domain::Word { width, signed } => Type::Word { width: *width, signed: *signed },
            Domain::Array { index, element } => Type::Memory { index: *index, element: *element },
        }
    }

    fn domain(&mut self, values: &Values, instance: usize) -> Parse<Domain> {
        Ok(match values {
            Values::Bool => Domain::Bool,
            Values::Word { signed, width } => {
                Domain::Word { width: self.width(*width, instance)?, signed: *signed }
            }
            Values::Range(low, high) => {
                let (low, high) = self.ends(Bounds { low: *low, high: *high }, instance)?;
                Domain::Range(low, high)
            }
            Values::Enumeration(elements) => self.enumeration(elements)?,
            Values::Memory { index, element } => {
                let index = self.width(*index, instance)?;
                Domain::Array { index, element: self.width(*element, instance)? }
            }
        })
    }

    fn enumeration(&mut self, elements: &[Element]) -> Parse<Domain> {
        let mut values = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for element in elements {
            let value = match &element.value {
                ElementValue::Number(number) => Constant::Int(*number),
                ElementValue::Symbol(name) => Constant::Symbol(self.symbol(name)),
            };
            if seen.insert(value) {
                values.push(value);
            } else {
                let message = "the value stands in the enumeration twice";
                self.reports.add(Diagnostic::warning(message, element.span));
            }
        }
        Ok(Domain::Enumeration(values))
    }

    /// The ends of a range of numbers, at least one.
    fn ends(&mut self, bounds: Bounds, instance: usize) -> Parse<(i64, i64)> {
        let low = self.constant(bounds.low, instance, "a bound")?;
        let high = self.constant(bounds.high, instance, "a bound")?;
        if low <= high {
            return Ok((low, high));
        }
        let span = self.span(bounds.low.root).to(self.span(bounds.high.root));
        self.fail(Diagnostic::error(format!("the range {low}..{high} is empty"), span))
    }

    fn width(&mut self, width: Expr, instance: usize) -> Parse<u32> {
        let span = self.span(width.root);
        let value = self.constant(width, instance, "a width")?;
        match u32::try_from(value) {
            Ok(width) if width > 0 && width <= MAX_WIDTH => Ok(width),
            _ => {
                let message = format!("a word cannot have {value} bits");
                self.fail(Diagnostic::error(message, span).help(format!("from 1 to {MAX_WIDTH}")))
            }
        }
    }

    /// The number that an expression is whatever variables are.
    pub fn constant(&mut self, expr: Expr, instance: usize, what: &str) -> Parse<i64> {
        self.prepare(expr, instance)?;
        let value = self.lowered(expr, instance)?;
        let span = self.span(expr.root);
        if let Value::Term(Typed { term, .. }) = value
            && let Some(number) = self.number(term)
        {
            return Ok(number);
        }
        let message = format!("{what} must be a constant number, not {}", value.describe());
        self.fail(Diagnostic::error(message, span))
    }

    /// The number that a term is, if it is written so.
    pub fn number(&self, term: homing_ir::relation::TermId) -> Option<i64> {
        match self.relation.terms.term(term) {
            Term::Scalar(Constant::Int(number)) => Some(number),
            Term::Word(number) => {
                let word = self.relation.terms.word(number).to_u64();
                word.and_then(|word| i64::try_from(word).ok())
            }
            _ => None,
        }
    }
}
