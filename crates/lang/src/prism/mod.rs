//! PRISM's language: Markov chains and decision processes.
//!
//! Kwiatkowska, Norman, Parker, "PRISM 4.0: Verification of Probabilistic Real-time Systems",
//! CAV 2011, and the manual of that tool. What is written here is what homing reads.
//!
//! # Grammar
//!
//! ```text
//! model     = { kind | constant | formula | label | global | module | initial | system | rewards }
//! kind      = "dtmc" | "ctmc" | "mdp" | "probabilistic" | "stochastic" | "nondeterministic"
//! constant  = ( "const" [ "int" | "double" | "bool" ] | "rate" | "prob" ) name [ "=" e ] ";"
//! formula   = "formula" name "=" e ";"
//! label     = "label" quoted "=" e ";"
//! global    = "global" variable
//! variable  = name ":" ( "[" e ".." e "]" | "int" | "bool" ) [ "init" e ] ";"
//! module    = "module" name { variable | command } "endmodule"
//!           | "module" name "=" name "[" name "=" name { "," … } "]" "endmodule"
//! command   = "[" [ name ] "]" e "->" update { "+" update } ";"
//! update    = [ e ":" ] ( "true" | set { "&" set } )          set = "(" name "'" "=" e ")"
//! initial   = "init" e "endinit"
//! rewards   = "rewards" [ quoted ] { [ "[" [ name ] "]" ] e ":" e ";" } "endrewards"
//! system    = "system" [ quoted ] s "endsystem"
//! s         = name | quoted | "(" s ")" | s "||" s | s "|||" s | s "|[" names "]|" s
//!           | s "/" "{" names "}" | s "{" name "<-" name { "," … } "}"
//! e         = number | "true" | "false" | name | quoted | "(" e ")" | "-" e | "!" e
//!           | e operator e | e "?" e ":" e | function "(" e { "," e } ")"
//! ```
//!
//! A model without a kind is an `mdp`. Comments are `// …`.
//!
//! # Meaning
//!
//! - Commands with an action wait for all modules that have it; those without go alone. All
//!   that a step changes is worked out in the state before it.
//! - What has probability or rate zero in a state does not happen there.
//! - Numbers that are constant are exact: 0.1 is a tenth. Only logarithms, roots and numbers
//!   of very many digits are rounded. What depends on the state is computed in whole numbers
//!   of 32 bits, one above another where it is a fraction; what may not fit is refused.
//! - A value outside a variable's bounds is a run-time error, and a state without steps is a
//!   deadlock: nothing is added to it.
//! - Probabilities of a command that are constant must sum to one within 0.00001. Those that
//!   depend on the state are not summed, nor looked at for being negative.
//! - Rewards are read and checked, and not kept.
//! - An edge has the probabilities as weights of its branches, or its rate. Nothing computes
//!   with them yet.
//!
//! # Where this differs from PRISM
//!
//! - Constants are folded exactly, so that `ceil(0.1*3*10)` is 3.
//! - A command with an action may change a global variable, if it is the only one to do so.
//! - Constants that only labels or rewards use need no value.
//! - `init … endinit` must describe one state.
//!
//! # The way through
//!
//! `token` makes words, `cursor` walks over them, `parser` and `expression` make the tree of
//! `syntax`. `scope` knows what names stand for, `number` computes what is constant, `value`
//! `operators` and `functions` what is not, `quantity` where a probability is zero. `declare`
//! enters modules and variables, `initial` finds where they begin, `lower` reads commands,
//! `compose` who moves together, and `edges` makes edges. A goal is read by reading the model again.

use homing_ir::network::{Arithmetic, EffectOrder, Expr};
use homing_ir::{Diagnostic, Network, SourceId, Span};

use crate::reading::{Parse, added, model_name};
use crate::reports::Reports;
use crate::walking::Walking;
use crate::{Language, Parsed, Settings};
use cursor::Cursor;
use lower::{Lowering, lower};
use number::Number;
use scope::Scope;
use syntax::{Model, Name};
use token::Token;
use value::Value;

mod compose;
mod cursor;
mod declare;
mod edges;
mod expression;
mod functions;
mod initial;
mod lower;
mod number;
mod operators;
mod parser;
mod quantity;
mod scope;
mod syntax;
mod token;
mod value;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "prism",
    about: "Markov chains and decision processes, as modules with guarded commands",
    cite: "Kwiatkowska, Norman, Parker, PRISM 4.0: Verification of Probabilistic Real-time \
           Systems, CAV 2011",
    extensions: &["prism", "nm", "sm"],
    parse,
    expression,
    missing: |_, _| None,
    goes_on: false,
    constants: true,
};

