//! From a tree to a relation: what modules declare, assign, constrain and specify, instance
//! by instance.

use homing_ir::relation::{
    Constant, Ctl, Definition, Domain, Goal, Kind, Relation, Specification, SymbolId, Term, TermId,
};
use homing_ir::temporal::Formula;
use homing_ir::{Diagnostic, Span};

use super::assign::Assignments;
use super::instances::{Entity, Model, State};
use super::syntax::{self, Asks, Constraint, Expr, Module, Moment};
use super::values::{Type, Typed, Value};
use crate::reading::{Parse, Reported};

/// The input that says which process runs.
const SELECTOR: &str = "_process_selector_";

impl<'t> Model<'t> {
    /// Instances with the modules whose sections belong to them.
    fn sections(&self) -> Vec<(usize, &'t Module<'t>)> {
        let instances = self.instances.iter().enumerate();
        let module = |number: &usize| &self.text.modules[*number];
        let of =
            instances.map(|(at, one)| one.modules.iter().map(move |number| (at, module(number))));
        of.flatten().collect()
    }

    /// Fills the relation. What is wrong is reported.
    pub fn build(&mut self) -> Parse<()> {
        self.instantiate()?;
        let running = self.select_processes()?;
        for number in 0..self.variables.len() {
            let _ = self.find(Entity::Variable(number));
        }
        for number in 0..self.bodies.len() {
            if !self.bodies[number].is_parameter {
                let _ = self.find(Entity::Body(number));
            }
        }
        let mut assignments = Assignments::default();
        for (instance, module) in self.sections() {
            for one in &module.assignments {
                let _ = self.assignment(one, instance, &mut assignments);
            }
            for (what, condition) in &module.constraints {
                let _ = self.constraint(*what, *condition, instance);
            }
            for (asked, granted) in &module.compassion {
                let pair = (self.stated(*asked, instance), self.stated(*granted, instance));
                if let (Ok(asked), Ok(granted)) = pair {
                    self.relation.compassion.push((asked, granted));
                }
            }
        }
        self.assign(assignments, &running)?;
        self.specify();
        self.name_macros();
        Ok(())
    }

    /// The input that chooses a process, and for each process the condition that it runs; none
    /// where there is but the main one.
    fn select_processes(&mut self) -> Parse<Vec<TermId>> {
        if self.processes.len() < 2 {
            return Ok(Vec::new());
        }
        let span = self.module_of(self.processes[0]).name.span;
        let processes = self.processes.clone();
        let mut values = Vec::new();
        for process in &processes {
            let prefix = &self.instances[*process].prefix;
            let name = prefix.strip_suffix('.').unwrap_or("main").to_string();
            values.push(SymbolId(self.relation.symbols.len() as u32));
            self.relation.symbols.push(name);
        }
        let all = values.iter().map(|id| Constant::Symbol(*id)).collect();
        let selector = self.relation.declare(SELECTOR, Kind::Input, Domain::Enumeration(all), span);
        let read = self.relation.read(selector, span);
        let value = self.sure(read, Type::Symbol);
        self.known(0, SELECTOR, value, span)?;
        let mut running = Vec::new();
        for (process, symbol) in processes.into_iter().zip(values) {
            let symbol = self.relation.terms.scalar(Constant::Symbol(symbol), span);
            let chosen = self.binary(homing_ir::relation::Binary::Equal, read, symbol, span)?;
            let value = self.sure(chosen, Type::Bool);
            self.known(process, "running", value, span)?;
            running.push(chosen);
        }
        Ok(running)
    }

    /// The value of an expression that stands in an instance.
    pub fn value(&mut self, expr: Expr, instance: usize) -> Parse<Value> {
        self.prepare(expr, instance)?;
        self.lowered(expr, instance)
    }

    /// A condition, which has a value whatever variables are.
    fn condition_of(&mut self, expr: Expr, instance: usize) -> Parse<Typed> {
        let span = self.span(expr.root);
        match self.value(expr, instance)? {
            Value::Term(typed) if typed.ty == Type::Bool => {
                self.refuse_where(typed.fails, span)?;
                Ok(typed)
            }
            other => {
                let message = format!("expected a boolean, found {}", other.describe());
                self.fail(Diagnostic::error(message, span))
            }
        }
    }

