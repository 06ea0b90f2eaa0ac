//! The way from the initial state to another.

use std::collections::BTreeMap;

use homing_core::{Batch, Edge, Expander, Pricing, Word};

/// States and the edges between them: one more state than edges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    width: usize,
    words: Vec<Word>,
    edges: Vec<Edge>,
}

impl Path {
    /// The path of no steps.
    pub fn starting_at(state: &[Word]) -> Path {
        Path { width: state.len(), words: state.to_vec(), edges: Vec::new() }
    }

    /// Adds a step.
    pub fn push(&mut self, edge: Edge, state: &[Word]) {
        self.edges.push(edge);
        self.words.extend_from_slice(state);
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// The number of its states: one more, or none where there is no path.
    pub(crate) fn states(&self) -> usize {
        if self.words.is_empty() && self.edges.is_empty() { 0 } else { self.len() + 1 }
    }

    /// Whether it has no steps.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The state after `steps` steps.
    pub fn state(&self, steps: usize) -> &[Word] {
        &self.words[steps * self.width..(steps + 1) * self.width]
    }

    /// The state each step leaves, and its edge.
    pub fn steps(&self) -> impl Iterator<Item = (&[Word], Edge)> {
        self.edges.iter().enumerate().map(|(step, edge)| (self.state(step), *edge))
    }

    /// This path and then `next`, which starts where this one ends.
    pub(crate) fn and(mut self, next: &Path) -> Path {
        for (step, edge) in next.edges.iter().enumerate() {
            self.push(*edge, next.state(step + 1));
        }
        self
    }

    /// The state it ends in.
    pub(crate) fn last(&self) -> &[Word] {
        self.state(self.len())
    }

    /// The path from the state after `start` steps to that after `end`.
    pub(crate) fn part(&self, start: usize, end: usize) -> Path {
        let words = self.words[start * self.width..(end + 1) * self.width].to_vec();
        Path { width: self.width, words, edges: self.edges[start..end].to_vec() }
    }

    /// The path without what lies between two visits of the same state.
    pub(crate) fn without_loops(&self) -> Path {
        if self.words.is_empty() {
            return self.clone();
        }
        let last: BTreeMap<&[Word], usize> =
            (0..=self.len()).map(|step| (self.state(step), step)).collect();
        let mut path = Path::starting_at(self.state(0));
        let mut at = last[self.state(0)];
        while at < self.len() {
            path.push(self.edges[at], self.state(at + 1));
            at = last[self.state(at + 1)];
        }
        path
    }

    /// The path along `states`, its edges found again by expanding: of several
    /// between two states, the first of the cheapest.
    pub(crate) fn along(
        states: &[Vec<Word>],
        expander: &mut dyn Expander,
        pricing: Option<&dyn Pricing>,
    ) -> Option<Path> {
        let mut path = Path::starting_at(states.first()?);
        let mut batch = Batch::new(path.width);
        let mut meter = pricing.map(Pricing::meter);
        for pair in states.windows(2) {
            batch.clear();
            expander.expand(&pair[0], &mut batch);
            if let Some(meter) = &mut meter {
                meter.leaving(&pair[0]);
            }
            let between = (0..batch.len()).filter(|i| batch.state(*i) == pair[1]);
            let cost = |i: &usize| meter.as_mut().map(|meter| meter.step(batch.edge(*i)));
            let step = between.min_by_key(cost)?;
            path.push(batch.edge(step), &pair[1]);
        }
        Some(path)
    }

    /// The path that takes `edges`, the first of which names the initial state.
    pub(crate) fn taking(
        edges: &[Edge],
        expander: &mut dyn Expander,
        width: usize,
    ) -> Option<Path> {
        let mut batch = Batch::new(width);
        expander.initial(&mut batch);
        let (initial, edges) = edges.split_first()?;
        let start = (0..batch.len()).find(|i| batch.edge(*i) == *initial)?;
        let mut state = batch.state(start).to_vec();
        let mut path = Path::starting_at(&state);
        for edge in edges {
            batch.clear();
            expander.expand(&state, &mut batch);
            let step = (0..batch.len()).find(|i| batch.edge(*i) == *edge)?;
            state.copy_from_slice(batch.state(step));
            path.push(*edge, &state);
        }
        Some(path)
    }
}

/// A run without an end.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// The run.
    pub path: Path,
    /// Where its last state was passed before, after so many steps; `None`
    /// where it rests at its end.
    pub back: Option<usize>,
}
