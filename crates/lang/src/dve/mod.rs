//! DVE, the language of DiVinE and of the BEEM benchmark set.
//!
//! There is no standard. What stands here follows the grammar of DiVinE 2, the
//! extensions of DiVinE 3, and where these disagree or are silent, what the
//! published state counts of BEEM require (they were made with LTSmin).
//!
//! # Grammar
//!
//! ```text
//! model       = { declaration | process | property | instances } system
//! declaration = [ "const" | "input" ] type variable { "," variable } ";"
//!             | "channel" [ "{" type { "," type } "}" ] channel { "," channel } ";"
//! type        = "byte" | "int" | "bool"
//! variable    = name [ "[" e "]" ] [ "=" ( e | "{" e { "," e } "}" ) ]
//! channel     = name [ "[" e "]" ]
//! process     = "process" name [ "(" [ parameter { "," parameter } ] ")" ] "{" body "}"
//! parameter   = [ "key" ] name
//! property    = "property" name "{" body "}"
//! instances   = "process" name "(" [ e { "," e } ] ")" ";"
//!             | "for" "(" name ":" e ".." e ")" "{" { instances } "}"
//! body        = { declaration | section }
//! section     = ( "state" | "init" | "commit" | "accept" [ "buchi" ] ) name { "," name } ";"
//!             | "assert" name ":" e { "," name ":" e } ";"
//!             | "trans" transition { [ "," ] transition } [ ";" ]
//! transition  = [ name ] "->" name "{" { clause } "}"
//!             | [ name ] "=>" "{" name ":" number { "," name ":" number } "}"
//! clause      = "guard" e { "," e } ";"
//!             | "sync" [ instance "->" ] name ( "!" | "?" ) [ e | "{" e { "," e } "}" ] ";"
//!             | "effect" e "=" e { "," e "=" e } ";"
//! system      = "system" ( "async" | "sync" ) [ "property" name ] ";"
//! instance    = name [ "(" [ e { "," e } ] ")" ]
//! e           = number | "true" | "false" | "(" e ")"
//!             | name [ "[" e "]" ] | instance "->" name [ "[" e "]" ] | instance "." name
//!             | ( "-" | "~" | "not" | "!" ) e | e operator e
//! ```
//!
//! Operators from loosest to tightest, all left-associative: `imply`; `or ||
//! and &&`; `| & ^`; `== !=`; `< <= > >=`; `<< >>`; `+ -`; `* / %`; unary
//! ones. Comments are `// …` and `/* … */`, a backslash continues a line, names
//! may contain `$` and `#`. `bool`, `input`, `key`, `for`, `buchi` are names
//! except where the grammar wants them, because older models use them so.
//!
//! # Meaning
//!
//! - `byte` is 0 to 255 and `int` 16 bits with a sign; assignments wrap,
//!   expressions are evaluated in 32 bits. `bool` is assigned `e != 0`.
//! - Initial values that exceed an array are cut, missing ones are 0. They may
//!   use the initial values of variables declared before.
//! - The bare name of an array is its first element.
//! - Local names hide global ones. States have names apart. Globals may be
//!   declared behind their use, except constants in constant expressions.
//! - A transition without a source has that of the transition before it.
//! - Messages of a channel with types are fitted to these types when sent; a
//!   channel without takes the number of values from its first use.
//! - `process P(key i, n) { … }` is a template. `process P(1, 2);` makes a
//!   process of it, named `P(1)` after the parameters marked `key`, or after
//!   all where none is marked.
//!
//! # Where sources disagree
//!
//! | question | DiVinE 2 | DiVinE 3 | LTSmin | here |
//! |---|---|---|---|---|
//! | `a or b and c` | `(a or b) and c` | `a or (b and c)` | `a or (b and c)` | as DiVinE 2, with a warning |
//! | `a and b or c` | `(a and b) or c` | `a and (b or c)` | `(a and b) or c` | as DiVinE 2 |
//! | overflow | error state | error state | wraps | wraps |
//! | bad index, division by zero | error state | error state | error | run-time error |
//! | value sent to a buffer | after effects | before | before | before |
//! | variable and state of one name | refused | allowed | refused | allowed |
//! | `P->x` | in properties | everywhere | everywhere | everywhere |
//! | `sync` in a property | `c?` only | – | `c?` only | refused |
//! | channels in `system sync` | ignored | – | – | refused |
//! | `c[2]` without types | refused | values are `int` | refused | values are `int` |
//!
//! BEEM has no expression in which the first line matters. Not read, and said
//! so: acceptance of other kinds than Büchi's, and of DiVinE 3 `expression`,
//! `if` and `property ltl`.
//!
//! # The way through
//!
//! `token` makes words, `cursor` walks over them, `parser`, `process` and
//! `expression` make the tree of `syntax`. `declare` enters all names into `scope` (with
//! `constant` for sizes and initial values), then `bodies`, `lower` and
//! `channels` make edges and expressions. Errors never end the way early.

