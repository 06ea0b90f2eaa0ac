//! Relations, state by state.
//!
//! A state is what state and frozen variables are, and those inputs of which anything is said
//! that holds at the beginning; for properties of runs, what those inputs are that these speak
//! of, too (`remembered`). Its successors are found by trying inputs and
//! choices (`plan`), computing terms as straight-line code over registers (`code`, `limbs`).
//! `packing` says where variables lie in a state's words. Shares no evaluation with the
//! reference interpreter of relations.
//!
//! Steps are not told apart: a step is known by the states it lies between, and
//! [`RelationSpace::moment`] finds inputs for it. Where there are too many inputs or choices
//! to be tried, the space says so ([`RelationSpace::trouble`]), and nothing it left out may be
//! called searched.

mod code;
mod limbs;
mod packing;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use homing_core::{Batch, Edge, Expander, Space, Word};
use homing_ir::relation::{
    Binary, Definition, FailureKind, Kind, Relation, Term, TermId, Value, VariableId, ordered,
};

use code::Slot;
pub use code::TooLarge;
use packing::Packing;
use plan::{Check, Plan, Run, Source, Wanted, slots};

/// A condition that a space is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The term is false in the state, under some inputs that constraints allow.
    Violates(TermId),
    /// The term, which the state alone decides, is true.
    Holds(TermId),
}

/// A relation as a space.
pub struct RelationSpace<'r> {
    relation: &'r Relation,
    /// The variables of a state.
    variables: Vec<VariableId>,
    packing: Packing,
    initial: Plan,
    step: Plan,
    conditions: Vec<Plan>,
    /// Finds inputs that constraints allow in a state.
    admitted: Plan,
    exhausted: AtomicBool,
    /// One more than the number of a term that has no value; zero where there is none.
    failed: AtomicU64,
    kind: std::sync::Mutex<Option<FailureKind>>,
}

impl<'r> RelationSpace<'r> {
    /// The space of a relation, with these conditions; inputs that are `remembered` are part of
    /// states.
    pub fn new(
        relation: &'r Relation,
        conditions: &[Condition],
        remembered: &[VariableId],
    ) -> Result<RelationSpace<'r>, TooLarge> {
        if !packing::fits(relation) {
            return Err(TooLarge("numbers near the least of 64 bits".into()));
        }
        let always = relation.remembered();
        let is_state = |id: VariableId| always.contains(&id) || remembered.contains(&id);
        let ids: Vec<VariableId> = relation.numbered().map(|(id, _)| id).collect();
        let variables: Vec<VariableId> = ids.iter().copied().filter(|id| is_state(*id)).collect();
        let planner = Planner { relation, variables: &variables };
        let conditions: Result<Vec<Plan>, TooLarge> =
            conditions.iter().map(|condition| planner.condition(*condition)).collect();
        Ok(RelationSpace {
            relation,
            packing: Packing::new(relation, &variables),
            initial: planner.initial()?,
            step: planner.step()?,
            conditions: conditions?,
            admitted: planner.planned(Vec::new())?,
            exhausted: AtomicBool::new(false),
            failed: AtomicU64::new(0),
            kind: std::sync::Mutex::new(None),
            variables,
        })
    }

    /// The bits of a state.
    pub fn bits(&self) -> u64 {
        self.packing.bits
    }

    /// Why not everything was looked at, if it was not.
    pub fn trouble(&self) -> Option<Trouble> {
        if self.exhausted.load(Ordering::Relaxed) {
            return Some(Trouble::Choices);
        }
        let term = self.failed.load(Ordering::Relaxed).checked_sub(1)?;
        let kind = *self.kind.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Some(Trouble::Failed(kind?, TermId(term as u32)))
    }

    fn note(&self, run: &Run) {
        if run.exhausted {
            self.exhausted.store(true, Ordering::Relaxed);
        }
        if let Some((kind, term)) = run.failed {
            *self.kind.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(kind);
            self.failed.store(u64::from(term.0) + 1, Ordering::Relaxed);
        }
    }

    /// The values of the variables of a state; other inputs have some value, always the same.
    pub fn state(&self, words: &[Word]) -> Vec<Value> {
        let mut registers = self.step.code.machine().registers;
        self.packing.unpack(&self.step.code, false, words, &mut registers);
        let value = |(id, one): (VariableId, &homing_ir::relation::Variable)| {
            let place = self.step.code.variable((id, false));
            match self.variables.contains(&id) {
                true => packing::value(&one.domain, &registers[place.at..][..place.limbs]),
                false => one.domain.value(0),
            }
        };
        self.relation.numbered().map(value).collect()
    }

    /// The values of all variables at a moment: in a state, with inputs under which there is
    /// a step to `next`, or under which a condition is met.
    pub fn moment(
        &self,
        state: &[Word],
        next: Option<&[Word]>,
        condition: Option<usize>,
    ) -> Option<Vec<Value>> {
        let plan = match condition {
            Some(number) => &self.conditions[number],
            None => &self.step,
        };
        self.solution(plan, state, next)
    }

    /// The same, under any inputs that constraints allow.
    pub fn admitted(&self, state: &[Word]) -> Option<Vec<Value>> {
        self.solution(&self.admitted, state, None)
    }

    fn solution(&self, plan: &Plan, state: &[Word], next: Option<&[Word]>) -> Option<Vec<Value>> {
        let mut run = plan.start();
        self.packing.unpack(&plan.code, false, state, &mut run.machine.registers);
        let mut words = vec![0; self.packing.words];
        let mut found = None;
        plan.run(self.relation, &mut run, &mut |run| {
            if let Some(next) = next {
                self.packing.pack(&plan.code, true, &run.machine.registers, &mut words);
                if words != next {
                    return true;
                }
            }
            let value = |(id, one): (VariableId, &homing_ir::relation::Variable)| {
                let place = plan.code.variable((id, false));
                match place.limbs {
                    // Nobody asks for it.
                    0 => one.domain.value(0),
                    limbs => {
                        packing::value(&one.domain, &run.machine.registers[place.at..][..limbs])
                    }
                }
            };
            found = Some(self.relation.numbered().map(value).collect());
            false
        });
        found
    }
}

