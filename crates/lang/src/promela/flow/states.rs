//! From linked nodes to states with transitions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use homing_ir::{Diagnostic, Span};

use super::super::scope::ScopeId;
use super::super::syntax::{ExprKind, StatementKind};
use super::{Body, Chain, Exclusive, Group, Node, NodeId, What};

/// Jumps in a row after which a text is confusing, as SPIN has it.
const MOST_JUMPS: usize = 500;

/// The states of a process type.
#[derive(Clone, Debug)]
pub(in super::super) struct Flow {
    /// The state it starts in.
    pub start: u32,
    /// By SPIN's number.
    pub states: BTreeMap<u32, State>,
    /// The numbers labels stand for.
    pub labels: BTreeMap<String, u32>,
    /// The statements.
    pub nodes: Vec<Node>,
    /// The scope of the body.
    pub scope: ScopeId,
    /// What is claimed with `xr` and `xs`.
    pub exclusive: Vec<Exclusive>,
}

/// A state of a process type.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct State {
    pub span: Span,
    /// In the order SPIN tries them.
    pub transitions: Vec<Transition>,
    pub end: bool,
    pub progress: bool,
    pub accepting: bool,
    /// Whether it lies in a `d_step`: never seen from outside.
    pub inner: bool,
}

/// What may happen in a state.
#[derive(Clone, Debug)]
pub(in super::super) struct Transition {
    /// The statement.
    pub node: NodeId,
    /// The state behind it; none behind the end of the process.
    pub to: Option<u32>,
    /// Whether control stays with the process.
    pub hold: Hold,
    /// How many of the state's first transitions come before an `else`: it can
    /// only happen where none of them can.
    pub after: u32,
    /// The state in which the escape of an `unless` begins that it belongs to; 0 for
    /// what is no escape.
    pub escape: u32,
    /// Alternatives of the same `d_step` before it, of which none may be
    /// possible.
    pub instead_of: Vec<NodeId>,
    /// SPIN's number of the statement among all of the model: that of the
    /// `d_step` for its first statement, none for those within.
    pub id: Option<u32>,
}

/// Whether control stays with the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Hold {
    No,
    Atomic,
    Deterministic,
}

impl State {
    /// The escapes of `unless` that are tried before a transition, each the positions of
    /// its ways. Where one is possible, the transition is not tried.
    pub fn escapes_before(&self, at: usize) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (position, transition) in self.transitions.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if self.transitions[run.start].escape == transition.escape => {
                    run.end = position + 1;
                }
                _ => runs.push(position..position + 1),
            }
        }
        runs.retain(|run| run.end <= at && self.transitions[run.start].escape != 0);
        runs
    }
}

