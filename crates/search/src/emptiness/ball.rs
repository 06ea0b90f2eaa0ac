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
    reached: Vec<Reached>,
    /// By hash, linear probing: in the lower half one more than a place, in the upper
    /// half that of the hash, so that few other states are compared.
    slots: Vec<u64>,
}

/// How a state was reached.
struct Reached {
    from: u32,
    /// The number of steps on the way to it.
    depth: u32,
    edge: Edge,
    /// The acceptance sets passed on the way.
    sets: u64,
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
        self.reached[place].sets
    }

    /// The number of steps on the way to a place.
    pub(crate) fn depth(&self, place: usize) -> usize {
        self.reached[place].depth as usize
    }

    /// Adds a state, unless it is there. Answers its place if it was not.
    pub(crate) fn add(
        &mut self,
        state: &[Word],
        from: u32,
        edge: Edge,
        marks: u64,
    ) -> Option<usize> {
        let hash = hash_words(state);
        let Err(slot) = self.probe(state, hash) else { return None };
        let place = self.len();
        let before = self.reached.get(from as usize);
        let (depth, sets) = before.map_or((0, 0), |before| (before.depth + 1, before.sets));
        self.words.extend_from_slice(state);
        self.reached.push(Reached { from, depth, edge, sets: sets | marks });
        self.slots[slot] = entry(hash, place);
        if self.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(place)
    }

    /// The place of a state, if it is there.
    pub(crate) fn find(&self, state: &[Word]) -> Option<usize> {
        self.probe(state, hash_words(state)).ok()
    }

    /// The place of a state, or the slot where it would be.
    fn probe(&self, state: &[Word], hash: u64) -> Result<usize, usize> {
        let mut slot = self.slot(hash);
        while self.slots[slot] != 0 {
            let place = (self.slots[slot] as u32 - 1) as usize;
            if self.slots[slot] == entry(hash, place) && self.state(place) == state {
                return Ok(place);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        Err(slot)
    }

    /// The way to a place, of states of `width` words: what lies behind them is left
    /// out.
    pub(crate) fn path(&self, place: usize, width: usize) -> Path {
        let mut way: Vec<usize> = self.way(place).collect();
        way.reverse();
        let mut path = Path::starting_at(&self.state(way[0])[..width]);
        way[1..].iter().for_each(|at| path.push(self.reached[*at].edge, &self.state(*at)[..width]));
        path
    }

    /// The places on the way back from one.
    fn way(&self, place: usize) -> impl Iterator<Item = usize> {
        let from = |at: &usize| Some(self.reached[*at].from).filter(|from| *from != NOWHERE);
        std::iter::successors(Some(place), move |at| from(at).map(|from| from as usize))
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for place in 0..self.len() {
            let hash = hash_words(self.state(place));
            let mut slot = self.slot(hash);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = entry(hash, place);
        }
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
            + self.reached.capacity() * size_of::<Reached>()
            + self.slots.capacity() * size_of::<u64>()
    }
}

/// What a slot says of a state.
fn entry(hash: u64, place: usize) -> u64 {
    hash & !u64::from(u32::MAX) | (place as u64 + 1)
}
