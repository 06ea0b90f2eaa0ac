//! Declarations: constants, variables, clocks, channels, types and functions.

use std::cell::Cell;
use std::rc::Rc;

use homing_ir::Span;
use homing_ir::network::{
    Channel, ChannelId, ChannelKind, Place, ProcessId, Storage, Variable, VariableId,
};

use super::Lowering;
use super::scope::{Partial, ScopeId, Symbol};
use super::types::Ty;
use super::value::{Fixed, Thing, Value};
use crate::uppaal::syntax::{
    ChannelName, Declaration, DeclarationKind as Kind, Initial, Name, Size, Type,
};

impl<'a> Lowering<'a> {
    /// Declares something, or tells why not.
    pub(super) fn declaration(&mut self, declaration: &'a Declaration, scope: ScopeId) {
        let span = declaration.span;
        match &declaration.kind {
            Kind::Variable { ty, name, sizes, initial } => {
                let found = self.variable(ty, name, sizes, initial.as_ref(), scope);
                // What is declared wrongly is said once, not wherever it is used.
                let thing = found.unwrap_or(Thing::Value(Value::Nothing));
                self.declare(scope, name, Symbol::Thing(thing));
            }
            Kind::Type { ty, name, sizes } => {
                if let Some(found) = self.declared_type(ty, sizes, scope) {
                    self.declare(scope, name, Symbol::Type(found));
                }
            }
            Kind::Function(function) => {
                // It sees itself, so that recursion is told.
                let until = self.scopes.declared() + 1;
                self.declare(scope, &function.name, Symbol::Function(function, scope, until));
            }
            Kind::Instance { name, parameters, template, arguments } => {
                let partial = Partial { parameters, template, arguments, span };
                self.declare(scope, name, Symbol::Partial(partial));
            }
            Kind::ChannelPriority(levels) => {
                self.channel_priorities(levels, scope);
            }
            Kind::Hook { before } => {
                let what = if *before { "before_update" } else { "after_update" };
                self.fail::<()>(format!("not supported: `{what}`"), span);
            }
            Kind::Directions => self.say_once(
                3,
                "which channels are inputs and outputs is ignored: whoever synchronises says so",
                span,
            ),
            Kind::Other(what) => {
                self.fail::<()>(format!("not supported: {what}"), span);
            }
        }
    }

    fn variable(
        &mut self,
        written: &Type,
        name: &'a Name,
        sizes: &[Size],
        initial: Option<&Initial>,
        scope: ScopeId,
    ) -> Option<Thing> {
        let ty = self.declared_type(written, sizes, scope)?;
        match ty.base() {
            Ty::Void => return self.fail("a variable cannot be `void`", name.span),
            Ty::Channel { .. } => return Some(self.channels(&name.text, name.span, ty)),
            Ty::Unchecked(why) => return Some(Thing::Value(Value::Unchecked(*why))),
            _ => {}
        }
        if written.constant {
            let Some(initial) = initial else {
                let message = format!("the constant `{}` has no value", name.text);
                return self.fail(message, name.span);
            };
            let ty = ty.widened();
            let values = self.initial_values(initial, &ty, name, scope)?;
            return Some(fixed(name, ty, self.owner, values));
        }
        if written.meta {
            let message =
                format!("`{}` is `meta`: it is kept in the states all the same", name.text);
            self.warn(message, name.span);
        }
        let values = match initial {
            Some(initial) => self.initial_values(initial, &ty, name, scope)?,
            None => {
                let mut values = Vec::new();
                ty.defaults(&mut values);
                values
            }
        };
        Some(self.state_variable(name, ty, values))
    }

    /// A variable of the state.
    pub(super) fn state_variable(&mut self, name: &Name, ty: Ty, initial: Vec<i64>) -> Thing {
        let variable = VariableId(self.network.variables.len() as u32);
        self.network.variables.push(Variable {
            name: name.text.clone(),
            span: name.span,
            owner: self.owner,
            ty: ty.network(),
            initial,
            storage: Storage::State,
        });
        Thing::Variable(Place { variable, path: Vec::new(), span: name.span }, ty)
    }

    /// The scalars of an initialiser, which fit the type.
    fn initial_values(
        &mut self,
        initial: &Initial,
        ty: &Ty,
        name: &Name,
        scope: ScopeId,
    ) -> Option<Vec<i64>> {
        self.afresh();
        let value = self.unchanged(|this| this.initial_value(initial, ty, scope))?;
        let span = match initial {
            Initial::Value(expr) => expr.span,
            Initial::List(_, span) => *span,
        };
        self.known_scalars(value, ty, name, span)
    }

