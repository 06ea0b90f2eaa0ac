//! Moves: where they can be made, where they fail, and what they lead to.
//!
//! ```text
//! alone:  at the part's location, where the guard holds: prepared values, then the effect
//! pair:   both at their locations, where the sender's guard holds, then the receiver's;
//!         the message; the matches; prepared values; stores, effects, cleanups of both
//! ```
//! What is evaluated before may fail before. A sender's guard that fails is a failure of the
//! pair with the first receiver that is at its location (as in `homing_jit`).

use homing_budget::checkpoint;
use homing_ir::moves::Move;
use homing_ir::system::{Intake, Part, PartId, PartRole, SlotId};

use super::effects::Effect;
use super::terms::{Frame, Value};
use super::{Encoded, Encoding, Trouble};
use crate::bits::Bits;
use crate::diagram::{Made, Set};

/// What a move does, whoever else might move.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Its number among the moves of the system.
    pub label: u32,
    /// The states in which it leads somewhere.
    pub enabled: Set,
    /// The states in which it fails.
    pub fails: Set,
    /// What it makes of a state: of the slots that it writes, now and next. All others stay.
    pub relation: Set,
    /// The levels of the bits that it writes, in order.
    pub written: Vec<u32>,
}

/// A move that has been found possible: where, with what it has computed.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub frame: Frame,
    pub here: Set,
    pub fails: Set,
}

