//! Types, variables, symbolic names.

use std::collections::BTreeSet;

use homing_ir::network::{
    Channel, ChannelId, ChannelKind, EnumId, Enumeration, ExprKind as Kind, Overflow, ProcessId,
    Record, RecordId, Storage as Keep, Type, Variable, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::super::scope::{Local, ScopeId};
use super::super::syntax::{
    Argument, Declaration, Expr, ExprKind, Initial, Program, RecordType, Sequence, StatementKind,
    Step, Symbols, TypeName, Unit, Visibility,
};
use super::{Lowering, Storage, priority};
use crate::arithmetic;

/// The longest array and the largest channel that are read.
const MOST_ELEMENTS: i64 = 1 << 20;

impl Lowering<'_> {
    pub(super) fn symbols(&mut self, symbols: &Symbols) {
        let subtype = symbols.subtype.as_ref().map_or("", |name| &name.text).to_string();
        let id = self.enumeration(&subtype);
        let first = {
            let of_type = self.symbols.values().filter(|(_, other)| *other == id);
            of_type.map(|(value, _)| *value).max().unwrap_or(0)
        };
        // SPIN numbers the names of one declaration from the last to the first.
        for (at, name) in symbols.names.iter().rev().enumerate() {
            let value = first + at as i64 + 1;
            if value > 255 {
                return self.fail("there are more than 255 symbolic names", name.span);
            }
            let values = &mut self.network.enumerations[id.index()].values;
            values[value as usize] = name.text.clone();
            self.symbols.insert(name.text.clone(), (value, id));
        }
    }

    fn enumeration(&mut self, subtype: &str) -> EnumId {
        if let Some(id) = self.enumerations.get(subtype) {
            return *id;
        }
        let id = EnumId(self.network.enumerations.len() as u32);
        let name =
            if subtype.is_empty() { "mtype".to_string() } else { format!("mtype:{subtype}") };
        // A symbolic variable is a byte: numbers without a name are values too.
        let values = (0..256).map(|value: u32| value.to_string()).collect();
        let overflow = Overflow::Wrap;
        self.network.enumerations.push(Enumeration { name, values, overflow });
        self.enumerations.insert(subtype.to_string(), id);
        id
    }

    pub(super) fn record(&mut self, record: &RecordType) {
        let mut fields = Vec::new();
        for declaration in &record.fields {
            for variable in &declaration.variables {
                let local = Local::new(declaration, variable, true);
                if let Some(ty) = self.variable_type(&local) {
                    fields.push((variable.name.text.clone(), ty));
                }
            }
        }
        let id = RecordId(self.network.records.len() as u32);
        self.network.records.push(Record { name: record.name.text.clone(), fields });
        if self.records.insert(record.name.text.clone(), id).is_some() {
            self.fail(format!("the type `{}` is there twice", record.name.text), record.name.span);
        }
        self.scopes.records.push(record.clone());
    }

    /// The type of one scalar or record.
    pub(super) fn base_type(
        &mut self,
        ty: &TypeName,
        width: Option<&Expr>,
        span: Span,
    ) -> Option<Type> {
        Some(match ty {
            TypeName::Bit | TypeName::Bool => Type::Bool,
            TypeName::Byte | TypeName::Pid => Type::wrapping(0, 255),
            TypeName::Short => Type::wrapping(-(1 << 15), (1 << 15) - 1),
            TypeName::Int => Type::wrapping(i64::from(i32::MIN), i64::from(i32::MAX)),
            TypeName::Unsigned => {
                let Some(width) = width else {
                    self.fail("an `unsigned` variable needs a width, as in `unsigned x : 3`", span);
                    return None;
                };
                let bits = self.constant(width)?;
                if !(1..=32).contains(&bits) {
                    self.fail(format!("a width of {bits} bits: 1 to 32 are possible"), width.span);
                    return None;
                }
                Type::wrapping(0, (1 << bits) - 1)
            }
            TypeName::Mtype(subtype) => {
                let subtype = subtype.as_ref().map_or(String::new(), |name| name.text.clone());
                Type::Enum(self.enumeration(&subtype))
            }
            TypeName::Chan => Type::Channel,
            TypeName::Record(name) => match self.records.get(&name.text) {
                Some(id) => Type::Record(*id),
                None => {
                    self.fail(format!("there is no type `{}`", name.text), name.span);
                    return None;
                }
            },
        })
    }

    /// The type of a variable.
    pub(super) fn variable_type(&mut self, local: &Local) -> Option<Type> {
        let span = local.name.span;
        let base = self.base_type(&local.ty, local.width.as_ref(), span)?;
        let Some(size) = &local.size else { return Some(base) };
        let length = self.constant(size)?;
        if !(1..=MOST_ELEMENTS).contains(&length) {
            self.fail(format!("an array of {length} elements"), size.span);
            return None;
        }
        // SPIN keeps arrays of bits in bytes, where they can be anything.
        let base = if base == Type::Bool { Type::wrapping(0, 255) } else { base };
        Some(Type::Array(Box::new(base), length as u32))
    }

    pub(super) fn global(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            let local = Local::new(declaration, variable, true);
            let index = self.globals.len();
            if let Err(before) = self.scopes.declare(ScopeId::GLOBAL, &variable.name, index) {
                let message = format!("`{}` is declared twice", variable.name.text);
                let error = Diagnostic::error(message, variable.name.span);
                self.reports.add(error.related(before, "first declared here"));
            }
            self.scopes.globals.push(local.clone());
            let storage = self.storage(&local, None);
            self.globals.push(storage);
        }
    }

    /// Makes the variable of a declaration, or its channels.
    pub(super) fn storage(&mut self, local: &Local, owner: Option<ProcessId>) -> Storage {
        let Some(ty) = self.variable_type(local) else { return Storage::Lost };
        let mut storage = Keep::State;
        let mut initial = Vec::new();
        let name = match owner {
            Some(process) => {
                format!("{}:{}", self.network.processes[process.index()].name, local.name.text)
            }
            None => local.name.text.clone(),
        };
        if self.initial_values(local, &ty, &name, owner, &mut initial).is_none() {
            return Storage::Lost;
        }
        let channels = matches!(local.initial, Some(Initial::Channel { .. }));
        if channels && !self.assigned.contains(&local.name.text) {
            if let (None, [only]) = (&local.size, &initial[..]) {
                return ChannelId::of_value(*only).map_or(Storage::Lost, Storage::Channel);
            }
            storage = Keep::Constant;
        }
        if local.visibility == Visibility::Hidden && owner.is_none() {
            self.hidden(local);
        }
        let id = VariableId(self.network.variables.len() as u32);
        self.network.variables.push(Variable {
            name: local.name.text.clone(),
            span: local.name.span,
            owner,
            ty,
            initial,
            storage,
        });
        match storage {
            Keep::Constant => Storage::Channels(id),
            _ => Storage::Variable(id),
        }
    }

    /// The initial values of a variable's scalars, one after the other. Every
    /// scalar that is declared as a channel gets one of its own.
    fn initial_values(
        &mut self,
        local: &Local,
        ty: &Type,
        name: &str,
        owner: Option<ProcessId>,
        out: &mut Vec<i64>,
    ) -> Option<()> {
        let (element, count) = match ty {
            Type::Array(element, length) => (&**element, *length),
            _ => (ty, 1),
        };
        for at in 0..count {
            homing_budget::checkpoint();
            let name = match local.size {
                Some(_) => format!("{name}[{at}]"),
                None => name.to_string(),
            };
            match (&local.initial, element) {
                (_, Type::Record(id)) => {
                    let record = self.network.records[id.index()].name.clone();
                    let mut records = self.scopes.records.iter();
                    let record = records.find(|known| known.name.text == record).cloned()?;
                    for declaration in &record.fields {
                        for variable in &declaration.variables {
                            let field = Local::new(declaration, variable, true);
                            let ty = self.variable_type(&field)?;
                            let name = format!("{name}.{}", variable.name.text);
                            self.initial_values(&field, &ty, &name, owner, out)?;
                        }
                    }
                }
                (Some(Initial::Channel { capacity, message, .. }), _) => {
                    out.push(self.channel(local, name, owner, capacity, message)?.value());
                }
                // Behind statements, the declaration is a statement that assigns.
                (Some(Initial::Value(_)), _) if !local.at_start => out.push(0),
                (Some(Initial::Value(value)), _) if owner.is_none() || self.is_constant(value) => {
                    let value = self.initial_value(value);
                    out.push(self.fitted(value, element));
                }
                (Some(Initial::List(values, span)), _) => {
                    if local.size.is_none() {
                        self.fail(format!("`{}` is not an array", local.name.text), *span);
                        return None;
                    }
                    let value =
                        values.get(at as usize).map_or(0, |value| self.initial_value(value));
                    out.push(self.fitted(value, element));
                }
                _ => out.push(0),
            }
        }
        Some(())
    }

    fn hidden(&mut self, local: &Local) {
        let message = format!("`{}` is hidden, but kept in the state here", local.name.text);
        self.reports.add(Diagnostic::warning(message, local.name.span));
    }

    /// Makes a channel.
    fn channel(
        &mut self,
        local: &Local,
        name: String,
        owner: Option<ProcessId>,
        capacity: &Expr,
        message: &[(TypeName, Span)],
    ) -> Option<ChannelId> {
        let most = self.constant(capacity)?;
        if !(0..=255).contains(&most) {
            self.fail(
                format!("a channel of {most} messages: 0 to 255 are possible"),
                capacity.span,
            );
            return None;
        }
        if !matches!(local.ty, TypeName::Chan) {
            self.fail(format!("`{}` is not a channel", local.name.text), local.name.span);
            return None;
        }
        let mut parts = Vec::new();
        for (ty, span) in message {
            let ty = self.base_type(ty, None, *span)?;
            self.scalars(&ty, &mut parts);
        }
        let kind = match most {
            0 => ChannelKind::Rendezvous,
            most => ChannelKind::Buffered(most as u32),
        };
        let id = ChannelId(self.network.channels.len() as u32);
        let span = local.name.span;
        let channel = Channel { name, span, kind, message: parts, urgent: false, owner };
        self.network.channels.push(channel);
        Some(id)
    }

    /// The scalars a value of a type is made of, in order: the parts of a
    /// message.
    pub(super) fn scalars(&self, ty: &Type, out: &mut Vec<Type>) {
        match ty {
            Type::Array(element, length) => {
                (0..*length).for_each(|_| self.scalars(element, out));
            }
            Type::Record(id) => {
                let fields = &self.network.records[id.index()].fields;
                fields.iter().for_each(|(_, field)| self.scalars(field, out));
            }
            scalar => out.push(scalar.clone()),
        }
    }

    /// A value as the type keeps it.
    pub(super) fn fitted(&self, value: i64, ty: &Type) -> i64 {
        let mut ty = ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        match self.network.scalar(ty) {
            Some(range) => arithmetic::fit(range, value),
            None => 0,
        }
    }

    /// The value of a constant expression.
    pub(super) fn constant(&mut self, expr: &Expr) -> Option<i64> {
        let value = self.evaluate(expr, false);
        if value.is_none() {
            self.fail("this must be a constant", expr.span);
        }
        value
    }

    fn is_constant(&self, expr: &Expr) -> bool {
        self.evaluate(expr, false).is_some()
    }

    fn initial_value(&mut self, expr: &Expr) -> i64 {
        match self.evaluate(expr, true) {
            Some(value) => value,
            None => {
                self.fail("this initial value cannot be computed before the start", expr.span);
                0
            }
        }
    }

    /// The value of an expression of constants and of initial values of global
    /// variables.
    pub(super) fn evaluate(&self, expr: &Expr, globals: bool) -> Option<i64> {
        Some(match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Reference(reference) if reference.parts.len() == 1 => {
                let part = &reference.parts[0];
                let symbol = self.scopes.find(ScopeId::GLOBAL, &part.name.text, u32::MAX);
                if let Some(super::super::scope::Symbol::Global(index)) = symbol {
                    let at = match &part.index {
                        Some(index) => self.evaluate(index, globals)?,
                        None => 0,
                    };
                    return match self.globals.get(index)? {
                        Storage::Variable(id) => {
                            let variable = &self.network.variables[id.index()];
                            let known = globals || !self.assigned.contains(&variable.name);
                            let first = variable.initial.get(usize::try_from(at).ok()?);
                            known.then(|| first.copied().unwrap_or(0))
                        }
                        Storage::Channel(id) if globals => Some(id.value()),
                        Storage::Channels(id) if globals => {
                            let channels = &self.network.variables[id.index()].initial;
                            channels.get(usize::try_from(at).ok()?).copied()
                        }
                        _ => None,
                    };
                }
                self.symbols.get(&part.name.text)?.0
            }
            ExprKind::Unary(op, operand) => {
                let value = self.evaluate(operand, globals)?;
                arithmetic::unary(op.plain()?, value)
            }
            // Whole: what an operand decides alone is no constant if the other is none.
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.evaluate(left, globals)?, self.evaluate(right, globals)?);
                arithmetic::binary(op.plain()?, a, b)?
            }
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.evaluate(condition, globals)? != 0 { yes } else { no };
                self.evaluate(chosen, globals)?
            }
            _ => return None,
        })
    }

    /// The value of a lowered expression, if it is a number.
    pub(super) fn number(expr: &homing_ir::network::Expr) -> Option<i64> {
        match expr.kind {
            Kind::Int(value) => Some(value),
            _ => None,
        }
    }
}

