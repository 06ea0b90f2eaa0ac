//! Systems: networks flattened to scalar slots and guarded parts.
//!
//! This is the (V, T) of "Context-Enhanced Directed Model Checking" (Wehrle,
//! Kupferschmid, 2010), widened. V are [`Slot`]s: bounded integers, one for
//! every scalar of a variable, every process's location, every place of a
//! buffer. T are [`Part`]s, what one process contributes to a transition, and
//! the rules by which parts move together: pairs and [`Joint`]s. The product
//! is never written out.
//!
//! Terms are plain integer arithmetic on 64 bits. What a language makes of a
//! result (wrapping, range errors, bad indices) stands explicitly in the term
//! ([`Term::Wrap`], [`Term::Check`], [`Term::NonZero`]), so that passes can
//! prove it away and engines need no knowledge of the language.

use crate::ids::ids;
use crate::network::{Atomic, Binary, ChannelId, EdgeRef, LabelId, ProcessId, Unary};
use crate::source::Span;
use crate::timing::Timing;

ids!(
    /// A [`Slot`] of a system.
    SlotId,
    /// A [`Component`] of a system.
    ComponentId,
    /// A [`Part`] of a system.
    PartId,
    /// A [`Site`] of a system.
    SiteId,
    /// A value computed within a step.
    TempId
);

/// A flattened network.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// The variables, V.
    pub slots: Vec<Slot>,
    /// The processes.
    pub components: Vec<Component>,
    /// The parts of transitions, T.
    pub parts: Vec<Part>,
    /// Parts that move two at a time: sender and receiver.
    pub rendezvous: Vec<Rendezvous>,
    /// Parts that move many at a time.
    pub joints: Vec<Joint>,
    /// Whether all components take one step together, rather than one after
    /// the other.
    pub synchronous: bool,
    /// Whether a sender's effects run before the receivers'.
    pub sender_first: bool,
    /// Where steps may fail.
    pub sites: Vec<Site>,
    /// Conditions on states that a search looks for.
    pub conditions: Vec<Condition>,
    /// Where a step fails in which control goes round for ever; only in
    /// systems with parts that hold control.
    pub endless: Option<SiteId>,
    /// Holds one in states that are none: where an assertion within an effect
    /// was false. Nothing moves there.
    pub trap: Option<SlotId>,
    /// Whether, while a component is committed, steps exist of which only one
    /// participant is; else all must be.
    pub any_committed: bool,
    /// Clocks, and what else only a space of zones can decide: whether a state
    /// is a deadlock (in conditions), priorities. None where there is nothing
    /// of that.
    pub timing: Option<Box<Timing>>,
}

/// A scalar of the state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its name, for people.
    pub name: String,
    /// The component it belongs to, if only one may use it.
    pub owner: Option<ComponentId>,
    /// What it may hold.
    pub range: Interval,
    /// What it holds at first.
    pub initial: i64,
}

/// The whole numbers from `lo` to `hi`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
}

/// A process of the system.
#[derive(Clone, Debug)]
pub struct Component {
    /// The process of the network.
    pub process: ProcessId,
    /// The slot that holds its location.
    pub location: SlotId,
    /// For every value of that slot, whether it is committed.
    pub committed: Vec<bool>,
    /// The value of that slot where the process is not running.
    pub absent: Option<i64>,
    /// For every value of that slot, whether resting there for ever is no
    /// deadlock; true where the process is not running.
    pub end: Vec<bool>,
    /// For every value of that slot, where it is a failure to be blocked while
    /// control is held; none where no part leads there and holds it so.
    pub blocked: Vec<Option<SiteId>>,
}

/// What one component contributes to a step.
#[derive(Clone, Debug)]
pub struct Part {
    /// The edge it is made from. An edge makes several parts where it has
    /// several branches or its channel is a value.
    pub edge: EdgeRef,
    /// Who moves.
    pub component: ComponentId,
    /// The location it leaves: the value of the component's location slot.
    pub from: i64,
    /// When it may move, evaluated in the source state.
    pub guard: Term,
    /// Whether it moves only where no step without such parts is possible.
    pub timeout: bool,
    /// Whether control stays with the component afterwards; of a pair the
    /// receiver says so.
    pub atomic: Atomic,
    /// How it moves together with others.
    pub role: PartRole,
    /// The buffer it sends to or receives from, where nothing else in it has to
    /// do with that buffer.
    pub end: Option<BufferEnd>,
    /// Values the effect needs of the source state: indices received into.
    pub prepare: Vec<(TempId, Term)>,
    /// Stores what is received; runs before the effects of all participants.
    pub stores: Vec<Command>,
    /// What changes, the location last.
    pub effect: Vec<Command>,
    /// Restores what lives within one step only; runs after the effects of all
    /// participants.
    pub cleanup: Vec<Command>,
}

