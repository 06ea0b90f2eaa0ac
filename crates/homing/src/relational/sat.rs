//! Relations, by a solver for satisfiability.
//!
//! ```text
//! the circuit of the relation ──▶ is there a run at whose end the invariant is false?
//!     bmc          runs of 0, 1, 2, … steps
//!     k-induction  and whether good steps lead to good states
//!     pdr          and an invariant that says why there is none
//!     turns        all three, one after the other, with growing shares
//! ```
//! Runs without an end are runs to a state of another circuit ([`Lassos`]). Where it holds it
//! is asked as well whether some term may have no value.

use std::rc::Rc;
use std::time::Instant;

use homing_core::Progress;
use homing_core::catalogue::{self, Capability, Kind, Row};
use homing_core::expression;
use homing_gates::{Circuit, Condition, Literal, Refusal};
use homing_ir::relation::{Evaluation, Failure, Goal, Relation, Run, TermId};
use homing_report::outcome::Statistics;
use homing_sat::{
    Bmc, Bounded, Corresponding, Effort, Induction, Interrupted, Lassos, Pdr, Problem, Proof,
    Reached, Steps, Trace, Unproven, failing,
};

use super::explicit::at;
use super::{Answering, Asked, Checking, internal};
use crate::run::{UsageError, stop_reason};

/// The engine on relations.
pub(crate) const SAT: Answering = Answering {
    answers: |relation, asked| match asked {
        Asked::Deadlock => false,
        Asked::Specified(number) => !asked_of(&relation.specifications[number].goal).is_empty(),
    },
    takes: |strategy| CHECKS.iter().any(|row| row.name == strategy),
    answer,
    stats: None,
};

/// Steps of a solver in the time in which a state is expanded, about.
const STEPS: u64 = 8;

/// What a check came to.
pub(crate) enum Known {
    /// A run to what was looked for, and whether none is shorter.
    Found(Trace, bool),
    /// There is none, for this reason.
    Holds(String),
    /// There is none, but a term that has to have a value has none, for this reason.
    Fails(String),
}

/// Why a check ended without an answer, and how far it came.
pub(crate) struct Cut {
    why: Unproven,
    reached: String,
}

/// Looks for a run.
pub(crate) type Look = fn(Problem, &Rc<Effort>) -> Result<Known, Cut>;

/// The checks by satisfiability.
pub(crate) const CHECKS: &[Row<Look>] = &[
    row(
        "turns",
        "bounded model checking, induction and property directed reachability in turns",
        "",
        &[Capability::Complete],
        turns,
    ),
    row(
        "bmc",
        "bounded model checking: runs of every length, the shortest first; proves nothing unless \
         all runs end",
        "Biere, Cimatti, Clarke and Zhu, Symbolic model checking without BDDs, TACAS 1999",
        &[Capability::Shortest],
        |problem, effort| {
            let mut bmc = Bmc::new(problem, effort);
            let found = bmc.run(usize::MAX);
            bounded(found, bmc.depth())
        },
    ),
    row(
        "k-induction",
        "bounded model checking, and induction over as many steps",
        "Sheeran, Singh and Stålmarck, Checking safety properties using induction and a \
         SAT-solver, FMCAD 2000",
        &[Capability::Complete, Capability::Shortest],
        by_induction,
    ),
    row(
        "pdr",
        "property directed reachability (IC3): an inductive invariant, clause by clause",
        "Bradley, SAT-based model checking without unrolling, VMCAI 2011; Eén, Mishchenko and \
         Brayton, Efficient implementation of property directed reachability, FMCAD 2011",
        &[Capability::Complete],
        |problem, effort| {
            let mut pdr = Pdr::new(problem, effort);
            let reached = pdr.run();
            directed(reached, pdr.frames())
        },
    ),
];

/// A row of the catalogue.
const fn row(
    name: &'static str,
    about: &'static str,
    cite: &'static str,
    gives: &'static [Capability],
    build: Look,
) -> Row<Look> {
    let kind = Kind::Satisfiability;
    Row { name, kind, about, cite, parameters: &[], needs: &[], gives, uses: &[], build }
}

fn inductive(steps: usize) -> Known {
    Known::Holds(format!("by induction over {steps} steps, which was checked"))
}

fn no_longer(steps: usize) -> Known {
    Known::Holds(format!("no run has more than {steps} steps, and all were checked"))
}

