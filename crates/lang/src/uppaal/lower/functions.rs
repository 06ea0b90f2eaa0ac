//! Calls of functions.
//!
//! Arguments are read once. Where nothing may change, the function is computed
//! (`symbolic`); within an update a short one is too, the others become statements
//! (`statement`).

use homing_ir::Span;
use homing_ir::network::{Binary as Op, Expr, Unary};

use super::Lowering;
use super::assign::is_fixed;
use super::fold;
use super::scope::{ScopeId, Symbol};
use super::things::type_of;
use super::types::Ty;
use super::value::{Thing, Value};
use crate::uppaal::syntax::{
    self, Block, ExprKind as Kind, Function, Parameter, Statement, StatementKind,
};

/// Up to how many nodes the value of a function is written out within an update.
const SHORT: usize = 60;

/// How deep calls may be nested.
const MOST_CALLS: usize = 40;

/// The scope of a function's declaration, and how many names there were.
type Home = (ScopeId, u64);

impl<'a> Lowering<'a> {
    pub(super) fn call(
        &mut self,
        callee: &syntax::Expr,
        arguments: &[syntax::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        match &callee.kind {
            Kind::Name(name) => match self.scopes.find(scope, name) {
                Some(Symbol::Function(function, home, until)) => {
                    let (function, home) = (*function, (*home, *until));
                    self.invoke(function, home, arguments, span, scope)
                }
                Some(Symbol::Thing(_) | Symbol::Type(_)) => {
                    self.fail(format!("`{name}` is no function"), callee.span)
                }
                _ if self.families.contains_key(name) => self.process(name, arguments, span, scope),
                None if name == "abs" && arguments.len() == 1 => {
                    let value = self.expr(&arguments[0], scope)?;
                    let value = self.plain(value, span)?;
                    let negative = fold::binary(Op::Lt, value.clone(), Expr::int(0, span), span);
                    let turned = fold::unary(Unary::Neg, value.clone(), span);
                    Some(Value::Number(fold::choose(negative, turned, value, span), false))
                }
                None if is_real(name) => {
                    let message = format!("`{name}` computes real numbers: not supported");
                    self.fail(message, span)
                }
                _ => {
                    let name = syntax::Name { text: name.clone(), span: callee.span };
                    self.unknown("the function", &name, scope)
                }
            },
            Kind::Field(of, name) => {
                let Thing::Value(Value::Process(process)) = self.thing(of, scope)? else {
                    return self.fail("this cannot be called", callee.span);
                };
                let home = self.instances[process].scope;
                match self.scopes.own(home, &name.text) {
                    Some(Symbol::Function(function, home, until)) => {
                        let (function, home) = (*function, (*home, *until));
                        self.invoke(function, home, arguments, span, scope)
                    }
                    _ => self.unknown("the function", name, home),
                }
            }
            _ => self.fail("this cannot be called", callee.span),
        }
    }

    /// `P(1)`, a process of several.
    fn process(
        &mut self,
        name: &str,
        arguments: &[syntax::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let mut values = Vec::new();
        for argument in arguments {
            // People know the processes over a scalar set by numbers.
            let value = self.unchanged(|this| this.expr(argument, scope))?;
            match value.constant() {
                Some(value) => values.push(value.to_string()),
                None => return self.fail("this must be constant", argument.span),
            }
        }
        let wanted = format!("{name}({})", values.join(","));
        match self.instances.iter().position(|process| process.name == wanted) {
            Some(at) => Some(Value::Process(at)),
            None => self.fail(format!("there is no process `{wanted}`"), span),
        }
    }

    fn invoke(
        &mut self,
        function: &'a Function,
        home: Home,
        arguments: &[syntax::Expr],
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let (given, wanted) = (arguments.len(), function.parameters.len());
        if given != wanted {
            let name = &function.name.text;
            return self.fail(format!("`{name}` takes {wanted} arguments, not {given}"), span);
        }
        if self.calls.contains(&function.name.span) || self.calls.len() > MOST_CALLS {
            let name = &function.name.text;
            return self.fail(format!("`{name}` calls itself: recursion is not supported"), span);
        }
        let arguments = self.arguments(&function.parameters, arguments, scope)?;
        self.calls.push(function.name.span);
        let found = self.invoked(function, home, &arguments, span);
        self.calls.pop();
        found
    }

    fn invoked(
        &mut self,
        function: &'a Function,
        home: Home,
        arguments: &[Thing],
        span: Span,
    ) -> Option<Value> {
        if self.effect.is_none() {
            return self.as_expression(function, home, arguments, span);
        }
        if !has_loop(&function.body) {
            let quiet = std::mem::replace(&mut self.quiet, true);
            let (work, depth) = (self.work, self.frame.locals.len());
            let short = self.unchanged(|this| this.as_expression(function, home, arguments, span));
            self.quiet = quiet;
            self.frame.locals.truncate(depth);
            match short {
                Some(Value::Number(expr, boolean)) if fold::measure(&expr).0 <= SHORT => {
                    return Some(Value::Number(expr, boolean));
                }
                Some(Value::Scalar(expr, set)) if fold::measure(&expr).0 <= SHORT => {
                    return Some(Value::Scalar(expr, set));
                }
                // What was tried does not count.
                _ => self.work = work,
            }
        }
        let inner = self.scopes.inside_until(home.0, home.1);
        let found = self.as_statements(function, arguments, span, inner);
        self.scopes.leave(inner);
        found
    }

    /// Reads arguments from left to right: values, and what references refer to.
    fn arguments(
        &mut self,
        parameters: &[Parameter],
        arguments: &[syntax::Expr],
        scope: ScopeId,
    ) -> Option<Vec<Thing>> {
        let mut found: Vec<Thing> = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let mark = self.mark();
            let unchecked = self.unchecked_type(&parameter.ty, scope);
            let thing = if let Some(why) = unchecked {
                self.left_out(argument)?;
                Thing::Value(Value::Unchecked(why))
            } else if parameter.reference {
                let thing = self.thing(argument, scope)?;
                self.pinned(thing)
            } else {
                Thing::Value(self.expr(argument, scope)?)
            };
            // Later arguments may change what earlier ones read.
            let earlier = std::mem::take(&mut found);
            for thing in earlier {
                let kept = match thing {
                    Thing::Value(value) => Thing::Value(self.settled_since(value, mark)?),
                    other => other,
                };
                found.push(kept);
            }
            found.push(thing);
        }
        Some(found)
    }

    fn as_expression(
        &mut self,
        function: &'a Function,
        home: Home,
        arguments: &[Thing],
        span: Span,
    ) -> Option<Value> {
        let scope = self.scopes.inside_until(home.0, home.1);
        let depth = self.frame.locals.len();
        let found = self.computed_with(function, arguments, span, scope);
        self.frame.locals.truncate(depth);
        self.scopes.leave(scope);
        found
    }

    fn computed_with(
        &mut self,
        function: &'a Function,
        arguments: &[Thing],
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let result = self.ty(&function.result, scope)?.widened();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let ty = self.declared_type(&parameter.ty, &parameter.sizes, scope)?.widened();
            let thing = match argument {
                Thing::Value(Value::Unchecked(_)) => argument.clone(),
                Thing::Value(value) => {
                    let value = self.converted(value.clone(), &ty, span)?;
                    let thing = self.local(value, ty);
                    self.bounded(self.frame.locals.len() - 1, span)?;
                    thing
                }
                reference => reference.clone(),
            };
            self.declare(scope, &parameter.name, Symbol::Thing(thing));
        }
        self.computed(function, &result, span, scope)
    }

