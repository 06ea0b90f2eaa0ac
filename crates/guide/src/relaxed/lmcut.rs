//! LM-cut: landmarks found as cuts of a justification graph, their costs
//! added up.
//!
//! Helmert, Domshlak, "Landmarks, Critical Paths and Abstractions: What's the
//! Difference Anyway?" (ICAPS 2009).
//!
//! ```text
//! LM-cut(s):
//!   cost := the cost of every operator;  h := 0
//!   loop:
//!     h^max := the costs of all conditions, from s, by cost;  pcf(o) := the precondition
//!              of o with the greatest h^max
//!     if h^max(goal) = ∞: return dead end
//!     if h^max(goal) = 0: return h
//!     justification graph: an edge pcf(o) → c for every operator o and c in adds(o)
//!     N* := conditions from which the goal can be reached by edges of cost 0
//!     N⁰ := conditions that can be reached from s without entering N*
//!     L  := the operators with an edge from N⁰ to N*
//!     m  := the least cost in L;  h := h + m;  cost(o) := cost(o) - m for all o in L
//! ```
//!
//! Every way to the goal has a step of each L, and no step is charged more than
//! it costs over all L it is in, so that h^LM-cut is admissible. It is not
//! consistent.
//!
//! What keeps it admissible here: the operators that are charged are those of
//! the [ground form](crate::ground) with conditional effects multiplied out
//! (beyond a limit into effects that may happen): every step is a step of one
//! of them, whichever of its effects apply. Rules of the relaxed problem that
//! several operators do are edges of all of them: such a rule costs what the
//! cheapest of them costs, and all are in the cut. A constraint on several
//! values is one condition, an effect that gives one of several values gives
//! all of them. Disjuncts of the goal are operators without cost.
//!
//! After a cut h^max is not computed anew: it only falls, so what falls is
//! propagated, as Fast Downward does.

use homing_core::catalogue::{Capability, Kind, Parameter, Row};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};

use super::additive::Queue;
use super::graph::Graph;
use super::reached::{NEVER, NONE};
use super::task::{Lists, Task};
use crate::costs::GREATEST;
use crate::ground::Ground;
use crate::{EstimateBuilder, Goal};

const CASES: Parameter = Parameter {
    name: "cases",
    about: "the most operators of a step that conditional effects are multiplied out into",
    default: "256",
};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "lmcut",
    kind: Kind::Estimate,
    about: "the costs of sets of steps of which every way to the goal has one, if variables \
            kept all their values (LM-cut)",
    cite: "Helmert, Domshlak 2009",
    parameters: &[CASES],
    needs: &[],
    gives: &[Capability::Admissible],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&[CASES.name])?;
        let cases = CASES.number(call)?;
        Ok(Box::new(LmCut::of(goal, cases as usize)?))
    },
};

/// The relaxed problem with its operators: what all instances share.
pub(super) struct LmCut {
    task: Task,
    graph: Graph,
    /// For every rule, the operators that do it; none where it is no rule of
    /// the task.
    operators: Lists,
    /// For every operator, the rules it does.
    does: Lists,
    /// What every operator costs.
    costs: Vec<Cost>,
    /// What every rule costs.
    rule_costs: Vec<Cost>,
}

impl LmCut {
    fn of(goal: &Goal, cases: usize) -> Result<LmCut, String> {
        let ground = Ground::of_goal(goal, ROW.name)?;
        Ok(LmCut::new(ground.split(cases), |label| goal.cost(label)))
    }

    /// `ground` has no conditional effects.
    pub fn new(mut ground: Ground, cost: impl Fn(u32) -> Cost) -> LmCut {
        let costs: Vec<Cost> = ground.operators.iter().map(|o| cost(o.label)).collect();
        // Operators are told apart, whatever step they belong to.
        for (number, operator) in ground.operators.iter_mut().enumerate() {
            operator.label = number as u32;
        }
        let task = Task::new(&ground, |operator| costs[operator as usize]);
        let graph = Graph::new(&task);
        let doers = |rule| if rule < task.rules() { task.labels.get(rule as u32) } else { &[] };
        let operators = Lists::of((0..graph.rules()).map(|rule| doers(rule).iter().copied()));
        let mut rule_costs = task.costs.clone();
        rule_costs.resize(graph.rules(), 0);
        LmCut { does: operators.transposed(costs.len()), task, graph, operators, costs, rule_costs }
    }

