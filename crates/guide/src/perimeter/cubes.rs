//! Layers of cubes, by regression.

use std::collections::BTreeMap;

use crate::ground::{Constraint, Ground, Operator, Values};

/// The work of making layers, in cubes taken back or compared.
const WORK: u64 = 10_000_000;

/// A conjunction of constraints, in order of the variables, with its distance
/// to the goal.
#[derive(Clone, Debug)]
pub(super) struct Cube {
    pub constraints: Vec<Constraint>,
    pub distance: u32,
}

/// Why there are no more layers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// There is nothing more: the goal cannot be reached from elsewhere.
    Complete,
    /// There are as many as were asked for.
    Deep,
    /// The next one takes too much.
    Full,
}

/// The layers around the goal.
#[derive(Debug)]
pub(super) struct Layers {
    /// The cubes of all layers, those of the goal first.
    pub cubes: Vec<Cube>,
    /// The number of the last layer that is whole.
    pub depth: u32,
    pub stop: Stop,
}

impl Layers {
    /// At most `depth` layers around the goal, of at most `most` cubes together.
    /// Operators must have no conditional effects.
    pub(super) fn of(ground: &Ground, depth: u32, most: u64, memory: usize) -> Layers {
        let mut growing = Growing {
            ground,
            changing: changing(ground),
            kept: Vec::new(),
            by_variables: BTreeMap::new(),
            most: usize::try_from(most).unwrap_or(usize::MAX),
            room: memory / 2,
            work: WORK,
        };
        let none = Layers { cubes: Vec::new(), depth: 0, stop: Stop::Full };
        if growing.add(ground.goals.clone(), 0).is_none() {
            return none;
        }
        let mut first = 0;
        for distance in 1..=depth {
            let last = growing.kept.len();
            let Some(candidates) = growing.before(first) else {
                return growing.layers(last, distance - 1, Stop::Full);
            };
            match growing.add(candidates, distance) {
                None => return growing.layers(last, distance - 1, Stop::Full),
                Some(0) => return growing.layers(last, distance - 1, Stop::Complete),
                Some(_) => first = last,
            }
        }
        let all = growing.kept.len();
        growing.layers(all, depth, Stop::Deep)
    }
}

/// For every variable the operators that change it.
fn changing(ground: &Ground) -> Vec<Vec<u32>> {
    let mut changing = vec![Vec::new(); ground.variables.len()];
    for (number, operator) in ground.operators.iter().enumerate() {
        for effect in &operator.effects {
            changing[effect.var as usize].push(number as u32);
        }
    }
    changing
}

struct Growing<'a> {
    ground: &'a Ground,
    changing: Vec<Vec<u32>>,
    kept: Vec<Cube>,
    /// The kept cubes by the variables they constrain, as a signature.
    by_variables: BTreeMap<u64, Vec<u32>>,
    most: usize,
    /// The bytes left.
    room: usize,
    work: u64,
}

impl Growing<'_> {
    fn layers(mut self, cubes: usize, depth: u32, stop: Stop) -> Layers {
        self.kept.truncate(cubes);
        Layers { cubes: self.kept, depth, stop }
    }

    /// Spends work; `None` where none is left.
    fn spend(&mut self, work: u64) -> Option<()> {
        self.work = self.work.checked_sub(work)?;
        Some(())
    }

    /// What leads into the kept cubes from `first` on, in one step.
    fn before(&mut self, first: usize) -> Option<Vec<Vec<Constraint>>> {
        let mut candidates = Vec::new();
        let mut operators: Vec<u32> = Vec::new();
        for cube in first..self.kept.len() {
            homing_budget::checkpoint();
            operators.clear();
            for constraint in &self.kept[cube].constraints {
                operators.extend(&self.changing[constraint.var as usize]);
            }
            operators.sort_unstable();
            operators.dedup();
            self.spend(operators.len() as u64)?;
            for operator in &operators {
                let operator = &self.ground.operators[*operator as usize];
                candidates.extend(regress(&self.kept[cube].constraints, operator));
            }
        }
        Some(candidates)
    }

    /// Keeps the candidates that are in no kept cube. Answers how many; `None`
    /// where that is too much.
    fn add(&mut self, mut candidates: Vec<Vec<Constraint>>, distance: u32) -> Option<usize> {
        // Those that say least first: they contain others.
        candidates.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        candidates.dedup();
        let before = self.kept.len();
        for constraints in candidates {
            homing_budget::checkpoint();
            if self.is_contained(&constraints)? {
                continue;
            }
            let bytes: usize =
                constraints.iter().map(|c| size_of::<Constraint>() + c.values.len() as usize).sum();
            self.room = self.room.checked_sub(bytes)?;
            if self.kept.len() >= self.most {
                return None;
            }
            let number = self.kept.len() as u32;
            self.by_variables.entry(signature(&constraints)).or_default().push(number);
            self.kept.push(Cube { constraints, distance });
        }
        Some(self.kept.len() - before)
    }

    /// Whether a kept cube contains this one. Of its distance, too: cubes are
    /// kept nearest first.
    fn is_contained(&mut self, cube: &[Constraint]) -> Option<bool> {
        let variables = signature(cube);
        let mut work = 1;
        let mut contained = false;
        for (signature, kept) in &self.by_variables {
            homing_budget::checkpoint();
            work += 1;
            if signature & !variables != 0 {
                continue;
            }
            work += kept.len() as u64;
            contained =
                kept.iter().any(|kept| contains(&self.kept[*kept as usize].constraints, cube));
            if contained {
                break;
            }
        }
        self.spend(work)?;
        Some(contained)
    }
}

/// Bits for the variables of a cube: what has fewer bits may contain what has
/// more.
fn signature(cube: &[Constraint]) -> u64 {
    cube.iter().fold(0, |bits, constraint| bits | 1 << (constraint.var % 64))
}

/// Whether every state of `cube` is one of `large`.
fn contains(large: &[Constraint], cube: &[Constraint]) -> bool {
    let mut at = 0;
    large.iter().all(|wide| {
        while at < cube.len() && cube[at].var < wide.var {
            at += 1;
        }
        at < cube.len() && cube[at].var == wide.var && cube[at].values.within(&wide.values)
    })
}

/// The states from which the operator may lead into the cube; `None` where
/// there is none that is not in the cube itself.
fn regress(cube: &[Constraint], operator: &Operator) -> Option<Vec<Constraint>> {
    let mut before: Vec<Constraint> = Vec::with_capacity(cube.len() + operator.pre.len());
    let mut helps = false;
    for constraint in cube {
        let effect = operator.effects.iter().find(|effect| effect.var == constraint.var);
        match effect {
            Some(effect) if !effect.values.intersect(&constraint.values).is_empty() => helps = true,
            Some(effect) if !effect.may => return None,
            _ => before.push(constraint.clone()),
        }
    }
    if !helps {
        return None;
    }
    for pre in &operator.pre {
        match before.binary_search_by_key(&pre.var, |constraint| constraint.var) {
            Err(at) => before.insert(at, pre.clone()),
            Ok(at) => {
                let both: Values = before[at].values.intersect(&pre.values);
                if both.is_empty() {
                    return None;
                }
                before[at].values = both;
            }
        }
    }
    Some(before)
}
