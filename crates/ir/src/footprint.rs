//! What parts read and write.
//!
//! These sets drive slicing, reset of dead variables and, later, interference
//! contexts, partial-order reduction and relaxations. They must therefore hold
//! the implicit reads too: whether a part can move may depend on slots its
//! guard does not mention (commitment of others, partners of a
//! synchronisation and their guards).
//!
//! Clocks are variables too, numbered behind the slots
//! ([`System::clock_variable`]): a part reads those its guard bounds and writes
//! those it resets. Where time passes, how far it may is an implicit read of
//! every part ([`Timing::time_reads`](crate::timing::Timing::time_reads)): the
//! locations with invariants, the urgent and the committed ones.

use crate::system::{Command, ComponentId, PartId, SlotId, System, Term};

/// A set of slots: as large as what is in it, whatever the numbers of its slots. Most
/// parts of large systems touch a few slots of thousands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SlotSet {
    /// Sixty-four slots each: which, and the members among them. In order, none empty.
    blocks: Vec<(u32, u64)>,
}

impl SlotSet {
    /// Adds a slot and says whether it was new.
    pub fn insert(&mut self, slot: SlotId) -> bool {
        let (block, bit) = (slot.0 / 64, 1 << (slot.0 % 64));
        match self.find(block) {
            Ok(at) => {
                let new = self.blocks[at].1 & bit == 0;
                self.blocks[at].1 |= bit;
                new
            }
            Err(at) => {
                self.blocks.insert(at, (block, bit));
                true
            }
        }
    }

    /// Where a block is, or would be. Most slots are added in order.
    fn find(&self, block: u32) -> Result<usize, usize> {
        match self.blocks.last() {
            Some((last, _)) if *last < block => Err(self.blocks.len()),
            _ => self.blocks.binary_search_by_key(&block, |(block, _)| *block),
        }
    }

    /// Whether the slot is in the set.
    pub fn contains(&self, slot: SlotId) -> bool {
        let found = self.find(slot.0 / 64);
        found.is_ok_and(|at| self.blocks[at].1 >> (slot.0 % 64) & 1 == 1)
    }

    /// Adds all of `other` and says whether any was new.
    pub fn extend(&mut self, other: &SlotSet) -> bool {
        let (mut grew, mut missing, mut at) = (false, false, 0);
        for (block, theirs) in &other.blocks {
            at += self.blocks[at..].partition_point(|(mine, _)| mine < block);
            match self.blocks.get_mut(at) {
                Some((mine, bits)) if mine == block => {
                    grew |= theirs & !*bits != 0;
                    *bits |= theirs;
                }
                _ => missing = true,
            }
        }
        if missing {
            self.insert_blocks(other);
        }
        grew | missing
    }

    /// Adds the blocks of `other` that are missing.
    fn insert_blocks(&mut self, other: &SlotSet) {
        let missing = other.blocks.iter().filter(|(block, _)| self.find(*block).is_err());
        let missing: Vec<(u32, u64)> = missing.copied().collect();
        self.blocks.extend(missing);
        // Two sorted runs: merged in one go.
        self.blocks.sort_by_key(|(block, _)| *block);
    }

    /// The blocks that are in both, with the members of each.
    fn common<'s>(&'s self, other: &'s SlotSet) -> impl Iterator<Item = (u32, u64, u64)> + 's {
        let mut theirs = other.blocks.iter().peekable();
        self.blocks.iter().filter_map(move |(block, mine)| {
            while theirs.next_if(|(other, _)| other < block).is_some() {}
            let (_, theirs) = theirs.next_if(|(other, _)| other == block)?;
            Some((*block, *mine, *theirs))
        })
    }

    /// What is in both.
    pub fn intersect(&self, other: &SlotSet) -> SlotSet {
        let both = self.common(other).map(|(block, mine, theirs)| (block, mine & theirs));
        SlotSet { blocks: both.filter(|(_, bits)| *bits != 0).collect() }
    }

