//! Latches that always are what others are, or constant.
//!
//! van Eijk, "Sequential equivalence checking based on structural similarities" (IEEE TCAD 19,
//! 2000); Mony, Baumgartner, Mishchenko, Brayton, "Speculative reduction-based scalable
//! redundancy identification" (DATE 2009): in what is checked, members of a class are what
//! stands for it already.
//!
//! ```text
//! classes ← latches that were equal, or complements, in all moments of some random runs
//! repeat:
//!     circuit ← the circuit where every latch is what stands for its class
//!     for every latch: if its next value in the circuit may differ from that of what stands
//!         for it, and constraints hold: split all classes by the values of that step
//! until nothing was split
//! ```
//! Then that they are equal is an inductive invariant, and in reachable states the circuit
//! says what the first one does. It is checked by the solver that checks proofs. Where a
//! query takes long, the two are taken to differ.

use std::collections::HashMap;
use std::rc::Rc;

use homing_gates::{Circuit, Leaf, Literal, Node, Substituted, value};

use crate::effort::{Effort, Interrupted};
use crate::independent::Independent;
use crate::solver::{self, Solver};
use crate::unrolling::Problem;

/// Moments of the random runs, of which there are 64.
const MOMENTS: usize = 48;
/// Steps of the solver for one query.
const PATIENCE: u64 = 20_000;
/// Steps for all queries: after that nothing is merged.
const ALL: u64 = 2_000_000;

/// A circuit with fewer latches that matter.
pub struct Corresponding {
    substituted: Substituted,
    bad: Literal,
}

impl Corresponding {
    /// Merges the latches of a problem that are equal; none where that would take too long.
    pub fn new(problem: Problem, effort: &Rc<Effort>) -> Result<Option<Self>, Interrupted> {
        let mut search = Search::new(problem, effort);
        if !search.settle()? {
            return Ok(None);
        }
        let instead = search.instead();
        if instead.is_empty() || !is_inductive(problem, &instead, effort)? {
            return Ok(None);
        }
        let substituted = problem.circuit.substituted(&instead);
        let bad = substituted.of(problem.bad);
        Ok(Some(Corresponding { substituted, bad }))
    }

    /// The problem over the smaller circuit. A trace of it is one of the first.
    pub fn problem(&self) -> Problem<'_> {
        Problem { circuit: &self.substituted.circuit, bad: self.bad }
    }
}

/// The classes, and what it takes to split them.
struct Search<'c> {
    problem: Problem<'c>,
    effort: Rc<Effort>,
    /// The latches that may be in a class: the value they begin with is known.
    latches: Vec<(usize, bool)>,
    /// Of each of them, the number of its class; class 0 is what never changes.
    classes: Vec<usize>,
    spent: u64,
}

