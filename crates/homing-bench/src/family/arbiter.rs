//! `A2`–`A6`: arbiter trees, in which one client says too often that it is done.
//!
//! Our reconstruction after Dräger, Finkbeiner, Podelski, STTT 2009, section 7.
//!
//! A binary tree of height k: its 2^k leaves are clients, its 2^k − 1 inner nodes
//! arbiters, and a process `Root` above it owns the one grant there is. Nodes
//! are numbered as in a heap: 1 is the topmost arbiter, the children of `a` are
//! `2a` and `2a + 1`. Node `i` and its parent meet on `request_i`, `grant_i`,
//! `release_i`, and every step is such a meeting.
//!
//! ```text
//! client   idle —request!→ waiting —grant?→ critical —release!→ idle
//! root     idle —request?→ asked —grant!→ granted —release?→ idle
//! arbiter  idle —request of c?→ asked(c) —request!→ waiting(c) —grant?→ granted(c)
//!               —grant to c!→ busy(c) —release of c?→ free —release!→ idle
//! ```
//!
//! While it serves child `c`, an arbiter notes one request of the other child
//! (`…_then`), and then passes the grant on instead of giving it back. A release
//! nobody waits for is ignored.
//!
//! The faulty client is the leftmost. It sends several releases: `critical
//! —release!→ critical`. After the first of them the arbiters above believe that
//! it is done, and the grant goes to the other side of the tree. The error is
//! that the leftmost and the rightmost client are in their critical sections.
//!
//! # Calibration
//!
//! The shortest way takes 5k + 2 steps: 2k + 2 until the faulty client is in its
//! section, k for its release to come to the topmost arbiter, k for the request
//! of the rightmost client to come there, and k for the grant on its way down.
//! That is 12 and 17 for heights 2 and 3, as in the paper, whose traces of
//! length 25 and 35 count 2L + 1.

use super::automata::{Process, System};

/// The arbiter tree of this height, at least 1.
pub fn system(height: usize) -> System {
    let leaves = 1 << height;
    let faulty = leaves;
    let other = 2 * leaves - 1;
    let clients = (leaves..2 * leaves).map(|node| client(node, node == faulty));
    let processes: Vec<_> = clients.chain((1..leaves).map(arbiter)).chain([root()]).collect();
    let goal = [faulty, other].map(|node| (node - leaves, "critical".to_string()));
    System { processes, goal: goal.to_vec() }
}

fn request(node: usize) -> String {
    format!("request_{node}")
}

fn grant(node: usize) -> String {
    format!("grant_{node}")
}

fn release(node: usize) -> String {
    format!("release_{node}")
}

fn client(node: usize, faulty: bool) -> Process {
    let mut client = Process::new(format!("Client_{node}"), "idle");
    client.send("idle", "waiting", &request(node));
    client.receive("waiting", "critical", &grant(node));
    client.send("critical", "idle", &release(node));
    if faulty {
        client.send("critical", "critical", &release(node));
    }
    client
}

fn root() -> Process {
    let mut root = Process::new("Root", "idle");
    root.receive("idle", "asked", &request(1));
    root.send("asked", "granted", &grant(1));
    root.receive("granted", "idle", &release(1));
    root
}

fn arbiter(node: usize) -> Process {
    let mut arbiter = Process::new(format!("Arbiter_{node}"), "idle");
    let children = [2 * node, 2 * node + 1];
    for (child, sibling) in [(children[0], children[1]), (children[1], children[0])] {
        serve(&mut arbiter, node, child, sibling);
    }
    arbiter.send("free", "idle", &release(node));
    for child in children {
        let deaf: Vec<String> = arbiter.locations().iter().map(ToString::to_string).collect();
        let waits = [format!("busy_{child}"), format!("busy_{child}_then")];
        for location in deaf.iter().filter(|location| !waits.contains(location)) {
            arbiter.receive(location, location, &release(child));
        }
    }
    arbiter
}

/// What an arbiter does for one child.
fn serve(arbiter: &mut Process, node: usize, child: usize, sibling: usize) {
    let at = |stage: &str, then: &str| format!("{stage}_{child}{then}");
    arbiter.receive("idle", &at("asked", ""), &request(child));
    for then in ["", "_then"] {
        arbiter.send(&at("asked", then), &at("waiting", then), &request(node));
        arbiter.receive(&at("waiting", then), &at("granted", then), &grant(node));
        arbiter.send(&at("granted", then), &at("busy", then), &grant(child));
    }
    for stage in ["asked", "waiting", "granted", "busy"] {
        arbiter.receive(&at(stage, ""), &at(stage, "_then"), &request(sibling));
    }
    arbiter.receive(&at("busy", ""), "free", &release(child));
    // The grant stays here: the sibling is next.
    arbiter.receive(&at("busy", "_then"), &format!("granted_{sibling}"), &release(child));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::explore::{Limits, explore};

    const LIMITS: Limits = Limits { depth: 1000, states: 1_000_000 };

    #[test]
    fn there_are_as_many_processes_as_in_the_paper() {
        assert_eq!(system(2).processes.len(), 8);
        assert_eq!(system(6).processes.len(), 128);
    }

    #[test]
    fn the_shortest_errors_are_those_of_the_paper() {
        for (height, steps) in [(1, 7), (2, 12), (3, 17)] {
            let found = explore(&system(height), LIMITS);
            assert_eq!(found.distance, Some(steps), "height {height}");
        }
    }

    #[test]
    fn without_the_fault_there_is_no_error() {
        let mut system = system(2);
        for client in &mut system.processes {
            client.edges.retain(|edge| edge.from != "critical" || edge.to != "critical");
        }
        let found = explore(&system, LIMITS);
        assert_eq!(found.distance, None);
        assert!(found.complete);
    }
}
