//! What ends a run before it has a result.

use std::fmt;

use homing::report::diagnostics;
use homing::{LoadError, UsageError};

/// The most diagnostics shown; the first ones matter.
const MOST: usize = 30;

/// What is wrong with the command line, the model or another file.
#[derive(Debug)]
pub enum Failure {
    /// A sentence.
    Sentence(String),
    /// Diagnostics, already rendered with and without colours.
    Rendered {
        /// Without colours.
        plain: String,
        /// With colours.
        styled: String,
    },
}

impl Failure {
    /// The text for standard error.
    pub fn text(&self, styled: bool) -> String {
        match self {
            Failure::Sentence(sentence) if styled => {
                format!("\x1b[1;31merror\x1b[0m: {sentence}\n")
            }
            Failure::Sentence(sentence) => format!("error: {sentence}\n"),
            Failure::Rendered { styled: text, .. } if styled => text.clone(),
            Failure::Rendered { plain, .. } => plain.clone(),
        }
    }

    fn rendered(sources: &homing::ir::Sources, diagnostics: &[homing::ir::Diagnostic]) -> Failure {
        let text = |styled| diagnostics::render_all(sources, diagnostics, MOST, styled);
        Failure::Rendered {
            plain: text(false),
            styled: text(true),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        match &error {
            LoadError::Diagnostics {
                sources,
                diagnostics,
            } => Failure::rendered(sources, diagnostics),
            _ => Failure::Sentence(error.to_string()),
        }
    }
}

impl From<UsageError> for Failure {
    fn from(error: UsageError) -> Failure {
        match &error {
            UsageError::Diagnostics {
                sources,
                diagnostics,
            } => Failure::rendered(sources, diagnostics),
            UsageError::Sentence(sentence) => Failure::Sentence(sentence.clone()),
        }
    }
}

/// A sentence about something that failed.
pub fn sentence(message: impl fmt::Display) -> Failure {
    Failure::Sentence(message.to_string())
}
