//! From the tree to the network: names, processes, edges, synchronisations.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{
    Access, Action, Atomic, Binary, Branch, Edge, Expr, ExprKind, Guard, LabelId, Lifetime,
    Location, LocationId, Network, Participant, Place, Process, ProcessId, Role, Statement,
    StatementKind, Storage, SyncVector, Target, Type, Unary, Urgency, Variable, VariableId,
};
use homing_ir::{Diagnostic, Span, balanced};

use super::program;
use super::ranges::Known;
use super::syntax::{self, Attribute, Expression, Kind, Model, Name, Synchronisation};
use crate::reading::{Parse, Reported, shortened};
use crate::reports::Reports;

/// What makes a network of a tree.
pub struct Lower<'a> {
    pub network: Network,
    pub reports: Reports,
    variables: BTreeMap<&'a str, VariableId>,
    /// Those that the statements of one edge declare.
    locals: BTreeMap<&'a str, VariableId>,
    processes: BTreeMap<&'a str, ProcessId>,
    locations: BTreeMap<(ProcessId, &'a str), LocationId>,
    events: BTreeMap<&'a str, LabelId>,
    labels: BTreeMap<&'a str, Vec<(ProcessId, LocationId)>>,
    /// The processes whose edges assign each variable.
    pub writers: BTreeMap<VariableId, BTreeSet<ProcessId>>,
    /// Set by a step that would assign a value outside its type.
    pub failed: Option<VariableId>,
}

