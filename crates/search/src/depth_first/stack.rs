//! The explicit stack of depth-first searches.
//!
//! A frame holds those successors of its state that are to be followed. They
//! lie in one arena, frame after frame, so that nothing is allocated a state.
//! Below all lies a frame without a state, whose successors are the initial
//! states: the successors taken last, from the bottom up, are the path.

use homing_core::{Edge, Id, Price, Word};

use crate::path::Path;

/// Frames, and the successors of each in one arena.
pub(crate) struct Stack<V> {
    width: usize,
    words: Vec<Word>,
    edges: Vec<Edge>,
    hashes: Vec<u64>,
    paths: Vec<V>,
    /// For every successor what paths through it cost at least; empty where
    /// nobody asks.
    sums: Vec<Price>,
    frames: Vec<Frame>,
}

/// A state on the stack.
struct Frame {
    id: Id,
    /// Its successors lie from here on in the arena.
    start: usize,
    /// The next successor to look at.
    next: usize,
}

impl<V: Copy> Stack<V> {
    pub(crate) fn new(width: usize) -> Stack<V> {
        Stack {
            width,
            words: Vec::new(),
            edges: Vec::new(),
            hashes: Vec::new(),
            paths: Vec::new(),
            sums: Vec::new(),
            frames: Vec::new(),
        }
    }

    pub(crate) fn clear(&mut self) {
        while self.pop() {}
    }

    /// Opens the frame of a state, without successors yet.
    pub(crate) fn open(&mut self, id: Id) {
        let start = self.edges.len();
        self.frames.push(Frame { id, start, next: start });
    }

    /// Adds a successor to the frame on top; all have a sum, or none has.
    #[inline]
    pub(crate) fn add(
        &mut self,
        state: &[Word],
        edge: Edge,
        hash: u64,
        path: V,
        sum: Option<Price>,
    ) {
        self.words.extend_from_slice(state);
        self.edges.push(edge);
        self.hashes.push(hash);
        self.paths.push(path);
        if let Some(sum) = sum {
            self.sums.push(sum);
        }
    }

    /// The next successor of the top, if it has one left.
    pub(crate) fn advance(&mut self) -> Option<usize> {
        let top = self.frames.last_mut()?;
        (top.next < self.edges.len()).then(|| {
            top.next += 1;
            top.next - 1
        })
    }

    /// Removes the top. Answers whether there was one.
    pub(crate) fn pop(&mut self) -> bool {
        let Some(top) = self.frames.pop() else { return false };
        self.words.truncate(top.start * self.width);
        self.edges.truncate(top.start);
        self.hashes.truncate(top.start);
        self.paths.truncate(top.start);
        self.sums.truncate(top.start);
        true
    }

    /// The number of frames, the one without a state included.
    pub(crate) fn frames(&self) -> usize {
        self.frames.len()
    }

    /// The number of the state on top.
    pub(crate) fn top(&self) -> Id {
        self.frames.last().map_or(Id::NONE, |frame| frame.id)
    }

    /// After how many steps the path passes this state, if it does.
    pub(crate) fn position(&self, id: Id) -> Option<usize> {
        self.frames.iter().skip(1).position(|frame| frame.id == id)
    }

    /// The successors of the top.
    pub(crate) fn successors(&self) -> std::ops::Range<usize> {
        self.frames.last().map_or(0, |frame| frame.start)..self.edges.len()
    }

