//! A space of representatives: one state for all that differ only in which of
//! some interchangeable processes is where.
//!
//! Ip and Dill (1996); with clocks, Hendriks et al. (2003); see [`homing_ir::symmetry`], from which the permutations
//! come. Every successor is replaced by the representative of its orbit:
//!
//! ```text
//! representative(s):
//!   for each group of interchangeable processes:
//!     key(i) := what is process i's own, which variables name it, and what is
//!               known of its clocks
//!     sort the processes by their keys
//!     among processes with equal keys, unless s stays the same whatever is
//!     exchanged: of all their orders, the one that makes s least
//! ```
//! The keys go with the processes when these are exchanged, so equal orbits get
//! equal sequences of keys, and what is left is to try the orders of ties. There
//! is nothing to try where all that belongs to the processes is in the keys: then
//! the representative is sorted, and that is all. Where there are more than
//! [`ORDERS`] orders, neighbours are exchanged as long as that makes the state
//! less: two states of one orbit may then keep two representatives, which costs
//! memory and nothing else. Orders are gone through by exchanges of neighbours, in
//! plain changes (Knuth, "The Art of Computer Programming" 4A, 7.2.1.2, algorithm
//! P), so that no permutation is ever written down.
//!
//! States with zones are permuted with their zones (`clocks`). What a zone is
//! extrapolated and compared by is sound for the image of a state if it is for the
//! state, so the representative of what is extrapolated may be stored as it is, and
//! covers what it includes.
//!
//! With partial-order reduction ([`Symmetric::reduced`]; Emerson, Jha, Peled, "Combining
//! partial order and symmetry reductions", TACAS 1997) the ample set of a representative is
//! replaced by its representatives, set by set. What is asked for is the same in all states
//! of an orbit, and so is its distance: a way to it from a state is one from its
//! representative. So whatever holds of an ample set and the distances behind it holds among
//! representatives, and the search keeps the cycle proviso of cycles through these.
//!
//! A path through representatives is no run: [`Symmetric::realise`] turns it into
//! one (`runs`). Labels of steps are those of the representative that is left.

mod beginning;
mod clocks;
mod orbits;
mod representatives;
mod runs;

use std::sync::Arc;

use homing_core::{Batch, Cover, Expander, Fault, Space, Word};
use homing_ir::layout::Layout;
use homing_ir::symmetry::Symmetry;

pub use self::beginning::beginning;
use self::clocks::Zone;
use self::orbits::Orbits;
pub use self::representatives::Representatives;
use self::representatives::Within;
use crate::reduction::Reduced;
use crate::zones::ZoneSpace;

/// The most orders of processes with equal keys that are tried for a state.
pub const ORDERS: usize = 720;

/// A space around a space.
pub struct Symmetric<'a> {
    inner: Inner<'a>,
    groups: Arc<[Orbits]>,
    /// The states that have representatives, if not all do.
    within: Option<Within>,
    /// The words of the discrete part of a state.
    own: usize,
    /// The inner space, where a search takes only ample sets of it.
    reduced: Option<Arc<Reduced<'a>>>,
}

#[derive(Clone)]
enum Inner<'a> {
    Plain(&'a dyn Space),
    Zones(Arc<ZoneSpace<'a>>),
}

impl<'a> Symmetric<'a> {
    /// The representatives of `inner`, whose states are laid out by `layout` and
    /// whose interchangeable processes these are.
    pub fn new(inner: &'a dyn Space, layout: &Layout, symmetry: &Symmetry) -> Symmetric<'a> {
        Symmetric::around(Inner::Plain(inner), layout, None, symmetry)
    }

    /// The representatives of a space of zones, whose interchangeable processes
    /// these are.
    pub fn timed(zones: Arc<ZoneSpace<'a>>, symmetry: &Symmetry) -> Symmetric<'a> {
        let layout = zones.discrete().layout();
        let zone = Zone { packing: zones.packing().clone(), from: layout.words };
        Symmetric::around(Inner::Zones(Arc::clone(&zones)), layout, Some(&zone), symmetry)
    }

    fn around(
        inner: Inner<'a>,
        layout: &Layout,
        zone: Option<&Zone>,
        symmetry: &Symmetry,
    ) -> Symmetric<'a> {
        let groups = symmetry.groups.iter().map(|group| Orbits::of(group, &layout.fields, zone));
        let within = symmetry.within.map(|(slot, range)| (layout.fields[slot.index()], range));
        Symmetric { inner, groups: groups.collect(), within, own: layout.words, reduced: None }
    }

    /// The same, of which a search takes what `reduced` leaves of the inner space.
    pub fn reduced(&self, reduced: Arc<Reduced<'a>>) -> Symmetric<'a> {
        Symmetric {
            inner: self.inner.clone(),
            groups: Arc::clone(&self.groups),
            within: self.within,
            own: self.own,
            reduced: Some(reduced),
        }
    }

    /// The space around which this one is.
    pub fn inner(&self) -> &dyn Space {
        match &self.inner {
            Inner::Plain(space) => *space,
            Inner::Zones(zones) => &**zones,
        }
    }

    /// Makes representatives, with scratch memory of its own.
    pub fn representatives(&self) -> Representatives<'_> {
        Representatives::new(&self.groups, self.within, self.inner().width())
    }

    /// A step from `state` of the inner space that fails in the way `alike` asks
    /// for.
    pub fn failing(&self, state: &[Word], alike: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut batch = Batch::new(self.inner().width());
        self.inner().expander().expand(state, &mut batch);
        batch.faults().iter().copied().find(alike)
    }
}

impl Space for Symmetric<'_> {
    fn width(&self) -> usize {
        self.inner().width()
    }

    fn labels(&self) -> u32 {
        self.inner().labels()
    }

    fn cover(&self) -> Option<&dyn Cover> {
        self.inner().cover()
    }

    fn needs_proviso(&self) -> bool {
        self.reduced.as_ref().is_some_and(|reduced| reduced.needs_proviso())
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let expanded = self.reduced.as_ref().map_or(self.inner(), |reduced| &**reduced);
        Box::new(SymmetricExpander {
            inner: expanded.expander(),
            representatives: self.representatives(),
            batch: Batch::new(self.width()),
            state: vec![0; self.width()],
        })
    }
}

struct SymmetricExpander<'a> {
    inner: Box<dyn Expander + 'a>,
    representatives: Representatives<'a>,
    batch: Batch,
    state: Vec<Word>,
}

impl SymmetricExpander<'_> {
    fn hand_over(&mut self, out: &mut Batch) {
        let before = out.len();
        for i in 0..self.batch.len() {
            self.state.copy_from_slice(self.batch.state(i));
            self.representatives.replace(&mut self.state);
            out.push(&self.state, self.batch.edge(i));
        }
        self.batch.faults().iter().for_each(|fault| out.fail(*fault));
        out.set_deadlock(self.batch.deadlock());
        out.set_ample(self.batch.ample().map(|end| before + end));
        self.batch.further().iter().for_each(|end| out.add_further(before + end));
    }
}

impl Expander for SymmetricExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        self.batch.clear();
        self.inner.initial(&mut self.batch);
        self.hand_over(out);
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        self.batch.clear();
        self.inner.expand(state, &mut self.batch);
        self.hand_over(out);
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        self.inner.violated(state)
    }
}
