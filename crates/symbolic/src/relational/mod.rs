//! Synchronous models: sets of moments of an [`ir::relation`](homing_ir::relation).
//!
//! A relation becomes a circuit (`homing_gates`), and the circuit diagrams. A *moment* is
//! what latches are and what the inputs are that somebody looks at (*kept*: those that
//! fairness or formulas read, and those that stand for variables of the state); all others
//! are quantified as early as can be. Without kept inputs moments are states.
//!
//! | module | holds |
//! |---|---|
//! | `build` | circuits as diagrams |
//! | `place` | the order of variables |
//! | `schedule` | products of many relations |
//! | `moments` | images and preimages of sets of moments |
//! | `reach` | what can be reached, breadth first, forward and backward |
//! | `fair` | runs that are fair: Emerson, Lei; Streett |
//! | `lasso` | one such run |
//! | `ctl` | computation tree logic |
//! | `ltl` | the product with an automaton |
//! | `distance` | the shortest and the longest way |
//! | `trace` | from sets to a run, moment by moment |

mod build;
pub mod ctl;
pub mod distance;
pub mod fair;
pub mod lasso;
pub mod ltl;
mod moments;
mod place;
pub mod reach;
mod schedule;
mod trace;

use std::collections::BTreeSet;

use homing_budget::Budget;
use homing_gates::{Circuit, Condition, Leaf, Literal};
use homing_ir::relation::{Kind, Relation};

use self::build::{conjuncts, diagrams};
use crate::diagram::{Diagrams, Made, Set};
use crate::encode::{COST_PAIRS, MOST_BITS, Trouble};
use crate::order::Order;

pub use self::moments::Moments;
pub use self::trace::Trail;

/// What is looked for in a relation: conditions among those its circuit was asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// By their numbers.
    pub asked: Vec<usize>,
    /// Whether runs without an end matter: then fairness does.
    pub endless: bool,
}

/// Where some condition holds, and where it has no value.
#[derive(Clone, Debug)]
pub(crate) struct Holds {
    pub holds: Set,
    pub fails: Set,
}

/// A relation in bits.
pub struct Machine<'c> {
    relation: &'c Relation,
    circuit: &'c Circuit,
    d: Diagrams,
    /// The level of every leaf that matters, by its number in the graph.
    levels: Vec<Option<u32>>,
    /// The latches that matter, by number, with their levels, and those that only the
    /// initial condition reads.
    latches: Vec<(usize, u32)>,
    idle: BTreeSet<u32>,
    kept: BTreeSet<u32>,
    /// Those of the inputs that variables of the state are made of.
    chosen: BTreeSet<u32>,
    passing: BTreeSet<u32>,
    /// What each latch is next.
    next: Vec<Set>,
    initial: Vec<Set>,
    admitted: Vec<Set>,
    step: Vec<Set>,
    /// By the numbers of conditions; those that are not wanted are true.
    asked: Vec<Holds>,
    justice: Vec<Holds>,
    compassion: Vec<(Holds, Holds)>,
    /// Where initial conditions, admission and steps have no value.
    fails: [Set; 3],
}