impl Body<'_> {
    pub(super) fn states(&mut self, chain: Chain, scope: ScopeId) -> Flow {
        self.check_labels();
        self.link(chain);
        self.patch(chain);
        let start = match self.chains[chain].first {
            Some(first) => self.rest(first, self.nodes[first].atomic),
            None => 0,
        };
        let mut states = self.transitions();
        self.escapes(&mut states);
        self.keep_reachable(start, &mut states);
        let labels = self.label_table();
        let number = |node: NodeId| self.nodes[node].number;
        Flow {
            start: number(start),
            states,
            labels: labels.into_iter().map(|(name, node)| (name, number(node))).collect(),
            nodes: std::mem::take(&mut self.nodes),
            scope,
            exclusive: std::mem::take(&mut self.exclusive),
        }
    }

    fn check_labels(&mut self) {
        for node in 0..self.nodes.len() {
            let What::Goto(name) = self.nodes[node].what.clone() else { continue };
            match self.label(&name.text, self.nodes[node].scope) {
                Some(target) => {
                    if self.nodes[target].deterministic != self.nodes[node].deterministic {
                        let message =
                            format!("`goto {}` crosses the border of a `d_step`", name.text);
                        self.reports.add(Diagnostic::error(message, name.span));
                        self.nodes[node].what = What::Join;
                    }
                }
                None => {
                    let message = format!("there is no label `{}` in this process", name.text);
                    self.reports.add(Diagnostic::error(message, name.span));
                    self.nodes[node].what = What::Join;
                }
            }
        }
    }

    /// Where a jump leads.
    fn jump(&self, node: NodeId) -> Option<NodeId> {
        match &self.nodes[node].what {
            What::Goto(name) => self.label(&name.text, self.nodes[node].scope),
            What::Leave(exit) => Some(*exit),
            _ => None,
        }
    }

    fn in_chain(&self, chain: Chain) -> Vec<NodeId> {
        let ends = self.chains[chain];
        let mut found = Vec::new();
        let mut at = ends.first;
        while let Some(node) = at {
            found.push(node);
            if ends.last == Some(node) {
                break;
            }
            at = self.nodes[node].next;
        }
        found
    }

    /// Links the last node of a group to what follows the group.
    fn link(&mut self, chain: Chain) {
        for node in self.in_chain(chain) {
            if let What::Group(_, inner) = self.nodes[node].what {
                if let Some(last) = self.chains[inner].last {
                    self.nodes[last].next = self.nodes[node].next;
                }
                self.link(inner);
            }
            for option in self.nodes[node].options.clone() {
                self.link(option);
            }
        }
    }

    /// Jumps out of an atomic sequence end it; jumps from the end of one into
    /// another do not.
    fn patch(&mut self, chain: Chain) {
        for node in self.in_chain(chain) {
            if let Some(target) = self.jump(node) {
                let inside = self.nodes[target].atomic || self.nodes[target].last;
                let from = &mut self.nodes[node];
                if (from.atomic || from.last) && !inside {
                    (from.atomic, from.last) = (false, true);
                }
                if from.last && inside {
                    (from.atomic, from.last) = (true, false);
                }
            }
            if let What::Group(_, inner) = self.nodes[node].what {
                self.patch(inner);
            }
            for option in self.nodes[node].options.clone() {
                self.patch(option);
            }
        }
    }

    /// Where control rests that arrives at `node`. Control that is held does
    /// not rest outside of its sequence before it is given up.
    fn rest(&self, node: NodeId, held: bool) -> NodeId {
        let mut at = node;
        for _ in 0..MOST_JUMPS {
            let next = match &self.nodes[at].what {
                What::Goto(_) | What::Leave(_) => self.jump(at),
                What::Join | What::Exit => self.nodes[at].next,
                What::Unless => {
                    let first = self.chains[self.nodes[at].options[0]].first;
                    first.map(|first| self.rest(first, held))
                }
                _ => return at,
            };
            match next {
                Some(next) if !held || self.nodes[next].atomic => at = next,
                _ => return at,
            }
        }
        at
    }

    /// The first real node of an option.
    fn start_of(&self, chain: Chain) -> Option<NodeId> {
        let mut at = self.chains[chain].first?;
        for _ in 0..MOST_JUMPS {
            let next = match self.nodes[at].what {
                What::Join => self.nodes[at].next,
                What::Unless => self.chains[self.nodes[at].options[0]].first,
                _ => None,
            };
            match next {
                Some(next) => at = next,
                None => return Some(at),
            }
        }
        Some(at)
    }

    /// The nodes that may happen at `node`, in order: itself, or what its
    /// options start with.
    fn alternatives(&self, node: NodeId, depth: usize, found: &mut Vec<NodeId>) {
        let chains: Vec<Chain> = match self.nodes[node].what {
            What::Choice => self.nodes[node].options.clone(),
            What::Group(Group::Plain | Group::Atomic, inner) => vec![inner],
            _ => {
                found.push(node);
                return;
            }
        };
        let choice = matches!(self.nodes[node].what, What::Choice);
        for start in chains.into_iter().filter_map(|chain| self.start_of(chain)) {
            let never = match &self.nodes[start].what {
                What::Plain(StatementKind::Expression(e)) => matches!(e.kind, ExprKind::Number(0)),
                _ => false,
            };
            if choice && never && self.nodes[start].escapes.is_empty() {
                continue;
            }
            if depth < MOST_JUMPS {
                self.alternatives(start, depth + 1, found);
            }
        }
    }

    fn target(&self, node: NodeId) -> Option<NodeId> {
        let held = self.nodes[node].atomic;
        match self.jump(node) {
            Some(target) => Some(self.rest(target, held)),
            None => self.nodes[node].next.map(|next| self.rest(next, held)),
        }
    }

    fn transitions(&self) -> BTreeMap<u32, State> {
        let mut states: BTreeMap<u32, State> = BTreeMap::new();
        for node in 0..self.nodes.len() {
            if matches!(self.nodes[node].what, What::Unless) {
                continue;
            }
            let mut found = Vec::new();
            self.alternatives(node, 0, &mut found);
            let mut list = Vec::new();
            for at in &found {
                self.elementary(*at, &mut list, &mut states);
            }
            let inner = self.nodes[node].deterministic;
            self.order(&mut list);
            let state = states.entry(self.nodes[node].number).or_default();
            if !inner {
                state.transitions = list;
            }
            state.span = self.nodes[node].span;
        }
        self.flags(&mut states);
        states
    }

    /// `else` comes after all before it.
    fn order(&self, list: &mut [Transition]) {
        for (at, transition) in list.iter_mut().enumerate() {
            if self.is_else(transition.node) {
                transition.after = at as u32;
            }
        }
    }

    fn is_assertion(&self, node: NodeId) -> bool {
        matches!(self.nodes[node].what, What::Plain(StatementKind::Assert(_)))
    }

    fn is_else(&self, node: NodeId) -> bool {
        matches!(self.nodes[node].what, What::Plain(StatementKind::Else))
    }

    /// The transition of a node that is no choice.
    fn elementary(
        &self,
        node: NodeId,
        list: &mut Vec<Transition>,
        states: &mut BTreeMap<u32, State>,
    ) {
        let number = |node: NodeId| self.nodes[node].number;
        let id = Some(self.first_id + number(node) - 1);
        let hold = if self.nodes[node].atomic { Hold::Atomic } else { Hold::No };
        let to = match self.nodes[node].what {
            What::End => None,
            _ => self.target(node).map(number),
        };
        if let What::Group(Group::Deterministic, chain) = self.nodes[node].what {
            let Some(first) = self.chains[chain].first else { return };
            let exit = (to, hold);
            let entry = self.inside(Some(first));
            let Some(entry) = entry else { return };
            let mut before = Vec::new();
            for transition in self.inner(entry, exit) {
                let instead_of = before.clone();
                before.push(transition.node);
                list.push(Transition { id, instead_of, ..transition });
            }
            self.inner_states(entry, exit, states);
            return;
        }
        list.push(Transition { node, to, hold, after: 0, escape: 0, instead_of: Vec::new(), id });
    }

    /// Where control within a `d_step` goes on from `node`; none where it
    /// leaves the sequence.
    fn inside(&self, node: Option<NodeId>) -> Option<NodeId> {
        let mut at = node?;
        for _ in 0..MOST_JUMPS {
            if !self.nodes[at].deterministic {
                return None;
            }
            at = match &self.nodes[at].what {
                What::Goto(_) | What::Leave(_) => self.jump(at)?,
                What::Join | What::Exit => self.nodes[at].next?,
                What::Group(_, chain) => self.chains[*chain].first?,
                What::Unless => self.chains[self.nodes[at].options[0]].first?,
                _ => return Some(at),
            };
        }
        Some(at)
    }

    /// The transitions of a state within a `d_step`.
    fn inner(&self, node: NodeId, exit: (Option<u32>, Hold)) -> Vec<Transition> {
        let mut found = Vec::new();
        self.alternatives(node, 0, &mut found);
        let mut list = Vec::new();
        for node in found {
            let next = match self.jump(node) {
                Some(target) => self.inside(Some(target)),
                None => self.inside(self.nodes[node].next),
            };
            let (to, hold) = match next {
                // A violated assertion is one of two ways: what follows it is
                // executed all the same.
                Some(next) if self.is_assertion(next) => {
                    (Some(self.nodes[next].number), Hold::Atomic)
                }
                Some(next) => (Some(self.nodes[next].number), Hold::Deterministic),
                None => exit,
            };
            let instead_of = Vec::new();
            list.push(Transition { node, to, hold, after: 0, escape: 0, instead_of, id: None });
        }
        list
    }

    fn inner_states(
        &self,
        entry: NodeId,
        exit: (Option<u32>, Hold),
        states: &mut BTreeMap<u32, State>,
    ) {
        let mut work = vec![entry];
        let mut seen = BTreeSet::new();
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            let transitions = self.inner(node, exit);
            for transition in &transitions {
                if let Some(next) = transition.to
                    && self.nodes[next as usize - 1].deterministic
                {
                    work.push(next as usize - 1);
                }
            }
            let state = states.entry(self.nodes[node].number).or_default();
            state.inner = true;
            state.span = self.nodes[node].span;
            state.transitions = transitions;
        }
    }

    /// What labels say. A label at the start of an option says it of the state
    /// behind that start too, since the start is no state of its own.
    fn flags(&self, states: &mut BTreeMap<u32, State>) {
        let mut marks: BTreeMap<u32, (bool, bool, bool)> = BTreeMap::new();
        for label in &self.labels {
            let mark = marks.entry(self.nodes[label.node].number).or_default();
            mark.0 |= label.name.text.starts_with("end");
            mark.1 |= label.name.text.starts_with("progress");
            mark.2 |= label.name.text.starts_with("accept");
        }
        let numbers: Vec<u32> = states.keys().copied().collect();
        for number in numbers {
            let pulled: Vec<(u32, u32)> = states[&number]
                .transitions
                .iter()
                .filter(|t| self.nodes[t.node].number != number)
                .filter_map(|t| Some((self.nodes[t.node].number, t.to?)))
                .collect();
            for (from, to) in pulled {
                if let Some(mark) = marks.get(&from).copied() {
                    let target = marks.entry(to).or_default();
                    *target = (target.0 || mark.0, target.1 || mark.1, target.2 || mark.2);
                }
            }
        }
        for (number, (end, progress, accepting)) in marks {
            if let Some(state) = states.get_mut(&number) {
                state.end |= end;
                state.progress |= progress;
                state.accepting |= accepting;
            }
        }
        for node in &self.nodes {
            if let (What::End, Some(state)) = (&node.what, states.get_mut(&node.number)) {
                state.end = true;
            }
        }
    }

    /// Puts the escapes of `unless` before what they interrupt, one after the other, as
    /// SPIN does: the last of an escape's ways comes first.
    fn escapes(&self, states: &mut BTreeMap<u32, State>) {
        if self.nodes.iter().all(|node| node.escapes.is_empty()) {
            return;
        }
        let numbers: Vec<u32> = states.keys().copied().collect();
        for number in numbers {
            if states[&number].inner {
                continue;
            }
            let ordinary = states[&number].transitions.clone();
            let mut list = ordinary.clone();
            for transition in &ordinary {
                self.put_escapes(self.owner(transition), states, &mut list);
            }
            for (at, transition) in list.iter_mut().enumerate() {
                transition.after = if self.is_else(transition.node) { at as u32 } else { 0 };
            }
            if let Some(state) = states.get_mut(&number) {
                state.transitions = list;
            }
        }
    }

    /// The statement a transition belongs to: a `d_step` is one.
    fn owner(&self, transition: &Transition) -> NodeId {
        transition.id.map_or(transition.node, |id| (id - self.first_id) as usize)
    }

    /// Puts the escapes of one statement before a state's transitions.
    fn put_escapes(&self, node: NodeId, states: &BTreeMap<u32, State>, list: &mut Vec<Transition>) {
        if matches!(self.nodes[node].what, What::Join) {
            return;
        }
        for chain in self.nodes[node].escapes.iter().rev() {
            let Some(first) = self.chains[*chain].first else { continue };
            let escape = self.nodes[self.rest(first, self.nodes[node].atomic)].number;
            let Some(state) = states.get(&escape) else { continue };
            // A `d_step` is one transition, whatever its first statements are.
            let known: BTreeSet<Option<u32>> = list.iter().map(|known| known.id).collect();
            for way in &state.transitions {
                if !known.contains(&way.id) {
                    list.insert(0, Transition { escape, ..way.clone() });
                }
            }
        }
    }

    fn keep_reachable(&self, start: NodeId, states: &mut BTreeMap<u32, State>) {
        // Labels may be asked for from outside, those of dead code too.
        let mut work: Vec<u32> =
            self.labels.iter().map(|label| self.nodes[label.node].number).collect();
        work.push(self.nodes[start].number);
        let mut seen = BTreeSet::new();
        while let Some(number) = work.pop() {
            if !seen.insert(number) {
                continue;
            }
            if let Some(state) = states.get(&number) {
                work.extend(state.transitions.iter().filter_map(|transition| transition.to));
            }
        }
        states.retain(|number, _| seen.contains(number));
    }
}
