//! Solutions of difference constraints over times; where clocks stop, of linear ones.

use super::MOST_CASES;
use super::forms::Forms;
use super::formula::{Atom, Formula};

/// Times, in parts of a unit of which there are so many.
type Times = (Vec<i64>, i64);

/// What the times of a run must satisfy.
pub(super) struct Problem {
    /// How many times there are.
    times: usize,
    /// What must hold.
    atoms: Vec<Atom>,
    /// Of each of these, one must hold.
    choices: Vec<Vec<Formula>>,
    impossible: bool,
    /// What the bounds are on, where clocks stop.
    forms: Option<Forms>,
}

impl Problem {
    /// So many times; `stopwatches`: where clocks stop.
    pub fn new(times: usize, stopwatches: bool) -> Problem {
        let forms = stopwatches.then(Forms::new);
        Problem { times, atoms: Vec::new(), choices: Vec::new(), impossible: false, forms }
    }

    /// What the bounds are on, where clocks stop.
    pub fn forms(&mut self) -> Option<&mut Forms> {
        self.forms.as_mut()
    }

    /// The time `now` is not before the one before it, or the same.
    pub fn stay(&mut self, now: usize, same: bool) {
        match &mut self.forms {
            // That times do not run backwards is known there.
            Some(forms) if same => forms.still(now),
            Some(_) => {}
            None => self.order(now - 1, now, same),
        }
    }

    /// One time is not after another, or the same.
    pub fn order(&mut self, first: usize, then: usize, same: bool) {
        self.atoms.push(Atom { left: first, right: then, bound: 0, strict: false });
        if same {
            self.atoms.push(Atom { left: then, right: first, bound: 0, strict: false });
        }
    }

    /// Adds a condition.
    pub fn add(&mut self, formula: Formula) {
        match formula {
            Formula::True => {}
            Formula::False => self.impossible = true,
            Formula::Atom(atom) => self.atoms.push(atom),
            Formula::All(parts) => parts.into_iter().for_each(|part| self.add(part)),
            Formula::Any(parts) => self.choices.push(parts),
        }
    }

    /// Calls `visit` with conjunctions that have a solution and imply all that must
    /// hold, until it says that it is enough.
    pub fn each_case(&self, visit: &mut dyn FnMut(&[Atom]) -> bool) {
        if self.impossible {
            return;
        }
        let mut tried = 0;
        let mut open = vec![(self.atoms.clone(), 0)];
        while let Some((atoms, next)) = open.pop() {
            tried += 1;
            if tried > MOST_CASES {
                return;
            }
            if !self.is_solvable(&atoms) {
                continue;
            }
            let Some(choice) = self.choices.get(next) else {
                if visit(&atoms) {
                    return;
                }
                continue;
            };
            for part in choice.iter().rev() {
                for case in part.clone().cases(MOST_CASES).into_iter().rev() {
                    open.push(([&atoms[..], &case[..]].concat(), next + 1));
                }
            }
        }
    }

    fn is_solvable(&self, atoms: &[Atom]) -> bool {
        match &self.forms {
            Some(forms) => forms.solve(self.times, atoms).is_some(),
            // Whoever has a solution at all has one in the finest unit.
            None => self.least(atoms, self.finest(), false).is_some(),
        }
    }

    /// With so many parts to a unit, strict bounds lose no solution: around a cycle
    /// of all times, as many strict bounds take away less than one unit.
    fn finest(&self) -> i64 {
        self.times as i64 + 1
    }

    /// The earliest solution, in as few parts of a unit as were tried; where clocks
    /// stop, some solution.
    pub fn readable(&self, atoms: &[Atom]) -> Option<Times> {
        if let Some(forms) = &self.forms {
            return forms.solve(self.times, atoms);
        }
        let units = [1, 2, 4, self.finest()];
        let times =
            units.into_iter().find_map(|unit| Some((self.least(atoms, unit, false)?, unit)))?;
        Some(reduced(times))
    }

    /// A solution, the least time that one takes, and whether this one does.
    pub fn fastest(&self, atoms: &[Atom]) -> Option<(Times, i64, bool)> {
        let total = *self.least(atoms, 1, true)?.last()?;
        let mut bounded = atoms.to_vec();
        bounded.push(Atom { left: self.times - 1, right: 0, bound: total, strict: false });
        match self.readable(&bounded) {
            Some(times) => Some((times, total, true)),
            None => self.readable(atoms).map(|times| (times, total, false)),
        }
    }

    /// The least times that satisfy the bounds, in parts of a unit; with `weak`,
    /// the strict ones as if they were not.
    fn least(&self, atoms: &[Atom], unit: i64, weak: bool) -> Option<Vec<i64>> {
        let mut times = vec![0i64; self.times];
        for _ in 0..=self.times {
            let mut changed = false;
            for Atom { left, right, bound, strict } in atoms {
                let bound = bound.saturating_mul(unit) - i64::from(*strict && !weak);
                let needed = times[*left].saturating_sub(bound);
                if times[*right] < needed {
                    if *right == 0 {
                        return None;
                    }
                    times[*right] = needed;
                    changed = true;
                }
            }
            if !changed {
                return Some(times);
            }
        }
        None
    }
}

/// The same times in as few parts of a unit as possible.
fn reduced((times, unit): Times) -> Times {
    let common = times.iter().fold(unit, |mut a, b| {
        let mut b = *b;
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    });
    let common = common.max(1);
    (times.iter().map(|time| time / common).collect(), unit / common)
}
