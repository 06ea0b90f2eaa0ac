//! Stubborn sets.
//!
//! Valmari, "Stubborn sets for reduced state space generation" (1989), with the
//! tables of [`Dependence`]. For goals: Wehrle, Helmert, "Efficient stubborn sets:
//! generalized algorithms and selection strategies" (ICAPS 2014).
//!
//! ```text
//! closure(T), in a state s:
//!   for each label t of T, those added on the way too:
//!     t possible in s:      add the labels that t does not accord with
//!     t not possible in s:  add the labels that may make true one of t's
//!                           conditions that is false in s
//!
//! choose(s):  for goals: the closure of what may make true a part of each
//!             goal that is false in s
//!             else, of the closures of single possible labels, the one with
//!             fewest possible labels, none of them visible
//! ```
//! A run from s that has a label of such a set in it can begin with that: the
//! labels before it accord with it, and do not make it possible.
//!
//! Which false condition is taken is free: the one that adds fewest possible
//! labels, then fewest labels. Closures are given up as soon as they are no
//! better than the best so far.
//!
//! A label may be possible without being seen: its outcomes may be told as those
//! of another (`atomic`). Where no condition is false, it counts as both possible
//! and not.

use homing_core::{Batch, Word};
use homing_ir::dependence::{Dependence, LabelSet};
use homing_ir::evaluate::evaluate;
use homing_ir::network::Binary;
use homing_ir::system::{Condition, Term};

use super::{Asked, Reduced};
use crate::CompiledSpace;

/// The most closures tried in a state.
const MOST_SEEDS: usize = 12;

/// What no run to something asked for can do without, as far as the state does not
/// matter.
pub(super) struct Goals {
    goals: Vec<Landmarks>,
    /// Labels that are always among them.
    always: LabelSet,
    /// Whether states without steps are asked for.
    deadlock: bool,
}

/// The labels that may make a condition true, part by part.
enum Landmarks {
    /// One of the parts that are false.
    All(Vec<Landmarks>),
    /// All of the parts.
    Any(Vec<Landmarks>),
    /// These labels, where the term is false.
    Leaf(Term, LabelSet),
}

impl Goals {
    pub fn new(space: &CompiledSpace, dependence: &Dependence, asked: Asked) -> Goals {
        let system = space.system();
        let wanted = |index: usize| index < 64 && asked.conditions >> index & 1 == 1;
        let conditions = system.conditions.iter().enumerate();
        let goals = conditions.filter(|(index, _)| wanted(*index));
        let goals = goals.map(|(_, goal)| landmarks(space, dependence, goal)).collect();
        let mut always = LabelSet::new(dependence.labels());
        for (label, one) in (0u32..).zip(&space.moves().list) {
            let fails = one.parts(system).into_iter().any(|part| may_fail(space, part));
            let held = space.moves().holder(label).is_some();
            if dependence.starts(label) || asked.fault && (fails || held) {
                always.insert(label);
            }
        }
        Goals { goals, always, deadlock: asked.deadlock }
    }
}

fn may_fail(space: &CompiledSpace, part: homing_ir::system::PartId) -> bool {
    let part = space.system().part(part);
    part.source_terms().into_iter().any(Term::may_fail)
        || part.commands().any(homing_ir::system::Command::may_fail)
}

fn landmarks(space: &CompiledSpace, dependence: &Dependence, goal: &Condition) -> Landmarks {
    if goal.term.may_fail() {
        let mut any = dependence.may_change(space.system(), true, &goal.term);
        any.extend(&dependence.may_change(space.system(), false, &goal.term));
        return Landmarks::Leaf(Term::Const(0), any);
    }
    split(space, dependence, &goal.term)
}

fn split(space: &CompiledSpace, dependence: &Dependence, term: &Term) -> Landmarks {
    let both = |left, right| vec![split(space, dependence, left), split(space, dependence, right)];
    match term {
        Term::Binary(Binary::And, left, right) => Landmarks::All(both(left, right)),
        Term::Binary(Binary::Or, left, right) => Landmarks::Any(both(left, right)),
        leaf => Landmarks::Leaf(leaf.clone(), dependence.may_change(space.system(), true, leaf)),
    }
}

impl Landmarks {
    fn is_false(&self, value: &impl Fn(&Term) -> Option<i64>) -> bool {
        match self {
            Landmarks::All(parts) => parts.iter().any(|part| part.is_false(value)),
            Landmarks::Any(parts) => parts.iter().all(|part| part.is_false(value)),
            Landmarks::Leaf(term, _) => value(term) == Some(0),
        }
    }

