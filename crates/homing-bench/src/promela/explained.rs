//! Differences from SPIN that have a reason.

/// Part of a model's path, and why its count or verdict differs.
const EXPLAINED: &[(&str, &str)] = &[(
    "spins/regression/20110228_channel_poll.prom",
    "SPIN takes a poll of a rendezvous channel for an error, homing for a condition that is \
     never true",
)];

/// Why this model comes out differently, where that is known.
pub fn reason(model: &str) -> Option<&'static str> {
    EXPLAINED.iter().find(|(part, _)| model.contains(part)).map(|(_, reason)| *reason)
}
