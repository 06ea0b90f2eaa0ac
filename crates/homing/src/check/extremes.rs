//! Greatest and least values: `sup{p}: e` and `inf{p}: e`.
//!
//! The greatest value of a number e in states with p is found by asking whether
//! states can be reached, each question a search like any other:
//!
//! ```text
//! v := e in some state with p                      there is none: no value
//! while e ≥ v + 1, 2, 4, … can be reached:         v := e in the state found
//! halve between v and the first that cannot
//! ```
//! For a clock, x ≥ c and x > c take turns: the *level* 2c stands for the one,
//! 2c + 1 for the other. The greatest level with a state tells the supremum, and
//! whether it is attained:
//!
//! ```text
//! 2c          sup = c, attained
//! 2c + 1      sup = c + 1, not attained: no state has x ≥ c + 1
//! ```
//! That there is no other kind of supremum is what zones show: all their bounds
//! are whole. Least values are the greatest of −e.
//!
//! The number that a question names enters the bounds by which zones are widened,
//! so no answer is lost to widening. A clock may have no greatest value: see
//! `unbounded`, which each run that is found is shown to. Where that does not tell,
//! questions get larger up to [`MOST`], or until runs have [`MOST_STEPS`] steps; then
//! the answer is unknown.

use homing_ir::Trace;
use homing_ir::interp::State;
use homing_ir::network::{Binary, Expr, PropertyKind};
use homing_report::outcome::{PropertyOutcome, Statistics, Verdict};
use homing_report::replay::Meaning;

use super::unbounded::grows;
use super::{Answer, Check, internal};
use crate::properties::{Kind, Property, join};
use crate::run::UsageError;

/// The value of a clock beyond which no bound is looked for any more.
const MOST: i64 = 1 << 20;

/// The length of runs beyond which no bound is looked for any more: whoever needs so
/// many steps goes round some cycle.
const MOST_STEPS: usize = 500;

/// The greatest level a number can have: that of −2³¹ where the least is asked for.
const WIDEST: i64 = 1 << 31;

/// What is asked for.
struct Question<'q> {
    greatest: bool,
    when: Option<&'q Expr>,
    of: &'q Expr,
    clock: bool,
}

/// What is known of the greatest level.
enum Found {
    /// No state satisfies the condition.
    Nothing,
    /// This one is reached, and none beyond.
    Level(i64),
    /// There is none.
    Unbounded,
    /// This one is reached; why no more is known.
    AtLeast(i64, String),
    /// Nothing is known, and why.
    Unknown(String),
}

/// A run to the greatest level so far, and what is shown of it.
type Witness = (PropertyOutcome, Trace);

impl Question<'_> {
    /// A state of at least this level.
    fn goal(&self, level: i64) -> Expr {
        let (constant, strict) = match self.clock {
            true => (level >> 1, level & 1 == 1),
            false => (level, false),
        };
        let (op, constant) = match (self.greatest, strict) {
            (true, false) => (Binary::Ge, constant),
            (true, true) => (Binary::Gt, constant),
            (false, false) => (Binary::Le, -constant),
            (false, true) => (Binary::Lt, -constant),
        };
        let beyond = join(op, self.of.clone(), Expr::int(constant, self.of.span));
        match self.when {
            Some(when) => join(Binary::And, when.clone(), beyond),
            None => beyond,
        }
    }

    /// What holds in all states that are asked about.
    fn anywhere(&self) -> Expr {
        self.when.cloned().unwrap_or_else(|| Expr::int(1, self.of.span))
    }

    /// The level of a value, in parts of a unit of time.
    fn level(&self, value: i64, unit: i64) -> i64 {
        let value = if self.greatest { value } else { -value };
        match self.clock {
            false => value,
            true => 2 * value.div_euclid(unit) + i64::from(value.rem_euclid(unit) != 0),
        }
    }

    /// The next level to ask for: twice as far as the last time, halfway to what
    /// cannot be reached.
    fn next(&self, reached: i64, top: Option<i64>, step: i64) -> i64 {
        top.map_or(reached.saturating_add(step), |top| reached + (top - reached) / 2)
    }

    /// What is said of a level that is the greatest.
    fn value(&self, level: i64) -> String {
        let sign = |value: i64| if self.greatest { value } else { -value };
        match (self.clock, level & 1) {
            (false, _) => format!("= {}", sign(level)),
            (true, 0) => format!("= {}", sign(level >> 1)),
            (true, _) if self.greatest => format!("< {}", (level >> 1) + 1),
            (true, _) => format!("> {}", -((level >> 1) + 1)),
        }
    }

    /// What is said of a level that is reached.
    fn reached(&self, level: i64) -> String {
        let value = self.value(level & !i64::from(self.clock));
        let than = if self.greatest { ">" } else { "<" };
        value.replace('=', &format!("{than}="))
    }
}

