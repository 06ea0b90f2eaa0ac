//! SMV, as NuSMV 2.6 reads it.
//!
//! Cavada, Cimatti, Jochim, Keighren, Olivetti, Pistore, Roveri, Tchaltsev, "NuSMV 2.6 User
//! Manual"; McMillan, "Symbolic Model Checking" (1993).
//!
//! ```text
//! text     = { module }      module = "MODULE" name [ "(" names ")" ] { section }
//! section  = ("VAR" | "IVAR" | "FROZENVAR") { name ":" type ";" }
//!          | "ISA" name | "DEFINE" { name ":=" expression ";" } | "CONSTANTS" names ";"
//!          | "ASSIGN" { ("init" "(" variable ")" | "next" "(" variable ")" | variable) ":=" expression ";" }
//!          | ("INIT" | "TRANS" | "INVAR" | "FAIRNESS" | "JUSTICE") expression [";"]
//!          | "COMPASSION" "(" expression "," expression ")" [";"]
//!          | ("INVARSPEC" | "CTLSPEC" | "SPEC" | "LTLSPEC") [ "NAME" name ":=" ] formula [ "IN" path ] [";"]
//!          | "COMPUTE" [ "NAME" name ":=" ] ("MIN" | "MAX") "[" expression "," expression "]" [";"]
//! type     = "boolean" | ["unsigned" | "signed"] "word" "[" n "]" | a ".." b | "{" values "}"
//!          | "array" a ".." b "of" type | "array" "word" "[" n "]" "of" "word" "[" m "]"
//!          | ["process"] name [ "(" expressions ")" ]
//! ```
//! The operators stand in `signs`.
//!
//! # What NuSMV decides and we decide as it does
//!
//! Types (`values`): no boolean is a number, words are of one width and signedness, a set is
//! compared with `in` only. A value that a variable cannot have, a `case` that does not cover
//! all cases, an index out of bounds, a division by zero are errors if they can happen for
//! some values of variables, reachable or not (`possible`). NuSMV finds out with decision
//! diagrams, we with sets of values; where that is too hard, a warning says so.
//!
//! # Modules
//!
//! - `token`, `cursor`, `signs`, `expressions`, `parser` make the tree of `syntax`.
//! - `instances`: the tree of instances, and what names mean in them. `needs`: in which order
//!   macros, parameters and variables are found out.
//! - `lower`, `operators`, `sets`, `words`, `moments`, `temporal`, `past`: expressions become
//!   the `values` of nodes.
//! - `declare`, `assign`, `build`: the relation.
//!
//! Nothing recurses but over dimensions of arrays, instances within instances and parameters
//! that stand for them, all of which are bounded.

use std::sync::Arc;

use homing_ir::Network;

use crate::reading::{added, model_name, no_goals};
use crate::{Language, Parsed};
use cursor::Cursor;
use instances::Model;

mod assign;
mod build;
mod cursor;
mod declare;
mod expressions;
mod instances;
mod lower;
mod moments;
mod needs;
mod operators;
mod parser;
mod past;
mod possible;
mod sets;
mod signs;
mod syntax;
mod temporal;
mod token;
mod values;
mod words;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "smv",
    about: "synchronous modules with variables over finite domains, as NuSMV reads them",
    cite: "Cavada et al., NuSMV 2.6 User Manual; McMillan, Symbolic Model Checking, 1993",
    extensions: &["smv"],
    parse: |name, text, _| parse(name, text),
    expression: no_goals,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Reads a model.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut network = Network { name: model_name(name), ..Network::default() };
    let source = match added(&mut network.sources, name, text) {
        Ok(source) => source,
        Err(error) => return Parsed { network, diagnostics: vec![error] },
    };
    let mut cursor = Cursor::new(source, text);
    let tree = parser::parse(&mut cursor);
    let reports = cursor.reports;
    if reports.failed() {
        return Parsed { network, diagnostics: reports.finish() };
    }
    let mut model = Model::new(&tree, reports);
    // What went wrong was reported.
    let _ = model.build();
    let Model { relation, reports, .. } = model;
    network.relation = Some(Arc::new(relation));
    Parsed { network, diagnostics: reports.finish() }
}
