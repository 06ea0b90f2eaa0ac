//! The symbolic searches that an estimate directs.

use homing_core::catalogue::{Capability, Parameter, Row};
use homing_core::expression::Call;
use homing_symbolic::bdda_star::{self, Test};
use homing_symbolic::buckets;
use homing_symbolic::diagram::Made;
use homing_symbolic::{Estimate, Set, Steps, database, greedy, matrix, set_a_star};

use super::{Build, ORDER, Plan, row, to_goals};

const ESTIMATE: Parameter = Parameter {
    name: "estimate",
    about: "the estimate: `inferred` from the goal and its causes, `database`, distances in a \
            projection, or `max`, the greater of both",
    default: "inferred",
};
const DEPTH: Parameter = Parameter {
    name: "depth",
    about: "refinement depth of the inferred estimate: how many causes of causes it looks at",
    default: "6",
};
const SUM: Parameter = Parameter {
    name: "sum",
    about: "whether inferred estimates of parts of the goal that no move changes together add \
            up: yes, no",
    default: "no",
};
const BITS: Parameter = Parameter {
    name: "bits",
    about: "the most bits of a state that the database keeps",
    default: "24",
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
const LOCALITY: Parameter = Parameter {
    name: "locality",
    about: "how many steps back expanded states are subtracted, 0 for all; with too few it need \
            not end where there is nothing to find",
    default: "0",
};

const GIVES: &[Capability] = &[Capability::Complete, Capability::Directed, Capability::Optimal];

pub(super) const BDDA_STAR: Row<Build> = row(
    "bdda-star",
    "A* whose open list is one decision diagram",
    "Reffel, Edelkamp, Error Detection with Directed Symbolic Model Checking (FM 1999), Fig. 1",
    &[ESTIMATE, DEPTH, SUM, BITS, WEIGHT, VISITED, TEST, ORDER],
    GIVES,
    |call| {
        let visited = choice(call, &VISITED, YES_NO)? == "yes";
        let test = match choice(call, &TEST, &["min", "open"])? {
            "open" => Test::Open,
            _ => Test::Min,
        };
        let (weight, guide) = (weight(call)?, guide(call)?);
        let options = bdda_star::Options { weight, visited, test };
        to_goals(call, weight == 1 && test == Test::Min, move |steps, sought, told| {
            let make = |steps: &Steps, goal: &Set| guide.make(steps, goal);
            bdda_star::bdda_star(steps, sought, options, &make, told)
        })
    },
);

pub(super) const SET_A_STAR: Row<Build> = row(
    "set-a-star",
    "A* by relations that are told apart by how they change the estimate",
    "Jensen, Bryant, Veloso, SetA*: An Efficient BDD-Based Heuristic Search Algorithm (AAAI 2002)",
    &[ESTIMATE, DEPTH, SUM, BITS, WEIGHT, LOCALITY, ORDER],
    GIVES,
    |call| {
        let (options, guide) = (bucketed(call)?, guide(call)?);
        to_goals(call, options.weight == 1, move |steps, sought, told| {
            let make = |steps: &Steps, goal: &Set| guide.make(steps, goal);
            set_a_star::set_a_star(steps, sought, options, &make, told)
        })
    },
);

pub(super) const MATRIX: Row<Build> = row(
    "matrix",
    "A* with a matrix of sets, by steps and estimate",
    "Edelkamp and others, Survey on Directed Model Checking (MoChArt 2008), Fig. 5",
    &[ESTIMATE, DEPTH, SUM, BITS, WEIGHT, LOCALITY, ORDER],
    GIVES,
    |call| {
        let (options, guide) = (bucketed(call)?, guide(call)?);
        to_goals(call, options.weight == 1, move |steps, sought, told| {
            let make = |steps: &Steps, goal: &Set| guide.make(steps, goal);
            matrix::matrix(steps, sought, options, None, &make, told)
        })
    },
);

pub(super) const GREEDY: Row<Build> = row(
    "greedy",
    "of all that is open, what is estimated to be nearest; traces are not shortest",
    "Edelkamp and others, Survey on Directed Model Checking (MoChArt 2008), Fig. 2",
    &[ESTIMATE, DEPTH, SUM, BITS, ORDER],
    &[Capability::Complete, Capability::Directed],
    |call| {
        let guide = guide(call)?;
        let plan = to_goals(call, false, move |steps, sought, told| {
            let make = |steps: &Steps, goal: &Set| guide.make(steps, goal);
            greedy::greedy(steps, sought, &make, told)
        })?;
        Ok(Plan { measures: false, ..plan })
    },
);

const YES_NO: &[&str] = &["yes", "no"];

/// Costs have few bits.
const MOST_WEIGHT: u64 = 100;
const MOST_DEPTH: u64 = 200;
const MOST_BITS: u64 = 1_000_000;

/// What makes an estimate.
#[derive(Clone, Copy)]
enum Guide {
    Inferred { depth: u32, sum: bool },
    Database { bits: usize },
    Max { depth: u32, sum: bool, bits: usize },
}

impl Guide {
    fn make(self, steps: &Steps, goal: &Set) -> Made<Estimate> {
        match self {
            Guide::Inferred { depth, sum: false } => Estimate::inferred(steps, goal, depth),
            Guide::Inferred { depth, sum: true } => Estimate::summed(steps, goal, depth),
            Guide::Database { bits } => database::database(steps, goal, bits),
            Guide::Max { depth, sum, bits } => {
                let inferred = Guide::Inferred { depth, sum }.make(steps, goal)?;
                inferred.max(steps, &Guide::Database { bits }.make(steps, goal)?)
            }
        }
    }
}

fn guide(call: &Call) -> Result<Guide, String> {
    let depth = DEPTH.number(call)?.min(MOST_DEPTH) as u32;
    let sum = choice(call, &SUM, YES_NO)? == "yes";
    let bits = BITS.number(call)?.min(MOST_BITS) as usize;
    Ok(match choice(call, &ESTIMATE, &["inferred", "database", "max"])? {
        "database" => Guide::Database { bits },
        "max" => Guide::Max { depth, sum, bits },
        _ => Guide::Inferred { depth, sum },
    })
}

fn weight(call: &Call) -> Result<u64, String> {
    Ok(WEIGHT.at_least(call, 1)?.min(MOST_WEIGHT))
}

fn bucketed(call: &Call) -> Result<buckets::Options, String> {
    let locality = Some(LOCALITY.number(call)?).filter(|steps| *steps > 0);
    Ok(buckets::Options { weight: weight(call)?, locality })
}

fn choice(
    call: &Call,
    parameter: &Parameter,
    names: &'static [&'static str],
) -> Result<&'static str, String> {
    match call.named(parameter.name) {
        Some(_) => call.choice(parameter.name, names),
        None => Ok(parameter.default),
    }
}
