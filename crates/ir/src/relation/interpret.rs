//! The reference interpreter: successors by enumeration.
//!
//! ```text
//! initial     all valuations that begin a run
//! successors  all states a step leads to, under any inputs
//! ```
//! Every valuation is tried whose defined variables have values that their definitions
//! allow, and judged by [`Relation::is_initial`], [`Relation::admits`] and
//! [`Relation::is_step`]: slow, and for small models only.

use std::collections::{BTreeMap, BTreeSet};

use homing_budget::checkpoint;

use super::{
    Circular, Definition, Domain, Evaluation, Failure, Kind, Relation, Value, VariableId, ordered,
};

/// Executes a relation.
pub struct Interpreter<'r> {
    relation: &'r Relation,
    first: Vec<Slot>,
    later: Vec<Slot>,
    inputs: Vec<VariableId>,
}

/// A state variable, in the order in which values are given.
enum Slot {
    /// It may have any value.
    Free(VariableId),
    /// It has a value of a definition: of this moment, or of the next.
    Defined(Definition, bool),
    /// It keeps its value.
    Kept(VariableId),
}

/// A valuation of what is remembered; other inputs have some value, always the same.
pub type State = Vec<Value>;

impl<'r> Interpreter<'r> {
    /// Prepares a relation. None may be defined by itself.
    pub fn new(relation: &'r Relation) -> Result<Self, Circular> {
        let remembered = relation.remembered();
        let inputs = relation.numbered().map(|(id, _)| id);
        let inputs: Vec<VariableId> = inputs.filter(|id| !remembered.contains(id)).collect();
        Ok(Interpreter {
            relation,
            first: slots(relation, &inputs, &relation.initially, false)?,
            later: slots(relation, &inputs, &relation.next, true)?,
            inputs,
        })
    }

    /// The initial states.
    pub fn initial(&self) -> Result<BTreeSet<State>, Failure> {
        let blank = self.blank();
        let mut states = BTreeSet::new();
        self.fill(&self.first, &blank, blank.clone(), 0, &mut |state| {
            for moment in self.moments(&state)? {
                if self.relation.is_initial(&moment)? {
                    states.insert(state.clone());
                    break;
                }
            }
            Ok(())
        })?;
        Ok(states)
    }

    /// The ways on from a state: the states that steps lead to, each with a moment it is
    /// reached from.
    pub fn successors(&self, state: &State) -> Result<BTreeMap<State, Vec<Value>>, Failure> {
        let mut successors = BTreeMap::new();
        for moment in self.moments(state)? {
            self.fill(&self.later, &moment, self.blank(), 0, &mut |next| {
                checkpoint();
                if self.relation.is_step(&moment, &next)? && !self.moments(&next)?.is_empty() {
                    successors.entry(next).or_insert_with(|| moment.clone());
                }
                Ok(())
            })?;
        }
        Ok(successors)
    }

    /// The valuations of a state with inputs that every constraint allows.
    pub fn moments(&self, state: &State) -> Result<Vec<Vec<Value>>, Failure> {
        let mut all = vec![state.clone()];
        for input in &self.inputs {
            let domain = &self.relation.variable(*input).domain;
            all = all
                .iter()
                .flat_map(|moment| {
                    values(domain).map(|value| {
                        let mut moment = moment.clone();
                        moment[input.0 as usize] = value;
                        moment
                    })
                })
                .collect();
        }
        let mut admitted = Vec::new();
        for moment in all {
            checkpoint();
            if self.relation.admits(&moment)? {
                admitted.push(moment);
            }
        }
        Ok(admitted)
    }

    fn blank(&self) -> State {
        self.relation.variables.iter().map(|one| one.domain.value(0)).collect()
    }

    /// Gives values to the variables from slot `at` on, in all ways. What is asked of the
    /// moment before is read in `moment`.
    fn fill(
        &self,
        slots: &[Slot],
        moment: &[Value],
        state: State,
        at: usize,
        done: &mut dyn FnMut(State) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(slot) = slots.get(at) else { return done(state) };
        let relation = self.relation;
        let (variable, values): (_, Vec<Value>) = match slot {
            Slot::Free(id) => (*id, values(&relation.variable(*id).domain).collect()),
            Slot::Kept(id) => (*id, vec![moment[id.0 as usize].clone()]),
            Slot::Defined(one, between) => {
                let choices = match between {
                    true => Evaluation::new(relation, moment, &state).choices(one.value)?,
                    false => Evaluation::new(relation, &state, &[]).choices(one.value)?,
                };
                let domain = &relation.variable(one.variable).domain;
                (one.variable, choices.into_iter().filter(|v| domain.contains(v)).collect())
            }
        };
        for value in values {
            let mut state = state.clone();
            state[variable.0 as usize] = value;
            self.fill(slots, moment, state, at + 1, done)?;
        }
        Ok(())
    }
}

/// All values of a small domain.
fn values(domain: &Domain) -> impl Iterator<Item = Value> + use<'_> {
    (0..domain.size().unwrap_or(u64::MAX)).map(|number| domain.value(number))
}

/// State variables in an order in which values can be given to them: those that nothing
/// defines first. `initially` is read at its own moment, `next` between two. Definitions
/// that read inputs of their own moment are left to be checked.
fn slots(
    relation: &Relation,
    inputs: &[VariableId],
    definitions: &[Definition],
    between: bool,
) -> Result<Vec<Slot>, Circular> {
    let is_state = |one: &Definition| !inputs.contains(&one.variable);
    let reads_inputs = |one: &Definition, of_next: bool| {
        let support = relation.terms.support([one.value]);
        let read = if of_next { support.next } else { support.current };
        read.iter().any(|id| inputs.contains(id))
    };
    let own = definitions.iter().filter(|one| is_state(one) && !reads_inputs(one, between));
    let always = relation.always.iter().filter(|one| is_state(one) && !reads_inputs(one, false));
    let mut all: Vec<(Definition, bool)> = own.map(|one| (*one, between)).collect();
    for one in always {
        if !all.iter().any(|(other, _)| other.variable == one.variable) {
            all.push((*one, false));
        }
    }
    let definitions: Vec<Definition> = all.iter().map(|(one, _)| *one).collect();
    let order = ordered(relation, &definitions, |i| all[i].1)?;
    let free = relation.numbered().filter(|(id, _)| {
        !inputs.contains(id) && !definitions.iter().any(|other| other.variable == *id)
    });
    let free = free.map(|(id, one)| match one.kind == Kind::Frozen && between {
        true => Slot::Kept(id),
        false => Slot::Free(id),
    });
    let defined = order.into_iter().map(|i| Slot::Defined(all[i].0, all[i].1));
    Ok(free.chain(defined).collect())
}
