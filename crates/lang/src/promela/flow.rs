//! From a body's text to its states.
//!
//! What counts as one state of a process decides how many states a model has,
//! so this follows SPIN to the letter, its numbers of states and statements
//! included: trails name statements by them.
//!
//! ```text
//! body   → nodes, one a statement, linked in sequences           (`build`)
//!          `if`, `do`: a node with options; behind it a join
//!          `atomic`, `d_step`, `{ }`: a node around a sequence
//!          `goto`, `break`, joins: nodes that lead on
//! nodes  → which are indivisible                                  (`mark`)
//! nodes  → states with transitions                                (`states`)
//!          behind a statement control rests at the next node that is neither
//!          a jump nor a join, unless that leaves an atomic sequence too early;
//!          a choice has the transitions its options start with, options of
//!          options put in their place
//! ```
//!
//! A declaration behind a statement is a statement itself: it sets the variable.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::{Span, network};

use super::scope::{Local, ScopeId, Scopes};
use super::syntax::{
    Binary, Declaration, Expr, ExprKind, Name, Reference, Sequence, Statement, StatementKind, Step,
};
use crate::reports::Reports;
use homing_ir::Diagnostic;

mod declared;
mod loops;
mod states;
mod unless;

pub(super) use states::{Flow, Hold, State, Transition};

/// The number of a node in its body.
pub(super) type NodeId = usize;
type Chain = usize;

/// What a node is.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "most nodes are statements")]
pub(super) enum What {
    /// A statement that does something, or a condition.
    Plain(StatementKind),
    /// Declares a record behind statements: does nothing.
    Nothing,
    /// `goto`, to a label.
    Goto(Name),
    /// `break`, and the end of a `for`: to this node.
    Leave(NodeId),
    /// Where the options of a choice meet again.
    Join,
    /// Behind a loop: where `break` leads.
    Exit,
    /// `if` and `do`.
    Choice,
    /// A sequence in braces.
    Group(Group, Chain),
    /// The first of its options may be left for the second at any time.
    Unless,
    /// The closing brace of the body.
    End,
}

/// How a group is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    Plain,
    Atomic,
    Deterministic,
}

/// One statement of a body.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub what: What,
    /// SPIN's number of the state before it, from 1 on.
    pub number: u32,
    pub span: Span,
    pub scope: ScopeId,
    /// Declarations with greater numbers come later in the text.
    pub order: u32,
    next: Option<NodeId>,
    options: Vec<Chain>,
    escapes: Vec<Chain>,
    /// Control stays with the process behind it.
    atomic: bool,
    /// It is the last of an atomic sequence.
    last: bool,
    /// It lies in a `d_step`.
    pub deterministic: bool,
    /// It is a step of a loop, whose text its span is.
    pub piece: bool,
}

/// Nodes one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    first: Option<NodeId>,
    last: Option<NodeId>,
    /// The last node that was written, before a join was added.
    extent: Option<NodeId>,
}

/// A claim that a process alone receives from a channel, or sends to it.
#[derive(Clone, Debug)]
pub(super) struct Exclusive {
    /// Whether it is about receiving.
    pub receive: bool,
    pub channel: Reference,
    pub scope: ScopeId,
    /// The number of declarations before it.
    pub order: u32,
}

#[derive(Clone, Debug)]
struct Label {
    name: Name,
    scope: ScopeId,
    call: u32,
    node: NodeId,
}

/// A body on its way.
pub(super) struct Body<'a> {
    pub scopes: &'a mut Scopes,
    pub reports: &'a mut Reports,
    /// The variables of the process type, parameters first.
    pub locals: Vec<Local>,
    nodes: Vec<Node>,
    chains: Vec<Ends>,
    labels: Vec<Label>,
    /// Where the labels of a name are among these, in order.
    named: BTreeMap<String, Vec<usize>>,
    exclusive: Vec<Exclusive>,
    /// Where `break` leads, innermost last: the nodes do not exist yet, so
    /// each loop has a number.
    loops: Vec<usize>,
    exits: Vec<Option<NodeId>>,
    leaving: Vec<(NodeId, usize)>,
    scope: ScopeId,
    /// Whether declarations still initialise at the start.
    at_start: bool,
    first_id: u32,
}

