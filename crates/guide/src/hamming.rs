//! The Hamming distance to the goal: how many variables, or bits, differ from
//! what the goal demands.
//!
//! Yang and Dill, "Validation with guided search of the state space" (1998),
//! count differing bits. A goal is a disjunction of demands on single
//! variables here; the distance is that to the nearest disjunct, and a variable
//! of which several values will do differs by as much as from the nearest of
//! them.
//!
//! One step may change several variables, and all bits of each, so this is
//! admissible only where no step can change more than one unit of a disjunct;
//! then it is consistent, too.

use homing_core::catalogue::{Job, Kind, Parameter, Row, Use};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::layout::Field;
use homing_ir::system::{Interval, SlotId};

use crate::changes::Changes;
use crate::ground::{Constraint, Ground, Variable};
use crate::{EstimateBuilder, Goal, Target, costs};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "hamming",
    kind: Kind::Estimate,
    about: "Hamming distance: how many variables, or bits, differ from what the goal demands",
    cite: "Yang, Dill 1998",
    parameters: &[Parameter {
        name: "unit",
        about: "what is counted: `variables` or `bits`",
        default: "variables",
    }],
    needs: &[],
    gives: &[],
    uses: &[Use::new(Job::Begin, 1, "greedy(hamming)")],
    build: |goal, call| {
        call.allow_named(&["unit"])?;
        let bits = call.choice("unit", &["variables", "bits"])? == "bits";
        Ok(Box::new(Hamming::new(goal, bits)?))
    },
};

struct Hamming {
    disjuncts: Vec<Vec<Demand>>,
    /// The least cost of a step.
    step: Cost,
    claims: Claims,
}

/// What a slot is to be.
struct Demand {
    slot: SlotId,
    field: Field,
    /// The admitted values, as they stand in the field.
    admitted: Vec<(u64, u64)>,
    bits: bool,
    /// The distance of every value, for fields of few bits.
    table: Vec<Cost>,
}

/// Fields of at most so many bits have a table.
const TABULATED: u32 = 12;

impl Hamming {
    fn new(goal: &Goal, bits: bool) -> Result<Hamming, String> {
        let disjuncts = demands(goal, bits)?;
        let changes = Changes::of(goal.space.system(), goal.space.moves());
        let still = Interval::point(0);
        let single = changes.by_label.iter().all(|delta| {
            let changed = |demand: &&Demand| delta.get(&demand.slot).is_some_and(|d| *d != still);
            let most =
                |all: &Vec<Demand>| all.iter().filter(changed).map(Demand::most).sum::<Cost>();
            disjuncts.iter().all(|disjunct| most(disjunct) <= 1)
        });
        let sound = single && goal.least_cost() >= 1 && goal.steps_are_moves();
        Ok(Hamming {
            disjuncts,
            step: goal.least_cost().max(1),
            claims: Claims { admissible: sound, consistent: sound },
        })
    }
}

/// The demands of every disjunct of the goal.
fn demands(goal: &Goal, bits: bool) -> Result<Vec<Vec<Demand>>, String> {
    let fields = &goal.space.layout().fields;
    if let Target::State(state) = goal.target {
        let slots = fields.iter().enumerate().filter(|(_, field)| field.bits > 0);
        let demand = |(slot, field): (usize, &Field)| {
            let value = raw(*field, field.get(state));
            Demand::new(SlotId(slot as u32), *field, vec![(value, value)], bits)
        };
        return Ok(vec![slots.map(demand).collect()]);
    }
    let ground = Ground::goals_only(goal, "hamming")?;
    let demand = |constraint: &Constraint| {
        let variable = &ground.variables[constraint.var as usize];
        Demand::new(variable.slot, variable.field, admitted(variable, constraint), bits)
    };
    Ok(ground.goals.iter().map(|all| all.iter().map(demand).collect()).collect())
}

fn admitted(variable: &Variable, constraint: &Constraint) -> Vec<(u64, u64)> {
    let mut intervals: Vec<(u64, u64)> = Vec::new();
    for class in constraint.values.iter() {
        let class = class as usize;
        let above = variable.bounds.get(class + 1).map_or(variable.last, |next| next - 1);
        let first = raw(variable.field, variable.bounds[class]);
        let last = raw(variable.field, above);
        match intervals.last_mut() {
            Some((_, end)) if *end + 1 == first => *end = last,
            _ => intervals.push((first, last)),
        }
    }
    intervals
}

/// A value as it stands in its field.
fn raw(field: Field, value: i64) -> u64 {
    value.wrapping_sub(field.lo) as u64
}

impl Demand {
    fn new(slot: SlotId, field: Field, admitted: Vec<(u64, u64)>, bits: bool) -> Demand {
        let mut demand = Demand { slot, field, admitted, bits, table: Vec::new() };
        if field.bits <= TABULATED {
            demand.table = (0..1 << field.bits).map(|value| demand.computed(value)).collect();
        }
        demand
    }

    fn distance(&self, state: &[Word]) -> Cost {
        let value = raw(self.field, self.field.get(state));
        match self.table.get(value as usize) {
            Some(known) => *known,
            None => self.computed(value),
        }
    }

    fn computed(&self, value: u64) -> Cost {
        let within = |(first, last): &(u64, u64)| (*first..=*last).contains(&value);
        if self.admitted.iter().any(within) {
            0
        } else if self.bits {
            let bits = |(first, last): &(u64, u64)| nearest(value, *first, *last);
            self.admitted.iter().map(bits).min().unwrap_or(self.field.bits)
        } else {
            1
        }
    }

    /// The greatest distance there is.
    fn most(&self) -> Cost {
        let otherwise = if self.bits { self.field.bits } else { 1 };
        self.table.iter().copied().max().unwrap_or(otherwise)
    }
}

/// The least number of bits in which `value` differs from a number between
/// `first` and `last`.
///
/// The nearest number either is a bound, or is equal to one down to some bit,
/// is beyond that bound by this bit, and has all lower bits of `value`.
fn nearest(value: u64, first: u64, last: u64) -> Cost {
    let lower = |bit: u32| (1u64 << bit) - 1;
    let above = (0..64).filter(|bit| first >> bit & 1 == 0);
    let above = above.map(|bit| (first | 1 << bit) & !lower(bit) | value & lower(bit));
    let below = (0..64).filter(|bit| last >> bit & 1 == 1);
    let below = below.map(|bit| last & !(1 << bit) & !lower(bit) | value & lower(bit));
    let within = above.chain(below).filter(|number| (first..=last).contains(number));
    let bits = within.chain([first, last]).map(|number| (number ^ value).count_ones());
    bits.min().unwrap_or(0)
}

impl HeuristicFactory for Hamming {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &Hamming {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let distance = |all: &Vec<Demand>| all.iter().map(|demand| demand.distance(state)).sum();
        let units = self.disjuncts.iter().map(distance).min().unwrap_or(DEAD_END);
        costs::times(units, self.step)
    }

    fn claims(&self) -> Claims {
        self.claims
    }

    fn bytes(&self) -> usize {
        let tables = self.disjuncts.iter().flatten().map(|demand| demand.table.len());
        tables.sum::<usize>() * size_of::<Cost>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_number_is_found() {
        for first in 0..32u64 {
            for last in first..32 {
                for value in 0..32u64 {
                    let all = (first..=last).map(|number| (number ^ value).count_ones());
                    assert_eq!(Some(nearest(value, first, last)), all.min(), "{first}..={last}");
                }
            }
        }
    }
}