    /// A condition on one moment.
    fn stated(&mut self, expr: Expr, instance: usize) -> Parse<TermId> {
        let typed = self.condition_of(expr, instance)?;
        self.of_moment(typed, self.span(expr.root))?;
        Ok(typed.term)
    }

    fn constraint(&mut self, what: Constraint, expr: Expr, instance: usize) -> Parse<()> {
        let span = self.span(expr.root);
        let term = match what {
            Constraint::Trans => self.condition_of(expr, instance)?.term,
            _ => self.stated(expr, instance)?,
        };
        match what {
            Constraint::Init | Constraint::Invar => {
                self.without_inputs(term, span)?;
                match what {
                    Constraint::Init => self.relation.init.push(term),
                    _ => self.relation.invariants.push(term),
                }
            }
            Constraint::Trans => self.relation.transitions.push(term),
            Constraint::Justice => self.relation.justice.push(term),
        }
        Ok(())
    }

    /// Refuses a term that reads inputs.
    pub fn without_inputs(&mut self, term: TermId, span: Span) -> Parse<()> {
        match self.input_in([term]) {
            None => Ok(()),
            Some(name) => {
                let message = format!("the input `{name}` cannot stand here");
                let error = Diagnostic::error(message, span);
                self.fail(error.help("inputs stand in `TRANS`, `FAIRNESS` and next values only"))
            }
        }
    }

    fn specify(&mut self) {
        let mut counts = [0usize; 5];
        let mut named = std::collections::HashMap::new();
        for (instance, module) in self.sections() {
            for one in &module.specifications {
                homing_budget::checkpoint();
                let (kind, word) = match one.asks {
                    Asks::Invariant(_) => (0, "invar"),
                    Asks::Ctl(_) => (1, "ctl"),
                    Asks::Ltl(_) => (2, "ltl"),
                    Asks::Psl => (3, "psl"),
                    Asks::Distance { .. } => (4, "compute"),
                };
                counts[kind] += 1;
                let name = match &one.name {
                    Some(name) => format!("{}{name}", self.instances[instance].prefix),
                    None => format!("{word}{}", counts[kind]),
                };
                if let Some(first) = named.insert(name.clone(), one.span) {
                    let message = format!("two specifications are called `{name}`");
                    let error = Diagnostic::error(message, one.span);
                    self.reports.add(error.related(first, "the first is here"));
                }
                if let Ok(goal) = self.goal(one, instance) {
                    let span = one.span;
                    self.relation.specifications.push(Specification { name, goal, span });
                }
            }
        }
    }

    fn goal(&mut self, one: &syntax::Specification, instance: usize) -> Parse<Goal> {
        let instance = match one.context {
            None => instance,
            Some(context) => match self.value(context, instance)? {
                Value::Instance(part) => part,
                other => {
                    let message = format!("expected an instance, found {}", other.describe());
                    return self.fail(Diagnostic::error(message, self.span(context.root)));
                }
            },
        };
        match one.asks {
            Asks::Psl => Ok(Goal::Unsupported("properties in PSL are not read".into())),
            Asks::Invariant(expr) => self.invariant(expr, instance),
            Asks::Ctl(expr) => self.ctl(expr, instance),
            Asks::Ltl(expr) => self.ltl(expr, instance),
            Asks::Distance { shortest, from, to } => {
                let mut ends = [self.never; 2];
                for (end, expr) in ends.iter_mut().zip([from, to]) {
                    match self.value(expr, instance)? {
                        Value::Term(_) => *end = self.stated(expr, instance)?,
                        _ => {
                            let why = "ways between temporal formulas are not measured";
                            return Ok(Goal::Unsupported(why.into()));
                        }
                    }
                    self.without_inputs(*end, self.span(expr.root))?;
                }
                let [from, to] = ends;
                Ok(Goal::Distance { shortest, from, to })
            }
        }
    }

