//! Runs of relations, confirmed and shown.
//!
//! A run is shown only if [`Relation::confirm_violation`] says that it is one and shows what it
//! was found for: that looks at the definition of a run alone.

use std::sync::Arc;

use homing_ir::relation::{Goal, Relation, Run, Specification, Unconfirmed, Value};
use homing_ir::{Sources, relation};

use crate::outcome::{
    Binding, CauseKind, CauseOutcome, Change, MoveOutcome, StepOutcome, TraceOutcome,
    Value as Shown,
};

/// A run that violates what a file specifies, as plain data; or why it does not.
pub fn violation(
    relation: &Relation,
    sources: &Sources,
    run: &Run,
    specification: &Specification,
) -> Result<TraceOutcome, Unconfirmed> {
    relation.confirm_violation(run, &specification.goal)?;
    let (kind, message) = match &specification.goal {
        Goal::Invariant(_) => (CauseKind::Invariant, "the invariant is false"),
        _ => (CauseKind::Forever, "the run goes on for ever in a way that it must not"),
    };
    let cause = CauseOutcome::new(kind, message).at(sources, specification.span);
    Ok(TraceOutcome { cause: Some(cause), ..shown(relation, run) })
}

/// A run without steps to go, as plain data; or why it is none.
pub fn ending(relation: &Relation, run: &Run) -> Result<TraceOutcome, Unconfirmed> {
    relation.confirm(run)?;
    let cause = CauseOutcome::new(CauseKind::Deadlock, "the state has no successor");
    Ok(TraceOutcome { cause: Some(cause), ..shown(relation, run) })
}

fn shown(relation: &Relation, run: &Run) -> TraceOutcome {
    let names: Vec<Arc<str>> = relation.variables.iter().map(|one| (&*one.name).into()).collect();
    let value = |at: usize, value: &Value| {
        Shown::Text(relation.written(relation::VariableId(at as u32), value).into())
    };
    let seen = |at: &usize| !relation.variables[*at].hidden;
    let all = || (0..relation.variables.len()).filter(seen);
    let first = &run.moments[0];
    let initial = all().map(|at| Binding { name: names[at].clone(), value: value(at, &first[at]) });
    let mut steps = Vec::new();
    // A run that repeats comes back to a moment that it passed.
    let again = run.back.map(|back| &run.moments[back]);
    let pairs = run.moments.iter().zip(run.moments.iter().skip(1).chain(again));
    for (number, (before, after)) in pairs.enumerate() {
        let changed = all().filter(|at| !before[*at].same(&after[*at]));
        let changes = changed.map(|at| Change {
            name: names[at].clone(),
            from: value(at, &before[at]),
            to: value(at, &after[at]),
        });
        let first = MoveOutcome { changes: changes.collect(), ..MoveOutcome::default() };
        let step = number + 1;
        steps.push(StepOutcome { step, first, matters: true, ..StepOutcome::default() });
    }
    TraceOutcome {
        length: steps.len(),
        cost: Vec::new(),
        initial: initial.collect(),
        steps,
        cause: None,
        why: None,
        time: None,
        repeats: run.back,
    }
}
