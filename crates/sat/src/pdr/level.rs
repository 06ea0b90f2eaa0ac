//! The solvers of property directed reachability: one a level, and one to cut cubes down.

use std::rc::Rc;

use batsat::Lit;
use homing_gates::{Circuit, Literal};

use super::{Answer, Bit, Cube};
use crate::effort::{Effort, Interrupted};
use crate::solver::Solver;
use crate::unrolling::Problem;

/// After so many clauses for one query each a solver is made anew.
const WORN: usize = 1000;

/// The states of a level, and what they lead to.
pub(super) struct Level<'c> {
    problem: Problem<'c>,
    solver: Solver,
    /// Whether the moment is the first one.
    first: Lit,
    step: Lit,
    bad: Lit,
    spent: usize,
    is_first: bool,
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
        let step = solver.literal(graph, step.holds);
        let bad = solver.literal(graph, problem.bad);
        Level { problem, solver, first, step, bad, spent: 0, is_first }
    }

    pub(super) fn is_worn(&self) -> bool {
        self.spent > WORN
    }

    /// A state that is looked for, with inputs; not an initial one but on the first level.
    pub(super) fn bad_state(&mut self) -> Result<Option<Valuation>, Interrupted> {
        let first = if self.is_first { self.first } else { !self.first };
        let found = self.solver.solve(&[self.bad, first])?;
        Ok(found.then(|| model(self.problem.circuit, &self.solver)))
    }

    /// Blocks a cube for good.
    pub(super) fn block(&mut self, latches: &[usize], cube: &Cube) {
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
        let mut assumptions = vec![self.step];
        let mut temporary = None;
        if from_outside && !self.is_first {
            let asked = self.solver.fresh();
            let mut clause = self.outside(latches, cube);
            clause.push(!asked);
            self.solver.add(clause);
            self.spent += 1;
            assumptions.push(asked);
            temporary = Some(asked);
        }
        let next: Vec<Lit> = cube
            .iter()
            .map(|one| self.solver.literal(&circuit.graph, bit(circuit, latches, *one, true)))
            .collect();
        assumptions.extend(&next);
        let answer = match self.solver.solve(&assumptions)? {
            true => {
                let (latches, inputs) = model(circuit, &self.solver);
                Answer::From { latches, inputs, is_first: self.solver.holds(self.first) }
            }
            false => {
                let needed = cube.iter().zip(&next);
                let needed = needed.filter(|(_, lit)| self.solver.was_needed(**lit));
                Answer::Unreached(needed.map(|(bit, _)| *bit).collect())
            }
        };
        if let Some(asked) = temporary {
            self.solver.add([!asked]);
        }
        Ok(answer)
    }
}

/// Cuts down a state that leads somewhere to what of it matters for that.
pub(super) struct Lifting<'c> {
    problem: Problem<'c>,
    solver: Solver,
    effort: Rc<Effort>,
    spent: usize,
    /// The inputs that matter.
    inputs: Vec<usize>,
}

impl<'c> Lifting<'c> {
    pub(super) fn new(problem: Problem<'c>, effort: &Rc<Effort>) -> Self {
        let solver = Solver::new(effort);
        let inputs = problem.inputs();
        Lifting { problem, solver, effort: effort.clone(), spent: 0, inputs }
    }

    /// The part of a state that makes it one that is looked for, under inputs.
    pub(super) fn of_bad(
        &mut self,
        matter: &[usize],
        latches: &[bool],
        inputs: &[bool],
    ) -> Result<Cube, Interrupted> {
        let circuit = self.problem.circuit;
        self.lift(matter, latches, inputs, &[circuit.admitted.holds, self.problem.bad])
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
        self.lift(matter, latches, inputs, &goals)
    }

    fn lift(
        &mut self,
        matter: &[usize],
        latches: &[bool],
        inputs: &[bool],
        goals: &[Literal],
    ) -> Result<Cube, Interrupted> {
        if self.spent > WORN {
            (self.solver, self.spent) = (Solver::new(&self.effort), 0);
        }
        let circuit = self.problem.circuit;
        let asked = self.solver.fresh();
        let missed = goals.iter().map(|goal| self.solver.literal(&circuit.graph, !*goal));
        let mut clause: Vec<Lit> = missed.collect();
        clause.push(!asked);
        self.solver.add(clause);
        self.spent += 1;
        let mut assumptions = vec![asked];
        for input in &self.inputs {
            let literal = circuit.inputs[*input].complemented_if(!inputs[*input]);
            assumptions.push(self.solver.literal(&circuit.graph, literal));
        }
        let bits: Vec<(Bit, Lit)> = (0..matter.len())
            .map(|place| {
                let one = Bit::new(place, latches[matter[place]]);
                let literal = bit(circuit, matter, one, false);
                (one, self.solver.literal(&circuit.graph, literal))
            })
            .collect();
        assumptions.extend(bits.iter().map(|(_, lit)| *lit));
        let is_missed = self.solver.solve(&assumptions)?;
        debug_assert!(!is_missed, "the state leads there under these inputs");
        let needed = bits.iter().filter(|(_, lit)| is_missed || self.solver.was_needed(*lit));
        let cube = needed.map(|(bit, _)| *bit).collect();
        self.solver.add([!asked]);
        Ok(cube)
    }
}