/// One end of a buffered channel: a message is put behind the others, or the
/// first is taken or looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferEnd {
    /// The first of its slots.
    pub first: SlotId,
    /// How many slots it has.
    pub count: u32,
    /// Whether messages are received there.
    pub receives: bool,
}

/// How a part moves together with others.
#[derive(Clone, Debug)]
pub enum PartRole {
    /// It does not.
    Alone,
    /// It offers a message; its terms are evaluated in the source state.
    Send(ChannelId, Vec<Term>),
    /// It takes a message.
    Receive(ChannelId, Vec<Intake>),
    /// It takes part in joints by label.
    Label(LabelId),
}

/// What a receiver does with one value of a message.
#[derive(Clone, Debug)]
pub enum Intake {
    /// Binds it to a temporary of its own, which its effect stores.
    Bind(TempId),
    /// Requires it to equal this term, evaluated in the source state.
    Match(Term),
    /// Nothing.
    Ignore,
    /// Requires it not to equal this term, evaluated in the source state; besides, does
    /// what the other says.
    Except(Term, Box<Intake>),
}

impl Intake {
    /// The temporary the value is bound to.
    pub fn bound(&self) -> Option<TempId> {
        match self {
            Intake::Bind(temp) => Some(*temp),
            Intake::Except(_, besides) => besides.bound(),
            Intake::Match(_) | Intake::Ignore => None,
        }
    }

    /// What the value is compared with, and how: [`Binary::Eq`] or [`Binary::Ne`].
    pub fn comparisons(&self) -> Vec<(Binary, &Term)> {
        match self {
            Intake::Match(term) => vec![(Binary::Eq, term)],
            Intake::Except(term, besides) => {
                let mut all = besides.comparisons();
                all.push((Binary::Ne, term));
                all
            }
            Intake::Bind(_) | Intake::Ignore => Vec::new(),
        }
    }

    /// The terms it is compared with, to be replaced.
    pub fn terms_mut(&mut self) -> Vec<&mut Term> {
        match self {
            Intake::Match(term) => vec![term],
            Intake::Except(term, besides) => {
                let mut all = besides.terms_mut();
                all.push(term);
                all
            }
            Intake::Bind(_) | Intake::Ignore => Vec::new(),
        }
    }
}

/// The parts that meet at a rendezvous channel. Any sender moves with any
/// receiver of another component.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    /// The channel.
    pub channel: ChannelId,
    /// Who sends.
    pub senders: Vec<PartId>,
    /// Who receives.
    pub receivers: Vec<PartId>,
}

/// A step of many components: a broadcast, a synchronisation vector, or the
/// common step of a synchronous system. Every member moves with one of its
/// parts, whose effects run in the order of the members.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The part that leads: the sender of a broadcast.
    pub leader: Option<PartId>,
    /// The members, the leader not among them, in process order.
    pub members: Vec<Member>,
}

/// One component's part in a [`Joint`].
#[derive(Clone, Debug)]
pub struct Member {
    /// Who.
    pub component: ComponentId,
    /// With which of its parts.
    pub parts: Vec<PartId>,
    /// Whether the step may happen without it when none of the parts is
    /// enabled.
    pub optional: bool,
}

/// A condition on states.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Holds where it is not zero.
    pub term: Term,
    /// Whether it counts as holding where it cannot be evaluated.
    pub holds_on_failure: bool,
    /// Where it is written.
    pub span: Span,
}

/// A place where a step may fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// What goes wrong there.
    pub kind: FaultKind,
    /// Where it is written.
    pub span: Span,
}