    fn as_statements(
        &mut self,
        function: &'a Function,
        arguments: &[Thing],
        span: Span,
        scope: ScopeId,
    ) -> Option<Value> {
        let result = self.ty(&function.result, scope)?.widened();
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            let ty = self.declared_type(&parameter.ty, &parameter.sizes, scope)?.widened();
            let thing = match argument {
                Thing::Value(Value::Unchecked(_)) => argument.clone(),
                Thing::Value(value)
                    if is_fixed(value) && !assigns(&function.body, &parameter.name.text) =>
                {
                    let value = self.converted(value.clone(), &ty, span)?;
                    Thing::Value(value)
                }
                Thing::Value(value) => {
                    let value = self.converted(value.clone(), &ty, span)?;
                    let thing = self.scratch(&function.name.text, &parameter.name, ty)?;
                    self.store(&thing, value, span)?;
                    thing
                }
                reference => {
                    if type_of(reference).is_some_and(|given| !ty.fits(&given)) {
                        return self.fail("this argument is of another type", span);
                    }
                    reference.clone()
                }
            };
            self.declare(scope, &parameter.name, Symbol::Thing(thing));
        }
        let held = match result {
            Ty::Void => None,
            Ty::Unchecked(why) => return self.looked_at(why, span),
            ty => Some(self.scratch(&function.name.text, &function.name, ty)?),
        };
        self.body(function, held.as_ref(), scope)?;
        match held {
            Some(held) => self.read(held, span),
            None => Some(Value::Nothing),
        }
    }
}

