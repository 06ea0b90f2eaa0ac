//! Expressions, places and statements, lowered to terms and commands.

use super::{Buffer, Flattener, Leaf, asserts};
use crate::network::{
    Access, Arithmetic, Binary, ChannelId, Expr, ExprKind, IntType, Lifetime, Overflow, Place,
    ProcessId, ReceiveOrder, Statement, StatementKind, Storage, TemplateId, Type, Unary,
};
use crate::source::Span;
use crate::system::{Command, FaultKind, Interval, Part, SlotId, TempId, Term};

/// Where a place lies.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Slot(SlotId),
    Element { first: SlotId, count: u32, index: Term },
}

impl Target {
    pub(super) fn read(self) -> Term {
        match self {
            Target::Slot(slot) => Term::Slot(slot),
            Target::Element { first, count, index } => {
                Term::Element { first, count, index: Box::new(index) }
            }
        }
    }

    pub(super) fn set(self, value: Term) -> Command {
        match self {
            Target::Slot(slot) => Command::Set(slot, value),
            Target::Element { first, count, index } => {
                Command::SetElement { first, count, index, value }
            }
        }
    }
}

impl Flattener<'_> {
    pub(super) fn temp(&mut self) -> TempId {
        self.temps += 1;
        TempId(self.temps - 1)
    }

    pub(super) fn term(&mut self, expr: &Expr) -> Term {
        homing_budget::checkpoint();
        match &expr.kind {
            ExprKind::Int(value) => Term::Const(*value),
            // Fractions stand in weights, rates and costs only, which are refused.
            ExprKind::Ratio(numerator, denominator) => {
                Term::Const(numerator / (*denominator).max(1))
            }
            ExprKind::Read(place) if self.is_clock(place) => {
                self.problem("a clock cannot be read here", expr.span);
                Term::Const(0)
            }
            ExprKind::Read(place) => self.place(place).0.read(),
            ExprKind::At(process, location) => self.at(*process, i64::from(location.0)),
            ExprKind::Running(process) => self.running(*process),
            ExprKind::Channel(channel) => Term::Const(channel.value()),
            ExprKind::Length(channel) => self.length(channel),
            ExprKind::Poll { channel, message, order } => self.poll(channel, message, *order),
            ExprKind::Deadlock => {
                self.problem("`deadlock` cannot be asked for here", expr.span);
                Term::Const(0)
            }
            ExprKind::Fail(_) => {
                Term::NonZero(Box::new(Term::Const(0)), self.site(FaultKind::NoValue, expr.span))
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.term(operand);
                self.arithmetic(*op != Unary::Not, Term::Unary(*op, Box::new(operand)))
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span),
            ExprKind::Choose(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|expr| Box::new(self.term(expr)));
                Term::Choose(condition, then, otherwise)
            }
        }
    }

    fn at(&mut self, process: ProcessId, location: i64) -> Term {
        match self.components[process.index()] {
            Some(component) => Term::is(self.system.component(component).location, location),
            None => Term::Const(0),
        }
    }

    pub(super) fn absent(&self, process: ProcessId) -> Term {
        let absent = self.network.processes[process.index()].locations.len() as i64;
        match self.components[process.index()] {
            Some(component) => Term::is(self.system.component(component).location, absent),
            None => Term::Const(1),
        }
    }

    fn running(&mut self, process: ProcessId) -> Term {
        let component = self.components[process.index()];
        match component.and_then(|component| self.system.component(component).absent) {
            None => Term::Const(1),
            Some(_) => Term::Unary(Unary::Not, Box::new(self.absent(process))),
        }
    }

    /// The length of the buffer a channel value denotes; 0 for channels without.
    fn length(&mut self, channel: &Expr) -> Term {
        let value = self.term(channel);
        let buffers: Vec<(i64, SlotId)> = self
            .buffers
            .iter()
            .enumerate()
            .filter_map(|(id, buffer)| {
                let id = ChannelId(id as u32);
                buffer.as_ref().map(|buffer| (id.value(), buffer.length))
            })
            .collect();
        if let Term::Const(constant) = value {
            let own = buffers.iter().find(|(channel, _)| *channel == constant);
            return own.map_or(Term::Const(0), |(_, length)| Term::Slot(*length));
        }
        let length = buffers.into_iter().fold(Term::Const(0), |otherwise, (channel, length)| {
            let matches = Term::binary(Binary::Eq, value.clone(), Term::Const(channel));
            Term::Choose(Box::new(matches), Box::new(Term::Slot(length)), Box::new(otherwise))
        });
        self.of_existing(channel, length)
    }

    /// Whether a message with these values waits in the buffer that a channel
    /// value denotes.
    fn poll(&mut self, channel: &Expr, message: &[Option<Expr>], order: ReceiveOrder) -> Term {
        let value = self.term(channel);
        let wanted: Vec<Option<Term>> =
            message.iter().map(|part| part.as_ref().map(|expr| self.term(expr))).collect();
        let mut found = Term::Const(0);
        for id in self.channels(channel) {
            let holds = match self.buffers[id.index()].clone() {
                Some(buffer) => self.looks(&buffer, &wanted, order, channel.span),
                None => self.failure(channel.span),
            };
            if matches!(value, Term::Const(_)) {
                return holds;
            }
            let denoted = Term::binary(Binary::Eq, value.clone(), Term::Const(id.value()));
            found = Term::Choose(Box::new(denoted), Box::new(holds), Box::new(found));
        }
        self.of_existing(channel, found)
    }

    /// Whether a message with these values waits in a buffer; a failure, if there are
    /// values for parts that it does not have.
    fn looks(
        &mut self,
        buffer: &Buffer,
        wanted: &[Option<Term>],
        order: ReceiveOrder,
        span: Span,
    ) -> Term {
        let waits = buffer.waits(wanted, order);
        if wanted.iter().skip(buffer.fields.len()).all(Option::is_none) {
            return waits;
        }
        Term::and(waits, self.failure(span))
    }

    /// Empties a buffer: no message, and zeroes in its places.
    fn clear(&mut self, channel: ChannelId, out: &mut Vec<Command>) {
        let Some(buffer) = &self.buffers[channel.index()] else { return };
        let places = buffer.fields.iter().flat_map(|f| f.0..f.0 + buffer.capacity);
        let slots = std::iter::once(buffer.length.0).chain(places);
        out.extend(slots.map(|slot| Command::Set(SlotId(slot), Term::Const(0))));
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, span: Span) -> Term {
        let left = self.term(left);
        let divides = matches!(op, Binary::Div | Binary::Rem);
        let right_span = right.span;
        let mut right = self.term(right);
        if divides {
            let span = if right_span == Span::default() { span } else { right_span };
            right = Term::NonZero(Box::new(right), self.site(FaultKind::DivisionByZero, span));
        }
        if matches!(op, Binary::Shl | Binary::Shr) {
            right = Term::binary(Binary::BitAnd, right, Term::Const(31));
        }
        let reduces = matches!(
            op,
            Binary::Add
                | Binary::Sub
                | Binary::Mul
                | Binary::Div
                | Binary::Rem
                | Binary::Shl
                | Binary::Shr
        );
        self.arithmetic(reduces, Term::binary(op, left, right))
    }

    /// Reduces a result to 32 bits where the network says so and `reduces`
    /// says it may need it.
    fn arithmetic(&self, reduces: bool, term: Term) -> Term {
        match self.network.arithmetic {
            Arithmetic::Wrap32 if reduces => Term::Wrap(Interval::WORD32, Box::new(term)),
            _ => term,
        }
    }

    /// `value` made to fit `ty`.
    pub(super) fn fit(&mut self, value: Term, ty: &Type, span: Span) -> Term {
        match self.network.scalar(ty) {
            Some(IntType { lo, hi, overflow: Overflow::Wrap }) => {
                Term::Wrap(Interval::new(lo, hi), Box::new(value))
            }
            Some(IntType { lo, hi, overflow: Overflow::Error }) => {
                let site = self.site(FaultKind::Range, span);
                Term::Check(Interval::new(lo, hi), Box::new(value), site)
            }
            None => value,
        }
    }

    /// Where a place lies, and its type.
    pub(super) fn place(&mut self, place: &Place) -> (Target, Type) {
        let leaf = self.leaf(place);
        let target = match self.flat_index(place, &leaf) {
            Term::Const(index) => Target::Slot(SlotId(leaf.first.0 + index as u32)),
            index => Target::Element { first: leaf.first, count: leaf.count(), index },
        };
        (target, leaf.ty)
    }

    /// Which of the scalars of a leaf a place is.
    pub(super) fn flat_index(&mut self, place: &Place, leaf: &Leaf) -> Term {
        let indices = place.path.iter().filter_map(|access| match access {
            Access::Index(expr) => Some(expr),
            Access::Field(_) => None,
        });
        let mut flat = Term::Const(0);
        for (length, index) in leaf.lengths.iter().zip(indices) {
            let index = self.index(index, *length);
            flat = advance(flat, *length, index);
        }
        flat
    }

    pub(super) fn leaf(&self, place: &Place) -> Leaf {
        let fields = place.path.iter().filter_map(|access| match access {
            Access::Field(field) => Some(*field),
            Access::Index(_) => None,
        });
        let fields: Vec<u32> = fields.collect();
        let leaves = &self.leaves[place.variable.index()];
        let found = leaves.iter().find(|leaf| leaf.fields == fields);
        // A well-formed place always has its leaf.
        found.unwrap_or(&leaves[0]).clone()
    }

    fn index(&mut self, expr: &Expr, length: u32) -> Term {
        let bounds = Interval::new(0, i64::from(length) - 1);
        match self.term(expr) {
            Term::Const(index) if bounds.contains(index) => Term::Const(index),
            index => Term::Check(bounds, Box::new(index), self.site(FaultKind::Index, expr.span)),
        }
    }

    pub(super) fn block(&mut self, statements: &[Statement]) -> Vec<Command> {
        let mut commands = Vec::new();
        for (index, statement) in statements.iter().enumerate() {
            self.statement(statement, &mut commands);
            if let Some(trap) = self.system.trap
                && asserts(std::slice::from_ref(statement))
            {
                // What follows a failed assertion does not happen.
                let rest = self.block(&statements[index + 1..]);
                commands.push(Command::If(Term::is(trap, 0), rest, Vec::new()));
                break;
            }
        }
        commands
    }

    fn statement(&mut self, statement: &Statement, out: &mut Vec<Command>) {
        match &statement.kind {
            StatementKind::Assign(place, value) if self.is_clock(place) => {
                self.assign_clock(place, value, statement.span, out);
            }
            StatementKind::Assign(place, value) => {
                let command = self.assign(place, value, statement.span);
                out.push(command);
            }
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.term(condition);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                out.push(Command::If(condition, then, otherwise));
            }
            StatementKind::While(condition, body) => {
                let site = self.site(FaultKind::Endless, statement.span);
                let mut condition = self.term(condition);
                if let Some(trap) = self.system.trap.filter(|_| asserts(body)) {
                    condition = Term::and(Term::is(trap, 0), condition);
                }
                let body = self.block(body);
                out.push(Command::While(condition, body, site));
            }
            StatementKind::Assert(condition) => {
                let span = condition.span;
                let condition = self.term(condition);
                out.push(match self.system.trap {
                    Some(trap) => {
                        let fails = vec![Command::Set(trap, Term::Const(1))];
                        Command::If(condition, Vec::new(), fails)
                    }
                    None => Command::Require(condition, self.site(FaultKind::Assertion, span)),
                });
            }
            StatementKind::Clear(channel) => self.clear(*channel, out),
            StatementKind::Put(process, location) => {
                if let Some(component) = self.components[process.index()] {
                    let slot = self.system.component(component).location;
                    out.push(Command::Set(slot, Term::Const(i64::from(location.0))));
                }
            }
            StatementKind::Print(..) => {}
            StatementKind::Start { template, arguments, started } => {
                self.start(*template, arguments, started.as_ref(), statement.span, out);
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr, span: Span) -> Command {
        let value = self.term(value);
        let (target, ty) = self.place(place);
        target.set(self.fit(value, &ty, span))
    }

    /// Takes the first absent slot of the template.
    fn start(
        &mut self,
        template: TemplateId,
        arguments: &[Expr],
        started: Option<&Place>,
        span: Span,
        out: &mut Vec<Command>,
    ) {
        let values: Vec<TempId> = arguments
            .iter()
            .map(|argument| {
                let (temp, value) = (self.temp(), self.term(argument));
                out.push(Command::Let(temp, value));
                temp
            })
            .collect();
        let started = started.map(|place| self.place(place).0);
        let site = self.site(FaultKind::NoFreeSlot, span);
        let mut chain = vec![Command::Require(Term::Const(0), site)];
        let slots: Vec<ProcessId> = self
            .network
            .system_processes()
            .filter(|(_, process)| process.lifetime == Lifetime::Startable(template))
            .map(|(id, _)| id)
            .collect();
        for process in slots.into_iter().rev() {
            let mut taken = self.fill_slot(process, &values, span);
            if let Some(target) = &started {
                taken.push(target.clone().set(Term::Const(i64::from(process.0))));
            }
            chain = vec![Command::If(self.absent(process), taken, chain)];
        }
        out.append(&mut chain);
    }

    fn fill_slot(&mut self, process: ProcessId, values: &[TempId], span: Span) -> Vec<Command> {
        let network = self.network;
        let started = &network.processes[process.index()];
        let mut commands = self.reset_variables(process, Storage::State);
        for (parameter, value) in started.parameters.iter().zip(values) {
            let leaf = self.leaves[parameter.index()][0].clone();
            let value = self.fit(Term::Temp(*value), &leaf.ty, span);
            commands.push(Command::Set(leaf.first, value));
        }
        if let Some(component) = self.components[process.index()] {
            let location = self.system.component(component).location;
            commands.push(Command::Set(location, Term::Const(i64::from(started.initial.0))));
        }
        commands
    }

    /// Resets of the scratch variables that a part writes.
    pub(super) fn scratch_resets(&self, part: &Part) -> Vec<Command> {
        let mut written = Vec::new();
        for command in part.commands() {
            command.walk(&mut |command| match command {
                Command::Set(slot, _) | Command::SetElement { first: slot, .. } => {
                    written.push(*slot)
                }
                _ => {}
            });
        }
        self.scratch
            .iter()
            .flat_map(|variable| &self.leaves[variable.index()])
            .filter(|leaf| {
                if leaf.is_clock() {
                    return false;
                }
                let own = leaf.first.0..leaf.first.0 + leaf.count();
                written.iter().any(|slot| own.contains(&slot.0))
            })
            .flat_map(|leaf| self.reset_leaves(std::slice::from_ref(leaf)))
            .collect()
    }
}

/// The flat index `flat * length + index`.
fn advance(flat: Term, length: u32, index: Term) -> Term {
    let scaled = match flat {
        Term::Const(flat) => Term::Const(flat * i64::from(length)),
        flat => Term::binary(Binary::Mul, flat, Term::Const(i64::from(length))),
    };
    match (scaled, index) {
        (Term::Const(0), index) => index,
        (Term::Const(scaled), Term::Const(index)) => Term::Const(scaled + index),
        (scaled, index) => Term::binary(Binary::Add, scaled, index),
    }
}
