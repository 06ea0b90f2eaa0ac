//! The planner's row. The plan is carried out by whoever knows the model; see
//! [`crate::alternating`] for its first part.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;

use super::best::Ordered;
use crate::alternating::Shares;
use crate::best_first::Rank;
use crate::strategy::{Plan, Strategy, StrategyBuilder, blind};

const PROBE: Parameter = Parameter {
    name: "probe",
    about: "expansions before a guide is made, where none is made at once",
    default: "20",
};

const SHARE: Parameter = Parameter {
    name: "share",
    about: "what directed searches may take beyond a blind one that made n successors, times n^(3/4)",
    default: "8",
};

const HEAD: Parameter = Parameter {
    name: "head",
    about: "what they may take before that, in successors of a blind search",
    default: "200000",
};

const IMPROVE: Parameter = Parameter {
    name: "improve",
    about: "expansions spent on a shorter trace; 0: none",
    default: "ten times what finding it took",
};

/// The row.
pub const AUTO: Row<StrategyBuilder> = Row {
    name: "auto",
    kind: Kind::Strategy,
    about: "decides by itself: directed searches, a dive and a blind search in turn, over one visited set; what is found is made shorter until it is proven shortest or the budget is spent",
    cite: "",
    parameters: &[PROBE, SHARE, HEAD, IMPROVE],
    needs: &[],
    gives: &[Capability::Complete, Capability::Reduces],
    uses: &[],
    build,
};

/// What the planner may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Auto {
    /// How the blind search and the others share the work.
    pub shares: Shares,
    /// Expansions spent on a shorter trace, where the user says so.
    pub improve: Option<u64>,
}

/// How many times the expansions that finding a trace took are spent on a shorter one.
const EFFORT: u64 = 10;

/// At least so many are.
const LEAST_EFFORT: u64 = 200_000;

impl Auto {
    /// The expansions that are spent on a shorter trace than one found after so many.
    pub fn effort(&self, expanded: u64) -> u64 {
        self.improve.unwrap_or(expanded.saturating_mul(EFFORT).max(LEAST_EFFORT))
    }
}

fn build(call: &Call, _: u64) -> Result<Strategy, String> {
    let auto = Auto {
        shares: Shares {
            probe: PROBE.number(call)?,
            share: SHARE.at_least(call, 1)?,
            head: HEAD.number(call)?,
            slice: (2_000, 1_000_000),
            sample: 200,
            first: 60_000,
        },
        improve: call.named(IMPROVE.name).map(|_| IMPROVE.number(call)).transpose()?,
    };
    let names = &[PROBE.name, SHARE.name, HEAD.name, IMPROVE.name];
    call.allow_named(names)?;
    let strategy = blind(call, names, Ordered::by(Rank::Depth))?;
    Ok(Strategy { plan: Plan::Auto(auto), ..strategy })
}
