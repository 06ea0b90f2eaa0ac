//! The static first stage.
//!
//! Holzmann, Peled, "An improvement in formal verification" (FORTE 1994): a
//! process is at a *safe* place if no step of any other process, now or later, has
//! to do with what it can do there. Then its steps are an ample set. Decided once, for
//! every process and location:
//!
//! ```text
//! safe(p, l), S being the labels of p at l:
//!   S are steps of p alone, and none is visible
//!   each label of S accords with all labels outside S
//!   whatever a label of S waits for, only p itself can bring about
//! ```

use homing_core::Word;
use homing_ir::dependence::{Dependence, LabelSet};
use homing_ir::layout::Field;
use homing_ir::moves::Move;

use crate::CompiledSpace;

/// The components that are safe somewhere.
pub(super) struct Fixed {
    pub places: Vec<Places>,
}

/// Where a component is safe.
pub(super) struct Places {
    /// Where in a state its location is.
    location: Field,
    /// For every location its labels there, where it is safe.
    at: Vec<Option<LabelSet>>,
}

impl Places {
    /// The labels of the component in a state, where it is safe.
    #[inline]
    pub fn here(&self, state: &[Word]) -> Option<&LabelSet> {
        self.at[self.location.get(state) as usize].as_ref()
    }
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
            homing_budget::checkpoint();
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
        let places = labels.into_iter().enumerate().map(|(component, locations)| {
            let keep = |here: LabelSet| is_safe(component, &here).then_some(here);
            let slot = system.components[component].location;
            let location = space.layout().fields[slot.index()];
            Places { location, at: locations.into_iter().map(keep).collect() }
        });
        let somewhere = |places: &Places| places.at.iter().any(Option::is_some);
        Fixed { places: places.filter(somewhere).collect() }
    }
}

/// Whether some label of `set` is not in `within`.
fn meets_outside(set: &LabelSet, within: &LabelSet) -> bool {
    set.words().iter().zip(within.words()).any(|(a, b)| a & !b != 0)
}
