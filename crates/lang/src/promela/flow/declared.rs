//! Declarations within bodies.

use homing_ir::Diagnostic;

use super::super::scope::Local;
use super::super::syntax::{
    Declaration, Expr, ExprKind, Initial, Part, Reference, StatementKind, TypeName,
};
use super::{Body, Chain, What};

impl Body<'_> {
    /// A declaration within a body: at its start, or a statement that sets the variable.
    pub(super) fn declaration(&mut self, declaration: &Declaration, chain: Chain) {
        self.declare(declaration, self.at_start);
        if self.at_start {
            return;
        }
        for variable in &declaration.variables {
            let span = variable.name.span;
            let part = |index| Reference {
                parts: vec![Part { name: variable.name.clone(), index }],
                span,
            };
            let number = |value| Box::new(Expr { kind: ExprKind::Number(value), span });
            match (&declaration.ty, &variable.initial) {
                (TypeName::Record(_), _) => {
                    let node = self.node(What::Nothing, span);
                    self.append(node, chain);
                }
                (_, Some(Initial::Channel { span, .. })) => {
                    let message = format!(
                        "the channel `{}` must be declared before the first statement",
                        variable.name.text
                    );
                    self.reports.add(Diagnostic::error(message, *span));
                }
                (_, Some(Initial::List(values, _))) => {
                    // SPIN makes this one step.
                    let kind = StatementKind::Assign(part(Some(number(0))), values[0].clone());
                    self.plain(kind, span, chain);
                }
                (_, initial) => {
                    let value = match initial {
                        Some(Initial::Value(value)) => value.clone(),
                        _ => *number(0),
                    };
                    let index = variable.size.as_ref().map(|_| number(0));
                    self.plain(StatementKind::Assign(part(index), value), span, chain);
                }
            }
        }
    }

    pub(super) fn declare(&mut self, declaration: &Declaration, at_start: bool) {
        for variable in &declaration.variables {
            let local = Local::new(declaration, variable, at_start);
            let known = self.scopes.declare(self.scope, &variable.name, self.locals.len());
            if let Err(before) = known {
                let message = format!("`{}` is declared twice", variable.name.text);
                let error = Diagnostic::error(message, variable.name.span);
                self.reports.add(error.related(before, "first declared here"));
            }
            self.locals.push(local);
        }
    }
}
