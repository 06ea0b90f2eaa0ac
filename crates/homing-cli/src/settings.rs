//! `homing.toml`: strategies by names of the user's own.
//!
//! ```toml
//! [strategies]
//! tuned = "greedy(relaxed-trace, prefer=useless)"
//! ```
//! The file is looked for in the current folder and those around it; the nearest one
//! counts. It is read only where a name is asked for. A name may not be one of the
//! catalogue, so that what a command line means does not depend on where it is typed.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use homing::catalogue::{Kind, nearest};
use homing::ir::{Diagnostic, Sources, Span};
use serde::Deserialize;
use toml::Spanned;

use crate::commands::read_text;
use crate::failure::{Failure, sentence};

/// The name of the file.
pub const FILE: &str = "homing.toml";

/// The table of strategies.
const TABLE: &str = "strategies";

/// A file of settings, as it is.
pub struct Settings {
    path: PathBuf,
    text: String,
    strategies: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    strategies: BTreeMap<Spanned<String>, Spanned<String>>,
}

/// The strategy that is meant: an expression, or a name (perhaps with `@`) for one in a
/// file, which is `config` where one is given.
pub fn strategy(text: &str, config: Option<&Path>) -> Result<String, Failure> {
    let given = config.map(Settings::read).transpose()?;
    let name = text.trim();
    let only_named = name.strip_prefix('@');
    let name = only_named.unwrap_or(name);
    let known: Vec<&str> = names_of_strategies();
    if only_named.is_none() && (known.contains(&name) || !is_name(name)) {
        return Ok(text.to_string());
    }
    let (settings, looked) = match given {
        Some(settings) => {
            let looked = format!("in `{}`", settings.path.display());
            (Some(settings), looked)
        }
        None => nearest_file()?,
    };
    let found = settings.as_ref().and_then(|settings| settings.get(name));
    if let Some(found) = found {
        return Ok(found.to_string());
    }
    let own = settings.iter().flat_map(|settings| settings.names());
    let catalogue = known.into_iter().filter(|_| only_named.is_none());
    let hint = match nearest(name, own.clone().chain(catalogue)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if own.clone().next().is_some() => {
            format!("there are: {}", own.collect::<Vec<_>>().join(", "))
        }
        None => "`homing parts` lists strategies, `homing tune` finds and names one".into(),
    };
    Err(sentence(format_args!("there is no strategy `{name}`; looked {looked}; {hint}")))
}

/// The same of several, with semicolons between them.
pub fn strategies(text: &str, config: Option<&Path>) -> Result<String, Failure> {
    let mut quoted = false;
    let parts = text.split(|c| {
        quoted ^= c == '\'';
        c == ';' && !quoted
    });
    let meant: Result<Vec<String>, Failure> = parts.map(|part| strategy(part, config)).collect();
    Ok(meant?.join(";"))
}

/// The file nearest to the current folder, and where was looked.
fn nearest_file() -> Result<(Option<Settings>, String), Failure> {
    let folder = env::current_dir()
        .map_err(|error| sentence(format_args!("there is no current folder: {error}")))?;
    for around in folder.ancestors() {
        let path = around.join(FILE);
        if path.is_file() {
            let looked = format!("in `{}`", path.display());
            return Ok((Some(Settings::read(&path)?), looked));
        }
    }
    let looked = format!("for `{FILE}` in `{}` and the folders around it", folder.display());
    Ok((None, looked))
}

fn names_of_strategies() -> Vec<&'static str> {
    let searches = [Kind::Strategy, Kind::Symbolic, Kind::Satisfiability];
    let all = homing::catalogue().into_iter().filter(|row| searches.contains(&row.kind));
    all.map(|row| row.name).collect()
}

/// Whether a text can be a name.
fn is_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(fits)
}

impl Settings {
    /// Reads a file.
    fn read(path: &Path) -> Result<Settings, Failure> {
        let text = read_text("configuration", path)?;
        Settings::parse(path, text)
    }

    /// The file that something is to be written to; an empty one where there is none.
    pub fn to_write(path: &Path) -> Result<Settings, Failure> {
        match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Settings::parse(path, String::new())
            }
            _ => Settings::read(path),
        }
    }

    fn parse(path: &Path, text: String) -> Result<Settings, Failure> {
        let wrong = |message: String, at: Range<usize>| diagnostic(path, &text, message, at);
        let content: Content = toml::from_str(&text)
            .map_err(|error| wrong(error.message().into(), error.span().unwrap_or(0..0)))?;
        for (name, strategy) in &content.strategies {
            check_name(name.get_ref()).map_err(|error| wrong(error, name.span()))?;
            homing::check_strategy(strategy.get_ref())
                .map_err(|error| wrong(error, strategy.span()))?;
        }
        Ok(Settings { path: path.into(), strategies: content.strategies, text })
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.strategies.keys().map(|name| name.get_ref().as_str())
    }

    fn get(&self, name: &str) -> Option<&str> {
        let entry = self.strategies.iter().find(|(own, _)| own.get_ref() == name);
        entry.map(|(_, strategy)| strategy.get_ref().as_str())
    }

    /// The text of the file with a strategy of this name in it. All else is kept, comments
    /// included.
    pub fn with(&self, name: &str, strategy: &str) -> Result<String, Failure> {
        check_name(name).map_err(sentence)?;
        let quoted = toml::Value::String(strategy.into()).to_string();
        let entry = self.strategies.iter().find(|(own, _)| own.get_ref() == name);
        let text = match (entry, header(&self.text)) {
            (Some((_, old)), _) => spliced(&self.text, old.span(), &quoted),
            (None, Some(end)) => spliced(&self.text, end..end, &format!("\n{name} = {quoted}")),
            (None, None) => {
                let gap = match &*self.text {
                    "" => "",
                    text if text.ends_with('\n') => "\n",
                    _ => "\n\n",
                };
                format!("{}{gap}[{TABLE}]\n{name} = {quoted}\n", self.text)
            }
        };
        let again = Settings::parse(&self.path, text.clone());
        let mut expected: Vec<(&str, &str)> = self
            .names()
            .filter(|own| *own != name)
            .filter_map(|own| Some((own, self.get(own)?)))
            .collect();
        expected.push((name, strategy));
        let is_right = again.is_ok_and(|again| {
            again.strategies.len() == expected.len()
                && expected.iter().all(|(name, strategy)| again.get(name) == Some(strategy))
        });
        match is_right {
            true => Ok(text),
            false => Err(sentence(format_args!(
                "cannot add to `{}`; write it there yourself: {name} = {quoted} in [{TABLE}]",
                self.path.display()
            ))),
        }
    }
}

