//! The packed layout: where in a state's words each slot lies.
//!
//! Slots are packed in order, bit by bit, by their ranges; a slot never
//! straddles two words. Slots that are indexed at run time are laid out alike:
//! all in one word where they fit, else a power of two of them a word, so that
//! finding one takes a shift and a mask. Bits that belong to no slot are zero.

use crate::system::{Interval, SlotId, System};

/// Where a slot lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field {
    /// The word.
    pub word: u32,
    /// The lowest bit.
    pub shift: u32,
    /// How many bits; none where the slot never changes.
    pub bits: u32,
    /// What is added to the bits to make the value.
    pub lo: i64,
}

/// Slots that are indexed at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first slot.
    pub first: SlotId,
    /// How many slots.
    pub count: u32,
    /// The word of the first slot.
    pub word: u32,
    /// The lowest bit of the first slot.
    pub shift: u32,
    /// The bits from one slot to the next.
    pub stride: u32,
    /// The bits of a slot.
    pub bits: u32,
    /// How many slots a word holds, as a power of two; `None` where all lie in
    /// one word.
    pub per_word: Option<u32>,
    /// What is added to the bits to make the value.
    pub lo: i64,
}

/// Where every slot lies.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// For every slot, its field.
    pub fields: Vec<Field>,
    /// The stretches indexed at run time, in order.
    pub regions: Vec<Region>,
    /// The number of words of a state.
    pub words: usize,
    /// The number of bits that carry something.
    pub bits: u32,
}

impl Field {
    /// The bits of the field, all set.
    pub fn mask(self) -> u64 {
        mask(self.bits)
    }

    /// The value of the slot in `words`.
    pub fn get(self, words: &[u64]) -> i64 {
        if self.bits == 0 {
            return self.lo;
        }
        ((words[self.word as usize] >> self.shift & self.mask()) as i64).wrapping_add(self.lo)
    }

    /// Writes the value of the slot into `words`.
    pub fn set(self, words: &mut [u64], value: i64) {
        if self.bits == 0 {
            return;
        }
        let word = &mut words[self.word as usize];
        let bits = value.wrapping_sub(self.lo) as u64 & self.mask();
        *word = *word & !(self.mask() << self.shift) | bits << self.shift;
    }
}

impl Layout {
    /// Lays out the slots of a system.
    pub fn new(system: &System) -> Layout {
        let mut layout = Layout::default();
        let mut at = Cursor::default();
        let mut regions = system.regions().into_iter().peekable();
        let mut slot = 0;
        while slot < system.slots.len() {
            homing_budget::checkpoint();
            match regions.peek() {
                Some((first, count)) if first.index() == slot => {
                    layout.region(system, *first, *count, &mut at);
                    slot += *count as usize;
                    regions.next();
                }
                _ => {
                    layout.scalar(system.slots[slot].range, &mut at);
                    slot += 1;
                }
            }
        }
        // A state of no bits still has a word, so that code need not care.
        layout.words = (at.word + u32::from(at.shift > 0)).max(1) as usize;
        layout
    }

    fn scalar(&mut self, range: Interval, at: &mut Cursor) {
        let bits = bits_for(range);
        let (word, shift) = at.take(bits);
        self.bits += bits;
        self.fields.push(Field { word, shift, bits, lo: range.lo });
    }

    fn region(&mut self, system: &System, first: SlotId, count: u32, at: &mut Cursor) {
        let slots = &system.slots[first.index()..first.index() + count as usize];
        let range = slots.iter().map(|slot| slot.range).reduce(Interval::hull);
        let range = range.unwrap_or(Interval::point(0));
        let bits = bits_for(range);
        self.bits += bits * count;
        let one_word = bits * count <= 64;
        let (stride, per_word) = if one_word {
            (bits, None)
        } else {
            let n = power_below(64 / bits);
            (64 / n, Some(n))
        };
        let (word, shift) = if one_word { at.take(bits * count) } else { at.next_word() };
        for index in 0..count {
            let (word, shift) = match per_word {
                None => (word, shift + index * stride),
                Some(n) => (word + index / n, index % n * stride),
            };
            self.fields.push(Field { word, shift, bits, lo: range.lo });
        }
        if let Some(n) = per_word {
            at.word = word + (count - 1) / n;
            at.shift = ((count - 1) % n + 1) * stride;
            at.settle();
        }
        self.regions.push(Region {
            first,
            count,
            word,
            shift,
            stride,
            bits,
            per_word,
            lo: range.lo,
        });
    }

    /// The region that holds `first`.
    pub fn region_of(&self, first: SlotId) -> Option<&Region> {
        let holds =
            |region: &&Region| (region.first.0..region.first.0 + region.count).contains(&first.0);
        self.regions.iter().find(holds)
    }

    /// Packs one value a slot into words.
    pub fn pack(&self, values: &[i64]) -> Vec<u64> {
        let mut words = vec![0; self.words];
        for (field, value) in self.fields.iter().zip(values) {
            field.set(&mut words, *value);
        }
        words
    }

    /// The values of all slots.
    pub fn unpack(&self, words: &[u64]) -> Vec<i64> {
        self.fields.iter().map(|field| field.get(words)).collect()
    }
}

#[derive(Default)]
struct Cursor {
    word: u32,
    shift: u32,
}

impl Cursor {
    fn take(&mut self, bits: u32) -> (u32, u32) {
        if self.shift + bits > 64 {
            self.word += 1;
            self.shift = 0;
        }
        let place = (self.word, self.shift);
        self.shift += bits;
        // A field without bits reads no word, but must name one that exists.
        let place = if bits == 0 { (0, 0) } else { place };
        self.settle();
        place
    }

    fn next_word(&mut self) -> (u32, u32) {
        if self.shift > 0 {
            self.word += 1;
            self.shift = 0;
        }
        (self.word, 0)
    }

    fn settle(&mut self) {
        if self.shift == 64 {
            self.word += 1;
            self.shift = 0;
        }
    }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

fn bits_for(range: Interval) -> u32 {
    64 - (range.size() - 1).leading_zeros()
}

fn power_below(n: u32) -> u32 {
    1 << n.max(1).ilog2()
}
