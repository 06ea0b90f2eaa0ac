//! A search that turns out long is handed to shards, and others help.
//!
//! ```text
//! search as one thread does, for so many expansions
//! add every stored state to the shard that owns it, the way to it being the one known here
//! let what waits wait there, in the same order
//! go on over the shards                                             (crate::sharded)
//! ```
//! So a short search is the same whatever the number of threads, and costs the same.
//!
//! Some searches stay with one thread: those whose estimates are lazy or whose steps are
//! preferred (what waits where depends on what was expanded last), those that take the
//! newest state first, beams, those over stores that do not keep states, those that reduce
//! by a proviso, and those with a limit on states, which is met exactly.

use homing_core::hash::hash_words;
use homing_core::{Id, Limits, Open, Price, StopReason, Store, Watch, Word};

use super::explored::Explored;
use super::lead::Lead;
use super::{Manner, Rank};
use crate::costs::Costs;
use crate::guide::Guide;
use crate::nodes::Nodes;
use crate::sharded::{Common, Keeping, Memory, Owners, Place, Rounds, Tally, search};

/// What a search needs where others help.
pub(crate) struct Helpers<'s, 'h> {
    /// Empty stores, one a thread.
    pub shards: Vec<&'s mut dyn Store>,
    /// What directs each.
    pub guide: &'h Guide<'h>,
}

/// What came of a search over shards.
#[derive(Clone, Copy)]
pub(super) struct Handed {
    /// States stored.
    pub stored: u64,
    /// What the estimates of its workers took.
    pub estimated: u64,
}

impl<S, C> Explored<'_, S, C>
where
    S: Store + ?Sized,
    C: Costs,
{
    /// Whether shards may take over.
    pub(crate) fn can_share<O: Open>(&self, lead: &Lead<'_, '_, O>, limits: &Limits) -> bool {
        let Manner { rank, jointly, beam } = lead.manner;
        let plain = rank != Rank::Newest && jointly == 1 && !beam && lead.bit == 0;
        let eager = lead.estimate.as_ref().is_none_or(|estimate| !estimate.lazy);
        let ordered = lead.preference.is_none() && !lead.open.is_several();
        let kept = self.store.keeps_states() && self.store.is_exact();
        plain && eager && ordered && kept && self.proviso.is_none() && limits.states.is_none()
    }

    /// Whether shards took over: what waits, waits there.
    pub(crate) fn is_handed(&self) -> bool {
        self.handed.is_some()
    }

    /// Searches, with helpers where it is worth their while.
    pub(super) fn run_with<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        helpers: Helpers<'_, '_>,
        watch: &mut Watch,
        costs: &(dyn Fn() -> C + Sync),
    ) -> Result<(), StopReason> {
        let after = watch.crew().after;
        self.start(lead)?;
        self.look(lead, watch)?;
        self.go_while(lead, watch, |explored, _| explored.statistics.progress.expanded < after)?;
        match self.is_done(&lead.open) {
            true => self.look(lead, watch).or(Ok(())),
            false => self.hand_over(lead, helpers, watch, costs),
        }
    }

    /// Goes on over shards.
    pub(crate) fn hand_over<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        helpers: Helpers<'_, '_>,
        watch: &mut Watch,
        costs: &(dyn Fn() -> C + Sync),
    ) -> Result<(), StopReason> {
        let (task, rank) = (self.task, lead.manner.rank);
        let reopens = self.closing.reopens();
        let keeping = Keeping {
            paths: task.wants_anything(),
            reopens,
            keys_are_costs: rank == Rank::Depth,
            group: group::<C>(rank),
            covering: self.covering,
        };
        let exact = task.space.cover().map(|cover| 0..cover.words().start);
        let owners = Owners::new(helpers.shards.len(), exact);
        let mut memory = Memory::new(helpers.shards, &keeping);
        self.move_states(lead, &owners, &mut memory)?;
        let rounds = Rounds {
            common: Common::of(task),
            manner: lead.manner,
            guide: helpers.guide,
            owners,
            limits: watch.limits().clone(),
            admissible: lead.is_admissible(),
            reopens,
            sized: !matches!(rank, Rank::Depth) && lead.is_guided(),
            crew: watch.crew(),
        };
        let before = |number| self.states_to(number);
        let mut tally = Tally {
            findings: self.findings.clone(),
            statistics: self.statistics,
            promise: self.promise,
            bound: self.bound,
            before: &before,
            bytes: self.bytes(),
            estimated: 0,
            task,
        };
        let ended = search(&rounds, memory.shards(), &mut tally, watch, costs);
        let Tally { findings, statistics, promise, bound, estimated, .. } = tally;
        let stored = statistics.progress.stored;
        (self.findings, self.statistics) = (findings, statistics);
        (self.promise, self.bound) = (promise, bound);
        self.handed = Some(Handed { stored, estimated });
        ended
    }

    /// Adds what is stored here to the shards, and lets wait what waits.
    fn move_states<O: Open>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        owners: &Owners,
        memory: &mut Memory<'_>,
    ) -> Result<(), StopReason> {
        let mut state = vec![0; self.task.space.width()];
        let mut places = vec![Place::NONE; self.store.numbers()];
        let mut paths: Vec<Price> = vec![0; places.len()];
        for number in 0..places.len() as u32 {
            let path = self.path_to(number, &paths);
            paths[number as usize] = path;
            if self.store.is_dropped(Id(number)) {
                continue;
            }
            self.store.load(Id(number), &mut state);
            let hash = hash_words(&state);
            let shard = owners.of(&state, hash);
            let place = memory.add(shard, &state, hash, path, Place::before(number));
            places[number as usize] = place.ok_or(StopReason::StoreFull)?;
        }
        while let Some((entry, key)) = lead.open.pop() {
            // Of several entries of a state, the first is of the cheapest path.
            let place = std::mem::replace(&mut places[entry as usize], Place::NONE);
            if place != Place::NONE && !self.closing.is_settled(entry) {
                let path = self.closing.path(entry).unwrap_or_else(|| self.costs.of_key(key));
                memory.wait(place, path.into(), key);
            }
        }
        Ok(())
    }

    /// What the path to a stored state costs: as it is kept, or one step more than that
    /// to its parent, or nothing, where nobody asks.
    pub(super) fn path_to(&self, number: u32, paths: &[Price]) -> Price {
        match (self.closing.path(number), &self.nodes) {
            (Some(path), _) => path.into(),
            (None, Nodes::Stored { parents: Some(parents) }) => {
                paths.get(parents.get(Id(number)) as usize).map_or(0, |path| path + 1)
            }
            (None, _) => 0,
        }
    }

    /// The states on the way to a stored one.
    fn states_to(&self, number: u32) -> Vec<Vec<Word>> {
        self.nodes.states(&*self.store, number, self.task.space.width())
    }
}

/// Which keys may be taken in one round.
fn group<C: Costs>(rank: Rank) -> fn(u64) -> u64 {
    match rank {
        Rank::Sum(_) => C::sum,
        Rank::Estimate => |_| 0,
        Rank::Depth | Rank::Newest => |key| key,
    }
}