    /// The scalars of a value that must be known and fit the type.
    pub(super) fn known_scalars(
        &mut self,
        value: Value,
        ty: &Ty,
        name: &Name,
        span: Span,
    ) -> Option<Vec<i64>> {
        if ty.is_aggregate() {
            let parts = self.parts(value, span);
            let mut all = Vec::new();
            for (at, part) in parts.into_iter().enumerate() {
                let of = ty.part(at).cloned().unwrap_or(Ty::Void);
                all.extend(self.known_scalars(part, &of, name, span)?);
            }
            return Some(all);
        }
        let Some(number) = value.constant() else {
            return self.fail(format!("the value of `{}` must be constant", name.text), span);
        };
        let (lo, hi) = match ty {
            Ty::Clock => (0, i64::from(i32::MAX)),
            ty => ty.values().unwrap_or((i64::MIN, i64::MAX)),
        };
        if number < lo || number > hi {
            let message =
                format!("the value {number} of `{}` is not between {lo} and {hi}", name.text);
            return self.fail(message, span);
        }
        Some(vec![number])
    }

    /// The place of an initialiser's value: the field it names, or its position.
    pub(super) fn place_in(&mut self, ty: &Ty, name: Option<&Name>, at: usize) -> Option<usize> {
        let Some(name) = name else { return Some(at) };
        let Ty::Struct(of) = ty else {
            return self.fail("only structs have fields", name.span);
        };
        match of.fields.iter().position(|(field, _)| *field == name.text) {
            Some(at) => Some(at),
            None => self.fail(format!("there is no field `{}`", name.text), name.span),
        }
    }

    /// A channel, or an array of them.
    fn channels(&mut self, name: &str, span: Span, ty: Ty) -> Thing {
        let first = ChannelId(self.network.channels.len() as u32).value();
        let (broadcast, urgent) = match ty.base() {
            Ty::Channel { broadcast, urgent } => (*broadcast, *urgent),
            _ => (false, false),
        };
        let kind = if broadcast { ChannelKind::Broadcast } else { ChannelKind::Rendezvous };
        let owner = self.owner.map(|owner| &self.network.processes[owner.index()].name);
        let prefix = owner.map_or(String::new(), |owner| format!("{owner}."));
        let mut names = Vec::new();
        element_names(&format!("{prefix}{name}"), &ty, &mut names);
        let count = names.len() as i64;
        for name in names {
            let message = Vec::new();
            self.network.channels.push(Channel { name, span, kind, message, urgent, owner: None });
        }
        let fixed = Fixed {
            name: name.to_string(),
            span,
            ty: ty.clone(),
            owner: self.owner,
            values: (first..first + count).collect(),
            variable: Cell::new(None),
        };
        Thing::Fixed(Rc::new(fixed), Vec::new(), ty)
    }

    /// `chan priority a < b, c < default;`: what is not listed is at the level of
    /// `default`, which is 0.
    fn channel_priorities(&mut self, levels: &[Vec<ChannelName>], scope: ScopeId) -> Option<()> {
        let is_default = |name: &ChannelName| matches!(name, ChannelName::Default);
        let zero = levels.iter().position(|level| level.iter().any(is_default));
        for (at, level) in levels.iter().enumerate() {
            // Without `default`, all that are listed come before the others.
            let priority = match zero {
                Some(zero) => at as i32 - zero as i32,
                None => at as i32 + 1,
            };
            for name in level {
                let ChannelName::Channel(expr) = name else { continue };
                let value = self.expr(expr, scope)?;
                self.prioritise(value, priority, expr.span)?;
            }
        }
        Some(())
    }

    fn prioritise(&mut self, value: Value, priority: i32, span: Span) -> Option<()> {
        match value {
            Value::Channel(expr) => match expr.kind {
                homing_ir::network::ExprKind::Channel(channel) => {
                    self.priorities.insert(channel, priority);
                    Some(())
                }
                _ => self.fail("this must be constant", span),
            },
            Value::Fixed(fixed, path, ty) => {
                let parts = self.parts(Value::Fixed(fixed, path, ty), span);
                parts.into_iter().try_for_each(|part| self.prioritise(part, priority, span))
            }
            other => {
                let what = other.what();
                self.fail(format!("this is {what}, not a channel"), span)
            }
        }
    }

    /// The priority of steps on a channel.
    pub(super) fn priority_of(&self, channel: ChannelId) -> i32 {
        self.priorities.get(&channel).copied().unwrap_or(0)
    }
}

/// A constant.
pub(super) fn fixed(name: &Name, ty: Ty, owner: Option<ProcessId>, values: Vec<i64>) -> Thing {
    let fixed = Fixed {
        name: name.text.clone(),
        span: name.span,
        ty: ty.clone(),
        owner,
        values,
        variable: Cell::new(None),
    };
    Thing::Fixed(Rc::new(fixed), Vec::new(), ty)
}

/// `c[0]`, `c[1]` and so on.
fn element_names(name: &str, ty: &Ty, out: &mut Vec<String>) {
    match ty {
        Ty::Array(element, indices) => {
            for at in 0..i64::from(indices.count) {
                element_names(&format!("{name}[{}]", indices.lo + at), element, out);
            }
        }
        _ => out.push(name.to_string()),
    }
}