fn bounded(found: Result<Bounded, Unproven>, depth: usize) -> Result<Known, Cut> {
    let reached = match depth.checked_sub(1) {
        None => String::new(),
        Some(steps) => format!("no run of at most {steps} steps violates it"),
    };
    match found {
        Ok(Bounded::Found(trace)) => Ok(Known::Found(trace, true)),
        Ok(Bounded::NoLongerRun) => Ok(no_longer(depth)),
        Ok(Bounded::Nothing) => Err(Cut { why: Interrupted::Share.into(), reached }),
        Err(why) => Err(Cut { why, reached }),
    }
}

fn by_induction(problem: Problem, effort: &Rc<Effort>) -> Result<Known, Cut> {
    let mut induction = Induction::new(problem, effort);
    match induction.run() {
        Ok(Proof::Found(trace)) => Ok(Known::Found(trace, true)),
        Ok(Proof::Inductive(steps)) => Ok(inductive(steps)),
        Ok(Proof::NoLongerRun(steps)) => Ok(no_longer(steps)),
        Err(why) => {
            let reached = format!("not inductive over {} steps", induction.steps());
            Err(Cut { why, reached })
        }
    }
}

fn directed(reached: Result<Reached, Unproven>, frames: usize) -> Result<Known, Cut> {
    match reached {
        Ok(Reached::Found(trace)) => Ok(Known::Found(trace, false)),
        Ok(Reached::Invariant(0)) => Ok(Known::Holds("what constraints say excludes it".into())),
        Ok(Reached::Invariant(clauses)) => Ok(Known::Holds(format!(
            "by an inductive invariant of {clauses} clauses, which was checked"
        ))),
        Err(why) => Err(Cut { why, reached: format!("{frames} frames of pdr") }),
    }
}

/// By what factor the shares of the checks grow.
const GROWTH: u64 = 2;

/// The first share of a check, in steps.
const FIRST: u64 = 20_000;

/// The checks that take turns, each going on where it was.
struct Turns<'c> {
    bmc: Bmc<'c>,
    steps: Steps<'c>,
    pdr: Pdr<'c>,
}

impl Turns<'_> {
    /// The turn of one of them; nothing if it has nothing to do.
    fn turn(&mut self, number: usize) -> Option<Result<Known, Cut>> {
        Some(match number {
            0 => {
                let found = self.bmc.run(usize::MAX);
                bounded(found, self.bmc.depth())
            }
            1 => match self.steps.run(self.bmc.depth()) {
                Ok(None) => return None,
                Ok(Some(steps)) => Ok(inductive(steps)),
                Err(why) => Err(Cut { why, reached: String::new() }),
            },
            _ => {
                let reached = self.pdr.run();
                directed(reached, self.pdr.frames())
            }
        })
    }
}

/// Bounded model checking, induction over as many steps, and property directed reachability.
fn turns(problem: Problem, effort: &Rc<Effort>) -> Result<Known, Cut> {
    let mut checks = Turns {
        bmc: Bmc::new(problem, effort),
        steps: Steps::new(problem, effort),
        pdr: Pdr::new(problem, effort),
    };
    let most = effort.left();
    let began = effort.steps();
    let mut share = FIRST;
    loop {
        for number in 0..3 {
            let left = most.saturating_sub(effort.steps() - began);
            effort.allow(share.min(left));
            match checks.turn(number) {
                None => {}
                Some(Err(Cut { why: Unproven::Interrupted(Interrupted::Share), .. }))
                    if effort.steps() - began < most => {}
                Some(Err(Cut { why, .. })) => {
                    let reached = bounded(Ok(Bounded::Nothing), checks.bmc.depth());
                    return reached.map_err(|cut| Cut { why, ..cut });
                }
                Some(known) => return known,
            }
        }
        share = share.saturating_mul(GROWTH);
    }
}

/// The check that is asked for by this text.
fn chosen(text: Option<&str>) -> Result<&'static Row<Look>, UsageError> {
    let text = match text {
        None | Some("auto") => CHECKS[0].name,
        Some(text) => text,
    };
    let row = || -> Result<&'static Row<Look>, String> {
        let parsed = expression::parse(text).map_err(|error| format!("check `{text}`: {error}"))?;
        let call = parsed.as_call()?;
        let row = catalogue::find(CHECKS, Kind::Satisfiability, &call.name)?;
        call.allow_named(&[])?;
        Ok(row)
    };
    row().map_err(UsageError::Sentence)
}

/// The terms of a goal, if it can be answered here.
fn asked_of(goal: &Goal) -> &[TermId] {
    match goal {
        Goal::Invariant(term) => std::slice::from_ref(term),
        Goal::Justice(conditions) => conditions,
        _ => &[],
    }
}

