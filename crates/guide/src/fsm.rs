//! The FSM distance: how far every process by itself is from where the goal
//! wants it, in the graph of its locations, whatever the guards say.
//!
//! Edelkamp, Leue, Lluch Lafuente, "Directed explicit-state model checking in
//! the validation of communication protocols" (2004):
//!
//! ```text
//! δ_i(l, L)  the length of the shortest path of process i from l to L
//! d^L(s)  =  max over i of δ_i(pc_i(s), L_i)
//! d^U(s)  =  sum over i of δ_i(pc_i(s), L_i)
//! ```
//! Distances are computed once, backwards from the locations L_i that the goal
//! admits for process i. We deviate: a goal is a disjunction, and the estimate
//! is the least of its disjuncts' estimates; edges cost what the cheapest step
//! they can be taken by costs.
//!
//! d^L is consistent: one step moves each process along one edge at most. d^U
//! is, too, where no step moves two of the processes that are added up; where
//! some does, it is not even admissible. Where a process cannot get to where
//! the goal wants it, there is no way to the goal.

mod graph;
pub(crate) mod tables;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use homing_core::catalogue::{Capability, Job, Kind, Row, Use};
use homing_core::{Cost, Distance, Word};
use homing_ir::layout::Field;

use crate::ground::Ground;
use crate::{EstimateBuilder, Goal, Target, costs};
use graph::Graphs;
use tables::{Places, Tables};

pub(crate) const MAX: Row<EstimateBuilder> = Row {
    name: "fsm-max",
    kind: Kind::Estimate,
    about: "FSM distance d^L: of all processes, the greatest distance to where the goal wants it",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    parameters: &[],
    needs: &[],
    gives: &[Capability::LeavesOut],
    uses: &[
        Use::new(Job::Shortest, 0, "astar(max([fsm-max, abstraction]))"),
        Use::new(Job::Connect, 0, "astar(ties([fsm-max, hamming]))"),
    ],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(build(goal, "fsm-max", false)?))
    },
};

pub(crate) const SUM: Row<EstimateBuilder> = Row {
    name: "fsm-sum",
    kind: Kind::Estimate,
    about: "FSM distance d^U: the sum of all processes' distances to where the goal wants them",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    parameters: &[],
    needs: &[],
    gives: &[Capability::LeavesOut],
    uses: &[Use::new(Job::Begin, 0, "greedy(fsm-sum)")],
    build: |goal, call| {
        call.allow_named(&[])?;
        Ok(Box::new(build(goal, "fsm-sum", true)?))
    },
};

fn build(goal: &Goal, name: &str, sum: bool) -> Result<Tables, String> {
    let disjuncts = wanted(goal, name)?;
    if disjuncts.iter().any(Vec::is_empty) {
        let notice = "the goal does not say where processes are, so that every state";
        goal.notices.borrow_mut().push(format!("{notice} is estimated 0 by `{name}`"));
    }
    Ok(Tables::new(goal, disjuncts, sum))
}

/// For every disjunct of the goal, where it wants processes.
fn wanted(goal: &Goal, name: &str) -> Result<Vec<Places>, String> {
    let system = goal.space.system();
    let locations = system.components.iter().map(|component| component.location).enumerate();
    if let Target::State(state) = goal.target {
        let fields = &goal.space.layout().fields;
        let place = |(index, slot): (usize, homing_ir::system::SlotId)| {
            (index, BTreeSet::from([fields[slot.index()].get(state) as usize]))
        };
        return Ok(vec![locations.map(place).collect()]);
    }
    let ground = Ground::goals_only(goal, name)?;
    let mut disjuncts: Vec<Places> = Vec::new();
    for disjunct in &ground.goals {
        let places = disjunct.iter().filter_map(|constraint| {
            let variable = &ground.variables[constraint.var as usize];
            let of = |component: &homing_ir::system::Component| component.location == variable.slot;
            let index = system.components.iter().position(of)?;
            let all = 0..system.components[index].committed.len();
            let admits =
                |location: &usize| constraint.values.contains(variable.class(*location as i64));
            Some((index, all.filter(admits).collect()))
        });
        disjuncts.push(places.collect());
    }
    disjuncts.sort();
    disjuncts.dedup();
    Ok(disjuncts)
}

/// FSM distances between any two states: for every process the distances to
/// the location that the second state has it at, computed when first asked
/// for.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    graphs: Graphs,
    /// Where the location of each process lies.
    locations: Vec<Field>,
    /// For every process and location, the distances to it.
    tables: Vec<Vec<OnceLock<Vec<Cost>>>>,
    sum: bool,
}

impl Distances {
    /// The distances of the processes of the goal's space, by the goal's costs: the
    /// greatest of all processes, d^L, which is never above the true one, or the sum
    /// of all, d^U. What the goal is does not matter.
    pub(crate) fn of(goal: &Goal, sum: bool) -> Distances {
        let graphs = Graphs::of(goal);
        let tables = graphs.graphs.iter().map(|graph| vec![OnceLock::new(); graph.len()]).collect();
        Distances { tables, graphs, locations: locations(goal), sum }
    }
}

impl Distance for Distances {
    /// A dead end where some process cannot get there.
    fn distance(&self, from: &[Word], to: &[Word]) -> Cost {
        let combine = if self.sum { costs::add } else { Cost::max };
        let mut distance = 0;
        for (index, field) in self.locations.iter().enumerate() {
            let (from, to) = (field.get(from) as usize, field.get(to) as usize);
            let graph = &self.graphs.graphs[index];
            let table = self.tables[index][to].get_or_init(|| graph.distances([to], None));
            distance = combine(distance, table[from]);
        }
        distance
    }

    fn bytes(&self) -> usize {
        let tables = self.tables.iter().flatten().filter_map(OnceLock::get);
        tables.map(|table| table.len() * size_of::<Cost>()).sum()
    }
}

/// Where the location of each process lies in packed states.
fn locations(goal: &Goal) -> Vec<Field> {
    let fields = &goal.space.layout().fields;
    let components = goal.space.system().components.iter();
    components.map(|component| fields[component.location.index()]).collect()
}
