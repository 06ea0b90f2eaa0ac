//! Stores for searches that go round.

use homing_core::catalogue::Capability;
use homing_core::expression::Call;
use homing_core::{Sharded, SharedStore, StopReason, Store, Stores};

use crate::shared::Shared;
use crate::{STORES, StoreConfig, build};

/// Makes stores of one kind, each in place of the one before.
pub struct Making<'a> {
    config: StoreConfig<'a>,
    call: Call,
    store: Option<Box<dyn Store + 'a>>,
    shards: Vec<Box<dyn Store + 'a>>,
    shared: Option<Shared>,
    used: bool,
}

impl<'a> Making<'a> {
    /// With a first store, so that what is wrong with it is known before the
    /// search.
    pub fn new(config: StoreConfig<'a>, call: Call) -> Result<Making<'a>, String> {
        let store = Some(build(&config, &call)?);
        Ok(Making { config, call, store, shards: Vec::new(), shared: None, used: false })
    }

    /// The store made last, if there was memory for it.
    pub fn last(&self) -> Option<&(dyn Store + 'a)> {
        self.store.as_deref()
    }

    /// The memory of the store made last and its shards, in bytes.
    pub fn bytes(&self) -> usize {
        let shared = self.shared.as_ref().map_or(0, |shared| shared.bytes());
        self.all().map(|store| store.bytes()).sum::<usize>() + shared
    }

    /// The states in the store made last, or in its shards where the search went on there.
    pub fn stored(&self) -> usize {
        let sharded = self.shards.iter().map(|store| store.len()).sum();
        let shared = self.shared.as_ref().map_or(0, |shared| shared.len());
        self.last().map_or(0, |store| store.len()).max(sharded).max(shared)
    }

    fn all(&self) -> impl Iterator<Item = &Box<dyn Store + 'a>> {
        self.store.iter().chain(&self.shards)
    }
}

impl Stores for Making<'_> {
    fn fresh(&mut self) -> Result<&mut dyn Store, StopReason> {
        self.shards = Vec::new();
        self.shared = None;
        if std::mem::replace(&mut self.used, true) {
            // The old one goes first: there may be no room for both.
            self.store = None;
            self.store = build(&self.config, &self.call).ok();
        }
        match &mut self.store {
            Some(store) => Ok(&mut **store),
            None => Err(StopReason::Memory),
        }
    }

    fn sharded(&mut self, shards: usize) -> Result<Option<Sharded<'_>>, StopReason> {
        self.fresh()?;
        // Each shard may take its part of the memory, all together what the run may.
        let memory = self.config.memory.map(|memory| memory / shards.max(1));
        let config = StoreConfig { memory, ..self.config };
        for _ in 0..shards {
            self.shards.push(build(&config, &self.call).map_err(|_| StopReason::Memory)?);
        }
        let Some(first) = &mut self.store else { return Err(StopReason::Memory) };
        let shards = self.shards.iter_mut().map(|shard| &mut **shard as &mut dyn Store).collect();
        Ok(Some(Sharded { first: &mut **first, shards }))
    }

    fn shared(&mut self, workers: usize) -> Result<Option<&dyn SharedStore>, StopReason> {
        // Others keep states in ways that one thread at a time must see to.
        if !STORES.iter().any(|row| row.name == self.call.name && row.gives(Capability::Shared)) {
            return Ok(None);
        }
        self.fresh()?;
        Ok(Some(self.shared.insert(Shared::new(&self.config, workers)?)))
    }
}
