//! What the fuzz tests of all readers share: how the bytes of a fuzzer become a text.
//!
//! A fuzzer changes bytes; few of the texts that this makes get past the first token.
//! So the bytes may stand for words as well, with something meaningful around them:
//!
//! | first byte | the others are |
//! |---|---|
//! | below 128 | with it, a text: what seeds are |
//! | the rest, by its lowest bit | letters or words |
//! | … and by the bits above | put into one of the frames |
//!
//! One text for each input, so that an execution is one reading.

/// The texts that a reader is given.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Words in whose combinations errors of the reader hide.
    pub words: &'a [&'a str],
    /// What stands before and behind: a beginning and an end that make more of what is
    /// between meaningful.
    pub frames: &'a [(&'a str, &'a str)],
}

impl Texts<'_> {
    /// The text that `input` stands for.
    pub fn text(&self, input: &[u8]) -> String {
        match input.split_first() {
            Some((first, rest)) if *first >= 128 => {
                let inner = if first % 2 == 1 { self.spelt(rest) } else { letters(rest) };
                let frame = usize::from(first - 128) / 2 % (self.frames.len() + 1);
                let (before, behind) = self.frames.get(frame).copied().unwrap_or_default();
                format!("{before}{inner}{behind}")
            }
            _ => letters(input),
        }
    }

    /// Pieces of a text are left out, doubled, swapped and replaced by words: four bytes
    /// a change.
    pub fn changed(&self, pieces: &[&str], input: &[u8]) -> String {
        let mut changed = pieces.to_vec();
        for change in input.chunks_exact(4) {
            if changed.is_empty() {
                break;
            }
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
            let other = usize::from(change[2]) * 7 % changed.len();
            match change[3] % 4 {
                0 => drop(changed.remove(at)),
                1 => changed.insert(at, changed[other]),
                2 => changed.swap(at, other),
                _ => changed[at] = self.word(change[2]),
            }
        }
        changed.concat()
    }

    fn word(&self, byte: u8) -> &str {
        self.words.get(usize::from(byte) % self.words.len().max(1)).copied().unwrap_or_default()
    }

    fn spelt(&self, bytes: &[u8]) -> String {
        bytes.iter().map(|byte| self.word(*byte)).collect()
    }
}

fn letters(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A model in pieces that can be changed one by one.
pub fn pieces(model: &str) -> Vec<&str> {
    model.split_inclusive([' ', '\n', ';', '(', ')', '{', '}', '<', '>', ',']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: Texts = Texts { words: &["a", "b"], frames: &[("<", ">")] };

    #[test]
    fn the_first_byte_chooses() {
        assert_eq!(TEXTS.text(b"seed"), "seed");
        assert_eq!(TEXTS.text(b""), "");
        assert_eq!(TEXTS.text(&[128, b'x']), "<x>");
        assert_eq!(TEXTS.text(&[129, 0, 1, 2]), "<aba>");
        assert_eq!(TEXTS.text(&[131, 1]), "b");
    }

    #[test]
    fn pieces_change() {
        let words = pieces("x; y;");
        assert_eq!(words.concat(), "x; y;");
        assert_eq!(TEXTS.changed(&words, &[0, 0, 0, 0]), " y;");
        assert_eq!(TEXTS.changed(&words, &[0, 0, 1, 3]), "b y;");
        assert_eq!(TEXTS.changed(&[], &[0, 0, 0, 0]), "");
    }
}
