//! Random Promela programs, to compare homing with SPIN.
//!
//! A grammar of texts, not of trees: what SPIN reads is what is drawn. Every
//! program is valid for SPIN and free of run-time errors, has few states, and
//! takes part in what makes Promela's counts hard to get right: processes that
//! die and whose numbers are used again, control kept and lost in `atomic`,
//! rendezvous from and into atomic sequences, `d_step`, `unless`, `else`,
//! `timeout`, `provided`, jumps, and declarations behind statements.
//!
//! ```text
//! program  → globals channels inlines proctype{1,2} active{1,2} init?
//! body     → locals (label? statement){2,4}
//! statement→ by what the place allows (`Place`): in `d_step` nothing may block,
//!            in `atomic` nothing may go round for ever (`pan` would run to its
//!            depth limit), `break` needs a loop
//! ```
//!
//! Values stay small: what is assigned is taken modulo 3, or the type is small.
//! One seed always gives the same text.

pub mod corners;
mod statement;

use std::fmt::Write;

use crate::family::Random;

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number that is kept below 3.
    Small,
    /// `bit`, `bool`.
    Bit,
    /// `unsigned x : 2`.
    Unsigned,
    /// `mtype`.
    Colour,
}

/// What an expression may name as a variable, ready to be written.
#[derive(Clone, Debug)]
struct Variable {
    text: String,
    kind: Kind,
}

/// A channel and how it may be used.
#[derive(Clone, Debug)]
struct Channel {
    text: String,
    /// Whether it surely has a buffer: only then it may be asked about.
    buffered: bool,
    /// Messages are `mtype, byte`, else one `byte`.
    pair: bool,
}

/// What the place of a statement allows.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    depth: usize,
    in_loop: bool,
    atomic: bool,
    deterministic: bool,
}

