//! Novelty: how few facts of a state were never seen together before.
//!
//! Lipovetzky, Geffner, "Width and Serialization of Classical Planning Problems" (ECAI
//! 2012); "Best-First Width Search: Exploration and Exploitation in Classical Planning"
//! (AAAI 2017), w_{h₁, h₂, …}:
//!
//! ```text
//! w(s) := the size of the smallest set of facts of s that no state t had that was
//!         generated before s and has h₁(t) = h₁(s), h₂(t) = h₂(s), …
//! ```
//! A fact is a variable with its value. Sets of up to `width` facts are looked at, one or
//! two; a state that has no such new set has w = width + 1. States of equal novelty are
//! ordered by h₁: a greedy search by this estimate is BFWS(⟨w, h₁⟩).
//!
//! Where the state before s in the search has the same h₁, h₂, …, its facts were seen, so
//! that only sets with a fact that the step changed are looked up.
//!
//! Deviations: sets are remembered in a table of bits, by their hashes. Two that fall on one
//! bit are taken for one, so that a full table finds too little new; nothing else depends
//! on it. The papers' #r, the facts of a relaxed plan that the path to s achieved, belongs
//! to paths, not to states, and is not among the estimates.
//!
//! Unlike any other estimate this one depends on what was estimated before it.

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::hash::hash_words;
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::layout::Field;

use super::{Instance, LIST, Several};
use crate::arguments::inners;
use crate::{EstimateBuilder, Factory, Goal};

const WIDTH: Parameter =
    Parameter { name: "width", about: "the most facts in a set, 1 or 2", default: "2" };

const BITS: Parameter = Parameter {
    name: "bits",
    about: "the sets are remembered in a table of 2^bits bits",
    default: "26",
};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "novelty",
    kind: Kind::Estimate,
    about: "how few facts of a state were never together before in a state of the same estimates: \
            `novelty([a, b])`; the first estimate orders what is equally new",
    cite: "Lipovetzky, Geffner 2012, 2017",
    parameters: &[LIST, WIDTH, BITS],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&[WIDTH.name, BITS.name])?;
        let pairs = match WIDTH.number(call)? {
            1 => false,
            2 => true,
            other => return Err(format!("`width` of `novelty` is 1 or 2, not {other}")),
        };
        let bits = fitting(goal, BITS.number(call)?)?;
        let fields = goal.space.layout().fields.iter().filter(|field| field.bits > 0);
        let fields = fields.copied().collect();
        Ok(Box::new(Novel { parts: Several(inners(goal, call)?), fields, pairs, bits }))
    },
};

/// The table: as large as wanted, or as fits the memory.
fn fitting(goal: &Goal, wanted: u64) -> Result<u32, String> {
    if !(6..=40).contains(&wanted) {
        return Err(format!("`bits` of `novelty` is between 6 and 40, not {wanted}"));
    }
    let bits = (6..=wanted as u32).rev().find(|bits| (1usize << bits) / 8 <= goal.memory);
    let bits = bits.unwrap_or(6);
    if u64::from(bits) < wanted {
        goal.notices.borrow_mut().push(format!(
            "`novelty` has a table of 2^{bits} bits rather than 2^{wanted}, to stay within the memory"
        ));
    }
    Ok(bits)
}

/// What all instances share.
pub(super) struct Novel<'a> {
    pub parts: Several<Factory<'a>>,
    pub fields: Vec<Field>,
    /// Whether pairs are looked at.
    pub pairs: bool,
    pub bits: u32,
}

impl HeuristicFactory for Novel<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        let parts = self.parts.instances();
        Box::new(Novelty {
            estimates: Vec::with_capacity(parts.0.len()),
            parts,
            of: self,
            seen: vec![0; (1usize << self.bits) / 64],
            facts: Vec::with_capacity(self.fields.len()),
            before: Vec::with_capacity(self.fields.len()),
            from: None,
            partitions: vec![(0, 0); PARTITIONS],
            probes: 0,
        })
    }
}

/// Of so many states it is remembered where they belong.
const PARTITIONS: usize = 1 << 14;

/// So many look-ups are about as much work as a successor.
const PROBES: u64 = 16;

struct Novelty<'a> {
    of: &'a Novel<'a>,
    parts: Several<Instance<'a>>,
    /// Those of the state estimated last.
    estimates: Vec<Cost>,
    /// The sets seen, by their hashes.
    seen: Vec<u64>,
    /// The facts of the state that is estimated, and of the state before it, hashed.
    facts: Vec<u64>,
    before: Vec<u64>,
    /// Where the state before it belongs, if that is known.
    from: Option<u64>,
    /// By the hashes of states: those hashes, and where the states belong.
    partitions: Vec<(u64, u64)>,
    probes: u64,
}

