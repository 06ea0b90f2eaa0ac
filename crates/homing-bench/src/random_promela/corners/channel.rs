//! Sending, receiving and asking.

use super::{Channel, Corner, Corners, Field};

impl Corners {
    pub(super) fn buffered(&self) -> Vec<Channel> {
        self.channels.iter().filter(|channel| channel.buffered).cloned().collect()
    }

    /// A channel, sometimes through a variable that holds it.
    fn any(&mut self) -> Channel {
        if !self.references.is_empty() && self.pen.one_in(3) {
            let name = self.pen.pick(&self.references.clone());
            return Channel { name, buffered: false, fields: &[Field::Number] };
        }
        self.pen.pick(&self.channels.clone())
    }

    pub(super) fn send(&mut self) -> String {
        let channel = self.any();
        let sorted = channel.buffered && self.turn(Corner::Sorted, 2);
        let sign = if sorted { "!!" } else { "!" };
        let mut fields: Vec<String> =
            channel.fields.iter().map(|field| self.sent(*field)).collect();
        if fields.len() > 1 && self.pen.one_in(8) {
            // Too short: a run-time error.
            fields.pop();
        }
        match (&fields[..], self.pen.one_in(2)) {
            ([first, second], true) => format!("{}{sign}{first}({second})", channel.name),
            _ => format!("{}{sign}{}", channel.name, fields.join(", ")),
        }
    }

    fn sent(&mut self, field: Field) -> String {
        match field {
            Field::Number => self.value(),
            Field::Colour => self.colour(),
            Field::Channel => self.channel_value(),
        }
    }

    /// A channel of numbers, or what is none.
    pub(super) fn channel_value(&mut self) -> String {
        match self.pen.below(6) {
            // Beyond the channels there are, SPIN reads what happens to be there.
            0 => self.pen.below(1 + self.channels.len()).to_string(),
            1 if !self.references.is_empty() => self.pen.pick(&self.references.clone()),
            _ => {
                let number = |channel: &&Channel| channel.fields == [Field::Number];
                let numbers: Vec<_> = self.channels.iter().filter(number).cloned().collect();
                self.pen.pick(&numbers).name
            }
        }
    }

    pub(super) fn receive(&mut self) -> String {
        let channel = self.any();
        self.receive_from(&channel)
    }

    pub(super) fn receive_from(&mut self, channel: &Channel) -> String {
        let random = channel.buffered && (self.turn(Corner::Sorted, 2) || self.pen.one_in(6));
        let sign = if random { "??" } else { "?" };
        let fields: Vec<String> =
            channel.fields.iter().map(|field| self.received(*field, channel.buffered)).collect();
        match (channel.buffered && self.pen.one_in(5), fields.join(", ")) {
            (true, fields) => format!("{}{sign}<{fields}>", channel.name),
            (false, fields) => format!("{}{sign}{fields}", channel.name),
        }
    }

    fn received(&mut self, field: Field, buffered: bool) -> String {
        match (field, self.pen.below(5)) {
            (Field::Channel, _) => self.pen.pick(&self.references.clone()),
            (_, 0) => "_".into(),
            (Field::Colour, 1) if !self.colours.is_empty() => self.pen.pick(&self.colours.clone()),
            (Field::Colour, _) => self.pen.pick(&["red", "green"]).into(),
            (Field::Number, 1) => self.pen.below(3).to_string(),
            (Field::Number, 2) => match self.value().as_str() {
                // Of a rendezvous that would be who sends, which is refused.
                "_last" if !buffered => "eval(_pid)".into(),
                value => format!("eval({value})"),
            },
            (Field::Number, _) => self.number(),
        }
    }

    /// A question to a channel, where there is one with a buffer.
    pub(super) fn poll(&mut self) -> Option<String> {
        let buffered = self.buffered();
        if buffered.is_empty() {
            return None;
        }
        // To look into a rendezvous channel, or into none, is a run-time error.
        let channel = if self.pen.one_in(8) { self.any() } else { self.pen.pick(&buffered) };
        let name = &channel.name;
        let word = self.pen.pick(&["empty", "nempty", "full", "nfull", "?", "??"]);
        if !word.starts_with('?') {
            return Some(format!("{word}({name})"));
        }
        let fields: Vec<&str> = channel
            .fields
            .iter()
            .map(|field| match field {
                Field::Number => self.pen.pick(&["0", "1", "_", "eval(x)"]),
                Field::Colour => self.pen.pick(&["red", "_"]),
                Field::Channel => "_",
            })
            .collect();
        Some(format!("{name}{word}[{}]", fields.join(", ")))
    }
}