fn answer(
    checking: &mut Checking,
    positions: &[usize],
    share: Option<u64>,
) -> Result<(), UsageError> {
    let row = chosen(checking.options.strategy.as_deref())?;
    let goals = positions.iter().filter_map(|index| Some((*index, checking.goal(*index)?)));
    let goals: Vec<(usize, Goal)> = goals.map(|(index, goal)| (index, goal.clone())).collect();
    let terms: Vec<TermId> = goals.iter().flat_map(|(_, goal)| asked_of(goal)).copied().collect();
    let mut circuit = match Circuit::new(checking.relation, &terms) {
        Ok(circuit) => circuit,
        Err(refusal) => {
            let why = match &refusal {
                Refusal::Large { span, .. } => at(checking.model, &refusal.to_string(), *span),
                Refusal::Gates => refusal.to_string(),
            };
            for index in positions {
                checking.unknown(*index, why.clone(), Statistics::default());
            }
            return Ok(());
        }
    };
    checking.planned(row.name, "", None);
    let mut first = 0;
    for (index, goal) in &goals {
        let terms = asked_of(goal);
        let asked = circuit.asked[first..first + terms.len()].to_vec();
        first += terms.len();
        let effort = Rc::new(Effort::default());
        let most = checking.options.limits.expansions;
        if let Some(share) = [share, most].into_iter().flatten().min() {
            effort.allow(share.saturating_mul(STEPS));
        }
        let one = Question { index: *index, look: row.build, terms, effort, share };
        match goal {
            Goal::Invariant(_) => {
                let bad = asked[0].is_false(&mut circuit.graph);
                one.reached(checking, Problem { circuit: &circuit, bad }, asked[0])?;
            }
            _ => one.repeated(checking, &mut circuit, &asked)?,
        }
    }
    Ok(())
}

/// A question that is being answered.
struct Question<'c> {
    index: usize,
    look: Look,
    terms: &'c [TermId],
    effort: Rc<Effort>,
    share: Option<u64>,
}

