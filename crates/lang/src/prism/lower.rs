//! Commands as edges of a process of one location, but for who moves along (`edges`).
//!
//! Probabilities that may be zero make an edge for each choice of outcomes that are possible.
//! Rates of a continuous-time chain race each other, so there every outcome is an edge.

use std::collections::BTreeMap;

use homing_ir::network::{Edge, Expr, Network, ProcessId, VariableId};
use homing_ir::{Diagnostic, Span};

use super::compose::{Modules, joints};
use super::declare::{self, Instance};
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
pub struct Move<'t> {
    pub span: Span,
    pub action: Option<&'t str>,
    pub guard: Option<Expr>,
    pub rate: Option<Expr>,
    pub outcomes: Vec<Outcome>,
}

#[derive(Clone)]
pub struct Outcome {
    pub weight: Option<Expr>,
    pub sets: Vec<Set>,
}

#[derive(Clone)]
pub struct Set {
    pub variable: VariableId,
    pub value: Expr,
    pub span: Span,
}

/// A network under construction.
pub struct Lowering<'m, 't> {
    pub network: Network,
    pub scope: Scope<'m, 't>,
    kind: Kind,
    /// The variables that keep what others were before a step.
    pub before: BTreeMap<VariableId, VariableId>,
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

    fn set(
        &mut self,
        process: ProcessId,
        name: Name<'t>,
        expr: &'m syntax::Expr<'t>,
    ) -> Parse<Set> {
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
            return self
                .scope
                .fail(error.help("a module changes its own variables and global ones"));
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
            let help = format!(
                "at most {MOST_DOUBTFUL} may depend on the state so; write several commands"
            );
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
