//! Shards in memory: a store each, and one queue for all.
//!
//! Only its owner changes a shard, while shards take in what was posted; in all other
//! phases everybody may read it, so that any worker can take any state. Locks are taken
//! once a phase and never waited for: the phases keep those apart who would meet.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use homing_core::{Column, Id, Price, StopReason, Store, Visit, Word};

use super::front::{Entry, Front};
use super::{Bucket, Candidates, Held, Judge, Part, Place, Post, Shard, States};
use crate::best_first::{Closing, Covering};

/// Successors looked up together.
const WINDOW: usize = 64;

/// What all shards in memory share.
pub(crate) struct Memory<'s> {
    owned: Vec<RwLock<Owned<'s>>>,
    /// By worker and shard: what became of what the one posted to the other.
    answers: Vec<Vec<Mutex<Vec<Answer>>>>,
    /// By worker: what is to wait from now on.
    waiting: Vec<Mutex<Vec<Entry>>>,
    front: Mutex<Front>,
    round: RwLock<Vec<Entry>>,
    /// Which keys may be taken in one round: those that are told alike.
    group: fn(u64) -> u64,
    covering: Covering,
}

/// What a shard's owner alone changes.
struct Owned<'s> {
    store: &'s mut dyn Store,
    parents: Option<Column<Place>>,
    closing: Closing<Price>,
}

/// What became of a successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// It was known, or is covered.
    Known,
    /// It was not.
    New(u32),
    /// It was, at greater cost.
    Cheaper(u32),
}

/// How states wait and are remembered.
pub(crate) struct Keeping {
    /// Whether parents are remembered.
    pub paths: bool,
    /// Whether cheaper ways open states again.
    pub reopens: bool,
    /// Whether the key of a state is what its path costs.
    pub keys_are_costs: bool,
    /// See [`Memory`].
    pub group: fn(u64) -> u64,
    /// What stores are told of costs.
    pub covering: Covering,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> Memory<'s> {
    /// Shards with these stores, which are empty.
    pub fn new(stores: Vec<&'s mut dyn Store>, keeping: &Keeping) -> Memory<'s> {
        let size = stores.len();
        let own = |store| {
            RwLock::new(Owned {
                store,
                parents: keeping.paths.then(|| Column::new(Place::NONE)),
                closing: Closing::in_shard(keeping.reopens),
            })
        };
        let answers = || (0..size).map(|_| Mutex::default()).collect();
        Memory {
            owned: stores.into_iter().map(own).collect(),
            answers: (0..size).map(|_| answers()).collect(),
            waiting: (0..size).map(|_| Mutex::default()).collect(),
            front: Mutex::new(Front::new(keeping.keys_are_costs)),
            round: RwLock::default(),
            group: keeping.group,
            covering: keeping.covering,
        }
    }

    /// Adds a state that was stored before, and answers its place; none where there is no
    /// room.
    pub fn add(
        &mut self,
        shard: usize,
        state: &[Word],
        hash: u64,
        path: Price,
        before: Place,
    ) -> Option<Place> {
        let owned = self.owned[shard].get_mut().unwrap_or_else(PoisonError::into_inner);
        let id = match owned.store.visit(state, hash, Id::NONE, self.covering.told(path)) {
            Visit::New(id) | Visit::Known(id) | Visit::Covered(id) => id,
            Visit::Full => return None,
        };
        owned.note(id, before, path);
        Some(Place::new(shard, id.0))
    }

    /// Lets such a state wait.
    pub fn wait(&mut self, place: Place, path: Price, key: u64) {
        let front = self.front.get_mut().unwrap_or_else(PoisonError::into_inner);
        front.extend(&[Entry { place, path, key }]);
    }

    /// The shards, one a worker.
    pub fn shards<'m>(&'m self) -> Vec<InMemory<'m, 's>> {
        (0..self.owned.len()).map(|me| InMemory { memory: self, me }).collect()
    }
}

impl Owned<'_> {
    /// Notes the way to a state.
    #[inline]
    fn note(&mut self, id: Id, from: Place, path: Price) {
        if let Some(parents) = &mut self.parents {
            parents.set(id, from);
        }
        self.closing.note(id.0, path);
    }

    /// Whether an entry needs no expansion any more.
    #[inline]
    fn is_stale(&self, entry: &Entry) -> bool {
        let number = entry.place.number();
        self.closing.path(number).is_some_and(|path| path < entry.path)
            || self.store.is_dropped(Id(number))
    }

    fn take_in(
        &mut self,
        me: usize,
        candidates: &Candidates<'_>,
        covering: Covering,
        answers: &mut Vec<Answer>,
    ) -> Result<(), StopReason> {
        let mut hashes = [[0; WINDOW]; 2];
        let fill = |hashes: &mut [u64; WINDOW], start: usize| {
            let count = (candidates.len() - start).min(WINDOW);
            (0..count).for_each(|i| hashes[i] = candidates.hash(start + i));
            count
        };
        let mut count = fill(&mut hashes[0], 0);
        self.store.prefetch(&hashes[0][..count]);
        for (turn, start) in (0..candidates.len()).step_by(WINDOW).enumerate() {
            let (now, next) = (turn % 2, 1 - turn % 2);
            let after = match start + WINDOW < candidates.len() {
                true => fill(&mut hashes[next], start + WINDOW),
                false => 0,
            };
            self.store.prefetch(&hashes[next][..after]);
            self.store.prefetch_states(&hashes[now][..count]);
            for i in start..start + count {
                answers.push(self.visit(me, candidates, i, covering)?);
            }
            count = after;
        }
        Ok(())
    }

    #[inline]
    fn visit(
        &mut self,
        me: usize,
        candidates: &Candidates<'_>,
        i: usize,
        covering: Covering,
    ) -> Result<Answer, StopReason> {
        let candidate = candidates.get(i);
        // Stores know their own states only.
        let near = candidate.from.shard() == me;
        let from = if near { Id(candidate.from.number()) } else { Id::NONE };
        let path = candidate.path;
        match self.store.visit(candidate.state, candidate.hash, from, covering.told(path)) {
            Visit::New(id) => {
                self.note(id, candidate.from, path);
                Ok(Answer::New(id.0))
            }
            Visit::Known(id) if self.closing.is_cheaper(id, path) => {
                self.note(id, candidate.from, path);
                Ok(Answer::Cheaper(id.0))
            }
            Visit::Known(_) | Visit::Covered(_) => Ok(Answer::Known),
            Visit::Full => Err(StopReason::StoreFull),
        }
    }
}

