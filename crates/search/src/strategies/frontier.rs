//! Frontier search with locality: breadth-first, most layers forgotten; see
//! the layered kernel.
//!
//! Its verdicts and lengths do not depend on the locality. One that is too
//! small makes it search states again, which it notices, says, and puts an end
//! to.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};

use crate::layered::{Keeping, Layered, Round};
use crate::strategy::{Algorithm, Context, StrategyBuilder, blind};
use crate::task::Outcome;

const LOCALITY: Parameter = Parameter {
    name: "locality",
    about: "how many of the last layers are all kept, the one being expanded included; 0: as many as prove to be needed",
    default: "0",
};

const RELAY: Parameter = Parameter {
    name: "relay",
    about: "how close to each other older layers are kept, to find paths again and to recognise states: a layer whose number 2ᵏ divides goes after `relay` · 2ᵏ more; 0: as close as proves to be needed",
    default: "0",
};

/// Frontier search.
pub const FRONTIER: Row<StrategyBuilder> = Row {
    name: "frontier",
    kind: Kind::Strategy,
    about: "frontier search: breadth-first with only the last layers and a few relay layers in memory; the trace is a shortest one",
    cite: "Korf, Zhang, Thayer, Hohwald 2005",
    parameters: &[LOCALITY, RELAY],
    needs: &[Capability::Exact],
    gives: &[Capability::Complete, Capability::Shortest, Capability::MemoryBounded],
    uses: &[],
    build: |call, _| {
        call.allow_named(&[LOCALITY.name, RELAY.name])?;
        let layers = |of: Parameter| -> Result<u32, String> {
            let layers = of.number(call)?;
            u32::try_from(layers).map_err(|_| format!("`{}` of `frontier` is too large", of.name))
        };
        let keeping = Keeping { locality: layers(LOCALITY)?, relay: layers(RELAY)? };
        blind(call, &[LOCALITY.name, RELAY.name], Frontier { keeping })
    },
};

#[derive(Debug)]
struct Frontier {
    keeping: Keeping,
}

impl Algorithm for Frontier {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let mut search = Layered::new(run);
        let end = search.round(Round { keeping: self.keeping, bound: None, width: None });
        search.outcome(end)
    }
}
