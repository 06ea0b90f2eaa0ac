//! Atomic blocks: steps in which control stays with a component: what happens until it is
//! given up is one step of the space.
//!
//! Promela's `atomic` and `d_step` (Holzmann, "The SPIN Model Checker", 2004,
//! chapters 3 and 7). The states in between are not states of the space; they
//! are explored here, breadth first, for every state that is expanded:
//!
//! ```text
//! inside(source, moves of source after which a component holds control):
//!   queue := the targets of these moves, each with its holder
//!   for each (holder, state) in queue:
//!     moves := what the holder leads in state, alone or as a sender
//!     deterministic: only the first of them; if there is none, a failure
//!     otherwise: if there is none, control is lost and state is an outcome
//!     for each move:
//!       fails (also by an assertion), or nobody holds control afterwards: an
//!         outcome
//!       else (next holder, target) joins the queue unless it was there before
//!   if nothing came out of it, nor from other moves of source: a failure,
//!     control goes round for ever
//! ```
//! Every outcome carries the label of its first move, and a number that tells
//! the outcomes of one source apart. The moves in between are remembered until the
//! next source is explored ([`Inside::moves_of`]).

use homing_core::hash::hash_words;
use homing_core::{Batch, Edge, Fault, Word};
use homing_ir::moves::Holder;
use homing_jit::Code;

/// Explores what happens while control is held. Owns its scratch memory.
pub(crate) struct Inside<'a> {
    code: &'a Code,
    /// The moves of the source after which somebody holds control.
    first: Batch,
    /// The moves of one state of the queue.
    next: Batch,
    /// The states of the queue, one after the other, and what is known of each.
    words: Vec<Word>,
    queue: Vec<Entry>,
    seen: Seen,
    outcomes: Vec<Outcome>,
}

/// A state in which a component holds control.
#[derive(Clone, Copy)]
struct Entry {
    holder: Holder,
    /// The label of the move of the source that it all began with.
    first: u32,
    /// What it was reached by, and the entry that came from; none where that is
    /// the source.
    edge: Edge,
    parent: Option<u32>,
}

/// An outcome: of which entry, and by which last move, if it took one. Its number is its
/// place, counted from one: zero names a step that is over after its first move.
struct Outcome {
    entry: u32,
    edge: Option<Edge>,
}

