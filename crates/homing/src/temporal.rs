//! Properties of infinite runs: an automaton of the runs that violate them.
//!
//! | property | automaton |
//! |---|---|
//! | a formula of linear temporal logic | of its negation, by `omega` |
//! | a file with an automaton (HOA) | as it is written |
//! | an observer | `space::Observer` |
//! | `progress`: no cycle without a progress location | from some state on, none is at one |
//! | `acceptance`: no cycle through an accepting location | again and again one is at one |
//!
//! The last two are SPIN's, and as there a run that comes to an end is no cycle without
//! progress, but may rest at an accepting location for ever.

use homing_ir::alike::alike;
use homing_ir::automaton::{Automaton, Cube, MOST, Transition};
use homing_ir::flatten::Wanted;
use homing_ir::network::{Binary, Expr, ExprKind, Location, LocationId, ProcessId};
use homing_ir::source::Span;
use homing_ir::temporal::{Connective, Formula};
use homing_ir::{Network, Sources, balanced};
use homing_space::Observer;
use homing_witness::Claim;
use homing_witness::{Fairness, Forbidden};

use crate::terms::{join, negation};

/// A property of infinite runs.
#[derive(Clone, Debug)]
pub(crate) struct Temporal {
    /// What every run satisfies, where it is a formula.
    pub formula: Option<Formula<usize>>,
    /// What the letters of runs are made of.
    pub atoms: Vec<Expr>,
    /// The texts that a formula is written in.
    pub sources: Sources,
    /// It accepts the runs that violate the property.
    pub automaton: Automaton,
    /// The property says something only of runs on which this holds once; nothing
    /// where there is no room for it among the conditions.
    pub antecedent: Option<Expr>,
    /// Whether a run that stutters in its last state counts as one without an end.
    pub stutters: bool,
    /// Whether the automaton cannot tell how often a letter is repeated.
    pub stutter_invariant: bool,
    /// Who it is, where it is an observer.
    pub observer: Option<ProcessId>,
    /// Where it is an observer that judges finite runs only: where it is when an
    /// assertion of its own failed.
    pub finite: Option<u32>,
}

impl Temporal {
    /// Every run satisfies the formula.
    pub(crate) fn of_formula(
        formula: &Formula<Expr>,
        sources: &Sources,
    ) -> Result<Temporal, String> {
        let (numbered, atoms) = numbered(formula)?;
        let translation = homing_omega::translate(&numbered.clone().negated())
            .map_err(|error| error.to_string())?;
        // Its atoms are those of ours that it looks at, in an order of its own.
        let place = |atom: &usize| translation.atoms.iter().position(|one| one == atom);
        let ordered = numbered.try_map(&mut |atom: &usize| place(atom).ok_or("an atom is lost"))?;
        let atoms: Vec<Expr> = translation.atoms.iter().map(|one| atoms[*one].clone()).collect();
        Ok(Temporal {
            antecedent: antecedent(formula).filter(|_| atoms.len() < MOST as usize),
            stutter_invariant: !mentions_next(formula),
            automaton: translation.automaton,
            formula: Some(ordered),
            atoms,
            sources: sources.clone(),
            stutters: true,
            observer: None,
            finite: None,
        })
    }

    /// No run is accepted by the automaton.
    pub(crate) fn of_automaton(automaton: Automaton, atoms: Vec<Expr>) -> Temporal {
        Temporal {
            formula: None,
            atoms,
            sources: Sources::default(),
            automaton,
            antecedent: None,
            stutters: true,
            stutter_invariant: false,
            observer: None,
            finite: None,
        }
    }

    /// No run is accepted by the observer.
    pub(crate) fn of_observer(network: &Network, process: ProcessId) -> Result<Temporal, String> {
        let Observer { automaton, atoms, failed, accepting } = Observer::of(network, process)?;
        let made = Temporal::of_automaton(automaton, atoms);
        Ok(Temporal { observer: Some(process), finite: (!accepting).then_some(failed), ..made })
    }

    /// No cycle is without a progress location.
    pub(crate) fn progress(network: &Network) -> Temporal {
        let progress = at_some(network, |location| location.progress);
        let transition = |none_of, marks, target| {
            let guard = Cube { all_of: 0, none_of };
            Transition { guard, marks, target }
        };
        let states =
            vec![vec![transition(0, 0, 0), transition(1, 0, 1)], vec![transition(1, 1, 1)]];
        Temporal { stutters: false, ..Temporal::of_cycles(progress, states) }
    }

