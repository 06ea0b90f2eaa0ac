//! Assignments.
//!
//! ```text
//! without processes    one assignment a variable and moment; next(x) := e
//! with processes       next(x) := a runs ? e_a : b runs ? e_b : … : x
//! ```
//! A variable that is assigned at every moment is assigned nowhere else. Assignments of one
//! moment depend on each other without a circle.

use std::collections::{BTreeMap, HashMap};

use homing_ir::relation::{Circular, Definition, Kind, TermId, VariableId, ordered};
use homing_ir::{Diagnostic, Span};

use super::instances::Model;
use super::syntax::{Assignment, Moment};
use super::values::{Type, Typed, Value};
use crate::reading::Parse;

/// What is assigned, in the order of variables.
#[derive(Default)]
pub struct Assignments {
    all: BTreeMap<(VariableId, Moment), Vec<Assigned>>,
}

#[derive(Clone, Copy)]
struct Assigned {
    process: usize,
    value: Typed,
    span: Span,
}

impl Model<'_> {
    /// Notes an assignment of an instance: to a variable, or to all elements of an array.
    pub fn assignment(
        &mut self,
        one: &Assignment,
        instance: usize,
        assignments: &mut Assignments,
    ) -> Parse<()> {
        let span = self.span(one.variable.root);
        let target = self.value(one.variable, instance)?;
        let value = self.value(one.value, instance)?;
        let place = span.to(self.span(one.value.root));
        let process = self.instances[instance].process;
        let mut left = vec![(target, value)];
        while let Some(pair) = left.pop() {
            match pair {
                (Value::Term(target), Value::Term(value)) => {
                    let assigned = Assigned { process, value, span: place };
                    self.assigned(target, one.moment, assigned, span, assignments)?;
                }
                (Value::Array(target), Value::Array(value))
                    if target.elements.len() == value.elements.len() =>
                {
                    let pairs = target.elements.iter().cloned().zip(value.elements.iter().cloned());
                    left.extend(pairs);
                }
                (target, value) => {
                    let (target, value) = (target.describe(), value.describe());
                    let message = format!("{target} is assigned {value}");
                    return self.fail(Diagnostic::error(message, place));
                }
            }
        }
        Ok(())
    }

    fn assigned(
        &mut self,
        target: Typed,
        moment: Moment,
        assigned: Assigned,
        span: Span,
        assignments: &mut Assignments,
    ) -> Parse<()> {
        let homing_ir::relation::Term::Variable(variable) = self.relation.terms.term(target.term)
        else {
            return self.fail(Diagnostic::error("only variables can be assigned", span));
        };
        let (name, kind) = {
            let variable = self.relation.variable(variable);
            (variable.name.clone(), variable.kind)
        };
        if kind == Kind::Input {
            let message = format!("`{name}` is an input, which cannot be assigned");
            return self.fail(Diagnostic::error(message, span));
        }
        if kind == Kind::Frozen && moment != Moment::Initial {
            let error = Diagnostic::error(format!("`{name}` never changes"), span);
            return self.fail(error.help(format!("only `init({name})` can be assigned")));
        }
        let ty = assigned.value.ty.single();
        if !target.ty.takes(ty) {
            let (target, ty) = (target.ty.describe(), ty.describe());
            let message = format!("`{name}` is {target}, and assigned {ty}");
            let error = Diagnostic::error(message, assigned.span);
            let booleans = target.contains("boolean") && ty.contains("number");
            return self.fail(match booleans {
                true => error.help("booleans are `FALSE` and `TRUE`, not 0 and 1"),
                false => error,
            });
        }
        if moment != Moment::Next {
            self.of_moment(assigned.value, assigned.span)?;
            self.without_inputs(assigned.value.term, assigned.span)?;
        }
        assignments.all.entry((variable, moment)).or_default().push(assigned);
        Ok(())
    }

    /// Makes definitions of all that is assigned; `running` has a condition a process.
    pub fn assign(&mut self, assignments: Assignments, running: &[TermId]) -> Parse<()> {
        self.refuse_twice(&assignments, !running.is_empty());
        for ((variable, moment), all) in assignments.all {
            homing_budget::checkpoint();
            let _ = self.define(variable, moment, &all, running);
        }
        let always = self.relation.always.clone();
        let first: Vec<Definition> =
            self.relation.initially.iter().chain(&always).copied().collect();
        self.refuse_circles(&first, 0)?;
        let next: Vec<Definition> = self.relation.next.iter().chain(&always).copied().collect();
        self.refuse_circles(&next, self.relation.next.len())
    }

    fn refuse_twice(&mut self, assignments: &Assignments, processes: bool) {
        for ((variable, moment), all) in &assignments.all {
            let name = self.relation.variable(*variable).name.clone();
            let shown = Self::written_moment(*moment, &name);
            if let [first, second, ..] = &all[..]
                && !(processes && *moment == Moment::Next)
            {
                let error = Diagnostic::error(format!("`{shown}` is assigned twice"), second.span);
                self.reports.add(error.related(first.span, "assigned here first"));
            }
            if *moment == Moment::Every {
                continue;
            }
            if let Some(every) = assignments.all.get(&(*variable, Moment::Every)) {
                let message = format!("`{name}` is assigned, and `{shown}`, too");
                let error = Diagnostic::error(message, all[0].span);
                self.reports.add(error.related(every[0].span, "assigned here at every moment"));
            }
        }
    }

    fn define(
        &mut self,
        id: VariableId,
        moment: Moment,
        all: &[Assigned],
        running: &[TermId],
    ) -> Parse<()> {
        let [.., last] = all else { return Ok(()) };
        let span = last.span;
        let mut value = last.value;
        if moment == Moment::Next && !running.is_empty() {
            let kept = self.relation.read(id, span);
            value = Typed { term: kept, ty: Type::Bool, fails: self.never };
            for one in all {
                let condition = running[one.process];
                let terms = &mut self.relation.terms;
                let term = terms.choose(condition, one.value.term, value.term, one.span);
                let fails = terms.choose(condition, one.value.fails, value.fails, one.span);
                let term = self.sorted(term, one.span)?;
                value = Typed { term, fails: self.sorted(fails, one.span)?, ..value };
            }
        }
        let variable = self.relation.variable(id);
        let (name, domain) = (variable.name.clone(), variable.domain.clone());
        let outside = self.outside(value.term, &domain, span)?;
        if outside != self.never {
            let shown = Self::written_moment(moment, &name);
            self.reason(
                outside,
                format!("`{shown}` is assigned a value that it cannot have"),
                span,
            );
        }
        let fails = self.any([value.fails, outside], span)?;
        self.refuse_where(fails, span)?;
        let definition = Definition { variable: id, value: value.term, span };
        match moment {
            Moment::Initial => self.relation.initially.push(definition),
            Moment::Next => self.relation.next.push(definition),
            Moment::Every => self.relation.always.push(definition),
        }
        Ok(())
    }

    /// Refuses definitions of one moment that depend on each other in a circle. The first
    /// `between` of them read the next moment.
    fn refuse_circles(&mut self, definitions: &[Definition], between: usize) -> Parse<()> {
        let Err(Circular(start)) = ordered(&self.relation, definitions, |i| i < between) else {
            return Ok(());
        };
        let circle = self.circle(definitions, between, start);
        let shown = |at: &usize| {
            let name = &self.relation.variable(definitions[*at].variable).name;
            Self::written_moment(if *at < between { Moment::Next } else { Moment::Every }, name)
        };
        let names: Vec<String> = circle.iter().take(10).map(shown).collect();
        let first = names.first().cloned().unwrap_or_default();
        let message = match circle.len() {
            1 => format!("`{first}` depends on itself"),
            2..=10 => format!("`{first}` depends on itself: `{}`, `{first}`", names.join("`, `")),
            _ => format!("`{first}` depends on itself: `{}`, …, `{first}`", names.join("`, `")),
        };
        let place = circle.first().map_or(Span::default(), |at| definitions[*at].span);
        let mut error = Diagnostic::error(message, place);
        for at in circle.iter().skip(1).take(9) {
            error = error.related(definitions[*at].span, "by way of this");
        }
        self.fail(error)
    }

    /// A shortest way from a definition back to itself, breadth-first.
    fn circle(&self, definitions: &[Definition], between: usize, start: VariableId) -> Vec<usize> {
        let places: HashMap<VariableId, usize> =
            definitions.iter().enumerate().map(|(at, one)| (one.variable, at)).collect();
        let Some(start) = places.get(&start).copied() else { return Vec::new() };
        let mut from: HashMap<usize, usize> = HashMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            let support = self.relation.terms.support([definitions[at].value]);
            let read = if at < between { support.next } else { support.current };
            for next in read.iter().filter_map(|id| places.get(id).copied()) {
                if next == start {
                    let mut way = vec![at];
                    while let Some(before) = from.get(&way[way.len() - 1]) {
                        way.push(*before);
                    }
                    way.reverse();
                    return way;
                }
                if let std::collections::hash_map::Entry::Vacant(entry) = from.entry(next) {
                    entry.insert(at);
                    queue.push_back(next);
                }
            }
        }
        vec![start]
    }
}
