//! The reference interpreter as a space. Slow; for comparing engines with it.
//!
//! A packed state is one word: the number of the interpreter's state in a
//! table of all states met.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use homing_core::{Batch, Edge, Expander, Fault, Space, Word};
use homing_ir::flatten::Wanted;
use homing_ir::interp::{Interpreter, State};
use homing_ir::{Diagnostic, Network};

/// The space of a network as the interpreter sees it.
pub struct InterpretedSpace<'a> {
    interpreter: Interpreter<'a>,
    conditions: Vec<Wanted>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    states: Vec<State>,
    numbers: HashMap<State, Word>,
}

impl<'a> InterpretedSpace<'a> {
    /// The space of `network`, with conditions for the search to look for. A network
    /// with clocks is refused: its states have uncountably many successors.
    pub fn new(
        network: &'a Network,
        conditions: &[Wanted],
    ) -> Result<InterpretedSpace<'a>, Vec<Diagnostic>> {
        if network.is_timed() {
            let message = "the interpreter's own space has no delays: not for models with clocks";
            return Err(vec![Diagnostic::error(message, homing_ir::Span::default())]);
        }
        let interpreter = Interpreter::new(network)?;
        Ok(InterpretedSpace {
            interpreter,
            conditions: conditions.to_vec(),
            table: Mutex::default(),
        })
    }

    /// The interpreter's state behind a packed one.
    pub fn state(&self, packed: &[Word]) -> State {
        self.table().states[packed[0] as usize].clone()
    }

    fn number(&self, state: State) -> Word {
        let mut table = self.table();
        if let Some(number) = table.numbers.get(&state) {
            return *number;
        }
        let number = table.states.len() as Word;
        table.states.push(state.clone());
        table.numbers.insert(state, number);
        number
    }

    fn table(&self) -> std::sync::MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Space for InterpretedSpace<'_> {
    fn width(&self) -> usize {
        1
    }

    fn labels(&self) -> u32 {
        1
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        Box::new(InterpretedExpander { space: self })
    }
}

struct InterpretedExpander<'a> {
    space: &'a InterpretedSpace<'a>,
}

impl Expander for InterpretedExpander<'_> {
    fn initial(&mut self, out: &mut Batch) {
        let number = self.space.number(self.space.interpreter.initial());
        out.push(&[number], Edge::default());
    }

    fn expand(&mut self, state: &[Word], out: &mut Batch) {
        let source = self.space.state(state);
        let steps = self.space.interpreter.steps(&source);
        out.set_deadlock(self.space.interpreter.is_deadlock(&source));
        for (choice, (_, result)) in steps.into_iter().enumerate() {
            let edge = Edge { label: 0, choice: choice as u32 };
            match result {
                Ok(next) => out.push(&[self.space.number(next)], edge),
                Err(_) => out.fail(Fault { edge, site: 0 }),
            }
        }
    }

    fn violated(&mut self, state: &[Word]) -> u64 {
        let state = self.space.state(state);
        let holds = |wanted: &Wanted| match self.space.interpreter.eval(&state, &wanted.expr) {
            Ok(value) => value != 0,
            Err(_) => wanted.holds_on_failure,
        };
        let numbered = self.space.conditions.iter().enumerate();
        numbered.filter(|(_, condition)| holds(condition)).map(|(bit, _)| 1 << bit).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use homing_ir::builder::{Builder, edge};

    #[test]
    fn clocks_are_refused() {
        let mut b = Builder::default();
        let process = b.process("P", &["l"]);
        b.add(process, edge(0, 0));
        assert!(InterpretedSpace::new(&b.network, &[]).is_ok());
        b.clock("x");
        assert!(InterpretedSpace::new(&b.network, &[]).is_err());
    }
}