/// Why a space does not have everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Inputs or choices were too many to be tried.
    Choices,
    /// A term has no value.
    Failed(FailureKind, TermId),
}

impl Space for RelationSpace<'_> {
    fn width(&self) -> usize {
        self.packing.words
    }

    fn labels(&self) -> u32 {
        1
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Expanding {
            space: self,
            initial: self.initial.start(),
            step: self.step.start(),
            conditions: self.conditions.iter().map(Plan::start).collect(),
            words: vec![0; self.packing.words],
        })
    }
}

struct Expanding<'s, 'r> {
    space: &'s RelationSpace<'r>,
    initial: Run,
    step: Run,
    conditions: Vec<Run>,
    words: Vec<Word>,
}

impl Expander for Expanding<'_, '_> {
    fn initial(&mut self, out: &mut Batch) {
        let Expanding { space, initial: run, words, .. } = self;
        let mut choice = 0;
        space.initial.run(space.relation, run, &mut |run| {
            space.packing.pack(&space.initial.code, false, &run.machine.registers, words);
            out.push(words, Edge { label: 0, choice });
            choice += 1;
            true
        });
        space.note(run);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let Expanding { space, step: run, words, .. } = self;
        space.packing.unpack(&space.step.code, false, state, &mut run.machine.registers);
        let (mut choice, first) = (0, out.len());
        space.step.run(space.relation, run, &mut |run| {
            space.packing.pack(&space.step.code, true, &run.machine.registers, words);
            // Inputs that do not matter here lead to the same state one after the other.
            if out.len() == first || out.state(out.len() - 1) != &words[..] {
                out.push(words, Edge { label: 0, choice });
            }
            choice += 1;
            true
        });
        out.set_deadlock(choice == 0);
        space.note(run);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let space = self.space;
        let mut all = 0;
        for (bit, (plan, run)) in space.conditions.iter().zip(&mut self.conditions).enumerate() {
            space.packing.unpack(&plan.code, false, state, &mut run.machine.registers);
            plan.run(space.relation, run, &mut |_| {
                all |= 1 << bit;
                false
            });
            space.note(run);
        }
        all
    }
}

/// Makes the plans of a space.
struct Planner<'p> {
    relation: &'p Relation,
    /// The variables of a state.
    variables: &'p [VariableId],
}

