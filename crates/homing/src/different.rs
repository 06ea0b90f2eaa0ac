//! Counterexamples that differ in more than the order of independent steps.
//!
//! Two counterexamples count as the same if the steps that *matter* in them
//! ([`homing_witness::why`]) are one Mazurkiewicz trace
//! ([`homing_ir::independence`]). Others are looked for in two ways.
//!
//! *Other steps.* What a known one needs is forbidden, one step at a time, and
//! the search runs again: the hitting-set tree of Reiter, "A theory of diagnosis
//! from first principles" (1987), which is Lawler's partition of solutions
//! (1972) for sets.
//!
//! ```text
//! open := {∅}, known := {the first}
//! while known has too few, take a set F of steps from open:
//!   if some t in known needs no step of F: nothing to search
//!   else search without the steps of F; found t: add it to known
//!   for every step l that t needs: add F ∪ {l} to open
//! ```
//! A search is made only where every known one needs a forbidden step, so what
//! it finds is new. Where the tree ends, every counterexample takes all steps
//! that one of the known ones needs: there are none with other steps.
//!
//! *Another order.* After that, ways to other violating states are looked for;
//! they may have the same steps more often, or dependent ones in another order.
//! This finds one way a state only, so it never claims to have found all.
//!
//! A step is known by its label here. All combinations of a broadcast or of a
//! vector have one label; so has the whole of a synchronous system, where the
//! first way finds nothing.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use homing_core::{StopReason, Word};
use homing_ir::independence::Independence;
use homing_ir::interp::Interpreter;
use homing_ir::moves::Move;
use homing_ir::network::EdgeRef;
use homing_ir::{Step, Trace};
use homing_report::outcome::{DifferentOutcome, OtherOutcome};
use homing_search::Finding;
use homing_space::{CompiledSpace, Restriction};
use homing_witness::outcome::TraceOutcome;

use crate::check::confirmed;
use crate::question::{Hit, Question};
use crate::run::{Aim, Configuration, Runner, UsageError, stop_reason};
use crate::searched::Searched;
use crate::stats::lossy;
use crate::times::Unconfirmed;

/// Why not all were found, where clocks stop.
const SPURIOUS: &str = "a run among zones has no delays, for clocks stop in this model";

/// The searches made for every counterexample that is asked for, on average.
const SEARCHES: usize = 16;

/// Later searches may expand so many times what the first one did.
const PATIENCE: u64 = 10;

/// And always so many.
const LEAST_EXPANSIONS: u64 = 10_000;

/// What the others are looked for with.
pub(crate) struct Looking<'a> {
    pub interpreter: &'a Interpreter<'a>,
    pub runner: &'a Runner,
    pub parts: &'a Configuration,
    pub space: &'a Searched<'a>,
    pub question: &'a dyn Question,
    /// How a search tells that it was found.
    pub hit: Hit,
    pub aim: &'a Aim,
    /// How many are asked for, the first included.
    pub most: usize,
    /// The states the first search expanded.
    pub expanded: u64,
}

/// A counterexample.
struct Known {
    trace: Trace,
    told: TraceOutcome,
    /// The labels of the steps that matter, the last first.
    labels: Vec<u32>,
    /// The steps that matter, in Foata normal form.
    form: Vec<Vec<Step>>,
}

/// Why no more are looked for.
enum Ended {
    Enough,
    Exhausted,
    Unsure(String),
}

/// Looks for others than the first.
pub(crate) fn different(
    looking: &Looking,
    first: (&Finding, &Trace, &TraceOutcome),
) -> Result<(DifferentOutcome, Vec<Trace>), UsageError> {
    let (finding, trace, told) = first;
    let system = homing_ir::flatten(looking.interpreter.network(), &[])
        .map_err(|_| UsageError::Internal("the network was flattened before".into()))?;
    let independence = Independence::of(&system);
    let mut search = Search {
        looking,
        independence,
        known: Vec::new(),
        ends: BTreeSet::new(),
        searches: looking.most.saturating_mul(SEARCHES),
        unsure: None,
        first_label: first_labels(looking.space.discrete),
    };
    search.add(finding, trace.clone(), told.clone());
    let mut ended = search.other_steps()?;
    let complete = matches!(ended, Ended::Exhausted);
    if search.known.len() < looking.most && looking.hit != Hit::Fault {
        search.other_orders()?;
        if search.known.len() >= looking.most {
            ended = Ended::Enough;
        }
    }
    Ok(search.finish(&ended, complete))
}

