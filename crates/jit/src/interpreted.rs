//! The calls of [`Code`](crate::Code) without machine code: terms are evaluated one by one.
//!
//! ```text
//! moves_at(component, location):
//!   for each move of the component at the location that is asked for, by its label:
//!     alone:  where the guard holds, the effect runs on a copy of the state
//!     pair:   where both guards hold and the message fits, both effects do
//!   a failure on the way is told with the move's label; where a sender's guard fails,
//!   with that of the first receiver that is at its location
//! ```
//! It shares with the compiler what a system is and which moves are asked for, nothing
//! else; `tests/differential` holds both against one reference. Sequences of moves within
//! atomic blocks are not fused: whoever asks follows them up move by move.

use std::cell::Cell;
use std::ops::Range;

use homing_core::{Batch, Edge, Fault, Word};
use homing_ir::Prepared;
use homing_ir::evaluate::{Computed, NoValue, element, evaluate, value};
use homing_ir::layout::Field;
use homing_ir::moves::Move;
use homing_ir::system::{
    Command, ComponentId, Intake, LOOP_FUEL, Part, PartId, PartRole, SiteId, Term,
};

use crate::code::Ready;
use crate::parts::Phase;
use crate::which::Which;

/// A bit for every condition that holds in `state`; adds to `failed` a bit for every one that
/// cannot be evaluated there and does not hold then.
pub(crate) fn conditions(prepared: &Prepared, state: &[Word], failed: &mut u64) -> u64 {
    let fields = &prepared.layout().fields;
    let mut holding = 0;
    for (bit, condition) in prepared.system().conditions.iter().take(64).enumerate() {
        let value = evaluate(&condition.term, fields, state);
        let holds = value.map_or(condition.holds_on_failure, |value| value != 0);
        holding |= u64::from(holds) << bit;
        *failed |= u64::from(value.is_none() && !holds) << bit;
    }
    holding
}

/// Memory that evaluations use one after the other.
#[derive(Default)]
struct Scratch {
    computed: Computed,
    message: Vec<i64>,
    target: Vec<Word>,
}

thread_local! {
    static SCRATCH: Cell<Option<Scratch>> = const { Cell::new(None) };
}

/// The moves of one state, evaluated.
pub(crate) struct Evaluation<'e> {
    prepared: &'e Prepared,
    fields: &'e [Field],
    state: &'e [Word],
    scratch: Scratch,
    undefined: bool,
}

impl Drop for Evaluation<'_> {
    fn drop(&mut self) {
        SCRATCH.set(Some(std::mem::take(&mut self.scratch)));
    }
}

