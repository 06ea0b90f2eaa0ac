//! Directed nested depth-first search.
//!
//! Edelkamp, Lluch Lafuente, Leue, "Directed Explicit Model Checking with HSF-SPIN"
//! (SPIN 2001), and "Directed Explicit-State Model Checking in the Validation of
//! Communication Protocols" (STTT 2004); the survey's section 5.
//!
//! ```text
//! the improved nested search, in which
//!   the outer search takes successors in the order of
//!     1. their component in the property automaton: one in which every cycle is
//!        accepted first, one in which none is last
//!     2. the estimate
//!   a cycle closed in a component where every cycle is accepted is found at once
//!   the inner search
//!     does not leave the component, nor start where none of its cycles is accepted
//!     takes the state first that is nearest to the seed
//! ```
//! The components come from the space ([`Space::classes`](homing_core::Space::classes));
//! the survey extends them from the automaton to all parts of a product. Where nothing
//! is known, one component holds all, with some accepted cycles. The outer search stays
//! depth-first: any other order would leave states too early for the inner one.
//!
//! The inner search may take any order, since it looks at all that is not red yet: here
//! least steps + distance first. The distance is Hamming's, in bits of the packed states,
//! or one that is given: as published, how far the processes are from their locations in
//! the seed, each in its own graph (FSM distance).
//!
//! Red states then mean: no state on the path can be reached *within the component*.
//! Cycles stay in theirs, so nothing is lost.

use homing_core::hash::hash_words;
use homing_core::{
    Accepts, Batch, Classes, Cost, Distance, Edge, Heuristic, Id, Open, StopReason, Watch, Word,
};

use super::ball::{Ball, NOWHERE};
use super::base::{Base, ENTERED, NO_EDGE, ON_PATH, RED};
use super::improve::distance;
use super::ndfs::{Inner, improved};
use super::walk::{Order, Walk};
use crate::open::Heap;
use crate::path::Path;

pub(crate) fn directed_nested(
    walk: &mut Walk<'_>,
    between: Option<&dyn Distance>,
    watch: &mut Watch,
) -> Result<(), StopReason> {
    let space = walk.base.task.space;
    let inner = Nearest {
        classes: space.classes(),
        between,
        ball: Ball::new(space.width()),
        open: Heap::default(),
        state: vec![0; space.width()],
    };
    improved(walk, inner, watch)
}

/// The order of the outer search.
pub(crate) struct Promising<'a> {
    classes: Option<&'a dyn Classes>,
    heuristic: Option<Box<dyn Heuristic + 'a>>,
    keys: Vec<(Accepts, Cost, usize)>,
}

impl<'a> Promising<'a> {
    pub(crate) fn new(
        classes: Option<&'a dyn Classes>,
        heuristic: Option<Box<dyn Heuristic + 'a>>,
    ) -> Self {
        Promising { classes, heuristic, keys: Vec::new() }
    }
}

impl Order for Promising<'_> {
    fn order(&mut self, from: Option<&[Word]>, batch: &Batch, places: &mut [usize]) {
        let Promising { classes, heuristic, keys } = self;
        if let (Some(heuristic), Some(from)) = (heuristic.as_mut(), from) {
            heuristic.expanding(from);
        }
        keys.clear();
        keys.extend(places.iter().map(|place| {
            let state = batch.state(*place);
            let accepts = classes.map_or(Accepts::Some, |classes| classes.class(state).accepts);
            let estimate = heuristic.as_mut().map_or(0, |heuristic| {
                let via = (from.is_some() && !heuristic.is_lazy()).then(|| batch.edge(*place));
                heuristic.estimate(state, via)
            });
            (accepts, estimate, *place)
        }));
        keys.sort_unstable();
        places.iter_mut().zip(keys.iter()).for_each(|(place, key)| *place = key.2);
    }
}

/// The inner search.
struct Nearest<'a> {
    classes: Option<&'a dyn Classes>,
    /// Hamming's where none is given.
    between: Option<&'a dyn Distance>,
    ball: Ball,
    open: Heap,
    state: Vec<Word>,
}

impl Nearest<'_> {
    /// Colours `state` red, to be expanded when it is the nearest to `seed`.
    fn add(&mut self, base: &mut Base<'_>, id: Id, (from, edge): (u32, Edge), seed: &[Word]) {
        base.note(id, RED);
        let Some(place) = self.ball.add(&self.state, from, edge, 0) else { return };
        let depth = self.ball.depth(place) as u64;
        let distance = match &mut self.between {
            Some(between) => u64::from(between.distance(&self.state, seed)),
            None => distance(&self.state, seed),
        };
        self.open.push(place as u32, depth + distance);
    }

    /// Whether a state is in the component of another.
    fn is_with(&self, seed: &[Word]) -> bool {
        self.classes.is_none_or(|classes| {
            classes.class(&self.state).component == classes.class(seed).component
        })
    }
}

impl Inner for Nearest<'_> {
    fn search(
        &mut self,
        base: &mut Base<'_>,
        (start, id): (&[Word], Id),
        seed: &[Word],
        watch: &mut Watch,
    ) -> Result<Option<(Path, Id)>, StopReason> {
        self.ball.clear();
        self.open.clear();
        self.state.copy_from_slice(start);
        self.add(base, id, (NOWHERE, NO_EDGE), seed);
        while let Some((place, _)) = self.open.pop() {
            self.state.copy_from_slice(self.ball.state(place as usize));
            let hash = hash_words(&self.state);
            let Some(id) = base.number(&self.state, hash, Id::NONE)? else { continue };
            base.expand(&self.state);
            for successor in 0..base.chosen(id) {
                self.state.copy_from_slice(base.batch.state(successor));
                let (edge, hash) = (base.batch.edge(successor), hash_words(&self.state));
                let Some(next) = base.number(&self.state, hash, id)? else { continue };
                if base.has(next, ON_PATH) {
                    let mut path = self.ball.path(place as usize, start.len());
                    path.push(edge, &self.state);
                    return Ok(Some((path, next)));
                }
                if base.has(next, ENTERED) && !base.has(next, RED) && self.is_with(seed) {
                    self.add(base, next, (place, edge), seed);
                }
            }
            base.look(watch, self.open.len(), || {
                let tables = self.between.as_ref().map_or(0, |between| between.bytes());
                self.ball.bytes() + self.open.bytes() + tables
            })?;
        }
        Ok(None)
    }

    fn accepts_all(&self, state: &[Word]) -> bool {
        self.classes.is_some_and(|classes| classes.class(state).accepts == Accepts::All)
    }

    fn parts(&self, from: &[Word], to: &[Word]) -> bool {
        self.classes.is_some_and(|classes| {
            let (from, to) = (classes.class(from), classes.class(to));
            from.component != to.component || from.accepts == Accepts::None
        })
    }
}
