//! The steps of a trace, a line a process that moved.

use std::io::{self, Write};

use crate::style::Palette;
use homing_witness::outcome::{
    Binding, Change, Move, MoveOutcome, StepOutcome, TimeOutcome, one_line,
};

/// The widths of the columns of a trace.
pub(crate) struct Columns {
    number: usize,
    /// When, in models with clocks.
    time: usize,
    process: usize,
    edge: usize,
    place: usize,
}

/// Wider entries stick out instead of widening their column.
const WIDEST: usize = 40;

/// How many values of a beginning are written.
const MOST_VALUES: usize = 60;

/// Whether a step is one of a model in which nobody moves, but everything changes at once.
pub(crate) fn is_moment(step: &StepOutcome) -> bool {
    step.time.is_none() && step.all().all(|one| one.moves.is_empty() && one.printed.is_none())
}

impl Columns {
    /// Columns wide enough for these steps.
    pub(crate) fn fit<'a>(steps: impl Iterator<Item = &'a StepOutcome>) -> Columns {
        let mut columns = Columns { number: 1, time: 0, process: 0, edge: 0, place: 0 };
        let widen = |column: &mut usize, width: usize| *column = width.min(WIDEST).max(*column);
        for step in steps {
            widen(&mut columns.number, digits(step.step as u64));
            step.time.iter().for_each(|time| widen(&mut columns.time, when(time).chars().count()));
            for taken in step.all().flat_map(|one| &one.moves) {
                widen(&mut columns.process, taken.process.chars().count());
                widen(&mut columns.edge, edge_width(taken));
                widen(&mut columns.place, place_width(taken));
            }
        }
        columns
    }

    /// Writes a step, one line a process that moved; what changed goes behind
    /// the last of them.
    pub(crate) fn step(
        &self,
        out: &mut dyn Write,
        step: &StepOutcome,
        palette: &Palette,
    ) -> io::Result<()> {
        let Palette { faint, .. } = palette;
        if !step.matters && palette.faint != Palette::plain().faint {
            let mut line = Vec::new();
            self.moves(&mut line, step, &Palette::plain())?;
            let line = String::from_utf8_lossy(&line);
            return line.lines().try_for_each(|line| writeln!(out, "{faint}{line}{faint:#}"));
        }
        self.moves(out, step, palette)
    }

    /// Writes the values at the beginning, where no process says what it is about.
    pub(crate) fn initial(
        &self,
        out: &mut dyn Write,
        initial: &[Binding],
        palette: &Palette,
    ) -> io::Result<()> {
        let Palette { faint, .. } = palette;
        write!(out, "{faint}{:>w$}{faint:#}  ", 0, w = self.number)?;
        for (i, Binding { name, value }) in initial.iter().take(MOST_VALUES).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(out, "{comma}{name} = {value}")?;
        }
        match initial.len().saturating_sub(MOST_VALUES) {
            0 => writeln!(out),
            more => writeln!(out, "{faint}, … {more} more: `--trace FILE` gives them all{faint:#}"),
        }
    }

    /// Writes a step that nobody took: everything changes at once.
    fn moment(&self, out: &mut dyn Write, step: &StepOutcome, palette: &Palette) -> io::Result<()> {
        let Palette { faint, .. } = palette;
        write!(out, "{faint}{:>w$}{faint:#}  ", step.step, w = self.number)?;
        match &step.first.changes[..] {
            [] => write!(out, "{faint}nothing changes{faint:#}")?,
            all => changes(out, all, palette)?,
        }
        writeln!(out)
    }

    fn moves(&self, out: &mut dyn Write, step: &StepOutcome, palette: &Palette) -> io::Result<()> {
        if is_moment(step) {
            return self.moment(out, step, palette);
        }
        let mut first = Some(step);
        step.all().try_for_each(|one| self.one_move(out, &mut first, one, palette))
    }

    /// Writes a move of a step; the number, and when it is taken, go before the
    /// first line.
    fn one_move(
        &self,
        out: &mut dyn Write,
        first: &mut Option<&StepOutcome>,
        one: &MoveOutcome,
        palette: &Palette,
    ) -> io::Result<()> {
        let Palette { faint, .. } = palette;
        for (i, taken) in one.moves.iter().enumerate() {
            match first.take() {
                Some(step) => {
                    write!(out, "{faint}{:>w$}{faint:#}  ", step.step, w = self.number)?;
                    let time = step.time.as_ref().map(when).unwrap_or_default();
                    write!(out, "{time:<w$}", w = self.margin() - self.number - 2)?;
                }
                None => pad(out, self.margin())?,
            }
            self.taken(out, taken, palette)?;
            if i + 1 == one.moves.len() && !one.changes.is_empty() {
                pad(out, self.place.saturating_sub(place_width(taken)) + 2)?;
                changes(out, &one.changes, palette)?;
            }
            writeln!(out)?;
        }
        one.printed.iter().try_for_each(|text| self.printed(out, text, palette))
    }

    /// What goes before who moved.
    fn margin(&self) -> usize {
        let time = if self.time == 0 { 0 } else { self.time + 2 };
        self.number + 2 + time
    }

    /// Writes what the model printed, line by line.
    fn printed(&self, out: &mut dyn Write, text: &str, palette: &Palette) -> io::Result<()> {
        let Palette { faint, .. } = palette;
        for line in text.lines() {
            pad(out, self.margin())?;
            writeln!(out, "{faint}prints{faint:#} {}", one_line(line))?;
        }
        Ok(())
    }

    fn taken(&self, out: &mut dyn Write, taken: &Move, palette: &Palette) -> io::Result<()> {
        let Palette { strong, place, .. } = palette;
        write!(out, "{strong}{:<w$}{strong:#}  ", taken.process, w = self.process)?;
        match taken.statement {
            true => write!(out, "{}", taken.text)?,
            false => write!(out, "{} -> {}", taken.from, taken.to)?,
        }
        pad(out, self.edge.saturating_sub(edge_width(taken)) + 2)?;
        write!(out, "{place}{}:{}{place:#}", file_name(taken), taken.line)
    }
}

