//! Beam-stack search: a beam that backtracks, see the layered kernel's `beam`.
//!
//! It finds a first way as fast as a beam does, and better ones while it goes
//! back for what the beam left out. When nothing is left, the best one found is
//! a shortest, or there is none.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};

use crate::layered::{Keeping, Layered, Round};
use crate::strategy::{Algorithm, Context, ESTIMATE, StrategyBuilder, directed};
use crate::task::Outcome;

const WIDTH: Parameter = Parameter {
    name: "width",
    about: "how many states of a layer are followed at a time",
    default: "10000",
};

/// Beam-stack search.
pub const BEAM_STACK: Row<StrategyBuilder> = Row {
    name: "beam-stack",
    kind: Kind::Strategy,
    about: "beam-stack search: the most promising states of each layer, then the others; a trace soon, then shorter ones, at last a shortest",
    cite: "Zhou, Hansen 2005",
    parameters: &[ESTIMATE, WIDTH],
    needs: &[Capability::Exact],
    gives: &[
        Capability::Complete,
        Capability::Directed,
        Capability::Optimal,
        Capability::MemoryBounded,
    ],
    uses: &[],
    build: |call, _| {
        let width = WIDTH.at_least(call, 1)? as usize;
        directed(call, &[WIDTH.name], BeamStack { width })
    },
};

#[derive(Debug)]
struct BeamStack {
    width: usize,
}

impl Algorithm for BeamStack {
    fn run(&self, run: Context<'_, '_>) -> Outcome {
        let mut search = Layered::new(run);
        let width = Some(self.width);
        let end = search.round(Round { keeping: Keeping::ALL, bound: None, width });
        search.outcome(end)
    }
}