/// Functions of UPPAAL that compute real numbers.
const REAL: &[&str] = &[
    "fabs",
    "fmod",
    "fma",
    "fmax",
    "fmin",
    "fdim",
    "exp",
    "exp2",
    "expm1",
    "ln",
    "log",
    "log10",
    "log2",
    "log1p",
    "pow",
    "sqrt",
    "cbrt",
    "hypot",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "ceil",
    "floor",
    "trunc",
    "round",
    "fint",
    "ldexp",
    "ilogb",
    "logb",
    "nextafter",
    "copysign",
    "random",
    "random_arcsine",
    "random_beta",
    "random_gamma",
    "random_normal",
    "random_poisson",
    "random_weibull",
    "random_tri",
];

/// Whether it is the name of a function of UPPAAL that computes real numbers.
pub(super) fn is_real(name: &str) -> bool {
    REAL.contains(&name)
}

fn statements(block: &Block) -> impl Iterator<Item = &Statement> {
    let mut open: Vec<&Statement> = block.statements.iter().rev().collect();
    std::iter::from_fn(move || {
        let statement = open.pop()?;
        match &statement.kind {
            StatementKind::Block(block) => open.extend(block.statements.iter().rev()),
            StatementKind::If(_, yes, no) => {
                open.extend(no.as_deref());
                open.push(yes);
            }
            StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::For(_, _, _, body)
            | StatementKind::Each(_, _, body) => open.push(body),
            _ => {}
        }
        Some(statement)
    })
}

/// Whether some statement of a block is as described.
pub(super) fn some(block: &Block, wanted: impl Fn(&StatementKind) -> bool) -> bool {
    statements(block).any(|statement| wanted(&statement.kind))
}

fn has_loop(block: &Block) -> bool {
    some(block, |kind| {
        use StatementKind::{DoWhile, Each, For, While};
        matches!(kind, While(..) | DoWhile(..) | For(..) | Each(..))
    })
}

/// Whether a name is assigned to, or perhaps changed through a reference.
pub(super) fn assigns(block: &Block, name: &str) -> bool {
    statements(block).any(|statement| match &statement.kind {
        StatementKind::Expression(expr) | StatementKind::Assert(expr) => changes(expr, name),
        StatementKind::If(condition, ..)
        | StatementKind::While(condition, _)
        | StatementKind::DoWhile(_, condition) => changes(condition, name),
        StatementKind::For(a, b, c, _) => [a, b, c].into_iter().flatten().any(|e| changes(e, name)),
        StatementKind::Return(Some(value)) => changes(value, name),
        _ => false,
    })
}

/// Whether an expression assigns to a name, or hands it to a function.
pub(super) fn changes(expr: &syntax::Expr, name: &str) -> bool {
    let within = |parts: &[&syntax::Expr]| parts.iter().any(|part| changes(part, name));
    match &expr.kind {
        Kind::Assign(_, place, value) => root(place) == Some(name) || within(&[place, value]),
        Kind::Step { place, .. } => root(place) == Some(name) || within(&[place]),
        Kind::Call(_, arguments) => {
            arguments.iter().any(|argument| root(argument) == Some(name) || changes(argument, name))
        }
        Kind::Index(a, b) | Kind::Binary(_, a, b) => within(&[a, b]),
        Kind::Field(a, _) | Kind::Rate(a) | Kind::Unary(_, a) | Kind::Quantified(_, _, _, a) => {
            within(&[a])
        }
        Kind::Choose(a, b, c) => within(&[a, b, c]),
        _ => false,
    }
}

/// The variable that a place is part of.
fn root(place: &syntax::Expr) -> Option<&str> {
    match &place.kind {
        Kind::Name(name) => Some(name),
        Kind::Index(of, _) | Kind::Field(of, _) => root(of),
        _ => None,
    }
}