/// When a step is taken; how long after the one before, unless at once.
fn when(time: &TimeOutcome) -> String {
    match &*time.delay {
        "0" => format!("at {}", time.at),
        delay => format!("at {} after {delay}", time.at),
    }
}

fn changes(out: &mut dyn Write, changes: &[Change], palette: &Palette) -> io::Result<()> {
    let Palette { fresh, .. } = palette;
    for (i, change) in changes.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(out, "{comma}{}: {} -> {fresh}{}{fresh:#}", change.name, change.from, change.to)?;
    }
    Ok(())
}

fn edge_width(taken: &Move) -> usize {
    match taken.statement {
        true => taken.text.chars().count(),
        false => taken.from.chars().count() + 4 + taken.to.chars().count(),
    }
}

fn place_width(taken: &Move) -> usize {
    file_name(taken).chars().count() + 1 + digits(u64::from(taken.line))
}

/// The file without its folders, which would repeat in every line.
fn file_name(taken: &Move) -> &str {
    taken.file.rsplit(['/', '\\']).next().unwrap_or_default()
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

fn pad(out: &mut dyn Write, width: usize) -> io::Result<()> {
    write!(out, "{:width$}", "")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use homing_witness::outcome::Value;

    fn one(process: &str, line: u32, changes: Vec<Change>) -> MoveOutcome {
        let (process, from, to) = (process.to_owned(), "a".to_owned(), "b".to_owned());
        let (file, text) = ("models/m.pml".to_owned(), String::new());
        let taken = Move { process, from, to, file, line, column: 3, text, statement: false };
        MoveOutcome { moves: vec![Arc::new(taken)], changes, ..MoveOutcome::default() }
    }

    #[test]
    fn moves_of_one_step_share_its_number() {
        let change =
            |name: &str| Change { name: name.into(), from: Value::Number(0), to: Value::Number(1) };
        let mut first = one("P", 1, vec![change("x")]);
        first.printed = Some("hello\tworld\n\u{1b}bye".into());
        let mut meeting = one("P", 2, vec![]);
        meeting.moves.extend(one("Q", 12, vec![]).moves);
        let then = vec![meeting, one("Q", 3, vec![change("y")])];
        let step = StepOutcome { step: 7, time: None, first, then, matters: true };
        let expected = "\
7  P  a -> b  m.pml:1   x: 0 -> 1
   prints hello world
   prints \u{fffd}bye
   P  a -> b  m.pml:2
   Q  a -> b  m.pml:12
   Q  a -> b  m.pml:3   y: 0 -> 1
";
        let mut written = Vec::new();
        Columns::fit([&step].into_iter()).step(&mut written, &step, &Palette::plain()).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
