//! Steps of sets of states: images and preimages, part by part.
//!
//! Moves are joined to clusters as long as these are small, in the order of components (Burch,
//! Clarke, Long, "Symbolic Model Checking with Partitioned Transition Relations", VLSI 1991).
//! What a cluster does not write stays as it is, without a variable that says so; within a
//! cluster, equalities say what the single moves leave. Those are small where the current
//! and the next bit stand together, and an image costs more than they do: on trees of 23
//! arbiters two clusters take a seventh of the time that one a component takes.
//!
//! Where control stays with a component after a move, the states in between are none of the
//! space. They are explored within the step, as sets, a set a holder of control:
//!
//! ```text
//! next(set):
//!   result := images of set by moves after which nobody holds control
//!   held[h] := images of set by moves after which h does
//!   until nothing is new in any held[h]:
//!     result += images of held[h] by moves after which nobody does
//!             + what of held[h] has no move on, unless that is a failure
//!     held[g] += images of held[h] by moves after which g does
//! ```
//! A deterministic holder goes on by the first of its moves that is made or fails.

mod parts;

use std::collections::BTreeSet;

use homing_budget::checkpoint;
use homing_ir::moves::{Holder, Move};
use homing_ir::system::{ComponentId, PartId};

use crate::diagram::{Made, Set};
use crate::encode::{Encoding, Rules, Transition, Trouble};

pub use self::parts::{Costs, Part};

/// The most nodes of a cluster that moves of one component are joined to.
const OWN: usize = 600;
/// The most nodes of a cluster of several components.
const CLUSTER: usize = 5_000;

/// A relation over some bits; all others stay.
#[derive(Clone)]
struct Cluster {
    relation: Set,
    written: Set,
    /// The same as levels.
    levels: Vec<u32>,
}

/// What happens while somebody holds control.
struct Control {
    holder: Holder,
    ends: Vec<Cluster>,
    stays: Vec<(Cluster, usize)>,
    /// Where there is no move on, and that is no failure.
    rests: Set,
    /// Where a move fails, or there is none and that is a failure.
    fails: Set,
    /// Where a move ends it.
    ending: Set,
}

/// The steps of a system, for sets of states.
pub struct Steps<'e, 's> {
    encoding: &'e Encoding<'s>,
    rules: Rules,
    clusters: Vec<Cluster>,
    first: Vec<(Cluster, usize)>,
    controls: Vec<Control>,
    trapped: Set,
    /// Where a move fails at once.
    fails: Set,
    /// Where a move after which nobody holds control is made.
    plain: Set,
}

impl<'e, 's> Steps<'e, 's> {
    /// The steps of an encoded system.
    pub fn new(encoding: &'e Encoding<'s>) -> Result<Steps<'e, 's>, Trouble> {
        let d = encoding.diagrams();
        let rules = encoding.rules()?;
        let mut fails = d.constant(false);
        for one in &rules.ordinary {
            fails = d.or(&fails, &one.fails)?;
        }
        let mut made = Steps {
            encoding,
            clusters: Vec::new(),
            first: Vec::new(),
            controls: Vec::new(),
            trapped: encoding.trapped()?,
            fails,
            plain: d.constant(false),
            rules,
        };
        made.sort_moves()?;
        made.control()?;
        Ok(made)
    }

    /// Tells moves after which somebody holds control from the others.
    fn sort_moves(&mut self) -> Made<()> {
        let d = self.encoding.diagrams();
        let (mut last, mut own) = (None, Vec::new());
        for index in 0..self.rules.ordinary.len() {
            checkpoint();
            let one = &self.rules.ordinary[index];
            let cluster = self.cluster(one)?;
            match self.encoding.holder(one.label) {
                Some(holder) => {
                    let holder = self.number(holder);
                    self.first.push((cluster, holder));
                }
                None => {
                    self.plain = d.or(&self.plain, &one.enabled)?;
                    let leader = self.leader(one);
                    let most = if leader.is_some() && leader == last { OWN } else { 0 };
                    last = leader;
                    self.join(&mut own, cluster, most)?;
                }
            }
        }
        let mut clusters = Vec::new();
        for one in own {
            self.join(&mut clusters, one, CLUSTER)?;
        }
        self.clusters = clusters;
        Ok(())
    }

