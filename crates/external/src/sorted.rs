//! A batch of sorted records, in one flat buffer that is used again.

use homing_core::Word;

use crate::tag::Tag;

/// Sorted records.
#[derive(Debug, Default)]
pub struct Sorted {
    width: usize,
    words: Vec<Word>,
    tags: Vec<Tag>,
    /// What is known of each: see [`Sorted::fate`].
    fates: Vec<Fate>,
}

/// What earlier runs say of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Nothing.
    New,
    /// They hold its state at a greater depth only.
    Nearer,
    /// They hold its state at no greater depth.
    Known,
}

impl Sorted {
    /// An empty batch for states of `width` words.
    pub fn new(width: usize) -> Sorted {
        Sorted { width, ..Sorted::default() }
    }

    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.tags.clear();
        self.fates.clear();
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Adds a record, which comes behind all others.
    pub fn push(&mut self, state: &[Word], tag: Tag) {
        self.words.extend_from_slice(state);
        self.tags.push(tag);
        self.fates.push(Fate::New);
    }

    /// The state of record `i`.
    #[inline]
    pub fn state(&self, i: usize) -> &[Word] {
        &self.words[i * self.width..(i + 1) * self.width]
    }

    /// The tag of record `i`.
    #[inline]
    pub fn tag(&self, i: usize) -> Tag {
        self.tags[i]
    }

    /// Whether a run that was [subtracted](crate::Subtract) holds the state of record `i` at
    /// no greater depth.
    #[inline]
    pub fn is_known(&self, i: usize) -> bool {
        self.fates[i] == Fate::Known
    }

    /// Whether no run that was subtracted holds the state of record `i`.
    #[inline]
    pub fn is_new(&self, i: usize) -> bool {
        self.fates[i] == Fate::New
    }

    /// Notes that a run holds the state of record `i` at this depth. Answers whether it is
    /// known now.
    pub(crate) fn met(&mut self, i: usize, depth: u32) -> bool {
        let is_known = depth <= self.tags[i].depth() || self.fates[i] == Fate::Known;
        self.fates[i] = if is_known { Fate::Known } else { Fate::Nearer };
        is_known
    }
}