impl<'a> Lower<'a> {
    pub fn new(network: Network, reports: Reports) -> Lower<'a> {
        Lower {
            network,
            reports,
            variables: BTreeMap::new(),
            locals: BTreeMap::new(),
            processes: BTreeMap::new(),
            locations: BTreeMap::new(),
            events: BTreeMap::new(),
            labels: BTreeMap::new(),
            writers: BTreeMap::new(),
            failed: None,
        }
    }

    /// Enters all names.
    pub fn declare(&mut self, model: &Model<'a>) {
        for clock in &model.clocks {
            self.variable(clock.name, Type::Clock, clock.size, 0);
        }
        for integer in &model.integers {
            let (lo, hi) = (integer.least.value, integer.greatest.value);
            if lo > hi {
                self.error("the least value is greater than the greatest", integer.least.span);
                continue;
            }
            if !(lo..=hi).contains(&integer.initial.value) {
                let message = format!("the initial value is outside {lo}..{hi}");
                self.error(message, integer.initial.span);
                continue;
            }
            self.variable(integer.name, Type::checked(lo, hi), integer.size, integer.initial.value);
        }
        for event in &model.events {
            let id = LabelId(self.network.labels.len() as u32);
            self.network.labels.push(event.text.to_owned());
            if self.events.insert(event.text, id).is_some() {
                self.twice("event", *event);
            }
        }
        model.processes.iter().for_each(|name| self.process(*name));
        model.locations.iter().for_each(|location| self.location(location));
        self.initial_locations(model);
    }

    /// Makes what processes do.
    pub fn behaviour(&mut self, model: &Model<'a>) {
        self.note_writers(model);
        for location in &model.locations {
            self.invariant(location);
        }
        let synchronised: BTreeSet<(&str, &str)> = model
            .synchronisations
            .iter()
            .flat_map(|sync| sync.participants.iter().map(|one| (one.process.text, one.event.text)))
            .collect();
        for edge in &model.edges {
            let together = synchronised.contains(&(edge.process.text, edge.event.text));
            // What is wrong was said.
            let _ = self.edge(edge, together);
        }
        for sync in &model.synchronisations {
            let _ = self.synchronisation(sync);
        }
        self.require_success();
    }

    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        self.processes.get(name).copied()
    }

    pub fn variable_named(&self, name: &str) -> Option<VariableId> {
        self.variables.get(name).copied()
    }

    pub fn error(&mut self, message: impl Into<String>, span: Span) {
        self.reports.add(Diagnostic::error(message, span));
    }

    fn twice(&mut self, what: &str, name: Name) {
        self.error(format!("the {what} `{}` is declared twice", shortened(name.text)), name.span);
    }

    fn unknown<T>(&mut self, what: &str, name: Name) -> Parse<T> {
        self.error(format!("there is no {what} `{}`", shortened(name.text)), name.span);
        Err(Reported)
    }

    fn variable(&mut self, name: Name<'a>, ty: Type, size: syntax::Number, initial: i64) {
        let ty = match u32::try_from(size.value) {
            Ok(1) => ty,
            Ok(size) if size > 0 => Type::Array(Box::new(ty), size),
            _ => return self.error("a size must be at least 1", size.span),
        };
        let scalars = size.value as usize;
        // Types that are too large are refused when all are known.
        let initial = if initial == 0 { Vec::new() } else { vec![initial; scalars.min(1 << 24)] };
        let id = self.add_variable(name, ty, initial, None, Storage::State);
        if self.variables.insert(name.text, id).is_some() {
            self.twice("variable", name);
        }
    }

    pub fn add_variable(
        &mut self,
        name: Name,
        ty: Type,
        initial: Vec<i64>,
        owner: Option<ProcessId>,
        storage: Storage,
    ) -> VariableId {
        let id = VariableId(self.network.variables.len() as u32);
        let (name, span) = (name.text.to_owned(), name.span);
        self.network.variables.push(Variable { name, span, owner, ty, initial, storage });
        id
    }

    fn process(&mut self, name: Name<'a>) {
        let id = ProcessId(self.network.processes.len() as u32);
        self.network.processes.push(Process {
            name: name.text.to_owned(),
            span: name.span,
            locations: Vec::new(),
            initial: LocationId(0),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::System,
            priority: 0,
            code: None,
        });
        if self.processes.insert(name.text, id).is_some() {
            self.twice("process", name);
        }
    }

    fn process_id(&mut self, name: Name<'a>) -> Parse<ProcessId> {
        match self.processes.get(name.text) {
            Some(id) => Ok(*id),
            None => self.unknown("process", name),
        }
    }

    fn location_id(&mut self, process: ProcessId, name: Name<'a>) -> Parse<LocationId> {
        match self.locations.get(&(process, name.text)) {
            Some(id) => Ok(*id),
            None => self.unknown("location", name),
        }
    }

    fn location(&mut self, declared: &syntax::Location<'a>) {
        let Ok(process) = self.process_id(declared.process) else { return };
        let locations = &mut self.network.processes[process.index()].locations;
        let id = LocationId(locations.len() as u32);
        let mut location = Location { name: declared.name.text.to_owned(), ..Location::default() };
        location.span = declared.span;
        for attribute in &declared.attributes {
            match attribute.key.text {
                "committed" => location.urgency = Urgency::Committed,
                "urgent" if location.urgency == Urgency::None => location.urgency = Urgency::Urgent,
                "labels" => {
                    let labels = attribute.value.text.split(',').map(str::trim);
                    for label in labels.filter(|label| !label.is_empty()) {
                        self.labels.entry(label).or_default().push((process, id));
                    }
                }
                _ => {}
            }
        }
        locations.push(location);
        if self.locations.insert((process, declared.name.text), id).is_some() {
            self.twice("location", declared.name);
        }
        self.known_attributes(
            &declared.attributes,
            &["initial", "labels", "invariant", "committed", "urgent"],
        );
    }

    fn known_attributes(&mut self, attributes: &[Attribute], known: &[&str]) {
        for Attribute { key, .. } in attributes {
            if !known.contains(&key.text) {
                let message = format!("the attribute `{}` says nothing here", shortened(key.text));
                self.reports.add(Diagnostic::warning(message, key.span));
            }
        }
    }

    /// Every process must start somewhere, and here at one place only.
    fn initial_locations(&mut self, model: &Model<'a>) {
        let mut initial: BTreeMap<&str, Name> = BTreeMap::new();
        for location in &model.locations {
            if !location.attributes.iter().any(|attribute| attribute.key.text == "initial") {
                continue;
            }
            if let Some(other) = initial.insert(location.process.text, location.name) {
                let message = format!(
                    "`{}` has more than one initial location, which is not supported",
                    shortened(location.process.text)
                );
                let error = Diagnostic::error(message, location.name.span);
                self.reports.add(error.related(other.span, "another one"));
            }
            let process = self.processes.get(location.process.text);
            let id = process
                .and_then(|process| self.locations.get(&(*process, location.name.text)).copied());
            if let (Some(process), Some(id)) = (process, id) {
                self.network.processes[process.index()].initial = id;
            }
        }
        for process in &model.processes {
            if !initial.contains_key(process.text) {
                let message = format!("`{}` has no initial location", shortened(process.text));
                self.error(message, process.span);
            }
        }
    }

    /// The conjunction of all values of an attribute.
    fn conjunction(&mut self, attributes: &[Attribute<'a>], key: &str) -> Parse<Option<Expr>> {
        let mut all: Option<Expr> = None;
        for attribute in attributes.iter().filter(|attribute| attribute.key.text == key) {
            // A value that is not given says nothing.
            if attribute.value.text.is_empty() {
                continue;
            }
            let condition = program::condition(attribute.value, &mut self.reports)?;
            let condition = self.expression(&condition)?;
            all = Some(match all {
                None => condition,
                Some(earlier) => {
                    let span = condition.span;
                    let both = (Box::new(earlier), Box::new(condition));
                    Expr::new(ExprKind::Binary(Binary::And, both.0, both.1), span)
                }
            });
        }
        Ok(all)
    }

    fn invariant(&mut self, declared: &syntax::Location<'a>) {
        self.locals.clear();
        let Ok(invariant) = self.conjunction(&declared.attributes, "invariant") else { return };
        let process = self.processes.get(declared.process.text);
        let Some(process) = process.copied() else { return };
        if let Some(location) = self.locations.get(&(process, declared.name.text)) {
            let locations = &mut self.network.processes[process.index()].locations;
            locations[location.index()].invariant = invariant;
        }
    }

    fn edge(&mut self, declared: &syntax::Edge<'a>, together: bool) -> Parse<()> {
        self.locals.clear();
        self.known_attributes(&declared.attributes, &["provided", "do"]);
        let process = self.process_id(declared.process)?;
        let from = self.location_id(process, declared.from)?;
        let to = self.location_id(process, declared.to)?;
        let Some(event) = self.events.get(declared.event.text).copied() else {
            return self.unknown("event", declared.event);
        };
        let guard = self.conjunction(&declared.attributes, "provided")?;
        let mut known = Known::new(process, together);
        if let Some(guard) = &guard {
            known.assume(self, guard);
        }
        let mut effect = Vec::new();
        for attribute in declared.attributes.iter().filter(|a| a.key.text == "do") {
            if attribute.value.text.is_empty() {
                continue;
            }
            let statements = program::statements(attribute.value, &mut self.reports)?;
            effect.extend(self.block(&statements, process, &mut known)?);
        }
        self.network.processes[process.index()].edges.push(Edge {
            span: declared.span,
            from,
            guard: guard.map_or(Guard::Always, Guard::When),
            action: together.then_some(Action::Label(event)),
            rate: None,
            cost: None,
            atomic: Atomic::No,
            priority: 0,
            code: None,
            piece: false,
            branches: vec![Branch { weight: None, effect, target: Target::Location(to) }],
        });
        Ok(())
    }

    fn synchronisation(&mut self, sync: &Synchronisation<'a>) -> Parse<()> {
        if sync.participants.len() < 2 {
            self.error("a synchronisation needs two processes", sync.span);
            return Err(Reported);
        }
        let mut participants: Vec<Participant> = Vec::new();
        for one in &sync.participants {
            let process = self.process_id(one.process)?;
            let Some(label) = self.events.get(one.event.text).copied() else {
                return self.unknown("event", one.event);
            };
            if participants.iter().any(|other| other.process == process) {
                let message = format!("`{}` takes part twice", shortened(one.process.text));
                self.error(message, one.process.span);
                return Err(Reported);
            }
            participants.push(Participant { process, label, optional: one.weak });
        }
        self.network.vectors.push(SyncVector { span: sync.span, participants });
        Ok(())
    }

    /// The recursion over blocks and expressions is bounded by the parser's.
    fn block(
        &mut self,
        statements: &[syntax::Statement<'a>],
        process: ProcessId,
        known: &mut Known,
    ) -> Parse<Vec<Statement>> {
        let mut block = Vec::new();
        for statement in statements {
            block.extend(self.statement(statement, process, known)?);
        }
        Ok(block)
    }

    fn statement(
        &mut self,
        statement: &syntax::Statement<'a>,
        process: ProcessId,
        known: &mut Known,
    ) -> Parse<Option<Statement>> {
        match statement {
            syntax::Statement::Nothing => Ok(None),
            syntax::Statement::Assign { target, index, value, span } => {
                let value = self.expression(value)?;
                let place = self.place(target.text, index.as_ref(), target.span)?;
                Ok(Some(self.assignment(known, place, value, *span)))
            }
            syntax::Statement::If { condition, yes, no, span } => {
                let condition = self.expression(condition)?;
                let mut other = known.clone();
                let yes = self.block(yes, process, known)?;
                let no = self.block(no, process, &mut other)?;
                known.join(&other);
                let kind = StatementKind::If(condition, yes, no);
                Ok(Some(Statement { kind, span: *span }))
            }
            syntax::Statement::While { condition, block, span } => {
                let condition = self.expression(condition)?;
                known.forget();
                let block = self.block(block, process, known)?;
                known.forget();
                let kind = StatementKind::While(condition, block);
                Ok(Some(Statement { kind, span: *span }))
            }
            syntax::Statement::Local { name, value, size } => {
                self.local(*name, value.as_ref(), size.as_ref(), process, known)
            }
        }
    }

    /// A variable that lives within the step.
    fn local(
        &mut self,
        name: Name<'a>,
        value: Option<&Expression<'a>>,
        size: Option<&Expression<'a>>,
        process: ProcessId,
        known: &mut Known,
    ) -> Parse<Option<Statement>> {
        let value = value.map(|value| self.expression(value)).transpose()?;
        if self.variables.contains_key(name.text) || self.locals.contains_key(name.text) {
            self.twice("variable", name);
            return Err(Reported);
        }
        let number = Type::checked(i64::from(i32::MIN), i64::from(i32::MAX));
        let ty = match size {
            None => number,
            Some(size) => {
                let lowered = self.expression(size)?;
                match known.interval(self, &lowered) {
                    found if found.lo == found.hi && (1..=1 << 20).contains(&found.lo) => {
                        Type::Array(Box::new(number), found.lo as u32)
                    }
                    _ => {
                        self.error("the size of a local array is a number from 1 on", size.span);
                        return Err(Reported);
                    }
                }
            }
        };
        let id = self.add_variable(name, ty, Vec::new(), Some(process), Storage::Scratch);
        self.locals.insert(name.text, id);
        if size.is_some() {
            return Ok(None);
        }
        // In a loop, it begins anew.
        let value = value.unwrap_or(Expr::int(0, name.span));
        let place = Place { variable: id, path: Vec::new(), span: name.span };
        Ok(Some(self.assignment(known, place, value, name.span)))
    }

    fn place(&mut self, name: &'a str, index: Option<&Expression<'a>>, span: Span) -> Parse<Place> {
        let found = self.locals.get(name).or_else(|| self.variables.get(name)).copied();
        let Some(variable) = found else {
            return self.unknown("variable", Name { text: name, span });
        };
        let is_array = matches!(self.network.variables[variable.index()].ty, Type::Array(..));
        let name = shortened(name);
        match (is_array, index) {
            (true, None) => {
                self.error(format!("`{name}` is an array: an index is missing"), span);
                Err(Reported)
            }
            (false, Some(index)) => {
                self.error(format!("`{name}` is no array"), index.span);
                Err(Reported)
            }
            _ => {
                let path = match index {
                    Some(index) => vec![Access::Index(self.expression(index)?)],
                    None => Vec::new(),
                };
                Ok(Place { variable, path, span })
            }
        }
    }

    /// An expression over variables.
    pub fn expression(&mut self, expression: &Expression<'a>) -> Parse<Expr> {
        self.lowered(expression, false)
    }

    /// An expression that may also name locations and labels.
    pub fn goal(&mut self, expression: &Expression<'a>) -> Parse<Expr> {
        self.lowered(expression, true)
    }

    fn lowered(&mut self, expression: &Expression<'a>, goal: bool) -> Parse<Expr> {
        let span = expression.span;
        let mut inner = |part: &Expression<'a>| self.lowered(part, goal).map(Box::new);
        let kind = match &expression.kind {
            Kind::Number(value) => ExprKind::Int(*value),
            Kind::Minus(operand) => match operand.kind {
                Kind::Number(value) => ExprKind::Int(-value),
                _ => ExprKind::Unary(Unary::Neg, inner(operand)?),
            },
            Kind::Not(operand) => ExprKind::Unary(Unary::Not, inner(operand)?),
            Kind::Binary(op, left, right) => ExprKind::Binary(*op, inner(left)?, inner(right)?),
            Kind::Choose(parts) => {
                let [condition, yes, no] = parts.as_ref();
                ExprKind::Choose(inner(condition)?, inner(yes)?, inner(no)?)
            }
            Kind::Name(name, None) if goal && !self.variables.contains_key(name) => {
                return self.about_locations(name, span);
            }
            Kind::Name(name, index) => ExprKind::Read(self.place(name, index.as_deref(), span)?),
        };
        Ok(Expr::new(kind, span))
    }

    /// `process.location`, a label, or `deadlock`.
    fn about_locations(&mut self, name: &'a str, span: Span) -> Parse<Expr> {
        let at = |&(process, location)| Expr::new(ExprKind::At(process, location), span);
        if let Some(labelled) = self.labels.get(name) {
            let either = |left: Expr, right: Expr| {
                let kind = ExprKind::Binary(Binary::Or, Box::new(left), Box::new(right));
                Expr::new(kind, span)
            };
            return balanced(labelled.iter().map(at).collect(), either).ok_or(Reported);
        }
        // Names may have dots themselves.
        for (dot, _) in name.match_indices('.') {
            if let Some(process) = self.processes.get(&name[..dot])
                && let Some(location) = self.locations.get(&(*process, &name[dot + 1..]))
            {
                return Ok(at(&(*process, *location)));
            }
        }
        if name == "deadlock" {
            return Ok(Expr::new(ExprKind::Deadlock, span));
        }
        let message =
            format!("there is no variable, label or `process.location` `{}`", shortened(name));
        self.error(message, span);
        Err(Reported)
    }
}