use homing_ir::network::{Arithmetic, EffectOrder, Expr};
use homing_ir::{Diagnostic, Network, SourceId, Span};

use crate::reading::{Parse, added, model_name};
use crate::reports::Reports;
use crate::walking::Walking;
use crate::{Language, Parsed};
use cursor::Cursor;
use lower::Builder;
use scope::Names;
use token::Token;

mod bodies;
mod channels;
mod constant;
mod cursor;
mod declare;
mod expression;
mod lower;
mod parser;
mod process;
mod scope;
mod syntax;
mod token;

/// The row of this language.
pub const LANGUAGE: Language = Language {
    name: "dve",
    about: "processes with guarded transitions, shared variables and channels",
    cite: "Šimeček, DiVinE: Distributed Verification Environment, 2006; \
           Pelánek, BEEM: Benchmarks for Explicit Model Checkers, SPIN 2007",
    extensions: &["dve"],
    parse: |name, text, _| parse(name, text),
    expression,
    missing: |_, _| None,
    goes_on: false,
    constants: false,
};

/// Reads a model.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut network = Network {
        name: model_name(name),
        effect_order: EffectOrder::ReceiverFirst,
        arithmetic: Arithmetic::Wrap32,
        ..Network::default()
    };
    let source = match added(&mut network.sources, name, text) {
        Ok(source) => source,
        Err(error) => return Parsed { network, diagnostics: vec![error] },
    };
    let mut cursor = Cursor::new(source, text, Reports::default());
    let model = cursor.model();
    let (lost_names, reports) = (cursor.lost_names, cursor.reports);
    let mut builder = Builder { lost_names, ..Builder::new(network, Names::default(), reports) };
    if model.system.is_none() {
        builder.no_system(source, text, &model);
    }
    let bodies = builder.declare(&model);
    bodies.iter().for_each(|(id, body)| builder.body(*id, body));
    builder.finish_channels();
    Parsed { network: builder.network, diagnostics: builder.reports.finish() }
}

/// Reads an expression over a model that was read before, such as a goal, as
/// if it stood outside all processes.
pub fn expression(network: &mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>> {
    let source = added(&mut network.sources, name, text).map_err(|error| vec![error])?;
    let mut cursor = Cursor::new(source, text, Reports::default());
    let parsed = cursor.expression().and_then(|expr| cursor.expect_end().map(|()| expr));
    let names = Names::of(network);
    let mut builder = Builder::new(std::mem::take(network), names, cursor.reports);
    let lowered = parsed.ok().and_then(|expr| builder.expression(&expr));
    *network = builder.network;
    match lowered {
        Some(expr) if !builder.reports.failed() => Ok(expr),
        _ => Err(builder.reports.finish()),
    }
}

impl Builder {
    fn no_system(&mut self, source: SourceId, text: &str, model: &syntax::Model) {
        // Where something was skipped, the line may have been in it.
        if self.lost_names || (self.reports.failed() && model.items.is_empty()) {
            return;
        }
        let end = text.len() as u32;
        let span = Span { source, start: end, end };
        let message = if model.items.is_empty() {
            "there is no model: the text is empty"
        } else {
            "the last line of the model is missing"
        };
        let error = Diagnostic::error(message, span).help("write `system async;` at the end");
        self.reports.add(error);
    }
}

impl Cursor<'_> {
    fn expect_end(&mut self) -> Parse<()> {
        if self.token() == Token::End {
            Ok(())
        } else {
            self.fail_expecting("an operator or the end")
        }
    }
}
