//! How often functions are asked for before they are compiled.
//!
//! Compiling a function takes roughly as long as evaluating its terms some hundred times, however
//! large it is: both grow with its size. Who evaluates them about so often before spends at most
//! about twice what the better of the two would have taken.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often functions were asked for before they were compiled.
pub(crate) struct Calls {
    /// How often they are evaluated term by term.
    most: u32,
    /// All moves of a small system.
    pub whole: AtomicU32,
    pub conditions: AtomicU32,
    /// For every component and location.
    pub places: Vec<AtomicU32>,
    pub parts: Vec<AtomicU32>,
}

impl Calls {
    /// No calls yet; none are counted where nothing waits for any.
    pub fn new(most: u32, places: usize, parts: usize) -> Calls {
        let none = |count| (0..count).map(|_| AtomicU32::new(0)).collect();
        let (places, parts) = if most == 0 { (0, 0) } else { (places, parts) };
        Calls {
            most,
            whole: AtomicU32::new(0),
            conditions: AtomicU32::new(0),
            places: none(places),
            parts: none(parts),
        }
    }

    /// Whether a function is evaluated term by term once more.
    #[inline]
    pub fn is_cold(&self, calls: impl FnOnce(&Calls) -> &AtomicU32) -> bool {
        self.most > 0 && calls(self).fetch_add(1, Ordering::Relaxed) < self.most
    }
}
