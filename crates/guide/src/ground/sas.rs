//! The ground form as a planning task, in the format that the search component
//! of Fast Downward reads (Helmert, "The Fast Downward Planning System", 2006;
//! "translator output format", version 3, every step of cost one).
//!
//! ```text
//! for every operator, for every choice of one value of every constraint:
//!   an operator of the task; effects that change nothing are left out, and
//!   so are operators that do
//! more than one conjunction of values as a goal, or none:
//!   a variable that one more step sets where a conjunction holds
//! ```
//! Only what is exact is written, so that both tools search the same space:
//! plans are as long as paths to the goal, but for the one more step.
//! Conditional effects are multiplied out where that is cheap, since some of
//! the planner's heuristics do not know them.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use homing_ir::Prepared;
use homing_ir::system::{Command, Part, SlotId, System, Term};

use super::{Constraint, Effect, Ground, Operator, Value, Var, Variable};

/// The most operators of a task.
const OPERATORS: usize = 200_000;

/// The most facts in all its operators together.
const FACTS: usize = 10_000_000;

/// The most operators of a step that conditional effects are multiplied out
/// into.
const SPLIT: usize = 256;

const TOO_MANY: &str = "it has too many cases, one value at a time";

/// A planning task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The variables; the last one is the goal's where there is `goal_step`.
    pub variables: Vec<TaskVariable>,
    /// What must hold in the end.
    pub goal: Vec<Fact>,
    /// The steps.
    pub operators: Vec<TaskOperator>,
    /// Whether a plan has one more step than the path to the goal, since the
    /// goal is no conjunction.
    pub goal_step: bool,
}

/// A variable with one value.
pub type Fact = (Var, Value);

/// A variable of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskVariable {
    /// Its name.
    pub name: String,
    /// The names of its values.
    pub values: Vec<String>,
    /// Its value at first.
    pub initial: Value,
}

/// A step of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskOperator {
    /// Its name, which no other has.
    pub name: String,
    /// When it can happen.
    pub pre: Vec<Fact>,
    /// The conditions of each effect, and what it makes true.
    pub effects: Vec<(Vec<Fact>, Fact)>,
}

/// What a task calls things by.
pub struct Names<'a> {
    /// The name of a slot's value, where it has one.
    pub value: &'a dyn Fn(SlotId, i64) -> Option<String>,
    /// The step with a label.
    pub step: &'a dyn Fn(u32) -> String,
}

/// What keeps a system from being a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The step with this label.
    Step(u32),
    /// The goal.
    Goal,
    /// No single step.
    System,
}

/// Why a system is no task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotSimple {
    /// What it lies with.
    pub blame: Blame,
    /// What is not simple about it.
    pub why: &'static str,
}

impl Task {
    /// The task of reaching `goal` in a space; what stands against it where it
    /// is none.
    pub fn of(space: &Prepared, goal: &Term, names: &Names) -> Result<Task, NotSimple> {
        let system = space.system();
        refuse(system.timing.is_some(), Blame::System, "clocks or priorities decide about steps")?;
        refuse(
            system.has_commitment(),
            Blame::System,
            "committed locations forbid steps of others",
        )?;
        for (label, one) in space.moves().list.iter().enumerate() {
            homing_budget::checkpoint();
            let fails = one.parts(system).into_iter().any(|id| may_fail(system.part(id)));
            refuse(fails, Blame::Step(label as u32), "it may fail with a run-time error")?;
        }
        let ground = Ground::of(space, goal);
        refuse(!ground.goals_exact, Blame::Goal, "it computes with too many values")?;
        for operator in &ground.operators {
            refuse(
                !is_exact(operator),
                Blame::Step(operator.label),
                "it computes with too many values",
            )?;
        }
        let split = ground.split(SPLIT);
        let cheap = split.operators.len() <= OPERATORS && split.operators.iter().all(is_exact);
        Writer { system, names }.task(if cheap { &split } else { &ground })
    }
}