impl<'c> Machine<'c> {
    /// The bits that matter to what is wanted, in this order, in diagrams of at most so many
    /// bytes, which may take so many steps.
    pub fn new(
        relation: &'c Relation,
        circuit: &'c Circuit,
        wanted: &Wanted,
        order: Order,
        budget: Budget,
        (bytes, steps): (usize, u64),
    ) -> Result<Machine<'c>, Trouble> {
        let roots = roots(circuit, wanted);
        let matters = circuit.influence(roots.iter().copied());
        let mut cone = roots;
        let latches = circuit.latches.iter().zip(&matters).filter(|(_, matters)| **matters);
        cone.extend(latches.map(|(latch, _)| latch.next));
        let placed = place::placed(circuit, &cone, &matters, order);
        if placed.len() > MOST_BITS {
            let why = format!(
                "a moment has {} bits, and decision diagrams are made of at most {MOST_BITS}",
                placed.len()
            );
            return Err(Trouble::Refused(why, None));
        }
        let d = Diagrams::new(budget, bytes);
        d.reorder(2 * COST_PAIRS);
        d.limit(steps);
        let mut levels = vec![None; circuit.graph.leaves()];
        for (place, leaf) in placed.into_iter().enumerate() {
            levels[leaf] = Some(2 * (COST_PAIRS + place as u32));
        }
        let level = |literal: Literal| levels[circuit.graph.leaf_number(literal)?];
        let all = circuit.latches.iter().enumerate();
        let leveled: Vec<(usize, u32)> =
            all.filter_map(|(number, latch)| Some((number, level(latch.current)?))).collect();
        let (latches, idle): (Vec<_>, Vec<_>) =
            leveled.into_iter().partition(|(number, _)| matters[*number]);
        let inputs: BTreeSet<u32> = circuit.inputs.iter().filter_map(|one| level(*one)).collect();
        let kept: BTreeSet<u32> =
            kept(relation, circuit, wanted).into_iter().filter_map(level).collect();
        let chosen = inputs_of(circuit, of_state(relation, circuit));
        let chosen = chosen.into_iter().filter_map(level).collect();
        let mut made = Machine {
            relation,
            circuit,
            latches,
            idle: idle.into_iter().map(|(_, level)| level).collect(),
            passing: inputs.difference(&kept).copied().collect(),
            kept,
            chosen,
            levels,
            next: Vec::new(),
            initial: Vec::new(),
            admitted: Vec::new(),
            step: Vec::new(),
            asked: Vec::new(),
            justice: Vec::new(),
            compassion: Vec::new(),
            fails: [(); 3].map(|()| d.constant(false)),
            d,
        };
        made.build(wanted)?;
        Ok(made)
    }

    fn build(&mut self, wanted: &Wanted) -> Made<()> {
        let circuit = self.circuit;
        let (d, levels) = (&self.d, &self.levels);
        let of = |literals: &[Literal]| diagrams(d, &circuit.graph, levels, literals);
        let parts = |condition: Condition| of(&conjuncts(&circuit.graph, condition.holds));
        let holds = |condition: Condition| -> Made<Holds> {
            let made = of(&[condition.holds, condition.fails])?;
            Ok(Holds { holds: made[0].clone(), fails: made[1].clone() })
        };
        let next: Vec<Literal> =
            self.latches.iter().map(|(latch, _)| circuit.latches[*latch].next).collect();
        let next = of(&next)?;
        let next = next.into_iter().zip(&self.latches).map(|(value, (_, level))| {
            let next = d.variable(level + 1)?;
            Ok(d.not(&d.xor(&next, &value)?))
        });
        let next = next.collect::<Made<Vec<_>>>()?;
        let initial = parts(circuit.initial)?;
        let admitted = parts(circuit.admitted)?;
        let step = parts(circuit.step)?;
        let nothing = Holds { holds: d.constant(true), fails: d.constant(false) };
        let mut asked = vec![nothing; circuit.asked.len()];
        for number in &wanted.asked {
            asked[*number] = holds(circuit.asked[*number])?;
        }
        let (mut justice, mut compassion) = (Vec::new(), Vec::new());
        if wanted.endless {
            for one in &circuit.justice {
                justice.push(holds(*one)?);
            }
            for (asked, granted) in &circuit.compassion {
                compassion.push((holds(*asked)?, holds(*granted)?));
            }
        }
        let fails = of(&[circuit.initial.fails, circuit.admitted.fails, circuit.step.fails])?;
        self.fails = [fails[0].clone(), fails[1].clone(), fails[2].clone()];
        (self.next, self.initial, self.admitted, self.step) = (next, initial, admitted, step);
        (self.asked, self.justice, self.compassion) = (asked, justice, compassion);
        Ok(())
    }

    /// The diagrams that all of it is made of.
    pub fn diagrams(&self) -> &Diagrams {
        &self.d
    }

    /// Where a condition that was wanted holds.
    pub fn holds(&self, asked: usize) -> &Set {
        &self.asked[asked].holds
    }

    /// How many bits a state has, as far as they matter.
    pub fn bits(&self) -> usize {
        self.latches.len()
    }
}

/// What has to be looked at: constraints, what is wanted, fairness where it matters.
fn roots(circuit: &Circuit, wanted: &Wanted) -> Vec<Literal> {
    let constraints = [circuit.admitted, circuit.step];
    let constraints = constraints.iter().flat_map(|one| [one.holds, one.fails]);
    constraints.chain(conditions(circuit, wanted)).collect()
}

/// What is wanted, and fairness where it matters.
fn conditions(circuit: &Circuit, wanted: &Wanted) -> Vec<Literal> {
    let asked = wanted.asked.iter().map(|number| circuit.asked[*number]);
    let mut all: Vec<Condition> = asked.collect();
    if wanted.endless {
        all.extend(&circuit.justice);
        all.extend(circuit.compassion.iter().flat_map(|(asked, granted)| [*asked, *granted]));
    }
    all.into_iter().flat_map(|one| [one.holds, one.fails]).collect()
}

/// The groups of conditions that depend on the same latches: each can be looked at apart.
pub fn influence(circuit: &Circuit, wanted: &Wanted) -> Vec<bool> {
    circuit.influence(roots(circuit, wanted))
}

/// The inputs, as leaves, that initial conditions read, and, where runs without an end matter,
/// fairness and conditions, or that variables of the state are made of.
fn kept(relation: &Relation, circuit: &Circuit, wanted: &Wanted) -> Vec<Literal> {
    let mut read = vec![circuit.initial.holds];
    if wanted.endless {
        read.extend(conditions(circuit, wanted));
        read.extend(of_state(relation, circuit));
    }
    inputs_of(circuit, read)
}

/// The bits of variables of the state.
fn of_state(relation: &Relation, circuit: &Circuit) -> Vec<Literal> {
    let of_state = relation.numbered().filter(|(_, one)| one.kind != Kind::Input);
    of_state.flat_map(|(id, _)| circuit.bits(id).to_vec()).collect()
}

/// The inputs that some literals read.
fn inputs_of(circuit: &Circuit, literals: Vec<Literal>) -> Vec<Literal> {
    let is_input = |literal: &Literal| {
        let number = circuit.graph.leaf_number(*literal);
        number.is_some_and(|number| matches!(circuit.leaf(number), Leaf::Input(_)))
    };
    circuit.graph.cone(literals).into_iter().map(Literal::of).filter(is_input).collect()
}
