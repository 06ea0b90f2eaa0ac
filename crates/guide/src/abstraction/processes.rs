//! The processes that are composed: at first one for every variable.
//!
//! The paper's processes synchronise on actions that two of them share. Here a
//! *label* is an operator of the ground form, or several that no longer differ,
//! and its participants are all processes whose state it reads or changes. In
//! each of them it is a relation between states before and after; in the others
//! nothing happens. So shared variables are processes like any other. What the
//! paper calls τ is a label with only one participant left.

use homing_core::Cost;

use crate::ground::{Constraint, Effect, Ground, Operator, Value, Values, Var};
use crate::hashing::FixedMap;

/// A process: (Σ, Q, Q0, Qe, →) of the paper, with just one initial state.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    /// |Q|.
    pub(crate) states: u32,
    /// The state in Q0.
    pub(crate) initial: u32,
    /// For every state, whether it is in Qe.
    pub(crate) error: Vec<bool>,
    /// The relations that labels have here; several labels may share one.
    pub(crate) relations: Vec<Relation>,
}

/// What labels of one cost do to the state of a process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Relation {
    pub(crate) cost: Cost,
    /// States before and after, ascending.
    pub(crate) pairs: Vec<(u32, u32)>,
}

/// Who takes part in a label: a process and its relation, ascending.
pub(crate) type Parts = Vec<(u32, u32)>;

/// A set of processes that synchronise on labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processes {
    /// The processes by number; none where one was composed with another.
    pub(crate) all: Vec<Option<Process>>,
    /// What they synchronise on. All relations of a label have its cost.
    pub(crate) labels: Vec<(Cost, Parts)>,
}

/// The most states of a variable's process; beyond, neighbours count as one. A
/// relation may take the square of it.
const MOST_STATES: u32 = 1024;

/// For every variable and value, the state of its process.
///
/// Values that no guard, no condition and no goal tells apart are one state:
/// they are bisimilar.
#[derive(Clone, Debug, Default)]
pub(crate) struct States {
    of: Vec<Vec<u32>>,
    counts: Vec<u32>,
}

impl States {
    pub(crate) fn new(ground: &Ground) -> States {
        let conditions = |effect: &'_ Effect| effect.conditions.clone();
        let tests = ground.operators.iter().flat_map(|operator| {
            let conditions = operator.effects.iter().flat_map(conditions);
            operator.pre.iter().cloned().chain(conditions)
        });
        let mut known: FixedMap<Constraint, ()> = FixedMap::default();
        let mut states = States {
            of: ground.variables.iter().map(|v| vec![0; v.size() as usize]).collect(),
            counts: vec![1; ground.variables.len()],
        };
        for test in tests.chain(ground.goals.iter().flatten().cloned()) {
            if known.insert(test.clone(), ()).is_none() {
                states.tell_apart(&test);
            }
        }
        for (of, count) in states.of.iter_mut().zip(&mut states.counts) {
            let width = count.div_ceil(MOST_STATES);
            of.iter_mut().for_each(|state| *state /= width);
            *count = count.div_ceil(width);
        }
        states
    }

    /// Splits states by whether a constraint allows them.
    fn tell_apart(&mut self, test: &Constraint) {
        let var = test.var as usize;
        let mut numbers: FixedMap<(u32, bool), u32> = FixedMap::default();
        for (value, state) in (0..).zip(&mut self.of[var]) {
            let next = numbers.len() as u32;
            *state = *numbers.entry((*state, test.values.contains(value))).or_insert(next);
        }
        self.counts[var] = numbers.len() as u32;
    }

    /// The states by values.
    pub(crate) fn of(&self, var: usize) -> &[u32] {
        &self.of[var]
    }
}

impl Process {
    /// The process that does nothing: the neutral element of composition.
    pub(crate) fn unit() -> Process {
        Process { states: 1, initial: 0, error: vec![true], relations: vec![] }
    }

    /// Whether the error condition is trivial, Qe = Q.
    pub(crate) fn is_trivial(&self) -> bool {
        self.error.iter().all(|error| *error)
    }
}

impl Processes {
    /// One process a variable, numbered as they are, with the error states of
    /// one conjunction.
    pub(crate) fn of(
        ground: &Ground,
        states: &States,
        error: &[Constraint],
        cost: impl Fn(u32) -> Cost,
    ) -> Processes {
        let mut builder = Builder::new(ground, states);
        builder.operators(&ground.operators, cost);
        let Builder { relations, labels, .. } = builder;
        let process = |(var, relations): (usize, Interned)| {
            let count = states.counts[var];
            let wanted = error.iter().find(|constraint| constraint.var == var as Var);
            let mut error = vec![wanted.is_none(); count as usize];
            for value in wanted.iter().flat_map(|constraint| constraint.values.iter()) {
                error[states.of[var][value as usize] as usize] = true;
            }
            let initial = states.of[var][ground.variables[var].initial as usize];
            Some(Process { states: count, initial, error, relations: relations.in_order() })
        };
        let all = relations.into_iter().enumerate().map(process).collect();
        Processes { all, labels }
    }

    /// The process of this number, which must not be composed yet.
    pub(crate) fn get(&self, number: u32) -> &Process {
        match &self.all[number as usize] {
            Some(process) => process,
            None => unreachable!("process {number} was composed with another"),
        }
    }
}

