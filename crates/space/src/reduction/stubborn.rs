//! Stubborn sets.
//!
//! Valmari, "Stubborn sets for reduced state space generation" (1989); the conditions as in
//! Valmari, Hansen, "Can stubborn sets be optimal?" (2010). For goals: Wehrle, Helmert,
//! "Efficient stubborn sets: generalized algorithms and selection strategies" (ICAPS 2014).
//! Labels are the transitions, [`Dependence`] says which of them accord.
//!
//! A set T of labels is *stubborn* in a state s if for t in T and t₁ … tₙ not in T
//!
//! ```text
//! D1:  s –t₁ … tₙ t→ s'   implies   s –t t₁ … tₙ→ s'
//! D2:  s –t₁ … tₙ→ s' and t possible in s  imply  t possible in s', for some t in T:
//!      a *key transition*, which nothing outside of T can disable
//! ```
//! D1: whoever uses t later may use it first. D2: there is always one to use. The
//! successors by possible labels of T are then an ample set: it keeps every deadlock, and
//! every run up to the order of steps that accord. What else is asked for adds to it:
//! that nothing visible is in T unless all is (formulas and goals, V), and that no step is
//! ignored for ever around a cycle (`homing_search::proviso`).
//!
//! ```text
//! closure(T), in a state s:
//!   for each label t of T, those added on the way too:
//!     t possible in s:      add the labels that t does not accord with   (D1, D2 by t)
//!     t not possible in s:  add the labels that may make true one of t's
//!                           conditions that is false in s                (D1)
//!
//! choose(s):  for goals: the closure of what may make true a part of each
//!             goal that is false in s
//!             else, of the closures of single possible labels, the one with
//!             fewest possible labels, none of them visible
//! ```
//! Where we deviate: a closure accords in both ways with what is possible in it, so every
//! possible label of it is a key transition (the *strong* sets of the literature; one would
//! do). Which false condition is taken is free: the one that adds fewest possible
//! labels, then fewest labels. Closures are given up as soon as they are no
//! better than the best so far, and so as soon as they have a label in them whose own
//! closure was made before: theirs contains it. Possible labels are looked at first,
//! since they decide that.
//!
//! A label may be possible without being seen: its outcomes may be told as those
//! of another (`atomic`). Where no condition is false, it counts as both possible
//! and not.

use homing_core::{Batch, Word};
use homing_ir::dependence::{Dependence, LabelSet};
use homing_ir::evaluate::evaluate;
use homing_ir::layout::Field;
use homing_ir::network::Binary;
use homing_ir::system::{Condition, Term};

use super::fixed::Fixed;
use super::{Asked, Reduced, Way, Ways};
use crate::CompiledSpace;
use crate::compiled::part_may_fail;

/// The most closures tried in a state.
const MOST_SEEDS: usize = 12;

/// The most sets besides the best.
const MOST_OTHERS: usize = 3;

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
            let fails = one.parts(system).into_iter().any(|part| part_may_fail(system.part(part)));
            let held = space.moves().holder(label).is_some();
            if dependence.starts(label) || asked.fault && (fails || held) {
                always.insert(label);
            }
        }
        Goals { goals, always, deadlock: asked.deadlock }
    }
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

/// Chooses ample sets. Owns its scratch memory.
pub(super) struct Closure<'a> {
    space: &'a Reduced<'a>,
    /// The ways of choosing that are taken.
    pub ways: Ways,
    /// The labels possible in the state.
    possible: LabelSet,
    /// The closure being made, and the labels in it still to be looked at: possible
    /// ones, and others.
    set: LabelSet,
    /// The labels that were looked at in all closures so far.
    looked_at: u64,
    ready: Vec<u32>,
    work: Vec<u32>,
    /// The conditions that are false and whose labels were added to it: by the number
    /// of the closure.
    added: Vec<u32>,
    number: u32,
    /// How many of its labels are possible, and whether one of these is shunned.
    count: usize,
    shunned: bool,
    /// Labels without which a closure must do: visible ones, and those whose closures
    /// were made before.
    shuns: LabelSet,
    best: LabelSet,
    /// Other ample sets, and how many there are.
    others: Vec<LabelSet>,
    more: usize,
    /// What goals need, where none of it is possible.
    closed: LabelSet,
    /// For every condition whether it is known to be true (1) or false (2), and
    /// which are.
    truth: Vec<u8>,
    known: Vec<u32>,
    tests: Vec<Test>,
    seeds: Vec<u32>,
}

/// Labels a set would add: possible ones, and all.
type Cost = (u32, u32);

/// How a condition is looked at.
#[derive(Clone, Copy)]
enum Test {
    /// Whether a slot has a value: where a process is, mostly.
    Is(Field, i64),
    Other,
}

impl Test {
    fn of(term: &Term, fields: &[Field]) -> Test {
        let Term::Binary(Binary::Eq, left, right) = term else { return Test::Other };
        match (&**left, &**right) {
            (Term::Slot(slot), Term::Const(value)) => Test::Is(fields[slot.index()], *value),
            _ => Test::Other,
        }
    }
}

