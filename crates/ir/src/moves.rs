//! The steps of a system, numbered.
//!
//! Every way parts can move together has a number, its label, so that a
//! search can say how a state was reached in one word. Pairs are numbered one
//! by one, at most quadratically many; joints have one number each, whatever
//! the number of combinations, and tell these apart by a choice.

use std::ops::Range;

use crate::network::Atomic;
use crate::system::{Component, ComponentId, PartId, PartRole, System};
use crate::trace::Step;

/// A way parts move together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// One part, alone.
    Alone(PartId),
    /// A rendezvous.
    Pair {
        /// Who sends.
        sender: PartId,
        /// Who receives.
        receiver: PartId,
    },
    /// The joint with this number.
    Joint(u32),
}

impl Move {
    /// The parts that may take part in it.
    pub fn parts(self, system: &System) -> Vec<PartId> {
        match self {
            Move::Alone(part) => vec![part],
            Move::Pair { sender, receiver } => vec![sender, receiver],
            Move::Joint(joint) => {
                let joint = &system.joints[joint as usize];
                let members = joint.members.iter().flat_map(|member| member.parts.iter().copied());
                joint.leader.into_iter().chain(members).collect()
            }
        }
    }
}

/// Who holds control after a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Holder {
    /// Who.
    pub component: ComponentId,
    /// Whether it goes on by its first move only and must not be blocked.
    pub deterministic: bool,
}

/// All moves of a system.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// By label.
    pub list: Vec<Move>,
    /// For every component and location, the labels of the moves it leads:
    /// alone or as sender.
    at: Vec<Vec<Range<u32>>>,
    /// By label.
    holders: Vec<Option<Holder>>,
    /// By label.
    timeouts: Vec<bool>,
    /// By label.
    inner: Vec<bool>,
    /// By label.
    held_only: Vec<bool>,
    /// By label.
    committed: Vec<bool>,
    /// By label.
    urgent: Vec<bool>,
}

impl Moves {
    /// Numbers the moves of a system: component by component, location by
    /// location, in the order of the parts; joints last.
    pub fn of(system: &System) -> Moves {
        let mut moves = Moves::default();
        let held = held_locations(system);
        for locations in leading_parts(system) {
            let mut at = Vec::new();
            for parts in locations {
                let start = moves.list.len() as u32;
                parts.into_iter().for_each(|part| moves.led_by(system, &held, part));
                at.push(start..moves.list.len() as u32);
            }
            moves.at.push(at);
        }
        moves.list.extend((0..system.joints.len() as u32).map(Move::Joint));
        moves.holders = moves.list.iter().map(|one| holder(system, *one)).collect();
        moves.held_only = moves.list.iter().map(|one| !can_commit(system, *one)).collect();
        moves.inner = moves.list.iter().map(|one| is_inner(system, &held, *one)).collect();
        moves.timeouts = moves.list.iter().map(|one| is_timeout(system, *one)).collect();
        moves.committed = moves.list.iter().map(|one| leaves_committed(system, *one)).collect();
        moves.urgent = moves.list.iter().map(|one| is_urgent(system, *one)).collect();
        moves
    }

    /// Whether moves with this label leave a committed location. Of joints the
    /// members say so, one by one.
    pub fn is_committed(&self, label: u32) -> bool {
        self.committed[label as usize]
    }

    /// Whether time does not pass while a move with this label is possible.
    pub fn is_urgent(&self, label: u32) -> bool {
        self.urgent[label as usize]
    }

    /// Whether there are moves that time waits for.
    pub fn has_urgent(&self) -> bool {
        self.urgent.contains(&true)
    }

    /// Who holds control after a move with this label.
    pub fn holder(&self, label: u32) -> Option<Holder> {
        self.holders[label as usize]
    }

    /// Whether moves with this label may happen within an atomic block, in a
    /// step that others began.
    pub fn is_inner(&self, label: u32) -> bool {
        self.inner[label as usize]
    }

    /// Whether commitment allows moves with this label only to a sender that
    /// holds control.
    pub fn is_held_only(&self, label: u32) -> bool {
        self.held_only[label as usize]
    }

    /// Whether any moves are for holders of control only.
    pub fn has_held_only(&self) -> bool {
        self.held_only.contains(&true)
    }

    /// Whether moves with this label happen only where no others do. Of joints
    /// the members say so, one by one.
    pub fn is_timeout(&self, label: u32) -> bool {
        self.timeouts[label as usize]
    }

    fn led_by(&mut self, system: &System, held: &[Vec<bool>], id: PartId) {
        homing_budget::checkpoint();
        match &system.part(id).role {
            PartRole::Alone => self.list.push(Move::Alone(id)),
            PartRole::Send(channel, _) => {
                let meeting = system.rendezvous.iter().filter(|r| r.channel == *channel);
                let receivers = meeting.flat_map(|r| &r.receivers);
                self.list.extend(
                    receivers
                        .filter(|receiver| can_meet(system, held, id, **receiver))
                        .map(|receiver| Move::Pair { sender: id, receiver: *receiver }),
                );
            }
            PartRole::Receive(..) | PartRole::Label(_) => {}
        }
    }

