//! Decision diagrams: sets of states, and relations between them.
//!
//! Reduced, ordered, with complement edges; `kernel` makes and collects nodes, `apply`
//! computes, `count` counts and picks. Bryant, "Graph-Based Algorithms for Boolean Function
//! Manipulation" (1986).
//!
//! Why not a library: docs/symbolic.md says what was measured. Operations here end when
//! the budget is spent, in their midst and as a value, memory grows with what is needed, and
//! images need no renaming.

mod apply;
mod count;
mod guided;
mod kernel;
mod known;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};

use homing_budget::{Budget, Stop};

pub(crate) use kernel::{BYTES_A_NODE, Edge, Kernel};

/// A set of states, or of pairs of states: a function of their bits. As long as it is
/// held, its nodes are.
#[derive(Clone, Debug)]
pub struct Set(Rc<Cell<Edge>>);

impl PartialEq for Set {
    fn eq(&self, other: &Set) -> bool {
        self.edge() == other.edge()
    }
}

impl Eq for Set {}

impl Set {
    fn edge(&self) -> Edge {
        self.0.get()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.edge() == Edge::FALSE
    }

    /// Whether everything is in it.
    pub fn is_all(&self) -> bool {
        self.edge() == Edge::TRUE
    }
}

/// What an operation comes to, unless the budget is spent first.
pub type Made<T> = Result<T, Stop>;

/// All diagrams of a search. Operations end with what there is to say where time or memory
/// are used up or somebody asked to stop; what was made before stays as it was.
pub struct Diagrams {
    kernel: RefCell<Kernel>,
    held: RefCell<Vec<Weak<Cell<Edge>>>>,
    /// Nodes from which on it is time to collect.
    full: Cell<usize>,
}

/// Below so many nodes nothing is collected.
const LEAST: usize = 1 << 20;

impl Diagrams {
    /// None yet, and never more than so many bytes of them.
    pub fn new(budget: Budget, bytes: usize) -> Diagrams {
        let kernel = RefCell::new(Kernel::new(budget, bytes / BYTES_A_NODE));
        Diagrams { kernel, held: RefCell::default(), full: Cell::new(LEAST) }
    }

