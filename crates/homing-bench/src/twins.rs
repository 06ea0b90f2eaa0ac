//! BEEM models that exist in DVE and in Promela as the same system.
//!
//! Many twins differ: one language's model has more intermediate locations, a
//! buffer of another length or an `init` process of its own. A twin is fit for
//! comparison when it has a million states or more and the two state counts agree
//! within a factor of two. All twins between one and fifteen million states were
//! tried, with `pan` made and run as in `pan.rs` within eight gigabytes.

/// A pair of models fit for comparison.
pub struct Twin {
    /// The instance, for example `at.3`.
    pub name: &'static str,
    /// A stack just large enough for `pan`'s depth-first search: it is
    /// allocated at once and counts as memory.
    pub depth: u64,
}

const fn twin(name: &'static str, depth: u64) -> Twin {
    Twin { name, depth }
}

/// The twins compared, by their number of states.
pub const TWINS: &[Twin] = &[
    twin("bopdp.3", 300),
    twin("lamport.5", 48_000),
    twin("szymanski.3", 51_000),
    twin("sorter.3", 1_000),
    twin("schedule_world.2", 22_000),
    twin("leader_filters.5", 100),
    twin("at.3", 212_000),
    twin("szymanski.4", 76_000),
    twin("needham.4", 100),
    twin("at.4", 870_000),
    twin("elevator2.3", 900_000),
    twin("lamport.6", 144_000),
    twin("elevator_planning.2", 8_000_000),
    twin("telephony.4", 1_150_000),
    twin("sorter.4", 14_000),
    twin("hanoi.3", 14_400_000),
    twin("phils.6", 14_400_000),
];

/// Twins between one and fifteen million states that are not compared, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("iprotocol.3", "3.1 times as many states in Promela"),
    ("iprotocol.4", "3.2 times as many states in Promela"),
    ("krebs.4", "17.6 times as many states in Promela"),
    ("rether.4", "2.4 times as many states in Promela"),
    ("rether.5", "3.5 times as many states in Promela"),
    ("rether.6", "more than twice as many states in Promela"),
    ("rether.7", "more than twice as many states in Promela"),
    ("lamport_nonatomic.4", "21.9 times as many states in Promela"),
    ("public_subscribe.2 to .4", "5.6 times as many states in Promela"),
    ("firewire_link.6", "18 times as many states in Promela before memory ran out"),
    ("cambridge.6", "22 times as many states in Promela before memory ran out"),
    ("cambridge.7", "more than twice as many states in Promela"),
    ("production_cell.5", "more than twice as many states in Promela"),
    ("production_cell.6", "more than twice as many states in Promela"),
    ("train-gate.6", "more than twice as many states in Promela"),
    ("brp.4", "more than twice as many states in Promela"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twin_is_either_compared_or_left_out() {
        for twin in TWINS {
            assert!(LEFT_OUT.iter().all(|(name, _)| *name != twin.name));
        }
        assert!(TWINS.len() >= 8);
    }
}
