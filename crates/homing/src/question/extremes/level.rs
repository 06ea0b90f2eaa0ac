//! Levels: what is asked of states on the way to a greatest value, and what it tells.

use homing_ir::network::{Binary, Expr};
use homing_report::outcome::ValueOutcome;

use crate::terms::join;

/// An expression whose greatest level is looked for.
pub(super) struct Level<'q> {
    pub greatest: bool,
    pub when: Option<&'q Expr>,
    pub of: &'q Expr,
    pub clock: bool,
}

/// What is known of the greatest level.
pub(super) enum Found {
    /// No state satisfies the condition.
    Nothing,
    /// This one is reached, and none beyond.
    Level(i64),
    /// There is none.
    Unbounded,
    /// This one is reached; why no more is known.
    AtLeast(i64, String),
    /// Nothing is known, and why.
    Unknown(String),
}

impl Level<'_> {
    /// A state of at least this level.
    pub(super) fn goal(&self, level: i64) -> Expr {
        let (constant, strict) = match self.clock {
            true => (level >> 1, level & 1 == 1),
            false => (level, false),
        };
        let (op, constant) = match (self.greatest, strict) {
            (true, false) => (Binary::Ge, constant),
            (true, true) => (Binary::Gt, constant),
            (false, false) => (Binary::Le, -constant),
            (false, true) => (Binary::Lt, -constant),
        };
        let beyond = join(op, self.of.clone(), Expr::int(constant, self.of.span));
        match self.when {
            Some(when) => join(Binary::And, when.clone(), beyond),
            None => beyond,
        }
    }

    /// What holds in all states that are asked about.
    pub(super) fn anywhere(&self) -> Expr {
        self.when.cloned().unwrap_or_else(|| Expr::int(1, self.of.span))
    }

    /// The level of a value, in parts of a unit of time.
    pub(super) fn of_value(&self, value: i64, unit: i64) -> i64 {
        let value = if self.greatest { value } else { -value };
        match self.clock {
            false => value,
            true => 2 * value.div_euclid(unit) + i64::from(value.rem_euclid(unit) != 0),
        }
    }

    /// The next level to ask for: twice as far as the last time, halfway to what
    /// cannot be reached.
    pub(super) fn next(&self, reached: i64, top: Option<i64>, step: i64) -> i64 {
        top.map_or(reached.saturating_add(step), |top| reached + (top - reached) / 2)
    }

    /// The value of a level that is the greatest, and whether it is attained.
    fn value(&self, level: i64) -> (i64, bool) {
        let sign = |value: i64| if self.greatest { value } else { -value };
        match (self.clock, level & 1) {
            (false, _) => (sign(level), true),
            (true, 0) => (sign(level >> 1), true),
            (true, _) => (sign((level >> 1) + 1), false),
        }
    }

    /// The value of a level that is reached.
    fn reached(&self, level: i64) -> i64 {
        self.value(level & !i64::from(self.clock)).0
    }

    fn what(&self) -> &'static str {
        if self.greatest { "sup" } else { "inf" }
    }

    /// What is known, as data.
    pub(super) fn outcome(&self, name: &str, found: &Found) -> Option<ValueOutcome> {
        let unit = if self.clock { "time" } else { "" };
        let unknown = ValueOutcome::unknown(format!("{} {name}", self.what()), unit);
        Some(match found {
            Found::Nothing => return None,
            Found::Level(level) => {
                let (value, attained) = self.value(*level);
                ValueOutcome { least: Some(value), most: Some(value), attained, ..unknown }
            }
            Found::Unbounded => ValueOutcome { unbounded: true, ..unknown },
            Found::AtLeast(level, _) if self.greatest => {
                ValueOutcome { least: Some(self.reached(*level)), ..unknown }
            }
            Found::AtLeast(level, _) => {
                ValueOutcome { most: Some(self.reached(*level)), ..unknown }
            }
            Found::Unknown(_) => unknown,
        })
    }

    /// What is known, in words.
    pub(super) fn told(&self, name: &str, found: &Found) -> String {
        let what = self.what();
        let than = if self.greatest { ('<', '>') } else { ('>', '<') };
        match found {
            Found::Nothing => format!("{what} {name}: no state satisfies the condition"),
            Found::Level(level) => match self.value(*level) {
                (value, true) => format!("{what} {name} = {value}"),
                (value, false) => format!("{what} {name} {} {value}", than.0),
            },
            Found::Unbounded => format!("{what} {name} is unbounded"),
            Found::AtLeast(level, why) => {
                format!("{what} {name} {}= {}: {why}", than.1, self.reached(*level))
            }
            Found::Unknown(why) => format!("{what} {name}: {why}"),
        }
    }
}
