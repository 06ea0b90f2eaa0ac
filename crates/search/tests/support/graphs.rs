//! Graphs whose edges are in acceptance sets, and what holds of them by brute force.

use std::collections::VecDeque;

use homing_core::{Batch, Class, Classes, Edge, Expander, Random, Space, Word};
use homing_search::Lasso;

/// A graph whose edges are in acceptance sets.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How many sets.
    pub sets: u32,
    /// Where runs begin.
    pub initial: Vec<Word>,
    /// Of every node its successors, and the sets of the edges.
    pub edges: Vec<Vec<(Word, u64)>>,
    /// The node with condition 0.
    pub goal: Option<Word>,
    /// Of every node its class, where those are told.
    pub classes: Option<Vec<Class>>,
}

impl Graph {
    /// From node 0 on: from, to, sets.
    pub fn new(sets: u32, edges: &[(usize, Word, u64)]) -> Graph {
        let nodes = edges.iter().map(|(from, to, _)| *from.max(&(*to as usize)) + 1).max();
        let mut all = vec![Vec::new(); nodes.unwrap_or(1)];
        edges.iter().for_each(|(from, to, marks)| all[*from].push((*to, *marks)));
        Graph { sets, initial: vec![0], edges: all, goal: None, classes: None }
    }

    /// Of up to so many nodes.
    pub fn random(seed: u64, most: u64) -> Graph {
        let mut random = Random::new(seed);
        let sets = random.below(5) as u32;
        let nodes = 1 + random.below(most);
        let degree = 1 + random.below(3);
        let marked = 1 + random.below(4);
        let mut edges = Vec::new();
        for _ in 0..nodes {
            let edge = |random: &mut Random| {
                let marks = (0..sets).filter(|_| random.below(4) < marked);
                let marks = marks.fold(0, |marks, set| marks | 1 << set);
                (random.below(nodes), marks)
            };
            let count = random.below(degree + 1);
            edges.push((0..count).map(|_| edge(&mut random)).collect());
        }
        let initial = (0..1 + random.below(3)).map(|_| random.below(nodes)).collect();
        Graph { sets, initial, edges, goal: None, classes: None }
    }

    /// All sets.
    pub fn all(&self) -> u64 {
        (1 << self.sets) - 1
    }

    /// Of every node the nodes it reaches in one step or more, as bits.
    pub fn reach(&self) -> Vec<u64> {
        let mut reach: Vec<u64> = self
            .edges
            .iter()
            .map(|edges| edges.iter().fold(0, |set, (to, _)| set | 1 << to))
            .collect();
        for via in 0..reach.len() {
            for from in 0..reach.len() {
                if reach[from] >> via & 1 == 1 {
                    reach[from] |= reach[via];
                }
            }
        }
        reach
    }

    /// Of every node the sets of the edges in its component, if it is on a cycle.
    pub fn components(&self) -> Vec<Option<u64>> {
        let reach = self.reach();
        let same = |a: usize, b: usize| reach[a] >> b & 1 == 1 && reach[b] >> a & 1 == 1;
        let sets = |node: usize| {
            let inside = (0..self.edges.len()).filter(|from| same(node, *from));
            let edges = inside.flat_map(|from| &self.edges[from]);
            edges
                .filter(|(to, _)| same(node, *to as usize))
                .fold(0, |sets, (_, marks)| sets | marks)
        };
        (0..self.edges.len()).map(|node| same(node, node).then(|| sets(node))).collect()
    }

    /// Whether a run is accepted.
    pub fn accepts(&self) -> bool {
        let (reach, all) = (self.reach(), self.all());
        let from = |node: Word| reach[node as usize] | 1 << node;
        let reached = self.initial.iter().fold(0, |set, node| set | from(*node));
        let components = self.components();
        (0..components.len()).any(|n| reached >> n & 1 == 1 && components[n] == Some(all))
    }

