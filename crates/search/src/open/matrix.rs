//! The bucket matrix: an open list for A* with steps of equal cost (survey,
//! Fig. 5; Dial 1969).
//!
//! Fig. 5 keeps a set of states for every pair of g and h, and takes them
//! along the diagonals g + h = f, the least f first. Keys say f and h, which is
//! the same matrix turned by 45 degrees: a row for every f, in it a bucket for
//! every h. Of one row the least h comes first, where Fig. 5 takes the least
//! g: with a goal on this diagonal the search then runs straight to it.

use std::collections::{BTreeMap, VecDeque};

use homing_core::Open;

/// Buckets by f and h for keys of `keys`; what does not fit (ties, great sums)
/// waits in a sorted map. Equal keys leave first in, first out.
#[derive(Debug, Default)]
pub struct Matrix {
    rows: Vec<Row>,
    /// Everything in rows before this one is gone.
    least: usize,
    sparse: BTreeMap<u64, VecDeque<u32>>,
    length: usize,
    bytes: usize,
}

/// The buckets of one f.
#[derive(Debug, Default)]
struct Row {
    buckets: Vec<VecDeque<u32>>,
    /// Everything in buckets before this one is gone.
    least: usize,
    length: usize,
}

/// Sums and estimates below this have a place in the matrix.
const DENSE: u64 = 4096;

/// Where the key has its place: f and h, if it has no tie.
fn place(key: u64) -> Option<(usize, usize)> {
    let (f, h, tie) = (key >> 24, key >> 8 & 0xffff, key & 0xff);
    (f < DENSE && h < DENSE && tie == 0).then_some((f as usize, h as usize))
}

fn key(f: usize, h: usize) -> u64 {
    (f as u64) << 24 | (h as u64) << 8
}

impl Matrix {
    /// The first place of the matrix that holds something.
    fn first(&mut self) -> Option<(usize, usize)> {
        while self.rows.get(self.least)?.length == 0 {
            self.least += 1;
        }
        let row = &mut self.rows[self.least];
        while row.buckets.get(row.least)?.is_empty() {
            row.least += 1;
        }
        Some((self.least, row.least))
    }

    /// The least key, and whether it is one of the matrix.
    fn front(&mut self) -> Option<(u64, Option<(usize, usize)>)> {
        let dense = self.first().map(|(f, h)| (key(f, h), Some((f, h))));
        if self.sparse.is_empty() {
            return dense;
        }
        let sparse = self.sparse.first_key_value().map(|(key, _)| (*key, None));
        match (dense, sparse) {
            (Some(dense), Some(sparse)) => Some(if dense.0 < sparse.0 { dense } else { sparse }),
            (dense, sparse) => dense.or(sparse),
        }
    }
}

impl Open for Matrix {
    fn push(&mut self, entry: u32, key: u64) {
        let bucket = match place(key) {
            Some((f, h)) => {
                if self.rows.len() <= f {
                    self.rows.resize_with(f + 1, Row::default);
                }
                self.least = self.least.min(f);
                let row = &mut self.rows[f];
                if row.buckets.len() <= h {
                    row.buckets.resize_with(h + 1, VecDeque::new);
                }
                row.least = if row.length == 0 { h } else { row.least.min(h) };
                row.length += 1;
                &mut row.buckets[h]
            }
            None => self.sparse.entry(key).or_default(),
        };
        let before = bucket.capacity();
        bucket.push_back(entry);
        self.bytes += (bucket.capacity() - before) * size_of::<u32>();
        self.length += 1;
    }

    fn pop(&mut self) -> Option<(u32, u64)> {
        let (key, place) = self.front()?;
        self.length -= 1;
        match place {
            Some((f, h)) => {
                let row = &mut self.rows[f];
                row.length -= 1;
                Some((row.buckets[h].pop_front()?, key))
            }
            None => {
                let mut first = self.sparse.first_entry()?;
                let entry = first.get_mut().pop_front()?;
                if first.get().is_empty() {
                    self.bytes -= first.remove().capacity() * size_of::<u32>();
                }
                Some((entry, key))
            }
        }
    }

    fn least(&mut self) -> Option<u64> {
        self.front().map(|(key, _)| key)
    }

    fn clear(&mut self) {
        *self = Matrix::default();
    }

    fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
