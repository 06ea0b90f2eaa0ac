//! Reordering: variables are moved up and down until there are few nodes.
//!
//! Rudell, "Dynamic Variable Ordering for Ordered Binary Decision Diagrams" (ICCAD 1993); in
//! pairs, after Panda, Somenzi, "Who Are the Variables in Your Neighborhood" (ICCAD 1995), so
//! that a bit and its next stay together:
//!
//! ```text
//! sift: for each pair, those with the most nodes first:
//!   move it to the nearer end of the order, then to the other, neighbour by neighbour;
//!   turn round early where there are a fifth more nodes than at best
//!   move it back to where there were fewest
//! swap(level): x above y becomes y above x:
//!   a node of x that does not lead to y only moves down, one of y only up
//!   (x: f1, f0) with f1 = (y: f11, f10), f0 = (y: f01, f00)
//!     becomes, in its place, (y: (x: f11, f01), (x: f10, f00))
//! ```
//! Nodes stay in their places and mean what they meant, so nobody who holds one has to be
//! told. How many there are is known at every moment from counts of references, which are
//! kept during sifting only.

use homing_budget::Stop;

use super::kernel::{Edge, FREE, Kernel, Node};

/// How many pairs are moved at most: those with the most nodes.
const MOST_PAIRS: usize = 400;

/// A session: the nodes by level, and how often each is referred to.
struct Sifting<'k> {
    kernel: &'k mut Kernel,
    levels: Vec<Vec<u32>>,
    references: Vec<u32>,
    live: usize,
    /// Places that are free again.
    spare: Vec<u32>,
    /// By pair of levels, which pair of variables is there.
    at: Vec<u32>,
}

impl Kernel {
    /// How many pairs of levels nodes are at.
    pub(super) fn pairs(&self) -> usize {
        let levels = self.nodes.iter().skip(1).map(|node| node.level);
        levels.filter(|level| *level != FREE).max().map_or(0, |level| level as usize / 2 + 1)
    }

    /// Reorders pairs of variables from the pair `first` on. There must be no nodes but those
    /// that the roots need. Answers, by pair of levels, which pair of variables is there now,
    /// as far as they were given by `at`.
    pub(super) fn sift(
        &mut self,
        roots: impl Iterator<Item = Edge>,
        first: usize,
        at: Vec<u32>,
    ) -> Vec<u32> {
        let mut sifting = Sifting::new(self, roots, at);
        // What is spent ends it between two swaps; every order is one.
        let _ = sifting.all(first);
        let at = std::mem::take(&mut sifting.at);
        self.settle();
        at
    }
}

