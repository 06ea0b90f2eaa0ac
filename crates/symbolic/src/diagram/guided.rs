//! Operations of directed searches: the least costs of a queue, and functions relaxed.

use std::collections::{BTreeSet, HashMap};

use homing_budget::Stop;

use super::kernel::{Edge, Kernel};
use super::known::{Known, Nodes};

/// Sets that stand for the two values of a variable.
pub(super) type Literals = HashMap<u32, (Edge, Edge)>;

impl Kernel {
    /// Of a function whose first variables are the bits of a cost, at these levels, the most
    /// significant first: the least cost, what has it, and the function without that. One
    /// traversal, from the root along the false edges wherever these do not lead to false.
    pub(crate) fn least(&mut self, open: Edge, levels: &[u32]) -> Result<(u64, Edge, Edge), Stop> {
        let (mut at, mut cost, mut path) = (open, 0, Vec::with_capacity(levels.len()));
        for level in levels {
            let (high, low) = self.cofactors(at, *level);
            let bit = low == Edge::FALSE;
            cost = cost << 1 | u64::from(bit);
            path.push((*level, high, bit));
            at = if bit { high } else { low };
        }
        let mut rest = Edge::FALSE;
        for (level, high, bit) in path.into_iter().rev() {
            rest = match bit {
                true => self.make(level, rest, Edge::FALSE)?,
                false => self.make(level, high, rest)?,
            };
        }
        Ok((cost, at, rest))
    }

    /// The variables that some functions depend on, by their levels.
    pub(super) fn support(&self, edges: impl IntoIterator<Item = Edge>) -> BTreeSet<u32> {
        let (mut seen, mut levels) = (Nodes::default(), BTreeSet::new());
        let mut open: Vec<Edge> = edges.into_iter().collect();
        while let Some(edge) = open.pop() {
            if !edge.is_constant() && seen.insert(edge.node()) {
                let level = self.level(edge);
                levels.insert(level);
                let (high, low) = self.cofactors(edge, level);
                open.extend([high, low]);
            }
        }
        levels
    }

    /// A part of a function of at most about so many nodes, in which many of its states are:
    /// from the root on, the half with fewer of them is given up until what is left is small.
    pub(super) fn dense(&mut self, f: Edge, most: usize) -> Result<Edge, Stop> {
        let (mut at, mut path, mut shares) = (f, Vec::new(), Known::default());
        while !self.is_small(at, most) {
            self.step()?;
            let level = self.level(at);
            let (high, low) = self.cofactors(at, level);
            let heavy = self.share(high, &mut shares)? >= self.share(low, &mut shares)?;
            path.push((level, heavy));
            at = if heavy { high } else { low };
        }
        path.into_iter().rev().try_fold(at, |below, (level, heavy)| match heavy {
            true => self.make(level, below, Edge::FALSE),
            false => self.make(level, Edge::FALSE, below),
        })
    }

    /// Whether a function has at most so many nodes.
    fn is_small(&self, f: Edge, most: usize) -> bool {
        let (mut seen, mut open) = (Nodes::default(), vec![f]);
        while let Some(edge) = open.pop() {
            if !edge.is_constant() && seen.insert(edge.node()) {
                if seen.len() > most {
                    return false;
                }
                let (high, low) = self.cofactors(edge, self.level(edge));
                open.extend([high, low]);
            }
        }
        true
    }

    /// The share of all assignments that satisfy a function. The recursion is as deep as there
    /// are variables.
    fn share(&mut self, f: Edge, shares: &mut Known<f64>) -> Result<f64, Stop> {
        if f.is_constant() {
            return Ok(f64::from(u8::from(f == Edge::TRUE)));
        }
        if let Some(known) = shares.get(&f) {
            return Ok(*known);
        }
        self.step()?;
        let (high, low) = self.cofactors(f, self.level(f));
        let share = f64::midpoint(self.share(high, shares)?, self.share(low, shares)?);
        shares.insert(f, share);
        Ok(share)
    }

    /// A function whose literals mean something weaker: where some of its satisfying
    /// assignments has all its literals in the sets that stand for them. The recursion is as
    /// deep as there are variables.
    pub(super) fn relaxed(
        &mut self,
        f: Edge,
        literals: &Literals,
        known: &mut Known<Edge>,
    ) -> Result<Edge, Stop> {
        if f.is_constant() {
            return Ok(f);
        }
        if let Some(found) = known.get(&f) {
            return Ok(*found);
        }
        self.step()?;
        let level = self.level(f);
        let own = self.make(level, Edge::TRUE, Edge::FALSE)?;
        let (yes, no) = literals.get(&level).copied().unwrap_or((own, own.not()));
        let (high, low) = self.cofactors(f, level);
        let (high, low) =
            (self.relaxed(high, literals, known)?, self.relaxed(low, literals, known)?);
        let (one, other) = (self.and(yes, high)?, self.and(no, low)?);
        let result = self.or(one, other)?;
        known.insert(f, result);
        Ok(result)
    }
}
