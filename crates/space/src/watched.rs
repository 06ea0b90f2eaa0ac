//! The product of a space and an observer.
//!
//! An observer (Promela's `never` claim) reads every state. Holzmann, "The
//! model checker SPIN" (1997), section 3: system and claim move in turn, the
//! claim first.
//!
//! ```text
//! post(s, q) = { (s', q') | q → q' is open in s, s → s' }
//! ended(s, q) = some q' with q → q' open in s is an end; where s has no step,
//!               some q' with q →⁺ q'
//! ```
//! One word is added to every state, where the observer is. `ended` is the one
//! condition of this space. A run on which the observer cannot move is not
//! followed further.
//!
//! Deviation: where the system has stopped, SPIN's `pan` stores every place the
//! claim goes on to; here that is one state (as `pan` with `-DNOSTUTTER` counts).

use homing_core::{Batch, Edge, Expander, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::network::{
    Expr, Guard, LocationId, Network, ProcessId, StatementKind, Target, VariableId,
};

/// The conditions that a space may have.
const MOST_CONDITIONS: usize = 64;

/// An observer of finite behaviour: what it looks for in states, and how it
/// goes on.
#[derive(Clone, Debug)]
pub struct Automaton {
    initial: u32,
    /// By location; the last one stands for the end.
    ways: Vec<Vec<Way>>,
    ends: Vec<bool>,
    accepting: bool,
    conditions: Vec<Wanted>,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    /// The bits of the conditions that must hold.
    needs: u64,
    to: u32,
    /// An assertion that is false: the observer ends, but does not go on.
    fails: bool,
}

impl Automaton {
    /// The observer `process` of a network, or why it is none.
    pub fn of(network: &Network, process: ProcessId) -> Result<Automaton, String> {
        let observer = &network.processes[process.index()];
        let end = observer.locations.len();
        let own = |id: VariableId| network.variables[id.index()].owner == Some(process);
        if (0..network.variables.len()).any(|id| own(VariableId(id as u32))) {
            return Err("it has variables of its own".into());
        }
        let mut automaton = Automaton {
            initial: observer.initial.index() as u32,
            ways: vec![Vec::new(); end + 1],
            ends: observer.locations.iter().map(|location| location.end).chain([true]).collect(),
            accepting: observer.locations.iter().any(|location| location.accepting),
            conditions: Vec::new(),
        };
        for edge in &observer.edges {
            let needs = match &edge.guard {
                Guard::Always => 0,
                Guard::When(condition) => automaton.bit(condition)?,
                _ => return Err("it waits for what others cannot do".into()),
            };
            if edge.action.is_some() {
                return Err("it communicates".into());
            }
            for branch in &edge.branches {
                let asserts = |one: &StatementKind| matches!(one, StatementKind::Assert(_));
                if !branch.effect.iter().all(|one| asserts(&one.kind)) {
                    return Err("it does more than look".into());
                }
                let fails = !branch.effect.is_empty();
                let to = match branch.target {
                    Target::Location(LocationId(to)) => to,
                    Target::End => end as u32,
                };
                automaton.ways[edge.from.index()].push(Way { needs, to, fails });
            }
        }
        Ok(automaton)
    }

    fn bit(&mut self, condition: &Expr) -> Result<u64, String> {
        let bit = self.conditions.len();
        if bit == MOST_CONDITIONS {
            return Err(format!("it has more than {MOST_CONDITIONS} conditions"));
        }
        self.conditions.push(Wanted::goal(condition.clone()));
        Ok(1 << bit)
    }

    /// What it looks for: the first conditions that the space must have.
    pub fn conditions(&self) -> &[Wanted] {
        &self.conditions
    }

    /// Whether it accepts infinite runs, too.
    pub fn is_accepting(&self) -> bool {
        self.accepting
    }

    /// The ways from a location that are open where these conditions hold.
    fn open(&self, from: usize, holds: u64) -> impl Iterator<Item = Way> {
        self.ways[from].iter().copied().filter(move |way| way.needs & !holds == 0)
    }
}

/// A space with an observer.
pub struct Watched<'a> {
    inner: &'a dyn Space,
    automaton: &'a Automaton,
    /// The number of labels of the inner space.
    labels: u32,
}

