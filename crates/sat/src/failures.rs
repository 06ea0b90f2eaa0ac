//! Whether a term that has to have a value may have none.
//!
//! A moment whose constraints fail is no moment of a run, so it cannot be looked for at the
//! end of one. It is looked for in a circuit without constraints, in which a latch says
//! whether they held so far.
//!
//! ```text
//! good′ = good ∧ admitted ∧ step ∧ (first → initial)      good at first
//! failing = good ∧ (admitted fails ∨ admitted ∧ (initial fails at first, step or goal fails))
//! ```

use homing_gates::{Circuit, Condition, Literal};

/// The circuit in which failures are looked for, and what is looked for; none where no term
/// can fail.
pub fn failing(circuit: &Circuit, goal: Condition) -> Option<(Circuit, Literal)> {
    let Circuit { initial, admitted, step, .. } = *circuit;
    if [initial, admitted, step, goal].iter().all(|one| one.fails == Literal::FALSE) {
        return None;
    }
    let mut circuit = circuit.clone();
    (circuit.initial.holds, circuit.beyond_resets) = (Literal::TRUE, Literal::TRUE);
    let first = circuit.add_latch(Some(true));
    let good = circuit.add_latch(Some(true));
    let graph = &mut circuit.graph;
    let begins = graph.or(!first, initial.holds);
    let next = graph.all([good, admitted.holds, step.holds, begins]);
    let at_first = graph.and(first, initial.fails);
    let later = graph.any([at_first, step.fails, goal.fails]);
    let admitted_and = graph.and(admitted.holds, later);
    let fails = graph.or(admitted.fails, admitted_and);
    let failing = graph.and(good, fails);
    for latch in &mut circuit.latches {
        if latch.current == first {
            latch.next = Literal::FALSE;
        } else if latch.current == good {
            latch.next = next;
        } else if latch.variable.is_some() {
            // What definitions say of the beginning is part of what may fail.
            latch.reset = None;
        }
    }
    let always = Condition { holds: Literal::TRUE, fails: Literal::FALSE };
    (circuit.admitted, circuit.step) = (always, always);
    Some((circuit, failing))
}
