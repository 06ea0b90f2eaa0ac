//! Definitions as circuits: the values they allow.
//!
//! A definition without choices is a function. One with choices is made one: leaves that are
//! free at every moment say which of its values it takes, and between them every value can
//! be taken. Of branches only one counts, so that all of them share these leaves.
//!
//! ```text
//! one of n values   a number of ⌈log₂ n⌉ leaves; numbers too great stand for the last value
//! from a to b       a + a number of ⌈log₂ (b − a + 1)⌉ leaves; numbers too great stand for 0
//! ```

use std::collections::{BTreeMap, HashMap};

use homing_budget::checkpoint;
use homing_ir::relation::{Constant, Definition, Domain, Term, TermId};

use crate::circuit::{Condition, Refusal};
use crate::encoding::{Encoded, Signal, bits_for};
use crate::graph::{Graph, Literal};
use crate::lowering::{Lowering, bool_of};
use crate::numbers::Number;
use crate::words::{constant, resized};

/// The value of a definition, and whether it has none.
#[derive(Clone, Debug)]
pub(crate) struct Defined {
    pub encoded: Encoded,
    pub fails: Literal,
}

/// How a term gives values to a definition.
enum Shape {
    /// By its own.
    Plain,
    /// By those of its branches.
    Choose(TermId, TermId, TermId),
    /// By those of one of several, chosen by leaves: the first of them, and how many.
    OneOf(Vec<TermId>, usize, usize),
    /// By numbers: the first, the last, leaves as above.
    Number(i64, i64, usize, usize),
}

