//! Interference between transitions, and how far it is from one to another.
//!
//! Wehrle, Kupferschmid, "Context-Enhanced Directed Model Checking" (2010),
//! definitions 4 and 5:
//!
//! ```text
//! t1 and t2 interfere iff  eff(t1) ∩ pre(t2) ≠ ∅,  eff(t2) ∩ pre(t1) ≠ ∅,
//!                      or  eff(t1) ∩ eff(t2) ≠ ∅   (sets of variables)
//! C_0(t) = {t}
//! C_n(t) = C_{n−1}(t) ∪ {t' | some t'' in C_{n−1}(t) interferes with t'}
//! ```
//! The *distance* from t to t' is the least n with t' ∈ C_n(t); the closure
//! C̄(t) is everything at any distance.
//!
//! A transition here is a move, whatever the number of parts it is made of.
//! What it reads includes what decides whether it may move at all: the
//! locations of others that may be committed.
//!
//! In timed systems clocks are variables too: who resets a clock interferes with
//! who bounds it. Time itself, invariants, urgency and commitment couple all moves
//! with all others there. To say so would make everything one context, so contexts
//! leave it out, and are a guess: good for an order of steps, not for pruning.
//!
//! Moves with the same variables have the same contexts, but for themselves.
//! Such a class of moves is what the table has a row for, filled in when it is
//! first asked for: thousands of moves in dozens of processes make some
//! hundred classes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

use homing_ir::footprint::{Footprints, SlotSet};
use homing_ir::moves::Moves;
use homing_ir::system::{SlotId, System};

/// The distance of moves that no chain of interference joins.
pub(crate) const APART: u8 = u8::MAX;

/// The interference of all moves of a system.
pub(crate) struct Interference {
    /// For every label, its class.
    class: Vec<u32>,
    /// For every class, what its moves read and write.
    variables: Vec<Variables>,
    /// For every slot, the classes that read and that write it.
    readers: Vec<Vec<u32>>,
    writers: Vec<Vec<u32>>,
    /// For every class, which closure it belongs to.
    closure: Vec<u32>,
    closures: u32,
    /// For every class, its distances to all, computed when first asked for.
    rows: Vec<OnceLock<Box<[u8]>>>,
}

/// What a move reads and writes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variables {
    pub reads: Vec<SlotId>,
    pub writes: Vec<SlotId>,
}

impl Interference {
    pub(crate) fn of(system: &System, moves: &Moves) -> Interference {
        let footprints = Footprints::of(system);
        let untimed = system.timing.is_none();
        let committing: SlotSet = system
            .components
            .iter()
            .filter(|component| untimed && component.committed.contains(&true))
            .map(|component| component.location)
            .collect();
        let mut classes: BTreeMap<Variables, u32> = BTreeMap::new();
        let mut class = Vec::with_capacity(moves.list.len());
        for step in &moves.list {
            let (mut reads, mut writes) = (committing.clone(), SlotSet::default());
            for part in step.parts(system) {
                reads.extend(&footprints.parts[part.index()].reads());
                writes.extend(&footprints.parts[part.index()].may_write);
            }
            let variables =
                Variables { reads: reads.iter().collect(), writes: writes.iter().collect() };
            let next = classes.len() as u32;
            class.push(*classes.entry(variables).or_insert(next));
        }
        let mut variables: Vec<(Variables, u32)> = classes.into_iter().collect();
        variables.sort_by_key(|(_, class)| *class);
        let variables: Vec<Variables> = variables.into_iter().map(|(v, _)| v).collect();
        Interference::between(class, variables, system.variables())
    }

    fn between(class: Vec<u32>, variables: Vec<Variables>, slots: usize) -> Interference {
        let mut readers = vec![Vec::new(); slots];
        let mut writers = vec![Vec::new(); slots];
        for (class, variables) in variables.iter().enumerate() {
            variables.reads.iter().for_each(|slot| readers[slot.index()].push(class as u32));
            variables.writes.iter().for_each(|slot| writers[slot.index()].push(class as u32));
        }
        let count = variables.len();
        let mut interference = Interference {
            class,
            variables,
            readers,
            writers,
            closure: vec![u32::MAX; count],
            closures: 0,
            rows: (0..count).map(|_| OnceLock::new()).collect(),
        };
        for class in 0..count {
            if interference.closure[class] == u32::MAX {
                let row = interference.distances(class as u32);
                let closure = interference.closures;
                interference.closures += 1;
                interference.closure[class] = closure;
                for (other, _) in row.iter().enumerate().filter(|(_, d)| **d != APART) {
                    interference.closure[other] = closure;
                }
            }
        }
        interference
    }

