//! How a sorted state is written as bytes, against one before.
//!
//! States of one word are written as the difference to the state before. Of longer ones, a
//! bit a word says which words differ; the first of these has grown, and is written as a
//! difference; of each other one, a byte says which bytes differ, and these follow.
//!
//! Numbers below 2⁵⁶ take as many bytes as the zeros at the end of the first say, and one
//! more: one load and no loop where they are read.

use homing_core::Word;

/// Bytes that must be readable behind what is decoded.
pub(crate) const PADDING: usize = 8;

/// Words whose bits share one number.
const GROUP: usize = 56;

pub(crate) fn put_number(out: &mut Vec<u8>, value: u64) {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    let bytes = bits.div_ceil(7);
    if bytes > 8 {
        out.push(0);
        out.extend_from_slice(&value.to_le_bytes());
        return;
    }
    let shown = (value << bytes) | 1 << (bytes - 1);
    out.extend_from_slice(&shown.to_le_bytes()[..bytes]);
}

/// A number at this place, which moves behind it.
#[inline]
pub(crate) fn number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let shown = load(bytes, *at)?;
    let length = shown.trailing_zeros() as usize + 1;
    if length > 8 {
        let value = load(bytes, *at + 1)?;
        *at += 9;
        return Some(value);
    }
    *at += length;
    Some(if length == 8 { shown >> 8 } else { (shown & ((1 << (8 * length)) - 1)) >> length })
}

#[inline]
fn load(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*eight))
}

/// Copies a state: most are of one word.
#[inline]
pub(crate) fn copy(to: &mut [Word], from: &[Word]) {
    match (to, from) {
        ([to], [from]) => *to = *from,
        (to, from) => to.copy_from_slice(from),
    }
}

/// Whether two states of the same length are one.
#[inline]
pub(crate) fn is_same(one: &[Word], other: &[Word]) -> bool {
    match (one, other) {
        ([one], [other]) => one == other,
        _ => one == other,
    }
}

/// Whether the one state comes before the other.
#[inline]
pub(crate) fn is_less(one: &[Word], other: &[Word]) -> bool {
    match (one, other) {
        ([one], [other]) => one < other,
        _ => one < other,
    }
}

/// Writes `state` against `before`, which it is not less than.
pub(crate) fn put_state(out: &mut Vec<u8>, state: &[Word], before: &[Word]) {
    if let ([word], [previous]) = (state, before) {
        put_number(out, word.wrapping_sub(*previous));
        return;
    }
    let mut grown = true;
    for (words, previous) in state.chunks(GROUP).zip(before.chunks(GROUP)) {
        let pairs = || words.iter().zip(previous);
        let differ = pairs().enumerate().map(|(at, (a, b))| u64::from(a != b) << at);
        put_number(out, differ.sum());
        for (word, previous) in pairs().filter(|(a, b)| a != b) {
            match std::mem::replace(&mut grown, false) {
                true => put_number(out, word.wrapping_sub(*previous)),
                false => put_bytes(out, word ^ previous),
            }
        }
    }
}

/// Turns `state`, which is the one before, into the next.
#[inline]
pub(crate) fn state(bytes: &[u8], at: &mut usize, state: &mut [Word]) -> Option<()> {
    if let [word] = state {
        *word = word.wrapping_add(number(bytes, at)?);
        return Some(());
    }
    let mut grown = true;
    for words in state.chunks_mut(GROUP) {
        let mut differ = number(bytes, at)?;
        while differ != 0 {
            let word = words.get_mut(differ.trailing_zeros() as usize)?;
            differ &= differ - 1;
            match std::mem::replace(&mut grown, false) {
                true => *word = word.wrapping_add(number(bytes, at)?),
                false => *word ^= spread(bytes, at)?,
            }
        }
    }
    Some(())
}

/// The bytes of a word that are not zero, and which they are.
fn put_bytes(out: &mut Vec<u8>, word: Word) {
    let bytes = word.to_le_bytes();
    let which = bytes.iter().enumerate().map(|(at, byte)| u8::from(*byte != 0) << at);
    out.push(which.sum());
    out.extend(bytes.iter().filter(|byte| **byte != 0));
}

#[inline]
fn spread(bytes: &[u8], at: &mut usize) -> Option<Word> {
    let mut which = *bytes.get(*at)?;
    let mut next = load(bytes, *at + 1)?;
    *at += 1 + which.count_ones() as usize;
    let mut word = 0;
    while which != 0 {
        word |= (next & 0xff) << (8 * which.trailing_zeros());
        next >>= 8;
        which &= which - 1;
    }
    Some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn oracle_numbers_come_back(value: u64, shift in 0..64u32, more: u64) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, value >> shift);
            put_number(&mut bytes, more);
            bytes.extend([0; PADDING]);
            let mut at = 0;
            prop_assert_eq!(number(&bytes, &mut at), Some(value >> shift));
            prop_assert_eq!(number(&bytes, &mut at), Some(more));
            prop_assert_eq!(at, bytes.len() - PADDING);
        }

        #[test]
        fn oracle_states_come_back(
            width in 0..130usize,
            sparse: bool,
            seed: u64,
        ) {
            let mut random = homing_core::Random::new(seed);
            let mut word = || if sparse { random.number() & random.number() & random.number() & 0xff00_00ff } else { random.number() };
            let mut states: Vec<Vec<u64>> = (0..9).map(|_| (0..width).map(|_| word()).collect()).collect();
            states.sort();
            let mut bytes = Vec::new();
            let mut before = vec![0; width];
            for state in &states {
                put_state(&mut bytes, state, &before);
                before.clone_from(state);
            }
            bytes.extend([0; PADDING]);
            let (mut at, mut read) = (0, vec![0; width]);
            for expected in &states {
                prop_assert_eq!(state(&bytes, &mut at, &mut read), Some(()));
                prop_assert_eq!(&read, expected);
            }
            prop_assert_eq!(at, bytes.len() - PADDING);
        }

        /// Bytes that nobody wrote are read as something or refused, and no more.
        #[test]
        fn any_bytes_can_be_read(bytes: Vec<u8>, width in 0..70usize) {
            let (mut at, mut read) = (0, vec![0; width]);
            for _ in 0..20 {
                if state(&bytes, &mut at, &mut read).is_none() { break; }
            }
        }
    }
}
