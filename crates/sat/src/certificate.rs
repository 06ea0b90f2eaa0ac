//! Whether proofs are some, asked of a solver that knows nothing but the circuit, and is not
//! the one that found them.
//!
//! Of an invariant, the states outside of some cubes:
//!
//! ```text
//! no initial state is bad
//! initiation   no step from an initial state leads into a cube
//! consecution  no step from a state outside of all cubes leads into one
//! safety       no state outside of all cubes is bad
//! ```
//! So what is outside of the cubes holds all states but the initial ones.
//!
//! Of an induction over k steps:
//!
//! ```text
//! initiation   no run of less than k steps ends badly
//! consecution  no path of k steps, of states that are good but the last and, where that was
//!              needed, different, ends badly
//! ```
//! And that runs end: none has so many steps.

use std::rc::Rc;

use homing_gates::Circuit;

use crate::cdcl::Lit;
use crate::effort::{Effort, Interrupted};
use crate::independent::Independent;
use crate::pdr::Cube;
use crate::solver;
use crate::unrolling::{Problem, Unrolling};

/// The solver by which it is checked.
type Solver = solver::Solver<Independent>;

/// What is wrong with a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Uncertified {
    /// An initial state is bad, or leads out of the invariant; a short run ends badly.
    Initiation,
    /// A step leads out of the invariant, or from good states to a bad one.
    Consecution,
    /// The invariant holds of a bad state.
    Safety,
    /// There is a longer run.
    Longer,
}

/// Why a check ends without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unproven {
    /// It was cut short.
    Interrupted(Interrupted),
    /// Its proof is none: an error of ours.
    Uncertified(Uncertified),
}

impl From<Interrupted> for Unproven {
    fn from(interrupted: Interrupted) -> Unproven {
        Unproven::Interrupted(interrupted)
    }
}

impl From<Uncertified> for Unproven {
    fn from(uncertified: Uncertified) -> Unproven {
        Unproven::Uncertified(uncertified)
    }
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

/// Checks that no run of fewer steps than this ends badly and, if runs are said to end, that
/// none has so many steps.
pub(crate) fn certify_runs(
    problem: Problem,
    below: usize,
    end: bool,
    effort: &Rc<Effort>,
) -> Result<(), Unproven> {
    let mut path = Path::new(problem, true, effort);
    for _ in 0..below {
        path.moment()?;
        if path.ends_badly()? {
            return Err(Uncertified::Initiation.into());
        }
    }
    if end {
        path.moment()?;
        if path.solver.solve(&[])? {
            return Err(Uncertified::Longer.into());
        }
    }
    Ok(())
}

/// Checks an induction over so many steps, with the pairs of states that have to be different.
pub(crate) fn certify_induction(
    problem: Problem,
    steps: usize,
    different: &[(usize, usize)],
    effort: &Rc<Effort>,
) -> Result<(), Unproven> {
    let mut path = Path::new(problem, false, effort);
    for _ in 0..steps {
        path.moment()?;
        path.is_good();
    }
    path.moment()?;
    for (one, other) in different {
        path.differ(*one, *other)?;
    }
    if path.ends_badly()? {
        return Err(Uncertified::Consecution.into());
    }
    Ok(())
}

/// A path that is made longer moment by moment.
struct Path<'c> {
    unrolling: Unrolling<'c>,
    from_initial: bool,
    solver: Solver,
    effort: Rc<Effort>,
}

impl<'c> Path<'c> {
    fn new(problem: Problem<'c>, from_initial: bool, effort: &Rc<Effort>) -> Self {
        let (unrolling, solver) = (Unrolling::new(problem, from_initial), Solver::new(effort));
        Path { unrolling, from_initial, solver, effort: effort.clone() }
    }

    /// One moment more.
    fn moment(&mut self) -> Result<(), Interrupted> {
        if let Some(last) = self.unrolling.moments.last() {
            self.solver.assert(&self.unrolling.graph, last.step);
        }
        self.effort.count(self.unrolling.size() / 16 + 1)?;
        self.unrolling.extend()?;
        if let [.., now] = &self.unrolling.moments[..] {
            self.solver.assert(&self.unrolling.graph, now.admitted);
        }
        if let ([first], true) = (&self.unrolling.moments[..], self.from_initial) {
            self.solver.assert(&self.unrolling.graph, first.initial);
        }
        Ok(())
    }

    fn bad(&mut self) -> Option<Lit> {
        let bad = self.unrolling.moments.last()?.bad;
        Some(self.solver.literal(&self.unrolling.graph, bad))
    }

    /// The last state is not bad.
    fn is_good(&mut self) {
        let bad = self.bad();
        self.solver.add(bad.map(|bad| !bad));
    }

    /// Whether the last state may be bad. If not, it is not.
    fn ends_badly(&mut self) -> Result<bool, Interrupted> {
        let bad = self.bad();
        let may = self.solver.solve(bad.as_slice())?;
        if !may {
            self.is_good();
        }
        Ok(may)
    }

    /// Two states are not the same.
    fn differ(&mut self, one: usize, other: usize) -> Result<(), Interrupted> {
        self.effort.count(self.unrolling.latches.len() as u64 / 16 + 1)?;
        let differ = self.unrolling.differ(one, other)?;
        self.solver.assert(&self.unrolling.graph, differ);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use homing_gates::Circuit;
    use homing_ir::random::config;
    use homing_ir::relation::{Goal, random};
    use proptest::prelude::*;

    use super::*;
    use crate::{Bmc, Bounded};

    const WRONG: [Unproven; 3] = [
        Unproven::Uncertified(Uncertified::Initiation),
        Unproven::Uncertified(Uncertified::Consecution),
        Unproven::Uncertified(Uncertified::Longer),
    ];

    proptest! {
        #![proptest_config(config(100))]

        /// What a violation refutes is not certified, and what comes before it is.
        #[test]
        fn what_is_no_proof_is_not_taken_for_one(relation in random::relation()) {
            let Goal::Invariant(term) = &relation.specifications[0].goal else { return Ok(()) };
            let mut circuit = Circuit::new(&relation, &[*term]).expect("small");
            let bad = circuit.asked[0].is_false(&mut circuit.graph);
            let (problem, effort) = (Problem { circuit: &circuit, bad }, Rc::default());
            let Ok(Bounded::Found(trace)) = Bmc::new(problem, &effort).run(20) else {
                return Ok(());
            };
            let steps = trace.inputs.len() - 1;
            let [initiation, consecution, longer] = WRONG;
            prop_assert_eq!(certify_runs(problem, steps, false, &effort), Ok(()));
            prop_assert_eq!(certify_runs(problem, steps + 1, false, &effort), Err(initiation));
            prop_assert_eq!(certify_runs(problem, steps, true, &effort), Err(longer));
            for steps in 0..=steps {
                let certified = certify_induction(problem, steps, &[], &effort);
                prop_assert_eq!(certified, Err(consecution));
            }
        }
    }
}
