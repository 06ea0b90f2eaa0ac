//! Temporal formulas.
//!
//! Bounded operators are written out, step by step:
//!
//! ```text
//! EBF a..b f   = EX … EX (f | EX (f | … EX f))     a times EX, then b - a alternatives
//! EBG a..b f   = EX … EX (f & EX (f & … EX f))     ABF, ABG: AX; F [a,b] f, G [a,b] f: X
//! E [f BU a..b g] = f & EX (… (g | f & EX (… g)))
//! ```

use std::rc::Rc;

use homing_ir::relation::{Ctl, TermId, Unary};
use homing_ir::temporal::{Connective, Formula};
use homing_ir::{Diagnostic, Span};

use super::instances::Model;
use super::lower::Values;
use super::syntax::{Infix, NodeId, Temporal};
use super::values::{Array, Measured, Type, Typed, Value};
use crate::reading::Parse;

/// How deep formulas may be nested.
const MOST_DEPTH: usize = 400;
/// How many parts a formula may have.
const MOST_PARTS: usize = 100_000;

type Tree = Measured<Ctl>;
type Run = Measured<Formula<TermId>>;

impl<F> Measured<F> {
    fn over<G>(&self, formula: G) -> Measured<G> {
        Measured { formula, depth: self.depth + 1, size: self.size + 1, fails: self.fails }
    }
}

