//! Statements, each on lines of its own.

use super::{Corner, Corners, Place};

/// Deeper than this nothing is nested.
const DEEPEST: usize = 2;

impl Corners {
    pub(super) fn statement(&mut self, place: Place) {
        if place.certain {
            return self.simple(place);
        }
        if place.depth >= DEEPEST || self.pen.one_in(3) {
            return self.short(place);
        }
        match self.pen.below(8) {
            0 | 1 if self.has(Corner::Unless) => self.unless(place),
            2 if self.has(Corner::Atomic) => self.atomic(place),
            3 if self.has(Corner::Certain) => self.certain(place),
            4 if self.has(Corner::Loops) => self.counted(place),
            5 if !place.atomic => self.repetition(place),
            5 | 6 => self.choice(place),
            7 if self.has(Corner::Jumps) => self.block(place),
            _ => self.short(place),
        }
    }

    /// One line that may block.
    fn short(&mut self, place: Place) {
        match self.pen.below(10) {
            0 | 1 => self.effect(&Self::send),
            2 | 3 => self.effect(&Self::receive),
            4 => self.effect(&Self::condition),
            5 if self.has(Corner::Jumps) => self.jump(place),
            6 if self.worker && (self.has(Corner::Run) || self.pen.one_in(2)) => self.start(place),
            7 if self.has(Corner::Timeout) => self.pen.line("timeout;"),
            8 if self.has(Corner::Inline) => self.call(),
            _ => self.simple(place),
        }
    }

    fn effect(&mut self, text: &dyn Fn(&mut Self) -> String) {
        let text = text(self);
        self.pen.line(&format!("{text};"));
    }

