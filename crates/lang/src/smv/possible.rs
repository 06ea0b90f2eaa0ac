//! Whether a condition can be true: what NuSMV reads from the leaves of a decision diagram.
//!
//! Every term has a set of values, numbers between two, or any value. A box gives each variable
//! some of its values.
//!
//! ```text
//! boxes := {all values of all variables}
//! while boxes is not empty:
//!     take a box and compute the values of all terms in it
//!     if the condition is never true in it: go on
//!     if it is always true: there is an example
//!     split the box by a variable that matters, or by a comparison of words
//! ```
//! An example in a box that was split by a comparison may be none. A box is not split for
//! ever: beyond a number of terms computed nobody knows.

use std::collections::HashMap;
use std::rc::Rc;

use homing_budget::checkpoint;
use homing_ir::relation::{
    Array, Binary, Bits, Constant, Domain, Evaluation, Failure, FailureKind, Relation, Sort, Term,
    TermId, Unary, Value, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::instances::Model;
use crate::reading::Parse;

/// How many terms may be computed for a model.
pub const PATIENCE: u64 = 20_000_000;
/// How many terms may be computed for one condition.
const PATIENCE_ONCE: u64 = 2_000_000;
/// A term that may have more values may have any.
const MOST_VALUES: usize = 512;
/// How many pairs of values are gone through.
const MOST_PAIRS: usize = 8192;

/// What values a term may have.
#[derive(Clone)]
enum Set {
    Any,
    /// These, in order.
    Values(Rc<[Value]>),
    /// Numbers from the first to the last.
    Numbers(i64, i64),
}

/// Whether a condition can be true.
enum Answer {
    Never,
    /// Where variables have these values, at this moment and at the next.
    Sometimes(HashMap<(VariableId, bool), Value>),
    Unknown,
}

impl Model<'_> {
    /// Reports an error where a condition can be true: it is made of conditions of which it is
    /// known what they are reasons for. Where nobody knows, a warning is given.
    pub fn refuse_where(&mut self, fails: TermId, span: Span) -> Parse<()> {
        if fails == self.never {
            return Ok(());
        }
        match self.possible(fails) {
            Answer::Never => Ok(()),
            Answer::Sometimes(example) => self.report(fails, &example, span),
            Answer::Unknown => {
                self.is_sure = false;
                let reason = self.relation.terms.cone([fails]).into_iter().rev();
                let reason = reason.into_iter().find_map(|id| self.reasons.get(&id));
                let what = reason.map_or("this has no value", |(what, _)| what.as_str());
                let message = format!("whether it can happen that {what} is too hard to tell");
                let span = reason.map_or(span, |(_, span)| *span);
                let help = "where it does, the last value that could be meant is taken, or there is no step";
                self.reports.add(Diagnostic::warning(message, span).help(help));
                Ok(())
            }
        }
    }

    fn report(
        &mut self,
        fails: TermId,
        example: &HashMap<(VariableId, bool), Value>,
        span: Span,
    ) -> Parse<()> {
        let value = |next: bool| {
            let all = self.relation.numbered();
            all.map(move |(id, one)| {
                example.get(&(id, next)).cloned().unwrap_or_else(|| first(&one.domain))
            })
        };
        let current: Vec<Value> = value(false).collect();
        let next_values: Vec<Value> = value(true).collect();
        let mut evaluation = Evaluation::new(&self.relation, &current, &next_values);
        let cone = self.relation.terms.cone([fails]).into_iter();
        let mut reasons = cone.filter(|id| self.reasons.contains_key(id));
        let reason = reasons.find(|id| evaluation.holds(*id) == Ok(true));
        let (what, place) = match reason.and_then(|id| self.reasons.get(&id)) {
            Some((what, place)) => (what.clone(), *place),
            None => ("this has no value".to_string(), span),
        };
        let support = self.relation.terms.support([reason.unwrap_or(fails)]);
        let shown = |id: &VariableId, next: bool| {
            let variable = self.relation.variable(*id);
            let values = if next { &next_values } else { &current };
            let written = self.relation.written(*id, &values[id.0 as usize]);
            match next {
                true => format!("next({}) = {written}", variable.name),
                false => format!("{} = {written}", variable.name),
            }
        };
        let now = support.current.iter().map(|id| shown(id, false));
        let all: Vec<String> = now.chain(support.next.iter().map(|id| shown(id, true))).collect();
        let error = Diagnostic::error(what, place);
        self.fail(match all.len() {
            0 => error,
            few if few <= 8 => error.help(format!("where {}", all.join(", "))),
            _ => error.help(format!("where {}, …", all[..8].join(", "))),
        })
    }

    fn possible(&mut self, condition: TermId) -> Answer {
        let cone = self.relation.terms.cone([condition]);
        let mut patience = self.patience.min(PATIENCE_ONCE);
        let before = patience;
        let mut boxes = vec![Restriction::default()];
        let search = Search { relation: &self.relation, cone };
        let mut answer = Answer::Never;
        while let Some(within) = boxes.pop() {
            checkpoint();
            let cost = search.cone.len() as u64;
            if patience < cost {
                answer = Answer::Unknown;
                break;
            }
            patience -= cost;
            let values = search.values(&within);
            let found = bools(values.get(&condition));
            match found {
                (_, false) => {}
                (false, true) if within.by_terms.is_empty() => {
                    answer = Answer::Sometimes(search.example(&values));
                    break;
                }
                (false, true) => {
                    answer = Answer::Unknown;
                    break;
                }
                (true, true) => match search.split(condition, &values, &within) {
                    Some(parts) => boxes.extend(parts),
                    None => {
                        answer = Answer::Unknown;
                        break;
                    }
                },
            }
        }
        self.patience -= before - patience;
        answer
    }
}

