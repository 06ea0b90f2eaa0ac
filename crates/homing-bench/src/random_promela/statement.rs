//! Statements and expressions of random programs.

use super::{Channel, Draw, Kind, Place, Variable};

/// Deeper than this nothing is nested.
const DEEPEST: usize = 2;

impl Draw {
    /// Draws a statement with its separator.
    pub(super) fn statement(&mut self, place: Place) {
        if place.deterministic {
            return self.certain(place);
        }
        let nested = place.depth < DEEPEST;
        match self.below(if nested { 20 } else { 11 }) {
            0 | 1 => self.assignment(),
            2 => self.condition_statement(),
            3 | 4 => self.channel_statement(),
            5 => self.small_statement(),
            6 => self.send(),
            7 => self.receive(),
            8 => self.jump(place),
            9 => self.start(place),
            10 => self.assignment(),
            11 | 12 => self.choice(place),
            13 => self.repetition(place),
            14 | 15 => self.group("atomic", place, Place { atomic: true, ..place }),
            16 => self.certain_group(place),
            17 => self.guarded_block(place),
            18 => self.counted(place),
            _ => self.block_with_declaration(place),
        }
    }

    /// What can never block, for `d_step`.
    fn certain(&mut self, place: Place) {
        match self.below(if place.depth < DEEPEST + 1 { 7 } else { 4 }) {
            0..=2 => self.assignment(),
            3 => self.small_statement(),
            4 => self.counted(place),
            _ => {
                let condition = self.condition();
                self.line("if");
                let inner = Place { depth: place.depth + 1, ..place };
                self.option(&condition, inner, 1);
                self.option("else", inner, 1);
                self.line("fi;");
            }
        }
    }

    fn sequence(&mut self, place: Place, most: usize) {
        self.indent += 1;
        for _ in 0..1 + self.below(most) {
            self.statement(place);
        }
        self.indent -= 1;
    }

    fn group(&mut self, word: &str, outer: Place, inner: Place) {
        self.line(&format!("{word} {{"));
        self.sequence(Place { depth: outer.depth + 1, ..inner }, 3);
        self.line("};");
    }

    fn certain_group(&mut self, place: Place) {
        let inner =
            Place { depth: place.depth + 1, atomic: true, deterministic: true, ..Place::default() };
        // SPIN refuses a `break` whose loop has a `d_step` behind it.
        self.line("skip;");
        self.line("d_step {");
        self.certain = true;
        self.indent += 1;
        if self.one_in(2) {
            // Only the first statement may block.
            let condition = self.condition();
            self.line(&format!("{condition};"));
        } else {
            // SPIN answers a rendezvous with a `d_step` that begins with an assertion.
            self.line("skip;");
        }
        self.indent -= 1;
        self.sequence(inner, 3);
        self.certain = false;
        self.line("};");
    }

    fn guarded_block(&mut self, place: Place) {
        let inner = Place { depth: place.depth + 1, in_loop: false, ..place };
        self.line("{");
        self.sequence(inner, 2);
        let guard = if self.one_in(3) { self.receive_text() } else { self.condition() };
        self.line(&format!("}} unless {{ {guard};"));
        self.sequence(inner, 1);
        self.line("};");
    }

    /// A declaration behind a statement is a step of its own.
    fn block_with_declaration(&mut self, place: Place) {
        self.line("{");
        self.indent += 1;
        self.blocks += 1;
        let name = format!("k{}", self.blocks);
        self.line(&format!("byte {name} = 2;"));
        self.locals.push(Variable { text: name, kind: Kind::Small });
        self.indent -= 1;
        self.sequence(Place { depth: place.depth + 1, ..place }, 2);
        self.locals.pop();
        self.line("};");
    }

    fn option(&mut self, guard: &str, place: Place, most: usize) {
        self.line(&format!(":: {guard} ->"));
        self.sequence(place, most);
    }

    fn options(&mut self, place: Place, leave: bool) {
        let inner = Place { depth: place.depth + 1, ..place };
        let with_else = self.one_in(3);
        for number in 0..1 + self.below(2) {
            let guard = match self.below(if with_else { 2 } else { 5 }) {
                2 => self.send_text(),
                3 => self.receive_text(),
                4 => "skip".into(),
                _ => self.condition(),
            };
            if leave && number == 0 {
                self.line(&format!(":: {guard} -> break"));
            } else {
                self.option(&guard, inner, 2);
            }
        }
        match self.below(6) {
            _ if with_else => self.option("else", inner, 1),
            0 => self.option("timeout", inner, 1),
            1 if self.one_in(2) => {
                // An option that starts with an atomic sequence.
                self.line(":: atomic {");
                self.sequence(Place { atomic: true, ..inner }, 2);
                self.line("}");
            }
            _ => {
                self.line("::");
                self.sequence(inner, 2);
            }
        }
    }

