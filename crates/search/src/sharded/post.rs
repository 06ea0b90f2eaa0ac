//! What a worker expanded in a round, and to whom each successor goes.

use std::ops::Range;

use homing_core::hash::hash_words;
use homing_core::{Batch, Price, Word};

use super::{Candidate, Place};
use crate::recent::Recent;

/// States taken for expansion, in one flat buffer.
#[derive(Debug, Default)]
pub struct States {
    width: usize,
    words: Vec<Word>,
    places: Vec<Place>,
    paths: Vec<Price>,
    keys: Vec<u64>,
}

impl States {
    /// None yet, of so many words each.
    pub fn new(width: usize) -> States {
        States { width, ..States::default() }
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.words.clear();
        self.places.clear();
        self.paths.clear();
        self.keys.clear();
    }

    /// Adds a state that waited under this key and is reached at this cost. Its words are
    /// to be written to what is answered.
    pub fn push(&mut self, place: Place, path: Price, key: u64) -> &mut [Word] {
        let start = self.words.len();
        self.words.resize(start + self.width, 0);
        self.places.push(place);
        self.paths.push(path);
        self.keys.push(key);
        &mut self.words[start..]
    }

    /// The words of a state.
    pub fn state(&self, i: usize) -> &[Word] {
        &self.words[i * self.width..(i + 1) * self.width]
    }

    /// Where a state is kept.
    pub fn place(&self, i: usize) -> Place {
        self.places[i]
    }

    /// What the path to it costs.
    pub fn path(&self, i: usize) -> Price {
        self.paths[i]
    }

    /// The key under which it waited.
    pub fn key(&self, i: usize) -> u64 {
        self.keys[i]
    }
}

/// Which shard owns a state.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    shards: usize,
    /// The words that say which, where it is not all of them: states that may cover each
    /// other belong together.
    exact: Option<Range<usize>>,
}

impl Owners {
    pub fn new(shards: usize, exact: Option<Range<usize>>) -> Owners {
        Owners { shards, exact }
    }

    /// The owner of a state with this hash.
    #[inline]
    pub fn of(&self, state: &[Word], hash: u64) -> usize {
        let hash = match &self.exact {
            None => hash,
            Some(exact) => hash_words(&state[exact.clone()]),
        };
        // Stores take the places of states from the hash itself: they must not all have
        // the same high or low bits.
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (mixed as usize * self.shards) >> 32
    }
}

/// A successor that was posted.
#[derive(Clone, Copy, Debug)]
struct Posted {
    /// Its place in the batch.
    successor: u32,
    /// The state it was generated from, among those taken.
    source: u32,
    /// The shard that owns it.
    owner: u32,
    path: Price,
}

/// What a worker expanded in a round.
#[derive(Debug)]
pub struct Post {
    /// What it took.
    pub(crate) taken: States,
    pub(crate) batch: Batch,
    posted: Vec<Posted>,
    hashes: Vec<u64>,
    /// For each shard what goes to it, by its place in `posted`.
    to: Vec<Vec<u32>>,
}

/// No state: what initial states were generated from.
const NO_SOURCE: u32 = u32::MAX;

impl Post {
    pub(crate) fn new(width: usize, shards: usize) -> Post {
        Post {
            taken: States::new(width),
            batch: Batch::new(width),
            posted: Vec::new(),
            hashes: Vec::new(),
            to: vec![Vec::new(); shards],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.taken.clear();
        self.batch.clear();
        self.posted.clear();
        self.hashes.clear();
        self.to.iter_mut().for_each(Vec::clear);
    }

    /// Posts successors of the batch that were generated from a state taken, those seen
    /// just now left out where that is asked for. `path` says what the way to each costs,
    /// if it is to be followed.
    #[inline]
    pub(crate) fn post(
        &mut self,
        which: Range<usize>,
        source: Option<usize>,
        owners: &Owners,
        recent: &mut Option<Recent>,
        mut path: impl FnMut(&Batch, usize) -> Option<Price>,
    ) {
        let source = source.map_or(NO_SOURCE, |source| source as u32);
        for successor in which {
            let Some(path) = path(&self.batch, successor) else { continue };
            let state = self.batch.state(successor);
            let hash = hash_words(state);
            if recent.as_mut().is_some_and(|recent| recent.seen(state, hash)) {
                continue;
            }
            let owner = owners.of(state, hash);
            self.to[owner].push(self.posted.len() as u32);
            let (successor, owner) = (successor as u32, owner as u32);
            self.posted.push(Posted { successor, source, owner, path });
            self.hashes.push(hash);
        }
    }

    /// The number of successors posted.
    pub fn len(&self) -> usize {
        self.posted.len()
    }

    /// Whether none was posted.
    pub fn is_empty(&self) -> bool {
        self.posted.is_empty()
    }

    /// A successor, in the order of posting.
    #[inline]
    pub fn candidate(&self, i: usize) -> Candidate<'_> {
        let Posted { successor, source, path, .. } = self.posted[i];
        let (from, source) = match source {
            NO_SOURCE => (Place::NONE, &[][..]),
            source => (self.taken.place(source as usize), self.taken.state(source as usize)),
        };
        Candidate {
            state: self.batch.state(successor as usize),
            hash: self.hashes[i],
            path,
            from,
            source,
            edge: self.batch.edge(successor as usize),
        }
    }

    /// The shard that owns a successor.
    #[inline]
    pub fn owner(&self, i: usize) -> usize {
        self.posted[i].owner as usize
    }

    /// What goes to a shard.
    pub fn to(&self, shard: usize) -> Candidates<'_> {
        Candidates { post: self, which: &self.to[shard] }
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.taken.words.capacity() + self.hashes.capacity()) * size_of::<Word>()
            + self.posted.capacity() * size_of::<Posted>()
            + self.to.iter().map(|to| to.capacity() * size_of::<u32>()).sum::<usize>()
            + std::mem::size_of_val(self.batch.words())
    }
}

/// What one worker posted to one shard, in the order of expansion.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    post: &'a Post,
    which: &'a [u32],
}

impl<'a> Candidates<'a> {
    /// Their number.
    pub fn len(&self) -> usize {
        self.which.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.which.is_empty()
    }

    /// One of them.
    #[inline]
    pub fn get(&self, i: usize) -> Candidate<'a> {
        self.post.candidate(self.which[i] as usize)
    }

    /// The hash of one of them.
    #[inline]
    pub fn hash(&self, i: usize) -> u64 {
        self.post.hashes[self.which[i] as usize]
    }
}
