//! Models written in Rust: every strategy that needs no text finds what there is to find,
//! and what cannot be executed again is not shown.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, VecDeque};

use homing::catalogue::{Capability, Kind};
use homing::typed::{Claims, Cost, DEAD_END, TypedModel, Word, search};
use homing::{Limits, UsageError};
use homing_core::random::Random;

/// A graph, and how its nodes are packed.
struct Graph {
    next: Vec<Vec<usize>>,
    goal: usize,
    /// Packs nodes modulo this number: too small a one takes some for others.
    modulus: usize,
}

impl Graph {
    fn random(seed: u64) -> Graph {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(60) as usize;
        let mut pick = || random.below(nodes as u64) as usize;
        let next = (0..nodes).map(|_| (0..pick() % 4).map(|_| pick()).collect()).collect();
        Graph { next, goal: nodes - 1, modulus: nodes }
    }

    /// The distance of every node to the goal.
    fn distances(&self) -> BTreeMap<usize, Cost> {
        let mut found = BTreeMap::from([(self.goal, 0)]);
        let mut open = VecDeque::from([self.goal]);
        while let Some(node) = open.pop_front() {
            let away = found[&node] + 1;
            for before in (0..self.next.len()).filter(|one| self.next[*one].contains(&node)) {
                found.entry(before).or_insert_with(|| {
                    open.push_back(before);
                    away
                });
            }
        }
        found
    }
}

impl TypedModel for Graph {
    type State = usize;

    fn width(&self) -> usize {
        1
    }

    fn pack(&self, state: &usize, words: &mut [Word]) {
        words[0] = (state % self.modulus) as Word;
    }

    fn unpack(&self, words: &[Word]) -> usize {
        words[0] as usize
    }

    fn initial(&self) -> usize {
        0
    }

    fn steps(&self, state: &usize, step: &mut dyn FnMut(u32, usize)) {
        self.next[*state].iter().enumerate().for_each(|(at, to)| step(at as u32, *to));
    }

    fn is_goal(&self, state: &usize) -> bool {
        *state == self.goal
    }

    /// Half of what it is, rounded up.
    fn estimate(&self, state: &usize) -> Cost {
        self.distances().get(state).map_or(DEAD_END, |away| away.div_ceil(2))
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: false }
    }
}

#[test]
fn every_strategy_finds_what_there_is_to_find() {
    let rows = homing::catalogue();
    let rows: Vec<_> = rows.iter().filter(|row| row.kind == Kind::Strategy).collect();
    let mut reached = 0;
    for seed in 0..60 {
        let graph = Graph::random(seed);
        let distance = graph.distances().get(&0).copied();
        reached += usize::from(distance.is_some());
        for row in &rows {
            if row.gives(Capability::Lassos) {
                continue;
            }
            let call = match row.gives(Capability::Directed) {
                true => format!("{}(own)", row.name),
                false => row.name.to_string(),
            };
            let answer = match search(&graph, &call, None, &Limits::default()) {
                Ok(answer) => answer,
                Err(UsageError::Sentence(_)) => continue,
                Err(error) => panic!("{call}: {error}"),
            };
            let length = answer.run.as_ref().map(|run| run.len() as Cost);
            assert!(length >= distance || length.is_none(), "{call}, seed {seed}");
            if answer.optimal {
                assert_eq!(length, distance, "{call}, seed {seed}");
            }
            if length.is_none() && answer.unfinished.is_none() {
                assert_eq!(distance, None, "{call}, seed {seed}");
            }
            if row.gives(Capability::Complete) {
                assert_eq!(length.is_some(), distance.is_some(), "{call}, seed {seed}");
            }
        }
    }
    assert!((20..55).contains(&reached), "{reached}");
}

#[test]
fn strategies_that_need_the_text_of_a_model_are_refused() {
    let graph = Graph::random(1);
    for strategy in ["auto", "greedy(hamming)", "breadth(prefer=contexts)", "refining"] {
        let refused = search(&graph, strategy, None, &Limits::default());
        assert!(matches!(refused, Err(UsageError::Sentence(_))), "{strategy}");
    }
}

/// Packed, nodes 1 and 4 are one: the search goes on from where nobody gets.
#[test]
fn a_run_that_cannot_be_executed_is_not_shown() {
    let next = vec![vec![4], vec![2], vec![], vec![], vec![]];
    let wrong = Graph { next, goal: 2, modulus: 3 };
    let error = search(&wrong, "breadth", None, &Limits::default()).unwrap_err();
    assert!(matches!(error, UsageError::Internal(_)), "{error}");
    let right = Graph { modulus: 5, ..wrong };
    assert!(search(&right, "breadth", None, &Limits::default()).unwrap().run.is_none());
}

#[test]
fn limits_are_told() {
    let next: Vec<Vec<usize>> = (1..100).map(|to| vec![to % 99]).collect();
    let graph = Graph { next, goal: 99, modulus: 1000 };
    let limits = Limits { states: Some(10), ..Limits::default() };
    let answer = search(&graph, "breadth", None, &limits).unwrap();
    assert!(answer.run.is_none() && answer.unfinished.is_some());
    let answer = search(&graph, "breadth", Some("bitstate"), &Limits::default()).unwrap();
    assert!(answer.unfinished.unwrap().contains("two states for one"));
}
