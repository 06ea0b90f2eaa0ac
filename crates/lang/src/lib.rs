//! Front ends: model texts to networks.
//!
//! One folder a language. A front end is a row of [`LANGUAGES`]: it turns the
//! text of a model into a [`Network`] and diagnostics, and parses a goal that
//! a user writes in the model's own language. It never prints, never panics
//! and never gives up at the first error.
//!
//! # Modules
//!
//! - `aiger`, `btor2`: circuits; they become relations (`ir::relation`) instead of processes.
//! - `dve`: its header has the grammar, the meaning and a table of questions on which
//!   DVE tools disagree.
//! - `prism`: its header has the grammar and the meaning; `number`, `value`, `operators` and
//!   `quantity` compute with fractions.
//! - `promela`: `preprocess` does what `cpp` does, `token` and `parse` make the tree of
//!   `syntax`, `flow` the states of each process type as SPIN numbers them, `lower` the
//!   network, `grow` finds out which processes `run` may start, `settled` which channels the
//!   first ones always hold, `names` reads goals.
//! - `uppaal`: `xml` takes a file apart, every piece of text with a map back to its bytes
//!   (`text`); `token`, `parse`, `query` make the tree of `syntax`; `lower` the network:
//!   scopes of meanings, an instance of a template at a time, constants folded on the way;
//!   functions in guards are executed symbolically. A goal is read by reading the model
//!   again: a network knows its variables, not its types, constants and functions.
//! - `smv`: nodes in one arena, instances of modules, terms with types; nothing in it recurses
//!   over a text.
//! - `tck`: TChecker's language.
//! - `ltl` parses formulas, `formula` reads one over a model of any language.
//! - `reports`, `names`, `reading`: what front ends share: collecting diagnostics (and
//!   naming the macro a place is an expansion of), guessing which name was meant, and
//!   `walking` (insisting on a word, saying what came instead), `climbing` (operators by
//!   precedence, the table is the language's; long chains balanced), `arithmetic` (constants,
//!   as networks compute), `comments`.

use std::io;
use std::path::Path;

use homing_ir::network::{EdgeRef, Expr};
use homing_ir::{Diagnostic, Network, Severity};

pub mod aiger;
mod arithmetic;
pub mod btor2;
mod climbing;
mod comments;
#[cfg(test)]
#[path = "../../../tests/support/corpus.rs"]
mod corpus;
pub mod dve;
mod formula;
pub mod ltl;
mod names;
pub mod prism;
pub mod promela;
mod reading;
mod reports;
pub mod smv;
pub mod tck;
pub mod uppaal;
mod walking;

pub use formula::formula;

/// What a front end made of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model. Its sources are always filled, so that diagnostics can be
    /// shown; the rest is meaningful only where [`Parsed::usable`].
    pub network: Network,
    /// What there is to say about the text, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Whether the network is the model that was written: no diagnostic is an
    /// error.
    pub fn usable(&self) -> bool {
        self.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error)
    }
}

/// How a text is to be read. Languages without a preprocessor or channels
/// ignore what is said about them.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Macros to define before the text: `NAME` or `NAME=VALUE`.
    pub defines: &'a [String],
    /// Values of constants that the text leaves open: `NAME=VALUE`, several with commas.
    pub constants: &'a [String],
    /// Folders to look for included files in, after the folder of the
    /// including file.
    pub includes: &'a [String],
    /// Whether a message sent to a full channel is lost, instead of its sender
    /// waiting.
    pub lossy: bool,
    /// Types of processes of which a search found that there are too few, one
    /// entry each time ([`Language::missing`]).
    pub more: &'a [u32],
    /// Name and text of a file of queries about the model, for languages that
    /// keep them apart.
    pub queries: Option<(&'a str, &'a str)>,
    /// Reads an included file. Front ends do not read files themselves.
    pub read: &'a dyn Fn(&Path) -> io::Result<String>,
}

