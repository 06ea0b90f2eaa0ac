//! Processes: which there are, and how they start and end.

use std::collections::BTreeMap;

use homing_ir::Span;
use homing_ir::network::{
    Binary as Op, Expr, ExprKind as Kind, Lifetime, Location, LocationId, Place, Process,
    ProcessId, Role, Statement, StatementKind, Storage as Keep, Type, Variable, VariableId,
};

use super::super::syntax::{self, ExprKind, Initial, TypeName};
use super::expression::binary;
use super::{Birth, Context, Instance, Lowering, MOST_PROCESSES, Storage, int};

/// What is given for the parameters that are records, by their positions.
type Records = Vec<(usize, Vec<Place>)>;

impl Lowering<'_> {
    /// Makes all processes.
    pub(super) fn processes(&mut self) {
        let permanent = self.permanent();
        let mut births: Vec<(Birth, bool)> = permanent.iter().map(|birth| (*birth, true)).collect();
        let started = self.wishes.births.iter().filter(|birth| birth.1 < self.types.len());
        births.extend(started.map(|birth| (*birth, false)));
        births.sort_unstable();
        self.counters(permanent.len());
        for ((pid, ty), alive) in births {
            self.instance(pid, ty, alive);
        }
        for at in 0..self.instances.len() {
            self.locals(at);
        }
        self.priorities();
        self.traces();
        for at in 0..self.instances.len() {
            homing_budget::checkpoint();
            self.body(at);
        }
    }

    /// The processes that are there from the start, in SPIN's order: that of
    /// the text.
    fn permanent(&mut self) -> Vec<Birth> {
        let mut found = Vec::new();
        for ty in 0..self.types.len() {
            let ast = self.types[ty].ast;
            let count = match (&ast.active, ast.init) {
                (_, true) => 1,
                (Some(count), false) => self.constant(count).unwrap_or(0),
                (None, false) => 0,
            };
            for _ in 0..count.clamp(0, i64::from(MOST_PROCESSES) + 1) {
                found.push((found.len() as u32, ty));
            }
            if found.len() as u32 > MOST_PROCESSES {
                let message = format!("more than {MOST_PROCESSES} processes");
                self.fail(message, ast.name.span);
                found.truncate(MOST_PROCESSES as usize);
                break;
            }
        }
        if found.is_empty() && !self.types.is_empty() {
            let span = self.types[0].ast.name.span;
            let error = homing_ir::Diagnostic::error("no process is there at the start", span);
            self.reports.add(error.help("write `active` before a `proctype`, or add `init { … }`"));
        }
        found
    }

    /// `_nr_pr`, and `_last` where it is used.
    fn counters(&mut self, alive: usize) {
        let variable = |name: &str, initial: i64| Variable {
            name: name.to_string(),
            span: Span::default(),
            owner: None,
            ty: Type::wrapping(0, 255),
            initial: vec![initial],
            storage: Keep::State,
        };
        self.count = Some(VariableId(self.network.variables.len() as u32));
        self.network.variables.push(variable("_nr_pr", alive as i64));
        if self.uses_last {
            self.last = Some(VariableId(self.network.variables.len() as u32));
            self.network.variables.push(variable("_last", 0));
        }
    }

    fn instance(&mut self, pid: u32, ty: usize, alive: bool) {
        let process = ProcessId(self.network.processes.len() as u32);
        let ast = self.types[ty].ast;
        let name = match ast.init {
            true => "init".to_string(),
            false => format!("{}[{pid}]", ast.name.text),
        };
        let lifetime = match alive {
            true => Lifetime::Permanent,
            false => Lifetime::Startable(Self::template(ty, pid)),
        };
        let flow = &self.types[ty].flow;
        let initial = self.types[ty].locations.get(&flow.start).copied().unwrap_or(0);
        // The first label in order of names, where there are several.
        let labels: BTreeMap<u32, &String> =
            flow.labels.iter().rev().map(|(name, number)| (*number, name)).collect();
        let named = |number: u32| match labels.get(&number) {
            Some(label) => label.to_string(),
            None => format!("S{number}"),
        };
        let locations = flow.states.iter().map(|(number, state)| Location {
            name: named(*number),
            span: state.span,
            end: state.end,
            progress: state.progress,
            accepting: state.accepting,
            ..Location::default()
        });
        self.network.processes.push(Process {
            name,
            span: ast.name.span,
            locations: locations.collect(),
            initial: LocationId(initial),
            edges: Vec::new(),
            lifetime,
            parameters: Vec::new(),
            role: Role::System,
            priority: 0,
            code: Some(pid),
        });
        self.instances.push(Instance {
            pid,
            ty,
            process,
            locals: Vec::new(),
            channels: Vec::new(),
        });
    }

    /// The variables of a process. Parameters, and those whose initial value
    /// depends on the state, are given when it starts.
    fn locals(&mut self, at: usize) {
        let (process, ty) = (self.instances[at].process, self.instances[at].ty);
        let locals = self.types[ty].locals.clone();
        for (index, local) in locals.iter().enumerate() {
            let before = self.network.channels.len() as u32;
            let storage = self.storage(local, Some(process));
            let made = before..self.network.channels.len() as u32;
            self.instances[at].channels.extend(made.map(homing_ir::network::ChannelId));
            if let Storage::Variable(id) = storage {
                // Records are assigned part by part when the process starts.
                let kept = &self.network.variables[id.index()].ty;
                let parameter = index < self.parameters(ty) && self.network.scalar(kept).is_some();
                if parameter || self.late_value(ty, index).is_some() {
                    if self.network.processes[process.index()].lifetime == Lifetime::Permanent {
                        self.value_at_start(at, ty, index, id);
                    } else {
                        self.network.processes[process.index()].parameters.push(id);
                    }
                }
            }
            self.instances[at].locals.push(storage);
        }
    }

    pub(super) fn parameters(&self, ty: usize) -> usize {
        self.types[ty].ast.parameters.iter().map(|declaration| declaration.variables.len()).sum()
    }

    /// The initial value of a variable that must be computed when its process
    /// starts.
    fn late_value(&self, ty: usize, index: usize) -> Option<syntax::Expr> {
        let local = &self.types[ty].locals[index];
        match &local.initial {
            Some(Initial::Value(value)) if local.at_start => {
                self.evaluate(value, false).is_none().then(|| value.clone())
            }
            _ => None,
        }
    }

    /// The value of such a variable of a process that is there from the start.
    fn value_at_start(&mut self, at: usize, ty: usize, index: usize, id: VariableId) {
        let Some(value) = self.late_value(ty, index) else { return };
        let known = self.known_at_start(&value, at);
        match known {
            Some(value) => {
                let kept = self.fitted(value, &self.network.variables[id.index()].ty.clone());
                let count = self.network.scalars(&self.network.variables[id.index()].ty);
                self.network.variables[id.index()].initial = vec![kept; count];
            }
            None => self.fail("this initial value cannot be computed before the start", value.span),
        }
    }

    /// The value of an expression in the initial state, its process's earlier
    /// variables included.
    fn known_at_start(&self, expr: &syntax::Expr, at: usize) -> Option<i64> {
        let ty = self.instances[at].ty;
        let substituted = replace(expr, &|name| {
            if name == "_pid" {
                return Some(number(i64::from(self.instances[at].pid), expr.span));
            }
            let local = self.types[ty].locals.iter().position(|local| local.name.text == name)?;
            let Storage::Variable(id) = self.instances[at].locals.get(local)? else { return None };
            let initial = &self.network.variables[id.index()].initial;
            Some(number(initial.first().copied().unwrap_or(0), expr.span))
        });
        self.evaluate(&substituted, true)
    }

    /// The statements of `run`: starts the process at number `_nr_pr`.
    pub(super) fn run(&mut self, run: &syntax::Expr, cx: Context) -> Vec<Statement> {
        let ExprKind::Run { name, arguments, .. } = &run.kind else { return Vec::new() };
        let span = run.span;
        let Some(ty) = self.types.iter().position(|ty| ty.ast.name.text == name.text) else {
            self.fail(format!("there is no process type `{}`", name.text), name.span);
            return Vec::new();
        };
        let wanted = self.parameters(ty);
        if wanted != arguments.len() {
            let given = arguments.len();
            let message = format!("{given} arguments where `{}` takes {wanted}", name.text);
            self.fail(message, span);
            return Vec::new();
        }
        let statement = |kind| Statement { kind, span };
        let Some((values, records)) = self.arguments(ty, arguments, cx) else { return Vec::new() };
        let mut chain = vec![statement(StatementKind::Start {
            template: Self::template(ty, MOST_PROCESSES),
            arguments: values.clone(),
            started: None,
        })];
        for at in (0..self.instances.len()).rev() {
            homing_budget::checkpoint();
            let instance = self.instances[at].clone();
            let process = &self.network.processes[instance.process.index()];
            if instance.ty != ty || process.lifetime == Lifetime::Permanent {
                continue;
            }
            let mut given = values.clone();
            given.extend(self.late_values(at, arguments, cx));
            given.extend(self.given_rank(at, run));
            let start = StatementKind::Start {
                template: Self::template(ty, instance.pid),
                arguments: given,
                started: None,
            };
            let next = binary(Op::Eq, self.running(span), int(i64::from(instance.pid), span), span);
            let mut started = vec![statement(start)];
            started.extend(self.handed_over(at, &records, span));
            chain = vec![statement(StatementKind::If(next, started, chain))];
        }
        chain
    }

    /// What is given for scalar parameters, and for records, by their positions.
    fn arguments(
        &mut self,
        ty: usize,
        arguments: &[syntax::Expr],
        cx: Context,
    ) -> Option<(Vec<Expr>, Records)> {
        let (mut values, mut records) = (Vec::new(), Vec::new());
        for (index, argument) in arguments.iter().enumerate() {
            let wanted = match &self.types[ty].locals[index].ty {
                TypeName::Record(name) => Some(name.text.clone()),
                _ => None,
            };
            let given = wanted.as_ref().and_then(|_| self.aggregate(argument, cx));
            match (wanted, given) {
                (None, _) => values.push(self.expr(argument, cx)),
                (Some(_), Some(places)) => records.push((index, places)),
                (Some(wanted), None) => {
                    self.fail(format!("this must be a `{wanted}`"), argument.span);
                    return None;
                }
            }
        }
        Some((values, records))
    }

    /// The assignments that hand records over to a process that was just started.
    fn handed_over(
        &mut self,
        at: usize,
        records: &[(usize, Vec<Place>)],
        span: Span,
    ) -> Vec<Statement> {
        let mut assignments = Vec::new();
        for (index, from) in records {
            let Storage::Variable(variable) = self.instances[at].locals[*index] else { continue };
            let ty = self.network.variables[variable.index()].ty.clone();
            let mut to = Vec::new();
            self.spread(Place { variable, path: Vec::new(), span }, &ty, &mut to);
            if to.len() != from.len() {
                self.fail("this record is of another type", span);
            }
            assignments.extend(to.into_iter().zip(from).map(|(to, from)| {
                let value = Expr::new(Kind::Read(from.clone()), from.span);
                Statement { kind: StatementKind::Assign(to, value), span }
            }));
        }
        assignments
    }

    /// Counts a process more.
    pub(super) fn counted(&mut self, by: i64, span: Span) -> Vec<Statement> {
        let Some(variable) = self.count else { return Vec::new() };
        let more = binary(Op::Add, self.running(span), int(by, span), span);
        let place = Place { variable, path: Vec::new(), span };
        vec![Statement { kind: StatementKind::Assign(place, more), span }]
    }

    /// The initial values that a starting process computes, its parameters
    /// replaced by the arguments.
    fn late_values(&mut self, at: usize, arguments: &[syntax::Expr], cx: Context) -> Vec<Expr> {
        let ty = self.instances[at].ty;
        let parameters = self.parameters(ty);
        let mut known: Vec<(String, syntax::Expr)> = Vec::new();
        for (local, argument) in self.types[ty].locals.iter().zip(arguments) {
            known.push((local.name.text.clone(), argument.clone()));
        }
        let pid = self.instances[at].pid;
        let mut values = Vec::new();
        for index in parameters..self.types[ty].locals.len() {
            let local = self.types[ty].locals[index].clone();
            if let Some(value) = self.late_value(ty, index) {
                let value = replace(&value, &|name| {
                    if name == "_pid" {
                        return Some(number(i64::from(pid), value.span));
                    }
                    known.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
                });
                known.push((local.name.text.clone(), value.clone()));
                values.push(self.expr(&value, cx));
            } else if let Some(Initial::Value(value)) = &local.initial {
                known.push((local.name.text.clone(), value.clone()));
            }
        }
        values
    }
}

