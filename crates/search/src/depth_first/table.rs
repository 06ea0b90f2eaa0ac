//! A transposition table: states entered lately, as many as fit.
//!
//! Reinefeld, Marsland, "Enhanced Iterative-Deepening Search" (IEEE
//! Transactions on Pattern Analysis and Machine Intelligence 16(7), 1994).
//!
//! ```text
//! on entering s at cost g in round r:
//!   if the table has (s, r, g') with g' ≤ g: do not enter
//!   if it has (s, r', g') with r' < r and g' < g, and rounds grow: do not enter
//!   write (s, r, g), over an entry of an earlier round if there is one in the
//!   bucket of s, else over the one of greatest g
//! ```
//! A lost entry costs time, never an answer: its state is entered again. Of
//! entries of one round those of least cost stay, because most lies behind
//! them.
//!
//! Rounds grow if each follows all paths that the one before did. Then s can
//! be reached at g' in this round too: it is entered then, and not at any
//! greater cost before. So a state is mostly entered once a round, and not
//! once a way to it. (The best way to s is never left out: the states on it
//! are entered at their least costs, which are not above those of rounds
//! before. This takes costs for which a best path starts with best paths, and
//! no second measure, as a limit on steps beside costs is.)
//!
//! Deviation: the paper also backs up what was learnt behind a state into its
//! estimate for the next round. That takes a subtraction of costs, which cost
//! algebras do not have.

use homing_core::{Id, Price, StopReason, Word};

use super::memory::{Entry, Memory, Reached};

/// Entries that compete for one place.
const WAYS: usize = 4;

/// Words of an entry besides the state: the cost, and depth and round.
const NOTES: usize = 2;

/// A table of bounded size.
pub(crate) struct Table {
    width: usize,
    buckets: usize,
    /// Entry after entry: the state, its cost, its depth and round. An entry
    /// of round 0 is empty.
    words: Vec<Word>,
    round: u32,
    len: usize,
    /// Whether rounds grow.
    grows: bool,
    reopens: bool,
    blurred: bool,
}

/// What the table says of a state.
enum Answer {
    /// Not in this round yet.
    New,
    /// It was, at greater cost.
    Cheaper,
    /// All that lies behind it was seen in this round, or will be.
    Seen,
}

impl Table {
    /// An empty table of at most so many bytes, but for one bucket.
    pub(crate) fn new(width: usize, bytes: usize) -> Result<Table, StopReason> {
        let bucket = WAYS * (width + NOTES);
        let buckets = (bytes / (bucket * size_of::<Word>())).max(1);
        let words = buckets * bucket;
        // Asks whether there is that much; zeroed memory is then handed out
        // by the system as it is touched.
        Vec::<Word>::new().try_reserve_exact(words).map_err(|_| StopReason::Memory)?;
        Ok(Table {
            width,
            buckets,
            words: vec![0; words],
            round: 0,
            len: 0,
            grows: false,
            reopens: true,
            blurred: false,
        })
    }

    /// Starts a round: what was entered before may be entered again; what is
    /// entered in this round, if it is reached at less cost and `reopens`. The
    /// first search is in a round too.
    pub(crate) fn start_round(&mut self, reopens: bool) {
        self.round += 1;
        self.reopens = reopens;
        self.blurred = false;
    }

    /// Says whether each round follows all paths that the one before did.
    pub(crate) fn set_growing(&mut self, grows: bool) {
        self.grows = grows;
    }

    fn entry(&self, entry: usize) -> (&[Word], Reached<Price>, u32) {
        let start = entry * (self.width + NOTES);
        let (state, notes) = self.words[start..start + self.width + NOTES].split_at(self.width);
        (state, Reached { path: notes[0], depth: (notes[1] >> 32) as u32 }, notes[1] as u32)
    }

    fn bucket(&self, hash: u64) -> std::ops::Range<usize> {
        let bucket = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        bucket * WAYS..(bucket + 1) * WAYS
    }

    fn find(&self, state: &[Word], hash: u64) -> Option<usize> {
        self.bucket(hash).find(|entry| {
            let (other, _, round) = self.entry(*entry);
            round != 0 && other == state
        })
    }

    /// The entry of its bucket that a state is worth more than.
    fn least_worth(&self, hash: u64) -> usize {
        let worth = |entry: &usize| {
            let (_, reached, round) = self.entry(*entry);
            (round, std::cmp::Reverse(reached.path))
        };
        let bucket = self.bucket(hash);
        let first = bucket.start;
        bucket.min_by_key(worth).unwrap_or(first)
    }