impl<'a> Inside<'a> {
    pub(crate) fn new(code: &'a Code) -> Inside<'a> {
        let width = code.layout().words;
        Inside {
            code,
            first: Batch::new(width),
            next: Batch::new(width),
            words: Vec::new(),
            queue: Vec::new(),
            seen: Seen::default(),
            outcomes: Vec::new(),
        }
    }

    /// Replaces the successors in `out`, from `start` on, after which somebody
    /// holds control by what comes out in the end. `faults` is the number of
    /// failures in `out` that are not this source's.
    pub(crate) fn follow(&mut self, start: usize, faults: usize, out: &mut Batch) {
        let code = self.code;
        let holds = |edge: Edge| code.holder(edge).is_some();
        if !(start..out.len()).any(|i| holds(out.edge(i))) {
            return;
        }
        self.first.clear();
        out.extract(start, holds, &mut self.first);
        self.explore(out);
        if out.len() == start && out.faults().len() == faults {
            let edge = Edge { label: self.first.edge(0).label, choice: 0 };
            let site = self.code.system().endless.map_or(0, |site| site.0);
            out.fail(Fault { edge, site });
        }
    }

    /// The labels of the moves of the step that `edge` names, from the source
    /// whose successors are in `successors`.
    pub(crate) fn trail(&mut self, successors: &mut Batch, edge: Edge) -> Vec<u32> {
        self.look(successors);
        let mut edges: Vec<Edge> = self.moves_of(edge.choice).collect();
        if edges.is_empty() {
            return vec![edge.label];
        }
        edges.reverse();
        edges.iter().flat_map(|edge| labels(self.code, edge)).copied().collect()
    }

    /// Explores the source whose successors are in `successors`, of which nothing is
    /// left.
    pub(crate) fn look(&mut self, successors: &mut Batch) {
        let code = self.code;
        self.first.clear();
        successors.extract(0, |edge| code.holder(edge).is_some(), &mut self.first);
        successors.clear();
        self.explore(successors);
    }

    /// The moves of an outcome of the source that was explored last, the last move
    /// first.
    pub(crate) fn moves_of(&self, outcome: u32) -> impl Iterator<Item = Edge> {
        let outcome = outcome.checked_sub(1).and_then(|place| self.outcomes.get(place as usize));
        let entry = |at: u32| self.queue[at as usize];
        let last = outcome.map(|outcome| entry(outcome.entry));
        let entries = std::iter::successors(last, move |one| one.parent.map(entry));
        let edge = outcome.and_then(|outcome| outcome.edge);
        edge.into_iter().chain(entries.map(|entry| entry.edge))
    }

    fn explore(&mut self, out: &mut Batch) {
        self.words.clear();
        self.queue.clear();
        self.seen.clear();
        self.outcomes.clear();
        let first = std::mem::replace(&mut self.first, Batch::new(0));
        for i in 0..first.len() {
            let edge = first.edge(i);
            if self.code.is_trapped(first.state(i)) {
                out.push(first.state(i), edge);
            } else if let Some(holder) = self.code.holder(edge) {
                let entry = Entry { holder, first: edge.label, edge, parent: None };
                self.join(entry, first.state(i));
            }
        }
        self.first = first;
        let mut next = std::mem::replace(&mut self.next, Batch::new(0));
        let mut at = 0;
        while at < self.queue.len() {
            homing_budget::checkpoint();
            self.go_on(at, &mut next, out);
            at += 1;
        }
        self.next = next;
    }

    /// The moves of one entry of the queue.
    fn go_on(&mut self, at: usize, next: &mut Batch, out: &mut Batch) {
        let (code, entry) = (self.code, self.queue[at]);
        let width = code.layout().words;
        next.clear();
        code.expand_held(entry.holder.component, &self.words[at * width..(at + 1) * width], next);
        if next.is_empty() && next.faults().is_empty() {
            let edge = self.outcome(at, None);
            let state = &self.words[at * width..(at + 1) * width];
            match blocked_site(code, entry.holder, state) {
                Some(site) => out.fail(Fault { edge, site }),
                None => out.push(state, edge),
            }
            return;
        }
        let (successors, faults) = match entry.holder.deterministic {
            false => (next.len(), next.faults().len()),
            true => first_only(next),
        };
        for i in 0..successors {
            let taken = next.edge(i);
            let holder = code.holder(taken);
            match holder.filter(|_| !code.is_trapped(next.state(i))) {
                Some(holder) => {
                    let parent = Some(at as u32);
                    let entry = Entry { holder, first: entry.first, edge: taken, parent };
                    self.join(entry, next.state(i));
                }
                None => {
                    let edge = self.outcome(at, Some(taken));
                    out.push(next.state(i), edge);
                }
            }
        }
        for fault in &next.faults()[..faults] {
            let edge = self.outcome(at, Some(fault.edge));
            out.fail(Fault { edge, site: fault.site });
        }
    }

    /// The edge of a new outcome of an entry.
    fn outcome(&mut self, at: usize, edge: Option<Edge>) -> Edge {
        self.outcomes.push(Outcome { entry: at as u32, edge });
        Edge { label: self.queue[at].first, choice: self.outcomes.len() as u32 }
    }

    /// Puts an entry into the queue, unless its state was there with the same
    /// holder.
    fn join(&mut self, entry: Entry, state: &[Word]) {
        let (queue, words) = (&self.queue, &self.words);
        let known = |other: u32| {
            let at = other as usize * state.len();
            queue[other as usize].holder == entry.holder && words[at..at + state.len()] == *state
        };
        if self.seen.insert(hash_words(state), queue.len() as u32, known) {
            self.queue.push(entry);
            self.words.extend_from_slice(state);
        }
    }
}

/// The labels of the moves of an edge.
pub(crate) fn labels<'e>(code: &'e Code, edge: &'e Edge) -> &'e [u32] {
    code.path(*edge).map_or(std::slice::from_ref(&edge.label), |path| &path.labels)
}

/// Where a holder without a move fails, if that is a failure.
fn blocked_site(code: &Code, holder: Holder, state: &[Word]) -> Option<u32> {
    if !holder.deterministic {
        return None;
    }
    let component = code.system().component(holder.component);
    let location = code.layout().fields[component.location.index()].get(state);
    component.blocked[location as usize].map(|site| site.0)
}

/// How many successors and failures count where only the first move does.
/// Labels are in the order of moves.
fn first_only(next: &Batch) -> (usize, usize) {
    let fault = next.faults().first().map(|fault| fault.edge.label);
    let moved = (!next.is_empty()).then(|| next.edge(0).label);
    let Some(first) = fault.into_iter().chain(moved).min() else { return (0, 0) };
    // What follows the first move in the same tree counts with it.
    let successors = (0..next.len()).take_while(|i| next.edge(*i).label == first).count();
    let faults = next.faults().iter().take_while(|fault| fault.edge.label == first).count();
    (successors, faults)
}

/// The entries of the queue, by the hash of their states: open addressing.
/// Entries of older generations count as free places.
#[derive(Default)]
struct Seen {
    places: Vec<Place>,
    generation: u32,
    len: usize,
}

#[derive(Clone, Copy, Default)]
struct Place {
    generation: u32,
    entry: u32,
    hash: u64,
}

impl Seen {
    fn clear(&mut self) {
        self.len = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.places.fill(Place::default());
            self.generation = 1;
        }
    }

    /// Adds `entry` unless one with this hash is there that `known` takes for
    /// the same. Answers whether it was added.
    fn insert(&mut self, hash: u64, entry: u32, known: impl Fn(u32) -> bool) -> bool {
        if (self.len + 1) * 2 > self.places.len() {
            self.grow();
        }
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let place = self.places[at];
            if place.generation != self.generation {
                self.places[at] = Place { generation: self.generation, entry, hash };
                self.len += 1;
                return true;
            }
            if place.hash == hash && known(place.entry) {
                return false;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(16);
        let old = std::mem::replace(&mut self.places, vec![Place::default(); size]);
        let mask = size - 1;
        for place in old.into_iter().filter(|place| place.generation == self.generation) {
            let mut at = place.hash as usize & mask;
            while self.places[at].generation == self.generation {
                at = (at + 1) & mask;
            }
            self.places[at] = place;
        }
    }
}
