//! Landmarks of the state: what every relaxed way to the goal passes through,
//! counted.
//!
//! Counting landmarks: Richter, Westphal, "The LAMA Planner" (JAIR 39, 2010).
//! All landmarks of the relaxation: Zhu, Givan, "Landmark Extraction via
//! Planning Graph Propagation" (ICAPS 2003); Keyder, Richter, Helmert, "Sound
//! and Complete Landmarks for And/Or Graphs" (ECAI 2010).
//!
//! ```text
//! Landmarks(s):
//!   C := the conditions that a relaxed trace from s makes true
//!   LM(c) := ∅ for conditions c that s satisfies, C ∪ {c} for all others
//!   while there is a rule r whose preconditions are all reached, c in adds(r) and
//!         LM(c) ⊈ {c} ∪ ⋃ LM(c') over pre(r):
//!     LM(c) := LM(c) ∩ ({c} ∪ ⋃ LM(c') over pre(r))
//!   h(s) := Σ over c in LM(goal), no c' in LM(goal) implies c: the least cost of a rule for c
//! ```
//!
//! A condition is a value or location, or a set of them: a disjunctive
//! landmark. Of landmarks of one variable that imply each other the strongest
//! is counted, as LAMA does.
//!
//! Deviations: LAMA finds landmarks once, from the initial state, and notes along
//! the way to every state which of them were reached; of those it counts again
//! what is false and needed again. An estimate here knows no way to a state. So
//! landmarks are found for every state anew: just those conditions count that
//! are false in `s` and true at some time on every relaxed way from `s`, whether
//! or not they were true on the way to `s`. Every one of them is on any relaxed
//! trace, so that only the conditions of one trace are looked at: sets of them
//! are a few words. There are no orderings, and no landmarks that are
//! conjunctions; only what some rule or the goal asks for is a landmark
//! (*causal* landmarks).
//!
//! It claims nothing: one step may reach several landmarks.

use homing_core::catalogue::{Kind, Row};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use super::explore::Exploration;
use super::extract::Trace;
use super::graph::Graph;
use super::reached::Explore;
use super::task::Task;
use crate::ground::Ground;
use crate::{EstimateBuilder, Goal, costs};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "landmarks",
    kind: Kind::Estimate,
    about: "the values, or sets of values, that do not hold now and that every way to the goal \
            passes through, if variables kept all their values",
    cite: "Zhu, Givan 2003; Richter, Westphal 2010; Keyder, Richter, Helmert 2010",
    parameters: &[],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(Landmarks::of(goal)?))
    },
};

/// The relaxed problem: what all instances share.
pub(super) struct Landmarks {
    pub task: Task,
    labels: u32,
    pub graph: Graph,
    /// For every condition, the least cost of a rule that adds it.
    costs: Vec<Cost>,
}

impl Landmarks {
    fn of(goal: &Goal) -> Result<Landmarks, String> {
        let ground = Ground::of_goal(goal, ROW.name)?;
        let labels = goal.space.moves().list.len() as u32;
        Ok(Landmarks::new(Task::new(&ground, |label| goal.cost(label)), labels))
    }

    pub fn new(task: Task, labels: u32) -> Landmarks {
        let graph = Graph::new(&task);
        let mut costs = vec![Cost::MAX; graph.conditions()];
        for rule in 0..task.rules() as u32 {
            for condition in task.adds.get(rule) {
                let implied = task.implied.get(*condition).iter();
                for condition in implied.chain([condition]) {
                    let least = &mut costs[*condition as usize];
                    *least = (*least).min(task.costs[rule as usize]);
                }
            }
        }
        Landmarks { task, labels, graph, costs }
    }
}

impl HeuristicFactory for Landmarks {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Finding::new(self))
    }
}

/// One instance, with memory of its own.
pub(super) struct Finding<'a> {
    of: &'a Landmarks,
    explored: Exploration,
    trace: Trace,
    /// C: the conditions of the trace.
    candidates: Vec<u32>,
    /// For every condition of the trace, its number among them.
    numbers: Vec<u32>,
    /// The words of a set of them.
    words: usize,
    /// For every condition, LM(c) once it is reached.
    sets: Vec<u64>,
    /// The union of the sets of a rule's preconditions.
    union: Vec<u64>,
    known: Vec<Known>,
    /// For every rule, how many preconditions are not reached yet.
    missing: Vec<u32>,
    facts: Vec<u32>,
    /// Conditions whose set is new, in turn.
    open: std::collections::VecDeque<u32>,
    /// The landmarks.
    found: Vec<u32>,
    touched: u64,
}

/// What is known of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is not reached.
    Nothing,
    /// The state satisfies it.
    Fact,
    /// It is reached and waits to be looked at for the first time.
    Fresh,
    /// Its set became smaller, and it waits.
    Changed,
    /// All rules that ask for it know its set.
    Told,
}

/// No number.
const NONE: u32 = u32::MAX;

