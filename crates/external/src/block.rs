//! Blocks of a run, and their checksums.
//!
//! ```text
//! head     length of the content in bytes, number of records, least depth, shape of the tags
//!          (u32 each), checksum of the content, checksum of the head (u64 each)
//! last     the words of its last state (part of the head)
//! content  groups of states, then the tags
//! group    its first state, against the first of the group before; the bytes of the rest;
//!          the other states, each against the one before
//! ```
//! So whoever looks for a state goes from group to group, not from state to state.

use homing_core::Word;
use homing_core::hash::hash_words;

use crate::tag::Shape;

/// Bytes of content after which a block is closed.
pub(crate) const CONTENT: usize = 1 << 14;

/// States of a group.
pub(crate) const GROUP: u32 = 16;

/// Bytes of a head without the words of the last state.
const FIXED: usize = 32;

/// What stands before the content of a block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Head {
    /// The bytes of the content.
    pub length: u32,
    /// The number of records.
    pub count: u32,
    /// The least depth.
    pub depth: u32,
    /// What of the tags is written.
    pub shape: Shape,
    /// The checksum of the content.
    pub content: u64,
    /// The last state.
    pub last: Vec<Word>,
}

impl Head {
    /// The bytes of a head, for states of so many words.
    pub(crate) fn bytes(width: usize) -> usize {
        FIXED + 8 * width
    }

    /// Writes it.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        for number in [self.length, self.count, self.depth, self.shape.number()] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.content.to_le_bytes());
        out.extend_from_slice(&self.checksum().to_le_bytes());
        self.last.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }

    /// Reads it; none where it is damaged.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<()> {
        let (fixed, last) = bytes.split_at_checked(FIXED)?;
        let number = |at: usize| Some(u32::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_le_bytes(*fixed.get(at..)?.first_chunk()?));
        (self.length, self.count, self.depth) = (number(0)?, number(4)?, number(8)?);
        self.shape = Shape::of_number(number(12)?)?;
        self.content = long(16)?;
        self.last.clear();
        self.last.extend(
            last.chunks_exact(8)
                .filter_map(|word| word.first_chunk())
                .map(|word| u64::from_le_bytes(*word)),
        );
        (long(24)? == self.checksum()).then_some(())
    }

    fn checksum(&self) -> u64 {
        let sizes = u64::from(self.length) << 32 | u64::from(self.count);
        let depths = u64::from(self.depth) << 32 | u64::from(self.shape.number());
        hash_words(&[sizes, depths, self.content, hash_words(&self.last)])
    }
}

/// The checksum of bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    /// Words that are hashed together.
    const TOGETHER: usize = 32;
    let mut sum = bytes.len() as u64;
    for part in bytes.chunks(8 * TOGETHER) {
        let mut words = [0; TOGETHER + 1];
        words[TOGETHER] = sum;
        for (word, eight) in words.iter_mut().zip(part.chunks(8)) {
            *word = match eight.first_chunk() {
                Some(eight) => u64::from_le_bytes(*eight),
                None => eight.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            };
        }
        sum = hash_words(&words);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_head_and_of_a_content_counts() {
        let shape = Shape { marked: true, depth: 2 };
        let head = Head { length: 9, count: 3, depth: 7, shape, content: 5, last: vec![1, 2] };
        let mut bytes = Vec::new();
        head.put(&mut bytes);
        assert_eq!(bytes.len(), Head::bytes(2));
        let mut read = Head::default();
        assert_eq!((read.read(&bytes), &read), (Some(()), &head));
        let sum = checksum(&bytes);
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read.read(&bytes), None, "bit {bit}");
            assert_ne!(checksum(&bytes), sum, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert_ne!(checksum(&bytes[..bytes.len() - 1]), sum);
        assert_ne!(checksum(&[]), checksum(&[0]));
    }
}