impl Question<'_> {
    /// Looks for a run of the circuit in which latches that are equal are one. It is a run
    /// of the whole circuit.
    fn look(&self, problem: Problem) -> Result<Known, Cut> {
        let merged = Corresponding::new(problem, &self.effort)
            .map_err(|why| Cut { why: why.into(), reached: String::new() })?;
        match &merged {
            Some(merged) => (self.look)(merged.problem(), &self.effort),
            None => (self.look)(problem, &self.effort),
        }
    }

    /// Whether a run ends with what is looked for.
    fn reached(
        &self,
        checking: &mut Checking,
        problem: Problem,
        goal: Condition,
    ) -> Result<(), UsageError> {
        let started = Instant::now();
        let known = self.with_failures(checking, self.look(problem), problem.circuit, goal);
        let relation = checking.relation;
        let as_run = |trace: &Trace| Some(run(relation, problem.circuit, trace));
        self.tell(checking, known, started, as_run)
    }

    /// Whether a run without an end meets all conditions again and again.
    fn repeated(
        &self,
        checking: &mut Checking,
        circuit: &mut Circuit,
        asked: &[Condition],
    ) -> Result<(), UsageError> {
        let started = Instant::now();
        let Circuit { justice, compassion, .. } = &*circuit;
        let again: Vec<Condition> = asked.iter().chain(justice).copied().collect();
        let pairs: Vec<_> = compassion.iter().map(|(a, b)| (a.holds, b.holds)).collect();
        let all = compassion.iter().flat_map(|(a, b)| [*a, *b]).chain(again.iter().copied());
        let fails: Vec<_> = all.map(|one| one.fails).collect();
        let holds: Vec<_> = again.iter().map(|one| one.holds).collect();
        let goal = Condition { holds: Literal::TRUE, fails: circuit.graph.any(fails) };
        let lassos = Lassos::new(circuit, &holds, &pairs);
        let problem = Problem { circuit: &lassos.circuit, bad: lassos.bad };
        let known = match self.look(problem) {
            Ok(Known::Found(trace, _)) => Ok(Known::Found(trace, false)),
            known => self.with_failures(checking, known, circuit, goal),
        };
        let relation = checking.relation;
        let as_run = |trace: &Trace| {
            let mut run = run(relation, &lassos.circuit, trace);
            run.moments.pop();
            Some(Run { back: Some(lassos.back(trace)?), ..run })
        };
        self.tell(checking, known, started, as_run)
    }

    /// What holds, holds only if no term that has to have a value has none.
    fn with_failures(
        &self,
        checking: &Checking,
        known: Result<Known, Cut>,
        circuit: &Circuit,
        goal: Condition,
    ) -> Result<Known, Cut> {
        match known {
            Ok(Known::Holds(why)) => {
                let failure = self.failure(checking, circuit, goal)?;
                Ok(failure.unwrap_or(Known::Holds(why)))
            }
            known => known,
        }
    }

    fn tell(
        &self,
        checking: &mut Checking,
        known: Result<Known, Cut>,
        started: Instant,
        as_run: impl Fn(&Trace) -> Option<Run>,
    ) -> Result<(), UsageError> {
        let progress = Progress { generated: self.effort.steps(), ..Progress::default() };
        let spent = checking.spent(&progress, started.elapsed().as_secs_f64());
        let index = self.index;
        match known {
            Ok(Known::Found(trace, shortest)) => {
                let run = as_run(&trace).ok_or_else(internal)?;
                checking.violated(index, run, shortest, spent)?;
            }
            Ok(Known::Holds(why)) => checking.holds(index, &why, spent),
            Ok(Known::Fails(why)) => checking.unknown(index, why, spent),
            Err(Cut { why: Unproven::Uncertified(what), .. }) => {
                let why = format!("what was taken for a proof is none: {what:?}");
                return Err(crate::check::internal(&checking.name(index), &why));
            }
            Err(Cut { why: Unproven::Interrupted(why), reached }) => {
                let limits = &checking.options.limits;
                let most = limits.expansions;
                let is_share = why == Interrupted::Share
                    && self.share.is_some_and(|share| most.is_none_or(|most| share < most));
                let why = match why {
                    Interrupted::Share => "stopped by the limit on expansions".into(),
                    Interrupted::Budget(stop) => stop_reason(stop.into(), limits),
                    Interrupted::Clauses => "the solver can hold no more clauses".into(),
                };
                let between = if reached.is_empty() { "" } else { "; " };
                let why = format!("{why}{between}{reached}");
                match is_share {
                    true => checking.unfinished(index, why, spent),
                    false => checking.unknown(index, why, spent),
                }
            }
        }
        Ok(())
    }

    /// Whether a run comes to a term without a value, and to which one.
    fn failure(
        &self,
        checking: &Checking,
        circuit: &Circuit,
        goal: Condition,
    ) -> Result<Option<Known>, Cut> {
        let Some((circuit, bad)) = failing(circuit, goal) else {
            return Ok(None);
        };
        Ok(match self.look(Problem { circuit: &circuit, bad })? {
            Known::Found(trace, _) => {
                let why = match self.failure_at_the_end(checking.relation, &circuit, &trace) {
                    Some(Failure { kind, span }) => at(checking.model, kind.message(), span),
                    None => "some term may have no value".into(),
                };
                Some(Known::Fails(why))
            }
            Known::Fails(why) => Some(Known::Fails(why)),
            Known::Holds(_) => None,
        })
    }

    /// What fails where a trace ends.
    fn failure_at_the_end(
        &self,
        relation: &Relation,
        circuit: &Circuit,
        trace: &Trace,
    ) -> Option<Failure> {
        let all = trace.moments(circuit);
        let nodes = all.last()?;
        let here = circuit.valuation(relation, nodes);
        let next = circuit.latches.iter().map(|latch| homing_gates::value(nodes, latch.next));
        let next: Vec<bool> = next.collect();
        let nothing = vec![false; circuit.inputs.len()];
        let there = circuit.valuation(relation, &circuit.evaluate(&next, &nothing));
        let initially = if all.len() == 1 { relation.is_initial(&here) } else { Ok(true) };
        let compassion = relation.compassion.iter().flat_map(|(a, b)| [a, b]);
        let asked = self.terms.iter().chain(&relation.justice).chain(compassion);
        let asked = asked.map(|term| Evaluation::new(relation, &here, &[]).holds(*term));
        let constraints = [relation.admits(&here), initially, relation.is_step(&here, &there)];
        constraints.into_iter().chain(asked).find_map(Result::err)
    }
}

/// A trace as a run of the relation.
fn run(relation: &Relation, circuit: &Circuit, trace: &Trace) -> Run {
    let moments = trace.moments(circuit);
    let moments = moments.iter().map(|nodes| circuit.valuation(relation, nodes));
    Run { moments: moments.collect(), back: None }
}