impl Novelty<'_> {
    /// Adds a set. Answers whether it is new.
    fn adds(&mut self, set: u64) -> bool {
        // The highest bits of a product depend on all bits of its factors.
        let bit = set.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.of.bits);
        let (word, mask) = (bit as usize / 64, 1u64 << (bit % 64));
        let new = self.seen[word] & mask == 0;
        self.seen[word] |= mask;
        self.probes += 1;
        new
    }

    /// The novelty of the facts at hand among states that belong here. All sets are added.
    fn novelty(&mut self, partition: u64, step: bool) -> Cost {
        let known = step && self.from == Some(partition);
        let (mut one, mut two) = (false, false);
        for i in 0..self.facts.len() {
            let fact = self.facts[i];
            if known && self.before[i] == fact {
                continue;
            }
            one |= self.adds(mixed(fact, partition));
            for j in (0..self.facts.len()).filter(|_| self.of.pairs) {
                // A pair that changed whole is looked up once.
                let changed = !known || self.before[j] != self.facts[j];
                if j < i || j > i && !changed {
                    let pair = mixed(fact, partition).wrapping_add(mixed(self.facts[j], partition));
                    two |= self.adds(mixed(pair, 1));
                }
            }
        }
        match (one, two, self.of.pairs) {
            (true, ..) => 1,
            (_, true, _) | (_, _, false) => 2,
            _ => 3,
        }
    }
}

fn mixed(a: u64, b: u64) -> u64 {
    let product = (a ^ b.rotate_left(32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    product ^ product >> 32
}

/// The facts of a state.
fn read(fields: &[Field], state: &[Word], out: &mut Vec<u64>) {
    out.clear();
    let fact = |(i, field): (usize, &Field)| hash_words(&[i as u64, field.get(state) as u64]);
    out.extend(fields.iter().enumerate().map(fact));
}

impl Heuristic for Novelty<'_> {
    fn expanding(&mut self, state: &[Word]) {
        self.parts.expanding(state);
        read(&self.of.fields, state, &mut self.before);
        let hash = hash_words(state);
        let (known, partition) = self.partitions[hash as usize % PARTITIONS];
        self.from = (known == hash).then_some(partition);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        self.estimates.clear();
        self.estimates.extend(self.parts.estimates(state, via));
        if self.estimates.contains(&DEAD_END) {
            return DEAD_END;
        }
        let partition =
            self.estimates.iter().fold(0, |known, estimate| mixed(known, u64::from(*estimate) + 1));
        let hash = hash_words(state);
        self.partitions[hash as usize % PARTITIONS] = (hash, partition);
        read(&self.of.fields, state, &mut self.facts);
        self.novelty(partition, via.is_some())
    }

    fn has_ties(&self) -> bool {
        true
    }

    fn tie(&self) -> Cost {
        self.estimates.first().copied().unwrap_or(0)
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.parts.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.parts.any_lazy()
    }

    fn work(&self) -> u64 {
        self.parts.work() + self.probes / PROBES
    }

    fn bytes(&self) -> usize {
        let tables = self.seen.len() * 8 + self.partitions.len() * 16;
        self.parts.bytes() + tables + (self.facts.capacity() + self.before.capacity()) * 8
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The remainder by three of the first word.
    struct Rest;

    impl HeuristicFactory for Rest {
        fn instance(&self) -> Box<dyn Heuristic + '_> {
            Box::new(Rest)
        }
    }

    impl Heuristic for Rest {
        fn estimate(&mut self, state: &[Word], _: Option<Edge>) -> Cost {
            if state[0] == 77 { DEAD_END } else { (state[0] % 3) as Cost }
        }

        fn claims(&self) -> Claims {
            Claims::default()
        }
    }

    fn novel(pairs: bool) -> Novel<'static> {
        let field = |word| Field { word, shift: 0, bits: 8, lo: 0 };
        let fields = (0..4).map(field).collect();
        Novel { parts: Several(vec![Box::new(Rest)]), fields, pairs, bits: 22 }
    }

    /// The definition: sets of facts, each with the estimate.
    #[derive(Default)]
    struct Definition(BTreeSet<(Word, Vec<(usize, Word)>)>);

    impl Definition {
        fn novelty(&mut self, state: &[Word], pairs: bool) -> Cost {
            let rest = state[0] % 3;
            let mut new = if pairs { 3 } else { 2 };
            for i in (0..4).rev() {
                for j in (0..i).filter(|_| pairs) {
                    if self.0.insert((rest, vec![(j, state[j]), (i, state[i])])) {
                        new = new.min(2);
                    }
                }
                if self.0.insert((rest, vec![(i, state[i])])) {
                    new = 1;
                }
            }
            new
        }
    }

    proptest! {
        /// As the definition says, along walks of steps that change a word or two.
        #[test]
        fn oracle_novelty(
            walk in prop::collection::vec((0usize..4, 0u64..4, 0usize..4, 0u64..3, any::<bool>()), 1..60),
            pairs: bool,
        ) {
            let novel = novel(pairs);
            let (mut estimate, mut definition) = (novel.instance(), Definition::default());
            let mut state = vec![0; 4];
            prop_assert_eq!(estimate.estimate(&state, None), 1);
            definition.novelty(&state, pairs);
            for (i, a, j, b, stays) in walk {
                estimate.expanding(&state);
                let mut next = state.clone();
                (next[i], next[j]) = (a, b);
                let expected = definition.novelty(&next, pairs);
                prop_assert_eq!(estimate.estimate(&next, Some(Edge::default())), expected);
                prop_assert_eq!(estimate.tie(), (next[0] % 3) as Cost);
                if !stays {
                    state = next;
                }
            }
        }
    }

    #[test]
    fn dead_ends_stay_dead_ends_and_memory_is_counted() {
        let novel = novel(true);
        let mut estimate = novel.instance();
        assert_eq!(estimate.estimate(&[77, 0, 0, 0], None), DEAD_END);
        assert!(estimate.bytes() >= (1 << 22) / 8);
    }
}