pub(super) fn number(value: i64, span: Span) -> syntax::Expr {
    syntax::Expr { kind: ExprKind::Number(value), span }
}

/// The expression with some names replaced.
pub(super) fn replace(
    expr: &syntax::Expr,
    with: &dyn Fn(&str) -> Option<syntax::Expr>,
) -> syntax::Expr {
    let inner = |expr: &syntax::Expr| Box::new(replace(expr, with));
    let indices = |reference: &syntax::Reference| {
        let mut reference = reference.clone();
        for part in &mut reference.parts {
            part.index = part.index.as_ref().map(|index| inner(index));
        }
        reference
    };
    let kind = match &expr.kind {
        ExprKind::Reference(reference)
            if reference.parts.len() == 1 && reference.parts[0].index.is_none() =>
        {
            return with(&reference.parts[0].name.text).unwrap_or_else(|| expr.clone());
        }
        ExprKind::Reference(reference) => ExprKind::Reference(indices(reference)),
        ExprKind::Channel(question, channel) => ExprKind::Channel(*question, indices(channel)),
        ExprKind::Enabled(pid) => ExprKind::Enabled(inner(pid)),
        ExprKind::PcValue(pid) => ExprKind::PcValue(inner(pid)),
        ExprKind::RemoteLabel { process, pid: Some(pid), label } => ExprKind::RemoteLabel {
            process: process.clone(),
            pid: Some(inner(pid)),
            label: label.clone(),
        },
        ExprKind::RemoteVariable { process, pid, variable } => ExprKind::RemoteVariable {
            process: process.clone(),
            pid: pid.as_ref().map(|pid| inner(pid)),
            variable: indices(variable),
        },
        ExprKind::Unary(op, operand) => ExprKind::Unary(*op, inner(operand)),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, inner(left), inner(right)),
        ExprKind::Conditional(a, b, c) => ExprKind::Conditional(inner(a), inner(b), inner(c)),
        other => other.clone(),
    };
    syntax::Expr { kind, span: expr.span }
}