/// What goes wrong at a [`Site`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// Division by zero.
    DivisionByZero,
    /// An index outside its array.
    Index,
    /// A value outside its type.
    Range,
    /// A failed assertion in an effect.
    Assertion,
    /// No free slot for a process to start in.
    NoFreeSlot,
    /// A loop that did not end.
    Endless,
    /// No way on for a component that holds control and must not be blocked.
    Blocked,
    /// The misuse of a channel.
    Channel,
    /// An expression that has no value in any state.
    NoValue,
}

/// An integer expression over slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    /// A number.
    Const(i64),
    /// The value of a slot.
    Slot(SlotId),
    /// A value computed earlier in the step.
    Temp(TempId),
    /// The value of the `index`-th of `count` slots from `first` on. The index
    /// is within bounds by construction.
    Element {
        /// The slot of index 0.
        first: SlotId,
        /// How many slots there are.
        count: u32,
        /// Which one.
        index: Box<Term>,
    },
    /// An operator applied to one operand.
    Unary(Unary, Box<Term>),
    /// An operator applied to two operands. Divisors are never zero by
    /// construction; shift amounts lie in 0..32.
    Binary(Binary, Box<Term>, Box<Term>),
    /// The second operand where the first is not zero, else the third.
    Choose(Box<Term>, Box<Term>, Box<Term>),
    /// The value reduced modulo the size of the interval.
    Wrap(Interval, Box<Term>),
    /// The value, or a failure where it is outside the interval.
    Check(Interval, Box<Term>, SiteId),
    /// The value, or a failure where it is zero.
    NonZero(Box<Term>, SiteId),
}

/// A statement of an effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Sets a slot; the value is within its range by construction.
    Set(SlotId, Term),
    /// Sets the `index`-th of `count` slots from `first` on.
    SetElement {
        /// The slot of index 0.
        first: SlotId,
        /// How many slots there are.
        count: u32,
        /// Which one, within bounds by construction.
        index: Term,
        /// The value, within the slot's range by construction.
        value: Term,
    },
    /// Computes a value for later.
    Let(TempId, Term),
    /// Runs one of two blocks.
    If(Term, Vec<Command>, Vec<Command>),
    /// Runs a block while the term is not zero; fails at the site after
    /// [`LOOP_FUEL`] rounds.
    While(Term, Vec<Command>, SiteId),
    /// Fails where the term is zero.
    Require(Term, SiteId),
}

/// The rounds after which a loop within one step counts as endless.
pub const LOOP_FUEL: u32 = 1_000_000;

impl Interval {
    /// From `lo` to `hi`.
    pub const fn new(lo: i64, hi: i64) -> Interval {
        Interval { lo, hi }
    }

    /// Just `value`.
    pub const fn point(value: i64) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// Zero and one.
    pub const TRUTH: Interval = Interval { lo: 0, hi: 1 };