impl<'e> Evaluation<'e> {
    pub(crate) fn new(prepared: &'e Prepared, state: &'e [Word]) -> Evaluation<'e> {
        let scratch = SCRATCH.take().unwrap_or_default();
        let fields = &prepared.layout().fields;
        Evaluation { prepared, fields, state, scratch, undefined: false }
    }

    /// Whether a term was met that has no value.
    pub(crate) fn is_undefined(&self) -> bool {
        self.undefined
    }

    /// All moves that a component leads at a location.
    pub(crate) fn moves_at(
        &mut self,
        component: ComponentId,
        location: usize,
        which: Which,
        out: &mut Batch,
    ) {
        let (moves, system) = (self.prepared.moves(), self.prepared.system());
        let labels = moves.at(component, location);
        let mut label = labels.start;
        while label < labels.end {
            match moves.list[label as usize] {
                Move::Alone(part) => {
                    if which.wants(moves, label) {
                        let moved = self.alone(system.part(part));
                        self.emit(label, moved, out);
                    }
                    label += 1;
                }
                Move::Pair { sender, .. } => {
                    let others = |label: &u32| self.receiver_of(sender, *label).is_none();
                    let end = (label..labels.end).find(others).unwrap_or(labels.end);
                    self.send(sender, label..end, which, out);
                    label = end;
                }
                Move::Joint(_) => label += 1,
            }
        }
    }

    /// The receiver of a move, where it is a pair of this sender.
    fn receiver_of(&self, sender: PartId, label: u32) -> Option<&'e Part> {
        match self.prepared.moves().list[label as usize] {
            Move::Pair { sender: other, receiver } if other == sender => {
                Some(self.prepared.system().part(receiver))
            }
            _ => None,
        }
    }

    /// All pairs of one sender.
    fn send(&mut self, id: PartId, labels: Range<u32>, which: Which, out: &mut Batch) {
        let (moves, sender) = (self.prepared.moves(), self.prepared.system().part(id));
        let mut wanted = labels.clone().filter(|label| which.wants(moves, *label)).peekable();
        if sender.timeout != (which == Which::Timeout) && wanted.peek().is_none() {
            return;
        }
        self.scratch.computed.clear();
        match self.value(&sender.guard) {
            Ok(0) => {}
            Ok(_) => {
                for label in wanted {
                    let Some(receiver) = self.receiver_of(id, label) else { continue };
                    if self.is_there(receiver) {
                        let moved = self.pair(sender, receiver);
                        self.emit(label, moved, out);
                    }
                }
            }
            Err(failure) => {
                let there = |label: &u32| {
                    which.allows(moves, *label)
                        && self.receiver_of(id, *label).is_some_and(|it| self.is_there(it))
                };
                if let Some(label) = labels.clone().find(there) {
                    self.emit(label, Err(failure), out);
                }
            }
        }
    }

    /// Tells of a move: whether it was made, and where it led.
    fn emit(&mut self, label: u32, moved: Result<bool, NoValue>, out: &mut Batch) {
        let edge = Edge { label, choice: 0 };
        match moved {
            Ok(true) => out.push(&self.scratch.target, edge),
            Ok(false) => {}
            Err(NoValue::Fails(site)) => out.fail(Fault { edge, site: site.0 }),
            Err(NoValue::Undefined) => self.undefined = true,
        }
    }

    fn is_there(&self, part: &Part) -> bool {
        let location = self.prepared.system().component(part.component).location;
        self.fields[location.index()].get(self.state) == part.from
    }

    fn alone(&mut self, part: &Part) -> Result<bool, NoValue> {
        self.scratch.computed.clear();
        if self.value(&part.guard)? == 0 {
            return Ok(false);
        }
        self.prepare(part)?;
        self.run_all(&[part])
    }

    fn pair(&mut self, sender: &Part, receiver: &Part) -> Result<bool, NoValue> {
        self.scratch.computed.clear();
        if self.value(&receiver.guard)? == 0 {
            return Ok(false);
        }
        let mut message = std::mem::take(&mut self.scratch.message);
        let fits = self.meet(sender, receiver, &mut message);
        self.scratch.message = message;
        if !fits? {
            return Ok(false);
        }
        self.prepare(sender)?;
        self.prepare(receiver)?;
        match self.prepared.system().sender_first {
            true => self.run_all(&[sender, receiver]),
            false => self.run_all(&[receiver, sender]),
        }
    }

    /// Whether a receiver takes what is sent.
    fn meet(
        &mut self,
        sender: &Part,
        receiver: &Part,
        message: &mut Vec<i64>,
    ) -> Result<bool, NoValue> {
        message.clear();
        if let PartRole::Send(_, terms) = &sender.role {
            for term in terms {
                message.push(self.value(term)?);
            }
        }
        self.take(receiver, message)
    }

    /// Whether a part takes a message; binds its values.
    fn take(&mut self, part: &Part, message: &[i64]) -> Result<bool, NoValue> {
        let PartRole::Receive(_, intakes) = &part.role else { return Ok(true) };
        for (intake, received) in intakes.iter().zip(message) {
            if !self.takes(intake, *received)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn takes(&mut self, intake: &Intake, received: i64) -> Result<bool, NoValue> {
        Ok(match intake {
            Intake::Bind(temp) => {
                self.scratch.computed.push((*temp, received));
                true
            }
            Intake::Match(term) => self.value(term)? == received,
            Intake::Except(term, besides) => {
                self.takes(besides, received)? && self.value(term)? != received
            }
            Intake::Ignore => true,
        })
    }

    /// The values that a part computes in the source state.
    fn prepare(&mut self, part: &Part) -> Result<(), NoValue> {
        for (temp, term) in &part.prepare {
            let value = self.value(term)?;
            self.scratch.computed.push((*temp, value));
        }
        Ok(())
    }

    /// Runs all phases of parts, in this order, on a copy of the state.
    fn run_all(&mut self, order: &[&Part]) -> Result<bool, NoValue> {
        let Scratch { computed, target, .. } = &mut self.scratch;
        target.clear();
        target.extend_from_slice(self.state);
        for phase in Phase::ALL {
            for part in order {
                Effect { fields: self.fields, target, computed }.run(phase.of(part))?;
            }
        }
        Ok(true)
    }

    fn value(&self, term: &Term) -> Result<i64, NoValue> {
        value(term, self.fields, self.state, &self.scratch.computed)
    }

    /// Whether a part of a joint can move. A sender writes its message.
    pub(crate) fn ready(&mut self, part: &Part, message: &mut [i64]) -> Result<Ready, NoValue> {
        self.scratch.computed.clear();
        if !self.is_there(part) || self.value(&part.guard)? == 0 {
            return Ok(Ready::No);
        }
        match &part.role {
            PartRole::Send(_, terms) => {
                for (place, term) in message.iter_mut().zip(terms) {
                    *place = self.value(term)?;
                }
            }
            PartRole::Receive(..) => {
                if !self.take(part, message)? {
                    return Ok(Ready::No);
                }
                self.prepare(part)?;
            }
            PartRole::Alone | PartRole::Label(_) => {}
        }
        Ok(Ready::Yes)
    }

    /// Runs one phase of a part of a joint on `target`.
    pub(crate) fn apply(
        &mut self,
        part: &Part,
        phase: Phase,
        message: &[i64],
        target: &mut [Word],
    ) -> Result<(), NoValue> {
        self.scratch.computed.clear();
        if let PartRole::Receive(_, intakes) = &part.role {
            for (intake, received) in intakes.iter().zip(message) {
                let bound = intake.bound().map(|temp| (temp, *received));
                self.scratch.computed.extend(bound);
            }
        }
        self.prepare(part)?;
        let computed = &mut self.scratch.computed;
        Effect { fields: self.fields, target, computed }.run(phase.of(part))
    }
}

/// An effect that runs on a state.
struct Effect<'e> {
    fields: &'e [Field],
    target: &'e mut [Word],
    computed: &'e mut Computed,
}

