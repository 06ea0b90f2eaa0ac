//! Runs that never leave a condition: `E[] p`, `A<> p` and `p --> q` (`question::stays`).
//!
//! The run is looked for in the space cut down to what must hold (zones, also
//! where there are no clocks: time passes in every model of a language that has
//! these queries), depth first whatever the strategy. What is found is executed
//! by the interpreter at times that it finds itself; that a loop can be taken not
//! only as often as it was executed, but for ever, rests on the zones.

use std::rc::Rc;
use std::time::Instant;

use homing_core::{Batch, Limits, Space, StopReason, Word};
use homing_ir::flatten::Wanted;
use homing_ir::interp::Staying;
use homing_ir::network::{Expr, ExprKind};
use homing_ir::passes::Passes;
use homing_ir::source::Span;
use homing_report::outcome::{PropertyOutcome, Statistics, Verdict};
use homing_search::Path;
use homing_search::leads_to::{LeadsTo, Response};
use homing_search::persistence::Persistence;
use homing_space::zones::ZoneSpace;
use homing_space::zones::within::WithinSpace;

use super::answer::{Answer, CONFIRMED};
use super::cut::unevaluated;
use super::lasting::Run;
use super::{Check, internal, mask};
use crate::question::{Need, Question};
use crate::run::{UsageError, parse, store_config};

/// The conditions of a system: what holds, what a run starts with. Where there are no
/// clocks, `deadlock` makes it a system in which time passes.
fn wanted(staying: &Staying, timed: bool) -> Vec<Wanted> {
    let holds =
        Wanted { holds_on_failure: staying.on_failure, ..Wanted::goal(staying.holds.clone()) };
    let first = staying.first.cloned().map(Wanted::goal);
    let deadlock = Wanted::goal(Expr::new(ExprKind::Deadlock, Span::default()));
    let passing = (!timed).then_some(deadlock);
    [Some(holds), first, passing].into_iter().flatten().collect()
}

impl Check<'_> {
    /// Answers a query about runs.
    pub(super) fn stays(
        &mut self,
        index: usize,
        question: &dyn Question,
        result: &mut Option<Answer>,
    ) -> Result<(), UsageError> {
        let Need::Stay(staying) = question.need(&self.model.network) else { return Ok(()) };
        if self.minimise.is_some() {
            let why = "runs that go on for ever are not searched for with `--minimise`";
            self.unsearched.push((index, why.into()));
            return Ok(());
        }
        match self.stay(index, question, staying) {
            Ok(answer) => *result = Some(answer),
            Err(Problem::Unable(why)) => self.unsearched.push((index, why)),
            Err(Problem::Usage(error)) => return Err(error),
        }
        Ok(())
    }

    /// Looks for the run.
    fn stay(
        &mut self,
        index: usize,
        question: &dyn Question,
        staying: Staying,
    ) -> Result<Answer, Problem> {
        let wanted = wanted(&staying, self.model.network.is_timed());
        let passes = Passes { slice: false, ..self.passes };
        let prepared = self.prepare(Some(index), false, &wanted, passes)?;
        let space = Rc::clone(&prepared.space);
        let zones = ZoneSpace::new(&space, WithinSpace::OPTIONS).map_err(Problem::Unable)?;
        let within = WithinSpace::new(&zones, 0).map_err(Problem::Unable)?;
        let (found, statistics, faults) =
            self.look_for(&zones, &within, staying.first.is_some())?;
        self.note_compiled(&prepared);
        let cut = self.cut_off(faults, false);
        let cut = cut.or_else(|| unevaluated(&space, mask(wanted.len()), None));
        if let Some(error) = space.error() {
            return Err(UsageError::Sentence(error.to_string()).into());
        }
        let name = question.name();
        self.phases.push(format!("`{name}`: depth first for a run that never leaves"));
        let (yes, no) = question.verdicts();
        let said =
            |verdict, reason: String| PropertyOutcome::new(name, verdict, reason, statistics);
        Ok(match (found, within.refused().or(cut)) {
            (Ok(Some(response)), _) => {
                let from = response.stem.len();
                let run = Run::new(&zones, &response, Staying { from, ..staying });
                let confirmed = run.confirmed(&self.interpreter);
                let (trace, shown) = confirmed.map_err(|error| internal(name, &error))?;
                let outcome = said(yes, CONFIRMED.into());
                let outcome = PropertyOutcome { trace: Some(shown), ..outcome };
                Answer { outcome, trace: Some(trace) }
            }
            (Ok(None), None) => {
                Answer::of(said(no, "no run stays there: all were searched".into()))
            }
            (Ok(None), Some(why)) => Answer::of(said(Verdict::Unknown, why.into())),
            (Err(stopped), _) => Answer::of(said(Verdict::Unknown, self.stop_reason(stopped))),
        })
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
        let faults = total.faults + other.faults;
        let total = total.progress.beside(other.progress);
        Ok((found, self.spent(total, started.elapsed().as_secs_f64()), faults))
    }
}

/// A run that never leaves what it must not, or why no more was searched.
type Found = Result<Option<Response>, StopReason>;

/// Why there is no answer.
pub(super) enum Problem {
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