    fn leader(&self, one: &Transition) -> Option<ComponentId> {
        let system = self.encoding.system();
        let part = |part: PartId| system.part(part).component;
        match self.encoding.moves().list[one.label as usize] {
            Move::Alone(id) | Move::Pair { sender: id, .. } => Some(part(id)),
            Move::Joint(_) => None,
        }
    }

    fn cluster(&self, one: &Transition) -> Made<Cluster> {
        let d = self.encoding.diagrams();
        let (relation, levels) = (one.relation.clone(), one.written.clone());
        Ok(Cluster { relation, written: d.cube(&levels)?, levels })
    }

    /// Adds a cluster to the last one, if both together have at most so many nodes.
    fn join(&self, clusters: &mut Vec<Cluster>, one: Cluster, most: usize) -> Made<()> {
        let d = self.encoding.diagrams();
        if one.relation.is_empty() {
            return Ok(());
        }
        if let Some(last) = clusters.last_mut().filter(|_| most > 0) {
            checkpoint();
            let mut levels = [&last.levels[..], &one.levels[..]].concat();
            levels.sort_unstable();
            levels.dedup();
            let both = d.or(&self.widened(last, &levels)?, &self.widened(&one, &levels)?)?;
            if d.size(&both) <= most {
                *last = Cluster { relation: both, written: d.cube(&levels)?, levels };
                return Ok(());
            }
        }
        clusters.push(one);
        Ok(())
    }

