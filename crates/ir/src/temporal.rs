//! Formulas of linear temporal logic, over atoms of any kind.
//!
//! Pnueli, "The temporal logic of programs" (1977). A formula says something of
//! an infinite run s₀ s₁ s₂ …; a run that comes to an end stays in its last state
//! for ever.
//!
//! ```text
//! w, i ⊨ p        p holds in sᵢ
//! w, i ⊨ X f      w, i+1 ⊨ f
//! w, i ⊨ f U g    some k ≥ i: w, k ⊨ g, and w, j ⊨ f for all i ≤ j < k
//! w, i ⊨ f R g    all k ≥ i: w, k ⊨ g, or w, j ⊨ f for some i ≤ j < k
//! f W g = g R (f ∨ g)     F f = true U f     G f = false R f
//! ```
//! [`Formula::holds_on`] evaluates a formula on a run that repeats, straight from
//! this definition: what automata and searches say is compared with it.

/// A formula over atoms of type `A`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula<A> {
    /// A constant.
    Constant(bool),
    /// What holds in a state, or not.
    Atom(A),
    /// `!f`.
    Not(Box<Formula<A>>),
    /// `X f`.
    Next(Box<Formula<A>>),
    /// `F f`, also `<> f`.
    Finally(Box<Formula<A>>),
    /// `G f`, also `[] f`.
    Globally(Box<Formula<A>>),
    /// An operator between two formulas.
    Binary(Connective, Box<Formula<A>>, Box<Formula<A>>),
}

/// What stands between two formulas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Connective {
    /// `f && g`.
    And,
    /// `f || g`.
    Or,
    /// `f -> g`.
    Implies,
    /// `f <-> g`.
    Iff,
    /// `f U g`: f until g, and g does come.
    Until,
    /// `f W g`: f until g, or f for ever.
    WeakUntil,
    /// `f R g`, also `f V g`: g until f and g hold at once, or g for ever.
    Release,
}

impl Connective {
    /// The sign users write.
    pub fn sign(self) -> &'static str {
        match self {
            Connective::And => "&&",
            Connective::Or => "||",
            Connective::Implies => "->",
            Connective::Iff => "<->",
            Connective::Until => "U",
            Connective::WeakUntil => "W",
            Connective::Release => "R",
        }
    }
}

impl<A> Formula<A> {
    /// `f op g`.
    pub fn binary(op: Connective, f: Formula<A>, g: Formula<A>) -> Formula<A> {
        Formula::Binary(op, Box::new(f), Box::new(g))
    }

    /// `!f`.
    pub fn negated(self) -> Formula<A> {
        Formula::Not(Box::new(self))
    }

    /// The formula with other atoms in the same places.
    pub fn try_map<B, E>(
        &self,
        atom: &mut impl FnMut(&A) -> Result<B, E>,
    ) -> Result<Formula<B>, E> {
        Ok(match self {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::Atom(one) => Formula::Atom(atom(one)?),
            Formula::Not(f) => Formula::Not(Box::new(f.try_map(atom)?)),
            Formula::Next(f) => Formula::Next(Box::new(f.try_map(atom)?)),
            Formula::Finally(f) => Formula::Finally(Box::new(f.try_map(atom)?)),
            Formula::Globally(f) => Formula::Globally(Box::new(f.try_map(atom)?)),
            Formula::Binary(op, f, g) => {
                let f = f.try_map(atom)?;
                Formula::binary(*op, f, g.try_map(atom)?)
            }
        })
    }

    /// Its atoms, from left to right.
    pub fn atoms(&self) -> Vec<&A> {
        let mut atoms = Vec::new();
        let mut left = vec![self];
        while let Some(formula) = left.pop() {
            match formula {
                Formula::Constant(_) => {}
                Formula::Atom(atom) => atoms.push(atom),
                Formula::Not(f) | Formula::Next(f) | Formula::Finally(f) | Formula::Globally(f) => {
                    left.push(f);
                }
                Formula::Binary(_, f, g) => left.extend([&**g, f]),
            }
        }
        atoms
    }