impl Planner<'_> {
    fn is_input(&self, id: VariableId) -> bool {
        !self.variables.contains(&id)
    }

    /// The inputs that these checks read at a moment.
    fn inputs(&self, checks: &[Check], next: bool) -> Vec<VariableId> {
        let mut inputs = BTreeSet::new();
        for check in checks {
            let (Check::Holds(key) | Check::Fails(key) | Check::Allowed(_, key)) = check;
            let support = self.relation.terms.support([key.0]);
            let here = if key.1 == next { support.current } else { Vec::new() };
            let there = if next && !key.1 { support.next } else { Vec::new() };
            inputs.extend(here.into_iter().chain(there));
            if let Check::Allowed((id, at), _) = check
                && *at == next
            {
                inputs.insert(*id);
            }
        }
        inputs.into_iter().filter(|id| self.is_input(*id)).collect()
    }

    fn reads_inputs(&self, term: TermId) -> bool {
        let support = self.relation.terms.support([term]);
        support.current.iter().any(|id| self.is_input(*id))
    }

    /// What must hold at every moment; where the state alone decides it only if asked for.
    fn always(&self, next: bool, all: bool) -> Vec<Check> {
        let relation = self.relation;
        let invariants = relation.invariants.iter().filter(|one| all || self.reads_inputs(**one));
        let mut checks: Vec<Check> = invariants.map(|one| Check::Holds((*one, next))).collect();
        let definitions = relation
            .always
            .iter()
            .filter(|one| all || self.is_input(one.variable) || self.reads_inputs(one.value));
        let allowed =
            definitions.map(|one| Check::Allowed((one.variable, next), (one.value, next)));
        checks.extend(allowed);
        checks
    }

    fn condition(&self, condition: Condition) -> Result<Plan, TooLarge> {
        match condition {
            Condition::Violates(term) => self.planned(vec![Check::Fails((term, false))]),
            Condition::Holds(term) => {
                let checks = vec![Check::Holds((term, false))];
                let known = slots(self.variables, false).collect();
                Plan::new(self.relation, &Wanted { known, checks, ..Wanted::default() })
            }
        }
    }

    /// Finds inputs in a state that meet all this and what always holds.
    fn planned(&self, mut checks: Vec<Check>) -> Result<Plan, TooLarge> {
        checks.extend(self.always(false, false));
        let inputs = self.inputs(&checks, false);
        let targets = slots(&inputs, false).map(|slot| (slot, Source::Free)).collect();
        let known = slots(self.variables, false).collect();
        Plan::new(self.relation, &Wanted { known, targets, tail: usize::MAX, checks })
    }

    fn initial(&self) -> Result<Plan, TooLarge> {
        let relation = self.relation;
        let own = relation.initially.iter().chain(&relation.always);
        let mut definitions: Vec<(Definition, bool)> = own.map(|one| (*one, false)).collect();
        let constraints: Vec<TermId> =
            relation.init.iter().chain(&relation.invariants).copied().collect();
        definitions.extend(derived(relation, &constraints, false));
        let mut checks = self.always(false, true);
        checks.extend(relation.init.iter().map(|one| Check::Holds((*one, false))));
        let initially = relation.initially.iter();
        checks
            .extend(initially.map(|one| Check::Allowed((one.variable, false), (one.value, false))));
        let mut targets = self.sources(&definitions, false);
        let tail = targets.len();
        let inputs = self.inputs(&checks, false);
        targets.extend(slots(&inputs, false).map(|slot| (slot, Source::Free)));
        let checks = unless_given(checks, &targets);
        Plan::new(relation, &Wanted { known: Vec::new(), targets, tail, checks })
    }

    fn step(&self) -> Result<Plan, TooLarge> {
        let relation = self.relation;
        let now = |one: &Definition| (*one, false);
        let then = |one: &Definition| (*one, true);
        let next = relation.next.iter().map(now);
        let mut definitions: Vec<(Definition, bool)> =
            next.chain(relation.always.iter().map(then)).collect();
        definitions.extend(derived(relation, &relation.transitions, true));
        let mut checks = self.always(false, false);
        let transitions = relation.transitions.iter();
        checks.extend(transitions.map(|one| Check::Holds((*one, false))));
        let next = relation.next.iter();
        checks.extend(next.map(|one| Check::Allowed((one.variable, true), (one.value, false))));
        checks.extend(self.always(true, true));
        let inputs = self.inputs(&checks, false);
        let mut targets: Vec<(Slot, Source)> =
            slots(&inputs, false).map(|slot| (slot, Source::Free)).collect();
        targets.extend(self.sources(&definitions, true));
        let tail = targets.len();
        let inputs = self.inputs(&checks, true);
        targets.extend(slots(&inputs, true).map(|slot| (slot, Source::Free)));
        let known = slots(self.variables, false).collect();
        let checks = unless_given(checks, &targets);
        Plan::new(relation, &Wanted { known, targets, tail, checks })
    }

    /// Where the values of state variables come from, in an order in which they can be given.
    /// Of a definition the flag says whether it is read at the next moment.
    fn sources(&self, definitions: &[(Definition, bool)], next: bool) -> Vec<(Slot, Source)> {
        let relation = self.relation;
        let mut taken: BTreeMap<VariableId, (Definition, bool)> = BTreeMap::new();
        for (one, primed) in definitions {
            let support = relation.terms.support([one.value]);
            // What is read at the moment whose values are being given.
            let here = if next && !*primed { support.next } else { support.current };
            let usable = !self.is_input(one.variable)
                && !taken.contains_key(&one.variable)
                && !here.iter().any(|id| self.is_input(*id));
            if usable {
                taken.insert(one.variable, (*one, *primed));
                if in_order(relation, &taken, next).is_none() {
                    taken.remove(&one.variable);
                }
            }
        }
        let order = in_order(relation, &taken, next).unwrap_or_default();
        let free = self.variables.iter().filter(|id| !taken.contains_key(id)).map(|id| {
            match relation.variable(*id).kind == Kind::Frozen && next {
                true => ((*id, true), Source::Kept((*id, false))),
                false => ((*id, next), Source::Free),
            }
        });
        let defined = order
            .into_iter()
            .map(|(one, primed)| ((one.variable, next), Source::Defined((one.value, primed))));
        free.chain(defined).collect()
    }
}

