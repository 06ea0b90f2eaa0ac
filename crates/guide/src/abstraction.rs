//! Distance-preserving abstraction.
//!
//! Dräger, Finkbeiner, Podelski, "Directed Model Checking with
//! Distance-Preserving Abstractions" (2006; journal version 2009). The system is
//! composed process by process. After each composition the product is reduced to
//! at most N states, in a way that keeps the distance to the error first and the
//! synchronisation with others second. What is left is a process A with known
//! distances, and a map α from the system's states to its own; the estimate of a
//! state q is d_A(α(q)), and where that is ∞ or α(q) is ⊥, a dead end.
//!
//! - `processes`: what is composed: the variables of the ground form.
//! - `product`: P‖P'.
//! - `process`: AbstractProcess, algorithm 3; `labels`: what else it may keep.
//! - `strategy`: which processes are composed next, section 6; `trace` and
//!   `relevance`: another way to choose, and to leave processes out.
//! - `system`: AbstractSystem, algorithm 2.
//! - `tables`: α and d_A as tables, looked up incrementally.
//!
//! The abstraction is a homomorphism of the ground form, which the system's
//! steps are all steps of. So the estimate is consistent, and admissible.
//! States that cannot be reached from the initial one may count as dead ends;
//! nobody asks for them.
//!
//! The paper's error states are one conjunction: every process is in one of its
//! error states. A goal in disjunctive form has an abstraction for every
//! conjunction, and the estimate is their minimum. Beyond [`MOST_GOALS`],
//! neighbouring conjunctions share one, made for any combination of their
//! constraints: that is satisfied more often than the goal, so the estimate
//! only gets lower.

pub(crate) mod distance;
mod labels;
mod process;
pub(crate) mod processes;
mod product;
mod relevance;
mod strategy;
mod system;
pub(crate) mod tables;
#[cfg(test)]
mod tests;
mod trace;

use homing_core::catalogue::{Capability, Job, Kind, Parameter, Row, Use};
use homing_core::expression::{Call, Expression};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use self::processes::{Processes, States};
use self::product::TooLarge;
use self::system::abstract_system;
use self::tables::{Lookup, Walk};
use crate::ground::{Constraint, Ground};
use crate::{EstimateBuilder, Goal};

const STATES: Parameter = Parameter {
    name: "states",
    about: "the most states of a process after each composition, N",
    default: "100",
};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "abstraction",
    kind: Kind::Estimate,
    about: "the distance in an abstraction that is made by composing processes one after \
            another, each time reduced to a few states that keep the distance to the goal",
    cite: "Dräger, Finkbeiner, Podelski 2006",
    parameters: &[
        STATES,
        Parameter {
            name: "order",
            about: "which states are told apart first: those `near` the goal or `far` from it",
            default: "near",
        },
        Parameter {
            name: "compose",
            about: "which processes are composed first: by `ranking`, whose common steps happen \
                    near the goal, by `default`, in the order of the model, or along a `trace` \
                    to the goal, without the processes that have no part in it \
                    (admissible then, but not consistent)",
            default: "ranking",
        },
        Parameter {
            name: "keep",
            about: "by what states equally far from the goal are told apart: by their next \
                    `steps`, or first by how far they are from the `labels` shared with others",
            default: "steps",
        },
    ],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent],
    uses: &[
        Use::new(Job::FindState, 1, "greedy(abstraction(states=1000))"),
        Use::new(Job::FindState, 3, "greedy(abstraction(states=2000, compose=trace, keep=labels))"),
        Use::new(
            Job::FindTimedState,
            1,
            "greedy(abstraction(states=2000, compose=trace, keep=labels))",
        ),
        Use::new(Job::Refute, 1, "greedy(abstraction(states=1000))"),
    ],
    build: |goal, call| {
        call.allow_named(&["states", "order", "compose", "keep"])?;
        Ok(Box::new(Abstraction::new(goal, Options::read(call)?)?))
    },
};

/// Which bucket AbstractProcess refines first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// The one nearest the error, as the paper does.
    Near,
    /// The one farthest from it.
    Far,
}

/// The composition strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compose {
    /// By the ranking of section 6.
    Ranking,
    /// In the order of definition.
    Default,
    /// Along error traces; what has no part in them is left out.
    Trace,
}

/// What is kept of a process besides its distances to the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// The steps it can take next, as the paper does.
    Steps,
    /// How far it is from the labels it shares with others, then its steps.
    Labels,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// N.
    pub(crate) states: u32,
    pub(crate) order: Order,
    pub(crate) compose: Compose,
    pub(crate) keep: Keep,
}

/// The bound N must fit two bytes, with ⊥ beside it.
const MOST_STATES: u64 = 65_534;

/// The most abstractions whose minimum is taken.
const MOST_GOALS: usize = 16;

/// The most operators that conditional effects of one step are multiplied out
/// into.
pub(crate) const SPLIT: usize = 64;

impl Options {
    fn read(call: &Call) -> Result<Options, String> {
        let states = STATES.number(call)?;
        if !(2..=MOST_STATES).contains(&states) {
            return Err(format!("`states` of `abstraction` is from 2 to {MOST_STATES}"));
        }
        let order = [("near", Order::Near), ("far", Order::Far)];
        let compose = [
            ("ranking", Compose::Ranking),
            ("default", Compose::Default),
            ("trace", Compose::Trace),
        ];
        Ok(Options {
            states: states as u32,
            order: choice(call, "order", &order)?,
            compose: choice(call, "compose", &compose)?,
            keep: choice(call, "keep", &[("steps", Keep::Steps), ("labels", Keep::Labels)])?,
        })
    }
}

