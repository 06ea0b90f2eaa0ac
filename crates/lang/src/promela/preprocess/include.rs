//! `#include`.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use homing_ir::{Diagnostic, SourceId, Span};

use super::Preprocessor;
use super::scan::{Kind, Scanner, Word};
use crate::reading::readable;

/// How deep files may include each other.
const MOST_LEVELS: usize = 200;
/// How many different files may be included.
const MOST_FILES: usize = 10_000;

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, rest: &[Word], span: Span) {
        let place = rest.last().map_or(span, |last| span.to(last.span));
        let Some((name, quoted)) = self.included(rest) else {
            let error = Diagnostic::error("`#include` needs the name of a file", place);
            self.reports.add(error.help("write `#include \"name\"`"));
            return;
        };
        if self.files.len() > MOST_LEVELS {
            self.too_deep(place);
            return;
        }
        let folders = self.folders(quoted);
        let mut refused = None;
        for folder in &folders {
            let path = folder.join(&name);
            match self.text_of(&path) {
                Ok((source, text)) => {
                    self.open(Scanner::new(source, text), path, Some(place));
                    return;
                }
                Err(reason) => refused = refused.or(reason),
            }
            if self.stopped {
                return;
            }
        }
        self.missing(&name, &folders, refused, place);
    }

    /// The name of the file, and whether it is in quotes.
    fn included(&mut self, rest: &[Word]) -> Option<(String, bool)> {
        let quotes = |word: &Word| word.text.trim_matches('"').to_string();
        match rest {
            [name, ..] if name.kind == Kind::String => return Some((quotes(name), true)),
            [open, .., close] if open.is("<") && close.is(">") => {
                let file = self.files.last()?;
                let name = file.scanner.text(open.span.end, close.span.start).trim();
                return (!name.is_empty()).then(|| (name.to_string(), false));
            }
            [] => return None,
            _ => {}
        }
        let words = self.expand(rest.to_vec());
        match &words[..] {
            [name] if name.kind == Kind::String => Some((quotes(name), true)),
            [open, inner @ .., close] if open.is("<") && close.is(">") && !inner.is_empty() => {
                Some((inner.iter().map(|word| &*word.text).collect(), false))
            }
            _ => None,
        }
    }

    fn folders(&self, quoted: bool) -> Vec<PathBuf> {
        let own = self.files.last().filter(|_| quoted);
        let own = own.map(|file| file.path.parent().unwrap_or(Path::new("")).to_path_buf());
        own.into_iter().chain(self.settings.includes.iter().map(PathBuf::from)).collect()
    }

    /// A file's text; where it cannot be had, why, unless there is none.
    fn text_of(&mut self, path: &Path) -> Result<(SourceId, Rc<str>), Option<String>> {
        if let Some((source, text)) = self.texts.get(path) {
            return Ok((*source, Rc::clone(text)));
        }
        let text = (self.settings.read)(path).map_err(|error| {
            let missing = error.kind() == std::io::ErrorKind::NotFound;
            (!missing).then(|| error.to_string())
        })?;
        readable(&text).map_err(Some)?;
        if self.texts.len() == MOST_FILES {
            return Err(Some(format!("more than {MOST_FILES} files are included")));
        }
        let source = self.sources.add(path.display().to_string(), text.as_str());
        let text: Rc<str> = text.into();
        self.texts.insert(path.to_path_buf(), (source, Rc::clone(&text)));
        Ok((source, text))
    }

    fn missing(&mut self, name: &str, folders: &[PathBuf], refused: Option<String>, place: Span) {
        let shown = |folder: &PathBuf| match folder.as_os_str().is_empty() {
            true => "the current folder".to_string(),
            false => format!("`{}`", folder.display()),
        };
        let looked: Vec<String> = folders.iter().map(shown).collect();
        let help = match looked.is_empty() {
            true => "no folder was given to look in".to_string(),
            false => format!("looked in {}", looked.join(", ")),
        };
        let error = match refused {
            Some(reason) => format!("the included file `{name}` cannot be read: {reason}"),
            None => format!("the included file `{name}` does not exist"),
        };
        // What the file would have declared is missing everywhere below.
        self.stop(Diagnostic::error(error, place).help(help));
    }

    /// So many levels are open: names the file that includes itself.
    fn too_deep(&mut self, place: Span) {
        let current = self.files.last().map(|file| file.path.clone()).unwrap_or_default();
        let before = self.files.iter().rev().skip(1).find(|file| file.path == current);
        let message = match before {
            Some(_) => format!("`{}` includes itself without end", current.display()),
            None => format!("more than {MOST_LEVELS} files include each other"),
        };
        let mut error = Diagnostic::error(message, place);
        if let Some(opened) = before.and_then(|file| file.opened) {
            error = error.related(opened, "and was included here");
        }
        self.stop(error);
    }
}
