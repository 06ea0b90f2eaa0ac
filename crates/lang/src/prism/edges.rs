//! Edges, vectors and effects.
//!
//! All of a step reads the state before it, while effects of networks run one after the other.
//! So what is still to be read is assigned last; where that is impossible, and where one module
//! reads what another one changes in the same step, the value before is kept in a variable of
//! the step.

use std::collections::BTreeSet;

use homing_ir::network::{
    Action, Atomic, Branch, Edge, Expr, ExprKind, Guard, LabelId, LocationId, Participant, Place,
    ProcessId, Statement, StatementKind, Storage, SyncVector, Target, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::compose::Joint;
use super::initial::reads;
use super::lower::{Lowering, Move, Set};

impl<'m, 't> Lowering<'m, 't> {
    /// The edges of commands without an action.
    pub fn alone(&mut self, moves: &[Vec<Move<'t>>]) {
        for (number, moves) in moves.iter().enumerate() {
            for one in moves.iter().filter(|one| one.action.is_none()) {
                self.edge(number, one, None, &BTreeSet::new(), &BTreeSet::new());
            }
        }
    }

    /// The edges of modules that move together, and their vector.
    pub fn joint(&mut self, joint: &Joint<'t>, moves: &[Vec<Move<'t>>]) {
        homing_budget::checkpoint();
        let mut members: Vec<Member<'_, 't>> = Vec::new();
        for (number, action) in &joint.members {
            let member = Member::new(*number, action, &moves[*number]);
            if member.moves.is_empty() {
                return;
            }
            members.push(member);
        }
        if let [only] = &members[..] {
            let none = BTreeSet::new();
            return only
                .moves
                .iter()
                .for_each(|one| self.edge(only.number, one, None, &none, &none));
        }
        if self.conflict(&members) {
            return;
        }
        let label = LabelId(self.network.labels.len() as u32);
        let action = joint.members.first().map_or("", |(_, action)| action);
        self.network.labels.push(action.to_string());
        // What was changed by those before, and is read by this one or those behind it.
        let mut kept: BTreeSet<VariableId> = BTreeSet::new();
        for (at, member) in members.iter().enumerate() {
            let later = members[at + 1..].iter().flat_map(|other| &other.reads);
            let later: BTreeSet<VariableId> = later.copied().collect();
            let save: BTreeSet<VariableId> = member.writes.intersection(&later).copied().collect();
            for one in &member.moves {
                self.edge(member.number, one, Some(label), &save, &kept);
            }
            kept.extend(save);
        }
        let participant = |member: &Member<'_, '_>| Participant {
            process: ProcessId(member.number as u32),
            label,
            optional: false,
        };
        let span = members[0].moves[0].span;
        let participants = members.iter().map(participant).collect();
        self.network.vectors.push(SyncVector { span, participants });
    }

    /// Whether two modules change one variable in one step.
    fn conflict(&mut self, members: &[Member<'_, 't>]) -> bool {
        let mut written: BTreeSet<VariableId> = BTreeSet::new();
        for member in members {
            if let Some(both) = member.writes.iter().find(|one| written.contains(one)) {
                let name = &self.network.variables[both.index()].name;
                let message = format!("two modules that move together change `{name}`");
                let error = Diagnostic::error(message, member.moves[0].span);
                self.scope
                    .report(error.help("let only one of the commands with this action change it"));
                return true;
            }
            written.extend(&member.writes);
        }
        false
    }

    fn edge(
        &mut self,
        process: usize,
        one: &Move<'t>,
        label: Option<LabelId>,
        save: &BTreeSet<VariableId>,
        kept: &BTreeSet<VariableId>,
    ) {
        let branches = one.outcomes.iter().map(|outcome| {
            let mut effect: Vec<Statement> =
                save.iter().map(|variable| self.keep(*variable, one.span)).collect();
            effect.extend(self.effect(&outcome.sets, kept));
            let target = Target::Location(LocationId(0));
            Branch { weight: outcome.weight.clone(), effect, target }
        });
        let branches = branches.collect();
        let edge = Edge {
            span: one.span,
            from: LocationId(0),
            guard: one.guard.clone().map_or(Guard::Always, Guard::When),
            action: label.map(Action::Label),
            rate: one.rate.clone(),
            cost: None,
            atomic: Atomic::No,
            priority: 0,
            code: None,
            piece: false,
            branches,
        };
        self.network.processes[process].edges.push(edge);
    }

    /// Assignments that all read the state before the step, of which `kept` were changed.
    fn effect(&mut self, sets: &[Set], kept: &BTreeSet<VariableId>) -> Vec<Statement> {
        let mut left: Vec<Set> = sets.to_vec();
        for set in &mut left {
            kept.iter().for_each(|variable| self.redirect(&mut set.value, *variable));
        }
        let mut effect = Vec::new();
        while !left.is_empty() {
            let needed: Vec<BTreeSet<VariableId>> = left.iter().map(|set| set.reads()).collect();
            let free = (0..left.len()).find(|at| {
                let mut others = needed.iter().enumerate().filter(|(other, _)| other != at);
                !others.any(|(_, reads)| reads.contains(&left[*at].variable))
            });
            let set = left.remove(free.unwrap_or(0));
            if free.is_none() {
                effect.push(self.keep(set.variable, set.span));
                left.iter_mut().for_each(|other| self.redirect(&mut other.value, set.variable));
            }
            let place = Place { variable: set.variable, path: Vec::new(), span: set.span };
            effect
                .push(Statement { kind: StatementKind::Assign(place, set.value), span: set.span });
        }
        effect
    }

    /// Keeps the value of a variable.
    fn keep(&mut self, variable: VariableId, span: Span) -> Statement {
        let to = Place { variable: self.before(variable), path: Vec::new(), span };
        let from = Place { variable, path: Vec::new(), span };
        let value = Expr::new(ExprKind::Read(from), span);
        Statement { kind: StatementKind::Assign(to, value), span }
    }

    /// The variable that keeps what another was before a step.
    fn before(&mut self, variable: VariableId) -> VariableId {
        if let Some(known) = self.before.get(&variable) {
            return *known;
        }
        let id = VariableId(self.network.variables.len() as u32);
        let mut kept = self.network.variables[variable.index()].clone();
        kept.name = format!("{} before", kept.name);
        (kept.owner, kept.storage) = (None, Storage::Scratch);
        self.network.variables.push(kept);
        self.before.insert(variable, id);
        id
    }

    /// Lets an expression read what a variable was before the step.
    fn redirect(&mut self, expr: &mut Expr, variable: VariableId) {
        match &mut expr.kind {
            ExprKind::Read(place) if place.variable == variable => {
                place.variable = self.before(variable);
            }
            ExprKind::Unary(_, operand) => self.redirect(operand, variable),
            ExprKind::Binary(_, left, right) => {
                self.redirect(left, variable);
                self.redirect(right, variable);
            }
            ExprKind::Choose(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.redirect(part, variable));
            }
            _ => {}
        }
    }
}

/// A module that takes part in a joint move.
struct Member<'a, 't> {
    number: usize,
    moves: Vec<&'a Move<'t>>,
    writes: BTreeSet<VariableId>,
    reads: BTreeSet<VariableId>,
}

impl<'a, 't> Member<'a, 't> {
    fn new(number: usize, action: &str, moves: &'a [Move<'t>]) -> Member<'a, 't> {
        let moves = moves.iter().filter(|one| one.action == Some(action));
        let moves: Vec<&Move<'t>> = moves.collect();
        let outcomes = moves.iter().flat_map(|one| &one.outcomes);
        let sets: Vec<&Set> = outcomes.flat_map(|outcome| &outcome.sets).collect();
        let writes = sets.iter().map(|set| set.variable).collect();
        let reads = sets.iter().flat_map(|set| set.reads()).collect();
        Member { number, moves, writes, reads }
    }
}

impl Set {
    fn reads(&self) -> BTreeSet<VariableId> {
        let mut found = BTreeSet::new();
        reads(&self.value, &mut found);
        found
    }
}
