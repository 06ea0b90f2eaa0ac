//! Names in expressions of users, found in the network alone.
//!
//! Globals, channels and symbolic names as in the text; `P[2]:x` and
//! `P[2]@label` for processes, the number left out where there is one only.

use homing_ir::network::{
    Access, Binary as Op, ChannelId, Expr, ExprKind as Kind, LocationId, Network, Place, ProcessId,
    ReceiveOrder, Type, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::syntax::{self, Argument, ChannelQuestion, ExprKind, Name, Reference};
use crate::reports::Reports;

/// The expression over the network.
pub(super) fn resolve(
    network: &Network,
    expr: &syntax::Expr,
    reports: &mut Reports,
) -> Option<Expr> {
    Resolver { network, reports }.expr(expr)
}

struct Resolver<'a> {
    network: &'a Network,
    reports: &'a mut Reports,
}

impl Resolver<'_> {
    fn fail(&mut self, message: impl Into<String>, span: Span) -> Option<Expr> {
        self.reports.add(Diagnostic::error(message, span));
        None
    }

    fn expr(&mut self, expr: &syntax::Expr) -> Option<Expr> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Number(value) => Kind::Int(*value),
            ExprKind::Reference(reference) => return self.global(reference),
            ExprKind::Unary(op, operand) => {
                let Some(op) = op.plain() else {
                    return self.fail("a goal has no temporal operators", span);
                };
                Kind::Unary(op, Box::new(self.expr(operand)?))
            }
            ExprKind::Binary(op, left, right) => {
                let Some(op) = op.plain() else {
                    return self.fail("a goal has no temporal operators", span);
                };
                Kind::Binary(op, Box::new(self.expr(left)?), Box::new(self.expr(right)?))
            }
            ExprKind::Conditional(a, b, c) => {
                let [a, b, c] = [self.expr(a)?, self.expr(b)?, self.expr(c)?].map(Box::new);
                Kind::Choose(a, b, c)
            }
            ExprKind::Channel(question, channel) => return self.question(*question, channel, span),
            ExprKind::Poll { channel, message, any } => {
                let channel = Box::new(self.global(channel)?);
                let mut wanted = Vec::new();
                for argument in message {
                    wanted.push(match argument {
                        Argument::Constant(value, span) => Some(Expr::int(*value, *span)),
                        Argument::Eval(expr) => Some(self.expr(expr)?),
                        Argument::Reference(r) if r.parts[0].name.text == "_" => None,
                        Argument::Reference(reference) => Some(self.global(reference)?),
                    });
                }
                let order = if *any { ReceiveOrder::Any } else { ReceiveOrder::First };
                Kind::Poll { channel, message: wanted, order }
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                let id = self.process(process, pid.as_deref())?;
                let locations = &self.network.processes[id.index()].locations;
                let Some(at) = locations.iter().position(|l| l.name == label.text) else {
                    let known = locations.iter().map(|location| location.name.as_str());
                    let near = crate::names::nearest(&label.text, known);
                    let message = format!("`{}` has no label `{}`", process.text, label.text);
                    let mut error = Diagnostic::error(message, label.span);
                    if let Some(near) = near {
                        error = error.help(format!("did you mean `{near}`?"));
                    }
                    self.reports.add(error);
                    return None;
                };
                Kind::At(id, LocationId(at as u32))
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                let id = self.process(process, pid.as_deref())?;
                return self.variable(variable, Some(id));
            }
            ExprKind::Run { .. }
            | ExprKind::Timeout
            | ExprKind::NonProgress
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::Priority(_) => return self.fail("this cannot be asked in a goal", span),
        };
        Some(Expr::new(kind, span))
    }

    fn question(
        &mut self,
        question: ChannelQuestion,
        channel: &Reference,
        span: Span,
    ) -> Option<Expr> {
        let channel = self.global(channel)?;
        let capacity = match channel.kind {
            Kind::Channel(id) => match self.network.channels[id.index()].kind {
                homing_ir::network::ChannelKind::Buffered(most) => Some(i64::from(most)),
                _ => Some(0),
            },
            _ => None,
        };
        let length = Expr::new(Kind::Length(Box::new(channel)), span);
        let (op, value) = match (question, capacity) {
            (ChannelQuestion::Length, _) => return Some(length),
            (ChannelQuestion::Empty, _) => (Op::Eq, 0),
            (ChannelQuestion::NotEmpty, _) => (Op::Ne, 0),
            (ChannelQuestion::Full, Some(most)) => (Op::Ge, most),
            (ChannelQuestion::NotFull, Some(most)) => (Op::Lt, most),
            (_, None) => return self.fail("name one channel here", span),
        };
        let value = Expr::int(value, span);
        Some(Expr::new(Kind::Binary(op, Box::new(length), Box::new(value)), span))
    }

    fn process(&mut self, name: &Name, pid: Option<&syntax::Expr>) -> Option<ProcessId> {
        let pid = match pid.map(|pid| &pid.kind) {
            Some(ExprKind::Number(pid)) => Some(*pid),
            Some(_) => {
                self.fail("name the process by its number here", name.span);
                return None;
            }
            None => None,
        };
        let wanted = |process: &str| match pid {
            _ if process == "init" => name.text == "init",
            Some(pid) => process == format!("{}[{pid}]", name.text),
            None => {
                process.strip_prefix(name.text.as_str()).is_some_and(|rest| rest.starts_with('['))
            }
        };
        let all = self.network.processes.iter().enumerate();
        let found: Vec<usize> = all.filter(|(_, p)| wanted(&p.name)).map(|(i, _)| i).collect();
        match found[..] {
            [one] => Some(ProcessId(one as u32)),
            [] => {
                let known: Vec<&str> = self.network.processes.iter().map(|p| &p.name[..]).collect();
                let message = format!("there is no process `{}`", name.text);
                let help = format!("there are {}", known.join(", "));
                self.reports.add(Diagnostic::error(message, name.span).help(help));
                None
            }
            _ => {
                let message = format!("there are several processes `{}`: add a number", name.text);
                self.fail(message, name.span);
                None
            }
        }
    }

    fn global(&mut self, reference: &Reference) -> Option<Expr> {
        let span = reference.span;
        if let [part] = &reference.parts[..] {
            let index = match part.index.as_ref().map(|index| &index.kind) {
                Some(ExprKind::Number(index)) => format!("{}[{index}]", part.name.text),
                _ => part.name.text.clone(),
            };
            let channels = &self.network.channels;
            if let Some(at) = channels.iter().position(|channel| channel.name == index) {
                return Some(Expr::new(Kind::Channel(ChannelId(at as u32)), span));
            }
            let symbol = self.network.enumerations.iter().find_map(|enumeration| {
                enumeration.values.iter().position(|value| *value == part.name.text)
            });
            if let (Some(value), None) = (symbol, &part.index) {
                return Some(Expr::int(value as i64, span));
            }
        }
        self.variable(reference, None)
    }

    fn variable(&mut self, reference: &Reference, owner: Option<ProcessId>) -> Option<Expr> {
        let span = reference.span;
        let first = &reference.parts[0].name;
        let all = self.network.variables.iter();
        let known = all.clone().position(|v| v.owner == owner && v.name == first.text);
        let Some(at) = known else {
            let names = all.filter(|v| v.owner == owner).map(|v| v.name.as_str());
            let mut error =
                Diagnostic::error(format!("the name `{}` is not declared", first.text), first.span);
            if let Some(near) = crate::names::nearest(&first.text, names) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.reports.add(error);
            return None;
        };
        let mut ty = self.network.variables[at].ty.clone();
        let mut path = Vec::new();
        for (position, part) in reference.parts.iter().enumerate() {
            if position > 0 {
                let Type::Record(id) = ty else {
                    return self.fail(format!("`{}` is not a field", part.name.text), span);
                };
                let fields = &self.network.records[id.index()].fields;
                let Some(field) = fields.iter().position(|(name, _)| *name == part.name.text)
                else {
                    return self.fail(format!("there is no field `{}`", part.name.text), span);
                };
                ty = fields[field].1.clone();
                path.push(Access::Field(field as u32));
            }
            if let Some(index) = &part.index {
                let Type::Array(element, _) = ty else {
                    return self.fail(format!("`{}` is not an array", part.name.text), span);
                };
                path.push(Access::Index(self.expr(index)?));
                ty = *element;
            }
        }
        if self.network.scalar(&ty).is_none() {
            return self.fail("this is a record or an array: name one of its parts", span);
        }
        let place = Place { variable: VariableId(at as u32), path, span };
        Some(Expr::new(Kind::Read(place), span))
    }
}