/// Relations with their numbers.
#[derive(Default)]
struct Interned {
    numbers: FixedMap<Relation, u32>,
}

impl Interned {
    fn number(&mut self, relation: Relation) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(relation).or_insert(next)
    }

    fn in_order(self) -> Vec<Relation> {
        let mut all: Vec<(u32, Relation)> = self.numbers.into_iter().map(|(r, n)| (n, r)).collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, relation)| relation).collect()
    }
}

/// What an operator asks of one variable and does to it.
type Aspect = (Cost, Option<Values>, Vec<Effect>);

/// Which part one variable has in an operator.
#[derive(Clone, Copy)]
enum Part {
    Never,
    Nothing,
    Relation(u32),
}

struct Builder<'a> {
    states: &'a States,
    relations: Vec<Interned>,
    /// What was looked at before, for every variable.
    aspects: Vec<FixedMap<Aspect, Part>>,
    /// The labels, each only once.
    known: FixedMap<(Cost, Parts), ()>,
    labels: Vec<(Cost, Parts)>,
}

impl<'a> Builder<'a> {
    fn new(ground: &Ground, states: &'a States) -> Builder<'a> {
        let relations = ground.variables.iter().map(|_| Interned::default()).collect();
        let aspects = ground.variables.iter().map(|_| FixedMap::default()).collect();
        Builder { states, relations, aspects, known: FixedMap::default(), labels: vec![] }
    }

    fn operators(&mut self, operators: &[Operator], cost: impl Fn(u32) -> Cost) {
        for operator in operators {
            homing_budget::checkpoint();
            let cost = cost(operator.label);
            let Some(parts) = self.parts(operator, cost) else { continue };
            let label = (cost, parts);
            if !label.1.is_empty() && self.known.insert(label.clone(), ()).is_none() {
                self.labels.push(label);
            }
        }
    }

    /// Who takes part in an operator; none where it can never happen.
    fn parts(&mut self, operator: &Operator, cost: Cost) -> Option<Parts> {
        let read = operator.pre.iter().map(|constraint| constraint.var);
        let written = operator.effects.iter().map(|effect| effect.var);
        let mut touched: Vec<Var> = read.chain(written).collect();
        touched.sort_unstable();
        touched.dedup();
        let mut parts = vec![];
        for var in touched {
            match self.part(operator, var, cost) {
                Part::Never => return None,
                Part::Nothing => {}
                Part::Relation(relation) => parts.push((var, relation)),
            }
        }
        Some(parts)
    }

    fn part(&mut self, operator: &Operator, var: Var, cost: Cost) -> Part {
        let pre = operator.pre.iter().find(|constraint| constraint.var == var);
        let pre = pre.map(|constraint| constraint.values.clone());
        let effects: Vec<Effect> =
            operator.effects.iter().filter(|effect| effect.var == var).cloned().collect();
        let aspect = (cost, pre, effects);
        if let Some(part) = self.aspects[var as usize].get(&aspect) {
            return *part;
        }
        let pairs = relation(aspect.1.as_ref(), &aspect.2, &self.states.of[var as usize]);
        let part = if pairs.is_empty() {
            Part::Never
        } else if is_identity(&pairs, self.states.counts[var as usize]) {
            Part::Nothing
        } else {
            Part::Relation(self.relations[var as usize].number(Relation { cost, pairs }))
        };
        self.aspects[var as usize].insert(aspect, part);
        part
    }
}

/// Whether a relation changes nothing and forbids nothing.
pub(crate) fn is_identity(pairs: &[(u32, u32)], states: u32) -> bool {
    pairs.len() == states as usize && pairs.iter().all(|(from, to)| from == to)
}

/// What an operator may do to one variable, whatever the others are.
///
/// An effect whose conditions read other variables may apply or not: the value
/// may become any that it gives, or stay.
fn relation(pre: Option<&Values>, effects: &[Effect], states: &[u32]) -> Vec<(u32, u32)> {
    let all = Values::all(states.len() as u32);
    let mut pairs = vec![];
    let mut seen: FixedMap<(u32, Vec<bool>), ()> = FixedMap::default();
    for from in pre.unwrap_or(&all).iter() {
        let before = states[from as usize];
        let possible: Vec<bool> = effects.iter().map(|effect| may_apply(effect, from)).collect();
        if seen.insert((before, possible.clone()), ()).is_some() {
            continue;
        }
        let possible = || effects.iter().zip(&possible).filter(|(_, may)| **may).map(|(e, _)| e);
        if !possible().any(is_certain) {
            pairs.push((before, before));
        }
        let after = possible().flat_map(|effect| effect.values.iter());
        pairs.extend(after.map(|to| (before, states[to as usize])));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Whether an effect may apply where its own variable has this value.
fn may_apply(effect: &Effect, from: Value) -> bool {
    let own = effect.conditions.iter().find(|condition| condition.var == effect.var);
    own.is_none_or(|condition| condition.values.contains(from))
}

/// Whether an effect that may apply does so, whatever other variables are.
fn is_certain(effect: &Effect) -> bool {
    !effect.may && effect.conditions.iter().all(|condition| condition.var == effect.var)
}