    /// One statement that never blocks.
    fn simple(&mut self, place: Place) {
        match self.pen.below(11) {
            0 => self.pen.line("skip;"),
            1 => {
                let value = self.value();
                self.pen.line(&format!("printf(\"at %d\\n\", {value});"));
            }
            2 | 3 => {
                let condition = self.comparison();
                self.pen.line(&format!("assert({condition});"));
            }
            4 if !self.bits.is_empty() => {
                let bit = self.pen.pick(&self.bits.clone());
                self.pen.line(&format!("{bit} = 1 - {bit};"));
            }
            5 if !self.colours.is_empty() => {
                let (to, from) = (self.pen.pick(&self.colours.clone()), self.colour());
                self.pen.line(&format!("{to} = {from};"));
            }
            6 if self.has(Corner::Subtypes) => {
                let fruit = self.pen.pick(&["apple", "pear"]);
                self.pen.line(&format!("f = {fruit};"));
            }
            6 if self.turn(Corner::Priority, 2) => {
                let (process, priority) = (self.pen.below(2), 1 + self.pen.below(2));
                let line = match self.pen.below(3) {
                    0 => format!("_priority = {priority};"),
                    _ => format!("set_priority({process}, {priority});"),
                };
                self.pen.line(&line);
            }
            7 if !self.references.is_empty() && !place.certain => {
                let (to, from) = (self.pen.pick(&self.references.clone()), self.channel_value());
                self.pen.line(&format!("{to} = {from};"));
            }
            8 if place.certain && place.depth < 4 => self.certain_choice(place),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let (to, from) = (self.number(), self.value());
        let text = match self.pen.below(4) {
            0 => format!("{to} = {}", self.pen.below(3)),
            1 => format!("{to} = ({to} + 1) % 3"),
            2 => format!("{to} = ({} -> {from} : {}) % 3", self.comparison(), self.pen.below(3)),
            _ => format!("{to} = {from} % 3"),
        };
        self.pen.line(&format!("{text};"));
    }

    fn sequence(&mut self, place: Place, most: usize) {
        for _ in 0..1 + self.pen.below(most) {
            self.statement(place);
        }
    }

    fn call(&mut self) {
        let number = self.number();
        let text = match self.pen.below(3) {
            0 => format!("step({number}, {});", 1 + self.pen.below(2)),
            1 => format!("wait({number});"),
            _ => format!("either({number});"),
        };
        self.pen.line(&text);
    }

    fn start(&mut self, place: Place) {
        let run = self.run();
        match place.in_loop || self.pen.one_in(2) {
            true => self.pen.line(&format!("atomic {{ _nr_pr < 4 -> {run} }};")),
            false => self.pen.line(&format!("{run};")),
        }
    }

    fn unless(&mut self, place: Place) {
        let inner = Place { in_loop: false, ..place.deeper() };
        self.pen.open("{");
        self.sequence(inner, 2);
        self.pen.indent -= 1;
        let guard = self.escape_guard();
        self.pen.open(&format!("}} unless {{ {guard};"));
        if self.pen.one_in(2) {
            self.sequence(inner, 1);
        }
        self.pen.close("};");
    }

    fn escape_guard(&mut self) -> String {
        match self.pen.below(7) {
            0 => self.send(),
            1 => self.receive(),
            2 => {
                let channel = self.channels[0].clone();
                self.receive_from(&channel)
            }
            3 if self.has(Corner::Timeout) => "timeout".into(),
            4 if self.has(Corner::Atomic) => {
                format!("atomic {{ {}; {} }}", self.condition(), self.send())
            }
            5 if self.has(Corner::Certain) => format!("d_step {{ {}; x = 1 }}", self.condition()),
            6 if self.pen.one_in(2) => format!("{} = 0", self.number()),
            _ => self.condition(),
        }
    }

    fn atomic(&mut self, place: Place) {
        self.pen.open("atomic {");
        self.sequence(Place { atomic: true, in_loop: false, ..place.deeper() }, 3);
        self.pen.close("};");
    }

    fn certain(&mut self, place: Place) {
        // SPIN refuses a `break` whose loop has a `d_step` behind it.
        self.pen.line("skip;");
        self.pen.open("d_step {");
        match self.pen.below(3) {
            0 => self.effect(&Self::comparison),
            1 => self.effect(&Self::receive),
            // SPIN answers a rendezvous with a `d_step` that begins with an assertion.
            _ => self.pen.line("skip;"),
        }
        self.sequence(
            Place { certain: true, atomic: true, depth: place.depth + 1, in_loop: false },
            3,
        );
        self.pen.close("};");
    }

    fn certain_choice(&mut self, place: Place) {
        let condition = self.comparison();
        self.pen.line("if");
        self.pen.open(&format!(":: {condition} ->"));
        self.simple(place.deeper());
        self.pen.indent -= 1;
        self.pen.open(":: else ->");
        self.simple(place.deeper());
        self.pen.close("fi;");
    }

    fn counted(&mut self, place: Place) {
        let name = self.fresh("i");
        // In a block of its own: SPIN wants no label before a declaration.
        self.pen.open("{");
        self.pen.line(&format!("byte {name};"));
        match self.pen.below(3) {
            0 => self.pen.line(&format!("select ({name} : 0 .. 2);")),
            1 if self.numbers.iter().any(|name| name.starts_with("a[")) => {
                self.pen.open(&format!("for ({name} in a) {{"));
                self.sequence(Place { in_loop: true, ..place.deeper() }, 1);
                self.pen.close("};");
            }
            _ => {
                self.pen.open(&format!("for ({name} : 0 .. 1) {{"));
                self.sequence(Place { in_loop: true, ..place.deeper() }, 2);
                self.pen.close("};");
            }
        }
        self.pen.close("};");
    }

    /// A block with a variable of its own, and a label that others may jump to.
    fn block(&mut self, place: Place) {
        let name = self.fresh("k");
        self.pen.open("{");
        self.pen.line(&format!("byte {name} = 1;"));
        if !place.atomic && self.pen.one_in(2) {
            let label = self.fresh("B");
            self.pen.line(&format!("{label}:"));
            self.labels.push(label);
        }
        self.numbers.push(name);
        self.sequence(place.deeper(), 2);
        self.numbers.pop();
        self.pen.close("};");
    }

    fn jump(&mut self, place: Place) {
        if place.in_loop && self.pen.one_in(2) {
            return self.pen.line("break;");
        }
        if self.labels.is_empty() || place.atomic {
            return self.assignment();
        }
        let label = self.pen.pick(&self.labels.clone());
        if self.pen.one_in(3) {
            return self.pen.line(&format!("goto {label};"));
        }
        let condition = self.comparison();
        self.pen.line(&format!("if :: {condition} -> goto {label} :: else fi;"));
    }

    fn choice(&mut self, place: Place) {
        self.pen.line("if");
        self.options(place);
        self.pen.line("fi;");
    }

    fn repetition(&mut self, place: Place) {
        self.pen.line("do");
        self.options(Place { in_loop: true, ..place });
        if self.pen.one_in(2) {
            let guard = self.comparison();
            self.pen.line(&format!(":: {guard} -> break"));
        }
        self.pen.line("od;");
    }

    fn options(&mut self, place: Place) {
        let last = match self.pen.below(3) {
            0 if self.has(Corner::Else) => "else",
            1 if self.has(Corner::Timeout) => "timeout",
            2 if self.has(Corner::Else) && self.has(Corner::Atomic) => "atomic { else }",
            _ => "",
        };
        for _ in 0..1 + self.pen.below(2) {
            // SPIN wants no `else` beside sending or receiving.
            let guard = if last.contains("else") { self.comparison() } else { self.guard() };
            self.pen.open(&format!(":: {guard} ->"));
            self.sequence(place.deeper(), 2);
            self.pen.indent -= 1;
        }
        if last.is_empty() {
            return;
        }
        self.pen.open(&format!(":: {last} ->"));
        self.sequence(place.deeper(), 1);
        self.pen.indent -= 1;
    }

    fn guard(&mut self) -> String {
        match self.pen.below(6) {
            0 => self.send(),
            1 => self.receive(),
            2 => format!("{} = {}", self.number(), self.pen.below(3)),
            3 => "skip".into(),
            _ => self.condition(),
        }
    }
}
