//! BEEM models that exist in DVE and in Promela as the same system.
//!
//! Many twins differ: one language's model has more intermediate locations, a
//! buffer of another length or an `init` process of its own. A twin is fit for
//! comparison when it has a million states or more and the two state counts agree
//! within a factor of two. Counts were taken with `pan` as in `pan.rs`.

/// A pair of models fit for comparison.
pub struct Twin {
    /// The instance, for example `at.3`.
    pub name: &'static str,
    /// A stack just large enough for `pan`'s depth-first search: it is
    /// allocated at once and counts as memory.
    pub depth: u64,
}

/// The twins compared.
pub const TWINS: &[Twin] = &[];

/// Twins of a million states or more that are not compared, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[];