    /// Removes all of `other`.
    pub fn subtract(&mut self, other: &SlotSet) {
        let mut theirs = other.blocks.iter().peekable();
        self.blocks.retain_mut(|(block, mine)| {
            while theirs.next_if(|(other, _)| other < block).is_some() {}
            if let Some((_, theirs)) = theirs.next_if(|(other, _)| other == block) {
                *mine &= !theirs;
            }
            *mine != 0
        });
    }

    /// Whether some slot is in both.
    pub fn meets(&self, other: &SlotSet) -> bool {
        self.common(other).any(|(_, mine, theirs)| mine & theirs != 0)
    }

    /// The slots, in order.
    pub fn iter(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.blocks.iter().flat_map(|(block, bits)| {
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| SlotId(block * 64 + bit))
        })
    }
}

impl FromIterator<SlotId> for SlotSet {
    fn from_iter<I: IntoIterator<Item = SlotId>>(slots: I) -> SlotSet {
        let mut set = SlotSet::default();
        slots.into_iter().for_each(|slot| {
            set.insert(slot);
        });
        set
    }
}

/// What a part reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// Read in the source state: location, guard, message, matches, indices.
    pub source_reads: SlotSet,
    /// Read by the effect, of slots the effect did not surely write before.
    pub effect_reads: SlotSet,
    /// Possibly written.
    pub may_write: SlotSet,
    /// Written whenever the part moves.
    pub must_write: SlotSet,
}

impl Footprint {
    /// All explicit reads.
    pub fn reads(&self) -> SlotSet {
        let mut all = self.source_reads.clone();
        all.extend(&self.effect_reads);
        all
    }
}

/// The slots a term reads.
pub fn term_reads(term: &Term) -> SlotSet {
    let mut reads = SlotSet::default();
    term.walk(&mut |term| match term {
        Term::Slot(slot) => {
            reads.insert(*slot);
        }
        Term::Element { first, count, .. } => {
            (first.0..first.0 + count).for_each(|slot| {
                reads.insert(SlotId(slot));
            });
        }
        _ => {}
    });
    reads
}

/// The footprint of a part.
pub fn footprint(system: &System, id: PartId) -> Footprint {
    let part = system.part(id);
    let mut result = Footprint::default();
    result.source_reads.insert(system.component(part.component).location);
    for term in part.source_terms() {
        result.source_reads.extend(&term_reads(term));
    }
    for commands in [&part.stores, &part.effect, &part.cleanup] {
        block(commands, &mut result);
    }
    clocks(system, id, &mut result);
    result
}

fn clocks(system: &System, id: PartId, result: &mut Footprint) {
    let Some(timing) = &system.timing else { return };
    let timed = &timing.parts[id.index()];
    result.source_reads.extend(&timing.reads(system, &timed.guard));
    for (clock, _) in &timed.resets {
        result.may_write.insert(system.clock_variable(*clock));
        result.must_write.insert(system.clock_variable(*clock));
    }
    let mut assigned = timing.pending_slots().filter(|(slot, _)| result.may_write.contains(*slot));
    if assigned.next().is_none() {
        return;
    }
    // Which of these clocks are assigned, and which are copied, is decided when
    // it happens.
    for (_, clock) in timing.pending_slots() {
        result.may_write.insert(system.clock_variable(clock));
        result.effect_reads.insert(system.clock_variable(clock));
    }
}

fn block(commands: &[Command], result: &mut Footprint) {
    for command in commands {
        for term in command.terms() {
            let mut reads = term_reads(term);
            reads.subtract(&result.must_write);
            result.effect_reads.extend(&reads);
        }
        match command {
            Command::Set(slot, _) => {
                result.may_write.insert(*slot);
                result.must_write.insert(*slot);
            }
            Command::SetElement { first, count, .. } => {
                result.may_write.extend(&(first.0..first.0 + count).map(SlotId).collect());
            }
            Command::If(_, then, otherwise) => {
                let (mut a, mut b) = (result.clone(), result.clone());
                block(then, &mut a);
                block(otherwise, &mut b);
                let must_write = a.must_write.intersect(&b.must_write);
                a.effect_reads.extend(&b.effect_reads);
                a.may_write.extend(&b.may_write);
                *result = Footprint { must_write, ..a };
            }
            Command::While(_, body, _) => {
                let mut once = result.clone();
                block(body, &mut once);
                let must_write = result.must_write.clone();
                *result = Footprint { must_write, ..once };
            }
            Command::Let(..) | Command::Require(..) => {}
        }
    }
}

