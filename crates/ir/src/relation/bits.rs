//! Words of any width, as values.

use std::fmt;

/// A word: bits, counted from the least one. Bits beyond the width are zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bits {
    width: u32,
    limbs: Vec<u64>,
}

impl Bits {
    /// All zero.
    pub fn zero(width: u32) -> Bits {
        Bits { width, limbs: vec![0; width.div_ceil(64) as usize] }
    }

    /// A number, cut to the width.
    pub fn of(number: u64, width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        if let Some(first) = bits.limbs.first_mut() {
            *first = number;
        }
        bits.trim();
        bits
    }

    /// A signed number in two's complement, cut to the width.
    pub fn of_signed(number: i64, width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        bits.limbs.fill(if number < 0 { u64::MAX } else { 0 });
        if let Some(first) = bits.limbs.first_mut() {
            *first = number as u64;
        }
        bits.trim();
        bits
    }

    /// The word whose bit `i` is `bit(i)`.
    pub fn from_fn(width: u32, mut bit: impl FnMut(u32) -> bool) -> Bits {
        let mut bits = Bits::zero(width);
        for i in 0..width {
            bits.limbs[(i / 64) as usize] |= u64::from(bit(i)) << (i % 64);
        }
        bits
    }

    /// The word with these limbs, the least one first, cut to the width.
    pub fn from_limbs(limbs: &[u64], width: u32) -> Bits {
        let mut bits = Bits::zero(width);
        let count = bits.limbs.len().min(limbs.len());
        bits.limbs[..count].copy_from_slice(&limbs[..count]);
        bits.trim();
        bits
    }

    /// What digits of a base up to 16 stand for; none where it needs more bits, or a
    /// character is no digit. Takes time proportional to the product of the lengths.
    pub fn parse(digits: &str, base: u32, width: u32) -> Option<Bits> {
        let mut limbs = vec![0u64; width.div_ceil(64) as usize + 1];
        for digit in digits.chars() {
            let mut carry = u128::from(digit.to_digit(base)?);
            for limb in &mut limbs {
                let product = u128::from(*limb) * u128::from(base) + carry;
                *limb = product as u64;
                carry = product >> 64;
            }
            if carry != 0 || limbs.last().is_some_and(|last| *last != 0) {
                return None;
            }
        }
        let bits = Bits::from_limbs(&limbs, width);
        (bits.limbs[..] == limbs[..bits.limbs.len()]).then_some(bits)
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The limbs, the least one first.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Bit `i`; zero beyond the width.
    pub fn bit(&self, i: u32) -> bool {
        let limb = self.limbs.get((i / 64) as usize);
        limb.is_some_and(|limb| limb >> (i % 64) & 1 == 1)
    }

    /// The bit that says the sign.
    pub fn sign(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.limbs.iter().all(|limb| *limb == 0)
    }

    /// As an unsigned number, if that is small enough.
    pub fn to_u64(&self) -> Option<u64> {
        let (first, rest) = self.limbs.split_first().unwrap_or((&0, &[]));
        rest.iter().all(|limb| *limb == 0).then_some(*first)
    }

    /// As a signed number in two's complement, if that is small enough.
    pub fn to_i64(&self) -> Option<i64> {
        let wide = Bits::from_fn(self.width.max(64), |i| self.bit(i.min(self.width - 1)));
        let (first, rest) = wide.limbs.split_first()?;
        let filled = if (*first as i64) < 0 { u64::MAX } else { 0 };
        let spare = wide.width % 64;
        let full = |limb: u64, last: bool| match last && spare > 0 && filled != 0 {
            true => limb | u64::MAX << spare,
            false => limb,
        };
        let count = rest.len();
        let same = rest.iter().enumerate().all(|(i, limb)| full(*limb, i + 1 == count) == filled);
        same.then_some(*first as i64)
    }

    /// Its digits in base ten.
    pub fn decimal(&self) -> String {
        const CHUNK: u64 = 10_000_000_000_000_000_000;
        let mut limbs = self.limbs.clone();
        let mut chunks = Vec::new();
        while limbs.iter().any(|limb| *limb != 0) {
            let mut rest = 0u128;
            for limb in limbs.iter_mut().rev() {
                let all = rest << 64 | u128::from(*limb);
                *limb = (all / u128::from(CHUNK)) as u64;
                rest = all % u128::from(CHUNK);
            }
            chunks.push(rest as u64);
        }
        let last = chunks.pop().unwrap_or(0).to_string();
        chunks.iter().rev().fold(last, |text, chunk| text + &format!("{chunk:019}"))
    }

    fn trim(&mut self) {
        let spare = self.width % 64;
        if let (true, Some(last)) = (spare != 0, self.limbs.last_mut()) {
            *last &= u64::MAX >> (64 - spare);
        }
    }
}

/// In base two, the greatest bit first.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (0..self.width).rev().try_for_each(|i| f.write_str(if self.bit(i) { "1" } else { "0" }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read_and_written() {
        for text in ["0", "1", "18446744073709551616", "340282366920938463463374607431768211455"] {
            let bits = Bits::parse(text, 10, 128).expect("fits");
            assert_eq!(bits.decimal(), text);
        }
        assert!(Bits::parse("340282366920938463463374607431768211456", 10, 128).is_none());
        assert!(Bits::parse("8", 10, 3).is_none() && Bits::parse("7", 10, 3).is_some());
        assert!(Bits::parse("1a", 10, 30).is_none());
        assert_eq!(Bits::parse("101", 2, 4).expect("fits").to_string(), "0101");
    }

    #[test]
    fn signs_are_minded() {
        for number in [0, 1, -1, 77, -77, i64::MAX, i64::MIN] {
            for width in [64, 65, 127, 128, 200] {
                assert_eq!(Bits::of_signed(number, width).to_i64(), Some(number), "{width}");
            }
        }
        assert_eq!(Bits::of(0b100, 3).to_i64(), Some(-4));
        let mut wide = Bits::zero(100);
        wide.limbs[1] = 1;
        assert_eq!((wide.to_i64(), wide.to_u64()), (None, None));
    }
}
