//! Arguments that several estimates have.

use homing_core::expression::{Call, Expression};

use crate::{Factory, Goal};

/// Whether `combine` says that parts are added up rather than the greatest
/// taken.
pub(crate) fn adds_up(call: &Call) -> Result<bool, String> {
    Ok(call.choice("combine", &["max", "sum"])? == "sum")
}

/// The only estimate a call is given.
pub(crate) fn inner<'a>(goal: &Goal<'a>, call: &Call) -> Result<Factory<'a>, String> {
    let mut given = call.unnamed();
    match (given.next(), given.next()) {
        (Some(only), None) => crate::build(goal, only.as_call()?),
        _ => Err(format!("`{0}` takes one estimate: write `{0}(goal-count)`", call.name)),
    }
}

/// The estimates a call is given, as one list.
pub(crate) fn inners<'a>(goal: &Goal<'a>, call: &Call) -> Result<Vec<Factory<'a>>, String> {
    let given: Vec<&Expression> = call.unnamed().collect();
    let [Expression::List(items)] = given[..] else {
        return Err(format!("`{0}` takes a list of estimates: write `{0}([…, …])`", call.name));
    };
    if items.is_empty() {
        return Err(format!("the list of `{}` is empty", call.name));
    }
    items.iter().map(|item| crate::build(goal, item.as_call()?)).collect()
}
