//! What a depth-first search remembers of the states it has been at.
//!
//! Under a bound a state *must* be entered again when it is reached at less
//! cost: from there on more lies within the bound (the survey's pitfall). That
//! is dear, and needless where the bound cuts nothing. So a memory is told
//! whether to open states again; where not, it notes that it would have
//! mattered ([`Memory::is_blurred`]).

use homing_core::{Column, Id, Price, StopReason, Store, Visit, Word};

/// How a state was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reached<V> {
    /// At which cost.
    pub path: V,
    /// After how many steps; zero unless steps are limited apart from costs.
    pub depth: u32,
}

impl<V: Ord> Reached<V> {
    /// Whether whoever was at a state like this has seen all that lies behind
    /// it for one who comes like `other`.
    pub(crate) fn covers(&self, other: &Reached<V>) -> bool {
        self.path <= other.path && self.depth <= other.depth
    }
}

/// Whether a state is to be entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// For the first time, as far as anybody remembers.
    New(Id),
    /// Again.
    Again(Id),
    /// Not: nothing is to be found there that was not found before.
    Known,
}

/// What decides whether states are entered.
pub(crate) trait Memory<V> {
    /// Whether states may be forgotten: then the path must be watched for
    /// cycles.
    const FORGETS: bool;

    /// Whether [`Memory::enter`] would answer [`Entry::Known`], where that is
    /// cheap to say.
    fn knows(&self, _state: &[Word], _hash: u64, _reached: Reached<V>) -> bool {
        false
    }

    /// Decides on a state, and notes it if it is to be entered.
    fn enter(
        &mut self,
        state: &[Word],
        hash: u64,
        from: Id,
        reached: Reached<V>,
    ) -> Result<Entry, StopReason>;

    /// Hints that states with these hashes follow soon.
    fn prefetch(&self, _hashes: &[u64]) {}

    /// Whether a state that was reached at less cost than before was not
    /// entered, or may not have been.
    fn is_blurred(&self) -> bool;

    /// Whether two different states are never taken for one.
    fn is_exact(&self) -> bool;

    /// The number of states remembered.
    fn len(&self) -> usize;

    /// The memory taken, in bytes.
    fn bytes(&self) -> usize;
}

/// A store, and under a bound the cost at which each state was entered last.
pub(crate) struct Cheapest<'a, S: ?Sized, V> {
    store: &'a mut S,
    paths: Option<Column<V>>,
    /// Only where steps are limited apart from costs.
    depths: Option<Column<u32>>,
    reopens: bool,
    blurred: bool,
    unnumbered: bool,
}

impl<'a, S: Store + ?Sized, V: Copy + Ord + Into<Price>> Cheapest<'a, S, V> {
    /// Remembers costs where `worst`, the greatest, is given; enters states
    /// again that are reached at less where `reopens`.
    pub(crate) fn new(store: &'a mut S, worst: Option<V>, depths: bool, reopens: bool) -> Self {
        Cheapest {
            store,
            paths: worst.map(Column::new),
            depths: depths.then(|| Column::new(u32::MAX)),
            reopens,
            blurred: false,
            unnumbered: false,
        }
    }

    /// Whether the store tells states apart, so that they can be opened again.
    pub(crate) fn may_reopen(&self) -> bool {
        !self.unnumbered
    }

    fn note(&mut self, id: Id, reached: Reached<V>) {
        let Some(paths) = &mut self.paths else { return };
        if id == Id::NONE {
            return;
        }
        paths.set(id, reached.path);
        if let Some(depths) = &mut self.depths {
            depths.set(id, reached.depth);
        }
    }

    /// Decides on a state met before.
    fn again(&mut self, id: Id, reached: Reached<V>) -> Entry {
        let Some(paths) = &self.paths else { return Entry::Known };
        if id == Id::NONE {
            // The store does not say which state it was, so nobody knows at
            // which cost it was entered.
            self.unnumbered = true;
            self.blurred = true;
            return Entry::Known;
        }
        if self.entered(paths, id).covers(&reached) {
            return Entry::Known;
        }
        if !self.reopens {
            self.blurred = true;
            return Entry::Known;
        }
        self.note(id, reached);
        Entry::Again(id)
    }

    /// Decides on a state that another covers. That one was entered at no greater
    /// cost if states are entered again, perhaps after more steps.
    fn covered(&mut self, id: Id, reached: Reached<V>) -> Entry {
        if let Some(paths) = &self.paths {
            self.blurred |= !self.entered(paths, id).covers(&reached);
        }
        Entry::Known
    }

    /// How a state was reached when it was entered last.
    fn entered(&self, paths: &Column<V>, id: Id) -> Reached<V> {
        let depth = self.depths.as_ref().map_or(0, |depths| depths.get(id));
        Reached { path: paths.get(id), depth }
    }

    /// What a covering store is told of a way to a state. Where states are not
    /// entered again, whatever is covered may go; that it was reached at less
    /// cost than what covers it is noted here.
    fn price(&self, reached: Reached<V>) -> Price {
        match self.paths.is_some() && self.reopens {
            true => reached.path.into(),
            false => 0,
        }
    }
}

impl<S: Store + ?Sized, V: Copy + Ord + Into<Price>> Memory<V> for Cheapest<'_, S, V> {
    /// A state on the path was entered at no greater cost than any way back
    /// to it has.
    const FORGETS: bool = false;

    fn enter(
        &mut self,
        state: &[Word],
        hash: u64,
        from: Id,
        reached: Reached<V>,
    ) -> Result<Entry, StopReason> {
        match self.store.visit(state, hash, from, self.price(reached)) {
            Visit::Full => Err(StopReason::StoreFull),
            Visit::Known(id) => Ok(self.again(id, reached)),
            Visit::Covered(id) => Ok(self.covered(id, reached)),
            Visit::New(id) => {
                self.note(id, reached);
                Ok(Entry::New(id))
            }
        }
    }

    fn prefetch(&self, hashes: &[u64]) {
        self.store.prefetch(hashes);
    }

    fn is_blurred(&self) -> bool {
        self.blurred
    }

    fn is_exact(&self) -> bool {
        self.store.is_exact()
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn bytes(&self) -> usize {
        self.store.bytes()
            + self.paths.as_ref().map_or(0, Column::bytes)
            + self.depths.as_ref().map_or(0, Column::bytes)
    }
}
