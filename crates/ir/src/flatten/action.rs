//! Edges with their actions, lowered to parts.

use super::lower::Target as Target_;
use super::{Buffer, Flattener};
use crate::footprint::term_reads;
use crate::network::{
    Action, Atomic, Binary, Branch, ChannelId, Edge, EdgeRef, Expr, Guard, Pattern, ReceiveOrder,
    SendOrder, Storage, Target, Unary,
};
use crate::source::Span;
use crate::system::{
    BufferEnd, Command, ComponentId, Intake, Part, PartRole, SlotId, TempId, Term,
};
use crate::timing::TimedPart;

/// A part of the messages in a buffer, by the slot of its first, what it is compared with,
/// and how.
type Comparison = (SlotId, Binary, Term);

impl Flattener<'_> {
    /// Adds the parts of one branch of an edge: one, or one for every channel
    /// its action may denote.
    pub(super) fn edge_parts(&mut self, reference: EdgeRef) {
        let Some(component) = self.components[reference.process.index()] else { return };
        let network = self.network;
        let edge = network.edge(reference);
        let branch = &edge.branches[reference.branch as usize];
        match &edge.action {
            None => self.part(reference, component, edge, branch, PartRole::Alone),
            Some(Action::Label(label)) => {
                self.part(reference, component, edge, branch, PartRole::Label(*label));
            }
            Some(Action::Send { channel, message, order }) => {
                self.misuse(reference, component, edge);
                for id in self.channels(channel) {
                    homing_budget::checkpoint();
                    if self.is_whole(edge, id) {
                        let part = self.blank(reference, component, edge, channel, id);
                        self.send(part, id, message, *order, branch);
                    }
                }
            }
            Some(Action::Receive { channel, message, order, keep }) => {
                self.misuse(reference, component, edge);
                for id in self.channels(channel) {
                    homing_budget::checkpoint();
                    let buffered = self.buffers[id.index()].is_some();
                    if buffered && self.is_whole(edge, id) || !buffered && !keep {
                        let part = self.blank(reference, component, edge, channel, id);
                        self.receive(part, id, message, *order, *keep, branch);
                    }
                }
            }
        }
    }

    fn part(
        &mut self,
        reference: EdgeRef,
        component: ComponentId,
        edge: &Edge,
        branch: &Branch,
        role: PartRole,
    ) {
        let mut part = self.bare(reference, component, edge);
        part.role = role;
        self.finish(part, branch);
    }

    /// A part of an edge whose action is on the channel `id`, so far without role.
    fn blank(
        &mut self,
        edge_ref: EdgeRef,
        component: ComponentId,
        edge: &Edge,
        channel: &Expr,
        id: ChannelId,
    ) -> Part {
        let mut part = self.bare(edge_ref, component, edge);
        part.guard = Term::and(part.guard, self.denotes(channel, id));
        part
    }

    /// A part with the guard of its edge only, which `finish` completes.
    pub(super) fn bare(&mut self, reference: EdgeRef, component: ComponentId, edge: &Edge) -> Part {
        self.so_far.clear();
        let guard = self.guard(reference, edge);
        let timed = TimedPart { guard: self.so_far.clone(), resets: Vec::new() };
        self.timing.parts.push(timed);
        let process = &self.network.processes[reference.process.index()];
        self.timing.priorities.push((edge.priority, process.priority));
        Part {
            edge: reference,
            component,
            from: i64::from(edge.from.0),
            guard,
            timeout: matches!(edge.guard, Guard::Timeout(_)),
            atomic: edge.atomic,
            role: PartRole::Alone,
            end: None,
            prepare: Vec::new(),
            stores: Vec::new(),
            effect: Vec::new(),
            cleanup: Vec::new(),
        }
    }

    fn guard(&mut self, reference: EdgeRef, edge: &Edge) -> Term {
        match &edge.guard {
            Guard::Always => Term::Const(1),
            Guard::When(expr) | Guard::Timeout(expr) => self.bounds(expr),
            Guard::Otherwise { before, when } => {
                let when = self.term(when);
                let process = &self.network.processes[reference.process.index()];
                let here = self.leaving[reference.process.index()][edge.from.index()].clone();
                here.into_iter().take(*before as usize).fold(when, |none, earlier| {
                    let possible = self.possible(&process.edges[earlier as usize]);
                    Term::and(none, Term::Unary(Unary::Not, Box::new(possible)))
                })
            }
        }
    }

    /// Whether a process can take an edge alone, where none of the edges before
    /// it can: there an `Otherwise` is what it says besides, which keeps these
    /// terms small.
    fn possible(&mut self, edge: &Edge) -> Term {
        let guard = match &edge.guard {
            Guard::Always => Term::Const(1),
            Guard::When(expr) | Guard::Otherwise { when: expr, .. } => self.term(expr),
            Guard::Timeout(_) => return Term::Const(0),
        };
        match self.possible_alone(edge) {
            Term::Const(0) if !guard.may_fail() => Term::Const(0),
            possible => Term::and(guard, possible),
        }
    }

    /// Whether what an edge does besides its guard is possible for its process
    /// alone: on a buffer only.
    fn possible_alone(&mut self, edge: &Edge) -> Term {
        let (channel, keeps) = match &edge.action {
            None => return Term::Const(1),
            Some(Action::Label(_)) => return Term::Const(0),
            Some(Action::Send { channel, .. }) => (channel, false),
            Some(Action::Receive { channel, keep, .. }) => (channel, *keep),
        };
        let mut any = Term::Const(0);
        for id in self.channels(channel) {
            homing_budget::checkpoint();
            let here = match self.buffers[id.index()].clone() {
                Some(buffer) => self.possible_on(edge, &buffer),
                None if keeps => self.failure(channel.span),
                None => continue,
            };
            let here = Term::and(self.denotes(channel, id), here);
            any = match any {
                Term::Const(_) => here,
                others => Term::binary(Binary::Or, others, here),
            };
        }
        self.of_existing(channel, any)
    }

    /// Adds the branch's effect and target, and the part to the system.
    fn finish(&mut self, mut part: Part, branch: &Branch) {
        let process = part.edge.process;
        self.so_far.clear();
        let own = part.effect.len();
        part.effect.extend(self.block(&branch.effect));
        if let Some(timed) = self.timing.parts.last_mut() {
            timed.resets = std::mem::take(&mut self.resets);
        }
        part.cleanup = self.scratch_resets(&part);
        if branch.target == Target::End {
            // Who is gone holds no control.
            part.atomic = Atomic::No;
            part.effect.extend(self.reset_variables(process, Storage::State));
        }
        let rest = part.effect[own..].iter().chain(&part.cleanup).chain(&part.stores);
        part.end = part.end.filter(|end| rest.clone().all(|command| end.is_unused_by(command)));
        let location = self.system.component(part.component).location;
        let target = self.target(process, branch.target);
        part.effect.push(Command::Set(location, Term::Const(target)));
        if let Some(trap) = self.system.trap {
            // Nor do the effects of partners that come later.
            let joined = self.system.synchronous || !matches!(part.role, PartRole::Alone);
            if joined && part.effect.iter().any(Command::may_fail) {
                let effect = std::mem::take(&mut part.effect);
                part.effect = vec![Command::If(Term::is(trap, 0), effect, Vec::new())];
            }
        }
        self.system.parts.push(part);
    }

    fn send(
        &mut self,
        mut part: Part,
        id: ChannelId,
        message: &[Expr],
        order: SendOrder,
        branch: &Branch,
    ) {
        let network = self.network;
        let types = &network.channels[id.index()].message;
        let values = message.iter().zip(types).map(|(expr, ty)| {
            let value = self.term(expr);
            self.fit(value, ty, expr.span)
        });
        let values: Vec<Term> = values.collect();
        match self.buffers[id.index()].clone() {
            Some(buffer) => self.push(&mut part, &buffer, values, order),
            None => part.role = PartRole::Send(id, values),
        }
        self.finish(part, branch);
    }

    /// Puts a message into a buffer.
    fn push(&mut self, part: &mut Part, buffer: &Buffer, values: Vec<Term>, order: SendOrder) {
        let length = Term::Slot(buffer.length);
        if order == SendOrder::Last {
            let mut others = values.iter().chain([&part.guard]);
            let end = buffer.end(false);
            part.end = others.all(|term| end.is_unread_by(term)).then_some(end);
        }
        part.guard = Term::and(part.guard.clone(), buffer.has_room());
        let values = self.bind(values, &mut part.prepare);
        let place = match order {
            SendOrder::Last => length.clone(),
            SendOrder::Sorted => self.make_room(buffer, &values, &mut part.effect),
        };
        for (first, value) in buffer.fields.iter().zip(values) {
            part.effect.push(buffer.at(*first, place.clone()).set(Term::Temp(value)));
        }
        let longer = Term::binary(Binary::Add, length, Term::Const(1));
        part.effect.push(Command::Set(buffer.length, longer));
    }

    /// Moves all messages greater than `values` one place back and answers the
    /// place that became free.
    fn make_room(&mut self, buffer: &Buffer, values: &[TempId], out: &mut Vec<Command>) -> Term {
        let length = Term::Slot(buffer.length);
        let place = (0..buffer.capacity).rev().fold(length.clone(), |later, k| {
            let within = Term::binary(Binary::Lt, Term::Const(i64::from(k)), length.clone());
            let here = Term::and(within, buffer.exceeds(k, values));
            let k = Term::Const(i64::from(k));
            Term::Choose(Box::new(here), Box::new(k), Box::new(later))
        });
        let free = self.temp();
        out.push(Command::Let(free, place));
        for k in (1..buffer.capacity).rev() {
            let behind = Term::binary(Binary::Gt, Term::Const(i64::from(k)), Term::Temp(free));
            out.push(Command::If(behind, buffer.copy(k - 1, k), Vec::new()));
        }
        Term::Temp(free)
    }

    fn receive(
        &mut self,
        mut part: Part,
        id: ChannelId,
        message: &[Pattern],
        order: ReceiveOrder,
        keep: bool,
        branch: &Branch,
    ) {
        let span = self.network.edge(part.edge).span;
        match self.buffers[id.index()].clone() {
            Some(buffer) => self.pull(&mut part, &buffer, message, order, keep, span),
            None => self.intake(&mut part, id, message, span),
        }
        self.finish(part, branch);
    }

    /// Takes part in a rendezvous or broadcast.
    fn intake(&mut self, part: &mut Part, id: ChannelId, message: &[Pattern], span: Span) {
        let (network, parts) = (self.network, self.network.channels[id.index()].message.len());
        if !self.is_whole(network.edge(part.edge), id) {
            return self.failing_intake(part, id, message, parts);
        }
        let intakes: Vec<Intake> = message.iter().map(|pattern| self.taken(pattern)).collect();
        for (pattern, intake) in message.iter().zip(&intakes) {
            if let (Some(place), Some(temp)) = (pattern.place(), intake.bound()) {
                let (target, ty) = self.place(place);
                let target = self.pin(target, &mut part.prepare);
                let value = self.fit(Term::Temp(temp), &ty, span);
                part.stores.push(target.set(value));
            }
        }
        part.role = PartRole::Receive(id, intakes);
    }

    /// What becomes of a part of a message.
    pub(super) fn taken(&mut self, pattern: &Pattern) -> Intake {
        match pattern {
            Pattern::Ignore => Intake::Ignore,
            Pattern::Match(expr) => Intake::Match(self.term(expr)),
            Pattern::Store(_) => Intake::Bind(self.temp()),
            Pattern::Except(expr, besides) => {
                let besides = self.taken(besides);
                Intake::Except(self.term(expr), Box::new(besides))
            }
        }
    }

    /// Evaluates the index of a target in the source state.
    fn pin(&mut self, target: Target_, prepare: &mut Vec<(TempId, Term)>) -> Target_ {
        match target {
            Target_::Element { first, count, index } => {
                let temp = self.temp();
                prepare.push((temp, index));
                Target_::Element { first, count, index: Term::Temp(temp) }
            }
            slot => slot,
        }
    }

    fn bind(&mut self, values: Vec<Term>, prepare: &mut Vec<(TempId, Term)>) -> Vec<TempId> {
        let bind = values.into_iter().map(|value| {
            let temp = self.temp();
            prepare.push((temp, value));
            temp
        });
        bind.collect()
    }

    /// Takes a message out of a buffer.
    fn pull(
        &mut self,
        part: &mut Part,
        buffer: &Buffer,
        message: &[Pattern],
        order: ReceiveOrder,
        keep: bool,
        span: Span,
    ) {
        let matches = self.matching(buffer, message);
        if order == ReceiveOrder::First {
            let mut others = matches.iter().map(|(_, _, term)| term).chain([&part.guard]);
            let end = buffer.end(true);
            part.end = others.all(|term| end.is_unread_by(term)).then_some(end);
        }
        let last = if order == ReceiveOrder::First { 1 } else { buffer.capacity };
        let found = (0..last).rev().map(|k| (k, buffer.holds(k, &matches)));
        let any = buffer.waits_at(&matches, order);
        let place = found.fold(Term::Const(-1), |later, (k, here)| {
            let k = Term::Const(i64::from(k));
            Term::Choose(Box::new(here), Box::new(k), Box::new(later))
        });
        part.guard = Term::and(part.guard.clone(), any);
        let place = match order {
            ReceiveOrder::First => Term::Const(0),
            ReceiveOrder::Any => {
                let temp = self.temp();
                part.prepare.push((temp, place));
                Term::Temp(temp)
            }
        };
        self.store_message(part, buffer, message, &place, span);
        if !keep {
            buffer.remove(&place, &mut part.effect);
        }
    }

    /// What a message in a buffer is compared with.
    pub(super) fn matching(&mut self, buffer: &Buffer, message: &[Pattern]) -> Vec<Comparison> {
        let mut all = Vec::new();
        for (first, pattern) in buffer.fields.iter().zip(message) {
            let compared = pattern.comparisons().into_iter();
            all.extend(compared.map(|(how, other)| (*first, how, self.term(other))));
        }
        all
    }

    fn store_message(
        &mut self,
        part: &mut Part,
        buffer: &Buffer,
        message: &[Pattern],
        place: &Term,
        span: Span,
    ) {
        for (first, pattern) in buffer.fields.iter().zip(message) {
            let Some(target) = pattern.place() else { continue };
            let temp = self.temp();
            part.prepare.push((temp, buffer.at(*first, place.clone()).read()));
            let (target, ty) = self.place(target);
            if let Target_::Element { index, .. } = &target {
                part.end = part.end.filter(|end| end.is_unread_by(index));
            }
            let target = self.pin(target, &mut part.prepare);
            let value = self.fit(Term::Temp(temp), &ty, span);
            part.stores.push(target.set(value));
        }
    }
}

