//! Queries about runs: `E[] p`, `A<> p` and `p --> q`.
//!
//! | query | is the same as |
//! |---|---|
//! | `E[] p` | some maximal run never leaves p |
//! | `A<> p` | none never leaves not p |
//! | `p --> q` | none that starts in a reachable state with p never leaves not q |
//!
//! The run is looked for in the space cut down to what must hold (zones, also
//! where there are no clocks: time passes in every model of a language that has
//! these queries), depth first whatever the strategy. What is found is executed
//! by the interpreter at times that it finds itself; that a loop can be taken not
//! only as often as it was executed, but for ever, rests on the zones.

use std::time::Instant;

use homing_core::{Batch, Limits, Space, StopReason, Word};
use homing_ir::flatten::Wanted;
use homing_ir::interp::Staying;
use homing_ir::network::{Expr, ExprKind, PropertyKind, Unary};
use homing_ir::passes::Passes;
use homing_ir::source::Span;
use homing_report::outcome::{PropertyOutcome, Statistics, Verdict};
use homing_search::Path;
use homing_search::leads_to::{LeadsTo, Response};
use homing_search::persistence::Persistence;
use homing_space::zones::ZoneSpace;
use homing_space::zones::within::WithinSpace;

use super::lasting::Run;
use super::{Answer, Check, internal};
use crate::properties::{Kind, Property};
use crate::run::{UsageError, parse, store_config};

/// A run that is looked for.
struct Question {
    /// It never leaves this.
    holds: Expr,
    /// Whether that counts as holding which cannot be evaluated.
    on_failure: bool,
    /// It starts with this, in any reachable state; else in the initial one.
    first: Option<Expr>,
    /// The verdict where there is one, and where there is none.
    verdicts: (Verdict, Verdict),
}

impl Question {
    fn of(query: &PropertyKind) -> Option<Question> {
        let not =
            |expr: &Expr| Expr::new(ExprKind::Unary(Unary::Not, Box::new(expr.clone())), expr.span);
        let counterexample = |holds: Expr, first: Option<Expr>| Question {
            holds,
            on_failure: true,
            first,
            verdicts: (Verdict::Violated, Verdict::Holds),
        };
        match query {
            PropertyKind::Persistent(p) => Some(Question {
                holds: p.clone(),
                on_failure: false,
                first: None,
                verdicts: (Verdict::Holds, Verdict::Violated),
            }),
            PropertyKind::Inevitable(p) => Some(counterexample(not(p), None)),
            PropertyKind::LeadsTo(p, q) => Some(counterexample(not(q), Some(p.clone()))),
            _ => None,
        }
    }

    /// What a run that was found must satisfy, from the state after so many
    /// steps on.
    fn staying(&self, from: usize) -> Staying<'_> {
        let Question { holds, on_failure, first, .. } = self;
        Staying { holds, on_failure: *on_failure, from, first: first.as_ref(), ends: false }
    }

    /// As conditions of a system: what holds, what it starts with. Where there
    /// are no clocks, `deadlock` makes it a system in which time passes.
    fn wanted(&self, timed: bool) -> Vec<Wanted> {
        let holds =
            Wanted { holds_on_failure: self.on_failure, ..Wanted::goal(self.holds.clone()) };
        let first = self.first.clone().map(Wanted::goal);
        let deadlock = Wanted::goal(Expr::new(ExprKind::Deadlock, Span::default()));
        let passing = (!timed).then_some(deadlock);
        [Some(holds), first, passing].into_iter().flatten().collect()
    }
}

