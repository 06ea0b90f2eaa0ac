//! Type-based buckets: every *type* of state is as likely as any other, however many
//! states there are of it.
//!
//! Xie, Müller, Holte, Imai, "Type-Based Exploration with Multiple Search Queues for
//! Satisficing Planning" (AAAI 2014); types are from Lelis, Zilles, Holte (2013). The type
//! of a state is (g, h₁, h₂, …): what the path to it costs, and its estimates.
//!
//! ```text
//! push s:  insert s into the bucket of type (g(s), h₁(s), …)
//! pop:     draw a bucket among those that are not empty, each as likely
//!          draw a state of it, each as likely
//! ```

use std::collections::BTreeMap;

use homing_core::{Known, Open, Price, Random};

/// States by their types. In which order they leave is random; the same seed draws alike.
#[derive(Debug)]
pub struct Types {
    /// The places of types among the buckets.
    places: BTreeMap<Box<[Price]>, usize>,
    /// Those that are not empty.
    buckets: Vec<Bucket>,
    /// The type of a state, while it is pushed.
    scratch: Vec<Price>,
    random: Random,
    length: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Bucket {
    of: Box<[Price]>,
    entries: Vec<u32>,
}

impl Types {
    /// An empty list that draws by this seed.
    pub fn new(seed: u64) -> Types {
        Types {
            places: BTreeMap::new(),
            buckets: Vec::new(),
            scratch: Vec::new(),
            random: Random::new(seed),
            length: 0,
            bytes: 0,
        }
    }

    /// The bucket of the type in `scratch`.
    fn place(&mut self) -> usize {
        if let Some(place) = self.places.get(&self.scratch[..]) {
            return *place;
        }
        let (of, place) = (Box::<[Price]>::from(&self.scratch[..]), self.buckets.len());
        self.bytes += Types::bytes_of(&of);
        self.buckets.push(Bucket { of: of.clone(), entries: Vec::new() });
        self.places.insert(of, place);
        place
    }

    /// What a bucket takes besides its entries, in both tables.
    fn bytes_of(of: &[Price]) -> usize {
        2 * size_of_val(of) + size_of::<Bucket>() + size_of::<(Box<[Price]>, usize)>()
    }

    /// Removes a bucket; the last one takes its place.
    fn remove(&mut self, place: usize) {
        let Bucket { of, entries } = self.buckets.swap_remove(place);
        self.bytes -= Types::bytes_of(&of) + entries.capacity() * size_of::<u32>();
        self.places.remove(&of);
        if let Some(moved) = self.buckets.get(place)
            && let Some(known) = self.places.get_mut(&moved.of)
        {
            *known = place;
        }
    }
}

impl Open for Types {
    /// By its key alone.
    fn push(&mut self, entry: u32, key: u64) {
        self.push_known(entry, key, &Known { path: key, estimates: &[], preferred: false });
    }

    fn push_known(&mut self, entry: u32, _key: u64, known: &Known) {
        self.scratch.clear();
        self.scratch.push(known.path);
        self.scratch.extend(known.estimates.iter().map(|estimate| Price::from(*estimate)));
        let place = self.place();
        let entries = &mut self.buckets[place].entries;
        let before = entries.capacity();
        entries.push(entry);
        self.bytes += (entries.capacity() - before) * size_of::<u32>();
        self.length += 1;
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        let place = self.random.below(self.buckets.len() as u64) as usize;
        let entries = &mut self.buckets.get_mut(place)?.entries;
        let drawn = self.random.below(entries.len() as u64) as usize;
        let entry = entries.swap_remove(drawn);
        self.length -= 1;
        if entries.is_empty() {
            self.remove(place);
        }
        Some((entry, 0))
    }

    /// Its entries have no order.
    fn least(&mut self) -> Option<u64> {
        (self.length > 0).then_some(0)
    }

    fn clear(&mut self) {
        self.places.clear();
        self.buckets.clear();
        self.length = 0;
        self.bytes = 0;
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
