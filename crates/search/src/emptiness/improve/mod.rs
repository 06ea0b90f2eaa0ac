//! Makes lassos shorter.
//!
//! The survey's trail improvement for lassos (section 5; Edelkamp, Leue, Lluch
//! Lafuente, "Directed Explicit-State Model Checking in the Validation of
//! Communication Protocols", STTT 2004): a shorter stem, then a shorter round from
//! where it ends, or from another state that will do as well.
//!
//! ```text
//! improve(stem, round):
//!   1. look from the initial states for a state of the round, towards its first
//!      the way there is the stem, if it is shorter, and the round goes on from there
//!   2. keep steps of the round that are in all acceptance sets together
//!      between the end of one and the start of the next look for a shorter way
//!   3. as 1.; and then around states of the stem look for later ones that are near
//!   4. the shortest stem, breadth-first, to any state of the round
//!   5. for every state s, breadth-first from the initial states:
//!        d := steps to s
//!        if d + 1 ≥ length of the best lasso: it is a shortest one, stop
//!        look breadth-first for a round from s of less than the best length - d steps;
//!        if there is one: the way to s and that round are the best lasso
//! ```
//! Ways to a known state are looked for in the order of steps + Hamming's distance to
//! it, and then breadth-first around states of the path (`shortcuts`). So steps 1 to 3
//! shorten what a depth-first search found deep down, without seeing much. Steps 4 and
//! 5 are for what is short already. In 5, a round is looked for among pairs of a state
//! and the acceptance sets passed since s, so that it is a shortest one.
//!
//! *Pairs.* What a round needs depends on what its states request. Steps that grant it
//! are kept in 2., and a shorter round that requests more than it grants is none; in 5.,
//! what was requested and not granted since s belongs to the pair.
//!
//! All this is bounded by an effort, a number of expansions, of which no step before the
//! last may take more than a share. Whatever that allows, the lasso never gets longer.
//! Successors are all taken, also where a reduction would leave some out: more runs, none
//! of them wrong.

mod shortcuts;

use homing_core::{Batch, Expander, Open, Progress, Space, Watch, Word};

use super::ball::{Ball, NOWHERE};
use super::base::{NO_EDGE, all_sets};
use crate::open::Heap;
use crate::path::{Lasso, Path};

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
        all: all_sets(space),
        pairs: space.streett_pairs() > 0,
        best: lasso.path,
        back,
        stems: Ball::new(width),
        around: Ball::new(width + 2),
        found: Ball::new(width),
        waiting: Heap::default(),
        open: 0,
        state: vec![0; width],
        pair: vec![0; width + 2],
        bytes: progress.bytes,
        effort,
        stopped: false,
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
    /// Whether there are pairs that states may request.
    pairs: bool,
    /// The best lasso, and where its round begins.
    best: Path,
    back: usize,
    /// States around the initial ones.
    stems: Ball,
    /// States around one, with the acceptance sets passed and the pairs owed.
    around: Ball,
    /// States on a directed way.
    found: Ball,
    /// States of `found` in the order of their promise.
    waiting: Heap,
    /// The first of `stems` that is not expanded.
    open: usize,
    state: Vec<Word>,
    pair: Vec<Word>,
    /// The memory that the search before took.
    bytes: usize,
    effort: u64,
    /// Whether the watch says so.
    stopped: bool,
    progress: &'a mut Progress,
    watch: &'a mut Watch,
}

