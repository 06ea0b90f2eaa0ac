//! Processes that are interchangeable.
//!
//! Ip, Dill, "Better verification through symmetry" (Formal Methods in System
//! Design 9, 1996); Emerson, Sistla, "Symmetry and model checking" (same issue);
//! Bosnacki, Dams, Holenderski, "Symmetric SPIN" (STTT 4, 2002). A permutation π
//! of the states is an *automorphism* of a system if s → s' exactly where
//! π(s) → π(s'). If the conditions that a search looks for hold of s exactly
//! where they hold of π(s), one state of every orbit is enough:
//!
//! ```text
//! find(system):
//!   groups := none
//!   for every component c:
//!     for every group, its last member l:
//!       π := match(l, c)              the only way to exchange them, read off
//!                                     the texts of their parts side by side
//!       if π is an automorphism, and with the exchanges of the group's
//!       neighbours generates all permutations of the group and c:
//!         c joins the group; next c
//!     c is a group of its own
//! ```
//!
//! An exchange has four parts: it permutes *slots* (locations, own variables,
//! elements of global arrays that belong to one process each, the contents of
//! channels), *channels*, *clocks* (`clocks`), and *names*: values that stand for processes, as that
//! of a variable `turn`, or an index. Where names may be renamed is decided by
//! `sorts`: values that are only copied, compared for equality and used as
//! indices may, which is what the type `scalar[n]` of Murphi and UPPAAL
//! promises; here it is found out, so that nothing needs to be declared.
//!
//! That π is an automorphism is checked, never guessed: every part, every rule by
//! which parts move together and every condition must have an image among the
//! system's own (`image`, `check`). Texts are compared up to the order of
//! operands of `&&`, `||`, `+`, `==` and the like and of assignments that do not
//! depend on each other. Where two processes are interchangeable for deeper
//! reasons, that is not found.
//!
//! Exchanges of neighbours generate all permutations of a group because they
//! satisfy the relations that define the symmetric group (Moore, 1897): far ones
//! commute, and τᵢτᵢ₊₁τᵢ = τᵢ₊₁τᵢτᵢ₊₁. These are checked on slots and names too.
//!
//! Where a model starts by itself, in steps to which there is no choice (Promela's
//! `init` starts processes), processes need to be interchangeable from there on only
//! ([`Symmetry::after`]): what still can happen is what the passes leave of the
//! system when it starts in the state behind. That is where parameters of processes
//! become constants, and names. The first free place that a process is started in
//! tells places apart only before.
//!
//! Not found: processes that are started later, names in buffered channels where one of them is zero
//! (empty places hold zeroes), arrays indexed by two names at once, and processes
//! with clocks of their own where clocks are copied.

mod check;
mod clocks;
mod image;
mod matching;
mod relations;
mod sorts;

use std::collections::BTreeMap;

use self::check::Checker;
use self::matching::matched;
use self::sorts::Sorts;
use crate::network::ChannelId;
use crate::passes::{self, Passes};
use crate::system::{ComponentId, Interval, SlotId, System};

/// The interchangeable processes of a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symmetry {
    /// In order of their first members; every component is in one at most, and
    /// permutations of different groups commute.
    pub groups: Vec<Group>,
    /// Where this is set, only of states in which the slot holds such a value: no
    /// others follow on these.
    pub within: Option<(SlotId, Interval)>,
}

/// Processes any two of which are interchangeable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The processes, at least two.
    pub members: Vec<ComponentId>,
    /// How each is exchanged with the next one.
    pub swaps: Vec<Swap>,
}

/// How two processes are exchanged: first contents are moved, then names
/// renamed. Doing so twice changes nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Swap {
    /// Slots whose contents are exchanged, the lesser one first.
    pub slots: Vec<(SlotId, SlotId)>,
    /// Slots that may name the two: the values that are exchanged.
    pub names: Vec<(SlotId, i64, i64)>,
    /// Clocks that change places, by number, the lesser one first.
    pub clocks: Vec<(u32, u32)>,
}

impl Symmetry {
    /// The interchangeable processes of a system: exchanging them changes neither
    /// what can happen nor whether its conditions hold, nor, if `start`, the
    /// initial state. Without, states may be exchanged for others that cannot be
    /// reached, only some that are like them; a search does not mind, but what
    /// was worked out from the initial state (an estimate) may.
    pub fn of(system: &System, start: bool) -> Symmetry {
        let _phase = homing_budget::phase("looking for symmetry");
        let fixing = Symmetry::find(system, true);
        let free = if start { Symmetry::default() } else { Symmetry::find(system, false) };
        if free.processes() > fixing.processes() { free } else { fixing }
    }

    /// The same, of the states from the last one of `first` on, if that is more.
    /// `first` are the values of all slots in the states at the beginning of every
    /// run, none of which has more than one successor but perhaps the last.
    pub fn after(system: &System, start: bool, first: &[Vec<i64>]) -> Symmetry {
        let whole = Symmetry::of(system, start);
        let Some((last, before)) = first.split_last().filter(|(_, before)| !before.is_empty())
        else {
            return whole;
        };
        let mut rest = system.clone();
        rest.slots.iter_mut().zip(last).for_each(|(slot, value)| slot.initial = *value);
        passes::run(&mut rest, Passes::COUNTING);
        // What was before must be told from what comes after.
        let mut slots = (0..rest.slots.len() as u32).map(SlotId);
        let left = slots.find(|slot| {
            let range = rest.slots[slot.index()].range;
            before.iter().all(|state| !range.contains(state[slot.index()]))
        });
        let Some(left) = left else { return whole };
        let found = Symmetry::of(&rest, start);
        let within = Some((left, rest.slots[left.index()].range));
        match found.processes() > whole.processes() {
            true => Symmetry { within, ..found },
            false => whole,
        }
    }

