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
//! The number that a question names enters the bounds of the extrapolation, so no answer
//! is lost to it. A clock may have no greatest value: see `unbounded`, which each run that
//! is found is shown to. Where that does not tell, questions get larger up to [`MOST`], or
//! until runs have [`MOST_STEPS`] steps; then the answer is unknown.

mod level;

use std::sync::Arc;

use homing_core::catalogue::{Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_ir::interp::State;
use homing_ir::network::Expr;
use homing_ir::{Network, Sources, Trace};
use homing_report::Verdict;
use homing_report::outcome::{PropertyOutcome, Statistics};
use homing_witness::Meaning;

use self::level::{Found, Level};
use super::read::{parsed, text_of};
use super::{Build, Goal, Need, Question, row};
use crate::check::{Answer, Check, grows, internal};
use crate::load::Model;
use crate::run::UsageError;

const PARAMETERS: &[Parameter] = &[
    Parameter { name: "of", about: "the expression whose value is asked for", default: "" },
    Parameter { name: "when", about: "only in states that satisfy this", default: "1" },
];

pub(super) const SUP: Row<Build> =
    row("sup", "the greatest value of an expression", PARAMETERS, |model, call| {
        Ok(Arc::new(Extremes::read(model, call, true)?))
    });

pub(super) const INF: Row<Build> =
    row("inf", "the least value of an expression", PARAMETERS, |model, call| {
        Ok(Arc::new(Extremes::read(model, call, false)?))
    });

/// The value of a clock beyond which no bound is looked for any more.
const MOST: i64 = 1 << 20;

/// The length of runs beyond which no bound is looked for any more: whoever needs so
/// many steps goes round some cycle.
const MOST_STEPS: usize = 500;

/// The greatest level a number can have: that of −2³¹ where the least is asked for.
const WIDEST: i64 = 1 << 31;

/// The greatest or the least values of expressions.
#[derive(Debug)]
pub(super) struct Extremes {
    pub name: String,
    pub greatest: bool,
    pub when: Option<Expr>,
    pub of: Vec<Expr>,
    /// The texts that they are written in.
    pub sources: Sources,
}

impl Extremes {
    fn read(model: &Model, call: &Call, greatest: bool) -> Result<Extremes, UsageError> {
        let (of, mut sources) = parsed(model, &text_of(call)?, "<value>")?;
        let when = match call.named("when") {
            Some(Expression::Text(text)) => {
                // Behind the text of the value.
                let mut network = model.network.clone();
                network.sources = sources.clone();
                let when = (model.language.expression)(&mut network, text, "<condition>");
                sources = network.sources;
                Some(when.map_err(|diagnostics| UsageError::Diagnostics {
                    sources: sources.clone(),
                    diagnostics,
                })?)
            }
            _ => None,
        };
        Ok(Extremes { name: call.to_string(), greatest, when, of: vec![of], sources })
    }
}

impl Question for Extremes {
    fn name(&self) -> &str {
        &self.name
    }

    fn need<'q>(&'q self, _: &Network) -> Need<'q> {
        Need::Others
    }

    fn compose(&self, check: &mut Check) -> Result<Answer, UsageError> {
        let mut search =
            Search { check, sources: &self.sources, statistics: Statistics::default() };
        search.check.begin_probes();
        let (mut values, mut said) = (Vec::new(), Vec::new());
        let mut verdict = Verdict::Holds;
        let mut shown: Option<Witness> = None;
        for expr in &self.of {
            let clock = search.check.interpreter.reads_clocks(expr);
            let level =
                Level { greatest: self.greatest, when: self.when.as_ref(), of: expr, clock };
            let mut witness = None;
            let found = search.greatest(&level, &mut witness)?;
            let name = self.sources.text(expr.span);
            said.push(level.told(name, &found));
            values.extend(level.outcome(name, &found));
            if matches!(found, Found::AtLeast(..) | Found::Unknown(_)) {
                verdict = Verdict::Unknown;
            }
            shown = shown.or(witness);
        }
        let statistics = search.statistics;
        check.end_probes(&self.name);
        let (trace, steps) = shown.map_or((None, None), |(one, trace)| (one.trace, Some(trace)));
        let outcome = PropertyOutcome {
            trace,
            values,
            ..PropertyOutcome::new(&self.name, verdict, said.join(", "), statistics)
        };
        Ok(Answer { outcome, trace: steps })
    }
}