impl Search<'_> {
    /// `None` where the effort was spent before the best was known to be shortest.
    fn run(&mut self) -> Option<()> {
        let whole = self.effort;
        self.direct_stem(whole / 16)?;
        self.direct_round(whole / 4)?;
        self.direct_stem(whole / 16)?;
        let stem = self.tightened(self.best.part(0, self.back), whole / 8)?;
        self.offer(&stem, &self.best.part(self.back, self.best.len()));
        self.begin();
        for i in 0..self.batch.len() {
            self.stems.add(self.batch.state(i), NOWHERE, self.batch.edge(i), 0);
        }
        let met = self.share(whole / 4, Search::shorten_stem)?.unwrap_or_default();
        for place in met {
            self.share(whole / 16, |search| search.shorten_from(place))?;
        }
        let mut place = 0;
        while self.has(place)? && self.stems.depth(place) + 1 < self.best.len() {
            self.shorten_from(place)?;
            place += 1;
        }
        Some(())
    }

    /// Does something by no more than a share of the effort: `Some(None)` where that was
    /// not enough, `None` where none is left.
    fn share<T>(
        &mut self,
        share: u64,
        work: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        let share = share.min(self.effort);
        let rest = self.effort - share;
        self.effort = share;
        let done = work(self);
        self.effort += rest;
        (self.effort > 0 && !self.stopped).then_some(done)
    }

    /// Puts the initial states into the batch.
    fn begin(&mut self) {
        self.batch.clear();
        self.expander.initial(&mut self.batch);
    }

    /// Looks for a shorter stem, directed to the beginning of the round.
    fn direct_stem(&mut self, share: u64) -> Option<()> {
        let round = self.best.part(self.back, self.best.len());
        let on_round = steps_of(&round);
        self.begin();
        self.found.clear();
        for i in 0..self.batch.len() {
            self.found.add(self.batch.state(i), NOWHERE, self.batch.edge(i), 0);
        }
        // A stem without a step cannot be shorter, unless the first state will do.
        let at_once = (0..self.found.len()).find(|i| on_round.has(self.found.state(*i)));
        let stem = match at_once {
            Some(place) => Some(self.found.path(place, self.state.len())),
            None => self
                .share(share, |search| search.direct(round.state(0), |state| on_round.has(state)))?
                .flatten(),
        };
        if let Some(stem) = stem
            && let Some(entry) = on_round.get(stem.last())
        {
            self.offer(&stem, &turned(&round, entry));
        }
        Some(())
    }

    /// Looks for shorter ways between steps of the round that are in all sets together.
    fn direct_round(&mut self, share: u64) -> Option<()> {
        let round = self.best.part(self.back, self.best.len());
        let kept = kept(&self.read(&round)?, self.all);
        let Some(first) = kept.first().copied() else { return Some(()) };
        let ends = kept[1..].iter().copied().chain([first + round.len()]);
        let doubled = round.clone().and(&round);
        let mut shorter = Path::starting_at(round.state(first));
        for (start, end) in kept.iter().copied().zip(ends) {
            shorter = shorter.and(&doubled.part(start, start + 1));
            let gap = doubled.part(start + 1, end);
            shorter = shorter.and(&self.shortcut(gap, share / kept.len() as u64)?);
        }
        if !self.grants(&shorter)? {
            return Some(());
        }
        // The stem ends where the round begins; if that is not there any more, go on to
        // where it is.
        let stem = self.best.part(0, self.back);
        let on_round = steps_of(&shorter);
        let on = (0..round.len())
            .find_map(|step| on_round.get(round.state(step)).map(|entry| (step, entry)));
        if let Some((steps, entry)) = on {
            self.offer(&stem.and(&round.part(0, steps)), &turned(&shorter, entry));
        }
        Some(())
    }

    /// Of every step of a round, what it is marked with, and what the state requests
    /// that it leaves. Without pairs, the first steps are enough that are in all sets.
    fn read(&mut self, round: &Path) -> Option<Vec<(u64, u64)>> {
        let (mut read, mut seen) = (Vec::new(), 0);
        for (step, (state, edge)) in round.steps().enumerate() {
            self.state.copy_from_slice(state);
            self.expand()?;
            let taken = (0..self.batch.len()).find(|i| {
                self.batch.edge(*i) == edge && self.batch.state(*i) == round.state(step + 1)
            });
            let marks = taken.map_or(0, |taken| self.batch.marks(taken));
            read.push((marks, self.batch.requested()));
            seen |= marks;
            if !self.pairs && self.all & !seen == 0 {
                break;
            }
        }
        Some(read)
    }

    /// Whether a round that passes all acceptance sets also grants what it requests.
    fn grants(&mut self, round: &Path) -> Option<bool> {
        if !self.pairs {
            return Some(true);
        }
        let read = self.read(round)?;
        let (sets, needed) = sums(&read, self.all);
        Some(needed & !sets == 0)
    }

    /// Looks for the shortest stem to any state of the round. Answers the states of
    /// the round that were met.
    fn shorten_stem(&mut self) -> Option<Vec<usize>> {
        let round = self.best.part(self.back, self.best.len());
        let at = steps_of(&round);
        let mut place = 0;
        while self.has(place)? && !at.has(self.stems.state(place)) {
            place += 1;
        }
        let met = (0..self.stems.len()).filter(|i| at.has(self.stems.state(*i)));
        let met: Vec<usize> = met.collect();
        if let Some(entry) = at.get(self.stems.state(place)) {
            let stem = self.stems.path(place, self.state.len());
            self.offer(&stem, &turned(&round, entry));
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
            let stem = self.stems.path(place, self.state.len());
            self.offer(&stem, &round);
        }
        Some(())
    }

    /// Takes a lasso if it is shorter than the best.
    fn offer(&mut self, stem: &Path, round: &Path) {
        if stem.len() + round.len() < self.best.len() {
            self.back = stem.len();
            self.best = stem.clone().and(round);
        }
    }

    /// The shortest round from `state` through all acceptance sets, of at most so
    /// many steps.
    fn shortest_round(&mut self, most: usize) -> Option<Option<Path>> {
        let width = self.state.len();
        let start = self.state.clone();
        self.pair[..width].copy_from_slice(&start);
        self.pair[width..].fill(0);
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
            let [passed, owed] = [0, 1].map(|i| self.around.state(at)[width + i]);
            self.expand()?;
            let owed = owed | self.batch.requested();
            for i in 0..self.batch.len() {
                let (state, edge) = (self.batch.state(i), self.batch.edge(i));
                let sets = passed | self.batch.marks(i);
                if state == start && (self.all | owed) & !sets == 0 {
                    let mut round = self.around.path(at, width);
                    round.push(edge, state);
                    return Some(Some(round));
                }
                self.pair[..width].copy_from_slice(state);
                self.pair[width] = sets;
                self.pair[width + 1] = owed & !sets;
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
        if self.watch.due() {
            let balls = self.stems.bytes() + self.around.bytes() + self.found.bytes();
            let bytes = self.bytes + balls + self.waiting.bytes();
            self.progress.bytes = self.progress.bytes.max(bytes);
            self.stopped |= self.watch.check(self.progress).is_err();
        }
        if self.stopped {
            return None;
        }
        Some(())
    }
}

