//! `F5`, `F10`, `F15`: Fischer's protocol with a wait that is too short.
//!
//! Our reconstruction after Wehrle, Kupferschmid, SPIN 2010, section 5.1; the
//! protocol is Fischer's, as told by M. Abadi, L. Lamport, *An old-fashioned recipe
//! for real time*, TOPLAS 16 (1994).
//!
//! ```text
//! idle    —id = 0, x := 0→              trying      at most 2 units there
//! trying  —id := i, x := 0→             waiting
//! waiting —id = i, x ≥ 1→               critical    the protocol needs x > 2
//! waiting —id = 0, x := 0→              trying
//! critical —id := 0→                    idle
//! ```
//!
//! # What was known, and what was chosen
//!
//! The paper says that one of the temporal conditions is weakened and that two
//! predefined automata must not be in a certain location at once. Which condition
//! and which automata it does not say: ours are the wait, in all automata, and the
//! first and the last automaton.
//!
//! # Calibration
//!
//! Two automata see the free lock, the first takes it and enters, the second takes
//! it and enters: 6 steps for any number of automata, as in the paper's Table 3.
//! Breadth-first search explores there 333, 5313, 34068 states for 5, 10, 15
//! automata; TChecker's with inclusion of zones visits 453, 6055, 31182 here (284,
//! 3390, 16946 if the error were asked of the first two automata, 541, 10117, 65853
//! of the last two), homing's 267, 1877, 7320, as it looks at states when it makes them.

use super::timed::{Process, System, is, set, test};

/// How long the lock may take to be written.
const WRITE: i64 = 2;

/// How long an automaton waits; more than `WRITE` would be right.
const WAIT: i64 = 1;

/// Fischer's protocol with so many automata, at least two.
pub fn system(automata: usize) -> System {
    let most = automata as i64;
    let mut system = System::default();
    system.integer("id", most);
    for i in 1..=most {
        system.clock(&format!("x{i}"));
        system.processes.push(automaton(i));
    }
    system.goal = [1, most].map(|i| (name(i), "critical".to_string())).to_vec();
    system
}

fn name(i: i64) -> String {
    format!("P{i}")
}

fn automaton(i: i64) -> Process {
    let x = format!("x{i}");
    let mut process = Process::new(name(i));
    process.location("idle", None);
    process.location("trying", Some(test(&x, "<=", WRITE)));
    process.location("waiting", None);
    process.location("critical", None);
    process.edge("idle", "trying", vec![is("id", 0)], vec![set(&x, 0)]);
    process.edge("trying", "waiting", vec![], vec![set(&x, 0), set("id", i)]);
    process.edge("waiting", "critical", vec![is("id", i), test(&x, ">=", WAIT)], vec![]);
    process.edge("waiting", "trying", vec![is("id", 0)], vec![set(&x, 0)]);
    process.edge("critical", "idle", vec![], vec![set("id", 0)]);
    process
}
