//! Maps with a fixed hash, so that runs repeat.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A map that hashes alike in every run. Its order is never looked at.
pub(crate) type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// The hash of a value, alike in every run.
pub(crate) fn hashed(value: &impl Hash) -> u64 {
    let mut mixer = Mixer::default();
    value.hash(&mut mixer);
    mixer.finish()
}

/// Multiplies and folds, eight bytes at a time.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        let product =
            u128::from(self.0 ^ word ^ 0x2d35_8dcc_aa6c_78a5) * 0x8bb8_4b93_962e_acc9_u128;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
        chunks.remainder().iter().for_each(|byte| self.mix(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }
}