impl Encoding<'_> {
    /// All moves that are no joints and can be made in some state or fail there, in order.
    pub fn transitions(&self) -> Encoded<Vec<Transition>> {
        let mut found = Vec::new();
        let mut label = 0;
        while label < self.moves.list.len() {
            checkpoint();
            match self.moves.list[label] {
                Move::Alone(part) => {
                    let made = self.alone(part).map_err(|why| self.blame(why, part))?;
                    found.extend(self.transition(label as u32, &[part], made)?);
                    label += 1;
                }
                Move::Pair { sender, .. } => {
                    let end = self.pairs_of(sender, label);
                    self.pairs(sender, label..end, &mut found)
                        .map_err(|why| self.blame(why, sender))?;
                    label = end;
                }
                Move::Joint(joint) => {
                    self.joint(label as u32, joint, &mut found)?;
                    label += 1;
                }
            }
        }
        Ok(found)
    }

    /// Says which edge it is that has no encoding.
    pub(super) fn blame(&self, trouble: Trouble, part: PartId) -> Trouble {
        match trouble {
            Trouble::Refused(why, None) => Trouble::Refused(why, Some(self.system.part(part).edge)),
            other => other,
        }
    }

    /// Where the part's component is at its location, and anything moves at all.
    pub(super) fn present(&self, part: &Part) -> Made<Set> {
        let location = self.is(self.system.component(part.component).location, part.from)?;
        match self.system.trap {
            None => Ok(location),
            Some(trap) => self.diagrams.and(&location, &self.is(trap, 0)?),
        }
    }

    fn alone(&self, part: PartId) -> Encoded<Ready> {
        let part = self.system.part(part);
        let here = self.present(part)?;
        let frame = Frame::default();
        let mut ready = Ready { frame, here, fails: self.diagrams.constant(false) };
        self.guard(part, &mut ready)?;
        self.prepare(part, &mut ready)?;
        Ok(ready)
    }

    /// Goes on only where a value is not zero.
    fn require(&self, value: &Value, ready: &mut Ready) -> Made<()> {
        let holds = self.arithmetic().is_true(&value.bits)?;
        self.fail(&value.fails, ready)?;
        ready.here = self.diagrams.and(&ready.here, &holds)?;
        Ok(())
    }

    /// Fails somewhere, if it comes there.
    fn fail(&self, fails: &Set, ready: &mut Ready) -> Made<()> {
        let d = &self.diagrams;
        ready.fails = d.or(&ready.fails, &d.and(&ready.here, fails)?)?;
        ready.here = d.minus(&ready.here, fails)?;
        Ok(())
    }

    pub(super) fn guard(&self, part: &Part, ready: &mut Ready) -> Encoded<()> {
        let value = self.evaluate(&part.guard)?;
        Ok(self.require(&value, ready)?)
    }

    pub(super) fn prepare(&self, part: &Part, ready: &mut Ready) -> Encoded<()> {
        for (temp, term) in &part.prepare {
            let value = self.value(term, &ready.frame)?;
            self.fail(&value.fails, ready)?;
            ready.frame.computed.push((*temp, value.bits));
        }
        Ok(())
    }

    /// The values of a message.
    pub(super) fn message(&self, sender: &Part, ready: &mut Ready) -> Encoded<Vec<Bits>> {
        let PartRole::Send(_, terms) = &sender.role else { return Ok(Vec::new()) };
        let mut message = Vec::new();
        for term in terms {
            let value = self.evaluate(term)?;
            self.fail(&value.fails, ready)?;
            message.push(value.bits);
        }
        Ok(message)
    }

    /// Goes on only where a part takes a message.
    pub(super) fn take(&self, part: &Part, message: &[Bits], ready: &mut Ready) -> Encoded<()> {
        let PartRole::Receive(_, intakes) = &part.role else { return Ok(()) };
        for (intake, received) in intakes.iter().zip(message) {
            self.intake(intake, received, ready)?;
        }
        Ok(())
    }

    fn intake(&self, intake: &Intake, received: &Bits, ready: &mut Ready) -> Encoded<()> {
        let (term, wanted) = match intake {
            Intake::Ignore => return Ok(()),
            Intake::Bind(temp) => {
                ready.frame.computed.push((*temp, received.clone()));
                return Ok(());
            }
            Intake::Match(term) => (term, true),
            Intake::Except(term, besides) => {
                self.intake(besides, received, ready)?;
                (term, false)
            }
        };
        let value = self.value(term, &ready.frame)?;
        self.fail(&value.fails, ready)?;
        let equal = self.arithmetic().equal(&value.bits, received)?;
        let fits = if wanted { equal } else { self.diagrams.not(&equal) };
        ready.here = self.diagrams.and(&ready.here, &fits)?;
        Ok(())
    }

    /// The label behind the pairs of a sender that begin at one.
    fn pairs_of(&self, sender: PartId, start: usize) -> usize {
        let same = |one: &Move| matches!(one, Move::Pair { sender: other, .. } if *other == sender);
        start + self.moves.list[start..].iter().take_while(|one| same(one)).count()
    }

    /// All pairs of one sender.
    fn pairs(
        &self,
        id: PartId,
        labels: std::ops::Range<usize>,
        found: &mut Vec<Transition>,
    ) -> Encoded<()> {
        let d = &self.diagrams;
        let sender = self.system.part(id);
        let guard = self.evaluate(&sender.guard)?;
        let present = self.present(sender)?;
        let failing = d.and(&present, &guard.fails)?;
        // Where the guard fails and nobody before was there.
        let mut unheard = failing.clone();
        for label in labels {
            let Move::Pair { receiver: other, .. } = self.moves.list[label] else { continue };
            let receiver = self.system.part(other);
            let there = self.present(receiver)?;
            let here = d.minus(&d.and(&present, &there)?, &failing)?;
            let (frame, fails) = (Frame::default(), d.constant(false));
            let mut ready = Ready { frame, here, fails };
            self.require(&guard, &mut ready)?;
            self.guard(receiver, &mut ready)?;
            let message = self.message(sender, &mut ready)?;
            self.take(receiver, &message, &mut ready)?;
            self.prepare(sender, &mut ready)?;
            self.prepare(receiver, &mut ready)?;
            if !self.moves.is_held_only(label as u32) {
                ready.fails = d.or(&ready.fails, &d.and(&unheard, &there)?)?;
                unheard = d.minus(&unheard, &there)?;
            }
            let order = if self.system.sender_first { [id, other] } else { [other, id] };
            found.extend(self.transition(label as u32, &order, ready)?);
        }
        Ok(())
    }

    /// A move of parts that are ready, whose effects run in this order; none where it is
    /// never made and never fails.
    pub(super) fn transition(
        &self,
        label: u32,
        parts: &[PartId],
        Ready { frame, here, fails }: Ready,
    ) -> Encoded<Option<Transition>> {
        let d = &self.diagrams;
        let here = d.and(&here, &self.valid)?;
        let before = d.and(&fails, &self.valid)?;
        if here.is_empty() && before.is_empty() {
            return Ok(None);
        }
        let mut effect = Effect { frame, here, fails: d.constant(false) };
        for phase in 0..3 {
            for id in parts {
                let part = self.system.part(*id);
                let commands = [&part.stores, &part.effect, &part.cleanup][phase];
                self.run(commands, &mut effect).map_err(|why| self.blame(why, *id))?;
            }
        }
        let enabled = d.minus(&effect.here, &effect.fails)?;
        let fails = d.or(&before, &effect.fails)?;
        let (relation, written) = self.relation(&enabled, &effect.frame.written)?;
        Ok(Some(Transition { label, enabled, fails, relation, written }))
    }

    /// What these values make of the slots that they are written to, and the levels of what
    /// changes.
    fn relation(&self, enabled: &Set, written: &[(SlotId, Bits)]) -> Encoded<(Set, Vec<u32>)> {
        let (d, n) = (&self.diagrams, self.arithmetic());
        let mut bits = Vec::new();
        for (slot, value) in written {
            let field = &self.fields[slot.index()];
            if *value == field.now {
                continue;
            }
            let offset = n.subtract(value, &n.constant(field.base))?;
            let places = field.levels.iter().enumerate();
            bits.extend(places.map(|(place, level)| (*level, offset.bit(place).clone())));
        }
        bits.sort_by_key(|(level, _)| std::cmp::Reverse(*level));
        let mut relation = d.constant(true);
        for (level, bit) in &bits {
            checkpoint();
            let same = d.not(&d.xor(&d.variable(level + 1)?, bit)?);
            // Only where it is made does it matter, and there it is often a constant.
            let same = d.and(&same, enabled)?;
            relation = d.and(&relation, &same)?;
        }
        let written = bits.into_iter().map(|(level, _)| level).rev().collect();
        Ok((d.and(&relation, enabled)?, written))
    }
}
