//! Observers as automata.
//!
//! An observer (Promela's `never` claim, a DVE property process) is a process that
//! only looks: Holzmann, "The model checker SPIN" (1997), section 3. System and
//! observer move in turn, the observer first.
//!
//! | observer | automaton |
//! |---|---|
//! | a location | a state |
//! | a guard | an atom |
//! | an accepting location | all transitions that leave it are in the one set |
//! | an end | a state that accepts whatever follows |
//! | an assertion that fails | a transition to such a state |

use homing_ir::alike::alike;
use homing_ir::automaton::{Automaton, Cube, MOST, Transition};
use homing_ir::network::{Expr, Guard, Network, ProcessId, StatementKind, Target, VariableId};

/// An observer as an automaton, with what its atoms are.
#[derive(Clone, Debug)]
pub struct Observer {
    /// The automaton.
    pub automaton: Automaton,
    /// Its atoms.
    pub atoms: Vec<Expr>,
    /// Where it is when an assertion of its own failed.
    pub failed: u32,
    /// Whether it accepts runs by passing locations for ever.
    pub accepting: bool,
}

impl Observer {
    /// The observer `process` of a network, or why it is none.
    pub fn of(network: &Network, process: ProcessId) -> Result<Observer, String> {
        let observer = &network.processes[process.index()];
        let own = |id: VariableId| network.variables[id.index()].owner == Some(process);
        if (0..network.variables.len()).any(|id| own(VariableId(id as u32))) {
            return Err("it has variables of its own".into());
        }
        let (end, failed) = (observer.locations.len() as u32, observer.locations.len() as u32 + 1);
        let ends = |at: u32| observer.locations.get(at as usize).is_none_or(|one| one.end);
        let mut made = Observer {
            automaton: Automaton {
                atoms: 0,
                sets: 1,
                initial: vec![observer.initial.0],
                states: vec![Vec::new(); observer.locations.len() + 2],
            },
            atoms: Vec::new(),
            failed,
            accepting: observer.locations.iter().any(|location| location.accepting),
        };
        for at in (0..=failed).filter(|at| ends(*at)) {
            let stays = Transition { guard: Cube::TRUE, marks: 1, target: at };
            made.automaton.states[at as usize].push(stays);
        }
        for edge in &observer.edges {
            let guard = match &edge.guard {
                Guard::Always => Cube::TRUE,
                Guard::When(condition) => made.atom(condition)?,
                _ => return Err("it waits for what others cannot do".into()),
            };
            if edge.action.is_some() {
                return Err("it communicates".into());
            }
            let marks = u64::from(observer.locations[edge.from.index()].accepting);
            for branch in &edge.branches {
                let asserts = |one: &StatementKind| matches!(one, StatementKind::Assert(_));
                if !branch.effect.iter().all(|one| asserts(&one.kind)) {
                    return Err("it does more than look".into());
                }
                let to = match branch.target {
                    Target::Location(to) => to.0,
                    Target::End => end,
                };
                let target = match branch.effect.is_empty() {
                    true => to,
                    // Such edges stand for an assertion that is false.
                    false if ends(to) => failed,
                    false => continue,
                };
                let transition = Transition { guard, marks, target };
                made.automaton.states[edge.from.index()].push(transition);
            }
        }
        Ok(made)
    }

    fn atom(&mut self, condition: &Expr) -> Result<Cube, String> {
        // One place after the other may ask the same.
        if let Some(known) = self.atoms.iter().position(|atom| alike(atom, condition)) {
            return Ok(Cube { all_of: 1 << known, none_of: 0 });
        }
        if self.automaton.atoms == MOST {
            return Err(format!("it has more than {MOST} conditions"));
        }
        let all_of = 1 << self.automaton.atoms;
        self.atoms.push(condition.clone());
        self.automaton.atoms += 1;
        Ok(Cube { all_of, none_of: 0 })
    }
}
