//! Random DVE models: every construct of the language, few states.
//!
//! ```text
//! model    → globals channels process{2,3} template? property? system
//! process  → locals states commit? accept? assert? transition{2,5}
//! ```
//!
//! Numbers are taken modulo 3. Indices and divisors may be wrong: steps that
//! fail are part of what is compared.

use crate::pen::Pen;

/// The model of a seed, and goals to look for in it.
pub fn program(seed: u64) -> (String, Vec<String>) {
    let mut draw = Draw {
        pen: Pen::new(seed),
        numbers: vec!["x".into()],
        channels: Vec::new(),
        others: Vec::new(),
        synchronous: false,
    };
    draw.model();
    let goals = draw.goals();
    (draw.pen.text, goals)
}

/// A channel: its name, how many values a message has, whether it has a buffer.
#[derive(Clone)]
struct Channel {
    name: &'static str,
    values: usize,
    buffered: bool,
}

struct Draw {
    pen: Pen,
    /// Variables that may be assigned to.
    numbers: Vec<String>,
    channels: Vec<Channel>,
    /// `P.s0` and `P->l` of processes before.
    others: Vec<String>,
    synchronous: bool,
}

impl Draw {
    fn model(&mut self) {
        self.globals();
        let count = 2 + self.pen.below(2);
        self.synchronous = self.channels.is_empty() && self.pen.one_in(4);
        for number in 0..count {
            self.process(number);
        }
        if self.pen.one_in(4) {
            self.template();
        }
        let system = if self.synchronous { "system sync;" } else { "system async;" };
        self.pen.line(system);
    }

    fn globals(&mut self) {
        let declaration = self.pen.pick(&["byte x;", "int x;", "byte x = 1;", "int x = 2;"]);
        self.pen.line(declaration);
        if self.pen.one_in(2) {
            self.pen.line("byte y = 1, a[2] = {1, 0};");
            self.numbers.extend(["y", "a[0]", "a[1]", "a[x]"].map(String::from));
        }
        if self.pen.one_in(4) {
            self.pen.line("const byte K = 2;");
            self.pen.line("int i[K];");
            self.numbers.push("i[K - 1]".into());
        }
        for (declaration, name, values, buffered) in [
            ("channel c;", "c", 1, false),
            ("channel e;", "e", 0, false),
            ("channel {byte, int} d[0];", "d", 2, false),
            ("channel {byte} q[1];", "q", 1, true),
            ("channel {int, byte} w[2];", "w", 2, true),
        ] {
            if self.pen.one_in(3) {
                self.pen.line(declaration);
                self.channels.push(Channel { name, values, buffered });
            }
        }
    }

    fn process(&mut self, number: usize) {
        let name = format!("P{number}");
        let states = 2 + self.pen.below(2);
        let globals = self.numbers.len();
        self.pen.open(&format!("process {name} {{"));
        if self.pen.one_in(2) {
            let declaration = self.pen.pick(&["byte l;", "int l = 1;"]);
            self.pen.line(declaration);
            self.numbers.push("l".into());
        }
        self.body(states);
        self.pen.close("}");
        let own = (0..states).map(|state| format!("{name}.s{state}"));
        self.others.extend(own.collect::<Vec<_>>());
        if self.numbers.len() > globals {
            self.others.push(format!("{name}->l == 1"));
        }
        self.numbers.truncate(globals);
    }

    fn body(&mut self, states: usize) {
        let names: Vec<String> = (0..states).map(|state| format!("s{state}")).collect();
        self.pen.line(&format!("state {};", names.join(", ")));
        self.pen.line("init s0;");
        if !self.synchronous && self.pen.one_in(4) {
            let state = self.pen.pick(&names);
            self.pen.line(&format!("commit {state};"));
        }
        if self.pen.one_in(6) {
            let state = self.pen.pick(&names);
            self.pen.line(&format!("accept {state};"));
        }
        if self.pen.one_in(4) {
            let (state, condition) = (self.pen.pick(&names), self.condition());
            self.pen.line(&format!("assert {state}: {condition};"));
        }
        let count = 2 + self.pen.below(3);
        self.pen.line("trans");
        for number in 0..count {
            let end = if number + 1 == count { ";" } else { "," };
            let (from, to) = (self.pen.pick(&names), self.pen.pick(&names));
            let rest = self.transition();
            self.pen.line(&format!("{from} -> {to} {{ {rest} }}{end}"));
        }
    }

