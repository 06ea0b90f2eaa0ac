//! An estimate whose last answers are kept, for states that are reached again
//! and again.
//!
//! A table with one entry for every hash, which the next state of that hash
//! overwrites. States are compared whole, so that no answer is ever that of
//! another state.

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::hash::hash_words;
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};

use super::Instance;
use crate::arguments::inner;
use crate::{EstimateBuilder, Factory, Goal};

const ENTRIES: Parameter = Parameter {
    name: "entries",
    about: "how many answers are kept, rounded up to a power of two",
    default: "65536",
};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "cached",
    kind: Kind::Estimate,
    about: "an estimate whose last answers are kept: `cached(a, entries=65536)`",
    cite: "",
    parameters: &[ENTRIES],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow(&["entries"])?;
        let entries = ENTRIES.number(call)?;
        let (entries, width) = (fitting(goal, entries)?, goal.space.layout().words);
        Ok(Box::new(Caching { inner: inner(goal, call)?, entries, width }))
    },
};

/// What is kept belongs to an instance: one thread waits for none, and its answers are
/// the estimate's own.
pub(super) struct Caching<'a> {
    pub inner: Factory<'a>,
    pub entries: usize,
    pub width: usize,
}

impl HeuristicFactory for Caching<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        let Caching { entries, width, .. } = *self;
        let (states, answers) = (vec![0; entries * width], vec![None; entries]);
        Box::new(Cached { inner: self.inner.instance(), width, states, answers, tie: 0 })
    }
}

struct Cached<'a> {
    inner: Instance<'a>,
    width: usize,
    /// The states, one after the other.
    states: Vec<Word>,
    answers: Vec<Option<Answer>>,
    tie: Cost,
}

#[derive(Clone, Copy)]
struct Answer {
    estimate: Cost,
    tie: Cost,
}

/// More entries than that are a mistake, not a wish.
const MOST: u64 = 1 << 32;

/// The number of entries: as many as wanted, or as fit the memory.
fn fitting(goal: &Goal, entries: u64) -> Result<usize, String> {
    if !(1..=MOST).contains(&entries) {
        return Err(format!("`entries` of `cached` is between 1 and {MOST}, not {entries}"));
    }
    let entry = goal.space.layout().words * size_of::<Word>() + size_of::<Option<Answer>>();
    let wanted = (entries as usize).next_power_of_two();
    let mut entries = wanted;
    while entries > 1 && entries.saturating_mul(entry) > goal.memory {
        entries /= 2;
    }
    if entries < wanted {
        goal.notices.borrow_mut().push(format!(
            "`cached` keeps {entries} answers rather than {wanted}, to stay within the memory"
        ));
    }
    Ok(entries)
}

impl Heuristic for Cached<'_> {
    fn expanding(&mut self, state: &[Word]) {
        self.inner.expanding(state);
    }

    fn estimate(&mut self, state: &[Word], via: Option<Edge>) -> Cost {
        // What spaces around the compiled one add, such as zones, lies behind its
        // words; no estimate looks at it.
        let own = &state[..self.width];
        let at = hash_words(own) as usize & (self.answers.len() - 1);
        let place = &mut self.states[at * self.width..(at + 1) * self.width];
        let known = self.answers[at].filter(|_| place == own);
        let answer = known.unwrap_or_else(|| {
            let estimate = self.inner.estimate(state, via);
            place.copy_from_slice(own);
            Answer { estimate, tie: self.inner.tie() }
        });
        self.answers[at] = Some(answer);
        self.tie = answer.tie;
        answer.estimate
    }

    fn has_ties(&self) -> bool {
        self.inner.has_ties()
    }

    fn tie(&self) -> Cost {
        self.tie
    }

    fn claims(&self) -> Claims {
        self.inner.claims()
    }

    fn without(&mut self, state: &[Word], label: u32) -> Option<Cost> {
        self.inner.without(state, label)
    }

    fn helpful(&mut self, state: &[Word], label: u32) -> Option<bool> {
        self.inner.helpful(state, label)
    }

    fn is_lazy(&self) -> bool {
        self.inner.is_lazy()
    }

    fn work(&self) -> u64 {
        self.inner.work()
    }

    fn bytes(&self) -> usize {
        let answers = self.answers.len() * size_of::<Option<Answer>>();
        self.inner.bytes() + self.states.len() * size_of::<Word>() + answers
    }
}
