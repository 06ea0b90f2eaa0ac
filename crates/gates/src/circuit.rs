//! A relation as a circuit: latches, inputs, and conditions.
//!
//! ```text
//! latch      a bit of a variable that is part of the state; its `next` is a function of
//!            latches and inputs
//! input      a bit of an input, or of a choice that a definition has
//! a run      latches and inputs moment by moment: `initial` holds of the first, `admitted`
//!            of every one, `step` of every one but the last, and every latch is what its
//!            `next` was at the moment before
//! ```
//! The runs of the circuit are those of the relation: what is not functional becomes so.
//!
//! - A choice in a definition is made by inputs of its own.
//! - The next value of a state variable that nothing defines is an input.
//! - What `next` definitions and transition constraints read at the next moment is replaced
//!   by the functions that say what it is then. An input that is read so is a latch whose
//!   next value is an input.
//! - A variable that an `always` definition gives its value, and that nothing reads at the
//!   next moment, is that function and has no bits of its own.
//! - Definitions beyond the first of a variable, and those that read each other in a circle,
//!   are conditions.
//!
//! Where a term fails, the condition it is in does not hold and `fails` says so: conditions
//! are looked at one after the other, as the interpreter does, and the first that does not
//! hold ends it.

use std::collections::BTreeSet;
use std::fmt;

use homing_ir::Span;
use homing_ir::relation::{Definition, Kind, Relation, Term, TermId, Value, VariableId, ordered};

use crate::encoding::{bits_of, decoded, encoded};
use crate::graph::{Graph, Literal, value};
use crate::lowering::Lowering;

/// Whether something holds, and whether it cannot be said because a term has no value: then
/// it does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// It holds.
    pub holds: Literal,
    /// It has no value.
    pub fails: Literal,
}

impl Condition {
    const TRUE: Condition = Condition { holds: Literal::TRUE, fails: Literal::FALSE };

    /// This one and, where it holds, another.
    fn then(self, graph: &mut Graph, other: Condition) -> Condition {
        let second = graph.and(self.holds, other.fails);
        Condition { holds: graph.and(self.holds, other.holds), fails: graph.or(self.fails, second) }
    }

    /// Whether it does not hold though it has a value.
    pub fn is_false(self, graph: &mut Graph) -> Literal {
        graph.and(!self.holds, !self.fails)
    }
}

/// A bit of the state.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// What it is at this moment: a leaf.
    pub current: Literal,
    /// What it is at the next.
    pub next: Literal,
    /// What it is at the first moment, where a definition says so alone. `initial` says it
    /// too.
    pub reset: Option<bool>,
    /// The variable it belongs to; none where it was added.
    pub variable: Option<VariableId>,
}

/// What a leaf of the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// A latch, by number.
    Latch(usize),
    /// An input, by number.
    Input(usize),
}

/// Why there is no circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Something has too many bits.
    Large {
        /// What it is.
        what: String,
        /// Where it is written.
        span: Span,
    },
    /// There would be too many gates.
    Gates,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Large { what, .. } => write!(f, "{what} is too large to be taken bit by bit"),
            Refusal::Gates => write!(f, "the model has too many gates"),
        }
    }
}

/// A circuit.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The gates.
    pub graph: Graph,
    /// The state.
    pub latches: Vec<Latch>,
    /// What is chosen anew at every moment: leaves.
    pub inputs: Vec<Literal>,
    /// What holds at the first moment.
    pub initial: Condition,
    /// What holds at every moment.
    pub admitted: Condition,
    /// What holds at every moment but the last.
    pub step: Condition,
    /// What holds again and again.
    pub justice: Vec<Condition>,
    /// What holds again and again if something else does: first that, then this.
    pub compassion: Vec<(Condition, Condition)>,
    /// The terms that were asked for, in their order.
    pub asked: Vec<Condition>,
    variables: Vec<Vec<Literal>>,
    leaves: Vec<Leaf>,
}

impl Circuit {
    /// The circuit of a relation, with boolean terms that are asked about it: they read
    /// nothing of the next moment.
    pub fn new(relation: &Relation, asked: &[TermId]) -> Result<Circuit, Refusal> {
        let mut building = Building::new(relation);
        building.leaves()?;
        building.combinational()?;
        building.next()?;
        let initial = building.initial()?;
        let admitted = building.admitted()?;
        let step = building.step()?;
        let lowering = &mut building.lowering;
        let all = |terms: &[TermId], lowering: &mut Lowering| {
            terms.iter().map(|term| lowering.condition(*term)).collect::<Result<Vec<_>, _>>()
        };
        let justice = all(&relation.justice, lowering)?;
        let (firsts, seconds): (Vec<TermId>, Vec<TermId>) =
            relation.compassion.iter().copied().unzip();
        let compassion = all(&firsts, lowering)?.into_iter().zip(all(&seconds, lowering)?);
        let compassion = compassion.collect();
        let asked = all(asked, lowering)?;
        if lowering.graph.is_full() {
            return Err(Refusal::Gates);
        }
        let Building { lowering, latches, inputs, .. } = building;
        let mut leaves = vec![Leaf::Input(0); lowering.graph.leaves()];
        let numbered = latches.iter().enumerate().map(|(i, one)| (one.current, Leaf::Latch(i)));
        let inputs_too = inputs.iter().enumerate().map(|(i, one)| (*one, Leaf::Input(i)));
        for (literal, leaf) in numbered.chain(inputs_too) {
            if let Some(number) = lowering.graph.leaf_number(literal) {
                leaves[number] = leaf;
            }
        }
        Ok(Circuit {
            graph: lowering.graph,
            latches,
            inputs,
            initial,
            admitted,
            step,
            justice,
            compassion,
            asked,
            variables: lowering.current,
            leaves,
        })
    }

