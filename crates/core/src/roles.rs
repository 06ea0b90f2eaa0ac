//! The roles a search is put together from.

use std::sync::atomic::AtomicU64;

use crate::{Batch, Edge, Id, StopReason, Word};

/// A state space: packed states and their successors. A wrapper (a product, a
/// reduction) is a `Space` around a `Space`.
pub trait Space: Sync {
    /// The words of a packed state.
    fn width(&self) -> usize;

    /// The space that this one is around. What a wrapper adds to states lies behind
    /// the inner space's words.
    fn inside(&self) -> Option<&dyn Space> {
        None
    }

    /// All labels of steps are less than this.
    fn labels(&self) -> u32 {
        self.inside().map_or(u32::MAX, Space::labels)
    }

    /// A step, and the state that it leaves, as the innermost space knows them: without
    /// what wrappers added to states and labels. None where nothing moves in there: the
    /// system stutters.
    fn project<'s>(&self, state: &'s [Word], edge: Edge) -> Option<(&'s [Word], Edge)> {
        match self.inside() {
            Some(inside) => inside.project(&state[..inside.width()], edge),
            None => Some((state, edge)),
        }
    }

    /// How states are compared that stand for many at once (zones). None where
    /// a state stands for itself.
    fn cover(&self) -> Option<&dyn Cover> {
        None
    }

    /// The number of acceptance sets that steps may be in ([`Batch::marks`]): an
    /// infinite run is accepted that takes steps of each again and again.
    fn acceptance_sets(&self) -> u32 {
        0
    }

    /// The number of pairs that states may request ([`Batch::requested`]) and steps
    /// grant ([`Batch::marks`], behind the acceptance sets): of an infinite run that
    /// is accepted, whatever is requested again and again is granted again and again
    /// (Streett's condition).
    fn streett_pairs(&self) -> u32 {
        0
    }

    /// What is known beforehand of the accepted runs through a state, where
    /// anything is.
    fn classes(&self) -> Option<&dyn Classes> {
        None
    }

    /// Whether some successors may be said to be an ample set ([`Batch::ample`]), as
    /// long as no step is ignored for ever: a search that takes only those must
    /// see to that, and does not find shortest ways. One that takes all of them
    /// need not care.
    fn needs_proviso(&self) -> bool {
        false
    }

    /// A generator of successors with scratch memory of its own; one a thread.
    fn expander(&self) -> Box<dyn Expander + '_>;
}

/// Tells states apart by a property automaton, or by another part of a product:
/// by which of its strongly connected components a state is in.
pub trait Classes: Sync {
    /// The component of a state.
    fn class(&self, state: &[Word]) -> Class;
}

/// A strongly connected component of a part of a product. A cycle of the product
/// stays in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class {
    /// Its number.
    pub component: u32,
    /// Which cycles within it are accepted.
    pub accepts: Accepts,
}

/// Which cycles are accepted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Accepts {
    /// All.
    All,
    /// Perhaps some.
    Some,
    /// None.
    None,
}

/// Compares states that stand for many at once.
pub trait Cover: Sync {
    /// The words that say for which; all others are compared exactly.
    fn words(&self) -> std::ops::Range<usize>;

    /// Whether whatever can be reached from `small` can be reached from
    /// `large`, in as many steps. The two differ in [`Cover::words`] only.
    fn covers(&self, large: &[Word], small: &[Word]) -> bool;
}

/// Generates successors. Owns its scratch memory, so that no expansion
/// allocates once it is warm.
pub trait Expander {
    /// Adds the initial states to `out`, each with an edge of its own.
    fn initial(&mut self, out: &mut Batch);

    /// Adds all successors of `state` to `out`, in a fixed order, and the
    /// run-time errors met. Sets `out.deadlock()` to whether this state has no
    /// step at all; a state whose only steps fail is not a deadlock.
    fn expand(&mut self, state: &[Word], out: &mut Batch);

    /// The properties that `state` itself violates, as a bit set in the order
    /// the space was given them.
    fn violated(&mut self, state: &[Word]) -> u64;

    /// The work done so far beyond making successors, in units of about what one takes,
    /// as [`Heuristic::work`] counts.
    fn work(&self) -> u64 {
        0
    }
}

/// A visited set. Several threads may read it at a time.
pub trait Store: Send + Sync {
    /// Looks `state` up and adds it where it is new. `hash` is
    /// [`crate::hash::hash_words`] of the state; `from` is the stored state it
    /// was generated from, for stores that compress against it; `cost` is what
    /// the way to it costs, for stores that drop states for others reached at no
    /// greater cost.
    fn visit(&mut self, state: &[Word], hash: u64, from: Id, cost: Price) -> Visit;

