//! The formula-based estimate H_f: how far the goal's formula is from holding,
//! read off its structure.
//!
//! Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar, "Survey on Directed
//! Model Checking" (2008), section 3; for both polarities, H for a formula that
//! is to hold, H̄ for one that is not to:
//!
//! ```text
//! f        H_f(s)                   H̄_f(s)
//! ¬g       H̄_g(s)                   H_g(s)
//! g ∨ h    min{H_g(s), H_h(s)}      H̄_g(s) + H̄_h(s), or their maximum
//! g ∧ h    H_g(s) + H_h(s), or      min{H̄_g(s), H̄_h(s)}
//!          their maximum
//! v        0 if v, else a           a if v, else 0
//! ```
//! We deviate in the last line. For a comparison `l op r`, let `gap` be how far
//! `l − r` is from where the comparison holds, and D the most that one step can
//! bring it nearer; then the estimate is ⌈gap / D⌉ steps. Where no step brings
//! it nearer at all, there is no way to the goal. One step brings `gap` down by
//! at most D, so this is consistent, and so are minima and maxima of it. Sums
//! are where no step can change two of what is added up.
//!
//! A comparison whose sides may fail to evaluate (an index protected by another
//! conjunct) says at most one step: the next state may be one in which it fails
//! and says nothing.

use std::collections::BTreeSet;

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::{Claims, Cost, DEAD_END, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::interval::Env;
use homing_ir::layout::Field;
use homing_ir::network::{Binary, Unary};
use homing_ir::system::Term;

use crate::arguments::adds_up;
use crate::changes::Changes;
use crate::costs;
use crate::{EstimateBuilder, Goal};
use homing_ir::evaluate::{evaluate, may_fail};

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "formula",
    kind: Kind::Estimate,
    about: "H_f: how far the goal's formula is from holding, by its structure and by how much \
            one step can change its terms",
    cite: "Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008",
    parameters: &[Parameter {
        name: "combine",
        about: "what becomes of conjuncts: `max`, which is consistent, or `sum`",
        default: "max",
    }],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| {
        call.allow_named(&["combine"])?;
        Ok(Box::new(FormulaBased::new(goal, adds_up(call)?)?))
    },
};

struct FormulaBased<'a> {
    formula: Formula,
    fields: &'a [Field],
    sum: bool,
    /// The whole goal, where it counts as reached when it cannot be evaluated.
    failing: Option<Term>,
    /// The least cost of a step.
    step: Cost,
    claims: Claims,
}

/// A formula whose negations are pushed down to comparisons.
enum Formula {
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Atom(Atom),
}

/// A comparison, as a demand on the difference of its sides.
struct Atom {
    left: Term,
    right: Term,
    wants: Wants,
    /// The most that one step adds to the difference.
    rise: i128,
    /// The most that one step takes from it.
    fall: i128,
    /// Whether the sides may fail to evaluate.
    fragile: bool,
    /// The labels of steps that can change the difference.
    labels: BTreeSet<usize>,
}

/// What a difference is to be.
#[derive(Clone, Copy)]
enum Wants {
    Zero,
    NotZero,
    AtMost(i128),
    AtLeast(i128),
}

impl<'a> FormulaBased<'a> {
    fn new(goal: &Goal<'a>, sum: bool) -> Result<FormulaBased<'a>, String> {
        let system = goal.space.system();
        let term = goal.term("formula")?;
        let changes = Changes::of(system, goal.space.moves());
        let formula = Formula::of(&term, true, &changes);
        let failing = goal.holds_on_failure() && may_fail(&term, &Env::new(&changes.ranges));
        let apart = !sum || formula.is_independent();
        let sound = goal.least_cost() >= 1 && apart && goal.steps_are_moves();
        Ok(FormulaBased {
            formula,
            fields: &goal.space.layout().fields,
            sum,
            failing: failing.then_some(term),
            step: goal.least_cost().max(1),
            claims: Claims { admissible: sound, consistent: sound },
        })
    }
}

impl HeuristicFactory for FormulaBased<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &FormulaBased<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let steps = match &self.failing {
            Some(term) => match evaluate(term, self.fields, state) {
                // One step may lead to where it cannot be evaluated.
                Some(value) => Cost::from(value == 0),
                None => 0,
            },
            None => self.formula.distance(self.fields, state, self.sum),
        };
        costs::times(steps, self.step)
    }

    fn claims(&self) -> Claims {
        self.claims
    }
}

