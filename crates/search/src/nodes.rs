//! What an open list's entries stand for.
//!
//! Where the store keeps states, an entry is the number of a stored state and
//! a column holds parents. Where it does not (bitstate, hash compaction), the
//! state waits here until it is expanded, and a trail of edges leads back.

use homing_core::{Column, Edge, Expander, Id, Pricing, Store, Word};

use crate::path::Path;

/// The nodes of a search.
pub(crate) enum Nodes {
    Stored { parents: Option<Column<u32>> },
    Carried(Carried),
}

/// States that wait outside the store.
pub(crate) struct Carried {
    width: usize,
    words: Vec<Word>,
    /// For every place in `words`, its state's place in the trail.
    trails: Vec<u32>,
    free: Vec<u32>,
    trail: Vec<(u32, Edge)>,
}

/// Where a successor comes from: the entry's own trail, or its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin(u32);

impl Origin {
    pub(crate) const NONE: Origin = Origin(u32::MAX);

    /// The number of the stored state, for stores that use it.
    pub(crate) fn id(self, nodes: &Nodes) -> Id {
        match nodes {
            Nodes::Stored { .. } => Id(self.0),
            Nodes::Carried(_) => Id::NONE,
        }
    }
}

impl Nodes {
    pub(crate) fn new(store: &(impl Store + ?Sized), width: usize, paths: bool) -> Nodes {
        if store.keeps_states() {
            return Nodes::Stored { parents: paths.then(|| Column::new(Id::NONE.0)) };
        }
        Nodes::Carried(Carried {
            width,
            words: Vec::new(),
            trails: Vec::new(),
            free: Vec::new(),
            trail: Vec::new(),
        })
    }

    /// Notes a new state and answers its entry for the open list.
    pub(crate) fn add(&mut self, id: Id, state: &[Word], from: Origin, edge: Edge) -> u32 {
        match self {
            Nodes::Stored { parents } => {
                if let Some(parents) = parents {
                    parents.set(id, from.0);
                }
                id.0
            }
            Nodes::Carried(carried) => carried.add(state, from.0, edge),
        }
    }

    /// Takes a state out for expansion.
    pub(crate) fn take(
        &mut self,
        store: &(impl Store + ?Sized),
        entry: u32,
        out: &mut [Word],
    ) -> Origin {
        match self {
            Nodes::Stored { .. } => {
                store.load(Id(entry), out);
                Origin(entry)
            }
            Nodes::Carried(carried) => carried.take(entry, out),
        }
    }

    /// The way to the state that `origin` stands for.
    pub(crate) fn path(
        &self,
        store: &(impl Store + ?Sized),
        origin: Origin,
        expander: &mut dyn Expander,
        width: usize,
        pricing: Option<&dyn Pricing>,
    ) -> Option<Path> {
        match self {
            Nodes::Stored { .. } => {
                Path::along(&self.states(store, origin.0, width), expander, pricing)
            }
            Nodes::Carried(carried) => Path::taking(&carried.edges(origin.0), expander, width),
        }
    }

    /// The states on the way to a stored one, the initial one first; none where they are
    /// not stored.
    pub(crate) fn states(
        &self,
        store: &(impl Store + ?Sized),
        number: u32,
        width: usize,
    ) -> Vec<Vec<Word>> {
        let Nodes::Stored { parents } = self else { return Vec::new() };
        let (mut states, mut at) = (Vec::new(), number);
        while at != Id::NONE.0 {
            let mut state = vec![0; width];
            store.load(Id(at), &mut state);
            states.push(state);
            at = parents.as_ref().map_or(Id::NONE.0, |parents| parents.get(Id(at)));
        }
        states.reverse();
        states
    }

    /// The origin of a successor just added.
    pub(crate) fn origin_of(&self, entry: u32) -> Origin {
        match self {
            Nodes::Stored { .. } => Origin(entry),
            Nodes::Carried(carried) => Origin(carried.trails[entry as usize]),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Nodes::Stored { parents } => parents.as_ref().map_or(0, Column::bytes),
            Nodes::Carried(carried) => {
                carried.words.capacity() * size_of::<Word>()
                    + (carried.trails.capacity() + carried.free.capacity()) * size_of::<u32>()
                    + carried.trail.capacity() * size_of::<(u32, Edge)>()
            }
        }
    }
}

impl Carried {
    fn add(&mut self, state: &[Word], from: u32, edge: Edge) -> u32 {
        self.trail.push((from, edge));
        let trail = self.trail.len() as u32 - 1;
        if let Some(entry) = self.free.pop() {
            let start = entry as usize * self.width;
            self.words[start..start + self.width].copy_from_slice(state);
            self.trails[entry as usize] = trail;
            return entry;
        }
        self.words.extend_from_slice(state);
        self.trails.push(trail);
        self.trails.len() as u32 - 1
    }

    fn take(&mut self, entry: u32, out: &mut [Word]) -> Origin {
        let start = entry as usize * self.width;
        out.copy_from_slice(&self.words[start..start + self.width]);
        self.free.push(entry);
        Origin(self.trails[entry as usize])
    }

    /// The edges to a place in the trail, that of the initial state first.
    fn edges(&self, mut at: u32) -> Vec<Edge> {
        let mut edges = Vec::new();
        while at != u32::MAX {
            let (from, edge) = self.trail[at as usize];
            edges.push(edge);
            at = from;
        }
        edges.reverse();
        edges
    }
}
