//! The row of the table of languages: texts to networks, goals to expressions.

use homing_ir::network::{Expr, ExprKind, Place, VariableId};
use homing_ir::{Diagnostic, Network, SourceId, Sources};

use super::{document, goal, lower};
use crate::reading::model_name;
use crate::reports::Reports;
use crate::{Language, Parsed, Settings};

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "uppaal",
    about: "networks of timed automata with clocks, channels, data and functions",
    cite: "Behrmann, David, Larsen, A Tutorial on Uppaal 4.0, 2006",
    extensions: &["xml", "xta", "ta"],
    parse,
    expression,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Reads a model and its queries.
pub fn parse(name: &str, text: &str, settings: &Settings<'_>) -> Parsed {
    let mut network = Network { name: model_name(name), ..Network::default() };
    let mut reports = Reports::default();
    let read = document(name, text, settings, &mut network.sources, &mut reports);
    let Some(document) = read.filter(|_| !reports.failed()) else {
        return Parsed { network, diagnostics: reports.finish() };
    };
    let mut lowering = lower::lower(&document, network, reports);
    if !lowering.reports.failed() {
        lowering.queries(&document.queries);
        lowering.settle_stopwatches();
    }
    Parsed { network: lowering.network, diagnostics: lowering.reports.finish() }
}

/// Reads an expression over a model that was read before, such as a goal, with the
/// names that queries use.
///
/// A network knows its variables and locations, but not its types, constants and
/// functions. So the model is read once more from its text, which gives the same
/// network, and the expression is read in it. What the expression needs beyond
/// (constant arrays) is added to the network at hand.
pub fn expression(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut reports = Reports::default();
    let Some(goal) = goal(name, text, &mut network.sources, &mut reports) else {
        return Err(reports.finish());
    };
    let model = network.sources.get(SourceId(0));
    let (mut sources, mut again) = (Sources::default(), Reports::default());
    let settings = Settings::default();
    let read = document(&model.name, &model.text, &settings, &mut sources, &mut again);
    let unread = || vec![Diagnostic::error("the model of this goal was not read", goal.span)];
    let document = read.filter(|_| !again.failed()).ok_or_else(unread)?;
    let mut lowering = lower::lower(&document, Network::default(), Reports::default());
    let known = lowering.network.variables.len();
    let alike = lowering.network.variables.iter().zip(&network.variables);
    let same = known <= network.variables.len()
        && alike.clone().all(|(a, b)| a.name == b.name && a.owner == b.owner)
        && lowering.network.processes.len() == network.processes.len();
    if !same || lowering.reports.failed() {
        return Err(unread());
    }
    lowering.reports = reports;
    lowering.settle_as_in(network);
    let Some(mut expr) = lowering.goal(&goal).filter(|_| !lowering.reports.failed()) else {
        return Err(lowering.reports.finish());
    };
    let shift = network.variables.len() - known;
    network.variables.extend(lowering.network.variables.drain(known..));
    renumber(&mut expr, known, shift);
    Ok(expr)
}

/// Adds `shift` to the numbers of variables from `known` on.
fn renumber(expr: &mut Expr, known: usize, shift: usize) {
    match &mut expr.kind {
        ExprKind::Read(place) => renumber_place(place, known, shift),
        ExprKind::Unary(_, operand) => renumber(operand, known, shift),
        ExprKind::Binary(_, left, right) => {
            renumber(left, known, shift);
            renumber(right, known, shift);
        }
        ExprKind::Choose(a, b, c) => {
            [a, b, c].into_iter().for_each(|part| renumber(part, known, shift));
        }
        _ => {}
    }
}

fn renumber_place(place: &mut Place, known: usize, shift: usize) {
    if place.variable.index() >= known {
        place.variable = VariableId(place.variable.0 + shift as u32);
    }
    for access in &mut place.path {
        if let homing_ir::network::Access::Index(index) = access {
            renumber(index, known, shift);
        }
    }
}
