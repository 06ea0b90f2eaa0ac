//! Every expression of a program.

use std::collections::BTreeSet;

use super::super::syntax::{
    Argument, Declaration, Expr, ExprKind, Initial, Program, Reference, Sequence, StatementKind,
    Step, Unit,
};

type Visit<'v> = dyn FnMut(&Expr) + 'v;

/// Whether a name is read somewhere.
pub(super) fn uses(program: &Program, name: &str) -> bool {
    let mut found = false;
    everywhere(program, &mut |expr| {
        if let ExprKind::Reference(reference) = &expr.kind {
            found |= reference.parts[0].name.text == name;
        }
    });
    found
}

/// Whether `timeout` is used somewhere.
pub(super) fn uses_timeout(program: &Program) -> bool {
    let mut found = false;
    everywhere(program, &mut |expr| found |= matches!(expr.kind, ExprKind::Timeout));
    found
}

/// The labels that are asked for from outside: process type and label.
pub(super) fn remote_labels(program: &Program) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    everywhere(program, &mut |expr| {
        if let ExprKind::RemoteLabel { process, label, .. } = &expr.kind {
            found.insert((process.text.clone(), label.text.clone()));
        }
    });
    found
}

/// Every `run`: which process type it starts, and the priority it gives.
pub(super) fn runs(program: &Program) -> Vec<(String, Option<Expr>)> {
    let mut found = Vec::new();
    everywhere(program, &mut |expr| {
        if let ExprKind::Run { name, priority, .. } = &expr.kind {
            found.push((name.text.clone(), priority.as_deref().cloned()));
        }
    });
    found
}

/// Calls `visit` on all expressions of a program and those within.
fn everywhere(program: &Program, visit: &mut Visit) {
    for unit in &program.units {
        match unit {
            Unit::Proctype(proctype) => {
                proctype.provided.iter().for_each(|provided| walk(provided, visit));
                sequence(&proctype.body, visit);
            }
            Unit::Claim(claim) => sequence(&claim.body, visit),
            Unit::Ltl(ltl) => walk(&ltl.formula, visit),
            Unit::Declaration(declared) => declaration(declared, visit),
            Unit::Record(_) | Unit::Symbols(_) => {}
        }
    }
}

fn sequence(sequence: &Sequence, visit: &mut Visit) {
    for step in &sequence.steps {
        match step {
            Step::Statement(one) => statement(&one.kind, visit),
            Step::Declaration(declared) => declaration(declared, visit),
            Step::Exclusive { .. } => {}
        }
    }
}

fn declaration(declaration: &Declaration, visit: &mut Visit) {
    for variable in &declaration.variables {
        match &variable.initial {
            Some(Initial::Value(value)) => walk(value, visit),
            Some(Initial::List(values, _)) => values.iter().for_each(|value| walk(value, visit)),
            Some(Initial::Channel { .. }) | None => {}
        }
    }
}

fn statement(kind: &StatementKind, visit: &mut Visit) {
    match kind {
        StatementKind::Expression(expr)
        | StatementKind::Assert(expr)
        | StatementKind::PrintSymbol(expr) => walk(expr, visit),
        StatementKind::Assign(to, value) => {
            indices(to, visit);
            walk(value, visit);
        }
        StatementKind::Send { channel, message, .. } => {
            indices(channel, visit);
            message.iter().for_each(|value| walk(value, visit));
        }
        StatementKind::Print(_, values) => values.iter().for_each(|value| walk(value, visit)),
        StatementKind::Receive { channel, message, .. } => {
            indices(channel, visit);
            message.iter().for_each(|argument| self::argument(argument, visit));
        }
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().for_each(|option| sequence(option, visit));
        }
        StatementKind::For { index, from, to, body } => {
            indices(index, visit);
            walk(from, visit);
            walk(to, visit);
            sequence(body, visit);
        }
        StatementKind::Select { index, from, to } => {
            indices(index, visit);
            walk(from, visit);
            walk(to, visit);
        }
        StatementKind::ForIn { index, of, body } => {
            indices(index, visit);
            indices(of, visit);
            sequence(body, visit);
        }
        StatementKind::Atomic(body)
        | StatementKind::Deterministic(body)
        | StatementKind::Block(body)
        | StatementKind::Inline { body, .. } => sequence(body, visit),
        StatementKind::Unless(normal, escape) => {
            statement(&normal.kind, visit);
            statement(&escape.kind, visit);
        }
        StatementKind::SetPriority(process, priority) => {
            walk(process, visit);
            walk(priority, visit);
        }
        StatementKind::Break | StatementKind::Goto(_) | StatementKind::Else => {}
    }
}

/// Calls `visit` on an expression and those within.
pub(super) fn walk(expr: &Expr, visit: &mut Visit) {
    visit(expr);
    match &expr.kind {
        ExprKind::Unary(_, operand) => walk(operand, visit),
        ExprKind::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        ExprKind::Conditional(a, b, c) => {
            [a, b, c].into_iter().for_each(|expr| walk(expr, visit));
        }
        ExprKind::Reference(reference) | ExprKind::Channel(_, reference) => {
            indices(reference, visit);
        }
        ExprKind::Run { arguments, priority, .. } => {
            arguments.iter().for_each(|argument| walk(argument, visit));
            priority.iter().for_each(|priority| walk(priority, visit));
        }
        ExprKind::Poll { channel, message, .. } => {
            indices(channel, visit);
            message.iter().for_each(|argument| self::argument(argument, visit));
        }
        ExprKind::Enabled(inner) | ExprKind::PcValue(inner) | ExprKind::Priority(inner) => {
            walk(inner, visit);
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| walk(pid, visit)),
        ExprKind::RemoteVariable { pid, variable, .. } => {
            pid.iter().for_each(|pid| walk(pid, visit));
            indices(variable, visit);
        }
        ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
    }
}

fn indices(reference: &Reference, visit: &mut Visit) {
    let indices = reference.parts.iter().filter_map(|part| part.index.as_ref());
    indices.for_each(|index| walk(index, visit));
}

/// Visits the expressions in an argument of a receive.
pub(super) fn argument(argument: &Argument, visit: &mut Visit) {
    match argument {
        Argument::Eval(expr) => walk(expr, visit),
        Argument::Reference(reference) => indices(reference, visit),
        Argument::Constant(..) => {}
    }
}
