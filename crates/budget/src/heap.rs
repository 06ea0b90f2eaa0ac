//! The memory of the process, as those count it who take it.
//!
//! [`Counting`](crate::Counting) counts what is allocated, `store` what it maps. What the
//! operating system calls resident may be more (pages of which a part was given back) and
//! is told by whoever looks ([`tell_resident`]); what counts is the greater of the two.
//! Where nobody counts, nothing is in use, and limits are those of each store alone.

use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};

static COUNTED: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static RESIDENT: AtomicUsize = AtomicUsize::new(0);
static METERED: AtomicBool = AtomicBool::new(false);
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Counts `bytes` more, or less where negative. Answers what is counted now.
pub fn add(bytes: isize) -> usize {
    let now = ask(bytes);
    if bytes > 0 {
        reached(now);
    }
    now
}

/// The same of bytes that may have to be waited for.
pub(crate) fn ask(bytes: isize) -> usize {
    usize::try_from(COUNTED.fetch_add(bytes, Ordering::Relaxed) + bytes).unwrap_or(0)
}

/// Says that so many bytes were taken.
pub(crate) fn reached(bytes: usize) {
    if bytes > PEAK.load(Ordering::Relaxed) {
        PEAK.fetch_max(bytes, Ordering::Relaxed);
    }
}

/// Says that all that is allocated is counted.
pub(crate) fn metered() {
    METERED.store(true, Ordering::Relaxed);
}

/// Whether all that is allocated is counted.
pub fn is_metered() -> bool {
    METERED.load(Ordering::Relaxed)
}

/// The bytes in use; none where nobody counts them.
pub fn in_use() -> usize {
    match is_metered() {
        true => counted().max(RESIDENT.load(Ordering::Relaxed)),
        false => 0,
    }
}

/// The bytes counted.
pub fn counted() -> usize {
    usize::try_from(COUNTED.load(Ordering::Relaxed)).unwrap_or(0)
}

/// The most bytes that were counted at a time; none where nobody counts all.
pub fn peak() -> Option<usize> {
    is_metered().then(|| PEAK.load(Ordering::Relaxed))
}

/// Tells how many bytes are resident.
pub fn tell_resident(bytes: usize) {
    RESIDENT.store(bytes, Ordering::Relaxed);
}

/// From now on a thread that would take the counted bytes beyond this waits: somebody
/// else has the last word, and ends the process or raises the ceiling.
pub fn set_ceiling(bytes: usize) {
    CEILING.store(bytes, Ordering::Relaxed);
}

/// Whether so many bytes are too many.
pub(crate) fn above_ceiling(bytes: usize) -> bool {
    bytes > CEILING.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_stays() {
        add(1000);
        add(-1000);
        assert!(PEAK.load(Ordering::Relaxed) >= 1000);
        assert_eq!(peak(), is_metered().then(|| PEAK.load(Ordering::Relaxed)));
    }
}
