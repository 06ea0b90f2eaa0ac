//! Words as circuits: a word is a list of literals, the least bit first.
//!
//! What each operator means is said in `ir::relation` (`Binary`, `evaluate.rs`).

use crate::graph::{Graph, Literal};

/// A word that is a constant.
pub(crate) fn constant(number: i128, width: usize) -> Vec<Literal> {
    (0..width).map(|i| Literal::constant(number >> i.min(127) & 1 == 1)).collect()
}

/// A word of another width: cut, or with copies of a literal added.
pub(crate) fn resized(word: &[Literal], width: usize, new: Literal) -> Vec<Literal> {
    (0..width).map(|i| word.get(i).copied().unwrap_or(new)).collect()
}

/// The bit that says the sign.
pub(crate) fn sign(word: &[Literal]) -> Literal {
    word.last().copied().unwrap_or(Literal::FALSE)
}

fn complement(word: &[Literal]) -> Vec<Literal> {
    word.iter().map(|bit| !*bit).collect()
}

/// Operations on words.
impl Graph {
    /// The second word if the condition is true, the third if not. Both have one width.
    pub(crate) fn choose_word(
        &mut self,
        condition: Literal,
        a: &[Literal],
        b: &[Literal],
    ) -> Vec<Literal> {
        a.iter().zip(b).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    pub(crate) fn bitwise(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        gate: fn(&mut Graph, Literal, Literal) -> Literal,
    ) -> Vec<Literal> {
        a.iter().zip(b).map(|(a, b)| gate(self, *a, *b)).collect()
    }

    /// Whether two words of one width are equal.
    pub(crate) fn equal(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        let bits = self.bitwise(a, b, Graph::same);
        self.all(bits)
    }

    /// Whether all bits are zero.
    pub(crate) fn is_zero(&mut self, word: &[Literal]) -> Literal {
        !self.any(word.iter().copied())
    }

    /// The sum with a carry, and the carry that is left.
    fn sum(&mut self, a: &[Literal], b: &[Literal], carry: Literal) -> (Vec<Literal>, Literal) {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let differ = self.xor(*a, *b);
            sum.push(self.xor(differ, carry));
            carry = self.choose(differ, carry, *a);
        }
        (sum, carry)
    }

    pub(crate) fn add(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        self.sum(a, b, Literal::FALSE).0
    }

    pub(crate) fn subtract(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        self.sum(a, &complement(b), Literal::TRUE).0
    }

    pub(crate) fn negate(&mut self, a: &[Literal]) -> Vec<Literal> {
        let zero = vec![Literal::FALSE; a.len()];
        self.subtract(&zero, a)
    }

    /// Its negation if the condition is true.
    fn negate_if(&mut self, condition: Literal, a: &[Literal]) -> Vec<Literal> {
        let negated = self.negate(a);
        self.choose_word(condition, &negated, a)
    }

    fn absolute(&mut self, a: &[Literal]) -> Vec<Literal> {
        self.negate_if(sign(a), a)
    }

    /// Whether the first is less, as unsigned numbers.
    pub(crate) fn less(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        a.iter().zip(b).fold(Literal::FALSE, |less, (a, b)| {
            let differ = self.xor(*a, *b);
            self.choose(differ, *b, less)
        })
    }

    /// Whether the first is less, in two's complement.
    pub(crate) fn signed_less(&mut self, a: &[Literal], b: &[Literal]) -> Literal {
        // With the signs complemented the order is that of unsigned numbers.
        let flipped = |word: &[Literal]| {
            let mut word = word.to_vec();
            word.iter_mut().rev().take(1).for_each(|sign| *sign = !*sign);
            word
        };
        self.less(&flipped(a), &flipped(b))
    }

    pub(crate) fn multiply(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let width = a.len();
        let mut sum = vec![Literal::FALSE; width];
        for (i, factor) in b.iter().enumerate().filter(|(_, bit)| **bit != Literal::FALSE) {
            let row: Vec<Literal> =
                a[..width - i].iter().map(|bit| self.and(*bit, *factor)).collect();
            let upper = self.add(&sum[i..], &row);
            sum.truncate(i);
            sum.extend(upper);
        }
        sum
    }

