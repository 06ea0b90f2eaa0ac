//! What is saved beside a state.

use homing_core::Word;
use homing_core::hash::hash_words;

/// What is saved beside a state, in one word: the partition that it belongs to, its depth,
/// and the *mark* of its predecessor.
///
/// The survey saves the predecessor with every state. What is needed of it is that it can be
/// recognised when the layer before is scanned, so its mark is enough: sixteen bits of its
/// hash. Of the states with this mark few are no predecessors, and expanding them tells. It
/// is smaller than the words of the predecessor and than its number, and files can be merged
/// without numbering anything again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tag(u64);

impl Tag {
    /// The tag of a state of this partition, at this depth, reached from a state with this
    /// mark.
    #[inline]
    pub fn new(partition: u16, depth: u32, mark: u16) -> Tag {
        Tag(u64::from(partition) << 48 | u64::from(depth) << 16 | u64::from(mark))
    }

    /// The mark of a state, for the tags of its successors.
    #[inline]
    pub fn mark_of(state: &[Word]) -> u16 {
        hash_words(state) as u16
    }

    /// The partition: in a directed search, the estimate.
    #[inline]
    pub fn partition(self) -> u16 {
        (self.0 >> 48) as u16
    }

    /// The number of steps to it.
    #[inline]
    pub fn depth(self) -> u32 {
        (self.0 >> 16) as u32
    }

    /// The mark of its predecessor.
    #[inline]
    pub fn mark(self) -> u16 {
        self.0 as u16
    }

    /// All in one word, in order.
    pub(crate) fn word(self) -> Word {
        self.0
    }

    /// The same again.
    pub(crate) fn of_word(word: Word) -> Tag {
        Tag(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_and_order_is_by_partition_depth_and_mark() {
        let tag = Tag::new(7, u32::MAX, 65_535);
        assert_eq!((tag.partition(), tag.depth(), tag.mark()), (7, u32::MAX, 65_535));
        assert!(Tag::new(0, 2, 9) < Tag::new(0, 3, 1) && Tag::new(0, 9, 9) < Tag::new(1, 0, 0));
    }
}
