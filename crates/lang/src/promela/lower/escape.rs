//! `unless`: when an escape is taken instead of what it interrupts.
//!
//! SPIN tries the transitions of a state one after the other, escapes first, and those
//! behind an escape only where it was not taken. What counts as taken is told apart by
//! who moves:
//!
//! - *The process itself*: an escape is taken where one of its ways was. A way that
//!   sends to a rendezvous channel was, where some process is ready to receive. If it
//!   was not, SPIN forgets what it took of the same escape before.
//! - *As the receiver in a rendezvous* a process looks at nothing but its receives: an
//!   escape is taken where it receives the same message, whatever else it could do. What
//!   it interrupts has an edge for every way in which a message may be another.

use homing_ir::Span;
use homing_ir::network::{
    Action, Binary as Op, Expr, ExprKind as Kind, LocationId, Pattern, Type, Unary as Op1,
};

use super::super::flow::{NodeId, State, What};
use super::super::syntax::StatementKind;
use super::expression::{binary, choose, unary};
use super::{Lowering, int, truth};

/// A process at a transition of a state.
#[derive(Clone, Copy)]
struct Way<'s> {
    instance: usize,
    state: &'s State,
    index: usize,
}

impl Way<'_> {
    fn node(&self) -> NodeId {
        self.state.transitions[self.index].node
    }
}

