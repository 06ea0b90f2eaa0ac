//! Questions about runs without an end.

use homing_ir::relation::{Ctl, Goal, TermId};
use homing_ir::temporal::{Connective, Formula};
use homing_report::outcome::{Statistics, ValueOutcome};
use homing_symbolic::relational::ctl::Labelling;
use homing_symbolic::relational::distance::{Distance, longest, shortest};
use homing_symbolic::relational::fair::{Fairness, feasible};
use homing_symbolic::relational::lasso::lasso;
use homing_symbolic::relational::ltl::product;
use homing_symbolic::relational::{Machine, Moments};

use super::{Explored, Failed, Group, NO_VALUE, explored};
use crate::relational::Checking;

/// Something that is searched for in a group.
struct Searching<'s> {
    machine: &'s Machine<'s>,
    moments: &'s Moments<'s>,
    explored: &'s Explored,
    spent: Statistics,
}

impl Group<'_> {
    pub(super) fn endless(
        &self,
        checking: &mut Checking,
        machine: &Machine,
        positions: &[usize],
    ) -> Result<(), Failed> {
        let moments = Moments::new(machine)?;
        let explored = explored(checking, &moments, &mut |_, _| Ok(false))?;
        let moments = moments.confined(&explored.reached.all)?;
        let spent = explored.spent(checking);
        let searching = Searching { machine, moments: &moments, explored: &explored, spent };
        for index in positions {
            let Some(one) = checking.specification(*index) else { continue };
            let goal = one.goal.clone();
            if explored.reached.fails {
                checking.unknown(*index, NO_VALUE, spent);
                continue;
            }
            match &goal {
                Goal::Justice(terms) => self.justice(checking, &searching, *index, terms)?,
                Goal::Ltl(formula) => {
                    if !self.linear(checking, &searching, *index, formula)? {
                        let why = "no fair run was found in the product with its automaton, \
                                   which was searched whole";
                        checking.holds(*index, why, spent);
                    }
                }
                Goal::Ctl(formula) => self.branching(checking, &searching, *index, formula)?,
                Goal::Distance { shortest, from, to } => {
                    self.distance(checking, &searching, *index, (*shortest, *from, *to))?;
                }
                Goal::Invariant(_) | Goal::Unsupported(_) => {}
            }
        }
        Ok(())
    }

    fn justice(
        &self,
        checking: &mut Checking,
        searching: &Searching,
        index: usize,
        terms: &[TermId],
    ) -> Result<(), Failed> {
        let more: Vec<usize> = terms.iter().map(|term| self.terms.number(*term)).collect();
        let (moments, spent) = (searching.moments, searching.spent);
        let fairness = Fairness::of(searching.machine, &more);
        let core = feasible(moments, moments.space(), &fairness)?;
        match lasso(moments, &searching.explored.reached.layers, &core, &fairness)? {
            None => {
                checking.holds(index, "no fair run meets its conditions again and again", spent)
            }
            Some(trail) => match moments.run(&trail, None)? {
                Some(run) => checking.violated(index, run, false, spent)?,
                None => checking.violated_without_run(index, TOO_LONG, spent),
            },
        }
        Ok(())
    }

    /// Searches for a fair run on which a formula is false; answers whether there is one.
    fn linear(
        &self,
        checking: &mut Checking,
        searching: &Searching,
        index: usize,
        formula: &Formula<TermId>,
    ) -> Result<bool, Failed> {
        let spent = searching.spent;
        let translation = match homing_omega::translate(&formula.clone().negated()) {
            Ok(translation) => translation,
            Err(error) => {
                checking.unknown(index, error.to_string(), spent);
                return Ok(true);
            }
        };
        let atoms: Vec<usize> =
            translation.atoms.iter().map(|term| self.terms.number(*term)).collect();
        let (moments, fairness) = product(searching.machine, &translation.automaton, &atoms)?;
        let explored = explored(checking, &moments, &mut |_, _| Ok(false))?;
        let spent = explored.spent(checking);
        let core = feasible(&moments, &explored.reached.all, &fairness)?;
        let Some(trail) = lasso(&moments, &explored.reached.layers, &core, &fairness)? else {
            return Ok(false);
        };
        match moments.run(&trail, None)? {
            Some(run) => checking.violated_as(index, &Goal::Ltl(formula.clone()), run, spent)?,
            None => checking.violated_without_run(index, TOO_LONG, spent),
        }
        Ok(true)
    }

    fn branching(
        &self,
        checking: &mut Checking,
        searching: &Searching,
        index: usize,
        formula: &Ctl,
    ) -> Result<(), Failed> {
        let (moments, spent) = (searching.moments, searching.spent);
        let fairness = Fairness::of(searching.machine, &[]);
        let atom = |term: TermId| self.terms.number(term);
        let labelling = Labelling::new(moments, &fairness, &atom)?;
        if labelling.violating(formula)?.is_empty() {
            let d = moments.diagrams();
            let begins = !d.and(moments.initial(), labelling.fair())?.is_empty();
            let why = match begins {
                true => "true in every initial state from which a fair run begins",
                false => "no fair run begins in any initial state",
            };
            checking.holds(index, why, spent);
            return Ok(());
        }
        if let Some(linear) = without_quantifiers(formula, true)
            && self.linear(checking, searching, index, &linear)?
        {
            return Ok(());
        }
        checking.violated_without_run(index, NO_RUN, spent);
        Ok(())
    }

    fn distance(
        &self,
        checking: &mut Checking,
        searching: &Searching,
        index: usize,
        (is_shortest, from, to): (bool, TermId, TermId),
    ) -> Result<(), Failed> {
        let (moments, machine, spent) = (searching.moments, searching.machine, searching.spent);
        let fairness = Fairness::of(machine, &[]);
        let atom = |term: TermId| self.terms.number(term);
        let labelling = Labelling::new(moments, &fairness, &atom)?;
        let (from, to) = (machine.holds(atom(from)), machine.holds(atom(to)));
        let found = match is_shortest {
            true => shortest(moments, labelling.fair(), from, to)?,
            false => longest(moments, labelling.fair(), from, to)?,
        };
        let of = if is_shortest { "the shortest way" } else { "the longest way" };
        let (why, value) = match found {
            Distance::Steps(steps) => {
                let steps = i64::try_from(steps).unwrap_or(i64::MAX);
                (format!("{of} takes {steps} steps"), Some(ValueOutcome::exact(of, steps, "steps")))
            }
            Distance::Infinite if is_shortest => ("there is no way".to_string(), None),
            Distance::Infinite => {
                let value = ValueOutcome { unbounded: true, ..ValueOutcome::unknown(of, "steps") };
                ("some run never comes there".to_string(), Some(value))
            }
            Distance::Undefined => {
                let why = "no state from which a fair run begins is one where ways begin, or end";
                (why.to_string(), None)
            }
        };
        checking.valued(index, &why, value, spent);
        Ok(())
    }
}