impl Effect<'_> {
    /// The recursion is as deep as commands lie within each other.
    fn run(&mut self, commands: &[Command]) -> Result<(), NoValue> {
        for command in commands {
            match command {
                Command::Set(slot, term) => {
                    let value = self.value(term)?;
                    self.fields[slot.index()].set(self.target, value);
                }
                Command::SetElement { first, count, index, value } => {
                    let value = self.value(value)?;
                    let place = element(*first, *count, self.value(index)?)?;
                    self.fields[place].set(self.target, value);
                }
                Command::Let(temp, term) => {
                    let value = self.value(term)?;
                    self.computed.push((*temp, value));
                }
                Command::If(condition, then, otherwise) => {
                    let holds = self.value(condition)? != 0;
                    self.within(if holds { then } else { otherwise })?;
                }
                Command::While(condition, body, site) => self.repeat(condition, body, *site)?,
                Command::Require(condition, site) => {
                    if self.value(condition)? == 0 {
                        return Err(NoValue::Fails(*site));
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs commands whose values are their own.
    fn within(&mut self, commands: &[Command]) -> Result<(), NoValue> {
        let known = self.computed.len();
        self.run(commands)?;
        self.computed.truncate(known);
        Ok(())
    }

    fn repeat(&mut self, condition: &Term, body: &[Command], site: SiteId) -> Result<(), NoValue> {
        for _ in 0..LOOP_FUEL {
            if self.value(condition)? == 0 {
                return Ok(());
            }
            homing_budget::checkpoint();
            self.within(body)?;
        }
        if self.value(condition)? == 0 { Ok(()) } else { Err(NoValue::Fails(site)) }
    }

    fn value(&self, term: &Term) -> Result<i64, NoValue> {
        value(term, self.fields, self.target, self.computed)
    }
}