impl Check<'_> {
    /// Answers the questions for greatest and least values.
    pub(super) fn extremes(
        &mut self,
        properties: &[Property],
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        for (property, result) in properties.iter().zip(results) {
            let Kind::Query(PropertyKind::Extreme { greatest, when, of }) = &property.kind else {
                continue;
            };
            let mut said = Vec::new();
            let mut verdict = Verdict::Holds;
            let mut shown: Option<Witness> = None;
            let mut statistics = Statistics::default();
            let (phases, notices) = (self.phases.len(), self.notices.len());
            self.probes = 0;
            for expr in of {
                let clock = self.interpreter.reads_clocks(expr);
                let question =
                    Question { greatest: *greatest, when: when.as_ref(), of: expr, clock };
                let mut witness = None;
                let found = self.greatest(&question, &mut witness, &mut statistics)?;
                let name = self.model.network.sources.text(expr.span);
                said.push(told(&question, name, &found));
                if matches!(found, Found::AtLeast(..) | Found::Unknown(_)) {
                    verdict = Verdict::Unknown;
                }
                shown = shown.or(witness);
            }
            self.phases.truncate(phases);
            let searches = match self.probes {
                1 => "1 search".into(),
                more => format!("{more} searches"),
            };
            self.phases.push(format!("`{}`: {searches}, by halving", property.name));
            let mut kept = Vec::new();
            for notice in self.notices.drain(notices..) {
                if !kept.contains(&notice) {
                    kept.push(notice);
                }
            }
            self.notices.extend(kept);
            let (shown, trace) =
                shown.map_or((None, None), |(one, trace)| (one.trace, Some(trace)));
            let outcome = PropertyOutcome {
                property: property.name.clone(),
                verdict,
                reason: said.join(", "),
                optimal: false,
                at_least: None,
                trace: shown,
                different: None,
                statistics,
            };
            *result = Some((outcome, trace));
        }
        Ok(())
    }

    /// The greatest level of a question.
    fn greatest(
        &mut self,
        question: &Question,
        witness: &mut Option<Witness>,
        total: &mut Statistics,
    ) -> Result<Found, UsageError> {
        let mut reached = match self.probe(question.anywhere(), witness, total)? {
            Probed::Reached => self.level_of(question, witness)?,
            Probed::Not => return Ok(Found::Nothing),
            Probed::Unknown(why) => return Ok(Found::Unknown(why)),
        };
        let (mut top, mut step) = (None, 1);
        while top.is_none_or(|top| top > reached + 1) {
            let shows =
                |(_, trace): &Witness| grows(&self.interpreter, trace, question.when, question.of);
            let looked = question.clock && question.greatest && top.is_none();
            if looked && witness.as_ref().is_some_and(shows) {
                return Ok(Found::Unbounded);
            }
            let level = question.next(reached, top, step);
            let steps = witness.as_ref().map_or(0, |(_, trace)| trace.steps.len());
            if question.clock && (level >> 1 > MOST || top.is_none() && steps > MOST_STEPS) {
                let why = "no bound was found, and perhaps there is none";
                return Ok(Found::AtLeast(reached, why.into()));
            }
            if !question.clock && level > WIDEST {
                top = Some(WIDEST + 1);
                continue;
            }
            match self.probe(question.goal(level), witness, total)? {
                Probed::Reached => {
                    // A state that was found is not below what was asked for.
                    reached = self.level_of(question, witness)?.max(level);
                    step *= 2;
                }
                Probed::Not => top = Some(level),
                Probed::Unknown(why) => return Ok(Found::AtLeast(reached, why)),
            }
        }
        Ok(Found::Level(reached))
    }

    /// Looks for one state.
    fn probe(
        &mut self,
        goal: Expr,
        witness: &mut Option<Witness>,
        total: &mut Statistics,
    ) -> Result<Probed, UsageError> {
        self.probes += 1;
        let sources = self.model.network.sources.clone();
        let name = "a greatest or least value".to_owned();
        let asked = Property::new(name, Kind::Reachable(goal, sources));
        let asked = [Property { meaning: Meaning::Value, ..asked }];
        let mut results = [None];
        for search in self.searches(&asked)? {
            self.run(&search, &asked, &mut results)?;
        }
        let [Some((outcome, trace))] = results else {
            return Ok(Probed::Unknown("nothing was searched".into()));
        };
        let Statistics { stored, expanded, generated, seconds, peak_bytes, .. } =
            outcome.statistics;
        total.stored = total.stored.max(stored);
        total.expanded += expanded;
        total.generated += generated;
        total.seconds += seconds;
        total.peak_bytes = total.peak_bytes.max(peak_bytes);
        Ok(match (outcome.verdict, trace) {
            (Verdict::Holds, Some(trace)) => {
                *witness = Some((outcome, trace));
                Probed::Reached
            }
            (Verdict::Violated, _) => Probed::Not,
            _ => Probed::Unknown(outcome.reason),
        })
    }

    /// The state that a witness ends in.
    fn end(&self, witness: &Option<Witness>) -> Result<State, UsageError> {
        let replayed = witness.as_ref().map(|(_, trace)| self.interpreter.replay(trace));
        let end = replayed.and_then(Result::ok).and_then(|states| states.last().cloned());
        end.ok_or_else(|| internal("a greatest or least value", "its run has no end"))
    }

    /// The level in the state that a witness ends in.
    fn level_of(&self, question: &Question, witness: &Option<Witness>) -> Result<i64, UsageError> {
        let end = self.end(witness)?;
        let value = self.interpreter.eval(&end, question.of);
        match value {
            Ok(value) => Ok(question.level(value, end.unit)),
            // The condition alone may hold where the value cannot be computed.
            Err(_) => Ok(i64::from(i32::MIN)),
        }
    }
}

/// The answer of one search.
enum Probed {
    Reached,
    Not,
    Unknown(String),
}

/// What is said of the value of something.
fn told(question: &Question, name: &str, found: &Found) -> String {
    let what = if question.greatest { "sup" } else { "inf" };
    match found {
        Found::Nothing => format!("{what} {name}: no state satisfies the condition"),
        Found::Level(level) => format!("{what} {name} {}", question.value(*level)),
        Found::Unbounded => format!("{what} {name} is unbounded"),
        Found::AtLeast(level, why) => {
            format!("{what} {name} {}: {why}", question.reached(*level))
        }
        Found::Unknown(why) => format!("{what} {name}: {why}"),
    }
}