    /// Quotient and remainder of unsigned numbers, by long division: all ones and the first
    /// where the second is zero, since then every subtraction succeeds and takes nothing.
    pub(crate) fn divide(&mut self, a: &[Literal], b: &[Literal]) -> (Vec<Literal>, Vec<Literal>) {
        let width = a.len();
        let less = complement(&resized(b, width + 1, Literal::FALSE));
        let mut rest = vec![Literal::FALSE; width];
        let mut quotient = vec![Literal::FALSE; width];
        for i in (0..width).rev() {
            rest.insert(0, a[i]);
            let (difference, fits) = self.sum(&rest, &less, Literal::TRUE);
            rest = self.choose_word(fits, &difference, &rest);
            rest.truncate(width);
            quotient[i] = fits;
        }
        (quotient, rest)
    }

    pub(crate) fn signed_divide(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let (positive_a, positive_b) = (self.absolute(a), self.absolute(b));
        let quotient = self.divide(&positive_a, &positive_b).0;
        let differ = self.xor(sign(a), sign(b));
        self.negate_if(differ, &quotient)
    }

    pub(crate) fn signed_remainder(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let (positive_a, positive_b) = (self.absolute(a), self.absolute(b));
        let rest = self.divide(&positive_a, &positive_b).1;
        self.negate_if(sign(a), &rest)
    }

    /// The remainder with the sign of the second.
    pub(crate) fn signed_modulo(&mut self, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
        let rest = self.signed_remainder(a, b);
        let moved = self.add(&rest, b);
        let (differ, is_zero) = (self.xor(sign(a), sign(b)), self.is_zero(&rest));
        let moves = self.and(differ, !is_zero);
        self.choose_word(moves, &moved, &rest)
    }

    /// A word shifted by another, towards greater bits or lesser ones.
    pub(crate) fn shift(
        &mut self,
        a: &[Literal],
        by: &[Literal],
        left: bool,
        filled: Literal,
    ) -> Vec<Literal> {
        let width = a.len();
        let mut word = a.to_vec();
        for (stage, bit) in by.iter().enumerate() {
            let distance = 1usize.checked_shl(stage as u32).unwrap_or(width).min(width);
            let moved: Vec<Literal> = (0..width)
                .map(|i| match left {
                    true => i.checked_sub(distance).map_or(filled, |from| word[from]),
                    false => word.get(i + distance).copied().unwrap_or(filled),
                })
                .collect();
            word = self.choose_word(*bit, &moved, &word);
        }
        word
    }

    /// The same, bits that leave coming in.
    pub(crate) fn rotate(&mut self, a: &[Literal], by: &[Literal], left: bool) -> Vec<Literal> {
        let mut word = a.to_vec();
        // The distance of a stage modulo the width.
        let mut distance = 1 % a.len().max(1);
        for bit in by {
            let mut moved = word.clone();
            match left {
                true => moved.rotate_right(distance),
                false => moved.rotate_left(distance),
            }
            word = self.choose_word(*bit, &moved, &word);
            distance = distance * 2 % a.len().max(1);
        }
        word
    }

    /// The element at an index that may be any.
    pub(crate) fn select(&mut self, elements: &[Vec<Literal>], index: &[Literal]) -> Vec<Literal> {
        let mut level = elements.to_vec();
        for bit in index {
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.choose_word(*bit, odd, even),
                    _ => pair[0].clone(),
                })
                .collect();
        }
        level.into_iter().next().unwrap_or_default()
    }

    /// Whether a word is this number.
    pub(crate) fn is_number(&mut self, word: &[Literal], number: usize) -> Literal {
        let bits = word.iter().enumerate();
        let bits = bits.map(|(i, bit)| {
            bit.complemented_if(number.checked_shr(i as u32).unwrap_or(0) & 1 == 0)
        });
        self.all(bits)
    }
}