/// A box: variables with fewer values than they might have, and comparisons taken for granted.
#[derive(Clone, Default)]
struct Restriction {
    by_variables: HashMap<TermId, Set>,
    by_terms: HashMap<TermId, bool>,
}

struct Search<'r> {
    relation: &'r Relation,
    cone: Vec<TermId>,
}

impl Search<'_> {
    fn values(&self, within: &Restriction) -> HashMap<TermId, Set> {
        let mut values = HashMap::with_capacity(self.cone.len());
        for id in &self.cone {
            let set = self.set(*id, &values, within);
            values.insert(*id, set);
        }
        values
    }

    fn set(&self, id: TermId, values: &HashMap<TermId, Set>, within: &Restriction) -> Set {
        if let Some(granted) = within.by_terms.get(&id) {
            return Set::Values(Rc::from([Value::Bool(*granted)]));
        }
        let of = |part: TermId| values.get(&part).cloned().unwrap_or(Set::Any);
        let terms = &self.relation.terms;
        let found = match terms.term(id) {
            Term::Variable(variable) | Term::Next(variable) => match within.by_variables.get(&id) {
                Some(values) => values.clone(),
                None => Set::of(&self.relation.variable(variable).domain),
            },
            Term::Choose(condition, a, b) => match bools(values.get(&condition)) {
                (false, _) => of(a),
                (true, false) => of(b),
                (true, true) => of(a).union(&of(b)),
            },
            Term::Binary(op @ (Binary::And | Binary::Or), a, b) if terms.sort(id) == Sort::Bool => {
                connected(op == Binary::Or, bools(values.get(&a)), bools(values.get(&b)))
            }
            Term::Union(..) | Term::Range(..) => Set::Any,
            term => match self.products(id, &of) {
                Set::Any => numbers(term, &of),
                found => found,
            },
        };
        match (found, terms.sort(id)) {
            (Set::Any, Sort::Bool) => either(true, true),
            (found, _) => found,
        }
    }

    /// The values of a term for all values of its parts. What has no value is left out.
    fn products(&self, id: TermId, of: &dyn Fn(TermId) -> Set) -> Set {
        let parts: Vec<TermId> = self.relation.terms.parts(id).collect();
        let mut sets = Vec::with_capacity(parts.len());
        for part in &parts {
            let Set::Values(values) = of(*part) else { return Set::Any };
            sets.push(values);
        }
        let pairs = sets.iter().map(|set| set.len()).try_fold(1, usize::checked_mul);
        let Some(pairs) = pairs.filter(|pairs| *pairs <= MOST_PAIRS) else { return Set::Any };
        let mut found = Vec::new();
        for mut number in 0..pairs {
            let chosen = sets.iter().map(|set| {
                let value = &set[number % set.len()];
                number /= set.len();
                value
            });
            let chosen: Vec<&Value> = chosen.collect();
            let mut part = |part: TermId| {
                let at = parts.iter().position(|one| *one == part);
                let none = Failure { kind: FailureKind::Choice, span: Span::default() };
                at.map(|at| chosen[at].clone()).ok_or(none)
            };
            found.extend(self.relation.terms.applied(id, &mut part).ok());
        }
        Set::small(found)
    }

    fn example(&self, values: &HashMap<TermId, Set>) -> HashMap<(VariableId, bool), Value> {
        let mut example = HashMap::new();
        for id in &self.cone {
            let key = match self.relation.terms.term(*id) {
                Term::Variable(variable) => (variable, false),
                Term::Next(variable) => (variable, true),
                _ => continue,
            };
            let some = match values.get(id) {
                Some(Set::Values(values)) => values.first().cloned(),
                Some(Set::Numbers(low, _)) => Some(Value::Scalar(Constant::Int(*low))),
                _ => None,
            };
            let domain = &self.relation.variable(key.0).domain;
            example.insert(key, some.unwrap_or_else(|| first(domain)));
        }
        example
    }

    /// Boxes that make up a box, by the first variable with several values that matters to the
    /// condition, or else by the first comparison whose parts may have any values.
    fn split(
        &self,
        condition: TermId,
        values: &HashMap<TermId, Set>,
        within: &Restriction,
    ) -> Option<Vec<Restriction>> {
        let set = |id: &TermId| values.get(id).cloned().unwrap_or(Set::Any);
        let mut seen = std::collections::HashSet::from([condition]);
        let mut left = vec![condition];
        let mut comparison = None;
        while let Some(id) = left.pop() {
            let terms = &self.relation.terms;
            let open = |part: &TermId| set(part).is_open();
            let mut parts: Vec<TermId> = terms.parts(id).filter(open).collect();
            match terms.term(id) {
                Term::Variable(_) | Term::Next(_) => {
                    let Some(parts) = set(&id).split() else { continue };
                    let part = |part| {
                        let mut within = within.clone();
                        within.by_variables.insert(id, part);
                        within
                    };
                    return Some(parts.into_iter().map(part).collect());
                }
                Term::Choose(condition, a, b) => {
                    let taken = bools(values.get(&condition));
                    parts.retain(|part| match taken {
                        (true, false) => *part != a || a == b,
                        (false, true) => *part != b || a == b,
                        _ => true,
                    });
                }
                _ => {}
            }
            let unbounded = parts.iter().any(|part| matches!(set(part), Set::Any));
            if terms.sort(id) == Sort::Bool && unbounded && comparison.is_none() {
                comparison = Some(id);
            }
            // The first part is looked at first: conditions before what they choose.
            let new = parts.into_iter().rev().filter(|part| seen.insert(*part));
            left.extend(new);
        }
        let comparison = comparison?;
        let granted = |granted| {
            let mut within = within.clone();
            within.by_terms.insert(comparison, granted);
            within
        };
        Some([false, true].map(granted).into())
    }
}

