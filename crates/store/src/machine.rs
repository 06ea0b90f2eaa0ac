//! What only the machine offers: fetching a cache line ahead of its use, and
//! comparing sixteen bytes at once.

#![allow(unsafe_code)]

/// Hints that the cache line of `place` is needed soon.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect on memory and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// The set of positions at which `bytes` holds `wanted`, as bits.
#[inline(always)]
pub fn positions(bytes: &[u8; 16], wanted: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 belongs to every x86-64; the load takes 16 bytes of any
    // alignment, which is what `bytes` is.
    unsafe {
        use std::arch::x86_64::{
            _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
        };
        let loaded = _mm_loadu_si128(bytes.as_ptr().cast());
        let equal = _mm_cmpeq_epi8(loaded, _mm_set1_epi8(wanted.cast_signed()));
        _mm_movemask_epi8(equal).cast_unsigned()
    }
    #[cfg(not(target_arch = "x86_64"))]
    positions_portable(bytes, wanted)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn positions_portable(bytes: &[u8; 16], wanted: u8) -> u32 {
    bytes.iter().rev().fold(0, |set, byte| set << 1 | u32::from(*byte == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differential_positions() {
        let bytes = [7, 0, 7, 255, 1, 2, 3, 7, 0, 0, 9, 8, 7, 6, 255, 7];
        for wanted in 0..=255 {
            assert_eq!(positions(&bytes, wanted), positions_portable(&bytes, wanted));
        }
        assert_eq!(positions(&bytes, 7), 1 | 1 << 2 | 1 << 7 | 1 << 12 | 1 << 15);
    }
}
