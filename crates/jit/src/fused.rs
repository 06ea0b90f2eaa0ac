//! Sequences of moves compiled as one.
//!
//! Where control stays with a component after a move, the moves that may follow
//! are known from the target location. They are compiled behind the first, on
//! the same working state: a tree, whose branches are the choices on the way.
//!
//! ```text
//! after(move):
//!   nobody holds control:            a leaf, the step is over
//!   all moves at the target are the holder's own, alone, and there is room:
//!                                    a fork of after(each of them)
//!   else:                            a leaf at which control is still held
//! ```
//! What is still held is followed up at run time. The states of a step are the
//! same either way; only work is saved: nothing is stored, hashed or loaded
//! between moves of one tree.

use homing_ir::moves::{Holder, Move, Moves};
use homing_ir::system::{Command, Part, System};

/// The most moves of one tree. Trees grow with the product of choices in a row;
/// what does not fit is a tree of its own.
const MOST: usize = 40;

/// The most moves of all trees: compiling takes time, too.
const MOST_OF_ALL: usize = 4_000;

/// Marks the `choice` of an edge as the number of a path through a tree.
pub const FUSED: u32 = 1 << 31;

/// A way from the first move of a tree to one of its moves.
#[derive(Clone, Debug)]
pub struct Path {
    /// The labels of the moves.
    pub labels: Vec<u32>,
    /// Who still holds control at its end, where it is a leaf.
    pub holder: Option<Holder>,
}

/// What follows a move.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The number of the path to the move.
    pub path: u32,
    /// What may follow; none for a leaf.
    pub fork: Option<Fork>,
}

/// The moves that may follow, in order.
#[derive(Clone, Debug)]
pub(crate) struct Fork {
    pub ways: Vec<(u32, Node)>,
    /// Whether only the first that is possible happens.
    pub deterministic: bool,
    /// Where a deterministic component fails that has none.
    pub blocked: Option<u32>,
}

/// The trees of a system.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    pub paths: Vec<Path>,
    /// By the label of the first move.
    trees: Vec<Option<Node>>,
}

impl Trees {
    /// No tree for any of the moves.
    pub(crate) fn none(moves: &Moves) -> Trees {
        Trees { paths: Vec::new(), trees: vec![None; moves.list.len()] }
    }

    /// The trees of all moves after which control is held.
    pub(crate) fn of(system: &System, moves: &Moves) -> Trees {
        let mut trees = Trees::none(moves);
        // Commitment decides about pairs; there such moves are followed up
        // one by one.
        if !system.has_atomic_parts() || moves.has_held_only() {
            return trees;
        }
        let mut spent = 0;
        for label in 0..moves.list.len() as u32 {
            if moves.holder(label).is_none()
                || !matches!(moves.list[label as usize], Move::Alone(_))
            {
                continue;
            }
            let mut growing = Growing { system, moves, paths: &mut trees.paths, left: MOST };
            let tree = growing.after(&[], label, &mut Vec::new());
            spent += MOST - growing.left;
            if let Some(tree) = tree.filter(|tree| tree.fork.is_some()) {
                trees.trees[label as usize] = Some(tree);
            }
            if spent > MOST_OF_ALL {
                break;
            }
        }
        trees
    }

    /// What follows the move with this label, where it is compiled with it.
    pub(crate) fn get(&self, label: u32) -> Option<&Node> {
        self.trees[label as usize].as_ref()
    }

    /// The most successors, or failures, of a move with all that follows it.
    pub(crate) fn most(&self, label: u32) -> usize {
        self.get(label).map_or(1, Node::size)
    }
}

impl Node {
    /// Moves and forks: each emits one successor and one failure at most.
    fn size(&self) -> usize {
        let ways = self.fork.iter().flat_map(|fork| &fork.ways);
        2 + ways.map(|(_, node)| node.size()).sum::<usize>()
    }
}

struct Growing<'g> {
    system: &'g System,
    moves: &'g Moves,
    paths: &'g mut Vec<Path>,
    left: usize,
}

impl Growing<'_> {
    /// What follows a move; none where there is no room for it. `passed` are
    /// the locations on the way.
    fn after(&mut self, before: &[u32], label: u32, passed: &mut Vec<i64>) -> Option<Node> {
        self.left = self.left.checked_sub(1)?;
        let labels = [before, &[label]].concat();
        let path = self.paths.len() as u32;
        let holder = self.moves.holder(label);
        self.paths.push(Path { labels: labels.clone(), holder });
        let Move::Alone(part) = self.moves.list[label as usize] else { return None };
        let part = self.system.part(part);
        let fork = holder.and_then(|holder| self.fork(part, holder, &labels, passed));
        if fork.is_some() {
            // Emitted only where the holder is blocked, which ends the step.
            self.paths[path as usize].holder = None;
        }
        Some(Node { path, fork })
    }

    fn fork(
        &mut self,
        part: &Part,
        holder: Holder,
        labels: &[u32],
        passed: &mut Vec<i64>,
    ) -> Option<Fork> {
        let component = self.system.component(part.component);
        let targets = part.targets(component.location);
        let [target] = targets[..] else { return None };
        // A failed assertion ends everything, which is asked at run time.
        if passed.contains(&target) || sets(part, self.system.trap) {
            return None;
        }
        let at = self.moves.at(holder.component, target as usize);
        let ordinary: Vec<u32> = at.filter(|label| !self.moves.is_timeout(*label)).collect();
        let alone = |label: &u32| matches!(self.moves.list[*label as usize], Move::Alone(_));
        if ordinary.is_empty() || !ordinary.iter().all(alone) {
            return None;
        }
        let (left, known) = (self.left, self.paths.len());
        passed.push(target);
        let ways: Option<Vec<(u32, Node)>> = ordinary
            .iter()
            .map(|label| Some((*label, self.after(labels, *label, passed)?)))
            .collect();
        passed.pop();
        let Some(ways) = ways else {
            // No room: this is where another tree begins.
            self.paths.truncate(known);
            self.left = left;
            return None;
        };
        let blocked = component.blocked[target as usize].map(|site| site.0);
        let deterministic = holder.deterministic;
        Some(Fork { ways, deterministic, blocked: blocked.filter(|_| deterministic) })
    }
}

fn sets(part: &Part, slot: Option<homing_ir::system::SlotId>) -> bool {
    let mut found = false;
    for command in part.commands() {
        command.walk(&mut |command| {
            found |= matches!(command, Command::Set(set, _) if Some(*set) == slot);
        });
    }
    found
}