    /// Whether a stored state was dropped since, because another covers it: it
    /// need not be expanded. It can still be loaded, for the ways through it.
    fn is_dropped(&self, _id: Id) -> bool {
        false
    }

    /// Whether `state` is stored, or one that covers it, whatever the cost. For
    /// searches that store a state later than they meet it. Stores that cannot
    /// tell answer `false`.
    fn knows(&mut self, _state: &[Word], _hash: u64) -> bool {
        false
    }

    /// From now on nobody asks what the way to a state costs: a state may be
    /// dropped for any other that covers it.
    fn disregard_costs(&mut self) {}

    /// Hints that [`Store::visit`] with these hashes follows soon.
    fn prefetch(&self, hashes: &[u64]);

    /// Hints again, once what [`Store::prefetch`] asked for has arrived: the
    /// stored states that these hashes will be compared with are fetched too.
    fn prefetch_states(&self, _hashes: &[u64]) {}

    /// Unpacks a stored state. Stores that do not keep states
    /// ([`Store::keeps_states`]) leave `out` as it is and answer `false`.
    fn load(&self, id: Id, out: &mut [Word]) -> bool;

    /// Whether states can be loaded again.
    fn keeps_states(&self) -> bool {
        true
    }

    /// Whether two different states are never taken for one.
    fn is_exact(&self) -> bool {
        true
    }

    /// The number of states stored, those dropped left out.
    fn len(&self) -> usize;

    /// The numbers given to states, those dropped included.
    fn numbers(&self) -> usize {
        self.len()
    }

    /// Whether no state is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory taken, in bytes.
    fn bytes(&self) -> usize;

    /// For stores that may take two states for one: the expected share of
    /// reachable states that were really seen, from what is stored so far.
    fn coverage(&self) -> f64 {
        1.0
    }
}

/// A visited set that several workers fill at the same time. States are numbered, though
/// not in the order of time, and never taken for one another.
pub trait SharedStore: Send + Sync {
    /// Looks `state` up and adds it where it is new, as [`Store::visit`] does. No two threads
    /// are the same worker at a time.
    fn visit(&self, worker: usize, state: &[Word], hash: u64) -> Visit;

    /// Unpacks a stored state.
    fn load(&self, id: Id, out: &mut [Word]);

    /// What is noted of a stored state: bits, none of which is set at first.
    fn notes(&self, id: Id) -> &AtomicU64;

    /// Hints that [`SharedStore::visit`] with these hashes follows soon.
    fn prefetch(&self, hashes: &[u64]);

    /// The number of states stored.
    fn len(&self) -> usize;

    /// Whether no state is stored.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether no more states may be stored, however much memory there is.
    fn is_full(&self) -> bool;

    /// The memory taken, in bytes.
    fn bytes(&self) -> usize;
}

/// The answer of a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// The state was not stored before; it is now.
    New(Id),
    /// The state was stored before. [`Id::NONE`] from stores that do not number
    /// their states.
    Known(Id),
    /// Another that covers it was stored before, at no greater cost. The state
    /// is not stored, and need not be expanded.
    Covered(Id),
    /// The state is not stored and there is no room for it.
    Full,
}

/// A cost or an estimate of one.
pub type Cost = u32;

/// The estimate of a state from which no goal can be reached.
pub const DEAD_END: Cost = Cost::MAX;

/// What holds of an estimate for the model, property and cost it was built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Claims {
    /// Never above the true distance.
    pub admissible: bool,
    /// Never falls by more than the cost of the step taken.
    pub consistent: bool,
}

/// Makes visited sets: a search that goes round starts each round with an
/// empty one.
pub trait Stores {
    /// An empty store in place of the one before. Fails where there is no
    /// memory for one.
    fn fresh(&mut self) -> Result<&mut dyn Store, StopReason>;

    /// The same with as many empty shards beside it, for a search that begins in the one
    /// and goes on in the others. None where stores cannot be made so.
    fn sharded(&mut self, _shards: usize) -> Result<Option<Sharded<'_>>, StopReason> {
        Ok(None)
    }

    /// An empty store, in place of the one before, that so many workers fill at the same
    /// time. None where stores cannot be made so.
    fn shared(&mut self, _workers: usize) -> Result<Option<&dyn SharedStore>, StopReason> {
        Ok(None)
    }
}

/// A store, and the shards in which a search goes on.
pub struct Sharded<'s> {
    /// Where the search begins.
    pub first: &'s mut dyn Store,
    /// The shards, all alike.
    pub shards: Vec<&'s mut dyn Store>,
}

/// The cost of a path or a step in a [`CostAlgebra`]: the less, the better.
pub type Price = u64;

