//! Modules as processes.
//!
//! A module is a process of one location, a command an edge. All of a step reads the state
//! before it, while effects of networks run one after the other. So what is still to be read
//! is assigned last; where that is impossible, and where one module reads what another one
//! changes in the same step, the value before is kept in a variable of the step.
//!
//! Probabilities that may be zero make an edge for each choice of outcomes that are possible.
//! Rates of a continuous-time chain race each other, so there every outcome is an edge.

use std::collections::{BTreeMap, BTreeSet};

use homing_ir::network::{
    Action, Atomic, Branch, Edge, Expr, ExprKind, Guard, LabelId, LocationId, Network, Participant,
    Place, ProcessId, Statement, StatementKind, Storage, SyncVector, Target, VariableId,
};
use homing_ir::{Diagnostic, Span};

use super::compose::{Joint, Modules, joints};
use super::declare::{self, Instance};
use super::initial::reads;
use super::number::{Number, Real};
use super::quantity::{Possible, Quantity};
use super::scope::{Meaning, Scope};
use super::syntax::{self, Command, Kind, Model, Name, Update};
use super::value::{Value, Whole};
use crate::reading::Parse;

/// So many outcomes of a command may be possible in some states only.
const MOST_DOUBTFUL: usize = 8;

/// How far a sum of probabilities may be from one, as in PRISM.
const TOLERANCE: f64 = 1e-5;

/// A command as a network has it, but for who moves along.
struct Move<'t> {
    span: Span,
    action: Option<&'t str>,
    guard: Option<Expr>,
    rate: Option<Expr>,
    outcomes: Vec<Outcome>,
}

#[derive(Clone)]
struct Outcome {
    weight: Option<Expr>,
    sets: Vec<Set>,
}

#[derive(Clone)]
struct Set {
    variable: VariableId,
    value: Expr,
    span: Span,
}

/// A network under construction.
pub struct Lowering<'m, 't> {
    pub network: Network,
    pub scope: Scope<'m, 't>,
    kind: Kind,
    /// The variables that keep what others were before a step.
    before: BTreeMap<VariableId, VariableId>,
    /// How many of the variables are of the model.
    own: usize,
}

/// Makes the network of a model. What goes wrong is reported, and left out.
pub fn lower<'m, 't>(
    network: Network,
    scope: Scope<'m, 't>,
    model: &'m Model<'t>,
) -> Lowering<'m, 't> {
    let kind = model.kind.map_or(Kind::Mdp, |(kind, _)| kind);
    let mut lowering = Lowering { network, scope, kind, before: BTreeMap::new(), own: 0 };
    lowering.model(model);
    lowering
}

impl<'m, 't> Lowering<'m, 't> {
    fn model(&mut self, model: &'m Model<'t>) {
        let instances = declare::instances(&mut self.scope, model);
        self.network.processes = instances.iter().map(Instance::process).collect();
        declare::variables(&mut self.scope, &mut self.network, model, &instances);
        self.own = self.network.variables.len();
        if let Some(condition) = &model.initial
            && !self.scope.reports.failed()
            && let Ok(values) = self.scope.initial_state(condition)
        {
            declare::begin_in(&mut self.network, &values);
        }
        let mut moves = Vec::new();
        let mut actions = Vec::new();
        for (number, instance) in instances.iter().enumerate() {
            self.scope.rename(instance.renaming.clone());
            let named = instance.commands.iter().filter_map(|command| command.action);
            actions.push(named.map(|name| self.scope.renamed(name.text)).collect());
            moves.push(self.moves(ProcessId(number as u32), instance));
        }
        self.scope.rename(Vec::new());
        let names = instances.iter().enumerate().map(|(number, one)| (one.name.text, number));
        let modules = Modules { names: names.collect(), actions };
        self.alone(&moves);
        if let Ok(joints) = joints(&mut self.scope, model, &modules) {
            joints.iter().for_each(|joint| self.joint(joint, &moves));
        }
        self.rest(model);
    }

    /// What nothing is made of, but must be in order.
    fn rest(&mut self, model: &'m Model<'t>) {
        self.scope.check_all();
        self.scope.idly(|scope| {
            for reward in &model.rewards {
                let _ = scope.condition(&reward.when);
                let _ = scope.quantity(&reward.value);
            }
        });
        let chance = |edge: &Edge| edge.rate.is_some() || edge.branches.len() > 1;
        let mut edges = self.network.processes.iter().flat_map(|process| &process.edges);
        if let (true, Some(place)) = (edges.any(chance), declare::place(model)) {
            let message = "probabilities are not computed yet: homing tells what can happen, and \
                           what cannot";
            self.scope.report(Diagnostic::warning(message, place));
        }
    }

