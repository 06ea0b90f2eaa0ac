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

use batsat::{Callbacks, Lit, SolverInterface, SolverOpts, lbool};
use homing_gates::{Graph, Literal, Node};

use crate::effort::{Effort, Interrupted};

/// The most words of clauses that are put in: half of what can be numbered.
const MOST: usize = 1 << 31;

/// Lets the effort end a search for a model.
struct Watching(Rc<Effort>);

impl Callbacks for Watching {
    fn stop(&self) -> bool {
        self.0.is_spent_after(1)
    }
}

/// A solver to which gates are added as they are needed.
pub(crate) struct Solver {
    inner: batsat::Solver<Watching>,
    effort: Rc<Effort>,
    words: usize,
    clause: Vec<Lit>,
    /// Of each node, its variable, and the directions in which it has clauses.
    nodes: Vec<Option<Lit>>,
    directions: Vec<u8>,
    left: Vec<(usize, bool)>,
}

impl Solver {
    pub(crate) fn new(effort: &Rc<Effort>) -> Solver {
        Solver {
            inner: batsat::Solver::new(SolverOpts::default(), Watching(effort.clone())),
            effort: effort.clone(),
            words: 0,
            clause: Vec::new(),
            nodes: Vec::new(),
            directions: Vec::new(),
            left: Vec::new(),
        }
    }

    /// A new variable, as a literal.
    pub(crate) fn fresh(&mut self) -> Lit {
        Lit::new(self.inner.new_var_default(), true)
    }

    /// Adds a clause.
    pub(crate) fn add(&mut self, literals: impl IntoIterator<Item = Lit>) {
        self.clause.clear();
        self.clause.extend(literals);
        self.words += self.clause.len() + 4;
        self.inner.add_clause_reuse(&mut self.clause);
    }

    /// Looks for a model in which these are true.
    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Result<bool, Interrupted> {
        if self.words > MOST {
            return Err(Interrupted::Clauses);
        }
        self.effort.count(1)?;
        let found = self.inner.solve_limited(assumptions);
        match found == lbool::UNDEF {
            true => Err(self.effort.why().unwrap_or(Interrupted::Share)),
            false => Ok(found == lbool::TRUE),
        }
    }

    /// Whether an assumption was needed for there to be no model.
    pub(crate) fn was_needed(&self, assumption: Lit) -> bool {
        self.inner.unsat_core_contains_var(assumption.var())
    }

    /// Whether the clauses alone have no model.
    pub(crate) fn is_contradictory(&self) -> bool {
        !self.inner.is_ok()
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
        self.inner.value_lit(lit) == lbool::TRUE
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
