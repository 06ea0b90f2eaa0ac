//! The perimeter: exact steps to the goal near it, found backwards.
//!
//! Dillenburg, Nelson, "Perimeter search" (AIJ 1994); Yang and Dill's target
//! enlargement ("Validation with Guided Search of the State Space", DAC 1998);
//! sections 2 and 4 of the survey.
//!
//! ```text
//! P₀ := the goal
//! for d := 1 … K: P_d := the states with a step into P_{d−1}, without those of P₀ … P_{d−1}
//! h(s) := the d with s ∈ P_d; K + 1 where there is none, or ∞ if some P_d was empty
//! ```
//!
//! A set of states is a union of *cubes*: conjunctions of constraints on single
//! variables of the [ground form](crate::ground). A cube is taken back over an
//! operator by dropping what the effects make true and adding what `pre` asks:
//! the planners' regression.
//!
//! Where the ground form is exact, so is this (up to commitment, which it does
//! not know). Where an operator allows more than the system does, P_d has states
//! that are farther away. They are never nearer: every step of the system is one
//! of the ground form, so that P₀ ∪ … ∪ P_d holds all states within d steps and h
//! is a lower bound. For the same reason it is consistent: a step into P_d starts
//! from some P_e with e ≤ d + 1. How many steps are inverted only approximately
//! is told to the user.
//!
//! - `cubes`: regression, layer by layer.
//! - `lookup`: which of many cubes a state is in.

mod cubes;
mod lookup;

use std::collections::BTreeSet;

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::expression::Call;
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use self::cubes::{Layers, Stop};
use self::lookup::Lookup;
use crate::abstraction::SPLIT;
use crate::ground::Ground;
use crate::{EstimateBuilder, Goal, costs};

const DEPTH: Parameter =
    Parameter { name: "depth", about: "how many steps backwards, K", default: "8" };

const MOST: Parameter = Parameter {
    name: "most",
    about: "the most cubes; where they do not suffice, there are fewer steps",
    default: "5000",
};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "perimeter",
    kind: Kind::Estimate,
    about: "the steps to the goal where these are few, found backwards from it; one more \
            everywhere else",
    cite: "Dillenburg, Nelson 1994; Yang, Dill 1998",
    parameters: &[DEPTH, MOST],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&["depth", "most"])?;
        Ok(Box::new(Perimeter::new(goal, call)?))
    },
};

struct Perimeter {
    lookup: Lookup,
    /// The estimate of states in no cube.
    outside: Cost,
    /// The least cost of a step.
    least_cost: Cost,
    /// Whether it counts steps, rather than moves within steps.
    sound: bool,
}

impl Perimeter {
    fn new(goal: &Goal, call: &Call) -> Result<Perimeter, String> {
        let name = ROW.name;
        let depth = DEPTH.number(call)?;
        let most = MOST.number(call)?;
        if !(1..=u64::from(u32::MAX / 2)).contains(&depth) {
            return Err(format!("`depth` of `{name}` is at least 1 and reasonable, not {depth}"));
        }
        if most == 0 {
            return Err(format!("`most` of `{name}` is at least 1"));
        }
        let ground = Ground::of_goal(goal, name)?.split(SPLIT);
        let layers = Layers::of(&ground, depth as u32, most, goal.memory);
        let notice = |text: String| goal.notices.borrow_mut().push(text);
        if layers.stop == Stop::Full {
            if layers.depth == 0 && layers.cubes.is_empty() {
                return Err(format!(
                    "the goal alone is too much for `{name}` with at most {most} cubes"
                ));
            }
            let steps = layers.depth;
            notice(format!(
                "`{name}` goes {steps} steps back instead of {depth}: more take too much"
            ));
        }
        if let Some(text) = loose(&ground) {
            notice(text);
        }
        let outside = match layers.stop {
            Stop::Complete => DEAD_END,
            Stop::Full | Stop::Deep => layers.depth + 1,
        };
        let lookup = Lookup::new(&ground.variables, &layers.cubes);
        let (least_cost, sound) = (goal.least_cost(), goal.steps_are_moves());
        Ok(Perimeter { lookup, outside, least_cost, sound })
    }
}

/// What to say of operators that allow more than the system does.
fn loose(ground: &Ground) -> Option<String> {
    let labels = |exact_too: bool| -> usize {
        let some = ground.operators.iter().filter(|operator| exact_too || !operator.exact);
        some.map(|operator| operator.label).collect::<BTreeSet<u32>>().len()
    };
    let (loose, all) = (labels(false), labels(true));
    (loose > 0).then(|| {
        format!(
            "`{}` inverts {loose} of {all} steps only approximately: near the goal, its \
             estimates may be too low",
            ROW.name
        )
    })
}

impl HeuristicFactory for Perimeter {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Finder { perimeter: self, open: Vec::new() })
    }
}

/// Finds states in the perimeter.
struct Finder<'a> {
    perimeter: &'a Perimeter,
    /// Scratch memory of the lookup.
    open: Vec<u32>,
}

impl Heuristic for Finder<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let Perimeter { lookup, outside, least_cost, .. } = self.perimeter;
        let steps = lookup.distance(state, &mut self.open).unwrap_or(*outside);
        costs::times(steps, *least_cost)
    }

    fn claims(&self) -> Claims {
        let sound = self.perimeter.sound;
        Claims { admissible: sound, consistent: sound }
    }

    fn bytes(&self) -> usize {
        self.perimeter.lookup.bytes()
    }
}