    /// No cycle passes an accepting location.
    pub(crate) fn acceptance(network: &Network) -> Temporal {
        let accepting = at_some(network, |location| location.accepting);
        let on =
            |all_of, marks| Transition { guard: Cube { all_of, none_of: 0 }, marks, target: 0 };
        Temporal::of_cycles(accepting, vec![vec![on(0, 0), on(1, 1)]])
    }

    fn of_cycles(atom: Expr, states: Vec<Vec<Transition>>) -> Temporal {
        let automaton = Automaton { atoms: 1, sets: 1, initial: vec![0], states };
        let made = Temporal::of_automaton(automaton, vec![atom]);
        Temporal { stutter_invariant: true, ..made }
    }

    /// What a space must have as its first conditions.
    pub(crate) fn conditions(&self) -> Vec<Wanted> {
        self.atoms.iter().chain(&self.antecedent).cloned().map(Wanted::goal).collect()
    }

    /// What a run that violates it shows.
    pub(crate) fn claim(&self, fairness: Fairness) -> Claim<'_> {
        if let (Some(process), Some(_)) = (self.observer, self.finite) {
            return Claim::Observer(process);
        }
        Claim::Run(Forbidden {
            formula: self.formula.as_ref(),
            atoms: &self.atoms,
            sources: &self.sources,
            automaton: &self.automaton,
            stutters: self.stutters,
            fairness,
            observer: self.observer,
        })
    }
}

/// Some process is at a location of a kind.
fn at_some(network: &Network, wanted: impl Fn(&Location) -> bool) -> Expr {
    let span = Span::default();
    let mut places = Vec::new();
    for (id, process) in network.system_processes() {
        for (index, _) in process.locations.iter().enumerate().filter(|(_, one)| wanted(one)) {
            places.push(Expr::new(ExprKind::At(id, LocationId(index as u32)), span));
        }
    }
    balanced(places, |a, b| join(Binary::Or, a, b)).unwrap_or(Expr::int(0, span))
}

/// The formula over numbers, and the atoms by number.
fn numbered(formula: &Formula<Expr>) -> Result<(Formula<usize>, Vec<Expr>), String> {
    let mut atoms: Vec<Expr> = Vec::new();
    let numbered = formula.try_map(&mut |atom: &Expr| {
        let known = atoms.iter().position(|other| alike(other, atom));
        let number = known.unwrap_or(atoms.len());
        if number == MOST as usize {
            return Err(format!("the formula has more than {MOST} atoms"));
        }
        if known.is_none() {
            atoms.push(atom.clone());
        }
        Ok(number)
    })?;
    Ok((numbered, atoms))
}

/// Whether a formula may tell how often a state is repeated.
fn mentions_next<A>(formula: &Formula<A>) -> bool {
    let mut left = vec![formula];
    while let Some(formula) = left.pop() {
        match formula {
            Formula::Next(_) => return true,
            Formula::Constant(_) | Formula::Atom(_) => {}
            Formula::Not(f) | Formula::Finally(f) | Formula::Globally(f) => left.push(f),
            Formula::Binary(_, f, g) => left.extend([&**f, &**g]),
        }
    }
    false
}

/// What must hold once for a formula such as `[] (p -> q)` to say anything.
pub(crate) fn antecedent(formula: &Formula<Expr>) -> Option<Expr> {
    let mut inner = formula;
    let mut always = false;
    while let Formula::Globally(f) = inner {
        (inner, always) = (f, true);
    }
    match inner {
        _ if !always => None,
        Formula::Binary(Connective::Implies, p, _) => state_formula(p),
        Formula::Binary(Connective::Or, p, _) => match &**p {
            Formula::Not(p) => state_formula(p),
            _ => None,
        },
        _ => None,
    }
}

/// A formula without temporal operators, as an expression.
pub(crate) fn state_formula(formula: &Formula<Expr>) -> Option<Expr> {
    let not = negation;
    Some(match formula {
        Formula::Constant(value) => Expr::int(i64::from(*value), Span::default()),
        Formula::Atom(atom) => atom.clone(),
        Formula::Not(f) => not(state_formula(f)?),
        Formula::Binary(op, f, g) => {
            let (f, g) = (state_formula(f)?, state_formula(g)?);
            match op {
                Connective::And => join(Binary::And, f, g),
                Connective::Or => join(Binary::Or, f, g),
                Connective::Implies => join(Binary::Or, not(f), g),
                // Clocks may be compared in a choice, but not in what is compared.
                Connective::Iff => {
                    let (span, other) = (g.span, not(g.clone()));
                    Expr::new(ExprKind::Choose(Box::new(f), Box::new(g), Box::new(other)), span)
                }
                _ => return None,
            }
        }
        _ => return None,
    })
}
