//! Searches for accepted lassos, compared with brute force on random graphs.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::support;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use homing_core::{
    Accepts, Class, DEAD_END, Distance, Id, Limits, Random, Space, StopReason, Store, Stores,
    Visit, Watch, Word,
};
use homing_search::{Context, Guide, Outcome, Task, strategy};
use homing_space::Degeneralised;
use support::graphs::{Graph, LOADING, NARROW, SEARCHES};
use support::{call, go, run, store, stores, unclaimed};

fn find(search: &str, graph: &Graph, store_name: &str) -> Outcome {
    let wrapped = Degeneralised::new(graph);
    let narrow = NARROW.iter().any(|name| search.starts_with(name));
    let space: &dyn Space = if narrow && graph.sets > 1 { &wrapped } else { graph };
    let task = Task { lasso: true, ..Task::explore(space) };
    let mut stores = stores(store_name, space.width(), None);
    go(search, &task, &mut stores, None, &mut Watch::unlimited())
}

/// The search finds a lasso if there is one, and it is one.
fn check(search: &str, graph: &Graph, store_name: &str) -> bool {
    let outcome = find(search, graph, store_name);
    assert_eq!(outcome.stopped, None, "{search}: {graph:?}");
    let lasso = &outcome.findings.lasso;
    let expected = if graph.pairs > 0 { graph.accepts_with_pairs() } else { graph.accepts() };
    assert_eq!(lasso.is_some(), expected, "{search}: {graph:?}");
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
fn oracle_streett() {
    check_random("streett");
}

#[test]
fn oracle_streett_with_pairs() {
    let (mut withheld, mut refined) = (0, 0);
    let found = (0..100_000).filter(|seed| {
        let graph = Graph::random_with_pairs(*seed, 9);
        let found = check("streett(improve=0)", &graph, "exact");
        withheld += usize::from(!found && graph.accepts());
        refined += usize::from(found && !graph.grants_all_of_a_component());
        found
    });
    let found = found.count();
    assert!((20_000..80_000).contains(&found), "{found} of 100,000 have lassos");
    assert!(withheld > 5_000, "{withheld} would have lassos without pairs");
    assert!(refined > 1_000, "{refined} have to be refined");
}

#[test]
fn oracle_improved_lassos_with_pairs_are_shortest() {
    let (mut found, mut shorter) = (0, 0);
    for seed in 0..5000 {
        let graph = Graph::random_with_pairs(seed, 9);
        let Some(least) = graph.shortest_with_pairs() else {
            assert!(!graph.accepts_with_pairs());
            continue;
        };
        let length = |search: &str| {
            let outcome = find(search, &graph, "exact");
            let lasso = outcome.findings.lasso.expect("there is one");
            graph.check(&lasso, search);
            (lasso.path.len(), outcome.optimal)
        };
        let (plain, _) = length("streett(improve=0)");
        assert_eq!(length("streett(improve=100000)"), (least, true), "{seed}: {graph:?}");
        let (little, optimal) = length("streett(improve=7)");
        assert!(little <= plain && (!optimal || little == least), "{seed}: {graph:?}");
        found += 1;
        shorter += usize::from(least < plain);
    }
    assert!(found > 1000 && shorter > 200, "{found} {shorter}");
}

/// A request that is not granted on one cycle is on another; and a cycle that must be
/// left because of one pair may lead to one that must be left because of the next.
#[test]
fn components_are_refined() {
    let with = |requests: &[u64], edges: &[(usize, Word, u64)]| Graph {
        pairs: 2,
        requests: requests.to_vec(),
        ..Graph::new(1, edges)
    };
    let (accepting, first, second) = (1, 2, 4);
    // Two cycles meet in node 0; what node 2 requests only the other one grants.
    let edges = [(0, 1, first), (1, 0, accepting), (0, 2, 0), (2, 0, accepting)];
    assert!(check("streett", &with(&[0, 0, first], &edges), "exact"));
    assert!(check("streett", &with(&[0, 0, second], &edges), "exact"));
    assert!(!check("streett", &with(&[second, 0, 0], &edges), "exact"));
    // Without node 0, which is never granted what it requests, what node 1 requests
    // is not either; without both, a cycle of node 2 is left, if it accepts.
    let edges = |marks| [(0, 1, second), (1, 2, accepting), (2, 0, 0), (2, 1, 0), (2, 2, marks)];
    let requests = [first, second, 0];
    assert!(check("streett", &with(&requests, &edges(accepting)), "exact"));
    assert!(!check("streett", &with(&requests, &edges(0)), "exact"));
}

#[test]
fn pairs_are_refused_by_others() {
    let graph = Graph { pairs: 1, requests: vec![0], ..Graph::new(0, &[(0, 0, 0)]) };
    let task = Task { lasso: true, ..Task::explore(&graph) };
    for search in SEARCHES {
        let mut store = store("exact", 1, None);
        let outcome = run(search, &task, &mut *store, None, &mut Watch::unlimited());
        assert_eq!(outcome.findings.lasso.is_some(), search == "streett");
        assert_eq!(outcome.stopped.is_some(), search != "streett");
    }
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
            if store == "hash-compact" && LOADING.contains(&search) {
                continue;
            }
            let found = (0..500).filter(|seed| check(search, &Graph::random(*seed, 20), store));
            assert!(found.count() > 100, "{search}");
        }
    }
    for store in ["tree", "covering"] {
        let graph = |seed: u64| Graph::random_with_pairs(seed, 20);
        let found = (0..500).filter(|seed| check("streett", &graph(*seed), store));
        assert!(found.count() > 100, "{store}");
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
        for search in ["tarjan", "couvreur", "streett", "ndfs", "owcty"] {
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

/// Two accepted lassos that have nothing in common: a depth-first search finds the long one,
/// and again, not so deep, the short one.
#[test]
fn another_search_not_so_deep_finds_shorter_lassos() {
    const LONG: Word = 400;
    let long = (1..LONG).map(|node| (node as usize, node + 1, 0));
    let short = (LONG + 1..LONG + 20).map(|node| (node as usize, node + 1, 0));
    let starts = [(0, 1, 0), (0, LONG + 1, 0)];
    let ends = [LONG, LONG + 20].map(|node| (node as usize, node, 1));
    let edges: Vec<_> = starts.into_iter().chain(long).chain(short).chain(ends).collect();
    let graph = Graph::new(1, &edges);
    for search in ["tarjan", "nested", "ndfs", "couvreur", "directed-nested"] {
        let length = |improve: u64| {
            let outcome = find(&format!("{search}(improve={improve})"), &graph, "exact");
            assert!(outcome.statistics.progress.expanded <= 500 + improve, "{search}");
            let lasso = outcome.findings.lasso.unwrap();
            graph.check(&lasso, search);
            lasso.path.len()
        };
        assert_eq!((length(0), length(600)), (401, 21), "{search}");
    }
}

#[test]
fn a_search_may_end_within_so_many_expansions() {
    let steps: Vec<_> = (0..2000).map(|node| (node, node as Word + 1, 0)).collect();
    let graph = Graph::new(1, &steps);
    for search in SEARCHES {
        let outcome = find(&format!("{search}(within=1000)"), &graph, "exact");
        assert_eq!(outcome.stopped, Some(StopReason::Expansions), "{search}");
        assert!(outcome.statistics.progress.expanded < 2000, "{search}");
    }
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
            let mut stores = stores("exact", space.width(), None);
            let outcome = go(search, &task, &mut stores, None, &mut Watch::unlimited());
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

/// So does a distance between states in the inner search.
#[test]
fn distances_do_no_harm() {
    struct Any(u64);
    impl Distance for Any {
        fn distance(&self, from: &[Word], to: &[Word]) -> u32 {
            match (from[0] * self.0 + to[0]) % 5 {
                0 => DEAD_END,
                some => some as u32,
            }
        }
    }
    let mut found = 0;
    for seed in 0..3000 {
        let graph = Graph::random(seed, 9);
        if graph.sets > 1 {
            continue;
        }
        let task = Task { lasso: true, ..Task::explore(&graph) };
        let mut stores = stores("exact", 1, None);
        let search = call("directed-nested(inner=fsm-sum, improve=0)");
        let (strategy, _) = strategy::build(&search, 1).unwrap();
        assert_eq!(strategy.algorithm.distance(), Some("fsm-sum"));
        let guide = Guide { distance: Some(Box::new(Any(seed))), ..Guide::default() };
        let watch = &mut Watch::unlimited();
        let run = Context { task: &task, stores: &mut stores, guide: &guide, watch };
        let outcome = strategy.algorithm.run(run);
        assert_eq!(outcome.findings.lasso.is_some(), graph.accepts());
        if let Some(lasso) = &outcome.findings.lasso {
            graph.check(lasso, "directed-nested");
            found += 1;
        }
    }
    assert!(found > 300, "{found}");
}

/// Several sets counted through leave the pairs as they are.
#[test]
fn oracle_pairs_of_degeneralised_graphs() {
    for seed in 0..5000 {
        let graph = Graph::random_with_pairs(seed, 9);
        let space = Degeneralised::new(&graph);
        let task = Task { lasso: true, ..Task::explore(&space) };
        let mut stores = stores("exact", space.width(), None);
        let outcome = go("streett", &task, &mut stores, None, &mut Watch::unlimited());
        assert_eq!(outcome.findings.lasso.is_some(), graph.accepts_with_pairs(), "{graph:?}");
        outcome.findings.lasso.iter().for_each(|lasso| graph.check(lasso, "degeneralised"));
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

impl Stores for Confusing {
    fn fresh(&mut self) -> Result<&mut dyn Store, StopReason> {
        self.0.clear();
        Ok(self)
    }
}

/// Where the store confuses states, a lasso may be missed, but none is made up.
#[test]
fn lossy_stores_make_no_lassos_up() {
    for search in SEARCHES.iter().filter(|search| !LOADING.contains(search)) {
        let (mut found, mut missed) = (0, 0);
        for seed in 0..5000 {
            let graph = Graph::random(seed, 20);
            if graph.sets > 1 && NARROW.contains(search) {
                continue;
            }
            let task = Task { lasso: true, ..Task::explore(&graph) };
            let stores = &mut Confusing::default();
            let outcome = go(search, &task, stores, None, &mut Watch::unlimited());
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