    /// Whether the formula holds on the run of `length` states that goes on from
    /// its last state with state number `back`.
    pub fn holds_on(
        &self,
        length: usize,
        back: usize,
        holds: &mut impl FnMut(&A, usize) -> bool,
    ) -> bool {
        debug_assert!(back < length);
        self.along(length, back, holds).first().copied().unwrap_or(false)
    }

    /// In which states of such a run the formula holds.
    pub fn along(
        &self,
        length: usize,
        back: usize,
        holds: &mut impl FnMut(&A, usize) -> bool,
    ) -> Vec<bool> {
        let next = |i: usize| if i + 1 < length { i + 1 } else { back };
        // The least or greatest solution of x(i) = step(i, x(i + 1)): going
        // backwards twice around the loop reaches it.
        let fixpoint = |start: bool, step: &dyn Fn(usize, bool) -> bool| {
            let mut x = vec![start; length];
            for _ in 0..2 {
                for i in (0..length).rev() {
                    x[i] = step(i, x[next(i)]);
                }
            }
            x
        };
        match self {
            Formula::Constant(value) => vec![*value; length],
            Formula::Atom(atom) => (0..length).map(|i| holds(atom, i)).collect(),
            Formula::Not(f) => f.along(length, back, holds).iter().map(|f| !f).collect(),
            Formula::Next(f) => {
                let f = f.along(length, back, holds);
                (0..length).map(|i| f[next(i)]).collect()
            }
            Formula::Finally(f) => {
                let f = f.along(length, back, holds);
                fixpoint(false, &|i, later| f[i] || later)
            }
            Formula::Globally(f) => {
                let f = f.along(length, back, holds);
                fixpoint(true, &|i, later| f[i] && later)
            }
            Formula::Binary(op, f, g) => {
                let f = f.along(length, back, holds);
                let g = g.along(length, back, holds);
                match op {
                    Connective::And => (0..length).map(|i| f[i] && g[i]).collect(),
                    Connective::Or => (0..length).map(|i| f[i] || g[i]).collect(),
                    Connective::Implies => (0..length).map(|i| !f[i] || g[i]).collect(),
                    Connective::Iff => (0..length).map(|i| f[i] == g[i]).collect(),
                    Connective::Until => fixpoint(false, &|i, later| g[i] || f[i] && later),
                    Connective::WeakUntil => fixpoint(true, &|i, later| g[i] || f[i] && later),
                    Connective::Release => fixpoint(true, &|i, later| g[i] && (f[i] || later)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(name: char) -> Formula<char> {
        Formula::Atom(name)
    }

    /// The run is written as one letter a state.
    fn holds(formula: &Formula<char>, run: &str, back: usize) -> bool {
        let states: Vec<char> = run.chars().collect();
        formula.holds_on(states.len(), back, &mut |atom, i| states[i] == *atom)
    }

    #[test]
    fn what_comes_around_is_seen() {
        let always_again = Formula::Globally(Box::new(Formula::Finally(Box::new(atom('p')))));
        assert!(holds(&always_again, "abp", 1));
        assert!(!holds(&always_again, "apb", 2));
        let until = Formula::binary(Connective::Until, atom('a'), atom('b'));
        assert!(holds(&until, "aab", 2));
        assert!(!holds(&until, "aaa", 0));
        assert!(holds(&Formula::binary(Connective::WeakUntil, atom('a'), atom('b')), "aaa", 0));
        assert!(holds(&Formula::binary(Connective::Release, atom('a'), atom('b')), "bbb", 1));
        assert!(!holds(&Formula::binary(Connective::Release, atom('a'), atom('b')), "bba", 2));
        assert!(holds(&Formula::Next(Box::new(atom('a'))), "ba", 1));
    }
}
