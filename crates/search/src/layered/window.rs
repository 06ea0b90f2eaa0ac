//! How many layers are kept, and which of the older ones stay as relays.
//!
//! The *locality* of a graph is the greatest δ(s) − δ(t) + 1 over its edges
//! (s, t), where δ is the distance from the initial states (survey, section
//! 4): with the last so many layers at hand no state is ever expanded twice.
//! Nobody knows it beforehand, so it is measured. Relay layers, kept for the
//! sake of paths, are a sample of what was forgotten: a state of layer k that
//! is generated for layer d and found in a relay layer has *come back* after
//! d − k layers, and stands for as many others as there are layers between two
//! relays. While states that come back are estimated to be more than one in
//! [`RARE`] of those expanded, the window grows, up to the distance between
//! relays.
//!
//! Why a window that is too small does no harm but cost time:
//!
//! - Every state at distance d is in layer d: it is generated there, and a
//!   layer before that holds no state so far away. So the first way to a goal
//!   is a shortest one, and an empty layer means that all was seen.
//! - Relay layers are barriers. A step leads at most one layer further, so what
//!   comes back below a relay layer cannot get past it again: whatever gets
//!   there is at its distance, and held.
//! - It ends. As long as nothing is found in a relay layer, each layer follows
//!   from the window before it; would the layers never end, they would repeat
//!   themselves, and be found in the relay layer at some power of two, which is
//!   kept for at least twice as long as it took to reach it. From the first
//!   state on that came back, the window is at least one in [`SHARE`] of all
//!   layers so far. Layers in a window have no state in common: there cannot be
//!   more of them than states.

use std::collections::BTreeMap;

/// Which layers are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Keeping {
    /// The locality, or zero to measure it.
    pub locality: u32,
    /// The layers from one relay layer to the next, or zero for a distance
    /// that grows as the square root of the depth.
    pub relay: u32,
}

impl Keeping {
    /// All is measured.
    pub(crate) const MEASURED: Keeping = Keeping { locality: 0, relay: 0 };

    /// Every layer is kept.
    pub(crate) const ALL: Keeping = Keeping { locality: 1, relay: 1 };
}

/// States that come back are put up with as long as they are one in so many.
const RARE: u64 = 8;

/// The least share of all layers that the window has once it proved too small.
const SHARE: u32 = 32;

pub(crate) struct Window {
    keeping: Keeping,
    /// The layers kept: the one that is expanded, and those before it.
    pub locality: u32,
    /// The layers from one relay layer to the next.
    pub spacing: u32,
    /// For every number of layers, the states that came back after so many and
    /// were out of the window.
    returns: BTreeMap<u32, u64>,
}

impl Window {
    pub(crate) fn new(keeping: Keeping) -> Window {
        Window {
            keeping,
            locality: keeping.locality.max(1),
            spacing: keeping.relay.max(1),
            returns: BTreeMap::new(),
        }
    }

    /// Notes a state that came back after so many layers.
    pub(crate) fn note(&mut self, layers: u32) {
        if layers > self.locality {
            *self.returns.entry(layers).or_default() += 1;
        }
    }

    /// After how many layers states came back that were out of the window, at
    /// most.
    pub(crate) fn farthest(&self) -> Option<u32> {
        self.returns.last_key_value().map(|(layers, _)| *layers)
    }

    /// Whether the relay layers are now too many; the distance between them
    /// has doubled then.
    pub(crate) fn thins(&mut self, depth: u32) -> bool {
        let spacing = u64::from(self.spacing);
        let thins = self.keeping.relay == 0 && spacing * spacing < u64::from(depth);
        self.spacing <<= u32::from(thins);
        thins
    }

    /// Adapts the window at the end of a layer, so many states having been
    /// expanded.
    pub(crate) fn adapt(&mut self, depth: u32, expanded: u64) {
        let Some(farthest) = self.farthest() else { return };
        self.locality = self.locality.max((depth / SHARE).min(farthest));
        if self.keeping.locality != 0 {
            return;
        }
        let mut back = 0;
        for (layers, states) in self.returns.iter().rev() {
            back += states * u64::from(self.spacing);
            if back > expanded / RARE {
                self.locality = self.locality.max(*layers.min(&self.spacing));
                return;
            }
        }
    }
}
