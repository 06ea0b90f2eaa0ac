//! Promela, the language of SPIN.
//!
//! What stands here follows SPIN 6.5.2: where its manual is silent, the
//! verifier it generates decides (`pan`, compiled with `-DSAFETY -DNOREDUCE`
//! from `spin -a -o1 -o2 -o3`), down to the number of states.
//!
//! # The way through
//!
//! `preprocess` does what `cpp` does, `token` makes words, `parse` the tree of
//! `syntax` (inlines put in), `flow` the states of each process type, `lower`
//! the network, `grow` finds out which processes `run` may start, and `settled` which
//! channels they always hold.
//!
//! # Meaning
//!
//! - A statement is one step, a condition too. Jumps, `break` and joins are
//!   no steps of their own unless they are the first thing in an option.
//! - The end of a process is a step, possible when all younger processes are
//!   gone.
//! - `atomic`: one step until the sequence is over, or blocked; a rendezvous
//!   hands control to the receiver where that is in an atomic sequence, else
//!   to nobody. `d_step`: one step, always by the first way that is possible.
//! - `else` is possible where no option before it is; rendezvous do not count.
//! - `timeout` is true where nothing else is possible.
//! - Evaluation is in 32 bits; assignment keeps the low bits of the type.
//! - A violated assertion does not end a run: what follows is explored too.

use std::collections::BTreeSet;

use homing_ir::network::Expr;
use homing_ir::{Diagnostic, Network};

use crate::reading::model_name;
use crate::reports::Reports;
use crate::{Language, Parsed, Settings};

mod flow;
mod grow;
mod lower;
mod names;
mod parse;
mod preprocess;
mod read;
mod scope;
mod settled;
pub mod syntax;
#[cfg(test)]
mod tests;
mod token;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "promela",
    about: "processes with guarded commands, shared variables, channels and dynamic creation",
    cite: "Holzmann, The SPIN Model Checker: Primer and Reference Manual, 2003",
    extensions: &["pml", "prom", "promela", "pm", "pr", "prm", "spin"],
    parse,
    expression,
    missing: grow::missing,
    goes_on: true,
    constants: false,
};

/// Reads a model.
pub fn parse(name: &str, text: &str, settings: &Settings<'_>) -> Parsed {
    let mut network = Network { name: model_name(name), ..Network::default() };
    let mut reports = Reports::default();
    let program = read::read(name, text, settings, &mut network.sources, &mut reports);
    if reports.failed() {
        return Parsed { network, diagnostics: reports.finish() };
    }
    let wishes = lower::Wishes { births: BTreeSet::new(), lossy: settings.lossy };
    let (network, diagnostics) = grow::grow(&program, &network, wishes, settings.more);
    diagnostics.into_iter().for_each(|diagnostic| reports.add(diagnostic));
    Parsed { network, diagnostics: reports.finish() }
}

/// Reads an expression over a model that was read before, such as a goal, as
/// if it stood outside all processes.
pub fn expression(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let mut reports = Reports::default();
    let mut sources = std::mem::take(&mut network.sources);
    let parsed = read::read_expression(text, name, &mut sources, &mut reports);
    network.sources = sources;
    let lowered = parsed.and_then(|expr| names::resolve(network, &expr, &mut reports));
    match lowered {
        Some(expr) if !reports.failed() => Ok(expr),
        _ => Err(reports.finish()),
    }
}