    fn transition(&mut self) -> String {
        let mut parts = Vec::new();
        if !self.pen.one_in(3) {
            parts.push(format!("guard {};", self.condition()));
        }
        if !self.channels.is_empty() && self.pen.one_in(2) {
            parts.push(format!("sync {};", self.communication()));
        }
        if !self.pen.one_in(3) {
            let count = 1 + self.pen.below(2);
            let effects: Vec<String> = (0..count).map(|_| self.effect()).collect();
            parts.push(format!("effect {};", effects.join(", ")));
        }
        parts.join(" ")
    }

    fn communication(&mut self) -> String {
        let channel = self.pen.pick(&self.channels.clone());
        let sends = self.pen.one_in(2);
        let mut values = Vec::new();
        for _ in 0..channel.values {
            values.push(if sends { self.value() } else { self.target() });
        }
        let sign = if sends { '!' } else { '?' };
        match (channel.values, channel.buffered) {
            (0, _) => format!("{}{sign}", channel.name),
            (1, false) => format!("{}{sign}{}", channel.name, values[0]),
            _ => format!("{}{sign}{{{}}}", channel.name, values.join(", ")),
        }
    }

    fn target(&mut self) -> String {
        self.pen.pick(&self.numbers.clone())
    }

    fn effect(&mut self) -> String {
        let (to, from) = (self.target(), self.value());
        match self.pen.below(7) {
            0 | 1 => format!("{to} = {}", self.pen.below(3)),
            2 | 3 => format!("{to} = ({from} + 1) % 3"),
            4 => format!("{to} = ({from} & 1) | ({} ^ 1) & 1", self.value()),
            5 if self.pen.one_in(2) => format!("{to} = 4 / {from} % 3"),
            _ => format!("{to} = {from} % 3"),
        }
    }

    fn value(&mut self) -> String {
        if self.pen.one_in(3) { self.pen.below(3).to_string() } else { self.target() }
    }

    fn condition(&mut self) -> String {
        if !self.others.is_empty() && self.pen.one_in(4) {
            return self.pen.pick(&self.others.clone());
        }
        let (left, right) = (self.value(), self.value());
        match self.pen.below(8) {
            0 => format!("not ({left} == {right})"),
            1 => format!("{left} < {right}"),
            2 => format!("{left} >= {right}"),
            3 => format!("({left} == 0 or {right} == 1)"),
            4 => format!("({left} != 0 and {right} < 2)"),
            5 => format!("({left} == 0 imply {right} == 0)"),
            _ => format!("{left} == {}", self.pen.below(3)),
        }
    }

    /// Processes that differ in a parameter only.
    fn template(&mut self) {
        self.pen.open("process T(key id) {");
        self.pen.line("byte l;");
        self.numbers.push("l".into());
        self.body(2);
        self.numbers.pop();
        self.pen.close("}");
        self.pen.line("for (k : 0 .. 1) {");
        self.pen.line("process T(k);");
        self.pen.line("}");
    }

    fn goals(&mut self) -> Vec<String> {
        let first = self.pen.pick(&self.others.clone());
        let number = self.pen.pick(&self.numbers.clone());
        let number = if number == "a[x]" { "x".into() } else { number };
        vec![
            first.clone(),
            format!("{number} == {}", self.pen.below(3)),
            format!("{first} && x == 2"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_construct_is_drawn() {
        let all: String = (0..400).map(|seed| program(seed).0).collect();
        for text in [
            "guard ",
            "sync ",
            "effect ",
            "commit ",
            "accept ",
            "assert ",
            "channel {",
            "[2];",
            "system sync",
            "process T(key",
            "for (k",
            " imply ",
            "const ",
            "->l",
            "c!",
            "w?{",
        ] {
            assert!(all.contains(text), "{text}");
        }
        assert_eq!(program(3), program(3));
    }
}
