//! Searches for accepted lassos in spaces that say which successors are an ample set.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeSet;
use std::sync::Mutex;

use homing_core::{Batch, Expander, Random, Space, Watch, Word};
use homing_search::Task;
use support::graphs::{Edges, Graph, SEARCHES};
use support::{go, stores};

/// A graph in which some successors of every node may be enough: all but the last,
/// which leads to a node of its own. Whether a search visits that says whether it took
/// all successors.
struct Ample {
    graph: Graph,
    /// Of every node whether some successors are an ample set.
    some: Vec<bool>,
    visited: Mutex<BTreeSet<Word>>,
}

impl Ample {
    /// Of `nodes` nodes, and as many that are the last successors of them.
    fn random(seed: u64, marked: bool) -> Ample {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(7);
        let mut edges: Vec<Vec<(Word, u64)>> = Vec::new();
        let mark = |random: &mut Random| u64::from(marked && random.below(4) == 0);
        for node in 0..nodes {
            let count = 1 + random.below(2);
            let edge = |_| (random.below(nodes), mark(&mut random));
            edges.push((0..count).map(edge).chain([(nodes + node, 0)]).collect());
        }
        for _ in 0..nodes {
            let leads_on = random.below(2) == 0;
            edges.push(
                leads_on.then(|| (random.below(nodes), mark(&mut random))).into_iter().collect(),
            );
        }
        let some = (0..2 * nodes).map(|node| node < nodes && random.below(4) > 0).collect();
        let graph = Graph { edges, ..Graph::new(1, &[]) };
        Ample { graph, some, visited: Mutex::default() }
    }

    /// The graph that a search saw which found nothing.
    fn seen(&self) -> Graph {
        let visited = self.visited.lock().unwrap();
        let mut seen = self.graph.clone();
        for edges in &mut seen.edges {
            edges.retain(|(to, _)| visited.contains(to));
        }
        seen
    }

    /// Whether a node was visited and not all of its successors taken.
    fn is_reduced(&self, node: Word) -> bool {
        let visited = self.visited.lock().unwrap();
        self.some[node as usize]
            && visited.contains(&node)
            && !visited.contains(&(node + self.some.len() as Word / 2))
    }
}

impl Space for Ample {
    fn width(&self) -> usize {
        1
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Enough(self))
    }
}

struct Enough<'a>(&'a Ample);

impl Expander for Enough<'_> {
    fn initial(&mut self, out: &mut Batch) {
        Edges(&self.0.graph).initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        Edges(&self.0.graph).expand(state, out);
        self.0.visited.lock().unwrap().insert(state[0]);
        let enough = out.len() - usize::from(self.0.some[state[0] as usize]);
        out.set_ample(Some(enough));
    }

    fn violated(&mut self, _state: &[Word]) -> u64 {
        0
    }
}

/// Where a search takes only some successors, every cycle has a node where it took all.
#[test]
fn every_cycle_has_a_node_expanded_fully() {
    for search in SEARCHES {
        let (mut reduced, mut full) = (0, 0);
        for seed in 0..5000 {
            let space = Ample::random(seed, false);
            let task = Task { lasso: true, ..Task::explore(&space) };
            let mut stores = stores("exact", 1, None);
            let outcome = go(search, &task, &mut stores, None, &mut Watch::unlimited());
            assert!(outcome.findings.lasso.is_none());
            let mut ignoring = space.seen();
            for (node, edges) in ignoring.edges.iter_mut().enumerate() {
                if !space.is_reduced(node as Word) {
                    edges.clear();
                }
            }
            let cyclic = ignoring.components().iter().any(Option::is_some);
            assert!(!cyclic, "{search} {seed}: {:?}", space.graph);
            let some = (0..space.some.len() as Word).filter(|node| space.some[*node as usize]);
            let (less, all) = some.partition::<Vec<_>, _>(|node| space.is_reduced(*node));
            reduced += less.len();
            full += all.len();
        }
        assert!(reduced > 1000 && full > 1000, "{search}: {reduced} reduced, {full} full");
    }
}

/// Where a search takes only some successors, it finds what is in the graph it saw: an
/// inner search chooses as the outer one did.
#[test]
fn oracle_reduced_graphs() {
    for search in SEARCHES {
        let (mut found, mut reduced) = (0, 0);
        for seed in 0..5000 {
            let space = Ample::random(seed, true);
            let task = Task { lasso: true, ..Task::explore(&space) };
            let mut stores = stores("exact", 1, None);
            let outcome = go(search, &task, &mut stores, None, &mut Watch::unlimited());
            match &outcome.findings.lasso {
                Some(lasso) => {
                    space.graph.check(lasso, search);
                    found += 1;
                }
                None => {
                    let seen = space.seen();
                    assert!(!seen.accepts(), "{search} {seed}: {:?}", space.graph);
                    reduced += usize::from(seen.edges != space.graph.edges);
                }
            }
        }
        assert!(found > 500 && reduced > 100, "{search}: {found} found, {reduced} reduced");
    }
}
