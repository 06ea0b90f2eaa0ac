//! The one hash of packed states: fixed and stable, so that runs repeat and
//! so that threads, disks and nodes can agree on who owns a state.
//!
//! Two rounds of 64×64→128-bit multiplication, folded, per pair of words: the
//! construction of wyhash and rapidhash, specialised to whole words. It mixes
//! every input bit into every output bit, which bucket numbers (high bits) and
//! tags (low bits) both rely on.

use crate::Word;

const SECRET: [u64; 3] = [0x2d35_8dcc_aa6c_78a5, 0x8bb8_4b93_962e_acc9, 0x4b33_a62e_d433_d4a3];

/// The hash of a packed state.
#[inline]
pub fn hash_words(words: &[Word]) -> u64 {
    let mut seed = SECRET[2] ^ words.len() as u64;
    let mut pairs = words.chunks_exact(2);
    for pair in &mut pairs {
        seed = fold(pair[0] ^ SECRET[0], pair[1] ^ seed);
    }
    if let [last] = pairs.remainder() {
        seed = fold(last ^ SECRET[0], seed);
    }
    fold(seed ^ SECRET[1], SECRET[0])
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_stable() {
        assert_eq!(hash_words(&[1, 2, 3]), hash_words(&[1, 2, 3]));
        assert_ne!(hash_words(&[1, 2, 3]), hash_words(&[1, 3, 2]));
        assert_ne!(hash_words(&[0]), hash_words(&[0, 0]));
    }

    #[test]
    fn every_input_bit_reaches_both_halves() {
        for width in 1..5 {
            for bit in 0..64 * width {
                let mut words = vec![0x0123_4567_89ab_cdef; width];
                let before = hash_words(&words);
                words[bit / 64] ^= 1 << (bit % 64);
                let changed = before ^ hash_words(&words);
                assert!((changed >> 32).count_ones() >= 4, "bit {bit} of {width} words");
                assert!((changed as u32).count_ones() >= 4, "bit {bit} of {width} words");
            }
        }
    }
}
