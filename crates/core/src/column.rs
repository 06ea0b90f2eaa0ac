//! What a search remembers about stored states, one value a state.

use crate::Id;

/// A value for every stored state: g, parent, colour, a cached estimate. Paid
/// for only where a strategy uses it.
///
/// Values lie in chunks, so that growing never copies and never needs twice
/// the memory.
#[derive(Debug)]
pub struct Column<T> {
    chunks: Vec<Box<[T]>>,
    absent: T,
}

const CHUNK_BITS: u32 = 16;
const CHUNK: usize = 1 << CHUNK_BITS;

impl<T: Copy> Column<T> {
    /// A column in which every state has the value `absent` until it is set.
    pub fn new(absent: T) -> Column<T> {
        Column { chunks: Vec::new(), absent }
    }

    /// The value of a state.
    #[inline]
    pub fn get(&self, id: Id) -> T {
        match self.chunks.get(id.index() >> CHUNK_BITS) {
            Some(chunk) => chunk[id.index() & (CHUNK - 1)],
            None => self.absent,
        }
    }

    /// Sets the value of a state.
    #[inline]
    pub fn set(&mut self, id: Id, value: T) {
        debug_assert!(id.is_some());
        let chunk = id.index() >> CHUNK_BITS;
        if self.chunks.len() <= chunk {
            self.grow(chunk);
        }
        self.chunks[chunk][id.index() & (CHUNK - 1)] = value;
    }

    /// Makes chunks up to this one. Apart, so that the rest is inlined.
    #[cold]
    fn grow(&mut self, chunk: usize) {
        while self.chunks.len() <= chunk {
            self.chunks.push(vec![self.absent; CHUNK].into_boxed_slice());
        }
    }

    /// Changes the value of a state.
    #[inline]
    pub fn update(&mut self, id: Id, change: impl FnOnce(T) -> T) {
        match self.chunks.get_mut(id.index() >> CHUNK_BITS) {
            Some(chunk) => {
                let value = &mut chunk[id.index() & (CHUNK - 1)];
                *value = change(*value);
            }
            None => self.set(id, change(self.absent)),
        }
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_values_are_absent() {
        let mut column = Column::new(u32::MAX);
        column.set(Id(200_000), 5);
        assert_eq!(column.get(Id(200_000)), 5);
        assert_eq!(column.get(Id(3)), u32::MAX);
        assert_eq!(column.get(Id(9_000_000)), u32::MAX);
        assert!(column.bytes() >= 4 * 200_000);
        column.update(Id(200_000), |value| value + 1);
        column.update(Id(300_000), |value| value - 1);
        assert_eq!((column.get(Id(200_000)), column.get(Id(300_000))), (6, u32::MAX - 1));
    }
}