impl Check<'_> {
    /// Answers a query about runs.
    pub(super) fn query(
        &mut self,
        index: usize,
        property: &Property,
        results: &mut [Option<Answer>],
    ) -> Result<(), UsageError> {
        let Kind::Query(query) = &property.kind else { return Ok(()) };
        let Some(question) = Question::of(query) else { return Ok(()) };
        if self.minimise.is_some() {
            let why = "runs that go on for ever are not searched for with `--minimise`";
            self.unsearched.push((index, why.into()));
            return Ok(());
        }
        match self.answer(index, property, &question) {
            Ok(answer) => results[index] = Some(answer),
            Err(Problem::Unable(why)) => self.unsearched.push((index, why)),
            Err(Problem::Usage(error)) => return Err(error),
        }
        Ok(())
    }

    /// Looks for the run.
    fn answer(
        &mut self,
        index: usize,
        property: &Property,
        question: &Question,
    ) -> Result<Answer, Problem> {
        let started = Instant::now();
        let wanted = question.wanted(self.model.network.is_timed());
        let passes = Passes { slice: false, ..self.passes };
        let space = self.compiled(Some(index), self.quiet(), &wanted, passes)?;
        let (known, before) = (self.keep(Some(index), &space), space.compile_time());
        if !known {
            self.compile_seconds += (started.elapsed() + before).as_secs_f64();
        }
        let zones = ZoneSpace::new(&space, WithinSpace::OPTIONS).map_err(Problem::Unable)?;
        let within = WithinSpace::new(&zones, 0).map_err(Problem::Unable)?;
        let (found, statistics, faults) =
            self.look_for(&zones, &within, question.first.is_some())?;
        let cut = self.cut_off(faults, false);
        if let Some(error) = space.error() {
            return Err(UsageError::Sentence(error.to_string()).into());
        }
        self.phases.push(format!("`{}`: depth first for a run that never leaves", property.name));
        let mut outcome = PropertyOutcome {
            property: property.name.clone(),
            verdict: Verdict::Unknown,
            reason: String::new(),
            optimal: false,
            at_least: None,
            trace: None,
            different: None,
            statistics,
        };
        let trace = match (found, within.refused().or(cut)) {
            (Ok(Some(response)), _) => {
                let run = Run::new(&zones, &response, question.staying(response.stem.len()));
                let confirmed = run.confirmed(&self.interpreter);
                let (trace, shown) = confirmed.map_err(|error| internal(&property.name, &error))?;
                outcome.verdict = question.verdicts.0;
                outcome.reason = "found, and confirmed by the reference interpreter".into();
                outcome.trace = Some(shown);
                Some(trace)
            }
            (Ok(None), None) => {
                outcome.verdict = question.verdicts.1;
                outcome.reason = "no run stays there: all were searched".into();
                None
            }
            (Ok(None), Some(why)) => {
                outcome.reason = why.into();
                None
            }
            (Err(stopped), _) => {
                outcome.reason = self.stop_reason(stopped);
                None
            }
        };
        Ok((outcome, trace))
    }

    /// Searches, from the initial state or from every one.
    fn look_for(
        &mut self,
        zones: &ZoneSpace,
        within: &WithinSpace,
        everywhere: bool,
    ) -> Result<(Found, Statistics, u64), Problem> {
        let started = Instant::now();
        let limits = self.runner.limits();
        let memory = limits.memory.map(|most| most / (1 + usize::from(everywhere)));
        let limits = Limits { memory, ..limits.clone() };
        // Others cannot tell what they know without storing it.
        let (exact, covering) = (homing_store::STORES[0].name, homing_store::covering::ROW.name);
        let plain = within.cover().is_none() || self.parts.store().name == exact;
        let call = parse(if plain { exact } else { covering }, "store");
        let call = call.map_err(UsageError::Sentence)?;
        let mut black = homing_store::build(&store_config(within, &limits), &call)
            .map_err(UsageError::Sentence)?;
        let mut watch = self.runner.watch(None);
        let (found, [total, other]) = if everywhere {
            let mut starts = within.starts(1).map_err(Problem::Unable)?;
            let mut all = homing_store::build(&store_config(zones, &limits), &call)
                .map_err(UsageError::Sentence)?;
            let mut search = LeadsTo {
                space: zones,
                store: &mut *all,
                starts: &mut |state: &[Word], out: &mut Batch| starts.add(state, out),
                persistence: Persistence::new(within, &mut *black),
                statistics: homing_search::Statistics::default(),
            };
            let found = search.search(&mut watch);
            (found, [search.statistics, search.persistence.statistics])
        } else {
            let mut persistence = Persistence::new(within, &mut *black);
            let found = persistence.from_start(&mut watch);
            let response = |lasso| Response { stem: Path::default(), lasso };
            let statistics = persistence.statistics;
            (found.map(|lasso| lasso.map(response)), [statistics, Default::default()])
        };
        let (faults, mut total, other) =
            (total.faults + other.faults, total.progress, other.progress);
        total.stored += other.stored;
        total.expanded += other.expanded;
        total.generated += other.generated;
        total.bytes += other.bytes;
        Ok((found, self.spent(total, started.elapsed().as_secs_f64()), faults))
    }
}

/// A run that never leaves what it must not, or why no more was searched.
type Found = Result<Option<Response>, StopReason>;

/// Why there is no answer.
enum Problem {
    /// The question is not one that can be searched for.
    Unable(String),
    /// Nothing can be searched for.
    Usage(UsageError),
}

impl From<UsageError> for Problem {
    fn from(error: UsageError) -> Problem {
        Problem::Usage(error)
    }
}
