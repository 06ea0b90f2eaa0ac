//! Computation tree logic.
//!
//! Clarke, Emerson, Sistla, "Automatic Verification of Finite-State Concurrent Systems Using
//! Temporal Logic Specifications" (TOPLAS 1986), by sets as in McMillan, "Symbolic Model
//! Checking" (1993). Path quantifiers range over fair runs:
//!
//! ```text
//! fair          = the states from which a fair run begins
//! EX f          = the states before f and fair
//! E [f U g]     = the least Y with Y = (g and fair) or (f and EX Y)
//! EG f          = the states from which a fair run begins that stays in f
//! AX f          = not EX not f           AG f = not E [true U not f]
//! A [f U g]     = not (E [not g U (not f and not g)] or EG not g)
//! ```
//! A formula holds if it does in every initial state from which a fair run begins: others
//! are on no run. That is NuSMV's convention.
//!
//! A set of states is a set of moments that does not depend on inputs which are not part of
//! the state.

use homing_ir::relation::{Ctl, TermId};

use super::fair::{Fairness, fair};
use super::{Machine, Moments};
use crate::diagram::{Made, Set};
use crate::encode::Trouble;

/// Decides formulas about a relation.
pub struct Labelling<'f> {
    moments: &'f Moments<'f>,
    fairness: &'f Fairness,
    /// Inputs that are kept and not part of the state.
    inputs: Set,
    fair: Set,
    atom: &'f dyn Fn(TermId) -> usize,
}

impl<'f> Labelling<'f> {
    /// Of moments; `atom` tells under which number a condition was asked for.
    pub fn new(
        moments: &'f Moments<'f>,
        fairness: &'f Fairness,
        atom: &'f dyn Fn(TermId) -> usize,
    ) -> Result<Labelling<'f>, Trouble> {
        let (machine, d) = (moments.machine(), moments.diagrams());
        let inputs: Vec<u32> = moments.kept.difference(&machine.chosen).copied().collect();
        if machine.chosen.iter().any(|level| machine.is_variable(*level)) {
            let why = "a variable of the state is made of inputs, and branching-time formulas \
                       are about states";
            return Err(Trouble::Refused(why.into(), None));
        }
        let inputs = d.cube(&inputs)?;
        let fair = fair(moments, moments.space(), fairness)?;
        let fair = d.and(&d.exists(&fair, &inputs)?, moments.space())?;
        Ok(Labelling { moments, fairness, inputs, fair, atom })
    }

    /// The initial states from which a fair run begins and in which a formula is false.
    pub fn violating(&self, formula: &Ctl) -> Result<Set, Trouble> {
        let d = self.moments.diagrams();
        let initial = self.states(self.moments.initial())?;
        let initial = d.and(&initial, &self.fair)?;
        Ok(d.minus(&initial, &self.holds(formula)?)?)
    }

    /// The states from which a fair run begins.
    pub fn fair(&self) -> &Set {
        &self.fair
    }

    fn states(&self, set: &Set) -> Made<Set> {
        let d = self.moments.diagrams();
        d.and(&d.exists(set, &self.inputs)?, self.moments.space())
    }

    fn not(&self, set: &Set) -> Made<Set> {
        self.moments.diagrams().minus(self.moments.space(), set)
    }

    /// The states in which a formula holds.
    pub fn holds(&self, formula: &Ctl) -> Result<Set, Trouble> {
        let d = self.moments.diagrams();
        Ok(match formula {
            Ctl::Atom(term) => self.atom(*term)?,
            Ctl::Not(f) => self.not(&self.holds(f)?)?,
            Ctl::And(f, g) => d.and(&self.holds(f)?, &self.holds(g)?)?,
            Ctl::Or(f, g) => d.or(&self.holds(f)?, &self.holds(g)?)?,
            Ctl::ExistsNext(f) => self.before(&self.holds(f)?)?,
            Ctl::ExistsUntil(f, g) => self.until(&self.holds(f)?, &self.holds(g)?)?,
            Ctl::ExistsAlways(f) => self.always(&self.holds(f)?)?,
            Ctl::AllNext(f) => {
                let wrong = self.not(&self.holds(f)?)?;
                self.not(&self.before(&wrong)?)?
            }
            Ctl::AllUntil(f, g) => {
                let (f, g) = (self.holds(f)?, self.holds(g)?);
                let (no_f, no_g) = (self.not(&f)?, self.not(&g)?);
                let broken = self.until(&no_g, &d.and(&no_f, &no_g)?)?;
                self.not(&d.or(&broken, &self.always(&no_g)?)?)?
            }
            Ctl::AllAlways(f) => {
                let wrong = self.not(&self.holds(f)?)?;
                self.not(&self.until(self.moments.space(), &wrong)?)?
            }
        })
    }

    fn atom(&self, term: TermId) -> Result<Set, Trouble> {
        let (machine, d) = (self.moments.machine(), self.moments.diagrams());
        let holds = machine.holds((self.atom)(term));
        let reads = d.support(holds).into_iter();
        if let Some(level) = reads
            .into_iter()
            .find(|level| !self.moments.latches.contains(level) && !machine.chosen.contains(level))
        {
            let name = machine.name_of(level);
            let why = format!(
                "{name} is an input, and branching-time formulas are about states; a variable \
                 of the state may be equal to it"
            );
            return Err(Trouble::Refused(why, None));
        }
        Ok(d.and(holds, self.moments.space())?)
    }

    fn before(&self, set: &Set) -> Made<Set> {
        let d = self.moments.diagrams();
        self.states(&self.moments.pre(&d.and(set, &self.fair)?)?)
    }

    fn until(&self, within: &Set, to: &Set) -> Made<Set> {
        let d = self.moments.diagrams();
        self.states(&self.moments.until(within, &d.and(to, &self.fair)?)?)
    }

    fn always(&self, within: &Set) -> Made<Set> {
        self.states(&fair(self.moments, within, self.fairness)?)
    }
}

impl Machine<'_> {
    /// Whether the bit of a level belongs to a variable that is an input.
    fn is_variable(&self, level: u32) -> bool {
        self.variable_of(level).is_some()
    }

    fn variable_of(&self, level: u32) -> Option<&str> {
        let graph = &self.circuit.graph;
        let of_level = |literal: &homing_gates::Literal| {
            graph.leaf_number(*literal).is_some_and(|leaf| self.levels[leaf] == Some(level))
        };
        let inputs = self.relation.numbered();
        let mut inputs = inputs.filter(|(_, one)| one.kind == homing_ir::relation::Kind::Input);
        let found = inputs.find(|(id, _)| self.circuit.bits(*id).iter().any(of_level));
        found.map(|(_, one)| one.name.as_str())
    }

    fn name_of(&self, level: u32) -> String {
        let name = self.variable_of(level);
        name.map_or_else(|| "something it reads".into(), |name| format!("`{name}`"))
    }
}
