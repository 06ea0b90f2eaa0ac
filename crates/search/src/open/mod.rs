//! Open lists.

mod alternation;
mod beside;
mod bucket;
mod epsilon;
mod fifo;
mod heap;
mod levels;
mod lifo;
mod local;
mod matrix;
mod sorted;
mod types;

pub use alternation::Alternation;
pub use beside::Beside;
pub use bucket::Buckets;
pub use epsilon::Epsilon;
pub use fifo::Fifo;
pub use heap::Heap;
pub use levels::{KEY_BITS, Levels};
pub use lifo::Lifo;
pub use local::{Local, Stalling};
pub use matrix::Matrix;
pub use sorted::Sorted;
pub use types::Types;

#[cfg(test)]
mod tests {
    use super::*;
    use homing_core::{Known, Open};
    use proptest::prelude::*;

    fn drain(open: &mut dyn Open) -> Vec<(u32, u64)> {
        std::iter::from_fn(|| open.pop()).collect()
    }

    /// A type of one state leaves as soon as one of a thousand.
    #[test]
    fn rare_types_leave_as_often_as_others() {
        let first = |seed| {
            let mut types = Types::new(seed);
            for entry in 0..1000 {
                types.push(entry, u64::from(entry == 999));
            }
            types.pop().map(|(entry, _)| entry)
        };
        let rare = (0..1000).filter(|seed| first(*seed) == Some(999)).count();
        assert!((420..580).contains(&rare), "{rare}");
    }

    /// Lists take turns; preferred ones come first as long as they were put ahead.
    #[test]
    fn a_boost_is_spent_by_turns() {
        let mut open = Alternation::boosting(1);
        for entry in 0..4 {
            let known = Known { path: 0, estimates: &[9, 9], preferred: entry > 0 };
            open.push_known(entry, 0, &known);
        }
        let order: Vec<u32> = std::iter::from_fn(|| open.pop()).map(|(entry, _)| entry).collect();
        // The estimates fell once: each of the two preferred lists is one turn ahead.
        assert_eq!(order, [1, 1, 0, 0, 2, 2, 1, 1, 3, 3, 2, 2, 3, 3]);
    }

    /// After two expansions without progress the next state is searched from alone, for
    /// two; what is left goes back.
    #[test]
    fn a_local_search_has_a_list_of_its_own() {
        let stalling = Stalling { stall: 2, size: 2, tries: 1 };
        let mut open = Local::<Buckets>::new(stalling);
        (0..4).for_each(|entry| open.push(entry, 5));
        let mut order = Vec::new();
        while let Some((entry, _)) = open.pop() {
            order.push(entry);
            match entry {
                2 => [10, 11].into_iter().for_each(|next| open.push(next, 9)),
                10 => open.push(12, 9),
                _ => {}
            }
        }
        assert_eq!(order, [0, 1, 2, 10, 3, 11, 12]);
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

        /// Without ε the heap from which any entry can be taken is a heap; with it, it
        /// stays one: what is left comes in order.
        #[test]
        fn epsilon_and_heap_agree(
            operations in prop::collection::vec(prop::option::of(0u64..20), 0..300),
            percent in 0u64..=100,
        ) {
            let (mut none, mut heap) = (Epsilon::new(0, 1), Heap::default());
            let (mut some, mut left) = (Epsilon::new(percent, 1), Vec::new());
            for (entry, operation) in operations.into_iter().enumerate() {
                match operation {
                    Some(key) => {
                        none.push(entry as u32, key);
                        heap.push(entry as u32, key);
                        some.push(entry as u32, key);
                        left.push((key, entry as u32));
                    }
                    None => {
                        prop_assert_eq!(none.pop(), heap.pop());
                        let popped = some.pop().map(|(entry, key)| (key, entry));
                        let known = left.len();
                        left.retain(|one| Some(*one) != popped);
                        prop_assert_eq!(left.len(), known - usize::from(popped.is_some()));
                    }
                }
                left.sort_unstable();
                prop_assert_eq!(some.least(), left.first().map(|(key, _)| *key));
                prop_assert_eq!(some.len(), left.len());
            }
            prop_assert_eq!(drain(&mut none), drain(&mut heap));
        }

        /// Of every type something leaves as often, and in the end everything has left.
        #[test]
        fn types_give_back_what_they_were_given(
            entries in prop::collection::vec((0u64..3, 0u32..4), 1..100),
            seed: u64,
        ) {
            let mut types = Types::new(seed);
            for (entry, (path, estimate)) in entries.iter().enumerate() {
                let known = Known { path: *path, estimates: &[*estimate, 7], preferred: false };
                types.push_known(entry as u32, 0, &known);
            }
            prop_assert_eq!(types.len(), entries.len());
            let mut all: Vec<u32> = drain(&mut types).into_iter().map(|(entry, _)| entry).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..entries.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!((types.len(), types.least(), types.bytes()), (0, None, 0));
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
