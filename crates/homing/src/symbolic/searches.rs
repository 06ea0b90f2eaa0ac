//! Which symbolic searches there are.
//!
//! To add one: a file in `homing_symbolic` that answers with a
//! [`reach::Outcome`](homing_symbolic::reach::Outcome), and a row of [`SYMBOLIC`] with a
//! function that runs it.

use homing_core::catalogue::{self, Capability, Kind, Parameter, Row};
use homing_core::expression::{self, Call};
use homing_symbolic::bdda_star::{self, Test};
use homing_symbolic::reach::{self, Outcome, Sought, Told};
use homing_symbolic::{Estimate, ORDERS, Order, Set, Steps};

/// A symbolic search, ready to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// As it was asked for.
    pub(crate) call: Call,
    /// How variables are ordered.
    pub(crate) order: Order,
    /// Whether the first trace found is a shortest one.
    pub(crate) shortest: bool,
    /// Whether everything nearer has been searched once a depth is told.
    pub(crate) layered: bool,
    /// What A* is to do, and how deep its estimate is to look.
    pub(crate) star: Star,
    /// Runs it.
    pub(crate) run: Run,
}

/// A* and its estimate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Star {
    options: bdda_star::Options,
    depth: u32,
    sum: bool,
}

/// Runs a search.
pub(crate) type Run = fn(&Plan, &Steps, &Sought, &mut Told) -> Outcome;

/// Makes a search from what users write.
pub(crate) type Build = fn(&Call) -> Result<Plan, String>;

const YES_NO: &[&str] = &["yes", "no"];

const DEPTH: Parameter = Parameter {
    name: "depth",
    about: "refinement depth of the inferred estimate: how many causes of causes it looks at",
    default: "6",
};
const SUM: Parameter = Parameter {
    name: "sum",
    about: "whether estimates of parts of the goal that no move changes together add up: yes, no",
    default: "no",
};
const WEIGHT: Parameter = Parameter {
    name: "weight",
    about: "what the estimate is multiplied by; traces are shortest with 1 only",
    default: "1",
};
const VISITED: Parameter = Parameter {
    name: "visited",
    about: "whether expanded states are never expanded again: yes, no; without, it need not end \
            where there is nothing to find",
    default: "yes",
};
const TEST: Parameter = Parameter {
    name: "test",
    about: "where the goal is looked for: `min`, among what is expanded next, or `open`, which \
            does not give shortest traces",
    default: "min",
};

const ORDER: Parameter = Parameter {
    name: "order",
    about: "how variables are ordered: `declared`, or `force`, which brings together what moves use together",
    default: "force",
};

/// The symbolic searches.
pub const SYMBOLIC: &[Row<Build>] = &[BREADTH, BDDA_STAR];

const BREADTH: Row<Build> = row(
    "breadth",
    "breadth-first search, a layer of states at a time",
    "Burch, Clarke, McMillan, Dill, Hwang, Symbolic Model Checking: 10^20 States and Beyond (1992)",
    &[ORDER],
    &[Capability::Complete, Capability::Shortest],
    |call| {
        let run: Run = |_, steps, sought, told| reach::breadth(steps, sought, told);
        Ok(Plan { layered: true, ..of(call, true, run)? })
    },
);

const BDDA_STAR: Row<Build> = row(
    "bdda-star",
    "A* whose open list is one decision diagram, by the estimate inferred from the goal",
    "Reffel, Edelkamp, Error Detection with Directed Symbolic Model Checking (FM 1999), Fig. 1",
    &[DEPTH, SUM, WEIGHT, VISITED, TEST, ORDER],
    &[Capability::Complete, Capability::Directed, Capability::Optimal],
    |call| {
        let star = star(call)?;
        let shortest = star.options.weight == 1 && star.options.test == Test::Min;
        let run: Run = |plan, steps, sought, told| {
            let Star { options, depth, sum } = plan.star;
            let estimate = |steps: &Steps, goal: &Set| match sum {
                true => Estimate::summed(steps, goal, depth),
                false => Estimate::inferred(steps, goal, depth),
            };
            bdda_star::bdda_star(steps, sought, options, &estimate, told)
        };
        Ok(Plan { star, ..of(call, shortest, run)? })
    },
);

fn star(call: &Call) -> Result<Star, String> {
    let choice =
        |parameter: &Parameter, names: &'static [&'static str]| match call.named(parameter.name) {
            Some(_) => call.choice(parameter.name, names),
            None => Ok(parameter.default),
        };
    let test = match choice(&TEST, &["min", "open"])? {
        "open" => Test::Open,
        _ => Test::Min,
    };
    let visited = choice(&VISITED, YES_NO)? == "yes";
    let weight = WEIGHT.at_least(call, 1)?.min(MOST_WEIGHT);
    let depth = DEPTH.number(call)?.min(MOST_DEPTH) as u32;
    let options = bdda_star::Options { weight, visited, test };
    Ok(Star { options, depth, sum: choice(&SUM, YES_NO)? == "yes" })
}

/// Costs have few bits.
const MOST_WEIGHT: u64 = 100;
const MOST_DEPTH: u64 = 200;

fn of(call: &Call, shortest: bool, run: Run) -> Result<Plan, String> {
    Ok(Plan {
        call: call.clone(),
        order: order(call)?,
        shortest,
        layered: false,
        star: Star::default(),
        run,
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