    /// 32-bit two's complement.
    pub const WORD32: Interval = Interval { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    /// Whether it has just one value.
    pub fn is_point(self) -> bool {
        self.lo == self.hi
    }

    /// Whether `value` lies within.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// Whether all of `other` lies within.
    pub fn includes(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The least interval around both.
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// What lies in both, if anything.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// The number of values.
    pub fn size(self) -> u64 {
        self.hi.abs_diff(self.lo).saturating_add(1)
    }
}

impl Term {
    /// `left op right`.
    pub fn binary(op: Binary, left: Term, right: Term) -> Term {
        Term::Binary(op, Box::new(left), Box::new(right))
    }

    /// `left` and `right`, left out where one is trivially true.
    pub fn and(left: Term, right: Term) -> Term {
        match (left, right) {
            (Term::Const(c), other) | (other, Term::Const(c)) if c != 0 => other,
            (left, right) => Term::binary(Binary::And, left, right),
        }
    }

    /// Whether `slot` has the value `value`.
    pub fn is(slot: SlotId, value: i64) -> Term {
        Term::binary(Binary::Eq, Term::Slot(slot), Term::Const(value))
    }

    /// Calls `visit` on this term and all within, outermost first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        homing_budget::checkpoint();
        visit(self);
        match self {
            Term::Const(_) | Term::Slot(_) | Term::Temp(_) => {}
            Term::Element { index: term, .. }
            | Term::Unary(_, term)
            | Term::Wrap(_, term)
            | Term::Check(_, term, _)
            | Term::NonZero(term, _) => term.walk(visit),
            Term::Binary(_, left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
            Term::Choose(a, b, c) => [a, b, c].into_iter().for_each(|term| term.walk(visit)),
        }
    }

    /// Replaces every term within by what `rewrite` makes of it, innermost
    /// first.
    pub fn rewrite(self, rewrite: &mut dyn FnMut(Term) -> Term) -> Term {
        let mut inner = |term: Box<Term>| Box::new(term.rewrite(rewrite));
        let outer = match self {
            Term::Const(_) | Term::Slot(_) | Term::Temp(_) => self,
            Term::Element { first, count, index } => {
                Term::Element { first, count, index: inner(index) }
            }
            Term::Unary(op, term) => Term::Unary(op, inner(term)),
            Term::Binary(op, left, right) => Term::Binary(op, inner(left), inner(right)),
            Term::Choose(a, b, c) => Term::Choose(inner(a), inner(b), inner(c)),
            Term::Wrap(range, term) => Term::Wrap(range, inner(term)),
            Term::Check(range, term, site) => Term::Check(range, inner(term), site),
            Term::NonZero(term, site) => Term::NonZero(inner(term), site),
        };
        rewrite(outer)
    }

    /// Whether evaluating it may fail.
    pub fn may_fail(&self) -> bool {
        let mut fails = false;
        self.walk(&mut |term| fails |= matches!(term, Term::Check(..) | Term::NonZero(..)));
        fails
    }

    /// The conjuncts of a condition.
    pub fn conjuncts(&self) -> Vec<&Term> {
        match self {
            Term::Binary(Binary::And, left, right) => {
                let mut all = left.conjuncts();
                all.extend(right.conjuncts());
                all
            }
            other => vec![other],
        }
    }
}

impl Command {
    /// Calls `visit` on this command and all within.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Command)) {
        visit(self);
        match self {
            Command::If(_, then, otherwise) => {
                then.iter().chain(otherwise).for_each(|command| command.walk(visit));
            }
            Command::While(_, body, _) => body.iter().for_each(|command| command.walk(visit)),
            _ => {}
        }
    }

    /// Whether running it may fail.
    pub fn may_fail(&self) -> bool {
        let mut fails = false;
        self.walk(&mut |command| {
            fails |= matches!(command, Command::While(..) | Command::Require(..))
                || command.terms().into_iter().any(Term::may_fail);
        });
        fails
    }

    /// The terms of this command itself, not of commands within.
    pub fn terms(&self) -> Vec<&Term> {
        match self {
            Command::Set(_, term)
            | Command::Let(_, term)
            | Command::If(term, ..)
            | Command::While(term, ..)
            | Command::Require(term, _) => vec![term],
            Command::SetElement { index, value, .. } => vec![index, value],
        }
    }

    /// Replaces the terms of this command and of all within.
    pub fn map_terms(self, map: &mut dyn FnMut(Term) -> Term) -> Command {
        let block = |commands: Vec<Command>, map: &mut dyn FnMut(Term) -> Term| {
            commands.into_iter().map(|command| command.map_terms(map)).collect::<Vec<_>>()
        };
        match self {
            Command::Set(slot, term) => Command::Set(slot, map(term)),
            Command::SetElement { first, count, index, value } => {
                Command::SetElement { first, count, index: map(index), value: map(value) }
            }
            Command::Let(temp, term) => Command::Let(temp, map(term)),
            Command::If(term, then, otherwise) => {
                let term = map(term);
                Command::If(term, block(then, map), block(otherwise, map))
            }
            Command::While(term, body, site) => Command::While(map(term), block(body, map), site),
            Command::Require(term, site) => Command::Require(map(term), site),
        }
    }
}

impl Part {
    /// The terms evaluated in the source state: guard, message, matches,
    /// prepared values.
    pub fn source_terms(&self) -> Vec<&Term> {
        let mut terms = vec![&self.guard];
        match &self.role {
            PartRole::Send(_, message) => terms.extend(message),
            PartRole::Receive(_, message) => {
                terms.extend(message.iter().flat_map(Intake::comparisons).map(|(_, term)| term));
            }
            PartRole::Alone | PartRole::Label(_) => {}
        }
        terms.extend(self.prepare.iter().map(|(_, term)| term));
        terms
    }

