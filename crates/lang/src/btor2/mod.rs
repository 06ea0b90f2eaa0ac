//! BTOR2: word-level circuits with arrays.
//!
//! Niemetz, Preiner, Wolf, Biere, "Btor2, BtorMC and Boolector 3.0" (CAV 2018).
//!
//! ```text
//! file = { line }     line = [ node ] [ ";" comment ]
//! node = number "sort" ("bitvec" width | "array" index element)
//!      | number ("input" | "state") sort [symbol]
//!      | number ("zero" | "one" | "ones") sort | number ("const" | "constd" | "consth") sort digits
//!      | number operator sort argument … | number ("slice" | "uext" | "sext") sort argument number …
//!      | number ("init" | "next") sort state argument
//!      | number ("bad" | "constraint" | "fair" | "output") argument | number "justice" n argument …
//! ```
//! Numbers of nodes go up. An argument is the number of a node before, with a minus sign for
//! its complement. Words are words, comparisons words of one bit.
//!
//! A state without `init` begins with any value; one without `next` has any value at every
//! moment, and is an input if it has no `init` either. Division by zero is as in SMT-LIB:
//! all ones, and the dividend as the remainder. A state that is an array may begin with a
//! word: then all of its elements are this word.

use std::sync::Arc;

use homing_ir::relation::Dialect;
use homing_ir::{Network, Relation};

use crate::reading::{added, model_name, no_goals};
use crate::reports::Reports;
use crate::{Language, Parsed};
use nodes::Nodes;

mod nodes;
mod operators;
mod words;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "btor2",
    about: "circuits of words and arrays",
    cite: "Niemetz, Preiner, Wolf and Biere, Btor2, BtorMC and Boolector 3.0, CAV 2018",
    extensions: &["btor2", "btor"],
    parse: |name, text, _| parse(name, text),
    expression: no_goals,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Reads a model. A line with an error is left out, and what needs it is not complained about.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut network = Network { name: model_name(name), ..Network::default() };
    let source = match added(&mut network.sources, name, text) {
        Ok(source) => source,
        Err(error) => return Parsed { network, diagnostics: vec![error] },
    };
    let mut reports = Reports::default();
    let mut nodes = Nodes::new(source);
    nodes.read(text, &mut reports);
    let relation = nodes.finish();
    network.relation = Some(Arc::new(Relation { dialect: Dialect::Btor2, ..relation }));
    Parsed { network, diagnostics: reports.finish() }
}
