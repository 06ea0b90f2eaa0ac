//! Why a run without an end violates a formula.
//!
//! A formula that is false of a run is taken apart along its definition
//! ([`homing_ir::temporal`]), with the states in which each part holds:
//!
//! ```text
//! why(f ∧ g, i, false)   why one of them is false in state i
//! why(f → g, i, false)   why f is true there, and g false
//! why(G f, i, false)     why f is false in the first such state from i on
//! why(F f, i, false)     f is never true from i on
//! why(F G f, i, false)   f is false again and again
//! ```
//! and so on, each with its mirror image for what is true.
//!
//! A run that is only the beginning of runs that are all forbidden is told by what
//! is so in single states of it: nothing can be said of what follows.

use homing_ir::interp::Interpreter;
use homing_ir::network::Expr;
use homing_ir::temporal::{Connective, Formula};
use homing_ir::{Network, Trace};

use super::reasons::{condition, joined, negated};
use crate::claim::Forbidden;
use crate::infinite::Executed;
use crate::outcome::{HoldsOutcome, Location, When, WhyOutcome};

/// What the formula is false by on a run that violates it. Nothing where there is
/// no formula.
pub(super) fn forever(
    interpreter: &Interpreter,
    trace: &Trace,
    claim: &Forbidden,
) -> Option<WhyOutcome> {
    let formula = claim.formula?;
    let letters = Executed::new(interpreter, trace, claim).ok()?.letters;
    let (length, back) = match trace.repeats {
        Some(back) => (trace.steps.len(), back),
        None => (letters.len(), letters.len() - 1),
    };
    let rests = trace.repeats.is_some()
        || interpreter.steps(&last(interpreter, trace)?).is_empty() && claim.stutters;
    let network = interpreter.network();
    let mut teller = Teller { network, claim, letters, length, back, told: Vec::new() };
    teller.why(formula, 0, false);
    let told = teller.told;
    if !rests && told.iter().any(|one| one.when != When::Then) {
        return None;
    }
    (!told.is_empty()).then(|| of(told, trace.steps.len()))
}

fn last(interpreter: &Interpreter, trace: &Trace) -> Option<homing_ir::interp::State> {
    let start = crate::replay::start(interpreter, trace).ok()?;
    trace.steps.iter().try_fold(start, |state, step| interpreter.take(&state, step).ok())
}

fn of(holds: Vec<HoldsOutcome>, needed: usize) -> WhyOutcome {
    WhyOutcome { holds, blocked: Vec::new(), needed }
}

/// Why a run that never leaves a condition counts: what never happens on it, or is
/// always so, from a step on; and what was so at first.
pub fn lasting(
    network: &Network,
    holds: &Expr,
    first: Option<&Expr>,
    since: usize,
    length: usize,
) -> WhyOutcome {
    let sources = &network.sources;
    let mut told = Vec::new();
    let mut tell = |expr: &Expr, words: String, when| {
        note(&mut told, words, since, when, Location::new(sources, expr.span));
    };
    for part in first.into_iter().flat_map(|first| joined(first, true)) {
        let words = negated(condition(network, part.expr, sources), part.positive);
        tell(part.expr, words, When::Then);
    }
    for part in joined(holds, true) {
        let when = if part.positive { When::Always } else { When::Never };
        tell(part.expr, condition(network, part.expr, sources), when);
    }
    of(told, length)
}

/// Notes what is not known yet.
fn note(
    told: &mut Vec<HoldsOutcome>,
    condition: String,
    since: usize,
    when: When,
    place: Location,
) {
    let one = HoldsOutcome { condition, since, alternative: false, when, place };
    if !told.contains(&one) {
        told.push(one);
    }
}

/// Takes a formula apart along a run.
struct Teller<'t> {
    network: &'t Network,
    claim: &'t Forbidden<'t>,
    letters: Vec<u64>,
    length: usize,
    back: usize,
    told: Vec<HoldsOutcome>,
}

type Numbered = Formula<usize>;

