//! When a state is closed: what is kept of the ways to it, and whether another
//! way opens it again.
//!
//! | case | kept of a state | opened again |
//! |---|---|---|
//! | [`Closing::Once`] | nothing: its key is the cost of its path | never: the first way in is as good as any for what is claimed |
//! | [`Closing::Noted`] | the cost of its path | never: nothing is claimed of costs |
//! | [`Closing::Several`] | the cost of its path, and whether it was expanded | never: it waits in several places of one open list, and is expanded from the first it leaves |
//! | [`Closing::Cheaper`] | the cost, and whether it was expanded at it | by every cheaper way, as the survey's algorithm does |
//! | [`Closing::Shared`] | whether it was expanded, and which searches met it | never: it waits in several open lists, and whoever takes it first expands it; who follows its own order expands it for itself again |

use homing_core::{Column, Id, Limits, Price};

use super::Rank;
use crate::costs::Costs;

/// When states are closed, and what is kept of them for it.
pub(crate) enum Closing<V> {
    /// A state waits once, and its key is the cost of its path.
    Once,
    /// A state waits once, and its key does not say what its path costs.
    Noted {
        /// What its path costs.
        paths: Column<V>,
    },
    /// A state waits in several places of one open list.
    Several {
        /// What its path costs.
        paths: Column<V>,
        /// Whether it was expanded.
        settled: Column<bool>,
    },
    /// A state is opened again by every cheaper path.
    Cheaper {
        /// The least cost known of each state.
        paths: Column<V>,
        /// Whether it was expanded since it was reached at that cost.
        settled: Column<bool>,
    },
    /// A state waits in the open lists of several searches.
    Shared {
        /// Whether one of them expanded it ([`SETTLED`]), and the bits of those that met it.
        marks: Column<u8>,
    },
}

/// Marks a state that one of several searches expanded.
const SETTLED: u8 = 0x80;

impl<V: Copy + Ord> Closing<V> {
    /// How a search by this rank closes states. Stores without numbers have no
    /// columns that last, so that nothing is opened again, and nothing waits twice.
    pub fn new<C: Costs<Value = V>>(
        rank: Rank,
        limits: &Limits,
        numbered: bool,
        several: bool,
    ) -> Closing<V> {
        let reopens = match rank {
            // No later level holds a shorter way.
            Rank::Depth => false,
            // Under a mere depth limit a stack would open states again and again, and
            // nothing is claimed then.
            Rank::Newest => limits.bound.is_some(),
            // Reached too late, a state would hide what lies behind it (the survey's
            // pitfall).
            Rank::Estimate => limits.bound.is_some() || limits.depth.is_some(),
            // An estimate need not be consistent.
            Rank::Sum(_) => true,
        };
        let keys_are_costs =
            matches!(rank, Rank::Depth | Rank::Newest) && C::steps(C::WORST).is_some();
        let paths = || Column::new(C::WORST);
        match reopens && numbered {
            true => Closing::Cheaper { paths: paths(), settled: Column::new(false) },
            false if several => Closing::Several { paths: paths(), settled: Column::new(false) },
            false if keys_are_costs => Closing::Once,
            false => Closing::Noted { paths: paths() },
        }
    }

    /// In a shard, where what waits carries the cost of its path.
    pub fn in_shard(reopens: bool) -> Closing<V>
    where
        V: From<u64>,
    {
        match reopens {
            true => Closing::Cheaper {
                paths: Column::new(V::from(u64::MAX)),
                settled: Column::new(false),
            },
            false => Closing::Once,
        }
    }

    /// From here on states wait in several open lists; those below `front` were expanded.
    pub fn shared(front: u32) -> Closing<V> {
        let mut marks = Column::new(0);
        (0..front).for_each(|entry| marks.set(Id(entry), SETTLED));
        Closing::Shared { marks }
    }

    /// Notes that a search met a state. Answers whether it did for the first time.
    #[inline]
    pub fn meet(&mut self, id: Id, bit: u8) -> bool {
        let Closing::Shared { marks } = self else { return false };
        let before = marks.get(id);
        marks.set(id, before | bit);
        before & bit == 0
    }

    /// Whether states are opened again by cheaper paths.
    pub fn reopens(&self) -> bool {
        matches!(self, Closing::Cheaper { .. })
    }

    /// The cost of the path to a state, where it is kept.
    #[inline]
    pub fn path(&self, entry: u32) -> Option<V> {
        match self {
            Closing::Noted { paths }
            | Closing::Several { paths, .. }
            | Closing::Cheaper { paths, .. } => Some(paths.get(Id(entry))),
            Closing::Once | Closing::Shared { .. } => None,
        }
    }

    /// Notes the path by which a state waits.
    #[inline]
    pub fn note(&mut self, entry: u32, path: V) {
        if let Closing::Noted { paths }
        | Closing::Several { paths, .. }
        | Closing::Cheaper { paths, .. } = self
        {
            paths.set(Id(entry), path);
        }
    }

    /// Whether a path to a stored state is a reason to open it again.
    #[inline]
    pub fn is_cheaper(&self, id: Id, path: V) -> bool {
        match self {
            Closing::Cheaper { paths, .. } => path < paths.get(id),
            _ => false,
        }
    }

    /// Whether a state that waits was expanded in the meantime.
    #[inline]
    pub fn is_settled(&self, entry: u32) -> bool {
        match self {
            Closing::Several { settled, .. } | Closing::Cheaper { settled, .. } => {
                settled.get(Id(entry))
            }
            Closing::Shared { marks } => marks.get(Id(entry)) & SETTLED != 0,
            Closing::Once | Closing::Noted { .. } => false,
        }
    }

    /// Closes a state, or opens it again.
    #[inline]
    pub fn settle(&mut self, entry: u32, is: bool) {
        match self {
            Closing::Several { settled, .. } | Closing::Cheaper { settled, .. } => {
                settled.set(Id(entry), is);
            }
            Closing::Shared { marks } => {
                marks.update(Id(entry), |mark| mark & !SETTLED | (u8::from(is) * SETTLED));
            }
            Closing::Once | Closing::Noted { .. } => {}
        }
    }

    /// The memory taken, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Closing::Once => 0,
            Closing::Noted { paths } => paths.bytes(),
            Closing::Several { paths, settled } | Closing::Cheaper { paths, settled } => {
                paths.bytes() + settled.bytes()
            }
            Closing::Shared { marks } => marks.bytes(),
        }
    }
}

/// For which states a store may drop one that they cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Covering {
    /// For one reached at no greater cost: it is told what is shortest, or something
    /// beyond a limit is left out.
    NoDearer,
    /// For any: only reachability counts.
    Any,
}

impl Covering {
    /// For which, in a search by this rank that `wants` to find something.
    pub fn new(rank: Rank, limits: &Limits, wants: bool, reopens: bool) -> Covering {
        let limited = limits.bound.is_some() || limits.depth.is_some();
        match reopens || rank == Rank::Depth && (wants || limited) {
            true => Covering::NoDearer,
            false => Covering::Any,
        }
    }

    /// What the store is told that a path costs.
    #[inline]
    pub fn told(self, path: Price) -> Price {
        match self {
            Covering::NoDearer => path,
            Covering::Any => 0,
        }
    }
}
