//! Terms as circuits, parts first: the value of each, and whether it has none.
//!
//! What `evaluate.rs` of `ir::relation` says of values and failures holds of the literals:
//! of a choice between branches only the one that is taken fails, of a conjunction of
//! booleans the second only where the first is true.

use std::collections::HashMap;

use homing_budget::checkpoint;
use homing_ir::relation::{Binary, Relation, Sort, Term, TermId, Unary, VariableId};

use crate::circuit::{Condition, Refusal};
use crate::encoding::{Signal, bits_of};
use crate::graph::{Graph, Literal};
use crate::numbers::Number;
use crate::words::{resized, sign};

/// The value of a term, and whether it has none.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub value: Signal,
    pub fails: Literal,
}

impl Lowered {
    fn sure(value: Signal) -> Lowered {
        Lowered { value, fails: Literal::FALSE }
    }

    /// As a condition: it does not hold where it fails.
    pub(crate) fn condition(&self, graph: &mut Graph) -> Condition {
        let holds = bool_of(&self.value);
        Condition { holds: graph.and(holds, !self.fails), fails: self.fails }
    }
}

/// Makes a circuit of terms.
pub(crate) struct Lowering<'r> {
    pub relation: &'r Relation,
    pub graph: Graph,
    /// The bits of variables at this moment and, as far as they are known, at the next.
    pub current: Vec<Vec<Literal>>,
    pub next: Vec<Option<Vec<Literal>>>,
    known: HashMap<TermId, Lowered>,
}

impl<'r> Lowering<'r> {
    pub(crate) fn new(relation: &'r Relation) -> Self {
        let none = vec![None; relation.variables.len()];
        let current = vec![Vec::new(); relation.variables.len()];
        let (graph, known) = (Graph::default(), HashMap::new());
        Lowering { relation, graph, current, next: none, known }
    }

    /// The value of a term; the bits of what it reads have to be known.
    pub(crate) fn value(&mut self, root: TermId) -> Result<Lowered, Refusal> {
        let mut left = vec![root];
        while let Some(&id) = left.last() {
            checkpoint();
            let parts = self.relation.terms.parts(id);
            let before = left.len();
            left.extend(parts.filter(|part| !self.known.contains_key(part)));
            if left.len() == before {
                left.pop();
                if !self.known.contains_key(&id) {
                    let lowered = self.lower(id)?;
                    self.known.insert(id, lowered);
                }
            }
        }
        Ok(self.known[&root].clone())
    }

    /// A boolean term as a condition.
    pub(crate) fn condition(&mut self, root: TermId) -> Result<Condition, Refusal> {
        let lowered = self.value(root)?;
        Ok(lowered.condition(&mut self.graph))
    }

    fn lower(&mut self, id: TermId) -> Result<Lowered, Refusal> {
        let terms = &self.relation.terms;
        self.small(terms.sort(id), id)?;
        Ok(match terms.term(id) {
            Term::Bool(value) => Lowered::sure(Signal::Bool(Literal::constant(value))),
            Term::Scalar(value) => Lowered::sure(Signal::Scalar(Number::constant(value))),
            Term::Word(number) => {
                let word = terms.word(number);
                let bits = (0..word.width()).map(|i| Literal::constant(word.bit(i)));
                Lowered::sure(Signal::Word(bits.collect()))
            }
            Term::Variable(variable) => self.read(variable, false),
            Term::Next(variable) => self.read(variable, true),
            Term::Unary(op, a) => self.unary(op, a),
            Term::Binary(op, a, b) => self.binary(op, a, b),
            Term::Choose(condition, a, b) => self.choose(condition, a, b),
            Term::Extract(a, high, low) => {
                let (word, fails) = self.word(a);
                let value = Signal::Word(word[low as usize..=high as usize].to_vec());
                Lowered { value, fails }
            }
            Term::Extend(a, width, signed) => {
                let (word, fails) = self.word(a);
                let new = if signed { sign(&word) } else { Literal::FALSE };
                Lowered { value: Signal::Word(resized(&word, width as usize, new)), fails }
            }
            Term::Write(array, at, element) => self.write(array, at, element),
            Term::Everywhere(element, index) => {
                let (word, fails) = self.word(element);
                Lowered { value: Signal::Array(vec![word; 1 << index]), fails }
            }
            Term::Union(..) | Term::Range(..) => {
                Lowered { value: nothing(terms.sort(id)), fails: Literal::TRUE }
            }
        })
    }

