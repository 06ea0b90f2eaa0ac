//! AIGER: circuits of and-gates, inverters and latches, in ASCII and in binary.
//!
//! Biere, "The AIGER And-Inverter Graph (AIG) Format Version 20071012"; Biere, Heljanko,
//! Wieringa, "AIGER 1.9 and beyond" (2011).
//!
//! ```text
//! file    = ("aag" | "aig") M I L O A [B [C [J [F]]]] \n
//!           inputs latches outputs bad constraints justice fairness ands symbols comments
//! literal = 2 · variable + negated        0 is false, 1 is true
//! latch   = [literal] next [reset]        reset: 0 (also where it is missing), 1, or the
//!                                         literal itself: any value
//! and     = literal literal literal       in binary two differences, seven bits a byte
//! ```
//! What becomes of it: every input is an input, every latch a boolean state variable, every
//! gate a term. `bad` literals are invariants, justice properties and fairness constraints
//! what they are called. In a file of the older format, which has no `bad`, outputs are bad,
//! as in the competitions of that time; else they are named terms.
//!
//! Gates in ASCII may come in any order; one that depends on itself is an error. A constraint
//! holds at every moment, that of the bad literal included.
//!
//! A binary file is a text in which every character is one byte ([`is_binary`]).

use homing_ir::relation::Dialect;
use homing_ir::{Diagnostic, Network, Relation, Span};
use std::sync::Arc;

use crate::reading::{model_name, no_goals};
use crate::reports::Reports;
use crate::{Language, Parsed};
use circuit::Circuit;
use cursor::Cursor;

mod circuit;
mod cursor;
mod gates;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "aiger",
    about: "circuits of and-gates and latches",
    cite: "Biere, Heljanko and Wieringa, AIGER 1.9 and beyond, 2011",
    extensions: &["aag", "aig"],
    parse: |name, text, _| parse(name, text),
    expression: no_goals,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Whether a file is in the binary format: then each of its bytes is to become the character
/// of that number, as in Latin-1.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(b"aig ")
}

/// Reads a model.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut network = Network { name: model_name(name), ..Network::default() };
    let shown: String = text.chars().map(shown).collect();
    let source = network.sources.add(name, shown);
    let mut reports = Reports::default();
    if u32::try_from(text.len()).is_err() {
        reports.add(Diagnostic::error("the file is too large", Span::default()));
        return Parsed { network, diagnostics: reports.finish() };
    }
    let mut cursor = Cursor::new(source, text);
    let read = Circuit::read(&mut cursor).and_then(|circuit| gates::relation(&circuit));
    match read {
        Ok(relation) => {
            network.relation = Some(Arc::new(Relation { dialect: Dialect::Aiger, ..relation }));
        }
        Err(error) => reports.add(*error),
    }
    Parsed { network, diagnostics: reports.finish() }
}

/// What stands for a byte where the file is shown.
fn shown(c: char) -> char {
    match c {
        '\n' | '\t' | ' '..='~' => c,
        _ => cursor::OTHER,
    }
}
