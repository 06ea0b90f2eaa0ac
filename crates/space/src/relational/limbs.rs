//! Words as limbs of 64 bits, the least first; bits beyond the width are zero.
//!
//! Shares nothing with the reference interpreter, which computes bit by bit.

/// The limbs of a word.
pub fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Clears the bits beyond the width.
pub fn cut(out: &mut [u64], width: u32) {
    if let (spare @ 1.., Some(last)) = (width % 64, out.last_mut()) {
        *last &= u64::MAX >> (64 - spare);
    }
}

/// 64 bits from a position on; zero where there are none.
pub fn window(word: &[u64], at: i64) -> u64 {
    let limb = |i: i64| usize::try_from(i).ok().and_then(|i| word.get(i)).copied().unwrap_or(0);
    let (first, rest) = (at.div_euclid(64), at.rem_euclid(64));
    match rest {
        0 => limb(first),
        _ => limb(first) >> rest | limb(first + 1) << (64 - rest),
    }
}

/// The bit that says the sign.
pub fn sign(word: &[u64], width: u32) -> bool {
    window(word, i64::from(width) - 1) & 1 == 1
}

/// Moves a word up by so many bits, or down where that is negative.
pub fn moved(out: &mut [u64], word: &[u64], by: i64) {
    for (i, limb) in out.iter_mut().enumerate() {
        *limb = window(word, 64 * i as i64 - by);
    }
}

/// Sets all bits from a position on.
pub fn fill_from(out: &mut [u64], at: u32, width: u32) {
    for (i, limb) in out.iter_mut().enumerate() {
        let first = 64 * i as u32;
        *limb |= match at.saturating_sub(first) {
            0 => u64::MAX,
            bits @ 1..64 => u64::MAX << bits,
            _ => 0,
        };
    }
    cut(out, width);
}

/// Adds, with a carry that comes in; `flip` complements the second.
pub fn add(out: &mut [u64], a: &[u64], b: &[u64], flip: bool, width: u32) {
    let mut carry = flip;
    for (i, limb) in out.iter_mut().enumerate() {
        let b = if flip { !b[i] } else { b[i] };
        let (sum, one) = a[i].overflowing_add(b);
        let (sum, two) = sum.overflowing_add(carry.into());
        (*limb, carry) = (sum, one || two);
    }
    cut(out, width);
}

/// Two's complement.
pub fn negate(word: &mut [u64], width: u32) {
    let mut carry = true;
    for limb in word.iter_mut() {
        (*limb, carry) = (!*limb).overflowing_add(carry.into());
    }
    cut(word, width);
}

/// Multiplies, modulo the size.
pub fn multiply(out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    out.fill(0);
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().enumerate().take(out.len() - i) {
            let all = u128::from(*x) * u128::from(*y) + u128::from(out[i + j]) + carry;
            out[i + j] = all as u64;
            carry = all >> 64;
        }
    }
    cut(out, width);
}

/// Whether the first is less.
pub fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Divides: the quotient into `quotient`, what is left into `rest`. By zero: all ones, and
/// the dividend.
pub fn divide(quotient: &mut [u64], rest: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    if b.iter().all(|limb| *limb == 0) {
        quotient.fill(u64::MAX);
        cut(quotient, width);
        return rest.copy_from_slice(a);
    }
    if let ([a], [b]) = (a, b) {
        (quotient[0], rest[0]) = (a / b, a % b);
        return;
    }
    quotient.fill(0);
    rest.fill(0);
    for i in (0..width).rev() {
        let mut carry = window(a, i64::from(i)) & 1;
        for limb in rest.iter_mut() {
            let out = *limb >> 63;
            *limb = *limb << 1 | carry;
            carry = out;
        }
        if carry == 1 || !less(rest, b) {
            let mut borrow = false;
            for (limb, b) in rest.iter_mut().zip(b) {
                let (one, first) = limb.overflowing_sub(*b);
                let (two, second) = one.overflowing_sub(borrow.into());
                (*limb, borrow) = (two, first || second);
            }
            quotient[(i / 64) as usize] |= 1 << (i % 64);
        }
    }
}

/// What is left of a word divided by a number.
pub fn remainder(word: &[u64], by: u64) -> u64 {
    let step = |rest: u64, limb: &u64| {
        let all = u128::from(rest) << 64 | u128::from(*limb);
        (all % u128::from(by)) as u64
    };
    word.iter().rev().fold(0, step)
}