/// What costs are and how they add up along a path: ⟨A, ×, ⪯, 0, 1⟩ of
/// Edelkamp, Jabbar, Lluch Lafuente, "Cost-Algebraic Heuristic Search" (AAAI
/// 2005), as in section 3 of the survey. Values are encoded so that ⪯ is the
/// order of numbers; 0, worse than all, is [`Price::MAX`].
pub trait CostAlgebra: Sync + std::fmt::Debug {
    /// 1: the cost of the path without a step, better than all others.
    fn one(&self) -> Price;

    /// ×: the cost of a path of cost `path` and one more step.
    fn combine(&self, path: Price, step: Price) -> Price;

    /// `path` × what is at least still to pay, by an estimate in sums of
    /// costs. Algebras that do not add up answer `path` itself.
    fn ahead(&self, path: Price, estimate: Cost) -> Price;

    /// Whether a better path stays no worse when both are continued alike.
    /// Without, no search that keeps one path a state finds the best.
    fn is_isotone(&self) -> bool;

    /// Whether a better path stays better when both are continued alike.
    fn is_strictly_isotone(&self) -> bool;

    /// Whether a path never becomes better by going on. Where it may, a cost
    /// is only settled when nothing changes any more.
    fn is_monotone(&self) -> bool;

    /// Whether the value may stand for a greater one: it did not fit.
    fn is_saturated(&self, price: Price) -> bool;

    /// The value as users read it.
    fn show(&self, price: Price) -> String;
}

/// What the steps of a space cost.
pub trait Pricing: Sync {
    /// How costs add up.
    fn algebra(&self) -> &dyn CostAlgebra;

    /// Reads costs, with scratch memory of its own; one a search.
    fn meter(&self) -> Box<dyn StepCosts + '_>;
}

/// Reads the costs of steps.
pub trait StepCosts {
    /// Announces the state whose steps are asked for next.
    fn leaving(&mut self, state: &[Word]);

    /// The cost of a step of the state announced last.
    fn step(&mut self, edge: Edge) -> Price;
}

/// Makes estimates of the distance to one goal. What is only looked up is made once and
/// shared; what is written while a state is estimated belongs to an instance.
pub trait HeuristicFactory: Send + Sync {
    /// An estimate with scratch memory of its own; one a thread. All instances estimate
    /// alike.
    fn instance(&self) -> Box<dyn Heuristic + '_>;
}

/// An estimate of the distance to the goal, as one thread uses it.
pub trait Heuristic {
    /// Announces that what is estimated next, with an edge, are successors of
    /// `state`. Estimates that look up what changed start from it.
    fn expanding(&mut self, _state: &[Word]) {}

    /// The estimated distance from `state`, or [`DEAD_END`]. `via` is the edge
    /// by which it is reached from the state announced last; none where it
    /// stands for itself.
    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost;

    /// Whether [`Heuristic::tie`] says anything.
    fn has_ties(&self) -> bool {
        false
    }

    /// What orders states of equal estimate: a second opinion on the state
    /// estimated last.
    fn tie(&self) -> Cost {
        0
    }

    /// The estimates of the state estimated last, of one that is made of several which
    /// stay apart; none of any other.
    fn parts(&self) -> &[Cost] {
        &[]
    }

    /// What this estimate promises here.
    fn claims(&self) -> Claims;

    /// The estimate of `state` if there were no step with this label. `None`
    /// from estimates that cannot leave a step out.
    fn without(&mut self, _state: &[Word], _label: u32) -> Option<Cost> {
        None
    }

    /// Whether the step with this label starts the solution of the simplified
    /// problem that the estimate of `state` comes from. `None` from estimates
    /// that solve none.
    fn helpful(&mut self, _state: &[Word], _label: u32) -> Option<bool> {
        None
    }

    /// Whether a state is worth estimating only once it is expanded; until
    /// then it counts as its parent does.
    fn is_lazy(&self) -> bool {
        false
    }

    /// The work done so far, in units of about what a blind search takes for a
    /// successor. Searches that share their
    /// time among several guides count in it: unlike a clock it says the same
    /// in every run.
    fn work(&self) -> u64 {
        0
    }

    /// The memory its tables take, in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

/// A distance between any two states, shared by all who ask.
pub trait Distance: Send + Sync {
    /// The estimated distance from one state to another, or [`DEAD_END`].
    fn distance(&self, from: &[Word], to: &[Word]) -> Cost;

