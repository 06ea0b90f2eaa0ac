//! A breadth-first search and a random walk of automata: enough to find an error
//! for a random system, and to tell how far away it is.
//!
//! The benchmark program does not link against homing, so it brings its own. The
//! tests of `tests/family.rs` compare the two.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::automata::{Action, System};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Steps to the nearest error, where one was found.
    pub distance: Option<u32>,
    /// States stored until then, those of the last level all included.
    pub states: usize,
    /// Whether the search ended by itself: with an error, or with every state.
    pub complete: bool,
}

/// Where a search stops.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// It looks no further than so many steps.
    pub depth: u32,
    /// It stores about so many states.
    pub states: usize,
}

/// The locations of all processes, each in as many bits as it needs.
type State = u128;

/// Searches breadth-first for the goal of `system`. A system whose states need
/// more than 128 bits is not searched.
pub fn explore(system: &System, limits: Limits) -> Found {
    let Some(indexed) = Indexed::new(system) else {
        return Found { distance: None, states: 0, complete: false };
    };
    let mut closed: HashSet<State, BuildHasherDefault<Mix>> = HashSet::default();
    closed.insert(0);
    let mut level = vec![0];
    let mut distance = 0;
    while !level.is_empty() {
        if level.iter().any(|state| indexed.is_goal(*state)) {
            return Found { distance: Some(distance), states: closed.len(), complete: true };
        }
        if distance == limits.depth {
            return Found { distance: None, states: closed.len(), complete: false };
        }
        let mut next = Vec::new();
        for state in level {
            indexed.post(state, |successor| {
                if closed.insert(successor) {
                    next.push(successor);
                }
            });
            if closed.len() > limits.states {
                return Found { distance: None, states: closed.len(), complete: false };
            }
        }
        level = next;
        distance += 1;
    }
    Found { distance: None, states: closed.len(), complete: true }
}

/// Where a walk of so many steps ends, as the location of each process, or none
/// if no step was possible on the way. `choose` picks one of so many steps.
pub fn walk(
    system: &System,
    steps: u32,
    mut choose: impl FnMut(usize) -> usize,
) -> Option<Vec<String>> {
    let indexed = Indexed::new(system)?;
    let mut state = 0;
    let mut successors = Vec::new();
    for _ in 0..steps {
        successors.clear();
        indexed.post(state, |successor| successors.push(successor));
        if successors.is_empty() {
            return None;
        }
        state = successors[choose(successors.len())];
    }
    let processes = system.processes.iter().enumerate();
    let place = |index| indexed.place(state, index);
    Some(processes.map(|(i, process)| process.locations()[place(i)].to_string()).collect())
}

/// A hasher without a random seed, so that every run is the same.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u128(u128::from(*byte)));
    }

    fn write_u128(&mut self, value: u128) {
        let folded = self.0 ^ value as u64 ^ ((value >> 64) as u64).rotate_left(32);
        let mixed = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A system with numbers for names.
struct Indexed {
    processes: Vec<IndexedProcess>,
    /// Who receives on a channel, by channel.
    receivers: Vec<Vec<usize>>,
    goal: Vec<(usize, usize)>,
}

struct IndexedProcess {
    /// Its first bit in a state.
    shift: u32,
    /// Its bits, at the low end.
    mask: State,
    /// Edges by location.
    edges: Vec<Vec<IndexedEdge>>,
}

struct IndexedEdge {
    to: State,
    action: IndexedAction,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexedAction {
    Internal,
    Send(usize),
    Receive(usize),
}

impl Indexed {
    /// None if a state does not fit.
    fn new(system: &System) -> Option<Indexed> {
        let mut channels = BTreeMap::new();
        for edge in system.processes.iter().flat_map(|process| &process.edges) {
            let fresh = channels.len();
            edge.channel().map(|name| *channels.entry(name).or_insert(fresh));
        }
        let mut receivers = vec![Vec::new(); channels.len()];
        let mut processes = Vec::new();
        let mut shift = 0;
        for (index, process) in system.processes.iter().enumerate() {
            let locations = process.locations();
            let number: BTreeMap<_, _> = locations.iter().zip(0..).collect();
            let mut edges: Vec<Vec<IndexedEdge>> = locations.iter().map(|_| Vec::new()).collect();
            for edge in &process.edges {
                let action = match &edge.action {
                    Action::Internal => IndexedAction::Internal,
                    Action::Send(name) => IndexedAction::Send(channels[name.as_str()]),
                    Action::Receive(name) => {
                        let channel = channels[name.as_str()];
                        if receivers[channel].last() != Some(&index) {
                            receivers[channel].push(index);
                        }
                        IndexedAction::Receive(channel)
                    }
                };
                let from: State = number[&edge.from.as_str()];
                edges[from as usize].push(IndexedEdge { to: number[&edge.to.as_str()], action });
            }
            let bits = usize::BITS - (locations.len() - 1).leading_zeros();
            processes.push(IndexedProcess { shift, mask: (1 << bits) - 1, edges });
            shift += bits;
        }
        let goal = system.goal.iter().filter_map(|(process, place)| {
            let locations = system.processes[*process].locations();
            locations.iter().position(|location| location == place).map(|place| (*process, place))
        });
        let goal = goal.collect();
        (shift <= State::BITS).then_some(Indexed { processes, receivers, goal })
    }

    fn is_goal(&self, state: State) -> bool {
        self.goal.iter().all(|(process, place)| self.place(state, *process) == *place)
    }

    fn place(&self, state: State, process: usize) -> usize {
        let IndexedProcess { shift, mask, .. } = &self.processes[process];
        (state >> shift & mask) as usize
    }

    fn out(&self, state: State, process: usize) -> &[IndexedEdge] {
        &self.processes[process].edges[self.place(state, process)]
    }

    fn moved(&self, state: State, process: usize, to: State) -> State {
        let IndexedProcess { shift, mask, .. } = &self.processes[process];
        state & !(mask << shift) | to << shift
    }

    fn post(&self, state: State, mut visit: impl FnMut(State)) {
        for process in 0..self.processes.len() {
            for edge in self.out(state, process) {
                let moved = self.moved(state, process, edge.to);
                match edge.action {
                    IndexedAction::Internal => visit(moved),
                    IndexedAction::Receive(_) => {}
                    IndexedAction::Send(channel) => {
                        for &other in self.receivers[channel].iter().filter(|o| **o != process) {
                            for met in self.out(state, other) {
                                if met.action == IndexedAction::Receive(channel) {
                                    visit(self.moved(moved, other, met.to));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