    /// An invariant of steps is one of states that remember whether it held at the last step.
    fn invariant(&mut self, expr: Expr, instance: usize) -> Parse<Goal> {
        let span = self.span(expr.root);
        let typed = self.condition_of(expr, instance)?;
        if !self.reads(typed.term).next {
            return Ok(Goal::Invariant(typed.term));
        }
        let name = format!("_invariant_{}_", self.relation.variables.len());
        let held = self.relation.declare(name, Kind::State, Domain::Bool, span);
        self.relation.variables[held.0 as usize].hidden = true;
        let always = self.relation.terms.bool(true, span);
        self.relation.initially.push(Definition { variable: held, value: always, span });
        self.relation.next.push(Definition { variable: held, value: typed.term, span });
        Ok(Goal::Invariant(self.relation.read(held, span)))
    }

    fn ctl(&mut self, expr: Expr, instance: usize) -> Parse<Goal> {
        let span = self.span(expr.root);
        let formula = match self.value(expr, instance)? {
            Value::Unsupported(why) => return Ok(Goal::Unsupported(why.to_string())),
            Value::Tree(tree) => {
                self.refuse_where(tree.fails, span)?;
                tree.formula.clone()
            }
            Value::Term(typed) if typed.ty == Type::Bool => {
                self.refuse_where(typed.fails, span)?;
                self.tree_of(typed, span)?.formula
            }
            other => {
                let message =
                    format!("expected a formula of computation trees, found {}", other.describe());
                return self.fail(Diagnostic::error(message, span));
            }
        };
        Ok(match &formula {
            Ctl::AllAlways(inner) => match **inner {
                Ctl::Atom(term) if self.goes_on() => Goal::Invariant(term),
                _ => Goal::Ctl(formula),
            },
            _ => Goal::Ctl(formula),
        })
    }

    /// Whether every run can go on, and is fair: each state has a successor, since nothing but
    /// values that are there are assigned.
    fn goes_on(&self) -> bool {
        let Relation { transitions, invariants, justice, compassion, .. } = &self.relation;
        let unconstrained = transitions.is_empty() && invariants.is_empty();
        self.is_sure && unconstrained && justice.is_empty() && compassion.is_empty()
    }

    fn ltl(&mut self, expr: Expr, instance: usize) -> Parse<Goal> {
        let span = self.span(expr.root);
        let (formula, fails) = match self.value(expr, instance)? {
            Value::Unsupported(why) => return Ok(Goal::Unsupported(why.to_string())),
            Value::Run(run) => (run.formula.clone(), run.fails),
            Value::Term(typed) if typed.ty == Type::Bool => match self.run_of(typed, span)? {
                Ok(run) => (run.formula, run.fails),
                Err(why) => return Ok(Goal::Unsupported(why.to_string())),
            },
            other => {
                let message = format!("expected a formula of runs, found {}", other.describe());
                return self.fail(Diagnostic::error(message, span));
            }
        };
        self.refuse_where(fails, span)?;
        Ok(Goal::Ltl(self.with_constants(formula)))
    }

    /// The formula with constants in place of atoms that are constants.
    fn with_constants(&self, formula: Formula<TermId>) -> Formula<TermId> {
        match formula {
            Formula::Atom(term) => match self.relation.terms.term(term) {
                Term::Bool(value) => Formula::Constant(value),
                _ => Formula::Atom(term),
            },
            other => other,
        }
    }

    /// Macros are shown beside variables.
    fn name_macros(&mut self) {
        for number in 0..self.bodies.len() {
            let body = &self.bodies[number];
            let State::Done(Value::Term(typed)) = body.state else { continue };
            let plain = !body.is_parameter && !typed.ty.is_set() && typed.fails == self.never;
            if plain && !self.reads(typed.term).next {
                self.relation.named.push((self.bodies[number].name.clone(), typed.term));
            }
        }
    }

    /// Refuses a temporal formula where a value is wanted.
    pub fn plain(&mut self, value: Value, expr: Expr) -> Parse<Value> {
        match value {
            Value::Tree(_) | Value::Run(_) | Value::Unsupported(_) => {
                let message = "a temporal operator stands in specifications only";
                self.reports.add(Diagnostic::error(message, self.span(expr.root)));
                Err(Reported)
            }
            other => Ok(other),
        }
    }

    /// Which moment an assignment speaks of, in words.
    pub fn written_moment(moment: Moment, name: &str) -> String {
        match moment {
            Moment::Initial => format!("init({name})"),
            Moment::Next => format!("next({name})"),
            Moment::Every => name.to_string(),
        }
    }
}
