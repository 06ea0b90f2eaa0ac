//! Names, indices and fields: what they stand for.

use std::rc::Rc;

use homing_ir::network::{
    Access, Binary, ChannelId, Expr, ExprKind, Place, Storage, Variable, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::Lowering;
use super::fold;
use super::scope::{ScopeId, Symbol};
use super::types::Ty;
use super::value::{Fixed, Linear, Shape, Thing, Value};
use crate::uppaal::syntax::{self, ExprKind as Kind, Name};

impl<'a> Lowering<'a> {
    /// What a name, an element or a field stands for.
    pub(super) fn thing(&mut self, expr: &syntax::Expr, scope: ScopeId) -> Option<Thing> {
        match &expr.kind {
            Kind::Name(name) => self.named(name, expr.span, scope),
            Kind::Index(of, index) => {
                let of = self.thing(of, scope)?;
                if let Thing::Value(Value::Unchecked(_)) = of {
                    self.left_out(index)?;
                    return Some(of);
                }
                let mark = self.mark();
                let index_span = index.span;
                let index = self.expr(index, scope)?;
                let of = self.pinned_since(of, mark)?;
                let index = self.index_of(&of, index, index_span)?;
                self.element(of, index, expr.span)
            }
            Kind::Field(of, name) => {
                let of = self.thing(of, scope)?;
                match of {
                    Thing::Value(Value::Process(process)) => self.member_of(process, name),
                    Thing::Value(Value::Unchecked(_)) => Some(of),
                    of => self.field(of, name),
                }
            }
            _ => self.expr(expr, scope).map(Thing::Value),
        }
    }

    fn named(&mut self, name: &str, span: Span, scope: ScopeId) -> Option<Thing> {
        match self.scopes.find(scope, name) {
            // Its declaration was wrong, which was said there.
            Some(Symbol::Thing(Thing::Value(Value::Nothing))) => None,
            Some(Symbol::Thing(thing)) => Some(thing.clone()),
            Some(Symbol::Function(..)) => {
                self.fail(format!("`{name}` is a function: call it as `{name}(…)`"), span)
            }
            Some(Symbol::Type(_)) => self.fail(format!("`{name}` is a type"), span),
            found => {
                let template = found.is_some();
                if let Some(at) = self.instances.iter().position(|process| process.name == name) {
                    return Some(Thing::Value(Value::Process(at)));
                }
                if self.families.contains_key(name) {
                    let message = format!("`{name}` stands for several processes");
                    let error = Diagnostic::error(message, span);
                    self.report(error.help(format!("say which one, such as `{name}(0)`")));
                    return None;
                }
                if template {
                    return self.fail(format!("`{name}` is no process of this system"), span);
                }
                self.undeclared(name, span, scope)
            }
        }
    }

    fn undeclared<T>(&mut self, name: &str, span: Span, scope: ScopeId) -> Option<T> {
        let mut error = Diagnostic::error(format!("the name `{name}` is not declared"), span);
        let processes = self.instances.iter().map(|process| process.name.as_str());
        let known = self.scopes.names(scope).into_iter().chain(processes);
        if let Some(near) = crate::names::nearest(name, known) {
            error = error.help(format!("did you mean `{near}`?"));
        }
        self.report(error);
        None
    }

    /// A location or something declared in a process.
    fn member_of(&mut self, process: usize, name: &Name) -> Option<Thing> {
        let (scope, id) = (self.instances[process].scope, self.instances[process].process);
        let declared = &self.network.processes[id.index()];
        if let Some(at) = declared.locations.iter().position(|place| place.name == name.text) {
            let at = homing_ir::network::LocationId(at as u32);
            let at = Expr::new(ExprKind::At(id, at), name.span);
            return Some(Thing::Value(Value::truth(at)));
        }
        match self.scopes.own(scope, &name.text) {
            Some(Symbol::Thing(thing)) => Some(thing.clone()),
            _ => {
                let message = format!("`{}` has no `{}`", self.instances[process].name, name.text);
                let mut error = Diagnostic::error(message, name.span);
                let places = declared.locations.iter().map(|place| place.name.as_str());
                let known = self.scopes.names(scope).into_iter().chain(places);
                if let Some(near) = crate::names::nearest(&name.text, known) {
                    error = error.help(format!("did you mean `{near}`?"));
                }
                self.report(error);
                None
            }
        }
    }

    /// The element of an array at an index as written.
    pub(super) fn element(&mut self, of: Thing, index: Expr, span: Span) -> Option<Thing> {
        let Some(Ty::Array(element, indices)) = type_of(&of) else {
            let what = what(&of);
            return self.fail(format!("this is {what}, not an array"), span);
        };
        let index = fold::binary(Binary::Sub, index, Expr::int(indices.lo, span), span);
        Some(self.narrowed(of, Access::Index(index), element.as_ref().clone(), span))
    }

    fn field(&mut self, of: Thing, name: &Name) -> Option<Thing> {
        let Some(Ty::Struct(fields)) = type_of(&of) else {
            let what = what(&of);
            return self.fail(format!("this is {what}, not a struct"), name.span);
        };
        let Some(at) = fields.fields.iter().position(|(field, _)| *field == name.text) else {
            return self.fail(format!("there is no field `{}`", name.text), name.span);
        };
        let ty = fields.fields[at].1.clone();
        Some(self.narrowed(of, Access::Field(at as u32), ty, name.span))
    }

    fn narrowed(&mut self, of: Thing, access: Access, ty: Ty, span: Span) -> Thing {
        match of {
            Thing::Variable(mut place, _) => {
                place.path.push(access);
                Thing::Variable(place, ty)
            }
            Thing::Fixed(fixed, mut path, _) => {
                path.push(access);
                Thing::Fixed(fixed, path, ty)
            }
            Thing::Local(slot, mut path, _) => {
                path.push(access);
                Thing::Local(slot, path, ty)
            }
            Thing::Value(value) => Thing::Value(self.part(value, &access, span)),
        }
    }

    /// A part of an array or a struct. An index out of range fails when it is
    /// executed.
    pub(super) fn part(&mut self, value: Value, access: &Access, span: Span) -> Value {
        let number = match access {
            Access::Field(at) => Some(i64::from(*at)),
            Access::Index(index) => fold::constant(index),
        };
        let at = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX);
        match value {
            Value::Place(mut place, ty) => {
                let ty = ty.part(at).or(ty.part(0)).cloned().unwrap_or(Ty::Void);
                place.path.push(access.clone());
                self.read_place(place, ty, span)
            }
            Value::Fixed(fixed, mut path, ty) => {
                let ty = ty.part(at).or(ty.part(0)).cloned().unwrap_or(Ty::Void);
                path.push(access.clone());
                self.read_fixed(&fixed, path, ty, span)
            }
            Value::Parts(mut parts, _) if at < parts.len() => parts.swap_remove(at),
            Value::Parts(parts, _) => match (access, number) {
                (Access::Index(index), None) => self.selected(parts, index, span),
                _ => failing(span),
            },
            _ => failing(span),
        }
    }

    /// The value at an index that is not known: one choice after the other.
    fn selected(&mut self, parts: Vec<Value>, index: &Expr, span: Span) -> Value {
        let mut found = failing(span);
        for (at, part) in parts.into_iter().enumerate().rev() {
            if matches!(found, Value::Number(ref e, _) if at > 0 && is_failing(e))
                && part.aggregate().is_some()
            {
                // Structs have no value that fails; the last one stands for it.
                found = part;
                continue;
            }
            let here = Expr::int(at as i64, span);
            let here = fold::binary(Binary::Eq, index.clone(), here, span);
            found = self.merged(&here, part, found, span);
        }
        found
    }

    /// The first value where the condition is true, else the second.
    pub(super) fn merged(&mut self, condition: &Expr, yes: Value, no: Value, span: Span) -> Value {
        match fold::constant(condition) {
            Some(0) => return no,
            Some(_) => return yes,
            None => {}
        }
        match (yes, no) {
            (Value::Number(a, yes), Value::Number(b, no)) => {
                let boolean = (yes || fold::is_truth(&a)) && (no || fold::is_truth(&b));
                Value::Number(fold::choose(condition.clone(), a, b, span), boolean)
            }
            // Beside a value of the same set, or one that fails.
            (Value::Scalar(a, set), Value::Scalar(b, _) | Value::Number(b, _))
            | (Value::Number(a, _), Value::Scalar(b, set)) => {
                Value::Scalar(fold::choose(condition.clone(), a, b, span), set)
            }
            (yes, no) if yes.aggregate().is_some() && no.aggregate().is_some() => {
                let Some(ty) = yes.aggregate().cloned() else { return yes };
                let pairs: Vec<(Value, Value)> =
                    self.parts(yes, span).into_iter().zip(self.parts(no, span)).collect();
                let parts = pairs.into_iter().map(|(a, b)| self.merged(condition, a, b, span));
                Value::Parts(parts.collect(), ty)
            }
            (
                yes @ (Value::Number(..) | Value::Condition(..)),
                no @ (Value::Number(..) | Value::Condition(..)),
            ) => {
                let ((a, x), (b, y)) = (condition_of(yes), condition_of(no));
                let shape = x.max(y).unwrap_or(Shape::Formula);
                Value::Condition(fold::choose(condition.clone(), a, b, span), shape)
            }
            // Clocks are never kept, so they never differ.
            (yes, _) => yes,
        }
    }

    /// All parts of an array or a struct.
    pub(super) fn parts(&mut self, value: Value, span: Span) -> Vec<Value> {
        match value {
            Value::Parts(parts, _) => parts,
            value => {
                let Some(ty) = value.aggregate().cloned() else { return Vec::new() };
                let access = |at: usize| match ty {
                    Ty::Struct(_) => Access::Field(at as u32),
                    _ => Access::Index(Expr::int(at as i64, span)),
                };
                (0..ty.parts()).map(|at| self.part(value.clone(), &access(at), span)).collect()
            }
        }
    }

    /// What a thing holds.
    pub(super) fn read(&mut self, thing: Thing, span: Span) -> Option<Value> {
        match self.held(thing, span) {
            Value::Unchecked(why) => self.looked_at(why, span),
            value => Some(value),
        }
    }

    fn held(&mut self, thing: Thing, span: Span) -> Value {
        match thing {
            Thing::Variable(place, ty) => self.read_place(place, ty, span),
            Thing::Fixed(fixed, path, ty) => self.read_fixed(&fixed, path, ty, span),
            Thing::Local(slot, path, _) => {
                let mut value = self.frame.locals[slot].value.clone();
                for access in &path {
                    value = self.part(value, access, span);
                }
                respanned(value, span)
            }
            Thing::Value(value) => respanned(value, span),
        }
    }

    fn read_place(&mut self, place: Place, ty: Ty, span: Span) -> Value {
        if ty.is_aggregate() {
            return Value::Place(place, ty);
        }
        let variable = place.variable;
        let expr = Expr::new(ExprKind::Read(Place { span, ..place }), span);
        match ty {
            Ty::Clock => match self.measure(variable, span) {
                Some(why) => Value::Unchecked(why),
                None => Value::Clocks(Linear::clock(expr)),
            },
            ty => Value::of(expr, &ty),
        }
    }

    fn read_fixed(&mut self, fixed: &Rc<Fixed>, path: Vec<Access>, ty: Ty, span: Span) -> Value {
        if ty.is_aggregate() {
            return Value::Fixed(Rc::clone(fixed), path, ty);
        }
        let known = offset(&fixed.ty, &path).and_then(|at| fixed.values.get(at).copied());
        if let Some(value) = known {
            return match ty {
                Ty::Channel { .. } => {
                    let channel = ChannelId::of_value(value).unwrap_or(ChannelId(0));
                    Value::Channel(Expr::new(ExprKind::Channel(channel), span))
                }
                ty => Value::of(Expr::int(value, span), &ty),
            };
        }
        let variable = self.materialised(fixed);
        let expr = Expr::new(ExprKind::Read(Place { variable, path, span }), span);
        match ty {
            Ty::Channel { .. } => Value::Channel(expr),
            ty => Value::of(expr, &ty),
        }
    }

    /// The constant of the network for one that is read at an unknown index.
    fn materialised(&mut self, fixed: &Fixed) -> VariableId {
        if let Some(variable) = fixed.variable.get() {
            return variable;
        }
        let variable = VariableId(self.network.variables.len() as u32);
        self.network.variables.push(Variable {
            name: fixed.name.clone(),
            span: fixed.span,
            owner: fixed.owner,
            ty: fixed.ty.network(),
            initial: fixed.values.clone(),
            storage: Storage::Constant,
        });
        fixed.variable.set(Some(variable));
        variable
    }
}