    /// The labels of the moves that `component` leads at `location`.
    pub fn at(&self, component: ComponentId, location: usize) -> Range<u32> {
        self.at[component.index()][location].clone()
    }

    /// The most successors a state can have, joints apart, where a move with a
    /// label leads to at most `of` it.
    pub fn most(&self, of: impl Fn(u32) -> usize) -> usize {
        let here = |labels: &Range<u32>| labels.clone().map(&of).sum::<usize>();
        let most = |at: &Vec<Range<u32>>| at.iter().map(here).max().unwrap_or(0);
        self.at.iter().map(most).sum()
    }

    /// The edges of the network taken by a move that is not a joint.
    pub fn step(&self, system: &System, label: u32) -> Step {
        let parts = match self.list[label as usize] {
            Move::Alone(part) => vec![part],
            Move::Pair { sender, receiver } => vec![sender, receiver],
            Move::Joint(_) => Vec::new(),
        };
        Step::new(parts.into_iter().map(|part| system.part(part).edge).collect())
    }
}

/// For every component and location whether control may be held there.
fn held_locations(system: &System) -> Vec<Vec<bool>> {
    let none = |component: &Component| vec![false; component.committed.len()];
    let mut held: Vec<Vec<bool>> = system.components.iter().map(none).collect();
    for part in system.parts.iter().filter(|part| part.atomic != Atomic::No) {
        let slot = system.component(part.component).location;
        for target in part.targets(slot) {
            held[part.component.index()][target as usize] = true;
        }
    }
    held
}

fn is_inner(system: &System, held: &[Vec<bool>], one: Move) -> bool {
    let part = match one {
        Move::Alone(part) | Move::Pair { sender: part, .. } => system.part(part),
        Move::Joint(_) => return false,
    };
    held[part.component.index()][part.from as usize]
}

/// For every component and location, the parts that move alone or as senders.
fn leading_parts(system: &System) -> Vec<Vec<Vec<PartId>>> {
    let joints = system.joints.iter().filter(|joint| joint.leader.is_none());
    let members = joints.flat_map(|joint| &joint.members).flat_map(|member| &member.parts);
    let mut joined = vec![false; system.parts.len()];
    members.for_each(|part| joined[part.index()] = true);
    let locations = system.components.iter().map(|c| vec![Vec::new(); c.committed.len()]);
    let mut leading: Vec<Vec<Vec<PartId>>> = locations.collect();
    for (number, part) in system.parts.iter().enumerate().filter(|(number, _)| !joined[*number]) {
        leading[part.component.index()][part.from as usize].push(PartId(number as u32));
    }
    leading
}

fn holder(system: &System, one: Move) -> Option<Holder> {
    let part = match one {
        Move::Alone(part) | Move::Pair { receiver: part, .. } => system.part(part),
        Move::Joint(_) => return None,
    };
    let deterministic = part.atomic == Atomic::Deterministic;
    (part.atomic != Atomic::No).then_some(Holder { component: part.component, deterministic })
}

fn is_timeout(system: &System, one: Move) -> bool {
    match one {
        Move::Alone(part) => system.part(part).timeout,
        Move::Pair { sender, receiver } => {
            system.part(sender).timeout || system.part(receiver).timeout
        }
        Move::Joint(_) => false,
    }
}

/// Whether two parts can ever move together. Where one location is committed
/// and the other is not, commitment forbids it, unless the sender holds control.
fn can_meet(system: &System, held: &[Vec<bool>], sender: PartId, receiver: PartId) -> bool {
    let one = Move::Pair { sender, receiver };
    system.part(sender).component != system.part(receiver).component
        && (can_commit(system, one) || is_inner(system, held, one))
}

fn leaves_committed(system: &System, one: Move) -> bool {
    let committed = |part: PartId| system.is_committed(system.part(part));
    match one {
        Move::Alone(part) => committed(part),
        Move::Pair { sender, receiver } => committed(sender) || committed(receiver),
        Move::Joint(_) => false,
    }
}

fn is_urgent(system: &System, one: Move) -> bool {
    let Some(timing) = &system.timing else { return false };
    match one {
        Move::Alone(part) | Move::Pair { sender: part, .. } => timing.is_urgent(system, part),
        Move::Joint(joint) => {
            let leader = system.joints[joint as usize].leader;
            leader.is_some_and(|leader| timing.is_urgent(system, leader))
        }
    }
}

/// Whether commitment allows a move: all at committed locations, or none; or
/// just one, in systems where that is enough.
fn can_commit(system: &System, one: Move) -> bool {
    match one {
        _ if system.any_committed => true,
        Move::Pair { sender, receiver } => {
            system.is_committed(system.part(sender)) == system.is_committed(system.part(receiver))
        }
        Move::Alone(_) | Move::Joint(_) => true,
    }
}
