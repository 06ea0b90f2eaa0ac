//! Commands, executed with numbers whose bits are functions of the source state.
//!
//! ```text
//! run(commands) where `here` holds:
//!   if c then A else B: A where c holds, B elsewhere, each on a copy of the frame; a slot
//!                       then holds what it does in A where c holds, else what in B
//!   while c do A:       as often as c can still hold where nothing has failed
//! ```
//! Where a command fails is noted; what comes of the rest there does not matter.

use homing_budget::checkpoint;
use homing_ir::system::{Command, SlotId, Term};

use super::terms::{Frame, Value};
use super::{Encoded, Encoding, Trouble};
use crate::bits::Bits;
use crate::diagram::{Made, Set};

/// The most rounds of a loop within one step that are executed.
const ROUNDS: usize = 10_000;

/// An effect under way.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    pub frame: Frame,
    /// The states in which it is executed.
    pub here: Set,
    /// Those of them in which it has failed.
    pub fails: Set,
}

impl Encoding<'_> {
    /// Executes commands. The recursion is as deep as they lie within each other.
    pub(super) fn run(&self, commands: &[Command], effect: &mut Effect) -> Encoded<()> {
        for command in commands {
            checkpoint();
            match command {
                Command::Set(slot, term) => {
                    let bits = self.computed(term, effect)?;
                    effect.frame.write(*slot, bits);
                }
                Command::SetElement { first, count, index, value } => {
                    let value = self.computed(value, effect)?;
                    let index = self.computed(index, effect)?;
                    self.write_element((*first, *count), &index, &value, effect)?;
                }
                Command::Let(temp, term) => {
                    let bits = self.computed(term, effect)?;
                    effect.frame.computed.push((*temp, bits));
                }
                Command::If(condition, then, otherwise) => {
                    let holds = self.holds(condition, effect)?;
                    self.branch(&holds, then, otherwise, effect)?;
                }
                Command::While(condition, body, _) => self.repeat(condition, body, effect)?,
                Command::Require(condition, _) => {
                    let holds = self.holds(condition, effect)?;
                    self.note(&self.diagrams.not(&holds), effect)?;
                }
            }
        }
        Ok(())
    }

    /// Adds to where it fails.
    fn note(&self, fails: &Set, effect: &mut Effect) -> Made<()> {
        let fails = self.diagrams.and(&effect.here, fails)?;
        effect.fails = self.diagrams.or(&effect.fails, &fails)?;
        Ok(())
    }

    fn computed(&self, term: &Term, effect: &mut Effect) -> Encoded<Bits> {
        let Value { bits, fails } = self.value(term, &effect.frame)?;
        self.note(&fails, effect)?;
        Ok(bits)
    }

    fn holds(&self, term: &Term, effect: &mut Effect) -> Encoded<Set> {
        let bits = self.computed(term, effect)?;
        Ok(self.arithmetic().is_true(&bits)?)
    }

    fn write_element(
        &self,
        (first, count): (SlotId, u32),
        index: &Bits,
        value: &Bits,
        effect: &mut Effect,
    ) -> Made<()> {
        let n = self.arithmetic();
        for place in 0..count {
            checkpoint();
            let slot = SlotId(first.0 + place);
            let here = n.equal(index, &n.constant(i64::from(place)))?;
            if !here.is_empty() {
                let before = self.read(&effect.frame, slot);
                let bits = n.choose(&here, value, before)?;
                effect.frame.write(slot, bits);
            }
        }
        Ok(())
    }

    fn branch(
        &self,
        holds: &Set,
        then: &[Command],
        otherwise: &[Command],
        effect: &mut Effect,
    ) -> Encoded<()> {
        let d = &self.diagrams;
        let mut one = Effect { here: d.and(&effect.here, holds)?, ..effect.clone() };
        let mut other = Effect { here: d.minus(&effect.here, holds)?, ..effect.clone() };
        self.run(then, &mut one)?;
        self.run(otherwise, &mut other)?;
        effect.fails = d.or(&one.fails, &other.fails)?;
        let mut slots: Vec<SlotId> = [&one, &other]
            .into_iter()
            .flat_map(|side| side.frame.written.iter().map(|(slot, _)| *slot))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let (then, otherwise) = (self.read(&one.frame, slot), self.read(&other.frame, slot));
            let bits = self.arithmetic().choose(holds, then, otherwise)?;
            effect.frame.write(slot, bits);
        }
        Ok(())
    }

    fn repeat(&self, condition: &Term, body: &[Command], effect: &mut Effect) -> Encoded<()> {
        let d = &self.diagrams;
        for _ in 0..ROUNDS {
            let holds = self.holds(condition, effect)?;
            let open = d.minus(&d.and(&effect.here, &holds)?, &effect.fails)?;
            if open.is_empty() {
                return Ok(());
            }
            self.branch(&open, body, &[], effect)?;
        }
        let why =
            format!("a loop within one step goes round more than {ROUNDS} times in some state");
        Err(Trouble::Refused(why, None))
    }
}
