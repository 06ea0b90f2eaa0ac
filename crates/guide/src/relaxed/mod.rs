//! Monotonicity relaxation: h^L, the layers to the goal, and h^U, the length
//! of a relaxed trace.
//!
//! Kupferschmid, Hoffmann, Dierks, Behrmann, "Adapting an AI planning
//! heuristic for directed model checking" (SPIN 2006); Hoffmann, Nebel, "The
//! FF planning system" (2001). Under the relaxation every variable keeps all
//! the values it ever had, so that steps only ever enable more.
//!
//! ```text
//! S_0     := the values in s, each variable's as a set
//! S_{i+1} := S_i ∪ what all steps give that are possible with values of S_i
//! h^L(s)  := the least i such that S_i satisfies the goal; a dead end if none does
//! h^U(s)  := the steps of a trace extracted backwards from S_{h^L}
//! ```
//!
//! h^L is admissible and consistent: what a step from `s` to `t` gives is in
//! S_1 of `s`, so S_i of `t` lies in S_{i+1} of `s`. h^U claims nothing.
//!
//! The road: [`draft`] turns the [ground form](crate::ground) into rules
//! between conditions, [`simplify`] makes these few, [`task`] lays them out,
//! [`explore`] computes layers and [`extract`] the trace.
//!
//! Deviations: the papers' timed automata have clocks and unlimited integers;
//! here variables are those of the ground form, large domains by classes.
//! Other costs than one: h^L is multiplied by the least, h^U sums the costs of
//! its steps (the layers still count steps).
//!
//! Leaving a step out (Wehrle, Kupferschmid, Podelski, "Useless actions are
//! useful", ICAPS 2008) costs an exploration only where the relaxed trace has
//! the step. Otherwise the trace is one without the step, too, so that h^L and
//! h^add are the same, and the cost of a trace is taken to be. A rule that steps
//! of several labels do goes on costing what the cheapest costs.

pub(crate) mod additive;
mod draft;
mod explore;
mod extract;
mod graph;
pub(crate) mod landmarks;
pub(crate) mod lmcut;
mod reached;
mod simplify;
mod task;
#[cfg(test)]
mod tests;

use homing_core::catalogue::{Capability, Job, Kind, Row, Use};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use self::additive::Additive;
use self::explore::Exploration;
use self::extract::Trace;
use self::reached::Explore;
use self::task::Task;
use crate::ground::Ground;
use crate::{EstimateBuilder, Goal};

pub(crate) const LAYERS: Row<EstimateBuilder> = Row {
    name: "relaxed-layers",
    kind: Kind::Estimate,
    about: "the steps to the goal, in parallel, if variables kept all their values (h^L)",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    parameters: &[],
    needs: &[],
    gives: &[Capability::Admissible, Capability::Consistent, Capability::LeavesOut],
    uses: &[
        Use::new(Job::FindTimedState, 2, "greedy(relaxed-layers, prefer=useless)"),
        Use::new(Job::Refute, 0, "greedy(relaxed-layers)"),
    ],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(Relaxed::of(goal, Measure::Layers)?))
    },
};

pub(crate) const TRACE: Row<EstimateBuilder> = Row {
    name: "relaxed-trace",
    kind: Kind::Estimate,
    about: "the length of a trace to the goal if variables kept all their values (h^U)",
    cite: "Hoffmann, Nebel 2001; Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    parameters: &[],
    needs: &[],
    gives: &[Capability::LeavesOut, Capability::Helpful],
    uses: &[
        Use::new(Job::FindState, 0, "greedy(relaxed-trace, prefer=useless)"),
        Use::new(Job::FindState, 4, "greedy(relaxed-trace, prefer=useless)"),
        Use::new(Job::FindTimedState, 0, "greedy(relaxed-trace, prefer=useless)"),
    ],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(Relaxed::of(goal, Measure::Trace)?))
    },
};

/// What is measured of the relaxed exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measure {
    /// h^L
    Layers,
    /// h^U
    Trace,
    /// h^add
    Sum,
    /// h^FF
    Supporters,
}

impl Measure {
    fn row(self) -> &'static Row<EstimateBuilder> {
        match self {
            Measure::Layers => &LAYERS,
            Measure::Trace => &TRACE,
            Measure::Sum => &additive::ADD,
            Measure::Supporters => &additive::FF,
        }
    }

    /// Whether it is the cost of a trace.
    fn is_of_trace(self) -> bool {
        matches!(self, Measure::Trace | Measure::Supporters)
    }
}

/// An estimate by relaxation: what all instances share.
struct Relaxed {
    measure: Measure,
    /// What h^L is multiplied by.
    least_cost: Cost,
    /// Whether layers are steps, rather than moves within steps.
    plain: bool,
    /// For every label whether it occurs within steps that others begin.
    inner: Vec<bool>,
    task: Task,
}

