//! A circuit unrolled: copies of it, moment after moment.
//!
//! The copies are gates of one graph, so that what is constant or equal in some moments is
//! simplified there before there are clauses of it. Only what the question depends on is
//! copied.

use homing_gates::{Circuit, Graph, Leaf, Literal, Node};

use crate::effort::Interrupted;

/// A question about a circuit: can this be true at the end of a run?
#[derive(Clone, Copy, Debug)]
pub struct Problem<'c> {
    /// The circuit.
    pub circuit: &'c Circuit,
    /// What is looked for, at a moment that has to be admitted as well.
    pub bad: Literal,
}

/// A run of a circuit: what latches are at first, and inputs at every moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// At the first moment.
    pub latches: Vec<bool>,
    /// Moment by moment.
    pub inputs: Vec<Vec<bool>>,
}

impl Trace {
    /// The values of all nodes at every moment.
    pub fn moments(&self, circuit: &Circuit) -> Vec<Vec<bool>> {
        let mut latches = self.latches.clone();
        let all = self.inputs.iter().map(|inputs| {
            let nodes = circuit.evaluate(&latches, inputs);
            let next = circuit.latches.iter().map(|one| homing_gates::value(&nodes, one.next));
            latches = next.collect();
            nodes
        });
        all.collect()
    }
}

impl Problem<'_> {
    /// What the question depends on at one moment.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Literal> {
        let Circuit { admitted, step, beyond_resets, .. } = self.circuit;
        [self.bad, admitted.holds, step.holds, *beyond_resets].into_iter()
    }

    /// The latches the question depends on, by number.
    pub(crate) fn influence(&self) -> Vec<usize> {
        let latches = self.circuit.influence(self.roots());
        (0..latches.len()).filter(|number| latches[*number]).collect()
    }

    /// Whether what holds at first says something of inputs.
    pub(crate) fn restricts_first_inputs(&self) -> bool {
        !self.inputs_of([self.circuit.beyond_resets]).is_empty()
    }

    fn inputs_of(&self, roots: impl IntoIterator<Item = Literal>) -> Vec<usize> {
        let graph = &self.circuit.graph;
        let leaves = graph.cone(roots).into_iter().filter_map(|node| match graph.node(node) {
            Node::Leaf(number) => Some(self.circuit.leaf(number as usize)),
            _ => None,
        });
        let inputs = leaves.filter_map(|leaf| match leaf {
            Leaf::Input(number) => Some(number),
            Leaf::Latch(_) => None,
        });
        inputs.collect()
    }

    /// Whether a trace shows what is asked.
    pub fn is_shown_by(&self, trace: &Trace) -> bool {
        let Circuit { admitted, step, initial, .. } = self.circuit;
        let moments = trace.moments(self.circuit);
        let holds = |at: usize, literal| homing_gates::value(&moments[at], literal);
        let last = moments.len().wrapping_sub(1);
        !moments.is_empty()
            && holds(0, initial.holds)
            && (0..=last).all(|at| holds(at, admitted.holds))
            && (0..last).all(|at| holds(at, step.holds))
            && holds(last, self.bad)
    }
}

/// One copy.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// Of the latches that matter, in their order.
    pub latches: Vec<Literal>,
    /// Of all inputs; constant where they do not matter.
    inputs: Vec<Literal>,
    /// What is said of the first moment beyond resets.
    pub initial: Literal,
    pub admitted: Literal,
    pub step: Literal,
    pub bad: Literal,
}

/// Copies of a circuit.
pub(crate) struct Unrolling<'c> {
    problem: Problem<'c>,
    /// The latches that matter.
    pub latches: Vec<usize>,
    cone: Vec<usize>,
    pub graph: Graph,
    pub moments: Vec<Moment>,
    /// What the latches that matter are at the moment to come.
    coming: Vec<Literal>,
    values: Vec<Literal>,
}

