//! Process types, `init`, and how processes start.

use super::{Corner, Corners, Place};

impl Corners {
    pub(super) fn processes(&mut self) {
        let scope = self.scope();
        self.started = 1 + self.pen.below(2);
        self.worker = self.has(Corner::Run) || self.pen.one_in(4);
        self.first();
        self.asking = true;
        self.restore(&scope);
        if self.started > 1 {
            self.second();
            self.restore(&scope);
        }
        if self.worker {
            self.work();
            self.restore(&scope);
            if self.pen.one_in(2) {
                self.init();
                self.restore(&scope);
            }
        }
    }

    /// How many variables there are, of each kind.
    fn scope(&self) -> [usize; 4] {
        [self.numbers.len(), self.bits.len(), self.colours.len(), self.references.len()]
    }

    fn restore(&mut self, scope: &[usize; 4]) {
        self.numbers.truncate(scope[0]);
        self.bits.truncate(scope[1]);
        self.colours.truncate(scope[2]);
        self.references.truncate(scope[3]);
    }

    /// `provided` and `priority`, each where the program has them.
    fn suffix(&mut self) -> String {
        let mut suffix = String::new();
        if self.turn(Corner::Priority, 2) {
            suffix += &format!(" priority {}", 1 + self.pen.below(3));
        }
        if self.turn(Corner::Provided, 2) {
            let condition = match self.turn(Corner::Timeout, 3) {
                true => format!("timeout || {}", self.comparison()),
                false => self.comparison(),
            };
            suffix += &format!(" provided ({condition})");
        }
        suffix
    }

    fn first(&mut self) {
        let suffix = self.suffix();
        self.pen.open(&format!("active proctype P1(){suffix} {{"));
        if self.has(Corner::Exclusive) {
            self.pen.line("xs e;");
        }
        self.locals();
        self.body("P1");
        if self.has(Corner::Exclusive) {
            self.pen.line("e!x;");
        }
        self.pen.close("}");
        self.remote.push("P1:l".into());
    }

    fn second(&mut self) {
        let twice = self.pen.one_in(3);
        let suffix = self.suffix();
        let head = if twice { "active [2] proctype" } else { "active proctype" };
        self.pen.open(&format!("{head} P2(){suffix} {{"));
        if self.has(Corner::Exclusive) && !twice {
            self.pen.line("xr e;");
        }
        self.locals();
        let name = if twice { self.pen.pick(&["P2[1]", "P2[2]"]) } else { "P2" };
        self.body(name);
        if self.has(Corner::Exclusive) && !twice {
            self.pen.line("e?l;");
        }
        self.pen.close("}");
        self.remote.push(format!("{name}:l"));
        self.started += usize::from(twice);
    }

    fn work(&mut self) {
        let suffix = self.suffix();
        self.pen.open(&format!("proctype W(byte n; chan c; mtype k){suffix} {{"));
        self.numbers.push("n".into());
        self.colours.push("k".into());
        self.references.push("c".into());
        self.body("");
        self.pen.close("}");
    }

    fn locals(&mut self) {
        let start = self.pen.below(2);
        self.pen.line(&format!("byte l = {start};"));
        self.numbers.push("l".into());
        if self.pen.one_in(4) {
            self.pen.line("bit g;");
            self.bits.push("g".into());
        }
        if self.turn(Corner::ChannelValues, 2) {
            self.pen.line("chan w = r;");
            self.references.push("w".into());
        }
    }

    /// Statements, some with labels. `name` is how others speak of the process.
    fn body(&mut self, name: &str) {
        let count = 2 + self.pen.below(2);
        self.labels.clear();
        let often = if self.has(Corner::Jumps) || self.has(Corner::Remote) { 2 } else { 5 };
        let mut at = Vec::new();
        for place in 0..count {
            if self.pen.one_in(often) {
                let word = self.pen.pick(self.label_words);
                at.push((place, format!("{word}{place}")));
            }
        }
        self.labels = at.iter().map(|(_, label)| label.clone()).collect();
        for place in 0..count {
            if let Some((_, label)) = at.iter().find(|(labelled, _)| *labelled == place) {
                self.pen.line(&format!("{label}:"));
            }
            self.statement(Place::default());
        }
        if !name.is_empty() {
            let labels = at.iter().map(|(_, label)| format!("{name}@{label}"));
            self.remote.extend(labels.collect::<Vec<_>>());
        }
    }

    fn init(&mut self) {
        let suffix = if self.turn(Corner::Priority, 2) { " priority 2" } else { "" };
        self.pen.open(&format!("init{suffix} {{"));
        self.labels.clear();
        let atomic = self.pen.one_in(2);
        if atomic {
            self.pen.open("atomic {");
        }
        for _ in 0..1 + self.pen.below(2) {
            let run = self.run();
            self.pen.line(&format!("{run};"));
        }
        if atomic {
            self.pen.close("};");
        }
        if self.pen.one_in(2) {
            self.statement(Place::default());
        }
        self.pen.close("}");
    }

    /// Starts a `W`, with arguments of all kinds.
    pub(super) fn run(&mut self) -> String {
        let (value, channel) = (self.value(), self.channel_value());
        // SPIN takes no variable where an `mtype` is wanted.
        let colour = self.pen.pick(&["red", "green"]);
        let priority = if self.turn(Corner::Priority, 3) { " priority 3" } else { "" };
        format!("run W({value}, {channel}, {colour}){priority}")
    }
}