/// One instance: explorations in memory of its own.
struct Relaxing<'a, E> {
    of: &'a Relaxed,
    explored: E,
    trace: Trace,
    focus: Focus,
}

/// The state whose steps are being judged, and what its trace says of them.
#[derive(Default)]
struct Focus {
    state: Vec<Word>,
    estimate: Cost,
    /// For every label, what the trace does with it.
    uses: Vec<Role>,
    /// The labels used.
    labels: Vec<u32>,
}

/// What a trace does with a label.
#[derive(Clone, Copy, Default)]
struct Role {
    /// It is needed: no other does the same.
    needed: bool,
    /// It starts the trace.
    helpful: bool,
}

impl Relaxed {
    fn of(goal: &Goal, measure: Measure) -> Result<Relaxed, String> {
        let ground = Ground::of_goal(goal, measure.row().name)?;
        let labels = goal.space.moves().list.len() as u32;
        let task = Task::new(&ground, |label| goal.cost(label));
        let relaxed = Relaxed::new(task, labels, measure, goal.least_cost());
        let inner = (0..labels).map(|label| goal.space.moves().is_inner(label)).collect();
        Ok(Relaxed { plain: goal.steps_are_moves(), inner, ..relaxed })
    }

    fn new(task: Task, labels: u32, measure: Measure, least_cost: Cost) -> Relaxed {
        Relaxed { measure, least_cost, plain: true, inner: vec![false; labels as usize], task }
    }
}

impl HeuristicFactory for Relaxed {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        match self.measure {
            Measure::Layers | Measure::Trace => Box::new(Relaxing::<Exploration>::new(self)),
            Measure::Sum | Measure::Supporters => Box::new(Relaxing::<Additive>::new(self)),
        }
    }
}

impl<'a, E: Explore> Relaxing<'a, E> {
    fn new(of: &'a Relaxed) -> Relaxing<'a, E> {
        let labels = of.inner.len();
        Relaxing {
            of,
            explored: E::new(&of.task),
            trace: Trace::new(&of.task, labels as u32),
            focus: Focus { uses: vec![Role::default(); labels], ..Focus::default() },
        }
    }

    fn evaluate(&mut self, state: &[Word], without: Option<u32>) -> Cost {
        let Relaxed { measure, least_cost, task, .. } = self.of;
        let Some(reached) = self.explored.run(task, state, without) else { return DEAD_END };
        let cost = match measure {
            Measure::Layers => reached.saturating_mul(*least_cost),
            Measure::Sum => reached,
            Measure::Trace | Measure::Supporters => {
                self.trace.extract(task, &self.explored);
                let steps = self.trace.taken.iter().filter(|taken| !taken.again);
                let costs = steps.map(|taken| task.costs[taken.rule as usize]);
                costs.fold(0, Cost::saturating_add)
            }
        };
        cost.min(DEAD_END - 1)
    }

    /// Makes `state` the one whose steps are judged.
    fn focus(&mut self, state: &[Word]) {
        if self.focus.state == state {
            return;
        }
        for label in self.focus.labels.drain(..) {
            self.focus.uses[label as usize] = Role::default();
        }
        self.focus.state.clear();
        self.focus.state.extend_from_slice(state);
        self.focus.estimate = self.evaluate(state, None);
        if self.focus.estimate == DEAD_END {
            return;
        }
        let Relaxed { measure, inner, task, .. } = self.of;
        if !measure.is_of_trace() {
            self.trace.extract(task, &self.explored);
        }
        let reached = self.explored.reached();
        for taken in &self.trace.taken {
            let first = task.pre.get(taken.rule).iter().all(|id| reached.is_first(*id));
            let labels = task.labels.get(taken.rule);
            for label in labels {
                let uses = &mut self.focus.uses[*label as usize];
                uses.needed |= labels.len() == 1 && !inner[*label as usize];
                uses.helpful |= first;
                self.focus.labels.push(*label);
            }
        }
    }
}

impl<E: Explore> Heuristic for Relaxing<'_, E> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        self.evaluate(state, None)
    }

    fn claims(&self) -> Claims {
        let layers = self.of.measure == Measure::Layers && self.of.plain;
        Claims { admissible: layers, consistent: layers }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.focus(state);
        // Without a step, a dead end is one all the more.
        let needed = self.focus.estimate != DEAD_END && self.focus.uses[label as usize].needed;
        Some(if needed { self.evaluate(state, Some(label)) } else { self.focus.estimate })
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        if self.of.measure == Measure::Layers {
            return None;
        }
        self.focus(state);
        Some(self.focus.uses[label as usize].helpful)
    }

    fn work(&self) -> u64 {
        self.explored.reached().work()
    }

    fn bytes(&self) -> usize {
        self.of.task.bytes() + self.explored.bytes() + self.trace.bytes()
    }
}