    /// Adds labels one of which every run to a state where it holds must have.
    /// It is false.
    fn add(&self, value: &impl Fn(&Term) -> Option<i64>, set: &mut LabelSet) {
        match self {
            Landmarks::All(parts) => {
                if let Some(part) = parts.iter().find(|part| part.is_false(value)) {
                    part.add(value, set);
                }
            }
            Landmarks::Any(parts) => parts.iter().for_each(|part| part.add(value, set)),
            Landmarks::Leaf(_, labels) => set.extend(labels),
        }
    }
}

/// Chooses steps that are enough. Owns its scratch memory.
pub(super) struct Closure<'a> {
    space: &'a Reduced<'a>,
    /// The labels possible in the state.
    possible: LabelSet,
    /// The closure being made, and the labels in it still to be looked at.
    set: LabelSet,
    work: Vec<u32>,
    /// How many of its labels are possible, and whether one of these is visible.
    count: usize,
    exposed: bool,
    best: LabelSet,
    /// What goals need, where none of it is possible.
    closed: LabelSet,
    /// For every condition whether it is known to be true (1) or false (2), and
    /// which are.
    truth: Vec<u8>,
    known: Vec<u32>,
    seeds: Vec<u32>,
}

impl<'a> Closure<'a> {
    pub fn new(space: &'a Reduced<'a>) -> Closure<'a> {
        let labels = space.dependence.labels();
        Closure {
            space,
            possible: LabelSet::new(labels),
            set: LabelSet::new(labels),
            work: Vec::new(),
            count: 0,
            exposed: false,
            best: LabelSet::new(labels),
            closed: LabelSet::new(labels),
            truth: vec![0; space.dependence.condition_count()],
            known: Vec::new(),
            seeds: Vec::new(),
        }
    }

    /// The labels that are enough in a state whose successors and failures are in
    /// `batch` from these places on; `None` where that is all that are possible.
    pub fn choose(
        &mut self,
        state: &[Word],
        batch: &Batch,
        first: usize,
        faults: usize,
    ) -> Option<&LabelSet> {
        self.possible.clear();
        self.seeds.clear();
        let edges = (first..batch.len()).map(|i| batch.edge(i));
        for edge in edges.chain(batch.faults()[faults..].iter().map(|fault| fault.edge)) {
            if self.possible.insert(edge.label) {
                self.seeds.push(edge.label);
            }
        }
        let all = self.seeds.len();
        self.forget();
        let found = match &self.space.goals {
            Some(goals) => self.for_goals(goals, state, all),
            None if all < 2 => false,
            None => self.by_tables(state, all) || self.space.stubborn && self.smallest(state, all),
        };
        found.then_some(&self.best)
    }

    fn forget(&mut self) {
        self.known.drain(..).for_each(|condition| self.truth[condition as usize] = 0);
    }

    /// The steps of one process, where it is safe.
    fn by_tables(&mut self, state: &[Word], all: usize) -> bool {
        let Some(fixed) = &self.space.fixed else { return false };
        let compiled = self.space.space;
        let fields = &compiled.layout().fields;
        let mut least = all;
        for (component, at) in compiled.system().components.iter().zip(&fixed.at) {
            let here = fields[component.location.index()].get(state) as usize;
            let Some(labels) = &at[here] else { continue };
            let possible = common(labels, &self.possible);
            if 0 < possible && possible < least {
                least = possible;
                self.best.clone_from(labels);
            }
        }
        least < all
    }

    /// The smallest closure of a possible label.
    fn smallest(&mut self, state: &[Word], all: usize) -> bool {
        let mut least = all;
        let mut tried = 0;
        let seeds = std::mem::take(&mut self.seeds);
        let mut before = None;
        for seed in &seeds {
            // Steps of one process mostly have one closure.
            let component = self.space.dependence.components(*seed).first();
            if self.is_visible(*seed) || before == component || tried == MOST_SEEDS {
                continue;
            }
            before = component;
            tried += 1;
            self.begin(None);
            self.insert(*seed);
            if let Some(possible) = self.close(state, least) {
                least = possible;
                std::mem::swap(&mut self.set, &mut self.best);
                if least == 1 {
                    break;
                }
            }
        }
        self.seeds = seeds;
        least < all
    }

    fn is_visible(&self, label: u32) -> bool {
        self.space.proviso && self.space.visible.contains(label)
    }

    /// The closure around what goals need.
    fn for_goals(&mut self, goals: &Goals, state: &[Word], all: usize) -> bool {
        let fields = &self.space.space.layout().fields;
        let value = |term: &Term| evaluate(term, fields, state);
        // The memory of the best is free until there is one.
        let mut needed = std::mem::take(&mut self.best);
        needed.clone_from(&goals.always);
        goals.goals.iter().filter(|goal| goal.is_false(&value)).for_each(|goal| {
            goal.add(&value, &mut needed);
        });
        self.begin(None);
        self.add(&needed);
        self.best = needed;
        let possible = match self.close(state, all) {
            // A run without an end to it must be kept going.
            Some(0) if goals.deadlock && all > 0 => {
                let mut closed = std::mem::take(&mut self.closed);
                closed.clone_from(&self.set);
                let found = self.go_on(&closed, state, all);
                self.closed = closed;
                found
            }
            found => found,
        };
        std::mem::swap(&mut self.set, &mut self.best);
        possible.is_some_and(|possible| possible < all)
    }

    /// Adds the possible label whose closure is smallest.
    fn go_on(&mut self, set: &LabelSet, state: &[Word], all: usize) -> Option<usize> {
        let mut least = None;
        let seeds = std::mem::take(&mut self.seeds);
        for seed in seeds.iter().take(MOST_SEEDS) {
            self.begin(Some(set));
            self.insert(*seed);
            if let Some(possible) = self.close(state, least.unwrap_or(all)) {
                least = Some(possible);
                std::mem::swap(&mut self.set, &mut self.best);
            }
        }
        self.seeds = seeds;
        std::mem::swap(&mut self.set, &mut self.best);
        least
    }

    /// Closes the set, and answers how many of its labels are possible; `None`
    /// where that is `most` or more, or one of them is visible.
    fn close(&mut self, state: &[Word], most: usize) -> Option<usize> {
        while self.count < most && !self.exposed {
            let Some(label) = self.work.pop() else { return Some(self.count) };
            match self.possible.contains(label) {
                true => self.add(self.space.dependence.disturbing(label)),
                false => self.enable(label, state),
            }
        }
        None
    }

    /// Begins a closure: of nothing, or of what is closed without a possible label.
    fn begin(&mut self, closed: Option<&LabelSet>) {
        match closed {
            None => self.set.clear(),
            Some(closed) => self.set.clone_from(closed),
        }
        self.work.clear();
        self.count = 0;
        self.exposed = false;
    }

    /// Adds a possible label.
    fn insert(&mut self, label: u32) {
        if self.set.insert(label) {
            self.work.push(label);
            self.count += 1;
            self.exposed |= self.is_visible(label);
        }
    }

    /// Adds what may make a label possible that is not.
    fn enable(&mut self, label: u32, state: &[Word]) {
        let dependence = &self.space.dependence;
        let mut least: Option<((usize, usize), u32)> = None;
        for condition in dependence.conditions(label) {
            if !self.is_false(*condition, state) {
                continue;
            }
            let cost = self.cost(dependence.enabling(*condition));
            if least.is_none_or(|(best, _)| cost < best) {
                least = Some((cost, *condition));
            }
            if cost == (0, 0) {
                break;
            }
        }
        if let Some((_, condition)) = least {
            return self.add(dependence.enabling(condition));
        }
        self.add(dependence.disturbing(label));
        match dependence.touching(label) {
            Some(touching) => self.add(touching),
            None => {
                for condition in dependence.conditions(label) {
                    self.add(dependence.enabling(*condition));
                }
            }
        }
    }

    /// How many labels a set would add: possible ones, and others.
    fn cost(&self, labels: &LabelSet) -> (usize, usize) {
        let mut cost = (0, 0);
        let words = labels.words().iter().zip(self.set.words()).zip(self.possible.words());
        for ((labels, set), possible) in words {
            let new = labels & !set;
            cost.0 += (new & possible).count_ones() as usize;
            cost.1 += new.count_ones() as usize;
        }
        cost
    }

    fn is_false(&mut self, condition: u32, state: &[Word]) -> bool {
        let known = &mut self.truth[condition as usize];
        if *known == 0 {
            let fields = &self.space.space.layout().fields;
            let term = self.space.dependence.term(condition);
            *known = if evaluate(term, fields, state) == Some(0) { 2 } else { 1 };
            self.known.push(condition);
        }
        *known == 2
    }

    fn add(&mut self, labels: &LabelSet) {
        let visible = self.space.visible.words();
        let words = self.set.words_mut().iter_mut().zip(labels.words()).enumerate();
        for (word, (mine, theirs)) in words {
            let mut new = theirs & !*mine;
            *mine |= new;
            let possible = new & self.possible.words()[word];
            self.count += possible.count_ones() as usize;
            self.exposed |= self.space.proviso && possible & visible[word] != 0;
            while new != 0 {
                self.work.push(word as u32 * 64 + new.trailing_zeros());
                new &= new - 1;
            }
        }
    }
}

/// How many labels are in both.
fn common(a: &LabelSet, b: &LabelSet) -> usize {
    a.words().iter().zip(b.words()).map(|(a, b)| (a & b).count_ones() as usize).sum()
}