struct Search<'a> {
    looking: &'a Looking<'a>,
    independence: Independence,
    known: Vec<Known>,
    /// Where known ones, and those that were the same as a known one, end.
    ends: BTreeSet<Vec<Word>>,
    /// How many more searches there may be.
    searches: usize,
    /// Why not everything was looked at.
    unsure: Option<String>,
    /// For every label, the first one of the same step: where a channel is a
    /// value, one step has several.
    first_label: Vec<u32>,
}

impl Search<'_> {
    /// The hitting-set tree.
    fn other_steps(&mut self) -> Result<Ended, UsageError> {
        let mut open = VecDeque::from([BTreeSet::new()]);
        let mut seen: BTreeSet<BTreeSet<u32>> = BTreeSet::new();
        let mut without: Vec<BTreeSet<u32>> = Vec::new();
        while let Some(forbidden) = open.pop_front() {
            if self.known.len() >= self.looking.most {
                return Ok(Ended::Enough);
            }
            let hopeless = without.iter().any(|set| set.is_subset(&forbidden));
            if hopeless || !seen.insert(forbidden.clone()) {
                continue;
            }
            let needs = |known: &Known| known.labels.iter().any(|l| forbidden.contains(l));
            let free = match self.known.iter().position(|known| !needs(known)) {
                Some(known) => known,
                None if self.searches == 0 => {
                    return Ok(Ended::Unsure("enough searches were made".into()));
                }
                None if !self.find(&forbidden)? => {
                    without.push(forbidden);
                    continue;
                }
                None => self.known.len() - 1,
            };
            for label in &self.known[free].labels {
                let mut more = forbidden.clone();
                more.insert(*label);
                open.push_back(more);
            }
        }
        Ok(self.unsure.clone().map_or(Ended::Exhausted, Ended::Unsure))
    }

    /// Looks for a counterexample without these steps.
    fn find(&mut self, forbidden: &BTreeSet<u32>) -> Result<bool, UsageError> {
        let forbidden = self.first_label.iter().map(|label| forbidden.contains(label)).collect();
        let restriction = Restriction { forbidden, ..Restriction::default() };
        let Some(finding) = self.search(restriction)? else { return Ok(false) };
        let confirmed = match self.confirmed(&finding) {
            Err(Unconfirmed::Spurious) => {
                self.unsure.get_or_insert_with(|| SPURIOUS.into());
                return Ok(false);
            }
            // A sender's guard fails once, whoever would receive; forbid that
            // step, and the space tells of it with the next receiver.
            Err(_) if finding.fault.is_some() => None,
            confirmed => Some(confirmed.map_err(|error| self.internal(&error))?),
        };
        match confirmed.filter(|(trace, told)| self.is_new(trace, told)) {
            Some((trace, told)) => {
                self.add(&finding, trace, told);
                Ok(true)
            }
            // Or it is the same step by another label, say of another vector.
            None => {
                self.unsure.get_or_insert_with(|| "some steps cannot be told apart".into());
                Ok(false)
            }
        }
    }

    /// Ways to other violating states.
    fn other_orders(&mut self) -> Result<(), UsageError> {
        while self.known.len() < self.looking.most && self.searches > 0 {
            let known = self.ends.clone();
            let Some(finding) = self.search(Restriction { known, ..Restriction::default() })?
            else {
                return Ok(());
            };
            self.ends.insert(end_of(&finding));
            match self.confirmed(&finding) {
                Ok((trace, told)) if self.is_new(&trace, &told) => {
                    self.add(&finding, trace, told);
                }
                Ok(_) => {}
                Err(Unconfirmed::Spurious) => {
                    self.unsure.get_or_insert_with(|| SPURIOUS.into());
                }
                Err(error) => return Err(self.internal(&error)),
            }
        }
        Ok(())
    }

    fn search(&mut self, restriction: Restriction) -> Result<Option<Finding>, UsageError> {
        self.searches -= 1;
        let looking = self.looking;
        let task = looking.hit.task(looking.space.space());
        let aim = Aim { restriction: Some(restriction), ..looking.aim.clone() };
        let patience = looking.expanded.saturating_mul(PATIENCE).max(LEAST_EXPANSIONS);
        let most = looking.runner.limits().expansions.map_or(patience, |most| most.min(patience));
        let runner = looking.runner.bounded(looking.runner.limits().bound, Some(most));
        let ran = runner.run(looking.parts, looking.space, &task, &aim)?;
        let found = looking.hit.of(&ran.outcome.findings).cloned();
        if found.is_none() {
            let limits = looking.runner.limits();
            let unsure = match (ran.outcome.stopped, ran.coverage) {
                // A later search may have less than the user allows.
                (Some(StopReason::Expansions), _) => Some("a search took too long".into()),
                (Some(stopped), _) => Some(stop_reason(stopped, limits)),
                (None, Some(coverage)) => Some(lossy(coverage)),
                // What a preference leaves out may be what is left.
                (None, None) if looking.parts.strategy.prefers() => {
                    Some("the strategy leaves steps out".into())
                }
                (None, None) => None,
            };
            self.unsure = self.unsure.take().or(unsure);
        }
        Ok(found)
    }

    fn confirmed(&self, finding: &Finding) -> Result<(Trace, TraceOutcome), Unconfirmed> {
        let Looking { interpreter, space, question, .. } = *self.looking;
        confirmed(interpreter, space, question, finding)
    }

    fn internal(&self, error: &Unconfirmed) -> UsageError {
        UsageError::Internal(format!(
            "another trace found for `{}` is not confirmed by the reference interpreter: {error}",
            self.looking.question.name()
        ))
    }

    fn add(&mut self, finding: &Finding, trace: Trace, told: TraceOutcome) {
        let edges = finding.path.steps().map(|(_, edge)| edge);
        let edges = edges.chain(finding.fault.map(|fault| fault.edge));
        let matter = edges.zip(&told.steps).filter(|(_, step)| step.matters);
        let mut labels: Vec<u32> =
            matter.map(|(edge, _)| self.first_label[edge.label as usize]).collect();
        // What happened last is forbidden first: it is nearest to the error.
        labels.reverse();
        let mut seen = BTreeSet::new();
        labels.retain(|label| seen.insert(*label));
        self.ends.insert(end_of(finding));
        let form = self.form(&trace, &told);
        self.known.push(Known { trace, told, labels, form });
    }

    fn is_new(&self, trace: &Trace, told: &TraceOutcome) -> bool {
        let form = self.form(trace, told);
        self.known.iter().all(|known| known.form != form)
    }

    fn form(&self, trace: &Trace, told: &TraceOutcome) -> Vec<Vec<Step>> {
        self.independence.foata(&mattering(trace, told))
    }

    fn finish(self, ended: &Ended, complete: bool) -> (DifferentOutcome, Vec<Trace>) {
        let count = self.known.len();
        let reason = match ended {
            Ended::Enough => "as many as were asked for".into(),
            Ended::Exhausted => {
                "every violation takes all steps that matter in one of these".into()
            }
            Ended::Unsure(why) => format!("{why}; there may be more"),
        };
        let only: Vec<Vec<usize>> = (0..count).map(|one| self.only_in(one, 0..count)).collect();
        let without: Vec<Vec<usize>> =
            (1..count).map(|one| self.only_in(0, one..one + 1)).collect();
        let mut only = only.into_iter();
        let only_first = only.next().unwrap_or_default();
        let mut traces = Vec::new();
        let mut others = Vec::new();
        let known = self.known.into_iter().skip(1);
        for ((known, only_here), without) in known.zip(only).zip(without) {
            traces.push(known.trace);
            others.push(OtherOutcome { trace: known.told, only_here, without });
        }
        (DifferentOutcome { others, only_first, complete, reason }, traces)
    }

    /// The numbers of the steps that matter in one and are taken in no other of
    /// these.
    fn only_in(&self, one: usize, others: Range<usize>) -> Vec<usize> {
        let others = others.filter(|other| *other != one).map(|other| &self.known[other]);
        let elsewhere: BTreeSet<&[_]> = others
            .flat_map(|known| known.trace.steps.iter().map(|step| step.edges.as_slice()))
            .collect();
        let known = &self.known[one];
        let steps = known.trace.steps.iter().zip(&known.told.steps);
        let only =
            steps.filter(|(step, told)| told.matters && !elsewhere.contains(step.edges.as_slice()));
        only.map(|(_, told)| told.step).collect()
    }
}

/// For every label the first one of the same step; joints have one label each.
fn first_labels(space: &CompiledSpace) -> Vec<u32> {
    let moves = space.moves();
    let mut first: BTreeMap<Vec<EdgeRef>, u32> = BTreeMap::new();
    let labels = 0..moves.list.len() as u32;
    labels
        .map(|label| match moves.list[label as usize] {
            Move::Joint(_) => label,
            _ => *first.entry(moves.step(space.system(), label).edges).or_insert(label),
        })
        .collect()
}

fn mattering(trace: &Trace, told: &TraceOutcome) -> Vec<Step> {
    let matter = trace.steps.iter().zip(&told.steps).filter(|(_, told)| told.matters);
    matter.map(|(step, _)| Step { delay: 0, ..step.clone() }).collect()
}

/// The state a finding ends in.
fn end_of(finding: &Finding) -> Vec<Word> {
    finding.path.state(finding.path.len()).to_vec()
}
