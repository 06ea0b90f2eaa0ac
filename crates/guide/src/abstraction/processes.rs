//! The processes that are composed: at first one for every variable.
//!
//! The paper's processes synchronise on actions that two of them share. Here a
//! *label* is an operator of the ground form, or several that no longer differ,
//! and its participants are all processes whose state it reads or changes. In
//! each of them it is a relation between states before and after; in the others
//! nothing happens. So shared variables are processes like any other. What the
//! paper calls τ is a label with only one participant left.

use homing_core::Cost;

use super::hashing::FixedMap;
use crate::ground::{Constraint, Effect, Ground, Operator, Value, Values, Var};

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

/// The values of a variable that are told apart at first: beyond this number,
/// neighbours count as one. A relation may take the square of it.
const MOST_VALUES: u32 = 1024;

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
    /// One process a variable, numbered as they are, with what is left of
    /// their values, and the error states of one conjunction.
    pub(crate) fn of(ground: &Ground, error: &[Constraint], cost: impl Fn(u32) -> Cost) -> Self {
        let mut builder = Builder::new(ground);
        builder.operators(&ground.operators, cost);
        let Builder { classes, relations, labels, .. } = builder;
        let process = |(var, relations): (usize, Interned)| {
            let states = classes[var].last().map_or(1, |last| last + 1);
            let wanted = error.iter().find(|constraint| constraint.var == var as Var);
            let mut error = vec![wanted.is_none(); states as usize];
            for value in wanted.iter().flat_map(|constraint| constraint.values.iter()) {
                error[classes[var][value as usize] as usize] = true;
            }
            let initial = classes[var][ground.variables[var].initial as usize];
            Some(Process { states, initial, error, relations: relations.in_order() })
        };
        let all = relations.into_iter().enumerate().map(process).collect();
        Processes { all, labels }
    }

    /// The class of every value of every variable, see [`MOST_VALUES`].
    pub(crate) fn classes(ground: &Ground) -> Vec<Vec<u32>> {
        let classes = |size: u32| {
            let width = size.div_ceil(MOST_VALUES);
            (0..size).map(|value| value / width).collect()
        };
        ground.variables.iter().map(|variable| classes(variable.size())).collect()
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

struct Builder {
    /// For every variable and value, the state.
    classes: Vec<Vec<u32>>,
    relations: Vec<Interned>,
    /// The labels, each only once.
    known: FixedMap<(Cost, Parts), ()>,
    labels: Vec<(Cost, Parts)>,
}

impl Builder {
    fn new(ground: &Ground) -> Builder {
        let relations = ground.variables.iter().map(|_| Interned::default()).collect();
        let classes = Processes::classes(ground);
        Builder { classes, relations, known: FixedMap::default(), labels: vec![] }
    }

    fn operators(&mut self, operators: &[Operator], cost: impl Fn(u32) -> Cost) {
        for operator in operators {
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
            let classes = &self.classes[var as usize];
            let pairs = relation(operator, var, classes);
            if pairs.is_empty() {
                return None;
            }
            let states = classes.last().map_or(1, |last| last + 1);
            if !is_identity(&pairs, states) {
                let number = self.relations[var as usize].number(Relation { cost, pairs });
                parts.push((var, number));
            }
        }
        Some(parts)
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
fn relation(operator: &Operator, var: Var, classes: &[u32]) -> Vec<(u32, u32)> {
    let pre = operator.pre.iter().find(|constraint| constraint.var == var);
    let effects: Vec<&Effect> =
        operator.effects.iter().filter(|effect| effect.var == var).collect();
    let all = Values::all(classes.len() as u32);
    let mut pairs = vec![];
    for from in pre.map_or(&all, |constraint| &constraint.values).iter() {
        let before = classes[from as usize];
        let (after, stays) = after(&effects, from);
        if stays {
            pairs.push((before, before));
        }
        pairs.extend(after.flat_map(Values::iter).map(|to| (before, classes[to as usize])));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What the effects on one variable may make of its value `from`, and whether
/// it may stay.
fn after<'a>(
    effects: &'a [&'a Effect],
    from: Value,
) -> (impl Iterator<Item = &'a Values> + 'a, bool) {
    let possible = move |effect: &&&Effect| {
        let own = effect.conditions.iter().find(|condition| condition.var == effect.var);
        own.is_none_or(|condition| condition.values.contains(from))
    };
    let certain = |effect: &&Effect| {
        !effect.may && effect.conditions.iter().all(|condition| condition.var == effect.var)
    };
    let stays = !effects.iter().filter(possible).any(certain);
    (effects.iter().filter(possible).map(|effect| &effect.values), stays)
}