/// A shard in memory.
pub(crate) struct InMemory<'m, 's> {
    memory: &'m Memory<'s>,
    me: usize,
}

impl Shard for InMemory<'_, '_> {
    /// The first shard answers for all.
    fn least(&mut self, most: usize) -> Result<Option<Bucket>, StopReason> {
        if self.me != 0 {
            return Ok(None);
        }
        let mut front = lock(&self.memory.front);
        for waiting in &self.memory.waiting {
            let mut waiting = lock(waiting);
            front.extend(&waiting);
            waiting.clear();
        }
        let Some(first) = front.first() else { return Ok(None) };
        let mut round = self.memory.round.write().unwrap_or_else(PoisonError::into_inner);
        round.clear();
        front.cut(most, self.memory.group, &mut round);
        Ok(Some(Bucket { key: first.key, path: first.path, states: round.len() as u64 }))
    }

    fn take(&mut self, _: Bucket, part: Part, out: &mut States) -> Result<(), StopReason> {
        // Where one worker takes all, it does so from the first shard.
        if part == Part::ALL && self.me != 0 {
            return Ok(());
        }
        let round = read(&self.memory.round);
        let owned: Vec<_> = self.memory.owned.iter().map(read).collect();
        for entry in &round[part.share(round.len())] {
            let owner = &owned[entry.place.shard()];
            if !owner.is_stale(entry) {
                let state = out.push(entry.place, entry.path, entry.key);
                owner.store.load(Id(entry.place.number()), state);
            }
        }
        Ok(())
    }

    fn put(&mut self, inbox: &[Candidates<'_>], _: &mut dyn Judge) -> Result<(), StopReason> {
        let Memory { owned, answers, covering, .. } = self.memory;
        let mut owned = owned[self.me].write().unwrap_or_else(PoisonError::into_inner);
        // All at once: where there is no room for one, the others get no answer.
        (0..inbox.len()).for_each(|from| lock(&answers[from][self.me]).clear());
        for (from, candidates) in inbox.iter().enumerate() {
            let mut answers = lock(&answers[from][self.me]);
            owned.take_in(self.me, candidates, *covering, &mut answers)?;
        }
        Ok(())
    }

    fn settle(&mut self, posted: &Post, judge: &mut dyn Judge) -> Result<(), StopReason> {
        let Memory { answers, waiting, .. } = self.memory;
        let answers: Vec<_> = answers[self.me].iter().map(lock).collect();
        let mut waiting = lock(&waiting[self.me]);
        let mut next = vec![0; answers.len()];
        for i in 0..posted.len() {
            let shard = posted.owner(i);
            // A shard that is full answers no more.
            let Some(answer) = answers[shard].get(next[shard]) else { continue };
            next[shard] += 1;
            let (number, new) = match answer {
                Answer::Known => continue,
                Answer::New(number) => (*number, true),
                Answer::Cheaper(number) => (*number, false),
            };
            let (candidate, place) = (posted.candidate(i), Place::new(shard, number));
            if new {
                judge.is_new(&candidate, place);
            }
            if let Some(key) = judge.key(&candidate) {
                waiting.push(Entry { place, path: candidate.path, key });
            }
        }
        Ok(())
    }

    fn parent(&mut self, place: Place, state: &mut [Word]) -> Result<Place, StopReason> {
        let owned = read(&self.memory.owned[place.shard()]);
        owned.store.load(Id(place.number()), state);
        let parents = owned.parents.as_ref();
        Ok(parents.map_or(Place::NONE, |parents| parents.get(Id(place.number()))))
    }

    fn held(&self) -> Held {
        let owned = read(&self.memory.owned[self.me]);
        let columns = owned.parents.as_ref().map_or(0, Column::bytes) + owned.closing.bytes();
        let mut held = Held {
            stored: owned.store.len() as u64,
            waiting: 0,
            bytes: owned.store.bytes() + columns,
        };
        let answers = &self.memory.answers[self.me];
        held.bytes +=
            answers.iter().map(|them| lock(them).capacity() * size_of::<Answer>()).sum::<usize>();
        held.bytes += lock(&self.memory.waiting[self.me]).capacity() * size_of::<Entry>();
        if self.me == 0 {
            let front = lock(&self.memory.front);
            held.waiting = front.len() as u64;
            held.bytes += front.bytes();
        }
        held
    }
}