/// The place of a scalar among all scalars of a type, if the path is known and leads
/// to one.
fn offset(ty: &Ty, path: &[Access]) -> Option<usize> {
    let (mut ty, mut at) = (ty, 0);
    for access in path {
        match (ty, access) {
            (Ty::Array(element, indices), Access::Index(index)) => {
                let index = usize::try_from(fold::constant(index)?).ok()?;
                if index >= indices.count as usize {
                    return None;
                }
                at += index * element.scalars() as usize;
                ty = element;
            }
            (Ty::Struct(of), Access::Field(field)) => {
                let before = of.fields.iter().take(*field as usize);
                at += before.map(|(_, ty)| ty.scalars() as usize).sum::<usize>();
                ty = &of.fields.get(*field as usize)?.1;
            }
            _ => return None,
        }
    }
    Some(at)
}

/// A number whose evaluation fails.
fn failing(span: Span) -> Value {
    let [one, zero] = [1, 0].map(|value| Box::new(Expr::int(value, span)));
    Value::Number(Expr::new(ExprKind::Binary(Binary::Div, one, zero), span), false)
}

fn is_failing(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Binary(Binary::Div, _, by) => fold::constant(by) == Some(0),
        _ => false,
    }
}

/// A condition, and what it says of clocks.
fn condition_of(value: Value) -> (Expr, Option<Shape>) {
    match value {
        Value::Number(expr, boolean) => (fold::truth(expr, boolean), None),
        Value::Condition(expr, shape) => (expr, Some(shape)),
        _ => (Expr::int(0, Span::default()), None),
    }
}

/// A known number is shown where it is used, not where it is bound.
fn respanned(value: Value, span: Span) -> Value {
    match value {
        Value::Number(expr, boolean) if fold::constant(&expr).is_some() => {
            Value::Number(Expr { span, ..expr }, boolean)
        }
        Value::Scalar(expr, set) if fold::constant(&expr).is_some() => {
            Value::Scalar(Expr { span, ..expr }, set)
        }
        value => value,
    }
}

pub(super) fn type_of(thing: &Thing) -> Option<Ty> {
    match thing {
        Thing::Variable(_, ty) | Thing::Fixed(_, _, ty) | Thing::Local(_, _, ty) => {
            Some(ty.clone())
        }
        Thing::Value(value) => value.aggregate().cloned(),
    }
}

fn what(thing: &Thing) -> &'static str {
    match thing {
        Thing::Value(value) => value.what(),
        Thing::Variable(_, ty) | Thing::Fixed(_, _, ty) | Thing::Local(_, _, ty) => match ty {
            Ty::Array(..) => "an array",
            Ty::Struct(_) => "a struct",
            Ty::Clock => "a clock",
            Ty::Channel { .. } => "a channel",
            Ty::Scalar { .. } => "a value of a scalar set",
            _ => "a number",
        },
    }
}