impl<'a> Body<'a> {
    /// The states of a process type's parameters and body. `asked` are labels that are asked
    /// for from outside, `first_id` is the number of its
    /// first statement among all of the model.
    pub(super) fn flow(
        (parameters, text): (&[Declaration], &Sequence),
        asked: &BTreeSet<String>,
        scopes: &'a mut Scopes,
        reports: &'a mut Reports,
        first_id: u32,
    ) -> (Flow, Vec<Local>) {
        let scope = scopes.enter(ScopeId::GLOBAL);
        let mut body = Body {
            scopes,
            reports,
            locals: Vec::new(),
            nodes: Vec::new(),
            chains: Vec::new(),
            labels: Vec::new(),
            named: BTreeMap::new(),
            exclusive: Vec::new(),
            loops: Vec::new(),
            exits: Vec::new(),
            leaving: Vec::new(),
            scope,
            at_start: true,
            first_id,
        };
        for declaration in parameters {
            body.declare(declaration, true);
        }
        let chain = body.open();
        body.steps(text, chain);
        let end = Span { start: text.span.end.saturating_sub(1), ..text.span };
        let node = body.node(What::End, end);
        body.append(node, chain);
        body.link_breaks();
        body.show_labels(asked);
        let scope = body.scope;
        let flow = body.states(chain, scope);
        (flow, body.locals)
    }

    fn open(&mut self) -> Chain {
        self.chains.push(Ends::default());
        self.chains.len() - 1
    }

    fn close(&mut self, chain: Chain) {
        self.chains[chain].extent = self.chains[chain].last;
    }

    fn node(&mut self, what: What, span: Span) -> NodeId {
        let number = self.nodes.len() as u32 + 1;
        self.nodes.push(Node {
            what,
            number,
            span,
            scope: self.scope,
            order: self.scopes.order(),
            next: None,
            options: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            last: false,
            deterministic: false,
            piece: false,
        });
        self.nodes.len() - 1
    }

    fn append(&mut self, node: NodeId, chain: Chain) {
        let jumps = matches!(self.nodes[node].what, What::Goto(_) | What::Leave(_));
        // Nodes and labels are made in the same order.
        let own = || self.labels.iter().rev().take_while(|label| label.node >= node);
        let special = |label: &Label| {
            label.node == node
                && ["accept", "end", "progress"]
                    .iter()
                    .any(|kind| label.name.text.starts_with(kind))
        };
        if jumps && own().any(special) {
            // A label that means something needs a state to stand at.
            let span = self.nodes[node].span;
            let skip = self.node(What::Plain(skip(span)), span);
            if let Some(label) = self.labels.iter_mut().rev().find(|label| label.node == node) {
                label.node = skip;
            }
            self.append(skip, chain);
        }
        match self.chains[chain].last {
            None => self.chains[chain].first = Some(node),
            Some(last) => self.nodes[last].next = Some(node),
        }
        self.chains[chain].last = Some(node);
    }

    fn plain(&mut self, kind: StatementKind, span: Span, chain: Chain) {
        let node = self.node(What::Plain(kind), span);
        self.append(node, chain);
    }

    /// A step of a loop that nobody wrote as a statement.
    fn piece(&mut self, kind: StatementKind, span: Span, chain: Chain) {
        let node = self.node(What::Plain(kind), span);
        self.nodes[node].piece = true;
        self.append(node, chain);
    }

    fn steps(&mut self, sequence: &Sequence, chain: Chain) {
        for step in &sequence.steps {
            homing_budget::checkpoint();
            match step {
                Step::Declaration(declaration) => self.declaration(declaration, chain),
                Step::Exclusive { receive, channels, .. } => self.claim(*receive, channels),
                Step::Statement(statement) => self.statement(statement, chain),
            }
        }
        self.close(chain);
    }

    /// `xr c` and `xs c`.
    fn claim(&mut self, receive: bool, channels: &[Reference]) {
        let (scope, order) = (self.scope, self.scopes.order());
        let claims = channels.iter().cloned();
        self.exclusive.extend(claims.map(|channel| Exclusive { receive, channel, scope, order }));
    }

    /// A sequence in a scope of its own.
    fn block(&mut self, sequence: &Sequence) -> Chain {
        let outer = self.scope;
        self.scope = self.scopes.enter(outer);
        let chain = self.option(sequence);
        self.scope = outer;
        chain
    }

    /// An option of a choice: SPIN gives it no scope of its own.
    fn option(&mut self, sequence: &Sequence) -> Chain {
        let chain = self.open();
        self.at_start = false;
        self.steps(sequence, chain);
        chain
    }

