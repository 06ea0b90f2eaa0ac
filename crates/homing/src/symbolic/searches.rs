//! Which symbolic searches there are.
//!
//! To add one: a file in `homing_symbolic` that answers with a
//! [`reach::Outcome`](homing_symbolic::reach::Outcome), and a row of [`SYMBOLIC`] with a
//! function that runs it.

mod directed;

use std::rc::Rc;

use homing_core::catalogue::{self, Capability, Kind, Parameter, Row};
use homing_core::expression::{self, Call};
use homing_symbolic::bidirectional::{self, Turns};
use homing_symbolic::chaining::chaining;
use homing_symbolic::hints::hints;
use homing_symbolic::reach::{self, Outcome, Sought, Told};
use homing_symbolic::{ORDERS, Order, Steps, density, splitting};

/// A symbolic search, ready to be run.
#[derive(Clone)]
pub struct Plan {
    /// As it was asked for.
    pub(crate) call: Call,
    /// How variables are ordered.
    pub(crate) order: Order,
    /// Whether the first trace found is a shortest one.
    pub(crate) shortest: bool,
    /// Whether everything nearer has been searched once a depth is told.
    pub(crate) layered: bool,
    /// Whether it reaches everything where nothing is looked for.
    pub(crate) explores: bool,
    /// Whether it knows how far it is from the initial state.
    pub(crate) measures: bool,
    /// Runs it.
    pub(crate) run: Run,
}

/// Runs a search.
pub(crate) type Run = Rc<dyn Fn(&Steps, &Sought, &mut Told) -> Outcome>;

/// Makes a search from what users write.
pub(crate) type Build = fn(&Call) -> Result<Plan, String>;

const NODES: Parameter = Parameter {
    name: "nodes",
    about: "how many nodes a set may have before only a part of it is expanded",
    default: "10000",
};
const ENLARGED: Parameter = Parameter {
    name: "nodes",
    about: "how many nodes make a set of predecessors of the goal too large to go on from",
    default: "1000",
};
const ORDER: Parameter = Parameter {
    name: "order",
    about: "how variables are ordered: `declared`, or `force`, which brings together what moves use together",
    default: "force",
};

/// The symbolic searches.
pub const SYMBOLIC: &[Row<Build>] = &[
    BREADTH,
    BACKWARD,
    BIDIRECTIONAL,
    TARGET_ENLARGEMENT,
    CHAINING,
    HINTS,
    HIGH_DENSITY,
    SPLITTING,
    directed::BDDA_STAR,
    directed::SET_A_STAR,
    directed::MATRIX,
    directed::GREEDY,
];

const BREADTH: Row<Build> = row(
    "breadth",
    "breadth-first search, a layer of states at a time",
    "Burch, Clarke, McMillan, Dill, Hwang, Symbolic Model Checking: 10^20 States and Beyond (1992)",
    &[ORDER],
    &[Capability::Complete, Capability::Shortest],
    |call| {
        let plan = of(call, true, |steps, sought, told| reach::breadth(steps, sought, told))?;
        Ok(Plan { layered: true, ..plan })
    },
);

const BACKWARD: Row<Build> = row(
    "backward",
    "breadth-first search from the goal backwards; reached states are not known",
    "Burch, Clarke, McMillan, Dill, Hwang, Symbolic Model Checking: 10^20 States and Beyond (1992)",
    &[ORDER],
    &[Capability::Complete, Capability::Shortest],
    |call| {
        to_goals(call, true, |steps, sought, told| {
            bidirectional::bidirectional(steps, sought, Turns::Backward, told)
        })
    },
);

const BIDIRECTIONAL: Row<Build> = row(
    "bidirectional",
    "breadth-first search from both ends, on the side whose diagram is smaller",
    "Pohl, Bi-directional Search (1971)",
    &[ORDER],
    &[Capability::Complete, Capability::Shortest],
    |call| {
        to_goals(call, true, |steps, sought, told| {
            bidirectional::bidirectional(steps, sought, Turns::Smaller, told)
        })
    },
);

const TARGET_ENLARGEMENT: Row<Build> = row(
    "target-enlargement",
    "predecessors of the goal while their diagrams are small, then breadth-first search to them",
    "Yang, Dill, Validation with Guided Search of the State Space (DAC 1998)",
    &[ENLARGED, ORDER],
    &[Capability::Complete, Capability::Shortest],
    |call| {
        let most = number(&ENLARGED, call, 0)?;
        to_goals(call, true, move |steps, sought, told| {
            bidirectional::bidirectional(steps, sought, Turns::Enlarge(most), told)
        })
    },
);