impl Lowering<'_> {
    /// Whether an escape is taken instead of a transition.
    pub(super) fn escaped(
        &mut self,
        instance: usize,
        state: &State,
        index: usize,
        action: Option<&Action>,
        timeout: Option<bool>,
    ) -> Expr {
        let way = Way { instance, state, index };
        let span = self.types[self.instances[instance].ty].flow.nodes[way.node()].span;
        if state.escapes_before(index).is_empty() {
            return int(0, span);
        }
        let Some(Action::Receive { channel, .. }) = action else {
            return self.escaped_alone(way, timeout, span);
        };
        // What is no channel is no rendezvous channel, either.
        let meets = self.is_rendezvous(channel, span);
        match truth(&meets) {
            Some(true) => int(0, span),
            _ => {
                let alone = self.escaped_alone(way, timeout, span);
                choose(meets, int(0, span), alone, span)
            }
        }
    }

    /// Which messages from a rendezvous channel a transition receives, those that an
    /// escape receives left out: the cases of what may differ. All of them where it
    /// receives from a buffer, or not at all.
    pub(super) fn left_over(
        &mut self,
        instance: usize,
        state: &State,
        index: usize,
        action: Option<&Action>,
    ) -> Vec<LeftOver> {
        let way = Way { instance, state, index };
        let span = self.types[self.instances[instance].ty].flow.nodes[way.node()].span;
        let all = vec![LeftOver { when: int(1, span), except: Vec::new() }];
        let Some(Action::Receive { channel, message, .. }) = action else { return all };
        let meets = self.is_rendezvous(channel, span);
        if truth(&meets) == Some(false) {
            return all;
        }
        let receives = self.escaping_receives(way);
        receives.iter().fold(all, |cases, (own, wanted)| {
            let taken = binary(Op::And, meets.clone(), same(channel, own, span), span);
            without(cases, taken, wanted, message)
        })
    }

    /// The receives of the escapes before a transition: channels and messages.
    fn escaping_receives(&mut self, way: Way) -> Vec<(Expr, Vec<Pattern>)> {
        let mut found = Vec::new();
        for index in way.state.escapes_before(way.index).into_iter().flatten() {
            let node = way.state.transitions[index].node;
            let deed = self.deed_of(node, way.instance, Some(false));
            if let Some(Action::Receive { channel, message, .. }) =
                deed.and_then(|deed| deed.action)
            {
                found.push((channel, message));
            }
        }
        found
    }

    fn escaped_alone(&mut self, way: Way, timeout: Option<bool>, span: Span) -> Expr {
        let mut any = int(0, span);
        for escape in way.state.escapes_before(way.index) {
            let mut taken = int(0, span);
            for index in escape {
                taken = self.taken(Way { index, ..way }, taken, timeout, span);
            }
            any = binary(Op::Or, any, taken, span);
        }
        any
    }

    /// Whether an escape is taken behind one of its ways, `before` saying whether it was
    /// before that.
    fn taken(&mut self, way: Way, before: Expr, timeout: Option<bool>, span: Span) -> Expr {
        let Some(deed) = self.deed_of(way.node(), way.instance, timeout) else { return before };
        let mut possible = self.executable(way.node(), way.instance, timeout);
        for other in 0..way.state.transitions[way.index].after as usize {
            let other = self.taken(Way { index: other, ..way }, int(0, span), timeout, span);
            possible = binary(Op::And, possible, unary(Op1::Not, other, span), span);
        }
        let alone = binary(Op::Or, before, possible, span);
        match &deed.action {
            Some(Action::Send { channel, message, .. }) => {
                let capacity = self.capacity(channel, span);
                if truth(&capacity) == Some(true) {
                    return alone;
                }
                let met = self.met(way.instance, channel, message, span);
                choose(capacity, alone, met, span)
            }
            _ => alone,
        }
    }

    /// Whether a statement sends to a rendezvous channel from which somebody receives.
    pub(super) fn meeting(
        &mut self,
        node: NodeId,
        at: usize,
        timeout: Option<bool>,
        span: Span,
    ) -> Expr {
        let Some(deed) = self.deed_of(node, at, timeout) else { return int(0, span) };
        let Some(Action::Send { channel, message, .. }) = &deed.action else {
            return int(0, span);
        };
        let meets = self.is_rendezvous(channel, span);
        if truth(&meets) == Some(false) {
            return meets;
        }
        let met = self.met(at, channel, message, span);
        binary(Op::And, binary(Op::And, deed.guard, meets, span), met, span)
    }

    /// Whether some other process is ready to receive a message from a rendezvous
    /// channel.
    fn met(&mut self, sender: usize, channel: &Expr, message: &[Expr], span: Span) -> Expr {
        let mut any = int(0, span);
        for instance in (0..self.instances.len()).filter(|instance| *instance != sender) {
            let ty = self.instances[instance].ty;
            let states = self.types[ty].flow.states.clone();
            for (number, state) in states.iter().filter(|(_, state)| !state.inner) {
                for index in 0..state.transitions.len() {
                    let way = Way { instance, state, index };
                    let Some(ready) = self.receives(way, *number, channel, message, span) else {
                        continue;
                    };
                    any = binary(Op::Or, any, ready, span);
                }
            }
        }
        any
    }

    /// Whether a process receives a message by one of its ways; nothing, if that is no
    /// receive.
    fn receives(
        &mut self,
        way: Way,
        number: u32,
        channel: &Expr,
        message: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        let ty = self.instances[way.instance].ty;
        let What::Plain(StatementKind::Receive { .. }) = self.types[ty].flow.nodes[way.node()].what
        else {
            return None;
        };
        let deed = self.deed_of(way.node(), way.instance, Some(false))?;
        let Some(Action::Receive { channel: own, message: patterns, .. }) = deed.action else {
            return None;
        };
        let location = LocationId(*self.types[ty].locations.get(&number)?);
        let process = self.instances[way.instance].process;
        let at = Expr::new(Kind::At(process, location), span);
        let mut ready = binary(Op::And, at, same(channel, &own, span), span);
        let provided = self.provided(way.instance, Some(false), span);
        ready = binary(Op::And, ready, provided, span);
        let fits = self.fits((channel, message), (&own, &patterns), span);
        ready = binary(Op::And, ready, fits, span);
        if truth(&ready) == Some(false) {
            return None;
        }
        for (other, wanted) in self.escaping_receives(way) {
            let fits = self.fits((channel, message), (&other, &wanted), span);
            let taken = binary(Op::And, same(&own, &other, span), fits, span);
            ready = binary(Op::And, ready, unary(Op1::Not, taken, span), span);
        }
        Some(ready)
    }

    /// Whether a message sent to a channel has the parts that are wanted of another.
    fn fits(
        &self,
        (channel, message): (&Expr, &[Expr]),
        (own, wanted): (&Expr, &[Pattern]),
        span: Span,
    ) -> Expr {
        let parts = message.iter().zip(wanted).enumerate();
        parts.fold(int(1, span), |all, (part, (value, pattern))| match pattern {
            Pattern::Match(wanted) => {
                let value = self.arrived(value, &[channel, own], part, span);
                binary(Op::And, all, binary(Op::Eq, value, wanted.clone(), span), span)
            }
            _ => all,
        })
    }

    /// A part of a message as it arrives, cut to its type, where one of the channels
    /// says which that is.
    pub(super) fn arrived(
        &self,
        value: &Expr,
        channels: &[&Expr],
        part: usize,
        span: Span,
    ) -> Expr {
        let known = channels.iter().find_map(|channel| match channel.kind {
            Kind::Channel(id) => self.network.channels[id.index()].message.get(part),
            _ => None,
        });
        match known {
            Some(ty) => self.cut(value.clone(), ty, span),
            None => value.clone(),
        }
    }

    pub(super) fn cut(&self, value: Expr, ty: &Type, span: Span) -> Expr {
        let Some(range) = self.network.scalar(ty) else { return value };
        let mask = range.hi - range.lo;
        if mask <= 0 || mask > i64::from(u16::MAX) || mask & (mask + 1) != 0 {
            return value;
        }
        if let Some(value) = Self::number(&value) {
            return int(self.fitted(value, ty), span);
        }
        let shifted = match range.lo {
            0 => value,
            lo => binary(Op::Sub, value, int(lo, span), span),
        };
        let cut = binary(Op::BitAnd, shifted, int(mask, span), span);
        match range.lo {
            0 => cut,
            lo => binary(Op::Add, cut, int(lo, span), span),
        }
    }
}