impl<'a> Finding<'a> {
    pub fn new(of: &'a Landmarks) -> Finding<'a> {
        let conditions = of.graph.conditions();
        Finding {
            of,
            explored: Exploration::new(&of.task),
            trace: Trace::new(&of.task, of.labels),
            candidates: Vec::new(),
            numbers: vec![NONE; conditions],
            words: 0,
            sets: Vec::new(),
            union: Vec::new(),
            known: vec![Known::Nothing; conditions],
            missing: vec![0; of.graph.rules()],
            facts: Vec::new(),
            open: std::collections::VecDeque::with_capacity(conditions),
            found: Vec::new(),
            touched: 0,
        }
    }

    fn evaluate(&mut self, state: &[Word]) -> Cost {
        self.found.clear();
        if self.explored.run(&self.of.task, state, None).is_none() {
            return DEAD_END;
        }
        if self.of.task.trivial {
            return 0;
        }
        self.choose_candidates();
        self.start(state);
        self.propagate();
        self.collect();
        let costs = self.found.iter().map(|landmark| self.of.costs[*landmark as usize]);
        costs.fold(0, costs::add)
    }

    /// The conditions of a trace.
    fn choose_candidates(&mut self) {
        for candidate in self.candidates.drain(..) {
            self.numbers[candidate as usize] = NONE;
        }
        let task = &self.of.task;
        self.trace.extract(task, &self.explored);
        for taken in &self.trace.taken {
            // What is satisfied along with a value is reached by way of that.
            let by_value = task.adds.get(taken.rule).iter().filter(|value| {
                let along = task.implied.get(**value).contains(&taken.condition);
                along && !task.meanings[**value as usize].all
            });
            for candidate in by_value.chain([&taken.condition]) {
                let number = &mut self.numbers[*candidate as usize];
                if *number == NONE {
                    *number = self.candidates.len() as u32;
                    self.candidates.push(*candidate);
                }
            }
        }
        self.words = self.candidates.len().div_ceil(64);
        let needed = self.words * self.of.graph.conditions();
        if self.sets.len() < needed {
            self.sets.resize(needed, 0);
        }
        self.union.resize(self.words, 0);
    }

    fn start(&mut self, state: &[Word]) {
        let Landmarks { task, graph, .. } = self.of;
        self.missing.copy_from_slice(&graph.asked);
        self.known.fill(Known::Nothing);
        graph.facts(task, state, &mut self.facts);
        for fact in &self.facts {
            self.known[*fact as usize] = Known::Fact;
            self.sets[*fact as usize * self.words..][..self.words].fill(0);
        }
        for i in 0..self.facts.len() {
            self.tell(self.facts[i], true);
        }
    }

    /// Until no set changes.
    fn propagate(&mut self) {
        while let Some(condition) = self.open.pop_front() {
            let known = &mut self.known[condition as usize];
            let fresh = std::mem::replace(known, Known::Told) == Known::Fresh;
            self.tell(condition, fresh);
        }
    }

    /// Applies the rules that ask for `condition`, whose set is new.
    fn tell(&mut self, condition: u32, fresh: bool) {
        let of = self.of;
        for rule in of.graph.users.get(condition) {
            let missing = &mut self.missing[*rule as usize];
            *missing -= u32::from(fresh);
            if *missing == 0 {
                self.apply(*rule);
            }
        }
    }

    /// What the rule adds has no landmarks but its own preconditions'.
    fn apply(&mut self, rule: u32) {
        let (graph, words) = (&self.of.graph, self.words);
        self.touched += 1;
        self.union.fill(0);
        for condition in graph.pre.get(rule) {
            let set = &self.sets[*condition as usize * words..][..words];
            self.union.iter_mut().zip(set).for_each(|(all, one)| *all |= one);
        }
        for condition in graph.adds.get(rule) {
            if self.known[*condition as usize] != Known::Fact {
                self.intersect(*condition);
            }
        }
    }

    /// LM(c) := LM(c) ∩ ({c} ∪ the union)
    fn intersect(&mut self, condition: u32) {
        let known = &mut self.known[condition as usize];
        let set = &mut self.sets[condition as usize * self.words..][..self.words];
        let own = self.numbers[condition as usize];
        let bit = |word: usize| if word == own as usize / 64 { 1 << (own % 64) } else { 0 };
        let bit = |word: usize| if own == NONE { 0 } else { bit(word) };
        let mut changes = *known == Known::Nothing;
        for (word, (old, new)) in set.iter_mut().zip(&self.union).enumerate() {
            let new = new | bit(word);
            let new = if *known == Known::Nothing { new } else { *old & new };
            changes |= std::mem::replace(old, new) != new;
        }
        if !changes {
            return;
        }
        match known {
            Known::Nothing => *known = Known::Fresh,
            Known::Told => *known = Known::Changed,
            _ => return,
        }
        self.open.push_back(condition);
    }

    /// The landmarks of the goal, without those that another implies.
    fn collect(&mut self) {
        let set = &self.sets[self.of.graph.goal as usize * self.words..][..self.words];
        let member = |number: &usize| set[number / 64] >> (number % 64) & 1 == 1;
        let numbers = (0..self.candidates.len()).filter(member);
        self.found.extend(numbers.map(|number| self.candidates[number]));
        let meanings = &self.of.task.meanings;
        let mut at = 0;
        while at < self.found.len() {
            let weak = &meanings[self.found[at] as usize];
            let implied = self.found.iter().any(|other| {
                let strong = &meanings[*other as usize];
                strong.var == weak.var
                    && strong.values != weak.values
                    && strong.values.within(&weak.values)
            });
            // What implies this one, or one that does, stays.
            if implied {
                self.found.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }
}

impl Heuristic for Finding<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        self.evaluate(state)
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn work(&self) -> u64 {
        self.explored.reached().work() + self.touched / 8
    }

    fn bytes(&self) -> usize {
        let of = self.of;
        let tables = of.task.bytes() + of.graph.bytes() + 4 * of.costs.len();
        let own = 8 * self.sets.capacity() + 4 * (self.missing.len() + 2 * self.numbers.len());
        tables + own + self.explored.bytes() + self.trace.bytes()
    }
}
