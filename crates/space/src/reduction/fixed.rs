//! The static first stage.
//!
//! Holzmann, Peled, "An improvement in formal verification" (FORTE 1994): a
//! process is at a *safe* place if no step of any other process, now or later, has
//! to do with what it can do there. Then its steps are enough. Decided once, for
//! every process and location:
//!
//! ```text
//! safe(p, l), S being the labels of p at l:
//!   S are steps of p alone, and none is visible
//!   each label of S accords with all labels outside S
//!   whatever a label of S waits for, only p itself can bring about
//! ```

use homing_ir::dependence::{Dependence, LabelSet};
use homing_ir::moves::Move;

use crate::CompiledSpace;

/// For every component and location its labels there, where it is safe.
pub(super) struct Fixed {
    pub at: Vec<Vec<Option<LabelSet>>>,
}

impl Fixed {
    pub fn of(space: &CompiledSpace, dependence: &Dependence, visible: &LabelSet) -> Fixed {
        let (system, moves) = (space.system(), space.moves());
        let none = |component: &homing_ir::system::Component| {
            vec![LabelSet::new(dependence.labels()); component.committed.len()]
        };
        let mut labels: Vec<Vec<LabelSet>> = system.components.iter().map(none).collect();
        let mut of_component = vec![LabelSet::new(dependence.labels()); system.components.len()];
        for (label, one) in (0..).zip(&moves.list) {
            for part in one.parts(system) {
                let part = system.part(part);
                labels[part.component.index()][part.from as usize].insert(label);
                of_component[part.component.index()].insert(label);
            }
        }
        let is_safe = |component: usize, here: &LabelSet| {
            let alone = |label| matches!(moves.list[label as usize], Move::Alone(_));
            let mut within = of_component[component].clone();
            within.extend(here);
            let accords = |label: u32| !meets_outside(dependence.disturbing(label), here);
            let waits = |label: u32| {
                let needs = dependence.conditions(label).iter();
                let mut enabling = needs.map(|condition| dependence.enabling(*condition));
                let touching = dependence.touching(label);
                enabling.any(|set| meets_outside(set, &within))
                    || touching.is_some_and(|set| meets_outside(set, &within))
            };
            !here.is_empty()
                && !here.meets(visible)
                && here.iter().all(|label| alone(label) && accords(label) && !waits(label))
        };
        let at = labels.into_iter().enumerate().map(|(component, locations)| {
            let keep = |here: LabelSet| is_safe(component, &here).then_some(here);
            locations.into_iter().map(keep).collect()
        });
        Fixed { at: at.collect() }
    }
}

/// Whether some label of `set` is not in `within`.
fn meets_outside(set: &LabelSet, within: &LabelSet) -> bool {
    set.words().iter().zip(within.words()).any(|(a, b)| a & !b != 0)
}