/// Whether a text is a model of this language, in a file whose name says another: no text in
/// Promela has this word.
pub fn recognises(text: &str) -> bool {
    text.contains("endmodule")
}

/// The name of the text that `--const` makes.
const CONSTANTS: &str = "--const";

/// Reads a model.
pub fn parse(name: &str, text: &str, settings: &Settings<'_>) -> Parsed {
    let mut network = Network {
        name: model_name(name),
        effect_order: EffectOrder::SenderFirst,
        arithmetic: Arithmetic::Wrap32,
        statements: true,
        ..Network::default()
    };
    let source = match added(&mut network.sources, name, text) {
        Ok(source) => source,
        Err(error) => return Parsed { network, diagnostics: vec![error] },
    };
    let given = settings.constants.join(",");
    if !given.is_empty()
        && let Err(error) = added(&mut network.sources, CONSTANTS, &given)
    {
        return Parsed { network, diagnostics: vec![error] };
    }
    let (model, given, reports) = read(source, text, &given);
    let lowering = lowered(network, &model, &given, reports);
    let Lowering { network, scope, .. } = lowering;
    Parsed { network, diagnostics: scope.reports.finish() }
}

type Settled<'t> = Vec<(Name<'t>, syntax::Expr<'t>)>;

/// The trees of a model and of the constants given to it, which is the source behind it.
fn read<'t>(source: SourceId, text: &'t str, given: &'t str) -> (Model<'t>, Settled<'t>, Reports) {
    let mut cursor = Cursor::new(source, text, Reports::default());
    let model = cursor.model();
    let mut cursor = Cursor::new(SourceId(source.0 + 1), given, cursor.reports);
    let settled = cursor.settings();
    let mut reports = cursor.reports;
    if model.modules.is_empty() && !reports.failed() {
        let end = text.len() as u32;
        let message = match text.trim().is_empty() {
            true => "there is no model: the text is empty",
            false => "there is no module in the model",
        };
        reports.add(Diagnostic::error(message, Span { source, start: end, end }));
    }
    (model, settled, reports)
}

fn lowered<'m, 't>(
    network: Network,
    model: &'m Model<'t>,
    given: &'m [(Name<'t>, syntax::Expr<'t>)],
    reports: Reports,
) -> Lowering<'m, 't> {
    let mut scope = Scope::new(model, reports);
    scope.settle(given);
    lower(network, scope, model)
}

/// Reads an expression over a model that was read before, such as a goal: the model's text is
/// read again, for its constants, formulas and labels.
pub fn expression(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let model_text = network.sources.get(SourceId(0)).text.clone();
    let given = match network.sources.count() {
        0 | 1 => String::new(),
        _ => Some(network.sources.get(SourceId(1)))
            .filter(|source| source.name == CONSTANTS)
            .map_or_else(String::new, |source| source.text.clone()),
    };
    let source = added(&mut network.sources, name, text).map_err(|error| vec![error])?;
    let mut cursor = Cursor::new(source, text, Reports::default());
    let goal = cursor.expression().and_then(|goal| cursor.expect_end().map(|()| goal));
    let Ok(goal) = goal else { return Err(cursor.reports.finish()) };
    let (model, given, reports) = read(SourceId(0), &model_text, &given);
    let mut lowering = lowered(Network::default(), &model, &given, reports);
    lowering.scope.initial = Some(lowering.initial());
    lowering.scope.reports = Reports::default();
    match lowering.scope.value(&goal) {
        Ok(Value::Known(Number::Bool(value))) => return Ok(Expr::int(value.into(), goal.span)),
        Ok(Value::Known(Number::Int(value))) => return Ok(Expr::int(value, goal.span)),
        Ok(Value::Whole(whole)) => return Ok(whole.expr),
        Ok(_) => {
            let message = "a truth value or a whole number is needed here";
            lowering.scope.reports.add(Diagnostic::error(message, goal.span));
        }
        Err(_) => {}
    }
    Err(lowering.scope.reports.finish())
}

impl Cursor<'_> {
    fn expect_end(&mut self) -> Parse<()> {
        match self.token() {
            Token::End => Ok(()),
            _ => self.fail_expecting("an operator or the end"),
        }
    }
}
