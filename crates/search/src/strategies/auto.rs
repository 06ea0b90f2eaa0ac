//! The planner's row. The plan is carried out by whoever knows the model; see
//! [`crate::alternating`] for its first part.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;

use super::best::Ordered;
use crate::alternating::Shares;
use crate::best_first::Rank;
use crate::strategy::{Plan, Strategy, StrategyBuilder, at_least, blind};

/// The row.
pub const AUTO: Row<StrategyBuilder> = Row {
    name: "auto",
    kind: Kind::Strategy,
    about: "decides by itself: directed searches, a dive and a blind search in turn, over one visited set; what is found is made shorter until it is proven shortest or the budget is spent",
    cite: "",
    parameters: &[
        Parameter {
            name: "probe",
            about: "expansions before anything is estimated",
            default: "20",
        },
        Parameter {
            name: "share",
            about: "what directed searches may take beyond a blind one that made n successors, times n^(3/4)",
            default: "8",
        },
        Parameter {
            name: "head",
            about: "what they may take before that, in successors of a blind search",
            default: "200000",
        },
        Parameter {
            name: "improve",
            about: "expansions spent on a shorter trace; 0: none",
            default: "ten times what finding it took",
        },
    ],
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
            probe: call.number("probe", 20)?,
            share: at_least(call, "share", 8, 1)?,
            head: call.number("head", 200_000)?,
            slice: (2_000, 1_000_000),
            sample: 200,
            first: 60_000,
        },
        improve: call.named("improve").map(|_| call.number("improve", 0)).transpose()?,
    };
    let names = &["probe", "share", "head", "improve"];
    call.allow_named(names)?;
    let strategy = blind(call, names, Ordered::by(Rank::Depth))?;
    Ok(Strategy { plan: Plan::Auto(auto), ..strategy })
}