impl Teller<'_> {
    /// In which states a formula has a value.
    fn along(&self, formula: &Numbered, value: bool) -> Vec<bool> {
        let mut holds = |atom: &usize, state: usize| self.letters[state] >> atom & 1 == 1;
        let along = formula.along(self.length, self.back, &mut holds);
        along.into_iter().map(|holds| holds == value).collect()
    }

    fn is(&self, formula: &Numbered, state: usize, value: bool) -> bool {
        self.along(formula, value)[state]
    }

    /// The first state from one on that satisfies a condition.
    fn first(&self, from: usize, holds: impl Fn(usize) -> bool) -> Option<usize> {
        (from..self.length).chain(self.back..from).find(|state| holds(*state))
    }

    /// Says why the formula has that value in a state. The recursion is bounded by
    /// the formula, which was read.
    fn why(&mut self, formula: &Numbered, at: usize, value: bool) {
        match formula {
            Formula::Constant(_) => {}
            Formula::Atom(_) => self.note(formula, at, value, When::Then),
            Formula::Not(f) => self.why(f, at, !value),
            Formula::Next(f) => {
                self.why(f, if at + 1 < self.length { at + 1 } else { self.back }, value);
            }
            Formula::Finally(f) if value => self.at_first(f, at, value),
            Formula::Globally(f) if !value => self.at_first(f, at, value),
            Formula::Finally(f) | Formula::Globally(f) => self.for_ever(f, at, value),
            Formula::Binary(op, f, g) => self.between(*op, f, g, at, value),
        }
    }

    /// Why a formula has a value in the first state in which it has.
    fn at_first(&mut self, formula: &Numbered, from: usize, value: bool) {
        let along = self.along(formula, value);
        if let Some(state) = self.first(from, |state| along[state]) {
            self.why(formula, state, value);
        }
    }

    /// Why both have a value, or one of them.
    fn both(&mut self, (f, of_f): (&Numbered, bool), (g, of_g): (&Numbered, bool), at: usize) {
        self.why(f, at, of_f);
        self.why(g, at, of_g);
    }

    fn between(&mut self, op: Connective, f: &Numbered, g: &Numbered, at: usize, value: bool) {
        match op {
            Connective::And if value => self.both((f, true), (g, true), at),
            Connective::Or if !value => self.both((f, false), (g, false), at),
            Connective::Implies if !value => self.both((f, true), (g, false), at),
            Connective::And | Connective::Or => {
                let decides = if self.is(f, at, value) { f } else { g };
                self.why(decides, at, value);
            }
            Connective::Implies if self.is(f, at, false) => self.why(f, at, false),
            Connective::Implies => self.why(g, at, true),
            Connective::Iff => {
                let (of_f, of_g) = (self.is(f, at, true), self.is(g, at, true));
                self.both((f, of_f), (g, of_g), at);
            }
            Connective::Until | Connective::WeakUntil if value => match self.occurs(g, at) {
                true => self.at_first(g, at, true),
                false => self.for_ever(f, at, true),
            },
            Connective::Until | Connective::WeakUntil => {
                let (not_f, not_g) = (self.along(f, false), self.along(g, false));
                // Before `g` comes, if it does at all, `f` fails; or it never comes.
                let neither = |state: usize| not_f[state] && not_g[state];
                match self.first(at, neither) {
                    Some(state) => self.both((f, false), (g, false), state),
                    None => self.for_ever(g, at, false),
                }
            }
            Connective::Release if !value => self.at_first(g, at, false),
            Connective::Release if self.occurs(f, at) => self.at_first(f, at, true),
            Connective::Release => self.for_ever(g, at, true),
        }
    }

    fn occurs(&self, formula: &Numbered, from: usize) -> bool {
        let along = self.along(formula, true);
        self.first(from, |state| along[state]).is_some()
    }

    /// A formula has a value in all states from one on.
    fn for_ever(&mut self, formula: &Numbered, from: usize, value: bool) {
        match (formula, value) {
            (Formula::Not(f), _) => self.for_ever(f, from, !value),
            (Formula::Finally(f), false) | (Formula::Globally(f), true) => {
                self.for_ever(f, from, value);
            }
            // `f` comes again and again, or fails to hold again and again.
            (Formula::Finally(f), true) | (Formula::Globally(f), false) => {
                self.note(f, from, value, When::Again);
            }
            (Formula::Binary(Connective::And, f, g), true)
            | (Formula::Binary(Connective::Or, f, g), false) => {
                self.for_ever(f, from, value);
                self.for_ever(g, from, value);
            }
            _ => {
                let along = self.along(formula, value);
                let since = (0..=from).rev().take_while(|state| along[*state]).last();
                let when = if value { When::Always } else { When::Never };
                self.note(formula, since.unwrap_or(from), true, when);
            }
        }
    }

    fn note(&mut self, formula: &Numbered, since: usize, value: bool, when: When) {
        let condition = negated(self.written(formula), value);
        let sources = self.claim.sources;
        let first = formula.atoms().into_iter().next();
        let span = first.map(|atom| self.claim.atoms[*atom].span).unwrap_or_default();
        note(&mut self.told, condition, since, when, Location::new(sources, span));
    }

    fn written(&self, formula: &Numbered) -> String {
        in_words(formula, &|atom| {
            condition(self.network, &self.claim.atoms[*atom], self.claim.sources)
        })
    }
}

/// A formula as users write it.
fn in_words(formula: &Numbered, atom: &dyn Fn(&usize) -> String) -> String {
    let inner = |f: &Numbered| match f {
        Formula::Binary(..) => format!("({})", in_words(f, atom)),
        Formula::Atom(one) => match atom(one) {
            text if text.contains(' ') && !text.starts_with('(') => format!("({text})"),
            text => text,
        },
        _ => in_words(f, atom),
    };
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(one) => atom(one),
        Formula::Not(f) => format!("!{}", inner(f)),
        Formula::Next(f) => format!("X {}", inner(f)),
        Formula::Finally(f) => format!("<> {}", inner(f)),
        Formula::Globally(f) => format!("[] {}", inner(f)),
        Formula::Binary(op, f, g) => format!("{} {} {}", inner(f), op.sign(), inner(g)),
    }
}