    /// What a rule costs while operators cost `left`.
    fn cost(&self, rule: u32, left: &[Cost]) -> Cost {
        let operators = self.operators.get(rule);
        operators.iter().map(|operator| left[*operator as usize]).min().unwrap_or(0)
    }

    fn bytes(&self) -> usize {
        let own = 4 * (self.costs.len() + self.rule_costs.len());
        self.task.bytes() + self.graph.bytes() + self.operators.bytes() + self.does.bytes() + own
    }
}

impl HeuristicFactory for LmCut {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(Cutting::new(self))
    }
}

/// One instance: h^max, zones and cuts in memory of its own.
struct Cutting<'a> {
    of: &'a LmCut,
    /// For every condition, h^max.
    h_max: Vec<Cost>,
    open: Queue,
    /// For every rule, how many preconditions are not reached yet.
    missing: Vec<u32>,
    /// For every rule that is reached, the precondition with the greatest
    /// h^max; [`NONE`] for others.
    pcf: Vec<u32>,
    /// What is left of the cost of every operator, and so of every rule.
    left: Vec<Cost>,
    costs: Vec<Cost>,
    zones: Vec<Zone>,
    stack: Vec<u32>,
    /// The conditions that the state satisfies, and the one always satisfied.
    facts: Vec<u32>,
    /// The rules of the cut, and for every operator the round it was charged in.
    cut: Vec<u32>,
    charged: Vec<u64>,
    round: u64,
    touched: u64,
}

/// Where a condition lies in the justification graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zone {
    Neither,
    /// N*
    Goal,
    /// N⁰
    Before,
}

