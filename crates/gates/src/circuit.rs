//! A relation as a circuit: latches, inputs, and conditions.
//!
//! ```text
//! latch      a bit of a variable that is part of the state; its `next` is a function of
//!            latches and inputs
//! input      a bit of an input, or of a choice that a definition has
//! a run      latches and inputs moment by moment: `initial` holds of the first, `admitted`
//!            of every one, `step` of every one but the last, and every latch is what its
//!            `next` was at the moment before
//! ```
//! The runs of the circuit are those of the relation: what is not functional becomes so.
//!
//! - A choice in a definition is made by inputs of its own.
//! - The next value of a state variable that nothing defines is an input.
//! - What `next` definitions and transition constraints read at the next moment is replaced
//!   by the functions that say what it is then. An input that is read so is a latch whose
//!   next value is an input.
//! - A variable that an `always` definition gives its value, and that nothing reads at the
//!   next moment, is that function and has no bits of its own.
//! - Definitions beyond the first of a variable, and those that read each other in a circle,
//!   are conditions.
//!
//! Where a term fails, the condition it is in does not hold and `fails` says so: conditions
//! are looked at one after the other, as the interpreter does, and the first that does not
//! hold ends it.

use std::fmt;

use homing_ir::Span;
use homing_ir::relation::{Relation, TermId, Value, VariableId};

use crate::building::Building;
use crate::encoding::{decoded, encoded};
use crate::graph::{Graph, Literal, value};
use crate::lowering::Lowering;

/// Whether something holds, and whether it cannot be said because a term has no value: then
/// it does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// It holds.
    pub holds: Literal,
    /// It has no value.
    pub fails: Literal,
}

impl Condition {
    /// Whether it does not hold though it has a value.
    pub fn is_false(self, graph: &mut Graph) -> Literal {
        graph.and(!self.holds, !self.fails)
    }
}

/// A bit of the state.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// What it is at this moment: a leaf.
    pub current: Literal,
    /// What it is at the next.
    pub next: Literal,
    /// What it is at the first moment, where a definition says so alone. `initial` says it
    /// too.
    pub reset: Option<bool>,
    /// The variable it belongs to; none where it was added.
    pub variable: Option<VariableId>,
}

/// What a leaf of the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// A latch, by number.
    Latch(usize),
    /// An input, by number.
    Input(usize),
}

/// Why there is no circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Something has too many bits.
    Large {
        /// What it is.
        what: String,
        /// Where it is written.
        span: Span,
    },
    /// There would be too many gates.
    Gates,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Large { what, .. } => write!(f, "{what} is too large to be taken bit by bit"),
            Refusal::Gates => write!(f, "the model has too many gates"),
        }
    }
}

/// A circuit.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The gates.
    pub graph: Graph,
    /// The state.
    pub latches: Vec<Latch>,
    /// What is chosen anew at every moment: leaves.
    pub inputs: Vec<Literal>,
    /// What holds at the first moment.
    pub initial: Condition,
    /// What `initial` says beyond resets: it is the same where latches are reset.
    pub beyond_resets: Literal,
    /// What holds at every moment.
    pub admitted: Condition,
    /// What holds at every moment but the last.
    pub step: Condition,
    /// What holds again and again.
    pub justice: Vec<Condition>,
    /// What holds again and again if something else does: first that, then this.
    pub compassion: Vec<(Condition, Condition)>,
    /// The terms that were asked for, in their order.
    pub asked: Vec<Condition>,
    pub(crate) variables: Vec<Vec<Literal>>,
    pub(crate) leaves: Vec<Leaf>,
}