    fn find(system: &System, start: bool) -> Symmetry {
        let sorts = Sorts::of(system);
        let checker = Checker::new(system, &sorts, start);
        let mut groups: Vec<Candidate> = Vec::new();
        for component in (0..system.components.len() as u32).map(ComponentId) {
            homing_budget::checkpoint();
            let joined = groups.iter_mut().any(|group| group.join(&checker, component));
            if !joined {
                groups.push(Candidate { members: vec![component], exchanges: Vec::new() });
            }
        }
        let mut apart: Vec<Candidate> = Vec::new();
        for group in groups.into_iter().filter(|group| group.members.len() > 1) {
            if apart.iter().all(|other| group.is_apart(system, &sorts, other)) {
                apart.push(group);
            }
        }
        let groups = apart.into_iter().map(|group| group.finish(system, &sorts));
        Symmetry { groups: groups.collect(), within: None }
    }

    /// The number of processes that can be exchanged for others.
    pub fn processes(&self) -> usize {
        self.groups.iter().map(|group| group.members.len()).sum()
    }

    /// Whether no two processes are interchangeable.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

/// A group under construction.
struct Candidate {
    members: Vec<ComponentId>,
    exchanges: Vec<Exchange>,
}

impl Candidate {
    /// Adds a component where it is interchangeable with the last one.
    fn join(&mut self, checker: &Checker, component: ComponentId) -> bool {
        let Some(last) = self.members.last() else { return false };
        let Some(exchange) = matched(checker.system, checker.sorts, *last, component) else {
            return false;
        };
        let fits = checker.is_automorphism(&exchange)
            && relations::hold(checker.system, checker.sorts, &self.exchanges, &exchange);
        if fits {
            self.members.push(component);
            self.exchanges.push(exchange);
        }
        fits
    }

    /// Whether it does not matter which of two groups is permuted first.
    fn is_apart(&self, system: &System, sorts: &Sorts, other: &Candidate) -> bool {
        self.exchanges.iter().all(|one| {
            other.exchanges.iter().all(|other| relations::commute(system, sorts, one, other))
        })
    }

    fn finish(self, system: &System, sorts: &Sorts) -> Group {
        let swaps = self.exchanges.iter().map(|exchange| exchange.swap(system, sorts)).collect();
        Group { members: self.members, swaps }
    }
}

/// An exchange of two components; its own inverse.
#[derive(Clone, Debug)]
struct Exchange {
    components: (ComponentId, ComponentId),
    /// Slots that are known to stay are in it too.
    slots: BTreeMap<SlotId, SlotId>,
    channels: BTreeMap<ChannelId, ChannelId>,
    /// By sort, the two names.
    names: BTreeMap<u32, (i64, i64)>,
    clocks: BTreeMap<u32, u32>,
}

impl Exchange {
    /// Of two components of which nothing more is known.
    fn of(a: ComponentId, b: ComponentId) -> Exchange {
        Exchange {
            components: (a, b),
            slots: BTreeMap::new(),
            channels: BTreeMap::new(),
            names: BTreeMap::new(),
            clocks: BTreeMap::new(),
        }
    }

    /// Grows with what is known.
    fn size(&self) -> (usize, usize, usize) {
        (self.slots.len(), self.names.len(), self.clocks.len())
    }

    fn component(&self, component: ComponentId) -> ComponentId {
        match self.components {
            (a, b) if component == a => b,
            (a, b) if component == b => a,
            _ => component,
        }
    }

    fn slot(&self, slot: SlotId) -> SlotId {
        self.slots.get(&slot).copied().unwrap_or(slot)
    }

    fn channel(&self, channel: ChannelId) -> ChannelId {
        self.channels.get(&channel).copied().unwrap_or(channel)
    }

    fn clock(&self, clock: u32) -> u32 {
        self.clocks.get(&clock).copied().unwrap_or(clock)
    }

    /// The value of a sort that takes the place of this one.
    fn value(&self, sort: Option<u32>, value: i64) -> i64 {
        match sort.and_then(|sort| self.names.get(&sort)) {
            Some((a, b)) if value == *a => *b,
            Some((a, b)) if value == *b => *a,
            _ => value,
        }
    }

    fn swap(&self, system: &System, sorts: &Sorts) -> Swap {
        let moved = self.slots.iter().filter(|(from, to)| from < to);
        let all = (0..system.slots.len() as u32).map(SlotId);
        let named = all.filter_map(|slot| {
            let (a, b) = self.names.get(&sorts.of_slot(slot)?)?;
            Some((slot, *a, *b))
        });
        let clocks = self.clocks.iter().filter(|(from, to)| from < to);
        Swap {
            slots: moved.map(|(from, to)| (*from, *to)).collect(),
            names: named.collect(),
            clocks: clocks.map(|(from, to)| (*from, *to)).collect(),
        }
    }
}
