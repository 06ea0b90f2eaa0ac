//! Literals of clauses: variables and their complements.

use std::ops::Not;

/// A variable or its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    /// What is true if the variable has this value.
    pub(crate) fn new(variable: usize, value: bool) -> Lit {
        Lit((variable as u32) << 1 | u32::from(!value))
    }

    /// A number of its own, the complement's being next to it.
    pub(crate) fn code(self) -> usize {
        self.0 as usize
    }

    pub(super) fn from_word(word: u32) -> Lit {
        Lit(word)
    }

    pub(super) fn word(self) -> u32 {
        self.0
    }

    /// Its variable.
    pub(crate) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the variable itself.
    pub(crate) fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}