impl<'k> Sifting<'k> {
    fn new(kernel: &'k mut Kernel, roots: impl Iterator<Item = Edge>, at: Vec<u32>) -> Sifting<'k> {
        let mut levels = vec![Vec::new(); 2 * at.len()];
        let mut references = vec![0; kernel.nodes.len()];
        let mut live = 0;
        for (place, node) in kernel.nodes.iter().enumerate().skip(1) {
            if node.level != FREE {
                levels[node.level as usize].push(place as u32);
                references[node.high.node()] += 1;
                references[node.low.node()] += 1;
                live += 1;
            }
        }
        roots.for_each(|root| references[root.node()] += 1);
        Sifting { kernel, levels, references, live, spare: Vec::new(), at }
    }

    fn all(&mut self, first: usize) -> Result<(), Stop> {
        let size = |pair: usize| self.levels[2 * pair].len() + self.levels[2 * pair + 1].len();
        let mut pairs: Vec<(usize, u32)> = (first..self.at.len())
            .map(|pair| (size(pair), self.at[pair]))
            .filter(|(size, _)| *size > 0)
            .collect();
        pairs.sort_unstable_by_key(|(size, pair)| (std::cmp::Reverse(*size), *pair));
        for (_, pair) in pairs.into_iter().take(MOST_PAIRS) {
            if let Some(place) = self.at.iter().position(|one| *one == pair) {
                self.place(place, first)?;
            }
        }
        Ok(())
    }

    /// Moves the pair at a place to where there are fewest nodes.
    fn place(&mut self, start: usize, first: usize) -> Result<(), Stop> {
        let last = self.at.len() - 1;
        let (mut best, mut at) = ((self.live, start), start);
        let down_first = last - start < start - first;
        for down in [down_first, !down_first] {
            while if down { at < last } else { at > first } {
                let place = if down { at } else { at - 1 };
                let moved = self.levels[2 * place..2 * place + 4].iter().map(Vec::len).sum();
                self.kernel.spend(moved)?;
                self.exchange(place);
                at = if down { at + 1 } else { at - 1 };
                if self.live < best.0 {
                    best = (self.live, at);
                }
                let is_new = if down { at > start } else { at < start };
                if is_new && self.live > best.0 + best.0 / 5 {
                    break;
                }
            }
        }
        while at != best.1 {
            self.exchange(if at < best.1 { at } else { at - 1 });
            at = if at < best.1 { at + 1 } else { at - 1 };
        }
        Ok(())
    }

    /// Exchanges the pair at a place with the one behind it.
    fn exchange(&mut self, place: usize) {
        let top = 2 * place as u32;
        for level in [top + 1, top, top + 2, top + 1] {
            self.swap(level);
        }
        self.at.swap(place, place + 1);
    }

    /// Exchanges the variables of a level and the next.
    fn swap(&mut self, level: u32) {
        let (upper, lower) = (level as usize, level as usize + 1);
        let (all, below) = (self.taken(level), self.taken(level + 1));
        all.iter().chain(&below).for_each(|one| self.kernel.unchain(*one as usize));
        let leads_down = |edge: Edge, kernel: &Kernel| kernel.level(edge) == level + 1;
        let (crossing, others): (Vec<u32>, Vec<u32>) = all.into_iter().partition(|one| {
            let node = self.kernel.nodes[*one as usize];
            leads_down(node.high, self.kernel) || leads_down(node.low, self.kernel)
        });
        // Cofactors are read before levels change.
        let ways: Vec<[Edge; 4]> = crossing.iter().map(|one| self.ways(*one, level + 1)).collect();
        for (moved, to) in [(&others, level + 1), (&below, level)] {
            for one in moved {
                self.kernel.nodes[*one as usize].level = to;
                self.kernel.chain(*one as usize);
            }
        }
        (self.levels[lower], self.levels[upper]) = (others, below);
        for (one, [f11, f10, f01, f00]) in crossing.into_iter().zip(ways) {
            let (high, low) = (self.node(level + 1, f11, f01), self.node(level + 1, f10, f00));
            let old = self.kernel.nodes[one as usize];
            self.refer(high);
            self.refer(low);
            self.kernel.nodes[one as usize] = Node { level, high, low, ..old };
            self.kernel.chain(one as usize);
            self.levels[upper].push(one);
            self.release(old.high);
            self.release(old.low);
        }
    }

    /// The nodes of a level, once each: a place may have been free and taken again.
    fn taken(&mut self, level: u32) -> Vec<u32> {
        let mut all = std::mem::take(&mut self.levels[level as usize]);
        all.retain(|place| self.kernel.nodes[*place as usize].level == level);
        all.sort_unstable();
        all.dedup();
        all
    }

    fn ways(&self, place: u32, below: u32) -> [Edge; 4] {
        let node = self.kernel.nodes[place as usize];
        let (f11, f10) = self.kernel.cofactors(node.high, below);
        let (f01, f00) = self.kernel.cofactors(node.low, below);
        [f11, f10, f01, f00]
    }

    /// The node with these ways, which is new or has been there.
    fn node(&mut self, level: u32, high: Edge, low: Edge) -> Edge {
        if high == low {
            return high;
        }
        let complement = high.is_complemented();
        let (high, low) = (high.not_if(complement), low.not_if(complement));
        let (found, is_new) = self.kernel.find_or_add(level, high, low, &mut self.spare);
        if is_new {
            self.references.resize(self.kernel.nodes.len(), 0);
            self.levels[level as usize].push(found.node() as u32);
            self.live += 1;
            self.refer(high);
            self.refer(low);
        }
        found.not_if(complement)
    }

    fn refer(&mut self, edge: Edge) {
        self.references[edge.node()] += 1;
    }

    /// Refers to a node once less; what nobody refers to is gone, with all below it.
    fn release(&mut self, edge: Edge) {
        let mut left = vec![edge.node()];
        while let Some(place) = left.pop() {
            self.references[place] -= 1;
            if self.references[place] == 0 && place != 0 {
                let node = self.kernel.nodes[place];
                self.kernel.unchain(place);
                self.kernel.nodes[place].level = FREE;
                self.spare.push(place as u32);
                self.live -= 1;
                left.extend([node.high.node(), node.low.node()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use homing_budget::Budget;

    use crate::diagram::{Diagrams, Set};

    /// Random functions of so many variables, some of which are let go of.
    fn functions(d: &Diagrams, variables: u32, seed: &mut u64) -> Vec<Set> {
        let mut draw = |sides: usize| {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*seed >> 33) as usize % sides
        };
        let mut all: Vec<Set> = (0..variables).map(|one| d.variable(one).unwrap()).collect();
        for _ in 0..120 {
            let (a, b) = (all[draw(all.len())].clone(), all[draw(all.len())].clone());
            let made = match draw(3) {
                0 => d.and(&a, &b),
                1 => d.or(&a, &d.not(&b)),
                _ => d.xor(&a, &b),
            };
            all.push(made.unwrap());
            if draw(4) == 0 {
                all.swap_remove(draw(all.len()));
            }
        }
        all
    }

    fn truths(d: &Diagrams, set: &Set, variables: u32) -> Vec<bool> {
        let all = 0..1u32 << variables;
        all.map(|values| d.contains(set, |one| values >> one & 1 == 1)).collect()
    }

    #[test]
    fn functions_stay_what_they_are() {
        let mut seed = 5;
        for round in 0..30 {
            let d = Diagrams::new(Budget::default(), 1 << 28);
            let variables = 10;
            let all = functions(&d, variables, &mut seed);
            let before: Vec<Vec<bool>> = all.iter().map(|one| truths(&d, one, variables)).collect();
            let everything: Vec<u32> = (0..variables).collect();
            let counts: Vec<u128> = all.iter().map(|one| d.count(one, &everything)).collect();
            let supports: Vec<_> = all.iter().map(|one| d.support(one)).collect();
            d.reorder(if round % 3 == 0 { 4 } else { 0 });
            d.collect();
            let size = d.nodes();
            for _ in 0..2 {
                d.sift();
                assert!(d.nodes() <= size, "{} of {size}", d.nodes());
                for (number, one) in all.iter().enumerate() {
                    assert_eq!(truths(&d, one, variables), before[number]);
                    assert_eq!(d.count(one, &everything), counts[number]);
                    assert_eq!(d.support(one), supports[number]);
                    // Still canonical: made again, it is the same.
                    let mut again = d.constant(false);
                    for (values, truth) in before[number].iter().enumerate() {
                        if *truth && number % 7 == 0 {
                            let point: Vec<u32> =
                                (0..variables).filter(|one| values >> one & 1 == 1).collect();
                            let others: Vec<u32> =
                                (0..variables).filter(|one| values >> one & 1 == 0).collect();
                            let mut cube = d.cube(&point).unwrap();
                            for other in others {
                                cube = d.minus(&cube, &d.variable(other).unwrap()).unwrap();
                            }
                            again = d.or(&again, &cube).unwrap();
                        }
                    }
                    assert!(number % 7 != 0 || again == *one);
                    if !one.is_empty() {
                        let picked = d.pick(one);
                        let value =
                            |level: u32| picked.iter().any(|(at, yes)| *at == level && *yes);
                        assert!(d.contains(one, value));
                    }
                }
            }
        }
    }

    /// Far neighbours come together: from exponential to linear.
    #[test]
    fn a_bad_order_becomes_a_good_one() {
        let d = Diagrams::new(Budget::default(), 1 << 28);
        let mut all = d.constant(false);
        for pair in 0..10 {
            let both = d.and(&d.variable(2 * pair).unwrap(), &d.variable(2 * (pair + 10)).unwrap());
            all = d.or(&all, &both.unwrap()).unwrap();
        }
        assert!(d.size(&all) > 1_000);
        d.reorder(0);
        d.sift();
        assert!(d.size(&all) <= 22, "{}", d.size(&all));
    }
}
