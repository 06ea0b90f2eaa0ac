//! Toy spaces: graphs whose every distance is known, so that searches can be
//! compared with the textbook.
#![allow(dead_code, clippy::unwrap_used)]

pub mod graphs;
pub mod prices;

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use homing_core::expression::{self, Call};
use homing_core::{
    Batch, Claims, Cost, Edge, Expander, Fault, Heuristic, HeuristicFactory, Id, Space, StopReason,
    Store, Stores, Watch, Word,
};
use homing_search::{Context, Finding, Guide, Outcome, Path, Task, strategy};
use homing_store::{Making, StoreConfig};

type Successors = Box<dyn Fn(Word) -> Vec<Word> + Sync>;
type Conditions = Box<dyn Fn(Word) -> u64 + Sync>;

/// How the number of a node becomes a state.
#[derive(Clone, Copy)]
enum Packing {
    /// The first word is the number; the others differ from state to state.
    Multiples,
    /// One digit of the number a word, to this base: words repeat from state
    /// to state, as the variables of real models do.
    Digits(Word),
}

/// A graph over numbers.
pub struct Toy {
    width: usize,
    packing: Packing,
    initial: Word,
    successors: Successors,
    conditions: Conditions,
    /// The node whose last step fails.
    failing: Option<Word>,
    /// The nodes expanded by the first expander, in order. Those after it
    /// only find paths again.
    expanded: Mutex<Vec<Word>>,
    searching: AtomicBool,
}

impl Toy {
    /// The graph of what `successors` says, from `initial` on.
    pub fn new(initial: Word, successors: impl Fn(Word) -> Vec<Word> + Sync + 'static) -> Toy {
        Toy {
            width: 1,
            packing: Packing::Multiples,
            initial,
            successors: Box::new(successors),
            conditions: Box::new(|_| 0),
            failing: None,
            expanded: Mutex::default(),
            searching: AtomicBool::new(false),
        }
    }

    /// The graph with these edges, from node 0 on.
    pub fn graph(edges: &[(Word, Word)]) -> Toy {
        let mut from: HashMap<Word, Vec<Word>> = HashMap::new();
        for (node, successor) in edges {
            from.entry(*node).or_default().push(*successor);
        }
        Toy::new(0, move |node| from.get(&node).cloned().unwrap_or_default())
    }

    /// Nodes 0 to `last`, one after the other.
    pub fn chain(last: Word) -> Toy {
        Toy::new(0, move |node| if node < last { vec![node + 1] } else { vec![] })
    }

    /// Every node has two successors, without end as far as any test goes:
    /// numbers wrap 64 levels below the root.
    pub fn binary_tree() -> Toy {
        Toy::new(0, |node| {
            let twice = node.wrapping_mul(2);
            vec![twice.wrapping_add(1), twice.wrapping_add(2)]
        })
    }

    /// A binary tree of so many levels below the root.
    pub fn binary_tree_of(levels: u32) -> Toy {
        let inner = (1 << levels) - 1;
        Toy::new(
            0,
            move |node| {
                if node < inner { vec![2 * node + 1, 2 * node + 2] } else { vec![] }
            },
        )
    }

    /// A square of `side` times `side` cells, from a corner on: a step goes to
    /// a neighbour. Cell (x, y) is node y * side + x.
    pub fn grid(side: Word) -> Toy {
        Toy::new(0, move |node| neighbours(side, node))
    }

    /// A graph of `nodes` nodes with up to `degree` edges each, drawn from
    /// `seed`.
    pub fn random(nodes: Word, degree: Word, seed: Word) -> Toy {
        Toy::new(0, move |node| {
            let draw = |i: Word| homing_core::hash::hash_words(&[seed, node, i]);
            (0..draw(degree) % (degree + 1)).map(|i| draw(i) % nodes).collect()
        })
    }

    /// With condition 0 on these nodes.
    pub fn with_goal(self, goal: impl Fn(Word) -> bool + Sync + 'static) -> Toy {
        self.with_conditions(move |node| u64::from(goal(node)))
    }

