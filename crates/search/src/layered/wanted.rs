//! What a pass over the layers looks for: whatever is nearer than what is known.

use homing_core::{Expander, Word};

use super::pass::What;
use crate::task::Task;

/// Where the lengths of deadlocks and faults are, behind those of conditions.
const DEADLOCK: usize = 64;
const FAULT: usize = 65;

#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// One state, instead of what follows.
    target: Option<Vec<Word>>,
    conditions: u64,
    deadlock: bool,
    fault: bool,
    /// The number of steps to each that are known to suffice.
    lengths: Vec<u32>,
    /// The conditions wanted of the states generated now.
    now: u64,
}

impl Wanted {
    /// What the task looks for.
    pub(crate) fn of(task: &Task) -> Wanted {
        Wanted {
            target: None,
            conditions: task.conditions,
            deadlock: task.deadlock,
            fault: task.fault,
            lengths: vec![u32::MAX; FAULT + 1],
            now: task.conditions,
        }
    }

    /// A state.
    pub(crate) fn state(target: &[Word]) -> Wanted {
        Wanted {
            target: Some(target.to_vec()),
            conditions: 0,
            deadlock: false,
            fault: false,
            lengths: Vec::new(),
            now: 0,
        }
    }

    /// The wanted conditions that a state satisfies; one if it is the target.
    pub(crate) fn goals(&self, expander: &mut dyn Expander, state: &[Word]) -> u64 {
        match &self.target {
            Some(target) => u64::from(target == state),
            None if self.now == 0 => 0,
            None => expander.violated(state) & self.now,
        }
    }

    /// Whether a deadlock so far away is wanted.
    pub(crate) fn deadlock(&self, length: u32) -> bool {
        self.deadlock && length < self.lengths[DEADLOCK]
    }

    /// Whether a step that fails after so many others is wanted.
    pub(crate) fn fault(&self, length: u32) -> bool {
        self.fault && length < self.lengths[FAULT]
    }

    /// Turns to the successors of states at this depth.
    pub(crate) fn turn_to(&mut self, depth: u32) {
        let wanted =
            |bit: &usize| self.conditions >> bit & 1 == 1 && depth + 1 < self.lengths[*bit];
        self.now = (0..DEADLOCK).filter(wanted).map(|bit| 1 << bit).sum();
    }

    /// Notes what was found, from a state at this depth.
    pub(crate) fn found(&mut self, what: What, length: u32, depth: u32) {
        if self.target.is_some() {
            return;
        }
        match what {
            What::Deadlock => self.lengths[DEADLOCK] = length,
            What::Fault(_) => self.lengths[FAULT] = length,
            What::Goal(bits) => {
                for bit in (0..DEADLOCK).filter(|bit| bits >> bit & 1 == 1) {
                    self.lengths[bit] = length;
                }
                self.turn_to(depth);
            }
        }
    }

    /// The length of the longest way known, once there is one to everything.
    pub(crate) fn longest(&self) -> Option<u32> {
        let wanted = |place: usize| match place {
            DEADLOCK => self.deadlock,
            FAULT => self.fault,
            bit => self.conditions >> bit & 1 == 1,
        };
        let lengths = (0..self.lengths.len()).filter(|place| wanted(*place));
        lengths.map(|place| self.lengths[place]).max().filter(|length| *length < u32::MAX)
    }
}
