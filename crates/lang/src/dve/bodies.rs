//! Processes from the inside: assertions and transitions.

use homing_ir::Diagnostic;
use homing_ir::network::{
    Atomic, Binary, Branch, Edge, Expr, ExprKind, Guard, ProcessId, Role, Statement, StatementKind,
    Target, Type,
};

use super::lower::{Builder, truth_value};
use super::syntax::{Assignment, Body, Transition};

impl Builder {
    /// Adds assertions and edges to process `id`.
    pub fn body(&mut self, id: ProcessId, body: &Body) {
        if self.reports.full() {
            return;
        }
        self.scope = Some(id);
        for (state, expr) in &body.assertions {
            let (location, holds) = (self.state(id, *state), self.expression(expr));
            if let (Some(location), Some(holds)) = (location, holds) {
                let locations = &mut self.network.processes[id.index()].locations;
                locations[location.index()].assertions.push(holds);
            }
        }
        for transition in &body.transitions {
            if let Some(edge) = self.edge(id, transition) {
                self.network.processes[id.index()].edges.push(edge);
            }
        }
        self.scope = None;
    }

    /// An edge; all its parts are looked at before it is given up.
    fn edge(&mut self, id: ProcessId, transition: &Transition) -> Option<Edge> {
        let from = self.state(id, transition.from);
        let guards: Vec<Option<Expr>> =
            transition.guards.iter().map(|guard| self.expression(guard)).collect();
        let action = transition.sync.as_ref().map(|sync| self.action(id, sync));
        let effects: Vec<Option<Statement>> =
            transition.effects.iter().map(|assignment| self.assignment(assignment)).collect();
        let targets: Vec<Option<Branch>> =
            transition.targets.iter().map(|target| self.branch(id, target)).collect();
        if self.network.processes[id.index()].role == Role::Observer {
            self.check_observer(id, transition, effects.iter().flatten());
        }
        let effects: Vec<Statement> = effects.into_iter().collect::<Option<_>>()?;
        let mut branches: Vec<Branch> = targets.into_iter().collect::<Option<_>>()?;
        // What has no chance does not happen.
        branches
            .retain(|branch| !matches!(&branch.weight, Some(Expr { kind: ExprKind::Int(0), .. })));
        branches.iter_mut().for_each(|branch| branch.effect.clone_from(&effects));
        Some(Edge {
            span: transition.span,
            from: from?,
            guard: conjunction(guards.into_iter().collect::<Option<_>>()?),
            action: match action {
                Some(action) => Some(action?),
                None => None,
            },
            rate: None,
            cost: None,
            atomic: Atomic::No,
            priority: 0,
            code: None,
            piece: false,
            branches,
        })
    }

    fn branch(
        &mut self,
        id: ProcessId,
        target: &(super::syntax::Name, Option<i64>),
    ) -> Option<Branch> {
        let (state, weight) = target;
        let location = self.state(id, *state)?;
        Some(Branch {
            weight: weight.map(|weight| Expr::int(weight, state.span)),
            effect: Vec::new(),
            target: Target::Location(location),
        })
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<Statement> {
        let (place, value) =
            (self.assignable(&assignment.target), self.expression(&assignment.value));
        let (place, value) = (place?, value?);
        let element = match &self.network.variables[place.variable.index()].ty {
            Type::Array(element, _) => element,
            scalar => scalar,
        };
        let value = if *element == Type::Bool { truth_value(value) } else { value };
        Some(Statement { kind: StatementKind::Assign(place, value), span: assignment.span })
    }

    /// A property only watches.
    fn check_observer<'s>(
        &mut self,
        id: ProcessId,
        transition: &Transition,
        effects: impl Iterator<Item = &'s Statement>,
    ) {
        if let Some(sync) = &transition.sync {
            let message = "a property cannot synchronise with the system";
            self.reports.add(Diagnostic::error(message, sync.span));
        }
        for effect in effects {
            let StatementKind::Assign(place, _) = &effect.kind else { continue };
            let variable = &self.network.variables[place.variable.index()];
            if variable.owner != Some(id) {
                let error = Diagnostic::error("a property cannot change the system", effect.span)
                    .related(variable.span, "not a variable of the property");
                self.reports.add(error);
            }
        }
    }
}

/// Several guards must all hold.
fn conjunction(guards: Vec<Expr>) -> Guard {
    let all = guards.into_iter().reduce(|left, right| {
        let span = left.span.to(right.span);
        Expr::new(ExprKind::Binary(Binary::And, Box::new(left), Box::new(right)), span)
    });
    all.map_or(Guard::Always, Guard::When)
}