/// Why there is no run beside a verdict.
const NO_RUN: &str = "false in an initial state; no single run shows it";
const TOO_LONG: &str = "some fair run violates it, which is too long to be shown";

/// What is left of a formula without its path quantifiers, if all of them are universal: it
/// is implied by the formula. `positive` says whether it is asked for as it is, or negated.
fn without_quantifiers(formula: &Ctl, positive: bool) -> Option<Formula<TermId>> {
    let of = |f: &Ctl| without_quantifiers(f, positive);
    let boxed = |f: &Ctl| of(f).map(Box::new);
    let both = |op, f: &Ctl, g: &Ctl| Some(Formula::binary(op, of(f)?, of(g)?));
    match (formula, positive) {
        (Ctl::Atom(term), _) => Some(Formula::Atom(*term)),
        (Ctl::Not(f), _) => Some(without_quantifiers(f, !positive)?.negated()),
        (Ctl::And(f, g), _) => both(Connective::And, f, g),
        (Ctl::Or(f, g), _) => both(Connective::Or, f, g),
        (Ctl::AllNext(f), true) | (Ctl::ExistsNext(f), false) => Some(Formula::Next(boxed(f)?)),
        (Ctl::AllAlways(f), true) | (Ctl::ExistsAlways(f), false) => {
            Some(Formula::Globally(boxed(f)?))
        }
        (Ctl::AllUntil(f, g), true) | (Ctl::ExistsUntil(f, g), false) => {
            both(Connective::Until, f, g)
        }
        _ => None,
    }
}
