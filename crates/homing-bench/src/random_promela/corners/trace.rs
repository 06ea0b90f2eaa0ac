//! `trace` and `notrace` assertions.

use super::{Channel, Corner, Corners, Field};

impl Corners {
    /// An automaton over the channels with a buffer: in a rendezvous SPIN looks at the send
    /// before it knows whether anybody receives. It stands behind all processes: `pan`
    /// takes the first process for it where it is before them.
    pub(super) fn trace(&mut self) {
        let channels = self.buffered();
        if !self.has(Corner::Trace) || self.has(Corner::Sorted) || channels.is_empty() {
            return;
        }
        let word = self.pen.pick(&["trace", "trace", "notrace"]);
        self.pen.open(&format!("{word} {{"));
        for _ in 0..1 + self.pen.below(2) {
            match self.pen.below(3) {
                0 => self.repeated(&channels),
                _ => {
                    let event = self.event(&channels);
                    let label =
                        if self.pen.one_in(4) { self.fresh("end") + ": " } else { String::new() };
                    self.pen.line(&format!("{label}{event};"));
                }
            }
        }
        self.pen.close("}");
    }

    fn repeated(&mut self, channels: &[Channel]) {
        self.pen.line("do");
        for _ in 0..1 + self.pen.below(3) {
            let (first, second) = (self.event(channels), self.event(channels));
            let then = self.pen.pick(&["", "", "break"]).to_string();
            let then = if self.pen.one_in(3) { second } else { then };
            let arrow = if then.is_empty() { "" } else { " -> " };
            self.pen.line(&format!(":: {first}{arrow}{then}"));
        }
        self.pen.line("od;");
    }

    fn event(&mut self, channels: &[Channel]) -> String {
        let channel = self.pen.pick(channels);
        let sign = self.pen.pick(&["!", "?"]);
        let parts: Vec<&str> = channel
            .fields
            .iter()
            .map(|field| match field {
                Field::Number => self.pen.pick(&["0", "1", "2", "_", "_"]),
                Field::Colour => self.pen.pick(&["red", "green", "_"]),
                Field::Channel => "_",
            })
            .collect();
        format!("{}{sign}{}", channel.name, parts.join(", "))
    }
}