impl Set {
    /// The values of a variable.
    fn of(domain: &Domain) -> Set {
        let size = domain.size().filter(|size| *size <= MOST_VALUES as u64);
        match (size, domain) {
            (_, Domain::Array { .. }) => Set::Any,
            (Some(size), _) => Set::Values((0..size).map(|at| domain.value(at)).collect()),
            (None, Domain::Range(low, high)) => Set::Numbers(*low, *high),
            (None, _) => Set::Any,
        }
    }

    fn small(mut values: Vec<Value>) -> Set {
        values.sort_unstable();
        values.dedup();
        if values.len() <= MOST_VALUES {
            return Set::Values(values.into());
        }
        Set::Values(values.into()).ends().map_or(Set::Any, |(low, high)| Set::Numbers(low, high))
    }

    /// The least and the greatest, where all are numbers.
    fn ends(&self) -> Option<(i64, i64)> {
        let number = |value: &Value| match value {
            Value::Scalar(Constant::Int(number)) => Some(*number),
            _ => None,
        };
        match self {
            Set::Any => None,
            Set::Numbers(low, high) => Some((*low, *high)),
            Set::Values(values) => {
                let numbers = values.iter().map(number).collect::<Option<Vec<i64>>>()?;
                Some((*numbers.iter().min()?, *numbers.iter().max()?))
            }
        }
    }

