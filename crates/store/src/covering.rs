//! The visited set of states that stand for many at once: a state that another
//! covers is left out, and drops those it covers itself.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (MoChArt 2008), Fig. 6; Behrmann, Bengtsson, David, Larsen,
//! Pettersson, Yi, "UPPAAL Implementation Secrets" (FTRTFT 2002), on one list of
//! passed and waiting states.
//!
//! ```text
//! visit(⟨l, Z⟩, g):
//!   for every live ⟨l, Z'⟩ with g(Z') ≤ g and Z ⊆ Z':
//!     answer Known if Z = Z', else Covered
//!   for every live ⟨l, Z'⟩ with g(Z') ≥ g and Z' ⊆ Z, but Z' ≠ Z:
//!     drop Z'
//!   if some live Z' = Z: g(Z') := g, answer Known        (it is opened again)
//!   store ⟨l, Z⟩ with g, answer New
//! ```
//! ⊆ is whatever [`Cover::covers`] says. The exact words l, all but those of
//! [`Cover::words`], are kept once, at the head of the chain of their zones; an
//! [`Index`] finds them. A dropped state leaves the chain and keeps its place:
//! it is a tombstone that its children's traces lead through.
//!
//! A state takes its zone and eight bytes, for the next in the chain and for
//! its l; eight more for g where costs matter, in searches that promise the
//! shortest way. Where they do not, g is zero for all, and whatever is covered
//! goes.
//!
//! Deviation: the paper drops whatever is covered, and so loses shortest ways:
//! a state may only go for one that was reached at no greater cost.
//!
//! Without a [`Cover`] a state covers itself only: the store is then an exact
//! one, with twelve bytes more a state.

use crate::arena::{Any, Arena, Fixed};
use crate::index::Index;
use crate::memory::MemoryMeter;
use crate::{NO_MEMORY, NUMBERS, StoreConfig};
use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::expression::Call;
use homing_core::hash::hash_words;
use homing_core::{Cover, Id, Price, Store, Visit, Word};
use std::ops::Range;

/// The catalogue's description.
pub const ROW: Row<crate::StoreBuilder> = Row {
    name: "covering",
    kind: Kind::Store,
    about: "keeps of states that stand for many, as zones do, only those no other covers; the default for timed models",
    cite: "survey 2008; Behrmann et al. 2002",
    parameters: &[],
    needs: &[],
    gives: &[Capability::Exact, Capability::KeepsStates, Capability::NumbersStates],
    uses: &[],
    build,
};

fn build<'a>(config: &StoreConfig<'a>, call: &Call) -> Result<Box<dyn Store + 'a>, String> {
    call.allow_named(&[])?;
    Ok(Box::new(Covering::new(config)?))
}

/// Behind the last of a chain.
const END: u32 = u32::MAX;

/// In place of the next in the chain, where a state was dropped from it.
const DROPPED: u32 = u32::MAX - 1;

/// Keeps the states that no other covers.
pub struct Covering<'a> {
    cover: Option<&'a dyn Cover>,
    /// The words of a state that are compared by the cover.
    words: Range<usize>,
    width: usize,
    /// The exact words, and then the first zone of their chain.
    keys: Arena<Any>,
    index: Index,
    /// The zones, each followed by its [`Link`].
    zones: Arena<Any>,
    /// What the way to each costs; empty as long as all cost nothing.
    costs: Arena<Fixed<1>>,
    /// Whether costs are not looked at any more.
    disregards: bool,
    dropped: usize,
    meter: MemoryMeter,
    /// The exact words of the state at hand.
    key: Vec<Word>,
    /// The record that is made for it.
    record: Vec<Word>,
    /// A stored state it is compared with.
    other: Vec<Word>,
    /// The states it may hold, those dropped included.
    pub(crate) most: usize,
}

/// What follows a zone: the next in its chain, and its key.
#[derive(Clone, Copy)]
struct Link {
    next: u32,
    key: u32,
}

impl Link {
    fn pack(self) -> Word {
        Word::from(self.next) << 32 | Word::from(self.key)
    }

