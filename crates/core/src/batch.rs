//! Successors, in one flat buffer that is reused for every expansion.

use crate::Word;

/// How a successor was reached: which step of the system, and which choice
/// among the combinations that step allows (broadcasts, vectors, branches).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(C)]
pub struct Edge {
    /// The number of the step, dense per system.
    pub label: u32,
    /// The combination within the step; zero where there is only one.
    pub choice: u32,
}

/// A run-time error of the model: the step that failed, and where.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Fault {
    /// The step whose guard or effect failed.
    pub edge: Edge,
    /// The number of the place in the model that failed.
    pub site: u32,
}

/// Successor states with their edges, and the run-time errors met on the way.
///
/// Compiled code writes through [`Batch::reserve`] and [`Batch::commit`]; all
/// others use [`Batch::push`]. The buffer never shrinks, so that after a
/// warm-up no expansion allocates.
#[derive(Debug)]
pub struct Batch {
    width: usize,
    words: Vec<Word>,
    edges: Vec<Edge>,
    faults: Vec<Fault>,
    blocked: bool,
    /// Empty where no successor is marked.
    marks: Vec<u64>,
    requested: u64,
    ample: Option<usize>,
    further: Vec<usize>,
}

impl Batch {
    /// An empty batch for states of `width` words.
    pub fn new(width: usize) -> Batch {
        Batch {
            width,
            words: Vec::new(),
            edges: Vec::new(),
            faults: Vec::new(),
            blocked: false,
            marks: Vec::new(),
            requested: 0,
            ample: None,
            further: Vec::new(),
        }
    }

