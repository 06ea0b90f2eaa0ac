//! Which layers are kept, and why too few of them do no harm but cost time.
//!
//! The *locality* of a graph is the greatest δ(s) − δ(t) + 1 over its edges
//! (s, t), where δ is the distance from the initial states (survey, section
//! 4): with the last so many layers at hand no state is ever expanded twice.
//! Nobody knows it beforehand, and in directed graphs it is often as large as
//! the depth, because of a few long steps back. So older layers are not all
//! dropped, but thinned with age:
//!
//! ```text
//! layer c is kept while layer d is expanded, if
//!   d − c < locality,  or  d − c < relay · (the greatest power of two that divides c)
//! ```
//!
//! The second kind are the *relay layers*: about `relay`/2 of each age from 2ᵏ
//! to 2ᵏ⁺¹, half as close to each other as those half as old. They are at hand
//! for paths, and they are barriers.
//!
//! - Every state at distance d is in layer d: it is generated there, and a
//!   layer before that holds no state so far away. So the first way to a goal
//!   is a shortest one, and an empty layer means that all was seen.
//! - A step leads at most one layer further. So a state that *comes back*, being
//!   generated again after its layer is gone, leads to nothing new up to the
//!   next relay layer, and not past it: what gets there is held. Short steps
//!   back are many and long ones few; so are the layers where they lead.
//! - It ends. As long as nothing that comes back from beyond the locality is
//!   found in a relay layer, each layer follows from the `locality` before it;
//!   would the layers never end, they would repeat themselves, and be found in
//!   layer 2ᵏ for some k, which is kept as long again as it took to reach it.
//!   So sooner or later a state is found to have come back after more layers
//!   than any before, and the locality rises to that, no later than when it is
//!   one in [`SHARE`] of all layers. Layers within the locality have no state in
//!   common: it cannot rise beyond the number of states.
//!
//! A locality that is not given is *measured*: a state found in a relay layer
//! stands for as many as there are layers between it and the next. Where
//! states that come back are estimated to be more than one in [`RARE`] of those
//! expanded, `relay` is doubled, up to [`MOST`].

/// Which layers are kept. Zeros are measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Keeping {
    /// The last layers, the one being expanded included.
    pub locality: u32,
    /// How close relay layers are to each other.
    pub relay: u32,
}

impl Keeping {
    pub(crate) const MEASURED: Keeping = Keeping { locality: 0, relay: 0 };

    /// Every layer.
    pub(crate) const ALL: Keeping = Keeping { locality: 0, relay: u32::MAX };
}

/// States that come back are put up with as long as they are one in so many.
const RARE: u64 = 8;

/// The least share of all layers that the locality is once it proved too
/// small.
const SHARE: u32 = 128;

/// The most relay layers, by [`Keeping::relay`], that are kept of themselves.
const MOST: u32 = 4;

pub(crate) struct Window {
    keeping: Keeping,
    locality: u32,
    relay: u32,
    /// Estimate of the states that came back.
    back: u64,
    /// After how many layers states came back that were out of the locality,
    /// at most.
    pub farthest: Option<u32>,
}

impl Window {
    pub(crate) fn new(keeping: Keeping) -> Window {
        let (locality, relay) = (keeping.locality.max(1), keeping.relay.max(1));
        Window { keeping, locality, relay, back: 0, farthest: None }
    }

    /// Whether layer `c` is kept while layer `d` is expanded.
    pub(crate) fn keeps(&self, c: u32, d: u32) -> bool {
        c == 0 || d - c < self.locality || (d - c) >> c.trailing_zeros() < self.relay
    }

    /// Notes that a state of layer `c` was generated for layer `d`.
    pub(crate) fn note(&mut self, c: u32, d: u32) {
        if d - c > self.locality {
            self.farthest = self.farthest.max(Some(d - c));
            self.back += u64::from((d - c) / self.relay).max(1);
        }
    }

    /// Adapts at the end of layer `d`, so many states having been expanded.
    pub(crate) fn adapt(&mut self, d: u32, expanded: u64) {
        let Some(farthest) = self.farthest else { return };
        self.locality = self.locality.max((d / SHARE).min(farthest));
        if self.keeping.relay == 0 && self.relay < MOST && self.back > expanded / RARE {
            self.relay *= 2;
            self.back = 0;
        }
    }
}
