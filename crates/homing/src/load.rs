//! Reading models.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use homing_budget::{Budget, Stopped};
use homing_ir::{Diagnostic, Network, Severity, Sources, wellformed};
use homing_lang::{LANGUAGES, Language, Settings};

use crate::run::{UsageError, cut};

/// The largest model file that is read.
pub const MAX_BYTES: u64 = 64 << 20;

/// A model, read and understood.
#[derive(Clone, Debug)]
pub struct Model {
    /// The network.
    pub network: Network,
    /// What the front end warns of.
    pub warnings: Vec<Diagnostic>,
    /// The language it is written in.
    pub language: &'static Language,
    /// Its name, text, and how it was read.
    origin: (String, String, Reading),
}

impl Model {
    /// The model with room for one more process of a type, where a search
    /// found that there is not enough ([`UsageError::More`]): see [`settled`].
    pub fn with_more(&self, kind: u32) -> Result<Model, LoadError> {
        let (name, text, reading) = &self.origin;
        let mut reading = reading.clone();
        reading.more.push(kind);
        understand(self.language, name, text, &reading)
    }
}

/// Runs something about a model and, where that turns out to have room for too few
/// processes, again with more. Answers with the model that was enough, too: traces name
/// its edges.
pub fn settled<T>(
    mut model: Model,
    mut run: impl FnMut(&Model) -> Result<T, UsageError>,
) -> Result<(Model, T), UsageError> {
    loop {
        match run(&model) {
            Err(UsageError::More(kind)) => model = model.with_more(kind)?,
            other => return other.map(|done| (model, done)),
        }
    }
}

/// A model with another network that was made from its own.
impl Model {
    pub(crate) fn with_network(&self, network: Network) -> Model {
        let (warnings, origin) = (Vec::new(), self.origin.clone());
        Model { network, warnings, language: self.language, origin }
    }
}

/// How a model is to be read.
#[derive(Clone, Default, Debug)]
pub struct Reading {
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders to look for included files in.
    pub includes: Vec<String>,
    /// Whether a message sent to a full channel is lost, instead of its sender
    /// waiting.
    pub lossy: bool,
    /// Types of processes that the model needs more of ([`Model::with_more`]).
    pub more: Vec<u32>,
    /// Name and text of a file of queries, for languages that keep them apart.
    pub queries: Option<(String, String)>,
    /// What reading may spend.
    pub budget: Budget,
}

/// Why a model could not be read.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be read.
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file is larger than [`MAX_BYTES`].
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// No language has files of this ending.
    Language {
        /// The file.
        path: PathBuf,
    },
    /// The text is not a model.
    Diagnostics {
        /// The texts the diagnostics point into.
        sources: Sources,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// The budget was spent before the model was read.
    Stopped(Stopped),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Io { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            LoadError::TooLarge { path } => {
                let most = MAX_BYTES >> 20;
                write!(
                    f,
                    "`{}` is larger than {most} MiB: not a model homing reads",
                    path.display()
                )
            }
            LoadError::Language { path } => {
                let known = LANGUAGES.iter().flat_map(|l| l.extensions).map(|e| format!("`.{e}`"));
                let known: Vec<String> = known.collect();
                let path = path.display();
                write!(f, "cannot tell the language of `{path}`: homing reads {}", known.join(", "))
            }
            LoadError::Stopped(stopped) => f.write_str(&cut(*stopped)),
            LoadError::Diagnostics { diagnostics, .. } => f.write_str(first(diagnostics)),
        }
    }
}

impl std::error::Error for LoadError {}

/// The first error's sentence: warnings may come before it.
pub(crate) fn first(diagnostics: &[Diagnostic]) -> &str {
    let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    error.or(diagnostics.first()).map_or("no diagnostic", |diagnostic| &diagnostic.message)
}

impl From<LoadError> for UsageError {
    fn from(error: LoadError) -> UsageError {
        match error {
            LoadError::Diagnostics { sources, diagnostics } => {
                UsageError::Diagnostics { sources, diagnostics }
            }
            LoadError::Stopped(stopped) => stopped.into(),
            other => UsageError::Sentence(other.to_string()),
        }
    }
}

/// Reads a model; its file's ending tells the language.
pub fn load(path: &Path) -> Result<Model, LoadError> {
    load_with(path, &Reading::default())
}

/// As [`load`], with macros, folders of included files, and lossy channels.
pub fn load_with(path: &Path, reading: &Reading) -> Result<Model, LoadError> {
    // What cannot be read has no language to be told.
    let text = decoded(read(path)?);
    understand(
        language_of(path, ending(path)?, &text)?,
        &path.display().to_string(),
        &text,
        reading,
    )
}

/// Reads a model from its text; the name's ending tells the language, and the text
/// where several languages have the same.
pub fn parse(name: &str, text: &str) -> Result<Model, LoadError> {
    let path = Path::new(name);
    understand(language_of(path, ending(path)?, text)?, name, text, &Reading::default())
}

/// The ending of a file's name, if a language has such files.
fn ending(path: &Path) -> Result<&str, LoadError> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ending.filter(|ending| homing_lang::by_extension(ending).is_some());
    known.ok_or_else(|| LoadError::Language { path: path.into() })
}

fn language_of(path: &Path, ending: &str, text: &str) -> Result<&'static Language, LoadError> {
    let language = homing_lang::recognise(ending, text);
    language.ok_or_else(|| LoadError::Language { path: path.into() })
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    let failed = |error| LoadError::Io { path: path.into(), error };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(LoadError::TooLarge { path: path.into() });
    }
    Ok(bytes)
}

/// The text of a file. Models are ASCII but for comments and strings, and those come in
/// any encoding: a byte that is not part of UTF-8 is taken for the character that Latin-1
/// has at it, one for one, so that columns stay where an editor shows them.
fn decoded(bytes: Vec<u8>) -> String {
    if homing_lang::aiger::is_binary(&bytes) {
        return bytes.into_iter().map(char::from).collect();
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::new();
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().copied().map(char::from));
        }
        text
    });
    // A mark of the order of bytes, which UTF-8 does not need.
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_string(),
        None => text,
    }
}

fn understand(
    language: &'static Language,
    name: &str,
    text: &str,
    reading: &Reading,
) -> Result<Model, LoadError> {
    let understood = || understood(language, name, text, reading);
    reading.budget.during("reading the model", understood).map_err(LoadError::Stopped)?
}

fn understood(
    language: &'static Language,
    name: &str,
    text: &str,
    reading: &Reading,
) -> Result<Model, LoadError> {
    let Reading { defines, includes, lossy, more, queries, budget: _ } = reading;
    let queries = queries.as_ref().map(|(name, text)| (&**name, &**text));
    let read = &|path: &Path| std::fs::read(path).map(decoded);
    let settings = Settings { defines, includes, lossy: *lossy, more, queries, read };
    let parsed = (language.parse)(name, text, &settings);
    let mut diagnostics = parsed.diagnostics;
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    if !diagnostics.iter().any(is_error) {
        // A front end's mistake must be a message, not a wrong verdict.
        diagnostics.extend(wellformed::check(&parsed.network));
    }
    if diagnostics.iter().any(is_error) {
        return Err(LoadError::Diagnostics { sources: parsed.network.sources, diagnostics });
    }
    let origin = (name.to_string(), text.to_string(), reading.clone());
    Ok(Model { network: parsed.network, warnings: diagnostics, language, origin })
}
