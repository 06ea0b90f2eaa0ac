//! Clauses, one behind the other in one vector of words.
//!
//! ```text
//! length · 4 + flags | levels · 2 + used | literal | literal | …
//! ```
//! `levels` is how many levels of decisions a learnt clause spanned when it was last looked
//! at (the fewer, the more it is worth), `used` whether a conflict needed it since.

use super::literal::Lit;

/// Where a clause stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(pub u32);

/// In the place of a clause: there is none.
pub(super) const NOWHERE: Place = Place(u32::MAX >> 1);

const LEARNT: u32 = 1;
const DROPPED: u32 = 2;
const HEAD: usize = 2;
/// Words that are not worth moving others for.
const SOME: usize = 10_000;

/// The clauses.
#[derive(Default)]
pub(super) struct Clauses {
    words: Vec<u32>,
    dropped: usize,
}

impl Clauses {
    pub(super) fn push(&mut self, literals: &[Lit], levels: Option<u32>) -> Place {
        let place = Place(self.words.len() as u32);
        let learnt = if levels.is_some() { LEARNT } else { 0 };
        self.words.push((literals.len() as u32) << 2 | learnt);
        self.words.push(levels.unwrap_or(0) << 1 | 1);
        self.words.extend(literals.iter().map(|literal| literal.word()));
        place
    }

    /// Whether so much was dropped that what is left had better be moved together.
    pub(super) fn is_wasteful(&self) -> bool {
        self.dropped > SOME && self.dropped * 3 > self.words.len()
    }

    pub(super) fn length(&self, place: Place) -> usize {
        (self.words[place.0 as usize] >> 2) as usize
    }

    pub(super) fn is_dropped(&self, place: Place) -> bool {
        self.words[place.0 as usize] & DROPPED != 0
    }

    pub(super) fn is_learnt(&self, place: Place) -> bool {
        self.words[place.0 as usize] & LEARNT != 0
    }

    pub(super) fn drop(&mut self, place: Place) {
        self.dropped += self.length(place) + HEAD;
        self.words[place.0 as usize] |= DROPPED;
    }

    pub(super) fn levels(&self, place: Place) -> u32 {
        self.words[place.0 as usize + 1] >> 1
    }

    /// Notes that a conflict needed a clause, and what it spans now, if that is less.
    pub(super) fn use_with(&mut self, place: Place, levels: u32) {
        let levels = levels.min(self.levels(place));
        self.words[place.0 as usize + 1] = levels << 1 | 1;
    }

    /// Whether it was used since this was last asked.
    pub(super) fn take_used(&mut self, place: Place) -> bool {
        let word = &mut self.words[place.0 as usize + 1];
        let used = *word & 1 == 1;
        *word &= !1;
        used
    }

    /// The words of the literals of a clause.
    pub(super) fn of(&self, place: Place) -> &[u32] {
        let begin = place.0 as usize;
        let end = begin + HEAD + self.length(place);
        &self.words[begin + HEAD..end]
    }

    pub(super) fn of_mut(&mut self, place: Place) -> &mut [u32] {
        let begin = place.0 as usize;
        let end = begin + HEAD + self.length(place);
        &mut self.words[begin + HEAD..end]
    }

    /// The literals of a clause.
    pub(super) fn literals(&self, place: Place) -> impl Iterator<Item = Lit> + '_ {
        self.of(place).iter().map(|word| Lit::from_word(*word))
    }

    /// All clauses that were not dropped.
    pub(super) fn all(&self) -> impl Iterator<Item = Place> + '_ {
        let mut at = 0;
        let places = std::iter::from_fn(move || {
            let place = Place(at as u32);
            (at < self.words.len()).then(|| at += HEAD + self.length(place))?;
            Some(place)
        });
        places.filter(|place| !self.is_dropped(*place))
    }
}
