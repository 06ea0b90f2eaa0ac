//! Searches for accepted lassos, compared with brute force on random graphs.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod support;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;

use homing_core::{
    Accepts, Batch, Class, Classes, Edge, Expander, Id, Limits, Random, Space, StopReason, Store,
    Visit, Watch, Word,
};
use homing_search::{Lasso, Outcome, Task};
use homing_space::Degeneralised;
use support::{go, run, store, stores, unclaimed};

/// A graph whose edges are in acceptance sets.
#[derive(Clone, Debug)]
struct Graph {
    sets: u32,
    initial: Vec<Word>,
    /// Of every node its successors, and the sets of the edges.
    edges: Vec<Vec<(Word, u64)>>,
    /// The node with condition 0.
    goal: Option<Word>,
    /// Of every node its class, where those are told.
    classes: Option<Vec<Class>>,
}

impl Graph {
    /// From node 0 on: from, to, sets.
    fn new(sets: u32, edges: &[(usize, Word, u64)]) -> Graph {
        let nodes = edges.iter().map(|(from, to, _)| *from.max(&(*to as usize)) + 1).max();
        let mut all = vec![Vec::new(); nodes.unwrap_or(1)];
        edges.iter().for_each(|(from, to, marks)| all[*from].push((*to, *marks)));
        Graph { sets, initial: vec![0], edges: all, goal: None, classes: None }
    }

