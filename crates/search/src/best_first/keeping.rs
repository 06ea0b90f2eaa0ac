//! A search in memory that is kept in a file, so that it goes on after its process ended.
//!
//! ```text
//! from a checkpoint: what was stored is stored again, in the same order, so that it has the
//!                    same numbers; what waited waits in the same order
//! else:              begin with the initial states
//! search; whenever it is time, and when a limit or the user stops it: save
//! ```
//! It is saved between two windows, where nothing is half done. So a search that goes on
//! comes to what it would have come to, count by count. What is a function of the model (the
//! tables of an estimate) is made again.
//!
//! Not kept are searches with preferences or reductions that need a proviso, whose choices
//! depend on more than is saved, and those over stores that do not keep states, or drop some.

use homing_core::hash::hash_words;
use homing_core::{Id, Open, Price, StopReason, Store, Visit, Watch};
use homing_external::{Loader, Saver, Trouble};

use super::explored::Explored;
use super::lead::Lead;
use crate::costs::Costs;
use crate::kept::{self, Keep};
use crate::nodes::Nodes;

/// Why a search cannot be kept, for whoever asks for it where it cannot.
const CANNOT: &str =
    "this search cannot be kept in a file: its store, its reduction or its estimate forbids it";

impl<S, C> Explored<'_, S, C>
where
    S: Store + ?Sized,
    C: Costs,
{
    /// Searches from where it stood, or from the initial states on.
    pub(super) fn run_kept<O: Open + Default>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        keep: &mut Keep<'_>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        if !self.can_be_kept(lead) {
            return Err(keep.fail(Trouble::Refused(CANNOT)));
        }
        match keep.take_loader() {
            None => {
                self.start(lead)?;
                self.look(lead, watch)?;
            }
            Some(mut loader) => {
                let restored = self.restore(lead, keep.newest, &mut loader);
                restored.map_err(|trouble| keep.fail(trouble))?;
            }
        }
        loop {
            let ended = self.go_while(lead, watch, |_, _| !keep.is_due());
            if self.findings.complete(self.task) || ended.is_ok() && lead.open.is_empty() {
                return ended.and_then(|()| self.look(lead, watch).or(Ok(())));
            }
            // A store that is full did not take all successors of the window.
            if ended != Err(StopReason::StoreFull) {
                let newest = keep.newest;
                watch.hold(|| keep.save(|saver| self.save(lead, newest, saver)));
            }
            ended?;
        }
    }

    fn can_be_kept<O: Open>(&self, lead: &Lead<'_, '_, O>) -> bool {
        let plain = lead.preference.is_none() && !lead.open.is_several() && lead.bit == 0;
        let whole = self.store.keeps_states() && self.store.is_exact();
        plain && whole && self.proviso.is_none() && self.task.space.cover().is_none()
    }

    fn save<O: Open + Default>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        newest: bool,
        saver: &mut Saver,
    ) -> Result<(), Trouble> {
        let mut statistics = self.statistics;
        statistics.estimated += lead.estimating();
        kept::save_statistics(saver, &statistics)?;
        kept::save_findings(saver, &self.findings)?;
        for number in self.promise.known().into_iter().chain(self.bound.known()) {
            saver.number(number)?;
        }
        self.save_states(saver)?;
        save_open(&mut lead.open, newest, saver)
    }

    fn save_states(&self, saver: &mut Saver) -> Result<(), Trouble> {
        let count = self.store.numbers() as u32;
        saver.number(count.into())?;
        let mut state = vec![0; self.task.space.width()];
        for number in 0..count {
            self.store.load(Id(number), &mut state);
            saver.state(&state)?;
            if let Nodes::Stored { parents: Some(parents) } = &self.nodes {
                saver.number(u64::from(parents.get(Id(number)).wrapping_add(1)))?;
            }
            if let Some(path) = self.closing.path(number) {
                let price: Price = path.into();
                saver.number(price)?;
                saver.number(self.closing.is_settled(number).into())?;
            }
        }
        Ok(())
    }

    fn restore<O: Open + Default>(
        &mut self,
        lead: &mut Lead<'_, '_, O>,
        newest: bool,
        loader: &mut Loader,
    ) -> Result<(), Trouble> {
        self.statistics = kept::load_statistics(loader)?;
        let estimated = &mut self.statistics.estimated;
        *estimated = estimated.saturating_sub(lead.estimating());
        self.findings = kept::load_findings(loader, self.task.space.width())?;
        self.promise.restore([loader.number()?, loader.number()?]);
        self.bound.restore([loader.number()?, loader.number()?]);
        let count = self.restore_states(loader)?;
        load_open(&mut lead.open, newest, count, loader)?;
        loader.end()
    }

    /// Stores what was stored. Answers how many states.
    fn restore_states(&mut self, loader: &mut Loader) -> Result<u64, Trouble> {
        let count = loader.below(u32::MAX.into())?;
        let mut state = vec![0; self.task.space.width()];
        for number in 0..count as u32 {
            loader.state(&mut state)?;
            let parent = match &mut self.nodes {
                Nodes::Stored { parents: Some(parents) } => {
                    let parent = (loader.below(count + 1)? as u32).wrapping_sub(1);
                    parents.set(Id(number), parent);
                    // A state that was opened again may have a parent that comes behind it.
                    if parent < number { Id(parent) } else { Id::NONE }
                }
                _ => Id::NONE,
            };
            match self.store.visit(&state, hash_words(&state), parent, 0) {
                Visit::New(id) if id == Id(number) => {}
                Visit::Full => return Err(Trouble::Room),
                _ => return Err(loader.damaged("it has a state twice")),
            }
            if self.closing.path(number).is_some() {
                self.closing.note(number, self.costs.of_key(loader.number()?));
                self.closing.settle(number, loader.below(2)? == 1);
            }
        }
        Ok(count)
    }
}

/// All entries, in the order in which they leave.
fn pour<O: Open + Default>(from: &mut O, mut each: impl FnMut(u32, u64)) -> O {
    let mut to = O::default();
    while let Some((entry, key)) = from.pop() {
        to.push(entry, key);
        each(entry, key);
    }
    to
}

/// Writes what waits. It waits in the same order afterwards, also where writing fails.
fn save_open<O: Open + Default>(
    open: &mut O,
    newest: bool,
    saver: &mut Saver,
) -> Result<(), Trouble> {
    let mut written = saver.number(open.len() as u64);
    let poured = pour(open, |entry, key| {
        let both = [entry.into(), key];
        if written.is_ok() {
            written = both.into_iter().try_for_each(|number| saver.number(number));
        }
    });
    *open = in_order(poured, newest);
    written
}

/// Lets wait what waited.
fn load_open<O: Open + Default>(
    open: &mut O,
    newest: bool,
    count: u64,
    loader: &mut Loader,
) -> Result<(), Trouble> {
    let mut poured = O::default();
    for _ in 0..loader.number()? {
        let entry = loader.below(count)?;
        poured.push(entry as u32, loader.number()?);
    }
    *open = in_order(poured, newest);
    Ok(())
}

/// A list that was poured once: where the newest comes first, it is the wrong way around.
fn in_order<O: Open + Default>(mut poured: O, newest: bool) -> O {
    if newest { pour(&mut poured, |_, _| ()) } else { poured }
}