    /// The number of successors.
    pub(crate) fn len(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn state(&self, successor: usize) -> &[Word] {
        &self.words[successor * self.width..(successor + 1) * self.width]
    }

    pub(crate) fn edge(&self, successor: usize) -> Edge {
        self.edges[successor]
    }

    pub(crate) fn hash(&self, successor: usize) -> u64 {
        self.hashes[successor]
    }

    /// The hashes of the successors of the top.
    pub(crate) fn top_hashes(&self) -> &[u64] {
        let first = self.frames.last().map_or(0, |frame| frame.start);
        &self.hashes[first..]
    }

    pub(crate) fn path_to(&self, successor: usize) -> V {
        self.paths[successor]
    }

    /// What paths through a successor cost at least; nothing is known where
    /// nobody asked.
    pub(crate) fn sum(&self, successor: usize) -> Price {
        self.sums.get(successor).copied().unwrap_or(0)
    }

    /// The successors that the path goes through, the initial state first.
    pub(crate) fn taken(&self) -> impl DoubleEndedIterator<Item = usize> {
        let below = self.frames.len().saturating_sub(1);
        self.frames[..below].iter().map(|frame| frame.next - 1)
    }

    /// The path to the top.
    pub(crate) fn path(&self) -> Path {
        let mut taken = self.taken();
        let Some(initial) = taken.next() else { return Path::default() };
        let mut path = Path::starting_at(self.state(initial));
        taken.for_each(|successor| path.push(self.edges[successor], self.state(successor)));
        path
    }

    /// The memory in use, in bytes; up to twice as much may be taken.
    pub(crate) fn used(&self) -> usize {
        let successor = size_of::<Edge>() + size_of::<u64>() + size_of::<V>();
        self.words.len() * size_of::<Word>()
            + self.edges.len() * successor
            + self.sums.len() * size_of::<Price>()
            + self.frames.len() * size_of::<Frame>()
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.hashes.capacity() * size_of::<u64>()
            + self.paths.capacity() * size_of::<V>()
            + self.sums.capacity() * size_of::<Price>()
            + self.frames.capacity() * size_of::<Frame>()
    }
}

/// The states on the path, to be looked up.
///
/// A table with linear probing, of places in the arena. What comes last leaves
/// first, so that a place is simply emptied: nothing was put behind it since.
#[derive(Default)]
pub(crate) struct OnPath {
    /// One more than the place of a successor in the arena; zero is empty.
    slots: Vec<usize>,
    len: usize,
}

impl OnPath {
    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    /// Whether a state is on the path.
    pub(crate) fn has<V: Copy>(&self, stack: &Stack<V>, state: &[Word], hash: u64) -> bool {
        self.probe(hash).any(|slot| {
            let other = self.slots[slot] - 1;
            stack.hash(other) == hash && stack.state(other) == state
        })
    }

    /// Notes that the path goes on through a successor, the last of those in
    /// [`Stack::taken`].
    pub(crate) fn push<V: Copy>(&mut self, stack: &Stack<V>, successor: usize) {
        self.len += 1;
        if self.len * 2 <= self.slots.len() {
            self.put(stack, successor);
            return;
        }
        // In the order of the path again, so that the last is put last.
        self.slots.clear();
        self.slots.resize((self.len * 4).next_power_of_two().max(64), 0);
        stack.taken().for_each(|taken| self.put(stack, taken));
    }

    /// Takes the successor that was pushed last out again.
    pub(crate) fn pop<V: Copy>(&mut self, stack: &Stack<V>, successor: usize) {
        let found =
            self.probe(stack.hash(successor)).find(|slot| self.slots[*slot] == successor + 1);
        if let Some(slot) = found {
            self.slots[slot] = 0;
            self.len -= 1;
        }
    }

    fn put<V: Copy>(&mut self, stack: &Stack<V>, successor: usize) {
        let hash = stack.hash(successor);
        let free = self.start(hash) + self.probe(hash).count();
        let mask = self.slots.len() - 1;
        self.slots[free & mask] = successor + 1;
    }

    fn start(&self, hash: u64) -> usize {
        hash as usize & self.slots.len().wrapping_sub(1)
    }

    /// The slots in use from that of a hash on.
    fn probe(&self, hash: u64) -> impl Iterator<Item = usize> {
        let (start, mask) = (self.start(hash), self.slots.len().wrapping_sub(1));
        let slots = (0..self.slots.len()).map(move |step| (start + step) & mask);
        slots.take_while(|slot| self.slots[*slot] != 0)
    }

    /// The memory taken, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<usize>()
    }
}