    /// A relation over more bits, which stay as they are.
    fn widened(&self, one: &Cluster, levels: &[u32]) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut relation = one.relation.clone();
        for level in levels.iter().rev().filter(|level| !one.levels.contains(level)) {
            let differ = d.xor(&d.variable(*level)?, &d.variable(level + 1)?)?;
            relation = d.minus(&relation, &differ)?;
        }
        Ok(relation)
    }

    /// The number of a holder of control.
    fn number(&mut self, holder: Holder) -> usize {
        if let Some(found) = self.controls.iter().position(|one| one.holder == holder) {
            return found;
        }
        let none = self.encoding.diagrams().constant(false);
        let [rests, fails, ending] = [(); 3].map(|()| none.clone());
        let (ends, stays) = (Vec::new(), Vec::new());
        self.controls.push(Control { holder, ends, stays, rests, fails, ending });
        self.controls.len() - 1
    }

    /// What every holder does, those found on the way included.
    fn control(&mut self) -> Made<()> {
        let d = self.encoding.diagrams();
        let mut at = 0;
        while at < self.controls.len() {
            let holder = self.controls[at].holder;
            let mut before = d.constant(false);
            let mut moving = d.constant(false);
            for index in 0..self.rules.inner.len() {
                checkpoint();
                let one = self.rules.inner[index].clone();
                let late = self.encoding.moves().is_timeout(one.label);
                if late || self.leader(&one) != Some(holder.component) {
                    continue;
                }
                let either = d.or(&one.enabled, &one.fails)?;
                moving = d.or(&moving, &either)?;
                self.go_on(at, &one, &d.not(&before))?;
                if holder.deterministic {
                    before = d.or(&before, &either)?;
                }
            }
            let stuck = d.not(&moving);
            let blocked = match holder.deterministic {
                true => self.encoding.blocked(holder.component)?,
                false => d.constant(false),
            };
            let failing = d.and(&stuck, &blocked)?;
            let control = &mut self.controls[at];
            control.rests = d.minus(&stuck, &blocked)?;
            control.fails = d.or(&control.fails, &failing)?;
            at += 1;
        }
        Ok(())
    }

    /// Adds a move of a holder, where it is its turn.
    fn go_on(&mut self, at: usize, one: &Transition, turn: &Set) -> Made<()> {
        let d = self.encoding.diagrams();
        let mut cluster = self.cluster(one)?;
        cluster.relation = d.and(&cluster.relation, turn)?;
        let next = self.encoding.holder(one.label).map(|next| self.number(next));
        let control = &mut self.controls[at];
        control.fails = d.or(&control.fails, &d.and(&one.fails, turn)?)?;
        match next {
            Some(next) => control.stays.push((cluster, next)),
            None => {
                control.ending = d.or(&control.ending, &d.and(&one.enabled, turn)?)?;
                control.ends.push(cluster);
            }
        }
        Ok(())
    }

    /// The encoding.
    pub fn encoding(&self) -> &'e Encoding<'s> {
        self.encoding
    }

    /// The moves that states of the space have.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether control may stay with a component.
    pub fn has_control(&self) -> bool {
        !self.controls.is_empty()
    }

    /// Where some move makes a bit, given by its level, true or false.
    pub fn causes(&self, bit: u32, value: bool) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut any = d.constant(false);
        let next = d.variable(bit + 1)?;
        let wanted = if value { next } else { d.not(&next) };
        for one in self.rules.ordinary.iter().filter(|one| one.written.contains(&bit)) {
            checkpoint();
            let levels: Vec<u32> = one.written.iter().map(|level| level + 1).collect();
            let here = d.and_exists(&one.relation, &wanted, &d.cube(&levels)?)?;
            any = d.or(&any, &here)?;
        }
        Ok(any)
    }

    /// Whether some move writes bits of both.
    pub fn writes_both(&self, one: &BTreeSet<u32>, other: &BTreeSet<u32>) -> bool {
        self.rules.ordinary.iter().any(|transition| {
            let writes =
                |bits: &BTreeSet<u32>| transition.written.iter().any(|bit| bits.contains(bit));
            writes(one) && writes(other)
        })
    }

    /// Whether nobody holds control after a move.
    pub fn ends_at_once(&self, one: &Transition) -> bool {
        self.encoding.holder(one.label).is_none()
    }

    /// Whether some step may fail, as far as can be seen without looking.
    pub fn may_fail(&self) -> bool {
        self.has_control() || !self.fails.is_empty()
    }

    /// How many relations there are.
    pub fn relations(&self) -> usize {
        self.clusters.len() + self.first.len()
    }

    fn image(&self, set: &Set, cluster: &Cluster) -> Made<Set> {
        checkpoint();
        self.encoding.diagrams().next(set, &cluster.relation, &cluster.written)
    }

    fn preimage(&self, set: &Set, cluster: &Cluster) -> Made<Set> {
        checkpoint();
        self.encoding.diagrams().previous(set, &cluster.relation, &cluster.written)
    }

    /// The states that a set leads to in one step.
    pub fn next(&self, set: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut result = d.constant(false);
        for cluster in &self.clusters {
            result = d.or(&result, &self.image(set, cluster)?)?;
        }
        if self.has_control() {
            let (held, mut over) = self.held(set)?;
            for (control, held) in self.controls.iter().zip(&held) {
                over = d.or(&over, &d.and(held, &control.rests)?)?;
                for cluster in &control.ends {
                    over = d.or(&over, &self.image(held, cluster)?)?;
                }
            }
            result = d.or(&result, &over)?;
        }
        Ok(result)
    }

    /// How many relations there are to be taken one after the other; where control is held, the
    /// last is that of all steps.
    pub fn links(&self) -> usize {
        self.clusters.len() + usize::from(self.has_control() || self.clusters.is_empty())
    }

    /// The states that a set leads to by the relation with this number.
    pub fn next_link(&self, link: usize, set: &Set) -> Made<Set> {
        match self.clusters.get(link) {
            Some(cluster) => self.image(set, cluster),
            None => self.next(set),
        }
    }

    /// The states in which somebody holds control, by holder, within steps of a set; and
    /// those outcomes in which an assertion has failed.
    fn held(&self, set: &Set) -> Made<(Vec<Set>, Set)> {
        let d = self.encoding.diagrams();
        let none = d.constant(false);
        let mut over = none.clone();
        let mut new = vec![none; self.controls.len()];
        for (cluster, holder) in &self.first {
            let image = self.image(set, cluster)?;
            new[*holder] = d.or(&new[*holder], &image)?;
        }
        let mut held: Vec<Set> = new.iter().map(|_| d.constant(false)).collect();
        while new.iter().any(|new| !new.is_empty()) {
            let mut next = vec![d.constant(false); self.controls.len()];
            for (at, control) in self.controls.iter().enumerate() {
                over = d.or(&over, &d.and(&new[at], &self.trapped)?)?;
                let fresh = d.minus(&d.minus(&new[at], &self.trapped)?, &held[at])?;
                held[at] = d.or(&held[at], &fresh)?;
                for (cluster, holder) in &control.stays {
                    next[*holder] = d.or(&next[*holder], &self.image(&fresh, cluster)?)?;
                }
            }
            new = next;
            for (new, held) in new.iter_mut().zip(&held) {
                *new = d.minus(new, held)?;
            }
        }
        Ok((held, over))
    }

    /// The states from which a step leads into a set.
    pub fn previous(&self, set: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut result = d.constant(false);
        for cluster in &self.clusters {
            result = d.or(&result, &self.preimage(set, cluster)?)?;
        }
        if self.has_control() {
            let mut into = Vec::new();
            for control in &self.controls {
                let mut ends = d.and(set, &control.rests)?;
                for cluster in &control.ends {
                    ends = d.or(&ends, &self.preimage(set, cluster)?)?;
                }
                into.push(d.minus(&ends, &self.trapped)?);
            }
            let trapped = d.and(set, &self.trapped)?;
            result = d.or(&result, &self.sources(into, &trapped)?)?;
        }
        Ok(result)
    }

    /// The states with a step in which control is held on the way in such a state, by
    /// holder, or which ends in a failed assertion in one of `trapped`.
    fn sources(&self, mut into: Vec<Set>, trapped: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for (at, control) in self.controls.iter().enumerate() {
                for (cluster, holder) in &control.stays {
                    let target = d.or(&into[*holder], trapped)?;
                    let before = d.minus(&self.preimage(&target, cluster)?, &self.trapped)?;
                    let all = d.or(&into[at], &before)?;
                    goes_on |= all != into[at];
                    into[at] = all;
                }
            }
        }
        let mut result = d.constant(false);
        for (cluster, holder) in &self.first {
            let target = d.or(&into[*holder], trapped)?;
            result = d.or(&result, &self.preimage(&target, cluster)?)?;
        }
        Ok(result)
    }

    /// The states of a set that have a step that fails by a run-time error.
    pub fn failing(&self, set: &Set) -> Made<Set> {
        let d = self.encoding.diagrams();
        let at_once = d.and(set, &self.fails)?;
        if !self.has_control() {
            return Ok(at_once);
        }
        let (held, _) = self.held(set)?;
        let mut failing = Vec::new();
        for (control, held) in self.controls.iter().zip(&held) {
            failing.push(d.and(held, &control.fails)?);
        }
        let none = d.constant(false);
        let later = match failing.iter().any(|failing| !failing.is_empty()) {
            true => d.and(set, &self.sources(failing, &none)?)?,
            false => none,
        };
        d.or(&d.or(&at_once, &later)?, &self.endless(set, &held)?)
    }

    /// The states of a set in which control would go round for ever: they have moves, of
    /// which none comes to an end.
    fn endless(&self, set: &Set, held: &[Set]) -> Made<Set> {
        let d = self.encoding.diagrams();
        let mut over = Vec::new();
        for (control, held) in self.controls.iter().zip(held) {
            let ends = d.or(&d.or(&control.rests, &control.fails)?, &control.ending)?;
            over.push(d.and(held, &ends)?);
        }
        let mut comes_to_an_end = self.sources(over, &self.trapped)?;
        comes_to_an_end = d.or(&comes_to_an_end, &d.or(&self.plain, &self.fails)?)?;
        let mut moving = d.constant(false);
        for one in &self.rules.ordinary {
            moving = d.or(&moving, &one.enabled)?;
        }
        d.minus(&d.and(set, &moving)?, &comes_to_an_end)
    }

    /// The states of a set without a step, in which somebody should go on.
    pub fn stuck(&self, set: &Set) -> Made<Set> {
        self.encoding.diagrams().and(set, &self.rules.deadlocks)
    }
}
