//! Estimates by the distance of single processes to sets of locations.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::layout::Field;

use super::graph::Graphs;
use super::locations;
use crate::{Goal, costs};

/// Where processes are wanted: a component, and any of some of its locations.
pub(crate) type Places = Vec<(usize, BTreeSet<usize>)>;

/// Of several disjuncts the least, of a disjunct's processes the greatest or
/// the sum of the distances.
pub(crate) struct Tables {
    graphs: Graphs,
    locations: Vec<Field>,
    /// What distances are asked for: a component and its targets.
    wanted: Places,
    /// For each of them, the distance from every location.
    tables: Vec<Vec<Cost>>,
    /// For labels that matter, the distances without their steps, computed when first
    /// asked for.
    without: Vec<OnceLock<Vec<Vec<Cost>>>>,
    /// Each with the positions of its tables.
    disjuncts: Vec<Vec<usize>>,
    sum: bool,
}

impl Tables {
    pub(crate) fn new(goal: &Goal, disjuncts: Vec<Places>, sum: bool) -> Tables {
        let all: BTreeSet<&(usize, BTreeSet<usize>)> = disjuncts.iter().flatten().collect();
        let wanted: Places = all.into_iter().cloned().collect();
        let position = |place| wanted.binary_search(place).unwrap_or_default();
        let disjuncts = disjuncts.iter().map(|places| places.iter().map(position).collect());
        let mut tables = Tables {
            graphs: Graphs::of(goal),
            locations: locations(goal),
            disjuncts: disjuncts.collect(),
            wanted,
            tables: Vec::new(),
            without: vec![OnceLock::new(); goal.space.moves().list.len()],
            sum,
        };
        tables.tables = tables.distances(None);
        tables
    }

    fn distances(&self, without: Option<u32>) -> Vec<Vec<Cost>> {
        let distances = |(component, targets): &(usize, BTreeSet<usize>)| {
            self.graphs.graphs[*component].distances(targets.iter().copied(), without)
        };
        self.wanted.iter().map(distances).collect()
    }

    fn look_up(&self, tables: &[Vec<Cost>], state: &[Word]) -> Cost {
        let combine = if self.sum { costs::add } else { Cost::max };
        let distance = |table: &usize| {
            let location = self.locations[self.wanted[*table].0].get(state);
            tables[*table][location as usize]
        };
        let disjunct = |places: &Vec<usize>| places.iter().map(distance).fold(0, combine);
        self.disjuncts.iter().map(disjunct).min().unwrap_or(DEAD_END)
    }
}

impl HeuristicFactory for Tables {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &Tables {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        self.look_up(&self.tables, state)
    }

    fn claims(&self) -> Claims {
        let apart = |places: &Vec<usize>| {
            let processes: Vec<usize> = places.iter().map(|place| self.wanted[*place].0).collect();
            !self.graphs.moves_two(&processes)
        };
        let sound = !self.sum || self.disjuncts.iter().all(apart);
        Claims { admissible: sound, consistent: sound }
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        let tables = match self.graphs.matters(label) {
            true => self.without[label as usize].get_or_init(|| self.distances(Some(label))),
            false => &self.tables,
        };
        Some(self.look_up(tables, state))
    }

    fn bytes(&self) -> usize {
        let tables =
            self.tables.iter().chain(self.without.iter().filter_map(OnceLock::get).flatten());
        tables.map(|table| table.len() * size_of::<Cost>()).sum()
    }
}
