//! What directs a search: what all of its workers share, and what each has for itself.

use homing_core::{Distance, Heuristic, HeuristicFactory, Preference};

/// What directs a search. It is made once and only looked up from then on, so that any
/// number of workers share it.
#[derive(Default)]
pub struct Guide<'a> {
    /// How far a state is from the goal.
    pub heuristic: Option<Box<dyn HeuristicFactory + 'a>>,
    /// Which steps to follow first.
    pub preference: Option<Box<dyn Preference + 'a>>,
    /// How far two states are from each other, for searches that ask for it
    /// ([`Algorithm::distance`](crate::strategy::Algorithm::distance)).
    pub distance: Option<Box<dyn Distance + 'a>>,
}

/// What directs one worker.
#[derive(Default)]
pub struct Guiding<'g> {
    /// An instance of the estimate, with scratch memory of its own.
    pub heuristic: Option<Box<dyn Heuristic + 'g>>,
    /// See [`Guide::preference`].
    pub preference: Option<&'g dyn Preference>,
    /// See [`Guide::distance`].
    pub distance: Option<&'g dyn Distance>,
}

impl Guiding<'_> {
    /// The work that estimates took ([`Heuristic::work`]).
    pub fn work(&self) -> u64 {
        self.heuristic.as_ref().map_or(0, |heuristic| heuristic.work())
    }
}

impl Guide<'_> {
    /// For one worker.
    pub fn instance(&self) -> Guiding<'_> {
        Guiding {
            heuristic: self.heuristic.as_ref().map(|factory| factory.instance()),
            preference: self.preference.as_deref(),
            distance: self.distance.as_deref(),
        }
    }
}
