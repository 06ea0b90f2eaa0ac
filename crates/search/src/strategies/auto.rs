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
    about: "decides by itself: blind at first, then blind and directed in turn; what is found is made shorter until it is proven shortest or the budget is spent",
    cite: "",
    parameters: &[
        Parameter {
            name: "probe",
            about: "expansions before anything is estimated",
            default: "1000000",
        },
        Parameter {
            name: "share",
            about: "the directed search's share of the blind one's work, in percent",
            default: "8",
        },
        Parameter {
            name: "improve",
            about: "expansions spent on a shorter trace where no time limit is given",
            default: "3000000",
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
    /// How the blind and the directed search share the work.
    pub shares: Shares,
    /// Expansions spent on a shorter trace, where time does not say.
    pub improve: u64,
}

fn build(call: &Call, _: u64) -> Result<Strategy, String> {
    let auto = Auto {
        shares: Shares {
            probe: call.number("probe", 1_000_000)?,
            share: at_least(call, "share", 8, 1)?,
            slice: 1_000_000,
            sample: 5_000,
        },
        improve: call.number("improve", 3_000_000)?,
    };
    call.allow_named(&["probe", "share", "improve"])?;
    let strategy = blind(call, &["probe", "share", "improve"], Ordered::by(Rank::Depth))?;
    Ok(Strategy { plan: Plan::Auto(auto), ..strategy })
}
