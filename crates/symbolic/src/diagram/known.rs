//! Maps from functions and nodes, for one traversal.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::kernel::Edge;

/// What is known of functions.
pub(super) type Known<V> = HashMap<Edge, V, BuildHasherDefault<Mixer>>;
/// Nodes, by their numbers.
pub(super) type Nodes = HashSet<usize, BuildHasherDefault<Mixer>>;

/// Mixes the one number that it is given. Numbers of nodes are dense, and nobody chooses
/// them.
#[derive(Default)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32(u32::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u32(number as u32);
    }
}
