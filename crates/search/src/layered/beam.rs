//! The beam stack: which part of each layer is looked at.
//!
//! Zhou, Hansen, "Beam-Stack Search: Integrating Backtracking with Beam
//! Search" (ICAPS 2005). For every layer the stack has an interval
//! [fmin, fmax) of its successors:
//!
//! ```text
//! push [0, ∞) for the first layer
//! loop:
//!   expand the layer on top, successors outside of its [fmin, fmax) left out;
//!   when there are more than w: remove the one of greatest f, fmax := its f
//!   if there are successors: push [0, ∞) for them
//!   else: pop while fmax is not below U
//!         if nothing is left: done
//!         on the layer on top now: fmin := fmax, fmax := ∞
//!   whenever a goal is generated: U := the length of the way to it
//! ```
//!
//! Deviation: an f alone may be that of more than w states. Here a state's
//! place in the order is its f and, among equals, its hash. And all layers of
//! the stack are kept (the paper's plain form, not its divide-and-conquer one):
//! at most w states times the depth.

use std::collections::BinaryHeap;

use homing_core::Price;

use super::held::Place;

/// The order of states within a layer.
pub(crate) type Key = (Price, u64);

/// Above all keys.
const END: Key = (Price::MAX, u64::MAX);

/// The successors of a layer with `min` ≤ key < `max`.
#[derive(Clone, Copy, Debug)]
struct Slice {
    min: Key,
    max: Key,
}

impl Slice {
    const WHOLE: Slice = Slice { min: (0, 0), max: END };
}

/// Limits layers to so many states.
pub(crate) struct Beam {
    width: usize,
    /// The layer being expanded is on top.
    stack: Vec<Slice>,
    /// The layer behind it, the worst first.
    next: BinaryHeap<(Key, Place)>,
}

impl Beam {
    pub(crate) fn new(width: usize) -> Beam {
        Beam { width, stack: vec![Slice::WHOLE], next: BinaryHeap::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.next.len()
    }

    pub(crate) fn capacity(&self) -> usize {
        self.next.capacity()
    }

    /// Whether the state is among those looked at now.
    pub(crate) fn takes(&self, key: Key) -> bool {
        self.stack.last().is_some_and(|slice| slice.min <= key && key < slice.max)
    }

    /// Adds a state. Answers the one that has to go for it, if one has to.
    pub(crate) fn add(&mut self, key: Key, place: Place) -> Option<Place> {
        self.next.push((key, place));
        if self.next.len() <= self.width {
            return None;
        }
        let slice = self.stack.last_mut()?;
        let (worst, place) = self.next.pop()?;
        if worst == slice.min {
            // More equal keys than there is room for: they stay together.
            self.next.push((worst, place));
            return None;
        }
        slice.max = worst;
        Some(place)
    }

    /// Turns to the next layer, if it has states.
    pub(crate) fn descend(&mut self) -> Vec<Place> {
        let mut next: Vec<(Key, Place)> = self.next.drain().collect();
        next.sort_unstable();
        if !next.is_empty() {
            self.stack.push(Slice::WHOLE);
        }
        next.into_iter().map(|(_, place)| place).collect()
    }

    /// Leaves all layers that have no more successors within the bound.
    /// Answers how many remain; the last is to be expanded again.
    pub(crate) fn backtrack(&mut self, bound: Option<Price>) -> Option<usize> {
        let is_done =
            |slice: &Slice| slice.max == END || bound.is_some_and(|bound| slice.max.0 > bound);
        while self.stack.last().is_some_and(is_done) {
            self.stack.pop();
        }
        let slice = self.stack.last_mut()?;
        *slice = Slice { min: slice.max, max: END };
        Some(self.stack.len())
    }
}