    fn statement(&mut self, statement: &Statement, chain: Chain) {
        let lifted =
            matches!(statement.kind, StatementKind::Unless(..)) && !statement.labels.is_empty();
        let node = if lifted {
            // SPIN puts braces around an `unless` with a label, for the label
            // to stand at.
            let inner = self.open();
            self.kind(&statement.kind, statement.span, inner);
            self.close(inner);
            Some(self.node(What::Group(Group::Plain, inner), statement.span))
        } else {
            self.kind(&statement.kind, statement.span, chain)
        };
        self.at_start = false;
        let Some(node) = node else { return };
        for name in &statement.labels {
            let same = |label: &&Label| label.call == statement.call && label.scope == self.scope;
            let label = self.labels_of(&name.text).rev().find(same);
            if let Some(label) = label.map(|label| label.name.clone()) {
                let message = format!("the label `{}` is there twice", name.text);
                let error = Diagnostic::error(message, name.span);
                self.reports.add(error.related(label.span, "first here"));
            }
            let label = Label { name: name.clone(), scope: self.scope, call: statement.call, node };
            self.named.entry(name.text.clone()).or_default().push(self.labels.len());
            self.labels.push(label);
        }
        // Choices were appended when they were made: joins stand around them.
        if !matches!(self.nodes[node].what, What::Choice | What::Unless) {
            self.append(node, chain);
        }
    }

    /// The node of a statement, and whatever is around it.
    fn kind(&mut self, kind: &StatementKind, span: Span, chain: Chain) -> Option<NodeId> {
        let node = match kind {
            StatementKind::If(options) => {
                let chains = self.options(options);
                self.choice(chains, None, span, chain)
            }
            StatementKind::Do(options) => {
                let number = self.enter_loop();
                let chains = self.options(options);
                self.choice(chains, Some(number), span, chain)
            }
            StatementKind::For { index, from, to, body } => {
                let number = self.enter_loop();
                self.for_loop(index, from, to, Some(body), number, span, chain)
            }
            StatementKind::ForIn { index, of, body } => {
                self.for_in(index, of, body, span, chain)?
            }
            StatementKind::Select { index, from, to } => {
                let number = self.enter_loop();
                self.for_loop(index, from, to, None, number, span, chain)
            }
            StatementKind::Break => {
                let Some(number) = self.loops.last().copied() else {
                    let error = Diagnostic::error("`break` outside of a loop", span);
                    self.reports.add(error);
                    return None;
                };
                self.leave(number, span)
            }
            StatementKind::Goto(name) => self.node(What::Goto(name.clone()), span),
            StatementKind::Atomic(body) => self.group(Group::Atomic, body, span),
            StatementKind::Deterministic(body) => self.group(Group::Deterministic, body, span),
            StatementKind::Block(body) => self.group(Group::Plain, body, span),
            StatementKind::Inline { body, .. } => self.group(Group::Plain, body, span),
            StatementKind::Unless(normal, escape) => self.unless(normal, escape, span, chain),
            leaf => self.node(What::Plain(leaf.clone()), span),
        };
        Some(node)
    }

    fn options(&mut self, options: &[Sequence]) -> Vec<Chain> {
        let chains: Vec<Chain> = options.iter().map(|option| self.option(option)).collect();
        chains.iter().for_each(|chain| self.prune(*chain));
        chains
    }

    fn enter_loop(&mut self) -> usize {
        self.exits.push(None);
        self.loops.push(self.exits.len() - 1);
        self.exits.len() - 1
    }

    fn leave(&mut self, number: usize, span: Span) -> NodeId {
        let node = self.node(What::Leave(0), span);
        self.leaving.push((node, number));
        node
    }

    /// A label before a `goto` that is asked for from outside needs a state: a
    /// `skip` before the jump.
    fn show_labels(&mut self, asked: &BTreeSet<String>) {
        for at in 0..self.labels.len() {
            let node = self.labels[at].node;
            let jumps = matches!(self.nodes[node].what, What::Goto(_) | What::Leave(_));
            if jumps && asked.contains(&self.labels[at].name.text) {
                let span = self.nodes[node].span;
                let what = std::mem::replace(&mut self.nodes[node].what, What::Plain(skip(span)));
                let jump = self.node(what, span);
                self.nodes[jump].scope = self.nodes[node].scope;
                self.nodes[jump].next = self.nodes[node].next;
                self.nodes[node].next = Some(jump);
            }
        }
    }

    fn link_breaks(&mut self) {
        for (node, number) in std::mem::take(&mut self.leaving) {
            if let Some(exit) = self.exits[number] {
                self.nodes[node].what = What::Leave(exit);
            }
        }
    }

    fn choice(
        &mut self,
        mut options: Vec<Chain>,
        number: Option<usize>,
        span: Span,
        chain: Chain,
    ) -> NodeId {
        let choice = self.node(What::Choice, span);
        let join = self.node(What::Join, span);
        // `else` is looked at last.
        let is_else = |body: &Body, option: &Chain| {
            let first = body.chains[*option].first.map(|first| &body.nodes[first].what);
            matches!(first, Some(What::Plain(StatementKind::Else)))
        };
        options.sort_by_key(|option| is_else(self, option));
        for option in &options {
            self.append(join, *option);
        }
        self.nodes[choice].options = options;
        match number {
            None => {
                self.append(choice, chain);
                self.append(join, chain);
            }
            Some(number) => {
                self.append(join, chain);
                let exit = self.node(What::Exit, span);
                self.exits[number] = Some(exit);
                self.loops.pop();
                self.append(choice, chain);
                self.append(exit, chain);
            }
        }
        choice
    }