    fn write(&mut self, entry: usize, state: &[Word], reached: Reached<Price>) {
        let start = entry * (self.width + NOTES);
        let words = &mut self.words[start..start + self.width + NOTES];
        words[..self.width].copy_from_slice(state);
        words[self.width] = reached.path;
        words[self.width + 1] = u64::from(reached.depth) << 32 | u64::from(self.round);
    }

    fn answer(&self, entry: Option<usize>, reached: &Reached<Price>) -> Answer {
        let Some(entry) = entry else { return Answer::New };
        let (_, before, round) = self.entry(entry);
        match round == self.round {
            true if before.covers(reached) => Answer::Seen,
            true => Answer::Cheaper,
            false if self.grows && before.path < reached.path => Answer::Seen,
            false => Answer::New,
        }
    }
}

impl<V: Into<Price>> Memory<V> for Table {
    const FORGETS: bool = true;

    fn knows(&self, state: &[Word], hash: u64, reached: Reached<V>) -> bool {
        let reached = Reached { path: reached.path.into(), depth: reached.depth };
        matches!(self.answer(self.find(state, hash), &reached), Answer::Seen)
    }

    fn enter(
        &mut self,
        state: &[Word],
        hash: u64,
        _from: Id,
        reached: Reached<V>,
    ) -> Result<Entry, StopReason> {
        let reached = Reached { path: reached.path.into(), depth: reached.depth };
        let known = self.find(state, hash);
        let answer = match self.answer(known, &reached) {
            Answer::Seen => return Ok(Entry::Known),
            Answer::Cheaper if !self.reopens => {
                self.blurred = true;
                return Ok(Entry::Known);
            }
            Answer::Cheaper => Entry::Again(Id::NONE),
            Answer::New => Entry::New(Id::NONE),
        };
        let entry = known.unwrap_or_else(|| self.least_worth(hash));
        let (_, _, round) = self.entry(entry);
        self.len += usize::from(round == 0);
        self.write(entry, state, reached);
        Ok(answer)
    }

    fn is_blurred(&self) -> bool {
        self.blurred
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
    }
}

#[cfg(test)]
mod tests {
    use homing_core::hash::hash_words;

    use super::*;

    fn enter(table: &mut Table, state: Word, path: u64, depth: u32) -> Entry {
        let hash = hash_words(&[state]);
        let reached = Reached { path, depth };
        let knows = table.knows(&[state], hash, reached);
        let entry = table.enter(&[state], hash, Id::NONE, reached).expect("a table is never full");
        assert!(!knows || entry == Entry::Known);
        entry
    }

    #[test]
    fn only_less_cost_or_depth_enters_again() {
        let mut table = Table::new(1, 4096).expect("there is memory");
        table.start_round(true);
        assert_eq!(enter(&mut table, 7, 5, 5), Entry::New(Id::NONE));
        assert_eq!(enter(&mut table, 7, 5, 5), Entry::Known);
        assert_eq!(enter(&mut table, 7, 4, 9), Entry::Again(Id::NONE));
        assert_eq!(enter(&mut table, 7, 5, 5), Entry::Again(Id::NONE), "fewer steps than 9");
        assert_eq!(enter(&mut table, 7, 6, 5), Entry::Known);
        table.start_round(false);
        assert_eq!(enter(&mut table, 7, 6, 5), Entry::New(Id::NONE));
        assert_eq!(enter(&mut table, 7, 7, 5), Entry::Known);
        assert!(!Memory::<u64>::is_blurred(&table));
        assert_eq!(enter(&mut table, 7, 1, 1), Entry::Known);
        assert!(Memory::<u64>::is_blurred(&table), "it would have mattered");
        table.set_growing(true);
        table.start_round(true);
        assert_eq!(enter(&mut table, 7, 8, 5), Entry::Known, "it can be reached at 6");
        assert_eq!(enter(&mut table, 7, 6, 5), Entry::New(Id::NONE));
        assert_eq!(Memory::<u64>::len(&table), 1);
    }

    #[test]
    fn a_full_bucket_forgets_earlier_rounds_first_then_the_costliest() {
        let mut table = Table::new(1, 0).expect("there is memory");
        table.start_round(true);
        for state in 1..=4 {
            enter(&mut table, state, state, 0);
        }
        assert_eq!(enter(&mut table, 5, 2, 0), Entry::New(Id::NONE));
        assert_eq!(enter(&mut table, 3, 3, 0), Entry::Known);
        assert_eq!(enter(&mut table, 4, 4, 0), Entry::New(Id::NONE), "forgotten for state 5");
        table.start_round(true);
        enter(&mut table, 9, 100, 0);
        enter(&mut table, 8, 100, 0);
        assert_eq!(enter(&mut table, 9, 100, 0), Entry::Known, "the others are older");
        assert_eq!(Memory::<u64>::len(&table), 4);
    }
}
