//! Random formulas and words, by seeds.

use homing_omega::{Connective, Formula};

/// SplitMix64.
pub struct Draw(pub u64);

impl Draw {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// A formula with about `size` operators over `atoms` atoms.
    pub fn formula(&mut self, size: u64, atoms: u64) -> Formula<u32> {
        if size == 0 {
            return match self.below(20) {
                0 => Formula::Constant(self.below(2) == 0),
                _ => Formula::Atom(self.below(atoms) as u32),
            };
        }
        let one = |draw: &mut Draw| Box::new(draw.formula(size - 1, atoms));
        let binary = match self.below(12) {
            0 => return Formula::Not(one(self)),
            1 => return Formula::Next(one(self)),
            2 => return Formula::Finally(one(self)),
            3 => return Formula::Globally(one(self)),
            4 | 5 => Connective::And,
            6 | 7 => Connective::Or,
            8 => Connective::Until,
            9 => Connective::Release,
            10 => Connective::WeakUntil,
            _ if self.below(2) == 0 => Connective::Implies,
            _ => Connective::Iff,
        };
        let left = self.below(size);
        let f = self.formula(left, atoms);
        Formula::binary(binary, f, self.formula(size - 1 - left, atoms))
    }

    /// A word and where it goes on.
    pub fn lasso(&mut self, atoms: u64) -> (Vec<u64>, usize) {
        let length = 1 + self.below(6);
        let letters = (0..length).map(|_| self.below(1 << atoms)).collect();
        (letters, self.below(length) as usize)
    }
}

/// Whether the formula holds of the word.
pub fn holds(formula: &Formula<u32>, (letters, back): &(Vec<u64>, usize)) -> bool {
    formula.holds_on(letters.len(), *back, &mut |atom, i| letters[i] >> atom & 1 == 1)
}