/// Where the header of the table ends.
fn header(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.split('#').next().unwrap_or("").trim();
        if bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim)
            == Some(TABLE)
        {
            return Some(at + line.trim_end_matches(['\n', '\r']).len());
        }
        at += line.len();
    }
    None
}

fn spliced(text: &str, at: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..at.start], &text[at.end..])
}

fn check_name(name: &str) -> Result<(), String> {
    if !is_name(name) {
        return Err(format!(
            "`{name}` is no name for a strategy: letters, digits, `-` and `_`, a letter first"
        ));
    }
    match names_of_strategies().contains(&name) {
        true => Err(format!("`{name}` is a strategy of the catalogue: choose another name")),
        false => Ok(()),
    }
}

fn diagnostic(path: &Path, text: &str, message: String, at: Range<usize>) -> Failure {
    let mut sources = Sources::default();
    let source = sources.add(path.display().to_string(), text);
    let span = Span { source, start: at.start as u32, end: at.end as u32 };
    let message = message.lines().next().unwrap_or_default().to_string();
    Failure::Diagnostics { sources, diagnostics: vec![Diagnostic::error(message, span)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<Settings, String> {
        Settings::parse(Path::new("homing.toml"), text.into()).map_err(|error| error.text(false))
    }

    fn with(text: &str, name: &str, strategy: &str) -> Result<String, String> {
        settings(text)?.with(name, strategy).map_err(|error| error.text(false))
    }

    #[test]
    fn all_else_in_the_file_is_kept() {
        assert_eq!(with("", "tuned", "breadth").unwrap(), "[strategies]\ntuned = \"breadth\"\n");
        let text = "# mine\n[strategies] # here\nold = 'depth' # why\n";
        let new = with(text, "tuned", "greedy(expression('x - \"1\"'))").unwrap();
        assert!(new.starts_with("# mine\n[strategies] # here\ntuned = "), "{new}");
        assert!(new.ends_with("\nold = 'depth' # why\n"), "{new}");
        let own = settings(&new).unwrap();
        assert_eq!(own.get("tuned"), Some("greedy(expression('x - \"1\"'))"));
        assert_eq!(
            with(text, "old", "breadth").unwrap(),
            "# mine\n[strategies] # here\nold = \"breadth\" # why\n"
        );
        assert_eq!(
            with("# mine", "tuned", "breadth").unwrap(),
            "# mine\n\n[strategies]\ntuned = \"breadth\"\n"
        );
        let inline = with("strategies = { old = 'depth' }\n", "tuned", "breadth");
        assert!(inline.is_err_and(|error| error.contains("write it there yourself")));
        assert_eq!(
            with("strategies.old = 'depth'", "old", "breadth").unwrap(),
            "strategies.old = \"breadth\""
        );
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, place, words) in [
            ("[strategies\n", "homing.toml:1:", ""),
            ("[strategies]\na = 3\n", "homing.toml:2:5", "string"),
            ("\n[strategy]\n", "homing.toml:2:", "strategy"),
            ("[strategies]\ngreedy = 'depth'\n", "homing.toml:2:1", "catalogue"),
            (
                "[strategies]\nfast = 'gredy(hamming)'\n",
                "homing.toml:2:8",
                "did you mean `greedy`?",
            ),
            ("[strategies]\nfast = 'greedy('\n", "homing.toml:2:8", "greedy("),
            ("[strategies]\n'1 x' = 'depth'\n", "homing.toml:2:1", "no name"),
            ("[strategies]\na = 'depth'\na = 'depth'\n", "homing.toml:3:1", "duplicate"),
        ] {
            let error = settings(text).err().unwrap();
            assert!(error.contains(place) && error.contains(words), "{text}: {error}");
        }
    }

    /// Whatever the text, reading and adding to it does not panic: `scripts/fuzz settings`.
    #[test]
    fn fuzz_settings() {
        let words =
            &["[strategies]", "tuned", "=", "'", "\"", "\n", "#", "depth", "[", "]", "{", "}", "é"];
        let texts = homing_fuzz::Texts { words, frames: &[] };
        bolero::check!().with_iterations(3_000).for_each(|input: &[u8]| {
            if let Ok(settings) = settings(&texts.text(input)) {
                let Ok(text) = settings.with("tuned", "breadth") else { return };
                assert_eq!(self::settings(&text).unwrap().get("tuned"), Some("breadth"));
            }
        });
    }
}