impl Task {
    /// Adds a variable that one more step sets in every case of the goal. No
    /// other step is called as this one: theirs name processes.
    fn add_goal_step(&mut self, cases: Vec<Vec<Fact>>) {
        let reached = (self.variables.len() as Var, 1);
        let values = ["NegatedAtom goal()", "Atom goal()"].map(String::from).to_vec();
        self.variables.push(TaskVariable { name: "goal".into(), values, initial: 0 });
        let mut unique = Unique::default();
        self.operators.extend(cases.into_iter().map(|pre| {
            let effects = vec![(Vec::new(), reached)];
            TaskOperator { name: unique.name("goal"), pre, effects }
        }));
        self.goal = vec![reached];
        self.goal_step = true;
    }
}

fn refuse(not_simple: bool, blame: Blame, why: &'static str) -> Result<(), NotSimple> {
    if not_simple { Err(NotSimple { blame, why }) } else { Ok(()) }
}

fn is_exact(operator: &Operator) -> bool {
    operator.exact && operator.effects.iter().all(|e| !e.may && e.values.len() == 1)
}

/// Whether taking the part, or asking whether it can be taken, may fail.
fn may_fail(part: &Part) -> bool {
    let mut fails = part.source_terms().iter().any(|term| term.may_fail());
    for command in part.commands() {
        command.walk(&mut |command| {
            fails |= matches!(command, Command::While(..) | Command::Require(..));
            fails |= command.terms().iter().any(|term| term.may_fail());
        });
    }
    fails
}

struct Writer<'a> {
    system: &'a System,
    names: &'a Names<'a>,
}

impl Writer<'_> {
    fn task(&self, ground: &Ground) -> Result<Task, NotSimple> {
        let variables = ground.variables.iter().map(|variable| self.variable(variable)).collect();
        let operators = self.operators(ground)?;
        let cases = ground.goals.iter().map(|goal| count(goal));
        let cases = cases.fold(operators.len(), usize::saturating_add);
        refuse(cases > OPERATORS, Blame::Goal, TOO_MANY)?;
        let goals: Vec<Vec<Fact>> = ground.goals.iter().flat_map(|goal| product(goal)).collect();
        let mut task = Task { variables, goal: Vec::new(), operators, goal_step: false };
        match &goals[..] {
            [goal] if !goal.is_empty() => task.goal.clone_from(goal),
            _ => task.add_goal_step(goals),
        }
        Ok(task)
    }

    fn operators(&self, ground: &Ground) -> Result<Vec<TaskOperator>, NotSimple> {
        let mut unique = Unique::default();
        let mut operators = Vec::new();
        let mut facts: usize = 0;
        for operator in &ground.operators {
            homing_budget::checkpoint();
            let blame = Blame::Step(operator.label);
            let choices = count(&operator.pre);
            refuse(choices.saturating_add(operators.len()) > OPERATORS, blame, TOO_MANY)?;
            facts = facts.saturating_add(choices.saturating_mul(size(operator)));
            refuse(facts > FACTS, blame, TOO_MANY)?;
            let name = one_line(&(self.names.step)(operator.label));
            for pre in product(&operator.pre) {
                homing_budget::checkpoint();
                let effects = changes(&pre, &operator.effects);
                if !effects.is_empty() {
                    operators.push(TaskOperator { name: unique.name(&name), pre, effects });
                }
            }
        }
        Ok(operators)
    }

    fn variable(&self, variable: &Variable) -> TaskVariable {
        let name = one_line(&self.system.slots[variable.slot.index()].name);
        let value = |class: usize| {
            let lo = variable.bounds[class];
            let hi = variable.bounds.get(class + 1).map_or(variable.last, |next| next - 1);
            match (self.names.value)(variable.slot, lo) {
                Some(value) if lo == hi => format!("Atom {name}({})", one_line(&value)),
                _ if lo == hi => format!("Atom {name}({lo})"),
                _ => format!("Atom {name}({lo}..{hi})"),
            }
        };
        let values = (0..variable.bounds.len()).map(value).collect();
        TaskVariable { name, values, initial: variable.initial }
    }
}

/// The number of choices of one value of every constraint.
fn count(constraints: &[Constraint]) -> usize {
    let sizes = constraints.iter().map(|constraint| constraint.values.len() as usize);
    sizes.fold(1, usize::saturating_mul)
}

