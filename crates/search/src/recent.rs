//! A small cache in front of the store.

use homing_core::Word;
use homing_core::hash::hash_words;

/// States visited just now, as many as fit the processor's cache.
///
/// In a breadth-first search most successors that are not new were generated
/// moments ago, from a neighbour in the queue: two independent steps lead to
/// one state in either order. These are recognised here, without touching the
/// store in main memory.
pub(crate) struct Recent {
    places: usize,
    words: Vec<Word>,
}

/// The memory of [`Recent`]: about what a second-level cache can spare.
const RECENT_BYTES: usize = 1 << 17;

impl Recent {
    pub(crate) fn new(width: usize) -> Recent {
        // However wide states are, one belongs elsewhere than another.
        let places = (RECENT_BYTES / (8 * width.max(1))).next_power_of_two().max(2);
        let mut recent = Recent { places, words: vec![0; places * width] };
        // Every place must hold a state that belongs elsewhere: zeros do, but
        // for the place that zeros belong to.
        let zeros = vec![0; width];
        let place = recent.place(hash_words(&zeros));
        let belongs_elsewhere = |state: &Vec<Word>| recent.place(hash_words(state)) != place;
        let other = (1..).map(|word| vec![word; width]).find(belongs_elsewhere);
        recent.words[place * width..][..width].copy_from_slice(&other.unwrap_or(zeros));
        recent
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & (self.places - 1)
    }

    /// Whether the state is among them; it is from now on.
    #[inline(always)]
    pub(crate) fn seen(&mut self, state: &[Word], hash: u64) -> bool {
        let start = self.place(hash) * state.len();
        let words = &mut self.words[start..start + state.len()];
        if words.iter().zip(state).all(|(a, b)| a == b) {
            return true;
        }
        words.iter_mut().zip(state).for_each(|(place, word)| *place = *word);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States of more words than fit the cache: some hundred clocks have such.
    #[test]
    fn states_may_be_wider_than_the_cache() {
        let width = 1 + RECENT_BYTES / 8;
        let mut recent = Recent::new(width);
        let (zeros, ones) = (vec![0; width], vec![1; width]);
        assert!(!recent.seen(&zeros, hash_words(&zeros)));
        assert!(recent.seen(&zeros, hash_words(&zeros)));
        assert!(!recent.seen(&ones, hash_words(&ones)));
    }
}
