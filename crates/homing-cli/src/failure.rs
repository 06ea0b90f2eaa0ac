//! What ends a run before it has a result.

use std::fmt;

use homing::ir::{Diagnostic, Sources};
use homing::report::diagnostics;
use homing::{LoadError, UsageError};

use crate::exit::Exit;
use crate::repeat;

/// The most diagnostics shown; the first ones matter.
const MOST: usize = 30;

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    /// The command line, the model or another file is wrong: a sentence.
    Sentence(String),
    /// The same, as diagnostics.
    Diagnostics {
        /// The texts they point into.
        sources: Sources,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// homing itself is wrong.
    Internal(String),
    /// A limit was met before there was a result.
    Stopped(String),
}

impl Failure {
    /// The text for standard error.
    pub fn text(&self, styled: bool) -> String {
        match self {
            Failure::Sentence(sentence) if styled => {
                format!("\x1b[1;31merror\x1b[0m: {sentence}\n")
            }
            Failure::Sentence(sentence) => format!("error: {sentence}\n"),
            Failure::Diagnostics { sources, diagnostics } => {
                diagnostics::render_all(sources, diagnostics, MOST, styled)
            }
            Failure::Internal(message) => apology(message),
            Failure::Stopped(reason) => format!("unknown: {reason}\n"),
        }
    }

    /// How the run ends.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Sentence(_) | Failure::Diagnostics { .. } => Exit::Wrong,
            Failure::Internal(_) => Exit::Internal,
            Failure::Stopped(_) => Exit::Unknown,
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match error {
            LoadError::Diagnostics { sources, diagnostics } => {
                Failure::Diagnostics { sources, diagnostics }
            }
            stopped @ LoadError::Stopped(_) => Failure::Stopped(stopped.to_string()),
            other => Failure::Sentence(other.to_string()),
        }
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Failure {
        match error {
            UsageError::Sentence(sentence) => Failure::Sentence(sentence),
            UsageError::Diagnostics { sources, diagnostics } => {
                Failure::Diagnostics { sources, diagnostics }
            }
            more @ UsageError::More(_) => Failure::Sentence(more.to_string()),
            UsageError::Internal(message) => Failure::Internal(message),
            UsageError::Stopped(reason) => Failure::Stopped(reason),
        }
    }
}

/// A sentence about something that is wrong.
pub fn sentence(message: impl fmt::Display) -> Failure {
    Failure::Sentence(message.to_string())
}

/// What to say when homing itself failed.
pub fn apology(message: &str) -> String {
    format!(
        "error: homing itself failed: {message}\n\
         This is a fault of homing, not of your model, and there is no verdict; we are sorry.\n\
         Please report it, with the model and this command:\n  {}\n",
        repeat::command()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_mistakes_are_internal() {
        assert_eq!(Failure::from(UsageError::Sentence("no".into())).exit(), Exit::Wrong);
        let internal = Failure::from(UsageError::Internal("it does not replay".into()));
        assert_eq!(internal.exit(), Exit::Internal);
        let text = internal.text(false);
        assert!(text.contains("it does not replay") && text.contains("  homing"), "{text}");
    }
}
