//! Expressions and places.

use homing_ir::network::{
    Access, Binary as Op, ChannelKind, Expr, ExprKind as Kind, LocationId, Place, ReceiveOrder,
    Type, Unary as Op1,
};
use homing_ir::{Diagnostic, Span};

use super::super::scope::Symbol;
use super::super::syntax::{self, Argument, ChannelQuestion, ExprKind, Name, Reference};
use super::{Context, Lowering, Storage, int, priority, truth};
use crate::arithmetic;

impl Lowering<'_> {
    /// An expression of the network; a number where it is wrong.
    pub(super) fn expr(&mut self, expr: &syntax::Expr, cx: Context) -> Expr {
        self.try_expr(expr, cx).unwrap_or_else(|| int(0, expr.span))
    }

    pub(super) fn try_expr(&mut self, expr: &syntax::Expr, cx: Context) -> Option<Expr> {
        let span = expr.span;
        let kind = match &expr.kind {
            ExprKind::Number(value) => Kind::Int(*value),
            ExprKind::Reference(reference) => return self.read(reference, cx),
            ExprKind::Unary(op, operand) => {
                let op = self.plain(op.plain(), span)?;
                let operand = self.try_expr(operand, cx)?;
                return Some(unary(op, operand, span));
            }
            ExprKind::Binary(op, left, right) => {
                let op = self.plain(op.plain(), span)?;
                let left = self.try_expr(left, cx)?;
                let right = self.try_expr(right, cx)?;
                return Some(binary(op, left, right, span));
            }
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.try_expr(condition, cx)?;
                let (yes, no) = (self.try_expr(yes, cx)?, self.try_expr(no, cx)?);
                match truth(&condition) {
                    Some(true) => return Some(yes),
                    Some(false) => return Some(no),
                    None => Kind::Choose(Box::new(condition), Box::new(yes), Box::new(no)),
                }
            }
            // What `run` answers: the number the next process gets.
            ExprKind::Run { .. } => return Some(self.running(span)),
            ExprKind::Channel(question, channel) => {
                return self.question(*question, channel, span, cx);
            }
            ExprKind::Poll { channel, message, any } => {
                let (channel, arity) = self.channel_of(channel, cx)?;
                let message = self.polled(message, arity, cx)?;
                self.warn_of_rendezvous(&channel, span);
                let order = if *any { ReceiveOrder::Any } else { ReceiveOrder::First };
                Kind::Poll { channel: Box::new(channel), message, order }
            }
            ExprKind::Timeout => match cx.timeout {
                Some(value) => Kind::Int(i64::from(value)),
                None if cx.instance.is_none() => return Some(self.nobody_moves(span)),
                None => return self.refuse("`timeout` here", span),
            },
            ExprKind::NonProgress if cx.instance.is_none() => return Some(self.non_progress(span)),
            ExprKind::NonProgress => return self.refuse("`np_` in a process", span),
            ExprKind::Enabled(pid) => return self.enabled(pid, span, cx),
            ExprKind::PcValue(pid) => return self.pc_value(pid, span, cx),
            ExprKind::Priority(pid) => return self.get_priority(pid, span, cx),
            ExprKind::RemoteLabel { process, pid, label } => {
                return self.remote_label(process, pid.as_deref(), label, span, cx);
            }
            ExprKind::RemoteVariable { process, pid, variable } => {
                return self.remote_variable(process, pid.as_deref(), variable, span, cx);
            }
        };
        Some(Expr::new(kind, span))
    }

    /// A rendezvous channel holds no message to look at: that is a run-time error.
    fn warn_of_rendezvous(&mut self, channel: &Expr, span: Span) {
        if let Kind::Channel(id) = channel.kind
            && self.network.channels[id.index()].kind == ChannelKind::Rendezvous
        {
            let name = &self.network.channels[id.index()].name;
            let message = format!("looking into the rendezvous channel `{name}` is an error");
            self.reports.add(Diagnostic::warning(message, span));
        }
    }

    fn refuse(&mut self, what: &str, span: Span) -> Option<Expr> {
        self.fail(format!("{what} is not supported"), span);
        None
    }

    /// An operator of the network, which temporal ones have not.
    fn plain<O>(&mut self, op: Option<O>, span: Span) -> Option<O> {
        if op.is_none() {
            self.fail("a temporal operator outside of a formula", span);
        }
        op
    }

    /// `_nr_pr`.
    pub(super) fn running(&mut self, span: Span) -> Expr {
        match self.count {
            Some(variable) => {
                Expr::new(Kind::Read(Place { variable, path: Vec::new(), span }), span)
            }
            None => int(self.instances.len() as i64, span),
        }
    }

    fn read(&mut self, reference: &Reference, cx: Context) -> Option<Expr> {
        let span = reference.span;
        if let [part] = &reference.parts[..]
            && part.index.is_none()
            && self.scopes.find(cx.scope, &part.name.text, cx.order).is_none()
        {
            let value = match part.name.text.as_str() {
                "_pid" => match cx.instance {
                    Some(instance) => i64::from(self.instances[instance].pid),
                    None => {
                        self.fail("`_pid` can only be used in a process", span);
                        return None;
                    }
                },
                "_nr_pr" if cx.instance.is_none() => return Some(self.running_beside(span)),
                "_nr_pr" => return Some(self.running(span)),
                "_last" => {
                    let variable = self.last?;
                    let place = Place { variable, path: Vec::new(), span };
                    return Some(Expr::new(Kind::Read(place), span));
                }
                priority::NAME => match cx.instance {
                    Some(instance) => return Some(self.priority(instance, span)),
                    None => {
                        self.fail("`_priority` can only be used in a process", span);
                        return None;
                    }
                },
                "_" => {
                    self.fail("`_` can be written, but not read", span);
                    return None;
                }
                name => match self.symbols.get(name) {
                    Some((value, _)) => *value,
                    None => {
                        self.unknown(&part.name, "the name", cx.scope);
                        return None;
                    }
                },
            };
            return Some(int(value, span));
        }
        match self.meaning(reference, cx)? {
            Meaning::Place(place, ty) => {
                if self.network.scalar(&ty).is_none() {
                    self.fail("this is a record or an array: name one of its parts", span);
                    return None;
                }
                Some(Expr::new(Kind::Read(place), span))
            }
            Meaning::Channel(id) => Some(Expr::new(Kind::Channel(id), span)),
        }
    }

    /// What a reference to a variable means.
    pub(super) fn meaning(&mut self, reference: &Reference, cx: Context) -> Option<Meaning> {
        let first = &reference.parts[0];
        let storage = match self.scopes.find(cx.scope, &first.name.text, cx.order) {
            Some(Symbol::Global(index)) => self.globals.get(index).cloned(),
            Some(Symbol::Local(index)) => {
                let Some(instance) = cx.instance else {
                    self.fail("a variable of a claim cannot be used here", first.name.span);
                    return None;
                };
                self.instances[instance].locals.get(index).cloned()
            }
            None => {
                self.unknown(&first.name, "the variable", cx.scope);
                return None;
            }
        };
        self.enter(storage?, reference, cx)
    }

    pub(super) fn enter(
        &mut self,
        storage: Storage,
        reference: &Reference,
        cx: Context,
    ) -> Option<Meaning> {
        let variable = match storage {
            Storage::Lost => return None,
            Storage::Channel(id) => {
                if reference.parts.len() > 1 || reference.parts[0].index.is_some() {
                    self.fail("a channel has no parts", reference.span);
                    return None;
                }
                return Some(Meaning::Channel(id));
            }
            Storage::Variable(id) | Storage::Channels(id) => id,
        };
        let mut ty = self.network.variables[variable.index()].ty.clone();
        let mut path = Vec::new();
        for (at, part) in reference.parts.iter().enumerate() {
            if at > 0 {
                let Type::Record(id) = ty else {
                    self.fail(
                        format!("`{}` is not a field of this", part.name.text),
                        part.name.span,
                    );
                    return None;
                };
                let fields = &self.network.records[id.index()].fields;
                let found = fields.iter().position(|(name, _)| *name == part.name.text);
                let Some(field) = found else {
                    let record = self.network.records[id.index()].name.clone();
                    let message = format!("`{record}` has no field `{}`", part.name.text);
                    self.fail(message, part.name.span);
                    return None;
                };
                ty = fields[field].1.clone();
                path.push(Access::Field(field as u32));
            }
            if let Some(index) = &part.index {
                let index = self.try_expr(index, cx)?;
                match ty {
                    Type::Array(element, _) => {
                        ty = *element;
                        path.push(Access::Index(index));
                    }
                    // SPIN lets a scalar be indexed by 0.
                    _ if Self::number(&index) == Some(0) => {}
                    _ => {
                        self.fail(format!("`{}` is not an array", part.name.text), part.name.span);
                        return None;
                    }
                }
            }
        }
        Some(Meaning::Place(Place { variable, path, span: reference.span }, ty))
    }

    /// A place a value can be stored in.
    pub(super) fn target(&mut self, reference: &Reference, cx: Context) -> Option<Place> {
        if let Some(place) = self.priority_place(reference, cx) {
            return Some(place);
        }
        match self.meaning(reference, cx)? {
            Meaning::Place(place, ty) if self.network.scalar(&ty).is_some() => Some(place),
            Meaning::Place(..) => {
                self.fail("this is a record or an array: name one of its parts", reference.span);
                None
            }
            Meaning::Channel(_) => None,
        }
    }

    fn question(
        &mut self,
        question: ChannelQuestion,
        channel: &Reference,
        span: Span,
        cx: Context,
    ) -> Option<Expr> {
        let (channel, _) = self.channel_of(channel, cx)?;
        let length = Expr::new(Kind::Length(Box::new(channel.clone())), span);
        let zero = || int(0, span);
        Some(match question {
            ChannelQuestion::Length => length,
            ChannelQuestion::Empty => binary(Op::Eq, length, zero(), span),
            ChannelQuestion::NotEmpty => binary(Op::Ne, length, zero(), span),
            ChannelQuestion::Full => self.full(&channel, span),
            ChannelQuestion::NotFull => unary(Op1::Not, self.full(&channel, span), span),
        })
    }

    fn type_named(&mut self, name: &Name) -> Option<usize> {
        let wanted = if name.text == "init" { ":init:" } else { &name.text };
        let found = self.types.iter().position(|ty| ty.ast.name.text == wanted);
        if found.is_none() {
            self.fail(format!("there is no process type `{}`", name.text), name.span);
        }
        found
    }

    fn remote_label(
        &mut self,
        process: &Name,
        pid: Option<&syntax::Expr>,
        label: &Name,
        span: Span,
        cx: Context,
    ) -> Option<Expr> {
        let ty = self.type_named(process)?;
        let Some(number) = self.types[ty].flow.labels.get(&label.text).copied() else {
            let message = format!("`{}` has no label `{}`", process.text, label.text);
            self.fail(message, label.span);
            return None;
        };
        let location = self.types[ty].locations.get(&number).copied();
        let pid = match pid {
            Some(pid) => Some(self.try_expr(pid, cx)?),
            None => None,
        };
        let mut found = int(0, span);
        for instance in self.instances.clone() {
            homing_budget::checkpoint();
            let (true, Some(location)) = (instance.ty == ty, location) else { continue };
            let at = Expr::new(Kind::At(instance.process, LocationId(location)), span);
            let at = match &pid {
                Some(pid) => {
                    let own = int(i64::from(instance.pid), span);
                    binary(Op::And, binary(Op::Eq, pid.clone(), own, span), at, span)
                }
                None => at,
            };
            found = binary(Op::Or, found, at, span);
        }
        Some(found)
    }

    fn remote_variable(
        &mut self,
        process: &Name,
        pid: Option<&syntax::Expr>,
        variable: &Reference,
        span: Span,
        cx: Context,
    ) -> Option<Expr> {
        let ty = self.type_named(process)?;
        let name = &variable.parts[0].name;
        let local = self.types[ty].locals.iter().position(|local| local.name.text == name.text);
        let Some(local) = local else {
            self.fail(format!("`{}` has no variable `{}`", process.text, name.text), name.span);
            return None;
        };
        let pid = match pid {
            Some(pid) => Some(self.try_expr(pid, cx)?),
            None => None,
        };
        let mut value = int(0, span);
        for instance in self.instances.clone() {
            homing_budget::checkpoint();
            if instance.ty != ty {
                continue;
            }
            let storage = instance.locals.get(local)?.clone();
            let read = match self.enter(storage, variable, cx)? {
                Meaning::Place(place, _) => Kind::Read(place),
                Meaning::Channel(id) => Kind::Channel(id),
            };
            // A process that is not there reads as zero.
            let runs = Expr::new(Kind::Running(instance.process), span);
            let is = match &pid {
                Some(pid) => {
                    let own = int(i64::from(instance.pid), span);
                    binary(Op::And, binary(Op::Eq, pid.clone(), own, span), runs, span)
                }
                None => runs,
            };
            value = choose(is, Expr::new(read, span), value, span);
        }
        Some(value)
    }

    /// The values a poll looks for.
    fn polled(
        &mut self,
        message: &[Argument],
        arity: Option<usize>,
        cx: Context,
    ) -> Option<Vec<Option<Expr>>> {
        let mut wanted = Vec::new();
        for argument in message {
            match argument {
                Argument::Constant(value, span) => wanted.push(Some(int(*value, *span))),
                Argument::Eval(expr) => wanted.push(Some(self.try_expr(expr, cx)?)),
                Argument::Reference(reference) => match self.symbolic(reference, cx) {
                    Some(value) => wanted.push(Some(int(value, reference.span))),
                    None => {
                        let parts = self.intake(reference, cx)?;
                        wanted.extend(parts.into_iter().map(|_| None));
                    }
                },
            }
        }
        wanted.resize(arity.unwrap_or(wanted.len()), None);
        Some(wanted)
    }
}