impl<'c> Search<'c> {
    fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        let reset = |latch: usize| Some((latch, problem.circuit.latches[latch].reset?));
        let latches: Vec<(usize, bool)> =
            problem.influence().into_iter().filter_map(reset).collect();
        let classes = vec![0; latches.len()];
        Search { problem, effort: effort.clone(), latches, classes, spent: 0 }
    }

    /// Splits until what is left is equal; whether there was time for it.
    fn settle(&mut self) -> Result<bool, Interrupted> {
        self.simulate()?;
        while self.round()? {
            if self.spent > ALL {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Splits classes by how their latches differ from what they begin with.
    fn split(&mut self, changed: impl Fn(usize, bool) -> u64) {
        let mut numbers: HashMap<(usize, u64), usize> = HashMap::from([((0, 0), 0)]);
        for (place, class) in self.classes.iter_mut().enumerate() {
            let (latch, reset) = self.latches[place];
            let fresh = numbers.len();
            *class = *numbers.entry((*class, changed(latch, reset))).or_insert(fresh);
        }
    }

    /// Random runs, 64 at once, as far as constraints let them go.
    fn simulate(&mut self) -> Result<(), Interrupted> {
        let circuit = self.problem.circuit;
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let mut values = vec![0u64; circuit.graph.len()];
        let (mut state, mut goes_on) = (Vec::new(), 0);
        for _ in 0..MOMENTS {
            if goes_on == 0 {
                let begins = circuit.latches.iter();
                let begins = begins.map(|one| one.reset.map_or_else(|| rolled(&mut random), word));
                (state, goes_on) = (begins.collect(), u64::MAX);
            }
            self.effort.count(circuit.graph.len() as u64 / 64 + 1)?;
            for node in 0..values.len() {
                values[node] = match circuit.graph.node(node) {
                    Node::Constant => 0,
                    Node::And(a, b) => lane(&values, a) & lane(&values, b),
                    Node::Leaf(number) => match circuit.leaf(number as usize) {
                        Leaf::Latch(latch) => state[latch],
                        Leaf::Input(_) => rolled(&mut random),
                    },
                };
            }
            let next = circuit.latches.iter().map(|one| lane(&values, one.next));
            state = next.collect();
            goes_on &= lane(&values, circuit.admitted.holds) & lane(&values, circuit.step.holds);
            self.split(|latch, reset| (state[latch] ^ word(reset)) & goes_on);
        }
        Ok(())
    }

    /// What each latch that is not alone in its class is taken for.
    fn instead(&self) -> Vec<(usize, Literal)> {
        let circuit = self.problem.circuit;
        let mut first: HashMap<usize, (Literal, bool)> =
            HashMap::from([(0, (Literal::FALSE, false))]);
        let all = self.latches.iter().zip(&self.classes);
        let merged = all.filter_map(|(&(latch, reset), class)| match first.get(class) {
            Some((literal, other)) => Some((latch, literal.complemented_if(reset != *other))),
            None => {
                first.insert(*class, (circuit.latches[latch].current, reset));
                None
            }
        });
        merged.collect()
    }

    /// One round of queries; whether something was split.
    fn round(&mut self) -> Result<bool, Interrupted> {
        let instead = self.instead();
        let circuit = self.problem.circuit;
        self.effort.count(circuit.graph.len() as u64 / 16 + 1)?;
        let mut made = circuit.substituted(&instead);
        let own = Rc::new(Effort::default());
        let mut solver: Solver = Solver::new(&own);
        solver.assert(&made.circuit.graph, made.circuit.admitted.holds);
        solver.assert(&made.circuit.graph, made.circuit.step.holds);
        let mut was_split = false;
        for (latch, literal) in instead {
            let Some(next) = self.next_if_together(latch, literal, &made) else { continue };
            let differ = made.circuit.graph.xor(made.circuit.latches[latch].next, next);
            if differ == Literal::FALSE {
                continue;
            }
            let before = own.steps();
            own.allow(PATIENCE);
            let lit = solver.literal(&made.circuit.graph, differ);
            let found = solver.solve(&[lit]);
            let steps = own.steps() - before;
            self.spent += steps;
            self.effort.count(steps)?;
            match found {
                Ok(false) => continue,
                Ok(true) => self.split_by(&solver, &made),
                Err(Interrupted::Share) => self.split(|one, _| u64::from(one == latch)),
                Err(other) => return Err(other),
            }
            was_split = true;
        }
        Ok(was_split)
    }

    /// What a latch should be next: what stands for it, if they are in one class still.
    fn next_if_together(
        &self,
        latch: usize,
        literal: Literal,
        made: &Substituted,
    ) -> Option<Literal> {
        let class = |latch: usize| {
            let place = self.latches.binary_search_by_key(&latch, |one| one.0).ok()?;
            Some(self.classes[place])
        };
        if literal.is_constant() {
            return (class(latch) == Some(0)).then_some(literal);
        }
        let number = self.problem.circuit.graph.leaf_number(literal)?;
        let Leaf::Latch(other) = self.problem.circuit.leaf(number) else { return None };
        let next = made.circuit.latches[other].next.complemented_if(literal.is_complement());
        (class(latch) == class(other)).then_some(next)
    }

    /// Splits by the step that the solver found.
    fn split_by(&mut self, solver: &Solver, made: &Substituted) {
        let graph = &made.circuit.graph;
        let leaves = (0..graph.leaves()).map(|number| solver.value(graph.leaf_at(number)));
        let values = graph.evaluate(&leaves.collect::<Vec<bool>>());
        let next = |latch: usize| value(&values, made.circuit.latches[latch].next);
        self.split(|latch, reset| u64::from(next(latch) != reset));
    }
}

fn word(value: bool) -> u64 {
    if value { u64::MAX } else { 0 }
}

fn lane(values: &[u64], literal: Literal) -> u64 {
    let value = values[literal.node()];
    if literal.is_complement() { !value } else { value }
}

fn rolled(random: &mut u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random
}

/// Whether it is an inductive invariant that latches are these: asked of the other solver,
/// about the circuit as it is.
fn is_inductive(
    problem: Problem,
    instead: &[(usize, Literal)],
    effort: &Rc<Effort>,
) -> Result<bool, Interrupted> {
    let circuit: &Circuit = problem.circuit;
    let graph = &circuit.graph;
    let reset = |literal: Literal| match graph.leaf_number(literal).map(|one| circuit.leaf(one)) {
        Some(Leaf::Latch(latch)) => circuit.latches[latch].reset,
        _ => Some(false),
    };
    let next = |literal: Literal| match graph.leaf_number(literal).map(|one| circuit.leaf(one)) {
        Some(Leaf::Latch(latch)) => circuit.latches[latch].next,
        _ => Literal::FALSE,
    };
    let mut solver = solver::Solver::<Independent>::new(effort);
    solver.assert(graph, circuit.admitted.holds);
    solver.assert(graph, circuit.step.holds);
    for (latch, literal) in instead {
        let one = &circuit.latches[*latch];
        let begins = reset(*literal).map(|value| value != literal.is_complement());
        if one.reset.is_none() || one.reset != begins {
            return Ok(false);
        }
        for complement in [false, true] {
            let one = solver.literal(graph, !one.current.complemented_if(complement));
            let other = solver.literal(graph, literal.complemented_if(complement));
            solver.add([one, other]);
        }
    }
    for (latch, literal) in instead {
        let next = next(*literal).complemented_if(literal.is_complement());
        for complement in [false, true] {
            let one = circuit.latches[*latch].next.complemented_if(complement);
            let one = solver.literal(graph, one);
            let other = solver.literal(graph, !next.complemented_if(complement));
            if solver.solve(&[one, other])? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
