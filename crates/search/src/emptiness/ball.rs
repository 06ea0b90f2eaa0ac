//! States around others, breadth-first, with the ways to them: what rounds are put
//! together from. A store numbers states for good; this one is emptied again and
//! again.

use homing_core::hash::hash_words;
use homing_core::{Edge, Word};

use crate::path::Path;

/// No place.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// States in the order in which they were reached, each once.
pub(crate) struct Ball {
    width: usize,
    words: Vec<Word>,
    /// Of each state where it was reached from, the step, and the acceptance sets
    /// passed on the way to it.
    reached: Vec<(u32, Edge, u64)>,
    /// Places by hash, one more than they are; linear probing.
    slots: Vec<u32>,
}

impl Ball {
    /// For states of so many words.
    pub(crate) fn new(width: usize) -> Ball {
        Ball { width, words: Vec::new(), reached: Vec::new(), slots: vec![0; 64] }
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.reached.clear();
        self.slots.truncate(1 << 12);
        self.slots.fill(0);
    }

    pub(crate) fn len(&self) -> usize {
        self.reached.len()
    }

    pub(crate) fn state(&self, place: usize) -> &[Word] {
        &self.words[place * self.width..(place + 1) * self.width]
    }

    /// The acceptance sets passed on the way to a place.
    pub(crate) fn sets(&self, place: usize) -> u64 {
        self.reached[place].2
    }

    /// The number of steps on the way to a place.
    pub(crate) fn depth(&self, place: usize) -> usize {
        self.way(place).count() - 1
    }

    /// Adds a state, unless it is there. Answers its place if it was not.
    pub(crate) fn add(
        &mut self,
        state: &[Word],
        from: u32,
        edge: Edge,
        marks: u64,
    ) -> Option<usize> {
        let mut slot = self.slot(hash_words(state));
        while let Some(place) = self.slots[slot].checked_sub(1) {
            if self.state(place as usize) == state {
                return None;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let place = self.len();
        let before = self.reached.get(from as usize).map_or(0, |reached| reached.2);
        self.words.extend_from_slice(state);
        self.reached.push((from, edge, before | marks));
        self.slots[slot] = place as u32 + 1;
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(place)
    }

    /// The way to a place, of states of `width` words: what lies behind them is left
    /// out.
    pub(crate) fn path(&self, place: usize, width: usize) -> Path {
        let mut way: Vec<usize> = self.way(place).collect();
        way.reverse();
        let mut path = Path::starting_at(&self.state(way[0])[..width]);
        way[1..].iter().for_each(|at| path.push(self.reached[*at].1, &self.state(*at)[..width]));
        path
    }

    /// The places on the way back from one.
    fn way(&self, place: usize) -> impl Iterator<Item = usize> {
        let from = |at: &usize| Some(self.reached[*at].0).filter(|from| *from != NOWHERE);
        std::iter::successors(Some(place), move |at| from(at).map(|from| from as usize))
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 4;
        self.slots.clear();
        self.slots.resize(size, 0);
        for place in 0..self.len() {
            let mut slot = self.slot(hash_words(self.state(place)));
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = place as u32 + 1;
        }
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
            + self.reached.capacity() * size_of::<(u32, Edge, u64)>()
            + self.slots.capacity() * size_of::<u32>()
    }
}
