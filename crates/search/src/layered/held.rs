//! The states a layered search holds: a set that forgets.
//!
//! States lie in chunks, each in a place of its own with its [`Node`] beside
//! it; places of forgotten states are used again. One index finds states of
//! all layers, so that a look-up costs the same however many layers are held:
//! open addressing, one byte of the hash a slot, compared before the state is.
//! A forgotten state leaves a mark in its slot, which the next insertion on the
//! way takes; the index is built anew when hardly any slot is without a mark.

use homing_core::Word;
use homing_core::hash::hash_words;

/// A state that is held, by its place.
pub(crate) type Place = u32;

/// No state.
pub(crate) const NOWHERE: Place = Place::MAX;

/// What is known of a state besides its words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its ancestor in the layer before that is kept, or [`NOWHERE`].
    pub ancestor: Place,
    /// The number of its layer.
    pub depth: u32,
}

/// States in a chunk.
const CHUNK: usize = 1 << 10;

/// Tags of slots that hold no state.
const FREE: u8 = 0;
const FORGOTTEN: u8 = 1;

/// Slots to begin with.
const FIRST: usize = 1 << 10;

struct Chunk {
    words: Box<[Word]>,
    nodes: Box<[Node]>,
}

pub(crate) struct Held {
    width: usize,
    chunks: Vec<Chunk>,
    /// Places that were used and are not now.
    vacant: Vec<Place>,
    /// Places from here on were never used.
    unused: usize,
    tags: Vec<u8>,
    slots: Vec<Place>,
    /// Slots that are not [`FREE`].
    taken: usize,
}

impl Held {
    pub(crate) fn new(width: usize) -> Held {
        Held {
            width,
            chunks: Vec::new(),
            vacant: Vec::new(),
            unused: 0,
            tags: vec![FREE; FIRST],
            slots: vec![NOWHERE; FIRST],
            taken: 0,
        }
    }

    /// The number of states held.
    pub(crate) fn len(&self) -> usize {
        self.unused - self.vacant.len()
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let chunk = CHUNK * (8 * self.width + size_of::<Node>());
        self.chunks.len() * chunk
            + self.tags.capacity()
            + 4 * self.slots.capacity()
            + 4 * self.vacant.capacity()
    }

    pub(crate) fn state(&self, place: Place) -> &[Word] {
        let (chunk, at) = split(place);
        &self.chunks[chunk].words[at * self.width..(at + 1) * self.width]
    }

    pub(crate) fn node(&self, place: Place) -> Node {
        let (chunk, at) = split(place);
        self.chunks[chunk].nodes[at]
    }

    pub(crate) fn set_ancestor(&mut self, place: Place, ancestor: Place) {
        let (chunk, at) = split(place);
        self.chunks[chunk].nodes[at].ancestor = ancestor;
    }

    /// Where the state is, if it is held.
    pub(crate) fn find(&self, state: &[Word], hash: u64) -> Option<Place> {
        let found = self.walk(hash, |place| self.state(place) == state).ok()?;
        Some(self.slots[found])
    }

    /// Adds a state that is not held. `None` where places have run out.
    pub(crate) fn insert(&mut self, state: &[Word], hash: u64, node: Node) -> Option<Place> {
        if (self.taken + 1) * 8 > self.tags.len() * 7 {
            self.rebuild();
        }
        let place = self.place()?;
        let (chunk, at) = split(place);
        let chunk = &mut self.chunks[chunk];
        chunk.words[at * self.width..(at + 1) * self.width].copy_from_slice(state);
        chunk.nodes[at] = node;
        self.enter(place, hash);
        Some(place)
    }

    /// Forgets a state.
    pub(crate) fn remove(&mut self, place: Place) {
        let hash = hash_words(self.state(place));
        if let Ok(slot) = self.walk(hash, |other| other == place) {
            self.tags[slot] = FORGOTTEN;
            self.vacant.push(place);
        }
    }

    fn place(&mut self) -> Option<Place> {
        if let Some(place) = self.vacant.pop() {
            return Some(place);
        }
        if self.unused == NOWHERE as usize {
            return None;
        }
        if self.unused == self.chunks.len() * CHUNK {
            self.chunks.push(Chunk {
                words: vec![0; CHUNK * self.width].into(),
                nodes: vec![Node { ancestor: NOWHERE, depth: 0 }; CHUNK].into(),
            });
        }
        self.unused += 1;
        Some((self.unused - 1) as Place)
    }

    /// The slot of the state of this hash for which `equal` holds, or else the
    /// first that a state of this hash may take.
    fn walk(&self, hash: u64, equal: impl Fn(Place) -> bool) -> Result<usize, usize> {
        let mask = self.tags.len() - 1;
        let tag = tag(hash);
        let mut slot = (hash >> 32) as usize & mask;
        let mut room = None;
        loop {
            match self.tags[slot] {
                FREE => return Err(room.unwrap_or(slot)),
                FORGOTTEN => room = room.or(Some(slot)),
                other if other == tag && equal(self.slots[slot]) => return Ok(slot),
                _ => {}
            }
            slot = (slot + 1) & mask;
        }
    }

    fn enter(&mut self, place: Place, hash: u64) {
        if let Err(slot) = self.walk(hash, |_| false) {
            self.taken += usize::from(self.tags[slot] == FREE);
            self.tags[slot] = tag(hash);
            self.slots[slot] = place;
        }
    }

    /// Builds the index anew, without marks, and larger where it is at least
    /// half full of states.
    fn rebuild(&mut self) {
        let wanted = self.tags.len() << usize::from(self.len() * 2 > self.tags.len());
        let tags = std::mem::replace(&mut self.tags, vec![FREE; wanted]);
        let slots = std::mem::replace(&mut self.slots, vec![NOWHERE; wanted]);
        self.taken = 0;
        for (tag, place) in tags.into_iter().zip(slots) {
            if tag > FORGOTTEN {
                self.enter(place, hash_words(self.state(place)));
            }
        }
    }
}

fn split(place: Place) -> (usize, usize) {
    (place as usize / CHUNK, place as usize % CHUNK)
}

fn tag(hash: u64) -> u8 {
    (hash as u8).max(FORGOTTEN + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A set that does as told, whatever the order of coming and going.
    #[test]
    fn oracle_states_come_and_go() {
        let mut held = Held::new(2);
        let mut model: BTreeMap<Word, (Place, u32)> = BTreeMap::new();
        for i in 0..60_000u64 {
            let word = hash_words(&[i]) % 5000;
            let state = [word, word / 3];
            let hash = hash_words(&state);
            assert_eq!(held.find(&state, hash), model.get(&word).map(|(place, _)| *place));
            match model.remove(&word) {
                Some((place, depth)) => {
                    assert_eq!((held.state(place), held.node(place).depth), (&state[..], depth));
                    held.remove(place);
                }
                None => {
                    let node = Node { ancestor: NOWHERE, depth: i as u32 };
                    let place = held.insert(&state, hash, node).unwrap();
                    model.insert(word, (place, i as u32));
                }
            }
            assert_eq!(held.len(), model.len());
        }
        assert!(held.bytes() < 400_000, "places and slots are used again: {}", held.bytes());
    }

    #[test]
    fn states_of_no_words_are_one_state() {
        let mut held = Held::new(0);
        assert_eq!(held.find(&[], hash_words(&[])), None);
        let node = Node { ancestor: NOWHERE, depth: 0 };
        let place = held.insert(&[], hash_words(&[]), node);
        assert_eq!(held.find(&[], hash_words(&[])), place);
    }
}