    /// With these conditions, as a bit set a node.
    pub fn with_conditions(self, conditions: impl Fn(Word) -> u64 + Sync + 'static) -> Toy {
        Toy { conditions: Box::new(conditions), ..self }
    }

    /// With states of `width` words.
    pub fn with_width(self, width: usize) -> Toy {
        Toy { width, ..self }
    }

    /// With states of `width` words, each a digit to this base.
    pub fn with_digits(self, base: Word, width: usize) -> Toy {
        Toy { width, packing: Packing::Digits(base), ..self }
    }

    /// With a step of `node` that fails.
    pub fn with_failure(self, node: Word) -> Toy {
        Toy { failing: Some(node), ..self }
    }

    /// The successors of a node.
    pub fn successors(&self, node: Word) -> Vec<Word> {
        (self.successors)(node)
    }

    /// The nodes that a search expanded, in order.
    pub fn expanded(&self) -> Vec<Word> {
        self.expanded.lock().unwrap().clone()
    }

    /// The packed state of a node.
    pub fn state(&self, node: Word) -> Vec<Word> {
        let word = |i: u32| match self.packing {
            Packing::Multiples => node.wrapping_mul(2 * Word::from(i) + 1).rotate_left(i),
            Packing::Digits(base) => node / base.pow(i) % base,
        };
        (0..self.width as u32).map(word).collect()
    }

    /// The node of a packed state.
    pub fn node(&self, state: &[Word]) -> Word {
        match self.packing {
            Packing::Multiples => state[0],
            Packing::Digits(base) => state.iter().rev().fold(0, |node, digit| node * base + digit),
        }
    }

    /// The nodes along a path, each of whose steps is checked.
    pub fn nodes(&self, path: &Path) -> Vec<Word> {
        let nodes: Vec<Word> = (0..=path.len()).map(|i| self.node(path.state(i))).collect();
        assert_eq!(nodes[0], self.initial);
        for (i, (state, edge)) in path.steps().enumerate() {
            assert_eq!(state, self.state(nodes[i]));
            assert_eq!(self.successors(nodes[i])[edge.label as usize], nodes[i + 1]);
        }
        nodes
    }
}

fn neighbours(side: Word, node: Word) -> Vec<Word> {
    let (x, y) = (node % side, node / side);
    let mut all = Vec::new();
    if x + 1 < side {
        all.push(node + 1);
    }
    if y + 1 < side {
        all.push(node + side);
    }
    if x > 0 {
        all.push(node - 1);
    }
    if y > 0 {
        all.push(node - side);
    }
    all
}

impl Space for Toy {
    fn width(&self) -> usize {
        self.width
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let first = !self.searching.swap(true, Ordering::Relaxed);
        if first {
            self.expanded.lock().unwrap().clear();
        }
        Box::new(ToyExpander { toy: self, logs: first })
    }
}

struct ToyExpander<'a> {
    toy: &'a Toy,
    logs: bool,
}

impl Drop for ToyExpander<'_> {
    fn drop(&mut self) {
        if self.logs {
            self.toy.searching.store(false, Ordering::Relaxed);
        }
    }
}

impl Expander for ToyExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        out.push(&self.toy.state(self.toy.initial), Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let node = self.toy.node(state);
        if self.logs {
            self.toy.expanded.lock().unwrap().push(node);
        }
        let successors = self.toy.successors(node);
        for (i, node) in successors.iter().enumerate() {
            out.push(&self.toy.state(*node), Edge { label: i as u32, choice: 0 });
        }
        let fails = self.toy.failing == Some(node);
        if fails {
            let edge = Edge { label: successors.len() as u32, choice: 0 };
            out.fail(Fault { edge, site: 7 });
        }
        out.set_deadlock(successors.is_empty() && !fails);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        (self.toy.conditions)(self.toy.node(state))
    }
}