    fn random(seed: u64, most: u64) -> Graph {
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

    fn all(&self) -> u64 {
        (1 << self.sets) - 1
    }

    /// Of every node the nodes it reaches in one step or more, as bits.
    fn reach(&self) -> Vec<u64> {
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
    fn components(&self) -> Vec<Option<u64>> {
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
    fn accepts(&self) -> bool {
        let (reach, all) = (self.reach(), self.all());
        let from = |node: Word| reach[node as usize] | 1 << node;
        let reached = self.initial.iter().fold(0, |set, node| set | from(*node));
        let components = self.components();
        (0..components.len()).any(|n| reached >> n & 1 == 1 && components[n] == Some(all))
    }

    /// The steps of the shortest lasso.
    fn shortest(&self) -> Option<usize> {
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
    fn check(&self, lasso: &Lasso, name: &str) {
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

struct Edges<'a>(&'a Graph);

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

const SEARCHES: [&str; 6] = ["tarjan", "nested", "ndfs", "couvreur", "directed-nested", "owcty"];

/// Those that take one acceptance set only.
const NARROW: [&str; 3] = ["nested", "ndfs", "directed-nested"];

fn find(search: &str, graph: &Graph, store_name: &str) -> Outcome {
    let wrapped = Degeneralised::new(graph);
    let narrow = NARROW.iter().any(|name| search.starts_with(name));
    let space: &dyn Space = if narrow && graph.sets > 1 { &wrapped } else { graph };
    let task = Task { lasso: true, ..Task::explore(space) };
    let mut store = store(store_name, space.width(), None);
    run(search, &task, &mut *store, None, &mut Watch::unlimited())
}

/// The search finds a lasso if there is one, and it is one.
fn check(search: &str, graph: &Graph, store_name: &str) -> bool {
    let outcome = find(search, graph, store_name);
    assert_eq!(outcome.stopped, None, "{search}: {graph:?}");
    let lasso = &outcome.findings.lasso;
    assert_eq!(lasso.is_some(), graph.accepts(), "{search}: {graph:?}");
    if let Some(lasso) = lasso {
        graph.check(lasso, search);
    }
    lasso.is_some()
}

fn check_random(search: &str) {
    let plain = format!("{search}(improve=0)");
    let found = (0..100_000).filter(|seed| check(&plain, &Graph::random(*seed, 9), "exact"));
    let found = found.count();
    assert!((20_000..80_000).contains(&found), "{found} of 100,000 have lassos");
}

#[test]
fn oracle_tarjan() {
    check_random("tarjan");
}

#[test]
fn oracle_nested() {
    check_random("nested");
}

#[test]
fn oracle_ndfs() {
    check_random("ndfs");
}

#[test]
fn oracle_couvreur() {
    check_random("couvreur");
}

#[test]
fn oracle_directed_nested() {
    check_random("directed-nested");
}

#[test]
fn oracle_owcty() {
    check_random("owcty");
}

#[test]
fn oracle_every_store() {
    for search in SEARCHES {
        for store in ["tree", "hash-compact", "covering"] {
            if store == "hash-compact" && search == "owcty" {
                continue;
            }
            let found = (0..500).filter(|seed| check(search, &Graph::random(*seed, 20), store));
            assert!(found.count() > 100, "{search}");
        }
    }
}

/// What is told of components beforehand, of a whole graph: exactly what holds, or
/// less.
fn classify(graph: &mut Graph, random: &mut Random) {
    let (reach, components, all) = (graph.reach(), graph.components(), graph.all());
    let class = |node: usize| {
        let same = |other: &usize| reach[node] >> other & reach[*other] >> node & 1 == 1;
        let component = (0..node).find(same).unwrap_or(node) as u32;
        let inside = |to: Word| same(&(to as usize));
        let members = (0..graph.edges.len()).filter(same);
        let steps = members.flat_map(|from| &graph.edges[from]).filter(|(to, _)| inside(*to));
        let accepts = match components[node] {
            Some(sets) if sets != all => Accepts::None,
            None => Accepts::None,
            Some(_) if steps.clone().all(|(_, marks)| *marks == all) => Accepts::All,
            Some(_) => Accepts::Some,
        };
        Class { component, accepts: if random.below(3) == 0 { Accepts::Some } else { accepts } }
    };
    graph.classes = Some((0..graph.edges.len()).map(class).collect());
}

#[test]
fn oracle_classes_are_of_use_and_do_no_harm() {
    let mut random = Random::new(5);
    let found = (0..50_000).filter(|seed| {
        let mut graph = Graph::random(*seed, 9);
        classify(&mut graph, &mut random);
        check("directed-nested(improve=0)", &graph, "exact")
    });
    assert!(found.count() > 10_000);
    // A long way that leads to nothing comes first, and is not taken.
    let edges: Vec<(usize, Word, u64)> = (0..50).map(|n| (n, n as Word + 1, 0)).collect();
    let mut graph = Graph::new(1, &[&edges[..], &[(0, 51, 0), (51, 51, 1)]].concat());
    let class = |node| Class {
        component: node,
        accepts: if node == 51 { Accepts::All } else { Accepts::None },
    };
    let expanded =
        |graph: &Graph| find("directed-nested(improve=0)", graph, "exact").statistics.progress;
    assert!(expanded(&graph).expanded > 50);
    graph.classes = Some((0..52).map(class).collect());
    assert_eq!(expanded(&graph).expanded, 2);
}

#[test]
fn oracle_improved_lassos_are_shortest() {
    let (mut shorter, mut found) = (0, 0);
    for seed in 0..5000 {
        let graph = Graph::random(seed, 9);
        let Some(least) = graph.shortest() else { continue };
        for search in ["tarjan", "couvreur", "ndfs", "owcty"] {
            // Degeneralised, the space has other lassos.
            if graph.sets > 1 && NARROW.contains(&search) {
                continue;
            }
            let plain = find(&format!("{search}(improve=0)"), &graph, "exact");
            let better = find(&format!("{search}(improve=100000)"), &graph, "exact");
            let length = |outcome: &Outcome| outcome.findings.lasso.as_ref().unwrap().path.len();
            graph.check(better.findings.lasso.as_ref().unwrap(), search);
            assert_eq!(length(&better), least, "{search} {seed}: {graph:?}");
            assert!(better.optimal);
            shorter += usize::from(length(&better) < length(&plain));
            found += 1;
            // A small effort does no harm.
            let little = find(&format!("{search}(improve=7)"), &graph, "exact");
            graph.check(little.findings.lasso.as_ref().unwrap(), search);
            assert!(length(&little) <= length(&plain));
            assert!(!little.optimal || length(&little) == least);
        }
    }
    assert!(shorter > 1000, "{shorter} of {found} are shorter");
}

/// The inner search must start when the accepting state is left. If it started when
/// node 0 is entered, it would colour 1, 2 and 3 red; the one from 1 would not pass 2
/// then, and miss the cycle of 1, 2, 3.
#[test]
fn inner_searches_start_in_post_order() {
    let graph = Graph::new(1, &[(0, 1, 1), (1, 2, 1), (2, 3, 0), (3, 1, 0)]);
    SEARCHES.iter().for_each(|search| assert!(check(search, &graph, "exact"), "{search}"));
}

#[test]
fn self_loops_are_cycles() {
    for (marks, expected) in [(0, false), (1, true)] {
        let graph = Graph::new(1, &[(0, 1, 1), (1, 1, marks), (1, 2, 1)]);
        let search = |search: &&str| check(search, &graph, "exact") == expected;
        assert!(SEARCHES.iter().all(search));
    }
}

/// The steps of two sets are on cycles of their own that meet.
#[test]
fn sets_may_lie_on_different_cycles() {
    let graph = Graph::new(2, &[(0, 1, 0), (1, 0, 1), (0, 2, 0), (2, 0, 2)]);
    for search in SEARCHES {
        assert!(check(search, &graph, "exact"), "{search}");
        let improved = format!("{search}(improve=1000)");
        let lasso = find(&improved, &graph, "exact").findings.lasso.unwrap();
        assert_eq!((lasso.path.len(), lasso.back), (4, Some(0)), "{search}");
    }
}

#[test]
fn without_acceptance_sets_every_cycle_is_accepted() {
    let forwards = Graph::new(0, &[(0, 1, 0), (0, 2, 0), (1, 2, 0)]);
    let round = Graph::new(0, &[(0, 1, 0), (0, 2, 0), (1, 2, 0), (2, 1, 0)]);
    for search in SEARCHES {
        assert!(!check(search, &forwards, "exact") && check(search, &round, "exact"), "{search}");
    }
}

#[test]
fn conditions_are_found_on_the_way_and_after_a_lasso() {
    let (mut both, mut one) = (0, 0);
    for seed in 0..3000 {
        let mut graph = Graph::random(seed, 9);
        graph.goal = Some(0);
        let reach = graph.reach();
        let reached = graph.initial.iter().any(|n| *n == 0 || reach[*n as usize] & 1 == 1);
        for search in SEARCHES {
            let wrapped = Degeneralised::new(&graph);
            let narrow = NARROW.contains(&search) && graph.sets > 1;
            let space: &dyn Space = if narrow { &wrapped } else { &graph };
            let task = Task { lasso: true, conditions: 1, ..Task::explore(space) };
            let mut store = store("exact", space.width(), None);
            let outcome = run(search, &task, &mut *store, None, &mut Watch::unlimited());
            let goal = support::goal(&outcome);
            assert_eq!(goal.is_some(), reached, "{search} {seed}: {graph:?}");
            assert!(goal.is_none_or(|goal| goal.path.state(goal.path.len())[0] == 0));
            assert_eq!(outcome.findings.lasso.is_some(), graph.accepts(), "{search} {seed}");
            if let Some(lasso) = &outcome.findings.lasso {
                graph.check(lasso, search);
                one += 1;
                both += usize::from(reached);
            }
        }
    }
    assert!(both > 500 && one > both + 500, "{both} {one}");
}

/// An estimate orders successors, whatever it says.
#[test]
fn estimates_do_no_harm() {
    for seed in 0..3000 {
        let graph = Graph::random(seed, 9);
        if graph.sets > 1 {
            continue;
        }
        let task = Task { lasso: true, ..Task::explore(&graph) };
        let estimate = unclaimed(move |node| (node * seed % 7) as u32);
        let mut stores = stores("exact", 1, None);
        let search = "directed-nested(goal-count, improve=0)";
        let outcome = go(search, &task, &mut stores, estimate, &mut Watch::unlimited());
        assert_eq!(outcome.findings.lasso.is_some(), graph.accepts());
    }
}

#[test]
fn limits_are_obeyed() {
    let edges: Vec<(usize, Word, u64)> = (0..5000).map(|n| (n, n as Word + 1, 1)).collect();
    let graph = Graph::new(1, &[&edges[..], &[(5000, 0, 0)]].concat());
    let limits = [
        (Limits { states: Some(1000), ..Limits::default() }, StopReason::States),
        (Limits { expansions: Some(1000), ..Limits::default() }, StopReason::Expansions),
        (Limits { memory: Some(1), ..Limits::default() }, StopReason::Memory),
        (Limits { depth: Some(1000), ..Limits::default() }, StopReason::Depth),
    ];
    for search in SEARCHES {
        for (limits, reason) in &limits {
            let task = Task { lasso: true, ..Task::explore(&graph) };
            let mut store = store("exact", 1, None);
            let mut watch = Watch::new(limits.clone());
            let outcome = run(search, &task, &mut *store, None, &mut watch);
            assert_eq!(outcome.stopped, Some(*reason), "{search}");
            assert!(outcome.findings.lasso.is_none());
        }
    }
}

#[test]
fn too_many_sets_are_refused() {
    let graph = Graph::new(2, &[(0, 0, 3)]);
    let task = Task { lasso: true, ..Task::explore(&graph) };
    for search in NARROW {
        let mut store = store("exact", 1, None);
        let outcome = run(search, &task, &mut *store, None, &mut Watch::unlimited());
        assert!(outcome.stopped.is_some() && outcome.notices.len() == 1);
    }
}

/// A graph in which some successors of every node may be enough: all but the last,
/// which leads to a node of its own. Whether a search visits that says whether it took
/// all successors.
struct Ample {
    graph: Graph,
    /// Of every node whether some successors are enough.
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
        let graph = Graph { sets: 1, initial: vec![0], edges, goal: None, classes: None };
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
            let mut store = store("exact", 1, None);
            let outcome = run(search, &task, &mut *store, None, &mut Watch::unlimited());
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
            let mut store = store("exact", 1, None);
            let outcome = run(search, &task, &mut *store, None, &mut Watch::unlimited());
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

/// A store that takes states for one whose numbers have the same rest.
#[derive(Default)]
struct Confusing(BTreeMap<Word, Id>);

impl Store for Confusing {
    fn visit(&mut self, state: &[Word], _hash: u64, _from: Id, _cost: u64) -> Visit {
        let next = Id(self.0.len() as u32);
        match self.0.entry(state[0] % 7) {
            Entry::Occupied(known) => Visit::Known(*known.get()),
            Entry::Vacant(place) => Visit::New(*place.insert(next)),
        }
    }

    fn prefetch(&self, _hashes: &[u64]) {}

    fn load(&self, _id: Id, _out: &mut [Word]) -> bool {
        false
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Where the store confuses states, a lasso may be missed, but none is made up.
#[test]
fn lossy_stores_make_no_lassos_up() {
    for search in SEARCHES.iter().filter(|search| **search != "owcty") {
        let (mut found, mut missed) = (0, 0);
        for seed in 0..5000 {
            let graph = Graph::random(seed, 20);
            if graph.sets > 1 && NARROW.contains(search) {
                continue;
            }
            let task = Task { lasso: true, ..Task::explore(&graph) };
            let store = &mut Confusing::default();
            let outcome = run(search, &task, store, None, &mut Watch::unlimited());
            match &outcome.findings.lasso {
                Some(lasso) => {
                    graph.check(lasso, search);
                    found += 1;
                }
                None => missed += usize::from(graph.accepts()),
            }
        }
        assert!(found > 100 && missed > 10, "{search}: {found} found, {missed} missed");
    }
}