/// What a reference to a variable means.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A variable or a part of one, and its type.
    Place(Place, Type),
    /// A channel.
    Channel(homing_ir::network::ChannelId),
}

/// An operator applied, numbers at once where that is safe.
pub(super) fn unary(op: Op1, operand: Expr, span: Span) -> Expr {
    match (op, &operand.kind) {
        (Op1::Not | Op1::Neg, Kind::Int(value)) => int(arithmetic::unary(op, *value), span),
        _ => Expr::new(Kind::Unary(op, Box::new(operand)), span),
    }
}

/// An operator applied; conjunctions and disjunctions with a known side are
/// made shorter.
pub(super) fn binary(op: Op, left: Expr, right: Expr, span: Span) -> Expr {
    match (op, truth(&left), truth(&right)) {
        (Op::And, Some(false), _) | (Op::And, _, Some(false)) => int(0, span),
        (Op::Or, Some(true), _) => int(1, span),
        (Op::And, Some(true), _) | (Op::Or, Some(false), _) => boolean(right),
        (Op::And, _, Some(true)) | (Op::Or, _, Some(false)) => boolean(left),
        _ => match (op, &left.kind, &right.kind) {
            (Op::Eq, Kind::Int(a), Kind::Int(b)) => int(i64::from(a == b), span),
            _ => Expr::new(Kind::Binary(op, Box::new(left), Box::new(right)), span),
        },
    }
}

/// The truth value of an expression.
fn boolean(expr: Expr) -> Expr {
    let is_truth = match &expr.kind {
        Kind::Binary(op, ..) => matches!(
            op,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or | Op::Imply
        ),
        Kind::Unary(op, _) => *op == Op1::Not,
        Kind::Int(value) => matches!(value, 0 | 1),
        Kind::At(..) | Kind::Running(_) | Kind::Poll { .. } => true,
        _ => false,
    };
    let span = expr.span;
    if is_truth {
        expr
    } else {
        Expr::new(Kind::Binary(Op::Ne, Box::new(expr), Box::new(int(0, span))), span)
    }
}

/// One of two values; at once, where the condition is known.
pub(super) fn choose(condition: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
    match truth(&condition) {
        Some(true) => yes,
        Some(false) => no,
        None => Expr::new(Kind::Choose(Box::new(condition), Box::new(yes), Box::new(no)), span),
    }
}
