//! Estimates made of estimates.

pub(crate) mod cached;
pub(crate) mod each;
pub(crate) mod lazy;
pub(crate) mod max;
pub(crate) mod novelty;
pub(crate) mod sum;
pub(crate) mod ties;
pub(crate) mod weight;

use homing_core::catalogue::Parameter;
use homing_core::{Cost, Edge, Heuristic, Word};

use crate::Factory;

/// The parameter of estimates that are made of a list of others.
const LIST: Parameter = Parameter {
    name: "estimates",
    about: "a list of estimates; its name is not written",
    default: "",
};

/// Several estimates of the same goal: their factories, or an instance of each.
struct Several<P>(Vec<P>);

/// An instance of an estimate.
type Instance<'a> = Box<dyn Heuristic + 'a>;

impl Several<Factory<'_>> {
    fn instances(&self) -> Several<Instance<'_>> {
        Several(self.0.iter().map(|part| part.instance()).collect())
    }
}

impl Several<Instance<'_>> {
    fn expanding(&mut self, state: &[Word]) {
        self.0.iter_mut().for_each(|part| part.expanding(state));
    }

    /// All estimates of a state, in order. All are made, so that each has
    /// seen the state that the next `tie` is about.
    fn estimates(&mut self, state: &[Word], via: Option<Edge>) -> impl Iterator<Item = Cost> {
        self.0.iter_mut().map(move |part| part.estimate(state, via))
    }

    /// All estimates without a label, put together; none where some estimate
    /// cannot leave it out.
    fn without(
        &mut self,
        state: &[Word],
        label: u32,
        combine: fn(Cost, Cost) -> Cost,
    ) -> Option<Cost> {
        let mut parts = self.0.iter_mut();
        parts.try_fold(0, |known, part| Some(combine(known, part.without(state, label)?)))
    }

    /// Whether some estimate finds the label helpful; none where no estimate
    /// knows.
    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        let answers = self.0.iter_mut().filter_map(|part| part.helpful(state, label));
        answers.reduce(|a, b| a || b)
    }

    fn all(&self, claim: fn(&dyn Heuristic) -> bool) -> bool {
        self.0.iter().all(|part| claim(part.as_ref()))
    }

    fn any_lazy(&self) -> bool {
        self.0.iter().any(|part| part.is_lazy())
    }

    fn work(&self) -> u64 {
        self.0.iter().map(|part| part.work()).sum()
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|part| part.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use homing_core::{Claims, HeuristicFactory};

    use super::*;

    /// As much work as states were estimated.
    struct Counting(u64);

    impl HeuristicFactory for Counting {
        fn instance(&self) -> Box<dyn Heuristic + '_> {
            Box::new(Counting(0))
        }
    }

    impl Heuristic for Counting {
        fn estimate(&mut self, _: &[Word], _: Option<Edge>) -> Cost {
            self.0 += 1;
            1
        }

        fn claims(&self) -> Claims {
            Claims::default()
        }

        fn work(&self) -> u64 {
            self.0
        }
    }

    /// Who shares time among estimates counts in it.
    #[test]
    fn the_work_of_all_parts_counts() {
        let one = || Box::new(Counting(0)) as Factory<'static>;
        let two = || Several(vec![one(), one()]);
        let all: [(Factory, u64); 7] = [
            (Box::new(max::Max(two())), 2),
            (Box::new(sum::Sum(two())), 2),
            (Box::new(ties::Ties { parts: two(), tie: 0 }), 2),
            (Box::new(each::Each { parts: two(), estimates: Vec::new() }), 2),
            (Box::new(lazy::Lazy(one())), 1),
            (Box::new(weight::Weight { inner: one(), by: 3 }), 1),
            (Box::new(cached::Caching { inner: one(), entries: 4, width: 1 }), 1),
        ];
        for (factory, parts) in &all {
            let mut estimate = factory.instance();
            assert_eq!(estimate.work(), 0);
            estimate.estimate(&[7], None);
            assert_eq!(estimate.work(), *parts);
        }
    }
}