    /// The words of one state.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of successors.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is no successor. That alone is not a deadlock: see
    /// [`Batch::deadlock`].
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.edges.clear();
        self.faults.clear();
        self.blocked = false;
        self.marks.clear();
        self.requested = 0;
        self.set_ample(None);
    }

    /// The packed words of successor `i`.
    #[inline]
    pub fn state(&self, i: usize) -> &[Word] {
        &self.words[i * self.width..(i + 1) * self.width]
    }

    /// All packed words, successor after successor.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// How successor `i` was reached.
    #[inline]
    pub fn edge(&self, i: usize) -> Edge {
        self.edges[i]
    }

    /// The run-time errors met.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Adds a successor.
    pub fn push(&mut self, state: &[Word], edge: Edge) {
        debug_assert_eq!(state.len(), self.width);
        self.words.extend_from_slice(state);
        self.edges.push(edge);
    }

    /// Adds a successor by a step in these acceptance sets, as a bit set; behind them
    /// come the pairs that the step grants ([`Space::streett_pairs`](crate::Space::streett_pairs)). In
    /// one batch, either all successors are added by this or none.
    pub fn push_marked(&mut self, state: &[Word], edge: Edge, marks: u64) {
        debug_assert_eq!(self.marks.len(), self.edges.len());
        self.push(state, edge);
        self.marks.push(marks);
    }

    /// Adds successor `i` of a batch whose states are one word narrower, with `last`
    /// behind it, by a step in these acceptance sets if any are told.
    #[inline]
    pub fn push_extended(
        &mut self,
        (narrow, i): (&Batch, usize),
        last: Word,
        edge: Edge,
        marks: Option<u64>,
    ) {
        debug_assert_eq!(narrow.width + 1, self.width);
        self.words.extend_from_slice(narrow.state(i));
        self.words.push(last);
        self.edges.push(edge);
        if let Some(marks) = marks {
            debug_assert_eq!(self.marks.len() + 1, self.edges.len());
            self.marks.push(marks);
        }
    }

    /// The acceptance sets that the step to successor `i` is in, and the pairs that it
    /// grants.
    #[inline]
    pub fn marks(&self, i: usize) -> u64 {
        self.marks.get(i).copied().unwrap_or(0)
    }

    /// The pairs that the state requests that was expanded last, by the bits that
    /// steps which grant them are marked with.
    #[inline]
    pub fn requested(&self) -> u64 {
        self.requested
    }

    /// Records which pairs the expanded state requests.
    pub fn set_requested(&mut self, requested: u64) {
        self.requested = requested;
    }

    /// Where the space knows that some successors of the state that was expanded
    /// last are an ample set, provided that the search sees to it that no step is
    /// ignored for ever: they come first, and this is the number of successors in
    /// the batch up to the last of them. `None` where all are needed.
    pub fn ample(&self) -> Option<usize> {
        self.ample
    }

    /// Records how many successors are an ample set, see [`Batch::ample`]. A space that
    /// ever says so, says so in every expansion.
    pub fn set_ample(&mut self, ample: Option<usize>) {
        self.ample = ample;
        self.further.clear();
    }

    /// Where there is more than one ample set: up to each of these places, which go
    /// up, the successors are one as well. A search that may not take the first
    /// set alone may still do without all others.
    pub fn further(&self) -> &[usize] {
        &self.further
    }

    /// Records that the successors up to `end` are an ample set as well, see
    /// [`Batch::further`].
    pub fn add_further(&mut self, end: usize) {
        debug_assert!(self.ample < Some(end) && self.further.last() < Some(&end));
        self.further.push(end);
    }

    /// Puts the successors from `start` on whose edge `takes` names before the
    /// others, and answers where these begin. The order among the others changes.
    pub fn put_first(&mut self, start: usize, takes: impl Fn(Edge) -> bool) -> usize {
        debug_assert!(self.marks.is_empty());
        let mut next = start;
        for i in start..self.edges.len() {
            if !takes(self.edges[i]) {
                continue;
            }
            if i != next {
                self.edges.swap(i, next);
                let (left, right) = self.words.split_at_mut(i * self.width);
                left[next * self.width..(next + 1) * self.width]
                    .swap_with_slice(&mut right[..self.width]);
            }
            next += 1;
        }
        next
    }

    /// Drops the successors from `end` on.
    pub fn truncate(&mut self, end: usize) {
        self.words.truncate(end * self.width);
        self.edges.truncate(end);
        self.marks.truncate(end);
    }

    /// Moves the successors from `start` on whose edge `takes` names to the end
    /// of `taken`; the others close ranks.
    pub fn extract(&mut self, start: usize, takes: impl Fn(Edge) -> bool, taken: &mut Batch) {
        debug_assert!(self.marks.is_empty());
        let mut kept = start;
        for i in start..self.edges.len() {
            let edge = self.edges[i];
            if takes(edge) {
                taken.push(&self.words[i * self.width..(i + 1) * self.width], edge);
            } else {
                self.words.copy_within(i * self.width..(i + 1) * self.width, kept * self.width);
                self.edges[kept] = edge;
                kept += 1;
            }
        }
        self.words.truncate(kept * self.width);
        self.edges.truncate(kept);
    }

    /// Adds a run-time error.
    pub fn fail(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// Whether the expanded state has no step at all. Said by the space,
    /// because an empty batch may also come from pruning.
    pub fn deadlock(&self) -> bool {
        self.blocked
    }

    /// Records that the expanded state has no step at all.
    pub fn set_deadlock(&mut self, blocked: bool) {
        self.blocked = blocked;
    }

    /// Makes room for `states` more successors and `faults` more errors and
    /// hands out raw cursors to their first free places.
    pub fn reserve(&mut self, states: usize, faults: usize) -> Cursor {
        self.words.reserve(states * self.width);
        self.edges.reserve(states);
        self.faults.reserve(faults);
        Cursor {
            words: self.words.as_mut_ptr().wrapping_add(self.words.len()),
            edges: self.edges.as_mut_ptr().wrapping_add(self.edges.len()),
            faults: self.faults.as_mut_ptr().wrapping_add(self.faults.len()),
        }
    }

    /// Takes over what was written through a cursor.
    ///
    /// # Safety
    /// `cursor` must come from the last [`Batch::reserve`] on this batch,
    /// advanced by at most what was reserved, over initialised memory, with
    /// whole states and as many edges as states.
    #[allow(unsafe_code)]
    pub unsafe fn commit(&mut self, cursor: &Cursor) {
        // SAFETY: the caller guarantees that the cursor stayed within what was
        // reserved behind each vector's length and that it is initialised.
        unsafe {
            let words = cursor.words.offset_from(self.words.as_ptr()) as usize;
            let edges = cursor.edges.offset_from(self.edges.as_ptr()) as usize;
            let faults = cursor.faults.offset_from(self.faults.as_ptr()) as usize;
            debug_assert_eq!(words, edges * self.width);
            debug_assert!(words <= self.words.capacity() && faults <= self.faults.capacity());
            self.words.set_len(words);
            self.edges.set_len(edges);
            self.faults.set_len(faults);
        }
    }
}