    /// Refuses a term with too many bits.
    fn small(&self, sort: Sort, id: TermId) -> Result<(), Refusal> {
        let Sort::Array { index, element } = sort else { return Ok(()) };
        let domain = homing_ir::relation::Domain::Array { index, element };
        match bits_of(&domain) {
            Some(_) => Ok(()),
            None => {
                Err(Refusal::Large { what: sort.to_string(), span: self.relation.terms.span(id) })
            }
        }
    }

    fn read(&mut self, variable: VariableId, next: bool) -> Lowered {
        let at = variable.0 as usize;
        let bits = match next {
            true => self.next[at].clone().unwrap_or_default(),
            false => self.current[at].clone(),
        };
        let value = self.graph.read(&self.relation.variables[at].domain, &bits);
        Lowered::sure(value)
    }

    fn get(&self, id: TermId) -> &Lowered {
        &self.known[&id]
    }

    fn word(&self, id: TermId) -> (Vec<Literal>, Literal) {
        let lowered = self.get(id);
        (word_of(&lowered.value), lowered.fails)
    }

    fn unary(&mut self, op: Unary, a: TermId) -> Lowered {
        let Lowered { value, fails } = self.get(a).clone();
        let graph = &mut self.graph;
        let (value, also) = match (op, value) {
            (Unary::Not, Signal::Bool(a)) => (Signal::Bool(!a), Literal::FALSE),
            (Unary::ToWord, Signal::Bool(a)) => (Signal::Word(vec![a]), Literal::FALSE),
            (Unary::Count, Signal::Bool(a)) => {
                (Signal::Scalar(Number::of(vec![a, Literal::FALSE])), Literal::FALSE)
            }
            (Unary::Complement, Signal::Word(a)) => {
                (Signal::Word(a.iter().map(|bit| !*bit).collect()), Literal::FALSE)
            }
            (Unary::Negate, Signal::Word(a)) => (Signal::Word(graph.negate(&a)), Literal::FALSE),
            (Unary::Parity, Signal::Word(a)) => {
                let odd = a.iter().fold(Literal::FALSE, |odd, bit| graph.xor(odd, *bit));
                (Signal::Bool(odd), Literal::FALSE)
            }
            (Unary::ToBool, Signal::Word(a)) => (Signal::Bool(a[0]), Literal::FALSE),
            (Unary::Unsigned | Unary::Signed, Signal::Word(a)) => {
                let (number, fails) = graph.number(op, &a);
                (Signal::Scalar(number), fails)
            }
            (Unary::Negate, Signal::Scalar(a)) => {
                let (number, fails) = graph.negate_number(&a);
                (Signal::Scalar(number), fails)
            }
            (_, other) => (other, Literal::FALSE),
        };
        Lowered { value, fails: self.graph.or(fails, also) }
    }

    fn binary(&mut self, op: Binary, a: TermId, b: TermId) -> Lowered {
        let (a, b) = (self.get(a).clone(), self.get(b).clone());
        let graph = &mut self.graph;
        if let (Binary::And | Binary::Or, Signal::Bool(x), Signal::Bool(y)) =
            (op, &a.value, &b.value)
        {
            let (value, asked) = match op {
                Binary::And => (graph.and(*x, *y), *x),
                _ => (graph.or(*x, *y), !*x),
            };
            let second = graph.and(asked, b.fails);
            return Lowered { value: Signal::Bool(value), fails: graph.or(a.fails, second) };
        }
        let fails = graph.or(a.fails, b.fails);
        let (value, also) = match (op, a.value, b.value) {
            (Binary::Equal, a, b) => (Signal::Bool(graph.equal_signals(&a, &b)), Literal::FALSE),
            (_, Signal::Bool(a), Signal::Bool(b)) => {
                (Signal::Bool(graph.xor(a, b)), Literal::FALSE)
            }
            (op, Signal::Word(a), Signal::Word(b)) => (graph.of_words(op, &a, &b), Literal::FALSE),
            (_, Signal::Array(elements), Signal::Word(at)) => {
                (Signal::Word(graph.select(&elements, &at)), Literal::FALSE)
            }
            (Binary::Less, Signal::Scalar(a), Signal::Scalar(b)) => {
                let fails = graph.or(a.symbol, b.symbol);
                (Signal::Bool(graph.less_numbers(&a, &b)), fails)
            }
            (op, Signal::Scalar(a), Signal::Scalar(b)) => {
                let (number, fails) = graph.arithmetic(op, &a, &b);
                (Signal::Scalar(number), fails)
            }
            (_, a, _) => (a, Literal::FALSE),
        };
        Lowered { value, fails: self.graph.or(fails, also) }
    }

