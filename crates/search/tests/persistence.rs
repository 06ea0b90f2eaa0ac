//! Runs that never leave a space, compared with a fixed point on random graphs.
#![allow(clippy::unwrap_used)]

use crate::support;

use homing_core::{Batch, Expander, Random, Space, Watch, Word};
use homing_search::persistence::Persistence;
use support::{Toy, store};

/// A graph in which runs may rest at some nodes only.
struct Resting {
    toy: Toy,
    rests: fn(Word) -> bool,
}

struct Here<'a>(Box<dyn Expander + 'a>, fn(Word) -> bool);

impl Space for Resting {
    fn width(&self) -> usize {
        self.toy.width()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(Here(self.toy.expander(), self.rests))
    }
}

impl Expander for Here<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.0.initial(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.0.expand(state, out);
        out.set_deadlock((self.1)(state[0]));
    }

    fn violated(&mut self, _state: &[Word]) -> u64 {
        0
    }
}

/// Whether a run from `node` never leaves: the greatest set of nodes that rest,
/// or have a successor in it.
fn stays(space: &Resting, nodes: Word) -> Vec<bool> {
    let mut in_set = vec![true; nodes as usize];
    loop {
        let next: Vec<bool> = (0..nodes)
            .map(|node| {
                let on = |next: &Word| in_set[*next as usize];
                (space.rests)(node) || space.toy.successors(node).iter().any(on)
            })
            .collect();
        if next == in_set {
            return in_set;
        }
        in_set = next;
    }
}

/// Few steps lead back.
fn mostly_forwards(seed: u64, nodes: Word) -> Toy {
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    for node in 0..nodes {
        for _ in 0..random.below(4) {
            let back = random.below(40) == 0;
            let most = if back { nodes } else { nodes - node - 1 };
            if most > 0 {
                let next = random.below(most);
                edges.push((node, if back { next } else { node + 1 + next }));
            }
        }
    }
    Toy::graph(&edges)
}

#[test]
fn runs_are_found_exactly_where_there_are_some() {
    let nodes = 24;
    let (mut found, mut none) = (0, 0);
    for seed in 0..3000 {
        let rests: fn(Word) -> bool = if seed % 2 == 0 { |_| false } else { |node| node == 23 };
        let space = Resting { toy: mostly_forwards(seed, nodes), rests };
        let expected = stays(&space, nodes);
        let mut store = store("exact", 1, None);
        let mut search = Persistence::new(&space, &mut *store);
        let lasso = search.from_start(&mut Watch::unlimited()).unwrap();
        assert_eq!(lasso.is_some(), expected[0], "seed {seed}");
        let Some(lasso) = lasso else {
            none += 1;
            // Other starts, with what is known of the first.
            let other = (1..nodes).find(|node| expected[*node as usize]);
            if let Some(other) = other {
                let lasso = search.from(&[other], &mut Watch::unlimited()).unwrap();
                assert!(lasso.is_some(), "seed {seed} from {other}");
            }
            continue;
        };
        found += 1;
        let run = space.toy.nodes(&lasso.path);
        assert!(run.windows(2).all(|pair| space.toy.successors(pair[0]).contains(&pair[1])));
        match lasso.back {
            Some(back) => assert_eq!(run[back], run[lasso.path.len()]),
            None => assert!(rests(run[lasso.path.len()])),
        }
    }
    assert!(found > 300 && none > 300, "{found} found, {none} not");
}
