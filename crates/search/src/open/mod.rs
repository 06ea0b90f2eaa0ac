//! Open lists.

mod beside;
mod bucket;
mod fifo;
mod heap;
mod levels;
mod lifo;
mod matrix;

pub use beside::Beside;
pub use bucket::Buckets;
pub use fifo::Fifo;
pub use heap::Heap;
pub use levels::{KEY_BITS, Levels};
pub use lifo::Lifo;
pub use matrix::Matrix;

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::Open;
    use proptest::prelude::*;

    fn drain(open: &mut dyn Open) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| open.pop()).collect()
    }

    proptest! {
        /// Buckets and heap order alike: by key, equal keys first in, first out.
        #[test]
        fn buckets_and_heap_agree(
            operations in prop::collection::vec(prop::option::of(0u64..2000), 0..300),
        ) {
            let (mut buckets, mut heap) = (Buckets::<false>::default(), Heap::default());
            for (entry, operation) in operations.into_iter().enumerate() {
                match operation {
                    Some(key) => {
                        buckets.push(entry as u32, key);
                        heap.push(entry as u32, key);
                    }
                    None => prop_assert_eq!(buckets.pop(), heap.pop()),
                }
                prop_assert_eq!(buckets.len(), heap.len());
            }
            prop_assert_eq!(drain(&mut buckets), drain(&mut heap));
        }

        /// Of equal keys the newest leaves first, where asked for.
        #[test]
        fn newest_first_within_a_bucket(keys in prop::collection::vec(0u64..4, 0..50)) {
            let mut buckets = Buckets::<true>::default();
            keys.iter().enumerate().for_each(|(entry, key)| buckets.push(entry as u32, *key));
            let mut expected: Vec<(u64, i64)> =
                keys.iter().enumerate().map(|(entry, key)| (*key, -(entry as i64))).collect();
            expected.sort_unstable();
            let expected: Vec<(u32, u64)> =
                expected.into_iter().map(|(key, entry)| (-entry as u32, key)).collect();
            prop_assert_eq!(drain(&mut buckets), expected);
        }

        /// The matrix orders as a heap does, with ties and great sums too.
        #[test]
        fn matrix_and_heap_agree(
            operations in prop::collection::vec(
                prop::option::of((0u64..6, 0u64..5, 0u64..20, 0u64..2)),
                0..300,
            ),
        ) {
            let (mut matrix, mut heap) = (Matrix::default(), Heap::default());
            for (entry, operation) in operations.into_iter().enumerate() {
                match operation {
                    Some((f, h, tie, far)) => {
                        let tie = tie.saturating_sub(17);
                        let key = (f + far * 5000) << 24 | h << 8 | tie;
                        matrix.push(entry as u32, key);
                        heap.push(entry as u32, key);
                    }
                    None => prop_assert_eq!(matrix.pop(), heap.pop()),
                }
                prop_assert_eq!(matrix.len(), heap.len());
                prop_assert_eq!(matrix.least(), heap.least());
            }
            prop_assert_eq!(drain(&mut matrix), drain(&mut heap));
        }

        /// Levels of heaps order as one heap does, by queue before key.
        #[test]
        fn levels_agree_with_a_heap(
            operations in prop::collection::vec(prop::option::of((0u64..5, 0u64..9)), 0..300),
        ) {
            let (mut levels, mut heap) = (Levels::<Heap>::default(), Heap::default());
            for (entry, operation) in operations.into_iter().enumerate() {
                match operation {
                    Some((queue, key)) => {
                        levels.push(entry as u32, queue << KEY_BITS | key);
                        heap.push(entry as u32, queue << KEY_BITS | key);
                    }
                    None => prop_assert_eq!(levels.pop(), heap.pop()),
                }
                prop_assert_eq!(levels.least(), heap.least());
                prop_assert_eq!(levels.len(), heap.len());
            }
            prop_assert_eq!(drain(&mut levels), drain(&mut heap));
        }

        /// A FIFO whose keys never fall orders as a heap does.
        #[test]
        fn fifo_agrees_with_a_heap(
            steps in prop::collection::vec((0u64..2, 0u32..3, any::<bool>()), 0..300),
        ) {
            let (mut fifo, mut heap) = (Fifo::default(), Heap::default());
            let (mut key, mut entry) = (0, 0);
            for (rise, skip, pop) in steps {
                key += rise;
                entry += 1 + skip;
                fifo.push(entry, key);
                heap.push(entry, key);
                if pop {
                    prop_assert_eq!(fifo.pop(), heap.pop());
                }
            }
            prop_assert_eq!(drain(&mut fifo), drain(&mut heap));
        }
    }
}