impl Circuit {
    /// The circuit of a relation, with boolean terms that are asked about it: they read
    /// nothing of the next moment.
    pub fn new(relation: &Relation, asked: &[TermId]) -> Result<Circuit, Refusal> {
        let mut building = Building::new(relation);
        building.leaves()?;
        building.combinational()?;
        building.next()?;
        let initial = building.initial()?;
        let admitted = building.admitted()?;
        let step = building.step()?;
        let lowering = &mut building.lowering;
        let all = |terms: &[TermId], lowering: &mut Lowering| {
            terms.iter().map(|term| lowering.condition(*term)).collect::<Result<Vec<_>, _>>()
        };
        let justice = all(&relation.justice, lowering)?;
        let (firsts, seconds): (Vec<TermId>, Vec<TermId>) =
            relation.compassion.iter().copied().unzip();
        let compassion = all(&firsts, lowering)?.into_iter().zip(all(&seconds, lowering)?);
        let compassion = compassion.collect();
        let asked = all(asked, lowering)?;
        let beyond_resets = building.beyond_resets(initial.holds);
        if building.lowering.graph.is_full() {
            return Err(Refusal::Gates);
        }
        let Building { lowering, latches, inputs, .. } = building;
        let mut leaves = vec![Leaf::Input(0); lowering.graph.leaves()];
        let numbered = latches.iter().enumerate().map(|(i, one)| (one.current, Leaf::Latch(i)));
        let inputs_too = inputs.iter().enumerate().map(|(i, one)| (*one, Leaf::Input(i)));
        for (literal, leaf) in numbered.chain(inputs_too) {
            if let Some(number) = lowering.graph.leaf_number(literal) {
                leaves[number] = leaf;
            }
        }
        Ok(Circuit {
            graph: lowering.graph,
            latches,
            inputs,
            initial,
            beyond_resets,
            admitted,
            step,
            justice,
            compassion,
            asked,
            variables: lowering.current,
            leaves,
        })
    }

    /// The bits of a variable at this moment: leaves, or functions of them. How they stand
    /// for a value is said in `encoding.rs`.
    pub fn bits(&self, variable: VariableId) -> &[Literal] {
        &self.variables[variable.0 as usize]
    }

    /// Adds a latch that begins so, and says later what it is next.
    pub fn add_latch(&mut self, reset: Option<bool>) -> Literal {
        let current = self.graph.leaf();
        self.leaves.push(Leaf::Latch(self.latches.len()));
        self.latches.push(Latch { current, next: current, reset, variable: None });
        if let Some(reset) = reset {
            let begins = current.complemented_if(!reset);
            self.initial.holds = self.graph.and(self.initial.holds, begins);
        }
        current
    }

    /// Adds an input.
    pub fn add_input(&mut self) -> Literal {
        let input = self.graph.leaf();
        self.leaves.push(Leaf::Input(self.inputs.len()));
        self.inputs.push(input);
        input
    }

    /// What a leaf is, by its number in the graph.
    pub fn leaf(&self, number: usize) -> Leaf {
        self.leaves[number]
    }

    /// The values of all nodes where latches and inputs have these, by number.
    pub fn evaluate(&self, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
        let leaves: Vec<bool> = self
            .leaves
            .iter()
            .map(|leaf| match leaf {
                Leaf::Latch(number) => latches[*number],
                Leaf::Input(number) => inputs[*number],
            })
            .collect();
        self.graph.evaluate(&leaves)
    }

    /// The values of variables, from those of nodes ([`Circuit::evaluate`]).
    pub fn valuation(&self, relation: &Relation, nodes: &[bool]) -> Vec<Value> {
        let all = relation.variables.iter().zip(&self.variables);
        all.map(|(one, bits)| {
            let bits: Vec<bool> = bits.iter().map(|bit| value(nodes, *bit)).collect();
            decoded(&one.domain, &bits)
        })
        .collect()
    }

    /// The values of latches and inputs where variables have these; choices are false.
    pub fn leaves_of(&self, relation: &Relation, values: &[Value]) -> (Vec<bool>, Vec<bool>) {
        let mut latches = vec![false; self.latches.len()];
        let mut inputs = vec![false; self.inputs.len()];
        for ((one, bits), value) in relation.variables.iter().zip(&self.variables).zip(values) {
            for (literal, bit) in bits.iter().zip(encoded(&one.domain, value)) {
                match self.graph.leaf_number(*literal).map(|number| self.leaves[number]) {
                    Some(Leaf::Latch(number)) => latches[number] = bit,
                    Some(Leaf::Input(number)) => inputs[number] = bit,
                    None => {}
                }
            }
        }
        (latches, inputs)
    }

    /// The cone of influence: the latches that literals depend on, now or in a later moment.
    pub fn influence(&self, roots: impl IntoIterator<Item = Literal>) -> Vec<bool> {
        let mut seen = vec![false; self.graph.len()];
        let mut latches = vec![false; self.latches.len()];
        let mut left: Vec<usize> = roots.into_iter().map(Literal::node).collect();
        while let Some(node) = left.pop() {
            homing_budget::checkpoint();
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match self.graph.node(node) {
                crate::Node::Constant => {}
                crate::Node::And(a, b) => left.extend([a.node(), b.node()]),
                crate::Node::Leaf(number) => {
                    if let Leaf::Latch(latch) = self.leaves[number as usize] {
                        latches[latch] = true;
                        left.push(self.latches[latch].next.node());
                    }
                }
            }
        }
        latches
    }
}
