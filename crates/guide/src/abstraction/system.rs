//! AbstractSystem, algorithm 2 of the paper: compose and abstract.
//!
//! ```text
//! while |P'| > 2:
//!     (P, P') := S(P')
//!     (C, γ)  := AbstractProcess(P‖P');  C replaces P and P'
//!     α_C(q)  := γ(α_P(q), α_P'(q)), or ⊥ if one of them is ⊥
//! A := P‖P' of the two that are left
//! ```
//!
//! Deviations:
//! - At first every variable is a process. Each is abstracted by itself, which
//!   merges only bisimilar values unless it has more than N, and the location of
//!   a process is composed with its private variables while that makes at most N
//!   states.
//! - A process without an error condition that shares no label with those that
//!   have one, directly or through others, does not matter and is left out;
//!   unless it has a state without a path to the error, which must stay ⊥.
//! - With `Compose::Trace`, processes without a part in a relaxed error trace are
//!   left out before anything is composed: see `relevance` and `trace`.
//! - A relation that neither moves nor blocks a process is forgotten: it no
//!   longer takes part in the label. A label that some participant can never
//!   take is forgotten altogether.

use homing_core::{Cost, DEAD_END};

use super::process::{Quotient, abstract_process};
use super::processes::{Parts, Process, Processes, Relation, is_identity};
use super::product::{Limits, NONE, Product, TooLarge};
use super::relevance::on_relaxed_trace;
use super::strategy::Strategy;
use super::tables::{Root, Tree};
use super::{Compose, Options, trace};
use crate::hashing::FixedMap;

/// Computes α and d_A as tables, or nothing where no error is reachable in the
/// abstraction.
///
/// `owners` says for every process which of the system's own it belongs to.
pub(crate) fn abstract_system(
    processes: Processes,
    owners: &[Option<u32>],
    options: &Options,
    memory: usize,
) -> Result<Option<Tree>, TooLarge> {
    let mut system = AbstractSystem::new(processes, options, memory);
    if !system.abstract_each()? {
        return Ok(None);
    }
    if options.compose == Compose::Trace {
        let Some(matters) = on_relaxed_trace(&system.processes) else { return Ok(None) };
        system.leave_out(&matters);
    }
    if !system.compose_owned(owners)? {
        return Ok(None);
    }
    system.leave_out_unconnected();
    system.compose_and_abstract()
}

struct AbstractSystem<'a> {
    processes: Processes,
    options: &'a Options,
    limits: Limits,
    /// What tables may take.
    memory: usize,
    /// The processes that are left, in the order of definition.
    candidates: Vec<u32>,
    /// For every process, whether some reachable state of it became ⊥.
    dead_ends: Vec<bool>,
    tree: Tree,
}

