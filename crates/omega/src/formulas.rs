//! Formulas in negation normal form, each subformula once.
//!
//! Negation stands only before atoms; `F`, `G`, `W`, `->`, `<->` are written with
//! what is left:
//!
//! ```text
//! F f = true U f      G f = false R f      f W g = g R (f ∨ g)
//! ¬X f = X ¬f         ¬(f U g) = ¬f R ¬g   ¬(f ∧ g) = ¬f ∨ ¬g
//! ```
//! Every formula has a number; equal formulas have the same one. The negation of
//! a formula is its mirror image, so that whatever is simplified on one side is
//! simplified on the other: the rules of `simplify` are written once, for `∧`,
//! `U` and `X`, and hold for `∨` and `R` through [`Formulas::not`].

use std::collections::BTreeMap;

use homing_ir::temporal::{Connective, Formula};

/// The number of a formula.
pub(crate) type Id = u32;

/// Never true.
pub(crate) const FALSE: Id = 0;
/// Always true.
pub(crate) const TRUE: Id = 1;

/// A formula in negation normal form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Node {
    Constant(bool),
    Literal {
        atom: u32,
        positive: bool,
    },
    Next(Id),
    /// At least two, in order.
    And(Box<[Id]>),
    /// At least two, in order.
    Or(Box<[Id]>),
    Until(Id, Id),
    Release(Id, Id),
}

/// What is known of a formula.
#[derive(Clone, Copy, Default)]
pub(crate) struct Facts {
    /// What holds behind any beginning: f = F f (Etessami and Holzmann's pure
    /// eventualities).
    pub eventual: bool,
    /// What holds of all ends of a run: f = G f.
    pub universal: bool,
    /// Without temporal operators.
    pub boolean: bool,
}

impl Facts {
    /// Whether it holds either everywhere on a run or nowhere: f = X f.
    pub fn suspendable(self) -> bool {
        self.eventual && self.universal
    }

    fn of_all(all: impl Iterator<Item = Facts>) -> Facts {
        let start = Facts { eventual: true, universal: true, boolean: true };
        all.fold(start, |a, b| Facts {
            eventual: a.eventual && b.eventual,
            universal: a.universal && b.universal,
            boolean: a.boolean && b.boolean,
        })
    }
}

/// All formulas at hand.
pub(crate) struct Formulas {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    numbers: BTreeMap<Node, Id>,
    /// By formula, its negation, once it was asked for.
    negations: Vec<Option<Id>>,
    /// What was found out about implications.
    pub(crate) implied: BTreeMap<(Id, Id), bool>,
    /// How much may still be done to simplify formulas.
    pub(crate) fuel: u32,
    /// How many implications may still be looked into.
    pub(crate) questions: u32,
}

/// So many pairs of formulas are looked at by rules; then formulas stay as they
/// are.
const FUEL: u32 = 1_000_000;
/// So many implications are looked into.
const QUESTIONS: u32 = 300_000;