impl Lowering<'_> {
    /// The value of a definition as a function of what it reads and of leaves that are added
    /// to `choices`.
    pub(crate) fn define(
        &mut self,
        definition: &Definition,
        choices: &mut Vec<Literal>,
    ) -> Result<Defined, Refusal> {
        let domain = &self.relation.variable(definition.variable).domain;
        let (plan, count) = self.plan(definition.value, domain);
        let leaves: Vec<Literal> = (0..count).map(|_| self.graph.leaf()).collect();
        choices.extend(&leaves);
        let mut known: HashMap<TermId, Defined> = HashMap::new();
        for (id, shape) in plan.into_iter().rev() {
            let defined = match shape {
                Shape::Plain => {
                    let lowered = self.value(id)?;
                    let encoded = self.graph.encode(domain, &lowered.value);
                    Defined { encoded, fails: lowered.fails }
                }
                Shape::Choose(condition, a, b) => {
                    let condition = self.value(condition)?;
                    let is_true = bool_of(&condition.value);
                    let mut taken = self.graph.choose_defined(is_true, &known[&a], &known[&b]);
                    taken.fails = self.graph.or(condition.fails, taken.fails);
                    taken
                }
                Shape::OneOf(of, first, count) => {
                    let index = &leaves[first..first + count];
                    let all: Vec<&Defined> = of.iter().map(|one| &known[one]).collect();
                    self.graph.one_of(&all, index)
                }
                Shape::Number(low, high, first, count) => {
                    let number = self.graph.one_from(low, high, &leaves[first..first + count]);
                    let mut encoded = self.graph.encode(domain, &Signal::Scalar(number));
                    if low > high {
                        encoded.inside = Literal::FALSE;
                    }
                    Defined { encoded, fails: Literal::FALSE }
                }
            };
            known.insert(id, defined);
        }
        Ok(known[&definition.value].clone())
    }

    /// The terms that give values to a definition, parts last, and how many leaves they need.
    fn plan(&self, root: TermId, domain: &Domain) -> (Vec<(TermId, Shape)>, usize) {
        let terms = &self.relation.terms;
        if !self.has_shape(root, domain) {
            return (vec![(root, Shape::Plain)], 0);
        }
        let mut plan = Vec::new();
        let mut leaves = 0;
        // By number, with the first leaf that is theirs alone: parts have smaller numbers.
        let mut left = BTreeMap::from([(root, 0)]);
        while let Some((id, first)) = left.pop_last() {
            checkpoint();
            let mut add = |part: TermId, from: usize| {
                let known = left.entry(part).or_insert(from);
                *known = from.max(*known);
            };
            let (shape, count) = match terms.term(id) {
                Term::Choose(condition, a, b) => {
                    add(a, first);
                    add(b, first);
                    (Shape::Choose(condition, a, b), 0)
                }
                Term::Union(..) => {
                    let of = self.alternatives(id);
                    let count = bits_for(of.len() as u64 - 1);
                    of.iter().for_each(|one| add(*one, first + count));
                    (Shape::OneOf(of, first, count), count)
                }
                Term::Range(low, high) => {
                    let count = bits_for(high.abs_diff(low));
                    (Shape::Number(low, high, first, count), count)
                }
                _ => (Shape::Plain, 0),
            };
            leaves = leaves.max(first + count);
            plan.push((id, shape));
        }
        (plan, leaves)
    }

    /// Whether a definition has choices, or is of numbers, which are easier to encode branch
    /// by branch.
    fn has_shape(&self, root: TermId, domain: &Domain) -> bool {
        if let Domain::Range(..) | Domain::Enumeration(_) = domain {
            return true;
        }
        self.branches(root)
            .iter()
            .any(|id| matches!(self.relation.terms.term(*id), Term::Union(..) | Term::Range(..)))
    }

    /// A definition's term, the branches and alternatives in it, and those in them: parts
    /// first.
    fn branches(&self, root: TermId) -> Vec<TermId> {
        let mut left = std::collections::BTreeSet::from([root]);
        let mut found = Vec::new();
        while let Some(id) = left.pop_last() {
            checkpoint();
            found.push(id);
            match self.relation.terms.term(id) {
                Term::Choose(_, a, b) | Term::Union(a, b) => left.extend([a, b]),
                _ => {}
            }
        }
        found.reverse();
        found
    }

    /// What a union is the union of, in the order it is written.
    fn alternatives(&self, root: TermId) -> Vec<TermId> {
        let mut left = vec![root];
        let mut found: Vec<TermId> = Vec::new();
        while let Some(id) = left.pop() {
            match self.relation.terms.term(id) {
                Term::Union(a, b) => left.extend([b, a]),
                _ => found.push(id),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a definition allows a variable's value, given by its bits.
    pub(crate) fn allows(
        &mut self,
        definition: &Definition,
        bits: &[Literal],
    ) -> Result<Condition, Refusal> {
        let domain = &self.relation.variable(definition.variable).domain;
        let mut known: HashMap<TermId, Condition> = HashMap::new();
        for id in self.branches(definition.value) {
            let condition = match self.relation.terms.term(id) {
                Term::Choose(condition, a, b) => {
                    let condition = self.value(condition)?;
                    let is_true = bool_of(&condition.value);
                    let (a, b) = (known[&a], known[&b]);
                    let fails = self.graph.choose(is_true, a.fails, b.fails);
                    let fails = self.graph.or(condition.fails, fails);
                    Condition { holds: self.graph.choose(is_true, a.holds, b.holds), fails }
                }
                Term::Union(a, b) => {
                    let (a, b) = (known[&a], known[&b]);
                    let fails = self.graph.choose(a.holds, Literal::FALSE, b.fails);
                    let fails = self.graph.or(a.fails, fails);
                    Condition { holds: self.graph.or(a.holds, b.holds), fails }
                }
                Term::Range(low, high) => {
                    let value = self.graph.read(domain, bits);
                    let holds = self.graph.is_between(&value, low, high);
                    Condition { holds, fails: Literal::FALSE }
                }
                _ => {
                    let lowered = self.value(id)?;
                    let encoded = self.graph.encode(domain, &lowered.value);
                    let equal = self.graph.equal(&encoded.bits, bits);
                    Condition { holds: self.graph.and(equal, encoded.inside), fails: lowered.fails }
                }
            };
            known.insert(id, condition);
        }
        let Condition { holds, fails } = known[&definition.value];
        Ok(Condition { holds: self.graph.and(holds, !fails), fails })
    }
}

impl Graph {
    fn choose_defined(&mut self, condition: Literal, a: &Defined, b: &Defined) -> Defined {
        let bits = self.choose_word(condition, &a.encoded.bits, &b.encoded.bits);
        let inside = self.choose(condition, a.encoded.inside, b.encoded.inside);
        let fails = self.choose(condition, a.fails, b.fails);
        Defined { encoded: Encoded { bits, inside }, fails }
    }

    fn one_of(&mut self, all: &[&Defined], index: &[Literal]) -> Defined {
        let last = all[all.len() - 1].clone();
        let others = all[..all.len() - 1].iter().enumerate();
        others.fold(last, |chosen, (number, one)| {
            let is_it = self.is_number(index, number);
            self.choose_defined(is_it, one, &chosen)
        })
    }

    fn one_from(&mut self, low: i64, high: i64, index: &[Literal]) -> Number {
        let last = constant(high.abs_diff(low).into(), index.len());
        let beyond = self.less(&last, index);
        let zero = vec![Literal::FALSE; index.len()];
        let index = self.choose_word(beyond, &zero, index);
        let width = 2 + index.len().max(bits_for(low.unsigned_abs()));
        let sum = self.add(&resized(&index, width, Literal::FALSE), &constant(low.into(), width));
        Number::of(resized(&sum, width.min(64), Literal::FALSE))
    }

    fn is_between(&mut self, value: &Signal, low: i64, high: i64) -> Literal {
        let Signal::Scalar(number) = value else { return Literal::FALSE };
        let (low, high) =
            (Number::constant(Constant::Int(low)), Number::constant(Constant::Int(high)));
        let (below, above) = (self.less_numbers(number, &low), self.less_numbers(&high, number));
        self.all([!number.symbol, !below, !above])
    }
}