impl<'a> Closure<'a> {
    pub fn new(space: &'a Reduced<'a>) -> Closure<'a> {
        let labels = space.dependence.labels();
        let count = space.dependence.condition_count();
        let fields = &space.space.layout().fields;
        let test = |condition| Test::of(space.dependence.term(condition), fields);
        Closure {
            space,
            ways: space.ways,
            possible: LabelSet::new(labels),
            set: LabelSet::new(labels),
            looked_at: 0,
            ready: Vec::new(),
            work: Vec::new(),
            added: vec![0; count],
            number: 0,
            count: 0,
            shunned: false,
            shuns: LabelSet::new(labels),
            best: LabelSet::new(labels),
            others: vec![LabelSet::new(labels); if space.several { MOST_OTHERS } else { 0 }],
            more: 0,
            closed: LabelSet::new(labels),
            truth: vec![0; count],
            known: Vec::new(),
            tests: (0..count as u32).map(test).collect(),
            seeds: Vec::new(),
        }
    }

    /// Chooses the labels of an ample set in a state whose successors and failures are in
    /// `batch` from these places on ([`Closure::chosen`]); answers `None` where that is
    /// all that are possible.
    pub fn choose(
        &mut self,
        state: &[Word],
        batch: &Batch,
        first: usize,
        faults: usize,
    ) -> Option<Way> {
        let steps = batch.len() - first + batch.faults().len() - faults;
        let least = if self.space.goals.is_some() { 1 } else { 2 };
        if steps < least || !self.is_worth_a_look(state) {
            return None;
        }
        self.look(batch, first, faults);
        let all = self.seeds.len();
        match &self.space.goals {
            Some(goals) => self.for_goals(goals, state, all).then_some(Way::Closures),
            None if all < 2 => None,
            None if self.by_tables(state, all) => Some(Way::Tables),
            None if !self.ways.closures => None,
            None => self.smallest(state, all).then_some(Way::Closures),
        }
    }

    /// The smallest set found, and other ample sets.
    pub fn chosen(&self) -> (&LabelSet, &[LabelSet]) {
        (&self.best, &self.others[..self.more])
    }

    /// Whether there is anything to be found: where closures are not made, some
    /// process must be at a safe place.
    fn is_worth_a_look(&self, state: &[Word]) -> bool {
        self.ways.closures
            || self
                .fixed()
                .is_some_and(|fixed| fixed.places.iter().any(|places| places.here(state).is_some()))
    }

    /// The tables, unless they were given up: they cost nothing beside closures.
    fn fixed(&self) -> Option<&'a Fixed> {
        self.space.fixed.as_ref().filter(|_| !self.ways.is_none())
    }

    /// Finds out what is possible.
    fn look(&mut self, batch: &Batch, first: usize, faults: usize) {
        self.more = 0;
        self.possible.clear();
        self.seeds.clear();
        let edges = (first..batch.len()).map(|i| batch.edge(i));
        for edge in edges.chain(batch.faults()[faults..].iter().map(|fault| fault.edge)) {
            if self.possible.insert(edge.label) {
                self.seeds.push(edge.label);
            }
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.known.drain(..).for_each(|condition| self.truth[condition as usize] = 0);
    }

    /// The steps of one process, where it is safe.
    fn by_tables(&mut self, state: &[Word], all: usize) -> bool {
        let Some(fixed) = self.fixed() else { return false };
        let mut least = all;
        for labels in fixed.places.iter().filter_map(|places| places.here(state)) {
            let possible = common(labels, &self.possible);
            if 0 < possible && possible < least {
                self.keep_best(least < all);
                least = possible;
                self.best.clone_from(labels);
            } else if 0 < possible && possible < all && self.has_room() {
                self.others[self.more].clone_from(labels);
                self.more += 1;
            }
        }
        least < all
    }

    fn has_room(&self) -> bool {
        self.more < self.others.len()
    }

    /// Makes room for a better one, the best so far becoming one of the others.
    fn keep_best(&mut self, is_one: bool) {
        if is_one && self.has_room() {
            std::mem::swap(&mut self.best, &mut self.others[self.more]);
            self.more += 1;
        }
    }

    /// The smallest closure of a possible label.
    fn smallest(&mut self, state: &[Word], all: usize) -> bool {
        let mut least = all;
        let mut tried = 0;
        let seeds = std::mem::take(&mut self.seeds);
        let mut before = None;
        self.shun_visible();
        for seed in &seeds {
            // Steps of one process mostly have one closure.
            let component = self.space.dependence.components(*seed).first();
            if self.shuns.contains(*seed) || before == component || tried == MOST_SEEDS {
                continue;
            }
            before = component;
            tried += 1;
            self.begin(None);
            self.insert(*seed);
            let most = if self.has_room() { all } else { least };
            match self.close(state, most) {
                Some(possible) if possible < least => {
                    self.keep_best(least < all);
                    least = possible;
                    std::mem::swap(&mut self.set, &mut self.best);
                }
                Some(_) => {
                    std::mem::swap(&mut self.set, &mut self.others[self.more]);
                    self.more += 1;
                }
                None => {}
            }
            if least == 1 && !self.has_room() {
                break;
            }
            self.shuns.insert(*seed);
        }
        self.seeds = seeds;
        least < all
    }

    fn shun_visible(&mut self) {
        match self.space.proviso {
            true => self.shuns.clone_from(&self.space.visible),
            false => self.shuns.clear(),
        }
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
    /// where that is `most` or more, or one of them is shunned.
    fn close(&mut self, state: &[Word], most: usize) -> Option<usize> {
        while self.count < most && !self.shunned {
            self.looked_at += 1;
            if let Some(label) = self.ready.pop() {
                self.add(self.space.dependence.disturbing(label));
            } else if let Some(label) = self.work.pop() {
                self.enable(label, state);
            } else {
                return Some(self.count);
            }
        }
        None
    }

    /// What closures took so far, in successors, roughly: a label is taken for half of one,
    /// and adding the labels that disturb it goes over all of them, by the word.
    pub fn work(&self) -> u64 {
        self.looked_at * (2 + self.set.words().len() as u64) / 4
    }

    /// Begins a closure: of nothing, or of what is closed without a possible label.
    fn begin(&mut self, closed: Option<&LabelSet>) {
        match closed {
            None => self.set.clear(),
            Some(closed) => self.set.clone_from(closed),
        }
        self.ready.clear();
        self.work.clear();
        self.count = 0;
        self.shunned = false;
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.added.fill(0);
            self.number = 1;
        }
    }

    /// Adds a possible label.
    fn insert(&mut self, label: u32) {
        if self.set.insert(label) {
            self.ready.push(label);
            self.count += 1;
            self.shunned |= self.shuns.contains(label);
        }
    }

    /// Adds what may make a label possible that is not.
    fn enable(&mut self, label: u32, state: &[Word]) {
        let dependence = &self.space.dependence;
        let conditions = dependence.conditions(label);
        if conditions.iter().any(|condition| self.added[*condition as usize] == self.number) {
            return;
        }
        // Most labels have one condition that is false: what it costs does not matter.
        let mut least: Option<(Option<Cost>, u32)> = None;
        for condition in conditions {
            if !self.is_false(*condition, state) {
                continue;
            }
            let Some((known, before)) = least else {
                least = Some((None, *condition));
                continue;
            };
            let best = known.unwrap_or_else(|| self.cost(dependence.enabling(before)));
            let cost = self.cost(dependence.enabling(*condition));
            least = Some(if cost < best { (Some(cost), *condition) } else { (Some(best), before) });
        }
        if let Some((_, condition)) = least {
            self.added[condition as usize] = self.number;
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

    /// How many labels a set would add.
    fn cost(&self, labels: &LabelSet) -> Cost {
        let mut cost = (0, 0);
        let words = labels.words().iter().zip(self.set.words()).zip(self.possible.words());
        for ((labels, set), possible) in words {
            let new = labels & !set;
            // Most words are zero, and counting ones takes a while.
            if new != 0 {
                cost.0 += (new & possible).count_ones();
                cost.1 += new.count_ones();
            }
        }
        cost
    }

    fn is_false(&mut self, condition: u32, state: &[Word]) -> bool {
        let known = &mut self.truth[condition as usize];
        if *known == 0 {
            let fields = &self.space.space.layout().fields;
            let holds = match self.tests[condition as usize] {
                Test::Is(field, value) => field.get(state) == value,
                Test::Other => {
                    evaluate(self.space.dependence.term(condition), fields, state) != Some(0)
                }
            };
            *known = if holds { 1 } else { 2 };
            self.known.push(condition);
        }
        *known == 2
    }

    fn add(&mut self, labels: &LabelSet) {
        let words = self.set.words_mut().iter_mut().zip(labels.words());
        let others = self.possible.words().iter().zip(self.shuns.words());
        for (word, ((mine, theirs), (possible, shuns))) in words.zip(others).enumerate() {
            let mut new = theirs & !*mine;
            if new == 0 {
                continue;
            }
            *mine |= new;
            let mut possible = new & possible;
            self.shunned |= possible & shuns != 0;
            new &= !possible;
            while new != 0 {
                self.work.push(word as u32 * 64 + new.trailing_zeros());
                new &= new - 1;
            }
            while possible != 0 {
                self.count += 1;
                self.ready.push(word as u32 * 64 + possible.trailing_zeros());
                possible &= possible - 1;
            }
        }
    }
}

/// How many labels are in both.
fn common(a: &LabelSet, b: &LabelSet) -> usize {
    a.words().iter().zip(b.words()).map(|(a, b)| (a & b).count_ones() as usize).sum()
}
