//! A state and the steps it has, as `homing simulate` shows them: the values,
//! those that the last step changed set off, then the steps, numbered, each
//! as a trace would show it.

use std::io::{self, Write};

use homing_ir::Step;
use homing_ir::interp::{Interpreter, RuntimeError, State};

use crate::style::{Palette, counted};
use crate::text::{self, Columns, Layout};
use homing_witness::moves::Moves;
use homing_witness::outcome::{Binding, StepOutcome};
use homing_witness::replay::{Names, Teller, describe, fault_cause};

/// A step that a state has, and what it leads to.
pub type Choice = (Step, Result<State, RuntimeError>);

/// Lines of values are broken here.
const LINE: usize = 96;

/// Where a state has more values than this, those that did not change are
/// left out unless all are asked for.
const MOST_VALUES: usize = 40;

/// Which values of a state to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// All of them.
    All,
    /// All, or those that changed where there are many.
    Brief,
}

/// Shows states and steps of one model.
pub struct View<'a> {
    interpreter: &'a Interpreter<'a>,
    moves: Moves<'a>,
    names: Names,
}

impl<'a> View<'a> {
    /// A view of the model that `interpreter` executes.
    pub fn new(interpreter: &'a Interpreter<'a>) -> View<'a> {
        let moves = Moves::new(interpreter.network());
        View { interpreter, moves, names: Names::default() }
    }

    /// Writes a state; `before` is the state that the last step left.
    pub fn state(
        &mut self,
        out: &mut dyn Write,
        before: Option<&State>,
        state: &State,
        values: Values,
        layout: &Layout,
    ) -> io::Result<()> {
        let now = describe(self.interpreter, state, &mut self.names);
        let old = before.map(|before| describe(self.interpreter, before, &mut self.names));
        // Both describe the same parts in the same order.
        let was =
            |i: usize| old.as_ref().map(|old| &old[i].value).filter(|old| **old != now[i].value);
        let all = values == Values::All || now.len() <= MOST_VALUES;
        let mut line = Line::default();
        let mut left_out = 0;
        for (i, Binding { name, value }) in now.iter().enumerate() {
            match was(i) {
                Some(old) => {
                    let plain = format!("{name}: {old} -> {value}");
                    let fresh = layout.palette.fresh;
                    line.add(out, &plain, &format!("{name}: {old} -> {fresh}{value}{fresh:#}"))?;
                }
                None if all => {
                    let plain = format!("{name}: {value}");
                    line.add(out, &plain, &plain)?;
                }
                None => left_out += 1,
            }
        }
        line.end(out)?;
        if left_out > 0 {
            let faint = layout.palette.faint;
            let others = counted(left_out, "value");
            writeln!(out, "  {faint}{others} as before: `s` shows all{faint:#}")?;
        }
        Ok(())
    }

    /// Writes the steps of `state`, numbered from one.
    pub fn choices(
        &mut self,
        out: &mut dyn Write,
        state: &State,
        choices: &[Choice],
        layout: &Layout,
    ) -> io::Result<()> {
        let shown = &choices[..choices.len().min(layout.most_steps)];
        let steps: Vec<StepOutcome> =
            shown.iter().enumerate().map(|(i, choice)| self.step(i + 1, state, choice)).collect();
        let columns = Columns::fit(steps.iter());
        let Palette { faint, .. } = layout.palette;
        for (step, (_, outcome)) in steps.iter().zip(shown) {
            columns.step(out, step, &layout.palette)?;
            if let Err(fault) = outcome {
                let network = self.interpreter.network();
                write!(out, "   ")?;
                text::cause(out, &fault_cause(network, fault), &layout.palette)?;
            }
        }
        if shown.len() < choices.len() {
            let more = counted((choices.len() - shown.len()) as u64, "more step");
            writeln!(out, "{faint}… {more}{faint:#}")?;
        }
        Ok(())
    }

    fn step(&mut self, number: usize, state: &State, (step, _): &Choice) -> StepOutcome {
        let passage = self.interpreter.pass(state, step);
        let View { interpreter, moves, names } = self;
        Teller { interpreter, moves, names }.step(number, state, step, &passage)
    }
}

/// A line of values that is broken where it grows too long.
#[derive(Default)]
struct Line {
    width: usize,
}

impl Line {
    /// Adds a value; `plain` is what it looks like without colours.
    fn add(&mut self, out: &mut dyn Write, plain: &str, styled: &str) -> io::Result<()> {
        let width = plain.chars().count() + 2;
        if self.width > 0 && self.width + width > LINE {
            self.end(out)?;
        }
        self.width += width;
        write!(out, "  {styled}")
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.width == 0 {
            return Ok(());
        }
        self.width = 0;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::counter::counter;

    fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut buffer = Vec::new();
        write(&mut buffer).unwrap();
        String::from_utf8(buffer).unwrap()
    }

    #[test]
    fn what_changed_is_set_off() {
        let network = counter(3);
        let interpreter = Interpreter::new(&network).unwrap();
        let mut view = View::new(&interpreter);
        let initial = interpreter.initial();
        let next = interpreter.steps(&initial).remove(0).1.unwrap();
        let layout = Layout::plain();
        let first = written(|out| view.state(out, None, &initial, Values::Brief, &layout));
        assert_eq!(first, "  Counter: count  x: 0\n");
        let second = written(|out| view.state(out, Some(&initial), &next, Values::Brief, &layout));
        assert_eq!(second, "  Counter: count  x: 0 -> 1\n");
        let coloured = Layout { palette: Palette::coloured(), ..layout };
        let second = written(|out| view.state(out, Some(&initial), &next, Values::All, &coloured));
        assert!(second.contains("x: 0 -> \x1b"), "{second:?}");
    }

    #[test]
    fn steps_are_numbered_and_cut_where_there_are_many() {
        let network = counter(3);
        let interpreter = Interpreter::new(&network).unwrap();
        let mut view = View::new(&interpreter);
        let initial = interpreter.initial();
        let one = interpreter.steps(&initial);
        let layout = Layout { most_steps: 2, ..Layout::plain() };
        let line = "Counter  count -> count  counter.dve:4  x: 0 -> 1\n";
        assert_eq!(written(|out| view.choices(out, &initial, &one, &layout)), format!("1  {line}"));
        let many = vec![one[0].clone(); 5];
        let text = written(|out| view.choices(out, &initial, &many, &layout));
        assert_eq!(text, format!("1  {line}2  {line}… 3 more steps\n"));
    }
}
