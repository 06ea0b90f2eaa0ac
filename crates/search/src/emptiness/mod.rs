//! Searches for runs without an end that are accepted.
//!
//! Steps of a space are in acceptance sets
//! ([`Space::acceptance_sets`](homing_core::Space::acceptance_sets)); a run is
//! accepted that takes steps of every set again and again. If there is one, there is
//! a *lasso*: a path to a state, the stem, and a round from there through all sets.
//!
//! | search | acceptance sets | bits a state | reports |
//! |---|---|---|---|
//! | `tarjan` | any | 2 | when a component is complete |
//! | `nested` | one | 2 | when an accepting state is left |
//! | `ndfs` | one | 2 | often as soon as the cycle is closed |
//! | `couvreur` | any | 2 | as soon as cycles through all sets are closed |
//! | `streett` | any, and pairs | 2 | as `couvreur`, or when a component is complete |
//! | `directed-nested` | one | 2 | as `ndfs`, along estimates |
//! | `owcty` | any | a counter | after the whole space was seen |
//!
//! All but the last are depth-first walks (`walk`) over one `ground`: the store, what is
//! noted of its states, reduction and its proviso, conditions met on the way. Where
//! there are no acceptance sets, every cycle is accepted. Searches for one set get
//! spaces of more by a wrapper that counts them through. Where states request and steps
//! grant what must not be withheld for ever
//! ([`Space::pairs`](homing_core::Space::pairs)), only `streett` decides. What was found is made
//! shorter by [`improve`](mod@improve).

mod ball;
mod couvreur;
mod directed;
mod ground;
pub mod improve;
mod ndfs;
mod nested;
mod owcty;
mod red;
mod rounds;
mod streett;
mod tarjan;
mod walk;

use homing_core::{Distance, StopReason, Watch};

use crate::best_first::Guide;
use crate::depth_first::depth_first;
use crate::strategy::Run;
use crate::task::Outcome;
use directed::Promising;
use ground::Ground;
use walk::{Order, Walk};

/// A search for lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Search {
    Tarjan,
    Nested,
    Ndfs,
    Couvreur,
    Streett,
    DirectedNested,
    Owcty,
}

impl Search {
    /// How many acceptance sets it copes with.
    pub(crate) fn most_sets(self) -> u32 {
        match self {
            Search::Nested | Search::Ndfs | Search::DirectedNested => 1,
            Search::Tarjan | Search::Couvreur | Search::Streett | Search::Owcty => u64::BITS,
        }
    }

    /// Searches, and makes a lasso that is found shorter by this effort, or by one in
    /// proportion to the search. Without a
    /// lasso to look for, this is a depth-first search.
    pub(crate) fn run(self, run: Run<'_, '_>, effort: Option<u64>) -> Outcome {
        let Run { task, stores, guide, watch } = run;
        if !task.lasso {
            return depth_first(task, None, stores, guide, watch);
        }
        let (sets, pairs) = (task.space.acceptance_sets(), task.space.pairs());
        let refused = match () {
            () if sets > self.most_sets() => {
                Some(format!("the search is for {} acceptance sets, not {sets}", self.most_sets()))
            }
            () if pairs > 0 && self != Search::Streett => {
                Some("the search does not decide whether what is requested is granted".into())
            }
            () => None,
        };
        if let Some(notice) = refused {
            return Outcome { notices: vec![notice], ..Outcome::stopped(StopReason::Pruned) };
        }
        let store = match stores.fresh() {
            Ok(store) => store,
            Err(reason) => return Outcome::stopped(reason),
        };
        let mut ground = Ground::new(task, store, watch.limits());
        if self == Search::Owcty {
            let stopped = owcty::owcty(&mut ground, watch).err();
            return ground.outcome(stopped, effort, watch);
        }
        let Guide { heuristic, distance, .. } = guide;
        let order: Option<Box<dyn Order + '_>> = match self {
            Search::DirectedNested => {
                let classes = task.space.classes();
                Some(Box::new(Promising::new(classes, heuristic.as_deref_mut())))
            }
            _ => None,
        };
        let mut walk = Walk::new(ground, order);
        let stopped = self.walk(&mut walk, distance.as_deref_mut(), watch).err();
        walk.ground.outcome(stopped, effort, watch)
    }

    fn walk(
        self,
        walk: &mut Walk<'_>,
        between: Option<&mut (dyn Distance + '_)>,
        watch: &mut Watch,
    ) -> Result<(), StopReason> {
        walk.ground.look_now(watch, 0, 0)?;
        match self {
            Search::Tarjan => tarjan::tarjan(walk, watch),
            Search::Nested => nested::nested(walk, watch),
            Search::Ndfs => ndfs::ndfs(walk, watch),
            Search::DirectedNested => directed::directed_nested(walk, between, watch),
            Search::Streett => streett::streett(walk, watch),
            Search::Couvreur | Search::Owcty => couvreur::couvreur(walk, watch),
        }
    }
}