/// An estimate that is a function of the node.
pub struct Told<F> {
    /// The function.
    pub estimate: F,
    /// What it is said to promise.
    pub claims: Claims,
}

impl<F: Fn(Word) -> Cost + Send + Sync> HeuristicFactory for Told<F> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl<F: Fn(Word) -> Cost> Heuristic for &Told<F> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        (self.estimate)(state[0])
    }

    fn claims(&self) -> Claims {
        self.claims
    }
}

/// What may estimate.
pub type Factory<'a> = Option<Box<dyn HeuristicFactory + 'a>>;

/// An estimate that promises never to be above the true distance.
pub fn admissible<'a>(estimate: impl Fn(Word) -> Cost + Send + Sync + 'a) -> Factory<'a> {
    Some(Box::new(Told { estimate, claims: Claims { admissible: true, consistent: false } }))
}

/// An estimate that promises nothing.
pub fn unclaimed<'a>(estimate: impl Fn(Word) -> Cost + Send + Sync + 'a) -> Factory<'a> {
    Some(Box::new(Told { estimate, claims: Claims::default() }))
}

/// A store by its expression.
pub fn store(expression: &str, width: usize, memory: Option<usize>) -> Box<dyn Store> {
    homing_store::build(
        &StoreConfig { width, memory, states: None, cover: None },
        &call(expression),
    )
    .unwrap()
}

/// All stores, with a table of bits that is small but large enough for a few
/// thousand states.
pub const STORES: [&str; 5] = ["exact", "tree", "hash-compact", "bitstate(bits=24)", "covering"];

/// Runs the strategy of this expression.
pub fn run<'a>(
    expression: &str,
    task: &Task<'a>,
    store: &mut dyn Store,
    heuristic: Factory<'a>,
    watch: &mut Watch,
) -> Outcome {
    go(expression, task, &mut Given(store), heuristic, watch)
}

/// Runs the strategy of this expression, with as many stores as it takes.
pub fn go<'a>(
    expression: &str,
    task: &Task<'a>,
    stores: &mut dyn Stores,
    heuristic: Factory<'a>,
    watch: &mut Watch,
) -> Outcome {
    let (strategy, _) = strategy::build(&call(expression), 1).unwrap();
    let guide = Guide { heuristic, ..Guide::default() };
    strategy.algorithm.run(Context { task, stores, guide: &guide, watch })
}

/// Stores of this expression.
pub fn stores(expression: &str, width: usize, memory: Option<usize>) -> Making<'static> {
    Making::new(StoreConfig { width, memory, states: None, cover: None }, call(expression)).unwrap()
}

/// A call by its text.
pub fn call(expression: &str) -> Call {
    expression::parse(expression).unwrap().as_call().unwrap().clone()
}

/// A store that is there already; for searches that need only one.
struct Given<'a>(&'a mut dyn Store);

impl Stores for Given<'_> {
    fn fresh(&mut self) -> Result<&mut dyn Store, StopReason> {
        assert!(self.0.is_empty(), "a strategy that goes round needs a store a round");
        Ok(self.0)
    }
}

/// Looks for condition 0 over an exact store, without limits.
pub fn find<'a>(expression: &str, toy: &'a Toy, heuristic: Factory<'a>) -> Outcome {
    let task = Task { conditions: 1, ..Task::explore(toy) };
    let mut store = store("exact", toy.width(), None);
    run(expression, &task, &mut *store, heuristic, &mut Watch::unlimited())
}

/// What was found for condition 0.
pub fn goal(outcome: &Outcome) -> Option<&Finding> {
    outcome.findings.conditions.first().and_then(Option::as_ref)
}

/// The nodes in a store, in the order they were inserted.
pub fn stored(store: &dyn Store, toy: &Toy) -> Vec<Word> {
    let mut state = vec![0; toy.width];
    let load = |i: usize| {
        assert!(store.load(Id(i as u32), &mut state));
        toy.node(&state)
    };
    (0..store.len()).map(load).collect()
}