    fn choose(&mut self, condition: TermId, a: TermId, b: TermId) -> Lowered {
        let condition = self.get(condition).clone();
        let (a, b) = (self.get(a).clone(), self.get(b).clone());
        let is_true = bool_of(&condition.value);
        let value = self.graph.choose_signal(is_true, &a.value, &b.value);
        let taken = self.graph.choose(is_true, a.fails, b.fails);
        Lowered { value, fails: self.graph.or(condition.fails, taken) }
    }

    fn write(&mut self, array: TermId, at: TermId, element: TermId) -> Lowered {
        let Lowered { value, fails } = self.get(array).clone();
        let ((at, no_index), (element, no_element)) = (self.word(at), self.word(element));
        let mut elements = match value {
            Signal::Array(elements) => elements,
            _ => Vec::new(),
        };
        for (number, old) in elements.iter_mut().enumerate() {
            let is_it = self.graph.is_number(&at, number);
            *old = self.graph.choose_word(is_it, &element, old);
        }
        let fails = self.graph.any([fails, no_index, no_element]);
        Lowered { value: Signal::Array(elements), fails }
    }
}

pub(crate) fn bool_of(value: &Signal) -> Literal {
    match value {
        Signal::Bool(literal) => *literal,
        _ => Literal::FALSE,
    }
}

fn word_of(value: &Signal) -> Vec<Literal> {
    match value {
        Signal::Word(word) => word.clone(),
        _ => Vec::new(),
    }
}

/// Some value of a sort.
fn nothing(sort: Sort) -> Signal {
    let word = |width: u32| vec![Literal::FALSE; width as usize];
    match sort {
        Sort::Bool => Signal::Bool(Literal::FALSE),
        Sort::Scalar => Signal::Scalar(Number::of(word(1))),
        Sort::Word(width) => Signal::Word(word(width)),
        Sort::Array { index, element } => Signal::Array(vec![word(element); 1 << index]),
    }
}

impl Graph {
    fn equal_signals(&mut self, a: &Signal, b: &Signal) -> Literal {
        match (a, b) {
            (Signal::Bool(a), Signal::Bool(b)) => self.same(*a, *b),
            (Signal::Scalar(a), Signal::Scalar(b)) => self.equal_numbers(a, b),
            (Signal::Word(a), Signal::Word(b)) => self.equal(a, b),
            (Signal::Array(a), Signal::Array(b)) => {
                let alike = a.iter().zip(b).map(|(a, b)| self.equal(a, b)).collect::<Vec<_>>();
                self.all(alike)
            }
            _ => Literal::FALSE,
        }
    }

    fn choose_signal(&mut self, condition: Literal, a: &Signal, b: &Signal) -> Signal {
        match (a, b) {
            (Signal::Bool(a), Signal::Bool(b)) => Signal::Bool(self.choose(condition, *a, *b)),
            (Signal::Scalar(a), Signal::Scalar(b)) => {
                Signal::Scalar(self.choose_number(condition, a, b))
            }
            (Signal::Word(a), Signal::Word(b)) => Signal::Word(self.choose_word(condition, a, b)),
            (Signal::Array(a), Signal::Array(b)) => {
                let elements = a.iter().zip(b).map(|(a, b)| self.choose_word(condition, a, b));
                Signal::Array(elements.collect())
            }
            _ => a.clone(),
        }
    }

    fn of_words(&mut self, op: Binary, a: &[Literal], b: &[Literal]) -> Signal {
        Signal::Word(match op {
            Binary::And => self.bitwise(a, b, Graph::and),
            Binary::Or => self.bitwise(a, b, Graph::or),
            Binary::Xor => self.bitwise(a, b, Graph::xor),
            Binary::Less => return Signal::Bool(self.less(a, b)),
            Binary::SignedLess => return Signal::Bool(self.signed_less(a, b)),
            Binary::Equal => return Signal::Bool(self.equal(a, b)),
            Binary::Add => self.add(a, b),
            Binary::Subtract => self.subtract(a, b),
            Binary::Multiply => self.multiply(a, b),
            Binary::Divide => self.divide(a, b).0,
            Binary::Remainder => self.divide(a, b).1,
            Binary::SignedDivide => self.signed_divide(a, b),
            Binary::SignedRemainder => self.signed_remainder(a, b),
            Binary::SignedModulo => self.signed_modulo(a, b),
            Binary::ShiftLeft => self.shift(a, b, true, Literal::FALSE),
            Binary::ShiftRight => self.shift(a, b, false, Literal::FALSE),
            Binary::ShiftRightSigned => self.shift(a, b, false, sign(a)),
            Binary::RotateLeft => self.rotate(a, b, true),
            Binary::RotateRight => self.rotate(a, b, false),
            Binary::Concat => [b, a].concat(),
            // Of arrays only; sorts are checked where terms are made.
            Binary::Read => a.to_vec(),
        })
    }
}