    fn union(&self, other: &Set) -> Set {
        match (self, other) {
            (Set::Values(a), Set::Values(b)) => {
                Set::small(a.iter().chain(b.iter()).cloned().collect())
            }
            _ => match (self.ends(), other.ends()) {
                (Some((a, b)), Some((c, d))) => Set::Numbers(a.min(c), b.max(d)),
                _ => Set::Any,
            },
        }
    }

    /// Whether there is more than one value.
    fn is_open(&self) -> bool {
        match self {
            Set::Any => true,
            Set::Values(values) => values.len() > 1,
            Set::Numbers(low, high) => low < high,
        }
    }

    /// Few values one by one, many in two halves.
    fn split(&self) -> Option<Vec<Set>> {
        match self {
            Set::Any => None,
            Set::Values(values) => {
                let size = if values.len() <= 8 { 1 } else { values.len().div_ceil(2) };
                Some(values.chunks(size).map(|part| Set::Values(Rc::from(part))).collect())
            }
            Set::Numbers(low, high) if low == high => None,
            Set::Numbers(low, high) => {
                let middle = low + (high - low) / 2;
                Some(vec![Set::Numbers(*low, middle), Set::Numbers(middle + 1, *high)])
            }
        }
    }
}

/// What is known of a term by the ends of its parts.
fn numbers(term: Term, of: &dyn Fn(TermId) -> Set) -> Set {
    let ends = |part| of(part).ends();
    let set = |low: Option<i64>, high: Option<i64>| match (low, high) {
        (Some(low), Some(high)) => Set::Numbers(low, high),
        _ => Set::Any,
    };
    match term {
        Term::Unary(Unary::Negate, a) => match ends(a) {
            Some((low, high)) => set(high.checked_neg(), low.checked_neg()),
            None => Set::Any,
        },
        Term::Binary(op, a, b) => {
            let (Some((a, b)), Some((c, d))) = (ends(a), ends(b)) else { return Set::Any };
            match op {
                Binary::Add => set(a.checked_add(c), b.checked_add(d)),
                Binary::Subtract => set(a.checked_sub(d), b.checked_sub(c)),
                Binary::Less => either(b >= c, a < d),
                Binary::Equal => either(!(a == b && c == d && a == c), a <= d && c <= b),
                _ => Set::Any,
            }
        }
        _ => Set::Any,
    }
}

/// False, true, or both.
fn either(no: bool, yes: bool) -> Set {
    let values = [(no, false), (yes, true)].into_iter().filter(|(there, _)| *there);
    Set::Values(values.map(|(_, value)| Value::Bool(value)).collect())
}

/// Whether false is among some values, and whether true is.
fn bools(set: Option<&Set>) -> (bool, bool) {
    match set {
        Some(Set::Values(values)) => {
            (values.contains(&Value::Bool(false)), values.contains(&Value::Bool(true)))
        }
        _ => (true, true),
    }
}

fn connected(or: bool, a: (bool, bool), b: (bool, bool)) -> Set {
    match or {
        true => either(a.0 && b.0, a.1 || b.1),
        false => either(a.0 || b.0, a.1 && b.1),
    }
}

/// Some value of a domain.
fn first(domain: &Domain) -> Value {
    match domain {
        Domain::Bool => Value::Bool(false),
        Domain::Range(low, _) => Value::Scalar(Constant::Int(*low)),
        Domain::Enumeration(values) => {
            values.first().map_or(Value::Bool(false), |value| Value::Scalar(*value))
        }
        Domain::Word { width, .. } => Value::Word(Bits::zero(*width)),
        Domain::Array { index, element } => Value::Array(Array::of(*index, Bits::zero(*element))),
    }
}
