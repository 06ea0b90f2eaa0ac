//! Line after line: what nodes are.

use std::collections::{HashMap, HashSet};

use homing_budget::checkpoint;
use homing_ir::relation::{
    Bits, Definition, Domain, Goal, Kind, MAX_WIDTH, Relation, Sort, SortError, Specification,
    TermId, Unary, VariableId,
};
use homing_ir::{Diagnostic, SourceId, Span};

use super::words::{Problem, Read, Words};
use crate::reports::Reports;

/// What a number stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Sort(Sort),
    Term(TermId),
    State(TermId, VariableId),
    /// A line without a value, by what it begins with.
    Other,
    /// A line that was left out.
    Lost,
}

/// All nodes so far.
pub struct Nodes {
    source: SourceId,
    pub(super) relation: Relation,
    known: HashMap<u32, Node>,
    last: u32,
    states: u32,
    inputs: u32,
    begun: HashSet<VariableId>,
    changed: HashSet<VariableId>,
}

impl Nodes {
    /// No nodes.
    pub fn new(source: SourceId) -> Nodes {
        Nodes {
            source,
            relation: Relation::default(),
            known: HashMap::new(),
            last: 0,
            states: 0,
            inputs: 0,
            begun: HashSet::new(),
            changed: HashSet::new(),
        }
    }

    /// Reads a text.
    pub fn read(&mut self, text: &str, reports: &mut Reports) {
        let mut start = 0;
        for line in text.split('\n') {
            checkpoint();
            let mut words = Words::new(self.source, line, start);
            start += line.len() as u32 + 1;
            match self.line(&mut words) {
                Ok(()) => {}
                Err(problem) => {
                    if let Problem::Wrong(diagnostic) = problem {
                        reports.add(*diagnostic);
                    }
                    self.known.entry(self.last).or_insert(Node::Lost);
                }
            }
            if reports.full() {
                return;
            }
        }
    }

    /// The relation: states that nothing is said of are inputs.
    pub fn finish(mut self) -> Relation {
        for (i, variable) in self.relation.variables.iter_mut().enumerate() {
            let id = VariableId(i as u32);
            if !self.begun.contains(&id) && !self.changed.contains(&id) {
                variable.kind = Kind::Input;
            }
        }
        std::mem::take(&mut self.relation)
    }

    fn line(&mut self, words: &mut Words) -> Read<()> {
        let Some(first) = words.next() else { return Ok(()) };
        let number = match first.parse::<u32>() {
            Ok(number) if number > 0 && first.bytes().all(|byte| byte.is_ascii_digit()) => number,
            _ => return words.wrong("a line begins with the number of its node"),
        };
        if number <= self.last {
            return words.wrong(format!("the number must be larger than {}", self.last));
        }
        self.last = number;
        let tag = words.needed("what the node is")?;
        let node = self.node(tag, words)?;
        self.known.insert(number, node);
        Ok(())
    }

    fn node(&mut self, tag: &str, words: &mut Words) -> Read<Node> {
        let tag_span = words.span();
        let node = match tag {
            "sort" => Node::Sort(sort(self, words)?),
            "input" | "state" => return self.variable(tag == "state", words),
            "init" | "next" => return self.definition(tag == "init", words),
            "bad" | "constraint" | "fair" | "output" => return self.condition(tag, words),
            "justice" => return self.justice(words),
            "zero" | "one" | "ones" | "const" | "constd" | "consth" => {
                Node::Term(self.constant(tag, words)?)
            }
            _ => Node::Term(self.operator(tag, tag_span, words)?),
        };
        self.end(words)?;
        Ok(node)
    }

    /// The end of a line, perhaps behind a symbol.
    fn end(&mut self, words: &mut Words) -> Read<()> {
        words.next();
        match words.next() {
            None => Ok(()),
            Some(_) => words.wrong("expected the end of the line"),
        }
    }

