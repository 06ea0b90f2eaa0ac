//! Which variables make a pattern.
//!
//! A pattern starts with variables of the goal. What is added next are the
//! variables that take part in the steps that change it (they may forbid them),
//! nearest first, as long as the table stays within its bound.

use std::collections::BTreeSet;

use crate::abstraction::processes::Processes;

/// Who influences whom.
pub(crate) struct Causes {
    /// For every variable, those that take part in labels that change it.
    of: Vec<BTreeSet<u32>>,
    sizes: Vec<u32>,
    /// The variables with an error condition.
    goals: Vec<u32>,
    /// For every label, the variables it changes.
    changes: BTreeSet<Vec<u32>>,
}

impl Causes {
    pub(crate) fn new(processes: &Processes) -> Causes {
        let vars = 0..processes.all.len() as u32;
        let mut of = vec![BTreeSet::new(); processes.all.len()];
        let mut changes = BTreeSet::new();
        for (_, parts) in &processes.labels {
            let moves = |(var, relation): &(u32, u32)| {
                let pairs = &processes.get(*var).relations[*relation as usize].pairs;
                pairs.iter().any(|(from, to)| from != to).then_some(*var)
            };
            let changed: Vec<u32> = parts.iter().filter_map(moves).collect();
            for var in &changed {
                of[*var as usize].extend(parts.iter().map(|(var, _)| *var));
            }
            changes.insert(changed);
        }
        Causes {
            of,
            sizes: vars.clone().map(|var| processes.get(var).states).collect(),
            goals: vars.filter(|var| !processes.get(*var).is_trivial()).collect(),
            changes,
        }
    }

    /// A pattern around every variable of the goal, each once.
    pub(crate) fn around_each_goal(&self, limit: u32, most: usize) -> Vec<Vec<u32>> {
        let mut patterns: Vec<Vec<u32>> = vec![];
        for goal in self.goals.iter().take(most) {
            let pattern = self.grow(std::slice::from_ref(goal), limit, |var| vec![var]);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        patterns
    }

    /// The automata nearest the error: one pattern around the whole goal, to
    /// which variables are added together with the others of their process.
    pub(crate) fn nearest(&self, limit: u32, owners: &[Option<u32>]) -> Vec<u32> {
        self.grow(&self.goals, limit, |var| {
            let owner = owners[var as usize];
            let mine = (0..).zip(owners).filter(|(_, other)| owner.is_some() && **other == owner);
            let others = mine.map(|(other, _)| other).filter(|other| *other != var);
            std::iter::once(var).chain(others).collect()
        })
    }

    /// Adds what influences the pattern, layer by layer, each variable with
    /// its company; what is too large is left out.
    fn grow(&self, start: &[u32], limit: u32, company: impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
        let mut pattern: Vec<u32> = vec![];
        let mut size = 1_u64;
        let mut queue: Vec<u32> = start.to_vec();
        let mut seen: BTreeSet<u32> = queue.iter().copied().collect();
        let mut next = 0;
        while next < queue.len() {
            homing_budget::checkpoint();
            for var in company(queue[next]) {
                let larger = size * u64::from(self.sizes[var as usize]);
                if larger > u64::from(limit) || pattern.contains(&var) {
                    continue;
                }
                size = larger;
                pattern.push(var);
                for cause in &self.of[var as usize] {
                    if seen.insert(*cause) {
                        queue.push(*cause);
                    }
                }
            }
            next += 1;
        }
        pattern.sort_unstable();
        pattern
    }

    /// Groups of patterns whose distances may be added up, because no step
    /// changes two of them: for every pattern one, with all that fit.
    pub(crate) fn additive(&self, patterns: &[Vec<u32>]) -> Vec<Vec<usize>> {
        let touches = |pattern: &[u32], changed: &[u32]| {
            changed.iter().any(|var| pattern.binary_search(var).is_ok())
        };
        let apart = |one: usize, other: usize| {
            let (one, other) = (&patterns[one], &patterns[other]);
            !self.changes.iter().any(|c| touches(one, c) && touches(other, c))
        };
        let mut groups: BTreeSet<Vec<usize>> = BTreeSet::new();
        for first in 0..patterns.len() {
            let mut group = vec![first];
            for other in (0..patterns.len()).filter(|other| *other != first) {
                homing_budget::checkpoint();
                if group.iter().all(|member| apart(*member, other)) {
                    group.push(other);
                }
            }
            group.sort_unstable();
            groups.insert(group);
        }
        groups.into_iter().collect()
    }
}