impl<'a> AbstractSystem<'a> {
    fn new(processes: Processes, options: &'a Options, memory: usize) -> AbstractSystem<'a> {
        // A pair takes a number and a place in a table, an edge is kept
        // forwards and backwards.
        let limits = Limits { pairs: (memory / 8).min(1 << 28), edges: (memory / 16).min(1 << 27) };
        let candidates = (0..processes.all.len() as u32).collect();
        let (dead_ends, tree) = (vec![], Tree::default());
        AbstractSystem { processes, options, limits, memory, candidates, dead_ends, tree }
    }

    /// Leaves processes out: whatever they do in a label, it can happen.
    fn leave_out(&mut self, matters: &[bool]) {
        self.candidates.retain(|number| matters[*number as usize]);
        let mut known: FixedMap<(Cost, Parts), ()> = FixedMap::default();
        for (cost, mut parts) in std::mem::take(&mut self.processes.labels) {
            parts.retain(|(process, _)| matters[*process as usize]);
            if !parts.is_empty() && known.insert((cost, parts.clone()), ()).is_none() {
                self.processes.labels.push((cost, parts));
            }
        }
    }

    /// Abstracts every variable by itself. Whether an error may be reachable.
    fn abstract_each(&mut self) -> Result<bool, TooLarge> {
        for number in 0..self.processes.all.len() as u32 {
            let product = Product::new(&self.processes, number, None, self.limits)?;
            let quotient = abstract_process(&product, self.options);
            if quotient.classes == 0 {
                return Ok(false);
            }
            let map = product.numbers.iter().map(|number| class(&quotient, *number)).collect();
            let process = self.replace(number, &[number], &product, &quotient);
            self.processes.all[number as usize] = Some(process);
            self.tree.leaf(map);
            self.dead_ends.push(quotient.gamma.contains(&NONE));
        }
        Ok(true)
    }

    /// Composes what belongs to the same process of the system, as long as
    /// nothing gets lost.
    fn compose_owned(&mut self, owners: &[Option<u32>]) -> Result<bool, TooLarge> {
        let mut first: FixedMap<u32, u32> = FixedMap::default();
        for (number, owner) in (0..).zip(owners) {
            let Some(owner) = owner else { continue };
            if !self.candidates.contains(&number) {
                continue;
            }
            let Some(other) = first.get(owner).copied() else {
                first.insert(*owner, number);
                continue;
            };
            let size = |number: u32| u64::from(self.processes.get(number).states);
            if size(other) * size(number) <= u64::from(self.options.states) {
                let Some(composed) = self.compose(other, number)? else { return Ok(false) };
                first.insert(*owner, composed);
            }
        }
        Ok(true)
    }

    /// Leaves out the processes that cannot influence the distance.
    fn leave_out_unconnected(&mut self) {
        let mut matters: Vec<bool> = vec![false; self.processes.all.len()];
        for number in &self.candidates {
            let trivial = self.processes.get(*number).is_trivial();
            matters[*number as usize] = !trivial || self.dead_ends[*number as usize];
        }
        loop {
            let before = matters.iter().filter(|matters| **matters).count();
            for (_, parts) in &self.processes.labels {
                if parts.iter().any(|(process, _)| matters[*process as usize]) {
                    parts.iter().for_each(|(process, _)| matters[*process as usize] = true);
                }
            }
            if before == matters.iter().filter(|matters| **matters).count() {
                break;
            }
        }
        self.candidates.retain(|number| matters[*number as usize]);
        let connected = |parts: &[(u32, u32)]| parts.iter().all(|(p, _)| matters[*p as usize]);
        self.processes.labels.retain(|(_, parts)| connected(parts));
    }

    /// The loop of the algorithm, and the distances in what is left.
    fn compose_and_abstract(mut self) -> Result<Option<Tree>, TooLarge> {
        let mut strategy = Strategy::new(self.options.compose);
        while self.candidates.len() > 2 {
            let Some((first, second)) = strategy.choose(&self.processes, &self.candidates) else {
                self.candidates.retain(|number| !self.processes.get(*number).is_trivial());
                break;
            };
            let product = Product::new(&self.processes, first, Some(second), self.limits)?;
            if self.is_enough(first, second, &product) {
                self.candidates = vec![first, second];
                break;
            }
            if self.put(first, second, &product)?.is_none() {
                return Ok(None);
            }
        }
        let root = match self.candidates[..] {
            [] => Root::constant(0),
            [first, ..] => {
                let second = self.candidates.get(1).copied();
                let product = Product::new(&self.processes, first, second, self.limits)?;
                let distances = product.distances();
                if distances.first().is_none_or(|initial| *initial == DEAD_END) {
                    return Ok(None);
                }
                let rows = self.processes.get(first).states;
                Root::new(first, second, product.columns, bordered(&product, rows, &distances))
            }
        };
        self.tree.finish(root);
        if self.tree.bytes() > self.memory {
            return Err(TooLarge);
        }
        Ok(Some(self.tree))
    }

    /// Whether the product of two processes says all about the error: the others
    /// can be left out, so that it need not be abstracted.
    fn is_enough(&self, first: u32, second: u32, product: &Product) -> bool {
        let others = self.candidates.iter().filter(|other| ![first, second].contains(other));
        self.options.compose == Compose::Trace
            && others.map(|other| self.processes.get(*other)).all(Process::is_trivial)
            && trace::is_closed(product)
    }

    /// Composes two processes and abstracts the product, which gets a new
    /// number; none where no error is reachable in it.
    fn compose(&mut self, first: u32, second: u32) -> Result<Option<u32>, TooLarge> {
        let product = Product::new(&self.processes, first, Some(second), self.limits)?;
        self.put(first, second, &product)
    }

    /// Puts the abstraction of their product in the place of two processes.
    fn put(&mut self, first: u32, second: u32, product: &Product) -> Result<Option<u32>, TooLarge> {
        let quotient = abstract_process(product, self.options);
        if quotient.classes == 0 {
            return Ok(None);
        }
        let number = self.processes.all.len() as u32;
        let rows = self.processes.get(first).states;
        let bottom = quotient.classes as u16;
        let border = |number: u32| {
            if number == NONE { bottom } else { class(&quotient, number) }
        };
        self.tree.node(first, second, product.columns, table(product, rows, bottom, border));
        if self.tree.bytes() > self.memory {
            return Err(TooLarge);
        }
        let process = self.replace(number, &[first, second], product, &quotient);
        self.processes.all[first as usize] = None;
        self.processes.all[second as usize] = None;
        self.processes.all.push(Some(process));
        let inherited = self.dead_ends[first as usize] || self.dead_ends[second as usize];
        self.dead_ends.push(inherited || quotient.gamma.contains(&NONE));
        let place = self.candidates.iter().position(|other| *other == first || *other == second);
        self.candidates.retain(|other| *other != first && *other != second);
        self.candidates.insert(place.unwrap_or(0), number);
        Ok(Some(number))
    }

    /// The quotient as a process, and the labels that now know it instead of
    /// `gone`.
    fn replace(
        &mut self,
        number: u32,
        gone: &[u32],
        product: &Product,
        quotient: &Quotient,
    ) -> Process {
        let mut error = vec![false; quotient.classes as usize];
        for (state, class) in quotient.gamma.iter().enumerate() {
            if *class != NONE {
                error[*class as usize] |= product.error[state];
            }
        }
        let mut known: FixedMap<Relation, u32> = FixedMap::default();
        let mut relations = vec![];
        // For every local label its relation, or none where nobody can tell
        // it from standing still; the outer option where it never happens.
        let mut outcome: Vec<Option<Option<u32>>> = vec![];
        for (pairs, label) in quotient_edges(product, quotient).into_iter().zip(&product.labels) {
            outcome.push(if pairs.is_empty() {
                None
            } else if is_identity(&pairs, quotient.classes) {
                Some(None)
            } else {
                let relation = Relation { cost: label.cost, pairs };
                let next = relations.len() as u32;
                let known = *known.entry(relation.clone()).or_insert(next);
                if known == next {
                    relations.push(relation);
                }
                Some(Some(known))
            });
        }
        let touched = |parts: &[(u32, u32)]| parts.iter().any(|(p, _)| gone.contains(p));
        self.processes.labels.retain(|(_, parts)| !touched(parts));
        let mut freed: FixedMap<(Cost, Parts), ()> = FixedMap::default();
        let mut bound = vec![];
        for (cost, outside, local) in &product.groups {
            match outcome[*local as usize] {
                None => {}
                Some(None) if outside.is_empty() => {}
                Some(None) => drop(freed.insert((*cost, outside.clone()), ())),
                Some(Some(relation)) => {
                    let mut parts = outside.clone();
                    parts.push((number, relation));
                    parts.sort_unstable();
                    bound.push((*cost, parts));
                }
            }
        }
        // Only what lost a participant may equal another label.
        self.processes.labels.retain(|label| freed.is_empty() || !freed.contains_key(label));
        let mut freed: Vec<(Cost, Parts)> = freed.into_keys().collect();
        freed.sort_unstable();
        self.processes.labels.extend(freed);
        self.processes.labels.extend(bound);
        Process { states: quotient.classes, initial: quotient.gamma[0], error, relations }
    }
}

/// For every local label, its pairs of classes. Internal steps that stay in a
/// class are left out.
fn quotient_edges(product: &Product, quotient: &Quotient) -> Vec<Vec<(u32, u32)>> {
    let mut by_class: Vec<(u32, u32)> = (0..).zip(&quotient.gamma).map(|(q, c)| (*c, q)).collect();
    by_class.sort_unstable();
    let mut pairs = vec![vec![]; product.labels.len()];
    // For every label and target, the class last seen to go there.
    let mut seen = vec![NONE; product.labels.len() * quotient.classes as usize];
    for (from, state) in by_class {
        if from == NONE {
            break;
        }
        for (label, to) in product.edges(state) {
            let to = quotient.gamma[*to as usize];
            if to == NONE || to == from && product.labels[*label as usize].internal {
                continue;
            }
            let seen = &mut seen[*label as usize * quotient.classes as usize + to as usize];
            if *seen != from {
                *seen = from;
                pairs[*label as usize].push((from, to));
            }
        }
    }
    pairs.iter_mut().for_each(|pairs| pairs.sort_unstable());
    pairs
}

/// The class of a reachable state, as tables hold it: ⊥ is the number after
/// the last class.
fn class(quotient: &Quotient, number: u32) -> u16 {
    let class = if number == NONE { NONE } else { quotient.gamma[number as usize] };
    class.min(quotient.classes) as u16
}

/// A value for every pair, and `bottom` in one more row and one more column,
/// where a factor is ⊥.
fn table<T: Copy>(product: &Product, rows: u32, bottom: T, value: impl Fn(u32) -> T) -> Vec<T> {
    let mut table = Vec::with_capacity((rows as usize + 1) * (product.columns as usize + 1));
    for row in product.numbers.chunks(product.columns as usize) {
        table.extend(row.iter().map(|number| value(*number)));
        table.push(bottom);
    }
    table.resize((rows as usize + 1) * (product.columns as usize + 1), bottom);
    table
}

fn bordered(product: &Product, rows: u32, distances: &[Cost]) -> Vec<Cost> {
    let distance = |number: u32| {
        if number == NONE { DEAD_END } else { distances[number as usize] }
    };
    table(product, rows, DEAD_END, distance)
}
