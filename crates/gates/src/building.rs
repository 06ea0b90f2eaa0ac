//! How the circuit of a relation is made: what is not functional becomes so.

use std::collections::BTreeSet;

use homing_ir::relation::{Definition, Kind, Relation, Term, TermId, VariableId, ordered};

use crate::circuit::{Condition, Latch, Refusal};
use crate::definitions::Defined;
use crate::encoding::bits_of;
use crate::graph::{Graph, Literal, Node};
use crate::lowering::Lowering;

impl Condition {
    const TRUE: Condition = Condition { holds: Literal::TRUE, fails: Literal::FALSE };

    /// This one and, where it holds, another.
    fn then(self, graph: &mut Graph, other: Condition) -> Condition {
        let second = graph.and(self.holds, other.fails);
        Condition { holds: graph.and(self.holds, other.holds), fails: graph.or(self.fails, second) }
    }
}

/// A circuit that is being made.
pub(crate) struct Building<'r> {
    relation: &'r Relation,
    pub lowering: Lowering<'r>,
    pub latches: Vec<Latch>,
    pub inputs: Vec<Literal>,
    /// Definitions that are functions: of this moment, and of the next.
    always: Vec<Definition>,
    next: Vec<Definition>,
    /// What is said of functional definitions: that they have a value of the domain.
    always_given: Condition,
    next_given: Condition,
}

impl<'r> Building<'r> {
    pub(crate) fn new(relation: &'r Relation) -> Self {
        let read_next = read_next(relation);
        let elsewhere = defined(relation.next.iter().chain(&relation.initially));
        let is_combinational = |one: &Definition| {
            relation.variable(one.variable).kind != Kind::Frozen
                && !read_next.contains(&one.variable)
                && !elsewhere.contains(&one.variable)
        };
        let is_functional = |one: &Definition| relation.variable(one.variable).kind != Kind::Frozen;
        let always = relation.always.iter().filter(|one| is_combinational(one));
        let next = relation.next.iter().filter(|one| is_functional(one));
        Building {
            relation,
            lowering: Lowering::new(relation),
            latches: Vec::new(),
            inputs: Vec::new(),
            always: in_order(relation, firsts(always), false),
            next: match read_next.is_empty() {
                true => firsts(next),
                false => in_order(relation, firsts(next), true),
            },
            always_given: Condition::TRUE,
            next_given: Condition::TRUE,
        }
    }

    /// Bits for all variables that are no functions.
    pub(crate) fn leaves(&mut self) -> Result<(), Refusal> {
        let read_next = read_next(self.relation);
        let (always, next) = (defined(&self.always), defined(&self.next));
        for (id, one) in self.relation.numbered().filter(|(id, _)| !always.contains(id)) {
            let is_latch = one.kind != Kind::Input || read_next.contains(&id) || next.contains(&id);
            let count = bits_of(&one.domain).ok_or_else(|| Refusal::Large {
                what: format!("`{}`", one.name),
                span: one.span,
            })?;
            let bits: Vec<Literal> = (0..count).map(|_| self.lowering.graph.leaf()).collect();
            match is_latch {
                true => self.latches.extend(bits.iter().map(|bit| Latch {
                    current: *bit,
                    next: Literal::FALSE,
                    reset: None,
                    variable: Some(id),
                })),
                false => self.inputs.extend(&bits),
            }
            self.lowering.current[id.0 as usize] = bits;
        }
        Ok(())
    }

    pub(crate) fn combinational(&mut self) -> Result<(), Refusal> {
        for one in std::mem::take(&mut self.always) {
            let defined = self.lowering.define(&one, &mut self.inputs)?;
            self.always_given = self.given(self.always_given, &defined);
            self.lowering.current[one.variable.0 as usize] = defined.encoded.bits;
            self.always.push(one);
        }
        Ok(())
    }

    /// What a definition says beside the value, after what was said before.
    fn given(&mut self, before: Condition, defined: &Defined) -> Condition {
        let graph = &mut self.lowering.graph;
        let holds = graph.and(defined.encoded.inside, !defined.fails);
        before.then(graph, Condition { holds, fails: defined.fails })
    }

    /// What latches are next.
    pub(crate) fn next(&mut self) -> Result<(), Refusal> {
        let next = defined(&self.next);
        let latches: BTreeSet<VariableId> =
            self.latches.iter().filter_map(|one| one.variable).collect();
        for (id, one) in self.relation.numbered() {
            let at = id.0 as usize;
            if latches.contains(&id) && !next.contains(&id) {
                let current = self.lowering.current[at].clone();
                let bits = match one.kind {
                    Kind::Frozen => current,
                    _ => {
                        let new = current.iter().map(|_| self.lowering.graph.leaf());
                        let new: Vec<Literal> = new.collect();
                        self.inputs.extend(&new);
                        new
                    }
                };
                self.lowering.next[at] = Some(bits);
            }
        }
        for one in std::mem::take(&mut self.next) {
            let defined = self.lowering.define(&one, &mut self.inputs)?;
            self.next_given = self.given(self.next_given, &defined);
            self.lowering.next[one.variable.0 as usize] = Some(defined.encoded.bits);
            self.next.push(one);
        }
        // Bits of a variable are in the same order in both.
        let mut taken = vec![0; self.relation.variables.len()];
        for latch in &mut self.latches {
            let Some(VariableId(at)) = latch.variable else { continue };
            let at = at as usize;
            let bits = self.lowering.next[at].as_ref();
            latch.next = bits.map_or(Literal::FALSE, |bits| bits[taken[at]]);
            taken[at] += 1;
        }
        Ok(())
    }

