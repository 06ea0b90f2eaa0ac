//! From a system to its ground form.
//!
//! ```text
//! for every move, for every way its parts can come together:
//!   (guards, assignments) := symbolic execution
//!   for every conjunction that covers the guards: an operator with
//!     the effects of every assignment under that conjunction
//! ```
//! That is done twice: first from the initial values up, until no variable gets
//! a new value, only to learn which values are reachable at all; then once more
//! with these alone.
//!
//! All is bounded: the operators, effects and work left are shared out among
//! the moves left, so that a move that needs few leaves more to those after it.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use homing_ir::Prepared;
use homing_ir::footprint::{SlotSet, term_reads};
use homing_ir::interval::Env;
use homing_ir::layout::Layout;
use homing_ir::moves::{Move, Moves};
use homing_ir::network::Binary;
use homing_ir::system::{Command, Interval, Joint, Member, Part, PartId, SlotId, System, Term};

use super::classes::{Domains, domains};
use super::cover::{cover, disjuncts, normal};
use super::effects::assign;
use super::evaluate::Scope;
use super::symbolic::{Case, Together, disabled, execute, written};
use super::{Constraint, Effect, Ground, Operator, Values, Var, Variable};
use crate::Goal;

/// The most operators of all moves together.
const OPERATORS: usize = 200_000;

/// The most operators of one case of a move.
const OPERATORS_OF_CASE: usize = 4096;

/// The most effects of all moves together.
const EFFECTS: usize = 2_000_000;

/// The most cases of one assignment.
const CASES: usize = 1024;

/// The most combinations of parts that a joint is written out in.
const COMBINATIONS: usize = 1024;

/// What may be spent on a ground form.
#[derive(Clone, Copy)]
struct Effort {
    /// The work, in evaluations of terms, to find reachable values.
    reachable: usize,
    /// How often the reachable values of a variable may grow before all count as
    /// reachable.
    patience: usize,
    /// The work to make operators.
    operators: usize,
    /// The work that every case of a move may take, however many there are.
    at_least: usize,
}

/// For searches that have done much already.
const THOROUGH: Effort =
    Effort { reachable: 1_000_000, patience: 64, operators: 2_000_000, at_least: 2_000 };

/// For the first guide of a search that may soon be over.
const HASTY: Effort = Effort { reachable: 20_000, patience: 12, operators: 60_000, at_least: 100 };

/// The work on a goal.
const WORK_GOAL: usize = 200_000;

/// The most conjunctions of a goal.
const GOALS: usize = 512;

impl Ground {
    /// The ground form of a space, with a goal over its slots. A goal that
    /// cannot be evaluated in a state counts as not holding there.
    pub fn of(space: &Prepared, goal: &Term) -> Ground {
        Ground::new(space.system(), space.layout(), space.moves(), goal)
    }

    /// The ground form of a system that is packed as `layout` says and whose
    /// steps have the numbers of `moves`.
    pub fn new(system: &System, layout: &Layout, moves: &Moves, goal: &Term) -> Ground {
        Ground::by(system, layout, moves, goal, THOROUGH)
    }

    /// The ground form of what a search is directed at, made once for all estimates that
    /// share [`Goal::grounds`]; a sentence where that is no goal.
    pub fn of_goal(goal: &Goal, estimate: &str) -> Result<Arc<Ground>, String> {
        let term = wanted(goal, estimate)?;
        let known = goal.grounds.and_then(|grounds| grounds.find(goal, &term));
        Ok(known.unwrap_or_else(|| {
            let space = goal.space;
            let effort = if goal.hasty { HASTY } else { THOROUGH };
            let (system, layout, moves) = (space.system(), space.layout(), space.moves());
            let ground = Arc::new(Ground::by(system, layout, moves, &term, effort));
            if let Some(grounds) = goal.grounds {
                grounds.keep(goal, term, &ground);
            }
            ground
        }))
    }

    /// The goal in ground form and its variables, without any operator, and
    /// with all values, whether reachable or not; a sentence where there is no
    /// goal.
    pub fn goals_only(goal: &Goal, estimate: &str) -> Result<Ground, String> {
        let (system, term) = (goal.space.system(), wanted(goal, estimate)?);
        let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let domains = domains(system, goal.space.layout(), &ranges, &[], &term);
        let all: Vec<Values> =
            domains.variables.iter().map(|variable| Values::all(variable.size())).collect();
        let (effort, coarse) = (THOROUGH, &Cell::default());
        let builder = Builder { system, declared: &ranges, domains: &domains, effort, coarse };
        let (goals, goals_exact) = builder.goals(&term, &all);
        let (variables, operators) = (domains.variables, Vec::new());
        Ok(Ground { variables, operators, goals, goals_exact, coarse: false })
    }