impl BufferEnd {
    fn has(self, slot: SlotId) -> bool {
        (self.first.0..self.first.0 + self.count).contains(&slot.0)
    }

    fn is_unread_by(self, term: &Term) -> bool {
        !term_reads(term).iter().any(|slot| self.has(slot))
    }

    /// Whether a command neither reads nor writes it.
    fn is_unused_by(self, command: &Command) -> bool {
        let mut used = false;
        command.walk(&mut |command| {
            used |= match command {
                Command::Set(slot, _) => self.has(*slot),
                Command::SetElement { first, count, .. } => {
                    (first.0..first.0 + count).any(|slot| self.has(SlotId(slot)))
                }
                _ => false,
            };
            used |= !command.terms().into_iter().all(|term| self.is_unread_by(term));
        });
        !used
    }
}

impl Buffer {
    fn end(&self, receives: bool) -> BufferEnd {
        let count = 1 + self.capacity * self.fields.len() as u32;
        BufferEnd { first: self.length, count, receives }
    }

    fn at(&self, first: SlotId, place: Term) -> Target_ {
        match place {
            Term::Const(k) => Target_::Slot(SlotId(first.0 + k as u32)),
            index => Target_::Element { first, count: self.capacity, index },
        }
    }

    /// Whether a message with these values waits at the places looked at.
    pub(super) fn waits(&self, wanted: &[Option<Term>], order: ReceiveOrder) -> Term {
        let fields = self.fields.iter().zip(wanted);
        let matches =
            fields.filter_map(|(first, value)| Some((*first, Binary::Eq, value.clone()?)));
        self.waits_at(&matches.collect::<Vec<_>>(), order)
    }

