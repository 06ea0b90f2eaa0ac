//! Whether a clock grows without end, shown by a run that the interpreter
//! executes.
//!
//! A run s₀ … sₙ to a state with p, in which clock x is large, shows it in one of
//! two ways:
//!
//! ```text
//! waiting   time may pass in sₙ for longer than any number that clocks are
//!           compared with, and p holds then
//! a cycle   for some i < j: sᵢ and sⱼ are the same but for clocks that were not
//!             set in between, x among them, and time passed (T > 0)
//!           with those clocks larger by H in sⱼ, H as above:
//!             the steps i … j can be taken again, at the same delays
//!             so can the steps j … n, x is not set in them, and p holds then
//! ```
//! Why that is enough: whatever the steps ask of the clocks that grow is a
//! conjunction of bounds. It holds for their values in the run and for values
//! beyond all numbers, so for all between, and the cycle can be taken any number
//! of times. p need be no conjunction: beyond all numbers it does not change.
//!
//! Where clocks decide what is *not* possible (priorities, broadcasts, optional
//! participants), that is no argument, and cycles are not looked for.

use homing_ir::Trace;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{ChannelKind, Expr, Network};
use homing_ir::wellformed::CLOCK_BOUND;

/// The states of a run among which cycles are looked for: the last ones.
const MOST_STATES: usize = 400;

/// Whether a run to a state with `when` shows that `clock` grows without end.
pub(crate) fn grows(
    interpreter: &Interpreter,
    trace: &Trace,
    when: Option<&Expr>,
    clock: &Expr,
) -> bool {
    let Ok(states) = interpreter.replay(trace) else { return false };
    let Some(end) = states.last() else { return false };
    let run = Run { interpreter, trace, states: &states, when, clock };
    run.waits(end) || is_convex(interpreter.network()) && run.has_cycle()
}

/// Whether clocks decide only what is possible.
fn is_convex(network: &Network) -> bool {
    let mut processes = network.system_processes();
    let ranked = processes.any(|(_, process)| {
        process.priority != 0 || process.edges.iter().any(|edge| edge.priority != 0)
    });
    let broadcast = network.channels.iter().any(|one| one.kind == ChannelKind::Broadcast);
    let mut participants = network.vectors.iter().flat_map(|vector| &vector.participants);
    !ranked && !broadcast && !participants.any(|one| one.optional)
}

struct Run<'a> {
    interpreter: &'a Interpreter<'a>,
    trace: &'a Trace,
    /// The initial one, then the one behind each step.
    states: &'a [State],
    when: Option<&'a Expr>,
    clock: &'a Expr,
}

/// Longer than what any clock is compared with, from whatever it shows.
fn long(state: &State) -> i64 {
    (4 * CLOCK_BOUND).saturating_mul(state.unit)
}

impl Run<'_> {
    fn value(&self, state: &State) -> Option<i64> {
        self.interpreter.eval(state, self.clock).ok()
    }

    /// Whether a state is asked about, and the clock beyond all numbers in it.
    fn is_beyond(&self, state: &State) -> bool {
        let eval = |expr| self.interpreter.eval(state, expr).is_ok_and(|value| value != 0);
        self.when.is_none_or(eval) && self.value(state).is_some_and(|value| value >= long(state))
    }

    fn waits(&self, end: &State) -> bool {
        self.interpreter.delay(end, long(end)).is_ok_and(|later| self.is_beyond(&later))
    }

    fn has_cycle(&self) -> bool {
        // The last state is one after a rest, which ends no step.
        let behind = self.trace.steps.len();
        let first = behind.saturating_sub(MOST_STATES);
        let mut times = vec![0i64];
        for step in &self.trace.steps {
            times.push(times.last().unwrap_or(&0).saturating_add(step.delay));
        }
        (first..behind).any(|j| {
            (first..j).rev().any(|i| {
                let passed = times[j] - times[i];
                passed > 0 && self.comes_back(i, j, passed)
            })
        })
    }

    /// Whether the steps from state `i` to `j` can be taken for ever.
    fn comes_back(&self, i: usize, j: usize, passed: i64) -> bool {
        let (before, after) = (&self.states[i], &self.states[j]);
        let (Some(from), Some(to)) = (self.value(before), self.value(after)) else { return false };
        if to - from != passed || before.locations != after.locations {
            return false;
        }
        let mut large = after.clone();
        for (at, (old, new)) in before.values.iter().zip(&after.values).enumerate() {
            let clock = self.interpreter.clocks().contains(&at);
            match new - old {
                0 => {}
                grown if clock && grown == passed => large.values[at] += long(after),
                _ => return false,
            }
        }
        if before.buffers != after.buffers {
            return false;
        }
        let Some(again) = self.taken(large.clone(), i..j) else { return false };
        let mut expected = large.clone();
        for (at, (old, new)) in before.values.iter().zip(&after.values).enumerate() {
            expected.values[at] += new - old;
        }
        let rest = || {
            let end = self.taken(large, j..self.trace.steps.len())?;
            self.interpreter.delay(&end, self.trace.rest).ok()
        };
        again == expected && rest().is_some_and(|end| self.is_beyond(&end))
    }

    /// The state behind some steps of the trace, taken from another state.
    fn taken(&self, mut state: State, steps: std::ops::Range<usize>) -> Option<State> {
        for step in &self.trace.steps[steps] {
            state = self.interpreter.take(&state, step).ok()?;
        }
        Some(state)
    }
}
