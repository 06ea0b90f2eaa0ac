//! `R5`–`R10`: random systems.
//!
//! Our reconstruction after Dräger, Finkbeiner, Podelski, STTT 2009, section 7,
//! which gives the parameters: n processes of 3 to 10 states, 2n actions, each
//! shared by two processes; no system without an error path, none that falls
//! apart into independent ones; fifteen systems of each size. It does not give
//! the numbers of transitions and of error states. Here:
//!
//! ```text
//! repeat
//!   each action goes to two processes at random: one sends, one receives
//!   each state of a process has two or three transitions to other states, each
//!     with an action of that process or none (τ), all equally likely; two that
//!     are the same count as one
//!   an action that a process has no transition for gets one from a random state
//!   walk at random for WALK steps; the error is that the GUARDED processes,
//!     chosen at random, are where they are at the end of the walk
//! until the processes hang together, the walk did not end in a deadlock, and the
//!   error is at least NEAREST steps away
//! ```
//!
//! To the processes that are not guarded, any state is an error state. Choosing
//! the error at the end of a walk spares a search through all states of a system
//! that may have none. One seed always gives the same system.
//!
//! # Calibration
//!
//! The paper's shortest traces have length 22 to 27 in the mean, whatever the
//! size, which is 11 to 13 steps if it counts 2L + 1 as elsewhere. Here they have
//! 10.9 to 12.3. Until it finds them, breadth-first search stores 4 thousand states
//! for five processes and 500 thousand for ten, in the mean; the paper's, with A*
//! and the FSM estimate, explored 36 thousand for five and ran out of memory for ten.

use super::automata::{Action, Edge, Process, System};
use super::explore::{Limits, explore, walk};

/// Processes whose state matters to the error.
const GUARDED: usize = 5;
/// Steps to the error below which a system is too easy.
const NEAREST: u32 = 10;
/// Steps of the walk that ends in the error.
const WALK: u32 = 1000;
/// Where no error may be.
const NEAR: Limits = Limits { depth: NEAREST - 1, states: usize::MAX };

/// The random system of so many processes with this seed.
pub fn system(processes: usize, seed: u64) -> System {
    let mut random = Random { state: seed.wrapping_mul(1000).wrapping_add(processes as u64) };
    loop {
        let mut system = draw(processes, &mut random);
        if !connected(&system) {
            continue;
        }
        let Some(end) = walk(&system, WALK, |bound| random.below(bound)) else { continue };
        let guarded = choose(GUARDED.min(processes), processes, &mut random);
        system.goal = guarded.into_iter().map(|process| (process, end[process].clone())).collect();
        if explore(&system, NEAR).distance.is_none() {
            return system;
        }
    }
}

/// A system without an error.
fn draw(count: usize, random: &mut Random) -> System {
    let mut alphabets: Vec<Vec<Action>> = vec![vec![Action::Internal]; count];
    for action in 1..=2 * count {
        let sender = random.below(count);
        let receiver = (sender + 1 + random.below(count - 1)) % count;
        alphabets[sender].push(Action::Send(format!("a{action}")));
        alphabets[receiver].push(Action::Receive(format!("a{action}")));
    }
    let numbered = alphabets.iter().enumerate();
    let processes = numbered.map(|(i, alphabet)| process(i, alphabet, random)).collect();
    System { processes, goal: Vec::new() }
}

fn process(index: usize, alphabet: &[Action], random: &mut Random) -> Process {
    let states = 3 + random.below(8);
    let mut process = Process::new(format!("P_{}", index + 1), "q0");
    let add = |process: &mut Process, from: usize, action: &Action, random: &mut Random| {
        let to = (from + 1 + random.below(states - 1)) % states;
        let (from, to) = (format!("q{from}"), format!("q{to}"));
        let twin = |edge: &Edge| edge.from == from && edge.to == to && edge.action == *action;
        if !process.edges.iter().any(twin) {
            process.edge(&from, &to, action.clone());
        }
    };
    for from in 0..states {
        for _ in 0..2 + random.below(2) {
            let action = &alphabet[random.below(alphabet.len())];
            add(&mut process, from, action, random);
        }
    }
    for action in alphabet {
        if !process.edges.iter().any(|edge| edge.action == *action) {
            let from = random.below(states);
            add(&mut process, from, action, random);
        }
    }
    process
}

/// So many different numbers below `bound`, in ascending order.
fn choose(count: usize, bound: usize, random: &mut Random) -> Vec<usize> {
    let mut numbers: Vec<_> = (0..bound).collect();
    while numbers.len() > count {
        numbers.remove(random.below(numbers.len()));
    }
    numbers
}

/// Whether every process is connected to the first by shared actions.
fn connected(system: &System) -> bool {
    let share = |a: &Process, b: &Process| {
        let mut channels = a.edges.iter().filter_map(|edge| edge.channel());
        channels.any(|channel| b.edges.iter().any(|edge| edge.channel() == Some(channel)))
    };
    let mut open = vec![0];
    let mut rest: Vec<_> = (1..system.processes.len()).collect();
    while let Some(process) = open.pop() {
        let near = |other: &usize| share(&system.processes[process], &system.processes[*other]);
        open.extend(rest.iter().copied().filter(near));
        rest.retain(|other| !open.contains(other));
    }
    rest.is_empty()
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): small, and the same on every
/// machine.
pub(crate) struct Random {
    pub state: u64,
}

impl Random {
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::SEEDS;
    use std::collections::BTreeMap;

    const LIMITS: Limits = Limits { depth: 100, states: 1_000_000 };

    #[test]
    fn errors_are_reachable_and_not_at_once() {
        for count in [3, 5, 6] {
            for seed in SEEDS {
                let found = explore(&system(count, seed), LIMITS);
                let near = found.distance.is_some_and(|distance| distance >= NEAREST);
                assert!(near, "{count} processes, seed {seed}: {found:?}");
            }
        }
    }

    #[test]
    fn systems_have_the_shape_the_paper_asks_for() {
        for seed in SEEDS {
            let system = system(7, seed);
            assert_eq!(system.processes.len(), 7);
            let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (index, process) in system.processes.iter().enumerate() {
                assert!((3..=10).contains(&process.locations().len()), "seed {seed}");
                for channel in process.edges.iter().filter_map(|edge| edge.channel()) {
                    users.entry(channel).or_default().push(index);
                }
            }
            users.values_mut().for_each(Vec::dedup);
            assert_eq!(users.len(), 14, "seed {seed}");
            assert!(users.values().all(|users| users.len() == 2), "seed {seed}: {users:?}");
        }
    }

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(system(5, 3), system(5, 3));
        assert_ne!(system(5, 3), system(5, 4));
    }

    #[test]
    fn independent_parts_are_noticed() {
        let pair = |channel: &str| {
            let [mut a, mut b] = ["a", "b"].map(|name| Process::new(name, "q"));
            a.send("q", "r", channel);
            b.receive("q", "r", channel);
            [a, b]
        };
        let of = |processes: Vec<Process>| connected(&System { processes, goal: Vec::new() });
        assert!(of(pair("x").to_vec()));
        assert!(of([pair("x"), pair("x")].concat()));
        assert!(!of([pair("x"), pair("y")].concat()));
    }
}
