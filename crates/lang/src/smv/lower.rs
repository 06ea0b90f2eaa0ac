//! Expressions become values, node after node.
//!
//! A term has some value wherever it stands: where SMV gives it none, a condition says so
//! (`Typed::fails`), which is shown to be impossible or reported where the term is used
//! (`possible`).

use std::rc::Rc;

use homing_ir::relation::{Binary, Constant, Term, TermId, Unary};
use homing_ir::{Diagnostic, Span};

use super::instances::{Entity, Meaning, Model, Target};
use super::syntax::{Expr, Function, Node, NodeId, Prefix};
use super::values::{Array, Part, Type, Typed, Value};
use super::words;
use crate::reading::Parse;

/// The values of the nodes of an expression.
pub(super) struct Values {
    first: u32,
    values: Vec<Value>,
}

impl Values {
    pub fn get(&self, id: NodeId) -> &Value {
        &self.values[(id.0 - self.first) as usize]
    }
}

impl Model<'_> {
    /// The value of an expression of an instance, where all it needs is known.
    pub fn lowered(&mut self, expr: Expr, instance: usize) -> Parse<Value> {
        let mut values = Values { first: expr.first, values: Vec::new() };
        for id in expr.first..=expr.root.0 {
            homing_budget::checkpoint();
            let value = self.lower(NodeId(id), &values, instance)?;
            values.values.push(value);
        }
        match values.values.pop() {
            Some(Value::Part(part)) => self.unknown(&part, self.span(expr.root)),
            Some(value) => Ok(value),
            None => self.fail(Diagnostic::error("an expression is missing", self.span(expr.root))),
        }
    }

    fn lower(&mut self, id: NodeId, values: &Values, instance: usize) -> Parse<Value> {
        let span = self.span(id);
        Ok(match self.node(id) {
            Node::Name(name) => self.name(name, instance, span)?,
            Node::SelfName => Value::Instance(instance),
            Node::Dot(base, name) => self.dot(values.get(*base), name, *base, instance, span)?,
            Node::Index(base, index) => self.index(*base, *index, values, span)?,
            Node::Select(base, high, low) => self.select([*base, *high, *low], values, span)?,
            Node::Bool(value) => self.bool(*value, span),
            Node::Number(number) => self.int(*number, span),
            Node::Word(digits) => {
                let (bits, signed) = words::constant(digits)
                    .or_else(|message| self.fail(Diagnostic::error(message, span)))?;
                let ty = Type::Word { width: bits.width(), signed };
                let term = self.relation.terms.constant_word(bits, span);
                self.sure(term, ty)
            }
            Node::Range(low, high) if low > high => {
                let message = format!("the range {low}..{high} is empty");
                return self.fail(Diagnostic::error(message, span));
            }
            Node::Range(low, high) => {
                let term = self.relation.terms.range(*low, *high, span);
                self.sure(term, Type::Set(super::values::Element::Int))
            }
            Node::Prefix(operator, of) => self.prefix(*operator, *of, values, span)?,
            Node::Infix(operator, a, b) => {
                let of_terms =
                    matches!((values.get(*a), values.get(*b)), (Value::Term(_), Value::Term(_)));
                match of_terms && !operator.is_of_runs() {
                    true => {
                        let (a, b) = (self.term(*a, values)?, self.term(*b, values)?);
                        Value::Term(self.infix(*operator, a, b, span)?)
                    }
                    false => self.connected(*operator, [*a, *b], values, span)?,
                }
            }
            Node::Choose(condition, a, b) => {
                let condition = self.condition(*condition, values)?;
                let (a, b) = (self.term(*a, values)?, self.term(*b, values)?);
                Value::Term(self.chosen(condition, a, b, span)?)
            }
            Node::Case(branches) => self.case(branches, values, span)?,
            Node::Call(function, arguments) => self.call(*function, arguments, values, span)?,
            Node::List(elements) => {
                let elements = elements.iter().map(|one| values.get(*one).clone()).collect();
                Value::Array(Rc::new(Array { low: 0, elements }))
            }
            Node::Temporal(operator, of) => self.temporal(*operator, *of, values, span)?,
            Node::Bounded(operator, from, to, of) => {
                self.bounded(*operator, (*from, *to), *of, values)?
            }
            Node::Until { all, hold, reach, within } => {
                self.until(*all, [*hold, *reach], *within, values, span)?
            }
        })
    }

    /// The term that cannot fail.
    pub fn sure(&self, term: TermId, ty: Type) -> Value {
        Value::Term(Typed { term, ty, fails: self.never })
    }

    pub fn bool(&mut self, value: bool, span: Span) -> Value {
        let term = self.relation.terms.bool(value, span);
        self.sure(term, Type::Bool)
    }

    pub fn int(&mut self, number: i64, span: Span) -> Value {
        let term = self.relation.terms.scalar(Constant::Int(number), span);
        self.sure(term, Type::Int)
    }

    /// The term that a node is.
    pub fn term(&mut self, id: NodeId, values: &Values) -> Parse<Typed> {
        match values.get(id) {
            Value::Term(typed) => Ok(*typed),
            Value::Part(part) => self.unknown(&Rc::clone(part), self.span(id)),
            other => {
                let message = format!("expected a value, found {}", other.describe());
                self.fail(Diagnostic::error(message, self.span(id)))
            }
        }
    }

    /// The boolean that a node is.
    pub fn condition(&mut self, id: NodeId, values: &Values) -> Parse<Typed> {
        let typed = self.term(id, values)?;
        if typed.ty == Type::Bool {
            return Ok(typed);
        }
        let message = format!("expected a boolean, found {}", typed.ty.describe());
        self.fail(Diagnostic::error(message, self.span(id)))
    }

    fn unknown<T>(&mut self, part: &Part, span: Span) -> Parse<T> {
        let Part { instance, text } = part;
        let module = self.module_of(*instance).name.text;
        let error = Diagnostic::error(format!("`{text}` is not declared in `{module}`"), span);
        let hyphened = text.contains('-').then(|| {
            format!("`{text}` is one name: with blanks around `-` it would be a difference")
        });
        let near = self.near(*instance, text).map(|near| format!("did you mean `{near}`?"));
        self.fail(match hyphened.or(near) {
            Some(help) => error.help(help),
            None => error,
        })
    }

    fn name(&mut self, name: &str, instance: usize, span: Span) -> Parse<Value> {
        let symbol = self.symbols.get(name).copied();
        match (self.meaning(instance, name), symbol) {
            (Some(Meaning::Entity(_)), Some(_)) => {
                let message =
                    format!("`{name}` is declared here, and a value of an enumeration too");
                self.fail(Diagnostic::error(message, span))
            }
            (Some(Meaning::Entity(entity)), None) => self.entity(entity),
            (_, Some(symbol)) => {
                let term = self.relation.terms.scalar(Constant::Symbol(symbol), span);
                Ok(self.sure(term, Type::Symbol))
            }
            (Some(Meaning::Instance(part)), None) => Ok(Value::Instance(part)),
            (None, None) => Ok(Value::Part(Rc::new(Part { instance, text: name.to_string() }))),
        }
    }

    /// What an entity is: an instance, where it is a parameter that stands for one.
    fn entity(&mut self, entity: Entity) -> Parse<Value> {
        match self.through(entity) {
            Target::Instance(part) => Ok(Value::Instance(part)),
            _ => self.value_of(entity),
        }
    }

    /// A name within an instance, once all of it was read.
    fn member(&mut self, instance: usize, text: String, span: Span) -> Parse<Value> {
        match self.meaning(instance, &text) {
            Some(Meaning::Entity(entity)) => self.entity(entity),
            Some(Meaning::Instance(part)) => Ok(Value::Instance(part)),
            None => match self.symbols.get(&text).copied() {
                Some(symbol) if text.contains('.') => {
                    let term = self.relation.terms.scalar(Constant::Symbol(symbol), span);
                    Ok(self.sure(term, Type::Symbol))
                }
                _ => Ok(Value::Part(Rc::new(Part { instance, text }))),
            },
        }
    }

    fn dot(
        &mut self,
        base: &Value,
        name: &str,
        id: NodeId,
        instance: usize,
        span: Span,
    ) -> Parse<Value> {
        match (base, self.node(id)) {
            (Value::Instance(part), _) => self.member(*part, name.to_string(), span),
            (Value::Part(part), _) => {
                self.member(part.instance, format!("{}.{name}", part.text), span)
            }
            // A symbol that is the name of an instance, or the beginning of a longer one, too.
            (Value::Term(_), Node::Name(first)) => match self.dotted(id, instance, name) {
                Target::Instance(part) => Ok(Value::Instance(part)),
                Target::Entity(entity) => self.entity(entity),
                _ => self.member(instance, format!("{first}.{name}"), span),
            },
            (other, _) => {
                let message = format!("`.{name}` is written behind {}", other.describe());
                self.fail(Diagnostic::error(message, span))
            }
        }
    }

    /// An element of an array: where the index is no constant, the one it turns out to be.
    fn index(&mut self, base: NodeId, index: NodeId, values: &Values, span: Span) -> Parse<Value> {
        let array = match values.get(base) {
            Value::Part(part) => {
                let Some(number) = self.text.literal(index) else {
                    return self.unknown(&Rc::clone(part), self.span(base));
                };
                return self.member(part.instance, format!("{}[{number}]", part.text), span);
            }
            Value::Array(array) => Rc::clone(array),
            Value::Term(Typed { ty: Type::Word { .. }, .. }) => {
                let error = Diagnostic::error("a word has no elements", span);
                return self.fail(error.help("write `w[3:3]` for one bit of a word"));
            }
            other => {
                let message = format!("{} has no elements", other.describe());
                return self.fail(Diagnostic::error(message, span));
            }
        };
        let index = self.term(index, values)?;
        let index = self.as_number(index, span)?;
        let high = array.low + array.elements.len() as i64 - 1;
        if let Some(at) = self.number(index.term) {
            let place = usize::try_from(at - array.low).ok();
            return match place.and_then(|place| array.elements.get(place)) {
                Some(element) => Ok(element.clone()),
                None => {
                    let message = format!("there is no element {at}");
                    let error = Diagnostic::error(message, span);
                    self.fail(error.help(format!("indices go from {} to {high}", array.low)))
                }
            };
        }
        self.element(&array, index, span)
    }

    /// Recursion is as deep as arrays have dimensions.
    fn element(&mut self, array: &Array, index: Typed, span: Span) -> Parse<Value> {
        if let Some(Value::Array(first)) = array.elements.first() {
            // An array of arrays: each element of the result is one of those at its place.
            let (low, count) = (first.low, first.elements.len());
            let mut elements = Vec::with_capacity(count);
            for at in 0..count {
                let column = array.elements.iter().map(|row| match row {
                    Value::Array(row) => row.elements.get(at).cloned(),
                    _ => None,
                });
                let Some(column) = column.collect::<Option<Vec<Value>>>() else {
                    let message = "the rows of the array have different lengths";
                    return self.fail(Diagnostic::error(message, span));
                };
                elements.push(self.element(
                    &Array { low: array.low, elements: column },
                    index,
                    span,
                )?);
            }
            return Ok(Value::Array(Rc::new(Array { low, elements })));
        }
        let mut chosen: Option<Typed> = None;
        let mut inside = self.never;
        for (place, element) in array.elements.iter().enumerate().rev() {
            let Value::Term(element) = element else {
                let message = format!("an index chooses from {}", element.describe());
                return self.fail(Diagnostic::error(message, span));
            };
            let at = array.low + place as i64;
            let number = self.relation.terms.scalar(Constant::Int(at), span);
            let here = self.binary(Binary::Equal, index.term, number, span)?;
            inside = self.binary(Binary::Or, here, inside, span)?;
            chosen = Some(match chosen {
                None => *element,
                Some(others) => {
                    let here = Typed { term: here, ty: Type::Bool, fails: self.never };
                    self.chosen(here, *element, others, span)?
                }
            });
        }
        let Some(chosen) = chosen else {
            return self.fail(Diagnostic::error("the array is empty", span));
        };
        let outside = self.unary(Unary::Not, inside, span)?;
        self.reason(outside, "an index is out of bounds", span);
        let fails = self.any([index.fails, outside, chosen.fails], span)?;
        Ok(Value::Term(Typed { fails, ..chosen }))
    }

    fn select(
        &mut self,
        [base, high, low]: [NodeId; 3],
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        let word = self.term(base, values)?;
        let mut ends = [0; 2];
        for (end, id) in ends.iter_mut().zip([high, low]) {
            let typed = self.term(id, values)?;
            let Some(number) = self.number(typed.term) else {
                let message = "the number of a bit must be a constant";
                return self.fail(Diagnostic::error(message, self.span(id)));
            };
            *end = number;
        }
        let Type::Word { width, .. } = word.ty else {
            let message = format!("bits are taken from a word, not {}", word.ty.describe());
            return self.fail(Diagnostic::error(message, self.span(base)));
        };
        let [high, low] = ends;
        if low < 0 || high < low || high >= i64::from(width) {
            let message = format!("there are no bits {high} to {low} in a word of {width}");
            return self.fail(Diagnostic::error(message, span));
        }
        let (high, low) = (high as u32, low as u32);
        let term = self.relation.terms.extract(word.term, high, low, span);
        let term = self.sorted(term, span)?;
        let term = self.folded(term);
        let ty = Type::Word { width: high - low + 1, signed: false };
        Ok(Value::Term(Typed { term, ty, fails: word.fails }))
    }

    fn prefix(
        &mut self,
        operator: Prefix,
        of: NodeId,
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        if operator == Prefix::Not && !matches!(values.get(of), Value::Term(_) | Value::Part(_)) {
            return self.negated(of, values);
        }
        let typed = self.term(of, values)?;
        let op = match (operator, typed.ty) {
            (Prefix::Not, Type::Bool) => Unary::Not,
            (Prefix::Not, Type::Word { .. }) => Unary::Complement,
            (Prefix::Minus, Type::Int | Type::Word { .. }) => Unary::Negate,
            (_, ty) => {
                let sign = if operator == Prefix::Not { "!" } else { "-" };
                let message = format!("`{sign}` stands before {}", ty.describe());
                return self.fail(Diagnostic::error(message, span));
            }
        };
        let term = self.unary(op, typed.term, span)?;
        Ok(Value::Term(Typed { term, ..typed }))
    }

    /// The first of two where a condition is true, else the second: a set, where one is.
    pub fn chosen(&mut self, condition: Typed, a: Typed, b: Typed, span: Span) -> Parse<Typed> {
        let Some(ty) = a.ty.of_branches(b.ty) else {
            let message = format!(
                "one branch is {}, another {}: they are not of one type",
                a.ty.describe(),
                b.ty.describe()
            );
            return self.fail(Diagnostic::error(message, span));
        };
        let (c, terms) = (condition.term, &mut self.relation.terms);
        let term = terms.choose(c, a.term, b.term, span);
        let fails = terms.choose(c, a.fails, b.fails, span);
        let (term, fails) = (self.sorted(term, span)?, self.sorted(fails, span)?);
        let fails = self.any([condition.fails, fails], span)?;
        Ok(Typed { term, ty, fails })
    }

    fn case(&mut self, branches: &[(NodeId, NodeId)], values: &Values, span: Span) -> Parse<Value> {
        let mut uncovered = self.relation.terms.bool(true, span);
        let mut terms = Vec::with_capacity(branches.len());
        for (condition, value) in branches {
            let condition = self.condition(*condition, values)?;
            let not = self.unary(Unary::Not, condition.term, span)?;
            uncovered = self.binary(Binary::And, uncovered, not, span)?;
            terms.push((condition, self.term(*value, values)?, self.span(*value)));
        }
        let Some((condition, mut result, _)) = terms.pop() else {
            return self.fail(Diagnostic::error("`case` has no branches", span));
        };
        // Where no condition holds, the last value stands, and this fails.
        result.fails = self.any([condition.fails, result.fails], span)?;
        for (condition, value, place) in terms.into_iter().rev() {
            result = self.chosen(condition, value, result, place)?;
        }
        if self.relation.terms.term(uncovered) != Term::Bool(false) {
            self.reason(uncovered, "no condition of this `case` holds", span);
            result.fails = self.any([result.fails, uncovered], span)?;
        }
        Ok(Value::Term(result))
    }

    fn call(
        &mut self,
        function: Function,
        arguments: &[NodeId],
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        let mut typed = Vec::with_capacity(arguments.len());
        for id in arguments {
            if function == Function::Next
                && let Value::Array(array) = values.get(*id)
            {
                let array = Rc::clone(array);
                return self.next_array(&array, span);
            }
            typed.push(self.term(*id, values)?);
        }
        let result = match function {
            Function::Next => self.next(typed[0], span),
            _ => self.applied(function, &typed, span),
        };
        result.map(Value::Term)
    }

    /// Recursion is as deep as arrays have dimensions.
    fn next_array(&mut self, array: &Array, span: Span) -> Parse<Value> {
        let mut elements = Vec::with_capacity(array.elements.len());
        for element in &array.elements {
            elements.push(match element {
                Value::Term(typed) => Value::Term(self.next(*typed, span)?),
                Value::Array(inner) => self.next_array(inner, span)?,
                other => {
                    let message = format!("`next` of {}", other.describe());
                    return self.fail(Diagnostic::error(message, span));
                }
            });
        }
        Ok(Value::Array(Rc::new(Array { low: array.low, elements })))
    }
}
