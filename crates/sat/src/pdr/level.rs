//! The solvers of property directed reachability: one a level, and one to cut cubes down.
//!
//! A query is within what it depends on: constraints, what the clauses of the level speak of,
//! and the cone of what is asked. Clauses for one query alone are forgotten after it.

use std::rc::Rc;

use homing_gates::{Circuit, Leaf, Literal, Node};

use super::{Answer, Bit, Cube};
use crate::cdcl::Lit;
use crate::effort::{Effort, Interrupted};
use crate::solver::Solver;
use crate::unrolling::Problem;

/// The states of a level, and what they lead to.
pub(super) struct Level<'c> {
    problem: Problem<'c>,
    solver: Solver,
    /// Whether the moment is the first one.
    first: Lit,
    step: Lit,
    bad: Lit,
    is_first: bool,
    /// What every query depends on: literals of gates, of which the first ones are always
    /// there and the others come with blocked cubes.
    always: Vec<Literal>,
    /// Of each latch that matters, whether it is among them.
    is_among: Vec<bool>,
    cone: Vec<(usize, Lit)>,
    within: Vec<Lit>,
}

/// The values of latches and of inputs.
type Valuation = (Vec<bool>, Vec<bool>);

/// The latches and inputs of the model. Where the model says nothing of a latch, it is what
/// it is reset to.
fn model(circuit: &Circuit, solver: &Solver) -> Valuation {
    let latches = circuit.latches.iter().map(|latch| match solver.knows(latch.current) {
        true => solver.value(latch.current),
        false => latch.reset.unwrap_or(false),
    });
    let inputs = circuit.inputs.iter().map(|input| solver.value(*input));
    (latches.collect(), inputs.collect())
}

/// A bit of the state, at this moment or at the next.
fn bit(circuit: &Circuit, latches: &[usize], bit: Bit, next: bool) -> Literal {
    let latch = &circuit.latches[latches[bit.place()]];
    let literal = if next { latch.next } else { latch.current };
    literal.complemented_if(!bit.value())
}

impl<'c> Level<'c> {
    /// All states; the initial ones alone for the first level.
    pub(super) fn new(
        problem: Problem<'c>,
        matter: &[usize],
        is_first: bool,
        effort: &Rc<Effort>,
    ) -> Self {
        let Circuit { graph, admitted, beyond_resets, step, .. } = problem.circuit;
        let mut solver = Solver::new(effort);
        let first = solver.fresh();
        solver.assert(graph, admitted.holds);
        let initial = solver.literal(graph, *beyond_resets);
        solver.add([!first, initial]);
        for latch in matter.iter().map(|latch| &problem.circuit.latches[*latch]) {
            if let Some(reset) = latch.reset {
                let begins = solver.literal(graph, latch.current.complemented_if(!reset));
                solver.add([!first, begins]);
            }
        }
        if is_first {
            solver.add([first]);
        }
        let always = vec![admitted.holds, *beyond_resets, step.holds];
        let step = solver.literal(graph, step.holds);
        let bad = solver.literal(graph, problem.bad);
        let is_among = vec![false; matter.len()];
        let (cone, within) = (Vec::new(), Vec::new());
        Level { problem, solver, first, step, bad, is_first, always, is_among, cone, within }
    }

    /// Looks for a model, deciding what literals of gates depend on.
    fn solve(&mut self, assumptions: &[Lit], about: &[Literal]) -> Result<bool, Interrupted> {
        let graph = &self.problem.circuit.graph;
        self.cone.clear();
        self.solver.meet_anew();
        let all = self.always.iter().chain(about).copied();
        self.solver.meet(graph, all, &mut self.cone);
        self.within.clear();
        self.within.push(self.first);
        self.within.extend(self.cone.iter().map(|(_, lit)| *lit));
        self.solver.solve_within(assumptions, &self.within)
    }

    /// A state that is looked for, with inputs; not an initial one but on the first level.
    pub(super) fn bad_state(&mut self) -> Result<Option<Valuation>, Interrupted> {
        let first = if self.is_first { self.first } else { !self.first };
        let found = self.solve(&[self.bad, first], &[self.problem.bad])?;
        Ok(found.then(|| model(self.problem.circuit, &self.solver)))
    }

    /// Blocks a cube for good.
    pub(super) fn block(&mut self, latches: &[usize], cube: &Cube) {
        for one in cube {
            if !std::mem::replace(&mut self.is_among[one.place()], true) {
                self.always.push(bit(self.problem.circuit, latches, *one, false));
            }
        }
        let clause = self.outside(latches, cube);
        self.solver.add(clause);
    }

    /// That a moment is the first, or not in a cube.
    fn outside(&mut self, latches: &[usize], cube: &Cube) -> Vec<Lit> {
        let circuit = self.problem.circuit;
        let bits = cube
            .iter()
            .map(|one| !self.solver.literal(&circuit.graph, bit(circuit, latches, *one, false)));
        let mut clause: Vec<Lit> = bits.collect();
        clause.push(self.first);
        clause
    }

