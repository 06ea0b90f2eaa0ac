//! Differences from SPIN that have a reason.

/// Part of a model's path, and why its count or verdict differs.
const EXPLAINED: &[(&str, &str)] = &[];

/// Why this model comes out differently, where that is known.
pub fn reason(model: &str) -> Option<&'static str> {
    EXPLAINED.iter().find(|(part, _)| model.contains(part)).map(|(_, reason)| *reason)
}