    fn by(system: &System, layout: &Layout, moves: &Moves, goal: &Term, effort: Effort) -> Ground {
        let _phase = homing_budget::phase("grounding the model");
        let declared: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let rough = domains(system, layout, &declared, &[], goal);
        let coarse = Cell::new(false);
        let builder =
            Builder { system, declared: &declared, domains: &rough, effort, coarse: &coarse };
        let reachable = builder.reachable(&builder.cases(moves));
        // What is reachable is often much less than what fits: variables
        // become smaller, and classes finer.
        let mut ranges = declared.clone();
        let mut known = vec![None; ranges.len()];
        for (variable, values) in rough.variables.iter().zip(&reachable) {
            ranges[variable.slot.index()] = variable.hull(values);
            known[variable.slot.index()] = variable.is_plain().then(|| variable.numbers(values));
        }
        let domains = domains(system, layout, &ranges, &known, goal);
        let builder = Builder { domains: &domains, ..builder };
        let reachable = translate(&rough, &reachable, &domains);
        let operators = builder.operators(&builder.cases(moves), &reachable);
        let (goals, goals_exact) = builder.goals(goal, &reachable);
        let coarse = coarse.get();
        Ground { variables: domains.variables, operators, goals, goals_exact, coarse }
    }
}

/// The condition that states which are looked for satisfy.
fn wanted(goal: &Goal, estimate: &str) -> Result<Term, String> {
    let term = goal.term(estimate)?;
    Ok(if goal.holds_on_failure() { or_fails(term) } else { term })
}

/// Sets of classes of the variables of `old` as sets of classes of the same
/// slots in `new`.
fn translate(old: &Domains, values: &[Values], new: &Domains) -> Vec<Values> {
    let all = |variable: &Variable| {
        let Some(var) = old.var_of[variable.slot.index()] else {
            return Values::all(variable.size());
        };
        let before = &old.variables[var as usize];
        let each = values[var as usize].iter().map(|v| variable.classes(before.interval(v)));
        each.fold(Values::none(), |all, classes| all.union(&classes))
    };
    new.variables.iter().map(all).collect()
}

/// A goal that also holds where it cannot be evaluated: at least where a check
/// in it fails.
fn or_fails(goal: Term) -> Term {
    let mut failing = Vec::new();
    goal.walk(&mut |term| match term {
        Term::Check(range, inner, _) => {
            let below = Term::binary(Binary::Lt, (**inner).clone(), Term::Const(range.lo));
            let above = Term::binary(Binary::Gt, (**inner).clone(), Term::Const(range.hi));
            failing.extend([below, above]);
        }
        Term::NonZero(inner, _) => {
            failing.push(Term::binary(Binary::Eq, (**inner).clone(), Term::Const(0)));
        }
        _ => {}
    });
    failing.into_iter().fold(goal, |goal, fails| Term::binary(Binary::Or, goal, fails))
}

struct Builder<'a> {
    system: &'a System,
    /// What slots may hold, within a step too.
    declared: &'a [Interval],
    domains: &'a Domains,
    effort: Effort,
    /// Whether more would have been found out with more effort.
    coarse: &'a Cell<bool>,
}

/// Effects that any of several parts may have, conditions forgotten.
type Loose = Vec<Effect>;

/// One way a move can happen, with what is needed to make operators of it.
struct Drafted {
    label: u32,
    case: Case,
    loose: Loose,
    exact: bool,
    /// The variables that the case reads.
    reads: Vec<Var>,
}

impl<'a> Builder<'a> {
    fn cases(&self, moves: &Moves) -> Vec<Drafted> {
        let mut cases = Vec::new();
        for (label, one) in moves.list.iter().enumerate() {
            homing_budget::checkpoint();
            let first = cases.len();
            self.one_move(label as u32, *one, &mut cases);
            // What waits for all others, or for the right time, can do less than
            // its guard says.
            let waits = |part: &PartId| self.system.part(*part).timeout || self.is_timed(*part);
            if one.parts(self.system).iter().any(waits) {
                cases[first..].iter_mut().for_each(|case: &mut Drafted| case.exact = false);
            }
        }
        cases
    }

