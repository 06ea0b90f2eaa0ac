//! Whether a run without an end is one that a property forbids.
//!
//! A run that was found is a lasso, a run that rests in its last state for ever, or
//! the beginning of runs that are all alike in this. The reference interpreter
//! executes it and evaluates the atoms in its states; then
//!
//! ```text
//! a loop:   the state after the last step is the state that the loop begins in, but for
//!           clocks
//! a rest:   the last state has no step, now or later, or time may pass for ever
//! else:     the automaton of what is forbidden has come to accept whatever follows
//! a formula is false of the run by its definition (Formula::holds_on)
//! the automaton accepts the run
//! where runs must be weakly fair: every process moves in the loop, or has no step in
//!           one of its states
//! where they must be strongly fair: or has no step in any of them
//! ```
//! Nothing of this shares code with the product that was searched.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::automaton::{Automaton, Cube, Transition};
use homing_ir::components::Components;
use homing_ir::interp::{Interpreter, State};
use homing_ir::network::{Expr, ProcessId};
use homing_ir::{Step, Trace};

use crate::claim::{Fairness, Forbidden};
use crate::observed::observed;
use crate::outcome::{CauseKind, CauseOutcome};
use crate::replay::start;

/// Says how a run is forbidden; or that it is not.
pub fn forbidden(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: &Forbidden,
) -> Result<CauseOutcome, String> {
    let run = Executed::new(interpreter, trace, claim)?;
    let (length, back, cause) = match trace.repeats {
        Some(back) => {
            if !run.head.as_ref().is_some_and(|head| is_same(interpreter, head, &run.last)) {
                return Err("its last state is not the one that its loop begins in".into());
            }
            let message = format!("and so on for ever: {}", again(back, trace.steps.len()));
            (trace.steps.len(), back, CauseOutcome::new(CauseKind::Forever, message))
        }
        None => {
            let cause = if comes_to_accept(claim.automaton, &run.letters) {
                // An observer may accept whatever follows without coming to its end.
                let ended = claim.observer.map(|process| observed(interpreter, trace, process));
                if let Some(Ok(cause)) = ended {
                    return Ok(cause);
                }
                CauseOutcome::new(CauseKind::Formula, "whatever follows, the property is violated")
            } else {
                let rest = rest(interpreter, &run.last).filter(|_| claim.stutters);
                let message = rest.ok_or("it may go on so that nothing is wrong")?;
                CauseOutcome::new(CauseKind::Forever, message)
            };
            (run.letters.len(), run.letters.len() - 1, cause)
        }
    };
    let letters = &run.letters[..length];
    let mut holds = |atom: &usize, state: usize| letters[state] >> atom & 1 == 1;
    if claim.formula.is_some_and(|formula| formula.holds_on(length, back, &mut holds)) {
        return Err("the formula is true of it".into());
    }
    if !accepts(claim.automaton, letters, back) {
        return Err("the automaton does not accept it".into());
    }
    match run.neglected.first() {
        Some(process) => {
            let name = &interpreter.network().processes[process.index()].name;
            Err(format!("it is not fair to {name}"))
        }
        None => Ok(cause),
    }
}

/// Whether two states differ in nothing but clocks. That what clocks allow once they allow
/// for ever is for those to show who found the run.
fn is_same(interpreter: &Interpreter, a: &State, b: &State) -> bool {
    let clocks = interpreter.clocks();
    let mut values = a.values.iter().zip(&b.values).enumerate();
    a.locations == b.locations
        && a.buffers == b.buffers
        && values.all(|(at, (a, b))| a == b || clocks.contains(&at))
}

/// How a run may rest in a state for ever, in words.
fn rest(interpreter: &Interpreter, state: &State) -> Option<&'static str> {
    if interpreter.network().is_timed() {
        return match much_later(interpreter, state) {
            Some(_) => Some("time may pass for ever here"),
            None if interpreter.is_deadlock(state) => {
                Some("nothing happens any more: no step is possible, now or later")
            }
            None => None,
        };
    }
    interpreter.steps(state).is_empty().then_some("nothing happens any more")
}

/// More units of time than any clock is compared with.
const LONG_TIME: i64 = 1 << 32;

/// The state after so much time that it may pass for ever.
pub fn much_later(interpreter: &Interpreter, state: &State) -> Option<State> {
    let long = state.unit.checked_mul(LONG_TIME)?;
    interpreter.delay(state, long).ok()
}

fn again(back: usize, length: usize) -> String {
    match length - back {
        1 => format!("step {length} again and again"),
        _ => format!("steps {} to {length} again and again", back + 1),
    }
}

/// A run that was executed, one state after the other.
pub(crate) struct Executed {
    /// The state that the loop begins in.
    head: Option<State>,
    last: State,
    /// By state, the atoms that hold in it.
    pub(crate) letters: Vec<u64>,
    /// The processes that the loop is not fair to.
    neglected: Vec<ProcessId>,
}

