//! The best that was found so far, of everything that is looked for.

use homing_core::{Column, Fault, Id, Price, Store};

use crate::nodes::Nodes;
use crate::task::{Finding, Findings, Task};

/// Something found: where, and the step that fails there.
#[derive(Clone, Copy)]
pub(super) struct Met {
    pub at: Id,
    pub fault: Option<Fault>,
}

/// The place of a state without a step.
pub(super) const DEADLOCK: usize = 64;

/// The place of a step that fails.
pub(super) const FAULT: usize = 65;

/// The best of every condition, by its bit; then of states without a step, and of steps
/// that fail.
pub(super) struct Best {
    met: [Option<Met>; 66],
    /// What the worst of them costs, once all was found.
    pub worst: Option<Price>,
}

impl Default for Best {
    fn default() -> Best {
        Best { met: [None; 66], worst: None }
    }
}

impl Best {
    /// Notes what was found, if it is better than what is known.
    pub fn note(&mut self, task: &Task, g: &Column<u32>, wanted: usize, met: Met) {
        if self.met[wanted].is_none_or(|known| cost(g, met) < cost(g, known)) {
            self.met[wanted] = Some(met);
        }
        self.worst = self.worst_of_all(task, g);
    }

    fn worst_of_all(&self, task: &Task, g: &Column<u32>) -> Option<Price> {
        let mut costs = wanted(task).map(|wanted| self.met[wanted].map(|met| cost(g, met)));
        let first = costs.next()??;
        costs.try_fold(first, |worst, cost| Some(worst.max(cost?)))
    }

    /// The cost of the best of all.
    pub fn least(&self, task: &Task, g: &Column<u32>) -> Option<Price> {
        wanted(task).filter_map(|wanted| self.met[wanted]).map(|met| cost(g, met)).min()
    }

    /// The ways to all that was found.
    pub fn findings(&self, task: &Task, nodes: &Nodes, store: &dyn Store) -> Findings {
        let mut findings = Findings::default();
        for wanted in wanted(task) {
            let Some(met) = self.met[wanted] else { continue };
            let mut expander = task.space.expander();
            let (origin, width) = (nodes.origin_of(met.at.0), task.space.width());
            let path = nodes.path(store, origin, &mut *expander, width, None);
            // A way that cannot be found again is left empty; replaying it will not
            // confirm the finding.
            let finding = Finding { path: path.unwrap_or_default(), fault: met.fault };
            match wanted {
                DEADLOCK => findings.deadlock = Some(finding),
                FAULT => findings.fault = Some(finding),
                bit => findings.found(1 << bit, &finding.path),
            }
        }
        findings
    }
}

/// What is looked for, by its place.
fn wanted(task: &Task) -> impl Iterator<Item = usize> + use<> {
    let Task { conditions, deadlock, fault, .. } = *task;
    let bits = (0..64).filter(move |bit| conditions >> bit & 1 == 1);
    bits.chain(deadlock.then_some(DEADLOCK)).chain(fault.then_some(FAULT))
}

fn cost(g: &Column<u32>, met: Met) -> Price {
    Price::from(g.get(met.at)) + Price::from(met.fault.is_some())
}
