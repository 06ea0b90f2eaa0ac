//! Iterative context bounding (ICB): first what needs few context switches.
//!
//! Musuvathi, Qadeer, "Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs" (PLDI 2007):
//!
//! ```text
//! for c := 0, 1, 2, …
//!   expand, in the order of the strategy, all states reached by c switches;
//!   what takes one more waits for c + 1
//! ```
//! A *context switch* happens where t' follows t and
//!
//! - over processes (ICB_P): no process takes part in both;
//! - over interference contexts (ICB_I): t' ∉ C_n(t); Wehrle and Kupferschmid
//!   (2010) found n = 2 best.
//!
//! The number of switches is minimal: a state is told apart by the context it
//! was reached in, and opened again when it is reached by fewer switches.

use std::collections::BTreeMap;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::{Edge, Heuristic, Level, Merge, Preference, Taken};
use homing_ir::moves::Move;
use homing_ir::system::{ComponentId, System};

use crate::interference::Interference;
use crate::{Goal, PreferenceBuilder};

const BOUND: Parameter = Parameter {
    name: "bound",
    about: "with `over=contexts`: steps in C_bound of the one before are no switch",
    default: "2",
};

pub(crate) const ROW: Row<PreferenceBuilder> = Row {
    name: "bounding",
    kind: Kind::Preference,
    about: "iterative context bounding (ICB): first what needs few context switches",
    cite: "Musuvathi, Qadeer 2007; Wehrle, Kupferschmid 2010",
    parameters: &[
        Parameter {
            name: "over",
            about: "what a context is: `processes` (ICB_P) or `contexts` (ICB_I)",
            default: "processes",
        },
        BOUND,
    ],
    needs: &[Capability::KeepsStates, Capability::Exact],
    gives: &[Capability::Complete],
    uses: &[],
    build: |goal, call| Ok(Box::new(Bounding::new(goal, call)?)),
};

struct Bounding {
    /// For every label, the class of its context.
    class: Vec<u32>,
    contexts: Contexts,
}

enum Contexts {
    /// For every class, the processes that take part.
    Processes(Vec<Vec<ComponentId>>),
    /// For every two classes, row by row, whether going from one to the other
    /// is a switch.
    Interference(Vec<bool>),
}

/// A mark has the number of switches above, the class plus one below.
const CLASS_BITS: u32 = 16;

impl Bounding {
    fn new(goal: &Goal, call: &Call) -> Result<Bounding, String> {
        call.allow_named(&["over", "bound"])?;
        let bound = BOUND.number(call)?;
        let over = match call.named("over") {
            None => "processes",
            Some(Expression::Call(over)) => &over.name,
            Some(_) => "",
        };
        let (system, moves) = (goal.space.system(), goal.space.moves());
        let bounding = match over {
            "processes" => {
                let participants: Vec<Vec<ComponentId>> =
                    moves.list.iter().map(|step| participants(system, *step)).collect();
                let mut numbers = BTreeMap::new();
                for set in &participants {
                    let next = numbers.len() as u32;
                    numbers.entry(set.clone()).or_insert(next);
                }
                let class = participants.iter().map(|set| numbers[set]).collect();
                let mut sets: Vec<_> = numbers.into_iter().collect();
                sets.sort_by_key(|(_, number)| *number);
                let sets = sets.into_iter().map(|(set, _)| set).collect();
                Bounding { class, contexts: Contexts::Processes(sets) }
            }
            "contexts" => over_interference(goal, bound),
            _ => return Err("`over` is `processes` or `contexts`".into()),
        };
        let most = bounding.class.iter().max().copied().unwrap_or(0);
        if most + 1 >= 1 << CLASS_BITS {
            return Err(format!("`bounding` tells at most {} contexts apart", 1 << CLASS_BITS));
        }
        Ok(bounding)
    }

    fn is_switch(&self, from: u32, to: u32) -> bool {
        match &self.contexts {
            Contexts::Processes(sets) => {
                let to = &sets[to as usize];
                !sets[from as usize].iter().any(|process| to.contains(process))
            }
            Contexts::Interference(switches) => {
                let row = from as usize * switches.len().isqrt();
                switches[row + to as usize]
            }
        }
    }
}

fn participants(system: &System, step: Move) -> Vec<ComponentId> {
    let parts = step.parts(system);
    let mut all: Vec<ComponentId> = parts.iter().map(|part| system.part(*part).component).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn over_interference(goal: &Goal, bound: u64) -> Bounding {
    let interference = Interference::of(goal.space.system(), goal.space.moves());
    let class = interference.classes().to_vec();
    let mut labels = vec![0; interference.count()];
    for label in 0..class.len() as u32 {
        labels[interference.class(label) as usize] = label;
    }
    let mut switches = Vec::with_capacity(labels.len() * labels.len());
    for from in &labels {
        for to in &labels {
            switches.push(u64::from(interference.distance(*from, *to)) > bound);
        }
    }
    Bounding { class, contexts: Contexts::Interference(switches) }
}

fn switches(mark: u32) -> u32 {
    mark >> CLASS_BITS
}

impl Preference for Bounding {
    fn initial(&self) -> u32 {
        0
    }

    fn mark(&self, mark: u32, edge: Edge) -> u32 {
        let class = self.class[edge.label as usize];
        let last = mark & ((1 << CLASS_BITS) - 1);
        let switch = last != 0 && self.is_switch(last - 1, class);
        let switches = (switches(mark) + u32::from(switch)).min(u16::MAX.into());
        switches << CLASS_BITS | (class + 1)
    }

    fn may_merge(&self) -> bool {
        true
    }

    fn merge(&self, known: u32, new: u32) -> Option<Merge> {
        (switches(new) < switches(known)).then_some(Merge { mark: new, better: true })
    }

    fn is_stale(&self, mark: u32, queue: u16) -> bool {
        switches(mark) < queue.into()
    }

    fn classes(&self) -> Option<&[u32]> {
        Some(&self.class)
    }

    fn level(&self, taken: &Taken, _: Option<&mut (dyn Heuristic + '_)>) -> Level {
        let mark = self.mark(taken.mark, taken.edge);
        Level { queue: switches(mark) as u16, tie: 0 }
    }
}
