//! Time in a walk: waiting between steps.
//!
//! The time waited is the rest of the trace until a step is taken, and then the
//! delay of that step. All numbers of a walk are in the same parts of a unit; a
//! finer delay makes them all finer.

use homing_ir::interp::ReplayProblem;

use super::{Choice, Simulation};

/// What a random walk waits where nothing can be done at once, in halves.
const PATIENCE: [i64; 14] = [1, 2, 3, 4, 6, 8, 10, 16, 20, 40, 100, 200, 1000, 10_000];

impl Simulation<'_> {
    /// Lets time pass: a whole number, or a fraction such as `3/2`.
    pub fn wait(&mut self, delay: &str) -> Result<(), String> {
        let (above, below) = fraction(delay)?;
        if self.fault.is_some() {
            return Err("after a run-time error no time passes; `back` undoes the step".into());
        }
        let unit = self.state().unit;
        let factor = below / greatest_divisor(unit, below);
        self.refine(factor).ok_or("that is too fine to be counted")?;
        let parts = (self.state().unit / below).checked_mul(above);
        let parts = parts.ok_or("that is too long to be counted")?;
        self.pass_time(parts).map_err(|problem| problem.to_string())
    }

    /// Lets so many parts of a unit pass.
    pub(super) fn pass_time(&mut self, parts: i64) -> Result<(), ReplayProblem> {
        let later = self.simulator.interpreter.delay(self.state(), parts)?;
        self.trace.rest += parts;
        if let Some(last) = self.states.last_mut() {
            *last = later;
        }
        Ok(())
    }

    /// Makes the parts of a unit `factor` times as small.
    pub(super) fn refine(&mut self, factor: i64) -> Option<()> {
        let interpreter = &self.simulator.interpreter;
        let states = self.states.iter().map(|state| interpreter.refined(state, factor));
        let states: Vec<_> = states.collect::<Option<_>>()?;
        let delays = self.trace.steps.iter().map(|step| step.delay.checked_mul(factor));
        let delays: Vec<_> = delays.collect::<Option<_>>()?;
        self.trace.unit = self.trace.unit.checked_mul(factor)?;
        self.trace.rest = self.trace.rest.checked_mul(factor)?;
        for (step, delay) in self.trace.steps.iter_mut().zip(delays) {
            step.delay = delay;
        }
        self.states = states;
        Some(())
    }

    /// The steps that can be taken now or, where there are none, after some time,
    /// which has passed then.
    pub(super) fn choices_in_time(&mut self) -> Vec<Choice> {
        let now = self.choices();
        let interpreter = &self.simulator.interpreter;
        let timed = interpreter.network().is_timed();
        if !now.is_empty() || !timed || self.fault.is_some() {
            return now;
        }
        let factor = if self.state().unit % 2 == 0 { 1 } else { 2 };
        if self.refine(factor).is_none() {
            return now;
        }
        let half = self.state().unit / 2;
        for halves in PATIENCE {
            let delay = half.saturating_mul(halves);
            let Ok(later) = interpreter.delay(self.state(), delay) else { break };
            let choices = interpreter.steps(&later);
            if !choices.is_empty() && self.pass_time(delay).is_ok() {
                return choices;
            }
        }
        now
    }
}

/// A fraction that is not negative, in any form.
fn fraction(text: &str) -> Result<(i64, i64), String> {
    let number = |text: &str| text.trim().parse::<i64>().ok().filter(|number| *number >= 0);
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    match (number(above), number(below).filter(|below| *below > 0)) {
        (Some(above), Some(below)) => Ok((above, below)),
        _ => Err(format!("`{text}` is no time: write a number, or a fraction such as 3/2")),
    }
}

fn greatest_divisor(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}