impl<'c> Unrolling<'c> {
    /// Without any copy. Latches begin with what they are reset to, or with any values.
    pub(crate) fn new(problem: Problem<'c>, from_reset: bool) -> Self {
        let circuit = problem.circuit;
        let latches = problem.influence();
        let next = latches.iter().map(|latch| circuit.latches[*latch].next);
        let cone = circuit.graph.cone(next.chain(problem.roots()));
        let mut graph = Graph::default();
        let first = latches.iter().map(|latch| match circuit.latches[*latch].reset {
            Some(value) if from_reset => Literal::constant(value),
            _ => graph.leaf(),
        });
        let coming = first.collect();
        let values = vec![Literal::FALSE; circuit.graph.len()];
        Unrolling { problem, latches, cone, graph, moments: Vec::new(), coming, values }
    }

    /// How many gates a copy has at most.
    pub(crate) fn size(&self) -> u64 {
        self.cone.len() as u64
    }

    /// One copy more.
    pub(crate) fn extend(&mut self) -> Result<(), Interrupted> {
        if self.graph.is_full() {
            return Err(Interrupted::Clauses);
        }
        let circuit = self.problem.circuit;
        let mut inputs = vec![Literal::FALSE; circuit.inputs.len()];
        for (latch, value) in self.latches.iter().zip(&self.coming) {
            self.values[circuit.latches[*latch].current.node()] = *value;
        }
        for &node in &self.cone {
            match circuit.graph.node(node) {
                Node::Constant => {}
                Node::And(a, b) => {
                    let (a, b) = (self.value(a), self.value(b));
                    self.values[node] = self.graph.and(a, b);
                }
                Node::Leaf(number) => {
                    if let Leaf::Input(input) = circuit.leaf(number as usize) {
                        let leaf = self.graph.leaf();
                        (inputs[input], self.values[node]) = (leaf, leaf);
                    }
                }
            }
        }
        let next = self.latches.iter().map(|latch| self.value(circuit.latches[*latch].next));
        let coming = next.collect();
        if self.graph.is_full() {
            return Err(Interrupted::Clauses);
        }
        self.moments.push(Moment {
            latches: std::mem::replace(&mut self.coming, coming),
            inputs,
            initial: self.value(circuit.beyond_resets),
            admitted: self.value(circuit.admitted.holds),
            step: self.value(circuit.step.holds),
            bad: self.value(self.problem.bad),
        });
        Ok(())
    }

    /// What is true where the states of two moments are not the same.
    pub(crate) fn differ(&mut self, one: usize, other: usize) -> Result<Literal, Interrupted> {
        let pairs = self.moments[one].latches.iter().zip(&self.moments[other].latches);
        let bits: Vec<Literal> = pairs.map(|(a, b)| self.graph.xor(*a, *b)).collect();
        let differ = self.graph.any(bits);
        match self.graph.is_full() {
            true => Err(Interrupted::Clauses),
            false => Ok(differ),
        }
    }

    fn value(&self, literal: Literal) -> Literal {
        self.values[literal.node()].complemented_if(literal.is_complement())
    }

    /// The trace that ends with a moment, where leaves have these values.
    pub(crate) fn trace(&self, last: usize, value: impl Fn(Literal) -> bool) -> Trace {
        let circuit = self.problem.circuit;
        let mut latches: Vec<bool> =
            circuit.latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        for (latch, literal) in self.latches.iter().zip(&self.moments[0].latches) {
            latches[*latch] = constant_or(*literal, &value);
        }
        let moments = self.moments[..=last].iter();
        let inputs = moments
            .map(|moment| moment.inputs.iter().map(|one| constant_or(*one, &value)).collect());
        Trace { latches, inputs: inputs.collect() }
    }
}

/// The value of a literal, where those that are no constants have these.
fn constant_or(literal: Literal, value: impl Fn(Literal) -> bool) -> bool {
    match literal.is_constant() {
        true => literal == Literal::TRUE,
        false => value(literal),
    }
}