    fn moves(&mut self, process: ProcessId, instance: &Instance<'m, 't>) -> Vec<Move<'t>> {
        let mut moves = Vec::new();
        for command in instance.commands {
            homing_budget::checkpoint();
            // What is wrong was reported.
            let _ = self.command(process, command, &mut moves);
        }
        moves
    }

    fn command(
        &mut self,
        process: ProcessId,
        command: &'m Command<'t>,
        out: &mut Vec<Move<'t>>,
    ) -> Parse<()> {
        let guard = match self.scope.condition(&command.guard)? {
            Value::Known(Number::Bool(true)) => None,
            Value::Whole(whole) => Some(whole),
            // Still, what it says must make sense.
            _ => return self.updates(process, &command.updates).map(|_| ()),
        };
        let updates = self.updates(process, &command.updates)?;
        let action = command.action.map(|name| self.scope.renamed(name.text));
        let frame = Frame { span: command.span, action, guard };
        if self.kind == Kind::Ctmc {
            return self.race(&frame, updates, out);
        }
        self.sum(command, &updates);
        self.chance(&frame, updates, out)
    }

    fn updates(
        &mut self,
        process: ProcessId,
        updates: &'m [Update<'t>],
    ) -> Parse<Vec<(Quantity, Vec<Set>)>> {
        let mut all = Vec::new();
        for update in updates {
            let quantity = match &update.quantity {
                Some(expr) => self.scope.quantity(expr)?,
                None => Quantity::known(Real::whole(1), update.span),
            };
            if quantity.known.and_then(Real::sign).is_some_and(std::cmp::Ordering::is_lt) {
                let what = if self.kind == Kind::Ctmc { "rate" } else { "probability" };
                let message = format!("this {what} is negative");
                return self.scope.fail(Diagnostic::error(message, quantity.expr.span));
            }
            all.push((quantity, self.sets(process, update)?));
        }
        Ok(all)
    }

    /// Probabilities that are known must sum to one.
    fn sum(&mut self, command: &'m Command<'t>, updates: &[(Quantity, Vec<Set>)]) {
        let known: Option<Vec<Real>> = updates.iter().map(|(quantity, _)| quantity.known).collect();
        let Some(known) = known else { return };
        let sum = known.into_iter().fold(Real::whole(0), Real::plus).near();
        if (sum - 1.0).abs() > TOLERANCE {
            let message = "the probabilities of this command do not sum to one";
            let error = Diagnostic::error(message, command.span);
            self.scope.report(error.label(format!("their sum is {sum}")));
        }
    }

    fn sets(&mut self, process: ProcessId, update: &'m Update<'t>) -> Parse<Vec<Set>> {
        let mut sets: Vec<Set> = Vec::new();
        for (name, expr) in &update.assignments {
            let set = self.set(process, *name, expr)?;
            if sets.iter().any(|other| other.variable == set.variable) {
                let message = format!("`{}` is changed twice in one update", name.text);
                return self.scope.fail(Diagnostic::error(message, name.span));
            }
            sets.push(set);
        }
        Ok(sets)
    }

    fn set(&mut self, process: ProcessId, name: Name<'t>, expr: &'m syntax::Expr<'t>) -> Parse<Set> {
        let Meaning::Variable(variable) = self.scope.meaning(name, "variable")? else {
            let message = format!("`{}` is no variable, so it cannot be changed", name.text);
            return self.scope.fail(Diagnostic::error(message, name.span));
        };
        let declared = &self.network.variables[variable.index()];
        let (bool, place) = (declared.ty == homing_ir::network::Type::Bool, declared.span);
        if let Some(owner) = declared.owner.filter(|owner| *owner != process) {
            let owner = &self.network.processes[owner.index()].name;
            let message = format!("`{}` belongs to the module `{owner}`", declared.name);
            let error = Diagnostic::error(message, name.span).related(place, "declared here");
            return self.scope.fail(error.help("a module changes its own variables and global ones"));
        }
        let value = self.scope.value(expr)?;
        let value = match (value, bool) {
            (Value::Whole(whole), bool) if whole.bool == bool => whole.expr,
            (Value::Known(Number::Bool(value)), true) => Expr::int(value.into(), expr.span),
            (Value::Known(Number::Int(value)), false) => Expr::int(value, expr.span),
            (_, bool) => {
                let what = if bool { "a truth value" } else { "a whole number" };
                let message = format!("`{}` is {what}, and this is none", name.text);
                let error = Diagnostic::error(message, expr.span).related(place, "declared here");
                return self.scope.fail(match bool {
                    true => error,
                    false => error.help("`floor`, `ceil` and `round` make whole numbers"),
                });
            }
        };
        let span = name.span.to(expr.span);
        Ok(Set { variable, value, span })
    }

    /// The outcomes of a continuous-time chain.
    fn race(
        &mut self,
        frame: &Frame<'t>,
        updates: Vec<(Quantity, Vec<Set>)>,
        out: &mut Vec<Move<'t>>,
    ) -> Parse<()> {
        for (quantity, sets) in updates {
            let guard = match quantity.possible {
                Possible::Never => continue,
                Possible::Always => frame.guard.clone(),
                Possible::When(possible) => Some(self.and(frame.guard.clone(), possible)?),
            };
            out.push(Move {
                span: frame.span,
                action: frame.action,
                guard: guard.map(|whole| whole.expr),
                rate: Some(quantity.expr),
                outcomes: vec![Outcome { weight: None, sets }],
            });
        }
        Ok(())
    }

    /// The outcomes of a choice by chance: an edge for each set of outcomes that may be all
    /// that is possible.
    fn chance(
        &mut self,
        frame: &Frame<'t>,
        updates: Vec<(Quantity, Vec<Set>)>,
        out: &mut Vec<Move<'t>>,
    ) -> Parse<()> {
        let mut doubtful: Vec<(usize, Whole)> = Vec::new();
        let mut outcomes = Vec::new();
        for (quantity, sets) in updates {
            match quantity.possible {
                Possible::Never => continue,
                Possible::Always => {}
                Possible::When(possible) => doubtful.push((outcomes.len(), possible)),
            }
            outcomes.push(Outcome { weight: Some(quantity.expr), sets });
        }
        if doubtful.len() > MOST_DOUBTFUL {
            let message = "too many probabilities of this command may be zero";
            let error = Diagnostic::error(message, frame.span);
            let help = format!("at most {MOST_DOUBTFUL} may depend on the state so; write several commands");
            return self.scope.fail(error.help(help));
        }
        for chosen in 0..1usize << doubtful.len() {
            let mut guard = frame.guard.clone();
            let mut possible = outcomes.clone();
            for (number, (at, condition)) in doubtful.iter().enumerate().rev() {
                if chosen >> number & 1 == 0 {
                    guard = Some(self.and(guard, condition.clone())?);
                } else {
                    guard = Some(self.and(guard, condition.clone().negation())?);
                    possible.remove(*at);
                }
            }
            if possible.is_empty() {
                continue;
            }
            if let [only] = &mut possible[..] {
                only.weight = None;
            }
            let guard = guard.map(|whole| whole.expr);
            let Frame { span, action, .. } = *frame;
            out.push(Move { span, action, guard, rate: None, outcomes: possible });
        }
        Ok(())
    }

    fn and(&mut self, guard: Option<Whole>, other: Whole) -> Parse<Whole> {
        let span = other.expr.span;
        match guard {
            None => Ok(other),
            Some(guard) => self.scope.fits(Whole::both(guard, other, span)),
        }
    }

    /// The edges of commands without an action.
    fn alone(&mut self, moves: &[Vec<Move<'t>>]) {
        for (number, moves) in moves.iter().enumerate() {
            for one in moves.iter().filter(|one| one.action.is_none()) {
                self.edge(number, one, None, &BTreeSet::new(), &BTreeSet::new());
            }
        }
    }

    /// The edges of modules that move together, and their vector.
    fn joint(&mut self, joint: &Joint<'t>, moves: &[Vec<Move<'t>>]) {
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
            return only.moves.iter().for_each(|one| self.edge(only.number, one, None, &none, &none));
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
                self.scope.report(error.help("let only one of the commands with this action change it"));
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
            effect.push(Statement { kind: StatementKind::Assign(place, set.value), span: set.span });
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

    /// What the variables of the model begin with.
    pub fn initial(&self) -> Vec<i64> {
        let own = self.network.variables.iter().take(self.own);
        own.map(|variable| variable.initial.first().copied().unwrap_or(0)).collect()
    }
}

/// What all edges of a command have in common.
struct Frame<'t> {
    span: Span,
    action: Option<&'t str>,
    guard: Option<Whole>,
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