const CHAINING: Row<Build> = row(
    "chaining",
    "relation by relation, each from all that was reached until then; traces are not shortest",
    "Roig, Cortadella, Pastor, Verification of Asynchronous Circuits (1995)",
    &[ORDER],
    &[Capability::Complete],
    |call| somehow(call, chaining),
);

const HINTS: Row<Build> = row(
    "hints",
    "what few components can reach before what all can; traces are not shortest",
    "Ravi, Somenzi, Hints to Accelerate Symbolic Traversal (CHARME 1999)",
    &[ORDER],
    &[Capability::Complete],
    |call| somehow(call, hints),
);

const HIGH_DENSITY: Row<Build> = row(
    "high-density",
    "of large frontiers only a part with many states in few nodes, the rest when that ends",
    "Ravi, Somenzi, High-Density Reachability Analysis (ICCAD 1995)",
    &[NODES, ORDER],
    &[Capability::Complete],
    |call| {
        let most = number(&NODES, call, 1)?;
        somehow(call, move |steps, sought, told| density::density(steps, sought, most, told))
    },
);

const SPLITTING: Row<Build> = row(
    "splitting",
    "large frontiers in parts, the smallest diagram first",
    "Fraer, Kamhi, Ziv, Vardi, Fix, Prioritized Traversal (CAV 2000)",
    &[NODES, ORDER],
    &[Capability::Complete],
    |call| {
        let most = number(&NODES, call, 1)?;
        somehow(call, move |steps, sought, told| splitting::splitting(steps, sought, most, told))
    },
);

/// A search that takes states as they suit it, and knows nothing of depths.
fn somehow(
    call: &Call,
    run: impl Fn(&Steps, &Sought, &mut Told) -> Outcome + 'static,
) -> Result<Plan, String> {
    Ok(Plan { measures: false, ..of(call, false, run)? })
}

/// A search that goes to what is looked for, and nowhere without.
fn to_goals(
    call: &Call,
    shortest: bool,
    run: impl Fn(&Steps, &Sought, &mut Told) -> Outcome + 'static,
) -> Result<Plan, String> {
    Ok(Plan { explores: false, ..of(call, shortest, run)? })
}

fn number(parameter: &Parameter, call: &Call, least: u64) -> Result<usize, String> {
    Ok(usize::try_from(parameter.at_least(call, least)?).unwrap_or(usize::MAX))
}

fn of(
    call: &Call,
    shortest: bool,
    run: impl Fn(&Steps, &Sought, &mut Told) -> Outcome + 'static,
) -> Result<Plan, String> {
    Ok(Plan {
        call: call.clone(),
        order: order(call)?,
        shortest,
        layered: false,
        explores: true,
        measures: true,
        run: Rc::new(run),
    })
}

fn order(call: &Call) -> Result<Order, String> {
    let names: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
    let name = match call.named(ORDER.name) {
        Some(_) => call.choice(ORDER.name, &names)?,
        None => ORDER.default,
    };
    let found = ORDERS.iter().find(|(other, _)| *other == name);
    found.map(|(_, order)| *order).ok_or_else(|| format!("there is no order `{name}`"))
}

/// The search that is asked for by this text; breadth-first search where none is.
pub(crate) fn plan(text: Option<&str>) -> Result<Plan, String> {
    let text = text.unwrap_or(BREADTH.name);
    let expression =
        expression::parse(text).map_err(|e| format!("symbolic search `{text}`: {e}"))?;
    let call = expression.as_call()?;
    let row = catalogue::find(SYMBOLIC, Kind::Symbolic, &call.name)?;
    let names: Vec<&str> = row.parameters.iter().map(|parameter| parameter.name).collect();
    call.allow_named(&names)?;
    (row.build)(call)
}

/// A row of the catalogue.
const fn row(
    name: &'static str,
    about: &'static str,
    cite: &'static str,
    parameters: &'static [Parameter],
    gives: &'static [Capability],
    build: Build,
) -> Row<Build> {
    let (kind, needs, uses) = (Kind::Symbolic, &[], &[]);
    Row { name, kind, about, cite, parameters, needs, gives, uses, build }
}
