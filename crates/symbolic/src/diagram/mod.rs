//! Decision diagrams: sets of states, and relations between them.
//!
//! Reduced, ordered, with complement edges; `kernel` makes and collects nodes, `apply`
//! computes, `count` counts and picks, `sift` reorders. Bryant, "Graph-Based Algorithms for Boolean Function
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
mod sift;

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

    /// A number that no other set has, until operations make new ones.
    pub(crate) fn identity(&self) -> u32 {
        self.edge().bits()
    }
}

/// What an operation comes to, unless the budget is spent first.
pub type Made<T> = Result<T, Stop>;

/// All diagrams of a search. Operations end with what there is to say where time or memory
/// are used up or somebody asked to stop; what was made before stays as it was.
pub struct Diagrams {
    kernel: RefCell<Kernel>,
    held: RefCell<Vec<Weak<Cell<Edge>>>>,
    /// Nodes from which on it is time to collect, and, among those that are left, to reorder.
    full: Cell<usize>,
    wide: Cell<usize>,
    /// The first pair of variables that may be moved.
    movable: Cell<usize>,
    order: RefCell<Reordered>,
}

/// Which variable is at which level, and the other way round; beyond their lengths, the same.
#[derive(Default)]
struct Reordered {
    levels: Vec<u32>,
    variables: Vec<u32>,
}

impl Reordered {
    fn level(&self, variable: u32) -> u32 {
        self.levels.get(variable as usize).copied().unwrap_or(variable)
    }

    fn variable(&self, level: u32) -> u32 {
        self.variables.get(level as usize).copied().unwrap_or(level)
    }
}

/// Below so many nodes nothing is collected.
const LEAST: usize = 1 << 20;
/// The same where variables may be moved, and how many nodes make that worth it.
const LEAST_MOVED: usize = 1 << 15;
const WIDE: usize = 10_000;

impl Diagrams {
    /// None yet, and never more than so many bytes of them.
    pub fn new(budget: Budget, bytes: usize) -> Diagrams {
        let kernel = RefCell::new(Kernel::new(budget, bytes / BYTES_A_NODE));
        Diagrams {
            kernel,
            held: RefCell::default(),
            full: Cell::new(LEAST),
            wide: Cell::new(usize::MAX),
            movable: Cell::default(),
            order: RefCell::default(),
        }
    }

    /// Lets variables from this one on be moved, in pairs, where there are many nodes.
    pub fn reorder(&self, first: u32) {
        self.full.set(LEAST_MOVED);
        self.wide.set(WIDE);
        self.movable.set(first.div_ceil(2) as usize);
    }

    fn level(&self, variable: u32) -> u32 {
        self.order.borrow().level(variable)
    }

    /// Moves variables to where there are fewest nodes.
    pub fn sift(&self) {
        self.collect();
        let mut kernel = self.kernel.borrow_mut();
        let mut order = self.order.borrow_mut();
        let pairs = kernel.pairs().max(order.levels.len() / 2);
        if pairs <= self.movable.get() {
            return;
        }
        let at = (0..pairs).map(|pair| order.variable(2 * pair as u32) / 2).collect();
        let held = self.held.borrow();
        let roots = held.iter().filter_map(Weak::upgrade).map(|one| one.get());
        let at = kernel.sift(roots, self.movable.get(), at);
        order.variables = at.iter().flat_map(|pair| [2 * pair, 2 * pair + 1]).collect();
        order.levels = vec![0; order.variables.len()];
        let Reordered { levels, variables } = &mut *order;
        variables.iter().enumerate().for_each(|(at, one)| levels[*one as usize] = at as u32);
    }

    /// Lets operations end, as if they were cancelled, after about so many steps.
    pub fn limit(&self, steps: u64) {
        self.kernel.borrow_mut().limit(steps);
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
            if self.nodes() >= self.wide.get() {
                self.sift();
                self.wide.set((2 * self.nodes()).max(WIDE));
            }
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
        let least = if self.wide.get() == usize::MAX { LEAST } else { LEAST_MOVED };
        self.full.set((2 * kernel.used()).clamp(least, kernel.most().max(least)));
        kernel.used() < before - before / 8
    }

