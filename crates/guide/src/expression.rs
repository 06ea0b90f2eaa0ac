//! The user's own estimate: an expression over the model's variables, as
//! UPPAAL CORA's `heur` and `remaining` (Behrmann, Larsen, Rasmussen 2005).
//!
//! Its value is the estimate; negative values count as zero, and so does an
//! expression that cannot be evaluated in a state. Nothing is promised of it,
//! and it never makes a dead end.

use homing_core::catalogue::{Kind, Parameter, Row};
use homing_core::expression::{Call, Expression};
use homing_core::{Claims, Cost, Edge, Heuristic, HeuristicFactory, Word};
use homing_ir::layout::Field;
use homing_ir::system::Term;

use crate::{EstimateBuilder, Goal, costs};
use homing_ir::evaluate::evaluate;

pub(crate) const ROW: Row<EstimateBuilder> = Row {
    name: "expression",
    kind: Kind::Estimate,
    about: "the value of an expression of your own over the model's variables",
    cite: "Behrmann, Larsen, Rasmussen 2005",
    parameters: &[Parameter {
        name: "text",
        about: "the expression, in the model's language; its name need not be written",
        default: "",
    }],
    needs: &[],
    gives: &[],
    uses: &[],
    build: |goal, call| Ok(Box::new(Own::new(goal, &text(call)?)?)),
};

/// The text of the expression in a call of `expression`.
pub fn text(call: &Call) -> Result<String, String> {
    call.allow(&["text"])?;
    let given: Vec<&Expression> = call.arguments.iter().map(|(_, value)| value).collect();
    match given[..] {
        [Expression::Text(text)] => Ok(text.clone()),
        _ => Err(format!("`{0}` takes a text: write `{0}('…')`", call.name)),
    }
}

/// The texts of all calls of `expression` within a call, each once: what has
/// to be read with the model before the call is built.
pub fn texts(call: &Call) -> Vec<String> {
    let mut texts = Vec::new();
    let mut calls = vec![call];
    while let Some(call) = calls.pop() {
        if call.name == ROW.name {
            texts.extend(text(call));
        }
        let mut given: Vec<&Expression> = call.arguments.iter().map(|(_, value)| value).collect();
        while let Some(one) = given.pop() {
            match one {
                Expression::Call(inner) => calls.push(inner),
                Expression::List(items) => given.extend(items),
                Expression::Number(_) | Expression::Text(_) => {}
            }
        }
    }
    texts.sort();
    texts.dedup();
    texts
}

struct Own<'a> {
    term: &'a Term,
    fields: &'a [Field],
}

impl<'a> Own<'a> {
    fn new(goal: &Goal<'a>, text: &str) -> Result<Own<'a>, String> {
        let known = goal.expressions.iter().find(|(known, _)| known == text);
        let Some((_, condition)) = known else {
            return Err(format!("the expression '{text}' was not read with the model"));
        };
        let term = &goal.space.system().conditions[*condition].term;
        Ok(Own { term, fields: &goal.space.layout().fields })
    }
}

impl HeuristicFactory for Own<'_> {
    fn instance(&self) -> Box<dyn Heuristic + '_> {
        Box::new(self)
    }
}

impl Heuristic for &Own<'_> {
    fn estimate(&mut self, state: &[Word], _via: Option<Edge>) -> Cost {
        let value = evaluate(self.term, self.fields, state).unwrap_or(0);
        value.clamp(0, i64::from(costs::GREATEST)) as Cost
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }
}

#[cfg(test)]
mod tests {
    use homing_core::expression::parse;

    use super::*;

    #[test]
    fn texts_are_found_wherever_they_stand() {
        let all = parse("astar(max([weight(expression('b'), by=2), a]), x=expression('a'))");
        assert_eq!(texts(all.unwrap().as_call().unwrap()), ["a", "b"]);
        let none = parse("expression(3)").unwrap();
        assert!(texts(none.as_call().unwrap()).is_empty());
    }
}