/// The places compiled code writes the next successor, edge and error to.
#[derive(Debug)]
#[repr(C)]
pub struct Cursor {
    /// Where the next successor's words go.
    pub words: *mut Word,
    /// Where its edge goes.
    pub edges: *mut Edge,
    /// Where the next run-time error goes.
    pub faults: *mut Fault,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushed_states_come_back() {
        let mut batch = Batch::new(2);
        batch.push(&[1, 2], Edge { label: 7, choice: 0 });
        batch.push(&[3, 4], Edge { label: 8, choice: 1 });
        assert_eq!(batch.len(), 2);
        assert_eq!(batch.state(1), [3, 4]);
        assert_eq!(batch.edge(0).label, 7);
        batch.clear();
        assert!(batch.is_empty());
    }

    #[test]
    fn extended_states_have_one_word_more() {
        let (mut narrow, mut wide) = (Batch::new(1), Batch::new(2));
        narrow.push(&[7], Edge::default());
        narrow.push(&[8], Edge::default());
        wide.push_extended((&narrow, 1), 3, Edge { label: 5, choice: 0 }, Some(4));
        wide.push_marked(&[1, 2], Edge::default(), 0);
        assert_eq!(wide.words(), [8, 3, 1, 2]);
        assert_eq!((wide.edge(0).label, wide.marks(0), wide.marks(1)), (5, 4, 0));
    }

    #[test]
    fn extracted_states_leave_the_others_in_order() {
        let mut batch = Batch::new(1);
        (0..6).for_each(|i| batch.push(&[i * 10], Edge { label: i as u32, choice: 0 }));
        let mut taken = Batch::new(1);
        batch.extract(1, |edge| edge.label % 2 == 0, &mut taken);
        assert_eq!((batch.words(), taken.words()), (&[0, 10, 30, 50][..], &[20, 40][..]));
        assert_eq!((batch.edge(2).label, taken.edge(1).label), (3, 4));
    }

    #[test]
    fn some_states_come_first() {
        let mut batch = Batch::new(1);
        (0..6).for_each(|i| batch.push(&[i * 10], Edge { label: i as u32, choice: 0 }));
        assert_eq!(batch.put_first(1, |edge| edge.label % 2 == 0), 3);
        assert_eq!(&batch.words()[..3], &[0, 20, 40]);
        assert_eq!((batch.edge(1).label, batch.edge(2).label), (2, 4));
        let mut rest: Vec<u64> = batch.words()[3..].to_vec();
        rest.sort_unstable();
        assert_eq!(rest, [10, 30, 50]);
        batch.truncate(3);
        assert_eq!(batch.len(), 3);
    }

    #[test]
    fn states_of_no_words_are_counted() {
        let mut batch = Batch::new(0);
        batch.push(&[], Edge::default());
        assert_eq!((batch.len(), batch.state(0).len()), (1, 0));
    }
}