/// A run to the greatest level so far, and what is shown of it.
type Witness = (PropertyOutcome, Trace);

/// The answer of one search.
enum Probed {
    Reached,
    Not,
    Unknown(String),
}

struct Search<'s, 'a> {
    check: &'s mut Check<'a>,
    sources: &'s Sources,
    statistics: Statistics,
}

impl Search<'_, '_> {
    /// The greatest level.
    fn greatest(
        &mut self,
        level: &Level,
        witness: &mut Option<Witness>,
    ) -> Result<Found, UsageError> {
        let mut reached = match self.probe(level.anywhere(), witness)? {
            Probed::Reached => self.level_of(level, witness)?,
            Probed::Not => return Ok(Found::Nothing),
            Probed::Unknown(why) => return Ok(Found::Unknown(why)),
        };
        let (mut top, mut step) = (None, 1);
        while top.is_none_or(|top| top > reached + 1) {
            if top.is_none() && self.grows(level, witness) {
                return Ok(Found::Unbounded);
            }
            let next = level.next(reached, top, step);
            let steps = witness.as_ref().map_or(0, |(_, trace)| trace.steps.len());
            if level.clock && (next >> 1 > MOST || top.is_none() && steps > MOST_STEPS) {
                let why = "no bound was found, and perhaps there is none";
                return Ok(Found::AtLeast(reached, why.into()));
            }
            if !level.clock && next > WIDEST {
                top = Some(WIDEST + 1);
                continue;
            }
            match self.probe(level.goal(next), witness)? {
                Probed::Reached => {
                    // A state that was found is not below what was asked for.
                    reached = self.level_of(level, witness)?.max(next);
                    step *= 2;
                }
                Probed::Not => top = Some(next),
                Probed::Unknown(why) => return Ok(Found::AtLeast(reached, why)),
            }
        }
        Ok(Found::Level(reached))
    }

    /// Whether the run that was found shows that a clock grows without end.
    fn grows(&self, level: &Level, witness: &Option<Witness>) -> bool {
        let interpreter = &self.check.interpreter;
        let shows = |(_, trace): &Witness| grows(interpreter, trace, level.when, level.of);
        level.clock && level.greatest && witness.as_ref().is_some_and(shows)
    }

    /// Looks for one state.
    fn probe(&mut self, goal: Expr, witness: &mut Option<Witness>) -> Result<Probed, UsageError> {
        let question = Goal::new("a greatest or least value", goal, self.sources.clone());
        let question = Goal { meaning: Meaning::Value, found: Verdict::Holds, ..question };
        let Some(Answer { outcome, trace }) = self.check.ask(Arc::new(question))? else {
            return Ok(Probed::Unknown("nothing was searched".into()));
        };
        self.statistics += outcome.statistics;
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
        let replayed = witness.as_ref().map(|(_, trace)| self.check.interpreter.replay(trace));
        let end = replayed.and_then(Result::ok).and_then(|states| states.last().cloned());
        end.ok_or_else(|| internal("a greatest or least value", "its run has no end"))
    }

    /// The level in the state that a witness ends in.
    fn level_of(&self, level: &Level, witness: &Option<Witness>) -> Result<i64, UsageError> {
        let end = self.end(witness)?;
        match self.check.interpreter.eval(&end, level.of) {
            Ok(value) => Ok(level.of_value(value, end.unit)),
            // The condition alone may hold where the value cannot be computed.
            Err(_) => Ok(i64::from(i32::MIN)),
        }
    }
}
