//! What several tests of front ends need.

use std::fs;
use std::path::PathBuf;

#[path = "../../../../tests/support/corpus.rs"]
mod corpus;
#[path = "../../../../tests/support/expectations.rs"]
pub mod expectations;

pub use corpus::corpus;
pub use expectations::models;
use expectations::{Expectation, Subject, expectations, verdict};
use homing_ir::interp::{Exploration, Interpreter};
use homing_ir::network::Expr;
use homing_ir::{Diagnostic, Network, Severity, Sources, Span};
use homing_lang::Parsed;

/// The folder of BEEM models, or a printed notice that there is none.
pub fn beem() -> Option<PathBuf> {
    corpus("dve/beem")
}

/// A diagnostic as text, all of it.
pub fn render(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let at = |span: Span| {
        let position = sources.position(span);
        format!("{}:{}", position.line, position.column)
    };
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{} {severity}: {}\n", at(diagnostic.span), diagnostic.message);
    if !diagnostic.label.is_empty() {
        text += &format!("    label: {}\n", diagnostic.label);
    }
    for (span, label) in &diagnostic.related {
        text += &format!("    {} {label}\n", at(*span));
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("    help: {help}\n");
    }
    text
}

/// All diagnostics as text.
pub fn render_all(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| render(sources, diagnostic)).collect()
}

/// Asserts that all models of a language mean what their first lines say, as `observe`
/// finds it.
pub fn mean_what_they_say(
    language: &str,
    parse: fn(&str, &str) -> Parsed,
    observe: fn(&mut Network, &Subject) -> String,
) {
    let mut wrong = Vec::new();
    for path in models(language) {
        let text = fs::read_to_string(&path).unwrap();
        let mut parsed = parse(&path.display().to_string(), &text);
        let errors: Vec<_> =
            parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
        assert!(errors.is_empty(), "{}", render_all(&parsed.network.sources, &errors));
        let expectations = expectations(&text);
        assert!(!expectations.is_empty(), "{} expects nothing", path.display());
        for Expectation { subject, expected } in expectations {
            let observed = observe(&mut parsed.network, &subject);
            if observed != expected {
                wrong.push(format!("{}: {subject:?}: {observed}, not {expected}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What the interpreter finds for the subject of an expectation in a model without clocks.
pub fn explored(
    network: &mut Network,
    subject: &Subject,
    expression: fn(&mut Network, &str, &str) -> Result<Expr, Vec<Diagnostic>>,
) -> String {
    let goal = match subject {
        Subject::Goal(goal) => Some(
            expression(network, goal, "<goal>")
                .unwrap_or_else(|said| panic!("{}", render_all(&network.sources, &said))),
        ),
        _ => None,
    };
    let interpreter = match Interpreter::new(network) {
        Ok(interpreter) => interpreter,
        Err(said) => panic!("{}", render_all(&network.sources, &said)),
    };
    let found: Exploration = interpreter.explore(10_000);
    assert!(found.complete);
    match (subject, goal) {
        (Subject::States, _) => found.states.len().to_string(),
        (Subject::Deadlock, _) => {
            verdict(found.deadlocks.first().map(|state| found.depths[*state]))
        }
        (Subject::Error, _) => {
            verdict(found.faults.first().map(|fault| found.depths[fault.state] + 1))
        }
        (Subject::Assertion, _) => {
            verdict(found.distance(|state| !interpreter.violated_assertions(state).is_empty()))
        }
        (_, Some(goal)) => verdict(
            found.distance(|state| interpreter.eval(state, &goal).is_ok_and(|value| value != 0)),
        ),
        (Subject::Goal(_), None) => unreachable!("the goal was read above"),
    }
}
