//! Global variables, channels and inlines.

use super::{Channel, Corner, Corners, Field};

impl Corners {
    pub(super) fn declarations(&mut self) {
        self.pen.line("mtype = { red, green };");
        self.pen.line("byte x;");
        self.numbers.push("x".into());
        if self.pen.one_in(2) {
            let word = if self.turn(Corner::Hidden, 2) { self.storage() } else { "" };
            self.pen.line(&format!("{word}byte y = 1;"));
            self.numbers.push("y".into());
        }
        if self.pen.one_in(2) {
            let bit = self.pen.pick(&["bit b;", "bool b = true;"]);
            self.pen.line(bit);
            self.bits.push("b".into());
        }
        if self.pen.one_in(3) {
            self.pen.line("mtype m = red;");
            self.colours.push("m".into());
        }
        self.kinds();
        self.channels();
        if self.has(Corner::Inline) {
            self.inlines();
        }
    }

    fn storage(&mut self) -> &'static str {
        self.pen.pick(&["hidden ", "local ", "show "])
    }

    fn kinds(&mut self) {
        if self.has(Corner::Records) {
            self.pen.line("typedef S { byte n; bit f[2] };");
            self.pen.line("typedef R { S s[2]; byte k };");
            self.pen.line("R t[2];");
            self.numbers.extend(["t[0].k", "t[1].s[0].n", "t[x % 2].s[1].n"].map(String::from));
            self.bits.extend(["t[1].s[x % 2].f[0]", "t[0].s[1].f[1]"].map(String::from));
        }
        if self.has(Corner::Subtypes) {
            self.pen.line("mtype:fruit = { apple, pear };");
            self.pen.line("mtype:fruit f = apple;");
        }
        if self.pen.one_in(4) {
            self.pen.line("byte a[2];");
            self.numbers.extend(["a[1]".into(), "a[x % 2]".into()]);
        }
    }

    fn channels(&mut self) {
        let number: &[Field] = &[Field::Number];
        let pair: &[Field] = &[Field::Colour, Field::Number];
        // SPIN has no rendezvous where processes have priorities or `enabled` is asked;
        // for traces see there.
        let buffered = [Corner::Priority, Corner::Enabled, Corner::Trace];
        let rendezvous = usize::from(buffered.iter().any(|corner| self.has(*corner)));
        self.channel("r", rendezvous, number);
        if self.pen.one_in(2) || self.has(Corner::Sorted) || self.has(Corner::Polls) {
            let size = 1 + self.pen.below(2);
            self.channel("q", size, number);
        }
        if self.pen.one_in(4) {
            let size = rendezvous.max(self.pen.below(3));
            self.channel("p", size, pair);
        }
        if self.has(Corner::ChannelValues) {
            let size = rendezvous.max(self.pen.below(2));
            self.channel("h", size, &[Field::Channel]);
            self.pen.line("chan v;");
            self.references.push("v".into());
        }
        if self.has(Corner::Exclusive) {
            // Drawn by hand: only P1 sends, only P2 receives.
            self.pen.line("chan e = [1] of { byte };");
        }
    }

    fn channel(&mut self, name: &str, size: usize, fields: &'static [Field]) {
        let kinds: Vec<&str> = fields
            .iter()
            .map(|field| match field {
                Field::Number => "byte",
                Field::Colour => "mtype",
                Field::Channel => "chan",
            })
            .collect();
        self.pen.line(&format!("chan {name} = [{size}] of {{ {} }};", kinds.join(", ")));
        self.channels.push(Channel { name: name.into(), buffered: size > 0, fields });
    }

    fn inlines(&mut self) {
        self.pen.line("inline step(v, w) { v = (v + w) % 3 }");
        self.pen.line("inline wait(v) { v == 0; v = 1 }");
        self.pen.line("inline either(v) { if :: v = 0 :: v = 1 :: x == 2 fi }");
    }
}
