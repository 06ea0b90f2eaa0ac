//! Random Promela programs from the corners of the language.
//!
//! Where [`super::program`] draws what most models do, this grammar draws few
//! constructs at a time and lets them meet: each program takes a handful of
//! `Corner`s, so that two of them stand beside each other in a program small
//! enough to be understood. Programs may fail, block, and end in any way; some are
//! refused by SPIN, which is for the reader to find out.
//!
//! ```text
//! program  → declarations process{1,2} worker? init? trace? claim?
//! process  → head (label? statement){2,4}
//! statement→ one line each, so that a program can be made smaller line by line
//! ```
//!
//! Numbers stay below 3, processes below 4; nothing goes round for ever within
//! `atomic` or `d_step`.

mod channel;
mod claim;
mod declarations;
mod expression;
mod process;
mod statement;
mod trace;

use crate::pen::Pen;

/// A part of the language that is not in every program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Corner {
    Unless,
    Provided,
    Timeout,
    Last,
    Remote,
    Atomic,
    Certain,
    ChannelValues,
    Records,
    Subtypes,
    Sorted,
    Polls,
    Exclusive,
    Jumps,
    Priority,
    Count,
    Enabled,
    Inline,
    Loops,
    Run,
    Else,
    Hidden,
    Trace,
}

const CORNERS: [Corner; 23] = [
    Corner::Unless,
    Corner::Provided,
    Corner::Timeout,
    Corner::Last,
    Corner::Remote,
    Corner::Atomic,
    Corner::Certain,
    Corner::ChannelValues,
    Corner::Records,
    Corner::Subtypes,
    Corner::Sorted,
    Corner::Polls,
    Corner::Exclusive,
    Corner::Jumps,
    Corner::Priority,
    Corner::Count,
    Corner::Enabled,
    Corner::Inline,
    Corner::Loops,
    Corner::Run,
    Corner::Else,
    Corner::Hidden,
    Corner::Trace,
];

/// Whether a program ends in a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It has none.
    None,
    /// A `never` claim.
    Never,
    /// A formula, named `p`.
    Formula,
}

/// What the place of a statement allows.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    depth: usize,
    in_loop: bool,
    /// Control may not go round.
    atomic: bool,
    /// Nothing may block.
    certain: bool,
}

impl Place {
    fn deeper(self) -> Place {
        Place { depth: self.depth + 1, ..self }
    }
}

/// A channel with a buffer or without, and the types of its fields.
#[derive(Clone, Debug)]
struct Channel {
    name: String,
    buffered: bool,
    fields: &'static [Field],
}

/// The type of a message's field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Number,
    Colour,
    Channel,
}

/// A program being drawn.
struct Corners {
    pen: Pen,
    corners: Vec<Corner>,
    /// Numbers, all below 3.
    numbers: Vec<String>,
    bits: Vec<String>,
    colours: Vec<String>,
    /// Variables that hold channels of one number a message.
    references: Vec<String>,
    channels: Vec<Channel>,
    /// Labels that `goto` may name in the body being drawn.
    labels: Vec<String>,
    /// How labels begin.
    label_words: &'static [&'static str],
    /// `P1@L0`, `P1:l` of processes that are there from the start.
    remote: Vec<String>,
    /// Processes from the start, init not counted.
    started: usize,
    /// Whether the first process is drawn, so that others may ask `enabled` of it.
    asking: bool,
    /// Whether there is a process type `W`.
    worker: bool,
    /// Names of variables and labels within blocks, so that they differ.
    blocks: usize,
    /// Whether the claim has variables of its own.
    counts: bool,
}

/// The program of a seed.
pub fn program(seed: u64, claim: Claim) -> String {
    let mut corners = Corners {
        pen: Pen::new(seed),
        corners: Vec::new(),
        numbers: Vec::new(),
        bits: Vec::new(),
        colours: Vec::new(),
        references: Vec::new(),
        channels: Vec::new(),
        labels: Vec::new(),
        // With a claim, SPIN would look for cycles through these too.
        label_words: match claim {
            Claim::None => &["L", "L", "L", "end", "progress", "accept"],
            Claim::Never | Claim::Formula => &["L", "L", "L", "end", "progress"],
        },
        remote: Vec::new(),
        started: 0,
        asking: false,
        worker: false,
        blocks: 0,
        counts: false,
    };
    corners.choose();
    corners.declarations();
    corners.processes();
    if claim == Claim::None {
        corners.trace();
    }
    corners.claim(claim);
    corners.pen.text
}

impl Corners {
    fn choose(&mut self) {
        for _ in 0..3 + self.pen.below(3) {
            let corner = self.pen.pick(&CORNERS);
            self.corners.push(corner);
        }
    }

    fn has(&self, corner: Corner) -> bool {
        self.corners.contains(&corner)
    }

    /// True in one of `of` cases, where the program has the corner.
    fn turn(&mut self, corner: Corner, of: usize) -> bool {
        self.has(corner) && self.pen.one_in(of)
    }

    fn fresh(&mut self, letter: &str) -> String {
        self.blocks += 1;
        format!("{letter}{}", self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(program(7, Claim::Never), program(7, Claim::Never));
        assert_ne!(program(7, Claim::None), program(8, Claim::None));
    }

    /// All that the module promises to draw is drawn.
    #[test]
    #[rustfmt::skip]
    fn every_construct_is_drawn() {
        let claims = [Claim::None, Claim::Never, Claim::Formula];
        let all: String = (0..1500).map(|seed| program(seed, claims[seed as usize % 3])).collect();
        let wanted = [
            "unless {", "} unless { r", "provided (", "timeout", "_last", "P1@L", "P1:l", "P2[",
            "atomic {", "d_step {", "of { chan }", "typedef", "mtype:fruit", "!!", "??", "?[",
            "??[", "?<", "eval(", "xr ", "xs ", "goto ", "priority ", "_nr_pr", "enabled(",
            "pc_value(", "inline ", "for (", "select (", "run W(", "else", "hidden ", "local ",
            "init {", "active [2]", "never {", "accept", "ltl p {", "np_", "end", "progress",
            "assert(", "printf(", "_pid", "nfull(", "[0] of", "get_priority(", "_priority",
            "set_priority(", "_priority =", "trace {", "notrace {",
            "v?", "v!", "full(v)", "r?[", "provided (timeout", "p!red;", "h!0", "(n + 1) % 3", "o = (x",
        ];
        let missing: Vec<_> = wanted.iter().filter(|text| !all.contains(**text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
