//! Estimates that are computed by sets of states, and looked up state by state.
//!
//! - `inferred`: Reffel, Edelkamp, "Error Detection with Directed Symbolic Model Checking"
//!   (FM 1999), section 5, as [`homing_symbolic::estimate`] says it.
//! - `symbolic-database`: Edelkamp, "External Symbolic Heuristic Search with Pattern Databases"
//!   (ICAPS 2005), as [`homing_symbolic::database`] says it.
//!
//! ```text
//! encode the system; make the layers of the estimate; make one diagram of them
//! estimate(s): follow the bits of s through it
//! ```
//! They are the same estimates that direct symbolic searches, so one search can be held against
//! the other. Where there is no encoding (of models with clocks there is none), or too little
//! memory for it, the estimate is zero, and a notice says why.
//!
//! Layers count steps. Where steps have other costs, they count times the least of these.

use homing_budget::{checkpoint, current, room};
use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::layout::Field;
use homing_symbolic::diagram::Made;
use homing_symbolic::{Encoding, Estimate, Lookup, Order, Set, Steps, Trouble, database};

use crate::{EstimateBuilder, Goal, costs};

const DEPTH: Parameter = Parameter {
    name: "depth",
    about: "refinement depth: how many causes of causes it looks at",
    default: "6",
};
const BITS: Parameter = Parameter {
    name: "bits",
    about: "the most bits that the projection keeps of a state",
    default: "24",
};

pub(crate) const INFERRED: Row<EstimateBuilder> = Row {
    name: "inferred",
    kind: Kind::Estimate,
    about: "how many causes of causes of the goal are missing at least, bit by bit",
    cite: "Reffel, Edelkamp 1999",
    parameters: &[DEPTH],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&[DEPTH.name])?;
        let depth = DEPTH.number(call)?.min(MOST_DEPTH) as u32;
        let make = |steps: &Steps, goal: &Set| Estimate::inferred(steps, goal, depth);
        Ok(Box::new(Sets::new(goal, call, &make)?))
    },
};

pub(crate) const DATABASE: Row<EstimateBuilder> = Row {
    name: "symbolic-database",
    kind: Kind::Estimate,
    about: "distances in the projection onto the variables nearest the goal, as sets",
    cite: "Edelkamp 2005",
    parameters: &[BITS],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&[BITS.name])?;
        let bits = BITS.number(call)?.min(MOST_BITS) as usize;
        let make = |steps: &Steps, goal: &Set| database::database(steps, goal, bits);
        Ok(Box::new(Sets::new(goal, call, &make)?))
    },
};

const MOST_DEPTH: u64 = 200;
const MOST_BITS: u64 = 1_000_000;

/// How an estimate is made from sets.
type Make<'m> = dyn Fn(&Steps, &Set) -> Made<Estimate> + 'm;

/// An estimate that is looked up.
struct Sets<'a> {
    /// None where the estimate is zero everywhere.
    lookup: Option<Lookup>,
    fields: &'a [Field],
    least_cost: Cost,
}

impl<'a> Sets<'a> {
    fn new(goal: &Goal<'a>, call: &Call, make: &Make) -> Result<Sets<'a>, String> {
        let term = goal.term(&call.name)?;
        let of_goal = |encoding: &Encoding| {
            encoding.diagrams().limit(MOST_STEPS);
            let (holds, _) = encoding.satisfying(&term, goal.holds_on_failure())?;
            let steps = Steps::new(encoding)?;
            let estimate = make(&steps, &holds)?;
            Ok(Lookup::new(encoding, &estimate))
        };
        let bytes = goal.memory.min(room()).min(MOST_BYTES);
        let encoding = Encoding::new(goal.space, Order::Force, current(), bytes / 5 * 3);
        let lookup = match encoding.and_then(|encoding| of_goal(&encoding)) {
            Ok(lookup) => Some(lookup),
            Err(trouble) => {
                let why = said(&trouble);
                let notice = format!("the estimate `{call}` is zero everywhere: {why}");
                goal.notices.borrow_mut().push(notice);
                None
            }
        };
        let fields = &goal.space.layout().fields[..];
        Ok(Sets { lookup, fields, least_cost: goal.least_cost() })
    }
}

/// Diagrams that take more than that, or more steps to make, are not worth an estimate.
const MOST_BYTES: usize = 64 << 20;
const MOST_STEPS: u64 = 3_000_000;

fn said(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Refused(why, _) => format!("the engine `symbolic` cannot: {why}"),
        Trouble::Stopped(_) => {
            // Where that was the budget of the whole run, it ends here.
            checkpoint();
            "its decision diagrams take too long, or too much memory".into()
        }
    }
}

impl HeuristicFactory for Sets<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &Sets<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let Some(lookup) = &self.lookup else { return 0 };
        match lookup.value(|slot| self.fields[slot.index()].get(state)) {
            Some(value) => costs::times(value, self.least_cost),
            None => DEAD_END,
        }
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: true }
    }
}
