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

    /// Partition and depth, in order.
    pub(crate) fn bucket(self) -> u64 {
        self.0 >> 16
    }

    /// A tag of this bucket.
    pub(crate) fn of_bucket(bucket: u64) -> Tag {
        Tag(bucket << 16)
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

/// What of the tags of a block is written, for each in the same bytes: their partition is that
/// of the run, and what is the same for all is said once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Shape {
    /// Whether any mark is not zero.
    pub marked: bool,
    /// The bytes of a depth, above the least.
    pub depth: u8,
}

impl Shape {
    /// The least that these tags need, and their least depth.
    pub(crate) fn of(tags: &[Tag]) -> (Shape, u32) {
        let depths = || tags.iter().map(|tag| tag.depth());
        let (least, most) = (depths().min().unwrap_or(0), depths().max().unwrap_or(0));
        let depth = match most - least {
            0 => 0,
            1..=0xff => 1,
            0x100..=0xffff => 2,
            _ => 4,
        };
        (Shape { marked: tags.iter().any(|tag| tag.mark() != 0), depth }, least)
    }

    /// The bytes of a tag.
    pub(crate) fn bytes(self) -> usize {
        2 * usize::from(self.marked) + usize::from(self.depth)
    }

    pub(crate) fn number(self) -> u32 {
        u32::from(self.depth) << 1 | u32::from(self.marked)
    }

    pub(crate) fn of_number(number: u32) -> Option<Shape> {
        let depth = u8::try_from(number >> 1).ok().filter(|bytes| matches!(bytes, 0 | 1 | 2 | 4));
        depth.map(|depth| Shape { marked: number & 1 == 1, depth })
    }

    /// Writes a tag.
    pub(crate) fn put(self, out: &mut Vec<u8>, tag: Tag, least: u32) {
        if self.marked {
            out.extend_from_slice(&tag.mark().to_le_bytes());
        }
        out.extend_from_slice(&(tag.depth() - least).to_le_bytes()[..self.depth.into()]);
    }

    /// Reads a tag of this partition from its bytes.
    #[inline]
    pub(crate) fn read(self, bytes: &[u8], partition: u16, least: u32) -> Tag {
        let (mark, depth) = bytes.split_at(2 * usize::from(self.marked));
        let number =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        Tag::new(partition, least.wrapping_add(number(depth)), number(mark) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_back_in_as_few_bytes_as_they_need() {
        for (depths, marks, bytes) in [
            ([7, 7], [0, 0], 0),
            ([7, 262], [0, 0], 1),
            ([7, 263], [0, 9], 4),
            ([0, u32::MAX], [65_535, 0], 6),
        ] {
            let tags = [0, 1].map(|i| Tag::new(3, depths[i], marks[i]));
            let (shape, least) = Shape::of(&tags);
            assert_eq!((shape.bytes(), Shape::of_number(shape.number())), (bytes, Some(shape)));
            for tag in tags {
                let mut out = Vec::new();
                shape.put(&mut out, tag, least);
                assert_eq!((out.len(), shape.read(&out, 3, least)), (bytes, tag));
            }
        }
    }

    #[test]
    fn parts_come_back_and_order_is_by_partition_depth_and_mark() {
        let tag = Tag::new(7, u32::MAX, 65_535);
        assert_eq!((tag.partition(), tag.depth(), tag.mark()), (7, u32::MAX, 65_535));
        assert!(Tag::new(0, 2, 9) < Tag::new(0, 3, 1) && Tag::new(0, 9, 9) < Tag::new(1, 0, 0));
    }
}
