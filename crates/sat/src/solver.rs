//! A solver of clauses, and the clauses of gates.
//!
//! Tseitin, "On the complexity of derivation in propositional calculus" (1968); Plaisted,
//! Greenbaum, "A structure-preserving clause form translation" (J. Symb. Comp. 2, 1986): a
//! gate has a variable, and only the clauses of the direction it is needed in.
//!
//! ```text
//! v stands for a ∧ b     v is needed true:  ¬v ∨ a,  ¬v ∨ b
//!                        v is needed false: v ∨ ¬a ∨ ¬b
//! ```
//! Clauses are added when a literal is first asked for, so that a query pays for its cone
//! alone. Values of gates in a model need not be those of their fan-ins; values of leaves
//! are what they are.

use std::rc::Rc;

use homing_gates::{Graph, Literal, Node};

use crate::cdcl::{Cdcl, Lit};
use crate::effort::{Effort, Interrupted};

/// The most words of clauses that are put in: half of what can be numbered.
const MOST: usize = 1 << 30;

/// What decides whether clauses have a model.
pub(crate) trait Clausal {
    /// Without variables.
    fn new(effort: &Rc<Effort>) -> Self;
    /// A new variable.
    fn fresh(&mut self) -> Lit;
    /// Adds a clause.
    fn add(&mut self, clause: &mut Vec<Lit>);
    /// Looks for a model in which these are true; `None` if the effort was spent.
    fn solve(&mut self, assumptions: &[Lit]) -> Option<bool>;
}

impl Clausal for Cdcl {
    fn new(effort: &Rc<Effort>) -> Cdcl {
        Cdcl::new(effort)
    }

    fn fresh(&mut self) -> Lit {
        Cdcl::fresh(self)
    }

    fn add(&mut self, clause: &mut Vec<Lit>) {
        Cdcl::add(self, clause);
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Option<bool> {
        Cdcl::solve(self, assumptions, None)
    }
}

/// A solver to which gates are added as they are needed.
pub(crate) struct Solver<C = Cdcl> {
    inner: C,
    effort: Rc<Effort>,
    words: usize,
    clause: Vec<Lit>,
    /// Of each node, its variable, and the directions in which it has clauses.
    nodes: Vec<Option<Lit>>,
    directions: Vec<u8>,
    left: Vec<(usize, bool)>,
    /// Of each node, when it was met last, and how often nodes were met.
    met: Vec<u32>,
    meetings: u32,
}

impl<C: Clausal> Solver<C> {
    pub(crate) fn new(effort: &Rc<Effort>) -> Self {
        Solver {
            inner: C::new(effort),
            effort: effort.clone(),
            words: 0,
            clause: Vec::new(),
            nodes: Vec::new(),
            directions: Vec::new(),
            left: Vec::new(),
            met: Vec::new(),
            meetings: 0,
        }
    }

    /// A new variable, as a literal.
    pub(crate) fn fresh(&mut self) -> Lit {
        self.inner.fresh()
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals);
        self.words += self.clause.len() + 4;
        self.inner.add(&mut self.clause);
    }

    /// Looks for a model in which these are true.
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Interrupted> {
        self.ready()?;
        self.inner.solve(assumptions).ok_or_else(|| self.interrupted())
    }

    fn ready(&self) -> Result<(), Interrupted> {
        match self.words > MOST {
            true => Err(Interrupted::Clauses),
            false => self.effort.count(1),
        }
    }

    fn interrupted(&self) -> Interrupted {
        self.effort.why().unwrap_or(Interrupted::Share)
    }

    /// Makes a literal of a graph true.
    pub(crate) fn assert(&mut self, graph: &Graph, literal: Literal) {
        if literal != Literal::TRUE {
            let lit = self.literal(graph, literal);
            self.add([lit]);
        }
    }

    /// A variable that, if it is true, makes a literal of a graph true. So its complement
    /// may be put into clauses, and itself be assumed.
    pub(crate) fn literal(&mut self, graph: &Graph, literal: Literal) -> Lit {
        if self.nodes.len() < graph.len() {
            self.nodes.resize(graph.len(), None);
            self.directions.resize(graph.len(), 0);
        }
        self.left.push((literal.node(), !literal.is_complement()));
        while let Some((node, is_true)) = self.left.pop() {
            self.direction(graph, node, is_true);
        }
        self.of(literal)
    }