impl Model<'_> {
    /// A temporal operator of one operand.
    pub fn temporal(
        &mut self,
        operator: Temporal,
        of: NodeId,
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        if let Value::Unsupported(why) = values.get(of) {
            return Ok(Value::Unsupported(Rc::clone(why)));
        }
        if operator.is_of_trees() {
            let of = self.tree(of, values)?;
            let f = Box::new(of.formula.clone());
            let truth = Box::new(self.truth(span));
            return Ok(self.kept_tree(of.over(match operator {
                Temporal::ExistsNext => Ctl::ExistsNext(f),
                Temporal::AllNext => Ctl::AllNext(f),
                Temporal::ExistsFinally => Ctl::ExistsUntil(truth, f),
                Temporal::AllFinally => Ctl::AllUntil(truth, f),
                Temporal::ExistsGlobally => Ctl::ExistsAlways(f),
                _ => Ctl::AllAlways(f),
            })));
        }
        let of = match self.run(of, values)? {
            Ok(of) => of,
            Err(why) => return Ok(Value::Unsupported(why)),
        };
        let f = Box::new(of.formula.clone());
        Ok(match operator {
            Temporal::Next => self.kept_run(of.over(Formula::Next(f))),
            Temporal::Finally => self.kept_run(of.over(Formula::Finally(f))),
            Temporal::Globally => self.kept_run(of.over(Formula::Globally(f))),
            _ => self.past(operator, &of, span)?,
        })
    }

    /// The same within numbers of steps.
    pub fn bounded(
        &mut self,
        operator: Temporal,
        (from, to): (u32, u32),
        of: NodeId,
        values: &Values,
    ) -> Parse<Value> {
        if let Value::Unsupported(why) = values.get(of) {
            return Ok(Value::Unsupported(Rc::clone(why)));
        }
        if to as usize > MOST_DEPTH {
            return Ok(too_large());
        }
        if operator.is_of_trees() {
            let f = self.tree(of, values)?;
            let all = matches!(operator, Temporal::AllFinally | Temporal::AllGlobally);
            let any = matches!(operator, Temporal::ExistsFinally | Temporal::AllFinally);
            let mut tree = (*f).clone();
            for _ in from..to {
                tree = joined(&f, &stepped(&tree, all), any);
                if is_large(&tree) {
                    return Ok(too_large());
                }
            }
            for _ in 0..from {
                tree = stepped(&tree, all);
            }
            return Ok(self.kept_tree(tree));
        }
        let f = match self.run(of, values)? {
            Ok(f) => f,
            Err(why) => return Ok(Value::Unsupported(why)),
        };
        let connective = match operator {
            Temporal::Finally => Connective::Or,
            Temporal::Globally => Connective::And,
            Temporal::Once | Temporal::Historically => {
                return self.bounded_past(operator, (from, to), &f, self.span(of));
            }
            _ => {
                let message = format!("`{}` takes no bounds", operator.sign());
                return self.fail(Diagnostic::error(message, self.span(of)));
            }
        };
        let next = |run: &Run| run.over(Formula::Next(Box::new(run.formula.clone())));
        let mut run = (*f).clone();
        for _ in from..to {
            run = linked(connective, &f, &next(&run));
            if is_large(&run) {
                return Ok(too_large());
            }
        }
        for _ in 0..from {
            run = next(&run);
        }
        Ok(self.kept_run(run))
    }

    /// `A [f U g]` and `E [f U g]`.
    pub fn until(
        &mut self,
        all: bool,
        [hold, reach]: [NodeId; 2],
        within: Option<(u32, u32)>,
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        let (f, g) = (self.tree(hold, values)?, self.tree(reach, values)?);
        let fails = self.any([f.fails, g.fails], span)?;
        let Some((from, to)) = within else {
            let (hold, reach) = (Box::new(f.formula.clone()), Box::new(g.formula.clone()));
            let formula = match all {
                true => Ctl::AllUntil(hold, reach),
                false => Ctl::ExistsUntil(hold, reach),
            };
            let depth = f.depth.max(g.depth) + 1;
            return Ok(self.kept_tree(Tree { formula, depth, size: f.size + g.size + 1, fails }));
        };
        if to as usize > MOST_DEPTH {
            return Ok(too_large());
        }
        let mut tree = (*g).clone();
        for step in 0..to {
            tree = joined(&f, &stepped(&tree, all), false);
            if step < to - from {
                tree = joined(&g, &tree, true);
            }
            if is_large(&tree) {
                return Ok(too_large());
            }
        }
        Ok(self.kept_tree(Tree { fails, ..tree }))
    }

    /// The negation of something that is no term.
    pub fn negated(&mut self, of: NodeId, values: &Values) -> Parse<Value> {
        Ok(match values.get(of) {
            Value::Unsupported(why) => Value::Unsupported(Rc::clone(why)),
            Value::Run(run) => {
                let run = run.over(run.formula.clone().negated());
                self.kept_run(run)
            }
            _ => {
                let tree = self.tree(of, values)?;
                let not = not(&tree);
                self.kept_tree(not)
            }
        })
    }

    /// An operator between two values that are not both terms, or that speaks of runs.
    pub fn connected(
        &mut self,
        operator: Infix,
        [a, b]: [NodeId; 2],
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        match (values.get(a), values.get(b)) {
            (Value::Part(_), _) => return self.term(a, values).map(Value::Term),
            (_, Value::Part(_)) => return self.term(b, values).map(Value::Term),
            (Value::Array(x), Value::Array(y))
                if matches!(operator, Infix::Equal | Infix::NotEqual) =>
            {
                let (x, y) = (Rc::clone(x), Rc::clone(y));
                let equal = self.same_arrays(&x, &y, span)?;
                if operator == Infix::Equal {
                    return Ok(Value::Term(equal));
                }
                let term = self.unary(Unary::Not, equal.term, span)?;
                return Ok(Value::Term(Typed { term, ..equal }));
            }
            (Value::Unsupported(why), _) | (_, Value::Unsupported(why)) => {
                return Ok(Value::Unsupported(Rc::clone(why)));
            }
            (x, y) => {
                let logical = matches!(
                    operator,
                    Infix::And | Infix::Or | Infix::Xor | Infix::Xnor | Infix::Implies | Infix::Iff
                );
                if !logical && !operator.is_of_runs() {
                    let (x, y) = (x.describe(), y.describe());
                    let message = format!("`{}` stands between {x} and {y}", operator.sign());
                    return self.fail(Diagnostic::error(message, span));
                }
            }
        }
        let of_runs = |id| matches!(values.get(id), Value::Run(_));
        match operator.is_of_runs() || of_runs(a) || of_runs(b) {
            true => self.connected_runs(operator, [a, b], values, span),
            false => self.connected_trees(operator, [a, b], values, span),
        }
    }

    fn connected_trees(
        &mut self,
        operator: Infix,
        [a, b]: [NodeId; 2],
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        let (a, b) = (self.tree(a, values)?, self.tree(b, values)?);
        let fails = self.any([a.fails, b.fails], span)?;
        let tree = match operator {
            Infix::And => joined(&a, &b, false),
            Infix::Or => joined(&a, &b, true),
            Infix::Implies => joined(&not(&a), &b, true),
            Infix::Iff | Infix::Xnor => {
                joined(&joined(&not(&a), &b, true), &joined(&not(&b), &a, true), false)
            }
            _ => joined(&joined(&a, &b, true), &joined(&not(&a), &not(&b), true), false),
        };
        Ok(self.kept_tree(Tree { fails, ..tree }))
    }

    fn connected_runs(
        &mut self,
        operator: Infix,
        [a, b]: [NodeId; 2],
        values: &Values,
        span: Span,
    ) -> Parse<Value> {
        let (a, b) = match (self.run(a, values)?, self.run(b, values)?) {
            (Ok(a), Ok(b)) => (a, b),
            (Err(why), _) | (_, Err(why)) => return Ok(Value::Unsupported(why)),
        };
        let connective = match operator {
            Infix::Since | Infix::Triggered => return self.since(operator, [&a, &b], span),
            Infix::And => Connective::And,
            Infix::Or => Connective::Or,
            Infix::Implies => Connective::Implies,
            Infix::Iff | Infix::Xnor | Infix::Xor => Connective::Iff,
            Infix::Until => Connective::Until,
            _ => Connective::Release,
        };
        let fails = self.any([a.fails, b.fails], span)?;
        let run = Run { fails, ..linked(connective, &a, &b) };
        Ok(match operator {
            Infix::Xor => {
                let run = run.over(run.formula.clone().negated());
                self.kept_run(run)
            }
            _ => self.kept_run(run),
        })
    }

    /// Recursion is as deep as arrays have dimensions.
    fn same_arrays(&mut self, a: &Array, b: &Array, span: Span) -> Parse<Typed> {
        if a.elements.len() != b.elements.len() {
            let message = "the arrays have different lengths";
            return self.fail(Diagnostic::error(message, span));
        }
        let term = self.relation.terms.bool(true, span);
        let mut same = Typed { term, ty: Type::Bool, fails: self.never };
        for pair in a.elements.iter().zip(&b.elements) {
            let equal = match pair {
                (Value::Term(a), Value::Term(b)) => self.infix(Infix::Equal, *a, *b, span)?,
                (Value::Array(a), Value::Array(b)) => self.same_arrays(a, b, span)?,
                _ => {
                    let message = "the elements of the arrays cannot be compared";
                    return self.fail(Diagnostic::error(message, span));
                }
            };
            same = self.infix(Infix::And, same, equal, span)?;
        }
        Ok(same)
    }

    fn truth(&mut self, span: Span) -> Ctl {
        Ctl::Atom(self.relation.terms.bool(true, span))
    }

    /// What a node says of trees.
    pub fn tree(&mut self, id: NodeId, values: &Values) -> Parse<Rc<Tree>> {
        match values.get(id) {
            Value::Tree(tree) => Ok(Rc::clone(tree)),
            Value::Run(_) => {
                let message = "a formula of runs stands within one of computation trees";
                self.fail(Diagnostic::error(message, self.span(id)))
            }
            _ => {
                let atom = self.condition(id, values)?;
                self.tree_of(atom, self.span(id)).map(Rc::new)
            }
        }
    }

    /// The formula that a condition is: of the state alone.
    pub fn tree_of(&mut self, atom: Typed, span: Span) -> Parse<Tree> {
        self.of_moment(atom, span)?;
        if let Some(name) = self.input_in([atom.term]) {
            let message = format!(
                "a formula of computation trees speaks of the input `{name}`, not of states"
            );
            return self.fail(Diagnostic::error(message, span));
        }
        Ok(Tree { formula: Ctl::Atom(atom.term), depth: 1, size: 1, fails: atom.fails })
    }

    /// What a node says of runs, or why nobody can say it.
    pub fn run(&mut self, id: NodeId, values: &Values) -> Parse<Result<Rc<Run>, Rc<str>>> {
        match values.get(id) {
            Value::Run(run) => Ok(Ok(Rc::clone(run))),
            Value::Unsupported(why) => Ok(Err(Rc::clone(why))),
            Value::Tree(_) => {
                let message = "a formula of computation trees stands within one of runs";
                self.fail(Diagnostic::error(message, self.span(id)))
            }
            _ => {
                let atom = self.condition(id, values)?;
                self.run_of(atom, self.span(id)).map(|run| run.map(Rc::new))
            }
        }
    }

    /// The formula that a condition is.
    pub fn run_of(&mut self, atom: Typed, span: Span) -> Parse<Result<Run, Rc<str>>> {
        let reads = self.reads(atom.term);
        let measured = |formula| Run { formula, depth: 2, size: 2, fails: atom.fails };
        if !reads.next {
            return Ok(Ok(measured(Formula::Atom(atom.term))));
        }
        if reads.current {
            let why = "`next` stands beside values of the same moment";
            return Ok(Err(why.into()));
        }
        let now = self.moved(atom.term, false, span)?;
        Ok(Ok(measured(Formula::Next(Box::new(Formula::Atom(now))))))
    }

    /// Refuses what speaks of the next moment.
    pub fn of_moment(&mut self, of: Typed, span: Span) -> Parse<()> {
        if !self.reads(of.term).next && !self.reads(of.fails).next {
            return Ok(());
        }
        match self.relation.terms.support([of.term, of.fails]).next.first() {
            None => Ok(()),
            Some(id) => {
                let name = &self.relation.variable(*id).name;
                let message = format!("`next` cannot stand here: this speaks of `next({name})`");
                self.fail(Diagnostic::error(message, span))
            }
        }
    }

    fn kept_tree(&self, tree: Tree) -> Value {
        if is_large(&tree) { too_large() } else { Value::Tree(Rc::new(tree)) }
    }

    fn kept_run(&self, run: Run) -> Value {
        if is_large(&run) { too_large() } else { Value::Run(Rc::new(run)) }
    }
}