/// Some of the messages that a transition receives.
pub(super) struct LeftOver {
    /// Where it receives these.
    pub when: Expr,
    /// Parts by their positions, and what they must not be.
    except: Vec<(usize, Expr)>,
}

impl LeftOver {
    /// The action that receives these messages only.
    pub(super) fn action(&self, action: Option<&Action>) -> Option<Action> {
        let mut action = action.cloned();
        if let Some(Action::Receive { message, .. }) = &mut action {
            for (part, value) in &self.except {
                let besides = std::mem::replace(&mut message[*part], Pattern::Ignore);
                message[*part] = Pattern::Except(value.clone(), Box::new(besides));
            }
        }
        action
    }
}

/// What is left over of messages where another receive takes, if `taken`, those that it
/// wants: one of the parts it compares must differ, in the message where `received` takes
/// any value there.
fn without(
    cases: Vec<LeftOver>,
    taken: Expr,
    wanted: &[Pattern],
    received: &[Pattern],
) -> Vec<LeftOver> {
    let (mut same, mut open) = (taken, Vec::new());
    for (part, (wanted, received)) in wanted.iter().zip(received).enumerate() {
        let Pattern::Match(value) = wanted else { continue };
        match received {
            Pattern::Match(other) => {
                let span = value.span;
                let equal = binary(Op::Eq, value.clone(), other.clone(), span);
                same = binary(Op::And, same, equal, span);
            }
            _ => open.push((part, value.clone())),
        }
    }
    let mut left = Vec::new();
    for case in cases {
        let and = |when: Expr| binary(Op::And, case.when.clone(), when, case.when.span);
        let not = and(unary(Op1::Not, same.clone(), same.span));
        if truth(&not) != Some(false) {
            left.push(LeftOver { when: not, except: case.except.clone() });
        }
        if truth(&same) == Some(false) {
            continue;
        }
        for one in &open {
            let except = [&case.except[..], std::slice::from_ref(one)].concat();
            left.push(LeftOver { when: and(same.clone()), except });
        }
    }
    left
}

/// Whether two expressions denote the same channel.
pub(super) fn same(left: &Expr, right: &Expr, span: Span) -> Expr {
    match (&left.kind, &right.kind) {
        (Kind::Channel(a), Kind::Channel(b)) => int(i64::from(a == b), span),
        _ => binary(Op::Eq, left.clone(), right.clone(), span),
    }
}