    /// The distance from one move to another.
    pub(crate) fn distance(&self, from: u32, to: u32) -> u8 {
        if from == to {
            return 0;
        }
        let (from, to) = (self.class[from as usize], self.class[to as usize]);
        self.rows[from as usize].get_or_init(|| self.distances(from))[to as usize]
    }

    /// The class of a move: moves of one class have the same variables.
    pub(crate) fn class(&self, label: u32) -> u32 {
        self.class[label as usize]
    }

    /// For every label, its class.
    pub(crate) fn classes(&self) -> &[u32] {
        &self.class
    }

    /// The number of classes.
    pub(crate) fn count(&self) -> usize {
        self.variables.len()
    }

    /// Which closure a move belongs to.
    pub(crate) fn closure(&self, label: u32) -> u32 {
        self.closure[self.class[label as usize] as usize]
    }

    /// The number of closures.
    pub(crate) fn closures(&self) -> u32 {
        self.closures
    }

    /// What a move reads and writes.
    pub(crate) fn variables(&self, label: u32) -> &Variables {
        &self.variables[self.class[label as usize] as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.rows.iter().filter_map(OnceLock::get).map(|row| row.len()).sum()
    }

    /// Breadth-first search from one class, by way of the variables: each is
    /// gone through once as read and once as written.
    fn distances(&self, from: u32) -> Box<[u8]> {
        let mut distance = vec![APART; self.variables.len()].into_boxed_slice();
        let mut as_read = vec![false; self.readers.len()];
        let mut as_written = vec![false; self.readers.len()];
        let mut queue = VecDeque::from([(from, 0u8)]);
        while let Some((class, at)) = queue.pop_front() {
            let next = at.saturating_add(1).min(APART - 1);
            let mut reach = |classes: &[u32]| {
                for class in classes {
                    if distance[*class as usize] == APART {
                        distance[*class as usize] = next;
                        queue.push_back((*class, next));
                    }
                }
            };
            let Variables { reads, writes } = &self.variables[class as usize];
            for slot in reads.iter().map(|slot| slot.index()) {
                if !std::mem::replace(&mut as_read[slot], true) {
                    reach(&self.writers[slot]);
                }
            }
            for slot in writes.iter().map(|slot| slot.index()) {
                if !std::mem::replace(&mut as_written[slot], true) {
                    reach(&self.writers[slot]);
                    reach(&self.readers[slot]);
                }
            }
        }
        distance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(reads: &[u32], writes: &[u32]) -> Variables {
        let slots = |of: &[u32]| of.iter().map(|slot| SlotId(*slot)).collect();
        Variables { reads: slots(reads), writes: slots(writes) }
    }

    /// Every distance equals that of definition 5, computed as it is written.
    fn expect_contexts(all: &[Variables], slots: usize) {
        let class = (0..all.len() as u32).collect();
        let interference = Interference::between(class, all.to_vec(), slots);
        let meet = |a: &[SlotId], b: &[SlotId]| a.iter().any(|slot| b.contains(slot));
        let interfere = |a: &Variables, b: &Variables| {
            meet(&a.writes, &b.reads) || meet(&b.writes, &a.reads) || meet(&a.writes, &b.writes)
        };
        for from in 0..all.len() {
            let mut context = vec![from];
            for n in 0..=all.len() as u8 + 1 {
                for to in 0..all.len() {
                    let distance = interference.distance(from as u32, to as u32);
                    assert_eq!(context.contains(&to), distance <= n, "{from} {to} {n} {distance}");
                }
                let more = |t: &usize| context.iter().any(|c| interfere(&all[*c], &all[*t]));
                let grown: Vec<usize> =
                    (0..all.len()).filter(|t| context.contains(t) || more(t)).collect();
                context = grown;
            }
            for to in 0..all.len() as u32 {
                let together = context.contains(&(to as usize));
                assert_eq!(together, interference.closure(from as u32) == interference.closure(to));
            }
        }
    }

    #[test]
    fn distances_are_those_of_the_definition() {
        expect_contexts(
            &[
                variables(&[0], &[0]),
                variables(&[0, 1], &[0]),
                variables(&[1], &[2]),
                variables(&[2], &[3]),
                variables(&[4], &[4]),
                variables(&[5], &[]),
                variables(&[5], &[5]),
            ],
            6,
        );
    }

    proptest::proptest! {
        #[test]
        fn distances_of_random_transitions(
            all in proptest::collection::vec(
                (proptest::collection::vec(0u32..8, 0..3), proptest::collection::vec(0u32..8, 0..3)),
                1..12,
            ),
        ) {
            let all: Vec<Variables> = all.iter().map(|(r, w)| variables(r, w)).collect();
            expect_contexts(&all, 8);
        }
    }
}
