//! `never` claims and formulas.

use super::{Claim, Corner, Corners};

impl Corners {
    pub(super) fn claim(&mut self, claim: Claim) {
        match claim {
            Claim::None => {}
            Claim::Never => self.never(),
            Claim::Formula => {
                let formula = self.formula(2);
                self.pen.line(&format!("ltl p {{ {formula} }}"));
            }
        }
    }

    /// What a claim may ask of a state: only what is global.
    fn atom(&mut self) -> String {
        match self.pen.below(10) {
            0..=2 if !self.remote.is_empty() => self.remote_condition(),
            3 => format!("(_nr_pr > {})", self.pen.below(3)),
            4 if self.has(Corner::Last) => format!("(_last == {})", self.pen.below(2)),
            5 if self.has(Corner::Enabled) => self.about_process(),
            6 if self.has(Corner::Timeout) => "timeout".into(),
            7 => self.poll().unwrap_or_else(|| "(x == 1)".into()),
            8 if self.has(Corner::Loops) => "np_".into(),
            9 if self.counts => format!("(n == {})", self.pen.below(3)),
            _ => self.pen.pick(&["(x == 0)", "(x == 1)", "(x > 1)", "(x != 0)"]).into(),
        }
    }

    /// A claim of a few states, some of them accepting.
    fn never(&mut self) {
        let count = 1 + self.pen.below(3);
        let kinds = ["T", "accept", "accept", "progress", "end"];
        let names: Vec<String> =
            (0..count).map(|number| format!("{}_{number}", self.pen.pick(&kinds))).collect();
        self.pen.open("never {");
        self.counts = self.pen.one_in(3);
        if self.counts {
            self.pen.line("byte n;");
            self.pen.line("bit o;");
        }
        for name in &names {
            self.state(name, &names);
        }
        self.pen.line("done: skip");
        self.pen.close("}");
    }

    fn state(&mut self, name: &str, names: &[String]) {
        self.pen.line(&format!("{name}:"));
        if self.pen.one_in(6) {
            let atom = self.atom();
            self.pen.line(&format!("{atom};"));
        }
        let looped = self.pen.one_in(3);
        self.pen.line(if looped { "do" } else { "if" });
        for _ in 0..1 + self.pen.below(3) {
            let atom = if self.pen.one_in(3) { "true".into() } else { self.atom() };
            let to = if self.pen.one_in(5) { "done".into() } else { self.pen.pick(names) };
            let go =
                if looped && self.pen.one_in(3) { "skip".into() } else { format!("goto {to}") };
            let kept = match self.pen.below(4) {
                0 | 1 if self.counts => "n = (n + 1) % 3; ",
                2 if self.counts => "o = (x == 1); o || n == 0; ",
                _ => "",
            };
            self.pen.line(&format!(":: {atom} -> {kept}{go}"));
        }
        if self.turn(Corner::Else, 2) {
            let to = self.pen.pick(names);
            self.pen.line(&format!(":: else -> goto {to}"));
        }
        self.pen.line(if looped { "od;" } else { "fi;" });
    }

    fn formula(&mut self, depth: usize) -> String {
        if depth == 0 {
            let atom = self.atom();
            return if atom.starts_with('(') { atom } else { format!("({atom})") };
        }
        match self.pen.below(8) {
            0 => format!("[] {}", self.formula(depth - 1)),
            1 => format!("<> {}", self.formula(depth - 1)),
            2 => format!("[] <> {}", self.formula(depth - 1)),
            3 => format!("({} U {})", self.formula(depth - 1), self.formula(depth - 1)),
            4 => format!("({} -> {})", self.formula(depth - 1), self.formula(depth - 1)),
            5 => format!("(! {})", self.formula(depth - 1)),
            6 => format!("({} && {})", self.formula(depth - 1), self.formula(depth - 1)),
            _ => format!("[] ({} -> <> {})", self.formula(depth - 1), self.formula(depth - 1)),
        }
    }
}
