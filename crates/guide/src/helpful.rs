//! Helpful transitions: first the steps that start the solution of the
//! simplified problem.
//!
//! Hoffmann, Nebel, "The FF Planning System" (JAIR 2001), helpful actions;
//! Helmert, "The Fast Downward Planning System" (JAIR 2006), preferred
//! operators. An estimate that solves a relaxed problem from s, such as h^U,
//! knows which transitions of s its relaxed trace starts with.

use homing_core::catalogue::{Capability, Kind, Row};
use homing_core::{Edge, Heuristic, Level, Preference, Taken};

use crate::PreferenceBuilder;
use crate::useless::{QUEUES, Queues};

pub(crate) const ROW: Row<PreferenceBuilder> = Row {
    name: "helpful",
    kind: Kind::Preference,
    about: "helpful transitions: first the steps that start the relaxed trace of the estimate",
    cite: "Hoffmann, Nebel 2001; Helmert 2006",
    parameters: &[QUEUES],
    needs: &[Capability::Helpful],
    gives: &[Capability::Complete],
    uses: &[],
    build: |_, call| Ok(Box::new(Helpful { queues: Queues::parse(call)? })),
};

struct Helpful {
    queues: Queues,
}

impl Preference for Helpful {
    fn initial(&self) -> u32 {
        0
    }

    fn mark(&self, _mark: u32, _edge: Edge) -> u32 {
        0
    }

    fn level(&self, taken: &Taken, heuristic: Option<&mut (dyn Heuristic + '_)>) -> Level {
        let helpful = heuristic.and_then(|h| h.helpful(taken.from, taken.edge.label));
        self.queues.level(helpful.unwrap_or(true))
    }

    fn has_ties(&self) -> bool {
        self.queues == Queues::One
    }
}
