//! Some of the steps of a system: those at one cost, those that change an estimate in one way,
//! or all of them in a projection.

use std::collections::{BTreeMap, BTreeSet};

use homing_budget::checkpoint;

use super::{CLUSTER, Cluster, Steps};
use crate::diagram::{Made, Set};

/// What a step costs, by the label of its move.
pub type Costs<'c> = dyn Fn(u32) -> u64 + 'c;

/// Some of the steps.
pub struct Part(Vec<Cluster>);

impl Steps<'_, '_> {
    /// The steps, by their costs. Not where control is held.
    pub fn by_cost(&self, costs: &Costs) -> Made<BTreeMap<u64, Part>> {
        let mut all = BTreeMap::new();
        for one in &self.rules.ordinary {
            let Part(clusters) = all.entry(costs(one.label)).or_insert_with(|| Part(Vec::new()));
            let cluster = self.cluster(one)?;
            self.join(clusters, cluster, CLUSTER)?;
        }
        Ok(all)
    }

    /// The steps from one set into another. Not where control is held.
    pub fn between(&self, from: &Set, to: &Set) -> Made<Part> {
        let d = self.encoding.diagrams();
        let mut part = Vec::new();
        for one in &self.clusters {
            checkpoint();
            let mut relation = d.and(&one.relation, from)?;
            if !relation.is_empty() {
                relation = d.and(&relation, &d.written(to, &one.written)?)?;
            }
            part.push(Cluster { relation, ..one.clone() });
        }
        Ok(Part(part))
    }

    /// Adds steps between other sets to some.
    pub fn join_parts(&self, all: &mut Part, more: &Part) -> Made<()> {
        for (all, more) in all.0.iter_mut().zip(&more.0) {
            all.relation = self.encoding.diagrams().or(&all.relation, &more.relation)?;
        }
        Ok(())
    }

    /// The steps as far as they concern these bits, the levels of which are given: whatever all
    /// others are. Not where control is held.
    pub fn projected(&self, kept: &BTreeSet<u32>) -> Made<Part> {
        let d = self.encoding.diagrams();
        let others = self.encoding.levels().iter().filter(|level| !kept.contains(level));
        let others: Vec<u32> = others.flat_map(|level| [*level, level + 1]).collect();
        let others = d.cube(&others)?;
        let mut part = Vec::new();
        for one in &self.clusters {
            checkpoint();
            let relation = d.exists(&one.relation, &others)?;
            let levels: Vec<u32> =
                one.levels.iter().copied().filter(|level| kept.contains(level)).collect();
            // What writes none of these bits leads nowhere else.
            if !levels.is_empty() && !relation.is_empty() {
                part.push(Cluster { relation, written: d.cube(&levels)?, levels });
            }
        }
        Ok(Part(part))
    }

    /// The states that a set leads to by these steps.
    pub fn next_by(&self, part: &Part, set: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let none = d.constant(false);
        part.0.iter().try_fold(none, |all, one| d.or(&all, &self.image(set, one)?))
    }

    /// The states that these steps lead into a set from.
    pub fn previous_by(&self, part: &Part, set: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let none = d.constant(false);
        part.0.iter().try_fold(none, |all, one| d.or(&all, &self.preimage(set, one)?))
    }

    /// The bits that moves depend on which write one of these bits, all given by levels.
    pub fn influences(&self, bits: &BTreeSet<u32>) -> BTreeSet<u32> {
        let d = self.encoding.diagrams();
        let all = self.rules.ordinary.iter().chain(&self.rules.inner);
        let writing = all.filter(|one| one.written.iter().any(|level| bits.contains(level)));
        let read = writing.flat_map(|one| d.support(&one.relation));
        read.map(|level| level & !1).collect()
    }
}
