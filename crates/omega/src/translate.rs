//! The whole way from a formula to its automaton.

use homing_ir::automaton::{Automaton, MOST};
use homing_ir::temporal::Formula;

use crate::formulas::{Formulas, Id};
use crate::reduce::reduce;
use crate::tableau::tableau;

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// Letters are words of 64 bits.
    #[error("the formula has more than {MOST} different propositions")]
    TooManyAtoms,
    /// Marks are words of 64 bits, too.
    #[error("the formula has more than {MOST} different things that must come about")]
    TooManySets,
    /// A limit on states, transitions or work was reached.
    #[error("the automaton of this formula is too large; try to split the formula")]
    TooLarge,
}

/// An automaton that accepts the runs on which a formula holds.
#[derive(Clone, Debug)]
pub struct Translation<A> {
    /// The automaton.
    pub automaton: Automaton,
    /// What its atoms stand for.
    pub atoms: Vec<A>,
    /// The formula it was made of, simplified, in negation normal form.
    pub formula: Formula<u32>,
}

/// Translates a formula.
pub fn translate<A: PartialEq + Clone>(formula: &Formula<A>) -> Result<Translation<A>, Error> {
    let (formula, atoms) = numbered(formula)?;
    let mut formulas = Formulas::new();
    let simple = formulas.read(&formula);
    let automaton = automaton(&formulas, simple, atoms.len() as u32)?;
    Ok(Translation { automaton, atoms, formula: formulas.write(simple) })
}

/// The reduced automaton of a formula.
pub(crate) fn automaton(formulas: &Formulas, f: Id, atoms: u32) -> Result<Automaton, Error> {
    Ok(reduce(&tableau(formulas, f, atoms)?))
}

/// Numbers for atoms, and the atoms: equal ones have the same number.
pub(crate) fn numbered<A: PartialEq + Clone>(
    formula: &Formula<A>,
) -> Result<(Formula<u32>, Vec<A>), Error> {
    let mut atoms: Vec<A> = Vec::new();
    let numbered = formula.try_map(&mut |atom| {
        if let Some(at) = atoms.iter().position(|known| known == atom) {
            return Ok(at as u32);
        }
        if atoms.len() >= MOST as usize {
            return Err(Error::TooManyAtoms);
        }
        atoms.push(atom.clone());
        Ok(atoms.len() as u32 - 1)
    })?;
    Ok((numbered, atoms))
}