    fn choice(&mut self, place: Place) {
        self.line("if");
        self.options(place, false);
        self.line("fi;");
    }

    /// A loop; in `atomic` it might never end, there it is a choice.
    fn repetition(&mut self, place: Place) {
        if place.atomic {
            return self.choice(place);
        }
        self.line("do");
        let leave = self.one_in(2);
        self.options(Place { in_loop: true, ..place }, leave);
        self.line("od;");
    }

    /// `for` and `select`, over a counter that nothing else assigns to.
    fn counted(&mut self, place: Place) {
        if self.counters > 0 || self.one_in(2) {
            let counter = if self.counters > 0 { "j" } else { "i" };
            if self.counters > 1 {
                return self.assignment();
            }
            return self.line(&format!("select ({counter} : 0 .. 1);"));
        }
        self.counters += 1;
        self.line("for (i : 0 .. 1) {");
        self.sequence(Place { depth: place.depth + 1, in_loop: !place.deterministic, ..place }, 2);
        self.line("};");
        self.counters -= 1;
    }

    fn assignment(&mut self) {
        let variable = self.variable();
        let text = &variable.text;
        let line = match variable.kind {
            Kind::Small => match self.below(4) {
                0 => format!("{text} = {}", self.below(3)),
                1 => format!("step({text}, {})", 1 + self.below(2)),
                2 => format!("{text} = ({} -> {} : {text})", self.comparison(), self.below(3)),
                _ => format!("{text} = ({} + {}) % 3", self.value(), self.below(3)),
            },
            Kind::Bit => match self.below(3) {
                0 => format!("turn({}, {text})", self.value()),
                1 => format!("{text} = ({})", self.comparison()),
                _ => format!("{text} = 1 - {text}"),
            },
            Kind::Unsigned => self.pick(&["u++", "u--", "u = u + 3", "u = u * 2 + 1"]).to_owned(),
            Kind::Colour => format!("{text} = {}", self.colour()),
        };
        self.line(&format!("{line};"));
    }

    fn condition_statement(&mut self) {
        let condition = self.condition();
        self.line(&format!("{condition};"));
    }

    fn small_statement(&mut self) {
        let line = match self.below(5) {
            0 | 1 => "skip".to_owned(),
            2 => format!("printf(\"at %d\\n\", {})", self.value()),
            _ => format!("assert({} || {})", self.condition(), self.condition()),
        };
        self.line(&format!("{line};"));
    }

    fn jump(&mut self, place: Place) {
        if place.in_loop && self.one_in(2) {
            return self.line("if :: skip -> break :: skip fi;");
        }
        // Backwards out of an atomic sequence and into another one, control
        // might go round for ever unseen.
        if self.labels.is_empty() || place.atomic {
            return self.assignment();
        }
        let label = self.pick(&self.labels.clone());
        let condition = self.condition();
        self.line(&format!("if :: {condition} -> goto {label} :: else fi;"));
    }

    fn start(&mut self, place: Place) {
        if self.runnable.is_empty() || !self.one_in(2) || place.in_loop {
            return self.condition_statement();
        }
        let run = self.run();
        self.line(&format!("atomic {{ _nr_pr < 4 -> {run} }};"));
    }

    fn send(&mut self) {
        let text = self.send_text();
        self.line(&format!("{text};"));
    }

    fn receive(&mut self) {
        let text = self.receive_text();
        self.line(&format!("{text};"));
    }

    /// Asks a channel, or tries once.
    fn channel_statement(&mut self) {
        match self.poll() {
            Some(poll) => self.line(&format!("{poll};")),
            None => self.send(),
        }
    }

    fn send_text(&mut self) -> String {
        let channel = self.channel();
        let sign = if channel.buffered && self.one_in(4) { "!!" } else { "!" };
        let value = self.value();
        if channel.pair {
            let colour = self.colour();
            return format!("{}{sign}{colour}({value})", channel.text);
        }
        format!("{}{sign}{value}", channel.text)
    }