    fn variable(&mut self, state: bool, words: &mut Words) -> Read<Node> {
        let sort = self.sort(words)?;
        let name = words.next().map(str::to_string);
        let named = words.span();
        self.end(words)?;
        let count = if state { &mut self.states } else { &mut self.inputs };
        let position = *count;
        *count += 1;
        let letter = if state { "state" } else { "input" };
        let (name, span) = match name {
            Some(name) => (name, named),
            None => (format!("{letter}{position}"), words.whole()),
        };
        let domain = match sort {
            Sort::Array { index, element } => Domain::Array { index, element },
            Sort::Word(width) => Domain::Word { width, signed: false },
            Sort::Bool | Sort::Scalar => Domain::Bool,
        };
        let kind = if state { Kind::State } else { Kind::Input };
        let id = self.relation.declare(name, kind, domain, span);
        self.relation.variables[id.0 as usize].number = position;
        let term = self.relation.read(id, span);
        Ok(if state { Node::State(term, id) } else { Node::Term(term) })
    }

    fn definition(&mut self, initial: bool, words: &mut Words) -> Read<Node> {
        let sort = self.sort(words)?;
        let number = words.number("the number of a state")?;
        let Some(Node::State(_, variable)) = self.known.get(&number).copied() else {
            return match self.known.get(&number) {
                Some(Node::Lost) => Err(Problem::Lost),
                _ => words.wrong("expected the number of a state"),
            };
        };
        let own = self.relation.variable(variable).domain.sort();
        if own != sort {
            return words.wrong(format!("the state is {own}, not {sort}"));
        }
        let mut value = self.argument(words)?;
        let span = words.span();
        if let (Sort::Array { index, element }, true) = (own, initial)
            && self.relation.terms.sort(value) == Sort::Word(element)
        {
            value = made(self.relation.terms.everywhere(value, index, span), span)?;
        }
        let found = self.relation.terms.sort(value);
        if found != own {
            return words.wrong(format!("the value is {found}, not {own}"));
        }
        self.end(words)?;
        let list = match initial {
            true if self.begun.insert(variable) => &mut self.relation.initially,
            false if self.changed.insert(variable) => &mut self.relation.next,
            _ => return words.wrong("this was said of the state before"),
        };
        list.push(Definition { variable, value, span });
        Ok(Node::Other)
    }

    fn condition(&mut self, tag: &str, words: &mut Words) -> Read<Node> {
        let argument = self.argument(words)?;
        let span = words.span();
        let name = words.next().map(str::to_string);
        self.end(words)?;
        if tag == "output" {
            let name = name.unwrap_or_else(|| format!("output{}", self.relation.named.len()));
            self.relation.named.push((name, argument));
            return Ok(Node::Other);
        }
        let term = self.boolean(argument, span)?;
        match tag {
            "constraint" => self.relation.invariants.push(term),
            "fair" => self.relation.justice.push(term),
            _ => {
                let goal =
                    Goal::Invariant(made(self.relation.terms.unary(Unary::Not, term, span), span)?);
                self.specify(name, "bad", goal, span);
            }
        }
        Ok(Node::Other)
    }

    fn specify(&mut self, name: Option<String>, kind: &str, goal: Goal, span: Span) {
        let same = |one: &&Specification| {
            matches!(one.goal, Goal::Invariant(_)) == matches!(goal, Goal::Invariant(_))
        };
        let count = self.relation.specifications.iter().filter(same).count();
        let name = name.unwrap_or_else(|| format!("{kind}{count}"));
        self.relation.specifications.push(Specification { name, goal, span });
    }

    fn justice(&mut self, words: &mut Words) -> Read<Node> {
        let count = words.number("the number of conditions")?;
        let mut terms = Vec::new();
        for _ in 0..count {
            let argument = self.argument(words)?;
            let span = words.span();
            terms.push(self.boolean(argument, span)?);
        }
        let name = words.next().map(str::to_string);
        self.end(words)?;
        self.specify(name, "justice", Goal::Justice(terms), words.whole());
        Ok(Node::Other)
    }

    /// A word of one bit as a condition.
    fn boolean(&mut self, term: TermId, span: Span) -> Read<TermId> {
        made(self.relation.terms.unary(Unary::ToBool, term, span), span)
    }

