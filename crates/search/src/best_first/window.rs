//! States that are expanded together, and their successors: scratch memory of the
//! kernel, used again from window to window.

use std::ops::Range;

use homing_core::hash::hash_words;
use homing_core::{Batch, Cost, Word};

use crate::nodes::Origin;
use crate::recent::Recent;

/// Successors looked up together.
pub(super) const WINDOW: usize = 128;

/// The state that is being expanded; of a window, the last of its states with
/// the mark of each in turn (estimates, and preferences that look at the state
/// itself, come with searches that have no windows).
#[derive(Default)]
pub(super) struct Source {
    pub state: Vec<Word>,
    /// What the preference remembers of it.
    pub mark: u32,
    /// Its estimate, where estimates are lazy.
    pub estimate: Cost,
}

/// A state of a window.
#[derive(Clone)]
pub(super) struct Expanded<V> {
    /// Where it comes from.
    pub origin: Origin,
    /// The cost of its path.
    pub path: V,
    /// Where its successors end in `pending`.
    pub end: usize,
    /// What the preference remembers of it.
    pub mark: u32,
    /// Its other successors in the batch, where those in `pending` may be enough.
    pub rest: Range<usize>,
    /// The places in `further` of the ends of larger sets that may be enough.
    pub further: Range<usize>,
}

/// A window.
pub(super) struct Window<V> {
    /// The state being expanded, for those who look at where a step starts.
    pub source: Source,
    pub batch: Batch,
    /// The states of the window.
    pub expanded: Vec<Expanded<V>>,
    /// The successors to visit, by their places in the batch, and their hashes.
    pub pending: Vec<usize>,
    pub hashes: Vec<u64>,
    /// Of all its states, see [`Batch::further`].
    pub further: Vec<usize>,
    /// The states themselves, where several are expanded jointly and somebody
    /// wants to look at them again.
    pub sources: Vec<Word>,
    /// Those seen just now, where a state seen again never matters.
    recent: Option<Recent>,
}

impl<V> Window<V> {
    /// An empty window of states of so many words.
    pub fn new(width: usize, recent: bool) -> Window<V> {
        Window {
            source: Source { state: vec![0; width], ..Source::default() },
            batch: Batch::new(width),
            expanded: Vec::new(),
            pending: Vec::new(),
            hashes: Vec::new(),
            further: Vec::new(),
            sources: Vec::new(),
            recent: (recent && width > 0).then(|| Recent::new(width)),
        }
    }

    pub fn clear(&mut self) {
        self.batch.clear();
        self.expanded.clear();
        self.pending.clear();
        self.hashes.clear();
        self.further.clear();
        self.sources.clear();
    }

    /// The initial states, reached by the path without a step.
    pub fn start(&mut self, one: V) {
        let end = self.pending.len();
        let (origin, path) = (Origin::NONE, one);
        self.expanded.push(Expanded { origin, path, end, mark: 0, rest: 0..0, further: 0..0 });
    }

    /// Adds the state at hand, whose successors are the last of the batch; those up to
    /// `enough` were hashed.
    pub fn push(&mut self, origin: Origin, path: V, enough: usize) {
        let all = self.batch.len();
        let known = self.further.len();
        if enough < all {
            self.further.extend_from_slice(self.batch.further());
        }
        let further = known..self.further.len();
        let (end, mark) = (self.pending.len(), self.source.mark);
        self.expanded.push(Expanded { origin, path, end, mark, rest: enough..all, further });
    }

    /// The state that was expanded as the `n`th of several jointly; none where nobody
    /// wants to look at it again.
    pub fn jointly(&self, n: usize) -> Option<&[Word]> {
        let width = self.batch.width();
        self.sources.get(n * width..(n + 1) * width).filter(|state| !state.is_empty())
    }

    /// Shows that state again, with this estimate where there is one.
    pub fn look_at(&mut self, n: usize, estimate: Option<Cost>) {
        let width = self.batch.width();
        self.source.state.copy_from_slice(&self.sources[n * width..(n + 1) * width]);
        self.source.estimate = estimate.unwrap_or(self.source.estimate);
    }

    /// Hashes these successors, those seen just now left out; but for successors that
    /// may be enough: of those it matters whether they are closed. Answers the hashes.
    #[inline]
    pub fn hash(&mut self, which: Range<usize>, all: bool) -> &[u64] {
        let new = self.hashes.len();
        // Short states are hashed and compared in code made for their width:
        // this is where a quarter of the time goes.
        match self.batch.width() {
            1 => self.pend::<1>(which, all),
            2 => self.pend::<2>(which, all),
            3 => self.pend::<3>(which, all),
            4 => self.pend::<4>(which, all),
            _ => self.pend::<0>(which, all),
        }
        &self.hashes[new..]
    }

    /// As [`Self::hash`], for states of `WIDTH` words; of any number where that is zero.
    #[inline(always)]
    fn pend<const WIDTH: usize>(&mut self, which: Range<usize>, all: bool) {
        for i in which {
            let state = self.batch.state(i);
            let state = if WIDTH == 0 { state } else { &state[..WIDTH] };
            let hash = hash_words(state);
            if all && self.recent.as_mut().is_some_and(|recent| recent.seen(state, hash)) {
                continue;
            }
            self.pending.push(i);
            self.hashes.push(hash);
        }
    }
}