    /// The steps of the shortest lasso.
    pub fn shortest(&self) -> Option<usize> {
        let nodes = self.edges.len();
        let starts = self.initial.iter().map(|node| (*node as usize, 0));
        let stems = distances(nodes, starts.collect(), |node, _| {
            self.edges[node].iter().map(|(to, _)| (*to as usize, 0)).collect()
        });
        let round = |start: usize| {
            let next = |node: usize, seen: u64| {
                let edges = self.edges[node].iter();
                edges.map(|(to, marks)| (*to as usize, seen | marks)).collect()
            };
            // The first step is taken here, so that no round is empty.
            let first: Vec<(usize, u64)> = next(start, 0);
            let all = self.all() as usize;
            distances(nodes, first, next)[all * nodes + start].map(|steps| steps + 1)
        };
        (0..nodes).filter_map(|node| Some(stems[node]? + round(node)?)).min()
    }

    /// A lasso is one: every edge is there, it closes, and sees all sets.
    pub fn check(&self, lasso: &Lasso, name: &str) {
        let node = |step: usize| lasso.path.state(step)[0];
        let back = lasso.back.unwrap();
        assert!(self.initial.contains(&node(0)), "{name}: {self:?}");
        assert!(back < lasso.path.len(), "{name}: {self:?}");
        assert_eq!(lasso.path.state(back), lasso.path.state(lasso.path.len()), "{name}: {self:?}");
        let mut seen = 0;
        for (step, (state, edge)) in lasso.path.steps().enumerate() {
            let (to, marks) = self.edges[state[0] as usize][edge.label as usize];
            assert_eq!(to, node(step + 1), "{name}: {self:?}");
            seen |= if step >= back { marks } else { 0 };
        }
        assert_eq!(seen, self.all(), "{name}: {self:?}");
    }
}

/// Steps to every node with every set of marks, by `marks * nodes + node`.
fn distances(
    nodes: usize,
    starts: Vec<(usize, u64)>,
    next: impl Fn(usize, u64) -> Vec<(usize, u64)>,
) -> Vec<Option<usize>> {
    let mut steps = vec![None; nodes * 16];
    let mut queue: VecDeque<_> = starts.into_iter().map(|(node, seen)| (node, seen, 0)).collect();
    while let Some((node, seen, distance)) = queue.pop_front() {
        let known = &mut steps[seen as usize * nodes + node];
        if known.is_none() {
            *known = Some(distance);
            queue.extend(next(node, seen).into_iter().map(|(to, seen)| (to, seen, distance + 1)));
        }
    }
    steps
}

impl Space for Graph {
    fn width(&self) -> usize {
        1
    }

    fn acceptance_sets(&self) -> u32 {
        self.sets
    }

    fn classes(&self) -> Option<&dyn Classes> {
        self.classes.is_some().then_some(self)
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Edges(self))
    }
}

impl Classes for Graph {
    fn class(&self, state: &[Word]) -> Class {
        self.classes.as_ref().unwrap()[state[0] as usize]
    }
}

/// Expands nodes of a graph.
pub struct Edges<'a>(pub &'a Graph);

impl Expander for Edges<'_> {
    fn initial(&mut self, out: &mut Batch) {
        for (i, node) in self.0.initial.iter().enumerate() {
            out.push_marked(&[*node], Edge { label: i as u32, choice: 0 }, 0);
        }
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let edges = &self.0.edges[state[0] as usize];
        for (i, (to, marks)) in edges.iter().enumerate() {
            out.push_marked(&[*to], Edge { label: i as u32, choice: 0 }, *marks);
        }
        out.set_deadlock(edges.is_empty());
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        u64::from(self.0.goal == Some(state[0]))
    }
}

/// All searches for lassos.
pub const SEARCHES: [&str; 6] =
    ["tarjan", "nested", "ndfs", "couvreur", "directed-nested", "owcty"];

/// Those that take one acceptance set only.
pub const NARROW: [&str; 3] = ["nested", "ndfs", "directed-nested"];