    /// Replaces all its terms.
    pub fn map_terms(&mut self, map: &mut dyn FnMut(Term) -> Term) {
        let mut replace = |term: &mut Term| *term = map(std::mem::replace(term, Term::Const(0)));
        replace(&mut self.guard);
        match &mut self.role {
            PartRole::Send(_, message) => message.iter_mut().for_each(&mut replace),
            PartRole::Receive(_, message) => {
                message.iter_mut().flat_map(Intake::terms_mut).for_each(&mut replace);
            }
            PartRole::Alone | PartRole::Label(_) => {}
        }
        self.prepare.iter_mut().for_each(|(_, term)| replace(term));
        for block in [&mut self.stores, &mut self.effect, &mut self.cleanup] {
            let commands = std::mem::take(block).into_iter();
            *block = commands.map(|command| command.map_terms(map)).collect();
        }
    }

    /// The values the part may give `location`, the location of its component.
    pub fn targets(&self, location: SlotId) -> Vec<i64> {
        let mut targets = Vec::new();
        for command in self.commands() {
            command.walk(&mut |command| {
                if let Command::Set(slot, Term::Const(target)) = command
                    && *slot == location
                {
                    targets.push(*target);
                }
            });
        }
        targets
    }

    /// The channel it sends or receives on, together with others.
    pub fn channel(&self) -> Option<ChannelId> {
        match &self.role {
            PartRole::Send(channel, _) | PartRole::Receive(channel, _) => Some(*channel),
            PartRole::Alone | PartRole::Label(_) => None,
        }
    }

    /// All commands, in the order they run where the part moves alone.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.stores.iter().chain(&self.effect).chain(&self.cleanup)
    }
}

impl System {
    /// The part with this number.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.index()]
    }

    /// The component with this number.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// The initial values of all slots.
    pub fn initial(&self) -> Vec<i64> {
        self.slots.iter().map(|slot| slot.initial).collect()
    }

    /// Whether any component has a committed location.
    pub fn has_commitment(&self) -> bool {
        self.components.iter().any(|component| component.committed.contains(&true))
    }

    /// Whether any part moves only where nothing else does.
    pub fn has_timeout_parts(&self) -> bool {
        self.parts.iter().any(|part| part.timeout)
    }

    /// Whether control may stay with a component.
    pub fn has_atomic_parts(&self) -> bool {
        self.parts.iter().any(|part| part.atomic != Atomic::No)
    }

    /// Whether the part leaves a committed location.
    pub fn is_committed(&self, part: &Part) -> bool {
        self.component(part.component).committed[part.from as usize]
    }

    /// The number of variables: slots and, behind them, clocks.
    pub fn variables(&self) -> usize {
        self.slots.len() + self.timing.as_ref().map_or(0, |timing| timing.clocks.len())
    }

    /// A clock, in sets of variables: clocks are numbered behind the slots.
    pub fn clock_variable(&self, clock: u32) -> SlotId {
        SlotId(self.slots.len() as u32 + clock - 1)
    }

    /// The stretches of slots that are indexed at run time, merged where they
    /// overlap, in order.
    pub fn regions(&self) -> Vec<(SlotId, u32)> {
        let mut regions = Vec::new();
        let mut note = |term: &Term| {
            term.walk(&mut |term| {
                if let Term::Element { first, count, .. } = term {
                    regions.push((*first, *count));
                }
            });
        };
        self.conditions.iter().for_each(|condition| note(&condition.term));
        for part in &self.parts {
            part.source_terms().into_iter().for_each(&mut note);
            for command in part.commands() {
                command.walk(&mut |command| command.terms().into_iter().for_each(&mut note));
            }
        }
        for part in &self.parts {
            for command in part.commands() {
                command.walk(&mut |command| {
                    if let Command::SetElement { first, count, .. } = command {
                        regions.push((*first, *count));
                    }
                });
            }
        }
        merge(regions)
    }
}

fn merge(mut regions: Vec<(SlotId, u32)>) -> Vec<(SlotId, u32)> {
    regions.sort_unstable();
    let mut merged: Vec<(SlotId, u32)> = Vec::new();
    for (first, count) in regions {
        match merged.last_mut() {
            Some((start, length)) if first.0 < start.0 + *length => {
                *length = (*length).max(first.0 + count - start.0);
            }
            _ => merged.push((first, count)),
        }
    }
    merged
}
