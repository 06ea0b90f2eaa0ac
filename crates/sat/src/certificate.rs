//! Whether an invariant is one, asked of a solver that knows nothing but the circuit, and is
//! not the one that found it.
//!
//! ```text
//! no initial state is bad
//! initiation   no step from an initial state leads into a cube
//! consecution  no step from a state outside of all cubes leads into one
//! safety       no state outside of all cubes is bad
//! ```
//! So what is outside of the cubes holds all states but the initial ones.

use std::rc::Rc;

use homing_gates::Circuit;

use crate::cdcl::Lit;
use crate::effort::{Effort, Interrupted};
use crate::independent::Independent;
use crate::pdr::Cube;
use crate::solver;
use crate::unrolling::Problem;

/// The solver by which it is checked.
type Solver = solver::Solver<Independent>;

/// What is wrong with an invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncertified {
    /// An initial state is bad, or leads out of it.
    Initiation,
    /// A step leads out of it.
    Consecution,
    /// It holds of a bad state.
    Safety,
}

/// Checks an invariant: that no state is in one of the cubes.
pub(crate) fn certify(
    problem: Problem,
    latches: &[usize],
    cubes: &[Cube],
    effort: &Rc<Effort>,
) -> Result<Result<(), Uncertified>, Interrupted> {
    let Circuit { graph, admitted, initial, .. } = problem.circuit;
    let mut first = Solver::new(effort);
    first.assert(graph, admitted.holds);
    first.assert(graph, initial.holds);
    if is_bad(&mut first, problem)? || leads_into(&mut first, problem, latches, cubes)? {
        return Ok(Err(Uncertified::Initiation));
    }
    let mut inside = Solver::new(effort);
    inside.assert(graph, admitted.holds);
    for cube in cubes {
        let outside = bits(&mut inside, problem, latches, cube, false);
        inside.add(outside.into_iter().map(|lit| !lit));
    }
    if leads_into(&mut inside, problem, latches, cubes)? {
        return Ok(Err(Uncertified::Consecution));
    }
    Ok(if is_bad(&mut inside, problem)? { Err(Uncertified::Safety) } else { Ok(()) })
}

fn is_bad(solver: &mut Solver, problem: Problem) -> Result<bool, Interrupted> {
    let bad = solver.literal(&problem.circuit.graph, problem.bad);
    solver.solve(&[bad])
}

fn leads_into(
    solver: &mut Solver,
    problem: Problem,
    latches: &[usize],
    cubes: &[Cube],
) -> Result<bool, Interrupted> {
    let step = solver.literal(&problem.circuit.graph, problem.circuit.step.holds);
    for cube in cubes {
        let mut assumptions = bits(solver, problem, latches, cube, true);
        assumptions.push(step);
        if solver.solve(&assumptions)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The bits of a cube, at this moment or at the next.
fn bits(
    solver: &mut Solver,
    problem: Problem,
    latches: &[usize],
    cube: &Cube,
    next: bool,
) -> Vec<Lit> {
    let circuit = problem.circuit;
    let literals = cube.iter().map(|bit| {
        let latch = &circuit.latches[latches[bit.place()]];
        let literal = if next { latch.next } else { latch.current };
        literal.complemented_if(!bit.value())
    });
    literals.map(|literal| solver.literal(&circuit.graph, literal)).collect()
}