/// Definitions, each behind those it needs, if that is possible.
fn in_order(
    relation: &Relation,
    taken: &BTreeMap<VariableId, (Definition, bool)>,
    next: bool,
) -> Option<Vec<(Definition, bool)>> {
    let all: Vec<(Definition, bool)> = taken.values().copied().collect();
    let definitions: Vec<Definition> = all.iter().map(|(one, _)| *one).collect();
    let order = ordered(relation, &definitions, |i| next && !all[i].1).ok()?;
    Some(order.into_iter().map(|i| all[i]).collect())
}

/// A definition that values are taken from need not be checked.
fn unless_given(checks: Vec<Check>, targets: &[(Slot, Source)]) -> Vec<Check> {
    let given = |check: &Check| match check {
        Check::Allowed(slot, key) => targets.iter().any(|(target, source)| {
            target == slot && matches!(source, Source::Defined(own) if own == key)
        }),
        _ => false,
    };
    checks.into_iter().filter(|check| !given(check)).collect()
}

/// Definitions that constraints amount to: `x = e` among their conjuncts, x read at the next
/// moment if so asked. The constraints stay.
fn derived(relation: &Relation, constraints: &[TermId], next: bool) -> Vec<(Definition, bool)> {
    let mut definitions = Vec::new();
    let mut left: Vec<TermId> = constraints.iter().rev().copied().collect();
    let variable = |id: TermId| match relation.terms.term(id) {
        Term::Next(variable) if next => Some(variable),
        Term::Variable(variable) if !next => Some(variable),
        _ => None,
    };
    while let Some(id) = left.pop() {
        let span = relation.terms.span(id);
        match relation.terms.term(id) {
            Term::Binary(Binary::And, a, b) => left.extend([b, a]),
            Term::Binary(Binary::Equal, a, b) => {
                for (variable, value) in [(variable(a), b), (variable(b), a)] {
                    if let Some(variable) = variable {
                        definitions.push((Definition { variable, value, span }, false));
                    }
                }
            }
            _ => {}
        }
    }
    definitions
}
