//! Sending and receiving.

use homing_ir::Span;
use homing_ir::network::{
    Access, Action, Binary as Op, ChannelId, ChannelKind, Expr, ExprKind as Kind, Pattern, Place,
    ReceiveOrder, SendOrder, Type, VariableId,
};

use super::super::syntax::{self, Argument, ExprKind, Initial, Reference};
use super::expression::{Meaning, binary, choose};
use super::{Context, Lowering, int, truth, visit};

impl Lowering<'_> {
    /// The channel a reference denotes, and how many parts its messages have
    /// where that is known.
    pub(super) fn channel_of(
        &mut self,
        reference: &Reference,
        cx: Context,
    ) -> Option<(Expr, Option<usize>)> {
        let span = reference.span;
        match self.meaning(reference, cx)? {
            Meaning::Channel(id) => {
                let arity = self.network.channels[id.index()].message.len();
                Some((Expr::new(Kind::Channel(id), span), Some(arity)))
            }
            Meaning::Place(place, Type::Channel) => {
                let arity = self.arity(place.variable);
                // One of an array that is always the same, by a known index.
                let variable = &self.network.variables[place.variable.index()];
                let known = variable.storage == homing_ir::network::Storage::Constant;
                if let (true, [Access::Index(index)]) = (known, &place.path[..])
                    && let Some(index) = Self::number(index)
                    && let Some(value) =
                        usize::try_from(index).ok().and_then(|i| variable.initial.get(i))
                    && let Some(id) = ChannelId::of_value(*value)
                {
                    return Some((Expr::new(Kind::Channel(id), span), arity));
                }
                Some((Expr::new(Kind::Read(place), span), arity))
            }
            Meaning::Place(..) => {
                self.fail("this is not a channel", span);
                None
            }
        }
    }

    /// The number of parts of the messages of the channels in a constant array.
    fn arity(&self, variable: VariableId) -> Option<usize> {
        let variable = &self.network.variables[variable.index()];
        if variable.storage != homing_ir::network::Storage::Constant {
            return None;
        }
        let first = ChannelId::of_value(*variable.initial.first()?)?;
        Some(self.network.channels.get(first.index())?.message.len())
    }

    /// Whether the channel has no room; a rendezvous channel never has.
    pub(super) fn has_no_room(&self, channel: &Expr, span: Span) -> Expr {
        let length = Expr::new(Kind::Length(Box::new(channel.clone())), span);
        binary(Op::Ge, length, self.capacity(channel, span), span)
    }

    /// What `full` answers. Of a rendezvous channel, as in `pan`: it holds one message
    /// while it is handed over, so it is never full when somebody asks.
    pub(super) fn full(&self, channel: &Expr, span: Span) -> Expr {
        let length = Expr::new(Kind::Length(Box::new(channel.clone())), span);
        let holds = binary(Op::Gt, length, int(0, span), span);
        binary(Op::And, holds, self.has_no_room(channel, span), span)
    }

    /// How many messages a channel holds: none, if it is a rendezvous channel.
    pub(super) fn capacity(&self, channel: &Expr, span: Span) -> Expr {
        let capacity = |kind: ChannelKind| match kind {
            ChannelKind::Buffered(most) => i64::from(most),
            _ => 0,
        };
        match &channel.kind {
            Kind::Channel(id) => int(capacity(self.network.channels[id.index()].kind), span),
            _ => {
                // By value: the capacities of all channels there are.
                let channels = self.network.channels.iter().enumerate();
                channels.fold(int(0, span), |otherwise, (at, declared)| {
                    let most = int(capacity(declared.kind), span);
                    if let (Kind::Int(a), Kind::Int(b)) = (&otherwise.kind, &most.kind)
                        && a == b
                    {
                        return otherwise;
                    }
                    let own = Expr::new(Kind::Channel(ChannelId(at as u32)), span);
                    let is = binary(Op::Eq, channel.clone(), own, span);
                    choose(is, most, otherwise, span)
                })
            }
        }
    }

    /// Where a channel to receive from must be one. SPIN asks senders only, in programs
    /// with rendezvous channels and no buffer: who receives from no channel waits there.
    pub(super) fn meets(&self, channel: &Expr, span: Span) -> Expr {
        if matches!(channel.kind, Kind::Channel(_)) || !self.rendezvous_only() {
            return int(1, span);
        }
        let channels = (0..self.network.channels.len() as u32).map(ChannelId);
        channels.fold(int(0, span), |any, id| {
            let own = Expr::new(Kind::Channel(id), span);
            let mut is = binary(Op::Eq, channel.clone(), own, span);
            if let Some(owner) = self.network.channels[id.index()].owner {
                is = binary(Op::And, is, Expr::new(Kind::Running(owner), span), span);
            }
            binary(Op::Or, any, is, span)
        })
    }

    /// Whether the text declares channels, and all are rendezvous channels.
    fn rendezvous_only(&self) -> bool {
        let locals = self.types.iter().flat_map(|ty| &ty.locals);
        let fields = self.scopes.records.iter().flat_map(|record| &record.fields);
        let fields = fields.flat_map(|declaration| &declaration.variables);
        let variables = self.scopes.globals.iter().chain(locals).map(|one| &one.initial);
        let initial = variables.chain(fields.map(|field| &field.initial)).flatten();
        let mut capacities = initial.filter_map(|initial| match initial {
            Initial::Channel { capacity, .. } => Some(self.evaluate(capacity, false)),
            _ => None,
        });
        let first = capacities.next();
        first == Some(Some(0)) && capacities.all(|capacity| capacity == Some(0))
    }

    pub(super) fn send(
        &mut self,
        channel: &Reference,
        message: &[syntax::Expr],
        sorted: bool,
        cx: Context,
    ) -> Option<Action> {
        let span = channel.span;
        let (channel, arity) = self.channel_of(channel, cx)?;
        let mut parts = Vec::new();
        for expr in message {
            match self.aggregate(expr, cx) {
                Some(places) => parts.extend(places.into_iter().map(|place| {
                    let span = place.span;
                    Expr::new(Kind::Read(place), span)
                })),
                None => parts.push(self.expr(expr, cx)),
            }
        }
        if let Some(arity) = arity {
            self.check_arity(parts.len(), arity, false, span);
        }
        let order = if sorted { SendOrder::Sorted } else { SendOrder::Last };
        Some(Action::Send { channel, message: parts, order })
    }

    pub(super) fn receive(
        &mut self,
        channel: &Reference,
        message: &[Argument],
        any: bool,
        keep: bool,
        cx: Context,
    ) -> Option<Action> {
        let span = channel.span;
        let (channel, arity) = self.channel_of(channel, cx)?;
        let mut parts = Vec::new();
        for argument in message {
            match argument {
                Argument::Constant(value, span) => parts.push(Pattern::Match(int(*value, *span))),
                Argument::Eval(expr) => parts.push(Pattern::Match(self.expr(expr, cx))),
                Argument::Reference(reference) => match self.symbolic(reference, cx) {
                    Some(value) => parts.push(Pattern::Match(int(value, reference.span))),
                    None => parts.extend(self.intake(reference, cx)?),
                },
            }
        }
        if let Some(arity) = arity {
            self.check_arity(parts.len(), arity, keep, span);
        }
        let may_meet = truth(&self.is_rendezvous(&channel, span)) != Some(false);
        if may_meet && (self.is_provided_by_last(cx) || message.iter().any(asks_who_was_last)) {
            // That would be who sends, who is not known here.
            let what = "`_last` in `provided` or in what is received from a rendezvous channel";
            self.fail(format!("{what} is not supported"), span);
            return None;
        }
        let order = if any { ReceiveOrder::Any } else { ReceiveOrder::First };
        Some(Action::Receive { channel, message: parts, order, keep })
    }

    /// Whether a process's `provided` asks for `_last`.
    fn is_provided_by_last(&self, cx: Context) -> bool {
        let ty = cx.instance.map(|at| &self.types[self.instances[at].ty]);
        let provided = ty.and_then(|ty| ty.ast.provided.clone());
        provided.is_some_and(|provided| asks_who_was_last(&Argument::Eval(provided)))
    }

    /// Whether a channel is a rendezvous channel.
    pub(super) fn is_rendezvous(&self, channel: &Expr, span: Span) -> Expr {
        let is = |id: &ChannelId| self.network.channels[id.index()].kind == ChannelKind::Rendezvous;
        if let Kind::Channel(id) = channel.kind {
            return int(i64::from(is(&id)), span);
        }
        let channels = (0..self.network.channels.len() as u32).map(ChannelId).filter(is);
        channels.fold(int(0, span), |any, id| {
            let own = Expr::new(Kind::Channel(id), span);
            binary(Op::Or, any, binary(Op::Eq, channel.clone(), own, span), span)
        })
    }

    /// Too few values are a run-time error, as in SPIN, unless they are only looked at.
    fn check_arity(&mut self, given: usize, arity: usize, keep: bool, span: Span) {
        let message = format!("{given} values for a channel with messages of {arity}");
        if given > arity {
            self.fail(message, span);
        } else if given < arity && !keep {
            self.reports.add(homing_ir::Diagnostic::warning(message, span));
        }
    }

    /// The value of a symbolic name, unless a variable hides it.
    pub(super) fn symbolic(&self, reference: &Reference, cx: Context) -> Option<i64> {
        let [part] = &reference.parts[..] else { return None };
        let hidden = self.scopes.find(cx.scope, &part.name.text, cx.order).is_some();
        if hidden || part.index.is_some() {
            return None;
        }
        self.symbols.get(&part.name.text).map(|(value, _)| *value)
    }

    /// Where a received value goes; a record takes several.
    pub(super) fn intake(&mut self, reference: &Reference, cx: Context) -> Option<Vec<Pattern>> {
        if let [part] = &reference.parts[..]
            && part.name.text == "_"
        {
            return Some(vec![Pattern::Ignore]);
        }
        match self.meaning(reference, cx)? {
            Meaning::Place(place, ty) => {
                let mut places = Vec::new();
                self.spread(place, &ty, &mut places);
                Some(places.into_iter().map(Pattern::Store).collect())
            }
            Meaning::Channel(_) => None,
        }
    }

    /// The scalars of a record or array, if the expression names one.
    pub(super) fn aggregate(&mut self, expr: &syntax::Expr, cx: Context) -> Option<Vec<Place>> {
        let ExprKind::Reference(reference) = &expr.kind else { return None };
        let name = &reference.parts[0].name.text;
        self.scopes.find(cx.scope, name, cx.order)?;
        match self.meaning(reference, cx)? {
            Meaning::Place(place, ty) if self.network.scalar(&ty).is_none() => {
                let mut places = Vec::new();
                self.spread(place, &ty, &mut places);
                Some(places)
            }
            _ => None,
        }
    }

    /// The scalars of what is at a place, in order.
    pub(super) fn spread(&self, place: Place, ty: &Type, out: &mut Vec<Place>) {
        match ty {
            Type::Array(element, length) => {
                for index in 0..*length {
                    let mut inner = place.clone();
                    inner.path.push(Access::Index(int(i64::from(index), place.span)));
                    self.spread(inner, element, out);
                }
            }
            Type::Record(id) => {
                let fields = &self.network.records[id.index()].fields;
                for (field, (_, ty)) in fields.iter().enumerate() {
                    let mut inner = place.clone();
                    inner.path.push(Access::Field(field as u32));
                    self.spread(inner, ty, out);
                }
            }
            _ => out.push(place),
        }
    }
}

/// Whether an argument of a receive asks for `_last`.
fn asks_who_was_last(argument: &Argument) -> bool {
    let mut found = false;
    visit::argument(argument, &mut |expr| {
        if let ExprKind::Reference(reference) = &expr.kind {
            found |= reference.parts[0].name.text == "_last";
        }
    });
    found
}