    /// Whether clocks decide about a part.
    fn is_timed(&self, part: PartId) -> bool {
        let timing = self.system.timing.as_ref();
        timing.is_some_and(|timing| !timing.parts[part.index()].guard.is_empty())
    }

    fn prepared(&self, label: u32, case: Case, loose: &Loose, exact: bool) -> Drafted {
        let mut slots = SlotSet::default();
        let terms = case.conjuncts.iter().chain(case.assignments.iter().map(|(_, term)| term));
        terms.for_each(|term| {
            slots.extend(&term_reads(term));
        });
        let reads = slots.iter().filter_map(|slot| self.domains.var_of[slot.index()]).collect();
        Drafted { label, case, loose: loose.clone(), exact, reads }
    }

    fn one_move(&self, label: u32, one: Move, out: &mut Vec<Drafted>) {
        let none = BTreeSet::new();
        let part = |id: PartId| self.system.part(id);
        match one {
            Move::Alone(id) => {
                let together = Together { parts: vec![part(id)], sender: None, disturbed: &none };
                out.push(self.prepared(label, self.execute(&together), &Loose::new(), true));
            }
            Move::Pair { sender, receiver } => {
                let sender = part(sender);
                let parts = self.in_order(Some(sender), &[part(receiver)]);
                let together = Together { parts, sender: Some(sender), disturbed: &none };
                out.push(self.prepared(label, self.execute(&together), &Loose::new(), true));
            }
            Move::Joint(joint) => self.joint(label, &self.system.joints[joint as usize], out),
        }
    }

    fn execute(&self, together: &Together) -> Case {
        execute(self.system, &self.domains.constants, together)
    }