    fn receive_text(&mut self) -> String {
        let channel = self.channel();
        let sign = if channel.buffered && self.one_in(3) { "??" } else { "?" };
        let mut fields = self.fields(&channel);
        // SPIN looks for the channel again when its message has been received.
        if channel.text.contains("g %") && fields.split(", ").any(|field| field == "g") {
            fields = if channel.pair { "_, _" } else { "_" }.into();
        }
        if channel.buffered && self.one_in(4) {
            return format!("{}{sign}<{fields}>", channel.text);
        }
        format!("{}{sign}{fields}", channel.text)
    }

    fn poll(&mut self) -> Option<String> {
        let buffered: Vec<Channel> =
            self.channels.iter().filter(|channel| channel.buffered).cloned().collect();
        if buffered.is_empty() {
            return None;
        }
        let channel = self.pick(&buffered);
        let name = &channel.text;
        Some(match self.below(6) {
            0 => format!("len({name}) < 2"),
            1 => format!("nfull({name})"),
            2 => format!("empty({name})"),
            3 => format!("nempty({name})"),
            4 => format!("full({name})"),
            _ => {
                let sign = if self.one_in(3) { "??" } else { "?" };
                let fields = if channel.pair { "green, 1" } else { "1" };
                format!("{name}{sign}[{fields}]")
            }
        })
    }

    fn fields(&mut self, channel: &Channel) -> String {
        let value = match self.below(5) {
            0 => "_".to_owned(),
            1 => self.below(3).to_string(),
            2 => format!("eval({})", self.value()),
            _ => self.variable_of(Kind::Small),
        };
        if !channel.pair {
            return value;
        }
        let colour = match self.below(3) {
            0 => "_".to_owned(),
            1 if self.has(Kind::Colour) => self.variable_of(Kind::Colour),
            _ => self.pick(&["red", "green", "blue"]).to_owned(),
        };
        format!("{colour}, {value}")
    }

    fn channel(&mut self) -> Channel {
        self.pick(&self.channels.clone())
    }

    fn condition(&mut self) -> String {
        match self.below(12) {
            0 | 1 => self.poll().unwrap_or_else(|| "g > 0".to_owned()),
            // SPIN refuses these in `d_step`.
            2 if !self.remote.is_empty() && !self.certain => self.pick(&self.remote.clone()),
            _ => self.comparison(),
        }
    }

    /// A condition that may stand in any expression; questions to channels
    /// may not.
    fn comparison(&mut self) -> String {
        match self.below(9) {
            0 | 1 => format!("{} == {}", self.value(), self.below(3)),
            2 => format!("{} != {}", self.value(), self.value()),
            3 => format!("{} <= {}", self.value(), self.value()),
            4 => format!("!({} > {})", self.value(), self.below(2)),
            5 => format!("_nr_pr < {}", 2 + self.below(3)),
            6 => format!("_pid == {}", self.below(3)),
            7 if self.has(Kind::Colour) => {
                format!("{} == {}", self.variable_of(Kind::Colour), self.pick(&["red", "blue"]))
            }
            _ => format!("({} || {} == 0)", self.value(), self.value()),
        }
    }

    fn value(&mut self) -> String {
        match self.below(6) {
            0 => self.below(3).to_string(),
            1 if self.has(Kind::Bit) => self.variable_of(Kind::Bit),
            2 => "_pid % 3".to_owned(),
            _ => self.variable_of(Kind::Small),
        }
    }

    fn colour(&mut self) -> String {
        if self.has(Kind::Colour) && self.one_in(2) {
            return self.variable_of(Kind::Colour);
        }
        self.pick(&["red", "green", "blue"]).to_owned()
    }

    fn variable(&mut self) -> Variable {
        let all: Vec<Variable> = self.globals.iter().chain(&self.locals).cloned().collect();
        self.pick(&all)
    }

    fn has(&self, kind: Kind) -> bool {
        self.globals.iter().chain(&self.locals).any(|variable| variable.kind == kind)
    }

    /// The text of a variable that holds such values; there is one.
    fn variable_of(&mut self, kind: Kind) -> String {
        let all = self.globals.iter().chain(&self.locals);
        let all: Vec<Variable> = all.filter(|variable| variable.kind == kind).cloned().collect();
        self.pick(&all).text
    }
}