/// A program being drawn.
struct Draw {
    random: Random,
    text: String,
    globals: Vec<Variable>,
    channels: Vec<Channel>,
    /// Variables of the process type being drawn.
    locals: Vec<Variable>,
    /// A loop counter that nothing else assigns to.
    counters: usize,
    /// Blocks with variables of their own, so that names differ: options of a
    /// choice share a scope.
    blocks: usize,
    /// Labels of the body being drawn.
    labels: Vec<String>,
    /// Process types that `run` may start.
    runnable: Vec<String>,
    /// `P@label`, of processes that there is one of.
    remote: Vec<String>,
    /// Whether a `d_step` is being drawn.
    certain: bool,
    indent: usize,
}

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut draw = Draw {
        random: Random { state: seed.wrapping_mul(0x0123_4567_89ab_cdef) ^ seed },
        text: String::new(),
        globals: Vec::new(),
        channels: Vec::new(),
        locals: Vec::new(),
        counters: 0,
        blocks: 0,
        labels: Vec::new(),
        runnable: Vec::new(),
        remote: Vec::new(),
        certain: false,
        indent: 0,
    };
    draw.random.next();
    draw.globals();
    draw.channels();
    draw.inlines();
    draw.processes();
    draw.text
}

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    /// True in one of `of` cases.
    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len())].clone()
    }

    fn line(&mut self, text: &str) {
        let indent = self.indent;
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{:indent$}{text}", "", indent = 2 * indent);
    }

    fn globals(&mut self) {
        self.line("mtype = { red, green, blue };");
        self.line("typedef R { byte x; bit y[2] };");
        let all: [(&str, &[(&str, Kind)]); 8] = [
            ("byte g;", &[("g", Kind::Small)]),
            ("short h = 1;", &[("h", Kind::Small)]),
            ("bit b;", &[("b", Kind::Bit)]),
            ("bool t = true;", &[("t", Kind::Bit)]),
            ("unsigned u : 2 = 1;", &[("u", Kind::Unsigned)]),
            (
                "byte a[2];",
                &[("a[0]", Kind::Small), ("a[1]", Kind::Small), ("a[g % 2]", Kind::Small)],
            ),
            (
                "R r[2];",
                &[("r[0].x", Kind::Small), ("r[1].y[0]", Kind::Bit), ("r[g % 2].y[1]", Kind::Bit)],
            ),
            ("mtype m = green;", &[("m", Kind::Colour)]),
        ];
        for (place, (declaration, variables)) in all.iter().enumerate() {
            // `g` indexes arrays, so it is always there.
            if place == 0 || self.one_in(3) {
                self.line(declaration);
                let new = variables.iter();
                self.globals
                    .extend(new.map(|(text, kind)| Variable { text: (*text).into(), kind: *kind }));
            }
        }
    }

    fn channels(&mut self) {
        for (name, pair) in [("p", true), ("q", false)] {
            let size = self.below(3);
            let message = if pair { "mtype, byte" } else { "byte" };
            let array = self.one_in(4);
            let length = if array { "[2]" } else { "" };
            self.line(&format!("chan {name}{length} = [{size}] of {{ {message} }};"));
            let texts: &[String] = if array {
                &[format!("{name}[0]"), format!("{name}[1]"), format!("{name}[g % 2]")]
            } else {
                &[name.to_owned()]
            };
            for text in texts {
                self.channels.push(Channel { text: text.clone(), buffered: size > 0, pair });
            }
        }
    }

    fn inlines(&mut self) {
        self.line("inline step(v, w) { v = (v + w) % 3 }");
        self.line("inline turn(v, w) { if :: v == 0 -> w = 1 - w :: else -> skip fi }");
    }

    fn processes(&mut self) {
        if self.one_in(2) {
            self.proctype("proctype Q(byte n; chan c)", true, "Q");
            self.runnable.push("Q".into());
        }
        if self.one_in(3) {
            self.proctype("proctype S()", false, "S");
            self.runnable.push("S".into());
        }
        let provided = match self.below(5) {
            0 => " provided (g < 2)",
            1 => " provided (_nr_pr > 1 || g == 0)",
            _ => "",
        };
        self.proctype(&format!("active proctype A(){provided}"), false, "A");
        match self.below(4) {
            0 => self.proctype("active [2] proctype B()", false, ""),
            1 | 2 => self.proctype("active proctype B()", false, "B"),
            _ => {}
        }
        if !self.runnable.is_empty() {
            self.init();
        }
    }

    /// A process type; `single` names it where at most one of it runs.
    fn proctype(&mut self, head: &str, parameters: bool, single: &str) {
        self.locals.clear();
        self.labels.clear();
        let channels = self.channels.len();
        if parameters {
            self.locals.push(Variable { text: "n".into(), kind: Kind::Small });
            self.channels.push(Channel { text: "c".into(), buffered: false, pair: true });
        }
        let _ = writeln!(self.text, "{head} {{");
        self.indent = 1;
        self.local_variables();
        self.body();
        self.indent = 0;
        self.line("}");
        self.channels.truncate(channels);
        if !single.is_empty() && single != "Q" && single != "S" {
            let labels = self.labels.iter().map(|label| format!("{single}@{label}"));
            self.remote.extend(labels);
        }
    }

    fn local_variables(&mut self) {
        self.line("byte i, j;");
        for (declaration, name, kind) in [
            ("byte x = 1;", "x", Kind::Small),
            ("bit y;", "y", Kind::Bit),
            ("mtype l = red;", "l", Kind::Colour),
            ("byte z[2];", "z[1]", Kind::Small),
        ] {
            if self.one_in(3) {
                self.line(declaration);
                self.locals.push(Variable { text: name.into(), kind });
            }
        }
    }

    /// The statements of a body, some with labels that jumps may lead to.
    fn body(&mut self) {
        let count = 2 + self.below(3);
        let labelled: Vec<bool> = (0..count).map(|_| self.one_in(3)).collect();
        let kinds: Vec<&str> =
            (0..count).map(|_| if self.one_in(3) { "end" } else { "L" }).collect();
        let names = (0..count).filter(|place| labelled[*place]);
        self.labels = names.map(|place| format!("{}{place}", kinds[place])).collect();
        for place in 0..count {
            if labelled[place] {
                self.line(&format!("{}{place}:", kinds[place]));
            }
            self.statement(Place::default());
        }
    }

    fn init(&mut self) {
        self.labels.clear();
        self.locals.clear();
        self.line("init {");
        self.indent = 1;
        self.line("byte i, j;");
        let atomic = self.one_in(2);
        if atomic {
            self.line("atomic {");
            self.indent += 1;
        }
        for _ in 0..1 + self.below(2) {
            let run = self.run();
            self.line(&format!("{run};"));
        }
        if atomic {
            self.indent -= 1;
            self.line("};");
        }
        if self.one_in(2) {
            // Its number is used again.
            let wait = if self.one_in(2) { "_nr_pr == 1;" } else { "timeout;" };
            self.line(wait);
            let run = self.run();
            self.line(&run);
        }
        self.indent = 0;
        self.line("}");
    }

    fn run(&mut self) -> String {
        let name = self.pick(&self.runnable.clone());
        if name != "Q" {
            return format!("run {name}()");
        }
        let pairs: Vec<Channel> =
            self.channels.iter().filter(|channel| channel.pair).cloned().collect();
        let (value, channel) = (self.below(3), self.pick(&pairs).text);
        format!("run Q({value}, {channel})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_and_repeat() {
        assert_eq!(program(7), program(7));
        assert_ne!(program(7), program(8));
    }

    /// All that the module promises to draw is drawn.
    #[test]
    fn every_construct_is_drawn() {
        let all: String = (0..400).map(program).collect();
        let wanted = [
            "atomic {",
            "d_step {",
            "unless",
            ":: else",
            "timeout",
            "provided",
            "goto ",
            "break",
            "for (",
            "select (",
            "!!",
            "??",
            "?<",
            "?[",
            "eval(",
            "_pid",
            "_nr_pr",
            "@L",
            "run ",
            "assert(",
            "printf",
            "step(",
            "turn(",
            "nfull(",
            "len(",
            "active [2]",
            "end",
            "chan p[2]",
            "[0] of",
            "byte k",
        ];
        for text in wanted {
            assert!(all.contains(text), "{text}");
        }
    }
}
