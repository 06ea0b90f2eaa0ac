//! Makes lassos shorter.
//!
//! The survey's trail improvement for lassos (section 5; Edelkamp, Leue, Lluch
//! Lafuente, "Directed Explicit-State Model Checking in the Validation of
//! Communication Protocols", STTT 2004): a shorter stem, then a shorter round from
//! where it ends, or from another state that will do as well.
//!
//! ```text
//! improve(stem, round):
//!   walk breadth-first from the initial states until a state s of the round is met
//!   take the way to s as the stem, and the round from s
//!   for every state s of the round met so far, then for every state s met, in order:
//!     d := steps to s
//!     if d + 1 ≥ length of the best lasso: it is a shortest one, stop
//!     look breadth-first for a round from s of less than the best length - d steps;
//!       if there is one: the way to s and that round are the best lasso
//! ```
//! A round is looked for among pairs of a state and the acceptance sets passed since
//! s, so that it is a shortest one. All this is bounded by an effort: a number of
//! expansions. Whatever that allows, the lasso never gets longer. Successors are all
//! taken, also where a reduction would leave some out: more runs, none of them wrong.

use std::collections::BTreeMap;

use homing_core::{Batch, Expander, Progress, Space, Watch, Word};

use super::ball::{Ball, NOWHERE};
use super::ground::NO_EDGE;
use crate::path::{Lasso, Path};

/// Expansions between two looks at the watch.
const PATIENCE: u64 = 256;

/// What became of a lasso.
pub struct Improved {
    /// The lasso, no longer than before.
    pub lasso: Lasso,
    /// Whether no other lasso of the space has fewer steps, stem and round together.
    pub shortest: bool,
}

/// Makes a lasso shorter, by no more than `effort` expansions, which are counted in
/// `progress`.
pub fn improve(
    space: &dyn Space,
    lasso: Lasso,
    effort: u64,
    progress: &mut Progress,
    watch: &mut Watch,
) -> Improved {
    let (Some(back), true) = (lasso.back, effort > 0) else {
        return Improved { lasso, shortest: false };
    };
    let width = space.width();
    let mut search = Search {
        expander: space.expander(),
        batch: Batch::new(width),
        all: super::ground::all_sets(space),
        best: lasso.path,
        back,
        stems: Ball::new(width),
        around: Ball::new(width + 1),
        open: 0,
        state: vec![0; width],
        pair: vec![0; width + 1],
        bytes: progress.bytes,
        effort,
        progress,
        watch,
    };
    let shortest = search.run().is_some();
    Improved { lasso: Lasso { path: search.best, back: Some(search.back) }, shortest }
}

struct Search<'a> {
    expander: Box<dyn Expander + 'a>,
    batch: Batch,
    all: u64,
    /// The best lasso, and where its round begins.
    best: Path,
    back: usize,
    /// States around the initial ones.
    stems: Ball,
    /// Pairs of states and acceptance sets around one state.
    around: Ball,
    /// The first of `stems` that is not expanded.
    open: usize,
    state: Vec<Word>,
    pair: Vec<Word>,
    /// The memory that the search before took.
    bytes: usize,
    effort: u64,
    progress: &'a mut Progress,
    watch: &'a mut Watch,
}

