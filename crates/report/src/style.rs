//! Colours, and how numbers are written for people.

use anstyle::{AnsiColor, Style};

/// The styles of a text; all of them empty where colours are off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Palette {
    /// What holds.
    pub good: Style,
    /// What is violated.
    pub bad: Style,
    /// What is not known.
    pub unsure: Style,
    /// What the eye should meet first: who moved.
    pub strong: Style,
    /// What it may skip: step numbers, notes.
    pub faint: Style,
    /// Places in source texts.
    pub place: Style,
    /// Values that are new.
    pub fresh: Style,
}

impl Palette {
    /// No colours.
    pub fn plain() -> Palette {
        Palette::default()
    }

    /// Colours every terminal has.
    pub fn coloured() -> Palette {
        let bold = |colour: AnsiColor| colour.on_default().bold();
        Palette {
            good: bold(AnsiColor::Green),
            bad: bold(AnsiColor::Red),
            unsure: bold(AnsiColor::Yellow),
            strong: Style::new().bold(),
            faint: Style::new().dimmed(),
            place: AnsiColor::Cyan.on_default(),
            fresh: AnsiColor::Green.on_default(),
        }
    }
}

/// A number of bytes, in the unit that suits it.
pub fn bytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would be written 1000.0.
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// A stretch of time, in the unit that suits it.
pub fn seconds(seconds: f64) -> String {
    if seconds < 0.1 {
        format!("{:.1} ms", seconds * 1000.0)
    } else if seconds < 10.0 {
        format!("{seconds:.2} s")
    } else if seconds < 600.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds as u64;
        format!("{} h {} min {} s", whole / 3600, whole / 60 % 60, whole % 60)
    }
}

/// `count` of something: `1 step`, `2 steps`.
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_choose_their_unit() {
        let written = [0, 999, 1000, 999_949, 999_950, 24_100_000, u64::MAX].map(bytes);
        let expected = ["0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "24.1 MB", "18446744.1 TB"];
        assert_eq!(written, expected);
    }

    #[test]
    fn seconds_choose_their_unit() {
        let written = [0.0, 0.0123, 1.5, 60.0, 3725.0].map(seconds);
        assert_eq!(written, ["0.0 ms", "12.3 ms", "1.50 s", "60.0 s", "1 h 2 min 5 s"]);
    }

    #[test]
    fn a_plain_palette_writes_nothing() {
        let bad = Palette::plain().bad;
        assert_eq!(format!("{bad}x{bad:#}"), "x");
        let bad = Palette::coloured().bad;
        assert!(format!("{bad}x{bad:#}").len() > 1);
    }
}