/// All footprints of a system, with what they imply.
#[derive(Clone, Debug)]
pub struct Footprints {
    /// One for every part.
    pub parts: Vec<Footprint>,
    /// For every part, the slots it reads without mentioning them: locations
    /// that may be committed, locations and guards of possible partners, and
    /// what decides about time.
    pub implicit: Vec<SlotSet>,
    /// For every part, the parts it may move together with.
    pub partners: Vec<Vec<PartId>>,
}

impl Footprints {
    /// Computes the footprints of all parts.
    pub fn of(system: &System) -> Footprints {
        let ids = (0..system.parts.len() as u32).map(PartId);
        let parts: Vec<Footprint> = ids.map(|part| footprint(system, part)).collect();
        let partners = partners(system);
        let mut commitment = commitment_reads(system);
        if let Some(timing) = &system.timing {
            commitment.extend(&timing.time_reads(system));
        }
        let mut everything = SlotSet::default();
        parts.iter().for_each(|part| {
            everything.extend(&part.source_reads);
        });
        let implicit = partners.iter().zip(&system.parts).map(|(partners, part)| {
            // A timeout transition waits until no other can move.
            if part.timeout {
                return everything.clone();
            }
            let mut reads = commitment.clone();
            for partner in partners {
                homing_budget::checkpoint();
                reads.extend(&parts[partner.index()].source_reads);
            }
            reads
        });
        Footprints { implicit: implicit.collect(), parts, partners }
    }

    /// Whether each slot is read or written by parts of one component only;
    /// the component, where it is.
    pub fn exclusive_user(&self, system: &System) -> Vec<Option<ComponentId>> {
        let mut users = vec![Users::Nobody; system.variables()];
        for (part, footprint) in system.parts.iter().zip(&self.parts) {
            let touched = [&footprint.source_reads, &footprint.effect_reads, &footprint.may_write];
            for slot in touched.into_iter().flat_map(SlotSet::iter) {
                users[slot.index()].note(part.component);
            }
        }
        users.into_iter().map(Users::only).collect()
    }
}

/// Which components use a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Users {
    /// None.
    Nobody,
    /// This one.
    One(ComponentId),
    /// More than one.
    Several,
}

impl Users {
    /// One more use.
    pub fn note(&mut self, component: ComponentId) {
        *self = match *self {
            Users::Nobody => Users::One(component),
            Users::One(only) if only == component => Users::One(only),
            Users::One(_) | Users::Several => Users::Several,
        };
    }

    /// The only user.
    pub fn only(self) -> Option<ComponentId> {
        match self {
            Users::One(only) => Some(only),
            Users::Nobody | Users::Several => None,
        }
    }
}

fn commitment_reads(system: &System) -> SlotSet {
    let committing = system.components.iter().filter(|c| c.committed.contains(&true));
    committing.map(|component| component.location).collect()
}

fn partners(system: &System) -> Vec<Vec<PartId>> {
    let mut partners = vec![Vec::new(); system.parts.len()];
    let mut meet = |a: PartId, b: PartId| {
        if system.part(a).component != system.part(b).component {
            partners[a.index()].push(b);
            partners[b.index()].push(a);
        }
    };
    for channel in &system.rendezvous {
        for sender in &channel.senders {
            channel.receivers.iter().for_each(|receiver| meet(*sender, *receiver));
        }
    }
    for joint in &system.joints {
        let all: Vec<PartId> = joint
            .leader
            .into_iter()
            .chain(joint.members.iter().flat_map(|member| member.parts.iter().copied()))
            .collect();
        for (index, a) in all.iter().enumerate() {
            homing_budget::checkpoint();
            all[index + 1..].iter().for_each(|b| meet(*a, *b));
        }
    }
    for list in &mut partners {
        list.sort_unstable();
        list.dedup();
    }
    partners
}
