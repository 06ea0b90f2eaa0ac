//! Standard output and standard error: who may be reading, and what that
//! means for colours, progress and length.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use homing::report::style::Palette;
use homing::report::text::Layout;

use crate::arguments::Color;
use crate::exit::Exit;

/// Longer traces are cut on a terminal; a pipe gets all.
const MOST_STEPS: usize = 200;

/// How to write to whoever is reading.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// How text on standard output is laid out.
    pub layout: Layout,
    /// Whether standard error gets colours.
    pub styled_errors: bool,
    /// Whether somebody may be watching standard error.
    pub watched: bool,
}

impl Terminal {
    /// Finds out what standard output and standard error are.
    pub fn new(color: Color) -> Terminal {
        let watched = io::stderr().is_terminal();
        let styled = coloured(color, AutoStream::choice(&io::stdout()));
        let layout = Layout {
            palette: if styled { Palette::coloured() } else { Palette::plain() },
            most_steps: if io::stdout().is_terminal() { MOST_STEPS } else { usize::MAX },
        };
        let styled_errors = coloured(color, AutoStream::choice(&io::stderr()));
        Terminal { layout, styled_errors, watched }
    }
}

/// `found` is what the environment asks for, `NO_COLOR` and the like included.
fn coloured(color: Color, found: ColorChoice) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => found != ColorChoice::Never,
    }
}

/// Writes to standard output. A reader that has gone away is no error: it has
/// what it wanted.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Exit {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // What is left in the buffer must not be tried again when it is dropped.
            let _ = out.into_parts();
            complain(&format!("error: cannot write to standard output: {error}\n"));
            Exit::Wrong
        }
        Err(_) => {
            let _ = out.into_parts();
            Exit::Success
        }
        Ok(()) => Exit::Success,
    }
}

/// Writes to standard error; if even that fails, there is nobody to tell.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
