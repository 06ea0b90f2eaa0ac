//! Which cubes a state is in: a tree of tests on single variables.
//!
//! A node asks for the value of the variable that most of its cubes constrain.
//! There is a branch for every value, with the cubes that allow it, and one for
//! the cubes that do not constrain the variable at all; a state follows both.
//! Where few cubes are left they are tested one by one. Planners find applicable
//! operators so.

use homing_core::Word;

use super::cubes::Cube;
use crate::ground::{Constraint, Values, Var, Variable};

/// As many cubes are tested one by one.
const FEW: usize = 4;

/// No node.
const NONE: u32 = u32::MAX;

/// Cubes to find a state in.
pub(super) struct Lookup {
    variables: Vec<Variable>,
    nodes: Vec<Node>,
    /// The branches of all nodes: for every value of the variable its node, and
    /// last the node of cubes without a constraint on it.
    branches: Vec<u32>,
    /// The cubes of all leaves, nearest first.
    leaves: Vec<u32>,
    cubes: Vec<Cube>,
}

struct Node {
    /// The least distance of its cubes.
    nearest: u32,
    kind: Kind,
}

enum Kind {
    /// Asks for a variable; where its branches begin.
    Ask(Var, u32),
    /// Where its cubes are in `leaves`.
    Leaf(u32, u32),
}

/// A node to be made.
struct Draft {
    /// Where its number is to be written; `NONE` for the root.
    at: u32,
    /// Its cubes, nearest first.
    cubes: Vec<u32>,
    /// The variables asked for on the way.
    asked: Vec<Var>,
}

impl Lookup {
    /// Prepares to find states in these cubes, nearest first.
    pub(super) fn new(variables: &[Variable], cubes: &[Cube]) -> Lookup {
        let mut lookup = Lookup {
            variables: variables.to_vec(),
            nodes: Vec::new(),
            branches: Vec::new(),
            leaves: Vec::new(),
            cubes: cubes.to_vec(),
        };
        // Cubes that allow many values are in many branches. That is bounded.
        let most = 16 * cubes.len() + 1024;
        let all = (0..cubes.len() as u32).collect();
        let mut drafts = vec![Draft { at: NONE, cubes: all, asked: Vec::new() }];
        while let Some(draft) = drafts.pop() {
            homing_budget::checkpoint();
            let waiting: usize = drafts.iter().map(|draft| draft.cubes.len()).sum();
            let free = lookup.leaves.len() + lookup.branches.len() + waiting < most;
            let asks = lookup.most_asked(&draft).filter(|_| free && draft.cubes.len() > FEW);
            lookup.make(draft, asks, &mut drafts);
        }
        lookup
    }

    /// The variable that most cubes constrain, of those not asked for yet.
    fn most_asked(&self, draft: &Draft) -> Option<Var> {
        let mut counts = vec![0u32; self.variables.len()];
        for cube in &draft.cubes {
            for constraint in &self.cubes[*cube as usize].constraints {
                homing_budget::checkpoint();
                counts[constraint.var as usize] += 1;
            }
        }
        draft.asked.iter().for_each(|var| counts[*var as usize] = 0);
        let most = (0..counts.len()).rev().max_by_key(|var| counts[*var])?;
        (counts[most] > 0).then_some(most as Var)
    }

    fn make(&mut self, draft: Draft, asks: Option<Var>, drafts: &mut Vec<Draft>) {
        let number = self.nodes.len() as u32;
        if draft.at != NONE {
            self.branches[draft.at as usize] = number;
        }
        let distance = |cube: &u32| self.cubes[*cube as usize].distance;
        let nearest = draft.cubes.first().map_or(u32::MAX, distance);
        let Some(var) = asks else {
            let start = self.leaves.len() as u32;
            self.leaves.extend(&draft.cubes);
            let kind = Kind::Leaf(start, self.leaves.len() as u32);
            self.nodes.push(Node { nearest, kind });
            return;
        };
        let start = self.branches.len() as u32;
        let size = self.variables[var as usize].size();
        self.branches.extend((0..=size).map(|_| NONE));
        self.nodes.push(Node { nearest, kind: Kind::Ask(var, start) });
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); size as usize + 1];
        for cube in draft.cubes {
            match constraint(&self.cubes[cube as usize].constraints, var) {
                None => below[size as usize].push(cube),
                Some(values) => values.iter().for_each(|value| below[value as usize].push(cube)),
            }
        }
        for (branch, cubes) in (start..).zip(below) {
            if !cubes.is_empty() {
                let mut asked = draft.asked.clone();
                asked.push(var);
                drafts.push(Draft { at: branch, cubes, asked });
            }
        }
    }

    /// The least distance of a cube that the state is in. `open` is scratch memory for
    /// the nodes to visit.
    pub(super) fn distance(&self, state: &[Word], open: &mut Vec<u32>) -> Option<u32> {
        let mut least = u32::MAX;
        open.clear();
        open.push(0);
        while let Some(node) = open.pop() {
            let Node { nearest, kind } = &self.nodes[node as usize];
            if *nearest >= least {
                continue;
            }
            match *kind {
                Kind::Leaf(start, end) => {
                    let cubes = &self.leaves[start as usize..end as usize];
                    least = least.min(self.first(cubes, state, least));
                }
                Kind::Ask(var, start) => {
                    let variable = &self.variables[var as usize];
                    let value = variable.get(state).min(variable.size());
                    let any = self.branches[(start + variable.size()) as usize];
                    let this = self.branches[(start + value) as usize];
                    open.extend([any, this].into_iter().filter(|node| *node != NONE));
                }
            }
        }
        (least != u32::MAX).then_some(least)
    }

    /// The distance of the first cube nearer than `least` that the state is in;
    /// `least` where there is none.
    fn first(&self, cubes: &[u32], state: &[Word], least: u32) -> u32 {
        for cube in cubes {
            let cube = &self.cubes[*cube as usize];
            if cube.distance >= least {
                break;
            }
            let holds = |constraint: &Constraint| {
                constraint.values.contains(self.variables[constraint.var as usize].get(state))
            };
            if cube.constraints.iter().all(holds) {
                return cube.distance;
            }
        }
        least
    }

    pub(super) fn bytes(&self) -> usize {
        let constraints: usize = self.cubes.iter().map(|cube| cube.constraints.len()).sum();
        self.nodes.len() * size_of::<Node>()
            + (self.branches.len() + self.leaves.len()) * size_of::<u32>()
            + self.cubes.len() * size_of::<Cube>()
            + constraints * (size_of::<Constraint>() + size_of::<u64>())
    }
}

fn constraint(constraints: &[Constraint], var: Var) -> Option<&Values> {
    let at = constraints.binary_search_by_key(&var, |constraint| constraint.var).ok()?;
    Some(&constraints[at].values)
}
