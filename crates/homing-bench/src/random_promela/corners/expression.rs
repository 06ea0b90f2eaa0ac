//! Values and conditions.

use super::{Corner, Corners};

impl Corners {
    /// A variable that holds a number.
    pub(super) fn number(&mut self) -> String {
        self.pen.pick(&self.numbers.clone())
    }

    /// A number below 3.
    pub(super) fn value(&mut self) -> String {
        match self.pen.below(7) {
            0 | 1 => self.pen.below(3).to_string(),
            2 if !self.bits.is_empty() => self.pen.pick(&self.bits.clone()),
            3 => "_pid".into(),
            4 if self.turn(Corner::Last, 1) => "_last".into(),
            5 if self.turn(Corner::Count, 1) => "(_nr_pr % 3)".into(),
            5 if self.turn(Corner::Priority, 2) => "(_priority % 3)".into(),
            6 if self.turn(Corner::Polls, 2) => self.length(),
            _ => self.number(),
        }
    }

    fn length(&mut self) -> String {
        let buffered = self.buffered();
        match buffered.is_empty() {
            true => "0".into(),
            false => format!("len({})", self.pen.pick(&buffered).name),
        }
    }

    pub(super) fn colour(&mut self) -> String {
        if !self.colours.is_empty() && self.pen.one_in(2) {
            return self.pen.pick(&self.colours.clone());
        }
        self.pen.pick(&["red", "green"]).into()
    }

    /// A condition that may stand anywhere.
    pub(super) fn comparison(&mut self) -> String {
        match self.pen.below(8) {
            0 if !self.bits.is_empty() => self.pen.pick(&self.bits.clone()),
            1 => format!("{} != {}", self.value(), self.value()),
            2 => format!("{} < {}", self.value(), self.value()),
            3 if self.has(Corner::Count) => format!("_nr_pr < {}", 2 + self.pen.below(2)),
            4 if self.has(Corner::Last) => format!("_last == {}", self.pen.below(3)),
            5 if !self.colours.is_empty() => {
                format!("{} == {}", self.pen.pick(&self.colours.clone()), self.colour())
            }
            6 if self.has(Corner::Subtypes) => "f == pear".into(),
            6 if self.has(Corner::Priority) => {
                format!("get_priority({}) > 1", self.pen.below(2))
            }
            _ => format!("{} == {}", self.number(), self.pen.below(3)),
        }
    }

    /// A condition that is a statement of its own or a guard.
    pub(super) fn condition(&mut self) -> String {
        if self.turn(Corner::Polls, 3)
            && let Some(poll) = self.poll()
        {
            return poll;
        }
        if !self.remote.is_empty() && self.turn(Corner::Remote, 2) {
            return self.remote_condition();
        }
        if self.turn(Corner::Enabled, 4) {
            return self.about_another();
        }
        let comparison = self.comparison();
        if self.pen.one_in(8) { format!("!({comparison})") } else { format!("({comparison})") }
    }

    pub(super) fn remote_condition(&mut self) -> String {
        let remote = self.pen.pick(&self.remote.clone());
        match remote.contains(':') {
            true => format!("({remote} == {})", self.pen.below(3)),
            false => self.pen.pick(&[format!("({remote})"), format!("(!({remote}))")]),
        }
    }

    /// A question of one process about another: about the first, which asks nothing, and
    /// not beside priorities. Where who is asked asks too, `pan` goes wrong.
    fn about_another(&mut self) -> String {
        match self.asking && !self.has(Corner::Priority) && self.pen.one_in(2) {
            true => "(enabled(0))".into(),
            false => format!("(pc_value(0) > {})", 1 + self.pen.below(4)),
        }
    }

    pub(super) fn about_process(&mut self) -> String {
        let process = self.pen.below(self.started.max(1));
        match self.pen.below(2) {
            0 => format!("(enabled({process}))"),
            _ => format!("(pc_value({process}) > {})", 1 + self.pen.below(4)),
        }
    }
}