    pub(super) fn waits_at(&self, matches: &[Comparison], order: ReceiveOrder) -> Term {
        let last = if order == ReceiveOrder::First { 1 } else { self.capacity };
        let any = (0..last).map(|k| self.holds(k, matches));
        any.reduce(|a, b| Term::binary(Binary::Or, a, b)).unwrap_or(Term::Const(0))
    }

    pub(super) fn has_room(&self) -> Term {
        let capacity = Term::Const(i64::from(self.capacity));
        Term::binary(Binary::Lt, Term::Slot(self.length), capacity)
    }

    /// Whether place `k` is taken and its message matches.
    fn holds(&self, k: u32, matches: &[Comparison]) -> Term {
        let k = i64::from(k);
        let taken = Term::binary(Binary::Gt, Term::Slot(self.length), Term::Const(k));
        matches.iter().fold(taken, |all, (first, how, value)| {
            let field = self.at(*first, Term::Const(k)).read();
            Term::binary(Binary::And, all, Term::binary(*how, field, value.clone()))
        })
    }

    /// Whether the message at place `k` is greater than `values`, first part
    /// first.
    fn exceeds(&self, k: u32, values: &[TempId]) -> Term {
        let fields = self.fields.iter().zip(values).rev();
        fields.fold(Term::Const(0), |rest, (first, value)| {
            let here = self.at(*first, Term::Const(i64::from(k))).read();
            let greater = Term::binary(Binary::Gt, here.clone(), Term::Temp(*value));
            let equal = Term::binary(Binary::Eq, here, Term::Temp(*value));
            Term::binary(Binary::Or, greater, Term::binary(Binary::And, equal, rest))
        })
    }

    fn copy(&self, from: u32, to: u32) -> Vec<Command> {
        let slots = self.fields.iter();
        slots.map(|f| Command::Set(SlotId(f.0 + to), Term::Slot(SlotId(f.0 + from)))).collect()
    }

    /// Removes the message at `place`, moves those behind it forward and
    /// clears the place that became free.
    fn remove(&self, place: &Term, out: &mut Vec<Command>) {
        for k in 0..self.capacity - 1 {
            let moves = self.copy(k + 1, k);
            match place {
                Term::Const(place) if *place <= i64::from(k) => out.extend(moves),
                Term::Const(_) => {}
                place => {
                    let before = Term::binary(Binary::Gt, place.clone(), Term::Const(i64::from(k)));
                    let behind = Term::Unary(Unary::Not, Box::new(before));
                    out.push(Command::If(behind, moves, Vec::new()));
                }
            }
        }
        let shorter = Term::binary(Binary::Sub, Term::Slot(self.length), Term::Const(1));
        out.push(Command::Set(self.length, shorter));
        // The last message was copied forward; its place must read as empty.
        for first in &self.fields {
            let last = Term::Slot(self.length);
            out.push(self.at(*first, last).set(Term::Const(0)));
        }
    }
}
