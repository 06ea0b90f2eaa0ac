//! Compiled spaces, kept from turn to turn.

use std::rc::Rc;
use std::time::{Duration, Instant};

use homing_ir::flatten::Wanted;
use homing_ir::passes::Passes;
use homing_space::CompiledSpace;

use super::Check;
use crate::run::{UsageError, refused};
use crate::symmetric::once_each;

/// A space to be searched, and how long it took to make.
pub(super) struct Prepared {
    pub space: Rc<CompiledSpace>,
    /// What it had compiled when a turn before was over.
    before: Duration,
    making: Duration,
}

impl Prepared {
    /// What was spent on it in this turn.
    fn seconds(&self) -> f64 {
        (self.making + self.space.compile_time() - self.before).as_secs_f64()
    }
}

impl Check<'_> {
    /// Notes how long a space was compiled in this turn, and what of it could not be. Code is
    /// compiled when it is first needed, so this comes after the search.
    pub(super) fn note_compiled(&mut self, prepared: &Prepared) {
        self.compile_seconds += prepared.seconds();
        let interpreted = prepared.space.interpreted();
        once_each(&mut self.notices, interpreted.as_slice());
    }

    /// The space with these conditions: what was compiled in a turn before by the same
    /// key, or what is compiled now.
    pub(super) fn prepare(
        &mut self,
        key: Option<usize>,
        asserts: bool,
        conditions: &[Wanted],
        passes: Passes,
    ) -> Result<Prepared, UsageError> {
        let started = Instant::now();
        if let Some((_, space)) = self.compiled.iter().find(|(one, _)| Some(*one) == key) {
            let (space, before) = (Rc::clone(space), space.compile_time());
            return Ok(Prepared { space, before, making: started.elapsed() });
        }
        let network = if asserts { &self.model.network } else { self.quiet() };
        let execution = self.options.execution();
        let space = CompiledSpace::executed(network, conditions, passes, execution);
        let space = Rc::new(space.map_err(|error| refused(self.model, error))?);
        self.compiled.extend(key.map(|key| (key, Rc::clone(&space))));
        Ok(Prepared { space, before: Duration::ZERO, making: started.elapsed() })
    }
}