impl Formula {
    /// The formula that says that `term` is true, or false.
    fn of(term: &Term, holds: bool, changes: &Changes) -> Formula {
        let of = |term: &Term, holds: bool| Formula::of(term, holds, changes);
        let join = |all: bool, parts: [Formula; 2]| match all {
            true => Formula::All(parts.into()),
            false => Formula::Any(parts.into()),
        };
        match term {
            Term::Unary(Unary::Not, inner) => of(inner, !holds),
            Term::Binary(Binary::And, g, h) => join(holds, [of(g, holds), of(h, holds)]),
            Term::Binary(Binary::Or, g, h) => join(!holds, [of(g, holds), of(h, holds)]),
            Term::Binary(Binary::Imply, g, h) => join(!holds, [of(g, !holds), of(h, holds)]),
            Term::Choose(c, g, h) => {
                let cases = [(of(c, true), of(g, holds)), (of(c, false), of(h, holds))];
                Formula::Any(cases.map(|(c, g)| Formula::All(vec![c, g])).into())
            }
            Term::Binary(op, left, right) => match wants(*op, holds) {
                Some(wants) => Formula::Atom(Atom::new(left, right, wants, changes)),
                None => Formula::truth(term, holds, changes),
            },
            _ => Formula::truth(term, holds, changes),
        }
    }

    /// Any value but zero is true.
    fn truth(term: &Term, holds: bool, changes: &Changes) -> Formula {
        let wants = if holds { Wants::NotZero } else { Wants::Zero };
        Formula::Atom(Atom::new(term, &Term::Const(0), wants, changes))
    }

    /// The estimated number of steps until it holds.
    fn distance(&self, fields: &[Field], state: &[Word], sum: bool) -> Cost {
        let of = |part: &Formula| part.distance(fields, state, sum);
        match self {
            Formula::Atom(atom) => atom.distance(fields, state),
            Formula::Any(parts) => parts.iter().map(of).min().unwrap_or(DEAD_END),
            Formula::All(parts) if sum => parts.iter().map(of).fold(0, costs::add),
            Formula::All(parts) => parts.iter().map(of).max().unwrap_or(0),
        }
    }

    /// Whether no step can change two conjuncts.
    fn is_independent(&self) -> bool {
        match self {
            Formula::Atom(_) => true,
            Formula::Any(parts) => parts.iter().all(Formula::is_independent),
            Formula::All(parts) => {
                let labels: Vec<BTreeSet<usize>> = parts.iter().map(Formula::labels).collect();
                let disjoint = |(i, own): (usize, &BTreeSet<usize>)| {
                    labels[i + 1..].iter().all(|other| own.is_disjoint(other))
                };
                labels.iter().enumerate().all(disjoint) && parts.iter().all(Formula::is_independent)
            }
        }
    }

    fn labels(&self) -> BTreeSet<usize> {
        match self {
            Formula::Atom(atom) => atom.labels.clone(),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().flat_map(Formula::labels).collect()
            }
        }
    }
}

/// What `left op right` wants of the difference, to be true or to be false.
fn wants(op: Binary, holds: bool) -> Option<Wants> {
    Some(match (op, holds) {
        (Binary::Eq, true) | (Binary::Ne, false) => Wants::Zero,
        (Binary::Ne, true) | (Binary::Eq, false) => Wants::NotZero,
        (Binary::Lt, true) | (Binary::Ge, false) => Wants::AtMost(-1),
        (Binary::Le, true) | (Binary::Gt, false) => Wants::AtMost(0),
        (Binary::Gt, true) | (Binary::Le, false) => Wants::AtLeast(1),
        (Binary::Ge, true) | (Binary::Lt, false) => Wants::AtLeast(0),
        _ => return None,
    })
}

impl Atom {
    fn new(left: &Term, right: &Term, wants: Wants, changes: &Changes) -> Atom {
        let env = Env::new(&changes.ranges);
        let fragile = may_fail(left, &env) || may_fail(right, &env);
        let (left, right) = (left.clone(), right.clone());
        let labels = BTreeSet::new();
        let mut atom = Atom { left, right, wants, rise: 0, fall: 0, fragile, labels };
        for label in 0..changes.by_label.len() {
            let left = changes.of_term(&atom.left, label);
            let right = changes.of_term(&atom.right, label);
            let rise = i128::from(left.hi) - i128::from(right.lo);
            let fall = i128::from(right.hi) - i128::from(left.lo);
            let touched = changes.touches(&atom.left, label) || changes.touches(&atom.right, label);
            if rise > 0 || fall > 0 || fragile && touched {
                atom.labels.insert(label);
            }
            atom.rise = atom.rise.max(rise);
            atom.fall = atom.fall.max(fall);
        }
        atom
    }

    fn distance(&self, fields: &[Field], state: &[Word]) -> Cost {
        let value = |term: &Term| evaluate(term, fields, state).map(i128::from);
        let (Some(left), Some(right)) = (value(&self.left), value(&self.right)) else { return 0 };
        let difference = left - right;
        let (gap, step) = match self.wants {
            Wants::Zero if difference > 0 => (difference, self.fall),
            Wants::Zero => (-difference, self.rise),
            Wants::NotZero => (i128::from(difference == 0), self.rise.max(self.fall)),
            Wants::AtMost(most) => (difference - most, self.fall),
            Wants::AtLeast(least) => (least - difference, self.rise),
        };
        match (gap, step) {
            (..=0, _) => 0,
            _ if self.fragile => 1,
            (_, 0) => DEAD_END,
            _ => ((gap + step - 1) / step).min(i128::from(DEAD_END - 1)) as Cost,
        }
    }
}
