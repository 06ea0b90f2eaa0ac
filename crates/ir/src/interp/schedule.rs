//! Delays for a run whose edges are known.
//!
//! Where the edges of a run are given, whether it can be executed is a question of
//! difference constraints over the times of its actions (Alur and Dill, A theory of
//! timed automata, TCS 126, 1994; solved as in Cormen et al., Introduction to
//! Algorithms, "Difference constraints and shortest paths"). Let `T[0] = 0`, `T[i]`
//! the time of the `i`-th action, `T[n + 1]` the end. A clock last set at `T[r]`
//! shows `T[now] − T[r] + offset`, so that every comparison of clocks is a bound on
//! the difference of two times:
//!
//! ```text
//! for i in 1..=n + 1:
//!   T[i] >= T[i − 1];  T[i] == T[i − 1] where time may not pass
//!   the invariants hold before the i-th action, at T[i]
//!   of the i-th action (none is the n + 1-st), at T[i]:
//!     its guards hold, those of whoever may take part and does not are false,
//!     nothing of higher priority is possible,
//!     the invariants hold behind it
//! what is wanted holds at T[n + 1]
//!
//! least(constraints, unit):              -- Bellman and Ford, from below
//!   T := all 0
//!   while some T[a] − T[b] <= c is violated:  T[b] := T[a] − c
//!   no solution if T[0] was raised, or there is no end of it
//! ```
//!
//! What is not a conjunction is tried case by case. A strict bound `< c` is
//! `<= c − 1/unit`; with more parts to a unit than there are times this loses no
//! solution, but few parts are tried first, for people to read. The least solution
//! is the earliest for every action at once, hence the fastest. The shortest time
//! the run may take is that of the constraints with all bounds made weak; whether it
//! is attained is found by asking for it.
//!
//! `deadlock` at the end is a constraint too: for every step that may be possible at
//! a later time `E`, its conditions are bounds on `E` and the `T`, from which `E` is
//! eliminated (Fourier and Motzkin); what remains must be false.
//!
//! Where clocks stop, bounds are on sums of times (`forms`) and are solved by the
//! simplex method; whether the end is a `deadlock` is then left to the execution of the
//! run, and no run is the fastest or stays for ever.
//!
//! Discrete values are executed by the interpreter; a clock holds the number of the
//! time it was set at, and the offset. What comes out is executed again with its
//! delays, and given away only if that succeeds. Not complete: conditions with more
//! cases than [`MOST_CASES`].

mod forms;
mod formula;
mod rational;
mod simplex;
mod solve;
mod staying;

use std::collections::BTreeSet;

use super::generate::Move;
use super::{Interpreter, ReplayError, ReplayProblem, RuntimeError, State};
use crate::network::{Action, Commitment, Edge, EdgeRef, Expr, Guard, SyncVector};
use crate::trace::{Step, Trace};
use formula::{Atom, Formula};
use solve::Problem;
pub use staying::Staying;

/// The most cases of a condition that are looked at.
pub const MOST_CASES: usize = 4096;

/// A run with its delays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The run.
    pub trace: Trace,
    /// The time that no execution of its edges falls below: numerator and
    /// denominator.
    pub total: (i64, i64),
    /// Whether the run takes just that; where not, executions come as close to it
    /// as one likes.
    pub attained: bool,
}

/// A state whose clocks hold when they were set.
struct Point {
    state: State,
}

/// How far the times are shifted in the value of a clock.
const SHIFT: u32 = 32;