    fn constant(&mut self, tag: &str, words: &mut Words) -> Read<TermId> {
        let sort = self.sort(words)?;
        let Sort::Word(width) = sort else {
            return words.wrong("a constant is a word");
        };
        let span = words.whole();
        let base = match tag {
            "const" => 2,
            "constd" => 10,
            "consth" => 16,
            _ => {
                let number = Bits::of(u64::from(tag == "one"), width);
                let word = self.relation.terms.constant_word(number, span);
                return match tag {
                    "ones" => made(self.relation.terms.unary(Unary::Complement, word, span), span),
                    _ => Ok(word),
                };
            }
        };
        let digits = words.needed("the digits of a constant")?;
        let (negative, digits) = match digits.strip_prefix('-') {
            Some(rest) if base == 10 => (true, rest),
            _ => (false, digits),
        };
        let exact = base != 2 || digits.len() == width as usize;
        let number = Bits::parse(digits, base, width).filter(|_| exact && !digits.is_empty());
        let Some(number) = number else {
            return words.wrong(format!("this is no constant of {width} bits in base {base}"));
        };
        // -2^(width-1) is the least number there is.
        let least =
            number.sign() && Bits::from_fn(width, |i| i + 1 < width && number.bit(i)).is_zero();
        if negative && number.sign() && !least {
            return words.wrong(format!("the number does not fit into {width} bits"));
        }
        let word = self.relation.terms.constant_word(number, words.span());
        match negative {
            true => made(self.relation.terms.unary(Unary::Negate, word, span), span),
            false => Ok(word),
        }
    }

    pub(super) fn sort(&mut self, words: &mut Words) -> Read<Sort> {
        let number = words.number("the number of a sort")?;
        match self.known.get(&number) {
            Some(Node::Sort(sort)) => Ok(*sort),
            Some(Node::Lost) => Err(Problem::Lost),
            Some(_) => words.wrong(format!("{number} is no sort")),
            None => words.wrong(format!("there is no sort {number} before this line")),
        }
    }

    /// A node before this one, or its complement.
    pub(super) fn argument(&mut self, words: &mut Words) -> Read<TermId> {
        let word = words.needed("the number of a node")?;
        let (negated, digits) = match word.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, word),
        };
        let number = digits.parse::<u32>().ok();
        let number = number.filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(number) = number else {
            return words.wrong("expected the number of a node");
        };
        let term = match self.known.get(&number) {
            Some(Node::Term(term) | Node::State(term, _)) => *term,
            Some(Node::Lost) => return Err(Problem::Lost),
            Some(_) => return words.wrong(format!("{number} has no value")),
            None => return words.wrong(format!("there is no node {number} before this line")),
        };
        let span = words.span();
        match negated {
            true => made(self.relation.terms.unary(Unary::Complement, term, span), span),
            false => Ok(term),
        }
    }
}

/// A term that could be made, or what is wrong with it.
pub(super) fn made<T>(made: Result<T, SortError>, span: Span) -> Read<T> {
    made.map_err(|SortError(message)| Problem::Wrong(Box::new(Diagnostic::error(message, span))))
}

fn sort(nodes: &mut Nodes, words: &mut Words) -> Read<Sort> {
    match words.needed("`bitvec` or `array`")? {
        "bitvec" => match words.number("a width")? {
            0 => words.wrong("a word has one bit at least"),
            width if width <= MAX_WIDTH => Ok(Sort::Word(width)),
            width => words.wrong(format!("a word of {width} bits is too wide")),
        },
        "array" => {
            let index = nodes.sort(words)?;
            let Sort::Word(index) = index else {
                return words.wrong("arrays indexed by arrays are not read");
            };
            match nodes.sort(words)? {
                Sort::Word(element) => Ok(Sort::Array { index, element }),
                _ => words.wrong("arrays of arrays are not read"),
            }
        }
        _ => words.wrong("expected `bitvec` or `array`"),
    }
}
