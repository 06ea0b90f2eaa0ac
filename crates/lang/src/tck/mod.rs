//! The language of TChecker.
//!
//! # Grammar
//!
//! One declaration a line; `#` begins a comment. Names have letters, digits, `_`
//! and `.`, and do not begin with a digit or a dot.
//!
//! ```text
//! model        = "system:" name { declaration }
//! declaration  = "process:" name | "event:" name
//!              | "clock:" size ":" name
//!              | "int:" size ":" least ":" greatest ":" initial ":" name
//!              | "location:" process ":" name [ attributes ]
//!              | "edge:" process ":" location ":" location ":" event [ attributes ]
//!              | "sync:" process "@" event [ "?" ] { ":" process "@" event [ "?" ] }
//! attributes   = "{" [ key ":" value { ":" key ":" value } ] "}"
//!
//! location     : initial, committed, urgent (without values), labels, invariant
//! edge         : provided (a condition), do (statements)
//!
//! condition    = atom { "&&" atom }
//! atom         = term [ comparison term [ comparison term ] ] | "!" atom
//! comparison   = "==" | "!=" | "<" | "<=" | ">" | ">="
//! term         = number | name [ "[" term "]" ] | "-" term | "(" condition ")"
//!              | term ( "+" | "-" | "*" | "/" | "%" ) term
//!              | "(" "if" condition "then" term "else" term ")"
//! statements   = statement { ";" statement } [ ";" ]
//! statement    = "nop" | name [ "[" term "]" ] "=" term
//!              | "if" condition "then" statements [ "else" statements ] "end"
//!              | "while" condition "do" statements "end"
//!              | "local" name [ "=" term | "[" term "]" ]
//! ```
//!
//! `a < b <= c` is short for `a < b && b <= c`. An attribute that is given twice
//! is the conjunction, or the sequence, of its values.
//!
//! # Meaning
//!
//! - An event of a process that no synchronisation names together with this process
//!   is its own: its edges are taken alone. All others are taken only as
//!   synchronisations say. Of those marked `?` whoever can take part does; one that
//!   consists of such alone needs one at least.
//! - While a process is at a committed location, one such process must take part in
//!   the next step. Time does not pass then, nor at urgent locations.
//! - A step that would assign a value outside the range of an integer does not
//!   exist (`ranges`). An index out of bounds, a division by zero and a clock set
//!   to a negative value are run-time errors.
//! - Local variables begin at zero wherever they are declared.
//!
//! A goal is a condition in which `||`, `process.location`, labels of locations
//! (true where some process is at a location with that label) and `deadlock` may
//! stand. The network does not keep labels: they are looked up in the text.
//!
//! Not read, and said so: processes with more than one initial location. Other than
//! in TChecker, names may be used before they are declared, and events that take
//! part where they can may have guards.

use homing_ir::network::{Arithmetic, Commitment, Expr};
use homing_ir::{Diagnostic, Network, SourceId, Span, wellformed};

use crate::reading::{added, model_name};
use crate::reports::Reports;
use crate::{Language, Parsed};
use lower::Lower;
use syntax::Name;

mod declarations;
mod lower;
mod program;
mod ranges;
mod syntax;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "tck",
    about: "timed automata that synchronise by events, as TChecker reads them",
    cite: "Herbreteau and Point, TChecker, https://github.com/ticktac-project/tchecker",
    extensions: &["tck"],
    parse: |name, text, _| parse(name, text),
    expression,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Whether a text is in this language, whatever its file is called: what comes first,
/// but for comments, is `system:`.
pub fn recognises(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.find(|line| !line.starts_with('#')).and_then(|line| line.split_once(':'));
    first.is_some_and(|(word, _)| word.trim() == "system")
}

/// Reads a model.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut network = Network {
        name: model_name(name),
        arithmetic: Arithmetic::Wrap32,
        commitment: Commitment::Any,
        ..Network::default()
    };
    let source = match added(&mut network.sources, name, text) {
        Ok(source) => source,
        Err(error) => return Parsed { network, diagnostics: vec![error] },
    };
    let mut reports = Reports::default();
    let model = declarations::model(source, text, &mut reports);
    let mut lower = Lower::new(network, reports);
    lower.declare(&model);
    lower.behaviour(&model);
    let Lower { network, mut reports, .. } = lower;
    if !reports.failed() {
        wellformed::check(&network).into_iter().for_each(|problem| reports.add(problem));
    }
    Parsed { network, diagnostics: reports.finish() }
}

/// Reads a condition over a model that was read before.
pub fn expression(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let source = added(&mut network.sources, name, text).map_err(|error| vec![error])?;
    // Labels and names as the text of the model has them; it was read before.
    let model_text = network.sources.get(SourceId(0)).text.clone();
    let model = declarations::model(SourceId(0), &model_text, &mut Reports::default());
    let mut lower = Lower::new(Network::default(), Reports::default());
    lower.declare(&model);
    lower.reports = Reports::default();
    let end = text.len() as u32;
    let goal = Name { text, span: Span { source, start: 0, end } };
    let parsed = program::goal(goal, &mut lower.reports);
    let lowered = parsed.and_then(|goal| lower.goal(&goal));
    match lowered {
        Ok(expr) => {
            let problems = wellformed::check_expression(network, &expr);
            if problems.is_empty() { Ok(expr) } else { Err(problems) }
        }
        Err(_) => Err(lower.reports.finish()),
    }
}
