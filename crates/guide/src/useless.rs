//! Useless transitions (UT): a step is useless if the goal is as near without
//! it.
//!
//! Wehrle, Kupferschmid, Podelski, "Useless Actions are Useful" (ICAPS 2008);
//! "Transition-based Directed Model Checking" (TACAS 2009). t is useless in s
//! if it starts no shortest error trace from s, that is if the distance from s
//! in the system *without* t is no greater than that from t(s). Both are
//! estimated:
//!
//! ```text
//! t is (relatively) useless in s  iff  h(s, T \ {t}) ≤ h(t(s), T)
//! ```
//! States reached by useless steps wait in a queue of their own, or, with one
//! queue, behind others of equal estimate.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Edge, Heuristic, Level, Preference, Taken};

use crate::PreferenceBuilder;

pub(crate) const ROW: Row<PreferenceBuilder> = Row {
    name: "useless",
    kind: Kind::Preference,
    about: "useless transitions (UT): last the steps without which the goal seems as near",
    cite: "Wehrle, Kupferschmid, Podelski 2008, 2009",
    parameters: &[QUEUES],
    needs: &[Capability::LeavesOut],
    gives: &[Capability::Complete],
    uses: &[],
    build: |_, call| Ok(Box::new(Useless { queues: Queues::parse(call)? })),
};

pub(crate) const QUEUES: Parameter = Parameter {
    name: "queues",
    about: "2: the others wait until no preferred state is left; 1: they only lose ties",
    default: "2",
};

/// How states that are not preferred wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Queues {
    One,
    Two,
}

impl Queues {
    /// The parameter `queues`, the only one of a preference.
    pub(crate) fn parse(call: &Call) -> Result<Queues, String> {
        call.allow_named(&[QUEUES.name])?;
        match QUEUES.number(call)? {
            1 => Ok(Queues::One),
            2 => Ok(Queues::Two),
            other => Err(format!("`{}` has one queue or two, not {other}", call.name)),
        }
    }

    pub(crate) fn level(self, preferred: bool) -> Level {
        let behind = u8::from(!preferred);
        match self {
            Queues::One => Level { queue: 0, tie: behind },
            Queues::Two => Level { queue: behind.into(), tie: 0 },
        }
    }
}

struct Useless {
    queues: Queues,
}

impl Preference for Useless {
    fn initial(&self) -> u32 {
        0
    }

    fn mark(&self, _mark: u32, _edge: Edge) -> u32 {
        0
    }

    fn level(&self, taken: &Taken, heuristic: Option<&mut (dyn Heuristic + '_)>) -> Level {
        let without = heuristic.and_then(|h| h.without(taken.from, taken.edge.label));
        self.queues.level(without.is_none_or(|without| without > taken.estimate))
    }

    fn has_ties(&self) -> bool {
        self.queues == Queues::One
    }
}