/// The number of facts of an operator, its effects one value at a time.
fn size(operator: &Operator) -> usize {
    let effect = |effect: &Effect| {
        let facts = effect.conditions.len() + 1;
        count(&effect.conditions).saturating_mul(facts)
    };
    operator.effects.iter().map(effect).fold(operator.pre.len(), usize::saturating_add)
}

/// All choices of one value of every constraint.
fn product(constraints: &[Constraint]) -> Vec<Vec<Fact>> {
    let mut all = vec![Vec::new()];
    for Constraint { var, values } in constraints {
        let longer = |facts: &Vec<Fact>| -> Vec<Vec<Fact>> {
            values.iter().map(|value| [&facts[..], &[(*var, value)]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The effects where `pre` holds, one value at a time, without those that
/// cannot apply or change nothing.
fn changes(pre: &[Fact], effects: &[Effect]) -> Vec<(Vec<Fact>, Fact)> {
    let known = |var: Var| pre.iter().find(|(other, _)| *other == var).map(|(_, value)| *value);
    let mut changes = Vec::new();
    for effect in effects {
        let values = effect.values.iter().filter(|value| known(effect.var) != Some(*value));
        for value in values {
            for mut conditions in product(&effect.conditions) {
                if conditions.iter().all(|(var, value)| known(*var).is_none_or(|is| is == *value)) {
                    conditions.retain(|(var, _)| known(*var).is_none());
                    changes.push((conditions, (effect.var, value)));
                }
            }
        }
    }
    changes
}

/// Makes names unique by numbers.
#[derive(Default)]
struct Unique {
    /// The names, each with the number it was last made unique by.
    taken: BTreeMap<String, usize>,
}

impl Unique {
    fn name(&mut self, name: &str) -> String {
        let mut number = self.taken.get(name).copied().unwrap_or(0);
        let mut unique = name.to_string();
        while self.taken.contains_key(&unique) {
            number += 1;
            unique = format!("{name} #{}", number + 1);
        }
        self.taken.insert(name.into(), number);
        self.taken.entry(unique.clone()).or_insert(0);
        unique
    }
}

/// The format has a name a line.
fn one_line(name: &str) -> String {
    name.replace(char::is_control, " ").trim().into()
}

impl Display for Task {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(out, "begin_version\n3\nend_version\nbegin_metric\n0\nend_metric")?;
        writeln!(out, "{}", self.variables.len())?;
        for TaskVariable { name, values, .. } in &self.variables {
            // Of layer -1: no axiom sets it.
            writeln!(out, "begin_variable\n{name}\n-1\n{}", values.len())?;
            values.iter().try_for_each(|value| writeln!(out, "{value}"))?;
            writeln!(out, "end_variable")?;
        }
        writeln!(out, "0\nbegin_state")?;
        self.variables.iter().try_for_each(|variable| writeln!(out, "{}", variable.initial))?;
        writeln!(out, "end_state\nbegin_goal\n{}", self.goal.len())?;
        self.goal.iter().try_for_each(|(var, value)| writeln!(out, "{var} {value}"))?;
        writeln!(out, "end_goal\n{}", self.operators.len())?;
        self.operators.iter().try_for_each(|operator| write!(out, "{operator}"))?;
        writeln!(out, "0")
    }
}

impl Display for TaskOperator {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let changes = |var: Var| self.effects.iter().any(|(_, (other, _))| *other == var);
        let prevail: Vec<&Fact> = self.pre.iter().filter(|(var, _)| !changes(*var)).collect();
        writeln!(out, "begin_operator\n{}\n{}", self.name, prevail.len())?;
        prevail.iter().try_for_each(|(var, value)| writeln!(out, "{var} {value}"))?;
        writeln!(out, "{}", self.effects.len())?;
        for (conditions, (var, value)) in &self.effects {
            write!(out, "{} ", conditions.len())?;
            conditions.iter().try_for_each(|(var, value)| write!(out, "{var} {value} "))?;
            match self.pre.iter().find(|(other, _)| other == var) {
                Some((_, before)) => writeln!(out, "{var} {before} {value}")?,
                None => writeln!(out, "{var} -1 {value}")?,
            }
        }
        writeln!(out, "1\nend_operator")
    }
}