    /// The bits of a variable at this moment: leaves, or functions of them. How they stand
    /// for a value is said in `encoding.rs`.
    pub fn bits(&self, variable: VariableId) -> &[Literal] {
        &self.variables[variable.0 as usize]
    }

    /// Adds a latch that begins so, and says later what it is next.
    pub fn add_latch(&mut self, reset: Option<bool>) -> Literal {
        let current = self.graph.leaf();
        self.leaves.push(Leaf::Latch(self.latches.len()));
        self.latches.push(Latch { current, next: current, reset, variable: None });
        if let Some(reset) = reset {
            let begins = current.complemented_if(!reset);
            self.initial.holds = self.graph.and(self.initial.holds, begins);
        }
        current
    }

    /// Adds an input.
    pub fn add_input(&mut self) -> Literal {
        let input = self.graph.leaf();
        self.leaves.push(Leaf::Input(self.inputs.len()));
        self.inputs.push(input);
        input
    }

    /// What a leaf is, by its number in the graph.
    pub fn leaf(&self, number: usize) -> Leaf {
        self.leaves[number]
    }

    /// The values of all nodes where latches and inputs have these, by number.
    pub fn evaluate(&self, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
        let leaves: Vec<bool> = self
            .leaves
            .iter()
            .map(|leaf| match leaf {
                Leaf::Latch(number) => latches[*number],
                Leaf::Input(number) => inputs[*number],
            })
            .collect();
        self.graph.evaluate(&leaves)
    }

    /// The values of variables, from those of nodes ([`Circuit::evaluate`]).
    pub fn valuation(&self, relation: &Relation, nodes: &[bool]) -> Vec<Value> {
        let all = relation.variables.iter().zip(&self.variables);
        all.map(|(one, bits)| {
            let bits: Vec<bool> = bits.iter().map(|bit| value(nodes, *bit)).collect();
            decoded(&one.domain, &bits)
        })
        .collect()
    }

    /// The values of latches and inputs where variables have these; choices are false.
    pub fn leaves_of(&self, relation: &Relation, values: &[Value]) -> (Vec<bool>, Vec<bool>) {
        let mut latches = vec![false; self.latches.len()];
        let mut inputs = vec![false; self.inputs.len()];
        for ((one, bits), value) in relation.variables.iter().zip(&self.variables).zip(values) {
            for (literal, bit) in bits.iter().zip(encoded(&one.domain, value)) {
                match self.graph.leaf_number(*literal).map(|number| self.leaves[number]) {
                    Some(Leaf::Latch(number)) => latches[number] = bit,
                    Some(Leaf::Input(number)) => inputs[number] = bit,
                    None => {}
                }
            }
        }
        (latches, inputs)
    }

    /// The cone of influence: the latches that literals depend on, now or in a later moment.
    pub fn influence(&self, roots: impl IntoIterator<Item = Literal>) -> Vec<bool> {
        let mut seen = vec![false; self.graph.len()];
        let mut latches = vec![false; self.latches.len()];
        let mut left: Vec<usize> = roots.into_iter().map(Literal::node).collect();
        while let Some(node) = left.pop() {
            homing_budget::checkpoint();
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            match self.graph.node(node) {
                crate::Node::Constant => {}
                crate::Node::And(a, b) => left.extend([a.node(), b.node()]),
                crate::Node::Leaf(number) => {
                    if let Leaf::Latch(latch) = self.leaves[number as usize] {
                        latches[latch] = true;
                        left.push(self.latches[latch].next.node());
                    }
                }
            }
        }
        latches
    }
}

/// A circuit that is being made.
struct Building<'r> {
    relation: &'r Relation,
    lowering: Lowering<'r>,
    latches: Vec<Latch>,
    inputs: Vec<Literal>,
    /// Definitions that are functions: of this moment, and of the next.
    always: Vec<Definition>,
    next: Vec<Definition>,
    /// What is said of functional definitions: that they have a value of the domain.
    always_given: Condition,
    next_given: Condition,
}

impl<'r> Building<'r> {
    fn new(relation: &'r Relation) -> Self {
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
    fn leaves(&mut self) -> Result<(), Refusal> {
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

    fn combinational(&mut self) -> Result<(), Refusal> {
        for one in std::mem::take(&mut self.always) {
            let defined = self.lowering.define(&one, &mut self.inputs)?;
            self.always_given = self.given(self.always_given, &defined);
            self.lowering.current[one.variable.0 as usize] = defined.encoded.bits;
            self.always.push(one);
        }
        Ok(())
    }

    /// What a definition says beside the value, after what was said before.
    fn given(&mut self, before: Condition, defined: &crate::definitions::Defined) -> Condition {
        let graph = &mut self.lowering.graph;
        let holds = graph.and(defined.encoded.inside, !defined.fails);
        before.then(graph, Condition { holds, fails: defined.fails })
    }

    /// What latches are next.
    fn next(&mut self) -> Result<(), Refusal> {
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

    fn initial(&mut self) -> Result<Condition, Refusal> {
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

    fn admitted(&mut self) -> Result<Condition, Refusal> {
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

    fn step(&mut self) -> Result<Condition, Refusal> {
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