impl<'a> Cutting<'a> {
    fn new(of: &'a LmCut) -> Cutting<'a> {
        let (conditions, rules) = (of.graph.conditions(), of.graph.rules());
        Cutting {
            of,
            h_max: vec![NEVER; conditions],
            open: Queue::default(),
            missing: vec![0; rules],
            pcf: vec![NONE; rules],
            left: of.costs.clone(),
            costs: vec![0; rules],
            zones: vec![Zone::Neither; conditions],
            stack: Vec::new(),
            facts: Vec::new(),
            cut: Vec::new(),
            charged: vec![0; of.costs.len()],
            round: 0,
            touched: 0,
        }
    }

    fn evaluate(&mut self, state: &[Word]) -> Cost {
        if self.of.task.trivial {
            return 0;
        }
        self.start(state);
        self.reach();
        let mut h: Cost = 0;
        loop {
            match self.h_max[self.of.graph.goal as usize] {
                NEVER => return DEAD_END,
                0 => return h,
                _ => {}
            }
            self.find_goal_zone();
            self.find_cut();
            h = h.saturating_add(self.charge()).min(GREATEST);
            self.fall();
        }
    }

    fn start(&mut self, state: &[Word]) {
        let LmCut { task, graph, costs, rule_costs, .. } = self.of;
        self.left.copy_from_slice(costs);
        self.costs.copy_from_slice(rule_costs);
        self.missing.copy_from_slice(&graph.asked);
        self.h_max.fill(NEVER);
        self.pcf.fill(NONE);
        graph.facts(task, state, &mut self.facts);
        self.open.clear();
        for fact in &self.facts {
            self.h_max[*fact as usize] = 0;
            self.open.push(*fact, 0);
        }
    }

    /// h^max of all conditions.
    fn reach(&mut self) {
        let of = self.of;
        while let Some((condition, cost)) = self.open.pop() {
            if self.h_max[condition as usize] < cost {
                continue;
            }
            self.touched += 1;
            for rule in of.graph.users.get(condition) {
                self.missing[*rule as usize] -= 1;
                if self.missing[*rule as usize] == 0 {
                    self.pcf[*rule as usize] = condition;
                    self.support(*rule, cost);
                }
            }
        }
    }

    /// What the rule adds costs no more than with a precondition of this cost.
    #[inline]
    fn support(&mut self, rule: u32, pre: Cost) {
        self.touched += 1;
        let cost = pre.saturating_add(self.costs[rule as usize]).min(GREATEST);
        for condition in self.of.graph.adds.get(rule) {
            if cost < self.h_max[*condition as usize] {
                self.h_max[*condition as usize] = cost;
                self.open.push(*condition, cost);
            }
        }
    }

    /// N*: backwards from the goal by rules that cost nothing.
    fn find_goal_zone(&mut self) {
        self.zones.fill(Zone::Neither);
        self.zones[self.of.graph.goal as usize] = Zone::Goal;
        self.stack.push(self.of.graph.goal);
        while let Some(condition) = self.stack.pop() {
            for rule in self.of.graph.adders.get(condition) {
                let pcf = self.pcf[*rule as usize];
                let free = self.costs[*rule as usize] == 0 && pcf != NONE;
                if free && self.zones[pcf as usize] == Zone::Neither {
                    self.zones[pcf as usize] = Zone::Goal;
                    self.stack.push(pcf);
                }
            }
        }
    }

    /// N⁰, forwards from the state, and the rules that lead from it into N*.
    fn find_cut(&mut self) {
        self.cut.clear();
        for fact in &self.facts {
            self.zones[*fact as usize] = Zone::Before;
            self.stack.push(*fact);
        }
        while let Some(condition) = self.stack.pop() {
            for rule in self.of.graph.users.get(condition) {
                if self.pcf[*rule as usize] == condition {
                    self.follow(*rule);
                }
            }
        }
    }

    /// Follows the edges of a rule whose precondition is in N⁰.
    fn follow(&mut self, rule: u32) {
        self.touched += 1;
        let mut crosses = false;
        for condition in self.of.graph.adds.get(rule) {
            let zone = &mut self.zones[*condition as usize];
            match zone {
                Zone::Goal => crosses = true,
                Zone::Neither => {
                    *zone = Zone::Before;
                    self.stack.push(*condition);
                }
                Zone::Before => {}
            }
        }
        if crosses {
            self.cut.push(rule);
        }
    }

    /// Charges the operators of the cut as much as the cheapest of them costs,
    /// and answers how much that is. Rules that cost less now wait in `cut`.
    fn charge(&mut self) -> Cost {
        let of = self.of;
        let least = self.cut.iter().map(|rule| self.costs[*rule as usize]).min().unwrap_or(0);
        debug_assert!(least > 0, "a rule that costs nothing does not leave N*");
        self.round += 1;
        let mut cut = std::mem::take(&mut self.cut);
        for rule in cut.drain(..) {
            for operator in of.operators.get(rule) {
                if std::mem::replace(&mut self.charged[*operator as usize], self.round)
                    != self.round
                {
                    self.left[*operator as usize] -= least;
                    self.stack.push(*operator);
                }
            }
        }
        self.cut = cut;
        while let Some(operator) = self.stack.pop() {
            for rule in of.does.get(operator) {
                let cost = of.cost(*rule, &self.left);
                if cost < self.costs[*rule as usize] {
                    self.costs[*rule as usize] = cost;
                    self.cut.push(*rule);
                }
            }
        }
        least
    }

    /// Brings h^max up to date after some rules became cheaper.
    fn fall(&mut self) {
        let of = self.of;
        self.open.clear();
        let mut cut = std::mem::take(&mut self.cut);
        for rule in cut.drain(..) {
            let pcf = self.pcf[rule as usize];
            if pcf != NONE {
                self.support(rule, self.h_max[pcf as usize]);
            }
        }
        self.cut = cut;
        while let Some((condition, cost)) = self.open.pop() {
            if self.h_max[condition as usize] < cost {
                continue;
            }
            self.touched += 1;
            for rule in of.graph.users.get(condition) {
                if self.pcf[*rule as usize] == condition {
                    self.choose_again(*rule);
                }
            }
        }
    }

    /// The precondition that was dearest became cheaper.
    fn choose_again(&mut self, rule: u32) {
        let (mut pcf, mut dearest) = (self.pcf[rule as usize], 0);
        for condition in self.of.graph.pre.get(rule) {
            let cost = self.h_max[*condition as usize];
            if cost > dearest {
                (pcf, dearest) = (*condition, cost);
            }
        }
        self.pcf[rule as usize] = pcf;
        self.support(rule, dearest);
    }
}

impl Heuristic for Cutting<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        self.evaluate(state)
    }

    fn claims(&self) -> Claims {
        Claims { admissible: true, consistent: false }
    }

    fn work(&self) -> u64 {
        self.touched / 8
    }

    fn bytes(&self) -> usize {
        let own = 4 * (self.h_max.len() + 3 * self.costs.len() + 3 * self.left.len());
        self.of.bytes() + own + self.zones.len() + self.open.bytes()
    }
}