    /// Adds the clauses of a node in one direction.
    fn direction(&mut self, graph: &Graph, node: usize, is_true: bool) {
        let bit = 1 << u8::from(is_true);
        if self.directions[node] & bit != 0 {
            return;
        }
        self.directions[node] |= bit;
        let own = self.of(Literal::of(node));
        match graph.node(node) {
            Node::Leaf(_) => {}
            Node::Constant => self.add([!own]),
            Node::And(a, b) => {
                let (x, y) = (self.of(a), self.of(b));
                for literal in [a, b] {
                    self.left.push((literal.node(), is_true != literal.is_complement()));
                }
                match is_true {
                    true => {
                        self.add([!own, x]);
                        self.add([!own, y]);
                    }
                    false => self.add([own, !x, !y]),
                }
            }
        }
    }

    fn of(&mut self, literal: Literal) -> Lit {
        let node = literal.node();
        let lit = match self.nodes[node] {
            Some(lit) => lit,
            None => {
                let lit = self.fresh();
                self.nodes[node] = Some(lit);
                lit
            }
        };
        if literal.is_complement() { !lit } else { lit }
    }
}

impl Solver {
    /// Looks for a model in which these are true, deciding nothing but these variables.
    pub(crate) fn solve_within(
        &mut self,
        assumptions: &[Lit],
        within: &[Lit],
    ) -> Result<bool, Interrupted> {
        self.ready()?;
        // To look for what is within takes time as well.
        self.effort.count(within.len() as u64 / 32)?;
        self.inner.solve(assumptions, Some(within)).ok_or_else(|| self.interrupted())
    }

    /// Adds a clause for the next query alone.
    pub(crate) fn suppose(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals);
        self.inner.suppose(&mut self.clause);
    }

    /// Whether an assumption was needed for there to be no model.
    pub(crate) fn was_needed(&self, assumption: Lit) -> bool {
        self.inner.was_needed(assumption)
    }

    /// Whether the clauses alone have no model.
    pub(crate) fn is_contradictory(&self) -> bool {
        self.inner.is_contradictory()
    }

    /// The value of a leaf in the model; false where it does not matter.
    pub(crate) fn value(&self, leaf: Literal) -> bool {
        let known = self.nodes.get(leaf.node()).copied().flatten();
        known.is_some_and(|lit| self.holds(lit)) != leaf.is_complement()
    }

    /// Whether a leaf has a variable.
    pub(crate) fn knows(&self, leaf: Literal) -> bool {
        self.nodes.get(leaf.node()).is_some_and(Option::is_some)
    }

    /// The value of a variable in the model.
    pub(crate) fn holds(&self, lit: Lit) -> bool {
        self.inner.holds(lit)
    }

    /// Begins to collect cones anew.
    pub(crate) fn meet_anew(&mut self) {
        self.meetings += 1;
    }

    /// Adds the nodes on which literals depend and that were not met, with their variables.
    pub(crate) fn meet(
        &mut self,
        graph: &Graph,
        literals: impl IntoIterator<Item = Literal>,
        cone: &mut Vec<(usize, Lit)>,
    ) {
        self.met.resize(graph.len(), 0);
        let begin = cone.len();
        let roots = literals.into_iter().map(Literal::node);
        roots.for_each(|node| self.meet_node(node, cone));
        let mut at = begin;
        while let Some((node, _)) = cone.get(at).copied() {
            at += 1;
            if let Node::And(a, b) = graph.node(node) {
                self.meet_node(a.node(), cone);
                self.meet_node(b.node(), cone);
            }
        }
    }

    fn meet_node(&mut self, node: usize, cone: &mut Vec<(usize, Lit)>) {
        if std::mem::replace(&mut self.met[node], self.meetings) != self.meetings
            && let Some(lit) = self.nodes.get(node).copied().flatten()
        {
            cone.push((node, lit));
        }
    }
}