/// What the steps of a round are marked with, and what is needed: all acceptance sets, and
/// what is requested.
fn sums(read: &[(u64, u64)], all: u64) -> (u64, u64) {
    read.iter().fold((0, all), |(sets, needed), step| (sets | step.0, needed | step.1))
}

/// Steps of a round that are in all sets that it needs together, in order; the first
/// where it needs none.
fn kept(read: &[(u64, u64)], all: u64) -> Vec<usize> {
    let (sets, mut missing) = sums(read, all);
    if missing == 0 {
        return vec![0];
    }
    if missing & !sets != 0 {
        return Vec::new();
    }
    let mut kept = Vec::new();
    for (step, (marks, _)) in read.iter().enumerate() {
        if marks & missing != 0 {
            kept.push(step);
            missing &= !marks;
        }
    }
    kept
}

/// The last step at which a path passes each of its states.
struct Steps {
    states: Ball,
    /// By place in the ball.
    steps: Vec<usize>,
}

fn steps_of(path: &Path) -> Steps {
    let mut states = Ball::new(path.last().len());
    let mut add = |step: &usize| states.add(path.state(*step), NOWHERE, NO_EDGE, 0).is_some();
    let steps = (0..=path.len()).rev().filter(|step| add(step)).collect();
    Steps { states, steps }
}

impl Steps {
    fn get(&self, state: &[Word]) -> Option<usize> {
        self.states.find(state).map(|place| self.steps[place])
    }

    fn has(&self, state: &[Word]) -> bool {
        self.states.find(state).is_some()
    }
}

/// The round from another of its states.
fn turned(round: &Path, start: usize) -> Path {
    round.part(start, round.len()).and(&round.part(0, start))
}

/// Hamming's distance, in bits of packed states.
pub(crate) fn distance(a: &[Word], b: &[Word]) -> u64 {
    a.iter().zip(b).map(|(a, b)| u64::from((a ^ b).count_ones())).sum()
}