/// The names of variables that some statement assigns to or receives into.
pub(super) fn assigned_names(program: &Program) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for unit in &program.units {
        match unit {
            Unit::Proctype(proctype) => in_sequence(&proctype.body, &mut names),
            Unit::Claim(claim) => in_sequence(&claim.body, &mut names),
            _ => {}
        }
    }
    names
}

fn in_sequence(sequence: &Sequence, names: &mut BTreeSet<String>) {
    for step in &sequence.steps {
        if let Step::Statement(statement) = step {
            in_statement(&statement.kind, names);
        }
    }
}

fn in_statement(kind: &StatementKind, names: &mut BTreeSet<String>) {
    match kind {
        StatementKind::SetPriority(..) => {
            names.insert(priority::NAME.to_string());
        }
        StatementKind::Assign(to, _) => {
            names.insert(to.parts[0].name.text.clone());
        }
        StatementKind::Receive { message, .. } => {
            for argument in message {
                if let Argument::Reference(to) = argument {
                    names.insert(to.parts[0].name.text.clone());
                }
            }
        }
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().for_each(|option| in_sequence(option, names));
        }
        StatementKind::For { index, body, .. } | StatementKind::ForIn { index, body, .. } => {
            names.insert(index.parts[0].name.text.clone());
            in_sequence(body, names);
        }
        StatementKind::Select { index, .. } => {
            names.insert(index.parts[0].name.text.clone());
        }
        StatementKind::Atomic(body)
        | StatementKind::Deterministic(body)
        | StatementKind::Block(body)
        | StatementKind::Inline { body, .. } => in_sequence(body, names),
        StatementKind::Unless(normal, escape) => {
            in_statement(&normal.kind, names);
            in_statement(&escape.kind, names);
        }
        _ => {}
    }
}