    /// The set of everything, or of nothing.
    pub fn constant(&self, all: bool) -> Set {
        self.hold(Edge::TRUE.not_if(!all))
    }

    /// Where a variable is true. A variable has the number of its level, as long as none
    /// was moved.
    pub fn variable(&self, variable: u32) -> Made<Set> {
        self.run(|kernel| kernel.make(self.level(variable), Edge::TRUE, Edge::FALSE))
    }

    /// Where all these variables are true.
    pub fn cube(&self, variables: &[u32]) -> Made<Set> {
        self.run(|kernel| {
            let mut levels: Vec<u32> = variables.iter().map(|one| self.level(*one)).collect();
            levels.sort_unstable();
            let mut all = levels.into_iter().rev();
            all.try_fold(Edge::TRUE, |below, level| kernel.make(level, below, Edge::FALSE))
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

    /// A set of current bits as one of next bits (`later`), or the other way round. It must
    /// not depend on both bits of a pair.
    pub fn moved(&self, set: &Set, later: bool) -> Made<Set> {
        self.run(|kernel| kernel.moved(set.edge(), later))
    }

    /// A set of current bits as one of the bits that a step leads to which writes the pairs in
    /// this cube: those are next bits then.
    pub fn written(&self, set: &Set, written: &Set) -> Made<Set> {
        self.run(|kernel| kernel.written(set.edge(), written.edge()))
    }

    /// A part of a set, with at most about so many nodes, in which many of its members are.
    pub fn dense(&self, set: &Set, most: usize) -> Made<Set> {
        self.run(|kernel| kernel.dense(set.edge(), most))
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

    /// The first level that a set depends on, if it depends on any.
    pub(crate) fn first(&self, set: &Set) -> Option<u32> {
        let edge = set.edge();
        (!edge.is_constant()).then(|| self.kernel.borrow().level(edge))
    }

    /// A set where the variable of a level, no level before which it depends on, is true, and
    /// where it is false.
    pub(crate) fn halves(&self, set: &Set, level: u32) -> (Set, Set) {
        let (high, low) = self.kernel.borrow().cofactors(set.edge(), level);
        (self.hold(high), self.hold(low))
    }

    /// The variables that a set depends on.
    pub fn support(&self, set: &Set) -> BTreeSet<u32> {
        let (levels, order) = (self.kernel.borrow().support([set.edge()]), self.order.borrow());
        levels.into_iter().map(|level| order.variable(level)).collect()
    }

    /// The nodes of a set.
    pub fn size(&self, set: &Set) -> usize {
        count::size(&self.kernel.borrow(), [set.edge()])
    }

    /// The nodes of several sets together.
    pub fn size_of_all<'s>(&self, sets: impl IntoIterator<Item = &'s Set>) -> usize {
        count::size(&self.kernel.borrow(), sets.into_iter().map(Set::edge))
    }

    /// The members of a set, as values of these variables, which must be all that it depends
    /// on. Too many to be counted are [`u128::MAX`].
    pub fn count(&self, set: &Set, variables: &[u32]) -> u128 {
        let mut levels: Vec<u32> = variables.iter().map(|one| self.level(*one)).collect();
        levels.sort_unstable();
        count::members(&self.kernel.borrow(), set.edge(), &levels)
    }

    /// A member of a set that is not empty: the variables that its diagram decides on, in
    /// order, with their values. False is preferred; the others may have any.
    pub fn pick(&self, set: &Set) -> Vec<(u32, bool)> {
        let decided = count::pick(&self.kernel.borrow(), set.edge()).into_iter();
        let order = self.order.borrow();
        let mut decided: Vec<(u32, bool)> =
            decided.map(|(level, value)| (order.variable(level), value)).collect();
        decided.sort_unstable();
        decided
    }

    /// Whether it is in a set: what has these values of variables.
    pub fn contains(&self, set: &Set, value: impl Fn(u32) -> bool) -> bool {
        let kernel = self.kernel.borrow();
        let mut at = set.edge();
        while !at.is_constant() {
            let level = kernel.level(at);
            let (high, low) = kernel.cofactors(at, level);
            at = if value(self.order.borrow().variable(level)) { high } else { low };
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