    /// The memory its tables take, in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

/// A step that a [`Preference`] judges.
#[derive(Clone, Copy, Debug)]
pub struct Taken<'a> {
    /// The state it leaves.
    pub from: &'a [Word],
    /// The mark of that state.
    pub mark: u32,
    /// The step.
    pub edge: Edge,
    /// The estimate of the state it leads to; zero in blind searches.
    pub estimate: Cost,
}

/// How much a step is preferred.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level {
    /// Which open queue its target waits in; a queue is used only while all
    /// before it are empty.
    pub queue: u16,
    /// Orders targets of equal estimate within the queue.
    pub tie: u8,
}

/// A state reached a second time, to be opened again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Merge {
    /// Its mark from now on.
    pub mark: u32,
    /// Whether the second way to it is the better one.
    pub better: bool,
}

/// Prefers transitions: says in which queue a state waits, by the step that
/// led to it, whatever the estimate says of the state.
///
/// A *mark* is what the preference remembers of each state: the step it was
/// reached by, how often the context was switched on the way. It is kept by the search;
/// the preference itself remembers nothing, and is shared by all who ask.
pub trait Preference: Send + Sync {
    /// The mark of initial states.
    fn initial(&self) -> u32;

    /// The mark of a state that is reached by `edge` from a state marked
    /// `mark`.
    fn mark(&self, mark: u32, edge: Edge) -> u32;

    /// Whether [`Preference::prunes`] may ever answer yes.
    fn may_prune(&self) -> bool {
        false
    }

    /// Whether the step may be left out, because what it leads to is reached
    /// otherwise, or not needed to reach the goal.
    fn prunes(&self, _mark: u32, _edge: Edge) -> bool {
        false
    }

    /// Whether states reached a second time must be looked at again, see
    /// [`Preference::merge`].
    fn may_merge(&self) -> bool {
        false
    }

    /// What becomes of a state that has the mark `known` and is reached again
    /// with the mark `new`, if it must be opened again.
    fn merge(&self, _known: u32, _new: u32) -> Option<Merge> {
        None
    }

    /// Whether an entry of the open list in this queue is out of date, the
    /// state having this mark by now.
    fn is_stale(&self, _mark: u32, _queue: u16) -> bool {
        false
    }

    /// For every label its class, where states must be told apart by the class
    /// of the step they were reached by.
    fn classes(&self) -> Option<&[u32]> {
        None
    }

    /// Whether [`Level::tie`] says anything.
    fn has_ties(&self) -> bool {
        false
    }

    /// How much the step is preferred.
    fn level(&self, taken: &Taken, heuristic: Option<&mut (dyn Heuristic + '_)>) -> Level;

    /// The memory its tables take, in bytes.
    fn bytes(&self) -> usize {
        0
    }
}

/// How many queues of an open list are counted apart.
pub const QUEUES: usize = 8;

/// How often the queues of an open list were used. The last counter is that of all
/// queues from there on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Accesses {
    /// States put in, by queue.
    pub pushed: [u64; QUEUES],
    /// States taken out, by queue.
    pub popped: [u64; QUEUES],
    /// The last queue that a state was taken out of.
    pub last: u64,
}

/// What is known of an entry besides its key, for open lists that order by more.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// What the path to it costs.
    pub path: Price,
    /// Its estimates, one or several.
    pub estimates: &'a [Cost],
    /// Whether the step that led to it is preferred to others.
    pub preferred: bool,
}

/// An open list: states to expand, ordered by an order-preserving key.
///
/// An entry is the index the kernel gave it; equal keys leave in the order
/// the open list documents.
pub trait Open {
    /// Adds an entry.
    fn push(&mut self, entry: u32, key: u64);

    /// Whether an entry waits in several places, and may leave several times; such a list
    /// is told more than a key, by [`Open::push_known`].
    fn is_several(&self) -> bool {
        false
    }

    /// Adds an entry with what is known of it.
    fn push_known(&mut self, entry: u32, key: u64, _known: &Known) {
        self.push(entry, key);
    }

    /// An entry that an estimate proves to be a dead end. It is forgotten, but in lists
    /// that others take from too.
    fn give_up(&mut self, _entry: u32) {}

    /// Adds an entry that waits in the lists of others already.
    fn push_again(&mut self, entry: u32, key: u64) {
        self.push(entry, key);
    }

    /// Removes an entry of least key.
    fn pop(&mut self) -> Option<(u32, u64)>;

    /// The least key.
    fn least(&mut self) -> Option<u64>;

    /// Removes all entries.
    fn clear(&mut self);

    /// How often each queue was used, of a list of several.
    fn accesses(&self) -> Option<Accesses> {
        None
    }

    /// The number of entries.
    fn len(&self) -> usize;

    /// Whether there is no entry.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory taken, in bytes.
    fn bytes(&self) -> usize;
}
