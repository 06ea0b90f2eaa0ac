//! The open list of a directed search among others: by estimates, equal ones in the order
//! that its guide asks for.

use homing_core::{Accesses, Open};

use super::{Buckets, Levels};

/// Buckets, one set a queue of the preference.
#[derive(Debug)]
pub enum Sorted {
    /// Of equal estimates the oldest first.
    Oldest(Levels<Buckets<false>>),
    /// The newest first, which goes deep.
    Newest(Levels<Buckets<true>>),
}

impl Sorted {
    /// An empty one.
    pub fn new(newest: bool) -> Sorted {
        match newest {
            true => Sorted::Newest(Levels::default()),
            false => Sorted::Oldest(Levels::default()),
        }
    }

    fn list(&self) -> &dyn Open {
        match self {
            Sorted::Oldest(list) => list,
            Sorted::Newest(list) => list,
        }
    }
}

impl Default for Sorted {
    fn default() -> Sorted {
        Sorted::new(false)
    }
}

impl Open for Sorted {
    #[inline]
    fn push(&mut self, entry: u32, key: u64) {
        match self {
            Sorted::Oldest(list) => list.push(entry, key),
            Sorted::Newest(list) => list.push(entry, key),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, u64)> {
        match self {
            Sorted::Oldest(list) => list.pop(),
            Sorted::Newest(list) => list.pop(),
        }
    }

    #[inline]
    fn least(&mut self) -> Option<u64> {
        match self {
            Sorted::Oldest(list) => list.least(),
            Sorted::Newest(list) => list.least(),
        }
    }

    fn clear(&mut self) {
        match self {
            Sorted::Oldest(list) => list.clear(),
            Sorted::Newest(list) => list.clear(),
        }
    }

    fn accesses(&self) -> Option<Accesses> {
        self.list().accesses()
    }

    fn len(&self) -> usize {
        self.list().len()
    }

    fn bytes(&self) -> usize {
        self.list().bytes()
    }
}
