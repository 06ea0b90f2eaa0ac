//! Runs without an end as runs to a state: liveness to safety.
//!
//! Biere, Artho, Schuppan, "Liveness checking as safety checking" (FMICS 2002).
//!
//! ```text
//! save     an input: the loop begins at the first moment where it is true
//! saved    whether it has begun before;  copy: the state in which it did
//! seenⱼ    whether condition j has held since
//! bad      saved ∧ state = copy ∧ every condition was seen
//! ```
//! Of a pair of conditions, the second has to be seen if the first is. All latches are
//! copied, also those on which nothing depends that is asked: the run has to be one of the
//! whole model.

use homing_gates::{Circuit, Literal, value};

use crate::unrolling::Trace;

/// A circuit in which lassos end in a bad state.
#[derive(Clone, Debug)]
pub struct Lassos {
    /// The circuit.
    pub circuit: Circuit,
    /// What is looked for.
    pub bad: Literal,
    save: Literal,
}

impl Lassos {
    /// Looks for runs on which these hold again and again, and of these pairs the second if
    /// the first does.
    pub fn new(circuit: &Circuit, again: &[Literal], pairs: &[(Literal, Literal)]) -> Lassos {
        let mut circuit = circuit.clone();
        let state: Vec<Literal> = circuit.latches.iter().map(|latch| latch.current).collect();
        let save = circuit.add_input();
        let saved = latch(&mut circuit, |graph, saved| graph.or(saved, save));
        let begins = circuit.graph.and(save, !saved);
        let inside = circuit.graph.or(save, saved);
        let mut closed = saved;
        for bit in state {
            let copy = latch(&mut circuit, |graph, copy| graph.choose(begins, bit, copy));
            let same = circuit.graph.same(copy, bit);
            closed = circuit.graph.and(closed, same);
        }
        let seen = |circuit: &mut Circuit, condition: Literal| {
            let now = circuit.graph.and(inside, condition);
            latch(circuit, |graph, seen| graph.or(seen, now))
        };
        let mut bad = closed;
        for condition in again {
            let seen = seen(&mut circuit, *condition);
            bad = circuit.graph.and(bad, seen);
        }
        for (asked, granted) in pairs {
            let (asked, granted) = (seen(&mut circuit, *asked), seen(&mut circuit, *granted));
            let met = circuit.graph.or(!asked, granted);
            bad = circuit.graph.and(bad, met);
        }
        Lassos { circuit, bad, save }
    }

    /// The moment to which a trace to the bad state comes back with its last step.
    pub fn back(&self, trace: &Trace) -> Option<usize> {
        trace.moments(&self.circuit).iter().position(|nodes| value(nodes, self.save))
    }
}

/// Adds a latch that is false at first.
fn latch(
    circuit: &mut Circuit,
    next: impl FnOnce(&mut homing_gates::Graph, Literal) -> Literal,
) -> Literal {
    let current = circuit.add_latch(Some(false));
    let next = next(&mut circuit.graph, current);
    if let Some(latch) = circuit.latches.last_mut() {
        latch.next = next;
    }
    current
}