/// No macros, no folders, no files.
impl Default for Settings<'_> {
    fn default() -> Self {
        let read = &|_: &Path| Err(io::Error::from(io::ErrorKind::Unsupported));
        Settings {
            defines: &[],
            constants: &[],
            includes: &[],
            lossy: false,
            more: &[],
            queries: None,
            read,
        }
    }
}

/// A language homing reads.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The name users write.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Where the language is described.
    pub cite: &'static str,
    /// Endings of file names, without the dot.
    pub extensions: &'static [&'static str],
    /// Reads a model: the name of the text, to be shown in diagnostics, the
    /// text, and what its preprocessor is told.
    pub parse: fn(name: &str, text: &str, settings: &Settings<'_>) -> Parsed,
    /// Reads an expression over a parsed model, such as a goal: the model, the
    /// expression, and a name for its text. The text is added to the model's
    /// sources, so that diagnostics can be shown.
    pub expression: fn(&mut Network, text: &str, name: &str) -> Result<Expr, Vec<Diagnostic>>,
    /// Of an edge whose start of a process found no slot: the type of process
    /// the model should be read again with more of, if that helps
    /// ([`Settings::more`]).
    pub missing: fn(&Network, EdgeRef) -> Option<u32>,
    /// Whether an assertion that fails is a step of its own, beside one that goes on:
    /// then nothing is cut off by it. Else nothing lies behind a step that fails so.
    pub goes_on: bool,
    /// Whether a text may leave constants open ([`Settings::constants`]).
    pub constants: bool,
}

/// The languages homing reads.
pub const LANGUAGES: &[Language] = &[
    aiger::LANGUAGE,
    btor2::LANGUAGE,
    dve::LANGUAGE,
    prism::LANGUAGE,
    promela::LANGUAGE,
    smv::LANGUAGE,
    tck::LANGUAGE,
    uppaal::LANGUAGE,
];

/// The language whose files end in `extension` (without the dot, in any case).
pub fn by_extension(extension: &str) -> Option<&'static Language> {
    let known = |language: &&Language| {
        language.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
    };
    LANGUAGES.iter().find(known)
}

/// The language of a text in a file whose name ends in `extension`. TChecker's models
/// are often called as UPPAAL's are, and PRISM's as Promela's: there the text tells.
pub fn recognise(extension: &str, text: &str) -> Option<&'static Language> {
    let language = by_extension(extension)?;
    let other = match language.name {
        name if name == uppaal::LANGUAGE.name => tck::recognises(text).then_some("tck"),
        name if name == promela::LANGUAGE.name => prism::recognises(text).then_some("prism"),
        _ => None,
    };
    other.map_or(Some(language), by_extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_find_languages() {
        assert_eq!(by_extension("dve").map(|language| language.name), Some("dve"));
        assert_eq!(by_extension("DVE").map(|language| language.name), Some("dve"));
        assert!(by_extension("txt").is_none());
    }

    #[test]
    fn models_of_tchecker_are_recognised_whatever_their_ending() {
        let name = |extension, text| recognise(extension, text).map(|language| language.name);
        let tchecker = "# A comment.\n\n system : s\nprocess:P\n";
        for ending in ["ta", "xta", "tck"] {
            assert_eq!(name(ending, tchecker), Some("tck"), "{ending}");
        }
        assert_eq!(name("ta", "process P() { }\nsystem P;\n"), Some("uppaal"));
        assert_eq!(name("dve", tchecker), Some("dve"));
        assert_eq!(name("txt", tchecker), None);
    }

    #[test]
    fn models_of_prism_are_recognised_whatever_their_ending() {
        let name = |text| recognise("pm", text).map(|language| language.name);
        assert_eq!(name("mdp\nmodule M x : bool;\nendmodule\n"), Some("prism"));
        assert_eq!(name("active proctype P() { skip }\n"), Some("promela"));
    }

    #[test]
    fn extensions_are_unique() {
        let mut all: Vec<&str> = LANGUAGES.iter().flat_map(|l| l.extensions).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