impl<'a> Watched<'a> {
    /// Watches `inner`, whose first conditions are those of the automaton and
    /// whose labels are less than `labels`.
    pub fn new(inner: &'a dyn Space, automaton: &'a Automaton, labels: u32) -> Watched<'a> {
        // Where the numbers do not suffice, steps are not told apart.
        let apart = labels.checked_mul(automaton.ways.len() as u32).map_or(0, |_| labels);
        Watched { inner, automaton, labels: apart }
    }
}

impl Space for Watched<'_> {
    fn width(&self) -> usize {
        self.inner.width() + 1
    }

    fn cover(&self) -> Option<&dyn homing_core::Cover> {
        self.inner.cover()
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(WatchedExpander {
            inner: self.inner.expander(),
            automaton: self.automaton,
            labels: self.labels,
            batch: Batch::new(self.inner.width()),
            state: vec![0; self.width()],
            targets: Vec::new(),
        })
    }
}

struct WatchedExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    automaton: &'a Automaton,
    labels: u32,
    batch: Batch,
    state: Vec<Word>,
    /// Where the observer may go.
    targets: Vec<u32>,
}

impl WatchedExpander<'_> {
    /// Adds the inner successors, the observer being at `at`. They are
    /// numbered apart from those with the observer elsewhere: a step is
    /// found again by its edge.
    fn hand_over(&self, state: &mut [Word], at: u32, apart: bool, out: &mut Batch) {
        let width = state.len() - 1;
        let first = if apart { self.labels * at } else { 0 };
        for i in 0..self.batch.len() {
            let edge = self.batch.edge(i);
            state[..width].copy_from_slice(self.batch.state(i));
            state[width] = Word::from(at);
            out.push(state, Edge { label: edge.label + first, ..edge });
        }
    }

    fn find_targets(&mut self, at: usize, holds: u64) {
        self.targets.clear();
        for way in self.automaton.open(at, holds).filter(|way| !way.fails) {
            if !self.targets.contains(&way.to) {
                self.targets.push(way.to);
            }
        }
    }

    /// Whether the observer comes to an end by going on alone.
    fn ends_alone(&mut self, at: usize, holds: u64) -> bool {
        self.find_targets(at, holds);
        let mut next = 0;
        while let Some(&from) = self.targets.get(next) {
            next += 1;
            for way in self.automaton.open(from as usize, holds) {
                if self.automaton.ends[way.to as usize] {
                    return true;
                }
                if !self.targets.contains(&way.to) {
                    self.targets.push(way.to);
                }
            }
        }
        false
    }

    fn has_stopped(&mut self, system: &[Word]) -> bool {
        self.batch.clear();
        self.inner.expand(system, &mut self.batch);
        self.batch.is_empty() && self.batch.faults().is_empty()
    }
}

impl Expander for WatchedExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        let mut state = std::mem::take(&mut self.state);
        self.hand_over(&mut state, self.automaton.initial, false, out);
        self.state = state;
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let (system, at) = split(state);
        let holds = self.inner.violated(system);
        self.find_targets(at, holds);
        if self.targets.is_empty() {
            return out.set_deadlock(false);
        }
        self.batch.clear();
        self.inner.expand(system, &mut self.batch);
        let mut scratch = std::mem::take(&mut self.state);
        for target in &self.targets {
            self.hand_over(&mut scratch, *target, true, out);
        }
        self.state = scratch;
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let (system, at) = split(state);
        let automaton = self.automaton;
        let holds = self.inner.violated(system);
        let ended = automaton.ends[at]
            || automaton.open(at, holds).any(|way| automaton.ends[way.to as usize])
            || (self.ends_alone(at, holds) && self.has_stopped(system));
        u64::from(ended)
    }
}

/// The system's words, and where the observer is.
fn split(state: &[Word]) -> (&[Word], usize) {
    let (at, system) = state.split_last().unwrap_or((&0, &[]));
    (system, *at as usize)
}
