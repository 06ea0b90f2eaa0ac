//! A run that never leaves a condition, executed by the interpreter.
//!
//! What the interpreter is asked of a run that was found among zones:
//!
//! ```text
//! a loop:   delays for the steps before it and for some rounds of it; the
//!           condition in every state passed, before and after each delay
//! a rest:   delays for the steps; then either time passes for very long and
//!           the condition still holds, or no step is possible now or later
//! ```
//! That more rounds are possible than were executed is what equal zones say.

use homing_ir::interp::{Interpreter, State, Staying};
use homing_ir::network::Expr;
use homing_ir::{Step, Trace};
use homing_report::style::counted;
use homing_search::Path;
use homing_search::leads_to::Response;
use homing_space::zones::ZoneSpace;
use homing_witness::infinite::much_later;
use homing_witness::outcome::{CauseKind, CauseOutcome, TraceOutcome, WhyOutcome};
use homing_witness::replay::replay;
use homing_witness::why::{MOST_STEPS, lasting};

/// How often a loop is executed.
const ROUNDS: usize = 3;

/// Longer loops are executed once.
const LONG: usize = 500;

/// A run that was found.
pub(super) struct Run<'q> {
    /// Its steps; of a loop, one round.
    steps: Vec<Step>,
    /// The steps before the loop, where it is one.
    repeats: Option<usize>,
    staying: Staying<'q>,
}

impl<'q> Run<'q> {
    pub(super) fn new(zones: &ZoneSpace, response: &Response, staying: Staying<'q>) -> Run<'q> {
        let along = |path: &Path| -> Vec<Step> {
            path.steps().map(|(state, edge)| zones.step(state, edge)).collect()
        };
        let steps = [along(&response.stem), along(&response.lasso.path)].concat();
        let repeats = response.lasso.back.map(|back| response.stem.len() + back);
        Run::of(steps, repeats, staying)
    }

    /// Steps that never leave a condition, and how many of them come before the loop.
    pub(super) fn of(steps: Vec<Step>, repeats: Option<usize>, staying: Staying<'q>) -> Run<'q> {
        Run { steps, repeats, staying }
    }

    /// The run with its delays, and what it comes to, in words; or what is wrong with it.
    pub(super) fn scheduled(&self, interpreter: &Interpreter) -> Result<(Trace, String), String> {
        let (mut trace, message) = match self.repeats {
            Some(from) => self.looping(interpreter, from)?,
            None => self.resting(interpreter)?,
        };
        if self.repeats.is_some() {
            trace.steps.truncate(self.steps.len());
            trace.rest = 0;
            trace.repeats = self.repeats;
        }
        Ok((trace, message))
    }

    /// The same, as it was executed.
    pub(super) fn confirmed(
        &self,
        interpreter: &Interpreter,
    ) -> Result<(Trace, TraceOutcome), String> {
        let (trace, message) = self.scheduled(interpreter)?;
        let replayed = replay(interpreter, &trace).map_err(|error| error.to_string())?;
        let cause = CauseOutcome::new(CauseKind::Forever, message);
        let shown = replayed.into_outcome(Some(cause));
        let why = (trace.steps.len() <= MOST_STEPS).then(|| self.why(interpreter, shown.length));
        Ok((trace, TraceOutcome { repeats: self.repeats, why, ..shown }))
    }

    fn why(&self, interpreter: &Interpreter, length: usize) -> WhyOutcome {
        let Staying { holds, first, from, .. } = self.staying;
        lasting(interpreter.network(), holds, first, from, length)
    }

    /// Executes some rounds of the loop.
    fn looping(&self, interpreter: &Interpreter, from: usize) -> Result<(Trace, String), String> {
        let round = &self.steps[from..];
        let rounds = if round.len() > LONG { 1 } else { ROUNDS };
        let mut steps = self.steps.clone();
        (1..rounds).for_each(|_| steps.extend_from_slice(round));
        let (trace, _) = self.executed(interpreter, &Trace::new(steps), false)?;
        let which = match round.len() {
            1 => format!("step {}", from + 1),
            _ => format!("steps {} to {}", from + 1, self.steps.len()),
        };
        let times = counted(rounds as u64, "time");
        Ok((trace, format!("and so on for ever: {which} again and again (executed {times})")))
    }

    /// Executes a run that may rest at its end.
    fn resting(&self, interpreter: &Interpreter) -> Result<(Trace, String), String> {
        let bare = Trace::new(self.steps.clone());
        if let Ok((trace, end)) = self.executed(interpreter, &bare, false)
            && self.idles(interpreter, &end)
        {
            return Ok((trace, "time may pass for ever here".into()));
        }
        let executed = self.executed(interpreter, &bare, true);
        // Where the invariants do not hold at the start, nothing happens at all.
        let (trace, end) = match executed {
            Err(_) if bare.steps.is_empty() => (bare, interpreter.initial()),
            executed => executed?,
        };
        if !interpreter.is_deadlock(&end) || !self.holds(interpreter, &end) {
            return Err("a step is possible at its end".into());
        }
        Ok((trace, "nothing happens any more: no step is possible, now or later".into()))
    }

    /// Whether time may pass for ever in a state, and the condition then holds.
    fn idles(&self, interpreter: &Interpreter, end: &State) -> bool {
        if !interpreter.network().is_timed() {
            return interpreter.stop(end).is_none();
        }
        much_later(interpreter, end).is_some_and(|later| self.holds(interpreter, &later))
    }

    /// The run at times at which all its steps are possible, and its last state.
    fn executed(
        &self,
        interpreter: &Interpreter,
        trace: &Trace,
        ends: bool,
    ) -> Result<(Trace, State), String> {
        let staying = Staying { ends, ..self.staying };
        let (trace, moment) = match interpreter.network().is_timed() {
            false => (trace.clone(), 0),
            true => interpreter
                .schedule_staying(trace, &staying)
                .ok_or("there are no times at which its steps could be taken")?,
        };
        let end = self.follow(interpreter, &trace, moment)?;
        Ok((trace, end))
    }

    /// Executes a run and looks at the condition on the way.
    fn follow(
        &self,
        interpreter: &Interpreter,
        trace: &Trace,
        moment: i64,
    ) -> Result<State, String> {
        let Staying { from, first, .. } = self.staying;
        let initial = interpreter.refined(&interpreter.initial(), trace.unit);
        let mut state = initial.ok_or("its times are too fine")?;
        for steps in 0..=trace.steps.len() {
            let next = trace.steps.get(steps);
            let delay = next.map_or(trace.rest, |step| step.delay);
            let waited = |time| interpreter.delay(&state, time).map_err(|e| e.to_string());
            let leaving = waited(delay)?;
            let mut passed = vec![];
            if steps >= from {
                passed.push(if steps == from { waited(moment)? } else { state.clone() });
                passed.push(leaving.clone());
            }
            let starts = |expr: &Expr| interpreter.eval(&passed[0], expr).is_ok_and(|v| v != 0);
            if !passed.iter().all(|state| self.holds(interpreter, state))
                || steps == from && !first.is_none_or(starts)
            {
                return Err(format!("after {} it is left", counted(steps as u64, "step")));
            }
            state = match next {
                Some(step) => interpreter.take(&state, step).map_err(|e| e.to_string())?,
                None => leaving,
            };
        }
        Ok(state)
    }

    fn holds(&self, interpreter: &Interpreter, state: &State) -> bool {
        let value = interpreter.eval(state, self.staying.holds);
        value.map_or(self.staying.on_failure, |value| value != 0)
    }
}