fn is_large<F>(of: &Measured<F>) -> bool {
    of.depth > MOST_DEPTH || of.size > MOST_PARTS
}

fn too_large() -> Value {
    Value::Unsupported(
        format!(
            "the formula is deeper than {MOST_DEPTH} levels or has more than {MOST_PARTS} parts"
        )
        .into(),
    )
}

fn not(tree: &Tree) -> Tree {
    tree.over(Ctl::Not(Box::new(tree.formula.clone())))
}

fn stepped(tree: &Tree, all: bool) -> Tree {
    let f = Box::new(tree.formula.clone());
    tree.over(if all { Ctl::AllNext(f) } else { Ctl::ExistsNext(f) })
}

fn joined(a: &Tree, b: &Tree, or: bool) -> Tree {
    let (f, g) = (Box::new(a.formula.clone()), Box::new(b.formula.clone()));
    let formula = if or { Ctl::Or(f, g) } else { Ctl::And(f, g) };
    Tree { formula, depth: a.depth.max(b.depth) + 1, size: a.size + b.size + 1, fails: a.fails }
}

fn linked(connective: Connective, a: &Run, b: &Run) -> Run {
    let formula = Formula::binary(connective, a.formula.clone(), b.formula.clone());
    Run { formula, depth: a.depth.max(b.depth) + 1, size: a.size + b.size + 1, fails: a.fails }
}
