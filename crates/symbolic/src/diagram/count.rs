//! How large sets are, and what is in them.

use super::kernel::{Edge, Kernel};
use super::known::{Known, Nodes};

/// The nodes that some functions share, constants included.
pub(super) fn size(kernel: &Kernel, edges: impl IntoIterator<Item = Edge>) -> usize {
    let mut reached = Nodes::default();
    let mut open: Vec<Edge> = edges.into_iter().collect();
    while let Some(edge) = open.pop() {
        if reached.insert(edge.node()) && !edge.is_constant() {
            let (high, low) = kernel.cofactors(edge, kernel.level(edge));
            open.extend([high, low]);
        }
    }
    reached.len()
}

/// In how many ways the variables of these levels make a function true.
pub(super) fn members(kernel: &Kernel, edge: Edge, levels: &[u32]) -> u128 {
    let mut counting = Counting { kernel, levels, known: Known::default() };
    let count = counting.of(edge);
    shifted(count, counting.place(edge))
}

struct Counting<'k> {
    kernel: &'k Kernel,
    levels: &'k [u32],
    /// By function: in how many ways the variables from its first on make it true. Not by
    /// node, so that no number is larger than the result.
    known: Known<u128>,
}

impl Counting<'_> {
    /// How many variables lie before the first of a function.
    fn place(&self, edge: Edge) -> usize {
        let level = self.kernel.level(edge);
        self.levels.partition_point(|one| *one < level)
    }

    /// The recursion is as deep as there are variables.
    fn of(&mut self, edge: Edge) -> u128 {
        if edge.is_constant() {
            return u128::from(edge == Edge::TRUE);
        }
        if let Some(known) = self.known.get(&edge) {
            return *known;
        }
        let here = self.place(edge) + 1;
        let (high, low) = self.kernel.cofactors(edge, self.kernel.level(edge));
        let [high, low] = [high, low].map(|way| shifted(self.of(way), self.place(way) - here));
        let count = high.saturating_add(low);
        self.known.insert(edge, count);
        count
    }
}

/// Times two to the power of `by`, if that is a number.
fn shifted(count: u128, by: usize) -> u128 {
    match count {
        0 => 0,
        _ if by > count.leading_zeros() as usize => u128::MAX,
        _ => count.checked_shl(by as u32).unwrap_or(u128::MAX),
    }
}

/// The decisions on one way to true.
pub(super) fn pick(kernel: &Kernel, mut edge: Edge) -> Vec<(u32, bool)> {
    let mut decided = Vec::new();
    while !edge.is_constant() {
        let level = kernel.level(edge);
        let (high, low) = kernel.cofactors(edge, level);
        let value = low == Edge::FALSE;
        decided.push((level, value));
        edge = if value { high } else { low };
    }
    decided
}