impl Interpreter<'_> {
    /// Delays with which the edges of a trace can be executed one after the other,
    /// such that `end` holds at the end of the run; with `fastest`, so that it
    /// takes the least time, if there is such a run. The delays that the trace has
    /// do not matter. `None` if there are none.
    pub fn schedule(&self, trace: &Trace, end: Option<&Expr>, fastest: bool) -> Option<Trace> {
        if fastest {
            return self.fastest(trace, end).map(|schedule| schedule.trace);
        }
        let problem = self.problem(trace, end, None)?;
        let mut found = None;
        problem.each_case(&mut |atoms| {
            found = problem
                .readable(atoms)
                .and_then(|(times, unit)| self.confirmed(trace, end, &times, unit));
            found.is_some()
        });
        found
    }

    /// The least time that the edges of a trace take.
    pub fn fastest(&self, trace: &Trace, end: Option<&Expr>) -> Option<Schedule> {
        if self.stopwatches {
            return None;
        }
        let problem = self.problem(trace, end, None)?;
        let mut best: Option<Schedule> = None;
        problem.each_case(&mut |atoms| {
            let Some(((times, unit), total, attained)) = problem.fastest(atoms) else {
                return false;
            };
            let better = best
                .as_ref()
                .is_none_or(|best| (total, !attained) < (best.total.0, !best.attained));
            if better && let Some(trace) = self.confirmed(trace, end, &times, unit) {
                best = Some(Schedule { trace, total: (total, 1), attained });
            }
            false
        });
        best
    }

    /// The trace with these times, if it can be executed.
    fn confirmed(
        &self,
        trace: &Trace,
        end: Option<&Expr>,
        times: &[i64],
        unit: i64,
    ) -> Option<Trace> {
        let mut timed = trace.clone();
        timed.unit = unit;
        for (i, step) in timed.steps.iter_mut().enumerate() {
            step.delay = times[i + 1] - times[i];
        }
        timed.rest = times.last()? - times.get(times.len().checked_sub(2)?)?;
        let last = timed.steps.len();
        let holds = |state: &State| match end {
            Some(end) => self.eval(state, end).is_ok_and(|value| value != 0),
            None => true,
        };
        let sound = match self.replay(&timed) {
            Ok(states) => states.last().is_some_and(holds),
            // A run may end in a failing step.
            Err(ReplayError { step, problem: ReplayProblem::Fault(_) }) => {
                step + 1 == last && end.is_none()
            }
            Err(_) => false,
        };
        sound.then_some(timed)
    }

    /// What the times of a run must satisfy.
    fn problem(
        &self,
        trace: &Trace,
        end: Option<&Expr>,
        staying: Option<&Staying>,
    ) -> Option<Problem> {
        // The moment from which on it stays comes behind all others.
        let moment = trace.steps.len() + 2;
        let mut problem = Problem::new(moment + usize::from(staying.is_some()), self.stopwatches);
        let mut point = Point { state: self.initial() };
        self.encode(&mut point.state, 0)?;
        problem.add(self.invariants_at(&point, 0).ok()?);
        for (i, step) in trace.steps.iter().enumerate() {
            let now = i + 1;
            self.wait_for(&mut problem, &mut point, now);
            problem.add(self.invariants_at(&point, now).ok()?);
            if let Some(staying) = staying {
                self.stay_in(&mut problem, &point, i, staying, moment)?;
            }
            match self.follow(&mut problem, &point, now, step)? {
                Some(state) => point = Point { state },
                // Behind a failing step there is nothing; it takes no time.
                None if i + 1 == trace.steps.len() && end.is_none() => {
                    problem.stay(now + 1, true);
                    return Some(problem);
                }
                None => return None,
            }
            problem.add(self.invariants_at(&point, now).ok()?);
        }
        let now = trace.steps.len() + 1;
        self.wait_for(&mut problem, &mut point, now);
        problem.add(self.invariants_at(&point, now).ok()?);
        if let Some(end) = end {
            problem.add(self.formula(&point, now, end, true).ok()?);
        }
        if let Some(staying) = staying {
            self.stay_in(&mut problem, &point, trace.steps.len(), staying, moment)?;
            if staying.ends {
                self.end_at(&mut problem, &point, now, staying)?;
            }
        }
        Some(problem)
    }

    /// Lets time pass up to `now`, where it may.
    fn wait_for(&self, problem: &mut Problem, point: &mut Point, now: usize) {
        problem.stay(now, self.stop(&point.state).is_some());
        if let Some(forms) = problem.forms() {
            self.advance(&mut point.state, now, forms);
        }
    }

    /// The state behind a step, or nothing if it fails; what it asks of times is
    /// added to the problem.
    fn follow(
        &self,
        problem: &mut Problem,
        point: &Point,
        now: usize,
        step: &Step,
    ) -> Option<Option<State>> {
        if !step.then.is_empty() {
            return None;
        }
        let chosen = |at: EdgeRef| {
            step.edges.iter().any(|edge| (edge.process, edge.edge) == (at.process, at.edge))
        };
        let judge = |at: EdgeRef| -> Result<bool, RuntimeError> {
            Ok(chosen(at) && self.guard_at(point, now, at)? != Formula::False)
        };
        let moves = self.judged(&point.state, &judge);
        let one = moves.into_iter().find(|one| one.edges == step.edges)?;
        problem.add(self.condition(point, now, &one));
        let rank = self.priority(&one.edges);
        if self.ranked() {
            for other in self.possible_moves(point, now) {
                if self.priority(&other.edges) > rank {
                    let (condition, _) = self.arriving(point, now, other);
                    problem.add(condition.negated());
                }
            }
        }
        let Ok(plan) = one.plan else { return Some(None) };
        match self.execute(&point.state, &plan) {
            Err(_) => Some(None),
            Ok(mut state) => {
                self.encode(&mut state, now)?;
                Some(Some(state))
            }
        }
    }

    /// Notes in clocks that were set that this happened at the time `now`; where clocks
    /// stop, that they have not run since. `None`
    /// where an offset is too large to be noted.
    fn encode(&self, state: &mut State, now: usize) -> Option<()> {
        let set = if self.stopwatches { forms::NOTHING } else { now };
        for clock in &self.clocks {
            let value = &mut state.values[*clock];
            if *value >> SHIFT == 0 {
                *value += (set as i64 + 1) << SHIFT;
            }
            // Half of the room is for what may still be added.
            if *value & ((1 << SHIFT) - 1) >= 1 << (SHIFT - 1) {
                return None;
            }
        }
        Some(())
    }

    /// What an edge's guard asks.
    fn guard_at(&self, point: &Point, now: usize, at: EdgeRef) -> Result<Formula, RuntimeError> {
        match &self.network.edge(at).guard {
            Guard::When(guard) => self.formula(point, now, guard, true),
            _ => Ok(Formula::True),
        }
    }

    /// What the guards of a move ask, and that whoever stays away could not have
    /// taken part.
    fn condition(&self, point: &Point, now: usize, one: &Move) -> Formula {
        // A guard that fails makes the move a fault, whatever the time.
        let guard = |at: &EdgeRef| self.guard_at(point, now, *at).unwrap_or(Formula::True);
        let taken = one.edges.iter().map(guard);
        let away = self.refraining(&point.state, one).into_iter();
        let away = away.map(|edges| Formula::all(edges.iter().map(|at| guard(at).negated())));
        Formula::all(taken.chain([Formula::any(away)]))
    }

    /// As [`Interpreter::condition`], with the invariants behind the move, and the
    /// state there, unless the move fails.
    fn arriving(&self, point: &Point, now: usize, one: Move) -> (Formula, Option<State>) {
        let condition = self.condition(point, now, &one);
        let target = one.plan.and_then(|plan| self.execute(&point.state, &plan)).ok();
        let encoded = target.and_then(|mut state| self.encode(&mut state, now).map(|()| state));
        match encoded {
            None => (condition, None),
            Some(state) => {
                let point = Point { state };
                let arrival = self.invariants_at(&point, now).unwrap_or(Formula::True);
                (Formula::all([condition, arrival]), Some(point.state))
            }
        }
    }

    /// The edges that would have made a process take part in a move that it does
    /// not take part in: for each of the ways in which the move can come about.
    fn refraining(&self, state: &State, one: &Move) -> Vec<Vec<EdgeRef>> {
        let nobody = vec![Vec::new()];
        let Some(first) = one.edges.first() else { return nobody };
        let away = |at: &EdgeRef| one.edges.iter().all(|edge| edge.process != at.process);
        match &self.network.edge(*first).action {
            Some(Action::Send { channel, .. }) => {
                let id = self.channel(self.view(state), channel).ok().flatten();
                let Some(id) = id.filter(|id| self.is_broadcast(*id)) else { return nobody };
                let receives = |edge: &Edge| match &edge.action {
                    Some(Action::Receive { channel, .. }) => {
                        self.channel(self.view(state), channel) == Ok(Some(id))
                    }
                    _ => false,
                };
                let mut edges = self.edges_where(state, &receives);
                edges.retain(away);
                vec![edges]
            }
            Some(Action::Label(_)) => {
                let labelled = |edge: &Edge| matches!(edge.action, Some(Action::Label(_)));
                let edges = self.edges_where(state, &labelled);
                let vectors = self.network.vectors.iter().filter(|vector| self.is_of(vector, one));
                let absent = vectors.map(|vector| {
                    let free = |at: &&EdgeRef| away(at) && self.takes_part(vector, at);
                    edges.iter().filter(free).copied().collect()
                });
                absent.collect()
            }
            _ => nobody,
        }
    }

    /// Whether an edge has the label that a vector wants of its process.
    fn takes_part(&self, vector: &SyncVector, at: &EdgeRef) -> bool {
        let Some(Action::Label(label)) = self.network.edge(*at).action else { return false };
        vector.participants.iter().any(|one| (one.process, one.label) == (at.process, label))
    }

    /// Whether a move may be one of a vector.
    fn is_of(&self, vector: &SyncVector, one: &Move) -> bool {
        let moves = |process| one.edges.iter().any(|at| at.process == process);
        one.edges.iter().all(|at| self.takes_part(vector, at))
            && vector.participants.iter().all(|one| one.optional || moves(one.process))
    }

    fn is_broadcast(&self, id: crate::network::ChannelId) -> bool {
        self.network.channels[id.index()].kind == crate::network::ChannelKind::Broadcast
    }

    /// The edges at the current locations that are `wanted`, as far as commitment
    /// lets them exist.
    fn edges_where(&self, state: &State, wanted: &dyn Fn(&Edge) -> bool) -> Vec<EdgeRef> {
        let processes = self.network.system_processes();
        let all = processes.flat_map(|(process, found)| {
            let edges = found.edges.iter().enumerate();
            edges.map(move |(i, edge)| (EdgeRef { process, edge: i as u32, branch: 0 }, edge))
        });
        let held = self.network.commitment == Commitment::All
            && self.network.system_processes().any(|(id, _)| self.is_committed(state, id));
        let here = all.filter(|(at, edge)| {
            let exists = !held || self.is_committed(state, at.process);
            exists && state.location(at.process) == Some(edge.from)
        });
        here.filter(|(_, edge)| wanted(edge)).map(|(at, _)| at).collect()
    }

    /// The moves that are possible at some values of the clocks, each once. Whether
    /// an edge may take part can depend on clocks, and with it who else does: all
    /// choices of such edges are tried.
    fn possible_moves(&self, point: &Point, now: usize) -> Vec<Move> {
        let maybe = |at: &EdgeRef| {
            let guard = self.guard_at(point, now, *at);
            !matches!(guard, Ok(Formula::True | Formula::False) | Err(_))
        };
        let follows =
            |edge: &Edge| matches!(edge.action, Some(Action::Receive { .. } | Action::Label(_)));
        let mut open = self.edges_where(&point.state, &follows);
        open.retain(maybe);
        open.truncate(MOST_CASES.ilog2() as usize);
        let mut moves: Vec<Move> = Vec::new();
        let mut known = BTreeSet::new();
        for choice in 0..1usize << open.len() {
            homing_budget::checkpoint();
            let judge = |at: EdgeRef| -> Result<bool, RuntimeError> {
                let left = open.iter().position(|other| *other == EdgeRef { branch: 0, ..at });
                let taken = left.is_none_or(|i| choice >> i & 1 == 1);
                Ok(taken && self.guard_at(point, now, at)? != Formula::False)
            };
            for one in self.judged(&point.state, &judge) {
                if known.insert(one.edges.clone()) {
                    moves.push(one);
                }
            }
        }
        moves
    }

    /// That the state at `now` is a deadlock.
    fn deadlock_at(&self, point: &Point, now: usize) -> Result<Formula, RuntimeError> {
        if self.may_rest(&point.state) {
            return Ok(Formula::False);
        }
        // The time of the next step, which is not one of the problem's.
        let stands = self.stop(&point.state).is_some();
        let later = if stands { now } else { now + 1 };
        let stays = self.invariants_at(point, later)?;
        let mut possible = Vec::new();
        for one in self.possible_moves(point, later) {
            let (condition, _) = self.arriving(point, later, one);
            let both = Formula::all([stays.clone(), condition]);
            for case in both.cases(MOST_CASES) {
                homing_budget::checkpoint();
                let kept = if stands { case } else { eliminated(case, now, later) };
                possible.push(Formula::all(kept.into_iter().map(Formula::Atom)));
            }
        }
        Ok(Formula::any(possible).negated())
    }

    /// That the invariants hold.
    fn invariants_at(&self, point: &Point, now: usize) -> Result<Formula, RuntimeError> {
        let mut all = Vec::new();
        for (id, process) in self.network.system_processes() {
            let Some(location) = point.state.location(id) else { continue };
            if let Some(invariant) = &process.locations[location.index()].invariant {
                all.push(self.formula(point, now, invariant, true)?);
            }
        }
        Ok(Formula::all(all))
    }
}

/// What remains of bounds on times if the time `later`, which is not before `now`,
/// may be any.
fn eliminated(case: Vec<Atom>, now: usize, later: usize) -> Vec<Atom> {
    let (mut above, mut below, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    below.push(Atom { left: now, right: later, bound: 0, strict: false });
    for atom in case {
        match (atom.left == later, atom.right == later) {
            (true, false) => above.push(atom),
            (false, true) => below.push(atom),
            _ => kept.push(atom),
        }
    }
    for low in &below {
        for high in &above {
            homing_budget::checkpoint();
            kept.push(Atom {
                left: low.left,
                right: high.right,
                bound: low.bound + high.bound,
                strict: low.strict || high.strict,
            });
        }
    }
    kept
}
