//! Shorter ways along a path: to its end, directed, and between states of it that are
//! near each other.

use homing_core::{Open, Word};

use super::super::ball::NOWHERE;
use super::super::base::NO_EDGE;
use super::{Search, distance, steps_of};
use crate::path::Path;

/// How often a path is looked around from by one share of the effort, at least.
const WINDOWS: u64 = 16;

impl Search<'_> {
    /// The path, or a shorter one from its start to its end.
    pub(super) fn shortcut(&mut self, path: Path, share: u64) -> Option<Path> {
        if path.len() < 2 {
            return Some(path);
        }
        if path.state(0) == path.last() {
            return Some(path.part(0, 0));
        }
        self.found.clear();
        self.found.add(path.state(0), NOWHERE, NO_EDGE, 0);
        let other = self
            .share(share / 2, |search| search.direct(path.last(), |state| state == path.last()))?;
        let shorter = other.flatten().filter(|other| other.len() < path.len()).unwrap_or(path);
        self.tightened(shorter, share / 2)
    }

    /// A way from a state in `found` to a state that is `wanted`: of all states that wait,
    /// that of least steps + distance to `target` first. `Some(None)` where there is none.
    pub(super) fn direct(
        &mut self,
        target: &[Word],
        wanted: impl Fn(&[Word]) -> bool,
    ) -> Option<Option<Path>> {
        self.waiting.clear();
        for place in 0..self.found.len() {
            self.wait(place, 0, target);
        }
        while let Some((place, _)) = self.waiting.pop() {
            self.state.copy_from_slice(self.found.state(place as usize));
            self.expand()?;
            let depth = self.found.depth(place as usize) as u64 + 1;
            for i in 0..self.batch.len() {
                let (state, edge) = (self.batch.state(i), self.batch.edge(i));
                if wanted(state) {
                    let mut path = self.found.path(place as usize, state.len());
                    path.push(edge, state);
                    return Some(Some(path));
                }
                if let Some(new) = self.found.add(state, place, edge, 0) {
                    self.wait(new, depth, target);
                }
            }
        }
        Some(None)
    }

    fn wait(&mut self, place: usize, depth: u64, target: &[Word]) {
        let promise = depth + distance(self.found.state(place), target);
        self.waiting.push(place as u32, promise);
    }

    /// The path with shorter ways between states of it that are near each other: around
    /// one after the other looks breadth-first for a later one that is met in fewer steps.
    pub(super) fn tightened(&mut self, mut path: Path, share: u64) -> Option<Path> {
        let (mut at, mut left) = (0, share);
        while at + 1 < path.len() && left > 0 {
            let before = self.effort;
            let window = (share / WINDOWS).max(1);
            self.share(window, |search| search.look_around(path.state(at)))?;
            left = left.saturating_sub((before - self.effort).max(1));
            at = match self.saving(&path, at) {
                None => at + (self.found.depth(self.found.len() - 1) / 2).max(1),
                Some((place, step)) => {
                    let way = self.found.path(place, self.state.len());
                    let (start, rest) = (path.part(0, at), path.part(step, path.len()));
                    path = start.and(&way).and(&rest);
                    at + way.len()
                }
            };
        }
        Some(path)
    }

    /// Fills `found` breadth-first from a state on, until the effort is spent.
    fn look_around(&mut self, centre: &[Word]) -> Option<()> {
        self.found.clear();
        self.found.add(centre, NOWHERE, NO_EDGE, 0);
        let mut at = 0;
        while at < self.found.len() {
            self.state.copy_from_slice(self.found.state(at));
            self.expand()?;
            for i in 0..self.batch.len() {
                self.found.add(self.batch.state(i), at as u32, self.batch.edge(i), 0);
            }
            at += 1;
        }
        Some(())
    }

    /// The place in `found`, which is what was found around the state after `at` steps,
    /// and the step of the path that it saves most steps to.
    fn saving(&self, path: &Path, at: usize) -> Option<(usize, usize)> {
        let later = steps_of(path);
        let saved = |place: usize| {
            let step = later.get(self.found.state(place))?;
            let saved = step.checked_sub(at + self.found.depth(place)).filter(|saved| *saved > 0);
            saved.map(|saved| (saved, place, step))
        };
        let best = (0..self.found.len()).filter_map(saved).max_by_key(|best| best.0)?;
        Some((best.1, best.2))
    }
}
