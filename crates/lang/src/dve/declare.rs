//! Declarations: variables, channels, processes and their states.
//!
//! All are declared before any transition is lowered, because processes may
//! speak of each other whatever their order in the text.

use homing_ir::network::{
    Channel, ChannelId, ChannelKind, Composition, Lifetime, Location, LocationId, Process,
    ProcessId, Property, PropertyKind, Role, Storage, Type, Urgency, Variable, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::channels::Usage;
use super::constant::Reads;
use super::lower::{Builder, instance_name};
use super::scope::Symbol;
use super::syntax::{self, Base, Declaration, Declarator, Initial, Instances, Item, Model, Name};
use crate::arithmetic;

/// Larger arrays are taken for mistakes.
const MOST_ELEMENTS: i64 = 1 << 20;
/// Larger buffers are taken for mistakes.
const MOST_MESSAGES: i64 = u16::MAX as i64;
/// More processes are taken for mistakes.
const MOST_PROCESSES: usize = 10_000;

/// The processes of a network, each with the text it is made from.
pub type Bodies<'m, 'a> = Vec<(ProcessId, &'m syntax::Body<'a>)>;

impl Builder {
    /// Declares all that `model` declares.
    pub fn declare<'m, 'a>(&mut self, model: &'m Model<'a>) -> Bodies<'m, 'a> {
        self.later = global_variables(model);
        for item in &model.items {
            if self.reports.full() {
                return Bodies::new();
            }
            match item {
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::Process(process) if process.parameters.is_some() => {
                    self.name(None, process.name, process.name.text, Symbol::Template);
                }
                _ => {}
            }
        }
        let mut bodies = Bodies::new();
        for item in &model.items {
            if self.reports.full() || self.too_many_processes() {
                return bodies;
            }
            match item {
                Item::Process(process) if process.parameters.is_none() => {
                    let role = if process.observer { Role::Observer } else { Role::System };
                    self.process_shell(process, process.name.text, role, &[], &mut bodies);
                }
                Item::Instances(instances) => self.instances(instances, model, &mut bodies),
                _ => {}
            }
        }
        self.system(model);
        bodies
    }

    /// Enters a name, or reports that it is taken.
    fn name(&mut self, owner: Option<ProcessId>, name: Name, text: &str, symbol: Symbol) {
        if let Some(before) = self.names.declare(owner, text, symbol, name.span) {
            self.declared_twice(text, name.span, before);
        }
    }

    fn declared_twice(&mut self, name: &str, span: Span, before: Span) {
        let error = Diagnostic::error(format!("`{name}` is declared twice"), span)
            .label("declared again here")
            .related(before, "first declared here");
        self.reports.add(error);
    }

    fn declaration(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Variables { constant, base, declarators } => {
                let storage = if *constant { Storage::Constant } else { Storage::State };
                declarators.iter().for_each(|one| self.declare_variable(storage, *base, one));
            }
            Declaration::Channels { types, declarators } => {
                let types = types.as_deref();
                declarators.iter().for_each(|one| self.declare_channel(types, one));
            }
        }
    }

    fn declare_variable(&mut self, storage: Storage, base: Base, declarator: &Declarator) {
        let name = declarator.name;
        let element = element_type(base);
        let ty = match &declarator.size {
            Some(size) => Type::Array(Box::new(element.clone()), self.size(size).unwrap_or(1)),
            None => element.clone(),
        };
        let initial = self.initial(declarator, &element, &ty);
        if storage == Storage::Constant && declarator.initial.is_none() {
            let error =
                Diagnostic::error(format!("constant `{}` has no value", name.text), name.span);
            self.reports.add(error);
        }
        if self.scope.is_none() {
            self.later.remove(name.text);
        }
        self.add_variable(name, ty, initial, storage);
    }

    fn add_variable(&mut self, name: Name, ty: Type, initial: Vec<i64>, storage: Storage) {
        let id = VariableId(self.network.variables.len() as u32);
        self.name(self.scope, name, name.text, Symbol::Variable(id));
        self.network.variables.push(Variable {
            name: name.text.to_string(),
            span: name.span,
            owner: self.scope,
            ty,
            initial,
            storage,
        });
    }

    /// The length of an array.
    fn size(&mut self, size: &syntax::Expr) -> Option<u32> {
        let value = self.constant(size, Reads::Constants)?;
        let complaint = match value {
            ..=0 => "an array has at least one element".to_string(),
            1..=MOST_ELEMENTS => return Some(value as u32),
            _ => format!("an array has at most {MOST_ELEMENTS} elements"),
        };
        self.fail(Diagnostic::error(complaint, size.span).label(format!("this is {value}")))
    }

    /// Initial values, cut to the length of an array where there are more.
    fn initial(&mut self, declarator: &Declarator, element: &Type, ty: &Type) -> Vec<i64> {
        let name = declarator.name.text;
        let list = match (declarator.initial.as_deref(), ty) {
            (None, _) => return Vec::new(),
            (Some(Initial::List(list, span)), Type::Array(_, length)) => {
                self.warn_of_length(list.len(), *length, *span);
                &list[..list.len().min(*length as usize)]
            }
            (Some(Initial::One(expr)), Type::Array(..)) => {
                let error = Diagnostic::error(format!("`{name}` is an array"), expr.span)
                    .help("write the initial values of its elements in braces");
                self.reports.add(error);
                return Vec::new();
            }
            (Some(Initial::One(expr)), _) => std::slice::from_ref(expr),
            (Some(Initial::List(_, span)), _) => {
                let error = Diagnostic::error(format!("`{name}` is not an array"), *span);
                self.reports.add(error.label("only one initial value is possible"));
                return Vec::new();
            }
        };
        list.iter().map(|expr| self.initial_value(expr, element)).collect()
    }

    fn warn_of_length(&mut self, values: usize, length: u32, span: Span) {
        if values > length as usize {
            let message = format!("{values} initial values for {length} elements");
            let warning = Diagnostic::warning(message, span);
            self.reports.add(warning.label("those behind the last element are ignored"));
        }
    }

    fn initial_value(&mut self, expr: &syntax::Expr, element: &Type) -> i64 {
        let Some(value) = self.constant(expr, Reads::InitialValues) else { return 0 };
        if *element == Type::Bool {
            return i64::from(value != 0);
        }
        let Some(range) = self.network.scalar(element) else { return value };
        let fitted = arithmetic::fit(range, value);
        if fitted != value {
            let warning = Diagnostic::warning(format!("{value} does not fit the type"), expr.span)
                .label(format!("becomes {fitted}"))
                .help(format!("the values of the type are {} to {}", range.lo, range.hi));
            self.reports.add(warning);
        }
        fitted
    }

    fn declare_channel(&mut self, types: Option<&[Base]>, declarator: &syntax::ChannelDeclarator) {
        let name = declarator.name;
        let id = ChannelId(self.network.channels.len() as u32);
        let capacity = declarator.capacity.as_ref().and_then(|size| self.capacity(size));
        let kind = match capacity {
            None | Some(0) => ChannelKind::Rendezvous,
            Some(capacity) => ChannelKind::Buffered(capacity),
        };
        self.name(self.scope, name, name.text, Symbol::Channel(id));
        let owner = self.scope.map(|id| self.network.processes[id.index()].name.as_str());
        let channel = Channel {
            name: owner.map_or(name.text.to_string(), |owner| format!("{owner}->{}", name.text)),
            span: name.span,
            kind,
            message: types.unwrap_or(&[]).iter().map(|base| element_type(*base)).collect(),
            urgent: false,
            owner: None,
        };
        self.network.channels.push(channel);
        self.usage.push(Usage::new(types.is_some()));
    }

    fn capacity(&mut self, size: &syntax::Expr) -> Option<u32> {
        let value = self.constant(size, Reads::Constants)?;
        if (0..=MOST_MESSAGES).contains(&value) {
            return Some(value as u32);
        }
        let message = format!("a channel holds 0 to {MOST_MESSAGES} messages");
        self.fail(Diagnostic::error(message, size.span).label(format!("this is {value}")))
    }

    /// A process with its variables and states, but no edges yet.
    fn process_shell<'m, 'a>(
        &mut self,
        process: &'m syntax::Process<'a>,
        name: &str,
        role: Role,
        arguments: &[i64],
        bodies: &mut Bodies<'m, 'a>,
    ) {
        let id = ProcessId(self.network.processes.len() as u32);
        self.name(None, process.name, name, Symbol::Process(id));
        self.network.processes.push(Process {
            name: name.to_string(),
            span: process.name.span,
            locations: Vec::new(),
            initial: LocationId(0),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role,
            priority: 0,
            code: None,
        });
        self.scope = Some(id);
        for (parameter, value) in process.parameters.iter().flatten().zip(arguments) {
            let number = Type::wrapping(i64::from(i32::MIN), i64::from(i32::MAX));
            self.add_variable(parameter.name, number, vec![*value], Storage::Constant);
        }
        process.body.declarations.iter().for_each(|one| self.declaration(one));
        self.states(id, process);
        self.scope = None;
        bodies.push((id, &process.body));
    }

    /// Whether there are so many processes that more are of no use.
    fn too_many_processes(&mut self) -> bool {
        let full = self.network.processes.len() > MOST_PROCESSES;
        if let Some(last) = self.network.processes.last().filter(|_| full) {
            let message = format!("more than {MOST_PROCESSES} processes");
            self.reports.add(Diagnostic::error(message, last.span));
        }
        full
    }

    fn states(&mut self, id: ProcessId, process: &syntax::Process) {
        let body = &process.body;
        for state in &body.states {
            let location = LocationId(self.network.processes[id.index()].locations.len() as u32);
            if let Some(first) = self.names.declare_state(id, state.text, location, state.span) {
                self.declared_twice(state.text, state.span, first);
                continue;
            }
            let name = state.text.to_string();
            let location = Location { name, span: state.span, ..Location::default() };
            self.network.processes[id.index()].locations.push(location);
        }
        self.initial_state(id, process.name, body);
        for state in &body.committed {
            self.location(id, *state, |location| location.urgency = Urgency::Committed);
        }
        for state in &body.accepting {
            self.location(id, *state, |location| location.accepting = true);
        }
    }

    fn location(&mut self, id: ProcessId, state: Name, change: impl FnOnce(&mut Location)) {
        if let Some(location) = self.state(id, state) {
            change(&mut self.network.processes[id.index()].locations[location.index()]);
        }
    }

    fn initial_state(&mut self, id: ProcessId, name: Name, body: &syntax::Body) {
        match body.initial.as_slice() {
            [] if self.lost_names => {}
            [] if body.states.is_empty() => {
                let error = Diagnostic::error(format!("`{}` has no states", name.text), name.span);
                self.reports.add(error.help("write `state a, b;` and `init a;`"));
            }
            [] => {
                let what = format!("`{}` has no initial state", name.text);
                let help = format!("write `init {};`", body.states[0].text);
                self.reports.add(Diagnostic::error(what, name.span).help(help));
            }
            [initial, more @ ..] => {
                if let Some(state) = self.state(id, *initial) {
                    self.network.processes[id.index()].initial = state;
                }
                for other in more {
                    let what = format!("`{}` has more than one initial state", name.text);
                    let error = Diagnostic::error(what, other.span).related(initial.span, "first");
                    self.reports.add(error);
                }
            }
        }
    }

    fn instances<'m, 'a>(
        &mut self,
        instances: &Instances<'a>,
        model: &'m Model<'a>,
        bodies: &mut Bodies<'m, 'a>,
    ) {
        match instances {
            Instances::One(instance) => {
                self.instance(instance, model, bodies);
            }
            Instances::For { variable, first, last, each } => {
                let first_value = self.constant(first, Reads::Constants);
                let last_value = self.constant(last, Reads::Constants);
                let (Some(from), Some(to)) = (first_value, last_value) else { return };
                if to - from >= MOST_PROCESSES as i64 {
                    let message = format!("more than {MOST_PROCESSES} repetitions");
                    self.reports.add(Diagnostic::error(message, first.span.to(last.span)));
                    return;
                }
                for value in from..=to {
                    self.bound.push((variable.text.to_string(), value));
                    each.iter().for_each(|one| self.instances(one, model, bodies));
                    self.bound.pop();
                }
            }
        }
    }

    /// `process P(1);`
    fn instance<'m, 'a>(
        &mut self,
        instance: &syntax::ProcessName<'a>,
        model: &'m Model<'a>,
        bodies: &mut Bodies<'m, 'a>,
    ) -> Option<()> {
        let name = instance.name;
        if self.too_many_processes() {
            return None;
        }
        let Some((template, parameters)) = find_template(model, name.text) else {
            let known = templates(model).map(|(process, _)| process.name.text);
            let near = crate::names::nearest(name.text, known);
            let help = near.map(|near| format!("did you mean `{near}`?"));
            return self.unknown("process with parameters", name, help);
        };
        let arguments = instance.arguments.as_deref().unwrap_or(&[]);
        if arguments.len() != parameters.len() {
            let (takes, given) = (parameters.len(), arguments.len());
            let message = format!("`{}` takes {takes} arguments, not {given}", name.text);
            let error = Diagnostic::error(message, instance.span);
            return self.fail(error.related(template.name.span, "declared here"));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.constant(argument, Reads::Constants)?);
        }
        let keys = key_values(parameters, &values);
        let full_name = instance_name(name.text, &keys);
        if let Some(Symbol::Process(_)) = self.names.find(None, &full_name) {
            let error = Diagnostic::error(format!("there are two `{full_name}`"), instance.span);
            return self.fail(error.help("instances must differ in a parameter marked `key`"));
        }
        let bound = std::mem::take(&mut self.bound);
        self.process_shell(template, &full_name, Role::System, &values, bodies);
        self.bound = bound;
        Some(())
    }

    /// The last line: how processes move together, and which one is a property.
    fn system(&mut self, model: &Model) {
        if let Some(line) = &model.system {
            if line.synchronous {
                self.network.composition = Composition::Synchronous;
            }
            if let Some(name) = line.property {
                let process = syntax::ProcessName { name, arguments: None, span: name.span };
                if let Some(id) = self.process(&process) {
                    self.network.processes[id.index()].role = Role::Observer;
                }
            }
        }
        for (i, process) in self.network.processes.iter().enumerate() {
            if process.role == Role::Observer {
                let kind = PropertyKind::Observer(ProcessId(i as u32));
                let property = Property { name: process.name.clone(), span: process.span, kind };
                self.network.properties.push(property);
            }
        }
    }
}