    /// The parts in the order their effects run.
    fn in_order(&self, sender: Option<&'a Part>, others: &[&'a Part]) -> Vec<&'a Part> {
        let others = others.iter().copied();
        if self.system.sender_first {
            sender.into_iter().chain(others).collect()
        } else {
            others.chain(sender).collect()
        }
    }

    /// All combinations of the first members, as many as are few; the rest is
    /// loose.
    fn joint(&self, label: u32, joint: &'a Joint, out: &mut Vec<Drafted>) {
        let leader = joint.leader.map(|id| self.system.part(id));
        let mut count = 1;
        let few = joint.members.iter().take_while(|member| {
            count *= member.parts.len() + 1;
            count <= COMBINATIONS
        });
        let (few, many) = joint.members.split_at(few.count());
        let (loose, disturbed) = self.loose(joint, many);
        let mut chosen = vec![0; few.len()];
        loop {
            homing_budget::checkpoint();
            out.extend(self.combination(label, leader, few, &chosen, (&loose, &disturbed)));
            let Some(at) = (0..few.len()).rfind(|i| chosen[*i] < few[*i].parts.len()) else {
                return;
            };
            chosen[at] += 1;
            chosen[at + 1..].fill(0);
        }
    }

    /// One choice of a part, or none, for every member.
    fn combination(
        &self,
        label: u32,
        leader: Option<&'a Part>,
        members: &'a [Member],
        chosen: &[usize],
        (loose, disturbed): (&Loose, &BTreeSet<SlotId>),
    ) -> Option<Drafted> {
        let mut parts = Vec::new();
        let mut conjuncts = Vec::new();
        let mut exact = loose.is_empty();
        for (member, choice) in members.iter().zip(chosen) {
            if let Some(id) = member.parts.get(*choice) {
                parts.push(self.system.part(*id));
            } else if !self.stays_out(member, leader, &mut conjuncts, &mut exact) {
                return None;
            }
        }
        if leader.is_none() && parts.is_empty() && loose.is_empty() {
            return None;
        }
        let parts = self.in_order(leader, &parts);
        let mut case = self.execute(&Together { parts, sender: leader, disturbed });
        case.conjuncts.extend(conjuncts);
        case.assignments.retain(|(slot, _)| !disturbed.contains(slot));
        Some(self.prepared(label, case, loose, exact))
    }

    /// Whether a joint may move without a member, and when. Conditions on
    /// several slots would multiply the operators and are left out.
    fn stays_out(
        &self,
        member: &Member,
        leader: Option<&Part>,
        conjuncts: &mut Vec<Term>,
        exact: &mut bool,
    ) -> bool {
        let component = self.system.component(member.component);
        let absent = component.absent.filter(|_| self.system.synchronous);
        if let Some(absent) = absent
            && !member.optional
        {
            conjuncts.push(Term::is(component.location, absent));
            return true;
        }
        let all = everything(self.domains);
        let scope = Scope::new(self.domains, &all);
        for id in &member.parts {
            homing_budget::checkpoint();
            let part = self.system.part(*id);
            if self.system.has_commitment() && !self.system.is_committed(part) || self.is_timed(*id)
            {
                // It may be held back by others, or by clocks.
                continue;
            }
            let cannot = disabled(self.system, &self.domains.constants, part, leader);
            let mut reads = Vec::new();
            scope.reads(&cannot, &mut reads);
            if reads.len() <= 1 {
                conjuncts.push(cannot);
            } else {
                *exact = false;
            }
        }
        member.optional
    }

    /// What the parts of some members of a joint may do to slots, and the
    /// slots. Other parts may write the same slots in the same step, so all
    /// that any may write counts.
    fn loose(&self, joint: &Joint, members: &[Member]) -> (Loose, BTreeSet<SlotId>) {
        let parts = |members: &[Member]| -> Vec<PartId> {
            members.iter().flat_map(|member| member.parts.clone()).collect()
        };
        let slots: BTreeSet<SlotId> =
            parts(members).iter().flat_map(|id| written(self.system.part(*id))).collect();
        let all: Vec<PartId> = joint.leader.into_iter().chain(parts(&joint.members)).collect();
        let effect = |slot: &SlotId| {
            let var = self.domains.var_of[slot.index()]?;
            let mut values = Values::none();
            for part in &all {
                let commands = self.system.part(*part).commands();
                commands.for_each(|command| {
                    command.walk(&mut |command| {
                        if let Some(value) = self.writes(command, *slot) {
                            let classes = self.domains.variables[var as usize].classes(value);
                            values = values.union(&classes);
                        }
                    });
                });
            }
            Some(Effect { conditions: Vec::new(), var, values, may: true })
        };
        (slots.iter().filter_map(effect).collect(), slots)
    }

    /// What a command may write to a slot, whatever the state.
    fn writes(&self, command: &Command, slot: SlotId) -> Option<Interval> {
        let (first, count, value) = match command {
            Command::Set(first, value) => (first.0, 1, value),
            Command::SetElement { first, count, value, .. } => (first.0, *count, value),
            _ => return None,
        };
        let here = (first..first + count).contains(&slot.0);
        here.then(|| Env::new(self.declared).eval(value))
    }

    /// The values that variables have in reachable states, or more: a
    /// fixpoint from the initial ones up, each variable by itself.
    fn reachable(&self, cases: &[Drafted]) -> Vec<Values> {
        let variables = &self.domains.variables;
        let mut reachable: Vec<Values> =
            variables.iter().map(|variable| Values::one(variable.initial)).collect();
        let mut grown = vec![0; variables.len()];
        let mut stale = vec![true; cases.len()];
        let mut work = 0;
        while stale.contains(&true) {
            let mut changed = vec![false; variables.len()];
            for (case, stale) in cases.iter().zip(&mut stale) {
                homing_budget::checkpoint();
                if !std::mem::take(stale) {
                    continue;
                }
                let (operators, used) = self.case(case, &reachable, Limits::ROUGH);
                work += used + operators.len();
                for operator in operators {
                    homing_budget::checkpoint();
                    work += operator.effects.len();
                    for effect in operator.effects {
                        let known = &mut reachable[effect.var as usize];
                        if !effect.values.within(known) {
                            *known = known.union(&effect.values);
                            changed[effect.var as usize] = true;
                        }
                    }
                }
            }
            for (var, _) in changed.iter().enumerate().filter(|(_, changed)| **changed) {
                grown[var] += 1;
                if grown[var] > self.effort.patience || work > self.effort.reachable {
                    self.coarse.set(true);
                    reachable[var] = Values::all(variables[var].size());
                }
            }
            for (case, stale) in cases.iter().zip(&mut stale) {
                *stale |= case.reads.iter().any(|var| changed[*var as usize]);
            }
        }
        reachable
    }

    /// All operators; what is left of the limits is shared out evenly among
    /// the cases left.
    fn operators(&self, cases: &[Drafted], reachable: &[Values]) -> Vec<Operator> {
        let mut operators = Vec::new();
        let (mut effects, mut work) = (0, 0);
        for (done, case) in cases.iter().enumerate() {
            homing_budget::checkpoint();
            let left = cases.len() - done;
            let limits = Limits {
                operators: OPERATORS.saturating_sub(operators.len()) / left,
                effects: EFFECTS.saturating_sub(effects) / left,
                work: self.effort.operators.saturating_sub(work) / left,
            };
            let (new, used) = self.case(case, reachable, limits);
            work += used;
            effects += new.iter().map(|operator| operator.effects.len()).sum::<usize>();
            operators.extend(new);
        }
        operators
    }

    /// The operators of one case of a move, and the work it took to make them.
    fn case(
        &self,
        prepared: &Drafted,
        reachable: &[Values],
        limits: Limits,
    ) -> (Vec<Operator>, usize) {
        let Drafted { label, case, loose, exact, .. } = prepared;
        let mut scope = Scope::new(self.domains, reachable);
        let limit = limits.operators.clamp(1, OPERATORS_OF_CASE);
        let work = limits.work.max(self.effort.at_least);
        let conjunctions = cover(&mut scope, &case.conjuncts, limit, work);
        self.coarse.set(self.coarse.get() || scope.is_exhausted());
        let sharing = conjunctions.len().max(1) * case.assignments.len().max(1);
        let limit = (limits.effects / sharing).clamp(2, CASES);
        let mut operators = Vec::with_capacity(conjunctions.len());
        for conjunction in conjunctions {
            homing_budget::checkpoint();
            let mut operator = Operator {
                label: *label,
                pre: conjunction.constraints,
                effects: loose.clone(),
                exact: *exact && conjunction.exact,
            };
            for (slot, term) in &case.assignments {
                scope.allow(work / sharing);
                let assigned = assign(&mut scope, &operator.pre, *slot, term, limit);
                self.coarse.set(self.coarse.get() || scope.is_exhausted());
                operator.effects.extend(assigned.effects);
                operator.exact &= assigned.exact;
            }
            for effect in &mut operator.effects {
                effect.conditions.sort_by_key(|condition| condition.var);
            }
            operators.push(operator);
        }
        (operators, scope.used())
    }

    /// The goal as a disjunction, and whether it is one exactly.
    fn goals(&self, goal: &Term, reachable: &[Values]) -> (Vec<Vec<Constraint>>, bool) {
        let goal_normal = normal(goal, true);
        let disjuncts = disjuncts(&goal_normal);
        let mut scope = Scope::new(self.domains, reachable);
        let work = WORK_GOAL / disjuncts.len();
        let (mut goals, mut exact) = (Vec::new(), !goal.may_fail());
        for (done, disjunct) in disjuncts.iter().enumerate() {
            homing_budget::checkpoint();
            let left = GOALS.saturating_sub(goals.len()) / (disjuncts.len() - done);
            for conjunction in cover(&mut scope, &[(*disjunct).clone()], left.max(1), work) {
                exact &= conjunction.exact;
                goals.push(conjunction.constraints);
            }
        }
        (minimal(goals), exact)
    }
}

/// How much may become of one case of a move.
#[derive(Clone, Copy)]
struct Limits {
    operators: usize,
    effects: usize,
    work: usize,
}

impl Limits {
    /// While only the reachable values are wanted.
    const ROUGH: Limits = Limits { operators: 256, effects: 4096, work: 20_000 };
}

/// All values of all variables.
fn everything(domains: &Domains) -> Vec<Values> {
    domains.variables.iter().map(|variable| Values::all(variable.size())).collect()
}

/// Without conjunctions that imply another.
fn minimal(mut goals: Vec<Vec<Constraint>>) -> Vec<Vec<Constraint>> {
    goals.sort_by_key(|goal| (goal.len(), goal.clone()));
    goals.dedup();
    let mut kept: Vec<Vec<Constraint>> = Vec::new();
    for goal in goals {
        homing_budget::checkpoint();
        if !kept.iter().any(|weaker| implies(&goal, weaker)) {
            kept.push(goal);
        }
    }
    kept
}

/// Whether every constraint of `weak` follows from one of `strong`.
fn implies(strong: &[Constraint], weak: &[Constraint]) -> bool {
    weak.iter().all(|w| strong.iter().any(|s| s.var == w.var && s.values.within(&w.values)))
}