    fn unpack(word: Word) -> Link {
        Link { next: (word >> 32) as u32, key: word as u32 }
    }
}

/// What the chain says of a state.
enum Found {
    /// It is covered, or there.
    Answer(Visit),
    /// It is there, at greater cost.
    Dearer(u32),
    /// It is not covered.
    Nothing,
}

impl<'a> Covering<'a> {
    /// An empty store, or a sentence.
    pub fn new(config: &StoreConfig<'a>) -> Result<Covering<'a>, String> {
        let width = config.width;
        let words = config.cover.map_or(width..width, Cover::words);
        let mut meter = MemoryMeter::new(config.memory);
        let index = Index::new(&mut meter).ok_or(NO_MEMORY)?;
        Ok(Covering {
            cover: config.cover,
            width,
            keys: Arena::new(Any(width - words.len() + 1)),
            index,
            zones: Arena::new(Any(words.len() + 1)),
            costs: Arena::new(Fixed),
            disregards: false,
            dropped: 0,
            meter,
            key: Vec::with_capacity(width + 1),
            record: Vec::with_capacity(words.len() + 1),
            other: vec![0; width],
            most: config.most(NUMBERS - 1),
            words,
        })
    }

    fn exact_words(&self) -> usize {
        self.width - self.words.len()
    }

    fn link(&self, id: u32) -> Link {
        Link::unpack(self.zones.get(id)[self.words.len()])
    }

    fn set_next(&mut self, id: u32, next: u32) {
        let link = Link { next, ..self.link(id) };
        self.zones.get_mut(id)[self.words.len()] = link.pack();
    }

    fn zone(&self, id: u32) -> &[Word] {
        &self.zones.get(id)[..self.words.len()]
    }

    fn first(&self, key: u32) -> u32 {
        self.keys.get(key)[self.exact_words()] as u32
    }

    fn set_first(&mut self, key: u32, first: u32) {
        let place = self.exact_words();
        self.keys.get_mut(key)[place] = first.into();
    }

    fn cost(&self, id: u32) -> Price {
        match self.disregards || self.costs.is_empty() {
            true => 0,
            false => self.costs.get(id)[0],
        }
    }

    /// The chain of the state at hand, whose exact words become `key`.
    fn find_chain(&mut self, state: &[Word]) -> (u64, Option<u32>) {
        self.key.clear();
        self.key.extend_from_slice(&state[..self.words.start]);
        self.key.extend_from_slice(&state[self.words.end..]);
        let hash = hash_words(&self.key);
        let exact = self.exact_words();
        let (keys, key) = (&self.keys, &self.key);
        (hash, self.index.find(hash, |id| keys.get(id)[..exact] == key[..]))
    }

    /// Looks for a zone of the chain that covers the state.
    fn look(&mut self, chain: u32, state: &[Word], cost: Price) -> Found {
        let zone = &state[self.words.clone()];
        let mut found = Found::Nothing;
        self.other.copy_from_slice(state);
        let mut at = self.first(chain);
        while at != END {
            if self.cost(at) > cost {
                if self.zone(at) == zone {
                    found = Found::Dearer(at);
                }
            } else if self.zone(at) == zone {
                return Found::Answer(Visit::Known(Id(at)));
            } else if let Some(cover) = self.cover {
                let other = &self.zones.get(at)[..self.words.len()];
                self.other[self.words.clone()].copy_from_slice(other);
                if cover.covers(&self.other, state) {
                    return Found::Answer(Visit::Covered(Id(at)));
                }
            }
            at = self.link(at).next;
        }
        found
    }

    /// Drops from the chain what the state covers, but not `same`, which is the
    /// state itself.
    fn drop_covered(&mut self, chain: u32, state: &[Word], cost: Price, same: Option<u32>) {
        let Some(cover) = self.cover else { return };
        let (mut at, mut before) = (self.first(chain), None);
        while at != END {
            let next = self.link(at).next;
            let other = &self.zones.get(at)[..self.words.len()];
            self.other[self.words.clone()].copy_from_slice(other);
            let goes = self.cost(at) >= cost && Some(at) != same;
            if goes && cover.covers(state, &self.other) {
                self.set_next(at, DROPPED);
                self.dropped += 1;
                match before {
                    None => self.set_first(chain, next),
                    Some(before) => self.set_next(before, next),
                }
            } else {
                before = Some(at);
            }
            at = next;
        }
    }

    /// Makes room for one more state of this cost; `false` where memory is
    /// short.
    fn ready(&mut self, cost: Price) -> bool {
        self.len() < self.most
            && self.zones.len() < NUMBERS - 1
            && self.zones.ready(&mut self.meter)
            && self.keys.ready(&mut self.meter)
            && (!self.index.is_full() || self.grow())
            && (cost == 0 && self.costs.is_empty() || self.ready_for_costs())
    }

    #[cold]
    fn grow(&mut self) -> bool {
        let exact = self.exact_words();
        let keys = &self.keys;
        let record = keys.record() + self.zones.record();
        self.index.grow(record, &mut self.meter, |id| hash_words(&keys.get(id)[..exact]))
    }

    /// Makes room for one more cost. Those before the first that counts are
    /// zero.
    fn ready_for_costs(&mut self) -> bool {
        while self.costs.len() < self.zones.len() {
            if !self.costs.ready(&mut self.meter) {
                return false;
            }
            self.costs.push(&[0]);
        }
        self.costs.ready(&mut self.meter)
    }

    /// Stores a state, for which [`Covering::ready`] made room.
    fn add(&mut self, state: &[Word], hash: u64, chain: Option<u32>, cost: Price) -> u32 {
        let key = chain.unwrap_or_else(|| {
            self.key.push(END.into());
            let key = self.keys.push(&self.key);
            self.index.insert(hash, key);
            key
        });
        self.record.clear();
        self.record.extend_from_slice(&state[self.words.clone()]);
        self.record.push(Link { next: self.first(key), key }.pack());
        let id = self.zones.push(&self.record);
        self.set_first(key, id);
        if cost != 0 || !self.costs.is_empty() {
            self.costs.push(&[cost]);
        }
        id
    }
}

impl Store for Covering<'_> {
    fn visit(&mut self, state: &[Word], _hash: u64, _from: Id, cost: Price) -> Visit {
        let cost = if self.disregards { 0 } else { cost };
        let (hash, chain) = self.find_chain(state);
        let same = match chain.map_or(Found::Nothing, |chain| self.look(chain, state, cost)) {
            Found::Answer(visit) => return visit,
            Found::Dearer(same) => Some(same),
            // Nothing is dropped for a state that there is no room for.
            Found::Nothing if !self.ready(cost) => return Visit::Full,
            Found::Nothing => None,
        };
        if let Some(chain) = chain {
            self.drop_covered(chain, state, cost, same);
        }
        match same {
            Some(same) => {
                self.costs.get_mut(same)[0] = cost;
                Visit::Known(Id(same))
            }
            None => Visit::New(Id(self.add(state, hash, chain, cost))),
        }
    }

    fn knows(&mut self, state: &[Word], _hash: u64) -> bool {
        let (_, chain) = self.find_chain(state);
        chain.is_some_and(|chain| matches!(self.look(chain, state, Price::MAX), Found::Answer(_)))
    }

    fn is_dropped(&self, id: Id) -> bool {
        self.link(id.0).next == DROPPED
    }

    fn disregard_costs(&mut self) {
        self.disregards = true;
    }

    /// The hashes are those of whole states; what is looked up is a part.
    fn prefetch(&self, _hashes: &[u64]) {}

    fn load(&self, id: Id, out: &mut [Word]) -> bool {
        let key = self.keys.get(self.link(id.0).key);
        let Range { start, end } = self.words;
        out[..start].copy_from_slice(&key[..start]);
        out[start..end].copy_from_slice(self.zone(id.0));
        out[end..].copy_from_slice(&key[start..self.exact_words()]);
        true
    }

    fn len(&self) -> usize {
        self.zones.len() - self.dropped
    }

    fn numbers(&self) -> usize {
        self.zones.len()
    }

    fn bytes(&self) -> usize {
        self.meter.used()
    }
}
