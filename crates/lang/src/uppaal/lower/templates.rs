//! Templates become processes: every parameter is bound to what it stands for.

use homing_ir::network::{Expr, Lifetime, LocationId, Process, ProcessId, Role};
use homing_ir::{Diagnostic, Span};

use super::declare::fixed;
use super::functions::{assigns, changes};
use super::scalars::Open;
use super::scope::{GLOBAL, ScopeId, Symbol};
use super::things::type_of;
use super::types::Ty;
use super::value::{Thing, Value};
use super::{Instance, Lowering};
use crate::uppaal::syntax::{
    self, Block, DeclarationKind, Name, Parameter, SystemMember, Template,
};

/// How many processes a system may have.
const MOST_PROCESSES: usize = 10_000;
/// How often instances may be made of instances.
const MOST_PARTIAL: usize = 50;

impl<'a> Lowering<'a> {
    /// A name on the system line: one process, or one for every value of its
    /// parameters.
    pub(super) fn member(&mut self, member: &'a SystemMember) -> Option<()> {
        let name = &member.name;
        let parameters: &'a [Parameter] = match self.scopes.find(GLOBAL, &name.text) {
            Some(Symbol::Template(template)) => &template.parameters,
            Some(Symbol::Partial(partial)) => partial.parameters,
            Some(_) => {
                return self.fail(format!("`{}` is not a process", name.text), name.span);
            }
            None => return self.unknown("the process", name, GLOBAL),
        };
        let taken = self.instances.iter().any(|process| process.name == name.text);
        if taken || self.families.contains_key(&name.text) {
            return self.fail(format!("the process `{}` runs twice", name.text), name.span);
        }
        if parameters.is_empty() {
            let scope = self.scopes.inside(GLOBAL);
            return self.instance(name.text.clone(), name, &[], member.priority, scope);
        }
        self.families.insert(name.text.clone(), parameters.len());
        let (mut open, mut ranges) = (Vec::new(), Vec::new());
        for parameter in parameters {
            let ty = self.declared_type(&parameter.ty, &parameter.sizes, GLOBAL)?;
            match ty.values() {
                Some(range) if !parameter.reference => {
                    open.push(Open { written: &parameter.ty, ty, range });
                    ranges.push(range);
                }
                _ => {
                    let message = format!("`{}` needs arguments", name.text);
                    let error = Diagnostic::error(message, name.span);
                    let label = "only parameters of bounded types can be left open";
                    self.report(error.related(parameter.name.span, label));
                    return None;
                }
            }
        }
        let count = ranges.iter().fold(1_i64, |all, (lo, hi)| all.saturating_mul(hi - lo + 1));
        if count > MOST_PROCESSES as i64 {
            return self.fail(format!("`{}` stands for {count} processes", name.text), name.span);
        }
        let first = self.network.processes.len();
        let mut values: Vec<i64> = ranges.iter().map(|(lo, _)| *lo).collect();
        loop {
            let written: Vec<String> = values.iter().map(i64::to_string).collect();
            let process = format!("{}({})", name.text, written.join(","));
            let arguments = values.iter().zip(&open).map(|(value, open)| {
                Thing::Value(Value::of(Expr::int(*value, name.span), &open.ty))
            });
            let arguments: Vec<Thing> = arguments.collect();
            let scope = self.scopes.inside(GLOBAL);
            self.instance(process, name, &arguments, member.priority, scope)?;
            // The next combination, the last parameter running fastest.
            let mut at = values.len();
            loop {
                let Some(before) = at.checked_sub(1) else {
                    self.note_interchangeable(&open, first);
                    return Some(());
                };
                at = before;
                if values[at] < ranges[at].1 {
                    values[at] += 1;
                    break;
                }
                values[at] = ranges[at].0;
            }
        }
    }

    /// Makes a process of what `maker` names: a template, or an instance of one with
    /// parameters left open.
    fn instance(
        &mut self,
        process: String,
        maker: &'a Name,
        arguments: &[Thing],
        priority: u32,
        mut scope: ScopeId,
    ) -> Option<()> {
        if self.network.processes.len() >= MOST_PROCESSES {
            return self.fail("too many processes", maker.span);
        }
        let (mut maker, mut arguments) = (maker, arguments.to_vec());
        let mut span = maker.span;
        for _ in 0..MOST_PARTIAL {
            match self.scopes.find(GLOBAL, &maker.text) {
                Some(Symbol::Template(template)) => {
                    let template = *template;
                    self.bind(&template.parameters, &arguments, Some(template), span, scope)?;
                    return self.made(process, template, priority, scope);
                }
                Some(Symbol::Partial(partial)) => {
                    let partial = *partial;
                    self.bind(partial.parameters, &arguments, None, span, scope)?;
                    span = partial.span;
                    let mut next = Vec::new();
                    let wanted = self.parameters_of(partial.template)?;
                    if wanted.len() != partial.arguments.len() {
                        return self.miscounted(partial.template, wanted, partial.arguments, span);
                    }
                    for (parameter, argument) in wanted.iter().zip(partial.arguments) {
                        self.afresh();
                        next.push(match self.unchecked_type(&parameter.ty, GLOBAL) {
                            Some(why) => Thing::Value(Value::Unchecked(why)),
                            None => self.thing(argument, scope)?,
                        });
                    }
                    (maker, arguments) = (partial.template, next);
                    scope = self.scopes.inside(GLOBAL);
                }
                Some(_) => {
                    let message = format!("`{}` is not a template", maker.text);
                    return self.fail(message, maker.span);
                }
                None => return self.unknown("the template", maker, GLOBAL),
            }
        }
        self.fail(format!("`{}` is an instance of itself", maker.text), maker.span)
    }

    fn parameters_of(&mut self, maker: &Name) -> Option<&'a [Parameter]> {
        match self.scopes.find(GLOBAL, &maker.text) {
            Some(Symbol::Template(template)) => Some(&template.parameters),
            Some(Symbol::Partial(partial)) => Some(partial.parameters),
            Some(_) => self.fail(format!("`{}` is not a template", maker.text), maker.span),
            None => self.unknown("the template", maker, GLOBAL),
        }
    }

    fn miscounted<T>(
        &mut self,
        maker: &Name,
        wanted: &[Parameter],
        given: &[syntax::Expr],
        span: Span,
    ) -> Option<T> {
        let message =
            format!("`{}` takes {} arguments, not {}", maker.text, wanted.len(), given.len());
        let mut error = Diagnostic::error(message, span);
        if let Some(first) = wanted.first() {
            error = error.related(first.name.span, "its parameters");
        }
        self.report(error);
        None
    }

    /// Binds parameters to arguments.
    fn bind(
        &mut self,
        parameters: &'a [Parameter],
        arguments: &[Thing],
        template: Option<&'a Template>,
        span: Span,
        scope: ScopeId,
    ) -> Option<()> {
        if parameters.len() != arguments.len() {
            let message =
                format!("{} arguments where {} are needed", arguments.len(), parameters.len());
            return self.fail(message, span);
        }
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let ty = self.declared_type(&parameter.ty, &parameter.sizes, scope)?;
            let thing = self.bound_to(parameter, ty, argument, template, span)?;
            self.declare(scope, &parameter.name, Symbol::Thing(thing));
        }
        Some(())
    }

    fn bound_to(
        &mut self,
        parameter: &Parameter,
        ty: Ty,
        argument: &Thing,
        template: Option<&Template>,
        span: Span,
    ) -> Option<Thing> {
        if let Ty::Unchecked(why) = ty {
            return Some(Thing::Value(Value::Unchecked(why)));
        }
        let name = &parameter.name;
        let unfit = format!("the argument for `{}` is of another type", name.text);
        let given = type_of(argument);
        let special = matches!(ty.base(), Ty::Clock | Ty::Channel { .. });
        // Older files leave the `&` out.
        let variable = matches!(argument, Thing::Variable(..)) && !parameter.ty.constant;
        if special || parameter.reference || variable {
            let alike = given.as_ref().is_some_and(|given| {
                ty.fits(given)
                    && match (ty.base(), given.base()) {
                        (Ty::Clock, other) | (other, Ty::Clock) => *other == Ty::Clock,
                        (Ty::Channel { .. }, other) | (other, Ty::Channel { .. }) => {
                            matches!(other, Ty::Channel { .. })
                        }
                        _ => true,
                    }
            });
            let value = matches!(argument, Thing::Value(_)) && !special;
            if !alike && !value {
                let error = Diagnostic::error(unfit, span);
                self.report(error.related(name.span, "this parameter"));
                return None;
            }
            return Some(argument.clone());
        }
        // What a process never assigns is a constant of it.
        let changed = !parameter.ty.constant
            && template.is_some_and(|template| assigned_in(template, &name.text));
        let ty = if changed { ty } else { ty.widened() };
        let value = self.read(argument.clone(), span)?;
        let value = self.converted(value, &ty, span)?;
        let values = self.known_scalars(value, &ty, name, span)?;
        Some(match changed {
            // The process it will belong to is not there yet.
            false => fixed(name, ty, None, values),
            true => Thing::Value(Value::Parts(
                values.into_iter().map(|value| Value::int(value, name.span)).collect(),
                ty,
            )),
        })
    }

    /// The process of a template whose parameters are bound.
    fn made(
        &mut self,
        name: String,
        template: &'a Template,
        priority: u32,
        scope: ScopeId,
    ) -> Option<()> {
        let id = ProcessId(self.network.processes.len() as u32);
        self.network.processes.push(Process {
            name: name.clone(),
            span: template.name.span,
            locations: Vec::new(),
            initial: LocationId(0),
            edges: Vec::new(),
            lifetime: Lifetime::Permanent,
            parameters: Vec::new(),
            role: Role::System,
            priority: i32::try_from(priority).unwrap_or(i32::MAX),
            code: None,
        });
        self.instances.push(Instance { name, scope, process: id });
        self.owned(id, |this| {
            this.parameters_that_change(template, scope);
            for declaration in &template.declarations {
                this.declaration(declaration, scope);
            }
            this.automaton(template, id, scope);
        });
        Some(())
    }

    /// Parameters that the process assigns are variables of its own.
    fn parameters_that_change(&mut self, template: &'a Template, scope: ScopeId) {
        for parameter in &template.parameters {
            let bound = match self.scopes.own(scope, &parameter.name.text) {
                Some(Symbol::Thing(Thing::Value(Value::Parts(values, ty)))) => {
                    (values.iter().filter_map(Value::constant).collect(), ty.clone())
                }
                _ => continue,
            };
            let thing = self.state_variable(&parameter.name, bound.1, bound.0);
            self.scopes.replace(scope, &parameter.name.text, Symbol::Thing(thing));
        }
    }
}

/// Whether an update or a function of a template assigns to a name.
fn assigned_in(template: &Template, name: &str) -> bool {
    let in_edge = |edge: &syntax::Edge| edge.update.iter().any(|update| changes(update, name));
    let in_function = |kind: &DeclarationKind| match kind {
        DeclarationKind::Function(function) => {
            let body: &Block = &function.body;
            assigns(body, name)
        }
        _ => false,
    };
    template.edges.iter().any(in_edge)
        || template.declarations.iter().any(|declaration| in_function(&declaration.kind))
}
