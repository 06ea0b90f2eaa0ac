//! Formulas over a model that was read before.

use std::collections::BTreeMap;
use std::ops::Range;

use homing_ir::network::Expr;
use homing_ir::temporal::Formula;
use homing_ir::{Diagnostic, Network, SourceId, Span};

use crate::reading::added;
use crate::{Language, ltl};

/// Reads a formula whose atoms are expressions of the model's language. Its text
/// is added to the model's sources under `name`; diagnostics point into it.
pub fn formula(
    language: &Language,
    network: &mut Network,
    text: &str,
    name: &str,
) -> Result<Formula<Expr>, Vec<Diagnostic>> {
    let source = added(&mut network.sources, name, text).map_err(|error| vec![error])?;
    let place =
        |range: &Range<usize>| Span { source, start: range.start as u32, end: range.end as u32 };
    let dve = language.name == "dve";
    let process = |word: &str| dve && network.processes.iter().any(|process| process.name == word);
    let read = ltl::parse_with(text, &process);
    let formula = read.map_err(|problem| {
        vec![Diagnostic::error(problem.message.clone(), place(&problem.range))]
    })?;
    // Equal texts are one expression.
    let mut known: BTreeMap<&str, Expr> = BTreeMap::new();
    formula.try_map(&mut |range| {
        let written = &text[range.clone()];
        if let Some(expr) = known.get(written) {
            return Ok(expr.clone());
        }
        let first = network.sources.count();
        let expr = (language.expression)(network, &alone(text, range, dve), name)
            .map_err(|list| moved(list, first, source))?;
        known.insert(written, expr.clone());
        Ok(expr)
    })
}

/// The text with nothing but one atom, in its place, so that places in it are
/// places in the formula.
fn alone(text: &str, range: &Range<usize>, dve: bool) -> String {
    let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
    let before = text[..range.start].bytes().map(|b| blank(char::from(b)));
    let mut alone: String = before.collect();
    let atom = &text[range.clone()];
    alone.push_str(&if dve { located(atom) } else { atom.to_string() });
    alone
}

/// LTSmin writes `P == "s"` for the state of a process, DVE `P.s`; numbers are in
/// quotes, too, and brackets may follow a backslash.
fn located(atom: &str) -> String {
    let atom = &atom.replace('\\', " ");
    let Some((process, state)) = atom.split_once("==") else { return atom.to_string() };
    let quoted = state.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match quoted {
        Some(name) => {
            let spaces = " ".repeat(state.find(name).unwrap_or(0));
            let number = name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let sign = if number { "==" } else { ". " };
            format!("{process}{sign}{spaces}{name}")
        }
        None => atom.to_string(),
    }
}

/// Diagnostics about the text of an atom, which is a source of its own from number
/// `first` on, as diagnostics about the formula.
fn moved(list: Vec<Diagnostic>, first: usize, source: SourceId) -> Vec<Diagnostic> {
    let there = |span: Span| match usize::from(span.source.0) >= first {
        true => Span { source, ..span },
        false => span,
    };
    let moved = |diagnostic: Diagnostic| Diagnostic {
        span: there(diagnostic.span),
        related: diagnostic.related.into_iter().map(|(span, text)| (there(span), text)).collect(),
        ..diagnostic
    };
    list.into_iter().map(moved).collect()
}
