//! What random texts are drawn with: choices that repeat with their seed, and
//! lines one after another.

use std::fmt::Write;

use crate::family::Random;

/// Draws a text.
pub(crate) struct Pen {
    random: Random,
    /// What was drawn so far.
    pub text: String,
    /// How far the next lines are moved to the right.
    pub indent: usize,
}

impl Pen {
    /// The pen of a seed.
    pub fn new(seed: u64) -> Pen {
        let mut random = Random { state: seed.wrapping_mul(0x0123_4567_89ab_cdef) ^ seed };
        random.next();
        Pen { random, text: String::new(), indent: 0 }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// True in one of `of` cases.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// One of some items.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len())].clone()
    }

    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        let indent = self.indent;
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * indent);
    }

    /// Adds a line that opens a block: what follows is moved to the right.
    pub fn open(&mut self, text: &str) {
        self.line(text);
        self.indent += 1;
    }

    /// Adds a line that closes a block.
    pub fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }
}