    /// Whether a step leads into a cube; from outside of it, if that is asked.
    pub(super) fn reached(
        &mut self,
        latches: &[usize],
        cube: &Cube,
        from_outside: bool,
    ) -> Result<Answer, Interrupted> {
        let circuit = self.problem.circuit;
        let mut about: Vec<Literal> =
            cube.iter().map(|one| bit(circuit, latches, *one, true)).collect();
        let next: Vec<Lit> =
            about.iter().map(|one| self.solver.literal(&circuit.graph, *one)).collect();
        if from_outside && !self.is_first {
            let clause = self.outside(latches, cube);
            self.solver.suppose(clause);
            about.extend(cube.iter().map(|one| bit(circuit, latches, *one, false)));
        }
        let mut assumptions = vec![self.step];
        assumptions.extend(&next);
        Ok(match self.solve(&assumptions, &about)? {
            true => {
                let (latches, inputs) = model(circuit, &self.solver);
                Answer::From { latches, inputs, is_first: self.solver.holds(self.first) }
            }
            false => {
                let needed = cube.iter().zip(&next);
                let needed = needed.filter(|(_, lit)| self.solver.was_needed(**lit));
                Answer::Unreached(needed.map(|(bit, _)| *bit).collect())
            }
        })
    }
}

/// Cuts down a state that leads somewhere to what of it matters for that.
pub(super) struct Lifting<'c> {
    problem: Problem<'c>,
    solver: Solver,
    /// Of each latch, its place among those that matter.
    places: Vec<Option<usize>>,
    cone: Vec<(usize, Lit)>,
}

impl<'c> Lifting<'c> {
    pub(super) fn new(problem: Problem<'c>, matter: &[usize], effort: &Rc<Effort>) -> Self {
        let mut places = vec![None; problem.circuit.latches.len()];
        for (place, latch) in matter.iter().enumerate() {
            places[*latch] = Some(place);
        }
        Lifting { problem, solver: Solver::new(effort), places, cone: Vec::new() }
    }

    /// The part of a state that makes it one that is looked for, under inputs.
    pub(super) fn of_bad(
        &mut self,
        latches: &[bool],
        inputs: &[bool],
    ) -> Result<Cube, Interrupted> {
        let circuit = self.problem.circuit;
        self.lift(latches, inputs, &[circuit.admitted.holds, self.problem.bad])
    }

    /// The part of a state that makes it lead into a cube, under inputs.
    pub(super) fn of_step(
        &mut self,
        matter: &[usize],
        latches: &[bool],
        inputs: &[bool],
        cube: &Cube,
    ) -> Result<Cube, Interrupted> {
        let circuit = self.problem.circuit;
        let next = cube.iter().map(|one| bit(circuit, matter, *one, true));
        let goals: Vec<Literal> =
            [circuit.admitted.holds, circuit.step.holds].into_iter().chain(next).collect();
        self.lift(latches, inputs, &goals)
    }

    fn lift(
        &mut self,
        latches: &[bool],
        inputs: &[bool],
        goals: &[Literal],
    ) -> Result<Cube, Interrupted> {
        let graph = &self.problem.circuit.graph;
        let missed = goals.iter().map(|goal| self.solver.literal(graph, !*goal));
        let missed: Vec<Lit> = missed.collect();
        self.solver.suppose(missed);
        self.cone.clear();
        self.solver.meet_anew();
        self.solver.meet(graph, goals.iter().copied(), &mut self.cone);
        let (mut assumptions, mut bits) = (Vec::new(), Vec::new());
        for (node, lit) in &self.cone {
            let Node::Leaf(number) = graph.node(*node) else { continue };
            match self.problem.circuit.leaf(number as usize) {
                Leaf::Input(input) => assumptions.push(if inputs[input] { *lit } else { !*lit }),
                Leaf::Latch(latch) => {
                    let lit = if latches[latch] { *lit } else { !*lit };
                    let one = self.places[latch].map(|place| Bit::new(place, latches[latch]));
                    bits.extend(one.map(|one| (one, lit)));
                }
            }
        }
        assumptions.extend(bits.iter().map(|(_, lit)| *lit));
        let within: Vec<Lit> = self.cone.iter().map(|(_, lit)| *lit).collect();
        let is_missed = self.solver.solve_within(&assumptions, &within)?;
        debug_assert!(!is_missed, "the state leads there under these inputs");
        let needed = bits.iter().filter(|(_, lit)| is_missed || self.solver.was_needed(*lit));
        let mut cube: Cube = needed.map(|(bit, _)| *bit).collect();
        cube.sort_unstable();
        Ok(cube)
    }
}