impl Search<'_> {
    /// `None` where the effort was spent before the best was known to be shortest.
    fn run(&mut self) -> Option<()> {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
        for i in 0..self.batch.len() {
            self.stems.add(self.batch.state(i), NOWHERE, self.batch.edge(i), 0);
        }
        let met = self.shorten_stem()?;
        for place in met {
            self.shorten_from(place)?;
        }
        let mut place = 0;
        while self.has(place)? && self.stems.depth(place) + 1 < self.best.len() {
            self.shorten_from(place)?;
            place += 1;
        }
        Some(())
    }

    /// Looks for the shortest stem to any state of the round. Answers the states of
    /// the round that were met.
    fn shorten_stem(&mut self) -> Option<Vec<usize>> {
        let round = self.best.part(self.back, self.best.len());
        let at: BTreeMap<&[Word], usize> =
            (0..round.len()).map(|step| (round.state(step), step)).collect();
        let mut place = 0;
        while self.has(place)? && !at.contains_key(self.stems.state(place)) {
            place += 1;
        }
        let met = (0..self.stems.len()).filter(|i| at.contains_key(self.stems.state(*i)));
        let met: Vec<usize> = met.collect();
        if let Some(entry) = at.get(self.stems.state(place)).copied() {
            let turned = round.part(entry, round.len()).and(&round.part(0, entry));
            self.offer(place, &turned);
        }
        Some(met)
    }

    /// Looks for a shorter lasso whose round begins in a state of `stems`.
    fn shorten_from(&mut self, place: usize) -> Option<()> {
        let Some(most) = (self.best.len() - 1).checked_sub(self.stems.depth(place)) else {
            return Some(());
        };
        self.state.copy_from_slice(self.stems.state(place));
        if let Some(round) = self.shortest_round(most)? {
            self.offer(place, &round);
        }
        Some(())
    }

    /// Takes the way to a state of `stems` and a round from there, if that is
    /// shorter.
    fn offer(&mut self, place: usize, round: &Path) {
        let stem = self.stems.path(place, self.state.len());
        if stem.len() + round.len() < self.best.len() {
            self.back = stem.len();
            self.best = stem.and(round);
        }
    }

    /// The shortest round from `state` through all acceptance sets, of at most so
    /// many steps.
    fn shortest_round(&mut self, most: usize) -> Option<Option<Path>> {
        let width = self.state.len();
        let start = self.state.clone();
        self.pair[..width].copy_from_slice(&start);
        self.pair[width] = 0;
        self.around.clear();
        self.around.add(&self.pair, NOWHERE, NO_EDGE, 0);
        let (mut at, mut depth, mut level) = (0, 0, 1);
        while at < self.around.len() {
            if at == level {
                (depth, level) = (depth + 1, self.around.len());
            }
            if depth >= most {
                break;
            }
            self.state.copy_from_slice(&self.around.state(at)[..width]);
            let passed = self.around.state(at)[width];
            self.expand()?;
            for i in 0..self.batch.len() {
                let (state, edge) = (self.batch.state(i), self.batch.edge(i));
                let sets = (passed | self.batch.marks(i)) & self.all;
                if state == start && sets == self.all {
                    let mut round = self.around.path(at, width);
                    round.push(edge, state);
                    return Some(Some(round));
                }
                self.pair[..width].copy_from_slice(state);
                self.pair[width] = sets;
                self.around.add(&self.pair, at as u32, edge, 0);
            }
            at += 1;
        }
        Some(None)
    }

    /// Whether there is such a state in `stems`, which grows until there is.
    fn has(&mut self, place: usize) -> Option<bool> {
        while place >= self.stems.len() && self.open < self.stems.len() {
            self.state.copy_from_slice(self.stems.state(self.open));
            self.expand()?;
            for i in 0..self.batch.len() {
                self.stems.add(self.batch.state(i), self.open as u32, self.batch.edge(i), 0);
            }
            self.open += 1;
        }
        Some(place < self.stems.len())
    }

    /// Expands `state`, unless the effort is spent.
    fn expand(&mut self) -> Option<()> {
        self.effort = self.effort.checked_sub(1)?;
        self.batch.clear();
        self.expander.expand(&self.state, &mut self.batch);
        self.progress.expanded += 1;
        self.progress.generated += self.batch.len() as u64;
        if self.effort.is_multiple_of(PATIENCE) {
            let bytes = self.bytes + self.stems.bytes() + self.around.bytes();
            self.progress.bytes = self.progress.bytes.max(bytes);
            self.watch.check(self.progress).ok()?;
        }
        Some(())
    }
}