    pub(crate) fn initial(&mut self) -> Result<Condition, Refusal> {
        let mut all = Condition::TRUE;
        for one in &self.relation.initially {
            let bits = self.lowering.current[one.variable.0 as usize].clone();
            let condition = self.lowering.allows(one, &bits)?;
            all = all.then(&mut self.lowering.graph, condition);
        }
        self.resets()?;
        self.then_terms(all, &self.relation.init)
    }

    /// What latches are at first, where a definition says that alone.
    fn resets(&mut self) -> Result<(), Refusal> {
        let mut first = vec![usize::MAX; self.relation.variables.len()];
        for (number, latch) in self.latches.iter().enumerate().rev() {
            if let Some(variable) = latch.variable {
                first[variable.0 as usize] = number;
            }
        }
        for one in &self.relation.initially {
            let lowered = self.lowering.value(one.value)?;
            if lowered.fails != Literal::FALSE {
                continue;
            }
            let domain = &self.relation.variable(one.variable).domain;
            let encoded = self.lowering.graph.encode(domain, &lowered.value);
            let first = first[one.variable.0 as usize];
            let latches = self.latches.iter_mut().skip(first);
            for (latch, bit) in latches.zip(encoded.bits) {
                if bit.is_constant() {
                    latch.reset = Some(bit == Literal::TRUE);
                }
            }
        }
        Ok(())
    }

    /// What a literal is where latches are reset.
    pub(crate) fn beyond_resets(&mut self, literal: Literal) -> Literal {
        let graph = &mut self.lowering.graph;
        let cone = graph.cone([literal]);
        let mut made: Vec<Literal> = (0..graph.len()).map(Literal::of).collect();
        for latch in &self.latches {
            if let Some(reset) = latch.reset {
                made[latch.current.node()] = Literal::constant(reset);
            }
        }
        let of =
            |made: &[Literal], one: Literal| made[one.node()].complemented_if(one.is_complement());
        for node in cone {
            if let Node::And(a, b) = graph.node(node) {
                made[node] = graph.and(of(&made, a), of(&made, b));
            }
        }
        of(&made, literal)
    }

    pub(crate) fn admitted(&mut self) -> Result<Condition, Refusal> {
        let mut all = Condition::TRUE;
        let always = defined(&self.always);
        for (id, one) in self.relation.numbered().filter(|(id, _)| !always.contains(id)) {
            let graph = &mut self.lowering.graph;
            let inside = graph.is_inside(&one.domain, &self.lowering.current[id.0 as usize]);
            all.holds = graph.and(all.holds, inside);
        }
        all = all.then(&mut self.lowering.graph, self.always_given);
        for one in others(&self.relation.always, &self.always) {
            let bits = self.lowering.current[one.variable.0 as usize].clone();
            let condition = self.lowering.allows(one, &bits)?;
            all = all.then(&mut self.lowering.graph, condition);
        }
        self.then_terms(all, &self.relation.invariants)
    }

    pub(crate) fn step(&mut self) -> Result<Condition, Refusal> {
        let mut all = self.next_given;
        for one in others(&self.relation.next, &self.next) {
            let bits = self.lowering.next[one.variable.0 as usize].clone().unwrap_or_default();
            let condition = self.lowering.allows(one, &bits)?;
            all = all.then(&mut self.lowering.graph, condition);
        }
        self.then_terms(all, &self.relation.transitions)
    }

    fn then_terms(&mut self, before: Condition, terms: &[TermId]) -> Result<Condition, Refusal> {
        let mut all = before;
        for term in terms {
            let condition = self.lowering.condition(*term)?;
            all = all.then(&mut self.lowering.graph, condition);
        }
        Ok(all)
    }
}

/// The variables that something reads at the next moment.
fn read_next(relation: &Relation) -> BTreeSet<VariableId> {
    let all = (0..relation.terms.len()).map(|i| relation.terms.term(TermId(i as u32)));
    all.filter_map(|term| match term {
        Term::Next(variable) => Some(variable),
        _ => None,
    })
    .collect()
}

/// The variables that are defined.
fn defined<'d>(definitions: impl IntoIterator<Item = &'d Definition>) -> BTreeSet<VariableId> {
    definitions.into_iter().map(|one| one.variable).collect()
}

/// The first definition of each variable.
fn firsts<'d>(definitions: impl Iterator<Item = &'d Definition>) -> Vec<Definition> {
    let mut seen = BTreeSet::new();
    definitions.filter(|one| seen.insert(one.variable)).copied().collect()
}

/// Those definitions that are not among the functional ones.
fn others<'d>(
    all: &'d [Definition],
    functional: &'d [Definition],
) -> impl Iterator<Item = &'d Definition> {
    let mut seen = BTreeSet::new();
    let functional = defined(functional);
    all.iter().filter(move |one| !(functional.contains(&one.variable) && seen.insert(one.variable)))
}

/// Definitions in an order in which each can be computed; without those that cannot, because
/// they read each other in a circle.
fn in_order(
    relation: &Relation,
    mut definitions: Vec<Definition>,
    of_next: bool,
) -> Vec<Definition> {
    loop {
        match ordered(relation, &definitions, |_| of_next) {
            Ok(order) => return order.into_iter().map(|i| definitions[i]).collect(),
            Err(circular) => definitions.retain(|one| one.variable != circular.0),
        }
    }
}