    /// Of several `skip`s in a row, those between the first and the last
    /// statement of an option are left out.
    fn prune(&mut self, option: Chain) {
        let ends = self.chains[option];
        let (mut before, mut at, mut skips) = (None, ends.first, 0);
        while let Some(node) = at {
            homing_budget::checkpoint();
            let labelled = self.labels.iter().any(|label| label.node == node);
            let (idle, prints) = match &self.nodes[node].what {
                What::Plain(StatementKind::Print(..) | StatementKind::PrintSymbol(_)) => {
                    (true, true)
                }
                What::Plain(StatementKind::Expression(e)) => {
                    (matches!(e.kind, ExprKind::Number(1)), false)
                }
                _ => (false, false),
            };
            at = self.nodes[node].next;
            if !idle || labelled {
                skips = 0;
            } else {
                skips += 1;
                let inside = ends.first != Some(node)
                    && ends.last != Some(node)
                    && ends.extent != Some(node);
                if let (true, false, true, Some(before)) = (skips > 1, prints, inside, before) {
                    let before: NodeId = before;
                    self.nodes[before].next = at;
                    continue;
                }
            }
            before = Some(node);
        }
    }

    fn group(&mut self, group: Group, body: &Sequence, span: Span) -> NodeId {
        let chain = self.block(body);
        let node = self.node(What::Group(group, chain), span);
        match group {
            Group::Plain => {}
            Group::Atomic => self.make_atomic(chain, false),
            Group::Deterministic => self.make_atomic(chain, true),
        }
        node
    }

    /// Marks the nodes of an atomic sequence, or of a `d_step`.
    fn make_atomic(&mut self, chain: Chain, deterministic: bool) {
        self.mark(chain, deterministic);
        let Some(last) = self.chains[chain].last else { return };
        match self.nodes[last].what {
            What::Group(Group::Plain | Group::Atomic, inner) => {
                self.make_atomic(inner, deterministic);
            }
            What::Unless => self.make_atomic(self.nodes[last].options[0], deterministic),
            _ => {
                self.nodes[last].atomic = false;
                self.nodes[last].last = true;
            }
        }
    }

    fn mark(&mut self, chain: Chain, deterministic: bool) {
        let ends = self.chains[chain];
        let mut at = ends.first;
        while let Some(node) = at {
            homing_budget::checkpoint();
            self.nodes[node].atomic = true;
            self.nodes[node].deterministic |= deterministic;
            if let What::Group(group, inner) = self.nodes[node].what {
                // What is indivisible already needs not be told again.
                if group != Group::Deterministic || deterministic {
                    self.nodes[node].what = What::Group(Group::Plain, inner);
                    self.mark(inner, deterministic);
                }
            }
            for option in self.nodes[node].options.clone() {
                self.mark(option, deterministic);
            }
            if ends.last == Some(node) {
                break;
            }
            at = self.nodes[node].next;
        }
    }

    /// The node a label stands at, seen from a scope: in the same scope, in
    /// one around it, or anywhere in the body.
    fn label(&self, name: &str, scope: ScopeId) -> Option<NodeId> {
        let named = || self.labels_of(name);
        named()
            .find(|label| label.scope == scope)
            .or_else(|| {
                self.scopes
                    .around(scope)
                    .find_map(|outer| named().find(|label| label.scope == outer))
            })
            .or_else(|| named().next())
            .map(|label| label.node)
    }

    /// The labels of a name, the last one first.
    fn labels_of(&self, name: &str) -> impl DoubleEndedIterator<Item = &Label> {
        let found = self.named.get(name).map_or(&[][..], Vec::as_slice);
        found.iter().rev().map(|at| &self.labels[*at])
    }

    fn label_table(&self) -> BTreeMap<String, NodeId> {
        self.labels.iter().map(|label| (label.name.text.clone(), label.node)).collect()
    }
}

fn skip(span: Span) -> StatementKind {
    StatementKind::Expression(Expr { kind: ExprKind::Number(1), span })
}

fn read(reference: &Reference) -> Expr {
    Expr { kind: ExprKind::Reference(reference.clone()), span: reference.span }
}

fn binary(op: network::Binary, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary(Binary::Plain(op), Box::new(left), Box::new(right)), span }
}
