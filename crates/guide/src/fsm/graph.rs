//! A process as a graph: its locations, and which step leads from one to
//! another, whatever the guards say.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use homing_core::{Cost, DEAD_END};
use homing_ir::interval::Env;
use homing_ir::system::{Command, Interval, Part, System};

use crate::{Goal, costs};

/// The locations of one process, with the edges that lead to each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// For every location, where one can come from, and how.
    into: Vec<Vec<(usize, Ways)>>,
}

/// The two cheapest labels by which an edge can be taken, the cheapest first.
/// Without one label, an edge costs what the best other one does.
#[derive(Clone, Copy, Debug)]
struct Ways {
    best: (Cost, u32),
    second: Option<(Cost, u32)>,
}

impl Ways {
    fn add(&mut self, way: (Cost, u32)) {
        if way.1 == self.best.1 {
            return;
        }
        let worse = way.max(self.best);
        self.best = way.min(self.best);
        if self.second.is_none_or(|second| worse < second) {
            self.second = Some(worse);
        }
    }

    fn cost(&self, without: Option<u32>) -> Option<Cost> {
        if without == Some(self.best.1) { self.second.map(|way| way.0) } else { Some(self.best.0) }
    }
}

/// The graphs of all processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graphs {
    /// By component.
    pub graphs: Vec<Graph>,
    /// Sets of processes that one label moves, several at a time.
    together: BTreeSet<Vec<usize>>,
    /// For every label, whether some edge costs more without it.
    matters: Vec<bool>,
}

impl Graphs {
    pub(crate) fn of(goal: &Goal) -> Graphs {
        let system = goal.space.system();
        let ranges: Vec<Interval> = system.slots.iter().map(|slot| slot.range).collect();
        let env = Env::new(&ranges);
        let effects: Vec<Vec<(usize, usize, usize)>> =
            system.parts.iter().map(|part| jumps(system, part, &env)).collect();
        let mut edges: Vec<BTreeMap<(usize, usize), Ways>> =
            vec![BTreeMap::new(); system.components.len()];
        let mut together = BTreeSet::new();
        for (label, step) in goal.space.moves().list.iter().enumerate() {
            homing_budget::checkpoint();
            let label = label as u32;
            let way = (goal.cost(label), label);
            let mut moved = BTreeSet::new();
            for part in step.parts(system) {
                for (component, from, to) in &effects[part.index()] {
                    moved.insert(*component);
                    edges[*component]
                        .entry((*to, *from))
                        .and_modify(|ways| ways.add(way))
                        .or_insert(Ways { best: way, second: None });
                }
            }
            if moved.len() > 1 {
                together.insert(moved.into_iter().collect());
            }
        }
        let mut matters = vec![false; goal.space.moves().list.len()];
        for ways in edges.iter().flat_map(BTreeMap::values) {
            let (cost, label) = ways.best;
            // Steps without a label may still have it within.
            let leads = !goal.space.moves().is_inner(label);
            matters[label as usize] |= leads && ways.second.is_none_or(|second| second.0 > cost);
        }
        let graph = |(index, edges): (usize, BTreeMap<(usize, usize), Ways>)| {
            let mut into = vec![Vec::new(); system.components[index].committed.len()];
            edges.into_iter().for_each(|((to, from), ways)| into[to].push((from, ways)));
            Graph { into }
        };
        Graphs { graphs: edges.into_iter().enumerate().map(graph).collect(), together, matters }
    }

    /// Whether some step moves two of these processes at once.
    pub(crate) fn moves_two(&self, processes: &[usize]) -> bool {
        let among = |set: &Vec<usize>| set.iter().filter(|one| processes.contains(one)).count();
        self.together.iter().any(|set| among(set) > 1)
    }

    /// Whether any distance may change without this label.
    pub(crate) fn matters(&self, label: u32) -> bool {
        self.matters[label as usize]
    }
}

impl Graph {
    /// The number of locations.
    pub(crate) fn len(&self) -> usize {
        self.into.len()
    }

    /// For every location, the cost of the cheapest way to one of `targets`,
    /// all steps but those of one label allowed: Dijkstra's algorithm,
    /// backwards.
    pub(crate) fn distances(
        &self,
        targets: impl IntoIterator<Item = usize>,
        without: Option<u32>,
    ) -> Vec<Cost> {
        let mut distances = vec![DEAD_END; self.into.len()];
        let mut open = BinaryHeap::new();
        for target in targets {
            distances[target] = 0;
            open.push((Reverse(0), target));
        }
        while let Some((Reverse(distance), to)) = open.pop() {
            if distance > distances[to] {
                continue;
            }
            for (from, ways) in &self.into[to] {
                let Some(cost) = ways.cost(without) else { continue };
                let through = costs::add(distance, cost);
                if through < distances[*from] {
                    distances[*from] = through;
                    open.push((Reverse(through), *from));
                }
            }
        }
        distances
    }
}

/// What a part may do to locations: the process, from where, where to. A part
/// may also move other processes: those it starts.
fn jumps(system: &System, part: &Part, env: &Env) -> Vec<(usize, usize, usize)> {
    let mut jumps = Vec::new();
    for (index, component) in system.components.iter().enumerate() {
        let last = component.committed.len() as i64 - 1;
        let mut targets = BTreeSet::new();
        for command in part.commands() {
            command.walk(&mut |command| match command {
                Command::Set(slot, value) if *slot == component.location => {
                    let all = Interval::new(0, last);
                    let to = env.eval(value).meet(all).unwrap_or(all);
                    targets.extend(to.lo as usize..=to.hi as usize);
                }
                Command::SetElement { first, count, .. }
                    if (first.0..first.0 + count).contains(&component.location.0) =>
                {
                    targets.extend(0..=last as usize);
                }
                _ => {}
            });
        }
        let own = part.component.index() == index;
        let sources = if own { part.from..=part.from } else { 0..=last };
        for from in sources.map(|from| from as usize) {
            let moves = targets.iter().filter(|to| **to != from);
            jumps.extend(moves.map(|to| (index, from, *to)));
        }
    }
    jumps
}