/// The value given for the parameter `name` among some named ones; the first
/// where none is given.
fn choice<T: Copy>(call: &Call, name: &str, among: &[(&str, T)]) -> Result<T, String> {
    let Some(given) = call.named(name) else { return Ok(among[0].1) };
    let known = match given {
        Expression::Call(word) if word.arguments.is_empty() => {
            among.iter().find(|(name, _)| *name == word.name)
        }
        _ => None,
    };
    let names: Vec<String> = among.iter().map(|(name, _)| format!("`{name}`")).collect();
    known.map(|(_, value)| *value).ok_or_else(|| {
        format!("`{name}` of `{}` is {}, not `{given}`", call.name, names.join(" or "))
    })
}

/// The estimate.
pub(crate) struct Abstraction {
    /// One for every conjunction of the goal that may be reachable.
    lookups: Vec<Lookup>,
    /// Whether no step changes the estimate by more than it costs. Where processes are
    /// composed along traces this does not hold on random systems, so it is not claimed.
    consistent: bool,
}

impl Abstraction {
    fn new(goal: &Goal, options: Options) -> Result<Abstraction, String> {
        let ground = Ground::of_goal(goal, "abstraction")?.split(SPLIT);

        let owners = owners(&ground, goal);
        let mut tried = options;
        loop {
            match Abstraction::of(&ground, &owners, &tried, |l| goal.cost(l), goal.memory) {
                Ok(abstraction) => {
                    if tried.states < options.states {
                        goal.notices.borrow_mut().push(format!(
                            "`abstraction` is made with {} states instead of {}: larger tables \
                             do not fit the memory",
                            tried.states, options.states
                        ));
                    }
                    return Ok(abstraction);
                }
                Err(TooLarge) if tried.states > 2 => tried.states = (tried.states / 2).max(2),
                Err(TooLarge) => {
                    return Err("the tables of `abstraction` do not fit the memory".into());
                }
            }
        }
    }

    /// An abstraction for every conjunction of the goal.
    fn of(
        ground: &Ground,
        owners: &[Option<u32>],
        options: &Options,
        cost: impl Fn(u32) -> Cost + Copy,
        memory: usize,
    ) -> Result<Abstraction, TooLarge> {
        let goals = goals(&ground.goals);
        let states = States::new(ground);
        let mut lookups: Vec<Lookup> = vec![];
        for error in &goals {
            let processes = Processes::of(ground, &states, error, cost);
            let share = memory / goals.len();
            if let Some(tree) = abstract_system(processes, owners, options, share)? {
                lookups.push(Lookup::new(tree, ground, &states));
            }
        }
        Ok(Abstraction { lookups, consistent: options.compose != Compose::Trace })
    }
}

impl HeuristicFactory for Abstraction {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        let walks = self.lookups.iter().map(Walk::new).collect();
        Box::new(Walks { walks, consistent: self.consistent })
    }
}

/// Where a search is in each of the abstractions.
struct Walks<'a> {
    walks: Vec<Walk<'a>>,
    consistent: bool,
}

impl Heuristic for Walks<'_> {
    fn expanding(&mut self, state: &[Word]) {
        self.walks.iter_mut().for_each(|walk| walk.expanding(state));
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        let estimate = |walk: &mut Walk| match via {
            Some(edge) if walk.knows(edge.label) => walk.successor(state, edge.label),
            _ => walk.alone(state),
        };
        self.walks.iter_mut().map(estimate).min().unwrap_or(DEAD_END)
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: self.consistent }
    }

    fn work(&self) -> u64 {
        self.walks.iter().map(Walk::work).sum()
    }

    fn bytes(&self) -> usize {
        self.walks.iter().map(Walk::bytes).sum()
    }
}

/// For every variable, the process of the system that it belongs to.
pub(crate) fn owners(ground: &Ground, goal: &Goal) -> Vec<Option<u32>> {
    let slots = &goal.space.system().slots;
    let owner = |slot: usize| slots[slot].owner.map(|owner| owner.0);
    ground.variables.iter().map(|variable| owner(variable.slot.index())).collect()
}

/// At most [`MOST_GOALS`] conjunctions that hold, one or the other, at least
/// where one of the given ones does.
pub(crate) fn goals(goals: &[Vec<Constraint>]) -> Vec<Vec<Constraint>> {
    let mut goals = goals.to_vec();
    // What differs in one variable only is one conjunction.
    let vars: std::collections::BTreeSet<u32> =
        goals.iter().flatten().map(|constraint| constraint.var).collect();
    for var in vars {
        if goals.len() <= 1 {
            break;
        }
        goals.sort_by_cached_key(|goal| without(goal, var));
        goals.dedup_by(|next, kept| {
            let same = without(next, var) == without(kept, var);
            if same {
                *kept = either(kept, next);
            }
            same
        });
    }
    let key = |goal: &Vec<Constraint>| {
        (goal.iter().map(|constraint| constraint.var).collect::<Vec<u32>>(), goal.clone())
    };
    goals.sort_by_cached_key(key);
    let size = goals.len().div_ceil(MOST_GOALS).max(1);
    let join = |group: &[Vec<Constraint>]| {
        group[1..].iter().fold(group[0].clone(), |all, goal| either(&all, goal))
    };
    goals.chunks(size).map(join).collect()
}

fn without(goal: &[Constraint], var: u32) -> Vec<Constraint> {
    goal.iter().filter(|constraint| constraint.var != var).cloned().collect()
}

/// Every variable may be what either goal allows.
fn either(one: &[Constraint], other: &[Constraint]) -> Vec<Constraint> {
    let both = one.iter().filter_map(|a| {
        let b = other.iter().find(|b| b.var == a.var)?;
        Some(Constraint { var: a.var, values: a.values.union(&b.values) })
    });
    both.collect()
}
