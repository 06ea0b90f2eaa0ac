//! Runs, and whether they are any.

use std::fmt;

use super::{Evaluation, Failure, Goal, Kind, Relation, TermId, Value};

/// A run: the values of all variables, inputs included, moment by moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Valuations, one at least.
    pub moments: Vec<Vec<Value>>,
    /// Of a run without an end, the moment that comes after the last one.
    pub back: Option<usize>,
}

/// Why a run is none, or does not show what it should.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unconfirmed {
    /// It has no moment, or goes back to one that it does not have.
    Shape,
    /// A value is not of its variable's domain: the moment, and the variable's name.
    Domain(usize, String),
    /// It does not begin as it should.
    Initial,
    /// A constraint is false at a moment.
    Constraint(usize),
    /// The step behind a moment is none.
    Step(usize),
    /// It does not show what it was found for.
    Claim,
    /// A term has no value at a moment.
    Failed(usize, Failure),
}

impl fmt::Display for Unconfirmed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unconfirmed::Shape => write!(f, "it is no run"),
            Unconfirmed::Domain(at, name) => {
                write!(f, "`{name}` has a value that it cannot have at moment {at}")
            }
            Unconfirmed::Initial => write!(f, "it does not begin in an initial state"),
            Unconfirmed::Constraint(at) => write!(f, "a constraint is false at moment {at}"),
            Unconfirmed::Step(at) => write!(f, "there is no step from moment {at} to the next"),
            Unconfirmed::Claim => write!(f, "it does not show what it was found for"),
            Unconfirmed::Failed(at, failure) => {
                write!(f, "at moment {at}: {}", failure.kind.message())
            }
        }
    }
}

impl Relation {
    /// Whether a run is one: by the definition on top of [`relation`](super), and by nothing
    /// else.
    pub fn confirm(&self, run: &Run) -> Result<(), Unconfirmed> {
        let moments = &run.moments;
        let fits = |moment: &Vec<Value>| moment.len() == self.variables.len();
        if moments.is_empty()
            || !moments.iter().all(fits)
            || run.back.is_some_and(|back| back >= moments.len())
        {
            return Err(Unconfirmed::Shape);
        }
        for (at, moment) in moments.iter().enumerate() {
            homing_budget::checkpoint();
            let outside =
                self.numbered().find(|(id, one)| !one.domain.contains(&moment[id.0 as usize]));
            if let Some((_, variable)) = outside {
                return Err(Unconfirmed::Domain(at, variable.name.clone()));
            }
            let failed = |failure| Unconfirmed::Failed(at, failure);
            if at == 0 && !self.is_initial(moment).map_err(failed)? {
                return Err(Unconfirmed::Initial);
            }
            if !self.admits(moment).map_err(failed)? {
                return Err(Unconfirmed::Constraint(at));
            }
            let next = if at + 1 < moments.len() { Some(at + 1) } else { run.back };
            if let Some(next) = next
                && !self.is_step(moment, &moments[next]).map_err(failed)?
            {
                return Err(Unconfirmed::Step(at));
            }
        }
        Ok(())
    }

    /// Whether a run is one and shows that a goal of the file is not reached: that an
    /// invariant is false at its end, that a formula is false along it, that it is fair.
    pub fn confirm_violation(&self, run: &Run, goal: &Goal) -> Result<(), Unconfirmed> {
        self.confirm(run)?;
        let last = run.moments.len() - 1;
        let shown = match (goal, run.back) {
            (Goal::Invariant(term), None) => {
                let value = Evaluation::new(self, &run.moments[last], &[]).holds(*term);
                !value.map_err(|failure| Unconfirmed::Failed(last, failure))?
            }
            (Goal::Ltl(formula), Some(back)) => {
                let mut failure = None;
                let mut holds = |term: &TermId, at: usize| {
                    let value = Evaluation::new(self, &run.moments[at], &[]).holds(*term);
                    value.unwrap_or_else(|error| {
                        failure = Some(Unconfirmed::Failed(at, error));
                        false
                    })
                };
                let holds = formula.holds_on(run.moments.len(), back, &mut holds);
                if let Some(failure) = failure {
                    return Err(failure);
                }
                !holds && self.is_fair(run, back, &[])?
            }
            (Goal::Justice(conditions), Some(back)) => self.is_fair(run, back, conditions)?,
            _ => false,
        };
        if shown { Ok(()) } else { Err(Unconfirmed::Claim) }
    }

    /// Whether a run without an end meets what must hold again and again, and these too.
    fn is_fair(&self, run: &Run, back: usize, more: &[TermId]) -> Result<bool, Unconfirmed> {
        let again = |term: TermId| -> Result<bool, Unconfirmed> {
            for at in back..run.moments.len() {
                let value = Evaluation::new(self, &run.moments[at], &[]).holds(term);
                if value.map_err(|failure| Unconfirmed::Failed(at, failure))? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        for term in self.justice.iter().chain(more) {
            if !again(*term)? {
                return Ok(false);
            }
        }
        for (asked, granted) in &self.compassion {
            if again(*asked)? && !again(*granted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether runs may begin so, as far as what is said of beginnings alone.
    pub fn is_initial(&self, moment: &[Value]) -> Result<bool, Failure> {
        let mut here = Evaluation::new(self, moment, &[]);
        for one in &self.initially {
            if !here.allows(one.value, &moment[one.variable.0 as usize])? {
                return Ok(false);
            }
        }
        all(&mut here, &self.init)
    }

    /// Whether what must hold at every moment does.
    pub fn admits(&self, moment: &[Value]) -> Result<bool, Failure> {
        let mut here = Evaluation::new(self, moment, &[]);
        for one in &self.always {
            if !here.allows(one.value, &moment[one.variable.0 as usize])? {
                return Ok(false);
            }
        }
        all(&mut here, &self.invariants)
    }

    /// Whether the next moment may come after this one.
    pub fn is_step(&self, moment: &[Value], next: &[Value]) -> Result<bool, Failure> {
        let kept = |(at, one): (usize, &super::Variable)| {
            one.kind != Kind::Frozen || moment[at].same(&next[at])
        };
        if !self.variables.iter().enumerate().all(kept) {
            return Ok(false);
        }
        let mut between = Evaluation::new(self, moment, next);
        for one in &self.next {
            if !between.allows(one.value, &next[one.variable.0 as usize])? {
                return Ok(false);
            }
        }
        all(&mut between, &self.transitions)
    }
}

fn all(evaluation: &mut Evaluation, terms: &[TermId]) -> Result<bool, Failure> {
    for term in terms {
        if !evaluation.holds(*term)? {
            return Ok(false);
        }
    }
    Ok(true)
}