impl Executed {
    pub(crate) fn new(
        interpreter: &Interpreter,
        trace: &Trace,
        claim: &Forbidden,
    ) -> Result<Executed, String> {
        let last = start(interpreter, trace).map_err(|error| error.to_string())?;
        let mut run = Executed {
            head: None,
            last,
            letters: Vec::with_capacity(trace.steps.len() + 1),
            neglected: Vec::new(),
        };
        let mut judged = Judged::new(interpreter);
        for (i, step) in trace.steps.iter().enumerate() {
            run.read(interpreter, claim.atoms);
            if trace.repeats == Some(i) {
                run.head = Some(run.last.clone());
            }
            if claim.fairness != Fairness::None && run.head.is_some() {
                judged.step(interpreter, &run.last, step);
            }
            let next = interpreter.take(&run.last, step);
            run.last = next.map_err(|error| format!("step {}: {error}", i + 1))?;
        }
        run.read(interpreter, claim.atoms);
        run.last = interpreter.delay(&run.last, trace.rest).map_err(|error| error.to_string())?;
        run.neglected = judged.neglected(claim.fairness);
        Ok(run)
    }

    /// Notes which atoms hold. What cannot be evaluated does not.
    fn read(&mut self, interpreter: &Interpreter, atoms: &[Expr]) {
        let holds = |atom| interpreter.eval(&self.last, atom).is_ok_and(|value| value != 0);
        let letter =
            atoms.iter().rev().fold(0, |letter, atom| letter << 1 | u64::from(holds(atom)));
        self.letters.push(letter);
    }
}

/// What every process does and could do along a loop.
struct Judged {
    processes: Vec<Process>,
}

struct Process {
    id: ProcessId,
    moves: bool,
    /// Whether it could move in every state, and in some.
    always: bool,
    sometimes: bool,
}

impl Judged {
    fn new(interpreter: &Interpreter) -> Judged {
        let ids = interpreter.network().system_processes().map(|(id, _)| id);
        let process = |id| Process { id, moves: false, always: true, sometimes: false };
        Judged { processes: ids.map(process).collect() }
    }

    /// A step is taken in a state.
    fn step(&mut self, interpreter: &Interpreter, state: &State, taken: &Step) {
        let moves = |step: &Step, process| step.all().any(|edge| edge.process == process);
        let steps = interpreter.steps(state);
        for process in &mut self.processes {
            let could = steps.iter().any(|(step, _)| moves(step, process.id));
            process.moves |= moves(taken, process.id);
            process.always &= could;
            process.sometimes |= could;
        }
    }

    /// Those who are not treated fairly.
    fn neglected(&self, fairness: Fairness) -> Vec<ProcessId> {
        let waits = |process: &&Process| match fairness {
            Fairness::None => false,
            Fairness::Weak => process.sometimes && process.always && !process.moves,
            Fairness::Strong => process.sometimes && !process.moves,
        };
        self.processes.iter().filter(waits).map(|process| process.id).collect()
    }
}

/// Whether the automaton, reading these letters, may come to a state that accepts
/// whatever follows.
fn comes_to_accept(automaton: &Automaton, letters: &[u64]) -> bool {
    let mut states: BTreeSet<u32> = automaton.initial.iter().copied().collect();
    for letter in letters {
        let next = states.iter().flat_map(|state| automaton.open(*state, *letter));
        states = next.map(|transition| transition.target).collect();
    }
    states.iter().any(|state| automaton.accepts_all(*state))
}

/// Whether the automaton accepts the word of these letters that goes on from its
/// last with letter number `back`: in the product of the word and the automaton,
/// some component with transitions of all sets can be reached.
pub fn accepts(automaton: &Automaton, letters: &[u64], back: usize) -> bool {
    let mut numbers: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    let mut open: Vec<(usize, u32)> = automaton.initial.iter().map(|state| (0, *state)).collect();
    for (number, place) in open.iter().enumerate() {
        numbers.insert(*place, number as u32);
    }
    let mut product = Automaton { sets: automaton.sets, ..Automaton::default() };
    let mut next = 0;
    while let Some((at, state)) = open.get(next).copied() {
        next += 1;
        let later = if at + 1 < letters.len() { at + 1 } else { back };
        let leaving = automaton.open(state, letters[at]).map(|transition| {
            let place = (later, transition.target);
            let target = *numbers.entry(place).or_insert_with(|| {
                open.push(place);
                open.len() as u32 - 1
            });
            Transition { guard: Cube::TRUE, target, ..*transition }
        });
        let leaving = leaving.collect();
        product.states.push(leaving);
    }
    let components = Components::of(&product);
    (0..product.states.len() as u32).any(|place| components.is_accepting(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Again and again atom 0, and again and again atom 1.
    fn both() -> Automaton {
        let on =
            |all_of, marks| Transition { guard: Cube { all_of, none_of: 0 }, marks, target: 0 };
        let states = vec![vec![on(0, 0), on(1, 1), on(2, 2)]];
        Automaton { atoms: 2, sets: 2, initial: vec![0], states }
    }

    #[test]
    fn words_are_accepted_by_what_repeats() {
        assert!(accepts(&both(), &[0, 1, 2], 1));
        assert!(!accepts(&both(), &[1, 2, 0], 2));
        assert!(!accepts(&both(), &[2, 1], 1));
        // Two transitions read the same letter; they are taken in turn.
        assert!(accepts(&both(), &[3], 0));
    }
}
