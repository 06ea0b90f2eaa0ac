//! Sets of labels, as bits.

/// A set of labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelSet {
    bits: Vec<u64>,
}

impl LabelSet {
    /// The empty set, with room for this many labels.
    pub fn new(labels: usize) -> LabelSet {
        LabelSet { bits: vec![0; labels.div_ceil(64)] }
    }

    /// Removes all labels.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Adds a label and says whether it was new.
    #[inline]
    pub fn insert(&mut self, label: u32) -> bool {
        let (word, bit) = (label as usize / 64, 1 << (label % 64));
        let new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        new
    }

    /// Whether the label is in the set.
    #[inline]
    pub fn contains(&self, label: u32) -> bool {
        self.bits[label as usize / 64] >> (label % 64) & 1 == 1
    }

    /// Whether some label is in both.
    pub fn meets(&self, other: &LabelSet) -> bool {
        self.bits.iter().zip(&other.bits).any(|(a, b)| a & b != 0)
    }

    /// Adds all of `other`.
    pub fn extend(&mut self, other: &LabelSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Removes all of `other`.
    pub fn subtract(&mut self, other: &LabelSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// The number of labels.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// The words of the set, 64 labels each.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// The words of the set, to change them.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.bits
    }

    /// The labels, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().flat_map(|(word, bits)| {
            let mut left = *bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_in_order() {
        let mut set = LabelSet::new(200);
        assert!([130, 3, 64].into_iter().all(|label| set.insert(label)));
        assert!(!set.insert(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 130]);
        let mut other = LabelSet::new(200);
        other.insert(64);
        assert!(set.meets(&other));
        set.subtract(&other);
        assert_eq!((set.len(), set.contains(64), set.meets(&other)), (2, false, false));
    }
}