    /// A set that is held from now on.
    fn hold(&self, edge: Edge) -> Set {
        let held = Rc::new(Cell::new(edge));
        let mut all = self.held.borrow_mut();
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
            let live = all.len();
            all.reserve(live.max(64));
        }
        all.push(Rc::downgrade(&held));
        Set(held)
    }

    /// Runs an operation; where it runs out of nodes, once more after a collection.
    fn run(&self, operation: impl Fn(&mut Kernel) -> Made<Edge>) -> Made<Set> {
        if self.kernel.borrow().used() >= self.full.get() {
            self.collect();
        }
        let mut made = operation(&mut self.kernel.borrow_mut());
        if made == Err(Stop::Memory) && self.collect() {
            made = operation(&mut self.kernel.borrow_mut());
        }
        Ok(self.hold(made?))
    }

    /// Collects what nobody holds; answers whether that was much.
    pub fn collect(&self) -> bool {
        let mut held = self.held.borrow_mut();
        held.retain(|one| one.strong_count() > 0);
        let mut kernel = self.kernel.borrow_mut();
        let before = kernel.used();
        kernel.collect(held.iter().filter_map(Weak::upgrade).map(|one| one.get()));
        self.full.set((2 * kernel.used()).clamp(LEAST, kernel.most().max(LEAST)));
        kernel.used() < before - before / 8
    }

    /// The set of everything, or of nothing.
    pub fn constant(&self, all: bool) -> Set {
        self.hold(Edge::TRUE.not_if(!all))
    }

    /// Where the variable of a level is true.
    pub fn variable(&self, level: u32) -> Made<Set> {
        self.run(|kernel| kernel.make(level, Edge::TRUE, Edge::FALSE))
    }

    /// Where all these variables are true, which are given by their levels, in order.
    pub fn cube(&self, levels: &[u32]) -> Made<Set> {
        self.run(|kernel| {
            let all = levels.iter().rev();
            all.copied().try_fold(Edge::TRUE, |below, level| kernel.make(level, below, Edge::FALSE))
        })
    }

    /// What is not in a set.
    pub fn not(&self, set: &Set) -> Set {
        self.hold(set.edge().not())
    }

    /// What is in both.
    pub fn and(&self, one: &Set, other: &Set) -> Made<Set> {
        self.run(|kernel| kernel.and(one.edge(), other.edge()))
    }

    /// What is in either.
    pub fn or(&self, one: &Set, other: &Set) -> Made<Set> {
        self.run(|kernel| kernel.or(one.edge(), other.edge()))
    }

    /// What is in the first and not in the second.
    pub fn minus(&self, one: &Set, other: &Set) -> Made<Set> {
        self.run(|kernel| kernel.and(one.edge(), other.edge().not()))
    }

    /// What is in just one of them.
    pub fn xor(&self, one: &Set, other: &Set) -> Made<Set> {
        self.run(|kernel| kernel.xor(one.edge(), other.edge()))
    }

    /// The second within the first, the third outside.
    pub fn ite(&self, condition: &Set, then: &Set, otherwise: &Set) -> Made<Set> {
        self.run(|kernel| kernel.ite(condition.edge(), then.edge(), otherwise.edge()))
    }

    /// What is in the set for some values of the variables of a cube.
    pub fn exists(&self, set: &Set, cube: &Set) -> Made<Set> {
        self.run(|kernel| kernel.exists(set.edge(), cube.edge()))
    }

    /// What is in both for some values of the variables of a cube.
    pub fn and_exists(&self, one: &Set, other: &Set, cube: &Set) -> Made<Set> {
        self.run(|kernel| kernel.and_exists(one.edge(), other.edge(), cube.edge()))
    }

    /// Where a relation leads to from a set: it binds the pairs of variables in the cube
    /// `written`, and all others stay as they are.
    pub fn next(&self, set: &Set, relation: &Set, written: &Set) -> Made<Set> {
        self.run(|kernel| kernel.next(set.edge(), relation.edge(), written.edge()))
    }

    /// From where it leads into a set.
    pub fn previous(&self, set: &Set, relation: &Set, written: &Set) -> Made<Set> {
        self.run(|kernel| kernel.previous(set.edge(), relation.edge(), written.edge()))
    }

    /// Of a set whose first variables are the bits of a cost, at these levels, the most
    /// significant first: the least cost, what has it, and the set without that.
    pub fn least(&self, set: &Set, levels: &[u32]) -> Made<(u64, Set, Set)> {
        if self.kernel.borrow().used() >= self.full.get() {
            self.collect();
        }
        let mut found = self.kernel.borrow_mut().least(set.edge(), levels);
        if found == Err(Stop::Memory) && self.collect() {
            found = self.kernel.borrow_mut().least(set.edge(), levels);
        }
        let (cost, min, rest) = found?;
        Ok((cost, self.hold(min), self.hold(rest)))
    }

    /// A set whose literals mean something weaker: where, for some values of the variables
    /// that are in it, all of these are allowed by the sets that stand for a variable being
    /// true and being false.
    pub fn relaxed(&self, set: &Set, literals: &BTreeMap<u32, (Set, Set)>) -> Made<Set> {
        let edges = literals.iter().map(|(level, (yes, no))| (*level, (yes.edge(), no.edge())));
        let edges: guided::Literals = edges.collect();
        self.run(|kernel| kernel.relaxed(set.edge(), &edges, &mut known::Known::default()))
    }

    /// The levels of the variables that a set depends on.
    pub fn support(&self, set: &Set) -> BTreeSet<u32> {
        self.kernel.borrow().support([set.edge()])
    }

    /// The nodes of a set.
    pub fn size(&self, set: &Set) -> usize {
        count::size(&self.kernel.borrow(), [set.edge()])
    }

    /// The nodes of several sets together.
    pub fn size_of_all<'s>(&self, sets: impl IntoIterator<Item = &'s Set>) -> usize {
        count::size(&self.kernel.borrow(), sets.into_iter().map(Set::edge))
    }

    /// The members of a set, as values of the variables of these levels, in order, which
    /// must be all that it depends on. Too many to be counted are [`u128::MAX`].
    pub fn count(&self, set: &Set, levels: &[u32]) -> u128 {
        count::members(&self.kernel.borrow(), set.edge(), levels)
    }

    /// A member of a set that is not empty: the levels of the variables that its diagram
    /// decides on, with their values. False is preferred; the others may have any.
    pub fn pick(&self, set: &Set) -> Vec<(u32, bool)> {
        count::pick(&self.kernel.borrow(), set.edge())
    }

    /// Whether it is in a set: what has these values of variables, by level.
    pub fn contains(&self, set: &Set, value: impl Fn(u32) -> bool) -> bool {
        let kernel = self.kernel.borrow();
        let mut at = set.edge();
        while !at.is_constant() {
            let level = kernel.level(at);
            let (high, low) = kernel.cofactors(at, level);
            at = if value(level) { high } else { low };
        }
        at == Edge::TRUE
    }

    /// The nodes that there are, those included that nobody needs any more.
    pub fn nodes(&self) -> usize {
        self.kernel.borrow().used()
    }

    /// The most there have been at once.
    pub fn peak(&self) -> usize {
        self.kernel.borrow().peak()
    }

    /// The bytes that they take at their peak.
    pub fn bytes(&self) -> usize {
        self.peak() * BYTES_A_NODE
    }

    /// How often nodes were collected.
    pub fn collections(&self) -> u64 {
        self.kernel.borrow().collections()
    }
}
