//! Graphs whose edges are in acceptance sets, and what holds of them by brute force.

use std::collections::{BTreeSet, VecDeque};

use homing_core::{Batch, Class, Classes, Edge, Expander, Random, Space, Word};
use homing_search::Lasso;

/// A graph whose edges are in acceptance sets.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How many sets.
    pub sets: u32,
    /// Where runs begin.
    pub initial: Vec<Word>,
    /// How many pairs; their marks come behind those of the sets.
    pub pairs: u32,
    /// Of every node the pairs it requests; nothing where none does.
    pub requests: Vec<u64>,
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
        Graph {
            sets,
            initial: vec![0],
            pairs: 0,
            requests: Vec::new(),
            edges: all,
            goal: None,
            classes: None,
        }
    }

    /// Of up to so many nodes.
    pub fn random(seed: u64, most: u64) -> Graph {
        Graph::random_with(seed, most, |random| (random.below(5) as u32, 0))
    }

    /// Of up to so many nodes, with up to three pairs.
    pub fn random_with_pairs(seed: u64, most: u64) -> Graph {
        let sizes = |random: &mut Random| (random.below(3) as u32, 1 + random.below(3) as u32);
        Graph::random_with(seed, most, sizes)
    }

    /// With so many sets and pairs.
    fn random_with(seed: u64, most: u64, sizes: fn(&mut Random) -> (u32, u32)) -> Graph {
        let mut random = Random::new(seed);
        let (sets, pairs) = sizes(&mut random);
        let nodes = 1 + random.below(most);
        let degree = 1 + random.below(3) + u64::from(pairs > 0);
        let marked = 1 + random.below(4);
        let mut edges = Vec::new();
        for _ in 0..nodes {
            let edge = |random: &mut Random| {
                let marks = (0..sets + pairs).filter(|set| {
                    // What is granted is rarer, or nothing would have to be refined.
                    random.below(if *set < sets { 4 } else { 10 }) < marked
                });
                let marks = marks.fold(0, |marks, set| marks | 1 << set);
                (random.below(nodes), marks)
            };
            let count = random.below(degree + 1);
            edges.push((0..count).map(|_| edge(&mut random)).collect());
        }
        let initial = (0..1 + random.below(3)).map(|_| random.below(nodes)).collect();
        let rare = 1 + random.below(4);
        let request = |random: &mut Random| {
            let requests = (sets..sets + pairs).filter(|_| random.below(1 + rare) == 0);
            requests.fold(0, |requests, pair| requests | 1 << pair)
        };
        let requests = match pairs {
            0 => Vec::new(),
            _ => (0..nodes).map(|_| request(&mut random)).collect(),
        };
        Graph { sets, initial, pairs, requests, edges, goal: None, classes: None }
    }

    /// What a node requests.
    pub fn requested(&self, node: usize) -> u64 {
        self.requests.get(node).copied().unwrap_or(0)
    }

    /// Whether a run is accepted: for some choice of pairs that are never requested, one
    /// that passes none of the nodes which do, and is granted all others.
    pub fn accepts_with_pairs(&self) -> bool {
        let reach = self.reach();
        let from = |node: Word| reach[node as usize] | 1 << node;
        let reached = self.initial.iter().fold(0, |set, node| set | from(*node));
        (0..1_u64 << self.pairs).any(|chosen| {
            let never = chosen << self.sets;
            let needed = ((1 << (self.sets + self.pairs)) - 1) & !never;
            let stays = |node: usize| self.requested(node) & never == 0;
            let mut left = self.clone();
            for (node, edges) in left.edges.iter_mut().enumerate() {
                edges.retain(|(to, _)| stays(node) && stays(*to as usize));
            }
            let components = left.components();
            let has = |node: usize| components[node].is_some_and(|sets| needed & !sets == 0);
            (0..components.len()).any(|node| reached >> node & 1 == 1 && has(node))
        })
    }

    /// Whether some component as a whole has all that it needs.
    pub fn grants_all_of_a_component(&self) -> bool {
        let (reach, components) = (self.reach(), self.components());
        let needed = |node: usize| {
            let same = |other: &usize| reach[node] >> other & reach[*other] >> node & 1 == 1;
            let nodes = (0..components.len()).filter(same);
            nodes.fold(self.all(), |needed, other| needed | self.requested(other))
        };
        let mut nodes = (0..components.len()).filter_map(|node| Some((node, components[node]?)));
        nodes.any(|(node, sets)| needed(node) & !sets == 0)
    }

    /// The steps of the shortest lasso, by what was seen and requested since its round
    /// began.
    pub fn shortest_with_pairs(&self) -> Option<usize> {
        let nodes = self.edges.len();
        let starts = self.initial.iter().map(|node| (*node as usize, 0));
        let stems = distances(nodes, starts.collect(), |node, _| {
            self.edges[node].iter().map(|(to, _)| (*to as usize, 0)).collect()
        });
        let round = |start: usize| {
            let mut known = BTreeSet::new();
            let mut queue = VecDeque::from([(start, 0, 0, 0)]);
            while let Some((node, seen, requested, steps)) = queue.pop_front() {
                let requested = requested | self.requested(node);
                for (to, marks) in &self.edges[node] {
                    let (to, seen) = (*to as usize, seen | marks);
                    if to == start && (self.all() | requested) & !seen == 0 {
                        return Some(steps + 1);
                    }
                    if known.insert((to, seen, requested)) {
                        queue.push_back((to, seen, requested, steps + 1));
                    }
                }
            }
            None
        };
        (0..nodes).filter_map(|node| Some(stems[node]? + round(node)?)).min()
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
        let has = |node: usize| components[node].is_some_and(|sets| all & !sets == 0);
        (0..components.len()).any(|node| reached >> node & 1 == 1 && has(node))
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

    /// A lasso is one: every edge is there, it closes, sees all sets, and grants what it
    /// requests.
    pub fn check(&self, lasso: &Lasso, name: &str) {
        let node = |step: usize| lasso.path.state(step)[0];
        let back = lasso.back.unwrap();
        assert!(self.initial.contains(&node(0)), "{name}: {self:?}");
        assert!(back < lasso.path.len(), "{name}: {self:?}");
        assert_eq!(lasso.path.state(back), lasso.path.state(lasso.path.len()), "{name}: {self:?}");
        let (mut seen, mut requested) = (0, 0);
        for (step, (state, edge)) in lasso.path.steps().enumerate() {
            let (to, marks) = self.edges[state[0] as usize][edge.label as usize];
            assert_eq!(to, node(step + 1), "{name}: {self:?}");
            if step >= back {
                seen |= marks;
                requested |= self.requested(state[0] as usize);
            }
        }
        assert_eq!((self.all() | requested) & !seen, 0, "{name}: {self:?}");
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

    fn streett_pairs(&self) -> u32 {
        self.pairs
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
        out.set_requested(self.0.requested(state[0] as usize));
        out.set_deadlock(edges.is_empty());
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        u64::from(self.0.goal == Some(state[0]))
    }
}

/// All searches for lassos.
pub const SEARCHES: [&str; 7] =
    ["tarjan", "nested", "ndfs", "couvreur", "streett", "directed-nested", "owcty"];

/// Those that load states again, and so need a store that keeps them.
pub const LOADING: [&str; 2] = ["streett", "owcty"];

/// Those that take one acceptance set only.
pub const NARROW: [&str; 3] = ["nested", "ndfs", "directed-nested"];