fn element_type(base: Base) -> Type {
    match base {
        Base::Byte => Type::wrapping(0, 255),
        Base::Int => Type::wrapping(i64::from(i16::MIN), i64::from(i16::MAX)),
        Base::Bool => Type::Bool,
    }
}

fn global_variables(model: &Model) -> std::collections::BTreeMap<String, Span> {
    let variables = model.items.iter().filter_map(|item| match item {
        Item::Declaration(Declaration::Variables { declarators, .. }) => Some(declarators),
        _ => None,
    });
    variables.flatten().map(|one| (one.name.text.to_string(), one.name.span)).collect()
}

fn templates<'m, 'a>(
    model: &'m Model<'a>,
) -> impl Iterator<Item = (&'m syntax::Process<'a>, &'m [syntax::Parameter<'a>])> {
    model.items.iter().filter_map(|item| match item {
        Item::Process(process) => Some((&**process, process.parameters.as_deref()?)),
        _ => None,
    })
}

fn find_template<'m, 'a>(
    model: &'m Model<'a>,
    name: &str,
) -> Option<(&'m syntax::Process<'a>, &'m [syntax::Parameter<'a>])> {
    templates(model).find(|(process, _)| process.name.text == name)
}

/// The values that tell an instance from others: those of the parameters
/// marked `key`, or all where none is marked.
fn key_values(parameters: &[syntax::Parameter], values: &[i64]) -> Vec<i64> {
    let marked = parameters.iter().any(|parameter| parameter.key);
    let pairs = parameters.iter().zip(values);
    pairs.filter(|(parameter, _)| parameter.key || !marked).map(|(_, value)| *value).collect()
}
