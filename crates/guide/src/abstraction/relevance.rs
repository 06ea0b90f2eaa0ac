//! Which processes matter: those that take part in a relaxed error trace.
//!
//! Kupferschmid, Hoffmann, Larsen, "Fast Directed Model Checking via Russian Doll
//! Abstraction" (2008), keep the automata that a relaxed error path passes through. The
//! relaxation is that of h^add (Bonet, Geffner, "Planning as Heuristic Search", 2001): a
//! process that came to a state can be thought to be still there.
//!
//! ```text
//! cost(p, s) := 0 for initial states, ∞ for others
//! repeat for every label a, participant p and step s →a s' of it, until nothing changes:
//!     cost(p, s') := min with c(a) + cost(p, s) + Σ_{q ≠ p} min {cost(q, t) | t has an a-step}
//! needed := the cheapest error state of every process
//! for every (p, s) needed: its best label's participants matter, and what they start from
//!     is needed
//! then for every process that matters and has no error condition: does the error stay
//!     reachable without it?  if so, it does not matter
//! ```
//!
//! The last step is ours: of two processes that may do the same, say of two clients
//! that may send a request, the cheapest ways often take one here and the other there.

use homing_core::Cost;

use super::processes::{Processes, Relation};

/// Not reached.
const NEVER: u64 = u64::MAX;

/// For every process whether it takes part in a relaxed error trace; none where
/// there is no such trace, so that the error cannot be reached.
pub(crate) fn on_relaxed_trace(processes: &Processes) -> Option<Vec<bool>> {
    let mut relaxation = Relaxation::of(processes, |_| true);
    let mut matters = relaxation.extract()?;
    let mut work = 0;
    for number in 0..matters.len() {
        if matters[number] && processes.get(number as u32).is_trivial() && work < MOST_WORK {
            matters[number] = false;
            relaxation = Relaxation::of(processes, |process| matters[process as usize]);
            work += relaxation.work;
            match relaxation.extract() {
                Some(fewer) => matters = fewer,
                None => matters[number] = true,
            }
        }
    }
    Some(matters)
}

/// How many looks at labels may be spent on doing without processes.
const MOST_WORK: usize = 1 << 22;

/// What it costs to get to a state, and the label and the state it is reached by.
type Reached = (u64, Option<(u32, u32)>);

struct Relaxation<'a> {
    processes: &'a Processes,
    /// The labels that may happen.
    labels: Vec<u32>,
    /// For every process, by its state.
    reached: Vec<Vec<Reached>>,
    /// For every process when it last changed, and for every label when it was
    /// last looked at.
    changed: Vec<usize>,
    looked: Vec<usize>,
    /// How many looks there were.
    work: usize,
}

impl<'a> Relaxation<'a> {
    /// The cheapest ways with the processes that `may` take part.
    fn of(processes: &'a Processes, may: impl Fn(u32) -> bool) -> Relaxation<'a> {
        let initially = |number: u32| {
            let process = processes.get(number);
            let mut reached = vec![(NEVER, None); process.states as usize];
            reached[process.initial as usize].0 = 0;
            reached
        };
        let reached = (0..processes.all.len() as u32).map(initially).collect();
        let labels = (0..).zip(&processes.labels);
        let labels =
            labels.filter(|(_, (_, parts))| parts.iter().all(|(process, _)| may(*process)));
        let labels: Vec<u32> = labels.map(|(label, _)| label).collect();
        let (changed, looked) = (vec![1; processes.all.len()], vec![0; labels.len()]);
        let mut relaxation = Relaxation { processes, labels, reached, changed, looked, work: 1 };
        while relaxation.propagate() {}
        relaxation
    }

    fn relation(&self, (process, relation): (u32, u32)) -> &'a Relation {
        &self.processes.get(process).relations[relation as usize]
    }

    /// The cheapest state that a participant can take its step from.
    fn source(&self, part: (u32, u32)) -> (u64, u32) {
        let reached = &self.reached[part.0 as usize];
        let froms = self.relation(part).pairs.iter().map(|(from, _)| *from);
        froms.map(|from| (reached[from as usize].0, from)).min().unwrap_or((NEVER, 0))
    }

    /// Looks at every label with a participant that changed. Whether anything
    /// changes.
    fn propagate(&mut self) -> bool {
        let (processes, mut again) = (self.processes, false);
        let mut sources = vec![];
        for i in 0..self.labels.len() {
            let label = self.labels[i];
            let (cost, parts) = &processes.labels[label as usize];
            if parts.iter().all(|(process, _)| self.changed[*process as usize] <= self.looked[i]) {
                continue;
            }
            homing_budget::checkpoint();
            self.work += 1;
            self.looked[i] = self.work;
            sources.clear();
            sources.extend(parts.iter().map(|part| self.source(*part).0));
            if sources.contains(&NEVER) {
                continue;
            }
            for (i, part) in parts.iter().enumerate() {
                let others = sources[..i].iter().chain(&sources[i + 1..]);
                let others = others.fold(0, |sum: u64, cost| sum.saturating_add(*cost));
                if self.steps(label, *part, *cost, others) {
                    self.changed[part.0 as usize] = self.work + 1;
                    again = true;
                }
            }
        }
        again
    }

    /// The steps of one participant, given what the others cost.
    fn steps(&mut self, label: u32, part: (u32, u32), cost: Cost, others: u64) -> bool {
        let mut changed = false;
        let relation = self.relation(part);
        let reached = &mut self.reached[part.0 as usize];
        for (from, to) in &relation.pairs {
            let before = reached[*from as usize].0;
            let through = before.saturating_add(others).saturating_add(u64::from(cost));
            // Without a cost of its own a step must not support itself.
            let through = through.saturating_add(1).min(NEVER - 1);
            if before != NEVER && through < reached[*to as usize].0 {
                reached[*to as usize] = (through, Some((label, *from)));
                changed = true;
            }
        }
        changed
    }

    fn extract(&self) -> Option<Vec<bool>> {
        let mut matters = vec![false; self.reached.len()];
        let mut needed: Vec<(u32, u32)> = vec![];
        for number in 0..self.reached.len() as u32 {
            let process = self.processes.get(number);
            if !process.is_trivial() {
                let errors = (0..process.states).filter(|state| process.error[*state as usize]);
                let cost = |state: u32| self.reached[number as usize][state as usize].0;
                let (cost, state) = errors.map(|state| (cost(state), state)).min()?;
                if cost == NEVER {
                    return None;
                }
                matters[number as usize] = true;
                needed.push((number, state));
            }
        }
        let mut known: Vec<Vec<bool>> = self.reached.iter().map(|r| vec![false; r.len()]).collect();
        while let Some((number, state)) = needed.pop() {
            if std::mem::replace(&mut known[number as usize][state as usize], true) {
                continue;
            }
            let Some((label, from)) = self.reached[number as usize][state as usize].1 else {
                continue;
            };
            needed.push((number, from));
            for part in &self.processes.labels[label as usize].1 {
                matters[part.0 as usize] = true;
                if part.0 != number {
                    needed.push((part.0, self.source(*part).1));
                }
            }
        }
        Some(matters)
    }
}