impl Formulas {
    /// Only the constants.
    pub fn new() -> Formulas {
        let mut formulas = Formulas {
            nodes: Vec::new(),
            facts: Vec::new(),
            numbers: BTreeMap::new(),
            negations: Vec::new(),
            implied: BTreeMap::new(),
            fuel: FUEL,
            questions: QUESTIONS,
        };
        formulas.intern(Node::Constant(false));
        formulas.intern(Node::Constant(true));
        formulas
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn facts(&self, id: Id) -> Facts {
        self.facts[id as usize]
    }

    /// The number of a formula that is as simple as it gets.
    pub fn intern(&mut self, node: Node) -> Id {
        if let Some(id) = self.numbers.get(&node) {
            return *id;
        }
        let id = self.nodes.len() as Id;
        self.facts.push(self.facts_of(&node));
        self.numbers.insert(node.clone(), id);
        self.nodes.push(node);
        self.negations.push(None);
        id
    }

    fn facts_of(&self, node: &Node) -> Facts {
        match node {
            Node::Constant(_) => Facts { eventual: true, universal: true, boolean: true },
            Node::Literal { .. } => Facts { boolean: true, ..Facts::default() },
            Node::Next(f) => Facts { boolean: false, ..self.facts(*f) },
            Node::And(all) | Node::Or(all) => Facts::of_all(all.iter().map(|f| self.facts(*f))),
            Node::Until(f, g) => Facts {
                eventual: *f == TRUE || self.facts(*g).eventual,
                universal: self.facts(*f).universal && self.facts(*g).universal,
                boolean: false,
            },
            Node::Release(f, g) => Facts {
                eventual: self.facts(*f).eventual && self.facts(*g).eventual,
                universal: *f == FALSE || self.facts(*g).universal,
                boolean: false,
            },
        }
    }

    /// The mirror image of a formula.
    pub fn not(&mut self, f: Id) -> Id {
        if let Some(known) = self.negations[f as usize] {
            return known;
        }
        let mirrored = match self.node(f).clone() {
            Node::Constant(value) => Node::Constant(!value),
            Node::Literal { atom, positive } => Node::Literal { atom, positive: !positive },
            Node::Next(f) => Node::Next(self.not(f)),
            Node::And(all) => Node::Or(self.not_all(&all)),
            Node::Or(all) => Node::And(self.not_all(&all)),
            Node::Until(f, g) => Node::Release(self.not(f), self.not(g)),
            Node::Release(f, g) => Node::Until(self.not(f), self.not(g)),
        };
        let negation = self.intern(mirrored);
        self.negations[f as usize] = Some(negation);
        self.negations[negation as usize] = Some(f);
        negation
    }

    fn not_all(&mut self, all: &[Id]) -> Box<[Id]> {
        let mut negated: Vec<Id> = all.iter().map(|f| self.not(*f)).collect();
        negated.sort_unstable();
        negated.into()
    }

    /// `f ∨ g ∨ …`
    pub fn or(&mut self, all: Vec<Id>) -> Id {
        let negated = all.into_iter().map(|f| self.not(f)).collect();
        let neither = self.and(negated);
        self.not(neither)
    }

    /// `f R g`
    pub fn release(&mut self, f: Id, g: Id) -> Id {
        let (f, g) = (self.not(f), self.not(g));
        let until = self.until(f, g);
        self.not(until)
    }

    /// A formula as users write it, with numbers for atoms.
    pub fn read(&mut self, formula: &Formula<u32>) -> Id {
        match formula {
            Formula::Constant(value) => Id::from(*value),
            Formula::Atom(atom) => self.intern(Node::Literal { atom: *atom, positive: true }),
            Formula::Not(f) => {
                let f = self.read(f);
                self.not(f)
            }
            Formula::Next(f) => {
                let f = self.read(f);
                self.next(f)
            }
            Formula::Finally(f) => {
                let f = self.read(f);
                self.until(TRUE, f)
            }
            Formula::Globally(f) => {
                let f = self.read(f);
                self.release(FALSE, f)
            }
            Formula::Binary(op, f, g) => {
                let (f, g) = (self.read(f), self.read(g));
                self.binary(*op, f, g)
            }
        }
    }

    fn binary(&mut self, op: Connective, f: Id, g: Id) -> Id {
        match op {
            Connective::And => self.and(vec![f, g]),
            Connective::Or => self.or(vec![f, g]),
            Connective::Implies => {
                let not = self.not(f);
                self.or(vec![not, g])
            }
            Connective::Iff => {
                let (not_f, not_g) = (self.not(f), self.not(g));
                let (both, neither) = (self.and(vec![f, g]), self.and(vec![not_f, not_g]));
                self.or(vec![both, neither])
            }
            Connective::Until => self.until(f, g),
            Connective::Release => self.release(f, g),
            Connective::WeakUntil => {
                let either = self.or(vec![f, g]);
                self.release(g, either)
            }
        }
    }

    /// The formula as users write it.
    pub fn write(&self, f: Id) -> Formula<u32> {
        let boxed = |f: &Id| Box::new(self.write(*f));
        let folded = |op, all: &[Id]| {
            let written = all.iter().map(|f| self.write(*f));
            written.reduce(|f, g| Formula::binary(op, f, g)).unwrap_or(Formula::Constant(true))
        };
        match self.node(f) {
            Node::Constant(value) => Formula::Constant(*value),
            Node::Literal { atom, positive: true } => Formula::Atom(*atom),
            Node::Literal { atom, positive: false } => Formula::Atom(*atom).negated(),
            Node::Next(f) => Formula::Next(boxed(f)),
            Node::And(all) => folded(Connective::And, all),
            Node::Or(all) => folded(Connective::Or, all),
            Node::Until(TRUE, g) => Formula::Finally(boxed(g)),
            Node::Until(f, g) => Formula::Binary(Connective::Until, boxed(f), boxed(g)),
            Node::Release(FALSE, g) => Formula::Globally(boxed(g)),
            Node::Release(f, g) => Formula::Binary(Connective::Release, boxed(f), boxed(g)),
        }
    }
}
