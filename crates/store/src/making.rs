//! Stores for searches that go round.

use homing_core::expression::Call;
use homing_core::{StopReason, Store, Stores};

use crate::{StoreConfig, build};

/// Makes stores of one kind, each in place of the one before.
pub struct Making<'a> {
    config: StoreConfig<'a>,
    call: Call,
    store: Option<Box<dyn Store + 'a>>,
    used: bool,
}

impl<'a> Making<'a> {
    /// With a first store, so that what is wrong with it is known before the
    /// search.
    pub fn new(config: StoreConfig<'a>, call: Call) -> Result<Making<'a>, String> {
        let store = Some(build(&config, &call)?);
        Ok(Making { config, call, store, used: false })
    }

    /// The store made last, if there was memory for it.
    pub fn last(&self) -> Option<&(dyn Store + 'a)> {
        self.store.as_deref()
    }
}

impl Stores for Making<'_> {
    fn fresh(&mut self) -> Result<&mut dyn Store, StopReason> {
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
}
